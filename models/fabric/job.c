/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job.c - a job on the fabric: what it says of itself, where it is, and what it is measured by.
 *
 * The traced run time is what the job takes under its reference. placed: the nodes that it has, alone; so on
 * an empty fabric every job takes its traced time, and what is asked is "how much do jobs slow each other
 * down?". packed: as few nodes as hold it, side by side where that is best on this fabric, alone; so a job
 * that is spread over the fabric is slower even alone, and what is asked is "what does placement cost?".
 */
#include <stdlib.h>

#include "models/fabric/model.h"

enum { PACKED_STARTS = 4096, PACKED_KINDS = 1 << 16 };

static double job_share_of(int64_t micro, double otherwise, double most)
{
	if (micro == SL_NONE)
		return otherwise;
	const double value = (double)micro / 1e6;
	return value < 0 ? 0 : value > most ? most : value;
}

bool fabric_says_of(const struct fabric_model *m, sl_job job, struct fabric_says *says)
{
	*says = (struct fabric_says){ .pattern = m->pattern, .dims = 1, .sens = m->sens };
	const uint32_t of = m->jobs->profile_of ? m->jobs->profile_of[job.row] : 0;
	if (!of)
		return says->sens > 0 && says->pattern != SL_PATTERN_NONE;
	const struct sl_profile *profile = &m->jobs->profile[of];
	if (profile->pattern != SL_NONE)
		says->pattern = (enum sl_pattern)profile->pattern;
	if (profile->dims != SL_NONE)
		says->dims = (uint32_t)profile->dims;
	if (says->pattern == SL_PATTERN_NONE)
		return false;
	if (profile->bytes == SL_NONE) {
		says->sens = job_share_of(profile->sens, says->sens, 1);
		return says->sens > 0;
	}
	says->sens = 0;
	says->bytes = (double)profile->bytes;
	says->comp = profile->comp == SL_NONE ? 0 : (double)profile->comp / 1e9;
	says->overlap = job_share_of(profile->overlap, 0, 1);
	says->gamma = job_share_of(profile->gamma, 0, 100);
	if (profile->gamma != SL_NONE && says->gamma < 1)
		says->gamma = 1;
	return says->bytes > 0;
}

/* ---- Where it is --------------------------------------------------------------------------------------- */

/* Ranks of a task: its GPUs, whole ones; a task without is one. */
static uint32_t ranks_of(const struct fabric_model *m, const struct sl_task_resources *task)
{
	const int64_t whole = task->gpus / sl_parts(m->cluster->gpu_parts);
	return whole > 1 ? (uint32_t)whole : 1;
}

static int by_node(const void *a, const void *b)
{
	const uint32_t x = ((const struct fabric_spot *)a)->node, y = ((const struct fabric_spot *)b)->node;
	return (x > y) - (x < y);
}

uint32_t fabric_spots_of(struct fabric_model *m, sl_job job, const struct sl_node_tasks *alloc, size_t count)
{
	bool several = false, sorted = true;
	for (size_t i = 1; i < count; i++) {
		several |= alloc[i].node != alloc[0].node;
		sorted &= alloc[i].node > alloc[i - 1].node;
	}
	if (!several)
		return 0;
	if (SL_GROW(m->spot, m->spots, count, NULL)) {
		m->failed = true;
		return 0;
	}
	const struct sl_group *group = m->jobs->requests[m->jobs->request[job.row]].group;
	for (size_t i = 0; i < count; i++)
		m->spot[i] = (struct fabric_spot){ .node = alloc[i].node,
			.ranks = alloc[i].tasks * ranks_of(m, &group[alloc[i].group].task) };
	if (sorted)
		return (uint32_t)count;
	/* Of several groups: those on one node are one spot; equal nodes become a sum, so their order is
	 * nobody's. */
	qsort(m->spot, count, sizeof(*m->spot), by_node);
	uint32_t spots = 0;
	for (size_t i = 0; i < count; i++) {
		if (spots && m->spot[spots - 1].node == m->spot[i].node)
			m->spot[spots - 1].ranks += m->spot[i].ranks;
		else
			m->spot[spots++] = m->spot[i];
	}
	return spots;
}

/* ---- Packed -------------------------------------------------------------------------------------------- */

/* How many of the job's ranks a node like that of its first task could hold. */
static uint32_t packed_each(const struct fabric_model *m, sl_job job, uint32_t node)
{
	const struct sl_group *group = m->jobs->requests[m->jobs->request[job.row]].group;
	const struct sl_node_type *type = &m->cluster->type[m->cluster->node_type[node]];
	int64_t tasks = group->task.cpus > 0 ? type->amount[SL_KIND_CPUS] / group->task.cpus : INT32_MAX;
	if (group->task.gpus > 0) {
		int64_t gpus = 0;
		for (uint32_t kind = SL_KIND_GPUS; kind < m->cluster->kind_count; kind++)
			gpus += type->amount[kind];
		tasks = gpus / group->task.gpus < tasks ? gpus / group->task.gpus : tasks;
	}
	if (group->tasks_per_node && (int64_t)group->tasks_per_node < tasks)
		tasks = group->tasks_per_node;
	if (group->nodes_min > 1) {
		const int64_t most = (group->tasks + group->nodes_min - 1) / group->nodes_min;
		tasks = most < tasks ? most : tasks;
	}
	return (uint32_t)(tasks > 0 ? tasks : 1) * ranks_of(m, &group->task);
}

/* Seconds for each byte of the profile: what one place is better than another by. */
static double cost_of(const struct fabric_packed *packed)
{
	return packed->volume / packed->rate + packed->inside;
}

/* Tries nodes side by side from each start, keeps the best, the first of equals. */
static bool pack(struct fabric_model *m, struct fabric_packed *packed)
{
	struct fabric_spot *spot = malloc(packed->nodes * sizeof(*spot));
	if (!spot)
		return false;
	const struct fabric_packed shape = *packed;
	bool any = false, ok = true;
	for (uint32_t start = 0; start < PACKED_STARTS && start + shape.nodes <= m->cluster->node_count;
		start++) {
		uint32_t left = shape.ranks;
		for (uint32_t i = 0; i < shape.nodes; i++) {
			spot[i] = (struct fabric_spot){ .node = start + i,
				.ranks = left < shape.each ? left : shape.each };
			left -= spot[i].ranks;
		}
		struct fabric_path path;
		const struct fabric_needs needs = {
			.pattern = shape.pattern, .dims = shape.dims, .spot = spot, .spots = shape.nodes
		};
		ok = fabric_flows(m->net, &needs, &path) == SL_OK;
		if (!ok)
			break;
		struct fabric_packed here = shape;
		here.volume = path.volume;
		here.inside = path.inside;
		here.latency = path.latency;
		here.rate = fabric_share_alone(m->share, &path);
		if (!any || cost_of(&here) < cost_of(packed))
			*packed = here;
		any = true;
	}
	free(spot);
	return ok && any;
}

/* NULL: there is none, or no memory. Few shapes occur, so they are looked for one by one. */
static const struct fabric_packed *packed_of(
	struct fabric_model *m, sl_job job, const struct fabric_says *says, uint32_t spots)
{
	uint32_t ranks = 0;
	for (uint32_t i = 0; i < spots; i++)
		ranks += m->spot[i].ranks;
	const uint32_t each = packed_each(m, job, m->spot[0].node);
	uint32_t nodes = (ranks - 1) / each + 1;
	if (nodes > m->cluster->node_count)
		nodes = m->cluster->node_count;
	for (uint32_t i = 0; i < m->packed_count; i++) {
		const struct fabric_packed *one = &m->packed[i];
		if (one->pattern == says->pattern && one->dims == says->dims && one->nodes == nodes &&
			one->ranks == ranks && one->each == each)
			return one;
	}
	if (m->packed_count == PACKED_KINDS)
		return NULL;
	if (SL_GROW(m->packed, m->packed_max, m->packed_count + 1, NULL)) {
		m->failed = true;
		return NULL;
	}
	struct fabric_packed *packed = &m->packed[m->packed_count];
	*packed = (struct fabric_packed){
		.pattern = says->pattern, .dims = says->dims, .nodes = nodes, .ranks = ranks, .each = each
	};
	if (!pack(m, packed)) {
		m->failed = true;
		return NULL;
	}
	m->packed_count++;
	return packed;
}

/* ---- Its speed ---------------------------------------------------------------------------------- */

static struct fabric_speed speed_of(
	const struct fabric_says *says, double volume, double inside, double latency)
{
	return (struct fabric_speed){ .comp = says->comp,
		.volume = says->bytes * volume,
		.fixed = says->bytes * inside + latency,
		.overlap = says->overlap,
		.gamma = says->gamma };
}

/* sens: an iteration is one second under the reference, of which it communicates that share, all of it over
 * the fabric. Where the reference has no traffic at all, the place that the job has is taken for it. */
static struct fabric_speed speed_of_sens(const struct fabric_says *says, const struct fabric_path *path,
	double alone, const struct fabric_packed *packed)
{
	const bool by_packed = packed && packed->volume > 0;
	const double volume = by_packed ? packed->volume : path->volume;
	const double rate = by_packed ? packed->rate : alone;
	return (struct fabric_speed){ .comp = 1 - says->sens,
		.volume = says->sens * rate * (volume > 0 ? path->volume / volume : 0) };
}

bool fabric_job_on(struct fabric_model *m, sl_job job, const struct fabric_says *says, uint32_t spots,
	struct fabric_there *there)
{
	const struct fabric_packed *packed =
		m->reference == FABRIC_PACKED ? packed_of(m, job, says, spots) : NULL;
	const struct fabric_needs needs = {
		.pattern = says->pattern, .dims = says->dims, .spot = m->spot, .spots = spots
	};
	const struct fabric_path *path = &there->path;
	if (fabric_flows(m->net, &needs, &there->path) != SL_OK) {
		m->failed = true;
		return false;
	}
	const double alone = fabric_share_alone(m->share, path);
	if (says->sens > 0) {
		there->speed = speed_of_sens(says, path, alone, packed);
		const bool by_packed = packed && packed->volume > 0;
		const struct fabric_speed best = { .comp = 1 - says->sens,
			.volume = by_packed ? says->sens * packed->rate : 0 };
		there->reference = by_packed ? fabric_speed_time(&best, packed->rate)
					     : fabric_speed_time(&there->speed, alone);
		return true;
	}
	there->speed = speed_of(says, path->volume, path->inside, path->latency);
	there->reference = fabric_speed_time(&there->speed, alone);
	if (packed) {
		const struct fabric_speed best =
			speed_of(says, packed->volume, packed->inside, packed->latency);
		there->reference = fabric_speed_time(&best, packed->rate);
	}
	return true;
}
