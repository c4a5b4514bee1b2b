/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_usage.c - past usage in drawn histories: the same as a sum over all samples, made anew each time.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/world/kai_small.h"

enum { DRAWS = 300, CHANGES = 40, STEP_S = 60, SAMPLES = 4000, GPUS = 10 };

static uint64_t draw_state;

static int64_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((draw_state >> 33) % below);
}

struct history {
	int64_t held[SAMPLES]; /* At i * STEP_S. */
	int64_t count;         /* 1 to count - 1 are there. */
};

/* The last boundary strictly before that time; before the first: the time itself. */
static int64_t began_s(const struct kai_usage_config *config, int64_t time_s)
{
	const int64_t start = config->start / SL_SECOND, window = config->window / SL_SECOND;
	if (time_s <= start)
		return time_s;
	return start + (time_s - start - 1) / window * window;
}

static double usage_slowly(const struct history *h, const struct kai_usage_config *config)
{
	const int64_t last = h->count - 1, half = config->half_life / SL_SECOND;
	double used = 0, of = 0;
	for (int64_t i = 1; i <= last; i++) {
		const int64_t age_s = (last - i) * STEP_S;
		if (config->kind == KAI_SLIDING && age_s >= config->window / SL_SECOND / STEP_S * STEP_S)
			continue;
		if (config->kind == KAI_TUMBLING && i * STEP_S < began_s(config, last * STEP_S))
			continue;
		const double weight = half ? exp2(-(double)age_s / (double)half) : 1;
		used += weight * (double)h->held[i];
		of += weight * GPUS;
	}
	return of > 0 ? used / of : 0;
}

Test(kai_usage_prop, as_a_sum_over_all_samples)
{
	static struct history h;
	for (uint32_t seed = 0; seed < DRAWS; seed++) {
		draw_state = seed;
		struct kai_usage_config config = { .step = STEP_S * SL_SECOND };
		config.kind = draw(2) ? KAI_SLIDING : KAI_TUMBLING;
		config.window = (STEP_S + draw(3000)) * SL_SECOND;
		config.half_life = draw(2) ? (1 + draw(4000)) * SL_SECOND : 0;
		config.start = draw(4000) * SL_SECOND;
		struct kai_small w = kai_small_open();
		(void)kai_small_node(&w, "n0", GPUS);
		const uint32_t q = kai_small_queue(&w, "q", NULL, 0, -1, 1);
		kai_small_seal(&w);
		w.kai->now = 0;
		kai_open_shares(w.kai);
		struct kai_usage *usage = kai_usage_new(w.kai, &config);
		cr_assert(usage != NULL, "%s", w.kai->err.text);
		h.count = 1;
		for (int64_t i = 0, now = 0; i < CHANGES; i++) {
			const int64_t gpus = draw(3) ? draw(GPUS + 1) : 0;
			now += draw(8) ? draw(400) : draw(4000);
			for (; h.count * STEP_S <= now && h.count < SAMPLES; h.count++)
				h.held[h.count] = gpus;
			w.kai->queue[q].allocated.at[KAI_GPUS] = gpus * KAI_GPU;
			w.kai->now = now * SL_SECOND;
			kai_usage_note(w.kai, usage);
			kai_usage_set(w.kai, usage);
			const double got = w.kai->queue[q].usage[KAI_GPUS], want = usage_slowly(&h, &config);
			cr_assert(fabs(got - want) < 1e-6, "draw %u, %lld s: %.9g, not %.9g", seed,
				(long long)now, got, want);
		}
		kai_usage_free(usage);
		kai_small_close(&w);
	}
}
