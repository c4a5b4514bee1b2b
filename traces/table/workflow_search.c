/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow_search.c - trials of a search: on a grid, at random within ranges, or listed.
 *
 * What a trial tries is its name ("lr=0.01 width=64"); how well it does is its score's curve, drawn within
 * bounds or given. Each trial has streams of its own, so that one trial more moves no other.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/table/workflow.h"

static const struct sl_doc_node *member_of(
	const struct workflow_file *w, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = map->kind == SL_DOC_MAP ? sl_doc_child(&w->doc, map) : NULL;
	while (node && !workflow_is(w, node, key))
		node = sl_doc_next(&w->doc, node);
	return node;
}

static int keys_known(const struct workflow_file *w, const struct sl_doc_node *map)
{
	static const char *const known[] = { "trials", "draw", "space", "seed", "score", "score_from",
		"score_time", "rule", "eta", "rung", "target", NULL };
	SL_DOC_EACH (node, &w->doc, map) {
		const char *key = workflow_key(w, node);
		const struct sl_place at = sl_doc_key_place(&w->doc, node);
		size_t i = 0;
		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		const char *similar = known[i] ? NULL : sl_nearest(key, known);
		if (!known[i])
			return sl_fail_at(w->err, &at,
				"a search has no '%.40s'%s%s%s: see schedlab-workflow(5)", key,
				similar ? ", did you mean '" : "", similar ? similar : "",
				similar ? "'" : "");
	}
	return SL_OK;
}

static bool is_grid(const struct workflow_file *w, const struct sl_doc_node *search)
{
	const struct sl_doc_node *draw = member_of(w, search, "draw");
	return draw && draw->kind == SL_DOC_TEXT && strcmp(workflow_text(w, draw), "grid") == 0;
}

/* A list of values, or a range. */
static int space_check(const struct workflow_file *w, const struct sl_doc_node *search, uint64_t *points)
{
	const struct sl_doc_node *namespace = member_of(w, search, "space");
	const bool grid = is_grid(w, search);
	int status = SL_OK;
	*points = 1;
	if (namespace &&
		(namespace->kind != SL_DOC_MAP || !namespace->count || namespace->count > WORKFLOW_SPACE_MAX))
		return workflow_fail(w, namespace, "a map of 1 to 64 parameters");
	const char *name;
	for (const struct sl_doc_node *node = namespace ? sl_doc_child(&w->doc, namespace) : NULL;
		node && !status; node = sl_doc_next(&w->doc, node)) {
		struct sl_doc_node key = *node;
		key.kind = SL_DOC_TEXT;
		key.text = node->key;
		status = workflow_name(w, &key, &name);
		if (!status && (grid || node->kind != SL_DOC_MAP))
			status = workflow_list(w, node,
				grid ? "a list of values, as draw is grid"
				     : "a list of values, or a map with 'from' and 'to'");
		for (const struct sl_doc_node *item = node->kind == SL_DOC_LIST ? sl_doc_child(&w->doc, node)
										: NULL;
			item && !status; item = sl_doc_next(&w->doc, item))
			if (item->kind != SL_DOC_TEXT || strlen(workflow_text(w, item)) > WORKFLOW_NAME_MAX)
				status = workflow_fail(w, item, "one value of at most 63 characters");
		if (!status && *points <= WORKFLOW_COPIES_MAX)
			*points *= node->kind == SL_DOC_LIST ? node->count : 1;
	}
	return status;
}

int workflow_trials(const struct workflow_file *w, const struct sl_doc_node *search, uint32_t *trials)
{
	uint64_t points = 1;
	int64_t number = 1;
	if (search->kind != SL_DOC_MAP)
		return workflow_fail(w, search, "a map, with 'trials' or a grid");
	int status = keys_known(w, search);
	if (!status)
		status = space_check(w, search, &points);
	const struct sl_doc_node *node = member_of(w, search, "trials");
	const struct sl_doc_node *draw = member_of(w, search, "draw");
	const bool drawn = draw && draw->kind == SL_DOC_TEXT && strcmp(workflow_text(w, draw), "random") == 0;
	if (!status && draw && !drawn && !is_grid(w, search))
		return workflow_fail(w, draw, "one of random, grid");
	if (status)
		return status;
	if (is_grid(w, search)) {
		*trials = (uint32_t)points;
		if (node)
			return workflow_fail(w, node, "left out, as a grid says how many trials there are");
		return points <= WORKFLOW_COPIES_MAX
			       ? SL_OK
			       : workflow_fail(w, draw, "random: the grid has too many points");
	}
	if (!node)
		return workflow_fail(w, search, "a search with 'trials', or with draw: grid");
	if (node->kind == SL_DOC_LIST && node->count && node->count <= WORKFLOW_LISTED_MAX) {
		*trials = node->count;
		return SL_OK;
	}
	status = workflow_number(w, node, 1, WORKFLOW_COPIES_MAX, &number);
	*trials = (uint32_t)number;
	return status;
}

/* ---- One trial --------------------------------------------------------------------------------- */

struct trial {
	const struct sl_doc_node *search;
	const char *whole;
	uint32_t number;
	int64_t seed;
};

static struct sl_rng stream(const struct trial *trial, const char *key)
{
	char name[6 * WORKFLOW_NAME_MAX];
	(void)snprintf(name, sizeof(name), "models/workflow/%s/%u/%s", trial->whole, trial->number, key);
	return sl_rng_stream((uint64_t)trial->seed, name);
}

static bool millionths_of(
	const struct workflow_file *w, const struct sl_doc_node *node, bool time, int64_t *value)
{
	const char *text = node && node->kind == SL_DOC_TEXT ? workflow_text(w, node) : "";
	const int64_t most = INT64_C(1000000000) * SL_SECOND;
	return (time ? sl_get_duration(text, strlen(text), value)
		     : sl_get_micro(text, strlen(text), value)) &&
	       *value >= -most && *value <= most;
}

/* {from: a, to: b}: any of the millionths between. log: evenly by their logarithm, rounded to a millionth. */
static int draw_in(const struct workflow_file *w, const struct trial *trial, const struct sl_doc_node *node,
	bool time, int64_t *value)
{
	int64_t from;
	int64_t to;
	const struct sl_doc_node *log_node = member_of(w, node, "log");
	struct sl_rng rng = stream(trial, workflow_key(w, node));
	const bool known = millionths_of(w, member_of(w, node, "from"), time, &from) &&
			   millionths_of(w, member_of(w, node, "to"), time, &to);
	if (!known || from > to)
		return workflow_fail(w, node, "a map with numbers 'from' and 'to', the first no larger");
	const bool by_log = log_node && log_node->kind == SL_DOC_TEXT &&
			    (strcmp(workflow_text(w, log_node), "yes") == 0 ||
				    strcmp(workflow_text(w, log_node), "true") == 0);
	if (by_log && from <= 0)
		return workflow_fail(w, node, "a range above zero, as it is drawn by its logarithm");
	if (!by_log) {
		*value = from + (int64_t)sl_rng_below(&rng, (uint64_t)(to - from) + 1);
		return SL_OK;
	}
	const double low = log((double)from);
	const double drawn = floor(exp(low + sl_rng_unit(&rng) * (log((double)to) - low)) + 0.5);
	*value = drawn < (double)from ? from : drawn > (double)to ? to : (int64_t)drawn;
	return SL_OK;
}

/* A value given for all, or drawn for each. */
static int score_cell(struct workflow_file *w, const struct trial *trial, const char *key)
{
	char text[40];
	int64_t value;
	const uint32_t column = sl_profile_find(key, strlen(key));
	const struct sl_doc_node *node = member_of(w, trial->search, key);
	if (!node)
		return SL_OK;
	if (node->kind == SL_DOC_TEXT)
		return workflow_profile_cell(w, column, workflow_text(w, node), node);
	const int status = draw_in(w, trial, node, strcmp(key, "score_time") == 0, &value);
	*sl_put_micro(text, status ? 0 : value) = '\0';
	return status ? status : workflow_profile_cell(w, column, text, node);
}

/* One value of a parameter; *rest: of the grid's point, what the parameters before it left. */
static int value_put(const struct workflow_file *w, const struct trial *trial, const struct sl_doc_node *node,
	uint32_t *rest, char text[WORKFLOW_NAME_MAX + 1])
{
	int64_t value;
	if (node->kind == SL_DOC_MAP) {
		const int status = draw_in(w, trial, node, false, &value);
		*sl_put_micro(text, status ? 0 : value) = '\0';
		return status;
	}
	struct sl_rng rng = stream(trial, workflow_key(w, node));
	uint32_t index = *rest % node->count;
	if (is_grid(w, trial->search))
		*rest /= node->count;
	else
		index = (uint32_t)sl_rng_below(&rng, node->count);
	const struct sl_doc_node *item = sl_doc_child(&w->doc, node);
	for (; index; index--)
		item = sl_doc_next(&w->doc, item);
	(void)snprintf(text, WORKFLOW_NAME_MAX + 1, "%s", workflow_text(w, item));
	return SL_OK;
}

static int name_cell(struct workflow_file *w, const struct trial *trial)
{
	char name[WORKFLOW_SPACE_MAX * (2 * WORKFLOW_NAME_MAX + 3)] = "";
	size_t len = 0;
	uint32_t rest = trial->number;
	const struct sl_doc_node *namespace = member_of(w, trial->search, "space");
	for (const struct sl_doc_node *node = namespace ? sl_doc_child(&w->doc, namespace) : NULL; node;
		node = sl_doc_next(&w->doc, node)) {
		char value[WORKFLOW_NAME_MAX + 1];
		const int status = value_put(w, trial, node, &rest, value);
		if (status)
			return status;
		len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s=%s", len ? " " : "",
			workflow_key(w, node), value);
	}
	return len ? workflow_cell(w, TABLE_NAME, name, trial->search) : SL_OK;
}

/* "train-1.tune rule=asha eta=3": the family, and how its losers are found, for the model `search`. */
static int family_cells(struct workflow_file *w, const struct trial *trial)
{
	static const char *const keys[] = { "rule", "eta", "rung", "target" };
	char text[10 * WORKFLOW_NAME_MAX];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", trial->whole);
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const struct sl_doc_node *node = member_of(w, trial->search, keys[i]);
		const char *value;
		const int status = node ? workflow_name(w, node, &value) : SL_OK;
		if (status)
			return status;
		if (node)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s=%s", keys[i], value);
	}
	int status = workflow_profile_cell(w, sl_profile_find("family", 6), text, trial->search);
	*sl_put_i64(text, trial->number) = '\0';
	if (!status)
		status = workflow_profile_cell(w, sl_profile_find("member", 6), text, trial->search);
	return status;
}

int workflow_trial(
	struct workflow_file *w, const struct workflow_stage *stage, const char *whole, uint32_t number)
{
	static const char *const none[] = { NULL };
	struct trial trial = { stage->search, whole, number, 1 };
	const struct sl_doc_node *seed = member_of(w, stage->search, "seed");
	const struct sl_doc_node *trials = member_of(w, stage->search, "trials");
	int status = seed ? workflow_number(w, seed, 0, INT64_MAX, &trial.seed) : SL_OK;
	if (!status)
		status = family_cells(w, &trial);
	if (!status && trials && trials->kind == SL_DOC_LIST) {
		const struct sl_doc_node *item = sl_doc_child(&w->doc, trials);
		for (uint32_t i = 0; i < number; i++)
			item = sl_doc_next(&w->doc, item);
		if (item->kind != SL_DOC_MAP)
			return workflow_fail(w, item, "a map: what this trial has of its own");
		status = workflow_cells(w, item, none);
	}
	if (!status)
		status = score_cell(w, &trial, "score");
	if (!status)
		status = score_cell(w, &trial, "score_from");
	if (!status)
		status = score_cell(w, &trial, "score_time");
	return status ? status : name_cell(w, &trial);
}
