/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bundle.c - schedlab bundle: a run with all that it takes to make it again, in one folder; and whether
 * what is in such a folder still makes it.
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
#include "sim/cli/cli.h"

static const struct option_def options[] = {
	{ "output", 'o', "OUT", false, "the folder to be made" },
	{ "verify", 0, NULL, false, "DIR is a bundle: is what it makes what it was" },
};

enum { PATHS_MAX = 10000, PATH_LONGEST = 4096, ROOM = 30000 };

struct bundle {
	struct sl_arena *arena;
	const char *out;
	char *record; /* The text of run.json. */
	size_t inputs;
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

/* The folders above a path below OUT. */
static int folders_make(char *path, size_t from, struct sl_err *err)
{
	for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
		const int status = there ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", path);
		*slash = '/';
		if (status)
			return status;
	}
	return SL_OK;
}

static int copy_below(const struct bundle *bundle, const char *from, const char *name, struct sl_err *err)
{
	char to[PATH_LONGEST];
	const size_t root = strlen(bundle->out) + 1;
	const int len = snprintf(to, sizeof(to), "%s/%s", bundle->out, name);
	if (len < 0 || (size_t)len >= sizeof(to))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", name);
	const int status = folders_make(to, root, err);
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
	int status = folder ? SL_OK : sl_fail_sys(err, SL_INPUT, "open", from);
	for (const struct dirent *entry; !status && (entry = readdir(folder));) {
		char inner[PATH_LONGEST];
		char below[PATH_LONGEST];
		const int a = snprintf(inner, sizeof(inner), "%s/%s", from, entry->d_name);
		const int b = snprintf(below, sizeof(below), "%s/%s", name, entry->d_name);
		if (a < 0 || b < 0 || (size_t)a >= sizeof(inner) || (size_t)b >= sizeof(below))
			status = sl_fail(err, SL_SYSTEM, "'%s': the path is too long", from);
		else if (stat(inner, &is) == 0 && S_ISREG(is.st_mode))
			status = copy_below(bundle, inner, below, err);
	}
	if (folder)
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
		"cd \"$(dirname \"$0\")\" && exec schedlab bundle --verify .\n";
	static const char about[] =
		"A run of schedlab " SL_VERSION
		", with all that it was made from. `sh run.sh` makes it again (schedlab on the PATH)\n"
		"and compares the digest of its decisions; run/ has its files, run/run.json names inputs with their SHA-256.\n";
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

/* The run is made again: its inputs are there, and it comes out as it was. */
static int again_check(struct again *again, struct sl_err *err)
{
	struct sim sim = { 0 };
	int status = again_load(again, err);
	if (!status)
		status = again_run(again, &sim, 0, err);
	sim_release(&sim);
	return status;
}

static int verify(const struct args *args, struct sl_err *err)
{
	struct again again = { .arena = NULL };
	/* Inputs are named from the bundle. */
	if (chdir(args->word[0]) != 0)
		return sl_fail_sys(err, SL_INPUT, "enter", args->word[0]);
	int status = again_open(&again, "run", args->registry, err);
	if (!status)
		status = again_check(&again, err);
	if (!status)
		printf("the same: %016llx\n",
			(unsigned long long)again.snapshot.stretch[again.snapshot.stretch_count - 1].digest);
	again_close(&again);
	return status;
}

static int bundle_command(const struct args *args, struct sl_err *err)
{
	if (arg_flag(args, "verify"))
		return verify(args, err);
	struct bundle bundle = { .arena = args->arena, .out = arg(args, "output") };
	struct again again = { .arena = NULL };
	if (!bundle.out)
		return sl_fail(err, SL_USAGE, "bundle: where to? give -o OUT");
	int status = again_open(&again, args->word[0], args->registry, err);
	if (!status)
		status = again_check(&again, err);
	/* Whole or not at all: what is left of one that failed says so by its name. */
	const char *out = bundle.out;
	char unfinished[PATH_LONGEST];
	(void)snprintf(unfinished, sizeof(unfinished), "%s.unfinished", out);
	if (!status && access(out, F_OK) == 0)
		status = sl_fail(err, SL_USAGE, "'%s' is there already: name another folder", out);
	bundle.out = unfinished;
	if (!status && mkdir(unfinished, 0777) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", unfinished);
	if (!status)
		status = make(&bundle, &again, args->word[0], err);
	if (!status && rename(unfinished, out) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", out);
	free(bundle.record);
	again_close(&again);
	if (!status && log_shows(LOG_INFO))
		log_line(LOG_INFO, "%s: 'sh run.sh' in it makes the run again", out);
	return status;
}

const struct command cmd_bundle = {
	.name = "bundle",
	.usage = "bundle DIR -o OUT | bundle --verify OUT",
	.summary = "a run with all that it takes to make it again, in one folder",
	.detail =
		"Makes the run in DIR again first: exit 4 if an input is not what it was, 5 if the run is not. Then OUT has\n"
		"its files, inputs, plug-ins and scripts, and OUT/run.sh makes it again from there, wherever OUT is moved.\n"
		"\n"
		"examples:\n"
		"  schedlab bundle out -o paper-run && tar -cJf paper-run.tar.xz paper-run\n"
		"  schedlab bundle --verify paper-run\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = bundle_command,
};
