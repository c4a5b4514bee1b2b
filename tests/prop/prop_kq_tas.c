/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kq_tas.c - topology-aware scheduling on generated worlds: no leaf is given more than it has, counts
 * add up, what is required stays in one domain, and a place is found exactly where some domain has the room.
 * What a world says after a history of admissions is what a new world says that is told of its end alone,
 * with its hosts in another order. SL_EFFORT=full runs more worlds.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kq_tas_world.h"

enum { HOSTS = 12, WORKLOADS = 24 };

struct plan {
	char place[HOSTS][32];
	int64_t cpus[HOSTS], capacity[HOSTS];
	uint32_t hosts;
	int64_t count[WORKLOADS], cpu[WORKLOADS]; /* Thousandths. */
	int kind[WORKLOADS];                      /* 0 required rack, 1 preferred, 2 anywhere, 3 slices. */
};

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

static void make_plan(struct sl_rng *rng, struct plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->hosts = (uint32_t)(1 + below(rng, HOSTS));
	for (uint32_t h = 0; h < plan->hosts; h++) {
		const int block = (int)below(rng, 2), rack = (int)below(rng, 3);
		(void)snprintf(
			plan->place[h], sizeof(plan->place[h]), "b%d r%d%d x%02u", block, block, rack, h);
		plan->cpus[h] = 1 + below(rng, 6);
		plan->capacity[h] = plan->cpus[h] * 1000;
	}
	for (uint32_t w = 0; w < WORKLOADS; w++) {
		plan->count[w] = 1 + below(rng, 6);
		plan->cpu[w] = 500 * (1 + below(rng, 4));
		plan->kind[w] = (int)below(rng, 4);
		if (plan->kind[w] == 3)
			plan->count[w] = 2 * (1 + below(rng, 3));
	}
}

static void build(struct tas_instance *instance, const struct plan *plan, bool backwards)
{
	tas_begin(instance, "block rack host");
	for (uint32_t i = 0; i < plan->hosts; i++) {
		const uint32_t h = backwards ? plan->hosts - 1 - i : i;
		tas_host(instance, plan->place[h], plan->cpus[h], 100);
	}
	for (uint32_t w = 0; w < WORKLOADS; w++) {
		struct kq_podset podset = { .count = plan->count[w],
			.request = tas_cpus(instance, plan->cpu[w]) };
		podset.topology.given = true;
		podset.topology.required = plan->kind[w] == 0 ? "rack" : NULL;
		podset.topology.preferred = plan->kind[w] == 1 ? "rack" : NULL;
		podset.topology.unconstrained = plan->kind[w] == 2;
		podset.topology.slice[0] = (struct kq_slice){ "rack", 2 };
		podset.topology.slice_count = plan->kind[w] == 3;
		(void)tas_workload(instance, &podset, 1);
	}
	tas_seal(instance);
}

static uint32_t host_of(const struct plan *plan, const char *name)
{
	uint32_t h = 0;
	while (h < plan->hosts && strcmp(plan->place[h] + 7, name) != 0)
		h++;
	return h;
}

/* So many pods of w fit the hosts whose place begins so. */
static int64_t fitting(const struct plan *plan, uint32_t w, const char *prefix, int64_t unit)
{
	int64_t pods = 0;
	for (uint32_t h = 0; h < plan->hosts; h++)
		if (strncmp(plan->place[h], prefix, strlen(prefix)) == 0)
			pods += plan->capacity[h] / plan->cpu[w];
	return pods / unit * unit;
}

static bool has_room(const struct plan *plan, uint32_t w)
{
	int64_t all = 0, most = 0;
	for (int block = 0; block < 2; block++)
		for (int rack = 0; rack < 3; rack++) {
			char prefix[40];
			(void)snprintf(prefix, sizeof(prefix), "b%d r%d%d", block, block, rack);
			const int64_t pods = fitting(plan, w, prefix, plan->kind[w] == 3 ? 2 : 1);
			all += pods;
			most = pods > most ? pods : most;
		}
	return (plan->kind[w] == 0 ? most : all) >= plan->count[w];
}

/* What a placement takes, or gives back, of the plan's own books; its clauses. */
static void account(
	struct plan *plan, uint32_t w, const struct kq_placement *placement, int sign, uint64_t seed)
{
	int64_t pods = 0;
	const char *rack = NULL;
	for (uint32_t d = 0; d < placement->count; d++) {
		const uint32_t h = host_of(plan, placement->domain[d].value[0]);
		cr_assert_lt(h, plan->hosts, "world %llu: no host", (unsigned long long)seed);
		pods += placement->domain[d].count;
		plan->capacity[h] -= sign * placement->domain[d].count * plan->cpu[w];
		cr_assert_geq(plan->capacity[h], 0, "world %llu: host %u has too much",
			(unsigned long long)seed, h);
		if (plan->kind[w] == 0 && rack)
			cr_assert(strncmp(rack, plan->place[h], 6) == 0, "world %llu: two racks",
				(unsigned long long)seed);
		rack = plan->place[h];
	}
	cr_assert_eq(pods, plan->count[w], "world %llu: workload %u", (unsigned long long)seed, w);
}

/* A world that knows only who holds what now. */
static void same_anew(const struct plan *plan, struct tas_instance *old, uint32_t w, uint64_t seed)
{
	struct tas_instance anew;
	build(&anew, plan, true);
	for (uint32_t i = 0; i < WORKLOADS; i++)
		if (old->kq->workload[i].holds) {
			kq_set_admission(anew.kq, i, old->kq->workload[i].admission);
			kq_tas_add(anew.kq, i);
		}
	const char *want = tas_place(&anew, w, false), *got = tas_place(old, w, false);
	cr_assert_str_eq(
		got, want, "world %llu, workload %u: %s, anew %s", (unsigned long long)seed, w, got, want);
	want = tas_place(&anew, w, true);
	got = tas_place(old, w, true);
	cr_assert(strcmp(got, want) == 0, "world %llu, workload %u, empty: %s, anew %s",
		(unsigned long long)seed, w, got, want);
	tas_end(&anew);
}

static void one_instance(uint64_t seed)
{
	char name[64];
	struct plan plan;
	struct tas_instance instance;
	(void)snprintf(name, sizeof(name), "tests/kq_tas/%llu", (unsigned long long)seed);
	struct sl_rng rng = sl_rng_stream(1, name);
	make_plan(&rng, &plan);
	build(&instance, &plan, false);
	for (int step = 0; step < 60; step++) {
		const uint32_t w = (uint32_t)below(&rng, WORKLOADS);
		if (instance.kq->workload[w].holds) {
			account(&plan, w, instance.kq->workload[w].admission->podset[0].placement, -1, seed);
			tas_leave(&instance, w);
			continue;
		}
		const kq_marked mark = kq_mark(instance.kq);
		const uint32_t other = (uint32_t)below(&rng, WORKLOADS);
		if (instance.kq->workload[other].holds)
			kq_tas_remove(instance.kq, other);
		(void)tas_place(&instance, w, false);
		kq_undo(instance.kq, mark);
		same_anew(&plan, &instance, w, seed);
		(void)tas_place(&instance, w, false);
		const struct kq_placement *placement = instance.podset[0].placement;
		cr_assert_eq(placement != NULL, has_room(&plan, w), "world %llu, workload %u, step %d",
			(unsigned long long)seed, w, step);
		if (!placement)
			continue;
		account(&plan, w, placement, 1, seed);
		tas_admit(&instance, w);
	}
	tas_end(&instance);
}

Test(prop_kq_tas, history_leaves_no_trace)
{
	for (uint64_t seed = 1; seed <= worlds(60); seed++)
		one_instance(seed);
}
