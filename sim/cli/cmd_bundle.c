/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bundle.c - schedlab bundle: a run with all that it takes to make it again, in one archive or folder;
 * and whether what is in such a one still makes it.
 *
 * OUT/run has the run's files, OUT/run.sh makes it again. Inputs lie below OUT by the paths that run.json
 * names, since whoever makes a run again looks for them in the folders above it; those that were named from
 * elsewhere (from the root, or upwards) lie in OUT/inputs, and are named so in OUT/run/run.json.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/again.h"
#include "sim/cli/bundle.h"

static const struct option_def options[] = {
	{ "output", 'o', "OUT", false,
		"the archive to be made (.tar, .tar.gz, .tar.xz, .tar.zst), or a folder" },
	{ "verify", 0, NULL, false, "is the bundle whole, and is what it makes what it was" },
	{ OPTION_DRY_RUN },
	{ OPTION_JSON },
};

enum { PATHS_MAX = 10000, PATH_LONGEST = 4096, ROOM = 30000 };

struct bundle {
	struct sl_arena *arena;
	const char *out;
	char *record; /* The text of run.json. */
	size_t inputs;
	struct bundle_files files;
};

/* ---- Copies -------------------------------------------------------------------------------------- */

/* Its bytes as they are, packed or not. */
static int copy_file(const char *from, const char *to, struct sl_err *err)
{
	struct sl_out *out;
	FILE *file = fopen(from, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	int status = sl_out_open(&out, to, err);
	if (!status) {
		for (size_t got = 1; got;) {
			char *room = sl_out_room(out, ROOM);
			got = fread(room, 1, ROOM, file);
			sl_out_advance(out, room + got);
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

static int copy_below(const struct bundle *bundle, const char *from, const char *name, struct sl_err *err)
{
	char to[PATH_LONGEST];
	const size_t root = strlen(bundle->out) + 1;
	const int len = snprintf(to, sizeof(to), "%s/%s", bundle->out, name);
	if (len < 0 || (size_t)len >= sizeof(to))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", name);
	const int status = bundle_folders(to, root, err);
	return status ? status : copy_file(from, to, err);
}

/* A file, or those of a folder (a cluster's), not deeper. */
static int copy_path(const struct bundle *bundle, const char *from, const char *name, struct sl_err *err)
{
	struct stat is;
	if (stat(from, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	if (!S_ISDIR(is.st_mode))
		return copy_below(bundle, from, name, err);
	DIR *folder = opendir(from);
	int status = SL_OK;
	if (!folder)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	const struct dirent *entry;
	while (!status && (entry = readdir(folder))) { /* NOLINT(concurrency-mt-unsafe): one thread. */
		char inner[PATH_LONGEST];
		char below[PATH_LONGEST];
		const int a = snprintf(inner, sizeof(inner), "%s/%s", from, entry->d_name);
		const int b = snprintf(below, sizeof(below), "%s/%s", name, entry->d_name);
		if (a < 0 || b < 0 || (size_t)a >= sizeof(inner) || (size_t)b >= sizeof(below))
			status = sl_fail(err, SL_SYSTEM, "'%s': the path is too long", from);
		else if (stat(inner, &is) == 0 && S_ISREG(is.st_mode))
			status = copy_below(bundle, inner, below, err);
	}
	(void)closedir(folder);
	return status;
}

/* ---- Names ------------------------------------------------------------------------------------------ */

static bool is_from_elsewhere(const char *path)
{
	/* What the bundle has of its own is nobody else's name. */
	if (strcmp(path, "README.txt") == 0 || strcmp(path, "run.sh") == 0 || strncmp(path, "run/", 4) == 0)
		return true;
	return path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
}

/* Every mention of a path in the record becomes another: as a whole, or as one of several in a value. */
static int rename_in_record(struct bundle *bundle, const char *was, const char *is, struct sl_err *err)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (!out)
		return sl_fail_memory(err);
	const char *at = bundle->record;
	for (const char *found; (found = strstr(at, was)); at = found + strlen(was)) {
		const char behind = found[strlen(was)];
		const bool whole =
			found > bundle->record && strchr("\"=,:", found[-1]) && strchr("\",:", behind);
		(void)fwrite(at, 1, (size_t)(found - at), out);
		(void)fputs(whole ? is : was, out);
	}
	(void)fputs(at, out);
	if (fclose(out) != 0) {
		free(text);
		return sl_fail_memory(err);
	}
	free(bundle->record);
	bundle->record = text;
	return SL_OK;
}

static int take_input(struct bundle *bundle, const struct snapshot *snapshot,
	const struct snapshot_input *input, struct sl_err *err)
{
	char name[PATH_LONGEST];
	const char *path = input->path;
	if (!path || !*path)
		return SL_OK;
	if (strcmp(path, "-") == 0)
		return sl_fail(err, SL_USAGE,
			"its trace came from standard input, and is nowhere: run it from a file");
	const char *from = snapshot_input_path(snapshot, input, bundle->arena, err);
	if (!from)
		return err->status;
	if (!is_from_elsewhere(path))
		return copy_path(bundle, from, strncmp(path, "./", 2) == 0 ? path + 2 : path, err);
	const char *slash = strrchr(path, '/');
	const int len =
		snprintf(name, sizeof(name), "inputs/%zu-%s", ++bundle->inputs, slash ? slash + 1 : path);
	if (len < 0 || (size_t)len >= sizeof(name))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", path);
	const int status = copy_path(bundle, from, name, err);
	return status ? status : rename_in_record(bundle, path, name, err);
}

/* ---- The bundle -----------------------------------------------------------------------------------------
 */

static int read_record(struct bundle *bundle, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	bundle->record = status ? NULL : strndup(text, (size_t)(end - text));
	sl_input_close(in);
	return status || bundle->record ? status : sl_fail_memory(err);
}

static int write_text(
	const struct bundle *bundle, const char *name, const char *text, bool program, struct sl_err *err)
{
	char path[PATH_LONGEST];
	struct sl_out *out;
	(void)snprintf(path, sizeof(path), "%s/%s", bundle->out, name);
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	sl_out_text(out, text);
	status = sl_out_commit(out, err);
	if (!status && program && chmod(path, 0755) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "write", path);
	return status;
}

static int take_inputs(struct bundle *bundle, const struct snapshot *snapshot, struct sl_err *err)
{
	int status = take_input(bundle, snapshot, &snapshot->cluster, err);
	for (size_t i = 0; i < snapshot->input_count && !status; i++)
		status = take_input(bundle, snapshot, &snapshot->input[i], err);
	for (size_t i = 0; i < snapshot->plugin_count && !status; i++)
		status = take_input(bundle, snapshot, &snapshot->plugin[i], err);
	for (size_t i = 0; i < snapshot->policy_file_count && !status; i++)
		status = take_input(bundle, snapshot, &snapshot->policy_file[i], err);
	return status;
}

static int make(struct bundle *bundle, const struct again *again, const char *dir, struct sl_err *err)
{
	static const char script[] =
		"#!/bin/sh\n# Makes the run again from what is here, and compares: 0: it is what it was.\n"
		"cd \"$(dirname \"$0\")\" && exec schedlab bundle --verify . \"$@\"\n";
	static const char about[] =
		"A run of schedlab " SL_VERSION
		", with all that it was made from. `sh run.sh` makes it again (schedlab on the PATH)\n"
		"and compares the digest of its decisions and its files; run/ has them, run/run.json names inputs with their SHA-256,\n"
		"settings, policy and seed. `sha256sum -c SHA256SUMS` looks whether all is as it was put in.\n";
	char name[PATH_LONGEST];
	(void)snprintf(name, sizeof(name), "%s/run.json", dir);
	int status = read_record(bundle, name, err);
	if (!status)
		status = copy_path(bundle, dir, "run", err);
	if (!status)
		status = take_inputs(bundle, &again->snapshot, err);
	if (!status)
		status = write_text(bundle, "run/run.json", bundle->record, false, err);
	if (!status)
		status = write_text(bundle, "run.sh", script, true, err);
	return status ? status : write_text(bundle, "README.txt", about, false, err);
}

/* ---- Making it again -------------------------------------------------------------------------------- */

/* Files that follow from the decisions alone. metrics.json may have what was asked for besides. */
static const char *const remade[] = { "jobs", "attempts", "usage", "reasons" };

struct verified {
	uint64_t digest;
	size_t files;    /* Of SHA256SUMS. */
	char again[200]; /* Those that were made again, and were the same: "jobs.csv, usage.csv". */
};

/* Names for --only; "" if the run has none of them. */
static void remade_names(char *only, size_t size, const char *dir)
{
	size_t used = 0;
	only[0] = '\0';
	for (size_t i = 0; i < SL_LEN(remade); i++) {
		char path[PATH_LONGEST];
		const int len = snprintf(path, sizeof(path), "%s/%s.csv", dir, remade[i]);
		if (len > 0 && (size_t)len < sizeof(path) && access(path, R_OK) == 0 && used < size)
			used += (size_t)snprintf(
				only + used, size - used, "%s%s", used ? "," : "", remade[i]);
	}
}

/* The run is made again: its inputs are there, and it comes out as it was. to: where its files are written
 * too, as --only has them; NULL: nowhere. */
static int again_check(struct again *again, const char *to, const char *only, struct sl_err *err)
{
	struct sim sim = { 0 };
	struct outdir *dir = NULL;
	unsigned record = 0;
	int status = again_load(again, err);
	if (!status && to)
		status = only_check(only, true, &record, err);
	if (!status)
		status = again_run(again, &sim, record, err);
	if (!status && to) {
		struct run run = { .scenario = &again->scenario, .sim = sim };
		run.choice = *again->recipe.past[0].choice;
		run.options.seed = again->recipe.seed;
		run.options.record = record;
		status = outdir_open(&dir, to, "made again", false, err);
		if (!status)
			status = outdir_run(dir, NULL, &run, NULL, only, err);
		if (!status)
			status = outdir_commit(dir, err);
		else
			outdir_abandon(dir);
	}
	sim_release(&sim);
	return status;
}

static int remade_compare(struct verified *verified, const char *to, struct sl_err *err)
{
	size_t used = 0;
	for (size_t i = 0; i < SL_LEN(remade); i++) {
		char was[PATH_LONGEST];
		char is[PATH_LONGEST];
		char was_sha[65];
		char is_sha[65];
		const int a = snprintf(was, sizeof(was), "run/%s.csv", remade[i]);
		const int b = snprintf(is, sizeof(is), "%s/%s.csv", to, remade[i]);
		if (a < 0 || b < 0 || (size_t)b >= sizeof(is) || access(was, R_OK) != 0)
			continue;
		int status = registry_hash(was, was_sha, err);
		if (!status)
			status = registry_hash(is, is_sha, err);
		if (status)
			return status;
		if (strcmp(was_sha, is_sha) != 0)
			return sl_fail(err, SL_DIFFERS,
				"not reproduced: %s: the run, made again, writes another: SHA-256 %s, it was %s",
				was, is_sha, was_sha);
		used += (size_t)snprintf(verified->again + used, sizeof(verified->again) - used, "%s%s.csv",
			used ? ", " : "", remade[i]);
	}
	return SL_OK;
}

/* In the bundle's own folder: inputs are named from there. scratch: a folder for what is made again. */
static int verify_here(
	struct verified *verified, const char *scratch, const struct args *args, struct sl_err *err)
{
	struct again again = { .arena = NULL };
	char to[PATH_LONGEST + 10];
	char only[100];
	(void)snprintf(to, sizeof(to), "%s/again", scratch);
	remade_names(only, sizeof(only), "run");
	int status = bundle_sums_check(".", &verified->files, err);
	if (!status)
		status = again_open(&again, "run", args->registry, err);
	/* Of a run that changed its policy the files have a past that is not made here. */
	const bool whole = !status && again.snapshot.stretch_count == 1 && *only;
	if (!status)
		status = again_check(&again, whole ? to : NULL, only, err);
	if (!status && whole)
		status = remade_compare(verified, to, err);
	if (!status)
		verified->digest = again.snapshot.stretch[again.snapshot.stretch_count - 1].digest;
	again_close(&again);
	return status;
}

static int verified_tell(const struct verified *verified, const struct args *args, struct sl_err *err)
{
	struct sl_out *out;
	if (!arg_flag(args, "json")) {
		printf("the same: %016llx\n", (unsigned long long)verified->digest);
		if (!arg_flag(args, "quiet"))
			talk("%zu files are as they were put in; made again and the same: %s",
				verified->files, verified->again[0] ? verified->again : "the digest alone");
		return SL_OK;
	}
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{ \"bundle\": ");
	sl_out_json(out, args->word[0]);
	sl_out_printf(out, ", \"same\": true, \"digest\": \"%016llx\", \"files\": %zu, \"made_again\": [",
		(unsigned long long)verified->digest, verified->files);
	const char *comma = "";
	for (const char *at = verified->again; *at; comma = ", ") {
		const size_t len = strcspn(at, ",");
		sl_out_printf(out, "%s\"%.*s\"", comma, (int)len, at);
		at += len + strspn(at + len, ", ");
	}
	sl_out_text(out, "] }\n");
	return sl_out_commit(out, err);
}

static int verify(const struct args *args, struct sl_err *err)
{
	const char *bundle = args->word[0];
	const char *tmp = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	char scratch[PATH_LONGEST];
	char inside[PATH_LONGEST + 10];
	struct stat is;
	struct verified verified = { 0 };
	if (stat(bundle, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", bundle);
	const int len = snprintf(scratch, sizeof(scratch), "%s/schedlab-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (len < 0 || (size_t)len >= sizeof(scratch) || !mkdtemp(scratch))
		return sl_fail_sys(err, SL_SYSTEM, "make a folder in", tmp && *tmp ? tmp : "/tmp");
	int status = SL_OK;
	if (!S_ISDIR(is.st_mode)) {
		(void)snprintf(inside, sizeof(inside), "%s/bundle", scratch);
		if (mkdir(inside, 0700) != 0)
			status = sl_fail_sys(err, SL_SYSTEM, "make", inside);
		else
			status = bundle_unpack(bundle, inside, err);
		bundle = inside;
	}
	if (!status && chdir(bundle) != 0)
		status = sl_fail_sys(err, SL_INPUT, "enter", bundle);
	if (!status)
		status = verify_here(&verified, scratch, args, err);
	if (!status)
		status = verified_tell(&verified, args, err);
	(void)remove_tree(scratch);
	return status;
}

/* ---- The command ------------------------------------------------------------------------------------ */

static int made_tell(const struct bundle *bundle, const char *out_path, const struct again *again,
	const struct args *args, struct sl_err *err)
{
	const uint64_t digest = again->snapshot.stretch[again->snapshot.stretch_count - 1].digest;
	const bool dry = arg_flag(args, "dry-run");
	struct sl_out *out;
	if (!arg_flag(args, "json")) {
		for (size_t i = 0; i < bundle->files.count && dry; i++)
			printf("%s  %lld bytes\n", bundle->files.file[i].path,
				(long long)bundle->files.file[i].bytes);
		if (dry)
			printf("to %s; nothing is written\n", out_path);
		else if (!arg_flag(args, "quiet"))
			talk("%s: %s", out_path,
				bundle_is_archive(out_path) ? "'schedlab bundle --verify' makes the run again"
							    : "'sh run.sh' in it makes the run again");
		return SL_OK;
	}
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{ \"bundle\": ");
	sl_out_json(out, out_path);
	sl_out_text(out, ", \"run\": ");
	sl_out_json(out, args->word[0]);
	sl_out_printf(out, ", \"written\": %s, \"digest\": \"%016llx\", \"files\": [", dry ? "false" : "true",
		(unsigned long long)digest);
	for (size_t i = 0; i < bundle->files.count; i++) {
		const struct bundle_file *file = &bundle->files.file[i];
		sl_out_text(out, i ? ",\n  { \"path\": " : "\n  { \"path\": ");
		sl_out_json(out, file->path);
		sl_out_printf(
			out, ", \"bytes\": %lld, \"sha256\": \"%s\" }", (long long)file->bytes, file->sha256);
	}
	sl_out_text(out, " ]\n}\n");
	return sl_out_commit(out, err);
}

/* The folder is whole: it becomes OUT, or the archive. */
static int finish(struct bundle *bundle, const char *out, bool dry, struct sl_err *err)
{
	int status = bundle_files_of(&bundle->files, bundle->out, err);
	if (!status)
		status = bundle_sums_write(&bundle->files, bundle->out, err);
	if (!status && !dry && bundle_is_archive(out))
		status = bundle_pack(out, bundle->out, &bundle->files, err);
	else if (!status && !dry && rename(bundle->out, out) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", out);
	return status;
}

/* Where the log has names of people, whoever shares the bundle shares them. */
static void talk_names(const struct again *again, const struct args *args)
{
	if (again->scenario.jobs.user_name && !arg_flag(args, "quiet"))
		talk("%s: has names of users: 'schedlab anonymize' makes a log without, before it is shared",
			again->scenario.input.path);
}

static int bundle_command(const struct args *args, struct sl_err *err)
{
	if (arg_flag(args, "verify"))
		return verify(args, err);
	const char *out = arg(args, "output");
	struct bundle bundle = { .arena = args->arena };
	struct again again = { .arena = NULL };
	char unfinished[PATH_LONGEST];
	char name[PATH_LONGEST];
	if (!out)
		return sl_fail(err, SL_USAGE, "bundle: where to? give -o OUT");
	int status = bundle_name(name, sizeof(name), out, err);
	if (!status)
		status = again_open(&again, args->word[0], args->registry, err);
	if (!status)
		status = again_check(&again, NULL, NULL, err);
	if (!status && access(out, F_OK) == 0)
		status = sl_fail(err, SL_USAGE, "'%s' is there already: give another name", out);
	/* Whole or not at all: what is left of one that was cut off says so by its name. */
	const int len = snprintf(unfinished, sizeof(unfinished), "%s.unfinished", out);
	if (!status && (len < 0 || (size_t)len >= sizeof(unfinished)))
		status = sl_fail(err, SL_USAGE, "'%s': the path is too long", out);
	bundle.out = unfinished;
	if (!status && mkdir(unfinished, 0777) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", unfinished);
	if (!status) {
		talk_names(&again, args);
		status = make(&bundle, &again, args->word[0], err);
		if (!status)
			status = finish(&bundle, out, arg_flag(args, "dry-run"), err);
		(void)remove_tree(unfinished);
	}
	if (!status)
		status = made_tell(&bundle, out, &again, args, err);
	free(bundle.record);
	bundle_files_release(&bundle.files);
	again_close(&again);
	return status;
}

const struct command cmd_bundle = {
	.name = "bundle",
	.usage = "bundle DIR -o OUT | bundle --verify OUT",
	.summary = "a run with all that it takes to make it again, in one file",
	.detail =
		"Makes the run in DIR again first: exit 4 if an input is not what it was, 5 if the run is not. Then OUT has\n"
		"its files, inputs, plug-ins and scripts, and SHA256SUMS of all, the same bytes each time. --verify looks\n"
		"whether all is there as it was, makes the run again, and compares its digest and its files.\n"
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
