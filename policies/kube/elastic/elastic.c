/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic.c - autoscalers beside the scheduler: made of the cluster's objects, run after it at each instant.
 *
 * A Node object made of a template (annotation schedlab/template) is absent at first; so are nodes that a
 * NodeGroup lists beyond its size. All others are there.
 */
#include "policies/kube/elastic/elastic.h"

#include <stdlib.h>
#include <string.h>

static bool says_true(const struct sl_object *object, const struct sl_doc_node *annotations, const char *key)
{
	const char *text = sl_doc_word(object->doc, sl_doc_member(object->doc, annotations, key));
	return text && strcmp(text, "true") == 0;
}

static void take_node_object(struct kube_scaler *s, const struct sl_object *object)
{
	const uint32_t node = elastic_find(s, object->name, strlen(object->name));
	const struct sl_doc_node *annotations = sl_doc_at(object->doc, object->node, "metadata.annotations");
	if (node == KUBE_NO)
		return;
	struct elastic_node *of = &s->node[node];
	of->template = sl_doc_member(object->doc, annotations, "schedlab/template") != NULL;
	of->keep = says_true(object, annotations, "cluster-autoscaler.kubernetes.io/scale-down-disabled") ||
		   says_true(object, annotations, "karpenter.sh/do-not-disrupt");
	of->hash = sl_doc_word(
		object->doc, sl_doc_member(object->doc, annotations, "karpenter.sh/nodepool-hash"));
	if (!of->template)
		return;
	of->state = ELASTIC_ABSENT;
	s->k->node[node].there = false;
}

static int take_nodes(struct kube_scaler *s, struct sl_err *err)
{
	struct kube *k = s->k;
	s->node = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*s->node));
	s->by_rank = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*s->by_rank));
	if (!s->node || !s->by_rank)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < k->nodes; i++) {
		s->by_rank[k->node[i].rank] = i;
		s->node[i] = (struct elastic_node){ .pool = KUBE_NO,
			.offer = KUBE_NO,
			.state = ELASTIC_THERE,
			.unneeded = SL_NONE,
			.drifted = SL_NONE,
			.first = KUBE_NO };
	}
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		if (strcmp(k->cluster->object[i].kind, "Node") == 0)
			take_node_object(s, &k->cluster->object[i]);
	return SL_OK;
}

int kube_scale_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err)
{
	struct kube_scaler *s = sl_alloc(k->arena, 1, sizeof(*s));
	uint32_t pools = 0;
	if (!s)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		pools += strcmp(k->cluster->object[i].kind, "NodeGroup") == 0 ||
			 strcmp(k->cluster->object[i].kind, "NodePool") == 0;
	*s = (struct kube_scaler){ .k = k, .epoch = setup->epoch, .budgets_at = UINT64_MAX, .setup = *setup };
	s->expired = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*s->expired));
	s->pool = sl_alloc(k->arena, (size_t)pools + 1, sizeof(*s->pool));
	k->scaler = s;
	int status = s->pool && s->expired ? take_nodes(s, err) : sl_fail_memory(err);
	if (!status)
		status = elastic_ca_make(s, setup, err);
	if (!status)
		status = elastic_karpenter_make(s, setup, err);
	return status;
}

void kube_scale_free(struct kube *k)
{
	if (!k->scaler)
		return;
	free(k->scaler->move);
	free(k->scaler->event);
	elastic_karpenter_free(k->scaler);
	k->scaler->move = NULL;
	k->scaler->event = NULL;
}

/* When the next node comes that was ordered. */
static sl_time elastic_next(const struct kube_scaler *s)
{
	sl_time next = SL_NEVER;
	for (uint32_t i = 0; i < s->k->nodes; i++)
		if (s->node[i].state == ELASTIC_ORDERED && s->node[i].at < next)
			next = s->node[i].at;
	return next;
}

sl_time kube_scale_run(struct kube *k, bool *again)
{
	struct kube_scaler *s = k->scaler;
	s->evicted = false;
	const sl_time ca = s->ca ? elastic_ca_run(s) : SL_NEVER;
	const sl_time karpenter = s->karpenter ? elastic_karpenter_run(s) : SL_NEVER;
	const sl_time comes = elastic_next(s);
	*again = s->evicted || comes <= k->now;
	sl_time next = ca < karpenter ? ca : karpenter;
	return comes < next ? comes : next;
}
