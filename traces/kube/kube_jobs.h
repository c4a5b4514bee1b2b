/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_jobs.h - objects as jobs: what kube_jobs.c, kube_owners.c, kube_groups.c, kube_runai.c,
 * kube_made.c and kube_times.c share.
 */
#ifndef SL_KUBE_JOBS_H
#define SL_KUBE_JOBS_H

#include "traces/kube/manifests.h"

/* SL_NONE: not known. */
struct kube_times {
	sl_time submit;
	bool dated;         /* Since 1970, not since the trace's zero; */
	sl_time start, end; /* these always are. */
	sl_time run, limit;
	sl_time cancel; /* After its submission. */
};
int kube_times_of(const struct sl_object *object, struct kube_times *times, struct sl_err *err);

/* ---- kube_owners.c: which objects are another's ------------------------------------------------------- */

struct kube_owners {
	const struct kube_file *file;
	const struct sl_object **by_name;
	size_t count;
};
int kube_owners_make(struct kube_owners *owners, const struct kube_file *file, struct sl_err *err);
void kube_owners_release(struct kube_owners *owners);
/* NULL: it is not in the file. kind: as kube_file.c calls it. */
const struct sl_object *kube_owners_find(
	const struct kube_owners *owners, const char *kind, const char *namespace, const char *name);
/* The nearest owner that is in the file; NULL: none is. */
const struct sl_object *kube_owner_of(const struct kube_owners *owners, const struct sl_object *object);
/* Of another one of the file, whose job it is then; or of a DaemonSet. */
bool kube_is_owned(const struct kube_owners *owners, const struct sl_object *object);
/* Jobs of a CronJob are in the file: it need not make any. */
bool kube_owns_jobs(const struct kube_owners *owners, const struct sl_object *cron);
bool kube_is_suspended_cron(const struct sl_object *object);

/* ---- kube_shares.c: KAI's shares of GPUs, and slices ------------------------------------------------- */

void kube_shares_of(const struct sl_podset *podset, struct sl_row_group *group);

/* ---- kube_groups.c: Pods of one group as one Workload ----------------------------------------------- */

struct kube_pod {
	const struct sl_object *object;
	const char *group;
	const struct sl_object *pod_group; /* KAI's; NULL: it is a group of Kueue's. */
	struct kube_times times;
};
struct kube_group {
	struct kube_file file; /* The Workload. */
	struct kube_times times;
	const struct sl_object *made_of; /* NULL: of Pods. */
};
/* The name of its group; NULL: it is in none. */
const char *kube_group_of(const struct sl_object *object);
/* That of its KAI PodGroup (annotation pod-group-name). */
const char *kube_pod_group_of(const struct sl_object *object);
/* Of all pods of one group, in the order of the file. The group's file is released whatever happens. */
int kube_group_make(const struct kube_pod *pod, size_t count, struct kube_group *group, struct sl_err *err);

/* ---- kube_runai.c: Run:AI's workloads as Workloads --------------------------------------------------- */

bool kube_runai_has(const char *kind);
bool kube_runai_is(const struct sl_object *object);
/* A template for others, not a job. */
bool kube_runai_is_template(const struct sl_object *object);
int kube_runai_make(const struct sl_object *object, struct kube_group *group, struct sl_err *err);

#endif
