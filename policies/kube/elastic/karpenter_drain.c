/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_drain.c - nodes that expired, and nodes that leave (pkg/controllers/nodeclaim/expiration,
 * pkg/controllers/node/termination).
 *
 * A node that is expireAfter old leaves, whatever budgets say, and without a replacement before. Of a node
 * that leaves pods are evicted as PodDisruptionBudgets allow; those with karpenter.sh/do-not-disrupt stay
 * until they end, or until terminationGracePeriod is over: then all go. The node goes with its last pod.
 */
#include "policies/kube/elastic/karpenter.h"

#include <string.h>

bool karpenter_holds(struct kube_scaler *s, uint32_t pod)
{
	const char *text = elastic_annotation(s, pod, "karpenter.sh/do-not-disrupt");
	return (text && strcmp(text, "true") == 0) || s->k->spec[s->k->pod[pod].spec].claims;
}

static void drain(struct kube_scaler *s, uint32_t node)
{
	const bool forced = s->node[node].until <= s->k->now, expired = s->node[node].expired;
	uint32_t next;
	for (uint32_t i = s->k->node[node].first; i != KUBE_NO; i = next) {
		next = s->k->pod[i].next;
		if (forced || (!karpenter_holds(s, i) && elastic_budget_allows(s, i)))
			(expired ? elastic_expire : elastic_evict)(s, i);
	}
	if (s->k->node[node].first == KUBE_NO)
		elastic_gone(s, node);
}

static void expire(struct kube_scaler *s, const struct karpenter_pool *pool, uint32_t node)
{
	const sl_time now = s->k->now;
	const sl_time until = pool->grace == SL_NEVER ? SL_NEVER : now + pool->grace;
	elastic_leave(s, node, now, until, "expired");
	s->node[node].expired = true;
}

sl_time karpenter_drain(struct kube_scaler *s)
{
	const sl_time now = s->k->now;
	sl_time next = SL_NEVER;
	for (uint32_t p = 0; p < s->karpenter->pools; p++) {
		const struct karpenter_pool *pool = &s->karpenter->pool[p];
		const struct elastic_pool *of = &s->pool[pool->pool];
		for (uint32_t i = 0; i < of->nodes; i++) {
			const uint32_t row = of->node[i];
			struct elastic_node *node = &s->node[row];
			const sl_time old =
				pool->expire_after == SL_NEVER ? SL_NEVER : node->made + pool->expire_after;
			if (node->state == ELASTIC_THERE && old <= now)
				expire(s, pool, row);
			if (node->state == ELASTIC_LEAVING && node->at <= now)
				drain(s, row);
			if (node->state == ELASTIC_THERE && old < next)
				next = old;
			if (node->state == ELASTIC_LEAVING && node->at <= now && node->until < next)
				next = node->until;
		}
	}
	return next;
}
