/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_times.c - when a job was submitted, started and ended, by its annotations or its status.
 *
 * What is written by hand (annotations schedlab/submit, run-time, cancel) holds; else what the API server and
 * controllers noted: metadata.creationTimestamp, and status of a Job, Pod, JobSet or Workload.
 */
#include "traces/kube/kube_jobs.h"

#include <string.h>

static const char *annotation(const struct sl_object *object, const char *key, struct sl_place *at)
{
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "metadata", "annotations", key);
	if (node)
		*at = sl_doc_place(object->doc, node);
	return manifest_text(object->doc, node);
}

/* A duration; SL_NONE: it is not there. */
static int duration_of(
	const struct sl_object *object, const char *key, sl_time least, sl_time *time, struct sl_err *err)
{
	struct sl_place at;
	const char *text = annotation(object, key, &at);
	*time = SL_NONE;
	if (!text || (sl_get_duration(text, strlen(text), time) && *time >= least))
		return SL_OK;
	return sl_fail_at(
		err, &at, "'%s' must be seconds or a duration, like 90, 15m or 2h, not '%.40s'", key, text);
}

static sl_time time_at(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	sl_time time;
	return kube_time(manifest_text(doc, node), &time) ? time : SL_NONE;
}

/* When it was submitted, as the API server noted. */
static int created(const struct sl_object *object, sl_time *time, struct sl_err *err)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *node = KUBE_AT(doc, object->node, "metadata", "creationTimestamp");
	const char *text = manifest_text(doc, node);
	*time = SL_NONE;
	if (!text || kube_time(text, time))
		return SL_OK;
	const struct sl_place at = sl_doc_place(doc, node);
	return sl_fail_at(err, &at,
		"'creationTimestamp' must be a time in UTC, like 2026-01-05T10:00:00Z, not '%.40s'", text);
}

/* When the condition became True; SL_NONE: it is not. */
static sl_time condition(const struct sl_object *object, const char *type)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *list = KUBE_AT(doc, object->node, "status", "conditions");
	for (const struct sl_doc_node *node = list ? sl_doc_child(doc, list) : NULL; node;
		node = sl_doc_next(doc, node)) {
		const char *is = manifest_text(doc, sl_doc_member(doc, node, "type"));
		const char *status = manifest_text(doc, sl_doc_member(doc, node, "status"));
		if (is && strcmp(is, type) == 0 && status && strcmp(status, "True") == 0)
			return time_at(doc, sl_doc_member(doc, node, "lastTransitionTime"));
	}
	return SL_NONE;
}

/* The last of its containers' ends. */
static sl_time pod_end(const struct sl_object *object)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *list = KUBE_AT(doc, object->node, "status", "containerStatuses");
	sl_time last = SL_NONE;
	for (const struct sl_doc_node *node = list ? sl_doc_child(doc, list) : NULL; node;
		node = sl_doc_next(doc, node)) {
		const sl_time end = time_at(doc, KUBE_AT(doc, node, "state", "terminated", "finishedAt"));
		if (end == SL_NONE)
			return SL_NONE;
		last = end > last ? end : last;
	}
	return last;
}

static sl_time earlier(sl_time a, sl_time b)
{
	if (a == SL_NONE || b == SL_NONE)
		return a == SL_NONE ? b : a;
	return a < b ? a : b;
}

static void recorded_of(const struct sl_object *object, struct kube_times *times)
{
	const struct sl_doc *doc = object->doc;
	times->start = time_at(doc, KUBE_AT(doc, object->node, "status", "startTime"));
	times->end = time_at(doc, KUBE_AT(doc, object->node, "status", "completionTime"));
	if (strcmp(object->kind, "Workload") == 0) {
		times->start = condition(object, "Admitted");
		times->end = condition(object, "Finished");
	}
	if (strcmp(object->kind, "Pod") == 0)
		times->end = pod_end(object);
	const bool spark = strcmp(object->kind, "SparkApplication") == 0;
	if (spark)
		times->start =
			time_at(doc, KUBE_AT(doc, object->node, "status", "lastSubmissionAttemptTime"));
	if (times->end == SL_NONE)
		times->end = time_at(
			doc, KUBE_AT(doc, object->node, "status", spark ? "terminationTime" : "endTime"));
	if (times->end == SL_NONE)
		times->end = earlier(earlier(condition(object, "Complete"), condition(object, "Completed")),
			earlier(condition(object, "Failed"), condition(object, "Succeeded")));
	if (times->start != SL_NONE && times->end != SL_NONE && times->end < times->start)
		times->end = SL_NONE;
}

static int kube_times_limit_of(const struct sl_object *object, sl_time *limit, struct sl_err *err)
{
	static const char key[] = "kueue.x-k8s.io/max-exec-time-seconds";
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *node[] = { KUBE_AT(doc, object->node, "spec", "activeDeadlineSeconds"),
		KUBE_AT(doc, object->node, "spec", "runPolicy", "activeDeadlineSeconds"),
		KUBE_AT(doc, object->node, "spec", "jobTemplate", "spec", "activeDeadlineSeconds"),
		KUBE_AT(doc, object->node, "spec", "maximumExecutionTimeSeconds"),
		KUBE_AT(doc, object->node, "metadata", "labels", key) };
	*limit = SL_NONE;
	for (size_t i = 0; i < SL_LEN(node); i++) {
		const char *text = manifest_text(doc, node[i]);
		int64_t seconds;
		if (!text)
			continue;
		const struct sl_place at = sl_doc_place(doc, node[i]);
		if (!sl_get_i64(text, strlen(text), &seconds) || seconds < 1 || seconds > INT32_MAX)
			return sl_fail_at(err, &at, "a limit must be whole seconds from 1 to %d, not '%.40s'",
				INT32_MAX, text);
		*limit = *limit == SL_NONE ? seconds * SL_SECOND : earlier(*limit, seconds * SL_SECOND);
	}
	return SL_OK;
}

int kube_times_of(const struct sl_object *object, struct kube_times *times, struct sl_err *err)
{
	int status = duration_of(object, "schedlab/submit", 0, &times->submit, err);
	times->dated = times->submit == SL_NONE;
	if (!status && times->dated)
		status = created(object, &times->submit, err);
	recorded_of(object, times);
	if (!status)
		status = duration_of(object, "schedlab/run-time", 1, &times->run, err);
	if (!status && times->run == SL_NONE && times->start != SL_NONE && times->end != SL_NONE)
		times->run = times->end - times->start;
	if (!status)
		status = duration_of(object, "schedlab/cancel", 0, &times->cancel, err);
	return status ? status : kube_times_limit_of(object, &times->limit, err);
}
