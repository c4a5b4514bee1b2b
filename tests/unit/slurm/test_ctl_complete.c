/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_complete.c - what a job that is COMPLETING holds, and for whom: small schedules worked by hand, in
 * each of which epilogs last ten seconds. Schedules read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl_node.h"
#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define P     "PartitionName=p Nodes=ALL Default=YES\n"
#define X     " --exclusive --mem=100 "

/* slurm.conf with these SchedulerParameters and further lines; four nodes, without partitions. */
static void set(const char *params, const char *more, const char *jobs)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n%s",
		params, more);
	w.conf = text;
	w.jobs = jobs;
	w.policy = "slurm:complete=10";
	w.check = true;
}

static void run(const char *params, const char *more, const char *jobs)
{
	set(params, more, jobs);
	cw_run(&w);
}

/* Three of its cores were free all the time. */
Test(ctl_complete, no_job_starts_on_a_node_until_its_epilog_is_done, .fini = fini)
{
	run(BRISK, P,
		"1 0 100 -n1 -t2 --mem=100\n2 50 20 -n1 -t1 --mem=100 -w n1\n3 75 10 -n1 -t1 --mem=100 -w n1\n"
		"4 101 50 -n1 -t1 --mem=100 -w n1\n");
	cw_expect(&w, "1:0-100@n1 2:50-70@n1 3:80-90@n1 4:110-160@n1");
}

/* 3 would go where 2 runs, as 4 does. */
Test(ctl_complete, a_job_that_fits_elsewhere_does_not_wait_for_it, .fini = fini)
{
	run(BRISK, P,
		"1 0 100 -n1 -t2 --mem=100\n2 0 300 -n1 -t6 --mem=100\n3 105 50 -n1 -t1 --mem=100\n"
		"4 115 50 -n1 -t1 --mem=100\n");
	cw_expect(&w, "1:0-100@n1 2:0-300@n1 3:105-155@n2 4:115-165@n1");
}

/* By the backfill it would start now, but for that: in a second. So its nodes are planned, n4 among them,
 * and 3 does not go before. */
Test(ctl_complete, a_plan_for_now_begins_a_second_later, .fini = fini)
{
	run(BRISK, P, "1 0 100 -N3 -t5" X "\n2 5 60 -N4 -t2" X "\n3 101 5 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-3] 2:110-170@n[1-4] 3:180-185@n1");
	cr_expect(strstr(cw_reported(&w), "100 plan 2 101; 101 plan 2 102; "), "%s", cw_reported(&w));
}

/* The count of its array is released at once: for passes, in the next second. n1 is not. */
Test(ctl_complete, limits_are_released_at_the_end, .fini = fini)
{
	run(BRISK, P, "1_1 0 100 -a1-2%1 -N1 -t2" X "\n1_2 0 50 -a1-2%1 -N1 -t2" X "\n");
	cw_expect(&w, "1_1:0-100@n1 1_2:101-151@n2");
}

Test(ctl_complete, licences_are_returned_with_the_last_epilog, .fini = fini)
{
	run(BRISK, P "Licenses=a:1\n", "1 0 100 -N1 -t2 -L a" X "\n2 1 50 -N1 -t2 -L a" X "\n");
	cw_expect(&w, "1:0-100@n1 2:110-160@n1");
}

/* IS_JOB_COMPLETED() is false of it; a singleton looks for jobs that run. */
Test(ctl_complete, who_depends_on_the_end_waits_for_the_epilog_but_no_singleton, .fini = fini)
{
	run(BRISK, P,
		"1 0 100 -N1 -t2 -J a" X "\n2 1 50 -N1 -t2 -J b -d afterany:1" X
		"\n3 2 50 -N1 -t2 -J a -d singleton" X "\n");
	cw_expect(&w, "1:0-100@n1 2:110-160@n1 3:101-151@n2");
}

/* Its credential lapses 121 s after the epilog, by which it is queued anew; the preemptor starts then. */
Test(ctl_complete, a_requeued_job_is_queued_anew_with_the_last_epilog, .fini = fini)
{
	run(BRISK,
		"PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
		"PartitionName=low Nodes=ALL Default=YES PriorityTier=1\n"
		"PartitionName=high Nodes=ALL PriorityTier=2\n",
		"1 0 200 -N4 -t5" X "\n2 50 30 -N1 -t1 -p high" X "\n");
	cw_expect(&w, "1:0-381@n[1-4] 2:60-90@n1");
	cr_expect(strstr(cw_reported(&w), "181 start 1 "), "%s", cw_reported(&w));
}

/* 1 stands still from 50 to 90. */
Test(ctl_complete, who_was_suspended_goes_on_with_the_last_epilog, .fini = fini)
{
	run(BRISK,
		"PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\n"
		"PartitionName=low Nodes=ALL Default=YES PriorityTier=1 OverSubscribe=FORCE:1\n"
		"PartitionName=high Nodes=ALL PriorityTier=2 OverSubscribe=FORCE:1\n",
		"1 0 200 -N4 -t5 --mem=100\n2 50 30 -N4 -n16 -t1 -p high --mem=100\n");
	cw_expect(&w, "1:0-240@n[1-4] 2:50-80@n[1-4]");
}

/* The node is down from 105 to 107: then nothing of it is COMPLETING. */
Test(ctl_complete, a_node_that_goes_down_completes_nothing, .fini = fini)
{
	w.commands = "105 scontrol update nodename=n1 state=down reason=x\n"
		     "107 scontrol update nodename=n1 state=resume\n";
	run(BRISK, P, "1 0 100 -N1 -t2" X "\n2 101 50 -N1 -t1 -w n1" X "\n");
	cw_expect(&w, "1:0-100@n1 2:107-157@n1");
}

/* For CompleteWait seconds nothing starts; with reduce_completing_frag in partitions alone that have nodes in
 * common with that of the job. */
Test(ctl_complete, complete_wait, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N1 -t2" X "\n2 101 50 -N1 -t1" X "\n3 101 50 -N1 -t1 -p q" X
				   "\n4 120 5 -N1 -t1" X "\n";
#define WAIT "CompleteWait=5\nPartitionName=p Nodes=n[1-3] Default=YES\nPartitionName=q Nodes=n4\n"
	run(BRISK, WAIT, jobs);
	cw_expect(&w, "1:0-100@n1 2:106-156@n2 3:106-156@n4 4:120-125@n1");
	cw_end(&w);
	run(BRISK ",reduce_completing_frag", WAIT, jobs);
	cw_expect(&w, "1:0-100@n1 2:106-156@n2 3:101-151@n4 4:120-125@n1");
}

/* By hand: what sinfo says, and since when it is idle (SuspendTime). */
Test(ctl_complete, the_node_is_idle_from_its_epilog_on, .fini = fini)
{
	set(BRISK, P, "1 0 100 -N1 -t2" X "\n");
	struct ctl *c = cw_make(&w);
	struct ctl_job *job = &c->job[0];
	ctl_submit(c, job);
	ctl_run(c);
	cr_assert_eq(job->state, CTL_RUNNING);
	cw_at(&w, 100);
	ctl_end(c, job, SL_COMPLETED, true);
	cr_expect_eq(job->completing, 1);
	cr_expect_not(node_is_idle(&c->nodes->node[0]));
	cr_expect_str_eq(ctl_node_state(c, 0), "comp");
	cr_expect_eq(ctl_complete_next(c), ctl_engine_time(c, CW_T0 + 101), "the limits are released first");
	cw_at(&w, 109);
	ctl_complete_run(c);
	cr_expect_eq(ctl_complete_next(c), ctl_engine_time(c, CW_T0 + 110));
	cr_expect_str_eq(ctl_node_state(c, 0), "comp");
	cw_at(&w, 110);
	ctl_complete_run(c);
	cr_expect_eq(ctl_complete_next(c), SL_NEVER);
	cr_expect(node_is_idle(&c->nodes->node[0]));
	cr_expect_str_eq(ctl_node_state(c, 0), "idle");
	cr_expect_eq(c->nodes->node[0].idle_since, CW_T0 + 110);
	cr_expect_eq(job->completing, 0);
}

/* Forty ends in turn, then sixteen at once: the ring of epilogs goes round and grows. */
Test(ctl_complete, many_ends, .fini = fini)
{
	static char jobs[8000];
	size_t len = 0;
	for (int i = 1; i <= 40; i++)
		len += (size_t)snprintf(
			jobs + len, sizeof(jobs) - len, "%d %d 3 -n1 -t1 --mem=1\n", i, i * 5);
	for (int i = 41; i <= 56; i++)
		len += (size_t)snprintf(jobs + len, sizeof(jobs) - len, "%d 400 50 -n1 -t1 --mem=1\n", i);
	len += (size_t)snprintf(jobs + len, sizeof(jobs) - len, "57 401 10 -N4 -t1" X "\n");
	run(BRISK, P, jobs);
	cr_expect_eq(cw_start(&w, "56"), 400);
	cr_expect_eq(cw_start(&w, "57"), 460);
}
