/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_future.c - one future as a trace in memory: those that run with a drawn rest, those that wait with
 * drawn run times, then whom the history lets come.
 *
 * Rows keep all that they say (user, partition, limits, constraints), so that any policy can be asked. The
 * replay begins at the moment (replay.start=recorded): what a row says of its wait tells who runs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast.h"

/* A row that is handed over, and what it says of itself. */
struct handed {
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_job_attributes job;
	char id[64];
};

static void copy_row(struct handed *to, const struct sl_row *from)
{
	to->row = *from;
	to->row.col[SL_COL_PREV] = to->row.col[SL_COL_THINK] = SL_NONE;
	if (!from->more)
		return;
	to->more = *from->more;
	to->row.more = &to->more;
	to->more.cancel = SL_NONE;
	if (!from->more->job)
		return;
	to->job = *from->more->job;
	to->more.job = &to->job;
	to->job.start_recorded = to->job.end_recorded = SL_NONE;
	to->job.state_recorded = SL_PENDING;
	to->job.exit_code = NULL;
	to->job.censored = false;
	to->job.earlier_recorded = to->job.held_before_recorded = to->job.requeued_after_recorded =
		to->job.eligible_after_recorded = 0;
}

/* What the log says of where it ran is true of those that run alone. */
static void not_placed(struct handed *to)
{
	if (to->row.more && to->more.job)
		to->job.nodes_recorded = NULL;
}

static int hand(struct future *future, struct handed *handed, const struct sl_sink *sink, uint32_t target,
	struct sl_err *err)
{
	future->at = target;
	return sink->job(sink->self, &handed->row, err);
}

/* By the log, or to its limit; by draw otherwise. */
static sl_time run_of(const struct future *future, const struct forecast_job *job, sl_time elapsed)
{
	const struct forecast_question *question = future->question;
	if (!question->by_limit)
		return forecast_run_drawn(
			question->learned->history, job, elapsed, question->seed, future->number);
	/* Without a limit of its own a job is planned by its partition's: the longest seen stands for that.
	 */
	const sl_time limit =
		job->limit > 0 ? job->limit : forecast_run_longest(question->learned->history, job);
	return limit > elapsed ? limit : elapsed + SL_SECOND;
}

/* A policy that is told of a log's past takes over what runs. One that has the say from the beginning (kueue,
 * runai, kube) gets it as jobs that come two seconds before now, with what is left of their run times; those
 * that wait come a second later, in the order of their submission. */
static bool takes_over(const struct forecast_question *question)
{
	return question->base->choice.policy->on_history != NULL;
}

static sl_time before(const struct forecast_question *question, sl_time by)
{
	return question->state->now > by ? question->state->now - by : 0;
}

static void come_before(const struct forecast_question *question, uint32_t job, struct handed *handed)
{
	int64_t *col = handed->row.col;
	const sl_time now = question->state->now;
	const char *admitted = question->log->admitted ? question->log->admitted[job] : NULL;
	col[SL_COL_SUBMIT] = before(question, 2 * SL_SECOND);
	col[SL_COL_WAIT] = SL_NONE;
	col[SL_COL_RUN] -= now - question->log->job[job].start - (now - col[SL_COL_SUBMIT]);
	if (admitted)
		handed->job.manifest = admitted;
}

/* It started a while before now; a wait of at least a microsecond says that the log knows waits. */
static int hand_running(struct future *future, uint32_t job, const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_question *question = future->question;
	const struct forecast_job *is = &question->log->job[job];
	const sl_time now = question->state->now;
	struct handed handed;
	copy_row(&handed, &question->log->row[job]);
	int64_t *col = handed.row.col;
	if (is->start <= is->submit)
		col[SL_COL_SUBMIT] = is->start - 1;
	col[SL_COL_WAIT] = is->start - col[SL_COL_SUBMIT];
	col[SL_COL_RUN] = run_of(future, is, now - is->start);
	if (handed.row.more && handed.more.job) {
		handed.job.start_recorded = is->start;
		handed.job.state_recorded = SL_RUNNING;
	}
	if (!takes_over(question))
		come_before(question, job, &handed);
	return hand(future, &handed, sink, UINT32_MAX, err);
}

/* It had ended: the policy is told of it. Nobody depends on it any more, under a number of its own. */
static int hand_used(struct future *future, uint32_t job, const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_job *is = &future->question->log->job[job];
	struct handed handed;
	copy_row(&handed, &future->question->log->row[job]);
	int64_t *col = handed.row.col;
	if (is->start <= is->submit)
		col[SL_COL_SUBMIT] = is->start - 1;
	col[SL_COL_WAIT] = is->start - col[SL_COL_SUBMIT];
	col[SL_COL_RUN] = is->end - is->start;
	col[SL_COL_ID] = INT64_C(3) << 50 | job;
	if (handed.row.more)
		handed.more.id = handed.more.gang = NULL;
	if (handed.row.more && handed.more.job) {
		handed.job.dependency = NULL;
		handed.job.array = handed.job.array_task = handed.job.array_limit = SL_NONE;
		handed.job.begin = handed.job.deadline = SL_NONE;
		handed.job.held = false;
	}
	return hand(future, &handed, sink, UINT32_MAX, err);
}

static int hand_waiting(
	struct future *future, uint32_t job, uint32_t target, const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_question *question = future->question;
	const struct forecast_job *is = &question->log->job[job];
	const sl_time now = question->state->now;
	struct handed handed;
	copy_row(&handed, &question->log->row[job]);
	not_placed(&handed);
	handed.row.col[SL_COL_RUN] = run_of(future, is, 0);
	handed.row.col[SL_COL_WAIT] = now - is->submit;
	if (!takes_over(question)) {
		const sl_time second = before(question, SL_SECOND) + future->waiting++;
		handed.row.col[SL_COL_SUBMIT] = second < now ? second : now;
		handed.row.col[SL_COL_WAIT] = SL_NONE;
	}
	if (target < question->targets)
		future->run[target] = handed.row.col[SL_COL_RUN];
	const sl_time cancel = question->by_limit ? SL_NONE
						  : forecast_cancel_drawn(question->learned->history, is, now,
							    question->seed, future->number);
	if (cancel != SL_NONE && !handed.row.more) {
		handed.more = (struct sl_row_attributes){ .cancel = cancel };
		handed.row.more = &handed.more;
	} else if (cancel != SL_NONE) {
		handed.more.cancel = cancel;
	}
	return hand(future, &handed, sink, target, err);
}

static int hand_asked(struct future *future, const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_question *question = future->question;
	struct handed handed;
	if (!question->asked)
		return SL_OK;
	copy_row(&handed, question->asked);
	handed.row.col[SL_COL_SUBMIT] = question->state->now;
	const double run = question->asked_factor * (double)run_of(future, question->asked_like, 0);
	const double limit = (double)question->asked_job->limit;
	future->cut = run > limit;
	handed.row.col[SL_COL_RUN] = (sl_time)(run < 1 ? 1 : future->cut ? limit : run);
	future->run[question->targets - 1] = handed.row.col[SL_COL_RUN];
	return hand(future, &handed, sink, question->targets - 1, err);
}

/* As long as it ran; as may be, where that was not known yet. */
static sl_time arrival_run(const struct future *future, const struct forecast_arrival *arrival, int64_t id)
{
	const struct forecast_question *question = future->question;
	struct forecast_job job = question->learned->job[arrival->job];
	if (job.end != SL_NONE && job.start != SL_NONE)
		return job.end - job.start;
	job.id = id;
	return forecast_run_drawn(question->learned->history, &job,
		job.start == SL_NONE ? 0 : question->learned->until - job.start, question->seed,
		future->number);
}

static int hand_arrival(struct future *future, const struct forecast_arrival *arrival,
	const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_log *log = future->question->log;
	const uint32_t job = future->question->learned->of[arrival->job];
	const struct forecast_job *was = &log->job[job];
	struct handed handed;
	copy_row(&handed, &log->row[job]);
	not_placed(&handed);
	const sl_time by = arrival->submit - was->submit;
	handed.row.col[SL_COL_SUBMIT] = arrival->submit;
	handed.row.col[SL_COL_WAIT] = SL_NONE;
	handed.row.col[SL_COL_ID] = INT64_C(1) << 50 | (arrival - future->arrival);
	handed.row.col[SL_COL_RUN] = arrival_run(future, arrival, handed.row.col[SL_COL_ID]);
	if (handed.row.more) {
		handed.more.id = NULL;
		handed.more.gang = NULL;
	}
	if (handed.row.more && handed.more.job) {
		sl_time *time[] = { &handed.job.begin, &handed.job.deadline };
		for (size_t i = 0; i < SL_LEN(time); i++)
			if (*time[i] != SL_NONE)
				*time[i] += by;
		handed.job.dependency = NULL;
		handed.job.array = handed.job.array_task = handed.job.array_limit = SL_NONE;
	}
	return hand(future, &handed, sink, UINT32_MAX, err);
}

static int hand_header(const struct forecast_log *log, const struct sl_sink *sink, struct sl_err *err)
{
	const struct sl_place at = { log->name, 0, 0 };
	char text[32];
	int status = SL_OK;
	for (size_t i = 0; i < log->header_count && !status; i++)
		status = sink->header(sink->self, log->key[i], log->value[i], &at, err);
	if (!status && log->epoch > 0) {
		*sl_put_i64(text, log->epoch) = '\0';
		status = sink->header(sink->self, "UnixStartTime", text, &at, err);
	}
	if (!status && log->utc_offset) {
		*sl_put_i64(text, log->utc_offset) = '\0';
		status = sink->header(sink->self, "TimeZone", text, &at, err);
	}
	return status;
}

/* Those of now, in the order of submission. */
static int hand_state(struct future *future, const struct sl_sink *sink, struct sl_err *err)
{
	const struct forecast_question *question = future->question;
	const struct forecast_state *state = question->state;
	const struct forecast_learned *learned = question->learned;
	const uint32_t used = future->used_for ? learned->count : 0;
	uint32_t r = 0;
	uint32_t w = 0;
	uint32_t target = 0;
	int status = SL_OK;
	for (uint32_t i = 0; i < used && !status; i++)
		if (forecast_is_used(question, future->used_for, i))
			status = hand_used(future, learned->of[i], sink, err);
	while (!status && (r < state->running_count || w < state->waiting_count)) {
		if (w == state->waiting_count ||
			(r < state->running_count && state->running[r] < state->waiting[w])) {
			status = hand_running(future, state->running[r++], sink, err);
			continue;
		}
		const uint32_t job = state->waiting[w++];
		const uint32_t named = question->targets - (question->asked != NULL);
		while (target < named && question->target[target] < job)
			target++;
		const bool is = target < named && question->target[target] == job;
		status = hand_waiting(future, job, is ? target : UINT32_MAX, sink, err);
	}
	return status;
}

static int hand_all(void *self, const struct sl_sink *sink, struct sl_err *err)
{
	struct future *future = self;
	int status = hand_header(future->question->log, sink, err);
	if (!status)
		status = hand_state(future, sink, err);
	if (!status)
		status = hand_asked(future, sink, err);
	for (size_t i = 0; i < future->arrival_count && !status; i++)
		status = hand_arrival(future, &future->arrival[i], sink, err);
	return status;
}

static int on_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	(void)row;
	(void)err;
	struct future *future = self;
	if (!gone)
		future->emitted[future->kept++] = future->at;
	return SL_OK;
}

static int time_setting(struct future *future, const char *key, sl_time time, struct sl_err *err)
{
	char text[64];
	char *end = stpcpy(text, key);
	*sl_put_micro(end, time) = '\0';
	return settings_add(&future->settings, text, err);
}

/* Somebody was submitted before now; else the replay begins with whom it is asked for. */
static bool has_begun(const struct future *future)
{
	const struct forecast_question *question = future->question;
	const struct forecast_state *state = question->state;
	if (!takes_over(question))
		return false;
	return state->running_count || future->used_for ||
	       (state->waiting_count && question->log->job[state->waiting[0]].submit < state->now);
}

static int future_settings(struct future *future, struct sl_err *err)
{
	const sl_time day = 86400 * SL_SECOND;
	const struct forecast_question *question = future->question;
	const sl_time now = question->state->now;
	int status =
		forecast_settings(question->base, FORECAST_SET_FUTURE, &future->settings, future->arena, err);
	if (!status)
		status = time_setting(future,
			"replay.until=", now + (4 * question->horizon > day ? 4 * question->horizon : day),
			err);
	if (!status && has_begun(future))
		status = time_setting(future, "replay.from=", now, err);
	if (!status && has_begun(future))
		status = settings_add(&future->settings, "replay.start=recorded", err);
	if (!status && has_begun(future) && future->used_for)
		status = time_setting(future, "replay.before=", future->used_for, err);
	return status;
}

int future_load(struct future *future, struct sl_err *err)
{
	const struct forecast_question *question = future->question;
	const struct forecast_state *state = question->state;
	int status = question->by_limit
			     ? SL_OK
			     : forecast_arrivals_drawn(question->learned->arrivals, state->now,
				       state->now + question->horizon, question->seed, future->number,
				       &future->arrival, &future->arrival_count, err);
	const size_t own = state->running_count + state->waiting_count + future->arrival_count + 1;
	size_t rows = own;
	future->used_for = takes_over(question) ? forecast_used_for(question) : 0;
	for (uint32_t i = 0; future->used_for && i < question->learned->count; i++)
		rows += forecast_is_used(question, future->used_for, i);
	if (rows == own)
		future->used_for = 0;
	future->arena = sl_arena_new();
	future->emitted = malloc(rows * sizeof(*future->emitted));
	future->run = calloc(question->targets + 1, sizeof(*future->run));
	if (!status && (!future->arena || !future->emitted || !future->run))
		status = sl_fail_memory(err);
	if (!status)
		status = future_settings(future, err);
	if (status)
		return status;
	const struct scenario_source source = { future, rows, hand_all };
	const struct scenario_watch watch = { future, NULL, on_row, NULL };
	struct scenario_options options = question->base->options;
	options.trace = question->log->name;
	options.source = &source;
	options.watch = &watch;
	options.settings = &future->settings;
	options.from = options.to = options.until = options.tz = NULL;
	options.jobs_max = 0;
	options.strict = false;
	status = scenario_load(&future->scenario, &options, err);
	SL_CHECK(status || future->scenario.jobs.count == future->kept);
	return status;
}

void future_release(struct future *future)
{
	if (future->scenario.arena)
		scenario_release(&future->scenario);
	free(future->arrival);
	free(future->emitted);
	free(future->run);
	if (future->arena)
		sl_arena_free(future->arena);
}
