/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_preempt.c - victims by classical preemption, and the frame of both searches: what is requested, whether
 * it fits, who can be spared again.
 *
 * Rules: Kueue's pkg/scheduler/preemption, Preemptor (GetTargets, classicalPreemptions; KEP-83, workload
 * preemption; KEP-1337, within a cohort while borrowing; KEP-79, hierarchical cohorts), by the scheduler's
 * code at the commit that kq.h names.
 */
#include "policies/kueue/rules/kq_victims.h"

#include <stdlib.h>
#include <string.h>

static int64_t used(const struct kq *kq, uint32_t node, uint32_t fr)
{
	return kq->usage[(size_t)node * kq->fr_count + fr];
}

/* ---- The frame ---- */

bool kq_search_fits(const struct kq_search *search, bool borrow)
{
	struct kq *kq = search->kq;
	for (uint32_t i = 0; i < search->needs_count; i++) {
		const struct kq_usage_cell *cell = &search->needs[i];
		const int64_t available = kq_available(kq, search->queue, cell->fr);
		if (cell->amount > (available > 0 ? available : 0))
			return false;
		if (!borrow && kq_add(used(kq, search->queue, cell->fr), cell->amount) >
				       kq->nominal[(size_t)search->queue * kq->fr_count + cell->fr])
			return false;
	}
	return !search->options || !search->options->fits || search->options->fits(search->options->self, kq);
}

void kq_search_take(struct kq_search *search, uint32_t workload, const char *reason)
{
	if (SL_GROW(search->gone.at, search->gone_capacity, search->gone.count + 1, &search->kq->err))
		return;
	search->gone.at[search->gone.count++] = (struct kq_victim){ workload, reason };
	kq_count_out(search->kq, workload);
}

/* From the last but one backwards: who can stay, stays; the last one takes its place in the list. */
void kq_search_give_back(struct kq_search *search, bool borrow)
{
	struct kq *kq = search->kq;
	struct kq_victims *gone = &search->gone;
	for (uint32_t i = gone->count > 1 ? gone->count - 1 : 0; i-- > 0;) {
		const kq_marked mark = kq_mark(kq);
		kq_count_in(kq, gone->at[i].workload);
		if (!kq_search_fits(search, borrow)) {
			kq_undo(kq, mark);
			continue;
		}
		kq_keep(kq, mark);
		gone->at[i] = gone->at[--gone->count];
	}
}

/* ---- Where candidates come from ---- */

/* In every cell that is needed. */
static bool within_quota(const struct kq_search *search, uint32_t node)
{
	const struct kq *kq = search->kq;
	for (uint32_t i = 0; i < search->need_count; i++)
		if (used(kq, node, search->need[i]) >
			kq->subtree[(size_t)node * kq->fr_count + search->need[i]])
			return false;
	return true;
}

/* Does the rest of what is requested fit the node's own quota? What its free quota cannot hold goes on
 * upwards.
 */
static bool fits_own_quota(const struct kq_search *search, uint32_t node, int64_t *rest)
{
	const struct kq *kq = search->kq;
	bool fits = true;
	for (uint32_t i = 0; i < search->needs_count; i++) {
		const uint32_t fr = search->needs[i].fr;
		if (kq_add(used(kq, node, fr), rest[i]) > kq->subtree[(size_t)node * kq->fr_count + fr])
			fits = false;
		const int64_t left = kq_sub(rest[i], kq_local_free(kq, node, fr));
		rest[i] = left > 0 ? left : 0;
	}
	return fits;
}

struct classical {
	struct kq_search *search;
	struct kq_candidates hierarchical, by_priority, own;
	struct kq_candidates all; /* In the order in which they go. */
};

struct visit {
	uint32_t common, skip; /* The cohort whose subtree it is; the part that was visited. */
	bool advantage;
};

/* Only branches that are above their quota have victims. Queues that are not active are no members. */
static void visit_cohort(struct classical *c, const struct visit *visit, uint32_t cohort)
{
	const struct kq *kq = c->search->kq;
	for (uint32_t i = 0; i < kq->node[cohort].child_count; i++) {
		const uint32_t child = kq->node[cohort].child[i];
		if (child == visit->skip || child == c->search->queue || within_quota(c->search, child))
			continue;
		if (!kq->node[child].is_queue)
			visit_cohort(c, visit, child);
		else if (kq->node[child].active)
			kq_candidates_of(c->search, child, visit->common, visit->advantage,
				visit->advantage ? &c->hierarchical : &c->by_priority);
	}
}

/* Ancestors from below. Once the rest of the request fits the quota of one of them, those above are met with
 * advantage: what they use is ours by right. */
static void collect_others(struct classical *c)
{
	const struct kq_search *search = c->search;
	const struct kq *kq = search->kq;
	if (kq->node[search->queue].reclaim == KQ_NEVER)
		return;
	int64_t *rest = malloc((search->needs_count + 1) * sizeof(*rest));
	if (!rest) {
		(void)sl_fail_memory(&search->kq->err);
		return;
	}
	for (uint32_t i = 0; i < search->needs_count; i++)
		rest[i] = search->needs[i].amount;
	struct visit visit = { .skip = KQ_NO, .advantage = fits_own_quota(search, search->queue, rest) };
	for (uint32_t node = kq->node[search->queue].parent; node != KQ_NO; node = kq->node[node].parent) {
		visit.common = node;
		visit_cohort(c, &visit, node);
		visit.advantage |= fits_own_quota(search, node, rest);
		visit.skip = node;
	}
	free(rest);
}

static uint32_t evicted_of(const struct kq *kq, const struct kq_candidates *list)
{
	uint32_t count = 0;
	while (count < list->count && kq_is(&kq->workload[list->at[count].workload].cond[KQ_EVICTED]))
		count++;
	return count;
}

static void kq_preempt_append(
	struct kq_candidates *all, const struct kq_candidates *list, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++)
		all->at[all->count++] = list->at[i];
}

/* Those that are evicted already, class by class, then the others. */
static void order_all(struct classical *c)
{
	struct kq *kq = c->search->kq;
	struct kq_candidates *const list[] = { &c->hierarchical, &c->by_priority, &c->own };
	uint32_t evicted[SL_LEN(list)], count = 0;
	for (uint32_t i = 0; i < SL_LEN(list); i++) {
		kq_candidates_order(kq, c->search->queue, list[i]->at, list[i]->count);
		evicted[i] = evicted_of(kq, list[i]);
		count += list[i]->count;
	}
	c->all.at = malloc((count + 1) * sizeof(*c->all.at));
	if (!c->all.at) {
		(void)sl_fail_memory(&kq->err);
		return;
	}
	for (uint32_t i = 0; i < SL_LEN(list); i++)
		kq_preempt_append(&c->all, list[i], 0, evicted[i]);
	for (uint32_t i = 0; i < SL_LEN(list); i++)
		kq_preempt_append(&c->all, list[i], evicted[i], list[i]->count);
}

/* ---- Attempts ---- */

/* What was above its quota may be so no more, now that others of it are gone. */
static bool still_valid(const struct kq_search *search, const struct kq_candidate *candidate, bool borrow)
{
	const struct kq *kq = search->kq;
	if (candidate->class == KQ_CLASS_OWN)
		return true;
	if (borrow && candidate->class == KQ_CLASS_NO_BORROW)
		return false;
	for (uint32_t node = kq_held_of(kq, candidate->workload); node != KQ_NO && node != candidate->common;
		node = kq->node[node].parent)
		if (within_quota(search, node))
			return false;
	return true;
}

static const char *kq_preempt_reason_of(enum kq_class class)
{
	switch (class) {
	case KQ_CLASS_OWN:
		return "InClusterQueue";
	case KQ_CLASS_WHILE_BORROWING:
		return "InCohortReclaimWhileBorrowing";
	case KQ_CLASS_HIERARCHICAL:
	case KQ_CLASS_NO_BORROW:
		break;
	}
	return "InCohortReclamation";
}

static bool attempt(struct classical *c, bool borrow)
{
	struct kq_search *search = c->search;
	const kq_marked mark = kq_mark(search->kq);
	bool fits = false;
	search->gone.count = 0;
	for (uint32_t i = 0; i < c->all.count && !fits; i++) {
		if (!still_valid(search, &c->all.at[i], borrow))
			continue;
		kq_search_take(search, c->all.at[i].workload, kq_preempt_reason_of(c->all.at[i].class));
		fits = kq_search_fits(search, borrow);
	}
	if (fits)
		kq_search_give_back(search, borrow);
	kq_undo(search->kq, mark);
	return fits;
}

/* Strictly, in every cell that is needed. */
static bool below_nominal(const struct kq_search *search)
{
	const struct kq *kq = search->kq;
	for (uint32_t i = 0; i < search->need_count; i++)
		if (used(kq, search->queue, search->need[i]) >=
			kq->nominal[(size_t)search->queue * kq->fr_count + search->need[i]])
			return false;
	return true;
}

/* With borrowing fewer may be preempted, without it less may be used: which is tried first is Kueue's. */
static bool attempts(struct classical *c)
{
	const bool others = c->hierarchical.count || c->by_priority.count;
	const bool forbidden = c->search->kq->node[c->search->queue].borrow_within == KQ_NEVER;
	if (!others || (forbidden && !below_nominal(c->search)))
		return attempt(c, true);
	const bool first = !(forbidden && !c->hierarchical.count);
	return attempt(c, first) || attempt(c, !first);
}

static bool search_classical(struct kq_search *search)
{
	struct classical c = { .search = search };
	kq_candidates_of(search, search->queue, KQ_NO, false, &c.own);
	collect_others(&c);
	order_all(&c);
	const bool found = !search->kq->err.status && attempts(&c);
	free(c.hierarchical.at);
	free(c.by_priority.at);
	free(c.own.at);
	free(c.all.at);
	return found;
}

/* ---- What is requested ---- */

static struct kq_victims search_victims(struct kq_search *search, struct kq_scratch *scratch)
{
	struct kq *kq = search->kq;
	struct kq_victims found = { 0 };
	const kq_marked mark = kq_mark(kq);
	const bool ok = kq->config.fair_sharing ? kq_search_fair(search) : search_classical(search);
	kq_undo(kq, mark);
	if (ok && !kq->err.status && search->gone.count) {
		found.at = kq_scratch_alloc(kq, scratch, search->gone.count, sizeof(*found.at));
		if (found.at) {
			found.count = search->gone.count;
			memcpy(found.at, search->gone.at, found.count * sizeof(*found.at));
		}
	}
	free(search->gone.at);
	return found;
}

/* The picks of an assignment as cells. What is requested lacks `pods`, as in Kueue, which takes it from the
 * workload's own requests: a victim search may succeed with these still missing. */
struct asked {
	uint32_t *need;
	struct kq_usage_cell *needs;
	uint32_t need_count, needs_count;
	bool unknown; /* A cell that no quota names. */
};

static void need_cell(struct asked *asked, uint32_t fr)
{
	for (uint32_t i = 0; i < asked->need_count; i++)
		if (asked->need[i] == fr)
			return;
	asked->need[asked->need_count++] = fr;
}

static void needs_cell(struct asked *asked, uint32_t fr, int64_t amount)
{
	for (uint32_t i = 0; i < asked->needs_count; i++)
		if (asked->needs[i].fr == fr) {
			asked->needs[i].amount = kq_add(asked->needs[i].amount, amount);
			return;
		}
	asked->needs[asked->needs_count++] = (struct kq_usage_cell){ fr, amount };
}

static void needs_pick(const struct kq *kq, struct asked *asked, const struct kq_podset_assignment *podset,
	const struct kq_pick *pick)
{
	if (pick->flavor == KQ_NO)
		return;
	const uint32_t fr = kq_fr(kq, pick->flavor, pick->resource);
	const int64_t amount = kq_amount_of(&podset->requests, pick->resource);
	if (fr == KQ_NO) {
		asked->unknown |= amount > 0;
		return;
	}
	if (pick->mode == KQ_PREEMPT)
		need_cell(asked, fr);
	if (amount > 0 && pick->resource != KQ_PODS)
		needs_cell(asked, fr, amount);
}

static struct asked asked_of(
	struct kq *kq, struct kq_scratch *scratch, const struct kq_assignment *assignment)
{
	uint32_t picks = 0;
	for (uint32_t p = 0; p < assignment->podset_count; p++)
		picks += assignment->podset[p].pick_count;
	struct asked asked = { .need = kq_scratch_alloc(kq, scratch, picks, sizeof(*asked.need)),
		.needs = kq_scratch_alloc(kq, scratch, picks, sizeof(*asked.needs)) };
	if (!asked.need || !asked.needs)
		return asked;
	for (uint32_t p = 0; p < assignment->podset_count; p++)
		for (uint32_t i = 0; i < assignment->podset[p].pick_count; i++)
			needs_pick(kq, &asked, &assignment->podset[p], &assignment->podset[p].pick[i]);
	return asked;
}

struct kq_victims kq_victims_of(struct kq *kq, struct kq_scratch *scratch,
	const struct kq_assignment *assignment, const struct kq_preempt_options *options)
{
	const struct asked asked = asked_of(kq, scratch, assignment);
	struct kq_search search = { .kq = kq,
		.workload = assignment->workload,
		.queue = assignment->queue,
		.need = asked.need,
		.need_count = asked.need_count,
		.needs = asked.needs,
		.needs_count = asked.needs_count,
		.options = options };
	if (kq->err.status || asked.unknown)
		return (struct kq_victims){ 0 };
	return search_victims(&search, scratch);
}

/* NOLINTNEXTLINE(readability-function-size): its parameters are those of kq_oracle. */
enum kq_grain kq_preempt_oracle(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow)
{
	const struct kq_usage_cell needs = { fr, amount };
	struct kq_search search = { .kq = kq,
		.workload = workload,
		.queue = queue,
		.need = &fr,
		.need_count = 1,
		.needs = &needs,
		.needs_count = 1 };
	const struct kq_victims victims = search_victims(&search, self);
	const kq_marked mark = kq_mark(kq);
	enum kq_grain grain = victims.count ? KQ_GRAIN_RECLAIM : KQ_GRAIN_NO_CANDIDATES;
	for (uint32_t i = 0; i < victims.count; i++) {
		kq_count_out(kq, victims.at[i].workload);
		if (kq_held_of(kq, victims.at[i].workload) == queue)
			grain = KQ_GRAIN_PREEMPT;
	}
	bool reclaim;
	*borrow = kq_borrow_height(kq, queue, fr, amount, &reclaim);
	kq_undo(kq, mark);
	return grain;
}
