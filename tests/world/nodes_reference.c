/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_reference.c - the slow, obvious nodes of nodes_reference.h.
 */
#include "tests/world/nodes_reference.h"

#include <criterion/criterion.h>
#include <string.h>

/* What is free on a node, and how it is allocated. */
struct spot {
	int64_t free[REF_KINDS];
	int64_t left[REF_DEVICES];                /* Of an undivided device. */
	int8_t slice[REF_DEVICES][SL_MIG_SLICES]; /* Of a divided one: 1: free, 0: not, less: worse. */
	int64_t task_mix[SL_TASK_MIXES];
	uint32_t holds, whole;
};

static bool bounded(int64_t amount) { return amount < INT64_MAX / 4; }

static const int64_t *amount_of(const struct ref *r, uint32_t node)
{
	return r->cluster->type[r->cluster->node_type[node]].amount;
}

static const struct sl_node_type *node_type_of(const struct ref *r, uint32_t node)
{
	return &r->cluster->type[r->cluster->node_type[node]];
}

/* The devices of the node that are tracked one by one. */
static uint32_t devices_on(const struct ref *r, uint32_t node)
{
	return r->devices ? node_type_of(r, node)->device_count : 0;
}

static int64_t parts_of(const struct ref *r) { return r->cluster->gpu_parts > 1 ? r->cluster->gpu_parts : 1; }

static struct spot empty_spot(const struct ref *r, uint32_t node)
{
	struct spot spot = { .holds = 0 };
	memcpy(spot.free, amount_of(r, node), r->cluster->kind_count * sizeof(int64_t));
	for (uint32_t d = 0; d < devices_on(r, node); d++) {
		spot.left[d] = parts_of(r);
		for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
			spot.slice[d][i] = 1;
	}
	return spot;
}

static uint32_t slices_free(const struct spot *spot, uint32_t device)
{
	uint32_t bits = 0;
	for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
		bits |= spot->slice[device][i] > 0 ? 1U << i : 0;
	return bits;
}

/* Of a kind, by its devices where they are tracked. */
static int64_t kind_free(const struct ref *r, uint32_t node, const struct spot *spot, uint32_t kind)
{
	int64_t sum = 0;
	if (kind < SL_KIND_GPUS || !devices_on(r, node))
		return spot->free[kind];
	for (uint32_t d = 0; d < devices_on(r, node); d++) {
		const struct sl_device *device = &node_type_of(r, node)->device[d];
		if (device->kind == kind)
			sum += device->mig ? parts_of(r) * __builtin_popcount(slices_free(spot, d)) / 8
					   : spot->left[d];
	}
	return sum;
}

/* Too much was allocated. */
static bool is_over(const struct ref *r, uint32_t node, const struct spot *spot)
{
	bool over = false;
	for (uint32_t kind = 0; kind < r->cluster->kind_count; kind++)
		over |= (kind < SL_KIND_GPUS || !devices_on(r, node)) && spot->free[kind] < 0;
	for (uint32_t d = 0; d < devices_on(r, node); d++) {
		over |= !node_type_of(r, node)->device[d].mig && spot->left[d] < 0;
		for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
			over |= spot->slice[d][i] < 0;
	}
	return over;
}

static const struct sl_group *group_of(const struct ref *r, uint32_t request, uint32_t group)
{
	return &r->requests[request].group[group];
}

/* ---- What tasks use --------------------------------------------------------------------- */

static enum sl_task_mix task_mix_of(const struct ref *r, const struct ref_task *task)
{
	const int count = __builtin_popcount(task->devices);
	if (task->slices || task->each < parts_of(r))
		return SL_TASK_MIX_SHARE;
	return count == 1   ? SL_TASK_MIX_1
	       : count == 2 ? SL_TASK_MIX_2
	       : count == 4 ? SL_TASK_MIX_4
	       : count == 8 ? SL_TASK_MIX_8
			    : SL_TASK_MIX_OTHER;
}

static void take_devices(const struct ref *r, const struct ref_task *task, struct spot *spot)
{
	spot->task_mix[task_mix_of(r, task)]--;
	for (uint32_t d = 0; d < REF_DEVICES; d++) {
		if (!(task->devices >> d & 1))
			continue;
		if (!task->slices)
			spot->left[d] -= task->each;
		for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
			spot->slice[d][i] = (int8_t)(spot->slice[d][i] - (int)(task->slices >> i & 1));
	}
}

static void take_task(const struct ref *r, const struct sl_group *group, const struct ref_task *task,
	bool suspended, struct spot *spot)
{
	const int64_t *amount = amount_of(r, task->node);
	const struct sl_task_resources *asks = &group->task;
	if (bounded(amount[SL_KIND_CPUS]) && !suspended)
		spot->free[SL_KIND_CPUS] -= asks->cpus;
	if (bounded(amount[SL_KIND_MEM]))
		spot->free[SL_KIND_MEM] -= asks->mem;
	if (asks->gpus && !suspended && task->devices)
		take_devices(r, task, spot);
	else if (asks->gpus && !suspended)
		spot->free[task->kind] -= asks->gpus;
	if (r->devices && asks->gpus && !suspended && !task->devices) {
		const int64_t count = asks->gpus / parts_of(r);
		const struct ref_task alike = { .devices = (1U << count) - 1, .each = (int32_t)parts_of(r) };
		spot->task_mix[task_mix_of(r, &alike)]--;
	}
}

static void take_whole(const struct ref *r, uint32_t node, bool suspended, struct spot *spot)
{
	const int64_t *amount = amount_of(r, node);
	for (uint32_t kind = 0; kind < r->cluster->kind_count; kind++)
		if (bounded(amount[kind]) && (!suspended || kind == SL_KIND_MEM))
			spot->free[kind] -= amount[kind];
	for (uint32_t d = 0; d < devices_on(r, node) && !suspended; d++) {
		spot->left[d] -= parts_of(r);
		for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
			spot->slice[d][i]--;
	}
	spot->whole += !suspended;
}

static void take_place(const struct ref *r, uint32_t request, const struct ref_place *place, bool suspended,
	uint32_t node, struct spot *spot)
{
	bool wholly = false;
	for (uint32_t i = 0; i < place->count; i++) {
		const struct sl_group *group = group_of(r, request, place->task[i].group);
		if (place->task[i].node != node)
			continue;
		spot->holds++;
		if (!group->exclusive)
			take_task(r, group, &place->task[i], suspended, spot);
		else if (!wholly) {
			take_whole(r, node, suspended, spot);
			wholly = true;
		}
	}
}

/* At one time. What runs now is there now, whatever its end. */
static struct spot spot_at(const struct ref *r, uint32_t node, sl_time at, bool promises)
{
	struct spot spot = empty_spot(r, node);
	for (uint32_t j = 0; j < REF_JOBS; j++) {
		const struct ref_job *job = &r->job[j];
		if (job->running && (at == r->now || job->suspended || job->end > at))
			take_place(r, job->request, &job->held, job->suspended, node, &spot);
		if (promises && job->promised && job->from <= at && at < job->until)
			take_place(r, job->promised_request, &job->promise, false, node, &spot);
	}
	return spot;
}

/* Except the windows of the request's own reservation. */
static bool in_window(const struct ref *r, uint32_t request, uint32_t node, sl_time from, sl_time until)
{
	const uint32_t own = group_of(r, request, 0)->reservation;
	for (uint32_t i = 0; i < r->windows; i++)
		if ((!own || r->window[i].reservation != own) && r->window[i].node[node] &&
			r->window[i].from < until && from < r->window[i].until)
			return true;
	return false;
}

static void least_of(const struct ref *r, struct spot *least, const struct spot *spot)
{
	for (uint32_t kind = 0; kind < r->cluster->kind_count; kind++)
		if (spot->free[kind] < least->free[kind])
			least->free[kind] = spot->free[kind];
	for (uint32_t d = 0; d < REF_DEVICES; d++) {
		if (spot->left[d] < least->left[d])
			least->left[d] = spot->left[d];
		for (uint32_t i = 0; i < SL_MIG_SLICES; i++)
			if (spot->slice[d][i] < least->slice[d][i])
				least->slice[d][i] = spot->slice[d][i];
	}
	for (uint32_t i = 0; i < SL_TASK_MIXES; i++)
		if (spot->task_mix[i] < least->task_mix[i])
			least->task_mix[i] = spot->task_mix[i];
	least->holds |= spot->holds;
	least->whole |= spot->whole;
}

/* Throughout a time; times are small whole numbers here. */
static struct spot spot_for(
	const struct ref *r, uint32_t request, uint32_t node, sl_time at, sl_time length, bool promises)
{
	struct spot least = spot_at(r, node, at, promises);
	for (uint32_t j = 0; promises && j < REF_JOBS; j++) {
		const struct ref_job *job = &r->job[j];
		if (!job->promised || job->from <= at || job->from >= at + length)
			continue;
		const struct spot spot = spot_at(r, node, job->from, true);
		least_of(r, &least, &spot);
	}
	if (in_window(r, request, node, at, at + length))
		least.whole = 1;
	return least;
}

/* ---- How many go there --------------------------------------------------------------------- */

/* What a node scorer sees of a node. */
struct metric_info {
	int64_t free[REF_KINDS], device[REF_DEVICES];
	struct sl_node_class class;
};

static void show(const struct ref *r, uint32_t node, const struct spot *spot, struct metric_info *metric_info)
{
	for (uint32_t kind = 0; kind < r->cluster->kind_count; kind++)
		metric_info->free[kind] = kind_free(r, node, spot, kind);
	for (uint32_t d = 0; d < REF_DEVICES; d++)
		metric_info->device[d] = d >= devices_on(r, node)               ? 0
					 : node_type_of(r, node)->device[d].mig ? slices_free(spot, d)
										: spot->left[d];
	metric_info->class = (struct sl_node_class){
		.cluster = r->cluster, .type = r->cluster->node_type[node], .free = metric_info->free
	};
	if (r->devices) {
		metric_info->class.device = metric_info->device;
		metric_info->class.task_mix = spot->task_mix;
	}
}

/* Where a task would go, as the node scorer prefers. */
struct search {
	const struct ref *r;
	const struct sl_group *group;
	const struct spot *spot;
	struct ref_task *task;
	int64_t best;
};

static bool kind_will_do(const struct sl_task_resources *asks, uint32_t kind)
{
	return !asks->gpu_types || asks->gpu_types & (1U << (kind - SL_KIND_GPUS));
}

static void meets(
	struct search *s, uint32_t device, uint32_t first, int64_t left, const struct ref_task *task)
{
	int64_t score = left;
	if (s->r->scorer->score_device) {
		struct metric_info metric_info;
		show(s->r, task->node, s->spot, &metric_info);
		const struct sl_device_pick pick = { &metric_info.class, s->group, device, first };
		score = s->r->scorer->score_device(NULL, &pick);
	}
	if (s->task->devices && score >= s->best)
		return;
	s->best = score;
	*s->task = *task;
}

/* The most of the profile that go there from that slice on, whichever way. */
static uint32_t most_runs(const struct sl_mig_profile *profile, uint32_t free, uint32_t from)
{
	uint32_t most = 0;
	for (uint32_t i = from; i + profile->slices <= SL_MIG_SLICES; i++) {
		const uint32_t run = ((1U << profile->slices) - 1) << i;
		if (!(profile->starts >> i & 1) || (free & run) != run)
			continue;
		const uint32_t with = 1 + most_runs(profile, free, i + profile->slices);
		most = with > most ? with : most;
	}
	return most;
}

static void search_slices(struct search *s, uint32_t node, uint32_t d, const struct sl_device *device)
{
	const struct sl_cluster *c = s->r->cluster;
	const struct sl_mig_profile *profile =
		&c->mig_fit[(s->group->task.mig - 1) * c->mig_model_count + device->mig - 1];
	const uint32_t free = slices_free(s->spot, d);
	for (uint32_t i = 0; profile->slices && i + profile->slices <= SL_MIG_SLICES; i++) {
		const uint32_t run = ((1U << profile->slices) - 1) << i;
		if (!(profile->starts >> i & 1) || (free & run) != run)
			continue;
		if (most_runs(profile, free & ~run, 0) + 1 < most_runs(profile, free, 0))
			continue; /* It would waste some. */
		const struct ref_task task = { .node = node,
			.group = s->task->group,
			.kind = device->kind,
			.devices = 1U << d,
			.slices = run };
		meets(s, d, i, __builtin_popcount(free), &task);
	}
}

static void search_share(struct search *s, uint32_t node, uint32_t d, const struct sl_device *device)
{
	const struct sl_task_resources *asks = &s->group->task;
	int64_t each = asks->gpus;
	if (asks->gpu_mem) {
		if (asks->gpu_mem > device->mem)
			return;
		each = (parts_of(s->r) * asks->gpu_mem + device->mem - 1) / device->mem;
	}
	const struct ref_task task = { .node = node,
		.group = s->task->group,
		.kind = device->kind,
		.devices = 1U << d,
		.each = (int32_t)each };
	if (each <= s->spot->left[d])
		meets(s, d, 0, s->spot->left[d], &task);
}

/* The free devices of an island. */
static uint32_t island_free(
	const struct search *s, uint32_t node, uint32_t kind, uint32_t island, uint32_t taken)
{
	uint32_t bits = 0;
	for (uint32_t d = 0; d < devices_on(s->r, node); d++) {
		const struct sl_device *device = &node_type_of(s->r, node)->device[d];
		if (device->kind == kind && !device->mig && device->island == island && !(taken >> d & 1) &&
			s->spot->left[d] == parts_of(s->r))
			bits |= 1U << d;
	}
	return bits;
}

static uint32_t lowest_bits(uint32_t bits, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t d = 0; d < 32 && count; d++)
		if (bits >> d & 1) {
			kept |= 1U << d;
			count--;
		}
	return kept;
}

/* Ties between islands: the one with the lower free device. */
static uint32_t best_island(
	const struct search *s, uint32_t node, uint32_t kind, uint32_t taken, uint32_t holds)
{
	uint32_t best = 0;
	for (uint32_t d = 0; d < devices_on(s->r, node); d++) {
		const uint32_t island = node_type_of(s->r, node)->device[d].island;
		const uint32_t bits = island_free(s, node, kind, island, taken);
		const int here = __builtin_popcount(bits);
		const int there = __builtin_popcount(best);
		if (!bits || (holds && here < (int)holds))
			continue;
		if (!best || (holds ? here < there : here > there) ||
			(here == there && (bits & -bits) < (best & -best)))
			best = bits;
	}
	return best;
}

static void search_whole(struct search *s, uint32_t node, uint32_t kind)
{
	const uint32_t wanted = (uint32_t)(s->group->task.gpus / parts_of(s->r));
	uint32_t taken = lowest_bits(best_island(s, node, kind, 0, wanted), wanted);
	while ((uint32_t)__builtin_popcount(taken) < wanted) {
		const uint32_t more = best_island(s, node, kind, taken, 0);
		if (!more)
			return;
		taken |= lowest_bits(more, wanted - (uint32_t)__builtin_popcount(taken));
	}
	s->task->kind = kind;
	s->task->devices = taken;
	s->task->each = (int32_t)parts_of(s->r);
}

static bool search_devices(
	const struct ref *r, const struct sl_group *group, const struct spot *spot, struct ref_task *task)
{
	struct search s = { r, group, spot, task, 0 };
	const struct sl_task_resources *asks = &group->task;
	const bool part = asks->gpu_mem || asks->gpus % parts_of(r);
	const uint32_t node = task->node;
	for (uint32_t d = 0; d < devices_on(r, node) && (part || asks->mig); d++) {
		const struct sl_device *device = &node_type_of(r, node)->device[d];
		if (!kind_will_do(asks, device->kind) || (device->mig != 0) != (asks->mig != 0))
			continue;
		if (asks->mig)
			search_slices(&s, node, d, device);
		else
			search_share(&s, node, d, device);
	}
	for (uint32_t kind = SL_KIND_GPUS; kind < r->cluster->kind_count && !part && !asks->mig; kind++)
		if (!task->devices && kind_will_do(asks, kind))
			search_whole(&s, node, kind);
	return task->devices != 0;
}

static bool task_fits(
	const struct ref *r, const struct sl_group *group, const struct spot *spot, struct ref_task *task)
{
	const struct sl_task_resources *asks = &group->task;
	task->kind = 0;
	task->devices = task->slices = 0;
	task->each = 0;
	/* A request for none ignores that too much was allocated, which happens where reservations are
	 * broken. */
	if ((asks->cpus && spot->free[SL_KIND_CPUS] < asks->cpus) ||
		(asks->mem && spot->free[SL_KIND_MEM] < asks->mem))
		return false;
	if (!asks->gpus)
		return true;
	if (devices_on(r, task->node))
		return search_devices(r, group, spot, task);
	if (asks->mig || asks->gpu_mem || asks->gpus % parts_of(r))
		return false;
	for (uint32_t k = SL_KIND_GPUS; k < r->cluster->kind_count; k++) {
		if (kind_will_do(asks, k) && spot->free[k] >= asks->gpus) {
			task->kind = k;
			return true;
		}
	}
	return false;
}

/* Is the node in the group's set? */
static bool may_go(const struct ref *r, const struct sl_group *group, uint32_t node)
{
	const uint32_t type = r->cluster->node_type[node];
	return r->cluster->node_set == NULL ||
	       (r->cluster->node_set[group->node_set].types[type / 64] & UINT64_C(1) << type % 64) != 0;
}

static uint32_t cap_of(const struct ref *r, const struct sl_group *group, uint32_t node, struct spot spot)
{
	const uint32_t bound = group->tasks_per_node && group->tasks_per_node < group->tasks
				       ? group->tasks_per_node
				       : group->tasks;
	if (spot.whole || (group->exclusive && spot.holds) || !may_go(r, group, node))
		return 0;
	uint32_t cap = 0;
	struct ref_task task = { .node = node };
	while (cap < bound && task_fits(r, group, &spot, &task)) {
		take_task(r, group, &task, false, &spot);
		cap++;
	}
	return cap;
}

static int64_t score_of(const struct ref *r, const struct sl_group *group, uint32_t node,
	const struct spot *spot, uint32_t tasks)
{
	struct metric_info metric_info;
	show(r, node, spot, &metric_info);
	return r->scorer->score(NULL, &metric_info.class, group, tasks);
}

/* ---- Ties ------------------------------------------------------------------------------------ */

/* SplitMix64's finalizer. */
static uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

static uint64_t lot_of(const struct ref *r, uint32_t node)
{
	const uint64_t beneficiary = mixed(mixed(r->seed) + r->asker + 1);
	return mixed(beneficiary + (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15));
}

/* Of two nodes of the same score. */
static bool tie_before(const struct ref *r, uint32_t a, uint32_t b)
{
	const int names =
		r->ties == SL_TIES_NAME ? strcmp(r->cluster->node_name[a], r->cluster->node_name[b]) : 0;
	if (names)
		return names < 0;
	if (r->ties == SL_TIES_RANDOM && lot_of(r, a) != lot_of(r, b))
		return lot_of(r, a) < lot_of(r, b);
	return a < b;
}

/* ---- Allocating one group ------------------------------------------------------------------------ */

struct scorer {
	const struct ref *r;
	const struct sl_group *group;
	uint32_t index;
	struct spot *spot; /* By node. */
	bool hidden[REF_NODES];
	uint32_t tasks[REF_NODES]; /* Of this group. */
	uint32_t used, used_before, left;
	struct ref_place *place;
	/* By island: in which order each node's comes. */
	uint32_t order[REF_NODES];
};

static void put_task(struct scorer *p, uint32_t node)
{
	struct ref_task task = { .node = node, .group = p->index };
	cr_assert(task_fits(p->r, p->group, &p->spot[node], &task));
	take_task(p->r, p->group, &task, false, &p->spot[node]);
	cr_assert_lt(p->place->count, REF_TASKS);
	p->place->task[p->place->count++] = task;
	p->used += !p->tasks[node];
	p->tasks[node]++;
	p->left--;
}

/* An island, or a node that is of none. */
struct isle {
	uint64_t holds, ready;
	uint32_t nodes, first;
	bool all;
};

static uint32_t island_of(const struct ref *r, uint32_t node)
{
	return r->cluster->type[r->cluster->node_type[node]].island;
}

static bool same_isle(const struct ref *r, uint32_t a, uint32_t b)
{
	return a == b || (island_of(r, a) && island_of(r, a) == island_of(r, b));
}

/* How many tasks of the group would fit, had the group enough. */
static uint64_t holds_of(const struct scorer *p, uint32_t node)
{
	struct sl_group group = *p->group;
	group.tasks = 1000;
	return p->hidden[node] ? 0 : cap_of(p->r, &group, node, p->spot[node]);
}

static struct isle isle_of(const struct scorer *p, uint32_t node)
{
	struct isle isle = { .holds = 0 };
	bool seen[REF_NODES] = { false };
	for (uint32_t i = p->r->cluster->node_count; i-- > 0;)
		isle.first = same_isle(p->r, node, i) ? i : isle.first;
	for (;;) { /* Repeatedly the node that fits most. */
		uint32_t best = UINT32_MAX;
		for (uint32_t i = 0; i < p->r->cluster->node_count; i++)
			if (!seen[i] && same_isle(p->r, node, i) && holds_of(p, i) &&
				(best == UINT32_MAX || holds_of(p, i) > holds_of(p, best)))
				best = i;
		if (best == UINT32_MAX ||
			(p->group->nodes_max && p->used_before + isle.nodes >= p->group->nodes_max))
			break;
		seen[best] = true;
		isle.holds += holds_of(p, best);
		isle.ready += p->r->late[best] ? 0 : holds_of(p, best);
		isle.nodes++;
	}
	isle.all = isle.holds >= p->group->tasks && p->used_before + isle.nodes >= p->group->nodes_min;
	return isle;
}

static bool isle_before(const struct scorer *p, const struct isle *a, const struct isle *b)
{
	const bool ready = a->ready >= p->group->tasks;
	if (a->all != b->all)
		return a->all;
	if (a->all && ready != (b->ready >= p->group->tasks))
		return ready;
	if (a->holds != b->holds)
		return a->all ? a->holds < b->holds : a->holds > b->holds;
	return a->first != b->first && tie_before(p->r, a->first, b->first);
}

static void order_islands(struct scorer *p)
{
	struct isle isle[REF_NODES];
	for (uint32_t node = 0; node < p->r->cluster->node_count; node++) {
		isle[node] = isle_of(p, node);
		p->order[node] = 0;
	}
	for (uint32_t node = 0; node < p->r->cluster->node_count; node++)
		for (uint32_t other = 0; other < p->r->cluster->node_count; other++)
			p->order[node] += isle_before(p, &isle[other], &isle[node]);
}

/* Before all scores the one that is less late, for which a node counts no more that the group has already. */
static bool goes_first(const struct scorer *p, uint32_t a, int64_t score, uint32_t b, int64_t than)
{
	const uint8_t late = p->tasks[a] ? 0 : p->r->late[a];
	const uint8_t other = p->tasks[b] ? 0 : p->r->late[b];
	if (late != other)
		return late < other;
	return score != than ? score < than : tie_before(p->r, a, b);
}

static bool next_node(const struct scorer *p, bool most_first, uint32_t *best, uint32_t *best_tasks)
{
	const uint32_t others = p->group->nodes_min > p->used + 1 ? p->group->nodes_min - p->used - 1 : 0;
	int64_t least = 0;
	*best = UINT32_MAX;
	if (p->left <= others || (p->group->nodes_max && p->used >= p->group->nodes_max))
		return false;
	for (uint32_t node = 0; node < p->r->cluster->node_count; node++) {
		if (p->tasks[node] || p->hidden[node])
			continue;
		uint32_t tasks = cap_of(p->r, p->group, node, p->spot[node]);
		tasks = tasks < p->left - others ? tasks : p->left - others;
		if (!tasks)
			continue;
		const int64_t score = score_of(p->r, p->group, node, &p->spot[node], tasks);
		const uint32_t isle = p->order[node];
		const bool similar = *best == UINT32_MAX || isle < p->order[*best];
		const bool as_similar = *best != UINT32_MAX && isle == p->order[*best];
		const bool better = similar || (as_similar && most_first && tasks > *best_tasks) ||
				    (as_similar && (!most_first || tasks == *best_tasks) &&
					    goes_first(p, node, score, *best, least));
		if (!better)
			continue;
		*best = node;
		*best_tasks = tasks;
		least = score;
	}
	return *best != UINT32_MAX;
}

static bool by_nodes(struct scorer *p, bool most_first)
{
	while (p->left) {
		uint32_t node;
		uint32_t tasks = 0;
		if (!next_node(p, most_first, &node, &tasks))
			return false;
		while (tasks--)
			put_task(p, node);
	}
	return true;
}

/* In pick order of the nodes: tasks of one node stand together. */
static void by_first_task(struct ref_place *place, uint32_t from)
{
	for (uint32_t i = from; i < place->count; i++) {
		uint32_t to = i;
		while (to > from && place->task[to - 1].node != place->task[i].node)
			to--;
		if (to == from)
			continue; /* The first of its node. */
		const struct ref_task task = place->task[i];
		memmove(&place->task[to + 1], &place->task[to], (i - to) * sizeof(task));
		place->task[to] = task;
	}
}

static bool one_by_one(struct scorer *p)
{
	const struct ref *r = p->r;
	const uint32_t from = p->place->count;
	const uint32_t bound = p->group->tasks_per_node ? p->group->tasks_per_node : UINT32_MAX;
	while (p->left) {
		const uint32_t wanting = p->group->nodes_min > p->used ? p->group->nodes_min - p->used : 0;
		uint32_t best = UINT32_MAX;
		int64_t least = 0;
		if (p->left < wanting)
			return false;
		for (uint32_t node = 0; node < r->cluster->node_count; node++) {
			struct ref_task task = { .node = node };
			const struct spot *spot = &p->spot[node];
			if (p->hidden[node] || spot->whole || !may_go(r, p->group, node) ||
				!task_fits(r, p->group, spot, &task))
				continue;
			if (p->tasks[node] ? p->left == wanting || p->tasks[node] >= bound
					   : (p->group->nodes_max && p->used >= p->group->nodes_max) ||
						     (p->group->exclusive && spot->holds))
				continue;
			const int64_t score = score_of(r, p->group, node, spot, 1);
			if (best != UINT32_MAX && p->order[node] != p->order[best]) {
				if (p->order[node] > p->order[best])
					continue;
			} else if (best != UINT32_MAX && !goes_first(p, node, score, best, least)) {
				continue;
			}
			best = node;
			least = score;
		}
		if (best == UINT32_MAX)
			return false;
		put_task(p, best);
	}
	by_first_task(p->place, from);
	return true;
}

/* Is there any placement? The most that fit on so many nodes, by sorting what fits on each. */
static bool any_placement(const struct scorer *p)
{
	uint32_t cap[REF_NODES];
	uint32_t count = 0;
	const struct sl_group *group = p->group;
	for (uint32_t node = 0; node < p->r->cluster->node_count; node++) {
		const uint32_t here = cap_of(p->r, group, node, p->spot[node]);
		uint32_t place = count;
		if (!here || p->hidden[node])
			continue;
		for (; place && cap[place - 1] < here; place--)
			cap[place] = cap[place - 1];
		cap[place] = here;
		count++;
	}
	uint32_t sum = 0;
	uint32_t nodes = count < group->tasks ? count : group->tasks;
	if (group->nodes_max && group->nodes_max < nodes)
		nodes = group->nodes_max;
	for (uint32_t i = 0; i < nodes; i++)
		sum += cap[i];
	return sum >= group->tasks && nodes >= group->nodes_min;
}

static bool place_group(struct scorer *p)
{
	const struct scorer before = *p;
	const struct ref_place place_before = *p->place;
	struct spot spot[REF_NODES];
	memcpy(spot, p->spot, sizeof(spot));
	const bool any = any_placement(p);
	const bool islands = p->r->scorer->by_island;
	if (islands)
		order_islands(p);
	bool placed = p->r->scorer->one_at_a_time ? one_by_one(p) : by_nodes(p, false);
	for (unsigned retry = islands ? 0 : 1; retry < 2 && !placed; retry++) {
		memcpy(before.spot, spot, sizeof(spot));
		*p->place = place_before;
		*p = before;
		if (!retry)
			order_islands(p);
		placed = by_nodes(p, true);
	}
	if (!before.used) /* Else the bounds are counted from another beginning. */
		cr_assert_eq(placed, any, "a placement is found wherever there is one");
	return placed;
}

static bool place_on(const struct ref *r, uint32_t request, struct spot *spot, struct ref_place *place)
{
	place->count = 0;
	for (uint32_t i = 0; i < r->requests[request].group_count; i++) {
		const struct sl_group *group = group_of(r, request, i);
		struct scorer p = { .r = r, .group = group, .index = i, .spot = spot, .left = group->tasks };
		p.place = place;
		const uint32_t from = place->count;
		if (!place_group(&p))
			return false;
		for (uint32_t k = from; k < place->count; k++) {
			struct spot *here = &spot[place->task[k].node];
			here->holds++;
			here->whole |= group->exclusive;
		}
	}
	return true;
}

bool ref_fits(const struct ref *r, uint32_t request, sl_time at, sl_time length, bool promises,
	struct ref_place *place)
{
	struct spot spot[REF_NODES] = { 0 };
	for (uint32_t node = 0; node < r->cluster->node_count; node++)
		spot[node] = spot_for(r, request, node, at, length, promises);
	return place_on(r, request, spot, place);
}

bool ref_fits_for(const struct ref *r, uint32_t job, uint32_t request, sl_time at, sl_time length,
	bool promises, struct ref_place *place)
{
	struct ref own = *r;
	own.asker = job;
	if (ref_fits(&own, request, at, length, promises, place))
		return true;
	own.asker = UINT32_MAX;
	return r->requests[request].group_count > 1 && ref_fits(&own, request, at, length, promises, place);
}

bool ref_could_keep(const struct ref *r, uint32_t request)
{
	struct ref empty = {
		.cluster = r->cluster, .requests = r->requests, .scorer = r->scorer, .devices = r->devices
	};
	empty.ties = r->ties;
	empty.seed = r->seed;
	empty.asker = UINT32_MAX;
	struct ref_place place;
	return ref_fits(&empty, request, 0, 1, false, &place);
}

/* ---- Commands ----------------------------------------------------------------------------------------- */

void ref_start(struct ref *r, uint32_t job, uint32_t request, sl_time end, const struct ref_place *place)
{
	r->job[job].running = true;
	r->job[job].suspended = false;
	r->job[job].request = request;
	r->job[job].end = end;
	r->job[job].held = *place;
}

bool ref_start_on(struct ref *r, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_tasks *alloc, size_t count)
{
	struct ref_place place = { .count = 0 };
	struct spot spot[REF_NODES];
	for (uint32_t node = 0; node < r->cluster->node_count; node++)
		spot[node] = spot_for(r, request, node, r->now, end - r->now, false);
	for (size_t i = 0; i < count; i++) {
		if (alloc[i].node >= r->cluster->node_count ||
			alloc[i].group >= r->requests[request].group_count || !alloc[i].tasks)
			return false;
		struct scorer p = { .r = r, .group = group_of(r, request, alloc[i].group) };
		p.index = alloc[i].group;
		p.spot = spot;
		p.left = alloc[i].tasks;
		p.place = &place;
		if (alloc[i].tasks > cap_of(r, p.group, alloc[i].node, spot[alloc[i].node]))
			return false;
		while (p.left)
			put_task(&p, alloc[i].node);
		spot[alloc[i].node].holds++;
		spot[alloc[i].node].whole |= p.group->exclusive;
	}
	for (uint32_t g = 0; g < r->requests[request].group_count; g++) {
		const struct sl_group *group = group_of(r, request, g);
		uint32_t tasks[REF_NODES] = { 0 };
		uint32_t all = 0;
		uint32_t used = 0;
		for (uint32_t i = 0; i < place.count; i++)
			if (place.task[i].group == g) {
				used += !tasks[place.task[i].node]++;
				all++;
			}
		for (uint32_t node = 0; node < REF_NODES; node++)
			if (group->tasks_per_node && tasks[node] > group->tasks_per_node)
				return false;
		if (all != group->tasks || used < group->nodes_min ||
			(group->nodes_max && used > group->nodes_max))
			return false;
	}
	ref_start(r, job, request, end, &place);
	return true;
}

/* Others that run there. */
static bool is_alone(const struct ref *r, uint32_t job, uint32_t node)
{
	for (uint32_t j = 0; j < REF_JOBS; j++)
		for (uint32_t i = 0; i < r->job[j].held.count; i++)
			if (j != job && r->job[j].running && !r->job[j].suspended &&
				r->job[j].held.task[i].node == node)
				return false;
	return true;
}

bool ref_resume(struct ref *r, uint32_t job, sl_time end)
{
	const struct ref before = *r;
	struct ref_job *j = &r->job[job];
	for (uint32_t i = 0; i < j->held.count; i++)
		if (in_window(r, j->request, j->held.task[i].node, r->now, end))
			return false;
	j->running = false;
	for (uint32_t node = 0; node < r->cluster->node_count; node++) {
		struct spot spot = spot_at(r, node, r->now, false);
		const uint32_t holds = spot.holds;
		const uint32_t whole = spot.whole;
		take_place(r, j->request, &j->held, false, node, &spot);
		bool good =
			spot.holds == holds || (!whole && (spot.whole == whole || is_alone(r, job, node)));
		good &= !is_over(r, node, &spot);
		if (!good) {
			*r = before;
			return false;
		}
	}
	j->running = true;
	j->suspended = false;
	j->end = end;
	return true;
}

/* The last task of the first group goes, of the last node; or one more comes to one of its own nodes. */
static void grow_own(struct scorer *p, const struct ref_place *old)
{
	for (uint32_t i = 0; i < old->count && p->left; i++) {
		const uint32_t node = old->task[i].node;
		if (old->task[i].group != 0 ||
			(i + 1 < old->count && old->task[i + 1].group == 0 && old->task[i + 1].node == node))
			continue;
		const uint32_t bound = p->group->tasks_per_node ? p->group->tasks_per_node : UINT32_MAX;
		struct ref_task more = { .node = node };
		while (p->left && p->tasks[node] < bound &&
			task_fits(p->r, p->group, &p->spot[node], &more)) {
			/* Behind the node's others. */
			uint32_t to = p->place->count;
			while (p->place->task[to - 1].node != node || p->place->task[to - 1].group != 0)
				to--;
			put_task(p, node);
			const struct ref_task task = p->place->task[p->place->count - 1];
			memmove(&p->place->task[to + 1], &p->place->task[to],
				(p->place->count - 1 - to) * sizeof(task));
			p->place->task[to] = task;
		}
	}
}

static bool nodes_enough(const struct scorer *p, uint32_t tasks)
{
	const uint32_t least = p->group->nodes_min < tasks ? p->group->nodes_min : tasks;
	return p->used >= least;
}

bool ref_resize(struct ref *r, uint32_t job, uint32_t tasks)
{
	struct ref_job *j = &r->job[job];
	if (!j->running || j->suspended || !tasks)
		return false;
	const struct ref_place old = j->held;
	struct ref_place place = { .count = 0 };
	struct spot spot[REF_NODES] = { 0 };
	uint32_t was = 0;
	struct sl_group group = *group_of(r, j->request, 0);
	struct scorer p = { .r = r, .group = &group, .spot = spot, .place = &place };
	for (uint32_t i = 0; i < old.count; i++) {
		was += old.task[i].group == 0;
		if (old.task[i].group == 0 && was > tasks)
			continue;
		place.task[place.count++] = old.task[i];
		if (old.task[i].group == 0)
			p.used += !p.tasks[old.task[i].node]++;
	}
	p.used_before = p.used;
	for (uint32_t node = 0; node < r->cluster->node_count; node++) {
		spot[node] = spot_for(r, j->request, node, r->now, j->end - r->now, false);
		/* Its own nodes are open to it as long as nothing else is allocated them whole. */
		const struct spot own = spot_at(r, node, r->now, false);
		if (p.tasks[node])
			spot[node].whole = own.whole;
		if (!group.exclusive || !p.tasks[node])
			continue;
		const struct spot empty = empty_spot(r, node);
		memcpy(spot[node].free, empty.free, sizeof(empty.free));
		memcpy(spot[node].left, empty.left, sizeof(empty.left));
		memcpy(spot[node].slice, empty.slice, sizeof(empty.slice));
		for (uint32_t i = 0; i < place.count; i++)
			if (place.task[i].node == node)
				take_task(r, &group, &place.task[i], false, &spot[node]);
	}
	p.left = tasks > was ? tasks - was : 0;
	grow_own(&p, &old);
	if (p.left) {
		group.tasks = p.left;
		for (uint32_t node = 0; node < REF_NODES; node++)
			p.hidden[node] = p.tasks[node] != 0;
		if (!place_group(&p))
			return false;
	} else if (!nodes_enough(&p, tasks)) {
		return false;
	}
	j->held = place;
	return true;
}

bool ref_window(struct ref *r, const bool *node, sl_time from, sl_time until)
{
	if (until <= r->now || until <= from)
		return false;
	for (uint32_t j = 0; j < REF_JOBS; j++)
		for (uint32_t i = 0; r->job[j].running && i < r->job[j].held.count; i++)
			if (node[r->job[j].held.task[i].node] &&
				(r->job[j].suspended || r->job[j].end > from))
				return false;
	struct ref_window *window = &r->window[r->windows++];
	window->from = from;
	window->until = until;
	memcpy(window->node, node, sizeof(window->node));
	return true;
}

/* ---- Later ------------------------------------------------------------------------------------------------
 */

sl_time ref_soonest(const struct ref *r, uint32_t request, sl_time length, bool promises)
{
	struct ref_place place;
	if (!ref_could_keep(r, request))
		return SL_NEVER;
	for (sl_time at = r->now; at != SL_NEVER;) {
		if (ref_fits(r, request, at, length, promises, &place))
			return at;
		sl_time next = SL_NEVER;
		for (uint32_t j = 0; j < REF_JOBS; j++) {
			const struct ref_job *job = &r->job[j];
			if (job->running && !job->suspended && job->end > at && job->end < next)
				next = job->end;
			if (promises && job->promised && job->until > at && job->until < next)
				next = job->until;
		}
		for (uint32_t i = 0; i < r->windows; i++)
			if (r->window[i].until > at && r->window[i].until < next)
				next = r->window[i].until;
		at = next;
	}
	return SL_NEVER;
}

void ref_guard(struct ref *r, uint32_t request, sl_time at, sl_time length, bool named)
{
	r->guarded = at != SL_NEVER && at >= r->now;
	r->named = named;
	r->guard_request = request;
	r->guard_at = at;
	r->guard_length = length;
	r->chosen.count = 0;
	if (r->guarded && named && !ref_fits_for(r, r->asker, request, at, length, false, &r->chosen))
		r->chosen.count = 0;
}

static bool chosen_left(const struct ref *with, const struct ref_place *candidate)
{
	for (uint32_t i = 0; i < candidate->count; i++) {
		const uint32_t node = candidate->task[i].node;
		struct spot spot = spot_at(with, node, with->guard_at, false);
		const uint32_t holds = spot.holds;
		const uint32_t whole = spot.whole;
		take_place(with, with->guard_request, &with->chosen, false, node, &spot);
		if (spot.holds == holds)
			continue; /* Not one of them. */
		if (whole || (spot.whole && holds))
			return false;
		if (is_over(with, node, &spot))
			return false;
	}
	return true;
}

bool ref_allows(const struct ref *r, uint32_t request, sl_time length)
{
	if (!r->guarded)
		return true;
	struct ref with = *r;
	struct ref_place place;
	if (!ref_fits_for(r, r->asker, request, r->now, length, false, &place))
		return false;
	uint32_t job = 0;
	while (with.job[job].running)
		job++;
	cr_assert_lt(job, REF_JOBS);
	with.asker = UINT32_MAX;
	ref_start(&with, job, request, SL_NEVER, &place);
	if (r->named)
		return chosen_left(&with, &place);
	struct ref_place head;
	return ref_fits(&with, r->guard_request, r->guard_at, r->guard_length, false, &head);
}

bool ref_start_promised(struct ref *r, uint32_t job, sl_time end)
{
	const struct ref_job *j = &r->job[job];
	for (uint32_t node = 0; node < r->cluster->node_count; node++) {
		struct spot spot = spot_at(r, node, r->now, false);
		const struct spot before = spot;
		take_place(r, j->promised_request, &j->promise, false, node, &spot);
		if (spot.holds == before.holds)
			continue;
		bool good = !before.whole && !(spot.whole && before.holds) &&
			    !in_window(r, j->promised_request, node, r->now, end);
		good &= !is_over(r, node, &spot);
		if (!good)
			return false;
	}
	ref_start(r, job, j->promised_request, end, &j->promise);
	r->job[job].promised = false;
	return true;
}

/* ---- What there is
 * ------------------------------------------------------------------------------------------ */

size_t ref_parts(
	const struct ref *r, uint32_t request, const struct ref_place *place, struct sl_node_tasks *alloc)
{
	size_t count = 0;
	for (uint32_t node = 0; node < REF_NODES; node++)
		for (uint32_t group = 0; group < 4; group++) {
			uint32_t tasks = 0;
			uint32_t devices = 0;
			for (uint32_t i = 0; i < place->count; i++) {
				if (place->task[i].node != node || place->task[i].group != group)
					continue;
				tasks++;
				devices |= place->task[i].devices;
				if (group_of(r, request, group)->exclusive)
					devices = (1U << devices_on(r, node)) - 1;
			}
			if (tasks)
				alloc[count++] =
					(struct sl_node_tasks){ node, (uint16_t)group, tasks, devices };
		}
	return count;
}

static int64_t idle_on(const struct ref *r, uint32_t node, uint32_t kind)
{
	const struct spot spot = spot_at(r, node, r->now, false);
	return kind_free(r, node, &spot, kind);
}

int64_t ref_idle(const struct ref *r, uint32_t kind)
{
	int64_t idle = 0;
	for (uint32_t node = 0; node < r->cluster->node_count; node++)
		if (bounded(amount_of(r, node)[kind]))
			idle += idle_on(r, node, kind);
	return idle;
}

uint32_t ref_busy(const struct ref *r)
{
	uint32_t busy = 0;
	for (uint32_t node = 0; node < r->cluster->node_count; node++)
		busy += spot_at(r, node, r->now, false).holds != 0;
	return busy;
}
