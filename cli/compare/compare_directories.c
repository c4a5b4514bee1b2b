/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_directories.c - runs of before, side by side, from what their directories say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"

/* ---- Directories of earlier runs --------------------------------------------------------- */

/* The whole file, closed by a zero. */
static int file_read(const char *path, char **text, struct sl_arena *arena, struct sl_err *err)
{
	enum { FILE_MAX = 256 << 20 };
	struct stat info;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &info) != 0) {
		const int status = sl_fail_sys(err, SL_INPUT, "open", path);
		if (file)
			(void)fclose(file);
		return status;
	}
	const size_t size = (size_t)info.st_size;
	int status = SL_OK;
	*text = size < FILE_MAX ? sl_alloc(arena, size + 1, 1) : NULL;
	if (!*text)
		status = sl_fail_memory(err);
	else if (fread(*text, 1, size, file) != size)
		status = sl_fail_sys(err, SL_INPUT, "read", path);
	(void)fclose(file);
	return status;
}

int json_read(const char *path, cJSON **json, struct sl_arena *arena, struct sl_err *err)
{
	char *text = NULL;
	const int status = file_read(path, &text, arena, err);
	if (status)
		return status;
	const char *end = text;
	*json = cJSON_ParseWithOpts(text, &end, 1);
	if (cJSON_IsObject(*json))
		return SL_OK;
	cJSON_Delete(*json);
	struct sl_place at = { path, 1, 1 };
	for (const char *p = text; p && p < end; p++) {
		at.column = *p == '\n' ? 1 : at.column + 1;
		at.line += *p == '\n';
	}
	return sl_fail_at(err, &at, "not a JSON object: give a directory that 'schedlab run -o' wrote");
}

static int metrics_read(
	struct sl_metrics *metrics, const char *path, const struct args *args, struct sl_err *err)
{
	cJSON *json = NULL;
	int status = json_read(path, &json, args->arena, err);
	if (status)
		return status;
	const struct sl_place at = { path, 0, 0 };
	const cJSON *item;
	cJSON_ArrayForEach(item, json)
	{
		const double value = item->valuedouble;
		if (!cJSON_IsNumber(item) || !(fabs(value) < 9e12))
			status = sl_fail_at(err, &at, "'%s' is not a number of this program's: write it anew",
				item->string);
		else if (metrics_get(metrics, item->string))
			status = sl_fail_at(err, &at, "'%s' is there twice: write it anew", item->string);
		else if (!strchr(item->string, '{') || selected_is(args, item->string))
			sl_metric_put(metrics, item->string, (int64_t)floor(value * 1e6 + 0.5));
		if (status)
			break;
	}
	cJSON_Delete(json);
	return !status && metrics->failed ? sl_fail_memory(err) : status;
}

static const char *json_text(const cJSON *object, const char *key, struct sl_arena *arena)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? sl_strdup(arena, item->valuestring, strlen(item->valuestring)) : NULL;
}

static uint64_t json_count(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 9e15
		       ? (uint64_t)item->valuedouble
		       : 0;
}

/* How many jobs ran over their limits, and how many had none; runs of earlier versions do not say. */
static void talk_limits(const char *label, const cJSON *json)
{
	const cJSON *limits = cJSON_GetObjectItemCaseSensitive(json, "limits");
	const cJSON *rule =
		cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "rules"), "overrun");
	struct limits_told told = {
		.jobs = json_count(cJSON_GetObjectItemCaseSensitive(json, "jobs"), "replayed"),
		.over = json_count(limits, "exceeded"),
		.none = json_count(limits, "none"),
	};
	char text[400];
	if (!limits || !cJSON_IsString(rule))
		return;
	while (told.overrun + 1 < SL_OVERRUN_COUNT &&
		strcmp(rule->valuestring, overrun_names[told.overrun]) != 0)
		told.overrun++;
	limits_text(&told, text, sizeof(text));
	log_line(LOG_INFO, "%s: %s", label, text);
}

/* What run.json says of a row: the policy as it was given, the cluster, the input. */
static int about_read(struct compared_row *row, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	cJSON *json = NULL;
	const int status = json_read(path, &json, arena, err);
	if (status)
		return status;
	const char *policy = json_text(cJSON_GetObjectItemCaseSensitive(json, "policy"), "text", arena);
	const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(json, "inputs");
	const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(json, "cluster");
	const cJSON *cpus = cJSON_GetObjectItemCaseSensitive(cluster, "cpus");
	if (policy)
		row->label = row->policy = policy;
	row->input = json_text(cJSON_GetArrayItem(inputs, 0), "sha256", arena);
	row->partial = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "partial"));
	talk_limits(row->label, json);
	const char *text = cJSON_IsNumber(cpus) ? text_made(arena, "%.0f", cpus->valuedouble) : NULL;
	const char *from = json_text(cluster, "from", arena);
	const bool nodes = cJSON_GetObjectItemCaseSensitive(cluster, "nodes") != NULL;
	row->cluster = nodes && from ? from : text ? text : "";
	cJSON_Delete(json);
	return SL_OK;
}

/* ---- Where they part --------------------------------------------------------------------------- */

static char *file_of(const char *folder, const char *name, struct sl_arena *arena)
{
	return text_made(arena, "%s/%s", folder, name);
}

/* Two runs of one policy go by their folders. */
static const char *label_of(const struct comparison *all, size_t i, size_t other)
{
	return strcmp(all->row[i].label, all->row[other].label) == 0 ? all->args->word[i] : all->row[i].label;
}

/* What no run says is taken from what their files say; if they do not either, only why is told. */
static int part_by_files(
	struct compared_parting *parting, const struct comparison *all, size_t i, struct sl_err *err)
{
	struct sl_arena *arena = all->args->arena;
	struct sl_err unreadable = { 0 };
	const char *const label[2] = { label_of(all, 0, i), label_of(all, i, 0) };
	const char *const file[2] = { file_of(all->args->word[0], "jobs.csv", arena),
		file_of(all->args->word[i], "jobs.csv", arena) };
	parting->why = sl_strdup(arena, err->text, strlen(err->text));
	if (!file[0] || !file[1] || !parting->why)
		return sl_fail_memory(err);
	*err = (struct sl_err){ 0 };
	parting->known = first_difference_files(&parting->is, file, label, arena, &unreadable) == SL_OK;
	return SL_OK;
}

static bool is_of_system(int status) { return status == SL_SYSTEM || status == SL_INTERRUPTED; }

static int part(struct compared_parting *parting, const struct comparison *all, size_t i, struct again *first,
	struct sl_err *err)
{
	struct again again;
	const char *const label[2] = { label_of(all, 0, i), label_of(all, i, 0) };
	int status = again_open(&again, all->args->word[i], all->args->registry, err);
	if (!status)
		status = again_load(&again, err);
	if (!status)
		status = first_difference(&parting->is, first, &again, label, all->args->arena, err);
	parting->known = status == SL_OK;
	if (status && !is_of_system(status))
		status = part_by_files(parting, all, i, err);
	again_close(&again);
	return status;
}

static int part_all(struct comparison *all, struct sl_err *err)
{
	struct compared_parting *parting = sl_alloc(all->args->arena, all->count + 1, sizeof(*parting));
	struct again first;
	if (!parting)
		return sl_fail_memory(err);
	int status = again_open(&first, all->args->word[0], all->args->registry, err);
	if (!status)
		status = again_load(&first, err);
	const struct sl_err why = *err;
	const bool loaded = status == SL_OK;
	if (!is_of_system(status))
		status = SL_OK;
	for (size_t i = 1; i < all->count && !status; i++) {
		*err = why;
		status = loaded ? part(&parting[i], all, i, &first, err)
				: part_by_files(&parting[i], all, i, err);
	}
	again_close(&first);
	all->parting = parting;
	return status;
}

/* As runs made now are compared, from the files of those of before: whole ones, of one input, whose jobs.csv
 * is there. */
static int differences_read(struct comparison *all, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < all->count; i++) {
		const char *input = all->row[i].input;
		if (all->row[i].partial || !input || !all->row[0].input ||
			strcmp(input, all->row[0].input) != 0)
			return SL_OK;
	}
	all->differences = differences_new(all->args->arena);
	if (!all->differences)
		return sl_fail_memory(err);
	status = samples_follow(
		all->differences, (const char *const *)all->args->word, all->count, all->args->arena, err);
	for (size_t i = 0; i < all->count && !status; i++) {
		struct sl_err unreadable = { 0 };
		const char *path = file_of(all->args->word[i], "jobs.csv", all->args->arena);
		status = path ? differences_take_file(
					all->differences, path, &all->row[i].metrics, &unreadable)
			      : sl_fail_memory(&unreadable);
		if (!status)
			continue;
		if (is_of_system(status))
			return sl_fail(err, status, "%s", unreadable.text);
		differences_free(all->differences); /* Of other files: the metrics are what there is. */
		all->differences = NULL;
		return SL_OK;
	}
	return status ? status : differences_finish(all->differences, err);
}

int compare_directories(struct comparison *all, struct sl_err *err)
{
	const struct args *args = all->args;
	all->count = args->word_count;
	all->column = selected_columns(args, err); /* What metrics.json has of them. */
	if (!all->column)
		return err->status;
	all->row = sl_alloc(args->arena, all->count, sizeof(*all->row));
	if (!all->row)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++) {
		struct compared_row *row = &all->row[i];
		const char *name = args->word[i];
		const char *about = file_of(name, "run.json", args->arena);
		const char *metrics = file_of(name, "metrics.json", args->arena);
		if (!about || !metrics)
			return sl_fail_memory(err);
		row->label = row->policy = name;
		metrics_init(&row->metrics, args->arena, NULL);
		int status = about_read(row, about, args->arena, err);
		if (!status)
			status = metrics_read(&row->metrics, metrics, args, err);
		if (status)
			return status;
		if (i && row->input && all->row[0].input && strcmp(row->input, all->row[0].input) != 0)
			talk("'%s' is a run of another input than '%s'", name, args->word[0]);
	}
	int status = all->count > 1 ? part_all(all, err) : SL_OK;
	if (!status && all->count > 1)
		status = differences_read(all, err);
	if (!status)
		status = compare_tell(all, err);
	return status ? status : compare_show(all, err);
}
