/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_limits_releases.c - limits that came with a release of Slurm: before it, and from it on.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/world/limits_world.h"

static struct limits_world w;

static void fini(void) { lw_end(&w); }

static void usual(enum ctl_version version)
{
	lw_begin(&w);
	lw_usual(&w);
	w.c.params.version = version;
}

#define u1(cpus)              lw_job(&w, "u1", "acc", NULL, cpus, 10)
#define u2(cpus)              lw_job(&w, "u2", "acc", NULL, cpus, 10)
#define expect_is(said, word) cr_expect_str_eq(said, word, "line %d: %s, not %s", __LINE__, said, word)

Test(ctl_limits_releases, run_minutes_of_a_user_and_of_an_account, .fini = fini)
{
	static const enum ctl_version version[] = { CTL_23_11, CTL_24_05 };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		const bool looks = version[i] >= CTL_24_05;
		if (i)
			lw_end(&w);
		usual(version[i]);
		lw_report(&w, "qos", "normal", "MaxTRESRunMinsPU", "cpu=50");
		lw_report(&w, "qos", "normal", "MaxTRESRunMinsPA", "cpu=90");
		lw_ready(&w);
		lw_start(&w, u1(3));
		expect_is(lw_try(&w, u1(2)), "None"); /* 30 + 20 minutes of cpus. */
		expect_is(lw_try(&w, u1(3)), looks ? "QOSMaxCpuPerUserLimit" : "None");
		lw_start(&w, u2(5));
		expect_is(lw_try(&w, u1(1)), "None"); /* 80 + 10 of the account. */
		expect_is(lw_try(&w, u1(2)), looks ? "MaxCpuPerAccount" : "None");
	}
}

/* A cluster of 40 cpus, 30 of them in p. */
static void relative(enum ctl_version version)
{
	usual(version);
	w.c.tres[CTL_TRES_CPU].total = 40;
	w.part[0].tres_total[CTL_TRES_CPU] = 30;
	lw_report(&w, "qos", "normal", "Flags", "Relative");
	lw_report(&w, "qos", "normal", "GrpTRES", "cpu=11");
}

Test(ctl_limits_releases, a_relative_qos_has_percents_of_the_cluster, .fini = fini)
{
	relative(CTL_23_11);
	lw_ready(&w);
	expect_is(lw_try(&w, u1(4)), "None"); /* 4.4, rounded down. */
	expect_is(lw_try(&w, u1(5)), "QOSGrpCpuLimit");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set GrpTRES=cpu=500"));
	expect_is(lw_try(&w, u1(40)), "None"); /* No more than all. */
	expect_is(lw_try(&w, u1(41)), "QOSGrpCpuLimit");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set Flags-=Relative"));
	expect_is(lw_try(&w, u1(41)), "None");
}

Test(ctl_limits_releases, before_it_relative_said_nothing, .fini = fini)
{
	relative(CTL_22_05);
	lw_ready(&w);
	expect_is(lw_try(&w, u1(11)), "None");
	expect_is(lw_try(&w, u1(12)), "QOSGrpCpuLimit");
}

Test(ctl_limits_releases, a_relative_qos_of_a_partition_is_of_what_that_has_and_no_jobs, .fini = fini)
{
	relative(CTL_23_11);
	lw_report(&w, "partition", "p", "QOS", "normal");
	lw_ready(&w);
	expect_is(lw_try(&w, lw_job(&w, "u1", "acc", "other", 3, 10)), "None"); /* 3.3 */
	expect_is(lw_try(&w, lw_job(&w, "u1", "acc", "other", 4, 10)), "QOSGrpCpuLimit");
	expect_is(lw_submit(&w, u1(1)), "InvalidQOS");
	expect_is(lw_submit(&w, lw_job(&w, "u1", "acc", "other", 1, 10)), "None");
}

Test(ctl_limits_releases, a_group_and_a_user_limit_of_two_qos_both_hold, .fini = fini)
{
	static const enum ctl_version version[] = { CTL_25_05, CTL_25_11 };
	for (size_t i = 0; i < SL_LEN(version); i++) {
		if (i)
			lw_end(&w);
		usual(version[i]);
		lw_report(&w, "partition", "p", "QOS", "part");
		lw_report(&w, "qos", "part", "GrpTRES", "cpu=9");
		lw_report(&w, "qos", "part", "Flags", "DenyOnLimit");
		lw_report(&w, "qos", "normal", "MaxTRESPU", "cpu=3");
		lw_ready(&w);
		expect_is(lw_submit(&w, u1(3)), "None");
		expect_is(lw_submit(&w, u1(4)), version[i] >= CTL_25_11 ? "QOSMaxCpuPerUserLimit" : "None");
		expect_is(lw_submit(&w, u1(10)), "QOSGrpCpuLimit");
	}
}
