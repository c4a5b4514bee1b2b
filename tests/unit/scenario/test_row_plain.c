/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_row_plain.c - rows that take the short way give the same scenario as through the stages, one by one,
 * of random logs with and without things amiss.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/columns.h"
#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/memfile.h"

struct replay {
	const char *setting[3];
	const char *from, *to;
	bool strict;
};

/* A watcher who wants nothing still has every row go through the stages. */
static const struct scenario_watch staged;

static int load_log(struct scenario *scenario, const struct replay *replay, const char *text, bool by_stages,
	struct sl_err *err)
{
	char path[32];
	struct settings settings = { .arena = sl_arena_new() };
	*err = (struct sl_err){ 0 };
	for (size_t i = 0; i < SL_LEN(replay->setting) && replay->setting[i]; i++)
		cr_assert_eq(settings_add(&settings, replay->setting[i], err), SL_OK);
	const struct scenario_options options = {
		.trace = memfile(path, text, strlen(text)),
		.registry = builtin_registry(),
		.settings = &settings,
		.from = replay->from,
		.to = replay->to,
		.strict = replay->strict,
		.watch = by_stages ? &staged : NULL,
	};
	const int status = scenario_load(scenario, &options, err);
	sl_arena_free(settings.arena);
	return status;
}

static void same_anomalies(const struct scenario *a, const struct scenario *b, const char *text)
{
	cr_assert_eq(a->rows, b->rows, "%" PRIu64 " and %" PRIu64 " rows of %s", a->rows, b->rows, text);
	cr_assert_eq(a->anomaly_count, b->anomaly_count, "%s", text);
	for (size_t i = 0; i < a->anomaly_count; i++) {
		const struct anomaly *x = &a->anomaly[i];
		const struct anomaly *y = &b->anomaly[i];
		cr_assert(strcmp(x->cause, y->cause) == 0 && x->count == y->count && x->line == y->line,
			"%s of %s", x->cause, text);
	}
}

static void same_columns(const struct scenario *a, const struct scenario *b, const char *text)
{
	cr_assert_eq(a->columns->count, b->columns->count, "%s", text);
	for (enum column which = 0; which < COLUMN_COUNT; which++) {
		const bool narrow = which >= COLUMN_SIZE && which <= COLUMN_PLACE;
		const size_t len = a->columns->count * (narrow ? sizeof(int32_t) : sizeof(int64_t));
		const void *x = a->columns->at[which];
		const void *y = b->columns->at[which];
		cr_assert(!x == !y, "only one has column %d of %s", which, text);
		cr_assert(!x || memcmp(x, y, len) == 0, "column %d of %s", which, text);
	}
	cr_assert(a->limits_over == b->limits_over && a->limits_none == b->limits_none, "%s", text);
}

/* Mostly as it should be; now and then unknown, zero, huge, or not in order. */
static void draw_job(struct sl_rng *rng, char *line, size_t capacity, int64_t *id, int64_t *submit)
{
	static const int64_t odd[] = { -1, -1, 0, 1, 3000, INT64_C(9000000000000) };
	const uint64_t amiss = sl_rng_below(rng, 40);
	*id += amiss == 39 ? -2 : 1;
	*submit += (int64_t)sl_rng_below(rng, 50) - (amiss == 38 ? 60 : 0);
	int64_t field[18] = { *id, *submit, -1, 1 + (int64_t)sl_rng_below(rng, 90), 4, -1, -1,
		1 + (int64_t)sl_rng_below(rng, 16), 50 + (int64_t)sl_rng_below(rng, 90), -1, 1,
		(int64_t)sl_rng_below(rng, 9), 1, -1, 1, 1, -1, -1 };
	if (amiss < 12) /* One of submit, wait, run, size, requested size and limit, user. */
		field[(const int[]){ 1, 2, 2, 3, 4, 7, 8, 8, 11, 15, 16, 17 }[amiss]] =
			odd[sl_rng_below(rng, SL_LEN(odd))];
	if (amiss == 30)
		field[16] = *id - 1;
	size_t len = 0;
	for (int i = 0; i < 18 - (amiss == 37); i++)
		len += (size_t)snprintf(line + len, capacity - len, "%" PRId64 "%s", field[i],
			amiss == 36 && i == 7 ? ".5 " : " ");
	(void)snprintf(line + len, capacity - len, "\n");
}

Test(row_plain, as_by_stages)
{
	static const struct replay replays[] = {
		{ .strict = false },
		{ .setting = { "overrun=raise" } },
		{ .setting = { "overrun=kill", "run_unknown=77" } },
		{ .setting = { "size=larger" } },
		{ .setting = { "feedback=think" } },
		{ .from = "200", .to = "600" },
		{ .strict = true },
		{ .setting = { "start=recorded" }, .from = "300" },
	};
	struct sl_rng rng = sl_rng_stream(1, "tests/row_plain");
	for (uint64_t round = 0, rounds = effort_of(240, 1200, 1200); round < rounds; round++) {
		const struct replay *replay = &replays[round % SL_LEN(replays)];
		char text[12000] = "; MaxProcs: 12\n";
		int64_t id = 0;
		int64_t submit = 0;
		const uint64_t jobs = 1 + sl_rng_below(&rng, 60);
		for (uint64_t i = 0; i < jobs; i++) {
			const size_t len = strlen(text);
			draw_job(&rng, text + len, sizeof(text) - len, &id, &submit);
		}
		struct scenario plain = { 0 };
		struct scenario walked = { 0 };
		struct sl_err err, err_walked;
		const int status = load_log(&plain, replay, text, false, &err);
		cr_assert_eq(status, load_log(&walked, replay, text, true, &err_walked), "%s: %s, %s", text,
			err.text, err_walked.text);
		if (status) {
			const char *said = strchr(err.text, ':'); /* Behind the file's name. */
			const char *said_walked = strchr(err_walked.text, ':');
			cr_assert(said && said_walked && strcmp(said, said_walked) == 0, "%s: %s", err.text,
				err_walked.text);
			continue;
		}
		same_anomalies(&plain, &walked, text);
		same_columns(&plain, &walked, text);
		scenario_release(&plain);
		scenario_release(&walked);
	}
}
