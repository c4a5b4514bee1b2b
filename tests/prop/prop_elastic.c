/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_elastic.c - autoscalers on random clusters, under random load: no pool is above its maximum or its
 * limits; no node is removed that has a pod which must not go; who waits at the end fits no node that is
 * there; nodes that are not there hold nothing; hours times price is money.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/elastic_world.h"

enum { WORLDS = 24, STEPS = 30, GROUP_NODES = 6 };

static int64_t below(struct sl_rng *rng, uint64_t bound) { return (int64_t)sl_rng_below(rng, bound); }

struct world {
	struct elastic_test test;
	char text[1 << 15];
	int64_t max[2]; /* Of groups. */
	int64_t limit;  /* Of the node pool, in cpus. */
	bool karpenter;
	uint32_t number;
};

static void put(struct world *w, const char *format, ...) SL_PRINTF(2, 3);

static void put(struct world *w, const char *format, ...)
{
	const size_t used = strlen(w->text);
	va_list args;
	va_start(args, format);
	const int len = vsnprintf(w->text + used, sizeof(w->text) - used, format, args);
	va_end(args);
	cr_assert(len >= 0 && used + (size_t)len < sizeof(w->text));
}

/* n1, n2 are there; n3 to n8 and n9 to n14 are groups, of 2 and of 8 cpus. */
static void make_groups(struct world *w, struct sl_rng *rng)
{
	for (uint32_t g = 0; g < 2; g++) {
		const int64_t min = below(rng, 2);
		w->max[g] = 1 + below(rng, GROUP_NODES);
		const int64_t size = min < w->max[g] ? min : w->max[g];
		for (uint32_t i = 0; i < GROUP_NODES; i++)
			put(w, "---\nkind: Node\nmetadata: {name: n%u}\nstatus: {allocatable: {cpu: %d, memory: 32Gi}}\n",
				3 + g * GROUP_NODES + i, g ? 8 : 2);
		put(w,
			"---\nkind: NodeGroup\nmetadata: {name: g%u}\nspec: {nodes: \"n[%u-%u]\", min: %d, size: %d, max: %d, price: "
			"0.%d, provisioning: %d}\n",
			g, 3 + g * GROUP_NODES, 2 + (g + 1) * GROUP_NODES, (int)size, (int)size,
			(int)w->max[g], (int)(1 + below(rng, 9)), (int)below(rng, 200));
	}
	static const char *const expanders[] = { "random", "least-waste", "price", "most-pods,least-nodes" };
	put(w,
		"---\nkind: AutoscalerFlags\nmetadata: {name: cluster-autoscaler}\nspec: {flags: [\"--expander=%s\", "
		"--scale-down-unneeded-time=2m, --scale-down-delay-after-add=1m, --scale-down-utilization-threshold=0.%d]}\n",
		expanders[below(rng, SL_LEN(expanders))], (int)(3 + below(rng, 7)));
}

static void make_pool(struct world *w, struct sl_rng *rng)
{
	static const int cpus[] = { 2, 4, 8 };
	uint32_t node = 3;
	w->limit = 4 + below(rng, 40);
	for (uint32_t t = 0; t < 6; t++)
		for (uint32_t i = 0; i < 3; i++, node++)
			put(w,
				"---\nkind: Node\nmetadata:\n  name: n%u\n  annotations: {schedlab/template: p}\n  labels: "
				"{karpenter.sh/capacity-type: %s, karpenter.sh/nodepool: p, node.kubernetes.io/instance-type: t%u, "
				"topology.kubernetes.io/zone: a}\nstatus: {allocatable: {cpu: %d, memory: 32Gi}}\n",
				node, t % 2 ? "spot" : "on-demand", t / 2, cpus[t / 2]);
	put(w,
		"---\nkind: NodePool\nmetadata: {name: p}\nspec: {limits: {cpu: %d}, template: {spec: {expireAfter: %dm}}, "
		"disruption: {consolidateAfter: %ds, budgets: [{nodes: '%d%%'}]}}\n",
		(int)w->limit, (int)(10 + below(rng, 200)), (int)below(rng, 120), (int)(10 + below(rng, 91)));
	put(w, "---\nkind: InstanceTypes\nmetadata: {name: t}\nspec:\n  provisioning: 45\n  types:\n");
	for (uint32_t t = 0; t < 3; t++)
		put(w,
			"  - {name: t%u, offerings: [{zone: a, capacityType: on-demand, price: 0.%d}, {zone: a, capacityType: spot, "
			"price: 0.0%d}]}\n",
			t, (1 << t) * 10 + (int)below(rng, 5), (int)(1 + t * 3 + (uint32_t)below(rng, 3)));
	put(w, "---\nkind: AutoscalerFlags\nmetadata: {name: karpenter}\nspec: {flags: "
	       "['--feature-gates=SpotToSpotConsolidation=true']}\n");
}

#define PROTECTED                                                                                                           \
	"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"metadata\":" \
	"{\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"true\",\"cluster-autoscaler.kubernetes.io/safe-to-evict\":"    \
	"\"false\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%dm\"}}}]}}}}"

static bool guarded[KUBE_JOBS];

static void add_some(struct world *w, struct sl_rng *rng)
{
	char text[600];
	const int64_t end = w->test.now / SL_SECOND + 20 + below(rng, 900);
	const int cpu = (int)(200 + 100 * below(rng, 35));
	sl_job job;
	const bool guard = below(rng, 4) == 0;
	if (guard) {
		(void)snprintf(text, sizeof(text), PROTECTED, cpu);
		job = kube_test_add(
			&w->test.kube, w->test.now, sl_strdup(w->test.kube.arena, text, strlen(text)));
		w->test.end[job.row] = end * SL_SECOND;
	} else {
		(void)snprintf(text, sizeof(text),
			"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%dm\",\"memory\":\"1Gi\"}}}]",
			cpu);
		job = elastic_test_job(&w->test, end, (int)(1 + below(rng, 4)), text);
	}
	guarded[job.row] = guard;
}

static void bounds_hold(const struct world *w)
{
	const struct kube_scaler *s = w->test.kube.k.scaler;
	const struct kube *k = &w->test.kube.k;
	int64_t cpus = 0;
	for (uint32_t p = 0; p < s->pools; p++) {
		uint32_t there = 0, ordered = 0;
		for (uint32_t i = 0; i < s->pool[p].nodes; i++) {
			const uint32_t node = s->pool[p].node[i];
			there += s->node[node].state >= ELASTIC_THERE;
			ordered += s->node[node].state == ELASTIC_ORDERED;
			cpus += s->node[node].state != ELASTIC_ABSENT ? k->node[node].alloc[KUBE_RES_CPU] : 0;
			cr_assert(k->node[node].there == (s->node[node].state >= ELASTIC_THERE), "world %u",
				w->number);
			cr_assert(k->node[node].there || !k->node[node].pods, "world %u: n%u holds pods",
				w->number, node + 1);
		}
		cr_assert_eq(there, s->pool[p].there, "world %u", w->number);
		cr_assert_eq(ordered, s->pool[p].ordered, "world %u", w->number);
		cr_assert(w->karpenter || there + ordered <= w->max[p], "world %u: %u of %lld", w->number,
			there + ordered, (long long)w->max[p]);
	}
	/* A replacement is there beside what it replaces: what leaves does not count as it is launched. */
	cr_assert(!w->karpenter || cpus <= 1000 * 2 * w->limit, "world %u", w->number);
	for (uint32_t i = 0; i < k->nodes; i++)
		cr_assert(k->node[i].used[KUBE_RES_CPU] <= k->node[i].alloc[KUBE_RES_CPU], "world %u",
			w->number);
}

static void nobody_guarded_was_evicted(const struct world *w)
{
	const struct kube_scaler *s = w->test.kube.k.scaler;
	for (size_t i = 0; i < s->events; i++)
		if (strcmp(s->event[i].what, "evicted") == 0)
			cr_assert(!guarded[s->event[i].job], "world %u: job %u", w->number, s->event[i].job);
}

/* From the events: when nodes came and went, at which price. */
static void money_adds_up(const struct world *w)
{
	const struct kube_scaler *s = w->test.kube.k.scaler;
	for (uint32_t p = 0; p < s->pools; p++) {
		unsigned __int128 us = 0, price_us = 0;
		for (uint32_t i = 0; i < s->pool[p].nodes; i++) {
			const uint32_t node = s->pool[p].node[i];
			sl_time since = 0;
			for (size_t e = 0; e < s->events; e++) {
				if (s->event[e].node != node)
					continue;
				if (strcmp(s->event[e].what, "came") == 0)
					since = s->event[e].at;
				if (strcmp(s->event[e].what, "removed") != 0)
					continue;
				us += (unsigned __int128)(s->event[e].at - since);
				price_us += (unsigned __int128)(s->event[e].at - since) *
					    (unsigned __int128)s->node[node].price;
			}
		}
		cr_assert(us == s->pool[p].node_us && price_us == s->pool[p].price_us, "world %u", w->number);
	}
}

static uint64_t evicted[2], removed[2]; /* Of both autoscalers, over all worlds. */

static void one_world(uint32_t number)
{
	static struct world w;
	char name[32];
	(void)snprintf(name, sizeof(name), "prop/elastic/%u", number);
	struct sl_rng rng = sl_rng_stream(1, name);
	memset(&w, 0, sizeof(w));
	memset(guarded, 0, sizeof(guarded));
	w.number = number;
	w.karpenter = number % 2;
	put(&w, "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 2, memory: 8Gi}}\n---\nkind: Node\nmetadata: "
		"{name: n2}\nstatus: {allocatable: {cpu: 1, memory: 8Gi}}\n");
	(w.karpenter ? make_pool : make_groups)(&w, &rng);
	w.test.kube = (struct kube_test){
		.cpus = 8, .gib = 32, .nodes = w.karpenter ? 20 : 2 + 2 * GROUP_NODES, .objects = w.text
	};
	elastic_test_open(&w.test);
	for (int step = 0; step < STEPS; step++) {
		for (int64_t i = below(&rng, 4); i > 0; i--)
			add_some(&w, &rng);
		elastic_test_run(&w.test, w.test.now / SL_SECOND + 1 + below(&rng, 400));
		bounds_hold(&w);
	}
	elastic_test_run(&w.test, w.test.now / SL_SECOND + 20000);
	bounds_hold(&w);
	nobody_guarded_was_evicted(&w);
	money_adds_up(&w);
	cr_assert_eq(w.test.kube.k.scaler->moves, 0);
	for (uint32_t p = 0; p < w.test.kube.k.scaler->pools; p++) {
		evicted[w.karpenter] += w.test.kube.k.scaler->pool[p].evicted;
		removed[w.karpenter] += w.test.kube.k.scaler->pool[p].downs;
	}
	kube_test_close(&w.test.kube);
}

Test(prop_elastic, bounds_blocks_and_money)
{
	for (uint32_t i = 0; i < WORLDS; i++)
		one_world(i);
	for (int i = 0; i < 2; i++)
		cr_assert(evicted[i] > 10 && removed[i] > 50, "nothing happens");
}
