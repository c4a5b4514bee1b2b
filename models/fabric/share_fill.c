/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share_fill.c - max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2),
 * with several flows of a job on a link.
 *
 * The rate of all jobs rises together. The first link to be full, or the first job that can do no more,
 * settles its jobs at that level; the rest goes on with what is left. All that reach one level are settled in
 * one round, and a link loses level * (sum of their flows), an integer sum: so no order of jobs or links
 * shows in a result. Two heaps, of links by level and of jobs by cap, find the next level.
 */
#include "models/fabric/share_inner.h"

/* ---- Links by level, with places ------------------------------------------------------------------------
 */

static void link_set(struct fabric_share *s, uint32_t place, struct share_level entry)
{
	s->link_heap[place] = entry;
	s->part_link[entry.row].place = place;
}

static void link_down(struct fabric_share *s, uint32_t place)
{
	const struct share_level moving = s->link_heap[place];
	for (;;) {
		uint32_t child = 2 * place + 1;
		if (child >= s->link_heaped)
			break;
		if (child + 1 < s->link_heaped && s->link_heap[child + 1].level < s->link_heap[child].level)
			child++;
		if (s->link_heap[child].level >= moving.level)
			break;
		link_set(s, place, s->link_heap[child]);
		place = child;
	}
	link_set(s, place, moving);
}

static void link_up(struct fabric_share *s, uint32_t place)
{
	const struct share_level moving = s->link_heap[place];
	while (place > 0) {
		const uint32_t parent = (place - 1) / 2;
		if (s->link_heap[parent].level <= moving.level)
			break;
		link_set(s, place, s->link_heap[parent]);
		place = parent;
	}
	link_set(s, place, moving);
}

static void link_drop(struct fabric_share *s, uint32_t link)
{
	const uint32_t place = s->part_link[link].place;
	s->part_link[link].place = SHARE_NOT;
	const struct share_level last = s->link_heap[--s->link_heaped];
	if (place == s->link_heaped)
		return;
	link_set(s, place, last);
	link_up(s, place);
	link_down(s, s->part_link[last.row].place);
}

/* ---- Jobs by cap -----------------------------------------------------------------------------------------
 */

static void job_down(struct fabric_share *s, uint32_t place)
{
	const struct share_level moving = s->job_heap[place];
	for (;;) {
		uint32_t child = 2 * place + 1;
		if (child >= s->job_heaped)
			break;
		if (child + 1 < s->job_heaped && s->job_heap[child + 1].level < s->job_heap[child].level)
			child++;
		if (s->job_heap[child].level >= moving.level)
			break;
		s->job_heap[place] = s->job_heap[child];
		place = child;
	}
	s->job_heap[place] = moving;
}

static void job_pop(struct fabric_share *s)
{
	s->job_heap[0] = s->job_heap[--s->job_heaped];
	if (s->job_heaped)
		job_down(s, 0);
}

/* ---- Rounds
 * ------------------------------------------------------------------------------------------------ */

static void begin(struct fabric_share *s)
{
	s->link_heaped = s->job_heaped = 0;
	for (uint32_t i = 0; i < s->part_links; i++) {
		struct share_active *link = &s->part_link[i];
		link->left = s->link[link->link].capacity;
		link->fixing = 0;
		link_set(s, s->link_heaped++, (struct share_level){ link->left / (double)link->open, i });
	}
	for (uint32_t place = s->link_heaped / 2; place-- > 0;)
		link_down(s, place);
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		job->fixed = false;
		s->job_heap[s->job_heaped++] = (struct share_level){ job->cap, s->part[i] };
	}
	for (uint32_t place = s->job_heaped / 2; place-- > 0;)
		job_down(s, place);
}

static void fix(struct fabric_share *s, uint32_t slot, double level)
{
	struct share_job *job = &s->job[slot];
	if (job->fixed)
		return;
	job->fixed = true;
	job->fresh = (struct fabric_got){ .rate = level, .stretch = 1 };
	for (uint32_t i = job->step; i < job->step + job->steps; i++) {
		struct share_active *link = &s->part_link[s->step[i].link];
		if (link->fixing == 0)
			s->touched[s->touches++] = s->step[i].link;
		link->fixing += s->step[i].flows;
	}
}

/* What the round took off its links. A level never falls: what rounding takes is given back here. */
static void settle(struct fabric_share *s, double level)
{
	for (uint32_t i = 0; i < s->touches; i++) {
		struct share_active *link = &s->part_link[s->touched[i]];
		link->left -= level * (double)link->fixing;
		link->open -= link->fixing;
		link->fixing = 0;
		if (link->open == 0) {
			if (link->place != SHARE_NOT)
				link_drop(s, s->touched[i]);
			continue;
		}
		const double fair = link->left / (double)link->open;
		s->link_heap[link->place].level = fair > level ? fair : level;
		link_down(s, link->place); /* It can only have risen. */
	}
	s->touches = 0;
}

void share_fill(struct fabric_share *s)
{
	begin(s);
	for (;;) {
		while (s->job_heaped && s->job[s->job_heap[0].row].fixed)
			job_pop(s);
		if (!s->job_heaped)
			return;
		double level = s->job_heap[0].level;
		if (s->link_heaped && s->link_heap[0].level < level)
			level = s->link_heap[0].level;
		while (s->link_heaped && s->link_heap[0].level <= level) {
			const uint32_t full = s->link_heap[0].row;
			link_drop(s, full);
			s->part_link[full].full = true;
			for (uint32_t i = s->link[s->part_link[full].link].head; i != SHARE_NOT;
				i = s->tie[i].next)
				fix(s, s->tie[i].slot, level);
		}
		for (; s->job_heaped && s->job_heap[0].level <= level; job_pop(s))
			fix(s, s->job_heap[0].row, level);
		settle(s, level);
	}
}
