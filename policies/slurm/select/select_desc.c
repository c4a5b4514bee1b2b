/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_desc.c - a job's request as slurmctld completes it, once sbatch and it have filled in the defaults.
 *
 * Rules (sbatch(1), slurm.conf(5), gres.html; the public source of 22.05 in
 * outline, opt.c, job_mgr.c and gres.c):
 * - Nothing said: one task on one node. Nodes alone: one task to each, so many
 *   cpus. --nodes=min-max gets as many as it can up to max, but min under
 *   --use-min-nodes; more nodes than tasks are never wanted.
 * - --nodelist: all its nodes are required; --nodes smaller than it is raised.
 * - --ntasks-per-node without --ntasks gives that many tasks to each node.
 * - Memory: of a node, of a cpu, or the partition's or cluster's default; with no default all memory of
 *   each node. MaxMemPerCPU: memory of a cpu beyond it adds further cpus to each task, of a node beyond
 *   it further cpus of it. Beyond MaxMemPerNode (_valid_pn_min_mem) it starts nowhere.
 * - Gres of a job that is a multiple of gres of a node fixes the nodes, of a
 *   task the tasks. --ntasks-per-gpu gives tasks from gpus, or gpus from tasks.
 * - --hint=nomultithread is one thread of a core.
 * - --exclusive and OverSubscribe=EXCLUSIVE: whole nodes.
 */
#include "policies/slurm/select/select_parts.h"

#include <strings.h>

static int64_t or_else(int64_t value, int64_t otherwise) { return value == SL_NONE ? otherwise : value; }
static bool select_desc_said(int64_t value) { return value != SL_NONE; }

static bool select_desc_refuse(struct sel_request *q, const char *why)
{
	if (!q->never)
		q->never = why;
	return false;
}

static const char config[] = "Requested node configuration is not available";
static const char bad_gres[] = "Invalid generic resource (gres) specification";

/* ---- Gres ------------------------------------------------------------------------- */

static uint32_t find_name(const char *const *names, uint32_t count, const char *text, size_t len)
{
	for (uint32_t i = 0; i < count; i++)
		if (strlen(names[i]) == len && strncasecmp(names[i], text, len) == 0)
			return i;
	return UINT32_MAX;
}

static struct sel_gres_request *gres_of(struct sel_request *q, uint32_t name, uint32_t type)
{
	for (uint32_t g = 0; g < q->gres_count; g++)
		if (q->gres[g].name == name && q->gres[g].type == type)
			return &q->gres[g];
	if (q->gres_count == SEL_GRES)
		return NULL;
	struct sel_gres_request *r = &q->gres[q->gres_count++];
	*r = (struct sel_gres_request){ .name = name, .type = type };
	return r;
}

/* "4", "4k": with a suffix of powers of 1024. */
static bool get_count(const char *text, size_t len, int64_t *count)
{
	static const char suffix[] = "kmgtp";
	int64_t unit = 1;
	if (len > 1)
		for (size_t i = 0; i < sizeof(suffix) - 1; i++)
			if ((text[len - 1] | 0x20) == suffix[i]) {
				unit = INT64_C(1) << (10 * (i + 1));
				len--;
				break;
			}
	if (!sl_get_i64(text, len, count) || *count < 0 || *count > (INT64_C(1) << 50) / unit)
		return false;
	*count *= unit;
	return true;
}

/* One of "name[:type][:count]", or, of GPUs, "[type:]count". */
static bool add_gres(
	const struct select *s, struct sel_request *q, const char *text, size_t len, bool gpus, size_t member)
{
	const char *end = text + len;
	uint32_t name = s->gpu, type = UINT32_MAX;
	int64_t count = 1;
	if (len > 5 && strncasecmp(text, "gres:", 5) == 0)
		text += 5;
	if (!gpus) {
		const char *colon = memchr(text, ':', (size_t)(end - text));
		const char *stop = colon ? colon : end;
		name = find_name(s->gres_name, s->gres_name_count, text, (size_t)(stop - text));
		text = colon ? colon + 1 : end;
	}
	const char *colon = memchr(text, ':', (size_t)(end - text));
	const char *last = colon ? colon + 1 : text;
	const bool counted = get_count(last, (size_t)(end - last), &count);
	if (text < end && (colon || !counted)) {
		const char *stop = colon ? colon : end;
		type = find_name(s->type_name, s->type_count, text, (size_t)(stop - text));
		if (type == UINT32_MAX)
			return select_desc_refuse(q, config);
	}
	if (colon && !counted)
		return select_desc_refuse(q, bad_gres);
	if (!counted)
		count = 1;
	if (name == UINT32_MAX)
		return select_desc_refuse(q, count ? bad_gres : NULL);
	if (count == 0)
		return true;
	struct sel_gres_request *r = gres_of(q, name, type);
	if (!r)
		return select_desc_refuse(q, bad_gres);
	memcpy((char *)r + member, &count, sizeof(count));
	return true;
}

static void add_list(
	const struct select *s, struct sel_request *q, const char *text, bool gpus, size_t member)
{
	for (const char *at = text; at && *at;) {
		const char *comma = strchr(at, ',');
		const size_t len = comma ? (size_t)(comma - at) : strlen(at);
		if (len)
			(void)add_gres(s, q, at, len, gpus, member);
		at = comma ? comma + 1 : NULL;
	}
}

static const char *partition_setting(const struct select *s, uint32_t partition, const char *key)
{
	const struct sl_cluster *c = s->cluster;
	const char *value = partition < c->partition_count
				    ? sl_setting_of(c, "partition", c->partition[partition].name, key)
				    : NULL;
	return value ? value : sl_setting_of(c, "cluster", "", key);
}

static int64_t select_desc_number_of(const char *text)
{
	int64_t value;
	return text && sl_get_i64(text, strlen(text), &value) ? value : SL_NONE;
}

/* One of JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=1000, or a key by itself: of the partition, or the cluster.
 */
static int64_t job_default(const struct select *s, uint32_t partition, const char *key)
{
	const char *list = partition_setting(s, partition, "JobDefaults");
	const char *at = list ? strcasestr(list, key) : NULL;
	int64_t value;
	if (at && at[strlen(key)] == '=') {
		at += strlen(key) + 1;
		if (sl_get_i64(at, strspn(at, "0123456789"), &value))
			return value;
	}
	return select_desc_number_of(partition_setting(s, partition, key));
}

static void set_gpu_defaults(const struct select *s, struct sel_request *q)
{
	const struct sl_cluster *c = s->cluster;
	const struct sl_partition *p = q->partition < c->partition_count ? &c->partition[q->partition] : NULL;
	int64_t cpus = p ? p->cpus_per_gpu : SL_NONE, mem = p ? p->mem_per_gpu : SL_NONE;
	if (!select_desc_said(cpus))
		cpus = job_default(s, q->partition, "DefCpuPerGPU");
	if (!select_desc_said(mem))
		mem = job_default(s, q->partition, "DefMemPerGPU");
	for (uint32_t g = 0; g < q->gres_count; g++) {
		struct sel_gres_request *r = &q->gres[g];
		if (r->name != s->gpu)
			continue;
		r->cpus_default = q->cpus_per_task_said ? 0 : max64(or_else(cpus, 0), 0);
		r->mem_default = max64(or_else(mem, 0), 0);
		if (r->cpus_default && r->per_task)
			q->cpus_per_task = max64(q->cpus_per_task, r->per_task * r->cpus_default);
	}
}

/* What gres of a job, a node, a socket and a task say of each other. */
static bool agree(struct sel_request *q, struct sel_gres_request *r)
{
	if (r->per_job &&
		(r->per_node > r->per_job || r->per_task > r->per_job || r->per_socket > r->per_job))
		return select_desc_refuse(q, bad_gres);
	if (r->per_node && (r->per_task > r->per_node || r->per_socket > r->per_node))
		return select_desc_refuse(q, bad_gres);
	if ((r->per_socket && !q->sockets_per_node) || (r->per_task && !q->tasks))
		return select_desc_refuse(q, bad_gres);
	if (r->per_job && r->per_node) {
		const int64_t nodes = r->per_job / r->per_node;
		if (r->per_job % r->per_node || nodes < q->nodes_min ||
			(q->nodes_max && nodes > q->nodes_max))
			return select_desc_refuse(q, bad_gres);
		q->nodes_min = q->nodes_max = nodes;
	}
	if (r->per_node && r->per_socket &&
		(r->per_node % r->per_socket || r->per_node / r->per_socket != q->sockets_per_node))
		return select_desc_refuse(q, bad_gres);
	if (r->per_job && r->per_task && (r->per_job % r->per_task || r->per_job / r->per_task != q->tasks))
		return select_desc_refuse(q, bad_gres);
	if (r->per_node && r->per_task) {
		const int64_t tasks = r->per_node / r->per_task;
		if (r->per_node % r->per_task || (q->tasks_per_node && q->tasks_per_node != tasks))
			return select_desc_refuse(q, bad_gres);
		q->tasks_per_node = tasks;
	}
	if (r->cpus_per && r->per_task) {
		if (q->cpus_per_task_said && q->cpus_per_task != r->cpus_per * r->per_task)
			return select_desc_refuse(q, bad_gres);
		q->cpus_per_task = r->cpus_per * r->per_task;
		q->cpus_min = max64(q->cpus_min, q->tasks * q->cpus_per_task);
	}
	/* Each node has one of a job's. */
	if (r->per_job && r->per_job < q->nodes_min)
		return select_desc_refuse(q, bad_gres);
	if (r->per_job && q->nodes_max)
		q->nodes_max = min64(q->nodes_max, r->per_job);
	return true;
}

/* Before 23.02 tasks that come of GPUs count for cpus only if they are more than the cpus so far. */
static void tasks_of_gpus(const struct select *s, struct sel_request *q, int64_t each)
{
	for (uint32_t g = 0; g < q->gres_count; g++) {
		struct sel_gres_request *r = &q->gres[g];
		if (!r->per_job && !r->per_node)
			continue;
		r->tasks_per = each;
		if (!q->tasks) {
			q->tasks = each * (r->per_job ? r->per_job : r->per_node * q->nodes_min);
			if (s->version >= SEL_23_02 || q->tasks > q->cpus_min)
				q->cpus_min = max64(q->cpus_min, q->tasks * q->cpus_per_task);
		}
	}
}

/* The least cpus that cpus-per-gpu makes of a node and of the job. */
static void least_cpus(struct sel_request *q)
{
	for (uint32_t g = 0; g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		const int64_t each = r->cpus_per ? r->cpus_per : r->cpus_default;
		const int64_t sockets = max64(q->sockets_per_node, 1), tasks = max64(q->tasks_per_node, 1);
		const int64_t node = r->per_node     ? r->per_node
				     : r->per_socket ? r->per_socket * sockets
				     : r->per_task   ? r->per_task * q->tasks_per_node
						     : 1;
		const int64_t job = r->per_job      ? r->per_job
				    : r->per_node   ? r->per_node * q->nodes_min
				    : r->per_socket ? r->per_socket * q->nodes_min * sockets
						    : r->per_task * tasks * q->nodes_min;
		q->gres_node_cpus = max64(q->gres_node_cpus, each * node);
		q->gres_job_cpus = max64(q->gres_job_cpus, each * job);
	}
}

/* From 24.05 on the job's least cpus are those of --cpus-per-gpu, too. */
static void count_cpus_of_gpus(const struct select *s, struct sel_request *q)
{
	int64_t cpus = 0;
	for (uint32_t g = 0; g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		const int64_t units = r->per_job    ? r->per_job
				      : r->per_node ? r->per_node * q->nodes_min
				      : r->per_socket
					      ? r->per_socket * max64(q->sockets_per_node, 1) * q->nodes_min
					      : r->per_task * q->tasks;
		if (r->name == s->gpu)
			cpus += r->cpus_per * units;
	}
	q->cpus_min = max64(q->cpus_min, cpus);
}

static void read_gres(const struct select *s, struct sel_request *q)
{
	const struct sl_job_desc *desc = &q->desc;
	int64_t each = or_else(desc->tasks_per_gpu, 0);
	add_list(s, q, desc->gpus, true, offsetof(struct sel_gres_request, per_job));
	add_list(s, q, desc->gres, false, offsetof(struct sel_gres_request, per_node));
	add_list(s, q, desc->gpus_per_node, true, offsetof(struct sel_gres_request, per_node));
	add_list(s, q, desc->gpus_per_socket, true, offsetof(struct sel_gres_request, per_socket));
	add_list(s, q, desc->gpus_per_task, true, offsetof(struct sel_gres_request, per_task));
	add_list(s, q, desc->gres_per_task, false, offsetof(struct sel_gres_request, per_task));
	if (each > 0 && !q->gres_count && q->tasks && s->gpu != UINT32_MAX)
		gres_of(q, s->gpu, UINT32_MAX)->per_job = div_up(q->tasks, each);
	for (uint32_t g = 0; g < q->gres_count; g++) {
		if (q->gres[g].name != s->gpu)
			continue;
		q->gres[g].cpus_per = or_else(desc->cpus_per_gpu, 0);
		q->gres[g].mem_per = or_else(desc->mem_per_gpu, 0);
	}
	if (each > 0)
		tasks_of_gpus(s, q, each);
	for (uint32_t g = 0; g < q->gres_count; g++)
		if (!agree(q, &q->gres[g]))
			return;
	set_gpu_defaults(s, q);
	least_cpus(q);
	if (s->version >= SEL_24_05)
		count_cpus_of_gpus(s, q);
	q->enforce_binding = desc->gres_flags && strcasestr(desc->gres_flags, "enforce-binding");
}

/* ---- Tasks, nodes, cpus ---------------------------------------------------------------- */

static void read_layout(struct sel_request *q, const char *text)
{
	if (!text)
		return;
	if (strncasecmp(text, "plane=", 6) == 0) {
		const size_t len = strspn(text + 6, "0123456789");
		q->plane = sl_get_i64(text + 6, len, &q->plane_size) && q->plane_size > 0;
		return;
	}
	const char *colon = strchr(text, ':');
	if (!colon)
		return;
	if (strncasecmp(colon + 1, "block", 5) == 0)
		q->layout = SEL_LAYOUT_BLOCK;
	else if (strncasecmp(colon + 1, "cyclic", 6) == 0 || strncasecmp(colon + 1, "fcyclic", 7) == 0)
		q->layout = SEL_LAYOUT_CYCLIC;
}

static void read_tasks(struct sel_request *q, int64_t listed)
{
	const struct sl_job_desc *desc = &q->desc;
	int64_t nodes = or_else(desc->nodes_min, 1),
		most = select_desc_said(desc->nodes_max) ? desc->nodes_max : 0;
	if (select_desc_said(desc->nodes_min) && !most)
		most = nodes;
	nodes = select_desc_said(desc->nodes_min) ? max64(nodes, listed) : max64(listed, 1);
	if (most)
		most = max64(most, nodes);
	int64_t tasks = or_else(desc->tasks, 1);
	q->tasks = or_else(desc->tasks, 0);
	if (!q->tasks && (nodes == most || !most) && select_desc_said(desc->tasks_per_node)) {
		tasks = q->tasks = nodes * desc->tasks_per_node;
	} else if (!q->tasks && select_desc_said(desc->nodes_min) && nodes == most) {
		const int64_t sockets = or_else(desc->sockets_per_node, 0);
		const int64_t cores = or_else(desc->cores_per_socket, 0);
		const int64_t threads = or_else(desc->threads_per_core, 0);
		tasks = nodes;
		if (sockets && cores && threads)
			tasks = q->tasks = nodes * sockets * cores * threads;
	} else if (q->tasks && select_desc_said(desc->nodes_min)) {
		most = min64(most, q->tasks);
		if (q->tasks < nodes)
			nodes = most = q->tasks;
	}
	q->nodes_min = select_desc_said(desc->nodes_min) ? nodes : 1;
	q->nodes_max = most;
	q->cpus_min = desc->overcommit
			      ? max64(nodes, 1)
			      : tasks * (select_desc_said(desc->cpus_per_task) ? desc->cpus_per_task : 1);
	/* Of a list of nodes at least one cpu each. */
	q->nodes_min = max64(q->nodes_min, listed);
	q->cpus_min = max64(q->cpus_min, listed);
	/* slurmctld's, where sbatch leaves it open: of a range of nodes the least. */
	if (!q->tasks && select_desc_said(desc->tasks_per_node) && select_desc_said(desc->nodes_min)) {
		q->tasks = q->nodes_min * desc->tasks_per_node;
		if (!desc->overcommit && q->tasks > q->cpus_min)
			q->cpus_min = q->tasks * max64(or_else(desc->cpus_per_task, 1), 1);
	}
	if (q->nodes_max)
		q->nodes_max = max64(q->nodes_max, q->nodes_min);
}

static void read_shape(const struct select *s, struct sel_request *q)
{
	const struct sl_job_desc *desc = &q->desc;
	q->overcommit = desc->overcommit;
	q->cpus_per_task_said = select_desc_said(desc->cpus_per_task);
	q->cpus_per_task = max64(or_else(desc->cpus_per_task, 1), 1);
	q->tasks_per_node = or_else(desc->tasks_per_node, desc->overcommit ? 1 : 0);
	if (s->version < SEL_24_05 && select_desc_said(desc->tasks_per_node) && !q->overcommit &&
		q->tasks > 1)
		q->tasks = max64(q->tasks, q->tasks_per_node * q->nodes_min);
	q->tasks_per_socket = or_else(desc->tasks_per_socket, 0);
	q->tasks_per_core = or_else(desc->tasks_per_core, s->one_task_per_core ? 1 : 0);
	q->sockets_per_node = or_else(desc->sockets_per_node, 0);
	q->cores_per_socket = or_else(desc->cores_per_socket, 0);
	q->threads_per_core = or_else(desc->threads_per_core, desc->no_multithread ? 1 : 0);
	q->contiguous = desc->contiguous;
	q->spread = desc->spread;
	q->switches = or_else(desc->switches, 0);
	q->switches_wait = or_else(desc->switches_wait, SL_NEVER);
	read_layout(q, desc->distribution);
}

/* The largest node of the partition (part_record's max_cpu_cnt; 22.05 takes its first node). */
static const struct sel_shape *largest_of(const struct select *s, uint32_t partition)
{
	const struct sel_shape *largest = NULL;
	for (uint32_t n = 0; n < s->node_count; n++) {
		const struct sel_shape *shape = &s->shape[s->node[n].shape];
		if (bit_test(s->partition[partition].nodes, n) && (!largest || shape->cpus > largest->cpus))
			largest = shape;
	}
	return largest;
}

/* _valid_pn_min_mem(): what it asks of a node, memory of a cpu taken for the fewest cpus that it may have
 * there. */
static bool exceeds_node_max(const struct select *s, const struct sel_request *q, int64_t node_max)
{
	const struct sel_shape *largest = largest_of(s, q->partition);
	int64_t cpus = max64(q->tasks_per_node, 1);
	if (!q->mem_per_cpu)
		return (q->mem || !largest ? q->mem : largest->mem) > node_max;
	if (q->tasks && q->nodes_max)
		cpus = max64(cpus, div_up(q->tasks, q->nodes_max));
	cpus = max64(cpus * q->cpus_per_task, or_else(q->desc.cpus_min, 1));
	if (q->whole == SL_EXCLUSIVE_NODE && largest)
		cpus = largest->cpus;
	return q->mem * cpus > node_max;
}

static void read_memory(const struct select *s, struct sel_request *q)
{
	const struct sl_job_desc *desc = &q->desc;
	const struct sl_cluster *c = s->cluster;
	const struct sl_partition *p = q->partition < c->partition_count ? &c->partition[q->partition] : NULL;
	q->mem_said = select_desc_said(desc->mem_per_node) || select_desc_said(desc->mem_per_cpu);
	if (select_desc_said(desc->mem_per_node)) {
		q->mem = desc->mem_per_node;
	} else if (select_desc_said(desc->mem_per_cpu)) {
		q->mem = desc->mem_per_cpu;
		q->mem_per_cpu = true;
	} else if (p && select_desc_said(p->mem_per_cpu)) {
		q->mem = p->mem_per_cpu;
		q->mem_per_cpu = true;
	} else if (p && select_desc_said(p->mem_per_node)) {
		q->mem = p->mem_per_node;
	} else if (select_desc_number_of(sl_setting_of(c, "cluster", "", "DefMemPerCPU")) > 0) {
		q->mem = select_desc_number_of(sl_setting_of(c, "cluster", "", "DefMemPerCPU"));
		q->mem_per_cpu = true;
	} else {
		q->mem = max64(
			or_else(select_desc_number_of(sl_setting_of(c, "cluster", "", "DefMemPerNode")), 0),
			0);
	}
	if (q->mem == 0)
		q->mem_per_cpu = false;
	int64_t cpu_max = p ? p->mem_per_cpu_max : SL_NONE, node_max = p ? p->mem_per_node_max : SL_NONE;
	if (!select_desc_said(cpu_max) && !select_desc_said(node_max)) {
		cpu_max = select_desc_number_of(sl_setting_of(c, "cluster", "", "MaxMemPerCPU"));
		node_max = select_desc_number_of(sl_setting_of(c, "cluster", "", "MaxMemPerNode"));
	}
	if (cpu_max > 0 && q->mem_per_cpu && q->mem > cpu_max) {
		const int64_t ratio = div_up(q->mem, cpu_max);
		q->cpus_per_task *= ratio;
		q->mem = div_up(q->mem, ratio);
		q->cpus_min = q->overcommit ? q->cpus_min : q->cpus_min * ratio;
	} else if (cpu_max > 0 && !q->mem_per_cpu) {
		q->node_cpus_min = max64(q->node_cpus_min, div_up(q->mem, cpu_max));
	} else if (cpu_max <= 0 && node_max > 0) {
		q->mem_over = exceeds_node_max(s, q, node_max);
	}
}

/* ---- Nodes --------------------------------------------------------------------------- */

struct listing {
	const struct select *s;
	uint64_t *set;
	bool missing;
};

static int add_node(void *self, const char *name, size_t len)
{
	struct listing *list = self;
	const struct select *s = list->s;
	uint32_t from = 0, until = s->node_count;
	while (from < until) {
		const uint32_t middle = from + (until - from) / 2;
		const char *other = s->cluster->node_name[s->by_name[middle]];
		int order = strncmp(other, name, len);
		if (order == 0 && other[len])
			order = 1;
		if (order == 0) {
			bit_set(list->set, s->by_name[middle]);
			return 0;
		}
		if (order < 0)
			from = middle + 1;
		else
			until = middle;
	}
	list->missing = true;
	return 0;
}

int sel_node_list(const struct select *s, const char *text, uint64_t *set, bool *missing)
{
	struct listing list = { .s = s };
	struct sl_err err = { 0 };
	list.set = set;
	if (sl_hosts_each(text, strlen(text), NULL, &err, add_node, &list) != 0)
		list.missing = true;
	*missing = list.missing;
	return SL_OK;
}

/* Large enough as it is built, whatever runs there. */
static bool shape_fits(const struct select *s, const struct sel_request *q, const struct sel_shape *shape)
{
	return shape->cpus >= q->node_cpus_min && (!s->cr_mem || shape->mem >= q->mem) &&
	       shape->tmp >= or_else(q->desc.tmp, 0) && shape->sockets >= q->sockets_per_node &&
	       shape->cores >= q->cores_per_socket && shape->threads >= q->threads_per_core;
}

/* The nodes with the features of a constraint, but for those that are counted: evaluated from left to right,
 * parentheses first. [a|b] is any of them here. */
static bool shape_features(const struct sel_request *q, const struct sel_shape *shape)
{
	bool all = true, inner = true;
	enum sel_join join = SEL_AND, inner_join = SEL_AND, outer = SEL_AND;
	uint32_t paren = 0;
	for (uint32_t i = 0; i < q->feature_count; i++) {
		const struct sel_feature *f = &q->feature[i];
		const bool has = f->count > 0 || sel_shape_has(shape, f);
		if (f->paren && !paren) {
			outer = join;
			inner = has;
		} else if (f->paren) {
			inner = inner_join == SEL_AND ? inner && has : inner || has;
		} else {
			all = join == SEL_AND ? all && has : all || has;
		}
		paren = f->paren;
		inner_join = join = f->join;
		const bool last = i + 1 == q->feature_count || q->feature[i + 1].paren != f->paren;
		if (f->paren && last) {
			all = outer == SEL_AND ? all && inner : all || inner;
			paren = 0;
		}
	}
	return all;
}

bool sel_shape_has(const struct sel_shape *shape, const struct sel_feature *f)
{
	for (uint32_t i = 0; i < shape->feature_count; i++)
		if (strncmp(shape->feature[i], f->name, f->len) == 0 && !shape->feature[i][f->len])
			return true;
	return false;
}

/* "a&b", "a|b", "(a|b)&c", "[a|b]", "a*2&b*3". 0; negative: it is none. */
static int parse_features(struct sel_request *q, const char *text)
{
	uint32_t paren = 0, parens = 0;
	bool bracket = false, counted = false;
	for (const char *at = text; *at;) {
		if (*at == '(' || *at == '[') {
			bracket = bracket || *at == '[';
			paren = *at++ == '(' ? ++parens : paren;
			continue;
		}
		const size_t len = strcspn(at, "&|*()[], ");
		if (!len || q->feature_count == SEL_FEATURES)
			return -1;
		struct sel_feature *f = &q->feature[q->feature_count++];
		*f = (struct sel_feature){ .name = at, .len = len, .paren = paren };
		at += len;
		for (bool more = true; more;) {
			more = false;
			if (*at == '*') {
				const size_t digits = strspn(at + 1, "0123456789");
				if (!sl_get_i64(at + 1, digits, &f->count) || f->count <= 0)
					return -1;
				at += 1 + digits;
				counted = more = true;
			} else if (*at == ')' || *at == ']') {
				paren = *at == ')' ? 0 : paren;
				bracket = bracket && *at != ']';
				at++;
				more = true;
			}
		}
		if (*at == '&' || *at == ',')
			f->join = bracket && counted ? SEL_XAND : SEL_AND;
		else if (*at == '|')
			f->join = bracket ? SEL_XOR : SEL_OR;
		else if (*at)
			return -1;
		at += *at != '\0';
		if (f->count && paren == 0 && parens && q->feature_count > 1)
			for (uint32_t i = q->feature_count - 1; i-- > 0 && q->feature[i].paren == f->paren;)
				q->feature[i].count = f->paren ? f->count : q->feature[i].count;
	}
	return paren || bracket ? -1 : 0;
}

static bool read_nodes(struct select *s, struct sel_request *q, uint64_t *listed)
{
	const struct sl_job_desc *desc = &q->desc;
	bool missing = false;
	q->candidates = sl_alloc(s->arena, s->words, sizeof(uint64_t));
	if (!q->candidates)
		return select_desc_refuse(q, "no memory");
	if (desc->constraint && parse_features(q, desc->constraint) != 0)
		return select_desc_refuse(q, "Invalid feature specification");
	bool fits[256];
	for (uint32_t i = 0; i < s->shape_count && i < SL_LEN(fits); i++)
		fits[i] = shape_fits(s, q, &s->shape[i]) && shape_features(q, &s->shape[i]);
	for (uint32_t n = 0; n < s->node_count; n++) {
		const uint32_t shape = s->node[n].shape;
		const bool fit = shape < SL_LEN(fits) ? fits[shape]
						      : shape_fits(s, q, &s->shape[shape]) &&
								shape_features(q, &s->shape[shape]);
		if (fit && bit_test(s->partition[q->partition].nodes, n))
			bit_set(q->candidates, n);
	}
	if (desc->exclude) {
		uint64_t *out = s->set[7];
		memset(out, 0, s->words * sizeof(*out));
		(void)sel_node_list(s, desc->exclude, out, &missing);
		for (size_t w = 0; w < s->words; w++)
			q->candidates[w] &= ~out[w];
	}
	if (listed && !bits_within(listed, q->candidates, s->words))
		return select_desc_refuse(q, config);
	for (uint32_t i = 0; i < q->feature_count; i++) {
		bool known = false;
		for (uint32_t k = 0; k < s->shape_count; k++)
			known = known || sel_shape_has(&s->shape[k], &q->feature[i]);
		if (!known)
			return select_desc_refuse(q, "Invalid feature specification");
	}
	return true;
}

/* --exclusive=mcs keeps jobs of other labels off: with MCSPlugin=mcs/user that is other users'; without a
 * plugin no job has a label. From 24.05 on, which brought it, --exclusive=topo wants no whole nodes. */
static enum sl_exclusive select_desc_whole(const struct select *s, const struct sl_job_desc *desc)
{
	if (desc->exclusive == SL_EXCLUSIVE_TOPO)
		return s->version >= SEL_24_05 ? SL_EXCLUSIVE_NO : SL_EXCLUSIVE_NODE;
	if (desc->exclusive != SL_EXCLUSIVE_MCS)
		return desc->exclusive;
	const char *plugin = sl_setting_of(s->cluster, "cluster", "", "MCSPlugin");
	return plugin && strcasecmp(plugin, "mcs/user") == 0 ? SL_EXCLUSIVE_USER : SL_EXCLUSIVE_NO;
}

static void select_desc_fill(struct select *s, struct sel_request *q)
{
	const struct sl_job_desc *desc = &q->desc;
	const struct sel_partition *p = &s->partition[q->partition];
	uint64_t *listed = NULL;
	bool missing = false;
	q->ever = -1;
	q->share = desc->oversubscribe ? 1 : -1;
	q->whole = (uint8_t)select_desc_whole(s, desc);
	q->whole_topo =
		s->version >= SEL_24_05 && (desc->exclusive == SL_EXCLUSIVE_TOPO || p->exclusive_topo);
	if (p->exclusive || s->linear)
		q->whole = SL_EXCLUSIVE_NODE;
	else if (p->exclusive_user && !q->whole)
		q->whole = SL_EXCLUSIVE_USER;
	if (q->whole == SL_EXCLUSIVE_NODE &&
		(select_desc_whole(s, desc) == SL_EXCLUSIVE_NODE || p->exclusive))
		q->share = 0;
	if (desc->nodelist) {
		listed = q->required = sl_alloc(s->arena, s->words, sizeof(uint64_t));
		if (!listed) {
			(void)select_desc_refuse(q, "no memory");
			return;
		}
		(void)sel_node_list(s, desc->nodelist, listed, &missing);
		if (missing)
			(void)select_desc_refuse(q, "Invalid node name specified");
	}
	read_tasks(q, listed ? bits_count(listed, s->words) : 0);
	read_shape(s, q);
	read_memory(s, q);
	q->node_cpus_asked = max64(or_else(desc->cpus_min, 1), 1);
	/* pn_min_cpus: those of one task at least, of all its tasks where they are said by the node. */
	q->node_cpus_min = max64(max64(q->node_cpus_min, q->node_cpus_asked), q->cpus_per_task);
	if (!q->overcommit && q->tasks > 1)
		q->node_cpus_min = max64(q->node_cpus_min, q->cpus_per_task * q->tasks_per_node);
	read_gres(s, q);
	if (!read_nodes(s, q, listed))
		return;
	q->nodes_want = q->nodes_max && !desc->use_min_nodes ? q->nodes_max : q->nodes_min;
	if (q->spread)
		q->nodes_want = q->nodes_max ? q->nodes_max : SEL_INFINITE;
}

/* ---- Met before? ------------------------------------------------------------------------- */

/* Of a request, without the padding at its end, which may be anything. There is none before. */
enum { DESC_BYTES = offsetof(struct sl_job_desc, no_multithread) + sizeof(bool) };

_Static_assert(sizeof(struct sl_job_desc) - DESC_BYTES < _Alignof(struct sl_job_desc), "no member follows");

static bool is_of(const struct sel_request *q, uint32_t partition, const struct sl_job_desc *desc)
{
	return q->partition == partition && memcmp(&q->desc, desc, DESC_BYTES) == 0;
}

static struct sel_request *search_or_add(struct select *s, uint32_t partition, const struct sl_job_desc *desc)
{
	const uint64_t hash = sl_hash_bytes(partition, desc, DESC_BYTES);
	uint32_t i;
	SL_MAP_EACH(&s->request_map, hash, i)
	{
		if (is_of(s->request[i], partition, desc))
			return s->request[i];
	}
	struct sel_request *q = sl_alloc(s->arena, 1, sizeof(*q));
	if (!q || SL_GROW_IN(s->arena, s->request, s->request_capacity, s->request_count + 1, NULL) ||
		sl_map_add(&s->request_map, hash, s->request_count, NULL))
		return NULL;
	q->desc = *desc;
	q->partition = partition;
	select_desc_fill(s, q);
	s->request[s->request_count++] = q;
	return q;
}

/* Jobs of equal requests mostly share a description, and a job is asked for more than once. */
struct sel_request *sel_request_of(struct select *s, const struct select_job *job)
{
	const uint32_t partition = job->partition < s->partition_count ? job->partition : 0;
	const uint64_t at = ((uintptr_t)job->desc / sizeof(*job->desc) + partition) % SL_LEN(s->request_met);
	struct sel_request **met = &s->request_met[at];
	if (!*met || !is_of(*met, partition, job->desc))
		*met = search_or_add(s, partition, job->desc);
	return *met;
}
