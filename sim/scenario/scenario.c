/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario.c - a trace, its cluster and the replay's settings become one const scenario.
 *
 * In this order: settings; the cluster; models; the trace, row by row through its stages (row_read.c); the
 * order by submission; the first N jobs; the load factor; side files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

static void cluster_of_pool(struct scenario *scenario)
{
	static const char *const kinds[] = { "cpus" };
	scenario->cluster.cpus = scenario->cpus;
	scenario->cluster.kind_count = 1;
	scenario->cluster.kind_name = kinds;
}

/* ---- After the last row ---------------------------------------------------------------------- */

/* Any schedule that never idles with jobs waiting ends by the last submission plus all run times. */
static int check_range(const struct loading *loading, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	const sl_time last = more_last(loading, column_i64(columns, COLUMN_SUBMIT)[columns->count - 1]);
	if (loading->run_total <= INT64_MAX / 2 - last)
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"%s: submit and run times add up to more than 146 000 years: are they in seconds?",
		loading->file);
}

/* Dates: zero is the first submission, to the second; who is selected is known only now. */
static int settle_dates(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	struct columns *columns = scenario->columns;
	if (!loading->dated)
		return SL_OK;
	sl_time *submit = column_i64(columns, COLUMN_SUBMIT);
	int64_t zero = loading->submit_first / SL_SECOND;
	zero -= zero * SL_SECOND > loading->submit_first;
	scenario->epoch = zero - scenario->utc_offset;
	scenario->dated = true;
	for (uint32_t row = 0; row < columns->count; row++)
		submit[row] -= zero * SL_SECOND;
	more_shift(loading, -zero * SL_SECOND);
	const int status = settle_selection(loading, err);
	if (status)
		return status;
	if (scenario->replay[REPLAY_START].number)
		return begin_select(loading, err);
	uint32_t first = 0;
	uint32_t end = columns->count;
	while (first < end && submit[first] < loading->from)
		first++;
	while (end > first && submit[end - 1] >= loading->to)
		end--;
	loading->outside = columns->count - (end - first);
	if (first == end)
		return cleaning_fail_nothing(loading, err);
	return columns_slice(columns, first, end - first, err);
}

/* Submissions from `first` on come so many millionths times as often. What was before stays where it was. */
static int interval(
	struct loading *loading, sl_time first, int64_t factor, const char *setting, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	if (factor == 1000000)
		return SL_OK;
	sl_time *submit = column_i64(columns, COLUMN_SUBMIT);
	const __int128 range = (__int128)(submit[columns->count - 1] - first) * 1000000 / factor;
	if (range > INT64_MAX / 4)
		return sl_fail(err, SL_USAGE,
			"%s stretches the trace beyond 73 000 years: give a larger factor", setting);
	for (uint32_t row = 0; row < columns->count; row++) {
		const sl_time was = submit[row];
		if (was < first)
			continue;
		submit[row] = first + sl_mul_div(was - first, 1000000, factor);
		more_move(loading, row, submit[row] - was);
	}
	return SL_OK;
}

/* replay.load_after: "1.5@3d". */
static int apply_load_after(struct loading *loading, struct sl_err *err)
{
	const char *text = loading->scenario->replay[REPLAY_LOAD_AFTER].text;
	const char *sign = text ? strchr(text, '@') : NULL;
	int64_t factor;
	sl_time from;
	if (!text)
		return SL_OK;
	if (!sign || !sl_get_micro(text, (size_t)(sign - text), &factor) || factor < 1000 ||
		factor > 1000000000)
		return sl_fail(err, SL_USAGE,
			"replay.load_after=%.60s: give a factor from 0.001 to 1000, '@' and a time: 1.5@3d",
			text);
	const int status = time_point(loading->scenario, "replay.load_after", sign + 1, &from, err);
	/* What comes at that very time comes as before. */
	return status ? status : interval(loading, from, factor, "replay.load_after", err);
}

static int apply_load(struct loading *loading, struct sl_err *err)
{
	const struct sl_value *load = &loading->scenario->replay[REPLAY_LOAD];
	/* What was before replay.from stays where it was. */
	const sl_time first = loading->scenario->begins
				      ? loading->from
				      : column_i64(loading->scenario->columns, COLUMN_SUBMIT)[0];
	const int status = interval(loading, first, load->number, "replay.load", err);
	return status ? status : apply_load_after(loading, err);
}

/* Address space, not memory: a row that never comes is never touched. */
static size_t rows_expected(const struct sl_input *in)
{
	enum { LINE_SHORT = 48, PACKED_TIMES = 4, ROWS_FEW = 1024, ROWS_MANY = 1 << 24 };
	const bool packed = strcmp(sl_input_packing(in), "none") != 0;
	const uint64_t size = sl_input_size(in);
	const uint64_t rows = ROWS_FEW + (size < INT64_MAX / PACKED_TIMES ? size : 0) *
						 (packed ? PACKED_TIMES : 1) / LINE_SHORT;
	return rows < ROWS_MANY ? (size_t)rows : ROWS_MANY;
}

/* From memory: there is no file whose hash could be taken. */
static int read_source(struct loading *loading, struct sl_err *err)
{
	const struct scenario_source *source = loading->options->source;
	const struct sl_sink sink = rows_sink(loading);
	loading->file = loading->options->trace;
	loading->scenario->input.format = "memory";
	loading->scenario->input.packing = "none";
	int status = columns_expect(loading->scenario->columns, source->rows + 1, err);
	if (!status)
		status = source->read(source->self, &sink, err);
	if (!status)
		status = with_read(loading, err);
	return status ? status : cleaning_finish(loading, err);
}

static int read_trace(struct loading *loading, struct sl_err *err)
{
	if (loading->options->source)
		return read_source(loading, err);
	struct scenario_input *input = &loading->scenario->input;
	struct sl_input *in;
	int status = sl_input_open(&in, loading->options->trace, err);
	if (status)
		return status;
	loading->file = sl_input_name(in);
	const struct sl_reader *reader = NULL;
	status = reader_choose(loading->scenario->registry, &reader, in, err);
	if (!status)
		status = columns_expect(loading->scenario->columns, rows_expected(in), err);
	if (!status) {
		const struct sl_sink sink = rows_sink(loading);
		status = reader->read(in, &sink, err);
		if (!status)
			status = with_read(loading, err);
	}
	if (!status) {
		input->format = reader->name;
		input->packing = sl_input_packing(in);
		input->bytes = sl_input_bytes(in);
		memcpy(input->sha256, sl_input_sha256(in), sizeof(input->sha256));
		status = cleaning_finish(loading, err);
	}
	loading->file = loading->options->trace; /* The input's own name goes with it. */
	sl_input_close(in);
	return status;
}

/* What the trace and its columns still need, in this order. */
static int finish_rows(struct loading *loading, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const uint64_t most = loading->options->jobs_max;
	int status = columns_sort(columns, err);
	if (!status)
		status = settle_dates(loading, err);
	if (!status && most && most < columns->count)
		status = columns_slice(columns, 0, (uint32_t)most, err);
	if (!status && loading->scenario->replay[REPLAY_START].number)
		status = begin_make(loading, err);
	if (!status)
		status = apply_load(loading, err);
	if (!status)
		status = changes_finish(loading, err);
	if (!status)
		status = check_range(loading, err);
	if (!status && loading->scenario->replay[REPLAY_WINDOWS].text)
		status =
			windows_parse(loading->scenario, loading->scenario->replay[REPLAY_WINDOWS].text, err);
	if (!status)
		status = side_load(loading, err);
	limits_count(loading->scenario);
	return status ? status : feedback_make(loading, err);
}

static int load_all(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct scenario_options *options = loading->options;
	int status = settings_take(loading, err);
	if (!status)
		status = settings_agree(loading, err);
	if (!status)
		status = changes_parse(loading, err);
	if (!status && options->tz)
		status = time_zone(options->tz, &scenario->utc_offset, err);
	if (!status && options->cluster)
		status = machine_load(loading, options->cluster, err);
	if (!status)
		status = models_load(loading, err);
	if (!status)
		status = read_trace(loading, err);
	if (!status)
		status = finish_rows(loading, err);
	if (!status && loading->machine)
		status = machine_finish(loading->machine, err);
	if (!status)
		status = parts_settle(loading, err);
	if (status)
		return status;
	if (!loading->machine)
		cluster_of_pool(scenario);
	columns_lend(scenario->columns, &scenario->jobs);
	status = release_take(scenario, err);
	if (!status)
		status = names_lend(loading, &scenario->jobs, err);
	if (!status)
		status = more_lend(loading, &scenario->jobs, err);
	if (!status)
		status = profiles_lend(loading, &scenario->jobs, err);
	if (!status)
		status = requests_lend(loading, &scenario->jobs, err);
	return !status && scenario->replay[REPLAY_FILL].text ? fill_make(loading, err) : status;
}

static void loading_release(struct loading *loading)
{
	intset_release(&loading->seen);
	free(loading->unkept);
	free(loading->files.item);
	for (size_t i = 0; i < NAMED_COUNT; i++)
		names_release(&loading->names[i]);
	requests_free(loading->requests);
	more_free(loading->mores);
	changes_free(loading->changing);
	profiles_free(loading->profiles);
	free(loading->sheets.item);
	machine_free(loading->machine);
}

int scenario_load(struct scenario *scenario, const struct scenario_options *options, struct sl_err *err)
{
	*scenario = (struct scenario){ 0 };
	scenario->registry = options->registry;
	scenario->arena = sl_arena_new();
	scenario->columns = calloc(1, sizeof(*scenario->columns));
	struct loading loading = { .scenario = scenario,
		.options = options,
		.from = INT64_MIN,
		.to = SL_NEVER,
		.submit_last = INT64_MIN,
		.kept_last = INT64_MIN,
		.submit_first = INT64_MAX,
		.id_last = INT64_MIN };
	int status = SL_OK;
	if (!scenario->arena || !scenario->columns)
		status = sl_fail_memory(err);
	if (!status)
		scenario->input.path = sl_strdup(scenario->arena, options->trace, strlen(options->trace));
	if (!status && options->tz)
		scenario->tz = sl_strdup(scenario->arena, options->tz, strlen(options->tz));
	scenario->jobs_max = options->jobs_max;
	if (!status && (!scenario->input.path || (options->tz && !scenario->tz)))
		status = sl_fail_memory(err);
	if (!status)
		status = load_all(&loading, err);
	loading_release(&loading);
	if (status)
		scenario_release(scenario);
	return status;
}

void scenario_release(struct scenario *scenario)
{
	columns_free(scenario->columns);
	free(scenario->more);
	sl_arena_free(scenario->arena);
	*scenario = (struct scenario){ 0 };
}
