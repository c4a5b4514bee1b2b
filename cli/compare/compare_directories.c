/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_directories.c - runs of before, side by side, from what their directories say.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"
#include "sim/base/doc.h"

/* ---- Directories of earlier runs --------------------------------------------------------- */

int json_read(const char *path, struct sl_doc *doc, struct sl_err *err)
{
	enum { RECORD_MAX = 256 << 20 };
	const int status = doc_read_record(doc, path, RECORD_MAX, "is larger than a run writes", err);
	if (status || doc->node->kind == SL_DOC_MAP)
		return status;
	const struct sl_place at = sl_doc_place(doc, doc->node);
	return sl_fail_at(err, &at, "not a JSON object: give a directory that 'schedlab run -o' wrote");
}

static int metrics_read(
	struct sl_metrics *metrics, const char *path, const struct args *args, struct sl_err *err)
{
	struct sl_doc doc;
	int status = json_read(path, &doc, err);
	const struct sl_place at = { path, 0, 0 };
	SL_DOC_EACH (item, &doc, status ? NULL : doc.node) {
		const char *name = sl_doc_key_of(&doc, item);
		const char *text = item->quoted ? NULL : sl_doc_word(&doc, item);
		int64_t micro;
		if (!text || !sl_get_micro(text, strlen(text), &micro))
			status = sl_fail_at(
				err, &at, "'%s' is not a number of this program's: write it anew", name);
		else if (metrics_get(metrics, name))
			status = sl_fail_at(err, &at, "'%s' is there twice: write it anew", name);
		else if (!strchr(name, '{') || selected_is(args, name))
			sl_metric_put(metrics, name, micro);
		if (status)
			break;
	}
	sl_doc_release(&doc);
	return !status && metrics->failed ? sl_fail_memory(err) : status;
}

static const char *compare_directories_text_at(
	const struct sl_doc *doc, const char *path, struct sl_arena *arena)
{
	const char *text = sl_doc_string(doc, sl_doc_at(doc, doc->node, path));
	return text ? sl_strdup(arena, text, strlen(text)) : NULL;
}

static uint64_t count_at(const struct sl_doc *doc, const char *path)
{
	double value;
	const bool is = sl_doc_number(doc, sl_doc_at(doc, doc->node, path), &value);
	return is && value > 0 && value < 9e15 ? (uint64_t)value : 0;
}

/* How many jobs ran over their limits, and how many had none; runs of earlier versions do not say. */
static void talk_limits(const char *label, const struct sl_doc *json)
{
	const char *rule = sl_doc_string(json, sl_doc_at(json, json->node, "rules.overrun"));
	struct limits_reported reported = {
		.jobs = count_at(json, "jobs.replayed"),
		.over = count_at(json, "limits.exceeded"),
		.none = count_at(json, "limits.none"),
	};
	char text[400];
	if (!sl_doc_at(json, json->node, "limits") || !rule)
		return;
	while (reported.overrun + 1 < SL_OVERRUN_COUNT && strcmp(rule, overrun_names[reported.overrun]) != 0)
		reported.overrun++;
	limits_text(&reported, text, sizeof(text));
	log_line(LOG_INFO, "%s: %s", label, text);
}

/* What run.json says of a row: the policy as it was given, the cluster, the input. */
static int about_read(struct compared_row *row, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc json;
	const int status = json_read(path, &json, err);
	if (status) {
		sl_doc_release(&json);
		return status;
	}
	const char *policy = compare_directories_text_at(&json, "policy.text", arena);
	const char *from = compare_directories_text_at(&json, "cluster.from", arena);
	const struct sl_doc_node *inputs = sl_doc_at(&json, json.node, "inputs");
	const char *input = sl_doc_string(
		&json, inputs ? sl_doc_member(&json, sl_doc_child(&json, inputs), "sha256") : NULL);
	double cpus;
	if (policy)
		row->label = row->policy = policy;
	row->input = input ? sl_strdup(arena, input, strlen(input)) : NULL;
	row->partial = sl_doc_is(&json, sl_doc_at(&json, json.node, "partial"), "true");
	talk_limits(row->label, &json);
	const char *text = sl_doc_number(&json, sl_doc_at(&json, json.node, "cluster.cpus"), &cpus)
				   ? text_made(arena, "%.0f", cpus)
				   : NULL;
	row->cluster = sl_doc_at(&json, json.node, "cluster.nodes") && from ? from : text ? text : "";
	sl_doc_release(&json);
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

/* What no run says is read from their files; if they do not either, only why is reported. */
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

static int compare_directories_part(struct compared_parting *parting, const struct comparison *all, size_t i,
	struct rerun *first, struct sl_err *err)
{
	struct rerun rerun;
	const char *const label[2] = { label_of(all, 0, i), label_of(all, i, 0) };
	int status = rerun_open(&rerun, all->args->word[i], all->args->registry, err);
	if (!status)
		status = rerun_load(&rerun, err);
	if (!status)
		status = first_difference(&parting->is, first, &rerun, label, all->args->arena, err);
	parting->known = status == SL_OK;
	if (status && !is_of_system(status))
		status = part_by_files(parting, all, i, err);
	rerun_close(&rerun);
	return status;
}

static int part_all(struct comparison *all, struct sl_err *err)
{
	struct compared_parting *parting = sl_alloc(all->args->arena, all->count + 1, sizeof(*parting));
	struct rerun first;
	if (!parting)
		return sl_fail_memory(err);
	int status = rerun_open(&first, all->args->word[0], all->args->registry, err);
	if (!status)
		status = rerun_load(&first, err);
	const struct sl_err why = *err;
	const bool loaded = status == SL_OK;
	if (!is_of_system(status))
		status = SL_OK;
	for (size_t i = 1; i < all->count && !status; i++) {
		*err = why;
		status = loaded ? compare_directories_part(&parting[i], all, i, &first, err)
				: part_by_files(&parting[i], all, i, err);
	}
	rerun_close(&first);
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
		status = compare_report(all, err);
	return status ? status : compare_show(all, err);
}
