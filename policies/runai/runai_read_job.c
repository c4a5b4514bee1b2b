/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read_job.c - what a job says: type, priority, whether it may be preempted, its gang, its topology,
 * its shares of GPUs.
 *
 * kai-scheduler/KAI-Scheduler: the labels and annotations that its podgrouper reads (pkg/podgrouper), those
 * of shared GPUs (docs/gpu-sharing), the PodGroup (scheduling.run.ai/v2alpha2), which a manifest has as its
 * member "schedlab/podGroup". A Job's pods start one by one unless kai.scheduler/batch-min-member says more;
 * jobs of a table, Kueue's Workloads and LeaderWorkerSets are gangs.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policies/runai/runai_match.h"

enum { MEMBERS_MAX = 1000000, GROUPS_MAX = 4096 };

/* A job while it is read. */
struct reading {
	const struct runai_config *config;
	struct sl_arena *arena;
	const struct sl_pods *pods; /* NULL: of a plain job. */
	const struct sl_doc *doc;
	const struct sl_doc_node *spec; /* Of its PodGroup; NULL. */
	struct runai_job *said;
	struct sl_err *err;
};

/* ---- Values ------------------------------------------------------------------------------------- */

static const char *runai_read_job_text_of(
	const struct reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = map ? sl_doc_member(r->doc, map, key) : NULL;
	const char *text = node && node->kind == SL_DOC_TEXT ? r->doc->text + node->text : "";
	return *text && strcmp(text, "null") != 0 ? text : NULL;
}

static int runai_read_job_wrong(
	const struct reading *r, const char *key, const char *text, const char *wanted)
{
	const struct sl_place at = { r->doc ? r->doc->file : "?", 0, 0 };
	return sl_fail_at(r->err, &at, "%s is '%.60s': %s", key, text, wanted);
}

static int runai_read_job_number_of(
	const struct reading *r, const char *key, const char *text, int64_t min, int64_t *number)
{
	if (!text || (sl_get_i64(text, strlen(text), number) && *number >= min && *number <= MEMBERS_MAX))
		return SL_OK;
	return runai_read_job_wrong(r, key, text, "write a whole number of pods");
}

/* "90s", "5m", "-1s" */
static int runai_read_job_time_of(const struct reading *r, const char *key, const char *text, sl_time *time)
{
	const bool minus = text && *text == '-';
	if (!text)
		return SL_OK;
	if (!sl_get_duration(text + minus, strlen(text + minus), time))
		return runai_read_job_wrong(r, key, text, "write a duration, as 90s or 5m");
	if (minus)
		*time = -*time;
	return SL_OK;
}

/* ---- Type and priority -------------------------------------------------------------------------- */

static enum runai_type type_by_priority(int64_t priority)
{
	return priority >= 125   ? RUNAI_INFERENCE
	       : priority >= 100 ? RUNAI_BUILD
	       : priority >= 75  ? RUNAI_BUILD_PREEMPTIBLE
				 : RUNAI_TRAIN;
}

/* PriorityClass objects, then the classes that KAI and Run:AI come with. */
static bool class_value(const struct runai_config *config, const char *name, int64_t *value)
{
	static const struct {
		const char *name;
		int64_t value;
	} usual[] = { { "train", 50 }, { "build-preemptible", 75 }, { "interactive-preemptible", 75 },
		{ "build", 100 }, { "interactive", 100 }, { "inference", 125 } };
	for (uint32_t i = 0; i < config->class_count; i++)
		if (strcmp(config->class[i].name, name) == 0)
			return *value = config->class[i].value, true;
	for (size_t i = 0; i < SL_LEN(usual); i++)
		if (strcmp(usual[i].name, name) == 0)
			return *value = usual[i].value, true;
	return false;
}

/* The class that it names; a number of its pods, or of the trace; its QOS, where that is a class. */
static bool own_priority(const struct reading *r, const struct sl_job_attributes *more, int64_t *priority)
{
	const struct sl_pods *pods = r->pods;
	const char *name = runai_read_job_text_of(r, r->spec, "priorityClassName");
	name = name ? name : runai_label(pods, "priorityClassName");
	for (uint32_t i = 0; pods && i < pods->count && !name; i++)
		name = pods->podset[i].priority_class;
	if (name && class_value(r->config, name, priority))
		return true;
	for (uint32_t i = 0; pods && i < pods->count; i++)
		if (pods->podset[i].priority != SL_NONE)
			return *priority = pods->podset[i].priority, true;
	if (more && more->qos && class_value(r->config, more->qos, priority))
		return true;
	if (more && more->priority != SL_NONE)
		return *priority = more->priority, true;
	return false;
}

static const struct runai_type_rule *runai_read_job_rule_of(
	const struct runai_config *config, const struct runai_facts *facts)
{
	for (uint32_t i = 0; i < config->type_count; i++)
		if (runai_matches(&config->type[i].match, facts))
			return &config->type[i];
	return NULL;
}

/* A replica of a service is inference; without a word it is of the default. */
static int64_t usual_priority(const struct runai_config *config, const struct sl_jobs *jobs, uint32_t job)
{
	const struct sl_profile *profile =
		jobs->profile_of && jobs->profile_of[job] ? &jobs->profile[jobs->profile_of[job]] : NULL;
	if (profile && profile->serves)
		return runai_type_priority(RUNAI_INFERENCE);
	return config->class_default != SL_NONE ? config->class_default
						: runai_type_priority(config->type_default);
}

static int preemptible_of(const struct reading *r, int8_t rule)
{
	static const char key[] = "kai.scheduler/preemptibility";
	const char *text = runai_read_job_text_of(r, r->spec, "preemptibility");
	text = text ? text : runai_label(r->pods, key);
	text = text ? text : runai_annotation(r->pods, key);
	r->said->preemptible = rule >= 0 ? rule == 1 : runai_preemptible(r->said->priority);
	if (!text)
		return SL_OK;
	/* semi-preemptible, which later versions have: its minimum is not, and that is what is modelled. */
	if (strcasecmp(text, "preemptible") != 0 && strcasecmp(text, "non-preemptible") != 0 &&
		strcasecmp(text, "semi-preemptible") != 0)
		return runai_read_job_wrong(r, key, text, "write preemptible or non-preemptible");
	r->said->preemptible = strcasecmp(text, "preemptible") == 0;
	return SL_OK;
}

static int read_type(
	const struct reading *r, const struct sl_jobs *jobs, uint32_t job, const struct runai_facts *facts)
{
	struct runai_job *said = r->said;
	const struct sl_job_attributes *more = runai_more_of(jobs, job);
	int8_t rule_says = -1;
	if (own_priority(r, more, &said->priority)) {
		said->type = type_by_priority(said->priority);
	} else {
		const struct runai_type_rule *rule = runai_read_job_rule_of(r->config, facts);
		said->priority = !rule                       ? usual_priority(r->config, jobs, job)
				 : rule->priority != SL_NONE ? rule->priority
							     : runai_type_priority(rule->type);
		said->type = rule ? rule->type : type_by_priority(said->priority);
		if (rule)
			rule_says = rule->preemptible;
	}
	return preemptible_of(r, rule_says);
}

/* ---- Gangs -------------------------------------------------------------------------------------- */

static int64_t pods_of(const struct sl_pods *pods)
{
	int64_t sum = 0;
	for (uint32_t i = 0; pods && i < pods->count; i++)
		sum += pods->podset[i].count;
	return sum;
}

/* Elastic ones of a table say the least that they want. */
static uint32_t least_of(const struct sl_pods *pods)
{
	int64_t sum = 0;
	bool some = false;
	for (uint32_t i = 0; pods && i < pods->count; i++) {
		some |= pods->podset[i].min_count > 0;
		sum += pods->podset[i].min_count > 0 ? pods->podset[i].min_count : pods->podset[i].count;
	}
	return some && sum < pods_of(pods) ? (uint32_t)sum : KAI_NO;
}

static int read_gang(const struct reading *r)
{
	static const char key[] = "kai.scheduler/batch-min-member";
	const struct sl_pods *pods = r->pods;
	const char *kind = pods ? pods->kind : "";
	const bool single = strcmp(kind, "Job") == 0 || strcmp(kind, "JobSet") == 0;
	int64_t least = 1;
	int status = SL_OK;
	r->said->min = single ? 1 : least_of(pods);
	if (r->spec) { /* minMember of a PodGroup is 1 where it says nothing. */
		const char *members = runai_read_job_text_of(r, r->spec, "minMember");
		const char *groups = runai_read_job_text_of(r, r->spec, "minSubGroup");
		status = runai_read_job_number_of(r, "minMember", members ? members : groups, 1, &least);
		r->said->min = r->said->group_count && !groups ? KAI_NO : (uint32_t)least;
	} else if (single && pods) {
		const char *text = sl_label_of(&pods->annotations, key);
		status = runai_read_job_number_of(r, key, text, 1, &least);
		r->said->min = (uint32_t)least;
	}
	r->said->gang = r->said->min != 1;
	return status;
}

/* ---- Sub-groups
 * --------------------------------------------------------------------------------------------- */

static void read_topology(const struct reading *r, const struct sl_doc_node *map, struct runai_group *group)
{
	group->topology = runai_read_job_text_of(r, map, "topology");
	group->required = runai_read_job_text_of(r, map, "requiredTopologyLevel");
	group->preferred = runai_read_job_text_of(r, map, "preferredTopologyLevel");
}

static uint32_t find_group(const struct runai_group *group, uint32_t count, const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(group[i].name, name) != 0)
		i++;
	return i < count ? i : KAI_NO;
}

static int read_group(
	const struct reading *r, const struct sl_doc_node *node, struct runai_group *group, uint32_t count)
{
	const char *name = runai_read_job_text_of(r, node, "name");
	const char *parent = runai_read_job_text_of(r, node, "parent");
	const char *members = runai_read_job_text_of(r, node, "minMember");
	const char *groups = runai_read_job_text_of(r, node, "minSubGroup");
	int64_t least = 1;
	*group = (struct runai_group){ .name = name, .parent = KAI_NO, .leaf = true, .min = KAI_NO };
	if (!name)
		return runai_read_job_wrong(r, "a sub-group's name", "", "give it one");
	if (find_group(group - count, count, name) != KAI_NO)
		return runai_read_job_wrong(r, "a sub-group's name", name, "it stands twice");
	if (parent) {
		group->parent = find_group(group - count, count, parent);
		if (group->parent == KAI_NO)
			return runai_read_job_wrong(
				r, "a sub-group's parent", parent, "write it before those below it");
	}
	const int status = runai_read_job_number_of(
		r, members ? "minMember" : "minSubGroup", members ? members : groups, 0, &least);
	group->min = groups && !members ? (uint32_t)least : members ? (uint32_t)least : 1;
	read_topology(r, sl_doc_member(r->doc, node, "topologyConstraint"), group);
	return status;
}

/* A set has groups below it; of one that does not say how many it needs all count. */
static void settle_groups(const struct reading *r, const struct sl_doc_node *list, struct runai_group *group)
{
	const struct sl_doc_node *node = sl_doc_child(r->doc, list);
	for (uint32_t i = 0; i < r->said->group_count; i++)
		if (group[i].parent != KAI_NO)
			group[group[i].parent].leaf = false;
	for (uint32_t i = 0; i < r->said->group_count && node; i++, node = sl_doc_next(r->doc, node))
		if (!group[i].leaf && !runai_read_job_text_of(r, node, "minSubGroup"))
			group[i].min = KAI_NO;
}

/* A pod of no sub-group is of none that is scheduled by itself. */
static int join_pods(const struct reading *r)
{
	const struct sl_pods *pods = r->pods;
	uint32_t *of = sl_alloc(r->arena, pods->count + 1, sizeof(*of));
	if (!of)
		return sl_fail_memory(r->err);
	for (uint32_t i = 0; i < pods->count; i++) {
		const char *name = sl_label_of(&pods->podset[i].labels, "kai.scheduler/subgroup-name");
		of[i] = name ? find_group(r->said->group, r->said->group_count, name) : KAI_NO;
		if (of[i] != KAI_NO && !r->said->group[of[i]].leaf)
			return runai_read_job_wrong(
				r, "kai.scheduler/subgroup-name", name, "it has sub-groups, and no pods");
		if (name && of[i] == KAI_NO)
			return runai_read_job_wrong(
				r, "kai.scheduler/subgroup-name", name, "its PodGroup has no such sub-group");
	}
	r->said->group_of = of;
	return SL_OK;
}

static int read_groups(const struct reading *r)
{
	const struct sl_doc_node *list = r->spec ? sl_doc_member(r->doc, r->spec, "subGroups") : NULL;
	if (!list || list->kind != SL_DOC_LIST || !list->count)
		return SL_OK;
	if (list->count > GROUPS_MAX)
		return runai_read_job_wrong(r, "subGroups", "too long", "at most 4096");
	struct runai_group *group = sl_alloc(r->arena, list->count, sizeof(*group));
	if (!group)
		return sl_fail_memory(r->err);
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(r->doc, list); node && !status;
		node = sl_doc_next(r->doc, node)) {
		status = read_group(r, node, &group[r->said->group_count], r->said->group_count);
		r->said->group_count++;
	}
	r->said->group = group;
	if (status)
		return status;
	settle_groups(r, list, group);
	return join_pods(r);
}

/* ---- Where, and for how long -------------------------------------------------------------------- */

static void read_where(const struct reading *r)
{
	struct runai_job *said = r->said;
	struct runai_group whole = { 0 };
	if (r->spec)
		read_topology(r, sl_doc_member(r->doc, r->spec, "topologyConstraint"), &whole);
	said->topology =
		whole.topology ? whole.topology : runai_annotation(r->pods, "kai.scheduler/topology");
	said->required = whole.required
				 ? whole.required
				 : runai_annotation(r->pods, "kai.scheduler/topology-required-placement");
	said->preferred = whole.preferred
				  ? whole.preferred
				  : runai_annotation(r->pods, "kai.scheduler/topology-preferred-placement");
}

static bool add_pool(const struct runai_config *config, const char *key, const char *value, uint32_t *pool,
	uint32_t *count)
{
	for (uint32_t i = 1; i < config->pool_count; i++)
		if (strcmp(config->pool[i].key, key) == 0 && strcmp(config->pool[i].value, value) == 0)
			return pool[(*count)++] = i, true;
	return false;
}

/* Its label of a node pool, or its pods' node selector; Run:AI's list, in order. */
static int read_pools(const struct reading *r)
{
	const struct runai_config *config = r->config;
	const char *label = runai_label(r->pods, config->pool_label);
	const char *list = runai_annotation(r->pods, "schedlab/node-pools");
	uint32_t *pool = label || list ? sl_alloc(r->arena, RUNAI_POOLS_MAX + 1, sizeof(*pool)) : NULL;
	if (!label && !list)
		return SL_OK;
	if (!pool)
		return sl_fail_memory(r->err);
	if (label)
		(void)add_pool(config, config->pool_label, label, pool, &r->said->pool_count);
	while (list && *list && r->said->pool_count < RUNAI_POOLS_MAX) {
		char name[256];
		const size_t len = strcspn(list, ", ");
		if (len && len < sizeof(name)) {
			memcpy(name, list, len);
			name[len] = '\0';
			const uint32_t row = runai_find_pool(config, name);
			if (row != KAI_NO)
				pool[r->said->pool_count++] = row;
		}
		list += len + (list[len] != '\0');
	}
	r->said->pool = r->said->pool_count ? pool : NULL;
	return SL_OK;
}

static int read_times(const struct reading *r)
{
	static const char delay[] = "kai.scheduler/preemption-delay";
	static const char grace[] = "kai.scheduler/staleness-grace-period";
	const char *wait = runai_read_job_text_of(r, r->spec, "preemptionDelay");
	const char *stale = runai_read_job_text_of(r, r->spec, "stalenessGracePeriod");
	r->said->grace = SL_NONE;
	wait = wait ? wait : runai_annotation(r->pods, delay);
	wait = wait ? wait : runai_label(r->pods, "kai.scheduler/preemption-delay-seconds");
	const int status = runai_read_job_time_of(r, delay, wait, &r->said->delay);
	return status ? status
		      : runai_read_job_time_of(
				r, grace, stale ? stale : runai_annotation(r->pods, grace), &r->said->grace);
}

/* ---- The whole ---------------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-function-size): a job is a row of many things. */
int runai_job_read(const struct runai_config *config, struct sl_arena *arena, const struct sl_jobs *jobs,
	uint32_t job, const struct sl_cluster *cluster, const struct sl_pods *pods, struct runai_job *said,
	struct sl_err *err)
{
	struct runai_facts facts;
	struct reading r = { config, arena, pods, pods ? pods->doc : NULL, NULL, said, err };
	*said = (struct runai_job){ .queue = KAI_NO, .min = KAI_NO };
	runai_facts_of(&facts, jobs, job, cluster, pods);
	if (r.doc && r.doc->count) {
		const struct sl_doc_node *group = sl_doc_member(r.doc, r.doc->node, "schedlab/podGroup");
		r.spec = group ? sl_doc_member(r.doc, group, "spec") : NULL;
	}
	runai_map(config, &facts, pods, runai_read_job_text_of(&r, r.spec, "queue"), said);
	int status = read_type(&r, jobs, job, &facts);
	if (!status)
		status = read_groups(&r);
	if (!status)
		status = read_gang(&r);
	if (!status)
		status = read_pools(&r);
	if (!status)
		status = read_times(&r);
	read_where(&r);
	const char *user = runai_label(pods, "user");
	said->user = user;
	said->allowed = said->queue == KAI_NO || config->queue[said->queue].types & 1U << said->type;
	return status;
}

/* ---- GPUs --------------------------------------------------------------------------------------- */

static int gpu_wrong(
	const struct sl_doc *doc, const char *key, const char *text, const char *wanted, struct sl_err *err)
{
	const struct sl_place at = { doc ? doc->file : "?", 0, 0 };
	return sl_fail_at(err, &at, "the annotation %s is '%.60s': %s", key, text, wanted);
}

int runai_gpus_read(
	const struct sl_podset *podset, struct runai_gpus *gpus, const struct sl_doc *doc, struct sl_err *err)
{
	const char *fraction = sl_label_of(&podset->annotations, "gpu-fraction");
	const char *memory = sl_label_of(&podset->annotations, "gpu-memory");
	const char *devices = sl_label_of(&podset->annotations, "gpu-fraction-num-devices");
	int64_t micro = 0;
	*gpus = (struct runai_gpus){ .kind = KAI_NO_GPU, .gpus = 1 };
	for (uint32_t i = 0; i < podset->request.count; i++) {
		const struct sl_amount *amount = &podset->request.at[i];
		const bool whole = strcmp(amount->resource, "nvidia.com/gpu") == 0 ||
				   strcmp(amount->resource, "amd.com/gpu") == 0;
		if (whole && amount->amount > 0)
			*gpus = (struct runai_gpus){ .kind = KAI_WHOLE, .gpus = amount->amount };
		if (strncmp(amount->resource, "nvidia.com/mig-", 15) == 0 && amount->amount > 0)
			gpus->kind = KAI_MIG_PROFILES;
	}
	if (!fraction && !memory)
		return SL_OK;
	gpus->gpus = 1;
	if (devices && (!sl_get_i64(devices, strlen(devices), &gpus->gpus) || gpus->gpus < 1 ||
			       gpus->gpus > KAI_DEVICES_MAX))
		return gpu_wrong(
			doc, "gpu-fraction-num-devices", devices, "write a number of GPUs from 1 to 64", err);
	if (memory) {
		gpus->kind = KAI_MEMORY;
		if (!sl_get_i64(memory, strlen(memory), &gpus->memory) || gpus->memory < 1 ||
			gpus->memory > INT32_MAX)
			return gpu_wrong(doc, "gpu-memory", memory, "write a number of MiB", err);
		return SL_OK;
	}
	if (!sl_get_micro(fraction, strlen(fraction), &micro) || micro <= 0 || micro > 1000000)
		return gpu_wrong(doc, "gpu-fraction", fraction, "write a number above 0, at most 1", err);
	gpus->kind = micro == 1000000 ? KAI_WHOLE : KAI_FRACTION;
	gpus->fraction = micro == 1000000 ? 0 : micro * (KAI_GPU / 1000000);
	return SL_OK;
}
