/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_desc.c - a Slurm job description as groups of equal tasks, for policies that are not Slurm's own.
 *
 * Each component of a job is one group. In this order:
 *
 * - The partition is the first known one of those that the job names, else the default one. Its limits on
 * time and nodes hold, whatever EnforcePartLimits says: where slurmctld accepts such a job, it waits for
 * ever.
 * - Nodes: those of the partition, of the constraint and of the reservation, less the excluded ones. A list
 * of nodes (--nodelist) must be used whole: the job gets those nodes and no others; where it wants more nodes
 * than it lists, the list is ignored.
 * - Tasks: --ntasks, else nodes x tasks a node, else GPUs x tasks a GPU, else one a node. At least one a
 * node.
 * - Cpus of a task: --cpus-per-task, else its GPUs x cpus a GPU (the job's, else the partition's), else 1.
 * With several threads a core and cores allocated, whole cores: what does not fill its cores is rounded up,
 * on each node where the nodes are fixed; where they are not, tasks that share a core are counted together.
 * - Memory, where it is allocated: of a node, of a cpu, of a GPU; else the partition's default, else the
 *   cluster's (DefMemPerNode, DefMemPerCPU, DefMemPerGPU), else all of the node's.
 * - GPUs: of a task, of a node (--gres, --gpus-per-node, --gpus-per-socket x sockets), or of the job, which
 * are shared among its tasks where that comes out even, else among its nodes.
 * - What is requested of a node, and what does not come out even, goes by nodes: as many equal chunks as the
 * job has nodes (the fewest on which it could fit, where it does not say), each with its share, rounded up.
 * - Exclusive: --exclusive, a partition that is EXCLUSIVE, and whole nodes allocated (select/linear).
 *
 * Not modelled here: named gres other than GPUs, licences, switches, --contiguous, --tmp, --exclusive=user
 * and =mcs, and bounds on sockets.
 */
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

enum { TASKS_MAX = INT32_MAX };
static const int64_t asked_max = INT64_C(1) << 40; /* Of one task. */

static int64_t scenario_desc_known(int64_t value, int64_t otherwise)
{
	return value == SL_NONE ? otherwise : value;
}
static int64_t scenario_desc_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* A job description on its way to a group. */
struct asking {
	struct machine *machine;
	const struct sl_job_desc *desc;
	const struct sl_partition *partition; /* NULL: there are none. */
	struct binding binding;
	int64_t nodes_min, nodes_max; /* 0: not said. */
	int64_t tasks;
	int64_t cpus, mem, gpus;               /* Of a task; */
	int64_t node_mem, node_gpus, job_gpus; /* of a node, of the job. */
	int64_t per_node;                      /* Tasks at most on a node; 0: not said. */
	int64_t threads;                       /* Of a core. */
	uint32_t gpu_types;
	bool all_mem; /* Of each node. */
};

/* ---- Partition, nodes -------------------------------------------------------------------------------------
 */

static enum cause take_partition(struct asking *a, struct asked *asked)
{
	const struct machine *machine = a->machine;
	uint32_t found = UINT32_MAX;
	const char *p = a->desc->partition;
	asked->partition = UINT32_MAX;
	if (!machine->partition_count)
		return CAUSE_COUNT;
	while (p && *p && found == UINT32_MAX) {
		const size_t len = strcspn(p, ",");
		found = machine_partition(machine, p, len);
		p += len + (p[len] == ',');
	}
	for (size_t i = 0; (!a->desc->partition || !*a->desc->partition) && i < machine->partition_count; i++)
		if (machine->partition[i].is_default)
			found = (uint32_t)i; /* The last that says so. */
	if (found == UINT32_MAX)
		return CAUSE_PARTITION;
	asked->partition = found;
	a->partition = &machine->partition[found];
	a->binding.partition = machine->bound[a->partition->node_set];
	/* DRAIN accepts no new jobs, DOWN starts none. */
	return a->partition->state == SL_PARTITION_UP ? CAUSE_COUNT : CAUSE_PARTITION_DOWN;
}

/* "a,b", or "-a,-b": all but these. */
static bool scenario_desc_is_among(const char *list, const char *name)
{
	bool others = false;
	for (const char *p = list; p && *p;) {
		p += strspn(p, ", ");
		const bool not = *p == '-';
		const size_t len = strcspn(p, ", ");
		others |= not ;
		if (name && strlen(name) == len - not &&strncmp(p + not, name, len - not ) == 0)
			return !not ;
		p += len;
	}
	return others || !list || !*list;
}

/* Its users, and its accounts: of both that are named a job must be. */
static bool may_use(const struct window_spec *window, const struct sl_row *row)
{
	return scenario_desc_is_among(window->spec.users, row->more ? row->more->user : NULL) &&
	       scenario_desc_is_among(window->spec.accounts, row->more ? row->more->account : NULL);
}

static int take_reservation(struct asking *a, const struct sl_row *row, struct asked *asked,
	enum cause *cause, struct sl_err *err)
{
	struct machine *machine = a->machine;
	const char *name = a->desc->reservation;
	asked->window = UINT32_MAX;
	if (!name || !*name)
		return SL_OK;
	uint32_t i = 0;
	while (i < machine->window_count && strcmp(machine->window[i].spec.name, name) != 0)
		i++;
	if (i == machine->window_count || !may_use(&machine->window[i], row)) {
		*cause = CAUSE_RESERVATION;
		return SL_OK;
	}
	asked->window = i;
	a->binding.own = &machine->window[i];
	return machine->window[i].spec.nodes
		       ? set_of_window(machine, &machine->window[i], &a->binding.window, err)
		       : SL_OK;
}

static int take_lists(struct asking *a, enum cause *cause, struct sl_err *err)
{
	const struct sl_job_desc *desc = a->desc;
	struct machine *machine = a->machine;
	uint32_t count = 0;
	int status = SL_OK;
	if (desc->constraint && *desc->constraint) {
		status = set_of_constraint(machine, desc->constraint, &a->binding.constraint, err);
		if (!status && a->binding.constraint == UINT32_MAX)
			*cause = CAUSE_FEATURE;
	}
	if (!status && desc->exclude && *desc->exclude) {
		status = set_of_list(machine, desc->exclude, &a->binding.exclude, &count, err);
		if (!status && a->binding.exclude == UINT32_MAX)
			*cause = CAUSE_UNKNOWN_NODE;
	}
	if (status || *cause != CAUSE_COUNT || !desc->nodelist || !*desc->nodelist)
		return status;
	status = set_of_list(machine, desc->nodelist, &a->binding.list, &count, err);
	if (!status && a->binding.list == UINT32_MAX)
		*cause = CAUSE_UNKNOWN_NODE;
	else if (a->nodes_min > count)
		a->binding.list = UINT32_MAX;
	else if (!status)
		a->nodes_min = a->nodes_max = count;
	return status;
}

/* ---- What the nodes that it may use have
 * ------------------------------------------------------------------- */

struct extent {
	int64_t cpus, mem, gpus, sockets, threads; /* The most that one has; */
	int64_t mem_least;                         /* of memory also the least, of those that name any. */
};

static int64_t scenario_desc_gpus_of(const struct asking *a, const struct sl_node_type *type)
{
	int64_t gpus = 0;
	for (uint32_t i = 0; i < a->machine->kinds.count; i++)
		if (!a->gpu_types || (a->gpu_types >> i & 1))
			gpus += type->amount[SL_KIND_GPUS + i] / PARTS;
	return gpus;
}

static struct extent extent_of(const struct asking *a)
{
	const struct machine *machine = a->machine;
	struct extent e = { .sockets = 1, .threads = 1, .mem_least = SL_MEM_UNBOUNDED };
	for (uint32_t i = 0; i < machine->type_count; i++) {
		const struct sl_node_type *type = &machine->type[i];
		if (!machine->type_nodes[i] || !binding_has(machine, &a->binding, i))
			continue;
		e.cpus = most(e.cpus, type->amount[SL_KIND_CPUS] / PARTS);
		e.mem = most(e.mem, type->amount[SL_KIND_MEM]);
		e.mem_least = scenario_desc_least(e.mem_least, type->amount[SL_KIND_MEM]);
		e.gpus = most(e.gpus, scenario_desc_gpus_of(a, type));
		if (!type->hardware)
			continue;
		e.sockets = most(e.sockets, type->hardware->sockets);
		e.threads = most(e.threads, type->hardware->threads);
	}
	return e;
}

/* ---- GPUs
 * ---------------------------------------------------------------------------------------------------- */

/* "2", "a100:2", "a100" for one, several with commas, into a number and types. False: it is nothing of the
 * kind, or of a type that the cluster has not. */
static bool gpus_read(struct asking *a, const char *text, int64_t *count)
{
	for (const char *p = text; p && *p;) {
		const size_t len = strcspn(p, ",");
		const char *colon = memchr(p, ':', len);
		const char *number = colon ? colon + 1 : p;
		int64_t some;
		bool typed = colon != NULL;
		if (!sl_get_i64(number, (size_t)(p + len - number), &some)) {
			if (colon)
				return false;
			typed = true;
			some = 1;
		}
		if (some < 0 || some > TASKS_MAX)
			return false;
		*count += some;
		if (typed) {
			const uint32_t kind =
				names_find(&a->machine->kinds, p, colon ? (size_t)(colon - p) : len);
			if (kind == UINT32_MAX)
				return !some;
			a->gpu_types |= some ? UINT32_C(1) << kind : 0;
		}
		p += len + (p[len] == ',');
	}
	return true;
}

/* "gpu:a100:2,mps:50", also with "gres:" or "gres/" before a name: its GPUs. */
static bool gres_read(struct asking *a, const char *text, int64_t *count)
{
	for (const char *p = text; p && *p;) {
		char item[128];
		size_t len = strcspn(p, ",");
		const char *next = p + len + (p[len] == ',');
		if (strncasecmp(p, "gres:", 5) == 0 || strncasecmp(p, "gres/", 5) == 0) {
			p += 5;
			len -= 5;
		}
		const char *paren = memchr(p, '(', len); /* "(S:0-1)" */
		len = paren ? (size_t)(paren - p) : len;
		const bool gpu =
			len >= 3 && strncasecmp(p, "gpu", 3) == 0 && (len == 3 || p[3] == ':' || p[3] == '=');
		if (gpu && len == 3) {
			*count += 1;
		} else if (gpu) {
			if (len >= sizeof(item))
				return false;
			memcpy(item, p + 4, len - 4);
			item[len - 4] = '\0';
			for (char *c = strchr(item, '='); c; c = strchr(c, '='))
				*c = ':';
			if (!gpus_read(a, item, count))
				return false;
		}
		p = next;
	}
	return true;
}

static enum cause take_gpus(struct asking *a)
{
	const struct sl_job_desc *desc = a->desc;
	int64_t per_socket = 0;
	int64_t per_node = 0;
	if (!gres_read(a, desc->gres, &a->node_gpus) || !gpus_read(a, desc->gpus_per_node, &per_node) ||
		!gpus_read(a, desc->gpus_per_socket, &per_socket) ||
		!gpus_read(a, desc->gpus_per_task, &a->gpus) || !gpus_read(a, desc->gpus, &a->job_gpus))
		return CAUSE_LACKS;
	if (per_socket)
		per_node = most(per_node,
			per_socket * scenario_desc_known(desc->sockets_per_node, extent_of(a).sockets));
	a->node_gpus = most(a->node_gpus, per_node); /* Both say the same. */
	if (a->node_gpus || a->gpus)
		a->job_gpus = a->node_gpus && a->gpus ? 0 : a->job_gpus;
	if (a->gpus && a->node_gpus)
		a->gpus = 0; /* Those of the node are shared by its tasks. */
	if (a->gpus)
		a->job_gpus = 0;
	if ((a->node_gpus || a->gpus || a->job_gpus) && !a->machine->kinds.count)
		return CAUSE_LACKS;
	return CAUSE_COUNT;
}

/* ---- Tasks, cpus, memory
 * -------------------------------------------------------------------------------------- */

static void take_tasks(struct asking *a)
{
	const struct sl_job_desc *desc = a->desc;
	const int64_t nodes = most(a->nodes_min, 1);
	int64_t tasks = scenario_desc_known(desc->tasks, 0);
	a->per_node = most(scenario_desc_known(desc->tasks_per_node, 0), 0);
	if (tasks <= 0 && a->per_node)
		tasks = scenario_desc_least(a->per_node, TASKS_MAX / nodes) * nodes;
	else if (tasks <= 0 && scenario_desc_known(desc->tasks_per_gpu, 0) > 0 &&
		 (a->job_gpus || a->node_gpus))
		tasks = (a->job_gpus ? a->job_gpus : a->node_gpus * nodes) * desc->tasks_per_gpu;
	a->tasks = most(tasks, nodes);
}

/* Of the whole job, as far as that is known before its nodes are. */
static int64_t gpus_a_task(const struct asking *a)
{
	if (a->gpus)
		return a->gpus;
	const int64_t all = a->job_gpus ? a->job_gpus : a->node_gpus * most(a->nodes_min, 1);
	return ceil_div(all, a->tasks);
}

static void take_cpus(struct asking *a)
{
	const struct sl_job_desc *desc = a->desc;
	const int64_t gpus = gpus_a_task(a);
	const int64_t each = scenario_desc_known(
		desc->cpus_per_gpu, a->partition ? scenario_desc_known(a->partition->cpus_per_gpu, 0) : 0);
	a->cpus = scenario_desc_known(desc->cpus_per_task, 0);
	if (a->cpus <= 0)
		a->cpus = gpus && each > 0 ? gpus * scenario_desc_least(each, TASKS_MAX) : 1;
	const bool apart = desc->no_multithread || desc->threads_per_core == 1;
	if (a->threads > 1 && apart) /* A core for each. */
		a->cpus = scenario_desc_least(a->cpus, TASKS_MAX / a->threads) * a->threads;
	else if (a->threads > 1 && desc->tasks_per_core == 1)
		a->cpus = ceil_div(a->cpus, a->threads) * a->threads;
}

/* A setting of the cluster, in MiB; SL_NONE: not set, or 0. */
static int64_t default_mem(const struct asking *a, const char *key)
{
	const char *text = sl_setting_of(&a->machine->scenario->cluster, "cluster", "", key);
	int64_t mib;
	return text && sl_get_memory(text, strlen(text), true, &mib) && mib > 0 ? mib : SL_NONE;
}

/* Which of the three memory options holds (--mem, --mem-per-cpu, --mem-per-gpu), of a job with at most one.
 */
struct mem {
	int64_t node, cpu, gpu;
};

static bool mem_given(const struct mem *mem)
{
	return mem->node != SL_NONE || mem->cpu != SL_NONE || mem->gpu != SL_NONE;
}

static struct mem mem_of(const struct asking *a)
{
	const struct sl_job_desc *desc = a->desc;
	struct mem mem = { desc->mem_per_node, desc->mem_per_cpu, desc->mem_per_gpu };
	const bool gpus = a->gpus || a->job_gpus || a->node_gpus;
	if (!mem_given(&mem) && a->partition)
		mem = (struct mem){ a->partition->mem_per_node, a->partition->mem_per_cpu,
			gpus ? a->partition->mem_per_gpu : SL_NONE };
	if (!mem_given(&mem))
		mem = (struct mem){ default_mem(a, "DefMemPerNode"), default_mem(a, "DefMemPerCPU"),
			gpus ? default_mem(a, "DefMemPerGPU") : SL_NONE };
	return mem;
}

static void take_mem(struct asking *a)
{
	if (!a->machine->scenario->cluster.mem_counts)
		return;
	const struct mem mem = mem_of(a);
	const int64_t bound = SL_MEM_UNBOUNDED - 1;
	if (mem.gpu != SL_NONE && (a->gpus || a->job_gpus || a->node_gpus)) {
		if (a->node_gpus)
			a->node_mem = scenario_desc_least(mem.gpu, bound / a->node_gpus) * a->node_gpus;
		else
			a->mem = scenario_desc_least(mem.gpu, bound / most(gpus_a_task(a), 1)) *
				 gpus_a_task(a);
	} else if (mem.cpu != SL_NONE) {
		a->mem = scenario_desc_least(mem.cpu, bound / a->cpus) * a->cpus;
	} else if (mem.node != SL_NONE && mem.node > 0) {
		a->node_mem = scenario_desc_least(mem.node, bound);
	} else {
		a->all_mem = true;
	}
}

/* ---- The group
 * ------------------------------------------------------------------------------------------------ */

static bool is_exclusive(const struct asking *a)
{
	return a->desc->exclusive == SL_EXCLUSIVE_NODE || a->desc->exclusive == SL_EXCLUSIVE_TOPO ||
	       a->machine->scenario->cluster.select == SL_SELECT_LINEAR ||
	       (a->partition && a->partition->share == SL_SHARE_EXCLUSIVE);
}

/* Nodes of a job that requests something of each: as it says, or the fewest on which its tasks and GPUs could
 * be.
 */
static int64_t nodes_for(const struct asking *a, const struct extent *e)
{
	if (a->nodes_min && a->nodes_min == a->nodes_max)
		return a->nodes_min;
	int64_t nodes = most(a->nodes_min, 1);
	if (a->per_node)
		nodes = most(nodes, ceil_div(a->tasks, a->per_node));
	if (a->cpus <= e->cpus)
		nodes = most(nodes, ceil_div(a->tasks, e->cpus / a->cpus));
	if (a->job_gpus && e->gpus)
		nodes = most(nodes, ceil_div(a->job_gpus, e->gpus));
	if (a->mem > 0 && a->mem <= e->mem && e->mem < SL_MEM_UNBOUNDED)
		nodes = most(nodes, ceil_div(a->tasks, e->mem / a->mem));
	return nodes;
}

/* As many equal chunks as nodes. */
static enum cause by_nodes(const struct asking *a, const struct extent *e, struct sl_group *group)
{
	const int64_t nodes = nodes_for(a, e);
	if (a->nodes_max && nodes > a->nodes_max)
		return CAUSE_SET;
	const int64_t share = ceil_div(a->tasks, nodes);
	int64_t cpus = share > TASKS_MAX / a->cpus ? TASKS_MAX : share * a->cpus;
	cpus = most(cpus, scenario_desc_known(a->desc->cpus_min, 0));
	/* One task whose GPUs are on several nodes has its cpus there too. */
	group->task.cpus = ceil_div(cpus, a->threads) * a->threads;
	group->task.mem =
		a->node_mem ? a->node_mem : scenario_desc_least(a->mem, SL_MEM_UNBOUNDED / share - 1) * share;
	if (a->all_mem && !group->exclusive)
		group->task.mem = e->mem_least < SL_MEM_UNBOUNDED ? e->mem_least : 0;
	group->task.gpus = a->node_gpus  ? a->node_gpus
			   : a->job_gpus ? ceil_div(a->job_gpus, nodes)
					 : a->gpus * share;
	group->tasks = (uint32_t)nodes;
	group->tasks_per_node = 1;
	group->nodes_min = group->nodes_max = (uint32_t)nodes;
	return CAUSE_COUNT;
}

/* So many tasks share a core. */
static int64_t tasks_a_core(const struct asking *a, const struct sl_group *group)
{
	const bool apart = group->task.gpus || a->threads <= a->cpus || a->threads % a->cpus != 0;
	const int64_t together = apart ? 1 : a->threads / a->cpus;
	if (a->tasks == 1 || (a->per_node && a->per_node % together != 0) ||
		ceil_div(a->tasks, together) < a->nodes_min)
		return 1;
	return together;
}

static void by_tasks(const struct asking *a, struct sl_group *group)
{
	group->task.gpus = a->gpus ? a->gpus : a->job_gpus / a->tasks;
	const int64_t together = tasks_a_core(a, group);
	group->task.cpus = ceil_div(a->cpus * together, a->threads) * a->threads;
	group->task.mem = a->mem * together;
	group->tasks = (uint32_t)ceil_div(a->tasks, together);
	group->tasks_per_node = (uint32_t)(a->per_node / together);
	group->nodes_min = (uint32_t)a->nodes_min;
	group->nodes_max = (uint32_t)a->nodes_max;
}

/* Something is requested of each node, or what is requested of the job does not divide evenly. */
static bool goes_by_nodes(const struct asking *a, const struct extent *e)
{
	if (a->node_mem || a->node_gpus || a->all_mem || scenario_desc_known(a->desc->cpus_min, 0) > 1)
		return true;
	if (a->job_gpus % a->tasks != 0 || (e->gpus && a->job_gpus / a->tasks > e->gpus))
		return true;
	const bool fixed = a->nodes_min && a->nodes_min == a->nodes_max && a->tasks % a->nodes_min == 0;
	return fixed && a->cpus % a->threads != 0;
}

/* The partition's bound on the cpus of a node. */
static enum cause bound_cpus(const struct asking *a, struct sl_group *group)
{
	const int64_t bound = a->partition ? scenario_desc_known(a->partition->cpus_per_node_max, 0) : 0;
	if (bound <= 0 || !group->task.cpus)
		return CAUSE_COUNT;
	const int64_t tasks = bound / group->task.cpus;
	if (!tasks)
		return CAUSE_SET;
	if (!group->tasks_per_node || tasks < group->tasks_per_node)
		group->tasks_per_node = (uint32_t)scenario_desc_least(tasks, TASKS_MAX);
	return CAUSE_COUNT;
}

static enum cause limits_hold(const struct asking *a, const struct sl_row *row)
{
	const struct sl_partition *partition = a->partition;
	const sl_time limit = row->col[SL_COL_LIMIT];
	if (!partition)
		return CAUSE_COUNT;
	if (limit > 0 && scenario_desc_known(partition->max_time, SL_NEVER) < limit)
		return CAUSE_TIME;
	const int64_t nodes_max = scenario_desc_known(partition->nodes_max, INT64_MAX);
	if (a->nodes_min > nodes_max ||
		(a->nodes_max && a->nodes_max < scenario_desc_known(partition->nodes_min, 0)))
		return CAUSE_NODE_COUNT;
	return CAUSE_COUNT;
}

static void take_nodes(struct asking *a)
{
	a->nodes_min = most(scenario_desc_known(a->desc->nodes_min, 0), 0);
	a->nodes_max = most(scenario_desc_known(a->desc->nodes_max, a->nodes_min), 0);
}

/* At least the partition's MinNodes; a job that names none is not refused for that. */
static void raise_nodes(struct asking *a)
{
	const int64_t nodes_min = a->partition ? scenario_desc_known(a->partition->nodes_min, 0) : 0;
	if (nodes_min > 1 && a->nodes_min < nodes_min) {
		a->nodes_min = nodes_min;
		a->tasks = most(a->tasks, nodes_min);
	}
}

static enum cause make_group(struct asking *a, struct sl_group *group)
{
	take_tasks(a);
	raise_nodes(a);
	if (a->nodes_max && a->nodes_max < a->nodes_min)
		return CAUSE_BOUNDS;
	const struct extent e = extent_of(a);
	a->threads = a->machine->scenario->cluster.select == SL_SELECT_CORES ? e.threads : 1;
	if (a->tasks > TASKS_MAX || a->nodes_max > TASKS_MAX)
		return CAUSE_LARGE;
	take_cpus(a);
	if (a->cpus > TASKS_MAX)
		return CAUSE_LARGE;
	take_mem(a);
	group->exclusive = is_exclusive(a);
	if (group->exclusive)
		a->all_mem = false; /* It has it anyway. */
	if (goes_by_nodes(a, &e)) {
		const enum cause cause = by_nodes(a, &e, group);
		if (cause != CAUSE_COUNT)
			return cause;
	} else {
		by_tasks(a, group);
	}
	group->tasks_min = group->tasks_max = group->tasks;
	if (group->task.gpus)
		group->task.gpu_types = a->gpu_types;
	return bound_cpus(a, group);
}

/* Where a job has no limit, the partition's. */
static sl_time scenario_desc_limit_of(const struct sl_partition *partition)
{
	if (!partition)
		return 0;
	const sl_time given = scenario_desc_known(
		partition->default_time, scenario_desc_known(partition->max_time, SL_NEVER));
	return given > 0 && given < SL_NEVER ? given : 0;
}

int desc_bind(struct machine *machine, const char *partition, struct bound_row *bound, enum cause *cause,
	struct sl_err *err)
{
	struct sl_job_desc desc;
	struct asked asked;
	struct asking a = { .machine = machine, .desc = &desc, .binding = BINDING_NONE };
	sl_job_desc_clear(&desc);
	desc.partition = partition;
	*cause = take_partition(&a, &asked);
	if (*cause == CAUSE_PARTITION && (!partition || !*partition))
		*cause = CAUSE_COUNT; /* There is no default one: any node will do. */
	bound->binding = a.binding;
	const sl_time given = a.partition ? scenario_desc_known(a.partition->default_time, 0) : 0;
	bound->limit = given > 0 && given < SL_NEVER ? given : 0;
	bound->exclusive = (a.partition && a.partition->share == SL_SHARE_EXCLUSIVE) ||
			   machine->scenario->cluster.select == SL_SELECT_LINEAR;
	if (*cause != CAUSE_COUNT)
		return SL_OK;
	const int status = set_bind(machine, &a.binding, &bound->node_set, err);
	if (!status && bound->node_set == UINT32_MAX)
		*cause = CAUSE_SETS;
	return status;
}

/* In thousandths. What is far beyond any node stays that. */
static void in_parts(struct sl_group *group)
{
	group->task.cpus = scenario_desc_least(group->task.cpus, asked_max) * PARTS;
	group->task.gpus = scenario_desc_least(group->task.gpus, asked_max) * PARTS;
}

/* Contradictions and overflows: tasks with the resources of each. */
static void by_words(const struct asking *a, struct sl_group *group)
{
	group->tasks = group->tasks_min = group->tasks_max =
		(uint32_t)scenario_desc_least(most(a->tasks, 1), TASKS_MAX);
	group->task.cpus = most(a->cpus, 1);
	group->task.mem = a->node_mem ? a->node_mem : a->mem;
	group->task.gpus = a->tasks > 0 ? gpus_a_task(a) : a->gpus;
}

int desc_said(
	struct machine *machine, const struct sl_job_desc *desc, struct sl_group *group, struct sl_err *err)
{
	struct asked asked;
	struct asking a = { .machine = machine, .desc = desc, .threads = 1, .binding = BINDING_NONE };
	memset(group, 0, sizeof(*group));
	take_nodes(&a);
	a.nodes_max = most(a.nodes_max, a.nodes_min);
	(void)take_partition(&a, &asked);
	(void)take_gpus(&a);
	if (make_group(&a, group) != CAUSE_COUNT && !group->tasks)
		by_words(&a, group);
	in_parts(group);
	const int status = set_bind(machine, &a.binding, &group->node_set, err);
	if (group->node_set == UINT32_MAX)
		group->node_set = machine->closed_bound;
	return status;
}

int desc_group(struct machine *machine, const struct sl_job_desc *desc, const struct sl_row *row,
	struct sl_group *group, struct asked *asked, struct sl_err *err)
{
	enum cause *const cause = &asked->cause;
	struct asking a = { .machine = machine, .desc = desc, .threads = 1, .binding = BINDING_NONE };
	memset(group, 0, sizeof(*group));
	take_nodes(&a);
	asked->window = UINT32_MAX;
	*cause = take_partition(&a, asked);
	asked->limit = scenario_desc_limit_of(a.partition);
	int status = SL_OK;
	if (*cause == CAUSE_COUNT)
		status = take_reservation(&a, row, asked, cause, err);
	if (!status && *cause == CAUSE_COUNT)
		status = take_lists(&a, cause, err);
	if (status || *cause != CAUSE_COUNT)
		return status;
	*cause = limits_hold(&a, row);
	if (*cause == CAUSE_COUNT)
		*cause = take_gpus(&a);
	if (*cause == CAUSE_COUNT)
		*cause = make_group(&a, group);
	if (*cause != CAUSE_COUNT)
		return SL_OK;
	asked->binding = a.binding;
	in_parts(group);
	status = set_bind(machine, &a.binding, &group->node_set, err);
	if (!status && group->node_set == UINT32_MAX)
		*cause = CAUSE_SETS;
	return status;
}
