/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid_series.c - what is counted from pass to pass, and reported at the run's end.
 *
 * All is read anew from the engine after both sides' commands, and stands until the next pass: a rerun pass
 * counts the same. A node is busy with any job of its side on it.
 */
#include "policies/hybrid/hybrid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const side_name[HYBRID_SIDES] = { "slurm", "kube" };

/* ---- Counted --------------------------------------------------------------------------------- */

static void integrate(struct hybrid *h, sl_time now)
{
	const __int128 range = h->counted == SL_NONE ? 0 : now - h->counted;
	for (int side = 0; side < HYBRID_SIDES; side++) {
		h->held_us[side] += range * h->now[side].nodes;
		h->busy_us[side] += range * h->now[side].busy;
		h->wanted_us[side] += range * h->now[side].idle_wanted;
		h->cpus_us[side] += range * h->cpus[side];
		h->cpus_busy_us[side] += range * h->cpus_busy[side];
	}
	h->moving_us += range * h->moving;
	h->counted = now;
}

/* A job runs on nodes of its own side alone: else a child got a wrong event. */
static void fail_owner(struct hybrid *h, sl_job job, uint32_t n)
{
	(void)sl_fail(&h->err, SL_INTERNAL,
		"policy 'hybrid': job %" PRId64 " of %s runs on node '%s', which is %s", h->jobs->id[job.row],
		side_name[h->side[job.row]], h->cluster->node_name[n],
		h->node[n].phase == HYBRID_MOVING ? "nobody's" : "the other side's");
}

static void count_job(struct hybrid *h, const struct sl_pass *pass, sl_job job)
{
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(pass, job, &alloc);
	if (h->first_start[job.row] == SL_NONE)
		h->first_start[job.row] = sl_start_of(pass, job);
	for (size_t i = 0; i < count; i++) {
		struct hybrid_node *node = &h->node[alloc[i].node];
		node->busy = true;
		/* One that seemed idle may have been allocated at the instant of its leaving. */
		if (node->owner != h->side[job.row])
			fail_owner(h, job, alloc[i].node);
	}
	h->cpus_busy[h->side[job.row]] += sl_asks(pass, job, SL_KIND_CPUS);
}

static void count_nodes(struct hybrid *h, const struct sl_pass *pass)
{
	const uint32_t nodes = h->cluster->node_count;
	for (uint32_t n = 0; n < nodes; n++)
		h->node[n].busy = false;
	memset(h->now, 0, sizeof(h->now));
	memset(h->cpus, 0, sizeof(h->cpus));
	memset(h->cpus_busy, 0, sizeof(h->cpus_busy));
	h->moving = 0;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job))
		count_job(h, pass, job);
	for (uint32_t n = 0; n < nodes; n++) {
		struct hybrid_node *node = &h->node[n];
		if (node->busy)
			node->idle_since = SL_NONE;
		else if (node->idle_since == SL_NONE)
			node->idle_since = sl_now(pass);
		if (node->phase == HYBRID_MOVING && !node->busy) {
			h->moving++;
			continue;
		}
		h->now[node->owner].nodes++;
		h->now[node->owner].busy += node->busy;
		h->cpus[node->owner] += h->cluster->type[h->cluster->node_type[n]].amount[SL_KIND_CPUS];
	}
}

/* Idle nodes of the side that would help jobs that wait on the other. */
static uint32_t count_wanted(struct hybrid *h, const struct sl_pass *pass, enum hybrid_side side)
{
	const uint32_t types = h->cluster->type_count;
	const uint32_t lane = side == HYBRID_SLURM ? HYBRID_KUBE : HYBRID_SLURM;
	uint32_t idle = 0, wanted = 0;
	memset(h->idle_of, 0, types * sizeof(*h->idle_of));
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const struct hybrid_node *node = &h->node[n];
		const bool is = node->owner == side && node->phase == HYBRID_HERE && !node->busy;
		h->idle_of[h->cluster->node_type[n]] +=
			is && sl_node_is_up(pass, n) && !sl_node_is_drained(pass, n);
	}
	for (uint32_t t = 0; t < types; t++)
		idle += h->idle_of[t];
	for (sl_job job = sl_lane_first(pass, lane); sl_job_is(job) && wanted < idle;
		job = sl_lane_after(pass, lane, job)) {
		if (!hybrid_waits_for_nodes(pass, job))
			continue;
		for (uint32_t t = 0; t < types; t++)
			if (h->idle_of[t] && hybrid_needs(h, job.row, t)) {
				wanted += h->idle_of[t];
				h->idle_of[t] = 0;
			}
	}
	return wanted;
}

static void note_point(struct hybrid *h, sl_time now, uint8_t side)
{
	const struct hybrid_state *state = &h->now[side];
	if (h->point_count > 1 && now < h->point_next[side])
		return;
	if (h->point_count > 1 && memcmp(state, &h->point_last[side], sizeof(*state)) == 0)
		return;
	/* Of several passes of an instant the last counts. */
	for (size_t i = h->point_count; i-- > 0 && h->point[i].at == now;)
		if (h->point[i].side == side) {
			h->point[i].state = h->point_last[side] = *state;
			return;
		}
	if (SL_GROW(h->point, h->point_capacity, h->point_count + 1, &h->err))
		return;
	h->point[h->point_count++] = (struct hybrid_point){ now, side, *state };
	h->point_last[side] = *state;
	h->point_next[side] = h->series_every ? now - now % h->series_every + h->series_every : now;
}

void hybrid_count(struct hybrid *h, struct sl_pass *pass)
{
	const sl_time now = sl_now(pass);
	integrate(h, now);
	count_nodes(h, pass);
	for (int side = 0; side < HYBRID_SIDES; side++) {
		h->now[side].waiting = sl_lane_count(pass, (uint32_t)side);
		h->now[side].idle_wanted = count_wanted(h, pass, (enum hybrid_side)side);
		note_point(h, now, (uint8_t)side);
	}
}

/* ---- Reports --------------------------------------------------------------------------------- */

#define MILLION INT64_C(1000000)
#define HOUR_US ((__int128)3600 * MILLION)

static int report_one(
	struct sl_tally *tally, const char *name, const char *side, int64_t micro, struct sl_err *err)
{
	char text[80];
	(void)snprintf(text, sizeof(text), "hybrid.%s%s%s%s", name, side ? "{side=" : "", side ? side : "",
		side ? "}" : "");
	return sl_report_metric(tally, text, micro, err);
}

/* In millionths of an hour, rounded half up. */
static int64_t hours(__int128 node_us) { return (int64_t)((node_us * MILLION + HOUR_US / 2) / HOUR_US); }

static int64_t hybrid_series_share(__int128 part, __int128 whole)
{
	return whole ? (int64_t)((part * MILLION + whole / 2) / whole) : 0;
}

static int report_wait(struct hybrid *h, struct sl_tally *tally, int side, struct sl_err *err)
{
	__int128 sum = 0;
	int64_t count = 0, jobs = 0;
	for (uint32_t row = 0; row < h->jobs->count; row++) {
		if (h->side[row] != side)
			continue;
		jobs++;
		if (h->first_start[row] == SL_NONE)
			continue;
		sum += h->first_start[row] - h->jobs->submit[row];
		count++;
	}
	int status = report_one(tally, "jobs", side_name[side], jobs * MILLION, err);
	if (!status && count)
		status = report_one(
			tally, "wait.mean", side_name[side], (int64_t)((sum + count / 2) / count), err);
	return status;
}

static int report_side(struct hybrid *h, struct sl_tally *tally, int side, struct sl_err *err)
{
	const char *name = side_name[side];
	int status = report_wait(h, tally, side, err);
	if (!status)
		status = report_one(tally, "node_hours", name, hours(h->held_us[side]), err);
	if (!status)
		status = report_one(tally, "idle_while_other_waits", name, hours(h->wanted_us[side]), err);
	if (!status)
		status = report_one(tally, "utilization.nodes", name,
			hybrid_series_share(h->busy_us[side], h->held_us[side]), err);
	if (!status)
		status = report_one(tally, "utilization.cpus", name,
			hybrid_series_share(h->cpus_busy_us[side], h->cpus_us[side]), err);
	return status;
}

static int report_series(struct hybrid *h, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "side", "nodes", "busy", "waiting",
		"idle_while_other_waits" };
	const size_t columns = SL_LEN(column);
	struct sl_cell *cell = sl_alloc(h->arena, h->point_count * columns + 1, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	for (size_t i = 0; i < h->point_count; i++) {
		const struct hybrid_point *point = &h->point[i];
		struct sl_cell *row = &cell[i * columns];
		row[0].micro = point->at;
		row[1].text = side_name[point->side];
		row[2].micro = point->state.nodes * MILLION;
		row[3].micro = point->state.busy * MILLION;
		row[4].micro = point->state.waiting * MILLION;
		row[5].micro = point->state.idle_wanted * MILLION;
	}
	return sl_report_add_table(tally, "hybrid", column, (uint32_t)columns, cell, h->point_count, err);
}

static int report_moves(struct hybrid *h, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "node", "from", "to", "why", "left", "came" };
	const size_t columns = SL_LEN(column);
	if (!h->move_count)
		return SL_OK;
	struct sl_cell *cell = sl_alloc(h->arena, h->move_count * columns, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	for (size_t i = 0; i < h->move_count; i++) {
		const struct hybrid_move *move = &h->move[i];
		struct sl_cell *row = &cell[i * columns];
		row[0].micro = move->at;
		row[1].text = h->cluster->node_name[move->node];
		row[2].text = side_name[move->from];
		row[3].text = side_name[!move->from];
		row[4].text = move->why;
		row[5].micro = move->left;
		row[6].micro = move->came;
	}
	return sl_report_add_table(tally, "moves", column, (uint32_t)columns, cell, h->move_count, err);
}

int hybrid_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct hybrid *h = state;
	int status = SL_OK;
	integrate(h, sl_now(pass));
	for (int side = 0; side < HYBRID_SIDES && !status; side++)
		status = report_side(h, tally, side, err);
	if (!status)
		status = report_one(tally, "node_hours", "moving", hours(h->moving_us), err);
	if (!status)
		status = report_one(tally, "moves", NULL, (int64_t)h->move_count * MILLION, err);
	if (!status)
		status = report_series(h, tally, err);
	if (!status)
		status = report_moves(h, tally, err);
	for (int side = 0; side < HYBRID_SIDES && !status; side++)
		if (h->child[side].policy->report)
			status = h->child[side].policy->report(h->child[side].state, pass, tally, err);
	return status;
}
