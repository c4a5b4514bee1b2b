/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_alike.c - unschedulable pods of equal requests, tried together.
 *
 * Each pod that ends makes kube-scheduler try all unschedulable pods again. Where pods of equal requests,
 * and without other constraints, fit none of the nodes on which something was freed, all of them fail as the
 * first does: here one attempt does for all. They are kept in sets: equal in requests and in the number of
 * attempts (up to where the backoff grows no more), so that within a set the order of trying is that of
 * time, then of rows. Only the first of a set that may fit goes to the queue; the next one once that has
 * been tried. What comes of it, attempts included, is as if each were tried; but a set may fail before a pod
 * that preempts at the same instant, and is tried once more then, its flush counts changes from the
 * beginning of the instant, and between sets the order within an instant stays that in which pods entered,
 * where kube-scheduler has that of the last attempts: who of unequal pods goes first may differ.
 */
#include "policies/kube/kube.h"

#include <stdlib.h>

enum { LEVELS = 5 }; /* Attempts after which the backoff is as long as can be. */

static sl_time entered_of(const struct kube *k, uint32_t pod)
{
	const struct kube_pod *of = &k->pod[pod];
	const sl_time retried = k->alike[of->set].retried;
	return of->entered > retried ? of->entered : retried;
}

static bool alike_before(const struct kube *k, uint32_t a, uint32_t b)
{
	const sl_time x = entered_of(k, a), y = entered_of(k, b);
	return x != y ? x < y : k->pod[a].order < k->pod[b].order;
}

static uint32_t set_of(struct kube *k, uint32_t like, uint32_t attempts)
{
	const uint32_t level = (attempts < LEVELS ? attempts : LEVELS) - 1;
	const size_t wanted = ((size_t)like + 1) * LEVELS, had = k->alike_capacity;
	if (wanted > had && SL_GROW(k->alike, k->alike_capacity, wanted, &k->err))
		return KUBE_NO;
	for (size_t i = had; i < k->alike_capacity; i++)
		k->alike[i] = (struct kube_alike){ .ahead = KUBE_NO };
	return like * LEVELS + level;
}

static bool kube_alike_join(struct kube *k, uint32_t pod, uint32_t number)
{
	struct kube_alike *set = &k->alike[number];
	if (!set->listed && SL_GROW(k->listed, k->listed_capacity, k->listed_count + 1, &k->err))
		return false;
	if (!set->listed)
		k->listed[k->listed_count++] = number;
	set->listed = true;
	set->mixed |= set->pods.count && pod < set->last;
	set->last = !set->pods.count || pod > set->last ? pod : set->last;
	set->failed = k->pod[pod].entered > set->failed ? k->pod[pod].entered : set->failed;
	k->pod[pod].set = number;
	k->pod[pod].retries = set->retries;
	k->pod[pod].state = KUBE_POD_ALIKE;
	return kube_heap_push(k, &set->pods, pod, alike_before);
}

bool kube_alike_park(struct kube *k, uint32_t pod)
{
	const struct kube_pod *of = &k->pod[pod];
	const struct kube_spec *spec = &k->spec[of->spec];
	const uint32_t others = 1U << KUBE_SPREAD | 1U << KUBE_POD_AFFINITY | 1U << KUBE_GANG;
	if (k->scaler || k->options.singly || k->options.backoff_waits || spec->like == KUBE_NO ||
		spec->gang != KUBE_NO || of->nominated != KUBE_NO || !(of->failed_by & 1U << KUBE_FIT) ||
		(of->failed_by & others) || !k->like[spec->like].failed)
		return false;
	const uint32_t number = set_of(k, spec->like, of->attempts);
	/* One that was tried is not to be tried once more with those that still are to. */
	return number != KUBE_NO && !k->alike[number].due && kube_alike_join(k, pod, number);
}

/* It leaves its set, with what became of it there. */
static void kube_alike_leave(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	struct kube_alike *set = &k->alike[of->set];
	of->attempts += set->retries - of->retries;
	if (set->retries != of->retries) {
		of->failed_now = 1;
		of->failed_at = set->version;
	}
	of->entered = entered_of(k, pod);
	kube_queue_back_off(of);
	kube_heap_take_out(k, &set->pods, of->place, alike_before);
}

void kube_alike_drop(struct kube *k, uint32_t pod)
{
	struct kube_alike *set = &k->alike[k->pod[pod].set];
	if (k->pod[pod].state == KUBE_POD_ALIKE)
		kube_heap_take_out(k, &set->pods, k->pod[pod].place, alike_before);
	else if (set->ahead == pod)
		kube_alike_tried(k, pod);
}

void kube_alike_tried(struct kube *k, uint32_t pod)
{
	const uint32_t number = k->pod[pod].set;
	if (number == KUBE_NO || k->alike[number].ahead != pod)
		return;
	k->alike[number].ahead = KUBE_NO;
	k->alike_due |= k->alike[number].due;
}

static void wake(struct kube *k, uint32_t pod)
{
	kube_alike_leave(k, pod);
	kube_queue_wake(k, pod);
}

/* ---- Events ---------------------------------------------------------------------------------- */

void kube_alike_changed(struct kube *k)
{
	size_t kept = 0;
	for (size_t i = 0; i < k->listed_count; i++) {
		const uint32_t number = k->listed[i];
		struct kube_alike *set = &k->alike[number];
		if (!set->pods.count && set->ahead == KUBE_NO) {
			set->listed = set->due = set->mixed = false;
			continue;
		}
		k->listed[kept++] = number;
		set->due = k->alike_due = true;
	}
	k->listed_count = kept;
}

/* All of it failed once more, at this instant. */
static void retry(struct kube *k, uint32_t number)
{
	struct kube_alike *set = &k->alike[number];
	const uint64_t tries = set->pods.count;
	k->attempts += tries;
	k->cycles_failed += tries;
	if (number % LEVELS != LEVELS - 1) {
		while (set->pods.count) {
			const uint32_t pod = set->pods.pod[set->pods.count - 1];
			kube_alike_leave(k, pod);
			k->pod[pod].attempts++;
			k->pod[pod].failed_now = 1;
			k->pod[pod].entered = k->now;
			k->pod[pod].failed_at = k->version;
			if (!kube_alike_join(k, pod, number + 1))
				return;
		}
		return;
	}
	set->retries++;
	set->retried = set->failed = k->now;
	set->version = k->version;
	if (set->mixed) /* All entered now: by rows from here on. */
		kube_heap_renew(k, &set->pods, alike_before);
	set->mixed = false;
}

static bool may_fit(struct kube *k, struct kube_alike *set, struct kube_like *like)
{
	const uint32_t pod = set->pods.pod[0];
	const struct kube_cycle cycle = { .pod = pod, .nominees = k->nominees > 0 };
	if (!like->failed || k->pod_affinity_hard_pods || like->priority > kube_lowest(k) ||
		k->freed_count - like->failed_at >= k->nodes)
		return true;
	const struct kube_view *view = kube_view_of(k, pod);
	for (; like->failed_at < k->freed_count; like->failed_at++) {
		const uint32_t node = k->freed[like->failed_at];
		if (view ? kube_view_takes(k, view, pod, node)
			 : k->node[node].there && kube_filter(k, &cycle, node) == KUBE_FITS)
			return true;
	}
	return false;
}

static int highest_first(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x < y) - (x > y);
}

/* Sets of more attempts first, so that no pod is tried twice. */
void kube_alike_settle(struct kube *k)
{
	if (!k->alike_due)
		return;
	k->alike_due = false;
	qsort(k->listed, k->listed_count, sizeof(*k->listed), highest_first);
	const size_t count = k->listed_count; /* Those that are listed meanwhile are not due. */
	for (size_t i = 0; i < count && !k->err.status; i++) {
		const uint32_t number = k->listed[i];
		struct kube_alike *set = &k->alike[number];
		if (!set->due || set->ahead != KUBE_NO)
			continue;
		if (!set->pods.count) {
			set->due = false;
		} else if (set->failed == k->now) { /* How often they failed now counts: each by itself. */
			set->due = false;
			while (set->pods.count)
				wake(k, set->pods.pod[set->pods.count - 1]);
		} else if (may_fit(k, set, &k->like[number / LEVELS])) {
			set->ahead = set->pods.pod[0];
			wake(k, set->ahead);
		} else if (number % LEVELS == LEVELS - 1 || !k->alike[number + 1].due) {
			set->due = false;
			retry(k, number);
		} /* Else when those that they are to join were tried. */
	}
}

/* ---- Time ------------------------------------------------------------------------------------ */

static sl_time flush_of(const struct kube *k, const struct kube_alike *set)
{
	if (!set->pods.count)
		return SL_NEVER;
	const struct kube_pod *pod = &k->pod[set->pods.pod[0]];
	const uint64_t failed_at = set->retries != pod->retries ? set->version : pod->failed_at;
	return failed_at == k->version ? SL_NEVER : entered_of(k, set->pods.pod[0]) + k->options.flush;
}

sl_time kube_alike_next(const struct kube *k)
{
	sl_time next = SL_NEVER;
	for (size_t i = 0; i < k->listed_count; i++) {
		const sl_time at = flush_of(k, &k->alike[k->listed[i]]);
		next = at < next ? at : next;
	}
	return next;
}

void kube_alike_flush(struct kube *k)
{
	for (size_t i = 0; i < k->listed_count; i++)
		while (flush_of(k, &k->alike[k->listed[i]]) <= k->now)
			wake(k, k->alike[k->listed[i]].pods.pod[0]);
}

void kube_alike_free(struct kube *k)
{
	for (size_t i = 0; i < k->alike_capacity && k->alike; i++)
		free(k->alike[i].pods.pod);
	free(k->alike);
	free(k->listed);
}
