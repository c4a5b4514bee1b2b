/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kueue.c - Kueue's cycles in drawn worlds: books and limits after each, whom a rule allows to preempt,
 * who is admitted in how many cycles, what is woken, how far fair sharing comes, and that neither rows nor
 * chance decide.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/kq_drawn.h"

enum { STEPS = 80, REPORTED = 1 << 16 };

struct reported {
	char text[REPORTED];
	size_t at;
	uint32_t reserved, requeued, preempted; /* Effects. */
	uint32_t partial;                       /* Of those reserved. */
};

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

static const char *name_of(const struct kd *w, uint32_t row)
{
	return row == KQ_NO ? "-" : w->kq->workload[row].name;
}

/* What was decided goes into the record. */
static void report(struct kd *w, struct reported *reported)
{
	struct kq *kq = w->kq;
	for (uint32_t i = 0; i < kq->effect_count; i++) {
		const struct kq_effect *decision = &kq->effect[i];
		const struct kq_admission *admission = kq->workload[decision->workload].admission;
		const bool reserve = decision->kind == KQ_DECISION_RESERVE;
		const int wrote = snprintf(reported->text + reported->at, REPORTED - reported->at,
			"%d %s %s %s %s\n", (int)decision->kind, name_of(w, decision->workload),
			name_of(w, decision->cause), decision->reason ? decision->reason : "",
			reserve ? kq->flavor[admission->podset[0].flavor[0].flavor].name : "");
		reported->at += (size_t)wrote;
		cr_assert_lt(reported->at, REPORTED);
		reported->reserved += reserve;
		reported->requeued += decision->kind == KQ_DECISION_REQUEUE;
		reported->preempted += decision->kind == KQ_DECISION_PREEMPT;
		reported->partial += reserve && admission->podset[0].count <
							kq->workload[decision->workload].podset[0].count;
	}
	kq->effect_count = 0;
}

/* ---- Preemption ---- */

static bool allows(const struct kq_workload *in, const struct kq_workload *other, enum kq_within policy)
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

/* The policy that the reason names, and what it asks of both. */
static bool rule_allows(const struct kd *w, const struct kq_effect *decision)
{
	const struct kq_workload *in = &w->kq->workload[decision->cause],
				 *out = &w->kq->workload[decision->workload];
	const struct kq_node *own = &w->kq->node[w->kq->local[in->local].queue];
	const struct kq_node *other = &w->kq->node[out->admission->queue];
	if (strcmp(decision->reason, "InClusterQueue") == 0)
		return own == other && allows(in, out, own->within);
	if (own == other || own->root != other->root || !allows(in, out, own->reclaim))
		return false;
	if (strcmp(decision->reason, "InCohortFairSharing") == 0)
		return w->plan->fair;
	if (strcmp(decision->reason, "InCohortReclaimWhileBorrowing") == 0)
		return !w->plan->fair && own->borrow_within != KQ_NEVER && out->priority < in->priority &&
		       (!own->has_threshold || out->priority <= own->threshold);
	return strcmp(decision->reason, "InCohortReclamation") == 0;
}

/* In one flavor, and whole, it is known what a preemptor will use: with all that are evicted gone, and all
 * that preempt in, no limit is passed. */
static void check_capacity(const struct kd *w)
{
	bool in[KD_JOBS] = { false };
	for (uint32_t i = 0; i < w->kq->effect_count; i++)
		for (uint32_t j = 0; j < w->plan->jobs; j++)
			in[j] |= w->kq->effect[i].kind == KQ_DECISION_PREEMPT &&
				 w->kq->effect[i].cause == w->job[j];
	kd_check_limits_with(w, in);
}

static void check_preempted(struct kd *w)
{
	for (uint32_t i = 0; i < w->kq->effect_count; i++) {
		const struct kq_effect *decision = &w->kq->effect[i];
		if (decision->kind != KQ_DECISION_PREEMPT)
			continue;
		const struct kq_workload *in = &w->kq->workload[decision->cause],
					 *out = &w->kq->workload[decision->workload];
		const unsigned long long seed = w->plan->seed;
		cr_assert(rule_allows(w, decision), "world %llu: %s preempts %s: %s", seed, in->name,
			out->name, decision->reason);
		cr_assert(out->holds && kq_is(&out->cond[KQ_EVICTED]), "world %llu: %s", seed, out->name);
		cr_assert(in->queued == KQ_ACTIVE, "world %llu: %s waits for room, active", seed, in->name);
		const bool sticky =
			w->kq->node[w->kq->local[in->local].queue].strategy == KQ_BEST_EFFORT_FIFO;
		cr_assert_eq(kq_is_sticky(w->kq, decision->cause), sticky, "world %llu: %s", seed, in->name);
	}
}

/* ---- A life of drawn events ---- */

static void step(struct kd *w, struct sl_rng *rng, struct reported *reported)
{
	const uint32_t job = (uint32_t)below(rng, w->plan->jobs);
	w->kq->now += SL_SECOND;
	switch (below(rng, 8)) {
	case 0:
	case 1:
		if (!w->submitted[job])
			kd_submit(w, job);
		break;
	case 2:
		kd_finish(w, job);
		break;
	case 3:
		(void)kd_evict_all(w);
		break;
	case 4:
		kd_wake(w);
		break;
	default:
		(void)kq_cycle(w->kq);
		check_preempted(w);
		if (w->plan->flavors == 1 && !w->plan->partial)
			check_capacity(w);
		break;
	}
	report(w, reported);
}

static void live(const struct kd_plan *plan, uint64_t shuffle, struct reported *reported)
{
	struct kd w;
	struct sl_rng rng = sl_rng_stream(plan->seed, "tests/prop_kueue/life");
	kd_open(&w, plan, shuffle);
	for (uint32_t i = 0; i < plan->jobs / 2; i++)
		kd_submit(&w, i);
	for (int i = 0; i < STEPS; i++) {
		step(&w, &rng, reported);
		kd_check_accounting(&w);
		kd_check_limits(&w);
		kd_check_places(&w);
	}
	kd_close(&w);
}

Test(prop_kueue, accounting_limits_and_rules_keep_after_each_step_and_rows_decide_nothing, .timeout = 300)
{
	static struct reported first, retry;
	const uint64_t runs = kd_runs(300);
	for (uint64_t seed = 1; seed <= runs; seed++) {
		const struct kd_plan plan = kd_draw(seed, 1 + seed % 2,
			KD_PREEMPTS | KD_STRICT | KD_GATES | (seed % 4 < 2 ? KD_PARTIAL : 0));
		first.at = retry.at = 0;
		live(&plan, 0, &first);
		live(&plan, seed, &retry);
		cr_assert_str_eq(first.text, retry.text, "world %llu", (unsigned long long)seed);
	}
	cr_expect(first.reserved > runs * 5 && first.preempted > runs && first.partial > runs / 20,
		"%u reserved, %u preempted, %u in part", first.reserved, first.preempted, first.partial);
}

/* ---- Nobody is forgotten ---- */

/* Cycles until nobody is active. In each, the first entry is processed in the books in which it was
 * nominated: it is admitted or parked, or begins behind the flavor that it tried. So with W active and F
 * flavors it is over after W * F cycles, where nobody is preempted. */
static void settle(struct kd *w)
{
	uint32_t active = 0, cycles = 0;
	for (uint32_t i = 0; i < w->plan->jobs; i++)
		active += w->kq->workload[w->job[i]].queued == KQ_ACTIVE;
	while (kq_any_active(w->kq)) {
		cr_assert_lt(cycles, active * w->plan->flavors,
			"world %llu: %u active, still after %u cycles", (unsigned long long)w->plan->seed,
			active, cycles);
		cr_assert(kq_cycle(w->kq));
		cycles++;
		w->kq->effect_count = 0;
		kd_check_accounting(w);
		kd_check_places(w);
	}
}

/* How many run. Of one flavor, where nothing that was tried is passed over, nobody fits who waits. */
static uint32_t check_settled(const struct kd *w)
{
	uint32_t running = 0;
	for (uint32_t i = 0; i < w->plan->jobs; i++) {
		cr_assert(!kd_waits(w, i) || w->plan->flavors > 1 || !kd_fits(w, i),
			"world %llu: w%02u fits, and nobody looks", (unsigned long long)w->plan->seed, i);
		running += kd_holds(w, i);
	}
	return running;
}

static void finish_one(struct kd *w, int64_t which)
{
	for (uint32_t i = 0; which >= 0 && i < w->plan->jobs; i++)
		if (kd_holds(w, i) && which-- == 0)
			kd_finish(w, i);
}

static uint32_t run_all(const struct kd_plan *plan)
{
	struct sl_rng rng = sl_rng_stream(plan->seed, "tests/prop_kueue/ends");
	struct kd w;
	uint32_t ran = 0, running = 1;
	kd_open(&w, plan, 0);
	for (uint32_t i = 0; i < plan->jobs; i++)
		kd_submit(&w, i);
	while (running) {
		settle(&w);
		running = check_settled(&w);
		if (running)
			finish_one(&w, below(&rng, running));
		ran += running > 0;
		kd_wake(&w);
	}
	for (uint32_t i = 0; i < plan->jobs; i++) {
		cr_assert_neq(w.finished[i], kd_waits(&w, i));
		cr_assert(w.finished[i] || !kd_possible(&w, i), "world %llu: w%02u never ran",
			(unsigned long long)plan->seed, i);
	}
	kd_close(&w);
	return ran;
}

Test(prop_kueue, whoever_fits_is_admitted_within_as_many_cycles_as_wait, .timeout = 300)
{
	uint32_t ran = 0;
	const uint64_t runs = kd_runs(400);
	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct kd_plan plan = kd_draw(seed, 1 + seed % 2, KD_GATES);
		plan.gates_other &= ~(uint32_t)KD_GATE_FUNGIBILITY;
		ran += run_all(&plan);
	}
	cr_expect_gt(ran, runs * 5, "%u ran", ran);
}

/* With preemption, too, all that can run at all end, and who is evicted comes back: as often reserved as
 * evicted or finished. They end at drawn times: there are worlds in which two or three take turns for ever,
 * one preempting, the other admitted first (borrowing less goes before priority, and a lower share before
 * both), as in Kueue; that is over when one of them runs to its end in its turn. */
Test(prop_kueue, all_that_can_run_end_and_evictions_lose_nobody, .timeout = 300)
{
	static struct reported reported;
	for (uint64_t seed = 1; seed <= kd_runs(300); seed++) {
		const struct kd_plan plan = kd_draw(seed, 1 + seed % 2, KD_PREEMPTS | KD_GATES);
		struct sl_rng rng = sl_rng_stream(seed, "tests/prop_kueue/turns");
		struct kd w;
		kd_open(&w, &plan, 0);
		reported = (struct reported){ .at = 0 };
		for (uint32_t i = 0; i < plan.jobs; i++)
			kd_submit(&w, i);
		for (uint32_t round = 0; round < 160 * KD_JOBS; round++) {
			w.kq->now += SL_SECOND;
			(void)kq_cycle(w.kq);
			report(&w, &reported);
			(void)kd_evict_all(&w);
			if (!below(&rng, 4))
				kd_finish(&w, (uint32_t)below(&rng, plan.jobs));
			kd_wake(&w);
			report(&w, &reported);
			reported.at = 0;
			kd_check_places(&w);
		}
		uint32_t finished = 0;
		for (uint32_t i = 0; i < plan.jobs; i++) {
			finished += w.finished[i];
			cr_assert(w.finished[i] || !kd_possible(&w, i), "world %llu: w%02u never ended",
				(unsigned long long)seed, i);
		}
		cr_assert_eq(reported.reserved, reported.requeued + finished, "world %llu",
			(unsigned long long)seed);
		kd_check_accounting(&w);
		kd_close(&w);
	}
}

/* ---- Fair sharing ---- */

static struct kd_plan draw_shares(uint64_t seed, struct sl_rng *rng, int64_t size)
{
	const struct kd_quota none = { 0, KQ_NO_LIMIT, KQ_NO_LIMIT };
	struct kd_plan plan = { .seed = seed, .cohorts = 1, .flavors = 1, .jobs = KD_JOBS, .fair = true };
	plan.queues = (uint32_t)(2 + below(rng, 2));
	plan.cohort[0].weight = 1;
	const uint32_t each = plan.jobs / plan.queues;
	plan.cohort[0].quota[0][0] = plan.cohort[0].quota[0][1] = none;
	plan.cohort[0].quota[0][0].nominal = size * (2 + below(rng, each - 1)) + below(rng, size);
	for (uint32_t i = 0; i < plan.queues; i++) {
		plan.queue[i].reclaim = KQ_ANY;
		plan.queue[i].threshold = -1;
		plan.queue[i].weight = 1;
		plan.queue[i].quota[0][0] = plan.queue[i].quota[0][1] = none;
	}
	for (uint32_t i = 0; i < plan.jobs; i++) {
		plan.job[i].queue = i / each < plan.queues ? i / each : plan.queues - 1;
		plan.job[i].count = 1;
		plan.job[i].needs[0] = size;
	}
	return plan;
}

static void submit_of(struct kd *w, uint32_t queue, bool others)
{
	for (uint32_t i = 0; i < w->plan->jobs; i++)
		if ((w->plan->job[i].queue == queue) != others)
			kd_submit(w, i);
}

/* Until nothing has moved for three cycles. */
static void come_to_rest(struct kd *w)
{
	uint32_t rounds = 0;
	for (uint32_t quiet = 0; quiet < 3; rounds++) {
		cr_assert_lt(rounds, 400, "world %llu: it does not come to rest",
			(unsigned long long)w->plan->seed);
		w->kq->now += SL_SECOND;
		w->kq->effect_count = 0;
		(void)kq_cycle(w->kq);
		uint32_t moved = 0;
		for (uint32_t i = 0; i < w->kq->effect_count; i++)
			moved += w->kq->effect[i].kind == KQ_DECISION_RESERVE ||
				 w->kq->effect[i].kind == KQ_DECISION_PREEMPT;
		moved += kd_evict_all(w);
		kd_wake(w);
		quiet = moved || kq_any_active(w->kq) ? 0 : quiet + 1;
	}
}

/* Queues of one weight and nothing of their own below one cohort, each with more work than there is room, of
 * one size: they end within one workload of each other, whoever had all of it at first, by any strategy. */
Test(prop_kueue, endless_pod_resources_ends_in_equal_shares, .timeout = 300)
{
	for (uint64_t seed = 1; seed <= kd_runs(200); seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/prop_kueue/shares");
		const int64_t size = 1 + below(&rng, 3), strategies = below(&rng, 3);
		const struct kd_plan plan = draw_shares(seed, &rng, size);
		const uint32_t hog = (uint32_t)below(&rng, plan.queues);
		struct kd w;
		kd_open(&w, &plan, 0);
		if (strategies) {
			w.kq->config.fair_count = 1;
			w.kq->config.fair[0] = strategies == 1 ? KQ_LESS_OR_EQUAL_FINAL : KQ_LESS_INITIAL;
		}
		submit_of(&w, hog, false);
		settle(&w);
		submit_of(&w, hog, true);
		come_to_rest(&w);
		int64_t least = INT64_MAX, most = 0;
		const uint32_t cpu = kq_fr(w.kq, kq_flavor(w.kq, "f"), KQ_CPU);
		for (uint32_t i = 0; i < plan.queues; i++) {
			const int64_t used = w.kq->usage[(size_t)w.queue[i] * w.kq->fr_count + cpu];
			least = used < least ? used : least;
			most = used > most ? used : most;
		}
		cr_assert_leq(most - least, size, "world %llu: %lld to %lld, by %lld",
			(unsigned long long)seed, (long long)least, (long long)most, (long long)size);
		kd_close(&w);
	}
}
