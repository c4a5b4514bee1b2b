/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_spec.c - a pod template becomes a podset and its requests.
 *
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/; Kueue's annotations for
 * topology-aware scheduling: https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/.
 */
#include <string.h>

#include "sim/kube/pods_parts.h"

static const char prefix[] = "kueue.x-k8s.io/";

/* Of Kueue's annotations; NULL: it is not there. */
static const char *annotation(const struct sl_labels *annotations, const char *name)
{
	for (uint32_t i = 0; i < annotations->count; i++)
		if (strncmp(annotations->at[i].key, prefix, strlen(prefix)) == 0 &&
			strcmp(annotations->at[i].key + strlen(prefix), name) == 0)
			return annotations->at[i].value;
	return NULL;
}

/* The node that an error is of. */
static const struct sl_doc_node *annotation_node(
	struct pods_reading *r, const struct sl_doc_node *template, const char *name)
{
	const struct sl_doc_node *map = pods_map(r, pods_map(r, template, "metadata"), "annotations");
	for (const struct sl_doc_node *node = pods_first(r, map); node; node = sl_doc_next(r->doc, node))
		if (strncmp(r->doc->text + node->key, prefix, strlen(prefix)) == 0 &&
			strcmp(r->doc->text + node->key + strlen(prefix), name) == 0)
			return node;
	return template;
}

static int64_t positive(struct pods_reading *r, const struct sl_doc_node *template, const char *name,
	const char *text, int64_t most)
{
	int64_t number = 0;
	if (!sl_get_i64(text, strlen(text), &number) || number < 1 || number > most)
		pods_fail(r, annotation_node(r, template, name),
			"'%s%s' must be a whole number from 1 to %lld, not '%.40s'", prefix, name,
			(long long)most, text);
	return number;
}

/* Slices within slices, as JSON in a text: [{"topology":"...","size":16},...]. */
static void layers_in(struct pods_reading *r, const struct sl_doc_node *template, const char *name,
	const char *text, struct sl_pod_topology *topology)
{
	struct sl_doc doc = { .file = r->doc->file };
	struct sl_err unread = { 0 };
	struct pods_reading inner = { r->arena, &doc, &unread, 0 };
	bool good = sl_doc_read_json(&doc, text, strlen(text), &unread) == SL_OK && doc.count &&
		    doc.node[0].kind == SL_DOC_LIST && doc.node[0].count <= SL_POD_SLICES_MAX;
	for (const struct sl_doc_node *node = good ? sl_doc_child(&doc, &doc.node[0]) : NULL; node && good;
		node = sl_doc_next(&doc, node)) {
		const char *level = pods_text(&inner, node, "topology");
		const int64_t size = pods_number(&inner, node, "size", 0, 1, PODS_MAX);
		good = level && size && !inner.status;
		level = good ? sl_strdup(r->arena, level, strlen(level)) : NULL;
		topology->slice[topology->slice_count].level = level;
		topology->slice[topology->slice_count++].size = size;
	}
	sl_doc_release(&doc);
	if (!good)
		pods_fail(r, annotation_node(r, template, name),
			"'%s%s' must be a list like [{\"topology\":\"rack\",\"size\":16}], of at most %d entries",
			prefix, name, SL_POD_SLICES_MAX);
}

static void pods_topology_of(struct pods_reading *r, const struct sl_doc_node *template,
	const struct sl_labels *annotations, struct sl_pod_topology *topology)
{
	static const char size[] = "podset-slice-size";
	static const char layers[] = "podset-slice-required-topology-constraints";
	const char *slice = annotation(annotations, "podset-slice-required-topology");
	const char *slice_size = annotation(annotations, size);
	const char *constraints = annotation(annotations, layers);
	const char *unconstrained = annotation(annotations, "podset-unconstrained-topology");
	topology->required = annotation(annotations, "podset-required-topology");
	topology->preferred = annotation(annotations, "podset-preferred-topology");
	topology->unconstrained = unconstrained && strcmp(unconstrained, "true") == 0;
	topology->group = annotation(annotations, "podset-group-name");
	if (constraints) {
		layers_in(r, template, layers, constraints, topology);
	} else if (slice) {
		topology->slice[0].level = slice;
		topology->slice[0].size = slice_size ? positive(r, template, size, slice_size, PODS_MAX) : 0;
		topology->slice_count = 1;
	}
	topology->given =
		topology->required || topology->preferred || topology->unconstrained || topology->slice_count;
}

static void claims(struct pods_reading *r, const struct sl_doc_node *list, struct sl_podset *podset)
{
	struct sl_pod_claim *claim = pods_alloc(r, pods_count(list), sizeof(*claim));
	for (const struct sl_doc_node *node = claim ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		struct sl_pod_claim *one = &claim[podset->claim_count++];
		one->name = pods_text(r, node, "name");
		one->claim = pods_text(r, node, "resourceClaimName");
		one->template = pods_text(r, node, "resourceClaimTemplateName");
		if (!one->name || !one->claim == !one->template)
			pods_fail(r, node,
				"a claim needs a 'name', and resourceClaimName or resourceClaimTemplateName");
	}
	podset->claim = claim;
}

/* The gang that it is of: of the API scheduling.k8s.io as of 1.36 or 1.35, or of the coscheduling plugin. */
static void pod_group(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset)
{
	const char *name = pods_text(r, pods_map(r, spec, "schedulingGroup"), "podGroupName");
	podset->in_scheduling_group = name != NULL;
	if (!name)
		name = pods_text(r, pods_map(r, spec, "workloadRef"), "podGroup");
	podset->pod_group = name ? name : sl_label_of(&podset->labels, "scheduling.x-k8s.io/pod-group");
}

struct sl_podset *pods_podsets(struct pods_reading *r, struct sl_pods *pods, size_t count)
{
	struct sl_podset *podset = pods_alloc(r, count, sizeof(*podset));
	pods->podset = podset;
	pods->count = podset ? (uint32_t)count : 0;
	for (uint32_t i = 0; i < pods->count; i++)
		podset[i].priority = SL_NONE;
	return podset;
}

/* Host ports; on the host's network every port is one. */
static void ports_of(struct pods_reading *r, const struct sl_doc_node *container, bool host,
	struct sl_pod_port *port, uint32_t *count)
{
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, container, "ports"));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		const int64_t inner = pods_number(r, node, "containerPort", 0, 0, UINT16_MAX);
		const int64_t outer = pods_number(r, node, "hostPort", host ? inner : 0, 0, UINT16_MAX);
		const char *ip = pods_text(r, node, "hostIP"), *protocol = pods_text(r, node, "protocol");
		if (outer)
			port[(*count)++] = (struct sl_pod_port){ ip ? ip : "0.0.0.0",
				protocol ? protocol : "TCP", outer };
	}
}

static size_t ports_in(struct pods_reading *r, const struct sl_doc_node *list)
{
	size_t count = 0;
	for (const struct sl_doc_node *node = pods_first(r, list); node; node = sl_doc_next(r->doc, node))
		count += pods_count(pods_list(r, node, "ports"));
	return count;
}

/* Their images, and ports of those that stay: init containers' count only of sidecars. */
static void images_and_ports(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset)
{
	const struct sl_doc_node *list[] = { pods_list(r, spec, "initContainers"),
		pods_list(r, spec, "containers") };
	const struct sl_doc_node *volumes = pods_list(r, spec, "volumes");
	const bool host = pods_flag(r, spec, "hostNetwork");
	struct sl_pod_port *port = pods_alloc(r, ports_in(r, list[0]) + ports_in(r, list[1]), sizeof(*port));
	const char **image = pods_alloc(
		r, pods_count(list[0]) + pods_count(list[1]) + pods_count(volumes), sizeof(*image));
	for (size_t i = 0; i < SL_LEN(list); i++)
		for (const struct sl_doc_node *node = pods_first(r, list[i]); node && !r->status;
			node = sl_doc_next(r->doc, node)) {
			const char *name = pods_text(r, node, "image");
			podset->containers_all++;
			if (name)
				image[podset->image_count++] = name;
			if (i == 1 || pods_is_sidecar(r, node))
				ports_of(r, node, host, port, &podset->port_count);
		}
	for (const struct sl_doc_node *node = pods_first(r, volumes); node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const char *name = pods_text(r, pods_map(r, node, "image"), "reference");
		if (name)
			image[podset->image_count++] = name;
	}
	podset->port = port;
	podset->image = image;
}

void pods_template(struct pods_reading *r, const struct sl_doc_node *template, struct sl_podset *podset)
{
	const struct sl_doc_node *metadata = pods_map(r, template, "metadata");
	const struct sl_doc_node *spec = pods_map(r, template, "spec");
	podset->labels = pods_labels(r, pods_map(r, metadata, "labels"));
	podset->annotations = pods_labels(r, pods_map(r, metadata, "annotations"));
	podset->node_selector = pods_labels(r, pods_map(r, spec, "nodeSelector"));
	podset->tolerations = pods_tolerations(r, pods_list(r, spec, "tolerations"));
	pods_request(r, spec, podset);
	pods_containers(r, spec, podset);
	images_and_ports(r, spec, podset);
	pods_pod_affinity(r, spec, podset);
	claims(r, pods_list(r, spec, "resourceClaims"), podset);
	pods_topology_of(r, template, &podset->annotations, &podset->topology);
	podset->priority_class = pods_text(r, spec, "priorityClassName");
	podset->priority = pods_number(r, spec, "priority", SL_NONE, INT32_MIN, INT32_MAX);
	const char *preempts = pods_text(r, spec, "preemptionPolicy");
	podset->never_preempts = preempts && strcmp(preempts, "Never") == 0;
	podset->node = pods_text(r, spec, "nodeName");
	podset->scheduler = pods_text(r, spec, "schedulerName");
	pod_group(r, spec, podset);
}
