/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_pods.c - pods are added, assumed on nodes, and removed.
 */
#include "policies/kube/kube_dra.h"
#include "policies/kube/workload/kube_workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- What came of it ------------------------------------------------------------------------- */

void kube_report(struct kube *k, enum sl_bound_what what, uint32_t job, uint32_t cause)
{
	if (k->reported_next == k->reported_count)
		k->reported_next = k->reported_count = 0;
	if (SL_GROW(k->reported, k->reported_capacity, k->reported_count + 1, &k->err))
		return;
	k->reported[k->reported_count++] = (struct sl_bound){ what, { job }, { cause } };
}

static void untell(struct kube *k, uint32_t job)
{
	size_t kept = k->reported_next;
	for (size_t i = k->reported_next; i < k->reported_count; i++)
		if (k->reported[i].job.row != job)
			k->reported[kept++] = k->reported[i];
	k->reported_count = kept;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static void count_level(struct kube *k, int64_t priority, bool more)
{
	size_t at = 0;
	while (at < k->levels && k->level[at].priority < priority)
		at++;
	if (at == k->levels || k->level[at].priority != priority) {
		if (SL_GROW(k->level, k->level_capacity, k->levels + 1, &k->err))
			return;
		memmove(&k->level[at + 1], &k->level[at], (k->levels - at) * sizeof(*k->level));
		k->level[at].priority = priority;
		k->level[at].pods = 0;
		k->levels++;
	}
	if (more) {
		k->level[at].pods++;
		return;
	}
	if (--k->level[at].pods)
		return;
	k->levels--;
	memmove(&k->level[at], &k->level[at + 1], (k->levels - at) * sizeof(*k->level));
}

static int64_t kube_pods_gpus_of(const struct kube *k, const struct kube_spec *spec)
{
	(void)k;
	return spec->gpu == KUBE_NO ? 0 : spec->request[spec->gpu];
}

/* Of the node's types of GPU the first that has enough left, for the engine's accounting. */
static uint32_t choose_gpus(const struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	const int64_t wanted = kube_pods_gpus_of(k, spec);
	if (!wanted || !k->cluster->node_count)
		return KUBE_NO;
	const struct sl_node_type *type = &k->cluster->type[k->cluster->node_type[node]];
	for (uint32_t kind = SL_KIND_GPUS; kind < k->cluster->kind_count; kind++) {
		const uint32_t bit = kind - SL_KIND_GPUS;
		const int64_t has = type->amount[kind] / sl_parts(k->cluster->gpu_parts);
		if (spec->gpu_types && !(spec->gpu_types >> bit & 1))
			continue;
		if (has - k->node[node].gpu_used[bit] >= wanted)
			return bit;
	}
	return KUBE_NO;
}

void kube_take(struct kube *k, uint32_t pod, uint32_t node)
{
	struct kube_pod *of = &k->pod[pod];
	struct kube_node *on = &k->node[node];
	const struct kube_spec *spec = &k->spec[of->spec];
	for (uint32_t i = 0; i < k->resources; i++) {
		on->used[i] += spec->request[i];
		k->free[i] -= spec->request[i];
	}
	on->cpu_scored += spec->cpu_scored;
	on->mem_scored += spec->mem_scored;
	on->pods++;
	if (of->gpu_kind == KUBE_NO) /* Else it comes back. */
		of->gpu_kind = choose_gpus(k, spec, node);
	if (of->gpu_kind != KUBE_NO)
		on->gpu_used[of->gpu_kind] += (uint32_t)kube_pods_gpus_of(k, spec);
	of->node = node;
	of->next = on->first;
	of->before = KUBE_NO;
	if (on->first != KUBE_NO)
		k->pod[on->first].before = pod;
	on->first = pod;
	on->pod_affinity_pods += spec->pod_affinity_any;
	k->pod_affinity_pods += spec->pod_affinity_any;
	k->pod_affinity_hard_pods += spec->pod_affinity_hard;
	count_level(k, spec->priority, true);
	if (!k->trying)
		kube_node_changed(k, node);
	if (spec->claims && !k->trying)
		kube_dra_take(k, pod, node);
}

void kube_give(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	struct kube_node *on = &k->node[of->node];
	const struct kube_spec *spec = &k->spec[of->spec];
	for (uint32_t i = 0; i < k->resources; i++) {
		on->used[i] -= spec->request[i];
		k->free[i] += spec->request[i];
	}
	on->cpu_scored -= spec->cpu_scored;
	on->mem_scored -= spec->mem_scored;
	on->pods--;
	if (of->gpu_kind != KUBE_NO)
		on->gpu_used[of->gpu_kind] -= (uint32_t)kube_pods_gpus_of(k, spec);
	if (of->before != KUBE_NO)
		k->pod[of->before].next = of->next;
	else
		on->first = of->next;
	if (of->next != KUBE_NO)
		k->pod[of->next].before = of->before;
	if (!k->trying)
		kube_node_changed(k, of->node);
	of->node = KUBE_NO;
	on->pod_affinity_pods -= spec->pod_affinity_any;
	k->pod_affinity_pods -= spec->pod_affinity_any;
	k->pod_affinity_hard_pods -= spec->pod_affinity_hard;
	count_level(k, spec->priority, false);
	if (spec->claims && !k->trying)
		kube_dra_give(k, pod);
}

void kube_nominee_popped(struct kube *k, uint32_t pod)
{
	size_t at = 0;
	while (at < k->nominees && k->nominee[at] != pod)
		at++;
	if (at == k->nominees)
		return;
	k->nominee[at] = k->nominee[--k->nominees];
	k->node[k->pod[pod].nominated].nominees--;
	kube_queue_freed(k, k->pod[pod].nominated);
}

void kube_nominate(struct kube *k, uint32_t pod, uint32_t node)
{
	struct kube_pod *of = &k->pod[pod];
	if (of->nominated != KUBE_NO)
		kube_nominee_popped(k, pod);
	of->nominated = KUBE_NO;
	if (node == KUBE_NO || SL_GROW(k->nominee, k->nominee_capacity, k->nominees + 1, &k->err))
		return;
	k->nominee[k->nominees++] = pod;
	k->node[node].nominees++;
	of->nominated = node;
}

/* ---- What pods look like --------------------------------------------------------------------- */

static uint64_t hash_like(const struct kube_spec *spec)
{
	return sl_hash_bytes((uint64_t)spec->priority, spec->request, sizeof(spec->request));
}

static bool is_like(const struct kube_like *like, const struct kube_spec *spec)
{
	return like->priority == spec->priority &&
	       memcmp(like->request, spec->request, sizeof(like->request)) == 0;
}

static uint32_t find_like(struct kube *k, const struct kube_spec *spec)
{
	const uint64_t hash = hash_like(spec);
	uint32_t i;
	SL_MAP_EACH(&k->like_map, hash, i)
	if (is_like(&k->like[i], spec))
		return i;
	if (SL_GROW(k->like, k->like_capacity, k->likes + 1, &k->err) ||
		sl_map_add(&k->like_map, hash, (uint32_t)k->likes, &k->err))
		return KUBE_NO;
	struct kube_like *like = &k->like[k->likes];
	memset(like, 0, sizeof(*like));
	memcpy(like->request, spec->request, sizeof(like->request));
	like->priority = spec->priority;
	return (uint32_t)k->likes++;
}

static const struct kube_profile *kube_pods_profile_of(const struct kube *k, const char *scheduler)
{
	for (uint32_t i = 0; scheduler && i < k->profiles; i++)
		if (strcmp(k->profile[i].name, scheduler) == 0)
			return &k->profile[i];
	return &k->profile[0];
}

static void take_requests(struct kube *k, struct kube_spec *spec)
{
	const struct sl_amounts *asks = &spec->podset->request;
	spec->gpu = KUBE_NO;
	for (uint32_t i = 0; i < asks->count; i++) {
		if (strcmp(asks->at[i].resource, "pods") == 0)
			continue;
		const uint32_t resource = kube_resource(k, asks->at[i].resource);
		if (resource == KUBE_NO) {
			(void)sl_fail(&k->err, SL_INPUT,
				"pods and nodes name more than %d kinds of resource: leave some out",
				KUBE_RES_MAX);
			return;
		}
		spec->request[resource] = asks->at[i].amount;
		if (strcmp(asks->at[i].resource, "nvidia.com/gpu") == 0 && asks->at[i].amount > 0)
			spec->gpu = resource;
	}
	spec->cpu_scored = spec->request[KUBE_RES_CPU] + spec->podset->cpu_unasked;
	spec->mem_scored = spec->request[KUBE_RES_MEM] + spec->podset->mem_unasked;
	spec->cpu_fit = spec->request[KUBE_RES_CPU] + spec->podset->cpu_fit;
	spec->mem_fit = spec->request[KUBE_RES_MEM] + spec->podset->mem_fit;
}

static uint32_t gpu_types_of(const struct kube *k, uint32_t job, uint32_t set, const struct sl_pods *pods)
{
	if (*pods->kind || !k->jobs->request)
		return 0;
	const struct sl_request *request = &k->jobs->requests[k->jobs->request[job]];
	return set < request->group_count ? request->group[set].task.gpu_types : 0;
}

static const struct sl_job_attributes *kube_pods_more_of(const struct kube *k, uint32_t job)
{
	const uint32_t more = k->jobs->more_of ? k->jobs->more_of[job] : 0;
	return more ? &k->jobs->more[more] : NULL;
}

static bool is_among(const struct sl_label_expr *expr, const char *name)
{
	for (uint32_t i = 0; i < expr->count; i++)
		if (strcmp(expr->value[i], name) == 0)
			return true;
	return false;
}

/* Does the term name this node? *names: it names any at all (matchFields, metadata.name In). */
static bool term_names(const struct sl_label_term *term, const char *node, bool *names)
{
	bool all = true;
	*names = false;
	for (uint32_t i = 0; i < term->field_count; i++) {
		if (term->field[i].op != SL_LABEL_IN || strcmp(term->field[i].key, "metadata.name") != 0)
			continue;
		*names = true;
		all &= is_among(&term->field[i], node);
	}
	return *names && all;
}

/* NULL: some term of it does not name nodes. */
static const uint8_t *named_nodes(struct kube *k, const struct sl_podset *podset)
{
	bool names = podset->required_count > 0;
	for (uint32_t i = 0; i < podset->required_count && names; i++)
		(void)term_names(&podset->required[i], "", &names);
	uint8_t *named = names ? sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*named)) : NULL;
	if (names && !named)
		(void)sl_fail_memory(&k->err);
	for (uint32_t node = 0; named && node < k->nodes; node++)
		for (uint32_t i = 0; i < podset->required_count; i++)
			named[node] |= term_names(&podset->required[i], k->node[node].name, &names);
	return named;
}

/* podset: that one, or a part of it. */
static uint32_t make_spec(struct kube *k, uint32_t job, const struct sl_pods *pods, uint32_t set,
	const struct sl_podset *podset, const struct sl_podset_assignment *assignment)
{
	const struct sl_job_attributes *more = kube_pods_more_of(k, job);
	if (SL_GROW(k->spec, k->spec_capacity, k->specs + 1, &k->err))
		return KUBE_NO;
	struct kube_spec *spec = &k->spec[k->specs];
	memset(spec, 0, sizeof(*spec));
	spec->podset = podset;
	spec->namespace = more && more->namespace && *more->namespace ? more->namespace : "default";
	kube_take_priority(k, podset, more ? more->priority : SL_NONE, spec);
	spec->profile = kube_pods_profile_of(k, podset->scheduler);
	spec->gang = KUBE_NO;
	spec->gpu_types = gpu_types_of(k, job, set, pods);
	if (assignment) {
		spec->assignment = assignment->labels;
		spec->assignment_tolerations = assignment->tolerations;
	}
	take_requests(k, spec);
	if (kube_dra_needs(k, spec))
		return KUBE_NO;
	for (uint32_t i = 0; i < podset->pod_affinity_count; i++) {
		spec->pod_affinity_any = true;
		spec->pod_affinity_hard |= podset->pod_affinity[i].anti && !podset->pod_affinity[i].weight;
	}
	spec->plain = !podset->node_selector.count && !podset->required_count && !podset->preferred_count &&
		      !podset->spread_count && !podset->pod_affinity_count && !podset->node &&
		      !spec->assignment.count && !podset->tolerations.count && !spec->claims &&
		      !podset->port_count && !spec->assignment_tolerations.count && !spec->gpu_types &&
		      !(assignment && assignment->node) && spec->profile == &k->profile[0];
	spec->named = named_nodes(k, podset);
	spec->like = spec->plain ? find_like(k, spec) : KUBE_NO;
	spec->sort = assignment && assignment->node ? KUBE_NO : kube_sort_of(k, spec);
	return (uint32_t)k->specs++;
}

/* ---- Gangs ----------------------------------------------------------------------------------- */

/* minMember of a PodGroup of the coscheduling plugin; it says 1 where it says nothing. */
static int64_t group_min(const struct kube *k, const struct sl_pods *pods, const char *namespace,
	const char *name, int64_t fallback)
{
	const struct kube_group_object of = kube_group_find(k, pods, namespace, name, "scheduling.x-k8s.io");
	const char *text = of.node ? kube_text(of.doc, of.node, "spec.minMember") : NULL;
	int64_t value;
	if (!of.node)
		return fallback;
	return text && sl_get_i64(text, strlen(text), &value) && value > 0 ? value : 1;
}

static uint32_t gang_of(struct kube *k, uint32_t job, const char *namespace, const char *name, int64_t min)
{
	if (!name && k->job[job].gang)
		return k->job[job].gang - 1;
	for (size_t i = 0; name && i < k->gangs; i++)
		if (k->gang[i].name && !k->gang[i].workload && strcmp(k->gang[i].name, name) == 0 &&
			strcmp(k->gang[i].namespace, namespace) == 0)
			return (uint32_t)i;
	if (SL_GROW(k->gang, k->gang_capacity, k->gangs + 1, &k->err))
		return KUBE_NO;
	k->gang[k->gangs] = (struct kube_gang_state){ .name = name,
		.namespace = namespace,
		.job = name ? KUBE_NO : job,
		.min = min,
		.until = SL_NEVER };
	if (!name)
		k->job[job].gang = (uint32_t)k->gangs + 1;
	return (uint32_t)k->gangs++;
}

static uint32_t find_gang(
	struct kube *k, uint32_t job, const struct kube_spec *spec, const struct sl_pods *pods, int64_t total)
{
	const uint32_t group = kube_workload_gang(k, pods, spec);
	if (group != KUBE_NO)
		return group;
	const char *name = spec->podset->in_scheduling_group ? NULL : spec->podset->pod_group;
	if (name)
		return gang_of(k, job, spec->namespace, name,
			group_min(k, pods, spec->namespace, name, spec->podset->count));
	const bool unit = !*pods->kind || strcmp(pods->kind, "LeaderWorkerSet") == 0;
	if (k->options.gang == KUBE_GANG_OFF || total < 2 || (k->options.gang == KUBE_GANG_AUTO && !unit))
		return KUBE_NO;
	return gang_of(k, job, spec->namespace, NULL, total);
}

/* Enough of them are there: they may be tried. */
static void open_gang(struct kube *k, uint32_t gang)
{
	if (k->gang[gang].workload || k->gang[gang].pods < k->gang[gang].min)
		return;
	const uint32_t job = k->gang[gang].job;
	for (size_t i = job == KUBE_NO ? 0 : k->job[job].first; i < k->pods; i++)
		if (k->pod[i].state == KUBE_POD_GATED && k->spec[k->pod[i].spec].gang == gang)
			kube_queue_add(k, (uint32_t)i);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

static void make_pod(struct kube *k, uint32_t spec, uint32_t job, uint32_t index,
	const struct sl_podset_assignment *assignment)
{
	struct kube_pod *pod = &k->pod[k->pods];
	const char *name = k->spec[spec].podset->node;
	*pod = (struct kube_pod){ .spec = spec,
		.priority = k->spec[spec].priority,
		.created = k->now,
		.job = job,
		.index = index,
		.node = KUBE_NO,
		.must = assignment && assignment->node ? assignment->node[index] : KUBE_NO,
		.nominated = KUBE_NO,
		.set = KUBE_NO,
		.gpu_kind = KUBE_NO };
	for (uint32_t i = 0; name && i < k->nodes; i++)
		if (strcmp(k->node[i].name, name) == 0)
			pod->must = i;
	const uint32_t row = (uint32_t)k->pods++;
	const uint32_t gang = k->spec[spec].gang;
	if (gang == KUBE_NO) {
		kube_queue_add(k, row);
		return;
	}
	if (k->gang[gang].workload) {
		kube_workload_came(k, row);
		return;
	}
	k->gang[gang].pods++;
	pod->entered = k->now;
	if (k->gang[gang].pods > k->gang[gang].min)
		kube_queue_add(k, row);
	else
		pod->state = KUBE_POD_GATED;
}

/* Equal ones of a podset, from its pod `first` on. */
static bool add_pods(struct kube *k, uint32_t job, uint32_t spec, int64_t first, int64_t count,
	const struct sl_podset_assignment *assignment)
{
	if (spec == KUBE_NO || k->err.status)
		return false;
	for (int64_t i = 0; i < count; i++)
		make_pod(k, spec, job, (uint32_t)(first + i), assignment);
	if (k->spec[spec].gang != KUBE_NO)
		open_gang(k, k->spec[spec].gang);
	return true;
}

static bool add_podset(struct kube *k, uint32_t job, const struct sl_pods *pods, uint32_t set,
	const struct sl_podset_assignment *assignment, int64_t total)
{
	const struct sl_podset *podset = &pods->podset[set];
	const struct sl_podset *part = podset->part_count ? podset->part : podset;
	const uint32_t parts = podset->part_count ? podset->part_count : 1;
	int64_t left = assignment ? assignment->count : podset->count;
	for (int64_t i = 0, first = 0; i < parts; i++) {
		const int64_t wanted = parts == 1 || part[i].count > left ? left : part[i].count;
		const uint32_t spec = make_spec(k, job, pods, set, &part[i], assignment);
		if (spec != KUBE_NO)
			k->spec[spec].gang = find_gang(k, job, &k->spec[spec], pods, total);
		if (spec != KUBE_NO && k->spec[spec].gang != KUBE_NO && k->gang[k->spec[spec].gang].workload)
			k->spec[spec].like = KUBE_NO; /* Beside its own it fits otherwise than alone. */
		if (!add_pods(k, job, spec, first, wanted, assignment))
			return false;
		first += wanted;
		left -= wanted;
	}
	return true;
}

void kube_add(struct kube *k, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment)
{
	struct kube_job *of = &k->job[job.row];
	int64_t total = 0;
	k->now = now;
	k->outside++;
	for (uint32_t i = 0; i < pods->count; i++)
		total += assignment ? assignment[i].count : pods->podset[i].count;
	free(of->why);
	*of = (struct kube_job){
		.pods = pods, .gang = of->gang, .first = (uint32_t)k->pods, .there = true, .stuck = KUBE_NO
	};
	if (kube_scale_gave_up(k, job.row)) {
		kube_report(k, SL_BOUND_STUCK, job.row, KUBE_NO);
		return;
	}
	if (total > INT32_MAX || SL_GROW(k->pod, k->pod_capacity, k->pods + (size_t)total, &k->err))
		return;
	for (uint32_t i = 0; i < pods->count; i++)
		if (!add_podset(k, job.row, pods, i, assignment ? &assignment[i] : NULL, total))
			return;
	of->count = (uint32_t)total;
	if (!total) {
		of->reported = true;
		kube_report(k, SL_BOUND_ALL, job.row, KUBE_NO);
	}
}

void kube_remove(struct kube *k, sl_time now, sl_job job)
{
	struct kube_job *of = &k->job[job.row];
	k->now = now;
	if (!of->there)
		return;
	of->there = false;
	k->outside++;
	untell(k, job.row);
	for (uint32_t i = of->first; i < of->first + of->count; i++) {
		struct kube_pod *pod = &k->pod[i];
		const uint32_t gang = k->spec[pod->spec].gang, node = pod->node;
		const uint32_t nominated = pod->nominated;
		kube_nominate(k, i, KUBE_NO);
		if (gang != KUBE_NO)
			k->gang[gang].pods--;
		if (node == KUBE_NO) {
			kube_queue_drop(k, i);
			if (nominated != KUBE_NO)
				kube_queue_changed(k, KUBE_NOMINEE_LEFT, nominated, pod->spec);
			continue;
		}
		if (gang != KUBE_NO)
			k->gang[gang].placed--;
		kube_give(k, i);
		pod->state = KUBE_POD_GONE;
		kube_queue_changed(k, KUBE_POD_LEFT, node, pod->spec);
	}
	free(of->why);
	of->why = NULL;
}

/* Of a job that lost a pod, all are made anew by the policy that added them (SL_BOUND_LOST, lost), or that
 * pod alone, as the job has it. */
void kube_lose(struct kube *k, uint32_t job, uint32_t cause)
{
	struct kube_job *of = &k->job[job];
	const enum sl_pods_restart restart = of->pods->restart;
	const bool ran = of->reported;
	of->reported = false;
	if (of->lost || (!ran && restart != SL_RESTART_ALL))
		return;
	if (restart == SL_RESTART_ONE)
		untell(k, job);
	of->lost = restart != SL_RESTART_ONE;
	kube_report(k, SL_BOUND_LOST, job, cause);
}

/* Its pods failed where they are: those of a job that keeps the others are started again in place. */
bool kube_fail(struct kube *k, sl_time now, sl_job job)
{
	struct kube_job *of = &k->job[job.row];
	k->now = now;
	if (!of->there || of->pods->restart != SL_RESTART_ONE)
		return false;
	of->reported = of->bound == of->count;
	if (of->reported)
		kube_report(k, SL_BOUND_ALL, job.row, KUBE_NO);
	return true;
}

void kube_node(struct kube *k, sl_time now, uint32_t node, bool up)
{
	k->now = now;
	if (k->node[node].up == up)
		return;
	k->node[node].up = up;
	k->version++;
	k->outside++;
	k->states++;
	kube_node_changed(k, node);
	if (up) {
		kube_queue_changed(k, KUBE_NODE_CAME, node, KUBE_NO);
		return;
	}
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next)
		kube_lose(k, k->pod[i].job, KUBE_NO);
	uint32_t next;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = next) {
		struct kube_pod *pod = &k->pod[i];
		next = pod->next;
		k->job[pod->job].bound -= pod->state == KUBE_POD_BOUND;
		if (k->spec[pod->spec].gang != KUBE_NO)
			k->gang[k->spec[pod->spec].gang].placed--;
		kube_give(k, i);
		pod->attempts = 0;
		pod->created = k->now;
		pod->state = KUBE_POD_GONE;
		if (!k->job[pod->job].lost)
			kube_queue_add(k, i); /* Recreated. */
	}
}

/* ---- A job's allocation ---------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct sl_node_alloc *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

/* Sums of pods by node; cpu and memory rounded down, so that what fits here fits in the engine's accounting.
 */
size_t kube_where(struct kube *k, sl_job job, const struct sl_node_alloc **node_alloc)
{
	const struct kube_job *of = &k->job[job.row];
	const uint32_t types =
		k->cluster->kind_count > SL_KIND_GPUS ? k->cluster->kind_count - SL_KIND_GPUS : 0;
	size_t count = 0, kept = 0;
	if (SL_GROW(k->node_alloc, k->node_alloc_capacity, (size_t)of->count + 1, &k->err))
		return 0;
	for (uint32_t i = of->first; i < of->first + of->count; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[i].spec];
		if (k->pod[i].node == KUBE_NO)
			continue;
		k->node_alloc[count++] = (struct sl_node_alloc){ .node = k->pod[i].node,
			.tasks = 1,
			.cpus = spec->request[KUBE_RES_CPU],
			.mem = spec->request[KUBE_RES_MEM] };
	}
	qsort(k->node_alloc, count, sizeof(*k->node_alloc), by_node); /* Those of one node are added up. */
	for (size_t i = 0; i < count; i++) {
		struct sl_node_alloc *last = kept ? &k->node_alloc[kept - 1] : NULL;
		if (!last || last->node != k->node_alloc[i].node) {
			k->node_alloc[kept++] = k->node_alloc[i];
			continue;
		}
		last->tasks += k->node_alloc[i].tasks;
		last->cpus += k->node_alloc[i].cpus;
		last->mem += k->node_alloc[i].mem;
	}
	for (size_t i = 0; i < kept; i++) {
		k->node_alloc[i].cpus = k->node_alloc[i].cpus * sl_parts(k->cluster->cpu_parts) / 1000;
		k->node_alloc[i].mem >>= 20;
		if (types) {
			k->node_alloc[i].gpus = &k->node_alloc_gpus[i * types];
			memset(&k->node_alloc_gpus[i * types], 0, types * sizeof(*k->node_alloc_gpus));
		}
	}
	for (uint32_t i = of->first; types && i < of->first + of->count; i++) {
		const struct kube_pod *pod = &k->pod[i];
		const struct kube_spec *spec = &k->spec[pod->spec];
		const struct sl_node_alloc key = { .node = pod->node };
		if (pod->node == KUBE_NO || pod->gpu_kind == KUBE_NO)
			continue;
		const struct sl_node_alloc *at =
			bsearch(&key, k->node_alloc, kept, sizeof(*k->node_alloc), by_node);
		const size_t row = (size_t)(at - k->node_alloc);
		k->node_alloc_gpus[row * types + pod->gpu_kind] +=
			(uint32_t)(kube_pods_gpus_of(k, spec) * sl_parts(k->cluster->gpu_parts));
	}
	*node_alloc = k->node_alloc;
	return kept;
}
