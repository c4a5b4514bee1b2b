/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * draw.c - sizes, run times and arrivals of Lublin and Feitelson.
 *
 * U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers:
 * modeling the characteristics of rigid jobs", J. Parallel and Distributed
 * Computing 63(11), 2003, after the authors' own code. Each quantity draws
 * from a stream of its own, so a change of the run times moves no arrival.
 */
#include "models/lublin/lublin.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>

#define LN2 0x1.62e42fefa39efp-1

enum { LN_GAP_MAX = 13, REDRAWS_MAX = 10000 };
static const int64_t slot_us = 1800 * SL_SECOND;

static double gamma_drawn(struct sl_rng *rng, double shape, double scale)
{
	const gsl_rng over = { .type = sl_rng_gsl(), .state = rng };
	return gsl_ran_gamma(&over, shape, scale);
}

/* ---- Size ------------------------------------------------------------------- */

int32_t lublin_size(struct lublin_class *class)
{
	const double *number = class->number;
	const double u = sl_rng_unit(&class->size);
	if (u <= number[LUBLIN_SERIAL_PROB])
		return 1;

	const bool low = sl_rng_unit(&class->size) <= number[LUBLIN_UPROB];
	const double from = number[low ? LUBLIN_ULOW : LUBLIN_UMED];
	const double to = number[low ? LUBLIN_UMED : LUBLIN_UHI];
	double log2_size = from + (to - from) * sl_rng_unit(&class->size);
	/* One u decides both, as in the authors' code: pow2_prob is of all jobs, not of the parallel ones. */
	if (u <= number[LUBLIN_SERIAL_PROB] + number[LUBLIN_POW2_PROB]) {
		log2_size = floor(log2_size + 0.5);
		if (log2_size >
			number[LUBLIN_UHI]) /* A machine that is no power of two: the largest that fits. */
			log2_size = floor(number[LUBLIN_UHI]);
	}
	const double size = floor(sl_exp(log2_size * LN2) + 0.5);
	return size < class->cpus ? (int32_t)size : class->cpus;
}

/* ---- Run time ----------------------------------------------------------------- */

int32_t lublin_run(struct lublin_class *class, int32_t size)
{
	const double *number = class->number;
	const double p_short = number[LUBLIN_PA] * size + number[LUBLIN_PB]; /* Clipped by what U can be. */
	for (int i = 0; i < REDRAWS_MAX; i++) {
		const bool is_short = sl_rng_unit(&class->runtime) <= p_short;
		const double ln_run =
			is_short ? gamma_drawn(&class->runtime, number[LUBLIN_A1], number[LUBLIN_B1])
				 : gamma_drawn(&class->runtime, number[LUBLIN_A2], number[LUBLIN_B2]);
		if (ln_run <= LUBLIN_LN_RUN_MAX)
			return (int32_t)sl_exp(ln_run); /* At least 1: the logarithm is positive. */
	}
	return LUBLIN_RUN_MAX; /* Numbers of the user's under which hardly any job is short enough. */
}

/* ---- Arrivals ------------------------------------------------------------------ */

/* The cycle's gamma counts half-hours from 5:00, and wraps: the slot of i is (i - 1) mod 48. */
static int cycle_init(struct lublin_class *class, struct sl_err *err)
{
	enum { FIRST = 11 };
	const double shape = class->number[LUBLIN_ANUM];
	const double scale = class->number[LUBLIN_BNUM];
	double cdf[LUBLIN_SLOTS + 1];
	for (int i = 0; i <= LUBLIN_SLOTS; i++) {
		gsl_sf_result result;
		if (gsl_sf_gamma_inc_P_e(shape, (FIRST + i - 0.5) / scale, &result))
			return sl_fail(err, SL_USAGE,
				"no daily cycle from 'anum' and 'bnum': give numbers nearer to the defaults");
		cdf[i] = result.val;
	}
	const double total = cdf[LUBLIN_SLOTS] - cdf[0];
	if (!(total > 0.001))
		return sl_fail(err, SL_USAGE,
			"'anum' and 'bnum' put the cycle outside the day: their product is the "
			"peak's half-hour, 11 to 58");
	for (int i = 0; i < LUBLIN_SLOTS; i++) {
		const double share = (cdf[i + 1] - cdf[i]) / total;
		const int64_t weight = (int64_t)floor(share * LUBLIN_SLOTS * (double)slot_us + 0.5);
		class->slot_weight[(FIRST + i - 1) % LUBLIN_SLOTS] = weight > 0 ? weight : 1;
	}
	return SL_OK;
}

/* A gap, in time at the mean rate, is spent slot by slot: a slot of the peak swallows more of it. */
void lublin_arrive(struct lublin_class *class)
{
	const double shape = class->number[LUBLIN_AARR] * class->number[LUBLIN_ARAR];
	double ln_gap = LN_GAP_MAX;
	for (int i = 0; i < REDRAWS_MAX; i++) {
		const double drawn = gamma_drawn(&class->arrival, shape, class->number[LUBLIN_BARR]);
		if (drawn <= LN_GAP_MAX) {
			ln_gap = drawn;
			break;
		}
	}
	class->points += (int64_t)(sl_exp(ln_gap) * (double)SL_SECOND);
	while (class->points > class->slot_weight[class->slot % LUBLIN_SLOTS]) {
		class->points -= class->slot_weight[class->slot % LUBLIN_SLOTS];
		class->slot++;
	}
	class->arrives = class->slot * slot_us +
			 sl_mul_div(class->points, slot_us, class->slot_weight[class->slot % LUBLIN_SLOTS]);
}

int lublin_class_init(struct lublin_class *class, uint64_t seed, const char *name, struct sl_err *err)
{
	static const char *const what[] = { "size", "runtime", "arrival" };
	struct sl_rng *const stream[] = { &class->size, &class->runtime, &class->arrival };
	for (size_t i = 0; i < SL_LEN(what); i++) {
		char path[64];
		(void)snprintf(path, sizeof(path), "%s/%s", name, what[i]);
		*stream[i] = sl_rng_stream(seed, path);
	}
	class->slot = 0;
	class->points = 0;
	const int status = cycle_init(class, err);
	if (!status)
		lublin_arrive(class);
	return status;
}
