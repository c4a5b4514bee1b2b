/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_rates_moves.c - jobs at other than full speed that are suspended, checkpointed, resized: each clause
 * by hand, under --check. The policy starts what fits, and acts once on job 1 at its time.
 */
#include <criterion/criterion.h>

#include "tests/world/model_script.h"
#include "tests/world/world.h"

#define S(seconds) ((sl_time)((seconds)*SL_SECOND))

enum { RESIZE = SL_PREEMPT_COUNT };

struct move {
	const char *shows;
	sl_time at, resume; /* Resume or restart: SL_NEVER: it does not stop. */
	uint32_t what;      /* enum sl_preempt, or RESIZE, */
	uint32_t tasks;     /* to so many. */
	struct script_step step[3];
	bool sizes;
	sl_time end;
};

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	*state = (void *)(intptr_t)0;
	return sl_use(setup, SL_USE_PREEMPT | SL_USE_NODES, err);
}

static bool moved(const struct move *move, struct sl_pass *pass, sl_job job)
{
	if (move->what == RESIZE)
		return sl_resize(pass, job, move->tasks);
	return sl_preempt(pass, job, (enum sl_preempt)move->what);
}

static bool resumed(struct sl_pass *pass, sl_job job)
{
	return sl_state_of(pass, job) == SL_SUSPENDED ? sl_resume(pass, job) : sl_start(pass, job);
}

static void move_pass(const struct move *move, struct sl_pass *pass)
{
	const sl_job job = { 0 };
	const sl_time now = sl_now(pass);
	bool done = true;
	if (now == 0)
		done = sl_start(pass, job);
	else if (now == move->at)
		done = moved(move, pass, job);
	else if (now == move->resume)
		done = resumed(pass, job);
	SL_CHECK(done);
	if (now < move->at)
		sl_wake(pass, move->at);
	else if (now < move->resume && move->resume != SL_NEVER)
		sl_wake(pass, move->resume);
}

/* 100 s of work. Half speed from 10 on, of a job of 2 tasks. */
#define HALF                                                       \
	{                                                          \
		S(10), SCRIPT_RATE, 0, (int64_t)(SL_SPEED_ONE / 2) \
	}
static const struct move moves[] = {
	{ "suspended from 30 to 50 at half speed: 20 s are done, and 80 s are at full speed again", S(30),
		S(50), SL_PREEMPT_SUSPEND, 0, { HALF }, false, S(130) },
	{ "the rate of who is suspended is not set", S(30), S(50), SL_PREEMPT_SUSPEND, 0,
		{ HALF, { S(40), SCRIPT_RATE, 0, 0 } }, false, S(130) },
	{ "checkpointed at 30: 20 s of work are kept, not 30", S(30), S(50), SL_PREEMPT_CHECKPOINT, 0,
		{ HALF }, false, S(130) },
	{ "requeued at 30: nothing is", S(30), S(50), SL_PREEMPT_REQUEUE, 0, { HALF }, false, S(150) },
	{ "doubled at 30, the rate stays: 80 s at half speed, twice as fast", S(30), SL_NEVER, RESIZE, 4,
		{ HALF }, false, S(110) },
	{ "the same where a model counts by size: 80 s at half speed", S(30), SL_NEVER, RESIZE, 4, { HALF },
		true, S(190) },
	{ "halved at 30: 80 s at a quarter", S(30), SL_NEVER, RESIZE, 1, { HALF }, false, S(350) },
};

#define POLICY(i)                                                                                   \
	static void pass_##i(void *state, struct sl_pass *pass)                                     \
	{                                                                                           \
		(void)state;                                                                        \
		move_pass(&moves[i], pass);                                                         \
	}                                                                                           \
	static const struct sl_policy policy_##i = {                                                \
		.abi = SL_ABI_OF(struct sl_policy), .name = "moves", .init = init, .pass = pass_##i \
	};
POLICY(0)
POLICY(1)
POLICY(2)
POLICY(3)
POLICY(4)
POLICY(5)
POLICY(6)

static const struct sl_policy *const policies[] = { &policy_0, &policy_1, &policy_2, &policy_3, &policy_4,
	&policy_5, &policy_6 };

Test(rates_moves, each_clause_by_hand)
{
	for (size_t i = 0; i < SL_LEN(moves); i++) {
		const struct move *move = &moves[i];
		struct script script = { .step = move->step, .sizes = move->sizes };
		struct world w = { .cpus = 4,
			.as_nodes = true,
			.count = 1,
			.job = { JOB(0, 100, 1000, 2) },
			.instead = policies[i] };
		struct sim_options options;
		while (script.count < SL_LEN(move->step) && move->step[script.count].at)
			script.count++;
		w.model = script_on(&script);
		w.model_count = 1;
		cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK);
		w.group[0].tasks_min = 1;
		w.group[0].tasks_max = 4;
		cr_assert_eq(sim_run(&w.sim, &options, &w.err), SL_OK, "%s: %s", move->shows, w.err.text);
		cr_expect_eq(w.sim.result.end[0], move->end, "%s: it ended at %lld us", move->shows,
			(long long)w.sim.result.end[0]);
		world_release(&w);
	}
}

/* One more than fits is refused. */
Test(rates_moves, sixteen_models_are_refused)
{
	struct script script = { .count = 0 };
	struct model_choice many[16];
	struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 1, 1, 1) } };
	for (size_t i = 0; i < SL_LEN(many); i++)
		many[i] = *script_on(&script);
	w.model = many;
	w.model_count = SL_LEN(many);
	cr_expect_eq(world_run(&w, "easy", true), SL_USAGE);
	cr_expect_str_eq(w.err.text, "replay.models: at most 15 at a time");
	world_release(&w);
}
