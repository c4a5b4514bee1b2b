/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_score.c - scores of kube-scheduler v1.36, worked by hand from its integer formulas.
 */
#include <criterion/criterion.h>

#include "tests/world/kube_world.h"

#define GIB (INT64_C(1) << 30)

/* A node of 8 cpus and 16 GiB, of which so much is used; a pod that requests 2 cpus and 2 GiB. */
static const struct kube_spec pod = {
	.request = { 2000, 2 * GIB }, .cpu_fit = 2000, .mem_fit = 2 * GIB, .priority = 0
};
static struct kube_node node_with(int64_t cpu, int64_t gib)
{
	return (struct kube_node){ .alloc = { 8000, 16 * GIB },
		.used = { cpu, gib * GIB },
		.cpu_scored = cpu,
		.mem_scored = gib * GIB };
}

static struct kube small_kube(void)
{
	return (struct kube){ .resource = { "cpu", "memory" }, .resources = 2 };
}

Test(kube_score, least_most_and_ratio)
{
	struct kube_profile profile;
	struct kube_spec spec = pod;
	kube_profile_default(&profile);
	spec.profile = &profile;
	struct kube_node node = node_with(1000, 4);
	/* With the pod: cpu 3000 of 8000, memory 6 of 16 GiB. (5000 * 100 / 8000 = 62, 62) / 2. */
	cr_expect_eq(kube_score_fit(&spec, &node), 62);
	profile.strategy = KUBE_MOST; /* 37, 37 */
	cr_expect_eq(kube_score_fit(&spec, &node), 37);
	node.used[0] = node.cpu_scored = 7000; /* 9000 of 8000: all of it; (100 + 37) / 2. */
	cr_expect_eq(kube_score_fit(&spec, &node), 68);
	profile.strategy = KUBE_LEAST; /* (0 + 62) / 2 */
	cr_expect_eq(kube_score_fit(&spec, &node), 31);
	profile.scored[0].weight = 3; /* (3 * 0 + 62) / 4 */
	cr_expect_eq(kube_score_fit(&spec, &node), 15);
}

Test(kube_score, what_asks_nothing_counts_as_something)
{
	struct kube_profile profile;
	struct kube_spec spec = { .cpu_fit = 100, .mem_fit = INT64_C(200) << 20 };
	kube_profile_default(&profile);
	spec.profile = &profile;
	const struct kube_node node = node_with(0, 0);
	/* (7900 * 100 / 8000 = 98, (16384 - 200) * 100 / 16384 = 98) / 2 */
	cr_expect_eq(kube_score_fit(&spec, &node), 98);
}

Test(kube_score, requested_to_capacity)
{
	struct kube_profile profile;
	struct kube_spec spec = pod;
	kube_profile_default(&profile);
	spec.profile = &profile;
	profile.strategy = KUBE_RATIO;
	profile.shape_count = 2;
	profile.shape[0].utilization = 0;
	profile.shape[0].score = 0;
	profile.shape[1].utilization = 100;
	profile.shape[1].score = 10;
	struct kube_node node = node_with(1000, 2);
	/* cpu 37 of 100, memory 4 of 16: 25; (37 + 25) / 2. */
	cr_expect_eq(kube_score_fit(&spec, &node), 31);
	node = node_with(2000, 2);
	/* (50 + 25) / 2 = 37.5, rounded. */
	cr_expect_eq(kube_score_fit(&spec, &node), 38);
	/* Below 25 nothing: memory drops out of the mean. */
	profile.shape[0].utilization = 25;
	cr_expect_eq(kube_score_fit(&spec, &node), 33); /* 100 * 25 / 75 */
}

Test(kube_score, balance_as_improved_and_as_left)
{
	struct kube k = small_kube();
	struct kube_profile profile;
	struct kube_spec spec = pod;
	kube_profile_default(&profile);
	spec.profile = &profile;
	const struct kube_node node = node_with(2000, 8);
	/* With: 4/8 and 10/16, |0.5 - 0.625| / 2 = 0.0625: 93. Without: 0.25 and 0.5: 0.125: 87. */
	cr_expect_eq(kube_score_balanced(&k, &spec, &node), 50 + (50 + 93 - 87) / 2);
	k.options.balanced_old = true;
	cr_expect_eq(kube_score_balanced(&k, &spec, &node), 93);
}

Test(kube_score, balance_of_three)
{
	struct kube k = small_kube();
	struct kube_profile profile;
	struct kube_spec spec = pod;
	kube_profile_default(&profile);
	spec.profile = &profile;
	k.resource[k.resources++] = "nvidia.com/gpu";
	profile.balanced[profile.balanced_count].resource = "nvidia.com/gpu";
	profile.balanced_as[profile.balanced_count] = 2;
	profile.balanced[profile.balanced_count++].weight = 1;
	spec.request[2] = 4;
	struct kube_node node = node_with(2000, 6);
	node.alloc[2] = 4;
	k.options.balanced_old = true;
	/* 0.5, 0.5, 1: mean 2/3, variance (2 / 36 + 1 / 9) / 3 = 1/18; 1 - 0.2357. */
	cr_expect_eq(kube_score_balanced(&k, &spec, &node), 76);
}

Test(kube_score, how_many_nodes_are_enough)
{
	struct kube_profile profile;
	kube_profile_default(&profile);
	static const struct {
		int64_t nodes, percentage, wanted;
	} cases[] = {
		{ 99, 0, 99 },
		{ 99, 10, 99 },
		{ 100, 0, 100 },
		{ 1000, 0, 420 },  /* 50 - 1000 / 125 = 42 % */
		{ 5000, 0, 500 },  /* 10 % */
		{ 10000, 0, 500 }, /* never below 5 % */
		{ 10000, 30, 3000 },
		{ 1000, 5, 100 }, /* never below 100 */
		{ 1000, 100, 1000 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		profile.percentage = cases[i].percentage;
		cr_expect_eq(kube_wanted(&profile, cases[i].nodes), cases[i].wanted, "%lld nodes at %lld %%",
			(long long)cases[i].nodes, (long long)cases[i].percentage);
	}
}

/* 64 nodes that name no memory are 2^64 bytes: as much as can be said, and not zero. */
Test(kube_score, amounts_of_many_nodes_have_a_bound)
{
	int64_t sum = 0;
	for (int i = 0; i < 64; i++)
		sum = kube_sum(sum, INT64_C(1) << 58);
	cr_expect_eq(sum, INT64_MAX);
	cr_expect_eq(kube_sum(2, 3), 5);
}
