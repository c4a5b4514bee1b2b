/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_jobs.c - jobs of a trace as KAI's jobs: which instance, the requests of their pods, the nodes these
 * may go to.
 */
#include "policies/runai/runai.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

/* ---- Requests of a pod ---- */

static const struct sl_group *runai_jobs_group_of(
	const struct runai *r, uint32_t row, const struct sl_pods *pods, uint32_t podset)
{
	const struct sl_request *request =
		r->jobs->request ? &r->jobs->requests[r->jobs->request[row]] : NULL;
	return request && request->group_count == pods->count ? &request->group[podset] : NULL;
}

static int64_t milli(int64_t parts, int64_t whole) { return (parts * 1000 + whole - 1) / whole; }

static const char *profile_name(const struct sl_cluster *cluster, uint32_t mig)
{
	for (uint32_t m = 0; m < cluster->mig_model_count; m++) {
		const struct sl_mig_profile *fit =
			&cluster->mig_fit[(size_t)(mig - 1) * cluster->mig_model_count + m];
		if (fit->slices)
			return fit->name;
	}
	return NULL;
}

/* A group of a table. */
static int needs_of_group(struct runai *r, struct kai *kai, const struct sl_task_resources *task,
	struct kai_request *needs, struct kai_profiles *profile)
{
	const int64_t parts = sl_parts(r->cluster->gpu_parts);
	needs->cpu = milli(task->cpus, sl_parts(r->cluster->cpu_parts));
	needs->mem = task->mem * MIB;
	if (task->mig) {
		const char *name = profile_name(r->cluster, task->mig);
		needs->kind = KAI_MIG_PROFILES;
		*profile = (struct kai_profiles){ kai_mig_profile(kai, name ? name : "?"), 1 };
		needs->profile = profile;
		needs->profile_count = 1;
	} else if (task->gpu_mem > 0) {
		needs->kind = KAI_MEMORY;
		needs->gpus = 1;
		needs->gpu_mem = task->gpu_mem;
	} else if (task->gpus % parts) {
		needs->kind = KAI_FRACTION;
		needs->gpus = 1;
		needs->fraction = task->gpus % parts * (KAI_GPU / parts);
	} else if (task->gpus) {
		needs->kind = KAI_WHOLE;
		needs->gpus = task->gpus / parts;
	}
	return SL_OK;
}

/* Pods of a manifest. */
static int needs_of_podset(struct runai *r, struct kai *kai, const struct sl_podset *podset,
	const struct sl_doc *doc, struct kai_request *needs)
{
	struct runai_gpus gpus = { 0 };
	const int status = runai_gpus_read(podset, &gpus, doc, &r->engine.err);
	for (uint32_t i = 0; i < podset->request.count; i++) {
		const struct sl_amount *one = &podset->request.at[i];
		if (strcmp(one->resource, "cpu") == 0)
			needs->cpu = one->amount;
		else if (strcmp(one->resource, "memory") == 0)
			needs->mem = one->amount;
	}
	needs->kind = gpus.kind;
	needs->gpus = gpus.gpus;
	needs->fraction = gpus.fraction;
	needs->gpu_mem = gpus.memory;
	return status || gpus.kind != KAI_MIG_PROFILES ? status : runai_needs_mig(r, kai, podset, needs);
}

/* ---- Where it may go ---- */

static bool affine(const struct sl_podset *podset, const struct sl_labels *labels)
{
	for (uint32_t i = 0; i < podset->node_selector.count; i++) {
		const char *value = sl_label_of(labels, podset->node_selector.at[i].key);
		if (!value || strcmp(value, podset->node_selector.at[i].value) != 0)
			return false;
	}
	for (uint32_t i = 0; i < podset->required_count; i++)
		if (sl_label_term_holds(&podset->required[i], labels))
			return true;
	return podset->required_count == 0;
}

static bool allowed_on(const struct runai *r, const struct runai_run *run, const struct sl_podset *podset,
	const struct sl_group *group, const struct kai_node *node)
{
	const uint32_t row = node->row_outside;
	if (group && group->node_set) {
		const uint32_t type = r->cluster->node_type[row];
		if (!(r->cluster->node_set[group->node_set].types[type / 64] >> type % 64 & 1))
			return false;
	}
	if (group && group->task.gpu_types && group->task.gpus &&
		(!r->node_kind[row] || !(group->task.gpu_types >> (r->node_kind[row] - SL_KIND_GPUS) & 1)))
		return false;
	if (run->said.queue != KAI_NO && !runai_group_holds(&r->config, &r->config.queue[run->said.queue],
						 run->said.type, &node->labels))
		return false;
	return runai_node_takes(r, row, podset) && affine(podset, &node->labels);
}

/* Bits of nodes; NULL: all. */
static const uint64_t *allowed_nodes(struct runai *r, const struct runai_run *run,
	const struct sl_podset *podset, const struct sl_group *group)
{
	const struct kai *kai = r->instance[run->instance].kai;
	uint64_t *bits = sl_alloc(r->arena, kai->node_words + 1, sizeof(*bits));
	bool all = true;
	for (uint32_t i = 0; bits && i < kai->node_count; i++) {
		if (allowed_on(r, run, podset, group, &kai->node[i]))
			bits[i / 64] |= UINT64_C(1) << i % 64;
		else
			all = false;
	}
	if (!bits)
		controller_failed(&r->engine, SL_SYSTEM);
	return all ? NULL : bits;
}

/* ---- Shapes ---- */

static uintptr_t manifest_of(const struct runai *r, uint32_t row)
{
	const uint32_t more = r->jobs->more_of ? r->jobs->more_of[row] : 0;
	return more ? (uintptr_t)r->jobs->more[more].manifest : 0;
}

static uint64_t runai_jobs_hash_of(const struct runai_shape *key)
{
	return sl_hash(sl_hash(sl_hash(sl_hash(0, key->manifest), key->request), key->queue),
		key->instance * 8 + key->type);
}

static bool runai_jobs_same(const struct runai_shape *a, const struct runai_shape *b)
{
	return a->manifest == b->manifest && a->request == b->request && a->queue == b->queue &&
	       a->instance == b->instance && a->type == b->type;
}

static int make_asks(struct runai *r, uint32_t row, struct runai_shape *shape)
{
	const struct runai_run *run = &r->run[row];
	struct kai *kai = r->instance[run->instance].kai;
	const struct sl_pods *pods = shape->pods;
	shape->needs = sl_alloc(r->arena, (size_t)pods->count + 1, sizeof(*shape->needs));
	if (!shape->needs)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < pods->count; i++) {
		const struct sl_group *group = runai_jobs_group_of(r, row, pods, i);
		struct kai_profiles profile = { 0 };
		struct kai_request needs = { 0 };
		int status = SL_OK;
		if (group && !pods->doc)
			status = needs_of_group(r, kai, &group->task, &needs, &profile);
		else
			status = needs_of_podset(r, kai, &pods->podset[i], pods->doc, &needs);
		if (status)
			return status;
		needs.best_effort = !needs.cpu && !needs.mem && needs.kind == KAI_NO_GPU;
		needs.allowed = allowed_nodes(r, run, &pods->podset[i], group);
		shape->needs[i] = kai_request(kai, &needs);
		if (shape->needs[i] == KAI_NO)
			return SL_SYSTEM;
	}
	return SL_OK;
}

/* NULL: an error, which is reported. */
static const struct runai_shape *shape_of(struct runai *r, uint32_t row, const struct sl_pods *pods)
{
	struct runai_shape key = { .manifest = manifest_of(r, row),
		.request = r->jobs->request ? r->jobs->request[row] : row,
		.queue = r->run[row].said.queue,
		.instance = r->run[row].instance,
		.type = r->run[row].said.type,
		.pods = pods };
	const uint64_t hash = runai_jobs_hash_of(&key);
	uint32_t i;
	SL_MAP_EACH(&r->shape_map, hash, i)
	if (runai_jobs_same(&r->shape[i], &key))
		return &r->shape[i];
	int status = make_asks(r, row, &key);
	if (!status)
		status = SL_GROW(r->shape, r->shape_capacity, r->shape_count + 1, &r->engine.err);
	if (!status)
		status = sl_map_add(&r->shape_map, hash, (uint32_t)r->shape_count, &r->engine.err);
	if (status) {
		controller_failed(&r->engine, status);
		return NULL;
	}
	r->shape[r->shape_count++] = key;
	return &r->shape[r->shape_count - 1];
}

/* ---- Jobs ---- */

/* level_count: it has none of that name, and KAI finds no place then. */
static uint32_t level_of(const struct kai_topology *topology, const char *name)
{
	uint32_t i = 0;
	if (!name)
		return KAI_NO;
	while (i < topology->level_count && strcmp(topology->level[i], name) != 0)
		i++;
	return i;
}

static void constrain(struct kai *kai, struct kai_group *group, const char *topology, const char *required,
	const char *preferred)
{
	const uint32_t row = topology ? kai_find_topology(kai, topology) : KAI_NO;
	if (!topology)
		return;
	group->topology = row != KAI_NO ? row : kai->topology_count; /* There is none of that name. */
	if (row == KAI_NO)
		return;
	group->required = level_of(&kai->topology[row], required);
	group->preferred = level_of(&kai->topology[row], preferred);
}

/* The tree of a PodGroup with sub-groups: below the root. */
static void make_tree(struct kai *kai, struct kai_job *job, const struct runai_job *said)
{
	for (uint32_t i = 0; i < said->group_count; i++) {
		const struct runai_group *from = &said->group[i];
		struct kai_group *to = &job->group[i + 1];
		to->name = kai_text(kai, from->name);
		to->parent = from->parent == KAI_NO ? 0 : from->parent + 1;
		to->leaf = from->leaf;
		to->min = from->min;
		constrain(kai, to, from->topology, from->required, from->preferred);
	}
	job->group[0].min = said->min;
}

static void make_tasks(
	struct runai *r, struct kai *kai, uint32_t job, uint32_t row, const struct runai_shape *shape)
{
	const struct runai_run *run = &r->run[row];
	const struct runai_job *said = &run->said;
	const struct sl_pods *pods = shape->pods;
	uint32_t at = kai->job[job].task, end = at + kai->job[job].task_count, number = 0;
	char uid[64];
	for (uint32_t p = 0; p < pods->count; p++) {
		const int64_t count = pods->count == 1 ? run->most : pods->podset[p].count;
		for (int64_t i = 0; i < count && at < end; i++, at++, number++) {
			struct kai_task *task = &kai->task[at];
			(void)snprintf(uid, sizeof(uid), "%s-%u", kai->job[job].name, number);
			task->uid = kai_text(kai, uid);
			kai->task[at].request = shape->needs[p];
			if (said->group_count && said->group_of && said->group_of[p] != KAI_NO)
				kai->task[at].group = said->group_of[p] + 1;
		}
	}
}

int runai_job_enter(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	struct runai_job *said = &run->said;
	struct kai *kai = r->instance[run->instance].kai;
	char name[32];
	const struct sl_pods *pods = sl_pods_of(r->arena, r->jobs, r->cluster, row, &r->engine.err);
	if (!pods) {
		controller_failed(&r->engine, r->engine.err.status ? r->engine.err.status : SL_SYSTEM);
		return r->engine.status;
	}
	const struct runai_shape *shape = shape_of(r, row, pods);
	if (!shape)
		return r->engine.status;
	/* Of one age the name decides, as text: numbers in their order. */
	(void)snprintf(name, sizeof(name), "%019" PRId64, r->jobs->id[row]);
	const uint32_t job =
		kai_job(kai, r->jobs->id_name && r->jobs->id_name[row] ? r->jobs->id_name[row] : name,
			run->most, said->group_count ? said->group_count + 1 : 0);
	if (job == KAI_NO)
		return kai->err.status;
	struct kai_job *to = &kai->job[job];
	to->queue = said->queue;
	to->priority = said->priority;
	to->preemptible = said->preemptible;
	to->created = run->came;
	to->delay = said->delay;
	to->evicted_at = run->evicted_at;
	to->grace = said->grace;
	to->row_outside = row;
	to->ready = said->allowed && (said->queue == KAI_NO || !r->config.queue[said->queue].orphan);
	if (said->group_count)
		make_tree(kai, to, said);
	else
		to->group[1].min = run->least;
	constrain(kai, &kai->job[job].group[0], said->topology, said->required, said->preferred);
	make_tasks(r, kai, job, row, shape);
	run->job = job;
	return kai_seal_job(kai, job);
}

void runai_job_leave(struct runai *r, uint32_t row)
{
	struct runai_run *run = &r->run[row];
	if (run->job == KAI_NO)
		return;
	kai_drop_job(r->instance[run->instance].kai, run->job);
	run->job = KAI_NO;
}

uint32_t runai_row_of(const struct runai *r, uint32_t instance, uint32_t job)
{
	return r->instance[instance].kai->job[job].row_outside;
}
