/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_workload.h - PodGroups of scheduling.k8s.io, as kube-scheduler 1.36 schedules them. Private to
 * policies/kube.
 *
 * A pod names its group in spec.schedulingGroup.podGroupName. All pods of a group that have no node are tried
 * in one cycle, whichever of them is popped: one by one, each beside those before, and together they are
 * bound or not. Nothing of this is followed without the feature gate GenericWorkload.
 *
 * https://github.com/kubernetes/enhancements KEP-4671 (gangs), KEP-5732 (topology), KEP-5710 (preemption);
 * kubernetes/kubernetes pkg/scheduler/schedule_one_podgroup.go, v1.36.
 */
#ifndef KUBE_WORKLOAD_H
#define KUBE_WORKLOAD_H

#include "policies/kube/kube.h"

struct kube_workload {
	bool read;            /* Its PodGroup was found: what follows is what it says. */
	bool late;            /* That is to be created yet; until then its pods wait. */
	bool gang;            /* kube_gang_state.min of them at least; else policy basic: any. */
	bool whole;           /* disruptionMode PodGroup: preempted as one. */
	const char *topology; /* The key of whose values it wants one; NULL: none. */
	int64_t priority;     /* The PodGroup's, not its pods'. */
	uint32_t *member;     /* Its pods, in the order in which they came; those that are gone are swept. */
	size_t members, capacity;
};

/* ---- kube_workload.c: groups, and their pods in the queue --------------------------------------------- */

struct kube_group_object { /* A PodGroup. */
	const struct sl_doc *doc;
	const struct sl_doc_node *node; /* NULL: there is none. */
};
/* That came along with the pods, or is among the cluster's objects. api: its API group. */
struct kube_group_object kube_group_find(const struct kube *k, const struct sl_pods *pods,
	const char *namespace, const char *name, const char *api);

/* The gang of pods of that spec; KUBE_NO: they are of no group that is followed. */
uint32_t kube_workload_gang(struct kube *k, const struct sl_pods *pods, const struct kube_spec *spec);
void kube_workload_free(struct kube *k);
void kube_workload_came(struct kube *k, uint32_t pod); /* It was created: to activeQ, or it is gated. */
/* All that wait, with the one that was popped, in the order in which they are tried; they are in no queue
 * then. The caller frees them; NULL: no memory. */
uint32_t *kube_workload_pop(struct kube *k, uint32_t first, size_t *count);
/* Back after an attempt: it was rejected by these filters, or ended in an error. */
void kube_workload_reject(struct kube *k, uint32_t pod, uint32_t failed_by);
void kube_workload_error(struct kube *k, uint32_t pod);
void kube_workload_activate(struct kube *k, uint32_t pod); /* To activeQ, from where it waits. */
/* It was parked and is not any more. */
void kube_workload_woken(struct kube *k, uint32_t pod);
/* A PodGroup that is created later than now, and its creation; texts are lent. Others are there with their
 * first pod. */
void kube_workload_expect(struct kube *k, const char *namespace, const char *name);
void kube_workload_arrive(struct kube *k, const char *namespace, const char *name);

/* ---- kube_workload_warn.c --------------------------------------------------------------------------------
 */

/* What is not followed is said once. */
void kube_workload_warn(const struct kube *k, const struct sl_setup *setup);

/* ---- kube_workload_cycle.c: the cycle of a group ------------------------------------------------------- */

enum kube_group_status { KUBE_GROUP_UNSCHEDULABLE, KUBE_GROUP_SCHEDULED, KUBE_GROUP_ERROR };
struct kube_member_result {
	uint32_t pod;
	uint32_t node; /* Where it goes, by preemption too; KUBE_NO: nowhere. */
	uint32_t failed_by;
	bool preempts;  /* Its victims on the node are gone. */
	bool error;     /* Its attempt ended in one. */
	bool looked_up; /* Preemption found nobody: its nomination is void. */
};
struct kube_group_result {
	struct kube_member_result *at; /* One for each pod, in the order in which they are tried. */
	size_t count;
	size_t tried;  /* Those that were: an error ends it. */
	size_t placed; /* With a node. */
	enum kube_group_status status;
	bool waits; /* It would fit, once victims are gone. */
};
void kube_workload_try(struct kube *k, uint32_t first);
/* Tries them, and leaves all as it was. preempts: pods that fit nowhere may evict others. False: no memory.
 */
bool kube_workload_attempt(struct kube *k, uint32_t gang, bool preempts, struct kube_group_result *result);

/* ---- kube_workload_preempt.c: preemption by a group -----------------------------------------------------
 */

/* Evicts whom it has to, of the whole cluster, so that the group (pods in the order in which they are tried)
 * fits. False: that does not help. */
bool kube_workload_preempt(struct kube *k, uint32_t gang, const struct kube_group_result *group);

#endif
