/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_avail.c - what of a node is usable for a request (can_job_run_on_node()).
 *
 * Rules (public source of 22.05, select/cons_tres, in outline; Slurm's pages
 * cons_tres.html, slurm.conf(5) SelectTypeParameters, sbatch(1)):
 * - The free cores, socket by socket, less those of sockets with fewer free
 *   cores than --cores-per-socket; fewer such sockets than --sockets-per-node
 *   and the node is out. With CR_Socket a socket that anyone uses is out.
 * - A core counts so many cpus as tasks may be put on it: all its threads, or
 *   fewer by --ntasks-per-core and --threads-per-core.
 * - The partition's MaxCPUsPerNode bounds what its jobs are allocated of a node, MaxCPUsPerSocket of a
 * socket.
 * - At least --mincpus, tasks per node times cpus per task; --ntasks-per-socket
 *   removes cores of sockets with too many. From 24.05 on, without gres: the cpus of whole tasks, and of no
 *   more tasks than --ntasks-per-node and --ntasks-per-socket allow; the first cores.
 * - Memory per node must be free; memory per cpu bounds the cpus. All the
 *   node's memory (--mem=0, or no request and no default) needs a node with none allocated.
 * - Of gres, the devices that are free, and the cores local to them (select_gres.c).
 */
#include "policies/slurm/select/select_parts.h"

int64_t sel_cpus_per_core(const struct select *s, const struct sel_request *q, const struct sel_shape *shape)
{
	const int64_t threads = shape->threads;
	if (s->one_task_per_core && q->gres_node_cpus > 0)
		return threads;
	int64_t cpus = threads;
	if (q->tasks_per_core)
		cpus = min64(threads, q->tasks_per_core * q->cpus_per_task);
	if (q->threads_per_core)
		cpus = min64(cpus, q->threads_per_core);
	return cpus;
}

struct cores {
	const struct sel_request *q;
	const struct sel_shape *shape;
	int64_t free[SEL_SOCKETS];
	int64_t taken[SEL_SOCKETS]; /* cpus, so far */
	int64_t per_core, per_socket;
	int64_t left, count, task_left;
	bool whole_cores;
	bool bounded; /* By the tasks that fit: not all of the cores are used. */
};

/* Whether the socket has had all that its tasks may have. */
static bool socket_full(struct cores *c, uint32_t core, uint64_t *map)
{
	const uint32_t socket = core / c->shape->cores;
	if (c->taken[socket] && c->taken[socket] >= c->per_socket) {
		bit_clear(map, core);
		return true;
	}
	c->taken[socket] += c->per_core;
	return false;
}

static void count_core(struct cores *c)
{
	if (c->left < c->per_core) {
		c->count += c->left;
		c->left = 0;
		return;
	}
	int64_t used = c->per_core;
	if (!c->whole_cores && c->q->tasks_per_core == 1 && c->q->cpus_per_task > c->per_core)
		used = min64(c->task_left, c->per_core);
	c->left -= used;
	c->count += used;
	c->task_left = c->task_left <= used ? c->q->cpus_per_task : c->task_left - used;
}

/* Every free core is counted alike, and none is one too many: all are used, socket by socket. */
static bool select_avail_take_all(struct cores *c, uint64_t *map)
{
	const struct sel_request *q = c->q;
	const struct sel_shape *shape = c->shape;
	const bool by_task = !c->whole_cores && q->tasks_per_core == 1 && q->cpus_per_task > c->per_core;
	if (q->tasks_per_socket || by_task || c->bounded)
		return false;
	for (uint32_t i = 0; i < shape->sockets; i++)
		for (uint32_t j = i * shape->cores; !c->free[i] && j < (i + 1) * shape->cores; j++)
			bit_clear(map, j);
	c->count += c->left;
	c->left = 0;
	return true;
}

static void take_cores(struct cores *c, uint64_t *map, uint64_t required)
{
	const struct sel_shape *shape = c->shape;
	if (!required && select_avail_take_all(c, map))
		return;
	uint64_t done[SEL_WORDS] = { 0 };
	for (uint32_t i = 0; required && i < shape->sockets && c->left > 0; i++) {
		if (!(required >> i & 1))
			continue;
		for (uint32_t j = i * shape->cores; j < (i + 1) * shape->cores && c->free[i]; j++) {
			if (!bit_test(map, j) || socket_full(c, j, map))
				continue;
			c->free[i]--;
			count_core(c);
			bit_set(done, j);
		}
	}
	for (uint32_t j = 0; j < shape->core_count; j++) {
		if (!bit_test(map, j) || bit_test(done, j))
			continue;
		const uint32_t i = j / shape->cores;
		if (c->free[i] <= 0 || c->left <= 0) {
			bit_clear(map, j);
		} else if (!socket_full(c, j, map)) {
			c->free[i]--;
			count_core(c);
		}
	}
}

static bool by_socket(const struct sel_test *t)
{
	const struct sel_partition *p = &t->s->partition[t->q->partition];
	return p->by_socket || (t->s->cr_socket && !p->by_core);
}

/* Cores that the partition's jobs use of the node, but for those that this one can have. */
static void partition_cores(
	const struct sel_test *t, uint32_t node, const uint64_t *map, uint64_t used[SEL_WORDS])
{
	const struct sel_shape *shape = shape_of(t->s, node);
	memset(used, 0, SEL_WORDS * sizeof(*used));
	for (const struct select_node_alloc *p = t->s->node[node].first; p; p = p->next)
		if (p->owner->partition == t->q->partition && !p->owner->stopped)
			for (uint32_t w = 0; w < shape->words; w++)
				used[w] |= p->cores[w];
	for (uint32_t w = 0; w < shape->words; w++)
		used[w] &= ~map[w];
}

/* What the partition's jobs use of the node, of cores that this one cannot have. */
static int64_t partition_uses(const struct sel_test *t, uint32_t node, const uint64_t *map)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	uint64_t used[SEL_WORDS];
	int64_t cores = 0;
	partition_cores(t, node, map, used);
	for (uint32_t w = 0; w < shape->words; w++)
		cores += bits_of(used[w]);
	return cores * shape->threads;
}

/* MaxCPUsPerSocket: of a socket that has so many in use by the partition's jobs none, of others so many. */
static void bound_sockets(const struct sel_test *t, uint32_t node, const uint64_t *map, int64_t *free)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	const int64_t most = t->s->partition[t->q->partition].cpus_per_socket_max;
	uint64_t used[SEL_WORDS] = { 0 };
	if (most == SL_NONE)
		return;
	if (t->count_row)
		partition_cores(t, node, map, used);
	for (uint32_t i = 0; i < shape->sockets; i++) {
		const int64_t cores = bit_count_range(used, i * shape->cores, (i + 1) * shape->cores);
		free[i] = cores * shape->threads >= most ? 0 : min64(free[i], most / shape->threads);
	}
}

/* How many cpus the partition leaves; -1: none at all. */
static int64_t partition_limit(const struct sel_test *t, uint32_t node, const uint64_t *map, int64_t free)
{
	const struct sel_request *q = t->q;
	const int64_t most = t->s->partition[q->partition].cpus_per_node_max;
	if (most == SL_NONE)
		return SEL_INFINITE;
	const int64_t used = t->count_row ? partition_uses(t, node, map) : 0;
	if (free + used <= most)
		return SEL_INFINITE;
	if (q->whole || used >= most)
		return -1;
	const int64_t left = most - used;
	if (left == 1 && (q->tasks_per_core > 1 || q->tasks_per_socket > 1 || q->cpus_per_task > 1))
		return -1;
	return left;
}

/* From 24.05 on no more cpus than those of whole tasks, and of so many tasks as the node may have. Of gres
 * they are bounded later on. */
static void bound_by_tasks(struct cores *c, int64_t *tasks)
{
	const struct sel_request *q = c->q;
	const int64_t all = c->left;
	if (q->tasks_per_node && q->whole != SL_EXCLUSIVE_NODE)
		*tasks = min64(*tasks, q->tasks_per_node);
	if (q->cpus_per_task < 2) {
		c->left = *tasks;
	} else if (q->tasks_per_core == 1 && q->cpus_per_task > c->per_core) {
		/* Of whole cores to each. */
		c->left = c->left / (div_up(q->cpus_per_task, c->per_core) * c->per_core) * q->cpus_per_task;
	} else {
		*tasks = min64(*tasks, c->left / q->cpus_per_task);
		c->left = *tasks * q->cpus_per_task;
	}
	c->bounded = c->left < all;
}

/* The available cores; 0 cpus: the node is out. */
static int64_t allocate(
	struct sel_test *t, uint32_t node, uint64_t *map, uint64_t required, int64_t *cpus_max)
{
	const struct sel_request *q = t->q;
	const struct sel_shape *shape = shape_of(t->s, node);
	struct cores c = { .q = q, .shape = shape, .task_left = q->cpus_per_task };
	if (q->tasks_per_socket > (int64_t)shape->threads * shape->cores)
		return 0;
	int64_t free = 0;
	for (uint32_t i = 0; i < shape->sockets; i++) {
		c.free[i] = bit_count_range(map, i * shape->cores, (i + 1) * shape->cores);
		if (by_socket(t) && c.free[i] < shape->cores)
			c.free[i] = 0;
	}
	bound_sockets(t, node, map, c.free);
	for (uint32_t i = 0; i < shape->sockets; i++)
		free += c.free[i];
	*cpus_max = free * shape->threads;
	const int64_t limit = partition_limit(t, node, map, free * shape->threads);
	if (limit < 0)
		return 0;
	int64_t sockets = 0;
	for (uint32_t i = 0; i < shape->sockets; i++) {
		if (c.free[i] < max64(q->cores_per_socket, 1)) {
			free -= c.free[i];
			c.free[i] = 0;
		} else {
			sockets++;
		}
	}
	if (sockets < max64(q->sockets_per_node, 1) || free < 1)
		return 0;
	c.per_core = sel_cpus_per_core(t->s, q, shape);
	if (free * c.per_core < q->node_cpus_min)
		return 0;
	int64_t tasks = 0;
	for (uint32_t i = 0; i < shape->sockets; i++) {
		const int64_t cpus = c.free[i] * c.per_core;
		if ((required >> i & 1) && !cpus)
			return 0;
		c.left += cpus;
		tasks += q->tasks_per_socket ? min64(cpus, q->tasks_per_socket) : cpus;
	}
	if (t->s->version >= SEL_24_05 && !q->gres_count)
		bound_by_tasks(&c, &tasks);
	if ((!q->overcommit && tasks < q->tasks_per_node) || c.left < q->node_cpus_min)
		return 0;
	c.per_socket = q->tasks_per_socket ? q->tasks_per_socket * q->cpus_per_task
					   : (int64_t)shape->cores * c.per_core;
	c.whole_cores = t->s->one_task_per_core && q->gres_node_cpus > 0;
	if (!required && !q->tasks_per_socket && q->tasks_per_core != 1 && !c.bounded) {
		/* All of them, as it would come out core by core. */
		for (uint32_t i = 0; i < shape->sockets; i++)
			if (!c.free[i])
				bit_clear_range(map, i * shape->cores, (i + 1) * shape->cores);
		return min64(c.left, limit);
	}
	take_cores(&c, map, required);
	return min64(c.count, limit);
}

/* So many cpus as the free memory allows. */
static int64_t cpus_by_memory(
	const struct sel_test *t, uint32_t node, int64_t cpus, int64_t unit, int64_t mem)
{
	const struct sel_request *q = t->q;
	if (!q->mem_per_cpu)
		return q->mem > mem ? 0 : cpus;
	if (q->whole == SL_EXCLUSIVE_NODE && q->mem * cpus > mem)
		return 0;
	const int64_t threads = t->s->cr_core && q->tasks_per_core == 1 && q->cpus_per_task == 1
					? shape_of(t->s, node)->threads
					: 1;
	if (threads > 1) {
		while (cpus > 0 && q->mem * cpus * threads > mem)
			cpus--;
	} else {
		while (q->mem * cpus > mem)
			cpus = cpus >= unit ? cpus - unit : 0;
	}
	cpus -= cpus % q->cpus_per_task;
	return cpus < q->tasks_per_node ? 0 : cpus;
}

static bool mem_counts(const struct sel_test *t)
{
	const struct sel_partition *p = &t->s->partition[t->q->partition];
	return p->by_socket || p->by_core ? p->by_mem : t->s->cr_mem;
}

void sel_avail_node(struct sel_test *t, uint32_t node)
{
	struct select *s = t->s;
	struct sel_request *q = t->q;
	const struct sel_shape *shape = shape_of(s, node);
	struct sel_avail *a = &s->avail[node];
	uint64_t *map = map_of(s, node), required = 0;
	*a = (struct sel_avail){ .weight = (uint64_t)s->node[node].rank << 56 | (uint64_t)shape->weight << 8 |
					   0xff };
	if (q->gres_count && !sel_sock_build(t, node, map, &required))
		return;
	a->cpus = allocate(t, node, map, required, &a->cpus_max);
	int64_t tasks = 1;
	if (q->tasks_per_node)
		tasks = q->tasks_per_node;
	else if (!q->overcommit && q->nodes_max == 1 && q->tasks)
		tasks = q->tasks;
	if (!a->cpus || a->cpus < tasks * q->cpus_per_task)
		return;
	int64_t mem = SL_MEM_UNBOUNDED;
	if (mem_counts(t))
		mem = shape->mem - (t->ever ? 0 : s->node[node].mem_used);
	if (q->gres_count) {
		int64_t adjacent = 0;
		if (!sel_sock_usable(t, node, mem, a->cpus, &adjacent))
			return;
		a->weight = (a->weight & ~UINT64_C(0xff)) | (uint64_t)(0xff - adjacent);
	}
	if (mem_counts(t)) {
		const int64_t unit = by_socket(t) ? (int64_t)shape->cores * shape->threads
				     : s->cr_core ? min64(shape->threads, sel_cpus_per_core(s, q, shape))
						  : 1;
		a->cpus = cpus_by_memory(t, node, a->cpus, unit, mem);
	}
	a->resources = a->cpus + a->gpus;
	a->usable = a->cpus > 0;
}

void sel_task_range(const struct sel_test *t, uint32_t node, int64_t *least, int64_t *most)
{
	const struct sel_request *q = t->q;
	const struct sel_shape *shape = shape_of(t->s, node);
	*least = 1;
	*most = SEL_INFINITE;
	int64_t by_gpu = 0;
	for (uint32_t g = 0; g < q->gres_count; g++)
		by_gpu = max64(by_gpu, q->gres[g].tasks_per);
	if (q->tasks_per_node) {
		*least = *most = q->tasks_per_node;
	} else if (q->tasks_per_socket) {
		*least = q->tasks_per_socket;
		*most = q->tasks_per_socket * shape->sockets;
	} else if (q->tasks_per_core) {
		*least = q->tasks_per_core;
		*most = q->tasks_per_core * (shape->core_count - bits_count(shape->spec, shape->words));
	} else if (by_gpu && t->s->version >= SEL_23_02 && q->nodes_min != q->nodes_max) {
		*least = by_gpu;
		*most = q->tasks;
	} else if (by_gpu) {
		*least = *most = max64(q->tasks / max64(t->nodes_min, 1), 1);
	} else if (q->nodes_max == 1) {
		if (q->tasks)
			*least = *most = q->tasks;
	} else if (q->tasks == 1 || (q->tasks && q->tasks == q->nodes_min && q->tasks == q->nodes_max)) {
		*most = 1;
	}
}

int64_t sel_cores(struct sel_test *t, uint32_t node)
{
	const struct sel_request *q = t->q;
	struct sel_avail *a = &t->s->avail[node];
	int64_t least, most, cores_min = 0;
	sel_task_range(t, node, &least, &most);
	if (!q->overcommit) {
		const int64_t tasks = a->cpus / q->cpus_per_task;
		if (tasks < least)
			most = 0;
		else if (tasks < most)
			most = tasks;
	}
	int64_t cpus = a->cpus;
	if (q->gres_count)
		sel_sock_cores(t, node, &cpus, &least, &most, &cores_min);
	if (most == 0)
		cpus = 0;
	a->gres_cores = cores_min;
	a->tasks_most = most;
	return cpus;
}

int64_t sel_cpus_to_use(
	struct sel_test *t, uint32_t node, int64_t cpus, int64_t cpus_left, int64_t nodes_left)
{
	struct select *s = t->s;
	const struct sel_request *q = t->q;
	struct sel_avail *a = &s->avail[node];
	if (q->whole == SL_EXCLUSIVE_NODE)
		return cpus;
	int64_t kept = max64(nodes_left - 1, 0) * sel_cpus_per_core(s, q, shape_of(s, node));
	if (by_socket(t))
		kept *= shape_of(s, node)->cores;
	if (cpus > cpus_left - kept) {
		/* What its devices come with: of the whole request before 23.11. */
		const int64_t by_gres = s->version >= SEL_23_11 && a->gres_cores
						? a->gres_cores * sel_cpus_per_core(s, q, shape_of(s, node))
						: q->gres_node_cpus;
		cpus = max64(max64(cpus_left - kept, q->node_cpus_min), by_gres);
		a->cpus = cpus;
	}
	a->resources = a->cpus + a->gpus;
	return cpus;
}
