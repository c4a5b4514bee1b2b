/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_allocator.c - Slurm's node selection (select.h) as the placement of any policy: place=slurm.
 *
 * The policy decides who starts when; nodes, cores, memory and devices are those that slurmctld would
 * allocate. Requests that were not written for Slurm are put into its terms: a group's tasks, with their
 * cpus, memory and GPUs.
 */
#include "policies/slurm/select/asks.h"
#include "policies/slurm/select/node_alloc.h"
#include "policies/slurm/select/select.h"

#include <string.h>

enum { COMPONENTS_MAX = 64 };

/* An allocation for each component of a job; below it, what it had before and may get back. */
struct held {
	struct select_alloc **alloc; /* By component. */
	struct held *below;
};

struct allocator {
	const struct sl_cluster *cluster;
	const struct sl_jobs *jobs;
	struct sl_arena *arena;
	struct select *select;
	const struct sl_job_desc *const *desc; /* By request: an array by component. */
	struct held **now, **given;            /* By job. */
	struct held *spare;                    /* Of one component; linked by below. */
	uint32_t *gave;                        /* Jobs with an entry in `given`. */
	size_t gave_count;
	bool by_user; /* Some nodes may be one user's. */
	bool marked;  /* What was released may come back: */
	uint32_t mark;
	const struct select_alloc *chosen; /* Of a job of one component. */
	struct sl_node_alloc *node_alloc;
	uint32_t *gpus; /* By node allocation and type. */
	size_t capacity;
	uint64_t *available;
	const uint64_t *closed; /* When last chosen; NULL: none. */
	const uint64_t **set;   /* By node set: its nodes, once they were asked for. */
	struct node_alloc_gpus kinds;
};

/* ---- What is asked -------------------------------------------------------------------------------- */

static bool slurm_allocator_is_named(const char *list, size_t len, const char *name)
{
	return strlen(name) == len && strncmp(list, name, len) == 0;
}

/* The first of "a,b" that there is, else the default one. */
static uint32_t partition_of(const struct allocator *p, const char *list)
{
	const struct sl_cluster *cluster = p->cluster;
	for (const char *at = list; at && *at;) {
		const size_t len = strcspn(at, ",");
		for (uint32_t i = 0; i < cluster->partition_count; i++)
			if (slurm_allocator_is_named(at, len, cluster->partition[i].name))
				return i;
		at += len + (at[len] == ',');
	}
	uint32_t found = 0;
	for (uint32_t i = cluster->partition_count; i-- > 0;)
		found = cluster->partition[i].is_default ? i : found;
	return found;
}

/* What was asked in groups names its partition in the trace, if at all. */
static struct select_job slurm_allocator_job_of(const struct allocator *p, sl_job job, uint32_t component)
{
	const struct sl_jobs *jobs = p->jobs;
	const struct sl_job_desc *desc = &p->desc[jobs->request[job.row]][component];
	const int32_t named = jobs->partition_name ? jobs->partition[job.row] : -1;
	const char *partition = desc->partition || named < 0 ? desc->partition : jobs->partition_name[named];
	return (struct select_job){
		.desc = desc, .partition = partition_of(p, partition), .user = jobs->user[job.row]
	};
}

static uint32_t components_of(const struct allocator *p, sl_job job)
{
	return p->jobs->requests[p->jobs->request[job.row]].group_count;
}

/* ---- What is chosen ---------------------------------------------------------------------------------- */

static bool slurm_allocator_make_room(struct allocator *p, size_t count)
{
	const uint32_t types = p->cluster->kind_count - SL_KIND_GPUS;
	if (count <= p->capacity)
		return true;
	const size_t capacity = 2 * count + 16;
	struct sl_node_alloc *node_alloc = sl_alloc(p->arena, capacity, sizeof(*node_alloc));
	uint32_t *gpus = sl_alloc(p->arena, capacity * types + 1, sizeof(*gpus));
	if (!node_alloc || !gpus)
		return false;
	if (p->capacity) {
		memcpy(node_alloc, p->node_alloc, p->capacity * sizeof(*node_alloc));
		memcpy(gpus, p->gpus, p->capacity * types * sizeof(*gpus));
	}
	p->node_alloc = node_alloc;
	p->gpus = gpus;
	p->capacity = capacity;
	for (size_t i = 0; i < capacity; i++)
		node_alloc[i].gpus = &gpus[i * types];
	return true;
}

/* Behind the first `count`; returns how many there are then, 0: no memory. */
static size_t add_node_allocs(struct allocator *p, const struct select_alloc *alloc, size_t count)
{
	const uint32_t types = p->cluster->kind_count - SL_KIND_GPUS;
	if (!slurm_allocator_make_room(p, count + alloc->node_count))
		return 0;
	for (uint32_t i = 0; i < alloc->node_count; i++, count++) {
		const struct select_node_alloc *node_alloc = &alloc->node_alloc[i];
		uint32_t *gpus = &p->gpus[count * types];
		node_alloc_count(&p->kinds, node_alloc, gpus);
		p->node_alloc[count] = (struct sl_node_alloc){ .node = node_alloc->node,
			.tasks = node_alloc->tasks,
			.cpus = node_alloc->cpus,
			.mem = node_alloc->mem,
			.gpus = gpus };
	}
	return count;
}

/* The nodes of a set: those of its types. NULL: all of them. */
static const uint64_t *nodes_of_set(struct allocator *p, uint32_t set)
{
	const struct sl_cluster *cluster = p->cluster;
	if (!set || p->set[set])
		return p->set[set];
	uint64_t *nodes = sl_alloc(p->arena, select_node_words(p->select), sizeof(*nodes));
	SL_CHECK(nodes); /* The arena is the run's: without it nothing goes on. */
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const uint32_t type = cluster->node_type[node];
		if (cluster->node_set[set].types[type / 64] >> (type % 64) & 1)
			nodes[node / 64] |= UINT64_C(1) << (node % 64);
	}
	p->set[set] = nodes;
	return nodes;
}

/* What the engine binds the group to (which leaves out what is down), but for what is closed. NULL: all. */
static const uint64_t *available(struct allocator *p, sl_job job, uint32_t component)
{
	const struct sl_request *request = &p->jobs->requests[p->jobs->request[job.row]];
	const uint64_t *set = nodes_of_set(p, request->group[component].node_set);
	const size_t words = select_node_words(p->select);
	if (!p->closed)
		return set;
	for (size_t i = 0; i < words; i++)
		p->available[i] = (set ? set[i] : ~UINT64_C(0)) & ~p->closed[i];
	if (p->cluster->node_count % 64)
		p->available[words - 1] &= (UINT64_C(1) << (p->cluster->node_count % 64)) - 1;
	return p->available;
}

/* Components one after another, each beside those before; then undone. */
static size_t choose_several(struct allocator *p, sl_job job, uint32_t components)
{
	const uint32_t mark = select_mark(p->select);
	size_t count = 0;
	for (uint32_t i = 0; i < components; i++) {
		const struct select_job one = slurm_allocator_job_of(p, job, i);
		const struct select_alloc *alloc;
		if (select_place(p->select, &one, available(p, job, i), SELECT_NOW, &alloc) == SELECT_FITS)
			count = add_node_allocs(p, alloc, count);
		else
			count = 0;
		if (!count || !select_take(p->select, alloc))
			break;
	}
	select_undo(p->select, mark);
	return count;
}

static size_t allocator_choose(
	void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc)
{
	struct allocator *p = state;
	const uint32_t components = components_of(p, job);
	p->closed = closed;
	size_t count = 0;
	if (components == 1) {
		const struct select_job one = slurm_allocator_job_of(p, job, 0);
		if (select_place(p->select, &one, available(p, job, 0), SELECT_NOW, &p->chosen) ==
			SELECT_FITS)
			count = add_node_allocs(p, p->chosen, 0);
	} else {
		count = choose_several(p, job, components);
	}
	*node_alloc = p->node_alloc;
	return count;
}

/* ---- What is held ------------------------------------------------------------------------------------- */

static struct held *held_new(struct allocator *p, uint32_t components)
{
	struct held *held = components == 1 ? p->spare : NULL;
	if (held) {
		p->spare = held->below;
		held->below = NULL;
		return held;
	}
	held = sl_alloc(p->arena, 1, sizeof(*held));
	if (held)
		held->alloc = sl_alloc(p->arena, components, sizeof(struct select_alloc *));
	SL_CHECK(held && held->alloc); /* The arena is the run's: without it nothing goes on. */
	return held;
}

static void held_free(struct allocator *p, struct held *held, uint32_t components)
{
	if (components != 1)
		return; /* It goes with the run. */
	held->below = p->spare;
	p->spare = held;
}

static void slurm_allocator_put(struct held **top, struct held *held)
{
	held->below = *top;
	*top = held;
}

static struct held *pull(struct held **top)
{
	struct held *held = *top;
	SL_CHECK(held);
	*top = held->below;
	return held;
}

/* Nothing has changed since it was chosen: the choice is the same. */
static const struct select_alloc *retry(struct allocator *p, sl_job job, uint32_t component)
{
	const struct select_job one = slurm_allocator_job_of(p, job, component);
	const struct select_alloc *alloc;
	const uint64_t *nodes = available(p, job, component);
	SL_CHECK(select_place(p->select, &one, nodes, SELECT_NOW, &alloc) == SELECT_FITS);
	return alloc;
}

static void allocator_take(void *state, sl_job job)
{
	struct allocator *p = state;
	const uint32_t components = components_of(p, job);
	struct held *held = held_new(p, components);
	for (uint32_t i = 0; i < components; i++) {
		held->alloc[i] = select_take(p->select, components == 1 ? p->chosen : retry(p, job, i));
		SL_CHECK(held->alloc[i]);
	}
	slurm_allocator_put(&p->now[job.row], held);
}

static void give_all(struct allocator *p, const struct held *held, uint32_t components)
{
	for (uint32_t i = components; i-- > 0;)
		select_give(p->select, held->alloc[i]);
}

static void allocator_untake(void *state, sl_job job)
{
	struct allocator *p = state;
	const uint32_t components = components_of(p, job);
	struct held *held = pull(&p->now[job.row]);
	give_all(p, held, components);
	held_free(p, held, components);
}

/* Under a mark of the select's a released allocation is not forgotten. */
static void allocator_give(void *state, sl_job job)
{
	struct allocator *p = state;
	struct held *held = pull(&p->now[job.row]);
	if (!p->marked)
		p->mark = select_mark(p->select);
	p->marked = true;
	give_all(p, held, components_of(p, job));
	if (!p->given[job.row])
		p->gave[p->gave_count++] = job.row;
	slurm_allocator_put(&p->given[job.row], held);
}

static void allocator_restore(void *state, sl_job job)
{
	struct allocator *p = state;
	struct held *held = pull(&p->given[job.row]);
	for (uint32_t i = 0; i < components_of(p, job); i++) {
		held->alloc[i] = select_take(p->select, held->alloc[i]);
		SL_CHECK(held->alloc[i]);
	}
	slurm_allocator_put(&p->now[job.row], held);
}

static size_t allocator_held(void *state, sl_job job, const struct sl_node_alloc **node_alloc)
{
	struct allocator *p = state;
	const struct held *held = p->now[job.row];
	size_t count = 0;
	for (uint32_t i = 0; held && i < components_of(p, job); i++)
		count = add_node_allocs(p, held->alloc[i], count);
	*node_alloc = p->node_alloc;
	return count;
}

/* What slurmctld says to sbatch of a job that could run on no node, idle as they may be. */
static const char *allocator_refuses(void *state, sl_job job)
{
	struct allocator *p = state;
	for (uint32_t i = 0; i < components_of(p, job); i++) {
		const struct select_job one = slurm_allocator_job_of(p, job, i);
		if (select_place(p->select, &one, NULL, SELECT_EVER, NULL) == SELECT_NEVER)
			return select_why(p->select);
	}
	return NULL;
}

static bool allocator_alike(void *state, uint32_t request)
{
	const struct allocator *p = state;
	bool alike = !p->by_user;
	for (uint32_t i = 0; alike && i < p->jobs->requests[request].group_count; i++)
		alike = p->desc[request][i].partition || !p->jobs->partition_name ||
			p->cluster->partition_count < 2;
	return alike;
}

static void allocator_forget(void *state)
{
	struct allocator *p = state;
	if (!p->marked)
		return;
	select_keep(p->select, p->mark);
	p->marked = false;
	for (size_t i = 0; i < p->gave_count; i++) {
		const sl_job job = { p->gave[i] };
		while (p->given[job.row])
			held_free(p, pull(&p->given[job.row]), components_of(p, job));
	}
	p->gave_count = 0;
}

/* ---- Begin --------------------------------------------------------------------------------------------- */

static int refuse_parts(const struct sl_setup *setup, struct sl_err *err)
{
	const char *why = slurm_not_whole(setup->cluster, setup->jobs);
	return why ? sl_fail(err, SL_USAGE,
			     "place=slurm: %s, and Slurm's node selection gives out whole cpus and GPUs: give "
			     "another place",
			     why)
		   : SL_OK;
}

static bool users_matter(const struct allocator *p)
{
	for (uint32_t i = 0; i < p->cluster->partition_count; i++)
		if (p->cluster->partition[i].exclusive_user)
			return true;
	for (uint32_t i = 0; i < p->jobs->request_count; i++)
		for (uint32_t k = 0; k < p->jobs->requests[i].group_count; k++)
			if (p->desc[i][k].exclusive == SL_EXCLUSIVE_USER)
				return true;
	return false;
}

static int allocator_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct sl_arena *arena = setup->arena;
	struct allocator *p = sl_alloc(arena, 1, sizeof(*p));
	*state = p;
	if (!p)
		return sl_fail_memory(err);
	if (refuse_parts(setup, err))
		return err->status;
	p->cluster = setup->cluster;
	p->jobs = setup->jobs;
	p->arena = arena;
	p->select = select_new(setup->cluster, arena, err);
	if (!p->select)
		return err->status;
	p->now = sl_alloc(arena, setup->jobs->count, sizeof(struct held *));
	p->given = sl_alloc(arena, setup->jobs->count, sizeof(struct held *));
	p->gave = sl_alloc(arena, setup->jobs->count, sizeof(*p->gave));
	p->available = sl_alloc(arena, select_node_words(p->select), sizeof(*p->available));
	p->set = sl_alloc(arena, setup->cluster->node_set_count + 1, sizeof(*p->set));
	if (!p->now || !p->given || !p->gave || !p->available || !p->set)
		return sl_fail_memory(err);
	p->kinds = node_alloc_gpus_of(setup->cluster, p->select);
	const int status = slurm_asks_make(setup->cluster, setup->jobs, arena, COMPONENTS_MAX, &p->desc, err);
	p->by_user = !status && users_matter(p);
	return status;
}

static void allocator_release(void *state) { (void)state; /* All is the arena's. */ }

const struct sl_allocator slurm_allocator = {
	.abi = SL_ABI_OF(struct sl_allocator),
	.name = "slurm",
	.summary = "as Slurm's select/cons_tres or select/linear chooses: cores, memory and devices by node",
	.paper = "slurmctld 22.05",
	.init = allocator_init,
	.release = allocator_release,
	.choose = allocator_choose,
	.take = allocator_take,
	.untake = allocator_untake,
	.give = allocator_give,
	.restore = allocator_restore,
	.forget = allocator_forget,
	.held = allocator_held,
	.refuses = allocator_refuses,
	.alike = allocator_alike,
};
