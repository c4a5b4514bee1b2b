/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_node.c - node states after an operator's commands and the files' outages, each on a cluster of
 * three.
 */
#include "tests/world/ctl_fake.h"

#define THREE "NodeName=n[1-3] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n"

static struct fakes f;

static void fini(void) { cw_end(&f.w); }

#define expect_states(want) cr_expect_str_eq(fake_states(&f), want, "%s", fake_states(&f))
#define expect_avail(want) \
	cr_expect_str_eq(  \
		fake_nodes(&f, ctl_nodes_avail(f.c)), want, "%s", fake_nodes(&f, ctl_nodes_avail(f.c)))
#define expect_up(want) cr_expect_str_eq(fake_nodes(&f, ctl_nodes_up(f.c)), want)

static void command(const char *nodes, const char *state)
{
	cr_expect(ctl_node_command(f.c, nodes, state, "test"), "%s %s", nodes, state);
}

Test(ctl_node, drained_nodes_take_nothing_new_and_let_go_on_what_runs, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	struct ctl_job *job = fake_runs(&f, 0, "n1", 1, 1);
	const uint64_t before = f.c->node_changes;
	command("n[1-2]", "DRAIN");
	cr_expect_gt(f.c->node_changes, before);
	expect_states("drng drain idle");
	expect_avail("n3");
	expect_up("n[1-3]"); /* Drained is not down. */
	cr_expect_eq(job->state, CTL_RUNNING);
	cr_expect_str_eq(ctl_node_reason(f.c, 1), "test");
	fake_ends(&f, job);
	expect_states("drain drain idle");
	command("n1", "undrain");
	command("n2", "resume");
	expect_states("idle idle idle");
	expect_avail("n[1-3]");
	cr_expect_null(ctl_node_reason(f.c, 1));
}

Test(ctl_node, undrain_lets_down_nodes_be_down, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	command("n1", "down");
	command("n1", "drain");
	command("n1", "undrain");
	expect_states("down idle idle");
	expect_up("n[2-3]");
	command("n1", "resume");
	expect_states("idle idle idle");
}

Test(ctl_node, failing_and_future_nodes_are_not_available, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	(void)fake_runs(&f, 0, "n2", 1, 1);
	command("n[1-2]", "fail");
	command("n3", "future");
	expect_states("fail failg futr");
	expect_avail("");
	expect_up("n[1-2]");
}

Test(ctl_node, unknown_words_and_nodes_change_nothing, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	cr_expect_not(ctl_node_command(f.c, "n1", "sideways", ""));
	cr_expect_not(ctl_node_command(f.c, "n[1-9]", "drain", "x"), "one of a list that is none fails all");
	expect_states("idle idle idle");
	command("ALL", "Drain");
	expect_states("drain drain drain");
}

Test(ctl_node, states_at_the_beginning, .fini = fini)
{
	fake_begin(&f, CW_BRISK
		"NodeName=n[1-2] CPUs=4 RealMemory=1000\nNodeName=n3 CPUs=4 RealMemory=1000 State=DRAIN\n"
		"NodeName=n4 CPUs=4 RealMemory=1000 State=DOWN\n"
		"NodeName=n5 CPUs=4 RealMemory=1000 State=FUTURE\n"
		"PartitionName=p Nodes=n[1-4] Default=YES\nDownNodes=n2 State=DOWN\n");
	expect_states("idle down drain down futr");
	expect_avail("n1");
	command("n[2-4]", "resume"); /* What was said at the beginning is not for ever. */
	expect_avail("n[1-4]");
}

Test(ctl_node, mixed_and_allocated, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	struct ctl_job *job = fake_job(&f, 0);
	const struct select_alloc *out;
	f.desc[0].tasks = 2;
	cr_assert_eq(select_place(f.c->select, &job->desc, NULL, SELECT_NOW, &out), SELECT_FITS);
	job->alloc = select_take(f.c->select, out);
	ctl_node_started(f.c, job);
	(void)fake_runs(&f, 0, "n2", 1, 1);
	expect_states("mix alloc idle");
}

/* With ReturnToService=2 the daemon's answer brings it back: at once after a job was ended there, else when
 * it is pinged next. Otherwise it stays down. */
Test(ctl_node, without_return_to_service_it_stays_down, .fini = fini)
{
	fake_begin(&f, CW_BRISK THREE);
	command("n1", "down");
	cr_expect_eq(ctl_node_next(f.c), CTL_NEVER);
}

Test(ctl_node, with_return_to_service_the_next_ping_brings_it_back, .fini = fini)
{
	fake_begin(&f, CW_BRISK "ReturnToService=2\nSlurmdTimeout=300\n" THREE);
	cw_at(&f.w, 30); /* T0 is 0 modulo 100: pings come each 100 s. */
	command("n1", "down");
	expect_states("down idle idle");
	cr_expect_eq(ctl_node_next(f.c), CW_T0 + 100);
	cw_at(&f.w, 99);
	ctl_node_run(f.c);
	expect_states("down idle idle");
	cw_at(&f.w, 100);
	ctl_node_run(f.c);
	expect_states("idle idle idle");
	cr_expect_eq(ctl_node_next(f.c), CTL_NEVER);
}

Test(ctl_node, a_drained_node_that_comes_back_is_drained, .fini = fini)
{
	fake_begin(&f, CW_BRISK "ReturnToService=2\n" THREE);
	command("n1", "down");
	command("n1", "drain");
	cw_at(&f.w, 100);
	ctl_node_run(f.c);
	expect_states("drain idle idle");
}

Test(ctl_node, resumed_by_hand_it_does_not_come_back_retry, .fini = fini)
{
	fake_begin(&f, CW_BRISK "ReturnToService=2\n" THREE);
	command("n1", "down");
	command("n1", "resume");
	command("n1", "fail");
	cw_at(&f.w, 1000);
	ctl_node_run(f.c);
	expect_states("fail idle idle");
}

/* ---- Whole runs ------------------------------------------------------------------------------------------
 */

static void run(const char *conf, const char *jobs, const char *commands)
{
	f.w = (struct ctl_world){ .conf = conf, .jobs = jobs, .commands = commands, .check = true };
	cw_run(&f.w);
}

/* Down ends what runs there: a batch job goes back into the queue for 121 s, unless it may not. */
Test(ctl_node, down_ends_what_runs_there, .fini = fini)
{
	run(CW_BRISK THREE,
		"1 0 50 -w n1 -n1 --mem 10 -t 1\n2 4 50 -w n1 -n1 --mem 10 -t 1 --no-requeue\n3 4 50 -w n2 -n1 --mem 10 -t 1\n",
		"25 scontrol update nodename=n1 state=down reason=test\n60 scontrol update nodename=n1 state=resume\n");
	cr_expect_eq(cw_stop(&f.w, "1"), 196); /* Its second run began at 25 + 121. */
	cr_expect_eq(cw_state(&f.w, "1"), SL_COMPLETED);
	cr_expect_eq(cw_stop(&f.w, "2"), 25);
	cr_expect_eq(cw_state(&f.w, "2"), SL_NODE_FAIL);
	cr_expect_eq(cw_stop(&f.w, "3"), 54);
}

static const char answers_conf[] = CW_BRISK
	"ReturnToService=2\nNodeName=n[1-2] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n";
static const char answers_jobs[] = "1 0 50 -w n1 -n1 --mem 10 -t 1\n2 8 50 -N2 --exclusive --mem 10 -t 1\n"
				   "3 12 30 -n1 --mem 10 -t 1\n";
static const char answers_command[] = "25 scontrol update nodename=n1 state=down reason=test\n";

/* The node's daemon answers behind the main pass that its loss asked for: so 2 has it in that second, though
 * it was said to be down, and 3 does not get n2. */
Test(ctl_node, a_daemon_that_answers_is_back_in_the_same_second, .fini = fini)
{
	run(answers_conf, answers_jobs, answers_command);
	cr_expect_eq(cw_start(&f.w, "2"), 25);
	cr_expect_eq(cw_start(&f.w, "3"), 75);
	cr_expect_eq(cw_stop(&f.w, "1"), 196); /* Its second run began at 25 + 121. */
}

/* Of 24.11 it answers later: 3 has n2 meanwhile, and 2 waits for its end. */
Test(ctl_node, a_daemon_of_later_releases_answers_later, .fini = fini)
{
	f.w = (struct ctl_world){ .conf = answers_conf,
		.jobs = answers_jobs,
		.commands = answers_command,
		.policy = "slurm:version=24.11",
		.check = true };
	cw_run(&f.w);
	cr_expect_eq(cw_start(&f.w, "3"), 25);
	cr_expect_eq(cw_start(&f.w, "2"), 55);
	cr_expect_eq(cw_stop(&f.w, "1"), 196);
}
