/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_releases.c - rules that came with a release of Slurm, as its release notes and source have them:
 * each on a cluster small enough to plan by hand, before the release and from it on. Schedules read
 * "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define X     " --exclusive --mem=100 "
#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"

/* Four nodes of four cpus; these SchedulerParameters, and further lines. */
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

static void run(const char *policy, const char *params, const char *more, const char *jobs)
{
	w = (struct ctl_world){ .policy = policy, .conf = conf(params, more), .jobs = jobs, .check = true };
	cw_run(&w);
}

#define expect_said(text) \
	cr_expect(strstr(cw_reported(&w), text), "%s\n  wanted in it: %s", cw_reported(&w), text)

/* ---- SchedulerParameters ------------------------------------------------------------------------------- */

Test(ctl_releases, requeue_delay_stands_for_the_life_of_credentials, .fini = fini)
{
	static const struct {
		const char *policy;
		int64_t delay;
	} of[] = { { "slurm:version=25.05", 121 }, { "slurm:version=25.11", 6 } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){ .policy = of[i].policy,
			.conf = conf(BRISK ",requeue_delay=5", ""),
			.jobs = "1 0 100 -N1\n" };
		cr_expect_eq(cw_make(&w)->params.requeue_delay, of[i].delay);
	}
}

Test(ctl_releases, with_defer_an_end_waits_as_a_submission_does, .fini = fini)
{
	/* The submission of 98 has its pass at once, and the end of 100 then waits until 98 + 7. */
	static const char jobs[] = "1 0 100 -N4 -t2" X "\n2 5 60 -N4 -t2" X "\n3 98 10 -N4 -t1" X "\n";
	run(NULL, "bf_interval=-1,batch_sched_delay=7", "", jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:100-160@n[1-4] 3:160-170@n[1-4]");
	cw_end(&w);
	run(NULL, "bf_interval=-1,batch_sched_delay=7,defer", "", jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:105-165@n[1-4] 3:165-175@n[1-4]");
	cr_expect_str_eq(cw_reasons(&w, "3"), "Resources+Priority+Resources",
		"nobody asks who goes before it: %s", cw_reasons(&w, "3"));
	cw_end(&w);
	run(NULL, "bf_interval=-1,batch_sched_delay=7,defer_batch", "", jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:105-165@n[1-4] 3:165-175@n[1-4]");
}

/* ---- Plans -----------------------------------------------------------------------------------------------
 */

Test(ctl_releases, a_plan_has_the_whole_of_the_slot_that_it_ends_in, .fini = fini)
{
	/* 2 is planned for 120 to 1020: until 600 in slots of 600 s that it fills, until 1200 in those that
	 * it begins; 3 comes behind it. */
	static const char jobs[] = "1 0 100 -N4 -t2" X "\n2 5 700 -N4 -t15" X "\n3 10 30 -N1 -t1" X "\n";
	run("slurm:version=23.11", "bf_resolution=600", "", jobs);
	expect_said("plan 2 120");
	expect_said("plan 3 600");
	cw_end(&w);
	run("slurm:version=24.05", "bf_resolution=600", "", jobs);
	expect_said("plan 2 120");
	expect_said("plan 3 1200");
}

Test(ctl_releases, a_plan_takes_one_slot_at_least, .fini = fini)
{
	/* 2 ends at 180, in the slot that it begins in, and has all of that: 3, which wants more than one
	 * slot, comes behind. */
	run("slurm:version=22.05", "bf_resolution=600", "",
		"1 0 100 -N4 -t2" X "\n2 5 50 -N4 -t1" X "\n3 10 30 -N1 -t15" X "\n");
	expect_said("plan 2 120");
	expect_said("plan 3 600");
}

Test(ctl_releases, jobs_on_other_nodes_do_not_put_a_plan_off, .fini = fini)
{
	/* 1 and 2 end in one batch, at 120 and 140; 3 gets the node of 1. */
	static const char jobs[] =
		"1 0 130 -N1 -t2 -pq" X "\n2 20 130 -N1 -t2 -pq" X "\n3 25 30 -N1 -t1 -pq" X "\n";
	run("slurm:version=24.11", BRISK, "PartitionName=q Nodes=n[1-2]\n", jobs);
	expect_said("25 plan 3 140");
	cw_end(&w);
	run("slurm:version=25.05", BRISK, "PartitionName=q Nodes=n[1-2]\n", jobs);
	expect_said("25 plan 3 120");
}

Test(ctl_releases, nodes_that_another_user_has_are_planned, .fini = fini)
{
	/* u2 has to wait until u1 has left. From 24.11 on that is in the plan, and 3 does not go before it.
	 */
	static const char more[] = "PartitionName=u Nodes=n[1-2] ExclusiveUser=YES\n";
	static const char jobs[] =
		"1 0 100 user=u1 -N2 -n2 -t2 -pu --mem=10\n2 5 60 user=u2 -N2 -n2 -t2 -pu --mem=10\n"
		"3 10 300 user=u1 -N2 -n2 -t10 -pu --mem=10\n";
	run("slurm:version=22.05", BRISK, more, jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:310-370@n[1-2] 3:10-310@n[1-2]");
	cw_end(&w);
	run("slurm:version=24.11", BRISK, more, jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-2] 3:160-460@n[1-2]");
}

Test(ctl_releases, a_start_may_use_up_bf_max_job_test, .fini = fini)
{
	/* 2 and the array's first task are two. */
	static const char jobs[] = "1 0 300 -N2 -t5" X "\n2 5 60 -N4 -t5" X "\n3_1 10 20 -a1-2 -N1 -t1" X
				   "\n3_2 10 20 -a1-2 -N1 -t1" X "\n";
	run("slurm:version=22.05", "bf_max_job_test=2", "", jobs);
	cw_expect(&w, "1:0-300@n[1-2] 2:300-360@n[1-4] 3_1:30-50@n3 3_2:30-50@n4");
	cw_end(&w);
	run("slurm:version=23.11", "bf_max_job_test=2", "", jobs);
	cw_expect(&w, "1:0-300@n[1-2] 2:300-360@n[1-4] 3_1:30-50@n3 3_2:60-80@n3");
}

Test(ctl_releases, tasks_that_run_count_where_an_array_reserves, .fini = fini)
{
	/* Three at once: two run, so one more is planned, and 3 finds a node beside it. Before, all of them
	 * were. */
	static const char jobs[] = "2_1 0 100 -a1-5%3 -N1 -t2 -pq" X "\n2_2 0 100 -a1-5%3 -N1 -t2 -pq" X
				   "\n2_3 0 100 -a1-5%3 -N1 -t2 -pq" X "\n2_4 0 100 -a1-5%3 -N1 -t2 -pq" X
				   "\n2_5 0 100 -a1-5%3 -N1 -t2 -pq" X "\n3 5 30 -N1 -t2 -pq" X "\n";
	run("slurm:version=22.05", BRISK, "PartitionName=q Nodes=n[1-2]\n", jobs);
	expect_said("plan 3 240");
	cw_end(&w);
	run("slurm:version=23.11", BRISK, "PartitionName=q Nodes=n[1-2]\n", jobs);
	expect_said("plan 3 120");
}

Test(ctl_releases, time_min_as_soft_limit_leaves_the_limit, .fini = fini)
{
	/* 2 is planned for 120. 3 starts beside it, as a minute may do. */
	static const char jobs[] =
		"1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 200 -N1 -t5 --time-min=1" X "\n";
	run("slurm:version=23.11", BRISK, "", jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:10-90@n3"); /* Ended by the look at 90. */
	cw_end(&w);
	run("slurm:version=23.11", BRISK ",time_min_as_soft_limit", "", jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:210-270@n[1-4] 3:10-210@n3");
	cw_end(&w);
	run("slurm:version=22.05", BRISK ",time_min_as_soft_limit", "", jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:10-90@n3");
}

Test(ctl_releases, licences_are_planned_free_at_the_soft_limit, .fini = fini)
{
	/* By its --time-min 1 is over at 60; past that, half of what is left of its limit. */
	run("slurm:version=23.11", BRISK ",bf_licenses,time_min_as_soft_limit", "Licenses=a:1\n",
		"1 0 300 -N1 -t10 --time-min=1 -L a" X "\n2 5 30 -N1 -t1 -L a" X "\n3 100 30 -N1 -t1 -L a" X
		"\n");
	expect_said("5 plan 2 60");
	expect_said("100 plan 2 350");
}

/* ---- Preemption ---------------------------------------------------------------------------------------- */

Test(ctl_releases, the_word_priority_of_preempt_mode, .fini = fini)
{
	/* In the queue of high the job is behind that of low, of an earlier submission: it may not preempt
	 * it. */
	static const char more[] = "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL,PRIORITY\n"
				   "PartitionName=high Nodes=ALL PriorityTier=9\n";
	static const char jobs[] = "1 0 100 -N4 -t2" X "\n2 10 30 -N1 -t1 -phigh" X "\n";
	run("slurm:version=24.11", BRISK, more, jobs);
	cw_expect(&w, "1:0-10@n[1-4] 2:10-40@n1");
	cw_end(&w);
	run("slurm:version=25.05", BRISK, more, jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:100-130@n1");
}

/* Nodes n1 and n2 have a, n3 and n4 b. */
static void run_features(const char *version, const char *jobs)
{
	static char text[2000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=bf_interval=-1,sched_interval=1,"
		"batch_sched_delay=0\nPreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
		"NodeName=n[1-2] CPUs=4 RealMemory=4000 Features=a\n"
		"NodeName=n[3-4] CPUs=4 RealMemory=4000 Features=b\n"
		"PartitionName=p Nodes=ALL Default=YES\nPartitionName=high Nodes=ALL PriorityTier=9\n");
	w = (struct ctl_world){ .policy = version, .conf = text, .jobs = jobs, .check = true };
	cw_run(&w);
}

Test(ctl_releases, before_26_05_a_feature_is_preempted_for_before_the_next_is_tried, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N2 -t2 -C a" X "\n2 10 30 -N1 -t1 -phigh -C [a|b]" X "\n";
	run_features("slurm:version=25.11", jobs);
	cw_expect(&w, "1:0-10@n[1-2] 2:10-40@n1");
	cw_end(&w);
	run_features("slurm:version=26.05", jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:10-40@n3");
}

/* Where none is free, those with the first feature go, though others are of no higher rank. */
Test(ctl_releases, since_26_05_features_are_preempted_for_in_turn, .fini = fini)
{
	run_features("slurm:version=26.05", "1 0 100 -N2 -t2 -C b" X "\n2 0 100 -N2 -t2 -C a" X
					    "\n3 10 30 -N1 -t1 -phigh -C [a|b]" X "\n");
	cw_expect(&w, "1:0-100@n[3-4] 2:0-10@n[1-2] 3:10-40@n1");
}

/* ---- Licences ------------------------------------------------------------------------------------------ */

#define MAIN "bf_interval=-1,sched_interval=1,batch_sched_delay=0"

/* 2 lacks its licence and 3 nodes as well: from 23.02 on the nodes count, and 2 blocks its partition; where
 * it lacks the licence alone it never does. */
Test(ctl_releases, licences_are_tested_where_there_are_nodes, .fini = fini)
{
	static const struct {
		const char *policy, *nodes, *want, *reason;
	} of[] = { { "slurm:version=22.05", "-N4", "1:0-100@n1 2:100-110@n[1-4] 3:6-16@n2", "Licenses" },
		{ "slurm:version=23.11", "-N4", "1:0-100@n1 2:100-110@n[1-4] 3:110-120@n1", "Resources" },
		{ "slurm:version=23.11", "-N3", "1:0-100@n1 2:100-110@n[1-3] 3:6-16@n2", "Licenses" } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		char jobs[200];
		if (i)
			cw_end(&w);
		(void)snprintf(jobs, sizeof(jobs),
			"1 0 100 -N1 -t2 -L a" X "\n2 5 10 %s -t2 -L a" X "\n3 6 10 -N1 -t1" X "\n",
			of[i].nodes);
		run(of[i].policy, MAIN, "Licenses=a:1\n", jobs);
		cw_expect(&w, of[i].want);
		cr_expect(strstr(cw_reasons(&w, "2"), of[i].reason), "%s", cw_reasons(&w, "2"));
	}
}

#define PREEMPT                                                                       \
	"Licenses=a:2,b:1\nPreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n" \
	"PartitionName=hi Nodes=ALL PriorityTier=2\n"

/* 1 has the two licences that 3 wants, on another node than 3 gets; 2, of the lowest rank as well, has
 * another one and stays. */
Test(ctl_releases, reclaim_licenses_preempts_for_licences, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N1 -t2 -L a:2" X "\n2 0 100 -N1 -t2 -L b" X
				   "\n3 5 10 -N1 -t1 -phi -L a -w n3" X "\n";
	static const struct {
		const char *policy, *more;
		int64_t start;
	} of[] = { { "slurm:version=22.05", PREEMPT "PreemptParameters=reclaim_licenses\n", 100 },
		{ "slurm:version=23.11", PREEMPT, 100 },
		{ "slurm:version=23.11", PREEMPT "PreemptParameters=reclaim_licenses\n", 5 } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		if (i)
			cw_end(&w);
		run(of[i].policy, MAIN, of[i].more, jobs);
		cr_expect_eq(cw_start(&w, "3"), of[i].start, "%s: %s", of[i].policy, cw_schedule(&w));
		cr_expect_eq(cw_start(&w, "2"), 0, "%s", cw_schedule(&w));
		cr_expect_eq(cw_stop(&w, "1") > 100, of[i].start == 5, "%s", cw_schedule(&w));
	}
}

/* ---- Partitions ---------------------------------------------------------------------------------------- */

Test(ctl_releases, an_account_that_a_partition_names_stands_for_those_below_it, .fini = fini)
{
	static const char accounts[] =
		"Cluster|Account|ParentName|User\nc|root||\nc|a|root|\nc|b|a|\nc|b||u1\nc|d|root|\nc|d||u2\n";
	static const char more[] =
		"AccountingStorageEnforce=associations\nPartitionName=in Nodes=ALL AllowAccounts=a\n"
		"PartitionName=out Nodes=ALL DenyAccounts=a\n";
	static const char jobs[] =
		"1 0 10 user=u1 account=b -N1 -t1 -pin" X "\n2 0 10 user=u1 account=b -N1 -t1 -pout" X
		"\n3 0 10 user=u2 account=d -N1 -t1 -pin" X "\n4 0 10 user=u2 account=d -N1 -t1 -pout" X "\n";
	static const struct {
		const char *policy;
		bool below;
	} of[] = { { "slurm:version=22.05", false }, { "slurm:version=23.11", true } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){
			.policy = of[i].policy, .conf = conf(BRISK, more), .jobs = jobs, .accounts = accounts
		};
		cw_run(&w);
		cr_expect_eq(cw_start(&w, "1") >= 0, of[i].below);
		cr_expect_eq(cw_start(&w, "2") >= 0, !of[i].below);
		cr_expect_eq(cw_start(&w, "3"), -1);
		cr_expect_geq(cw_start(&w, "4"), 0);
	}
}
