/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mixture.c - any sizes, and by size any mixture of run times: what a fit of a trace is generated from.
 *
 * No paper's: sizes are a table, run times a mixture of up to four lognormal, Weibull or gamma distributions
 * for each class of sizes, as `schedlab generate fit` finds them. What a trace has beyond that - jobs that
 * come again, users with habits, a load that changes by the month - is not in it: resample the trace for
 * that.
 */
#include "models/generators/generators.h"

enum { ITEMS_MAX = 512, CLASSES_MAX = 64, PARTS_MAX = 4 };
enum param { SIZES = GEN_OWN, FAMILY, RUNS };
enum family { LOGNORMAL, WEIBULL, GAMMA };

static const struct sl_param params[] = {
	GEN_PARAMS("256", "processors of the machine", "swf", "poisson", "10m"),
	[SIZES] = { "sizes", SL_PARAM_TEXT, "1:4+2:2+4:2+8:2+16:1+32:1", NULL,
		"SIZE:weight or FROM-TO:weight (log-uniform within), with + between them", 0, 0 },
	[FAMILY] = { "family", SL_PARAM_CHOICE, "lognormal", "lognormal|weibull|gamma", "of run times", 0,
		0 },
	[RUNS] = { "runs", SL_PARAM_TEXT, "1-10000000:0.5/5/1.5/0.5/8.5/1", NULL,
		"SIZES:weight/a/b, up to four times, with + between classes of sizes: lognormal: mean and "
		"standard deviation of ln seconds; others: shape, and scale in seconds",
		0, 0 },
};

struct runs {
	int64_t from, to;
	size_t count;
	int64_t weight[PARTS_MAX];
	double a[PARTS_MAX], b[PARTS_MAX];
};

static bool runs_of(struct runs *runs, const struct gen_item *item, enum family family)
{
	*runs = (struct runs){ .from = item->from, .to = item->to, .count = item->count / 3 };
	int64_t total = 0;
	for (size_t i = 0; i < runs->count; i++) {
		runs->weight[i] = item->number[3 * i];
		runs->a[i] = (double)item->number[3 * i + 1] / 1e6;
		runs->b[i] = (double)item->number[3 * i + 2] / 1e6;
		if (runs->weight[i] < 0 || runs->weight[i] > 1000000 * GEN_MICRO || runs->b[i] < 0 ||
			(family != LOGNORMAL && (runs->a[i] < 0.01 || runs->b[i] <= 0)))
			return false;
		total += runs->weight[i];
	}
	return item->count % 3 == 0 && total > 0;
}

static double run_drawn(const struct runs *runs, enum family family, struct sl_rng *which, struct sl_rng *rng)
{
	const size_t part = gen_pick(which, runs->weight, runs->count);
	const double a = runs->a[part];
	const double b = runs->b[part];
	if (family == LOGNORMAL)
		return gen_lognormal(rng, a, b);
	if (family == GAMMA)
		return gen_gamma(rng, a, b);
	const double x = gen_exponential(rng);
	return x > 0 ? b * sl_exp(sl_ln(x) / a < -600 ? -600 : sl_ln(x) / a < 100 ? sl_ln(x) / a : 100) : 0;
}

static int32_t size_drawn(const struct gen_item *item, struct sl_rng *rng)
{
	if (item->from == item->to)
		return (int32_t)item->from;
	/* Log-uniform: the number n takes what lies between ln n and ln (n + 1). */
	const double from = sl_ln((double)item->from);
	const double size = sl_exp(from + (sl_ln((double)item->to + 1) - from) * sl_rng_unit(rng));
	const int64_t whole = (int64_t)size;
	return (int32_t)(whole < item->from ? item->from : whole > item->to ? item->to : whole);
}

static int sizes_read(struct gen_item item[ITEMS_MAX], int64_t weight[ITEMS_MAX], size_t *count,
	const struct gen_work *w, struct sl_err *err)
{
	const char *wrong;
	*count = gen_items(w->values[SIZES].text, item, ITEMS_MAX, &wrong);
	if (!*count)
		return sl_fail(
			err, SL_USAGE, "'sizes': '%.40s' is none: give SIZE:weight or FROM-TO:weight", wrong);
	int64_t total = 0;
	for (size_t i = 0; i < *count; i++) {
		weight[i] = item[i].number[0];
		if (item[i].count != 1 || weight[i] < 0 || weight[i] > 1000000000 * GEN_MICRO)
			return sl_fail(err, SL_USAGE, "'sizes': each takes one weight, 0 or more");
		if (item[i].to > w->cpus)
			return sl_fail(err, SL_USAGE, "'sizes': %lld is above 'cpus'", (long long)item[i].to);
		total += weight[i];
	}
	return total ? SL_OK : sl_fail(err, SL_USAGE, "'sizes': one weight at least must be above 0");
}

static int runs_read(
	struct runs runs[CLASSES_MAX], size_t *count, const struct gen_work *w, struct sl_err *err)
{
	struct gen_item item[CLASSES_MAX];
	const char *wrong;
	*count = gen_items(w->values[RUNS].text, item, CLASSES_MAX, &wrong);
	if (!*count)
		return sl_fail(err, SL_USAGE, "'runs': '%.40s' is none: give SIZES:weight/a/b", wrong);
	for (size_t i = 0; i < *count; i++)
		if (!runs_of(&runs[i], &item[i], (enum family)gen_number(w, FAMILY)))
			return sl_fail(err, SL_USAGE,
				"'runs': the numbers of %lld-%lld: give weight/a/b up to four times, weights 0 or "
				"more, shapes and scales above 0",
				(long long)item[i].from, (long long)item[i].to);
	return SL_OK;
}

/* The first class that has the size; NULL: none. */
static const struct runs *runs_for(const struct runs *runs, size_t count, int32_t size)
{
	for (size_t i = 0; i < count; i++)
		if (size >= runs[i].from && size <= runs[i].to)
			return &runs[i];
	return NULL;
}

static int mixture_draw(struct gen_work *w, struct sl_err *err)
{
	struct gen_item item[ITEMS_MAX];
	int64_t weight[ITEMS_MAX];
	struct runs runs[CLASSES_MAX];
	size_t items;
	size_t classes;
	int status = sizes_read(item, weight, &items, w, err);
	if (!status)
		status = runs_read(runs, &classes, w, err);
	if (status)
		return status;
	struct sl_rng pick = gen_stream(w, "item");
	struct sl_rng size = gen_stream(w, "size");
	struct sl_rng part = gen_stream(w, "part");
	struct sl_rng run = gen_stream(w, "run");
	for (uint32_t i = 0; i < w->count; i++) {
		struct gen_job *job = &w->job[i];
		job->size = size_drawn(&item[gen_pick(&pick, weight, items)], &size);
		const struct runs *of = runs_for(runs, classes, job->size);
		if (!of)
			return sl_fail(err, SL_USAGE, "'runs' has no class for size %d: give one", job->size);
		job->run = gen_whole(run_drawn(of, (enum family)gen_number(w, FAMILY), &part, &run));
	}
	return SL_OK;
}

static int mixture_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	static const struct gen_kind kind = { .name = "mixture",
		.note = { "sizes by a table, run times by mixtures for classes of size: as given" },
		.draw = mixture_draw };
	SL_CHECK(count == SL_LEN(params));
	return gen_make(&kind, values, seed, sink, err);
}

const struct sl_generator model_mixture = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "mixture",
	.summary = "any sizes, and by size any mixture of run times: what 'generate fit' finds",
	.paper = "no paper's: the defaults are a toy",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = mixture_generate,
};
