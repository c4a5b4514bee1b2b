/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_dir.c - a sweep's directory.
 *
 *   sweep.json   what it is: the hashes of its spec and plan, and where its paths are from
 *   spec         a copy of the spec
 *   plan.jsonl   its points
 *   points/      what came of each
 *   claims/      who does which
 *   traces/      those that were generated
 *
 * Many processes may begin it at the same time: all of them write the same, each file whole, sweep.json last.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/dry_run.h"
#include "cli/run/outdir.h"
#include "cli/sweep/sweep.h"

/* What sweep.json says. */
struct begun {
	char plan[65], spec[65];
	const char *folder;
};

static const char *sweep_dir_text_of(
	const struct sl_doc *doc, const char *key, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_doc_node *node = sl_doc_member(doc, &doc->node[0], key);
	if (!node || node->kind != SL_DOC_TEXT) {
		(void)sl_fail(
			err, SL_USAGE, "%s: '%s' is missing: this is no sweep's directory", doc->file, key);
		return NULL;
	}
	const char *text = sl_strdup(arena, doc->text + node->text, strlen(doc->text + node->text));
	if (!text)
		(void)sl_fail_memory(err);
	return text;
}

static int begun_read(const char *dir, struct begun *begun, struct sl_arena *arena, struct sl_err *err)
{
	char path[PATH_MAX];
	struct sl_input *in;
	const char *text;
	const char *end;
	(void)snprintf(path, sizeof(path), "%s/sweep.json", dir);
	struct sl_doc doc = { .file = path };
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = sl_doc_read_json(&doc, text, (size_t)(end - text), err);
	if (!status) {
		const char *plan = sweep_dir_text_of(&doc, "plan", arena, err);
		const char *spec = plan ? sweep_dir_text_of(&doc, "spec_sha256", arena, err) : NULL;
		begun->folder = spec ? sweep_dir_text_of(&doc, "folder", arena, err) : NULL;
		if (begun->folder) {
			(void)snprintf(begun->plan, sizeof(begun->plan), "%s", plan);
			(void)snprintf(begun->spec, sizeof(begun->spec), "%s", spec);
		}
		status = err->status;
	}
	sl_doc_release(&doc);
	sl_input_close(in);
	return status;
}

/* ---- What the line names --------------------------------------------------------------------------------
 */

static const char *absolute(struct sl_arena *arena, const char *path)
{
	char here[PATH_MAX];
	char text[2 * PATH_MAX];
	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		return sl_strdup(arena, path, strlen(path));
	(void)snprintf(text, sizeof(text), "%s/%s", here, path);
	return sl_strdup(arena, text, strlen(text));
}

static bool is_folder(const char *path)
{
	struct stat is;
	return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static int find_dir(struct sweep *sweep, const char *word, struct sl_err *err)
{
	struct begun begun;
	char path[2 * PATH_MAX];
	if (arg(sweep->args, "output"))
		return sl_fail(err, SL_USAGE,
			"'%s' is a directory: name it, or a spec and the directory with -o, not both", word);
	(void)snprintf(path, sizeof(path), "%s/sweep.json", word);
	if (access(path, F_OK) != 0)
		return sl_fail(err, SL_USAGE, "'%s' is no sweep's directory: schedlab sweep run SPEC -o %s",
			word, word);
	const int status = begun_read(word, &begun, sweep->arena, err);
	if (status)
		return status;
	sweep->dir = absolute(sweep->arena, word);
	sweep->dir_name = word;
	sweep->folder = begun.folder;
	(void)snprintf(path, sizeof(path), "%s/spec", word);
	sweep->spec_name = sl_strdup(sweep->arena, path, strlen(path));
	sweep->spec_path = sweep->spec_name ? absolute(sweep->arena, path) : NULL;
	return sweep->dir && sweep->spec_path ? SL_OK : sl_fail_memory(err);
}

int sweep_find(struct sweep *sweep, const char *word, struct sl_err *err)
{
	if (is_folder(word))
		return find_dir(sweep, word, err);
	const char *dir = arg(sweep->args, "output");
	sweep->dir = dir ? absolute(sweep->arena, dir) : NULL;
	sweep->dir_name = dir;
	sweep->spec_path = absolute(sweep->arena, word);
	sweep->spec_name = word;
	if ((dir && !sweep->dir) || !sweep->spec_path)
		return sl_fail_memory(err);
	char *folder = sl_strdup(sweep->arena, sweep->spec_path, strlen(sweep->spec_path));
	if (!folder)
		return sl_fail_memory(err);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	sweep->folder = folder;
	return SL_OK;
}

/* ---- Begun ------------------------------------------------------------------------------------------------
 */

/* What a sweep is: its points, in order. */
static int plan_hash(const struct sweep *sweep, char hex[65], struct sl_err *err)
{
	char *all = sl_alloc(sweep->arena, sweep->count * POINT_ID + 1, 1);
	if (!all)
		return sl_fail_memory(err);
	for (size_t i = 0; i < sweep->count; i++)
		memcpy(all + i * POINT_ID, sweep->point[i].id, POINT_ID);
	return identity_hash(all, hex, err);
}

static int spec_text(const struct sweep *sweep, const char **text, struct sl_err *err)
{
	struct sl_input *in;
	const char *from;
	const char *end;
	int status = sl_input_open(&in, sweep->spec_path, err);
	if (status)
		return status;
	status = sl_input_all(in, &from, &end, err);
	*text = status ? NULL : sl_strdup(sweep->arena, from, (size_t)(end - from));
	sl_input_close(in);
	return status || *text ? status : sl_fail_memory(err);
}

static int folder_make(const char *dir, const char *below, struct sl_err *err)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s%s%s", dir, *below ? "/" : "", below);
	return mkdir(path, 0777) == 0 || errno == EEXIST ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", path);
}

static const char *const parts[] = { "points", "claims", "traces" };

/* Nothing, or what somebody else has begun just now. */
static bool is_free(const char *dir)
{
	DIR *open = opendir(dir);
	bool all = true;
	if (!open)
		return errno == ENOENT;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's. */
	for (const struct dirent *entry; all && (entry = readdir(open));) {
		all = entry->d_name[0] == '.' || strcmp(entry->d_name, "spec") == 0 ||
		      strcmp(entry->d_name, "plan.jsonl") == 0 || strcmp(entry->d_name, "sweep.json") == 0;
		for (size_t i = 0; i < SL_LEN(parts) && !all; i++)
			all = strcmp(entry->d_name, parts[i]) == 0;
	}
	(void)closedir(open);
	return all;
}

static int file_open(const struct sweep *sweep, const char *name, struct sl_out **out, struct sl_err *err)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/%s", sweep->dir, name);
	return sl_out_open(out, path, err);
}

static int write_plan(const struct sweep *sweep, const char *spec, struct sl_err *err)
{
	struct sl_out *out;
	int status = file_open(sweep, "spec", &out, err);
	if (status)
		return status;
	sl_out_text(out, spec);
	status = sl_out_commit(out, err);
	if (!status)
		status = file_open(sweep, "plan.jsonl", &out, err);
	if (status)
		return status;
	points_json(sweep, out);
	return sl_out_commit(out, err);
}

static int write_sweep(const struct sweep *sweep, const struct begun *begun, struct sl_err *err)
{
	struct sl_out *out;
	const int status = file_open(sweep, "sweep.json", &out, err);
	if (status)
		return status;
	struct json json;
	json_start_in(&json, out, &json_open_lines);
	json_put(&json, datum_text("schema", SWEEP_SCHEMA), datum_text("version", SL_VERSION),
		datum_text("folder", sweep->folder), datum_text("spec_sha256", begun->spec),
		datum_text("plan", begun->plan), datum_count("points", sweep->count));
	json_nest(&json, "factors", '[', &json_tight);
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		json_put(&json, datum_text(NULL, sweep->spec.factor[f].name));
	return json_finish(&json, SL_OK, err);
}

static int sweep_dir_begin(
	const struct sweep *sweep, const struct begun *begun, const char *spec, struct sl_err *err)
{
	int status = folder_make(sweep->dir, "", err);
	for (size_t i = 0; i < SL_LEN(parts) && !status; i++)
		status = folder_make(sweep->dir, parts[i], err);
	if (!status)
		status = write_plan(sweep, spec, err);
	return status ? status : write_sweep(sweep, begun, err);
}

/* --dry-run: could it begin? */
static int begin_or_try(struct sweep *sweep, const struct begun *begun, const char *spec, struct sl_err *err)
{
	if (!arg_flag(sweep->args, "dry-run"))
		return sweep_dir_begin(sweep, begun, spec, err);
	return access(sweep->dir, W_OK) == 0 ? SL_OK : dry_file_check(sweep->dir, err);
}

int sweep_open(struct sweep *sweep, bool force, struct sl_err *err)
{
	char path[PATH_MAX];
	const char *spec;
	struct begun is = { .plan = "" };
	struct begun was = { .plan = "" };
	int status = plan_hash(sweep, is.plan, err);
	if (!status)
		status = spec_text(sweep, &spec, err);
	if (!status)
		status = identity_hash(spec, is.spec, err);
	if (status)
		return status;
	(void)snprintf(path, sizeof(path), "%s/sweep.json", sweep->dir);
	if (access(path, F_OK) != 0) {
		if (!is_free(sweep->dir))
			return sl_fail(err, SL_USAGE,
				"'%s' holds something that is no sweep: name another directory",
				sweep->dir_name);
		return begin_or_try(sweep, &is, spec, err);
	}
	status = begun_read(sweep->dir, &was, sweep->arena, err);
	if (status || strcmp(was.plan, is.plan) == 0)
		return status;
	if (force)
		return begin_or_try(sweep, &is, spec, err);
	if (strcmp(was.spec, is.spec) != 0)
		return sl_fail(err, SL_USAGE,
			"'%s' was begun by another spec: take another directory, or with --force keep the points "
			"that both have",
			sweep->dir_name);
	return sl_fail(err, SL_BASELINE,
		"'%s' was begun with other inputs, or by another version of schedlab: nothing is mixed. Take another "
		"directory, or with --force keep the points that are as they were",
		sweep->dir_name);
}

int sweep_recall(struct sweep *sweep, struct sl_err *err)
{
	static const char key[] = "\"id\": \"";
	char path[PATH_MAX];
	char *line = NULL;
	size_t capacity = 0;
	size_t count = 0;
	int status = sweep_points(sweep, err);
	if (status)
		return status;
	(void)snprintf(path, sizeof(path), "%s/plan.jsonl", sweep->dir);
	FILE *file = fopen(path, "r");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	while (getline(&line, &capacity, file) > 0 && count < sweep->count) {
		const char *at = strstr(line, key);
		if (at && strlen(at) > sizeof(key) + POINT_ID)
			memcpy(sweep->point[count++].id, at + sizeof(key) - 1, POINT_ID);
	}
	free(line);
	(void)fclose(file);
	if (count != sweep->count)
		return sl_fail(err, SL_INPUT, "%s: it has %zu points, its spec %zu: was one of them changed?",
			path, count, sweep->count);
	return SL_OK;
}
