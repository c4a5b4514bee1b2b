/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_depend.c - dependencies: slurmctld's test_job_dependency().
 *
 * A list is parted into clauses, all of which must be met; alternatives ("?") are one clause, each a chain
 * of tasks where it names an array. A clause once met stays met, even if the job that met it is requeued
 * later: slurmctld removes it from the list. A job that waits anew has not ended.
 *
 *   after       it has started (or was cancelled before), so many minutes ago (CLAUSES.md 9)
 *   afterany    it has ended
 *   afterok     it has COMPLETED; it never will, once it has ended otherwise: of an array once all tasks have
 *   afternotok  it has ended otherwise: FAILED, TIMEOUT, CANCELLED, NODE_FAIL...
 *   aftercorr   as afterok, of the task of the same index
 *   singleton   no other job of its name and user runs, and none of those submitted before it waits;
 *               components of its own heterogeneous job do not count
 *
 * Jobs that are not in the trace count as long ended, so their dependencies are met.
 */
#include "policies/slurm/control/ctl.h"

#include <string.h>
#include <strings.h>

/* What a job still depends on. */
struct depend_list {
	const struct sl_depend *depend; /* Rows as the trace numbers them. */
	uint32_t count;
	uint8_t *met;    /* By item. */
	uint64_t tested; /* With how many changes of jobs; and the answer then. */
	enum ctl_depend_state state;
	ctl_time next; /* Time alone changes it then. */
	bool of_trace; /* Its rows count from the trace's first. */
};

/* Jobs of one name and user, for singletons. */
struct singleton {
	uint32_t *job;
	uint32_t count;
};

struct ctl_depends {
	struct depend_list **list; /* By row; NULL: it depends on nothing. */
	uint32_t *singleton_next;  /* By row: the next of its name and user, by row; CTL_NO_ROW. */
	uint32_t *singleton_first; /* By row. NULL: there are no singletons. */
	uint64_t changes;          /* Starts, ends, requeues: job_changes when last looked at. */
};

/* IS_JOB_COMPLETED(): one that is COMPLETING has not. For singletons it has: they look at what runs. */
static bool has_ended(const struct ctl_job *job) { return job->state == CTL_ENDED && !job->completing; }
/* ---- One of the list ------------------------------------------------------------------------- */

enum answer { MET, WAITS, NEVER };

static uint32_t ctl_depend_row_of(
	const struct ctl *c, const struct depend_list *list, const struct sl_depend *depend)
{
	const uint32_t first = list->of_trace ? c->jobs->row_first : 0;
	if (depend->job == UINT32_MAX || depend->job < first || depend->job - first >= c->jobs->count)
		return CTL_NO_ROW;
	return depend->job - first;
}

static enum answer after(const struct ctl *c, const struct ctl_job *of, sl_time delay, ctl_time *next)
{
	ctl_time since = of->start;
	if (of->state == CTL_NOT_SUBMITTED || of->state == CTL_PENDING)
		return WAITS;
	if (since == CTL_NONE)
		since = of->end; /* Cancelled before it started. */
	const ctl_time due = since == CTL_NONE ? c->now : since + delay / SL_SECOND;
	if (due <= c->now)
		return MET;
	*next = due < *next ? due : *next;
	return WAITS;
}

static enum answer singleton(const struct ctl *c, const struct ctl_job *job)
{
	const struct ctl_depends *d = c->depends;
	uint32_t row = d->singleton_first ? d->singleton_first[job->row] : CTL_NO_ROW;
	for (; row != CTL_NO_ROW; row = d->singleton_next[row]) {
		const struct ctl_job *other = &c->job[row];
		if (row != job->row && (!job->het || other->het != job->het) &&
			(ctl_is_active(other) || other->leaving ||
				(other->state == CTL_PENDING && other->order < job->order)))
			return WAITS;
	}
	return MET;
}

/* All tasks of the job's array are in the list, and some of them have not ended yet. */
static bool array_goes_on(const struct ctl *c, const struct depend_list *list, const struct ctl_job *of,
	enum sl_depend_kind kind)
{
	uint32_t named = 0;
	bool going = false;
	if (of->array == CTL_NO_ROW)
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		const uint32_t row = ctl_depend_row_of(c, list, &list->depend[i]);
		if (list->depend[i].kind != kind || row == CTL_NO_ROW || c->job[row].array != of->array)
			continue;
		named++;
		going |= !has_ended(&c->job[row]);
	}
	return going && named == c->array[of->array].count;
}

static enum answer item_state(
	const struct ctl *c, struct depend_list *list, const struct ctl_job *job, uint32_t i, ctl_time *next)
{
	const struct sl_depend *depend = &list->depend[i];
	if (depend->kind == SL_SINGLETON)
		return singleton(c, job);
	const uint32_t row = ctl_depend_row_of(c, list, depend);
	if (row == CTL_NO_ROW)
		return MET;
	const struct ctl_job *of = &c->job[row];
	if (depend->kind == SL_AFTER)
		return after(c, of, depend->delay, next);
	if (!has_ended(of))
		return WAITS;
	if (depend->kind == SL_AFTER_ANY)
		return MET;
	if ((of->ended_as == SL_COMPLETED) == (depend->kind != SL_AFTER_NOTOK))
		return MET;
	return array_goes_on(c, list, of, depend->kind) ? WAITS : NEVER;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* All of a chain; *i: its first, then that of the next. */
static enum answer chain_state(
	const struct ctl *c, struct depend_list *list, const struct ctl_job *job, uint32_t *i, ctl_time *next)
{
	enum answer all = MET;
	bool more = true;
	for (; more && *i < list->count; ++*i) {
		const enum answer one = list->met[*i] ? MET : item_state(c, list, job, *i, next);
		if (one == MET && list->depend[*i].kind != SL_SINGLETON)
			list->met[*i] = 1;
		if (one == NEVER || (one == WAITS && all == MET))
			all = one;
		more = list->depend[*i].with_next;
	}
	return all;
}

/* One of its chains. */
static enum answer clause_state(
	const struct ctl *c, struct depend_list *list, const struct ctl_job *job, uint32_t *i, ctl_time *next)
{
	enum answer best = NEVER;
	do {
		const enum answer one = chain_state(c, list, job, i, next);
		best = one < best ? one : best; /* MET, WAITS, NEVER */
	} while (*i < list->count && list->depend[*i - 1].or_next);
	return best;
}

static enum ctl_depend_state test(const struct ctl *c, struct depend_list *list, const struct ctl_job *job)
{
	enum ctl_depend_state state = CTL_DEPEND_NONE;
	list->next = CTL_NEVER;
	for (uint32_t i = 0; i < list->count;) {
		const enum answer one = clause_state(c, list, job, &i, &list->next);
		if (one == NEVER)
			return CTL_DEPEND_NEVER;
		if (one == WAITS)
			state = CTL_DEPEND_WAITS;
	}
	return state;
}

enum ctl_depend_state ctl_depend_test(struct ctl *c, struct ctl_job *job)
{
	struct depend_list *list = c->depends->list[job->row];
	if (!list || !list->count)
		return CTL_DEPEND_NONE;
	if (list->tested == c->job_changes + 1 && c->now < list->next)
		return list->state;
	list->state = test(c, list, job);
	list->tested = c->job_changes + 1;
	if (list->state == CTL_DEPEND_NONE) {
		bool single = false;
		for (uint32_t i = 0; i < list->count; i++)
			single |= list->depend[i].kind == SL_SINGLETON;
		if (!single)
			list->count = 0; /* It depends on nothing any more. */
	}
	return list->state;
}

ctl_time ctl_depend_next(const struct ctl *c, const struct ctl_job *job)
{
	const struct depend_list *list = c->depends->list[job->row];
	return list && list->count && list->state == CTL_DEPEND_WAITS ? list->next : CTL_NEVER;
}

/* ---- Made ------------------------------------------------------------------------------------ */

static struct depend_list *list_new(
	const struct ctl *c, const struct sl_depend *depend, uint32_t count, bool of_trace)
{
	struct depend_list *list = sl_alloc(c->arena, 1, sizeof(*list));
	if (!list)
		return NULL;
	*list = (struct depend_list){
		.depend = depend, .count = count, .next = CTL_NEVER, .of_trace = of_trace
	};
	list->met = sl_alloc(c->arena, (size_t)count + 1, 1);
	return list->met ? list : NULL;
}

static bool same_singleton(const struct ctl_job *a, const struct ctl_job *b)
{
	const char *x = a->more->name ? a->more->name : "";
	const char *y = b->more->name ? b->more->name : "";
	return a->user == b->user && strcmp(x, y) == 0;
}

/* Jobs by name and user, each list by row. */
static int make_singletons(struct ctl *c, struct sl_err *err)
{
	struct ctl_depends *d = c->depends;
	const uint32_t count = c->job_count;
	struct sl_map map = { .arena = c->arena }; /* Of the first of each. */
	uint32_t *last = sl_alloc(c->arena, (size_t)count + 1, sizeof(*last));
	int status = SL_OK;
	d->singleton_first = sl_alloc(c->arena, (size_t)count + 1, sizeof(*d->singleton_first));
	d->singleton_next = sl_alloc(c->arena, (size_t)count + 1, sizeof(*d->singleton_next));
	if (!last || !d->singleton_first || !d->singleton_next)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < count && !status; row++) {
		const struct ctl_job *job = &c->job[row];
		const uint64_t hash = sl_hash_text(job->user, job->more->name ? job->more->name : "");
		uint32_t first;
		SL_MAP_EACH(&map, hash, first)
		if (same_singleton(&c->job[first], job))
			break;
		d->singleton_next[row] = CTL_NO_ROW;
		d->singleton_first[row] = first == UINT32_MAX ? row : first;
		if (first == UINT32_MAX)
			status = sl_map_add(&map, hash, row, err);
		else
			d->singleton_next[last[first]] = row;
		last[d->singleton_first[row]] = row;
	}
	return status;
}

static bool any_singleton(const struct sl_depend *depend, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (depend[i].kind == SL_SINGLETON)
			return true;
	return false;
}

int ctl_depend_make(struct ctl *c, struct sl_err *err)
{
	bool single = false;
	c->depends = sl_alloc(c->arena, 1, sizeof(*c->depends));
	if (!c->depends)
		return sl_fail_memory(err);
	c->depends->list = sl_alloc(c->arena, (size_t)c->job_count + 1, sizeof(struct depend_list *));
	if (!c->depends->list)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < c->job_count; row++) {
		const struct sl_job_attributes *more = c->job[row].more;
		if (!more->depend_count)
			continue;
		c->depends->list[row] = list_new(c, more->depend, more->depend_count, true);
		if (!c->depends->list[row])
			return sl_fail_memory(err);
		single |= any_singleton(more->depend, more->depend_count);
	}
	return single ? make_singletons(c, err) : SL_OK;
}

/* ---- Set by hand ----------------------------------------------------------------------------- */

enum { ITEMS_MAX = 4096 };

static const struct {
	const char *word;
	enum sl_depend_kind kind;
} kinds[] = {
	{ "after", SL_AFTER },
	{ "afterany", SL_AFTER_ANY },
	{ "afterok", SL_AFTER_OK },
	{ "afternotok", SL_AFTER_NOTOK },
	{ "aftercorr", SL_AFTER_CORR },
	{ "singleton", SL_SINGLETON },
};

struct reading {
	struct ctl *c;
	const struct ctl_job *job;
	struct sl_depend *item;
	uint32_t count;
	bool any; /* Alternatives. */
};

/* "17", "17_3+5": jobs of one name, perhaps with minutes. */
static bool read_jobs(struct reading *r, enum sl_depend_kind kind, const char *text, size_t len)
{
	uint32_t row[ITEMS_MAX / 4];
	const char *plus = memchr(text, '+', len);
	const size_t name = plus ? (size_t)(plus - text) : len;
	int64_t minutes = 0;
	if (plus && (!sl_get_i64(plus + 1, len - name - 1, &minutes) || minutes < 0 || minutes > 10000000))
		return false;
	const size_t rows = ctl_rows_named(r->c, text, name, row, SL_LEN(row));
	if (rows == SIZE_MAX || rows > SL_LEN(row))
		return false;
	const uint32_t before = r->count;
	for (size_t i = 0; i < rows; i++) {
		if (r->c->job[row[i]].het_offset) /* The first component stands for all. */
			continue;
		if (kind == SL_AFTER_CORR && r->c->job[row[i]].array != CTL_NO_ROW &&
			r->job->array != CTL_NO_ROW && r->c->job[row[i]].array_task != r->job->array_task)
			continue;
		if (r->count == ITEMS_MAX)
			return false;
		r->item[r->count++] = (struct sl_depend){
			.kind = kind, .job = row[i], .delay = minutes * 60 * SL_SECOND, .with_next = true
		};
	}
	if (r->count > before)
		r->item[r->count - 1].with_next = false;
	if (r->count > before)
		r->item[r->count - 1].or_next = r->any;
	return true;
}

/* Between two commas or question marks: "afterok:17:18". */
static bool read_part(struct reading *r, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	const size_t word = colon ? (size_t)(colon - text) : len;
	size_t k = 0;
	while (k < SL_LEN(kinds) &&
		(strlen(kinds[k].word) != word || strncasecmp(kinds[k].word, text, word) != 0))
		k++;
	if (k == SL_LEN(kinds) || (kinds[k].kind == SL_SINGLETON) == (colon != NULL) || r->count == ITEMS_MAX)
		return false;
	if (kinds[k].kind == SL_SINGLETON) {
		r->item[r->count++] =
			(struct sl_depend){ .kind = SL_SINGLETON, .job = UINT32_MAX, .or_next = r->any };
		return true;
	}
	for (const char *at = colon + 1; at < text + len;) {
		const char *stop = memchr(at, ':', (size_t)(text + len - at));
		const size_t one = (size_t)((stop ? stop : text + len) - at);
		if (!read_jobs(r, kinds[k].kind, at, one))
			return false;
		at += one + 1;
	}
	return true;
}

bool ctl_depend_set(struct ctl *c, struct ctl_job *job, const char *text)
{
	struct reading r = { .c = c, .job = job, .any = strchr(text, '?') != NULL };
	struct depend_list *list = NULL;
	r.item = sl_alloc(c->arena, ITEMS_MAX, sizeof(*r.item));
	if (!r.item)
		return false;
	for (const char *at = text; *at;) {
		const size_t len = strcspn(at, ",?");
		if (len && !read_part(&r, at, len))
			return false;
		at += len + (at[len] != '\0');
	}
	if (r.count) {
		r.item[r.count - 1].or_next = false;
		list = list_new(c, r.item, r.count, false);
		if (!list)
			return false;
	}
	if (any_singleton(r.item, r.count) && !c->depends->singleton_first &&
		make_singletons(c, &c->engine.err))
		return false;
	c->depends->list[job->row] = list;
	job->never = false;
	return true;
}
