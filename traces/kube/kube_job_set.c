/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_job_set.c - a JobSet whose replicated jobs start one after another.
 *
 * kubernetes-sigs/jobset, pkg/controllers (jobset_controller.go, depends_on.go, startup_policy.go): a
 * replicated job is made once each that it dependsOn is Ready (all its jobs have their pods ready, or are
 * over) or Complete (all have succeeded); with startupPolicy InOrder, once the one before it is ready. Ready
 * is here: all pods have nodes. Both at once are refused, as by the webhook.
 *
 * Each replicated job is a job, unless Kueue has the JobSet: then its quota is held as one from the
 * admission on.
 */
#include "traces/kube/kube_made.h"
#include "traces/kube/kube_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RJOBS_MAX = MADE_PODSETS_MAX };

/* One replicated job. */
struct rjob {
	const struct sl_doc_node *node, *depends; /* NULL: on nothing. */
	const char *name;
	int64_t pods;
	struct kube_step *step; /* NULL: it has no pods. */
	sl_time run, start;     /* start: from the JobSet's, if nobody has to wait for nodes. */
};
struct job_set {
	const struct sl_object *object;
	struct rjob rjob[RJOBS_MAX];
	size_t count;
	bool in_order;
	struct sl_err *err;
};

static const struct sl_doc_node *list_of(const struct sl_object *object)
{
	return KUBE_AT(object->doc, object->node, "spec", "replicatedJobs");
}

static bool is_in_order(const struct sl_object *object)
{
	const char *order = manifest_text(object->doc,
		KUBE_AT(object->doc, object->node, "spec", "startupPolicy", "startupPolicyOrder"));
	return order && strcmp(order, "InOrder") == 0;
}

static bool has_queue(const struct sl_object *object)
{
	static const char key[] = "kueue.x-k8s.io/queue-name";
	return KUBE_AT(object->doc, object->node, "metadata", "labels", key) != NULL;
}

bool kube_job_set_is_ordered(const struct sl_object *object)
{
	bool depends = is_in_order(object);
	SL_DOC_EACH (node, object->doc, list_of(object))
		depends |= KUBE_AT(object->doc, node, "dependsOn") != NULL;
	return depends && !has_queue(object);
}

static int fail(const struct job_set *set, const struct sl_doc_node *node, const char *what, const char *name)
{
	const struct sl_place at = sl_doc_place(set->object->doc, node);
	return sl_fail_at(set->err, &at, "JobSet '%.60s': %s '%.60s'", set->object->name, what, name);
}

/* ---- Replicated jobs ---------------------------------------------------------------------------------- */

static int times_of(const struct job_set *set, const struct rjob *rjob, struct kube_times *times)
{
	const struct sl_object job = { .kind = "Job",
		.version = "batch/v1",
		.name = rjob->name,
		.namespace = "",
		.doc = set->object->doc,
		.node = KUBE_AT(set->object->doc, rjob->node, "template") };
	*times = (struct kube_times){ .run = SL_NONE, .limit = SL_NONE };
	return job.node ? kube_times_of(&job, times, set->err)
			: fail(set, rjob->node, "there is no template in the replicated job", rjob->name);
}

static int pods_of(struct job_set *set, struct rjob *rjob)
{
	struct kube_making m = { .object = set->object, .err = set->err };
	const struct sl_doc_node *spec = KUBE_AT(set->object->doc, rjob->node, "template", "spec");
	int64_t replicas, parallelism;
	int status = made_number(&m, rjob->node, "replicas", 1, &replicas);
	if (!status)
		status = made_number(&m, spec, "parallelism", 1, &parallelism);
	rjob->pods = status ? 0 : replicas * parallelism;
	return status;
}

static bool is_called_before(const struct job_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->rjob[i].name, name) == 0)
			return true;
	return false;
}

static int rjobs_in(struct job_set *set)
{
	const struct sl_doc *doc = set->object->doc;
	int status = SL_OK;
	SL_DOC_EACH (node, doc, list_of(set->object)) {
		struct rjob *rjob = &set->rjob[set->count];
		struct kube_times times;
		const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
		if (set->count == RJOBS_MAX)
			return fail(set, node, "too many replicated jobs, from", name ? name : "");
		*rjob = (struct rjob){
			.node = node, .depends = KUBE_AT(doc, node, "dependsOn"), .name = name ? name : "main"
		};
		status = pods_of(set, rjob);
		if (!status)
			status = times_of(set, rjob, &times);
		if (!status && is_called_before(set, rjob->name))
			status = fail(set, node, "two replicated jobs have the name", rjob->name);
		if (!status && rjob->depends && set->in_order)
			status = fail(set, rjob->depends,
				"startupPolicy InOrder goes without dependsOn: leave out either, of",
				rjob->name);
		if (status)
			return status;
		rjob->run = times.run;
		set->count++;
	}
	return SL_OK;
}

/* One of those before it, as the webhook demands. */
static int find_before(const struct job_set *set, const struct rjob *rjob, const struct sl_doc_node *depends,
	const struct rjob **found, bool *started)
{
	const struct sl_doc *doc = set->object->doc;
	const char *name = manifest_text(doc, sl_doc_member(doc, depends, "name"));
	const struct sl_doc_node *node = sl_doc_member(doc, depends, "status");
	const char *status = manifest_text(doc, node);
	if (!status || (strcmp(status, "Ready") != 0 && strcmp(status, "Complete") != 0))
		return fail(set, node ? node : depends, "the status of dependsOn is Ready or Complete, not",
			status ? status : "");
	*started = strcmp(status, "Ready") == 0;
	for (*found = set->rjob; *found < rjob; ++*found)
		if (name && strcmp((*found)->name, name) == 0)
			return SL_OK;
	return fail(set, depends, "dependsOn names no replicated job before it:", name ? name : "");
}

/* Calls `on` for all that it comes after. */
static int each_before(struct job_set *set, struct rjob *rjob,
	void (*on)(struct rjob *rjob, const struct rjob *other, bool started))
{
	const struct rjob *other = NULL;
	bool started = true;
	const struct rjob *last =
		rjob; /* The next one is made once this one is, and one without pods is at once. */
	while (set->in_order && last > set->rjob && !(--last)->pods)
		;
	if (last < rjob && last->pods)
		on(rjob, last, true);
	SL_DOC_EACH (depends, set->object->doc, rjob->depends) {
		const int status = find_before(set, rjob, depends, &other, &started);
		if (status)
			return status;
		on(rjob, other, started);
	}
	return SL_OK;
}

/* ---- One job ------------------------------------------------------------------------------------------ */

static void start_later(struct rjob *rjob, const struct rjob *other, bool started)
{
	const sl_time at = other->pods ? other->start + (started ? 0 : other->run) : 0;
	rjob->start = at > rjob->start ? at : rjob->start;
}

int kube_job_set_run(const struct sl_object *object, sl_time *run, struct sl_err *err)
{
	struct job_set set = { .object = object, .in_order = is_in_order(object), .err = err };
	sl_time last = 0;
	int status = rjobs_in(&set);
	*run = SL_NONE;
	for (size_t i = 0; i < set.count && !status; i++) {
		struct rjob *rjob = &set.rjob[i];
		if (!rjob->pods)
			continue;
		if (rjob->run == SL_NONE)
			return SL_OK;
		status = each_before(&set, rjob, start_later);
		last = rjob->start + rjob->run > last ? rjob->start + rjob->run : last;
	}
	if (!status && last)
		*run = last;
	return status;
}

/* ---- Several ------------------------------------------------------------------------------------------ */

/* Without pods it is ready and complete at once. */
static void step_later(struct rjob *rjob, const struct rjob *other, bool started)
{
	if (other->step)
		kube_step_after(rjob->step, other->step, started, 0);
}

/* The JobSet with this one alone, called as its jobs are. */
static int write_step(const struct job_set *set, const struct rjob *rjob, const char *name)
{
	const struct sl_doc *doc = set->object->doc;
	const struct sl_doc_node *metadata = KUBE_AT(doc, set->object->node, "metadata");
	const struct sl_doc_node *own = KUBE_AT(doc, metadata, "name");
	struct manifest_text text = { .text = NULL }, called = { .text = NULL }, one = { .text = NULL };
	const struct sl_object at = { .doc = doc, .node = rjob->node };
	kube_put_string(&called, name);
	kube_put(&one, "[", 1);
	kube_put_object(&one, doc, rjob->node);
	kube_put(&one, "]", 1);
	const struct kube_change change[] = { { list_of(set->object), one.text },
		{ own ? own : KUBE_AT(doc, metadata, "generateName"), called.text }, { NULL, NULL } };
	if (!one.failed && !called.failed)
		kube_put_changed(&text, doc, set->object->node, change);
	const int status = text.failed || one.failed || called.failed
				   ? sl_fail_memory(set->err)
				   : kube_written_read(text.text, text.len, &at, &rjob->step->file, set->err);
	free(text.text);
	free(called.text);
	free(one.text);
	return status;
}

/* By the annotation: the status has it of the whole. */
static bool says_run(const struct sl_object *object)
{
	return KUBE_AT(object->doc, object->node, "metadata", "annotations", "schedlab/run-time") != NULL;
}

static int step_of(struct job_set *set, struct rjob *rjob, const char *stem, const struct kube_times *all,
	struct kube_steps *steps)
{
	struct kube_times times;
	rjob->step = kube_steps_add(steps, set->object, set->err);
	if (!rjob->step)
		return set->err->status;
	(void)snprintf(rjob->step->id, sizeof(rjob->step->id), "%.*s-%.*s", KUBE_NAME_MAX * 2 - 40, stem, 63,
		rjob->name);
	const char *name = strrchr(rjob->step->id, '/');
	int status = write_step(set, rjob, name ? name + 1 : rjob->step->id);
	if (!status)
		status = times_of(set, rjob, &times);
	if (!status)
		status = each_before(set, rjob, step_later);
	if (!status && rjob->step->after.failed)
		status = sl_fail_memory(set->err);
	rjob->step->times = *all;
	rjob->step->times.start = rjob->step->times.end = SL_NONE; /* Of all of it. */
	rjob->step->times.run = rjob->run != SL_NONE || !says_run(set->object) ? rjob->run : all->run;
	rjob->step->times.limit = times.limit;
	return status;
}

int kube_job_set_steps(
	const struct sl_object *object, size_t number, struct kube_steps *steps, struct sl_err *err)
{
	struct job_set set = { .object = object, .in_order = is_in_order(object), .err = err };
	struct kube_times all;
	char stem[KUBE_STEP_ID_MAX];
	int status = rjobs_in(&set);
	if (!status)
		status = kube_times_of(object, &all, err);
	kube_steps_stem(object, number, stem);
	for (size_t i = 0; i < set.count && !status; i++)
		if (set.rjob[i].pods)
			status = step_of(&set, &set.rjob[i], stem, &all, steps);
	return status;
}
