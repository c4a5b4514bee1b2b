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

/* A term has expressions of labels, and of the node's name: all have to hold. */
static struct sl_label_term node_term(struct pods_reading *r, const struct sl_doc_node *node)
{
	struct sl_label_term term = pods_expressions(r, pods_list(r, node, "matchExpressions"));
	const struct sl_label_term fields = pods_expressions(r, pods_list(r, node, "matchFields"));
	term.field = fields.expr;
	term.field_count = fields.count;
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

/* matchLabelKeys, mismatchLabelKeys: the pod's own values of these labels are wanted too, or not; of labels
 * that it lacks nothing is. The API server writes them into the selector as the pod is created. */
static void match_keys(struct pods_reading *r, const struct sl_doc_node *node, const char *name,
	enum sl_label_op op, const struct sl_labels *own, struct sl_label_selector *selector)
{
	const struct sl_doc_node *list = selector->nothing ? NULL : pods_list(r, node, name);
	struct sl_label_term *term = &selector->term;
	struct sl_label_expr *expr = pods_alloc(r, term->count + pods_count(list), sizeof(*expr));
	uint32_t keys, count = 0;
	const char *const *key = pods_texts(r, list, &keys);
	if (!list || !expr)
		return;
	for (; count < term->count; count++)
		expr[count] = term->expr[count];
	for (uint32_t i = 0; i < keys; i++) {
		const char **value = pods_alloc(r, 1, sizeof(*value));
		const char *has = sl_label_of(own, key[i]);
		if (!has || !value)
			continue;
		*value = has;
		expr[count++] = (struct sl_label_expr){ key[i], op, value, 1 };
	}
	term->expr = expr;
	term->count = count;
}

static struct sl_pod_affinity pod_affinity_term(
	struct pods_reading *r, const struct sl_doc_node *node, const struct sl_labels *own)
{
	struct sl_pod_affinity pod_affinity = { .key = pods_text(r, node, "topologyKey") };
	pod_affinity.spaces = pods_selector(r, pods_map(r, node, "namespaceSelector"));
	pod_affinity.pods = pods_selector(r, pods_map(r, node, "labelSelector"));
	match_keys(r, node, "matchLabelKeys", SL_LABEL_IN, own, &pod_affinity.pods);
	match_keys(r, node, "mismatchLabelKeys", SL_LABEL_NOT_IN, own, &pod_affinity.pods);
	pod_affinity.namespace =
		pods_texts(r, pods_list(r, node, "namespaces"), &pod_affinity.namespace_count);
	if (!pod_affinity.key && node)
		pods_fail(r, node, "pod affinity needs a 'topologyKey'");
	return pod_affinity;
}

static size_t terms_of(struct pods_reading *r, const struct sl_doc_node *map)
{
	return pods_count(pods_list(r, map, required_key)) + pods_count(pods_list(r, map, preferred_key));
}

static void pod_affinity_add(struct pods_reading *r, const struct sl_doc_node *map, bool anti,
	const struct sl_labels *own, struct sl_pod_affinity *pod_affinity, uint32_t *count)
{
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, map, required_key));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		pod_affinity[*count] = pod_affinity_term(r, node, own);
		pod_affinity[(*count)++].anti = anti;
	}
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, map, preferred_key));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		const struct sl_doc_node *term = pods_map(r, node, "podAffinityTerm");
		if (!term) {
			pods_fail(r, node, "a preferred pod affinity needs a 'podAffinityTerm'");
			return;
		}
		pod_affinity[*count] = pod_affinity_term(r, term, own);
		pod_affinity[*count].weight = (int32_t)pods_number(r, node, "weight", 1, 1, 100);
		pod_affinity[(*count)++].anti = anti;
	}
}

static bool is_policy(struct pods_reading *r, const struct sl_doc_node *node, const char *key,
	const char *wanted, const char *other)
{
	const char *word = pods_text(r, node, key);
	const bool is = word && strcmp(word, wanted) == 0;
	if (word && !is && strcmp(word, other) != 0)
		pods_fail(r, sl_doc_member(r->doc, node, key), "'%s' must be Honor or Ignore, not '%.40s'",
			key, word);
	return is;
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
		match_keys(r, node, "matchLabelKeys", SL_LABEL_IN, &podset->labels, &one->pods);
		one->any_affinity = is_policy(r, node, "nodeAffinityPolicy", "Ignore", "Honor");
		one->minds_taints = is_policy(r, node, "nodeTaintsPolicy", "Honor", "Ignore");
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
	pod_affinity_add(r, with, false, &podset->labels, pod_affinity, &podset->pod_affinity_count);
	pod_affinity_add(r, without, true, &podset->labels, pod_affinity, &podset->pod_affinity_count);
}
