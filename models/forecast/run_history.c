/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_history.c - how long jobs run, by what is known of them: quantiles of similar jobs' run times beyond
 * the time that they have run already, shrunk towards coarser groups where a group is small.
 *
 * Users repeat themselves (Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007), and the more of a request
 * is equal, the more they do (Smith, Foster and Taylor, JSSPP 1998: templates of attributes). A draw goes
 * from the finest group to the coarsest and takes the one of n run times with the odds n / (n + SHRINK): the
 * mixture of the groups' distributions whose weights are those of a Bayesian with SHRINK observations of the
 * coarser one.
 *
 * Of a job whose end is not known it is known that it ran so long at least. Left out, it would make run times
 * look shorter than they are, as long jobs are those whose end is not known. It counts as one that ran longer
 * than that, as any job does that has run so long: its weight goes to those to the right (Efron, "The two
 * sample problem with censored data", 5th Berkeley Symposium 1967: the estimate of Kaplan and Meier).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/forecast/forecast_models.h"

enum { SHRINK = 4 };

/* Of each level, how many of the latest count, and whether by shares of the limit. */
static const struct {
	uint32_t most;
	bool share;
} levels[FORECAST_LEVELS] = {
	[FORECAST_SAME] = { 50, false },
	[FORECAST_USER_SIZE] = { 100, false },
	[FORECAST_USER_LIMIT] = { 100, false },
	[FORECAST_USER] = { 200, true },
	[FORECAST_PARTITION_LIMIT] = { 1000, false },
	[FORECAST_ALL] = { 5000, true },
};

struct group {
	uint64_t key;
	uint32_t first, count; /* Of the level's values, ascending. */
};

struct seen {
	double value; /* Microseconds, or shares of the limit. */
	bool longer;  /* That is how long it was seen to run: its end is not known. */
};

struct level {
	struct group *group; /* By key. */
	size_t groups;
	struct seen *seen;
};

struct forecast_history {
	struct level level[FORECAST_LEVELS];
	size_t size;
	double hazard; /* Of a cancellation, in a microsecond of waiting. */
};

/* ---- Keys ---------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t h, int64_t value)
{
	h = (h ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t key_of(const struct forecast_job *job, enum forecast_level level)
{
	/* Shares of the limit do not mix with run times of jobs that have none. */
	uint64_t h = mixed(UINT64_C(0x243f6a8885a308d3), levels[level].share ? job->limit > 0 : 0);
	const bool user = level <= FORECAST_USER;
	const bool limit = level <= FORECAST_USER_LIMIT || level == FORECAST_PARTITION_LIMIT;
	const bool partition = level <= FORECAST_USER_SIZE || level == FORECAST_PARTITION_LIMIT;
	h = mixed(h, user ? job->user : -2);
	h = mixed(h, limit ? job->limit : -2);
	h = mixed(h, partition ? job->partition : -2);
	h = mixed(h, level <= FORECAST_USER_SIZE ? job->size : -2);
	return mixed(h, level == FORECAST_SAME ? job->name : -2);
}

static bool is_share(const struct forecast_job *job, enum forecast_level level)
{
	return levels[level].share && job->limit > 0;
}

/* ---- Making it ------------------------------------------------------------------------------------ */

struct entry {
	uint64_t key;
	sl_time end;
	struct seen seen;
	uint32_t job;
};

static int by_key_latest(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->job < y->job) - (x->job > y->job);
}

static int by_value(const void *a, const void *b)
{
	const struct seen *x = a;
	const struct seen *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->longer - y->longer;
}

/* Of entries by key, the latest first: groups of so many at most. */
static int level_fill(
	struct level *level, const struct entry *entry, size_t count, uint32_t most, struct sl_err *err)
{
	level->group = malloc((count + 1) * sizeof(*level->group));
	level->seen = malloc((count + 1) * sizeof(*level->seen));
	if (!level->group || !level->seen)
		return sl_fail_memory(err);
	uint32_t used = 0;
	for (size_t i = 0; i < count;) {
		struct group *group = &level->group[level->groups++];
		*group = (struct group){ .key = entry[i].key, .first = used };
		for (; i < count && entry[i].key == group->key; i++)
			if (group->count < most) {
				level->seen[used++] = entry[i].seen;
				group->count++;
			}
		qsort(&level->seen[group->first], group->count, sizeof(*level->seen), by_value);
	}
	return SL_OK;
}

/* Until when it is known what it did. */
static sl_time known_until(const struct forecast_job *job, sl_time until)
{
	return job->known && job->known < until ? job->known : until;
}

static bool has_ended(const struct forecast_job *job, sl_time until)
{
	return job->end != SL_NONE && job->end <= known_until(job, until);
}

/* How long it ran, or was seen to run; 0: not at all. */
static sl_time ran(const struct forecast_job *job, sl_time until)
{
	const sl_time to = has_ended(job, until) ? job->end : known_until(job, until);
	return job->start != SL_NONE && to != SL_NEVER && to > job->start ? to - job->start : 0;
}

/* Cancellations of waiting jobs in the time that jobs waited, by then. */
static double hazard_of(const struct forecast_job *job, size_t count, sl_time until)
{
	double waited = 0;
	double cancelled = 0;
	for (size_t i = 0; i < count && job[i].submit < until; i++) {
		const bool gone = job[i].cancel != SL_NONE && job[i].cancel <= until;
		const sl_time left = gone ? job[i].cancel : job[i].start;
		cancelled += gone;
		const sl_time known = known_until(&job[i], until);
		waited += (double)((left != SL_NONE && left < known ? left : known) - job[i].submit);
	}
	return waited > 0 ? cancelled / waited : 0;
}

static int history_fill(struct forecast_history *history, const struct forecast_job *job, size_t count,
	sl_time until, struct sl_err *err)
{
	struct entry *entry = malloc((count + 1) * sizeof(*entry));
	int status = entry ? SL_OK : sl_fail_memory(err);
	for (int k = 0; k < FORECAST_LEVELS && !status; k++) {
		size_t used = 0;
		history->size = 0;
		for (size_t i = 0; i < count; i++) {
			const sl_time run = ran(&job[i], until);
			if (!run)
				continue;
			const bool ended = has_ended(&job[i], until);
			const bool share = is_share(&job[i], (enum forecast_level)k);
			entry[used++] =
				(struct entry){ key_of(&job[i], (enum forecast_level)k), job[i].start + run,
					{ share ? (double)run / (double)job[i].limit : (double)run, !ended },
					(uint32_t)i };
			history->size += ended;
		}
		qsort(entry, used, sizeof(*entry), by_key_latest);
		status = level_fill(&history->level[k], entry, used, levels[k].most, err);
	}
	free(entry);
	history->hazard = hazard_of(job, count, until);
	return status;
}

struct forecast_history *forecast_history_new(
	const struct forecast_job *job, size_t count, sl_time until, struct sl_err *err)
{
	struct forecast_history *history = calloc(1, sizeof(*history));
	if (!history) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	if (history_fill(history, job, count, until, err) == SL_OK)
		return history;
	forecast_history_free(history);
	return NULL;
}

void forecast_history_free(struct forecast_history *history)
{
	for (int k = 0; history && k < FORECAST_LEVELS; k++) {
		free(history->level[k].group);
		free(history->level[k].seen);
	}
	free(history);
}

size_t forecast_history_size(const struct forecast_history *history) { return history->size; }

/* ---- Draws ------------------------------------------------------------------------------------------ */

static const struct group *group_of(const struct level *level, uint64_t key)
{
	size_t low = 0;
	size_t high = level->groups;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (level->group[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < level->groups && level->group[low].key == key ? &level->group[low] : NULL;
}

/* The first of a group's values that is larger. */
static uint32_t first_beyond(const struct level *level, const struct group *group, double value)
{
	uint32_t low = 0;
	uint32_t high = group->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (level->seen[group->first + middle].value <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* It has outrun all that is like it: anything up to its limit; without one, up to twice as long. */
static sl_time beyond_all(const struct forecast_job *job, sl_time elapsed, double u)
{
	const sl_time least = 60 * SL_SECOND;
	const sl_time most = job->limit > elapsed ? job->limit - elapsed : job->limit > 0 ? least : elapsed;
	return elapsed + 1 + (sl_time)(u * (double)(most > least ? most : least));
}

/* Of one level, of n run times: what is left of u is as even as u was. */
static const struct seen *drawn_of(const struct level *level, uint32_t first, uint32_t n, double *u)
{
	const double at = *u * n;
	const uint32_t whole = (uint32_t)at < n ? (uint32_t)at : n - 1;
	*u = at - whole < 1 ? at - whole : 0;
	return &level->seen[first + whole];
}

/* One that is drawn, by the level's unit; NULL: it has outrun all. What is left of `pick` and u is even. */
static const struct seen *draw(const struct forecast_history *history, const struct forecast_job *job,
	sl_time elapsed, double *pick, double *u, double *unit)
{
	for (int k = 0; k < FORECAST_LEVELS; k++) {
		const struct level *level = &history->level[k];
		const struct group *group = group_of(level, key_of(job, (enum forecast_level)k));
		if (!group)
			continue;
		*unit = is_share(job, (enum forecast_level)k) ? (double)job->limit : 1;
		const uint32_t first = first_beyond(level, group, (double)elapsed / *unit);
		const uint32_t n = group->count - first;
		const double odds = k + 1 == FORECAST_LEVELS ? n > 0 : (double)n / (n + SHRINK);
		if (*pick < odds) {
			*pick = *pick / odds;
			return drawn_of(level, group->first + first, n, u);
		}
		*pick = odds < 1 ? (*pick - odds) / (1 - odds) : 0;
	}
	return NULL;
}

sl_time forecast_run_time(const struct forecast_history *history, const struct forecast_job *job,
	sl_time elapsed, double pick, double u)
{
	const struct seen *seen;
	double unit;
	while ((seen = draw(history, job, elapsed, &pick, &u, &unit))) {
		const sl_time run = (sl_time)(seen->value * unit);
		if (!seen->longer)
			return run > elapsed ? run : elapsed + 1;
		elapsed = run > elapsed ? run : elapsed + 1; /* It ran longer than that, too. */
	}
	return beyond_all(job, elapsed, u);
}

sl_time forecast_run_longest(const struct forecast_history *history, const struct forecast_job *job)
{
	static const enum forecast_level level[] = { FORECAST_PARTITION_LIMIT, FORECAST_ALL };
	for (size_t i = 0; i < SL_LEN(level); i++) {
		const struct level *of = &history->level[level[i]];
		const struct group *group = group_of(of, key_of(job, level[i]));
		if (group)
			return (sl_time)(of->seen[group->first + group->count - 1].value *
					 (is_share(job, level[i]) ? (double)job->limit : 1));
	}
	return 0;
}

/* Of a job in a future. */
static struct sl_rng stream_of(
	const char *what, const struct forecast_job *job, uint64_t seed, uint32_t future)
{
	char name[96];
	(void)snprintf(name, sizeof(name), "models/forecast/%s/%u/%lld", what, future, (long long)job->id);
	return sl_rng_stream(seed, name);
}

sl_time forecast_run_drawn(const struct forecast_history *history, const struct forecast_job *job,
	sl_time elapsed, uint64_t seed, uint32_t future)
{
	struct sl_rng rng = stream_of("run", job, seed, future);
	const double pick = sl_rng_unit(&rng);
	return forecast_run_time(history, job, elapsed, pick, sl_rng_unit(&rng));
}

sl_time forecast_cancel_drawn(const struct forecast_history *history, const struct forecast_job *job,
	sl_time now, uint64_t seed, uint32_t future)
{
	const double most = 1e15; /* 30 years. */
	struct sl_rng rng = stream_of("cancel", job, seed, future);
	if (history->hazard <= 0)
		return SL_NONE;
	const double after = -sl_ln(1 - sl_rng_unit(&rng)) / history->hazard;
	return after < most ? now + 1 + (sl_time)after : SL_NONE;
}
