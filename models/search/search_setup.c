/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search_setup.c - searches before the run, and what is reported of them after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/search/search.h"

const struct sl_param search_params[4] = {
	{ .key = "rule",
		.kind = SL_PARAM_CHOICE,
		.fallback = "none",
		.choices = "none|median|sha|asha|first",
		.help = "who loses, of families that do not say: nobody, by the median of those that have completed, by successive halving, asynchronously, or all as the first comes to the target" },
	{ .key = "eta",
		.kind = SL_PARAM_INT,
		.fallback = "3",
		.choices = "2..1000",
		.help = "of sha and asha: one of so many goes on, to so many times the work",
		.min = 2,
		.max = SEARCH_ETA_MAX },
	{ .key = "rung",
		.kind = SL_PARAM_TIME,
		.choices = "1us..",
		.help = "work up to the first rung (sha, asha), or between two steps (median)",
		.min = 1,
		.max = INT64_C(1000000000000000) },
	{ .key = "target",
		.kind = SL_PARAM_REAL,
		.help = "of first: the score at which the search is over; less is better",
		.min = 0,
		.max = 0 },
};

/* ---- Families ------------------------------------------------------------------------------------- */

struct member {
	const char *text;
	uint32_t row;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;
	const int order = strcmp(x->text, y->text);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool is_trial(const struct sl_jobs *jobs, uint32_t row)
{
	const struct sl_profile *profile =
		jobs->profile_of && jobs->profile_of[row] ? &jobs->profile[jobs->profile_of[row]] : NULL;
	return profile && profile->family && profile->score != SL_NONE;
}

/* Memory for the rungs that its longest trial comes to, and for each trial's steps. */
static int rungs_make(struct search *search, struct search_family *family, struct sl_err *err)
{
	const struct search_rule *rule = &family->rule;
	sl_time longest = 0;
	for (uint32_t i = family->first; i < family->first + family->count; i++)
		if (search->jobs->run[search->trial[i].row] > longest)
			longest = search->jobs->run[search->trial[i].row];
	if (rule->kind == SEARCH_SHA || rule->kind == SEARCH_ASHA)
		while (search_rung(rule, family->rungs) < longest)
			family->rungs++;
	family->rung = sl_alloc(search->arena, (size_t)family->rungs + 1, sizeof(*family->rung));
	if (!family->rung)
		return sl_fail_memory(err);
	for (uint32_t k = 0; k < family->rungs; k++) {
		family->rung[k].result =
			sl_alloc(search->arena, (size_t)family->count + 1, sizeof(struct search_result));
		if (!family->rung[k].result)
			return sl_fail_memory(err);
	}
	for (uint32_t i = family->first; rule->kind == SEARCH_MEDIAN && i < family->first + family->count;
		i++) {
		struct search_trial *trial = &search->trial[i];
		const int64_t steps = search->jobs->run[trial->row] / rule->rung;
		if (steps > SEARCH_STEPS_MAX)
			return sl_fail(err, SL_INPUT,
				"search: family '%.80s': rung is so short that a trial has more than %d steps: give a longer one",
				family->text, SEARCH_STEPS_MAX);
		trial->sum = sl_alloc(search->arena, (size_t)steps + 2, sizeof(*trial->sum));
		if (!trial->sum)
			return sl_fail_memory(err);
	}
	return SL_OK;
}

static int family_make(struct search *search, struct search_family *family, const struct search_rule *rule,
	struct sl_err *err)
{
	family->rule = *rule;
	family->best = SL_NONE;
	family->name_len = strcspn(family->text, " ");
	family->pending = family->count;
	const int status = search_rule_of(family->text, &family->rule, err);
	return status ? status : rungs_make(search, family, err);
}

static void take_member(struct search *search, const struct member *member)
{
	const char *before = search->family_count ? search->family[search->family_count - 1].text : NULL;
	if (!before || strcmp(before, member->text) != 0)
		search->family[search->family_count++] =
			(struct search_family){ .text = member->text, .first = search->trial_count };
	struct search_family *family = &search->family[search->family_count - 1];
	family->count++;
	search->trial[search->trial_count] = (struct search_trial){ .row = member->row,
		.family = search->family_count - 1,
		.due = SL_NEVER,
		.wake = SL_NEVER,
		.best = SL_NONE };
	search->trial_of[member->row] = ++search->trial_count;
}

static int families_make(struct search *search, const struct search_rule *rule, struct sl_err *err)
{
	const struct sl_jobs *jobs = search->jobs;
	size_t count = 0;
	struct member *member = calloc((size_t)jobs->count + 1, sizeof(*member));
	if (!member)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs->count; row++)
		if (is_trial(jobs, row))
			member[count++] = (struct member){ jobs->profile[jobs->profile_of[row]].family, row };
	qsort(member, count, sizeof(*member), compare_members);
	search->family = sl_alloc(search->arena, count + 1, sizeof(*search->family));
	search->trial = sl_alloc(search->arena, count + 1, sizeof(*search->trial));
	search->running = sl_alloc(search->arena, count + 1, sizeof(*search->running));
	search->scratch = sl_alloc(search->arena, count + 1, sizeof(*search->scratch));
	search->trial_of = sl_alloc(search->arena, (size_t)jobs->count + 1, sizeof(*search->trial_of));
	const bool capacity =
		search->family && search->trial && search->running && search->scratch && search->trial_of;
	for (size_t i = 0; capacity && i < count; i++)
		take_member(search, &member[i]);
	free(member);
	if (!capacity)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t i = 0; i < search->family_count && !status; i++)
		status = family_make(search, &search->family[i], rule, err);
	return status;
}

int search_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct search *search = sl_alloc(setup->arena, 1, sizeof(*search));
	if (!search)
		return sl_fail_memory(err);
	*state = search;
	search->arena = setup->arena;
	search->jobs = setup->jobs;
	search->checked = SL_NONE;
	struct search_rule rule = { .kind = SEARCH_NONE, .eta = 3, .rung = SL_NONE, .target = SL_NONE };
	for (size_t i = 0; i < setup->value_count; i++) {
		const struct sl_value *value = &setup->values[i];
		if (!value->text)
			continue;
		if (strcmp(value->key, "rule") == 0)
			rule.kind = (enum search_kind)value->number;
		else if (strcmp(value->key, "eta") == 0)
			rule.eta = value->number;
		else if (strcmp(value->key, "rung") == 0)
			rule.rung = value->number;
		else
			rule.target = value->number;
	}
	return families_make(search, &rule, err);
}

void search_release(void *state)
{
	struct search *search = state;
	if (search)
		free(search->line);
}

/* ---- After it ---------------------------------------------------------------------------------------- */

static const char *search_setup_id_of(struct search *search, uint32_t row)
{
	const struct sl_jobs *jobs = search->jobs;
	char text[32];
	if (jobs->id_name && jobs->id_name[row])
		return jobs->id_name[row];
	return sl_strdup(search->arena, text, (size_t)(sl_put_i64(text, jobs->id[row]) - text));
}

static struct sl_cell text_cell(const char *text) { return (struct sl_cell){ text, SL_NONE }; }
static struct sl_cell number_cell(int64_t micro) { return (struct sl_cell){ NULL, micro }; }

static int report_lines(struct search *search, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "family", "time", "job_id", "event", "rung", "work", "score",
		"best" };
	struct sl_cell *cell =
		sl_alloc(search->arena, search->line_count * SL_LEN(column) + 1, sizeof(*cell));
	if (!cell || search->failed)
		return sl_fail_memory(err);
	struct sl_cell *at = cell;
	for (size_t i = 0; i < search->line_count; i++) {
		const struct search_line *line = &search->line[i];
		const struct search_family *family = &search->family[line->family];
		const char *name = sl_strdup(search->arena, family->text, family->name_len);
		const char *id = search_setup_id_of(search, line->row);
		if (!name || !id)
			return sl_fail_memory(err);
		*at++ = text_cell(name);
		*at++ = number_cell(line->at);
		*at++ = text_cell(id);
		*at++ = text_cell(line->event);
		*at++ = number_cell((int64_t)line->rung * SL_SECOND);
		*at++ = number_cell(line->work);
		*at++ = number_cell(line->score);
		*at++ = number_cell(line->best);
	}
	return sl_report_add_table(tally, "search", column, SL_LEN(column), cell, search->line_count, err);
}

/* Thousandths of unit-microseconds, as millionths of unit-hours. */
static int64_t hours(__int128 spent) { return (int64_t)((spent / 1000 + 1800) / 3600); }

static int report_family(
	struct search *search, const struct search_family *family, struct sl_tally *tally, struct sl_err *err)
{
	__int128 spent = 0;
	__int128 saved = 0;
	for (uint32_t i = family->first; i < family->first + family->count; i++) {
		const struct search_trial *trial = &search->trial[i];
		spent += trial->spent;
		saved += (__int128)trial->left * trial->units;
	}
	const struct {
		const char *name;
		int64_t micro;
	} reported[] = {
		{ "trials", (int64_t)family->count * SL_SECOND },
		{ "stopped", (int64_t)family->stopped * SL_SECOND },
		{ "spent_hours", hours(spent) },
		{ "saved_hours", hours(saved) },
		{ "best", family->best },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(reported) && !status; i++) {
		char name[200];
		(void)snprintf(name, sizeof(name), "search.%s{family=%.*s}", reported[i].name,
			(int)(family->name_len < 100 ? family->name_len : 100), family->text);
		const char *kept = sl_strdup(search->arena, name, strlen(name));
		if (!kept)
			return sl_fail_memory(err);
		if (reported[i].micro != SL_NONE)
			status = sl_report_metric(tally, kept, reported[i].micro, err);
	}
	return status;
}

int search_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct search *search = state;
	for (uint32_t i = 0; i < search->trial_count; i++) { /* Of a run that was stopped. */
		struct search_trial *trial = &search->trial[i];
		if (trial->place)
			trial->spent += (__int128)(sl_now(sim) - trial->since) * trial->units;
	}
	int status = report_lines(search, tally, err);
	for (uint32_t i = 0; i < search->family_count && !status; i++)
		status = report_family(search, &search->family[i], tally, err);
	return status;
}
