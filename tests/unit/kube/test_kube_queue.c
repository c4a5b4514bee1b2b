/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_queue.c - kube-scheduler's queue, preemption and gangs: small cases worked by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kube_world.h"

#define SMALL     KUBE_ASKS("1", "1Gi")
#define RANKED(n) "\"priority\":" #n ","

static sl_time runs(struct kube_test *test, int64_t second) { return kube_run(&test->k, second * SL_SECOND); }

/* What came of it next, for that job: false, nothing. */
static bool reported(struct kube_test *test, enum sl_bound_what what, sl_job job, sl_job cause)
{
	struct kube *k = &test->k;
	if (k->reported_next == k->reported_count)
		return false;
	const struct sl_bound bound = k->reported[k->reported_next++];
	return bound.what == what && bound.job.row == job.row && bound.cause.row == cause.row;
}

Test(kube_queue, backoff_doubles_up_to_ten_seconds)
{
	static const int64_t seconds[] = { 1, 2, 4, 8, 10, 10 };
	for (uint32_t i = 0; i < SL_LEN(seconds); i++)
		cr_expect_eq(kube_backoff(i + 1), seconds[i] * SL_SECOND, "attempt %u", i + 1);
}

Test(kube_queue, by_priority_then_by_time)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1 };
	kube_test_open(&test);
	const sl_job first = kube_test_pod(&test, 0, "", SMALL);
	const sl_job low = kube_test_pod(&test, 0, "", SMALL);
	const sl_job high = kube_test_pod(&test, 0, "", RANKED(5) "\"preemptionPolicy\":\"Never\"," SMALL);
	runs(&test, 0);
	cr_expect_eq(kube_test_at(&test, high, 0), 1);
	kube_remove(&test.k, 10 * SL_SECOND, high);
	runs(&test, 10);
	cr_expect_eq(kube_test_at(&test, first, 0), 1);
	cr_expect_eq(kube_test_at(&test, low, 0), 0);
	kube_test_close(&test);
}

Test(kube_queue, events_that_help_nobody_wake_nobody)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 2, .label = { { "zone", "a" } } };
	kube_test_open(&test);
	const sl_job in_a = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	const sl_job nowhere = kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"zone\":\"b\"}," SMALL);
	runs(&test, 0);
	const uint64_t before = test.k.attempts;
	kube_remove(&test.k, SL_SECOND, in_a); /* A pod that goes is no hint for a selector that fails. */
	runs(&test, 1);
	cr_expect_eq(test.k.attempts, before);
	kube_node(&test.k, 2 * SL_SECOND, 1, false);
	kube_node(&test.k, 2 * SL_SECOND, 1, true); /* A node that comes is. */
	runs(&test, 2);
	cr_expect_eq(test.k.attempts, before + 1);
	cr_expect_eq(kube_test_at(&test, nowhere, 0), 0);
	kube_test_close(&test);
}

Test(kube_queue, what_waits_five_minutes_is_tried_retry_in_another_world)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1 };
	kube_test_open(&test);
	(void)kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"zone\":\"b\"}," SMALL);
	cr_expect_eq(runs(&test, 0), SL_NEVER); /* Nothing has changed since. */
	const uint64_t before = test.k.attempts;
	(void)kube_test_pod(&test, 10 * SL_SECOND, "", SMALL);
	cr_expect_eq(runs(&test, 10), 300 * SL_SECOND);
	runs(&test, 300);
	cr_expect_eq(test.k.attempts, before + 2);
	kube_test_close(&test);
}

Test(kube_queue, backoff_can_be_waited_for)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1, .options = { .backoff_waits = true } };
	kube_test_open(&test);
	const sl_job one = kube_test_pod(&test, 0, "", SMALL), two = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	kube_remove(&test.k, SL_SECOND / 2, one);
	cr_expect_eq(kube_run(&test.k, SL_SECOND / 2), SL_SECOND); /* It failed at 0, once. */
	cr_expect_eq(kube_test_at(&test, two, 0), 0);
	runs(&test, 1);
	cr_expect_eq(kube_test_at(&test, two, 0), 1);
	kube_test_close(&test);
}

/* A nomination that is given up helps pods of its priority or less: the others never minded it. */
Test(kube_queue, a_nominee_that_leaves_wakes_none_of_more_priority)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1, .options = { .singly = true } };
	kube_test_open(&test);
	(void)kube_test_pod(&test, 0, "", RANKED(9) SMALL);
	const sl_job mid = kube_test_pod(&test, 0, "", RANKED(5) SMALL);
	const sl_job low = kube_test_pod(&test, 0, "", RANKED(1) SMALL);
	runs(&test, 0);
	const uint32_t of_mid = test.k.job[mid.row].first, of_low = test.k.job[low.row].first;
	kube_queue_changed(&test.k, KUBE_NOMINEE_LEFT, 0, test.k.pod[of_low].spec);
	cr_expect_eq(test.k.pod[of_mid].state, KUBE_POD_PARKED);
	cr_expect_eq(test.k.pod[of_low].state, KUBE_POD_BACKOFF);
	kube_test_close(&test);
}

/* ---- Preemption -----------------------------------------------------------------------------------------
 */

Test(kube_preempt, least_important_pods_make_capacity)
{
	struct kube_test test = { .cpus = 2, .gib = 8, .nodes = 2 };
	kube_test_open(&test);
	const sl_job a = kube_test_pod(&test, 0, "", RANKED(1) SMALL); /* n1 */
	const sl_job b = kube_test_pod(&test, 0, "", RANKED(1) SMALL); /* n2 */
	runs(&test, 0);
	const sl_job c = kube_test_pod(&test, SL_SECOND, "", RANKED(3) SMALL); /* n1 */
	const sl_job d = kube_test_pod(&test, SL_SECOND, "", RANKED(2) SMALL); /* n2 */
	runs(&test, 1);
	test.k.reported_next = test.k.reported_count = 0;
	/* Both nodes would do: n1's highest victim is a of 1, n2's b of 1: the same; b started last. d is
	 * reprieved, as b suffices. */
	const sl_job high = kube_test_pod(&test, 2 * SL_SECOND, "", RANKED(9) SMALL);
	runs(&test, 2);
	cr_expect(reported(&test, SL_BOUND_LOST, b, high));
	cr_expect(reported(&test, SL_BOUND_ALL, high, (sl_job){ KUBE_NO }));
	cr_expect_eq(kube_test_at(&test, high, 0), 2);
	cr_expect_eq(kube_test_at(&test, a, 0), 1);
	cr_expect_eq(kube_test_at(&test, c, 0), 1);
	cr_expect_eq(kube_test_at(&test, d, 0), 2);
	/* Two cpus of one node: on n2 high is as high as it is; a and c go. */
	const sl_job both = kube_test_pod(&test, 3 * SL_SECOND, "", RANKED(9) KUBE_ASKS("2", "1Gi"));
	runs(&test, 3);
	cr_expect_eq(kube_test_at(&test, both, 0), 1);
	kube_test_close(&test);
}

Test(kube_preempt, a_budget_is_kept_where_it_can_be)
{
	static const char objects[] = "kind: PodDisruptionBudget\nmetadata: {name: keep}\n"
				      "spec: {minAvailable: 1, selector: {matchLabels: {app: kept}}}\n";
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 2, .objects = objects };
	kube_test_open(&test);
	const sl_job kept = kube_test_pod(&test, 0, "\"app\":\"kept\"", RANKED(1) SMALL); /* n1 */
	const sl_job other = kube_test_pod(&test, 0, "\"app\":\"other\"", RANKED(5) SMALL);
	runs(&test, 0);
	/* `kept` is of less priority, and covered: `other` goes. */
	const sl_job high = kube_test_pod(&test, SL_SECOND, "", RANKED(9) SMALL);
	runs(&test, 1);
	cr_expect_neq(kube_test_at(&test, kept, 0), 0);
	cr_expect_eq(kube_test_at(&test, other, 0), 0);
	cr_expect_neq(kube_test_at(&test, high, 0), 0);
	/* Where nothing else is left, it is broken. */
	const sl_job next = kube_test_pod(&test, 2 * SL_SECOND, "", RANKED(9) SMALL);
	runs(&test, 2);
	cr_expect_eq(kube_test_at(&test, kept, 0), 0);
	cr_expect_neq(kube_test_at(&test, next, 0), 0);
	kube_test_close(&test);
}

Test(kube_preempt, not_by_who_never_does_nor_of_equals)
{
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 1 };
	kube_test_open(&test);
	const sl_job one = kube_test_pod(&test, 0, "", RANKED(5) SMALL);
	runs(&test, 0);
	const sl_job same = kube_test_pod(&test, 1, "", RANKED(5) SMALL);
	const sl_job meek = kube_test_pod(&test, 1, "", RANKED(9) "\"preemptionPolicy\":\"Never\"," SMALL);
	runs(&test, 1);
	cr_expect_eq(kube_test_at(&test, one, 0), 1);
	cr_expect_eq(kube_test_at(&test, same, 0), 0);
	cr_expect_eq(kube_test_at(&test, meek, 0), 0);
	kube_test_close(&test);
}

/* ---- Gangs ----------------------------------------------------------------------------------------------
 */

Test(kube_gang, all_or_nothing)
{
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 4, .options = { .gang = KUBE_GANG_JOB } };
	kube_test_open(&test);
	const sl_job three = kube_test_job(&test, 0, 3, "", SMALL);
	const sl_job two = kube_test_job(&test, 0, 2, "", SMALL);
	const sl_job one = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	cr_expect_eq(test.k.job[three.row].bound, 3);
	cr_expect_eq(test.k.job[two.row].bound, 0); /* It holds nothing meanwhile: */
	cr_expect_eq(kube_test_at(&test, one, 0), 4);
	kube_remove(&test.k, 10 * SL_SECOND, three);
	runs(&test, 10);
	cr_expect_eq(test.k.job[two.row].bound, 2);
	kube_test_close(&test);
}

Test(kube_gang, without_it_jobs_keep_what_they_have)
{
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 4, .options = { .gang = KUBE_GANG_OFF } };
	kube_test_open(&test);
	const sl_job three = kube_test_job(&test, 0, 3, "", SMALL);
	const sl_job two = kube_test_job(&test, 0, 2, "", SMALL);
	runs(&test, 0);
	cr_expect_eq(test.k.job[three.row].bound, 3);
	cr_expect_eq(test.k.job[two.row].bound, 1);
	kube_test_close(&test);
}

Test(kube_gang, permits_run_out)
{
	struct kube_test test = {
		.cpus = 1, .gib = 8, .nodes = 4, .options = { .gang = KUBE_GANG_JOB, .permit = true }
	};
	kube_test_open(&test);
	const sl_job three = kube_test_job(&test, 0, 3, "", SMALL);
	const sl_job two = kube_test_job(&test, 0, 2, "", SMALL);
	cr_expect_eq(runs(&test, 0), 300 * SL_SECOND);
	cr_expect_eq(test.k.job[three.row].bound, 3);
	cr_expect_eq(test.k.job[two.row].bound, 0);
	cr_expect_eq(kube_test_at(&test, two, 0), 4); /* It waits there. */
	const sl_job one = kube_test_pod(&test, SL_SECOND, "", SMALL);
	runs(&test, 1);
	cr_expect_eq(kube_test_at(&test, one, 0), 0);
	runs(&test, 300);
	cr_expect_eq(kube_test_at(&test, two, 0), 0);
	cr_expect_eq(kube_test_at(&test, two, 1), 4); /* Its other pod has waited longest, and is next. */
	cr_expect_eq(kube_test_at(&test, one, 0), 0);
	kube_test_close(&test);
}

Test(kube_gang, a_pod_group_says_how_many)
{
	static const char objects[] = "kind: PodGroup\nmetadata: {name: g}\nspec: {minMember: 2}\n";
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 2, .objects = objects };
	kube_test_open(&test);
	const sl_job one = kube_test_pod(&test, 0, "\"scheduling.x-k8s.io/pod-group\":\"g\"", SMALL);
	runs(&test, 0);
	cr_expect_eq(kube_test_at(&test, one, 0), 0); /* Until the second is there. */
	const sl_job two = kube_test_pod(&test, SL_SECOND, "\"scheduling.x-k8s.io/pod-group\":\"g\"", SMALL);
	runs(&test, 1);
	cr_expect_neq(kube_test_at(&test, one, 0), 0);
	cr_expect_neq(kube_test_at(&test, two, 0), 0);
	kube_test_close(&test);
}

Test(kube_node, pods_of_a_node_that_goes_are_recreated)
{
	struct kube_test test = { .cpus = 2, .gib = 8, .nodes = 2 };
	kube_test_open(&test);
	const sl_job big = kube_test_pod(&test, 0, "", KUBE_ASKS("2", "1Gi"));
	const sl_job two = kube_test_job(&test, 0, 3, "", SMALL); /* Two on n2, one waits. */
	runs(&test, 0);
	test.k.reported_next = test.k.reported_count = 0;
	kube_node(&test.k, SL_SECOND, 0, false);
	cr_expect(reported(&test, SL_BOUND_LOST, big, (sl_job){ KUBE_NO }));
	cr_expect_eq(test.k.job[two.row].bound, 2);
	kube_node(
		&test.k, SL_SECOND, 1, false); /* A job that had not started loses its pods, and waits on. */
	cr_expect_eq(test.k.job[two.row].bound, 0);
	kube_node(&test.k, 2 * SL_SECOND, 1, true);
	kube_remove(&test.k, 2 * SL_SECOND, big);
	runs(&test, 2);
	cr_expect_eq(test.k.job[two.row].bound, 2);
	kube_test_close(&test);
}

/* Six pods of equal requests wait for a node of 1; one goes at 10 s. All are retried: one fits, five do not,
 * as often as if each had been looked at by itself. */
Test(kube_queue, those_alike_are_tried_as_often_as_one_by_one)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1 };
	sl_job job[7];
	kube_test_open(&test);
	for (size_t i = 0; i < SL_LEN(job); i++)
		job[i] = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	cr_expect_eq(test.k.attempts, 7);
	cr_expect_eq(test.k.cycles_failed, 6);
	kube_remove(&test.k, 10 * SL_SECOND, job[0]);
	runs(&test, 10);
	cr_expect_eq(kube_test_at(&test, job[1], 0), 1);
	cr_expect_eq(test.k.attempts, 13);
	cr_expect_eq(test.k.cycles_failed, 11);
	kube_remove(&test.k, 20 * SL_SECOND, job[2]); /* It waited. */
	kube_remove(&test.k, 20 * SL_SECOND, job[1]);
	runs(&test, 20);
	cr_expect_eq(kube_test_at(&test, job[3], 0), 1);
	cr_expect_eq(test.k.attempts, 17);
	kube_test_close(&test);
}

/* Who came later has failed less often, and backs off for less: it goes first, as kube-scheduler pops what is
 * over with its backoff before what is not. Job 2 fails at 0 s (1 s), 10 s (2 s), 20 s (4 s); job 3 comes at
 * 21 s: at 22 s its backoff (1 s) is over, that of job 2 (24 s) is not. */
Test(kube_queue, those_alike_that_failed_less_may_go_first)
{
	struct kube_test test = { .cpus = 2, .gib = 4, .nodes = 1 };
	kube_test_open(&test);
	const sl_job holds = kube_test_pod(&test, 0, "", SMALL);
	sl_job other = kube_test_pod(&test, 0, "", SMALL);
	const sl_job waits = kube_test_pod(&test, 0, "", KUBE_ASKS("2", "1Gi"));
	runs(&test, 0);
	for (int64_t now = 10; now <= 20; now += 10) {
		kube_remove(&test.k, now * SL_SECOND, other);
		other = kube_test_pod(&test, now * SL_SECOND, "", SMALL);
		runs(&test, now);
	}
	const sl_job late = kube_test_pod(&test, 21 * SL_SECOND, "", KUBE_ASKS("2", "1Gi"));
	runs(&test, 21);
	kube_remove(&test.k, 22 * SL_SECOND, holds);
	kube_remove(&test.k, 22 * SL_SECOND, other);
	runs(&test, 22);
	cr_expect_eq(kube_test_at(&test, late, 0), 1);
	cr_expect_eq(kube_test_at(&test, waits, 0), 0);
	kube_test_close(&test);
}
