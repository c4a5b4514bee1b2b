/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fill.c - replay.fill, rule by rule, on lists small enough to be counted; Go's random numbers against
 * published ones; and the series of what is allocated and fragmented, by hand.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/fill/fill.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/scenario_parts.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

#define HEADER "job_id,submit,run_time,cpus,gpus\n"
/* Ten GPUs. */
#define TEN  "name: ten\nnodes:\n  - name: g\n    count: 5\n    cpus: 8\n    gpus: 2\n"
#define NONE "name: none\nnodes:\n  - name: n\n    count: 2\n    cpus: 8\n"

struct filled {
	struct scenario scenario;
	struct settings settings;
	struct sl_err err;
};

static int load(struct filled *f, const char *jobs, const char *cluster, const char *settings, uint64_t seed)
{
	char text[4000];
	char trace_path[32];
	char cluster_path[32];
	char setting[200];
	*f = (struct filled){ .settings = { .arena = sl_arena_new() } };
	cr_assert(f->settings.arena);
	for (const char *p = settings; *p;) {
		const size_t len = strcspn(p, " ");
		(void)snprintf(setting, sizeof(setting), "%.*s", (int)len, p);
		cr_assert_eq(settings_add(&f->settings, setting, &f->err), SL_OK, "%s", f->err.text);
		p += len + (p[len] == ' ');
	}
	(void)snprintf(text, sizeof(text), HEADER "%s", jobs);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(trace_path, text, strlen(text)),
		.cluster = memfile(cluster_path, cluster, strlen(cluster)),
		.settings = &f->settings,
		.seed = seed };
	return scenario_load(&f->scenario, &options, &f->err);
}

static void release(struct filled *f)
{
	scenario_release(&f->scenario);
	sl_arena_free(f->settings.arena);
}

/* The ids, between blanks. */
static const char *ids(const struct filled *f, char text[400])
{
	const struct sl_jobs *jobs = &f->scenario.jobs;
	size_t len = 0;
	text[0] = '\0';
	for (uint32_t row = 0; row < jobs->count; row++) {
		char number[32];
		*sl_put_i64(number, jobs->id[row]) = '\0';
		const char *name = jobs->id_name ? jobs->id_name[row] : NULL;
		len += (size_t)snprintf(text + len, 400 - len, "%s%s", row ? " " : "", name ? name : number);
	}
	return text;
}

/* How many jobs there are, whatever their order, and what they request; by how many were drawn and left out.
 */
static const struct {
	const char *what, *jobs, *fill;
	uint32_t count, drawn, removed;
	int64_t asked;
} amounts[] = {
	/* 8 asked; one more is taken, as 8 + 1 of one GPU is not beyond 10, and makes 12; then 13 would be.
	 */
	{ "of the last one GPU counts", "a,0,9,1,4\nb,0,9,1,4\n", "1", 3, 1, 0, 12 },
	{ "what asks exactly that much stays as it is", "a,0,9,1,5\nb,0,9,1,5\n", "1", 2, 0, 0, 10 },
	/* 9, 10; the next would be 11. */
	{ "up to the ratio, not beyond", "a,0,9,1,1\nb,0,9,1,8\n", "1", 3, 1, 0, -1 },
	{ "single GPUs: until the ratio is reached", "a,0,9,1,1\nb,0,9,1,1\n", "1.3", 13, 11, 0, 13 },
	{ "more from the start: jobs are left out", "a,0,9,1,4\nb,0,9,1,4\nc,0,9,1,4\nd,0,9,1,4\n", "1", 2, 0,
		2, 8 },
	{ "jobs without GPUs are there too", "a,0,9,1,0\nb,0,9,1,10\n", "1", 2, 0, 0, 10 },
};

Test(fill, amounts)
{
	for (size_t i = 0; i < SL_LEN(amounts); i++) {
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct filled f;
			char setting[60];
			(void)snprintf(setting, sizeof(setting), "replay.fill=%s", amounts[i].fill);
			cr_assert_eq(load(&f, amounts[i].jobs, TEN, setting, seed), SL_OK, "%s: %s",
				amounts[i].what, f.err.text);
			if (amounts[i].asked >= 0) {
				cr_expect_eq(f.scenario.jobs.count, amounts[i].count, "%s: %u jobs",
					amounts[i].what, f.scenario.jobs.count);
				cr_expect_eq(f.scenario.fill_drawn, amounts[i].drawn, "%s", amounts[i].what);
				cr_expect_eq(f.scenario.fill_asked, amounts[i].asked, "%s: %" PRId64,
					amounts[i].what, f.scenario.fill_asked);
			}
			cr_expect_eq(f.scenario.fill_removed, amounts[i].removed, "%s", amounts[i].what);
			cr_expect(f.scenario.filled, "%s", amounts[i].what);
			release(&f);
		}
	}
}

Test(fill, times_and_names)
{
	struct filled f;
	char text[400];
	cr_assert_eq(
		load(&f, "7,50,9,1,5\nx,60,9,1,4\n", TEN, "replay.fill=1.3", 1), SL_OK, "%s", f.err.text);
	const struct sl_jobs *jobs = &f.scenario.jobs;
	cr_assert_gt(jobs->count, 2);
	for (uint32_t row = 0; row < jobs->count; row++) {
		cr_expect_eq(jobs->submit[row], row * SL_SECOND);
		cr_expect_eq(jobs->run[row], jobs->count * SL_SECOND, "it ends after the last has come");
		cr_expect_eq(jobs->limit[row], jobs->count * SL_SECOND);
	}
	(void)ids(&f, text);
	cr_expect(strncmp(text, "7 x ", 4) == 0 || strncmp(text, "x 7 ", 4) == 0, "all first: %s", text);
	cr_expect(strstr(text, "x-tuned-0") || strstr(text, "7-tuned-0"), "%s", text);
	cr_assert_not_null(jobs->request_drawn_from);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < jobs->request_count; i++)
		sum += jobs->request_drawn_from[i];
	cr_expect_eq(sum, 2, "copies are nobody's typical request: %u", sum);
	release(&f);
}

/* The order is by ids, drawn by the seed, and nothing else: not by the order in the file. */
Test(fill, order)
{
	static const char here[] = "a,0,9,1,1\nb,1,9,1,1\nc,2,9,1,1\nd,3,9,1,1\ne,4,9,1,1\nf,5,9,1,1\n";
	static const char there[] = "f,0,9,1,1\ne,1,9,1,1\nd,2,9,1,1\nc,3,9,1,1\nb,4,9,1,1\na,5,9,1,1\n";
	struct filled f[3];
	char text[3][400];
	cr_assert_eq(load(&f[0], here, TEN, "replay.fill=1.3", 7), SL_OK);
	cr_assert_eq(load(&f[1], there, TEN, "replay.fill=1.3", 7), SL_OK);
	cr_assert_eq(load(&f[2], here, TEN, "replay.fill=1.3", 8), SL_OK);
	for (size_t i = 0; i < 3; i++)
		(void)ids(&f[i], text[i]);
	cr_expect_str_eq(text[0], text[1]);
	cr_expect_str_neq(text[0], text[2]);
	for (size_t i = 0; i < 3; i++)
		release(&f[i]);
}

/* As scripts/fgd_plain --go, a program of its own, orders them. */
Test(fill, go_order)
{
	struct filled f;
	char text[400];
	cr_assert_eq(load(&f, "a,0,9,1,1\nb,1,9,1,1\nc,2,9,1,1\nd,3,9,1,1\n", TEN,
			     "replay.fill=0.9 replay.fill_numbers=go", 42),
		SL_OK, "%s", f.err.text);
	cr_expect_str_eq(ids(&f, text), "c d b a d-tuned-0 b-tuned-1 b-tuned-2 a-tuned-3 a-tuned-4");
	static const uint32_t rank[] = { 1, 2, 0, 3, 4 };
	cr_assert_not_null(f.scenario.cluster.node_shuffled);
	for (uint32_t i = 0; i < SL_LEN(rank); i++)
		cr_expect_eq(f.scenario.cluster.node_shuffled[i], rank[i], "node %u: %u", i,
			f.scenario.cluster.node_shuffled[i]);
	release(&f);
}

static const struct {
	const char *jobs, *cluster, *settings, *says;
	int status;
} refusals[] = {
	{ "a,0,9,1,0\n", NONE, "replay.fill=1.3", "it has none: give one that has", SL_USAGE },
	{ "a,0,9,1,0\n", TEN, "replay.fill=1.3", "no job asks any", SL_INPUT },
	{ "a,0,9,1,1\n", TEN, "replay.fill=1.3 replay.windows=1@0", "leave out replay.windows", SL_USAGE },
	{ "a,0,9,1,1\n", TEN, "replay.fill=1.3 replay.start=recorded replay.from=1",
		"leave out replay.start=recorded", SL_USAGE },
	{ "a,0,9,1,1\na-tuned-0,0,9,1,1\na-tuned-0-tuned-0,0,9,1,1\n", TEN, "replay.fill=1.3",
		"give it another id", SL_INPUT },
};

Test(fill, refused)
{
	for (size_t i = 0; i < SL_LEN(refusals); i++) {
		struct filled f;
		/* Of three jobs, two have a name that a copy of another would get: some seed draws one first.
		 */
		int status = SL_OK;
		for (uint64_t seed = 1; seed < 20 && !status; seed++) {
			status = load(&f, refusals[i].jobs, refusals[i].cluster, refusals[i].settings, seed);
			if (!status)
				release(&f);
			else
				sl_arena_free(f.settings.arena); /* The scenario is gone already. */
		}
		cr_expect_eq(status, refusals[i].status, "case %zu: %s", i, f.err.text);
		cr_expect(strstr(f.err.text, refusals[i].says), "case %zu: %s", i, f.err.text);
	}
}

/* The first numbers of seed 42, as gobyexample.com has them: "5,87"; then 68. */
Test(fill, go_numbers)
{
	struct go_rand go;
	go_seed(&go, 42);
	cr_expect_eq(go_below(&go, 100), 5);
	cr_expect_eq(go_below(&go, 100), 87);
	cr_expect_eq(go_below(&go, 100), 68);
	go_seed(&go, 42);
	const uint32_t first = (uint32_t)(go_next(&go) >> 32);
	go_seed(&go, 42);
	cr_expect_eq(go_below(&go, 64), first % 64, "a power of two takes the low bits");
	cr_expect_eq(go_below_shuffle(&go, 1), 0);
}

/* ---- The series ------------------------------------------------------------------------------- */

/* Four GPUs in thousandths; jobs request 1, 0.5, 2 and 0.5, at 0, 1, 2, 3 s. */
static const struct sl_group group[] = { { .task.gpus = 1000, .tasks = 1 }, { .task.gpus = 500, .tasks = 1 },
	{ .task.gpus = 2000, .tasks = 1 } };
static const struct sl_request requests[] = { { .group = &group[0], .group_count = 1, .gpus = 1000 },
	{ .group = &group[1], .group_count = 1, .gpus = 500 },
	{ .group = &group[2], .group_count = 1, .gpus = 2000 } };
static const uint32_t request[] = { 0, 1, 2, 1 };
static const uint32_t drawn_from[] = { 1, 2, 1 };
static const sl_time submit[] = { 0, SL_SECOND, 2 * SL_SECOND, 3 * SL_SECOND };
static const struct sl_usage_point usage[] = { { .at = 0, .gpus_busy = 1000 },
	{ .at = SL_SECOND, .gpus_busy = 1500 }, { .at = 3 * SL_SECOND, .gpus_busy = 2000 } };
static const struct sl_gauge gauge = { .name = "fragmentation" };
static const struct sl_gauge_point point[] = { { 0, 600000 }, { 2 * SL_SECOND, 1000000 } };
static const struct sl_gauge_series series_of = { &gauge, point, SL_LEN(point) };

static struct sl_jobs hand_jobs(void)
{
	return (struct sl_jobs){ .count = 4,
		.submit = submit,
		.request = request,
		.requests = requests,
		.request_count = SL_LEN(requests),
		.request_drawn_from = drawn_from };
}

Test(fill, series)
{
	static const struct sl_cluster cluster = { .gpus = 4000, .gpu_parts = 1000, .node_count = 1 };
	const struct sl_jobs jobs = hand_jobs();
	const struct sl_result result = { .jobs = &jobs,
		.cluster = &cluster,
		.usage = usage,
		.usage_count = SL_LEN(usage),
		.gauge = &series_of,
		.gauge_count = 1 };
	/* Asked: 25, 37.5 (halves to even: 38), 87.5 (88), 100 %. */
	static const struct {
		size_t percent;
		int64_t allocated, fragmented, ratio;
	} rows[] = {
		{ 25, 25000000, 15000000, 20000000 }, /* 0.6 of 4; of 3 free. */
		{ 38, 37500000, 15000000, 24000000 }, /* Of 2.5. */
		{ 37, 37500000, 15000000, 24000000 }, /* Passed over: its neighbour. */
		{ 88, 37500000, 25000000, 40000000 }, /* 1 of 2.5. */
		{ 100, 50000000, 25000000, 50000000 },
	};
	struct fill_series series;
	struct sl_err err = { 0 };
	cr_assert_eq(fill_series(&series, &result, &err), SL_OK, "%s", err.text);
	cr_expect_eq(series.count, 101);
	for (size_t i = 0; i < SL_LEN(rows); i++) {
		const struct fill_row row = fill_row(&series, rows[i].percent);
		cr_expect(row.known);
		cr_expect_eq(
			row.allocated, rows[i].allocated, "%zu: %" PRId64, rows[i].percent, row.allocated);
		cr_expect_eq(
			row.fragmented, rows[i].fragmented, "%zu: %" PRId64, rows[i].percent, row.fragmented);
		cr_expect_eq(row.ratio, rows[i].ratio, "%zu: %" PRId64, rows[i].percent, row.ratio);
	}
	cr_expect_not(fill_row(&series, 50).known);
	cr_expect_not(fill_row(&series, 102).known);
	fill_release(&series);
}

/* Several events of one percentage: the mean. */
Test(fill, mean)
{
	static const struct sl_cluster cluster = { .gpus = 400000, .gpu_parts = 1000, .node_count = 1 };
	const struct sl_jobs jobs = hand_jobs();
	const struct sl_result result = {
		.jobs = &jobs, .cluster = &cluster, .usage = usage, .usage_count = SL_LEN(usage)
	};
	struct fill_series series;
	struct sl_err err = { 0 };
	cr_assert_eq(fill_series(&series, &result, &err), SL_OK, "%s", err.text);
	cr_expect_not(series.gauged);
	/* 0.25 and 0.375 % are 0, 0.875 and 1 % are 1: 1500 and 2000 of 400000. */
	cr_expect_eq(fill_row(&series, 0).allocated, 312500, "%" PRId64, fill_row(&series, 0).allocated);
	cr_expect_eq(fill_row(&series, 1).allocated, 437500, "%" PRId64, fill_row(&series, 1).allocated);
	fill_release(&series);
}
