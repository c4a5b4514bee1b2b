/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kube_size.c - what policy kube keeps of nodes between attempts changes nothing: on random clusters,
 * with gangs, priorities, selectors, tolerations, and nodes that go down, each pod is where it is when every
 * attempt looks at every node anew, and as many attempts were made.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/effort.h"
#include "tests/world/kube_world.h"

enum { STEPS = 70, PODS_MAX = 7 };

static int64_t below(struct sl_rng *rng, uint64_t bound) { return (int64_t)sl_rng_below(rng, bound); }

/* The same world twice: as it is, and with nothing kept. */
struct pair {
	struct kube_test kept, plain;
	bool there[KUBE_JOBS];
	bool priorities, kinds; /* Its pods have some; are of many kinds. */
};

static void say(char *text, size_t size, const struct pair *pair, struct sl_rng *rng)
{
	static const char *const kind[] = { "", "", "", "\"nodeSelector\":{\"disk\":\"ssd\"},",
		"\"tolerations\":[{\"key\":\"own\",\"operator\":\"Exists\"}],",
		"\"nodeSelector\":{\"disk\":\"ssd\"},\"tolerations\":[{\"operator\":\"Exists\"}],",
		"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
		"\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"NotIn\",\"values\":[\"ssd\"]}]}]}}},",
		"\"affinity\":{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":5,"
		"\"preference\":{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":\"Exists\"}]}}]}},",
		"\"topologySpreadConstraints\":[{\"maxSkew\":2,\"topologyKey\":\"disk\",\"whenUnsatisfiable\":"
		"\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}}],",
		"\"affinity\":{\"podAntiAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":9,"
		"\"podAffinityTerm\":{\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":{\"matchLabels\":{"
		"\"app\":\"a\"}}}}]}}," };
	static const int cpu[] = { 500, 1000, 1500, 2000, 3000, 4000 };
	(void)snprintf(text, size,
		"\"priority\":%d,%s\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%dm\",\"memory\":"
		"\"%dMi\"}}}]",
		pair->priorities ? (int)below(rng, 3) : 0,
		pair->kinds ? kind[below(rng, sizeof(kind) / sizeof(*kind))] : "", cpu[below(rng, 6)],
		(int)(512 * (1 + below(rng, 3))));
}

static void add_to(struct pair *pair, struct sl_rng *rng, sl_time now)
{
	char spec[900];
	say(spec, sizeof(spec), pair, rng);
	const int count = below(rng, 3) ? 1 : (int)(1 + below(rng, PODS_MAX));
	const char *labels = below(rng, 2) ? "\"app\":\"a\"" : "\"app\":\"b\"";
	const sl_job job = kube_test_job(&pair->kept, now, count, labels, spec);
	(void)kube_test_job(&pair->plain, now, count, labels, spec);
	pair->there[job.row] = true;
}

static void take_from(struct pair *pair, uint32_t job, sl_time now)
{
	kube_remove(&pair->kept.k, now, (sl_job){ job });
	kube_remove(&pair->plain.k, now, (sl_job){ job });
	pair->there[job] = false;
}

/* Who lost a pod is removed, as its host would. */
static void run(struct pair *pair, sl_time now)
{
	struct kube *k = &pair->kept.k, *p = &pair->plain.k;
	bool again = true;
	while (again) {
		cr_assert_eq(
			kube_run(k, now), kube_run(p, now), "when to look again at %lld", (long long)now);
		again = false;
		while (k->reported_next < k->reported_count) {
			const struct sl_bound bound = k->reported[k->reported_next++];
			if (bound.what != SL_BOUND_LOST || !pair->there[bound.job.row])
				continue;
			take_from(pair, bound.job.row, now);
			again = true;
		}
		p->reported_next = p->reported_count;
	}
	cr_assert(!k->err.status, "%s", k->err.text);
}

static void compare(const struct pair *pair, uint32_t world, uint32_t step)
{
	const struct kube *k = &pair->kept.k, *p = &pair->plain.k;
	cr_assert_eq(k->pods, p->pods);
	for (size_t i = 0; i < k->pods; i++)
		cr_assert_eq(k->pod[i].node, p->pod[i].node, "world %u, step %u: pod %zu on %u, not on %u",
			world, step, i, k->pod[i].node, p->pod[i].node);
	cr_assert_eq(k->start, p->start, "world %u, step %u: the next search begins at %u, not at %u", world,
		step, k->start, p->start);
	cr_assert_eq(k->attempts, p->attempts, "world %u, step %u: %llu attempts, not %llu", world, step,
		(unsigned long long)k->attempts, (unsigned long long)p->attempts);
}

static void open(struct pair *pair, struct sl_rng *rng)
{
	static const char objects[] = "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"
				      "spec: {taints: [{key: own, effect: NoSchedule}]}\n";
	const struct kube_test test = { .cpus = 4,
		.gib = 4,
		.nodes = (uint32_t)(below(rng, 4) ? 2 + below(rng, 6) : 110 + below(rng, 18)),
		.objects = objects,
		.options = { .gang = below(rng, 3) ? KUBE_GANG_JOB : KUBE_GANG_OFF,
			.ties = below(rng, 4) ? KUBE_TIES_NAME : KUBE_TIES_RANDOM } };
	*pair = (struct pair){
		.kept = test, .plain = test, .priorities = below(rng, 4) == 0, .kinds = below(rng, 2)
	};
	pair->plain.options.afresh = true;
	for (uint32_t i = 0; i < test.nodes; i += 1 + (uint32_t)below(rng, 2)) {
		const char *disk = below(rng, 2) ? "ssd" : "tape";
		pair->kept.label[i][0] = pair->plain.label[i][0] = "disk";
		pair->kept.label[i][1] = pair->plain.label[i][1] = disk;
	}
	kube_test_open(&pair->kept);
	kube_test_open(&pair->plain);
}

static void one_world(uint32_t world)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "prop/kube/size/%u", world);
	struct sl_rng rng = sl_rng_stream(1, name);
	static struct pair pair;
	open(&pair, &rng);
	const uint32_t nodes = pair.kept.nodes, at_once = nodes < 20 ? 3 : 30;
	sl_time now = 0;
	for (uint32_t step = 0; step < STEPS; step++) {
		/* Within backoffs, behind them, and behind the flush. */
		now += below(&rng, 8) ? below(&rng, 4 * SL_SECOND) : below(&rng, 400) * SL_SECOND;
		for (int64_t count = below(&rng, at_once); count-- > 0 && pair.kept.added < KUBE_JOBS - 1;)
			add_to(&pair, &rng, now);
		for (int64_t count = below(&rng, at_once); count-- > 0 && pair.kept.added;) {
			const uint32_t job = (uint32_t)below(&rng, pair.kept.added);
			if (pair.there[job])
				take_from(&pair, job, now);
		}
		if (below(&rng, 6) == 0) {
			const uint32_t node = (uint32_t)below(&rng, nodes);
			const bool up = !pair.kept.k.node[node].up;
			kube_node(&pair.kept.k, now, node, up);
			kube_node(&pair.plain.k, now, node, up);
		}
		run(&pair, now);
		compare(&pair, world, step);
	}
	kube_test_close(&pair.kept);
	kube_test_close(&pair.plain);
}

Test(prop_kube_size, as_if_nothing_were_kept)
{
	for (uint32_t world = 0, count = (uint32_t)effort_of(15, 60, 300); world < count; world++)
		one_world(world);
}
