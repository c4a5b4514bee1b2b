/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_scenario.c - small scenarios that are drawn, each shape after what tends to go wrong: many at one
 * instant, ends and submissions that coincide, jobs as large as the machine, limits that do not hold,
 * cancellations.
 */
#include "cli/policy_test/random_scenario.h"

#include <stdio.h>
#include <string.h>

static const struct shape {
	const char *name;
	const char *overrun;
	int64_t cpus_max, unit; /* All times are multiples of the unit, in seconds. */
	uint64_t gap;           /* Between submissions: up to so many units; */
	uint64_t together;      /* none, in so many of 8 cases. */
	uint64_t wide;          /* Larger than half of the machine, likewise; */
	uint64_t over;          /* longer than the limit; */
	uint64_t cancelled;
	bool nodes; /* Some of each of some types; cpus_max is of one. */
} shapes[] = {
	{ "mixed", "raise", 64, 1, 300, 1, 1, 1, 0, false },
	{ "burst", "raise", 32, 1, 2000, 7, 1, 0, 0, false },
	{ "ties", "raise", 16, 60, 4, 3, 2, 1, 0, false },
	{ "wide", "raise", 16, 1, 600, 1, 5, 0, 0, false },
	{ "serial", "raise", 1, 1, 400, 2, 0, 1, 0, false },
	{ "overrun", "extend", 32, 1, 300, 2, 1, 4, 0, false },
	{ "kill", "kill", 32, 30, 10, 2, 1, 4, 0, false },
	{ "cancels", "raise", 32, 1, 200, 2, 1, 0, 3, false },
	{ "nodes", "raise", 8, 1, 300, 2, 1, 1, 1, true },
};

static bool chance(struct sl_rng *rng, uint64_t of_eight) { return sl_rng_below(rng, 8) < of_eight; }

/* From 1 to max, small ones as often as large ones. */
static int64_t skewed(struct sl_rng *rng, uint64_t max)
{
	unsigned bits = 1;
	while (bits < 62 && UINT64_C(1) << bits <= max)
		bits++;
	const uint64_t below = UINT64_C(1) << (1 + sl_rng_below(rng, bits));
	return (int64_t)(1 + sl_rng_below(rng, below < max ? below : max));
}

static void job_make(
	struct random_scenario_job *job, const struct shape *shape, int64_t cpus, struct sl_rng *rng)
{
	const int64_t units = skewed(rng, 1000);
	const int64_t slack = skewed(rng, 4);
	const uint64_t half = (uint64_t)(cpus - cpus / 2);
	job->run = units * shape->unit;
	job->limit = (chance(rng, shape->over) ? skewed(rng, (uint64_t)units) : units * slack) * shape->unit;
	job->cpus = chance(rng, shape->wide) ? cpus / 2 + 1 + (int64_t)sl_rng_below(rng, half)
					     : skewed(rng, (uint64_t)cpus);
	if (job->cpus > cpus)
		job->cpus = cpus;
	job->cancel = chance(rng, shape->cancelled) ? skewed(rng, 2000) * shape->unit : -1;
	job->wait = (int64_t)sl_rng_below(rng, 600) * shape->unit;
	job->user = 1 + (int64_t)sl_rng_below(rng, 5);
	job->account = 1 + (int64_t)sl_rng_below(rng, 3);
	job->partition = 1 + (int64_t)sl_rng_below(rng, 2);
}

static void machine_make(
	struct random_scenario *random_scenario, const struct shape *shape, struct sl_rng *rng)
{
	const uint64_t cpus_max = (uint64_t)shape->cpus_max;
	if (!shape->nodes) {
		random_scenario->cpus = cpus_max > 1 ? 2 + (int64_t)sl_rng_below(rng, cpus_max - 1) : 1;
		return;
	}
	random_scenario->node_types = 1 + sl_rng_below(rng, RANDOM_SCENARIO_NODE_TYPES);
	for (size_t i = 0; i < random_scenario->node_types; i++) {
		random_scenario->nodes[i].count = (int64_t)(1 + sl_rng_below(rng, 4));
		random_scenario->nodes[i].cpus = (int64_t)(1 + sl_rng_below(rng, cpus_max));
		random_scenario->cpus += random_scenario->nodes[i].count * random_scenario->nodes[i].cpus;
	}
}

void random_scenario_make(struct random_scenario *random_scenario, uint64_t seed, uint64_t number)
{
	const struct shape *shape = &shapes[(number - 1) % SL_LEN(shapes)];
	char stream[64];
	(void)snprintf(stream, sizeof(stream), "policy-test/%llu", (unsigned long long)number);
	struct sl_rng rng = sl_rng_stream(seed, stream);
	*random_scenario = (struct random_scenario){ .overrun = shape->overrun };
	(void)snprintf(random_scenario->name, sizeof(random_scenario->name), "%03llu-%s",
		(unsigned long long)number, shape->name);
	machine_make(random_scenario, shape, &rng);
	random_scenario->count = (uint32_t)(1 + sl_rng_below(&rng, RANDOM_SCENARIO_JOBS));
	int64_t now = 0;
	for (uint32_t i = 0; i < random_scenario->count; i++) {
		struct random_scenario_job *job = &random_scenario->job[i];
		if (!chance(&rng, shape->together))
			now += (int64_t)sl_rng_below(&rng, shape->gap) * shape->unit;
		job_make(job, shape, random_scenario->cpus, &rng);
		job->submit = now;
		random_scenario->cancels = random_scenario->cancels || job->cancel >= 0;
	}
}

/* ---- As files ------------------------------------------------------------------------- */

/* The i-th job's number: ascending, or not. */
static int64_t random_scenario_number_of(uint32_t i, enum random_scenario_twist twist)
{
	return twist == RANDOM_SCENARIO_RENAMED ? 7919 * ((int64_t)i + 1) % 10007 : (int64_t)i + 1;
}

static struct sl_row random_scenario_row_of(
	const struct random_scenario_job *job, uint32_t i, enum random_scenario_twist twist)
{
	enum { TEN_DAYS = 864000 };
	const bool renamed = twist == RANDOM_SCENARIO_RENAMED;
	struct sl_row row = { .line = i + 1 };
	for (size_t col = 0; col < SL_COL_COUNT; col++)
		row.col[col] = SL_NONE;
	row.col[SL_COL_ID] = random_scenario_number_of(i, twist);
	row.col[SL_COL_SUBMIT] = (job->submit + (twist == RANDOM_SCENARIO_LATER ? TEN_DAYS : 0)) * SL_SECOND;
	row.col[SL_COL_WAIT] = job->wait * SL_SECOND;
	row.col[SL_COL_RUN] = job->run * SL_SECOND;
	row.col[SL_COL_CPUS] = row.col[SL_COL_REQ_CPUS] = job->cpus;
	row.col[SL_COL_LIMIT] = job->limit * SL_SECOND;
	row.col[SL_COL_STATUS] = 1;
	row.col[SL_COL_USER] = renamed ? 90 - job->user : job->user;
	row.col[SL_COL_GROUP] = renamed ? 80 - job->account : job->account;
	row.col[SL_COL_PARTITION] = renamed ? 70 - job->partition : job->partition;
	return row;
}

static int trace_write(const struct random_scenario *random_scenario, enum random_scenario_twist twist,
	const struct sl_writer *writer, struct sl_out *out, struct sl_err *err)
{
	char cpus[32];
	*sl_put_i64(cpus, random_scenario->cpus) = '\0';
	const char *const header[][2] = { { "Note", "made by: schedlab policy-test" }, { "MaxProcs", cpus } };
	int status = writer->begin(out, header, SL_LEN(header), err);
	for (uint32_t i = 0; i < random_scenario->count && !status; i++) {
		const struct sl_row row = random_scenario_row_of(&random_scenario->job[i], i, twist);
		status = writer->job(out, &row, err);
	}
	return status;
}

static int out_close(struct sl_out *out, int status, struct sl_err *err)
{
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

int random_scenario_write(const struct random_scenario *random_scenario, enum random_scenario_twist twist,
	const struct sl_writer *swf, const char *trace, const char *cancels, struct sl_err *err)
{
	struct sl_out *out;
	int status = sl_out_open(&out, trace, err);
	if (!status)
		status = out_close(out, trace_write(random_scenario, twist, swf, out, err), err);
	if (status || !random_scenario->cancels)
		return status;
	status = sl_out_open(&out, cancels, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < random_scenario->count; i++)
		if (random_scenario->job[i].cancel >= 0)
			sl_out_printf(out, "%lld,%lld\n", (long long)random_scenario_number_of(i, twist),
				(long long)random_scenario->job[i].cancel);
	return sl_out_commit(out, err);
}

int random_scenario_write_cluster(
	const struct random_scenario *random_scenario, const char *path, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	sl_out_text(out, "nodes:\n");
	for (size_t i = 0; i < random_scenario->node_types; i++)
		sl_out_printf(out, "  - { name: %c, count: %lld, cpus: %lld }\n", (char)('a' + i),
			(long long)random_scenario->nodes[i].count,
			(long long)random_scenario->nodes[i].cpus);
	return sl_out_commit(out, err);
}
