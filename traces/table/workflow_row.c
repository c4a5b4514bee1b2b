/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow_row.c - jobs of an instance: their cells, and whom they wait for.
 *
 * Copies of a stage are an array, so that whoever needs all of them names one number.
 */
#include <stdio.h>
#include <string.h>

#include "traces/table/workflow.h"

/* ---- Cells ------------------------------------------------------------------------------------- */

static int cell_put(struct workflow_file *w, int *place, const char *text, const struct sl_doc_node *at)
{
	if (*place >= 0)
		return SL_OK;
	const size_t field = w->t.fields.count;
	const int status = table_field_add(&w->t, text, strlen(text));
	if (status)
		return status;
	w->place[field] = sl_doc_place(&w->doc, at);
	*place = (int)field;
	return SL_OK;
}

int workflow_cell(
	struct workflow_file *w, enum table_column column, const char *text, const struct sl_doc_node *at)
{
	return cell_put(w, &w->t.at[column], text, at);
}

int workflow_profile_cell(
	struct workflow_file *w, uint32_t column, const char *text, const struct sl_doc_node *at)
{
	return cell_put(w, &w->t.profile_at[column], text, at);
}

/* Columns that a workflow has of its own making. */
static bool is_made(enum table_column column)
{
	static const enum table_column made[] = { TABLE_JOB_ID, TABLE_SUBMIT, TABLE_START, TABLE_END,
		TABLE_WAIT, TABLE_STATUS, TABLE_GANG, TABLE_BEGIN, TABLE_DEADLINE, TABLE_DEPENDENCY,
		TABLE_ARRAY, TABLE_ARRAY_TASK, TABLE_ARRAY_LIMIT, TABLE_CANCEL, TABLE_GROUP };
	for (size_t i = 0; i < SL_LEN(made); i++)
		if (made[i] == column)
			return true;
	return column >= TABLE_COLUMNS;
}

static int member_take(struct workflow_file *w, const struct sl_doc_node *node)
{
	const char *key = workflow_key(w, node);
	const struct sl_place at = sl_doc_key_place(&w->doc, node);
	const enum table_column column = table_column_of(key, strlen(key));
	const uint32_t member = sl_profile_find(key, strlen(key));
	if (member == UINT32_MAX && is_made(column))
		return sl_fail_at(w->err, &at, "'%.40s' cannot be said here: see schedlab-workflow(5)", key);
	if (node->kind != SL_DOC_TEXT)
		return workflow_fail(w, node, "one value, as in a table's cell");
	const char *text = workflow_text(w, node);
	return member != UINT32_MAX ? workflow_profile_cell(w, member, text, node)
				    : workflow_cell(w, column, text, node);
}

int workflow_cells(struct workflow_file *w, const struct sl_doc_node *map, const char *const *own)
{
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, map); node && !status;
		node = sl_doc_next(&w->doc, node)) {
		size_t i = 0;
		while (own[i] && !workflow_is(w, node, own[i]))
			i++;
		if (!own[i])
			status = member_take(w, node);
	}
	return status;
}

/* ---- Whom it waits for ----------------------------------------------------------------------------- */

struct need {
	uint32_t stage;
	const char *word; /* Of the dependency: "afterok". */
	sl_time delay;
	bool same; /* Only the copy of the same number. */
};

static int need_member(
	const struct workflow_file *w, const struct sl_doc_node *node, struct need *need, const char **stage)
{
	static const char *const when[][2] = { { "ok", "afterok" }, { "any", "afterany" },
		{ "notok", "afternotok" } };
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(w, node) : "";
	if (workflow_is(w, node, "stage"))
		return workflow_name(w, node, stage);
	if (workflow_is(w, node, "delay"))
		return workflow_time(w, node, 0, &need->delay);
	if (workflow_is(w, node, "match")) {
		need->same = strcmp(text, "same") == 0;
		return need->same || strcmp(text, "all") == 0 ? SL_OK
							      : workflow_fail(w, node, "one of all, same");
	}
	const struct sl_place at = sl_doc_key_place(&w->doc, node);
	if (!workflow_is(w, node, "when"))
		return sl_fail_at(w->err, &at, "'%.40s' is none of stage, when, delay and match",
			workflow_key(w, node));
	need->word = NULL;
	for (size_t i = 0; i < SL_LEN(when); i++)
		if (strcmp(text, when[i][0]) == 0)
			need->word = when[i][1];
	return need->word ? SL_OK : workflow_fail(w, node, "one of ok, any, notok");
}

/* "prep", or {stage: prep, when: any, delay: 60, match: same}. */
static int need_take(const struct workflow_file *w, const struct workflow *of, uint32_t before,
	const struct sl_doc_node *node, struct need *need)
{
	const char *stage = NULL;
	int status = SL_OK;
	*need = (struct need){ .word = "afterok" };
	if (node->kind == SL_DOC_TEXT)
		status = workflow_name(w, node, &stage);
	else if (node->kind != SL_DOC_MAP)
		return workflow_fail(w, node, "a stage, or a map with 'stage'");
	for (const struct sl_doc_node *member = node->kind == SL_DOC_MAP ? sl_doc_child(&w->doc, node) : NULL;
		member && !status; member = sl_doc_next(&w->doc, member))
		status = need_member(w, member, need, &stage);
	const struct sl_place at = sl_doc_place(&w->doc, node);
	if (!status && !stage)
		return sl_fail_at(w->err, &at, "names no stage: give 'stage'");
	for (need->stage = 0; !status && need->stage < before; need->stage++)
		if (strcmp(of->stage[need->stage].name, stage) == 0)
			break;
	if (!status && need->stage == before)
		return sl_fail_at(w->err, &at,
			"needs '%s', which does not stand before it: put stages behind those that they need",
			stage);
	if (!status && need->same && of->stage[need->stage].copies != of->stage[before].copies)
		return sl_fail_at(w->err, &at,
			"match: same needs as many copies of '%s', which has %u: use match: all", stage,
			of->stage[need->stage].copies);
	return status;
}

/* One row while it is made. */
struct making {
	const struct workflow *of;
	const char *whole; /* "train-1" */
	int64_t arrays;    /* Of its first stage, less one. */
	uint32_t stage, copy;
};

/* "afterok:5+90s": an array's number, or a job's name. */
static int need_put(const struct workflow_file *w, const struct making *m, const struct need *need,
	char *text, size_t *len, const struct sl_doc_node *node)
{
	const struct workflow_stage *stage = &m->of->stage[need->stage];
	const size_t capacity = WORKFLOW_TEXT_MAX - *len;
	const char *comma = *len ? "," : "";
	int n;
	if (stage->array && !need->same)
		n = snprintf(text + *len, capacity, "%s%s:%lld", comma, need->word,
			(long long)m->arrays + need->stage + 1);
	else
		n = snprintf(text + *len, capacity, "%s%s:%s.%s.%u", comma, need->word, m->whole, stage->name,
			need->same ? m->copy : 0);
	*len += (size_t)n;
	if (need->delay && *len < WORKFLOW_TEXT_MAX)
		*len += (size_t)snprintf(text + *len, WORKFLOW_TEXT_MAX - *len, "+%llds",
			(long long)((need->delay + SL_SECOND - 1) / SL_SECOND));
	return *len < WORKFLOW_TEXT_MAX ? SL_OK : workflow_fail(w, node, "fewer stages that one waits for");
}

static int needs_put(struct workflow_file *w, const struct making *m)
{
	char text[WORKFLOW_TEXT_MAX + 1] = "";
	size_t len = 0;
	const struct sl_doc_node *needs = m->of->stage[m->stage].needs;
	const struct sl_doc_node *node = needs;
	int status = SL_OK;
	if (needs && needs->kind == SL_DOC_LIST)
		node = sl_doc_child(&w->doc, needs);
	for (; node && !status; node = node == needs ? NULL : sl_doc_next(&w->doc, node)) {
		struct need need;
		status = need_take(w, m->of, m->stage, node, &need);
		if (!status)
			status = need_put(w, m, &need, text, &len, node);
	}
	return status || !len ? status : workflow_cell(w, TABLE_DEPENDENCY, text, needs);
}

/* ---- Rows ------------------------------------------------------------------------------------------- */

static int number_cell(
	struct workflow_file *w, enum table_column column, int64_t number, const struct sl_doc_node *at)
{
	char text[32];
	*sl_put_i64(text, number) = '\0';
	return workflow_cell(w, column, text, at);
}

static int own_cells(struct workflow_file *w, const struct making *m, sl_time at)
{
	char text[4 * WORKFLOW_NAME_MAX];
	const struct workflow_stage *stage = &m->of->stage[m->stage];
	(void)snprintf(text, sizeof(text), "%s.%s.%u", m->whole, stage->name, m->copy);
	int status = workflow_cell(w, TABLE_JOB_ID, text, stage->map);
	*sl_put_micro(text, at) = '\0';
	if (!status)
		status = workflow_cell(w, TABLE_SUBMIT, text, stage->map);
	if (!status)
		status = needs_put(w, m);
	if (!status && stage->array)
		status = number_cell(w, TABLE_ARRAY, m->arrays + m->stage + 1, stage->map);
	if (!status && stage->array)
		status = number_cell(w, TABLE_ARRAY_TASK, m->copy, stage->map);
	if (!status && stage->at_most)
		status = number_cell(w, TABLE_ARRAY_LIMIT, stage->at_most, stage->map);
	return status;
}

static void row_begin(struct workflow_file *w, const struct workflow_stage *stage)
{
	struct table *t = &w->t;
	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		t->at[i] = -1;
	for (size_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		t->profile_at[i] = -1;
	t->fields.count = t->fields.len = 0;
	t->row_line = stage->map->line;
	t->says_more = t->says_gpus = true;
}

static int row_make(struct workflow_file *w, const struct making *m, sl_time at)
{
	static const char *const of_stage[] = { "name", "needs", "count", "at_most", "search", NULL };
	static const char *const of_workflow[] = { "name", "stages", "at", "every", "poisson", "instances",
		"seed", "start", NULL };
	const struct workflow_stage *stage = &m->of->stage[m->stage];
	char whole[3 * WORKFLOW_NAME_MAX];
	row_begin(w, stage);
	(void)snprintf(whole, sizeof(whole), "%s.%s", m->whole, stage->name);
	int status = own_cells(w, m, at);
	if (!status && stage->search)
		status = workflow_trial(w, stage, whole, m->copy);
	if (!status)
		status = workflow_cells(w, stage->map, of_stage);
	if (!status)
		status = workflow_cells(w, m->of->map, of_workflow);
	if (!status)
		status = workflow_cell(w, TABLE_NAME, stage->name, stage->map);
	const struct sl_place place = sl_doc_place(&w->doc, stage->map);
	if (!status && w->t.at[TABLE_RUN_TIME] < 0)
		return sl_fail_at(
			w->err, &place, "stage '%s' does not say its 'run_time': give it", stage->name);
	return status ? status : table_job_begin(&w->t);
}

int workflow_rows(struct workflow_file *w, const struct workflow_instance *instance)
{
	char whole[WORKFLOW_NAME_MAX + 20];
	const struct workflow *of = &w->workflow[instance->workflow];
	struct making m = { .of = of, .whole = whole, .arrays = w->arrays };
	if (of->numbered)
		(void)snprintf(whole, sizeof(whole), "%s-%u", of->name, instance->number);
	else
		(void)snprintf(whole, sizeof(whole), "%s", of->name);
	w->arrays += of->stage_count;
	int status = SL_OK;
	for (m.stage = 0; m.stage < of->stage_count && !status; m.stage++)
		for (m.copy = 0; m.copy < of->stage[m.stage].copies && !status; m.copy++)
			status = row_make(w, &m, instance->at);
	return status;
}

/* ---- The files themselves -------------------------------------------------------------------- */

int workflow_doc_read(struct workflow_file *w, struct sl_input *in, struct sl_err *err)
{
	const char *text;
	const char *end;
	w->doc.file = w->t.file;
	w->err = err;
	int status = sl_input_all(in, &text, &end, err);
	if (!status && end - text > SL_DOC_BYTES_MAX)
		status = sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: split the file", w->t.file);
	return status ? status : sl_doc_read_yaml(&w->doc, text, (size_t)(end - text), err);
}

int workflow_begins(const char *text, size_t len, const char *word)
{
	const char *end = text + len;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		if ((size_t)(stop - p) >= strlen(word) && memcmp(p, word, strlen(word)) == 0)
			return 95;
		const bool passed =
			stop == p || *p == '#' || *p == '\r' || (stop - p >= 3 && memcmp(p, "---", 3) == 0);
		if (!passed)
			return 0;
		p = stop + 1;
	}
	return 0;
}
