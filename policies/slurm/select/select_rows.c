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

/* Its rows are kept in a state: that its allocations have them, too, is left until somebody looks. */
static bool in_state(const struct sel_row_states *states) { return states->at && states->at != SEL_NO_STATE; }

static void set_stale(struct select *s, uint32_t partition, bool stale)
{
	struct sel_row_states *states = &s->partition[partition].row_states;
	s->rows_stale += stale;
	s->rows_stale -= states->stale;
	states->stale = stale;
}

static void freshen(struct select *s, uint32_t partition)
{
	const struct sel_row_states *states = &s->partition[partition].row_states;
	if (!states->stale)
		return;
	const struct sel_row_state *state = &states->state[states->at];
	for (uint32_t i = state->from; i < state->until; i++)
		states->row[i].alloc->row = states->row[i].row;
	set_stale(s, partition, false);
}

void sel_rows_look(struct select *s)
{
	for (uint32_t i = 0; s->rows_stale && i < s->partition_count; i++)
		freshen(s, i);
}

uint32_t select_row(struct select *s, const struct select_alloc *alloc)
{
	sel_rows_look(s);
	return alloc->row;
}

void sel_rows_stay(struct select *s, uint32_t partition)
{
	struct sel_row_states *states = &s->partition[partition].row_states;
	freshen(s, partition);
	states->count = states->row_count = states->at = 0;
}

/* They become others in another way. */
static void leave_states(struct select *s, uint32_t partition)
{
	if (!s->marks) {
		sel_rows_stay(s, partition);
		return;
	}
	freshen(s, partition);
	s->partition[partition].row_states.at = SEL_NO_STATE;
}

/* Goes on to the state without it. False: it is not known. */
static bool go_to_state(struct select *s, const struct select_alloc *gone)
{
	struct sel_row_states *states = &s->partition[gone->partition].row_states;
	uint32_t *link = states->at < states->count ? &states->state[states->at].first : NULL;
	const uint32_t first = link ? *link : 0;
	while (link && *link && states->state[*link].gone != gone)
		link = &states->state[*link].next;
	const uint32_t next = link ? *link : 0;
	if (!next)
		return false;
	if (next != first) { /* The next who asks will most likely go there, too. */
		*link = states->state[next].next;
		states->state[next].next = first;
		states->state[states->at].first = next;
	}
	states->at = next;
	set_stale(s, gone->partition, true);
	return true;
}

/* Rows are from now on as they have just been made without it. False: that cannot be kept. */
static bool keep_state(
	struct select *s, const struct select_alloc *gone, const struct sel_row *job, uint32_t count)
{
	struct sel_row_states *states = &s->partition[gone->partition].row_states;
	const uint32_t before = states->at, from = states->row_count;
	if (!s->marks || before == SEL_NO_STATE || count > STATE_ROWS - from ||
		SL_GROW_IN(s->arena, states->state, states->capacity, states->count + 2, NULL) ||
		SL_GROW_IN(s->arena, states->row, states->row_capacity, from + count + 1, NULL))
		return false;
	if (!states->count)
		states->state[states->count++] = (struct sel_row_state){ 0 };
	if (count)
		memcpy(states->row + from, job, count * sizeof(*job));
	states->row_count += count;
	states->state[states->count] = (struct sel_row_state){
		.gone = gone, .next = states->state[before].first, .from = from, .until = from + count
	};
	states->state[before].first = states->at = states->count++;
	set_stale(s, gone->partition, true);
	return true;
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

/* By where they begin, then smaller ones first, then as they were. */
static int by_start(const void *left, const void *right)
{
	const struct sel_row *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->alloc->cpus != b->alloc->cpus)
		return a->alloc->cpus < b->alloc->cpus ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* In its row, as one of those that are put into rows anew. */
static struct sel_row row_of(const struct select *s, struct select_alloc *a, uint32_t place)
{
	const struct select_node_alloc *p = &a->node_alloc[0];
	const uint32_t words = shape_of(s, p->node)->words;
	const uint32_t first = bits_next(p->cores, words, 0);
	const uint64_t start = (uint64_t)s->node[p->node].core_at * 64 + first;
	uint64_t mask = a->node_count == 1 && first / 64 < words ? p->cores[first / 64] : 0;
	for (uint32_t w = first / 64 + 1; mask && w < words; w++)
		mask = p->cores[w] ? 0 : mask;
	return (struct sel_row){ .alloc = a, .start = start, .mask = mask, .row = a->row, .to = place };
}

static bool scratch_capacity(struct select *s, uint32_t count)
{
	if (count <= s->row_scratch_capacity)
		return true;
	s->row_scratch = sl_alloc(s->arena, 2 * (size_t)count, sizeof(*s->row_scratch));
	s->row_scratch_capacity = s->row_scratch ? 2 * count : 0;
	return s->row_scratch != NULL;
}

/* All of the partition that have cores, sorted. */
static uint32_t collect(struct select *s, uint32_t partition)
{
	struct sel_row *job = s->row_scratch;
	uint32_t count = 0;
	for (struct select_alloc *a = s->partition[partition].first; a; a = a->next) {
		if (a->stopped)
			continue;
		job[count] = row_of(s, a, count);
		count++;
	}
	if (count)
		qsort(job, count, sizeof(*job), by_start);
	return count;
}

/* As by_start() says where `to` is the place in the list: of two in one row that begin alike, which is rare.
 */
static bool goes_first(const struct select *s, struct sel_row *a, struct sel_row *b)
{
	a->to = b->to = 0;
	const int order = by_start(a, b);
	const struct select_alloc *first = order ? NULL : s->partition[a->alloc->partition].first;
	while (first && first != a->alloc && first != b->alloc)
		first = first->next;
	return order ? order < 0 : first == a->alloc;
}

/* The same of a state, without it: sorted already, but for those that differ by their rows alone. */
static uint32_t collect_rest(struct select *s, const struct select_alloc *gone)
{
	const struct sel_row_states *states = &s->partition[gone->partition].row_states;
	const struct sel_row_state *state = &states->state[states->at];
	struct sel_row *job = s->row_scratch;
	uint32_t count = 0;
	for (uint32_t i = state->from; i < state->until; i++) {
		struct sel_row one = states->row[i];
		uint32_t at = count;
		if (one.alloc == gone)
			continue;
		for (; at > 0 && one.start <= job[at - 1].start && goes_first(s, &one, &job[at - 1]); at--)
			job[at] = job[at - 1];
		job[at] = one;
		count++;
	}
	return count;
}

/* As first_row() says, of rows that are kept by their cores (select.row_used, by row). */
static uint32_t first_kept(const struct select *s, const struct sel_row *job, const struct rows *rows)
{
	const struct select_alloc *a = job->alloc;
	const uint64_t *word = s->row_used + job->start / 64;
	uint32_t place = 0;
	if (job->mask) {
		while (place < rows->count && word[rows->at[place] * s->core_words] & job->mask)
			place++;
		return place;
	}
	for (; place < rows->count; place++) {
		const uint64_t *used = s->row_used + rows->at[place] * s->core_words;
		uint64_t met = 0;
		for (uint32_t i = 0; i < a->node_count && !met; i++) {
			const struct select_node_alloc *p = &a->node_alloc[i];
			const uint64_t *there = used + s->node[p->node].core_at;
			for (uint32_t w = 0; w < shape_of(s, p->node)->words; w++)
				met |= there[w] & p->cores[w];
		}
		if (!met)
			break;
	}
	return place;
}

static void keep_in(struct select *s, const struct sel_row *job, uint32_t row)
{
	const struct select_alloc *a = job->alloc;
	uint64_t *used = s->row_used + row * s->core_words;
	if (job->mask) {
		used[job->start / 64] |= job->mask;
		return;
	}
	for (uint32_t i = 0; i < a->node_count; i++) {
		const struct select_node_alloc *p = &a->node_alloc[i];
		for (uint32_t w = 0; w < shape_of(s, p->node)->words; w++)
			used[s->node[p->node].core_at + w] |= p->cores[w];
	}
}

/* Into rows that are empty, in their order: their new ones. False: one fits in none, and all stay where they
 * are. */
static bool place_again(struct select *s, uint32_t partition, struct sel_row *job, uint32_t count)
{
	struct sel_partition *p = &s->partition[partition];
	const struct rows rows = { sel_rows(s, partition), p->row_cores, p->row_at, p->row_met };
	const bool kept = rows.count <= ROWS_KEPT;
	if (kept)
		memset(s->row_used, 0, rows.count * s->core_words * sizeof(*s->row_used));
	for (uint32_t i = 0; i < rows.count; i++) {
		rows.cores[i] = 0;
		rows.at[i] = i;
	}
	for (uint32_t i = 0; i < count && !kept; i++)
		job[i].alloc->row = NO_ROW;
	for (uint32_t i = 0; i < count; i++) {
		struct select_alloc *a = job[i].alloc;
		const uint32_t place = kept ? first_kept(s, &job[i], &rows) : first_row(s, a, &rows);
		if (place == rows.count)
			return false;
		const uint32_t row = job[i].to = rows.at[place];
		if (kept)
			keep_in(s, &job[i], row);
		else
			a->row = row;
		rows.cores[row] += a->cores;
		raise_row(s, &rows, place);
	}
	for (uint32_t i = 0; i < rows.count; i++)
		p->row_place[rows.at[i]] = i;
	for (uint32_t i = 0; i < count; i++)
		job[i].row = p->row_place[job[i].to];
	return true;
}

static bool rebuild(struct select *s, const struct select_alloc *gone)
{
	const struct sel_partition *p = &s->partition[gone->partition];
	const struct sel_row_states *states = &p->row_states;
	const bool sorted = in_state(states);
	uint32_t most = sorted ? states->state[states->at].until - states->state[states->at].from : 0;
	for (const struct select_alloc *a = sorted ? NULL : p->first; a; a = a->next)
		most++;
	if (!scratch_capacity(s, most + 1))
		return false;
	const uint32_t count = sorted ? collect_rest(s, gone) : collect(s, gone->partition);
	struct sel_row *job = s->row_scratch;
	(void)place_again(s, gone->partition, job, count);
	if (keep_state(s, gone, job, count))
		return true;
	leave_states(s, gone->partition);
	for (uint32_t i = 0; i < count; i++)
		job[i].alloc->row = job[i].row;
	return true;
}

bool sel_rows_without(struct select *s, const struct select_alloc *gone)
{
	return sel_rows(s, gone->partition) <= 1 || (s->marks && go_to_state(s, gone)) || rebuild(s, gone);
}

/* ---- The journal's --------------------------------------------------------------------------- */

/* Those of a state are kept with it. */
bool sel_rows_note(struct select *s, uint32_t partition)
{
	if (sel_rows(s, partition) <= 1 || in_state(&s->partition[partition].row_states))
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
	const uint32_t partition = action->alloc->partition;
	struct sel_row_states *states = &s->partition[partition].row_states;
	while (s->row_log_count > action->rows_from) {
		const struct sel_row *was = &s->row_log[--s->row_log_count];
		was->alloc->row = was->row;
	}
	states->at = action->rows_state;
	set_stale(s, partition, in_state(states));
}
