/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_jobs.c - a trace of manifests: Workloads, Jobs, JobSets, LeaderWorkerSets, Pods, Run:AI's workloads
 * (kube_runai.c), and kinds whose controllers make pods (kube_made.c) as jobs.
 *
 * An object that is owned by another of the file (the Workload of a Job, the Pods of a JobSet) is not a job
 * of its own (kube_owners.c), nor are DaemonSets' pods. Pods of a group are one (kube_groups.c). Each group
 * of a LeaderWorkerSet is a job, and each time of a CronJob. Whatever else the manifest says goes along with
 * the job, for policies; its groups (cpu, memory, GPUs of NVIDIA and AMD) are for those that know nothing of
 * Kubernetes.
 */
#include "traces/kube/kube_jobs.h"

#include "traces/kube/kube_made.h"
#include "traces/kube/kube_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_SNIFFED: of so many first bytes there may be more behind. */
enum { KIND_CAPACITY = 40, MOST_SNIFFED = 128 * 1024, GROUPS_MAX = 64, REPLICAS_MAX = 1000000 };
#define MIB (INT64_C(1) << 20)

/* One job: an object, or a group of one. */
struct job {
	const struct sl_object *object;
	const struct sl_object *written; /* In the file: it, or the first of the Pods that it was made of. */
	struct kube_times times;
	int64_t replica;              /* -1: it is not one of several. */
	const struct kube_step *step; /* NULL: it is none. */
	size_t number;                /* Of the step. */
};

struct reading {
	struct kube_file file;
	struct job *job;
	size_t count, capacity;
	struct kube_owners owners;
	struct kube_pod *pod; /* Of groups. */
	size_t pods;
	struct kube_group *group;
	size_t groups;
	struct kube_steps steps;
	struct manifest_text manifest;
	const struct sl_sink *sink;
	struct sl_err *err;
	struct kube_reported reported;
	const struct sl_object
		*idle; /* A CronJob of whose schedule there was no time; NULL: there is none. */
	bool dated;
};

/* ---- Jobs ------------------------------------------------------------------------------------------- */

static int job_add(struct reading *r, const struct job *job)
{
	if (SL_GROW(r->job, r->capacity, r->count + 1, r->err))
		return SL_SYSTEM;
	r->job[r->count++] = *job;
	return SL_OK;
}

static int replicas_of(const struct reading *r, const struct sl_object *object, int64_t *count)
{
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "spec", "replicas");
	const char *text = manifest_text(object->doc, node);
	*count = 1;
	if (!text || (sl_get_i64(text, strlen(text), count) && *count >= 0 && *count <= REPLICAS_MAX))
		return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, node);
	return sl_fail_at(r->err, &at, "'replicas' must be a whole number from 0 to %d, not '%.40s'",
		REPLICAS_MAX, text);
}

/* There is one of another API group. */
static bool is_foreign(const struct reading *r, const char *kind, const char *namespace, const char *name)
{
	const size_t len = strlen(kind);
	for (size_t i = 0; i < r->file.count; i++) {
		const struct sl_object *object = &r->file.object[i];
		if (strncmp(object->kind, kind, len) == 0 && object->kind[len] == '.' &&
			strcmp(object->namespace, namespace) == 0 && strcmp(object->name, name) == 0)
			return true;
	}
	return false;
}

/* The PodGroup of KAI's that the pod names; it is in the file. */
static int pod_group_of(struct reading *r, const struct sl_object *object, const struct sl_object **group)
{
	const char *name = kube_pod_group_of(object);
	const struct sl_object *found =
		name ? kube_owners_find(&r->owners, "PodGroup", object->namespace, name) : NULL;
	*group = NULL;
	if (!name || (!found && is_foreign(r, "PodGroup", object->namespace, name)))
		return SL_OK;
	*group = found;
	if (found)
		return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	return sl_fail_at(r->err, &at,
		"the pod '%.60s' is of the PodGroup '%.60s', which is not there: add it", object->name, name);
}

/* Run:AI's are rewritten; templates are no jobs. */
static int runai_in(struct reading *r, const struct sl_object *object)
{
	SL_CHECK(r->group); /* Memory for all objects of the file. */
	struct kube_group *group = &r->group[r->groups];
	if (kube_runai_is_template(object) || kube_is_owned(&r->owners, object))
		return SL_OK;
	r->groups++;
	const int status = kube_runai_make(object, group, r->err);
	return status ? status
		      : job_add(r, &(struct job){ .object = group->file.object,
					   .written = object,
					   .times = group->times,
					   .replica = -1 });
}

/* Written as a Workload, of which there are as many as it has replicas, or one. Those of a CronJob come once
 * all others are known. */
static int made_in(struct reading *r, const struct sl_object *object, enum kube_made_as as)
{
	SL_CHECK(r->group); /* Memory for all objects of the file. */
	struct kube_group *group = &r->group[r->groups];
	int64_t replicas = 1;
	if (kube_is_owned(&r->owners, object) || kube_is_suspended_cron(object))
		return SL_OK;
	r->groups++;
	group->made_of = object;
	int status = kube_made_make(object, &r->file, &group->file, r->err);
	if (!status)
		status = kube_times_of(object, &group->times, r->err);
	struct job job = {
		.object = group->file.object, .written = object, .times = group->times, .replica = -1
	};
	if (!status && as == MADE_EACH)
		status = replicas_of(r, object, &replicas);
	if (status || as == MADE_CRON)
		return status;
	for (job.replica = as == MADE_EACH ? 0 : -1; replicas > 0 && !status; replicas--) {
		status = job_add(r, &job);
		job.replica++;
	}
	return status;
}

/* Pods that come one after another: a job for each step. */
static int steps_in(struct reading *r, const struct sl_object *object,
	int (*make)(struct reading *r, const struct sl_object *object, size_t number))
{
	const size_t first = r->steps.count;
	if (kube_is_owned(&r->owners, object))
		return SL_OK;
	int status = make(r, object, (size_t)(object - r->file.object) + 1);
	for (size_t i = first; i < r->steps.count && !status; i++) {
		const struct kube_step *step = r->steps.step[i];
		status = job_add(r, &(struct job){ step->file.object, object, step->times, -1, step, i });
	}
	return status;
}

static int job_set_in(struct reading *r, const struct sl_object *object, size_t number)
{
	return kube_job_set_steps(object, number, &r->steps, r->err);
}

/* What its resource templates make may be all the work there is. */
static int workflow_in(struct reading *r, const struct sl_object *object, size_t number)
{
	char text[KUBE_STEP_ID_MAX + 200], stem[KUBE_STEP_ID_MAX];
	r->steps.makes = false;
	const int status = kube_argo_steps(object, number, &r->owners, &r->steps, r->err);
	if (status || !r->steps.makes || !r->sink->ignored)
		return status;
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	kube_steps_stem(object, number, stem);
	(void)snprintf(text, sizeof(text),
		"Workflow '%s': what its resource templates create is no job of this file: give its manifests, too",
		stem);
	return r->sink->ignored(r->sink->self, text, &at, r->err);
}

static int refuse(struct reading *r, const struct sl_object *object)
{
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	return sl_fail_at(r->err, &at, "%s '%.60s' is not read: %s", object->kind, object->name,
		kube_made_refused(object));
}

/* Each kind once, where it stands first. Who says nothing of these may think that they ran. */
static int foreign_in(const struct reading *r, const struct sl_object *object)
{
	char text[400];
	for (const struct sl_object *before = r->file.object; before < object; before++)
		if (strcmp(before->kind, object->kind) == 0)
			return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	const char *why = "its kind is not read";
	if (strcmp(object->kind, KUBE_POD_GROUP) == 0 || strcmp(object->kind, KUBE_POD_GROUP_SIGS) == 0)
		why = "it goes along with the pods that name it, and policy kube follows it";
	else if (strchr(object->kind, '.'))
		why = "the kind of that name that is read is of another API group";
	else if (strcmp(object->kind, "DaemonSet") == 0)
		why = "its pods are left out: take what they request off status.allocatable";
	(void)snprintf(text, sizeof(text), "%.200s: no job; %s", object->kind, why);
	return r->sink->ignored ? r->sink->ignored(r->sink->self, text, &at, r->err) : SL_OK;
}

/* A PodGroup of scheduling.k8s.io goes along with its pods, which policy kube reads as no place in a file. */
static int pod_group_check(const struct reading *r, const struct sl_object *object)
{
	const struct sl_doc_node *policy = KUBE_AT(object->doc, object->node, "spec", "schedulingPolicy");
	const struct sl_doc_node *gang = sl_doc_member(object->doc, policy, "gang");
	const bool basic = sl_doc_member(object->doc, policy, "basic") != NULL;
	const char *text = manifest_text(object->doc, sl_doc_member(object->doc, gang, "minCount"));
	int64_t min;
	if (!policy || strcmp(object->kind, KUBE_POD_GROUP) != 0)
		return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, gang ? gang : policy);
	if ((gang != NULL) == basic)
		return sl_fail_at(r->err, &at, "schedulingPolicy is either basic or gang: say one of them");
	if (gang && (!text || !sl_get_i64(text, strlen(text), &min) || min < 1))
		return sl_fail_at(r->err, &at,
			"schedulingPolicy.gang has to say minCount, a number of pods of 1 or more");
	return SL_OK;
}

static int object_in(struct reading *r, const struct sl_object *object)
{
	struct job job = { .object = object, .written = object, .replica = -1 };
	const char *group = kube_group_of(object);
	const struct sl_object *pod_group = NULL;
	int64_t replicas = 1;
	const enum kube_made_as as = kube_made_of(object);
	if (pod_group_check(r, object))
		return r->err->status;
	if (as == MADE_STEPS)
		return steps_in(r, object, workflow_in);
	if (as)
		return made_in(r, object, as);
	if (kube_made_refused(object) && !kube_is_owned(&r->owners, object))
		return refuse(r, object);
	if (strchr(object->kind, '.') ||
		(!kube_kind_in(object->kind, object->version) && !kube_has_no_pods(object->kind)))
		return foreign_in(r, object);
	if (kube_runai_is(object))
		return runai_in(r, object);
	if (!sl_pods_has(object->kind) || kube_is_owned(&r->owners, object))
		return SL_OK;
	const bool set = strcmp(object->kind, "JobSet") == 0;
	if (set && kube_job_set_is_ordered(object))
		return steps_in(r, object, job_set_in);
	int status = kube_times_of(object, &job.times, r->err);
	if (!status && set && job.times.run == SL_NONE)
		status = kube_job_set_run(object, &job.times.run, r->err);
	if (!status && !group)
		status = pod_group_of(r, object, &pod_group);
	if (!status && (group || pod_group)) {
		SL_CHECK(r->pod); /* Memory for all objects of the file. */
		r->pod[r->pods++] =
			(struct kube_pod){ object, group ? group : pod_group->name, pod_group, job.times };
		return SL_OK;
	}
	if (status || strcmp(object->kind, "LeaderWorkerSet") != 0)
		return status ? status : job_add(r, &job);
	status = replicas_of(r, object, &replicas);
	for (job.replica = 0; job.replica < replicas && !status; job.replica++)
		status = job_add(r, &job);
	return status;
}

/* ---- CronJobs ---------------------------------------------------------------------------------------- */

/* What is not followed is told, once each. */
static int cron_told(struct reading *r, const struct sl_object *object)
{
	char text[300];
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "spec", "concurrencyPolicy");
	const char *policy = manifest_text(object->doc, node);
	if (!policy || strcmp(policy, "Allow") == 0 || !r->sink->ignored)
		return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, node);
	(void)snprintf(text, sizeof(text),
		"CronJob '%.60s': concurrencyPolicy %.20s is not followed: a job comes at each time, as with Allow",
		object->name, policy);
	return r->sink->ignored(r->sink->self, text, &at, r->err);
}

static int check_zone(struct reading *r, const struct sl_object *object)
{
	static const char *const utc[] = { "UTC", "Etc/UTC", "Etc/GMT", "GMT" };
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "spec", "timeZone");
	const char *zone = manifest_text(object->doc, node);
	if (!zone)
		return SL_OK;
	for (size_t i = 0; i < SL_LEN(utc); i++)
		if (strcmp(zone, utc[i]) == 0)
			return SL_OK;
	const struct sl_place at = sl_doc_place(object->doc, node);
	return sl_fail_at(r->err, &at,
		"CronJob '%.60s': the time zone '%.40s' is not known: give the schedule in UTC", object->name,
		zone);
}

/* When the others are submitted; SL_NONE: there are none. */
struct range {
	sl_time first, last;
	bool dated;
};

/* A job for each time from the first submission of the others (or its own, if that is later) to the last, for
 * a day at least. Its number is the minute since 1970, as Kubernetes has it. */
static int cron_in(struct reading *r, const struct kube_group *group, const struct sl_object *object,
	const struct range *others)
{
	struct job job = {
		.object = group->file.object, .written = object, .times = group->times, .replica = -1
	};
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "spec", "schedule");
	const char *schedule = manifest_text(object->doc, node);
	sl_time *time = NULL;
	size_t count = 0;
	const sl_time own = job.times.submit == SL_NONE ? 0 : job.times.submit;
	const sl_time from = others->first > own ? others->first : own; /* SL_NONE is before all. */
	const sl_time day = from + 86400 * SL_SECOND;
	job.times.dated = others->dated || (job.times.dated && job.times.submit != SL_NONE);
	int status = cron_told(r, object);
	if (!status)
		status = check_zone(r, object);
	const bool good = !status && kube_cron_times(schedule ? schedule : "", from,
					     others->last > day ? others->last : day, &time, &count);
	const struct sl_place at = sl_doc_place(object->doc, node ? node : object->node);
	if (good && count == CRON_TIMES_MAX)
		status = sl_fail_at(r->err, &at,
			"CronJob '%.60s': up to the last submission of the file are %d times or more: give a file of a shorter time",
			object->name, CRON_TIMES_MAX);
	if (good && !count)
		r->idle = object;
	for (size_t i = 0; i < count && !status; i++) {
		job.times.submit = time[i];
		job.replica = time[i] / (60 * SL_SECOND);
		status = job_add(r, &job);
	}
	free(time);
	return status || good
		       ? status
		       : sl_fail_at(r->err, &at,
				 "CronJob '%.60s': '%.60s' is no schedule: give five fields, as '0 3 * * *'",
				 object->name, schedule ? schedule : "");
}

static int crons_in(struct reading *r)
{
	struct range others = { SL_NONE, SL_NONE, false };
	size_t of = 0;
	int status = SL_OK;
	for (size_t i = 0; i < r->count; i++) {
		const sl_time at = r->job[i].times.submit;
		if (at == SL_NONE)
			continue;
		others.first = others.first == SL_NONE || at < others.first ? at : others.first;
		others.last = at > others.last ? at : others.last;
		others.dated |= r->job[i].times.dated;
	}
	for (size_t i = 0; i < r->file.count && !status; i++) {
		const struct sl_object *object = &r->file.object[i];
		if (kube_made_of(object) != MADE_CRON || kube_is_owned(&r->owners, object) ||
			kube_is_suspended_cron(object))
			continue;
		while (of < r->groups && r->group[of].made_of != object)
			of++;
		SL_CHECK(of < r->groups); /* They were made in the order of the file. */
		if (!kube_owns_jobs(&r->owners, object))
			status = cron_in(r, &r->group[of], object, &others);
	}
	return status;
}

/* ---- Groups of Pods ------------------------------------------------------------------------------------ */

static bool is_same_group(const struct kube_pod *a, const struct kube_pod *b)
{
	return a->pod_group == b->pod_group && strcmp(a->object->namespace, b->object->namespace) == 0 &&
	       strcmp(a->group, b->group) == 0;
}

static int compare_pods(const void *a, const void *b)
{
	const struct kube_pod *x = a;
	const struct kube_pod *y = b;
	int order = strcmp(x->object->namespace, y->object->namespace);
	order = order ? order : strcmp(x->group, y->group);
	order = order ? order : (x->pod_group != NULL) - (y->pod_group != NULL);
	return order ? order : (x->object > y->object) - (x->object < y->object);
}

static int groups_in(struct reading *r)
{
	int status = SL_OK;
	if (!r->pod || !r->pods || !r->group)
		return SL_OK;
	qsort(r->pod, r->pods, sizeof(*r->pod), compare_pods);
	for (size_t i = 0, next; i < r->pods && !status; i = next) {
		struct kube_group *group = &r->group[r->groups++];
		for (next = i + 1; next < r->pods && is_same_group(&r->pod[i], &r->pod[next]);)
			next++;
		status = kube_group_make(&r->pod[i], next - i, group, r->err);
		if (!status)
			status = job_add(r, &(struct job){ .object = group->file.object,
						    .written = r->pod[i].object,
						    .times = group->times,
						    .replica = -1 });
	}
	return status;
}

/* All by dates, or all by seconds; manifests that were never submitted all come at zero. */
static int same_clock(struct reading *r)
{
	const struct job *dated = NULL;
	const struct job *other = NULL;
	for (size_t i = 0; i < r->count; i++) {
		struct kube_times *times = &r->job[i].times;
		if (times->dated && times->submit != SL_NONE)
			dated = dated ? dated : &r->job[i];
		else
			other = other ? other : &r->job[i];
	}
	r->dated = dated;
	for (size_t i = 0; i < r->count && !dated; i++)
		if (r->job[i].times.submit == SL_NONE)
			r->job[i].times.submit = 0;
	if (!dated || !other)
		return SL_OK;
	const struct sl_place at = sl_doc_place(other->written->doc, other->written->node);
	return sl_fail_at(r->err, &at,
		"%s '%.60s' has no date, others do (metadata.creationTimestamp): give all of them one, or all "
		"the annotation schedlab/submit in seconds",
		other->written->kind, other->written->name);
}

/* By submission; at one instant in the order of the file. */
static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a;
	const struct job *y = b;
	if (x->times.submit != y->times.submit)
		return x->times.submit < y->times.submit ? -1 : 1;
	if (x->written != y->written)
		return x->written < y->written ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->replica > y->replica) - (x->replica < y->replica);
}

/* ---- Groups ------------------------------------------------------------------------------------------- */

static int64_t kube_jobs_amount_of(const struct sl_podset *podset, const char *resource)
{
	for (uint32_t i = 0; i < podset->request.count; i++)
		if (strcmp(podset->request.at[i].resource, resource) == 0)
			return podset->request.at[i].amount;
	return 0;
}

/* A pod that requests no cpus gets the least that there is. */
static void kube_jobs_group_of(const struct sl_podset *podset, struct sl_row_group *group)
{
	const int64_t nvidia = kube_jobs_amount_of(podset, "nvidia.com/gpu");
	const int64_t gpus = nvidia ? nvidia : kube_jobs_amount_of(podset, "amd.com/gpu");
	const int64_t cpu = kube_jobs_amount_of(podset, "cpu");
	const int64_t mem = kube_jobs_amount_of(podset, "memory");
	const bool whole = cpu && cpu % 1000 == 0;
	const char *type = sl_label_of(&podset->node_selector, "nvidia.com/gpu.product");
	*group = (struct sl_row_group){ .tasks = podset->count,
		SL_ROW_GROUP_NOTHING,
		.cpus = whole ? cpu / 1000
			: cpu ? cpu
			      : 1,
		.mem = mem / MIB + (mem % MIB > 0),
		.gpus = whole || gpus > INT32_MAX ? gpus : gpus * 1000,
		.gpu_type = gpus ? type : NULL,
		.parts = whole ? 1 : 1000,
		.gpu_mem = SL_NONE };
	kube_shares_of(podset, group);
}

static int groups_of(const struct reading *r, const struct job *job, const struct sl_pods *pods,
	struct sl_row_group group[GROUPS_MAX], struct sl_row_attributes *more)
{
	const struct sl_place at = sl_doc_place(job->written->doc, job->written->node);
	for (uint32_t i = 0; i < pods->count; i++) {
		if (!pods->podset[i].count)
			continue;
		if (more->group_count == GROUPS_MAX)
			return sl_fail_at(r->err, &at, "more than %d podsets", GROUPS_MAX);
		kube_jobs_group_of(&pods->podset[i], &group[more->group_count++]);
	}
	more->group = group;
	return SL_OK;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

/* Its priority in numbers, where it says so itself; policies find that of its class. */
static int priority_of(const struct reading *r, const struct sl_object *object, int64_t *priority)
{
	static const char key[] = "schedlab/priority";
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *node = KUBE_AT(doc, object->node, "metadata", "annotations", key);
	if (!node)
		node = KUBE_AT(doc, object->node, "spec", "priority");
	const char *text = manifest_text(doc, node);
	*priority = SL_NONE;
	if (!text || (sl_get_i64(text, strlen(text), priority) && *priority >= INT32_MIN &&
			     *priority <= INT32_MAX))
		return SL_OK;
	const struct sl_place at = sl_doc_place(doc, node);
	return sl_fail_at(r->err, &at, "a priority must be a whole number of 32 bits, not '%.40s'", text);
}

static const char *queue_of(const struct sl_object *object, const struct sl_pods *pods)
{
	static const char key[] = "kueue.x-k8s.io/queue-name";
	const char *name = sl_label_of(&pods->labels, key);
	if (!name)
		name = sl_label_of(&pods->annotations, key); /* As it was before there was the label. */
	return name ? name
		    : manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "queueName"));
}

/* Recorded times go with dates alone. */
static void recorded_in(const struct reading *r, const struct kube_times *times, struct sl_row *row,
	struct sl_job_attributes *more)
{
	if (r->dated && times->start == SL_NONE && times->end != SL_NONE) {
		more->end_recorded = times->end; /* It was over before it began. */
		more->state_recorded = SL_CANCELLED;
	}
	if (!r->dated || times->start == SL_NONE || times->start < times->submit)
		return;
	row->col[SL_COL_WAIT] = times->start - times->submit;
	more->start_recorded = times->start;
	more->end_recorded = times->end;
	more->state_recorded = times->end == SL_NONE ? SL_RUNNING : SL_COMPLETED;
}

static void kube_jobs_row_of(
	const struct kube_times *times, const struct sl_object *object, struct sl_row *row)
{
	*row = (struct sl_row){ .line = object->node->line };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row->col[i] = SL_NONE;
	row->col[SL_COL_SUBMIT] = times->submit;
	row->col[SL_COL_RUN] = times->run;
	row->col[SL_COL_LIMIT] = times->limit;
}

enum { ID_CAPACITY = 2 * KUBE_NAME_MAX + 64 };

/* Namespace and name. Where the API server would make a name (generateName) it is numbered, by objects of the
 * file. */
static int kube_jobs_id_of(const struct reading *r, const struct job *job, char id[ID_CAPACITY])
{
	const struct sl_object *object = job->object;
	const struct sl_doc_node *node = KUBE_AT(object->doc, object->node, "metadata", "generateName");
	const char *stem = manifest_text(object->doc, node);
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	if (job->step) {
		(void)snprintf(id, ID_CAPACITY, "%s", job->step->id);
		return SL_OK;
	}
	int len = snprintf(id, ID_CAPACITY, "%s%s", object->namespace, *object->namespace ? "/" : "");
	if (*object->name)
		len += snprintf(id + len, ID_CAPACITY - (size_t)len, "%s", object->name);
	else if (stem)
		len += snprintf(id + len, ID_CAPACITY - (size_t)len, "%.*s%zu", KUBE_NAME_MAX, stem,
			(size_t)(job->written - r->file.object) + 1);
	else
		return sl_fail_at(r->err, &at,
			"the %s has no name: give metadata.name, or metadata.generateName", object->kind);
	if (job->replica >= 0)
		(void)snprintf(id + len, ID_CAPACITY - (size_t)len, "-%lld", (long long)job->replica);
	return SL_OK;
}

/* What it comes after, and how many of its object's steps run at a time: as an array has it. */
static void step_of(const struct reading *r, const struct job *job, struct sl_job_attributes *said)
{
	if (!job->step)
		return;
	said->dependency = job->step->after.text;
	if (!job->step->most)
		return;
	said->array = (int64_t)(job->written - r->file.object) + 1;
	said->array_task = (int64_t)job->number;
	said->array_limit = job->step->most;
}

static int report_job(struct reading *r, const struct job *job, const struct sl_pods *pods)
{
	const struct sl_object *object = job->object;
	struct sl_row row;
	struct sl_job_attributes said = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
	struct sl_row_attributes more = { .job = &said };
	struct sl_row_group group[GROUPS_MAX];
	char id[ID_CAPACITY];
	kube_jobs_row_of(&job->times, job->written, &row);
	recorded_in(r, &job->times, &row, &said);
	said.namespace = *object->namespace ? object->namespace : "default";
	said.queue = queue_of(object, pods);
	said.manifest = r->manifest.text;
	step_of(r, job, &said);
	more.id = id;
	more.user = sl_label_of(&pods->annotations, "schedlab/user");
	more.user = more.user ? more.user : said.namespace;
	if (job->times.cancel != SL_NONE)
		more.cancel = job->times.submit + job->times.cancel;
	int status = kube_jobs_id_of(r, job, id);
	if (!status)
		status = priority_of(r, object, &said.priority);
	if (!status)
		status = groups_of(r, job, pods, group, &more);
	row.more = &more;
	return status ? status : r->sink->job(r->sink->self, &row, r->err);
}

/* Groups that want to be alone somewhere differ by their number; all others share one text. */
static void kube_jobs_put_group(struct reading *r, const struct job *job)
{
	static const char *const keys[] = { "leaderworkerset.sigs.k8s.io/exclusive-topology",
		"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology" };
	char text[48];
	const struct sl_object *object = job->object;
	bool alone = false;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		alone |= KUBE_AT(object->doc, object->node, "metadata", "annotations", keys[i]) != NULL;
	if (job->replica < 0 || !alone || !r->manifest.len)
		return;
	r->manifest.len--; /* The brace that closes it. */
	const int len =
		snprintf(text, sizeof(text), ",\"schedlab/group\":\"%lld\"}", (long long)job->replica);
	kube_put(&r->manifest, text, (size_t)len);
}

/* A Job whose pods join a PodGroup of KAI's has it along. */
static void put_pod_group(struct reading *r, const struct sl_object *object)
{
	static const char key[] = ",\"schedlab/podGroup\":";
	const char *name = manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "template",
							      "metadata", "annotations", "pod-group-name"));
	const struct sl_object *group =
		name ? kube_owners_find(&r->owners, "PodGroup", object->namespace, name) : NULL;
	if (!group || !r->manifest.len)
		return;
	r->manifest.len--; /* The brace that closes it. */
	kube_put(&r->manifest, key, strlen(key));
	kube_put_object(&r->manifest, group->doc, group->node);
	kube_put(&r->manifest, "}", 1);
}

/* The PodGroup that pods of the coscheduling plugin or of scheduling.k8s.io name; NULL: it is not in the
 * file. */
static const struct sl_object *group_named(
	const struct reading *r, const struct sl_object *object, const struct sl_podset *podset)
{
	const char *kind = podset->in_scheduling_group ? KUBE_POD_GROUP : KUBE_POD_GROUP_SIGS;
	return podset->pod_group ? kube_owners_find(&r->owners, kind, object->namespace, podset->pod_group)
				 : NULL;
}

/* Those go along as the list "schedlab/podGroups", each once. */
static void put_pod_groups(struct reading *r, const struct sl_object *object, const struct sl_pods *pods)
{
	static const char key[] = ",\"schedlab/podGroups\":[";
	bool any = false;
	for (uint32_t i = 0; i < pods->count && r->manifest.len; i++) {
		const struct sl_object *group = group_named(r, object, &pods->podset[i]);
		for (uint32_t before = 0; before < i && group; before++)
			if (group_named(r, object, &pods->podset[before]) == group)
				group = NULL;
		if (!group)
			continue;
		r->manifest.len -= !any; /* The brace that closes it. */
		kube_put(&r->manifest, any ? "," : key, any ? 1 : strlen(key));
		kube_put_object(&r->manifest, group->doc, group->node);
		any = true;
	}
	if (any)
		kube_put(&r->manifest, "]}", 2);
}

static int job_report(struct reading *r, const struct job *job)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_pods pods;
	int status = arena ? SL_OK : sl_fail_memory(r->err);
	if (!status)
		status = sl_pods_read(arena, job->object->doc, job->object->node, &pods, r->err);
	r->manifest.len = 0;
	kube_put_object(&r->manifest, job->object->doc, job->object->node);
	kube_jobs_put_group(r, job);
	put_pod_group(r, job->object);
	if (!status)
		put_pod_groups(r, job->object, &pods);
	if (!status && r->manifest.failed)
		status = sl_fail_memory(r->err);
	if (!status)
		status = report_job(r, job, &pods);
	sl_arena_free(arena);
	return status;
}

/* ---- The whole file ----------------------------------------------------------------------------- */

/* Fields of what are jobs, or make them, each once: the cluster's objects are the cluster's to report. */
static int kube_jobs_report_fields(struct reading *r)
{
	int status = SL_OK;
	r->reported.self = r->sink->self;
	r->reported.report = r->sink->setting;
	for (size_t i = 0; i < r->file.count && !status && r->sink->setting; i++) {
		const struct sl_object *object = &r->file.object[i];
		if ((sl_pods_has(object->kind) || kube_runai_is(object) || kube_made_of(object)) &&
			!kube_is_owned(&r->owners, object))
			status = kube_fields_report(&r->reported, object, r->err);
	}
	return status;
}

static int kube_jobs_read_file(struct reading *r, struct sl_input *in)
{
	int status = kube_file_read(in, &r->file, r->err);
	if (!status)
		status = kube_owners_make(&r->owners, &r->file, r->err);
	r->pod = calloc(r->file.count + 1, sizeof(*r->pod));
	r->group = calloc(r->file.count + 1, sizeof(*r->group));
	if (!status && (!r->pod || !r->group))
		status = sl_fail_memory(r->err);
	for (size_t i = 0; i < r->file.count && !status; i++)
		status = object_in(r, &r->file.object[i]);
	if (!status)
		status = groups_in(r);
	if (!status)
		status = crons_in(r);
	if (!status)
		status = kube_jobs_report_fields(r);
	if (!status && !r->count && r->idle) {
		const struct sl_place at = sl_doc_place(r->idle->doc, r->idle->node);
		return sl_fail_at(r->err, &at,
			"CronJob '%.60s': its schedule has no time in its first day, and no other job is submitted later: "
			"give one, or another creationTimestamp",
			r->idle->name);
	}
	if (!status && !r->count)
		return sl_fail(r->err, SL_INPUT,
			"%s: has no jobs: give Workloads, Jobs, JobSets, LeaderWorkerSets, Pods, or others of "
			"schedlab-kubernetes(5)",
			r->file.doc.file);
	if (!status)
		status = same_clock(r);
	if (status)
		return status;
	qsort(r->job, r->count, sizeof(*r->job), compare_jobs);
	if (r->dated && r->sink->dated)
		status = r->sink->dated(r->sink->self, r->err);
	for (size_t i = 0; i < r->count && !status; i++)
		status = job_report(r, &r->job[i]);
	return status;
}

/* What is beside jobs in a cluster's file as well: it makes a trace of none that has nodes or queues. */
static bool is_weak(const char *kind)
{
	static const char *const weak[] = { "Deployment", "ReplicaSet", "StatefulSet", "CronJob" };
	for (size_t i = 0; i < SL_LEN(weak); i++)
		if (strcmp(weak[i], kind) == 0)
			return true;
	return false;
}

static bool is_of_cluster(const char *kind)
{
	static const char *const kinds[] = { "Node", "ClusterQueue", "LocalQueue", "ResourceFlavor", "Cohort",
		"Queue", "Project" };
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i], kind) == 0)
			return true;
	return false;
}

/* The word of "kind: Job", in quotes or not. */
static void kind_at(const char *p, const char *end, char word[KIND_CAPACITY])
{
	p += strlen("kind");
	while (p < end && strchr("\": \t", *p))
		p++;
	size_t len = 0;
	while (p < end && len + 1 < KIND_CAPACITY && ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')))
		word[len++] = *p++;
	word[len] = '\0';
}

/* Without a job among the first bytes it is a cluster's; but if these are not all, jobs may be
 * behind its nodes. */
static int kubernetes_sniff(const char *text, size_t len)
{
	const char *end = text + len;
	const int sure = kube_sniff(text, len);
	bool weak = false;
	bool cluster = false;
	for (const char *p = text; sure && p < end; p += strlen("kind")) {
		char word[KIND_CAPACITY];
		p = memmem(p, (size_t)(end - p), "kind", strlen("kind"));
		if (!p)
			break;
		kind_at(p, end, word);
		cluster |= is_of_cluster(word);
		if (is_weak(word))
			weak = true;
		else if (sl_pods_has(word) || kube_runai_has(word) || kube_made_has(word))
			return sure;
	}
	if (weak && !cluster)
		return sure;
	return sure && len >= MOST_SNIFFED ? 1 : 0;
}

static int kubernetes_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct reading r = { .sink = sink, .err = err };
	const int status = kube_jobs_read_file(&r, in);
	for (size_t i = 0; i < r.groups; i++)
		kube_file_release(&r.group[i].file);
	kube_file_release(&r.file);
	kube_steps_release(&r.steps);
	free(r.pod);
	free(r.group);
	free(r.job);
	kube_owners_release(&r.owners);
	kube_reported_release(&r.reported);
	free(r.manifest.text);
	return status;
}

const struct sl_reader kube_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "kubernetes",
	.summary = "Jobs, Workloads, RayJobs, PyTorchJobs, Pods... as manifests; see schedlab-kubernetes(5)",
	.sniff = kubernetes_sniff,
	.read = kubernetes_read,
};
