/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_clauses.c - clauses of Kueue's queues, cycles and admission fair sharing that no other test covers,
 * one by one.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "policies/kueue/rules/kq_cycle.h"
#include "policies/kueue/tas/kq_tas.h"
#include "tests/world/kq_small.h"

/* A queue q with 4 cpu in flavor f, alone, and another, r, likewise. */
struct two {
	struct kq_small w;
	struct kq *kq;
	uint32_t q, r;
};

static struct two two_open(enum kq_strategy strategy)
{
	struct two t = { .w = kq_small_open() };
	t.kq = t.w.kq;
	t.q = kq_small_queue(&t.w, "q", NULL);
	t.r = kq_small_queue(&t.w, "r", NULL);
	t.kq->node[t.q].strategy = strategy;
	kq_small_quota(&t.w, t.q, "f", "cpu", 4, KQ_NO_LIMIT, KQ_NO_LIMIT);
	kq_small_quota(&t.w, t.r, "f", "cpu", 4, KQ_NO_LIMIT, KQ_NO_LIMIT);
	(void)kq_namespace(t.kq, "ns");
	kq_small_seal(&t.w);
	return t;
}

static uint32_t push(struct two *t, const char *name, int64_t priority, int64_t created_s, int64_t cpu)
{
	const uint32_t row = kq_small_workload(&t->w, "q", name, priority, created_s);
	kq_small_needs(&t->w, row, "cpu", cpu);
	kq_queue_update(t->kq, row);
	return row;
}

static uint32_t where(const struct two *t, uint32_t row) { return t->kq->workload[row].queued; }

static uint32_t active(const struct two *t, uint32_t queue)
{
	const uint32_t *list;
	return kq_waiting(t->kq, queue, KQ_ACTIVE, &list);
}

/* ---- Queues ---- */

Test(kq_clauses, only_the_preemptors_own_leaving_ends_its_mark)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	const uint32_t low = push(&t, "low", 0, 0, 1), high = push(&t, "high", 9, 0, 1);
	(void)kq_queue_requeue(t.kq, low, KQ_REQUEUE_PENDING_PREEMPTION);
	kq_queue_delete(t.kq, high);
	cr_expect(kq_is_sticky(t.kq, low), "another left");
	kq_queue_update(t.kq, high);
	kq_queue_delete(t.kq, low);
	kq_queue_update(t.kq, low);
	cr_expect_not(kq_was_preemptor(t.kq, low), "it left, and is back without the mark");
	cr_expect_eq(kq_queue_pop(t.kq, t.q), high);
	kq_small_close(&t.w);
}

Test(kq_clauses, who_changes_while_active_stands_with_others_of_its_new_shape)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	const uint32_t a = push(&t, "a", 0, 0, 9), b = push(&t, "b", 0, 1, 9), c = push(&t, "c", 0, 2, 1);
	kq_small_needs(&t.w, b, "cpu", 2);
	kq_queue_update(t.kq, b);
	kq_small_needs(&t.w, c, "cpu", 9);
	kq_queue_update(t.kq, c);
	cr_assert_eq(kq_queue_pop(t.kq, t.q), a);
	cr_expect(kq_queue_requeue(t.kq, a, KQ_REQUEUE_NO_FIT));
	cr_expect_eq(where(&t, b), KQ_ACTIVE, "it asks less now");
	cr_expect_eq(where(&t, c), KQ_INADMISSIBLE, "it asks as much now");
	kq_small_close(&t.w);
}

/* In strict order nobody takes others of its shape along. */
Test(kq_clauses, a_head_that_backs_off_in_strict_order_parks_alone)
{
	struct two t = two_open(KQ_STRICT_FIFO);
	const uint32_t a = push(&t, "a", 0, 0, 9), b = push(&t, "b", 0, 1, 9);
	cr_assert_eq(kq_queue_pop(t.kq, t.q), a);
	t.kq->workload[a].requeue_at = t.kq->now + SL_SECOND;
	cr_expect(kq_queue_requeue(t.kq, a, KQ_REQUEUE_NO_FIT), "until its time is over");
	cr_expect_eq(where(&t, b), KQ_ACTIVE);
	kq_small_close(&t.w);
}

Test(kq_clauses, a_local_queue_that_goes_elsewhere_takes_its_workloads_along)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	const uint32_t a = push(&t, "a", 0, 0, 1), b = push(&t, "b", 0, 1, 1);
	cr_assert_eq(kq_queue_pop(t.kq, t.q), a);
	t.kq->local[kq_find_local(t.kq, "ns", "q")].queue = t.r;
	kq_queue_update(t.kq, b);
	cr_expect(active(&t, t.q) == 0 && active(&t, t.r) == 1, "who waits");
	cr_expect_not(kq_queue_requeue(t.kq, a, KQ_REQUEUE_FAILED_AFTER_NOMINATION));
	cr_expect(active(&t, t.q) == 0 && active(&t, t.r) == 2, "who was in flight");
	cr_expect_eq(kq_queue_pop(t.kq, t.q), KQ_NO);
	cr_expect_eq(kq_queue_pop(t.kq, t.r), a);
	kq_small_close(&t.w);
}

Test(kq_clauses, who_may_not_wait_is_not_put_back)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	const uint32_t a = push(&t, "a", 0, 0, 1);
	cr_assert_eq(kq_queue_pop(t.kq, t.q), a);
	t.kq->workload[a].active = false;
	cr_expect_not(kq_queue_requeue(t.kq, a, KQ_REQUEUE_NO_FIT), "it is not inadmissible: it is nowhere");
	cr_expect_eq(where(&t, a), KQ_NOT_QUEUED);
	kq_small_close(&t.w);
}

/* The order that is queried and that of the heap are separate code. */
Test(kq_clauses, heads_come_in_the_order_that_is_reported)
{
	enum { ROWS = 40 };
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	struct sl_rng rng = sl_rng_stream(1, "tests/kq_clauses");
	uint32_t before = KQ_NO, popped = 0;
	for (uint32_t i = 0; i < ROWS; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "w%llu-%u", (unsigned long long)sl_rng_below(&rng, 9), i);
		const int64_t priority = (int64_t)sl_rng_below(&rng, 3);
		(void)push(&t, name, priority, (int64_t)sl_rng_below(&rng, 4), 1);
	}
	(void)kq_queue_requeue(t.kq, 17, KQ_REQUEUE_PENDING_PREEMPTION);
	for (uint32_t head; (head = kq_queue_pop(t.kq, t.q)) != KQ_NO; before = head, popped++) {
		const uint32_t *list, count = kq_waiting(t.kq, t.q, KQ_ACTIVE, &list);
		for (uint32_t i = 0; i < count; i++) {
			cr_expect(kq_queue_before(t.kq, head, list[i]), "%u before %u", head, list[i]);
			cr_expect_not(kq_queue_before(t.kq, list[i], head), "%u after %u", list[i], head);
		}
		cr_expect(before != KQ_NO || head == 17, "the mark is first");
	}
	cr_expect_eq(popped, ROWS);
	kq_small_close(&t.w);
}

/* ---- Cycles ---- */

/* A check that said no, or not now, is asked before quota. */
Test(kq_clauses, a_failed_check_is_no_candidate)
{
	static const enum kq_check_state states[] = { KQ_CHECK_RETRY, KQ_CHECK_REJECTED, KQ_CHECK_PENDING };
	for (size_t i = 0; i < SL_LEN(states); i++) {
		struct two t = two_open(KQ_BEST_EFFORT_FIFO);
		const uint32_t a = push(&t, "a", 0, 0, 1);
		struct kq_workload_check *check = kq_alloc(t.kq, 1, sizeof(*check));
		cr_assert(check);
		check->check = kq_check(t.kq, "c");
		check->state = states[i];
		t.kq->workload[a].check = check;
		t.kq->workload[a].check_count = 1;
		cr_assert(kq_cycle(t.kq));
		cr_expect_eq(t.kq->workload[a].holds, states[i] == KQ_CHECK_PENDING, "state %zu", i);
		cr_expect_eq(where(&t, a), states[i] == KQ_CHECK_PENDING ? KQ_NOT_QUEUED : KQ_INADMISSIBLE,
			"state %zu", i);
		kq_small_close(&t.w);
	}
}

/* 6 pods where 4 fit, at least so many: admitted in part only with the feature gate, and only if the least
 * fits; else as if nothing had been tried. */
Test(kq_clauses, in_part_with_the_gate_and_where_the_least_fits)
{
	static const struct {
		bool gate;
		int64_t least, count;
	} want[] = { { true, 2, 4 }, { true, 4, 4 }, { true, 5, 0 }, { true, 0, 0 }, { true, 6, 0 },
		{ false, 2, 0 } };
	for (size_t i = 0; i < SL_LEN(want); i++) {
		struct two t = two_open(KQ_BEST_EFFORT_FIFO);
		const uint32_t a = push(&t, "a", 0, 0, 1);
		struct kq_workload *row = &t.kq->workload[a];
		t.kq->config.gate[KQ_GATE_PartialAdmission] = want[i].gate;
		row->podset[0].count = 6;
		row->podset[0].min_count = want[i].least;
		kq_queue_update(t.kq, a);
		cr_assert(kq_cycle(t.kq));
		cr_expect_eq(row->holds ? row->admission->podset[0].count : 0, want[i].count, "row %zu", i);
		const char *message = row->pending_message ? row->pending_message : "";
		const char *full = "couldn't assign flavors to pod set main: insufficient quota for cpu in "
				   "flavor f, previously considered podsets requests (0) + current podset "
				   "request (6m) > maximum capacity (4m)";
		cr_expect_str_eq(message, want[i].count ? "" : full, "row %zu", i);
		kq_small_close(&t.w);
	}
}

/* A head is requeued with a reason of its own: no quota at all, quota that others use. */
Test(kq_clauses, why_it_waits)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	const uint32_t a = push(&t, "a", 0, 0, 3), b = push(&t, "b", 0, 1, 2), c = push(&t, "c", 0, 2, 5);
	for (int i = 0; i < 3; i++)
		cr_assert(kq_cycle(t.kq));
	cr_expect(t.kq->workload[a].holds);
	cr_expect_str_eq(t.kq->workload[b].pending_reason, "WaitingForQuota");
	cr_expect_str_eq(t.kq->workload[c].pending_reason, "ExceedsMaxQuota");
	kq_small_close(&t.w);
}

/* ---- Admission fair sharing ---- */

static struct two shared_open(void)
{
	struct two t = two_open(KQ_BEST_EFFORT_FIFO);
	t.kq->node[t.q].usage_based = true;
	t.kq->config.afs = true;
	t.kq->config.afs_half_life = t.kq->config.afs_interval = 100 * SL_SECOND;
	for (uint32_t l = 0; l < t.kq->local_count; l++)
		t.kq->local[l].used[KQ_CPU] = 8;
	t.kq->now = 100 * SL_SECOND;
	return t;
}

Test(kq_clauses, only_local_queues_of_queues_by_usage_are_sampled)
{
	struct two t = shared_open();
	kq_afs_sample(t.kq);
	cr_expect_eq(t.kq->local[kq_find_local(t.kq, "ns", "q")].used[KQ_CPU], 4.0, "a half-life has passed");
	cr_expect_eq(t.kq->local[kq_find_local(t.kq, "ns", "r")].used[KQ_CPU], 8.0, "not by usage");
	kq_small_close(&t.w);
}

Test(kq_clauses, without_its_gate_usage_is_neither_sampled_nor_charged)
{
	for (int on = 0; on < 2; on++) {
		struct two t = shared_open();
		const struct kq_local_queue *q = &t.kq->local[kq_find_local(t.kq, "ns", "q")];
		t.kq->config.gate[KQ_GATE_AdmissionFairSharing] = on;
		const uint32_t a = push(&t, "a", 0, 0, 2);
		kq_afs_sample(t.kq);
		cr_expect_eq(q->used[KQ_CPU], on ? 4.0 : 8.0);
		kq_afs_reserved(t.kq, a);
		cr_expect_eq(q->penalty[KQ_CPU], on ? 2.0 : 0.0);
		kq_afs_dropped(t.kq, a);
		cr_expect_eq(q->penalty[KQ_CPU], 0.0);
		kq_small_close(&t.w);
	}
}

/* ---- Topologies ---- */

/* Cpu and gpu of two flavors with a topology each: pods have to be placed in one. No pods, no place. */
Test(kq_clauses, two_topologies_are_one_too_many_for_pods)
{
	struct kq_small w = kq_small_open();
	struct kq_scratch *scratch = kq_scratch_new();
	const uint32_t q = kq_small_queue(&w, "q", NULL);
	kq_small_quota(&w, q, "f", "cpu", 4, KQ_NO_LIMIT, KQ_NO_LIMIT);
	kq_small_quota(&w, q, "g", "gpu", 4, KQ_NO_LIMIT, KQ_NO_LIMIT);
	w.kq->flavor[kq_flavor(w.kq, "f")].topology = kq_topology(w.kq, "one");
	w.kq->flavor[kq_flavor(w.kq, "g")].topology = kq_topology(w.kq, "two");
	for (uint32_t i = 0; i < w.kq->topology_count; i++) {
		w.kq->topology[i].exists = true;
		w.kq->topology[i].level[w.kq->topology[i].level_count++] = "kubernetes.io/hostname";
	}
	const uint32_t job = kq_small_workload(&w, "q", "job", 0, 0);
	const struct kq_amount asks[] = { { kq_resource(w.kq, "cpu"), 1 }, { kq_resource(w.kq, "gpu"), 1 } };
	struct kq_podset *podset = w.kq->workload[job].podset;
	podset->request = kq_amounts(w.kq, asks, SL_LEN(asks));
	podset->topology = (struct kq_topology_request){ .given = true, .unconstrained = true };
	kq_small_seal(&w);
	const struct kq_assign_options options = { .forget = true };
	cr_expect_eq(kq_assign(w.kq, scratch, job, q, &options)->mode, KQ_NO_FIT);
	podset->count = 0;
	cr_expect_eq(kq_assign(w.kq, scratch, job, q, &options)->mode, KQ_FIT);
	kq_scratch_free(scratch);
	kq_small_close(&w);
}
