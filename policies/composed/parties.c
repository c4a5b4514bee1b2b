/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parties.c - see parties.h.
 */
#include "policies/composed/parties.h"

#include <stdlib.h>
#include <string.h>

/* ---- Who there is -------------------------------------------------------------------------- */

/* By number, then by first submission. */
static int compare_numbers(const void *a, const void *b)
{
	const struct party_number *x = a;
	const struct party_number *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->party > y->party) - (x->party < y->party);
}

static uint32_t party_of(const struct parties *parties, int32_t number)
{
	uint32_t from = 0;
	uint32_t to = parties->count;
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		if (parties->number[middle].number < number)
			from = middle + 1;
		else
			to = middle;
	}
	const bool found = from < parties->count && parties->number[from].number == number;
	return found ? parties->number[from].party : PARTY_NONE;
}

/* The numbers that occur, ascending, each once; `party` is the row of its first job, then what comes of it: a
 * job is the first of its party if it is that row. */
static bool list_numbers(struct parties *parties, const int32_t *column, struct sl_arena *arena)
{
	const uint32_t jobs = parties->jobs->count;
	struct party_number *all = malloc((jobs ? jobs : 1) * sizeof(*all));
	uint32_t *rank = calloc((size_t)jobs + 1, sizeof(*rank));
	uint32_t count = 0;
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		all[i] = (struct party_number){ column[i] < 0 ? -1 : column[i], i };
	if (all && rank && jobs)
		qsort(all, jobs, sizeof(*all), compare_numbers);
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		if (!count || all[i].number != all[count - 1].number) {
			rank[all[i].party + 1] = 1;
			all[count++] = all[i];
		}
	for (uint32_t i = 0; all && rank && i < jobs; i++)
		rank[i + 1] += rank[i];
	struct party_number *number = all && rank ? sl_alloc(arena, count + 1, sizeof(*number)) : NULL;
	for (uint32_t i = 0; number && i < count; i++)
		number[i] = (struct party_number){ all[i].number, rank[all[i].party] };
	free(all);
	free(rank);
	parties->number = number;
	parties->count = count;
	return number;
}

static bool list_jobs(struct parties *parties, const int32_t *column, struct sl_arena *arena)
{
	const uint32_t jobs = parties->jobs->count;
	const uint32_t count = parties->count;
	uint32_t *of = sl_alloc(arena, jobs + 1, sizeof(*of));
	uint32_t *row = sl_alloc(arena, jobs + 1, sizeof(*row));
	uint32_t *begin = sl_alloc(arena, count + 2, sizeof(*begin));
	if (!of || !row || !begin)
		return false;
	for (uint32_t i = 0; i < jobs; i++) {
		of[i] = party_of(parties, column[i] < 0 ? -1 : column[i]);
		begin[of[i] + 2]++;
	}
	for (uint32_t party = 0; party < count; party++)
		begin[party + 1] += begin[party];
	for (uint32_t i = 0; i < jobs; i++)
		row[begin[of[i] + 1]++] = i;
	parties->of = of;
	parties->row = row;
	parties->begin = begin;
	return true;
}

int parties_init(struct parties *parties, int64_t by, const struct sl_setup *setup, struct sl_err *err)
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
	*parties = (struct parties){
		.jobs = jobs, .noun = kind[by].noun, .name = kind[by].name, .name_count = kind[by].name_count
	};
	bool good = list_numbers(parties, kind[by].column, setup->arena) &&
		    list_jobs(parties, kind[by].column, setup->arena);
	const uint32_t count = parties->count;
	parties->seen = good ? sl_alloc(setup->arena, count + 1, sizeof(*parties->seen)) : NULL;
	parties->front = good ? sl_alloc(setup->arena, count + 1, sizeof(*parties->front)) : NULL;
	parties->cursor = good ? sl_alloc(setup->arena, count + 1, sizeof(*parties->cursor)) : NULL;
	parties->active = good ? sl_alloc(setup->arena, count + 1, sizeof(*parties->active)) : NULL;
	parties->listed = good ? sl_alloc(setup->arena, count + 1, sizeof(*parties->listed)) : NULL;
	if (!parties->seen || !parties->front || !parties->cursor || !parties->active || !parties->listed)
		return sl_fail_memory(err);
	for (uint32_t party = 0; party < count; party++)
		parties->seen[party] = parties->front[party] = parties->cursor[party] = parties->begin[party];
	return SL_OK;
}

/* ---- Who waits ----------------------------------------------------------------------------- */

static void list(struct parties *parties, uint32_t party)
{
	if (!parties->listed[party])
		parties->active[parties->active_count++] = party;
	parties->listed[party] = true;
}

/* The place of a job in its party's part of row. */
static uint32_t place_of(const struct parties *parties, sl_job job)
{
	const uint32_t party = parties->of[job.row];
	uint32_t from = parties->begin[party];
	uint32_t to = parties->begin[party + 1];
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		if (parties->row[middle] < job.row)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* To begin too far in front is no harm, so that this needs no undoing. */
void parties_requeued(struct parties *parties, sl_job job)
{
	const uint32_t party = parties->of[job.row];
	const uint32_t place = place_of(parties, job);
	if (place < parties->front[party])
		parties->front[party] = place;
	if (place < parties->cursor[party])
		parties->cursor[party] = place;
	list(parties, party);
}

/* Nearly always behind all others of its party; else it was kept from the queue until now. */
void parties_submitted(struct parties *parties, sl_job job)
{
	const uint32_t party = parties->of[job.row];
	const uint32_t seen = parties->seen[party];
	if (seen < parties->begin[party + 1] && parties->row[seen] == job.row) {
		parties->seen[party]++;
		list(parties, party);
		return;
	}
	const uint32_t place = place_of(parties, job);
	if (place >= seen)
		parties->seen[party] = place + 1;
	parties_requeued(parties, job);
}

static uint32_t waiting_from(
	const struct parties *parties, const struct sl_pass *pass, uint32_t party, uint32_t place)
{
	while (place < parties->seen[party] && !sl_waits(pass, (sl_job){ parties->row[place] }))
		place++;
	return place;
}

void parties_begin(struct parties *parties, const struct sl_pass *pass)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < parties->active_count; i++) {
		const uint32_t party = parties->active[i];
		const uint32_t place = waiting_from(parties, pass, party, parties->front[party]);
		parties->front[party] = parties->cursor[party] = place;
		parties->listed[party] = place < parties->seen[party];
		if (parties->listed[party])
			parties->active[kept++] = party;
	}
	parties->active_count = kept;
}

void parties_rewind(struct parties *parties)
{
	for (uint32_t i = 0; i < parties->active_count; i++)
		parties->cursor[parties->active[i]] = parties->front[parties->active[i]];
}

sl_job parties_first(struct parties *parties, const struct sl_pass *pass, uint32_t party)
{
	const uint32_t place = waiting_from(parties, pass, party, parties->cursor[party]);
	parties->cursor[party] = place;
	return place < parties->seen[party] ? (sl_job){ parties->row[place] } : SL_JOB_NONE;
}

/* The ledger holds the job that was told, and what. */
void parties_tell(const struct parties *parties, struct sl_pass *pass, sl_ledger ledger, sl_job job,
	enum sl_reason reason)
{
	const uint32_t party = parties->of[job.row];
	const int64_t told = sl_ledger_get(pass, ledger, party);
	const int64_t now = (int64_t)job.row << 8 | (int64_t)reason;
	if (told == now)
		return;
	if (told && told >> 8 != job.row) /* Does nothing if that one does not wait any more. */
		sl_set_reason(pass, (sl_job){ (uint32_t)(told >> 8) }, SL_REASON_PRIORITY, 0);
	sl_set_reason(pass, job, reason, 0);
	sl_ledger_add(pass, ledger, party, now - told);
}

/* ---- Amounts by name ------------------------------------------------------------------------- */

/* The party that text[0..len) names; PARTY_NONE: a number without jobs. */
static int find_party(const struct parties *parties, const struct party_amounts *what, const char *text,
	size_t len, uint32_t *party, struct sl_err *err)
{
	int64_t number = -1;
	for (uint32_t i = 0; i < parties->name_count; i++)
		if (strlen(parties->name[i]) == len && memcmp(parties->name[i], text, len) == 0) {
			*party = party_of(parties, (int32_t)i);
			return SL_OK;
		}
	if (parties->name_count && !(len == 2 && memcmp(text, "-1", 2) == 0))
		return sl_fail(err, SL_USAGE,
			"%s: the trace has no %s '%.*s': write names as the trace spells them", what->key,
			parties->noun, (int)len, text);
	if (!parties->name_count && (!sl_get_i64(text, len, &number) || number < -1 || number > INT32_MAX))
		return sl_fail(err, SL_USAGE, "%s: '%.*s' is no %s: in this trace they are numbers",
			what->key, (int)len, text, parties->noun);
	*party = party_of(parties, (int32_t)number);
	return SL_OK;
}

/* The text being read. */
struct reading {
	const struct parties *parties;
	const struct party_amounts *what;
	int64_t *amount;
	bool *named;
	int64_t absent; /* Of numbers without jobs. */
};

/* What one "name=amount" says. */
static int set_amount(struct reading *r, const char *name, size_t len, int64_t value, struct sl_err *err)
{
	if (len == 1 && *name == '*') {
		for (uint32_t party = 0; party < r->parties->count; party++)
			r->amount[party] = r->named[party] ? r->amount[party] : value;
		return SL_OK;
	}
	uint32_t party = PARTY_NONE;
	const int status = find_party(r->parties, r->what, name, len, &party, err);
	if (status)
		return status;
	if (party == PARTY_NONE) {
		r->absent = value > INT64_MAX - r->absent ? INT64_MAX : r->absent + value;
		return SL_OK;
	}
	if (r->named[party])
		return sl_fail(err, SL_USAGE, "%s: %s '%.*s' is there twice: leave one out", r->what->key,
			r->parties->noun, (int)len, name);
	r->named[party] = true;
	r->amount[party] = value;
	return SL_OK;
}

static int read_amount(struct reading *r, const char *text, size_t len, struct sl_err *err)
{
	const struct party_amounts *what = r->what;
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

int parties_amounts(const struct parties *parties, const struct party_amounts *what, const char *text,
	int64_t *amount, int64_t *absent, struct sl_err *err)
{
	for (uint32_t party = 0; party < parties->count; party++)
		amount[party] = what->others;
	bool *named = calloc((size_t)parties->count + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	struct reading reading = { .parties = parties, .what = what, .amount = amount, .named = named };
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
