/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_depend.c - dependencies in Slurm's controller, kind by kind, and commands of operators; driven by
 * hand, at seconds after T0.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/slurm/control/ctl_place.h"
#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define CONF                                                                \
	CW_BRISK "Licenses=lic:3\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n" \
		 "PartitionName=p Nodes=ALL Default=YES\nPartitionName=q Nodes=ALL\n"

static struct ctl *world(const char *jobs)
{
	w = (struct ctl_world){ .conf = CONF, .jobs = jobs };
	struct ctl *c = cw_make(&w);
	for (uint32_t row = 0; row < c->jobs->count; row++)
		ctl_submit(c, &c->job[row]);
	return c;
}

static void start(const char *id)
{
	struct ctl *c = &w.ctl;
	struct ctl_job *job = cw_job(&w, id);
	const struct select_alloc *alloc;
	job->desc.partition = job->part;
	cr_assert(ctl_independent(c, job), "job %s", id);
	cr_assert_eq(select_place(c->select, &job->desc, NULL, SELECT_NOW, &alloc), SELECT_FITS);
	ctl_start(c, job, job->part, alloc);
}

static void end(const char *id, enum sl_state state) { ctl_end(&w.ctl, cw_job(&w, id), state, true); }

/* "-": it may be looked at, else its reason; by job. */
static void expect(const char *id, const char *want)
{
	struct ctl_job *job = cw_job(&w, id);
	const bool free = ctl_independent(&w.ctl, job);
	const char *got = job->state == CTL_ENDED ? sl_state_name(job->ended_as)
			  : free                  ? "-"
						  : sl_reason_name(job->reason);
	cr_expect_str_eq(got, want, "job %s: %s, not %s", id, got, want);
}

/* ---- Kinds -------------------------------------------------------------------------------------------- */

/* Run 80. */
Test(ctl_depend, kinds, .fini = fini)
{
	(void)world(
		"1 0 30 -n1\n2 0 30 -n1\n3 0 9 -d afterok:1\n4 0 9 -d afterok:2\n5 0 9 -d afterany:2\n"
		"6 0 9 -d afternotok:2\n7 0 9 -d after:1\n8 0 9 -d afterok:1?afterok:2\n9 0 9 -d after:1+1\n"
		"10 0 9 -d afternotok:1\n11 0 9 -d afterok:1,afterok:2\n12 0 9 -d afterany:1:2\n");
	expect("7", "Dependency");
	start("1");
	start("2");
	expect("7", "-");
	expect("9", "Dependency");
	expect("3", "Dependency");
	cw_at(&w, 30);
	end("1", SL_COMPLETED);
	expect("3", "-");
	cr_expect_eq(cw_job(&w, "3")->eligible, CW_T0 + 30);
	expect("10", "DependencyNeverSatisfied");
	expect("8", "-");
	expect("11", "Dependency");
	expect("12", "Dependency");
	cw_at(&w, 40);
	end("2", SL_FAILED);
	expect("4", "DependencyNeverSatisfied");
	expect("5", "-");
	expect("6", "-");
	expect("11", "DependencyNeverSatisfied");
	expect("12", "-");
	cw_at(&w, 59);
	expect("9", "Dependency");
	cr_expect_eq(ctl_depend_next(&w.ctl, cw_job(&w, "9")), CW_T0 + 60);
	cw_at(&w, 60);
	expect("9", "-");
}

Test(ctl_depend, who_was_cancelled_has_ended_badly, .fini = fini)
{
	(void)world(
		"1 0 30 -n1\n2 0 9 -d afterok:1\n3 0 9 -d afternotok:1\n4 0 9 -d after:1\n5 0 9 -d after:1+1\n"
		"6 0 9 -d afterok:99\n");
	expect("6", "-");
	cw_at(&w, 10);
	ctl_end(&w.ctl, cw_job(&w, "1"), SL_CANCELLED, false);
	expect("2", "DependencyNeverSatisfied");
	expect("3", "-");
	expect("4", "-");
	expect("5", "Dependency");
	cw_at(&w, 70);
	expect("5", "-");
}

/* Who waits anew has not ended; what was met stays met. */
Test(ctl_depend, requeued, .fini = fini)
{
	(void)world("1 0 30 -n1\n2 0 9 -d afterany:1\n3 0 9 -d after:1\n4 0 9 -d after:1\n");
	start("1");
	expect("3", "-");
	ctl_requeue(&w.ctl, cw_job(&w, "1"), SL_PENDING, false);
	expect("2", "Dependency");
	expect("3", "-");
	expect("4", "Dependency");
}

Test(ctl_depend, never_may_kill, .fini = fini)
{
	struct ctl *c = world("1 0 30 -n1\n2 0 9 -d afterok:1\n");
	c->params.kill_invalid_depend = true;
	start("1");
	end("1", SL_TIMEOUT);
	expect("2", "CANCELLED");
}

/* handle_invalid_dependency(): what the job says goes before DependencyParameters. */
Test(ctl_depend, kill_on_invalid_dep, .fini = fini)
{
	struct ctl *c = world("1 0 30 -n1\n2 0 9 -d afterok:1 --kill-on-invalid-dep=yes\n"
			      "3 0 9 -d afterok:1 --kill-on-invalid-dep=no\n4 0 9 -d afterok:1\n"
			      "5 0 9 -d afterany:2\n");
	cr_expect(!c->params.kill_invalid_depend);
	start("1");
	end("1", SL_FAILED);
	expect("2", "CANCELLED");
	expect("3", "DependencyNeverSatisfied");
	expect("4", "DependencyNeverSatisfied");
	expect("5", "-");
	c->params.kill_invalid_depend = true;
	c->job[cw_row(&w, "3")].never = false; /* As if it had not been looked at yet. */
	expect("3", "DependencyNeverSatisfied");
}

/* DependencyParameters has kill_invalid_depend; SchedulerParameters had it before 20.02. */
Test(ctl_depend, kill_invalid_depend_is_of_dependency_parameters, .fini = fini)
{
	w = (struct ctl_world){ .conf = CONF "DependencyParameters=max_depend_depth=3,kill_invalid_depend\n",
		.jobs = "1 0 9\n" };
	cr_expect(cw_make(&w)->params.kill_invalid_depend);
}

Test(ctl_depend, scheduler_parameters_kill_nothing, .fini = fini)
{
	w = (struct ctl_world){
		.conf = "SchedulerParameters=kill_invalid_depend\n"
			"NodeName=n1 CPUs=4 RealMemory=4000\nPartitionName=p Nodes=ALL Default=YES\n",
		.jobs = "1 0 9\n"
	};
	cr_expect(!cw_make(&w)->params.kill_invalid_depend);
}

/* Run 81. */
Test(ctl_depend, singletons, .fini = fini)
{
	(void)world(
		"1 0 30 user=u1 -n1 -J s\n2 0 9 user=u1 -J s -d singleton\n3 0 9 user=u1 -J s -d singleton\n"
		"4 0 9 user=u2 -J s -d singleton\n5 0 9 user=u1 -J z -d singleton\n6 0 9 user=u1 -J s\n");
	start("1");
	expect("2", "Dependency");
	expect("4", "-");
	expect("5", "-");
	end("1", SL_COMPLETED);
	expect("2", "-");
	expect("3", "Dependency");
	start("6");
	expect("2", "Dependency"); /* Who runs, though submitted later, keeps it. */
	end("6", SL_COMPLETED);
	start("2");
	end("2", SL_COMPLETED);
	expect("3", "-");
}

/* Run 83. */
Test(ctl_depend, arrays, .fini = fini)
{
	(void)world("1_1 0 20 --array=1-2 -n1\n1_2 0 20 --array=1-2 -n1\n2_1 0 9 --array=1-2 -d aftercorr:1\n"
		    "2_2 0 9 --array=1-2 -d aftercorr:1\n3 0 9 -d afterok:1\n4 0 9 -d afternotok:1_2\n");
	start("1_1");
	start("1_2");
	end("1_1", SL_FAILED);
	expect("2_1", "DependencyNeverSatisfied");
	expect("2_2", "Dependency");
	expect("3", "Dependency"); /* Told once the whole array has ended. */
	end("1_2", SL_COMPLETED);
	expect("2_2", "-");
	expect("3", "DependencyNeverSatisfied");
	expect("4", "DependencyNeverSatisfied");
}

/* ---- Commands ---------------------------------------------------------------------------------------------
 */

static int read_command(const char *text)
{
	static struct sl_command command;
	command = (struct sl_command){ .at = w.ctl.now_us, .text = text, .where = { "x.cmd", 3, 10 } };
	const struct sl_setup setup = { .arena = w.arena, .command = &command, .command_count = 1 };
	w.err = (struct sl_err){ 0 };
	return ctl_command_make(&w.ctl, &setup, &w.err);
}

static void run(const char *text)
{
	cr_assert_eq(read_command(text), SL_OK, "%s: %s", text, w.err.text);
	cr_expect_eq(ctl_command_next(&w.ctl), w.ctl.now_us);
	ctl_command_run(&w.ctl);
	cr_expect_eq(ctl_command_next(&w.ctl), SL_NEVER);
}

Test(ctl_command, keep_and_release, .fini = fini)
{
	(void)world("1 0 9\n2 0 9\n3_1 0 9 --array=1-3\n3_2 0 9 --array=1-3\n3_3 0 9 --array=1-3\n");
	run("scontrol hold 1,2");
	expect("1", "JobHeldAdmin");
	expect("2", "JobHeldAdmin");
	run("scontrol release 1");
	expect("1", "-");
	expect("2", "JobHeldAdmin");
	run("/usr/bin/scontrol uhold 3_[2-3]");
	expect("3_1", "-");
	expect("3_2", "JobHeldUser");
	expect("3_3", "JobHeldUser");
	run("scontrol release 3");
	expect("3_2", "-");
	cr_expect_eq(cw_job(&w, "3_2")->priority, cw_job(&w, "3_3")->priority, "one record");
	cr_expect(cw_job(&w, "3_2")->priority < cw_job(&w, "3_1")->priority);
	run("scontrol hold 77"); /* Not of this trace: an error at the operator's shell. */
}

Test(ctl_command, cancel, .fini = fini)
{
	(void)world(
		"1 0 9 user=u1 -n1\n2 0 9 user=u2 -n1\n3 0 9 user=u1 -n1 -p q\n4 0 9 user=u1 -n1 -J x\n5_1 0 9 "
		"--array=1-2\n5_2 0 9 --array=1-2\n");
	start("1");
	run("scancel -u u1 --state=PENDING -p p");
	expect("4", "CANCELLED");
	expect("3", "-");
	cr_expect_eq(cw_job(&w, "1")->state, CTL_RUNNING);
	expect("2", "-");
	run("scancel 5_2 1");
	expect("1", "CANCELLED");
	expect("5_1", "-");
	expect("5_2", "CANCELLED");
	run("scancel --user=u1");
	expect("3", "CANCELLED");
}

Test(ctl_command, requeue_and_suspend, .fini = fini)
{
	(void)world("1 0 9 -n1\n2 0 9 -n1 --no-requeue\n");
	start("1");
	start("2");
	run("scontrol requeue 1 2");
	expect("1", "BeginTime");
	cr_expect_eq(cw_job(&w, "2")->state, CTL_RUNNING, "it must not");
	run("scontrol suspend 2");
	cr_expect_eq(cw_job(&w, "2")->state, CTL_SUSPENDED);
	cr_expect_eq(cw_job(&w, "2")->priority, 0);
	run("scontrol resume 2");
	cr_expect(cw_job(&w, "2")->priority && cw_job(&w, "2")->priority < cw_job(&w, "1")->priority);
	cr_expect_eq(cw_job(&w, "2")->state, CTL_RUNNING);
	cw_at(&w, 200);
	start("1");
	run("scontrol requeuehold 1");
	expect("1", "job_requeued_in_held_state");
}

Test(ctl_command, update_of_a_job, .fini = fini)
{
	struct ctl *c = world("1 0 900 -n1 -t 5\n2 0 9 -N1 -t 5\n3 0 9 -n1\n");
	struct ctl_job *one = cw_job(&w, "1"), *two = cw_job(&w, "2");
	run("scontrol update jobid=2 priority=77");
	cr_expect_eq(two->priority, 77);
	cr_expect(two->direct_priority);
	run("scontrol update JobId=2 Priority=0");
	expect("2", "JobHeldAdmin");
	run("scontrol update JobId=2 Priority=5 TimeLimit=+10 Partition=q NumNodes=2-3 Dependency=afterok:1");
	expect("2", "Dependency");
	cr_expect_eq(two->time_limit, 15);
	cr_expect_eq(two->nodes_min, 2);
	cr_expect_eq(two->nodes_max, 3);
	cr_expect_str_eq(c->part[two->part].name, "q");
	run("scontrol update jobid=2 dependency= starttime=now+2minutes licenses=lic:2");
	expect("2", "BeginTime");
	cr_expect_eq(two->begin, CW_T0 + 120);
	cr_expect_not_null(two->need);
	start("1");
	run("scontrol update jobid=1 timelimit=1:30:00");
	cr_expect_eq(one->time_limit, 90);
	cr_expect_eq(one->end_limit, CW_T0 + 5400);
}

static void expect_priority(const char *id, int64_t below)
{
	const int64_t got = (int64_t)UINT32_MAX - cw_job(&w, id)->priority;
	cr_expect_eq(
		got, below, "job %s: %lld below the most, not %lld", id, (long long)got, (long long)below);
}

/* Run x12: G takes B's place. It gains 5, which the others of its user pay: a third, then half of what is
 * left, then the rest. E and F are another user's. */
Test(ctl_command, top, .fini = fini)
{
	(void)world(
		"1 0 9 user=u1\n2 0 9 user=u1\n3 0 9 user=u1\n4 0 9 user=u2\n5 0 9 user=u2\n6 0 9 user=u1\n");
	const int64_t first = (int64_t)UINT32_MAX - cw_job(&w, "1")->priority;
	run("scontrol top 6");
	expect_priority("6", first);
	expect_priority("1", first + 1);
	expect_priority("2", first + 3);
	expect_priority("3", first + 4);
	expect_priority("4", first + 3);
	expect_priority("5", first + 4);
	cr_expect_eq(cw_job(&w, "6")->nice + 5, cw_job(&w, "1")->nice - 1, "nice goes along");
}

/* Of several the first listed gets the highest; held ones and those in several partitions stay out. */
Test(ctl_command, top_of_several, .fini = fini)
{
	(void)world("1 0 9\n2 0 9\n3 0 9\n4 0 9 -p p,q\n5 0 9\n6 0 9 -p q\n");
	const int64_t first = (int64_t)UINT32_MAX - cw_job(&w, "1")->priority;
	run("scontrol hold 2");
	run("scontrol top 5,3,2");
	expect_priority("5", first);
	expect_priority("3", first + 2);
	expect_priority("1", first + 4);
	expect_priority("6", first + 5);
	cr_expect_eq(cw_job(&w, "2")->priority, 0);
	const uint32_t before = cw_job(&w, "1")->priority;
	run("scontrol top 1,4"); /* Refused: 4 is in several partitions. */
	cr_expect_eq(cw_job(&w, "1")->priority, before);
}

/* Run x12: "Node count specification invalid" of 22.05, which sets the least alone. */
Test(ctl_command, one_number_of_nodes, .fini = fini)
{
	struct ctl *c = world("1 0 9 -N2\n2 0 9 -n2\n");
	const struct ctl_job *one = cw_job(&w, "1");
	c->params.version = CTL_22_05;
	run("scontrol update jobid=1 numnodes=3");
	cr_expect_eq(one->nodes_min, 2);
	cr_expect_eq(one->nodes_max, 2);
	run("scontrol update jobid=1 numnodes=1");
	cr_expect_eq(one->nodes_min, 1);
	cr_expect_eq(one->nodes_max, 2);
	c->params.version = CTL_24_11;
	run("scontrol update jobid=1 numnodes=3");
	cr_expect_eq(one->nodes_min, 3);
	cr_expect_eq(one->nodes_max, 3);
}

/* Run x12: D of six tasks gets three cpus. Its tasks share them in 22.05; later ones never start it on the
 * one node of four that they choose for three cpus. */
Test(ctl_command, fewer_cpus_than_tasks, .fini = fini)
{
	struct ctl *c = world("1 0 9 -n6\n2 0 9 -n6\n3 0 9 -n4\n");
	const struct ctl_job *one = cw_job(&w, "1"), *three = cw_job(&w, "3");
	c->params.version = CTL_22_05;
	run("scontrol update jobid=1 numcpus=3");
	cr_expect_null(one->tasked);
	cr_expect_eq(ctl_place_try(c, cw_job(&w, "1"), 0, ctl_nodes_avail(c)), CTL_OK);
	cr_expect_eq(one->alloc->cpus, 3);
	c->params.version = CTL_24_11;
	run("scontrol update jobid=2,3 numcpus=3");
	cr_expect_eq(cw_job(&w, "2")->tasked->tasks, 6);
	cr_expect_eq(ctl_place_try(c, cw_job(&w, "2"), 0, ctl_nodes_avail(c)), CTL_NODES_BUSY);
	cr_expect_eq(ctl_place_try(c, cw_job(&w, "3"), 0, ctl_nodes_avail(c)), CTL_OK);
	cr_expect_eq(three->alloc->cpus, 4, "all of its tasks have theirs");
	run("scontrol update jobid=2 numtasks=2");
	cr_expect_null(cw_job(&w, "2")->tasked);
	cr_expect_eq(ctl_place_try(c, cw_job(&w, "2"), 0, ctl_nodes_avail(c)), CTL_OK);
}

/* Run 55. */
Test(ctl_command, update_of_partitions, .fini = fini)
{
	struct ctl *c = world("1 0 9 -n1 -p q\n");
	const uint32_t q = cw_job(&w, "1")->part;
	run("scontrol update partition=q state=down maxtime=20 maxnodes=4 minnodes=2 prioritytier=9");
	cr_expect_eq(c->part[q].state, SL_PARTITION_DOWN);
	cr_expect_eq(c->part[q].max_time, 20);
	cr_expect_eq(c->part[q].nodes_max, 4);
	cr_expect_eq(c->part[q].nodes_min, 2);
	cr_expect_eq(c->part[q].tier, 9);
	run("scontrol update PartitionName=q State=UP MaxTime=UNLIMITED MaxNodes=UNLIMITED");
	cr_expect_eq(c->part[q].state, SL_PARTITION_UP);
	cr_expect_eq(c->part[q].max_time, CTL_NEVER);
}

/* The nodes themselves are tested in test_ctl_node.c. */
Test(ctl_command, update_of_nodes, .fini = fini)
{
	struct ctl *c = world("1 0 9 -n1\n");
	run("scontrol update nodename=n[1-2] state=drain reason=\"to be mended\"");
	cr_expect_eq(ctl_nodes_avail(c)[0] & 15, 12);
	run("scontrol update nodename=n1 state=resume");
	cr_expect_eq(ctl_nodes_avail(c)[0] & 15, 13);
}

Test(ctl_command, errors_have_their_place, .fini = fini)
{
	static const char *const wrong[][2] = {
		{ "rm -rf x", "x.cmd:3:10: 'rm' is not followed" },
		{ "scontrol cluster 5", "x.cmd:3:19: 'scontrol cluster' is not followed" },
		{ "scontrol hold", "x.cmd:3:10: no job is named" },
		{ "scontrol hold x", "x.cmd:3:24: 'x' is no job's id" },
		{ "scontrol update foo=1", "x.cmd:3:26: 'foo=1': an update begins" },
		{ "scontrol update jobid=1 color=red", "x.cmd:3:34: 'color=red' of a job is not followed" },
		{ "scontrol update jobid=1 timelimit=soon",
			"x.cmd:3:34: 'timelimit=soon': TimeLimit cannot be" },
		{ "scontrol update partition=z state=up", "x.cmd:3:26: there is no partition 'z'" },
		{ "scancel", "x.cmd:3:10: no job is named" },
		{ "scancel --sibling=x 1", "x.cmd:3:18: 'scancel --sibling=x' is not followed" },
		{ "scancel -s TERM 1", "x.cmd:3:18: 'scancel --signal=TERM' is not followed" },
		{ "scontrol hold \"1", "x.cmd:3:24: a quote is not closed" },
	};
	(void)world("1 0 9\n");
	for (size_t i = 0; i < SL_LEN(wrong); i++) {
		cr_expect_eq(read_command(wrong[i][0]), SL_INPUT, "%s", wrong[i][0]);
		cr_expect_eq(strncmp(w.err.text, wrong[i][1], strlen(wrong[i][1])), 0, "%s\n  wanted: %s",
			w.err.text, wrong[i][1]);
	}
	run("scontrol show job 1");
	run("squeue -o '%i %j'");
}
