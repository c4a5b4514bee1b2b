/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_inputs.c - what a study's file names, copied into the study's folder.
 *
 * Traces, clusters, and whatever a policy or a setting names that is a file ("lua:script=mine.lua"): its copy
 * is inputs/NAME, and the word says so from then on. A name that is taken gets a number before it. A cluster
 * may be a folder, and is copied with all that is in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bundle/bundle.h"
#include "cli/study/study.h"

enum { PATH_LONGEST = 4096, COPIES_MAX = 10000 };

struct copy {
	const char *from, *to; /* to: from the study's folder. */
};

struct copies {
	struct copy *copy;
	size_t count;
	const char *dir;
	struct sl_arena *arena;
};

static bool is_of_kind(const char *path, bool folder)
{
	struct stat is;
	return *path && stat(path, &is) == 0 && (folder ? S_ISDIR(is.st_mode) : S_ISREG(is.st_mode));
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

static bool is_taken(const struct copies *copies, const char *to)
{
	for (size_t i = 0; i < copies->count; i++)
		if (strcmp(copies->copy[i].to, to) == 0)
			return true;
	return false;
}

static int folder_copy(const struct copies *copies, const char *from, const char *to, struct sl_err *err)
{
	struct bundle_files files = { 0 };
	char path[PATH_LONGEST];
	int status = bundle_files_of(&files, from, err);
	for (size_t i = 0; i < files.count && !status; i++) {
		char below[2 * PATH_LONGEST];
		(void)snprintf(path, sizeof(path), "%s/%s/%s", copies->dir, to, files.file[i].path);
		(void)snprintf(below, sizeof(below), "%s/%s", from, files.file[i].path);
		status = folders_make(path, strlen(copies->dir) + 1, "make", err);
		if (!status)
			status = bundle_copy(below, path, err);
	}
	bundle_files_release(&files);
	return status;
}

/* Where the copy is; NULL: err says why there is none. */
static const char *copy_of(struct copies *copies, const char *from, struct sl_err *err)
{
	char path[PATH_LONGEST];
	for (size_t i = 0; i < copies->count; i++)
		if (strcmp(copies->copy[i].from, from) == 0)
			return copies->copy[i].to;
	if (strpbrk(base_of(from), "\\\n")) {
		(void)sl_fail(err, SL_INPUT,
			"'%s': lists of sums have no names with a backslash or a line's end: give the file another",
			from);
		return NULL;
	}
	const char *to = text_made(copies->arena, STUDY_INPUTS "/%s", base_of(from));
	for (size_t number = 2; to && is_taken(copies, to); number++)
		to = text_made(copies->arena, STUDY_INPUTS "/%zu-%s", number, base_of(from));
	if (!to || copies->count == COPIES_MAX) {
		(void)sl_fail(err, to ? SL_INPUT : SL_SYSTEM, "a study of more than %d files, or no memory",
			COPIES_MAX);
		return NULL;
	}
	(void)snprintf(path, sizeof(path), "%s/%s", copies->dir, to);
	int status = folders_make(path, strlen(copies->dir) + 1, "make", err);
	if (!status)
		status = is_of_kind(from, true) ? folder_copy(copies, from, to, err)
						: bundle_copy(from, path, err);
	copies->copy[copies->count++] = (struct copy){ from, to };
	return status ? NULL : to;
}

/* "lua:script=mine.lua" with "inputs/mine.lua". NULL: err says why. */
static const char *words_copied(struct copies *copies, const char *text, struct sl_err *err)
{
	const char *made = "";
	for (const char *at = text; *at && made;) {
		const size_t width = strcspn(at, "=,;:\"");
		const size_t apart = strspn(at + width, "=,;:\"");
		const char *word = sl_strdup(copies->arena, at, width);
		const bool named =
			word && (strchr(word, '/') || strchr(word, '.')) && is_of_kind(word, false);
		if (named) {
			word = copy_of(copies, word, err);
			if (!word)
				return NULL;
		}
		made = word ? text_made(copies->arena, "%s%s%.*s", made, word, (int)apart, at + width) : NULL;
		at += width + apart;
	}
	if (!made)
		(void)sl_fail_memory(err);
	return made;
}

/* Rules have the values of factors themselves. */
static void rules_follow(struct sweep_rule *rule, size_t count, const char *was, const char *is)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < rule[i].count; k++)
			if (rule[i].value[k] == was)
				rule[i].value[k] = is;
}

int study_take_inputs(struct study *study, const char *dir, struct sl_err *err)
{
	struct sweep_spec *spec = &study->sweep.spec;
	struct copies copies = { .dir = dir, .arena = study->arena };
	copies.copy = sl_alloc(study->arena, COPIES_MAX, sizeof(*copies.copy));
	if (!copies.copy)
		return sl_fail_memory(err);
	for (size_t i = 0; i < spec->trace_count; i++) {
		struct sweep_trace *trace = &spec->trace[i];
		trace->file = trace->file ? copy_of(&copies, trace->file, err) : NULL;
		if (!trace->file && !trace->generate)
			return err->status;
	}
	for (size_t f = 0; f < spec->factor_count; f++) {
		struct factor *factor = &spec->factor[f];
		if (f == spec->trace_at || f == spec->seed_at)
			continue;
		const char **value = sl_alloc(study->arena, factor->count, sizeof(*value));
		if (!value)
			return sl_fail_memory(err);
		for (size_t v = 0; v < factor->count; v++) {
			const char *was = factor->value[v];
			const bool folder = f == spec->cluster_at && is_of_kind(was, true);
			value[v] = folder ? copy_of(&copies, was, err) : words_copied(&copies, was, err);
			if (!value[v])
				return err->status;
			rules_follow(spec->exclude, spec->exclude_count, was, value[v]);
			rules_follow(spec->include, spec->include_count, was, value[v]);
		}
		factor->value = value;
	}
	return SL_OK;
}

/* ---- The spec -------------------------------------------------------------------------------------- */

static void put_rules(struct json *json, const char *key, const struct sweep_rule *rule, size_t count)
{
	if (!count)
		return;
	json_nest(json, key, '[', &json_tight);
	for (size_t i = 0; i < count; i++) {
		json_nest(json, NULL, '{', &json_one_line);
		for (size_t k = 0; k < rule[i].count; k++)
			json_put(json, datum_text(rule[i].factor[k], rule[i].value[k]));
		json_close(json);
	}
	json_close(json);
}

static void put_traces(struct json *json, const struct sweep_spec *spec)
{
	json_nest(json, "traces", '[', &json_tight);
	for (size_t i = 0; i < spec->trace_count; i++) {
		const struct sweep_trace *trace = &spec->trace[i];
		json_object(json, NULL, datum_given("file", trace->file),
			datum_given("generate", trace->generate), datum_text("name", trace->name));
	}
	json_close(json);
}

int study_write_spec(const struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	struct sl_out *out;
	struct json json;
	const int status = sl_out_open(&out, STUDY_SPEC, err);
	if (status)
		return status;
	json_start_in(&json, out, &json_open_lines);
	json_put(&json, datum_given("name", spec->name), datum_given("purpose", spec->purpose));
	put_traces(&json, spec);
	for (size_t f = 0; f < spec->factor_count; f++) {
		const struct factor *factor = &spec->factor[f];
		const char *key = f == spec->cluster_at  ? "clusters"
				  : f == spec->policy_at ? "policies"
							 : "seeds";
		if (f == spec->cluster_at || f == spec->policy_at || f == spec->seed_at)
			json_texts(&json, key, factor->value, factor->count);
	}
	json_nest(&json, "settings", '{', &json_one_line);
	for (size_t f = 0; f < spec->factor_count; f++)
		if (f != spec->trace_at && f != spec->cluster_at && f != spec->policy_at &&
			f != spec->seed_at)
			json_texts(&json, spec->factor[f].name, spec->factor[f].value, spec->factor[f].count);
	json_close(&json);
	put_rules(&json, "exclude", spec->exclude, spec->exclude_count);
	put_rules(&json, "include", spec->include, spec->include_count);
	if (spec->metric_count)
		json_texts(&json, "metrics", spec->metric, spec->metric_count);
	if (spec->table_count)
		json_texts(&json, "table", spec->table, spec->table_count);
	json_put(&json, datum_given("jobs", spec->jobs), datum_given("from", spec->from),
		datum_given("to", spec->to), datum_given("tz", spec->tz));
	return json_finish(&json, SL_OK, err);
}
