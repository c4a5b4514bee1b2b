/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * judge.c - who loses, and when.
 *
 * asha: a trial that comes to a rung goes on if it is among the best 1/eta of those that have come there so
 * far, itself included (the form that stops trials; Li et al. write of one that pauses and promotes them, for
 * which a job would have to release its nodes). sha: nobody loses before all that are left have come to the
 * rung, or ended. Meanwhile those that have come work on: what waits for a place could not come if they held
 * theirs and stood still. median: at a step, a trial loses whose best score so far is worse than the median
 * of the means, up to that step, of the trials that have completed. first: at the target all are stopped, the
 * one that has it too.
 */
#include <stdlib.h>

#include "models/search/search.h"

static sl_time judge_work_of(struct sim *sim, uint32_t row)
{
	const sl_job job = { row };
	return sl_done_of(sim, job) + sl_kept_of(sim, job);
}

static void search_note(struct search *search, struct sim *sim, uint32_t index, const char *event,
	uint32_t rung, int64_t score)
{
	const struct search_trial *trial = &search->trial[index];
	struct search_family *family = &search->family[trial->family];
	if (score != SL_NONE && (family->best == SL_NONE || score < family->best)) {
		family->best = score;
		family->best_row = trial->row;
	}
	search->failed |= SL_GROW(search->line, search->line_capacity, search->line_count + 1, NULL) != SL_OK;
	if (search->failed)
		return;
	search->line[search->line_count++] = (struct search_line){ trial->family, trial->row, rung,
		sl_now(sim), judge_work_of(sim, trial->row), score, family->best, event };
}

static void lose(struct search *search, struct sim *sim, uint32_t index, uint32_t rung)
{
	struct search_trial *trial = &search->trial[index];
	const sl_job job = { trial->row };
	if (trial->over)
		return;
	trial->over = trial->lost = true;
	const sl_time done = judge_work_of(sim, trial->row);
	trial->left = search->jobs->run[trial->row] > done ? search->jobs->run[trial->row] - done : 0;
	search->family[trial->family].stopped++;
	search_note(search, sim, index, "stop", rung, SL_NONE);
	sl_model_cancel(sim, job);
}

/* ---- asha ---------------------------------------------------------------------------------------- */

static void judge_asha(struct search *search, struct sim *sim, uint32_t index, uint32_t place)
{
	const struct search_trial *trial = &search->trial[index];
	const struct search_family *family = &search->family[trial->family];
	if (place >= search_keep(family->rung[trial->next].count, family->rule.eta))
		lose(search, sim, index, trial->next);
}

/* ---- sha ------------------------------------------------------------------------------------------ */

/* Who is left, and has not come to the rung of now. */
static void count_pending(struct search *search, struct sim *sim, struct search_family *family)
{
	family->pending = 0;
	for (uint32_t i = family->first; i < family->first + family->count; i++) {
		struct search_trial *trial = &search->trial[i];
		const enum sl_state state = sl_state_of(sim, (sl_job){ trial->row });
		if (state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED)
			trial->over = true; /* Cancelled by its user as it waited, too. */
		family->pending += !trial->over && trial->next <= family->level;
	}
}

static void halve(struct search *search, struct sim *sim, struct search_family *family)
{
	struct search_rung *rung = &family->rung[family->level];
	uint32_t count = 0;
	for (uint32_t i = 0; i < rung->count; i++)
		if (!search->trial[search->trial_of[rung->result[i].row] - 1].out)
			rung->result[count++] = rung->result[i];
	rung->count = count;
	for (uint32_t i = search_keep(count, family->rule.eta); i < count; i++) {
		const uint32_t index = search->trial_of[rung->result[i].row] - 1;
		search->trial[index].out = true;
		lose(search, sim, index, family->level);
	}
	family->level++;
	count_pending(search, sim, family);
}

/* A rung that nobody came to is the last. */
static void judge_sha(struct search *search, struct sim *sim, struct search_family *family)
{
	if (search->jobs->cancel && family->pending)
		count_pending(search, sim, family);
	while (!family->pending && family->level < family->rungs && family->rung[family->level].count)
		halve(search, sim, family);
}

/* ---- median ----------------------------------------------------------------------------------------- */

/* Of its scores up to that step, or up to its last. */
static int64_t judge_mean_of(const struct search_trial *trial, uint32_t steps)
{
	const uint32_t count = steps < trial->steps ? steps : trial->steps;
	return sl_mul_div(trial->sum[count], 1, count);
}

static void judge_median(struct search *search, struct sim *sim, uint32_t index)
{
	const struct search_trial *trial = &search->trial[index];
	const struct search_family *family = &search->family[trial->family];
	uint32_t count = 0;
	for (uint32_t i = family->first; i < family->first + family->count; i++)
		if (search->trial[i].completed && search->trial[i].steps)
			search->scratch[count++] = judge_mean_of(&search->trial[i], trial->steps);
	if (count && trial->best > search_median(search->scratch, count))
		lose(search, sim, index, trial->next);
}

/* ---- first -------------------------------------------------------------------------------------------- */

static void judge_first(struct search *search, struct sim *sim, uint32_t index)
{
	struct search_family *family = &search->family[search->trial[index].family];
	family->over = true;
	for (uint32_t i = family->first; i < family->first + family->count; i++) {
		const uint32_t row = search->trial[i].row;
		const sl_time submit = search->jobs->submit[row];
		if (submit >= sl_now(sim)) /* It cannot be cancelled before it comes. */
			sl_model_wake(sim, submit + 1, row);
		else
			lose(search, sim, i, 0);
	}
}

/* ---- All ---------------------------------------------------------------------------------------- */

static void step_taken(struct search_trial *trial, int64_t score)
{
	trial->sum[trial->steps + 1] = trial->sum[trial->steps] + score;
	trial->steps++;
	if (trial->best == SL_NONE || score < trial->best)
		trial->best = score;
}

void search_judge(struct search *search, struct sim *sim, uint32_t index)
{
	struct search_trial *trial = &search->trial[index];
	struct search_family *family = &search->family[trial->family];
	const enum search_kind kind = family->rule.kind;
	const int64_t score = search_score(search_profile(search, trial->row), trial->due);
	search_note(search, sim, index, kind == SEARCH_FIRST ? "target" : "rung", trial->next, score);
	if (kind == SEARCH_FIRST) {
		judge_first(search, sim, index);
		return;
	}
	if (kind == SEARCH_MEDIAN) {
		step_taken(trial, score);
		judge_median(search, sim, index);
	} else {
		const uint32_t place =
			search_put(&family->rung[trial->next], (struct search_result){ score, trial->row });
		if (kind == SEARCH_ASHA)
			judge_asha(search, sim, index, place);
		else
			family->pending -= trial->next == family->level;
	}
	trial->next++;
	if (kind == SEARCH_SHA)
		judge_sha(search, sim, family);
}

void search_gone(struct search *search, struct sim *sim, uint32_t index)
{
	struct search_trial *trial = &search->trial[index];
	struct search_family *family = &search->family[trial->family];
	const enum sl_state state = sl_state_of(sim, (sl_job){ trial->row });
	if (trial->over)
		return;
	trial->over = true;
	trial->completed = state == SL_COMPLETED;
	const int64_t score = search_score(search_profile(search, trial->row), search->jobs->run[trial->row]);
	search_note(search, sim, index, trial->completed ? "end" : "lost", trial->next,
		trial->completed ? score : SL_NONE);
	if (family->rule.kind != SEARCH_SHA)
		return;
	family->pending -= trial->next <= family->level;
	judge_sha(search, sim, family);
}
