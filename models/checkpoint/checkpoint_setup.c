/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checkpoint_setup.c - checkpoints before the run, and what is reported of them after it.
 */
#include <string.h>
#include <strings.h>

#include "models/checkpoint/checkpoint.h"

#define DAY           INT64_C(86400000000) /* Microseconds. */
#define FAILURES_RATE INT64_C(6500000) /* Of that model by default, millionths: see schedlab-failures(7). */
#define MTBF_MAX      INT64_C(1000000000000000000)

const struct sl_param checkpoint_params[8] = {
	{ .key = "interval",
		.kind = SL_PARAM_CHOICE,
		.fallback = "daly",
		.choices = "daly|young|available|every",
		.help = "work between two checkpoints: by Daly, by Young, for the best availability (Saxena), or 'every'" },
	{ .key = "every",
		.kind = SL_PARAM_TIME,
		.choices = "1..",
		.help = "work between two checkpoints, with interval=every",
		.min = SL_SECOND,
		.max = INT64_C(1000000000000000) },
	{ .key = "mtbf",
		.kind = SL_PARAM_TIME,
		.choices = "1..",
		.help = "mean time between failures of one node; not given: failures.mtbf or failures.rate",
		.min = SL_SECOND,
		.max = INT64_C(1000000000000000) },
	{ .key = "cost",
		.kind = SL_PARAM_TIME,
		.choices = "0..",
		.help = "what one takes, of jobs that say neither bytes nor cost; not given: they write none",
		.min = 0,
		.max = INT64_C(1000000000000000) },
	{ .key = "restart",
		.kind = SL_PARAM_TIME,
		.fallback = "0",
		.choices = "0..",
		.help = "what each start but the first takes, beside reading the checkpoint and replay.restart",
		.min = 0,
		.max = INT64_C(1000000000000000) },
	{ .key = "node_rate",
		.kind = SL_PARAM_REAL,
		.fallback = "1",
		.choices = "0.001..1000",
		.help = "GB/s that a node moves where no model carries transfers, and as a first guess; assumed",
		.min = 1000,
		.max = 1000000000 },
	{ .key = "async",
		.kind = SL_PARAM_BOOL,
		.fallback = "no",
		.help = "jobs that do not say work on while they write" },
	{ .key = "preempt",
		.kind = SL_PARAM_CHOICE,
		.fallback = "free",
		.choices = "free|pays",
		.help = "pays: the checkpoint of a preemption is written as its job goes on, before it is read" },
};

static const struct sl_value *given(const struct sl_model_setup *setup, const char *key)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	return value && value->text ? value : NULL;
}

static sl_time time_or(const struct sl_model_setup *setup, const char *key, sl_time otherwise)
{
	const struct sl_value *value = given(setup, key);
	return value ? value->number : otherwise;
}

/* Of so many failures, in millionths, of 1000 nodes in a day. */
static sl_time mtbf_of_rate(int64_t rate)
{
	const __int128 mtbf = rate > 0 ? (__int128)1000 * DAY * SL_SECOND / rate : SL_NEVER;
	return mtbf < MTBF_MAX ? (sl_time)mtbf : rate > 0 ? MTBF_MAX : SL_NEVER;
}

/* As the model failures has it, where it is on: it needs neither, without a log. */
static bool mtbf_of_failures(const struct sl_model_setup *setup, sl_time *mtbf)
{
	const struct sl_value *given = sl_model_value(setup, "failures", "mtbf");
	const struct sl_value *rate = sl_model_value(setup, "failures", "rate");
	const struct sl_value *log = sl_model_value(setup, "failures", "log");
	*mtbf = log && log->text ? SL_NEVER : mtbf_of_rate(FAILURES_RATE);
	if (given && given->text)
		*mtbf = given->number;
	else if (rate && rate->text)
		*mtbf = mtbf_of_rate(rate->number);
	return given || rate;
}

/* failures.mtbf, or .rate, where that model is off. */
static int mtbf_of_file(const struct sl_cluster *cluster, sl_time *mtbf, struct sl_err *err)
{
	*mtbf = SL_NEVER;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (strcmp(setting->kind, "failures") != 0 || (setting->name && *setting->name))
			continue;
		const size_t len = strlen(setting->value);
		int64_t number;
		if (strcasecmp(setting->key, "mtbf") == 0) {
			if (!sl_get_duration(setting->value, len, mtbf) || *mtbf < SL_SECOND)
				return sl_fail_at(err, &setting->at,
					"failures: 'mtbf: %.60s' is no time: write it like 150d",
					setting->value);
		} else if (strcasecmp(setting->key, "rate") == 0) {
			if (!sl_get_micro(setting->value, len, &number) || number < 0)
				return sl_fail_at(err, &setting->at,
					"failures: 'rate: %.60s' is no number of failures", setting->value);
			*mtbf = mtbf_of_rate(number);
		}
	}
	return SL_OK;
}

/* Whether some job needs the interval that nobody can compute. */
static bool lacks_mtbf(const struct checkpoint *checkpoint)
{
	if (checkpoint->rule == CHECKPOINT_EVERY || checkpoint->mtbf != SL_NEVER)
		return false;
	for (uint32_t i = 1; i < checkpoint->jobs->profile_count; i++) {
		const struct sl_profile *profile = &checkpoint->jobs->profile[i];
		if (profile->checkpoint_every < 0 &&
			(profile->checkpoint > 0 || profile->checkpoint_cost >= 0))
			return true;
	}
	return checkpoint->cost >= 0;
}

static int read_values(struct checkpoint *checkpoint, const struct sl_model_setup *setup, struct sl_err *err)
{
	checkpoint->rule = (enum checkpoint_rule)time_or(setup, "interval", CHECKPOINT_DALY);
	checkpoint->every = time_or(setup, "every", SL_NONE);
	checkpoint->cost = time_or(setup, "cost", SL_NONE);
	checkpoint->restart = time_or(setup, "restart", 0);
	checkpoint->rate = time_or(setup, "node_rate", SL_SECOND) * 1000; /* Millionths of GB/s: kB/s. */
	checkpoint->async = time_or(setup, "async", 0) != 0;
	checkpoint->pays = time_or(setup, "preempt", 0) != 0;
	const int status = mtbf_of_failures(setup, &checkpoint->mtbf)
				   ? SL_OK
				   : mtbf_of_file(setup->cluster, &checkpoint->mtbf, err);
	if (status)
		return status;
	checkpoint->mtbf = time_or(setup, "mtbf", checkpoint->mtbf);
	if (checkpoint->rule == CHECKPOINT_EVERY && checkpoint->every == SL_NONE)
		return sl_fail(err, SL_USAGE, "checkpoint: interval=every without 'every': give every=TIME");
	if (lacks_mtbf(checkpoint))
		return sl_fail(err, SL_USAGE,
			"checkpoint: how often nodes fail is not known: give mtbf=TIME (of one node), "
			"failures.mtbf or failures.rate, or interval=every,every=TIME");
	return SL_OK;
}

int checkpoint_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct checkpoint *checkpoint = sl_alloc(setup->arena, 1, sizeof(*checkpoint));
	if (!checkpoint)
		return sl_fail_memory(err);
	*state = checkpoint;
	checkpoint->jobs = setup->jobs;
	checkpoint->cluster = setup->cluster;
	checkpoint->arena = setup->arena;
	checkpoint->job = sl_alloc(setup->arena, (size_t)setup->jobs->count + 1, sizeof(*checkpoint->job));
	checkpoint->mark =
		sl_alloc(setup->arena, (size_t)setup->cluster->node_count + 1, sizeof(*checkpoint->mark));
	if (!checkpoint->job || !checkpoint->mark)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < setup->jobs->count; i++)
		checkpoint->job[i].cost = SL_NONE;
	return read_values(checkpoint, setup, err);
}

/* ---- After it ---------------------------------------------------------------------------- */

static int report_columns(struct checkpoint *checkpoint, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const names[] = { "checkpoints", "checkpoint_time", "restart_time", "work_lost" };
	int status = SL_OK;
	for (size_t k = 0; k < SL_LEN(names) && !status; k++) {
		int64_t *column =
			sl_alloc(checkpoint->arena, (size_t)checkpoint->jobs->count + 1, sizeof(*column));
		if (!column)
			return sl_fail_memory(err);
		for (uint32_t i = 0; i < checkpoint->jobs->count; i++) {
			const struct checkpoint_job *of = &checkpoint->job[i];
			const int64_t value[] = { of->count * SL_SECOND, of->writing, of->loading, of->lost };
			column[i] = of->nodes ? value[k] : SL_NONE;
		}
		status = sl_report_job_column(tally, names[k], column, err);
	}
	return status;
}

int checkpoint_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct checkpoint *checkpoint = state;
	int64_t count = 0;
	for (uint32_t i = 0; i < checkpoint->jobs->count; i++) {
		checkpoint_book(checkpoint, sim, &checkpoint->job[i]); /* Of those that run on. */
		count += checkpoint->job[i].count;
	}
	const __int128 held = checkpoint->held;
	const __int128 other = checkpoint->writing + checkpoint->loading + checkpoint->lost;
	const struct sl_named reported[] = {
		{ "checkpoint.count", count * SL_SECOND },
		{ "checkpoint.written_gb", checkpoint->bytes / 1000 },
		{ "checkpoint.node_hours", (int64_t)(checkpoint->writing / 3600) },
		{ "checkpoint.restart_node_hours", (int64_t)(checkpoint->loading / 3600) },
		{ "checkpoint.lost_node_hours", (int64_t)(checkpoint->lost / 3600) },
		{ "checkpoint.goodput", held > 0 ? (int64_t)((held - other) * SL_SECOND / held) : SL_SECOND },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(reported) && !status; i++)
		status = sl_report_metric(tally, reported[i].name, reported[i].micro, err);
	return status ? status : report_columns(checkpoint, tally, err);
}
