/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_jobs.c - jobs of a trace as workloads: the LocalQueue they go to, what their pods request, their
 * priority.
 *
 * Requests: what pods request, less excluded prefixes, transformed (resources.transformations of the
 * Configuration). Priority: kueue.x-k8s.io/priority-class, else what the trace says, else the pods'
 * PriorityClass, else the PriorityClass that is the global default, else 0.
 */
#include "policies/kueue/kueue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Requests ----------------------------------------------------------------------------------- */

static void take_requests(struct kq *kq, const struct kq_transforms *transforms, const struct sl_podset *from,
	struct kq_podset *to)
{
	struct kq_amount *amount = kq_alloc(kq, from->request.count, sizeof(*amount));
	if (!amount)
		return;
	for (uint32_t i = 0; i < from->request.count; i++)
		amount[i] = (struct kq_amount){ kq_resource(kq, from->request.at[i].resource),
			from->request.at[i].amount };
	to->pod = kq_amounts(kq, amount, from->request.count);
	to->request = kq_transformed(kq, transforms, &to->pod);
}

/* ---- Podsets ------------------------------------------------------------------------------------ */

static const char *text_or_null(struct kq *kq, const char *text) { return text ? kq_text(kq, text) : NULL; }

static void take_topology(struct kq *kq, const struct sl_pod_topology *from, struct kq_podset *to)
{
	struct kq_topology_request *topology = &to->topology;
	topology->given = from->given;
	topology->required = text_or_null(kq, from->required);
	topology->preferred = text_or_null(kq, from->preferred);
	topology->unconstrained = from->unconstrained;
	topology->slice_count = from->slice_count;
	for (uint32_t i = 0; i < from->slice_count && i < KQ_SLICE_LAYERS_MAX; i++) {
		topology->slice[i].level = text_or_null(kq, from->slice[i].level);
		topology->slice[i].size = from->slice[i].size;
	}
	topology->pod_index_label = text_or_null(kq, from->pod_index_label);
	topology->sub_group_index_label = text_or_null(kq, from->sub_group_index_label);
	topology->sub_group_count = from->sub_group_count;
	to->group = text_or_null(kq, from->group);
}

static void take_podset(struct kq *kq, const struct kq_transforms *transforms, const struct sl_podset *from,
	struct kq_podset *to)
{
	to->name = kq_text(kq, from->name);
	to->count = from->count;
	to->min_count = from->min_count;
	to->node_selector = from->node_selector;
	to->tolerations = from->tolerations;
	to->required = from->required;
	to->required_count = from->required_count;
	to->preferred = from->preferred;
	to->preferred_count = from->preferred_count;
	to->exceeds_limits = from->exceeds_limits;
	take_requests(kq, transforms, from, to);
	take_topology(kq, &from->topology, to);
}

struct kq_podset *kueue_podsets(
	struct kq *kq, const struct kq_transforms *transforms, const struct sl_pods *pods)
{
	struct kq_podset *podset = kq_alloc(kq, pods->count, sizeof(*podset));
	for (uint32_t i = 0; podset && i < pods->count; i++)
		take_podset(kq, transforms, &pods->podset[i], &podset[i]);
	return podset;
}

/* ---- Priority, and how long it may take --------------------------------------------------------- */

static const struct kq_class *kueue_jobs_class_of(const struct kq_read *read, const char *name, bool of_pods)
{
	for (uint32_t i = 0; i < read->class_count; i++) {
		const struct kq_class *class = &read->class[i];
		if (class->of_pods == of_pods && (name ? strcmp(class->name, name) == 0 : class->is_default))
			return class;
	}
	return NULL;
}

static const struct sl_job_attributes *kueue_jobs_more_of(const struct kueue *k, uint32_t row)
{
	const struct sl_jobs *jobs = k->jobs;
	return jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
}

static int64_t pods_priority(const struct kueue *k, const struct sl_pods *pods)
{
	for (uint32_t i = 0; i < pods->count; i++) {
		const char *name = pods->podset[i].priority_class;
		const struct kq_class *class = name ? kueue_jobs_class_of(&k->read, name, true) : NULL;
		if (class)
			return class->value;
		if (pods->podset[i].priority != SL_NONE)
			return pods->podset[i].priority;
	}
	const struct kq_class *usual = kueue_jobs_class_of(&k->read, NULL, true);
	return usual ? usual->value : 0;
}

/* The WorkloadPriorityClass "default" is of all jobs that name none (WorkloadPriorityClassDefaulting): not of
 * Workload objects, which nobody completes. */
static const struct kq_class *usual_class(const struct kueue *k, const struct sl_pods *pods)
{
	if (pods->priority_class || !k->kq->config.gate[KQ_GATE_WorkloadPriorityClassDefaulting] ||
		strcmp(pods->kind, "Workload") == 0)
		return NULL;
	return kueue_jobs_class_of(&k->read, "default", false);
}

static int64_t priority_of(const struct kueue *k, const struct sl_pods *pods, uint32_t row)
{
	const struct kq_class *class =
		pods->priority_class ? kueue_jobs_class_of(&k->read, pods->priority_class, false) : NULL;
	const struct sl_job_attributes *more = kueue_jobs_more_of(k, row);
	if (class)
		return class->value;
	if (more && more->priority != SL_NONE)
		return more->priority;
	const struct kq_class *usual = usual_class(k, pods);
	return usual ? usual->value : pods_priority(k, pods);
}

/* A Workload that was deactivated waits until somebody activates it. */
static bool is_active(struct kueue *k, const struct sl_pods *pods)
{
	const struct sl_at at = { &k->kq->err, k->kq, pods->doc, pods->doc ? pods->doc->node : NULL };
	return strcmp(pods->kind, "Workload") != 0 || sl_at_bool(sl_at_get(at, "spec.active"), true);
}

static sl_time max_execution(struct kueue *k, const struct sl_pods *pods)
{
	const char *label = sl_label_of(&pods->labels, "kueue.x-k8s.io/max-exec-time-seconds");
	int64_t seconds = 0;
	if (label && sl_get_i64(label, strlen(label), &seconds) && seconds > 0 && seconds < INT32_MAX)
		return seconds * SL_SECOND;
	if (!pods->doc || strcmp(pods->kind, "Workload") != 0)
		return 0;
	const struct sl_at at = { &k->kq->err, k->kq, pods->doc, pods->doc->node };
	return sl_at_int(sl_at_get(at, "spec.maximumExecutionTimeSeconds"), 0, 1, INT32_MAX) * SL_SECOND;
}

/* ---- Shapes ------------------------------------------------------------------------------------- */

static const char *namespace_of(const struct kueue *k, uint32_t row)
{
	const struct sl_job_attributes *more = kueue_jobs_more_of(k, row);
	return more && more->namespace && *more->namespace ? more->namespace : "default";
}

static int make_shape(struct kueue *k, uint32_t row, struct kueue_shape *shape, struct sl_err *err)
{
	shape->pods = sl_pods_of(k->arena, k->jobs, k->cluster, row, err);
	if (!shape->pods)
		return err->status ? err->status : sl_fail_memory(err);
	struct kq_podset *podset =
		kueue_podsets(k->kq, &k->read.transforms, kueue_without_devices(k, shape->pods));
	for (uint32_t i = 0; podset && i < shape->pods->count; i++) {
		const char *refused =
			kueue_charge_claims(k, namespace_of(k, row), &shape->pods->podset[i], &podset[i]);
		shape->refused = shape->refused ? shape->refused : refused;
	}
	shape->podset = podset;
	shape->podset_count = shape->pods->count;
	shape->max_execution = max_execution(k, shape->pods);
	shape->active = is_active(k, shape->pods);
	return SL_OK;
}

static uintptr_t manifest_of(const struct kueue *k, uint32_t row)
{
	const struct sl_job_attributes *more = kueue_jobs_more_of(k, row);
	return more ? (uintptr_t)more->manifest : 0;
}

/* Jobs that wrote the same manifest, or request the same groups, are of one shape. */
static int find_shape(
	struct kueue *k, uint32_t row, struct sl_map *shapes, size_t *capacity, struct sl_err *err)
{
	const uintptr_t manifest = manifest_of(k, row);
	const uint32_t request = manifest || !k->jobs->request ? 0 : k->jobs->request[row] + 1;
	const uint64_t hash = sl_hash(sl_hash(0, manifest), request);
	uint32_t i;
	SL_MAP_EACH(shapes, hash, i)
	if (k->shape[i].manifest == manifest && k->shape[i].request == request) {
		k->shape_of[row] = i;
		return SL_OK;
	}
	int status = SL_GROW(k->shape, *capacity, k->shape_count + 1, err);
	if (!status)
		status = sl_map_add(shapes, hash, k->shape_count, err);
	if (status)
		return status;
	k->shape_of[row] = k->shape_count;
	k->shape[k->shape_count] = (struct kueue_shape){ .manifest = manifest, .request = request };
	return make_shape(k, row, &k->shape[k->shape_count++], err);
}

int kueue_jobs_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	struct sl_map shapes = { 0 };
	size_t capacity = 0;
	k->shape_of = sl_alloc(k->arena, (size_t)setup->jobs->count + 1, sizeof(*k->shape_of));
	k->job = sl_alloc(k->arena, (size_t)setup->jobs->count + 1, sizeof(*k->job));
	if (!k->shape_of || !k->job)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t row = 0; !status && row < setup->jobs->count; row++) {
		k->job[row] = (struct kueue_job){
			.workload = KQ_NO, .admitted = SL_NONE, .reconcile = SL_NEVER, .cause = KQ_NO
		};
		if (!setup->foreign || !setup->foreign[row])
			status = find_shape(k, row, &shapes, &capacity, err);
	}
	sl_map_free(&shapes);
	return status;
}

/* ---- Queues ------------------------------------------------------------------------------------- */

static bool kueue_jobs_same(const char *text, const char *word, size_t len)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* "account:physics=ns/q1;partition:gpu=ns/q2" */
int kueue_rules_make(struct kueue *k, const char *text, struct sl_err *err)
{
	static const char *const words[] = { "", "partition", "account", "user" };
	size_t count = 1;
	for (const char *c = text ? text : ""; *c; c++)
		count += *c == ';';
	k->rule = sl_alloc(k->arena, count, sizeof(*k->rule));
	if (!k->rule)
		return sl_fail_memory(err);
	while (text && *text) {
		struct kueue_map_rule *rule = &k->rule[k->rule_count];
		const size_t len = strcspn(text, ";");
		const char *colon = memchr(text, ':', len);
		const char *is = colon ? memchr(colon, '=', len - (size_t)(colon - text)) : NULL;
		const char *slash = is ? memchr(is, '/', len - (size_t)(is - text)) : NULL;
		for (size_t i = KUEUE_BY_PARTITION; slash && i < SL_LEN(words); i++)
			if (kueue_jobs_same(text, words[i], (size_t)(colon - text)))
				rule->cause = (enum kueue_cause)i;
		if (!slash || rule->cause == KUEUE_BY_NONE)
			return sl_fail(err, SL_USAGE,
				"policy 'kueue': '%.*s' is no rule of map: write partition:NAME=NAMESPACE/QUEUE, account:... or "
				"user:..., with ';' between several",
				(int)len, text);
		rule->value = sl_strdup(k->arena, colon + 1, (size_t)(is - colon - 1));
		rule->namespace = sl_strdup(k->arena, is + 1, (size_t)(slash - is - 1));
		rule->queue = sl_strdup(k->arena, slash + 1, (size_t)(text + len - slash - 1));
		k->rule_count++;
		text += len + (text[len] == ';');
	}
	return SL_OK;
}

static const char *party_of(const struct kueue *k, uint32_t row, enum kueue_cause cause, char buffer[32])
{
	const struct sl_jobs *jobs = k->jobs;
	const int32_t *const column[] = { NULL, jobs->partition, jobs->account, jobs->user };
	const char *const *const name[] = { NULL, jobs->partition_name, jobs->account_name, jobs->user_name };
	if (cause == KUEUE_BY_NONE || column[cause][row] < 0)
		return NULL;
	if (name[cause])
		return name[cause][column[cause][row]];
	(void)snprintf(buffer, 32, "%" PRId32, column[cause][row]);
	return buffer;
}

/* In its namespace; else the only LocalQueue of that name. */
static uint32_t find_local(const struct kueue *k, const char *namespace, const char *name)
{
	uint32_t found = kq_find_local(k->kq, namespace, name);
	if (found != KQ_NO)
		return found;
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->kq->local_count; i++)
		if (strcmp(k->kq->local[i].name, name) == 0) {
			found = i;
			count++;
		}
	return count == 1 ? found : KQ_NO;
}

struct choice {
	const char *namespace, *queue; /* NULL: none. */
	uint32_t local;                /* KQ_NO: it does not exist. */
};

static struct choice kueue_jobs_choose(const struct kueue *k, uint32_t row, char buffer[32])
{
	const struct sl_job_attributes *more = kueue_jobs_more_of(k, row);
	struct choice choice = { more && more->namespace ? more->namespace : k->namespace, NULL, KQ_NO };
	if (more && more->queue) {
		choice.queue = more->queue;
		choice.local = kq_find_local(k->kq, choice.namespace, more->queue);
		return choice;
	}
	for (uint32_t i = 0; i < k->rule_count && !choice.queue; i++) {
		const char *party = party_of(k, row, k->rule[i].cause, buffer);
		if (party && strcmp(party, k->rule[i].value) == 0)
			choice = (struct choice){ k->rule[i].namespace, k->rule[i].queue,
				kq_find_local(k->kq, k->rule[i].namespace, k->rule[i].queue) };
	}
	if (!choice.queue) {
		choice.queue = party_of(k, row, k->cause, buffer);
		choice.local = choice.queue ? find_local(k, choice.namespace, choice.queue) : KQ_NO;
	}
	if (choice.local == KQ_NO && k->queue) {
		choice.queue = k->queue;
		choice.local = kq_find_local(k->kq, k->namespace, k->queue);
	}
	if (!choice.queue && k->kq->local_count == 1)
		choice.local = 0;
	return choice;
}

static void name_workload(const struct kueue *k, uint32_t row, char name[64])
{
	if (k->jobs->id_name && k->jobs->id_name[row])
		(void)snprintf(name, 64, "%.60s", k->jobs->id_name[row]);
	else
		(void)snprintf(name, 64, "%" PRId64, k->jobs->id[row]);
}

static void take_boost(struct kq_workload *workload)
{
	const char *text = sl_label_of(&workload->annotations, "kueue.x-k8s.io/priority-boost");
	workload->has_boost = text != NULL;
	if (text && !sl_get_i64(text, strlen(text), &workload->boost))
		workload->boost = 0; /* As Kueue takes one that is no number. */
}

static bool remember(struct kueue *k, uint32_t workload, uint32_t row)
{
	size_t capacity = k->job_of_capacity;
	if (!kueue_reserve(k, (void **)&k->job_of, &capacity, sizeof(*k->job_of), (size_t)workload + 1))
		return false;
	k->job_of_capacity = (uint32_t)capacity;
	for (; k->job_of_count <= workload; k->job_of_count++)
		k->job_of[k->job_of_count] = UINT32_MAX;
	k->job_of[workload] = row;
	return true;
}

void kueue_jobs_submit(struct kueue *k, uint32_t row)
{
	struct kq *kq = k->kq;
	char name[64], buffer[32];
	name_workload(k, row, name);
	const struct kueue_shape *shape = &k->shape[k->shape_of[row]];
	struct choice choice = kueue_jobs_choose(k, row, buffer);
	const char *namespace = choice.local != KQ_NO ? kq->local[choice.local].namespace : choice.namespace;
	if (shape->refused)
		choice.local = KQ_NO; /* Kueue does not queue it. */
	const uint32_t id = kq_workload(kq, namespace, name);
	struct kq_podset *podset = kq_alloc(kq, shape->podset_count, sizeof(*podset));
	if (!podset || !remember(k, id, row))
		return;
	memcpy(podset, shape->podset, shape->podset_count * sizeof(*podset));
	(void)kq_namespace(kq, namespace);
	struct kq_workload *workload = &kq->workload[id];
	workload->uid = kq_text(kq, shape->pods->uid ? shape->pods->uid : name);
	workload->local = choice.local;
	workload->queue_name = choice.local != KQ_NO ? kq->local[choice.local].name
						     : kq_text(kq, choice.queue ? choice.queue : "");
	workload->podset = podset;
	workload->podset_count = shape->podset_count;
	workload->priority = priority_of(k, shape->pods, row);
	workload->created = k->now;
	workload->labels = shape->pods->labels;
	workload->annotations = shape->pods->annotations;
	workload->refused = shape->refused;
	workload->max_execution = shape->max_execution;
	workload->row_outside = row;
	workload->active = shape->active;
	take_boost(workload);
	k->job[row].workload = id;
}
