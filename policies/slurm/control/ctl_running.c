/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_running.c - what has nodes (runs, is configured or suspended), by when its limit ends, for plans.
 *
 * The list is kept from plan to plan. Jobs whose nodes or limit have changed are noted, and put in their
 * places together before the list is read: what lies between is moved, and no other job is looked at.
 */
#include "policies/slurm/control/ctl_place.h"

#include <stdlib.h>
#include <string.h>

struct ctl_running {
	struct select_running *list;
	size_t count, capacity;
	uint32_t *noted; /* Rows. */
	size_t noted_count, noted_capacity;
	struct by_row {
		sl_time end; /* As the list has it. */
		bool listed, noted;
	} * by_row;
	struct select_running *coming; /* Scratch: those that are put in; */
	size_t *going;                 /* and where others go. */
	size_t scratch_capacity;
	uint64_t changes; /* Counts lists. */
};

int ctl_running_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_running *r = c->running = sl_alloc(c->arena, 1, sizeof(*r));
	if (!r || !(r->by_row = sl_alloc(c->arena, c->job_count + 1, sizeof(*r->by_row))))
		return sl_fail_memory(err);
	r->changes = 1;
	return SL_OK;
}

void ctl_running_changed(struct ctl *c, const struct ctl_job *job)
{
	struct ctl_running *r = c->running;
	if (!r || r->by_row[job->row].noted)
		return;
	if (SL_GROW_IN(c->arena, r->noted, r->noted_capacity, r->noted_count + 1, NULL)) {
		controller_no_memory(&c->engine);
		return;
	}
	r->by_row[job->row].noted = true;
	r->noted[r->noted_count++] = job->row;
}

static int by_end(const void *a, const void *b)
{
	const struct select_running *x = a;
	const struct select_running *y = b;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int by_place(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a;
	const size_t y = *(const size_t *)b;
	return (x > y) - (x < y);
}

/* How many of the list are before it. */
static size_t place_of(const struct ctl_running *r, const struct select_running *one)
{
	size_t low = 0;
	for (size_t high = r->count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (by_end(&r->list[middle], one) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void move(struct select_running *list, size_t to, size_t from, size_t count)
{
	if (count && to != from)
		memmove(&list[to], &list[from], count * sizeof(*list));
}

/* Out of the places in r->going, of which there are so many. */
static void take_out(struct ctl_running *r, size_t count)
{
	if (!count)
		return;
	qsort(r->going, count, sizeof(*r->going), by_place);
	for (size_t i = 0; i < count; i++) {
		const size_t from = r->going[i] + 1;
		const size_t until = i + 1 < count ? r->going[i + 1] : r->count;
		move(r->list, from - i - 1, from, until - from);
	}
	r->count -= count;
}

/* What is in r->coming, the last first. */
static void put_in(struct ctl_running *r, size_t count)
{
	if (!count)
		return;
	qsort(r->coming, count, sizeof(*r->coming), by_end);
	const size_t whole = r->count + count;
	for (size_t i = count; i-- > 0;) {
		const size_t at = place_of(r, &r->coming[i]);
		move(r->list, at + i + 1, at, r->count - at);
		r->list[at + i] = r->coming[i];
		r->count = at;
	}
	r->count = whole;
}

static bool running_capacity(struct ctl *c)
{
	struct ctl_running *r = c->running;
	if (r->noted_count > r->scratch_capacity) {
		r->coming = sl_alloc(c->arena, 2 * r->noted_count, sizeof(*r->coming));
		r->going = sl_alloc(c->arena, 2 * r->noted_count, sizeof(*r->going));
		r->scratch_capacity = r->coming && r->going ? 2 * r->noted_count : 0;
	}
	if (r->scratch_capacity &&
		SL_GROW_IN(c->arena, r->list, r->capacity, r->count + r->noted_count, NULL) == SL_OK)
		return true;
	controller_no_memory(&c->engine);
	return false;
}

static void follow(struct ctl *c)
{
	struct ctl_running *r = c->running;
	size_t going = 0;
	size_t coming = 0;
	if (!r->noted_count || !running_capacity(c))
		return;
	for (size_t i = 0; i < r->noted_count; i++) {
		const uint32_t row = r->noted[i];
		const struct ctl_job *job = &c->job[row];
		struct by_row *of = &r->by_row[row];
		of->noted = false;
		if (of->listed)
			r->going[going++] =
				place_of(r, &(struct select_running){ .end = of->end, .row = row });
		of->listed = job->alloc != NULL;
		if (!job->alloc)
			continue;
		of->end = ctl_engine_time(c, job->end_limit);
		r->coming[coming++] =
			(struct select_running){ .alloc = job->alloc, .end = of->end, .row = row };
		select_tell_end(c->select, job->alloc, of->end);
	}
	take_out(r, going);
	put_in(r, coming);
	r->noted_count = 0;
	r->changes++;
}

const struct select_running *ctl_running_list(struct ctl *c, size_t *count, uint64_t *number)
{
	follow(c);
	*count = c->running->count;
	*number = c->running->changes;
	return c->running->list;
}
