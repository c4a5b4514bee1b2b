/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_resv.c - what reservations leave to which jobs, and how they are made, clause by clause of
 * slurmctld's job_test_resv(), create_resv(), update_resv() and job_resv_check(). T0 is 0 modulo 300; ticks
 * come each 30 s.
 */
#include "tests/world/ctl_fake.h"

#define FOUR                                                                              \
	"NodeName=n[1-4] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n" \
	"PartitionName=q Nodes=n[1-2]\n"

static struct fakes f;

static void fini(void) { cw_end(&f.w); }

static bool does(const char *verb, const char *arguments, const char **why)
{
	return ctl_resv_command(f.c, verb, arguments, why);
}

static void make(const char *arguments)
{
	const char *why = NULL;
	cr_expect(does("create", arguments, &why), "%s: %s", arguments, why ? why : "");
}

static void refused(const char *verb, const char *arguments, const char *wanted)
{
	const char *why = NULL;
	cr_expect_not(does(verb, arguments, &why), "%s was taken", arguments);
	cr_expect_str_eq(why ? why : "", wanted, "%s: %s", arguments, why);
}

/* A job of that user in that reservation; NULL: in none. */
static struct ctl_job *in(uint32_t user, const char *reservation)
{
	struct ctl_job *job = fake_job(&f, user);
	f.desc[job->row].reservation = reservation;
	cr_assert_eq(ctl_resv_submit(f.c, job), SL_REASON_NONE);
	fake_waits(&f, job);
	return job;
}

static enum sl_reason submits(uint32_t user, const char *reservation)
{
	struct ctl_job *job = fake_job(&f, user);
	f.desc[job->row].reservation = reservation;
	return ctl_resv_submit(f.c, job);
}

/* Time goes on, by all that is due. */
static void until(int64_t second)
{
	for (;;) {
		const ctl_time next = ctl_resv_next(f.c);
		if (next == CTL_NEVER || next > CW_T0 + second)
			break;
		f.c->now = next > f.c->now ? next : f.c->now + 1;
		ctl_resv_run(f.c);
	}
	cw_at(&f.w, second);
	ctl_resv_run(f.c);
}

#define expect_may(job, second, minutes, want)                                \
	do {                                                                  \
		const char *got = fake_may(&f, job, second, minutes);         \
		cr_expect_str_eq(got, want, "at %d: %s", (int)(second), got); \
	} while (0)

/* ---- To jobs that are in none ---------------------------------------------------------------------------
 */

Test(ctl_resv, a_job_may_end_when_it_begins_and_start_when_it_ends, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+120 Duration=2 Users=u1 Nodes=n[1-2]");
	struct ctl_job *job = in(1, NULL);
	expect_may(job, 0, 2, "n[1-4]"); /* Its limit is over at 120. */
	cr_expect_eq(f.left.next, CTL_NEVER);
	expect_may(job, 1, 2, "n[3-4]+overlap");
	cr_expect_eq(f.left.next, CW_T0 + 240);
	expect_may(job, 239, 1, "n[3-4]+overlap");
	expect_may(job, 240, 1, "n[1-4]");
	expect_may(job, 0, CTL_NEVER, "n[3-4]+overlap");
}

Test(ctl_resv, one_s_own_users_get_nothing_without_asking_for_it, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=2 Users=u1 Nodes=n[1-2]");
	expect_may(in(0, NULL), 0, 1, "n[3-4]+overlap");
}

Test(ctl_resv, it_is_no_overlap_for_a_partition_beside_it, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=2 Users=u1 Nodes=n[3-4]");
	struct ctl_job *job = in(1, NULL);
	job->part = job->desc.partition = 1;
	expect_may(job, 0, 1, "n[1-2]");
}

/* All nodes, all of a partition, or for maintenance all that the partition has: no need to look at nodes. */
Test(ctl_resv, all_nodes_are_maintenance_to_whoever_asks, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+100 Duration=1 Users=u1 Nodes=ALL Flags=ignore_jobs");
	struct ctl_job *job = in(1, NULL);
	expect_may(job, 50, 1, "maint");
	cr_expect_eq(f.left.next, CW_T0 + 160);
	cr_expect_str_eq(fake_nodes(&f, f.set), "");
	expect_may(job, 40, 1, "n[1-4]");
}

Test(ctl_resv, maintenance_of_all_that_a_partition_has, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n[1-3] Flags=maint");
	struct ctl_job *job = in(1, NULL);
	expect_may(job, 0, 1, "n4+overlap");
	job->part = job->desc.partition = 1;
	expect_may(job, 0, 1, "maint");
}

Test(ctl_resv, nodes_of_a_partition_are_kept_from_its_own_jobs, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1 PartitionName=q Nodes=ALL Flags=part_nodes");
	struct ctl_job *job = in(1, NULL);
	expect_may(job, 0, 1, "n[3-4]+overlap");
	job->part = job->desc.partition = 1;
	expect_may(job, 0, 1, "maint");
}

Test(ctl_resv, whole_node_jobs_that_name_reserved_nodes_wait_for_them, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n1");
	struct ctl_job *job = in(1, NULL);
	f.desc[job->row].nodelist = "n[1-2]";
	expect_may(job, 0, 1, "n[2-4]+overlap");
	f.desc[job->row].exclusive = SL_EXCLUSIVE_NODE;
	expect_may(job, 0, 1, "busy");
	f.desc[job->row].nodelist = "n2";
	expect_may(job, 0, 1, "n[2-4]+overlap");
}

Test(ctl_resv, the_backfill_moves_behind_what_keeps_it_from_everything, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=a StartTime=now Duration=2 Users=u1 Nodes=ALL");
	make("ReservationName=b StartTime=now+120 Duration=2 Users=u1 Nodes=n[1-2]");
	make("ReservationName=d StartTime=now+180 Duration=5 Users=u1 Nodes=ALL Flags=overlap");
	struct ctl_job *job = in(1, NULL);
	ctl_time start = CW_T0 + 5;
	bool overlap;
	nset_fill(f.set, 4);
	cr_expect_eq(ctl_resv_later(f.c, job, &start, 1, f.set, &overlap), CTL_OK);
	cr_expect_eq(start, CW_T0 + 120);
	cr_expect_str_eq(fake_nodes(&f, f.set), "n[3-4]");
	nset_fill(f.set, 4);
	start = CW_T0 + 5;
	cr_expect_eq(ctl_resv_later(f.c, job, &start, 3, f.set, &overlap), CTL_OK); /* Over d, too. */
	cr_expect_eq(start, CW_T0 + 480);
	cr_expect_str_eq(fake_nodes(&f, f.set), "n[1-4]");
}

Test(ctl_resv, the_first_end_after_a_time, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	cr_expect_eq(ctl_resv_end(f.c, CW_T0, 60), CTL_NEVER);
	make("ReservationName=a StartTime=now+7 Duration=2 Users=u1 Nodes=n1");
	make("ReservationName=b StartTime=now Duration=1 Users=u1 Nodes=n2");
	cr_expect_eq(ctl_resv_end(f.c, CW_T0, 0), CW_T0 + 60);
	cr_expect_eq(ctl_resv_end(f.c, CW_T0 + 60, 0), CW_T0 + 60);
	cr_expect_eq(ctl_resv_end(f.c, CW_T0 + 61, 0), CW_T0 + 127);
	cr_expect_eq(ctl_resv_end(f.c, CW_T0 + 61, 60), CW_T0 + 180);
}

/* ---- To jobs that are in it -----------------------------------------------------------------------------
 */

Test(ctl_resv, its_jobs_have_its_nodes_from_its_start_to_its_end, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+60 Duration=1 Users=u1 Nodes=n[1-2]");
	struct ctl_job *job = in(0, "r");
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_RESERVATION);
	expect_may(job, 59, 1, "not usable");
	cr_expect_eq(f.left.next, CW_T0 + 60);
	expect_may(job, 60, 100, "n[1-2]"); /* Its limit may go beyond. */
	expect_may(job, 120, 1, "n[1-2]");
	expect_may(job, 121, 1, "not usable");
	cw_at(&f.w, 60);
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_NONE);
	cw_at(&f.w, 121);
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_RESERVATION);
}

Test(ctl_resv, a_named_node_has_to_be_of_it, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n[1-2]");
	struct ctl_job *job = in(0, "r");
	f.desc[job->row].nodelist = "n2";
	expect_may(job, 0, 1, "n[1-2]");
	f.desc[job->row].nodelist = "n3";
	expect_may(job, 0, 1, "not usable");
}

Test(ctl_resv, flex_is_bound_to_neither_time_nor_nodes, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+600 Duration=1 Users=u1 Nodes=n[1-2] Flags=flex");
	struct ctl_job *job = in(0, "r");
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_NONE);
	expect_may(job, 0, 100, "n[1-4]");
}

Test(ctl_resv, others_at_the_time_keep_their_nodes, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=9 Users=u1 Nodes=n[1-3]");
	make("ReservationName=m StartTime=now+60 Duration=9 Users=root Nodes=n1 Flags=maint");
	make("ReservationName=o StartTime=now+60 Duration=9 Users=u1 Nodes=n[1-2] Flags=overlap");
	struct ctl_job *job = in(0, "r");
	expect_may(job, 0, 1, "n[1-3]");
	expect_may(job, 1, 1, "n3+overlap");
	expect_may(in(2, "m"), 60, 1, "n1");         /* For maintenance: whatever else. */
	expect_may(in(0, "o"), 60, 1, "n2+overlap"); /* OVERLAP: only maintenance goes before it. */
}

/* ---- Who may use it ---------------------------------------------------------------------------------------
 */

Test(ctl_resv, users_by_name_and_all_but_some, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1,x Nodes=n1");
	make("ReservationName=s StartTime=now Duration=1 Users=-u1,-x Nodes=n2");
	cr_expect_eq(submits(0, "r"), SL_REASON_NONE);
	cr_expect_eq(submits(1, "r"), SL_REASON_RESERVATION);
	cr_expect_eq(submits(0, "s"), SL_REASON_RESERVATION);
	cr_expect_eq(submits(1, "s"), SL_REASON_NONE);
	cr_expect_eq(submits(1, "nosuch"), SL_REASON_RESERVATION);
	cr_expect_eq(submits(1, NULL), SL_REASON_NONE);
}

Test(ctl_resv, accounts_keep_for_those_below_them, .fini = fini)
{
	static struct ctl_assoc tree[] = { { .account = "root", .parent = CTL_NO_ROW },
		{ .account = "top", .parent = 0 }, { .account = "low", .parent = 1 },
		{ .account = "low", .user = "u1", .parent = 2 },
		{ .account = "top", .user = "u1", .parent = 1 } };
	fake_begin(&f, CW_BRISK FOUR);
	f.c->assoc = tree;
	f.c->assoc_count = SL_LEN(tree);
	f.c->params.enforce_assoc = true;
	make("ReservationName=r StartTime=now Duration=1 Accounts=top Nodes=n1");
	make("ReservationName=s StartTime=now Duration=1 Accounts=-low Nodes=n2");
	make("ReservationName=t StartTime=now Duration=1 Accounts=top Users=u1 Nodes=n3");
	struct ctl_job *job = fake_job(&f, 0);
	job->assoc = 3;
	cr_expect(ctl_resv_change(f.c, job, "r"));
	cr_expect_not(ctl_resv_change(f.c, job, "s"));
	cr_expect_not(ctl_resv_change(f.c, job, "t")); /* Beside users: itself alone. */
	job->assoc = 4;
	cr_expect(ctl_resv_change(f.c, job, "s"));
	cr_expect(ctl_resv_change(f.c, job, "t"));
	f.c->params.enforce_assoc = false; /* By name then, and nothing of parents. */
	job->assoc = 3;
	cr_expect_not(ctl_resv_change(f.c, job, "r"));
}

/* ---- In several, and drawn into one ---------------------------------------------------------- */

static const char *ran(const char *conf, const char *commands, const char *jobs)
{
	cw_end(&f.w);
	f.w = (struct ctl_world){ .conf = conf, .jobs = jobs, .commands = commands };
	cw_run(&f.w);
	return cw_schedule(&f.w);
}
#define expect_ran(conf, commands, jobs, want)                              \
	do {                                                                \
		const char *got = ran(conf, commands, jobs);                \
		cr_expect_str_eq(got, want, "%s\n  wanted: %s", got, want); \
	} while (0)
#define X " -N1 --exclusive "

Test(ctl_resv, of_several_all_have_to_be_its, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=a StartTime=now+60 Duration=1 Users=u1 Nodes=n1");
	cr_expect_eq(submits(0, "a,none"), SL_REASON_RESERVATION);
	cr_expect_eq(ctl_resv_waits(f.c, in(0, "a,a")), SL_REASON_NONE, "none of them keeps it alone");
}

/* 2 finds a full, and b begins at 60; it is never outside them. */
Test(ctl_resv, of_several_each_is_tried_the_first_to_begin_first, .fini = fini)
{
	expect_ran(CW_BRISK FOUR,
		"2 scontrol create reservation ReservationName=b StartTime=now+58 Duration=9 Users=u1 Nodes=n2\n"
		"3 scontrol create reservation ReservationName=a StartTime=now Duration=9 Users=u1 Nodes=n1\n",
		"1 6 100 user=u1 --reservation=b,a -t5" X "\n2 7 20 user=u1 --reservation=b,a -t2" X "\n",
		"1:6-106@n1 2:60-80@n2");
}

#define MAGNET                                                                                            \
	"3 scontrol create reservation ReservationName=r StartTime=now Duration=9 Users=u1 Nodes=n[3-4] " \
	"Flags=MAGNETIC\n"

Test(ctl_resv, a_magnetic_one_draws_those_that_may_use_it, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, MAGNET, "1 6 20 user=u1 -t1" X "\n2 7 20 user=u2 -t1" X "\n",
		"1:6-26@n3 2:7-27@n1");
}

Test(ctl_resv, who_finds_a_magnetic_one_full_goes_elsewhere, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, MAGNET, "1 6 50 user=u1 -N2 --exclusive -t1\n2 7 20 user=u1 -t1" X "\n",
		"1:6-56@n[3-4] 2:7-27@n1");
}

Test(ctl_resv, one_that_has_not_begun_draws_none, .fini = fini)
{
	expect_ran(CW_BRISK FOUR,
		"3 scontrol create reservation ReservationName=r StartTime=now+60 Duration=9 Users=u1 Nodes=n[1-2] "
		"Flags=MAGNETIC\n",
		"1 6 20 user=u1 -t1" X "\n2 64 20 user=u1 -t1" X "\n", "1:6-26@n3 2:64-84@n1");
}

/* Two that draw it: the one that began first. It asked for another: that one. */
Test(ctl_resv, who_names_one_is_drawn_by_no_other, .fini = fini)
{
	static const char two[] =
		"2 scontrol create reservation ReservationName=s StartTime=now Duration=9 Users=u1 Nodes=n2\n" MAGNET
		"4 scontrol create reservation ReservationName=q StartTime=now Duration=9 Users=u1 Nodes=n1 "
		"Flags=MAGNETIC\n";
	expect_ran(CW_BRISK FOUR, two, "1 6 20 user=u1 -t1" X "\n2 7 20 user=u1 -t1 --reservation=s" X "\n",
		"1:6-26@n3 2:7-27@n2");
}

/* Requeued at 10 it runs anew at 131: it is what it was before, free to go anywhere. */
Test(ctl_resv, it_draws_each_run_anew, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, MAGNET "10 scontrol requeue 1\n100 scontrol delete reservation r\n",
		"1 6 20 user=u1 -t1" X "\n", "1:6-151@n1");
}

/* By the backfill alone: the record of the reservation does not count for bf_max_job_user, and reserves
 * nothing. */
#define BF_ALONE(more)                                                                      \
	"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n" \
	"SchedulerParameters=bf_interval=1,bf_resolution=1,bf_continue,sched_interval=-1,"  \
	"batch_sched_delay=0,bf_max_job_user=1" more "\n" FOUR

Test(ctl_resv, being_drawn_counts_for_no_limit_of_the_backfill, .fini = fini)
{
	static const char jobs[] = "1 6 50 user=u1 -N2 --exclusive -t1\n2 7 20 user=u1 -t1" X "\n";
	expect_ran(BF_ALONE(""), MAGNET, jobs, "1:6-56@n[3-4] 2:7-27@n1");
	expect_ran(BF_ALONE(",bf_allow_magnetic_slot"), MAGNET, jobs, "1:6-56@n[3-4] 2:56-76@n3");
}

/* ---- Of cores ------------------------------------------------------------------------------- */

#define CORES(more)                                                                                               \
	"3 scontrol create reservation ReservationName=r StartTime=now Duration=2 Users=u1 PartitionName=p " more \
	"\n"

/* n1's first three of four; it is over at 123. */
Test(ctl_resv, by_corecnt_the_other_cores_are_free, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=3"),
		"1 6 20 user=u2 -N1 --mem=10 -n2 -t1\n2 7 20 user=u2 -N1 --mem=10 -n1 -t1\n"
		"3 8 20 user=u1 -N1 --mem=10 -n3 -t1 --reservation=r\n4 9 20 user=u1 -N1 --mem=10 -n4 -t1 --reservation=r\n",
		"1:6-26@n2 2:7-27@n1 3:8-28@n1 4:-1--1@");
}

Test(ctl_resv, by_corecnt_whole_nodes_are_kept_from_whole_node_jobs, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=3"), "1 6 20 user=u2 -N4 --exclusive -t1\n",
		"1:123-143@n[1-4]");
}

/* 1 has two cores of n1: the others of it and one of n2 are taken; with IGNORE_JOBS three of n1. */
Test(ctl_resv, by_corecnt_cores_of_jobs_are_passed_over, .fini = fini)
{
	static const char jobs[] =
		"1 0 100 user=u2 -N1 --mem=10 -n2 -t2\n2 6 20 user=u2 -N1 --mem=10 -n4 -t1\n"
		"3 7 20 user=u2 -N1 --mem=10 -n3 -t1\n";
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=3"), jobs, "1:0-100@n1 2:6-26@n3 3:7-27@n2");
	expect_ran(
		CW_BRISK FOUR, CORES("CoreCnt=3 Flags=IGNORE_JOBS"), jobs, "1:0-100@n1 2:6-26@n2 3:7-27@n3");
}

/* Of n1 core 0 is used, so that its first two are not free: those of n2. */
Test(ctl_resv, by_corecnt_first_cores_are_the_first_of_a_node, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=2 Flags=FIRST_CORES"),
		"1 0 100 user=u2 -N1 --mem=10 -n1 -t2\n2 6 20 user=u2 -N1 --mem=10 -n3 -t1\n3 7 20 user=u2 -N1 --mem=10 -n4 -t1\n",
		"1:0-100@n1 2:6-26@n1 3:7-27@n3");
}

/* Three of n1, two of n2. */
Test(ctl_resv, by_corecnt_and_nodecnt_as_many_of_each_node, .fini = fini)
{
	expect_ran(CW_BRISK FOUR, CORES("NodeCnt=2 CoreCnt=5"),
		"1 6 20 user=u2 -N1 --mem=10 -n2 -t1\n2 7 20 user=u2 -N1 --mem=10 -n1 -t1\n3 8 20 user=u2 -N1 --mem=10 -n1 -t1\n",
		"1:6-26@n2 2:7-27@n1 3:8-28@n3");
}

/* Of listed nodes each its number. Without Nodes= 22.05 goes through the list once for each number: 2, 1,
 * 2, 1. */
Test(ctl_resv, by_corecnt_lists_are_by_node, .fini = fini)
{
	static const char jobs[] =
		"1 6 20 user=u2 -N1 --mem=10 -n3 -t1\n2 7 20 user=u2 -N1 --mem=10 -n2 -t1\n"
		"3 8 20 user=u2 -N1 --mem=10 -n4 -t1\n";
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=2,1 Nodes=n[1-2]"), jobs, "1:6-26@n2 2:7-27@n1 3:8-28@n3");
	expect_ran(CW_BRISK FOUR, CORES("CoreCnt=2,1"), jobs, "1:6-26@n2 2:7-27@n1 3:123-143@n1");
	fake_begin(&f, CW_BRISK FOUR);
	f.c->params.version = CTL_22_05;
	refused("create", "ReservationName=s Users=u1 Duration=1 CoreCnt=2 Nodes=n[1-2]",
		"Core count for reservation node list is not consistent!");
	f.c->params.version = CTL_24_11;
	refused("create", "ReservationName=s Users=u1 Duration=1 CoreCnt=2,1 Nodes=n[1-2]",
		"Using a comma separated array for CoreCnt is no longer valid.");
}

Test(ctl_resv, by_corecnt_two_have_cores_of_their_own, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	f.c->params.version = CTL_22_05;
	make("ReservationName=r Users=u1 Duration=1 CoreCnt=3");
	make("ReservationName=s Users=u1 Duration=1 CoreCnt=3");
	expect_may(in(0, "r"), 0, 1, "n1");
	expect_may(in(0, "s"), 0, 1, "n[1-2]");
	refused("update", "ReservationName=r CoreCnt=2", "Core-based reservation can not be updated");
	refused("update", "ReservationName=r NodeCnt=2", "Core-based reservation can not be updated");
	refused("create", "ReservationName=t Users=u1 Duration=1 CoreCnt=1 Flags=replace",
		"Invalid number of CPUs specified");
}

/* As six tasks would be placed: four cores of n1, two of n2. */
Test(ctl_resv, by_corecnt_later_releases_place_it_as_a_job, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	f.c->params.version = CTL_24_11;
	make("ReservationName=r Users=u1 Duration=1 CoreCnt=6");
	make("ReservationName=s Users=u1 Duration=1 CoreCnt=2 Nodes=n3");
	struct ctl_job *job = in(0, NULL);
	expect_may(job, 0, 1, "n[1-4]+overlap");
	cr_expect_not_null(ctl_resv_cores(f.c));
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 0)], 0xf);
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 1)], 0x3);
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 2)], 0x3);
	expect_may(in(0, "s"), 0, 1, "n3");
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 2)] & 0xf, 0xc, "all but its own");
}

/* ---- Of GPUs, since 23.11 ---------------------------------------------------------------------------- */

/* Four cores and two GPUs a node. */
#define GPUS                                                         \
	CW_BRISK                                                     \
	"GresTypes=gpu\nAccountingStorageTRES=gres/gpu,gres/gpu:a\n" \
	"NodeName=n[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 RealMemory=1000 Gres=gpu:2\nPartitionName=p Nodes=ALL\n"
#define TYPED                                                        \
	CW_BRISK                                                     \
	"GresTypes=gpu\nAccountingStorageTRES=gres/gpu,gres/gpu:a\n" \
	"NodeName=n[1-2] CPUs=4 Sockets=1 CoresPerSocket=4 RealMemory=1000 Gres=gpu:a:2\nPartitionName=p Nodes=ALL\n"
#define G " -t1 --mem=10 -pp"

static void expect_gpus(const char *conf, const char *tres, const char *jobs, const char *want)
{
	static char command[300];
	(void)snprintf(command, sizeof(command), CORES("%s"), tres);
	f = (struct fakes){ .w.policy = "slurm:version=24.11,complete=0" };
	f.w.conf = conf;
	f.w.jobs = jobs;
	f.w.commands = command;
	cw_run(&f.w);
	cr_expect_str_eq(cw_schedule(&f.w), want, "%s: %s\n  wanted: %s", tres, cw_schedule(&f.w), want);
}

/* One GPU and one core of n1 are kept: 1 wants two GPUs, 2 has the other one, 3 has the other two cores. Of
 * both nodes: 1 waits for the end of the reservation. */
Test(ctl_resv, by_gres_others_have_the_rest, .fini = fini)
{
	static const char jobs[] = "1 6 20 user=u2 -N1 -n1 --gpus=2" G "\n2 7 20 user=u2 -n1 --gpus=1" G
				   "\n3 8 20 user=u2 -N1 -n2" G "\n";
	expect_gpus(GPUS, "NodeCnt=1 TRESPerNode=gres/gpu=1", jobs, "1:6-26@n2 2:7-27@n1 3:8-28@n1");
	cw_end(&f.w);
	expect_gpus(GPUS, "NodeCnt=2 TRESPerNode=gres/gpu=1", jobs, "1:123-143@n1 2:7-27@n1 3:8-28@n1");
	cw_end(&f.w);
	expect_gpus(GPUS, "Nodes=n2 TRESPerNode=gres/gpu=2,cpu=3",
		"1 6 20 user=u2 -N1 -n1 --gpus=2" G "\n2 7 20 user=u2 -n1 --gpus=1" G
		"\n3 8 20 user=u2 -N1 -n1" G "\n",
		"1:6-26@n1 2:26-46@n1 3:8-28@n2");
}

/* GPUs of all nodes are placed as those of a job that is bound to them and has one task a core: as many tasks
 * as the node has cores, so all of its cores are kept (gres_filter_sock_core()). */
Test(ctl_resv, by_gres_of_all_nodes_comes_with_their_cores, .fini = fini)
{
	f.w.policy = "slurm:version=24.11";
	fake_begin(&f, GPUS);
	make("ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1");
	make("ReservationName=s Users=u1 Duration=1 Nodes=n2 TRESPerNode=gres/gpu=1,cpu=2");
	expect_may(in(0, NULL), 0, 1, "n[1-2]+overlap");
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 0)], 0xf);
	cr_expect_eq(ctl_resv_cores(f.c)[select_core_at(f.c->select, 1)], 0x3);
}

/* Its users have what it has, and no more: 2 wants another GPU, 3 another core. */
Test(ctl_resv, by_gres_its_users_have_no_others, .fini = fini)
{
	expect_gpus(GPUS, "NodeCnt=1 TRESPerNode=gres/gpu=1,cpu=2",
		"1 6 20 user=u1 -n1 --gpus=1 --reservation=r" G
		"\n2 7 20 user=u1 -n1 --gpus=1 --reservation=r" G "\n3 8 20 user=u1 -N1 -n2 --reservation=r" G
		"\n4 9 20 user=u1 -n1 --gpus=2 --reservation=r" G "\n",
		"1:6-26@n1 2:26-46@n1 3:46-66@n1 4:-1--1@");
}

/* Units, of which there are no devices: three of four; others than GPUs are by the node. */
Test(ctl_resv, by_gres_units_are_counted, .fini = fini)
{
	static const char conf[] =
		CW_BRISK "GresTypes=tmp\nAccountingStorageTRES=gres/tmp\n"
			 "NodeName=n1 CPUs=4 Sockets=1 CoresPerSocket=4 RealMemory=1000 Gres=tmp:4\n"
			 "PartitionName=p Nodes=ALL\n";
	expect_gpus(conf, "NodeCnt=1 TRES=gres/tmp=3",
		"1 6 20 user=u2 -n1 --gres=tmp:2" G "\n2 7 20 user=u2 -n1 --gres=tmp:1" G
		"\n3 8 20 user=u1 -n1 --gres=tmp:3 --reservation=r" G "\n",
		"1:123-143@n1 2:123-143@n1 3:8-28@n1");
	cw_end(&f.w);
	expect_gpus(conf, "NodeCnt=1 TRESPerNode=gres/tmp=3",
		"1 6 20 user=u2 -n1 --gres=tmp:2" G "\n2 7 20 user=u2 -n1 --gres=tmp:1" G
		"\n3 8 20 user=u1 -n1 --gres=tmp:3 --reservation=r" G "\n",
		"1:123-143@n1 2:7-27@n1 3:8-28@n1");
}

/* GPUs of a type are another kind than GPUs of any: what was reserved of one is not kept from who asks for
 * the other (gres_find_job_by_key_exact_type()). */
Test(ctl_resv, by_gres_a_type_is_a_kind_of_its_own, .fini = fini)
{
	static const char jobs[] =
		"1 6 20 user=u2 -N1 -n1 --gpus=a:2 -w n1" G "\n2 30 20 user=u2 -N1 -n1 --gpus=2 -w n1" G "\n";
	expect_gpus(TYPED, "Nodes=n1 TRESPerNode=gres/gpu=2", jobs, "1:6-26@n1 2:123-143@n1");
	cw_end(&f.w);
	expect_gpus(TYPED, "Nodes=n1 TRESPerNode=gres/gpu:a=2", jobs, "1:123-143@n1 2:30-50@n1");
}

/* A second one has GPUs of its own; without a number of cores it is on no node that a job has beyond its
 * start, but with IGNORE_JOBS. */
Test(ctl_resv, by_gres_two_have_gpus_of_their_own, .fini = fini)
{
	f.w.policy = "slurm:version=24.11";
	fake_begin(&f, GPUS);
	make("ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1");
	make("ReservationName=s Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=2");
	expect_may(in(0, "r"), 0, 1, "n1");
	expect_may(in(0, "s"), 0, 1, "n2");
	(void)fake_runs(&f, 1, "n1", 1, 5);
	refused("create", "ReservationName=t Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1",
		"Requested nodes are busy");
	make("ReservationName=t Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1 Flags=IGNORE_JOBS");
	expect_may(in(0, "t"), 0, 1, "n1");
}

Test(ctl_resv, by_gres_what_is_refused, .fini = fini)
{
	f.w.policy = "slurm:version=24.11";
	fake_begin(&f, GPUS);
	refused("create", "ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/fpga=1",
		"Invalid Trackable RESource (TRES) specification");
	refused("create", "ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=0",
		"Invalid Trackable RESource (TRES) specification");
	refused("create", "ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=cpu=1 TRESPerNode=gres/gpu=1",
		"invalid option");
	refused("create", "ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=3",
		"Requested nodes are busy");
	make("ReservationName=r Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1");
	refused("update", "ReservationName=r NodeCnt=2", "Core-based reservation can not be updated");
	f.c->params.version = CTL_22_05;
	refused("create", "ReservationName=s Users=u1 Duration=1 NodeCnt=1 TRES=gres/gpu=1",
		"TRES type 'gres' not supported with reservations");
	refused("create", "ReservationName=s Users=u1 Duration=1 NodeCnt=1 TRESPerNode=cpu=1",
		"invalid option");
}

/* Gone since 23.11: lists of NodeCnt, and FIRST_CORES. */
Test(ctl_resv, what_later_releases_no_longer_have, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	f.c->params.version = CTL_22_05;
	make("ReservationName=r Users=u1 Duration=1 NodeCnt=1,1");
	make("ReservationName=s Users=u1 Duration=1 CoreCnt=1 Flags=FIRST_CORES");
	f.c->params.version = CTL_23_11;
	refused("create", "ReservationName=t Users=u1 Duration=1 NodeCnt=1,1",
		"Using a comma separated array for NodeCnt is no longer valid.");
	refused("create", "ReservationName=t Users=u1 Duration=1 CoreCnt=1 Flags=FIRST_CORES",
		"Error parsing flags FIRST_CORES");
}

/* Both start in one pass: the node that 1 takes is replaced at once. */
Test(ctl_resv, replace_gives_the_node_of_a_start_away, .fini = fini)
{
	expect_ran(CW_BRISK FOUR,
		"3 scontrol create reservation ReservationName=r StartTime=now Duration=9 Users=u1 NodeCnt=2 "
		"Flags=REPLACE\n",
		"1 6 50 user=u1 -t1 --reservation=r" X
		"\n2 6 20 user=u1 -N2 --exclusive -t1 --reservation=r\n",
		"1:6-56@n1 2:6-26@n[2-3]");
}

Test(ctl_resv, partitions_and_qos_may_be_said_too, .fini = fini)
{
	static uint32_t p[] = { 0 };
	static uint32_t q[] = { 1 };
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r Duration=1 Nodes=n1 AllowedPartitions=q");
	make("ReservationName=s Duration=1 Nodes=n3 AllowedPartitions=-q");
	make("ReservationName=t Duration=1 Nodes=n4 QOS=high");
	struct ctl_job *job = fake_job(&f, 0);
	job->part_count = 1;
	job->parts = p;
	cr_expect_not(ctl_resv_change(f.c, job, "r"));
	cr_expect(ctl_resv_change(f.c, job, "s"));
	cr_expect_not(ctl_resv_change(f.c, job, "t"));
	job->parts = q;
	cr_expect(ctl_resv_change(f.c, job, "r"));
	cr_expect_not(ctl_resv_change(f.c, job, "s"));
	static struct ctl_qos qos[] = { { .name = "high" }, { .name = "low" } };
	f.c->qos = qos;
	f.c->qos_count = SL_LEN(qos);
	job->qos = 1;
	cr_expect_not(ctl_resv_change(f.c, job, "t"));
	job->qos = 0;
	cr_expect(ctl_resv_change(f.c, job, "t"));
}

/* job_time_adj_resv(): what it asks for is the reservation's in two minutes. */
Test(ctl_resv, a_licence_of_one_to_come_shortens_a_limit, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR "Licenses=a:4,b:1\n");
	make("ReservationName=r StartTime=now+120 Duration=1 Users=u1 Licenses=a:3 Flags=any_nodes");
	struct ctl_job *job = in(1, NULL);
	cr_expect(ctl_license_set(f.c, job, "b"));
	cr_expect_eq(ctl_resv_minutes(f.c, job, f.set, 10), 10);
	cr_expect(ctl_license_set(f.c, job, "a"));
	cr_expect_eq(ctl_resv_minutes(f.c, job, f.set, 10), 2);
}

/* validate_slurm_user(), from 23.11 on. */
Test(ctl_resv, root_may_use_any_in_later_releases, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r Users=u1 Duration=1 Nodes=n1");
	struct ctl_job *job = fake_job(&f, 2);
	f.c->params.version = CTL_22_05;
	cr_expect_not(ctl_resv_change(f.c, job, "r"));
	f.c->params.version = CTL_23_11;
	cr_expect(ctl_resv_change(f.c, job, "r"));
	cr_expect_not(ctl_resv_change(f.c, fake_job(&f, 1), "r"));
}

/* ---- Which nodes
 * ------------------------------------------------------------------------------------------- */

/* Nodes that are kept for a user of no reservation: the others are its. */
static const char *left(int64_t second)
{
	struct ctl_job *job = fake_job(&f, 2);
	return fake_may(&f, job, second, 1);
}
#define expect_left(second, want) cr_expect_str_eq(left(second), want, "%s", f.text)

Test(ctl_resv, so_many_nodes_are_the_first_that_are_idle, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	(void)fake_runs(&f, 1, "n1", 1, 1);
	make("ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=2 PartitionName=p");
	expect_left(0, "n[1,4]+overlap"); /* A job runs on n1 now, */
	make("ReservationName=b StartTime=now+61 Duration=1 Users=u1 NodeCnt=1");
	expect_left(61, "n[2-4]+overlap"); /* and its limit is over then. */
}

Test(ctl_resv, there_have_to_be_enough_unless_jobs_are_ignored, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	(void)fake_runs(&f, 1, "n3", 1, 5);
	(void)fake_runs(&f, 1, "n2", 1, 5);
	refused("create", "ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=3",
		"Requested nodes are busy");
	/* The nodes of the first job are added, and it is enough: of n1, n3, n4 the first three. */
	make("ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=3 Flags=IGNORE_JOBS");
	expect_left(0, "n2+overlap");
}

Test(ctl_resv, not_those_of_another_at_the_time, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=2");
	make("ReservationName=b StartTime=now Duration=1 Users=u1 NodeCnt=1");
	expect_left(0, "n4+overlap");
	refused("create", "ReservationName=x StartTime=now Duration=1 Users=u1 Nodes=n[2-4]",
		"Requested reservation overlaps with another reservation");
	make("ReservationName=x StartTime=now+60 Duration=1 Users=u1 Nodes=n[2-4]");
	make("ReservationName=o StartTime=now Duration=1 Users=u1 NodeCnt=3 Flags=overlap"); /* n4, n1, n2 */
	struct ctl_job *job = in(0, "o");
	expect_may(job, 0, 1, "n[1-2,4]");
}

Test(ctl_resv, listed_nodes_may_not_have_jobs_history_its_start, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	(void)fake_runs(&f, 1, "n1", 1, 1);
	refused("create", "ReservationName=a StartTime=now+59 Duration=1 Users=u1 Nodes=n1",
		"Requested nodes are busy");
	make("ReservationName=a StartTime=now+60 Duration=1 Users=u1 Nodes=n1");
	make("ReservationName=b StartTime=now Duration=1 Users=u1 Nodes=n1 Flags=maint,ignore_jobs");
}

Test(ctl_resv, drained_nodes_only_for_maintenance, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	cr_expect(ctl_node_command(f.c, "n1", "drain", "x"));
	make("ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=1");
	expect_left(0, "n[1,3-4]+overlap");
	make("ReservationName=m StartTime=now Duration=1 Users=u1 NodeCnt=4 Flags=maint,ignore_jobs");
	expect_may(in(0, "m"), 0, 1, "n[1-4]");
}

Test(ctl_resv, features, .fini = fini)
{
	fake_begin(&f, CW_BRISK
		"NodeName=n[1-2] CPUs=4 RealMemory=1000 Features=a\n"
		"NodeName=n[3-4] CPUs=4 RealMemory=1000 Features=a,b\nPartitionName=p Nodes=ALL Default=YES\n");
	make("ReservationName=x StartTime=now Duration=1 Users=u1 NodeCnt=1 Features=a&b");
	expect_left(0, "n[1-2,4]+overlap");
	make("ReservationName=y StartTime=now Duration=1 Users=u1 NodeCnt=1 Features=b|c");
	expect_left(0, "n[1-2]+overlap");
}

Test(ctl_resv, along_switches_the_tightest_that_has_enough, .fini = fini)
{
	fake_begin(&f,
		CW_BRISK "NodeName=n[1-5] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n");
	static const uint32_t node[] = { 0, 1, 2, 3, 4 };
	static const struct sl_switch sw[] = { { .name = "a", .node = node, .node_count = 3, .parent = 2 },
		{ .name = "b", .node = node + 3, .node_count = 2, .parent = 2 },
		{ .name = "top", .level = 1, .node = node, .node_count = 5, .parent = UINT32_MAX } };
	f.w.scenario.cluster.sw = sw;
	f.w.scenario.cluster.switch_count = SL_LEN(sw);
	f.w.scenario.cluster.topology = SL_TOPOLOGY_TREE;
	make("ReservationName=x StartTime=now Duration=1 Users=u1 NodeCnt=2");
	expect_left(0, "n[1-3]+overlap"); /* b has two, a three. */
	make("ReservationName=y StartTime=now+60 Duration=1 Users=u1 NodeCnt=4");
	expect_left(60, "n5+overlap"); /* The larger leaf first, then of the other. */
}

/* ---- Commands
 * ------------------------------------------------------------------------------------------------ */

Test(ctl_resv, what_is_refused, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	refused("create", "ReservationName=r StartTime=now Duration=1 Nodes=n1",
		"Reservation request lacks users, accounts or groups");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1",
		"Reservation request lacks node specification");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n9",
		"Invalid node name specified");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n1 PartitionName=z",
		"Invalid partition name specified");
	refused("create", "ReservationName=r StartTime=soon Duration=1 Users=u1 Nodes=n1",
		"Invalid time specification");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1,-u2 Nodes=n1",
		"Reservation request has users or accounts with and without a minus");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n1 Flags=replace",
		"Invalid node name specified");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1 Flags=any_nodes",
		"Requested reservation is invalid");
	refused("delete", "ReservationName=r", "Requested reservation is invalid");
	refused("update", "ReservationName=r Duration=3", "Requested reservation is invalid");
	make("ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n1");
	refused("create", "ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n2",
		"Reservation name already in use");
}

static void expect_range(const char *arguments, int64_t from, int64_t until_second)
{
	make(arguments);
	struct ctl_job *job = in(0, "r");
	if (from > 0)
		cr_expect_str_eq(fake_may(&f, job, from - 1, 1), "not usable", "%s: before", arguments);
	cr_expect_str_eq(fake_may(&f, job, from, 1), "n1", "%s: at its start", arguments);
	cr_expect_str_eq(fake_may(&f, job, until_second, 1), "n1", "%s: at its end", arguments);
	cr_expect_str_eq(fake_may(&f, job, until_second + 1, 1), "not usable", "%s: after", arguments);
	f.c->pending_first = f.c->pending_last = CTL_NO_ROW;
	f.count = 0;
	cr_expect(does("delete", "r", NULL));
}

/* T0 is 2027-01-15 at 08:00:00. */
Test(ctl_resv, times, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	expect_range("reservationname=r starttime=now+117 duration=2 users=u1 nodes=n1", 117, 237);
	expect_range(
		"ReservationName=r StartTime=now+2minutes Duration=1:00:00 Users=u1 Nodes=n1", 120, 3720);
	expect_range("Reservation=r Start=now+1hour EndTime=now+2hours Users=u1 Nodes=n1", 3600, 7200);
	expect_range(
		"ReservationName=r StartTime=2027-01-15T08:01:00 Duration=1-0 Users=u1 Nodes=n1", 60, 86460);
	expect_range("ReservationName=r StartTime=now+60 Duration=1:30 Users=u1 Nodes=n1", 60, 180);
	expect_range("ReservationName=r StartTime=now+60 Duration=0-1:30 Users=u1 Nodes=n1", 60, 5460);
	expect_range("ReservationName=r StartTime=08:10 Duration=1 Users=u1 Nodes=n1", 600, 660);
	expect_range("ReservationName=r StartTime=07:00:00 Duration=1 Users=u1 Nodes=n1", 82800, 82860);
	expect_range("ReservationName=r StartTime=tomorrow Duration=1 Users=\"u1\" Nodes=n1", 57600, 57660);
	expect_range("ReservationName=r StartTime=noon Duration=1 Users=u1 Nodes=n1", 14400, 14460);
	expect_range("ReservationName=r StartTime=now Duration=infinite Users=u1 Nodes=n1", 0, 365 * 86400);
}

Test(ctl_resv, an_update_changes_what_it_names, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+60 Duration=1 Users=u1 Nodes=n[1-2]");
	cr_expect(does("update", "reservation ReservationName=r StartTime=now+120", NULL));
	struct ctl_job *job = in(0, "r");
	expect_may(job, 119, 1, "not usable");
	expect_may(job, 180, 1, "n[1-2]"); /* Its duration stays. */
	cr_expect(does("update", "ReservationName=r Duration+=1", NULL));
	expect_may(job, 240, 1, "n[1-2]");
	cr_expect(does("update", "ReservationName=r Nodes=n[2-4]", NULL));
	expect_may(job, 120, 1, "n[2-4]");
	cr_expect(does("update", "ReservationName=r NodeCnt=2", NULL));
	expect_may(job, 120, 1, "n[3-4]"); /* Idle ones go, the lowest first. */
	cr_expect(does("update", "ReservationName=r NodeCnt=3", NULL));
	expect_may(job, 120, 1, "n[1,3-4]");
	cr_expect(does("update", "ReservationName=r Users+=u2", NULL));
	cr_expect_eq(submits(1, "r"), SL_REASON_NONE);
	cr_expect(does("update", "ReservationName=r Users-=u1", NULL));
	cr_expect_eq(submits(0, "r"), SL_REASON_RESERVATION);
	cr_expect(does("update", "ReservationName=r Flags=flex", NULL));
	cr_expect(does("update", "ReservationName=r Users=u1", NULL));
	expect_may(job, 0, 1, "n[1-4]");
	cr_expect(does("update", "ReservationName=r Flags-=flex", NULL));
	expect_may(job, 0, 1, "not usable");
	cw_at(&f.w, 130);
	refused("update", "ReservationName=r StartTime=now+120", "Reservation already started");
	refused("update", "ReservationName=r Users-=u1",
		"Reservation request lacks users, accounts or groups");
	cr_expect_eq(submits(0, "r"), SL_REASON_NONE, "what was refused changed nothing");
}

/* ---- Beginning, end, and again ----------------------------------------------------------------------------
 */

Test(ctl_resv, when_it_is_over_its_waiting_jobs_are_held, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+62 Duration=1 Users=u1 Nodes=n1");
	make("ReservationName=s StartTime=now+62 Duration=1 Users=u1 Nodes=n2 Flags=no_hold_jobs_after_end");
	struct ctl_job *held = in(0, "r");
	struct ctl_job *goes = in(0, "s");
	until(149);
	cr_expect_eq(ctl_resv_waits(f.c, held), SL_REASON_RESERVATION);
	until(150); /* The first tick after 122. */
	cr_expect_eq(ctl_resv_waits(f.c, held), SL_REASON_RESERVATION_DELETED);
	cr_expect_eq(ctl_resv_waits(f.c, goes), SL_REASON_NONE);
	expect_may(goes, 150, 1, "n[1-4]");
	cr_expect_eq(ctl_resv_next(f.c), CTL_NEVER);
	cr_expect(ctl_resv_change(f.c, held, ""));
	cr_expect_eq(ctl_resv_waits(f.c, held), SL_REASON_NONE);
}

Test(ctl_resv, what_waits_is_reported_when_it_begins_and_ends, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+62 Duration=1 Users=u1 Nodes=n1 Flags=maint");
	const uint64_t before = f.c->node_changes;
	cr_expect_eq(ctl_resv_next(f.c), CW_T0 + 65); /* It is seen each 5 s. */
	until(64);
	cr_expect_eq(f.c->node_changes, before);
	until(65);
	cr_expect_gt(f.c->node_changes, before);
	cr_expect_str_eq(fake_states(&f), "maint idle idle idle");
	const uint64_t began = f.c->node_changes;
	until(121);
	cr_expect_eq(f.c->node_changes, began);
	until(122);
	cr_expect_gt(f.c->node_changes, began);
	cr_expect_str_eq(fake_states(&f), "idle idle idle idle");
}

Test(ctl_resv, deleted_it_leaves_its_nodes_and_holds_its_jobs, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=9 Users=u1 Nodes=n1");
	make("ReservationName=s StartTime=now Duration=9 Users=u1 Nodes=n2");
	struct ctl_job *job = in(0, "r");
	struct ctl_job *other = in(1, NULL);
	until(5);
	cr_expect_str_eq(fake_states(&f), "resv resv idle idle");
	cr_expect(does("delete", "reservation r", NULL));
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_RESERVATION_DELETED);
	expect_may(other, 5, 1, "n[1,3-4]+overlap");
	cr_expect_str_eq(fake_states(&f), "idle resv idle idle");
	struct ctl_job *runs = fake_runs(&f, 0, "n2", 1, 5);
	cr_expect(ctl_resv_change(f.c, runs, "s"));
	refused("delete", "ReservationName=s", "Requested reservation is in use");
}

Test(ctl_resv, jobs_in_it_end_with_it, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=1 Users=u1 Nodes=n1");
	struct ctl_job *job = fake_runs(&f, 0, "n1", 1, 5);
	cr_expect(ctl_resv_change(f.c, job, "r"));
	until(60);
	cr_expect_not(ctl_resv_timed_out(f.c, job));
	until(90); /* And it stays as long as a job runs in it. */
	cr_expect(ctl_resv_timed_out(f.c, job));
}

Test(ctl_resv, each_day_retry, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+60 Duration=1 Users=u1 Nodes=n1 Flags=daily");
	struct ctl_job *job = in(0, "r");
	struct ctl_job *other = in(1, NULL);
	until(86400);
	expect_may(job, 86460, 1, "n1");
	expect_may(other, 86461, 1, "n[2-4]+overlap");
	cr_expect_eq(ctl_resv_waits(f.c, job), SL_REASON_RESERVATION);
	/* Only its next time is known, not the one after it. */
	expect_may(other, 2 * 86400 + 60, 1, "n[1-4]");
}

/* T0 is a Friday. */
Test(ctl_resv, on_weekdays_and_weekends, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=d StartTime=now Duration=1 Users=u1 Nodes=n1 Flags=weekday");
	make("ReservationName=e StartTime=now+1day Duration=1 Users=u1 Nodes=n2 Flags=weekend");
	make("ReservationName=w StartTime=now Duration=1 Users=u1 Nodes=n3 Flags=weekly");
	make("ReservationName=h StartTime=now Duration=1 Users=u1 Nodes=n4 Flags=hourly");
	struct ctl_job *d = in(0, "d");
	struct ctl_job *e = in(0, "e");
	struct ctl_job *w = in(0, "w");
	struct ctl_job *h = in(0, "h");
	until(60);
	expect_may(d, 3 * 86400, 1, "n1"); /* Monday. */
	expect_may(w, 7 * 86400, 1, "n3");
	expect_may(h, 3600, 1, "n4");
	expect_may(d, 3 * 86400 - 1, 1, "not usable");
	until(86400 + 60);
	expect_may(e, 2 * 86400, 1, "n2"); /* Sunday, */
	until(2 * 86400 + 60);
	expect_may(e, 8 * 86400, 1, "n2"); /* then Saturday. */
	expect_may(e, 8 * 86400 - 1, 1, "not usable");
}

Test(ctl_resv, without_jobs_for_so_long_it_ends, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=60 Users=u1 Nodes=n1 Flags=purge_comp=1");
	make("ReservationName=s StartTime=now Duration=60 Users=u1 Nodes=n2 Flags=purge_comp");
	struct ctl_job *other = in(1, NULL);
	until(89); /* Idle since the tick at 30; */
	expect_may(other, 89, 1, "n[3-4]+overlap");
	until(90); /* one minute of that is over. */
	expect_may(other, 90, 1, "n[1,3-4]+overlap");
	until(330); /* 300 s where it does not say. */
	expect_may(other, 330, 1, "n[1-4]");
}

/* By the clock alone: nothing else wakes the controller at the looks at 30 and 60. */
Test(ctl_resv, it_ends_at_the_look_when_that_time_is_over, .fini = fini)
{
	f.w = (struct ctl_world){ .conf = CW_BRISK FOUR,
		.jobs = "1 5 10 user=u2 -N4 --exclusive -t 1\n",
		.commands =
			"3 scontrol create reservation ReservationName=r StartTime=now Duration=60 Users=u1 "
			"NodeCnt=2 Flags=IGNORE_JOBS,PURGE_COMP=00:00:30\n"
			"31 scontrol update ReservationName=r NodeCnt=1\n" };
	cw_run(&f.w);
	cw_expect(&f.w, "1:60-70@n[1-4]"); /* Idle since the look at 30. */
}

Test(ctl_resv, down_nodes_are_replaced_in_those_of_so_many, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=60 Users=u1 NodeCnt=2");
	make("ReservationName=s StartTime=now Duration=60 Users=u1 Nodes=n3");
	struct ctl_job *job = in(0, "r");
	cr_expect(ctl_node_command(f.c, "n[1,3]", "drain", "x"));
	until(29);
	expect_may(job, 29, 1, "n[1-2]");
	until(30);
	expect_may(job, 30, 1, "n[2,4]");
	expect_may(in(0, "s"), 30, 1, "n3"); /* What was named stays. */
}

Test(ctl_resv, replace_keeps_so_many_idle_nodes, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now Duration=60 Users=u1 NodeCnt=2 Flags=replace");
	struct ctl_job *job = in(0, "r");
	(void)fake_runs(&f, 0, "n1", 1, 5);
	f.c->node_changes++;
	until(30);
	expect_may(job, 30, 1, "n[2-3]");
}

Test(ctl_resv, floating_it_is_always_so_far_ahead, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR);
	make("ReservationName=r StartTime=now+60 Duration=1 Users=u1 Nodes=n1 Flags=time_float");
	struct ctl_job *job = in(1, NULL);
	cr_expect_eq(submits(0, "r"), SL_REASON_RESERVATION, "nobody uses one that floats");
	expect_may(job, 0, 1, "n[1-4]");
	expect_may(job, 1, 1, "n[2-4]+overlap");
	cw_at(&f.w, 3600);
	expect_may(job, 3600, 1, "n[1-4]");
	expect_may(job, 3601, 1, "n[2-4]+overlap");
}

Test(ctl_resv, licences_are_kept_too, .fini = fini)
{
	fake_begin(&f, CW_BRISK FOUR "Licenses=a:4\n");
	make("ReservationName=r StartTime=now+60 Duration=1 Users=u1 Licenses=a:3,b Flags=any_nodes");
	struct ctl_job *job = in(1, NULL);
	cr_expect_eq(ctl_resv_licenses(f.c, job, "a", CW_T0), 0);
	cr_expect_eq(ctl_resv_licenses(f.c, job, "a", CW_T0 + 1), 3);
	cr_expect_eq(ctl_resv_licenses(f.c, job, "b", CW_T0 + 1), 1);
	cr_expect_eq(ctl_resv_licenses(f.c, in(0, "r"), "a", CW_T0 + 60), 0);
}

/* ---- Property: whole runs
 * ----------------------------------------------------------------------------------- */

static bool is_on(const struct sl_result *r, uint32_t row, uint32_t first, uint32_t last)
{
	for (uint32_t i = 0; i < r->place_count[row]; i++) {
		const uint32_t node = r->place[r->place_first[row] + i].node;
		if (node >= first && node <= last)
			return true;
	}
	return false;
}

/* Of many jobs of all sizes and limits none that is in no reservation could by its limit be on reserved nodes
 * while it lasts, and none starts on a node while that is drained. */
Test(ctl_resv, nobody_runs_into_it_and_nobody_starts_on_what_is_drained, .fini = fini)
{
	enum { JOBS = 60, FROM = 300, UNTIL = 600, DRAINED = 200, RESUMED = 700 };
	static char jobs[JOBS * 60];
	int limit[JOBS];
	size_t len = 0;
	struct sl_rng rng = sl_rng_stream(7, "tests/ctl_resv");
	for (int i = 0; i < JOBS; i++) {
		limit[i] = 1 + (int)sl_rng_below(&rng, 4);
		len += (size_t)snprintf(jobs + len, sizeof(jobs) - len, "%d %d %d -N%d -n%d --mem 10 -t %d\n",
			i + 1, 5 + 8 * i, 5 + (int)sl_rng_below(&rng, 40), 1, 1 + (int)sl_rng_below(&rng, 4),
			limit[i]);
	}
	f.w = (struct ctl_world){ .conf = CW_BRISK FOUR,
		.jobs = jobs,
		.commands =
			"3 scontrol create reservation ReservationName=r StartTime=now+297 Duration=5 Users=u2 "
			"Nodes=n[1-2]\n200 scontrol update nodename=n4 state=drain reason=x\n"
			"700 scontrol update nodename=n4 state=resume\n",
		.check = true };
	cw_run(&f.w);
	const struct sl_result *r = &f.w.sim.result;
	for (uint32_t i = 0; i < JOBS; i++) {
		const int64_t start = r->start[i] / SL_SECOND + f.w.scenario.epoch - CW_T0;
		cr_assert_neq(r->start[i], SL_NONE, "job %u never started", i + 1);
		cr_expect(!is_on(r, i, 0, 1) || start >= UNTIL || start + limit[i] * 60 <= FROM,
			"job %u, limit %d, started on reserved nodes at %lld", i + 1, limit[i],
			(long long)start);
		cr_expect(!is_on(r, i, 3, 3) || start < DRAINED || start >= RESUMED,
			"job %u started on a drained node at %lld", i + 1, (long long)start);
	}
}

/* A count for each node was taken up to 22.05; of 23.11 and after it is one number. */
Test(ctl_resv, lists_of_counts, .fini = fini)
{
	static const char nodes[] = "ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=1,1";
	static const char cores[] =
		"ReservationName=b StartTime=now Duration=1 Users=u1 CoreCnt=1,1 Nodes=n[3-4]";
	f.w.policy = "slurm:version=22.05";
	fake_begin(&f, CW_BRISK FOUR);
	make(nodes);
	make(cores);
	cw_end(&f.w);
	f = (struct fakes){ .w.policy = "slurm:version=23.11" };
	fake_begin(&f, CW_BRISK FOUR);
	refused("create", nodes, "Using a comma separated array for NodeCnt is no longer valid.");
	refused("create", cores, "Using a comma separated array for CoreCnt is no longer valid.");
	make("ReservationName=a StartTime=now Duration=1 Users=u1 NodeCnt=2");
	refused("update", "ReservationName=a NodeCnt=1,1",
		"Using a comma separated array for NodeCnt is no longer valid.");
	make("ReservationName=b StartTime=now Duration=1 Users=u1 CoreCnt=2 Nodes=n[3-4]");
}
