/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_sched.c - which job starts when: main pass, backfill and their clock, clause by clause, on
 * clusters of whole nodes that are small enough to plan by hand. Schedules read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

/* slurm.conf with these SchedulerParameters, further lines, and a partition p of all four nodes. */
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
#define STOCK "bf_continue"
#define X     " --exclusive --mem=100 "

static void run(const char *params, const char *more, const char *jobs)
{
	w = (struct ctl_world){ .conf = conf(params, more), .jobs = jobs, .check = true };
	cw_run(&w);
}

/* ---- The main pass --------------------------------------------------------------------------------------
 */

Test(ctl_sched, who_does_not_fit_blocks_its_partition, .fini = fini)
{
	run(MAIN, "", "1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:160-190@n1");
	cr_expect_str_eq(cw_reasons(&w, "2"), "Resources");
	cr_expect_str_eq(cw_reasons(&w, "3"), "Priority+Resources");
}

Test(ctl_sched, another_partition_has_the_nodes_that_are_not_blocked, .fini = fini)
{
	run(MAIN, "PartitionName=q Nodes=n4\nPartitionName=r Nodes=n[3-4]\nPartitionName=s Nodes=n[1-3]\n",
		"1 0 100 -N3 -t2 -ps" X "\n2 5 60 -N3 -t2 -ps" X "\n3 10 30 -N1 -t1 -pr" X
		"\n4 20 30 -N2 -t1 -pr" X "\n5 30 30 -N1 -t1 -pr" X "\n");
	/* 4 lacks a node of its partition, and so blocks it: 5 waits behind it. */
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n[1-3] 3:10-40@n4 4:160-190@n[3-4] 5:190-220@n3");
	cr_expect_str_eq(cw_reasons(&w, "4"),
		"Resources+Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions+"
		"Resources");
	cr_expect_str_eq(
		cw_reasons(&w, "5"), "Resources+Priority+Resources"); /* At first no node was idle. */
}

Test(ctl_sched, listed_nodes_block_only_themselves, .fini = fini)
{
	run(MAIN, "", "1 0 100 -N1 -t2 -w n2" X "\n2 5 60 -N1 -t2 -w n2" X "\n3 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n2 2:100-160@n2 3:10-40@n1");
}

Test(ctl_sched, who_is_too_young_or_too_low_blocks_nobody, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n";
	run(MAIN ",bf_min_age_reserve=60", "", jobs);
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:10-40@n3");
	cw_end(&w);
	run(MAIN ",bf_min_prio_reserve=4294901759", "", jobs); /* That of the first. */
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:10-40@n3");
}

Test(ctl_sched, so_many_jobs_are_looked_at_in_between, .fini = fini)
{
	/* 2 and 3 are held back by a dependency of no depth: only who may run counts. The full pass at 60
	 * reaches job 5; the others see the first depth + 1. */
	run("bf_interval=-1,batch_sched_delay=0,default_queue_depth=1", "PartitionName=q Nodes=n4\n",
		"1 0 100 -N4 -t2" X "\n2 1 10 -N1 -t1" X "\n3 1 10 -N1 -t1" X "\n4 2 20 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-4] 2:100-110@n1 3:100-110@n2 4:110-130@n1");
}

Test(ctl_sched, tier_goes_before_priority, .fini = fini)
{
	run(BRISK, "PartitionName=high Nodes=ALL PriorityTier=5\n",
		"1 0 50 -N4 -t1" X "\n2 1 10 -N4 -t1" X "\n3 2 10 -N4 -t1 -phigh" X "\n");
	cw_expect(&w, "1:0-50@n[1-4] 2:60-70@n[1-4] 3:50-60@n[1-4]");
}

Test(ctl_sched, builtin_has_no_backfill, .fini = fini)
{
	run(BRISK, "SchedulerType=sched/builtin\n",
		"1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:160-190@n1");
}

Test(ctl_sched, several_partitions_the_first_that_can, .fini = fini)
{
	run(BRISK, "PartitionName=a Nodes=n1\nPartitionName=b Nodes=n2\n",
		"1 0 100 -N1 -t2 -pa" X "\n2 5 60 -N1 -t2 -pa,b" X "\n3 6 60 -N1 -t2 -pa,b" X "\n");
	cw_expect(&w, "1:0-100@n1 2:5-65@n2 3:65-125@n2");
}

Test(ctl_sched, tasks_of_an_array_in_a_row, .fini = fini)
{
	run(MAIN, "",
		"1_1 0 50 -a1-6 -N1 -t1" X "\n1_2 0 50 -a1-6 -N1 -t1" X "\n1_3 0 50 -a1-6 -N1 -t1" X
		"\n1_4 0 50 -a1-6 -N1 -t1" X "\n1_5 0 50 -a1-6 -N1 -t1" X "\n1_6 0 50 -a1-6 -N1 -t1" X "\n");
	cw_expect(&w, "1_1:0-50@n1 1_2:0-50@n2 1_3:0-50@n3 1_4:0-50@n4 1_5:50-100@n1 1_6:50-100@n2");
}

/* ---- Backfill ---------------------------------------------------------------------------------------------
 */

Test(ctl_sched, round_the_blocked_if_it_ends_before_its_plan, .fini = fini)
{
	/* 2 is planned for 120. 3 and 5 end before; 4 does not; 6 would end at it: it does not either. */
	run(BRISK, "",
		"1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n4 15 30 -N1 -t5" X
		"\n5 20 50 -N1 -t1" X "\n6 60 20 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:10-40@n3 4:160-190@n1 5:20-70@n4 6:160-180@n2");
}

Test(ctl_sched, everyone_reserves, .fini = fini)
{
	/* 3 is behind 2, and keeps 4 off although that would not delay 2. */
	run(BRISK, "",
		"1 0 120 -N3 -t2" X "\n2 8 60 -N3 -t1" X "\n3 12 60 -N4 -t2" X "\n4 16 100 -N1 -t4" X
		"\n5 24 50 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-120@n[1-3] 2:120-180@n[1-3] 3:180-240@n[1-4] 4:240-340@n1 5:24-74@n4");
}

Test(ctl_sched, none_that_is_too_young_or_whose_plan_is_too_far_reserves, .fini = fini)
{
	static const char jobs[] = "1 0 120 -N3 -t2" X "\n2 8 60 -N4 -t1" X "\n3 12 200 -N1 -t5" X "\n";
	run(BRISK ",bf_min_age_reserve=1000", "", jobs);
	cw_expect(&w, "1:0-120@n[1-3] 2:212-272@n[1-4] 3:12-212@n4");
	cw_end(&w);
	run(BRISK ",bf_window=1", "", jobs);
	cw_expect(&w, "1:0-120@n[1-3] 2:212-272@n[1-4] 3:12-212@n4");
	cw_end(&w);
	run(BRISK, "", jobs);
	cw_expect(&w, "1:0-120@n[1-3] 2:120-180@n[1-4] 3:180-380@n1");
}

Test(ctl_sched, plans_are_rounded_down, .fini = fini)
{
	/* 2 is planned for 2:10, its nodes are its own from 2:00 on. */
	static const char jobs[] = "1 10 110 -N3 -t2" X "\n2 15 60 -N4 -t1" X "\n3 65 20 -N1 -t1" X "\n";
	run(BRISK, "", jobs);
	cw_expect(&w, "1:10-120@n[1-3] 2:120-180@n[1-4] 3:65-85@n4");
	cw_end(&w);
	run("bf_interval=1,bf_resolution=60,sched_interval=1,batch_sched_delay=0", "", jobs);
	cw_expect(&w, "1:10-120@n[1-3] 2:120-180@n[1-4] 3:180-200@n1");
}

Test(ctl_sched, no_more_than_so_many_are_tried, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N3 -t2" X "\n2 5 60 -N4 -t2" X "\n3 6 60 user=u1 -N4 -t2" X
				   "\n4 10 30 user=u1 -N1 -t1" X "\n5 11 30 user=u2 -N1 -t1" X "\n";
	run(BRISK, "", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n[1-4] 3:160-220@n[1-4] 4:10-40@n4 5:40-70@n4");
	cw_end(&w);
	run(BRISK ",bf_max_job_user=1", "", jobs); /* 4 is its user's second. */
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n[1-4] 3:160-220@n[1-4] 4:220-250@n1 5:11-41@n4");
	cw_end(&w);
	run(BRISK ",bf_max_job_part=2", "", jobs);
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n[1-4] 3:160-220@n[1-4] 4:220-250@n1 5:220-250@n2");
}

Test(ctl_sched, time_min_is_tried_and_stretched, .fini = fini)
{
	/* 2 is planned for 300; 3 would take ten minutes, and starts with as much as there is: (300 - 20)
	 * / 60. */
	run(BRISK, "", "1 0 290 -N3 -t5" X "\n2 5 60 -N4 -t2" X "\n3 20 400 -N1 -t10 --time-min=2" X "\n");
	cw_expect(&w, "1:0-290@n[1-3] 2:290-350@n[1-4] 3:20-270@n4");
	cr_expect_eq(cw_state(&w, "3"), SL_TIMEOUT); /* 20 + 240, at the next look. */
}

Test(ctl_sched, licences_keep_without_blocking, .fini = fini)
{
	run(MAIN, "Licenses=a:1\n",
		"1 0 50 -N1 -t1 -L a" X "\n2 5 60 -N1 -t2 -L a" X "\n3 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-50@n1 2:50-110@n1 3:10-40@n2");
	cr_expect_str_eq(cw_reasons(&w, "2"), "Licenses");
}

/* ---- The clock
 * ------------------------------------------------------------------------------------------------ */

Test(ctl_sched, stock_parameters_make_jobs_wait_for_the_clockwork, .fini = fini)
{
	run(STOCK, "",
		"1 0 100 -N2 -t2" X "\n2 5 60 -N4 -t2" X "\n3 10 30 -N1 -t1" X "\n4 15 30 -N1 -t5" X
		"\n5 20 50 -N1 -t1" X "\n6 25 20 -N1 -t2" X "\n");
	cw_expect(&w, "1:0-100@n[1-2] 2:100-160@n[1-4] 3:30-60@n3 4:160-190@n1 5:30-80@n4 6:160-180@n2");
}

Test(ctl_sched, submissions_are_bundled, .fini = fini)
{
	run("bf_interval=-1,sched_interval=1000", "",
		"1 100 10 -N1 -t1" X "\n2 101 10 -N1 -t1" X "\n3 104 10 -N1 -t1" X "\n");
	cw_expect(&w, "1:100-110@n1 2:103-113@n2 3:106-116@n3");
}

/* Passes that are left out leave nothing out. */
Test(ctl_sched, unchanged_passes_do_nothing, .fini = fini)
{
	static const char *const params[] = { BRISK, STOCK,
		"bf_min_age_reserve=100,bf_interval=7,bf_resolution=13", "bf_interval=1,bf_window=2",
		"bf_max_job_test=2,bf_interval=3" };
	static char jobs[20000];
	static char first[20000];
	size_t len = 0;
	uint32_t x = 12345;
	for (unsigned i = 1; i <= 40; i++) {
		const unsigned at = 7 * i + (x >> 16) % 5;
		unsigned draw[4];
		for (size_t k = 0; k < SL_LEN(draw); k++)
			draw[k] = (x = x * 1103515245 + 12345) >> 16;
		const unsigned limit = 1 + draw[0] % 5;
		len += (size_t)snprintf(jobs + len, sizeof(jobs) - len, "%u %u %u user=u%u -N%u -t%u%s%s\n",
			i, at, 1 + draw[1] % (limit * 75), draw[2] % 3, 1 + draw[3] % 4, limit,
			draw[2] % 5 ? X : " --mem=100 -n3", draw[0] % 7 == 0 ? " --begin=now+90" : "");
	}
	for (size_t i = 0; i < SL_LEN(params); i++)
		for (int skip = 1; skip >= 0; skip--) {
			w = (struct ctl_world){ .conf = conf(params[i], ""),
				.jobs = jobs,
				.policy = skip ? "slurm" : "slurm:skip=0" };
			cw_run(&w);
			if (skip)
				(void)snprintf(first, sizeof(first), "%s", cw_schedule(&w));
			else
				cr_expect_str_eq(cw_schedule(&w), first, "%s", params[i]);
			cw_end(&w);
		}
	w.arena = NULL;
	w = (struct ctl_world){ .conf = conf(STOCK, ""), .jobs = "1 0 1 -N1 -t1\n" };
	cw_run(&w);
}
