/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services_scale.c - how many replicas: the algorithm of Kubernetes' HorizontalPodAutoscaler.
 *
 * For an external metric with a target per pod (AverageValue), with behaviour, as in
 * pkg/controller/podautoscaler (replica_calculator.go: GetExternalPerPodMetricReplicas; horizontal.go:
 * stabilizeRecommendationWithBehaviors, convertDesiredReplicasWithBehaviorRate):
 *
 *   1. ceil(load / target), or what there is if load / (target * replicas) is within the tolerance of 1;
 *   2. not below the least said within the window of scaling up, not above the most said within that of
 *      scaling down; what is said is noted before that;
 *   3. not beyond what the policies let it change within their periods, nor the bounds.
 *
 * Windows and periods are open at their old end: what is exactly as old is over. Kubernetes counts in
 * floating point, this in whole numbers: where a product is exact the two are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/services.h"

/* Kubernetes' documentation: sync 15 s, tolerance 0.1; up at once, by the more of 4 and 100 % in 15 s; down
 * after 300 s, by as many as there are. */
void scale_defaults(struct scale_options *options)
{
	*options = (struct scale_options){ .sync = 15 * SL_SECOND, .tolerance = SL_SECOND / 10 };
	options->up.policy[0] = (struct scale_policy){ true, 100, 15 * SL_SECOND };
	options->up.policy[1] = (struct scale_policy){ false, 4, 15 * SL_SECOND };
	options->up.policies = 2;
	options->down.stabilization = 300 * SL_SECOND;
	options->down.policy[0] = (struct scale_policy){ true, 100, 15 * SL_SECOND };
	options->down.policies = 1;
}

/* ---- Notes ------------------------------------------------------------------------------------- */

static bool note_add(struct scale_notes *notes, sl_time at, int64_t count)
{
	if (notes->count == notes->capacity && notes->first > notes->count / 2) {
		notes->count -= notes->first;
		memmove(notes->note, notes->note + notes->first, notes->count * sizeof(*notes->note));
		notes->first = 0;
	}
	if (SL_GROW(notes->note, notes->capacity, notes->count + 1, NULL))
		return false;
	notes->note[notes->count++] = (struct scale_note){ at, count };
	return true;
}

static void notes_forget(struct scale_notes *notes, sl_time before)
{
	while (notes->first < notes->count && notes->note[notes->first].at <= before)
		notes->first++;
}

static int64_t changed_since(const struct scale_notes *notes, sl_time cutoff)
{
	int64_t sum = 0;
	for (size_t i = notes->count; i > notes->first && notes->note[i - 1].at > cutoff; i--)
		sum += notes->note[i - 1].count;
	return sum;
}

/* ---- One step ------------------------------------------------------------------------------------ */

static int64_t by_load(const struct scale_options *options, int64_t load, int64_t now)
{
	const __int128 could = (__int128)options->per_replica * now;
	const __int128 off = could > load ? could - load : load - could;
	if (now && off * SL_SECOND <= could * options->tolerance)
		return now;
	const int64_t needed = load / options->per_replica + (load % options->per_replica != 0);
	return needed < INT32_MAX ? needed : INT32_MAX;
}

static bool stabilized(struct scale *scale, sl_time at, int64_t now, int64_t *wanted)
{
	const struct scale_options *options = scale->options;
	const sl_time up = at - options->up.stabilization;
	const sl_time down = at - options->down.stabilization;
	int64_t least = *wanted;
	int64_t most = *wanted;
	if (!scale->said.count && !note_add(&scale->said, at, now))
		return false;
	notes_forget(&scale->said, up < down ? up : down);
	for (size_t i = scale->said.first; i < scale->said.count; i++) {
		const struct scale_note *note = &scale->said.note[i];
		if (note->at > up && note->count < least)
			least = note->count;
		if (note->at > down && note->count > most)
			most = note->count;
	}
	if (!note_add(&scale->said, at, *wanted))
		return false;
	*wanted = now < least ? least : now;
	if (*wanted > most)
		*wanted = most;
	return true;
}

/* What a policy lets there be, of so many as its period began. */
static int64_t proposed(const struct scale_policy *policy, int64_t began, bool up)
{
	if (!policy->percent)
		return up ? began + policy->value : began - policy->value;
	if (up)
		return (began * (100 + policy->value) + 99) / 100;
	return began * (100 - policy->value) / 100;
}

static int64_t services_scale_limit_of(const struct scale *scale, sl_time at, int64_t now, bool up)
{
	const struct scale_rules *rules = up ? &scale->options->up : &scale->options->down;
	int64_t limit = now;
	if (rules->select == SCALE_DISABLED)
		return now;
	for (uint32_t i = 0; i < rules->policies; i++) {
		const struct scale_policy *policy = &rules->policy[i];
		const int64_t began = now - changed_since(&scale->added, at - policy->period) +
				      changed_since(&scale->removed, at - policy->period);
		const int64_t value = proposed(policy, began, up);
		const bool higher =
			(rules->select == SCALE_MAX) == up; /* The largest change, or the least. */
		if (!i || (higher ? value > limit : value < limit))
			limit = value;
	}
	return limit;
}

bool scale_step(struct scale *scale, sl_time at, int64_t load, int64_t now, int64_t *wanted)
{
	const struct scale_options *options = scale->options;
	*wanted = by_load(options, load, now);
	if (!stabilized(scale, at, now, wanted))
		return false;
	if (*wanted > now) {
		int64_t most = services_scale_limit_of(scale, at, now, true);
		most = most < now ? now : most;
		most = most < options->max ? most : options->max;
		*wanted = *wanted < most ? *wanted : most;
	} else if (*wanted < now) {
		int64_t least = services_scale_limit_of(scale, at, now, false);
		least = least > now ? now : least;
		least = least > options->min ? least : options->min;
		*wanted = *wanted > least ? *wanted : least;
	}
	if (*wanted > now)
		return note_add(&scale->added, at, *wanted - now);
	return *wanted == now || note_add(&scale->removed, at, now - *wanted);
}

void scale_release(struct scale *scale)
{
	free(scale->said.note);
	free(scale->added.note);
	free(scale->removed.note);
	*scale = (struct scale){ 0 };
}
