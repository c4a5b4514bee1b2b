/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_groups.c - who is in which group: AllowGroups of partitions, and reservations of groups.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"
#include "tests/world/memfile.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define NODES "NodeName=n[1-4] CPUs=4 RealMemory=4000\nPartitionName=all Nodes=ALL Default=YES\n"
#define ALLOW "PartitionName=p Nodes=ALL AllowGroups=physics,staff\n"
#define X     " -N1 -t1 --exclusive --mem=100\n"

static const char groups[] = "physics: [u1]\nstaff: [u3, u4]\nchemistry: [u2]\n";

static const char *policy_of(const char *version, const char *file)
{
	static char text[100], path[32];
	(void)snprintf(
		text, sizeof(text), "slurm:version=%s,groups=%s", version, memfile(path, file, strlen(file)));
	return text;
}

static void run(const char *version, const char *file, const char *conf, const char *jobs)
{
	w = (struct ctl_world){ .policy = policy_of(version, file), .conf = conf, .jobs = jobs };
	cw_run(&w);
}

/* ---- AllowGroups ----------------------------------------------------------------------------------------
 */

static const char three[] =
	"1 0 10 user=u1 -pp" X "2 0 10 user=u2 -pp" X "3 0 10 user=u4 -pp" X "4 0 10 user=root -pp" X;

/* u1 is in the first group, u4 in the second, root may always; until 23.02 u2 is refused, whatever
 * EnforcePartLimits says. */
Test(ctl_groups, members_are_let_in, .fini = fini)
{
	run("22.05", groups, CW_BRISK NODES ALLOW, three);
	cr_expect_geq(cw_start(&w, "1"), 0);
	cr_expect_eq(cw_state(&w, "2"), SL_CANCELLED);
	cr_expect_geq(cw_start(&w, "3"), 0);
	cr_expect_geq(cw_start(&w, "4"), 0);
}

/* From 23.02 on he waits, unless limits are enforced. */
Test(ctl_groups, others_wait_where_no_limit_is_enforced, .fini = fini)
{
	run("23.11", groups, CW_BRISK NODES ALLOW, three);
	cr_expect_eq(cw_start(&w, "2"), -1);
	cr_expect_eq(cw_state(&w, "2"), SL_PENDING);
	cr_expect(strstr(cw_reasons(&w, "2"), "AccountNotAllowed"), "%s", cw_reasons(&w, "2"));
	cr_expect_geq(cw_start(&w, "3"), 0);
}

Test(ctl_groups, others_are_refused_where_limits_are_enforced, .fini = fini)
{
	run("24.11", groups, CW_BRISK "EnforcePartLimits=ALL\n" NODES ALLOW, three);
	cr_expect_eq(cw_state(&w, "2"), SL_CANCELLED);
	cr_expect_geq(cw_start(&w, "1"), 0);
}

/* Of several partitions he runs where he may: in 22.05, too, unless limits are enforced. */
Test(ctl_groups, of_several_partitions_one_is_enough, .fini = fini)
{
	run("22.05", groups, CW_BRISK NODES ALLOW, "1 0 10 user=u2 -pp,all" X);
	cr_expect_geq(cw_start(&w, "1"), 0);
}

Test(ctl_groups, of_several_partitions_none_may_refuse_where_limits_are_enforced, .fini = fini)
{
	run("22.05", groups, CW_BRISK "EnforcePartLimits=ANY\n" NODES ALLOW, "1 0 10 user=u2 -pp,all" X);
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
}

Test(ctl_groups, any_is_enough_for_later_releases, .fini = fini)
{
	run("23.11", groups, CW_BRISK "EnforcePartLimits=ANY\n" NODES ALLOW, "1 0 10 user=u2 -pp,all" X);
	cr_expect_geq(cw_start(&w, "1"), 0);
}

/* Nobody's membership of staff is known: all are let in, which is said once. */
Test(ctl_groups, unknown_groups_let_all_in, .fini = fini)
{
	run("24.11", "physics: [u1]\n", CW_BRISK NODES ALLOW "PartitionName=q Nodes=ALL AllowGroups=staff\n",
		three);
	cr_expect_geq(cw_start(&w, "2"), 0);
	cr_expect_eq(w.sim.result.warning_count, 1);
	cr_expect(strstr(w.sim.result.warning[0], "who is in group 'staff' is not known"));
}

Test(ctl_groups, a_file_that_is_no_list_of_users_is_refused, .fini = fini)
{
	static const struct {
		const char *file, *why;
	} bad[] = { { "- physics\n", "expected a list of users for each group" },
		{ "physics: u1\n", "group 'physics' is to be a list of its users" },
		{ "physics: [[u1]]\n", "a user of group 'physics' is to be a name" } };
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){
			.policy = policy_of("24.11", bad[i].file), .conf = CW_BRISK NODES, .jobs = three
		};
		cr_expect_eq(cw_try(&w), SL_INPUT);
		cr_expect(strstr(w.err.text, bad[i].why), "%s", w.err.text);
	}
}

/* ---- Reservations ---------------------------------------------------------------------------------------
 */

#define IN " --reservation=r" X

static void reserve(const char *commands)
{
	w = (struct ctl_world){ .policy = policy_of("24.11", groups),
		.conf = CW_BRISK NODES,
		.jobs = "1 10 10 user=u1" IN "2 10 10 user=u2" IN "3 10 10 user=u4" IN,
		.commands = commands };
	cw_run(&w);
}

Test(ctl_groups, members_of_its_groups_use_a_reservation, .fini = fini)
{
	reserve("0 scontrol create reservation ReservationName=r StartTime=now Duration=5 Groups=physics,staff "
		"Nodes=n1\n");
	cr_expect_geq(cw_start(&w, "1"), 0);
	cr_expect_eq(cw_start(&w, "2"), -1);
	cr_expect_geq(cw_start(&w, "3"), 0);
}

Test(ctl_groups, its_groups_change, .fini = fini)
{
	reserve("0 scontrol create reservation ReservationName=r StartTime=now Duration=5 Groups=physics,staff "
		"Nodes=n1\n1 scontrol update ReservationName=r Groups-=staff\n"
		"2 scontrol update ReservationName=r Groups+=chemistry\n");
	cr_expect_geq(cw_start(&w, "1"), 0);
	cr_expect_geq(cw_start(&w, "2"), 0);
	cr_expect_eq(cw_start(&w, "3"), -1);
}

/* Users beside groups, and groups of nobody. */
Test(ctl_groups, what_slurm_refuses_of_groups, .fini = fini)
{
	reserve("0 scontrol create reservation ReservationName=r StartTime=now Duration=5 Groups=physics Users=u2 "
		"Nodes=n1\n1 scontrol create reservation ReservationName=r StartTime=now Duration=5 Groups=none "
		"Nodes=n1\n");
	cr_expect_eq(cw_start(&w, "1"), -1);
}

Test(ctl_groups, users_are_not_added_to_groups, .fini = fini)
{
	reserve("0 scontrol create reservation ReservationName=r StartTime=now Duration=5 Groups=physics "
		"Nodes=n1\n1 scontrol update ReservationName=r Users+=u2\n");
	cr_expect_geq(cw_start(&w, "1"), 0);
	cr_expect_eq(cw_start(&w, "2"), -1);
}
