/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca_down.c - scale-down (cluster-autoscaler/core/scaledown: eligibility, planner, unneeded, budgets,
 * actuation; simulator/drainability/rules).
 *
 * A node is unneeded while its utilization is not above the threshold and all its pods could go to other
 * nodes, those of unneeded nodes before it in this loop included; one of which that was found not to hold is
 * not looked at again before unremovable-node-recheck-timeout is over. Unneeded for longer than
 * scale-down-unneeded-time, it is tainted: empty ones several at a time, others max-drain-parallelism. After
 * node-delete-delay-after-taint its pods are evicted and it is gone; if a pod then speaks against it, it
 * stays, which is a failed scale-down.
 *
 * Not modelled: pods that take time to terminate, DaemonSets, atomic node groups, soft taints. Candidates are
 * looked at in this order: those that were unneeded before, empty ones, the rest, by place in the cluster;
 * pods go to the first node that has room, by place in the cluster (the simulator remembers where a pod would
 * have gone).
 */
#include "policies/kube/elastic/ca.h"

#include <stdlib.h>
#include <string.h>

/* ---- What speaks against moving a pod ------------------------------------------------------------ */

static bool blocks(struct kube_scaler *s, uint32_t pod)
{
	const struct ca_flags *f = &s->ca->flags;
	const struct kube_spec *spec = &s->k->spec[s->k->pod[pod].spec];
	const char *safe = elastic_annotation(s, pod, "cluster-autoscaler.kubernetes.io/safe-to-evict");
	if (s->k->pod[pod].priority < f->cutoff) /* Expendable. */
		return false;
	if (safe && strcmp(safe, "true") == 0)
		return false;
	if (elastic_is_bare(s, pod) || (safe && strcmp(safe, "false") == 0) || spec->claims)
		return true;
	if (f->system_pods && strcmp(spec->namespace, "kube-system") == 0) {
		bool covered = false;
		for (uint32_t i = 0; i < s->k->budgets && !covered; i++)
			covered = kube_budget_covers(s->k, &s->k->budget[i], pod);
		if (!covered)
			return true;
	}
	return f->local_storage && elastic_has_local_storage(s, pod);
}

static bool any_blocks(struct kube_scaler *s, uint32_t node)
{
	for (uint32_t i = s->k->node[node].first; i != KUBE_NO; i = s->k->pod[i].next)
		if (blocks(s, i))
			return true;
	return !elastic_budgets_allow(s, node);
}

/* ---- Is it needed? ------------------------------------------------------------------------------- */

static bool is_gpu_node(const struct kube *k, uint32_t node, uint32_t *gpu)
{
	for (*gpu = KUBE_RES_FIRST; *gpu < k->resources; ++*gpu)
		if (strcmp(k->resource[*gpu], "nvidia.com/gpu") == 0 && k->node[node].alloc[*gpu] > 0)
			return true;
	return false;
}

/* used / alloc > threshold, in whole numbers. */
static bool exceeds(int64_t used, int64_t alloc, int64_t threshold)
{
	return alloc > 0 && (__int128)used * ELASTIC_MILLION > (__int128)alloc * threshold;
}

/* utilization/info.go: of GPUs alone where the node has any; else the larger of cpu and memory. */
static bool is_utilized(const struct kube_scaler *s, const struct ca_group *group, uint32_t node)
{
	const struct kube_node *on = &s->k->node[node];
	const struct ca_flags *f = &s->ca->flags;
	uint32_t gpu;
	if (is_gpu_node(s->k, node, &gpu))
		return exceeds(on->used[gpu], on->alloc[gpu],
			group->threshold >= 0 ? group->threshold : f->gpu_threshold);
	const int64_t threshold = group->threshold >= 0 ? group->threshold : f->threshold;
	return exceeds(on->used[KUBE_RES_CPU], on->alloc[KUBE_RES_CPU], threshold) ||
	       exceeds(on->used[KUBE_RES_MEM], on->alloc[KUBE_RES_MEM], threshold);
}

static bool is_candidate(const struct kube_scaler *s, const struct ca_group *group, uint32_t node)
{
	const struct elastic_node *of = &s->node[node];
	if (of->state != ELASTIC_THERE || of->keep || s->k->node[node].nominees)
		return false;
	if (!s->k->node[node].up)
		return s->ca->flags.unready_enabled;
	return !is_utilized(s, group, node);
}

/* All its pods find places on other nodes, and stay there for the rest of this loop. */
static bool empties(struct kube_scaler *s, uint32_t node)
{
	struct kube *k = s->k;
	const size_t mark = s->moves;
	const uint32_t count = (uint32_t)k->node[node].pods;
	uint32_t *pod = malloc(((size_t)count + 1) * sizeof(*pod)), got = 0;
	bool good = pod != NULL;
	for (uint32_t i = k->node[node].first; good && i != KUBE_NO; i = k->pod[i].next)
		pod[got++] = i;
	const bool was = k->node[node].leaving;
	k->node[node].leaving = true;
	for (uint32_t i = 0; good && i < got; i++)
		elastic_lift(s, pod[i]);
	for (uint32_t i = 0; good && i < got; i++) {
		uint32_t to = 0;
		if (k->pod[pod[i]].priority < s->ca->flags.cutoff)
			continue; /* Expendable: it need not go anywhere. */
		while (to < k->nodes && (to == node || !k->node[to].there || !elastic_place(s, pod[i], to)))
			to++;
		good = to < k->nodes;
	}
	free(pod);
	if (!good) {
		elastic_undo(s, mark);
		k->node[node].leaving = was;
	}
	return good; /* It takes no pods of those behind it: it is leaving until the loop is over. */
}

static bool is_unneeded(struct kube_scaler *s, uint32_t node)
{
	struct elastic_node *of = &s->node[node];
	if (!any_blocks(s, node) && empties(s, node))
		return true;
	of->recheck = s->k->now + s->ca->flags.recheck;
	of->rechecked = elastic_stamp(s);
	return false;
}

struct candidate {
	uint32_t node;
	int rank;
};

static int by_rank(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	return (x->node > y->node) - (x->node < y->node);
}

static uint32_t list(struct kube_scaler *s, struct candidate *candidate, sl_time *next)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		const struct ca_group *group = ca_group_of(s, i);
		struct elastic_node *of = &s->node[i];
		if (!group || !is_candidate(s, group, i)) {
			of->unneeded = SL_NONE;
			continue;
		}
		if (of->recheck > s->k->now) {
			of->unneeded = SL_NONE;
			if (of->rechecked != elastic_stamp(s))
				*next = of->recheck < *next ? of->recheck : *next;
			continue;
		}
		candidate[count++] = (struct candidate){ i, of->unneeded != SL_NONE   ? 0
							    : s->k->node[i].pods == 0 ? 1
										      : 2 };
	}
	qsort(candidate, count, sizeof(*candidate), by_rank);
	return count;
}

/* planner.go, categorizeNodes. */
static void find_unneeded(struct kube_scaler *s, sl_time *next)
{
	struct candidate *candidate = malloc(((size_t)s->k->nodes + 1) * sizeof(*candidate));
	const uint32_t count = candidate ? list(s, candidate, next) : 0;
	for (uint32_t i = 0; i < count; i++) {
		struct elastic_node *of = &s->node[candidate[i].node];
		if (!is_unneeded(s, candidate[i].node))
			of->unneeded = SL_NONE;
		else if (of->unneeded == SL_NONE)
			of->unneeded = s->k->now;
	}
	elastic_undo(s, 0);
	for (uint32_t i = 0; i < s->k->nodes; i++)
		if (s->node[i].state == ELASTIC_THERE)
			s->k->node[i].leaving = false;
	free(candidate);
}

/* ---- Who goes ------------------------------------------------------------------------------------ */

static sl_time after(sl_time since, sl_time delay) { return since == SL_NONE ? 0 : since + delay; }

/* Scale-down rests until then after a scale-up, a deletion, a failure. */
static sl_time rests_until(const struct kube_scaler *s)
{
	const struct elastic_ca *ca = s->ca;
	const sl_time time[] = { after(ca->added, ca->flags.after_add),
		after(ca->deleted, ca->flags.after_delete), after(ca->failed, ca->flags.after_failure) };
	sl_time until = 0;
	for (size_t i = 0; i < SL_LEN(time); i++)
		until = time[i] > until ? time[i] : until;
	return until;
}

struct leaving {
	int64_t all, drains; /* Under way. */
};

static struct leaving under_way(const struct kube_scaler *s)
{
	struct leaving leaving = { 0, 0 };
	for (uint32_t i = 0; i < s->k->nodes; i++)
		if (s->node[i].state == ELASTIC_LEAVING && ca_group_of(s, i)) {
			leaving.all++;
			leaving.drains += s->k->node[i].pods > 0;
		}
	return leaving;
}

static bool keeps_minimum(const struct kube_scaler *s, const struct ca_group *group)
{
	const struct elastic_pool *pool = &s->pool[group->pool];
	int64_t size = pool->there + pool->ordered;
	for (uint32_t i = 0; i < pool->nodes; i++)
		size -= s->node[pool->node[i]].state == ELASTIC_LEAVING;
	return size > group->min;
}

/* Empty ones first, as many as may be deleted at a time. */
static bool remove_some(struct kube_scaler *s, bool empty, struct leaving *leaving, sl_time *next)
{
	const struct ca_flags *f = &s->ca->flags;
	const sl_time now = s->k->now;
	const int64_t most = empty && f->empty_bulk < f->parallelism ? f->empty_bulk : f->parallelism;
	bool some = false;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		const struct ca_group *group = ca_group_of(s, i);
		const struct elastic_node *of = &s->node[i];
		if (!group || of->state != ELASTIC_THERE || of->unneeded == SL_NONE ||
			(s->k->node[i].pods == 0) != empty)
			continue;
		const bool up = s->k->node[i].up;
		const sl_time due =
			of->unneeded +
			(up ? group->unneeded != SL_NONE ? group->unneeded : f->unneeded : f->unready);
		if (due >= now) { /* Longer than that. */
			*next = due + 1 < *next ? due + 1 : *next;
			continue;
		}
		if (!keeps_minimum(s, group) || leaving->all >= most ||
			(!empty && leaving->drains >= f->drain_parallelism))
			continue;
		elastic_leave(
			s, i, now + f->delete_delay, now + f->delete_delay, up ? "unneeded" : "unready");
		leaving->all++;
		leaving->drains += !empty;
		some = true;
	}
	return some;
}

sl_time ca_scale_down(struct kube_scaler *s, bool waits)
{
	sl_time next = SL_NEVER;
	find_unneeded(s, &next);
	const sl_time rest = rests_until(s);
	if (waits)
		return next;
	if (rest > s->k->now)
		return rest < next ? rest : next;
	struct leaving leaving = under_way(s);
	const bool empty = remove_some(s, true, &leaving, &next);
	const bool drained = remove_some(s, false, &leaving, &next);
	if (empty || drained)
		s->ca->deleted = s->k->now;
	return next;
}

/* ---- Drains -------------------------------------------------------------------------------------- */

static void drain(struct kube_scaler *s, uint32_t node)
{
	if (any_blocks(s, node)) {
		elastic_stay(s, node);
		s->node[node].unneeded = SL_NONE;
		s->ca->failed = s->k->now;
		return;
	}
	while (s->k->node[node].first != KUBE_NO)
		elastic_evict(s, s->k->node[node].first);
	elastic_gone(s, node);
}

sl_time ca_drains(struct kube_scaler *s)
{
	sl_time next = SL_NEVER;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		if (s->node[i].state != ELASTIC_LEAVING || !ca_group_of(s, i))
			continue;
		if (s->node[i].at <= s->k->now)
			drain(s, i);
		else
			next = s->node[i].at < next ? s->node[i].at : next;
	}
	return next;
}
