/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_workload.c - PodGroups of scheduling.k8s.io: what they say, and their pods in the queue.
 *
 * A pod is gated until its PodGroup is there and minCount pods of the group exist, bound ones too
 * (plugins/gangscheduling, PreEnqueue). Whichever completes the count enters activeQ first, those that it
 * releases behind it, by name here (kube-scheduler: in any order); each keeps the time at which it came. A
 * pod that was tried in vain is not unschedulable until an event, but backs off and is popped again
 * (backend/queue, determineSchedulingHintForInFlightPod).
 *
 * kube-scheduler thus tries a group that fits nowhere over and over. Where pods need not be tried singly
 * (kube_options) the tries that must fail as the last one did are left out: its pods are parked until
 * something changes that may help, and come back as those that were tried just before.
 */
#include "policies/kube/workload/kube_workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a PodGroup says ------------------------------------------------------------------------------ */

static bool is_of_api(const struct sl_doc *doc, const struct sl_doc_node *node, const char *api)
{
	const char *version = kube_text(doc, node, "apiVersion");
	return !version || (strncmp(version, api, strlen(api)) == 0 && version[strlen(api)] == '/');
}

/* Of those that came along with the manifest. */
static struct kube_group_object find_along(const struct sl_pods *pods, const char *name, const char *api)
{
	const struct sl_doc *doc = pods->doc;
	const struct sl_doc_node *list = doc ? sl_doc_member(doc, doc->node, "schedlab/podGroups") : NULL;
	SL_DOC_EACH (one, doc, list) {
		const char *of = kube_text(doc, one, "metadata.name");
		if (of && strcmp(of, name) == 0 && is_of_api(doc, one, api))
			return (struct kube_group_object){ doc, one };
	}
	return (struct kube_group_object){ NULL, NULL };
}

struct kube_group_object kube_group_find(const struct kube *k, const struct sl_pods *pods,
	const char *namespace, const char *name, const char *api)
{
	static const char kind[] = "PodGroup"; /* Of another API group: "PodGroup.GROUP". */
	const struct kube_group_object own = find_along(pods, name, api);
	for (uint32_t i = 0; !own.node && i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		const char *of = *object->namespace ? object->namespace : "default";
		if (strcmp(object->name, name) == 0 && strcmp(of, namespace) == 0 &&
			strncmp(object->kind, kind, strlen(kind)) == 0 &&
			strchr(".", object->kind[strlen(kind)]) && is_of_api(object->doc, object->node, api))
			return (struct kube_group_object){ object->doc, object->node };
	}
	return own;
}

/* minCount, where its policy is gang. */
static int64_t take_policy(struct kube *k, struct kube_group_object of, struct kube_workload *workload)
{
	const struct sl_doc_node *gang = sl_doc_at(of.doc, of.node, "spec.schedulingPolicy.gang");
	const struct sl_doc_node *policy = sl_doc_at(of.doc, of.node, "spec.schedulingPolicy");
	int64_t min = 0;
	if (policy && (gang != NULL) == (sl_doc_member(of.doc, policy, "basic") != NULL)) {
		const struct sl_place place = sl_doc_place(of.doc, policy);
		(void)sl_fail_at(
			&k->err, &place, "schedulingPolicy is either basic or gang: say one of them");
	}
	if (!gang || !(k->options.gates & KUBE_GATE_GANG))
		return 1;
	workload->gang = true;
	if (kube_int(of.doc, gang, "minCount", &min, &k->err) == SL_OK && min < 1) {
		const struct sl_place place = sl_doc_place(of.doc, gang);
		(void)sl_fail_at(&k->err, &place,
			"schedulingPolicy.gang has to say minCount, a number of pods of 1 or more");
	}
	return min;
}

/* As admission fills it in: of its own, of its class, of the default class, else 0. */
static int64_t priority_of(struct kube *k, struct kube_group_object of)
{
	struct sl_podset podset = { .priority = SL_NONE };
	struct kube_spec spec = { 0 };
	podset.priority_class = kube_text(of.doc, of.node, "spec.priorityClassName");
	(void)kube_int(of.doc, of.node, "spec.priority", &podset.priority, &k->err);
	kube_take_priority(k, &podset, SL_NONE, &spec);
	return spec.priority;
}

static void take_object(struct kube *k, struct kube_group_object of, struct kube_gang_state *gang)
{
	struct kube_workload *workload = gang->workload;
	const char *mode = kube_text(of.doc, of.node, "spec.disruptionMode");
	workload->read = true;
	gang->min = take_policy(k, of, workload);
	workload->priority = priority_of(k, of);
	workload->whole = mode && strcmp(mode, "PodGroup") == 0;
	SL_DOC_EACH (one, of.doc, sl_doc_at(of.doc, of.node, "spec.schedulingConstraints.topology")) {
		workload->topology = kube_text(of.doc, one, "key");
		break; /* There is one at most. */
	}
}

static uint32_t make_gang(struct kube *k, const char *namespace, const char *name, uint64_t hash)
{
	struct kube_workload *workload = sl_alloc(k->arena, 1, sizeof(*workload));
	if (!workload) {
		(void)sl_fail_memory(&k->err);
		return KUBE_NO;
	}
	if (SL_GROW(k->gang, k->gang_capacity, k->gangs + 1, &k->err) ||
		sl_map_add(&k->group_map, hash, (uint32_t)k->gangs, &k->err))
		return KUBE_NO;
	k->gang[k->gangs] = (struct kube_gang_state){ .name = name,
		.namespace = namespace,
		.job = KUBE_NO,
		.min = 1,
		.until = SL_NEVER,
		.workload = workload };
	return (uint32_t)k->gangs++;
}

/* Made where it is not there yet; KUBE_NO: no memory. */
static uint32_t gang_named(struct kube *k, const char *namespace, const char *name)
{
	const uint64_t hash = sl_hash_text(sl_hash_text(0, namespace), name);
	uint32_t i;
	SL_MAP_EACH(&k->group_map, hash, i)
	if (strcmp(k->gang[i].name, name) == 0 && strcmp(k->gang[i].namespace, namespace) == 0)
		return i;
	return make_gang(k, namespace, name, hash);
}

uint32_t kube_workload_gang(struct kube *k, const struct sl_pods *pods, const struct kube_spec *spec)
{
	const char *name = spec->podset->pod_group;
	if (!(k->options.gates & KUBE_GATE_WORKLOAD) || !spec->podset->in_scheduling_group)
		return KUBE_NO;
	const uint32_t i = gang_named(k, spec->namespace, name);
	if (i == KUBE_NO || k->gang[i].workload->read)
		return i;
	const struct kube_group_object object =
		kube_group_find(k, pods, spec->namespace, name, "scheduling.k8s.io");
	if (object.node)
		take_object(k, object, &k->gang[i]);
	return i;
}

void kube_workload_free(struct kube *k)
{
	for (size_t i = 0; i < k->gangs; i++)
		if (k->gang[i].workload)
			free(k->gang[i].workload->member);
	sl_map_free(&k->group_map);
}

/* ---- In the queue -------------------------------------------------------------------------------------- */

static bool is_open(const struct kube *k, const struct kube_gang_state *gang)
{
	if (!(k->options.gates & KUBE_GATE_GANG))
		return true;
	return gang->workload->read && !gang->workload->late &&
	       (!gang->workload->gang || gang->pods >= gang->min);
}

static struct kube_gang_state *gang_of(struct kube *k, uint32_t pod)
{
	return &k->gang[k->spec[k->pod[pod].spec].gang];
}

/* Pods that are no more leave the list. */
static void sweep(struct kube *k, struct kube_workload *workload)
{
	size_t kept = 0;
	for (size_t i = 0; i < workload->members; i++)
		if (k->pod[workload->member[i]].state != KUBE_POD_GONE)
			workload->member[kept++] = workload->member[i];
	workload->members = kept;
}

static int by_name(const void *a, const void *b, void *of)
{
	const struct kube *k = of;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const char *const *name = k->jobs->id_name;
	const char *of_x = name ? name[k->pod[x].job] : NULL, *of_y = name ? name[k->pod[y].job] : NULL;
	const int order = of_x && of_y ? strcmp(of_x, of_y) : 0;
	return order ? order : (x > y) - (x < y);
}

/* Those that fill another's count are released: an event for all of the group that are gated. */
static void release(struct kube *k, struct kube_workload *workload)
{
	uint32_t *gated = malloc((workload->members + 1) * sizeof(*gated));
	size_t count = 0;
	if (!gated) {
		(void)sl_fail_memory(&k->err);
		return;
	}
	for (size_t i = 0; i < workload->members; i++)
		if (k->pod[workload->member[i]].state == KUBE_POD_GATED)
			gated[count++] = workload->member[i];
	qsort_r(gated, count, sizeof(*gated), by_name, k);
	for (size_t i = 0; i < count; i++) {
		if (k->pod[gated[i]].attempts || k->pod[gated[i]].errors)
			kube_queue_wake(k, gated[i]);
		else
			kube_queue_open(k, gated[i]);
	}
	free(gated);
}

void kube_workload_came(struct kube *k, uint32_t pod)
{
	struct kube_gang_state *gang = gang_of(k, pod);
	struct kube_workload *workload = gang->workload;
	struct kube_pod *of = &k->pod[pod];
	if (workload->members == workload->capacity)
		sweep(k, workload);
	if (SL_GROW(workload->member, workload->capacity, workload->members + 1, &k->err))
		return;
	workload->member[workload->members++] = pod;
	gang->pods++;
	of->entered = k->now;
	of->order = ++k->entries;
	if (!is_open(k, gang)) {
		of->state = KUBE_POD_GATED;
		return;
	}
	kube_queue_open(k, pod);
	release(k, workload);
}

void kube_workload_expect(struct kube *k, const char *namespace, const char *name)
{
	const uint32_t gang = gang_named(k, namespace, name);
	if (gang != KUBE_NO)
		k->gang[gang].workload->late = true;
}

void kube_workload_arrive(struct kube *k, const char *namespace, const char *name)
{
	const uint32_t gang = gang_named(k, namespace, name);
	if (gang == KUBE_NO)
		return;
	k->gang[gang].workload->late = false;
	if (is_open(k, &k->gang[gang]))
		release(k, k->gang[gang].workload);
}

static bool waits(const struct kube *k, const struct kube_gang_state *gang, uint32_t pod)
{
	const enum kube_pod_state state = k->pod[pod].state;
	return state == KUBE_POD_ACTIVE || state == KUBE_POD_BACKOFF || state == KUBE_POD_ERROR ||
	       state == KUBE_POD_PARKED || (state == KUBE_POD_GATED && is_open(k, gang));
}

/* By priority, then by when they came to activeQ first. */
static int by_first_active(const void *a, const void *b, void *of)
{
	const struct kube *k = of;
	const struct kube_pod *x = &k->pod[*(const uint32_t *)a], *y = &k->pod[*(const uint32_t *)b];
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->first_active > y->first_active) - (x->first_active < y->first_active);
}

uint32_t *kube_workload_pop(struct kube *k, uint32_t first, size_t *count)
{
	const struct kube_gang_state *gang = gang_of(k, first);
	struct kube_workload *workload = gang->workload;
	sweep(k, workload);
	uint32_t *pod = malloc((workload->members + 1) * sizeof(*pod));
	*count = 0;
	if (!pod) {
		(void)sl_fail_memory(&k->err);
		return NULL;
	}
	for (size_t i = 0; i < workload->members; i++)
		if (workload->member[i] != first && waits(k, gang, workload->member[i]))
			pod[(*count)++] = workload->member[i];
	qsort_r(pod, *count, sizeof(*pod), by_name, k);
	for (size_t i = 0; i < *count; i++) {
		struct kube_pod *of = &k->pod[pod[i]];
		kube_queue_drop(k, pod[i]);
		of->attempts++;
		if (!of->first_active)
			of->first_active = ++k->entries;
	}
	pod[(*count)++] = first;
	qsort_r(pod, *count, sizeof(*pod), by_first_active, k);
	return pod;
}

/* It entered now. */
static void renew(struct kube *k, struct kube_pod *of)
{
	of->entered = k->now;
	of->order = ++k->entries;
	kube_queue_back_off(of);
}

/* Gated again, where its group has become too small meanwhile. */
static bool gates(struct kube *k, uint32_t pod)
{
	if (is_open(k, gang_of(k, pod)))
		return false;
	renew(k, &k->pod[pod]);
	k->pod[pod].state = KUBE_POD_GATED;
	return true;
}

/* Until something leaves a node, or one comes; what else may help is up to the filters that rejected it. */
static void park(struct kube *k, uint32_t pod, uint32_t failed_by)
{
	kube_queue_park(k, pod, failed_by | 1U << KUBE_FIT | 1U << KUBE_GANG);
}

void kube_workload_woken(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	const uint32_t gang = k->spec[of->spec].gang;
	if (gang == KUBE_NO || !k->gang[gang].workload)
		return;
	of->failed_now = of->entered == k->now ? of->failed_now : 0;
	renew(k, of);
}

void kube_workload_reject(struct kube *k, uint32_t pod, uint32_t failed_by)
{
	struct kube_pod *of = &k->pod[pod];
	of->errors = 0;
	if (gates(k, pod))
		return;
	if (!k->options.singly) {
		park(k, pod, failed_by);
		return;
	}
	of->failed_by = failed_by;
	of->failed_at = k->version;
	of->failed_now = of->failed_now && of->entered == k->now ? of->failed_now + 1 : 1;
	renew(k, of);
	kube_queue_wake(k, pod);
}

void kube_workload_error(struct kube *k, uint32_t pod)
{
	struct kube_pod *of = &k->pod[pod];
	if (!is_open(k, gang_of(k, pod))) {
		of->attempts--;
		of->errors++;
		(void)gates(k, pod);
		of->ready = k->now + kube_backoff(of->errors);
		of->window = of->ready / SL_SECOND;
		return;
	}
	if (!k->options.singly) {
		park(k, pod, 0);
		return;
	}
	of->order = ++k->entries;
	kube_queue_error(k, pod);
}

void kube_workload_activate(struct kube *k, uint32_t pod)
{
	const enum kube_pod_state state = k->pod[pod].state;
	if (state != KUBE_POD_BACKOFF && state != KUBE_POD_ERROR && state != KUBE_POD_PARKED)
		return;
	kube_queue_drop(k, pod);
	kube_queue_open(k, pod);
}
