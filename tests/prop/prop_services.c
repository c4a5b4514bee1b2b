/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_services.c - the autoscaler on generated loads against one that keeps all of its past and looks
 * through all of it each time; and the bounds that hold whatever the load does.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/base/base.h"
#include "traces/table/services.h"

enum { STEPS = 400 };

/* All that ever was. */
struct beyond {
	sl_time at[STEPS];
	int64_t said[STEPS], change[STEPS];
	int64_t first;
	int count;
};

/* Replicas as a period began: the changes of it undone, one by one. */
static int64_t began(const struct beyond *beyond, sl_time now, sl_time period, int64_t replicas)
{
	for (int i = 0; i < beyond->count; i++)
		if (now - beyond->at[i] < period)
			replicas -= beyond->change[i];
	return replicas;
}

static int64_t allowed(
	const struct beyond *beyond, const struct scale_rules *rules, sl_time now, int64_t replicas, bool up)
{
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;
	if (rules->select == SCALE_DISABLED || !rules->policies)
		return replicas;
	for (uint32_t i = 0; i < rules->policies; i++) {
		const struct scale_policy *policy = &rules->policy[i];
		const int64_t from = began(beyond, now, policy->period, replicas);
		int64_t change = policy->value;
		if (policy->percent) /* Rounded so that there are rather more. */
			change = up ? (from * policy->value + 99) / 100
				    : from - (from * 100 - from * policy->value) / 100;
		const int64_t to = up ? from + change : from - change;
		least = to < least ? to : least;
		most = to > most ? to : most;
	}
	if (up)
		return rules->select == SCALE_MAX ? most : least;
	return rules->select == SCALE_MAX ? least : most;
}

static int64_t slow_step(
	struct beyond *beyond, const struct scale_options *o, sl_time now, int64_t load, int64_t replicas)
{
	int64_t said = replicas;
	const int64_t could = o->per_replica * replicas;
	const int64_t off = load > could ? load - could : could - load;
	if (!replicas || off * 10 > could * (o->tolerance / 100000)) /* Tolerances of whole tenths. */
		said = (load + o->per_replica - 1) / o->per_replica;
	int64_t low = said;
	int64_t high = said;
	if (!beyond->count)
		beyond->first = replicas;
	const sl_time since = beyond->count ? beyond->at[0] : now;
	if (now - since < o->up.stabilization && beyond->first < low)
		low = beyond->first;
	if (now - since < o->down.stabilization && beyond->first > high)
		high = beyond->first;
	for (int i = 0; i < beyond->count; i++) {
		if (now - beyond->at[i] < o->up.stabilization && beyond->said[i] < low)
			low = beyond->said[i];
		if (now - beyond->at[i] < o->down.stabilization && beyond->said[i] > high)
			high = beyond->said[i];
	}
	int64_t to = replicas < low ? low : replicas > high ? high : replicas;
	if (to > replicas) {
		int64_t most = allowed(beyond, &o->up, now, replicas, true);
		most = most > o->max ? o->max : most;
		to = to > most ? most : to;
		to = to < replicas ? replicas : to;
	} else if (to < replicas) {
		int64_t least = allowed(beyond, &o->down, now, replicas, false);
		least = least < o->min ? o->min : least;
		to = to < least ? least : to;
		to = to > replicas ? replicas : to;
	}
	beyond->at[beyond->count] = now;
	beyond->said[beyond->count] = said;
	beyond->change[beyond->count++] = to - replicas;
	return to;
}

static struct scale_rules some_rules(struct sl_rng *rng)
{
	struct scale_rules rules = { .select = (enum scale_select)(sl_rng_below(rng, 8) % 3) };
	rules.stabilization = (sl_time)sl_rng_below(rng, 5) * 40 * SL_SECOND;
	rules.policies = 1 + (uint32_t)sl_rng_below(rng, 3);
	for (uint32_t i = 0; i < rules.policies; i++)
		rules.policy[i] = (struct scale_policy){ .percent = sl_rng_below(rng, 2),
			.value = 1 + (int64_t)sl_rng_below(rng, 100),
			.period = (1 + (sl_time)sl_rng_below(rng, 60)) * SL_SECOND };
	return rules;
}

Test(services, the_autoscaler_is_one_that_forgets_nothing)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/services");
		struct scale_options o = { .tolerance = (int64_t)sl_rng_below(&rng, 4) * 100000,
			.per_replica = 1 + (int64_t)sl_rng_below(&rng, 20000000),
			.min = (int64_t)sl_rng_below(&rng, 4) };
		o.max = o.min + 1 + (int64_t)sl_rng_below(&rng, 60);
		o.up = some_rules(&rng);
		o.down = some_rules(&rng);
		struct scale scale = { .options = &o };
		struct beyond beyond = { .count = 0 };
		int64_t replicas = o.min + (int64_t)sl_rng_below(&rng, (uint64_t)(o.max - o.min) + 1);
		sl_time now = 0;
		int64_t load = 0;
		for (int i = 0; i < STEPS; i++) {
			int64_t wanted;
			now += (1 + (sl_time)sl_rng_below(&rng, 20)) * SL_SECOND;
			if (sl_rng_below(&rng, 4) == 0)
				load = (int64_t)sl_rng_below(&rng, (uint64_t)(o.per_replica * (o.max + 4)));
			cr_assert(scale_step(&scale, now, load, replicas, &wanted));
			const int64_t slow = slow_step(&beyond, &o, now, load, replicas);
			cr_assert_eq(wanted, slow, "seed %llu, step %d: %lld, not %lld",
				(unsigned long long)seed, i, (long long)wanted, (long long)slow);
			cr_assert(wanted >= o.min && wanted <= o.max);
			replicas = wanted;
		}
		scale_release(&scale);
	}
}
