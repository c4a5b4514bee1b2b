/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_assign_tried.c - how far flavors were tried: what is remembered of an attempt, and for how long.
 */
#include <criterion/criterion.h>

#include "tests/world/kueue_world.h"

/* Three flavors; the first that needs victims is taken, and the next attempt begins behind it. */
static void instance(struct kueue_instance *w)
{
	kueue_make(w);
	kueue_group(w, kueue_queue(w, "cq", NULL), "cpu", "one 1000, two 1000, three 1000");
	w->kq->node[0].preempt_next = false;
	(void)kueue_podset(w, kueue_workload(w, "wl"), "main", 1, "cpu 1000");
	w->kq->workload[0].local = KQ_NO;
	kueue_seal(w);
	kueue_use(w, "cq", "one", "cpu", 1000);
	kueue_use(w, "cq", "two", "cpu", 1000);
	kueue_use(w, "cq", "three", "cpu", 1000);
}

/* NOLINTNEXTLINE(readability-function-size): a kq_oracle. */
static enum kq_grain victims(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow)
{
	(void)self, (void)kq, (void)workload, (void)queue, (void)fr, (void)amount;
	*borrow = 0;
	return KQ_GRAIN_PREEMPT;
}

/* The flavor of an attempt in the next cycle, which is remembered. */
static const char *next(struct kueue_instance *w)
{
	const struct kq_assign_options options = { .oracle = victims };
	w->kq->cycles++;
	const struct kq_assignment *made = kq_assign(w->kq, w->scratch, w->workload, w->queue, &options);
	cr_assert(made && made->podset[0].pick_count == 1);
	kq_assign_remember(w->kq, made);
	return w->kq->flavor[made->podset[0].pick[0].flavor].name;
}

Test(kq_tried, the_next_attempt_begins_behind_the_last_and_then_over)
{
	struct kueue_instance w;
	instance(&w);
	static const char *const want[] = { "one", "two", "three", "one" };
	for (size_t i = 0; i < SL_LEN(want); i++) {
		cr_expect_str_eq(next(&w), want[i], "attempt %zu", i);
		cr_expect_eq(kq_pending_flavors(&w.kq->workload[0]), i != 2);
	}
	kueue_release(&w);
}

Test(kq_tried, forgetting_starts_over)
{
	struct kueue_instance w;
	instance(&w);
	(void)next(&w);
	const struct kq_assign_options options = { .oracle = victims, .forget = true };
	const struct kq_assignment *made = kq_assign(w.kq, w.scratch, w.workload, w.queue, &options);
	cr_expect_eq(made->podset[0].pick[0].flavor, kq_flavor(w.kq, "one"));
	kq_assign_forget(w.kq, w.workload);
	cr_expect_str_eq(next(&w), "one");
	kueue_release(&w);
}

Test(kq_tried, another_shape_starts_over)
{
	struct kueue_instance w;
	instance(&w);
	(void)next(&w);
	w.kq->workload[0].hash++;
	cr_expect_str_eq(next(&w), "one");
	w.kq->workload[0].hash++;
	w.kq->config.gate[KQ_GATE_SchedulingEquivalenceHashing] = false;
	cr_expect_str_eq(next(&w), "two");
	kueue_release(&w);
}

/* Of the preceding cycle it counts though the queue changed; of an older one only if it did not. */
Test(kq_tried, what_is_older_than_the_preceding_cycle_ends_with_the_queues_generation)
{
	struct kueue_instance w;
	instance(&w);
	(void)next(&w);
	w.kq->node[w.queue].generation++;
	cr_expect_str_eq(next(&w), "two", "the preceding cycle");
	w.kq->cycles++;
	cr_expect_str_eq(next(&w), "three", "an older one, nothing changed");
	(void)next(&w);
	w.kq->cycles++;
	w.kq->node[w.queue].generation++;
	cr_expect_str_eq(next(&w), "one", "an older one");
	kueue_release(&w);
}

Test(kq_tried, without_the_gate_any_change_of_the_queue_starts_over)
{
	struct kueue_instance w;
	instance(&w);
	w.kq->config.gate[KQ_GATE_FlavorFungibilityPreserveScanProgress] = false;
	(void)next(&w);
	cr_expect_str_eq(next(&w), "two");
	w.kq->node[w.queue].generation++;
	cr_expect_str_eq(next(&w), "one");
	kueue_release(&w);
}

Test(kq_tried, without_fungibility_nothing_is_resumed)
{
	struct kueue_instance w;
	instance(&w);
	w.kq->config.gate[KQ_GATE_FlavorFungibility] = false;
	(void)next(&w);
	cr_expect_str_eq(next(&w), "one");
	cr_expect(kq_pending_flavors(&w.kq->workload[0]), "Kueue's record is zero then, not -1");
	kueue_release(&w);
}

Test(kq_tried, a_record_may_be_noted_by_hand)
{
	struct kueue_instance w;
	instance(&w);
	kq_assign_note(w.kq, w.workload, 0, KQ_MEMORY, -1);
	cr_expect_not(kq_pending_flavors(&w.kq->workload[0]));
	kq_assign_note(w.kq, w.workload, 0, KQ_CPU, 1);
	cr_expect(kq_pending_flavors(&w.kq->workload[0]));
	cr_expect_str_eq(next(&w), "three");
	kueue_release(&w);
}
