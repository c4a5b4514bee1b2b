/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_try.c - points of a search, simulated: as many at a time as there are threads, each with every seed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/whatif/whatif_search.h"
#include "sim/base/stats.h"

/* ---- Figures --------------------------------------------------------------------------------------- */

struct figure figure_of(const int64_t *value, const bool *known, unsigned count)
{
	struct figure figure = { .known = true, .low = 1, .high = 0 };
	for (unsigned i = 0; i < count; i++)
		figure.known &= known[i];
	if (!figure.known)
		return figure;
	__int128 sum = 0;
	for (unsigned i = 0; i < count; i++)
		sum += value[i];
	figure.mean = mean_rounded(sum, count);
	double *each = count > 1 ? calloc(count, sizeof(*each)) : NULL;
	struct stats_interval interval;
	if (!each)
		return figure;
	for (unsigned i = 0; i < count; i++)
		each[i] = (double)value[i];
	(void)stats_mean(each, count, 0.95, &interval);
	if (interval.low <= interval.high) {
		figure.low = (int64_t)llround(interval.low);
		figure.high = (int64_t)llround(interval.high);
	}
	free(each);
	return figure;
}

const char *figure_text(char buffer[48], const struct selector *selector, const struct figure *figure)
{
	return figure->known ? summary_text(buffer, selector_unit(selector), figure->mean) : "none";
}

/* ---- Worlds ------------------------------------------------------------------------------------------- */

/* A chunk of points with all their seeds. */
struct chunk {
	struct search *search;
	const size_t *point; /* NULL: the base with what every point has. */
	size_t count;
	struct replica *replica;
	struct replica_run *run;
};

/* The setting of a point along an axis. */
static const char *setting_of(const struct search *search, size_t axis, size_t point)
{
	const struct axis *is = &search->axis[axis];
	const char *value = is->given[axis_search_at(&search->grid, point, axis)];
	return text_made(search->arena, "%s%s", is->key, value);
}

static int replica_of(const struct chunk *chunk, size_t i, struct replica *replica, struct sl_err *err)
{
	const struct search *search = chunk->search;
	*replica = search->replica;
	replica->name = "point";
	if (!chunk->point)
		return SL_OK;
	const char **setting =
		sl_alloc(search->arena, replica->setting_count + search->axis_count, sizeof(*setting));
	if (!setting)
		return sl_fail_memory(err);
	for (size_t k = 0; k < replica->setting_count; k++)
		setting[k] = replica->setting[k];
	for (size_t axis = 0; axis < search->axis_count; axis++) {
		setting[replica->setting_count] = setting_of(search, axis, chunk->point[i]);
		if (!setting[replica->setting_count++])
			return sl_fail_memory(err);
	}
	replica->setting = setting;
	return SL_OK;
}

/* "cluster.nodes[a].count+=3 policy.bf_window=60", for messages. */
static void whatif_try_name_of(const struct chunk *chunk, size_t i, char *text, size_t size)
{
	const struct search *search = chunk->search;
	size_t used = 0;
	*text = '\0';
	for (size_t axis = 0; chunk->point && axis < search->axis_count && used < size; axis++) {
		const struct axis *is = &search->axis[axis];
		used += (size_t)snprintf(text + used, size - used, "%s%s%s", axis ? " " : "", is->key,
			is->value[axis_search_at(&search->grid, chunk->point[i], axis)]);
	}
}

/* ---- Outcomes -------------------------------------------------------------------------------------------
 */

/* Over the seeds of a point. */
static int take_figure(struct figure *figure, const struct selector *selector, const struct replica_run *run,
	unsigned reps, const struct threshold *bound, struct sl_err *err)
{
	int64_t value[REPS_MAX];
	bool known[REPS_MAX];
	unsigned held = 0;
	for (unsigned k = 0; k < reps; k++) {
		const int status = selector_value(selector, run[k].scenario, &run[k].run.sim.result,
			&run[k].metrics, &value[k], &known[k], err);
		if (status)
			return status;
		held += bound && known[k] && threshold_met(bound, value[k]);
	}
	*figure = figure_of(value, known, reps);
	figure->seeds = held;
	return SL_OK;
}

/* The same, and of one seed with its interval over batches of jobs, if that is asked for. */
static int take_sure(const struct search *search, struct figure *figure, const struct selector *selector,
	const struct replica_run *run, const struct threshold *bound, struct sl_err *err)
{
	const int status = take_figure(figure, selector, run, search->reps, bound, err);
	if (status || search->reps > 1 || !search->intervals || !figure->known)
		return status;
	return selector_interval(
		selector, run->scenario, &run->run.sim.result, &figure->low, &figure->high, err);
}

/* Nodes that no partition has, where there are partitions: jobs of these do not use them. */
static uint32_t outside(const struct sl_cluster *cluster)
{
	uint32_t count = 0;
	for (uint32_t node = 0; cluster->partition_count && node < cluster->node_count; node++) {
		const uint32_t type = cluster->node_type[node];
		bool inside = false;
		for (uint32_t i = 0; i < cluster->partition_count && !inside; i++) {
			const uint32_t set = cluster->partition[i].node_set;
			inside = !set || (cluster->node_set[set].types[type / 64] >> (type % 64) & 1);
		}
		count += !inside;
	}
	return count;
}

static uint32_t never_started(const struct sl_result *result)
{
	uint32_t count = 0;
	for (uint32_t row = 0; row < result->jobs->count; row++)
		count += result->start[row] == SL_NONE;
	return count;
}

/* Waits of fewer jobs answer nothing. */
static uint32_t left_out(const struct search *search, const struct outcome *outcome)
{
	const uint32_t before = search->now.jobs - search->now.never;
	const uint32_t started = outcome->jobs - outcome->never;
	return search->now.done && started < before ? before - started : 0;
}

static int whatif_try_take(
	struct search *search, struct outcome *outcome, const struct replica_run *run, struct sl_err *err)
{
	int status = SL_OK;
	outcome->jobs = run->scenario->jobs.count;
	outcome->never = never_started(&run->run.sim.result);
	outcome->left_out = left_out(search, outcome);
	outcome->holds = !outcome->left_out;
	for (size_t i = 0; i < search->until_count && !status; i++) {
		const struct threshold *until = &search->until[i];
		struct figure *figure = &outcome->until[i];
		status = take_sure(search, figure, until->selector, run, until, err);
		if (!status)
			status = selector_jobs(until->selector, run->scenario, &run->run.sim.result,
				&outcome->meant[i], err);
		outcome->holds &= figure->known && threshold_met(until, figure->mean);
	}
	outcome->outside = outside(&run->scenario->cluster);
	for (size_t i = 0; i < CURVE_METRICS && search->more[i] && !status; i++)
		status = take_sure(search, &outcome->more[i], search->more[i], run, NULL, err);
	if (!status && search->served)
		status = take_figure(&outcome->served, search->served, run, search->reps, NULL, err);
	for (unsigned k = 1; k < search->reps; k++)
		search->drew |= run[k].run.sim.result.digest != run[0].run.sim.result.digest;
	if (!status && search->prices.any) {
		const int64_t *makespan = metrics_get(&run->metrics, "makespan");
		outcome->makespan = (struct figure){ .known = makespan, .mean = makespan ? *makespan : 0 };
	}
	outcome->done = true;
	return status;
}

/* A machine, a policy or a log that cannot be made with these settings is the point's failure alone. */
static int take_point(const struct chunk *chunk, size_t i, struct outcome *outcome, struct sl_err *err)
{
	struct search *search = chunk->search;
	const struct replica_run *run = &chunk->run[i * search->reps];
	for (size_t k = 0; k < search->reps; k++) {
		const char *why = run[k].err.text;
		char name[400];
		if (!run[k].status)
			continue;
		if (chunk->point && (run[k].status == SL_USAGE || run[k].status == SL_INPUT)) {
			outcome->fault = run[k].status;
			outcome->unbuilt = sl_strdup(search->arena, why, strlen(why));
			return outcome->unbuilt ? SL_OK : sl_fail_memory(err);
		}
		whatif_try_name_of(chunk, i, name, sizeof(name));
		return sl_fail(err, run[k].status, "%s%s%s", name, *name ? ": " : "", why);
	}
	search->built |= chunk->point != NULL;
	return whatif_try_take(search, outcome, run, err);
}

static int run_chunk(struct chunk *chunk, struct outcome *outcome, struct sl_err *err)
{
	struct search *search = chunk->search;
	const size_t reps = search->reps;
	int status = SL_OK;
	for (size_t i = 0; i < chunk->count && !status; i++) {
		status = replica_of(chunk, i, &chunk->replica[i * reps], err);
		for (size_t k = 1; k < reps && !status; k++) {
			chunk->replica[i * reps + k] = chunk->replica[i * reps];
			chunk->replica[i * reps + k].seed_more = k;
		}
	}
	const size_t count = chunk->count * reps;
	if (!status)
		status = replicas_run(
			search->base, chunk->replica, chunk->run, count, search->threads, 0, err);
	for (size_t i = 0; i < chunk->count && !status; i++)
		status = take_point(chunk, i, &outcome[chunk->point ? chunk->point[i] : 0], err);
	for (size_t i = 0; i < count; i++)
		replica_run_release(search->base, &chunk->run[i]);
	return status;
}

/* Points at a time: results of as many runs as go on at once are in memory, not more. */
static size_t at_once(const struct search *search)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	SL_CHECK(search->reps > 0);
	const size_t threads = search->threads ? search->threads : processors > 0 ? (size_t)processors : 1;
	return threads > search->reps ? threads / search->reps : 1;
}

static int run_points(
	struct search *search, const size_t *point, size_t count, struct outcome *outcome, struct sl_err *err)
{
	const size_t most = at_once(search);
	int status = SL_OK;
	for (size_t from = 0; from < count && !status; from += most) {
		struct chunk chunk = { search, point ? point + from : NULL,
			count - from < most ? count - from : most, NULL, NULL };
		chunk.replica = calloc(chunk.count * search->reps, sizeof(*chunk.replica));
		chunk.run = calloc(chunk.count * search->reps, sizeof(*chunk.run));
		status = chunk.replica && chunk.run ? run_chunk(&chunk, outcome, err) : sl_fail_memory(err);
		free(chunk.replica);
		free(chunk.run);
	}
	return status;
}

int search_try(struct search *search, const size_t *point, size_t count, struct sl_err *err)
{
	return run_points(search, point, count, search->outcome, err);
}

int search_try_now(struct search *search, struct sl_err *err)
{
	return run_points(search, NULL, 1, &search->now, err);
}
