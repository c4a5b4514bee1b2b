/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_afs.c - admission fair sharing: usage of LocalQueues, its decay, its penalties, worked by hand.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/world/kq_small.h"

/* Queue q, with LocalQueues q and r that go to it; half-life 100 s, samples every 100 s. */
struct shared {
	struct kq_small w;
	struct kq *kq;
	uint32_t queue, q, r;
};

static struct shared shared_open(void)
{
	struct shared s = { .w = kq_small_open() };
	s.kq = s.w.kq;
	s.queue = kq_small_queue(&s.w, "q", NULL);
	(void)kq_small_queue(&s.w, "r", NULL);
	kq_small_quota(&s.w, s.queue, "f", "cpu", 100000, KQ_NO_LIMIT, KQ_NO_LIMIT);
	kq_small_quota(&s.w, s.queue, "f", "memory", 1 << 20, KQ_NO_LIMIT, KQ_NO_LIMIT);
	s.kq->node[s.queue].usage_based = true;
	s.kq->config.afs = true;
	s.kq->config.afs_half_life = s.kq->config.afs_interval = 100 * SL_SECOND;
	kq_small_seal(&s.w);
	s.q = kq_find_local(s.kq, "ns", "q");
	s.r = kq_find_local(s.kq, "ns", "r");
	s.kq->local[s.r].queue = s.queue;
	return s;
}

static uint32_t push(struct shared *s, const char *local, const char *name, int64_t priority, int64_t milli)
{
	const uint32_t row = kq_small_workload(&s->w, local, name, priority, 0);
	kq_small_needs(&s->w, row, "cpu", milli);
	kq_queue_update(s->kq, row);
	return row;
}

Test(kq_afs, usage_is_weighed_by_resource_and_by_queue)
{
	struct shared s = shared_open();
	static const struct sl_label weight[] = { { "memory", "0.25" } };
	struct kq_local_queue *q = &s.kq->local[s.q];
	q->used[KQ_CPU] = 6;
	q->used[KQ_MEMORY] = 16;
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 22.0, "1 where nothing is said");
	s.kq->config.afs_weight = weight;
	s.kq->config.afs_weight_count = 1;
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 10.0);
	q->weight = 4;
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 2.5);
	q->weight = 0;
	cr_expect(isinf(kq_afs_usage(s.kq, s.q)));
	cr_expect_eq(kq_afs_usage(s.kq, KQ_NO), 0.0);
	kq_small_close(&s.w);
}

Test(kq_afs, less_usage_goes_before_priority_and_before_a_preemptor)
{
	struct shared s = shared_open();
	const uint32_t low = push(&s, "r", "low", 0, 1000), high = push(&s, "q", "high", 9, 1000);
	(void)kq_queue_requeue(s.kq, high, KQ_REQUEUE_PENDING_PREEMPTION);
	s.kq->local[s.q].used[KQ_CPU] = 2;
	s.kq->local[s.r].used[KQ_CPU] = 1;
	cr_expect(kq_queue_before(s.kq, low, high));
	cr_expect_eq(kq_queue_pop(s.kq, s.queue), low);
	(void)kq_queue_requeue(s.kq, low, KQ_REQUEUE_FAILED_AFTER_NOMINATION);
	s.kq->local[s.r].used[KQ_CPU] = 2;
	cr_expect_eq(kq_queue_pop(s.kq, s.queue), high, "of equals the usual order, across LocalQueues");
	(void)kq_queue_requeue(s.kq, high, KQ_REQUEUE_FAILED_AFTER_NOMINATION);
	s.kq->local[s.r].used[KQ_CPU] = 1;
	s.kq->node[s.queue].usage_based = false;
	cr_expect_eq(kq_queue_pop(s.kq, s.queue), high, "the queue does not go by usage any more");
	kq_small_close(&s.w);
}

Test(kq_afs, the_old_fades_and_what_is_admitted_comes_in)
{
	struct shared s = shared_open();
	const uint32_t row = push(&s, "q", "a", 0, 8000);
	struct kq_admitted_flavor flavor = { KQ_CPU, kq_flavor(s.kq, "f"), 8000 };
	struct kq_admitted_podset podset = {
		.name = "main", .flavor = &flavor, .flavor_count = 1, .count = 1
	};
	const struct kq_admission admission = { s.queue, "q", &podset, 1 };
	struct kq_local_queue *q = &s.kq->local[s.q];
	q->used[KQ_CPU] = 4;
	s.kq->now = 100 * SL_SECOND;
	kq_afs_sample(s.kq);
	cr_expect_float_eq(q->used[KQ_CPU], 2.0, 1e-9, "one half-life");
	kq_set_admission(s.kq, row, &admission);
	kq_queue_delete(s.kq, row);
	kq_set_cond(s.kq, row, KQ_QUOTA_RESERVED, KQ_TRUE, "QuotaReserved", NULL, s.kq->now);
	kq_hold(s.kq, row);
	s.kq->now = 200 * SL_SECOND;
	kq_afs_sample(s.kq);
	cr_expect_float_eq(q->used[KQ_CPU], 1.0, 1e-9, "reserved is not admitted");
	kq_set_cond(s.kq, row, KQ_ADMITTED, KQ_TRUE, "Admitted", NULL, s.kq->now);
	s.kq->now = 400 * SL_SECOND;
	kq_afs_sample(s.kq);
	cr_expect_float_eq(q->used[KQ_CPU], 0.25 * 1 + 0.75 * 8, 1e-9, "two half-lives; 8 cores");
	s.kq->config.afs_half_life = 0;
	kq_afs_sample(s.kq);
	cr_expect_eq(q->used[KQ_CPU], 0.0, "no half-life: nothing is kept");
	kq_small_close(&s.w);
}

/* One and a half half-lives: 0.5^1.5 is no multiple of 2^-40, what is left is the nearest. */
Test(kq_afs, the_factor_is_rounded)
{
	struct shared s = shared_open();
	struct kq_local_queue *q = &s.kq->local[s.q];
	q->used[KQ_CPU] = 0x1p40;
	s.kq->now = 150 * SL_SECOND;
	kq_afs_sample(s.kq);
	cr_expect_eq(q->used[KQ_CPU], floor(0x1p40 / sqrt(8) + 0.5));
	kq_small_close(&s.w);
}

Test(kq_afs, a_reservation_counts_at_once_by_a_penalty)
{
	struct shared s = shared_open();
	const uint32_t row = push(&s, "q", "a", 0, 6000);
	struct kq_local_queue *q = &s.kq->local[s.q];
	kq_afs_reserved(s.kq, row);
	kq_afs_reserved(s.kq, row);
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 3.0, "half of 6 cores: one interval is a half-life; once");
	kq_afs_dropped(s.kq, row);
	kq_afs_dropped(s.kq, row);
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 0.0);
	kq_afs_reserved(s.kq, row);
	q->used[KQ_CPU] = 4;
	s.kq->now = 100 * SL_SECOND;
	kq_afs_admitted(s.kq, row);
	cr_expect_eq(q->used[KQ_CPU], 5.0, "2 are left of 4, and the penalty");
	cr_expect_eq(q->used_at, 100 * SL_SECOND);
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 5.0, "it is not pending any more");
	kq_small_close(&s.w);
}

Test(kq_afs, without_a_half_life_there_are_no_penalties)
{
	struct shared s = shared_open();
	s.kq->config.afs_half_life = 0;
	kq_afs_reserved(s.kq, push(&s, "q", "a", 0, 6000));
	cr_expect_eq(kq_afs_usage(s.kq, s.q), 0.0);
	kq_small_close(&s.w);
}
