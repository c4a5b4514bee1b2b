/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_case.c - a case's world from its JSON. Conventions: the README beside the cases (schema kai-cases/1).
 */
#include "tests/conformance/runai_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The document ---- */

const char *ra_text(const struct runai_case *c, const struct sl_doc_node *node)
{
	return node && node->kind == SL_DOC_TEXT ? c->doc->text + node->text : NULL;
}

const char *ra_key(const struct runai_case *c, const struct sl_doc_node *node)
{
	return c->doc->text + node->key;
}

const struct sl_doc_node *ra_first(const struct runai_case *c, const struct sl_doc_node *list)
{
	return list && list->kind != SL_DOC_TEXT ? sl_doc_child(c->doc, list) : NULL;
}

const struct sl_doc_node *ra_next(const struct runai_case *c, const struct sl_doc_node *node)
{
	return sl_doc_next(c->doc, node);
}

const struct sl_doc_node *ra_get(const struct runai_case *c, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node =
		map && map->kind == SL_DOC_MAP ? sl_doc_member(c->doc, map, key) : NULL;
	const char *text = ra_text(c, node);
	return text && strcmp(text, "null") == 0 ? NULL : node;
}

const char *ra_str(
	const struct runai_case *c, const struct sl_doc_node *map, const char *key, const char *fallback)
{
	const char *text = ra_text(c, ra_get(c, map, key));
	return text ? text : fallback;
}

double ra_real(const struct runai_case *c, const struct sl_doc_node *map, const char *key, double fallback)
{
	const char *text = ra_str(c, map, key, NULL);
	return text ? strtod(text, NULL) : fallback;
}

int64_t ra_int(const struct runai_case *c, const struct sl_doc_node *map, const char *key, int64_t fallback)
{
	const char *text = ra_str(c, map, key, NULL);
	return text ? (int64_t)llround(strtod(text, NULL)) : fallback;
}

bool ra_bool(const struct runai_case *c, const struct sl_doc_node *map, const char *key, bool fallback)
{
	const char *text = ra_str(c, map, key, NULL);
	return text ? strcmp(text, "true") == 0 : fallback;
}

sl_time ra_seconds(
	const struct runai_case *c, const struct sl_doc_node *map, const char *key, sl_time fallback)
{
	const char *text = ra_str(c, map, key, NULL);
	return text ? (sl_time)llround(strtod(text, NULL) * (double)SL_SECOND) : fallback;
}

int64_t ra_amount(const struct runai_case *c, const struct sl_doc_node *map, const char *key,
	enum kai_res res, int64_t fallback)
{
	const char *text = ra_str(c, map, key, NULL);
	const double value = text ? strtod(text, NULL) : 0;
	if (!text)
		return fallback;
	if (value < 0)
		return KAI_UNLIMITED;
	return (int64_t)llround(res == KAI_GPUS ? value * (double)KAI_GPU : value);
}

const char *ra_res_key(enum kai_res res)
{
	static const char *const key[KAI_RES] = { "cpu_milli", "memory_bytes", "gpu" };
	return key[res];
}

struct kai_vec ra_vec(const struct runai_case *c, const struct sl_doc_node *map)
{
	struct kai_vec vec = { 0 };
	for (int i = 0; i < KAI_RES; i++)
		vec.at[i] = ra_amount(c, map, ra_res_key((enum kai_res)i), (enum kai_res)i, 0);
	return vec;
}

/* ---- Queues ---- */

uint32_t ra_queue(struct runai_case *c, const struct sl_doc_node *node)
{
	struct kai *kai = c->kai;
	const char *parent = ra_str(c, node, "parent", NULL);
	const uint32_t above = parent ? kai_queue(kai, parent) : KAI_NO;
	const uint32_t row = kai_queue(kai, ra_str(c, node, "name", ""));
	if (row == KAI_NO)
		return row;
	struct kai_queue *queue = &kai->queue[row];
	queue->parent = above;
	queue->priority = ra_int(c, node, "priority", 0);
	queue->created = ra_int(c, node, "created_order", 0);
	queue->preempt_min = ra_seconds(c, node, "preempt_min_runtime_s", SL_NONE);
	queue->reclaim_min = ra_seconds(c, node, "reclaim_min_runtime_s", SL_NONE);
	for (int i = 0; i < KAI_RES; i++) {
		const enum kai_res res = (enum kai_res)i;
		const struct sl_doc_node *of = ra_get(c, node, ra_res_key(res));
		queue->quota.at[i] = ra_amount(c, of, "quota", res, 0);
		queue->limit.at[i] = ra_amount(c, of, "limit", res, 0);
		queue->weight[i] = ra_real(c, of, "over_quota_weight", 0);
		queue->usage[i] = ra_real(c, of, "usage", 0);
		queue->request.at[i] = ra_amount(c, of, "request", res, 0);
		queue->fair.at[i] = ra_amount(c, of, "fair_share", res, 0);
		queue->allocated.at[i] = ra_amount(c, of, "allocated", res, 0);
		queue->allocated_np.at[i] = ra_amount(c, of, "allocated_non_preemptible", res, 0);
	}
	return row;
}

/* ---- Nodes ---- */

static const char *profile_of(const char *name)
{
	const char *mig = strstr(name, "mig-");
	return mig ? mig + strlen("mig-") : name;
}

static void add_node(struct runai_case *c, const struct sl_doc_node *from)
{
	const uint32_t row = kai_node(c->kai, ra_str(c, from, "name", ""));
	struct kai_node *node = &c->kai->node[row];
	node->cpu = ra_int(c, from, "cpu_milli", 0);
	node->mem = ra_int(c, from, "memory_bytes", 0);
	node->pods = ra_int(c, from, "max_pods", 110);
	node->gpus = ra_int(c, from, "gpus", 0);
	node->gpu_mem = ra_int(c, from, "gpu_memory_mib", 0);
	const struct sl_doc_node *labels = ra_get(c, from, "labels"), *mig = ra_get(c, from, "mig");
	struct sl_label *label = sl_alloc(c->arena, (labels ? labels->count : 0) + 1, sizeof(*label));
	node->labels = (struct sl_labels){ label, 0 };
	for (const struct sl_doc_node *one = ra_first(c, labels); label && one; one = ra_next(c, one))
		label[node->labels.count++] = (struct sl_label){ kai_text(c->kai, ra_key(c, one)),
			kai_text(c->kai, ra_text(c, one)) };
	const char *strategy = ra_str(c, mig, "strategy", "none");
	node->mig = strcmp(strategy, "mixed") == 0    ? KAI_MIG_MIXED
		    : strcmp(strategy, "single") == 0 ? KAI_MIG_SINGLE
						      : KAI_MIG_NONE;
	node->cpu_worker = node->gpus == 0 && node->mig == KAI_MIG_NONE;
}

/* When all profiles are known. */
static void add_profiles(struct runai_case *c, const struct sl_doc_node *from)
{
	const uint32_t row = kai_node(c->kai, ra_str(c, from, "name", ""));
	struct kai_node *node = &c->kai->node[row];
	const struct sl_doc_node *list = ra_get(c, ra_get(c, from, "mig"), "instances");
	node->mig_count = calloc((size_t)c->kai->mig_count + 1, sizeof(int64_t));
	node->mig_idle = calloc((size_t)c->kai->mig_count + 1, sizeof(int64_t));
	node->mig_releasing = calloc((size_t)c->kai->mig_count + 1, sizeof(int64_t));
	for (const struct sl_doc_node *one = ra_first(c, list); one && node->mig_count; one = ra_next(c, one))
		node->mig_count[kai_mig_profile(c->kai, profile_of(ra_key(c, one)))] =
			strtoll(ra_text(c, one), NULL, 10);
}

static void know_profiles(struct runai_case *c, const struct sl_doc_node *map)
{
	for (const struct sl_doc_node *one = ra_first(c, map); one; one = ra_next(c, one))
		(void)kai_mig_profile(c->kai, profile_of(ra_key(c, one)));
}

static void add_topology(struct runai_case *c, const struct sl_doc_node *from)
{
	const uint32_t row = kai_topology(c->kai, ra_str(c, from, "name", ""));
	struct kai_topology *topology = &c->kai->topology[row];
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, from, "levels"));
		one && topology->level_count < KAI_LEVELS_MAX; one = ra_next(c, one))
		topology->level[topology->level_count++] = kai_text(c->kai, ra_text(c, one));
}

/* ---- Jobs ---- */

/* level_count: it has none of that name. */
static uint32_t level_of(const struct runai_case *c, uint32_t topology, const char *name)
{
	const struct kai_topology *row = &c->kai->topology[topology];
	uint32_t i = 0;
	if (!name)
		return KAI_NO;
	while (i < row->level_count && strcmp(row->level[i], name) != 0)
		i++;
	return i;
}

static void constrain(struct runai_case *c, struct kai_group *group, const struct sl_doc_node *from)
{
	const char *topology = ra_str(c, from, "topology", NULL);
	if (!topology)
		return;
	group->topology = kai_topology(c->kai, topology);
	group->required = level_of(c, group->topology, ra_str(c, from, "required_level", NULL));
	group->preferred = level_of(c, group->topology, ra_str(c, from, "preferred_level", NULL));
}

static uint32_t count_groups(const struct runai_case *c, const struct sl_doc_node *from)
{
	uint32_t count = 1;
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, from, "children")); one;
		one = ra_next(c, one))
		count += count_groups(c, one);
	return count;
}

static void add_group(
	struct runai_case *c, uint32_t job, const struct sl_doc_node *from, uint32_t parent, uint32_t *next)
{
	const uint32_t row = (*next)++;
	struct kai_group *group = &c->kai->job[job].group[row];
	const struct sl_doc_node *children = ra_get(c, from, "children");
	group->name = kai_text(c->kai, ra_str(c, from, "name", ""));
	group->parent = parent;
	group->leaf = !children;
	group->min = (uint32_t)ra_int(
		c, from, children ? "min_subgroups" : "min_member", children ? (int64_t)KAI_NO : 0);
	constrain(c, group, ra_get(c, from, "topology_constraint"));
	for (const struct sl_doc_node *one = ra_first(c, children); one; one = ra_next(c, one))
		add_group(c, job, one, row, next);
}

static const uint64_t *allowed_of(struct runai_case *c, const struct sl_doc_node *list)
{
	if (!list)
		return NULL;
	uint64_t *bits = sl_alloc(c->arena, c->kai->node_words + 1, sizeof(*bits));
	for (const struct sl_doc_node *one = ra_first(c, list); bits && one; one = ra_next(c, one)) {
		const uint32_t node = kai_find_node(c->kai, ra_text(c, one));
		if (node != KAI_NO)
			bits[node / 64] |= UINT64_C(1) << node % 64;
	}
	return bits;
}

static uint32_t request_of(struct runai_case *c, const struct sl_doc_node *task)
{
	struct kai_profiles profile[8];
	struct kai_request request = { .cpu = ra_int(c, task, "cpu_milli", 0),
		.mem = ra_int(c, task, "memory_bytes", 0),
		.best_effort = ra_bool(c, task, "best_effort", false),
		.allowed = allowed_of(c, ra_get(c, task, "allowed_nodes")),
		.profile = profile };
	const struct sl_doc_node *mig = ra_get(c, task, "mig_instances");
	if (mig) {
		request.kind = KAI_MIG_PROFILES;
		for (const struct sl_doc_node *one = ra_first(c, mig);
			one && request.profile_count < SL_LEN(profile); one = ra_next(c, one))
			profile[request.profile_count++] =
				(struct kai_profiles){ kai_mig_profile(c->kai, profile_of(ra_key(c, one))),
					strtoll(ra_text(c, one), NULL, 10) };
	} else if (ra_get(c, task, "gpu_fraction")) {
		request.kind = KAI_FRACTION;
		request.gpus = ra_int(c, task, "gpu_devices", 1);
		request.fraction = ra_amount(c, task, "gpu_fraction", KAI_GPUS, 0);
	} else if (ra_get(c, task, "gpu_memory_mib")) {
		request.kind = KAI_MEMORY;
		request.gpus = ra_int(c, task, "gpu_devices", 1);
		request.gpu_mem = ra_int(c, task, "gpu_memory_mib", 0);
	} else {
		request.gpus = ra_int(c, task, "gpus", 0);
		request.kind = request.gpus ? KAI_WHOLE : KAI_NO_GPU;
	}
	return kai_request(c->kai, &request);
}

static const char *const state_name[KAI_STATES] = { "pending", "gated", "allocated", "pipelined", "binding",
	"bound", "running", "releasing", "stuck_in_releasing", "succeeded", "failed", "unknown", "deleted" };

enum kai_state ra_state_of(const char *name)
{
	for (int i = 0; i < KAI_STATES; i++)
		if (strcmp(state_name[i], name) == 0)
			return (enum kai_state)i;
	return KAI_UNKNOWN;
}

const char *ra_state_name(int64_t state) { return state_name[state]; }

/* The node's shared GPU of that label: a row of its own, if it has none. */
static uint32_t shared_of(struct runai_case *c, uint32_t node, const char *label)
{
	struct kai_node *row = &c->kai->node[node];
	for (uint32_t i = 0; label && i < row->shared_count; i++)
		if (row->shared[i].members + row->shared[i].pipelined_members > 0 && row->shared[i].label &&
			strcmp(row->shared[i].label, label) == 0)
			return i;
	const uint32_t made = kai_shared_row(c->kai, node);
	c->kai->node[node].shared[made].label = kai_text(c->kai, label);
	return made;
}

/* Its state and place, as the session finds them. A record may name a node of a task that holds none (it
 * failed there, say): row_outside keeps it, for as long as nobody places the task. */
static void put_task(struct runai_case *c, uint32_t task, const struct sl_doc_node *from)
{
	const enum kai_state state = ra_state_of(ra_str(c, from, "state", "pending"));
	const char *name = ra_str(c, from, "node", NULL);
	const uint32_t node = name ? kai_find_node(c->kai, name) : KAI_NO;
	c->kai->task[task].row_outside = node;
	if (state == KAI_PENDING)
		return;
	const int64_t devices =
		c->kai->task[task].shared ? c->kai->request[c->kai->task[task].request].gpus : 0;
	uint32_t shared[KAI_DEVICES_MAX];
	const struct sl_doc_node *label = ra_first(c, ra_get(c, from, "gpu_devices_used"));
	for (int64_t i = 0; node != KAI_NO && i < devices; i++) {
		shared[i] = shared_of(c, node, ra_text(c, label));
		/* Rows without members are given out again: it is taken at once. */
		c->kai->node[node].shared[shared[i]].members++;
		label = label ? ra_next(c, label) : NULL;
	}
	for (int64_t i = 0; node != KAI_NO && i < devices; i++)
		c->kai->node[node].shared[shared[i]].members--;
	kai_set_task(c->kai, task, state, node, devices ? shared : NULL);
}

static const struct sl_doc_node *task_named(
	const struct runai_case *c, const struct sl_doc_node *list, const char *uid)
{
	for (const struct sl_doc_node *one = ra_first(c, list); one; one = ra_next(c, one))
		if (strcmp(ra_str(c, one, "id", ""), uid) == 0)
			return one;
	return NULL;
}

static uint32_t group_named(const struct kai_job *job, const char *name)
{
	for (uint32_t i = 0; i < job->group_count; i++)
		if (job->group[i].leaf && strcmp(job->group[i].name, name) == 0)
			return i;
	return 1;
}

static void set_tasks(struct runai_case *c, uint32_t row, const struct sl_doc_node *list)
{
	struct kai *kai = c->kai;
	uint32_t at = kai->job[row].task;
	for (const struct sl_doc_node *one = ra_first(c, list); one; one = ra_next(c, one), at++) {
		const uint32_t request = request_of(c, one);
		struct kai_task *task = &kai->task[at];
		task->uid = kai_text(kai, ra_str(c, one, "id", ""));
		task->request = request;
		task->has_order = ra_get(c, one, "task_order_priority") != NULL;
		task->order = ra_int(c, one, "task_order_priority", 0);
		task->group = group_named(&kai->job[row], ra_str(c, one, "subgroup", "default"));
	}
}

/* The time of a case's session, late enough for all that was before. */
#define NOW (INT64_C(1000000) * SL_SECOND)

static void add_job(struct runai_case *c, const struct sl_doc_node *from)
{
	struct kai *kai = c->kai;
	const struct sl_doc_node *tasks = ra_get(c, from, "tasks"), *tree = ra_get(c, from, "subgroups");
	const struct sl_doc_node *constraint = ra_get(c, from, "topology_constraint");
	const uint32_t count = tasks ? tasks->count : 0;
	const uint32_t row =
		kai_job(kai, ra_str(c, from, "name", ""), count, tree ? count_groups(c, tree) : 0);
	if (row == KAI_NO)
		return;
	uint32_t next = 0;
	if (tree)
		add_group(c, row, tree, KAI_NO, &next);
	else
		kai->job[row].group[1].min = (uint32_t)ra_int(c, from, "min_member", 1);
	if (constraint)
		constrain(c, &kai->job[row].group[0], constraint);
	struct kai_job *job = &kai->job[row];
	job->queue = kai_find_queue(kai, ra_str(c, from, "queue", ""));
	job->priority = ra_int(c, from, "priority", 0);
	job->preemptible = ra_bool(c, from, "preemptible", true);
	job->deleted = ra_bool(c, from, "being_deleted", false);
	job->ready = !ra_bool(c, from, "not_ready", false);
	job->created = NOW - ra_seconds(c, from, "age_s", 0);
	if (ra_get(c, from, "started_s_ago"))
		job->started = NOW - ra_seconds(c, from, "started_s_ago", 0);
	if (ra_get(c, from, "stale_for_s"))
		job->stale_since = NOW - ra_seconds(c, from, "stale_for_s", 0);
	job->grace = ra_seconds(c, from, "staleness_grace_s", SL_NONE);
	job->delay = ra_seconds(c, from, "preemption_delay_s", 0);
	set_tasks(c, row, tasks);
	if (kai_seal_job(kai, row) != 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		put_task(c, kai->job[row].task + i,
			task_named(c, tasks, kai->task[kai->job[row].task + i].uid));
}

/* ---- The world ---- */

static enum kai_placement placement_of(const char *name)
{
	if (strcmp(name, "binpack") == 0 || strcmp(name, "pack") == 0)
		return KAI_BINPACK;
	return strcmp(name, "spread") == 0 ? KAI_SPREAD : KAI_PLAIN;
}

static uint32_t plugins_of(const struct runai_case *c, const struct sl_doc_node *list)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} known[] = { { "proportion", KAI_PLUGIN_PROPORTION }, { "priority", KAI_PLUGIN_PRIORITY },
		{ "nodeplacement", KAI_PLUGIN_NODEPLACEMENT }, { "gpupack", KAI_PLUGIN_GPUPACK },
		{ "gpuspread", KAI_PLUGIN_GPUSPREAD }, { "nodeavailability", KAI_PLUGIN_NODEAVAILABILITY },
		{ "resourcetype", KAI_PLUGIN_RESOURCETYPE }, { "elastic", KAI_PLUGIN_ELASTIC },
		{ "gpusharingorder", KAI_PLUGIN_GPUSHARING }, { "topology", KAI_PLUGIN_TOPOLOGY },
		{ "minruntime", KAI_PLUGIN_MINRUNTIME }, { "taskorder", KAI_PLUGIN_TASKORDER },
		{ "subgrouporder", KAI_PLUGIN_SUBGROUPORDER }, { "nominatednode", KAI_PLUGIN_NOMINATED } };
	uint32_t bits = 0;
	if (!list || list->kind != SL_DOC_LIST)
		return KAI_ALL_PLUGINS;
	for (const struct sl_doc_node *one = ra_first(c, list); one; one = ra_next(c, one))
		for (size_t i = 0; i < SL_LEN(known); i++)
			if (strcmp(known[i].name, ra_text(c, one)) == 0)
				bits |= known[i].bit;
	return bits;
}

static void configure(struct runai_case *c)
{
	static const char *const action[KAI_ACTIONS] = { "allocate", "consolidation", "reclaim", "preempt",
		"stalegangeviction" };
	struct kai_config *config = &c->kai->config;
	const struct sl_doc_node *from = ra_get(c, c->root, "config"),
				 *placement = ra_get(c, from, "placement");
	config->action_count = 0;
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, c->root, "actions"));
		one && config->action_count < KAI_ACTIONS; one = ra_next(c, one))
		for (int i = 0; i < KAI_ACTIONS; i++)
			if (strcmp(action[i], ra_text(c, one)) == 0)
				config->action[config->action_count++] = (enum kai_action)i;
	config->gpu_placement = placement_of(ra_str(c, placement, "gpu", "binpack"));
	config->cpu_placement = placement_of(ra_str(c, placement, "cpu", "binpack"));
	config->gpu_order = placement_of(ra_str(c, from, "gpu_order", "pack"));
	config->plugins = plugins_of(c, ra_get(c, from, "plugins"));
	config->consolidating_reclaim = ra_bool(c, from, "allow_consolidating_reclaim", true);
	config->consolidation_max = ra_int(c, from, "max_consolidation_victims", -1);
	config->signatures = ra_bool(c, from, "scheduling_signatures", false);
	config->staleness = ra_seconds(c, from, "default_staleness_grace_s", 0);
	config->keep_open = true; /* The states of tasks that are expected are those within the session. */
	config->saturation = ra_real(c, from, "saturation_multiplier", 1);
}

void ra_build(struct runai_case *c)
{
	const struct sl_doc_node *nodes = ra_get(c, c->root, "nodes"), *jobs = ra_get(c, c->root, "jobs");
	const struct sl_doc_node *one;
	c->kai->now = NOW;
	configure(c);
	for (one = ra_first(c, ra_get(c, c->root, "topologies")); one; one = ra_next(c, one))
		add_topology(c, one);
	for (one = ra_first(c, ra_get(c, c->root, "queues")); one; one = ra_next(c, one))
		(void)ra_queue(c, one);
	for (one = ra_first(c, nodes); one; one = ra_next(c, one)) {
		know_profiles(c, ra_get(c, ra_get(c, one, "mig"), "instances"));
		add_node(c, one);
	}
	for (one = ra_first(c, jobs); one; one = ra_next(c, one))
		for (const struct sl_doc_node *task = ra_first(c, ra_get(c, one, "tasks")); task;
			task = ra_next(c, task))
			know_profiles(c, ra_get(c, task, "mig_instances"));
	for (one = ra_first(c, nodes); one; one = ra_next(c, one))
		add_profiles(c, one);
	if (kai_seal(c->kai) != 0)
		return;
	for (one = ra_first(c, jobs); one; one = ra_next(c, one))
		add_job(c, one);
}
