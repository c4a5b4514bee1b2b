/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_rows.c - rows of cores, where jobs of a partition share them (OverSubscribe=FORCE:n and YES:n).
 *
 * Rules (cons_common/part_data.c, job_resources.c, in outline):
 * - A job goes into the first row in which its cores are free; rows with more cores in use come first.
 * - When a job ends, all of the partition are put into rows anew, by their first core, then smaller ones
 *   first; after each the rows are put in order. If one fits in no row so, all stay where they were.
 * - Under preempt/qos with GANG each partition has one row more, only for jobs that preempt others by
 *   their QOS; rows then keep their order.
 */
#include "policies/slurm/select/select_parts.h"

#include <stdlib.h>

enum { NO_ROW = UINT32_MAX };
enum { ROWS_KEPT = 16 }; /* So many at most are kept by their cores while jobs are put into them anew. */

/* What is in each row: its cores, and where it stands (position -> row as jobs have it for the time being).
 */
struct rows {
	uint32_t count;
	int64_t *cores;
	uint32_t *at;
	uint64_t *met; /* By row: when something was last in the way there. */
};

static struct rows rows_of(struct select *s, uint32_t partition)
{
	struct sel_partition *p = &s->partition[partition];
	const struct rows rows = { sel_rows(s, partition), p->row_cores, p->row_at, p->row_met };
	for (uint32_t i = 0; i < rows.count; i++) {
		rows.cores[i] = 0;
		rows.at[i] = i;
	}
	for (const struct select_alloc *a = p->first; a; a = a->next)
		if (!a->stopped && a->row != NO_ROW)
			rows.cores[a->row] += a->cores;
	return rows;
}

static void exchange(const struct rows *rows, uint32_t i, uint32_t j)
{
	const uint32_t at = rows->at[i];
	if (rows->cores[rows->at[j]] <= rows->cores[at])
		return;
	rows->at[i] = rows->at[j];
	rows->at[j] = at;
}

/* The fullest first: exchanged as part_data_sort_res does it. Empty ones at the end stay where they are. */
static void sort_rows(const struct select *s, const struct rows *rows)
{
	uint32_t count = rows->count;
	while (count > 0 && !rows->cores[rows->at[count - 1]])
		count--;
	for (uint32_t i = 0; i < count && !s->preempt_by_qos; i++)
		for (uint32_t j = i + 1; j < count; j++)
			exchange(rows, i, j);
}

/* The same, of rows that were in order until there came more into the one that stands there: all other pairs
 * are. */
static void raise_row(const struct select *s, const struct rows *rows, uint32_t place)
{
	for (uint32_t i = 0; i < place && !s->preempt_by_qos; i++)
		exchange(rows, i, place);
}

/* Where the first row stands in which its cores are free; rows->count: none. */
static uint32_t first_row(struct select *s, const struct select_alloc *a, const struct rows *rows)
{
	const uint64_t now = ++s->rows_met;
	uint32_t place = 0;
	for (uint32_t i = 0; i < a->node_count; i++) {
		const struct select_node_alloc *mine = &a->node_alloc[i];
		const uint32_t words = shape_of(s, mine->node)->words;
		for (const struct select_node_alloc *p = s->node[mine->node].first; p; p = p->next) {
			if (p->owner == a || p->owner->partition != a->partition || p->owner->stopped ||
				p->owner->row == NO_ROW || rows->met[p->owner->row] == now)
				continue;
			for (uint32_t w = 0; w < words; w++)
				if (p->cores[w] & mine->cores[w])
					rows->met[p->owner->row] = now;
		}
	}
	while (place < rows->count && rows->met[rows->at[place]] == now)
		place++;
	return place;
}

/* Rows are called by where they stand. */
static void rename_rows(struct select *s, uint32_t partition, const struct rows *rows)
{
	uint32_t *place = s->partition[partition].row_place;
	for (uint32_t i = 0; i < rows->count; i++)
		place[rows->at[i]] = i;
	for (struct select_alloc *a = s->partition[partition].first; a; a = a->next)
		if (!a->stopped && a->row != NO_ROW)
			a->row = place[a->row];
}

bool sel_rows_make(struct select *s, uint32_t partition)
{
	struct sel_partition *p = &s->partition[partition];
	const uint32_t rows = sel_rows(s, partition);
	p->row_cores = sl_alloc(s->arena, rows, sizeof(*p->row_cores));
	p->row_at = sl_alloc(s->arena, rows, sizeof(*p->row_at));
	p->row_place = sl_alloc(s->arena, rows, sizeof(*p->row_place));
	p->row_met = sl_alloc(s->arena, rows, sizeof(*p->row_met));
	if (rows > 1 && rows <= ROWS_KEPT && rows > s->row_used_rows) {
		s->row_used = sl_alloc(s->arena, rows * s->core_words + 1, sizeof(*s->row_used));
		s->row_used_rows = rows;
	}
	return p->row_cores && p->row_at && p->row_place && p->row_met && (!s->row_used_rows || s->row_used);
}

/* ---- States ---------------------------------------------------------------------------------- */

enum { STATE_ROWS = 1 << 20 }; /* So many rows are kept of a partition at most. */

void sel_rows_stay(struct select *s, uint32_t partition)
{
	struct sel_row_states *states = &s->partition[partition].row_states;
	states->count = states->row_count = states->at = 0;
}

/* They have become others in another way. */
static void leave_states(struct select *s, uint32_t partition)
{
	if (s->marks)
		s->partition[partition].row_states.at = SEL_NO_STATE;
	else
		sel_rows_stay(s, partition);
}

/* Goes on to the state without it. False: it is not known. */
static bool go_to_state(struct sel_row_states *states, const struct select_alloc *gone)
{
	uint32_t next = states->at < states->count ? states->state[states->at].first : 0;
	while (next && states->state[next].gone != gone)
		next = states->state[next].next;
	if (!next)
		return false;
	for (uint32_t i = states->state[next].from; i < states->state[next].until; i++)
		states->row[i].alloc->row = states->row[i].row;
	states->at = next;
	return true;
}

/* So are all that are not suspended. False: too many. */
static bool keep_rows(struct select *s, uint32_t partition)
{
	struct sel_row_states *states = &s->partition[partition].row_states;
	for (struct select_alloc *a = s->partition[partition].first; a; a = a->next) {
		if (a->stopped)
			continue;
		if (states->row_count == STATE_ROWS ||
			SL_GROW_IN(s->arena, states->row, states->row_capacity, states->row_count + 1, NULL))
			return false;
		states->row[states->row_count++] = (struct sel_row){ .alloc = a, .row = a->row };
	}
	return true;
}

/* Rows are from now on as they have just been made without it. */
static void keep_state(struct select *s, const struct select_alloc *gone)
{
	struct sel_row_states *states = &s->partition[gone->partition].row_states;
	const uint32_t before = states->at, from = states->row_count;
	leave_states(s, gone->partition);
	if (!s->marks || before == SEL_NO_STATE ||
		SL_GROW_IN(s->arena, states->state, states->capacity, states->count + 2, NULL))
		return;
	if (!states->count)
		states->state[states->count++] = (struct sel_row_state){ 0 };
	if (!keep_rows(s, gone->partition)) {
		states->row_count = from;
		return;
	}
	states->state[states->count] = (struct sel_row_state){
		.gone = gone, .next = states->state[before].first, .from = from, .until = states->row_count
	};
	states->state[before].first = states->at = states->count++;
}

void sel_rows_add(struct select *s, struct select_alloc *a)
{
	a->row = 0;
	if (sel_rows(s, a->partition) <= 1)
		return;
	leave_states(s, a->partition);
	a->row = NO_ROW;
	const struct rows rows = rows_of(s, a->partition);
	sort_rows(s, &rows);
	rename_rows(s, a->partition, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		rows.at[i] = i;
	a->row = first_row(s, a, &rows);
	if (a->row == rows.count) /* Resumed by hand onto cores that others have by now. */
		a->row = rows.count - 1;
}

/* ---- Anew ------------------------------------------------------------------------------------ */

static int by_start(const void *left, const void *right)
{
	const struct sel_row_sorted *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->alloc->cpus != b->alloc->cpus)
		return a->alloc->cpus < b->alloc->cpus ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static uint64_t first_core(const struct select *s, const struct select_alloc *a)
{
	const struct select_node_alloc *p = &a->node_alloc[0];
	return (uint64_t)s->node[p->node].core_at * 64 + bits_next(p->cores, shape_of(s, p->node)->words, 0);
}

static bool scratch_capacity(struct select *s, uint32_t count)
{
	if (count <= s->row_scratch_capacity)
		return true;
	s->row_scratch = sl_alloc(s->arena, 2 * (size_t)count, sizeof(*s->row_scratch));
	s->row_scratch_capacity = s->row_scratch ? 2 * count : 0;
	return s->row_scratch != NULL;
}

/* All of the partition that have cores, sorted, out of their rows. */
static uint32_t collect(struct select *s, uint32_t partition)
{
	struct sel_row_sorted *job = s->row_scratch;
	uint32_t count = 0;
	for (struct select_alloc *a = s->partition[partition].first; a; a = a->next) {
		if (a->stopped)
			continue;
		job[count] = (struct sel_row_sorted){
			.alloc = a, .row = a->row, .order = count, .start = first_core(s, a)
		};
		count++;
		a->row = NO_ROW;
	}
	if (count)
		qsort(job, count, sizeof(*job), by_start);
	return count;
}

/* As first_row() says, of rows that are kept by their cores (select.row_used, by row). */
static uint32_t first_kept(const struct select *s, const struct select_alloc *a, const struct rows *rows)
{
	for (uint32_t place = 0; place < rows->count; place++) {
		const uint64_t *used = s->row_used + rows->at[place] * s->core_words;
		uint64_t met = 0;
		for (uint32_t i = 0; i < a->node_count && !met; i++) {
			const struct select_node_alloc *p = &a->node_alloc[i];
			const uint64_t *there = used + s->node[p->node].core_at;
			for (uint32_t w = 0; w < shape_of(s, p->node)->words; w++)
				met |= there[w] & p->cores[w];
		}
		if (!met)
			return place;
	}
	return rows->count;
}

static void keep_in(struct select *s, const struct select_alloc *a, uint32_t row)
{
	uint64_t *used = s->row_used + row * s->core_words;
	for (uint32_t i = 0; i < a->node_count; i++) {
		const struct select_node_alloc *p = &a->node_alloc[i];
		for (uint32_t w = 0; w < shape_of(s, p->node)->words; w++)
			used[s->node[p->node].core_at + w] |= p->cores[w];
	}
}

static bool rebuild(struct select *s, uint32_t partition)
{
	uint32_t most = 0;
	for (const struct select_alloc *a = s->partition[partition].first; a; a = a->next)
		most++;
	if (!scratch_capacity(s, most))
		return false;
	const uint32_t count = collect(s, partition);
	const struct rows rows = rows_of(s, partition);
	struct sel_row_sorted *job = s->row_scratch;
	bool all = true;
	const bool kept = rows.count <= ROWS_KEPT;
	if (kept)
		memset(s->row_used, 0, rows.count * s->core_words * sizeof(*s->row_used));
	for (uint32_t i = 0; i < count; i++) {
		struct select_alloc *a = job[i].alloc;
		const uint32_t place = kept ? first_kept(s, a, &rows) : first_row(s, a, &rows);
		all = all && place < rows.count;
		if (place == rows.count)
			continue;
		a->row = rows.at[place];
		if (kept)
			keep_in(s, a, a->row);
		rows.cores[a->row] += a->cores;
		raise_row(s, &rows, place);
	}
	if (all)
		rename_rows(s, partition, &rows);
	for (uint32_t i = 0; i < count && !all; i++)
		job[i].alloc->row = job[i].row;
	return true;
}

bool sel_rows_without(struct select *s, const struct select_alloc *gone)
{
	struct sel_partition *p = &s->partition[gone->partition];
	if (sel_rows(s, gone->partition) <= 1 || (s->marks && go_to_state(&p->row_states, gone)))
		return true;
	if (!rebuild(s, gone->partition))
		return false;
	keep_state(s, gone);
	return true;
}

/* ---- The journal's --------------------------------------------------------------------------- */

bool sel_rows_note(struct select *s, uint32_t partition)
{
	if (sel_rows(s, partition) <= 1)
		return true;
	for (struct select_alloc *a = s->partition[partition].first; a; a = a->next) {
		if (SL_GROW_IN(s->arena, s->row_log, s->row_log_capacity, s->row_log_count + 1, NULL))
			return false;
		s->row_log[s->row_log_count++] = (struct sel_row){ .alloc = a, .row = a->row };
	}
	return true;
}

void sel_rows_back(struct select *s, const struct sel_action *action)
{
	while (s->row_log_count > action->rows_from) {
		const struct sel_row *was = &s->row_log[--s->row_log_count];
		was->alloc->row = was->row;
	}
	s->partition[action->alloc->partition].row_states.at = action->rows_state;
}
