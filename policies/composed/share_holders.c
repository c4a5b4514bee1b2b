/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share_holders.c - see share_holders.h.
 */
#include "policies/composed/share_holders.h"

#include <stdlib.h>
#include <string.h>

/* ---- Share holders -------------------------------------------------------------------------- */

/* By number, then by first submission. */
static int compare_numbers(const void *a, const void *b)
{
	const struct share_holder_number *x = a;
	const struct share_holder_number *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->share_holder > y->share_holder) - (x->share_holder < y->share_holder);
}

static uint32_t share_holder_of(const struct share_holders *share_holders, int32_t number)
{
	uint32_t from = 0;
	uint32_t to = share_holders->count;
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		if (share_holders->number[middle].number < number)
			from = middle + 1;
		else
			to = middle;
	}
	const bool found = from < share_holders->count && share_holders->number[from].number == number;
	return found ? share_holders->number[from].share_holder : SHARE_HOLDER_NONE;
}

/* The numbers that occur, ascending, each once; `party` is the row of its first job, then its number: a job
 * is the first of its share holder if it is that row. */
static bool list_numbers(struct share_holders *share_holders, const int32_t *column, struct sl_arena *arena)
{
	const uint32_t jobs = share_holders->jobs->count;
	struct share_holder_number *all = malloc((jobs ? jobs : 1) * sizeof(*all));
	uint32_t *rank = calloc((size_t)jobs + 1, sizeof(*rank));
	uint32_t count = 0;
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		all[i] = (struct share_holder_number){ column[i] < 0 ? -1 : column[i], i };
	if (all && rank && jobs)
		qsort(all, jobs, sizeof(*all), compare_numbers);
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		if (!count || all[i].number != all[count - 1].number) {
			rank[all[i].share_holder + 1] = 1;
			all[count++] = all[i];
		}
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		rank[i + 1] += rank[i];
	struct share_holder_number *number = all && rank ? sl_alloc(arena, count + 1, sizeof(*number)) : NULL;
	for (uint32_t i = 0; number && i < count; i++)
		number[i] = (struct share_holder_number){ all[i].number, rank[all[i].share_holder] };
	free(all);
	free(rank);
	share_holders->number = number;
	share_holders->count = count;
	return number;
}

static bool list_jobs(struct share_holders *share_holders, const int32_t *column, struct sl_arena *arena)
{
	const uint32_t jobs = share_holders->jobs->count;
	const uint32_t count = share_holders->count;
	uint32_t *of = sl_alloc(arena, jobs + 1, sizeof(*of));
	uint32_t *row = sl_alloc(arena, jobs + 1, sizeof(*row));
	uint32_t *begin = sl_alloc(arena, count + 2, sizeof(*begin));
	if (!of || !row || !begin)
		return false;
	for (uint32_t i = 0; i < jobs; i++) {
		of[i] = share_holder_of(share_holders, column[i] < 0 ? -1 : column[i]);
		begin[of[i] + 2]++;
	}
	for (uint32_t share_holder = 0; share_holder < count; share_holder++)
		begin[share_holder + 1] += begin[share_holder];
	for (uint32_t i = 0; i < jobs; i++)
		row[begin[of[i] + 1]++] = i;
	share_holders->of = of;
	share_holders->row = row;
	share_holders->begin = begin;
	return true;
}

int share_holders_init(
	struct share_holders *share_holders, int64_t by, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_jobs *jobs = setup->jobs;
	const struct {
		const char *noun;
		const int32_t *column;
		const char *const *name;
		uint32_t name_count;
	} kind[] = {
		{ "user", jobs->user, jobs->user_name, jobs->user_count },
		{ "account", jobs->account, jobs->account_name, jobs->account_count },
		{ "partition", jobs->partition, jobs->partition_name, jobs->partition_count },
	};
	*share_holders = (struct share_holders){
		.jobs = jobs, .noun = kind[by].noun, .name = kind[by].name, .name_count = kind[by].name_count
	};
	bool good = list_numbers(share_holders, kind[by].column, setup->arena) &&
		    list_jobs(share_holders, kind[by].column, setup->arena);
	const uint32_t count = share_holders->count;
	share_holders->seen = good ? sl_alloc(setup->arena, count + 1, sizeof(*share_holders->seen)) : NULL;
	share_holders->front = good ? sl_alloc(setup->arena, count + 1, sizeof(*share_holders->front)) : NULL;
	share_holders->cursor =
		good ? sl_alloc(setup->arena, count + 1, sizeof(*share_holders->cursor)) : NULL;
	share_holders->active =
		good ? sl_alloc(setup->arena, count + 1, sizeof(*share_holders->active)) : NULL;
	share_holders->listed =
		good ? sl_alloc(setup->arena, count + 1, sizeof(*share_holders->listed)) : NULL;
	if (!share_holders->seen || !share_holders->front || !share_holders->cursor ||
		!share_holders->active || !share_holders->listed)
		return sl_fail_memory(err);
	for (uint32_t share_holder = 0; share_holder < count; share_holder++)
		share_holders->seen[share_holder] = share_holders->front[share_holder] =
			share_holders->cursor[share_holder] = share_holders->begin[share_holder];
	return SL_OK;
}

/* ---- Waiting jobs ----------------------------------------------------------------------------- */

static void share_holders_list(struct share_holders *share_holders, uint32_t share_holder)
{
	if (!share_holders->listed[share_holder])
		share_holders->active[share_holders->active_count++] = share_holder;
	share_holders->listed[share_holder] = true;
}

/* The place of a job in its share holder's part of row. */
static uint32_t share_holders_place_of(const struct share_holders *share_holders, sl_job job)
{
	const uint32_t share_holder = share_holders->of[job.row];
	uint32_t from = share_holders->begin[share_holder];
	uint32_t to = share_holders->begin[share_holder + 1];
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		if (share_holders->row[middle] < job.row)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* To begin too far in front is no harm, so that this needs no undoing. */
void share_holders_requeued(struct share_holders *share_holders, sl_job job)
{
	const uint32_t share_holder = share_holders->of[job.row];
	const uint32_t place = share_holders_place_of(share_holders, job);
	if (place < share_holders->front[share_holder])
		share_holders->front[share_holder] = place;
	if (place < share_holders->cursor[share_holder])
		share_holders->cursor[share_holder] = place;
	share_holders_list(share_holders, share_holder);
}

/* Nearly always behind all others of its share holder; else it was kept from the queue until now. */
void share_holders_submitted(struct share_holders *share_holders, sl_job job)
{
	const uint32_t share_holder = share_holders->of[job.row];
	const uint32_t seen = share_holders->seen[share_holder];
	if (seen < share_holders->begin[share_holder + 1] && share_holders->row[seen] == job.row) {
		share_holders->seen[share_holder]++;
		share_holders_list(share_holders, share_holder);
		return;
	}
	const uint32_t place = share_holders_place_of(share_holders, job);
	if (place >= seen)
		share_holders->seen[share_holder] = place + 1;
	share_holders_requeued(share_holders, job);
}

static uint32_t waiting_from(const struct share_holders *share_holders, const struct sl_pass *pass,
	uint32_t share_holder, uint32_t place)
{
	while (place < share_holders->seen[share_holder] &&
		!sl_waits(pass, (sl_job){ share_holders->row[place] }))
		place++;
	return place;
}

void share_holders_begin(struct share_holders *share_holders, const struct sl_pass *pass)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < share_holders->active_count; i++) {
		const uint32_t share_holder = share_holders->active[i];
		const uint32_t place =
			waiting_from(share_holders, pass, share_holder, share_holders->front[share_holder]);
		share_holders->front[share_holder] = share_holders->cursor[share_holder] = place;
		share_holders->listed[share_holder] = place < share_holders->seen[share_holder];
		if (share_holders->listed[share_holder])
			share_holders->active[kept++] = share_holder;
	}
	share_holders->active_count = kept;
}

void share_holders_rewind(struct share_holders *share_holders)
{
	for (uint32_t i = 0; i < share_holders->active_count; i++)
		share_holders->cursor[share_holders->active[i]] =
			share_holders->front[share_holders->active[i]];
}

sl_job share_holders_first(
	struct share_holders *share_holders, const struct sl_pass *pass, uint32_t share_holder)
{
	const uint32_t place =
		waiting_from(share_holders, pass, share_holder, share_holders->cursor[share_holder]);
	share_holders->cursor[share_holder] = place;
	return place < share_holders->seen[share_holder] ? (sl_job){ share_holders->row[place] }
							 : SL_JOB_NONE;
}

/* The ledger keeps the job of the last report, and the reason. */
void share_holders_report(const struct share_holders *share_holders, struct sl_pass *pass, sl_ledger ledger,
	sl_job job, enum sl_reason reason)
{
	const uint32_t share_holder = share_holders->of[job.row];
	const int64_t reported = sl_ledger_get(pass, ledger, share_holder);
	const int64_t now = (int64_t)job.row << 8 | (int64_t)reason;
	if (reported == now)
		return;
	if (reported && reported >> 8 != job.row) /* Does nothing if that one does not wait any more. */
		sl_set_reason(pass, (sl_job){ (uint32_t)(reported >> 8) }, SL_REASON_PRIORITY, 0);
	sl_set_reason(pass, job, reason, 0);
	sl_ledger_add(pass, ledger, share_holder, now - reported);
}

/* ---- Amounts by name ------------------------------------------------------------------------- */

/* The share holder that text[0..len) names; SHARE_HOLDER_NONE: a number without jobs. */
static int find_share_holder(const struct share_holders *share_holders,
	const struct share_holder_amounts *what, const char *text, size_t len, uint32_t *share_holder,
	struct sl_err *err)
{
	int64_t number = -1;
	for (uint32_t i = 0; i < share_holders->name_count; i++)
		if (strlen(share_holders->name[i]) == len && memcmp(share_holders->name[i], text, len) == 0) {
			*share_holder = share_holder_of(share_holders, (int32_t)i);
			return SL_OK;
		}
	if (share_holders->name_count && !(len == 2 && memcmp(text, "-1", 2) == 0))
		return sl_fail(err, SL_USAGE,
			"%s: the trace has no %s '%.*s': write names as the trace spells them", what->key,
			share_holders->noun, (int)len, text);
	if (!share_holders->name_count &&
		(!sl_get_i64(text, len, &number) || number < -1 || number > INT32_MAX))
		return sl_fail(err, SL_USAGE, "%s: '%.*s' is no %s: in this trace they are numbers",
			what->key, (int)len, text, share_holders->noun);
	*share_holder = share_holder_of(share_holders, (int32_t)number);
	return SL_OK;
}

/* The text being read. */
struct reading {
	const struct share_holders *share_holders;
	const struct share_holder_amounts *what;
	int64_t *amount;
	bool *named;
	int64_t absent; /* Of numbers without jobs. */
};

/* What one "name=amount" says. */
static int set_amount(struct reading *r, const char *name, size_t len, int64_t value, struct sl_err *err)
{
	if (len == 1 && *name == '*') {
		for (uint32_t share_holder = 0; share_holder < r->share_holders->count; share_holder++)
			r->amount[share_holder] = r->named[share_holder] ? r->amount[share_holder] : value;
		return SL_OK;
	}
	uint32_t share_holder = SHARE_HOLDER_NONE;
	const int status = find_share_holder(r->share_holders, r->what, name, len, &share_holder, err);
	if (status)
		return status;
	if (share_holder == SHARE_HOLDER_NONE) {
		r->absent = value > INT64_MAX - r->absent ? INT64_MAX : r->absent + value;
		return SL_OK;
	}
	if (r->named[share_holder])
		return sl_fail(err, SL_USAGE, "%s: %s '%.*s' is there twice: leave one out", r->what->key,
			r->share_holders->noun, (int)len, name);
	r->named[share_holder] = true;
	r->amount[share_holder] = value;
	return SL_OK;
}

static int read_amount(struct reading *r, const char *text, size_t len, struct sl_err *err)
{
	const struct share_holder_amounts *what = r->what;
	const char *equals = memchr(text, '=', len);
	const size_t name = equals ? (size_t)(equals - text) : 0;
	int64_t value = 0;
	if (!name || !sl_get_micro(equals + 1, len - name - 1, &value) || value < what->least ||
		value > what->most)
		return sl_fail(err, SL_USAGE, "%s: '%.*s' must be NAME=NUMBER, %lld to %lld%s", what->key,
			(int)len, text, (long long)(what->least / SL_SECOND),
			(long long)(what->most / SL_SECOND), what->least % SL_SECOND ? ", not 0" : "");
	return set_amount(r, text, name, value, err);
}

int share_holders_amounts(const struct share_holders *share_holders, const struct share_holder_amounts *what,
	const char *text, int64_t *amount, int64_t *absent, struct sl_err *err)
{
	for (uint32_t share_holder = 0; share_holder < share_holders->count; share_holder++)
		amount[share_holder] = what->others;
	bool *named = calloc((size_t)share_holders->count + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	struct reading reading = {
		.share_holders = share_holders, .what = what, .amount = amount, .named = named
	};
	int status = SL_OK;
	while (text && *text && !status) {
		const char *comma = strchr(text, ',');
		const size_t len = comma ? (size_t)(comma - text) : strlen(text);
		status = read_amount(&reading, text, len, err);
		text += comma ? len + 1 : len;
	}
	free(named);
	if (absent)
		*absent = reading.absent;
	return status;
}

/* ---- What is asked ----------------------------------------------------------------------------- */

int64_t asks_of(const struct sl_jobs *jobs, sl_job job, unsigned kind)
{
	if (!jobs->request)
		return kind ? 0 : jobs->size[job.row];
	const struct sl_request *request = &jobs->requests[jobs->request[job.row]];
	const int64_t amount[ASKS_KINDS] = { request->cpus, request->mem, request->gpus };
	return amount[kind];
}

int64_t capacity_of(const struct sl_cluster *cluster, unsigned kind)
{
	const int64_t amount[ASKS_KINDS] = { cluster->cpus, cluster->mem, cluster->gpus };
	if (kind == 1 && cluster->node_count && !cluster->mem)
		return INT64_MAX / 4; /* Some node's is unbounded. */
	return cluster->node_count || !kind ? amount[kind] : 0;
}

int64_t parts_of(const struct sl_cluster *cluster, unsigned kind)
{
	const int64_t parts[ASKS_KINDS] = { cluster->cpu_parts, 1, cluster->gpu_parts };
	return sl_parts(parts[kind]);
}

bool is_fine(const struct sl_cluster *cluster) { return cluster->cpu_parts > 1 || cluster->gpu_parts > 1; }

int64_t fine_size_of(const struct sl_jobs *jobs, const struct sl_cluster *cluster, sl_job job)
{
	const int64_t gpus = asks_of(jobs, job, 2);
	const unsigned kind = gpus > 0 ? 2 : 0;
	const int64_t asks = asks_of(jobs, job, kind);
	if (!is_fine(cluster))
		return jobs->size[job.row];
	return asks > 0 ? sl_mul_div(asks, 1000, parts_of(cluster, kind))
			: (int64_t)jobs->size[job.row] * 1000;
}
