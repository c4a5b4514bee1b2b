/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_second.c - the second pass of Kueue, clause by clause: workloads that hold their quota and look for
 * topology domains once more.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/kueue/rules/kq_entry.h"
#include "policies/kueue/tas/kq_tas.h"
#include "tests/world/kq_victims_world.h"

static struct ks_instance w;
static const char *const hosts = "kubernetes.io/hostname";

static void host(const char *name, int64_t cpus)
{
	struct sl_label *label = kq_alloc(w.kq, 1, sizeof(*label));
	const struct kq_amount amount[] = { { KQ_PODS, 10 }, { KQ_CPU, cpus } };
	SL_CHECK(label);
	*label = (struct sl_label){ hosts, name };
	const uint32_t row = kq_host(w.kq, name);
	w.kq->host[row].labels = (struct sl_labels){ label, 1 };
	w.kq->host[row].allocatable = kq_amounts(w.kq, amount, SL_LEN(amount));
}

/* A queue "a" of 8 whose flavor has a topology of hosts; who has more priority preempts within it. */
static uint32_t begin(void)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 8), topology = kq_topology(w.kq, "t");
	w.kq->topology[topology].exists = true;
	w.kq->topology[topology].level[w.kq->topology[topology].level_count++] = hosts;
	w.kq->flavor[0].topology = topology;
	w.kq->node[a].within = KQ_LOWER_PRIORITY;
	return a;
}

static void place(uint32_t workload, struct kq_domain_count *domain, uint32_t count)
{
	struct kq_placement placement = {
		.level = { hosts }, .level_count = 1, .domain = domain, .count = count
	};
	struct kq_admission admission = *w.kq->workload[workload].admission;
	struct kq_admitted_podset podset = admission.podset[0];
	podset.placement = &placement;
	podset.delayed = false;
	admission.podset = &podset;
	kq_set_admission(w.kq, workload, &admission);
}

/* One that holds quota for so many pods of 1 cpu, and no place yet. */
static uint32_t waits(const char *name, uint32_t queue, int64_t priority, int64_t pods)
{
	const uint32_t row = ks_holds(&w, name, queue, priority, pods);
	struct kq_podset *podset = w.kq->workload[row].podset;
	struct kq_admitted_podset *held = w.kq->workload[row].admission->podset;
	const struct kq_amount one = { KQ_CPU, 1 };
	podset->count = held->count = pods;
	podset->request = kq_amounts(w.kq, &one, 1);
	podset->topology = (struct kq_topology_request){ .given = true, .unconstrained = true };
	held->delayed = true;
	return row;
}

static uint32_t runs(const char *name, uint32_t queue, int64_t priority, int64_t pods, const char *on)
{
	const uint32_t row = waits(name, queue, priority, pods);
	struct kq_domain_count domain = { { on }, pods };
	place(row, &domain, 1);
	return row;
}

static struct kq_entry nominated(uint32_t workload, uint32_t queue)
{
	struct kq_entry entry = { .workload = workload,
		.queue = queue,
		.second = true,
		.attempt = 1,
		.replaces = KQ_NO,
		.migrates = KQ_NO };
	kq_entry_assign(w.kq, kq_cycle_state(w.kq), &entry, NULL);
	return entry;
}

Test(kq_second, who_waits_for_domains_gets_them)
{
	const uint32_t a = begin();
	host("x1", 4);
	const uint32_t late = waits("late", a, 0, 3);
	ks_seal(&w);
	const struct kq_entry entry = nominated(late, a);
	cr_expect_eq(entry.assignment->mode, KQ_FIT);
	cr_expect_eq(entry.assignment->podset[0].placement->domain[0].count, 3);
	cr_expect_eq(entry.victims.count, 0);
	ks_end(&w);
}

/* Quota is no question: it has it. Its place is. */
Test(kq_second, who_finds_no_domain_preempts_for_it)
{
	const uint32_t a = begin();
	host("x1", 4);
	const uint32_t low = runs("low", a, 0, 4, "x1"), late = waits("late", a, 1, 4);
	ks_seal(&w);
	const struct kq_entry entry = nominated(late, a);
	cr_expect_eq(entry.assignment->mode, KQ_PREEMPT);
	cr_assert_eq(entry.victims.count, 1);
	cr_expect_eq(entry.victims.at[0].workload, low);
	ks_end(&w);
}

Test(kq_second, who_may_be_partial_is_made_smaller)
{
	const uint32_t a = begin();
	host("x1", 4);
	(void)runs("same", a, 1, 2, "x1");
	const uint32_t late = waits("late", a, 1, 4);
	w.kq->workload[late].podset[0].min_count = 1;
	ks_seal(&w);
	const struct kq_entry entry = nominated(late, a);
	cr_expect_eq(entry.assignment->mode, KQ_FIT);
	cr_expect_eq(entry.assignment->podset[0].count, 2);
	cr_expect_eq(entry.assignment->podset[0].requests.at[0].amount, 2);
	ks_end(&w);
}

/* x1 is gone, with two pods of six: they find two places more on x2, where others take one meanwhile. */
Test(kq_second, what_it_holds_stays_counted_while_it_is_processed)
{
	static const char *const gone[] = { "x1" };
	const uint32_t a = begin();
	host("x1", 2);
	host("x2", 6);
	struct kq_domain_count both[] = { { { "x1" }, 2 }, { { "x2" }, 4 } };
	const uint32_t job = waits("job", a, 0, 6), other = waits("other", a, 0, 1);
	place(job, both, 2);
	w.kq->workload[job].unhealthy = gone;
	w.kq->workload[job].unhealthy_count = 1;
	kq_set_cond(w.kq, job, KQ_ADMITTED, KQ_TRUE, "Admitted", NULL, 0);
	w.kq->host[kq_host(w.kq, "x1")].ready = false;
	w.kq->config.gate[KQ_GATE_TASRecomputeAssignmentWithinSchedulingCycle] = false;
	ks_seal(&w);
	struct kq_entry entry = nominated(job, a);
	cr_assert_eq(entry.assignment->mode, KQ_FIT);
	cr_expect_eq(entry.assignment->podset[0].placement->domain[0].count, 6);
	const kq_marked mark = kq_mark(w.kq);
	kq_tas_add_assignment(w.kq, nominated(other, a).assignment);
	kq_process(w.kq, kq_cycle_state(w.kq), &entry);
	cr_expect_eq(entry.status, KQ_SKIPPED);
	kq_undo(w.kq, mark);
	ks_end(&w);
}

/* A host that fails before the workload was admitted took no pod with it. */
Test(kq_second, only_who_was_admitted_has_lost_pods)
{
	static const char *const gone[] = { "x1" };
	const uint32_t a = begin();
	host("x1", 4);
	const uint32_t job = runs("job", a, 0, 2, "x1");
	w.kq->workload[job].unhealthy = gone;
	w.kq->workload[job].unhealthy_count = 1;
	ks_seal(&w);
	cr_expect_not(kq_needs_second_pass(w.kq, job));
	kq_set_cond(w.kq, job, KQ_ADMITTED, KQ_TRUE, "Admitted", NULL, 0);
	cr_expect(kq_needs_second_pass(w.kq, job));
	ks_end(&w);
}
