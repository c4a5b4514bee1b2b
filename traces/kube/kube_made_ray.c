/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made_ray.c - pods of RayJobs, RayClusters and RayServices.
 *
 * https://github.com/ray-project/kuberay (ray-operator/apis/ray/v1, controllers/ray/common): a head, and for
 * each group of workers replicas (between minReplicas and maxReplicas) of numOfHosts pods; with
 * enableInTreeAutoscaling the head has a container for the autoscaler. A RayJob in K8sJobMode has a pod that
 * submits; in SidecarMode it is a container of the head.
 */
#include "traces/kube/kube_made.h"

#include <stdlib.h>
#include <string.h>

/* KubeRay's own, where nothing is said. */
static const char submitter_asks[] = "{\"requests\":{\"cpu\":\"500m\",\"memory\":\"200Mi\"},"
				     "\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}";
static const char autoscaler_asks[] = "{\"requests\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"},"
				      "\"limits\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"}}";

static bool says(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key, const char *word)
{
	const char *text = manifest_text(doc, sl_doc_member(doc, map, key));
	return text && strcmp(text, word) == 0;
}

/* ---- The head ------------------------------------------------------------------------------------------ */

static void put_container(struct manifest_text *text, const char *name, const struct sl_doc *doc,
	const struct sl_doc_node *resources, const char *otherwise)
{
	made_put(text, ",{\"name\":\"");
	made_put(text, name);
	made_put(text, "\",\"resources\":");
	if (resources)
		kube_put_object(text, doc, resources);
	else
		made_put(text, otherwise);
	made_put(text, "}");
}

/* With its own containers first, and those that KubeRay adds. */
static void put_head(struct manifest_text *text, const struct kube_making *m,
	const struct sl_doc_node *cluster, const struct sl_doc_node *template, bool submits)
{
	static const char *const but_spec[] = { "spec", NULL };
	static const char *const but[] = { "containers", NULL };
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = sl_doc_member(doc, template, "spec");
	bool first = true;
	made_put_open(text, doc, template, but_spec);
	made_put(text, "\"spec\":");
	made_put_open(text, doc, spec, but);
	made_put(text, "\"containers\":[");
	SL_DOC_EACH (container, doc, sl_doc_member(doc, spec, "containers")) {
		if (!first)
			made_put(text, ",");
		first = false;
		kube_put_object(text, doc, container);
	}
	if (first)
		made_put(text, "{\"name\":\"ray-head\"}");
	if (says(doc, cluster, "enableInTreeAutoscaling", "true"))
		put_container(text, "autoscaler", doc,
			KUBE_AT(doc, cluster, "autoscalerOptions", "resources"), autoscaler_asks);
	if (submits)
		put_container(text, "ray-job-submitter", doc, NULL, submitter_asks);
	made_put(text, "]}}");
}

static int head_in(struct kube_making *m, const struct sl_doc_node *cluster, bool submits)
{
	struct manifest_text text = { 0 };
	const struct sl_doc_node *template = KUBE_AT(m->object->doc, cluster, "headGroupSpec", "template");
	if (!template)
		return made_fail(m, cluster, "it has no headGroupSpec.template: give one");
	put_head(&text, m, cluster, template, submits);
	const int status = made_podset_text(m, "head", 1, &text);
	free(text.text);
	return status;
}

/* ---- Workers ------------------------------------------------------------------------------------------- */

static int workers_in(struct kube_making *m, const struct sl_doc_node *group)
{
	const struct sl_doc *doc = m->object->doc;
	const char *name = manifest_text(doc, sl_doc_member(doc, group, "groupName"));
	int64_t count, least, most, hosts;
	int status = made_number(m, group, "minReplicas", 0, &least);
	if (!status)
		status = made_number(m, group, "replicas", least, &count);
	if (!status && says(doc, group, "maxReplicas", "2147483647"))
		most = MADE_PODS_MAX;
	else if (!status)
		status = made_number(m, group, "maxReplicas", MADE_PODS_MAX, &most);
	if (!status)
		status = made_number(m, group, "numOfHosts", 1, &hosts);
	if (status)
		return status;
	count = count < least ? least : count;
	count = count > most ? most : count;
	if (says(doc, group, "suspend", "true"))
		count = 0;
	return made_podset(
		m, name ? name : "worker", count * (hosts > 1 ? hosts : 1), KUBE_AT(doc, group, "template"));
}

static int cluster_in(struct kube_making *m, const struct sl_doc_node *cluster, bool submits)
{
	int status = head_in(m, cluster, submits);
	SL_DOC_EACH (group, m->object->doc, sl_doc_member(m->object->doc, cluster, "workerGroupSpecs")) {
		if (status)
			return status;
		status = workers_in(m, group);
	}
	m->least = m->pods;
	return status;
}

/* ---- Kinds --------------------------------------------------------------------------------------------- */

int made_ray_cluster(struct kube_making *m)
{
	return cluster_in(m, KUBE_AT(m->object->doc, m->object->node, "spec"), false);
}

int made_ray_service(struct kube_making *m)
{
	return cluster_in(m, KUBE_AT(m->object->doc, m->object->node, "spec", "rayClusterConfig"), false);
}

int made_ray_job(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec");
	const struct sl_doc_node *template = KUBE_AT(doc, spec, "submitterPodTemplate");
	const struct sl_doc_node *selector = KUBE_AT(doc, spec, "clusterSelector");
	const char *mode = manifest_text(doc, KUBE_AT(doc, spec, "submissionMode"));
	struct manifest_text text = { 0 };
	if (selector && selector->count)
		return made_fail(m, selector,
			"with 'clusterSelector' it runs on a RayCluster that is there: "
			"give that RayCluster, and no RayJob");
	int status =
		cluster_in(m, KUBE_AT(doc, spec, "rayClusterSpec"), mode && strcmp(mode, "SidecarMode") == 0);
	if (status || (mode && strcmp(mode, "K8sJobMode") != 0))
		return status;
	if (template)
		return made_podset(m, "submitter", 1, template);
	made_put(&text, "{\"spec\":{\"containers\":[{\"name\":\"ray-job-submitter\",\"resources\":");
	made_put(&text, submitter_asks);
	made_put(&text, "}]}}");
	status = made_podset_text(m, "submitter", 1, &text);
	free(text.text);
	return status;
}
