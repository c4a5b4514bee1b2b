/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_queue.c - kube-scheduler's queue: activeQ, backoffQ, unschedulablePods (pkg/scheduler/backend/queue).
 *
 * activeQ: by priority, then by the time of entry. backoffQ: by the second in which the backoff ends, then
 * as activeQ; it is popped too while activeQ is empty (SchedulerPopFromBackoffQ, on since 1.33). A pod that
 * failed waits for an event for which a plugin that rejected it has a queueing hint, or for the flush; one
 * whose attempt ended in an error waits for the end of a backoff of its own, which grows with errors in a
 * row.
 */
#include "policies/kube/kube_dra.h"
#include "policies/kube/workload/kube_workload.h"

#include <stdlib.h>
#include <string.h>

enum { BACKOFF_FIRST = 1, BACKOFF_MAX = 10 }; /* Seconds. */

sl_time kube_backoff(uint32_t attempts)
{
	int64_t seconds = BACKOFF_FIRST;
	for (uint32_t i = 1; i < attempts && seconds < BACKOFF_MAX; i++)
		seconds *= 2;
	return (seconds < BACKOFF_MAX ? seconds : BACKOFF_MAX) * SL_SECOND;
}

void kube_queue_back_off(struct kube_pod *pod)
{
	pod->ready = pod->entered + kube_backoff(pod->attempts);
	pod->window = pod->ready / SL_SECOND;
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

static bool active_before(const struct kube *k, uint32_t a, uint32_t b)
{
	const struct kube_pod *x = &k->pod[a], *y = &k->pod[b];
	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (x->entered != y->entered)
		return x->entered < y->entered;
	return x->order < y->order;
}

static bool backoff_before(const struct kube *k, uint32_t a, uint32_t b)
{
	const sl_time x = k->pod[a].window, y = k->pod[b].window;
	return x != y ? x < y : active_before(k, a, b);
}

struct ordering {
	struct kube *k;
	kube_order *before;
};

static bool goes_before(struct ordering cause, const uint32_t *a, const uint32_t *b)
{
	return cause.before(cause.k, *a, *b);
}

static void placed(struct ordering cause, const uint32_t *pod, size_t place)
{
	cause.k->pod[*pod].place = (uint32_t)place;
}
SL_HEAP(pods, uint32_t, struct ordering, goes_before, placed)

bool kube_heap_push(struct kube *k, struct kube_heap *heap, uint32_t pod, kube_order *before)
{
	if (SL_GROW(heap->pod, heap->capacity, heap->count + 1, &k->err))
		return false;
	heap->pod[heap->count] = pod;
	(void)pods_up((struct ordering){ k, before }, heap->pod, heap->count++);
	return true;
}

void kube_heap_take_out(struct kube *k, struct kube_heap *heap, size_t at, kube_order *before)
{
	pods_remove((struct ordering){ k, before }, heap->pod, --heap->count, at);
}

void kube_heap_renew(struct kube *k, struct kube_heap *heap, kube_order *before)
{
	pods_make((struct ordering){ k, before }, heap->pod, heap->count);
}

/* ---- The three of them ----------------------------------------------------------------------- */

static void to_active(struct kube *k, uint32_t pod)
{
	if (!k->pod[pod].first_active)
		k->pod[pod].first_active = ++k->entries;
	if (kube_heap_push(k, &k->active, pod, active_before))
		k->pod[pod].state = KUBE_POD_ACTIVE;
}

void kube_queue_add(struct kube *k, uint32_t pod)
{
	k->pod[pod].entered = k->now;
	k->pod[pod].order = ++k->entries;
	k->pod[pod].first_active = 0;
	to_active(k, pod);
}

void kube_queue_open(struct kube *k, uint32_t pod) { to_active(k, pod); }

/* It is tried, or is no more: with it the others of its gang. */
static void leave_others(struct kube *k, uint32_t pod)
{
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	if (gang != KUBE_NO)
		k->gang[gang].together = false;
}

void kube_queue_drop(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	const uint32_t gang = k->spec[of->spec].gang;
	if (of->set != KUBE_NO)
		kube_alike_drop(k, pod);
	leave_others(k, pod);
	if (gang != KUBE_NO)
		k->gang[gang].folded = k->gang[gang].folds = false;
	if (of->state == KUBE_POD_ACTIVE)
		kube_heap_take_out(k, &k->active, of->place, active_before);
	if (of->state == KUBE_POD_BACKOFF)
		kube_heap_take_out(k, &k->backoff, of->place, backoff_before);
	if (of->state == KUBE_POD_ERROR)
		kube_heap_take_out(k, &k->errors, of->place, backoff_before);
	of->state = KUBE_POD_GONE; /* A parked one is swept later. */
}

/* A pod that fails repeatedly at one instant, in which no time goes by, waits for the end of its backoff. */
static bool may_pop(const struct kube *k, const struct kube_pod *pod)
{
	return !k->options.backoff_waits && (pod->failed_now < k->options.tries || pod->entered != k->now);
}

uint32_t kube_queue_pop(struct kube *k)
{
	uint32_t pod = KUBE_NO;
	kube_alike_settle(k);
	if (k->active.count) {
		pod = k->active.pod[0];
		kube_heap_take_out(k, &k->active, 0, active_before);
	} else if (k->backoff.count && may_pop(k, &k->pod[k->backoff.pod[0]])) {
		pod = k->backoff.pod[0];
		kube_heap_take_out(k, &k->backoff, 0, backoff_before);
	}
	if (pod == KUBE_NO)
		return KUBE_NO;
	k->pod[pod].attempts++;
	leave_others(k, pod);
	kube_alike_tried(k, pod);
	return pod;
}

static void park(struct kube *k, uint32_t pod)
{
	if (SL_GROW(k->parked, k->parked_capacity, k->parked_count + 1, &k->err))
		return;
	k->pod[pod].state = KUBE_POD_PARKED;
	k->pod[pod].place = (uint32_t)k->parked_count;
	k->parked[k->parked_count++] = pod;
}

static void note_failure(struct kube *k, uint32_t pod, uint32_t failed_by)
{
	struct kube_pod *of = &k->pod[pod];
	of->failed_by = failed_by;
	of->failed_at = k->version;
	of->errors = 0;
	of->failed_now = of->failed_now && of->entered == k->now ? of->failed_now + 1 : 1;
	of->entered = k->now;
	of->order = ++k->entries;
	kube_queue_back_off(of);
}

void kube_queue_park(struct kube *k, uint32_t pod, uint32_t failed_by)
{
	note_failure(k, pod, failed_by);
	if (!kube_alike_park(k, pod))
		park(k, pod);
}

void kube_queue_park_behind(struct kube *k, uint32_t pod, uint32_t failed_by)
{
	note_failure(k, pod, failed_by);
	k->pod[pod].state = KUBE_POD_BEHIND;
}

void kube_queue_stand(struct kube *k, uint32_t pod)
{
	k->gang[k->spec[k->pod[pod].spec].gang].together = true;
	park(k, pod);
}

/* ---- Gangs that fail again and again ----------------------------------------------------------- */

/* Who is popped first of them. */
static uint32_t head_of(const struct kube *k, const struct kube_gang_state *gang)
{
	return gang->room ? k->job[gang->job].first : gang->popped;
}

void kube_queue_fold(struct kube *k, uint32_t popped, uint32_t room, uint32_t bits)
{
	struct kube_gang_state *gang = &k->gang[k->spec[k->pod[popped].spec].gang];
	gang->folded = true;
	gang->room = room;
	gang->popped = popped;
	gang->bits = bits;
	gang->order = k->entries;
	const uint32_t head = head_of(k, gang);
	k->pod[popped].state = KUBE_POD_BEHIND;
	note_failure(k, head, room ? bits | 1U << KUBE_GANG : bits);
	k->entries = gang->order + gang->pods;
	kube_queue_stand(k, head);
}

void kube_queue_unfold(struct kube *k, uint32_t number)
{
	struct kube_gang_state *gang = &k->gang[number];
	gang->folds = false;
	if (!gang->folded)
		return;
	const struct kube_job *job = &k->job[gang->job];
	const struct kube_pod head = k->pod[head_of(k, gang)];
	const uint32_t stuck = job->first + gang->room;
	uint64_t order = gang->order + gang->room + (gang->popped >= stuck);
	gang->folded = false;
	for (uint32_t i = job->first; i < job->first + job->count; i++) {
		struct kube_pod *pod = &k->pod[i];
		const bool placed = i < stuck;
		pod->failed_by = placed ? gang->bits | 1U << KUBE_GANG : gang->bits;
		pod->failed_at = head.failed_at;
		pod->failed_now = head.failed_now;
		pod->errors = 0;
		pod->entered = head.entered;
		if (placed)
			pod->order = gang->order + 1 + (i - job->first);
		else
			pod->order = i == gang->popped ? gang->order + gang->room + 1 : ++order;
		kube_queue_back_off(pod);
	}
}

void kube_queue_error(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	of->attempts--;
	of->errors++;
	of->entered = k->now;
	of->ready = k->now + kube_backoff(of->errors);
	of->window = of->ready / SL_SECOND;
	if (kube_heap_push(k, &k->errors, pod, backoff_before))
		of->state = KUBE_POD_ERROR;
}

static bool pops_before(const struct kube *k, uint32_t a, uint32_t b)
{
	const bool active = k->pod[a].ready < k->now;
	if (active != (k->pod[b].ready < k->now))
		return active;
	return active ? active_before(k, a, b) : backoff_before(k, a, b);
}

/* Who of a gang is popped before the others stands for them from here on. */
static uint32_t foremost(struct kube *k, uint32_t gang)
{
	const struct kube_job *job = &k->job[k->gang[gang].job];
	uint32_t pod = job->first;
	for (uint32_t i = job->first; i < job->first + job->count; i++) {
		k->pod[i].state = KUBE_POD_BEHIND;
		pod = pops_before(k, i, pod) ? i : pod;
	}
	return pod;
}

void kube_queue_wake(struct kube *k, uint32_t pod)
{
	if (k->pod[pod].state == KUBE_POD_PARKED)
		kube_workload_woken(k, pod);
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	if (gang != KUBE_NO && k->gang[gang].together && !k->gang[gang].folded)
		pod = foremost(k, gang);
	/* A backoff that ends in this instant is not over while a cycle of it lasts; kube_queue_due ends it.
	 */
	if (k->pod[pod].ready < k->now) {
		to_active(k, pod);
		return;
	}
	if (kube_heap_push(k, &k->backoff, pod, backoff_before))
		k->pod[pod].state = KUBE_POD_BACKOFF;
}

static bool part_gang(struct kube *k, uint32_t gang)
{
	if (gang == KUBE_NO || !k->gang[gang].together)
		return false;
	const struct kube_job *job = &k->job[k->gang[gang].job];
	k->gang[gang].together = false;
	kube_queue_unfold(k, gang);
	for (uint32_t i = job->first; i < job->first + job->count; i++)
		if (k->pod[i].state == KUBE_POD_BEHIND)
			kube_queue_wake(k, i);
	return true;
}

void kube_queue_part(struct kube *k)
{
	for (size_t i = 0; i < k->backoff.count; i++)
		if (part_gang(k, k->spec[k->pod[k->backoff.pod[i]].spec].gang))
			i = SIZE_MAX; /* The heap has changed: from its beginning. */
}

/* ---- Hints ----------------------------------------------------------------------------------- */

static bool spread_looks(const struct kube_spec *spec, const struct kube_spec *other)
{
	for (uint32_t i = 0; i < spec->podset->spread_count; i++)
		if (spec->podset->spread[i].hard && strcmp(spec->namespace, other->namespace) == 0 &&
			sl_label_selects(&spec->podset->spread[i].pods, &other->podset->labels))
			return true;
	return false;
}

bool kube_queue_rests(const struct kube *k, const struct kube_pod *pod)
{
	const uint32_t gang = k->spec[pod->spec].gang;
	return gang != KUBE_NO && k->gang[gang].rounds >= KUBE_ROUNDS_MAX &&
	       k->gang[gang].rounds_at == k->outside;
}

/* Does a plugin that refused it say that it may fit now? `of` is the pod that came or left. */
static bool hint(const struct kube *k, const struct kube_pod *pod, enum kube_change change, uint32_t other)
{
	const struct kube_spec *spec = &k->spec[pod->spec];
	const uint32_t by = pod->failed_by;
	if (kube_queue_rests(k, pod))
		return false;
	if (change == KUBE_NODE_CAME)
		return by != 1U << KUBE_GANG;
	const struct kube_spec *of = &k->spec[other];
	/* Those of more priority never minded it (getLEPriorityPreCheck). */
	if (change == KUBE_NOMINEE_LEFT && pod->priority > of->priority)
		return false;
	if ((by & 1U << KUBE_FIT) && change != KUBE_POD_CAME)
		return true;
	if (change == KUBE_NOMINEE_LEFT)
		return false;
	if ((by & 1U << KUBE_PORTS) && change == KUBE_POD_LEFT && kube_ports_meet(spec->podset, of->podset))
		return true;
	if ((by & 1U << KUBE_DRA) &&
		((change == KUBE_POD_LEFT && k->claims_freed) || kube_dra_share(k, spec, of)))
		return true;
	if ((by & 1U << KUBE_SPREAD) && spread_looks(spec, of))
		return true;
	if ((by & 1U << KUBE_POD_AFFINITY) &&
		(kube_pod_affinity_wants(k, spec, of, change == KUBE_POD_LEFT, true) ||
			(change == KUBE_POD_LEFT && kube_pod_affinity_shuns(k, of, spec))))
		return true;
	return change == KUBE_POD_LEFT && (by & 1U << KUBE_GANG);
}

void kube_queue_freed(struct kube *k, uint32_t node)
{
	if (!SL_GROW(k->freed, k->freed_room, k->freed_count + 1, &k->err))
		k->freed[k->freed_count++] = node;
}

void kube_queue_changed(struct kube *k, enum kube_change change, uint32_t node, uint32_t spec)
{
	k->version++;
	if (change != KUBE_POD_CAME) {
		kube_queue_freed(k, node);
		kube_alike_changed(k);
	}
	if (change == KUBE_POD_CAME && !k->pod_affinity_pods && !k->err.status) {
		bool any = false;
		for (size_t i = 0; i < k->parked_count && !any; i++)
			any = k->pod[k->parked[i]].failed_by &
			      (1U << KUBE_SPREAD | 1U << KUBE_POD_AFFINITY | 1U << KUBE_DRA);
		if (!any)
			return;
	}
	size_t kept = 0;
	for (size_t i = 0; i < k->parked_count; i++) {
		const uint32_t pod = k->parked[i];
		if (k->pod[pod].state != KUBE_POD_PARKED || k->pod[pod].place != i)
			continue; /* It left. */
		if (hint(k, &k->pod[pod], change, spec)) {
			kube_queue_wake(k, pod);
			continue;
		}
		k->pod[pod].place = (uint32_t)kept;
		k->parked[kept++] = pod;
	}
	k->parked_count = kept;
	k->claims_freed &= change != KUBE_POD_LEFT;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* The earliest of: the end of a backoff, the flush of a pod for which the cluster state has changed. */
sl_time kube_queue_next(const struct kube *k)
{
	sl_time next = kube_alike_next(k);
	if (k->backoff.count && k->pod[k->backoff.pod[0]].ready < next)
		next = k->pod[k->backoff.pod[0]].ready;
	if (k->errors.count && k->pod[k->errors.pod[0]].ready < next)
		next = k->pod[k->errors.pod[0]].ready;
	for (size_t i = 0; i < k->parked_count; i++) {
		const struct kube_pod *pod = &k->pod[k->parked[i]];
		if (pod->state != KUBE_POD_PARKED || pod->place != i || pod->failed_at == k->version ||
			kube_queue_rests(k, pod))
			continue;
		const sl_time at = pod->entered + k->options.flush;
		if (at < next)
			next = at;
		break; /* They were parked in the order of time. */
	}
	return next;
}

static void end_backoffs(struct kube *k, struct kube_heap *heap)
{
	while (heap->count && k->pod[heap->pod[0]].ready <= k->now) {
		const uint32_t pod = heap->pod[0];
		kube_heap_take_out(k, heap, 0, backoff_before);
		to_active(k, pod);
	}
}

void kube_queue_due(struct kube *k)
{
	end_backoffs(k, &k->backoff);
	end_backoffs(k, &k->errors);
	size_t kept = 0;
	kube_alike_flush(k);
	if (!k->parked_count || kube_queue_next(k) > k->now)
		return;
	for (size_t i = 0; i < k->parked_count; i++) {
		const uint32_t pod = k->parked[i];
		if (k->pod[pod].state != KUBE_POD_PARKED || k->pod[pod].place != i)
			continue;
		if (k->pod[pod].entered + k->options.flush <= k->now && k->pod[pod].failed_at != k->version &&
			!kube_queue_rests(k, &k->pod[pod])) {
			kube_queue_wake(k, pod);
			continue;
		}
		k->pod[pod].place = (uint32_t)kept;
		k->parked[kept++] = pod;
	}
	k->parked_count = kept;
}
