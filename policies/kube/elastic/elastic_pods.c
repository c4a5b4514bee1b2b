/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_pods.c - pods as autoscalers see them: those that wait for capacity, and what speaks against moving
 * one that runs.
 */
#include "policies/kube/elastic/elastic.h"

#include <string.h>

uint32_t elastic_pending(const struct kube_scaler *s, int64_t priority, uint32_t *pod)
{
	const struct kube *k = s->k;
	uint32_t count = 0;
	for (size_t i = 0; i < k->parked_count && count < ELASTIC_PODS_MAX; i++) {
		const struct kube_pod *of = &k->pod[k->parked[i]];
		if (of->state == KUBE_POD_PARKED && of->place == i && of->nominated == KUBE_NO &&
			of->priority >= priority)
			pod[count++] = k->parked[i];
	}
	return count;
}

const char *elastic_annotation(const struct kube_scaler *s, uint32_t pod, const char *key)
{
	return sl_label_of(&s->k->spec[s->k->pod[pod].spec].podset->annotations, key);
}

/* ---- Budgets ------------------------------------------------------------------------------------ */

static bool node_within(struct kube *k, uint32_t node, const struct kube_budget *budget)
{
	int64_t covered = 0;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next)
		covered += kube_budget_covers(k, budget, i);
	return covered <= budget->allowed;
}

static void count_budgets(struct kube_scaler *s)
{
	if (s->budgets_at != elastic_stamp(s))
		kube_budgets_count(s->k);
	s->budgets_at = elastic_stamp(s);
}

bool elastic_budgets_allow(struct kube_scaler *s, uint32_t node)
{
	count_budgets(s);
	for (uint32_t i = 0; i < s->k->budgets; i++)
		if (!node_within(s->k, node, &s->k->budget[i]))
			return false;
	return true;
}

bool elastic_budget_allows(struct kube_scaler *s, uint32_t pod)
{
	count_budgets(s);
	for (uint32_t i = 0; i < s->k->budgets; i++)
		if (s->k->budget[i].allowed < 1 && kube_budget_covers(s->k, &s->k->budget[i], pod))
			return false;
	return true;
}

/* ---- Where it comes from ------------------------------------------------------------------------ */

static const struct sl_pods *pods_of(const struct kube_scaler *s, uint32_t pod)
{
	return s->k->job[s->k->pod[pod].job].pods;
}

bool elastic_is_bare(const struct kube_scaler *s, uint32_t pod)
{
	const struct sl_pods *pods = pods_of(s, pod);
	return strcmp(pods->kind, "Pod") == 0 && pods->doc &&
	       !sl_doc_at(pods->doc, &pods->doc->node[0], "metadata.ownerReferences");
}

/* Is the name in "a,b"? */
static bool is_named(const char *list, const char *name)
{
	const size_t len = strlen(name);
	while (list && *list) {
		const size_t part = strcspn(list, ",");
		if (part == len && memcmp(list, name, len) == 0)
			return true;
		list += part + (list[part] == ',');
	}
	return false;
}

static bool is_local(const struct sl_doc *doc, const struct sl_doc_node *volume, const char *safe)
{
	const struct sl_doc_node *empty = sl_doc_member(doc, volume, "emptyDir");
	const char *medium = sl_doc_word(doc, sl_doc_member(doc, empty, "medium"));
	const char *name = sl_doc_word(doc, sl_doc_member(doc, volume, "name"));
	if (!sl_doc_member(doc, volume, "hostPath") && (!empty || (medium && strcmp(medium, "Memory") == 0)))
		return false;
	return !name || !is_named(safe, name);
}

/* The `volumes` of any pod template in it. Documents are no deeper than SL_DOC_DEPTH_MAX.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool has_local(const struct sl_doc *doc, const struct sl_doc_node *node, const char *safe)
{
	if (node->kind == SL_DOC_TEXT)
		return false;
	SL_DOC_EACH (at, doc, node) {
		const bool volumes = node->kind == SL_DOC_MAP && at->kind == SL_DOC_LIST &&
				     strcmp(sl_doc_key_of(doc, at), "volumes") == 0;
		if (!volumes && has_local(doc, at, safe))
			return true;
		if (!volumes)
			continue;
		SL_DOC_EACH (volume, doc, at)
			if (is_local(doc, volume, safe))
				return true;
	}
	return false;
}

bool elastic_has_local_storage(const struct kube_scaler *s, uint32_t pod)
{
	const struct sl_pods *pods = pods_of(s, pod);
	const char *safe =
		elastic_annotation(s, pod, "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes");
	return pods->doc && has_local(pods->doc, &pods->doc->node[0], safe);
}
