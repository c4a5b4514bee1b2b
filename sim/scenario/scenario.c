/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario.c - a trace, its machine and the replay's settings become one const world.
 *
 * In this order: settings; the trace, cleaned row by row (scenario_clean.c);
 * the order by submission; the first N jobs; the load factor; side files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

/* ---- Settings ------------------------------------------------------------------- */

static int replay_set(
	struct loading *loading, int which, const char *text, const char *what, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	return value_set(&scenario->replay[which], &replay_params[which], text, what, scenario->arena, err);
}

static int cpus_set(struct loading *loading, const char *text, struct sl_err *err)
{
	if (sl_get_i64(text, strlen(text), &loading->cpus_set) && loading->cpus_set > 0 &&
		loading->cpus_set <= INT32_MAX)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"--set: 'cluster.cpus' must be a whole number within 1..2147483647, not '%s'", text);
}

/* With a cluster file it is the reader's to apply; kept too, to be told. */
static int cluster_setting(struct loading *loading, struct setting *setting, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const char *key = setting->key + strlen("cluster.");
	if (!loading->options->cluster) {
		setting->used = true;
		if (strcmp(key, "cpus") == 0)
			return cpus_set(loading, setting->value, err);
		return sl_fail(err, SL_USAGE,
			"--set: '%s' is of a cluster file: give one with -c CLUSTER, or cluster.cpus=N",
			setting->key);
	}
	const size_t len = strlen(key) + strlen(setting->value) + 2;
	char *text = sl_alloc(scenario->arena, len, 1);
	if (!text)
		return sl_fail_memory(err);
	(void)snprintf(text, len, "%s=%s", key, setting->value);
	scenario->cluster_setting[scenario->cluster_setting_count++] = text;
	if (strcmp(key, "objects") == 0) {
		setting->used = true;
		loading->objects = setting->value;
		return SL_OK;
	}
	loading->cluster_setting[loading->cluster_setting_count++] =
		(struct sl_cluster_setting){ key, setting->value, &setting->used };
	return SL_OK;
}

static int setting_take(struct loading *loading, struct setting *setting, struct sl_err *err)
{
	if (strncmp(setting->key, "cluster.", strlen("cluster.")) == 0)
		return cluster_setting(loading, setting, err);
	const bool full = strncmp(setting->key, "replay.", strlen("replay.")) == 0;
	const char *key = setting->key + (full ? strlen("replay.") : 0);
	for (int i = 0; i < REPLAY_COUNT; i++) {
		if (strcmp(replay_params[i].key, key) != 0)
			continue;
		if (!full && !replay_is_bare(key))
			continue;
		setting->used = true;
		return replay_set(loading, i, setting->value, "--set", err);
	}
	return SL_OK; /* The policy's, or nobody's: that is found out later. */
}

/* One of replay.gauges. */
static int gauge_find(struct scenario *scenario, const char *name, size_t len, struct sl_err *err)
{
	enum { KNOWN_MAX = 64 };
	const char *known[KNOWN_MAX + 1] = { NULL };
	size_t count = 0;
	for (const struct sl_gauge *const *gauge = scenario->registry->gauges; *gauge; gauge++) {
		if (count < KNOWN_MAX)
			known[count++] = (*gauge)->name;
		if (strlen((*gauge)->name) != len || memcmp((*gauge)->name, name, len) != 0)
			continue;
		if (scenario->gauge_count == SL_GAUGES_MAX)
			return sl_fail(err, SL_USAGE, "replay.gauges names more than %d: leave some out",
				SL_GAUGES_MAX);
		scenario->gauge[scenario->gauge_count++] = *gauge;
		return SL_OK;
	}
	char text[64];
	(void)snprintf(text, sizeof(text), "%.*s", (int)(len < 60 ? len : 60), name);
	char near[128];
	return sl_fail(err, SL_USAGE,
		"replay.gauges: there is no gauge '%s': %s'schedlab list gauges' shows all", text,
		did_you_mean(near, sl_nearest(text, known)));
}

/* A name given twice is one gauge: the engine follows none twice. */
static int gauges_find(struct scenario *scenario, struct sl_err *err)
{
	const char *text = scenario->replay[REPLAY_GAUGES].text;
	int status = SL_OK;
	for (const struct sl_gauge *const *at = scenario->registry->gauges; !text && *at; at++)
		if (scenario->replay[REPLAY_FILL].text && (*at)->of_fills &&
			scenario->gauge_count < SL_GAUGES_MAX)
			scenario->gauge[scenario->gauge_count++] = *at;
	while (text && !status) {
		const size_t len = strcspn(text, "|");
		status = gauge_find(scenario, text, len, err);
		text = text[len] ? text + len + 1 : NULL;
	}
	return status;
}

static int settings_take(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct scenario_options *options = loading->options;
	const size_t settings = options->settings ? options->settings->count : 0;
	scenario->replay = sl_alloc(scenario->arena, REPLAY_COUNT, sizeof(*scenario->replay));
	scenario->cluster_setting = sl_alloc(scenario->arena, settings + 1, sizeof(char *));
	loading->cluster_setting = sl_alloc(scenario->arena, settings + 1, sizeof(*loading->cluster_setting));
	if (!scenario->replay || !scenario->cluster_setting || !loading->cluster_setting)
		return sl_fail_memory(err);
	int status = values_parse(scenario->replay, replay_params, REPLAY_COUNT, options->implied, "compat",
		scenario->arena, err);
	for (size_t i = 0; i < settings && !status; i++)
		status = setting_take(loading, &options->settings->item[i], err);
	if (!status && options->from)
		status = replay_set(loading, REPLAY_FROM, options->from, "--from", err);
	if (!status && options->to)
		status = replay_set(loading, REPLAY_TO, options->to, "--to", err);
	if (!status && options->until)
		status = replay_set(loading, REPLAY_UNTIL, options->until, "--until", err);
	if (status)
		return status;
	status = gauges_find(scenario, err);
	if (status)
		return status;
	scenario->overrun = (enum sl_overrun)scenario->replay[REPLAY_OVERRUN].number;
	const struct sl_value *warmup = &scenario->replay[REPLAY_WARMUP];
	scenario->warmup = warmup->text ? warmup->number : SL_NONE;
	scenario->rules = (struct sim_rules){
		.pass_per_event = scenario->replay[REPLAY_PASSES].number,
		.submits_first = scenario->replay[REPLAY_EVENTS].number,
		.early = scenario->replay[REPLAY_EARLY].number,
	};
	const char *restart = scenario->replay[REPLAY_RESTART].text;
	return restart ? restart_parse(scenario, restart, err) : SL_OK;
}

/* ---- What the header says --------------------------------------------------------- */

/* The first whole number of the first header line of that name, if it is within bounds; else 0. What
 * follows it is prose ("MaxProcs: 93312 (80640+...)"). */
static int64_t header_number(const struct scenario *scenario, const char *key, int64_t min, int64_t max)
{
	for (size_t i = 0; i < scenario->header_count; i++) {
		if (strcmp(scenario->header[i].key, key) != 0)
			continue;
		const char *text = scenario->header[i].value;
		size_t len = text[0] == '-' || text[0] == '+';
		while (text[len] >= '0' && text[len] <= '9')
			len++;
		int64_t value;
		return sl_get_i64(text, len, &value) && value >= min && value <= max ? value : 0;
	}
	return 0;
}

static int settle_machine(struct loading *loading, struct sl_err *err)
{
	static const struct {
		const char *key, *from;
	} sizes[] = {
		{ "MaxProcs", "MaxProcs of the trace" },
		{ "MaxNodes", "MaxNodes of the trace" },
	};
	struct scenario *scenario = loading->scenario;
	if (loading->machine)
		return SL_OK;
	scenario->cpus = loading->cpus_set;
	scenario->cpus_from = "cluster.cpus";
	for (size_t i = 0; i < SL_LEN(sizes) && !scenario->cpus; i++) {
		scenario->cpus = header_number(scenario, sizes[i].key, 1, INT32_MAX);
		scenario->cpus_from = sizes[i].from;
	}
	if (scenario->cpus)
		return SL_OK;
	scenario->cpus_from = NULL;
	if (loading->options->any_machine)
		return SL_OK;
	for (size_t i = 0; i < SL_LEN(sizes); i++)
		for (size_t line = 0; line < scenario->header_count; line++)
			if (strcmp(scenario->header[line].key, sizes[i].key) == 0)
				return sl_fail(err, SL_INPUT,
					"%s: the size of the machine is not known, %s '%.40s' is not a whole number "
					"from 1 to %d: give --set cluster.cpus=N, or -c CLUSTER",
					loading->file, sizes[i].key, scenario->header[line].value, INT32_MAX);
	return sl_fail(err, SL_INPUT,
		"%s: the size of the machine is not known, its header has neither MaxProcs nor MaxNodes: give "
		"--set cluster.cpus=N, or -c CLUSTER",
		loading->file);
}

static void cluster_of_pool(struct scenario *scenario)
{
	static const char *const kinds[] = { "cpus" };
	scenario->cluster.cpus = scenario->cpus;
	scenario->cluster.kind_count = 1;
	scenario->cluster.kind_name = kinds;
}

/* From and to, once zero is known. */
static int settle_selection(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const struct sl_value *from = &scenario->replay[REPLAY_FROM];
	const struct sl_value *to = &scenario->replay[REPLAY_TO];
	const struct sl_value *until = &scenario->replay[REPLAY_UNTIL];
	int status = SL_OK;
	if (from->text)
		status = time_point(scenario, "replay.from", from->text, &loading->from, err);
	if (!status && to->text)
		status = time_point(scenario, "replay.to", to->text, &loading->to, err);
	scenario->bounded = until->text;
	if (!status && until->text)
		status = time_point(scenario, "replay.until", until->text, &scenario->until, err);
	return status;
}

int loading_settle(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const int status = settle_machine(loading, err);
	if (status)
		return status;
	loading->settled = true;
	if (!loading->options->tz)
		scenario->utc_offset = header_number(scenario, "TimeZone", -86400, 86400);
	if (loading->dated)
		return SL_OK;
	scenario->epoch = header_number(scenario, "UnixStartTime", 1, INT64_C(100000000000));
	return settle_selection(loading, err);
}

/* ---- After the last row ------------------------------------------------------------- */

/* Any schedule that never idles with jobs waiting ends by the last submission plus all run times. */
static int check_span(const struct loading *loading, struct sl_err *err)
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
static int stretch(
	struct loading *loading, sl_time first, int64_t factor, const char *setting, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	if (factor == 1000000)
		return SL_OK;
	sl_time *submit = column_i64(columns, COLUMN_SUBMIT);
	const __int128 span = (__int128)(submit[columns->count - 1] - first) * 1000000 / factor;
	if (span > INT64_MAX / 4)
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
	return status ? status : stretch(loading, from, factor, "replay.load_after", err);
}

static int apply_load(struct loading *loading, struct sl_err *err)
{
	const struct sl_value *load = &loading->scenario->replay[REPLAY_LOAD];
	/* What was before replay.from stays where it was. */
	const sl_time first = loading->scenario->begins
				      ? loading->from
				      : column_i64(loading->scenario->columns, COLUMN_SUBMIT)[0];
	const int status = stretch(loading, first, load->number, "replay.load", err);
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

static int read_trace(struct loading *loading, struct sl_err *err)
{
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
		const struct sl_sink sink = cleaning_sink(loading);
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
		status = check_span(loading, err);
	if (!status && loading->scenario->replay[REPLAY_WINDOWS].text)
		status =
			windows_parse(loading->scenario, loading->scenario->replay[REPLAY_WINDOWS].text, err);
	if (!status)
		status = side_load(loading, err);
	limits_count(loading->scenario);
	return status ? status : feedback_make(loading, err);
}

/* Settings that make no sense together, or alone. */
static int settings_agree(const struct loading *loading, struct sl_err *err)
{
	const struct sl_value *replay = loading->scenario->replay;
	const bool recorded = replay[REPLAY_START].number;
	if (recorded && !replay[REPLAY_FROM].text)
		return sl_fail(err, SL_USAGE,
			"replay.start=recorded says what ran and waited at replay.from: give --from TIME too");
	if (replay[REPLAY_FILL].text && (recorded || replay[REPLAY_WINDOWS].text))
		return sl_fail(err, SL_USAGE,
			"replay.fill makes times of its own, on an empty machine: leave out %s",
			recorded ? "replay.start=recorded" : "replay.windows");
	if (replay[REPLAY_WINDOWS].text && (recorded || replay[REPLAY_UNTIL].text))
		return sl_fail(err, SL_USAGE,
			"replay.windows begin empty and run to their ends: leave out %s",
			recorded ? "replay.start=recorded" : "--until and replay.until");
	if (replay[REPLAY_FEEDBACK].number && replay[REPLAY_WITH].text)
		return sl_fail(err, SL_USAGE,
			"replay.feedback goes by the job numbers of one trace: leave out replay.with, or join the files first");
	const char *own = recorded                      ? "replay.start=recorded"
			  : replay[REPLAY_WINDOWS].text ? "replay.windows"
			  : replay[REPLAY_FILL].text    ? "replay.fill"
							: NULL;
	if (replay[REPLAY_FEEDBACK].number && own)
		return sl_fail(err, SL_USAGE,
			"replay.feedback follows a trace from its beginning, by what the run itself does: leave out %s",
			own);
	return SL_OK;
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
	status = names_lend(loading, &scenario->jobs, err);
	if (!status)
		status = more_lend(loading, &scenario->jobs, err);
	if (!status)
		status = profiles_lend(loading, &scenario->jobs, err);
	if (!status)
		status = requests_lend(loading, &scenario->jobs, err);
	return !status && scenario->replay[REPLAY_FILL].text ? fill_make(loading, err) : status;
}

int scenario_load(struct scenario *scenario, const struct scenario_options *options, struct sl_err *err)
{
	*scenario = (struct scenario){ 0 };
	scenario->registry = options->registry ? options->registry : &registry_builtin;
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
	cleaning_release(&loading);
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
