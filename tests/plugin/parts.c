/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - a plug-in with one of each: a reader, a generator and a metric, as small as they go.
 *
 * The format: a first line "toy CPUS", then a job a line, "submit run size".
 */
#include <string.h>

#include <schedlab/plugin.h>

/* Another name is given where a clash is wanted. */
#ifndef METRIC
#define METRIC "waited.jobs"
#endif

/* ---- A reader ---------------------------------------------------------------------- */

static int random_scenario_sniff(const char *text, size_t len)
{
	return len > 4 && memcmp(text, "toy ", 4) == 0 ? 100 : 0;
}

/* The next number of a line, which ends at `end`. */
static bool number(const char **p, const char *end, int64_t *value)
{
	while (*p < end && **p == ' ')
		++*p;
	const char *from = *p;
	while (*p < end && **p != ' ')
		++*p;
	return sl_get_i64(from, (size_t)(*p - from), value);
}

static int random_scenario_line(const char *p, const char *end, uint64_t line, const char *file,
	const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_row row = { .line = line };
	int64_t submit;
	int64_t run;
	int64_t size;
	const struct sl_place at = { file, line, 0 };
	if (line == 1) {
		char cpus[32] = "";
		const size_t len = (size_t)(end - p) - 4;
		memcpy(cpus, p + 4, len < sizeof(cpus) - 1 ? len : sizeof(cpus) - 1);
		return sink->header(sink->self, "MaxProcs", cpus, &at, err);
	}
	if (!number(&p, end, &submit) || !number(&p, end, &run) || !number(&p, end, &size))
		return sl_fail_at(err, &at, "not 'submit run size': write three whole numbers");
	for (int i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE;
	row.col[SL_COL_ID] = (int64_t)line - 1;
	row.col[SL_COL_SUBMIT] = submit * SL_SECOND;
	row.col[SL_COL_RUN] = row.col[SL_COL_LIMIT] = run * SL_SECOND;
	row.col[SL_COL_CPUS] = row.col[SL_COL_REQ_CPUS] = size;
	return sink->job(sink->self, &row, err);
}

static int random_scenario_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	uint64_t line = 0;
	int status;
	while ((status = sl_input_next(in, &text, &end, err)) == 1)
		while (text < end) {
			const char *newline = memchr(text, '\n', (size_t)(end - text));
			const char *stop = newline ? newline : end;
			status = random_scenario_line(text, stop, ++line, sl_input_name(in), sink, err);
			if (status)
				return status;
			text = stop + (newline != NULL);
		}
	return status;
}

static const struct sl_reader random_scenario = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "toy",
	.summary = "three numbers a line",
	.sniff = random_scenario_sniff,
	.read = random_scenario_read,
};

/* ---- A generator --------------------------------------------------------------------- */

static const struct sl_param even_params[] = {
	{ .key = "jobs", .kind = SL_PARAM_INT, .fallback = "10", .help = "how many", .min = 1, .max = 1000 },
	{ .key = "every", .kind = SL_PARAM_TIME, .fallback = "1m", .help = "between two submissions" },
};

static int even_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_rng rng = sl_rng_stream(seed, "even");
	const struct sl_place nowhere = { 0 };
	int status = sink->header(sink->self, "MaxProcs", "8", &nowhere, err);
	const int64_t jobs = sl_value_of(values, count, "jobs")->number;
	for (int64_t i = 0; i < jobs && !status; i++) {
		struct sl_row row = { .line = (uint64_t)i + 1 };
		for (int col = 0; col < SL_COL_COUNT; col++)
			row.col[col] = SL_NONE;
		row.col[SL_COL_ID] = i + 1;
		row.col[SL_COL_SUBMIT] = i * sl_value_of(values, count, "every")->number;
		row.col[SL_COL_RUN] = (int64_t)(1 + sl_rng_below(&rng, 600)) * SL_SECOND;
		row.col[SL_COL_CPUS] = (int64_t)(1 + sl_rng_below(&rng, 8));
		status = sink->job(sink->self, &row, err);
	}
	return status;
}

static const struct sl_generator even = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "even",
	.summary = "a job every so often",
	.params = even_params,
	.param_count = SL_LEN(even_params),
	.generate = even_generate,
};

/* ---- A metric --------------------------------------------------------------------------- */

static int waited_compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	(void)err;
	int64_t waited = 0;
	for (uint32_t i = 0; i < result->jobs->count; i++)
		waited += result->start[i] != SL_NONE && result->start[i] > result->jobs->submit[i];
	sl_metric_put(metrics, METRIC, waited * 1000000);
	return SL_OK;
}

static const struct sl_metric waited = {
	.abi = SL_ABI_OF(struct sl_metric),
	.name = "waited",
	.summary = "waited.jobs: jobs that did not start at their submission",
	.compute = waited_compute,
};

static const struct sl_reader *const readers[] = { &random_scenario, NULL };
static const struct sl_generator *const generators[] = { &even, NULL };
static const struct sl_metric *const metrics_own[] = { &waited, NULL };

SL_API const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "parts",
	.readers = readers,
	.generators = generators,
	.metrics = metrics_own,
};
