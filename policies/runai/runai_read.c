/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read.c - departments, projects, queues and pools of all sources into one struct; then what is not
 * said has its default.
 *
 * Defaults of the projects file and of Run:AI's objects: a department is due what its projects are due
 * together; nothing is limited; over quota is shared in proportion to quota (Run:AI, administrator guide:
 * quotas of 3 and 1 share what is idle 75 to 25). Those of KAI's Queue are its API's: what is not said is 0.
 */
#include <stdio.h>
#include <string.h>

#include "policies/runai/runai_reading.h"

/* ---- Rows --------------------------------------------------------------------------------------- */

static const struct runai_queue queue_default = {
	.parent = KAI_NO,
	.priority = 100,
	.preempt_min = SL_NONE,
	.reclaim_min = SL_NONE,
	.types = (1U << RUNAI_TYPES) - 1,
};

static void clear_share(struct runai_share *share)
{
	*share = (struct runai_share){ .over_quota = true };
	for (int res = 0; res < KAI_RES; res++)
		share->limit.at[res] = KAI_UNLIMITED;
}

static void clear_queue(struct runai_queue *queue, const char *name, const struct sl_place *at)
{
	*queue = queue_default;
	queue->name = queue->display = name;
	queue->at = *at;
	for (int type = 0; type < RUNAI_TYPES; type++)
		queue->time_limit[type] = queue->idle_limit[type] = SL_NONE;
	clear_share(&queue->share);
	clear_share(&queue->elsewhere);
}

static uint32_t add_queue(struct runai_reading *r, const char *name, const struct sl_place *at)
{
	struct runai_config *config = r->config;
	const uint32_t row = config->queue_count;
	config->queue = runai_grow(r, config->queue, row, sizeof(*config->queue));
	r->draft = runai_grow(r, r->draft, row, sizeof(*r->draft));
	if (!config->queue || !r->draft)
		return KAI_NO;
	if (sl_names_add(r->config->names, name) != row)
		return (void)sl_fail_memory(r->err), KAI_NO;
	clear_queue(&config->queue[row], runai_copy(r, name), at);
	r->draft[row] = (struct runai_draft){ .weight = -1, .time = SL_NONE };
	config->queue[row].created = row;
	config->queue_count++;
	return row;
}

uint32_t runai_new_queue(struct sl_at at, const char *name)
{
	struct runai_reading *r = runai_of(at);
	if (runai_failed(r))
		return KAI_NO;
	const uint32_t found = sl_names_find(r->config->names, name);
	const struct sl_place place = sl_doc_place(at.doc, at.node);
	if (found != KAI_NO) {
		const struct sl_place *first = &r->config->queue[found].at;
		(void)sl_at_fail(at,
			"'%.80s' stands twice, first in %s line %llu: a department, project or queue has a name "
			"of its own",
			name, first->file, (unsigned long long)first->line);
		return KAI_NO;
	}
	if (r->config->queue_count == RUNAI_QUEUES_MAX) {
		(void)sl_at_fail(at, "more than %d departments, projects and queues", RUNAI_QUEUES_MAX);
		return KAI_NO;
	}
	return add_queue(r, name, &place);
}

uint32_t runai_new_pool(struct sl_at at, const char *name)
{
	struct runai_reading *r = runai_of(at);
	struct runai_config *config = r->config;
	if (config->pool_count == RUNAI_POOLS_MAX) {
		(void)sl_at_fail(at, "more than %d node pools", RUNAI_POOLS_MAX);
		return KAI_NO;
	}
	config->pool = runai_grow(r, config->pool, config->pool_count, sizeof(*config->pool));
	if (!config->pool)
		return KAI_NO;
	const uint32_t row = config->pool_count++;
	config->pool[row] = r->all;
	config->pool[row].name = runai_copy(r, name);
	return row;
}

struct runai_share *runai_share_in(struct runai_reading *r, uint32_t queue, uint32_t pool)
{
	struct runai_queue *of = &r->config->queue[queue];
	if (pool == 0)
		return &of->share;
	for (uint32_t i = 0; i < of->pool_count; i++)
		if (of->pool[i].pool == pool)
			return &of->pool[i].share;
	of->pool = runai_grow(r, of->pool, of->pool_count, sizeof(*of->pool));
	if (!of->pool)
		return NULL;
	struct runai_pool_share *made = &of->pool[of->pool_count++];
	made->pool = pool;
	clear_share(&made->share);
	made->share.over_quota = of->elsewhere.over_quota;
	return &made->share;
}

uint32_t runai_pool(struct sl_at at, const char *name)
{
	if (runai_failed(runai_of(at)))
		return KAI_NO;
	const uint32_t found = runai_find_pool(runai_of(at)->config, name);
	if (found != KAI_NO)
		return found;
	const uint32_t row = runai_new_pool(at, name);
	if (row != KAI_NO) { /* Its nodes are those that have its name as a label. */
		runai_of(at)->config->pool[row].key = runai_of(at)->config->pool_label;
		runai_of(at)->config->pool[row].value = runai_of(at)->config->pool[row].name;
	}
	return row;
}

/* ---- Objects of single kinds -------------------------------------------------------------------- */

static void read_class(struct sl_at at, const struct sl_object *object)
{
	struct runai_reading *r = runai_of(at);
	struct runai_config *config = r->config;
	r->class = runai_grow(r, r->class, config->class_count, sizeof(*r->class));
	if (!r->class)
		return;
	const int64_t value = sl_at_int(sl_at_get(at, "value"), 0, INT32_MIN, INT32_MAX);
	r->class[config->class_count++] = (struct runai_class){ runai_copy(r, object->name), value };
	if (sl_at_bool(sl_at_get(at, "globalDefault"), false))
		config->class_default = value;
}

static void read_topology(struct sl_at at, const struct sl_object *object)
{
	struct runai_reading *r = runai_of(at);
	struct runai_config *config = r->config;
	r->topology = runai_grow(r, r->topology, config->topology_count, sizeof(*r->topology));
	if (!r->topology)
		return;
	struct kai_topology *topology = &r->topology[config->topology_count++];
	*topology = (struct kai_topology){ .name = runai_copy(r, object->name) };
	struct sl_at level = sl_at_first(sl_at_get(at, "spec.levels"));
	for (; level.node; level = sl_at_next(level)) {
		if (topology->level_count == KAI_LEVELS_MAX) {
			(void)sl_at_fail(level, "more than %d levels", KAI_LEVELS_MAX);
			return;
		}
		topology->level[topology->level_count++] = runai_name(level, "nodeLabel");
	}
	if (!topology->level_count)
		(void)sl_at_fail(at,
			"the Topology '%s' has no spec.levels: name the labels of nodes, coarse to fine",
			object->name);
}

/* The projects file among manifests: apiVersion schedlab/v1, kind Projects. */
static void read_projects_object(struct sl_at at, const struct sl_object *object)
{
	(void)object;
	runai_read_file(at);
}

/* In this order: what others look at comes first. */
static const struct {
	const char *kind, *group; /* group: how the version begins. */
	void (*read)(struct sl_at at, const struct sl_object *object);
} kinds[] = {
	{ "Config", "kai.scheduler/", runai_read_kai_config },
	{ "PriorityClass", "scheduling.k8s.io/", read_class },
	{ "SchedulingShard", "kai.scheduler/", runai_read_shard },
	{ "Topology", "kai.scheduler/", read_topology },
	{ "Queue", "scheduling.run.ai/", runai_read_kai_queue },
	{ "Department", "run.ai/", runai_read_department },
	{ "Project", "run.ai/", runai_read_project },
	{ "Projects", "schedlab/", read_projects_object },
};

/* ---- Parents ------------------------------------------------------------------------------------ */

/* The department of projects that name none. */
static uint32_t usual_department(struct runai_reading *r, const struct sl_place *at)
{
	static const char *const names[] = { "default", "default-department" };
	for (size_t i = 0; i < SL_LEN(names); i++) {
		const uint32_t found = sl_names_find(r->config->names, names[i]);
		if (found != KAI_NO && r->draft[found].is_department)
			return found;
	}
	const char *name = sl_names_find(r->config->names, names[0]) == KAI_NO ? names[0] : names[1];
	const uint32_t row = add_queue(r, name, at);
	if (row != KAI_NO) {
		r->draft[row].of_file = r->draft[row].is_department = true;
		r->config->queue[row].implied = true;
	}
	return row;
}

/* Departments that are only named have what their projects have together. */
static uint32_t missing_department(struct runai_reading *r, uint32_t row, const char *name)
{
	const struct sl_place at = r->config->queue[row].at;
	const uint32_t parent = add_queue(r, name, &at);
	if (parent != KAI_NO)
		r->config->queue[parent].implied = r->draft[parent].is_department = true;
	return parent;
}

static void note_orphan(struct runai_reading *r, uint32_t row, const char *parent)
{
	struct runai_queue *queue = &r->config->queue[row];
	queue->orphan = true;
	runai_note((struct sl_at){ .err = r->err, .self = r },
		"%s:%llu: the queue '%s' names the parent '%s', which is not there: KAI starts none of its jobs",
		queue->at.file, (unsigned long long)queue->at.line, queue->name, parent);
}

static void link_parents(struct runai_reading *r)
{
	const uint32_t count = r->config->queue_count;
	for (uint32_t i = 0; i < count && !runai_failed(r); i++) {
		const char *name = r->draft[i].parent;
		uint32_t parent = name ? sl_names_find(r->config->names, name) : KAI_NO;
		if (name && parent == KAI_NO && r->draft[i].of_kai)
			note_orphan(r, i, name);
		else if (name && parent == KAI_NO)
			parent = missing_department(r, i, name);
		else if (!name && !r->draft[i].of_kai && !r->draft[i].is_department)
			parent = usual_department(r, &r->config->queue[i].at);
		if (parent == i) {
			(void)sl_fail_at(r->err, &r->config->queue[i].at,
				"'%s' is its own parent: name another", r->config->queue[i].name);
			return;
		}
		r->config->queue[i].parent = parent;
		if (parent != KAI_NO)
			r->config->queue[parent].children++;
	}
}

/* No circles, no deeper than the core goes. */
static void check_depth(struct runai_reading *r)
{
	const struct runai_config *config = r->config;
	for (uint32_t i = 0; i < config->queue_count && !runai_failed(r); i++) {
		uint32_t depth = 0;
		for (uint32_t at = i; at != KAI_NO && depth <= KAI_DEPTH_MAX; at = config->queue[at].parent)
			depth++;
		if (depth > KAI_DEPTH_MAX)
			(void)sl_fail_at(r->err, &config->queue[i].at,
				"'%s' has more than %d above it, or is its own parent's parent: mend the parents",
				config->queue[i].name, KAI_DEPTH_MAX - 1);
	}
}

/* ---- Defaults ----------------------------------------------------------------------------------- */

/* What is in proportion to a quota: whole GPUs, cpus, GiB. */
static double runai_read_weight_of(int64_t quota, enum kai_res res)
{
	static const double unit[KAI_RES] = { 1000, 1073741824, (double)KAI_GPU };
	return quota == KAI_UNLIMITED ? 1 : (double)quota / unit[res];
}

/* A department without a quota is there for projects that are given a weight. */
static double usual_weight(
	int64_t quota, enum kai_res res, const struct runai_draft *draft, bool has_children)
{
	if (draft->weight >= 0)
		return draft->weight;
	return has_children && !quota ? 1 : runai_read_weight_of(quota, res);
}

static void finish_share(struct runai_share *share, const struct runai_draft *draft, bool has_children)
{
	for (int i = 0; i < KAI_RES; i++) {
		const enum kai_res res = (enum kai_res)i;
		if (!(share->said[i] & RUNAI_SAID_QUOTA) && !has_children)
			/* Cpus and memory are nobody's where nothing is said, as without Run:AI's quotas for
			 * them. */
			share->quota.at[i] = res == KAI_GPUS ? 0 : KAI_UNLIMITED;
		if (!(share->said[i] & RUNAI_SAID_WEIGHT))
			share->weight[i] = usual_weight(share->quota.at[i], res, draft, has_children);
		if (share->over_quota)
			continue;
		share->weight[i] = 0;
		if (share->quota.at[i] < share->limit.at[i])
			share->limit.at[i] = share->quota.at[i];
	}
}

/* A department of which no quota is said: what its children are due together. */
static void add_to_parent(struct runai_reading *r, uint32_t row, uint32_t pool, const struct kai_vec *quota)
{
	const uint32_t parent = r->config->queue[row].parent;
	struct runai_share *share = parent == KAI_NO ? NULL : runai_share_in(r, parent, pool);
	for (int res = 0; share && res < KAI_RES; res++)
		if (!(share->said[res] & RUNAI_SAID_QUOTA))
			share->quota.at[res] = kai_add(share->quota.at[res], quota->at[res]);
}

static uint32_t depth_of(const struct runai_config *config, uint32_t row)
{
	uint32_t depth = 0;
	for (; config->queue[row].parent != KAI_NO; row = config->queue[row].parent)
		depth++;
	return depth;
}

/* barred: a limit of nothing, as 'over-quota: false' makes of a quota of nothing. */
static void note_never(struct runai_reading *r, const struct runai_queue *queue, bool barred)
{
	runai_note((struct sl_at){ .err = r->err, .self = r }, "%s:%llu: '%s' has no quota of GPUs, and %s",
		queue->at.file, (unsigned long long)queue->at.line, queue->name,
		barred ? "may have nothing over it: its jobs with GPUs never start; give a quota, or 'over-quota: "
			 "1' and no limit"
		       : "over quota is shared in proportion to it: its jobs with GPUs have what nobody else asks; "
			 "give a quota, or 'over-quota: 1'");
}

static bool has_none(const struct runai_share *share)
{
	return share->weight[KAI_GPUS] <= 0 && !share->quota.at[KAI_GPUS];
}

static void finish_queue(struct runai_reading *r, uint32_t row)
{
	struct runai_queue *queue = &r->config->queue[row];
	const struct runai_draft *draft = &r->draft[row];
	const bool has_children = queue->children > 0;
	if (draft->of_kai)
		return;
	finish_share(&queue->share, draft, has_children);
	finish_share(&queue->elsewhere, draft, has_children);
	bool never = !has_children && has_none(&queue->share) && has_none(&queue->elsewhere);
	bool barred = !queue->share.limit.at[KAI_GPUS] && !queue->elsewhere.limit.at[KAI_GPUS];
	add_to_parent(r, row, 0, &queue->share.quota);
	for (uint32_t i = 0; i < queue->pool_count; i++) {
		finish_share(&queue->pool[i].share, draft, has_children);
		never &= has_none(&queue->pool[i].share);
		barred &= !queue->pool[i].share.limit.at[KAI_GPUS];
		add_to_parent(r, row, queue->pool[i].pool, &queue->pool[i].share.quota);
	}
	if (never)
		note_never(r, queue, barred);
}

/* Deepest first, so that sums are of what is finished. */
static void finish_queues(struct runai_reading *r)
{
	const struct runai_config *config = r->config;
	uint32_t *depth = runai_headroom(r, config->queue_count, sizeof(*depth));
	for (uint32_t i = 0; depth && i < config->queue_count; i++)
		depth[i] = depth_of(config, i);
	for (uint32_t level = KAI_DEPTH_MAX + 1; depth && level--;)
		for (uint32_t i = 0; i < config->queue_count && !runai_failed(r); i++)
			if (depth[i] == level)
				finish_queue(r, i);
}

/* What a department says of time limits, node types and workloads applies to those below that say nothing. */
static void inherit(struct runai_reading *r, uint32_t row)
{
	struct runai_queue *queue = &r->config->queue[row];
	struct runai_draft *draft = &r->draft[row];
	for (uint32_t at = queue->parent; at != KAI_NO; at = r->config->queue[at].parent) {
		const struct runai_queue *above = &r->config->queue[at];
		const struct runai_draft *said = &r->draft[at];
		for (int type = 0; type < RUNAI_TYPES; type++) {
			if (!draft->time_said[type] && said->time_said[type])
				queue->time_limit[type] = above->time_limit[type];
			if (!draft->idle_said[type] && said->idle_said[type])
				queue->idle_limit[type] = above->idle_limit[type];
			if (!draft->group_said[type] && said->group_said[type]) {
				queue->group[type] = above->group[type];
				queue->group_count[type] = above->group_count[type];
			}
			draft->time_said[type] |= said->time_said[type];
			draft->idle_said[type] |= said->idle_said[type];
			draft->group_said[type] |= said->group_said[type];
		}
		if (!draft->types_said && said->types_said)
			queue->types = above->types;
		draft->types_said |= said->types_said;
		if (!queue->order_count) {
			queue->order = above->order;
			queue->order_count = above->order_count;
		}
	}
}

static void inherit_all(struct runai_reading *r)
{
	uint32_t *depth = runai_headroom(r, r->config->queue_count, sizeof(*depth));
	for (uint32_t i = 0; depth && i < r->config->queue_count; i++)
		depth[i] = depth_of(r->config, i);
	for (uint32_t level = 1; depth && level <= KAI_DEPTH_MAX; level++)
		for (uint32_t i = 0; i < r->config->queue_count; i++)
			if (depth[i] == level)
				inherit(r, i);
}

/* Ages by their dates if all have one. */
static void date_queues(struct runai_reading *r)
{
	struct runai_config *config = r->config;
	bool all = config->queue_count > 0;
	for (uint32_t i = 0; i < config->queue_count; i++)
		all &= r->draft[i].time != SL_NONE || config->queue[i].implied;
	for (uint32_t i = 0; i < config->queue_count && all; i++)
		config->queue[i].created = config->queue[i].implied ? 0 : r->draft[i].time;
}

static void find_fallback(struct runai_reading *r)
{
	struct runai_config *config = r->config;
	config->fallback = KAI_NO;
	if (!r->fallback)
		return;
	config->fallback = sl_names_find(r->config->names, r->fallback);
	if (config->fallback == KAI_NO)
		(void)sl_fail_at(r->err, &r->fallback_at,
			"the default project '%.80s' is not there: add it, or name one of the projects",
			r->fallback);
	config->has_fallback = true;
}

/* Names that users, accounts and partitions are listed by, so that a job looks at few of many. */
static void index_listed(struct runai_reading *r)
{
	struct runai_config *config = r->config;
	uint32_t *rule = runai_headroom(r, r->listed_count, sizeof(*rule));
	uint32_t *pattern = runai_headroom(r, r->listed_count, sizeof(*pattern));
	config->listed = sl_names_new(r->arena);
	if (!rule || !pattern || !config->listed)
		return;
	uint32_t names = 0;
	for (uint32_t i = config->listed_from; i < config->map_count; i++) {
		char key[RUNAI_NAME_MAX + 2];
		const struct runai_match *match = &config->map[i].match;
		const char *name = match->user      ? match->user
				   : match->account ? match->account
						    : match->partition;
		if (strpbrk(name, "*?") || strlen(name) > RUNAI_NAME_MAX) {
			pattern[config->listed_patterns++] = i;
			continue;
		}
		(void)snprintf(key, sizeof(key), "%c%s",
			match->user      ? 'u'
			: match->account ? 'a'
					 : 'p',
			name);
		if (sl_names_find(config->listed, key) != UINT32_MAX)
			continue; /* The first counts. */
		if (sl_names_add(config->listed, key) != names) {
			(void)sl_fail_memory(r->err);
			return;
		}
		rule[names++] = i;
	}
	config->listed_rule = rule;
	config->listed_pattern = pattern;
}

/* Rules name projects that come later in the file. */
static void join_rules(struct runai_reading *r)
{
	struct runai_config *config = r->config;
	struct runai_map_rule *rule =
		runai_headroom(r, (size_t)r->map_count + r->listed_count, sizeof(*rule));
	if (!rule)
		return;
	if (r->map_count)
		memcpy(rule, r->map, r->map_count * sizeof(*rule));
	if (r->listed_count)
		memcpy(rule + r->map_count, r->listed, r->listed_count * sizeof(*rule));
	config->map = rule;
	config->map_count = r->map_count + r->listed_count;
	config->listed_from = r->map_count;
	index_listed(r);
	config->type = r->type;
	config->type_count = r->type_count;
	config->class = r->class;
	config->topology = r->topology;
}

/* `scheduler:` may come after the pools. */
static void settle_pools(struct runai_reading *r)
{
	for (uint32_t i = 0; i < r->config->pool_count; i++) {
		struct runai_pool *pool = &r->config->pool[i];
		if (pool->own)
			continue;
		pool->config = r->all.config;
		pool->usage = r->all.usage;
		pool->usage_config = r->all.usage_config;
	}
}

/* ---- The whole ---------------------------------------------------------------------------------- */

static void read_objects(struct runai_reading *r, const struct sl_object *object, uint32_t count)
{
	for (size_t k = 0; k < SL_LEN(kinds); k++)
		for (uint32_t i = 0; i < count && !runai_failed(r); i++)
			if (strcmp(object[i].kind, kinds[k].kind) == 0 &&
				strncmp(object[i].version, kinds[k].group, strlen(kinds[k].group)) == 0)
				kinds[k].read(runai_doc(r, object[i].doc, object[i].node), &object[i]);
}

static void runai_read_begin(struct runai_reading *r)
{
	struct runai_config *config = r->config;
	*config = (struct runai_config){ .pool_label = "kai.scheduler/node-pool",
		.group_label = "run.ai/type",
		.cause = RUNAI_BY_NONE,
		.fallback = KAI_NO,
		.type_default = RUNAI_TRAIN,
		.class_default = SL_NONE };
	r->all.usage_config =
		(struct kai_usage_config){ .window = INT64_C(604800) * SL_SECOND, .step = 60 * SL_SECOND };
	kai_config_default(&r->all.config);
	r->config->names = sl_names_new(r->arena);
	if (!r->config->names)
		(void)sl_fail_memory(r->err);
	else
		(void)runai_new_pool((struct sl_at){ .err = r->err, .self = r }, "default");
}

int runai_read(struct runai_config *config, struct sl_arena *arena, const struct sl_doc *doc,
	const struct sl_object *object, uint32_t count, struct sl_err *err)
{
	struct runai_reading r = { .config = config, .arena = arena, .err = err };
	runai_read_begin(&r);
	read_objects(&r, object, count);
	if (doc && doc->count && !runai_failed(&r))
		runai_read_file(runai_doc(&r, doc, doc->node));
	config->given = config->queue_count > 0;
	if (!runai_failed(&r) && r.has_file && !config->given)
		(void)sl_fail_at(err, &r.projects_at, "there are no projects: list them under 'projects'");
	if (!runai_failed(&r))
		link_parents(&r);
	if (!runai_failed(&r))
		check_depth(&r);
	if (!runai_failed(&r)) {
		finish_queues(&r);
		inherit_all(&r);
		date_queues(&r);
	}
	if (!runai_failed(&r))
		find_fallback(&r);
	if (!runai_failed(&r))
		join_rules(&r);
	if (!runai_failed(&r))
		settle_pools(&r);
	return err->status;
}
