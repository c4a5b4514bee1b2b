/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_control.c - policies that decide everything (SL_USE_CONTROL), command by command, by one that follows
 * a script. All runs are under --check: each pass is made, undone, and must leave no trace.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

enum op {
	OP_START, /* On node `node`, with cpus, mem and gpus. */
	OP_END,
	OP_REFUSE,
	OP_REQUEUE,
	OP_SUSPEND,
	OP_RESUME,
	OP_CANCEL,
	OP_ELIGIBLE, /* At second `eligible`. */
	OP_TRIED,    /* OP_START on node 0, and taken back. */
	OP_SIZED,    /* OP_START with `tasks` tasks, */
	OP_RESIZE,   /* and while it runs; */
	OP_RESIZED   /* and that, taken back. */
};

/* At that second, do that to job (from 0). */
struct line {
	int64_t at;
	enum op op;
	uint32_t job, node;
	int64_t cpus, mem;
	uint32_t gpus;
	enum sl_state state;
	int64_t eligible;
	bool refused; /* The command must return false. */
	uint32_t tasks;
};

#define AT(second, what, which, ...)                                        \
	{                                                                   \
		.at = (second), .op = (what), .job = (which), ##__VA_ARGS__ \
	}

struct script {
	const struct line *line;
	size_t count;
	uint32_t overcommit;
	unsigned uses;   /* 0: SL_USE_CONTROL. */
	uint32_t *heard; /* Events, by class; NULL. */
};

static bool start_on(struct sl_pass *pass, const struct line *line)
{
	const struct sl_node_alloc node_alloc = {
		.node = line->node, .tasks = 1, .cpus = line->cpus, .mem = line->mem, .gpus = &line->gpus
	};
	return sl_start_alloc(pass, (sl_job){ line->job }, &node_alloc, 1);
}

static bool size(struct sl_pass *pass, const struct line *line)
{
	const struct sl_node_alloc node_alloc = { .node = line->node,
		.tasks = line->tasks,
		.cpus = line->cpus,
		.mem = line->mem,
		.gpus = &line->gpus };
	const sl_job job = { line->job };
	return line->op == OP_SIZED ? sl_start_sized_alloc(pass, job, &node_alloc, 1, line->tasks)
				    : sl_resize_alloc(pass, job, &node_alloc, 1, line->tasks);
}

static bool obey(struct sl_pass *pass, const struct line *line)
{
	const sl_job job = { line->job };
	sl_marked mark;
	switch (line->op) {
	case OP_START:
		return start_on(pass, line);
	case OP_END:
		return sl_end(pass, job, line->state);
	case OP_REFUSE:
		return sl_refuse(pass, job, "too large");
	case OP_REQUEUE:
		return sl_requeue(pass, job, line->state);
	case OP_SUSPEND:
		return sl_preempt(pass, job, SL_PREEMPT_SUSPEND);
	case OP_RESUME:
		return sl_resume(pass, job);
	case OP_CANCEL:
		return sl_cancel(pass, job);
	case OP_ELIGIBLE:
		sl_set_eligible(pass, job, line->eligible * SL_SECOND);
		return true;
	case OP_TRIED:
		mark = sl_mark(pass);
		cr_assert(start_on(pass, line));
		sl_undo(pass, mark);
		return true;
	case OP_SIZED:
	case OP_RESIZE:
		return size(pass, line);
	case OP_RESIZED:
		mark = sl_mark(pass);
		cr_assert(size(pass, line));
		sl_undo(pass, mark);
		return true;
	}
	return false;
}

static void follow(void *state, struct sl_pass *pass)
{
	struct script *script = state;
	for (size_t i = 0; i < script->count; i++) {
		const struct line *line = &script->line[i];
		if (line->at * SL_SECOND > sl_now(pass)) {
			sl_wake(pass, line->at * SL_SECOND);
			return;
		}
		if (line->at * SL_SECOND == sl_now(pass))
			cr_assert_eq(
				obey(pass, line), !line->refused, "line %zu at %lld", i, (long long)line->at);
	}
}

static struct script script; /* Of the test that runs. */

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	*state = &script;
	int status = sl_use(setup, (script.uses ? script.uses : SL_USE_CONTROL) | SL_USE_NODES, err);
	if (!status && script.overcommit)
		status = sl_overcommit(setup, script.overcommit, err);
	return status;
}

static void hear(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	const struct script *of = state;
	(void)pass;
	if (of->heard)
		of->heard[event->class]++;
}

static const struct sl_policy scripted = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "scripted", .init = init, .pass = follow, .on_event = hear
};

static struct world w;

/* Nodes of 4 cpus, 8 MiB and 2 GPUs. */
#define WORLD(nodes, ...)                                                                             \
	(struct world)                                                                                \
	{                                                                                             \
		.cpus = 4 * (nodes), .as_nodes = true, .node_cpus = 4, .node_mem = 8, .node_gpus = 2, \
		__VA_ARGS__                                                                           \
	}

#define RUN(...)                                                          \
	do {                                                              \
		static const struct line lines[] = { __VA_ARGS__ };       \
		script.line = lines;                                      \
		script.count = SL_LEN(lines);                             \
		const int status = world_run_policy(&w, &scripted, true); \
		cr_assert_eq(status, SL_OK, "%s", w.err.text);            \
	} while (0)

static void fresh(void) { script = (struct script){ .line = NULL }; }

/* Begin, hold, dependency, array limit and deadline: nobody is kept from the queue, nobody is ended. */
Test(control, no_gate_keeps_anybody, .init = fresh)
{
	w = WORLD(1, .count = 5,
		.job = { JOB(0, 10, 10, 1, .begin = 50), JOB(0, 10, 10, 1, .held = true),
			JOB(0, 10, 10, 1, .deadline = 5),
			JOB(0, 10, 10, 1, .depends = 1, .depend = { { .kind = SL_AFTER_ANY, .job = 1 } }),
			JOB(0, 10, 10, 1, .array = 9, .array_task = 1, .array_limit = 1) });
	RUN(AT(0, OP_START, 0, .cpus = 1), AT(1, OP_START, 1, .cpus = 1), AT(20, OP_START, 2, .cpus = 1),
		AT(20, OP_START, 3, .cpus = 1), AT(20, OP_START, 4, .cpus = 1));
	for (uint32_t job = 0; job < 5; job++)
		cr_expect_eq(w.sim.result.state[job], SL_COMPLETED, "job %u", job + 1);
	cr_expect_eq(world_end(&w, 2), 30); /* Beyond its deadline. */
	world_release(&w);
}

/* overrun=kill: the engine ends it at its run time all the same; sl_end ends it before, in that state. */
/* Job 1 is begun at 5, though its begin is later; 2 comes as it is over at 15, and 3, which wants it to fail,
 * never. */
Test(control, dependencies_alone, .init = fresh)
{
	script.uses = SL_USE_CONTROL | SL_USE_DEPENDENCIES;
	w = WORLD(1, .count = 3,
		.job = { JOB(0, 10, 10, 1, .begin = 50, .held = true),
			JOB(0, 10, 10, 1, .depends = 1, .depend = { { .kind = SL_AFTER_OK, .job = 0 } }),
			JOB(0, 10, 10, 1, .depends = 1,
				.depend = { { .kind = SL_AFTER_NOTOK, .job = 0 } }) });
	RUN(AT(5, OP_START, 0, .cpus = 1), AT(14, OP_START, 1, .cpus = 1, .refused = true),
		AT(15, OP_START, 1, .cpus = 1), AT(20, OP_START, 2, .cpus = 1, .refused = true));
	cr_expect_eq(world_start(&w, 0), 5);
	cr_expect_eq(world_start(&w, 1), 15);
	cr_expect_eq(w.sim.result.eligible[1], 15 * SL_SECOND);
	cr_expect_eq(w.sim.result.state[2], SL_PENDING);
	world_release(&w);
}

Test(control, no_limit_ends_a_job_but_the_policy, .init = fresh)
{
	w = WORLD(
		1, .overrun = SL_OVERRUN_KILL, .count = 2, .job = { JOB(0, 100, 60, 1), JOB(0, 100, 60, 1) });
	RUN(AT(0, OP_START, 0, .cpus = 1), AT(0, OP_START, 1, .cpus = 1),
		AT(90, OP_END, 1, .state = SL_TIMEOUT),
		AT(90, OP_END, 1, .state = SL_TIMEOUT, .refused = true));
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	cr_expect_eq(world_end(&w, 1), 90);
	cr_expect_eq(w.sim.result.state[1], SL_TIMEOUT);
	world_release(&w);
}

/* Waiting, running, suspended; never in a state that is no end; what it held is free at once. */
Test(control, a_job_ends_whatever_it_does, .init = fresh)
{
	w = WORLD(1, .count = 4,
		.job = { JOB(0, 100, 100, 1), JOB(0, 100, 100, 1), JOB(0, 100, 100, 1), JOB(5, 10, 10, 1) });
	RUN(AT(0, OP_START, 0, .cpus = 4, .mem = 4), AT(0, OP_END, 0, .state = SL_RUNNING, .refused = true),
		AT(5, OP_END, 1, .state = SL_DEADLINE), AT(6, OP_SUSPEND, 0),
		AT(7, OP_END, 0, .state = SL_NODE_FAIL), AT(7, OP_START, 3, .cpus = 4, .mem = 8),
		AT(8, OP_CANCEL, 2));
	static const struct {
		int64_t start, end;
		enum sl_state state;
	} want[] = { { 0, 7, SL_NODE_FAIL }, { -1, 5, SL_DEADLINE }, { -1, 8, SL_CANCELLED },
		{ 7, 17, SL_COMPLETED } };
	for (uint32_t job = 0; job < 4; job++) {
		cr_expect_eq(world_start(&w, job), want[job].start, "job %u", job + 1);
		cr_expect_eq(world_end(&w, job), want[job].end, "job %u", job + 1);
		cr_expect_eq(w.sim.result.state[job], want[job].state, "job %u", job + 1);
	}
	cr_expect_eq(w.sim.result.suspended[0], SL_SECOND);
	world_release(&w);
}

/* The attempt that a requeue ends has the state that it is given; a later end is of the next attempt. */
Test(control, a_requeued_job_ends_in_two_states, .init = fresh)
{
	w = WORLD(2, .count = 1, .job = { JOB(0, 100, 100, 1, .no_requeue = true) });
	RUN(AT(0, OP_START, 0, .cpus = 2), AT(30, OP_REQUEUE, 0, .state = SL_NODE_FAIL),
		AT(50, OP_START, 0, .node = 1, .cpus = 3), AT(60, OP_END, 0, .state = SL_TIMEOUT));
	const struct sl_result *result = &w.sim.result;
	cr_assert_eq(result->attempt_count, 2);
	cr_expect_eq(result->attempts[0].state, SL_NODE_FAIL);
	cr_expect_eq(result->attempts[0].end, 30 * SL_SECOND);
	cr_expect_eq(result->attempts[1].state, SL_TIMEOUT);
	cr_expect_eq(result->attempts[1].start, 50 * SL_SECOND);
	cr_expect_eq(result->state[0], SL_TIMEOUT);
	cr_expect_eq(result->cpus_held[0], 3);
	world_release(&w);
}

/* A requeued job that is ended while it waits has the one attempt. */
Test(control, a_requeued_job_may_end_waiting, .init = fresh)
{
	w = WORLD(1, .count = 1, .job = { JOB(0, 100, 100, 1) });
	RUN(AT(0, OP_START, 0, .cpus = 2), AT(30, OP_REQUEUE, 0, .state = SL_PREEMPTED),
		AT(40, OP_END, 0, .state = SL_CANCELLED));
	cr_expect_eq(w.sim.result.attempt_count, 1);
	cr_expect_eq(world_end(&w, 0), 40);
	cr_expect_eq(w.sim.result.state[0], SL_CANCELLED);
	world_release(&w);
}

/* Counted once each, the first one reported; nobody else gets it. */
Test(control, refused_jobs_are_counted, .init = fresh)
{
	uint32_t heard[SL_EV_CLASS_COUNT] = { 0 };
	w = WORLD(1, .count = 3, .job = { JOB(0, 10, 10, 1), JOB(5, 10, 10, 1), JOB(5, 10, 10, 1) });
	script.heard = heard;
	RUN(AT(0, OP_START, 0, .cpus = 1), AT(0, OP_REFUSE, 0, .refused = true), AT(5, OP_REFUSE, 2),
		AT(6, OP_REFUSE, 1), AT(6, OP_REFUSE, 1, .refused = true));
	cr_expect_eq(w.sim.result.refused, 2);
	cr_expect_eq(w.sim.result.refused_first, 2);
	cr_expect_str_eq(w.sim.result.refused_why, "too large");
	cr_expect_eq(w.sim.result.state[1], SL_CANCELLED);
	cr_expect_eq(heard[SL_EV_SUBMIT], 3);
	cr_expect_eq(heard[SL_EV_CANCEL], 0);
	cr_expect_eq(heard[SL_EV_JOB_END], 1);
	world_release(&w);
}

/* Since its submission, unless something else is said. */
Test(control, the_policy_says_since_when, .init = fresh)
{
	w = WORLD(1, .count = 2, .job = { JOB(3, 10, 10, 1), JOB(4, 10, 10, 1, .begin = 100) });
	RUN(AT(3, OP_START, 0, .cpus = 1), AT(4, OP_ELIGIBLE, 1, .eligible = 7),
		AT(5, OP_ELIGIBLE, 1, .eligible = 6), AT(8, OP_ELIGIBLE, 1, .eligible = 8),
		AT(8, OP_START, 1, .cpus = 1));
	cr_assert(w.sim.result.eligible);
	cr_expect_eq(w.sim.result.eligible[0], 3 * SL_SECOND);
	cr_expect_eq(w.sim.result.eligible[1], 8 * SL_SECOND);
	cr_expect_eq(w.sim.result.usage_count, 5); /* At 3, 4, 8, 13, 18: a look at 5 changes nothing. */
	world_release(&w);
}

/* The user's cancellation is the engine's: of a job that waits, and of one that runs. */
Test(control, users_cancel_still, .init = fresh)
{
	uint32_t heard[SL_EV_CLASS_COUNT] = { 0 };
	w = WORLD(1, .count = 2, .job = { JOB(0, 10, 10, 1, .cancel = 5), JOB(0, 10, 10, 1, .cancel = 6) });
	script.heard = heard;
	RUN(AT(0, OP_START, 0, .cpus = 1));
	cr_expect_eq(world_end(&w, 0), 5);
	cr_expect_eq(world_end(&w, 1), 6);
	cr_expect_eq(heard[SL_EV_CANCEL], 2);
	world_release(&w);
}

/* A cluster's window keeps nobody off its nodes. */
Test(control, windows_keep_nobody_off, .init = fresh)
{
	static const uint32_t node[] = { 0 };
	static const struct sl_window window = {
		.name = "w", .from = 5 * SL_SECOND, .until = 50 * SL_SECOND, .node = node, .node_count = 1
	};
	static const struct line lines[] = { AT(0, OP_START, 0, .cpus = 2), AT(6, OP_START, 1, .cpus = 2) };
	struct sim_options options;
	w = WORLD(1, .count = 2, .job = { JOB(0, 20, 20, 1), JOB(6, 20, 20, 1) });
	script.line = lines;
	script.count = SL_LEN(lines);
	cr_assert_eq(world_open(&w, "easy", true, &options), SL_OK);
	w.choice.policy = &scripted;
	w.scenario.cluster.window = &window;
	w.scenario.cluster.window_count = 1;
	cr_assert_eq(sim_run(&w.sim, &options, &w.err), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_end(&w, 0), 20);
	cr_expect_eq(world_start(&w, 1), 6);
	world_release(&w);
}

/* Cpus and GPUs twice, memory once; what is busy is reported as it is: 8 of 4 cpus. */
Test(control, cores_are_given_out_twice, .init = fresh)
{
	w = WORLD(1, .count = 3, .job = { JOB(0, 10, 10, 1), JOB(0, 10, 10, 1), JOB(0, 10, 10, 1) });
	script.overcommit = 2;
	RUN(AT(0, OP_START, 0, .cpus = 4, .mem = 4, .gpus = 2),
		AT(0, OP_START, 1, .cpus = 4, .mem = 5, .refused = true),
		AT(0, OP_START, 1, .cpus = 4, .mem = 4, .gpus = 2),
		AT(0, OP_START, 2, .cpus = 1, .refused = true),
		AT(0, OP_START, 2, .gpus = 1, .refused = true), AT(10, OP_START, 2, .cpus = 1));
	const struct sl_result *result = &w.sim.result;
	cr_expect_eq(result->cpus, 4);
	cr_expect_eq(result->cluster->type[0].amount[SL_KIND_CPUS], 4);
	cr_assert_geq(result->usage_count, 1);
	cr_expect_eq(result->usage[0].cpus_busy, 8);
	cr_expect_eq(result->usage[0].gpus_busy, 4);
	cr_expect(result->busy[SL_KIND_CPUS] == (unsigned __int128)(8 * 10 + 10) * SL_SECOND);
	/* Nothing was idle while job 3 waited. */
	cr_expect(!result->idle_wanted && !result->idle_fitting);
	world_release(&w);
}

/* Without that, once. */
Test(control, cores_are_given_out_once, .init = fresh)
{
	w = WORLD(1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(0, 10, 10, 1) });
	RUN(AT(0, OP_START, 0, .cpus = 3), AT(0, OP_START, 1, .cpus = 2, .refused = true),
		AT(0, OP_TRIED, 1, .cpus = 1), AT(10, OP_START, 1, .cpus = 2));
	cr_expect_eq(world_start(&w, 1), 10);
	world_release(&w);
}

/* Suspended, a job gives up the cpus and GPUs that it was given, not those of its request, and gets those
 * again; its memory stays. */
Test(control, what_was_given_is_given_back_and_retry, .init = fresh)
{
	w = WORLD(1, .count = 2, .job = { JOB(0, 20, 20, 1), JOB(0, 10, 10, 1) });
	RUN(AT(0, OP_START, 0, .cpus = 3, .mem = 5, .gpus = 2), AT(5, OP_SUSPEND, 0),
		AT(5, OP_START, 1, .cpus = 4, .mem = 4, .refused = true),
		AT(5, OP_START, 1, .cpus = 4, .mem = 3, .gpus = 1), AT(10, OP_RESUME, 0, .refused = true),
		AT(15, OP_RESUME, 0), AT(15, OP_RESUME, 0, .refused = true));
	const struct sl_result *result = &w.sim.result;
	cr_expect_eq(world_end(&w, 0), 30); /* 10 s later. */
	cr_expect_eq(result->suspended[0], 10 * SL_SECOND);
	cr_expect(result->busy[SL_KIND_CPUS] == (unsigned __int128)(3 * 20 + 4 * 10) * SL_SECOND);
	cr_expect(result->busy[SL_KIND_GPUS] == (unsigned __int128)(2 * 20 + 10) * SL_SECOND);
	world_release(&w);
}

/* With cores allocated twice, what was suspended goes on beside jobs that came meanwhile. */
Test(control, suspended_and_overcommitted, .init = fresh)
{
	w = WORLD(1, .count = 2, .job = { JOB(0, 20, 20, 1), JOB(0, 100, 100, 1) });
	script.overcommit = 2;
	RUN(AT(0, OP_START, 0, .cpus = 4), AT(5, OP_SUSPEND, 0), AT(5, OP_START, 1, .cpus = 4),
		AT(6, OP_RESUME, 0));
	cr_expect_eq(world_end(&w, 0), 21);
	world_release(&w);
}

/* None of it is any other policy's. */
Test(control, others_have_not_the_say, .init = fresh)
{
	w = WORLD(1, .count = 1, .job = { JOB(0, 10, 10, 1) });
	script.uses = SL_USE_PREEMPT;
	RUN(AT(0, OP_END, 0, .state = SL_CANCELLED, .refused = true), AT(0, OP_REFUSE, 0, .refused = true),
		AT(0, OP_ELIGIBLE, 0, .eligible = 5), AT(0, OP_START, 0, .cpus = 1),
		AT(5, OP_REQUEUE, 0, .state = SL_NODE_FAIL, .refused = true));
	cr_expect_null(w.sim.result.eligible);
	world_release(&w);
	script.overcommit = 2;
	cr_expect_eq(world_run_policy(&w, &scripted, true), SL_USAGE);
	world_release(&w);
}

/* A failure of its own, in a pass or between, ends the run with its words. */
static void give_up(void *state, struct sl_pass *pass)
{
	struct sl_err err = { 0 };
	(void)state;
	(void)sl_fail(&err, SL_SYSTEM, "the policy has no memory left");
	sl_fail_run(pass, &err);
}

static void give_up_between(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	if (event->class == SL_EV_JOB_END)
		give_up(state, pass);
}

Test(control, a_policy_may_fail, .init = fresh)
{
	static const struct sl_policy in_pass = {
		.abi = SL_ABI_OF(struct sl_policy), .name = "in_pass", .init = init, .pass = give_up
	};
	static const struct line lines[] = { AT(0, OP_START, 0, .cpus = 1) };
	struct sl_policy between = scripted;
	between.on_event = give_up_between;
	script.line = lines;
	script.count = SL_LEN(lines);
	w = WORLD(1, .count = 1, .job = { JOB(0, 10, 10, 1) });
	cr_expect_eq(world_run_policy(&w, &in_pass, true), SL_SYSTEM);
	cr_expect_str_eq(w.err.text, "the policy has no memory left");
	world_release(&w);
	cr_expect_eq(world_run_policy(&w, &between, true), SL_SYSTEM);
	cr_expect_str_eq(w.err.text, "the policy has no memory left");
	world_release(&w);
}

/* Both runs of a pass are of the same number, and the next one is of the next. */
static uint64_t numbers[16];
static size_t number_count;

static void count_passes(void *state, struct sl_pass *pass)
{
	(void)state;
	cr_assert_lt(number_count, SL_LEN(numbers));
	numbers[number_count++] = sl_pass_number(pass);
	if (sl_now(pass) == 0)
		(void)sl_end(pass, (sl_job){ 0 }, SL_FAILED);
}

Test(control, passes_are_numbered, .init = fresh)
{
	static const struct sl_policy counting = {
		.abi = SL_ABI_OF(struct sl_policy), .name = "counting", .init = init, .pass = count_passes
	};
	w = WORLD(1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(7, 10, 10, 1, .cancel = 9) });
	number_count = 0;
	cr_assert_eq(world_run_policy(&w, &counting, true), SL_OK, "%s", w.err.text);
	static const uint64_t want[] = { 1, 1, 2, 2, 3, 3 };
	cr_assert_eq(number_count, SL_LEN(want));
	cr_expect_arr_eq(numbers, want, sizeof(want));
	world_release(&w);
}

/* Neither into such a policy in mid-run, nor out of it. */
static void expect_no_switch(const struct sl_policy *from, const struct sl_policy *to)
{
	struct sim_options options;
	struct policy_choice other;
	cr_assert_eq(world_open(&w, "easy", false, &options), SL_OK);
	cr_assert_eq(world_choose(&w, "greedy", &other), SL_OK);
	w.choice.policy = from ? from : w.choice.policy;
	other.policy = to ? to : other.policy;
	other.text = "another";
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK, "%s", w.err.text);
	cr_assert_eq(sim_advance(&w.sim, 5 * SL_SECOND, &w.err), SL_OK);
	cr_expect_eq(sim_handover(&w.sim, &other, &w.err), SL_USAGE);
	cr_expect(strstr(w.err.text, "in mid-run"), "%s", w.err.text);
	world_release(&w);
}

Test(control, nobody_takes_over, .init = fresh)
{
	w = WORLD(1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(9, 10, 10, 1) });
	expect_no_switch(&scripted, NULL);
	expect_no_switch(NULL, &scripted);
}

/* Commands are for those who follow them. */
Test(control, commands_need_somebody_to_follow_them, .init = fresh)
{
	static const struct sl_command command = { .at = 0, .text = "scontrol hold 1" };
	struct sim_options options;
	w = WORLD(1, .count = 1, .job = { JOB(0, 10, 10, 1) });
	cr_assert_eq(world_open(&w, "easy", false, &options), SL_OK);
	w.scenario.command = &command;
	w.scenario.command_count = 1;
	cr_expect_eq(sim_run(&w.sim, &options, &w.err), SL_USAGE);
	cr_expect(strstr(w.err.text, "replay.commands"), "%s", w.err.text);
	world_release(&w);
}

/* Four tasks of 100 s: two of them for 50 s do a quarter, four for 25 s another one, one (elsewhere) would
 * take 200 s for the rest; what it gave up is free, and what is taken back is as it was. */
Test(control, what_is_given_changes_with_the_size, .init = fresh)
{
	w = WORLD(2, .count = 2, .job = { JOB(0, 100, 100, 4), JOB(0, 10, 10, 1) });
	script.uses = SL_USE_CONTROL | SL_USE_PREEMPT;
	RUN(AT(0, OP_SIZED, 0, .cpus = 1, .tasks = 5, .refused = true),
		AT(0, OP_SIZED, 0, .cpus = 2, .gpus = 1, .tasks = 2),
		AT(50, OP_RESIZE, 0, .cpus = 5, .tasks = 4, .refused = true),
		AT(50, OP_RESIZE, 0, .cpus = 4, .gpus = 2, .mem = 8, .tasks = 4),
		AT(60, OP_START, 1, .cpus = 1, .refused = true),
		AT(75, OP_RESIZED, 0, .node = 1, .cpus = 1, .tasks = 3),
		AT(75, OP_RESIZE, 0, .node = 1, .cpus = 1, .tasks = 1),
		AT(75, OP_START, 1, .cpus = 4, .mem = 8, .gpus = 2));
	cr_expect_eq(world_end(&w, 1), 85);
	cr_expect_eq(world_end(&w, 0), 275);
	cr_expect_eq(w.sim.result.cpus_held[0], 4);
	world_release(&w);
}
