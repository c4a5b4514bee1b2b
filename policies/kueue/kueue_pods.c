/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_pods.c - nodes for the pods of admitted jobs.
 *
 * pods=quota: nodes are places for amounts. Pods go to the domains of their topology, where they were
 * admitted with one; else to the first nodes with enough allocatable, whole where they fit, else in amounts
 * wherever these fit. A job that does not fit waits, admitted, its pods not ready. pods=kube: kube-scheduler
 * binds them (sl_binder).
 */
#include "policies/kueue/kueue.h"

#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

/* ---- What a pod takes of a node ------------------------------------------------------------------------ */

struct pod_resources {
	int64_t of[SL_KINDS_MAX]; /* GPUs of any type: at SL_KIND_GPUS. */
	uint32_t gpu_types;       /* 0: any. */
};

static bool is_gpu(const char *resource)
{
	const char *slash = strrchr(resource, '/');
	return slash && strcmp(slash, "/gpu") == 0;
}

static int64_t rounded_up(int64_t amount, int64_t unit) { return (amount + unit - 1) / unit; }

static struct pod_resources pod_resources_of(const struct kueue *k, uint32_t row, uint32_t podset)
{
	const struct kueue_shape *shape = &k->shape[k->shape_of[row]];
	const struct sl_amounts *request = &shape->pods->podset[podset].request;
	const int64_t cpu_parts = sl_parts(k->cluster->cpu_parts);
	const int64_t gpu_parts = sl_parts(k->cluster->gpu_parts);
	struct pod_resources pod_resources = { 0 };
	for (uint32_t i = 0; i < request->count; i++) {
		const struct sl_amount *one = &request->at[i];
		if (strcmp(one->resource, "cpu") == 0)
			pod_resources.of[SL_KIND_CPUS] =
				cpu_parts == 1000 ? one->amount : rounded_up(one->amount, 1000 / cpu_parts);
		else if (strcmp(one->resource, "memory") == 0)
			pod_resources.of[SL_KIND_MEM] = rounded_up(one->amount, MIB);
		else if (is_gpu(one->resource))
			pod_resources.of[SL_KIND_GPUS] += one->amount * gpu_parts;
	}
	const struct sl_request *asked = k->jobs->request ? &k->jobs->requests[k->jobs->request[row]] : NULL;
	if (asked && asked->group_count == shape->podset_count)
		pod_resources.gpu_types = asked->group[podset].task.gpu_types;
	return pod_resources;
}

static bool is_type(const struct pod_resources *pod_resources, uint32_t kind)
{
	return !pod_resources->gpu_types || (pod_resources->gpu_types >> (kind - SL_KIND_GPUS) & 1);
}

static const int64_t *free_of(const struct kueue *k, uint32_t node)
{
	return &k->free[(size_t)node * k->kinds];
}

static int64_t gpus_free(const struct kueue *k, uint32_t node, const struct pod_resources *pod_resources)
{
	int64_t sum = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < k->kinds; kind++)
		sum += is_type(pod_resources, kind) ? free_of(k, node)[kind] : 0;
	return sum;
}

/* It is up, and of the cluster that is looked at. */
static bool is_open(const struct kueue *k, uint32_t node)
{
	return k->up[node] && (!k->node_instance || k->node_instance[node] == k->only);
}

/* How many pods with these requests fit on the node, at most `wanted`. */
static int64_t kueue_pods_fits(
	const struct kueue *k, uint32_t node, const struct pod_resources *pod_resources, int64_t wanted)
{
	if (!is_open(k, node))
		return 0;
	const int64_t *free = free_of(k, node);
	for (uint32_t kind = SL_KIND_CPUS; kind <= SL_KIND_MEM; kind++)
		if (pod_resources->of[kind] && free[kind] / pod_resources->of[kind] < wanted)
			wanted = free[kind] / pod_resources->of[kind];
	const int64_t gpus = pod_resources->of[SL_KIND_GPUS];
	if (gpus && wanted && gpus_free(k, node, pod_resources) / gpus < wanted)
		wanted = gpus_free(k, node, pod_resources) / gpus;
	return wanted;
}

/* ---- A job's node allocations ------------------------------------------------------------------- */

struct scorer {
	struct kueue *k;
	struct kueue_held *held;
	size_t capacity, gpus_capacity;
};

static struct sl_node_alloc *node_alloc_on(struct scorer *p, uint32_t node)
{
	struct kueue_held *held = p->held;
	const uint32_t types = p->k->kinds - SL_KIND_GPUS;
	for (size_t i = held->count; i-- > 0 && i + 8 >= held->count;) /* The latest are the likeliest. */
		if (held->at[i].node == node)
			return &held->at[i];
	for (size_t i = 0; i < held->count; i++)
		if (held->at[i].node == node)
			return &held->at[i];
	if (!kueue_reserve(p->k, (void **)&held->at, &p->capacity, sizeof(*held->at), held->count + 1) ||
		!kueue_reserve(p->k, (void **)&held->gpus, &p->gpus_capacity, sizeof(*held->gpus),
			(held->count + 1) * types + 1))
		return NULL;
	memset(&held->gpus[held->count * types], 0, types * sizeof(*held->gpus));
	held->at[held->count] = (struct sl_node_alloc){ .node = node };
	return &held->at[held->count++];
}

static void take_gpus(
	struct scorer *p, uint32_t node, size_t at, const struct pod_resources *pod_resources, int64_t amount)
{
	struct kueue *k = p->k;
	for (uint32_t kind = SL_KIND_GPUS; kind < k->kinds && amount > 0; kind++) {
		int64_t *free = &k->free[(size_t)node * k->kinds + kind];
		const int64_t taken = !is_type(pod_resources, kind) ? 0 : *free < amount ? *free : amount;
		*free -= taken;
		amount -= taken;
		p->held->gpus[at * (k->kinds - SL_KIND_GPUS) + kind - SL_KIND_GPUS] += (uint32_t)taken;
	}
}

static void take_amount(struct scorer *p, uint32_t node, uint32_t kind,
	const struct pod_resources *pod_resources, int64_t amount)
{
	struct sl_node_alloc *node_alloc = amount ? node_alloc_on(p, node) : NULL;
	if (!node_alloc)
		return;
	if (kind == SL_KIND_GPUS) {
		take_gpus(p, node, (size_t)(node_alloc - p->held->at), pod_resources, amount);
		return;
	}
	int64_t *free = &p->k->free[(size_t)node * p->k->kinds + kind];
	if (*free < SL_MEM_UNBOUNDED)
		*free -= amount;
	*(kind == SL_KIND_CPUS ? &node_alloc->cpus : &node_alloc->mem) += amount;
}

static void take_pods(
	struct scorer *p, uint32_t node, const struct pod_resources *pod_resources, int64_t pods)
{
	for (uint32_t kind = SL_KIND_CPUS; kind <= SL_KIND_GPUS; kind++)
		take_amount(p, node, kind, pod_resources, pod_resources->of[kind] * pods);
	struct sl_node_alloc *node_alloc = node_alloc_on(p, node);
	if (node_alloc)
		node_alloc->tasks += (uint32_t)pods;
}

static void give_back(struct kueue *k, struct kueue_held *held)
{
	const uint32_t types = k->kinds - SL_KIND_GPUS;
	for (size_t i = 0; i < held->count; i++) {
		int64_t *free = &k->free[(size_t)held->at[i].node * k->kinds];
		free[SL_KIND_CPUS] += held->at[i].cpus;
		if (free[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
			free[SL_KIND_MEM] += held->at[i].mem;
		for (uint32_t t = 0; t < types; t++)
			free[SL_KIND_GPUS + t] += held->gpus[i * types + t];
	}
	free(held->at);
	free(held->gpus);
	*held = (struct kueue_held){ 0 };
}

/* ---- Where pods go ------------------------------------------------------------------------------------- */

/* Nodes that a domain of a topology means: the host of that name, or those with these labels. */
static bool in_domain(const struct kueue *k, const struct kq_placement *placement,
	const struct kq_domain_count *domain, uint32_t node)
{
	const struct kq_host *host;
	const uint32_t row = kq_find_host(k->kq, k->cluster->node_name[node]);
	if (row == KQ_NO)
		return false;
	host = &k->kq->host[row];
	for (uint32_t i = 0; i < placement->level_count; i++) {
		const char *value = sl_label_of(&host->labels, placement->level[i]);
		if (!value || strcmp(value, domain->value[i]) != 0)
			return false;
	}
	return true;
}

bool kueue_by_host(const struct kq_placement *placement)
{
	return placement->level_count == 1 && strcmp(placement->level[0], "kubernetes.io/hostname") == 0;
}

static int64_t place_domain(struct scorer *p, const struct kq_placement *placement,
	const struct kq_domain_count *domain, const struct pod_resources *pod_resources)
{
	const struct kueue *k = p->k;
	int64_t left = domain->count;
	const uint32_t host = kueue_by_host(placement) ? kq_find_host(k->kq, domain->value[0]) : KQ_NO;
	if (host != KQ_NO && k->host_node[host] != UINT32_MAX) {
		const int64_t pods = kueue_pods_fits(k, k->host_node[host], pod_resources, left);
		take_pods(p, k->host_node[host], pod_resources, pods);
		return left - pods;
	}
	for (uint32_t node = 0; node < k->cluster->node_count && left; node++) {
		const int64_t pods = in_domain(k, placement, domain, node)
					     ? kueue_pods_fits(k, node, pod_resources, left)
					     : 0;
		if (pods)
			take_pods(p, node, pod_resources, pods);
		left -= pods;
	}
	return left;
}

static int64_t place_anywhere(struct scorer *p, const struct pod_resources *pod_resources, int64_t left)
{
	for (uint32_t node = 0; node < p->k->cluster->node_count && left; node++) {
		const int64_t pods = kueue_pods_fits(p->k, node, pod_resources, left);
		if (pods)
			take_pods(p, node, pod_resources, pods);
		left -= pods;
	}
	return left;
}

/* What is left over of whole pods, in amounts. */
static bool place_amounts(struct scorer *p, const struct pod_resources *pod_resources, int64_t pods)
{
	struct kueue *k = p->k;
	for (uint32_t kind = SL_KIND_CPUS; kind <= SL_KIND_GPUS; kind++) {
		int64_t left = pod_resources->of[kind] * pods;
		for (uint32_t node = 0; node < k->cluster->node_count && left; node++) {
			int64_t amount = kind == SL_KIND_GPUS ? gpus_free(k, node, pod_resources)
							      : free_of(k, node)[kind];
			amount = !is_open(k, node) ? 0 : amount < left ? amount : left;
			take_amount(p, node, kind, pod_resources, amount);
			left -= amount;
		}
		if (left)
			return false;
	}
	return true;
}

static bool place_podset(struct scorer *p, const struct kq_admitted_podset *admitted,
	const struct pod_resources *pod_resources)
{
	int64_t left = admitted->count;
	if (admitted->placement && !admitted->delayed) {
		left = 0;
		for (uint32_t i = 0; i < admitted->placement->count; i++)
			left += place_domain(
				p, admitted->placement, &admitted->placement->domain[i], pod_resources);
		return !left;
	}
	left = place_anywhere(p, pod_resources, left);
	return !left || place_amounts(p, pod_resources, left);
}

static int by_node(const void *a, const void *b)
{
	const struct sl_node_alloc *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

/* In the order of nodes; types of GPU move along. */
static void sort_held(struct kueue *k, struct kueue_held *held)
{
	const uint32_t types = k->kinds - SL_KIND_GPUS;
	bool sorted = true;
	for (size_t i = 1; i < held->count; i++)
		sorted = sorted && held->at[i - 1].node < held->at[i].node;
	if (sorted)
		return;
	for (size_t i = 0; i < held->count; i++)
		held->at[i].gpus = &held->gpus[i * types];
	uint32_t *moved = malloc((held->count * types + 1) * sizeof(*moved));
	if (!moved) {
		controller_no_memory(&k->engine);
		return;
	}
	qsort(held->at, held->count, sizeof(*held->at), by_node);
	for (size_t i = 0; i < held->count; i++) {
		memcpy(&moved[i * types], held->at[i].gpus, types * sizeof(*moved));
		held->at[i].gpus = NULL;
	}
	free(held->gpus);
	held->gpus = moved;
}

static bool kueue_pods_place(struct kueue *k, uint32_t row)
{
	const struct kq *kq;
	const struct kq_admission *admission = kueue_admission(k, row, &kq);
	k->only = kueue_multi_instance(k, row);
	struct scorer scorer = { .k = k, .held = &k->held[row] };
	bool placed = admission != NULL;
	for (uint32_t i = 0; placed && i < admission->podset_count; i++) {
		const struct pod_resources pod_resources = pod_resources_of(k, row, i);
		placed = place_podset(&scorer, &admission->podset[i], &pod_resources);
	}
	if (placed && !scorer.held->count) /* It requests nothing: it gets a node all the same. */
		placed = node_alloc_on(&scorer, 0) != NULL;
	if (placed)
		sort_held(k, scorer.held);
	else
		give_back(k, scorer.held);
	return placed;
}

/* ---- Starts and stops -------------------------------------------------------------------------------- */

/* By what right: within its queue's quota, or on what others leave. */
static enum sl_rule kueue_pods_rule_of(const struct kueue *k, uint32_t workload)
{
	const struct kq_workload *row = &k->kq->workload[workload];
	for (uint32_t i = 0; row->admission && i < row->used_count; i++)
		if (kq_borrows(k->kq, row->admission->queue, row->used[i].fr))
			return SL_RULE_BORROW;
	return SL_RULE_ADMIT;
}

void kueue_pods_on(struct kueue *k, uint32_t row, const struct sl_node_alloc *node_alloc, size_t count)
{
	struct kueue_job *job = &k->job[row];
	struct order *order = controller_order(&k->engine, ORDER_START, row);
	if (!order)
		return;
	controller_keep_all(&k->engine, order, node_alloc, count);
	order->cause.rule = kueue_pods_rule_of(k, job->workload);
	job->stage = KUEUE_RUNS;
	kueue_note(k, row, KUEUE_ON_NODES);
	job->stamp++;
	/* Workers that come once their leader is ready are ready as much later. */
	kueue_due(k, k->now + k->start_delay * (k->shape[k->shape_of[row]].pods->leader_first ? 2 : 1),
		KUEUE_DUE_READY, row);
	kueue_checks_started(k, row);
	if (k->kill && k->jobs->limit[row] < k->jobs->run[row])
		kueue_due(k, k->now + k->jobs->limit[row], KUEUE_DUE_LIMIT, row);
}

static bool try_start(struct kueue *k, uint32_t row)
{
	if (!kueue_pods_place(k, row))
		return false;
	struct kueue_held *held = &k->held[row];
	const uint32_t types = k->kinds - SL_KIND_GPUS;
	for (size_t i = 0; i < held->count; i++)
		held->at[i].gpus = &held->gpus[i * types];
	kueue_pods_on(k, row, held->at, held->count);
	return true;
}

static void wait_for_capacity(struct kueue *k, uint32_t row)
{
	k->job[row].pods_at = k->waiting_count;
	k->waiting[k->waiting_count++] = row;
	controller_reason(&k->engine, row, SL_REASON_UNSCHEDULABLE);
}

void kueue_pods_start(struct kueue *k, uint32_t row)
{
	k->job[row].stage = KUEUE_PODS;
	k->job[row].stamp++;
	if (k->binder) {
		kueue_bind_add(k, row);
		return;
	}
	if (!try_start(k, row))
		wait_for_capacity(k, row);
}

/* As it is made anew: nodes are looked for once all that happens now is known, which of them are down too. */
void kueue_pods_retry(struct kueue *k, uint32_t row)
{
	if (k->binder) {
		kueue_pods_start(k, row);
		return;
	}
	k->job[row].stage = KUEUE_PODS;
	k->job[row].stamp++;
	wait_for_capacity(k, row);
	k->allocation_retry = true;
}

/* Those that wait for free resources stay in their order. */
static void leave_wait(struct kueue *k, uint32_t row)
{
	const uint32_t at = k->job[row].pods_at;
	for (uint32_t i = at; i + 1 < k->waiting_count; i++) {
		k->waiting[i] = k->waiting[i + 1];
		k->job[k->waiting[i]].pods_at = i;
	}
	k->waiting_count--;
}

void kueue_pods_stop(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	if (k->binder) {
		k->binder->remove(k->binder_state, k->now, (sl_job){ row });
		k->binder_at = k->now;
		return;
	}
	if (job->stage == KUEUE_PODS)
		leave_wait(k, row);
	if (k->held[row].count)
		give_back(k, &k->held[row]);
	k->allocation_retry = k->waiting_count > 0;
}

bool kueue_pods_failed(struct kueue *k, uint32_t row, bool by_model)
{
	if (!k->binder || k->shape[k->shape_of[row]].pods->restart != SL_RESTART_ONE)
		return false;
	k->binder_at = k->now;
	return !by_model || k->binder->fail(k->binder_state, k->now, (sl_job){ row });
}

void kueue_pods_run(struct kueue *k)
{
	const bool retry = k->allocation_retry;
	k->allocation_retry = false;
	if (k->binder) {
		kueue_bind_run(k);
		return;
	}
	if (!retry)
		return;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < k->waiting_count; i++) {
		const uint32_t row = k->waiting[i];
		if (try_start(k, row))
			continue;
		k->job[row].pods_at = kept;
		k->waiting[kept++] = row;
	}
	k->waiting_count = kept;
}

/* ---- Begin and end ------------------------------------------------------------------------------------ */

static int make_free(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	k->kinds = cluster->kind_count > SL_KIND_GPUS ? cluster->kind_count : SL_KIND_GPUS;
	k->free = sl_alloc(k->arena, (size_t)cluster->node_count * k->kinds + 1, sizeof(*k->free));
	k->up = sl_alloc(k->arena, (size_t)cluster->node_count + 1, sizeof(*k->up));
	k->waiting = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*k->waiting));
	k->held = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*k->held));
	k->host_node = sl_alloc(k->arena, (size_t)k->kq->host_count + 1, sizeof(*k->host_node));
	if (!k->free || !k->up || !k->waiting || !k->held || !k->host_node)
		return sl_fail_memory(err);
	for (uint32_t host = 0; host < k->kq->host_count; host++)
		k->host_node[host] = UINT32_MAX;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const uint32_t host = kq_find_host(k->kq, cluster->node_name[node]);
		const int64_t *amount = cluster->type[cluster->node_type[node]].amount;
		memcpy(&k->free[(size_t)node * k->kinds], amount, k->kinds * sizeof(*amount));
		k->up[node] = host == KQ_NO || !k->kq->host[host].unschedulable;
		if (setup->unavailable && setup->unavailable[node])
			k->up[node] = false;
		if (host != KQ_NO)
			k->host_node[host] = node;
	}
	return SL_OK;
}

int kueue_pods_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	const int status = make_free(k, setup, err);
	return status ? status : kueue_bind_make(k, setup, err);
}

void kueue_pods_release(struct kueue *k)
{
	if (k->binder && k->binder->release && k->binder_state)
		k->binder->release(k->binder_state);
	for (uint32_t row = 0; k->held && row < k->jobs->count; row++) {
		free(k->held[row].at);
		free(k->held[row].gpus);
	}
}
