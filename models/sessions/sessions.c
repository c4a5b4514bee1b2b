/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sessions.c - interactive sessions: users who hold GPUs, mostly idle, and end by hand or at the limit.
 *
 * In the working hours of each working day a user opens sessions, so many on average: their number is
 * Poisson, their times uniform, which is a Poisson process of constant rate within these hours. A session is
 * meant for a hold time, lognormal. Then its user ends it; or forgets it, and it runs idle to its limit. One
 * that is meant for longer than the limit is cut there. A share of the time for which it is used the GPUs are
 * active.
 *
 * That notebook sessions reserve GPUs for all their life and do not use them during most of it is measured by
 * Carver and others; that idle kernels live for half a day is what Jupyter Enterprise Gateway recommends
 * (cull_idle_timeout, 43 200 s), and is the limit here. Neither gives distributions to draw from: the form of
 * the hold time, its median and spread, the chance to be forgotten, how often sessions are opened and what
 * they request are plain assumptions, to be replaced by those of one's own users.
 *
 * Each quantity of each user draws from a stream of its own: one more user, or another limit, moves no draw.
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/plugin.h"

#define MICRO INT64_C(1000000)
#define DAY   (86400 * SL_SECOND)

enum { USERS_MAX = 1000000, DAYS_MAX = 3660, SESSIONS_MAX = 50000000, WEEK = 7 };
enum param {
	USERS,
	DAYS,
	SESSIONS,
	FROM,
	UNTIL,
	WEEKDAYS,
	GPUS,
	GPU_TYPE,
	CPUS,
	MEMORY,
	PARTITION,
	HOLD,
	HOLD_SIGMA,
	FORGOTTEN,
	LIMIT,
	ACTIVE,
	ACTIVE_SPREAD
};

static const struct sl_param params[] = {
	[USERS] = { "users", SL_PARAM_INT, "20", "1..1000000", "how many users", 1, USERS_MAX },
	[DAYS] = { "days", SL_PARAM_INT, "28", "1..3660", "for how many days, from a Monday's midnight on", 1,
		DAYS_MAX },
	[SESSIONS] = { "sessions", SL_PARAM_REAL, "1", "0.001..100",
		"that a user opens in a working day, on average", 1000, 100 * MICRO },
	[FROM] = { "from", SL_PARAM_TIME, "9h", "0h..24h",
		"working hours: sessions are opened from then, of the day", 0, DAY },
	[UNTIL] = { "until", SL_PARAM_TIME, "18h", "0h..24h", "working hours: until then", 0, DAY },
	[WEEKDAYS] = { "weekdays", SL_PARAM_INT, "5", "1..7", "working days: the first so many of each week",
		1, WEEK },
	[GPUS] = { "gpus", SL_PARAM_REAL, "1", "0..64",
		"GPUs of a session: a whole number, or a share of one in thousandths", 0, 64 * MICRO },
	[GPU_TYPE] = { "gpu_type", SL_PARAM_TEXT, NULL, NULL, "of this type; default: of any", 0, 0 },
	[CPUS] = { "cpus", SL_PARAM_INT, "4", "1..1024", "cpus of a session", 1, 1024 },
	[MEMORY] = { "memory", SL_PARAM_TEXT, "32G", NULL, "memory of a session, as 32G or in MiB", 0, 0 },
	[PARTITION] = { "partition", SL_PARAM_TEXT, NULL, NULL, "to which they go; default: none is said", 0,
		0 },
	[HOLD] = { "hold", SL_PARAM_TIME, "2h", "1s..365d", "median of the time for which a session is used",
		SL_SECOND, 365 * DAY },
	[HOLD_SIGMA] = { "hold_sigma", SL_PARAM_REAL, "1", "0..5",
		"standard deviation of the logarithm of that time", 0, 5 * MICRO },
	[FORGOTTEN] = { "forgotten", SL_PARAM_REAL, "0.1", "0..1",
		"chance that a session is not ended by hand, and runs to its limit", 0, MICRO },
	[LIMIT] = { "limit", SL_PARAM_TIME, "12h", "1s..365d", "a session is ended after that time",
		SL_SECOND, 365 * DAY },
	[ACTIVE] = { "active", SL_PARAM_REAL, "0.3", "0..1",
		"of the time for which a session is used, how much its GPUs are active, on average", 0,
		MICRO },
	[ACTIVE_SPREAD] = { "active_spread", SL_PARAM_REAL, "0.2", "0..0.5",
		"that share is uniform within so much of its average", 0, MICRO / 2 },
};

struct session {
	sl_time submit;
	int64_t hold; /* For which it is used, in seconds. */
	uint32_t user, number;
	int32_t active; /* Of that, in millionths. */
	bool forgotten;
};

struct source {
	const struct sl_value *values; /* In the order of params. */
	struct session *session;
	size_t count, capacity;
	int64_t memory; /* MiB; SL_NONE: not said. */
};

static int64_t sessions_number(const struct source *w, enum param param) { return w->values[param].number; }

/* ---- Drawing ------------------------------------------------------------------------------------ */

static struct sl_rng stream_of(uint64_t seed, uint32_t user, const char *what)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "models/sessions/%u/%s", user, what);
	return sl_rng_stream(seed, name);
}

/* Whole seconds, at least 1; what is longer than any limit is that long. */
static int64_t draw_hold(const struct source *w, struct sl_rng *rng)
{
	const double longest = 1e9;
	const gsl_rng over = { .type = sl_rng_gsl(), .state = rng };
	const double median = (double)sessions_number(w, HOLD) / (double)SL_SECOND;
	const double drawn =
		gsl_ran_lognormal(&over, log(median), (double)sessions_number(w, HOLD_SIGMA) / 1e6);
	const double rounded = floor((drawn < longest ? drawn : longest) + 0.5);
	return rounded > 1 ? (int64_t)rounded : 1;
}

static int32_t draw_active(const struct source *w, struct sl_rng *rng)
{
	const int64_t spread = sessions_number(w, ACTIVE_SPREAD);
	return (int32_t)(sessions_number(w, ACTIVE) - spread +
			 (int64_t)sl_rng_below(rng, 2 * (uint64_t)spread + 1));
}

static bool sessions_add(struct source *w, const struct session *session)
{
	if (SL_GROW(w->session, w->capacity, w->count + 1, NULL))
		return false;
	w->session[w->count++] = *session;
	return true;
}

/* The streams of a user: each has one use. */
struct streams {
	struct sl_rng arrival, hold, forgotten, active;
};

static int draw_user(struct source *w, uint64_t seed, uint32_t user, struct sl_err *err)
{
	struct streams s = { stream_of(seed, user, "arrival"), stream_of(seed, user, "hold"),
		stream_of(seed, user, "forgotten"), stream_of(seed, user, "active") };
	const gsl_rng arrival = { .type = sl_rng_gsl(), .state = &s.arrival };
	const sl_time from = sessions_number(w, FROM);
	const uint64_t seconds = (uint64_t)((sessions_number(w, UNTIL) - from) / SL_SECOND);
	struct session session = { .user = user };
	for (int64_t day = 0; day < sessions_number(w, DAYS); day++) {
		if (day % WEEK >= sessions_number(w, WEEKDAYS))
			continue;
		const unsigned opened = gsl_ran_poisson(&arrival, (double)sessions_number(w, SESSIONS) / 1e6);
		for (unsigned i = 0; i < opened; i++, session.number++) {
			session.submit =
				day * DAY + from + (sl_time)sl_rng_below(&s.arrival, seconds) * SL_SECOND;
			session.hold = draw_hold(w, &s.hold);
			session.forgotten = (int64_t)sl_rng_below(&s.forgotten, (uint64_t)MICRO) <
					    sessions_number(w, FORGOTTEN);
			session.active = draw_active(w, &s.active);
			if (!sessions_add(w, &session))
				return sl_fail_memory(err);
		}
	}
	return SL_OK;
}

static int by_submit(const void *a, const void *b)
{
	const struct session *x = a;
	const struct session *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* ---- Rows --------------------------------------------------------------------------------------- */

static int emit_header(const struct sl_sink *sink, struct sl_err *err)
{
	static const char *const line[][2] = {
		{ "Computer", "synthetic" },
		{ "UnixStartTime", "0" },
		{ "Note",
			"interactive sessions: Poisson in working hours, lognormal hold times, ended by hand "
			"or at the limit" },
		{ "Note", "zero is the midnight before a Monday" },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(line) && !status; i++)
		status = sink->header(sink->self, line[i][0], line[i][1], NULL, err);
	return status;
}

/* Whole GPUs are counted as such; a share makes all amounts of the group thousandths. */
static void set_group(const struct source *w, struct sl_row_group *group)
{
	const int64_t gpus = sessions_number(w, GPUS);
	const int64_t parts = gpus % MICRO ? 1000 : 1;
	*group = (struct sl_row_group){ .tasks = 1,
		SL_ROW_GROUP_NOTHING,
		.cpus = sessions_number(w, CPUS) * parts,
		.mem = w->memory,
		.gpus = gpus ? gpus * parts / MICRO : SL_NONE,
		.gpu_type = gpus ? w->values[GPU_TYPE].text : NULL,
		.parts = (uint32_t)parts };
}

static int emit_session(const struct source *w, size_t i, const struct sl_sink *sink, struct sl_err *err)
{
	const struct session *s = &w->session[i];
	const int64_t limit = sessions_number(w, LIMIT) / SL_SECOND;
	const bool cut = s->forgotten || s->hold >= limit;
	const int64_t run = cut ? limit : s->hold;
	const int64_t used = s->hold < run ? s->hold : run;
	const int64_t active = sl_mul_div(s->active, used, run);
	char user[32];
	struct sl_row_group group;
	const struct sl_job_attributes job = { .name = "session",
		SL_JOB_ATTRIBUTES_NONE,
		.priority = SL_NONE,
		.state_recorded = cut ? SL_TIMEOUT : SL_COMPLETED };
	const struct sl_row_attributes more = { .user = user,
		.partition = w->values[PARTITION].text,
		.group = &group,
		.group_count = 1,
		.job = &job,
		.gpu_active = sessions_number(w, GPUS) ? &active : NULL };
	struct sl_row row = { .line = i + 1, .more = &more };
	(void)snprintf(user, sizeof(user), "user%u", s->user + 1);
	set_group(w, &group);
	for (size_t col = 0; col < SL_COL_COUNT; col++)
		row.col[col] = SL_NONE;
	row.col[SL_COL_ID] = (int64_t)i + 1;
	row.col[SL_COL_SUBMIT] = s->submit;
	row.col[SL_COL_RUN] = run * SL_SECOND;
	row.col[SL_COL_LIMIT] = limit * SL_SECOND;
	row.col[SL_COL_STATUS] = !cut; /* SWF's, which takes what was cut for failed. */
	return sink->job(sink->self, &row, err);
}

/* ---- The model ---------------------------------------------------------------------------------- */

static int check_share(const struct source *w, struct sl_err *err)
{
	const int64_t gpus = sessions_number(w, GPUS);
	const int64_t active = sessions_number(w, ACTIVE);
	const int64_t spread = sessions_number(w, ACTIVE_SPREAD);
	if (gpus % 1000 || (gpus > MICRO && gpus % MICRO))
		return sl_fail(err, SL_USAGE,
			"'gpus' of '%s': give a whole number, or a share of one GPU in thousandths",
			w->values[GPUS].text);
	if (spread > active || spread > MICRO - active)
		return sl_fail(err, SL_USAGE,
			"'active_spread' of '%s' goes beyond 0 or 1 around 'active': give at most the smaller "
			"of active and 1 - active",
			w->values[ACTIVE_SPREAD].text);
	return SL_OK;
}

static int sessions_check(struct source *w, struct sl_err *err)
{
	const char *memory = w->values[MEMORY].text;
	w->memory = SL_NONE;
	if (*memory && !sl_get_memory(memory, strlen(memory), true, &w->memory))
		return sl_fail(err, SL_USAGE,
			"'memory' of '%s' is no size of memory: give it as 32G, or in MiB", memory);
	if (sessions_number(w, UNTIL) - sessions_number(w, FROM) < SL_SECOND)
		return sl_fail(err, SL_USAGE, "'until' must be later than 'from'");
	if (sessions_number(w, LIMIT) % SL_SECOND)
		return sl_fail(err, SL_USAGE, "'limit' of '%s': give whole seconds", w->values[LIMIT].text);
	const __int128 expected = (__int128)sessions_number(w, USERS) * sessions_number(w, DAYS) *
				  sessions_number(w, SESSIONS) / MICRO;
	if (expected > SESSIONS_MAX)
		return sl_fail(err, SL_USAGE,
			"users * days * sessions is more than %d: give fewer of one of them", SESSIONS_MAX);
	return check_share(w, err);
}

static int sessions_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	/* Its default is to abort; idempotent, and the only thing shared. */
	gsl_set_error_handler_off();
	struct source w = { .values = values };
	SL_CHECK(count == SL_LEN(params));
	int status = sessions_check(&w, err);
	for (uint32_t user = 0; user < sessions_number(&w, USERS) && !status; user++)
		status = draw_user(&w, seed, user, err);
	if (!status && w.session) {
		qsort(w.session, w.count, sizeof(*w.session), by_submit);
		status = emit_header(sink, err);
	} else if (!status) {
		status = sl_fail(
			err, SL_USAGE, "not one session was drawn: give more users, days or sessions");
	}
	for (size_t i = 0; i < w.count && !status; i++)
		status = emit_session(&w, i, sink, err);
	free(w.session);
	return status;
}

const struct sl_generator model_sessions = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "sessions",
	.summary = "interactive sessions: users hold GPUs, mostly idle, and end by hand or at a limit",
	.paper =
		"that sessions reserve GPUs and leave them idle for most of their life: B. Carver and others, "
		"\"NotebookOS: A replicated notebook platform for interactive training with on-demand GPUs\", "
		"ASPLOS 2026; distributions and defaults are assumptions",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = sessions_generate,
};
