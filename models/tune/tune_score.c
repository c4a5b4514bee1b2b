/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_score.c - how good a candidate is on the first spans, beside today.
 */
#include <math.h>

#include "models/tune/tune_search.h"

static double value_at(const struct tune_search *search, const struct tune_candidate *candidate,
	size_t column, uint32_t span)
{
	return candidate->value[column * search->problem.spans + span];
}

double tune_mean(const struct tune_search *search, const struct tune_candidate *candidate,
	const struct tune_candidate *beside, size_t column, uint32_t spans)
{
	double sum = 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < spans; i++) {
		if (isnan(value_at(search, candidate, column, i)) ||
			isnan(value_at(search, beside, column, i)))
			continue;
		sum += value_at(search, candidate, column, i);
		count++;
	}
	return count ? sum / count : (double)NAN;
}

/* What becomes of 1. Of nothing: the value itself beside 1, so that more is worse. */
static double part_of(double is, double was)
{
	if (isnan(is) || isnan(was))
		return 1;
	return was != 0 ? is / was : 1 + is;
}

/* By how much of the bound it is missed; what is to spare is negative. NAN: it has no bound, or there is no
 * value. */
static double column_slack(const struct tune_column *column, double is, double was)
{
	const bool of_today = column->kind == TUNE_NO_MORE || column->kind == TUNE_NO_LESS;
	const bool above =
		column->kind == TUNE_AT_LEAST || column->kind == TUNE_ABOVE || column->kind == TUNE_NO_LESS;
	const double bound = of_today ? was : column->bound;
	const double scale = fabs(bound) > 0 ? fabs(bound) : 1;
	if (tune_is_goal(column))
		return (double)NAN;
	return (above ? bound - is : is - bound) / scale;
}

/* 0: it is met. Of a strict one the bound itself is beyond. */
static double column_excess(const struct tune_column *column, double is, double was)
{
	const bool strict = column->kind == TUNE_BELOW || column->kind == TUNE_ABOVE;
	const double slack = column_slack(column, is, was);
	if (isnan(slack) || slack < 0 || (slack == 0 && !strict))
		return 0;
	return slack > 0 ? slack : 1e-9;
}

double tune_loss(const struct tune_search *search, const struct tune_candidate *candidate, size_t column,
	uint32_t spans)
{
	const struct tune_candidate *today = &search->candidate[0];
	const double part = part_of(tune_mean(search, candidate, today, column, spans),
		tune_mean(search, today, candidate, column, spans));
	return search->problem.column[column].kind == TUNE_MORE ? 2 - part : part;
}

static double excess_of(
	const struct tune_search *search, const struct tune_candidate *candidate, uint32_t spans)
{
	const struct tune_candidate *today = &search->candidate[0];
	double excess = 0;
	if (candidate->failed)
		return HUGE_VAL;
	for (size_t c = 0; c < search->problem.columns; c++)
		excess += column_excess(&search->problem.column[c],
			tune_mean(search, candidate, today, c, spans),
			tune_mean(search, today, candidate, c, spans));
	return excess;
}

double tune_slack(const struct tune_search *search, const struct tune_candidate *candidate, uint32_t spans)
{
	const struct tune_candidate *today = &search->candidate[0];
	double most = -HUGE_VAL;
	for (size_t c = 0; c < search->problem.columns; c++) {
		const double slack = column_slack(&search->problem.column[c],
			tune_mean(search, candidate, today, c, spans),
			tune_mean(search, today, candidate, c, spans));
		most = slack > most ? slack : most;
	}
	return most;
}

struct tune_score tune_score(
	const struct tune_search *search, const struct tune_candidate *candidate, uint32_t spans)
{
	struct tune_score score = { .excess = excess_of(search, candidate, spans) };
	unsigned goals = 0;
	for (size_t c = 0; c < search->problem.columns && !candidate->failed; c++)
		if (tune_is_goal(&search->problem.column[c])) {
			score.loss += tune_loss(search, candidate, c, spans);
			goals++;
		}
	score.loss = candidate->failed ? HUGE_VAL : score.loss / (goals ? goals : 1);
	return score;
}

size_t tune_moved(const struct tune_search *search, const struct tune_candidate *candidate)
{
	size_t moved = 0;
	for (size_t a = 0; a < search->problem.axes; a++)
		moved += candidate->level[a] != search->problem.axis[a].today;
	return moved;
}

bool tune_dominates(const struct tune_search *search, const struct tune_candidate *a,
	const struct tune_candidate *b, uint32_t spans)
{
	bool better = false;
	if (a->failed || excess_of(search, a, spans) > excess_of(search, b, spans))
		return false;
	if (b->failed || excess_of(search, a, spans) < excess_of(search, b, spans))
		return true;
	for (size_t c = 0; c < search->problem.columns; c++) {
		if (!tune_is_goal(&search->problem.column[c]))
			continue;
		const double of_a = tune_loss(search, a, c, spans);
		const double of_b = tune_loss(search, b, c, spans);
		if (of_a > of_b)
			return false;
		better |= of_a < of_b;
	}
	return better;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

struct ranked {
	size_t candidate, beaten; /* By so many of the pool. */
	struct tune_score score;
	size_t moved;
};

static bool is_better(const struct ranked *a, const struct ranked *b)
{
	if (a->score.excess != b->score.excess)
		return a->score.excess < b->score.excess;
	if (a->beaten != b->beaten)
		return a->beaten < b->beaten;
	if (a->score.loss != b->score.loss)
		return a->score.loss < b->score.loss;
	if (a->moved != b->moved)
		return a->moved < b->moved;
	return a->candidate < b->candidate;
}

static unsigned goals_of(const struct tune_search *search)
{
	unsigned goals = 0;
	for (size_t c = 0; c < search->problem.columns; c++)
		goals += tune_is_goal(&search->problem.column[c]);
	return goals;
}

/* Heap sort: the worst on top. */
static void sift(struct ranked *heap, size_t at, size_t count)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_better(&heap[child], &heap[child + 1]))
			child++;
		if (!is_better(&heap[at], &heap[child]))
			return;
		const struct ranked swap = heap[at];
		heap[at] = heap[child];
		heap[child] = swap;
	}
}

static void rank_by(struct ranked *ranked, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(ranked, i, count);
	for (size_t last = count; last-- > 1;) {
		const struct ranked swap = ranked[0];
		ranked[0] = ranked[last];
		ranked[last] = swap;
		sift(ranked, 0, last);
	}
}

void tune_rank(const struct tune_search *search, size_t *pool, size_t count, uint32_t spans)
{
	struct ranked *ranked = sl_alloc(search->arena, count + 1, sizeof(*ranked));
	if (!ranked)
		return; /* As they stand. */
	for (size_t i = 0; i < count; i++) {
		const struct tune_candidate *candidate = &search->candidate[pool[i]];
		ranked[i] = (struct ranked){ .candidate = pool[i],
			.score = tune_score(search, candidate, spans),
			.moved = tune_moved(search, candidate) };
		for (size_t k = 0; k < count && goals_of(search) > 1; k++)
			ranked[i].beaten +=
				tune_dominates(search, &search->candidate[pool[k]], candidate, spans);
	}
	rank_by(ranked, count);
	for (size_t i = 0; i < count; i++)
		pool[i] = ranked[i].candidate;
}

size_t tune_front(const struct tune_search *search, size_t *front, size_t most)
{
	const uint32_t spans = search->problem.spans;
	size_t count = 0;
	for (size_t i = 0; i < search->count && count < most; i++) {
		const struct tune_candidate *candidate = &search->candidate[i];
		bool beaten = candidate->met < spans || candidate->failed;
		for (size_t k = 0; k < search->count && !beaten; k++)
			beaten = search->candidate[k].met >= spans &&
				 tune_dominates(search, &search->candidate[k], candidate, spans);
		/* Of those that come to the same the first is enough. */
		for (size_t k = 0; k < count && !beaten; k++) {
			const struct tune_candidate *kept = &search->candidate[front[k]];
			bool same = true;
			for (size_t c = 0; c < search->problem.columns; c++)
				same &= !tune_is_goal(&search->problem.column[c]) ||
					tune_loss(search, kept, c, spans) ==
						tune_loss(search, candidate, c, spans);
			beaten = same;
		}
		if (!beaten)
			front[count++] = i;
	}
	tune_rank(search, front, count, spans);
	return count;
}
