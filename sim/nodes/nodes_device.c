/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_device.c - the store, at the bottom: GPUs that are tracked one by one: how many tasks fit on the free
 * ones, and which of them a task gets.
 *
 * A share of a GPU is of one undivided device: best fit (the device with the least free on which it fits), or
 * by the node scorer. Whole GPUs are wholly free undivided devices of one type: of the NVLink island with the
 * fewest of them on which the task fits, else of one island after another, those with most first. A MIG
 * profile gets a legal run of free slices of a divided device, which serves no other requests (NVIDIA,
 * Multi-Instance GPU User Guide, "Supported MIG Profiles"). Ties go to the lowest device.
 *
 * What one task allocates never costs the others more than one task: as many as were counted can be placed,
 * whichever device each prefers.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICE_NONE = SL_DEVICES_MAX };

static const struct sl_node_type *type_at(const struct nodes *nodes, uint32_t type)
{
	return &nodes->cluster->type[type];
}

static bool is_divided(const struct sl_node_type *type, uint32_t device)
{
	return type->device[device].mig != 0;
}

/* ---- Requests --------------------------------------------------------------------------- */

bool set_lacks(const struct nodes *nodes, uint32_t set, uint32_t type)
{
	return !(nodes->cluster->node_set[set].types[type / 64] >> type % 64 & 1);
}

bool asks_devices(const struct nodes *nodes, const struct sl_task_resources *task)
{
	return task->mig || task->gpu_mem > 0 || (task->gpus > 0 && task->gpus % nodes->parts != 0);
}

/* How much of that device a share is; 0: it cannot lie there. */
static int64_t share_on(
	const struct nodes *nodes, const struct sl_task_resources *task, const struct sl_device *device)
{
	if (device->mig || !kind_will_do(task, device->kind))
		return 0;
	if (task->gpu_mem <= 0)
		return task->gpus < nodes->parts ? task->gpus : 0;
	if (device->mem < task->gpu_mem) /* Nor where it is not known. */
		return 0;
	const unsigned __int128 parts = (unsigned __int128)nodes->parts * (uint64_t)task->gpu_mem;
	return (int64_t)((parts + (uint64_t)device->mem - 1) / (uint64_t)device->mem);
}

/* How a MIG profile fits on that device; NULL: it does not. */
static const struct sl_mig_profile *profile_on(
	const struct nodes *nodes, const struct sl_task_resources *task, const struct sl_device *device)
{
	if (!device->mig || !kind_will_do(task, device->kind))
		return NULL;
	const struct sl_mig_profile *profile =
		&nodes->cluster->mig_fit[(size_t)(task->mig - 1) * nodes->cluster->mig_model_count +
					 device->mig - 1];
	return profile->slices ? profile : NULL;
}

static uint32_t run_at(const struct sl_mig_profile *profile, uint32_t slice)
{
	return ((UINT32_C(1) << profile->slices) - 1) << slice;
}

static bool run_is_free(const struct sl_mig_profile *profile, uint32_t slice, uint32_t free)
{
	return slice + profile->slices <= SL_MIG_SLICES && profile->starts >> slice & 1 &&
	       !(run_at(profile, slice) & ~free);
}

/* How many of the profile fit on the free slices: runs of one length, the first that ends goes first. */
static uint32_t runs_in(const struct sl_mig_profile *profile, uint32_t free)
{
	uint32_t runs = 0;
	for (uint32_t slice = 0; slice < SL_MIG_SLICES; slice++) {
		if (!run_is_free(profile, slice, free))
			continue;
		free &= ~run_at(profile, slice);
		runs++;
	}
	return runs;
}

/* By the GPUs that are free of each kind, on a node that has more than there are columns for. */
static uint32_t kind_tasks(
	const struct nodes *nodes, const struct sl_task_resources *task, uint32_t most, const int64_t *free)
{
	uint32_t fit = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds && fit < most; kind++)
		if (kind_will_do(task, kind))
			fit += share_of(most - fit, free[kind], task->gpus);
	return fit;
}

/* ---- How many tasks -------------------------------------------------------------------------- */

/* Whole devices: all of a task's are of one kind, and those of one kind stand together. */
static uint32_t whole_tasks(
	const struct nodes *nodes, const struct sl_task_resources *task, uint32_t type, const int64_t *left)
{
	const struct sl_node_type *of = type_at(nodes, type);
	const uint32_t each = (uint32_t)(task->gpus / nodes->parts);
	uint32_t fit = 0;
	uint32_t free = 0;
	for (uint32_t i = 0; i < of->device_count; i++) {
		const struct sl_device *device = &of->device[i];
		if (i && device->kind != of->device[i - 1].kind)
			free = 0;
		if (device->mig || left[i] != nodes->parts || !kind_will_do(task, device->kind))
			continue;
		if (++free == each) {
			fit++;
			free = 0;
		}
	}
	return fit;
}

uint32_t device_tasks(const struct nodes *nodes, const struct sl_task_resources *task, uint32_t most,
	uint32_t type, const int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	const int64_t *left = &free[nodes->kinds];
	const bool part = asks_devices(nodes, task);
	if (!of->device)
		return part ? 0 : kind_tasks(nodes, task, most, free);
	if (!part) {
		const uint32_t fit = whole_tasks(nodes, task, type, left);
		return fit < most ? fit : most;
	}
	uint32_t fit = 0;
	for (uint32_t i = 0; i < of->device_count && fit < most; i++) {
		if (task->mig) {
			const struct sl_mig_profile *profile = profile_on(nodes, task, &of->device[i]);
			fit += profile ? runs_in(profile, (uint32_t)left[i] & SLICES) : 0;
			continue;
		}
		const int64_t each = share_on(nodes, task, &of->device[i]);
		fit += each ? share_of(most - fit, left[i], each) : 0;
	}
	return fit < most ? fit : most;
}

/* ---- Which devices --------------------------------------------------------------------------- */

/* What one task is to get: an interval in all but its place. */
struct search {
	const struct nodes *nodes;
	const struct sl_group *group;
	uint32_t type;
	const int64_t *free;
	struct interval *interval;
};

static const int64_t *left_of(const struct search *s) { return &s->free[s->nodes->kinds]; }

/* The least goes first. */
static int64_t device_score(const struct search *s, uint32_t device, uint32_t slice)
{
	const struct scorer *scorer = &s->nodes->scorer;
	const int64_t left = left_of(s)[device];
	if (!scorer->rule->score_device)
		return is_divided(type_at(s->nodes, s->type), device)
			       ? __builtin_popcountll((uint64_t)left & SLICES)
			       : left;
	const struct sl_node_class class = node_class(s->nodes, s->type, s->free);
	const struct sl_device_pick pick = { &class, s->group, device, slice };
	return scorer->rule->score_device(scorer->state, &pick);
}

static void search_share(struct search *s)
{
	const struct sl_node_type *of = type_at(s->nodes, s->type);
	int64_t best = 0;
	for (uint32_t i = 0; i < of->device_count; i++) {
		const int64_t each = share_on(s->nodes, &s->group->task, &of->device[i]);
		if (!each || left_of(s)[i] < each)
			continue;
		const int64_t score = device_score(s, i, 0);
		if (s->interval->devices && score >= best)
			continue;
		best = score;
		s->interval->devices = UINT32_C(1) << i;
		s->interval->gpus = (int32_t)each;
		s->interval->kind = of->device[i].kind;
	}
}

static void search_run(struct search *s, uint32_t device, const struct sl_mig_profile *profile, int64_t *best)
{
	const uint32_t free = (uint32_t)left_of(s)[device] & SLICES;
	const uint32_t runs = runs_in(profile, free);
	for (uint32_t slice = 0; runs && slice < SL_MIG_SLICES; slice++) {
		if (!run_is_free(profile, slice, free) ||
			runs_in(profile, free & ~run_at(profile, slice)) + 1 < runs)
			continue;
		const int64_t score = device_score(s, device, slice);
		if (s->interval->devices && score >= *best)
			continue;
		*best = score;
		s->interval->devices = device | run_at(profile, slice) << 8;
		s->interval->gpus = (int32_t)(s->nodes->parts * profile->slices / SL_MIG_SLICES);
		s->interval->kind = type_at(s->nodes, s->type)->device[device].kind;
		s->interval->flags = INTERVAL_SLICES;
	}
}

static void search_slices(struct search *s)
{
	const struct sl_node_type *of = type_at(s->nodes, s->type);
	int64_t best = 0;
	for (uint32_t i = 0; i < of->device_count; i++) {
		const struct sl_mig_profile *profile = profile_on(s->nodes, &s->group->task, &of->device[i]);
		if (profile)
			search_run(s, i, profile, &best);
	}
}

/* The wholly free devices of one kind, and of each of their islands how many. */
struct isles {
	uint32_t free;
	uint8_t count[UINT8_MAX + 1];
};

static void isles_of(const struct search *s, uint32_t kind, struct isles *isles)
{
	const struct sl_node_type *of = type_at(s->nodes, s->type);
	memset(isles, 0, sizeof(*isles));
	for (uint32_t i = 0; i < of->device_count; i++) {
		if (of->device[i].kind != kind || of->device[i].mig || left_of(s)[i] != s->nodes->parts)
			continue;
		isles->free |= UINT32_C(1) << i;
		isles->count[of->device[i].island]++;
	}
}

/* The first device of the island that is next; DEVICE_NONE: none. */
static uint32_t island_next(
	const struct search *s, const struct isles *isles, uint32_t wanted, bool allocations)
{
	const struct sl_device *device = type_at(s->nodes, s->type)->device;
	uint32_t best = DEVICE_NONE;
	for (uint32_t left = isles->free; left; left &= left - 1) {
		const uint32_t i = (uint32_t)__builtin_ctz(left);
		const uint8_t here = isles->count[device[i].island];
		const uint8_t least = best == DEVICE_NONE ? 0 : isles->count[device[best].island];
		if (allocations ? here >= wanted && (!least || here < least) : here > least)
			best = i;
	}
	return best;
}

/* Of that kind; false: there are too few. */
static bool search_kind(struct search *s, uint32_t kind, uint32_t wanted)
{
	const struct sl_device *device = type_at(s->nodes, s->type)->device;
	struct isles isles;
	isles_of(s, kind, &isles);
	if ((uint32_t)__builtin_popcount(isles.free) < wanted)
		return false;
	uint32_t left = wanted;
	uint32_t first = island_next(s, &isles, wanted, true);
	if (first == DEVICE_NONE)
		first = island_next(s, &isles, wanted, false);
	while (left) {
		SL_CHECK(first != DEVICE_NONE);
		const uint8_t island = device[first].island;
		for (uint32_t rest = isles.free; rest && left; rest &= rest - 1) {
			const uint32_t i = (uint32_t)__builtin_ctz(rest);
			if (device[i].island != island)
				continue;
			s->interval->devices |= UINT32_C(1) << i;
			isles.free &= ~(UINT32_C(1) << i);
			left--;
		}
		isles.count[island] = 0;
		first = island_next(s, &isles, wanted, false);
	}
	s->interval->gpus = (int32_t)(wanted * s->nodes->parts);
	s->interval->kind = (uint8_t)kind;
	return true;
}

/* The lowest type on which the task fits. */
static void search_whole(struct search *s)
{
	const uint32_t wanted = (uint32_t)(s->group->task.gpus / s->nodes->parts);
	for (uint32_t kind = SL_KIND_GPUS; kind < s->nodes->kinds; kind++)
		if (kind_will_do(&s->group->task, kind) && search_kind(s, kind, wanted))
			return;
}

/* On a node whose devices are not tracked one by one: more than there are columns for. */
static void search_count(struct search *s)
{
	for (uint32_t kind = SL_KIND_GPUS; kind < s->nodes->kinds && !s->interval->gpus; kind++) {
		if (!kind_will_do(&s->group->task, kind) || s->free[kind] < s->group->task.gpus)
			continue;
		s->interval->gpus = (int32_t)s->group->task.gpus;
		s->interval->kind = (uint8_t)kind;
	}
}

static struct interval task_interval(
	const struct nodes *nodes, const struct sl_group *group, uint32_t type, const int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	const struct sl_task_resources *task = &group->task;
	struct interval interval = { .next = NONE, .before = NONE, .more = NONE, .tasks = 1 };
	struct search search = { nodes, group, type, free, &interval };
	if (of->amount[SL_KIND_CPUS] < UNBOUNDED && task->cpus > 0)
		interval.cpus = (int32_t)task->cpus;
	if (of->amount[SL_KIND_MEM] < UNBOUNDED && task->mem > 0)
		interval.mem = task->mem;
	if (!of->device)
		search_count(&search);
	else if (task->mig)
		search_slices(&search);
	else if (asks_devices(nodes, task))
		search_share(&search);
	else
		search_whole(&search);
	SL_CHECK(interval.gpus); /* More tasks than fit. */
	return interval;
}

/* ---- Spending -------------------------------------------------------------------------------- */

/* The one task more goes into the interval: the same share again, or whole devices above those that it has,
 * so that the first tasks have the lowest. */
static bool interval_joins(
	const struct nodes *nodes, const struct interval *interval, const struct interval *one)
{
	if ((interval->flags | one->flags) & INTERVAL_SLICES || interval->kind != one->kind ||
		interval->gpus / (int32_t)interval->tasks != one->gpus)
		return false;
	if (one->gpus % nodes->parts || !one->devices)
		return interval->devices == one->devices;
	return interval->devices < (one->devices & -one->devices);
}

void devices_spend(struct nodes *nodes, const struct load *load, int64_t *free, struct chain *chain)
{
	const uint32_t type = type_of(nodes, load->node);
	uint32_t last = NONE;
	for (uint32_t i = 0; i < load->tasks; i++) {
		const struct interval one = task_interval(nodes, load->group, type, free);
		amounts_apply(nodes, &one, -1, free);
		struct interval *interval = last == NONE ? NULL : &nodes->interval[last];
		if (interval && interval_joins(nodes, interval, &one)) {
			interval->tasks++;
			interval->cpus += one.cpus;
			interval->mem += one.mem;
			interval->gpus += one.gpus;
			interval->devices |= one.devices;
			continue;
		}
		last = interval_new(nodes, chain);
		nodes->interval[last] = one;
		nodes->interval[last].node = load->node;
		nodes->interval[last].group = load->index;
	}
}

void devices_spend_one(const struct nodes *nodes, const struct sl_group *group, uint32_t type, int64_t *free)
{
	const struct interval one = task_interval(nodes, group, type, free);
	amounts_apply(nodes, &one, -1, free);
}

bool devices_lowest(const struct nodes *nodes, uint32_t type, const int64_t *free, struct interval *interval)
{
	const struct sl_node_type *of = type_at(nodes, type);
	int64_t wanted = interval->gpus / nodes->parts;
	if (!nodes->devices || !of->device)
		return true;
	if (interval->gpus % nodes->parts)
		return false;
	for (uint32_t i = 0; i < of->device_count && wanted; i++) {
		if (of->device[i].kind != interval->kind || of->device[i].mig ||
			free[nodes->kinds + i] != nodes->parts)
			continue;
		interval->devices |= UINT32_C(1) << i;
		wanted--;
	}
	return !wanted;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Slice by slice, since some may be allocated already: see SLICES. */
static int64_t slices_change(int64_t column, uint32_t slices, int64_t sign)
{
	for (uint32_t left = slices; left; left &= left - 1) {
		const uint32_t slice = (uint32_t)__builtin_ctz(left);
		const int64_t bit = INT64_C(1) << slice;
		const int64_t over = INT64_C(1) << (SL_MIG_SLICES + 6 * slice);
		const bool often = (column / over & 63) != 0;
		if (sign > 0)
			column = often ? column - over : column | bit;
		else
			column = column & bit ? column & ~bit : column + over;
	}
	return column;
}

static enum sl_task_mix task_mix_of(
	const struct nodes *nodes, const struct interval *interval, uint32_t tasks)
{
	const int64_t each = interval->gpus / (int64_t)tasks;
	if (interval->flags & INTERVAL_SLICES || each < nodes->parts)
		return SL_TASK_MIX_SHARE;
	switch (each / nodes->parts) {
	case 1:
		return SL_TASK_MIX_1;
	case 2:
		return SL_TASK_MIX_2;
	case 4:
		return SL_TASK_MIX_4;
	case 8:
		return SL_TASK_MIX_8;
	default:
		return SL_TASK_MIX_OTHER;
	}
}

void device_apply(const struct nodes *nodes, const struct interval *interval, int64_t sign, int64_t *free)
{
	const uint32_t tasks = interval->tasks ? interval->tasks : 1;
	int64_t *left = &free[nodes->kinds];
	left[nodes->devices + task_mix_of(nodes, interval, tasks)] += sign * (int64_t)tasks;
	if (interval->flags & INTERVAL_SLICES) {
		int64_t *column = &left[interval_divided(interval)];
		*column = slices_change(*column, interval_slices(interval), sign);
		return;
	}
	if (!interval->devices)
		return;
	const int64_t each = interval->gpus / __builtin_popcount(interval->devices);
	for (uint32_t rest = interval->devices; rest; rest &= rest - 1)
		left[__builtin_ctz(rest)] += sign * each;
}

void devices_whole(const struct nodes *nodes, uint32_t type, int64_t sign, int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	int64_t *left = &free[nodes->kinds];
	for (uint32_t i = 0; i < of->device_count; i++)
		left[i] = is_divided(of, i) ? slices_change(left[i], SLICES, sign)
					    : left[i] + sign * nodes->parts;
}

bool devices_lack(const struct nodes *nodes, uint32_t type, const int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	const int64_t *left = &free[nodes->kinds];
	for (uint32_t i = 0; i < of->device_count; i++)
		if (left[i] < 0 || (is_divided(of, i) && left[i] > SLICES))
			return true;
	return false;
}

void devices_least(const struct nodes *nodes, uint32_t type, const int64_t *free, int64_t *least)
{
	const struct sl_node_type *of = type_at(nodes, type);
	for (uint32_t i = nodes->kinds; i < nodes->width; i++) {
		const uint32_t device = i - nodes->kinds;
		if (device < of->device_count && is_divided(of, device))
			least[i] &= free[i] & SLICES;
		else
			least[i] = free[i] < least[i] ? free[i] : least[i];
	}
}

/* So much of a GPU, by its column. */
static int64_t left_in(
	const struct nodes *nodes, const struct sl_node_type *of, uint32_t device, int64_t column)
{
	if (!is_divided(of, device))
		return column;
	return nodes->parts * __builtin_popcountll((uint64_t)column & SLICES) / SL_MIG_SLICES;
}

void devices_sum(const struct nodes *nodes, uint32_t type, int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	int64_t *left = &free[nodes->kinds];
	if (!of->device)
		return;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		free[kind] = 0;
	for (uint32_t i = 0; i < of->device_count; i++) {
		left[i] &= is_divided(of, i) ? SLICES : -1;
		free[of->device[i].kind] += left_in(nodes, of, i, left[i]);
	}
}

void devices_check(const struct nodes *nodes, uint32_t type, const int64_t *free)
{
	const struct sl_node_type *of = type_at(nodes, type);
	int64_t sum[SL_KINDS_MAX] = { 0 };
	for (uint32_t i = 0; i < of->device_count; i++) {
		const int64_t column = free[nodes->kinds + i];
		SL_CHECK(column >= 0 && column <= (is_divided(of, i) ? SLICES : nodes->parts));
		sum[of->device[i].kind] += left_in(nodes, of, i, column);
	}
	for (uint32_t kind = SL_KIND_GPUS; of->device && kind < nodes->kinds; kind++)
		SL_CHECK(sum[kind] == free[kind]);
	for (uint32_t i = of->device_count; i < nodes->devices; i++)
		SL_CHECK(free[nodes->kinds + i] == 0);
	for (uint32_t i = nodes->kinds + nodes->devices; i < nodes->width; i++)
		SL_CHECK(free[i] <= 0);
}

/* ---- Intervals ----------------------------------------------------------------------------------- */

int32_t device_gpus(
	const struct nodes *nodes, const struct sl_task_resources *task, const struct interval *interval)
{
	if (interval->flags & INTERVAL_SLICES)
		return (int32_t)(nodes->parts * __builtin_popcount(interval_slices(interval)) /
				 SL_MIG_SLICES);
	if (task->gpu_mem <= 0 || !interval->devices)
		return (int32_t)(interval->tasks * task->gpus);
	const uint32_t device = (uint32_t)__builtin_ctz(interval->devices);
	const struct sl_node_type *of = type_at(nodes, type_of(nodes, interval->node));
	return (int32_t)(interval->tasks * share_on(nodes, task, &of->device[device]));
}

uint32_t devices_of(const struct nodes *nodes, const struct interval *interval)
{
	if (interval->flags & INTERVAL_SUSPENDED)
		return 0;
	if (interval->flags & INTERVAL_SLICES)
		return UINT32_C(1) << interval_divided(interval);
	if (!nodes->devices || !(interval->flags & INTERVAL_WHOLE))
		return interval->devices;
	const uint32_t count = type_at(nodes, type_of(nodes, interval->node))->device_count;
	return count ? UINT32_MAX >> (SL_DEVICES_MAX - count) : 0;
}

/* ---- Begin ----------------------------------------------------------------------------------- */

static bool are_asked_for(const struct nodes *nodes)
{
	const struct scorer *scorer = &nodes->scorer;
	if (scorer->devices || scorer->rule->devices || scorer->rule->by_island)
		return true;
	for (uint32_t i = 0; i < nodes->request_count; i++)
		for (uint32_t k = 0; k < nodes->requests[i].group_count; k++)
			if (asks_devices(nodes, &nodes->requests[i].group[k].task))
				return true;
	return false;
}

/* The most that a node has; 0: there is no need to look at them. */
static uint32_t devices_most(const struct nodes *nodes)
{
	uint32_t most = 0;
	bool divided = false;
	for (uint32_t type = 0; type < nodes->cluster->type_count; type++) {
		const struct sl_node_type *of = type_at(nodes, type);
		SL_CHECK(of->device_count <= (of->device ? SL_DEVICES_MAX : 0));
		most = of->device_count > most ? of->device_count : most;
		for (uint32_t i = 0; i < of->device_count; i++)
			divided |= is_divided(of, i);
	}
	SL_CHECK(!divided || nodes->parts % SL_MIG_SLICES == 0); /* An eighth is a number of parts. */
	return most && !nodes->scorer.amounts && (divided || are_asked_for(nodes)) ? most : 0;
}

static void empty_fill(struct nodes *nodes, uint32_t type)
{
	const struct sl_node_type *of = type_at(nodes, type);
	int64_t *row = &nodes->type_free[(size_t)type * nodes->width];
	memcpy(row, of->amount, nodes->kinds * sizeof(*row));
	for (uint32_t i = 0; i < of->device_count; i++)
		row[nodes->kinds + i] = is_divided(of, i) ? SLICES : nodes->parts;
}

int devices_init(struct nodes *nodes)
{
	const struct sl_cluster *cluster = nodes->cluster;
	for (uint32_t type = 0; type < cluster->type_count; type++)
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (kind != SL_KIND_MEM && cluster->type[type].amount[kind] > INT32_MAX &&
				cluster->type[type].amount[kind] < UNBOUNDED)
				return sl_fail(&nodes->err, SL_INPUT,
					"nodes of type '%s' have more cpus or GPUs than can be counted (%d%s): "
					"list them as more, smaller nodes",
					cluster->type[type].name, INT32_MAX,
					cluster->cpu_parts > 1 ? " thousandths" : "");
	nodes->parts = sl_parts(cluster->gpu_parts);
	nodes->devices = devices_most(nodes);
	nodes->width = nodes->kinds;
	if (!nodes->devices)
		return SL_OK;
	nodes->width += nodes->devices + SL_TASK_MIXES;
	nodes->type_free = calloc((size_t)cluster->type_count * nodes->width, sizeof(*nodes->type_free));
	if (!nodes->type_free)
		return sl_fail_memory(&nodes->err);
	for (uint32_t type = 0; type < cluster->type_count; type++)
		empty_fill(nodes, type);
	return SL_OK;
}

bool nodes_serve(const struct nodes *nodes, const struct scorer *scorer)
{
	if (nodes->devices || !(scorer->devices || scorer->rule->devices || scorer->rule->by_island))
		return true;
	for (uint32_t type = 0; type < nodes->cluster->type_count; type++)
		if (type_at(nodes, type)->device_count)
			return false;
	return true;
}
