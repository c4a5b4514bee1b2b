/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_requests.c - what podsets request and use, partial admission, capacity that is reserved, amounts as
 * text.
 */
#include <criterion/criterion.h>

#include "tests/world/kueue_world.h"

static struct kq_podset *instance(struct kueue_instance *w, int64_t count, const char *requests)
{
	kueue_make(w);
	kueue_group(w, kueue_queue(w, "cq", NULL), "cpu memory", "one 9000 9, two 9000 9");
	return kueue_podset(w, kueue_workload(w, "wl"), "main", count, requests);
}

Test(kq_requests, pods_that_are_done_needs_nothing)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w, 5, "cpu 10, memory -3");
	podset->reclaimable = 2;
	struct kq_amounts asks = kq_podset_pending(w.kq, w.scratch, 0, 0, -1);
	cr_expect_eq(kq_amount_of(&asks, KQ_CPU), 30);
	cr_expect_eq(kq_amount_of(&asks, KQ_MEMORY), 0, "a negative request is none");
	podset->reclaimable = 9;
	cr_expect_eq(kq_podset_count(w.kq, podset), 0);
	w.kq->config.gate[KQ_GATE_ReclaimablePods] = false;
	cr_expect_eq(kq_podset_count(w.kq, podset), 5);
	asks = kq_podset_pending(w.kq, w.scratch, 0, 0, 4);
	cr_expect_eq(kq_amount_of(&asks, KQ_CPU), 40, "a count that is given counts");
	kueue_release(&w);
}

Test(kq_requests, products_saturate)
{
	struct kueue_instance w;
	(void)instance(&w, INT32_MAX, "cpu 4300000000");
	const struct kq_amounts asks = kq_podset_pending(w.kq, w.scratch, 0, 0, -1);
	cr_expect_eq(kq_amount_of(&asks, KQ_CPU), KQ_UNLIMITED);
	kueue_release(&w);
}

Test(kq_requests, an_admitted_podset_holds_its_share_of_what_was_recorded)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w, 5, "cpu 10");
	kueue_keep(&w, 0, &w.kq->node[0], 3, "cpu one 33, memory two 7");
	kueue_seal(&w);
	struct kq_amounts holds = kq_podset_admitted(w.kq, w.scratch, 0, 0);
	cr_expect_eq(kq_admitted_count(w.kq, 0, 0), 3, "a partial admission");
	cr_expect_eq(kq_amount_of(&holds, KQ_CPU), 33);
	podset->reclaimable = 3;
	holds = kq_podset_admitted(w.kq, w.scratch, 0, 0);
	cr_expect_eq(kq_admitted_count(w.kq, 0, 0), 2);
	cr_expect_eq(kq_amount_of(&holds, KQ_CPU), 22);
	cr_expect_eq(kq_amount_of(&holds, KQ_MEMORY), 4, "2 pods of 7 / 3, rounded down");
	kueue_release(&w);
}

Test(kq_requests, what_is_held_is_counted_by_flavor_and_resource)
{
	struct kueue_instance w;
	struct kq_usage_cell *cell;
	(void)instance(&w, 2, "cpu 10");
	kueue_keep(&w, 0, &w.kq->node[0], 2, "cpu one 20, memory two 4");
	kueue_seal(&w);
	w.kq->workload[0].podset[0].reclaimable = 1;
	w.kq->workload[0].admission->podset[0].flavor[1].flavor = KQ_NO;
	cr_assert_eq(kq_workload_usage(w.kq, w.scratch, 0, &cell), 1, "memory is used without a flavor");
	cr_expect_eq(cell[0].fr, kueue_fr(&w, "one", "cpu"));
	cr_expect_eq(cell[0].amount, 10);
	kueue_release(&w);
}

Test(kq_requests, the_admission_is_what_was_assigned)
{
	struct kueue_instance w;
	const struct kq_assign_options options = { 0 };
	struct kq_podset *leader = instance(&w, 1, "cpu 10, gpu 0");
	(void)kueue_podset(&w, 0, "alone", 1, "memory 3");
	struct kq_podset *worker = kueue_podset(&w, 0, "worker", 2, "cpu 20");
	leader->group = worker->group = "g";
	kueue_seal(&w);
	const struct kq_assignment *made = kq_assign(w.kq, w.scratch, 0, w.queue, &options);
	struct kq_admission *admission = kq_assignment_admission(w.kq, made);
	cr_assert(admission && admission->podset_count == 3);
	static const char *const name[] = { "main", "alone", "worker" }; /* As in the workload. */
	for (uint32_t i = 0; i < 3; i++)
		cr_expect_str_eq(admission->podset[i].name, name[i]);
	cr_expect_eq(admission->podset[0].flavor_count, 1, "a zero request has no flavor");
	cr_expect_eq(admission->podset[2].flavor[0].amount, 40);
	cr_expect_eq(admission->podset[2].count, 2);
	cr_expect_eq(admission->queue, w.queue);
	kq_admission_free(admission);
	kueue_release(&w);
}

/* ---- Partial admission
 * --------------------------------------------------------------------------------------- */

struct limit {
	int64_t most;
	uint32_t asked;
};

static bool below(void *self, const int64_t *count)
{
	struct limit *limit = self;
	limit->asked++;
	return count[0] + count[1] <= limit->most;
}

/* d = 4 and 2, D = 6. At i: 10 - floor(4i/6), 5 - floor(2i/6). */
Test(kq_requests, podsets_give_up_the_same_part_of_what_they_can)
{
	static const struct kq_podset podset[2] = { { .count = 10, .min_count = 6 },
		{ .count = 5, .min_count = 3 } };
	static const struct {
		int64_t most, count[2];
	} want[] = { { 15, { 10, 5 } }, { 14, { 9, 5 } }, { 13, { 8, 4 } }, { 12, { 8, 4 } },
		{ 9, { 6, 3 } } };
	int64_t count[2];
	for (size_t i = 0; i < SL_LEN(want); i++) {
		struct limit limit = { want[i].most, 0 };
		cr_assert(kq_partial_search(podset, 2, count, below, &limit));
		cr_expect(count[0] == want[i].count[0] && count[1] == want[i].count[1],
			"at most %lld: %lld and %lld", (long long)want[i].most, (long long)count[0],
			(long long)count[1]);
		cr_expect_leq(limit.asked, 3);
	}
	struct limit limit = { 8, 0 };
	cr_expect_not(kq_partial_search(podset, 2, count, below, &limit));
	static const struct kq_podset whole[2] = { { .count = 10 }, { .count = 5, .min_count = 5 } };
	limit = (struct limit){ 99, 0 };
	cr_expect_not(kq_partial_search(whole, 2, count, below, &limit), "nobody has anything to give");
	cr_expect_eq(limit.asked, 0);
}

/* ---- Capacity that is kept
 * ----------------------------------------------------------------------------------- */

Test(kq_requests, a_blocked_head_keeps_what_its_queue_may_still_use)
{
	struct kueue_instance w;
	struct kq_usage_cell kept;
	kueue_make(&w);
	kueue_group(&w, kueue_queue(&w, "cq", "co"), "cpu", "one 1000+500, two 1000");
	kueue_seal(&w);
	kueue_use(&w, "cq", "one", "cpu", 700);
	kueue_use(&w, "cq", "two", "cpu", 1200);
	struct kq_usage_cell cell = { kueue_fr(&w, "one", "cpu"), 400 };
	struct kq_assignment made = {
		.queue = w.queue, .mode = KQ_PREEMPT, .usage = &cell, .usage_count = 1
	};
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 300, "1000 - 700");
	made.borrow = 1;
	cell.amount = 900;
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 800, "1000 + 500 - 700");
	cell.fr = kueue_fr(&w, "two", "cpu");
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 900, "no limit");
	made.borrow = 0;
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 0, "above nominal already");
	made.mode = KQ_FIT;
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 900, "who fits keeps what it takes");
	made.mode = KQ_PREEMPT;
	made.borrow = 1;
	w.kq->node[w.queue].reclaim = KQ_ANY;
	kq_reserve(w.kq, &made, &kept);
	cr_expect_eq(kept.amount, 0, "it can always take it back");
	kueue_release(&w);
}

/* ---- Transformations
 * ---------------------------------------------------------------------------------------- */

static int64_t transformed(struct kueue_instance *w, const struct kq_transforms *transforms, uint32_t podset,
	const char *resource)
{
	const struct kq_amounts made =
		kq_transformed(w->kq, transforms, &w->kq->workload[0].podset[podset].request);
	for (uint32_t i = 0; i < made.count; i++)
		if (made.at[i].resource == kq_resource(w->kq, resource))
			return made.at[i].amount;
	return -1;
}

/* As in Kueue's documentation: a MIG slice of 10 GB is so much accelerator memory, and no longer itself. */
Test(kq_requests, a_resource_is_replaced_by_others)
{
	struct kueue_instance w;
	(void)instance(&w, 1, "mig-1g 2, mig-2g 1, credits 1, cpu 500");
	const struct kq_output small[] = { { kq_resource(w.kq, "gpu-memory"), 5000 },
		{ kq_resource(w.kq, "credits"), 10000 } };
	const struct kq_output large[] = { { kq_resource(w.kq, "gpu-memory"), 10000 } };
	const struct kq_output charged[] = { { kq_resource(w.kq, "credits"), 3000 } };
	const struct kq_transform at[] = { { kq_resource(w.kq, "mig-1g"), true, KQ_NO, small, 2 },
		{ kq_resource(w.kq, "mig-2g"), false, KQ_NO, large, 1 },
		{ KQ_CPU, false, KQ_NO, charged, 1 } };
	const struct kq_transforms all = { at, SL_LEN(at), NULL, 0 };
	cr_expect_eq(transformed(&w, &all, 0, "mig-1g"), -1, "replaced");
	cr_expect_eq(transformed(&w, &all, 0, "mig-2g"), 1, "retained");
	cr_expect_eq(transformed(&w, &all, 0, "gpu-memory"), 20, "2 * 5 + 1 * 10");
	cr_expect_eq(transformed(&w, &all, 0, "credits"), 1 + 20 + 2, "0.5 cpu * 3, rounded up");
	cr_expect_eq(transformed(&w, &all, 0, "cpu"), 500);
	kueue_release(&w);
}

Test(kq_requests, an_output_may_be_multiplied_by_another_resource)
{
	struct kueue_instance w;
	(void)instance(&w, 1, "gpu 4, gpu-memory 10");
	(void)kueue_podset(&w, 0, "without", 1, "gpu-memory 10");
	const struct kq_output output = { kq_resource(w.kq, "total"), 1000 };
	const struct kq_transform at = { kq_resource(w.kq, "gpu-memory"), true, kq_resource(w.kq, "gpu"),
		&output, 1 };
	const struct kq_transforms all = { &at, 1, NULL, 0 };
	cr_expect_eq(transformed(&w, &all, 0, "total"), 40);
	cr_expect_eq(transformed(&w, &all, 1, "total"), 10, "by nothing, if it is not asked");
	kueue_release(&w);
}

Test(kq_requests, an_allowance_lowers_what_is_made_and_nothing_else)
{
	struct kueue_instance w;
	(void)instance(&w, 1, "a 1, b 3, credits 7");
	const struct kq_output plus = { kq_resource(w.kq, "credits"), 5000 },
			       minus = { kq_resource(w.kq, "credits"), -2000 };
	const struct kq_transform at[] = { { kq_resource(w.kq, "a"), true, KQ_NO, &plus, 1 },
		{ kq_resource(w.kq, "b"), true, KQ_NO, &minus, 1 } };
	const struct kq_transforms all = { at, 2, NULL, 0 };
	cr_expect_eq(transformed(&w, &all, 0, "credits"), 7, "5 - 6 is no less than nothing");
	kueue_release(&w);
}

Test(kq_requests, excluded_prefixes_do_not_count)
{
	struct kueue_instance w;
	static const char *const prefix = "networking.";
	(void)instance(&w, 1, "cpu 5, networking.example.com/vpc 1");
	const struct kq_transforms all = { NULL, 0, &prefix, 1 };
	cr_expect_eq(transformed(&w, &all, 0, "cpu"), 5);
	cr_expect_eq(transformed(&w, &all, 0, "networking.example.com/vpc"), -1);
	kueue_release(&w);
}

Test(kq_requests, amounts_are_written_as_kubernetes_writes_them)
{
	static const struct {
		uint32_t resource;
		int64_t amount;
		const char *text;
	} want[] = { { KQ_CPU, 0, "0" }, { KQ_CPU, 1500, "1500m" }, { KQ_CPU, 2000, "2" },
		{ KQ_CPU, 3000000, "3k" }, { KQ_MEMORY, 0, "0" }, { KQ_MEMORY, 1536, "1536" },
		{ KQ_MEMORY, 2048, "2Ki" }, { KQ_MEMORY, INT64_C(3) << 30, "3Gi" }, { KQ_PODS, 7, "7" },
		{ KQ_PODS, 12000, "12k" }, { KQ_CPU, -500, "-500m" } };
	char text[32];
	for (size_t i = 0; i < SL_LEN(want); i++) {
		kq_quantity(want[i].resource, want[i].amount, text);
		cr_expect_str_eq(text, want[i].text);
	}
}
