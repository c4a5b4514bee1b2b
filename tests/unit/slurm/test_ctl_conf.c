/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_conf.c - what slurm.conf says, as the controller reads it.
 */
#include <criterion/criterion.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define NODES "NodeName=n[1-4] CPUs=4 RealMemory=4000\nPartitionName=p Nodes=ALL Default=YES\n"

Test(ctl_conf, world, .fini = fini)
{
	w = (struct ctl_world){ .conf = CW_BRISK NODES, .jobs = "1 0 100 -N 2\n7_2 5 60 user=u1 -t 3\n" };
	const struct ctl *c = cw_make(&w);
	cr_expect_eq(c->now, CW_T0);
	cr_expect_eq(c->epoch, CW_T0);
	cr_expect_eq(w.scenario.jobs.count, 2);
	cr_expect_eq(cw_row(&w, "7_2"), 1);
}
