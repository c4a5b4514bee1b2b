/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bundle.c - schedlab bundle: a run with all that a rerun needs, in one archive or folder; and whether a
 * rerun from such a one still gives the same results.
 *
 * OUT/run has the run's files, OUT/run.sh reruns it. Where inputs lie: bundle_plan.c.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/bundle/bundle.h"
#include "cli/run/outdir.h"
#include "cli/run/run_find.h"
#include "sim/base/out.h"
#include "sim/lib/builtin.h"

static const struct option_def options[] = {
	{ "output", 'o', "OUT", false,
		"the archive to be made (.tar, .tar.gz, .tar.xz, .tar.zst), or a folder" },
	{ "verify", 0, NULL, false, "is the bundle whole, and is what it makes what it was" },
	{ OPTION_DRY_RUN },
	{ OPTION_JSON },
	{ OPTION_TRUST },
};

enum { PATH_LONGEST = 4096, CHUNK = 30000 };

/* ---- Written ------------------------------------------------------------------------------------------ */

/* Its bytes as they are, packed or not. */
int bundle_copy(const char *from, const char *to, struct sl_err *err)
{
	struct sl_out *out;
	FILE *file = fopen(from, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	int status = sl_out_open(&out, to, err);
	if (!status) {
		for (size_t got = 1; got;) {
			char *space = sl_out_reserve(out, CHUNK);
			got = fread(space, 1, CHUNK, file);
			sl_out_advance(out, space + got);
		}
		if (ferror(file)) {
			sl_out_abandon(out);
			status = sl_fail_sys(err, SL_INPUT, "read", from);
		} else {
			status = sl_out_commit(out, err);
		}
	}
	(void)fclose(file);
	return status;
}

static int item_write(const struct bundle_item *item, const char *folder, struct sl_err *err)
{
	char to[PATH_LONGEST];
	const int len = snprintf(to, sizeof(to), "%s/%s", folder, item->to);
	if (len < 0 || (size_t)len >= sizeof(to))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", item->to);
	int status = folders_make(to, strlen(folder) + 1, "make", err);
	if (!status)
		status = item->from ? bundle_copy(item->from, to, err)
				    : out_file(to, item->text, strlen(item->text), err);
	if (!status && item->program && chmod(to, 0755) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "write", to);
	return status;
}

/* The folder, and its sums. */
static int items_write(
	const struct bundle_plan *plan, const char *folder, struct bundle_files *files, struct sl_err *err)
{
	int status = mkdir(folder, 0777) == 0 ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", folder);
	for (size_t i = 0; i < plan->items && !status; i++)
		status = item_write(&plan->item[i], folder, err);
	if (!status)
		status = bundle_files_of(files, folder, err);
	return status ? status : bundle_sums_write(files, folder, err);
}

/* What would be written; nothing is. */
static int items_list(const struct bundle_plan *plan, struct bundle_files *files, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < plan->items && !status; i++) {
		const struct bundle_item *item = &plan->item[i];
		struct stat is = { 0 };
		char sha256[65];
		if (item->from && stat(item->from, &is) != 0)
			return sl_fail_sys(err, SL_INPUT, "open", item->from);
		if (item->text)
			status = identity_hash(item->text, sha256, err);
		if (!status)
			status = bundle_file_add(files, item->from ? item->from : item->to, item->to,
				item->text ? (int64_t)strlen(item->text) : (int64_t)is.st_size,
				item->text ? sha256 : NULL, err);
	}
	bundle_files_sort(files);
	return status;
}

/* ---- Verifying ------------------------------------------------------------------------------------------
 */

/* A folder for what is made on the way. */
static int scratch_real(char scratch[PATH_LONGEST], struct sl_err *err)
{
	const char *tmp = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	char folder[PATH_LONGEST];
	if (!realpath(tmp && *tmp ? tmp : "/tmp", folder))
		return sl_fail_sys(err, SL_SYSTEM, "make a folder in", tmp && *tmp ? tmp : "/tmp");
	const int len = snprintf(scratch, PATH_LONGEST, "%s/schedlab-XXXXXX", folder);
	if (len < 0 || len >= PATH_LONGEST || !mkdtemp(scratch))
		return sl_fail_sys(err, SL_SYSTEM, "make a folder in", folder);
	return SL_OK;
}

/* The bundle in that folder, from inside; the working folder is what it was then. */
static int verify_in(struct bundle_verified *verified, const char *folder, const char *scratch,
	struct registry *registry, struct sl_err *err)
{
	const int home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (home < 0 || chdir(folder) != 0) {
		if (home >= 0)
			(void)close(home);
		return sl_fail_sys(err, SL_INPUT, "enter", folder);
	}
	int status = bundle_sums_check(".", &verified->files, err);
	if (!status)
		status = bundle_rerun(verified, scratch, registry, err);
	/* That a path is one of the bundle's goes without saying. */
	for (char *p = err->text; status && (p = strstr(p, PATH_CLOSED));)
		memmove(p, p + strlen(PATH_CLOSED), strlen(p + strlen(PATH_CLOSED)) + 1);
	if (fchdir(home) != 0 && !status)
		status = sl_fail_sys(err, SL_SYSTEM, "go back from", folder);
	(void)close(home);
	return status;
}

static int verified_report(
	const struct bundle_verified *verified, const struct args *args, struct sl_err *err)
{
	struct json json;
	if (!arg_flag(args, "json")) {
		printf("the same: %016llx\n", (unsigned long long)verified->digest);
		if (!arg_flag(args, "quiet"))
			talk("%zu files are as they were put in; made again and the same: %s",
				verified->files, verified->rerun);
		return SL_OK;
	}
	const int status = json_start(&json, &json_one_line, err);
	if (status)
		return status;
	json_put(&json, datum_text("bundle", args->word[0]), datum_text("version", verified->version),
		datum_flag("same", true), datum_digest("digest", verified->digest),
		datum_count("files", verified->files));
	json_nest(&json, "made_again", '[', &json_tight);
	for (const char *at = verified->rerun; *at;) {
		const size_t len = strcspn(at, ",");
		sl_out_printf(json_raw(&json, NULL), "\"%.*s\"", (int)len, at);
		at += len + strspn(at + len, ", ");
	}
	return json_finish(&json, SL_OK, err);
}

static int verify(const struct args *args, struct sl_err *err)
{
	const char *bundle = args->word[0];
	char scratch[PATH_LONGEST];
	char inside[PATH_LONGEST + 10];
	struct stat is;
	struct bundle_verified verified = { .arena = args->arena };
	if (stat(bundle, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", bundle);
	int status = scratch_real(scratch, err);
	if (status)
		return status;
	if (!S_ISDIR(is.st_mode)) {
		(void)snprintf(inside, sizeof(inside), "%s/bundle", scratch);
		if (mkdir(inside, 0700) != 0)
			status = sl_fail_sys(err, SL_SYSTEM, "make", inside);
		else
			status = bundle_unpack(bundle, inside, err);
		bundle = inside;
	}
	if (!status)
		status = verify_in(&verified, bundle, scratch, args->registry, err);
	if (verified.other_version)
		talk("it was made by schedlab %s; this is " SL_VERSION, verified.version);
	if (!status)
		status = verified_report(&verified, args, err);
	(void)remove_tree(scratch);
	return status;
}

/* ---- The command ------------------------------------------------------------------------------------ */

/* What of the user's goes in, by what name. */
static void talk_items(const struct bundle_plan *plan)
{
	for (size_t i = 0; i < plan->items; i++) {
		const struct bundle_item *item = &plan->item[i];
		if (item->from && strncmp(item->to, "run/", 4) != 0)
			talk("packed: %s%s%s%s", item->to, strcmp(item->to, item->from) ? " (" : "",
				strcmp(item->to, item->from) ? item->from : "",
				strcmp(item->to, item->from) ? ")" : "");
	}
}

/* Files of the run's folder that the run did not write stay there. */
static void talk_left_out(const struct bundle_plan *plan, const char *dir)
{
	struct dirent **entry = NULL;
	const int count = scandir(dir, &entry, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		bool known = entry[i]->d_name[0] == '.';
		for (size_t k = 0; k < plan->items && !known; k++)
			known = strncmp(plan->item[k].to, "run/", 4) == 0 &&
				strcmp(plan->item[k].to + 4, entry[i]->d_name) == 0;
		if (!known)
			talk("not packed: %s/%s: the run did not write it", dir, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
}

static int made_report(const struct bundle_files *files, const char *out_path, const struct rerun *rerun,
	const struct args *args, struct sl_err *err)
{
	const uint64_t digest = rerun->snapshot.interval[rerun->snapshot.interval_count - 1].digest;
	const bool dry = arg_flag(args, "dry-run");
	static const struct json_form of_bundle = { " ", ", ", "\n", false };
	static const struct json_form of_files = { "\n  ", ",\n  ", " ", true };
	struct json json;
	if (!arg_flag(args, "json")) {
		for (size_t i = 0; i < files->count && dry; i++)
			printf("%s  %lld bytes\n", files->file[i].path, (long long)files->file[i].bytes);
		if (dry)
			printf("to %s; nothing is written\n", out_path);
		else if (!arg_flag(args, "quiet"))
			talk("%s: %s", out_path,
				bundle_is_archive(out_path) ? "'schedlab bundle --verify' makes the run again"
							    : "'sh run.sh' in it makes the run again");
		return SL_OK;
	}
	const int status = json_start(&json, &of_bundle, err);
	if (status)
		return status;
	json_put(&json, datum_text("bundle", out_path), datum_text("run", args->word[0]),
		datum_flag("written", !dry), datum_digest("digest", digest));
	json_nest(&json, "files", '[', &of_files);
	for (size_t i = 0; i < files->count; i++) {
		const struct bundle_file *file = &files->file[i];
		json_object(&json, NULL, datum_text("path", file->path), datum_whole("bytes", file->bytes),
			datum_text("sha256", file->sha256));
	}
	return json_finish(&json, SL_OK, err);
}

/* Made beside OUT, verified there, as anybody would, and only then OUT. */
static int bundle_write(const struct bundle_plan *plan, const char *out, struct bundle_files *files,
	const struct args *args, struct sl_err *err)
{
	struct bundle_verified verified = { .arena = args->arena };
	struct registry fresh; /* Its plug-ins are other files. */
	char unfinished[PATH_LONGEST];
	char scratch[PATH_LONGEST];
	const int len = snprintf(unfinished, sizeof(unfinished), "%s.unfinished", out);
	if (len < 0 || (size_t)len >= sizeof(unfinished))
		return sl_fail(err, SL_USAGE, "'%s': the path is too long", out);
	int status = scratch_real(scratch, err);
	if (status)
		return status;
	status = items_write(plan, unfinished, files, err);
	if (!status)
		status = registry_make(&fresh, err);
	if (!status) {
		fresh.watch = args->registry->watch;
		status = verify_in(&verified, unfinished, scratch, &fresh, err);
		registry_release(&fresh);
	}
	if (!status && bundle_is_archive(out))
		status = bundle_pack(out, unfinished, files, err);
	else if (!status && rename(unfinished, out) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", out);
	(void)remove_tree(unfinished);
	(void)remove_tree(scratch);
	return status;
}

/* Where the log has names of people, whoever shares the bundle shares them. */
static void talk_names(const struct rerun *rerun, const struct args *args)
{
	if (rerun->scenario.jobs.user_name && !arg_flag(args, "quiet"))
		talk("%s: has names of users: 'schedlab anonymize' makes a log without, before it is shared",
			rerun->scenario.input.path);
}

/* Where it would be written: whatever stands in the way is said before anything is made. */
static int out_check(const char *out, struct sl_err *err)
{
	char name[PATH_LONGEST];
	char folder[PATH_LONGEST];
	struct stat is;
	const char *slash = strrchr(out, '/');
	const int status = bundle_name(name, sizeof(name), out, err);
	if (status)
		return status;
	if (access(out, F_OK) == 0)
		return sl_fail(err, SL_USAGE, "'%s' is there already: give another name", out);
	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - out) : 1, slash ? out : ".");
	if (*folder && (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode)))
		return sl_fail(err, SL_USAGE, "'%s': there is no folder '%s': give another name, or make it",
			out, folder);
	return SL_OK;
}

static int bundle_command(const struct args *args, struct sl_err *err)
{
	if (arg_flag(args, "verify"))
		return verify(args, err);
	const char *out = arg(args, "output");
	struct bundle_plan plan = { .arena = args->arena };
	struct bundle_files files = { 0 };
	struct rerun rerun = { .arena = NULL };
	const bool dry = arg_flag(args, "dry-run");
	if (!out)
		return sl_fail(err, SL_USAGE, "bundle: where to? give -o OUT");
	int status = run_find_words(args, false, err);
	if (!status)
		status = rerun_open(&rerun, args->word[0], args->registry, err);
	if (!status)
		status = rerun_load(&rerun, err);
	if (!status)
		status = out_check(out, err);
	if (!status)
		status = bundle_plan_make(&plan, &rerun, args->word[0], err);
	if (!status && !arg_flag(args, "quiet")) {
		talk_names(&rerun, args);
		talk_left_out(&plan, args->word[0]);
		if (!dry)
			talk_items(&plan);
	}
	if (!status)
		status = dry ? items_list(&plan, &files, err) : bundle_write(&plan, out, &files, args, err);
	if (!status)
		status = made_report(&files, out, &rerun, args, err);
	bundle_files_release(&files);
	bundle_plan_release(&plan);
	rerun_close(&rerun);
	return status;
}

const struct command cmd_bundle = {
	.name = "bundle",
	.usage = "bundle DIR -o OUT | bundle --verify OUT",
	.summary = "a run with all that it takes to make it again, in one file",
	.detail =
		"OUT has the run's files, inputs, plug-ins and scripts, and SHA256SUMS of all, the same bytes each time: exit 4\n"
		"if an input is not what it was, 5 if the run is not. --verify looks whether all is there as it was and nothing\n"
		"else, makes the run again, and compares its digest and each of its files; it reads below OUT alone.\n"
		"\n"
		"examples:\n"
		"  schedlab bundle out -o paper-run.tar.xz\n"
		"  schedlab bundle --verify paper-run.tar.xz\n"
		"  schedlab bundle out -o paper-run && cd paper-run && sh run.sh\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = bundle_command,
};
