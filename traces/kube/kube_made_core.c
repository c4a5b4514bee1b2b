/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made_core.c - pods of Deployments, ReplicaSets, StatefulSets, CronJobs and AppWrappers.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/;
 * https://project-codeflare.github.io/appwrapper/: a component says where its pod templates are and of how
 * many pods (podSets), or is of a kind of which it is known.
 */
#include "traces/kube/kube_made.h"

#include <stdio.h>
#include <string.h>

static const struct sl_doc_node *spec_of(const struct kube_making *m)
{
	return KUBE_AT(m->object->doc, m->object->node, "spec");
}

static const struct sl_doc_node *template_of(const struct kube_making *m)
{
	return KUBE_AT(m->object->doc, m->object->node, "spec", "template");
}

/* As many as run at a time. */
static int parallelism(struct kube_making *m, const struct sl_doc_node *spec, int64_t *count)
{
	int64_t completions;
	int status = made_number(m, spec, "parallelism", 1, count);
	if (!status)
		status = made_number(m, spec, "completions", *count, &completions);
	if (!status && completions < *count)
		*count = completions;
	return status;
}

int made_job(struct kube_making *m)
{
	int64_t count;
	const int status = parallelism(m, spec_of(m), &count);
	return status ? status : made_podset(m, "main", count, template_of(m));
}

int made_job_set(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	int status = SL_OK;
	SL_DOC_EACH (node, doc, KUBE_AT(doc, m->object->node, "spec", "replicatedJobs")) {
		const struct sl_doc_node *spec = KUBE_AT(doc, node, "template", "spec");
		const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
		int64_t replicas, each;
		status = made_number(m, node, "replicas", 1, &replicas);
		if (!status)
			status = parallelism(m, spec, &each);
		if (!status)
			status = made_podset(
				m, name ? name : "main", replicas * each, KUBE_AT(doc, spec, "template"));
		if (status)
			return status;
	}
	return status;
}

int made_pod(struct kube_making *m) { return made_podset(m, "main", 1, m->object->node); }

int made_replicas(struct kube_making *m)
{
	int64_t count;
	const int status = made_number(m, spec_of(m), "replicas", 1, &count);
	return status ? status : made_podset(m, "main", count, template_of(m));
}

int made_one_replica(struct kube_making *m) { return made_podset(m, "main", 1, template_of(m)); }

int made_cron_job(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec", "jobTemplate", "spec");
	int64_t count;
	const int status = parallelism(m, spec, &count);
	return status ? status : made_podset(m, "main", count, KUBE_AT(doc, spec, "template"));
}

/* ---- AppWrappers -------------------------------------------------------------------------------------- */

/* "template.spec.template", from the component on. */
static const struct sl_doc_node *at_path(
	const struct sl_doc *doc, const struct sl_doc_node *component, const char *path)
{
	const struct sl_doc_node *node = component;
	while (node && *path) {
		char key[100];
		const size_t len = strcspn(path, ".");
		if (len >= sizeof(key))
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		node = *key ? sl_doc_member(doc, node, key) : node;
		path += len + (path[len] == '.');
	}
	return node;
}

static int podsets_said(
	struct kube_making *m, const struct sl_doc_node *component, const struct sl_doc_node *list)
{
	const struct sl_doc *doc = m->object->doc;
	SL_DOC_EACH (node, doc, list) {
		const char *path = manifest_text(doc, sl_doc_member(doc, node, "path"));
		int64_t replicas;
		int status = made_number(m, node, "replicas", 1, &replicas);
		if (!status && (!path || !at_path(doc, component, path)))
			status = made_fail(m, node, "there is no pod template at '%.100s': mend 'path'",
				path ? path : "");
		if (!status)
			status = made_podset(m, "main", replicas, at_path(doc, component, path));
		if (status)
			return status;
	}
	return SL_OK;
}

/* Kinds that are read without being made: their podsets are those of the kind. */
static int podsets_known(struct kube_making *m, const struct sl_object *inner)
{
	static const struct {
		const char *kind, *group;
		int (*podsets)(struct kube_making *m);
	} known[] = {
		{ "Job", "batch/", made_job },
		{ "JobSet", "jobset.x-k8s.io/", made_job_set },
		{ "Pod", "v1", made_pod },
	};
	const struct sl_object *outer = m->object;
	int status = SL_INPUT;
	m->object = inner;
	for (size_t i = 0; i < SL_LEN(known) && status == SL_INPUT; i++)
		if (strcmp(known[i].kind, inner->kind) == 0 &&
			strncmp(known[i].group, inner->version, strlen(known[i].group)) == 0) {
			status = known[i].podsets(m);
			m->object = outer;
			return status;
		}
	m->object = outer;
	if (kube_made_of(inner) == MADE_ONE || kube_made_of(inner) == MADE_EACH)
		return kube_made_podsets(m, inner);
	return made_fail(m, inner->node,
		"of a component of kind '%.60s' the pods are not known: give its podSets", inner->kind);
}

static int component_in(struct kube_making *m, const struct sl_doc_node *component)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *template = sl_doc_member(doc, component, "template");
	const struct sl_doc_node *list = sl_doc_member(doc, component, "podSets");
	const char *kind = manifest_text(doc, sl_doc_member(doc, template, "kind"));
	const char *version = manifest_text(doc, sl_doc_member(doc, template, "apiVersion"));
	const char *name = manifest_text(doc, KUBE_AT(doc, template, "metadata", "name"));
	if (list && list->kind == SL_DOC_LIST && list->count)
		return podsets_said(m, component, list);
	if (!kind || !version)
		return made_fail(m, component, "a component needs a template with apiVersion and kind");
	const struct sl_object inner = { kind, version, m->object->namespace, name ? name : "", doc,
		template };
	return kube_has_no_pods(kind) ? SL_OK : podsets_known(m, &inner);
}

int made_app_wrapper(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *list = KUBE_AT(doc, m->object->node, "spec", "components");
	m->called = *m->object->name ? m->object->name : "component";
	SL_DOC_EACH (component, doc, list) {
		const int status = component_in(m, component);
		if (status)
			return status;
	}
	m->least = m->pods;
	return m->count ? SL_OK : made_fail(m, list, "no component has pods: give its podSets");
}
