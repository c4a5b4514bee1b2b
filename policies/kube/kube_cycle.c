/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cycle.c - scheduling cycles: one pod, or one gang, at a time, until the queue is empty.
 *
 * Nodes are filtered from where the last cycle left off (nextStartNodeIndex), in the order of the cluster's
 * file, until enough are feasible (percentageOfNodesToScore); the best of these gets the pod. A gang (a
 * PodGroup's pods, or a job's) is scheduled whole in one cycle, or not at all; with permit=on its pods are
 * scheduled one by one and wait on their nodes for the others, at most the permit's timeout (GangScheduling
 * plugin, scheduling.k8s.io, v1.36).
 */
#include "policies/kube/kube_dra.h"
#include "policies/kube/workload/kube_workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Finding a node -------------------------------------------------------------------------- */

/* Of nodes on which something was freed since pods of this sort last failed, none will do either. */
static bool failing_retry(struct kube *k, uint32_t pod, const struct kube_cycle *cycle)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	if (k->options.singly || spec->like == KUBE_NO || cycle->pod_affinity ||
		k->pod[pod].nominated != KUBE_NO)
		return false;
	struct kube_like *like = &k->like[spec->like];
	if (!like->failed || k->freed_count - like->failed_at >= k->nodes)
		return false;
	for (size_t i = like->failed_at; i < k->freed_count; i++)
		if (k->node[k->freed[i]].there && kube_filter(k, cycle, k->freed[i]) == KUBE_FITS)
			return false;
	like->failed_at = k->freed_count;
	return true;
}

/* Where its affinity names nodes, no others are looked at. */
static enum kube_why why_not(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const uint8_t *named = k->spec[k->pod[cycle->pod].spec].named;
	return named && !named[node] ? KUBE_WHY_UNNAMED : kube_filter(k, cycle, node);
}

/* The search ends as one more than wanted is found, or at an error. The next one begins behind those that
 * were looked at; of nodes that are not there as well. */
static size_t search(struct kube *k, const struct kube_cycle *cycle, int64_t wanted)
{
	uint32_t passed = 0, at = k->visits ? k->start % k->visits : 0;
	size_t count = 0;
	for (uint32_t seen = 0; seen < k->visits; seen++, at = at + 1 == k->visits ? 0 : at + 1) {
		const uint32_t node = k->visit[at];
		if (!k->node[node].there) {
			passed++;
			continue;
		}
		const enum kube_why why = why_not(k, cycle, node);
		k->failed = why == KUBE_WHY_ERROR;
		if (k->failed || (why == KUBE_FITS && (int64_t)count == wanted))
			break;
		k->node_why[node] = (uint8_t)why;
		k->looked_at += why != KUBE_WHY_UNNAMED;
		if (why == KUBE_FITS)
			k->feasible[count++] = node;
	}
	if (k->visits)
		k->start = (uint32_t)(((uint64_t)k->start + k->looked_at + passed) % k->visits);
	return k->failed ? 0 : count;
}

static size_t find_feasible(struct kube *k, const struct kube_cycle *cycle)
{
	const struct kube_profile *profile = k->spec[k->pod[cycle->pod].spec].profile;
	const uint32_t first = k->pod[cycle->pod].nominated;
	k->began = k->start;
	k->failed = false;
	/* Its nominated node is tried before all others. */
	if (first != KUBE_NO && k->node[first].there && (!k->placement || k->placement[first]) &&
		kube_filter(k, cycle, first) == KUBE_FITS) {
		k->feasible[0] = first;
		k->looked_at = 1;
		return 1;
	}
	/* Where it has to be on one node no other will do: a search would look at them all, and leave off
	 * where it began. */
	const uint32_t must = k->pod[cycle->pod].must;
	if (must != KUBE_NO && !k->spec[k->pod[cycle->pod].spec].named && !k->watch && k->node[must].there &&
		kube_filter(k, cycle, must) == KUBE_FITS) {
		k->feasible[0] = must;
		return 1;
	}
	k->looked_at = 0;
	return search(k, cycle, kube_wanted(profile, k->visits));
}

/* As below, of what is known of the nodes. */
static uint32_t find_in_view(struct kube *k, uint32_t pod, struct kube_view *view, bool *retry)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	struct kube_like *like = spec->like == KUBE_NO ? NULL : &k->like[spec->like];
	k->failed = false;
	k->found = 0;
	*retry = false;
	if (kube_view_any(k, view, pod)) {
		k->began = k->start;
		k->found = kube_view_search(k, view, pod, kube_wanted(spec->profile, k->nodes));
		return kube_choose(k, pod, view, k->feasible, k->found);
	}
	*retry = like && like->failed && k->freed_count - like->failed_at < k->nodes;
	k->unseen = true;
	k->refusals = *retry ? 0 : view->refusals;
	if (like && !*retry)
		like->failed = !k->nominees;
	if (like)
		like->failed_at = k->freed_count;
	return KUBE_NO;
}

/* Where it would go; KUBE_NO: nowhere. *retry: as the last equal one, without filtering all nodes. */
static uint32_t find_node(struct kube *k, uint32_t pod, bool *retry)
{
	struct kube_view *view = kube_view_of(k, pod);
	if (view)
		return find_in_view(k, pod, view, retry);
	struct kube_cycle cycle = { pod, kube_pod_affinity_new(k, pod), k->nominees > 0, false };
	uint32_t node = KUBE_NO;
	k->unseen = false;
	*retry = failing_retry(k, pod, &cycle);
	if (!*retry) {
		const size_t count = find_feasible(k, &cycle);
		const uint32_t like = k->spec[k->pod[pod].spec].like;
		k->found = count;
		node = count ? kube_choose(k, pod, NULL, k->feasible, count) : KUBE_NO;
		if (like != KUBE_NO && !cycle.pod_affinity &&
			node == KUBE_NO) { /* Else it is as true as it was. */
			k->like[like].failed = !k->nominees;
			k->like[like].failed_at = k->freed_count;
		}
	}
	kube_pod_affinity_free(cycle.pod_affinity);
	return node;
}

/* ---- What came of it ------------------------------------------------------------------------- */

static void bind(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	struct kube_job *job = &k->job[of->job];
	of->state = KUBE_POD_BOUND;
	of->bound = k->now;
	of->order = ++k->entries;
	k->outside++;
	if (k->watch)
		k->watch->bound(k->watch->self, k, pod);
	kube_nominate(k, pod, KUBE_NO);
	kube_queue_changed(k, KUBE_POD_CAME, of->node, of->spec);
	if (++job->bound < job->count || job->reported)
		return;
	job->reported = true;
	kube_report(k, SL_BOUND_ALL, of->job, KUBE_NO);
}

enum kube_plugin kube_plugin_of(enum kube_why why)
{
	static const uint8_t cause[KUBE_WHYS] = { [KUBE_WHY_UNSCHEDULABLE] = KUBE_UNSCHEDULABLE,
		[KUBE_WHY_NAME] = KUBE_NODE_NAME,
		[KUBE_WHY_TAINT] = KUBE_TAINTS,
		[KUBE_WHY_AFFINITY] = KUBE_AFFINITY,
		[KUBE_WHY_UNNAMED] = KUBE_AFFINITY,
		[KUBE_WHY_SPREAD_LABEL] = KUBE_SPREAD,
		[KUBE_WHY_SPREAD] = KUBE_SPREAD,
		[KUBE_WHY_POD_AFFINITY] = KUBE_POD_AFFINITY,
		[KUBE_WHY_ANTI] = KUBE_POD_AFFINITY,
		[KUBE_WHY_EXISTING_ANTI] = KUBE_POD_AFFINITY,
		[KUBE_WHY_DRA] = KUBE_DRA,
		[KUBE_WHY_ERROR] = KUBE_DRA,
		[KUBE_WHY_PORTS] = KUBE_PORTS,
		[KUBE_WHY_TOO_LARGE] = KUBE_FIT,
		[KUBE_WHY_PODS] = KUBE_FIT,
		[KUBE_WHY_RESOURCE] = KUBE_FIT };
	return (enum kube_plugin)cause[why];
}

static uint32_t failed_by(const struct kube *k)
{
	uint32_t bits = k->unseen ? k->refusals : 0;
	for (uint32_t i = 0; i < k->nodes && !k->unseen; i++)
		if (k->node[i].there && k->node_why[i] != KUBE_FITS)
			bits |= 1U << kube_plugin_of((enum kube_why)k->node_why[i]);
	return bits;
}

static void kube_cycle_fail(struct kube *k, uint32_t pod, bool retry)
{
	struct kube_job *job = &k->job[k->pod[pod].job];
	k->cycles_failed++;
	if (!retry || job->stuck == KUBE_NO) {
		job->stuck = pod;
		kube_report(k, SL_BOUND_STUCK, k->pod[pod].job, KUBE_NO);
	}
	kube_queue_park(k, pod, retry ? 1U << KUBE_FIT : failed_by(k));
}

/* Nothing rejected it: no event wakes it, but the end of its backoff. */
static void cycle_error(struct kube *k, uint32_t pod)
{
	k->cycles_failed++;
	k->job[k->pod[pod].job].stuck = pod;
	kube_report(k, SL_BOUND_STUCK, k->pod[pod].job, KUBE_NO);
	kube_queue_error(k, pod);
}

static bool has_lower(const struct kube *k, uint32_t pod)
{
	return kube_lowest(k) < k->spec[k->pod[pod].spec].priority;
}

/* Which nodes could be helped has to be known. */
static void look_at_all(struct kube *k, uint32_t pod)
{
	const struct kube_cycle cycle = { pod, kube_pod_affinity_new(k, pod), k->nominees > 0, false };
	for (uint32_t i = 0; i < k->nodes; i++)
		if (k->node[i].there && (!k->placement || k->placement[i]))
			k->node_why[i] = (uint8_t)why_not(k, &cycle, i);
	kube_pod_affinity_free(cycle.pod_affinity);
	k->unseen = false;
}

/* What was evicted is gone, which may help others, too. */
static void tell_evicted(struct kube *k)
{
	for (size_t i = 0; i < k->evicted_count; i++)
		kube_queue_changed(k, k->evicted[i].change, k->evicted[i].node, k->evicted[i].spec);
	k->evicted_count = 0;
}

/* No node: does preemption help? */
static void fail_or_preempt(struct kube *k, uint32_t pod, bool retry)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	bool full = retry;
	if (k->failed && !retry) {
		cycle_error(k, pod);
		return;
	}
	if (spec->profile->preempts && !spec->never_preempts && has_lower(k, pod)) {
		if (retry || k->unseen)
			look_at_all(k, pod);
		full = false;
		const uint32_t bits = failed_by(k);
		if (kube_preempt(k, pod)) {
			kube_queue_park(k, pod, bits);
			tell_evicted(k);
			return;
		}
	}
	/* Preemption found nobody: what it was nominated to does not help it any more. */
	if (spec->profile->preempts && !spec->never_preempts && k->pod[pod].nominated != KUBE_NO) {
		kube_gone(k, k->pod[pod].nominated, k->pod[pod].spec, KUBE_NOMINEE_LEFT);
		kube_nominate(k, pod, KUBE_NO);
	}
	kube_cycle_fail(k, pod, full);
	tell_evicted(k);
}

/* ---- Gangs ----------------------------------------------------------------------------------- */

static bool is_waiting(const struct kube_pod *pod)
{
	return pod->state == KUBE_POD_ACTIVE || pod->state == KUBE_POD_BACKOFF ||
	       pod->state == KUBE_POD_ERROR || pod->state == KUBE_POD_PARKED ||
	       pod->state == KUBE_POD_ALIKE || pod->state == KUBE_POD_BEHIND || pod->state == KUBE_POD_GATED;
}

/* The rows in which a gang's pods stand. */
static void rows_of(const struct kube *k, uint32_t gang, size_t *from, size_t *until)
{
	const uint32_t job = k->gang[gang].job;
	*from = job == KUBE_NO ? 0 : k->job[job].first;
	*until = job == KUBE_NO ? k->pods : (size_t)k->job[job].first + k->job[job].count;
}

static void bind_gang(struct kube *k, uint32_t gang)
{
	size_t from, until;
	rows_of(k, gang, &from, &until);
	k->gang[gang].until = SL_NEVER;
	for (size_t i = from; i < until; i++)
		if (k->pod[i].state == KUBE_POD_WAITS && k->spec[k->pod[i].spec].gang == gang)
			bind(k, (uint32_t)i);
}

/* Those that wait on their nodes leave them. */
static void give_up(struct kube *k, uint32_t gang, uint32_t bits)
{
	size_t from, until;
	rows_of(k, gang, &from, &until);
	k->gang[gang].until = SL_NEVER;
	for (size_t i = from; i < until; i++) {
		struct kube_pod *pod = &k->pod[i];
		const uint32_t node = pod->node;
		if (pod->state != KUBE_POD_WAITS || k->spec[pod->spec].gang != gang)
			continue;
		kube_give(k, (uint32_t)i);
		k->gang[gang].placed--;
		kube_queue_park(k, (uint32_t)i, bits);
		if (bits == 1U << KUBE_GANG) /* They had waited: time went by. */
			kube_queue_changed(k, KUBE_POD_LEFT, node, pod->spec);
	}
}

static void place_on(struct kube *k, uint32_t pod, uint32_t node)
{
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	k->pod[pod].gpu_kind = KUBE_NO;
	kube_take(k, pod, node);
	k->pod[pod].state = KUBE_POD_WAITS;
	k->gang[gang].placed++;
}

/* One by one (Permit): a pod with a node waits there for the others. */
static void try_permit(struct kube *k, uint32_t pod)
{
	struct kube_gang_state *gang = &k->gang[k->spec[k->pod[pod].spec].gang];
	bool retry;
	const uint32_t node = find_node(k, pod, &retry);
	if (node == KUBE_NO) {
		fail_or_preempt(k, pod, retry);
		return;
	}
	place_on(k, pod, node);
	if (gang->placed >= gang->min)
		bind_gang(k, k->spec[k->pod[pod].spec].gang);
	else if (gang->until == SL_NEVER)
		gang->until = k->now + k->options.permit_timeout;
}

/* More is asked than is free on all nodes together. */
static bool is_hopeless(const struct kube *k, uint32_t gang, size_t from, size_t until)
{
	int64_t asked[KUBE_RES_MAX] = { 0 };
	int64_t wanted = k->gang[gang].min - k->gang[gang].placed;
	for (size_t i = from; i < until && wanted > 0; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[i].spec];
		if (spec->gang != gang || k->pod[i].node != KUBE_NO || k->pod[i].state == KUBE_POD_GONE)
			continue;
		if (k->gang[gang].min < k->gang[gang].pods && spec != &k->spec[k->pod[from].spec])
			return false; /* Which of them will go is not known. */
		for (uint32_t at = 0; at < k->resources; at++)
			asked[at] += spec->request[at];
		wanted--;
	}
	for (uint32_t at = 0; at < k->resources; at++)
		if (asked[at] > k->free[at] && !kube_dra_backs(k, at))
			return true;
	return false;
}

/* A pod found no node beside others of its gang, which go again: this says nothing of the next attempt. */
static void forget_failure(struct kube *k, uint32_t pod)
{
	const uint32_t like = k->spec[k->pod[pod].spec].like;
	if (like != KUBE_NO)
		k->like[like].failed = false;
}

/* Its pods without a node yet, one after another, each beside those before. Returns the one that found none,
 * even by preemption; KUBE_NO: there is none such. *waits: some had to preempt. */
static uint32_t place_gang(
	struct kube *k, uint32_t first, size_t from, size_t until, bool *retry, bool *waits)
{
	const uint32_t gang = k->spec[k->pod[first].spec].gang;
	for (size_t i = from; i < until; i++) {
		const uint32_t pod = (uint32_t)i;
		const struct kube_spec *spec = &k->spec[k->pod[i].spec];
		if (spec->gang != gang || (pod != first && !is_waiting(&k->pod[i])))
			continue;
		uint32_t node = find_node(k, pod, retry);
		if (node == KUBE_NO && has_lower(k, pod) && spec->profile->preempts &&
			!spec->never_preempts) {
			if (*retry || k->unseen)
				look_at_all(k, pod);
			*retry = false;
			if (kube_preempt(k, pod))
				node = k->pod[pod].nominated;
			*waits |= node != KUBE_NO;
			forget_failure(k, pod);
		}
		if (node == KUBE_NO)
			return pod;
		if (pod != first)
			kube_queue_drop(k, pod);
		place_on(k, pod, node);
	}
	return KUBE_NO;
}

/* Those behind it wait with it. */
static void park_gang(struct kube *k, uint32_t gang, size_t from, size_t until, uint32_t bits)
{
	for (size_t i = from; i < until; i++) {
		const enum kube_pod_state state = k->pod[i].state;
		if ((state != KUBE_POD_ACTIVE && state != KUBE_POD_BACKOFF && state != KUBE_POD_BEHIND) ||
			k->spec[k->pod[i].spec].gang != gang)
			continue;
		kube_queue_drop(k, (uint32_t)i);
		kube_queue_park(k, (uint32_t)i, bits);
	}
}

static void note_stuck(struct kube *k, uint32_t pod)
{
	k->job[k->pod[pod].job].stuck = pod;
	kube_report(k, SL_BOUND_STUCK, k->pod[pod].job, KUBE_NO);
	k->cycles_failed++;
	forget_failure(k, pod);
}

/* A job's gang, all of which is queued, of pods with one spec, none of which has anything of its own. */
static bool is_uniform(const struct kube *k, const struct kube_gang_state *gang, uint32_t first)
{
	const struct kube_job *job = gang->job == KUBE_NO ? NULL : &k->job[gang->job];
	if (!job || gang->placed || gang->min != gang->pods || job->count != gang->pods)
		return false;
	for (uint32_t i = job->first; i < job->first + job->count; i++) {
		const struct kube_pod *pod = &k->pod[i];
		const bool queued = pod->state == KUBE_POD_BEHIND || pod->state == KUBE_POD_ACTIVE ||
				    pod->state == KUBE_POD_BACKOFF;
		if ((i != first && !queued) || pod->spec != k->pod[first].spec || pod->nominated != KUBE_NO ||
			pod->must != KUBE_NO)
			return false;
	}
	return true;
}

/* Those of its pods that would have found a node go first, then the one that was popped, then the others. */
static void park_together(struct kube *k, uint32_t first, uint32_t placed, uint32_t bits)
{
	const struct kube_job *job = &k->job[k->pod[first].job];
	const uint32_t from = job->first, stuck = from + placed, until = from + job->count;
	bool longest = true; /* All of them back off as long as can be. */
	for (uint32_t i = from; i < until; i++) {
		longest &= kube_backoff(k->pod[i].attempts) == kube_backoff(UINT32_MAX);
		if (i != first && k->pod[i].state != KUBE_POD_BEHIND)
			kube_queue_drop(k, i);
	}
	for (uint32_t i = from; i < stuck; i++)
		kube_queue_park_behind(k, i, bits | 1U << KUBE_GANG);
	if (first >= stuck)
		kube_queue_park_behind(k, first, bits);
	for (uint32_t i = stuck; i < until; i++)
		if (i != first)
			kube_queue_park_behind(k, i, bits);
	kube_queue_stand(k, first);
	k->gang[k->spec[k->pod[first].spec].gang].folds = longest;
}

/* They ask for more than is free on all nodes together. */
static bool is_too_much(const struct kube *k, const struct kube_spec *spec, uint32_t pods)
{
	for (uint32_t at = 0; at < k->resources; at++)
		if (spec->request[at] * pods > k->free[at] && !kube_dra_backs(k, at))
			return true;
	return false;
}

/* Equal pods, for fewer of which there is room than they are, fail without being placed and taken off again.
 * Searches among so few nodes look at all of them, and leave off where they began. False: it has to be
 * tried. */
static bool fails_together(struct kube *k, uint32_t first)
{
	const struct kube_spec *spec = &k->spec[k->pod[first].spec];
	struct kube_gang_state *gang = &k->gang[spec->gang];
	const struct kube_job *job = &k->job[k->pod[first].job];
	const bool preempts = spec->profile->preempts && !spec->never_preempts && has_lower(k, first);
	struct kube_view *view = k->nominees || preempts ? NULL : kube_view_of(k, first);
	if (!view || gang->min > kube_wanted(spec->profile, k->nodes) ||
		!(gang->folded || is_uniform(k, gang, first)))
		return false;
	const bool hopeless = !has_lower(k, first) && is_too_much(k, spec, job->count);
	const uint32_t room = hopeless ? 0 : (uint32_t)kube_view_room(k, view, job->count);
	const struct kube_like *like = spec->like == KUBE_NO ? NULL : &k->like[spec->like];
	if (room == job->count)
		return false;
	const bool retry = hopeless || (like && like->failed && k->freed_count - like->failed_at < k->nodes);
	const uint32_t bits = retry ? 1U << KUBE_FIT : view->refusals;
	note_stuck(k, hopeless ? first : job->first + room);
	if (gang->folds && k->pod[first].entered != k->now) {
		kube_queue_fold(k, first, room, bits);
		return true;
	}
	kube_queue_unfold(k, spec->gang);
	park_together(k, first, room, bits);
	return true;
}

/* All in one cycle, in the order of rows: their priority is one, and they came together. */
static void try_gang(struct kube *k, uint32_t first)
{
	const uint32_t gang = k->spec[k->pod[first].spec].gang;
	size_t from, until;
	bool retry = false, waits = false;
	uint32_t stuck = first;
	if (fails_together(k, first))
		return;
	kube_queue_unfold(k, gang);
	rows_of(k, gang, &from, &until);
	if (has_lower(k, first) || !is_hopeless(k, gang, from, until))
		stuck = place_gang(k, first, from, until, &retry, &waits);
	else
		retry = true;
	if (!waits && k->gang[gang].placed >= k->gang[gang].min) {
		bind_gang(k, gang);
		if (k->pod[first].node == KUBE_NO)
			fail_or_preempt(k, first, retry);
		return;
	}
	const uint32_t bits = retry || stuck == KUBE_NO ? 1U << KUBE_FIT : failed_by(k);
	if (stuck != KUBE_NO)
		note_stuck(k, stuck);
	const bool first_placed = k->pod[first].node != KUBE_NO;
	give_up(k, gang, bits | 1U << KUBE_GANG);
	if (!first_placed)
		kube_queue_park(k, first, bits);
	park_gang(k, gang, from, until, bits);
	tell_evicted(k);
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void try_pod(struct kube *k, uint32_t pod)
{
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	bool retry;
	const uint32_t node = find_node(k, pod, &retry);
	if (node == KUBE_NO) {
		fail_or_preempt(k, pod, retry);
		return;
	}
	k->pod[pod].gpu_kind = KUBE_NO;
	kube_take(k, pod, node);
	if (gang != KUBE_NO)
		k->gang[gang].placed++;
	bind(k, pod);
}

bool kube_try_next(struct kube *k)
{
	const uint32_t pod = kube_queue_pop(k);
	if (pod == KUBE_NO)
		return false;
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	if (gang != KUBE_NO && k->gang[gang].workload) {
		kube_workload_try(k, pod);
		return true;
	}
	const bool together = gang != KUBE_NO && k->gang[gang].min > 1;
	k->attempts++;
	if (!together)
		try_pod(k, pod);
	else if (k->options.permit)
		try_permit(k, pod);
	else
		try_gang(k, pod);
	if (k->watch)
		(together && !k->options.permit ? k->watch->tried_gang : k->watch->tried)(
			k->watch->self, k, pod);
	return true;
}

/* ---- For workload/ --------------------------------------------------------------------------- */

uint32_t kube_cycle_find(struct kube *k, uint32_t pod)
{
	bool retry;
	const uint32_t node = find_node(k, pod, &retry);
	/* Why each node refused it is asked for, by what preempts. */
	if (node == KUBE_NO && !k->failed && (retry || k->unseen))
		look_at_all(k, pod);
	return node;
}

uint32_t kube_cycle_failed_by(const struct kube *k) { return failed_by(k); }

void kube_cycle_bind(struct kube *k, uint32_t pod) { bind(k, pod); }

void kube_cycle_tell_evicted(struct kube *k) { tell_evicted(k); }

static sl_time permits(struct kube *k)
{
	sl_time next = SL_NEVER;
	for (size_t i = 0; k->options.permit && i < k->gangs; i++) {
		if (k->gang[i].until <= k->now) {
			struct kube_gang_state *gang = &k->gang[i];
			gang->rounds = gang->rounds_at == k->outside ? gang->rounds + 1 : 1;
			gang->rounds_at = k->outside;
			give_up(k, (uint32_t)i, 1U << KUBE_GANG);
		}
		next = k->gang[i].until < next ? k->gang[i].until : next;
	}
	return next;
}

sl_time kube_run(struct kube *k, sl_time now)
{
	k->now = now;
	(void)permits(k);
	sl_time scaled = SL_NEVER;
	kube_queue_due(k);
	for (bool again = true; again && !k->err.status;) {
		again = false;
		if (k->scaler)
			(void)kube_scale_ready(k);
		while (!k->err.status && !(k->hears && sl_stopping(k->hears)) && kube_try_next(k))
			;
		kube_queue_part(k);
		if (k->scaler && !k->err.status)
			scaled = kube_scale_run(k, &again);
	}
	const sl_time permit = permits(k), queue = kube_queue_next(k);
	sl_time next = permit < queue ? permit : queue;
	next = scaled < next ? scaled : next;
	return next;
}

/* ---- Why ------------------------------------------------------------------------------------- */

struct said {
	char text[96];
	uint32_t nodes;
};

static int kube_cycle_by_text(const void *a, const void *b)
{
	return strcmp(((const struct said *)a)->text, ((const struct said *)b)->text);
}

static void kube_cycle_say(struct said *list, size_t *count, const char *text)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(list[i].text, text) != 0)
			continue;
		list[i].nodes++;
		return;
	}
	(void)snprintf(list[*count].text, sizeof(list->text), "%s", text);
	list[(*count)++].nodes = 1;
}

static void say_node(struct kube *k, const struct kube_spec *spec, struct said *list, size_t *count,
	uint32_t node, enum kube_why why)
{
	static const char *const text[KUBE_WHYS] = {
		[KUBE_WHY_UNSCHEDULABLE] = "node(s) were unschedulable",
		[KUBE_WHY_NAME] = "node(s) didn't match the requested node name",
		[KUBE_WHY_TAINT] = "node(s) had untolerated taint(s)",
		[KUBE_WHY_AFFINITY] = "node(s) didn't match Pod's node affinity/selector",
		[KUBE_WHY_UNNAMED] = "node(s) didn't satisfy plugin(s) [NodeAffinity]",
		[KUBE_WHY_SPREAD_LABEL] =
			"node(s) didn't match pod topology spread constraints (missing required label)",
		[KUBE_WHY_POD_AFFINITY] = "node(s) didn't match pod affinity rules",
		[KUBE_WHY_SPREAD] = "node(s) didn't match pod topology spread constraints",
		[KUBE_WHY_PORTS] = "node(s) didn't have free ports for the requested pod ports",
		[KUBE_WHY_ANTI] = "node(s) didn't match pod anti-affinity rules",
		[KUBE_WHY_EXISTING_ANTI] = "node(s) didn't satisfy existing pods anti-affinity rules",
	};
	if (why == KUBE_WHY_DRA) {
		kube_cycle_say(list, count, kube_dra_why(k, spec));
		return;
	}
	if (text[why]) {
		kube_cycle_say(list, count, text[why]);
		return;
	}
	if (k->node_res[node] >> KUBE_RES_MAX & 1)
		kube_cycle_say(list, count, "Too many pods");
	for (uint32_t i = 0; i < k->resources; i++) {
		char lacks[96];
		if (!(k->node_res[node] >> i & 1))
			continue;
		(void)snprintf(lacks, sizeof(lacks), "Insufficient %s", k->resource[i]);
		kube_cycle_say(list, count, lacks);
	}
}

enum { TEXT_MAX = 4096 };

static char *text_of(struct kube_job *job)
{
	if (!job->why)
		job->why = malloc(TEXT_MAX);
	return job->why;
}

/* As kube-scheduler's event says it, of now: "0/3 nodes are available: 3 Insufficient cpu." An error on one
 * node is all that it says. */
const char *kube_why(struct kube *k, sl_job job)
{
	struct kube_job *of = &k->job[job.row];
	struct said list[KUBE_WHYS + KUBE_RES_MAX + 16]; /* Some of claims are several. */
	size_t count = 0;
	uint32_t nodes = 0;
	bool failed = false;
	if (!of->there || of->stuck == KUBE_NO || k->pod[of->stuck].node != KUBE_NO)
		return NULL;
	struct kube_cycle cycle = { of->stuck, kube_pod_affinity_new(k, of->stuck), k->nominees > 0, false };
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (!k->node[i].there)
			continue;
		const enum kube_why why = why_not(k, &cycle, i);
		nodes++;
		failed |= why == KUBE_WHY_ERROR;
		if (failed)
			break;
		if (why != KUBE_FITS)
			say_node(k, &k->spec[k->pod[of->stuck].spec], list, &count, i, why);
	}
	kube_pod_affinity_free(cycle.pod_affinity);
	if (!text_of(of))
		return NULL;
	if (failed) {
		(void)snprintf(of->why, TEXT_MAX, "running \"DynamicResources\" filter plugin: %s",
			kube_dra_why(k, &k->spec[k->pod[of->stuck].spec]));
		return of->why;
	}
	for (size_t i = 0; i < count; i++) {
		char text[sizeof(list->text)];
		memcpy(text, list[i].text, sizeof(text));
		(void)snprintf(list[i].text, sizeof(list->text), "%u %.80s", list[i].nodes, text);
	}
	qsort(list, count, sizeof(*list), kube_cycle_by_text); /* As texts, numbers too. */
	int at = snprintf(of->why, TEXT_MAX, "0/%u nodes are available:", nodes);
	for (size_t i = 0; i < count && at < TEXT_MAX - 128; i++)
		at += snprintf(of->why + at, TEXT_MAX - (size_t)at, "%s %s", i ? "," : "", list[i].text);
	(void)snprintf(of->why + at, TEXT_MAX - (size_t)at, ".");
	return of->why;
}
