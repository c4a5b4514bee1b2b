/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lublin.c - the workload of Lublin and Feitelson, with the user estimates of
 * Tsafrir, Etsion and Feitelson: parameters, users, load and rows.
 *
 * Rows come in submit order, times are whole seconds, and zero is a midnight.
 * No estimate is below its run time. The paper has no users: here each job's
 * is drawn by Zipf's law, whatever the job is, so that habits of a user are
 * not in this workload, and a predictor that lives on them finds none.
 */
#include "models/lublin/lublin.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Parameters ------------------------------------------------------------ */

enum { JOBS_MAX = 100000000, CPUS_MAX = 10000000, USERS_MAX = 1000000 };
enum param { JOBS, CPUS, LOAD, CLASSES, USERS, ZIPF, ESTIMATES, FACTOR, MAX_ESTIMATE, NUMBERS };
enum estimates { ESTIMATES_TSAFRIR, ESTIMATES_EXACT, ESTIMATES_F_MODEL };

#define MICRO INT64_C(1000000)

/* The model's own numbers are absent unless given; then they are every class's. Defaults are for one class
 * (batch, interactive). */
static const struct sl_param params[] = {
	[JOBS] = { "jobs", SL_PARAM_INT, "10000", "1..100000000", "how many jobs", 1, JOBS_MAX },
	[CPUS] = { "cpus", SL_PARAM_INT, "256", "1..10000000", "processors of the machine", 1, CPUS_MAX },
	[LOAD] = { "load", SL_PARAM_REAL, NULL, "0.0001..1000",
		"offered load, by scaling the submit times; default: as the model gives", 100, 1000 * MICRO },
	[CLASSES] = { "classes", SL_PARAM_CHOICE, "one", "one|two",
		"one: all jobs alike, two: batch and interactive", 0, 0 },
	[USERS] = { "users", SL_PARAM_INT, "64", "1..1000000", "how many users", 1, USERS_MAX },
	[ZIPF] = { "zipf", SL_PARAM_REAL, "1", "0..10",
		"the k-th user's share of the jobs goes with k to the minus this", 0, 10 * MICRO },
	[ESTIMATES] = { "estimates", SL_PARAM_CHOICE, "tsafrir", "tsafrir|exact|f-model",
		"what users ask for: JSSPP 2005's model, the run time, or run * (1 + U * (factor - 1))", 0,
		0 },
	[FACTOR] = { "factor", SL_PARAM_REAL, "5", "1..1000", "of the f-model; 1 is exact", MICRO,
		1000 * MICRO },
	[MAX_ESTIMATE] = { "max_estimate", SL_PARAM_TIME, "48h", "1h..365d",
		"no job asks for more, or runs longer", MICRO * 3600, MICRO * 86400 * 365 },
	[NUMBERS + LUBLIN_SERIAL_PROB] = { "serial_prob", SL_PARAM_REAL, NULL, "0..1",
		"share of jobs of one processor; default 0.244 (0.2927, 0.1541)", 0, MICRO },
	[NUMBERS + LUBLIN_POW2_PROB] = { "pow2_prob", SL_PARAM_REAL, NULL, "0..1",
		"share of larger powers of two; default 0.576 (0.6686, 0.625)", 0, MICRO },
	[NUMBERS + LUBLIN_ULOW] = { "ulow", SL_PARAM_REAL, NULL, "0..24",
		"log2 of the smallest parallel job; default 0.8 (1.2, 1)", 0, 24 * MICRO },
	[NUMBERS + LUBLIN_UMED] = { "umed", SL_PARAM_REAL, NULL, "0..24",
		"log2 of where large jobs begin; default log2(cpus) - 2.5 (- 2, - 4)", 0, 24 * MICRO },
	[NUMBERS + LUBLIN_UHI] = { "uhi", SL_PARAM_REAL, NULL, "0..24",
		"log2 of the largest job; default log2(cpus) (same, - 1.5)", 0, 24 * MICRO },
	[NUMBERS + LUBLIN_UPROB] = { "uprob", SL_PARAM_REAL, NULL, "0..1",
		"share of jobs below umed, of the parallel ones; default 0.86 (0.875, 0.705)", 0, MICRO },
	[NUMBERS + LUBLIN_A1] = { "a1", SL_PARAM_REAL, NULL, "0.01..10000",
		"shape of ln run, short jobs; default 4.2 (6.57, 3.8351)", MICRO / 100, 10000 * MICRO },
	[NUMBERS + LUBLIN_B1] = { "b1", SL_PARAM_REAL, NULL, "0.0001..100",
		"scale of ln run, short jobs; default 0.94 (0.823, 0.6605)", 100, 100 * MICRO },
	[NUMBERS + LUBLIN_A2] = { "a2", SL_PARAM_REAL, NULL, "0.01..10000",
		"shape of ln run, long jobs; default 312 (639.1, 7.073)", MICRO / 100, 10000 * MICRO },
	[NUMBERS + LUBLIN_B2] = { "b2", SL_PARAM_REAL, NULL, "0.0001..100",
		"scale of ln run, long jobs; default 0.03 (0.0156, 0.6856)", 100, 100 * MICRO },
	[NUMBERS + LUBLIN_PA] = { "pa", SL_PARAM_REAL, NULL, "-1..1",
		"odds of a short job are pa * size + pb; default -0.0054 (-0.003, -0.0118), meant for "
		"128 processors: scale it down with many more",
		-MICRO, MICRO },
	[NUMBERS + LUBLIN_PB] = { "pb", SL_PARAM_REAL, NULL, "-10..10",
		"see pa; default 0.78 (0.6986, 0.9156)", -10 * MICRO, 10 * MICRO },
	[NUMBERS + LUBLIN_AARR] = { "aarr", SL_PARAM_REAL, NULL, "0.01..10000",
		"shape of ln gap at the peak; default 10.2303 (6.0415, 6.551)", MICRO / 100, 10000 * MICRO },
	[NUMBERS + LUBLIN_BARR] = { "barr", SL_PARAM_REAL, NULL, "0.0001..100",
		"scale of ln gap; default 0.4871 (0.8531, 0.6621)", 100, 100 * MICRO },
	[NUMBERS + LUBLIN_ANUM] = { "anum", SL_PARAM_REAL, NULL, "0.01..10000",
		"shape of the daily cycle; default 8.1737 (6.1271, 8.9186)", MICRO / 100, 10000 * MICRO },
	[NUMBERS + LUBLIN_BNUM] = { "bnum", SL_PARAM_REAL, NULL, "0.0001..100",
		"scale of the daily cycle, half-hours; default 3.9631 (5.274, 3.668)", 100, 100 * MICRO },
	[NUMBERS + LUBLIN_ARAR] = { "arar", SL_PARAM_REAL, NULL, "0.01..100",
		"from the peak's gaps to the whole day's; default 1.0225 (1.0519, 0.9797)", MICRO / 100,
		100 * MICRO },
};

/* uhi and umed are here what is added to log2(cpus): the authors' are for 128 processors, log2 of which is 7.
 */
static const struct {
	const char *streams;
	int queue;
	double number[LUBLIN_NUMBER_COUNT];
} published[] = {
	{ "models/lublin", 0,
		{ 0.244, 0.576, 0.8, -2.5, 0, 0.86, 4.2, 0.94, 312, 0.03, -0.0054, 0.78, 10.2303, 0.4871,
			8.1737, 3.9631, 1.0225 } },
	{ "models/lublin/interactive", 0,
		{ 0.1541, 0.625, 1, -4, -1.5, 0.705, 3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156, 6.5510,
			0.6621, 8.9186, 3.6680, 0.9797 } },
	{ "models/lublin/batch", 1,
		{ 0.2927, 0.6686, 1.2, -2, 0, 0.875, 6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986, 6.0415,
			0.8531, 6.1271, 5.2740, 1.0519 } },
};

/* What one call makes. */
struct workload {
	uint32_t count;
	int32_t cpus;
	int32_t max_estimate; /* Seconds. */
	enum estimates estimates;
	struct lublin_class class[2];
	size_t class_count;
	sl_time *submit; /* Columns. */
	int32_t *run, *size, *estimate;
	uint8_t *of_class;
	uint32_t users;
	uint64_t *users_below; /* Cumulated weights. */
};

static const struct sl_value *given(const struct sl_value *values, size_t count, size_t param)
{
	const struct sl_value *value = sl_value_of(values, count, params[param].key);
	return value && value->text ? value : NULL;
}

static int64_t lublin_number_of(const struct sl_value *values, size_t count, enum param param)
{
	const struct sl_value *value = given(values, count, param);
	SL_CHECK(value); /* Those read so have a default. */
	return value->number;
}

/* log2 of a whole number, to the millionth, as one would give uhi. */
static double log2_of(int32_t n) { return floor(sl_ln(n) / 0x1.62e42fefa39efp-1 * 1e6 + 0.5) / 1e6; }

static int class_init(struct lublin_class *class, size_t which, const struct sl_value *values, size_t count,
	struct sl_err *err)
{
	const double log2_cpus = log2_of(class->cpus);
	double *number = class->number;
	bool own[LUBLIN_NUMBER_COUNT];
	for (size_t i = 0; i < LUBLIN_NUMBER_COUNT; i++) {
		const struct sl_value *value = given(values, count, NUMBERS + i);
		own[i] = !value;
		number[i] = value ? (double)value->number / 1e6 : published[which].number[i];
	}
	class->queue = published[which].queue;
	/* On a machine so small that the published numbers cross, they meet. */
	if (own[LUBLIN_UHI])
		number[LUBLIN_UHI] = fmax(0, number[LUBLIN_UHI] + log2_cpus);
	if (own[LUBLIN_ULOW])
		number[LUBLIN_ULOW] = fmin(number[LUBLIN_ULOW], number[LUBLIN_UHI]);
	if (own[LUBLIN_UMED])
		number[LUBLIN_UMED] =
			fmin(fmax(number[LUBLIN_UMED] + log2_cpus, number[LUBLIN_ULOW]), number[LUBLIN_UHI]);
	if (number[LUBLIN_UHI] > log2_cpus)
		return sl_fail(err, SL_USAGE, "'uhi' is larger than the machine: give at most log2(cpus)");
	if (number[LUBLIN_ULOW] > number[LUBLIN_UMED] || number[LUBLIN_UMED] > number[LUBLIN_UHI])
		return sl_fail(err, SL_USAGE,
			"'ulow', 'umed' and 'uhi' must not descend: give them in this order, at most log2(cpus)");
	return SL_OK;
}

/* ---- Columns ------------------------------------------------------------------ */

static int workload_init(
	struct workload *w, const struct sl_value *values, size_t count, uint64_t seed, struct sl_err *err)
{
	*w = (struct workload){ .count = (uint32_t)lublin_number_of(values, count, JOBS),
		.cpus = (int32_t)lublin_number_of(values, count, CPUS),
		.max_estimate = (int32_t)(lublin_number_of(values, count, MAX_ESTIMATE) / SL_SECOND),
		.estimates = (enum estimates)lublin_number_of(values, count, ESTIMATES),
		.users = (uint32_t)lublin_number_of(values, count, USERS) };

	const bool two = lublin_number_of(values, count, CLASSES) == 1;
	w->class_count = two ? 2 : 1;
	for (size_t i = 0; i < w->class_count; i++) {
		const size_t which = two ? i + 1 : 0;
		struct lublin_class *class = &w->class[i];
		class->cpus = w->cpus;
		int status = class_init(class, which, values, count, err);
		if (!status)
			status = lublin_class_init(class, seed, published[which].streams, err);
		if (status)
			return status;
	}

	w->submit = malloc(w->count * sizeof(*w->submit));
	w->run = malloc(w->count * sizeof(*w->run));
	w->size = malloc(w->count * sizeof(*w->size));
	w->estimate = malloc(w->count * sizeof(*w->estimate));
	w->of_class = malloc(w->count * sizeof(*w->of_class));
	w->users_below = malloc(w->users * sizeof(*w->users_below));
	if (!w->submit || !w->run || !w->size || !w->estimate || !w->of_class || !w->users_below)
		return sl_fail_memory(err);
	return SL_OK;
}

static void workload_release(struct workload *w)
{
	free(w->submit);
	free(w->run);
	free(w->size);
	free(w->estimate);
	free(w->of_class);
	free(w->users_below);
}

/* Each class has its own clock; the next job is that of the earlier one, interactive first. */
static void draw_jobs(struct workload *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const bool second = w->class_count == 2 && w->class[1].arrives < w->class[0].arrives;
		struct lublin_class *class = &w->class[second];
		w->of_class[i] = second;
		w->submit[i] = class->arrives;
		lublin_arrive(class);
		w->size[i] = lublin_size(class);
		const int32_t run = lublin_run(class, w->size[i]);
		w->run[i] = run < w->max_estimate ? run : w->max_estimate;
	}
}

static int draw_estimates(
	struct workload *w, const struct sl_value *values, size_t count, uint64_t seed, struct sl_err *err)
{
	switch (w->estimates) {
	case ESTIMATES_TSAFRIR:
		return lublin_tsafrir(w->estimate, w->run, w->count, w->max_estimate, seed, err);
	case ESTIMATES_F_MODEL: {
		struct sl_rng rng = sl_rng_stream(seed, "models/f-model");
		const double factor = (double)lublin_number_of(values, count, FACTOR) / 1e6;
		lublin_f_model(w->estimate, w->run, w->count, w->max_estimate, factor, &rng);
		return SL_OK;
	}
	case ESTIMATES_EXACT:
		break;
	}
	for (uint32_t i = 0; i < w->count; i++)
		w->estimate[i] = w->run[i];
	return SL_OK;
}

/* ---- Load ------------------------------------------------------------------------ */

static unsigned __int128 lublin_work_of(const struct workload *w)
{
	unsigned __int128 work = 0; /* Processor-seconds. */
	for (uint32_t i = 0; i < w->count; i++)
		work += (unsigned __int128)((int64_t)w->size[i] * w->run[i]);
	return work;
}

/* Offered load is work / (cpus * (last submit - first submit)): all submit times are scaled alike, and so
 * is the day. A null `load` leaves them. Then they become whole seconds, rounded half up. */
static int scale_submits(struct workload *w, const struct sl_value *load, struct sl_err *err)
{
	if (load) {
		const sl_time range = w->submit[w->count - 1] - w->submit[0];
		if (range <= 0)
			return sl_fail(err, SL_USAGE, "'load' needs a span: generate 2 jobs or more");
		const unsigned __int128 wanted = lublin_work_of(w) * (unsigned)SL_SECOND * (unsigned)MICRO /
						 (unsigned __int128)((int64_t)w->cpus * load->number);
		/* The first submit is scaled too, and may be longer than the interval of the few behind it.
		 */
		if (wanted / 4 * (unsigned __int128)(w->submit[w->count - 1] / range + 1) > INT64_MAX / 4)
			return sl_fail(err, SL_USAGE,
				"'load' of '%s' is too low: the last job would come "
				"after the end of time",
				load->text);
		for (uint32_t i = 0; i < w->count; i++)
			w->submit[i] = sl_mul_div(w->submit[i], (int64_t)wanted, range);
	}
	for (uint32_t i = 0; i < w->count; i++)
		w->submit[i] = (w->submit[i] + SL_SECOND / 2) / SL_SECOND * SL_SECOND;
	return SL_OK;
}

/* ---- Users ----------------------------------------------------------------------- */

static void users_init(struct workload *w, double zipf)
{
	uint64_t total = 0;
	for (uint32_t k = 0; k < w->users; k++) {
		const uint64_t weight = (uint64_t)(sl_exp(-zipf * sl_ln(k + 1)) * 0x1p40);
		total += weight ? weight : 1;
		w->users_below[k] = total;
	}
}

/* From 1, the most active first. */
static uint32_t user_drawn(const struct workload *w, struct sl_rng *rng)
{
	const uint64_t place = sl_rng_below(rng, w->users_below[w->users - 1]);
	uint32_t low = 0;
	uint32_t high = w->users - 1;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (w->users_below[middle] > place)
			high = middle;
		else
			low = middle + 1;
	}
	return low + 1;
}

/* ---- Rows -------------------------------------------------------------------------- */

struct header {
	const struct sl_sink *sink;
	struct sl_err *err;
	int status;
};

static void header_text(struct header *header, const char *key, const char *value)
{
	const struct sl_place at = { .file = "lublin" };
	if (!header->status && header->sink->header)
		header->status = header->sink->header(header->sink->self, key, value, &at, header->err);
}

static void header_number(struct header *header, const char *key, const char *before, int64_t micro)
{
	char text[64];
	char number[32];
	*sl_put_micro(number, micro) = '\0';
	(void)snprintf(text, sizeof(text), "%s%s", before, number);
	header_text(header, key, text);
}

static int emit_header(const struct workload *w, const struct sl_sink *sink, struct sl_err *err)
{
	static const char *const estimates[] = {
		[ESTIMATES_TSAFRIR] = "requested times: Tsafrir, Etsion, Feitelson, JSSPP 2005",
		[ESTIMATES_EXACT] = "requested times: the run times",
		[ESTIMATES_F_MODEL] =
			"requested times: the f-model of Mu'alem and Feitelson, TPDS 12(6), 2001",
	};
	struct header header = { sink, err, SL_OK };
	header_text(&header, "Version", "2.2");
	header_text(&header, "Computer", "synthetic");
	header_number(&header, "MaxJobs", "", w->count * MICRO);
	header_number(&header, "MaxRecords", "", w->count * MICRO);
	header_number(&header, "UnixStartTime", "", 0);
	header_number(&header, "MaxNodes", "", w->cpus * MICRO);
	header_number(&header, "MaxProcs", "", w->cpus * MICRO);
	header_number(&header, "MaxRuntime", "", w->max_estimate * MICRO);
	header_text(&header, "MaxQueues", w->class_count == 2 ? "2" : "1");
	header_text(&header, "Queue", w->class_count == 2 ? "0 interactive" : "0 all jobs");
	if (w->class_count == 2)
		header_text(&header, "Queue", "1 batch");
	header_text(&header, "Note", "sizes, run times, arrivals: Lublin and Feitelson, JPDC 63(11), 2003");
	header_text(&header, "Note", estimates[w->estimates]);
	header_text(&header, "Note", "users: Zipf's law, independent of all else");
	const sl_time range = w->submit[w->count - 1] - w->submit[0];
	const unsigned __int128 offered = (unsigned __int128)(range / SL_SECOND) * (uint32_t)w->cpus;
	if (offered > 0)
		header_number(&header, "Note", "offered load ",
			(int64_t)((2 * lublin_work_of(w) * (unsigned)MICRO + offered) / (2 * offered)));
	return header.status;
}

static int emit_jobs(const struct workload *w, uint64_t seed, const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_rng rng = sl_rng_stream(seed, "models/lublin/user");
	struct sl_row row = { .more = NULL };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE; /* Status, memory, what ran before: meaningless in a model. */
	for (uint32_t i = 0; i < w->count; i++) {
		row.line = i + 1;
		row.col[SL_COL_ID] = i + 1;
		row.col[SL_COL_SUBMIT] = w->submit[i];
		row.col[SL_COL_RUN] = w->run[i] * SL_SECOND;
		row.col[SL_COL_CPUS] = w->size[i];
		row.col[SL_COL_REQ_CPUS] = w->size[i];
		row.col[SL_COL_LIMIT] = w->estimate[i] * SL_SECOND;
		row.col[SL_COL_USER] = user_drawn(w, &rng);
		row.col[SL_COL_QUEUE] = w->class[w->of_class[i]].queue;
		const int status = sink->job(sink->self, &row, err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int lublin_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	/* Its default is to abort; idempotent, and the only thing shared. */
	gsl_set_error_handler_off();
	struct workload w;
	int status = workload_init(&w, values, count, seed, err);
	if (!status) {
		users_init(&w, (double)lublin_number_of(values, count, ZIPF) / 1e6);
		draw_jobs(&w);
		status = draw_estimates(&w, values, count, seed, err);
	}
	if (!status)
		status = scale_submits(&w, given(values, count, LOAD), err);
	if (!status)
		status = emit_header(&w, sink, err);
	if (!status)
		status = emit_jobs(&w, seed, sink, err);
	workload_release(&w);
	return status;
}

const struct sl_generator model_lublin = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "lublin",
	.summary = "rigid parallel jobs of a supercomputer, with a daily cycle and the estimates of users",
	.paper =
		"U. Lublin, D. G. Feitelson, \"The workload on parallel supercomputers: modeling the "
		"characteristics of rigid jobs\", JPDC 63(11), 2003; D. Tsafrir, Y. Etsion, D. G. Feitelson, "
		"\"Modeling user runtime estimates\", JSSPP 2005",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = lublin_generate,
};
