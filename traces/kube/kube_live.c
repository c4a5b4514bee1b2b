/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_live.c - a dump of a live cluster as a moment.
 *
 * What waits for quota is asked of Kueue by its Workloads: those with QuotaReserved hold what their
 * status.admission says, the others wait. Pods without a node are asked of kube-scheduler, or of KAI where
 * they name a PodGroup of it; those with one are there. How long anything runs does not matter: nothing ends.
 */
#include "traces/kube/kube_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_made.h"

#define KUEUE "kueue.x-k8s.io/"

enum { LIVE_JOBS_MAX = 200000 };

int kube_live_sniff(const char *text, size_t len) { return kube_sniff(text, len); }

/* ---- Objects ------------------------------------------------------------------------------------------ */

static const struct sl_doc_node *condition(const struct sl_object *object, const char *type)
{
	const struct sl_doc *doc = object->doc;
	SL_DOC_EACH (node, doc, KUBE_AT(doc, object->node, "status", "conditions")) {
		const char *is = manifest_text(doc, sl_doc_member(doc, node, "type"));
		if (is && strcmp(is, type) == 0)
			return node;
	}
	return NULL;
}

bool kube_live_is(const struct sl_object *object, const char *type)
{
	const struct sl_doc_node *node = condition(object, type);
	const char *status = manifest_text(object->doc, sl_doc_member(object->doc, node, "status"));
	return status && strcmp(status, "True") == 0;
}

const char *kube_live_message(const struct sl_object *object, const char *type)
{
	return manifest_text(object->doc, sl_doc_member(object->doc, condition(object, type), "message"));
}

static const char *text_at(const struct sl_object *object, const char *path)
{
	return manifest_text(object->doc, sl_doc_at(object->doc, object->node, path));
}

static bool is_pod(const struct sl_object *object) { return strcmp(object->kind, "Pod") == 0; }
static bool is_workload(const struct sl_object *object) { return strcmp(object->kind, "Workload") == 0; }
static bool is_group(const struct sl_object *object) { return strcmp(object->kind, "PodGroup") == 0; }

static bool is_job(const struct sl_object *object)
{
	const enum kube_made_as as = kube_made_of(object);
	return sl_pods_has(object->kind) || (as && as != MADE_STEPS) || kube_runai_is(object) ||
	       is_group(object);
}

static bool is_over(const struct sl_object *object)
{
	const char *phase = text_at(object, "status.phase");
	if (is_pod(object))
		return phase && (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
	return kube_live_is(object, "Finished") || kube_live_is(object, "Complete") ||
	       kube_live_is(object, "Completed") || kube_live_is(object, "Failed") ||
	       kube_live_is(object, "Succeeded");
}

static bool is_bound(const struct sl_object *pod) { return text_at(pod, "spec.nodeName") != NULL; }

static bool is_gated(const struct sl_object *pod)
{
	const struct sl_doc_node *gates = KUBE_AT(pod->doc, pod->node, "spec", "schedulingGates");
	return gates && gates->count;
}

/* Is the object the other's, at any distance? */
static bool is_of(const struct kube_live *live, const struct sl_object *object, const struct sl_object *whose)
{
	enum { FAR = 8 };
	for (unsigned i = 0; object && i < FAR; i++) {
		if (object == whose)
			return true;
		object = kube_owner_of(&live->owners, object);
	}
	return false;
}

static bool has_kind(const struct kube_live *live, const char *kind)
{
	for (size_t i = 0; i < live->file.count; i++)
		if (strcmp(live->file.object[i].kind, kind) == 0)
			return true;
	return false;
}

bool kube_live_runs(const struct kube_live *live, const struct sl_object *object)
{
	if (is_over(object))
		return false;
	if (is_pod(object))
		return is_bound(object);
	if (is_workload(object))
		return kube_live_is(object, "QuotaReserved") &&
		       KUBE_AT(object->doc, object->node, "status", "admission");
	for (size_t i = 0; is_group(object) && i < live->file.count; i++) {
		const struct sl_object *pod = &live->file.object[i];
		const char *name = kube_pod_group_of(pod);
		if (name && strcmp(name, object->name) == 0 &&
			strcmp(pod->namespace, object->namespace) == 0 && !is_over(pod) && is_bound(pod))
			return true;
	}
	return false;
}

/* ---- Whom to ask ----------------------------------------------------------------------------------------
 */

static int find_asked(struct kube_live *live, const char *name, struct sl_err *err)
{
	const char *slash = strchr(name, '/');
	const char *last = slash ? slash + 1 : name;
	const struct sl_object *found = NULL;
	for (size_t i = 0; i < live->file.count; i++) {
		const struct sl_object *object = &live->file.object[i];
		const char *namespace = *object->namespace ? object->namespace : "default";
		if (!is_job(object) || strcmp(object->name, last) != 0 ||
			(slash && (strlen(namespace) != (size_t)(slash - name) ||
					  strncmp(namespace, name, (size_t)(slash - name)) != 0)))
			continue;
		if (found && !slash && strcmp(found->namespace, object->namespace) != 0)
			return sl_fail(err, SL_USAGE,
				"%s: '%.60s' is in several namespaces: give namespace/name",
				live->file.doc.file, name);
		if (!found || is_of(live, found, object) || is_pod(found))
			found = object;
	}
	live->asked = found;
	return found ? SL_OK
		     : sl_fail(err, SL_USAGE,
			       "%s: has no job '%.60s': give namespace/name of a job, a Workload or a Pod of it",
			       live->file.doc.file, name);
}

static const struct sl_object *workload_of(const struct kube_live *live)
{
	const char *group = kube_group_of(live->asked);
	if (is_workload(live->asked))
		return live->asked;
	for (size_t i = 0; i < live->file.count; i++) {
		const struct sl_object *object = &live->file.object[i];
		if (is_workload(object) &&
			(is_of(live, object, live->asked) || (group && strcmp(object->name, group) == 0)))
			return object;
	}
	return NULL;
}

/* Whose pods these are: of a Workload, its owner's. */
static const struct sl_object *owner_of_pods(const struct kube_live *live)
{
	const struct sl_object *owner =
		is_workload(live->asked) ? kube_owner_of(&live->owners, live->asked) : NULL;
	return owner ? owner : live->asked;
}

static bool is_pod_of(const struct kube_live *live, const struct sl_object *pod)
{
	const char *group = kube_pod_group_of(pod);
	const char *of = kube_group_of(pod);
	if (is_group(live->asked))
		return group && strcmp(group, live->asked->name) == 0;
	if (is_workload(live->asked) && of && strcmp(of, live->asked->name) == 0)
		return true;
	return is_of(live, pod, owner_of_pods(live));
}

/* The first of its pods that waits for a node. */
static const struct sl_object *pod_that_waits(struct kube_live *live)
{
	const struct sl_object *first = NULL;
	for (size_t i = 0; i < live->file.count; i++) {
		const struct sl_object *pod = &live->file.object[i];
		if (!is_pod(pod) || is_over(pod) || !is_pod_of(live, pod))
			continue;
		live->pods++;
		live->pods_waiting += !is_bound(pod);
		if (!first && !is_bound(pod) && !is_gated(pod))
			first = pod;
	}
	return first;
}

static void checks_told(struct kube_live *live, const struct sl_object *workload)
{
	const struct sl_doc *doc = workload->doc;
	size_t len = (size_t)snprintf(
		live->state, sizeof(live->state), "its quota is reserved, and its checks are not all ready");
	SL_DOC_EACH (check, doc, KUBE_AT(doc, workload->node, "status", "admissionChecks")) {
		const char *name = manifest_text(doc, sl_doc_member(doc, check, "name"));
		const char *state = manifest_text(doc, sl_doc_member(doc, check, "state"));
		const char *message = manifest_text(doc, sl_doc_member(doc, check, "message"));
		if (len < sizeof(live->state))
			len += (size_t)snprintf(live->state + len, sizeof(live->state) - len,
				"; %.100s: %.40s%s%.300s", name ? name : "", state ? state : "Pending",
				message ? ", " : "", message ? message : "");
	}
}

static void ask_scheduler(struct kube_live *live, const struct sl_object *pod)
{
	const char *group = kube_pod_group_of(pod);
	const struct sl_object *found =
		group ? kube_owners_find(&live->owners, "PodGroup", pod->namespace, group) : NULL;
	live->by = found ? LIVE_RUNAI : LIVE_KUBE;
	live->waits = found ? found : pod;
}

static void ask(struct kube_live *live)
{
	const struct sl_object *workload = workload_of(live);
	const struct sl_doc *doc = live->asked->doc;
	const char *queue =
		manifest_text(doc, KUBE_AT(doc, live->asked->node, "metadata", "labels", KUEUE "queue-name"));
	const struct sl_object *pod = pod_that_waits(live);
	const bool runs = workload && kube_live_runs(live, workload);
	if (is_over(workload ? workload : live->asked)) {
		(void)snprintf(live->state, sizeof(live->state), "it is over");
	} else if (workload && !runs) {
		live->by = LIVE_KUEUE;
		live->waits = workload;
	} else if (runs && !kube_live_is(workload, "Admitted")) {
		checks_told(live, workload);
	} else if (pod) {
		ask_scheduler(live, pod);
	} else if (!workload && queue && has_kind(live, "ClusterQueue") && !live->pods) {
		live->by = LIVE_KUEUE;
		live->waits = live->asked;
	} else if (live->pods_waiting) {
		(void)snprintf(live->state, sizeof(live->state),
			"%zu of its %zu pods are gated (spec.schedulingGates): who set the gate has to lift it",
			live->pods_waiting, live->pods);
	} else if (live->pods || runs || kube_live_runs(live, live->asked)) {
		(void)snprintf(live->state, sizeof(live->state),
			"it does not wait: %s%zu of its pods have nodes", runs ? "it is admitted, and " : "",
			live->pods);
	} else {
		live->by = is_group(live->asked) ? LIVE_RUNAI : LIVE_KUBE;
		live->waits = live->asked;
	}
}

static bool needs_topology(const struct kube_live *live)
{
	for (size_t i = 0; i < live->file.count; i++)
		if (strcmp(live->file.object[i].kind, "ResourceFlavor") == 0 &&
			text_at(&live->file.object[i], "spec.topologyName"))
			return true;
	return false;
}

int kube_live_read(struct sl_input *in, const char *name, struct kube_live *live, struct sl_err *err)
{
	*live = (struct kube_live){ 0 };
	int status = kube_file_read(in, &live->file, err);
	if (!status)
		status = kube_owners_make(&live->owners, &live->file, err);
	if (!status)
		status = find_asked(live, name, err);
	if (status)
		return status;
	ask(live);
	live->topology = needs_topology(live);
	if (live->waits)
		(void)snprintf(live->id, sizeof(live->id), "%s%s%s", live->waits->namespace,
			*live->waits->namespace ? "/" : "", live->waits->name);
	return SL_OK;
}

void kube_live_release(struct kube_live *live)
{
	kube_owners_release(&live->owners);
	kube_file_release(&live->file);
}

/* ---- The moment -----------------------------------------------------------------------------------------
 */

struct live_job {
	const struct sl_object *object;
	sl_time created;
	bool runs;
};

/* What the scheduler that is asked knows of as a job. */
static bool is_of_moment(const struct kube_live *live, const struct sl_object *object)
{
	const char *scheduler = text_at(object, "spec.schedulerName");
	const bool runs = kube_live_runs(live, object);
	if (is_over(object))
		return false;
	if (object == live->waits)
		return true;
	switch (live->by) {
	case LIVE_KUEUE: {
		const char *active = text_at(object, "spec.active");
		return is_workload(object) && (runs || !active || strcmp(active, "false") != 0);
	}
	case LIVE_RUNAI:
		return is_group(object) || (is_pod(object) && (runs || kube_pod_group_of(object)));
	case LIVE_KUBE:
		return is_pod(object) && !is_gated(object) &&
		       (runs || !scheduler || strcmp(scheduler, "default-scheduler") == 0);
	}
	return false;
}

static int compare_age(const void *a, const void *b)
{
	const struct live_job *x = a, *y = b;
	if (x->runs != y->runs)
		return x->runs ? -1 : 1;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

/* A pod that has a node stays there, whatever now would keep it off. */
static void put_bound(struct manifest_text *text, const struct sl_object *pod)
{
	static const char *const but[] = { "affinity", "nodeSelector", "tolerations",
		"topologySpreadConstraints", "schedulingGates", "schedulerName", "preemptionPolicy", NULL };
	const struct sl_doc *doc = pod->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, pod->node, "spec");
	const struct sl_doc_node *anti = KUBE_AT(doc, spec, "affinity", "podAntiAffinity");
	made_put(text, "\"spec\":");
	made_put_open(text, doc, spec, but);
	if (anti) {
		made_put(text, "\"affinity\":{\"podAntiAffinity\":");
		kube_put_object(text, doc, anti);
		made_put(text, "},");
	}
	made_put(text, "\"tolerations\":[{\"operator\":\"Exists\"}]},");
}

static void put_metadata(
	struct manifest_text *text, const struct kube_live *live, const struct live_job *job, size_t second)
{
	static const char *const but[] = { "labels", "annotations", "creationTimestamp", "ownerReferences",
		"managedFields", "finalizers", NULL };
	static const char *const no_label[] = { KUEUE "pod-group-name", NULL };
	const char *const no_note[] = { "schedlab/submit", "schedlab/run-time", "schedlab/cancel",
		"schedlab/admitted", "kubectl.kubernetes.io/last-applied-configuration",
		live->by == LIVE_RUNAI ? "-" : "pod-group-name", NULL };
	const struct sl_doc *doc = job->object->doc;
	const struct sl_doc_node *metadata = KUBE_AT(doc, job->object->node, "metadata");
	char line[160];
	made_put(text, "\"metadata\":");
	made_put_open(text, doc, metadata, but);
	made_put(text, "\"labels\":");
	made_put_open(text, doc, sl_doc_member(doc, metadata, "labels"), no_label);
	made_put(text, "\"schedlab/live\":\"true\"},\"annotations\":");
	made_put_open(text, doc, sl_doc_member(doc, metadata, "annotations"), no_note);
	(void)snprintf(line, sizeof(line),
		"%s\"schedlab/submit\":\"%zu\",\"schedlab/run-time\":\"100000h\"}}}",
		job->runs && live->by == LIVE_KUEUE ? "\"schedlab/admitted\":\"true\"," : "", second);
	made_put(text, line);
}

static void put_job(struct manifest_text *text, const struct kube_live *live, const struct live_job *job,
	size_t second, bool first)
{
	static const char *const but[] = { "metadata", NULL };
	static const char *const but_spec[] = { "metadata", "spec", "status", NULL };
	const bool bound = job->runs && is_pod(job->object);
	if (!first)
		made_put(text, ",\n");
	made_put_open(text, job->object->doc, job->object->node, bound ? but_spec : but);
	if (bound)
		put_bound(text, job->object);
	put_metadata(text, live, job, second);
}

/* Pods beside Kueue take room in its topologies. */
static bool is_of_cluster(const struct kube_live *live, const struct sl_object *object)
{
	if (is_pod(object))
		return live->by == LIVE_KUEUE && live->topology && !is_over(object) && is_bound(object) &&
		       !sl_doc_member(object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels"),
			       KUEUE "managed");
	if (strcmp(object->kind, "Node") == 0)
		return live->by != LIVE_KUEUE || live->topology;
	return !is_job(object) || (is_group(object) && live->by != LIVE_RUNAI);
}

static void put_cluster(struct kube_moment *moment, const struct kube_live *live,
	const struct kube_change *change, const struct sl_object *without, const char *more)
{
	struct manifest_text *text = &moment->cluster;
	bool first = true;
	made_put(text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < live->file.count; i++) {
		const struct sl_object *object = &live->file.object[i];
		if (object == without || !is_of_cluster(live, object))
			continue;
		if (!first)
			made_put(text, ",\n");
		first = false;
		moment->cluster_line[moment->cluster_lines++] = object;
		kube_put_changed(text, object->doc, object->node, change);
	}
	if (more) {
		made_put(text, first ? "" : ",\n");
		made_put(text, more);
	}
	made_put(text, "]}");
}

int kube_live_write(const struct kube_live *live, const struct kube_change *change,
	const struct sl_object *without, const char *more, struct kube_moment *moment, struct sl_err *err)
{
	struct live_job *job = calloc(live->file.count + 1, sizeof(*job));
	size_t count = 0, second = 0;
	*moment = (struct kube_moment){ 0 };
	moment->cluster_line = calloc(live->file.count + 1, sizeof(const struct sl_object *));
	moment->trace_line = calloc(live->file.count + 1, sizeof(const struct sl_object *));
	if (!job || !moment->cluster_line || !moment->trace_line) {
		free(job);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < live->file.count; i++) {
		const struct sl_object *object = &live->file.object[i];
		if (object == without || !is_of_moment(live, object))
			continue;
		job[count] = (struct live_job){ object, 0, kube_live_runs(live, object) };
		(void)kube_time(text_at(object, "metadata.creationTimestamp"), &job[count++].created);
	}
	qsort(job, count, sizeof(*job), compare_age);
	made_put(&moment->trace, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	for (size_t i = 0; i < count; i++) {
		const bool member = live->by == LIVE_RUNAI && kube_pod_group_of(job[i].object);
		second += !job[i].runs;
		moment->running += job[i].runs && !member;
		moment->waiting += !job[i].runs && !member;
		moment->trace_line[moment->trace_lines++] = job[i].object;
		put_job(&moment->trace, live, &job[i], job[i].runs ? 0 : second, !i);
	}
	made_put(&moment->trace, "]}");
	free(job);
	put_cluster(moment, live, change, without, more);
	moment->until = ((sl_time)second + 3) * SL_SECOND;
	if (count > LIVE_JOBS_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d jobs run or wait", live->file.doc.file,
			LIVE_JOBS_MAX);
	return moment->trace.failed || moment->cluster.failed ? sl_fail_memory(err) : SL_OK;
}

void kube_moment_release(struct kube_moment *moment)
{
	free(moment->cluster.text);
	free(moment->trace.text);
	free(moment->cluster_line);
	free(moment->trace_line);
	*moment = (struct kube_moment){ 0 };
}

/* ---- One that is admitted, in a manifest ------------------------------------------------------------------
 */

static void put_admitted(struct manifest_text *text, const struct sl_doc *doc)
{
	static const char *const but[] = { "metadata", NULL };
	static const char *const but_notes[] = { "annotations", NULL };
	static const char *const but_note[] = { "schedlab/admitted", NULL };
	const struct sl_doc_node *metadata = sl_doc_member(doc, doc->node, "metadata");
	made_put_open(text, doc, doc->node, but);
	made_put(text, "\"metadata\":");
	made_put_open(text, doc, metadata, but_notes);
	made_put(text, "\"annotations\":");
	made_put_open(text, doc, sl_doc_member(doc, metadata, "annotations"), but_note);
	made_put(text, "\"schedlab/admitted\":\"true\"}}}");
}

int kube_admitted(const char *manifest, char **admitted, struct sl_err *err)
{
	struct sl_json json;
	struct sl_doc doc = { .file = "manifest" };
	struct manifest_text text = { 0 };
	*admitted = NULL;
	sl_json_begin(&json, doc.file, manifest, manifest + strlen(manifest), err);
	int status = sl_json_tree(&json, &doc);
	const bool is = !status && doc.node->kind == SL_DOC_MAP &&
			sl_doc_is(&doc, sl_doc_member(&doc, doc.node, "kind"), "Workload") &&
			KUBE_AT(&doc, doc.node, "status", "admission");
	if (is)
		put_admitted(&text, &doc);
	if (!status && text.failed)
		status = sl_fail_memory(err);
	if (!status && is)
		*admitted = strndup(text.text, text.len);
	if (!status && is && !*admitted)
		status = sl_fail_memory(err);
	free(text.text);
	sl_doc_release(&doc);
	return status;
}
