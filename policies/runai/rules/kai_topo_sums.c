/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_topo_sums.c - what each domain of a topology has free, and how many pods of a kind its nodes hold, kept
 * from one question to the next. (KAI: plugins/topology, job_filtering.go, which counts anew each time.)
 *
 * A node has a version: another one whenever its accounting changes, and the old one again when that is
 * undone. A question brings in the nodes whose version is not the one that was counted, into their domains up
 * to the root. Pods are counted by the request of the greatest; a few such kinds are kept.
 */
#include "policies/runai/rules/kai_topo.h"

#include <stdlib.h>
#include <string.h>

/* ---- A node ---- */

static void node_free(const struct kai_topo_state *state, const struct kai_node *node, int64_t *amount)
{
	amount[KAI_TOPO_CPU] = node->idle.cpu + node->releasing.cpu;
	amount[KAI_TOPO_MEM] = node->idle.mem + node->releasing.mem;
	amount[KAI_TOPO_GPUS] = (node->idle.gpus + node->releasing.gpus) * KAI_GPU;
	amount[KAI_TOPO_PODS] = node->idle.pods + node->releasing.pods;
	for (uint32_t r = KAI_TOPO_MIG; r < state->amounts; r++)
		amount[r] = node->mig_idle
				    ? node->mig_idle[r - KAI_TOPO_MIG] + node->mig_releasing[r - KAI_TOPO_MIG]
				    : 0;
}

/* What is left of devices that are shared. */
static int64_t shares_free(const struct kai_node *node)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < node->shared_count && node->gpu_mem > 0; i++) {
		const struct kai_shared *shared = &node->shared[i];
		const int64_t left = node->gpu_mem - shared->allocated + shared->releasing;
		if (shared->members > 0 && left > 0)
			sum += left * KAI_GPU / node->gpu_mem;
	}
	return sum;
}

/* How many pods of the greatest request the node holds by its free amounts; slots: where they request nothing
 * else. Tasks of a share of one GPU fit on shared devices too; it may be more than fits, never less. */
static int64_t pods_of(const struct kai_topo_state *state, const struct kai_node *node, int64_t slots)
{
	const int64_t *most = state->most;
	int64_t pods = 0;
	bool first = true;
	if (slots)
		return slots;
	for (uint32_t r = 0; r < state->amounts; r++) {
		int64_t free = state->node_free[r];
		if (r == KAI_TOPO_GPUS && most[r] > 0 && most[r] < KAI_GPU)
			free += shares_free(node);
		if (most[r] > free)
			return 0;
		if (most[r] > 0 && (first || free / most[r] < pods)) {
			pods = free / most[r];
			first = false;
		}
	}
	return pods;
}

/* ---- Into the domains ---- */

static void count_free(struct kai *kai, const struct kai_tree *tree, struct kai_topo_sums *sums)
{
	const struct kai_topo_state *state = kai->topo;
	const uint32_t amounts = state->amounts;
	for (uint32_t at = 0; at < tree->node_count; at++) {
		const uint32_t row = tree->node[at];
		if (sums->seen[at] == kai->node_version[row] && !kai->config.exhaustive)
			continue;
		int64_t *held = &sums->held[(size_t)at * amounts], *now = state->node_free;
		if (kai->node[row].ready)
			node_free(state, &kai->node[row], now);
		else
			memset(now, 0, amounts * sizeof(*now));
		for (uint32_t domain = tree->leaf[at]; domain != KAI_NO; domain = tree->domain[domain].parent)
			for (uint32_t r = 0; r < amounts; r++)
				sums->free[(size_t)domain * amounts + r] += now[r] - held[r];
		memcpy(held, now, amounts * sizeof(*held));
		sums->seen[at] = kai->node_version[row];
	}
}

static void count_pods(
	struct kai *kai, const struct kai_tree *tree, struct kai_topo_pods *pods, int64_t slots)
{
	const struct kai_topo_state *state = kai->topo;
	for (uint32_t at = 0; at < tree->node_count; at++) {
		const uint32_t row = tree->node[at];
		if (pods->seen[at] == kai->node_version[row] && !kai->config.exhaustive)
			continue;
		int64_t now = 0;
		if (kai->node[row].ready) {
			node_free(state, &kai->node[row], state->node_free);
			now = pods_of(state, &kai->node[row], slots);
		}
		for (uint32_t domain = tree->leaf[at]; domain != KAI_NO; domain = tree->domain[domain].parent)
			pods->pods[domain] += now - pods->held[at];
		pods->held[at] = now;
		pods->seen[at] = kai->node_version[row];
	}
}

/* ---- Which pods ---- */

static bool make_sums(struct kai *kai, const struct kai_tree *tree, struct kai_topo_sums *sums)
{
	const size_t amounts = kai->topo->amounts;
	if (sums->free)
		return true;
	sums->free = calloc(tree->domain_count * amounts + 1, sizeof(*sums->free));
	sums->held = calloc(tree->node_count * amounts + 1, sizeof(*sums->held));
	sums->seen = calloc((size_t)tree->node_count + 1, sizeof(*sums->seen));
	return (sums->free && sums->held && sums->seen) || sl_fail_memory(&kai->err) == 0;
}

static bool make_pods(struct kai *kai, const struct kai_tree *tree, struct kai_topo_pods *pods)
{
	if (pods->most)
		return true;
	pods->most = calloc(kai->topo->amounts, sizeof(*pods->most));
	pods->pods = calloc((size_t)tree->domain_count + 1, sizeof(*pods->pods));
	pods->held = calloc((size_t)tree->node_count + 1, sizeof(*pods->held));
	pods->seen = calloc((size_t)tree->node_count + 1, sizeof(*pods->seen));
	return (pods->most && pods->pods && pods->held && pods->seen) || sl_fail_memory(&kai->err) == 0;
}

/* Those that request so much, as counted before; or in place of others, none counted. NULL: no memory. */
static struct kai_topo_pods *pods_like(
	struct kai *kai, const struct kai_tree *tree, struct kai_topo_sums *sums, int64_t slots)
{
	const struct kai_topo_state *state = kai->topo;
	const size_t size = state->amounts * sizeof(*state->most);
	for (uint32_t i = 0; i < sums->kinds; i++)
		if (sums->pods[i].slots == slots && memcmp(sums->pods[i].most, state->most, size) == 0)
			return &sums->pods[i];
	struct kai_topo_pods *pods = &sums->pods[sums->next];
	sums->next = (sums->next + 1) % KAI_TOPO_KINDS;
	if (!make_pods(kai, tree, pods))
		return NULL;
	sums->kinds += sums->kinds < KAI_TOPO_KINDS;
	memcpy(pods->most, state->most, size);
	pods->slots = slots;
	memset(pods->pods, 0, tree->domain_count * sizeof(*pods->pods));
	memset(pods->held, 0, tree->node_count * sizeof(*pods->held));
	memset(pods->seen, 0, tree->node_count * sizeof(*pods->seen));
	return pods;
}

bool kai_topo_sum(
	struct kai *kai, uint32_t topology, int64_t slots, const int64_t **free_of, const int64_t **pods_in)
{
	const struct kai_tree *tree = &kai->topo->tree[topology];
	struct kai_topo_sums *sums = &kai->topo->sums[topology];
	if (!make_sums(kai, tree, sums))
		return false;
	struct kai_topo_pods *pods = pods_like(kai, tree, sums, slots);
	if (!pods)
		return false;
	count_free(kai, tree, sums);
	count_pods(kai, tree, pods, slots);
	*free_of = sums->free;
	*pods_in = pods->pods;
	return true;
}

void kai_topo_sums_free(struct kai_topo_sums *sums)
{
	free(sums->free);
	free(sums->held);
	free(sums->seen);
	for (int i = 0; i < KAI_TOPO_KINDS; i++) {
		free(sums->pods[i].most);
		free(sums->pods[i].pods);
		free(sums->pods[i].held);
		free(sums->pods[i].seen);
	}
}
