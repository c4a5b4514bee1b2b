/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_limits.c - what limits let start and what they refuse, limit by limit, with slurmctld's words.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/world/limits_world.h"

static struct limits_world w;

static void fini(void) { lw_end(&w); }

/* The usual accounts, with one thing more. */
static void with(const char *kind, const char *name, const char *key, const char *value)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, kind, name, key, value);
	lw_ready(&w);
}

#define u1(cpus) lw_job(&w, "u1", "acc", NULL, cpus, 10)
#define u2(cpus) lw_job(&w, "u2", "acc", NULL, cpus, 10)
#define u3(cpus) lw_job(&w, "u3", "two", NULL, cpus, 10)
#define expect_try(job, word)                                                              \
	do {                                                                               \
		const char *said = lw_try(&w, job);                                        \
		cr_expect_str_eq(said, word, "line %d: %s, not %s", __LINE__, said, word); \
	} while (0)
#define expect_submit(job, word)                                                           \
	do {                                                                               \
		const char *said = lw_submit(&w, job);                                     \
		cr_expect_str_eq(said, word, "line %d: %s, not %s", __LINE__, said, word); \
	} while (0)

/* ---- Words: every limit of TRES, for every sort of TRES --------------------------------------------- */

static const struct {
	const char *key;
	bool qos;
	const char *word[LW_TRES]; /* cpu, mem, node, billing, gres, licence */
} words[] = {
	{ "GrpTRES", true,
		{ "QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpBilling", "QOSGrpGRES",
			"QOSGrpLicense" } },
	{ "GrpTRESRunMins", true,
		{ "QOSGrpCPURunMinutesLimit", "QOSGrpMemRunMinutes", "QOSGrpNodeRunMinutes",
			"QOSGrpBillingRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes" } },
	{ "MaxTRESMins", true,
		{ "QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemMinutesPerJob", "QOSMaxNodeMinutesPerJob",
			"QOSMaxBillingMinutesPerJob", "QOSMaxGRESMinutesPerJob",
			"QOSMaxLicenseMinutesPerJob" } },
	{ "MaxTRES", true,
		{ "QOSMaxCpuPerJobLimit", "QOSMaxMemPerJob", "QOSMaxNodePerJobLimit", "QOSMaxBillingPerJob",
			"QOSMaxGRESPerJob", "QOSMaxLicensePerJob" } },
	{ "MaxTRESPerNode", true,
		{ "QOSMaxCpuPerNode", "QOSMaxMemPerNode", NULL, "QOSMaxBillingPerNode", "QOSMaxGRESPerNode",
			"QOSMaxUnknownPerNode" } },
	{ "MaxTRESPA", true,
		{ "MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxNodePerAccount", "MaxBillingPerAccount",
			"MaxGRESPerAccount", "MaxLicensePerAccount" } },
	{ "MaxTRESPU", true,
		{ "QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxNodePerUserLimit",
			"QOSMaxBillingPerUser", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser" } },
	{ "GrpTRES", false,
		{ "AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpBilling",
			"AssocGrpGRES", "AssocGrpLicense" } },
	{ "GrpTRESRunMins", false,
		{ "AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes", "AssocGrpNodeRunMinutes",
			"AssocGrpBillingRunMinutes", "AssocGrpGRESRunMinutes",
			"AssocGrpLicenseRunMinutes" } },
	{ "MaxTRESMins", false,
		{ "AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob", "AssocMaxNodeMinutesPerJob",
			"AssocMaxBillingMinutesPerJob", "AssocMaxGRESMinutesPerJob",
			"AssocMaxLicenseMinutesPerJob" } },
	{ "MaxTRES", false,
		{ "AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
			"AssocMaxBillingPerJob", "AssocMaxGRESPerJob", "AssocMaxLicensePerJob" } },
	{ "MaxTRESPerNode", false,
		{ "AssocMaxCpuPerNode", "AssocMaxMemPerNode", NULL, "AssocMaxBillingPerNode",
			"AssocMaxGRESPerNode", "AssocMaxUnknownPerNode" } },
};

Test(ctl_limits, each_word_and_the_amount_that_is_just_allowed)
{
	static const char *const tres[LW_TRES] = { "cpu", "mem", "node", "billing", "gres/gpu",
		"license/lic" };
	for (size_t k = 0; k < SL_LEN(words); k++)
		for (uint32_t i = 0; i < LW_TRES; i++) {
			char value[40];
			const bool minutes = strstr(words[k].key, "Mins") != NULL;
			if (!words[k].word[i])
				continue;
			(void)snprintf(value, sizeof(value), "%s=%d", tres[i], minutes ? 30 : 3);
			with(words[k].qos ? "qos" : "association", words[k].qos ? "normal" : "acc/u1",
				words[k].key, value);
			struct ctl_job *job = u1(1);
			job->tres_asked[i] = 3; /* Ten minutes. */
			expect_try(job, "None");
			job->tres_asked[i] = 4;
			cr_expect_str_eq(lw_try(&w, job), words[k].word[i], "%s=%s: %s", words[k].key, value,
				lw_try(&w, job));
			lw_end(&w);
		}
}

Test(ctl_limits, minima, .fini = fini)
{
	static const char *const word[LW_TRES] = { "QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode",
		"QOSMinBilling", "QOSMinGRES", "QOSMinLicense" };
	with("qos", "normal", "MinTRES", "cpu=2,mem=2,node=2,billing=2,gres/gpu=2,license/lic=2");
	struct ctl_job *job = u1(1);
	memset(job->tres_asked, 0, sizeof(job->tres_asked));
	for (uint32_t i = 0; i < LW_TRES; i++) {
		expect_try(job, word[i]); /* None of it is less, too. */
		job->tres_asked[i] = 1;
		expect_try(job, word[i]);
		job->tres_asked[i] = 2;
	}
	expect_try(job, "None");
}

/* ---- What runs counts ------------------------------------------------------------------------------- */

Test(ctl_limits, a_users_tres_of_a_qos, .fini = fini)
{
	with("qos", "normal", "MaxTRESPU", "cpu=4");
	struct ctl_job *runs = u1(3);
	lw_start(&w, runs);
	expect_try(u1(2), "QOSMaxCpuPerUserLimit");
	expect_try(u1(1), "None");
	expect_try(u2(4), "None");                                   /* Another user's own; */
	expect_try(lw_job(&w, "u1", "acc", "other", 4, 10), "None"); /* and another QOS. */
	struct ctl_job *of_two = lw_job(&w, "u2", "two", NULL, 3, 10);
	lw_start(&w, of_two);
	expect_try(u2(2), "QOSMaxCpuPerUserLimit"); /* The user's, whatever the account. */
	lw_stop(&w, runs);
	expect_try(u1(4), "None");
}

Test(ctl_limits, an_accounts_tres_of_a_qos, .fini = fini)
{
	with("qos", "normal", "MaxTRESPA", "cpu=4");
	lw_start(&w, u1(3));
	expect_try(u2(2), "MaxCpuPerAccount");
	expect_try(u3(4), "None"); /* Account two is another, though below acc. */
}

Test(ctl_limits, a_group_of_a_qos_is_everybody, .fini = fini)
{
	with("qos", "normal", "GrpTRES", "gres/gpu=2");
	struct ctl_job *runs = u1(1);
	runs->tres_asked[LW_GPU] = 2;
	lw_start(&w, runs);
	struct ctl_job *job = u3(1);
	expect_try(job, "None");
	job->tres_asked[LW_GPU] = 1;
	expect_try(job, "QOSGrpGRES");
}

Test(ctl_limits, a_group_of_an_account_is_all_below_it, .fini = fini)
{
	with("association", "acc", "GrpTRES", "cpu=4");
	lw_start(&w, u3(3));
	expect_try(u1(2), "AssocGrpCpuLimit");
	expect_try(u1(1), "None");
	lw_end(&w);
	with("association", "two", "GrpTRES", "cpu=4");
	lw_start(&w, u1(3));
	expect_try(u3(4), "None"); /* What is above does not count. */
}

Test(ctl_limits, counts_of_running_jobs, .fini = fini)
{
	static const struct {
		const char *kind, *name, *key, *word_same, *word_mate, *word_far;
	} count[] = {
		{ "qos", "normal", "GrpJobs", "QOSGrpJobsLimit", "QOSGrpJobsLimit", "QOSGrpJobsLimit" },
		{ "qos", "normal", "MaxJobsPU", "QOSMaxJobsPerUserLimit", "None", "None" },
		{ "qos", "normal", "MaxJobsPA", "MaxJobsPerAccount", "MaxJobsPerAccount", "None" },
		{ "association", "acc", "GrpJobs", "AssocGrpJobsLimit", "AssocGrpJobsLimit",
			"AssocGrpJobsLimit" },
		{ "association", "acc", "MaxJobs", "AssocMaxJobsLimit", "None", "None" },
	};
	for (size_t i = 0; i < SL_LEN(count); i++) {
		with(count[i].kind, count[i].name, count[i].key, "1");
		expect_try(u1(1), "None");
		lw_start(&w, u1(1));
		expect_try(u1(1), count[i].word_same);
		expect_try(u2(1), count[i].word_mate);
		expect_try(u3(1), count[i].word_far);
		if (i + 1 < SL_LEN(count))
			lw_end(&w);
	}
}

Test(ctl_limits, nodes_that_are_shared_count_once, .fini = fini)
{
	with("qos", "normal", "MaxTRESPU", "node=1");
	struct ctl_job *runs = u1(1);
	runs->alloc = &w.alloc[0];
	w.alloc[0] = (struct select_alloc){ .node_count = 1, .node_alloc = w.node_alloc[0] };
	w.node_alloc[0][0].node = 3;
	lw_start(&w, runs);
	struct ctl_job *job = u1(1);
	const struct select_alloc same = w.alloc[0];
	struct select_node_alloc elsewhere = { .node = 4 };
	const struct select_alloc other = { .node_count = 1, .node_alloc = &elsewhere };
	expect_try(job, "QOSMaxNodePerUserLimit"); /* Where it goes is not known. */
	cr_expect_eq(ctl_limits_post_on(&w.c, job, job->tres_asked, &same), SL_REASON_NONE);
	cr_expect_eq(ctl_limits_post_on(&w.c, job, job->tres_asked, &other), SL_REASON_QOS_MAX_NODE_USER);
	struct ctl_job *beside = u1(1);
	beside->alloc = &w.alloc[0];
	lw_start(&w, beside);
	lw_stop(&w, runs); /* One is left there. */
	cr_expect_eq(ctl_limits_post_on(&w.c, job, job->tres_asked, &other), SL_REASON_QOS_MAX_NODE_USER);
	lw_stop(&w, beside);
	cr_expect_eq(ctl_limits_post_on(&w.c, job, job->tres_asked, &other), SL_REASON_NONE);
}

/* ---- Walls ------------------------------------------------------------------------------------------ */

Test(ctl_limits, too_long_waits_and_no_limit_gets_the_wall, .fini = fini)
{
	with("association", "acc", "MaxWall", "10");
	expect_submit(lw_job(&w, "u1", NULL, NULL, 1, 20), "None"); /* Not refused, */
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 20), "AssocMaxWallDurationPerJobLimit");
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, CTL_NEVER), "AssocMaxWallDurationPerJobLimit");
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 10), "None");
	struct ctl_job *unresponsive = lw_job(&w, "u1", NULL, NULL, 1, CTL_NONE);
	expect_submit(unresponsive, "None");
	cr_expect_eq(unresponsive->time_limit, 10);
	expect_try(unresponsive, "None");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify account acc set MaxWall=5"));
	expect_try(unresponsive, "None"); /* It never said 10. */
	lw_end(&w);
	with("qos", "normal", "MaxWall", "10");
	expect_try(u1(1), "None");
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 11), "QOSMaxWallDurationPerJobLimit");
}

Test(ctl_limits, group_walls_count_whole_minutes_used, .fini = fini)
{
	with("qos", "normal", "GrpWall", "20");
	w.c.qos[0].grp_used_wall = 19 * 60 + 59;
	expect_try(u1(1), "None");
	w.c.qos[0].grp_used_wall = 20 * 60;
	expect_try(u1(1), "QOSGrpWallLimit");
	w.c.qos[0].grp_used_wall = 10 * 60;
	w.c.params.enforce_safe = true;
	expect_try(u1(1), "None"); /* 10 and 10. */
	w.c.qos[0].grp_used_wall = 11 * 60;
	expect_try(u1(1), "QOSGrpWallLimit");
	lw_end(&w);
	with("association", "acc", "GrpWall", "20");
	w.c.assoc[ctl_account_of(&w.c, ctl_assoc_of(&w.c, "u1", "acc", NULL))].grp_used_wall = 1200;
	expect_try(u3(1), "AssocGrpWallLimit");
}

/* ---- Minutes ---------------------------------------------------------------------------------------- */

Test(ctl_limits, minutes_used_keep_when_they_are_used_up, .fini = fini)
{
	static const struct {
		const char *kind, *name, *word;
	} of[] = { { "qos", "normal", "QOSGrpCPUMinutesLimit" },
		{ "association", "acc", "AssocGrpCPUMinutesLimit" } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		with(of[i].kind, of[i].name, "GrpTRESMins", "cpu=6");
		const uint32_t acc = ctl_account_of(&w.c, ctl_assoc_of(&w.c, "u1", "acc", NULL));
		double *used = i ? w.c.assoc[acc].usage_tres : w.c.qos[0].usage_tres;
		expect_try(u1(1), "None"); /* 10 minutes are more than 6; only what was used counts. */
		used[CTL_TRES_CPU] = 359;
		expect_try(u1(1), "None");
		used[CTL_TRES_CPU] = 360;
		expect_try(u1(1), of[i].word);
		/* safe: what may still be used counts. */
		w.c.params.enforce_safe = true;
		used[CTL_TRES_CPU] = 0;
		expect_try(u1(1), of[i].word);
		expect_try(lw_job(&w, "u1", "acc", NULL, 1, 6), "None");
		lw_start(&w, lw_job(&w, "u2", "acc", NULL, 1, 4));
		expect_try(lw_job(&w, "u1", "acc", NULL, 1, 3), of[i].word);
		expect_try(lw_job(&w, "u1", "acc", NULL, 1, 2), "None");
		used[CTL_TRES_CPU] = 60;
		expect_try(lw_job(&w, "u1", "acc", NULL, 1, 2), of[i].word);
		expect_try(lw_job(&w, "u1", "acc", NULL, 1, 1), "None");
		if (i == 0)
			lw_end(&w);
	}
}

Test(ctl_limits, minutes_of_running_limits_fall_with_the_decay_thread, .fini = fini)
{
	/* CLAUSES.md 7, run 73: 9 cpu minutes, two jobs of 2 cpus and 2 minutes; 2 more are too many. */
	with("association", "acc", "GrpTRESRunMins", "cpu=9");
	struct ctl_job *a = lw_job(&w, "u1", "acc", NULL, 2, 2);
	struct ctl_job *b = lw_job(&w, "u1", "acc", NULL, 2, 2);
	struct ctl_job *job = lw_job(&w, "u1", "acc", NULL, 2, 1);
	lw_start(&w, a);
	expect_try(b, "None");
	lw_start(&w, b);
	expect_try(job, "AssocGrpCPURunMinutesLimit");
	ctl_limits_ran(&w.c, a, 0, 29);
	expect_try(job, "None"); /* 8 minutes less 58 seconds are 7 whole ones. */
	struct ctl_job *longer = lw_job(&w, "u1", "acc", NULL, 3, 1);
	expect_try(longer, "AssocGrpCPURunMinutesLimit");
	ctl_limits_ran(&w.c, a, 29, 61);
	expect_try(longer, "None");
	ctl_limits_ran(&w.c, a, 61, 1000); /* Never below none. */
	lw_stop(&w, a);
	expect_try(lw_job(&w, "u1", "acc", NULL, 5, 1), "None");
	expect_try(lw_job(&w, "u1", "acc", NULL, 6, 1), "AssocGrpCPURunMinutesLimit");
	b->time_limit = 1;
	ctl_limits_alter(&w.c, b, 2);
	expect_try(lw_job(&w, "u1", "acc", NULL, 7, 1), "None");
	lw_stop(&w, b);
	const uint32_t acc = ctl_account_of(&w.c, a->assoc);
	cr_expect_eq(w.c.assoc[acc].used->run_secs[CTL_TRES_CPU], 0);
}

Test(ctl_limits, the_usage_factor_counts_where_it_is_safe, .fini = fini)
{
	with("qos", "normal", "UsageFactor", "2");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set GrpTRESRunMins=cpu=15"));
	expect_try(u1(1), "None");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set Flags=UsageFactorSafe"));
	expect_try(u1(1), "QOSGrpCPURunMinutesLimit");
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 7), "None");
	lw_start(&w, lw_job(&w, "u2", "acc", NULL, 1, 4));
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 4), "QOSGrpCPURunMinutesLimit");
	expect_try(lw_job(&w, "u1", NULL, NULL, 1, 3), "None");
}

Test(ctl_limits, running_jobs_end_when_minutes_are_used_up, .fini = fini)
{
	with("qos", "normal", "GrpTRESMins", "cpu=6");
	struct ctl_job *job = u1(1);
	lw_start(&w, job);
	w.c.qos[0].usage_tres[CTL_TRES_CPU] = 359;
	cr_expect_not(ctl_limits_timed_out(&w.c, job));
	cr_expect(ctl_limits_watched(&w.c, job));
	struct ctl_job *free = lw_job(&w, "u2", "acc", "other", 1, 1);
	lw_start(&w, free);
	cr_expect_not(ctl_limits_watched(&w.c, free));
	w.c.qos[0].usage_tres[CTL_TRES_CPU] = 360;
	cr_expect(ctl_limits_timed_out(&w.c, job));
	w.c.params.enforce_safe = true;
	cr_expect_not(ctl_limits_timed_out(&w.c, job));
	lw_end(&w);
	with("association", "acc/u1", "MaxTRESMins", "cpu=10");
	job = u1(2);
	lw_start(&w, job);
	w.c.now = 5 * 60 - 1; /* 4 whole minutes. */
	cr_expect_not(ctl_limits_timed_out(&w.c, job));
	w.c.now = 5 * 60;
	cr_expect(ctl_limits_timed_out(&w.c, job));
	job->suspended = 60;
	cr_expect_not(ctl_limits_timed_out(&w.c, job));
	lw_end(&w);
	with("association", "root", "GrpWall", "1"); /* Root's do not end jobs. */
	job = u1(1);
	lw_start(&w, job);
	w.c.assoc[0].grp_used_wall = 600;
	cr_expect_not(ctl_limits_timed_out(&w.c, job));
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify account acc set GrpWall=1"));
	w.c.assoc[ctl_account_of(&w.c, job->assoc)].grp_used_wall = 60;
	cr_expect(ctl_limits_timed_out(&w.c, job));
}

/* ---- Who goes first --------------------------------------------------------------------------------- */

Test(ctl_limits, the_partitions_qos_then_the_jobs_then_the_associations, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "partition", "p", "QOS", "part");
	lw_report(&w, "qos", "part", "MaxTRESPU", "cpu=5");
	lw_report(&w, "qos", "normal", "MaxTRESPU", "cpu=3,gres/gpu=1");
	lw_report(&w, "qos", "normal", "MaxTRES", "cpu=8");
	lw_report(&w, "association", "acc/u1", "MaxTRES", "cpu=1,gres/gpu=0");
	lw_ready(&w);
	expect_try(u1(5), "None"); /* The partition's 5, not 3; and of a job the QOS's 8, not 1. */
	expect_try(u1(6), "QOSMaxCpuPerUserLimit");
	struct ctl_job *elsewhere = u1(4);
	elsewhere->part = 1;
	expect_try(elsewhere, "QOSMaxCpuPerUserLimit"); /* q has no QOS. */
	struct ctl_job *gpus = u1(1);
	gpus->tres_asked[LW_GPU] = 1;
	expect_try(gpus, "AssocMaxGRESPerJob"); /* TRES by TRES: no QOS has a limit of a job's GPUs. */
	gpus->tres_asked[LW_GPU] = 2;
	expect_try(gpus, "QOSMaxGRESPerUser");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set Flags=OverPartQOS"));
	expect_try(u1(4), "QOSMaxCpuPerUserLimit"); /* Now the job's. */
}

Test(ctl_limits, counts_of_a_qos_replace_those_of_associations, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "qos", "normal", "MaxJobsPU", "3");
	lw_report(&w, "qos", "normal", "MaxSubmitPU", "3");
	lw_report(&w, "qos", "normal", "GrpJobs", "9");
	lw_report(&w, "association", "acc", "MaxJobs", "0");
	lw_report(&w, "association", "acc", "MaxSubmit", "0");
	lw_report(&w, "association", "acc", "GrpJobs", "0");
	lw_ready(&w);
	expect_submit(u1(1), "None");
	expect_try(u1(1), "None");
	expect_try(lw_job(&w, "u1", "acc", "other", 1, 1), "AssocMaxJobsLimit"); /* Its own before acc's. */
	expect_submit(lw_job(&w, "u1", "acc", "other", 1, 1), "AssocMaxSubmitJobLimit");
}

Test(ctl_limits, the_limit_factor_widens_limits_of_associations, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "qos", "other", "LimitFactor", "2");
	lw_report(&w, "association", "acc", "GrpTRES", "cpu=4");
	lw_ready(&w);
	expect_try(u1(5), "AssocGrpCpuLimit");
	expect_try(lw_job(&w, "u1", "acc", "other", 8, 1), "None");
	expect_try(lw_job(&w, "u1", "acc", "other", 9, 1), "AssocGrpCpuLimit");
}

Test(ctl_limits, a_threshold_of_fair_share, .fini = fini)
{
	with("qos", "normal", "UsageThres", "0.5");
	struct ctl_job *job = u1(1);
	expect_try(job, "None");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set Flags=EnforceUsageThreshold"));
	w.c.assoc[job->assoc].fs_factor = 0.25;
	expect_try(job, "QOSUsageThreshold");
	w.c.assoc[job->assoc].fs_factor = 0.5;
	expect_try(job, "None");
}

Test(ctl_limits, most_nodes_and_least_priority, .fini = fini)
{
	enum sl_reason why;
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc", "MaxTRES", "node=6");
	lw_report(&w, "association", "two", "GrpTRES", "node=4");
	lw_report(&w, "qos", "other", "MaxTRESPU", "node=3");
	lw_report(&w, "association", "acc", "MinPrioThresh", "50");
	lw_ready(&w);
	struct ctl_job *job = u1(1);
	expect_try(job, "None");
	cr_expect_eq(ctl_limits_nodes_max_of(&w.c, job, &why), 6);
	cr_expect_eq(why, SL_REASON_ASSOC_MAX_NODE_JOB);
	cr_expect_eq(ctl_limits_prio_least(&w.c, job), 50);
	job = u3(1);
	expect_try(job, "None");
	cr_expect_eq(ctl_limits_nodes_max_of(&w.c, job, &why), 4);
	cr_expect_eq(why, SL_REASON_ASSOC_GRP_NODE);
	job = lw_job(&w, "u3", "two", "other", 1, 1);
	expect_try(job, "None");
	cr_expect_eq(ctl_limits_nodes_max_of(&w.c, job, &why), 3);
	cr_expect_eq(why, SL_REASON_QOS_MAX_NODE_USER);
	cr_expect_eq(ctl_limits_nodes_max_of(&w.c, job, &why), 3);
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify account acc,two set MaxTRES=node=1") == false);
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify account acc set MaxTRES=node=1"));
	cr_expect_eq(ctl_limits_nodes_max_of(&w.c, job, &why), 3); /* A QOS that has said it. */
}

Test(ctl_limits, nothing_holds_without_enforcement, .fini = fini)
{
	with("qos", "normal", "GrpTRES", "cpu=0");
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set GrpSubmit=0"));
	w.c.params.enforce_limits = false;
	expect_submit(u1(1), "None");
	expect_try(u1(1), "None");
	lw_start(&w, u1(1));
	cr_expect_eq(w.c.qos[0].used->jobs, 0);
}
