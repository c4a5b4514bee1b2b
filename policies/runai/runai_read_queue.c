/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read_queue.c - KAI's Queue, and Run:AI's Project and Department, as objects.
 *
 * Queue: kai-scheduler/KAI-Scheduler, deployments/kai-scheduler/crds/scheduling.run.ai_queues.yaml (v2): what
 * is not said is 0, a limit too. Project: the definition that Run:AI's command line came with (run.ai/v1:
 * department, deservedGpus, interactiveJobTimeLimitSecs, nodeAffinityInteractive, nodeAffinityTrain), with
 * the fields that its control plane's API added (resources, nodePoolsResources, maxAllowedGpus,
 * gpuOverQuotaWeight, further time and idle limits).
 */
#include <string.h>

#include "policies/runai/runai_reading.h"

enum { INTERACTIVE = 1 << RUNAI_BUILD | 1 << RUNAI_BUILD_PREEMPTIBLE, TRAINING = 1 << RUNAI_TRAIN };

static const char *const kinds[KAI_RES] = { "cpu", "memory", "gpu" };

static sl_time created_of(struct sl_at at)
{
	const char *text = runai_text(sl_at_get(at, "metadata.creationTimestamp"));
	const size_t len = text ? strlen(text) : 0;
	sl_time time = 0;
	return len && text[len - 1] == 'Z' && sl_get_date(text, len - 1, &time) ? time : SL_NONE;
}

/* ---- KAI's Queue -------------------------------------------------------------------------------- */

static void read_kai_resource(struct sl_at at, enum kai_res res, struct runai_share *share)
{
	share->quota.at[res] = runai_kai_amount(sl_at_get(at, "quota"), res, 0);
	share->limit.at[res] = runai_kai_amount(sl_at_get(at, "limit"), res, 0);
	share->weight[res] = runai_real(sl_at_get(at, "overQuotaWeight"), 0);
}

/* Loudly: a queue that nothing may run in is hardly what was meant. */
static void note_limits(struct sl_at at, const char *name, const struct runai_share *share)
{
	const struct sl_at resources = sl_at_get(at, "spec.resources");
	if (sl_at_is_null(resources)) {
		runai_note(at,
			"the queue '%s' has no spec.resources: limits of 0, and nothing of it starts in KAI; write "
			"limit: -1 for none",
			name);
		return;
	}
	for (int res = 0; res < KAI_RES; res++) {
		const struct sl_at one = sl_at_get(resources, kinds[res]);
		if (sl_at_is_null(sl_at_get(one, "limit")) && !share->limit.at[res])
			runai_note(sl_at_is_null(one) ? resources : one,
				"the queue '%s' has no limit of %s, which KAI takes for 0: nothing that asks it starts; "
				"write limit: -1 for none",
				name, res == KAI_GPUS ? "GPUs" : kinds[res]);
	}
}

/* A queue with the label of a node pool is of that pool alone. */
static void read_kai_pool(struct sl_at at, uint32_t row)
{
	struct runai_reading *r = runai_of(at);
	struct runai_config *config = r->config;
	struct sl_at label = sl_at_first(sl_at_get(at, "metadata.labels"));
	while (label.node && strcmp(sl_at_key(label), config->pool_label) != 0)
		label = sl_at_next(label);
	const char *value = runai_text(label);
	if (!value)
		return;
	uint32_t pool = 0;
	for (uint32_t i = 1; i < config->pool_count && !pool; i++)
		if (strcmp(config->pool[i].value, value) == 0)
			pool = i;
	if (!pool) {
		runai_note(label,
			"no SchedulingShard has the partitionLabelValue '%s': one with its defaults", value);
		pool = runai_pool(label, value);
	}
	struct runai_share *share = pool == KAI_NO ? NULL : runai_share_in(r, row, pool);
	uint32_t *order = runai_headroom(r, 1, sizeof(*order));
	if (!share || !order)
		return;
	struct runai_queue *queue = &config->queue[row];
	*share = queue->share;
	queue->share = queue->elsewhere;
	order[0] = pool;
	queue->order = order;
	queue->order_count = 1;
}

void runai_read_kai_queue(struct sl_at at, const struct sl_object *object)
{
	struct runai_reading *r = runai_of(at);
	const uint32_t row = runai_new_queue(at, object->name);
	if (row == KAI_NO)
		return;
	struct runai_queue *queue = &r->config->queue[row];
	const struct sl_at resources = sl_at_get(at, "spec.resources");
	const char *parent = runai_text(sl_at_get(at, "spec.parentQueue"));
	const char *display = runai_text(sl_at_get(at, "spec.displayName"));
	for (int res = 0; res < KAI_RES; res++) {
		read_kai_resource(sl_at_get(resources, kinds[res]), (enum kai_res)res, &queue->share);
		queue->elsewhere.limit.at[res] = 0;
	}
	queue->display = display && *display ? display : queue->name;
	queue->priority = sl_at_int(sl_at_get(at, "spec.priority"), 100, INT32_MIN, INT32_MAX);
	queue->preempt_min = runai_time(sl_at_get(at, "spec.preemptMinRuntime"), SL_NONE);
	queue->reclaim_min = runai_time(sl_at_get(at, "spec.reclaimMinRuntime"), SL_NONE);
	r->draft[row].parent = parent && *parent ? parent : NULL;
	r->draft[row].of_kai = true;
	r->draft[row].time = created_of(at);
	note_limits(at, object->name, &queue->share);
	read_kai_pool(at, row);
}

/* ---- Run:AI's Project and Department ------------------------------------------------------------ */

/* GPUs as they are, cpus in thousandths, memory in MiB (the API's units). */
static int64_t api_amount(struct sl_at at, enum kai_res res)
{
	const int64_t amount = runai_kai_amount(at, res, 0);
	if (res != KAI_MEM || amount == KAI_UNLIMITED)
		return amount;
	return sl_mul_div(amount, 1048576, 1000000);
}

static void read_deserved(struct sl_at at, enum kai_res res, struct runai_share *share)
{
	const struct sl_at deserved = sl_at_get(at, "deserved");
	const struct sl_at limit = sl_at_get(at, "maxAllowed");
	const struct sl_at weight = sl_at_get(at, "overQuotaWeight");
	if (!sl_at_is_null(deserved)) {
		share->quota.at[res] = api_amount(deserved, res);
		share->said[res] |= RUNAI_SAID_QUOTA;
	}
	if (!sl_at_is_null(limit))
		share->limit.at[res] = api_amount(limit, res);
	if (!sl_at_is_null(weight)) {
		share->weight[res] = runai_real(weight, 0);
		share->said[res] |= RUNAI_SAID_WEIGHT;
	}
}

/* deservedGpus and its like, of the first version. */
static void read_gpus(struct sl_at spec, struct runai_share *share)
{
	const struct sl_at deserved = sl_at_get(spec, "deservedGpus");
	const struct sl_at limit = sl_at_get(spec, "maxAllowedGpus");
	const struct sl_at weight = sl_at_get(spec, "gpuOverQuotaWeight");
	if (!sl_at_is_null(deserved)) {
		share->quota.at[KAI_GPUS] = runai_kai_amount(deserved, KAI_GPUS, 0);
		share->said[KAI_GPUS] |= RUNAI_SAID_QUOTA;
	}
	if (!sl_at_is_null(limit))
		share->limit.at[KAI_GPUS] = runai_kai_amount(limit, KAI_GPUS, 0);
	if (!sl_at_is_null(weight)) {
		share->weight[KAI_GPUS] = runai_real(weight, 0);
		share->said[KAI_GPUS] |= RUNAI_SAID_WEIGHT;
	}
}

static void read_pools(struct sl_at list, uint32_t row)
{
	SL_AT_EACH (one, list) {
		const char *name = runai_text(sl_at_get(one, "nodePool.name"));
		const uint32_t pool = runai_pool(one, name ? name : "default");
		struct runai_share *share = pool == KAI_NO ? NULL : runai_share_in(runai_of(one), row, pool);
		for (int res = 0; share && res < KAI_RES; res++)
			read_deserved(sl_at_get(one, kinds[res]), (enum kai_res)res, share);
	}
}

static void limit_types(struct sl_at at, uint32_t types, sl_time *limit, bool *said)
{
	const sl_time time = runai_seconds(at, SL_NONE);
	for (int type = 0; type < RUNAI_TYPES && time != SL_NONE; type++)
		if (types & 1U << type) {
			limit[type] = time;
			said[type] = true;
		}
}

static void read_limits(struct sl_at spec, struct runai_queue *queue, struct runai_draft *draft)
{
	static const struct {
		const char *key;
		uint32_t types;
		bool idle;
	} limits[] = {
		{ "interactiveJobTimeLimitSecs", INTERACTIVE, false },
		{ "trainingJobTimeLimitSecs", TRAINING, false },
		{ "interactiveJobMaxIdleDurationSecs", 1 << RUNAI_BUILD, true },
		{ "interactivePreemptibleJobMaxIdleDurationSecs", 1 << RUNAI_BUILD_PREEMPTIBLE, true },
		{ "trainingJobMaxIdleDurationSecs", TRAINING, true },
	};
	for (size_t i = 0; i < SL_LEN(limits); i++)
		limit_types(sl_at_get(spec, limits[i].key), limits[i].types,
			limits[i].idle ? queue->idle_limit : queue->time_limit,
			limits[i].idle ? draft->idle_said : draft->time_said);
}

/* Lists of node types, or {interactive, train} with selectedTypes as the control plane has them. */
static void read_affinity(
	struct sl_at list, uint32_t types, struct runai_queue *queue, struct runai_draft *draft)
{
	uint32_t count;
	const char *const *text = runai_texts(list, &count, RUNAI_NODE_TYPES_MAX);
	for (int type = 0; type < RUNAI_TYPES && count; type++)
		if (types & 1U << type) {
			queue->group[type] = text;
			queue->group_count[type] = count;
			draft->group_said[type] = true;
		}
}

static void read_both(struct sl_at at, const struct sl_object *object, bool department)
{
	struct runai_reading *r = runai_of(at);
	const uint32_t row = runai_new_queue(at, object->name);
	if (row == KAI_NO)
		return;
	struct runai_queue *queue = &r->config->queue[row];
	struct runai_draft *draft = &r->draft[row];
	const struct sl_at spec = sl_at_get(at, "spec");
	draft->is_department = department;
	draft->time = created_of(at);
	draft->parent = department ? NULL : runai_text(sl_at_get(spec, "department"));
	read_gpus(spec, &queue->share);
	for (int res = 0; res < KAI_RES; res++)
		read_deserved(sl_at_get(sl_at_get(spec, "resources"), kinds[res]), (enum kai_res)res,
			&queue->share);
	read_limits(spec, queue, draft);
	read_affinity(sl_at_get(spec, "nodeAffinityInteractive"), INTERACTIVE, queue, draft);
	read_affinity(sl_at_get(spec, "nodeAffinityTrain"), TRAINING, queue, draft);
	read_affinity(sl_at_get(spec, "nodeAffinity.interactive.selectedTypes"), INTERACTIVE, queue, draft);
	read_affinity(sl_at_get(spec, "nodeAffinity.train.selectedTypes"), TRAINING, queue, draft);
	read_pools(sl_at_get(spec, "nodePoolsResources"), row);
}

void runai_read_project(struct sl_at at, const struct sl_object *object) { read_both(at, object, false); }

void runai_read_department(struct sl_at at, const struct sl_object *object) { read_both(at, object, true); }
