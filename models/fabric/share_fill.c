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

/* ---- Links by level, with places, and jobs by cap ----------------------------------------------- */

static bool is_lower(const struct fabric_share *s, const struct share_level *a, const struct share_level *b)
{
	(void)s;
	return a->level < b->level;
}

static void placed(const struct fabric_share *s, const struct share_level *link, size_t place)
{
	s->part_link[link->row].place = (uint32_t)place;
}
SL_HEAP(links, struct share_level, const struct fabric_share *, is_lower, placed)
SL_HEAP(jobs, struct share_level, const struct fabric_share *, is_lower, SL_HEAP_UNPLACED)

static void link_drop(struct fabric_share *s, uint32_t link)
{
	const uint32_t place = s->part_link[link].place;
	s->part_link[link].place = SHARE_NOT;
	links_remove(s, s->link_heap, --s->link_heaped, place);
}

static void job_pop(struct fabric_share *s) { jobs_remove(s, s->job_heap, --s->job_heaped, 0); }

/* ---- Rounds ------------------------------------------------------------------------------------- */

static void share_fill_begin(struct fabric_share *s)
{
	s->link_heaped = s->job_heaped = 0;
	for (uint32_t i = 0; i < s->part_links; i++) {
		struct share_active *link = &s->part_link[i];
		link->left = s->link[link->link].capacity;
		link->fixing = 0;
		s->link_heap[s->link_heaped] = (struct share_level){ link->left / (double)link->open, i };
		link->place = s->link_heaped++;
	}
	links_make(s, s->link_heap, s->link_heaped);
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		job->fixed = false;
		s->job_heap[s->job_heaped++] = (struct share_level){ job->cap, s->part[i] };
	}
	jobs_make(s, s->job_heap, s->job_heaped);
}

static void fix(struct fabric_share *s, uint32_t slot, double level)
{
	struct share_job *job = &s->job[slot];
	if (job->fixed)
		return;
	job->fixed = true;
	job->fresh = (struct fabric_got){ .rate = level, .slowdown = 1 };
	for (uint32_t i = job->step; i < job->step + job->steps; i++) {
		struct share_active *link = &s->part_link[s->step[i].link];
		if (link->fixing == 0)
			s->touched[s->touches++] = s->step[i].link;
		link->fixing += s->step[i].flows;
	}
}

/* What the round took off its links. A level never falls: what rounding takes is given back here. */
static void share_fill_settle(struct fabric_share *s, double level)
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
		links_down(s, s->link_heap, s->link_heaped, link->place); /* It can only have risen. */
	}
	s->touches = 0;
}

void share_fill(struct fabric_share *s)
{
	share_fill_begin(s);
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
		share_fill_settle(s, level);
	}
}
