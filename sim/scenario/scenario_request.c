/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_request.c - the requests of a trace's rows, and whether they could ever fit on the cluster.
 *
 * On nodes, jobs with equal requests share one: rows are looked up by their groups, or by their Slurm job
 * description (scenario_desc.c makes groups of it). Whether a request fits is decided once for each that
 * does.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_machine.h"

enum { GROUPS_MAX = 1024, AMOUNT_BITS = 61, BEYOND_BITS = 40, NUMBER_CAPACITY = 24 };

/* On so many nodes so many tasks each fit. */
struct holds {
	int64_t tasks, nodes;
};

/* The machine's window that a request goes by; UINT32_MAX: none. */
struct goes {
	struct sl_group *group;
	uint32_t window;
};

struct requests {
	struct sl_group *scratch; /* The row's groups, their padding zero. */
	struct sl_job_desc *desc; /* What was written, likewise, its texts interned; if `written`. */
	struct asked *asked;      /* Of each. */
	size_t scratch_count, scratch_capacity, desc_capacity, asked_capacity;
	bool written;
	uint32_t known;         /* The row's request, if it was found while it was judged; else UINT32_MAX. */
	struct bound_row bound; /* Of a row that is not written. */
	struct names texts;
	struct goes *goes; /* By request. */
	size_t goes_capacity;
	struct sl_request *item; /* Groups live in the scenario's arena. */
	size_t capacity;
	uint32_t count;
	struct sl_map map;   /* Of requests, by their keys. */
	struct holds *holds; /* Scratch, by type. */
	size_t holds_capacity;
	enum { DEVICES_UNKNOWN, DEVICES_NONE, DEVICES_STAND } devices; /* For resources that nodes lack. */
};

void requests_free(struct requests *requests)
{
	if (!requests)
		return;
	names_release(&requests->texts);
	free(requests->desc);
	free(requests->asked);
	free(requests->goes);
	free(requests->scratch);
	free(requests->item);
	sl_map_free(&requests->map);
	free(requests->holds);
	free(requests);
}

/* ---- A row's groups ---------------------------------------------------------------------------- */

static int64_t scenario_request_known(int64_t value, int64_t otherwise)
{
	return value == SL_NONE ? otherwise : value;
}

/* "a100|h100" as bits; false: the cluster has none of them. */
static bool types_of(const struct machine *machine, const char *text, uint32_t *bits)
{
	*bits = 0;
	while (text && *text) {
		const size_t len = strcspn(text, "|");
		const uint32_t kind = names_find(&machine->kinds, text, len);
		if (kind != UINT32_MAX)
			*bits |= UINT32_C(1) << kind;
		text += len + (text[len] == '|');
	}
	return *bits != 0;
}

/* Contradictory requests fit on no cluster. */
static bool bounds_agree(const struct sl_row_group *g, size_t group_count)
{
	const int64_t min = scenario_request_known(g->tasks_min, g->tasks);
	const int64_t max = scenario_request_known(g->tasks_max, g->tasks);
	const int64_t nodes_min = scenario_request_known(g->nodes_min, 0);
	const int64_t nodes_max = scenario_request_known(g->nodes_max, 0);
	const int64_t per_node = scenario_request_known(g->tasks_per_node, 0);
	if (min < 1 || min > g->tasks || max < g->tasks || max > INT32_MAX)
		return false;
	if (min != max && group_count > 1)
		return false; /* Only a job of one group grows and shrinks. */
	if (nodes_min < 0 || nodes_max < 0 || per_node < 0 || nodes_min > g->tasks)
		return false;
	if (nodes_max && (nodes_min > nodes_max || (per_node && nodes_max * per_node < g->tasks)))
		return false;
	return nodes_max <= INT32_MAX && per_node <= INT32_MAX;
}

/* So much in thousandths, up; what is far beyond any cluster stays where it is. */
static int64_t thousandths(int64_t amount, uint32_t parts)
{
	const __int128 all = (__int128)scenario_request_known(amount, 0) * PARTS;
	const __int128 up = (all + sl_parts(parts) - 1) / sl_parts(parts);
	const int64_t most = INT64_C(1) << AMOUNT_BITS;
	return up < most ? (int64_t)up : most;
}

/* A part of one, or memory, or a profile, in place of wholes. */
static bool asks_gpus(const struct sl_row_group *g)
{
	return scenario_request_known(g->gpus, 0) > 0 || scenario_request_known(g->gpu_mem, 0) > 0 || g->mig;
}

static enum cause group_in(const struct machine *machine, const struct sl_row_group *from, size_t group_count,
	struct sl_group *to)
{
	memset(to, 0, sizeof(*to));
	if (!bounds_agree(from, group_count))
		return CAUSE_BOUNDS;
	to->task.cpus = thousandths(from->cpus, from->parts);
	to->task.mem = scenario_request_known(from->mem, 0);
	to->task.gpus = thousandths(from->gpus, from->parts);
	to->task.gpu_mem = scenario_request_known(from->gpu_mem, 0);
	to->tasks = (uint32_t)from->tasks;
	to->tasks_min = (uint32_t)scenario_request_known(from->tasks_min, from->tasks);
	to->tasks_max = (uint32_t)scenario_request_known(from->tasks_max, from->tasks);
	to->tasks_per_node = (uint32_t)scenario_request_known(from->tasks_per_node, 0);
	to->nodes_min = (uint32_t)scenario_request_known(from->nodes_min, 0);
	to->nodes_max = (uint32_t)scenario_request_known(from->nodes_max, 0);
	to->exclusive = from->exclusive;
	to->node_set = machine->closed_bound;
	if (asks_gpus(from) && from->gpu_type && !types_of(machine, from->gpu_type, &to->task.gpu_types))
		return CAUSE_LACKS;
	return CAUSE_COUNT;
}

/* ---- Sums --------------------------------------------------------------------------------------- */

/* Sums far beyond any cluster stay where they are. */
static int64_t add_product(int64_t sum, int64_t tasks, int64_t each)
{
	const __int128 more = (__int128)tasks * scenario_request_known(each, 0) + sum;
	return more < INT64_C(1) << AMOUNT_BITS ? (int64_t)more : INT64_C(1) << AMOUNT_BITS;
}

/* A share is of one device; memory and a profile are requested in place of GPUs, not of both. */
static enum cause gpus_agree(const struct sl_row_group *g)
{
	const int64_t gpus = thousandths(g->gpus, g->parts);
	const int ways = (gpus > 0) + (scenario_request_known(g->gpu_mem, 0) > 0) + (g->mig != NULL);
	if (ways > 1)
		return CAUSE_BOUNDS;
	return gpus > PARTS && gpus % PARTS ? CAUSE_GPU_PARTS : CAUSE_COUNT;
}

/* What memory or a profile comes to is not known yet: the least there is. */
static enum cause sum_up(const struct sl_row_attributes *more, struct desc *desc)
{
	for (size_t i = 0; i < more->group_count; i++) {
		const struct sl_row_group *g = &more->group[i];
		if (g->tasks <= 0 || g->tasks > INT32_MAX || scenario_request_known(g->cpus, 0) < 0 ||
			scenario_request_known(g->gpus, 0) < 0 || scenario_request_known(g->gpu_mem, 0) < 0 ||
			(scenario_request_known(g->cpus, 0) == 0 && !asks_gpus(g)))
			return CAUSE_SIZE;
		const enum cause cause = gpus_agree(g);
		if (cause != CAUSE_COUNT)
			return cause;
		const int64_t gpus = thousandths(g->gpus, g->parts);
		desc->cpus = add_product(desc->cpus, g->tasks, thousandths(g->cpus, g->parts));
		desc->gpus = add_product(desc->gpus, g->tasks, asks_gpus(g) && !gpus ? 1 : gpus);
		desc->mem = add_product(desc->mem, g->tasks, g->mem);
	}
	return CAUSE_COUNT;
}

static void sum_groups(const struct requests *requests, struct desc *desc)
{
	desc->cpus = desc->gpus = desc->mem = 0;
	for (size_t i = 0; i < requests->scratch_count; i++) {
		const struct sl_group *group = &requests->scratch[i];
		desc->cpus = add_product(desc->cpus, group->tasks, group->task.cpus);
		desc->gpus = add_product(desc->gpus, group->tasks, group->task.gpus);
		desc->mem = add_product(desc->mem, group->tasks, group->task.mem);
	}
}

/* In wholes, up. */
static int32_t scenario_request_size_of(const struct desc *desc)
{
	const int64_t parts = desc->gpus ? desc->gpus : desc->cpus;
	const int64_t size = parts / PARTS + (parts % PARTS != 0);
	return size < INT32_MAX ? (int32_t)size : INT32_MAX;
}

/* ---- Could it ever fit? ---------------------------------------------------------------------------- */

static int64_t scenario_request_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Tasks of the group that fit on an idle node. */
static int64_t tasks_on(
	const struct machine *machine, const struct sl_node_type *type, const struct sl_group *group)
{
	const struct sl_task_resources *task = &group->task;
	int64_t tasks = group->tasks_per_node ? group->tasks_per_node : group->tasks;
	if (task->cpus)
		tasks = scenario_request_least(tasks, type->amount[SL_KIND_CPUS] / task->cpus);
	if (task->mem && type->amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
		tasks = scenario_request_least(tasks, type->amount[SL_KIND_MEM] / task->mem);
	if (task->gpus)
		tasks = scenario_request_least(tasks, devices_tasks(machine, type, task));
	return tasks;
}

static int compare_holds(const void *a, const void *b)
{
	const struct holds *x = a;
	const struct holds *y = b;
	return (x->tasks < y->tasks) - (x->tasks > y->tasks); /* Equal ones may stand for each other. */
}

/* On an idle cluster, alone: all tasks fit on the best nodes_max nodes, and any on nodes_min. Exact. binding:
 * of nodes that are down, too, if it is given. */
static bool could_hold(const struct machine *machine, struct holds *holds, const struct sl_group *group,
	const struct binding *binding)
{
	size_t count = 0;
	int64_t nodes = 0;
	for (uint32_t i = 0; i < machine->type_count; i++) {
		if (!machine->type_nodes[i] ||
			!(binding ? binding_has(machine, binding, i)
				  : set_has(machine, machine->bound[group->node_set], i)))
			continue;
		const int64_t tasks = tasks_on(machine, &machine->type[i], group);
		if (tasks)
			holds[count++] = (struct holds){ tasks, machine->type_nodes[i] };
		nodes += tasks ? machine->type_nodes[i] : 0;
	}
	if (nodes < group->nodes_min)
		return false;
	int64_t left = group->nodes_max ? group->nodes_max : nodes;
	int64_t tasks = 0;
	qsort(holds, count, sizeof(*holds), compare_holds);
	for (size_t i = 0; i < count && left; i++) {
		const int64_t taken = scenario_request_least(left, holds[i].nodes);
		left -= taken;
		tasks += taken * holds[i].tasks;
	}
	return tasks >= group->tasks;
}

/* It does not fit: is that for its size, for the nodes that it may use, or for those that are down? */
static enum cause scenario_request_why_not(const struct machine *machine, struct requests *requests, size_t i)
{
	static const struct binding anywhere = BINDING_NONE;
	const struct sl_group *group = &requests->scratch[i];
	const struct binding *binding =
		requests->written ? &requests->asked[i].binding : &requests->bound.binding;
	if (could_hold(machine, requests->holds, group, binding))
		return CAUSE_DOWN;
	return could_hold(machine, requests->holds, group, &anywhere) ? CAUSE_SET : CAUSE_LARGE;
}

static bool sums_fit(const struct sl_cluster *cluster, const struct desc *desc)
{
	return desc->cpus <= cluster->cpus && desc->gpus <= cluster->gpus &&
	       (!cluster->mem || desc->mem <= cluster->mem);
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* What a row is looked up by: what was written, or else its groups. */
struct key {
	const void *what;
	size_t size, count;
	uint32_t never; /* Why not, which of what was written is not said there: another user's, or a longer
			   one. */
	bool written;
};

static struct key scenario_request_key_of(
	const struct sl_group *group, const struct sl_job_desc *desc, size_t count)
{
	_Static_assert(sizeof(*group) % sizeof(uint64_t) == 0, "groups are whole words");
	_Static_assert(sizeof(*desc) % sizeof(uint64_t) == 0, "asks are whole words");
	if (desc)
		return (struct key){ desc, count * sizeof(*desc), count, group->never, true };
	return (struct key){ group, count * sizeof(*group), count, group->never, false };
}

static struct key key_of_row(const struct requests *requests)
{
	return scenario_request_key_of(
		requests->scratch, requests->written ? requests->desc : NULL, requests->scratch_count);
}

/* What is written is some forty words: in lanes none has to wait for the one before. */
static uint64_t scenario_request_hash_of(const struct key *key)
{
	const uint64_t *word = key->what;
	const size_t words = key->size / sizeof(*word);
	uint64_t lane[4] = { key->never, key->written, words, 0 };
	size_t i = 0;
	for (; i + 4 <= words; i += 4)
		for (size_t k = 0; k < 4; k++)
			lane[k] = sl_hash(lane[k], word[i + k]);
	for (; i < words; i++)
		lane[0] = sl_hash(lane[0], word[i]);
	return sl_hash(sl_hash(sl_hash(lane[0], lane[1]), lane[2]), lane[3]);
}

/* The row's request, if it is in the table; UINT32_MAX. */
static uint32_t known_request(const struct requests *requests)
{
	const struct key key = key_of_row(requests);
	const uint64_t hash = scenario_request_hash_of(&key);
	uint32_t i;
	SL_MAP_EACH(&requests->map, hash, i)
	{
		const struct sl_request *request = &requests->item[i];
		const struct key other =
			scenario_request_key_of(request->group, request->desc, request->group_count);
		if (other.written == key.written && other.size == key.size && other.never == key.never &&
			memcmp(other.what, key.what, key.size) == 0)
			return i;
	}
	return UINT32_MAX;
}

/* ---- Rows
 * -------------------------------------------------------------------------------------------------- */

static int requests_begin(struct loading *loading, size_t groups, struct sl_err *err)
{
	if (!loading->requests)
		loading->requests = calloc(1, sizeof(*loading->requests));
	if (!loading->requests)
		return sl_fail_memory(err);
	struct requests *requests = loading->requests;
	int status = SL_GROW_MOST(requests->scratch, requests->scratch_capacity, groups, GROUPS_MAX, err);
	requests->scratch_count = groups;
	requests->written = false;
	requests->known = UINT32_MAX;
	requests->bound.binding = (struct binding)BINDING_NONE;
	requests->bound.node_set = loading->machine->closed_bound;
	return status ? status
		      : SL_GROW_MOST(requests->item, requests->capacity, (size_t)requests->count + 1,
				UINT32_MAX / 2, err);
}

/* What a profile or memory of a device is counted as. */
static int gpus_in(struct machine *machine, const struct sl_row_group *from, struct sl_group *to,
	enum cause *cause, struct sl_err *err)
{
	const int status = from->mig ? devices_profile(machine, from->mig, &to->task.mig, err) : SL_OK;
	if (status)
		return status;
	if (from->mig && !to->task.mig)
		*cause = CAUSE_LACKS;
	else
		*cause = devices_count(machine, &to->task, to->node_set);
	return SL_OK;
}

/* A bare number is a name where a partition of the cluster is called so, or where others of the column are
 * names; else its meaning is not known, and any node will do. */
static const char *partition_of(
	const struct loading *loading, const struct sl_row *row, char text[NUMBER_CAPACITY])
{
	const int64_t number = row->col[SL_COL_PARTITION];
	if (row->more->partition || number < 0)
		return row->more->partition;
	char *end = sl_put_i64(text, number);
	*end = '\0';
	const uint32_t found = machine_partition(loading->machine, text, (size_t)(end - text));
	return found != UINT32_MAX || loading->names[NAMED_PARTITION].count ? text : NULL;
}

static int groups_in(struct loading *loading, const struct sl_row *row, enum cause *cause, struct sl_err *err)
{
	struct requests *requests = loading->requests;
	const struct bound_row *bound = &requests->bound;
	const struct sl_row_attributes *more = row->more;
	char number[NUMBER_CAPACITY];
	const char *partition = partition_of(loading, row, number);
	int status = desc_bind(loading->machine, partition, &requests->bound, cause, err);
	for (size_t i = 0; i < more->group_count && !status && *cause == CAUSE_COUNT; i++) {
		struct sl_group *group = &requests->scratch[i];
		*cause = group_in(loading->machine, &more->group[i], more->group_count, group);
		group->node_set = bound->node_set;
		group->exclusive |= bound->exclusive;
		if (*cause == CAUSE_COUNT)
			status = gpus_in(loading->machine, &more->group[i], group, cause, err);
	}
	return status;
}

/* SWF: so many tasks of a cpu each. */
static void plain_in(struct loading *loading, int64_t tasks, int64_t mem)
{
	struct sl_group *group = loading->requests->scratch;
	memset(group, 0, sizeof(*group));
	group->task.cpus = PARTS;
	group->task.mem = mem;
	group->tasks = group->tasks_min = group->tasks_max = (uint32_t)tasks;
	group->node_set = loading->machine->closed_bound;
}

/* Field 10 of SWF is KB a cpu. */
static int64_t requested_memory(const struct loading *loading, const struct sl_row *row)
{
	const int64_t kib = row->col[SL_COL_REQ_MEM];
	if (!loading->scenario->replay[REPLAY_MEMORY].number || kib <= 0)
		return 0;
	return kib / 1024 + (kib % 1024 != 0);
}

/* On nodes. A request that is in the table fits. */
static int judge_request(
	struct loading *loading, const struct desc *desc, enum cause *cause, struct sl_err *err)
{
	const struct machine *machine = loading->machine;
	struct requests *requests = loading->requests;
	requests->known = known_request(requests);
	if (requests->known != UINT32_MAX)
		return SL_OK;
	if (desc->gpus && !machine->scenario->cluster.gpus)
		*cause = CAUSE_LACKS;
	else if (!sums_fit(&machine->scenario->cluster, desc))
		*cause = CAUSE_LARGE;
	const int status = SL_GROW(requests->holds, requests->holds_capacity, machine->type_count + 1, err);
	for (size_t i = 0; i < requests->scratch_count && *cause == CAUSE_COUNT && !status; i++)
		if (!could_hold(machine, requests->holds, &requests->scratch[i], NULL))
			*cause = scenario_request_why_not(machine, requests, i);
	return status;
}

/* ---- What stays, though it can never be ------------------------------------------------------------ */

static uint32_t scenario_request_reason_of(enum cause cause)
{
	switch ((int)cause) {
	case CAUSE_DOWN:
		return SL_REASON_NODES_NOT_AVAIL;
	case CAUSE_PARTITION_DOWN:
		return SL_REASON_PARTITION_DOWN;
	case CAUSE_TIME:
		return SL_REASON_PARTITION_TIME;
	case CAUSE_NODE_COUNT:
		return SL_REASON_PARTITION_NODES;
	default:
		return SL_REASON_BAD_CONSTRAINTS;
	}
}

/* Of all its tasks together. */
static int64_t bounded_sum(const struct sl_group *group, int64_t each, int64_t most)
{
	const int64_t sum = add_product(0, group->tasks, each);
	return sum < most ? sum : most;
}

/* What is beyond all machines is one task that is still larger than any: sums of cpu-time stay within bounds.
 */
static void bound_amounts(struct sl_group *group)
{
	const int64_t most = (INT64_C(1) << BEYOND_BITS) / PARTS * PARTS; /* Whole GPUs. */
	struct sl_task_resources *task = &group->task;
	if (add_product(0, group->tasks, task->cpus) > most ||
		add_product(0, group->tasks, task->gpus) > most ||
		add_product(0, group->tasks, task->mem) > most) {
		task->cpus = bounded_sum(group, task->cpus, most);
		task->gpus = bounded_sum(group, task->gpus, most);
		task->mem = bounded_sum(group, task->mem, most);
		group->tasks = group->tasks_min = group->tasks_max = 1;
	}
}

/* ---- As written to Slurm --------------------------------------------------------------------------------
 */

static int intern_desc(
	struct loading *loading, const struct sl_job_desc *from, struct sl_job_desc *to, struct sl_err *err)
{
	struct requests *requests = loading->requests;
	const size_t said = offsetof(struct sl_job_desc, no_multithread) + sizeof(to->no_multithread);
	memset(to, 0, sizeof(*to));
	memcpy(to, from, said); /* What pads it stays zero. */
	const char **text[] = { &to->partition, &to->gres, &to->gpus, &to->gpus_per_node,
		&to->gpus_per_socket, &to->gpus_per_task, &to->gres_per_task, &to->node_sizes, &to->prefer,
		&to->extra, &to->gres_flags, &to->constraint, &to->nodelist, &to->exclude, &to->distribution,
		&to->licenses, &to->reservation, &to->account, &to->qos };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(text) && !status; i++) {
		uint32_t number;
		if (!*text[i])
			continue;
		status = names_add(
			&requests->texts, loading->scenario->arena, *text[i], strlen(*text[i]), &number, err);
		if (!status)
			*text[i] = requests->texts.text[number];
	}
	return status;
}

static int asks_begin(struct loading *loading, const struct sl_row_attributes *more, struct sl_err *err)
{
	int status = requests_begin(loading, more->desc_count, err);
	struct requests *requests = loading->requests;
	if (!status)
		status = SL_GROW_MOST(
			requests->desc, requests->desc_capacity, more->desc_count, GROUPS_MAX, err);
	if (!status)
		status = SL_GROW_MOST(
			requests->asked, requests->asked_capacity, more->desc_count, GROUPS_MAX, err);
	for (size_t i = 0; i < more->desc_count && !status; i++)
		status = intern_desc(loading, &more->desc[i], &requests->desc[i], err);
	if (!status)
		requests->written = true;
	return status;
}

/* Who may use the reservation, and for how long, is checked for each row. */
static int asks_in(struct loading *loading, const struct sl_row *row, struct desc *desc, enum cause *cause,
	struct sl_err *err)
{
	struct requests *requests = loading->requests;
	int status = SL_OK;
	for (size_t i = 0; i < requests->scratch_count && !status && *cause == CAUSE_COUNT; i++) {
		struct sl_group *group = &requests->scratch[i];
		struct asked *asked = &requests->asked[i];
		status = desc_group(loading->machine, &requests->desc[i], row, group, asked, err);
		*cause = asked->cause;
		const sl_time limit = asked->limit;
		desc->limit = limit && (!desc->limit || limit < desc->limit) ? limit : desc->limit;
	}
	if (*cause == CAUSE_COUNT)
		sum_groups(requests, desc);
	desc->size = scenario_request_size_of(desc);
	return status;
}

/* The window that all components go by. */
static uint32_t window_of(const struct requests *requests)
{
	uint32_t window = requests->written ? requests->asked[0].window : UINT32_MAX;
	for (size_t i = 1; requests->written && i < requests->scratch_count; i++)
		if (requests->asked[i].window != window)
			window = UINT32_MAX;
	return window;
}

/* replay.impossible=keep: it stays, with its request and why it can never fit, for a policy that goes by what
 * was written, and may know better. said: its groups are not made yet. */
static int stay_as_written(
	struct loading *loading, bool said, enum cause cause, struct desc *desc, struct sl_err *err)
{
	struct requests *requests = loading->requests;
	int status = SL_OK;
	for (size_t i = 0; i < requests->scratch_count && !status; i++) {
		struct sl_group *group = &requests->scratch[i];
		if (said)
			status = desc_said(loading->machine, &requests->desc[i], group, err);
		bound_amounts(group);
		group->never = scenario_request_reason_of(cause);
		requests->asked[i].window = UINT32_MAX;
	}
	sum_groups(requests, desc);
	desc->size = scenario_request_size_of(desc);
	return status;
}

static int judge_job_desc(struct loading *loading, const struct sl_row *row, struct desc *desc,
	enum cause *cause, struct sl_err *err)
{
	const bool keeps = loading->scenario->replay[REPLAY_IMPOSSIBLE].number;
	*cause = CAUSE_COUNT;
	*desc = (struct desc){ 0 };
	int status = asks_begin(loading, row->more, err);
	if (!status)
		status = asks_in(loading, row, desc, cause, err);
	const bool made = *cause == CAUSE_COUNT;
	if (!status && made)
		status = judge_request(loading, desc, cause, err);
	if (!status && keeps && *cause != CAUSE_COUNT) {
		status = stay_as_written(loading, !made, *cause, desc, err);
		*cause = CAUSE_COUNT;
	}
	return status;
}

/* On a counted pool, or where no cluster is given (cpus 0), where the bound is the column's. */
static enum cause judge_pool(const struct loading *loading, const struct desc *desc)
{
	const int64_t cpus = loading->scenario->cpus;
	if (cpus && desc->gpus)
		return CAUSE_LACKS;
	return desc->cpus > (cpus ? cpus : INT32_MAX) * PARTS ? CAUSE_LARGE : CAUSE_COUNT;
}

/* The same of a row that says more. A pool allocates whole cpus. */
static void judge_groups(const struct loading *loading, const struct sl_row_attributes *more,
	struct desc *desc, enum cause *cause)
{
	for (size_t i = 0; i < more->group_count; i++)
		if (!bounds_agree(&more->group[i], more->group_count))
			*cause = CAUSE_BOUNDS;
	if (*cause == CAUSE_COUNT)
		*cause = judge_pool(loading, desc);
	desc->rounded = loading->scenario->cpus && desc->cpus % PARTS;
}

/* The same on nodes: it is bound, and in groups. */
static int judge_bound(struct loading *loading, const struct sl_row *row, struct desc *desc,
	enum cause *cause, struct sl_err *err)
{
	int status = requests_begin(loading, row->more->group_count, err);
	if (!status)
		status = groups_in(loading, row, cause, err);
	desc->limit = status ? 0 : loading->requests->bound.limit;
	if (status || *cause != CAUSE_COUNT)
		return status;
	sum_groups(loading->requests, desc);
	desc->size = scenario_request_size_of(desc);
	return judge_request(loading, desc, cause, err);
}

/* So many tasks of a cpu, on nodes. */
static int judge_plain(struct loading *loading, const struct sl_row *row, int64_t cpus, struct desc *desc,
	enum cause *cause, struct sl_err *err)
{
	const int status = requests_begin(loading, 1, err);
	if (status)
		return status;
	const int64_t mem = requested_memory(loading, row);
	desc->mem = add_product(0, cpus, mem);
	plain_in(loading, cpus < INT32_MAX ? cpus : INT32_MAX, mem);
	if (cpus > loading->scenario->cluster.cpus / PARTS) {
		*cause = CAUSE_LARGE;
		return SL_OK;
	}
	return judge_request(loading, desc, cause, err);
}

/* A job that a policy knows by its manifest: of a group that requests a GPU that there is not, or contradicts
 * itself, the engine counts the cpus. */
static void stay_as_cpus(const struct sl_row_group *from, struct sl_group *to)
{
	memset(to, 0, sizeof(*to));
	to->task.cpus = thousandths(from->cpus, from->parts);
	to->task.cpus = to->task.cpus > 0 ? to->task.cpus : 1;
	to->tasks = to->tasks_min = to->tasks_max = (uint32_t)from->tasks;
}

/* Devices of a DeviceClass may serve what no node has itself (its extendedResourceName). */
static bool devices_stand(struct loading *loading)
{
	const struct sl_cluster *cluster = &loading->scenario->cluster;
	struct requests *requests = loading->requests;
	for (uint32_t i = 0; requests->devices == DEVICES_UNKNOWN && i < cluster->object_count; i++) {
		const struct sl_object *object = &cluster->object[i];
		if (strcmp(object->kind, "DeviceClass") == 0 &&
			sl_doc_at(object->doc, object->node, "spec.extendedResourceName"))
			requests->devices = DEVICES_STAND;
	}
	if (requests->devices == DEVICES_UNKNOWN)
		requests->devices = DEVICES_NONE;
	return requests->devices == DEVICES_STAND;
}

/* replay.impossible=keep of requests in groups, or in cpus: quotas may be what it waits for, and an
 * operator may open what is closed now. What the cluster lacks is no job, unless it has a manifest; one that
 * has stays by itself where devices may serve it. */
static void stay_in_groups(
	struct loading *loading, const struct sl_row_attributes *more, struct desc *desc, enum cause *cause)
{
	struct requests *requests = loading->requests;
	const uint32_t never = scenario_request_reason_of(*cause);
	const uint32_t bound = requests->bound.node_set;
	const bool waits = *cause == CAUSE_PARTITION_DOWN || *cause == CAUSE_SET || *cause == CAUSE_DOWN ||
			   *cause == CAUSE_LARGE;
	const bool written = more && more->job && more->job->manifest;
	const bool keeps = loading->scenario->replay[REPLAY_IMPOSSIBLE].number;
	if (!(keeps && (waits || written)) && !(written && devices_stand(loading)))
		return;
	*cause = CAUSE_COUNT;
	for (size_t i = 0; i < requests->scratch_count && *cause == CAUSE_COUNT; i++) {
		struct sl_group *group = &requests->scratch[i];
		if (more)
			*cause = group_in(loading->machine, &more->group[i], more->group_count, group);
		if (written && (*cause != CAUSE_COUNT || !waits)) {
			stay_as_cpus(&more->group[i], group);
			*cause = CAUSE_COUNT;
		}
		bound_amounts(group);
		group->node_set = bound == UINT32_MAX ? loading->machine->closed_bound : bound;
		group->never = never;
	}
	if (*cause == CAUSE_COUNT && more) {
		sum_groups(requests, desc);
		desc->size = scenario_request_size_of(desc);
	}
}

static int judge_on_nodes(struct loading *loading, const struct sl_row *row, int64_t cpus, struct desc *desc,
	enum cause *cause, struct sl_err *err)
{
	const bool grouped = row->more && row->more->group_count;
	const int status = grouped ? judge_bound(loading, row, desc, cause, err)
				   : judge_plain(loading, row, cpus, desc, cause, err);
	if (!status && *cause != CAUSE_COUNT)
		stay_in_groups(loading, grouped ? row->more : NULL, desc, cause);
	return status;
}

int desc_judge(struct loading *loading, const struct sl_row *row, int64_t cpus, struct desc *desc,
	enum cause *cause, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more && row->more->group_count ? row->more : NULL;
	if (!more && row->more && row->more->desc_count && loading->scenario->cluster.node_count)
		return judge_job_desc(loading, row, desc, cause, err);
	*desc = (struct desc){ 0 };
	if (more) {
		*cause = sum_up(more, desc);
	} else {
		desc->cpus = add_product(0, cpus, PARTS);
		*cause = cpus > 0 ? CAUSE_COUNT : CAUSE_SIZE;
	}
	desc->size = scenario_request_size_of(desc);
	if (*cause != CAUSE_COUNT)
		return SL_OK;
	if (loading->scenario->cluster.node_count)
		return judge_on_nodes(loading, row, cpus, desc, cause, err);
	if (more)
		judge_groups(loading, more, desc, cause);
	else
		*cause = judge_pool(loading, desc);
	return SL_OK;
}

int desc_intern(struct loading *loading, const struct desc *desc, int32_t *request, struct sl_err *err)
{
	struct requests *requests = loading->requests;
	const size_t count = requests->scratch_count;
	const uint32_t known = requests->known != UINT32_MAX ? requests->known : known_request(requests);
	*request = (int32_t)(known == UINT32_MAX ? requests->count : known);
	if (known != UINT32_MAX)
		return SL_OK;
	struct sl_group *group = sl_alloc(loading->scenario->arena, count, sizeof(*group));
	if (!group)
		return sl_fail_memory(err);
	memcpy(group, requests->scratch, count * sizeof(*group));
	struct sl_job_desc *written = NULL;
	if (requests->written) {
		written = sl_alloc(loading->scenario->arena, count, sizeof(*written));
		if (!written)
			return sl_fail_memory(err);
		memcpy(written, requests->desc, count * sizeof(*written));
	}
	const struct key key = key_of_row(requests);
	int status = SL_GROW_MOST(
		requests->goes, requests->goes_capacity, (size_t)requests->count + 1, UINT32_MAX / 2, err);
	if (!status)
		status = sl_map_add(&requests->map, scenario_request_hash_of(&key), requests->count, err);
	if (status)
		return status;
	requests->goes[requests->count] = (struct goes){ group, window_of(requests) };
	requests->item[requests->count] =
		(struct sl_request){ group, (uint32_t)count, desc->cpus, desc->mem, desc->gpus, written };
	requests->count++;
	return SL_OK;
}

void requests_parts(const struct requests *requests, bool *cpus, bool *gpus)
{
	for (uint32_t i = 0; requests && i < requests->count; i++)
		for (uint32_t k = 0; k < requests->item[i].group_count; k++) {
			const struct sl_task_resources *task = &requests->item[i].group[k].task;
			*cpus |= task->cpus % PARTS != 0;
			*gpus |= task->gpus % PARTS != 0 || task->mig || task->gpu_mem;
		}
}

void requests_narrow(const struct requests *requests, int64_t cpus, int64_t gpus)
{
	for (uint32_t i = 0; requests && i < requests->count; i++) {
		struct sl_request *request = &requests->item[i];
		request->cpus /= cpus;
		request->gpus /= gpus;
		for (uint32_t k = 0; k < request->group_count; k++) {
			requests->goes[i].group[k].task.cpus /= cpus;
			requests->goes[i].group[k].task.gpus /= gpus;
		}
	}
}

int requests_lend(const struct loading *loading, struct sl_jobs *jobs, struct sl_err *err)
{
	const struct requests *requests = loading->requests;
	if (!requests)
		return SL_OK;
	struct sl_request *item = sl_alloc(loading->scenario->arena, requests->count, sizeof(*item));
	if (!item)
		return sl_fail_memory(err);
	memcpy(item, requests->item, requests->count * sizeof(*item));
	/* Windows have their numbers now. Groups are made here, and const elsewhere. */
	for (uint32_t i = 0; i < requests->count; i++)
		if (requests->goes[i].window != UINT32_MAX)
			requests->goes[i].group->reservation =
				loading->machine->window[requests->goes[i].window].first + 1;
	jobs->requests = item;
	jobs->request_count = requests->count;
	return SL_OK;
}
