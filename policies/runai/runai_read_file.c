/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read_file.c - the projects file: schedlab-projects(5).
 *
 * Words are those of Run:AI's administrator guide: a project has a quota of GPUs, may go over it or not, has
 * node types for interactive work and for training, and a time limit for interactive work; departments have
 * projects. Keys that are not known are errors.
 */
#include <string.h>

#include "policies/runai/runai_reading.h"

static const char *const res_names[KAI_RES] = { "cpu", "memory", "gpu" };

/* ---- What is due -------------------------------------------------------------------------------- */

static void read_quota(struct sl_at at, enum kai_res res, struct runai_share *share)
{
	if (sl_at_is_null(at))
		return;
	share->quota.at[res] = runai_amount(at, res, 0);
	share->said[res] |= RUNAI_SAID_QUOTA;
}

/* A number is the quota; else {quota, limit, weight}. */
static void read_resource(struct sl_at at, enum kai_res res, struct runai_share *share)
{
	static const char *const keys[] = { "quota", "limit", "weight", NULL };
	if (sl_at_is_null(at) || runai_is_text(at)) {
		read_quota(at, res, share);
		return;
	}
	sl_at_keys(at, keys);
	read_quota(sl_at_get(at, "quota"), res, share);
	share->limit.at[res] = runai_amount(sl_at_get(at, "limit"), res, share->limit.at[res]);
	const struct sl_at weight = sl_at_get(at, "weight");
	if (!sl_at_is_null(weight)) {
		share->weight[res] = runai_real(weight, 0);
		share->said[res] |= RUNAI_SAID_WEIGHT;
	}
}

/* true, false, or a weight for all that is shared. */
static void read_over(struct sl_at at, struct runai_share *share)
{
	const char *text = runai_text(at);
	if (!text)
		return;
	share->over_quota = strcmp(text, "false") != 0;
	if (!share->over_quota || strcmp(text, "true") == 0)
		return;
	const double weight = runai_real(at, 0);
	for (int res = 0; res < KAI_RES; res++)
		if (!(share->said[res] & RUNAI_SAID_WEIGHT)) {
			share->weight[res] = weight;
			share->said[res] |= RUNAI_SAID_WEIGHT;
		}
}

/* quota and limit alone are of GPUs. */
static void read_share(struct sl_at at, struct runai_share *share)
{
	const struct sl_at quota = sl_at_get(at, "quota");
	const struct sl_at limit = sl_at_get(at, "limit");
	const struct sl_at gpu = sl_at_get(at, "gpu");
	if (!sl_at_is_null(gpu) && (!sl_at_is_null(quota) || !sl_at_is_null(limit)))
		(void)sl_at_fail(gpu,
			"'gpu' stands beside 'quota' or 'limit', which are of GPUs too: write one of them");
	read_quota(quota, KAI_GPUS, share);
	share->limit.at[KAI_GPUS] = runai_amount(limit, KAI_GPUS, share->limit.at[KAI_GPUS]);
	for (int res = 0; res < KAI_RES; res++)
		read_resource(sl_at_get(at, res_names[res]), (enum kai_res)res, share);
	read_over(sl_at_get(at, "over-quota"), share);
}

static void read_pools(struct sl_at map, uint32_t row)
{
	static const char *const keys[] = { "quota", "limit", "over-quota", "gpu", "cpu", "memory", NULL };
	SL_AT_EACH (one, map) {
		const uint32_t pool = runai_find_pool(runai_of(one)->config, sl_at_key(one));
		if (pool == KAI_NO) {
			(void)sl_at_fail(one, "the node pool '%.80s' is not there: add it under node-pools",
				sl_at_key(one));
			return;
		}
		sl_at_keys(one, keys);
		struct runai_share *share =
			runai_failed(runai_of(one)) ? NULL : runai_share_in(runai_of(one), row, pool);
		if (share)
			read_share(one, share);
	}
}

static void read_order(struct sl_at at, struct runai_queue *queue)
{
	uint32_t count;
	const char *const *name = runai_texts(at, &count, RUNAI_POOLS_MAX);
	uint32_t *order = count ? runai_headroom(runai_of(at), count, sizeof(*order)) : NULL;
	for (uint32_t i = 0; order && i < count; i++) {
		order[i] = runai_find_pool(runai_of(at)->config, name[i]);
		if (order[i] == KAI_NO)
			(void)sl_at_fail(
				at, "the node pool '%.80s' is not there: add it under node-pools", name[i]);
	}
	if (!order)
		return;
	queue->order = order;
	queue->order_count = count;
}

/* ---- By type of workload ------------------------------------------------------------------------ */

/* Bits of the types that the word names; 0: an error. */
static uint32_t types_of(struct sl_at at, const char *word)
{
	const int type = runai_type_of(word);
	if (type == RUNAI_TYPES)
		return 1U << RUNAI_BUILD | 1U << RUNAI_BUILD_PREEMPTIBLE;
	if (type >= 0)
		return 1U << type;
	(void)sl_at_fail(at,
		"'%.60s' is no type of workload: write train, build, build-preemptible, inference or interactive",
		word);
	return 0;
}

/* One value for all types of work, or by type. */
static void each_type(struct sl_at at, struct runai_queue *queue, struct runai_draft *draft, uint32_t all,
	void (*take)(struct sl_at at, uint32_t types, struct runai_queue *queue, struct runai_draft *draft))
{
	if (sl_at_is_null(at))
		return;
	if (runai_is_text(at) || runai_is_list(at)) {
		take(at, all, queue, draft);
		return;
	}
	SL_AT_EACH (one, at)
		take(one, types_of(one, sl_at_key(one)), queue, draft);
}

static sl_time runai_read_file_limit_of(struct sl_at at)
{
	const sl_time time = runai_time(at, SL_NONE);
	if (time != SL_NONE && time <= 0)
		(void)sl_at_fail(at, "a limit must be more than 0: leave it out for none");
	return time;
}

static void take_time(struct sl_at at, uint32_t types, struct runai_queue *queue, struct runai_draft *draft)
{
	for (int type = 0; type < RUNAI_TYPES; type++)
		if (types & 1U << type) {
			queue->time_limit[type] = runai_read_file_limit_of(at);
			draft->time_said[type] = true;
		}
}

static void take_idle(struct sl_at at, uint32_t types, struct runai_queue *queue, struct runai_draft *draft)
{
	for (int type = 0; type < RUNAI_TYPES; type++)
		if (types & 1U << type) {
			queue->idle_limit[type] = runai_read_file_limit_of(at);
			draft->idle_said[type] = true;
		}
}

static void take_groups(struct sl_at at, uint32_t types, struct runai_queue *queue, struct runai_draft *draft)
{
	uint32_t count;
	const char *const *group = runai_texts(at, &count, RUNAI_NODE_TYPES_MAX);
	for (int type = 0; type < RUNAI_TYPES; type++)
		if (types & 1U << type) {
			queue->group[type] = group;
			queue->group_count[type] = count;
			draft->group_said[type] = true;
		}
}

static void read_types_allowed(struct sl_at at, struct runai_queue *queue, struct runai_draft *draft)
{
	uint32_t count;
	const char *const *word = runai_texts(at, &count, 16);
	if (sl_at_is_null(at))
		return;
	queue->types = 0;
	draft->types_said = true;
	for (uint32_t i = 0; i < count; i++)
		queue->types |= types_of(at, word[i]);
}

/* ---- Departments and projects ------------------------------------------------------------------- */

static void read_least(struct sl_at at, struct runai_queue *queue)
{
	static const char *const keys[] = { "preempt", "reclaim", NULL };
	if (sl_at_is_null(at))
		return;
	if (runai_is_text(at)) {
		queue->preempt_min = queue->reclaim_min = runai_time(at, SL_NONE);
		return;
	}
	sl_at_keys(at, keys);
	queue->preempt_min = runai_time(sl_at_get(at, "preempt"), SL_NONE);
	queue->reclaim_min = runai_time(sl_at_get(at, "reclaim"), SL_NONE);
}

/* What it says for all its pools applies to those that it does not name. */
static void follow_over(struct runai_queue *queue, const struct runai_share *of)
{
	queue->elsewhere.over_quota = of->over_quota;
	for (int res = 0; res < KAI_RES; res++)
		if (of->said[res] & RUNAI_SAID_WEIGHT) {
			queue->elsewhere.weight[res] = of->weight[res];
			queue->elsewhere.said[res] |= RUNAI_SAID_WEIGHT;
		}
}

static void list_users(struct sl_at at, const char *key, uint32_t row)
{
	struct runai_reading *r = runai_of(at);
	uint32_t count;
	const char *const *name = runai_texts(sl_at_get(at, key), &count, RUNAI_RULES_MAX);
	for (uint32_t i = 0; i < count; i++) {
		if (r->listed_count == RUNAI_RULES_MAX) {
			(void)sl_at_fail(at,
				"more than %d users, accounts and partitions in all projects together",
				RUNAI_RULES_MAX);
			return;
		}
		r->listed = runai_grow(r, r->listed, r->listed_count, sizeof(*r->listed));
		if (!r->listed)
			return;
		struct runai_map_rule *rule = &r->listed[r->listed_count++];
		*rule = (struct runai_map_rule){ .queue = row };
		rule->match.gpus_min = rule->match.gpus_max = SL_NONE;
		rule->match.limit_min = rule->match.limit_max = SL_NONE;
		const char **to = key[0] == 'u'   ? &rule->match.user
				  : key[0] == 'a' ? &rule->match.account
						  : &rule->match.partition;
		*to = name[i];
	}
}

static void read_one(struct sl_at at, bool department)
{
	static const char *const users[] = { "users", "accounts", "partitions" };
	struct runai_reading *r = runai_of(at);
	const char *name = runai_name(at, "name");
	const uint32_t row = runai_new_queue(at, name);
	if (row == KAI_NO)
		return;
	struct runai_queue *queue = &r->config->queue[row];
	struct runai_draft *draft = &r->draft[row];
	draft->of_file = true;
	draft->is_department = department;
	draft->parent = runai_text(sl_at_get(at, department ? "parent" : "department"));
	queue->priority = sl_at_int(sl_at_get(at, "priority"), 100, INT32_MIN, INT32_MAX);
	read_share(at, &queue->share);
	follow_over(queue, &queue->share);
	read_pools(sl_at_get(at, "pools"), row);
	read_least(sl_at_get(at, "min-runtime"), queue);
	read_order(sl_at_get(at, "pool-order"), queue);
	each_type(sl_at_get(at, "time-limit"), queue, draft,
		1U << RUNAI_BUILD | 1U << RUNAI_BUILD_PREEMPTIBLE, take_time);
	each_type(sl_at_get(at, "idle-limit"), queue, draft,
		1U << RUNAI_BUILD | 1U << RUNAI_BUILD_PREEMPTIBLE, take_idle);
	each_type(sl_at_get(at, "node-types"), queue, draft, (1U << RUNAI_TYPES) - 1, take_groups);
	read_types_allowed(sl_at_get(at, "types"), queue, draft);
	for (size_t i = 0; i < SL_LEN(users) && !department; i++)
		list_users(at, users[i], row);
}

static void runai_read_file_read_all(struct sl_at list, bool department)
{
	static const char *const of_department[] = { "name", "parent", "priority", "quota", "limit",
		"over-quota", "gpu", "cpu", "memory", "pools", "pool-order", "min-runtime", "time-limit",
		"idle-limit", "node-types", "types", NULL };
	static const char *const of_project[] = { "name", "department", "priority", "quota", "limit",
		"over-quota", "gpu", "cpu", "memory", "pools", "pool-order", "min-runtime", "time-limit",
		"idle-limit", "node-types", "types", "users", "accounts", "partitions", NULL };
	SL_AT_EACH (one, list) {
		sl_at_keys(one, department ? of_department : of_project);
		read_one(one, department);
	}
}

/* ---- Node pools --------------------------------------------------------------------------------- */

/* One label and its value; without it, the name as the value of node-pool-label. */
static void read_pool_label(struct sl_at at, struct runai_pool *pool)
{
	const struct sl_at map = sl_at_get(at, "label");
	const struct sl_at one = sl_at_first(map);
	pool->key = runai_of(at)->config->pool_label;
	pool->value = pool->name;
	if (sl_at_is_null(map))
		return;
	if (sl_at_count(map) != 1 || runai_is_list(map)) {
		(void)sl_at_fail(map, "one label of nodes is wanted here, as {key: value}");
		return;
	}
	const char *value = runai_text(one);
	pool->key = runai_copy(runai_of(at), sl_at_key(one));
	pool->value = value ? value : "";
}

static void read_node_pools(struct sl_at list)
{
	static const char *const keys[] = { "name", "label", "scheduler", NULL };
	SL_AT_EACH (one, list) {
		struct runai_config *config = runai_of(one)->config;
		sl_at_keys(one, keys);
		const char *name = runai_name(one, "name");
		const bool usual = strcmp(name, "default") == 0;
		if (!usual && runai_find_pool(config, name) != KAI_NO) {
			(void)sl_at_fail(one, "the node pool '%.80s' is there twice: leave one out", name);
			return;
		}
		const uint32_t row = usual ? 0 : runai_new_pool(one, name);
		if (row == KAI_NO)
			return;
		if (!usual)
			read_pool_label(one, &config->pool[row]);
		if (usual && !sl_at_is_null(sl_at_get(one, "label")))
			(void)sl_at_fail(one,
				"the pool 'default' is of the nodes that are in no other: it has no label");
		const struct sl_at scheduler = sl_at_get(one, "scheduler");
		if (sl_at_is_null(scheduler))
			continue;
		config->pool[row].config =
			runai_of(one)->all.config; /* What `scheduler:` of the file says, and of it... */
		config->pool[row].usage = runai_of(one)->all.usage;
		config->pool[row].usage_config = runai_of(one)->all.usage_config;
		runai_read_scheduler(scheduler, &config->pool[row]);
	}
}

/* ---- The whole ---------------------------------------------------------------------------------- */

static void read_priorities(struct sl_at map)
{
	struct runai_reading *r = runai_of(map);
	SL_AT_EACH (one, map) {
		r->class = runai_grow(r, r->class, r->config->class_count, sizeof(*r->class));
		if (!r->class)
			return;
		r->class[r->config->class_count++] = (struct runai_class){ runai_copy(r, sl_at_key(one)),
			sl_at_int(one, 0, INT32_MIN, INT32_MAX) };
	}
}

void runai_read_file(struct sl_at root)
{
	static const char *const keys[] = { "departments", "projects", "node-pools", "node-pool-label",
		"node-type-label", "map", "types", "priorities", "scheduler", "apiVersion", "kind",
		"metadata", NULL };
	struct runai_reading *r = runai_of(root);
	const char *label = runai_text(sl_at_get(root, "node-pool-label"));
	const char *group = runai_text(sl_at_get(root, "node-type-label"));
	sl_at_keys(root, keys);
	if (r->has_file)
		(void)sl_at_fail(root, "there are two projects files: give one of them");
	r->has_file = true;
	if (label)
		r->config->pool_label = label;
	if (group)
		r->config->group_label = group;
	if (!sl_at_is_null(sl_at_get(root, "scheduler")))
		runai_read_scheduler(sl_at_get(root, "scheduler"), &r->all);
	r->all.own = false; /* It is what pools take over. */
	read_node_pools(sl_at_get(root, "node-pools"));
	runai_read_file_read_all(sl_at_get(root, "departments"), true);
	runai_read_file_read_all(sl_at_get(root, "projects"), false);
	read_priorities(sl_at_get(root, "priorities"));
	runai_read_map(sl_at_get(root, "map"));
	runai_read_types(sl_at_get(root, "types"));
	const struct sl_at projects = sl_at_get(root, "projects");
	if (!runai_failed(r) && sl_at_is_null(projects))
		(void)sl_at_fail(root, "there are no projects: list them under 'projects'");
	else if (!runai_failed(r))
		r->projects_at = sl_doc_place(projects.doc, projects.node);
}
