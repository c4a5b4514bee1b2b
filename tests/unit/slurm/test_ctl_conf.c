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

/* The parameter, else what scontrol said of itself: the release that it is, or the one that was followed
 * last; else, and where that is no release, 24.11. */
Test(ctl_conf, which_release, .fini = fini)
{
	static const struct {
		const char *conf, *policy;
		enum ctl_version want;
	} cases[] = {
		{ CW_BRISK NODES, "slurm:version=25.05", CTL_25_05 },
		{ "SLURM_VERSION=24.11.5\n" CW_BRISK NODES, "slurm", CTL_24_11 },
		{ "SLURM_VERSION=24.11.5\n" CW_BRISK NODES, "slurm:version=26.05", CTL_26_05 },
		{ "SLURM_VERSION=22.05.8\n" CW_BRISK NODES, "slurm", CTL_22_05 },
		{ "SLURM_VERSION=23.02.7\n" CW_BRISK NODES, "slurm", CTL_22_05 },
		{ "SLURM_VERSION=24.05.0-0rc1\n" CW_BRISK NODES, "slurm", CTL_24_05 },
		{ "SLURM_VERSION=20.11.9\n" CW_BRISK NODES, "slurm", CTL_22_05 },
		{ "SLURM_VERSION=26.11.0\n" CW_BRISK NODES, "slurm", CTL_26_05 },
		{ "SLURM_VERSION=master\n" CW_BRISK NODES, "slurm", CTL_24_11 },
		{ CW_BRISK NODES, "slurm", CTL_24_11 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){
			.conf = cases[i].conf, .jobs = "1 0 100 -N 2\n", .policy = cases[i].policy
		};
		cr_expect_eq(cw_make(&w)->params.version, cases[i].want, "case %zu: %d", i,
			(int)w.ctl.params.version);
	}
}
