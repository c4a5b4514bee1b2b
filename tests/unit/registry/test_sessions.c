/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sessions.c - interactive sessions, parameter by parameter, through the interface that `generate` uses.
 *
 * Seeds are fixed, so nothing here fails by chance; bounds on means are six standard deviations wide.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"

#define DAY  INT64_C(86400)
#define HOUR INT64_C(3600)

/* What a row says, in seconds. */
struct session {
	int64_t id, submit, run, limit, user;
	int64_t cpus, mem, gpus, active; /* active: SL_NONE: not said. */
	uint32_t parts;
	enum sl_state state;
	char type[16], partition[16], name[16];
};

struct made {
	struct session *session;
	size_t count, capacity;
	struct sl_arena *arena;
	struct sl_err err;
	int status;
};

static int take_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct made *made = self;
	const struct sl_row_attributes *more = row->more;
	const int status = SL_GROW_MOST(made->session, made->capacity, made->count + 1, 1 << 24, err);
	if (status)
		return status;
	cr_assert_eq(more->group_count, 1);
	cr_assert_eq(more->group->tasks, 1);
	struct session *s = &made->session[made->count++];
	*s = (struct session){ .id = row->col[SL_COL_ID],
		.submit = row->col[SL_COL_SUBMIT] / SL_SECOND,
		.run = row->col[SL_COL_RUN] / SL_SECOND,
		.limit = row->col[SL_COL_LIMIT] / SL_SECOND,
		.cpus = more->group->cpus,
		.mem = more->group->mem,
		.gpus = more->group->gpus,
		.parts = more->group->parts,
		.active = more->gpu_active ? *more->gpu_active : SL_NONE,
		.state = more->job->state_recorded };
	cr_assert_eq(strncmp(more->user, "user", 4), 0);
	cr_assert(sl_get_i64(more->user + 4, strlen(more->user) - 4, &s->user));
	(void)snprintf(s->name, sizeof(s->name), "%s", more->job->name);
	(void)snprintf(s->type, sizeof(s->type), "%s", more->group->gpu_type ? more->group->gpu_type : "");
	(void)snprintf(s->partition, sizeof(s->partition), "%s", more->partition ? more->partition : "");
	cr_expect_eq(row->col[SL_COL_STATUS], s->state == SL_COMPLETED);
	return SL_OK;
}

static int take_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)self, (void)key, (void)value, (void)at, (void)err;
	return SL_OK;
}

static struct made make(const char *text, uint64_t seed)
{
	struct made made = { .arena = sl_arena_new() };
	const struct sl_generator *model = sl_by_name(builtin_registry()->known.generators, "sessions");
	cr_assert_not_null(model);
	struct sl_value *values = sl_alloc(made.arena, model->param_count, sizeof(*values));
	made.status = values_parse(values,
		&(struct param_list){ model->params, model->param_count, model->name, NULL, made.arena },
		text, &made.err);
	const struct sl_sink sink = { .self = &made, .job = take_job, .header = take_header };
	if (!made.status)
		made.status = model->generate(values, model->param_count, seed, &sink, &made.err);
	return made;
}

static void release(struct made *made)
{
	free(made->session);
	sl_arena_free(made->arena);
}

static struct made made_well(const char *text)
{
	struct made made = make(text, 1);
	cr_assert_eq(made.status, SL_OK, "%s: %s", text, made.err.text);
	return made;
}

/* Working hours and days are kept to the second, zero is a Monday; rows are in submit order, with ids from 1.
 */
Test(sessions, are_opened_in_working_hours)
{
	struct made made = made_well("users=50,days=21,sessions=3,from=9h,until=33000,weekdays=2");
	int64_t least = DAY;
	int64_t most = 0;
	for (size_t i = 0; i < made.count; i++) {
		const struct session *s = &made.session[i];
		const int64_t of_day = s->submit % DAY;
		least = of_day < least ? of_day : least;
		most = of_day > most ? of_day : most;
		cr_expect_lt(s->submit / DAY % 7, 2);
		cr_expect_lt(s->submit / DAY, 21);
		cr_expect_eq(s->id, (int64_t)i + 1);
		cr_expect(i == 0 || s->submit >= made.session[i - 1].submit);
	}
	/* About 900 sessions over 600 seconds. */
	cr_expect(least >= 9 * HOUR && least < 9 * HOUR + 10, "first at %lld", (long long)least);
	cr_expect(most < 9 * HOUR + 600 && most >= 9 * HOUR + 590, "last at %lld", (long long)most);
	cr_expect_geq(made.session[made.count - 1].submit / DAY, 14);
	release(&made);
}

/* So many a user and working day: 100 users, 20 days, 2 of them: 4000, standard deviation sqrt(4000) = 63. */
Test(sessions, are_so_many_on_average)
{
	struct made made = made_well("users=100,days=28,sessions=2");
	int64_t last = 0;
	size_t of_first = 0;
	cr_expect(llabs((long long)made.count - 4000) < 384, "%zu", made.count);
	for (size_t i = 0; i < made.count; i++) {
		last = made.session[i].user > last ? made.session[i].user : last;
		of_first += made.session[i].user == 1;
	}
	cr_expect_eq(last, 100);
	cr_expect(of_first > 2 && of_first < 80, "user1 has %zu", of_first); /* 40, +- 6 * 6.3 */
	release(&made);
}

/* Without spread each is used for the median; with it half of them for less, and ln hold has that deviation.
 */
Test(sessions, are_held_lognormally)
{
	struct made made = made_well("hold=90m,hold_sigma=0,forgotten=0");
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(made.session[i].run, 5400);
	release(&made);

	made = made_well("users=200,hold=100s,hold_sigma=0.5,forgotten=0,limit=365d");
	double sum = 0;
	double squares = 0;
	size_t below = 0;
	for (size_t i = 0; i < made.count; i++) {
		const double x = log((double)made.session[i].run / 100);
		below += made.session[i].run < 100;
		sum += x;
		squares += x * x;
	}
	const double n = (double)made.count; /* About 4000. */
	cr_expect_lt(fabs(sum / n), 6 * 0.5 / sqrt(n));
	cr_expect_lt(fabs(sqrt(squares / n) - 0.5), 6 * 0.5 / sqrt(2 * n));
	cr_expect_lt(fabs((double)below / n - 0.5), 0.05);
	release(&made);
}

/* Whoever is done before the limit ends by hand; who is not, or forgets, at the limit. */
Test(sessions, end_by_hand_or_at_the_limit)
{
	struct made made = made_well("users=100,hold=2h,limit=4h,forgotten=0");
	size_t cut = 0;
	for (size_t i = 0; i < made.count; i++) {
		const struct session *s = &made.session[i];
		cr_expect_eq(s->limit, 4 * HOUR);
		cr_expect_leq(s->run, s->limit);
		cr_expect_eq(s->state, s->run == s->limit ? SL_TIMEOUT : SL_COMPLETED);
		cut += s->state == SL_TIMEOUT;
	}
	/* P(ln hold > ln 2 above the median) = 1 - Phi(0.693) = 0.244; of 2000, deviation 0.0096. */
	cr_expect_lt(fabs((double)cut / (double)made.count - 0.244), 6 * 0.0097);
	release(&made);

	made = made_well("hold=1m,hold_sigma=0,limit=4h,forgotten=1");
	for (size_t i = 0; i < made.count; i++)
		cr_expect(made.session[i].run == 4 * HOUR && made.session[i].state == SL_TIMEOUT);
	release(&made);

	made = made_well("users=100,hold=1m,hold_sigma=0,limit=4h,forgotten=0.25");
	size_t forgotten = 0;
	for (size_t i = 0; i < made.count; i++)
		forgotten += made.session[i].run > 60;
	cr_expect_lt(fabs((double)forgotten / (double)made.count - 0.25), 6 * 0.0097);
	release(&made);
}

/* The share is of the time for which it is used: of 1 h of a forgotten session of 4 h, half is an eighth. */
Test(sessions, are_active_while_they_are_used)
{
	struct made made = made_well("hold=1h,hold_sigma=0,limit=4h,forgotten=0,active=0.5,active_spread=0");
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(made.session[i].active, 500000);
	release(&made);
	made = made_well("hold=1h,hold_sigma=0,limit=4h,forgotten=1,active=0.5,active_spread=0");
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(made.session[i].active, 125000);
	release(&made);
	/* Cut by the limit it was used until then. */
	made = made_well("hold=8h,hold_sigma=0,limit=4h,forgotten=1,active=0.5,active_spread=0");
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(made.session[i].active, 500000);
	release(&made);

	made = made_well("users=100,hold=1h,hold_sigma=0,forgotten=0,active=0.3,active_spread=0.1");
	int64_t least = 1000000;
	int64_t most = 0;
	int64_t sum = 0;
	for (size_t i = 0; i < made.count; i++) {
		const int64_t active = made.session[i].active;
		least = active < least ? active : least;
		most = active > most ? active : most;
		sum += active;
	}
	cr_expect(least >= 200000 && least < 202000, "%lld", (long long)least);
	cr_expect(most <= 400000 && most > 398000, "%lld", (long long)most);
	/* Uniform: deviation 0.1 / sqrt(3); of 2000 the mean's is 0.0013. */
	cr_expect_lt(fabs((double)sum / (double)made.count / 1e6 - 0.3), 6 * 0.0013);
	release(&made);
}

/* What a session requests: whole GPUs, a share in thousandths (its cpus too), or none. */
Test(sessions, needs_what_they_are_reported)
{
	struct made made = made_well("gpus=2,cpus=8,memory=1.5G,gpu_type=a100,partition=night");
	const struct session *s = made.session;
	cr_expect(s->gpus == 2 && s->cpus == 8 && s->mem == 1536 && s->parts == 1);
	cr_expect_str_eq(s->type, "a100");
	cr_expect_str_eq(s->partition, "night");
	cr_expect_str_eq(s->name, "session");
	release(&made);
	made = made_well("gpus=0.25,cpus=2");
	s = made.session;
	cr_expect(s->gpus == 250 && s->cpus == 2000 && s->parts == 1000 && s->mem == 32768);
	cr_expect_str_eq(s->type, "");
	release(&made);
	made = made_well("gpus=0");
	cr_expect(made.session->gpus == SL_NONE && made.session->active == SL_NONE);
	release(&made);
}

/* The same seed gives the same; another user, or limit, moves none of the others' draws; another seed all. */
Test(sessions, draws_are_apart)
{
	struct made few = made_well("users=5");
	struct made more = made_well("users=6");
	struct made retry = make("users=5", 1);
	struct made other = make("users=5", 2);
	struct made limited = made_well("users=5,limit=1h");
	size_t k = 0;
	bool differs = few.count != other.count;
	cr_assert_eq(few.count, retry.count);
	cr_assert_eq(few.count, limited.count);
	for (size_t i = 0; i < few.count; i++) {
		const struct session *s = &few.session[i];
		while (more.session[k].user == 6)
			k++;
		cr_expect(more.session[k].submit == s->submit && more.session[k].run == s->run &&
			  more.session[k].active == s->active);
		k++;
		cr_expect_eq(memcmp(s, &retry.session[i], sizeof(*s)), 0);
		cr_expect_eq(limited.session[i].submit, s->submit);
		cr_expect_eq(limited.session[i].run, s->run < HOUR ? s->run : HOUR);
		differs = differs || s->submit != other.session[i].submit;
	}
	cr_expect(differs);
	release(&few);
	release(&more);
	release(&retry);
	release(&other);
	release(&limited);
}

/* What makes no sense is refused, and said why. */
Test(sessions, refuse_what_makes_no_sense)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "gpus=1.5", "'gpus' of '1.5'" },
		{ "gpus=0.0005", "'gpus' of '0.0005'" },
		{ "active=0.9,active_spread=0.2", "'active_spread' of '0.2'" },
		{ "active=0.1,active_spread=0.2", "'active_spread' of '0.2'" },
		{ "memory=much", "'memory' of 'much'" },
		{ "from=18h,until=9h", "'until'" },
		{ "limit=1.5s", "'limit' of '1.5s'" },
		{ "users=1000000,days=3660", "users * days" },
		{ "users=1,days=1,sessions=0.001", "not one session" },
	};
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		struct made made = make(bad[i].text, 1);
		cr_expect_eq(made.status, SL_USAGE, "%s", bad[i].text);
		cr_expect(strstr(made.err.text, bad[i].why), "%s: %s", bad[i].text, made.err.text);
		release(&made);
	}
}
