/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid.c - the policy `hybrid`: its parameters, its two children, and which events each gets.
 *
 * Submissions and ends go to the side that has the job, nodes and passes to both. Timers are distinguished
 * by the row that each policy uses for its own. Operators' commands go by their first word: kubectl's to
 * Kubernetes, all others to Slurm.
 */
#include "policies/hybrid/hybrid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARAM_COMPAT,
	PARAM_WITH,
	PARAM_SLURM,
	PARAM_KUBE,
	PARAM_KUBE_PARTITIONS,
	PARAM_KUBE_ACCOUNTS,
	PARAM_KUBE_USERS,
	PARAM_SLURM_NODES,
	PARAM_KUBE_NODES,
	PARAM_SHARE,
	PARAM_EVERY,
	PARAM_IDLE_FOR,
	PARAM_DELAY,
	PARAM_SLURM_MIN,
	PARAM_KUBE_MIN,
	PARAM_DRAIN,
	PARAM_EVICT,
	PARAM_PRIORITY,
	PARAM_GRACE,
	PARAM_STOP,
	PARAM_BOOT,
	PARAM_SERIES,
	PARAM_COUNT
};

#define DAYS_MAX INT64_C(1000000000000) /* Of times: eleven days. */

static const struct sl_param hybrid_params[PARAM_COUNT] = {
	[PARAM_COMPAT] = { "compat", SL_PARAM_CHOICE, "slurmctld", "slurmctld|22.05",
		"whose rules: slurmctld's; 22.05 is the same, an older name", 0, 0 },
	[PARAM_WITH] = { "with", SL_PARAM_POLICY, "auto", "auto|kube|kueue",
		"the policy of Kubernetes' side: auto, kueue if the cluster has a ClusterQueue, else kube", 0,
		0 },
	[PARAM_SLURM] = { "slurm", SL_PARAM_TEXT, NULL, NULL,
		"parameters of the policy slurm, as \"key=value,...\" in quotes", 0, 0 },
	[PARAM_KUBE] = { "kube", SL_PARAM_TEXT, NULL, NULL,
		"parameters of the policy of Kubernetes' side, likewise", 0, 0 },
	[PARAM_KUBE_PARTITIONS] = { "kube-partitions", SL_PARAM_TEXT, NULL, NULL,
		"jobs of these partitions are Kubernetes', \"a,b\", besides those with a manifest, namespace or queue",
		0, 0 },
	[PARAM_KUBE_ACCOUNTS] = { "kube-accounts", SL_PARAM_TEXT, NULL, NULL, "likewise by account", 0, 0 },
	[PARAM_KUBE_USERS] = { "kube-users", SL_PARAM_TEXT, NULL, NULL, "likewise by user", 0, 0 },
	[PARAM_SLURM_NODES] = { "slurm-nodes", SL_PARAM_TEXT, NULL, NULL,
		"nodes that are Slurm's at the beginning, as \"n[1-4,7]\"; without it those that are not Kubernetes'",
		0, 0 },
	[PARAM_KUBE_NODES] = { "kube-nodes", SL_PARAM_TEXT, NULL, NULL,
		"nodes that are Kubernetes' at the beginning; without both those with a Node object", 0, 0 },
	[PARAM_SHARE] = { "share", SL_PARAM_CHOICE, "static", "static|move|pods",
		"static: nodes stay where they are; move: idle nodes go where jobs wait for them; pods: each of Slurm's "
		"nodes is a pod that fills a node of Kubernetes",
		0, 0 },
	[PARAM_EVERY] = { "move-every", SL_PARAM_TIME, "60", "1s..",
		"share=move: how often both queues are looked at", SL_SECOND, DAYS_MAX },
	[PARAM_IDLE_FOR] = { "idle-for", SL_PARAM_TIME, "300", "0s..",
		"share=move: how long a node must have been idle before it may go", 0, DAYS_MAX },
	[PARAM_DELAY] = { "move-delay", SL_PARAM_TIME, "120", "0s..",
		"share=move: how long a node takes from one side to the other (reboot, new labels)", 0,
		DAYS_MAX },
	[PARAM_SLURM_MIN] = { "slurm-min", SL_PARAM_INT, "0", "0..10000000", "so many nodes stay with Slurm",
		0, 10000000 },
	[PARAM_KUBE_MIN] = { "kube-min", SL_PARAM_INT, "0", "0..10000000",
		"share=move: so many nodes stay with Kubernetes", 0, 10000000 },
	[PARAM_DRAIN] = { "drain", SL_PARAM_BOOL, "0", NULL,
		"share=move: busy nodes are drained too, those that are free soonest first, nothing is killed",
		0, 0 },
	[PARAM_EVICT] = { "pods-evict", SL_PARAM_CHOICE, "idle", "idle|any",
		"share=pods: which of Slurm's nodes make room for pods of higher priority", 0, 0 },
	[PARAM_PRIORITY] = { "pods-priority", SL_PARAM_INT, "0", NULL,
		"share=pods: priority of Slurm's nodes as pods", INT32_MIN, INT32_MAX },
	[PARAM_GRACE] = { "pods-grace", SL_PARAM_TIME, "30", "0s..",
		"share=pods: how long a busy node of Slurm's goes on before its jobs are requeued", 0,
		DAYS_MAX },
	[PARAM_STOP] = { "pods-stop", SL_PARAM_TIME, "1", "1s..",
		"share=pods: how long an empty node of Slurm's takes to be gone; and between looks at the queues",
		SL_SECOND, DAYS_MAX },
	[PARAM_BOOT] = { "pods-boot", SL_PARAM_TIME, "60", "0s..",
		"share=pods: how long a node of Slurm's takes to come back", 0, DAYS_MAX },
	[PARAM_SERIES] = { "course-every", SL_PARAM_TIME, "60", "0s..",
		"hybrid.csv has at most one row a side in that time; 0: one for each change", 0, DAYS_MAX },
};

/* As Slurm alone: what no node can meet is the policies' to refuse, limits are Slurm's to enforce. */
static const struct sl_compat hybrid_compats[] = {
	{ "slurmctld", NULL, "replay.overrun=kill,replay.impossible=keep" },
	{ "22.05", NULL,
		"replay.overrun=kill,replay.impossible=keep" }, /* Its name before there were releases. */
	{ 0 },
};

/* Of timers: the rows that policies use for their own. */
#define ROW_SLURM  UINT32_MAX
#define ROW_HYBRID (UINT32_MAX - 1)

/* ---- Events and passes ----------------------------------------------------------------------- */

void hybrid_report_child(
	struct hybrid *h, struct sl_pass *pass, enum hybrid_side side, const struct sl_event *event)
{
	const struct hybrid_child *child = &h->child[side];
	sl_node_mask(pass, child->unavailable);
	child->policy->on_event(child->state, pass, event);
	sl_node_mask(pass, NULL);
}

static void arm(struct hybrid *h, struct sl_pass *pass, sl_time at)
{
	if (at >= h->armed)
		return;
	h->armed = at;
	sl_wake_event(pass, at, ROW_HYBRID);
}

static void report_timer(struct hybrid *h, struct sl_pass *pass, const struct sl_event *event)
{
	if (event->row == ROW_HYBRID) {
		if (h->armed <= event->time)
			h->armed = SL_NEVER;
		arm(h, pass, hybrid_share_look(h, pass, event->time));
		return;
	}
	hybrid_report_child(h, pass, event->row == ROW_SLURM ? HYBRID_SLURM : HYBRID_KUBE, event);
}

/* Until its side says otherwise it waits to be looked at; Slurm's wait for nothing until then. */
static void note_fresh(struct hybrid *h, const struct sl_pass *pass, uint32_t row)
{
	const uint64_t next = sl_pass_number(pass) + 1;
	if (h->fresh_pass != next)
		h->fresh_count = 0;
	h->fresh_pass = next;
	if (!SL_GROW(h->fresh, h->fresh_capacity, h->fresh_count + 1, &h->err))
		h->fresh[h->fresh_count++] = row;
}

static void hybrid_submit(struct hybrid *h, struct sl_pass *pass, const struct sl_event *event)
{
	const enum hybrid_side side = (enum hybrid_side)h->side[event->row];
	sl_set_lane(pass, (sl_job){ event->row }, side);
	if (side == HYBRID_KUBE)
		note_fresh(h, pass, event->row);
	hybrid_report_child(h, pass, side, event);
}

static void hybrid_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct hybrid *h = state;
	switch (event->class) {
	case SL_EV_SUBMIT:
		hybrid_submit(h, pass, event);
		break;
	case SL_EV_JOB_END:
	case SL_EV_CANCEL:
	case SL_EV_MODEL:
		hybrid_report_child(h, pass, (enum hybrid_side)h->side[event->row], event);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
		hybrid_report_child(h, pass, HYBRID_SLURM, event);
		hybrid_report_child(h, pass, HYBRID_KUBE, event);
		break;
	case SL_EV_TIMER:
		report_timer(h, pass, event);
		break;
	case SL_EV_TIME_LIMIT:
	case SL_EV_RESERVATION:
	case SL_EV_CLASS_COUNT:
		return; /* Not under SL_USE_CONTROL. */
	}
	if (event->class != SL_EV_TIMER || event->row != ROW_HYBRID)
		arm(h, pass, hybrid_share_after(h, event->time));
	if (h->err.status)
		sl_fail_run(pass, &h->err);
}

static void hybrid_pass(void *state, struct sl_pass *pass)
{
	struct hybrid *h = state;
	for (size_t i = 0; h->fresh_pass == sl_pass_number(pass) && i < h->fresh_count; i++)
		sl_set_reason(pass, (sl_job){ h->fresh[i] }, SL_REASON_PENDING_EVALUATION, 0);
	for (int side = 0; side < HYBRID_SIDES; side++) {
		sl_node_mask(pass, h->child[side].unavailable);
		h->child[side].policy->pass(h->child[side].state, pass);
	}
	sl_node_mask(pass, NULL);
	hybrid_count(h, pass);
	if (h->err.status)
		sl_fail_run(pass, &h->err);
}

static bool hybrid_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	const struct hybrid *h = state;
	const struct hybrid_child *child = &h->child[h->side[job.row]];
	return child->policy->requeues && child->policy->requeues(child->state, pass, job);
}

static int hybrid_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err)
{
	const struct hybrid *h = state;
	int status = SL_USAGE;
	for (int side = 0; side < HYBRID_SIDES && status == SL_USAGE; side++) {
		const struct hybrid_child *child = &h->child[side];
		sl_node_mask(pass, child->unavailable);
		if (child->policy->table)
			status = child->policy->table(child->state, pass, at, what, table, err);
	}
	sl_node_mask(pass, NULL);
	return status;
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static const char *name_of_kube(const struct sl_setup *setup)
{
	const struct sl_value *with = &setup->values[PARAM_WITH];
	for (uint32_t i = 0; i < setup->cluster->object_count && !with->number; i++)
		if (strcmp(setup->cluster->object[i].kind, "ClusterQueue") == 0)
			return "kueue";
	return with->number ? with->text : "kube";
}

static bool is_of_kube(const struct sl_command *command)
{
	const char *text = command->text + strspn(command->text, " \t");
	return strncmp(text, "kubectl", 7) == 0 && strchr(" \t", text[7]);
}

static int split_commands(
	struct sl_setup *child, const struct sl_setup *setup, enum hybrid_side side, struct sl_err *err)
{
	struct sl_command *command = sl_alloc(setup->arena, setup->command_count + 1, sizeof(*command));
	if (!command)
		return sl_fail_memory(err);
	child->command = command;
	child->command_count = 0;
	for (size_t i = 0; i < setup->command_count; i++)
		if (is_of_kube(&setup->command[i]) == (side == HYBRID_KUBE))
			command[child->command_count++] = setup->command[i];
	return SL_OK;
}

static int make_child(
	struct hybrid *h, const struct sl_setup *setup, enum hybrid_side side, struct sl_err *err)
{
	struct hybrid_child *child = &h->child[side];
	const char *name = side == HYBRID_SLURM ? "slurm" : name_of_kube(setup);
	struct sl_setup its = *setup;
	child->policy = sl_by_name(setup->registry->policies, name);
	if (!child->policy)
		return sl_fail(err, SL_USAGE, "policy 'hybrid': there is no policy '%s' here", name);
	its.foreign = side == HYBRID_SLURM ? h->foreign : h->native;
	its.unavailable = child->unavailable;
	if (side == HYBRID_KUBE)
		its.overrun =
			SL_OVERRUN_RAISE; /* Pods run to their end, as they do without Slurm beside them. */
	int status = sl_child_values(setup, child->policy,
		setup->values[side == HYBRID_SLURM ? PARAM_SLURM : PARAM_KUBE].text, &its.values,
		&its.value_count, err);
	if (!status)
		status = split_commands(&its, setup, side, err);
	return status ? status : child->policy->init(&child->state, &its, err);
}

static void hybrid_take_values(struct hybrid *h, const struct sl_value *value)
{
	h->share = (enum hybrid_share)value[PARAM_SHARE].number;
	h->every = value[PARAM_EVERY].number;
	h->idle_for = value[PARAM_IDLE_FOR].number;
	h->delay = value[PARAM_DELAY].number;
	h->min[HYBRID_SLURM] = value[PARAM_SLURM_MIN].number;
	h->min[HYBRID_KUBE] = value[PARAM_KUBE_MIN].number;
	h->drain = value[PARAM_DRAIN].number != 0;
	h->evict_busy = value[PARAM_EVICT].number == 1;
	h->pods_priority = value[PARAM_PRIORITY].number;
	h->grace = value[PARAM_GRACE].number;
	h->stop = value[PARAM_STOP].number;
	h->boot = value[PARAM_BOOT].number;
	h->series_every = value[PARAM_SERIES].number;
	h->armed = SL_NEVER;
	h->counted = SL_NONE;
}

static int hybrid_make_room(struct hybrid *h, struct sl_err *err)
{
	const size_t jobs = (size_t)h->jobs->count + 1, nodes = (size_t)h->cluster->node_count + 1;
	h->side = sl_alloc(h->arena, jobs, 1);
	h->foreign = sl_alloc(h->arena, jobs, 1);
	h->native = sl_alloc(h->arena, jobs, 1);
	h->first_start = sl_alloc(h->arena, jobs, sizeof(*h->first_start));
	h->node = sl_alloc(h->arena, nodes, sizeof(*h->node));
	h->idle_of = sl_alloc(h->arena, (size_t)h->cluster->type_count + 1, sizeof(*h->idle_of));
	h->type_idle = sl_alloc(h->arena, (size_t)h->cluster->type_count + 1, sizeof(*h->type_idle));
	h->pick = sl_alloc(h->arena, nodes, sizeof(*h->pick));
	for (int side = 0; side < HYBRID_SIDES; side++)
		h->child[side].unavailable = sl_alloc(h->arena, nodes, 1);
	const bool good = h->side && h->foreign && h->native && h->first_start && h->node && h->idle_of &&
			  h->type_idle && h->pick && h->child[0].unavailable && h->child[1].unavailable;
	for (uint32_t row = 0; good && row < h->jobs->count; row++)
		h->first_start[row] = SL_NONE;
	return good ? SL_OK : sl_fail_memory(err);
}

static int hybrid_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct hybrid *h = sl_alloc(setup->arena, 1, sizeof(*h));
	*state = h;
	if (!h)
		return sl_fail_memory(err);
	h->arena = setup->arena;
	h->cluster = setup->cluster;
	h->jobs = setup->jobs;
	if (!h->cluster->node_count)
		return sl_fail(err, SL_USAGE,
			"policy 'hybrid': the cluster is a counted pool of cpus, and sides share nodes: give a cluster with "
			"-c");
	const struct sl_value *value = setup->values;
	const struct hybrid_rules rules = { value[PARAM_KUBE_PARTITIONS].text,
		value[PARAM_KUBE_ACCOUNTS].text, value[PARAM_KUBE_USERS].text, value[PARAM_SLURM_NODES].text,
		value[PARAM_KUBE_NODES].text };
	hybrid_take_values(h, value);
	int status = hybrid_make_room(h, err);
	if (!status)
		status = hybrid_sides_jobs(h, &rules, err);
	if (!status)
		status = hybrid_sides_nodes(h, &rules, err);
	if (!status)
		status = hybrid_need_make(h, err);
	for (int side = 0; side < HYBRID_SIDES && !status; side++)
		status = make_child(h, setup, (enum hybrid_side)side, err);
	sl_default_reason(setup, SL_REASON_NONE);
	if (!status)
		status = sl_use(setup, SL_USE_CONTROL | SL_USE_NODES | SL_USE_REASONS, err);
	return status ? status : sl_lanes(setup, HYBRID_SIDES, err);
}

static void hybrid_release(void *state)
{
	struct hybrid *h = state;
	for (int side = 0; h && side < HYBRID_SIDES; side++)
		if (h->child[side].state && h->child[side].policy->release)
			h->child[side].policy->release(h->child[side].state);
	if (!h)
		return;
	free(h->fresh);
	free(h->move);
	free(h->point);
}

const struct sl_policy hybrid_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "hybrid",
	.summary =
		"Slurm and Kubernetes on one pool of nodes, which stay, move between them, or are Slurm's as pods",
	.paper = "slurmctld 22.05.8; kube-scheduler 1.36; Kueue v0.20",
	.params = hybrid_params,
	.param_count = PARAM_COUNT,
	.init = hybrid_init,
	.pass = hybrid_pass,
	.on_event = hybrid_event,
	.release = hybrid_release,
	.compat = hybrid_compats,
	.table = hybrid_table,
	.requeues = hybrid_requeues,
	.report = hybrid_report,
};
