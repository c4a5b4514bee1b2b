/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_steps.h - objects whose pods come one after another: JobSets in order, and Workflows of Argo.
 *
 * Each of their steps is a job, with what it comes after as a dependency by the jobs' ids, which the engine
 * follows (SL_USE_DEPENDENCIES). A step's object is written as JSON and read as any other.
 */
#ifndef SL_KUBE_STEPS_H
#define SL_KUBE_STEPS_H

#include "traces/kube/kube_jobs.h"

enum { KUBE_STEPS_MAX = 100000, KUBE_STEP_ID_MAX = 2 * KUBE_NAME_MAX + 40 };

struct kube_step {
	struct kube_file file; /* Its object. */
	struct kube_times times;
	char id[KUBE_STEP_ID_MAX];
	struct manifest_text after; /* "afterok:ns/a+30s,after:ns/b"; of no text: nothing. */
	int64_t most;               /* So many of the object's steps run at a time; 0: any number. */
};
struct kube_steps {
	struct kube_step **step;
	size_t count, capacity;
	bool makes; /* Some step makes objects of its own, which nobody sees here. */
};
/* Zeroed, at the end; NULL: the error is set. */
struct kube_step *kube_steps_add(
	struct kube_steps *steps, const struct sl_object *object, struct sl_err *err);
void kube_steps_release(struct kube_steps *steps);
/* It comes once that one has started, or ended well, and `delay` later. */
void kube_step_after(struct kube_step *step, const struct kube_step *other, bool started, sl_time delay);
/* Namespace and name of the object as its jobs are called; number: of the object in its file, from 1. */
void kube_steps_stem(const struct sl_object *object, size_t number, char stem[KUBE_STEP_ID_MAX]);

/* ---- kube_job_set.c ----------------------------------------------------------------------------------- */

/* It says in which order its replicated jobs start. */
bool kube_job_set_is_ordered(const struct sl_object *object);
/* Of one that has a queue, or no order, which is one job: how long it runs, if each of its replicated jobs
 * says that of itself. */
int kube_job_set_run(const struct sl_object *object, sl_time *run, struct sl_err *err);
int kube_job_set_steps(
	const struct sl_object *object, size_t number, struct kube_steps *steps, struct sl_err *err);

/* ---- kube_argo.c ---------------------------------------------------------------------------------- */

int kube_argo_steps(const struct sl_object *object, size_t number, const struct kube_owners *owners,
	struct kube_steps *steps, struct sl_err *err);

#endif
