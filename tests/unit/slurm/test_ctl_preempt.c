/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_preempt.c - which job is preempted for which, in which order and how, clause by clause, worked by
 * hand.
 */
#include <criterion/criterion.h>

#include "policies/slurm/accounts/ctl_limits.h"
#include "tests/world/ctl_preempt_world.h"

enum { LOW, HIGH };

static struct preempt_world w;

static void fini(void) { pw_end(&w); }

/* "p" of tier 1 and "high" of tier 10 over the same nodes. */
static void two_tiers(uint32_t nodes)
{
	pw_begin(&w, nodes);
	(void)pw_part(&w, "high", 10);
}

static struct ctl_job *runs(struct ctl_job *job)
{
	cr_assert(pw_start(&w, job), "the test's own world is full");
	return job;
}

static struct ctl_job *on(struct ctl_job *job, const char *nodelist)
{
	w.desc[job->row].nodelist = nodelist;
	return job;
}

#define expect_preempts(job, text) cr_expect_str_eq(pw_preempts(&w, job), text)

/* ---- Who may ------------------------------------------------------------------------------------------ */

Test(ctl_preempt, by_partition_a_higher_tier_may, .fini = fini)
{
	two_tiers(2);
	(void)pw_part(&w, "too", 1);
	pw_ready(&w);
	const struct ctl_job *low = runs(pw_whole(&w, LOW, 1));
	const struct ctl_job *waits = pw_whole(&w, LOW, 1), *one = pw_whole(&w, HIGH, 1);
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	cr_expect_not(ctl_may_preempt(&w.c, one, 2, low), "of the same tier");
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, waits), "it does not run");
	w.part[LOW].preempt_mode = CTL_PREEMPT_OFF;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low), "its partition says no");
	w.part[LOW].preempt_mode = CTL_PREEMPT_NOT_SAID;
	w.c.params.preempt_mode = CTL_PREEMPT_OFF;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low), "nobody is preempted here");
}

Test(ctl_preempt, only_on_nodes_of_its_partition, .fini = fini)
{
	two_tiers(2);
	w.w.partition[HIGH].nodes = "n2";
	pw_ready(&w);
	const struct ctl_job *first = runs(pw_whole(&w, LOW, 1)), *second = runs(pw_whole(&w, LOW, 1));
	const struct ctl_job *one = pw_whole(&w, HIGH, 1);
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, first));
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, second));
}

Test(ctl_preempt, by_qos_as_it_lists, .fini = fini)
{
	two_tiers(1);
	pw_by_qos(&w);
	pw_ready(&w);
	struct ctl_job *low = pw_whole(&w, LOW, 1), *one = pw_whole(&w, HIGH, 1);
	(void)runs(low);
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low), "no QOS, and tiers do not count");
	low->qos = 0;
	one->qos = 1;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
	w.preempts[1] = 1;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	cr_expect(ctl_may_preempt(&w.c, one, LOW, low), "in whichever partition");
}

Test(ctl_preempt, within_a_qos_by_priority, .fini = fini)
{
	two_tiers(1);
	pw_by_qos(&w);
	pw_ready(&w);
	struct ctl_job *low = pw_whole(&w, LOW, 1), *one = pw_whole(&w, LOW, 1);
	(void)runs(low);
	low->qos = one->qos = 0;
	one->priority = low->priority + 1;
	cr_expect_not(ctl_may_preempt(&w.c, one, LOW, low));
	cr_assert(ctl_qos_set(&w.c, 0, "PreemptMode", "cancel,within"));
	cr_expect(ctl_may_preempt(&w.c, one, LOW, low));
	cr_expect_eq(ctl_preempt_mode(&w.c, low), CTL_PREEMPT_CANCEL);
	one->priority = low->priority;
	cr_expect_not(ctl_may_preempt(&w.c, one, LOW, low));
}

/* PreemptMode=PRIORITY, of 25.05. */
Test(ctl_preempt, by_priority_where_the_preemptors_partition_or_qos_says_so, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *low = pw_whole(&w, LOW, 1), *one = pw_whole(&w, HIGH, 1);
	(void)runs(low);
	one->priority = low->priority;
	w.part[HIGH].preempt_priority = true;
	w.c.params.version = CTL_24_11;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low), "nobody looks before");
	w.c.params.version = CTL_25_05;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
	const struct ctl_entry a = { .job = one, .part = HIGH, .priority = one->priority },
			       b = { .job = low, .part = LOW, .priority = low->priority };
	cr_expect_not(ctl_preempts_first(&w.c, &a, &b));
	one->priority = low->priority + 1;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	w.part[HIGH].preempt_priority = false;
	one->priority = low->priority;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	cr_expect(ctl_preempts_first(&w.c, &a, &b));
	w.c.params.preempt_by_part = false;
	w.c.params.preempt_by_qos = true;
	low->qos = 0;
	one->qos = 1;
	w.preempts[1] = 1;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	cr_assert(ctl_qos_set(&w.c, 1, "PreemptMode", "requeue,priority"));
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
}

Test(ctl_preempt, not_before_it_has_run_for_its_exempt_time, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *low = runs(pw_whole(&w, LOW, 1));
	const struct ctl_job *one = pw_whole(&w, HIGH, 1);
	w.c.params.preempt_exempt_time = 60;
	w.c.now += 59;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
	w.c.now++;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	low->qos = 0; /* The job's QOS before the cluster, the partition's before it. */
	w.qos[0].exempt_time = 100;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
	w.qos[0].exempt_time = CTL_NEVER; /* As slurmdbd has it of one that does not say. */
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	w.qos[0].exempt_time = 100;
	w.part[LOW].qos = 1;
	w.qos[1].exempt_time = 0;
	cr_expect(ctl_may_preempt(&w.c, one, HIGH, low));
	w.qos[0].flags = CTL_QOS_OVER_PART_QOS;
	cr_expect_not(ctl_may_preempt(&w.c, one, HIGH, low));
}

Test(ctl_preempt, modes_of_partition_qos_and_cluster, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	struct ctl_job *low = pw_whole(&w, LOW, 1);
	low->qos = 0;
	w.qos[0].preempt_mode = CTL_PREEMPT_CANCEL;
	cr_expect_eq(ctl_preempt_mode(&w.c, low), CTL_PREEMPT_REQUEUE, "by partition: a QOS has no say");
	w.part[LOW].preempt_mode = CTL_PREEMPT_OFF;
	cr_expect_eq(ctl_preempt_mode(&w.c, low), CTL_PREEMPT_OFF);
	w.c.params.preempt_by_part = false;
	w.c.params.preempt_by_qos = true;
	cr_expect_eq(ctl_preempt_mode(&w.c, low), CTL_PREEMPT_CANCEL);
	w.qos[0].preempt_mode = CTL_PREEMPT_OFF;
	cr_expect_eq(ctl_preempt_mode(&w.c, low), CTL_PREEMPT_REQUEUE, "OFF of a QOS: the cluster's");
}

Test(ctl_preempt, preemptors_go_first_in_the_queue, .fini = fini)
{
	two_tiers(2);
	w.w.partition[HIGH].nodes = "n2";
	(void)pw_part(&w, "apart", 20);
	w.w.partition[2].nodes = "n1";
	pw_ready(&w);
	const struct ctl_entry low = { .job = pw_whole(&w, LOW, 1), .part = LOW };
	const struct ctl_entry high = { .job = pw_whole(&w, HIGH, 1), .part = HIGH };
	const struct ctl_entry apart = { .job = pw_whole(&w, 2, 1), .part = 2 };
	cr_expect(ctl_preempts_first(&w.c, &high, &low));
	cr_expect_not(ctl_preempts_first(&w.c, &low, &high));
	cr_expect_not(ctl_preempts_first(&w.c, &apart, &high), "they share no node");
	w.c.params.preempt_mode = CTL_PREEMPT_OFF;
	cr_expect_not(ctl_preempts_first(&w.c, &high, &low));
}

/* ---- In which order -------------------------------------------------------------------------------------
 */

static const char *candidates(struct ctl_job *job)
{
	struct ctl_job *const *victim;
	const size_t count = ctl_preempt_candidates(&w.c, job, job->part, &victim);
	return pw_names(&w, victim, count);
}

Test(ctl_preempt, candidates_by_tier_then_nodes_then_submission, .fini = fini)
{
	two_tiers(6);
	(void)pw_part(&w, "middle", 5);
	pw_ready(&w);
	(void)runs(pw_whole(&w, 2, 1));              /* A: of a higher tier. */
	(void)runs(pw_whole(&w, LOW, 2));            /* B */
	struct ctl_job *late = pw_whole(&w, LOW, 1); /* C: submitted before D, started after it. */
	(void)runs(pw_whole(&w, LOW, 1));
	w.c.now += 10;
	(void)runs(late);
	cr_expect_str_eq(candidates(pw_whole(&w, HIGH, 1)), "C, D, B, A");
	w.c.preempt = NULL;
	w.c.params.preempt_youngest_first = true;
	cr_assert_eq(ctl_preempt_make(&w.c, &w.c.engine.err), SL_OK);
	cr_expect_str_eq(candidates(pw_whole(&w, HIGH, 1)), "C, A, B, D");
}

Test(ctl_preempt, by_qos_its_priority_counts, .fini = fini)
{
	pw_begin(&w, 3);
	pw_by_qos(&w);
	pw_ready(&w);
	w.qos[0].priority = 70000; /* Beyond 16 bits: as the most. */
	w.qos[1].priority = 10;
	w.qos[2].priority = 65535;
	for (uint32_t i = 0; i < 3; i++)
		runs(pw_whole(&w, LOW, 1))->qos = i;
	w.preempts[3] = 7;
	struct ctl_job *one = pw_whole(&w, LOW, 1);
	one->qos = 3;
	cr_expect_str_eq(candidates(one), "B, A, C");
}

/* ---- Who has to go ---------------------------------------------------------------------------------------
 */

/* Scenario 60: of A (n1), B (n2-3) and C (n4) those of one node go. Started over twice: C, A, then A, C. */
Test(ctl_preempt, small_ones_go_before_one_that_would_do, .fini = fini)
{
	two_tiers(4);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	(void)runs(pw_whole(&w, LOW, 2));
	(void)runs(pw_whole(&w, LOW, 1));
	expect_preempts(pw_whole(&w, HIGH, 2), "A, C -> n1:0-3 n4:0-3");
	expect_preempts(pw_whole(&w, HIGH, 1), "A -> n1:0-3");
}

Test(ctl_preempt, nobody_goes_who_is_in_nobodys_way, .fini = fini)
{
	two_tiers(3);
	pw_ready(&w);
	for (int i = 0; i < 3; i++)
		(void)runs(pw_whole(&w, LOW, 1));
	expect_preempts(on(pw_whole(&w, HIGH, 1), "n3"), "C -> n3:0-3");
	struct ctl_job *low = pw_whole(&w, LOW, 1);
	expect_preempts(low, "busy");
}

/* Of a node's jobs only as many as needed: the two cores of B suffice, which A alone would not. */
Test(ctl_preempt, who_made_it_fit_goes_first_when_it_starts_over, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	(void)runs(pw_job(&w, LOW, 1));
	(void)runs(pw_job(&w, LOW, 2));
	(void)runs(pw_job(&w, LOW, 1));
	expect_preempts(pw_job(&w, HIGH, 2), "B -> n1:1-2");
	expect_preempts(pw_job(&w, HIGH, 1), "A -> n1:0");
	expect_preempts(pw_job(&w, HIGH, 4), "B, C, A -> n1:0-3");
}

static void reorder_count(int64_t count)
{
	w.c.params.preempt_reorder_count = count;
	w.c.preempt = NULL;
	cr_assert_eq(ctl_preempt_make(&w.c, &w.c.engine.err), SL_OK);
}

Test(ctl_preempt, without_reordering_more_go, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	(void)runs(pw_job(&w, LOW, 1));
	(void)runs(pw_job(&w, LOW, 2));
	(void)runs(pw_job(&w, LOW, 1));
	reorder_count(-1);
	expect_preempts(pw_job(&w, HIGH, 2), "A, B -> n1:0-1");
	reorder_count(0); /* Once, as the count is compared before it grows. */
	expect_preempts(pw_job(&w, HIGH, 2), "B -> n1:1-2");
}

/* A (n1) and B (n1-2) are tried before C (n1-2): with C first, B is of more use than A. */
Test(ctl_preempt, the_others_follow_by_nodes_unless_order_is_strict, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	(void)runs(on(pw_job(&w, LOW, 1), "n1"));
	(void)runs(on(pw_job(&w, LOW, 2), "n[1-2]"));
	(void)runs(on(pw_job(&w, LOW, 2), "n[1-2]"));
	(void)runs(on(pw_job(&w, HIGH, 1), "n1"));
	(void)runs(on(pw_job(&w, HIGH, 2), "n2"));
	struct ctl_job *one = pw_job(&w, HIGH, 4);
	w.desc[one->row].nodes_min = w.desc[one->row].nodes_max = 2;
	w.desc[one->row].tasks_per_node = 2;
	reorder_count(0);
	expect_preempts(one, "C, B -> n1:1-2 n2:0-1");
	w.c.params.preempt_strict_order = true;
	reorder_count(0);
	expect_preempts(one, "C, A, B -> n1:0-1 n2:0-1");
}

Test(ctl_preempt, only_on_nodes_that_are_available, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	(void)runs(pw_whole(&w, LOW, 1));
	const uint64_t second = 2;
	struct ctl_victims victims;
	cr_assert_eq(ctl_preempt_place(&w.c, pw_whole(&w, HIGH, 1), HIGH, &second, &victims), SELECT_FITS);
	cr_expect_str_eq(pw_names(&w, victims.job, victims.count), "B");
}

Test(ctl_preempt, who_is_to_be_suspended_is_not_removed, .fini = fini)
{
	two_tiers(1);
	pw_ready(&w);
	(void)runs(pw_whole(&w, LOW, 1));
	w.part[LOW].preempt_mode = CTL_PREEMPT_SUSPEND;
	expect_preempts(pw_whole(&w, HIGH, 1), "busy");
	w.part[LOW].preempt_mode = CTL_PREEMPT_CANCEL;
	expect_preempts(pw_whole(&w, HIGH, 1), "A -> n1:0-3");
}

/* preempt/qos with SUSPEND: FORCE:1 has a row more, which only such a job takes. */
Test(ctl_preempt, by_qos_it_goes_on_top_in_the_extra_row, .fini = fini)
{
	pw_begin(&w, 1);
	w.w.partition[LOW].share = SL_SHARE_FORCE;
	w.w.partition[LOW].shares = 1;
	pw_by_qos(&w);
	pw_gang(&w);
	pw_ready(&w);
	struct ctl_job *low = pw_job(&w, LOW, 4), *one = pw_job(&w, LOW, 3), *other = pw_job(&w, LOW, 1);
	(void)runs(low);
	low->qos = 0;
	one->qos = 1;
	other->qos = 0;
	w.preempts[1] = 1;
	expect_preempts(one, "-> n1:0-2");
	cr_expect_not(pw_start(&w, other), "the row is not open to it");
	one->priority = 0;
	expect_preempts(one, "busy");
}

/* ---- They go ---------------------------------------------------------------------------------------------
 */

static struct ctl_job *only_victim(uint32_t mode)
{
	two_tiers(1);
	pw_ready(&w);
	w.c.params.preempt_mode = (enum ctl_preempt_mode)mode;
	return runs(pw_whole(&w, LOW, 1));
}

Test(ctl_preempt, each_goes_in_its_mode, .fini = fini)
{
	struct ctl_job *low = only_victim(CTL_PREEMPT_REQUEUE), *one = pw_whole(&w, HIGH, 1);
	cr_expect_not(ctl_preempt_do(&w.c, one, &low, 1), "it starts in the next pass");
	cr_expect_str_eq(pw_log(&w), "requeue A");
	cr_expect(one->preempting);
	cr_expect(pw_start(&w, one));
}

Test(ctl_preempt, who_cannot_be_requeued_is_ended, .fini = fini)
{
	struct ctl_job *low = only_victim(CTL_PREEMPT_REQUEUE);
	low->requeue_ok = false;
	cr_expect_not(ctl_preempt_do(&w.c, pw_whole(&w, HIGH, 1), &low, 1));
	cr_expect_str_eq(pw_log(&w), "end A");
}

Test(ctl_preempt, grace_moves_the_end_up, .fini = fini)
{
	struct ctl_job *low = only_victim(CTL_PREEMPT_CANCEL), *one = pw_whole(&w, HIGH, 1);
	w.part[LOW].grace_time = 20;
	low->end_limit = w.c.now + 100;
	cr_expect_not(ctl_preempt_do(&w.c, one, &low, 1));
	cr_expect_str_eq(pw_log(&w), "");
	cr_expect_eq(low->preempted_at, w.c.now);
	cr_expect_eq(low->end_limit, w.c.now + 20);
	w.c.now += 19;
	ctl_preempt_over(&w.c, low);
	cr_expect_str_eq(pw_log(&w), "", "it has a second left");
	w.c.now++;
	ctl_preempt_over(&w.c, low);
	cr_expect_str_eq(pw_log(&w), "end A");
}

Test(ctl_preempt, grace_never_moves_the_end_back, .fini = fini)
{
	struct ctl_job *low = only_victim(CTL_PREEMPT_CANCEL);
	w.part[LOW].grace_time = 20;
	low->end_limit = w.c.now + 5;
	(void)ctl_preempt_do(&w.c, pw_whole(&w, HIGH, 1), &low, 1);
	cr_expect_eq(low->end_limit, w.c.now + 5);
}

/* KillWait 30 and MessageTimeout 10. */
Test(ctl_preempt, who_has_ended_some_waits_before_it_ends_more, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	struct ctl_job *first = runs(pw_whole(&w, LOW, 1)), *second = runs(pw_whole(&w, LOW, 1));
	struct ctl_job *one = pw_whole(&w, HIGH, 1);
	cr_expect_not(ctl_preempt_do(&w.c, one, &first, 1));
	cr_expect_str_eq(pw_log(&w), "requeue A");
	cr_expect(one->preempting);
	w.c.now += 39;
	cr_expect_not(ctl_preempt_do(&w.c, one, &second, 1));
	cr_expect_not(one->preempting);
	cr_expect_str_eq(pw_log(&w), "");
	cr_expect_eq(ctl_preempt_retry(&w.c, one), w.c.now + 1);
	w.c.now++;
	cr_expect_not(ctl_preempt_do(&w.c, one, &second, 1));
	cr_expect_str_eq(pw_log(&w), "requeue B");
}

Test(ctl_preempt, with_nobody_to_end_it_starts_now, .fini = fini)
{
	two_tiers(1);
	pw_gang(&w);
	pw_ready(&w);
	struct ctl_job *low = runs(pw_whole(&w, LOW, 1)), *one = pw_whole(&w, HIGH, 1);
	cr_expect(ctl_preempt_do(&w.c, one, NULL, 0));
	cr_expect(ctl_preempt_do(&w.c, one, &low, 1), "gang scheduling stops it");
	cr_expect_str_eq(pw_log(&w), "");
	cr_expect_not(one->preempting);
}

/* ---- Plans ------------------------------------------------------------------------------------------- */

static sl_time will_run(struct ctl_job *job, const struct select_running *running, size_t count)
{
	struct select_outlook outlook = { .running = running, .running_count = count };
	ctl_preempt_outlook(&w.c, job, job->part, &outlook);
	return select_will_run(w.c.select, &job->desc, NULL, &outlook, NULL);
}

Test(ctl_preempt, a_plan_takes_candidates_for_gone, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	const struct ctl_job *low = runs(pw_whole(&w, LOW, 1)), *other = runs(pw_whole(&w, HIGH, 1));
	const struct select_running running = { .alloc = other->alloc, .end = 100 * SL_SECOND };
	cr_expect_eq(will_run(pw_whole(&w, HIGH, 1), &running, 1), 0, "now, if A goes");
	cr_expect(ctl_is_candidate(&w.c, low));
	cr_expect_not(ctl_is_candidate(&w.c, other));
	cr_expect_eq(will_run(pw_whole(&w, HIGH, 2), &running, 1), 100 * SL_SECOND, "A goes, B ends");
	cr_expect(low->alloc->held && other->alloc->held, "nothing was changed");
	w.c.params.preempt_by_part = false;
	cr_expect_eq(will_run(pw_whole(&w, HIGH, 2), &running, 1), SL_NEVER);
}

Test(ctl_preempt, a_plan_leaves_the_memory_of_the_suspended, .fini = fini)
{
	two_tiers(1);
	pw_gang(&w);
	pw_ready(&w);
	struct ctl_job *low = pw_job(&w, LOW, 4);
	w.desc[low->row].mem_per_node = 3000;
	(void)runs(low);
	struct ctl_job *small = pw_job(&w, HIGH, 4), *large = pw_job(&w, HIGH, 4);
	w.desc[large->row].mem_per_node = 2000;
	cr_expect_eq(will_run(small, NULL, 0), 0);
	cr_expect_eq(will_run(large, NULL, 0), SL_NEVER);
}

/* ---- How many share a core --------------------------------------------------------------------------- */

Test(ctl_preempt, jobs_to_a_core, .fini = fini)
{
	two_tiers(2);
	pw_ready(&w);
	cr_expect_eq(ctl_overcommit(&w.c), 1);
	w.w.partition[LOW].share = SL_SHARE_FORCE;
	w.w.partition[LOW].shares = 3;
	cr_expect_eq(ctl_overcommit(&w.c), 3);
	w.c.params.gang = true;
	cr_expect_eq(ctl_overcommit(&w.c), 4, "and one of the other partition");
	w.part[HIGH].nodes[0] = 0;
	cr_expect_eq(ctl_overcommit(&w.c), 3, "which is not there");
}
