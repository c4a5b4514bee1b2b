/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_points.c - what is done of a study, kept while it is made: a study that was killed goes on.
 *
 * A point is a panel's comparison ("runs"), one seed of it, or what came of all seeds; its file is
 * points/ID.json in the folder that is being made, written whole. ID is the hash of all that decides it: the
 * ids of the sweep's points that it is of (hashes of inputs, settings, policy, seed, version), the panel, the
 * table, and how samples are cut. A file that cannot be read is one that is not there: the point is done
 * again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/selector.h"
#include "cli/run/outdir.h"
#include "cli/study/study.h"

/* ---- Which -------------------------------------------------------------------------------------------- */

/* seed: SIZE_MAX: of all. */
static int point_path(const struct study *study, const struct study_panel *panel, const char *kind,
	size_t seed, char path[160], struct sl_err *err)
{
	const struct sweep *sweep = &study->sweep;
	const char *blocks = arg(study->args, "blocks");
	char *all = NULL;
	char hex[65];
	size_t len;
	FILE *text = open_memstream(&all, &len);
	if (!text)
		return sl_fail_memory(err);
	(void)fprintf(
		text, STUDY_POINT_SCHEMA "\n%s %s\nblocks=%s\n", kind, panel->name, blocks ? blocks : "");
	for (size_t m = 0; m < study->metrics; m++)
		(void)fprintf(text, "table=%s\n", study->metric[m].name);
	for (size_t i = 0; i < panel->policies; i++)
		(void)fprintf(text, "policy=%s\n", panel->policy[i]);
	for (size_t i = 0; i < sweep->count; i++)
		if (study_is_of_panel(study, &panel->point, &sweep->point[i]) &&
			(seed == SIZE_MAX || sweep->point[i].value[sweep->spec.seed_at] == seed))
			(void)fprintf(text, "%s\n", sweep->point[i].id);
	int status = fclose(text) == 0 ? SL_OK : sl_fail_memory(err);
	if (!status)
		status = identity_hash(all, hex, err);
	if (!status)
		(void)snprintf(path, 160, STUDY_POINTS "/%s.json", hex);
	free(all);
	return status;
}

/* ---- Kept ---------------------------------------------------------------------------------------------- */

static void put_cells(struct json *json, const struct study *study, const struct study_row *row)
{
	json_nest(json, "cells", '[', &json_tight);
	for (size_t m = 0; m < study->metrics; m++) {
		const struct study_cell *cell = &row->cell[m];
		json_object(json, NULL, datum_flag("has", cell->has), datum_micro("value", cell->micro),
			datum_flag("best", cell->best), datum_flag("compared", cell->compared),
			datum_micro("difference", cell->difference), datum_micro("low", cell->low),
			datum_micro("high", cell->high), datum_whole("sure", cell->sure));
	}
	json_close(json);
}

static void put_waits(struct json *json, const struct study_row *row)
{
	json_nest(json, "waits", '[', &json_tight);
	for (size_t i = 0; i < row->waits; i++)
		json_object(json, NULL, datum_text("size", row->wait[i].size),
			datum_text("run", row->wait[i].run), datum_micro("jobs", row->wait[i].jobs),
			datum_micro("wait", row->wait[i].wait));
	json_close(json);
}

static void put_counts(struct json *json, const struct study_counts *counts)
{
	json_object(json, "counts", datum_count("rows", counts->rows),
		datum_count("replayed", counts->replayed), datum_count("dropped", counts->dropped),
		datum_count("repaired", counts->repaired), datum_count("left_out", counts->left_out),
		datum_count("over", counts->over), datum_count("none", counts->none),
		datum_count("raised", counts->raised), datum_count("estimates", counts->estimates),
		datum_text("why_dropped", counts->why_dropped),
		datum_text("why_repaired", counts->why_repaired));
}

/* What a seed is compared by: metrics without labels, and those that were asked for. */
static void put_sample(struct json *json, const struct args *args, const struct sl_metrics *metrics)
{
	json_nest(json, "metrics", '{', &json_tight);
	for (size_t i = 0; i < metrics->count; i++)
		if (!strchr(metrics->row[i].name, '{') || selected_is(args, metrics->row[i].name))
			json_put(json, datum_micro(metrics->row[i].name, metrics->row[i].micro));
	json_close(json);
}

static int point_open(
	struct json *json, const char *path, const char *what, const char *panel, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	json_start_in(json, out, &json_open_lines);
	json_put(json, datum_text("schema", STUDY_POINT_SCHEMA), datum_text("version", SL_VERSION),
		datum_text("what", what), datum_text("panel", panel));
	return SL_OK;
}

int study_keep_panel(const struct study *study, const struct study_panel *panel, const char *kind,
	const struct comparison *first, struct sl_err *err)
{
	struct json json;
	char path[160];
	uint32_t apart = 0;
	int status = point_path(study, panel, kind, first ? 0 : SIZE_MAX, path, err);
	if (!status)
		status = point_open(&json, path, kind, panel->name, err);
	if (status)
		return status;
	json_put(&json, datum_count("samples", panel->samples), datum_given("apart", panel->apart));
	put_counts(&json, &panel->counts);
	if (first)
		json_put(&json, datum_count("common", differences_common(first->differences, &apart)),
			datum_flag("other_jobs", apart > 0));
	json_nest(&json, "rows", '[', NULL);
	for (size_t r = 0; r < panel->rows; r++) {
		json_nest(&json, NULL, '{', NULL);
		json_put(&json, datum_text("label", panel->row[r].label));
		put_cells(&json, study, &panel->row[r]);
		if (first) {
			json_put(&json, datum_digest("digest", first->row[r].digest));
			put_sample(&json, first->args, &first->row[r].metrics);
			put_waits(&json, &panel->row[r]);
		}
		json_close(&json);
	}
	json_close(&json);
	return json_finish(&json, SL_OK, err);
}

int study_keep_seed(const struct study *study, const struct study_panel *panel, size_t seed,
	const struct replication *row, size_t rows, const struct args *args, struct sl_err *err)
{
	struct json json;
	char path[160];
	int status = point_path(study, panel, "seed", seed, path, err);
	if (!status)
		status = point_open(&json, path, "seed", panel->name, err);
	if (status)
		return status;
	json_put(&json, datum_count("common", row->compared), datum_flag("other_jobs", row->apart));
	json_nest(&json, "rows", '[', NULL);
	for (size_t r = 0; r < rows; r++) {
		json_nest(&json, NULL, '{', NULL);
		json_put(&json, datum_digest("digest", row[r].digest));
		put_sample(&json, args, &row[r].metrics);
		json_close(&json);
	}
	json_close(&json);
	return json_finish(&json, SL_OK, err);
}

/* ---- Recalled ------------------------------------------------------------------------------------------ */

/* False: there is none, or none that can be read. */
static bool point_read(struct sl_doc *doc, const char *path)
{
	struct sl_err err = { 0 };
	if (access(path, R_OK) != 0)
		return false;
	const struct sl_doc_node *rows =
		json_read(path, doc, &err) ? NULL : sl_doc_at(doc, doc->node, "rows");
	return rows && rows->kind == SL_DOC_LIST;
}

static bool number_of(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key, int64_t *number)
{
	const char *word = sl_doc_word(doc, sl_doc_member(doc, map, key));
	return word && sl_get_i64(word, strlen(word), number);
}

static bool count_of(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key, uint64_t *count)
{
	int64_t number;
	if (!number_of(doc, map, key, &number) || number < 0)
		return false;
	*count = (uint64_t)number;
	return true;
}

static bool micro_of(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key, int64_t *micro)
{
	const char *word = sl_doc_word(doc, sl_doc_member(doc, map, key));
	return word && sl_get_micro(word, strlen(word), micro);
}

static bool flag_of(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	return sl_doc_is(doc, sl_doc_member(doc, map, key), "true");
}

/* "": it has none. */
static const char *text_of_point(
	const struct study *study, const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	const char *text = sl_doc_string(doc, sl_doc_member(doc, map, key));
	text = text ? text : "";
	return sl_strdup(study->arena, text, strlen(text));
}

static bool cells_recall(const struct study *study, const struct sl_doc *doc, const struct sl_doc_node *list,
	struct study_row *row)
{
	size_t m = 0;
	row->cell = sl_alloc(study->arena, study->metrics, sizeof(*row->cell));
	SL_DOC_EACH (one, doc, list) {
		struct study_cell *cell = row->cell && m < study->metrics ? &row->cell[m++] : NULL;
		int64_t sure;
		if (!cell || !micro_of(doc, one, "value", &cell->micro) ||
			!micro_of(doc, one, "difference", &cell->difference) ||
			!micro_of(doc, one, "low", &cell->low) || !micro_of(doc, one, "high", &cell->high) ||
			!number_of(doc, one, "sure", &sure))
			return false;
		cell->has = flag_of(doc, one, "has");
		cell->best = flag_of(doc, one, "best");
		cell->compared = flag_of(doc, one, "compared");
		cell->sure = (int)sure;
	}
	return m == study->metrics;
}

static bool waits_recall(const struct study *study, const struct sl_doc *doc, const struct sl_doc_node *list,
	struct study_row *row)
{
	row->wait = sl_alloc(study->arena, list ? list->count + (size_t)1 : 1, sizeof(*row->wait));
	if (!row->wait)
		return false;
	SL_DOC_EACH (one, doc, list) {
		struct study_wait *wait = &row->wait[row->waits++];
		wait->size = text_of_point(study, doc, one, "size");
		wait->run = text_of_point(study, doc, one, "run");
		if (!wait->size || !wait->run || !micro_of(doc, one, "jobs", &wait->jobs) ||
			!micro_of(doc, one, "wait", &wait->wait))
			return false;
	}
	return true;
}

static bool counts_recall(const struct study *study, const struct sl_doc *doc, struct study_counts *counts)
{
	const struct sl_doc_node *map = sl_doc_member(doc, doc->node, "counts");
	counts->why_dropped = text_of_point(study, doc, map, "why_dropped");
	counts->why_repaired = text_of_point(study, doc, map, "why_repaired");
	return count_of(doc, map, "rows", &counts->rows) &&
	       count_of(doc, map, "replayed", &counts->replayed) &&
	       count_of(doc, map, "dropped", &counts->dropped) &&
	       count_of(doc, map, "repaired", &counts->repaired) &&
	       count_of(doc, map, "left_out", &counts->left_out) &&
	       count_of(doc, map, "over", &counts->over) && count_of(doc, map, "none", &counts->none) &&
	       count_of(doc, map, "raised", &counts->raised) &&
	       count_of(doc, map, "estimates", &counts->estimates) && counts->why_dropped &&
	       counts->why_repaired;
}

static bool panel_recall(const struct study *study, const struct sl_doc *doc, struct study_panel *panel)
{
	const struct sl_doc_node *rows = sl_doc_member(doc, doc->node, "rows");
	struct study_panel found = *panel;
	uint64_t samples;
	size_t r = 0;
	found.rows = rows->count;
	found.row = sl_alloc(study->arena, rows->count, sizeof(*found.row));
	found.apart =
		sl_doc_member(doc, doc->node, "apart") ? text_of_point(study, doc, doc->node, "apart") : NULL;
	if (!found.row || !count_of(doc, doc->node, "samples", &samples) ||
		!counts_recall(study, doc, &found.counts))
		return false;
	found.samples = samples;
	SL_DOC_EACH (one, doc, rows) {
		struct study_row *row = &found.row[r++];
		row->label = text_of_point(study, doc, one, "label");
		if (!row->label || !cells_recall(study, doc, sl_doc_member(doc, one, "cells"), row) ||
			!waits_recall(study, doc, sl_doc_member(doc, one, "waits"), row))
			return false;
	}
	*panel = found;
	return r > 0;
}

int study_recall_panel(const struct study *study, struct study_panel *panel, const char *kind, bool *known,
	struct sl_err *err)
{
	char path[160];
	struct sl_doc doc = { .file = path };
	const bool first = strcmp(kind, STUDY_RUNS) == 0;
	const int status = point_path(study, panel, kind, first ? 0 : SIZE_MAX, path, err);
	char record[STUDY_NAME + 40];
	(void)snprintf(record, sizeof(record), "%s/%s/compare.csv", kind, panel->name);
	*known = !status && access(record, R_OK) == 0 && point_read(&doc, path) &&
		 panel_recall(study, &doc, panel);
	sl_doc_release(&doc);
	return status;
}

static bool sample_recall(const struct sl_doc *doc, const struct sl_doc_node *one, struct replication *row)
{
	const char *digest = sl_doc_string(doc, sl_doc_member(doc, one, "digest"));
	char *end = NULL;
	if (!digest || !*digest)
		return false;
	row->digest = strtoull(digest, &end, 16);
	const struct sl_doc_node *metrics = sl_doc_member(doc, one, "metrics");
	SL_DOC_EACH (metric, doc, metrics) {
		int64_t micro;
		const char *word = sl_doc_word(doc, metric);
		if (!word || !sl_get_micro(word, strlen(word), &micro))
			return false;
		sl_metric_put(&row->metrics, sl_doc_key_of(doc, metric), micro);
	}
	row->metrics.own = row->metrics.count;
	return !*end && metrics && !row->metrics.failed;
}

int study_recall_seed(const struct study *study, const struct study_panel *panel, size_t seed,
	struct replication *row, size_t rows, bool *known, struct sl_err *err)
{
	char path[160];
	struct sl_doc doc = { .file = path };
	int status = point_path(study, panel, seed ? "seed" : STUDY_RUNS, seed, path, err);
	uint64_t common = 0;
	size_t r = 0;
	*known = !status && point_read(&doc, path) && count_of(&doc, doc.node, "common", &common);
	if (*known)
		SL_DOC_EACH (one, &doc, sl_doc_member(&doc, doc.node, "rows")) {
			*known = *known && r < rows && sample_recall(&doc, one, &row[r]);
			r++;
		}
	*known = *known && r == rows;
	for (size_t i = 0; i < rows; i++) {
		row[i].compared = (uint32_t)common;
		row[i].apart = *known && flag_of(&doc, doc.node, "other_jobs");
		if (!*known)
			row[i].metrics.count = row[i].metrics.own = 0;
	}
	sl_doc_release(&doc);
	return status;
}
