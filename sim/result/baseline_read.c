/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline_read.c - a baseline's file, checked as it is read: tables of keys, each with what takes its value.
 *
 * Where each value stands is found in one walk and kept by the address of cJSON's node. What a metric's
 * tolerance cannot mean (the better way bounded, a time of what is none) is an error here, before anything
 * runs.
 */
#include "sim/result/baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct baseline *to;
	struct tree tree;
	struct tree_span *span; /* By address, once sorted. */
	size_t span_count;
	struct baseline_case *item; /* Whose keys come. */
	struct baseline_metric *metric;
	size_t metrics; /* Of all cases. */
};

struct sl_place baseline_place(const struct baseline *baseline, size_t at)
{
	size_t low = 0;
	size_t high = baseline->line_count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (baseline->line[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	const size_t begins = baseline->line_count ? baseline->line[low] : 0;
	return (struct sl_place){ baseline->file, low + 1, (uint32_t)(at - begins + 1) };
}

size_t baseline_runs(const struct baseline_case *item)
{
	return item->trace.count > 1 ? item->trace.count : item->seed_count;
}

/* ---- Places ------------------------------------------------------------------------------ */

static void count_span(void *self, const struct tree_span *span)
{
	(void)span;
	++*(size_t *)self;
}

static void note_span(void *self, const struct tree_span *span)
{
	struct reading *in = self;
	in->span[in->span_count++] = *span;
}

static int by_address(const void *a, const void *b)
{
	const uintptr_t left = (uintptr_t)((const struct tree_span *)a)->value;
	const uintptr_t right = (uintptr_t)((const struct tree_span *)b)->value;
	return (left > right) - (left < right);
}

static struct baseline_span span_of(const struct reading *in, const cJSON *value)
{
	const struct tree_span key = { .value = value };
	const struct tree_span *found =
		bsearch(&key, in->span, in->span_count, sizeof(*in->span), by_address);
	SL_CHECK(found);
	return (struct baseline_span){ found->key, found->from, found->until };
}

static int note_places(struct reading *in, struct sl_err *err)
{
	size_t count = 0;
	tree_each(&in->tree, count_span, &count);
	in->span = calloc(count, sizeof(*in->span));
	if (!in->span)
		return sl_fail_memory(err);
	tree_each(&in->tree, note_span, in);
	qsort(in->span, in->span_count, sizeof(*in->span), by_address);
	return SL_OK;
}

static int note_lines(struct baseline *to, struct sl_err *err)
{
	size_t count = 1;
	for (size_t i = 0; i < to->len; i++)
		count += to->text[i] == '\n';
	size_t *line = sl_alloc(to->arena, count, sizeof(*line));
	if (!line)
		return sl_fail_memory(err);
	line[0] = 0;
	count = 1;
	for (size_t i = 0; i < to->len; i++)
		if (to->text[i] == '\n')
			line[count++] = i + 1;
	to->line = line;
	to->line_count = count;
	return SL_OK;
}

static int fail_at(const struct reading *in, size_t at, struct sl_err *err, const char *format, ...)
	SL_PRINTF(4, 5);
static int fail_at(const struct reading *in, size_t at, struct sl_err *err, const char *format, ...)
{
	char text[700];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct sl_place place = baseline_place(in->to, at);
	return sl_fail_at(err, &place, "%s", text);
}

static int fail_value(const struct reading *in, const cJSON *value, const char *wanted, struct sl_err *err)
{
	return fail_at(in, span_of(in, value).from, err, "%s%s%s is not %s", value->string ? "'" : "",
		value->string ? value->string : "this", value->string ? "'" : "", wanted);
}

/* ---- Objects ------------------------------------------------------------------------------ */

struct key {
	const char *name;
	int (*take)(struct reading *in, const cJSON *value, struct sl_err *err);
	bool found; /* It does not say what is run, but what came of it. */
};

enum { KEYS_MAX = 32 };

static int fail_key(const struct reading *in, const cJSON *value, const char *what, const struct key *key,
	size_t count, struct sl_err *err)
{
	const char *known[KEYS_MAX + 1] = { NULL };
	for (size_t i = 0; i < count; i++)
		known[i] = key[i].name;
	const char *near = sl_nearest(value->string, known);
	return fail_at(in, span_of(in, value).key, err,
		"'%.60s' is no key of %s: %s%s%s; what people are told goes into 'comment'", value->string,
		what, near ? "did you mean '" : "see schedlab-baseline(5)", near ? near : "",
		near ? "'?" : "");
}

/* Each key once, none that is not in the table. */
static int take_object(struct reading *in, const cJSON *object, const char *what, const struct key *key,
	size_t count, struct sl_err *err)
{
	const cJSON *value;
	uint64_t seen = 0;
	SL_CHECK(count <= KEYS_MAX);
	if (!cJSON_IsObject(object))
		return fail_value(in, object, "an object, in { }", err);
	cJSON_ArrayForEach(value, object)
	{
		size_t i = 0;
		while (i < count && strcmp(key[i].name, value->string) != 0)
			i++;
		if (i == count)
			return fail_key(in, value, what, key, count, err);
		if (seen >> i & 1)
			return fail_at(in, span_of(in, value).key, err,
				"'%s' is there twice in %s: leave one", value->string, what);
		seen |= UINT64_C(1) << i;
		const int status = key[i].take(in, value, err);
		if (status)
			return status;
		if (in->item && !in->metric && !key[i].found)
			in->item->input_end = span_of(in, value).until;
	}
	return SL_OK;
}

static int take_comment(struct reading *in, const cJSON *value, struct sl_err *err)
{
	(void)in;
	(void)value;
	(void)err;
	return SL_OK;
}

static int take_line(struct reading *in, const cJSON *value, const char **text, struct sl_err *err)
{
	const int status = tree_text(&in->tree, value, in->to->arena, text, err);
	if (status)
		return status;
	for (const char *p = *text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return fail_value(in, value, "a text without control characters", err);
	return **text ? SL_OK : fail_value(in, value, "a text: it is empty", err);
}

/* One text, or a list of them. */
static int take_texts(
	struct reading *in, const cJSON *value, struct baseline_texts *texts, size_t most, struct sl_err *err)
{
	size_t count = 1;
	const bool list = cJSON_IsArray(value);
	const int status = list ? tree_count(&in->tree, value, most, &count, err) : SL_OK;
	if (status)
		return status;
	texts->span = span_of(in, value);
	texts->text = sl_alloc(in->to->arena, count + 1, sizeof(*texts->text));
	if (!texts->text)
		return sl_fail_memory(err);
	if (!list) {
		texts->count = 1;
		return take_line(in, value, &texts->text[0], err);
	}
	const cJSON *item;
	cJSON_ArrayForEach(item, value)
	{
		const int failed = take_line(in, item, &texts->text[texts->count++], err);
		if (failed)
			return failed;
	}
	return count ? SL_OK : fail_value(in, value, "a list with anything in it", err);
}

static int take_digest_list(struct reading *in, const cJSON *value, struct baseline_digests *digests,
	size_t most, struct sl_err *err)
{
	size_t count = 1;
	const bool list = cJSON_IsArray(value);
	const int status = list ? tree_count(&in->tree, value, most, &count, err) : SL_OK;
	if (status)
		return status;
	digests->span = span_of(in, value);
	digests->digest = sl_alloc(in->to->arena, count + 1, sizeof(*digests->digest));
	if (!digests->digest)
		return sl_fail_memory(err);
	digests->count = count;
	if (!list)
		return tree_hex(&in->tree, value, &digests->digest[0], err);
	const cJSON *item;
	uint64_t *to = digests->digest;
	cJSON_ArrayForEach(item, value)
	{
		const int failed = tree_hex(&in->tree, item, to++, err);
		if (failed)
			return failed;
	}
	return SL_OK;
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static const struct metric_known knowns[] = {
	{ "wait.", "s", -1 },
	{ "wait_total.", "s", -1 },
	{ "turnaround.", "s", -1 },
	{ "slowdown.", "", -1 },
	{ "bounded_slowdown.", "", -1 },
	{ "per_cpu_bounded_slowdown.", "", -1 },
	{ "jobs.completed", "count", 1 },
	{ "jobs.preempted", "count", -1 },
	{ "jobs.", "count", 0 },
	{ "preemptions", "count", -1 },
	{ "work.", "cpu-s", -1 },
	{ "suspended.", "s", -1 },
	{ "utilization", "share", 1 },
	{ "warmup", "s", 0 },
	{ "makespan", "s", -1 },
	{ "throughput", "per hour", 1 },
	{ "loss_of_capacity", "share", -1 },
	{ "gpu_hours.active", "h", 1 },
	{ "gpu_hours.idle", "h", -1 },
	{ "gpu_hours.", "h", 0 },
	{ "queue.", "count", -1 },
	{ "backlog.", "cpu-s", -1 },
	{ "fill.allocated", "", 1 },
	{ "fill.fragmented", "", -1 },
	{ "calibration.wait.", "s", 0 },
	{ "calibration.eligible.", "s", 0 },
	{ "calibration.last.", "s", 0 },
	{ "jain.", "share", 1 },
	{ "cpu_seconds", "cpu-s", 0 },
	{ "gpu_seconds", "", 0 },
};

const struct metric_known *metric_known(const char *name)
{
	for (size_t i = 0; i < SL_LEN(knowns); i++)
		if (strncmp(name, knowns[i].begins, strlen(knowns[i].begins)) == 0)
			return &knowns[i];
	return NULL;
}

static int take_value(struct reading *in, const cJSON *value, struct sl_err *err)
{
	in->metric->value = span_of(in, value);
	in->metric->has_value = !cJSON_IsNull(value);
	if (!cJSON_IsNumber(value) && in->metric->has_value)
		return fail_value(in, value, "a number", err);
	return in->metric->has_value ? tree_micro(&in->tree, value, &in->metric->value_micro, err) : SL_OK;
}

static int take_values(struct reading *in, const cJSON *value, struct sl_err *err)
{
	struct baseline_metric *metric = in->metric;
	const cJSON *item;
	const int status = tree_count(&in->tree, value, BASELINE_FAMILY_MAX, &metric->each_count, err);
	if (status)
		return status;
	metric->each_span = span_of(in, value);
	metric->each = sl_alloc(in->to->arena, metric->each_count + 1, sizeof(*metric->each));
	if (!metric->each)
		return sl_fail_memory(err);
	int64_t *to = metric->each;
	cJSON_ArrayForEach(item, value)
	{
		const int failed = tree_micro(&in->tree, item, to++, err);
		if (failed)
			return failed;
	}
	return SL_OK;
}

static int take_better(struct reading *in, const cJSON *value, struct sl_err *err)
{
	static const char *const word[] = { "lower", "neither", "higher" };
	for (int i = 0; i < 3; i++)
		if (cJSON_IsString(value) && strcmp(value->valuestring, word[i]) == 0) {
			in->metric->better = i - 1;
			return SL_OK;
		}
	return fail_value(in, value, "'lower', 'higher' or 'neither'", err);
}

static int take_tol(struct reading *in, const cJSON *value, struct sl_err *err)
{
	struct tol_wrong wrong;
	const int status = take_line(in, value, &in->metric->tol_text, err);
	if (status)
		return status;
	if (tolerance_parse(&in->metric->tol, in->metric->tol_text, &wrong))
		return SL_OK;
	return fail_at(in, span_of(in, value).from + 1 + wrong.at, err,
		"the tolerance '%.60s' is none: %s; schedlab-baseline(5) has the forms", in->metric->tol_text,
		wrong.why);
}

static int take_test(struct reading *in, const cJSON *value, struct sl_err *err)
{
	in->metric->wilcoxon = cJSON_IsString(value) && strcmp(value->valuestring, "wilcoxon") == 0;
	return in->metric->wilcoxon ? SL_OK : fail_value(in, value, "'wilcoxon', the one test there is", err);
}

static int take_alpha(struct reading *in, const cJSON *value, struct sl_err *err)
{
	in->metric->alpha = cJSON_IsNumber(value) ? value->valuedouble : 0;
	return in->metric->alpha >= 0.0001 && in->metric->alpha <= 0.2
		       ? SL_OK
		       : fail_value(in, value, "a number from 0.0001 to 0.2", err);
}

/* {key=*} at the end, or any star: then it is of this form alone. */
static bool is_many(const char *name, bool *good)
{
	const char *star = strchr(name, '*');
	const size_t len = strlen(name);
	*good = !star || (len > 4 && strcmp(name + len - 3, "=*}") == 0 && star == name + len - 2 &&
				 strchr(name, '{'));
	return star != NULL;
}

/* Enough runs that the least p there can be is not above alpha: 2 / 2^n. */
static unsigned runs_needed(double alpha)
{
	unsigned runs = 1;
	while (ldexp(1, 1 - (int)runs) > alpha)
		runs++;
	return runs;
}

static int check_family(const struct reading *in, const struct baseline_metric *metric, struct sl_err *err)
{
	const size_t runs = baseline_runs(in->item);
	if (metric->many && runs > 1)
		return fail_at(in, metric->span.key, err, "'%.60s' stands for several: in a family name each",
			metric->name);
	if (metric->each_count && metric->each_count != runs)
		return fail_at(in, metric->each_span.from, err,
			"'values' has %zu numbers and the case %zu runs: write them anew by 'schedlab check --update'",
			metric->each_count, runs);
	if (metric->wilcoxon && runs < runs_needed(metric->alpha))
		return fail_at(in, metric->span.key, err,
			"a Wilcoxon test at alpha %g needs at least %u runs, and the case has %zu: with fewer no shift is significant; take more seeds or traces",
			metric->alpha, runs_needed(metric->alpha), runs);
	return SL_OK;
}

static int check_metric(const struct reading *in, const struct baseline_metric *metric, struct sl_err *err)
{
	const struct metric_known *known = metric_known(metric->name);
	const char *unit = known ? known->unit : "s";
	bool good = true;
	if (is_many(metric->name, &good) && !good)
		return fail_at(in, metric->span.key, err,
			"'%.60s': a star stands for all values of one key, at the end: 'wait.p95{user=*}'",
			metric->name);
	if (metric->many && tolerance_relative(&metric->tol))
		return fail_at(in, metric->span.key, err,
			"'%.60s' stands for several, of which no value is kept: give a range or a bound, as '<= 4h'",
			metric->name);
	if (tolerance_backward(&metric->tol, metric->better))
		return fail_at(in, metric->span.key, err,
			"the tolerance '%.60s' bounds '%.60s' where it gets better: write '%s' for the worse way, or '±' for both",
			metric->tol_text, metric->name, metric->better > 0 ? "-" : "+");
	if (tolerance_timed(&metric->tol) && strcmp(unit, "s") != 0)
		return fail_at(in, metric->span.key, err,
			"the tolerance '%.60s' names a time, and '%.60s' is none: give a bare number",
			metric->tol_text, metric->name);
	return check_family(in, metric, err);
}

static int take_metric(struct reading *in, const cJSON *value, struct sl_err *err)
{
	static const struct key keys[] = {
		{ "value", take_value, false },
		{ "values", take_values, false },
		{ "unit", take_comment, false },
		{ "better", take_better, false },
		{ "tol", take_tol, false },
		{ "test", take_test, false },
		{ "alpha", take_alpha, false },
		{ "comment", take_comment, false },
	};
	struct baseline_metric *metric = &in->item->metric[in->item->metric_count];
	const struct metric_known *known = metric_known(value->string);
	struct tol_wrong wrong;
	bool good = true;
	*metric = (struct baseline_metric){ .span = span_of(in, value),
		.better = known ? known->better : 0,
		.tol_text = "=",
		.alpha = 0.05,
		.name = sl_strdup(in->to->arena, value->string, strlen(value->string)) };
	if (!metric->name)
		return sl_fail_memory(err);
	if (!*metric->name)
		return fail_at(in, metric->span.key, err,
			"a metric without a name: 'schedlab run --json' shows them");
	(void)tolerance_parse(&metric->tol, metric->tol_text, &wrong);
	metric->many = is_many(metric->name, &good);
	metric->empty = !value->child;
	in->metric = metric;
	int status = take_object(in, value, "a metric", keys, SL_LEN(keys), err);
	in->metric = NULL;
	if (!status && !metric->better && !known)
		metric->better = tolerance_better(&metric->tol);
	in->item->metric_count++;
	return status;
}

struct named {
	const struct baseline_metric *is;
};

static int name_compare(const void *a, const void *b)
{
	const struct baseline_metric *left = ((const struct named *)a)->is;
	const struct baseline_metric *right = ((const struct named *)b)->is;
	const int order = strcmp(left->name, right->name);
	return order ? order : (left > right) - (left < right);
}

static int check_twice(const struct reading *in, struct sl_err *err)
{
	const struct baseline_case *item = in->item;
	struct named *sorted = calloc(item->metric_count + 1, sizeof(*sorted));
	int status = SL_OK;
	if (!sorted)
		return sl_fail_memory(err);
	for (size_t i = 0; i < item->metric_count; i++)
		sorted[i].is = &item->metric[i];
	qsort(sorted, item->metric_count, sizeof(*sorted), name_compare);
	for (size_t i = 1; i < item->metric_count && !status; i++)
		if (strcmp(sorted[i - 1].is->name, sorted[i].is->name) == 0)
			status = fail_at(in, sorted[i].is->span.key, err,
				"'%.60s' is there twice in the metrics: leave one", sorted[i].is->name);
	free(sorted);
	return status;
}

static int take_metrics(struct reading *in, const cJSON *value, struct sl_err *err)
{
	const cJSON *item;
	size_t count = 0;
	if (!cJSON_IsObject(value))
		return fail_value(in, value, "an object of metrics, in { }", err);
	in->item->metrics_span = span_of(in, value);
	cJSON_ArrayForEach(item, value) count++;
	in->metrics += count;
	if (in->metrics > BASELINE_METRICS_MAX)
		return fail_value(in, value, "as short as it must be: 100000 metrics in all", err);
	in->item->metric = sl_alloc(in->to->arena, count + 1, sizeof(*in->item->metric));
	if (!in->item->metric)
		return sl_fail_memory(err);
	int status = SL_OK;
	cJSON_ArrayForEach(item, value) { status = status ? status : take_metric(in, item, err); }
	return status ? status : check_twice(in, err);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

#define LINE_KEY(target)                                                                     \
	static int take_##target(struct reading *in, const cJSON *value, struct sl_err *err) \
	{                                                                                    \
		return take_line(in, value, &in->item->target, err);                         \
	}
#define SPAN_KEY(target)                                                                     \
	static int take_##target(struct reading *in, const cJSON *value, struct sl_err *err) \
	{                                                                                    \
		in->item->target##_span = span_of(in, value);                                \
		return take_line(in, value, &in->item->target, err);                         \
	}
#define LIST_KEY(target, most)                                                               \
	static int take_##target(struct reading *in, const cJSON *value, struct sl_err *err) \
	{                                                                                    \
		return take_texts(in, value, &in->item->target, most, err);                  \
	}
SPAN_KEY(id)
SPAN_KEY(generate)
SPAN_KEY(cluster)
SPAN_KEY(policy)
LINE_KEY(from)
LINE_KEY(to)
LINE_KEY(tz)
LIST_KEY(set, BASELINE_SETTINGS_MAX)
LIST_KEY(trace_sha256, BASELINE_FAMILY_MAX)
LIST_KEY(cluster_sha256, 1)
LIST_KEY(cluster_read, 1)
LIST_KEY(side_sha256, BASELINE_SETTINGS_MAX)

static int take_trace(struct reading *in, const cJSON *value, struct sl_err *err)
{
	if (in->item->trace.count)
		return fail_value(in, value, "wanted beside the other: give 'trace' or 'family'", err);
	return cJSON_IsString(value) ? take_texts(in, value, &in->item->trace, 1, err)
				     : fail_value(in, value, "a path; several go into 'family'", err);
}

static int take_family(struct reading *in, const cJSON *value, struct sl_err *err)
{
	if (in->item->trace.count)
		return fail_value(in, value, "wanted beside the other: give 'trace' or 'family'", err);
	return cJSON_IsArray(value)
		       ? take_texts(in, value, &in->item->trace, BASELINE_FAMILY_MAX, err)
		       : fail_value(in, value, "a list of paths; a single one goes into 'trace'", err);
}

static int take_jobs(struct reading *in, const cJSON *value, struct sl_err *err)
{
	int64_t jobs = 0;
	const int status = tree_i64(&in->tree, value, 0, &jobs, err);
	in->item->jobs_max = (uint64_t)jobs;
	return status || (jobs > 0 && jobs < UINT32_MAX)
		       ? status
		       : fail_value(in, value, "a number of jobs, from 1 on", err);
}

static int take_exact(struct reading *in, const cJSON *value, struct sl_err *err)
{
	in->item->exact = cJSON_IsTrue(value);
	return cJSON_IsBool(value) ? SL_OK : fail_value(in, value, "true or false", err);
}

static int seeds_room(struct reading *in, size_t count, struct sl_err *err)
{
	in->item->seed = sl_alloc(in->to->arena, count, sizeof(*in->item->seed));
	in->item->seed_count = 0;
	return in->item->seed ? SL_OK : sl_fail_memory(err);
}

static int take_seed(struct reading *in, const cJSON *value, struct sl_err *err)
{
	int64_t seed = 0;
	int status = in->item->seed ? fail_value(in, value, "wanted beside 'seeds'", err)
				    : tree_i64(&in->tree, value, 0, &seed, err);
	if (!status)
		status = seeds_room(in, 1, err);
	if (!status)
		in->item->seed[in->item->seed_count++] = (uint64_t)seed;
	return status;
}

/* "1..20" */
static int take_seed_range(struct reading *in, const cJSON *value, struct sl_err *err)
{
	static const char wanted[] = "a range of seeds as \"1..20\", or a list of them";
	const char *text = value->valuestring;
	const char *dots = strstr(text, "..");
	int64_t from;
	int64_t to;
	if (!dots || !sl_get_i64(text, (size_t)(dots - text), &from) || from < 0 ||
		!sl_get_i64(dots + 2, strlen(dots + 2), &to) || to < from || to - from >= BASELINE_FAMILY_MAX)
		return fail_value(in, value, wanted, err);
	const int status = seeds_room(in, (size_t)(to - from + 1), err);
	for (int64_t i = 0; !status && i <= to - from; i++)
		in->item->seed[in->item->seed_count++] = (uint64_t)(from + i);
	return status;
}

static int take_seeds(struct reading *in, const cJSON *value, struct sl_err *err)
{
	if (in->item->seed)
		return fail_value(in, value, "wanted beside 'seed'", err);
	if (cJSON_IsString(value))
		return take_seed_range(in, value, err);
	size_t count = 0;
	const cJSON *item;
	int status = tree_count(&in->tree, value, BASELINE_FAMILY_MAX, &count, err);
	if (!status && !count)
		status = fail_value(in, value, "a list with anything in it", err);
	if (!status)
		status = seeds_room(in, count, err);
	cJSON_ArrayForEach(item, value)
	{
		int64_t seed = 0;
		status = status ? status : tree_i64(&in->tree, item, 0, &seed, err);
		if (!status)
			in->item->seed[in->item->seed_count++] = (uint64_t)seed;
	}
	return status;
}

static int take_result(struct reading *in, const cJSON *value, struct sl_err *err)
{
	return take_digest_list(in, value, &in->item->result, BASELINE_FAMILY_MAX, err);
}

static int take_digests(struct reading *in, const cJSON *value, struct sl_err *err)
{
	return take_digest_list(in, value, &in->item->digests, BASELINE_DIGESTS_MAX, err);
}

static const char *const count_names[] = { [COUNT_TOTAL] = "total",
	[COUNT_LEFT_OUT] = "left_out",
	[COUNT_REFUSED] = "refused",
	[COUNT_NEVER_STARTED] = "never_started",
	[COUNT_STARTED] = "started",
	[COUNT_COMPLETED] = "completed",
	[COUNT_CUT] = "cut",
	[COUNT_LOST] = "lost",
	[COUNT_UNFINISHED] = "unfinished" };

const char *baseline_count_name(enum baseline_count which) { return count_names[which]; }

static int take_count(struct reading *in, const cJSON *value, struct sl_err *err)
{
	const int64_t most = INT64_C(1000000000000);
	size_t i = 0;
	int64_t count = 0;
	while (strcmp(count_names[i], value->string) != 0)
		i++; /* Its key is one of them. */
	const int status = tree_i64(&in->tree, value, 0, &count, err);
	in->item->counts.count[i] = count;
	return status || count <= most ? status : fail_value(in, value, "a number of jobs", err);
}

/* What is not there is 0. */
static int take_counts(struct reading *in, const cJSON *value, struct sl_err *err)
{
	struct key keys[BASELINE_COUNTS];
	for (size_t i = 0; i < BASELINE_COUNTS; i++)
		keys[i] = (struct key){ count_names[i], take_count, true };
	in->item->counts.span = span_of(in, value);
	return take_object(in, value, "the counts", keys, BASELINE_COUNTS, err);
}

static int by_seed(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a;
	const uint64_t right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A run that stands twice would count as two samples. */
static int check_alike(struct reading *in, struct sl_err *err)
{
	const struct baseline_case *item = in->item;
	const bool traces = item->trace.count > 1;
	const size_t count = baseline_runs(item);
	const size_t size = traces ? sizeof(*item->trace.text) : sizeof(*item->seed);
	int (*const compare)(const void *a, const void *b) = traces ? by_text : by_seed;
	char *sorted = sl_alloc(in->to->arena, count, size);
	bool twice = false;
	if (!sorted)
		return sl_fail_memory(err);
	memcpy(sorted, traces ? (const void *)item->trace.text : item->seed, count * size);
	qsort(sorted, count, size, compare);
	for (size_t i = 1; i < count && !twice; i++)
		twice = compare(sorted + (i - 1) * size, sorted + i * size) == 0;
	return twice ? fail_at(in, item->span.from, err,
			       "case '%.60s' has the same %s twice, which is one run and no two: leave one",
			       item->id, traces ? "trace" : "seed")
		     : SL_OK;
}

/* What makes sense only once all keys are there. */
static int check_case(struct reading *in, struct sl_err *err)
{
	struct baseline_case *item = in->item;
	const size_t at = item->span.from;
	if (!item->id)
		return fail_at(in, at, err, "a case has no 'id': give it a name of its own");
	if (!item->trace.count && !item->generate)
		return fail_at(in, at, err,
			"case '%.60s' has no 'trace', no 'family' and no 'generate': give one", item->id);
	if (item->trace.count && item->generate)
		return fail_at(in, item->generate_span.key, err,
			"case '%.60s' has traces and 'generate': give one of the two", item->id);
	if (item->trace.count > 1 && item->seed_count > 1)
		return fail_at(in, at, err,
			"case '%.60s' has a family of traces and several seeds: give one of the two",
			item->id);
	if (!item->seed_count) {
		const int status = seeds_room(in, 1, err);
		if (status)
			return status;
		item->seed[item->seed_count++] = 1;
	}
	if (item->result.count && item->result.count != baseline_runs(item))
		return fail_at(in, item->result.span.from, err,
			"'result' has %zu digests and the case %zu runs: write them anew by 'schedlab check --update'",
			item->result.count, baseline_runs(item));
	int status = check_alike(in, err);
	for (size_t i = 0; i < item->metric_count && !status; i++)
		status = check_metric(in, &item->metric[i], err);
	return status;
}

static int take_case(struct reading *in, const cJSON *value, struct sl_err *err)
{
	static const struct key keys[] = {
		{ "id", take_id, false },
		{ "comment", take_comment, false },
		{ "trace", take_trace, false },
		{ "family", take_family, false },
		{ "generate", take_generate, false },
		{ "cluster", take_cluster, false },
		{ "policy", take_policy, false },
		{ "set", take_set, false },
		{ "seed", take_seed, false },
		{ "seeds", take_seeds, false },
		{ "jobs", take_jobs, false },
		{ "from", take_from, false },
		{ "to", take_to, false },
		{ "tz", take_tz, false },
		{ "exact", take_exact, false },
		{ "trace_sha256", take_trace_sha256, true },
		{ "cluster_sha256", take_cluster_sha256, true },
		{ "cluster_read", take_cluster_read, true },
		{ "side_sha256", take_side_sha256, true },
		{ "result", take_result, true },
		{ "digests", take_digests, true },
		{ "counts", take_counts, true },
		{ "metrics", take_metrics, true },
	};
	in->item = &in->to->item[in->to->count++];
	*in->item = (struct baseline_case){ .policy = "easy", .span = span_of(in, value) };
	in->metric = NULL;
	int status = take_object(in, value, "a case", keys, SL_LEN(keys), err);
	if (!status)
		status = check_case(in, err);
	for (size_t i = 0; !status && i + 1 < in->to->count; i++)
		if (strcmp(in->to->item[i].id, in->item->id) == 0)
			status = fail_at(in, in->item->id_span.from, err,
				"case '%.60s' is there twice: give each an id of its own", in->item->id);
	in->item = NULL;
	return status;
}

static int take_cases(struct reading *in, const cJSON *value, struct sl_err *err)
{
	size_t count = 0;
	const cJSON *item;
	int status = tree_count(&in->tree, value, BASELINE_CASES_MAX, &count, err);
	if (status)
		return status;
	if (!count)
		return fail_value(in, value, "a list with a case in it", err);
	in->to->item = sl_alloc(in->to->arena, count, sizeof(*in->to->item));
	if (!in->to->item)
		return sl_fail_memory(err);
	cJSON_ArrayForEach(item, value) { status = status ? status : take_case(in, item, err); }
	return status;
}

static int take_schema(struct reading *in, const cJSON *value, struct sl_err *err)
{
	if (cJSON_IsString(value) && strcmp(value->valuestring, BASELINE_SCHEMA) == 0)
		return SL_OK;
	return fail_at(in, span_of(in, value).from, err,
		"'%.60s' is not what this schedlab reads, which is '%s': make the baseline again",
		cJSON_IsString(value) ? value->valuestring : "this", BASELINE_SCHEMA);
}

/* "1.12" is 1 012 000; false: it is no version. */
static bool version_of(const char **text, int64_t *version)
{
	*version = 0;
	for (int part = 0; part < 3; part++) {
		const size_t len = strspn(*text, "0123456789");
		int64_t number = 0;
		if (len > 3 || (part == 0 && !len) || (len && !sl_get_i64(*text, len, &number)))
			return false;
		*version = *version * 1000 + number;
		*text += len;
		if (part < 2 && **text == '.')
			++*text;
	}
	return !**text || **text == ' ';
}

/* ">=0.3 <1": all of them hold of this schedlab. */
static int take_tool(struct reading *in, const cJSON *value, struct sl_err *err)
{
	const char *own = SL_VERSION;
	const char *text;
	int64_t is;
	int64_t wanted;
	const int status = take_line(in, value, &text, err);
	if (status)
		return status;
	(void)version_of(&own, &is);
	for (const char *p = text; *p; p += *p == ' ') {
		const char sign = *p;
		const bool equal = p[1] == '=';
		p += equal ? 2 : 1;
		if (!strchr("<>", sign) || !version_of(&p, &wanted))
			return fail_value(
				in, value, "versions that this schedlab may have, as \">=0.3 <1\"", err);
		if (!((equal && is == wanted) || (sign == '<' ? is < wanted : is > wanted)))
			return fail_at(in, span_of(in, value).from, err,
				"this is schedlab " SL_VERSION
				", and the baseline wants '%.60s': install that, or change 'tool'",
				text);
	}
	return SL_OK;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static int take_all(struct reading *in, struct sl_err *err)
{
	static const struct key keys[] = {
		{ "schema", take_schema, false },
		{ "comment", take_comment, false },
		{ "tool", take_tool, false },
		{ "cases", take_cases, false },
	};
	const cJSON *first = cJSON_IsObject(in->tree.root) ? in->tree.root->child : NULL;
	if (!first || strcmp(first->string, "schema") != 0)
		return fail_at(in, span_of(in, in->tree.root).from, err,
			"is not a baseline, which begins with its \"schema\": 'schedlab check --init' makes one");
	const int status = take_object(in, in->tree.root, "a baseline", keys, SL_LEN(keys), err);
	if (status || in->to->count)
		return status;
	return fail_at(in, span_of(in, in->tree.root).from, err, "has no 'cases': there is nothing to check");
}

int baseline_parse(struct baseline *baseline, const char *file, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err)
{
	*baseline = (struct baseline){ .file = file, .text = text, .len = len, .arena = arena };
	struct reading in = { .to = baseline };
	if (len > BASELINE_BYTES_MAX)
		return sl_fail(err, SL_INPUT, "%s: is larger than any baseline: it may have 16 MiB", file);
	int status = note_lines(baseline, err);
	if (!status)
		status = tree_parse(&in.tree, file, text, len, err);
	if (!status)
		status = note_places(&in, err);
	if (!status)
		status = take_all(&in, err);
	tree_release(&in.tree);
	free(in.span);
	return status;
}

int baseline_read(struct baseline *baseline, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	const char *copy = status < 0 ? NULL : sl_strdup(arena, text, (size_t)(end - text));
	if (status >= 0)
		status = copy ? baseline_parse(baseline, path, copy, (size_t)(end - text), arena, err)
			      : sl_fail_memory(err);
	baseline->packed = strcmp(sl_input_packing(in), "none") != 0;
	sl_input_close(in);
	return status;
}
