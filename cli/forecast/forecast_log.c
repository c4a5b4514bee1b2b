/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_log.c - a log as rows, and what became of each: when it started and ended, or was cancelled.
 *
 * Times are from the scenario's zero on. What became of a job is what the log says; where that knows no
 * waits, and of a run's directory, what the policy makes of it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/convert/convert.h"
#include "cli/forecast/forecast.h"
#include "traces/kube/kube_live.h"

struct reading {
	struct forecast_log *log;
	struct forecast_base *base;
	struct conversion kept;    /* Rows that stay, */
	struct conversion waiting; /* and those of jobs that were cancelled before they ran. */
	struct scenario scenario;
	struct scenario trace; /* Without --history; no job: that is not given. */
	size_t trace_waiting;  /* So many of `waiting` are its own. */
	bool live;             /* Read from a format that has jobs which still run and wait, */
	bool poor;             /* and that says less of them than accounting does. */
	struct settings settings;
	struct sl_names *names; /* Of users, accounts ... in one: only equality counts. */
};

/* ---- Rows ------------------------------------------------------------------------------------------------
 */

/* SWF: cancelled (5), never ran, and left the queue after its wait. */
static bool left_the_queue(const struct sl_row *row)
{
	return row->col[SL_COL_STATUS] == 5 && row->col[SL_COL_RUN] <= 0 && row->col[SL_COL_WAIT] > 0 &&
	       row->col[SL_COL_SUBMIT] != SL_NONE &&
	       (row->col[SL_COL_REQ_CPUS] > 0 || row->col[SL_COL_CPUS] > 0) && !row->more;
}

static int on_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct reading *reading = self;
	if (gone && left_the_queue(row))
		return convert_keep(&reading->waiting, row, NULL, err);
	return convert_keep(&reading->kept, row, gone, err);
}

/* What jobs that still run and wait are read by: they stay, however long they will run. A log in SWF has only
 * jobs that are over; of manifests, a dump of a live cluster alone says when they started. */
static int is_live_format(const struct sl_reader *reader, struct sl_input *in, bool *live, struct sl_err *err)
{
	static const char *const names[] = { "sacct", "sacct-json", "squeue", "scontrol-jobs" };
	static const char *const marks[] = { "lastTransitionTime", "startTime" };
	const char *text;
	const char *end;
	*live = false;
	for (size_t i = 0; i < SL_LEN(names); i++)
		*live |= strcmp(reader->name, names[i]) == 0;
	if (strcmp(reader->name, "kubernetes") != 0)
		return SL_OK;
	const int status = sl_input_all(in, &text, &end, err);
	for (size_t i = 0; i < SL_LEN(marks) && !status; i++)
		*live |= memmem(text, (size_t)(end - text), marks[i], strlen(marks[i])) != NULL;
	return status;
}

static int note_dated(void *self, struct sl_err *err)
{
	bool *dated = self;
	(void)err;
	*dated = true;
	return SL_INTERRUPTED; /* That is enough. */
}

static int pass_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)self;
	(void)row;
	(void)err;
	return SL_INTERRUPTED;
}

static int pass_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)cause;
	(void)at;
	(void)err;
	return SL_OK;
}

/* A queue without a date cannot be set beside a history with dates. */
static int check_dated(
	struct forecast_base *base, const struct sl_reader *reader, struct sl_input *in, struct sl_err *err)
{
	bool dated = false;
	struct sl_err none = { 0 };
	const struct sl_sink sink = {
		.self = &dated, .job = pass_job, .anomaly = pass_anomaly, .dated = note_dated
	};
	if (!base->history || strcmp(reader->name, "squeue") != 0)
		return SL_OK;
	(void)reader->read(in, &sink, &none);
	if (dated || (none.status && none.status != SL_INTERRUPTED))
		return SL_OK; /* What else is wrong with it says who reads it. */
	return sl_fail(err, SL_INPUT,
		"%s: it does not say when it was printed, so that its jobs have no place beside --history: print it "
		"with squeue -l, or with a line of date +%%FT%%T above it",
		base->options.trace);
}

static int reads_live(struct reading *reading, struct sl_err *err)
{
	struct forecast_base *base = reading->base;
	struct sl_input *in;
	const struct sl_reader *reader;
	if (base->is_run || arg_flag(base->args, "simulated") || arg_flag(base->args, "backtest") ||
		strcmp(base->options.trace, "-") == 0)
		return SL_OK;
	int status = sl_input_open(&in, base->options.trace, err);
	if (status)
		return status;
	status = reader_choose(base->args->registry, &reader, in, err);
	if (!status)
		status = is_live_format(reader, in, &reading->live, err);
	reading->poor = reading->live && strcmp(reader->name, "squeue") == 0;
	if (reading->live)
		status = check_dated(base, reader, in, err);
	sl_input_close(in);
	return status;
}

static int count_waiting(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct reading *reading = self;
	(void)err;
	reading->trace_waiting += gone && left_the_queue(row);
	return SL_OK;
}

/* Jobs of --history are learned from: in what is simulated they take no place. */
static int read_trace(struct reading *reading, struct sl_err *err)
{
	struct forecast_base *base = reading->base;
	struct scenario_options options = base->options;
	struct policy_choice again;
	struct settings settings;
	const struct scenario_watch watch = { reading, NULL, count_waiting, NULL };
	int status = forecast_settings(base, FORECAST_SET_TRACE, &settings, base->arena, err);
	options.settings = &settings;
	options.watch = &watch;
	if (!status)
		status = policy_choose(
			base->args->registry, &again, base->policy, &settings, base->arena, err);
	return status ? status : scenario_load(&reading->trace, &options, err);
}

static int read_rows(struct reading *reading, struct sl_err *err)
{
	struct forecast_base *base = reading->base;
	struct scenario_options options = base->options;
	const struct scenario_watch watch = { reading, NULL, on_row, NULL };
	int status = forecast_settings(base, FORECAST_SET_ALL, &reading->settings, base->arena, err);
	if (!status)
		status = reads_live(reading, err);
	if (!status && reading->live)
		status = settings_add(&reading->settings, "replay.run_unknown=60", err);
	options.settings = &reading->settings;
	options.watch = &watch;
	struct policy_choice again; /* Takes its settings from the list, so that nobody is left over. */
	if (!status)
		status = policy_choose(
			base->args->registry, &again, base->policy, &reading->settings, base->arena, err);
	if (!status)
		status = scenario_load(&reading->scenario, &options, err);
	if (!status)
		status = settings_check_used(&reading->settings, &base->choice, 1, err);
	for (size_t i = 0; i < reading->scenario.ignored_count && !status; i++)
		log_line(reading->poor ? LOG_WARNING : LOG_INFO, "%s: %s", base->options.trace,
			reading->scenario.ignored[i]);
	if (!status)
		talk_anomalies(&reading->scenario);
	/* The first N jobs of a file in order are its first rows; what else is left out is not known by row.
	 */
	const bool first = options.jobs_max && !reading->scenario.jobs.place;
	if (!status && reading->scenario.jobs.count != reading->kept.row_count && !first)
		return sl_fail(err, SL_USAGE,
			"%s: forecast needs the whole log: leave out replay.from and replay.to",
			base->options.trace);
	return status || !base->history || reading->live ? status : read_trace(reading, err);
}

/* Rows of the trace stand before those of --history. */
static bool is_history(const struct reading *reading, uint32_t row)
{
	const struct sl_jobs *jobs = &reading->scenario.jobs;
	const uint32_t count = reading->trace.jobs.count;
	return count && (jobs->place ? jobs->place[row] : row) >= count;
}

/* ---- What became of them ---------------------------------------------------------------------------------
 */

static bool any_waits(const struct reading *reading)
{
	for (size_t i = 0; i < reading->kept.row_count; i++)
		if (reading->kept.row[i].col[SL_COL_WAIT] > 0)
			return true;
	return false;
}

/* Times are from the scenario's zero on, that of the trace with --history; which of it is which job of the
 * trace alone is known by their rows. */
static int take_trace(struct reading *reading, const struct sl_result *result, sl_time *start, sl_time *end,
	struct sl_err *err)
{
	const struct sl_jobs *all = &reading->scenario.jobs, *own = &reading->trace.jobs;
	uint32_t *row_of = malloc(((size_t)own->count + 1) * sizeof(*row_of));
	if (!row_of)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < own->count; row++)
		row_of[own->place ? own->place[row] : row] = row;
	for (uint32_t row = 0; row < all->count; row++) {
		const uint32_t place = all->place ? all->place[row] : row;
		start[row] = end[row] = SL_NONE;
		if (place >= own->count)
			continue;
		const sl_time by = all->submit[row] - own->submit[row_of[place]];
		if (result->start[row_of[place]] != SL_NONE)
			start[row] = result->start[row_of[place]] + by;
		if (result->end[row_of[place]] != SL_NONE)
			end[row] = result->end[row_of[place]] + by;
	}
	free(row_of);
	return SL_OK;
}

static int simulate(struct reading *reading, sl_time *start, sl_time *end, struct sl_err *err)
{
	const bool apart = reading->trace.jobs.count > 0;
	struct run run = { .scenario = apart ? &reading->trace : &reading->scenario,
		.choice = reading->base->choice,
		.options = { .seed = reading->base->options.seed, .stop = &cli_stop } };
	int status = runset_run(&run, 1, 1, NULL, NULL, err);
	if (!status && apart)
		status = take_trace(reading, &run.sim.result, start, end, err);
	for (uint32_t row = 0; row < reading->scenario.jobs.count && !status && !apart; row++) {
		start[row] = run.sim.result.start[row];
		end[row] = run.sim.result.end[row];
	}
	runset_release(&run, 1);
	return status;
}

static int32_t number_of(struct reading *reading, const char *name, int64_t number, char kind)
{
	char text[600];
	if (!name && number < 0)
		return -1;
	if (name)
		(void)snprintf(text, sizeof(text), "%c%.500s", kind, name);
	else
		(void)snprintf(text, sizeof(text), "%c%lld", kind, (long long)number);
	return (int32_t)sl_names_add(reading->names, text);
}

/* Names as numbers: users' own, whatever the kind. */
static void take_names(struct reading *reading, const struct sl_row *row, struct forecast_job *job)
{
	const struct sl_row_attributes *more = row->more;
	const struct sl_job_attributes *says = more ? more->job : NULL;
	job->user = number_of(reading, more ? more->user : NULL, row->col[SL_COL_USER], 'u');
	job->account = number_of(reading, more ? more->account : NULL, row->col[SL_COL_GROUP], 'a');
	job->partition = number_of(reading, more ? more->partition : NULL, row->col[SL_COL_PARTITION], 'p');
	if (job->partition < 0)
		job->partition = number_of(reading, NULL, row->col[SL_COL_QUEUE], 'q');
	job->name = number_of(reading, says ? says->name : NULL, row->col[SL_COL_APP], 'n');
}

static int copy_of(struct reading *reading, struct sl_row *row, sl_time submit, struct sl_err *err)
{
	const sl_time by = submit - row->col[SL_COL_SUBMIT];
	row->col[SL_COL_SUBMIT] = submit;
	if (!row->more)
		return SL_OK;
	struct sl_row_attributes *more = sl_alloc(reading->log->arena, 1, sizeof(*more));
	struct sl_job_attributes *job = sl_alloc(reading->log->arena, 1, sizeof(*job));
	if (!more || !job)
		return sl_fail_memory(err);
	*more = *row->more;
	row->more = more;
	if (more->cancel && more->cancel != SL_NONE)
		more->cancel += by;
	if (!more->job)
		return SL_OK;
	*job = *more->job;
	more->job = job;
	sl_time *time[] = { &job->begin, &job->deadline, &job->start_recorded, &job->end_recorded };
	for (size_t i = 0; i < SL_LEN(time); i++)
		if (*time[i] != SL_NONE)
			*time[i] += by;
	return SL_OK;
}

static bool still_runs(const struct sl_job_attributes *says)
{
	return says && (says->state_recorded == SL_RUNNING || says->state_recorded == SL_SUSPENDED);
}

/* Objects of Kubernetes do not count attempts. */
static bool still_waits(const struct sl_job_attributes *says, bool live)
{
	return says && says->state_recorded == SL_PENDING && says->start_recorded == SL_NONE &&
	       (says->attempts_recorded == 0 || (live && says->attempts_recorded == SL_NONE));
}

/* By the log. Of a job that still ran or waited as it was written the end is not known. */
static void take_recorded(
	struct forecast_log *log, const struct sl_row *row, bool live, struct forecast_job *job)
{
	const sl_time wait = row->col[SL_COL_WAIT];
	const sl_time run = row->col[SL_COL_RUN];
	const sl_time cancel = row->more && row->more->cancel ? row->more->cancel : SL_NONE;
	const struct sl_job_attributes *says = row->more ? row->more->job : NULL;
	job->start = job->end = job->cancel = SL_NONE;
	if (wait >= 0 && (run > 0 || still_runs(says)))
		job->start = job->submit + wait;
	if (job->start != SL_NONE && !still_runs(says))
		job->end = job->start + run;
	else if (job->start == SL_NONE)
		job->cancel = cancel != SL_NONE ? cancel : still_waits(says, live) ? SL_NEVER : SL_NONE;
	log->live |= still_runs(says) || job->cancel == SL_NEVER;
	sl_time known = job->start == SL_NONE ? job->submit : job->start + (run > 0 ? run : 0);
	if (live && says && says->end_recorded != SL_NONE && says->end_recorded > known)
		known = says->end_recorded; /* Of one that never ran. */
	log->last = known > log->last ? known : log->last;
}

/* A job of the scenario's table. */
static int job_take(
	struct reading *reading, uint32_t row, const sl_time *start, const sl_time *end, struct sl_err *err)
{
	const struct sl_jobs *jobs = &reading->scenario.jobs;
	struct forecast_log *log = reading->log;
	struct sl_row *kept = &log->row[log->count];
	struct forecast_job *job = &log->job[log->count++];
	*kept = reading->kept.row[jobs->place ? jobs->place[row] : row];
	const int status = copy_of(reading, kept, jobs->submit[row], err);
	*job = (struct forecast_job){ .id = jobs->id[row],
		.size = jobs->size[row],
		.limit = kept->col[SL_COL_LIMIT] > 0 ? jobs->limit[row] : 0,
		.submit = jobs->submit[row],
		.cancel = SL_NONE };
	take_names(reading, kept, job);
	take_recorded(log, kept, reading->live, job);
	job->past = is_history(reading, row);
	if (start && job->past && job->start == SL_NONE && job->cancel == SL_NONE &&
		kept->col[SL_COL_RUN] > 0) {
		job->start = job->submit; /* It says no waits: how long it ran is learned all the same. */
		job->end = job->start + kept->col[SL_COL_RUN];
	} else if (start && !job->past) {
		job->start = start[row];
		job->end = start[row] == SL_NONE ? SL_NONE : end[row];
	}
	return status;
}

static void waiting_take(struct reading *reading, const struct sl_row *row)
{
	struct forecast_log *log = reading->log;
	const int64_t asked = row->col[SL_COL_REQ_CPUS];
	struct forecast_job *job = &log->job[log->count];
	if (row->col[SL_COL_ID] == SL_NONE ||
		(reading->scenario.cpus &&
			(asked > 0 ? asked : row->col[SL_COL_CPUS]) > reading->scenario.cpus))
		return;
	log->row[log->count++] = *row;
	*job = (struct forecast_job){ .id = row->col[SL_COL_ID],
		.size = (int32_t)(asked > 0 ? asked : row->col[SL_COL_CPUS]),
		.limit = row->col[SL_COL_LIMIT] > 0 ? row->col[SL_COL_LIMIT] : 0,
		.submit = row->col[SL_COL_SUBMIT],
		.start = SL_NONE,
		.end = SL_NONE,
		.past = row->col[SL_COL_STATUS] == SL_NONE };
	job->cancel = job->submit + row->col[SL_COL_WAIT];
	take_names(reading, row, job);
}

/* By submission; those that were cancelled come between. */
static int settle_order(struct forecast_log *log, uint32_t first, struct sl_err *err)
{
	struct sl_row *row = sl_alloc(log->arena, log->count + 1, sizeof(*row));
	struct forecast_job *job = sl_alloc(log->arena, log->count + 1, sizeof(*job));
	if (!row || !job)
		return sl_fail_memory(err);
	uint32_t a = 0;
	uint32_t b = first;
	for (uint32_t i = 0; i < log->count; i++) {
		const bool second = a == first || (b < log->count && log->job[b].submit < log->job[a].submit);
		const uint32_t from = second ? b++ : a++;
		row[i] = log->row[from];
		job[i] = log->job[from];
	}
	log->row = row;
	log->job = job;
	return SL_OK;
}

static int by_submit(const void *a, const void *b)
{
	const struct sl_row *x = a;
	const struct sl_row *y = b;
	if (x->col[SL_COL_SUBMIT] != y->col[SL_COL_SUBMIT])
		return x->col[SL_COL_SUBMIT] < y->col[SL_COL_SUBMIT] ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int take_all(struct reading *reading, const sl_time *start, const sl_time *end, struct sl_err *err)
{
	struct forecast_log *log = reading->log;
	const uint32_t count = reading->scenario.jobs.count;
	struct conversion *waiting = &reading->waiting;
	int status = SL_OK;
	log->row = sl_alloc(log->arena, count + waiting->row_count + 1, sizeof(*log->row));
	log->job = sl_alloc(log->arena, count + waiting->row_count + 1, sizeof(*log->job));
	if (!log->row || !log->job)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < count && !status; row++)
		status = job_take(reading, row, start, end, err);
	if (!status && log->live)
		status = forecast_same(log, reading->poor, err);
	if (status || start || !waiting->row_count)
		return status;
	for (size_t i = reading->trace_waiting; i < waiting->row_count && reading->trace.jobs.count; i++)
		waiting->row[i].col[SL_COL_STATUS] = SL_NONE; /* Of --history. */
	qsort(waiting->row, waiting->row_count, sizeof(*waiting->row), by_submit);
	for (size_t i = 0; i < waiting->row_count; i++)
		waiting_take(reading, &waiting->row[i]);
	return settle_order(log, count, err);
}

static int take_header(struct reading *reading, struct sl_err *err)
{
	struct forecast_log *log = reading->log;
	const struct scenario *scenario = &reading->scenario;
	log->key = sl_alloc(log->arena, scenario->header_count + 1, sizeof(*log->key));
	log->value = sl_alloc(log->arena, scenario->header_count + 1, sizeof(*log->value));
	if (!log->key || !log->value)
		return sl_fail_memory(err);
	for (size_t i = 0; i < scenario->header_count; i++) {
		const struct header_line *line = &scenario->header[i];
		if (strcmp(line->key, "UnixStartTime") == 0 || strcmp(line->key, "TimeZone") == 0)
			continue;
		log->key[log->header_count] = sl_strdup(log->arena, line->key, strlen(line->key));
		log->value[log->header_count] = sl_strdup(log->arena, line->value, strlen(line->value));
		if (!log->key[log->header_count] || !log->value[log->header_count])
			return sl_fail_memory(err);
		log->header_count++;
	}
	log->epoch = scenario->epoch;
	log->utc_offset = scenario->utc_offset;
	log->cpus = scenario->cpus;
	log->gpus = scenario->cluster.gpus;
	log->nodes = scenario->cluster.node_count;
	const char *weight = sl_setting_of(&scenario->cluster, "cluster", "", "PriorityWeightFairshare");
	log->fair = weight && strspn(weight, "0") != strlen(weight);
	return SL_OK;
}

/* What Kueue has admitted holds its quota as a future begins. */
static int take_admitted(struct forecast_log *log, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < log->count && !status; i++) {
		const struct sl_row *row = &log->row[i];
		const char *manifest = row->more && row->more->job ? row->more->job->manifest : NULL;
		char *admitted;
		if (!manifest || log->job[i].start == SL_NONE || log->job[i].end != SL_NONE)
			continue;
		status = kube_admitted(manifest, &admitted, err);
		if (status || !admitted)
			continue;
		if (!log->admitted) {
			log->admitted = sl_alloc(log->arena, log->count, sizeof(*log->admitted));
			for (uint32_t k = 0; k < log->count && log->admitted; k++)
				log->admitted[k] = NULL;
		}
		if (log->admitted)
			log->admitted[i] = sl_strdup(log->arena, admitted, strlen(admitted));
		status = log->admitted && log->admitted[i] ? SL_OK : sl_fail_memory(err);
		free(admitted);
	}
	return status;
}

static int log_make(struct reading *reading, bool simulated, struct sl_err *err)
{
	const uint32_t count = reading->scenario.jobs.count;
	sl_time *start = simulated ? calloc(count + 1, sizeof(*start)) : NULL;
	sl_time *end = simulated ? calloc(count + 1, sizeof(*end)) : NULL;
	int status = simulated && (!start || !end) ? sl_fail_memory(err) : SL_OK;
	if (!status && simulated)
		status = simulate(reading, start, end, err);
	if (!status)
		status = take_all(reading, start, end, err);
	if (!status)
		status = take_header(reading, err);
	if (!status && reading->live)
		status = take_admitted(reading->log, err);
	free(start);
	free(end);
	return status;
}

int forecast_log_open(
	struct forecast_log *log, struct forecast_base *base, bool simulated, struct sl_err *err)
{
	*log = (struct forecast_log){ .arena = sl_arena_new(), .name = base->options.trace };
	if (!log->arena)
		return sl_fail_memory(err);
	struct reading reading = { .log = log, .base = base };
	reading.kept.arena = reading.waiting.arena = log->arena;
	reading.names = sl_names_new(log->arena);
	int status = reading.names ? read_rows(&reading, err) : sl_fail_memory(err);
	if (!status) {
		log->simulated = simulated || base->is_run || (!reading.live && !any_waits(&reading));
		status = log_make(&reading, log->simulated, err);
	}
	scenario_release(&reading.scenario);
	scenario_release(&reading.trace);
	convert_release(&reading.kept);
	convert_release(&reading.waiting);
	if (reading.names)
		sl_names_free(reading.names);
	return status;
}

void forecast_log_close(struct forecast_log *log)
{
	sl_arena_free(log->arena);
	*log = (struct forecast_log){ 0 };
}

int forecast_log_time(
	const struct forecast_log *log, const char *what, const char *text, sl_time *time, struct sl_err *err)
{
	sl_time date;
	size_t len = strlen(text);
	if (sl_get_date(text, len, &date)) {
		if (!log->epoch)
			return sl_fail(err, SL_USAGE,
				"option '%s': %s does not say when it began, so it has no dates: give seconds since "
				"its zero, or a duration such as 3d",
				what, log->name);
		*time = date - (log->utc_offset + log->epoch) * SL_SECOND;
		return SL_OK;
	}
	if (sl_get_duration(text + (*text == '+'), len - (*text == '+'), time))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"option '%s' must be a time: seconds since the trace's zero, a duration such as 3d, or a date, not "
		"'%.60s'",
		what, text);
}

const char *forecast_job_name(char text[32], const struct forecast_log *log, uint32_t job)
{
	const struct sl_row *row = &log->row[job];
	if (row->more && row->more->id)
		return row->more->id;
	*sl_put_i64(text, row->col[SL_COL_ID]) = '\0';
	return text;
}
