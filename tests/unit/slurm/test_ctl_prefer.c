/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_prefer.c - options of sbatch that offer a choice: --prefer, lists of --nodes, kinds of
 * --exclusive, gres of --tres-per-task; on four nodes of four cpus, worked out by hand. Schedules read
 * "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN  "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define X     " --exclusive --mem=100 "
#define M     " --mem=100 "

static void run(const char *params, const char *more, const char *jobs)
{
	static char text[2000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\n"
		"NodeName=n[1-2] CPUs=4 RealMemory=4000 Features=a\n"
		"NodeName=n[3-4] CPUs=4 RealMemory=4000 Features=b\nPartitionName=p Nodes=ALL Default=YES\n%s",
		params, more);
	w = (struct ctl_world){ .conf = text, .jobs = jobs, .check = true };
	cw_run(&w);
}

/* ---- --prefer -------------------------------------------------------------------------------- */

/* Run x11. What is preferred is had at once or not at all; then any node will do. */
Test(ctl_prefer, now_or_not_at_all, .fini = fini)
{
	run(BRISK, "",
		"1 0 60 -N1 -t2 --prefer=b" X "\n2 4 60 -N1 -t2 --prefer=b" X "\n3 8 40 -N1 -t2 --prefer=b" X
		"\n4 12 40 -N1 -t2 --prefer=a -C a|b" X "\n5 16 40 -N2 -t2 --prefer=a" X
		"\n6 20 20 -n1 -t1 --prefer=b" M "\n");
	cw_expect(&w, "1:0-60@n3 2:4-64@n4 3:8-48@n1 4:12-52@n2 5:60-100@n[2-3] 6:48-68@n1");
}

/* prefer_list stands in the place of feature_list: both need not hold. */
Test(ctl_prefer, in_place_of_the_constraint, .fini = fini)
{
	run(BRISK, "", "1 0 60 -N1 -t2 --prefer=b -C a" X "\n2 5 60 -N2 -t2 --prefer=b -C a" X "\n");
	cw_expect(&w, "1:0-60@n3 2:5-65@n[1-2]");
}

/* In the main pass the entry with what is preferred goes first, and blocks the partition as any other that
 * does not fit: for the entry without, too. */
Test(ctl_prefer, blocks_in_the_main_pass, .fini = fini)
{
	run(MAIN, "", "1 0 100 -N2 -t2 -C b" X "\n2 5 30 -N1 -t1 --prefer=b" X "\n3 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[3-4] 2:100-130@n3 3:100-130@n4");
}

/* A plan is made for the entry without alone: for when 2 ends, not for when 1 does. */
Test(ctl_prefer, reserves_nothing, .fini = fini)
{
	run(BRISK, "",
		"1 0 100 -N2 -t3 -C b" X "\n2 0 50 -N2 -t1 -C a" X "\n3 5 30 -N1 -t1 --prefer=b" X "\n");
	cw_expect(&w, "1:0-100@n[3-4] 2:0-50@n[1-2] 3:50-80@n1");
	cr_expect(strstr(cw_reported(&w), "plan 3 60"), "%s", cw_reported(&w));
	cr_expect_null(strstr(cw_reported(&w), "plan 3 180"));
}

/* The tasks of an array are tried with what they prefer, then without, as one record. */
Test(ctl_prefer, tasks_of_an_array, .fini = fini)
{
	run(BRISK, "",
		"1_1 0 30 --array=1-3 -N1 -t1 --prefer=b" X "\n1_2 0 30 --array=1-3 -N1 -t1 --prefer=b" X
		"\n1_3 0 30 --array=1-3 -N1 -t1 --prefer=b" X "\n");
	cw_expect(&w, "1_1:0-30@n3 1_2:0-30@n4 1_3:0-30@n1");
}

/* ---- Lists of --nodes ------------------------------------------------------------------------ */

/* The largest size that fits now (job_size_bitmap); what lies between is none. */
Test(ctl_sizes, largest_that_fits, .fini = fini)
{
	run(BRISK, "", "1 0 100 -N1 -t2" X "\n2 5 30 --nodes=1,2,4 -t1" X "\n3 6 30 --nodes=2,4 -t1" X "\n");
	cw_expect(&w, "1:0-100@n1 2:5-35@n[2-3] 3:35-65@n[2-3]");
}

Test(ctl_sizes, ranges_with_steps, .fini = fini)
{
	run(BRISK, "",
		"1 0 10 --nodes=1-4:2 -t1" X "\n2 20 10 --nodes=2-4:2 -t1" X "\n3 40 10 --nodes=5,9 -t1" X
		"\n");
	cw_expect(&w, "1:0-10@n[1-3] 2:20-30@n[1-4] 3:-1--1@");
}

/* ---- --exclusive ----------------------------------------------------------------------------- */

Test(ctl_exclusive, topo_has_whole_nodes, .fini = fini)
{
	run(BRISK, "", "1 0 30 -n1 -t1 --exclusive=topo" M "\n2 5 30 -n1 -t1" M "\n");
	cw_expect(&w, "1:0-30@n1 2:5-35@n2");
}

/* Labels of mcs/user are users. */
Test(ctl_exclusive, mcs_of_users, .fini = fini)
{
	run(BRISK, "MCSPlugin=mcs/user\n",
		"1 0 30 user=u1 -n1 -t1 --exclusive=mcs" M "\n2 5 30 user=u2 -n1 -t1" M
		"\n3 6 30 user=u1 -n1 -t1" M "\n");
	cw_expect(&w, "1:0-30@n1 2:5-35@n2 3:6-36@n1");
}

Test(ctl_exclusive, mcs_without_labels, .fini = fini)
{
	run(BRISK, "", "1 0 30 user=u1 -n1 -t1 --exclusive=mcs" M "\n2 5 30 user=u2 -n1 -t1" M "\n");
	cw_expect(&w, "1:0-30@n1 2:5-35@n1");
}
