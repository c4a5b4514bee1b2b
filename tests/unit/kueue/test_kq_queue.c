/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_queue.c - what waits in Kueue's queues, clause by clause, in small cases worked by hand.
 */
#include <criterion/criterion.h>

#include "tests/world/kq_small.h"

/* A queue q of the given strategy, alone or in cohort co. */
struct one {
	struct kq_small w;
	struct kq *kq;
	uint32_t q;
};

static struct one one_open(enum kq_strategy strategy, const char *cohort)
{
	struct one o = { .w = kq_small_open() };
	o.kq = o.w.kq;
	if (cohort)
		(void)kq_small_cohort(&o.w, cohort, NULL);
	o.q = kq_small_queue(&o.w, "q", cohort);
	o.kq->node[o.q].strategy = strategy;
	kq_small_seal(&o.w);
	return o;
}

static uint32_t push(struct one *o, const char *name, int64_t priority, int64_t created_s)
{
	const uint32_t row = kq_small_workload(&o->w, "q", name, priority, created_s);
	kq_queue_update(o->kq, row);
	return row;
}

static void condition(struct one *o, uint32_t row, enum kq_cond_type type, enum kq_cond_status status,
	const char *reason, int64_t at_s)
{
	kq_set_cond(o->kq, row, type, status, reason, NULL, at_s * SL_SECOND);
}

static uint32_t where(const struct one *o, uint32_t row) { return o->kq->workload[row].queued; }

/* ---- Order ---- */

Test(kq_queue, priority_then_time_then_uid_then_name)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t late = kq_small_workload(&o.w, "q", "late", 0, 9);
	const uint32_t uid_b = kq_small_workload(&o.w, "q", "a", 0, 5);
	const uint32_t uid_a = kq_small_workload(&o.w, "q", "z", 0, 5);
	const uint32_t name_b = kq_small_workload(&o.w, "q", "n-b", 0, 7);
	const uint32_t name_a = kq_small_workload(&o.w, "q", "n-a", 0, 7);
	const uint32_t high = kq_small_workload(&o.w, "q", "high", 1, 99);
	const uint32_t untimed = kq_small_workload(&o.w, "q", "untimed", 0, 0);
	o.kq->workload[untimed].created = SL_NONE;
	o.kq->workload[uid_a].uid = kq_text(o.kq, "1");
	o.kq->workload[uid_b].uid = kq_text(o.kq, "2");
	const uint32_t want[] = { high, untimed, uid_a, uid_b, name_a, name_b, late };
	for (uint32_t i = 0; i < o.kq->workload_count; i++)
		kq_queue_update(o.kq, i);
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_eq(kq_queue_pop(o.kq, o.q), want[i], "place %zu", i);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), KQ_NO);
	cr_expect(kq_queue_before(o.kq, uid_a, uid_b));
	cr_expect_not(kq_queue_before(o.kq, uid_b, uid_a));
	kq_small_close(&o.w);
}

Test(kq_queue, time_is_that_of_the_eviction_where_its_reason_says_so)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t row = kq_small_workload(&o.w, "q", "a", 0, 5);
	const struct kq_workload *a = &o.kq->workload[row];
	cr_expect_eq(kq_queue_time(o.kq, a), 5 * SL_SECOND);
	condition(&o, row, KQ_EVICTED, KQ_TRUE, "PodsReadyTimeout", 60);
	cr_expect_eq(kq_queue_time(o.kq, a), 60 * SL_SECOND);
	o.kq->config.by_creation = true;
	cr_expect_eq(kq_queue_time(o.kq, a), 5 * SL_SECOND, "requeuingStrategy.timestamp: Creation");
	condition(&o, row, KQ_EVICTED, KQ_TRUE, "AdmissionCheck", 60);
	cr_expect_eq(kq_queue_time(o.kq, a), 60 * SL_SECOND, "whatever the strategy");
	condition(&o, row, KQ_EVICTED, KQ_FALSE, "AdmissionCheck", 60);
	cr_expect_eq(kq_queue_time(o.kq, a), 5 * SL_SECOND, "it is over");
	condition(&o, row, KQ_EVICTED, KQ_TRUE, "Preempted", 60);
	condition(&o, row, KQ_PREEMPTED, KQ_TRUE, "InCohortReclaimWhileBorrowing", 60);
	cr_expect_eq(kq_queue_time(o.kq, a), 5 * SL_SECOND, "its original place");
	o.kq->config.gate[KQ_GATE_PrioritySortingWithinCohort] = false;
	cr_expect_eq(kq_queue_time(o.kq, a), 60 * SL_SECOND + 1000, "a millisecond after");
	kq_small_close(&o.w);
}

Test(kq_queue, boosts_count_with_their_gate_alone)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t row = kq_small_workload(&o.w, "q", "a", 5, 0);
	struct kq_workload *a = &o.kq->workload[row];
	a->has_boost = true;
	a->boost = 10;
	cr_expect_eq(kq_priority(o.kq, a), 5);
	o.kq->config.gate[KQ_GATE_PriorityBoost] = true;
	cr_expect_eq(kq_priority(o.kq, a), 15);
	a->has_boost = false; /* It was no number. */
	cr_expect_eq(kq_priority(o.kq, a), 5);
	kq_small_close(&o.w);
}

Test(kq_queue, who_may_not_stand_in_a_queue)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t row = push(&o, "a", 0, 0);
	struct kq_workload *a = &o.kq->workload[row];
	struct kq_local_queue *local = &o.kq->local[a->local];
	cr_expect_eq(where(&o, row), KQ_ACTIVE);
#define OUT(what, change, back)                                    \
	do {                                                       \
		change;                                            \
		kq_queue_update(o.kq, row);                        \
		cr_expect_eq(where(&o, row), KQ_NOT_QUEUED, what); \
		back;                                              \
		kq_queue_update(o.kq, row);                        \
		cr_expect_eq(where(&o, row), KQ_ACTIVE, what);     \
	} while (0)
	OUT("not active", a->active = false, a->active = true);
	OUT("on hold", a->on_hold = true, a->on_hold = false);
	OUT("deleted", a->deleted = true, a->deleted = false);
	OUT("finished", a->cond[KQ_FINISHED].status = KQ_TRUE, a->cond[KQ_FINISHED].status = KQ_ABSENT);
	OUT("reserved", a->cond[KQ_QUOTA_RESERVED].status = KQ_TRUE,
		a->cond[KQ_QUOTA_RESERVED].status = KQ_FALSE);
	OUT("stopped", local->stop = KQ_HOLD, local->stop = KQ_STOP_NONE);
	OUT("of no queue", local->queue = KQ_NO, local->queue = o.q);
#undef OUT
	kq_small_close(&o.w);
}

Test(kq_queue, an_inactive_queue_keeps_but_gives_nobody)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t row = push(&o, "a", 0, 0);
	o.kq->node[o.q].active = false;
	cr_expect_eq(kq_queue_pop(o.kq, o.q), KQ_NO);
	cr_expect_not(kq_any_active(o.kq));
	o.kq->node[o.q].active = true;
	cr_expect(kq_any_active(o.kq));
	cr_expect_eq(kq_queue_pop(o.kq, o.q), row);
	cr_expect_eq(where(&o, row), KQ_IN_FLIGHT);
	cr_expect_not(kq_any_active(o.kq));
	kq_small_close(&o.w);
}

/* ---- Back again ---- */

Test(kq_queue, where_a_head_goes_back_to)
{
	static const struct {
		enum kq_requeue why;
		bool parked_best, parked_strict;
	} cases[] = {
		{ KQ_REQUEUE_GENERIC, true, false },
		{ KQ_REQUEUE_NO_FIT, true, false },
		{ KQ_REQUEUE_NO_CANDIDATES, true, false },
		{ KQ_REQUEUE_GATED, true, false },
		{ KQ_REQUEUE_NAMESPACE, true, true },
		{ KQ_REQUEUE_FAILED_AFTER_NOMINATION, false, false },
		{ KQ_REQUEUE_PENDING_PREEMPTION, false, false },
		{ KQ_REQUEUE_PENDING_MIGRATION, false, false },
		{ KQ_REQUEUE_PREEMPTION_FAILED, false, false },
	};
	cr_assert_eq(SL_LEN(cases), KQ_REQUEUE_COUNT);
	for (size_t i = 0; i < SL_LEN(cases); i++)
		for (int strict = 0; strict < 2; strict++) {
			struct one o = one_open(strict ? KQ_STRICT_FIFO : KQ_BEST_EFFORT_FIFO, NULL);
			const uint32_t row = push(&o, "a", 0, 0);
			const bool want = strict ? cases[i].parked_strict : cases[i].parked_best;
			(void)kq_queue_pop(o.kq, o.q);
			cr_expect_eq(kq_queue_requeue(o.kq, row, cases[i].why), want, "reason %zu, strict %d",
				i, strict);
			cr_expect_eq(where(&o, row), want ? KQ_INADMISSIBLE : KQ_ACTIVE);
			kq_small_close(&o.w);
		}
}

Test(kq_queue, nobody_is_active_while_backing_off)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t row = push(&o, "a", 0, 0);
	struct kq_workload *a = &o.kq->workload[row];
	(void)kq_queue_pop(o.kq, o.q);
	a->requeue_at = 60 * SL_SECOND;
	cr_expect(kq_queue_requeue(o.kq, row, KQ_REQUEUE_FAILED_AFTER_NOMINATION));
	kq_queue_notify(o.kq, o.q);
	o.kq->now = 60 * SL_SECOND - 1;
	cr_expect_eq(kq_queue_wake(o.kq), 0);
	o.kq->now = 60 * SL_SECOND;
	kq_queue_notify(o.kq, o.q);
	cr_expect_eq(kq_queue_wake(o.kq), 1, "equal counts as over");
	condition(&o, row, KQ_REQUEUED, KQ_FALSE, "PodsReadyTimeout", 0);
	cr_expect_not(kq_backoff_expired(o.kq, a), "Requeued is false, whatever the time");
	const uint32_t b = kq_small_workload(&o.w, "q", "b", 0, 0);
	o.kq->workload[b].requeue_at = 61 * SL_SECOND;
	kq_queue_update(o.kq, b);
	cr_expect_eq(where(&o, b), KQ_INADMISSIBLE, "one that comes, too");
	kq_small_close(&o.w);
}

Test(kq_queue, woken_after_the_pop_it_goes_straight_back)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t row = push(&o, "a", 0, 0);
	kq_queue_notify(o.kq, o.q);
	(void)kq_queue_wake(o.kq);
	(void)kq_queue_pop(o.kq, o.q);
	cr_expect(kq_queue_requeue(o.kq, row, KQ_REQUEUE_GENERIC), "woken before it was popped");
	kq_queue_notify(o.kq, o.q);
	(void)kq_queue_wake(o.kq);
	(void)kq_queue_pop(o.kq, o.q);
	kq_queue_notify(o.kq, o.q);
	(void)kq_queue_wake(o.kq);
	cr_expect_not(kq_queue_requeue(o.kq, row, KQ_REQUEUE_NO_FIT), "what changed may help it");
	kq_small_close(&o.w);
}

/* ---- The preemptor that stays first ---- */

Test(kq_queue, a_preemptor_is_first_until_it_leaves_or_another_is_one)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t low = push(&o, "low", 0, 0);
	(void)kq_queue_pop(o.kq, o.q);
	(void)kq_queue_requeue(o.kq, low, KQ_REQUEUE_PENDING_PREEMPTION);
	const uint32_t high = push(&o, "high", 9, 0);
	cr_expect(kq_is_sticky(o.kq, low));
	cr_expect(kq_queue_before(o.kq, low, high));
	cr_expect_eq(kq_queue_pop(o.kq, o.q), low, "before a higher priority");
	o.kq->workload[low].podset[0].count = 7; /* Another shape than high's. */
	(void)kq_queue_requeue(o.kq, low, KQ_REQUEUE_NO_FIT);
	cr_expect_eq(where(&o, low), KQ_INADMISSIBLE);
	cr_expect(kq_is_sticky(o.kq, low), "not to fit does not end it");
	kq_queue_notify(o.kq, o.q);
	(void)kq_queue_wake(o.kq);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), low, "first again");
	(void)kq_queue_requeue(o.kq, low, KQ_REQUEUE_FAILED_AFTER_NOMINATION);
	(void)kq_queue_requeue(o.kq, high, KQ_REQUEUE_PENDING_MIGRATION);
	cr_expect_not(kq_is_sticky(o.kq, low), "another is");
	cr_expect_eq(kq_queue_pop(o.kq, o.q), high);
	kq_queue_delete(o.kq, high);
	cr_expect_not(kq_was_preemptor(o.kq, high), "it left");
	cr_expect_eq(kq_queue_pop(o.kq, o.q), low);
	kq_small_close(&o.w);
}

Test(kq_queue, in_strict_order_a_preemptor_is_remembered_but_not_first)
{
	struct one o = one_open(KQ_STRICT_FIFO, NULL);
	const uint32_t low = push(&o, "low", 0, 0);
	(void)kq_queue_pop(o.kq, o.q);
	(void)kq_queue_requeue(o.kq, low, KQ_REQUEUE_PENDING_PREEMPTION);
	const uint32_t high = push(&o, "high", 9, 0);
	cr_expect_not(kq_is_sticky(o.kq, low));
	cr_expect(kq_was_preemptor(o.kq, low));
	cr_expect_eq(kq_queue_pop(o.kq, o.q), high);
	kq_small_close(&o.w);
}

/* The mark passes from one that is active to another: both change their place in the heap. */
Test(kq_queue, the_heap_holds_when_the_mark_moves)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	uint32_t row[16];
	char name[8] = "w-a";
	for (uint32_t i = 0; i < SL_LEN(row); i++, name[2]++)
		row[i] = push(&o, name, 100 - (int64_t)i, 0);
	(void)kq_queue_requeue(o.kq, row[12], KQ_REQUEUE_PENDING_PREEMPTION);
	(void)kq_queue_requeue(o.kq, row[15], KQ_REQUEUE_PENDING_PREEMPTION);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), row[15]);
	for (uint32_t i = 0; i < 15; i++)
		cr_expect_eq(kq_queue_pop(o.kq, o.q), row[i], "place %u", i);
	kq_small_close(&o.w);
}

/* ---- Shapes ---- */

Test(kq_queue, what_does_not_fit_takes_its_shape_along)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t a = push(&o, "a", 0, 0), b = push(&o, "b", 0, 1);
	const uint32_t other = kq_small_workload(&o.w, "q", "other", 0, 2);
	o.kq->workload[other].podset[0].count = 2;
	kq_queue_update(o.kq, other);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), a);
	(void)kq_queue_requeue(o.kq, a, KQ_REQUEUE_NO_FIT);
	cr_expect_eq(where(&o, b), KQ_INADMISSIBLE, "of the same shape");
	cr_expect_eq(where(&o, other), KQ_ACTIVE);
	const uint32_t later = push(&o, "later", 0, 3), higher = push(&o, "higher", 1, 3);
	cr_expect_eq(where(&o, later), KQ_INADMISSIBLE, "it goes there directly");
	cr_expect_eq(where(&o, higher), KQ_ACTIVE, "another priority is another shape");
	kq_queue_notify(o.kq, o.q);
	cr_expect_eq(kq_queue_wake(o.kq), 3);
	const uint32_t last = push(&o, "last", 0, 4);
	cr_expect_eq(where(&o, last), KQ_ACTIVE, "waking forgets the shapes");
	kq_small_close(&o.w);
}

Test(kq_queue, shapes_stay_together_for_no_other_reason)
{
	static const struct {
		enum kq_requeue why;
		enum kq_strategy strategy;
		bool gate;
	} cases[] = {
		{ KQ_REQUEUE_GENERIC, KQ_BEST_EFFORT_FIFO, true },
		{ KQ_REQUEUE_GATED, KQ_BEST_EFFORT_FIFO, true },
		{ KQ_REQUEUE_NO_FIT, KQ_STRICT_FIFO, true },
		{ KQ_REQUEUE_NO_FIT, KQ_BEST_EFFORT_FIFO, false },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct one o = one_open(cases[i].strategy, NULL);
		o.kq->config.gate[KQ_GATE_SchedulingEquivalenceHashing] = cases[i].gate;
		const uint32_t a = push(&o, "a", 0, 0), b = push(&o, "b", 0, 1);
		(void)kq_queue_pop(o.kq, o.q);
		(void)kq_queue_requeue(o.kq, a, cases[i].why);
		cr_expect_eq(where(&o, b), KQ_ACTIVE, "case %zu", i);
		kq_small_close(&o.w);
	}
}

Test(kq_queue, a_shape_is_of_what_is_scheduled)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t a = kq_small_workload(&o.w, "q", "a", 0, 0);
	const uint32_t b = kq_small_workload(&o.w, "q", "b", 0, 50);
	struct kq_podset *podset = o.kq->workload[b].podset;
	const uint64_t hash = kq_shape_hash(o.kq, a);
	kq_small_needs(&o.w, a, "cpu", 0);
	cr_expect_neq(kq_shape_hash(o.kq, a), hash, "requests");
	o.kq->workload[a].podset[0].request.count = 0;
#define SAME(what) cr_expect_eq(kq_shape_hash(o.kq, b), hash, what)
#define DIFFERS(what, change, back)                                \
	do {                                                       \
		change;                                            \
		cr_expect_neq(kq_shape_hash(o.kq, b), hash, what); \
		back;                                              \
	} while (0)
	SAME("names and times are nothing to it");
	DIFFERS("count", podset->count = 3, podset->count = 1);
	DIFFERS("minCount", podset->min_count = 1, podset->min_count = 0);
	podset->name = "driver";
	SAME("what its podsets are called");
	o.kq->config.gate[KQ_GATE_SchedulingEquivalenceHashingIgnorePodSetName] = false;
	cr_expect_neq(kq_shape_hash(o.kq, b), kq_shape_hash(o.kq, a), "as before v0.20");
	o.kq->config.gate[KQ_GATE_SchedulingEquivalenceHashingIgnorePodSetName] = true;
	podset->name = "main";
	DIFFERS("priority", o.kq->workload[b].priority = 1, o.kq->workload[b].priority = 0);
	DIFFERS("topology", podset->topology.required = "rack", podset->topology.required = NULL);
	DIFFERS("limits", podset->exceeds_limits = true, podset->exceeds_limits = false);
	podset->count = 3;
	podset->reclaimable = 2;
	SAME("of 3 pods 2 are done");
#undef SAME
#undef DIFFERS
	kq_small_close(&o.w);
}

Test(kq_queue, who_is_gated_is_in_no_queue)
{
	static const struct sl_label gate = { "kueue.x-k8s.io/admission-gated-by", "example.com/data" };
	static const struct sl_label empty = { "kueue.x-k8s.io/admission-gated-by", "" };
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t a = kq_small_workload(&o.w, "q", "a", 0, 0);
	o.kq->workload[a].annotations = (struct sl_labels){ &gate, 1 };
	cr_expect_not(kq_queueable(o.kq, a));
	o.kq->config.gate[KQ_GATE_AdmissionGatedBy] = false;
	cr_expect(kq_queueable(o.kq, a));
	o.kq->config.gate[KQ_GATE_AdmissionGatedBy] = true;
	o.kq->workload[a].annotations.at = &empty;
	cr_expect(kq_queueable(o.kq, a));
	kq_small_close(&o.w);
}

/* ---- Updates ---- */

Test(kq_queue, which_updates_make_an_inadmissible_one_active)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t row = push(&o, "a", 0, 0);
	struct kq_workload *a = &o.kq->workload[row];
#define PARK()                                                              \
	do {                                                                \
		cr_assert_eq(kq_queue_pop(o.kq, o.q), row);                 \
		cr_assert(kq_queue_requeue(o.kq, row, KQ_REQUEUE_GENERIC)); \
	} while (0)
	PARK();
	a->pending_reason = "NoFit";
	kq_queue_update(o.kq, row);
	cr_expect_eq(where(&o, row), KQ_INADMISSIBLE, "nothing that matters");
#define WAKES(what, change)                                    \
	do {                                                   \
		change;                                        \
		kq_queue_update(o.kq, row);                    \
		cr_expect_eq(where(&o, row), KQ_ACTIVE, what); \
		PARK();                                        \
	} while (0)
	WAKES("its spec", a->podset[0].count = 2);
	WAKES("pods that are done", a->podset[0].reclaimable = 1);
	WAKES("its eviction", condition(&o, row, KQ_EVICTED, KQ_TRUE, "Preempted", 5));
	WAKES("Requeued", condition(&o, row, KQ_REQUEUED, KQ_TRUE, "BackoffFinished", 6));
	WAKES("its gate", a->gated = true);
	a->has_boost = true;
	a->boost = 3;
	kq_queue_update(o.kq, row);
	cr_expect_eq(where(&o, row), KQ_INADMISSIBLE, "boosts are off");
	o.kq->config.gate[KQ_GATE_PriorityBoost] = true;
	WAKES("its boost", a->boost = 4);
#undef WAKES
#undef PARK
	kq_small_close(&o.w);
}

Test(kq_queue, an_update_in_flight_is_dropped_and_of_an_active_one_moves_it)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	const uint32_t a = push(&o, "a", 5, 0), b = push(&o, "b", 4, 0);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), a);
	o.kq->workload[a].podset[0].count = 4;
	kq_queue_update(o.kq, a);
	cr_expect_eq(where(&o, a), KQ_IN_FLIGHT);
	(void)kq_queue_requeue(o.kq, a, KQ_REQUEUE_FAILED_AFTER_NOMINATION);
	o.kq->workload[b].priority = 6;
	kq_queue_update(o.kq, b);
	cr_expect_eq(kq_queue_pop(o.kq, o.q), b);
	kq_small_close(&o.w);
}

/* ---- Waking ---- */

Test(kq_queue, a_note_wakes_the_whole_tree_once)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "root", NULL);
	(void)kq_small_cohort(&w, "left", "root");
	(void)kq_small_cohort(&w, "right", "root");
	const uint32_t a = kq_small_queue(&w, "a", "left"), b = kq_small_queue(&w, "b", "right");
	const uint32_t c = kq_small_queue(&w, "c", NULL);
	kq_small_seal(&w);
	uint32_t row[3] = { kq_small_workload(&w, "a", "x", 0, 0), kq_small_workload(&w, "b", "y", 0, 0),
		kq_small_workload(&w, "c", "z", 0, 0) };
	const uint32_t queue[3] = { a, b, c };
	for (int i = 0; i < 3; i++) {
		kq_queue_update(w.kq, row[i]);
		(void)kq_queue_pop(w.kq, queue[i]);
		(void)kq_queue_requeue(w.kq, row[i], KQ_REQUEUE_GENERIC);
	}
	cr_expect_not(kq_queue_notified(w.kq));
	kq_queue_notify(w.kq, a);
	kq_queue_notify(w.kq, b);
	cr_expect(kq_queue_notified(w.kq));
	cr_expect_eq(w.kq->workload[row[0]].queued, KQ_INADMISSIBLE, "not before it is woken");
	cr_expect_eq(kq_queue_wake(w.kq), 2);
	cr_expect_not(kq_queue_notified(w.kq));
	cr_expect_eq(w.kq->workload[row[2]].queued, KQ_INADMISSIBLE, "of another tree");
	kq_queue_notify(w.kq, c);
	cr_expect_eq(kq_queue_wake(w.kq), 1, "a queue alone");
	kq_small_close(&w);
}

Test(kq_queue, trees_in_a_circle_are_not_woken)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "one", "two");
	(void)kq_small_cohort(&w, "two", "one");
	const uint32_t a = kq_small_queue(&w, "a", "one");
	kq_small_seal(&w);
	const uint32_t row = kq_small_workload(&w, "a", "x", 0, 0);
	w.kq->workload[row].requeue_at = 5;
	kq_queue_update(w.kq, row);
	w.kq->now = 5;
	kq_queue_notify(w.kq, a);
	cr_expect_not(kq_queue_notified(w.kq));
	cr_expect_eq(kq_queue_wake(w.kq), 0);
	kq_small_close(&w);
}

Test(kq_queue, only_those_whose_namespace_matches_wake)
{
	struct one o = one_open(KQ_BEST_EFFORT_FIFO, NULL);
	static const struct sl_label team = { "team", "a" };
	o.kq->node[o.q].namespaces.labels = (struct sl_labels){ &team, 1 };
	const uint32_t row = push(&o, "a", 0, 0);
	(void)kq_queue_pop(o.kq, o.q);
	(void)kq_queue_requeue(o.kq, row, KQ_REQUEUE_NAMESPACE);
	kq_queue_notify(o.kq, o.q);
	cr_expect_eq(kq_queue_wake(o.kq), 0, "a namespace without labels");
	const uint32_t namespace = kq_namespace(o.kq, "ns");
	o.kq->namespace[namespace].labels = (struct sl_labels){ &team, 1 };
	kq_queue_notify(o.kq, o.q);
	cr_expect_eq(kq_queue_wake(o.kq), 1);
	kq_small_close(&o.w);
}
