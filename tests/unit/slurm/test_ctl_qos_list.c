/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_qos_list.c - --qos=a,b, from 24.11 on: a job is tried with each QOS of its list, the one of the
 * highest priority first. Schedules are worked by hand, and read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN  "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define BASIC "PriorityType=priority/basic\n"
#define MULTI "PriorityType=priority/multifactor\nPriorityWeightQOS=1000\n"
#define P     "PartitionName=p Nodes=ALL Default=YES\n"
#define PQ    P "PartitionName=q Nodes=ALL\n"
#define X     " --exclusive --mem=100 "
#define U     " user=u1 account=a qos="

/* One job at a time has high. */
#define ONE_HIGH "Name|Priority|GrpJobs\nnormal|0|\nlow|5|\nmid|7|\nhigh|10|1\nnone|0|\n"

/* Four nodes, release 24.11, limits and QOS enforced. */
static void run(const char *params, const char *more, const char *qos, const char *jobs)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=limits,qos\n"
		"SchedulerParameters=%s\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n%s",
		params, more);
	w.conf = text;
	w.qos = qos;
	w.jobs = jobs;
	w.check = true;
	if (!w.accounts)
		w.accounts = "Cluster|Account|User|QOS\nc|root||normal\nc|a||normal,low,mid,high,none\n"
			     "c|a|u1|normal,low,mid,high,none\n";
	if (!w.policy)
		w.policy = "slurm:version=24.11";
	cw_run(&w);
}

/* ---- Which it runs with */

/* high has its one job: 2 runs with low, and 3, which wants high alone, waits. */
Test(ctl_qos_list, one_that_is_full_leaves_the_next, .fini = fini)
{
	run(MAIN, BASIC P, ONE_HIGH,
		"1 0 100" U "high -N1 -t2" X "\n2 5 60" U "low,high -N1 -t2" X "\n3 6 60" U "high -N1 -t2" X
		"\n");
	cw_expect(&w, "1:0-100@n1 2:5-65@n2 3:100-160@n1");
}

/* By priority, not as written: 1 takes high, so that 2 has to wait for it. Equal priorities go as written. */
Test(ctl_qos_list, the_highest_priority_is_tried_first, .fini = fini)
{
	run(MAIN, BASIC P, ONE_HIGH, "1 0 100" U "low,high -N1 -t2" X "\n2 5 60" U "high -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n1 2:100-160@n1");
	cw_end(&w);
	run(MAIN, BASIC P, "Name|Priority|GrpJobs\nnormal|0|\nlow|5|\nhigh|5|1\n",
		"1 0 100" U "low,high -N1 -t2" X "\n2 5 60" U "high -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n1 2:5-65@n2");
}

/* What runs counts in the QOS that it runs with: 2 runs with low, whose one job it is, and 3 waits for it. */
Test(ctl_qos_list, what_runs_counts_where_it_runs, .fini = fini)
{
	run(MAIN, BASIC P, "Name|Priority|GrpJobs\nnormal|0|\nlow|5|1\nhigh|10|1\n",
		"1 0 100" U "high -N1 -t2" X "\n2 5 60" U "low,high -N1 -t2" X "\n3 6 60" U "low -N1 -t2" X
		"\n");
	cw_expect(&w, "1:0-100@n1 2:5-65@n2 3:65-125@n2");
}

/* What is submitted counts in the highest: while 2 runs, with low, high has its two, and 3 is refused. 4
 * comes when 2 is over. */
Test(ctl_qos_list, what_is_submitted_counts_in_the_highest, .fini = fini)
{
	run(MAIN, BASIC P, "Name|Priority|GrpJobs|GrpSubmit\nnormal|0||\nlow|5||\nhigh|10|1|2\n",
		"1 0 100" U "high -N1 -t2" X "\n2 5 60" U "low,high -N1 -t2" X "\n3 10 60" U "high -N1 -t2" X
		"\n4 70 60" U "high -N1 -t2" X "\n");
	cr_expect_eq(cw_start(&w, "2"), 5);
	cr_expect_eq(cw_state(&w, "3"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "4"), 100);
}

/* Limits on what is submitted are those of the highest: that low lets nobody in, is no matter. */
Test(ctl_qos_list, limits_on_submissions_are_those_of_the_highest, .fini = fini)
{
	run(MAIN, BASIC P, "Name|Priority|MaxSubmitPU\nnormal|0|\nlow|5|0\nhigh|10|\n",
		"1 0 100" U "low,high -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n1");
	cw_end(&w);
	run(MAIN, BASIC P, "Name|Priority|MaxSubmitPU\nnormal|0|\nlow|5|\nhigh|10|0\n",
		"1 0 100" U "low,high -N1 -t2" X "\n");
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
}

/* It preempts with the one that may. */
Test(ctl_qos_list, it_preempts_with_one_that_may, .fini = fini)
{
	static const char qos[] = "Name|Priority|Preempt|PreemptMode\nnormal|0||cluster\nlow|5||cancel\n"
				  "high|10|low|cluster\n";
	static const char more[] = BASIC "PreemptType=preempt/qos\nPreemptMode=CANCEL\n" P;
	run(MAIN, more, qos, "1 0 100" U "low -N4 -t2" X "\n2 5 60" U "low,high -N4 -t2" X "\n");
	cr_expect_eq(cw_state(&w, "1"), SL_PREEMPTED);
	cr_expect_eq(cw_start(&w, "2"), 5);
}

/* ---- Who is refused */

static enum sl_state state_with(const char *policy, const char *list)
{
	char jobs[200];
	w = (struct ctl_world){ .policy = policy };
	w.accounts =
		"Cluster|Account|User|QOS\nc|root||normal\nc|a||normal,low,high\nc|a|u1|normal,low,high\n";
	(void)snprintf(jobs, sizeof(jobs), "1 0 100 user=u1 account=a -N1 -t2 --mem=100 --qos=%s\n", list);
	run(MAIN, BASIC P, ONE_HIGH, jobs);
	const enum sl_state state = cw_state(&w, "1");
	cw_end(&w);
	return state;
}

Test(ctl_qos_list, each_has_to_be_known_and_allowed_and_there_are_two)
{
	static const struct {
		const char *list;
		enum sl_state before, since; /* 24.11. */
	} cases[] = {
		{ "low,high", SL_CANCELLED, SL_COMPLETED }, /* Before, it was a name, and nobody's. */
		{ "low,,high,", SL_CANCELLED, SL_COMPLETED },
		{ "low,unknown", SL_CANCELLED, SL_CANCELLED },
		{ "low,mid", SL_CANCELLED, SL_CANCELLED }, /* Its account may not have mid. */
		{ "low,", SL_CANCELLED, SL_CANCELLED },
		{ "low,low", SL_CANCELLED, SL_CANCELLED },
		{ "low", SL_COMPLETED, SL_COMPLETED },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const enum sl_state before = state_with("slurm:version=24.05", cases[i].list);
		const enum sl_state since = state_with("slurm:version=24.11", cases[i].list);
		cr_expect_eq(before, cases[i].before, "%s: %d before 24.11", cases[i].list, (int)before);
		cr_expect_eq(since, cases[i].since, "%s: %d from 24.11 on", cases[i].list, (int)since);
	}
}

/* Where nothing is enforced one alone may be unknown, one of a list may not. */
Test(ctl_qos_list, of_a_list_each_has_to_be_known_whatever_is_enforced, .fini = fini)
{
	w.accounts = "Cluster|Account|User|QOS\nc|root||normal\nc|a||normal\nc|a|u1|normal\n";
	run(MAIN, "AccountingStorageEnforce=none\n" BASIC P, ONE_HIGH,
		"1 0 100" U "unknown -N1 -t2" X "\n2 0 100" U "low,unknown -N1 -t2" X "\n3 0 100" U
		"low,high -N1 -t2" X "\n");
	cr_expect_eq(cw_state(&w, "1"), SL_COMPLETED);
	cr_expect_eq(cw_state(&w, "2"), SL_CANCELLED);
	cr_expect_eq(cw_state(&w, "3"), SL_COMPLETED);
}

/* ---- Partitions */

/* The partition denies high: the job runs with low. Under EnforcePartLimits it would have to allow both. */
Test(ctl_qos_list, a_partition_that_denies_one, .fini = fini)
{
	static const char jobs[] = "1 0 100" U "low,high -N1 -t2" X "\n2 5 60" U "high -N1 -t2 -p q" X "\n";
	static const char parts[] =
		"PartitionName=p Nodes=ALL Default=YES DenyQos=high\nPartitionName=q Nodes=ALL\n";
	char more[300];
	(void)snprintf(more, sizeof(more), BASIC "%s", parts);
	run(MAIN, more, ONE_HIGH, jobs);
	cw_expect(&w, "1:0-100@n1 2:5-65@n2");
	cw_end(&w);
	(void)snprintf(more, sizeof(more), BASIC "EnforcePartLimits=ALL\n%s", parts);
	run(MAIN, more, ONE_HIGH, jobs);
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "2"), 5);
}

/* So would the lower one, under EnforcePartLimits. */
Test(ctl_qos_list, a_partition_that_denies_the_lower_one, .fini = fini)
{
	run(MAIN,
		BASIC "EnforcePartLimits=ALL\nPartitionName=p Nodes=ALL Default=YES DenyQos=low\n"
		      "PartitionName=q Nodes=ALL\n",
		ONE_HIGH, "1 0 100" U "low,high -N1 -t2" X "\n2 5 60" U "high -N1 -t2" X "\n");
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "2"), 5);
}

/* As it is submitted it is tested with each: that the partition denies high is no reason to wait. */
Test(ctl_qos_list, a_submission_is_tested_with_each, .fini = fini)
{
	run(MAIN, BASIC "PartitionName=p Nodes=ALL Default=YES DenyQos=high\n", ONE_HIGH,
		"1 0 100" U "low -N4 -t2" X "\n2 5 60" U "low,high -N4 -t2" X "\n");
	cr_expect(!strstr(cw_reasons(&w, "2"), "PartitionConfig"), "%s", cw_reasons(&w, "2"));
	cw_expect(&w, "1:0-100@n[1-4] 2:100-160@n[1-4]");
}

/* Ten minutes are beyond the partition's five, but with long: it starts with that, though another is higher.
 */
Test(ctl_qos_list, a_flag_of_one_of_them_lets_it_beyond_a_limit, .fini = fini)
{
	w.accounts = "Cluster|Account|User|QOS\nc|root||normal\nc|a||long,high\nc|a|u1|long,high\n";
	run(MAIN, BASIC "PartitionName=p Nodes=ALL Default=YES MaxTime=5\n",
		"Name|Priority|GrpJobs|Flags\nnormal|0||\nlong|5|1|PartitionTimeLimit\nhigh|10||\n",
		"1 0 100" U "high,long -N1 -t10" X "\n2 5 60" U "long -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n1 2:100-160@n1");
}

/* ---- The order of the queue */

/* 3 and 4 come together while 1 has high. In two partitions each pair stands by its own QOS: 4, of mid, goes
 * before 3 with low. In one, 3 stands by what it was submitted with, high, and starts with low before 4. */
Test(ctl_qos_list, pairs_stand_by_their_own_priority_in_several_partitions, .fini = fini)
{
	static const char jobs[] = "1 0 200" U "high -N1 -t4" X "\n3 10 60" U "low,high -N3 -t2 %s" X
				   "\n4 10 60" U "mid -N3 -t2" X "\n";
	char text[400];
	(void)snprintf(text, sizeof(text), jobs, "-p p,q");
	run(MAIN, MULTI PQ, ONE_HIGH, text);
	cw_expect(&w, "1:0-200@n1 3:70-130@n[2-4] 4:10-70@n[2-4]");
	cw_end(&w);
	(void)snprintf(text, sizeof(text), jobs, "-p p");
	run(MAIN, MULTI PQ, ONE_HIGH, text);
	cw_expect(&w, "1:0-200@n1 3:10-70@n[2-4] 4:70-130@n[2-4]");
}

/* In one partition it stands by its last try from then on, which was with low: 4, of mid, goes before it at
 * 100. */
Test(ctl_qos_list, in_one_partition_it_stands_where_its_last_try_left_it, .fini = fini)
{
	run(MAIN, MULTI P, ONE_HIGH,
		"1 0 200" U "high -N1 -t4" X "\n2 0 100" U "low -N3 -t2" X "\n3 50 60" U "low,high -N3 -t2" X
		"\n4 60 60" U "mid -N3 -t2" X "\n");
	cw_expect(&w, "1:0-200@n1 2:0-100@n[2-4] 3:160-220@n[2-4] 4:100-160@n[2-4]");
}

/* none has no priority: its pair has what the QOS adds that the job is tried with, which at submission is
 * high. So 3 goes before 4 with none. */
Test(ctl_qos_list, one_without_priority_has_that_of_the_one_tried, .fini = fini)
{
	run(MAIN, MULTI PQ, ONE_HIGH,
		"1 0 200" U "high -N1 -t4" X "\n3 10 60" U "none,high -N3 -t2 -p p,q" X "\n4 10 60" U
		"mid -N3 -t2" X "\n");
	cw_expect(&w, "1:0-200@n1 3:10-70@n[2-4] 4:70-130@n[2-4]");
}

/* ---- Arrays */

/* The main pass does not tell the records of an array's tasks apart by QOS: what high has refused is not
 * tried with low. Backfill does. */
Test(ctl_qos_list, the_main_pass_tries_no_second_one_of_an_array, .fini = fini)
{
	static const char jobs[] = "1 0 100" U "high -N1 -t2" X "\n2_1 5 60" U "low,high -N1 -t2" X
				   "\n2_2 5 60" U "low,high -N1 -t2" X "\n";
	run(MAIN, BASIC P, ONE_HIGH, jobs);
	cw_expect(&w, "1:0-100@n1 2_1:100-160@n1 2_2:160-220@n1");
	cw_end(&w);
	run(BRISK, BASIC P, ONE_HIGH, jobs);
	cr_expect_leq(cw_start(&w, "2_1"), 6);
	cr_expect_leq(cw_start(&w, "2_2"), 6);
}

/* ---- Backfill */

/* It starts with the one that its record is for: 1 has high, and 2 waits for it. */
Test(ctl_qos_list, backfill_tries_the_highest_first, .fini = fini)
{
	run("bf_interval=1,bf_resolution=1,sched_interval=-1", BASIC P, ONE_HIGH,
		"1 0 100" U "low,high -N1 -t2" X "\n2 5 60" U "high -N1 -t2" X "\n");
	cr_expect_geq(cw_start(&w, "2"), 100);
}

/* Each record keeps nodes, unless bf_one_resv_per_job: 2 has two plans behind 1, and 3 is planned behind
 * both. */
Test(ctl_qos_list, each_record_is_planned, .fini = fini)
{
	static const char jobs[] = "1 0 100" U "low -N4 -t2" X "\n2 5 60" U "low,high -N4 -t1" X "\n3 10 60" U
				   "low -N4 -t1" X "\n";
	run(BRISK, BASIC P, ONE_HIGH, jobs);
	cr_expect(strstr(cw_reported(&w), "plan 3 240"), "%s", cw_reported(&w));
	cw_end(&w);
	run(BRISK ",bf_one_resv_per_job", BASIC P, ONE_HIGH, jobs);
	cr_expect(strstr(cw_reported(&w), "plan 3 180"), "%s", cw_reported(&w));
}

/* ---- Operators */

/* At 10 it may have low as well, and starts with that. One of an unknown name changes nothing, and neither
 * does a list before 24.11. */
Test(ctl_qos_list, an_update_makes_a_list, .fini = fini)
{
	static const char jobs[] = "1 0 100" U "high -N1 -t2" X "\n2 5 60" U "high -N1 -t2" X "\n";
	w.commands = "10 scontrol update JobId=2 QOS=high,low\n";
	run(MAIN, BASIC P, ONE_HIGH, jobs);
	cw_expect(&w, "1:0-100@n1 2:10-70@n2");
	cw_end(&w);
	w.commands = "10 scontrol update JobId=2 QOS=high,unknown\n";
	run(MAIN, BASIC P, ONE_HIGH, jobs);
	cw_expect(&w, "1:0-100@n1 2:100-160@n1");
	cw_end(&w);
	w.policy = "slurm:version=24.05";
	w.commands = "10 scontrol update JobId=2 QOS=high,low\n";
	run(MAIN, BASIC P, ONE_HIGH, jobs);
	cw_expect(&w, "1:0-100@n1 2:100-160@n1");
}

/* low is what 3 was tried with last: that it is to have low alone changes nothing, and at 100 it takes high.
 */
Test(ctl_qos_list, an_update_to_the_one_that_was_tried_leaves_the_list, .fini = fini)
{
	w.commands = "20 scontrol update JobId=3 QOS=low\n";
	run(MAIN, BASIC P, ONE_HIGH,
		"1 0 100" U "high -N1 -t2" X "\n2 0 100" U "low -N3 -t2" X "\n3 5 60" U "low,high -N1 -t2" X
		"\n4 90 60" U "high -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n1 2:0-100@n[2-4] 3:100-160@n1 4:160-220@n1");
}

/* A priority set by hand is that of the job, which its next try takes from its pairs again: of one partition,
 * none of these has it. 3 was let before 4 at 60, was tried with low at once, and goes behind it. */
Test(ctl_qos_list, a_priority_set_by_hand_is_not_that_of_its_pairs, .fini = fini)
{
	w.commands = "60 scontrol update JobId=3 Priority=100000\n";
	run(MAIN, MULTI P, ONE_HIGH,
		"1 0 200" U "high -N1 -t4" X "\n2 0 100" U "low -N3 -t2" X "\n3 50 60" U "low,high -N3 -t2" X
		"\n4 50 60" U "mid -N3 -t2" X "\n");
	cw_expect(&w, "1:0-200@n1 2:0-100@n[2-4] 3:160-220@n[2-4] 4:100-160@n[2-4]");
}
