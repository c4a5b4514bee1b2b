/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow.c - the reader of workflow files: workflows and their stages; see schedlab-workflow(5).
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/workflow.h"

/* ---- What is written ---------------------------------------------------------------------- */

const char *workflow_text(const struct workflow_file *w, const struct sl_doc_node *node)
{
	return w->doc.text + node->text;
}

const char *workflow_key(const struct workflow_file *w, const struct sl_doc_node *node)
{
	return w->doc.text + node->key;
}

bool workflow_is(const struct workflow_file *w, const struct sl_doc_node *node, const char *key)
{
	return strcmp(workflow_key(w, node), key) == 0;
}

int workflow_fail(const struct workflow_file *w, const struct sl_doc_node *node, const char *wanted)
{
	const struct sl_place at = sl_doc_place(&w->doc, node);
	if (node->kind != SL_DOC_TEXT)
		return sl_fail_at(w->err, &at, "must be %s, not a %s", wanted,
			node->kind == SL_DOC_MAP ? "map" : "list");
	return sl_fail_at(w->err, &at, "must be %s, not '%.40s'", wanted, workflow_text(w, node));
}

int workflow_number(const struct workflow_file *w, const struct sl_doc_node *node, int64_t min, int64_t max,
	int64_t *value)
{
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(w, node) : "";
	if (sl_get_i64(text, strlen(text), value) && *value >= min && *value <= max)
		return SL_OK;
	char wanted[100] = "a whole number from ";
	char *p = sl_put_i64(wanted + strlen(wanted), min);
	memcpy(p, " to ", 4);
	*sl_put_i64(p + 4, max) = '\0';
	return workflow_fail(w, node, wanted);
}

int workflow_time(
	const struct workflow_file *w, const struct sl_doc_node *node, sl_time least, sl_time *value)
{
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(w, node) : "";
	const sl_time most = INT64_C(1000000000) * SL_SECOND;
	if (sl_get_duration(text, strlen(text), value) && *value >= least && *value <= most)
		return SL_OK;
	return workflow_fail(w, node, "seconds, or a duration such as 90m, of at most 1e9 seconds");
}

int workflow_list(const struct workflow_file *w, const struct sl_doc_node *node, const char *wanted)
{
	return node->kind == SL_DOC_LIST && node->count ? SL_OK : workflow_fail(w, node, wanted);
}

int workflow_name(const struct workflow_file *w, const struct sl_doc_node *node, const char **name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(w, node) : "";
	const size_t len = strlen(text);
	*name = text;
	if (len && len <= WORKFLOW_NAME_MAX && strspn(text, letters) == len)
		return SL_OK;
	return workflow_fail(w, node, "a name of at most 63 letters, digits, '.', '_' and '-'");
}

/* ---- Stages --------------------------------------------------------------------------------- */

static int fail_twice(const struct workflow_file *w, const struct sl_doc_node *at, const char *name)
{
	const struct sl_place place = sl_doc_place(&w->doc, at);
	return sl_fail_at(w->err, &place, "'%s' has a name that another has too: give each its own", name);
}

static int take_copies(
	const struct workflow_file *w, const struct sl_doc_node *node, struct workflow_stage *s)
{
	int64_t number;
	const int status = workflow_number(w, node, 1, WORKFLOW_COPIES_MAX, &number);
	if (!status && workflow_is(w, node, "count"))
		s->copies = (uint32_t)number;
	else if (!status)
		s->at_most = (uint32_t)number;
	s->array = true;
	return status;
}

static int stage_take(const struct workflow_file *w, const struct sl_doc_node *map, struct workflow_stage *s)
{
	*s = (struct workflow_stage){ .map = map, .copies = 1 };
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(w, map, "a map, with 'name' and what the stage asks");
	bool counted = false;
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, map); node && !status;
		node = sl_doc_next(&w->doc, node)) {
		if (workflow_is(w, node, "name"))
			status = workflow_name(w, node, &s->name);
		else if (workflow_is(w, node, "count") || workflow_is(w, node, "at_most"))
			status = take_copies(w, node, s);
		else if (workflow_is(w, node, "needs"))
			s->needs = node;
		else if (workflow_is(w, node, "search"))
			s->search = node;
		counted |= workflow_is(w, node, "count");
	}
	const struct sl_place at = sl_doc_place(&w->doc, map);
	if (!status && !s->name)
		return sl_fail_at(w->err, &at, "a stage without a name: give it one");
	if (!status && s->search && counted)
		return sl_fail_at(w->err, &at,
			"stage '%s' has both 'count' and 'search': the search says how many trials there are",
			s->name);
	if (status || !s->search)
		return status;
	s->array = true;
	return workflow_trials(w, s->search, &s->copies);
}

static const struct workflow_stage *stage_named(const struct workflow *of, uint32_t before, const char *name)
{
	for (uint32_t i = 0; i < before; i++)
		if (strcmp(of->stage[i].name, name) == 0)
			return &of->stage[i];
	return NULL;
}

static int stages_take(const struct workflow_file *w, const struct sl_doc_node *list, struct workflow *of)
{
	int status = workflow_list(w, list, "a list of stages");
	if (!status && list->count > WORKFLOW_STAGES_MAX)
		return workflow_fail(w, list, "a list of at most 10000 stages");
	if (status)
		return status;
	of->stage = calloc(list->count, sizeof(*of->stage));
	if (!of->stage)
		return sl_fail_memory(w->err);
	uint64_t jobs = 0;
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, list); node && !status;
		node = sl_doc_next(&w->doc, node)) {
		struct workflow_stage *stage = &of->stage[of->stage_count];
		status = stage_take(w, node, stage);
		if (!status && stage_named(of, of->stage_count, stage->name))
			return fail_twice(w, node, stage->name);
		of->stage_count += !status;
		jobs += stage->copies;
	}
	if (!status && jobs > WORKFLOW_JOBS_MAX)
		return workflow_fail(w, list, "stages of at most 1000000 jobs");
	of->jobs = (uint32_t)jobs;
	return status;
}

/* ---- Workflows ---------------------------------------------------------------------------------- */

static int workflow_take(struct workflow_file *w, const struct sl_doc_node *map)
{
	struct workflow *of = &w->workflow[w->count++];
	*of = (struct workflow){ .map = map };
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(w, map, "a map, with 'name' and 'stages'");
	const struct sl_place at = sl_doc_place(&w->doc, map);
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, map); node && !status;
		node = sl_doc_next(&w->doc, node)) {
		if (workflow_is(w, node, "name"))
			status = workflow_name(w, node, &of->name);
		else if (workflow_is(w, node, "stages"))
			status = stages_take(w, node, of);
	}
	if (!status && (!of->name || !of->stage_count))
		return sl_fail_at(w->err, &at, "a workflow needs 'name' and 'stages': give both");
	for (uint32_t i = 0; !status && i + 1 < w->count; i++)
		if (strcmp(w->workflow[i].name, of->name) == 0)
			return fail_twice(w, map, of->name);
	return status ? status : workflow_times(w, w->count - 1);
}

static int compare_instances(const void *a, const void *b)
{
	const struct workflow_instance *x = a;
	const struct workflow_instance *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->workflow != y->workflow)
		return x->workflow < y->workflow ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Whether any job says what it does while it runs: then all do, if it is nothing. */
static bool says_profile(const struct workflow_file *w)
{
	for (size_t i = 1; i < w->doc.count; i++) {
		const char *key = workflow_key(w, &w->doc.node[i]);
		if (strcmp(key, "search") == 0 || sl_profile_find(key, strlen(key)) != UINT32_MAX)
			return true;
	}
	return false;
}

static int file_take(struct workflow_file *w)
{
	const struct sl_doc_node *root = w->doc.count ? &w->doc.node[0] : NULL;
	const struct sl_doc_node *list = root ? sl_doc_child(&w->doc, root) : NULL;
	if (!root || root->kind != SL_DOC_MAP || root->count != 1 || !workflow_is(w, list, "workflows"))
		return sl_fail(w->err, SL_INPUT,
			"%s: a workflow file has one key, 'workflows': see schedlab-workflow(5)", w->t.file);
	int status = workflow_list(w, list, "a list of workflows");
	if (!status && list->count > WORKFLOW_MAX)
		return workflow_fail(w, list, "a list of at most 10000 workflows");
	if (status)
		return status;
	w->workflow = calloc(list->count, sizeof(*w->workflow));
	if (!w->workflow)
		return sl_fail_memory(w->err);
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, list); node && !status;
		node = sl_doc_next(&w->doc, node))
		status = workflow_take(w, node);
	if (status)
		return status;
	w->t.says_profile = says_profile(w);
	qsort(w->instance, w->instance_count, sizeof(*w->instance), compare_instances);
	for (size_t i = 0; i < w->instance_count && !status; i++)
		status = workflow_rows(w, &w->instance[i]);
	return status;
}

static int workflow_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct workflow_file *w = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail_memory(err);
	w->t = (struct table){ .sink = sink, .err = err, .file = sl_input_name(in), .place = w->place };
	int status = workflow_doc_read(w, in, err);
	if (!status)
		status = file_take(w);
	for (uint32_t i = 0; i < w->count; i++)
		free(w->workflow[i].stage);
	free(w->workflow);
	free(w->instance);
	table_free(&w->t);
	sl_doc_release(&w->doc);
	free(w);
	return status;
}

static int workflow_sniff(const char *text, size_t len) { return workflow_begins(text, len, "workflows:"); }

const struct sl_reader workflow_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "workflow",
	.summary = "YAML: workflows of stages that need each other, searches, see schedlab-workflow(5)",
	.sniff = workflow_sniff,
	.read = workflow_read,
};
