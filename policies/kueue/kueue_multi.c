/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_multi.c - MultiKueue: worker clusters in the same run, each a struct kq of its own.
 *
 * An object with the label schedlab/cluster is of that worker cluster; schedlab/name is what it is called
 * there, where that is not its own name (of a LocalQueue: as the manager's). Flavors, topologies, classes of
 * priority, namespaces and the Configuration are of all clusters, unless they have the label. Nodes with the
 * label are a worker's, and jobs that it won run there.
 *
 * kq_multi.h has the rules of dispatch. Assumed, as Kueue's own way differs by release: a workload that its
 * worker evicts is taken back, queued anew at the manager, and dispatched again. A worker that is not reached
 * stands still, but for the jobs that run there. waitForPodsReady is the manager's alone, and admission
 * checks of workers are ready at once.
 */
#include "policies/kueue/kueue.h"
#include "policies/kueue/rules/kq_multi.h"

#include <string.h>

struct kueue_instance {
	const char *name;
	struct kq *kq;
	struct kq_read read;
	const struct kq_podset **podset; /* By shape. */
	uint32_t *copy;                  /* By job: its workload there; KQ_NO. */
	bool lost, asleep;
	uint32_t idle;
	sl_time wake_at; /* Notes of change are followed; SL_NEVER. */
};

/* The clusters of a check. */
struct kueue_multi {
	struct kq_multi_config config;
	const uint32_t *instance; /* In configured order. */
};

struct kueue_remote {
	struct kq_remote is;
	const struct kueue_multi *multi;
	bool active;
};

/* ---- Objects of a cluster ----------------------------------------------------------------------- */

static const char *cluster_of(struct kq *kq, const struct sl_object *object)
{
	return kq_doc_text(sl_at_get(kq_doc_of(kq, object), "metadata.labels.schedlab/cluster"));
}

static bool is_of_all(const struct sl_object *object)
{
	static const char *const kinds[] = { "ResourceFlavor", "Topology", "Namespace", "Configuration",
		"WorkloadPriorityClass", "PriorityClass" };
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(object->kind, kinds[i]) == 0)
			return true;
	return false;
}

const struct sl_object *kueue_multi_objects(
	struct kueue *k, struct kq *kq, const char *cluster, uint32_t *count)
{
	const struct sl_cluster *from = k->cluster;
	struct sl_object *object = sl_alloc(k->arena, (size_t)from->object_count + 1, sizeof(*object));
	*count = 0;
	for (uint32_t i = 0; object && i < from->object_count; i++) {
		const struct sl_object *one = &from->object[i];
		const char *of = cluster_of(kq, one);
		const bool mine = cluster ? (of ? strcmp(of, cluster) == 0 : is_of_all(one))
					  : !of || strcmp(one->kind, "Node") == 0;
		if (!mine)
			continue;
		object[*count] = *one;
		const char *name =
			kq_doc_text(sl_at_get(kq_doc_of(kq, one), "metadata.labels.schedlab/name"));
		if (cluster && name)
			object[*count].name = name;
		++*count;
	}
	return object;
}

/* ---- Worker clusters -------------------------------------------------------------------------------------
 */

static uint32_t instance_of(struct kueue *k, const char *name)
{
	uint32_t i = 0;
	while (i < k->instance_count && strcmp(k->instance[i].name, name) != 0)
		i++;
	return i;
}

static int make_podsets(struct kueue *k, struct kueue_instance *instance)
{
	instance->podset = sl_alloc(k->arena, (size_t)k->shape_count + 1, sizeof(void *));
	instance->copy = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*instance->copy));
	if (!instance->podset || !instance->copy)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < k->shape_count; i++)
		instance->podset[i] =
			kueue_podsets(instance->kq, &instance->read.transforms, k->shape[i].pods);
	for (uint32_t row = 0; row < k->jobs->count; row++)
		instance->copy[row] = KQ_NO;
	return instance->kq->err.status;
}

static int make_instance(struct kueue *k, struct kueue_instance *instance, struct sl_err *err)
{
	uint32_t count;
	instance->kq = kq_new(k->arena);
	instance->wake_at = SL_NEVER;
	if (!instance->kq)
		return sl_fail_memory(err);
	const struct sl_object *object = kueue_multi_objects(k, instance->kq, instance->name, &count);
	int status = object ? kq_read(&instance->read, instance->kq, object, count) : SL_SYSTEM;
	instance->kq->config.wait_ready = instance->kq->config.afs = false;
	if (!status)
		status = make_podsets(k, instance);
	if (!status)
		status = kueue_room_make(instance->kq);
	if (!status)
		status = kq_seal(instance->kq);
	if (status && instance->kq->err.status)
		*err = instance->kq->err;
	return status && !err->status ? sl_fail_memory(err) : status;
}

/* Clusters are those that labels name, in the order of the objects. */
static int make_instances(struct kueue *k, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	k->instance = sl_alloc(k->arena, (size_t)cluster->object_count + 1, sizeof(*k->instance));
	if (!k->instance)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->object_count; i++) {
		const char *name = cluster_of(k->kq, &cluster->object[i]);
		if (name && strcmp(cluster->object[i].kind, "ClusterQueue") == 0 &&
			instance_of(k, name) == k->instance_count)
			k->instance[k->instance_count++].name = name;
	}
	int status = SL_OK;
	for (uint32_t i = 0; i < k->instance_count && !status; i++)
		status = make_instance(k, &k->instance[i], err);
	return status;
}

/* ---- Checks ------------------------------------------------------------------------------------- */

/* As the incremental dispatcher went before v0.19. */
static void sort_by_name(const struct kueue *k, uint32_t *instance, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t one = instance[i];
		uint32_t at = i;
		for (; at && strcmp(k->instance[instance[at - 1]].name, k->instance[one].name) > 0; at--)
			instance[at] = instance[at - 1];
		instance[at] = one;
	}
}

static int take_clusters(
	struct kueue *k, const struct sl_object *object, struct kueue_multi *multi, struct sl_err *err)
{
	const struct sl_at list = sl_at_get(kq_doc_of(k->kq, object), "spec.clusters");
	uint32_t *instance = sl_alloc(k->arena, sl_at_count(list) + 1, sizeof(*instance));
	uint32_t count = 0;
	if (!instance)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	SL_AT_EACH (at, list) {
		const char *name = kq_doc_text(at);
		instance[count] = name ? instance_of(k, name) : k->instance_count;
		if (instance[count++] < k->instance_count)
			continue;
		const struct sl_place place = sl_doc_place(object->doc, at.node);
		return sl_fail_at(err, &place,
			"the worker cluster '%s' has no ClusterQueue: give it one, with the label schedlab/cluster",
			name ? name : "");
	}
	if (!k->kq->config.gate[KQ_GATE_MultiKueueIncrementalDispatcherRespectConfigOrder])
		sort_by_name(k, instance, count);
	multi->instance = instance;
	multi->config = k->dispatch;
	multi->config.worker_max = count;
	return SL_OK;
}

static int make_checks(struct kueue *k, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	int status = SL_OK;
	k->multi = sl_alloc(k->arena, (size_t)k->kq->check_count + 1, sizeof(*k->multi));
	k->remote = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(void *));
	if (!k->multi || !k->remote)
		return sl_fail_memory(err);
	for (uint32_t c = 0; c < k->kq->check_count && !status; c++) {
		const struct kq_check *check = &k->kq->check[c];
		if (check->kind != KQ_CHECK_MULTIKUEUE || !check->parameters)
			continue;
		for (uint32_t i = 0; i < cluster->object_count && !status; i++)
			if (strcmp(cluster->object[i].kind, "MultiKueueConfig") == 0 &&
				strcmp(cluster->object[i].name, check->parameters) == 0)
				status = take_clusters(k, &cluster->object[i], &k->multi[c], err);
	}
	return status;
}

static int make_nodes(struct kueue *k, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	if (!cluster->node_labels)
		return SL_OK;
	k->node_instance = sl_alloc(k->arena, (size_t)cluster->node_count + 1, sizeof(*k->node_instance));
	if (!k->node_instance)
		return sl_fail_memory(err);
	bool any = false;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const char *name = sl_label_of(&cluster->node_labels[node], "schedlab/cluster");
		const uint32_t instance = name ? instance_of(k, name) : k->instance_count;
		k->node_instance[node] = instance < k->instance_count ? instance : UINT32_MAX;
		any |= instance < k->instance_count;
	}
	if (!any)
		k->node_instance = NULL;
	return SL_OK;
}

int kueue_multi_make(struct kueue *k, struct sl_err *err)
{
	int status = make_instances(k, err);
	if (!status && k->instance_count)
		status = make_checks(k, err);
	return status || !k->instance_count ? status : make_nodes(k, err);
}

void kueue_multi_release(struct kueue *k)
{
	for (uint32_t i = 0; i < k->instance_count; i++)
		if (k->instance[i].kq)
			kq_free(k->instance[i].kq);
}

/* ---- Copies ------------------------------------------------------------------------------------- */

bool kueue_multi_has(const struct kueue *k, uint32_t check)
{
	return k->instance_count && k->multi[check].config.worker_max;
}

static struct kueue_remote *remote_of(const struct kueue *k, uint32_t row)
{
	struct kueue_remote *remote = k->instance_count ? k->remote[row] : NULL;
	return remote && remote->active ? remote : NULL;
}

void kueue_multi_begin(struct kueue *k, uint32_t row, uint32_t check)
{
	const struct kueue_multi *multi = &k->multi[check];
	struct kueue_remote *remote = k->remote[row];
	if (!remote || remote->multi != multi) {
		remote = k->remote[row] = sl_alloc(k->arena, 1, sizeof(*remote));
		if (!remote)
			return controller_no_memory(&k->engine);
		remote->multi = multi;
		remote->is.copy = sl_alloc(k->arena, multi->config.worker_max, sizeof(*remote->is.copy));
		remote->is.at = sl_alloc(k->arena, multi->config.worker_max, sizeof(*remote->is.at));
		if (!remote->is.copy || !remote->is.at)
			return controller_no_memory(&k->engine);
	}
	remote->is.workload = k->job[row].workload;
	remote->is.check = check;
	remote->active = true;
	k->dispatched++;
	kq_multi_begin(&multi->config, k->kq, &remote->is);
}

/* A copy comes to the worker's queue of the same name. */
static void kueue_multi_submit(struct kueue *k, struct kueue_instance *instance, uint32_t row)
{
	const struct kq_workload *from = &k->kq->workload[k->job[row].workload];
	const uint32_t local = kq_find_local(instance->kq, from->namespace, from->queue_name);
	if (local == KQ_NO)
		return;
	instance->kq->now = k->now;
	(void)kq_namespace(instance->kq, from->namespace);
	const uint32_t id = kq_workload(instance->kq, from->namespace, from->name);
	struct kq_podset *podset = kq_alloc(instance->kq, from->podset_count, sizeof(*podset));
	if (!podset || instance->kq->err.status)
		return;
	memcpy(podset, instance->podset[k->shape_of[row]], from->podset_count * sizeof(*podset));
	struct kq_workload *to = &instance->kq->workload[id];
	to->uid = kq_text(instance->kq, from->uid);
	to->local = local;
	to->queue_name = instance->kq->local[local].name;
	to->podset = podset;
	to->podset_count = from->podset_count;
	to->priority = from->priority;
	to->created = from->created;
	to->labels = from->labels;
	to->annotations = from->annotations;
	to->row_outside = row;
	instance->copy[row] = id;
	instance->asleep = false;
	kq_submit(instance->kq, id);
}

static void kueue_multi_drop(struct kueue *k, struct kueue_instance *instance, uint32_t row)
{
	if (instance->copy[row] == KQ_NO)
		return;
	instance->kq->now = k->now;
	kq_delete(instance->kq, instance->copy[row]);
	instance->copy[row] = KQ_NO;
	instance->asleep = false;
}

static void match_copies(struct kueue *k, struct kueue_remote *remote, uint32_t row)
{
	for (uint32_t i = 0; i < remote->multi->config.worker_max; i++) {
		struct kueue_instance *instance = &k->instance[remote->multi->instance[i]];
		if (remote->is.copy[i] == KQ_COPY_THERE && instance->copy[row] == KQ_NO && !instance->lost)
			kueue_multi_submit(k, instance, row);
		else if (remote->is.copy[i] == KQ_COPY_GONE)
			kueue_multi_drop(k, instance, row);
	}
}

void kueue_multi_advance(struct kueue *k, uint32_t row)
{
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote)
		return;
	const sl_time next = kq_multi_advance(&remote->multi->config, k->kq, &remote->is);
	match_copies(k, remote, row);
	kueue_due(k, next, KUEUE_DUE_CHECK, row);
}

void kueue_multi_over(struct kueue *k, uint32_t row)
{
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote)
		return;
	remote->active = false;
	for (uint32_t i = 0; i < k->instance_count; i++)
		kueue_multi_drop(k, &k->instance[i], row);
}

/* ---- What workers decide ------------------------------------------------------------------------ */

static uint32_t kueue_multi_place_of(const struct kueue_remote *remote, uint32_t instance)
{
	uint32_t i = 0;
	while (i < remote->multi->config.worker_max && remote->multi->instance[i] != instance)
		i++;
	return i;
}

static void checks_ready(struct kq *kq, uint32_t workload)
{
	for (uint32_t i = 0; i < kq->workload[workload].check_count; i++)
		kq_check_set(kq, workload, kq->workload[workload].check[i].check, KQ_CHECK_READY, 0);
	while (kq_reconcile(kq, workload) <= kq->now)
		;
}

static void reserved(struct kueue *k, uint32_t number, uint32_t workload)
{
	struct kueue_instance *instance = &k->instance[number];
	const uint32_t row = instance->kq->workload[workload].row_outside;
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote || instance->copy[row] != workload)
		return;
	if (kq_multi_reserved(k->kq, &remote->is, remote->multi->config.worker_max,
		    kueue_multi_place_of(remote, number))) {
		checks_ready(instance->kq, workload);
		kueue_changed(k);
		kueue_reconcile(k, row);
	}
	match_copies(k, remote, row);
}

static void evicted(struct kueue *k, uint32_t number, uint32_t workload)
{
	const uint32_t row = k->instance[number].kq->workload[workload].row_outside;
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote || k->instance[number].copy[row] != workload)
		return;
	k->taken_back++;
	kq_check_set(k->kq, remote->is.workload, remote->is.check, KQ_CHECK_RETRY, 0);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

static bool take_instance_effects(struct kueue *k, uint32_t number)
{
	struct kq *kq = k->instance[number].kq;
	bool any = false;
	for (uint32_t i = 0; i < kq->effect_count && !kq->err.status; i++) {
		const struct kq_effect effect = kq->effect[i];
		if (effect.kind == KQ_DECISION_RESERVE)
			reserved(k, number, effect.workload);
		else if (effect.kind == KQ_DECISION_PREEMPT || effect.kind == KQ_DECISION_EVICT)
			evicted(k, number, effect.workload);
		any |= effect.kind != KQ_DECISION_PEND && effect.kind != KQ_DECISION_SKIP;
	}
	kq->effect_count = 0;
	controller_take_err(&k->engine, &kq->err);
	return any;
}

enum { IDLE_MAX = 16 }; /* Cycles in a row without effect: flavors to try are fewer, as a rule. */

static bool run_instance(struct kueue *k, uint32_t number)
{
	struct kueue_instance *instance = &k->instance[number];
	bool any = false;
	if (instance->lost)
		return false;
	instance->kq->now = k->now;
	if (instance->wake_at <= k->now) {
		instance->wake_at = SL_NEVER;
		(void)kq_queue_wake(instance->kq);
		instance->asleep = false;
	}
	while (!instance->asleep && kueue_goes_on(k) && !instance->kq->err.status &&
		kq_any_active(instance->kq) && kq_cycle(instance->kq)) {
		const bool decision = take_instance_effects(k, number);
		instance->idle = decision ? 0 : instance->idle + 1;
		instance->asleep = instance->idle > IDLE_MAX;
		any |= decision;
	}
	if (kq_queue_notified(instance->kq) && instance->wake_at == SL_NEVER) {
		instance->wake_at = k->now + k->batch;
		kueue_due(k, instance->wake_at, KUEUE_DUE_CYCLE, UINT32_MAX);
	}
	return any;
}

bool kueue_multi_run(struct kueue *k)
{
	bool any = false;
	for (uint32_t i = 0; i < k->instance_count; i++)
		any |= run_instance(k, i);
	return any;
}

/* ---- What other files call ---------------------------------------------------------------------- */

uint32_t kueue_multi_find(struct kueue *k, const char *name)
{
	const uint32_t instance = instance_of(k, name);
	return instance < k->instance_count ? instance : KQ_NO;
}

void kueue_multi_lost(struct kueue *k, uint32_t instance, bool lost)
{
	k->instance[instance].lost = lost;
	k->instance[instance].asleep = false;
	for (uint32_t row = 0; row < k->jobs->count; row++) {
		struct kueue_remote *remote = remote_of(k, row);
		const uint32_t place = remote ? kueue_multi_place_of(remote, instance) : 0;
		if (!remote || place == remote->multi->config.worker_max)
			continue;
		kq_multi_lost(k->kq, &remote->is, place, lost);
		kueue_multi_advance(k, row);
	}
}

/* Of the worker that won it; NULL: it is the manager's own. */
static const struct kueue_instance *winner_of(const struct kueue *k, uint32_t row)
{
	const struct kueue_remote *remote = remote_of(k, row);
	return remote && remote->is.winner != KQ_NO ? &k->instance[remote->multi->instance[remote->is.winner]]
						    : NULL;
}

const struct kq_admission *kueue_admission(const struct kueue *k, uint32_t row, const struct kq **kq)
{
	const struct kueue_instance *instance = winner_of(k, row);
	*kq = instance ? instance->kq : k->kq;
	return (*kq)->workload[instance ? instance->copy[row] : k->job[row].workload].admission;
}

uint32_t kueue_multi_instance(const struct kueue *k, uint32_t row)
{
	const struct kueue_instance *instance = winner_of(k, row);
	return instance ? (uint32_t)(instance - k->instance) : UINT32_MAX;
}

const char *kueue_multi_name(const struct kueue *k, uint32_t row)
{
	const struct kueue_instance *instance = winner_of(k, row);
	return instance ? instance->name : NULL;
}

int kueue_multi_report(const struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	if (!k->instance_count)
		return SL_OK;
	const int status = sl_report_metric(
		tally, "kueue.multikueue.dispatches", (int64_t)k->dispatched * SL_SECOND, err);
	return status ? status
		      : sl_report_metric(tally, "kueue.multikueue.taken_back",
				(int64_t)k->taken_back * SL_SECOND, err);
}
