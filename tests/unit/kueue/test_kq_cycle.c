/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_cycle.c - scheduling cycles of Kueue, clause by clause: rejections, order, what still fits,
 * capacity that is reserved, victims, second passes.
 */
#include <criterion/criterion.h>

#include "policies/kueue/rules/kq_status.h"
#include "tests/world/kq_victims_world.h"

static struct ks_instance w;

/* A queue with a LocalQueue of the same name. */
static uint32_t queue(const char *name, const char *parent, int64_t nominal)
{
	const uint32_t row = ks_queue(&w, name, parent, nominal);
	const uint32_t local = kq_local_queue(w.kq, "", name);
	w.kq->local[local].queue = row;
	w.kq->local[local].queue_name = w.kq->node[row].name;
	w.kq->local[local].exists = true;
	w.kq->node[row].namespaces.nothing = false;
	return row;
}

static uint32_t job(const char *name, const char *queue_name, int64_t priority, int64_t cpu)
{
	const uint32_t row = ks_waits(&w, name, priority);
	struct kq_amount amount = { KQ_CPU, cpu };
	struct kq_podset *podset = kq_alloc(w.kq, 1, sizeof(*podset));
	SL_CHECK(podset);
	*podset = (struct kq_podset){
		.name = kq_text(w.kq, "main"), .count = 1, .request = kq_amounts(w.kq, &amount, 1)
	};
	w.kq->workload[row].podset = podset;
	w.kq->workload[row].podset_count = 1;
	w.kq->workload[row].queue_name = kq_text(w.kq, queue_name);
	w.kq->workload[row].local = kq_find_local(w.kq, "", queue_name);
	return row;
}

static void start(void)
{
	(void)kq_namespace(w.kq, "");
	ks_seal(&w);
	for (uint32_t i = 0; i < w.kq->workload_count; i++)
		kq_submit(w.kq, i);
}

static bool holds(uint32_t workload) { return kq_is(&w.kq->workload[workload].cond[KQ_QUOTA_RESERVED]); }

static const char *pending(uint32_t workload)
{
	const char *reason = w.kq->workload[workload].pending_reason;
	return reason ? reason : "";
}

static bool is_in(uint32_t workload, enum kq_queued where)
{
	return w.kq->workload[workload].queued == where;
}

Test(kq_cycle, one_of_each_queue_in_a_cycle)
{
	ks_begin(&w);
	(void)queue("a", NULL, 4);
	(void)queue("b", NULL, 4);
	const uint32_t a1 = job("a1", "a", 0, 1), a2 = job("a2", "a", 0, 1), b1 = job("b1", "b", 0, 1);
	start();
	cr_expect(kq_cycle(w.kq));
	cr_expect(holds(a1) && holds(b1) && !holds(a2));
	cr_expect(kq_is(&w.kq->workload[a1].cond[KQ_ADMITTED]));
	cr_expect_eq(kq_cycle_figures(w.kq)->admitted, 2);
	cr_expect(kq_cycle(w.kq) && holds(a2));
	cr_expect_not(kq_cycle(w.kq), "nobody is left");
	cr_expect_eq(w.kq->cycles, 2, "and that is no cycle");
	ks_end(&w);
}

Test(kq_cycle, inside_nominal_comes_before_priority)
{
	ks_begin(&w);
	(void)queue("a", "co", 2);
	(void)queue("b", "co", 2);
	const uint32_t high = job("high", "a", 9, 4), low = job("low", "b", 0, 1);
	start();
	(void)kq_cycle(w.kq);
	cr_expect(holds(low), "it borrows nothing");
	cr_expect_not(holds(high));
	cr_expect_str_eq(pending(high), "WaitingForQuota");
	cr_expect(is_in(high, KQ_ACTIVE), "it would have fitted: tried again at once");
	ks_end(&w);
}

Test(kq_cycle, priority_comes_before_time)
{
	ks_begin(&w);
	(void)queue("a", "co", 0);
	(void)queue("b", "co", 0);
	(void)ks_cohort(&w, "co", NULL, 4);
	const uint32_t old = job("old", "a", 0, 4), high = job("high", "b", 1, 4);
	start();
	(void)kq_cycle(w.kq);
	cr_expect(holds(high) && !holds(old));
	ks_end(&w);
}

Test(kq_cycle, rejected_before_flavors_are_looked_at)
{
	ks_begin(&w);
	const uint32_t a = queue("a", NULL, 4), b = queue("b", NULL, 4);
	w.kq->node[a].namespaces.nothing = true;
	const uint32_t foreign = job("foreign", "a", 0, 1), greedy = job("greedy", "b", 0, 1);
	w.kq->workload[greedy].podset[0].exceeds_limits = true;
	start();
	(void)b;
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(pending(foreign), "Misconfigured");
	cr_expect_str_eq(pending(greedy), "Misconfigured");
	cr_expect(is_in(foreign, KQ_INADMISSIBLE));
	ks_end(&w);
}

Test(kq_cycle, capacity_is_kept_for_a_head_without_victims)
{
	ks_begin(&w);
	(void)queue("a", "co", 4);
	(void)queue("b", "co", 4);
	const uint32_t b = w.kq->node[1].is_queue ? 1 : 2;
	(void)ks_holds(&w, "run", b, 9, 6); /* Two of these are a's. */
	const uint32_t a1 = job("a1", "a", 5, 4), b1 = job("b1", "b", 0, 2);
	w.kq->node[0].reclaim = KQ_LOWER_PRIORITY;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_not(holds(a1));
	cr_expect_not(holds(b1), "the two that are free are kept for a1");
	ks_end(&w);
}

Test(kq_cycle, whoever_always_gets_its_quota_back_keeps_no_capacity)
{
	ks_begin(&w);
	const uint32_t a = queue("a", "co", 4), b = queue("b", "co", 4);
	(void)ks_holds(&w, "own", a, 9, 2);
	(void)ks_holds(&w, "run", b, 9, 4);
	const uint32_t a1 = job("a1", "a", 5, 4), b1 = job("b1", "b", 0, 2);
	w.kq->node[a].reclaim = KQ_ANY;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_not(holds(a1));
	cr_expect(holds(b1));
	ks_end(&w);
}

Test(kq_cycle, victims_are_evicted_and_keep_their_quota)
{
	ks_begin(&w);
	const uint32_t a = queue("a", NULL, 4);
	const uint32_t low = ks_holds(&w, "low", a, 0, 4);
	const uint32_t high = job("high", "a", 1, 4);
	w.kq->node[a].within = KQ_LOWER_PRIORITY;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(w.kq->workload[low].cond[KQ_EVICTED].reason, "Preempted");
	cr_expect_str_eq(w.kq->workload[low].cond[KQ_PREEMPTED].reason, "InClusterQueue");
	cr_expect(w.kq->workload[low].holds);
	cr_expect_str_eq(pending(high), "WaitingForPreemptedWorkloads");
	cr_expect(is_in(high, KQ_ACTIVE));
	cr_expect_eq(kq_cycle_figures(w.kq)->preempted, 1);
	const uint32_t effects = w.kq->effect_count;
	(void)kq_cycle(w.kq);
	for (uint32_t i = effects; i < w.kq->effect_count; i++)
		cr_expect_neq(w.kq->effect[i].kind, KQ_DECISION_PREEMPT, "it is on its way already");
	kq_evicted(w.kq, low);
	(void)kq_cycle(w.kq);
	cr_expect(holds(high));
	ks_end(&w);
}

/* Both want the one that borrows; the second would fit once it is gone. */
Test(kq_cycle, victims_of_two_are_chosen_once)
{
	ks_begin(&w);
	const uint32_t a = queue("a", "co", 2), b = queue("b", "co", 2), c = queue("c", "co", 0);
	(void)ks_holds(&w, "run", c, 0, 4);
	const uint32_t a1 = job("a1", "a", 1, 2), b1 = job("b1", "b", 1, 2);
	w.kq->node[a].reclaim = w.kq->node[b].reclaim = KQ_ANY;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(pending(a1), "WaitingForPreemptedWorkloads");
	cr_expect_str_eq(pending(b1), "WaitingForPreemptedWorkloads");
	cr_expect_eq(kq_cycle_figures(w.kq)->preempted, 1);
	cr_expect_eq(kq_cycle_figures(w.kq)->recomputed[2][b], 1);
	ks_end(&w);
}

Test(kq_cycle, without_recomputing_the_second_is_skipped)
{
	ks_begin(&w);
	const uint32_t a = queue("a", "co", 2), b = queue("b", "co", 2), c = queue("c", "co", 0);
	(void)ks_holds(&w, "run", c, 0, 4);
	(void)job("a1", "a", 1, 2);
	const uint32_t b1 = job("b1", "b", 1, 2);
	w.kq->node[a].reclaim = w.kq->node[b].reclaim = KQ_ANY;
	w.kq->config.gate[KQ_GATE_RecomputeAssignmentUponPreemptionTargetsOverlap] = false;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(pending(b1), "WaitingForQuota");
	cr_expect_eq(kq_cycle_figures(w.kq)->skipped[b], 1);
	cr_expect(is_in(b1, KQ_ACTIVE));
	ks_end(&w);
}

Test(kq_cycle, older_words_without_observability)
{
	ks_begin(&w);
	(void)queue("a", NULL, 4);
	const uint32_t big = job("big", "a", 0, 5);
	w.kq->config.gate[KQ_GATE_UnadmittedWorkloadsObservability] = false;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(pending(big), "Pending");
	w.kq->local[w.kq->workload[big].local].stop = KQ_HOLD;
	(void)kq_reconcile(w.kq, big);
	cr_expect_str_eq(pending(big), "Inadmissible");
	ks_end(&w);
}

Test(kq_cycle, a_closed_gate_stops_preemption_alone)
{
	ks_begin(&w);
	const uint32_t a = queue("a", NULL, 4);
	const uint32_t low = ks_holds(&w, "low", a, 0, 4), high = job("high", "a", 1, 4);
	w.kq->node[a].within = KQ_LOWER_PRIORITY;
	w.kq->workload[high].gated = true;
	w.kq->config.gate[KQ_GATE_MultiKueueOrchestratedPreemption] = true;
	start();
	(void)kq_cycle(w.kq);
	cr_expect_str_eq(pending(high), "AdmissionGated");
	cr_expect_eq(w.kq->workload[low].cond[KQ_EVICTED].status, KQ_ABSENT);
	cr_expect(kq_is(&w.kq->workload[high].cond[KQ_BLOCKED_ON_GATES]));
	ks_end(&w);
}

Test(kq_cycle, admission_stands_still_until_all_are_ready)
{
	ks_begin(&w);
	(void)queue("a", NULL, 4);
	(void)queue("b", NULL, 4);
	const uint32_t a1 = job("a1", "a", 0, 1), b1 = job("b1", "b", 0, 1);
	w.kq->config.wait_ready = w.kq->config.block_admission = true;
	start();
	(void)kq_cycle(w.kq);
	cr_expect(holds(a1));
	cr_expect_str_eq(pending(b1), "WaitingForPodsReady");
	cr_expect_not(kq_cycle(w.kq));
	kq_pods_ready(w.kq, a1, true);
	(void)kq_cycle(w.kq);
	cr_expect(holds(b1));
	ks_end(&w);
}

Test(kq_cycle, a_slice_that_is_replaced_is_finished)
{
	ks_begin(&w);
	const uint32_t a = queue("a", NULL, 4);
	const uint32_t old = ks_holds(&w, "old", a, 0, 3), new = job("new", "a", 0, 4);
	w.kq->workload[new].replaces = old;
	start();
	(void)kq_cycle(w.kq);
	cr_expect(holds(new), "only the difference has to be free");
	cr_expect_str_eq(w.kq->workload[old].cond[KQ_FINISHED].reason, "WorkloadSliceReplaced");
	kq_finish(w.kq, old, "WorkloadSliceReplaced");
	cr_expect_not(w.kq->workload[old].holds);
	ks_end(&w);
}

Test(kq_cycle, the_accounting_are_as_the_holders_say)
{
	ks_begin(&w);
	const uint32_t a = queue("a", "co", 2), b = queue("b", "co", 2);
	const uint32_t root = w.kq->node_count; /* Made by the seal. */
	(void)ks_holds(&w, "run", b, 0, 1);
	(void)job("a1", "a", 0, 3);
	(void)job("b1", "b", 0, 9);
	start();
	(void)kq_cycle(w.kq);
	const uint32_t cell = ks_cell(&w, "f", "cpu"), count = w.kq->fr_count;
	cr_expect_eq(w.kq->usage[(size_t)a * count + cell], 3);
	cr_expect_eq(w.kq->usage[(size_t)b * count + cell], 1);
	cr_expect_eq(w.kq->usage[(size_t)root * count + cell], 4);
	cr_expect_eq(w.kq->marks, 0);
	ks_end(&w);
}

/* ---- The classical order ---- */

Test(kq_cycle, order_of_entries)
{
	ks_begin(&w);
	const struct kq_entry_key key[] = {
		{ .reserved = true, .borrow = 3, .priority = -9, .time = 9 },
		{ .borrow = 0, .priority = 5, .time = 9 },
		{ .borrow = 0, .priority = 0, .time = 1 },
		{ .borrow = 0, .priority = 0, .time = 2 },
		{ .borrow = 1, .preemptor = true, .priority = 9, .time = 0 },
	};
	for (size_t i = 1; i < SL_LEN(key); i++)
		cr_expect_lt(kq_entry_compare(w.kq, &key[i - 1], &key[i]), 0, "%zu", i);
	w.kq->config.gate[KQ_GATE_PrioritizePreemptorWorkloads] = true;
	cr_expect_lt(kq_entry_compare(w.kq, &key[4], &key[1]), 0);
	w.kq->config.gate[KQ_GATE_PrioritySortingWithinCohort] = false;
	cr_expect_gt(kq_entry_compare(w.kq, &key[1], &key[2]), 0, "by time alone");
	ks_end(&w);
}
