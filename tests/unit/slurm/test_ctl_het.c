/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_het.c - heterogeneous jobs, on four nodes of four cpus, worked out by hand. Partition p is n[1-2],
 * q is n[3-4], all is all four. A heterogeneous job of the text is two or three lines, ID+0 and on, which the
 * reader makes one job of; schedules read "ID:START-END@NODES", with the nodes of all components.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl_bf.h"
#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define BRISK                   "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN                    "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define X                       " --exclusive --mem=100 "
#define HET(id, times, options) id "+0 " times " " options "\n" id "+1 " times " " options "\n"

static const char *conf_of(const char *params, const char *more)
{
	static char text[2000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\n"
		"NodeName=n[1-4] CPUs=4 RealMemory=4000\n"
		"PartitionName=p Nodes=n[1-2] Default=YES\nPartitionName=q Nodes=n[3-4]\n"
		"PartitionName=all Nodes=ALL\n%s",
		params, more);
	return text;
}

static void run(const char *params, const char *more, const char *jobs, const char *commands)
{
	w = (struct ctl_world){
		.conf = conf_of(params, more), .jobs = jobs, .commands = commands, .check = true
	};
	cw_run(&w);
}

/* ---- They start together ------------------------------------------------------------------------------- */

/* 3 starts when its second component can, though the first could from 60 on. Until then n[1-2] are kept for
 * it from 120 on (1's limit), later from now on: 4 is over before, 5 would not be. */
Test(ctl_het, together, .fini = fini)
{
	run(BRISK, "",
		"1 0 60 -p p -N1 -t2" X "\n2 0 100 -p q -N2 -t3" X
		"\n" HET("3", "5 40", "-p p -N2 -t2" X ": -p q -N1" X) "4 10 40 -p p -N1 -t1" X
								       "\n5 20 40 -p p -N1 -t2" X "\n",
		NULL);
	cw_expect(&w, "1:0-60@n1 2:0-100@n[3-4] 3:100-140@n[1-3] 4:10-50@n2 5:140-180@n1");
	cr_expect_str_eq(cw_reasons(&w, "3"), "Resources");
}

/* The second component is not tried before the first one's start: 100, by 1's limit; so 4, which is over by
 * then, goes before it though it is behind. The whole is planned for the last of them: 180, by 2's. */
Test(ctl_het, later_components_wait_for_earlier_ones, .fini = fini)
{
	run(BRISK, "",
		"1 0 60 -p p -N2 -t2" X "\n2 0 30 -p q -N1 -t3" X
		"\n" HET("3", "5 40", "-p p -N2 -t2" X ": -p q -N1" X) "4 10 50 -p q -N1 -t1" X "\n",
		NULL);
	cw_expect(&w, "1:0-60@n[1-2] 2:0-30@n3 3:60-100@n[1-3] 4:10-60@n4");
	cr_expect(strstr(cw_reported(&w), "5 plan 3 120"), "%s", cw_reported(&w));
}

/* Where the first has no place within bf_window, the second is not tried, and keeps nothing from 3. */
Test(ctl_het, none_where_one_has_no_place, .fini = fini)
{
	run(BRISK ",bf_window=2", "",
		"1 0 300 -p p -N2 -t5" X
		"\n" HET("2", "5 40", "-p p -N2 -t2" X ": -p q -N2" X) "3 10 30 -p q "
								       "-N2 -t5" X "\n",
		NULL);
	cw_expect(&w, "1:0-300@n[1-2] 2:300-340@n[1-4] 3:10-40@n[3-4]");
}

/* --time-min: 2 is planned for 300, so that 3, which would take ten minutes, is tried with its two. They are
 * its limit as it starts, and are over at 140: at the next look it ends, before 2. */
Test(ctl_het, time_min_is_tried_and_stretched, .fini = fini)
{
	run(BRISK, "",
		"1 0 290 -p p -N2 -t5" X "\n2 5 60 -p all -N4 -t2" X
		"\n" HET("3", "20 400", "-p q -N1 -t10 --time-min=2" X ": -p q -N1 -t10 --time-min=2" X),
		NULL);
	cw_expect(&w, "1:0-290@n[1-2] 2:290-350@n[1-4] 3:20-150@n[3-4]");
	cr_expect_eq(cw_state(&w, "3"), SL_TIMEOUT);
}

/* A node that one component has is not for another, though three of its cpus are left. */
Test(ctl_het, nodes_apart, .fini = fini)
{
	run(BRISK, "", HET("1", "0 40", "-p p -N1 -n1 -t2 : -p p -N1 -n1"), NULL);
	cw_expect(&w, "1:0-40@n[1-2]");
}

/* What one component lists is not for the others: the first, which is placed first, leaves n1 to the second.
 */
Test(ctl_het, listed_nodes_are_excluded_from_others, .fini = fini)
{
	w = (struct ctl_world){ .conf = conf_of(BRISK, ""),
		.jobs = HET("1", "0 40", "-p p -x n3 -N1 -n1 -t2 : -p p -w n1 -N1 -n1") };
	struct ctl *c = cw_make(&w);
	cr_expect_str_eq(ctl_het_component(c, &c->het[0], 0)->desc.desc->exclude, "n3,n1");
	cr_expect_str_eq(ctl_het_component(c, &c->het[0], 1)->desc.desc->exclude, "n3");
	cw_end(&w);
	run(BRISK, "", HET("1", "0 40", "-p p -N1 -n1 -t2 : -p p -w n1 -N1 -n1"), NULL);
	cw_expect(&w, "1:0-40@n[1-2]");
}

/* ---- Main passes ------------------------------------------------------------------------------- */

/* They start none, and go no further in a partition of which they have met a component: 3 waits, 4 does not.
 */
Test(ctl_het, main_pass_blocks, .fini = fini)
{
	run(MAIN, "",
		HET("1", "0 40", "-p p -N1 -t2" X ": -p p -N1" X) "2 5 30 -p p -N1 -t1" X
								  "\n3 5 30 -p q -N1 -t1" X "\n",
		NULL);
	cw_expect(&w, "1:-1--1@ 2:-1--1@ 3:5-35@n3");
	cr_expect_str_eq(cw_reasons(&w, "2"), "Priority");
}

/* From 24.11 on the pass ends with the second component in that partition: 3 waits, too. */
Test(ctl_het, main_pass_ends, .fini = fini)
{
	w = (struct ctl_world){ .conf = conf_of(MAIN, ""),
		.policy = "slurm:version=24.11,complete=0",
		.jobs = HET("1", "0 40", "-p p -N1 -t2" X ": -p p -N1" X) "2 5 30 -p p -N1 -t1" X
									  "\n3 5 30 -p q -N1 -t1" X "\n" };
	cw_run(&w);
	cw_expect(&w, "1:-1--1@ 2:-1--1@ 3:-1--1@");
}

/* ---- Submission -------------------------------------------------------------------------------- */

/* What one component is refused for, all are: more cpus than any node has, licences of another than the
 * leader, an array, no backfill. */
Test(ctl_het, refused_together, .fini = fini)
{
	run(BRISK, "Licenses=m:2\n",
		HET("1", "0 40", "-p p -N1 -t2 : -p q -N1 -n8") HET("2", "0 40",
			"-p p -N1 -t2 : -p q -N1 -L m") HET("3", "0 40", "-p p -N1 -t2 -L m : -p q -N1"),
		NULL);
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cr_expect_eq(cw_state(&w, "2"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "3"), 0);
	cw_end(&w);
	run(BRISK, "SchedulerType=sched/builtin\n", HET("1", "0 40", "-p p -N1 -t2 : -p q -N1"), NULL);
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
}

/* ---- One component, or all -------------------------------------------------------------------------------
 */

/* scancel of a component that waits does nothing, of one that runs ends it alone: 2 has its node at once. The
 * end of the first ends all. */
Test(ctl_het, cancelled_alone, .fini = fini)
{
	run(BRISK, "",
		"1 0 10 -p all -N4 -t1" X "\n" HET("2", "5 60", "-p p -N2 -t5" X ": -p q -N2" X) "3 15 40 -p "
												 "q -N2 "
												 "-t5" X "\n",
		"6 scancel 2+1\n30 scancel 2+1\n");
	cw_expect(&w, "1:0-10@n[1-4] 2:10-70@n[1-4] 3:30-70@n[3-4]");
}

/* With whole_hetjob any component is all of them. */
Test(ctl_het, cancelled_whole, .fini = fini)
{
	run(BRISK ",whole_hetjob", "",
		HET("1", "0 60", "-p p -N2 -t5" X ": -p q -N2" X) "2 5 40 -p p -N2 -t5" X "\n",
		"30 scancel 1+1\n");
	cw_expect(&w, "1:0-30@n[1-4] 2:30-70@n[1-2]");
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
}

/* A limit of its own ends a component alone, at the look of 90 s: 60 s are over at 60, on the look. */
Test(ctl_het, limit_of_its_own, .fini = fini)
{
	run(BRISK, "", HET("1", "0 150", "-p p -N1 -t5" X ": -p q -N2 -t1" X) "2 5 40 -p q -N2 -t5" X "\n",
		NULL);
	cw_expect(&w, "1:0-150@n[1,3-4] 2:60-100@n[3-4]");
}

/* scontrol requeue of the leader puts all back, those too that had ended; of another component none. */
Test(ctl_het, requeued_whole, .fini = fini)
{
	run(BRISK, "", HET("1", "0 60", "-p p -N1 -t5" X ": -p q -N1" X),
		"10 scancel 1+1\n20 scontrol requeue 1+1\n30 scontrol requeue 1\n");
	cr_expect_str_eq(cw_nodes(&w, "1"), "n[1,3]");
	cr_expect_eq(cw_stop(&w, "1"), 30 + 121 + 60, "%s", cw_schedule(&w));
}

/* A held component keeps all; what depends on the job goes by its leader. */
Test(ctl_het, held_and_depended_on, .fini = fini)
{
	run(BRISK, "",
		HET("1", "5 60", "-p p -N1 -t5" X ": -p q -N1" X) "2 5 40 -p q -N1 -d afterok:1 -t5" X "\n",
		"0 scontrol update partitionname=p state=down\n6 scontrol hold 1+1\n"
		"7 scontrol update partitionname=p state=up\n50 scontrol release 1+1\n");
	cw_expect(&w, "1:50-110@n[1,3] 2:110-150@n3");
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

#define ACCOUNTS                                                                                                    \
	"Cluster|Account|User|Partition|Share|QOS|Def QOS\nc|root||||normal,two|normal\nc|a||||normal,two|normal\n" \
	"c|a|u1|||normal,two|normal\n"

static void run_limited(const char *qos, const char *params, const char *jobs)
{
	w = (struct ctl_world){ .conf = conf_of(params, "AccountingStorageType=accounting_storage/slurmdbd\n"
							"AccountingStorageEnforce=limits,qos\n"),
		.accounts = ACCOUNTS,
		.qos = qos,
		.jobs = jobs };
	cw_run(&w);
}

/* MaxJobsPU=2: each component is a job, and together they are too many while 1 runs. */
Test(ctl_het, limits_of_all_together, .fini = fini)
{
	run_limited("Name|Priority|MaxJobsPU\nnormal|0|\ntwo|0|2\n", BRISK,
		"1 0 60 user=u1 account=a qos=two -p p -N1 -n1 -t2\n" HET(
			"2", "5 40 user=u1 account=a qos=two", "-p p -N1 -n1 -t2 : -p q -N1 -n1"));
	cw_expect(&w, "1:0-60@n1 2:60-100@n[1,3]");
	cr_expect(strstr(cw_reasons(&w, "2"), "QOSMaxJobsPerUserLimit"), "%s", cw_reasons(&w, "2"));
}

/* DenyOnLimit: 3 cpus and 3 are each no more than 4, together they are. */
Test(ctl_het, refused_for_all_together, .fini = fini)
{
	run_limited("Name|Priority|Flags|MaxTRES\nnormal|0||\ntwo|0|DenyOnLimit|cpu=4\n", BRISK,
		HET("1", "0 40 user=u1 account=a qos=two", "-p p -N1 -n3 -t2 : -p q -N1 -n3")
			HET("2", "0 40 user=u1 account=a qos=two", "-p p -N1 -n2 -t2 : -p q -N1 -n2"));
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "2"), 0);
}

/* ---- Parameters ------------------------------------------------------------------------------------- */

/* Backfill alone starts jobs here. 3+0 has priority 1000, 3+1 has 100, and 2, which wants the same nodes as
 * 3+1, has 400 (or 600): it goes first. With bf_hetjob_prio=max both stand at 1000, before 2; with avg at
 * 550, before 2 of 400 and behind that of 600; with min at 100. */
static const char *with_prio(const char *prio, int middle)
{
	static char params[200], parts[500];
	(void)snprintf(params, sizeof(params),
		"bf_interval=1,bf_resolution=1,sched_interval=-1,batch_sched_delay=0,defer%s", prio);
	(void)snprintf(parts, sizeof(parts),
		"PriorityType=priority/multifactor\nPriorityWeightPartition=1000\n"
		"AccountingStorageType=accounting_storage/none\n"
		"PartitionName=top Nodes=n[1-2] PriorityJobFactor=100\n"
		"PartitionName=middle Nodes=n[3-4] PriorityJobFactor=%d\n"
		"PartitionName=low Nodes=n[3-4] PriorityJobFactor=10\n",
		middle);
	w = (struct ctl_world){ .conf = conf_of(params, parts),
		.jobs = "1 0 50 -p q -N2 -t1" X "\n2 2 30 -p middle -N2 -t1" X
			"\n" HET("3", "5 30", "-p top -N1 -t1" X ": -p low -N2" X) };
	cw_run(&w);
	return cw_schedule(&w);
}

Test(ctl_het, prio, .fini = fini)
{
	static const char last[] = "2:50-80@n[3-4] 3:80-110@n[1,3-4]",
			  first[] = "2:80-110@n[3-4] 3:50-80@n[1,3-4]";
	static const struct {
		const char *prio;
		int middle;
		const char *expected;
	} ways[] = { { "", 40, last }, { ",bf_hetjob_prio=min", 40, last },
		{ ",bf_hetjob_prio=avg", 40, first }, { ",bf_hetjob_prio=avg", 60, last },
		{ ",bf_hetjob_prio=max", 60, first } };
	for (size_t i = 0; i < SL_LEN(ways); i++) {
		const char *schedule = with_prio(ways[i].prio, ways[i].middle);
		cr_expect(strstr(schedule, ways[i].expected), "%s: %s", ways[i].prio, schedule);
		cw_end(&w);
	}
	(void)with_prio("", 40); /* For fini. */
}

/* bf_max_job_start=1: jobs that a pass starts on its way count before heterogeneous ones at its end: 1 starts
 * with the next pass. With bf_hetjob_immediate it starts as its last component is planned. */
Test(ctl_het, at_the_end_of_the_pass, .fini = fini)
{
	static const char jobs[] =
		HET("1", "2 30", "-p p -N1 -t1" X ": -p q -N1" X) "2 2 30 -p q -N1 -t1" X "\n";
	run("bf_interval=10,bf_resolution=1,sched_interval=1000,batch_sched_delay=0,bf_max_job_start=1,defer",
		"", jobs, NULL);
	const int64_t late = cw_start(&w, "1");
	cw_end(&w);
	run("bf_interval=10,bf_resolution=1,sched_interval=1000,batch_sched_delay=0,bf_max_job_start=1,defer,"
	    "bf_hetjob_immediate",
		"", jobs, NULL);
	cr_expect_eq(
		late, cw_start(&w, "1") + 10, "%lld, %lld", (long long)late, (long long)cw_start(&w, "1"));
}

/* In q the other job is planned behind this one, in p before it: each would wait for the other. */
Test(ctl_het, deadlock, .fini = fini)
{
	w = (struct ctl_world){ .conf = conf_of(BRISK, ""),
		.jobs = HET("1", "0 30", "-p p -N1 : -p q -N1") HET("2", "0 30", "-p p -N1 : -p q -N1") };
	struct ctl *c = cw_make(&w);
	struct ctl_job *one[2], *two[2];
	for (uint32_t k = 0; k < 2; k++) {
		one[k] = ctl_het_component(c, &c->het[0], k);
		two[k] = ctl_het_component(c, &c->het[1], k);
	}
	ctl_het_pass_begin(c);
	cr_expect_not(ctl_het_deadlocks(c, one[0], c->now + 100));
	cr_expect_not(ctl_het_deadlocks(c, two[0], c->now + 10));
	cr_expect_not(ctl_het_deadlocks(c, two[1], c->now + 50));
	cr_expect(ctl_het_deadlocks(c, one[1], c->now + 20));
	cr_expect_not(ctl_het_deadlocks(c, one[1], c->now + 60));
}
