/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_kinds.c - the podsets of a Workload, Job, JobSet, LeaderWorkerSet or Pod.
 *
 * As Kueue's integrations make podsets of them (https://kueue.sigs.k8s.io/docs/tasks/run/): a Job has one,
 * "main", of its parallelism, or of its completions where they are fewer; a JobSet one for each replicated
 * job; for LeaderWorkerSets see pods_lws.c.
 */
#include <stdio.h>
#include <string.h>

#include "sim/kube/pods_parts.h"

#define KUEUE "kueue.x-k8s.io/"

/* How many pods of a Job run at a time. */
static int64_t parallelism(struct pods_reading *r, const struct sl_doc_node *spec)
{
	const int64_t wanted = pods_number(r, spec, "parallelism", 1, 0, PODS_MAX);
	const int64_t completions = pods_number(r, spec, "completions", wanted, 0, PODS_MAX);
	return completions < wanted ? completions : wanted;
}

static bool is_indexed(struct pods_reading *r, const struct sl_doc_node *spec)
{
	const char *mode = pods_text(r, spec, "completionMode");
	return mode && strcmp(mode, "Indexed") == 0;
}

/* ---- Workload -------------------------------------------------------------------------------------- */

static void layer_add(
	struct pods_reading *r, const struct sl_doc_node *list, struct sl_pod_topology *topology)
{
	for (const struct sl_doc_node *node = pods_first(r, list); node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		if (topology->slice_count == SL_POD_SLICES_MAX) {
			pods_fail(r, node, "more than %d layers of slices", SL_POD_SLICES_MAX);
			return;
		}
		topology->slice[topology->slice_count].level = pods_text(r, node, "topology");
		topology->slice[topology->slice_count++].size = pods_number(r, node, "size", 1, 1, PODS_MAX);
	}
}

/* spec.podSets[].topologyRequest: what is given there holds, not the annotations. */
static void topology_in(
	struct pods_reading *r, const struct sl_doc_node *map, struct sl_pod_topology *topology)
{
	if (!map)
		return;
	*topology = (struct sl_pod_topology){ .required = pods_text(r, map, "required"),
		.preferred = pods_text(r, map, "preferred"),
		.unconstrained = pods_flag(r, map, "unconstrained"),
		.group = pods_text(r, map, "podSetGroupName"),
		.pod_index_label = pods_text(r, map, "podIndexLabel"),
		.sub_group_index_label = pods_text(r, map, "subGroupIndexLabel"),
		.sub_group_count = pods_number(r, map, "subGroupCount", 0, 0, PODS_MAX) };
	const char *slice = pods_text(r, map, "podSetSliceRequiredTopology");
	const struct sl_doc_node *layers = pods_list(r, map, "podsetSliceRequiredTopologyConstraints");
	layer_add(r, layers ? layers : pods_list(r, map, "podSetSliceRequiredTopologyConstraints"), topology);
	if (slice && !topology->slice_count) {
		topology->slice[0].level = slice;
		topology->slice[0].size = pods_number(r, map, "podSetSliceSize", 1, 1, PODS_MAX);
		topology->slice_count = 1;
	}
	topology->given =
		topology->required || topology->preferred || topology->unconstrained || topology->slice_count;
}

static const char *class_of_workload(struct pods_reading *r, const struct sl_doc_node *spec)
{
	const char *name = pods_text(r, pods_map(r, spec, "priorityClassRef"), "name");
	return name ? name : pods_text(r, spec, "priorityClassName"); /* As of v1beta2; as of v1beta1. */
}

static void workload_in(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	const struct sl_doc_node *spec = pods_map(r, object, "spec");
	const struct sl_doc_node *list = pods_list(r, spec, "podSets");
	struct sl_podset *podset = pods_podsets(r, pods, pods_count(list));
	pods->priority_class = class_of_workload(r, spec);
	for (const struct sl_doc_node *node = podset ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node), podset++) {
		const char *name = pods_text(r, node, "name");
		pods_template(r, pods_map(r, node, "template"), podset);
		podset->name = name ? name : "main";
		podset->count = pods_number(r, node, "count", 1, 0, PODS_MAX);
		podset->min_count = pods_number(r, node, "minCount", 0, 0, PODS_MAX);
		topology_in(r, pods_map(r, node, "topologyRequest"), &podset->topology);
	}
}

/* ---- Job, JobSet ------------------------------------------------------------------------------------- */

static void pods_kinds_job_in(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	static const char key[] = KUEUE "job-min-parallelism";
	const struct sl_doc_node *spec = pods_map(r, object, "spec");
	struct sl_podset *podset = pods_podsets(r, pods, 1);
	if (!podset)
		return;
	pods_template(r, pods_map(r, spec, "template"), podset);
	podset->name = "main";
	podset->count = parallelism(r, spec);
	podset->min_count = pods_number(
		r, pods_map(r, pods_map(r, object, "metadata"), "annotations"), key, 0, 1, PODS_MAX);
	if (is_indexed(r, spec))
		podset->topology.pod_index_label = "batch.kubernetes.io/job-completion-index";
}

/* The domain that each of its jobs has to itself (kubernetes-sigs/jobset, pkg/webhooks): for all of the
 * JobSet, or of one replicated job. */
static const char *exclusive_of(
	struct pods_reading *r, const struct sl_doc_node *object, const struct sl_doc_node *replicated)
{
	static const char key[] = "alpha.jobset.sigs.k8s.io/exclusive-topology";
	const struct sl_doc_node *of[] = { pods_map(r, replicated, "template"), object };
	const char *topology = NULL;
	for (size_t i = 0; i < SL_LEN(of) && !topology; i++)
		topology = pods_text(r, pods_map(r, pods_map(r, of[i], "metadata"), "annotations"), key);
	return topology;
}

/* Its jobs, each with a label of its own, as parts of the podset. */
static void jobs_apart(struct pods_reading *r, const struct sl_doc_node *object, const char *topology,
	int64_t replicas, struct sl_podset *podset)
{
	const struct sl_doc_node *metadata = pods_map(r, object, "metadata");
	const char *namespace = pods_text(r, metadata, "namespace");
	const char *name = pods_text(r, metadata, "name");
	struct sl_podset *part = pods_alloc(r, (size_t)replicas, sizeof(*part));
	for (int64_t i = 0; part && i < replicas && !r->status; i++) {
		char key[900];
		const int len = snprintf(key, sizeof(key), "%.253s/%.253s-%.253s-%lld",
			namespace ? namespace : "default", name ? name : "", podset->name, (long long)i);
		part[i] = *podset;
		part[i].count = podset->count / replicas;
		pods_alone_in(r, &part[i], topology, "jobset.sigs.k8s.io/job-key",
			sl_strdup(r->arena, key, (size_t)len));
	}
	podset->part = part;
	podset->part_count = part ? (uint32_t)replicas : 0;
}

/* A slice without a size is one of its jobs. */
static void job_set_in(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	const struct sl_doc_node *list = pods_list(r, pods_map(r, object, "spec"), "replicatedJobs");
	struct sl_podset *podset = pods_podsets(r, pods, pods_count(list));
	for (const struct sl_doc_node *node = podset ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node), podset++) {
		const struct sl_doc_node *spec = pods_map(r, pods_map(r, node, "template"), "spec");
		const char *name = pods_text(r, node, "name");
		const int64_t replicas = pods_number(r, node, "replicas", 1, 0, PODS_MAX);
		const int64_t each = parallelism(r, spec);
		pods_template(r, pods_map(r, spec, "template"), podset);
		podset->name = name ? name : "main";
		podset->count = replicas * each;
		podset->topology.pod_index_label = "batch.kubernetes.io/job-completion-index";
		podset->topology.sub_group_index_label = "jobset.sigs.k8s.io/job-index";
		podset->topology.sub_group_count = replicas;
		if (podset->topology.slice_count == 1 && !podset->topology.slice[0].size)
			podset->topology.slice[0].size = each > 0 ? each : 1;
		const char *topology = exclusive_of(r, object, node);
		if (podset->count > PODS_MAX)
			pods_fail(r, node, "more than %d pods", PODS_MAX);
		else if (topology && podset->count)
			jobs_apart(r, object, topology, replicas, podset);
	}
}

/* ---- Pod ------------------------------------------------------------------------------------------------
 */

static void pod_in(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	struct sl_podset *podset = pods_podsets(r, pods, 1);
	if (!podset)
		return;
	pods_template(r, object, podset);
	podset->name = "main";
	podset->count = 1;
}

/* ---- All -------------------------------------------------------------------------------------------------
 */

static const struct {
	const char *kind;
	void (*read)(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods);
} kinds[] = {
	{ "Workload", workload_in },
	{ "Job", pods_kinds_job_in },
	{ "JobSet", job_set_in },
	{ "LeaderWorkerSet", pods_lws },
	{ "Pod", pod_in },
};

bool sl_pods_has(const char *kind)
{
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return true;
	return false;
}

/* Where sizes are still open or are none. */
static void pods_kinds_check(
	struct pods_reading *r, const struct sl_doc_node *object, const struct sl_pods *pods)
{
	for (uint32_t i = 0; i < pods->count && !r->status; i++) {
		const struct sl_podset *podset = &pods->podset[i];
		if (podset->min_count > podset->count)
			pods_fail(r, object, "podset '%.60s' has a least count of %lld, above its count %lld",
				podset->name, (long long)podset->min_count, (long long)podset->count);
		for (uint32_t k = 0; k < podset->topology.slice_count; k++)
			if (podset->topology.slice[k].size < 1)
				pods_fail(r, object,
					"podset '%.60s' needs a size of its slices: give '" KUEUE
					"podset-slice-size'",
					podset->name);
	}
}

static void pods_object(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods)
{
	const struct sl_doc_node *metadata = pods_map(r, object, "metadata");
	const char *kind = pods_text(r, object, "kind");
	size_t i = 0;
	*pods = (struct sl_pods){ .kind = "", .doc = r->doc };
	while (kind && i < SL_LEN(kinds) && strcmp(kinds[i].kind, kind) != 0)
		i++;
	if (!kind || i == SL_LEN(kinds)) {
		pods_fail(r, object,
			"'%.40s' has no pods that are read: give a Workload, Job, JobSet, "
			"LeaderWorkerSet or Pod",
			kind ? kind : "an object without kind");
		return;
	}
	pods->kind = kinds[i].kind;
	pods->uid = pods_text(r, metadata, "uid");
	pods->labels = pods_labels(r, pods_map(r, metadata, "labels"));
	pods->annotations = pods_labels(r, pods_map(r, metadata, "annotations"));
	pods->priority_class = sl_label_of(&pods->labels, KUEUE "priority-class");
	kinds[i].read(r, object, pods);
	pods_kinds_check(r, object, pods);
}

int sl_pods_read(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *object,
	struct sl_pods *pods, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	pods_object(&r, object, pods);
	return r.status;
}
