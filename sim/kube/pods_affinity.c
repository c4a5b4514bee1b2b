/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_affinity.c - node affinity, pod affinity and anti-affinity, topology spread constraints.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ and
 * .../topology-spread-constraints/.
 */
#include <string.h>

#include "sim/kube/pods_parts.h"

static const char required_key[] = "requiredDuringSchedulingIgnoredDuringExecution";
static const char preferred_key[] = "preferredDuringSchedulingIgnoredDuringExecution";

/* ---- Nodes -------------------------------------------------------------------------------------------- */

/* A term has expressions of labels, or of the node's name. */
static struct sl_label_term node_term(struct pods_reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *labels = pods_list(r, node, "matchExpressions");
	const struct sl_doc_node *fields = pods_list(r, node, "matchFields");
	struct sl_label_term term = pods_expressions(r, labels ? labels : fields);
	term.of_fields = !labels && fields;
	if (labels && fields)
		pods_fail(r, fields,
			"'matchFields' beside 'matchExpressions' is not read: give terms of one of them");
	return term;
}

static void node_affinity(struct pods_reading *r, const struct sl_doc_node *map, struct sl_podset *podset)
{
	const struct sl_doc_node *terms = pods_list(r, pods_map(r, map, required_key), "nodeSelectorTerms");
	const struct sl_doc_node *wishes = pods_list(r, map, preferred_key);
	struct sl_label_term *required = pods_alloc(r, pods_count(terms), sizeof(*required));
	struct sl_label_term *preferred = pods_alloc(r, pods_count(wishes), sizeof(*preferred));
	for (const struct sl_doc_node *node = required ? pods_first(r, terms) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node))
		required[podset->required_count++] = node_term(r, node);
	for (const struct sl_doc_node *node = preferred ? pods_first(r, wishes) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		struct sl_label_term *term = &preferred[podset->preferred_count++];
		*term = node_term(r, pods_map(r, node, "preference"));
		term->weight = (int32_t)pods_number(r, node, "weight", 1, 1, 100);
	}
	podset->required = required;
	podset->preferred = preferred;
}

/* ---- Pods -----------------------------------------------------------------------------------------------
 */

static struct sl_pod_affinity pod_affinity_term(struct pods_reading *r, const struct sl_doc_node *node)
{
	struct sl_pod_affinity pod_affinity = { .key = pods_text(r, node, "topologyKey") };
	const struct sl_doc_node *spaces = pods_map(r, node, "namespaceSelector");
	pod_affinity.pods = pods_selector(r, pods_map(r, node, "labelSelector"));
	pod_affinity.namespace =
		pods_texts(r, pods_list(r, node, "namespaces"), &pod_affinity.namespace_count);
	pod_affinity.all_spaces = spaces && !spaces->count;
	if (!pod_affinity.key && node)
		pods_fail(r, node, "pod affinity needs a 'topologyKey'");
	if (spaces && spaces->count)
		pods_fail(r, spaces,
			"'namespaceSelector' is read as {} (all) only: list 'namespaces' in place of it");
	return pod_affinity;
}

static size_t terms_of(struct pods_reading *r, const struct sl_doc_node *map)
{
	return pods_count(pods_list(r, map, required_key)) + pods_count(pods_list(r, map, preferred_key));
}

static void pod_affinity_add(struct pods_reading *r, const struct sl_doc_node *map, bool anti,
	struct sl_pod_affinity *pod_affinity, uint32_t *count)
{
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, map, required_key));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		pod_affinity[*count] = pod_affinity_term(r, node);
		pod_affinity[(*count)++].anti = anti;
	}
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, map, preferred_key));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		const struct sl_doc_node *term = pods_map(r, node, "podAffinityTerm");
		if (!term) {
			pods_fail(r, node, "a preferred pod affinity needs a 'podAffinityTerm'");
			return;
		}
		pod_affinity[*count] = pod_affinity_term(r, term);
		pod_affinity[*count].weight = (int32_t)pods_number(r, node, "weight", 1, 1, 100);
		pod_affinity[(*count)++].anti = anti;
	}
}

static void pods_affinity_spread(
	struct pods_reading *r, const struct sl_doc_node *list, struct sl_podset *podset)
{
	struct sl_pod_spread *at = pods_alloc(r, pods_count(list), sizeof(*at));
	for (const struct sl_doc_node *node = at ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const char *when = pods_text(r, node, "whenUnsatisfiable");
		struct sl_pod_spread *one = &at[podset->spread_count++];
		one->key = pods_text(r, node, "topologyKey");
		one->max_skew = pods_number(r, node, "maxSkew", 1, 1, INT32_MAX);
		one->min_domains = pods_number(r, node, "minDomains", 1, 1, INT32_MAX);
		one->hard = !when || strcmp(when, "ScheduleAnyway") != 0;
		one->pods = pods_selector(r, pods_map(r, node, "labelSelector"));
		if (!one->key)
			pods_fail(r, node, "a spread constraint needs a 'topologyKey'");
	}
	podset->spread = at;
}

void pods_pod_affinity(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset)
{
	const struct sl_doc_node *affinity = pods_map(r, spec, "affinity");
	const struct sl_doc_node *with = pods_map(r, affinity, "podAffinity");
	const struct sl_doc_node *without = pods_map(r, affinity, "podAntiAffinity");
	node_affinity(r, pods_map(r, affinity, "nodeAffinity"), podset);
	pods_affinity_spread(r, pods_list(r, spec, "topologySpreadConstraints"), podset);
	struct sl_pod_affinity *pod_affinity =
		pods_alloc(r, terms_of(r, with) + terms_of(r, without), sizeof(*pod_affinity));
	podset->pod_affinity = pod_affinity;
	if (!pod_affinity)
		return;
	pod_affinity_add(r, with, false, pod_affinity, &podset->pod_affinity_count);
	pod_affinity_add(r, without, true, pod_affinity, &podset->pod_affinity_count);
}
