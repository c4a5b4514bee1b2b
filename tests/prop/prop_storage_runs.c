/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_storage_runs.c - the model storage over whole runs, on generated worlds of nodes: every byte is moved
 * once, no capacity is exceeded, nobody works before its files are there; under policies that suspend
 * and preempt, with both ways apart and shared.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/node_world.h"

extern const struct sl_model model_storage;

enum { MOST = 20000000 }; /* Bytes of one transfer, at about a megabyte a second. */

struct storage_world {
	struct node_world nodes;
	struct sl_profile profile[NW_JOBS + 1];
	int64_t capacity[2]; /* Bytes a second. */
	bool half, keeps, elastic;
	char text[4][32];
};

static int64_t drawn(struct sl_rng *rng, uint64_t most)
{
	return sl_rng_below(rng, 3) ? 1 + (int64_t)sl_rng_below(rng, most) : SL_NONE;
}

static void draw_profile(struct sl_profile *profile, struct sl_rng *rng)
{
	sl_profile_clear(profile);
	profile->read = drawn(rng, MOST);
	profile->write = drawn(rng, MOST);
	profile->image = sl_rng_below(rng, 2) ? "a" : "b";
	profile->image_bytes = drawn(rng, MOST / 4);
	profile->dataset = "c";
	profile->dataset_bytes = drawn(rng, MOST / 4);
}

static void random_world(struct storage_world *s, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/storage_runs");
	struct node_world *w = &s->nodes;
	*s = (struct storage_world){
		.half = seed % 2,
		.keeps = seed % 3 == 0,
		.elastic = seed % 5 == 0,
	};
	w->nodes = 1 + (uint32_t)sl_rng_below(&rng, 6);
	w->kinds = 2;
	for (uint32_t i = 0; i < w->nodes; i++) {
		w->amount[i][SL_KIND_CPUS] = 1 + (int64_t)(seed % 4);
		w->amount[i][SL_KIND_MEM] = SL_MEM_UNBOUNDED;
	}
	w->count = 1 + (uint32_t)sl_rng_below(&rng, NW_JOBS);
	int64_t submit = 0;
	sl_profile_clear(&s->profile[0]);
	for (uint32_t i = 0; i < w->count; i++) {
		struct nw_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, 30);
		job->submit = submit;
		job->run = job->limit = 1 + (int64_t)sl_rng_below(&rng, 100);
		job->group_count = 1;
		const uint32_t tasks = 1 + (uint32_t)sl_rng_below(&rng, w->nodes);
		job->group[0] = (struct sl_group){ .task = { .cpus = 1 },
			.tasks = tasks,
			.tasks_min = s->elastic ? 1 : tasks,
			.tasks_max = s->elastic ? tasks + 2 : tasks };
		draw_profile(&s->profile[i + 1], &rng);
	}
	w->profile = s->profile;
	for (int i = 0; i < 2; i++)
		s->capacity[i] = 200000 + (int64_t)sl_rng_below(&rng, 3000000);
	(void)snprintf(s->text[0], sizeof(s->text[0]), "%lld", (long long)s->capacity[0]);
	(void)snprintf(s->text[1], sizeof(s->text[1]), "%lld", (long long)s->capacity[1]);
	(void)snprintf(s->text[2], sizeof(s->text[2]), "%d", 100000 + (int)sl_rng_below(&rng, 2000000));
	(void)snprintf(s->text[3], sizeof(s->text[3]), "%d", s->keeps ? MOST / 3 : 0);
}

static int run(struct storage_world *s, const char *policy)
{
	struct sl_value value[] = { { "read", s->text[0], 0 }, { "write", s->text[1], 0 },
		{ "client_read", s->text[2], 0 }, { "client_write", "unlimited", 0 },
		{ "duplex", s->half ? "half" : "full", s->half }, { "cache", s->text[3], 0 } };
	const struct model_choice choice = {
		.model = &model_storage, .values = value, .value_count = SL_LEN(value)
	};
	s->nodes.model = &choice;
	s->nodes.model_count = 1;
	return node_world_run(&s->nodes, policy, true);
}

static int64_t metric(const struct sl_result *result, const char *name)
{
	for (size_t i = 0; i < result->reported_metric_count; i++)
		if (strcmp(result->reported_metric[i].name, name) == 0)
			return result->reported_metric[i].micro;
	return SL_NONE;
}

static int64_t column(const struct sl_result *result, const char *name, uint32_t job)
{
	for (size_t i = 0; i < result->reported_column_count; i++)
		if (strcmp(result->reported_column[i].name, name) == 0)
			return result->reported_column[i].micro[job];
	return SL_NONE;
}

static int64_t or_nothing(int64_t bytes) { return bytes > 0 ? bytes : 0; }

/* At any time, what is read and what is written (together: half duplex) is within the capacity; rates are
 * told in kB a second. */
static void expect_within(const struct storage_world *s, const char *named)
{
	const struct sl_result *result = &s->nodes.sim.result;
	cr_assert_eq(result->reported_table_count, 1);
	const struct sl_report_table *table = &result->reported_table[0];
	/* Spans of both ways are a second; later those of one may be longer than the other's. */
	const bool short_run = result->last <= 500 * SL_SECOND;
	for (size_t i = 0; i < table->rows; i++) {
		const struct sl_cell *row = &table->cell[i * table->columns];
		const bool writes = strcmp(row[3].text, "write") == 0;
		int64_t rate = row[4].micro;
		for (size_t k = 0; s->half && short_run && !writes && k < table->rows; k++) {
			const struct sl_cell *other = &table->cell[k * table->columns];
			if (strcmp(other[3].text, "write") == 0 && other[0].micro <= row[0].micro &&
				row[1].micro <= other[1].micro)
				rate += other[4].micro;
		}
		const int64_t capacity = s->capacity[writes && !s->half];
		cr_expect(rate <= capacity / 1000 + 3, "%s: %lld kB/s of %lld B/s", named, (long long)rate,
			(long long)capacity);
	}
}

/* Of one stay: it holds its nodes while it reads, works and writes, and no longer; reading takes at least
 * what its clients need. */
static void expect_job(const struct storage_world *s, uint32_t job, const char *named)
{
	const struct sl_result *result = &s->nodes.sim.result;
	const struct sl_profile *profile = &s->profile[job + 1];
	const sl_time in = column(result, "stage_in", job), out = column(result, "stage_out", job);
	const sl_time held =
		result->end[job] - result->start[job] - (result->suspended ? result->suspended[job] : 0);
	const sl_time run = s->nodes.run[job];
	cr_expect_eq(result->state[job], SL_COMPLETED, "%s: job %u", named, job + 1);
	const int64_t capacity = s->capacity[s->half ? 0 : 1];
	cr_expect_geq(out, or_nothing(profile->write) * SL_SECOND / capacity, "%s: job %u", named, job + 1);
	cr_expect_geq(
		in, or_nothing(profile->read) * SL_SECOND / s->capacity[0], "%s: job %u", named, job + 1);
	if (!s->elastic)
		cr_expect_eq(held, in + run + out, "%s: job %u held %lld us, %lld, %lld and %lld", named,
			job + 1, (long long)held, (long long)in, (long long)run, (long long)out);
	if (!s->keeps) {
		const int64_t all = or_nothing(profile->read) + or_nothing(profile->image_bytes) +
				    or_nothing(profile->dataset_bytes);
		cr_expect_geq(in, all * SL_SECOND / s->capacity[0] - 3, "%s: job %u", named, job + 1);
	}
}

/* Each node of each stay pulls the image and the dataset, where nothing is kept. */
static void expect_bytes(const struct storage_world *s, const char *named)
{
	const struct sl_result *result = &s->nodes.sim.result;
	int64_t read = 0, pulls = 0, written = 0;
	for (uint32_t i = 0; i < s->nodes.count; i++) {
		const struct sl_profile *profile = &s->profile[i + 1];
		const struct sl_allocation placed = sl_allocation_of(result, i, NULL);
		pulls += (or_nothing(profile->image_bytes) + or_nothing(profile->dataset_bytes)) *
			 (int64_t)placed.count;
		read += or_nothing(profile->read);
		written += or_nothing(profile->write);
	}
	const int64_t moved = metric(result, "storage.read_gb{fs=shared}");
	cr_expect_eq(metric(result, "storage.written_gb{fs=shared}"), written / 1000, "%s", named);
	if (s->elastic)
		cr_expect_geq(moved, read / 1000, "%s", named);
	else if (s->keeps)
		cr_expect(moved >= read / 1000 && moved <= (read + pulls) / 1000, "%s", named);
	else
		cr_expect_eq(moved, (read + pulls) / 1000, "%s: %lld kB read, not %lld", named,
			(long long)moved, (long long)(read + pulls) / 1000);
}

/* Jobs that a policy leaves suspended are not over. */
static bool is_over(const struct storage_world *s)
{
	for (uint32_t job = 0; job < s->nodes.count; job++)
		if (s->nodes.sim.result.end[job] == SL_NONE)
			return false;
	return true;
}

Test(storage, runs_move_every_byte_within_the_capacity, .timeout = 600)
{
	static const char *const policies[] = { "easy", "conservative", "slices", "greedy", "srtf", "fcfs" };
	static struct storage_world s;
	unsigned runs = 0, suspended = 0;
	for (uint64_t seed = 1; seed <= 240; seed++) {
		char named[80];
		random_world(&s, seed);
		const char *policy =
			s.elastic ? "composed:plan=elastic" : policies[seed / 2 % SL_LEN(policies)];
		(void)snprintf(named, sizeof(named), "seed %llu, %s", (unsigned long long)seed, policy);
		cr_assert_eq(run(&s, policy), SL_OK, "%s: %s", named, s.nodes.err.text);
		runs++;
		suspended += s.nodes.sim.result.suspended != NULL;
		cr_expect(is_over(&s), "%s: not over", named);
		if (is_over(&s))
			expect_within(&s, named);
		if (is_over(&s) && (!s.nodes.sim.result.attempt_count || strcmp(policy, "slices") == 0)) {
			for (uint32_t job = 0; job < s.nodes.count; job++)
				expect_job(&s, job, named);
			expect_bytes(&s, named);
		}
		node_world_release(&s.nodes);
	}
	cr_expect(runs > 200 && suspended > 10, "%u runs, %u with suspensions", runs, suspended);
}
