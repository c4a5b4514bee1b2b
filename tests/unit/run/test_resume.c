/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_resume.c - runs in steps, worked by hand: where they stop, what a policy gets and decides at a
 * handover, back in time, and the beginning in the middle of a log.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

#define S SL_SECOND

/* Four cpus. Job 1 runs; job 2 waits for all of it; job 3 fits beside job 1, and ends before it; job 4 comes
 * late. */
static const struct world four = { .cpus = 4,
	.count = 4,
	.job = { JOB(0, 100, 100, 3), JOB(10, 50, 50, 4), JOB(20, 30, 30, 1), JOB(200, 10, 10, 4) } };

static void open_at(struct world *w, const char *policy, sl_time until)
{
	struct sim_options options;
	*w = four;
	cr_assert_eq(world_open(w, policy, true, &options), SL_OK);
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w->sim, &options, &w->err), SL_OK);
	cr_assert_eq(sim_advance(&w->sim, until, &w->err), SL_OK);
}

static void go_on(struct world *w)
{
	cr_assert_eq(sim_advance(&w->sim, SL_NEVER, &w->err), SL_OK);
	cr_assert_eq(sim_end(&w->sim, &w->err), SL_OK);
}

Test(resume, a_run_that_stops_says_what_runs_and_what_waits_then)
{
	struct world w;
	open_at(&w, "fcfs", 40 * S);
	cr_expect_eq(sim_next(&w.sim), 100 * S); /* Job 1's end. */
	cr_assert_eq(sim_end(&w.sim, &w.err), SL_OK);
	const struct sl_result *result = &w.sim.result;
	cr_expect(result->stopped && !result->interrupted);
	cr_expect_eq(result->last, 40 * S);
	cr_expect_eq(result->state[0], SL_RUNNING);
	cr_expect_eq(result->state[1], SL_PENDING);
	cr_expect_eq(result->end[0], SL_NONE);
	/* One cpu idles from 10 s on with job 2 asking for more, and job 3, which would fit, from 20 s on. */
	cr_expect_eq((int64_t)result->idle_wanted, 30 * S);
	cr_expect_eq((int64_t)result->idle_fitting, 20 * S);
	world_release(&w);
}

Test(resume, what_happens_at_the_time_itself_has_happened)
{
	struct world w;
	open_at(&w, "fcfs", 100 * S);
	const struct sl_pass *state = sim_state(&w.sim);
	cr_expect_eq(sl_now(state), 100 * S);
	cr_expect_eq(sl_state_of(state, (sl_job){ 0 }), SL_COMPLETED);
	cr_expect_eq(sl_state_of(state, (sl_job){ 1 }), SL_RUNNING); /* The pass too. */
	go_on(&w);
	cr_expect(!w.sim.result.stopped);
	world_release(&w);
}

Test(resume, a_policy_that_takes_over_decides_at_once)
{
	struct world w;
	struct policy_choice easy;
	open_at(&w, "fcfs", 40 * S);
	cr_assert_eq(world_choose(&w, "easy", &easy), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &easy, &w.err), SL_OK);
	cr_expect_eq(sim_next(&w.sim), 40 * S);
	go_on(&w);
	cr_expect_eq(world_start(&w, 2), 40); /* fcfs had it behind job 2; it ends by job 2's shadow, 100. */
	cr_expect_eq(world_start(&w, 1), 100);
	cr_expect_eq((int64_t)w.sim.result.idle_fitting, 20 * S);
	world_release(&w);
}

Test(resume, a_switch_to_the_same_policy_is_none)
{
	struct world w;
	struct policy_choice same;
	size_t count;
	open_at(&w, "easy", 40 * S);
	cr_assert_eq(world_choose(&w, "easy:fill=queue", &same), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &same, &w.err), SL_OK);
	cr_assert(sim_intervals(&w.sim, &count, &w.err));
	cr_expect_eq(count, 1);
	cr_expect_eq(sim_next(&w.sim), 50 * S);
	world_release(&w);
}

/* The reason by default is the policy's: jobs that wait change theirs at the switch, and later ones begin
 * with the new. */
Test(resume, reasons_are_those_of_the_policy_then)
{
	struct world w;
	struct policy_choice greedy;
	open_at(&w, "fcfs", 40 * S);
	cr_assert_eq(world_choose(&w, "greedy", &greedy), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &greedy, &w.err), SL_OK);
	go_on(&w);
	const struct sl_result *result = &w.sim.result;
	cr_expect_eq(result->reason_default, SL_REASON_PRIORITY);
	bool waiting = false;
	bool later = false;
	for (size_t i = 0; i < result->reason_count; i++) {
		const struct sl_reason_change *change = &result->reasons[i];
		waiting |= change->job == 2 && change->at == 40 * S && change->reason == SL_REASON_RESOURCES;
		later |= change->job == 3 && change->at == 200 * S && change->reason == SL_REASON_RESOURCES;
	}
	cr_expect(waiting && later);
	world_release(&w);
}

/* ---- Stretches, verified ------------------------------------------------------------------ */

Test(resume, a_history_that_comes_out_otherwise_is_said)
{
	struct world w;
	struct world retry;
	struct sim_options options;
	size_t count;
	open_at(&w, "easy", 40 * S);
	struct sim_interval history = *sim_intervals(&w.sim, &count, &w.err);
	cr_expect_eq(history.until, 40 * S);
	cr_expect_eq(history.events, 5); /* Three submissions, two starts. */
	history.digest ^= 1;
	retry = four;
	cr_assert_eq(world_open(&retry, "easy", false, &options), SL_OK);
	options.history = &history;
	options.history_count = 1;
	cr_expect_eq(sim_run(&retry.sim, &options, &retry.err), SL_DIFFERS);
	cr_expect(strstr(retry.err.text, "at 40 s") && strstr(retry.err.text, "after 5 events"), "%s",
		retry.err.text);
	world_release(&w);
	world_release(&retry);
}

Test(resume, the_first_digest_that_differs_is_named)
{
	struct world w;
	const uint64_t digests[] = { 1, 2 };
	struct sim_interval was = { 0 };
	open_at(&w, "easy", 40 * S);
	cr_expect_eq(sim_verify(&w.sim, &was, digests, 0, &w.err), SL_DIFFERS);
	cr_expect_null(strstr(w.err.text, "65536"));
	world_release(&w);
}

Test(resume, back_is_before_the_switch_or_after_it)
{
	struct world w;
	struct policy_choice easy;
	size_t count;
	open_at(&w, "fcfs", 40 * S);
	cr_assert_eq(world_choose(&w, "easy", &easy), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &easy, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, 150 * S, &w.err), SL_OK);

	cr_assert_eq(sim_back(&w.sim, 60 * S, &w.err), SL_OK);
	cr_expect_eq(sl_state_of(sim_state(&w.sim), (sl_job){ 2 }), SL_RUNNING); /* As easy did. */
	cr_expect(sim_intervals(&w.sim, &count, &w.err) && count == 2);

	cr_assert_eq(sim_back(&w.sim, 39 * S, &w.err), SL_OK);
	cr_expect_eq(sl_state_of(sim_state(&w.sim), (sl_job){ 2 }), SL_PENDING);
	cr_expect(sim_intervals(&w.sim, &count, &w.err) && count == 1);
	go_on(&w);
	cr_expect_eq(world_start(&w, 2), 150); /* fcfs to the end: there is no switch any more. */
	world_release(&w);
}

/* ---- What a policy sees ----------------------------------------------------------------- */

enum { LINES = 64 };

struct line {
	sl_time now;
	unsigned class;
	uint32_t row, waiting;
	int state[4];
	sl_time start;
};

/* Strict fcfs that logs its callbacks. */
struct scribe {
	struct line line[LINES];
	size_t count;
	sl_ledger ended;
};

static struct scribe *last_scribe; /* Of the test that runs. */

static int scribe_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	struct scribe *scribe = sl_alloc(setup->arena, 1, sizeof(*scribe));
	scribe->ended = sl_ledger_new(setup, "ended", 1);
	*state = last_scribe = scribe;
	return SL_OK;
}

static void scribe_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct scribe *scribe = state;
	struct line *line = &scribe->line[scribe->count++];
	*line = (struct line){ .now = sl_now(pass),
		.class = event->class,
		.row = event->row,
		.waiting = sl_queue_count(pass),
		.start = sl_start_of(pass, (sl_job){ event->row }) };
	for (uint32_t job = 0; job < 4; job++)
		line->state[job] = (int)sl_state_of(pass, (sl_job){ job });
	cr_expect_eq(line->now, event->time);
	cr_expect(!sl_start(pass, (sl_job){ event->row })); /* No pass: commands do nothing. */
	if (event->class == SL_EV_JOB_END)
		sl_ledger_add(pass, scribe->ended, 0, 1);
	if (event->class == SL_EV_SUBMIT && event->row == 0)
		sl_wake_event(pass, 25 * S, 2);
	if (event->class == SL_EV_SUBMIT && event->row == 1)
		sl_wake_event(pass, 130 * S, 3);
}

static void scribe_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	sl_job job;
	while (sl_job_is(job = sl_queue_first(pass)) && sl_start(pass, job))
		;
}

static const struct sl_policy scribe_policy = { .abi = SL_ABI_OF(struct sl_policy),
	.name = "scribe",
	.init = scribe_init,
	.pass = scribe_pass,
	.on_event = scribe_event };

Test(resume, a_policy_that_takes_over_is_displayed_what_it_would_have_seen)
{
	struct world watched = four;
	struct world w;
	const struct policy_choice scribe = { .policy = &scribe_policy, .text = "scribe", .slug = "scribe" };
	cr_assert_eq(world_run_policy(&watched, &scribe_policy, true), SL_OK);
	const struct scribe whole = *last_scribe;
	cr_assert_eq(whole.count, 10); /* Four submissions, four ends, two timers. */

	open_at(&w, "fcfs", 120 * S);
	cr_assert_eq(sim_handover(&w.sim, &scribe, &w.err), SL_OK);
	cr_expect_eq(last_scribe->count, 5);
	cr_expect_eq(sl_ledger_get(sim_state(&w.sim), last_scribe->ended, 0), 1);
	go_on(&w);
	cr_assert_eq(last_scribe->count, whole.count);
	for (size_t i = 0; i < whole.count; i++)
		cr_expect_arr_eq(&last_scribe->line[i], &whole.line[i], sizeof(whole.line[i]),
			"line %zu: told class %u at %lld, row %u", i, last_scribe->line[i].class,
			(long long)last_scribe->line[i].now, last_scribe->line[i].row);
	world_release(&watched);
	world_release(&w);
}

/* Timers are of whoever asked for them: of two scribes each has its own. */
Test(resume, timers_go_with_the_policy_that_asked)
{
	static const struct sl_policy second = { .abi = SL_ABI_OF(struct sl_policy),
		.name = "second",
		.init = scribe_init,
		.pass = scribe_pass,
		.on_event = scribe_event };
	const struct policy_choice scribes[] = { { .policy = &scribe_policy, .text = "scribe" },
		{ .policy = &second, .text = "second" } };
	struct world w = four;
	struct sim_options options;
	cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK);
	options.choice = &scribes[0];
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, 120 * S, &w.err), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &scribes[1], &w.err), SL_OK);
	go_on(&w);
	cr_expect_eq(last_scribe->count, 10);
	world_release(&w);
}

/* ---- Preemption over a switch ----------------------------------------------------------------- */

static int stopper_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	return sl_use(setup, SL_USE_PREEMPT, err);
}

/* At 20 s job 1 stands still, and whoever fits runs. */
static void stopper_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	if (sl_now(pass) == 20 * S)
		(void)sl_preempt(pass, (sl_job){ 0 }, SL_PREEMPT_SUSPEND);
	sl_job job = SL_JOB_NONE;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, NULL)))
		(void)sl_start(pass, job);
}

static const struct sl_policy stopper_policy = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "stopper", .init = stopper_init, .pass = stopper_pass
};

static const struct policy_choice stopper = {
	.policy = &stopper_policy, .text = "stopper", .slug = "stopper"
};

/* Job 1 did 20 s of its 100, job 2 starts at 20 and holds all until 70. fcfs knows of no suspension: job 1
 * waits from 40 on with its work kept, is first, and runs the other 80 s from 70 on. */
Test(resume, what_stands_still_waits_under_a_policy_that_would_not_resume_it)
{
	struct world w = four;
	struct sim_options options;
	struct policy_choice fcfs;
	cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK);
	options.choice = &stopper;
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, 40 * S, &w.err), SL_OK);
	cr_assert_eq(sl_state_of(sim_state(&w.sim), (sl_job){ 0 }), SL_SUSPENDED);
	cr_assert_eq(world_choose(&w, "fcfs", &fcfs), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &fcfs, &w.err), SL_OK);
	cr_expect_eq(sl_state_of(sim_state(&w.sim), (sl_job){ 0 }), SL_PENDING);
	cr_expect_eq(sl_estimate_of(sim_state(&w.sim), (sl_job){ 0 }), 80 * S);
	go_on(&w);
	cr_expect_eq(world_end(&w, 1), 70);
	cr_expect_eq(world_end(&w, 0), 150);
	cr_expect_eq(w.sim.result.attempt_count, 2);
	world_release(&w);
}

/* At 20 s job 1 goes back into the queue with its work kept. */
static void keeper_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	if (sl_now(pass) == 20 * S)
		(void)sl_preempt(pass, (sl_job){ 0 }, SL_PREEMPT_CHECKPOINT);
	if (sl_now(pass) <= 20 * S)
		(void)sl_start(pass, (sl_job){ sl_now(pass) == 20 * S });
}

static const struct sl_policy keeper_policy = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "keeper", .init = stopper_init, .pass = keeper_pass
};

/* What is left of it is what the plan takes it to run, under each policy after that. */
Test(resume, work_that_was_kept_stays_kept)
{
	static const struct policy_choice keeper = { .policy = &keeper_policy, .text = "keeper" };
	struct world w = four;
	struct sim_options options;
	struct policy_choice next[2];
	cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK);
	options.choice = &keeper;
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(world_choose(&w, "fcfs", &next[0]), SL_OK);
	cr_assert_eq(world_choose(&w, "sjf", &next[1]), SL_OK);
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, 40 * S, &w.err), SL_OK);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(sim_handover(&w.sim, &next[i], &w.err), SL_OK);
		cr_expect_eq(sl_estimate_of(sim_state(&w.sim), (sl_job){ 0 }), 80 * S);
	}
	go_on(&w);
	cr_expect_eq(world_end(&w, 0), 150); /* Job 2 holds all until 70; then 80 s, beside job 3. */
	world_release(&w);
}

Test(resume, what_runs_may_be_preempted_by_a_policy_that_takes_over)
{
	struct world w;
	open_at(&w, "fcfs", 15 * S);
	cr_assert_eq(sim_handover(&w.sim, &stopper, &w.err), SL_OK);
	const struct sl_pass *state = sim_state(&w.sim);
	cr_expect_eq(sl_running_first(state).row, 0);
	cr_expect_eq(sl_work_of(state, (sl_job){ 0 }), 15 * S);
	cr_assert_eq(sim_advance(&w.sim, 30 * S, &w.err), SL_OK);
	cr_expect_eq(sl_state_of(state, (sl_job){ 0 }), SL_SUSPENDED);
	cr_expect_eq(sl_state_of(state, (sl_job){ 1 }), SL_RUNNING);
	cr_expect_eq(sl_work_of(state, (sl_job){ 0 }), 20 * S);
	world_release(&w);
}

/* What was held before a policy that preempts took over is counted with the rest: 3 * 100 + 4 * 50 + 30 + 40.
 */
Test(resume, what_was_held_before_the_switch_was_held)
{
	struct world w;
	struct policy_choice choice;
	open_at(&w, "fcfs", 120 * S);
	cr_assert_eq(world_choose(&w, "slices", &choice), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &choice, &w.err), SL_OK);
	go_on(&w);
	cr_assert_not_null(w.sim.result.busy);
	cr_expect(w.sim.result.busy[SL_KIND_CPUS] == (unsigned)570 * (uint64_t)SL_SECOND);
	world_release(&w);
}

/* ---- The beginning in the middle --------------------------------------------------------------- */

static void begin_at(struct world *w, const char *policy, sl_time begin, const sl_time *ran)
{
	struct sim_options options;
	cr_assert_eq(world_open(w, policy, true, &options), SL_OK);
	w->scenario.begins = true;
	w->scenario.begin = begin;
	w->scenario.jobs.ran = ran;
	cr_assert_eq(sim_run(&w->sim, &options, &w->err), SL_OK, "%s", w->err.text);
}

/* At 50 s: job 1 has run for 50, job 2 waits. Job 3 comes at 60, and fits until 100. */
Test(resume, who_ran_runs_on_and_who_waited_waits)
{
	static const sl_time ran[] = { 50 * S, SL_NONE, SL_NONE };
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 100, 100, 3), JOB(10, 50, 50, 4), JOB(60, 30, 30, 1) }
	};
	begin_at(&w, "easy", 50 * S, ran);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(world_start(&w, 1), 100);
	cr_expect_eq(world_start(&w, 2), 60);
	cr_expect_eq(w.sim.result.first, 50 * S);
	cr_expect_eq(w.sim.result.usage[0].at, 50 * S);
	cr_expect_eq(w.sim.result.usage[0].cpus_busy, 3);
	cr_expect_eq(w.sim.result.usage[0].queued, 1);
	world_release(&w);
}

/* The log knew a larger machine: by start, then row, what does not fit waits. */
Test(resume, who_has_no_capacity_at_the_beginning_waits)
{
	static const sl_time ran[] = { 20 * S, 50 * S, 10 * S };
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 3), JOB(0, 100, 100, 3), JOB(0, 100, 100, 1) } };
	begin_at(&w, "fcfs", 50 * S, ran);
	cr_expect_eq(w.sim.result.unfit, 1);
	cr_expect_eq(world_start(&w, 1), 0);
	cr_expect_eq(world_start(&w, 2), 40);
	cr_expect_eq(world_start(&w, 0), 100);
	cr_expect_eq(world_end(&w, 0), 200);
	world_release(&w);
}

/* Overdue from the first moment: the limit was 20, it ran for 50 and will for 100. EASY takes it to end at
 * the next second, always anew. */
Test(resume, who_ran_history_its_limit_is_overdue_at_the_beginning)
{
	static const sl_time ran[] = { 50 * S, SL_NONE, SL_NONE };
	struct world w = { .cpus = 4,
		.count = 3,
		.overrun = SL_OVERRUN_EXTEND,
		.job = { JOB(0, 100, 20, 3), JOB(10, 50, 50, 4), JOB(60, 1, 1, 1) } };
	begin_at(&w, "easy", 50 * S, ran);
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(world_start(&w, 1), 100);
	cr_expect_eq(world_start(&w, 2), 60); /* Ends by the shadow, 61. */
	world_release(&w);
}

/* The same where estimates that run out are reported: that was in the history. */
Test(resume, who_outlived_its_estimate_before_the_beginning_is_no_news)
{
	static const sl_time ran[] = { 50 * S, SL_NONE };
	struct world w = { .cpus = 4,
		.count = 2,
		.overrun = SL_OVERRUN_EXTEND,
		.job = { JOB(0, 100, 20, 3), JOB(10, 50, 50, 4) } };
	begin_at(&w, "easy++", 50 * S, ran);
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(world_start(&w, 1), 100);
	world_release(&w);
}

/* A window that is over is passed over, one that is open takes what is left. */
Test(resume, reservations_of_the_history_are_over)
{
	static const sl_time ran[] = { 50 * S, SL_NONE };
	static const struct sl_window windows[] = { { .name = "old", .from = 0, .until = 10 * S, .cpus = 4 },
		{ .name = "open", .from = 20 * S, .until = 80 * S, .cpus = 1 } };
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 3), JOB(60, 10, 10, 1) } };
	w.cluster = (struct sl_cluster){ .cpus = 4, .kind_count = 1, .window = windows, .window_count = 2 };
	begin_at(&w, "easy", 50 * S, ran);
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(world_start(&w, 1), 80);
	world_release(&w);
}
