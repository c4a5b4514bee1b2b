/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_commands.c - a policy that does anything: random commands, nested marks, most of them taken back.
 * Under
 * --check each pass runs twice, once undone, so whatever undo forgets stops the program; at the end all work
 * is done, and every job's waits are accounted for.
 */
#include <criterion/criterion.h>

#include "tests/world/world.h"

/* Draws are a function of the seed, the time and a count of passes that is journalled, so that a pass that
 * was undone draws the same again. */
struct chaos {
	uint64_t seed;
	sl_ledger passes;
	sl_time calm; /* From then on it only finishes what is left. */
};

static int chaos_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct chaos *chaos = sl_alloc(setup->arena, 1, sizeof(*chaos));
	SL_CHECK(chaos);
	*state = chaos;
	chaos->seed = setup->seed;
	chaos->passes = sl_ledger_new(setup, "passes", 1);
	chaos->calm = 600 * SL_SECOND;
	return sl_use(setup, SL_USE_PREEMPT | SL_USE_PROMISES | (setup->seed & 1 ? SL_USE_NODES : 0), err);
}

/* Any row that was submitted; some commands will be refused. */
static sl_job any_job(struct sl_pass *pass, struct sl_rng *rng)
{
	return (sl_job){ (uint32_t)sl_rng_below(rng, sl_jobs_of(pass)->count) };
}

static sl_job any_waiting(struct sl_pass *pass, struct sl_rng *rng)
{
	sl_job job = sl_queue_first(pass);
	for (uint64_t skip = sl_rng_below(rng, 4); skip && sl_job_is(job); skip--) {
		const sl_job next = sl_queue_after(pass, job);
		job = sl_job_is(next) ? next : job;
	}
	return job;
}

static void promise_something(struct sl_pass *pass, struct sl_rng *rng)
{
	const sl_job job = any_waiting(pass, rng);
	if (!sl_job_is(job))
		return;
	const sl_time at = sl_promise_at(pass, job);
	switch (sl_rng_below(rng, 4)) {
	case 0:
		sl_promise_drop(pass, job);
		break;
	case 1:
		(void)sl_promise_set(pass, job, at == SL_NEVER ? at : at + SL_SECOND);
		break;
	default:
		SL_CHECK(sl_promise_set(pass, job, at)); /* What it said is free is free. */
	}
}

static void do_anything(struct sl_pass *pass, struct sl_rng *rng, unsigned depth);

static void try_something(struct sl_pass *pass, struct sl_rng *rng, unsigned depth)
{
	const sl_marked mark = sl_mark(pass);
	for (uint64_t n = sl_rng_below(rng, 4); n; n--)
		do_anything(pass, rng, depth + 1);
	if (sl_rng_below(rng, 3))
		sl_undo(pass, mark);
	else
		sl_keep(pass, mark);
}

static void do_anything(struct sl_pass *pass, struct sl_rng *rng, unsigned depth)
{
	const sl_job waiting = any_waiting(pass, rng);
	const sl_job job = any_job(pass, rng);
	switch (sl_rng_below(rng, 12)) {
	case 0:
	case 1:
	case 2:
		if (sl_job_is(waiting))
			(void)sl_start(pass, waiting);
		break;
	case 3:
	case 4:
		(void)sl_preempt(pass, job, (enum sl_preempt)sl_rng_below(rng, SL_PREEMPT_CANCEL));
		break;
	case 5:
		(void)sl_resume(pass, job);
		break;
	case 6:
	case 7:
		promise_something(pass, rng);
		break;
	case 8:
		if (depth < 3)
			try_something(pass, rng, depth);
		break;
	case 9:
		if (sl_job_is(waiting))
			sl_head_waits(pass, waiting);
		break;
	case 10:
		if (sl_job_is(waiting))
			sl_set_reason(pass, waiting, SL_REASON_PRIORITY, 1);
		break;
	default:
		if (!sl_cluster_of(pass)->node_count && sl_rng_below(rng, 8) == 0) {
			const sl_time from = sl_now(pass) + (sl_time)sl_rng_below(rng, 50) * SL_SECOND;
			(void)sl_reserve(pass, &(struct sl_window){ .name = "w",
						       .from = from,
						       .until = from + 20 * SL_SECOND,
						       .cpus = 1 + (int64_t)sl_rng_below(rng, 3) });
		}
	}
}

static void finish(struct sl_pass *pass)
{
	sl_job next;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = next) {
		next = sl_running_next(pass, job);
		if (sl_state_of(pass, job) == SL_SUSPENDED)
			(void)sl_resume(pass, job);
	}
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		sl_promise_drop(pass, job);
		(void)sl_start(pass, job);
	}
}

static void chaos_pass(void *state, struct sl_pass *pass)
{
	struct chaos *chaos = state;
	const int64_t count = sl_ledger_get(pass, chaos->passes, 0);
	sl_ledger_add(pass, chaos->passes, 0, 1);
	if (sl_now(pass) >= chaos->calm) {
		finish(pass);
		return;
	}
	struct sl_rng rng = sl_rng_stream(
		chaos->seed + (uint64_t)count * 1000003 + (uint64_t)sl_now(pass), "tests/chaos");
	for (uint64_t n = sl_rng_below(&rng, 6); n; n--)
		do_anything(pass, &rng, 0);
	sl_wake(pass, sl_now(pass) + (sl_time)(1 + sl_rng_below(&rng, 10)) * SL_SECOND);
}

static const struct sl_policy chaos = { SL_ABI_OF(struct sl_policy), "chaos", .init = chaos_init,
	.pass = chaos_pass };

static struct world w;

/* From submission to end each second is waited, suspended, or held. */
static void account_for(uint64_t seed, uint32_t job)
{
	const struct sl_result *result = &w.sim.result;
	const struct sl_jobs *jobs = result->jobs;
	sl_time held = 0;
	sl_time lost = 0;
	uint32_t attempts = 0;
	for (size_t i = 0; i < result->attempt_count; i++) {
		const struct sl_attempt *attempt = &result->attempts[i];
		if (attempt->job != job)
			continue;
		attempts++;
		held += attempt->end - attempt->start - attempt->suspended;
		lost += attempt->lost;
	}
	if (!attempts)
		held = result->end[job] - result->start[job] -
		       (result->suspended ? result->suspended[job] : 0);
	cr_assert_eq(held, jobs->run[job] + lost, "seed %llu, job %u: held %lld us", (unsigned long long)seed,
		job + 1, (long long)held);
	sl_time waited = result->start[job] - jobs->submit[job];
	for (size_t i = 0; i + 1 < result->attempt_count; i++)
		if (result->attempts[i].job == job && result->attempts[i + 1].job == job)
			waited += result->attempts[i + 1].start - result->attempts[i].end;
	/* The same by its reasons. */
	sl_time charged = 0;
	sl_time since = jobs->submit[job];
	bool waiting = true;
	for (size_t i = 0; i < result->reason_count; i++) {
		const struct sl_reason_change *change = &result->reasons[i];
		if (change->job != job)
			continue;
		if (waiting && change->reason == SL_REASON_NONE)
			charged += change->at - since;
		if (!waiting && change->reason != SL_REASON_NONE)
			since = change->at;
		waiting = change->reason != SL_REASON_NONE;
	}
	if (waiting)
		charged += result->start[job] - since;
	cr_assert_eq(charged, waited, "seed %llu, job %u: charged %lld of %lld us", (unsigned long long)seed,
		job + 1, (long long)charged, (long long)waited);
}

static void run_chaos(bool as_nodes)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/prop/commands");
		w = (struct world){ .cpus = 1 + (int64_t)sl_rng_below(&rng, 8), .count = 12, .seed = seed };
		w.as_nodes = as_nodes;
		w.node_mem = 12; /* Who is suspended keeps its memory. */
		w.overrun = sl_rng_below(&rng, 2) ? SL_OVERRUN_RAISE : SL_OVERRUN_EXTEND;
		int64_t submit = 0;
		for (uint32_t i = 0; i < w.count; i++) {
			submit += (int64_t)sl_rng_below(&rng, 30);
			w.job[i] = (struct world_job){ .submit = submit,
				.run = 1 + (int64_t)sl_rng_below(&rng, 80),
				.limit = 1 + (int64_t)sl_rng_below(&rng, 100),
				.size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w.cpus) };
		}
		const int status = world_run_policy(&w, &chaos, true);
		cr_assert_eq(status, SL_OK, "seed %llu: %s", (unsigned long long)seed, w.err.text);
		for (uint32_t job = 0; job < w.count; job++) {
			cr_assert_eq(w.sim.result.state[job], SL_COMPLETED,
				"seed %llu, job %u is in state %d", (unsigned long long)seed, job + 1,
				w.sim.result.state[job]);
			account_for(seed, job);
		}
		if (as_nodes)
			cr_assert(world_places_add_up(&w.sim.result, true), "of world %llu",
				(unsigned long long)w.seed);
		world_release(&w);
	}
}

Test(commands, whatever_a_policy_does_can_be_taken_back, .timeout = 60) { run_chaos(false); }

Test(commands, on_nodes_too_and_each_attempt_is_somewhere, .timeout = 60) { run_chaos(true); }
