/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_passes.c - SchedulerParameters that bound a pass, each with what happens without it. Four nodes,
 * all jobs have them to themselves. Schedules read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define BRISK    "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN     "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define BACKFILL "bf_interval=1,bf_resolution=1,sched_interval=-1"
#define X        " --exclusive --mem=100 "

static void run_by(const char *policy, const char *params, const char *jobs)
{
	static char text[4000];
	cw_end(&w);
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\nLicenses=a:1\n"
		"NodeName=n[1-4] CPUs=4 RealMemory=4000\nPartitionName=p Nodes=ALL Default=YES\n",
		params);
	w = (struct ctl_world){ .conf = text, .jobs = jobs, .policy = policy, .check = true };
	cw_run(&w);
}

static void run(const char *params, const char *jobs) { run_by(NULL, params, jobs); }

/* bf_licenses: who lacks a licence ends the main pass (own-80), else only itself waits. */
Test(ctl_passes, who_lacks_a_licence_ends_the_main_pass, .fini = fini)
{
	static const char jobs[] =
		"1 0 50 -N1 -t2 -L a" X "\n2 5 20 -N1 -t1 -L a" X "\n3 10 30 -N1 -t1" X "\n";
	run(MAIN, jobs);
	cw_expect(&w, "1:0-50@n1 2:50-70@n1 3:10-40@n2");
	run(MAIN ",bf_licenses", jobs);
	cw_expect(&w, "1:0-50@n1 2:50-70@n1 3:50-80@n2");
}

/* What could be nobody's plan is nobody's obstacle: 4 may run over the time in which 3 would have all nodes.
 */
Test(ctl_passes, so_many_of_a_partition_reserve, .fini = fini)
{
	static const char jobs[] =
		"1 0 100 -N3 -t3" X "\n2 4 30 -N3 -t2" X "\n3 8 30 -N4 -t2" X "\n4 12 30 -N1 -t10" X "\n";
	run(BRISK, jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-3] 3:130-160@n[1-4] 4:160-190@n1");
	run(BRISK ",bf_job_part_count_reserve=1", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-3] 3:130-160@n[1-4] 4:12-42@n4");
}

/* 2's plan splits time in three: the table is full for 3's, and no job behind it is tried. */
Test(ctl_passes, a_full_plan_ends_the_backfill, .fini = fini)
{
	static const char jobs[] =
		"1 0 100 -N3 -t3" X "\n2 4 30 -N4 -t2" X "\n3 8 40 -N2 -t4" X "\n4 12 30 -N1 -t1" X "\n";
	run(BRISK, jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-4] 3:130-170@n[1-2] 4:12-42@n4");
	run(BRISK ",bf_node_space_size=3", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-4] 3:130-170@n[1-2] 4:130-160@n3");
}

#define PLANNED "1:0-90@n[1-4] 2:90-120@n[1-3] 3:120-150@n[1-2] 4:150-180@n[1-3] 5:180-210@n[1-2] "

/* At 90 the backfill alone starts 2, which has its nodes to itself: they are in the plan until 150. So 5
 * finds too few nodes until 4, planned from 210 to 270, is over, and 6 has n4 for its minute. Where the main
 * pass starts 2, or 2 is not alone on its nodes, only the end of 2 counts: 5 is planned at 150 on n3 and n4,
 * and 6 would be in its way. */
Test(ctl_passes, whole_nodes_that_backfill_gives_are_in_its_plan, .fini = fini)
{
	static const char jobs[] = "1 0 90 -N4 -t2" X "\n2 4 30 -N3 -t1" X "\n3 5 30 -N2 -t1" X
				   "\n4 6 30 -N3 -t1" X "\n5 7 30 -N2 -t1" X "\n6 8 20 -N1 -t1" X "\n";
	static const char shared[] = "1 0 90 -N4 -t2" X "\n2 4 30 -N3 -n12 -t1 --mem=100\n3 5 30 -N2 -t1" X
				     "\n4 6 30 -N3 -t1" X "\n5 7 30 -N2 -t1" X "\n6 8 20 -N1 -t1" X "\n";
	run(BACKFILL, jobs);
	cw_expect(&w, PLANNED "6:90-110@n4");
	run(BRISK, jobs);
	cw_expect(&w, PLANNED "6:120-140@n4");
	run_by("slurm:version=22.05,first=backfill", BRISK, jobs); /* Both passes are due at 90. */
	cw_expect(&w, PLANNED "6:90-110@n4");
	run(BACKFILL, shared);
	cw_expect(&w, PLANNED "6:120-140@n4");
}

/* bf_max_job_test counts jobs: 3 is tried now and behind 2, and 4 is the third (own-88). */
Test(ctl_passes, jobs_are_counted_not_tries, .fini = fini)
{
	static const char jobs[] =
		"1 0 100 -N3 -t3" X "\n2 4 30 -N4 -t2" X "\n3 8 40 -N2 -t4" X "\n4 12 30 -N1 -t1" X "\n";
	run(BRISK ",bf_max_job_test=3,bf_node_space_size=100", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-4] 3:130-170@n[1-2] 4:12-42@n4");
	run(BRISK ",bf_max_job_test=2,bf_node_space_size=100", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-130@n[1-4] 3:130-170@n[1-2] 4:130-160@n3");
}

Test(ctl_passes, partition_depth_says_priority, .fini = fini)
{
	run(MAIN ",partition_job_depth=1", "1 0 50 -N4 -t2" X "\n2 4 20 -N4 -t1" X "\n3 8 20 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-50@n[1-4] 2:50-70@n[1-4] 3:70-90@n1");
	cr_expect_str_eq(cw_reasons(&w, "2"), "Resources");
}
