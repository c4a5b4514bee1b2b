/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_expedite.c - --requeue=expedite of 25.11: small schedules worked by hand. Four nodes, of which n1
 * goes DOWN at 20. Schedules read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define X       " --exclusive --mem=100 "
#define U       " user=u1 account=a "
#define P       "PartitionName=p Nodes=ALL Default=YES\n"
#define ENABLED "SlurmctldParameters=enable_expedited_requeue\n"

static void run(const char *version, const char *scheduler, const char *more, const char *jobs)
{
	static char text[2000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s,batch_sched_delay=0,requeue_delay=30\n"
		"NodeName=n[1-4] CPUs=4 RealMemory=4000\n%s",
		scheduler, more);
	w.conf = text;
	w.jobs = jobs;
	w.policy = version;
	w.check = true;
	w.commands = "20 scontrol update NodeName=n1 State=DOWN Reason=x\n";
	cw_run(&w);
}

#define MAIN     "bf_interval=-1,sched_interval=1"
#define BACKFILL "bf_interval=1,bf_resolution=1,sched_interval=-1"

#define JOBS(requeue) \
	"1 0 50 -N2 -t2" X requeue "\n2 0 60 -N2 -t2" X "\n3 5 100 -N1 -t2" X "\n4 30 100 -N2 -t3" X "\n"

/* n2 is free at 20 and is kept for 1, so that 3, which came before, waits; at 60 1 has n2 and another for 50
 * seconds, and 3 the last. Requeued as usual, or before 25.11, it keeps none: 3 has n2 at once. */
Test(ctl_expedite, it_goes_first_and_its_nodes_wait, .fini = fini)
{
	static const char *const by[] = { MAIN, BACKFILL };
	for (size_t i = 0; i < SL_LEN(by); i++) {
		run("slurm:version=25.11,complete=0", by[i], ENABLED P, JOBS("--requeue=expedite"));
		cr_expect_eq(cw_stop(&w, "1"), 110, "%s: %s", by[i], cw_schedule(&w));
		cr_expect_eq(cw_start(&w, "3"), 60, "%s: %s", by[i], cw_schedule(&w));
		cr_expect_str_eq(cw_nodes(&w, "1"), "n[2-3]");
		cw_end(&w);
	}
	run("slurm:version=25.11,complete=0", MAIN, ENABLED P, JOBS("--requeue"));
	cr_expect_eq(cw_start(&w, "3"), 20, "%s", cw_schedule(&w));
	cw_end(&w);
	run("slurm:version=25.05,complete=0", MAIN, ENABLED P, JOBS("--requeue=expedite"));
	cr_expect_eq(cw_start(&w, "3"), 20, "%s", cw_schedule(&w));
}

/* Two nodes are free at 20, and it starts on them at once, not after the 30 seconds of requeue_delay. */
Test(ctl_expedite, without_a_delay, .fini = fini)
{
	run("slurm:version=25.11,complete=0", MAIN, ENABLED P, "1 0 50 -N2 -t2" X "--requeue=expedite\n");
	cr_expect_eq(cw_stop(&w, "1"), 70, "%s", cw_schedule(&w));
	cw_end(&w);
	run("slurm:version=25.11,complete=0", MAIN, ENABLED P, "1 0 50 -N2 -t2" X "--requeue\n");
	cr_expect_geq(cw_stop(&w, "1"), 100, "%s", cw_schedule(&w));
}

/* 5 is of the same user, who may have one job at a time, and runs from 20 on: 1 starts beside it at 60. */
Test(ctl_expedite, limits_do_not_keep_it, .fini = fini)
{
	w.accounts = "Cluster|Account|User|MaxJobs\nc|root||\nc|a||\nc|a|u1|1\nc|a|u2|\n";
	run("slurm:version=25.11,complete=0", MAIN,
		ENABLED "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=limits\n"
			"PartitionName=p Nodes=n[1-3] Default=YES\nPartitionName=q Nodes=n4\n",
		"1 0 50" U "-N2 -t2" X "--requeue=expedite\n2 0 60 user=u2 account=a -N1 -t2" X "\n5 5 200" U
		"-N1 -t4 -p q" X "\n");
	cr_expect_eq(cw_start(&w, "5"), 20, "%s", cw_schedule(&w));
	cr_expect_eq(cw_stop(&w, "1"), 110, "%s", cw_schedule(&w));
}

/* Where it is not enabled such a job is refused, from 25.11 on. */
Test(ctl_expedite, it_has_to_be_enabled, .fini = fini)
{
	run("slurm:version=25.11,complete=0", MAIN, P, JOBS("--requeue=expedite"));
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cw_end(&w);
	run("slurm:version=25.05,complete=0", MAIN, P, JOBS("--requeue=expedite"));
	cr_expect_eq(cw_state(&w, "1"), SL_COMPLETED);
}
