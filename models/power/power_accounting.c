/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * power_accounting.c - who draws what, kept exactly: nodes, jobs, and their sums over time.
 *
 * A job is charged for what it drives, and for its part of what its nodes draw idle: of a node with GPUs, as
 * many as it has of them, else as many as it has of the cpus; of a node of its own, all of it.
 */
#include <string.h>

#include "models/power/state.h"

int64_t accounting_draw(const struct power *p) { return p->draw + p->switches; }

void accounting_begin(struct power *p, sl_time now) { meter_begin(&p->meter, now); }

void accounting_advance(struct power *p, sl_time now)
{
	const sl_time from = p->meter.at;
	if (now <= from)
		return;
	const int64_t draw = accounting_draw(p);
	meter_advance(&p->meter, draw, now);
	if (p->price.count)
		p->cost += (__int128)draw * tariff_over(&p->price, from, now);
	if (p->carbon.count)
		p->carbon_sum += (__int128)draw * tariff_over(&p->carbon, from, now);
	for (int is = 0; is < NODE_POWERS; is++) {
		p->time_of[is] += (power_sum)p->nodes_of[is] * (power_sum)(now - from);
		p->energy_of[is] += (power_sum)p->draw_of[is] * (power_sum)(now - from);
	}
	if (p->share < SL_SPEED_ONE)
		p->throttled += now - from;
}

void job_settle(struct power *p, uint32_t row, sl_time now)
{
	struct power_job *job = &p->job[row];
	if (now <= job->at)
		return;
	job->energy += (power_sum)job->draw * (power_sum)(now - job->at);
	if (p->price.count)
		job->cost += (__int128)job->draw * tariff_over(&p->price, job->at, now);
	if (p->carbon.count)
		job->carbon += (__int128)job->draw * tariff_over(&p->carbon, job->at, now);
	job->at = now;
}

static int64_t draws(const struct power *p, const struct power_node *node)
{
	const struct figures *f = &p->figures[node->type];
	const int64_t draw[NODE_POWERS] = { 0, f->off, f->boot, f->shutdown };
	return node->is == NODE_ON ? figures_draw(f, node->driven) : draw[node->is];
}

/* On a measured curve what one job drives is worth more or less as others do. */
static void share_draw(struct power *p, struct power_node *node, sl_time now)
{
	const int64_t more = node->draw - p->figures[node->type].idle;
	for (uint32_t i = node->alloc; i != NOBODY; i = p->alloc[i].next) {
		struct power_alloc *alloc = &p->alloc[i];
		const int64_t draw = node->driven ? sl_mul_div(more, alloc->driven, node->driven) : 0;
		job_settle(p, alloc->job, now);
		p->job[alloc->job].draw += draw - alloc->draw;
		alloc->draw = draw;
	}
}

static void node_redraw(struct power *p, uint32_t row, sl_time now)
{
	struct power_node *node = &p->node[row];
	const int64_t draw = draws(p, node);
	p->draw += draw - node->draw;
	p->draw_of[node->is] += draw - node->draw;
	node->draw = draw;
	if (p->figures[node->type].curve && node->is == NODE_ON)
		share_draw(p, node, now);
}

void node_becomes(struct power *p, uint32_t row, enum node_power is, sl_time now)
{
	struct power_node *node = &p->node[row];
	p->nodes_of[node->is]--;
	p->draw_of[node->is] -= node->draw;
	node->is = is;
	p->nodes_of[is]++;
	p->draw_of[is] += node->draw;
	node_redraw(p, row, now);
}

/* The allocation's own job is settled. */
static void alloc_drives(struct power *p, uint32_t index, int64_t driven, sl_time now)
{
	struct power_alloc *alloc = &p->alloc[index];
	struct power_node *node = &p->node[alloc->node];
	SL_CHECK(!driven || node->is == NODE_ON); /* Nobody works on a node that is off, or boots. */
	node->driven += driven - alloc->driven;
	alloc->driven = driven;
	if (!p->figures[node->type].curve) {
		p->job[alloc->job].draw += driven - alloc->draw;
		alloc->draw = driven;
	}
	node_redraw(p, alloc->node, now);
}

void job_scale(struct power *p, uint32_t row, uint64_t scale, sl_time now)
{
	struct power_job *job = &p->job[row];
	if (job->scale == scale)
		return;
	job_settle(p, row, now);
	job->scale = scale;
	for (uint32_t i = job->alloc; i != NOBODY; i = p->alloc[i].more)
		alloc_drives(p, i, (int64_t)((unsigned __int128)p->alloc[i].full * scale >> 32), now);
}

/* ---- Jobs come and go -------------------------------------------------------------------------------- */

/* Grown by doubling; what is outgrown stays in the arena, less in all than what is in use. */
static uint32_t alloc_new(struct power *p)
{
	if (p->part_free != NOBODY) {
		const uint32_t index = p->part_free;
		p->part_free = p->alloc[index].more;
		return index;
	}
	if (SL_GROW_IN(p->arena, p->alloc, p->alloc_capacity, p->alloc_count + 1, NULL))
		return NOBODY;
	return p->alloc_count++;
}

static const struct sl_profile *power_accounting_profile_of(const struct power *p, uint32_t job)
{
	const struct sl_jobs *jobs = p->jobs;
	return jobs->profile_of && jobs->profile_of[job] ? &jobs->profile[jobs->profile_of[job]] : NULL;
}

/* uW at full speed of so many tasks on that type of node. */
static int64_t full_of(const struct power *p, uint32_t job, const struct sl_group *group, uint32_t tasks,
	const struct figures *f)
{
	const struct sl_profile *profile = power_accounting_profile_of(p, job);
	const bool said = profile && profile->intensity != SL_NONE;
	const int64_t gpus = group->task.gpus * tasks;
	const int64_t cpus = group->task.cpus * tasks;
	const int64_t gpu_share = said ? profile->intensity : p->intensity;
	const int64_t cpu_share = said && !gpus ? profile->intensity : 1000000;
	const int64_t gpu = sl_mul_div(f->gpu, gpus * gpu_share, sl_parts(p->cluster->gpu_parts) * 1000000);
	return gpu + sl_mul_div(f->core, cpus * cpu_share, sl_parts(p->cluster->cpu_parts) * 1000000);
}

static int64_t idle_of(const struct sl_group *group, uint32_t tasks, const struct figures *f)
{
	if (group->exclusive)
		return f->idle;
	const int64_t whole = f->gpus ? f->gpus : f->cpus;
	const int64_t part = (f->gpus ? group->task.gpus : group->task.cpus) * tasks;
	return whole ? (int64_t)((__int128)f->idle * (part < whole ? part : whole) / whole) : 0;
}

static void alloc_link(struct power *p, uint32_t index, uint32_t row)
{
	struct power_node *node = &p->node[row];
	struct power_alloc *alloc = &p->alloc[index];
	alloc->before = NOBODY;
	alloc->next = node->alloc;
	if (node->alloc != NOBODY)
		p->alloc[node->alloc].before = index;
	node->alloc = index;
	node->jobs++;
	node->since = SL_NONE;
}

bool accounting_take(struct power *p, sl_job job, const struct sl_node_tasks *at, size_t count, sl_time now)
{
	struct power_job *own = &p->job[job.row];
	const struct sl_request *request = &p->jobs->requests[p->jobs->request[job.row]];
	own->alloc = NOBODY;
	own->at = now;
	own->ready = SL_NONE;
	own->own = SL_SPEED_ONE;
	own->scale = 0;
	own->draw = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t index = alloc_new(p);
		if (index == NOBODY)
			return false;
		const struct sl_group *group = &request->group[at[i].group];
		const struct figures *f = &p->figures[p->node[at[i].node].type];
		p->alloc[index] = (struct power_alloc){ .job = job.row,
			.node = at[i].node,
			.more = own->alloc,
			.full = full_of(p, job.row, group, at[i].tasks, f),
			.idle = idle_of(group, at[i].tasks, f) };
		own->alloc = index;
		own->draw += p->alloc[index].idle;
		p->full += p->alloc[index].full;
		alloc_link(p, index, at[i].node);
	}
	own->place = p->running_count;
	p->running[p->running_count++] = job.row;
	return true;
}

static void alloc_unlink(struct power *p, uint32_t index)
{
	const struct power_alloc *alloc = &p->alloc[index];
	struct power_node *node = &p->node[alloc->node];
	if (alloc->next != NOBODY)
		p->alloc[alloc->next].before = alloc->before;
	if (alloc->before != NOBODY)
		p->alloc[alloc->before].next = alloc->next;
	else
		node->alloc = alloc->next;
	node->jobs--;
}

void accounting_leave(struct power *p, sl_job job, sl_time now)
{
	struct power_job *own = &p->job[job.row];
	job_scale(p, job.row, 0, now);
	job_settle(p, job.row, now);
	own->draw = 0;
	const uint32_t last = p->running[--p->running_count];
	p->running[own->place] = last;
	p->job[last].place = own->place;
	own->place = NOBODY;
}

uint32_t accounting_give(struct power *p, sl_job job)
{
	struct power_job *own = &p->job[job.row];
	const uint32_t index = own->alloc;
	if (index == NOBODY)
		return NOBODY;
	struct power_alloc *alloc = &p->alloc[index];
	own->alloc = alloc->more;
	p->full -= alloc->full;
	alloc_unlink(p, index);
	alloc->more = p->part_free;
	p->part_free = index;
	return alloc->node;
}
