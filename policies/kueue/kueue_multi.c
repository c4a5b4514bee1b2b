/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_multi.c - MultiKueue: worker clusters in the same run, each a world of Kueue's of its own.
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

struct kueue_world {
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
	const uint32_t *world; /* In configured order. */
};

struct kueue_remote {
	struct kq_remote is;
	const struct kueue_multi *multi;
	bool active;
};

/* ---- Objects of a cluster --------------------------------------------------------------------------------
 */

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

/* ---- Worlds ---------------------------------------------------------------------------------------------
 */

static uint32_t world_of(struct kueue *k, const char *name)
{
	uint32_t i = 0;
	while (i < k->world_count && strcmp(k->world[i].name, name) != 0)
		i++;
	return i;
}

static int make_podsets(struct kueue *k, struct kueue_world *world)
{
	world->podset = sl_alloc(k->arena, (size_t)k->shape_count + 1, sizeof(void *));
	world->copy = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*world->copy));
	if (!world->podset || !world->copy)
		return SL_SYSTEM;
	for (uint32_t i = 0; i < k->shape_count; i++)
		world->podset[i] = kueue_podsets(world->kq, &world->read.transforms, k->shape[i].pods);
	for (uint32_t row = 0; row < k->jobs->count; row++)
		world->copy[row] = KQ_NO;
	return world->kq->err.status;
}

static int make_world(struct kueue *k, struct kueue_world *world, struct sl_err *err)
{
	uint32_t count;
	world->kq = kq_new(k->arena);
	world->wake_at = SL_NEVER;
	if (!world->kq)
		return sl_fail_memory(err);
	const struct sl_object *object = kueue_multi_objects(k, world->kq, world->name, &count);
	int status = object ? kq_read(&world->read, world->kq, object, count) : SL_SYSTEM;
	world->kq->config.wait_ready = world->kq->config.afs = false;
	if (!status)
		status = make_podsets(k, world);
	if (!status)
		status = kueue_room_make(world->kq);
	if (!status)
		status = kq_seal(world->kq);
	if (status && world->kq->err.status)
		*err = world->kq->err;
	return status && !err->status ? sl_fail_memory(err) : status;
}

/* Clusters are those that labels name, in the order of the objects. */
static int make_worlds(struct kueue *k, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	k->world = sl_alloc(k->arena, (size_t)cluster->object_count + 1, sizeof(*k->world));
	if (!k->world)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->object_count; i++) {
		const char *name = cluster_of(k->kq, &cluster->object[i]);
		if (name && strcmp(cluster->object[i].kind, "ClusterQueue") == 0 &&
			world_of(k, name) == k->world_count)
			k->world[k->world_count++].name = name;
	}
	int status = SL_OK;
	for (uint32_t i = 0; i < k->world_count && !status; i++)
		status = make_world(k, &k->world[i], err);
	return status;
}

/* ---- Checks ----------------------------------------------------------------------------------------------
 */

static int take_clusters(
	struct kueue *k, const struct sl_object *object, struct kueue_multi *multi, struct sl_err *err)
{
	const struct sl_at list = sl_at_get(kq_doc_of(k->kq, object), "spec.clusters");
	uint32_t *world = sl_alloc(k->arena, sl_at_count(list) + 1, sizeof(*world));
	uint32_t count = 0;
	if (!world)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	SL_AT_EACH (at, list) {
		const char *name = kq_doc_text(at);
		world[count] = name ? world_of(k, name) : k->world_count;
		if (world[count++] < k->world_count)
			continue;
		const struct sl_place place = sl_doc_place(object->doc, at.node);
		return sl_fail_at(err, &place,
			"the worker cluster '%s' has no ClusterQueue: give it one, with the label schedlab/cluster",
			name ? name : "");
	}
	multi->world = world;
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
	k->node_world = sl_alloc(k->arena, (size_t)cluster->node_count + 1, sizeof(*k->node_world));
	if (!k->node_world)
		return sl_fail_memory(err);
	bool any = false;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const char *name = sl_label_of(&cluster->node_labels[node], "schedlab/cluster");
		const uint32_t world = name ? world_of(k, name) : k->world_count;
		k->node_world[node] = world < k->world_count ? world : UINT32_MAX;
		any |= world < k->world_count;
	}
	if (!any)
		k->node_world = NULL;
	return SL_OK;
}

int kueue_multi_make(struct kueue *k, struct sl_err *err)
{
	int status = make_worlds(k, err);
	if (!status && k->world_count)
		status = make_checks(k, err);
	return status || !k->world_count ? status : make_nodes(k, err);
}

void kueue_multi_release(struct kueue *k)
{
	for (uint32_t i = 0; i < k->world_count; i++)
		if (k->world[i].kq)
			kq_free(k->world[i].kq);
}

/* ---- Copies ----------------------------------------------------------------------------------------------
 */

bool kueue_multi_has(const struct kueue *k, uint32_t check)
{
	return k->world_count && k->multi[check].config.worker_max;
}

static struct kueue_remote *remote_of(const struct kueue *k, uint32_t row)
{
	struct kueue_remote *remote = k->world_count ? k->remote[row] : NULL;
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
static void submit(struct kueue *k, struct kueue_world *world, uint32_t row)
{
	const struct kq_workload *from = &k->kq->workload[k->job[row].workload];
	const uint32_t local = kq_find_local(world->kq, from->space, from->queue_name);
	if (local == KQ_NO)
		return;
	world->kq->now = k->now;
	(void)kq_namespace(world->kq, from->space);
	const uint32_t id = kq_workload(world->kq, from->space, from->name);
	struct kq_podset *podset = kq_room(world->kq, from->podset_count, sizeof(*podset));
	if (!podset || world->kq->err.status)
		return;
	memcpy(podset, world->podset[k->shape_of[row]], from->podset_count * sizeof(*podset));
	struct kq_workload *to = &world->kq->workload[id];
	to->uid = kq_text(world->kq, from->uid);
	to->local = local;
	to->queue_name = world->kq->local[local].name;
	to->podset = podset;
	to->podset_count = from->podset_count;
	to->priority = from->priority;
	to->created = from->created;
	to->labels = from->labels;
	to->annotations = from->annotations;
	to->row_outside = row;
	world->copy[row] = id;
	world->asleep = false;
	kq_submit(world->kq, id);
}

static void drop(struct kueue *k, struct kueue_world *world, uint32_t row)
{
	if (world->copy[row] == KQ_NO)
		return;
	world->kq->now = k->now;
	kq_delete(world->kq, world->copy[row]);
	world->copy[row] = KQ_NO;
	world->asleep = false;
}

static void match_copies(struct kueue *k, struct kueue_remote *remote, uint32_t row)
{
	for (uint32_t i = 0; i < remote->multi->config.worker_max; i++) {
		struct kueue_world *world = &k->world[remote->multi->world[i]];
		if (remote->is.copy[i] == KQ_COPY_THERE && world->copy[row] == KQ_NO && !world->lost)
			submit(k, world, row);
		else if (remote->is.copy[i] == KQ_COPY_GONE)
			drop(k, world, row);
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
	for (uint32_t i = 0; i < k->world_count; i++)
		drop(k, &k->world[i], row);
}

/* ---- What workers decide ---------------------------------------------------------------------------------
 */

static uint32_t place_of(const struct kueue_remote *remote, uint32_t world)
{
	uint32_t i = 0;
	while (i < remote->multi->config.worker_max && remote->multi->world[i] != world)
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
	struct kueue_world *world = &k->world[number];
	const uint32_t row = world->kq->workload[workload].row_outside;
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote || world->copy[row] != workload)
		return;
	if (kq_multi_reserved(
		    k->kq, &remote->is, remote->multi->config.worker_max, place_of(remote, number))) {
		checks_ready(world->kq, workload);
		kueue_changed(k);
		kueue_reconcile(k, row);
	}
	match_copies(k, remote, row);
}

static void evicted(struct kueue *k, uint32_t number, uint32_t workload)
{
	const uint32_t row = k->world[number].kq->workload[workload].row_outside;
	struct kueue_remote *remote = remote_of(k, row);
	if (!remote || k->world[number].copy[row] != workload)
		return;
	k->taken_back++;
	kq_check_set(k->kq, remote->is.workload, remote->is.check, KQ_CHECK_RETRY, 0);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

static bool take_world_effects(struct kueue *k, uint32_t number)
{
	struct kq *kq = k->world[number].kq;
	bool any = false;
	for (uint32_t i = 0; i < kq->effect_count && !kq->err.status; i++) {
		const struct kq_effect effect = kq->effect[i];
		if (effect.kind == KQ_DID_RESERVE)
			reserved(k, number, effect.workload);
		else if (effect.kind == KQ_DID_PREEMPT || effect.kind == KQ_DID_EVICT)
			evicted(k, number, effect.workload);
		any |= effect.kind != KQ_DID_PEND && effect.kind != KQ_DID_SKIP;
	}
	kq->effect_count = 0;
	controller_take_err(&k->engine, &kq->err);
	return any;
}

enum { IDLE_MAX = 16 }; /* Cycles in a row without effect: flavors to try are fewer, as a rule. */

static bool run_world(struct kueue *k, uint32_t number)
{
	struct kueue_world *world = &k->world[number];
	bool any = false;
	if (world->lost)
		return false;
	world->kq->now = k->now;
	if (world->wake_at <= k->now) {
		world->wake_at = SL_NEVER;
		(void)kq_queue_wake(world->kq);
		world->asleep = false;
	}
	while (!world->asleep && kueue_goes_on(k) && !world->kq->err.status && kq_any_active(world->kq) &&
		kq_cycle(world->kq)) {
		const bool did = take_world_effects(k, number);
		world->idle = did ? 0 : world->idle + 1;
		world->asleep = world->idle > IDLE_MAX;
		any |= did;
	}
	if (kq_queue_notified(world->kq) && world->wake_at == SL_NEVER) {
		world->wake_at = k->now + k->batch;
		kueue_due(k, world->wake_at, KUEUE_DUE_CYCLE, UINT32_MAX);
	}
	return any;
}

bool kueue_multi_run(struct kueue *k)
{
	bool any = false;
	for (uint32_t i = 0; i < k->world_count; i++)
		any |= run_world(k, i);
	return any;
}

/* ---- What others ask -------------------------------------------------------------------------------------
 */

uint32_t kueue_multi_find(struct kueue *k, const char *name)
{
	const uint32_t world = world_of(k, name);
	return world < k->world_count ? world : KQ_NO;
}

void kueue_multi_lost(struct kueue *k, uint32_t world, bool lost)
{
	k->world[world].lost = lost;
	k->world[world].asleep = false;
	for (uint32_t row = 0; row < k->jobs->count; row++) {
		struct kueue_remote *remote = remote_of(k, row);
		const uint32_t place = remote ? place_of(remote, world) : 0;
		if (!remote || place == remote->multi->config.worker_max)
			continue;
		kq_multi_lost(k->kq, &remote->is, place, lost);
		kueue_multi_advance(k, row);
	}
}

/* Of the worker that won it; NULL: it is the manager's own. */
static const struct kueue_world *winner_of(const struct kueue *k, uint32_t row)
{
	const struct kueue_remote *remote = remote_of(k, row);
	return remote && remote->is.winner != KQ_NO ? &k->world[remote->multi->world[remote->is.winner]]
						    : NULL;
}

const struct kq_admission *kueue_admission(const struct kueue *k, uint32_t row, const struct kq **kq)
{
	const struct kueue_world *world = winner_of(k, row);
	*kq = world ? world->kq : k->kq;
	return (*kq)->workload[world ? world->copy[row] : k->job[row].workload].admission;
}

uint32_t kueue_multi_world(const struct kueue *k, uint32_t row)
{
	const struct kueue_world *world = winner_of(k, row);
	return world ? (uint32_t)(world - k->world) : UINT32_MAX;
}

const char *kueue_multi_name(const struct kueue *k, uint32_t row)
{
	const struct kueue_world *world = winner_of(k, row);
	return world ? world->name : NULL;
}

int kueue_multi_tell(const struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	if (!k->world_count)
		return SL_OK;
	const int status =
		sl_tell_metric(tally, "kueue.multikueue.dispatches", (int64_t)k->dispatched * SL_SECOND, err);
	return status ? status
		      : sl_tell_metric(tally, "kueue.multikueue.taken_back",
				(int64_t)k->taken_back * SL_SECOND, err);
}
