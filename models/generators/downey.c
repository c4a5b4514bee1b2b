/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * downey.c - moldable jobs of Downey: log-uniform work, and a speed-up of two numbers.
 *
 * A. B. Downey, "A parallel workload model and its implications for processor allocation", HPDC 1997. The
 * work W of a job in processor-seconds is log-uniform: P(W <= w) = b0 + b1 ln w between the roots of 0 and 1.
 * Its average parallelism A is log-uniform, its variance of parallelism sigma uniform. On n processors it
 * runs for W / S(n); S(n) is of two parts for sigma <= 1, and of two others above.
 *
 * The form is the paper's. The numbers are assumptions: b0 and b1 put the work between half a minute and a
 * month of one processor; the paper's own, of two machines of the time, were not at hand. A job requests A
 * processors, rounded: where the table is written, a scheduler may choose others.
 */
#include <math.h>

#include "models/generators/generators.h"

enum param { B0 = GEN_OWN, B1, A_MIN, A_MAX, SIGMA_MIN, SIGMA_MAX };

static const struct sl_param params[] = {
	GEN_PARAMS("256", "processors of the machine", "swf", "poisson", "10m"),
	[B0] = { "b0", SL_PARAM_REAL, "-0.299144", "-1000..1",
		"the share of jobs with work of at most w processor-seconds is b0 + b1 ln w",
		-1000 * GEN_MICRO, GEN_MICRO },
	[B1] = { "b1", SL_PARAM_REAL, "0.087953", "0.001..1000", "see b0", 1000, 1000 * GEN_MICRO },
	[A_MIN] = { "a_min", SL_PARAM_REAL, "1", "1..10000000", "least average parallelism", GEN_MICRO,
		GEN_CPUS_MAX *GEN_MICRO },
	[A_MAX] = { "a_max", SL_PARAM_REAL, NULL, "1..10000000",
		"largest average parallelism; default: the machine", GEN_MICRO, GEN_CPUS_MAX *GEN_MICRO },
	[SIGMA_MIN] = { "sigma_min", SL_PARAM_REAL, "0", "0..100", "least variance of parallelism", 0,
		100 * GEN_MICRO },
	[SIGMA_MAX] = { "sigma_max", SL_PARAM_REAL, "2", "0..100", "largest variance of parallelism", 0,
		100 * GEN_MICRO },
};

double gen_downey_speedup(double n, double a, double sigma)
{
	if (sigma <= 1) {
		if (n <= a)
			return a * n / (a + sigma * (n - 1) / 2);
		if (n <= 2 * a - 1)
			return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
		return a;
	}
	if (n <= a + a * sigma - sigma)
		return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
	return a;
}

/* Millionths, so that a table says what was drawn with. */
static int64_t micro(double x) { return (int64_t)floor(x * 1e6 + 0.5); }

static int downey_draw(struct gen_work *w, struct sl_err *err)
{
	const double a_min = gen_real(w, A_MIN);
	const double a_max = gen_given(w, A_MAX) ? gen_real(w, A_MAX) : w->cpus;
	const double sigma_min = gen_real(w, SIGMA_MIN);
	const double sigma_max = gen_real(w, SIGMA_MAX);
	const double least = -gen_real(w, B0) / gen_real(w, B1);
	if (a_min > a_max || a_max > w->cpus)
		return sl_fail(err, SL_USAGE, "'a_min' and 'a_max' must not descend, nor be above 'cpus'");
	if (sigma_min > sigma_max)
		return sl_fail(err, SL_USAGE, "'sigma_min' is above 'sigma_max': give less");
	if (least < -50 || least + 1 / gen_real(w, B1) > 50)
		return sl_fail(err, SL_USAGE,
			"'b0' and 'b1' put the work beyond e^50 or below e^-50: give numbers nearer to the "
			"defaults");
	struct sl_rng work = gen_stream(w, "work");
	struct sl_rng parallelism = gen_stream(w, "parallelism");
	struct sl_rng variance = gen_stream(w, "variance");
	for (uint32_t i = 0; i < w->count; i++) {
		struct gen_job *job = &w->job[i];
		const double ln_work = least + sl_rng_unit(&work) / gen_real(w, B1);
		const double ln_a = sl_ln(a_min) + (sl_ln(a_max) - sl_ln(a_min)) * sl_rng_unit(&parallelism);
		job->parallelism = micro(sl_exp(ln_a));
		job->variance = micro(sigma_min + (sigma_max - sigma_min) * sl_rng_unit(&variance));
		const double a = (double)job->parallelism / 1e6;
		const int64_t size = gen_whole(a);
		job->size = size < w->cpus ? (int32_t)size : w->cpus;
		const double speedup = gen_downey_speedup(job->size, a, (double)job->variance / 1e6);
		job->run = gen_whole(sl_exp(ln_work) / speedup);
	}
	return SL_OK;
}

static int downey_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	static const struct gen_kind kind = { .name = "downey",
		.note = { "work, parallelism, speed-up: Downey, HPDC 1997; its numbers are assumptions" },
		.draw = downey_draw };
	SL_CHECK(count == SL_LEN(params));
	return gen_make(&kind, values, seed, sink, err);
}

const struct sl_generator model_downey = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "downey",
	.summary = "moldable jobs: log-uniform work and parallelism, speed-up by its variance",
	.paper =
		"A. B. Downey, \"A parallel workload model and its implications for processor allocation\", HPDC "
		"1997; the numbers are assumptions",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = downey_generate,
};
