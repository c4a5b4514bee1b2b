/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_gang.c - which jobs run and which are suspended under gang scheduling, clause by clause, worked by
 * hand.
 */
#include <criterion/criterion.h>

#include "tests/world/ctl_preempt_world.h"

enum { LOW, HIGH };

static struct preempt_world w;

static void fini(void) { pw_end(&w); }

static void two_tiers(uint32_t nodes)
{
	pw_begin(&w, nodes);
	(void)pw_part(&w, "high", 10);
	w.w.partition[LOW].share = SL_SHARE_FORCE;
	w.w.partition[LOW].shares = 1;
	pw_gang(&w);
}

static struct ctl_job *runs(struct ctl_job *job)
{
	cr_assert(pw_start(&w, job), "the test's own world is full");
	return job;
}

#define expect_log(text) cr_expect_str_eq(pw_log(&w), text)

/* The next slice, which begins at multiples of 30 s. */
static const char *slice(void)
{
	const ctl_time next = ctl_gang_next(&w.c);
	cr_assert_neq(next, CTL_NEVER, "nobody waits for a turn");
	w.c.now = next;
	ctl_gang_run(&w.c);
	return pw_log(&w);
}

/* ---- Higher tiers ------------------------------------------------------------------------------------- */

/* Scenario 62: A (n1), B (n2-3) and C (n4) run; H takes n1-2, I the rest of B's. */
Test(ctl_gang, those_below_stand_still_until_all_their_nodes_are_theirs, .fini = fini)
{
	two_tiers(4);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	(void)runs(pw_whole(&w, LOW, 2));
	(void)runs(pw_whole(&w, LOW, 1));
	expect_log("");
	struct ctl_job *h = runs(pw_whole(&w, HIGH, 2));
	cr_expect_str_eq(pw_where(&w, h), "n1:0-3 n2:0-3");
	expect_log("stop A, stop B");
	struct ctl_job *i = runs(pw_whole(&w, HIGH, 1));
	cr_expect_str_eq(pw_where(&w, i), "n3:0-3");
	expect_log("");
	cr_expect_not(pw_start(&w, pw_whole(&w, LOW, 1)), "what stands still keeps its nodes");
	pw_finish(&w, h);
	expect_log("go A");
	pw_finish(&w, i);
	expect_log("go B");
}

Test(ctl_gang, who_shares_no_core_runs_on, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	(void)runs(pw_job(&w, LOW, 2));
	(void)runs(pw_job(&w, LOW, 2));
	struct ctl_job *h = runs(pw_job(&w, HIGH, 1));
	cr_expect_str_eq(pw_where(&w, h), "n1:0");
	expect_log("stop A");
}

Test(ctl_gang, idle_nodes_before_those_of_others, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	cr_expect_str_eq(pw_where(&w, runs(pw_whole(&w, HIGH, 1))), "n2:0-3");
	expect_log("");
}

Test(ctl_gang, above_whom_it_cannot_stop, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *h = runs(pw_whole(&w, HIGH, 1));
	cr_expect_not(pw_start(&w, pw_whole(&w, LOW, 1)));
	cr_expect_not(pw_start(&w, pw_whole(&w, HIGH, 1)), "its own partition has one row");
	pw_finish(&w, h);
	expect_log("");
}

/* Of three tiers the middle one stops the lowest, and is stopped with it. */
Test(ctl_gang, who_is_stopped_stops_nobody, .fini = fini)
{
	two_tiers(2);
	(void)pw_part(&w, "middle", 5);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	(void)runs(pw_whole(&w, LOW, 1));
	struct ctl_job *m = runs(pw_whole(&w, 2, 2));
	expect_log("stop A, stop B");
	struct ctl_job *h = pw_whole(&w, HIGH, 1);
	w.desc[h->row].nodelist = "n2";
	(void)runs(h);
	expect_log("stop C, go A");
	pw_finish(&w, m);
	expect_log("");
	pw_finish(&w, h);
	expect_log("go B");
}

Test(ctl_gang, who_is_not_to_be_suspended_goes, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	w.part[LOW].preempt_mode = CTL_PREEMPT_REQUEUE;
	(void)runs(pw_whole(&w, LOW, 1));
	runs(pw_whole(&w, LOW, 1))->requeue_ok = false;
	(void)runs(pw_whole(&w, HIGH, 2));
	expect_log("requeue A, end B");
}

Test(ctl_gang, a_partition_that_says_off_keeps_its_nodes, .fini = fini)
{
	two_tiers(2);
	sw_set(&w.w, "PreemptMode", "SUSPEND,GANG");
	w.w.setting[w.w.cluster.setting_count++] =
		(struct sl_setting){ .kind = "partition", .name = "p", .key = "PreemptMode", .value = "off" };
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	struct ctl_job *h = runs(pw_whole(&w, HIGH, 1));
	cr_expect_str_eq(pw_where(&w, h), "n2:0-3");
	cr_expect_not(pw_start(&w, pw_whole(&w, HIGH, 1)));
	expect_log("");
}

/* ---- Turns ----------------------------------------------------------------------------------------------
 */

static void rows(uint32_t count)
{
	pw_begin(&w, 1);
	w.w.partition[LOW].share = SL_SHARE_FORCE;
	w.w.partition[LOW].shares = count;
	pw_gang(&w);
	pw_ready(&w);
}

/* In the first slice A, which was a filler so far, has its turn still. */
Test(ctl_gang, two_take_turns, .fini = fini)
{
	rows(2);
	(void)runs(pw_job(&w, LOW, 4));
	cr_expect_eq(ctl_gang_next(&w.c), CTL_NEVER, "it has nobody beside it");
	struct ctl_job *b = runs(pw_job(&w, LOW, 4));
	expect_log("stop B");
	cr_expect_not(pw_start(&w, pw_job(&w, LOW, 1)), "two rows");
	cr_expect_eq(ctl_gang_next(&w.c), 1020);
	cr_expect_str_eq(slice(), "");
	cr_expect_str_eq(slice(), "stop A, go B");
	cr_expect_eq(w.c.now, 1050);
	cr_expect_str_eq(slice(), "stop B, go A");
	cr_expect_str_eq(slice(), "stop A, go B");
	pw_finish(&w, b);
	expect_log("go A");
	cr_expect_eq(ctl_gang_next(&w.c), CTL_NEVER);
}

Test(ctl_gang, a_slice_is_where_the_phase_says, .fini = fini)
{
	rows(2);
	w.c.params.tick_phase = 26;
	(void)runs(pw_job(&w, LOW, 4));
	(void)runs(pw_job(&w, LOW, 4));
	(void)pw_log(&w);
	cr_expect_eq(ctl_gang_next(&w.c), 1016);
	w.c.params.time_slice = 5;
	w.c.params.tick_phase = 0;
	cr_expect_eq(ctl_gang_next(&w.c), 1005);
	w.c.now = 1004;
	ctl_gang_run(&w.c);
	w.c.now = 1005;
	ctl_gang_run(&w.c);
	ctl_gang_run(&w.c); /* Once an instant. */
	w.c.now = 1010;
	ctl_gang_run(&w.c);
	expect_log("stop A, go B");
}

Test(ctl_gang, three_take_turns_in_order_of_their_start, .fini = fini)
{
	rows(3);
	for (int i = 0; i < 3; i++)
		(void)runs(pw_job(&w, LOW, 4));
	expect_log("stop B, stop C");
	(void)slice();
	cr_expect_str_eq(slice(), "stop A, go B");
	cr_expect_str_eq(slice(), "stop B, go C");
	cr_expect_str_eq(slice(), "stop C, go A");
}

/* A and B have two cores each, C all four: A and B have their turn together. */
Test(ctl_gang, those_that_fit_side_by_side_have_one_turn, .fini = fini)
{
	rows(2);
	(void)runs(pw_job(&w, LOW, 2));
	(void)runs(pw_job(&w, LOW, 2));
	(void)runs(pw_job(&w, LOW, 4));
	expect_log("stop C");
	cr_expect_str_eq(slice(), "");
	cr_expect_str_eq(slice(), "stop A, stop B, go C");
	cr_expect_str_eq(slice(), "stop C, go A, go B");
}

/* When C ends, D fits beside A at once, though it is nobody's turn. */
Test(ctl_gang, who_fits_fills_the_row, .fini = fini)
{
	rows(2);
	(void)runs(pw_job(&w, LOW, 2));
	struct ctl_job *b = runs(pw_job(&w, LOW, 2));
	struct ctl_job *c = runs(pw_job(&w, LOW, 2)), *d = runs(pw_job(&w, LOW, 2));
	cr_expect_str_eq(pw_where(&w, c), "n1:0-1");
	cr_expect_str_eq(pw_where(&w, d), "n1:2-3");
	expect_log("stop C, stop D");
	pw_finish(&w, b);
	expect_log("go D");
}

/* ---- By hand ----------------------------------------------------------------------------------------------
 */

Test(ctl_gang, whom_an_operator_suspends_gives_its_cores_away, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *a = runs(pw_whole(&w, LOW, 1));
	ctl_suspend_by_hand(&w.c, a);
	expect_log("stop A");
	struct ctl_job *b = runs(pw_whole(&w, LOW, 1));
	ctl_resume_by_hand(&w.c, a);
	expect_log("go A, stop A");
	pw_finish(&w, b);
	expect_log("go A");
	cr_expect_not(pw_start(&w, pw_whole(&w, LOW, 1)), "A has its cores again");
}

Test(ctl_gang, suspended_by_hand_twice_over, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *a = runs(pw_whole(&w, LOW, 1)), *h = runs(pw_whole(&w, HIGH, 1));
	expect_log("stop A");
	ctl_suspend_by_hand(&w.c, a);
	pw_finish(&w, h);
	expect_log("");
	ctl_resume_by_hand(&w.c, a);
	expect_log("go A");
}

Test(ctl_gang, whom_an_operator_resumes_out_of_turn_stops_retry, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *a = runs(pw_whole(&w, LOW, 1)), *h = runs(pw_whole(&w, HIGH, 1));
	expect_log("stop A");
	ctl_resume_by_hand(&w.c, a);
	expect_log("go A, stop A");
	pw_finish(&w, h);
	expect_log("go A");
}

/* Exclusive nodes of one whom an operator has suspended are open to others. */
Test(ctl_gang, a_stopped_job_lets_others_onto_its_nodes, .fini = fini)
{
	pw_begin(&w, 1);
	w.w.partition[LOW].share = SL_SHARE_EXCLUSIVE;
	pw_ready(&w);
	struct ctl_job *a = runs(pw_job(&w, LOW, 1));
	cr_expect_not(pw_start(&w, pw_job(&w, LOW, 1)));
	ctl_suspend_by_hand(&w.c, a);
	struct ctl_job *b = runs(pw_job(&w, LOW, 1));
	pw_finish(&w, b);
	ctl_resume_by_hand(&w.c, a);
	cr_expect_not(pw_start(&w, pw_job(&w, LOW, 1)));
}

/* ---- What is shared ------------------------------------------------------------------------------------ */

Test(ctl_gang, nodes_are_shared_where_memory_alone_counts, .fini = fini)
{
	two_tiers(1);
	sw_set(&w.w, "SelectTypeParameters", "CR_Memory");
	pw_ready(&w);
	(void)runs(pw_job(&w, LOW, 1));
	(void)runs(pw_job(&w, HIGH, 1));
	expect_log("stop A");
}

Test(ctl_gang, without_gang_nobody_is_stopped, .fini = fini)
{
	pw_begin(&w, 1);
	w.w.partition[LOW].share = SL_SHARE_FORCE;
	w.w.partition[LOW].shares = 2;
	pw_ready(&w);
	(void)runs(pw_job(&w, LOW, 4));
	(void)runs(pw_job(&w, LOW, 4));
	expect_log("");
	cr_expect_eq(ctl_gang_next(&w.c), CTL_NEVER);
	cr_expect_not(pw_start(&w, pw_job(&w, LOW, 1)));
}
