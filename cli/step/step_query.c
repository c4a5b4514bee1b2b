/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_query.c - why a job waits now; and the question who starts next, its answer, and why.
 *
 * A question is asked at an instant, after its events and before its decisions, where one may be wrong: two
 * jobs wait at least, and not all of them start. Any of those that start then is a right answer.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

#define TEXT(stepper, ...) report_text(&(stepper)->explain, __VA_ARGS__)

/* ---- Why ------------------------------------------------------------------------------------------- */

static const char *cpus_words(const struct stepper *stepper, int64_t cpus)
{
	char number[48];
	const int64_t parts = stepper->explain.view.cluster->cpu_parts;
	return TEXT(stepper, "%s cpu%s", parts_text(number, cpus, parts), cpus == sl_parts(parts) ? "" : "s");
}

/* What explain says of the engine's state. */
static void report_look(
	struct stepper *stepper, uint32_t job, enum sl_reason reason, struct report_lines *reported)
{
	struct explain *explain = &stepper->explain;
	struct look look = { 0 };
	const struct charge charge = { .from = stepper->now, .until = stepper->now, .reason = reason };
	explain->job = job;
	explain->id = id_text(explain, job);
	look_at(explain, &stepper->sim, &charge, &look);
	for (size_t i = 0; i < look.said_count; i++)
		report_line(stepper, reported, "- %s", plain_text(explain, look.said[i]));
}

static void report_waits(struct stepper *stepper, uint32_t job, struct report_lines *reported)
{
	const struct explain *explain = &stepper->explain;
	const enum sl_reason reason = reason_now(stepper, job);
	const sl_time since = waits_since(stepper, job);
	const sl_time plan = planned_now(stepper, job);
	report_line(stepper, reported, "%s waits since %s, %s by now: %s", job_words(stepper, job),
		time_text(explain, since), range_text(explain, stepper->now - since),
		asks_words(stepper, job));
	if (stepper->displayed || stepper->asked) {
		report_line(stepper, reported, "its policy has not decided yet at %s: ask again once it has",
			time_text(explain, stepper->instant[stepper->at].at));
		return;
	}
	if (reason != SL_REASON_NONE)
		report_line(stepper, reported, "%s: %s", sl_reason_name(reason), sl_reason_words(reason));
	report_look(stepper, job, reason, reported);
	if (plan != SL_NONE && plan != SL_NEVER)
		report_line(stepper, reported, "- its start is planned for %s", time_text(explain, plan));
}

/* By which rule it started last, as far as was stepped. */
static void report_started(struct stepper *stepper, uint32_t job, struct report_lines *reported)
{
	struct backwards at = step_latest(stepper);
	const struct happening *one;
	while ((one = step_before(stepper, &at)) && (one->row != job || one->what != HAPPENED_START))
		;
	if (one)
		report_line(stepper, reported, "at %s %s",
			time_text(&stepper->explain, stepper->instant[at.instant].at),
			happening_words(stepper, at.instant, at.number));
}

static bool waits_now(struct stepper *stepper, uint32_t job)
{
	struct picture picture;
	struct sl_err none = { 0 };
	if (picture_take(stepper, &picture, &none))
		return false;
	for (size_t i = 0; i < picture.waiting_count; i++)
		if (picture.waiting[i].job == job)
			return !(picture.waiting[i].flags & FLAG_STARTS);
	return false;
}

/* What is shown of the instant says that it is over. */
static bool is_displayed_over(const struct stepper *stepper, uint32_t job)
{
	for (uint32_t i = 0; i < stepper->displayed; i++) {
		const struct happening *one = step_happening(stepper, stepper->at, i);
		if (one->row == job && is_over(one))
			return true;
	}
	return false;
}

void report_why(struct stepper *stepper, uint32_t job, struct report_lines *reported)
{
	const struct explain *explain = &stepper->explain;
	const struct sl_pass *pass = sim_state(&stepper->sim);
	const char *name = job_words(stepper, job);
	if (waits_now(stepper, job)) {
		report_waits(stepper, job, reported);
		return;
	}
	const enum sl_state state = (enum sl_state)pass->job_state[job];
	if (is_displayed_over(stepper, job))
		report_line(stepper, reported, "%s is over since %s", name, time_text(explain, stepper->now));
	else if (pass->end[job] != SL_NONE)
		report_line(stepper, reported, "%s is over since %s (%s)", name,
			time_text(explain, pass->end[job]), sl_state_name(state));
	else if (state == SL_RUNNING)
		report_line(
			stepper, reported, "%s runs since %s", name, time_text(explain, pass->start[job]));
	else if (state == SL_SUSPENDED)
		report_line(stepper, reported, "%s is suspended; it started at %s", name,
			time_text(explain, pass->start[job]));
	else if (submitted_at(stepper, job) >= stepper->now)
		report_line(stepper, reported, "%s is not submitted yet: that is at %s", name,
			time_text(explain, submitted_at(stepper, job)));
	report_started(stepper, job, reported);
}

/* ---- The question ---------------------------------------------------------------------------------------
 */

/* Jobs that start in that instant. */
static uint32_t starts_in(const struct stepper *stepper, size_t instant)
{
	uint32_t starts = 0;
	for (uint32_t i = 0; i < stepper->instant[instant].count; i++)
		starts += step_happening(stepper, instant, i)->what == HAPPENED_START;
	return starts;
}

int question_find(struct stepper *stepper, bool *found, struct sl_err *err)
{
	*found = stepper->asked;
	size_t at = stepper->at;
	if (stepper->displayed > 0 && !*found && at < stepper->instant_count &&
		stepper->displayed > step_events(stepper, at))
		at++; /* Some of its decisions were shown. */
	for (; !*found && at < stepper->instant_count; at++) {
		struct picture picture;
		const uint32_t starts = starts_in(stepper, at);
		const uint32_t events = step_events(stepper, at);
		if (!starts || events == stepper->instant[at].count)
			continue;
		int status = step_fresh(stepper, err);
		if (!status)
			status = step_to(stepper, at, events, err);
		if (!status)
			status = picture_take(stepper, &picture, err);
		if (status)
			return status;
		*found = picture.waiting_count >= 2 && picture.waiting_count > starts;
	}
	stepper->asked = *found;
	return SL_OK;
}

static const char *free_words(const struct stepper *stepper, const struct picture *picture)
{
	const struct sl_cluster *cluster = stepper->explain.view.cluster;
	char number[48];
	char of[48];
	const char *cpus =
		TEXT(stepper, "%s of %s cpus", parts_text(number, picture->cpus_free, cluster->cpu_parts),
			parts_text(of, stepper->explain.view.scenario->cpus, cluster->cpu_parts));
	if (!cluster->gpus)
		return cpus;
	return TEXT(stepper, "%s of %s GPUs, %s", parts_text(number, picture->gpus_free, cluster->gpu_parts),
		parts_text(of, cluster->gpus, cluster->gpu_parts), cpus);
}

static const char *starters_words(const struct stepper *stepper, size_t instant);

static void put_candidate(const struct stepper *stepper, uint32_t job, struct cell *cell)
{
	const sl_time limit = stepper->explain.view.jobs->limit[job];
	cell_put(cell, " [%s %s, %s]", job_words(stepper, job), brief_words(stepper, job),
		limit >= SL_TIME_MOST ? "no limit" : range_text(&stepper->explain, limit));
}

/* "12 s  free 3 of 8 cpus  queue [J4 6 cpus, 10 s] [J5 2 cpus, 8 s]" */
void report_question(struct stepper *stepper, struct report_lines *reported)
{
	enum { DISPLAYED = 12 };
	struct picture picture;
	struct sl_err none = { 0 };
	struct cell queue = { 0 };
	if (picture_take(stepper, &picture, &none))
		return;
	for (size_t i = 0; i < picture.waiting_count && i < DISPLAYED; i++)
		put_candidate(stepper, picture.waiting[i].job, &queue);
	if (picture.waiting_count > DISPLAYED)
		cell_put(&queue, " and %zu more", picture.waiting_count - DISPLAYED);
	report_line(stepper, reported, "%s  queue%s  free %s", time_text(&stepper->explain, stepper->now),
		queue.text ? queue.text : "", free_words(stepper, &picture));
	if (stepper->answers)
		report_line(stepper, reported, "answer: %s", starters_words(stepper, stepper->at));
	report_line(stepper, reported, "predict: which job starts next?");
	cell_free(&queue);
}

/* ---- The answer
 * --------------------------------------------------------------------------------------------- */

/* What was there before the decisions. */
struct asked {
	sl_time at;
	size_t instant;
	int64_t cpus_free;
	bool pool;
	uint32_t head; /* The beneficiary for which others were skipped; UINT32_MAX: none. */
	sl_time plan;  /* Its planned start. */
	int64_t spare; /* Cpus that it leaves over then, by the limits of what ran. */
};

static void desc_head(const struct stepper *stepper, const struct picture *picture, struct asked *asked)
{
	const struct instant *instant = &stepper->instant[asked->instant];
	struct sl_pass *pass = &stepper->sim.engine->sim;
	for (uint32_t i = 0; i < instant->count; i++) {
		const struct happening *one = step_happening(stepper, asked->instant, i);
		if (one->what == HAPPENED_START && one->rule == SL_RULE_BACKFILL &&
			one->beneficiary != UINT32_MAX)
			asked->head = one->beneficiary;
	}
	asked->plan =
		asked->head == UINT32_MAX ? SL_NONE : planned_start(stepper, asked->instant, asked->head);
	if (asked->plan == SL_NONE)
		return;
	asked->spare = picture->cpus_free - job_cpus(stepper, asked->head);
	for (size_t i = 0; i < picture->running_count; i++)
		if (expected_room(pass, picture->running[i]) <= asked->plan)
			asked->spare += job_cpus(stepper, picture->running[i]);
}

static int desc_now(struct stepper *stepper, struct asked *asked, struct sl_err *err)
{
	struct picture picture;
	const int status = picture_take(stepper, &picture, err);
	if (status)
		return status;
	*asked = (struct asked){ .at = stepper->instant[stepper->at].at,
		.instant = stepper->at,
		.cpus_free = picture.cpus_free,
		.pool = !picture.node_cpus,
		.head = UINT32_MAX };
	desc_head(stepper, &picture, asked);
	return SL_OK;
}

/* By the figures before the decisions, where cpus are counted. */
static void report_misfit(
	struct stepper *stepper, const struct asked *asked, uint32_t job, struct report_lines *reported)
{
	const struct explain *explain = &stepper->explain;
	const int64_t size = job_cpus(stepper, job);
	const sl_time end = limit_end(stepper, job, asked->at);
	const char *name = job_words(stepper, job);
	char number[48];
	if (asked->pool && size > asked->cpus_free) {
		report_line(stepper, reported, "%s needs %s, and %s were free", name,
			cpus_words(stepper, size),
			parts_text(number, asked->cpus_free, explain->view.cluster->cpu_parts));
		return;
	}
	if (asked->head == UINT32_MAX || asked->head == job || asked->plan == SL_NONE || end <= asked->plan)
		return;
	const char *spare = asked->pool && size > asked->spare ? TEXT(stepper, ", which leaves %s then",
									 cpus_words(stepper, asked->spare))
							       : "";
	report_line(stepper, reported,
		"%s would end at %s by its limit, after the planned start of %s at %s%s", name,
		time_text(explain, end), job_words(stepper, asked->head), time_text(explain, asked->plan),
		spare);
}

/* True if it starts in that instant. */
static bool starts_then(const struct stepper *stepper, size_t instant, uint32_t job)
{
	for (uint32_t i = 0; i < stepper->instant[instant].count; i++) {
		const struct happening *one = step_happening(stepper, instant, i);
		if (one->what == HAPPENED_START && one->row == job)
			return true;
	}
	return false;
}

static const char *starters_words(const struct stepper *stepper, size_t instant)
{
	enum { DISPLAYED = 6 };
	struct cell cell = { 0 };
	uint32_t count = 0;
	for (uint32_t i = 0; i < stepper->instant[instant].count; i++) {
		const struct happening *one = step_happening(stepper, instant, i);
		if (one->what == HAPPENED_START && count++ < DISPLAYED)
			cell_put(&cell, "%s%s", count > 1 ? ", " : "", job_words(stepper, one->row));
	}
	if (count > DISPLAYED)
		cell_put(&cell, " and %" PRIu32 " more", count - DISPLAYED);
	const char *text =
		TEXT(stepper, "%s %s", cell.text ? cell.text : "nobody", count == 1 ? "starts" : "start");
	cell_free(&cell);
	return text;
}

static void report_starts(struct stepper *stepper, const struct asked *asked, struct report_lines *reported)
{
	enum { DISPLAYED = 4 };
	uint32_t count = 0;
	for (uint32_t i = 0; i < stepper->instant[asked->instant].count && count < DISPLAYED; i++)
		if (step_happening(stepper, asked->instant, i)->what == HAPPENED_START && ++count)
			report_line(stepper, reported, "- %s", happening_words(stepper, asked->instant, i));
	if (asked->head != UINT32_MAX) {
		struct report_lines misfit = { 0 };
		report_misfit(stepper, asked, asked->head, &misfit);
		for (size_t i = 0; i < misfit.count; i++)
			report_line(stepper, reported, "- %s", misfit.line[i]);
		reported_free(&misfit);
	}
}

int question_answer(
	struct stepper *stepper, uint32_t job, bool *right, struct report_lines *reported, struct sl_err *err)
{
	struct asked asked;
	int status = desc_now(stepper, &asked, err);
	if (!status)
		status = step_to(stepper, asked.instant + 1, 0, err);
	if (status)
		return status;
	*right = job != UINT32_MAX && starts_then(stepper, asked.instant, job);
	stepper->guesses++;
	stepper->right += *right;
	report_line(stepper, reported, "%s: at %s %s%s", *right ? "right" : "wrong",
		time_text(&stepper->explain, asked.at), starters_words(stepper, asked.instant),
		*right ? ""
		       : TEXT(stepper, ", not %s", job == UINT32_MAX ? "nobody" : job_words(stepper, job)));
	report_starts(stepper, &asked, reported);
	if (*right || job == UINT32_MAX || !waits_now(stepper, job))
		return SL_OK;
	if (job != asked.head)
		report_misfit(stepper, &asked, job, reported);
	report_line(stepper, reported, "once they have started, for %s:", job_words(stepper, job));
	report_look(stepper, job, reason_now(stepper, job), reported);
	return SL_OK;
}

int quiz_goes_on(struct stepper *stepper, struct report_lines *reported, struct sl_err *err)
{
	bool found = false;
	if (!stepper->quiz)
		return SL_OK;
	const int status = quiz_is_on(stepper) ? question_find(stepper, &found, err) : SL_OK;
	if (found)
		report_question(stepper, reported);
	else if (!status)
		report_score(stepper, reported);
	if (!found && quiz_is_on(stepper)) {
		report_line(stepper, reported, "there are no more questions in this run");
		stepper->quiz = stepper->guesses;
	}
	return status;
}

void report_score(struct stepper *stepper, struct report_lines *reported)
{
	const uint32_t left = stepper->quiz > stepper->guesses ? stepper->quiz - stepper->guesses : 0;
	report_line(stepper, reported, "score: %" PRIu32 " of %" PRIu32 " right%s", stepper->right,
		stepper->guesses,
		left ? report_text(&stepper->explain, ", %" PRIu32 " of the quiz not answered", left) : "");
}
