/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_drawn.c - drawn Kueue states that change over time, and the invariants of all of them between cycles.
 */
#include "tests/world/kq_drawn.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"
#include "tests/world/effort.h"

static const char *const flavor_name[KD_FLAVORS] = { "f", "g" };
/* Feature gates of the cycle, without topologies. */
static const enum kq_gate gates[] = { KQ_GATE_PrioritySortingWithinCohort, KQ_GATE_FlavorFungibility,
	KQ_GATE_FairSharingPreemptWithinNominal, KQ_GATE_FairSharingPrioritizeNonBorrowing,
	KQ_GATE_SchedulingEquivalenceHashing, KQ_GATE_RecomputeAssignmentUponPreemptionTargetsOverlap,
	KQ_GATE_FlavorFungibilityPreserveScanProgress, KQ_GATE_PrioritizePreemptorWorkloads };
static const char *const resource_name[KD_RESOURCES] = { "cpu", "gpu" };

uint64_t kd_runs(uint64_t usual) { return effort_of(usual / 8 + 1, usual, usual * 10); }

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

/* ---- Drawn ---- */

static struct kd_quota draw_quota(struct sl_rng *rng, bool queue)
{
	struct kd_quota quota = { .borrowing = KQ_NO_LIMIT, .lending = KQ_NO_LIMIT };
	if (below(rng, queue ? 6 : 2))
		quota.nominal = below(rng, 8);
	if (!below(rng, 4))
		quota.borrowing = below(rng, 6);
	if (!below(rng, 4))
		quota.lending = below(rng, 6);
	return quota;
}

static void draw_queue(struct sl_rng *rng, struct kd_plan *plan, uint32_t i, uint32_t options)
{
	static const enum kq_within within[] = { KQ_NEVER, KQ_LOWER_PRIORITY, KQ_LOWER_OR_NEWER_EQUAL };
	static const enum kq_within reclaim[] = { KQ_NEVER, KQ_LOWER_PRIORITY, KQ_ANY, KQ_ANY };
	static const double weight[] = { 1, 1, 2, 0.5, 0 };
	const int64_t of = below(rng, (int64_t)plan->cohorts * 4);
	plan->queue[i].cohort = of ? (uint32_t)of % plan->cohorts : plan->cohorts;
	plan->queue[i].threshold = -1;
	plan->queue[i].weight = weight[below(rng, SL_LEN(weight))];
	plan->queue[i].preference =
		below(rng, 4) ? KQ_BORROWING_OVER_PREEMPTION : KQ_PREEMPTION_OVER_BORROWING;
	plan->queue[i].borrow_next = !below(rng, 3);
	plan->queue[i].preempt_next = below(rng, 3);
	if ((options & KD_STRICT) && !below(rng, 3))
		plan->queue[i].strategy = KQ_STRICT_FIFO;
	if (!(options & KD_PREEMPTS))
		return;
	plan->queue[i].within = within[below(rng, SL_LEN(within))];
	plan->queue[i].reclaim = reclaim[below(rng, SL_LEN(reclaim))];
	plan->queue[i].borrow_within = below(rng, 3) ? KQ_NEVER : KQ_LOWER_PRIORITY;
	plan->queue[i].threshold = below(rng, 3) - 1;
}

struct kd_plan kd_draw(uint64_t seed, uint32_t flavors, uint32_t options)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/kq_drawn");
	struct kd_plan plan = { .seed = seed, .flavors = flavors, .jobs = KD_JOBS };
	plan.cohorts = (uint32_t)(1 + below(&rng, KD_COHORTS));
	plan.queues = (uint32_t)(2 + below(&rng, KD_QUEUES - 1));
	plan.fair = below(&rng, 2);
	plan.partial = options & KD_PARTIAL;
	if (options & KD_GATES) { /* About two of the eight. */
		plan.gates_other = (uint32_t)below(&rng, 256);
		plan.gates_other &= (uint32_t)below(&rng, 256);
	}
	for (uint32_t i = 0; i < plan.cohorts; i++) {
		plan.cohort[i].parent = i ? (uint32_t)below(&rng, i + (below(&rng, 3) == 0)) : 0;
		plan.cohort[i].weight = below(&rng, 4) ? 1 : 2.5;
		for (uint32_t c = 0; c < flavors * KD_RESOURCES; c++)
			plan.cohort[i].quota[c / KD_RESOURCES][c % KD_RESOURCES] = draw_quota(&rng, false);
	}
	for (uint32_t i = 0; i < plan.queues; i++) {
		draw_queue(&rng, &plan, i, options);
		for (uint32_t c = 0; c < flavors * KD_RESOURCES; c++)
			plan.queue[i].quota[c / KD_RESOURCES][c % KD_RESOURCES] = draw_quota(&rng, true);
	}
	for (uint32_t i = 0; i < plan.jobs; i++) {
		plan.job[i].queue = (uint32_t)below(&rng, plan.queues);
		plan.job[i].priority = below(&rng, 3);
		plan.job[i].count = 1 + below(&rng, 3);
		plan.job[i].min_count = (options & KD_PARTIAL) && below(&rng, 2) ? 1 : 0;
		plan.job[i].needs[0] = 1 + below(&rng, 3);
		plan.job[i].needs[1] = below(&rng, 2);
	}
	return plan;
}

/* ---- Built ---- */

static void give(struct kd *w, uint32_t node, struct kd_quota quota[KD_FLAVORS][KD_RESOURCES], bool limited)
{
	struct kq *kq = w->kq;
	struct kq_group *group = kq_alloc(kq, 1, sizeof(*group));
	struct kq_group_flavor *flavor = kq_alloc(kq, KD_FLAVORS, sizeof(*flavor));
	uint32_t *resource = kq_alloc(kq, KD_RESOURCES, sizeof(*resource));
	cr_assert(group && flavor && resource);
	for (uint32_t r = 0; r < KD_RESOURCES; r++)
		resource[r] = kq_resource(kq, resource_name[r]);
	for (uint32_t f = 0; f < w->plan->flavors; f++) {
		struct kq_quota *to = kq_alloc(kq, KD_RESOURCES, sizeof(*to));
		cr_assert(to);
		for (uint32_t r = 0; r < KD_RESOURCES; r++)
			to[r] = (struct kq_quota){ resource[r], quota[f][r].nominal,
				limited ? quota[f][r].borrowing : KQ_NO_LIMIT,
				limited ? quota[f][r].lending : KQ_NO_LIMIT };
		flavor[f] = (struct kq_group_flavor){ kq_flavor(kq, flavor_name[f]), to, KD_RESOURCES };
		kq->flavor[flavor[f].flavor].exists = true;
		kq->flavor[flavor[f].flavor].topology = KQ_NO;
	}
	*group = (struct kq_group){ resource, KD_RESOURCES, flavor, w->plan->flavors };
	kq->node[node].group = group;
	kq->node[node].group_count = 1;
}

static const char *named(struct kd *w, char kind, uint32_t i)
{
	char name[16];
	(void)snprintf(name, sizeof(name), kind == 'w' ? "%c%02u" : "%c%u", kind, i);
	return kq_text(w->kq, name);
}

static void make_cohort(struct kd *w, uint32_t i)
{
	const uint32_t row = kq_cohort(w->kq, named(w, 'c', i)), parent = w->plan->cohort[i].parent;
	struct kq_node *cohort = &w->kq->node[row];
	cohort->exists = true;
	cohort->parent_name = parent != i ? named(w, 'c', parent) : NULL;
	cohort->weight = w->plan->cohort[i].weight;
	struct kd_plan plan = *w->plan;
	give(w, row, plan.cohort[i].quota, parent != i);
}

static void make_queue(struct kd *w, uint32_t i)
{
	struct kd_plan plan = *w->plan;
	const char *name = named(w, 'q', i);
	const uint32_t row = kq_cluster_queue(w->kq, name), local = kq_local_queue(w->kq, "", name);
	const bool member = plan.queue[i].cohort < plan.cohorts;
	struct kq_node *queue = &w->kq->node[row];
	w->queue[i] = row;
	queue->exists = true;
	queue->namespaces.nothing = false;
	queue->parent_name = member ? named(w, 'c', plan.queue[i].cohort) : NULL;
	queue->strategy = plan.queue[i].strategy;
	queue->within = plan.queue[i].within;
	queue->reclaim = plan.queue[i].reclaim;
	queue->borrow_within = plan.queue[i].borrow_within;
	queue->preference = plan.queue[i].preference;
	queue->borrow_next = plan.queue[i].borrow_next;
	queue->preempt_next = plan.queue[i].preempt_next;
	queue->has_threshold = plan.queue[i].threshold >= 0;
	queue->threshold = queue->has_threshold ? (int32_t)plan.queue[i].threshold : 0;
	queue->weight = plan.queue[i].weight;
	give(w, row, plan.queue[i].quota, member);
	w->kq->local[local].exists = true;
	w->kq->local[local].queue = row;
	w->kq->local[local].queue_name = name;
}

static void make_job(struct kd *w, uint32_t i)
{
	struct kq *kq = w->kq;
	const uint32_t row = kq_workload(kq, "", named(w, 'w', i));
	struct kq_podset *podset = kq_alloc(kq, 1, sizeof(*podset));
	struct kq_amount needs[KD_RESOURCES];
	cr_assert(podset);
	for (uint32_t r = 0; r < KD_RESOURCES; r++)
		needs[r] = (struct kq_amount){ kq_resource(kq, resource_name[r]), w->plan->job[i].needs[r] };
	*podset = (struct kq_podset){ .name = kq_text(kq, "main"),
		.count = w->plan->job[i].count,
		.min_count = w->plan->job[i].min_count,
		.request = kq_amounts(kq, needs, w->plan->job[i].needs[1] ? 2 : 1) };
	struct kq_workload *made = &kq->workload[row];
	w->job[i] = row;
	made->uid = made->name;
	made->queue_name = named(w, 'q', w->plan->job[i].queue);
	made->local = kq_find_local(kq, "", made->queue_name);
	made->priority = w->plan->job[i].priority;
	made->created = (sl_time)i * SL_SECOND;
	made->podset = podset;
	made->podset_count = 1;
}

static void each_in_some_order(
	struct kd *w, uint32_t count, struct sl_rng *rng, void (*make)(struct kd *w, uint32_t i))
{
	uint32_t order[KD_JOBS];
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	for (uint32_t i = count; rng && i-- > 1;) {
		const uint32_t with = (uint32_t)below(rng, i + 1), kept = order[i];
		order[i] = order[with];
		order[with] = kept;
	}
	for (uint32_t i = 0; i < count; i++)
		make(w, order[i]);
}

void kd_open(struct kd *w, const struct kd_plan *plan, uint64_t shuffle)
{
	struct sl_rng rng = sl_rng_stream(shuffle, "tests/kq_drawn/rows");
	struct sl_rng *cause = shuffle ? &rng : NULL;
	*w = (struct kd){ .arena = sl_arena_new(), .plan = plan };
	w->kq = w->arena ? kq_new(w->arena) : NULL;
	cr_assert(w->kq);
	if (shuffle) { /* Flavors and resources in another order, too. */
		(void)kq_flavor(w->kq, "g");
		(void)kq_resource(w->kq, "gpu");
	}
	(void)kq_namespace(w->kq, "");
	w->kq->config.fair_sharing = plan->fair;
	for (uint32_t i = 0; i < SL_LEN(gates); i++)
		if (plan->gates_other & 1U << i)
			w->kq->config.gate[gates[i]] = !w->kq->config.gate[gates[i]];
	each_in_some_order(w, plan->cohorts, cause, make_cohort);
	each_in_some_order(w, plan->queues, cause, make_queue);
	each_in_some_order(w, plan->jobs, cause, make_job);
	cr_assert_eq(kq_seal(w->kq), 0, "%s", w->kq->err.text);
	w->kq->now = 1000 * SL_SECOND;
}

void kd_close(struct kd *w)
{
	cr_expect_eq(w->kq->err.status, 0, "%s", w->kq->err.text);
	kq_free(w->kq);
	sl_arena_free(w->arena);
}

/* ---- Changes over time ---- */

bool kd_holds(const struct kd *w, uint32_t job) { return w->kq->workload[w->job[job]].holds; }

bool kd_waits(const struct kd *w, uint32_t job)
{
	return w->submitted[job] && !w->finished[job] && !kd_holds(w, job);
}

void kd_submit(struct kd *w, uint32_t job)
{
	w->submitted[job] = true;
	kq_submit(w->kq, w->job[job]);
}

void kd_finish(struct kd *w, uint32_t job)
{
	const struct kq_workload *row = &w->kq->workload[w->job[job]];
	if (!kd_holds(w, job) || kq_is(&row->cond[KQ_EVICTED]))
		return;
	w->changed[w->plan->job[job].queue] = true;
	w->finished[job] = true;
	kq_finish(w->kq, w->job[job], "Succeeded");
}

uint32_t kd_evict_all(struct kd *w)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->plan->jobs; i++) {
		const struct kq_workload *row = &w->kq->workload[w->job[i]];
		if (!kd_holds(w, i) || !kq_is(&row->cond[KQ_EVICTED]))
			continue;
		kq_evicted(w->kq, w->job[i]);
		cr_assert_not(kd_holds(w, i));
		w->changed[w->plan->job[i].queue] = true;
		count++;
	}
	return count;
}

void kd_wake(struct kd *w)
{
	uint32_t before[KD_QUEUES], moved = 0;
	const uint32_t *list;
	for (uint32_t i = 0; i < w->plan->queues; i++)
		before[i] = kq_waiting(w->kq, w->queue[i], KQ_INADMISSIBLE, &list);
	const uint32_t reported = kq_queue_wake(w->kq);
	for (uint32_t i = 0; i < w->plan->queues; i++) {
		const uint32_t root = w->kq->node[w->queue[i]].root;
		bool noted = false;
		for (uint32_t j = 0; j < w->plan->queues; j++)
			noted |= w->changed[j] && w->kq->node[w->queue[j]].root == root;
		const uint32_t now = kq_waiting(w->kq, w->queue[i], KQ_INADMISSIBLE, &list);
		cr_assert_eq(now, noted ? 0 : before[i], "world %llu q%u: %u wait on, of %u",
			(unsigned long long)w->plan->seed, i, now, before[i]);
		moved += before[i] - now;
	}
	cr_assert_eq(reported, moved, "world %llu", (unsigned long long)w->plan->seed);
	memset(w->changed, 0, sizeof(w->changed));
}

static bool fits_flavor(const struct kd *w, uint32_t job, const char *flavor, bool ever)
{
	const struct kq *kq = w->kq;
	const struct kq_workload *row = &kq->workload[w->job[job]];
	const uint32_t queue = w->queue[w->plan->job[job].queue];
	for (uint32_t i = 0; i < row->podset[0].request.count; i++) {
		const struct kq_amount *one = &row->podset[0].request.at[i];
		const uint32_t fr = kq_fr(kq, kq_flavor(w->kq, flavor), one->resource);
		const int64_t capacity = ever ? kq_potential(kq, queue, fr) : kq_available(kq, queue, fr);
		if (one->amount * row->podset[0].count > capacity)
			return false;
	}
	return true;
}

bool kd_fits(const struct kd *w, uint32_t job)
{
	return fits_flavor(w, job, "f", false) || (w->plan->flavors > 1 && fits_flavor(w, job, "g", false));
}

bool kd_possible(const struct kd *w, uint32_t job)
{
	return fits_flavor(w, job, "f", true) || (w->plan->flavors > 1 && fits_flavor(w, job, "g", true));
}

/* ---- Invariants ---- */

/* By what is written in the admissions, over the whole tree. */
static int64_t used_by_holders(const struct kd *w, uint32_t n, uint32_t fr)
{
	const struct kq *kq = w->kq;
	int64_t sum = 0;
	for (uint32_t c = 0; !kq->node[n].is_queue && c < kq->node_count; c++) {
		const int64_t over =
			kq->node[c].parent == n ? used_by_holders(w, c, fr) - kq_guaranteed(kq, c, fr) : 0;
		sum += over > 0 ? over : 0;
	}
	for (uint32_t i = 0; kq->node[n].is_queue && i < kq->workload_count; i++) {
		const struct kq_admission *admission = kq->workload[i].admission;
		if (!kq_is(&kq->workload[i].cond[KQ_QUOTA_RESERVED]) ||
			kq_is(&kq->workload[i].cond[KQ_FINISHED]) || admission->queue != n)
			continue;
		for (uint32_t f = 0; f < admission->podset[0].flavor_count; f++)
			if (kq_fr(kq, admission->podset[0].flavor[f].flavor,
				    admission->podset[0].flavor[f].resource) == fr)
				sum += admission->podset[0].flavor[f].amount;
	}
	return sum;
}

void kd_check_accounting(const struct kd *w)
{
	const struct kq *kq = w->kq;
	cr_assert_eq(kq->marks, 0);
	for (uint32_t n = 0; n < kq->node_count; n++)
		for (uint32_t fr = 0; fr < kq->fr_count; fr++)
			cr_assert_eq(kq->usage[(size_t)n * kq->fr_count + fr], used_by_holders(w, n, fr),
				"world %llu: usage of %s", (unsigned long long)w->plan->seed,
				kq->node[n].name);
}

static void check_limits(const struct kd *w)
{
	const struct kq *kq = w->kq;
	for (uint32_t n = 0; n < kq->node_count; n++)
		for (uint32_t fr = 0; fr < kq->fr_count; fr++) {
			const size_t at = (size_t)n * kq->fr_count + fr;
			const int64_t most = kq->node[n].parent == KQ_NO || kq->borrowing[at] == KQ_NO_LIMIT
						     ? kq_potential(kq, n, fr)
						     : kq->subtree[at] + kq->borrowing[at];
			cr_assert_leq(kq->usage[at], most, "world %llu: %s is above its limit",
				(unsigned long long)w->plan->seed, kq->node[n].name);
			/* What is not lent can be had by its owner at any time. */
			cr_assert_geq(kq_available(kq, n, fr), kq_local_free(kq, n, fr), "world %llu: %s",
				(unsigned long long)w->plan->seed, kq->node[n].name);
		}
}

void kd_check_limits(const struct kd *w)
{
	struct kq *kq = w->kq;
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < kq->workload_count; i++)
		if (kq->workload[i].holds && kq_is(&kq->workload[i].cond[KQ_EVICTED]))
			kq_count_out(kq, i);
	check_limits(w);
	kq_undo(kq, mark);
}

void kd_check_limits_with(const struct kd *w, const bool in[KD_JOBS])
{
	struct kq *kq = w->kq;
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < w->plan->jobs; i++) {
		const struct kq_podset *asks = &kq->workload[w->job[i]].podset[0];
		for (uint32_t r = 0; in[i] && r < asks->request.count; r++)
			kq_usage_add(kq, w->queue[w->plan->job[i].queue],
				kq_fr(kq, kq_flavor(kq, "f"), asks->request.at[r].resource),
				asks->request.at[r].amount * asks->count);
	}
	kd_check_limits(w);
	kq_undo(kq, mark);
}

static uint32_t times_listed(const struct kd *w, uint32_t row, enum kq_queued where)
{
	uint32_t times = 0;
	for (uint32_t q = 0; q < w->plan->queues; q++) {
		const uint32_t *list;
		const uint32_t count = kq_waiting(w->kq, w->queue[q], where, &list);
		for (uint32_t i = 0; i < count; i++)
			times += list[i] == row;
	}
	return times;
}

void kd_check_places(const struct kd *w)
{
	for (uint32_t i = 0; i < w->plan->jobs; i++) {
		const uint32_t row = w->job[i];
		const uint32_t active = times_listed(w, row, KQ_ACTIVE),
			       parked = times_listed(w, row, KQ_INADMISSIBLE);
		cr_assert_eq(active + parked, kd_waits(w, i), "world %llu: w%02u",
			(unsigned long long)w->plan->seed, i);
		cr_assert_eq(times_listed(w, row, KQ_IN_FLIGHT), 0);
		cr_assert_eq(w->kq->workload[row].queued, active   ? KQ_ACTIVE
							  : parked ? KQ_INADMISSIBLE
								   : KQ_NOT_QUEUED);
	}
}
