/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields.c - which of an object's fields are followed, and reports of those that are not.
 *
 * A field's path leaves out the places of lists: spec.resourceGroups.flavors.name. A line of the tables
 * (kube_fields_kueue.c, _core.c, _kai.c, _made.c, _elastic.c) that ends in ".*" covers all below, one that
 * ends in ".@pod" a pod template, whose own table is there once. Each field of a kind is reported once, at
 * its first place.
 */
#include "traces/kube/kube_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_CAPACITY = 1024 };

/* Kind and field that were reported, by text. */
struct kube_seen {
	char *text;
};

/* ---- Tables -------------------------------------------------------------------------------------- */

static const struct {
	const struct kube_kind *kind;
	const size_t *count;
} tables[] = {
	{ kube_kueue_kinds, &kube_kueue_count },
	{ kube_core_kinds, &kube_core_count },
	{ kube_kai_kinds, &kube_kai_count },
	{ kube_made_kinds, &kube_made_count },
	{ kube_elastic_kinds, &kube_elastic_count },
};

const struct kube_kind *kube_kind_of(const char *kind)
{
	for (size_t i = 0; i < SL_LEN(tables); i++)
		for (size_t k = 0; k < *tables[i].count; k++)
			if (strcmp(tables[i].kind[k].kind, kind) == 0)
				return &tables[i].kind[k];
	return NULL;
}

/* "scheduling.run.ai/v2" is of the group scheduling.run.ai. */
static bool is_of_group(const char *version, const char *group)
{
	const size_t len = strlen(group);
	return strncmp(version, group, len) == 0 && (version[len] == '/' || !version[len]);
}

const struct kube_kind *kube_kind_in(const char *kind, const char *version)
{
	for (size_t i = 0; i < SL_LEN(tables); i++)
		for (size_t k = 0; k < *tables[i].count; k++) {
			const struct kube_kind *known = &tables[i].kind[k];
			if (strcmp(known->kind, kind) == 0 && is_of_group(version, known->version))
				return known;
		}
	return NULL;
}

/* Versions of each group whose objects are read as they are: what another one says may have other fields. */
static const struct {
	const char *group;
	const char *const version[7];
} versions[] = {
	{ "v1", { NULL } },
	{ "batch", { "v1", "v1beta1" } },
	{ "policy", { "v1", "v1beta1" } },
	{ "scheduling.k8s.io", { "v1", "v1beta1", "v1alpha1" } },
	{ "resource.k8s.io", { "v1", "v1beta2", "v1beta1", "v1alpha3" } },
	{ "kubescheduler.config.k8s.io", { "v1", "v1beta3", "v1beta2", "v1beta1" } },
	{ "jobset.x-k8s.io", { "v1alpha2", "v1alpha1" } },
	{ "leaderworkerset.x-k8s.io", { "v1" } },
	{ "kueue.x-k8s.io", { "v1beta2", "v1beta1", "v1alpha1" } },
	{ "config.kueue.x-k8s.io", { "v1beta2", "v1beta1" } },
	{ "scheduling.run.ai", { "v2", "v2alpha2", "v1alpha2", "v1" } },
	{ "kai.scheduler", { "v1", "v1alpha1" } },
	{ "run.ai", { "v1", "v2alpha1", "v2", "v1alpha1" } },
	{ "ray.io", { "v1", "v1alpha1" } },
	{ "kubeflow.org", { "v1", "v2beta1" } },
	{ "trainer.kubeflow.org", { "v1alpha1" } },
	{ "workload.codeflare.dev", { "v1beta2" } },
	{ "argoproj.io", { "v1alpha1" } },
	{ "sparkoperator.k8s.io", { "v1beta2" } },
	{ "batch.volcano.sh", { "v1alpha1" } },
	{ "apps", { "v1" } },
	{ "schedlab", { "v1" } },
	{ "karpenter.sh", { "v1" } },
};

/* Are objects of that apiVersion read as they are? */
static bool kube_version_known(const char *version)
{
	const char *slash = strchr(version, '/');
	for (size_t i = 0; i < SL_LEN(versions); i++) {
		if (!is_of_group(version, versions[i].group))
			continue;
		bool is = !slash;
		for (size_t k = 0; k < SL_LEN(versions[i].version) && versions[i].version[k] && !is; k++)
			is = strcmp(versions[i].version[k], slash + 1) == 0;
		return is;
	}
	return false;
}

/* Those of a group that are: "batch/v1, batch/v1beta1". */
static void kube_versions_of(const char *group, char *text, size_t capacity)
{
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < SL_LEN(versions); i++)
		for (size_t k = 0; strcmp(versions[i].group, group) == 0 && k < SL_LEN(versions[i].version) &&
				   versions[i].version[k] && len < capacity;
			k++)
			len += (size_t)snprintf(text + len, capacity - len, "%s%s/%s", len ? ", " : "", group,
				versions[i].version[k]);
}

const struct kube_kind *kube_kind_at(size_t index)
{
	for (size_t i = 0; i < SL_LEN(tables); i++) {
		if (index < *tables[i].count)
			return &tables[i].kind[index];
		index -= *tables[i].count;
	}
	return NULL;
}

/* A line that covers the path, which is of a text; or of all that is below it. */
static bool covers(const char *line, const char *path, bool all_below)
{
	const size_t len = strlen(line);
	const size_t has = strlen(path);
	if (strcmp(line, path) == 0)
		return true;
	if (len < 2 || line[len - 1] != '*')
		return false;
	return strncmp(path, line, len - 1) == 0 ||
	       (all_below && has == len - 2 && strncmp(path, line, has) == 0);
}

static const struct kube_field *find_in_pod(const char *path, bool all_below, bool *within)
{
	const size_t has = strlen(path);
	for (size_t i = 0; i < kube_pod_count; i++) {
		const char *line = kube_pod_fields[i].path;
		if (covers(line, path, all_below))
			return &kube_pod_fields[i];
		if (all_below && strncmp(line, path, has) == 0 && line[has] == '.') {
			*within = true;
			return NULL;
		}
	}
	return NULL;
}

/* Lines of single fields stand before those that cover the rest. Of a map or list (all_below) a line of
 * something in it, before any that covers it, says to look there: then `within` is set. */
static const struct kube_field *kube_fields_find(
	const struct kube_field *field, size_t count, const char *path, bool all_below, bool *within)
{
	static const char pod[] = "@pod";
	const size_t has = strlen(path);
	for (size_t i = 0; i < count; i++) {
		const char *line = field[i].path;
		const size_t len = strlen(line);
		const size_t before = len >= strlen(pod) ? len - strlen(pod) : 0;
		const bool of_pods = len >= strlen(pod) && strcmp(line + before, pod) == 0;
		if (of_pods && strncmp(path, line, before) == 0)
			return find_in_pod(path + before, all_below, within);
		if (!of_pods && covers(line, path, all_below))
			return &field[i];
		if (all_below && strncmp(line, path, has) == 0 && line[has] == '.') {
			*within = true;
			return NULL;
		}
	}
	return NULL;
}

static const struct kube_field *kube_fields_field_of(
	const struct kube_kind *kind, const char *path, bool all_below, bool *within)
{
	/* Of every kind. */
	static const struct kube_field common[] = {
		{ "apiVersion", SL_MODELLED, NULL },
		{ "kind", SL_MODELLED, NULL },
		{ "metadata.name", SL_MODELLED, NULL },
		{ "metadata.namespace", SL_MODELLED, NULL },
		{ "metadata.labels.*", SL_MODELLED, NULL },
		{ "metadata.annotations.*", SL_MODELLED, NULL },
		{ "metadata.uid", SL_MODELLED, NULL },
		{ "metadata.creationTimestamp", SL_MODELLED, NULL },
		{ "metadata.ownerReferences.*", SL_MODELLED, NULL },
		{ "metadata.*", SL_IGNORED, "does not move a start" },
	};
	const struct kube_field *field = kube_fields_find(common, SL_LEN(common), path, all_below, within);
	return field || *within ? field : kube_fields_find(kind->field, kind->count, path, all_below, within);
}

const struct kube_field *kube_field_of(const struct kube_kind *kind, const char *path)
{
	bool within = false;
	return kube_fields_field_of(kind, path, false, &within);
}

/* Policies that follow a field, if not all do: by the API group of its kind, and in pods those that say where
 * and when pods may go, not what they request. */
static const char *kube_followers(const struct kube_kind *kind, const char *path)
{
	static const struct {
		const char *group, *by;
	} groups[] = {
		{ "kueue.x-k8s.io", "kueue" },
		{ "config.kueue.x-k8s.io", "kueue" },
		{ "scheduling.run.ai", "runai" },
		{ "kai.scheduler", "runai" },
		{ "run.ai", "runai" },
		{ "schedlab", "runai" },
		{ "kubescheduler.config.k8s.io", "kube, kueue, hybrid" },
		{ "resource.k8s.io", "kube, kueue, runai, hybrid" },
		{ "policy", "kube, kueue, hybrid" },
		{ "scheduling.k8s.io", "kube, kueue, runai, hybrid" },
	};
	static const char *const words[] = { "affinity", "nodeSelector", "tolerations",
		"topologySpreadConstraints", "schedulingGates", "priorityClassName", "preemptionPolicy",
		"resourceClaims", "taints", "hostPort" };
	for (size_t i = 0; i < SL_LEN(groups); i++)
		if (strcmp(groups[i].group, kind->version) == 0)
			return groups[i].by;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strstr(path, words[i]))
			return "kube, kueue, runai, hybrid";
	return NULL;
}

/* ---- Reports --------------------------------------------------------------------------------------- */

struct walk {
	struct kube_reported *reported;
	const struct sl_object *object;
	const struct kube_kind *kind;
	char path[PATH_CAPACITY];
	size_t len;
	struct sl_err *err;
};

/* True: it is new now. */
static bool see(
	struct kube_reported *reported, const char *kind, const char *path, int *status, struct sl_err *err)
{
	char text[PATH_CAPACITY + 300];
	(void)snprintf(text, sizeof(text), "%s %s", kind, path);
	for (size_t i = 0; i < reported->count; i++)
		if (strcmp(reported->seen[i].text, text) == 0)
			return false;
	if (SL_GROW(reported->seen, reported->capacity, reported->count + 1, NULL)) {
		*status = sl_fail_memory(err);
		return false;
	}
	char *copy = strdup(text);
	if (!copy) {
		*status = sl_fail_memory(err);
		return false;
	}
	reported->seen[reported->count++].text = copy;
	return true;
}

void kube_reported_release(struct kube_reported *reported)
{
	for (size_t i = 0; i < reported->count; i++)
		free(reported->seen[i].text);
	free(reported->seen);
	reported->seen = NULL;
	reported->count = reported->capacity = 0;
}

/* Names and versions, which every object has. */
static bool is_of_all(const char *path)
{
	return strcmp(path, "apiVersion") == 0 || strcmp(path, "kind") == 0 ||
	       strncmp(path, "metadata.", strlen("metadata.")) == 0;
}

/* Its line's path where one line covers many ("metadata.labels.*"). */
static int report_field(struct walk *walk, const struct sl_doc_node *node, const struct kube_field *field)
{
	const struct sl_doc *doc = walk->object->doc;
	const size_t len = field ? strlen(field->path) : 0;
	const bool many = len && field->path[len - 1] == '*';
	const char *path = many ? field->path : walk->path;
	int status = SL_OK;
	if (field && field->coverage == SL_MODELLED && is_of_all(path))
		return SL_OK;
	if (!see(walk->reported, walk->object->kind, path, &status, walk->err))
		return status;
	const struct sl_setting setting = { walk->object->kind, walk->object->name, path,
		node->kind == SL_DOC_TEXT ? doc->text + node->text : "", sl_doc_key_place(doc, node),
		field ? field->coverage : SL_UNKNOWN_KEY, field ? field->note : NULL,
		field ? kube_followers(walk->kind, path) : NULL };
	return walk->reported->report(walk->reported->self, &setting, walk->err);
}

/* Feature gates that Kueue does not have, of all that are set. */
static int report_gates(struct walk *walk, const struct sl_doc_node *gates)
{
	const struct sl_doc *doc = walk->object->doc;
	int status = SL_OK;
	for (const struct sl_doc_node *gate = gates->kind == SL_DOC_MAP ? sl_doc_child(doc, gates) : NULL;
		gate && !status; gate = sl_doc_next(doc, gate)) {
		char path[200];
		char note[100] = "Kueue has no such feature gate";
		const char *similar;
		if (kube_gate_known(doc->text + gate->key, &similar))
			continue;
		(void)snprintf(path, sizeof(path), "featureGates.%.150s", doc->text + gate->key);
		if (similar)
			(void)snprintf(note, sizeof(note), "did you mean '%s'?", similar);
		const struct sl_setting setting = { walk->object->kind, walk->object->name, path,
			gate->kind == SL_DOC_TEXT ? doc->text + gate->text : "", sl_doc_key_place(doc, gate),
			SL_UNKNOWN_KEY, note, NULL };
		status = walk->reported->report(walk->reported->self, &setting, walk->err);
	}
	return status;
}

/* A text, a list of texts, or nothing. */
static bool is_leaf(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	const struct sl_doc_node *first = node->kind == SL_DOC_TEXT ? NULL : sl_doc_child(doc, node);
	return !first || (node->kind == SL_DOC_LIST && first->kind == SL_DOC_TEXT);
}

/* Documents are no deeper than SL_DOC_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static int walk_in(struct walk *walk, const struct sl_doc_node *node)
{
	const struct sl_doc *doc = walk->object->doc;
	const size_t before = walk->len;
	int status = SL_OK;
	for (const struct sl_doc_node *child = sl_doc_child(doc, node); child && !status;
		child = sl_doc_next(doc, child)) {
		walk->len = before;
		walk->path[before] = '\0';
		if (node->kind == SL_DOC_MAP) {
			const char *key = doc->text + child->key;
			const size_t capacity = sizeof(walk->path) - before;
			const int put =
				snprintf(walk->path + before, capacity, "%s%s", before ? "." : "", key);
			if (put < 0 || (size_t)put >= capacity)
				continue;
			walk->len = before + (size_t)put;
			const bool leaf = is_leaf(doc, child);
			const bool empty = child->kind != SL_DOC_TEXT && !sl_doc_child(doc, child);
			bool within = false;
			const struct kube_field *field =
				kube_fields_field_of(walk->kind, walk->path, !leaf || empty, &within);
			if (empty && within)
				continue;
			if (leaf || field) {
				status = report_field(walk, child, field);
				if (!status && field && strcmp(field->path, "featureGates.*") == 0)
					status = report_gates(walk, child);
				continue;
			}
		}
		if (!status && child->kind != SL_DOC_TEXT)
			status = walk_in(walk, child);
	}
	walk->len = before;
	walk->path[before] = '\0';
	return status;
}

/* Of a version that is not listed: it is read as the others are. */
static int report_version(struct kube_reported *reported, const struct sl_object *object,
	const struct kube_kind *kind, struct sl_err *err)
{
	char known[200];
	char note[300];
	int status = SL_OK;
	if (!see(reported, object->kind, object->version, &status, err))
		return status;
	kube_versions_of(kind->version, known, sizeof(known));
	(void)snprintf(note, sizeof(note), "read as one of %s", known);
	const struct sl_setting setting = { object->kind, object->name, "apiVersion", object->version,
		sl_doc_place(object->doc, object->node), SL_UNKNOWN_KEY, note, NULL };
	return reported->report(reported->self, &setting, err);
}

/* A group of which some kinds are read. */
static bool is_group_read(const char *version)
{
	for (size_t i = 0; i < SL_LEN(versions); i++)
		if (is_of_group(version, versions[i].group))
			return true;
	return false;
}

/* The kind of that group that was perhaps meant. */
static const char *kind_similar(const char *kind, const char *version)
{
	enum { KNOWN_MAX = 128 };
	const char *known[KNOWN_MAX + 1] = { NULL };
	size_t count = 0;
	const struct kube_kind *of;
	for (size_t i = 0; (of = kube_kind_at(i)) && count < KNOWN_MAX; i++)
		if (is_of_group(version, of->version))
			known[count++] = of->kind;
	return sl_nearest(kind, known);
}

/* "ClusterQueue.scheduling.k8s.io" (kube_file.c): the group that it is read of, or NULL. */
static const char *group_meant(const char *kind)
{
	char name[64];
	const size_t len = strcspn(kind, ".");
	if (!kind[len] || len >= sizeof(name))
		return NULL;
	memcpy(name, kind, len);
	name[len] = '\0';
	const struct kube_kind *of = kube_kind_of(name);
	return of ? of->version : NULL;
}

/* Of a Deployment that runs one flags are read, by policy kube. */
static bool runs_autoscaler(const struct sl_object *object)
{
	static const char *const programs[] = { "cluster-autoscaler", "karpenter" };
	const struct sl_doc_node *list =
		KUBE_AT(object->doc, object->node, "spec", "template", "spec", "containers");
	if (strcmp(object->kind, "Deployment") != 0)
		return false;
	SL_DOC_EACH (container, object->doc, list) {
		const char *image =
			manifest_text(object->doc, sl_doc_member(object->doc, container, "image"));
		for (size_t i = 0; image && i < SL_LEN(programs); i++)
			if (strstr(image, programs[i]))
				return true;
	}
	return false;
}

/* Of a kind that is not read: a mistake where its group is one that is read, and a kind of that name, or
 * nearly, is; else it is of somebody else's. */
static int report_object(struct kube_reported *reported, const struct sl_object *object, struct sl_err *err)
{
	char note[160] = "its kind is not one of those that are read";
	const bool pod_group =
		strcmp(object->kind, KUBE_POD_GROUP) == 0 || strcmp(object->kind, KUBE_POD_GROUP_SIGS) == 0;
	if (runs_autoscaler(object))
		return SL_OK;
	const char *group = group_meant(object->kind);
	const char *similar = group ? NULL : kind_similar(object->kind, object->version);
	if (group)
		(void)snprintf(note, sizeof(note), "the kind of that name that is read is of %s", group);
	else if (similar)
		(void)snprintf(note, sizeof(note), "did you mean '%s'?", similar);
	const bool wrong = similar || (group && is_group_read(object->version));
	const struct sl_setting setting = { "object", object->name, object->kind, object->version,
		sl_doc_place(object->doc, object->node),
		pod_group ? SL_MODELLED
		: wrong   ? SL_UNKNOWN_KEY
			  : SL_IGNORED,
		pod_group ? "its groups are followed by feature gates" : note, pod_group ? "kube" : NULL };
	return reported->report(reported->self, &setting, err);
}

int kube_fields_report(struct kube_reported *reported, const struct sl_object *object, struct sl_err *err)
{
	struct walk walk = { .reported = reported,
		.object = object,
		.kind = kube_kind_in(object->kind, object->version),
		.err = err };
	int status = SL_OK;
	if (walk.kind && !kube_version_known(object->version))
		status = report_version(reported, object, walk.kind, err);
	if (status)
		return status;
	if (walk.kind)
		return walk_in(&walk, object->node);
	if (!see(reported, object->kind, "", &status, err))
		return status;
	return report_object(reported, object, err);
}
