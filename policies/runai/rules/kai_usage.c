/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_usage.c - past usage of the cluster by queue (time-based fair share).
 *
 * Rules: KAI, docs/time-based-fairshare and pkg/scheduler/cache/usagedb/prometheus: what a queue had
 * allocated at samples one step apart, each times 0.5^(age / half-life), over the same sum of the capacity;
 * of the last `window` (sliding), or since the window began (tumbling, cron: the last boundary strictly
 * before now). Samples are at multiples of the step, and see what held before that instant; KAI queries its
 * data base at every sample.
 *
 * The decay of a step comes from exp2 and is rounded to a multiple of 2^-40 before anything is made of it:
 * its last bits are libm's. Its powers are products. Without decay sums are whole numbers. What comes of it
 * is rounded to a multiple of 10^-9.
 */
#include "policies/runai/rules/kai_share.h"

#include <math.h>
#include <stdlib.h>

#define QUANTA 1099511627776.0 /* 2^40 */
#define NANOS  1e9

/* Samples of one value, from that one on. */
struct run {
	int64_t since;
	struct kai_vec held;
};

/* Of a queue, or of the capacity. */
struct track {
	__int128 whole[KAI_RES]; /* Without decay; */
	double faded[KAI_RES];   /* with it. */
	struct kai_vec last;     /* Of the last sample. */
	/* Sliding: the samples of the window, a ring. */
	struct run *run;
	uint32_t first, count, capacity;
};

struct kai_usage {
	struct kai_usage_config config;
	double decay, decay_out; /* Of a step; of the window. */
	int64_t samples;         /* Of a sliding window. */
	int64_t done;            /* The last sample: at done * step. */
	sl_time next;            /* When the window begins anew. */
	struct track capacity;
	struct track *track; /* By queue. */
	uint32_t count, headroom;
};

static double power(double base, int64_t exponent)
{
	double product = 1;
	while (exponent > 0) {
		if (exponent & 1)
			product *= base;
		base *= base;
		exponent /= 2;
	}
	return product;
}

/* ---- When windows begin ---- */

static sl_time cron_after(const struct kai_usage_config *config, sl_time time)
{
	const int64_t second = time / SL_SECOND - (time % SL_SECOND < 0);
	const int64_t next = kai_cron_next(&config->cron, config->epoch_s + second);
	return next == INT64_MAX ? INT64_MAX : (next - config->epoch_s) * SL_SECOND;
}

/* The first beginning after that time. */
static sl_time begins_after(const struct kai_usage_config *config, sl_time time)
{
	if (config->kind == KAI_CRON)
		return cron_after(config, time);
	if (config->kind != KAI_TUMBLING)
		return INT64_MAX;
	if (time < config->start)
		return config->start;
	return config->start + ((time - config->start) / config->window + 1) * config->window;
}

/* ---- Samples ---- */

static void track_clear(struct track *track)
{
	for (int res = 0; res < KAI_RES; res++) {
		track->whole[res] = 0;
		track->faded[res] = 0;
	}
	track->first = track->count = 0;
}

static void add_value(struct kai_usage *usage, struct track *track, const struct kai_vec *held)
{
	for (int res = 0; res < KAI_RES; res++) {
		track->whole[res] += held->at[res];
		track->faded[res] = track->faded[res] * usage->decay + (double)held->at[res];
	}
}

static bool kai_usage_same(const struct kai_vec *a, const struct kai_vec *b)
{
	for (int res = 0; res < KAI_RES; res++)
		if (a->at[res] != b->at[res])
			return false;
	return true;
}

static bool nothing(const struct kai_vec *held)
{
	static const struct kai_vec none;
	return kai_usage_same(held, &none);
}

static struct run *run_at(const struct track *track, uint32_t i)
{
	return &track->run[(track->first + i) % track->capacity];
}

/* The sample is kept until it leaves the window. */
static void kai_usage_keep(struct kai *kai, struct track *track, int64_t sample, const struct kai_vec *held)
{
	if (track->count && kai_usage_same(&run_at(track, track->count - 1)->held, held))
		return;
	if (track->count == track->capacity) {
		const uint32_t headroom = track->capacity ? track->capacity * 2 : 8;
		struct run *more = malloc(headroom * sizeof(*more));
		if (!more) {
			(void)sl_fail_memory(&kai->err);
			return;
		}
		for (uint32_t i = 0; i < track->count; i++)
			more[i] = *run_at(track, i);
		free(track->run);
		track->run = more;
		track->capacity = headroom;
		track->first = 0;
	}
	track->count++;
	*run_at(track, track->count - 1) = (struct run){ sample, *held };
}

/* What is too old by now leaves: sample number `old`. */
static void kai_usage_drop(struct kai_usage *usage, struct track *track, int64_t old)
{
	if (!track->count || run_at(track, 0)->since > old)
		return;
	const struct kai_vec held = run_at(track, 0)->held;
	for (int res = 0; res < KAI_RES; res++) {
		track->whole[res] -= held.at[res];
		track->faded[res] -= (double)held.at[res] * usage->decay_out;
	}
	if (track->count > 1 && run_at(track, 1)->since == old + 1) {
		track->first = (track->first + 1) % track->capacity;
		track->count--;
	}
	/* All that is left is idle: no dust of rounding. */
	if (track->count == 1 && nothing(&run_at(track, 0)->held))
		track_clear(track);
}

static void slide(struct kai *kai, struct kai_usage *usage, struct track *track, int64_t sample,
	const struct kai_vec *held)
{
	if (!track->count && nothing(held))
		return;
	add_value(usage, track, held);
	kai_usage_keep(kai, track, sample, held);
	kai_usage_drop(usage, track, sample - usage->samples);
}

/* A run of samples, up to and with `to`. */
static void slide_to(
	struct kai *kai, struct kai_usage *usage, struct track *track, int64_t to, const struct kai_vec *held)
{
	int64_t from = usage->done;
	if (to - from > usage->samples) { /* Nothing else is left of the window. */
		track_clear(track);
		from = to - usage->samples;
	}
	for (int64_t i = from + 1; i <= to; i++)
		slide(kai, usage, track, i, held);
}

/* begun: when the window of this sample began; SL_NONE: it goes on. */
static void tumble(struct kai_usage *usage, struct track *track, int64_t sample, sl_time begun,
	const struct kai_vec *held)
{
	if (begun != SL_NONE) {
		track_clear(track);
		if ((sample - 1) * usage->config.step >= begun)
			add_value(usage, track, &track->last);
	}
	add_value(usage, track, held);
	track->last = *held;
}

/* When the window of this sample began; SL_NONE: it is that of the sample before. */
static sl_time begun_at(struct kai_usage *usage, int64_t sample)
{
	const sl_time time = sample * usage->config.step;
	sl_time begun = SL_NONE;
	while (usage->next < time) {
		begun = usage->next;
		usage->next = begins_after(&usage->config, begun);
	}
	if (usage->config.kind == KAI_TUMBLING && time <= usage->config.start)
		begun = time; /* It has not begun: this sample alone. */
	return begun;
}

/* ---- The rest ---- */

static bool widen(struct kai *kai, struct kai_usage *usage)
{
	if (SL_GROW_ZEROED(usage->track, usage->headroom, kai->queue_count, &kai->err))
		return false;
	usage->count = kai->queue_count;
	return true;
}

struct kai_usage *kai_usage_new(struct kai *kai, const struct kai_usage_config *config)
{
	const bool windowed = config->kind != KAI_CRON;
	if (config->step <= 0 || config->half_life < 0 || (windowed && config->window < config->step) ||
		(windowed && config->window / config->step > KAI_SAMPLES_MAX))
		return (void)kai_fail(kai, SL_INPUT,
			       "a window of past usage is of 1 to %d samples, and a half-life is not negative",
			       KAI_SAMPLES_MAX),
		       NULL;
	struct kai_usage *usage = calloc(1, sizeof(*usage));
	if (!usage)
		return (void)sl_fail_memory(&kai->err), NULL;
	usage->config = *config;
	usage->decay = 1;
	if (config->half_life > 0)
		usage->decay = floor(exp2(-(double)config->step / (double)config->half_life) * QUANTA + 0.5) /
			       QUANTA;
	usage->samples = windowed ? config->window / config->step : 0;
	usage->decay_out = power(usage->decay, usage->samples);
	usage->done = kai->now / config->step;
	usage->next = begins_after(config, kai->now);
	return usage;
}

void kai_usage_free(struct kai_usage *usage)
{
	if (!usage)
		return;
	for (uint32_t i = 0; i < usage->headroom; i++)
		free(usage->track[i].run);
	free(usage->capacity.run);
	free(usage->track);
	free(usage);
}

void kai_usage_note(struct kai *kai, struct kai_usage *usage)
{
	const int64_t to = kai->now / usage->config.step;
	if (to <= usage->done || !widen(kai, usage))
		return;
	if (usage->config.kind == KAI_SLIDING) {
		slide_to(kai, usage, &usage->capacity, to, &kai->total);
		for (uint32_t i = 0; i < usage->count; i++)
			slide_to(kai, usage, &usage->track[i], to, &kai->queue[i].allocated);
		usage->done = to;
		return;
	}
	while (usage->done < to) {
		const int64_t sample = ++usage->done;
		const sl_time begun = begun_at(usage, sample);
		tumble(usage, &usage->capacity, sample, begun, &kai->total);
		for (uint32_t i = 0; i < usage->count; i++)
			tumble(usage, &usage->track[i], sample, begun, &kai->queue[i].allocated);
	}
}

void kai_usage_set(struct kai *kai, struct kai_usage *usage)
{
	if (!widen(kai, usage))
		return;
	const bool fades = usage->decay < 1;
	for (uint32_t i = 0; i < usage->count; i++) {
		const struct track *track = &usage->track[i];
		for (int res = 0; res < KAI_RES; res++) {
			const double of =
				fades ? usage->capacity.faded[res] : (double)usage->capacity.whole[res];
			const double used = fades ? track->faded[res] : (double)track->whole[res];
			kai->queue[i].usage[res] =
				of > 0 && used > 0 ? floor(used / of * NANOS + 0.5) / NANOS : 0;
		}
	}
}
