/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_fit.c - may a task go to a node: resources on what is idle and releasing, pods, MIG, affinity, and the
 * checks of limit and quota with this node's devices. KAI, node_info.go (IsTaskAllocatable,
 * IsTaskAllocatableOnReleasingOrIdle, PredicateByNodeResourcesType), plugins/predicates and
 * plugins/gpusharingnodevalidation: a GPU that becomes shared needs a second pod's slot, for the pod that
 * reserves it.
 */
#include "policies/runai/rules/kai_place.h"
#include "policies/runai/rules/kai_share.h"

struct kai_look kai_look_at(const struct kai *kai, uint32_t task)
{
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	return (struct kai_look){ .kai = kai,
		.needs = needs,
		.job = &kai->job[kai->task[task].job],
		.task = task,
		.cpu = needs->best_effort ? 0 : needs->cpu,
		.mem = needs->best_effort ? 0 : needs->mem,
		.whole = needs->kind == KAI_WHOLE ? needs->gpus : 0,
		.shares = needs->kind == KAI_FRACTION || needs->kind == KAI_MEMORY,
		.gpu = needs->kind != KAI_NO_GPU };
}

/* ---- Shared GPUs ---- */

bool kai_share_fits(const struct kai_shared *gpu, int64_t need, int64_t device)
{
	const int64_t leaving = gpu->releasing - gpu->pipelined;
	/* One that all leave counts as a whole device. */
	return kai_shared_in_use(gpu) && gpu->allocated != leaving &&
	       device - gpu->allocated + leaving >= need;
}

static int64_t sharing(const struct kai_look *look, const struct kai_node *node)
{
	const int64_t need = kai_share_mem(node, look->needs), device = kai_device_mem(node);
	int64_t fitting = 0;
	for (uint32_t i = 0; i < node->shared_count; i++)
		fitting += kai_share_fits(&node->shared[i], need, device);
	return fitting;
}

/* ---- What lacks ---- */

static bool mig_fits(const struct kai_request *needs, const struct kai_node *node, bool releasing)
{
	for (uint32_t i = 0; i < needs->profile_count; i++) {
		const uint32_t profile = needs->profile[i].profile;
		int64_t free = node->mig_idle ? node->mig_idle[profile] : 0;
		if (releasing && node->mig_releasing)
			free += node->mig_releasing[profile];
		if (free < needs->profile[i].count)
			return false;
	}
	return true;
}

/* Whole devices; shares: with those that are shared already. */
static uint32_t lacks_gpus(const struct kai_look *look, const struct kai_node *node)
{
	if (look->needs->kind == KAI_MIG_PROFILES)
		return mig_fits(look->needs, node, true) ? 0 : KAI_LACKS_MIG;
	const int64_t free = node->idle.gpus + node->releasing.gpus;
	if (!look->shares)
		return look->whole <= free ? 0 : KAI_LACKS_GPUS;
	if (look->needs->gpus > KAI_DEVICES_MAX)
		return KAI_LACKS_GPUS;
	if (look->needs->kind == KAI_MEMORY && look->needs->gpu_mem > node->gpu_mem)
		return KAI_LACKS_GPU_MEMORY; /* Or it is not known. */
	return free >= look->needs->gpus || free + sharing(look, node) >= look->needs->gpus ? 0
											    : KAI_LACKS_GPUS;
}

static uint32_t lacks_resources(const struct kai_look *look, const struct kai_node *node)
{
	uint32_t lacks = 0;
	if (look->cpu > node->idle.cpu + node->releasing.cpu)
		lacks |= KAI_LACKS_CPU;
	if (look->mem > node->idle.mem + node->releasing.mem)
		lacks |= KAI_LACKS_MEM;
	if (node->idle.pods + node->releasing.pods < 1)
		lacks |= KAI_LACKS_PODS;
	return look->gpu ? lacks | lacks_gpus(look, node) : lacks;
}

/* The pod that reserves a device needs a slot of its own. */
static bool lacks_reservation(const struct kai_look *look, const struct kai_node *node)
{
	struct kai_devices devices;
	return node->idle.pods + node->releasing.pods < 2 &&
	       (!kai_choose_devices(look, node, &devices) || devices.fresh > 0);
}

static bool wrong_kind(const struct kai_look *look, const struct kai_node *node)
{
	switch (look->needs->kind) {
	case KAI_WHOLE:
		return node->mig == KAI_MIG_MIXED;
	case KAI_FRACTION:
	case KAI_MEMORY:
		return node->mig != KAI_MIG_NONE;
	case KAI_MIG_PROFILES:
		return node->mig != KAI_MIG_MIXED;
	case KAI_NO_GPU:
		break;
	}
	return false;
}

/* Limits and quotas, charged with the devices of this node: the same for all nodes, but for shares. */
static bool over_capacity(struct kai_look *look, const struct kai_node *node)
{
	const int64_t mem = look->shares ? node->gpu_mem : 0;
	if (look->gate_known && look->gate_mem == mem)
		return !look->gate_open;
	const struct kai *kai = look->kai;
	struct kai_vec needs = kai_charge_on(kai, look->task, (uint32_t)(node - kai->node));
	if (look->shares)
		needs.at[KAI_GPUS] =
			look->needs->gpus * kai_share_hundredths(node, look->needs) * (KAI_GPU / 100);
	look->gate_known = true;
	look->gate_mem = mem;
	look->gate_open = !kai_over_limit(kai, look->job->queue, &needs, NULL) &&
			  (look->job->preemptible || !kai_np_over_quota(kai, look->job->queue, &needs, NULL));
	return !look->gate_open;
}

uint32_t kai_lacks(struct kai_look *look, const struct kai_node *node)
{
	const struct kai *kai = look->kai;
	const uint32_t lacks = lacks_resources(look, node);
	if (lacks)
		return lacks;
	if (wrong_kind(look, node))
		return KAI_LACKS_KIND;
	const size_t row = (size_t)(node - kai->node);
	if (look->needs->allowed && !(look->needs->allowed[row / 64] >> row % 64 & 1))
		return KAI_LACKS_ALLOWED;
	if (!node->ready)
		return KAI_LACKS_READY;
	if (kai->config.gpu_workers_only && look->gpu == node->cpu_worker)
		return KAI_LACKS_WORKER;
	if (look->shares && lacks_reservation(look, node))
		return KAI_LACKS_PODS;
	if (kai->config.plugins & KAI_PLUGIN_PROPORTION && look->job->queue != KAI_NO &&
		over_capacity(look, node))
		return KAI_LACKS_QUOTA;
	return 0;
}

bool kai_is_idle(const struct kai_look *look, const struct kai_node *node)
{
	if (look->cpu > node->idle.cpu || look->mem > node->idle.mem || node->idle.pods < 1)
		return false;
	if (!look->gpu) /* Idle devices may be fewer than none: those of tasks that leave where they never
			   came. */
		return true;
	if (look->needs->kind == KAI_MIG_PROFILES)
		return mig_fits(look->needs, node, false);
	if (!look->shares)
		return look->whole <= node->idle.gpus;
	return node->idle.gpus >= look->needs->gpus ||
	       node->idle.gpus + sharing(look, node) >= look->needs->gpus;
}

/* ---- Which devices ---- */

/* More of it first: KAI's plugins gpupack and gpuspread. */
static double device_score(const struct kai *kai, const struct kai_shared *gpu, int64_t device)
{
	const struct kai_config *config = &kai->config;
	const double used = gpu ? (double)(gpu->allocated + gpu->pipelined) / (double)device : 0;
	if (config->gpu_order == KAI_BINPACK && config->plugins & KAI_PLUGIN_GPUPACK)
		return used;
	if (config->gpu_order == KAI_SPREAD && config->plugins & KAI_PLUGIN_GPUSPREAD)
		return 1 - used;
	return 0;
}

struct kept {
	double score;
	uint32_t row; /* KAI_NO: whole. */
};

/* Into the first `headroom` of those that are kept, best first; among equals whoever comes first. */
static uint32_t kai_fit_keep(struct kept *kept, uint32_t count, uint32_t headroom, struct kept what)
{
	uint32_t at = count;
	while (at > 0 && kept[at - 1].score < what.score)
		at--;
	if (at >= headroom)
		return count;
	if (count == headroom)
		count--;
	for (uint32_t i = count; i > at; i--)
		kept[i] = kept[i - 1];
	kept[at] = what;
	return count + 1;
}

static bool has_headroom_now(const struct kai_shared *gpu, int64_t need, int64_t device)
{
	return gpu->members > 0 && device - gpu->allocated >= need;
}

bool kai_choose_devices(const struct kai_look *look, const struct kai_node *node, struct kai_devices *devices)
{
	const struct kai *kai = look->kai;
	const uint32_t headroom = (uint32_t)look->needs->gpus;
	const int64_t need = kai_share_mem(node, look->needs), device = kai_device_mem(node);
	const int64_t whole = node->idle.gpus + node->releasing.gpus;
	struct kept kept[KAI_DEVICES_MAX];
	uint32_t count = 0;
	if (headroom > KAI_DEVICES_MAX || headroom == 0)
		return false;
	for (uint32_t i = 0; i < node->shared_count; i++)
		if (kai_share_fits(&node->shared[i], need, device))
			count = kai_fit_keep(kept, count, headroom,
				(struct kept){ device_score(kai, &node->shared[i], device), i });
	for (int64_t i = 0; i < whole && i < headroom; i++)
		count = kai_fit_keep(
			kept, count, headroom, (struct kept){ device_score(kai, NULL, device), KAI_NO });
	if (count < headroom)
		return false;
	devices->fresh = 0;
	devices->now = kai_is_idle(look, node);
	uint32_t next = 0;
	for (uint32_t i = 0; i < headroom; i++) {
		devices->row[i] = kept[i].row;
		if (kept[i].row != KAI_NO) {
			devices->now &= has_headroom_now(&node->shared[kept[i].row], need, device);
			continue;
		}
		devices->row[i] = kai_shared_free(node, next);
		if (devices->row[i] == KAI_NO)
			return false;
		next = devices->row[i] + 1;
		devices->fresh++;
	}
	devices->now &= devices->fresh <= node->idle.gpus;
	return true;
}

/* ---- Called from other files ---- */

bool kai_fits(const struct kai *kai, uint32_t task, uint32_t row, bool *now)
{
	struct kai_look look = kai_look_at(kai, task);
	const struct kai_node *node = &kai->node[row];
	struct kai_devices devices = { .now = true };
	if (kai_lacks(&look, node) || (look.shares && !kai_choose_devices(&look, node, &devices)))
		return false;
	*now = kai_is_idle(&look, node) && devices.now;
	return true;
}

uint32_t kai_lacking(struct kai *kai, uint32_t task, kai_nodes among, uint32_t count[KAI_LACK_BITS])
{
	struct kai_look look = kai_look_at(kai, task);
	uint32_t nodes = 0;
	for (uint32_t bit = 0; bit < KAI_LACK_BITS; bit++)
		count[bit] = 0;
	for (uint32_t i = 0; i < kai->node_count; i++) {
		if (among && !(among[i / 64] >> i % 64 & 1))
			continue;
		nodes++;
		const uint32_t lacks = kai_lacks(&look, &kai->node[i]);
		for (uint32_t bit = 0; bit < KAI_LACK_BITS; bit++)
			count[bit] += lacks >> bit & 1;
	}
	return nodes;
}

const char *kai_lack_text(enum kai_lack lack)
{
	static const char *const text[KAI_LACK_BITS] = {
		"node(s) didn't have enough resources: GPUs",
		"node(s) didn't have enough resources: GPU memory",
		"node(s) didn't have enough of mig profile",
		"node(s) didn't have enough resources: CPU cores",
		"node(s) didn't have enough resources: memory",
		"node(s) pod number exceeded",
		"node does not have enough capacity",
		"node(s) are of another MIG strategy",
		"node(s) are not ready",
		"node(s) didn't match node affinity or taints",
		"node(s) are for tasks with GPUs, or without, alone",
	};
	for (uint32_t bit = 0; bit < KAI_LACK_BITS; bit++)
		if (lack >> bit & 1)
			return text[bit];
	return "";
}
