/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_begin.c - a run of policy slurm that begins in the middle of a log (replay.start=recorded), clause
 * by clause: what ran runs on where it ran, counts against what it counts against, and ends as it would have.
 * Times are seconds after T0; runs begin at 600.
 */
#include <criterion/criterion.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define NODES "NodeName=n[1-4] CPUs=4 RealMemory=4000\n"
#define PART  "PartitionName=p Nodes=ALL Default=YES\n"

static const char *const recorded[] = { "replay.start=recorded", NULL };

/* The first submission is at 0: --from counts from there. */
static void begun(const char *conf, const char *jobs)
{
	w.conf = conf;
	w.jobs = jobs;
	w.settings = recorded;
	w.from = "600";
	w.check = true;
	cw_run(&w);
}

/* 1 is where it was, 2 has its time from its own start, 3 waits for 1 with its own submission. */
Test(ctl_begin, runs_on_where_it_ran, .fini = fini)
{
	begun(CW_BRISK NODES PART, "1 0 900 start=100 nodes=n[3-4] -N2 --exclusive -t 60\n"
				   "2 10 800 start=200 nodes=n2 -N1 --exclusive -t 60\n"
				   "3 20 100 start=2000 -N2 --exclusive -t 60\n"
				   "4 700 50 -N1 --exclusive -t 60\n");
	cr_expect_eq(w.sim.result.unfit, 0);
	cw_expect(&w, "1:100-1000@n[3-4] 2:200-1000@n2 3:1000-1100@n[1-2] 4:700-750@n1");
}

/* Where nodes are not on record, or gone, it is where it fits. */
Test(ctl_begin, placed_where_no_nodes_are_on_record, .fini = fini)
{
	begun(CW_BRISK NODES PART, "1 0 900 start=100 -N2 --exclusive -t 60\n"
				   "2 10 800 start=200 nodes=x9 -N1 --exclusive -t 60\n");
	cw_expect(&w, "1:100-1000@n[1-2] 2:200-1000@n3");
}

/* What does not fit beside the others waits, and is counted. */
Test(ctl_begin, waits_where_it_does_not_fit, .fini = fini)
{
	begun(CW_BRISK NODES PART, "1 0 900 start=100 -N3 --exclusive -t 60\n"
				   "2 10 800 start=200 -N2 --exclusive -t 60\n");
	cr_expect_eq(w.sim.result.unfit, 1);
	cw_expect(&w, "1:100-1000@n[1-3] 2:1000-1800@n[1-2]");
}

/* 20 minutes from its start at 100, at the look behind that. */
Test(ctl_begin, ends_by_its_limit, .fini = fini)
{
	begun(CW_BRISK NODES PART, "1 0 9000 start=100 nodes=n1 -N1 -t 20\n");
	cw_expect(&w, "1:100-1320@n1");
	cr_expect_eq(cw_state(&w, "1"), SL_TIMEOUT);
}

/* Two licences, of which the one that runs has both. */
Test(ctl_begin, licences_are_in_use, .fini = fini)
{
	begun(CW_BRISK "Licenses=a:2\n" NODES PART, "1 0 900 start=100 nodes=n1 -n1 -L a:2 -t 60\n"
						    "2 10 50 start=2000 -n1 -L a:1 -t 60\n");
	cw_expect(&w, "1:100-1000@n1 2:1000-1050@n1");
}

#define ACCOUNTED                                                      \
	CW_BRISK "AccountingStorageType=accounting_storage/slurmdbd\n" \
		 "AccountingStorageEnforce=associations,limits,qos\n" NODES PART
#define TREE                                                              \
	"Cluster|Account|User|Share|GrpJobs|MaxJobs|QOS|Def QOS\n"        \
	"c|root|||||normal|\nc|acc||1||1|normal|\nc|acc|u1|1|||normal|\n" \
	"c|two||1|||normal|\nc|two|u2|1|||normal|\n"
#define QOS "Name|Priority\nnormal|0\n"

/* One job of the account at a time; each has all memory of its node. */
Test(ctl_begin, limits_are_in_use, .fini = fini)
{
	w.accounts = TREE;
	w.qos = QOS;
	begun(ACCOUNTED, "1 0 900 start=100 nodes=n1 user=u1 account=acc -n1 -t 60\n"
			 "2 10 50 start=2000 user=u1 account=acc -n1 -t 60\n"
			 "3 20 50 start=2000 user=u2 account=two -n1 -t 60\n");
	cw_expect(&w, "1:100-1000@n1 2:1000-1050@n1 3:600-650@n2");
}

/* u1 has used 500 s of 16 cpus by the beginning: u2, who came later and has used none, goes first. */
Test(ctl_begin, usage_counts_from_its_start, .fini = fini)
{
	w.accounts = "Cluster|Account|User|Share|QOS|Def QOS\n"
		     "c|root|||normal|\nc|acc||1|normal|\nc|acc|u1|1|normal|\n"
		     "c|two||1|normal|\nc|two|u2|1|normal|\n";
	w.qos = QOS;
	begun(ACCOUNTED "PriorityType=priority/multifactor\nPriorityWeightFairshare=1000\n"
			"PriorityCalcPeriod=1\n",
		"1 0 800 start=100 nodes=n[1-4] user=u1 account=acc -N4 --exclusive -t 60\n"
		"2 10 50 start=2000 user=u1 account=acc -N4 --exclusive -t 60\n"
		"3 20 50 start=2000 user=u2 account=two -N4 --exclusive -t 60\n");
	cw_expect(&w, "1:100-900@n[1-4] 2:950-1000@n[1-4] 3:900-950@n[1-4]");
}

/* What operators did before holds: 2 waits for its release. */
Test(ctl_begin, commands_before_it_count, .fini = fini)
{
	w.commands = "300 scontrol hold 2\n800 scontrol release 2\n";
	begun(CW_BRISK NODES PART, "1 0 900 start=100 nodes=n1 -n1 -t 60\n"
				   "2 10 50 start=2000 -n1 -t 60\n");
	cw_expect(&w, "1:100-1000@n1 2:800-850@n2");
}

/* A reservation that began before keeps its nodes; who ran there goes on. */
Test(ctl_begin, reservations_from_before_hold, .fini = fini)
{
	w.commands =
		"300 scontrol create reservation reservationname=r starttime=now duration=60 nodes=n[1-4] "
		"users=root flags=ignore_jobs\n3000 scontrol delete reservationname=r\n";
	begun(CW_BRISK NODES PART, "1 0 900 start=100 nodes=n1 -n1 -t 60\n"
				   "2 10 50 start=4000 -n1 -t 60\n");
	cw_expect(&w, "1:100-1000@n1 2:3000-3050@n1");
}
