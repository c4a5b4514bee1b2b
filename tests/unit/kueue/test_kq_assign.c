/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_assign.c - which flavors a workload gets, clause by clause, with one or two queues.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kueue_world.h"

/* What the victim search is made to say, and how often it was asked. */
struct said {
	enum kq_grain grain;
	uint32_t borrow, asked;
	int64_t amount;
	uint32_t only; /* Of this flavor, or KQ_NO: the others have no candidates. */
};

/* NOLINTNEXTLINE(readability-function-size): a kq_oracle. */
static enum kq_grain says(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow)
{
	struct said *said = self;
	(void)workload;
	(void)queue;
	said->asked++;
	said->amount = amount;
	*borrow = said->borrow;
	return said->only == KQ_NO || kq->fr[fr].flavor == said->only ? said->grain : KQ_GRAIN_NO_CANDIDATES;
}

static struct kq_assignment *assign(struct kueue_instance *w, struct said *said)
{
	const struct kq_assign_options options = { .oracle = said ? says : NULL, .oracle_self = said };
	struct kq_assignment *made = kq_assign(w->kq, w->scratch, w->workload, w->queue, &options);
	cr_assert_not_null(made);
	return made;
}

/* "NoFit ExceedsMaxQuota 0 | main: cpu one Fit -1, memory one Preempt 0": mode, reason, height, flavors. */
static const char *reported(struct kueue_instance *w, const struct kq_assignment *made)
{
	static const char *const mode[] = { "NoFit", "Preempt", "DeferredFit", "Fit" };
	char *text = kq_scratch_alloc(w->kq, w->scratch, 1024, 1);
	size_t used = (size_t)snprintf(text, 1024, "%s %s %u", mode[made->mode],
		made->pending_reason ? made->pending_reason : "-", made->borrow);
	for (uint32_t p = 0; p < made->podset_count; p++) {
		const struct kq_podset_assignment *podset = &made->podset[p];
		used += (size_t)snprintf(text + used, 1024 - used,
			" | %s:", w->kq->workload[made->workload].podset[podset->podset].name);
		for (uint32_t i = 0; i < podset->pick_count; i++)
			used += (size_t)snprintf(text + used, 1024 - used, "%s %s %s %s %d", i ? "," : "",
				w->kq->resource[podset->pick[i].resource],
				w->kq->flavor[podset->pick[i].flavor].name, mode[podset->pick[i].mode],
				podset->pick[i].tried);
	}
	return text;
}

static int64_t used_of(const struct kq_assignment *made, uint32_t fr)
{
	for (uint32_t i = 0; i < made->usage_count; i++)
		if (made->usage[i].fr == fr)
			return made->usage[i].amount;
	return 0;
}

#define EXPECT(w, said, want) cr_expect_str_eq(reported(&(w), assign(&(w), said)), want)

/* One queue of one group, one workload of one podset. */
static struct kq_podset *instance(struct kueue_instance *w, const char *resources, const char *flavors,
	int64_t count, const char *requests)
{
	kueue_make(w);
	kueue_group(w, kueue_queue(w, "cq", NULL), resources, flavors);
	struct kq_podset *podset = kueue_podset(w, kueue_workload(w, "wl"), "main", count, requests);
	kueue_seal(w);
	return podset;
}

Test(kq_assign, the_first_flavor_that_fits_ends_the_search)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 4000, two 4000", 2, "cpu 1000");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0");
	const struct kq_assignment *made = assign(&w, NULL);
	cr_expect_eq(made->podset[0].attempt_count, 1);
	cr_expect(made->pending_flavors);
	cr_expect_eq(used_of(made, kueue_fr(&w, "one", "cpu")), 2000);
	kueue_release(&w);
}

Test(kq_assign, the_last_flavor_starts_the_next_search_over)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 1000, two 4000", 2, "cpu 1000");
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1");
	cr_expect_not(assign(&w, NULL)->pending_flavors);
	kueue_release(&w);
}

Test(kq_assign, what_is_above_all_quota_is_asked_of_nobody)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	instance(&w, "cpu", "one 1000, two 1999", 2, "cpu 1000");
	EXPECT(w, &said, "NoFit ExceedsMaxQuota 0 | main:");
	cr_expect_eq(said.asked, 0);
	kueue_release(&w);
}

Test(kq_assign, within_nominal_quota_victims_are_looked_for)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	instance(&w, "cpu", "one 2000", 2, "cpu 1000");
	kueue_use(&w, "cq", "one", "cpu", 1);
	EXPECT(w, &said, "Preempt - 0 | main: cpu one Preempt -1");
	cr_expect_eq(said.asked, 1);
	cr_expect_eq(said.amount, 2000);
	said.grain = KQ_GRAIN_NO_CANDIDATES;
	EXPECT(w, &said, "Preempt - 0 | main: cpu one Preempt -1");
	kueue_release(&w);
}

/* Above its nominal quota: by reclaiming below the root, or by policies that preempt while borrowing. */
Test(kq_assign, above_nominal_quota_victims_are_looked_for_where_policies_allow)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_RECLAIM, 1, 0, 0, KQ_NO };
	kueue_make(&w);
	kueue_group(&w, kueue_queue(&w, "cq", "co"), "cpu", "one 1000");
	kueue_group(&w, kueue_queue(&w, "other", "co"), "cpu", "one 9000");
	(void)kueue_podset(&w, kueue_workload(&w, "wl"), "main", 1, "cpu 2000");
	kueue_seal(&w);
	kueue_use(&w, "other", "one", "cpu", 9000);
	EXPECT(w, &said, "NoFit WaitingForQuota 0 | main:");
	cr_expect_eq(said.asked, 0);
	w.kq->node[w.queue].borrow_within = KQ_LOWER_PRIORITY;
	EXPECT(w, &said, "Preempt - 1 | main: cpu one Preempt -1");
	w.kq->node[w.queue].borrow_within = KQ_NEVER;
	w.kq->node[w.queue].reclaim = KQ_ANY;
	EXPECT(w, &said, "NoFit WaitingForQuota 0 | main:");
	w.kq->config.fair_sharing = true;
	EXPECT(w, &said, "Preempt - 1 | main: cpu one Preempt -1");
	w.kq->node[w.queue].reclaim = KQ_NEVER;
	EXPECT(w, &said, "NoFit WaitingForQuota 0 | main:");
	w.kq->node[w.queue].reclaim_unset = true;
	EXPECT(w, &said, "Preempt - 1 | main: cpu one Preempt -1");
	kueue_release(&w);
}

/* It fits in the cohort below the root, once others are reclaimed. */
Test(kq_assign, what_a_lower_cohort_could_give_is_reclaimed)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_RECLAIM, 0, 0, 0, KQ_NO };
	kueue_make(&w);
	(void)kueue_cohort(&w, "root", NULL);
	(void)kueue_cohort(&w, "mid", "root");
	kueue_group(&w, kueue_queue(&w, "cq", "mid"), "cpu", "one 1000");
	kueue_group(&w, kueue_queue(&w, "near", "mid"), "cpu", "one 3000");
	kueue_group(&w, kueue_queue(&w, "other", "root"), "cpu", "one 0");
	(void)kueue_podset(&w, kueue_workload(&w, "wl"), "main", 1, "cpu 2000");
	kueue_seal(&w);
	kueue_use(&w, "other", "one", "cpu", 4000);
	EXPECT(w, &said, "Preempt - 0 | main: cpu one Preempt -1");
	cr_expect_eq(said.asked, 1);
	kueue_release(&w);
}

/* Two flavors: the first has to borrow, the second has to preempt. */
static void two_ways(struct kueue_instance *w)
{
	kueue_make(w);
	kueue_group(w, kueue_queue(w, "cq", "co"), "cpu", "borrows 0, preempts 2000");
	kueue_group(w, kueue_queue(w, "other", "co"), "cpu", "borrows 2000, preempts 0");
	(void)kueue_podset(w, kueue_workload(w, "wl"), "main", 1, "cpu 2000");
	kueue_seal(w);
	kueue_use(w, "cq", "preempts", "cpu", 1000);
}

Test(kq_assign, when_can_borrow_says_whether_a_flavor_that_borrows_is_good_enough)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	two_ways(&w);
	struct kq_node *queue = &w.kq->node[w.queue];
	EXPECT(w, &said, "Fit - 1 | main: cpu borrows Fit 0");
	queue->borrow_next = true;
	EXPECT(w, &said, "Fit - 1 | main: cpu borrows Fit -1");
	queue->preference = KQ_PREEMPTION_OVER_BORROWING;
	EXPECT(w, &said, "Preempt - 0 | main: cpu preempts Preempt -1");
	said.grain = KQ_GRAIN_NO_CANDIDATES; /* Which is worse than any way that works. */
	EXPECT(w, &said, "Fit - 1 | main: cpu borrows Fit -1");
	kueue_release(&w);
}

Test(kq_assign, when_can_preempt_says_whether_a_flavor_that_preempts_is_good_enough)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	instance(&w, "cpu", "one 2000, two 2000", 1, "cpu 2000");
	kueue_use(&w, "cq", "one", "cpu", 1);
	w.kq->node[w.queue].preempt_next = false;
	EXPECT(w, &said, "Preempt - 0 | main: cpu one Preempt 0");
	w.kq->node[w.queue].preempt_next = true;
	EXPECT(w, &said, "Fit - 0 | main: cpu two Fit -1");
	kueue_use(&w, "cq", "two", "cpu", 1);
	EXPECT(w, &said, "Preempt - 0 | main: cpu one Preempt -1");
	said.grain = KQ_GRAIN_RECLAIM; /* Strictly better ones only take its place. */
	said.only = kq_flavor(w.kq, "two");
	EXPECT(w, &said, "Preempt - 0 | main: cpu two Preempt -1");
	kueue_release(&w);
}

Test(kq_assign, a_flavor_without_victims_is_never_good_enough)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_NO_CANDIDATES, 0, 0, 0, KQ_NO };
	instance(&w, "cpu", "one 2000, two 2000", 1, "cpu 2000");
	kueue_use(&w, "cq", "one", "cpu", 1);
	EXPECT(w, &said, "Fit - 0 | main: cpu two Fit -1");
	kueue_release(&w);
}

/* Under PreemptionOverBorrowing (fit, height 1) is worse than (preempt, height 0): the flavor counts as one
 * that fits, and with it the podset, though its cpu would have to preempt. */
Test(kq_assign, a_podset_fits_if_its_flavor_was_chosen_as_fitting)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	kueue_make(&w);
	kueue_group(&w, kueue_queue(&w, "cq", "co"), "cpu gpu", "one 2000 0");
	kueue_group(&w, kueue_queue(&w, "other", "co"), "cpu gpu", "one 0 2");
	(void)kueue_podset(&w, kueue_workload(&w, "wl"), "main", 1, "cpu 2000, gpu 1");
	kueue_seal(&w);
	kueue_use(&w, "cq", "one", "cpu", 1000);
	EXPECT(w, &said, "Preempt - 1 | main: cpu one Preempt -1, gpu one Fit -1");
	w.kq->node[w.queue].preference = KQ_PREEMPTION_OVER_BORROWING;
	EXPECT(w, &said, "Fit - 1 | main: cpu one Preempt -1, gpu one Fit -1");
	kueue_release(&w);
}

Test(kq_assign, without_fungibility_the_best_kind_wins_whatever_it_borrows)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	two_ways(&w);
	w.kq->config.gate[KQ_GATE_FlavorFungibility] = false;
	w.kq->node[w.queue].borrow_next = true;
	EXPECT(w, &said, "Fit - 1 | main: cpu borrows Fit 0");
	cr_expect_eq(said.asked, 0);
	kueue_release(&w);
}

Test(kq_assign, later_podsets_see_what_earlier_ones_take)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 3000, two 3000", 1, "cpu 2000");
	(void)kueue_podset(&w, w.workload, "more", 2, "cpu 1000");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0 | more: cpu two Fit -1");
	(void)kueue_podset(&w, w.workload, "third", 1, "cpu 1000");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0 | more: cpu two Fit -1 | third: cpu one Fit 0");
	cr_expect_eq(used_of(assign(&w, NULL), kueue_fr(&w, "one", "cpu")), 3000);
	kueue_release(&w);
}

Test(kq_assign, the_podset_that_fails_is_the_last_one_tried)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 3000", 1, "cpu 2000");
	(void)kueue_podset(&w, w.workload, "more", 1, "cpu 2000");
	(void)kueue_podset(&w, w.workload, "third", 1, "cpu 1000");
	EXPECT(w, NULL, "NoFit ExceedsMaxQuota 0 | main: cpu one Fit -1 | more:");
	kueue_release(&w);
}

/* Alone the leader would get `one`; the group requests 5000 together. */
Test(kq_assign, podsets_of_a_group_share_a_flavor)
{
	struct kueue_instance w;
	struct kq_podset *leader = instance(&w, "cpu", "one 4000, two 9000", 1, "cpu 1000");
	(void)kueue_podset(&w, w.workload, "alone", 1, "cpu 4000");
	struct kq_podset *worker = kueue_podset(&w, w.workload, "worker", 4, "cpu 1000");
	leader->group = worker->group = "g";
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1 | worker: cpu two Fit -1 | alone: cpu one Fit 0");
	leader->group = NULL;
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0 | alone: cpu two Fit -1 | worker: cpu two Fit -1");
	kueue_release(&w);
}

/* A podset without requests still has to be assigned with its group. */
Test(kq_assign, a_leader_that_asks_nothing_has_the_flavors_of_its_group_that_have_a_topology)
{
	struct kueue_instance w;
	struct kq_podset *leader = instance(&w, "cpu", "one 4000", 1, "");
	struct kq_podset *worker = kueue_podset(&w, w.workload, "worker", 4, "cpu 1000");
	leader->group = worker->group = "g";
	EXPECT(w, NULL, "Fit - 0 | main: | worker: cpu one Fit -1");
	w.kq->config.gate[KQ_GATE_TopologyAwareScheduling] = false;
	w.kq->flavor[kq_flavor(w.kq, "one")].topology = kq_topology(w.kq, "tree");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit -1 | worker: cpu one Fit -1");
	cr_expect_eq(used_of(assign(&w, NULL), kueue_fr(&w, "one", "cpu")), 4000);
	kueue_release(&w);
}

Test(kq_assign, each_resource_group_has_a_flavor_of_its_own)
{
	struct kueue_instance w;
	struct said said = { KQ_GRAIN_PREEMPT, 0, 0, 0, KQ_NO };
	instance(&w, "cpu", "one 1000, two 4000", 1, "cpu 2000, memory 5");
	kueue_group(&w, &w.kq->node[w.queue], "memory", "m1 8, m2 8");
	kueue_seal(&w);
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1, memory m1 Fit 0");
	kueue_use(&w, "cq", "m1", "memory", 7);
	kueue_use(&w, "cq", "m2", "memory", 7);
	EXPECT(w, &said, "Preempt - 0 | main: cpu two Fit -1, memory m1 Preempt -1");
	w.kq->workload[w.workload].podset[0].request.at[1].amount = 9;
	EXPECT(w, &said, "NoFit ExceedsMaxQuota 0 | main:");
	kueue_release(&w);
}

/* Of one group the least severe reason counts: quota may become free, though the other flavor never suits. */
Test(kq_assign, the_reason_is_that_of_the_flavor_that_is_nearest)
{
	struct kueue_instance w;
	kueue_make(&w);
	kueue_group(&w, kueue_queue(&w, "cq", "co"), "cpu", "one 0, two 1000, gone 1000");
	kueue_group(&w, kueue_queue(&w, "other", "co"), "cpu", "one 9000, two 0");
	(void)kueue_podset(&w, kueue_workload(&w, "wl"), "main", 1, "cpu 2000");
	w.kq->flavor[kq_flavor(w.kq, "gone")].exists = false;
	kueue_seal(&w);
	kueue_use(&w, "other", "one", "cpu", 8000);
	const struct kq_assignment *made = assign(&w, NULL);
	EXPECT(w, NULL, "NoFit WaitingForQuota 0 | main:");
	static const char *const reason[] = { "WaitingForQuota", "ExceedsMaxQuota", "NoMatchingFlavor" };
	for (uint32_t i = 0; i < 3; i++)
		cr_expect_str_eq(made->podset[0].attempt[i].reason, reason[i]);
	cr_expect_eq(made->podset[0].attempt[0].borrow, 1);
	kueue_use(&w, "other", "one", "cpu", 1000);
	w.kq->config.gate[KQ_GATE_UnadmittedWorkloadsObservability] = false;
	EXPECT(w, NULL, "NoFit - 0 | main:");
	kueue_release(&w);
}

Test(kq_assign, pods_are_asked_where_the_queue_counts_them)
{
	struct kueue_instance w;
	instance(&w, "cpu pods", "one 9000 3", 3, "cpu 1000");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit -1, pods one Fit -1");
	w.kq->workload[w.workload].podset[0].count = 4;
	EXPECT(w, NULL, "NoFit ExceedsMaxQuota 0 | main:");
	kueue_release(&w);
}

Test(kq_assign, a_resource_without_quota_is_asked_in_vain_unless_it_is_zero)
{
	struct kueue_instance w;
	struct kq_podset *podset = instance(&w, "cpu", "one 4000", 1, "cpu 1000, gpu 0");
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit -1");
	podset->request.at[1].amount = 1;
	EXPECT(w, NULL, "NoFit NoMatchingFlavor 0 | main:");
	w.kq->node[w.queue].ignore_undeclared = true;
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit -1");
	kueue_release(&w);
}

/* Of `one` the queue has no quota of its own. */
Test(kq_assign, a_flavor_without_quota_lives_on_the_cohorts)
{
	struct kueue_instance w;
	kueue_make(&w);
	kueue_group(&w, kueue_cohort(&w, "co", NULL), "cpu", "one 2000");
	kueue_group(&w, kueue_queue(&w, "cq", "co"), "cpu", "none, one");
	(void)kueue_podset(&w, kueue_workload(&w, "wl"), "main", 1, "cpu 2000");
	kueue_seal(&w);
	EXPECT(w, NULL, "Fit - 1 | main: cpu one Fit -1");
	w.kq->workload[w.workload].podset[0].request.at[0].amount = 0; /* Zero has a flavor too. */
	EXPECT(w, NULL, "Fit - 0 | main: cpu none Fit 0");
	kueue_release(&w);
}

Test(kq_assign, a_pinned_flavor_is_the_only_one)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 4000, two 4000", 1, "cpu 1000");
	kueue_use(&w, "cq", "one", "cpu", 4000);
	struct kq_assign_options options = { .pinned = assign(&w, NULL) };
	kueue_use(&w, "cq", "one", "cpu", -4000);
	const struct kq_assignment *made = kq_assign(w.kq, w.scratch, w.workload, w.queue, &options);
	cr_expect_str_eq(reported(&w, made), "Fit - 0 | main: cpu two Fit -1");
	kueue_release(&w);
}

Test(kq_assign, a_variant_has_the_flavors_that_it_is_allowed)
{
	struct kueue_instance w;
	static const struct sl_label allowed = { "kueue.x-k8s.io/workload-allowed-resource-flavors",
		"ones , two" };
	instance(&w, "cpu", "one 4000, two 4000", 1, "cpu 1000");
	w.kq->workload[w.workload].annotations = (struct sl_labels){ &allowed, 1 };
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0");
	w.kq->config.gate[KQ_GATE_ConcurrentAdmission] = true;
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1");
	kueue_release(&w);
}

/* The old slice holds 2 pods on `two`: the new one of 3 requests 1 more, there alone. */
Test(kq_assign, a_slice_asks_only_what_it_has_more_than_the_one_that_it_replaces)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 9000, two 3000", 3, "cpu 1000");
	const uint32_t old = kueue_workload(&w, "old");
	(void)kueue_podset(&w, old, "main", 2, "cpu 1000");
	kueue_keep(&w, old, &w.kq->node[w.queue], 2, "cpu two 2000");
	w.kq->workload[w.workload].replaces = old;
	kueue_seal(&w);
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1");
	const struct kq_assignment *made = assign(&w, NULL);
	cr_expect_eq(used_of(made, kueue_fr(&w, "two", "cpu")), 1000);
	cr_expect_str_eq(made->podset[0].attempt[0].reason, "NoMatchingFlavor");
	w.kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlices] = false;
	EXPECT(w, NULL, "Fit - 0 | main: cpu one Fit 0");
	kueue_release(&w);
}

/* A second pass is about places: flavors are as they were, even where quota no longer would allow it. */
Test(kq_assign, an_admitted_workload_keeps_its_flavors)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 4000, two 4000", 2, "cpu 1000");
	kueue_keep(&w, w.workload, &w.kq->node[w.queue], 2, "cpu two 2000");
	kueue_seal(&w);
	kueue_use(&w, "cq", "two", "cpu", 4000);
	EXPECT(w, NULL, "Fit - 0 | main: cpu two Fit -1");
	kueue_release(&w);
}

Test(kq_assign, partial_counts_take_the_place_of_its_own)
{
	struct kueue_instance w;
	static const int64_t count = 2;
	const struct kq_assign_options options = { .count = &count };
	instance(&w, "cpu pods", "one 2000 9", 3, "cpu 1000");
	const struct kq_assignment *made = kq_assign(w.kq, w.scratch, w.workload, w.queue, &options);
	cr_expect_str_eq(reported(&w, made), "Fit - 0 | main: cpu one Fit -1, pods one Fit -1");
	cr_expect_eq(made->podset[0].count, 2);
	cr_expect_eq(used_of(made, kueue_fr(&w, "one", "pods")), 2);
	kueue_release(&w);
}

/* A place could not be found: the podset's mode, the whole's, and its reason follow. */
Test(kq_assign, a_later_reason_makes_the_whole_worse)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 4000", 1, "cpu 1000");
	(void)kueue_podset(&w, w.workload, "more", 1, "cpu 1000");
	struct kq_assignment *made = assign(&w, NULL);
	kq_assign_because(w.kq, w.scratch, made, 1, KQ_PREEMPT, "no room");
	cr_expect_str_eq(reported(&w, made), "Preempt - 0 | main: cpu one Fit -1 | more: cpu one Preempt -1");
	made->podset[1].attempt[0].mode = KQ_NO_FIT;
	made->podset[1].attempt[0].reason = "TopologyPlacementFailed";
	kq_assign_because(w.kq, w.scratch, made, 1, KQ_NO_FIT, "not even empty");
	cr_expect_eq(made->mode, KQ_NO_FIT);
	cr_expect_str_eq(made->pending_reason, "TopologyPlacementFailed");
	cr_expect_str_eq(kq_assign_message(w.kq, w.scratch, made),
		"couldn't assign flavors to pod set more: no room, not even empty");
	kueue_release(&w);
}

/* All groups have flavors, and of one the topology has no room: that another of its flavors fits is no way
 * out, for quota alone chose. */
Test(kq_assign, a_topology_without_room_is_told_beside_flavors_that_fit)
{
	struct kueue_instance w;
	instance(&w, "cpu", "one 4000, two 4000", 1, "cpu 1000");
	struct kq_assignment *made = assign(&w, NULL);
	struct kq_attempt attempt[] = { { .group = 0, .flavor = 0, .mode = KQ_FIT },
		{ .group = 0, .flavor = 1, .mode = KQ_NO_FIT, .reason = "TopologyPlacementFailed" } };
	made->podset[0].attempt = attempt;
	made->podset[0].attempt_count = 2;
	kq_assign_because(w.kq, w.scratch, made, 0, KQ_NO_FIT, "not even empty");
	cr_expect_str_eq(made->pending_reason, "TopologyPlacementFailed");
	made->podset[0].failed = true;
	kq_assign_resolve(w.kq, made);
	cr_expect_null(made->pending_reason, "another group is at fault");
	kueue_release(&w);
}
