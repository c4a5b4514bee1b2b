/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_inspect.c - schedlab inspect: what a trace is, before anything is replayed.
 *
 * The trace is loaded as for a replay, so what is counted here is what a run
 * would see; a watch gathers what the job table does not keep: statuses and
 * names of all lines, and limits as they were logged.
 */
#include "cli/inspect/inspect.h"
#include "cli/inspect/inspect_reported.h"

#include <stdlib.h>
#include <string.h>

const struct quantile quantiles[QUANTILE_COUNT] = {
	{ "min", 0 },
	{ "p10", 10 },
	{ "p25", 25 },
	{ "p50", 50 },
	{ "p75", 75 },
	{ "p90", 90 },
	{ "p99", 99 },
	{ "max", 100 },
};

const char *const name_texts[NAME_COUNT] = { "users", "groups", "executables", "queues", "partitions" };

static const enum sl_col name_columns[NAME_COUNT] = { SL_COL_USER, SL_COL_GROUP, SL_COL_APP, SL_COL_QUEUE,
	SL_COL_PARTITION };

/* SWF's field 11; see the specification for the checkpointed ones. */
const struct status_text status_texts[STATUS_COUNT] = {
	{ "-1", "unknown" },
	{ "0", "failed" },
	{ "1", "completed" },
	{ "2", "partial" },
	{ "3", "last part, completed" },
	{ "4", "last part, failed" },
	{ "5", "cancelled" },
	{ "other", "other" },
};

const struct says_text says_texts[SAYS_COUNT] = {
	[SAYS_BEGIN] = { "begin", "not before a time" },
	[SAYS_DEPENDENCY] = { "dependencies", "after others" },
	[SAYS_ARRAY] = { "arrays", "tasks of arrays" },
	[SAYS_DEADLINE] = { "deadlines", "with a deadline" },
	[SAYS_HELD] = { "held", "held" },
	[SAYS_CENSORED] = { "censored", "cut short in the log" },
};

/* ---- Gathering --------------------------------------------------------------------- */

static int sample_add(struct sample *sample, int64_t value, struct sl_err *err)
{
	const int status = SL_GROW_MOST(sample->value, sample->capacity, sample->count + 1, UINT32_MAX, err);
	if (!status)
		sample->value[sample->count++] = value;
	return status;
}

/* Names, by numbers below zero, where they are no row's. */
static int count_texts(struct inspection *seen, const struct sl_row_attributes *more, struct sl_err *err)
{
	const struct {
		enum name_kind kind;
		const char *text;
	} name[] = {
		{ NAME_USER, more->user },
		{ NAME_GROUP, more->account },
		{ NAME_PARTITION, more->partition },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(name) && !status; i++) {
		bool fresh;
		uint32_t number;
		if (!name[i].text)
			continue;
		status = names_add(
			&seen->texts, seen->arena, name[i].text, strlen(name[i].text), &number, err);
		if (!status)
			status = intset_add(&seen->names[name[i].kind], -1 - (int64_t)number, &fresh, err);
	}
	return status;
}

static int cmd_inspect_on_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct inspection *seen = self;
	const int64_t code = row->col[SL_COL_STATUS];
	size_t index = STATUS_OTHER;
	if (code == SL_NONE)
		index = STATUS_UNKNOWN;
	else if (code <= STATUS_LAST - STATUS_FIRST)
		index = (size_t)(STATUS_FIRST + code);
	seen->status[index]++;

	int status = SL_OK;
	bool fresh;
	for (size_t i = 0; i < NAME_COUNT && !status; i++)
		if (row->col[name_columns[i]] != SL_NONE)
			status = intset_add(&seen->names[i], row->col[name_columns[i]], &fresh, err);
	if (!status && row->more)
		status = count_texts(seen, row->more, err);
	const sl_time limit = row->col[SL_COL_LIMIT];
	if (status || gone || limit <= 0)
		return status;
	if (row->col[SL_COL_RUN] == SL_NONE)
		return sample_add(&seen->sample[SAMPLE_LIMIT], limit, err);
	const __int128 accuracy = (__int128)row->col[SL_COL_RUN] * 1000000 / limit;
	status = sample_add(&seen->sample[SAMPLE_LIMIT], limit, err);
	if (!status)
		status = sample_add(&seen->sample[SAMPLE_ACCURACY],
			accuracy < INT64_MAX ? (int64_t)accuracy : INT64_MAX, err);
	return status;
}

static int cmd_inspect_on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	struct inspection *seen = self;
	return reported_setting(seen->reported, setting, err);
}

static int sample_jobs(struct inspection *seen, struct sl_err *err)
{
	const struct sl_jobs *jobs = &seen->scenario.jobs;
	struct sample *sample = seen->sample;
	int status = SL_OK;
	for (uint32_t row = 0; row < jobs->count && !status; row++) {
		status = sample_add(&sample[SAMPLE_SIZE], jobs->size[row] * INT64_C(1000000), err);
		if (!status)
			status = sample_add(&sample[SAMPLE_RUN], jobs->run[row], err);
		if (!status && row)
			status = sample_add(
				&sample[SAMPLE_GAP], jobs->submit[row] - jobs->submit[row - 1], err);
		if (!status && jobs->wait_recorded && jobs->wait_recorded[row] != SL_NONE)
			status = sample_add(&sample[SAMPLE_WAIT], jobs->wait_recorded[row], err);
	}
	return status;
}

static void count_says(struct inspection *seen)
{
	const struct sl_jobs *jobs = &seen->scenario.jobs;
	for (uint32_t row = 0; jobs->more_of && row < jobs->count; row++) {
		const struct sl_job_attributes *more = &jobs->more[jobs->more_of[row]];
		const bool says[SAYS_COUNT] = {
			[SAYS_BEGIN] = more->begin > jobs->submit[row],
			[SAYS_DEPENDENCY] = more->depend_count > 0,
			[SAYS_ARRAY] = more->array != SL_NONE,
			[SAYS_DEADLINE] = more->deadline != SL_NONE,
			[SAYS_HELD] = more->held,
			[SAYS_CENSORED] = more->censored,
		};
		for (size_t i = 0; i < SAYS_COUNT; i++)
			seen->says[i] += says[i];
	}
}

static void count_profiles(struct inspection *seen)
{
	const struct sl_jobs *jobs = &seen->scenario.jobs;
	for (uint32_t row = 0; jobs->profile_of && row < jobs->count; row++)
		for (uint32_t i = 0; jobs->profile_of[row] && i < SL_PROFILE_COLUMNS; i++)
			seen->profile[i] += sl_profile_says(&jobs->profile[jobs->profile_of[row]], i);
}

static int compare_values(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Quantiles are by nearest rank: the least value with that share of all at or below it. */
static void sample_finish(struct sample *sample)
{
	if (!sample->count)
		return;
	qsort(sample->value, sample->count, sizeof(*sample->value), compare_values);
	__int128 sum = 0;
	for (size_t i = 0; i < sample->count; i++)
		sum += sample->value[i];
	const __int128 count = (__int128)sample->count;
	sample->mean = (int64_t)((2 * sum + count) / (2 * count));
	for (size_t i = 0; i < QUANTILE_COUNT; i++) {
		const size_t rank = (sample->count * quantiles[i].percent + 99) / 100;
		sample->at[i] = sample->value[rank ? rank - 1 : 0];
	}
}

/* Of cpus or, with gpus, of those. */
static int64_t cmd_inspect_asked(const struct sl_jobs *jobs, uint32_t row, bool gpus)
{
	if (!jobs->request)
		return jobs->size[row];
	const struct sl_request *request = &jobs->requests[jobs->request[row]];
	return gpus ? request->gpus : request->cpus;
}

/* Work asked for over what the machine offers while jobs are submitted. */
static int64_t offered_load(const struct scenario *scenario, bool gpus)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	const sl_time range = jobs->submit[jobs->count - 1] - jobs->submit[0];
	const int64_t units = gpus ? scenario->cluster.gpus : scenario->cpus;
	if (!units || range <= 0)
		return SL_NONE;
	__int128 work = 0;
	for (uint32_t row = 0; row < jobs->count; row++)
		work += (__int128)jobs->run[row] * cmd_inspect_asked(jobs, row, gpus);
	const __int128 offered = (__int128)units * range;
	const __int128 share = work / offered;
	if (share > INT64_MAX / 2000000)
		return SL_NONE;
	return (int64_t)(share * 1000000 + (work - share * offered) * 1000000 / offered);
}

/* ---- Histograms ------------------------------------------------------------------------ */

static struct histogram *histogram_new(
	struct inspection *seen, enum histogram_kind kind, const char *name, const char *title)
{
	struct histogram *histogram = &seen->histogram[kind];
	histogram->name = name;
	histogram->title = title;
	return histogram;
}

static void bin_add(struct histogram *histogram, const char *label, uint64_t count)
{
	SL_CHECK(histogram->count < BIN_MAX);
	struct bin *bin = &histogram->bin[histogram->count++];
	(void)snprintf(bin->label, sizeof(bin->label), "%s", label);
	bin->count = count;
	histogram->total += count;
}

/* Trailing bins that are empty say nothing. */
static void histogram_trim(struct histogram *histogram)
{
	while (histogram->count && !histogram->bin[histogram->count - 1].count)
		histogram->count--;
}

/* How many of a sorted sample are at most `bound`, from *from on; *from moves behind them. */
static uint64_t count_to(const struct sample *sample, size_t *from, int64_t bound)
{
	const size_t before = *from;
	while (*from < sample->count && sample->value[*from] <= bound)
		++*from;
	return *from - before;
}

static void histogram_size(struct inspection *seen)
{
	struct histogram *histogram = histogram_new(seen, HISTOGRAM_SIZE, "size",
		seen->scenario.cluster.gpus ? "size, in processors, or GPUs of jobs that ask any"
					    : "size, in processors");
	size_t from = 0;
	for (int64_t low = 0, high = 1; low <= INT32_MAX; low = high, high *= 2) {
		char label[48];
		char *end = label;
		if (high - low > 1) {
			end = sl_put_i64(end, low + 1);
			*end++ = '-';
		}
		*sl_put_i64(end, high) = '\0';
		bin_add(histogram, label, count_to(&seen->sample[SAMPLE_SIZE], &from, high * 1000000));
	}
	histogram_trim(histogram);
}

static void histogram_run(struct inspection *seen)
{
	static const struct {
		const char *label;
		int64_t seconds;
	} bounds[] = {
		{ "up to 10 s", 10 },
		{ "1 min", 60 },
		{ "5 min", 300 },
		{ "15 min", 900 },
		{ "30 min", 1800 },
		{ "1 h", 3600 },
		{ "2 h", 7200 },
		{ "4 h", 14400 },
		{ "8 h", 28800 },
		{ "16 h", 57600 },
		{ "1 d", 86400 },
		{ "2 d", 172800 },
		{ "4 d", 345600 },
		{ "8 d", 691200 },
		{ "longer", INT64_MAX / SL_SECOND },
	};
	struct histogram *histogram = histogram_new(seen, HISTOGRAM_RUN, "run_time", "run time");
	size_t from = 0;
	for (size_t i = 0; i < SL_LEN(bounds); i++)
		bin_add(histogram, bounds[i].label,
			count_to(&seen->sample[SAMPLE_RUN], &from, bounds[i].seconds * SL_SECOND));
	histogram_trim(histogram);
}

static void histogram_hour(struct inspection *seen)
{
	const struct scenario *scenario = &seen->scenario;
	struct histogram *histogram = histogram_new(seen, HISTOGRAM_HOUR, "hour",
		scenario->epoch ? "submissions by hour of day"
				: "submissions by hour, in days counted from the trace's zero");
	uint64_t hours[24] = { 0 };
	for (uint32_t row = 0; row < scenario->jobs.count; row++) {
		const int64_t seconds = scenario->jobs.submit[row] / SL_SECOND + scenario->epoch +
					(scenario->epoch ? scenario->utc_offset : 0);
		hours[(seconds % 86400 + 86400) % 86400 / 3600]++;
	}
	for (unsigned i = 0; i < SL_LEN(hours); i++) {
		char label[48];
		(void)snprintf(label, sizeof(label), "%02u", i);
		bin_add(histogram, label, hours[i]);
	}
}

static void histogram_accuracy(struct inspection *seen)
{
	const struct sample *sample = &seen->sample[SAMPLE_ACCURACY];
	struct histogram *histogram = histogram_new(
		seen, HISTOGRAM_ACCURACY, "accuracy", "limit accuracy: run time as a share of the limit");
	if (!sample->count)
		return;
	size_t from = 0;
	for (int64_t percent = 10; percent <= 100; percent += 10) {
		char label[48];
		(void)snprintf(
			label, sizeof(label), percent > 10 ? "%lld %%" : "up to %lld %%", (long long)percent);
		bin_add(histogram, label, count_to(sample, &from, percent * 10000));
	}
	bin_add(histogram, "above", sample->count - from);
	histogram_trim(histogram);
}

/* ---- The command -------------------------------------------------------------------------- */

const char *inspect_header(const struct inspection *seen, const char *key)
{
	const struct scenario *scenario = &seen->scenario;
	for (size_t i = 0; i < scenario->header_count; i++)
		if (strcmp(scenario->header[i].key, key) == 0 && scenario->header[i].value[0])
			return scenario->header[i].value;
	return NULL;
}

static int cmd_inspect_gather(
	struct inspection *seen, const char *path, const struct args *args, struct sl_err *err)
{
	const struct scenario_watch watch = {
		.self = seen, .row = cmd_inspect_on_row, .setting = cmd_inspect_on_setting
	};
	struct settings settings;
	int status = settings_from_args(&settings, args, err);
	if (status)
		return status;
	const struct scenario_options options = { .trace = path,
		.cluster = arg(args, "cluster"),
		.settings = &settings,
		.registry = args->registry,
		.tz = arg(args, "tz"),
		.strict = arg_flag(args, "strict"),
		.any_machine = true,
		.watch = &watch,
		.stop = &cli_stop };
	status = reported_policy(seen->reported, args, err);
	if (!status)
		status = scenario_load(&seen->scenario, &options, err);
	if (!status)
		status = reported_count(seen->reported, err);
	if (!status)
		status = settings_check_used(&settings, NULL, 0, err);
	if (!status)
		status = sample_jobs(seen, err);
	if (status)
		return status;
	count_says(seen);
	count_profiles(seen);
	for (size_t i = 0; i < SAMPLE_COUNT; i++)
		sample_finish(&seen->sample[i]);
	seen->load = offered_load(&seen->scenario, false);
	seen->load_gpus = offered_load(&seen->scenario, true);
	histogram_size(seen);
	histogram_run(seen);
	histogram_hour(seen);
	histogram_accuracy(seen);
	return SL_OK;
}

static void inspection_release(struct inspection *seen)
{
	for (size_t i = 0; i < SAMPLE_COUNT; i++)
		free(seen->sample[i].value);
	for (size_t i = 0; i < NAME_COUNT; i++)
		intset_release(&seen->names[i]);
	names_release(&seen->texts);
	if (seen->scenario.arena)
		scenario_release(&seen->scenario);
}

static int inspect_run(const struct args *args, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < args->word_count && !status; i++) {
		struct reported reported = { .arena = args->arena, .format = "" };
		struct inspection seen = { .arena = args->arena, .reported = &reported };
		if (inspect_is_cluster(args->word[i], args)) {
			if (i && !arg_flag(args, "json"))
				printf("\n");
			status = inspect_cluster(args->word[i], args, err);
			continue;
		}
		status = cmd_inspect_gather(&seen, args->word[i], args, err);
		if (!status && arg_flag(args, "json")) {
			status = inspect_json(&seen, err);
		} else if (!status) {
			if (i)
				printf("\n");
			inspect_text(&seen, arg_flag(args, "ascii"), args->arena);
			status = reported_keys(&reported, err);
		}
		inspection_release(&seen);
		reported_release(&reported);
		if (!status)
			status = inspect_cluster_counts(args, err);
	}
	return status;
}

static const struct option_def options[] = {
	{ OPTION_JSON },
	{ "ascii", 0, NULL, false, "draw with plain ASCII instead of block characters" },
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY_ONE },
	{ OPTION_STRICT },
	{ OPTION_SET },
	{ OPTION_ROOT },
	{ OPTION_MODEL },
	{ OPTION_RUN_TIMES },
	{ OPTION_TZ },
	{ OPTION_PLUGIN },
};

const struct command cmd_inspect = {
	.name = "inspect",
	.usage = "inspect FILE... [options]",
	.summary =
		"say what a trace or a cluster is: jobs, machine, load, oddities; keys and how far they go",
	.detail =
		"Reads each trace as a replay would, and shows what it holds; '-' is standard input.\n"
		"Rows that make no sense are counted by cause, with the line of the first of each.\n"
		"Of a folder or a cluster file it shows the nodes, the partitions, and every key with its coverage.\n"
		"\n"
		"examples:\n"
		"  schedlab inspect trace.swf.gz\n"
		"  schedlab inspect trace.swf --set cluster.cpus=806   (a trace without a header)\n"
		"  schedlab inspect jobs.csv -c cluster.yaml           (does it fit there?)\n"
		"  schedlab inspect trace.swf --json\n"
		"  schedlab inspect /etc/slurm                         (each key, and how far it is followed)\n"
		"  schedlab inspect /etc/slurm -p easy                 (what easy makes of it)\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = SIZE_MAX,
	.run = inspect_run,
};
