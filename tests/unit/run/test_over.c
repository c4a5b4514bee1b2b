/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_over.c - a pass that would never end ends once the run is to end: each call that a policy may repeat
 * without end fails from then on, and the pass is undone.
 */
#include <criterion/criterion.h>

#include "tests/world/world.h"

static bool starts_retry(struct sl_pass *pass)
{
	const sl_marked mark = sl_mark(pass);
	const bool started = sl_start(pass, (sl_job){ 1 });
	sl_undo(pass, mark);
	return started;
}

static bool asks_what_fits(struct sl_pass *pass) { return sl_fits(pass, (sl_job){ 1 }); }

static bool asks_for_the_next(struct sl_pass *pass)
{
	return sl_job_is(sl_queue_next_fit(pass, SL_JOB_NONE, NULL));
}

/* Like srtf at the time: the first is stopped and started without end. */
static bool preempts_retry(struct sl_pass *pass)
{
	return sl_preempt(pass, (sl_job){ 0 }, SL_PREEMPT_REQUEUE) && sl_start(pass, (sl_job){ 0 });
}

/* Reads do not count, so a command that always fails does. */
static bool looks_at_the_first(struct sl_pass *pass)
{
	(void)sl_start(pass, (sl_job){ 2 });
	return sl_job_is(sl_queue_first(pass));
}

static bool (*const endless[])(struct sl_pass *pass) = { starts_retry, asks_what_fits, asks_for_the_next,
	preempts_retry, looks_at_the_first };

static struct {
	size_t which;
	_Atomic int stop;
	bool fails; /* In place of `stop`. */
} now;

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	return sl_use(setup, SL_USE_PREEMPT, err);
}

static void pass(void *state, struct sl_pass *pass)
{
	const struct sl_err failure = { SL_SYSTEM, "no memory is left" };
	(void)state;
	(void)sl_start(pass, (sl_job){ 0 });
	now.stop = !now.fails;
	if (now.fails)
		sl_fail_run(pass, &failure);
	while (endless[now.which](pass))
		continue;
}

Test(over, a_pass_without_end_comes_to_it, .timeout = 20)
{
	static const struct sl_policy policy = {
		.abi = SL_ABI_OF(struct sl_policy), .name = "endless", .init = init, .pass = pass
	};
	for (now.which = 0; now.which < SL_LEN(endless); now.which++)
		for (int fails = 0; fails < 2; fails++) {
			struct world w = { .cpus = 4,
				.count = 3,
				.job = { JOB(0, 10, 10, 2), JOB(0, 10, 10, 1), JOB(0, 10, 10, 4) },
				.instead = &policy };
			struct sim_options options;
			now.stop = 0;
			now.fails = fails;
			cr_assert_eq(world_open(&w, "fcfs", false, &options), SL_OK, "%s", w.err.text);
			options.stop = &now.stop;
			const int status = sim_run(&w.sim, &options, &w.err);
			cr_expect_eq(status, fails ? SL_SYSTEM : SL_INTERRUPTED, "loop %zu: %d, %s",
				now.which, status, w.err.text);
			if (!fails)
				cr_expect_eq(w.sim.result.state[0], SL_PENDING,
					"loop %zu: the pass was not taken back", now.which);
			world_release(&w);
		}
}

/* Like a controller that can do nothing more, as the run is to end, and has something to do now. */
static void waits_for_now(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	(void)state;
	now.stop |= event->class == SL_EV_SUBMIT;
	if (sl_stopping(pass))
		sl_wake_event(pass, sl_now(pass), 0);
}

static void starts_none(void *state, struct sl_pass *pass)
{
	(void)state;
	(void)pass;
}

Test(over, events_without_end_come_to_it, .timeout = 20)
{
	static const struct sl_policy policy = { .abi = SL_ABI_OF(struct sl_policy),
		.name = "endless",
		.init = init,
		.on_event = waits_for_now,
		.pass = starts_none };
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 10, 10, 2) }, .instead = &policy };
	struct sim_options options;
	now.stop = 0;
	cr_assert_eq(world_open(&w, "fcfs", false, &options), SL_OK, "%s", w.err.text);
	options.stop = &now.stop;
	cr_expect_eq(sim_run(&w.sim, &options, &w.err), SL_INTERRUPTED, "%s", w.err.text);
	world_release(&w);
}
