/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_told.c - the decisions that the policy `slurm` reports: by which rule, for which beneficiary, and
 * what it plans; on clusters of whole nodes that are small enough to plan by hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

static const char *conf(const char *params, const char *more)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n"
		"PartitionName=p Nodes=ALL Default=YES\n%s",
		params, more);
	return text;
}

#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN  "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define X     " --exclusive --mem=100 "

#define EXPECT_REPORTED(want) \
	cr_expect_str_eq(cw_reported(&w), want, "%s\n  wanted: %s", cw_reported(&w), want)

static void run(const char *params, const char *more, const char *jobs, const char *commands)
{
	w = (struct ctl_world){
		.conf = conf(params, more), .jobs = jobs, .commands = commands, .check = true
	};
	cw_run(&w);
}

/* ---- The two passes --------------------------------------------------------------------------------------
 */

/* The main pass starts no job ahead of job 2, which needs all four nodes. */
Test(ctl_reported, the_main_pass_goes_by_the_order, .fini = fini)
{
	run(MAIN, "", "1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n", NULL);
	EXPECT_REPORTED("0 start 1 order; 100 start 2 order; 160 start 3 order");
}

/* Job 1 is over at 120 by its limit, so job 2 is planned for then; job 3 is over by then. Job 4 is not, and
 * is planned for 240, where job 2's limit is over. When job 1 ends early the main pass starts job 2, and job
 * 4's plan is 220. */
Test(ctl_reported, the_backfill_plans_and_fills_before_the_plan, .fini = fini)
{
	run(BRISK, "",
		"1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n4 11 30 -N1 -t5" X "\n",
		NULL);
	EXPECT_REPORTED(
		"0 start 1 order; 5 plan 2 120; 10 start 3 backfill(2); 11 plan 4 240; 100 start 2 order; "
		"100 plan 4 220; 160 start 4 order");
}

/* ---- Preemption: a requeued job waits 121 s
 * ---------------------------------------------------------------- */

Test(ctl_reported, a_partition_of_a_higher_tier_preempts, .fini = fini)
{
	run(MAIN,
		"PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
		"PartitionName=high Nodes=ALL PriorityTier=9\n",
		"1 0 100 -N4 -t2" X "\n2 10 60 -N4 -t2 -p high" X "\n", NULL);
	EXPECT_REPORTED("0 start 1 order; 10 preempt 1 rank(2); 10 start 2 order; 131 start 1 order");
}

Test(ctl_reported, a_qos_preempts, .fini = fini)
{
	w = (struct ctl_world){ .conf = conf(MAIN, "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n"
						   "AccountingStorageEnforce=associations,limits,qos\n"),
		.accounts = "Cluster|Account|User|ParentName|Share|QOS|Def QOS\n"
			    "c|root|||1|normal,urgent|normal\nc|a||root|1|normal,urgent|normal\n"
			    "c|a|u1||1|normal,urgent|normal\n",
		.qos = "Name|Priority|Preempt|PreemptMode\nnormal|0||cluster\nurgent|10|normal|cluster\n",
		.jobs = "1 0 100 user=u1 account=a qos=normal -N4 -t2" X
			"\n2 10 60 user=u1 account=a qos=urgent -N4 -t2" X "\n",
		.check = true };
	cw_run(&w);
	EXPECT_REPORTED("0 start 1 order; 10 preempt 1 rank(2); 10 start 2 order; 131 start 1 order");
}

/* ---- Turns
 * -------------------------------------------------------------------------------------------------- */

/* On the same cores, by slices of 30 s. Job 1, which filled the row so far, has the one at 30 still; job 2
 * those at 60 and 120, in which it ends. */
Test(ctl_reported, gang_slices_are_turns, .fini = fini)
{
	run(MAIN,
		"PreemptType=preempt/none\nPreemptMode=GANG\nSchedulerTimeSlice=30\n"
		"PartitionName=g Nodes=n1 OverSubscribe=FORCE:2\n",
		"1 0 100 -n4 -t5 -p g --mem=100\n2 5 40 -n4 -t2 -p g --mem=100\n", NULL);
	EXPECT_REPORTED(
		"0 start 1 order; 5 start 2 order; 5 preempt 2 slice; 60 preempt 1 slice; 60 resume 2 slice; "
		"90 preempt 2 slice; 90 resume 1 slice; 120 preempt 1 slice; 120 resume 2 slice; "
		"130 resume 1 slice");
	cr_expect_eq(cw_stop(&w, "2"), 130);
	cr_expect_eq(cw_stop(&w, "1"), 140);
}

/* ---- Operators
 * ---------------------------------------------------------------------------------------------- */

Test(ctl_reported, what_an_operator_commands, .fini = fini)
{
	run(MAIN, "", "1 0 100 -N4 -t2" X "\n2 5 60 -N4 -t2" X "\n",
		"20 scontrol requeue 1\n150 scancel 1\n");
	EXPECT_REPORTED("0 start 1 order; 20 preempt 1 operator; 20 start 2 order; 141 start 1 order; "
			"150 end 1 operator");
}

/* It is from 60 to 180; that it is over is seen at the next multiple of 30 s. Job 2 would run into it. */
Test(ctl_reported, a_reservation_ends_its_jobs, .fini = fini)
{
	run(MAIN, "", "1 1 500 -N1 -t10 --reservation=r" X "\n2 5 60 -N4 -t5" X "\n",
		"0 scontrol create reservationname=r starttime=now+60 duration=2 users=root nodes=n1\n");
	EXPECT_REPORTED("60 start 1 order; 210 end 1 window; 210 start 2 order");
}
