/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gavel.c - training jobs as Gavel's own simulator draws them.
 *
 * D. Narayanan, K. Santhanam, F. Kazhamiaka, A. Phanishayee, M. Zaharia, "Heterogeneity-aware cluster
 * scheduling policies for deep learning workloads", OSDI 2020, after the published code: 1, 2, 4 or 8 GPUs
 * with odds of 70, 10, 15 and 5 in a hundred; a duration in minutes of 10^U(1.5, 3) for 80 in a hundred, else
 * of 10^U(3, 4); Poisson arrivals. The duration is that on the fastest type of GPU. Which network is trained
 * is drawn uniformly here from the names given; the published table of throughputs has 26 configurations of
 * these seven, each with a batch size, and sizes that fit not all of them: what was left out is this.
 */
#include <math.h>
#include <string.h>

#include "models/generators/generators.h"

enum { MODELS_MAX = 64, NAMES_MAX = 4096, SCALES = 4 };
enum param { SCALE = GEN_OWN, LONG, FROM, MIDDLE, UNTIL, MODELS };

static const struct sl_param params[] = {
	GEN_PARAMS("108", "GPUs of the machine, for load", "table", "poisson", "15m"),
	[SCALE] = { "scale", SL_PARAM_TEXT, "0.7+0.1+0.15+0.05", NULL, "weights of 1, 2, 4 and 8 GPUs", 0,
		0 },
	[LONG] = { "long", SL_PARAM_REAL, "0.2", "0..1", "share of long jobs", 0, GEN_MICRO },
	[FROM] = { "from", SL_PARAM_REAL, "1.5", "-2..7", "log10 of the minutes that the shortest job runs",
		-2 * GEN_MICRO, 7 * GEN_MICRO },
	[MIDDLE] = { "middle", SL_PARAM_REAL, "3", "-2..7", "log10 of the minutes where long jobs begin",
		-2 * GEN_MICRO, 7 * GEN_MICRO },
	[UNTIL] = { "until", SL_PARAM_REAL, "4", "-2..7", "log10 of the minutes that the longest job runs",
		-2 * GEN_MICRO, 7 * GEN_MICRO },
	[MODELS] = { "models", SL_PARAM_TEXT,
		"ResNet-18+ResNet-50+Transformer+LM+Recommendation+A3C+CycleGAN", NULL,
		"names of what is trained, with + between them", 0, 0 },
};

static int gavel_check(const struct gen_work *w, int64_t scale[SCALES], struct sl_err *err)
{
	const char *text = w->values[SCALE].text;
	int64_t total = 0;
	bool good = gen_numbers(text, "+", scale, SCALES) == SCALES;
	for (size_t i = 0; i < SCALES && good; i++) {
		good = scale[i] >= 0 && scale[i] <= 1000000 * GEN_MICRO;
		total += scale[i];
	}
	if (!good || !total)
		return sl_fail(err, SL_USAGE, "'scale' of '%s': give four weights with + between them", text);
	for (size_t i = 0; i < SCALES; i++)
		if (scale[i] && 1 << i > w->cpus)
			return sl_fail(err, SL_USAGE,
				"'scale' has jobs of %d GPUs, 'cpus' is %d: give more cpus, or weights of 0",
				1 << i, w->cpus);
	if (gen_number(w, FROM) > gen_number(w, MIDDLE) || gen_number(w, MIDDLE) > gen_number(w, UNTIL))
		return sl_fail(err, SL_USAGE, "'from', 'middle' and 'until' must not descend");
	return SL_OK;
}

/* The names apart, in place. */
static size_t gavel_names_of(char *text, const char *name[MODELS_MAX])
{
	size_t count = 0;
	for (char *p = text; p; count++) {
		if (count == MODELS_MAX)
			return 0;
		name[count] = p;
		p = strchr(p, '+');
		if (p)
			*p++ = '\0';
		if (!*name[count])
			return 0;
	}
	return count;
}

static void draw_jobs(struct gen_work *w, const int64_t scale[SCALES], size_t models)
{
	struct sl_rng size = gen_stream(w, "size");
	struct sl_rng run = gen_stream(w, "run");
	struct sl_rng model = gen_stream(w, "model");
	for (uint32_t i = 0; i < w->count; i++) {
		struct gen_job *job = &w->job[i];
		job->size = 1 << gen_pick(&size, scale, SCALES);
		const bool is_long = sl_rng_unit(&run) < gen_real(w, LONG);
		const double from = gen_real(w, is_long ? MIDDLE : FROM);
		const double until = gen_real(w, is_long ? UNTIL : MIDDLE);
		job->run = gen_whole(60 * gen_pow10(from + (until - from) * sl_rng_unit(&run)));
		job->what = (uint32_t)sl_rng_below(&model, models);
	}
}

static int gavel_draw(struct gen_work *w, struct sl_err *err)
{
	int64_t scale[SCALES];
	const int status = gavel_check(w, scale, err);
	if (!status)
		draw_jobs(w, scale, (size_t)w->model_count);
	return status;
}

static int gavel_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	static const struct gen_kind kind = { .name = "gavel",
		.note = { "sizes, durations: Narayanan and others, OSDI 2020",
			"what is trained: uniform over the names, an assumption" },
		.gpus = true,
		.draw = gavel_draw };
	SL_CHECK(count == SL_LEN(params));
	char text[NAMES_MAX];
	const char *name[MODELS_MAX];
	const size_t len = strlen(values[MODELS].text);
	if (len >= sizeof(text))
		return sl_fail(err, SL_USAGE, "'models' is too long: give fewer names");
	memcpy(text, values[MODELS].text, len + 1);
	const size_t models = gavel_names_of(text, name);
	if (!models)
		return sl_fail(err, SL_USAGE, "'models' of '%s': give 1 to 64 names with + between them",
			values[MODELS].text);
	const struct gen_names names = { name, models };
	return gen_make_named(&kind, values, seed, &names, sink, err);
}

const struct sl_generator model_gavel = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "gavel",
	.summary = "training jobs on 1, 2, 4 or 8 GPUs for half an hour to a week, as Gavel draws them",
	.paper =
		"D. Narayanan, K. Santhanam, F. Kazhamiaka, A. Phanishayee, M. Zaharia, \"Heterogeneity-aware "
		"cluster scheduling policies for deep learning workloads\", OSDI 2020",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = gavel_generate,
};
