/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_lws.c - groups of LeaderWorkerSets under kube-scheduler: alone in a rack, and what is made anew
 * when a node is gone. Racks a (n1, n2) and b (n3, n4), each node with 2 cpus.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kube_world.h"

static void open_racks(struct kube_test *test)
{
	*test = (struct kube_test){ .cpus = 2, .gib = 8, .nodes = 4 };
	for (uint32_t i = 0; i < 4; i++) {
		test->label[i][0] = "rack";
		test->label[i][1] = i < 2 ? "a" : "b";
	}
	kube_test_open(test);
}

static sl_job group(struct kube_test *test, int number, int size, const char *annotations, const char *more)
{
	char text[1024];
	const int len = snprintf(text, sizeof(text),
		"{\"kind\":\"LeaderWorkerSet\",\"schedlab/group\":\"%d\",\"metadata\":{\"name\":\"l\",\"annotations\":{%s}},"
		"\"spec\":{\"leaderWorkerTemplate\":{\"size\":%d,%s\"workerTemplate\":{\"spec\":{" KUBE_ASKS(
			"1", "1Gi") "}}}}}",
		number, annotations, size, more);
	return kube_test_add(test, 0, sl_strdup(test->arena, text, (size_t)len));
}

static uint32_t rack_of(const struct kube_test *test, sl_job job, uint32_t pod)
{
	const uint32_t node = kube_test_at(test, job, pod);
	return node ? (node + 1) / 2 : 0;
}

/* Three groups of 2: a rack each, and none for the third, though its pods would fit. */
Test(kube_lws, a_group_has_a_rack_for_itself)
{
	static const char alone[] = "\"leaderworkerset.sigs.k8s.io/exclusive-topology\":\"rack\"";
	struct kube_test test;
	sl_job job[3];
	open_racks(&test);
	for (int i = 0; i < 3; i++)
		job[i] = group(&test, i, 2, alone, "");
	(void)kube_run(&test.k, 0);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t pod = 0; pod < 2; pod++)
			cr_expect_eq(rack_of(&test, job[i], pod), i + 1, "group %u", i);
	cr_expect_eq(test.k.job[job[2].row].bound, 0);
	kube_remove(&test.k, 10 * SL_SECOND, job[0]);
	(void)kube_run(&test.k, 10 * SL_SECOND);
	cr_expect_eq(rack_of(&test, job[2], 0), 1);
	cr_expect_eq(rack_of(&test, job[2], 1), 1);
	kube_test_close(&test);
}

/* A group of 4 in two sub-groups of 2: a rack each. */
Test(kube_lws, sub_groups_have_a_rack_each)
{
	struct kube_test test;
	open_racks(&test);
	const sl_job job =
		group(&test, 0, 4, "\"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology\":\"rack\"",
			"\"subGroupPolicy\":{\"subGroupSize\":\"2\"},");
	(void)kube_run(&test.k, 0);
	static const uint32_t want[] = { 1, 1, 2, 2 };
	for (uint32_t pod = 0; pod < 4; pod++)
		cr_expect_eq(rack_of(&test, job, pod), want[pod], "pod %u", pod);
	kube_test_close(&test);
}

static uint32_t reported(struct kube_test *test, enum sl_bound_what what)
{
	uint32_t count = 0;
	for (; test->k.reported_next < test->k.reported_count; test->k.reported_next++)
		count += test->k.reported[test->k.reported_next].what == what;
	return count;
}

/* Without a restart of the group the pod of the lost node alone goes elsewhere; the others stay. */
Test(kube_lws, one_pod_alone_is_made_anew)
{
	struct kube_test test;
	open_racks(&test);
	const sl_job job = group(&test, 0, 3, "", "\"restartPolicy\":\"None\",");
	(void)kube_run(&test.k, 0);
	cr_expect_eq(reported(&test, SL_BOUND_ALL), 1);
	kube_node(&test.k, 5, 0, false);
	cr_expect_eq(reported(&test, SL_BOUND_LOST), 1);
	cr_expect_eq(kube_test_at(&test, job, 1), 2, "it stays");
	(void)kube_run(&test.k, 5);
	cr_expect_eq(reported(&test, SL_BOUND_ALL), 1);
	cr_expect_eq(kube_test_at(&test, job, 0), 4);
	cr_expect(kube_fail(&test.k, 9, job), "started again in place");
	cr_expect_eq(reported(&test, SL_BOUND_ALL), 1);
	kube_test_close(&test);
}

/* All are made anew by whoever added them; before the group started, that depends on its policy. */
Test(kube_lws, the_group_is_made_anew)
{
	static const struct {
		const char *policy;
		uint32_t size; /* 3 fit and start, 9 do not fit. */
		bool lost;
	} cases[] = {
		{ "", 3, true },
		{ "", 9, true },
		{ "\"restartPolicy\":\"RecreateGroupOnPodRestart\",", 9, true },
		{ "\"restartPolicy\":\"RecreateGroupAfterStart\",", 3, true },
		{ "\"restartPolicy\":\"RecreateGroupAfterStart\",", 9, false },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct kube_test test;
		open_racks(&test);
		test.k.options.gang = KUBE_GANG_OFF; /* So that some of the 9 have nodes. */
		const sl_job job = group(&test, 0, (int)cases[i].size, "", cases[i].policy);
		(void)kube_run(&test.k, 0);
		(void)reported(&test, SL_BOUND_ALL);
		kube_node(&test.k, 5, 0, false);
		cr_expect_eq(test.k.job[job.row].lost, cases[i].lost, "case %zu", i);
		cr_expect_eq(reported(&test, SL_BOUND_LOST), cases[i].lost, "case %zu", i);
		cr_expect(!kube_fail(&test.k, 9, job), "case %zu", i);
		kube_test_close(&test);
	}
}

/* Four groups, the highest first, at most two not ready, down to number 1; one that is over keeps nobody. */
Test(kube_lws, a_rollout_goes_group_by_group)
{
	static const char template[] =
		"{\"kind\":\"LeaderWorkerSet\",\"metadata\":{\"name\":\"l\"},\"spec\":{\"rolloutStrategy\":{"
		"\"rollingUpdateConfiguration\":{\"partition\":\"1\",\"maxUnavailable\":\"50%\"}},"
		"\"leaderWorkerTemplate\":{\"size\":\"1\",\"workerTemplate\":{\"spec\":{" KUBE_ASKS(
			"1", "1Gi") "}}}}}";
	static const char *const name[] = { "l-0", "l-1", "l-2", "l-3" };
	const struct sl_command command = { 20, "kubectl rollout restart leaderworkerset l ready=10s",
		{ 0 } };
	struct kube_test test;
	sl_job job[4];
	open_racks(&test);
	for (uint32_t i = 0; i < 4; i++)
		job[i] = kube_test_add(&test, 0, template);
	test.jobs.count = 4;
	test.jobs.id_name = name;
	struct sl_setup setup = { .jobs = &test.jobs, .command = &command, .command_count = 1 };
	cr_assert_eq(kube_rollouts_make(&test.k, &setup, &test.err), 0, "%s", test.err.text);
	(void)kube_run(&test.k, 0);
	cr_expect_eq(kube_rollout_due(&test.k), 20);
	cr_expect_eq(kube_rollout_next(&test.k, 19), KUBE_NO, "not yet");
	cr_expect_eq(kube_rollout_next(&test.k, 20), job[3].row);
	cr_expect_eq(kube_rollout_next(&test.k, 20), job[2].row);
	cr_expect_eq(kube_rollout_next(&test.k, 20), KUBE_NO, "two are not ready");
	kube_rollout_started(&test.k, job[3].row);
	cr_expect_eq(kube_rollout_due(&test.k), 20 + 10 * SL_SECOND);
	cr_expect_eq(kube_rollout_next(&test.k, 21), KUBE_NO);
	kube_remove(&test.k, 22, job[2]);
	cr_expect_eq(kube_rollout_next(&test.k, 22), job[1].row, "its place is free");
	cr_expect_eq(kube_rollout_next(&test.k, 20 + 10 * SL_SECOND), KUBE_NO, "down to number 1");
	kube_test_close(&test);
}
