/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_acct.c - sacctmgr's tree and QOS: what its columns set, what is handed down, and the association
 * of a job.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/world/limits_world.h"

static struct limits_world w;

static void fini(void) { lw_end(&w); }

static const struct ctl_assoc *of(const char *user, const char *account, const char *partition)
{
	const uint32_t row = ctl_assoc_of(&w.c, user, account, partition);
	cr_assert_neq(row, CTL_NO_ROW, "%s of %s", user, account);
	return &w.c.assoc[row];
}

static const struct ctl_qos *qos(const char *name)
{
	const uint32_t row = ctl_qos_named(&w.c, name, strlen(name));
	cr_assert_neq(row, CTL_NO_ROW, "%s", name);
	return &w.c.qos[row];
}

/* ---- The tree */

Test(ctl_acct, parents_come_first_and_roots_user_is_always_there, .fini = fini)
{
	lw_begin(&w);
	lw_report(&w, "association", "deep/u1", "User", "u1");
	lw_report(&w, "association", "deep", "ParentName", "mid");
	lw_report(&w, "association", "mid", "ParentName", "root");
	lw_ready(&w);
	cr_assert_eq(w.c.assoc_count, 5);
	cr_expect_str_eq(w.c.assoc[0].account, "root");
	cr_expect_eq(w.c.assoc[0].parent, CTL_NO_ROW);
	for (uint32_t i = 1; i < 5; i++)
		cr_expect_lt(w.c.assoc[i].parent, i);
	const struct ctl_assoc *u1 = of("u1", "deep", NULL);
	cr_expect_str_eq(w.c.assoc[u1->parent].account, "deep");
	cr_expect_str_eq(w.c.assoc[w.c.assoc[u1->parent].parent].account, "mid");
	cr_expect_eq(w.c.assoc[of("root", "root", NULL)->parent].child_count, 2);
	cr_expect_eq(u1->shares, 1);
}

Test(ctl_acct, an_account_below_itself_is_bad_input, .fini = fini)
{
	struct sl_err err = { 0 };
	lw_begin(&w);
	lw_report(&w, "association", "a", "ParentName", "b");
	lw_report(&w, "association", "b", "ParentName", "a");
	cr_expect_eq(ctl_acct_make(&w.c, &err), SL_INPUT);
	cr_expect_str_eq(err.text, "account 'a' is below itself: look at ParentName");
}

Test(ctl_acct, accounts_without_a_line_hang_on_root, .fini = fini)
{
	lw_begin(&w);
	lw_report(&w, "association", "x/u1", "User", "u1");
	lw_ready(&w);
	const struct ctl_assoc *u1 = of("u1", "x", NULL);
	cr_expect_eq(w.c.assoc[u1->parent].parent, 0);
}

Test(ctl_acct, no_associations_no_tree, .fini = fini)
{
	lw_begin(&w);
	lw_report(&w, "qos", "normal", "GrpJobs", "0");
	lw_ready(&w);
	cr_expect_eq(w.c.assoc_count, 0);
	struct ctl_job *job = lw_job(&w, "u1", NULL, NULL, 1, 1);
	cr_expect_str_eq(lw_submit(&w, job), "None");
	cr_expect_eq(job->assoc, CTL_NO_ROW);
	cr_expect_str_eq(lw_try(&w, job), "None"); /* As slurmctld: no association, no limits. */
}

/* ---- What is handed down */

Test(ctl_acct, maxima_are_handed_down_tres_by_tres_and_groups_are_not, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc", "MaxTRES", "cpu=8,node=2");
	lw_report(&w, "association", "acc", "MaxJobs", "7");
	lw_report(&w, "association", "acc", "GrpTRES", "cpu=100");
	lw_report(&w, "association", "acc", "MaxWall", "02:00:00");
	lw_report(&w, "association", "acc", "Priority", "5");
	lw_report(&w, "association", "two", "MaxTRES", "cpu=4");
	lw_report(&w, "association", "two/u3", "MaxJobs", "3");
	lw_ready(&w);
	const struct ctl_assoc *u3 = of("u3", "two", NULL);
	cr_expect_eq(ctl_limit_of(u3->limits, CTL_MAX_JOB, CTL_TRES_CPU), 4);
	cr_expect_eq(ctl_limit_of(u3->limits, CTL_MAX_JOB, CTL_TRES_NODE), 2);
	cr_expect_eq(ctl_limit_of(u3->limits, CTL_GRP_TRES, CTL_TRES_CPU), CTL_NEVER);
	cr_expect_eq(u3->limits->number[CTL_MAX_JOBS], 3);
	cr_expect_eq(of("u2", "two", NULL)->limits->number[CTL_MAX_JOBS], 7);
	cr_expect_eq(u3->limits->number[CTL_MAX_WALL], 120);
	cr_expect_eq(u3->priority, 5);
}

Test(ctl_acct, lists_of_qos_are_handed_down_and_changed, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "qos", "third", "Name", "third");
	lw_report(&w, "association", "two", "QOS", "+third,-other");
	lw_report(&w, "association", "acc/u1", "QOS", "other");
	lw_report(&w, "association", "acc", "Def QOS", "normal");
	lw_report(&w, "association", "two", "DefaultQOS", "third");
	lw_ready(&w);
	cr_expect_eq(of("u2", "acc", NULL)->qos[0], 3); /* normal, other */
	cr_expect_eq(of("u3", "two", NULL)->qos[0], 5); /* normal, third */
	cr_expect_eq(of("u1", "acc", NULL)->qos[0], 2);
	cr_expect_eq(of("u2", "acc", NULL)->default_qos, 0);
	cr_expect_eq(of("u3", "two", NULL)->default_qos, 2);
}

/* ---- Whose a job is */

Test(ctl_acct, account_of_the_job_or_the_users_default_or_his_first, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_ready(&w);
	cr_expect_str_eq(of("u2", NULL, NULL)->account, "acc");
	cr_expect_str_eq(of("u2", "two", NULL)->account, "two");
	cr_expect_str_eq(of("U2", "TWO", NULL)->account, "two"); /* In any case. */
	cr_expect_eq(ctl_assoc_of(&w.c, "u1", "two", NULL), CTL_NO_ROW);
	cr_expect_eq(ctl_assoc_of(&w.c, "nobody", NULL, NULL), CTL_NO_ROW);
	lw_end(&w);
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "user", "u2", "DefaultAccount", "two");
	lw_ready(&w);
	cr_expect_str_eq(of("u2", NULL, NULL)->account, "two");
}

Test(ctl_acct, one_of_a_partition_goes_before_that_of_all, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc/u1/q", "MaxJobs", "1");
	lw_ready(&w);
	cr_expect_str_eq(of("u1", "acc", "q")->partition, "q");
	cr_expect_null(of("u1", "acc", "p")->partition);
}

Test(ctl_acct, enforcement_refuses_who_has_no_association_or_may_not_use_the_qos, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc/u1", "QOS", "normal");
	lw_ready(&w);
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u4", NULL, NULL, 1, 1)), "InvalidAccount");
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u1", "two", NULL, 1, 1)), "InvalidAccount");
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u1", NULL, "other", 1, 1)), "InvalidQOS");
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u1", NULL, "nowhere", 1, 1)), "InvalidQOS");
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u2", NULL, "other", 1, 1)), "None");
	w.c.params.enforce_qos = false;
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u1", NULL, "other", 1, 1)), "None");
	w.c.params.enforce_assoc = w.c.params.enforce_limits = false;
	cr_expect_str_eq(lw_submit(&w, lw_job(&w, "u4", NULL, NULL, 1, 1)), "None");
}

Test(ctl_acct, default_qos_is_the_only_one_or_normal, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc/u1", "QOS", "other");
	lw_ready(&w);
	struct ctl_job *only = lw_job(&w, "u1", NULL, NULL, 1, 1);
	struct ctl_job *several = lw_job(&w, "u2", NULL, NULL, 1, 1);
	(void)lw_submit(&w, only);
	(void)lw_submit(&w, several);
	cr_expect_str_eq(w.c.qos[only->qos].name, "other");
	cr_expect_str_eq(w.c.qos[several->qos].name, "normal");
}

/* ---- Columns */

Test(ctl_acct, columns_of_a_qos, .fini = fini)
{
	lw_begin(&w);
	w.part[1].qos = CTL_NO_ROW;
	lw_report(&w, "partition", "q", "QOS", "low");
	lw_report(&w, "qos", "high", "Preempt", "low,normal"); /* Named before they are defined. */
	lw_report(&w, "qos", "high", "Flags", "DenyOnLimit,OverPartQOS,NoReserve");
	lw_report(&w, "qos", "high", "Priority", "100");
	lw_report(&w, "qos", "high", "UsageFactor", "0.500000");
	lw_report(&w, "qos", "high", "UsageThres", "0.25");
	lw_report(&w, "qos", "high", "LimitFactor", "2.000000");
	lw_report(&w, "qos", "high", "GraceTime", "00:00:20");
	lw_report(&w, "qos", "high", "PreemptExemptTime", "00:01:30");
	lw_report(&w, "qos", "high", "PreemptMode", "requeue");
	lw_report(&w, "qos", "high", "MinTRES", "cpu=2,gres/gpu=1,gres/other=3");
	lw_report(&w, "qos", "high", "MaxSubmitPU", "12");
	lw_report(&w, "qos", "low", "PreemptMode", "cluster");
	lw_report(&w, "qos", "normal", "Name", "normal");
	lw_report(&w, "association", "acc/u1", "User", "u1");
	lw_ready(&w);
	const struct ctl_qos *high = qos("HIGH");
	cr_expect_eq(high->preempts[0], 6);
	cr_expect_eq(high->flags, CTL_QOS_DENY_ON_LIMIT | CTL_QOS_OVER_PART_QOS | CTL_QOS_NO_RESERVE);
	cr_expect_eq(high->priority, 100);
	cr_expect_eq(high->usage_factor, 0.5);
	cr_expect_eq(high->limits->usage_thres, 0.25);
	cr_expect_eq(high->limits->factor, 2);
	cr_expect_eq(high->grace_time, 20);
	cr_expect_eq(high->exempt_time, 90);
	cr_expect_eq(high->preempt_mode, CTL_PREEMPT_REQUEUE);
	cr_expect_eq(ctl_limit_of(high->limits, CTL_MIN_JOB, LW_GPU), 1);
	cr_expect_eq(high->limits->number[CTL_MAX_SUBMIT_USER], 12);
	cr_expect_eq(qos("low")->preempt_mode, CTL_PREEMPT_NOT_SAID);
	cr_expect_eq(qos("low")->exempt_time, CTL_NONE);
	cr_expect_eq(qos("low")->usage_factor, 1);
	cr_expect_eq(w.part[1].qos, 1);
	cr_expect_eq(w.part[0].qos, CTL_NO_ROW);
}

Test(ctl_acct, walls_as_sacctmgr_writes_times, .fini = fini)
{
	static const struct {
		const char *text;
		int64_t minutes;
	} wall[] = { { "10", 10 }, { "10:30", 11 }, { "01:10:00", 70 }, { "1-00:00:00", 1440 },
		{ "2-03", 3060 }, { "2-03:05", 3065 }, { "UNLIMITED", CTL_NEVER }, { "-1", CTL_NEVER } };
	lw_begin(&w);
	lw_report(&w, "qos", "normal", "Name", "normal");
	lw_ready(&w);
	for (size_t i = 0; i < SL_LEN(wall); i++) {
		cr_expect(ctl_qos_set(&w.c, 0, "MaxWall", wall[i].text), "%s", wall[i].text);
		cr_expect_eq(w.c.qos[0].limits->number[CTL_MAX_WALL], wall[i].minutes, "%s", wall[i].text);
	}
	cr_expect_not(ctl_qos_set(&w.c, 0, "MaxWall", "soon"));
	cr_expect_not(ctl_qos_set(&w.c, 0, "NoSuchColumn", "1"));
}

Test(ctl_acct, memory_and_old_names_of_tres, .fini = fini)
{
	lw_begin(&w);
	lw_report(&w, "qos", "normal", "GrpTRES", "1=4,mem=2G");
	lw_report(&w, "qos", "normal", "MaxNodesPerUser", "3");
	lw_ready(&w);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_GRP_TRES, CTL_TRES_CPU), 4);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_GRP_TRES, CTL_TRES_MEM), 2048);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_MAX_USER, CTL_TRES_NODE), 3);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_MAX_USER, CTL_TRES_CPU), CTL_NEVER);
}

Test(ctl_acct, tres_that_are_not_tracked_have_no_limits, .fini = fini)
{
	lw_begin(&w);
	w.c.tres[LW_GPU].tracked = false;
	lw_report(&w, "qos", "normal", "GrpTRES", "gres/gpu=4,license/lic=2");
	lw_ready(&w);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_GRP_TRES, LW_GPU), CTL_NEVER);
	cr_expect_eq(ctl_limit_of(w.c.qos[0].limits, CTL_GRP_TRES, LW_LIC), 2);
}

Test(ctl_acct, shares_and_usage, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "association", "acc/u1", "Fairshare", "40");
	lw_report(&w, "association", "acc/u2", "Share", "parent");
	lw_report(&w, "usage", "acc/u1", "RawUsage", "100");
	lw_report(&w, "usage", "two", "RawUsage", "30");
	lw_report(&w, "usage", "two/u3", "RawUsage", "20");
	lw_ready(&w);
	cr_expect_eq(of("u1", "acc", NULL)->shares, 40);
	cr_expect_eq(of("u2", "acc", NULL)->shares, CTL_NONE);
	cr_expect_eq(of("u3", "two", NULL)->usage_raw, 20);
	const struct ctl_assoc *two = &w.c.assoc[of("u3", "two", NULL)->parent];
	cr_expect_eq(two->usage_raw, 30);                    /* As set, */
	cr_expect_eq(w.c.assoc[two->parent].usage_raw, 130); /* and of those below where not set. */
	cr_expect_eq(w.c.assoc[0].usage_raw, 130);
}

/* ---- sacctmgr modify */

Test(ctl_acct, modify_sets_while_it_runs, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_ready(&w);
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr -i modify qos other set GrpTRES=cpu=4 Flags+=DenyOnLimit"));
	cr_expect_eq(ctl_limit_of(qos("other")->limits, CTL_GRP_TRES, CTL_TRES_CPU), 4);
	cr_expect_eq(qos("other")->flags, CTL_QOS_DENY_ON_LIMIT);
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify account acc set MaxJobs=5"));
	cr_expect_eq(of("u3", "two", NULL)->limits->number[CTL_MAX_JOBS], 5);
	cr_expect(ctl_acct_modify(
		&w.c, "sacctmgr modify user where name=u2 account=two set MaxJobs=2 qos-=other"));
	cr_expect_eq(of("u2", "two", NULL)->limits->number[CTL_MAX_JOBS], 2);
	cr_expect_eq(of("u2", "acc", NULL)->limits->number[CTL_MAX_JOBS], 5);
	cr_expect_eq(of("u2", "two", NULL)->qos[0], 1);
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr modify user u2 set MaxJobs=-1"));
	cr_expect_eq(of("u2", "two", NULL)->limits->number[CTL_MAX_JOBS], 5);
	cr_expect_not(ctl_acct_modify(&w.c, "sacctmgr modify user nobody set MaxJobs=1"));
	cr_expect_not(ctl_acct_modify(&w.c, "sacctmgr show qos"));
	cr_expect(ctl_acct_modify(&w.c, "sacctmgr -i modify qos 'other' set GrpTRES=\"cpu=7\" MaxWall=5"));
	cr_expect_eq(ctl_limit_of(qos("other")->limits, CTL_GRP_TRES, CTL_TRES_CPU), 7);
	cr_expect_eq(qos("other")->limits->number[CTL_MAX_WALL], 5);
}
