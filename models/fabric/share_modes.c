/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share_modes.c - contention where jobs do not communicate all the time: a mean field, and turns.
 *
 * meanfield: beside a job each other one counts for the share of its time in which it communicates, d: on
 * the link that limits it most, y = C / (n + sum of the others' n * d); d follows from y, and that from d:
 * eight sweeps over all jobs at once, from what they do alone. interleaved: what a link cannot carry in the
 * time of an iteration lengthens that of all its jobs alike, and nothing else does: what CASSINI (Rajasekaran
 * et al., NSDI 2024) would reach with phases that fit ideally. Of jobs of equal iterations this is T = sum of
 * B / C.
 */
#include "models/fabric/share_inner.h"

enum { SWEEPS = 8 };
static const double one = (double)SL_SPEED_ONE;

static int64_t duty_of(const struct share_job *job)
{
	const double time = fabric_speed_time(&job->speed, job->fresh.rate);
	const double share = time > 0 ? fabric_speed_comm(&job->speed, job->fresh.rate) / time : 0;
	return (int64_t)((share < 1 ? share : 1) * one + 0.5);
}

/* Sums what jobs do to their links, in 2^-32 of a flow. */
static void weigh(struct fabric_share *s)
{
	for (uint32_t i = 0; i < s->part_links; i++) {
		s->part_link[i].sum = 0;
		s->part_link[i].full = false;
	}
	for (uint32_t i = 0; i < s->parts; i++) {
		const struct share_job *job = &s->job[s->part[i]];
		for (uint32_t u = job->step; u < job->step + job->steps; u++)
			s->part_link[s->step[u].link].sum += (__int128)s->step[u].flows * job->duty;
	}
}

static void sweep(struct fabric_share *s)
{
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		double rate = job->cap;
		struct share_active *least = NULL;
		for (uint32_t u = job->step; u < job->step + job->steps; u++) {
			struct share_active *link = &s->part_link[s->step[u].link];
			const int64_t flows = s->step[u].flows;
			const __int128 others = link->sum - (__int128)flows * job->duty;
			const double fair =
				s->link[link->link].capacity / ((double)flows + (double)others / one);
			if (fair < rate) {
				rate = fair;
				least = link;
			}
		}
		job->fresh.rate = rate;
		if (least)
			least->full = true;
	}
	for (uint32_t i = 0; i < s->parts; i++)
		s->job[s->part[i]].duty = duty_of(&s->job[s->part[i]]);
}

static void share_modes_begin(struct fabric_share *s)
{
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		job->fresh = (struct fabric_got){ .rate = job->cap, .slowdown = 1 };
	}
}

void share_meanfield(struct fabric_share *s)
{
	share_modes_begin(s);
	for (uint32_t i = 0; i < s->parts; i++)
		s->job[s->part[i]].duty = duty_of(&s->job[s->part[i]]);
	for (int i = 0; i < SWEEPS; i++) {
		weigh(s);
		sweep(s);
	}
}

void share_interleave(struct fabric_share *s)
{
	share_modes_begin(s);
	for (uint32_t l = 0; l < s->part_links; l++) {
		struct share_active *link = &s->part_link[l];
		link->sum = 0;
		for (uint32_t i = s->link[link->link].head; i != SHARE_NOT; i = s->tie[i].next)
			link->sum += (__int128)s->use[i].flows * s->job[s->tie[i].slot].load;
		link->left = (double)link->sum / s->link[link->link].capacity; /* Load over capacity. */
		link->full = link->left > 1;
	}
	for (uint32_t i = 0; i < s->parts; i++) {
		struct share_job *job = &s->job[s->part[i]];
		for (uint32_t u = job->step; u < job->step + job->steps; u++) {
			const double asked = s->part_link[s->step[u].link].left;
			if (asked > job->fresh.slowdown)
				job->fresh.slowdown = asked;
		}
	}
}
