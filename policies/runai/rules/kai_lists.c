/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_lists.c - which jobs have pods that wait, and which have pods that run: a bit for each job, so that
 * nobody walks through all rows.
 *
 * A bit is set as a pod comes into such a state, and is cleared by a walk that finds the job without one. As
 * long as a mark is open no bit is cleared: what is undone finds its bits as they were. So a bit too many may
 * stand, never one too few, and a walk asks the counts, once
 * as long as no pod of the job comes or goes.
 */
#include "policies/runai/rules/kai_solve.h"

#include <stdlib.h>

enum { BITS = 64 };

static bool kai_lists_holds(const struct kai_job *job, enum kai_list list)
{
	int64_t count = 0;
	if (job->gone)
		return false;
	if (list == KAI_WAITING)
		return job->group[0].count[KAI_PENDING] > 0;
	for (int s = KAI_ALLOCATED; s <= KAI_RUNNING; s++)
		count += job->group[0].count[s];
	return count > 0;
}

/* Memory for the bits of a new row. */
bool kai_lists_grow(struct kai *kai)
{
	const size_t words = ((size_t)kai->job_capacity + BITS - 1) / BITS;
	for (int list = 0; list < KAI_LISTS && words > kai->list_words; list++) {
		size_t have = kai->list_words, sure = kai->list_words;
		if (SL_GROW_ZEROED(kai->list[list], have, words, &kai->err) ||
			SL_GROW_ZEROED(kai->sure[list], sure, words, &kai->err))
			return false;
	}
	kai->list_words = words > kai->list_words ? words : kai->list_words;
	return true;
}

void kai_list_note(struct kai *kai, uint32_t job, enum kai_state state)
{
	const uint64_t bit = UINT64_C(1) << job % BITS;
	for (int each = 0; each < KAI_LISTS; each++)
		kai->sure[each][job / BITS] &= ~bit;
	if (state == KAI_PENDING)
		kai->list[KAI_WAITING][job / BITS] |= bit;
	else if (kai_active_allocated(state))
		kai->list[KAI_ACTIVE][job / BITS] |= bit;
}

/* By the counts of all rows, for comparison. */
static uint32_t next_of_all(const struct kai *kai, enum kai_list list, uint32_t from)
{
	while (from < kai->job_count && !kai_lists_holds(&kai->job[from], list))
		from++;
	return from < kai->job_count ? from : KAI_NO;
}

uint32_t kai_list_next(struct kai *kai, enum kai_list list, uint32_t from)
{
	if (kai->config.exhaustive)
		return next_of_all(kai, list, from);
	for (size_t word = from / BITS; word < kai->list_words; word++) {
		uint64_t *bits = &kai->list[list][word];
		uint64_t left = *bits;
		if (word == from / BITS)
			left &= ~UINT64_C(0) << from % BITS;
		for (; left; left &= left - 1) {
			const uint32_t row = (uint32_t)(word * BITS) + (uint32_t)__builtin_ctzll(left);
			const uint64_t bit = left & -left;
			if (kai->sure[list][word] & bit)
				return row;
			const bool holds = kai_lists_holds(&kai->job[row], list);
			if (!kai->marks && holds)
				kai->sure[list][word] |= bit;
			if (holds)
				return row;
			if (!kai->marks)
				*bits &= ~bit;
		}
	}
	return KAI_NO;
}
