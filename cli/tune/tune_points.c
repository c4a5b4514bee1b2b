/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_points.c - candidates on spans as points of a sweep (cli/sweep): claimed and done by workers, a file
 * each, found again by whoever asks the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/sweep/sweep_found.h"
#include "cli/tune/tune.h"

/* Texts as values of a factor, each once. */
struct texts {
	const char **value;
	size_t count;
	struct sl_names *names;
};

static int text_number(struct texts *texts, const char *text, uint32_t *number, struct sl_err *err)
{
	*number = sl_names_find(texts->names, text);
	if (*number != UINT32_MAX)
		return SL_OK;
	*number = sl_names_add(texts->names, text);
	if (*number == UINT32_MAX)
		return sl_fail_memory(err);
	texts->value[*number] = sl_names_text(texts->names, *number);
	texts->count = *number + 1;
	return SL_OK;
}

enum { OF_TRACE, OF_CLUSTER, OF_SEED, OF_POLICY, OF_SETS, FACTORS };

struct batch {
	struct tune *tune;
	struct simulated *simulated;
	size_t count;
	struct sweep sweep;
	struct texts texts[FACTORS];
	struct factor factor[FACTORS];
	struct sweep_trace trace;
};

const char *span_time(char text[40], sl_time time)
{
	*sl_put_micro(text, time) = '\0';
	return text;
}

/* Names that outlive the table. */
static int batch_begin(struct batch *batch, struct sl_err *err)
{
	for (size_t f = 0; f < FACTORS; f++) {
		batch->texts[f].names = sl_names_new(batch->sweep.arena);
		batch->texts[f].value = sl_alloc(batch->sweep.arena, batch->count * batch->tune->seeds + 1,
			sizeof(*batch->texts[f].value));
		if (!batch->texts[f].names || !batch->texts[f].value)
			return sl_fail_memory(err);
	}
	batch->sweep.point = sl_alloc(
		batch->sweep.arena, batch->count * batch->tune->seeds + 1, sizeof(*batch->sweep.point));
	return batch->sweep.point ? SL_OK : sl_fail_memory(err);
}

static int batch_point(struct batch *batch, const struct simulated *of, uint64_t seed, struct point *point,
	struct sl_err *err)
{
	const struct tune *tune = batch->tune;
	struct sl_arena *arena = batch->sweep.arena;
	struct candidate_text text;
	char from[40];
	char until[40];
	const struct tune_span *span = &tune->span[of->span];
	int status = candidate_text(tune, of->level, &text, arena, err);
	if (status)
		return status;
	const char *sets = text_made(arena, "%sreplay.from=%s\nreplay.to=%s\n", text.settings,
		span_time(from, span->from - tune->warm > tune->span[0].from ? span->from - tune->warm
									     : tune->span[0].from),
		span_time(until, span->until));
	const char *seed_text = text_made(arena, "%" PRIu64, seed);
	if (!sets || !seed_text)
		return sl_fail_memory(err);
	const char *const value[FACTORS] = { [OF_TRACE] = tune->trace,
		[OF_CLUSTER] = text.cluster ? text.cluster : "",
		[OF_SEED] = seed_text,
		[OF_POLICY] = text.policy,
		[OF_SETS] = sets };
	for (size_t f = 0; f < FACTORS && !status; f++)
		status = text_number(&batch->texts[f], value[f], &point->value[f], err);
	return status;
}

static void batch_factors(struct batch *batch)
{
	static const char *const name[FACTORS] = { "trace", "cluster", "seed", "policy", SWEEP_SETS };
	struct sweep_spec *spec = &batch->sweep.spec;
	for (size_t f = 0; f < FACTORS; f++)
		batch->factor[f] = (struct factor){
			.name = name[f], .value = batch->texts[f].value, .count = batch->texts[f].count
		};
	batch->trace = (struct sweep_trace){ .name = batch->tune->trace, .file = batch->tune->trace };
	spec->file = "tune";
	spec->factor = batch->factor;
	spec->factor_count = FACTORS;
	spec->trace = &batch->trace;
	spec->trace_count = 1;
	spec->trace_at = OF_TRACE;
	spec->seed_at = OF_SEED;
	spec->policy_at = OF_POLICY;
	spec->cluster_at = OF_CLUSTER;
	if (batch->tune->cluster)
		return;
	/* Without a cluster there is no such factor: the last takes its place. */
	spec->cluster_at = SIZE_MAX;
	batch->factor[OF_CLUSTER] = batch->factor[OF_SETS];
	spec->factor_count = FACTORS - 1;
	for (size_t i = 0; i < batch->sweep.count; i++)
		batch->sweep.point[i].value[OF_CLUSTER] = batch->sweep.point[i].value[OF_SETS];
}

/* By span: what is read of the trace is kept from one point to the next. */
static int batch_points(struct batch *batch, size_t *number, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t span = 0; span <= batch->tune->spans; span++)
		for (size_t i = 0; i < batch->count && !status; i++) {
			if (batch->simulated[i].span != span)
				continue;
			number[i] = batch->sweep.count;
			for (uint64_t seed = 0; seed < batch->tune->seeds && !status; seed++) {
				struct point *point = &batch->sweep.point[batch->sweep.count++];
				*point = (struct point){ .id = "" };
				status = batch_point(
					batch, &batch->simulated[i], batch->tune->seed + seed, point, err);
			}
		}
	return status;
}

static const struct found_point *point_found(const struct found *found, size_t number)
{
	for (size_t i = number < found->count ? number + 1 : found->count; i-- > 0;)
		if (found->point[i].number == number)
			return &found->point[i];
	return NULL;
}

/* Means over seeds, those that have the value. number: of the first of them. */
static void take_values(const struct batch *batch, const struct found *found, struct simulated *of,
	size_t number, const char *const *metric, size_t metrics)
{
	const uint64_t seeds = batch->tune->seeds;
	of->failed = false;
	of->why = NULL;
	for (uint64_t s = 0; s < seeds; s++) {
		const struct found_point *point = point_found(found, number + s);
		of->failed |= !point || point->error;
		if (point && point->error && !of->why)
			of->why = sl_strdup(batch->tune->arena, point->error, strlen(point->error));
	}
	for (size_t m = 0; m < metrics; m++) {
		double sum = 0;
		unsigned count = 0;
		size_t k = 0;
		while (k < found->metric_count && strcmp(found->metric[k], metric[m]) != 0)
			k++;
		for (uint64_t s = 0; s < seeds && k < found->metric_count && !of->failed; s++) {
			const int64_t *micro = found_value(point_found(found, number + s), k);
			sum += micro ? (double)*micro / 1e6 : 0;
			count += micro != NULL;
		}
		of->value[m] = count ? sum / count : (double)NAN;
	}
}

static int folder_make(const char *dir, const char *below, struct sl_err *err)
{
	char path[4200];
	(void)snprintf(path, sizeof(path), "%s%s", dir, below);
	return mkdir(path, 0777) == 0 || errno == EEXIST ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", path);
}

/* The first that could not be simulated, and how many. */
static void talk_failed(const struct found *found)
{
	const char *first = NULL;
	size_t count = 0;
	for (size_t i = 0; i < found->count; i++) {
		if (!found->point[i].error)
			continue;
		first = first ? first : found->point[i].error;
		count++;
	}
	if (first)
		talk("%zu of %zu runs cannot be simulated, so that these settings are not chosen: %s", count,
			found->count, first);
}

static int batch_run(struct batch *batch, const char *const *metric, size_t metrics, struct sl_err *err)
{
	struct sweep *sweep = &batch->sweep;
	struct found found;
	struct sl_err why = { 0 };
	size_t *number = sl_alloc(sweep->arena, batch->count + 1, sizeof(*number));
	int status = number ? batch_points(batch, number, err) : sl_fail_memory(err);
	if (status)
		return status;
	batch_factors(batch);
	status = sweep_name(sweep, err);
	if (!status)
		status = sweep_run(sweep, &why);
	/* A candidate that cannot be simulated is one that is not chosen. */
	if (status && status != SL_CHECK_FAILED)
		return err->status ? err->status : sl_fail(err, status, "%s", why.text);
	status = sweep_found_read(&found, sweep, err);
	for (size_t i = 0; i < batch->count && !status; i++)
		take_values(batch, &found, &batch->simulated[i], number[i], metric, metrics);
	if (!status && !batch->tune->silent)
		talk_failed(&found);
	return status;
}

int simulate_points(struct tune *tune, struct simulated *simulated, size_t count, const char *const *metric,
	size_t metrics, struct sl_err *err)
{
	static const char *const below[] = { "/points", "/claims", "/traces" };
	struct batch batch = { .tune = tune, .simulated = simulated, .count = count };
	struct sweep *sweep = &batch.sweep;
	*sweep = (struct sweep){ .args = tune->args,
		.arena = sl_arena_new(),
		.registry = tune->args->registry,
		.dir = tune->dir,
		.dir_name = tune->dir,
		.silent = true };
	int status = sweep->arena ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < SL_LEN(below) && !status; i++)
		status = folder_make(tune->dir, below[i], err);
	if (!status) {
		sweep->spec.metric = sl_alloc(sweep->arena, metrics + 1, sizeof(*sweep->spec.metric));
		sweep->spec.warm = tune->warm;
		sweep->spec.tz = arg(tune->args, "tz");
		status = sweep->spec.metric ? batch_begin(&batch, err) : sl_fail_memory(err);
	}
	for (size_t m = 0; m < metrics && !status; m++) {
		bool there = false;
		for (size_t i = 0; i < sweep->spec.metric_count; i++)
			there |= strcmp(sweep->spec.metric[i], metric[m]) == 0;
		if (!there)
			sweep->spec.metric[sweep->spec.metric_count++] = metric[m];
	}
	if (!status && count)
		status = batch_run(&batch, metric, metrics, err);
	for (size_t f = 0; f < FACTORS; f++)
		if (batch.texts[f].names)
			sl_names_free(batch.texts[f].names);
	sl_arena_free(sweep->arena);
	return status;
}
