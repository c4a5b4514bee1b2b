/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_budget.c - disruption budgets of NodePools (pkg/apis/v1/nodepool.go,
 * GetAllowedDisruptionsByReason; helpers.go, BuildDisruptionBudgetMapping): the least that an active budget
 * of the reason allows, of nodes that are there, less those that are down or leave. Percents are rounded up.
 * Without any: 10 %.
 *
 * A schedule (sim/kube/cron.c) is in UTC; its budget is active for its duration from each hit on. Time 0 is
 * that of the trace; where the trace has no dates, it is 1970-01-01 00:00, a Thursday.
 */
#include "policies/kube/elastic/karpenter.h"

#include <string.h>

#define MINUTE (60 * SL_SECOND)
enum { MINUTES_MAX = 60 * 24 * 366 }; /* Of a duration. */

/* ---- Schedules ----------------------------------------------------------------------------------- */

/* A hit after now - duration, and not after now. */
static bool is_active(const struct kube_scaler *s, const struct karpenter_budget *budget)
{
	if (!budget->scheduled)
		return true;
	const sl_time now = s->epoch * SL_SECOND + s->k->now;
	for (int64_t at = now / MINUTE; at >= 0 && at * MINUTE > now - budget->duration; at--)
		if (sl_cron_hits(&budget->schedule, at))
			return true;
	return false;
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static int take_reasons(const struct sl_doc *doc, const struct sl_doc_node *at,
	struct karpenter_budget *budget, struct sl_err *err)
{
	static const char *const names[KARPENTER_REASONS] = { "Underutilized", "Empty", "Drifted" };
	SL_DOC_EACH (one, doc, sl_doc_member(doc, at, "reasons")) {
		const char *word = sl_doc_word(doc, one);
		size_t reason = 0;
		while (word && reason < KARPENTER_REASONS && strcmp(names[reason], word) != 0)
			reason++;
		const struct sl_place place = sl_doc_place(doc, one);
		if (!word || reason == KARPENTER_REASONS)
			return sl_fail_at(
				err, &place, "a budget's reasons are Underutilized, Empty and Drifted");
		budget->reasons |= 1U << reason;
	}
	return SL_OK;
}

static int take_budget(const struct sl_doc *doc, const struct sl_doc_node *at,
	struct karpenter_budget *budget, struct sl_err *err)
{
	const char *nodes = sl_doc_word(doc, sl_doc_member(doc, at, "nodes"));
	const char *schedule = sl_doc_word(doc, sl_doc_member(doc, at, "schedule"));
	const char *duration = sl_doc_word(doc, sl_doc_member(doc, at, "duration"));
	const struct sl_place place = sl_doc_place(doc, at);
	nodes = nodes ? nodes : "10%";
	const size_t len = strlen(nodes);
	const bool percent = len && nodes[len - 1] == '%';
	*budget = (struct karpenter_budget){ .scheduled = schedule != NULL };
	if (!sl_get_i64(nodes, len - percent, &budget->nodes) || budget->nodes < 0 ||
		(percent && budget->nodes > 100))
		return sl_fail_at(
			err, &place, "a budget's 'nodes' is a number or percents, not '%.40s'", nodes);
	if (percent)
		budget->nodes = -budget->nodes - 1;
	if ((schedule != NULL) != (duration != NULL))
		return sl_fail_at(err, &place, "a budget has a schedule and a duration, or neither");
	if (schedule && !sl_cron_read(schedule, &budget->schedule))
		return sl_fail_at(err, &place,
			"'%.80s' is no schedule: five fields as cron has them, or @daily", schedule);
	const struct sl_object object = { .doc = doc, .node = at };
	int status = elastic_time(&object, "duration", false, &budget->duration, err);
	if (!status && budget->duration / MINUTE > MINUTES_MAX)
		status = sl_fail_at(err, &place, "a budget's duration is at most 366 days");
	return status ? status : take_reasons(doc, at, budget, err);
}

int karpenter_budgets_read(struct karpenter_pool *pool, struct sl_err *err)
{
	const struct sl_doc *doc = pool->object->doc;
	const struct sl_doc_node *list = sl_doc_at(doc, pool->object->node, "spec.disruption.budgets");
	const struct sl_place place = sl_doc_place(doc, pool->object->node);
	if (!list)
		pool->budget[pool->budgets++] = (struct karpenter_budget){ .nodes = -11 };
	SL_DOC_EACH (at, doc, list) {
		if (pool->budgets == KARPENTER_BUDGETS_MAX)
			return sl_fail_at(
				err, &place, "a NodePool has at most %d budgets", KARPENTER_BUDGETS_MAX);
		const int status = take_budget(doc, at, &pool->budget[pool->budgets++], err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- How many ------------------------------------------------------------------------------------ */

int64_t karpenter_allowed(
	const struct kube_scaler *s, const struct karpenter_pool *pool, enum karpenter_reason reason)
{
	const struct elastic_pool *of = &s->pool[pool->pool];
	int64_t nodes = 0, disrupted = 0, allowed = INT32_MAX;
	for (uint32_t i = 0; i < of->nodes; i++) {
		const struct elastic_node *node = &s->node[of->node[i]];
		nodes += node->state >= ELASTIC_THERE;
		disrupted += node->state == ELASTIC_LEAVING ||
			     (node->state == ELASTIC_THERE && !s->k->node[of->node[i]].up);
	}
	for (uint32_t i = 0; i < pool->budgets; i++) {
		const struct karpenter_budget *budget = &pool->budget[i];
		if ((budget->reasons && !(budget->reasons >> reason & 1)) || !is_active(s, budget))
			continue;
		const int64_t most =
			budget->nodes >= 0 ? budget->nodes : ((-budget->nodes - 1) * nodes + 99) / 100;
		allowed = most < allowed ? most : allowed;
	}
	return allowed > disrupted ? allowed - disrupted : 0;
}
