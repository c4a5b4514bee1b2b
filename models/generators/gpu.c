/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu.c - jobs of a shared GPU cluster: powers of two, lognormal run times by how a job ends, a daily and a
 * weekly cycle.
 *
 * How many jobs complete, are cancelled and fail, which share of the GPU time each of the three takes, the
 * mean run time and the mean number of GPUs are those of Seren, Kalos, Philly and Helios in the summary that
 * Q. Hu and others published with "Characterization of large language model development in the datacenter",
 * NSDI 2024. Where sizes do not depend on how a job ends, the mean run time of those that end in one way is
 * the mean of all * (share of GPU time) / (share of jobs): of Seren's cancelled jobs 1414 s * .664 / .075.
 *
 * Ours, and assumptions: that independence; sizes 1, 2, 4 ... with weights in a geometric series that has the
 * mean; lognormal run times and their spread; the cycle. These four clusters' own distributions differ: fit a
 * trace where one is at hand.
 */
#include <string.h>

#include "models/generators/generators.h"

enum { DOUBLINGS_MAX = 24, OUTCOMES = 3, SIZE_DEFAULT = 1024 };
enum param {
	CLUSTER = GEN_OWN,
	SIZE_MEAN,
	SIZE_MOST,
	CANCELLED,
	FAILED,
	RUN_COMPLETED,
	RUN_CANCELLED,
	RUN_FAILED,
	SIGMA,
	RUN_BY_SIZE
};

static const struct sl_param params[] = {
	GEN_PARAMS("1024", "GPUs of the machine, for load", "table", "cyclic", "1m"),
	[CLUSTER] = { "cluster", SL_PARAM_CHOICE, "philly", "philly|helios|seren|kalos",
		"whose shares and means", 0, 0 },
	[SIZE_MEAN] = { "size_mean", SL_PARAM_REAL, NULL, "1..1000000",
		"mean number of GPUs; default 1.928 (helios 3.716, seren 5.68, kalos 26.77)", GEN_MICRO,
		1000000 * GEN_MICRO },
	[SIZE_MOST] = { "size_max", SL_PARAM_INT, NULL, "1..10000000",
		"no job asks more GPUs: the largest power of two up to it; default: the machine, 1024 at most",
		1, GEN_CPUS_MAX },
	[CANCELLED] = { "cancelled", SL_PARAM_REAL, NULL, "0..1",
		"share of jobs that are cancelled; default 0.09 (0.221, 0.075, 0.062)", 0, GEN_MICRO },
	[FAILED] = { "failed", SL_PARAM_REAL, NULL, "0..1",
		"share of jobs that fail; default 0.305 (0.155, 0.429, 0.397)", 0, GEN_MICRO },
	[RUN_COMPLETED] = { "run_completed", SL_PARAM_TIME, NULL, "1s..3650d",
		"mean run time of those that complete; default: as said above", SL_SECOND,
		INT64_C(3650) * 86400 * SL_SECOND },
	[RUN_CANCELLED] = { "run_cancelled", SL_PARAM_TIME, NULL, "1s..3650d",
		"mean run time of those that are cancelled", SL_SECOND, INT64_C(3650) * 86400 * SL_SECOND },
	[RUN_FAILED] = { "run_failed", SL_PARAM_TIME, NULL, "1s..3650d", "mean run time of those that fail",
		SL_SECOND, INT64_C(3650) * 86400 * SL_SECOND },
	[SIGMA] = { "sigma", SL_PARAM_REAL, "2", "0..5", "standard deviation of the run time's logarithm", 0,
		5 * GEN_MICRO },
	[RUN_BY_SIZE] = { "run_by_size", SL_PARAM_REAL, "0", "-2..2",
		"run times go with the number of GPUs to this power, those of one GPU as said",
		-2 * GEN_MICRO, 2 * GEN_MICRO },
};

/* Completed, cancelled, failed. */
static const struct {
	double run, size; /* Means. */
	double jobs[OUTCOMES], time[OUTCOMES];
} published[] = {
	{ 18006, 1.928, { .604, .090, .305 }, { .321, .294, .386 } }, /* Philly */
	{ 6652, 3.716, { .624, .221, .155 }, { .513, .394, .093 } },  /* Helios */
	{ 1414, 5.68, { .497, .075, .429 }, { .212, .664, .124 } },   /* Seren */
	{ 1260, 26.77, { .541, .062, .397 }, { .313, .607, .080 } },  /* Kalos */
};

struct numbers {
	int64_t outcome[OUTCOMES]; /* Weights. */
	double mu[OUTCOMES];       /* Of ln run. */
	int64_t size[DOUBLINGS_MAX];
	size_t sizes;
};

static double mean_size(double ratio, size_t sizes)
{
	double sum = 0;
	double weights = 0;
	double weight = 1;
	for (size_t i = 0; i < sizes; i++) {
		sum += weight * (double)((int64_t)1 << i);
		weights += weight;
		weight *= ratio;
	}
	return sum / weights;
}

/* The ratio of the geometric series whose mean is as wanted, by bisection. */
static int sizes_init(struct numbers *n, const struct gen_work *w, double mean, struct sl_err *err)
{
	const int32_t most = w->cpus < SIZE_DEFAULT ? w->cpus : SIZE_DEFAULT;
	const int64_t size_max = gen_given(w, SIZE_MOST) ? gen_number(w, SIZE_MOST) : most;
	if (size_max > w->cpus)
		return sl_fail(err, SL_USAGE, "'size_max' is above 'cpus': give less, or more cpus");
	n->sizes = 1;
	while (n->sizes < DOUBLINGS_MAX && (int64_t)1 << n->sizes <= size_max)
		n->sizes++;
	double low = 0;
	double high = 1e3;
	if (mean > (double)((int64_t)1 << (n->sizes - 1)))
		return sl_fail(err, SL_USAGE,
			"'size_mean' is above what 'size_max' allows, or 'cpus': give less, or more of these");
	for (int i = 0; i < 100; i++) {
		const double middle = (low + high) / 2;
		if (mean_size(middle, n->sizes) < mean)
			low = middle;
		else
			high = middle;
	}
	double total = 0;
	double weight = 1;
	for (size_t i = 0; i < n->sizes; i++) {
		total += weight;
		weight *= low;
	}
	weight = 1;
	for (size_t i = 0; i < n->sizes; i++) {
		n->size[i] = (int64_t)(weight / total * 1e12);
		weight *= low;
	}
	return SL_OK;
}

static int numbers_init(struct numbers *n, const struct gen_work *w, struct sl_err *err)
{
	const size_t which = (size_t)gen_number(w, CLUSTER);
	double share[OUTCOMES];
	memcpy(share, published[which].jobs, sizeof(share));
	if (gen_given(w, CANCELLED))
		share[1] = gen_real(w, CANCELLED);
	if (gen_given(w, FAILED))
		share[2] = gen_real(w, FAILED);
	share[0] = 1 - share[1] - share[2];
	if (share[0] < -1e-9) /* Two decimals that add up to 1 may be off by a last bit. */
		return sl_fail(err, SL_USAGE, "'cancelled' and 'failed' are more than all: give less");
	for (size_t i = 0; i < OUTCOMES; i++) {
		const double sigma = gen_real(w, SIGMA);
		const double run =
			gen_given(w, RUN_COMPLETED + i)
				? gen_real(w, RUN_COMPLETED + i)
				: published[which].run * published[which].time[i] / published[which].jobs[i];
		n->outcome[i] = (int64_t)(share[i] * 1e9);
		n->mu[i] = sl_ln(run) - sigma * sigma / 2;
	}
	const double mean = gen_given(w, SIZE_MEAN) ? gen_real(w, SIZE_MEAN) : published[which].size;
	return sizes_init(n, w, mean, err);
}

static int gpu_draw(struct gen_work *w, struct sl_err *err)
{
	static const enum sl_state state[OUTCOMES] = { SL_COMPLETED, SL_CANCELLED, SL_FAILED };
	struct numbers n = { .sizes = 0 };
	const int status = numbers_init(&n, w, err);
	if (status)
		return status;
	struct sl_rng size = gen_stream(w, "size");
	struct sl_rng outcome = gen_stream(w, "outcome");
	struct sl_rng run = gen_stream(w, "run");
	for (uint32_t i = 0; i < w->count; i++) {
		struct gen_job *job = &w->job[i];
		job->size = (int32_t)1 << gen_pick(&size, n.size, n.sizes);
		const size_t ends = gen_pick(&outcome, n.outcome, OUTCOMES);
		const double mu = n.mu[ends] + gen_real(w, RUN_BY_SIZE) * sl_ln(job->size);
		job->state = state[ends];
		job->run = gen_whole(gen_lognormal(&run, mu, gen_real(w, SIGMA)));
	}
	return SL_OK;
}

static int gpu_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	static const struct gen_kind kind = { .name = "gpu",
		.note = { "shares and means of how jobs end: the summary published with Hu and others, NSDI 2024",
			"their distributions, sizes and cycle: assumptions, or as given" },
		.gpus = true,
		.draw = gpu_draw };
	SL_CHECK(count == SL_LEN(params));
	return gen_make(&kind, values, seed, sink, err);
}

const struct sl_generator model_gpu = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "gpu",
	.summary =
		"a shared GPU cluster: how jobs end and how long they run, of Philly, Helios, Seren or Kalos",
	.paper =
		"shares and means: Q. Hu and others, \"Characterization of large language model development in the "
		"datacenter\", NSDI 2024; distributions are assumptions",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = gpu_generate,
};
