/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_look.c - a replay that stands still while a job waits: what it needs, and what there is.
 *
 * Reads the engine's state and the policy's own tables; nothing that follows depends on it.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/engine.h"

/* Why what is idle on a node is not free now. Nothing starts there, but on one that a model has powered down:
 * a job that is allocated to it waits until it has booted. */
enum off { OFF_NOT, OFF_DOWN, OFF_DRAINED, OFF_KEPT, OFF_POWER, OFF_MODEL, OFF_COUNT };

struct looking {
	const struct explain *explain;
	const struct view *view;
	struct sl_pass *pass;
	struct sim_run *sim;
	struct look *look;
	uint32_t job;
	const uint8_t *off; /* By node: enum off; NULL: there are none, or none is off. */
	uint32_t off_count[OFF_COUNT];
	int64_t off_gpus, off_cpus; /* What would be free on them, and counts as idle. */
};

#define SAY(looking, ...)  look_says((looking)->explain, (looking)->look, __VA_ARGS__)
#define TEXT(looking, ...) report_text((looking)->explain, __VA_ARGS__)

static int64_t explain_look_whole(int64_t amount, int64_t parts) { return amount_micro(amount, parts); }

static const char *amount_text(const struct looking *at, int64_t amount, int64_t parts)
{
	char number[48];
	return TEXT(at, "%s", parts_text(number, amount, parts));
}

/* "3 cpus", "0.5 GPUs" */
static const char *unit_text(const struct looking *at, int64_t amount, int64_t parts, const char *unit)
{
	return TEXT(
		at, "%s %s%s", amount_text(at, amount, parts), unit, amount == sl_parts(parts) ? "" : "s");
}

/* ---- What it needs ------------------------------------------------------------------------------ */

/* "8 GPUs (a100) and 16 cpus" */
static const char *wanted_text(const struct looking *at, const struct sl_task_resources *task)
{
	const struct sl_cluster *cluster = at->view->cluster;
	struct cell cell = { 0 };
	const char *and = "";
	if (task->mig && cluster->mig_fit && cluster->mig_model_count) {
		cell_put(&cell, "a %s of a GPU",
			cluster->mig_fit[(size_t)(task->mig - 1) * cluster->mig_model_count].name);
		and = " and ";
	} else if (task->gpu_mem > 0) {
		cell_put(&cell, "%" PRId64 " MiB of one GPU", task->gpu_mem);
		and = " and ";
	} else if (task->gpus > 0) {
		cell_put(&cell, "%s", unit_text(at, task->gpus, cluster->gpu_parts, "GPU"));
		and = " and ";
	}
	const char *open = " (";
	for (uint32_t kind = SL_KIND_GPUS; task->gpu_types && kind < cluster->kind_count; kind++)
		if (task->gpu_types >> (kind - SL_KIND_GPUS) & 1) {
			cell_put(&cell, "%s%s", open, cluster->kind_name[kind]);
			open = " or ";
		}
	if (*open == ' ' && open[1] == 'o')
		cell_put(&cell, ")");
	if (task->cpus > 0 || !*and)
		cell_put(&cell, "%s%s", and, unit_text(at, task->cpus, cluster->cpu_parts, "cpu"));
	if (task->mem > 0) {
		cell_put(&cell, " and ");
		put_mem(&cell, task->mem);
		cell_put(&cell, " of memory");
	}
	return cell_text(at->explain, &cell);
}

/* ---- Nodes that are off ------------------------------------------------------------------------------ */

static enum off off_by_state(uint32_t state)
{
	if ((state & VIEW_BASE) == VIEW_DOWN || (state & VIEW_BASE) == VIEW_FUTURE)
		return OFF_DOWN;
	if (state & (VIEW_POWERED_DOWN | VIEW_POWERING_DOWN | VIEW_POWERING_UP))
		return OFF_POWER;
	if (state & (VIEW_DRAIN | VIEW_FAIL))
		return OFF_DRAINED;
	return state & (VIEW_MAINT | VIEW_RESERVED) ? OFF_KEPT : OFF_NOT;
}

/* Windows that are open now; of a reservation that the job requests the policy knows better. */
static void off_by_windows(const struct looking *at, uint8_t *off)
{
	static const enum off by[] = { [SL_WINDOW_RESERVED] = OFF_KEPT,
		[SL_WINDOW_MAINT] = OFF_KEPT,
		[SL_WINDOW_OUTAGE] = OFF_DOWN,
		[SL_WINDOW_STATE] = OFF_DOWN };
	const struct sl_cluster *cluster = at->view->cluster;
	for (uint32_t i = 0; i < cluster->window_count; i++) {
		const struct sl_window *window = &cluster->window[i];
		for (uint32_t k = 0; window->from <= at->pass->now && at->pass->now < window->until &&
				     k < window->node_count;
			k++)
			off[window->node[k]] = (uint8_t)by[window->kind];
	}
}

/* By the policy's own word of them, where it has one. */
static bool off_by_policy(const struct looking *at, uint8_t *off)
{
	struct view_table nodes = { 0 };
	struct sl_err none = { 0 };
	if (!at->pass->policy->table ||
		view_take_table(at->view->arena, at->pass, at->pass->now, "nodes", &nodes, &none) ||
		!table_has(&nodes, "state"))
		return false;
	for (size_t i = 0; i < nodes.row_count; i++) {
		const double node = table_number(&nodes, i, "node");
		if (node >= 0 && node < at->view->cluster->node_count)
			off[(uint32_t)node] =
				(uint8_t)off_by_state(view_node_state(table_text(&nodes, i, "state")));
	}
	return true;
}

static void count_off(struct looking *at, const uint8_t *off)
{
	const struct sl_cluster *cluster = at->view->cluster;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const int64_t *amount = cluster->type[cluster->node_type[node]].amount;
		/* Of those that failed, or were drained in the run, nothing is counted as idle. */
		const bool counted = sl_node_is_up(at->pass, node) && !sl_node_is_drained(at->pass, node);
		const struct nodes_sum used = nodes_used(at->pass->nodes, node);
		at->off_count[off[node]]++;
		if (off[node] == OFF_NOT || !counted)
			continue;
		at->off_cpus += amount[SL_KIND_CPUS] - used.cpus;
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
			at->off_gpus += amount[kind];
		at->off_gpus -= used.gpus;
	}
}

static void look_off(struct looking *at)
{
	const struct sl_cluster *cluster = at->view->cluster;
	uint8_t *off = cluster->node_count && at->pass->nodes
			       ? sl_alloc(at->view->arena, cluster->node_count, sizeof(*off))
			       : NULL;
	if (!off)
		return;
	if (!off_by_policy(at, off))
		off_by_windows(at, off);
	for (uint32_t node = 0; node < cluster->node_count; node++)
		if (!sl_node_is_up(at->pass, node))
			off[node] = OFF_DOWN;
		else if (sl_node_is_drained(at->pass, node))
			off[node] = OFF_DRAINED;
		else if (off[node] == OFF_NOT && sl_node_ready(at->pass, node) != SL_READY)
			off[node] = OFF_MODEL;
	count_off(at, off);
	if (at->off_count[OFF_NOT] < cluster->node_count)
		at->off = off;
}

/* "2 nodes were down, 1 was powered down"; "": none. */
static const char *off_text(const struct looking *at)
{
	static const char *const words[OFF_COUNT] = { [OFF_DOWN] = "down",
		[OFF_DRAINED] = "drained",
		[OFF_KEPT] = "reserved",
		[OFF_POWER] = "powered down or booting",
		[OFF_MODEL] = "switched off or booting" };
	struct cell cell = { 0 };
	for (int i = OFF_DOWN; i < OFF_COUNT; i++)
		if (at->off && at->off_count[i])
			cell_put(&cell, "%s%s %s %s", cell.len ? ", " : "",
				count_words(at->explain, at->off_count[i], "node", "nodes"),
				at->off_count[i] == 1 ? "was" : "were", words[i]);
	return cell_text(at->explain, &cell);
}

/* Where a group's tasks would go now. */
struct headroom {
	int64_t tasks; /* On nodes that are open to it for its limit. */
	uint32_t nodes;
	int64_t closed;     /* Behind a window. */
	int64_t asleep;     /* Of `tasks`, on nodes that would have to boot. */
	uint32_t most;      /* On one node, */
	uint32_t most_node; /* the lowest such. */
	int64_t possible;   /* On an empty cluster. */
	uint32_t possible_nodes;
	int64_t in_switch; /* The most below one leaf switch; */
	const char *leaf;
	int64_t most_gpus, most_cpus; /* Free on one node that it may use, whatever else is missing there; */
	uint32_t most_gpus_node, most_cpus_node;
	int64_t idle_gpus, idle_cpus; /* Of all such nodes that are open. */
};

static void headroom_on(const struct looking *at, const struct sl_group *group, uint32_t node, bool closed,
	struct headroom *headroom)
{
	const struct nodes *nodes = at->pass->nodes;
	const uint32_t fit = nodes_tasks(nodes, node, group, false);
	const uint32_t could = nodes_tasks(nodes, node, group, true);
	headroom->possible += could;
	headroom->possible_nodes += could != 0;
	if (closed) {
		headroom->closed += fit;
		return;
	}
	headroom->tasks += fit;
	headroom->nodes += fit != 0;
	if (at->off && at->off[node] == OFF_MODEL)
		headroom->asleep += fit;
	if (fit > headroom->most) {
		headroom->most = fit;
		headroom->most_node = node;
	}
	if (!could)
		return;
	const int64_t *amount = at->view->cluster->type[at->view->cluster->node_type[node]].amount;
	const struct nodes_sum used = nodes_used(nodes, node);
	int64_t gpus = -used.gpus;
	for (uint32_t kind = SL_KIND_GPUS; kind < at->view->cluster->kind_count; kind++)
		gpus += amount[kind];
	if (group->task.gpu_types) { /* Of these only: so many jobs of one GPU would fit. */
		const int64_t one = sl_parts(at->view->cluster->gpu_parts);
		const struct sl_group probe = { .tasks = UINT32_MAX,
			.task = { .gpus = one, .gpu_types = group->task.gpu_types } };
		gpus = nodes_tasks(nodes, node, &probe, false) * one;
	}
	headroom->idle_gpus += gpus;
	headroom->idle_cpus += amount[SL_KIND_CPUS] - used.cpus;
	if (gpus > headroom->most_gpus) {
		headroom->most_gpus = gpus;
		headroom->most_gpus_node = node;
	}
	if (amount[SL_KIND_CPUS] - used.cpus > headroom->most_cpus) {
		headroom->most_cpus = amount[SL_KIND_CPUS] - used.cpus;
		headroom->most_cpus_node = node;
	}
}

/* By a window, for so long as it runs; or off. What a reservation of its own keeps is not closed to it. */
static bool is_closed(const struct looking *at, const uint64_t *closed, uint32_t node)
{
	const struct sl_job_desc *desc = view_desc(at->view, at->job);
	const bool owns = desc && desc->reservation;
	const enum off off = at->off ? (enum off)at->off[node] : OFF_NOT;
	return (closed && closed[node / 64] >> (node % 64) & 1) ||
	       (off != OFF_NOT && off != OFF_MODEL && !(off == OFF_KEPT && owns));
}

static struct headroom headroom_of(const struct looking *at, const struct sl_group *group)
{
	struct headroom headroom = { 0 };
	const struct sl_cluster *cluster = at->view->cluster;
	const uint64_t *closed =
		nodes_closed(at->pass->nodes, at->pass->request[at->job], at->pass->estimate[at->job]);
	for (uint32_t node = 0; node < cluster->node_count; node++)
		headroom_on(at, group, node, is_closed(at, closed, node), &headroom);
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		const struct sl_switch *leaf = &cluster->sw[i];
		int64_t tasks = 0;
		for (uint32_t k = 0; !leaf->level && k < leaf->node_count; k++) {
			const uint32_t node = leaf->node[k];
			if (!is_closed(at, closed, node))
				tasks += nodes_tasks(at->pass->nodes, node, group, false);
		}
		if (tasks > headroom.in_switch) {
			headroom.in_switch = tasks;
			headroom.leaf = leaf->name;
		}
	}
	return headroom;
}

static const char *node_text(const struct looking *at, uint32_t node)
{
	const struct sl_cluster *cluster = at->view->cluster;
	return cluster->node_name && cluster->node_name[node] ? cluster->node_name[node]
							      : TEXT(at, "node %" PRIu32, node);
}

/* One task that fits nowhere: what there is, but apart. */
static void say_apart(const struct looking *at, const struct sl_group *group, const struct headroom *headroom)
{
	const struct sl_cluster *cluster = at->view->cluster;
	const bool gpus = group->task.gpus > 0;
	const int64_t parts = gpus ? cluster->gpu_parts : cluster->cpu_parts;
	const int64_t each = gpus ? group->task.gpus : group->task.cpus;
	const int64_t idle = gpus ? headroom->idle_gpus : headroom->idle_cpus;
	const int64_t most = gpus ? headroom->most_gpus : headroom->most_cpus;
	if (most >= each || idle < each)
		return;
	SAY(at, "%s were free on nodes that it could use, but no node had %s: the most on one was %s, on %s",
		unit_text(at, idle, parts, gpus ? "GPU" : "cpu"), amount_text(at, each, parts),
		amount_text(at, most, parts),
		node_text(at, gpus ? headroom->most_gpus_node : headroom->most_cpus_node));
	look_fact(at->look, gpus ? "gpus_most_on_a_node" : "cpus_most_on_a_node",
		explain_look_whole(most, parts));
}

/* What is down is not among the nodes that a group may use: where that is why its job can never start, those
 * of the partition are examined, closed ones and all. */
static struct sl_group group_displayed(const struct looking *at, const struct sl_group *group)
{
	const struct sl_cluster *cluster = at->view->cluster;
	const char *name = partition_text(at->explain, at->job);
	struct sl_group displayed = *group;
	if (group->never != SL_REASON_NODES_NOT_AVAIL)
		return displayed;
	displayed.node_set = 0;
	for (uint32_t i = 0; i < cluster->partition_count; i++)
		if (*name ? strcmp(cluster->partition[i].name, name) == 0 : cluster->partition[i].is_default)
			displayed.node_set = cluster->partition[i].node_set;
	return displayed;
}

static bool say_group(const struct looking *at, const struct sl_group *asked, const struct sl_job_desc *desc)
{
	const struct sl_group looked = group_displayed(at, asked);
	const struct sl_group *group = &looked;
	const struct headroom headroom = headroom_of(at, group);
	const char *each = wanted_text(at, &group->task);
	const bool one = group->tasks == 1;
	const bool fits = headroom.tasks >= group->tasks && headroom.nodes >= group->nodes_min;
	const char *where = group->exclusive ? ", on nodes of its own" : "";
	if (one)
		SAY(at, "needs %s on one node%s; %s", each, where,
			fits ? TEXT(at, "%s had that free",
				       count_words(at->explain, headroom.nodes, "node", "nodes"))
			     : "no node had that free");
	else
		SAY(at, "needs %" PRIu32 " times %s%s%s; there was room for %s", group->tasks, each,
			group->nodes_min > 1 ? TEXT(at, ", on at least %" PRIu32 " nodes", group->nodes_min)
					     : "",
			where,
			headroom.tasks
				? TEXT(at, "%" PRId64 " of them, on %s",
					  headroom.tasks < group->tasks ? headroom.tasks : group->tasks,
					  count_words(at->explain, headroom.nodes, "node", "nodes"))
				: "none of them");
	look_fact(at->look, "tasks_needed", (int64_t)group->tasks * 1000000);
	look_fact(at->look, "tasks_free", headroom.tasks * 1000000);
	look_fact(at->look, "nodes_free", (int64_t)headroom.nodes * 1000000);
	if (!headroom.most)
		say_apart(at, group, &headroom);
	if (desc && desc->switches == 1 && headroom.leaf)
		SAY(at, "it asked for one switch; the most below one was room for %" PRId64 " (%s)",
			headroom.in_switch, headroom.leaf);
	if (headroom.asleep)
		SAY(at, "%s was on nodes that were switched off or on their way: there a job waits until they have booted",
			headroom.asleep < headroom.tasks
				? TEXT(at, "room for %" PRId64 " of that", headroom.asleep)
				: "all of that");
	if (headroom.closed)
		SAY(at,
			"room for %" PRId64
			" more was on nodes that were %s, or would be before its limit was over",
			headroom.closed, at->off ? "off or closed" : "closed");
	if (headroom.possible < group->tasks)
		SAY(at, "%s",
			one ? "no node of this cluster has that, also if nothing runs"
			    : TEXT(at,
				      "the whole cluster, were it empty, would have room for %" PRId64
				      " of them",
				      headroom.possible));
	if (headroom.possible_nodes < at->view->cluster->node_count)
		SAY(at,
			"it could only use %" PRIu32 " of %" PRIu32
			" nodes: the others lack something it needs, or are not for it",
			headroom.possible_nodes, at->view->cluster->node_count);
	return fits;
}

static void say_free(const struct looking *at)
{
	const struct sl_cluster *cluster = at->view->cluster;
	const int64_t cpus = sl_free(at->pass, SL_KIND_CPUS) - at->off_cpus;
	const char *off = off_text(at);
	const char *but = *off ? TEXT(at, " (%s)", off) : "";
	int64_t gpus = -at->off_gpus;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		gpus += sl_free(at->pass, kind);
	look_fact(at->look, "cpus_free", explain_look_whole(cpus, cluster->cpu_parts));
	look_fact(at->look, "cpus_total", explain_look_whole(cluster->cpus, cluster->cpu_parts));
	if (cluster->gpus) {
		look_fact(at->look, "gpus_free", explain_look_whole(gpus, cluster->gpu_parts));
		look_fact(at->look, "gpus_total", explain_look_whole(cluster->gpus, cluster->gpu_parts));
		SAY(at, "free on the whole cluster were %s of %s GPUs, %s of %s cpus%s",
			amount_text(at, gpus, cluster->gpu_parts),
			amount_text(at, cluster->gpus, cluster->gpu_parts),
			amount_text(at, cpus, cluster->cpu_parts),
			amount_text(at, cluster->cpus, cluster->cpu_parts), but);
	} else if (cluster->node_count)
		SAY(at, "free on the whole cluster were %s of %s cpus%s",
			amount_text(at, cpus, cluster->cpu_parts),
			amount_text(at, cluster->cpus, cluster->cpu_parts), but);
}

/* True if it would fit now. */
static bool say_needs(const struct looking *at)
{
	const struct sl_request *request = view_request(at->view, at->job);
	const struct sl_cluster *cluster = at->view->cluster;
	bool fits = true;
	if (!request || !at->pass->nodes) {
		const int64_t size = at->view->jobs->size[at->job];
		const int64_t idle = sl_free(at->pass, SL_KIND_CPUS);
		SAY(at, "needs %s; free were %s of %s", unit_text(at, size, 1, "cpu"),
			amount_text(at, idle, 1), amount_text(at, cluster->cpus, 1));
		look_fact(at->look, "cpus_needed", size * 1000000);
		look_fact(at->look, "cpus_free", idle * 1000000);
		look_fact(at->look, "cpus_total", cluster->cpus * 1000000);
		return size <= idle;
	}
	for (uint32_t i = 0; i < request->group_count; i++)
		fits &= say_group(at, &request->group[i], request->desc ? &request->desc[i] : NULL);
	say_free(at);
	return fits;
}

/* Of the policy's parameters: as they were in effect; NULL. */
static const char *policy_value(const struct looking *at, const char *key)
{
	const struct sim_options *recipe = &at->view->rerun.recipe;
	const struct policy_choice *choice = recipe->history[recipe->history_count - 1].choice;
	const struct sl_value *value = sl_value_of(choice->values, choice->value_count, key);
	return value ? value->text : NULL;
}

/* ---- Who is before it ------------------------------------------------------------------------------ */

struct before {
	uint64_t jobs, users;
	int64_t cpu_seconds; /* By limits. */
	uint32_t first;
	uint8_t *seen; /* By user, a bit each. */
};

static void before_add(const struct looking *at, struct before *before, uint32_t job)
{
	const struct sl_jobs *jobs = at->view->jobs;
	const int32_t user = jobs->user[job];
	const int64_t cpus = cpus_of(at->pass, job);
	const sl_time limit = jobs->limit[job] < SL_TIME_MOST ? jobs->limit[job] : jobs->run[job];
	if (!before->jobs++)
		before->first = job;
	before->cpu_seconds += sl_mul_div(cpus, limit, sl_parts(at->view->cluster->cpu_parts) * SL_SECOND);
	if (user >= 0 && user < INT32_MAX / 2 && !(before->seen[user / 8] >> (user % 8) & 1)) {
		before->seen[user / 8] |= (uint8_t)(1U << (user % 8));
		before->users++;
	}
}

/* By what it is charged to then: not one that is to be considered. */
static bool is_kept_back(const struct looking *at, uint32_t job)
{
	struct sl_charging charging = sl_charges_of(at->view->result, job);
	struct sl_charge charge;
	while (sl_charge_next(&charging, &charge))
		if (charge.from <= at->pass->now && at->pass->now < charge.until)
			return charge.reason == SL_REASON_DEPENDENCY || charge.reason == SL_REASON_NEVER ||
			       charge.reason == SL_REASON_BEGIN_TIME || charge.reason == SL_REASON_HELD ||
			       charge.reason == SL_REASON_HELD_ADMIN;
	return false;
}

static bool sets_meet(const struct sl_cluster *cluster, uint32_t a, uint32_t b)
{
	bool meet = !a || !b || a == b;
	for (uint32_t i = 0; i < cluster->type_count && !meet; i++)
		meet = cluster->node_set[a].types[i / 64] & cluster->node_set[b].types[i / 64] &
		       UINT64_C(1) << (i % 64);
	return meet;
}

/* Both want nodes of which some are the same: else neither is in the other's way. */
static bool wants_the_same(const struct looking *at, uint32_t job)
{
	const struct sl_request *mine = view_request(at->view, at->job);
	const struct sl_request *other = view_request(at->view, job);
	bool same = !mine || !other;
	for (uint32_t i = 0; !same && i < mine->group_count; i++)
		for (uint32_t k = 0; !same && k < other->group_count; k++)
			same = sets_meet(
				at->view->cluster, mine->group[i].node_set, other->group[k].node_set);
	return same;
}

static double row_priority(const struct view_table *table, uint32_t job, size_t *row)
{
	double most = -1;
	for (size_t i = 0; i < table->row_count; i++)
		if (table_number(table, i, "job") == job && table_number(table, i, "priority") > most) {
			most = table_number(table, i, "priority");
			*row = i;
		}
	return most;
}

static void before_by_priority(
	const struct looking *at, const struct view_table *table, double mine, struct before *before)
{
	uint32_t last = UINT32_MAX;
	for (size_t i = 0; i < table->row_count; i++) {
		const double job = table_number(table, i, "job");
		const double priority = table_number(table, i, "priority");
		if (!(job >= 0 && job < at->view->jobs->count) || (uint32_t)job == last || priority < mine)
			continue;
		last = (uint32_t)job;
		if (last != at->job && at->pass->job_state[last] == SL_PENDING &&
			(priority > mine || last < at->job) && wants_the_same(at, last) &&
			!is_kept_back(at, last))
			before_add(at, before, last);
	}
}

/* Of its own queue, where there are several. */
static void before_in_queue(const struct looking *at, struct before *before)
{
	const int32_t *partition = at->view->jobs->partition;
	const char *queues = policy_value(at, "queues");
	const bool several = queues && strcmp(queues, "partition") == 0;
	for (sl_job job = sl_queue_first(at->pass); sl_job_is(job) && job.row != at->job;
		job = sl_queue_after(at->pass, job))
		if (!several || partition[job.row] == partition[at->job])
			before_add(at, before, job.row);
}

/* The factors of its priority that are not nothing: "age 500 + fairshare 1,200". */
static void say_priority(const struct looking *at, const struct view_table *table, size_t row)
{
	static const char *const factor[] = { "age", "assoc", "fairshare", "jobsize", "part", "qos", "site",
		"tres_sum" };
	const double priority = table_number(table, row, "priority");
	struct cell cell = { 0 };
	char number[48];
	look_fact(at->look, "priority", (int64_t)(priority * 1e6));
	for (size_t i = 0; i < SL_LEN(factor); i++) {
		const double value = table_number(table, row, factor[i]);
		if (isnan(value) || value < 0.5)
			continue;
		cell_put(&cell, "%s%s %s", cell.len ? " + " : "", factor[i],
			screen_number(number, (int64_t)(value * 1e6), 0));
		look_fact(at->look, factor[i], (int64_t)(value * 1e6));
	}
	if (priority >= 0 && cell.len) /* Of priority/basic it is a number in line, which says nothing. */
		SAY(at, "its priority was %s%s%s", screen_number(number, (int64_t)(priority * 1e6), 0),
			cell.len ? ": " : "", cell.text ? cell.text : "");
	cell_free(&cell);
}

/* Its user's share, as sshare prints it. */
static void say_share(const struct looking *at, const struct view_table *table)
{
	const char *user = user_text(at->explain, at->job);
	const char *account = account_text(at->explain, at->job);
	for (size_t i = 0; i < table->row_count; i++) {
		const double factor = table_number(table, i, "fairshare");
		const double share = table_number(table, i, "norm_shares");
		const double usage = table_number(table, i, "effective_usage");
		if (strcmp(table_text(table, i, "user"), user) != 0 ||
			strcmp(table_text(table, i, "account"), account) != 0)
			continue;
		if (!isnan(factor)) {
			SAY(at, "fair share of %s in %s: factor %.4f, with %.1f %% of its account's shares and %.1f %% of its usage",
				user, account, factor, share * 100, usage * 100);
			look_fact(at->look, "fairshare_factor", (int64_t)(factor * 1e6));
		}
		return;
	}
}

static void take_tables(const struct looking *at, struct view *there)
{
	struct sl_err none = { 0 };
	*there = (struct view){ .arena = at->view->arena,
		.sim = *at->sim,
		.jobs = at->view->jobs,
		.cluster = at->view->cluster,
		.scenario = at->view->scenario };
	there->priority = calloc((size_t)there->jobs->count + 1, sizeof(*there->priority));
	if (at->pass->policy->table && there->priority)
		(void)view_take_tables(there, at->pass->now, &none);
	free(there->priority);
	there->priority = NULL;
}

/* It waits for good. */
static bool is_left(const struct looking *at, uint32_t job)
{
	const struct sl_result *result = at->view->result;
	return result->left && result->left[job];
}

/* How many. */
static uint64_t say_before(const struct looking *at)
{
	struct view there;
	size_t row = 0;
	struct before before = { .first = UINT32_MAX };
	int32_t users = 0;
	for (uint32_t i = 0; i < at->view->jobs->count; i++)
		users = at->view->jobs->user[i] > users && at->view->jobs->user[i] < INT32_MAX / 2
				? at->view->jobs->user[i]
				: users;
	before.seen = calloc((size_t)users / 8 + 2, 1);
	if (!before.seen)
		return 0;
	take_tables(at, &there);
	const double mine = row_priority(&there.table[VIEW_TABLE_JOBS], at->job, &row);
	if (mine >= 0)
		before_by_priority(at, &there.table[VIEW_TABLE_JOBS], mine, &before);
	else if (is_waiting(at->pass, at->job))
		before_in_queue(at, &before);
	if (before.jobs) {
		const char *first = id_text(at->explain, before.first);
		SAY(at, "%s%s%s ahead of it, %s by their limits; first is job %s%s%s%s",
			count_words(at->explain, before.jobs, "job", "jobs"), before.users ? " of " : "",
			before.users ? count_words(at->explain, before.users, "user", "users") : "",
			hours_text(at->explain, before.cpu_seconds), first,
			*user_text(at->explain, before.first) ? " of " : "",
			user_text(at->explain, before.first),
			is_left(at, before.first) ? ", which is never started in this run" : "");
	} else if (mine >= 0 || is_waiting(at->pass, at->job))
		SAY(at, "nobody was ahead of it");
	look_fact(at->look, "jobs_ahead", (int64_t)before.jobs * 1000000);
	look_fact(at->look, "users_ahead", (int64_t)before.users * 1000000);
	look_fact(at->look, "cpu_seconds_ahead",
		before.cpu_seconds < INT64_MAX / 1000000 ? before.cpu_seconds * 1000000 : INT64_MAX);
	if (mine >= 0) {
		say_priority(at, &there.table[VIEW_TABLE_JOBS], row);
		say_share(at, &there.table[VIEW_TABLE_SHARES]);
	}
	free(before.seen);
	return before.jobs;
}

/* ---- When -----------------------------------------------------------------------------------------------
 */

struct ending_of {
	sl_time at;
	uint32_t job;
};

static int compare_endings(const void *a, const void *b)
{
	const struct ending_of *x = a;
	const struct ending_of *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* On a counted pool: as what runs ends by its estimates. */
static sl_time pool_soonest(const struct looking *at, uint32_t *last)
{
	const struct sl_pass *pass = at->pass;
	struct ending_of *ending = calloc((size_t)pass->running + 1, sizeof(*ending));
	int64_t idle = sl_free(pass, SL_KIND_CPUS);
	sl_time when = SL_NEVER;
	size_t count = 0;
	for (uint32_t job = 0; ending && job < pass->submitted && count < pass->running; job++)
		if (is_running(pass, job))
			ending[count++] = (struct ending_of){ expected_room(pass, job), job };
	if (ending)
		qsort(ending, count, sizeof(*ending), compare_endings);
	for (size_t i = 0; ending && i < count && idle < cpus_of(pass, at->job); i++) {
		idle += cpus_of(pass, ending[i].job);
		when = ending[i].at;
		*last = ending[i].job;
	}
	if (idle < cpus_of(pass, at->job))
		when = SL_NEVER;
	free(ending);
	return when;
}

/* Nobody before it: when by the limits of what runs. */
static void say_soonest(const struct looking *at)
{
	uint32_t last = UINT32_MAX;
	const bool nodes = at->pass->nodes && at->pass->request;
	const sl_time when = nodes ? nodes_soonest(at->pass->nodes, at->pass->request[at->job],
					     at->pass->estimate[at->job])
				   : pool_soonest(at, &last);
	if (when == SL_NEVER || when <= at->pass->now)
		return;
	look_fact(at->look, "fits_by_limits_at", when);
	if (last != UINT32_MAX)
		SAY(at, "by the limits of what ran there would be room at %s, when job %s%s%s had to end",
			time_text(at->explain, when), id_text(at->explain, last),
			*user_text(at->explain, last) ? " of " : "", user_text(at->explain, last));
	else
		SAY(at, "by the limits of what ran there would be room at %s", time_text(at->explain, when));
}

static void say_planned(const struct looking *at)
{
	const sl_time promise =
		at->pass->promise && is_waiting(at->pass, at->job) ? at->pass->promise[at->job] : SL_NONE;
	if (promise == SL_NONE || promise == SL_NEVER)
		return;
	SAY(at, "it was promised to start at %s", time_text(at->explain, promise));
	look_fact(at->look, "promised", promise);
}

/* ---- Windows
 * ----------------------------------------------------------------------------------------------- */

/* Does it occupy a node that the job could run on? */
static bool is_of_use(const struct looking *at, const struct sl_window *window)
{
	const struct sl_request *request = view_request(at->view, at->job);
	bool any = !request || !at->pass->nodes || !window->node_count;
	for (uint32_t i = 0; i < window->node_count && !any; i++)
		for (uint32_t k = 0; k < request->group_count && !any; k++)
			any = nodes_tasks(at->pass->nodes, window->node[i], &request->group[k], true) != 0;
	return any;
}

static void say_windows(const struct looking *at)
{
	enum { REPORTED = 3 };
	const struct sl_cluster *cluster = at->view->cluster;
	const sl_time now = at->pass->now;
	const sl_time length = at->pass->estimate[at->job];
	const sl_time end = length < SL_NEVER - now ? now + length : SL_NEVER;
	size_t reported = 0;
	for (uint32_t i = 0; i < cluster->window_count && reported < REPORTED; i++) {
		const struct sl_window *window = &cluster->window[i];
		if (window->until <= now || window->from >= end || !is_of_use(at, window))
			continue;
		reported++;
		const char *name = window->kind == SL_WINDOW_STATE ? "its state (down, drained or the like)"
				   : window->name && *window->name ? window->name
								   : "a window";
		const char *of = window->node_count
					 ? count_words(at->explain, window->node_count, "node", "nodes")
					 : count_words(at->explain, (uint64_t)window->cpus, "cpu", "cpus");
		look_word(at->look, "window", name);
		if (window->from <= now)
			SAY(at, "%s kept %s until %s", name, of,
				window->until == SL_NEVER ? "the end"
							  : time_text(at->explain, window->until));
		else
			SAY(at, "%s was to take %s from %s on: a limit of %s would not have been over by then",
				name, of, time_text(at->explain, window->from),
				range_text(at->explain, length));
		look_fact(at->look, "window_from", window->from);
		if (window->until != SL_NEVER)
			look_fact(at->look, "window_until", window->until);
	}
}

/* ---- Quotas and limits
 * ---------------------------------------------------------------------------------------- */

struct holder {
	int32_t user;
	uint32_t any; /* One of its jobs. */
	int64_t cpus, gpus;
};

static int compare_holders(const void *a, const void *b)
{
	const struct holder *x = a;
	const struct holder *y = b;
	if (x->gpus != y->gpus)
		return x->gpus > y->gpus ? -1 : 1;
	if (x->cpus != y->cpus)
		return x->cpus > y->cpus ? -1 : 1;
	return (x->user > y->user) - (x->user < y->user);
}

enum { HOLDERS_MAX = 256 };

/* Who of its share holder holds what. by: the column of share holders. */
static size_t holders_of(
	const struct looking *at, const int32_t *by, struct holder holder[HOLDERS_MAX], struct holder *sum)
{
	const struct sl_jobs *jobs = at->view->jobs;
	size_t count = 0;
	for (uint32_t job = 0; job < at->pass->submitted; job++) {
		if (!is_running(at->pass, job) || by[job] != by[at->job])
			continue;
		const struct sl_request *request = view_request(at->view, job);
		const int64_t cpus = cpus_of(at->pass, job);
		const int64_t gpus = request ? request->gpus : 0;
		size_t i = 0;
		while (i < count && holder[i].user != jobs->user[job])
			i++;
		if (i == count && count < HOLDERS_MAX)
			holder[count++] = (struct holder){ jobs->user[job], job, 0, 0 };
		if (i < count) {
			holder[i].cpus += cpus;
			holder[i].gpus += gpus;
		}
		sum->cpus += cpus;
		sum->gpus += gpus;
		sum->any++;
	}
	qsort(holder, count, sizeof(*holder), compare_holders);
	return count;
}

static void say_holders(const struct looking *at, const char *what, const char *name, const int32_t *by)
{
	enum { REPORTED = 3 };
	const struct sl_cluster *cluster = at->view->cluster;
	struct holder holder[HOLDERS_MAX];
	struct holder sum = { 0 };
	const size_t count = holders_of(at, by, holder, &sum);
	struct cell cell = { 0 };
	for (size_t i = 0; i < count && i < REPORTED; i++)
		cell_put(&cell, "%s%s %s", cell.len ? ", " : "", user_text(at->explain, holder[i].any),
			holder[i].gpus ? unit_text(at, holder[i].gpus, cluster->gpu_parts, "GPU")
				       : unit_text(at, holder[i].cpus, cluster->cpu_parts, "cpu"));
	if (count > REPORTED)
		cell_put(&cell, ", and %zu more", count - REPORTED);
	const char *held = sum.gpus
				   ? TEXT(at, "%s and %s", unit_text(at, sum.gpus, cluster->gpu_parts, "GPU"),
					     unit_text(at, sum.cpus, cluster->cpu_parts, "cpu"))
				   : unit_text(at, sum.cpus, cluster->cpu_parts, "cpu");
	SAY(at, "%s%s held %s in %s%s%s%s", what, name, held,
		count_words(at->explain, sum.any, "job", "jobs"), count ? " (" : "",
		cell.text ? cell.text : "", count ? ")" : "");
	look_fact(at->look, "party_cpus", explain_look_whole(sum.cpus, cluster->cpu_parts));
	look_fact(at->look, "party_gpus", explain_look_whole(sum.gpus, cluster->gpu_parts));
	cell_free(&cell);
}

/* Lines of an operator's files that limit it: "qos high: GrpTRES=cpu=64". reported: its name in a sentence.
 */
static void say_limits(const struct looking *at, const char *kind, const char *name, const char *reported)
{
	const struct sl_cluster *cluster = at->view->cluster;
	for (uint32_t i = 0; name && i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		const bool limits = strncmp(setting->key, "Grp", 3) == 0 ||
				    strncmp(setting->key, "Max", 3) == 0 ||
				    strncmp(setting->key, "Min", 3) == 0;
		if (limits && *setting->value && strcmp(setting->kind, kind) == 0 &&
			strcmp(setting->name, name) == 0) {
			SAY(at, "%s: %s=%s", reported, setting->key, setting->value);
			look_word(at->look, setting->key, setting->value);
		}
	}
}

/* Those of its account, and of its user in it. */
static void say_associations(const struct looking *at)
{
	const struct sl_cluster *cluster = at->view->cluster;
	const char *account = account_text(at->explain, at->job);
	const char *user = user_text(at->explain, at->job);
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (strcmp(setting->kind, "association") != 0 || strcmp(setting->key, "Account") != 0 ||
			strcmp(setting->value, account) != 0)
			continue;
		const char *of = sl_setting_of(cluster, "association", setting->name, "User");
		if (!of || !*of)
			say_limits(at, "association", setting->name, TEXT(at, "account %s", account));
		else if (strcmp(of, user) == 0)
			say_limits(at, "association", setting->name,
				TEXT(at, "%s in account %s", user, account));
	}
}

static void say_quota(const struct looking *at)
{
	const struct sl_jobs *jobs = at->view->jobs;
	const struct sl_job_attributes *more = view_more(at->view, at->job);
	const char *by = policy_value(at, "by");
	const char *quotas = policy_value(at, "quotas");
	if (by && strcmp(by, "user") == 0)
		say_holders(at, "", TEXT(at, "%s", user_text(at->explain, at->job)), jobs->user);
	else if (by && strcmp(by, "partition") == 0)
		say_holders(at, jobs->partition_name ? "partition " : "",
			partition_text(at->explain, at->job), jobs->partition);
	else if (jobs->account[at->job] >= 0)
		say_holders(at, jobs->account_name ? "account " : "", account_text(at->explain, at->job),
			jobs->account);
	if (quotas && *quotas) {
		SAY(at, "quotas of the policy, by %s: %s", by ? by : "account", quotas);
		look_word(at->look, "quotas", quotas);
	}
	if (more->qos)
		say_limits(at, "qos", more->qos, TEXT(at, "QOS %s", more->qos));
	say_associations(at);
}

/* ---- Other reasons
 * ------------------------------------------------------------------------------------------------ */

static void say_dependency(const struct looking *at)
{
	enum { REPORTED = 5 };
	static const char *const kind[SL_DEPEND_KINDS] = { "has started", "has ended", "has completed",
		"has failed", "has completed", "is over" };
	const struct sl_job_attributes *more = view_more(at->view, at->job);
	const struct sl_result *result = at->view->result;
	if (more->dependency)
		look_word(at->look, "dependency", more->dependency);
	for (uint32_t i = 0; i < more->depend_count && i < REPORTED; i++) {
		const struct sl_depend *depend = &more->depend[i];
		if (depend->job == UINT32_MAX || depend->job >= at->view->jobs->count)
			continue;
		const uint32_t job = depend->job;
		const enum sl_state state = (enum sl_state)at->pass->job_state[job];
		const bool over = state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
		if (over && i + 1 < more->depend_count)
			continue;
		const char *then = over ? "" : state == SL_PENDING ? "waited itself, and " : "ran then, and ";
		SAY(at, "it was to start once job %s %s; that one %s%s", id_text(at->explain, job),
			kind[depend->kind], then,
			result->end[job] == SL_NONE
				? "never ended"
				: TEXT(at, "ended at %s (%s)", time_text(at->explain, result->end[job]),
					  sl_state_name(sl_state_reported(result, job))));
	}
	if (more->depend_count > REPORTED)
		SAY(at, "and %" PRIu32 " more jobs that it depends on", more->depend_count - REPORTED);
}

static void say_begin(const struct looking *at)
{
	const struct sl_job_attributes *more = view_more(at->view, at->job);
	if (more->begin != SL_NONE) {
		SAY(at, "it was not to begin before %s", time_text(at->explain, more->begin));
		look_fact(at->look, "begin", more->begin);
	}
}

static void say_array(const struct looking *at)
{
	const struct sl_job_attributes *more = view_more(at->view, at->job);
	uint64_t running = 0;
	if (more->array_limit == SL_NONE)
		return;
	for (uint32_t job = 0; job < at->pass->submitted; job++)
		running += is_running(at->pass, job) && view_more(at->view, job)->array == more->array;
	if (more->manifest)
		SAY(at, "at most %" PRId64 " pods of its Workflow may run at a time (parallelism); %s",
			more->array_limit, count_words(at->explain, running, "pod ran", "pods ran"));
	else
		SAY(at, "at most %" PRId64 " of array %" PRId64 " may run at a time; %s ran",
			more->array_limit, more->array, count_words(at->explain, running, "task", "tasks"));
	look_fact(at->look, "array_limit", more->array_limit * 1000000);
}

/* "matlab:2,ansys" : how many of that name; 0: none. */
static int64_t license_in(const char *text, const char *name)
{
	const size_t len = strlen(name);
	while (text && *text) {
		if (strncmp(text, name, len) == 0 && (!text[len] || strchr(",;:=@", text[len]))) {
			int64_t count = 1;
			const size_t digits = text[len] == ':' || text[len] == '='
						      ? strspn(text + len + 1, "0123456789")
						      : 0;
			return digits && sl_get_i64(text + len + 1, digits, &count) ? count : 1;
		}
		text += strcspn(text, ",;");
		text += *text != '\0';
	}
	return 0;
}

static void say_licenses(const struct looking *at)
{
	const struct sl_cluster *cluster = at->view->cluster;
	const struct sl_job_desc *desc = view_desc(at->view, at->job);
	for (uint32_t i = 0; desc && desc->licenses && i < cluster->license_count; i++) {
		const struct sl_license *license = &cluster->license[i];
		const int64_t wanted = license_in(desc->licenses, license->name);
		int64_t used = 0;
		for (uint32_t job = 0; wanted && job < at->pass->submitted; job++) {
			const struct sl_job_desc *other =
				is_running(at->pass, job) ? view_desc(at->view, job) : NULL;
			used += other ? license_in(other->licenses, license->name) : 0;
		}
		if (!wanted)
			continue;
		SAY(at, "needs %" PRId64 " of licence %s; %" PRId64 " of %" PRId64 " were in use", wanted,
			license->name, used, license->total);
		look_word(at->look, "licence", license->name);
		look_fact(at->look, "licences_used", used * 1000000);
	}
}

static void say_partition(const struct looking *at)
{
	static const char *const state[] = { "up", "down", "draining", "inactive" };
	const struct sl_cluster *cluster = at->view->cluster;
	const char *name = partition_text(at->explain, at->job);
	for (uint32_t i = 0; i < cluster->partition_count; i++) {
		const struct sl_partition *partition = &cluster->partition[i];
		if (strcmp(partition->name, name) != 0)
			continue;
		const char *most =
			partition->max_time != SL_NONE && partition->max_time != SL_NEVER
				? TEXT(at, ", limits up to %s", range_text(at->explain, partition->max_time))
				: "";
		const char *nodes = partition->nodes_max > 0 && partition->nodes_max < INT32_MAX
					    ? TEXT(at, ", up to %" PRId64 " nodes", partition->nodes_max)
					    : "";
		SAY(at, "partition %s was %s%s%s; the job asks %s and a limit of %s", name,
			state[partition->state], most, nodes, asked_text(at->explain, at->job),
			range_text(at->explain, at->view->jobs->limit[at->job]));
	}
}

/* ---- All of it
 * -------------------------------------------------------------------------------------------------------- */

enum { OF_HEADROOM = 1, OF_QUEUE = 2, OF_WINDOW = 4, OF_QUOTA = 8, OF_PARTITION = 16 };

/* What is worth a look, by the reason; of others, limits of accounts and QOS. */
static const struct {
	enum sl_reason reason;
	unsigned of;
	void (*say)(const struct looking *at);
} worth[] = {
	{ SL_REASON_NONE, OF_HEADROOM | OF_QUEUE | OF_WINDOW, NULL },
	{ SL_REASON_RESOURCES, OF_HEADROOM | OF_QUEUE | OF_WINDOW, NULL },
	{ SL_REASON_PRIORITY, OF_HEADROOM | OF_QUEUE | OF_WINDOW, NULL },
	{ SL_REASON_POD_ERRORS, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_NODES_NOT_AVAIL, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_NODES_RESERVED, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_NODES_MAINT, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_NODES_DOWN, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_NODE_DOWN, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_RESERVATION, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_BAD_CONSTRAINTS, OF_HEADROOM, NULL },
	{ SL_REASON_LEFT, OF_HEADROOM | OF_QUEUE, NULL },
	{ SL_REASON_UNSCHEDULABLE, OF_HEADROOM | OF_WINDOW, NULL },
	{ SL_REASON_PARTITION_NODES, OF_PARTITION, NULL },
	{ SL_REASON_PARTITION_TIME, OF_PARTITION, NULL },
	{ SL_REASON_PARTITION_DOWN, OF_PARTITION, NULL },
	{ SL_REASON_PARTITION_INACTIVE, OF_PARTITION, NULL },
	{ SL_REASON_PARTITION_CONFIG, OF_PARTITION, NULL },
	{ SL_REASON_MEM_LIMIT, OF_PARTITION, NULL },
	{ SL_REASON_QUOTA, OF_QUOTA, NULL },
	{ SL_REASON_DEPENDENCY, 0, say_dependency },
	{ SL_REASON_NEVER, 0, say_dependency },
	{ SL_REASON_BEGIN_TIME, 0, say_begin },
	{ SL_REASON_ARRAY_LIMIT, 0, say_array },
	{ SL_REASON_LICENSES, 0, say_licenses },
};

void look_at(
	const struct explain *explain, struct sim_run *sim, const struct charge *charge, struct look *look)
{
	struct looking at = { .explain = explain,
		.view = &explain->view,
		.pass = &sim->engine->sim,
		.sim = sim,
		.look = look,
		.job = explain->job };
	unsigned of = charge->reason >= SL_REASON_QOS_USAGE ? OF_QUOTA : 0;
	bool fits = true;
	for (size_t i = 0; i < SL_LEN(worth); i++) {
		if (worth[i].reason != charge->reason)
			continue;
		of = worth[i].of;
		if (worth[i].say)
			worth[i].say(&at);
	}
	look->at = charge->from;
	look_at_kueue(explain, at.pass, look);
	look_at_runai(explain, at.pass, look);
	if (of & OF_HEADROOM)
		look_off(&at);
	if (of & OF_HEADROOM)
		fits = say_needs(&at);
	const uint64_t before = of & OF_QUEUE ? say_before(&at) : 0;
	if ((of & OF_HEADROOM) && !fits)
		say_soonest(&at);
	if (of & OF_HEADROOM)
		say_planned(&at);
	if (of & OF_WINDOW)
		say_windows(&at);
	if (of & OF_QUOTA)
		say_quota(&at);
	if (of & OF_PARTITION)
		say_partition(&at);
	if ((of & OF_QUEUE) && fits && charge->reason == SL_REASON_PRIORITY)
		SAY(&at, "it would have fitted: it was kept back for the sake of those before it");
	else if (fits && before && charge->reason == SL_REASON_RESOURCES)
		SAY(&at,
			"by these counts it would have fitted: what was free was kept for those before it, or could not be "
			"put together as it asks");
}
