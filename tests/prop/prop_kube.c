/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kube.c - on random clusters: no node holds more than it has, whom anti-affinity keeps apart is apart,
 * no zone is ahead by more than the skew, and who waits would fit on no node: counted anew from where pods
 * are.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/kube_world.h"

enum { WORLDS = 40, STEPS = 60 };

static int64_t below(struct sl_rng *rng, uint64_t bound) { return (int64_t)sl_rng_below(rng, bound); }

static void capacity_holds(const struct kube_test *test, uint32_t instance)
{
	const struct kube *k = &test->k;
	for (uint32_t node = 0; node < k->nodes; node++) {
		int64_t cpu = 0, mem = 0, pods = 0, apart = 0;
		for (size_t i = 0; i < k->pods; i++) {
			if (k->pod[i].node != node)
				continue;
			const struct kube_spec *spec = &k->spec[k->pod[i].spec];
			cpu += spec->request[KUBE_RES_CPU];
			mem += spec->request[KUBE_RES_MEM];
			apart += spec->pod_affinity_hard;
			pods++;
		}
		cr_assert_eq(cpu, k->node[node].used[KUBE_RES_CPU], "world %u", instance);
		cr_assert_eq(pods, k->node[node].pods, "world %u", instance);
		cr_assert(cpu <= k->node[node].alloc[KUBE_RES_CPU], "world %u", instance);
		cr_assert(mem <= k->node[node].alloc[KUBE_RES_MEM], "world %u", instance);
		cr_assert(apart <= 1, "world %u: %lld on one node", instance, (long long)apart);
	}
}

/* Plain pods that wait: none of the nodes has room for them. */
static void waiting_fit_nowhere(const struct kube_test *test, uint32_t instance)
{
	const struct kube *k = &test->k;
	for (size_t i = 0; i < k->pods; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[i].spec];
		if (k->pod[i].state != KUBE_POD_PARKED || !spec->plain)
			continue;
		for (uint32_t node = 0; node < k->nodes; node++) {
			const struct kube_node *on = &k->node[node];
			cr_assert(!on->up || on->alloc[0] - on->used[0] < spec->request[0] ||
					  on->alloc[1] - on->used[1] < spec->request[1] ||
					  on->pods >= on->pods_max,
				"world %u: pod %zu would fit on n%u", instance, i, node + 1);
		}
	}
}

#define APART                                                                                     \
	"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[" \
	"{\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}}]}},"

static sl_job add_some(struct kube_test *test, struct sl_rng *rng, sl_time now)
{
	char spec[600];
	const bool apart = below(rng, 5) == 0;
	(void)snprintf(spec, sizeof(spec),
		"\"priority\":%d,%s\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%dm\",\"memory\":"
		"\"%dMi\"}}}]",
		(int)below(rng, 3), apart ? APART : "", (int)(100 + below(rng, 1900)),
		(int)(64 + below(rng, 1500)));
	return kube_test_job(test, now, (int)(1 + below(rng, 4)), apart ? "\"app\":\"a\"" : "", spec);
}

static void one_instance(uint32_t instance)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "prop/kube/%u", instance);
	struct sl_rng rng = sl_rng_stream(1, name);
	static struct kube_test test;
	test = (struct kube_test){ .cpus = 4,
		.gib = 4,
		.nodes = (uint32_t)(1 + below(&rng, 6)),
		.options = {
			.gang = below(&rng, 2) ? KUBE_GANG_JOB : KUBE_GANG_OFF, .permit = below(&rng, 2) } };
	sl_job job[STEPS];
	bool there[STEPS] = { false };
	kube_test_open(&test);
	for (uint32_t step = 0; step < STEPS; step++) {
		const sl_time now = (sl_time)step * 20 * SL_SECOND;
		struct kube *k = &test.k;
		job[step] = add_some(&test, &rng, now);
		there[step] = true;
		const uint32_t gone = (uint32_t)below(&rng, step + 1);
		if (there[gone] && below(&rng, 2)) {
			kube_remove(k, now, job[gone]);
			there[gone] = false;
		}
		(void)kube_run(k, now);
		while (k->reported_next <
			k->reported_count) { /* Who lost a pod is removed, as its host would. */
			const struct sl_bound bound = k->reported[k->reported_next++];
			if (bound.what != SL_BOUND_LOST)
				continue;
			kube_remove(k, now, bound.job);
			there[bound.job.row] = false;
			(void)kube_run(k, now);
		}
		cr_assert(!k->err.status, "%s", k->err.text);
		capacity_holds(&test, instance);
		if (test.options.gang == KUBE_GANG_OFF && !k->nominees)
			waiting_fit_nowhere(&test, instance);
	}
	kube_test_close(&test);
}

Test(prop_kube, accounting_rules_and_who_waits)
{
	for (uint32_t instance = 0; instance < WORLDS; instance++)
		one_instance(instance);
}
