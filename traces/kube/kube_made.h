/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made.h - kinds whose controllers make pods, written as Workloads with the podsets that they would
 * make.
 *
 * Each kind is known by its API group, and read in versions that are listed (kube_made.c). What is written is
 * JSON; it is read as any other Workload.
 */
#ifndef SL_KUBE_MADE_H
#define SL_KUBE_MADE_H

#include "traces/kube/kube_jobs.h"

enum { MADE_PODS_MAX = 1000000, MADE_PODSETS_MAX = 64 };

/* An object while its podsets are written. */
struct kube_making {
	const struct sl_object *object; /* Of an AppWrapper's component: that. */
	const struct kube_file *file;   /* What it names is sought there. */
	struct manifest_text podsets;   /* Of spec.podSets, without brackets. */
	uint32_t count;
	int64_t pods;       /* In all. */
	int64_t least;      /* So many start together, for KAI; 0: each by itself. */
	const char *called; /* Podsets are called so, and by their number; NULL: by their own names. */
	struct sl_err *err;
};

/* ---- kube_made.c -------------------------------------------------------------------------------------- */

enum kube_made_as {
	MADE_NOT,  /* It is no kind of these. */
	MADE_ONE,  /* A job. */
	MADE_EACH, /* A job for each of `spec.replicas` pods. */
	MADE_CRON, /* A job for each time of its schedule. */
	MADE_STEPS /* A job for each of its pods, one after another (kube_steps.h). */
};
enum kube_made_as kube_made_of(const struct sl_object *object);
/* That its version is one of those that are read. */
int kube_made_check(const struct sl_object *object, struct sl_err *err);
/* By its first word alone, for sniffing. */
bool kube_made_has(const char *kind);
/* Not read, and why; NULL: it is not one of these. */
const char *kube_made_refused(const struct sl_object *object);
/* Services, ConfigMaps and the like. */
bool kube_has_no_pods(const char *kind);
/* Its Workload; of MADE_EACH that of one pod, of MADE_CRON that of one time. Released whatever happens. */
int kube_made_make(const struct sl_object *object, const struct kube_file *file, struct kube_file *made,
	struct sl_err *err);
/* The podsets of an object of a kind of the table; SL_INPUT: it is none. */
int kube_made_podsets(struct kube_making *m, const struct sl_object *object);

int made_fail(struct kube_making *m, const struct sl_doc_node *node, const char *format, ...) SL_PRINTF(3, 4);
/* A whole number from 0 to MADE_PODS_MAX. */
int made_number(struct kube_making *m, const struct sl_doc_node *map, const char *key, int64_t otherwise,
	int64_t *number);
/* name: lower case is made of it. */
int made_podset(struct kube_making *m, const char *name, int64_t count, const struct sl_doc_node *template);
/* The same with a template that was written here. */
int made_podset_text(
	struct kube_making *m, const char *name, int64_t count, const struct manifest_text *template);
void made_put(struct manifest_text *text, const char *more);
/* The map, but for these members (closed by NULL), up to where its next member would begin: "{..., ". */
void made_put_open(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *map,
	const char *const *but);
/* "key": the node, and a comma; nothing of NULL. */
void made_put_member(struct manifest_text *text, const struct sl_doc *doc, const char *key,
	const struct sl_doc_node *node);

/* ---- kube_made_core.c: Deployments, StatefulSets, ReplicaSets, CronJobs, and what an AppWrapper has --- */

int made_job(struct kube_making *m);
int made_job_set(struct kube_making *m);
int made_pod(struct kube_making *m);
int made_replicas(struct kube_making *m);    /* As many pods as replicas. */
int made_one_replica(struct kube_making *m); /* One of them. */
int made_cron_job(struct kube_making *m);
int made_app_wrapper(struct kube_making *m);

/* ---- kube_made_train.c: the kinds of Kubeflow's training operator and trainer, and Volcano's Job ----- */

int made_replica_specs(struct kube_making *m);
int made_volcano(struct kube_making *m);
int made_train_job(struct kube_making *m);

/* ---- kube_made_ray.c, kube_made_spark.c ---------------------------------------------------------------- */

int made_ray_job(struct kube_making *m);
int made_ray_cluster(struct kube_making *m);
int made_ray_service(struct kube_making *m);
int made_spark(struct kube_making *m);

/* ---- kube_cron.c: a schedule as times -------------------------------------------------------------- */

enum { CRON_TIMES_MAX = 100000 };
/* The times from `from` (not before) up to `until`, in microseconds since 1970, in UTC; at most
 * CRON_TIMES_MAX. malloc. False: it is no schedule. */
bool kube_cron_times(const char *schedule, sl_time from, sl_time until, sl_time **time, size_t *count);

#endif
