/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline_read.c - a baseline's file, checked as it is read: tables of keys, each with the function that
 * reads its value.
 *
 * What a metric's tolerance cannot mean (the better way bounded, a time of what is none) is an error here,
 * before anything runs.
 */
#include "sim/result/baseline.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct baseline *to;
	size_t metrics; /* Of all cases. */
};

/* A reading by tables: its self is a struct reading. */
typedef const struct sl_schema_reading reading;
typedef const struct sl_doc_node node;

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
	uint32_t column = 1;
	for (size_t i = begins; i < at; i++)
		column += ((unsigned char)baseline->text[i] & 0xC0) != 0x80;
	return (struct sl_place){ baseline->file, low + 1, column };
}

size_t baseline_runs(const struct baseline_case *item)
{
	return item->trace.count > 1 ? item->trace.count : item->seed_count;
}

/* ---- Places ------------------------------------------------------------------------------ */

static struct baseline_range range_of(const struct sl_doc_node *value)
{
	return (struct baseline_range){ value->key_line ? value->key_from : value->from, value->from,
		value->until };
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

static struct baseline *baseline_of(reading *r) { return ((const struct reading *)r->self)->to; }

static int fail_at(reading *r, size_t at, const char *format, ...) SL_PRINTF(3, 4);
static int fail_at(reading *r, size_t at, const char *format, ...)
{
	char text[700];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct sl_place place = baseline_place(baseline_of(r), at);
	return sl_fail_at(r->err, &place, "%s", text);
}

static int fail_value(reading *r, node *value, const char *wanted)
{
	return sl_schema_fail_record(r, SL_SCHEMA_VALUE, NULL, value, wanted);
}

static int fail_key(reading *r, const struct sl_schema *schema, node *value)
{
	const char *similar = sl_schema_similar(schema, sl_doc_key_of(r->doc, value));
	return sl_schema_fail_key(r, value,
		"'%.60s' is no key of %s: %s%s%s; what people are told goes into 'comment'",
		sl_doc_key_of(r->doc, value), schema->have,
		similar ? "did you mean '" : "see schedlab-baseline(5)", similar ? similar : "",
		similar ? "'?" : "");
}

static int fail_baseline(
	reading *r, enum sl_schema_wrong wrong, const struct sl_schema *schema, node *value, const char *what)
{
	const char *text = sl_doc_string(r->doc, value);
	if (wrong == SL_SCHEMA_UNKNOWN)
		return fail_key(r, schema, value);
	if (wrong == SL_SCHEMA_TWICE)
		return sl_schema_fail_key(r, value, "'%s' is there twice in %s: leave one",
			sl_doc_key_of(r->doc, value), schema->have);
	if (wrong == SL_SCHEMA_NO_MAP)
		return fail_value(r, value, "an object, in { }");
	if (text && strcmp(what, "a text") == 0)
		what = *text ? "a text without control characters" : "a text: it is empty";
	return fail_value(r, value, what);
}

static const struct sl_field line = { .kind = SL_FIELD_TEXT };
static const struct sl_field digest = { .kind = SL_FIELD_HEX };
static const struct sl_field micro = { .kind = SL_FIELD_MICRO };
static const struct sl_field whole = { .kind = SL_FIELD_COUNT, .max = INT64_MAX };

static int take_line(reading *r, node *value, void *text)
{
	return sl_field_value(r, NULL, &line, value, text);
}

/* One, or a list of them, into the arena. */
static int take_items(reading *r, node *value, const struct sl_field *each, size_t size, size_t most,
	size_t *count, void *to)
{
	struct {
		void *item;
		size_t count;
	} found = { NULL, 1 };
	const struct sl_field list = { .kind = SL_FIELD_LIST,
		.max = (int64_t)most,
		.each = each,
		.size = size,
		.count = offsetof(__typeof__(found), count) };
	int status = SL_OK;
	if (value->kind == SL_DOC_LIST) {
		status = sl_field_list(r, NULL, &list, value, &found);
	} else {
		found.item = sl_alloc(r->arena, 1, size);
		status = found.item ? sl_field_value(r, NULL, each, value, found.item)
				    : sl_fail_memory(r->err);
	}
	memcpy(to, &found.item, sizeof(found.item));
	*count = found.count;
	return status;
}

static int take_texts(reading *r, node *value, struct baseline_texts *texts, size_t most)
{
	texts->range = range_of(value);
	const int status =
		take_items(r, value, &line, sizeof(*texts->text), most, &texts->count, &texts->text);
	return status || texts->count ? status : fail_value(r, value, "a list with anything in it");
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

static int take_value(reading *r, node *value, void *base)
{
	struct baseline_metric *metric = base;
	double number;
	metric->value = range_of(value);
	metric->has_value = !sl_doc_is(r->doc, value, "null");
	if (metric->has_value && !sl_doc_number(r->doc, value, &number))
		return fail_value(r, value, "a number");
	return metric->has_value ? sl_field_value(r, NULL, &micro, value, &metric->value_micro) : SL_OK;
}

static int baseline_read_take_values(reading *r, node *value, void *base)
{
	static const struct sl_field list = { .kind = SL_FIELD_LIST,
		.max = BASELINE_FAMILY_MAX,
		.at = offsetof(struct baseline_metric, each),
		.count = offsetof(struct baseline_metric, each_count),
		.each = &micro,
		.size = sizeof(int64_t) };
	struct baseline_metric *metric = base;
	metric->each_range = range_of(value);
	return sl_field_list(r, NULL, &list, value, metric);
}

static int take_better(reading *r, node *value, void *base)
{
	static const char *const word[] = { "lower", "neither", "higher" };
	const char *text = sl_doc_string(r->doc, value);
	for (int i = 0; i < 3; i++)
		if (text && strcmp(text, word[i]) == 0) {
			*(int *)base = i - 1;
			return SL_OK;
		}
	return fail_value(r, value, "'lower', 'higher' or 'neither'");
}

static int take_tol(reading *r, node *value, void *base)
{
	struct baseline_metric *metric = base;
	struct tol_wrong wrong;
	const int status = take_line(r, value, &metric->tol_text);
	if (status || tolerance_parse(&metric->tol, metric->tol_text, &wrong))
		return status;
	return fail_at(r, value->from + 1 + wrong.at,
		"the tolerance '%.60s' is none: %s; schedlab-baseline(5) has the forms", metric->tol_text,
		wrong.why);
}

static int take_test(reading *r, node *value, void *base)
{
	const char *text = sl_doc_string(r->doc, value);
	*(bool *)base = text && strcmp(text, "wilcoxon") == 0;
	return *(bool *)base ? SL_OK : fail_value(r, value, "'wilcoxon', the one test there is");
}

static int take_alpha(reading *r, node *value, void *base)
{
	double *alpha = base;
	return sl_doc_number(r->doc, value, alpha) && *alpha >= 0.0001 && *alpha <= 0.2
		       ? SL_OK
		       : fail_value(r, value, "a number from 0.0001 to 0.2");
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

static int check_family(reading *r, const struct baseline_case *item, const struct baseline_metric *metric)
{
	const size_t runs = baseline_runs(item);
	if (metric->many && runs > 1)
		return fail_at(r, metric->range.key, "'%.60s' stands for several: in a family name each",
			metric->name);
	if (metric->each_count && metric->each_count != runs)
		return fail_at(r, metric->each_range.from,
			"'values' has %zu numbers and the case %zu runs: write them anew by 'schedlab check --update'",
			metric->each_count, runs);
	if (metric->wilcoxon && runs < runs_needed(metric->alpha))
		return fail_at(r, metric->range.key,
			"a Wilcoxon test at alpha %g needs at least %u runs, and the case has %zu: with fewer no shift is significant; take more seeds or traces",
			metric->alpha, runs_needed(metric->alpha), runs);
	return SL_OK;
}

static int check_metric(reading *r, const struct baseline_case *item, const struct baseline_metric *metric)
{
	const struct metric_known *known = metric_known(metric->name);
	const char *unit = known ? known->unit : "s";
	bool good = true;
	if (is_many(metric->name, &good) && !good)
		return fail_at(r, metric->range.key,
			"'%.60s': a star stands for all values of one key, at the end: 'wait.p95{user=*}'",
			metric->name);
	if (metric->many && tolerance_relative(&metric->tol))
		return fail_at(r, metric->range.key,
			"'%.60s' stands for several, of which no value is kept: give a range or a bound, as '<= 4h'",
			metric->name);
	if (tolerance_backward(&metric->tol, metric->better))
		return fail_at(r, metric->range.key,
			"the tolerance '%.60s' bounds '%.60s' where it gets better: write '%s' for the worse way, or '±' for both",
			metric->tol_text, metric->name, metric->better > 0 ? "-" : "+");
	if (tolerance_timed(&metric->tol) && strcmp(unit, "s") != 0)
		return fail_at(r, metric->range.key,
			"the tolerance '%.60s' names a time, and '%.60s' is none: give a bare number",
			metric->tol_text, metric->name);
	return check_family(r, item, metric);
}

#define METRIC_TAKES(name, how, member)                              \
	{                                                            \
		.key = (name), .kind = SL_FIELD_TAKE, .take = (how), \
		.at = offsetof(struct baseline_metric, member)       \
	}

static const struct sl_field metric_fields[] = {
	{ .key = "value", .kind = SL_FIELD_TAKE, .take = take_value },
	{ .key = "values", .kind = SL_FIELD_TAKE, .take = baseline_read_take_values },
	{ .key = "unit" },
	METRIC_TAKES("better", take_better, better),
	{ .key = "tol", .kind = SL_FIELD_TAKE, .take = take_tol },
	METRIC_TAKES("test", take_test, wilcoxon),
	METRIC_TAKES("alpha", take_alpha, alpha),
	{ .key = "comment" },
};
static const struct sl_schema metric_schema = { "a metric", metric_fields, SL_LEN(metric_fields), NULL };

static int take_metric(reading *r, node *value, struct baseline_metric *metric)
{
	const char *name = sl_doc_key_of(r->doc, value);
	const struct metric_known *known = metric_known(name);
	struct tol_wrong wrong;
	bool good = true;
	*metric = (struct baseline_metric){ .range = range_of(value),
		.better = known ? known->better : 0,
		.tol_text = "=",
		.alpha = 0.05,
		.name = sl_strdup(r->arena, name, strlen(name)) };
	if (!metric->name)
		return sl_fail_memory(r->err);
	if (!*metric->name)
		return fail_at(
			r, metric->range.key, "a metric without a name: 'schedlab run --json' shows them");
	(void)tolerance_parse(&metric->tol, metric->tol_text, &wrong);
	metric->many = is_many(metric->name, &good);
	metric->empty = !value->count;
	const int status = sl_schema_read(r, value, &metric_schema, NULL, metric);
	if (!status && !metric->better && !known)
		metric->better = tolerance_better(&metric->tol);
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

static int check_twice(reading *r, const struct baseline_case *item)
{
	struct named *sorted = calloc(item->metric_count + 1, sizeof(*sorted));
	int status = SL_OK;
	if (!sorted)
		return sl_fail_memory(r->err);
	for (size_t i = 0; i < item->metric_count; i++)
		sorted[i].is = &item->metric[i];
	qsort(sorted, item->metric_count, sizeof(*sorted), name_compare);
	for (size_t i = 1; i < item->metric_count && !status; i++)
		if (strcmp(sorted[i - 1].is->name, sorted[i].is->name) == 0)
			status = fail_at(r, sorted[i].is->range.key,
				"'%.60s' is there twice in the metrics: leave one", sorted[i].is->name);
	free(sorted);
	return status;
}

static int baseline_read_take_metrics(reading *r, node *value, void *base)
{
	struct baseline_case *item = base;
	struct reading *in = r->self;
	if (value->kind != SL_DOC_MAP)
		return fail_value(r, value, "an object of metrics, in { }");
	item->metrics_range = range_of(value);
	in->metrics += value->count;
	if (in->metrics > BASELINE_METRICS_MAX)
		return fail_value(r, value, "as short as it must be: 100000 metrics in all");
	item->metric = sl_alloc(r->arena, (size_t)value->count + 1, sizeof(*item->metric));
	if (!item->metric)
		return sl_fail_memory(r->err);
	SL_DOC_EACH (metric, r->doc, value) {
		const int status = take_metric(r, metric, &item->metric[item->metric_count++]);
		if (status)
			return status;
	}
	return check_twice(r, item);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static int take_texts_many(reading *r, node *value, void *texts)
{
	return take_texts(r, value, texts, BASELINE_FAMILY_MAX);
}

static int take_settings(reading *r, node *value, void *texts)
{
	return take_texts(r, value, texts, BASELINE_SETTINGS_MAX);
}

static int take_text_one(reading *r, node *value, void *texts) { return take_texts(r, value, texts, 1); }

static int take_trace(reading *r, node *value, void *base)
{
	struct baseline_texts *trace = base;
	if (trace->count)
		return fail_value(r, value, "wanted beside the other: give 'trace' or 'family'");
	return sl_doc_string(r->doc, value) ? take_texts(r, value, trace, 1)
					    : fail_value(r, value, "a path; several go into 'family'");
}

static int take_family(reading *r, node *value, void *base)
{
	struct baseline_texts *trace = base;
	if (trace->count)
		return fail_value(r, value, "wanted beside the other: give 'trace' or 'family'");
	return value->kind == SL_DOC_LIST
		       ? take_texts(r, value, trace, BASELINE_FAMILY_MAX)
		       : fail_value(r, value, "a list of paths; a single one goes into 'trace'");
}

static int take_jobs(reading *r, node *value, void *base)
{
	int64_t jobs = 0;
	const int status = sl_field_value(r, NULL, &whole, value, &jobs);
	*(uint64_t *)base = (uint64_t)jobs;
	return status || (jobs > 0 && jobs < UINT32_MAX)
		       ? status
		       : fail_value(r, value, "a number of jobs, from 1 on");
}

static int take_seed(reading *r, node *value, void *base)
{
	struct baseline_case *item = base;
	if (item->seed)
		return fail_value(r, value, "wanted beside 'seeds'");
	item->seed = sl_alloc(r->arena, 1, sizeof(*item->seed));
	item->seed_count = 1;
	return item->seed ? sl_field_value(r, NULL, &whole, value, item->seed) : sl_fail_memory(r->err);
}

/* "1..20" */
static int take_seed_range(reading *r, node *value, struct baseline_case *item)
{
	const char *text = sl_doc_string(r->doc, value);
	const char *dots = strstr(text, "..");
	int64_t from;
	int64_t to;
	if (!dots || !sl_get_i64(text, (size_t)(dots - text), &from) || from < 0 ||
		!sl_get_i64(dots + 2, strlen(dots + 2), &to) || to < from || to - from >= BASELINE_FAMILY_MAX)
		return fail_value(r, value, "a range of seeds as \"1..20\", or a list of them");
	item->seed = sl_alloc(r->arena, (size_t)(to - from + 1), sizeof(*item->seed));
	for (int64_t i = 0; item->seed && i <= to - from; i++)
		item->seed[item->seed_count++] = (uint64_t)(from + i);
	return item->seed ? SL_OK : sl_fail_memory(r->err);
}

static int take_seeds(reading *r, node *value, void *base)
{
	struct baseline_case *item = base;
	if (item->seed)
		return fail_value(r, value, "wanted beside 'seed'");
	if (sl_doc_string(r->doc, value))
		return take_seed_range(r, value, item);
	if (value->kind != SL_DOC_LIST)
		return fail_value(r, value, "an array");
	const int status = take_items(
		r, value, &whole, sizeof(*item->seed), BASELINE_FAMILY_MAX, &item->seed_count, &item->seed);
	return status || item->seed_count ? status : fail_value(r, value, "a list with anything in it");
}

static int take_result(reading *r, node *value, void *base)
{
	struct baseline_digests *to = base;
	to->range = range_of(value);
	return take_items(
		r, value, &digest, sizeof(*to->digest), BASELINE_FAMILY_MAX, &to->count, &to->digest);
}

static int take_digests(reading *r, node *value, void *base)
{
	struct baseline_digests *to = base;
	to->range = range_of(value);
	return take_items(
		r, value, &digest, sizeof(*to->digest), BASELINE_DIGESTS_MAX, &to->count, &to->digest);
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

static int take_count(reading *r, node *value, void *base)
{
	const int status = sl_field_value(r, NULL, &whole, value, base);
	return status || *(int64_t *)base <= INT64_C(1000000000000)
		       ? status
		       : fail_value(r, value, "a number of jobs");
}

/* What is not there is 0. */
static int take_counts(reading *r, node *value, void *base)
{
	struct baseline_counts *counts = base;
	struct sl_field fields[BASELINE_COUNTS];
	const struct sl_schema schema = { "the counts", fields, BASELINE_COUNTS, NULL };
	for (size_t i = 0; i < BASELINE_COUNTS; i++)
		fields[i] = (struct sl_field){ .key = count_names[i],
			.kind = SL_FIELD_TAKE,
			.take = take_count,
			.at = offsetof(struct baseline_counts, count) + i * sizeof(*counts->count) };
	counts->range = range_of(value);
	return sl_schema_read(r, value, &schema, NULL, counts);
}

static int by_seed(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a;
	const uint64_t right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

static int baseline_read_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A run that stands twice would count as two samples. */
static int check_alike(reading *r, const struct baseline_case *item)
{
	const bool traces = item->trace.count > 1;
	const size_t count = baseline_runs(item);
	const size_t size = traces ? sizeof(*item->trace.text) : sizeof(*item->seed);
	int (*const compare)(const void *a, const void *b) = traces ? baseline_read_by_text : by_seed;
	char *sorted = sl_alloc(r->arena, count, size);
	bool twice = false;
	if (!sorted)
		return sl_fail_memory(r->err);
	memcpy(sorted, traces ? (const void *)item->trace.text : item->seed, count * size);
	qsort(sorted, count, size, compare);
	for (size_t i = 1; i < count && !twice; i++)
		twice = compare(sorted + (i - 1) * size, sorted + i * size) == 0;
	return twice ? fail_at(r, item->range.from,
			       "case '%.60s' has the same %s twice, which is one run and no two: leave one",
			       item->id, traces ? "trace" : "seed")
		     : SL_OK;
}

/* What makes sense only once all keys are there. */
static int check_case(reading *r, struct baseline_case *item)
{
	const size_t at = item->range.from;
	if (!item->id)
		return fail_at(r, at, "a case has no 'id': give it a name of its own");
	if (!item->trace.count && !item->generate)
		return fail_at(r, at, "case '%.60s' has no 'trace', no 'family' and no 'generate': give one",
			item->id);
	if (item->trace.count && item->generate)
		return fail_at(r, item->generate_range.key,
			"case '%.60s' has traces and 'generate': give one of the two", item->id);
	if (item->trace.count > 1 && item->seed_count > 1)
		return fail_at(r, at,
			"case '%.60s' has a family of traces and several seeds: give one of the two",
			item->id);
	if (!item->seed_count) {
		item->seed = sl_alloc(r->arena, 1, sizeof(*item->seed));
		if (!item->seed)
			return sl_fail_memory(r->err);
		item->seed[item->seed_count++] = 1;
	}
	if (item->result.count && item->result.count != baseline_runs(item))
		return fail_at(r, item->result.range.from,
			"'result' has %zu digests and the case %zu runs: write them anew by 'schedlab check --update'",
			item->result.count, baseline_runs(item));
	int status = check_alike(r, item);
	for (size_t i = 0; i < item->metric_count && !status; i++)
		status = check_metric(r, item, &item->metric[i]);
	return status;
}

#define CASE_TAKES(name, how, member)                                \
	{                                                            \
		.key = (name), .kind = SL_FIELD_TAKE, .take = (how), \
		.at = offsetof(struct baseline_case, member)         \
	}
#define CASE_TEXT(name, member)                                                                    \
	{                                                                                          \
		.key = (name), .kind = SL_FIELD_TEXT, .at = offsetof(struct baseline_case, member) \
	}

enum { CASE_FOUND = 15 }; /* From here on they say what came of it. */

static const struct sl_field case_fields[] = {
	CASE_TEXT("id", id),
	{ .key = "comment" },
	CASE_TAKES("trace", take_trace, trace),
	CASE_TAKES("family", take_family, trace),
	CASE_TEXT("generate", generate),
	CASE_TEXT("cluster", cluster),
	CASE_TEXT("policy", policy),
	CASE_TAKES("set", take_settings, set),
	{ .key = "seed", .kind = SL_FIELD_TAKE, .take = take_seed },
	{ .key = "seeds", .kind = SL_FIELD_TAKE, .take = take_seeds },
	CASE_TAKES("jobs", take_jobs, jobs_max),
	CASE_TEXT("from", from),
	CASE_TEXT("to", to),
	CASE_TEXT("tz", tz),
	{ .key = "exact", .kind = SL_FIELD_BOOL, .at = offsetof(struct baseline_case, exact) },
	CASE_TAKES("trace_sha256", take_texts_many, trace_sha256),
	CASE_TAKES("cluster_sha256", take_text_one, cluster_sha256),
	CASE_TAKES("cluster_read", take_text_one, cluster_read),
	CASE_TAKES("side_sha256", take_settings, side_sha256),
	CASE_TAKES("result", take_result, result),
	CASE_TAKES("digests", take_digests, digests),
	CASE_TAKES("counts", take_counts, counts),
	{ .key = "metrics", .kind = SL_FIELD_TAKE, .take = baseline_read_take_metrics },
};
static const struct sl_schema case_schema = { "a case", case_fields, SL_LEN(case_fields), NULL };

static void note_ranges(reading *r, node *map, node *const *into, struct baseline_case *item)
{
	const struct {
		const char *key;
		struct baseline_range *range;
	} ranges[] = { { "id", &item->id_range }, { "generate", &item->generate_range },
		{ "cluster", &item->cluster_range }, { "policy", &item->policy_range } };
	for (size_t i = 0; i < SL_LEN(ranges); i++) {
		node *value = sl_doc_member(r->doc, map, ranges[i].key);
		if (value)
			*ranges[i].range = range_of(value);
	}
	for (size_t i = 0; i < CASE_FOUND; i++)
		if (into[i] && into[i]->until > item->input_end)
			item->input_end = into[i]->until;
}

static int take_case(reading *r, node *value, void *base)
{
	node *into[SL_FIELDS_MAX];
	struct baseline_case *item = base;
	*item = (struct baseline_case){ .policy = "easy", .range = range_of(value) };
	int status = sl_schema_read(r, value, &case_schema, into, item);
	if (status)
		return status;
	note_ranges(r, value, into, item);
	status = check_case(r, item);
	for (const struct baseline_case *other = baseline_of(r)->item; !status && other < item; other++)
		if (strcmp(other->id, item->id) == 0)
			status = fail_at(r, item->id_range.from,
				"case '%.60s' is there twice: give each an id of its own", item->id);
	return status;
}

static int take_cases(reading *r, node *value, void *base)
{
	static const struct sl_field a_case = { .kind = SL_FIELD_TAKE, .take = take_case };
	static const struct sl_field list = { .kind = SL_FIELD_LIST,
		.at = offsetof(struct baseline, item),
		.count = offsetof(struct baseline, count),
		.max = BASELINE_CASES_MAX,
		.each = &a_case,
		.size = sizeof(struct baseline_case) };
	const int status = sl_field_list(r, NULL, &list, value, base);
	return status || value->count ? status : fail_value(r, value, "a list with a case in it");
}

static int take_schema(reading *r, node *value, void *base)
{
	const char *text = sl_doc_string(r->doc, value);
	(void)base;
	if (text && strcmp(text, BASELINE_SCHEMA) == 0)
		return SL_OK;
	return sl_schema_fail_at(r, value,
		"'%.60s' is not what this schedlab reads, which is '%s': make the baseline again",
		text ? text : "this", BASELINE_SCHEMA);
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
static int take_tool(reading *r, node *value, void *base)
{
	const char *own = SL_VERSION;
	const char *text;
	int64_t is;
	int64_t wanted;
	const int status = take_line(r, value, &text);
	(void)base;
	if (status)
		return status;
	(void)version_of(&own, &is);
	for (const char *p = text; *p; p += *p == ' ') {
		const char sign = *p;
		const bool equal = p[1] == '=';
		p += equal ? 2 : 1;
		if (!strchr("<>", sign) || !version_of(&p, &wanted))
			return fail_value(r, value, "versions that this schedlab may have, as \">=0.3 <1\"");
		if (!((equal && is == wanted) || (sign == '<' ? is < wanted : is > wanted)))
			return sl_schema_fail_at(r, value,
				"this is schedlab " SL_VERSION
				", and the baseline wants '%.60s': install that, or change 'tool'",
				text);
	}
	return SL_OK;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static const struct sl_field baseline_fields[] = {
	{ .key = "schema", .kind = SL_FIELD_TAKE, .take = take_schema },
	{ .key = "comment" },
	{ .key = "tool", .kind = SL_FIELD_TAKE, .take = take_tool },
	{ .key = "cases", .kind = SL_FIELD_TAKE, .take = take_cases },
};
static const struct sl_schema baseline_schema = { "a baseline", baseline_fields, SL_LEN(baseline_fields),
	NULL };

static int baseline_read_take_all(reading *r, struct baseline *baseline)
{
	node *root = r->doc->node;
	node *first = root->kind == SL_DOC_MAP ? sl_doc_child(r->doc, root) : NULL;
	if (!first || strcmp(sl_doc_key_of(r->doc, first), "schema") != 0)
		return sl_schema_fail_at(r, root,
			"is not a baseline, which begins with its \"schema\": 'schedlab check --init' makes one");
	const int status = sl_schema_read(r, root, &baseline_schema, NULL, baseline);
	if (status || baseline->count)
		return status;
	return sl_schema_fail_at(r, root, "has no 'cases': there is nothing to check");
}

int baseline_parse(struct baseline *baseline, const char *file, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc doc = { .file = file, .loose = true };
	struct reading in = { .to = baseline };
	const struct sl_schema_reading r = {
		.doc = &doc, .arena = arena, .strict = true, .self = &in, .fail = fail_baseline, .err = err
	};
	*baseline = (struct baseline){ .file = file, .text = text, .len = len, .arena = arena };
	if (len > BASELINE_BYTES_MAX)
		return sl_fail(err, SL_INPUT, "%s: is larger than any baseline: it may have 16 MiB", file);
	int status = note_lines(baseline, err);
	if (!status)
		status = sl_doc_read_json(&doc, text, len, err);
	if (!status)
		status = baseline_read_take_all(&r, baseline);
	sl_doc_release(&doc);
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
