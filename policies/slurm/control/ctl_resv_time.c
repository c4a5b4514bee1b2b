/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_time.c - reservations that begin, end, recur and are purged.
 *
 * slurmctld looks for those that begin each 5 s (set_node_maint_mode()), and with the time limits, each 30
 * s, for those to be purged and those with nodes to be replaced (job_resv_check()); both counted from its
 * start.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl_node.h"
#include "policies/slurm/control/ctl_resv.h"

enum { LOOK = 5, TICK = 30, DAY = 24 * 60 * 60 };

/* The first time of the beat at or after `at`. */
static ctl_time beat(const struct ctl *c, ctl_time at, int64_t step)
{
	const int64_t late = ((at - c->params.tick_phase) % step + step) % step;
	return late ? at + step - late : at;
}

/* The next tick that was not yet made: that of this second counts. */
static ctl_time tick_from(const struct ctl *c, ctl_time at)
{
	return beat(c, at > c->resvs->looked ? at : c->resvs->looked + 1, TICK);
}

/* ---- Recurrence ------------------------------------------------------------------------------ */

enum { SUNDAY, FRIDAY = 5, SATURDAY };

static int weekday(ctl_time at)
{
	const int64_t day = at / DAY - (at % DAY < 0);
	return (int)(((day + 4) % 7 + 7) % 7); /* 1970 began on a Thursday. */
}

/* Seconds until it recurs, 0: not. Days of the week are those of when it was over. */
static int64_t period(const struct resv *r)
{
	const int day = weekday(r->end);
	if (r->flags & RESV_HOURLY)
		return INT64_C(60) * 60;
	if (r->flags & RESV_DAILY)
		return DAY;
	if (r->flags & RESV_WEEKDAY)
		return (day == FRIDAY ? 3 : day == SATURDAY ? 2 : 1) * (int64_t)DAY;
	if (r->flags & RESV_WEEKEND)
		return (day == SUNDAY ? 6 : day == SATURDAY ? 1 : SATURDAY - day) * (int64_t)DAY;
	return r->flags & RESV_WEEKLY ? 7 * (int64_t)DAY : 0;
}

bool resv_advance(const struct ctl *c, struct resv *r)
{
	if (!(r->flags & RESV_REPEATS) || r->flags & RESV_TIME_FLOAT)
		return false;
	while (r->end <= c->now) {
		const int64_t step = period(r);
		r->start += step;
		r->end += step;
		r->began = r->ended = r->over = false;
		r->idle_since = CTL_NONE;
	}
	return true;
}

/* ---- Gone ------------------------------------------------------------------------------------ */

/* _foreach_clear_job_resv(): a job that waits for it is held, but with NO_KEEP_JOBS_AFTER_END it goes on as
 * if it had asked for none. */
static void leave_job(struct ctl *c, struct ctl_job *job, const struct resv *r, uint32_t row)
{
	if (job->resv != row)
		return;
	job->resv = CTL_NO_ROW;
	for (const char *p = job->resv_names; p && *p && job->resv == CTL_NO_ROW; p += *p == ',') {
		const struct resv *other = resv_named(c, p, strcspn(p, ","));
		if (other)
			job->resv = (uint32_t)(other - c->resvs->item);
		p += strcspn(p, ",");
	}
	if (job->resv != CTL_NO_ROW || job->state != CTL_PENDING || r->flags & RESV_NO_HOLD ||
		job->reason == SL_REASON_HELD || job->reason == SL_REASON_HELD_ADMIN)
		return;
	job->resv_gone = true;
	ctl_set_reason(c, job, SL_REASON_RESERVATION_DELETED);
}

void resv_delete(struct ctl *c, struct resv *r)
{
	const uint32_t row = (uint32_t)(r - c->resvs->item);
	r->deleted = true;
	c->resvs->live--;
	for (uint32_t j = c->pending_first; j != CTL_NO_ROW; j = c->job[j].next)
		leave_job(c, &c->job[j], r, row);
	for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next)
		leave_job(c, &c->job[j], r, row);
}

/* ---- Nodes replaced -------------------------------------------------------------------------- */

/* So many of the set, the first ones. */
static void keep_first(uint64_t *set, size_t words, uint32_t count)
{
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW; n = nset_next(set, words, n + 1)) {
		if (!count)
			nset_drop(set, n);
		else
			count--;
	}
}

/* _resv_node_replace(), one try: `add` more nodes in place of those that cannot stay. */
static bool replace(struct ctl *c, struct resv *r, const uint64_t *stay, uint32_t add, uint64_t *fresh)
{
	const size_t words = c->resvs->words;
	const struct resv_want want = {
		.flags = r->flags, .start = r->start, .end = r->end, .nodes = add, .features = r->features
	};
	const uint64_t *part = select_partition_nodes(c->select, r->part);
	for (size_t w = 0; w < words; w++)
		fresh[w] = part[w] & ~r->nodes[w];
	if (!resv_pick(c, &want, fresh))
		return false;
	const uint32_t have = nset_count(fresh, words) + nset_count(stay, words);
	for (size_t w = 0; w < words; w++)
		r->nodes[w] &= ~stay[w];
	keep_first(r->nodes, words, r->node_count > have ? r->node_count - have : 0);
	for (size_t w = 0; w < words; w++)
		r->nodes[w] |= stay[w] | fresh[w];
	return true;
}

static void stay_of(const struct ctl *c, const struct resv *r, uint64_t *stay)
{
	const uint64_t *avail = ctl_nodes_avail(c);
	for (size_t w = 0; w < c->resvs->words; w++)
		stay[w] = r->nodes[w] & avail[w];
	if (!(r->flags & RESV_REPLACE))
		return;
	for (uint32_t n = 0; n < c->cluster->node_count; n++)
		if (c->nodes->node[n].jobs)
			nset_drop(stay, n);
}

void resv_nodes_renew(struct ctl *c, struct resv *r)
{
	const size_t words = c->resvs->words;
	if (!r->nodes || r->cores || r->flags & (RESV_SPEC_NODES | RESV_STATIC))
		return;
	if (r->part == CTL_NO_ROW)
		r->part = c->part_default < c->cluster->partition_count ? c->part_default : 0;
	uint64_t *stay = calloc(2 * words, sizeof(*stay));
	if (!stay) {
		controller_no_memory(&c->engine);
		return;
	}
	stay_of(c, r, stay);
	const uint32_t kept = nset_count(stay, words);
	uint32_t add = r->node_count > kept ? r->node_count - kept : 0;
	const bool halves = r->flags & (RESV_REPLACE | RESV_REPLACE_DOWN);
	while (add && !replace(c, r, stay, add, stay + words))
		add = halves ? add / 2 : 0;
	if (add)
		c->node_changes++;
	free(stay);
}

/* ---- Looks ----------------------------------------------------------------------------------- */

/* Flags of nodes in reservations that are in force, for reports. */
void resv_table(struct ctl *c)
{
	for (uint32_t n = 0; n < c->cluster->node_count; n++)
		c->nodes->node[n].flags &= ~(unsigned)(NODE_MAINT | NODE_RESV);
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted || !r->began || r->ended || !r->nodes)
			continue;
		for (uint32_t n = nset_next(r->nodes, c->resvs->words, 0); n != CTL_NO_ROW;
			n = nset_next(r->nodes, c->resvs->words, n + 1))
			c->nodes->node[n].flags |= NODE_RESV | (r->flags & RESV_MAINT ? NODE_MAINT : 0);
	}
}

/* True: it begins or ends now. */
static bool ctl_resv_time_look(struct ctl *c, struct resv *r, bool *begins)
{
	bool changed = false;
	if (r->deleted || r->flags & RESV_TIME_FLOAT)
		return false;
	if (r->end <= c->now && !r->ended) {
		const bool retry = resv_advance(c, r);
		r->ended = !retry;
		changed = true;
	}
	if (!r->began && c->now >= beat(c, r->start, LOOK)) {
		r->began = changed = *begins = true;
	}
	if (!r->over && r->end < RESV_FAR && c->now >= beat(c, r->end, LOOK))
		r->over = true;
	return changed;
}

static uint32_t waiting(const struct ctl *c, const struct resv *r)
{
	const uint32_t row = (uint32_t)(r - c->resvs->item);
	uint32_t count = 0;
	for (uint32_t j = c->pending_first; j != CTL_NO_ROW; j = c->job[j].next)
		count += c->job[j].resv == row;
	return count;
}

/* Whether it has been without jobs for so long that it ends (PURGE_COMP). */
static bool is_done(struct ctl *c, struct resv *r, uint32_t running)
{
	if (r->start > c->now)
		return false;
	if (running || waiting(c, r))
		r->idle_since = CTL_NONE;
	else if (r->idle_since == CTL_NONE)
		r->idle_since = c->now;
	return r->flags & RESV_PURGE_COMP && r->idle_since != CTL_NONE && r->end > c->now &&
	       c->now - r->idle_since >= r->purge;
}

/* job_resv_check() of one. */
static void ctl_resv_time_check(struct ctl *c, struct resv *r)
{
	const uint32_t running = resv_running(c, r);
	if (is_done(c, r, running)) {
		if (!(r->flags & RESV_REPEATS)) {
			resv_delete(c, r);
		} else { /* It ends now, to recur. */
			const int64_t step = period(r);
			r->start += step;
			r->end += step;
			r->idle_since = CTL_NONE;
			r->began = r->ended = r->over = false;
		}
		c->node_changes++;
		return;
	}
	if (r->end >= c->now || (r->flags & RESV_TIME_FLOAT && r->duration != CTL_NONE)) {
		resv_nodes_renew(c, r);
		return;
	}
	if (r->began && r->over && !(r->flags & RESV_REPEATS) && (!running || r->flags & RESV_FLEX))
		resv_delete(c, r);
}

void ctl_resv_run(struct ctl *c)
{
	struct ctl_resvs *all = c->resvs;
	bool begins = false;
	bool changed = false;
	if (!all->live)
		return;
	for (uint32_t i = 0; i < all->count; i++)
		changed = ctl_resv_time_look(c, &all->item[i], &begins) || changed;
	const bool tick = tick_from(c, c->now) == c->now;
	const uint64_t before = c->node_changes;
	const uint32_t live = all->live;
	for (uint32_t i = 0; tick && i < all->count; i++)
		if (!all->item[i].deleted)
			ctl_resv_time_check(c, &all->item[i]);
	if (tick) {
		all->looked = c->now;
		all->nodes_checked = c->node_changes;
	}
	if (changed || live != all->live || before != c->node_changes) {
		c->node_changes++;
		all->nodes_checked += all->nodes_checked == c->node_changes - 1;
		resv_table(c);
	}
	if (begins)
		ctl_want_pass(c);
}

/* When its next check is due. */
static ctl_time next_of(const struct ctl *c, const struct resv *r)
{
	const ctl_time tick = tick_from(c, c->now);
	ctl_time next = CTL_NEVER;
	if (r->deleted)
		return CTL_NEVER;
	if (!(r->flags & (RESV_SPEC_NODES | RESV_STATIC)) && c->resvs->nodes_checked != c->node_changes)
		next = tick;
	if (r->flags & RESV_TIME_FLOAT)
		return next;
	if (!r->began)
		next = beat(c, r->start, LOOK) < next ? beat(c, r->start, LOOK) : next;
	if (!r->ended && r->end < RESV_FAR)
		next = r->end < next ? r->end : next;
	if ((r->ended || (r->flags & RESV_PURGE_COMP && r->began)) && tick < next)
		next = tick;
	return next;
}

ctl_time ctl_resv_next(const struct ctl *c)
{
	ctl_time next = CTL_NEVER;
	for (uint32_t i = 0; c->resvs->live && i < c->resvs->count; i++) {
		const ctl_time at = next_of(c, &c->resvs->item[i]);
		next = at < next ? at : next;
	}
	return next;
}
