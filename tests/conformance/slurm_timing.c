/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_timing.c - see slurm_timing.h. */
#include "tests/conformance/slurm_timing.h"

#include <stdio.h>
#include <string.h>

enum { TICK = 30, MINUTE = 60, PERIOD_MAX = 3600, EPILOGS = 4, FIRSTS = 2 };

static const struct json *get(const struct json *o, const char *key) { return json_member(o, key); }

/* Whether the recording says that time 0 was at a known second of a minute. */
static bool is_aligned(const char *scenario)
{
	char path[4096];
	struct sl_err err = { 0 };
	const char *slash = strrchr(scenario, '/');
	(void)snprintf(
		path, sizeof(path), "%.*smeta.json", slash ? (int)(slash - scenario) + 1 : 0, scenario);
	struct json *json = slurm_parsed(path, &err);
	const bool aligned = json && json_is_number(get(json, "t0_modulo_60"));
	json_free(json);
	return aligned;
}

/* Seconds between calculations of priorities; 0: there are none, as up to 22.05 without a database. */
static int64_t period_of(const struct slurm_case *c, const struct json *json)
{
	const struct json *conf = get(get(json, "cluster"), "conf");
	const struct json *type = get(conf, "PriorityType");
	const struct json *minutes = get(conf, "PriorityCalcPeriod");
	const bool thread = get(json, "accounting") || strcmp(c->version, "24.11") >= 0;
	if (!thread || !json_is_text(type) || !strstr(type->text, "multifactor"))
		return 0;
	const int64_t period =
		json_is_number(minutes) ? (int64_t)minutes->number * MINUTE : (int64_t)5 * MINUTE;
	return period > 0 && period <= PERIOD_MAX ? period : 0;
}

/* Priorities of waiting jobs change in a calculation, between two looks: each such change speaks for the
 * seconds between them. */
static void vote(const struct slurm_case *c, int64_t look_ms, int64_t period, uint32_t *votes)
{
	for (size_t i = 0; i < c->priority_count; i++) {
		const struct slurm_priority *p = &c->priority[i];
		const struct slurm_priority *before = NULL;
		for (size_t k = 0; k < i; k++)
			if (c->priority[k].job == p->job)
				before = &c->priority[k];
		if (!before || before->priority == p->priority || !before->priority || !p->priority)
			continue;
		const int64_t from = (p->at_ms - look_ms) / 1000;
		for (int64_t second = from < 0 ? 0 : from; second * 1000 <= p->at_ms; second++)
			votes[second % period]++;
	}
}

/* Seconds after time 0, modulo the period. */
static size_t calculations(const struct slurm_case *c, const struct json *json, int64_t *to, int64_t period)
{
	uint32_t votes[PERIOD_MAX] = { 0 };
	uint32_t most = 0;
	size_t count = 0;
	const struct json *poll = get(json, "poll");
	const double looks_s = (json_is_number(poll) ? poll->number : 0.25) * 10.0;
	if (period)
		vote(c, (int64_t)(looks_s * 1000) + 500, period, votes);
	for (int64_t i = 0; i < period; i++)
		most = votes[i] > most ? votes[i] : most;
	for (int64_t i = 0; i < period && most; i++)
		if (votes[i] == most)
			to[count++] = i;
	if (count)
		return count;
	/* Nothing was seen: slurmctld was started at a half minute, and took some ten seconds to come to it.
	 */
	static const int64_t usual[] = { 0, 10, 40 };
	for (size_t i = 0; i < (period ? SL_LEN(usual) : 1); i++)
		to[count++] = usual[i];
	return count;
}

/* Looks at limits end jobs: in which second of the half minute some ended that would have run on. */
static size_t ticks_of(const struct slurm_case *c, bool database, int64_t *to)
{
	size_t count = 0;
	to[count++] = 0;
	if (database)
		to[count++] = 8; /* As long as slurmctld takes to reach it, mostly. */
	for (size_t i = 0; i < c->row_count; i++) {
		const struct slurm_row *row = &c->row[i];
		if ((strcmp(row->state, "TIMEOUT") != 0 && strcmp(row->state, "PREEMPTED") != 0) ||
			row->end == SL_NONE)
			continue;
		for (int64_t before = 0; before < 2; before++) {
			const int64_t tick = (row->end - before + TICK) % TICK;
			bool known = false;
			for (size_t k = 0; k < count; k++)
				known |= to[k] == tick;
			if (!known)
				to[count++] = tick;
		}
	}
	return count;
}

size_t slurm_timings(const struct slurm_case *c, const char *scenario, struct slurm_timing *to)
{
	int64_t calc[PERIOD_MAX];
	int64_t tick[TICK];
	struct sl_err err = { 0 };
	size_t count = 0;
	struct json *json = slurm_parsed(scenario, &err);
	const int64_t period = json ? period_of(c, json) : 0;
	const size_t calcs = calculations(c, json, calc, period);
	const bool aligned = is_aligned(scenario);
	const size_t ticks = aligned ? ticks_of(c, json && get(json, "accounting"), tick) : 1;
	if (!aligned)
		tick[0] = 0;
	const size_t phases = aligned ? 1 : MINUTE;
	for (size_t i = 0; i < FIRSTS * EPILOGS * 2 * ticks * phases * calcs && count < SLURM_TIMINGS_MAX;
		i++) {
		const int64_t phase = (int64_t)(i / calcs % phases);
		const size_t rest = i / calcs / phases;
		const size_t epilog = rest / ticks / 2 % EPILOGS;
		to[count++] = (struct slurm_timing){ .phase = phase,
			.calc = period ? (phase + calc[i % calcs]) % period : 0,
			.period = period,
			.tick = tick[rest % ticks],
			.late = rest / ticks % 2 != 0,
			.prompt = epilog % 2 == 0,
			.behind = epilog / 2 != 0,
			.backfill = rest / ticks / 2 / EPILOGS != 0 };
	}
	json_free(json);
	return count;
}
