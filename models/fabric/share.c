/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share.c - jobs on links: who comes and goes, and which part of all that touches.
 *
 * The part to be solved is what can be reached from jobs that came, and from links that lost one, over links
 * that are active (compare "selective update" in SimGrid's LMM); found with a list in place of recursion.
 */
#include <stdlib.h>
#include <string.h>

#include "models/fabric/share_inner.h"

struct fabric_share *fabric_share_new(
	const struct fabric_link *link, uint32_t links, enum fabric_contention contention)
{
	struct fabric_share *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->contention = contention;
	s->links = links;
	s->link = calloc((size_t)links + 1, sizeof(*s->link));
	s->dirty = calloc((size_t)links + 1, sizeof(*s->dirty));
	s->part_link = calloc((size_t)links + 1, sizeof(*s->part_link));
	s->link_heap = calloc((size_t)links + 1, sizeof(*s->link_heap));
	s->touched = calloc((size_t)links + 1, sizeof(*s->touched));
	s->active = calloc((size_t)links + 1, sizeof(*s->active));
	if (!s->link || !s->dirty || !s->part_link || !s->link_heap || !s->touched || !s->active) {
		fabric_share_free(s);
		return NULL;
	}
	for (uint32_t i = 0; i < links; i++)
		s->link[i] = (struct share_link){ .capacity = (double)link[i].capacity,
			.bound = link[i].capacity,
			.head = SHARE_NOT,
			.twin = SHARE_NOT,
			.never = link[i].never_full || link[i].capacity == INT64_MAX };
	for (uint32_t i = 0; i + 1 < links; i++)
		if (link[i].capacity == link[i + 1].capacity && link[i].level == link[i + 1].level &&
			s->link[i].never == s->link[i + 1].never) {
			s->link[i].twin = i + 1;
			s->link[i + 1].twin = i;
			i++;
		}
	for (int i = 0; i < SHARE_CLASSES; i++)
		s->free_block[i] = SHARE_NOT;
	return s;
}

void fabric_share_free(struct fabric_share *s)
{
	if (!s)
		return;
	free(s->link);
	free(s->dirty);
	free(s->active);
	free(s->step);
	free(s->part_link);
	free(s->link_heap);
	free(s->touched);
	free(s->slot_of);
	free(s->job);
	free(s->free_slot);
	free(s->use);
	free(s->tie);
	free(s->seed);
	free(s->part);
	free(s->job_heap);
	free(s->row_changed);
	free(s);
}

/* ---- Memory for jobs and flows -------------------------------------------------------------------- */

static bool capacity_for_row(struct fabric_share *s, uint32_t row)
{
	const uint32_t before = s->rows;
	if (SL_GROW(s->slot_of, s->rows, (size_t)row + 1, NULL))
		return false;
	for (uint32_t i = before; i < s->rows; i++)
		s->slot_of[i] = SHARE_NOT;
	return true;
}

static bool capacity_for_slot(struct fabric_share *s)
{
	if (s->free_slots || s->slots < s->slots_max)
		return true;
	const uint32_t max = s->slots_max ? 2 * s->slots_max : 64;
	if (SL_RESIZE(s->job, max, NULL) || SL_RESIZE(s->free_slot, max, NULL) ||
		SL_RESIZE(s->part, max, NULL) || SL_RESIZE(s->job_heap, max, NULL) ||
		SL_RESIZE(s->row_changed, max, NULL))
		return false;
	memset(&s->job[s->slots_max], 0, (max - s->slots_max) * sizeof(*s->job));
	s->slots_max = max;
	return true;
}

static uint32_t share_class_of(uint32_t uses)
{
	uint32_t power = 0;
	while ((UINT32_C(1) << power) < uses)
		power++;
	return power;
}

/* A block for so many flows; SHARE_NOT: no memory. */
static uint32_t block_take(struct fabric_share *s, uint32_t uses)
{
	const uint32_t power = share_class_of(uses), size = UINT32_C(1) << power;
	const uint32_t block = s->free_block[power];
	if (block != SHARE_NOT) {
		s->free_block[power] = s->tie[block].next;
		return block;
	}
	if (size > s->pool_max - s->pool) {
		uint32_t max = s->pool_max ? s->pool_max : 256;
		while (max - s->pool < size) {
			if (max > UINT32_MAX / 2)
				return SHARE_NOT;
			max *= 2;
		}
		if (SL_RESIZE(s->use, max, NULL) || SL_RESIZE(s->tie, max, NULL) ||
			SL_RESIZE(s->step, max, NULL))
			return SHARE_NOT;
		s->pool_max = max;
	}
	s->pool += size;
	return s->pool - size;
}

static void block_give(struct fabric_share *s, const struct share_job *job)
{
	const uint32_t power = share_class_of(job->uses);
	s->tie[job->first].next = s->free_block[power];
	s->free_block[power] = job->first;
}

/* ---- Coming and going --------------------------------------------------------------------------- */

static bool is_second(const struct fabric_share *s, uint32_t link) { return s->link[link].twin < link; }

static void share_judge(struct fabric_share *s, uint32_t row)
{
	const struct share_link *link = &s->link[row];
	s->active[row] =
		!link->never && link->wanted > link->bound && (!is_second(s, row) || link->uneven > 0);
}

/* The second of the twins that this flow of the job uses otherwise than the other; SHARE_NOT: it does not, or
 * that is said at the other flow. Flows ascend by link. */
static uint32_t uneven_at(const struct fabric_share *s, const struct share_job *job, uint32_t i)
{
	const uint32_t row = s->use[i].link, twin = s->link[row].twin;
	if (twin == SHARE_NOT)
		return SHARE_NOT;
	if (twin < row) {
		const bool both = i > job->first && s->use[i - 1].link == twin;
		return both && s->use[i - 1].flows == s->use[i].flows ? SHARE_NOT : row;
	}
	return i + 1 < job->first + job->uses && s->use[i + 1].link == twin ? SHARE_NOT : twin;
}

static void tie_in(struct fabric_share *s, uint32_t slot)
{
	const struct share_job *job = &s->job[slot];
	for (uint32_t i = job->first; i < job->first + job->uses; i++) {
		struct share_link *link = &s->link[s->use[i].link];
		if (link->never)
			continue;
		link->wanted += (__int128)s->use[i].flows * job->cap_up;
		s->tie[i] = (struct share_tie){ .next = link->head, .before = SHARE_NOT, .slot = slot };
		if (link->head != SHARE_NOT)
			s->tie[link->head].before = i;
		link->head = i;
		const uint32_t uneven = uneven_at(s, job, i);
		if (uneven != SHARE_NOT) {
			s->link[uneven].uneven++;
			share_judge(s, uneven);
		}
		share_judge(s, s->use[i].link);
	}
}

static void tie_out(struct fabric_share *s, uint32_t slot)
{
	const struct share_job *job = &s->job[slot];
	for (uint32_t i = job->first; i < job->first + job->uses; i++) {
		struct share_link *link = &s->link[s->use[i].link];
		if (link->never)
			continue;
		link->wanted -= (__int128)s->use[i].flows * job->cap_up;
		const struct share_tie *tie = &s->tie[i];
		if (tie->before != SHARE_NOT)
			s->tie[tie->before].next = tie->next;
		else
			link->head = tie->next;
		if (tie->next != SHARE_NOT)
			s->tie[tie->next].before = tie->before;
		const uint32_t uneven = uneven_at(s, job, i);
		if (uneven != SHARE_NOT) {
			s->link[uneven].uneven--;
			share_judge(s, uneven);
		}
		share_judge(s, s->use[i].link);
	}
}

/* The least whole number that is not below. */
static int64_t up(double value)
{
	if (value >= 9.2e18)
		return INT64_MAX;
	const int64_t whole = (int64_t)value;
	return (double)whole < value ? whole + 1 : whole;
}

double fabric_share_alone(const struct fabric_share *s, const struct fabric_path *path)
{
	double rate = (double)path->flow_rate;
	for (uint32_t i = 0; i < path->uses; i++) {
		const struct share_link *link = &s->link[path->use[i].link];
		const double fair = link->capacity / (double)path->use[i].flows;
		if (!link->never && fair < rate)
			rate = fair;
	}
	return rate;
}

/* A slot with these flows, tied to nothing yet; SHARE_NOT: no memory. */
static uint32_t slot_take(struct fabric_share *s, uint32_t row, const struct fabric_path *path,
	const struct fabric_speed *speed)
{
	if (!capacity_for_slot(s))
		return SHARE_NOT;
	const uint32_t first = block_take(s, path->uses);
	if (first == SHARE_NOT)
		return SHARE_NOT;
	for (uint32_t i = 0; i < path->uses; i++)
		s->use[first + i] = path->use[i];
	const uint32_t slot = s->free_slots ? s->free_slot[--s->free_slots] : s->slots++;
	struct share_job *job = &s->job[slot];
	const double cap = fabric_share_alone(s, path);
	*job = (struct share_job){ .row = row,
		.first = first,
		.uses = path->uses,
		.here = true,
		.cap = cap,
		.cap_up = up(cap),
		.speed = *speed };
	const double time = fabric_speed_time(speed, cap);
	job->load = time > 0 ? up(speed->volume / time) : 0;
	return slot;
}

static void slot_give(struct fabric_share *s, uint32_t slot)
{
	block_give(s, &s->job[slot]);
	s->job[slot].here = false;
	s->free_slot[s->free_slots++] = slot;
}

bool fabric_share_add(struct fabric_share *s, uint32_t row, const struct fabric_path *path,
	const struct fabric_speed *speed)
{
	if (!capacity_for_row(s, row))
		return false;
	SL_CHECK(s->slot_of[row] == SHARE_NOT);
	if (SL_GROW(s->seed, s->seeds_max, s->seeds + 1, NULL))
		return false;
	const uint32_t slot = slot_take(s, row, path, speed);
	if (slot == SHARE_NOT)
		return false;
	s->slot_of[row] = slot;
	tie_in(s, slot);
	s->seed[s->seeds++] = slot;
	return true;
}

void fabric_share_remove(struct fabric_share *s, uint32_t row)
{
	const uint32_t slot = fabric_share_slot(s, row);
	SL_CHECK(slot != SHARE_NOT);
	const struct share_job *job = &s->job[slot];
	for (uint32_t i = job->first; i < job->first + job->uses; i++) {
		struct share_link *link = &s->link[s->use[i].link];
		if (!s->active[s->use[i].link] || link->dirty)
			continue;
		link->dirty = true;
		s->dirty[s->dirties++] = s->use[i].link;
	}
	tie_out(s, slot);
	slot_give(s, slot);
	s->slot_of[row] = SHARE_NOT;
}

/* ---- The part that is touched ------------------------------------------------------------------- */

static void reach_job(struct fabric_share *s, uint32_t slot)
{
	if (s->job[slot].mark == s->epoch)
		return;
	s->job[slot].mark = s->epoch;
	s->part[s->parts++] = slot;
}

static void reach_link(struct fabric_share *s, uint32_t row)
{
	struct share_link *link = &s->link[row];
	if (link->mark == s->epoch)
		return;
	link->mark = s->epoch;
	link->fresh_full = false;
	int64_t open = 0;
	for (uint32_t i = link->head; i != SHARE_NOT; i = s->tie[i].next) {
		open += s->use[i].flows;
		reach_job(s, s->tie[i].slot);
	}
	if (!s->active[row])
		return;
	link->part = s->part_links++;
	s->part_link[link->part] = (struct share_active){ .link = row, .place = SHARE_NOT, .open = open };
}

static void share_begin(struct fabric_share *s)
{
	s->epoch++;
	SL_CHECK(s->epoch != 0);
	s->parts = s->part_links = s->steps = 0;
}

/* All that hangs together with what was reached so far; computes `fresh` of it. */
static void share_compute(struct fabric_share *s)
{
	for (uint32_t next = 0; next < s->parts; next++) {
		struct share_job *job = &s->job[s->part[next]];
		job->step = s->steps;
		for (uint32_t i = job->first; i < job->first + job->uses; i++) {
			const uint32_t row = s->use[i].link;
			if (!s->active[row])
				continue;
			reach_link(s, row);
			s->step[s->steps++] = (struct share_step){ s->link[row].part, s->use[i].flows };
		}
		job->steps = s->steps - job->step;
	}
	if (s->contention == FABRIC_MEANFIELD)
		share_meanfield(s);
	else if (s->contention == FABRIC_INTERLEAVED)
		share_interleave(s);
	else
		share_fill(s);
}

/* ---- Solving ------------------------------------------------------------------------------------ */

static int by_row(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static bool share_same(struct fabric_got a, struct fabric_got b)
{
	return a.rate == b.rate && a.slowdown == b.slowdown;
}

static void report_link(struct fabric_share *s, const struct fabric_listener *listener, uint32_t row)
{
	struct share_link *link = &s->link[row];
	if (link->full == link->fresh_full)
		return;
	link->full = link->fresh_full;
	if (listener->full)
		listener->full(listener->self, row, link->full);
}

/* With its second twin, where that is left out. */
static void report_twins(struct fabric_share *s, const struct fabric_listener *listener, uint32_t row)
{
	const uint32_t twin = s->link[row].twin;
	report_link(s, listener, row);
	if (twin == SHARE_NOT || twin < row || s->link[twin].uneven)
		return;
	s->link[twin].fresh_full = s->link[row].fresh_full;
	report_link(s, listener, twin);
}

static void report_links(struct fabric_share *s, const struct fabric_listener *listener)
{
	for (uint32_t i = 0; i < s->part_links; i++)
		s->link[s->part_link[i].link].fresh_full = s->part_link[i].full;
	for (uint32_t i = 0; i < s->part_links; i++)
		report_twins(s, listener, s->part_link[i].link);
	for (uint32_t i = 0; i < s->dirties; i++) {
		s->link[s->dirty[i]].dirty = false;
		report_twins(s, listener, s->dirty[i]);
	}
	s->dirties = 0;
}

void fabric_share_solve(struct fabric_share *s, const struct fabric_listener *listener)
{
	if (!s->seeds && !s->dirties)
		return;
	share_begin(s);
	for (uint32_t i = 0; i < s->dirties; i++)
		reach_link(s, s->dirty[i]);
	for (uint32_t i = 0; i < s->seeds; i++)
		if (s->job[s->seed[i]].here)
			reach_job(s, s->seed[i]);
	s->seeds = 0;
	share_compute(s);
	if (s->part_links) {
		s->effort.solves++;
		s->effort.jobs += s->parts;
		s->effort.links += s->part_links;
		if (s->parts > s->effort.jobs_most)
			s->effort.jobs_most = s->parts;
	}
	report_links(s, listener);
	uint32_t changed = 0;
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		if (share_same(job->fresh, job->got))
			continue;
		job->got = job->fresh;
		s->row_changed[changed++] = job->row;
	}
	if (changed > 1)
		qsort(s->row_changed, changed, sizeof(*s->row_changed), by_row);
	for (uint32_t i = 0; i < changed; i++)
		listener->rate(listener->self, s->row_changed[i], &s->job[s->slot_of[s->row_changed[i]]].got);
}

bool fabric_share_predict(struct fabric_share *s, uint32_t row, const struct fabric_path *path,
	const struct fabric_speed *speed, struct fabric_got *got)
{
	const uint32_t now = fabric_share_slot(s, row);
	const uint32_t slot = slot_take(s, row, path, speed);
	if (slot == SHARE_NOT)
		return false;
	if (now != SHARE_NOT)
		tie_out(s, now);
	tie_in(s, slot);
	share_begin(s);
	reach_job(s, slot);
	share_compute(s);
	*got = s->job[slot].fresh;
	tie_out(s, slot);
	if (now != SHARE_NOT)
		tie_in(s, now);
	slot_give(s, slot);
	return true;
}

/* ---- What is known ------------------------------------------------------------------------------ */

uint32_t fabric_share_slot(const struct fabric_share *s, uint32_t row)
{
	return row < s->rows ? s->slot_of[row] : SHARE_NOT;
}

struct fabric_got fabric_share_got(const struct fabric_share *s, uint32_t row)
{
	return s->job[fabric_share_slot(s, row)].got;
}

const struct fabric_use *fabric_share_uses(const struct fabric_share *s, uint32_t row, uint32_t *uses)
{
	const struct share_job *job = &s->job[fabric_share_slot(s, row)];
	*uses = job->uses;
	return &s->use[job->first];
}

struct fabric_effort fabric_share_effort(const struct fabric_share *s) { return s->effort; }

bool fabric_share_is_full(const struct fabric_share *s, uint32_t link) { return s->link[link].full; }
