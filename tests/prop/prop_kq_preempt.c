/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kq_preempt.c - victims in drawn worlds of Kueue: they make room, none of them can be spared, each is
 * allowed by a policy that is named, the books are as they were, and the order of creation does not matter.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/kq_victims_world.h"

enum { WORLDS = 4000, QUEUES = 5, HOLDERS = 14, COHORTS = 3 };

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

struct drawn {
	int64_t cohort[COHORTS];
	struct {
		uint32_t cohort; /* COHORTS: none. */
		int64_t nominal, borrowing, lending;
		enum kq_within within, reclaim, borrow;
		int64_t threshold;
		double weight;
	} queue[QUEUES];
	struct {
		uint32_t queue;
		int64_t priority, cpu;
		sl_time reserved, created;
		bool evicted;
	} holder[HOLDERS];
	uint32_t preemptor;
	int64_t asks, priority;
	bool fair, gate;
	uint32_t strategies;
};

/* Quotas and holders of about the same sum, so that most queues are near their limits. */
static struct drawn draw_instance(uint32_t seed)
{
	static const enum kq_within within[] = { KQ_NEVER, KQ_LOWER_PRIORITY, KQ_LOWER_OR_NEWER_EQUAL };
	static const enum kq_within reclaim[] = { KQ_NEVER, KQ_LOWER_PRIORITY, KQ_ANY, KQ_ANY };
	static const double weight[] = { 1, 1, 2, 0.5, 0 };
	struct drawn d = { 0 };
	draw_state = seed;
	for (uint32_t i = 0; i < COHORTS; i++)
		d.cohort[i] = draw(2) ? draw(6) : 0;
	for (uint32_t i = 0; i < QUEUES; i++) {
		d.queue[i].cohort = draw(8) ? draw(COHORTS) : COHORTS;
		d.queue[i].nominal = draw(9);
		d.queue[i].borrowing = draw(4) ? KQ_NO_LIMIT : draw(6);
		d.queue[i].lending = draw(4) ? KQ_NO_LIMIT : draw(6);
		d.queue[i].within = within[draw(SL_LEN(within))];
		d.queue[i].reclaim = reclaim[draw(SL_LEN(reclaim))];
		d.queue[i].borrow = draw(2) ? KQ_LOWER_PRIORITY : KQ_NEVER;
		d.queue[i].threshold = draw(3) ? INT32_MAX : draw(3);
		d.queue[i].weight = weight[draw(SL_LEN(weight))];
	}
	for (uint32_t i = 0; i < HOLDERS; i++) {
		d.holder[i].queue = draw(QUEUES);
		d.holder[i].priority = draw(4);
		d.holder[i].cpu = 1 + draw(4);
		d.holder[i].reserved = 1000 + 17 * i % HOLDERS;
		d.holder[i].created = draw(500);
		d.holder[i].evicted = !draw(8);
	}
	d.preemptor = draw(QUEUES);
	d.asks = 1 + draw(7);
	d.priority = draw(5);
	d.fair = draw(2);
	d.gate = draw(3);
	d.strategies = draw(3);
	return d;
}

/* Everything of the world that was drawn; holders are made in this order. */
static uint32_t build(struct ks_instance *w, const struct drawn *d, const uint32_t order[HOLDERS])
{
	static const char *const cohort[] = { "root", "left", "low" }, *const parent[] = { NULL, "root",
		"left" };
	uint32_t queue[QUEUES];
	ks_begin(w);
	for (uint32_t i = 0; i < COHORTS; i++)
		(void)ks_cohort(w, cohort[i], parent[i], d->cohort[i]);
	for (uint32_t i = 0; i < QUEUES; i++) {
		const char name[] = { 'q', (char)('0' + i), 0 };
		const bool member = d->queue[i].cohort < COHORTS;
		queue[i] = ks_queue(w, name, member ? cohort[d->queue[i].cohort] : NULL, d->queue[i].nominal);
		struct kq_node *node = &w->kq->node[queue[i]];
		if (member)
			ks_limits(w, queue[i], d->queue[i].borrowing, d->queue[i].lending);
		node->within = d->queue[i].within;
		node->reclaim = d->queue[i].reclaim;
		node->borrow_within = d->queue[i].borrow;
		node->has_threshold = d->queue[i].threshold != INT32_MAX;
		node->threshold = (int32_t)d->queue[i].threshold;
		node->weight = d->queue[i].weight;
	}
	for (uint32_t k = 0; k < HOLDERS; k++) {
		const uint32_t i = order[k];
		const char name[] = { 'h', (char)('a' + i), 0 };
		const uint32_t row =
			ks_holds(w, name, queue[d->holder[i].queue], d->holder[i].priority, d->holder[i].cpu);
		w->kq->workload[row].created = d->holder[i].created;
		w->kq->workload[row].cond[KQ_QUOTA_RESERVED].at = d->holder[i].reserved;
		if (d->holder[i].evicted)
			kq_set_cond(w->kq, row, KQ_EVICTED, KQ_TRUE, "Preempted", NULL, 2000);
	}
	const uint32_t in = ks_waits(w, "in", d->priority);
	w->kq->workload[in].created = 250;
	ks_seal(w);
	w->kq->config.fair_sharing = d->fair;
	w->kq->config.gate[KQ_GATE_FairSharingPreemptWithinNominal] = d->gate;
	if (d->strategies) {
		w->kq->config.fair_count = 1;
		w->kq->config.fair[0] = d->strategies == 1 ? KQ_LESS_OR_EQUAL_FINAL : KQ_LESS_INITIAL;
	}
	return in;
}

static bool has_room(const struct ks_instance *w, uint32_t queue, int64_t asks, bool borrow)
{
	const uint32_t fr = ks_cell(w, "f", "cpu");
	const size_t at = (size_t)queue * w->kq->fr_count + fr;
	return asks <= kq_available(w->kq, queue, fr) &&
	       (borrow || w->kq->usage[at] + asks <= w->kq->nominal[at]);
}

/* Nobody can be put back while the others are gone. Whether the search was with borrowing is not told; where
 * that cannot be seen, the stricter test is the one that was not passed in either case. */
static void check_capacity(struct ks_instance *w, const struct drawn *d, uint32_t queue,
	const struct kq_victims *found, uint32_t seed)
{
	const kq_marked mark = kq_mark(w->kq);
	for (uint32_t i = 0; i < found->count; i++)
		kq_count_out(w->kq, found->at[i].workload);
	cr_expect(has_room(w, queue, d->asks, true), "world %u: no room", seed);
	bool borrows = d->fair || !has_room(w, queue, d->asks, false);
	for (uint32_t i = 0; i < found->count; i++)
		borrows |= strcmp(found->at[i].reason, "InCohortReclaimWhileBorrowing") == 0;
	for (uint32_t i = 0; i < found->count; i++) {
		const kq_marked inner = kq_mark(w->kq);
		kq_count_in(w->kq, found->at[i].workload);
		cr_expect(!has_room(w, queue, d->asks, borrows), "world %u: %s can be spared", seed,
			w->kq->workload[found->at[i].workload].name);
		kq_undo(w->kq, inner);
	}
	kq_undo(w->kq, mark);
}

static bool allowed(const struct kq_workload *in, const struct kq_workload *other, enum kq_within policy)
{
	switch (policy) {
	case KQ_ANY:
		return true;
	case KQ_LOWER_PRIORITY:
		return other->priority < in->priority;
	case KQ_LOWER_OR_NEWER_EQUAL:
		return other->priority < in->priority ||
		       (other->priority == in->priority && other->created > in->created);
	case KQ_NEVER:
		break;
	}
	return false;
}

/* By the policy that the reason names. */
static void check_victim(struct ks_instance *w, const struct drawn *d, uint32_t in, uint32_t queue,
	const struct kq_victim *victim, uint32_t seed)
{
	const struct kq_workload *row = &w->kq->workload[victim->workload], *asks = &w->kq->workload[in];
	const struct kq_node *own = &w->kq->node[queue], *other = &w->kq->node[row->admission->queue];
	const size_t at = (size_t)row->admission->queue * w->kq->fr_count + ks_cell(w, "f", "cpu");
	const bool fair = strcmp(victim->reason, "InCohortFairSharing") == 0;
	const bool borrowing = strcmp(victim->reason, "InCohortReclaimWhileBorrowing") == 0;
	if (strcmp(victim->reason, "InClusterQueue") == 0) {
		cr_expect(own == other && allowed(asks, row, own->within), "world %u: %s", seed, row->name);
		return;
	}
	cr_expect(fair || borrowing || strcmp(victim->reason, "InCohortReclamation") == 0);
	cr_expect(own != other && own->root == other->root && allowed(asks, row, own->reclaim),
		"world %u: %s", seed, row->name);
	cr_expect_gt(
		w->kq->usage[at], w->kq->nominal[at], "world %u: %s is within its quota", seed, other->name);
	cr_expect(!fair || d->fair);
	cr_expect(
		!borrowing || (!d->fair && own->borrow_within != KQ_NEVER && row->priority < asks->priority &&
				      (!own->has_threshold || row->priority <= own->threshold)),
		"world %u: %s", seed, row->name);
}

Test(prop_kq_preempt, victims, .timeout = 120)
{
	uint32_t some = 0, many = 0, reasons = 0;
	for (uint32_t seed = 1; seed <= WORLDS; seed++) {
		struct ks_instance w;
		const struct drawn d = draw_instance(seed);
		uint32_t order[HOLDERS];
		char reported[sizeof(w.reported)];
		for (uint32_t i = 0; i < HOLDERS; i++)
			order[i] = i;
		uint32_t in = build(&w, &d, order);
		const char name[] = { 'q', (char)('0' + d.preemptor), 0 };
		uint32_t queue = kq_find_queue(w.kq, name);
		const bool needed = !has_room(&w, queue, d.asks, true); /* Else nobody asks for victims. */
		const struct kq_victims found = ks_find(&w, in, queue, d.asks, NULL);
		if (found.count && needed)
			check_capacity(&w, &d, queue, &found, seed);
		for (uint32_t i = 0; i < found.count; i++)
			check_victim(&w, &d, in, queue, &found.at[i], seed);
		some += needed && found.count > 0;
		many += needed && found.count > 2;
		(void)snprintf(reported, sizeof(reported), "%s", ks_report(&w, &found));
		reasons |= strstr(reported, "Queue") ? 1U : 0;
		reasons |= strstr(reported, "Reclamation") ? 2U : 0;
		reasons |= strstr(reported, "Borrowing") ? 4U : 0;
		reasons |= strstr(reported, "Fair") ? 8U : 0;
		ks_end(&w);

		for (uint32_t i = HOLDERS; i-- > 1;) {
			const uint32_t with = draw(i + 1), kept = order[i];
			order[i] = order[with];
			order[with] = kept;
		}
		in = build(&w, &d, order);
		queue = kq_find_queue(w.kq, name);
		cr_expect_str_eq(ks_victims(&w, in, queue, d.asks), reported, "world %u, shuffled", seed);
		ks_end(&w);
	}
	cr_expect_gt(some, WORLDS / 10, "%u worlds have victims", some);
	cr_expect_gt(many, WORLDS / 50, "%u worlds have more than two", many);
	cr_expect_eq(reasons, 15, "each reason was seen");
}
