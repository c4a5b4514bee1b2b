/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca_expander.c - which node group grows, of several that could (cluster-autoscaler/expander): the expanders
 * of the chain leave their best one after another, and of what is left then one is drawn.
 *
 * least-waste adds up the idle shares of cpu and memory (expander/waste). price is that of
 * proposals/pricing.md, expander/price: the price of the nodes over that of their pods, both with that of a
 * pod of 500m and 500Mi added, times how far the node's size is from what a cluster of this size prefers,
 * which counts less the more nodes are added; a node with GPUs counts a thousand times. What a pod costs is
 * taken from cloudprovider/gce/gce_price_info.go, as no other provider says it: only the ratio of cpu to
 * memory (and GPUs) matters, as prices of nodes are those of the user's file.
 */
#include "policies/kube/elastic/ca.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)

/* Of an hour: a cpu, a GiB, a GPU. */
#define CPU_PRICE 0.033174
#define GIB_PRICE 0.004446
#define GPU_PRICE 0.7

static const char *const names[CA_EXPANDERS] = { "random", "most-pods", "least-waste", "least-nodes", "price",
	"priority" };

int ca_expanders_read(struct elastic_ca *ca, const char *text, struct sl_err *err)
{
	do {
		const size_t len = strcspn(text, "+,");
		size_t at = 0;
		while (at < CA_EXPANDERS && (strlen(names[at]) != len || memcmp(names[at], text, len) != 0))
			at++;
		if (at == CA_EXPANDERS || ca->expanders == CA_EXPANDERS_MAX)
			return sl_fail(err, SL_USAGE,
				"expander '%.*s' is none: random, most-pods, least-waste, least-nodes, price, priority, or "
				"several joined by '+'",
				(int)len, text);
		ca->expander[ca->expanders++] = (enum ca_expander)at;
		text += len + (text[len] != '\0');
	} while (*text);
	return SL_OK;
}

/* ---- Price --------------------------------------------------------------------------------------- */

static double price_of(int64_t cpu, int64_t mem, int64_t gpus)
{
	return CPU_PRICE * (double)cpu / 1000 + GIB_PRICE * (double)mem / (double)GIB +
	       GPU_PRICE * (double)gpus;
}

double ca_pod_price(const struct kube_spec *spec)
{
	return price_of(spec->request[KUBE_RES_CPU], spec->request[KUBE_RES_MEM],
		spec->gpu == KUBE_NO ? 0 : spec->request[spec->gpu]);
}

/* preferred.go: a cluster of so many nodes prefers nodes of so many cpus; twice as many with each three times
 * as many nodes. */
static double preferred_cpu(const struct kube *k)
{
	static const uint32_t nodes[] = { 2, 6, 20, 60, 200 };
	uint32_t there = 0;
	double cpu = 1000;
	for (uint32_t i = 0; i < k->nodes; i++)
		there += k->node[i].there;
	for (size_t i = 0; i < SL_LEN(nodes) && there > nodes[i]; i++)
		cpu *= 2;
	return cpu;
}

/* Rounded to 40 bits, as what comes of tanh is not the same everywhere. */
static double rounded(double value)
{
	int exponent;
	const double part = frexp(value, &exponent);
	return ldexp((double)llround(ldexp(part, 40)), exponent - 40);
}

static double price_score(const struct kube_scaler *s, const struct ca_option *option)
{
	const struct kube *k = s->k;
	const struct ca_group *group = &s->ca->group[option->group];
	const struct kube_node *node = &k->node[s->pool[group->pool].node[0]];
	const double stable = price_of(500, 500 * MIB, 0);
	const double nodes = (double)group->price / (double)ELASTIC_MILLION * option->nodes;
	const double preferred = preferred_cpu(k);
	const double cpu = node->alloc[KUBE_RES_CPU] > 0 ? (double)node->alloc[KUBE_RES_CPU] : 1;
	double unfitness = preferred > cpu ? preferred / cpu : cpu / preferred;
	for (uint32_t i = KUBE_RES_FIRST; i < k->resources; i++)
		if (strcmp(k->resource[i], "nvidia.com/gpu") == 0 && node->alloc[i] > 0)
			unfitness = 1000;
	const double supressed = (unfitness - 1) * (1 - tanh((option->nodes - 1) / 15.0)) + 1;
	return rounded(supressed * (nodes + stable) / (option->pod_price + stable));
}

/* ---- The chain ----------------------------------------------------------------------------------- */

static double idle_share(int64_t asked, int64_t added)
{
	return added ? 1 - (double)asked / (double)added : 0;
}

/* Less is better. */
static double rate(const struct kube_scaler *s, const struct ca_option *option, enum ca_expander by)
{
	switch (by) {
	case CA_MOST_PODS:
		return -(double)option->pods;
	case CA_LEAST_WASTE:
		return idle_share(option->cpu, option->cpu_added) +
		       idle_share(option->mem, option->mem_added);
	case CA_LEAST_NODES:
		return option->nodes;
	case CA_PRICE:
		return price_score(s, option);
	case CA_PRIORITY:
		return -(double)s->ca->group[option->group].priority;
	case CA_RANDOM:
	case CA_EXPANDERS:
		break;
	}
	return 0;
}

static uint32_t draw(struct kube_scaler *s, struct ca_option *option, uint32_t count)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "policies/kube/expander/%" PRIu64, s->ca->choices);
	struct sl_rng rng = sl_rng_stream(s->k->seed, name);
	option[0] = option[sl_rng_below(&rng, count)];
	return 1;
}

static uint32_t keep_best(
	const struct kube_scaler *s, struct ca_option *option, uint32_t count, enum ca_expander by)
{
	uint32_t kept = 0;
	double best = rate(s, &option[0], by);
	for (uint32_t i = 1; i < count; i++) {
		const double one = rate(s, &option[i], by);
		best = one < best ? one : best;
	}
	for (uint32_t i = 0; i < count; i++)
		if (rate(s, &option[i], by) <= best)
			option[kept++] = option[i];
	return kept;
}

void ca_choose(struct kube_scaler *s, struct ca_option *option, uint32_t count)
{
	const struct elastic_ca *ca = s->ca;
	s->ca->choices++;
	for (uint32_t e = 0; e < ca->expanders && count > 1; e++)
		count = ca->expander[e] == CA_RANDOM ? draw(s, option, count)
						     : keep_best(s, option, count, ca->expander[e]);
	if (count > 1)
		(void)draw(s, option, count);
}
