/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_disrupt.c - voluntary disruption (pkg/controllers/disruption: controller.go, emptiness.go,
 * drift.go, validation.go; orchestration/queue.go): each 10 s the first of these that finds anything to do:
 * empty nodes, a drifted node, several nodes that consolidate, one that does.
 *
 * What consolidates is validated 15 s later, in which nothing else is looked at: if it does not hold any
 * more, it is left. Nodes that are replaced are tainted at once, and go when their replacements are there.
 *
 * A node may be disrupted unless it or one of its pods bears karpenter.sh/do-not-disrupt, or a
 * PodDisruptionBudget allows none of its pods to go; where the pool has a terminationGracePeriod, neither
 * keeps a drifted node. What a disruption costs is the sum over its pods (1, and more with priority and
 * pod-deletion-cost) times what is left of the node's lifetime.
 */
#include "policies/kube/elastic/karpenter.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 100 };

/* ---- Candidates ---------------------------------------------------------------------------------- */

static bool pods_hold(struct kube_scaler *s, uint32_t node)
{
	for (uint32_t i = s->k->node[node].first; i != KUBE_NO; i = s->k->pod[i].next)
		if (karpenter_holds(s, i) || !elastic_budget_allows(s, i))
			return true;
	return false;
}

static bool is_disruptable(
	struct kube_scaler *s, const struct karpenter_pool *pool, uint32_t node, bool eventual)
{
	const struct elastic_node *of = &s->node[node];
	if (of->state != ELASTIC_THERE || of->keep || s->k->node[node].nominees)
		return false;
	return (eventual && pool->grace != SL_NEVER) || !pods_hold(s, node);
}

/* No pod has come or left for so long. */
static bool is_consolidatable(const struct kube_scaler *s, const struct karpenter_pool *pool, uint32_t node)
{
	return pool->consolidate_after != SL_NEVER &&
	       s->node[node].event + pool->consolidate_after <= s->k->now;
}

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

/* pkg/utils/disruption/disruption.go */
static double cost_of(const struct kube_scaler *s, const struct karpenter_pool *pool, uint32_t node)
{
	const struct kube *k = s->k;
	double sum = 0, left = 1;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
		const char *text = elastic_annotation(s, i, "controller.kubernetes.io/pod-deletion-cost");
		int64_t deletion = 0;
		if (text)
			(void)sl_get_i64(text, strlen(text), &deletion);
		sum += clamp(
			1 + (double)deletion / (1 << 27) + (double)k->pod[i].priority / (1 << 25), -10, 10);
	}
	if (pool->expire_after != SL_NEVER && pool->expire_after > 0)
		left = clamp((double)(pool->expire_after - (k->now - s->node[node].made)) /
				     (double)pool->expire_after,
			0, 1);
	return sum * left;
}

static int by_cost(const void *a, const void *b)
{
	const struct karpenter_candidate *x = a, *y = b;
	if (x->cost > y->cost || x->cost < y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Of consolidation, the least costly first. empty: those without pods alone. */
static uint32_t list(struct kube_scaler *s, bool empty)
{
	struct elastic_karpenter *kp = s->karpenter;
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		const struct karpenter_pool *pool = karpenter_pool_of(s, i);
		if (!pool || !is_consolidatable(s, pool, i) || !is_disruptable(s, pool, i, false))
			continue;
		if (empty ? s->k->node[i].pods > 0 : pool->empty_only)
			continue;
		kp->candidate[count++] = (struct karpenter_candidate){ i, cost_of(s, pool, i) };
	}
	qsort(kp->candidate, count, sizeof(*kp->candidate), by_cost);
	return count;
}

/* Of these those that the budgets of their pools allow, in that order. Returns whether any was left out. */
static bool within_budgets(struct kube_scaler *s, enum karpenter_reason reason, uint32_t *count)
{
	struct elastic_karpenter *kp = s->karpenter;
	int64_t *left = kp->nodes_left; /* Of limits, until a solution counts them anew. */
	uint32_t kept = 0;
	bool some = false;
	for (uint32_t p = 0; p < kp->pools; p++)
		left[p] = karpenter_allowed(s, &kp->pool[p], reason);
	for (uint32_t i = 0; i < *count; i++) {
		int64_t *of = &left[karpenter_pool_of(s, kp->candidate[i].node) - kp->pool];
		some |= *of < 1;
		if (*of < 1)
			continue;
		--*of;
		kp->candidate[kept++] = kp->candidate[i];
	}
	*count = kept;
	return some;
}

/* ---- What is done -------------------------------------------------------------------------------- */

/* These leave; if anything replaces them, not before it is there. */
static void execute(
	struct kube_scaler *s, const uint32_t *node, uint32_t count, uint32_t waits, const char *reason)
{
	struct elastic_karpenter *kp = s->karpenter;
	if (SL_GROW(kp->command, kp->command_capacity, kp->commands + 1, &s->k->err))
		return;
	kp->command[kp->commands++].waits = waits;
	for (uint32_t i = 0; i < count; i++) {
		const struct karpenter_pool *pool = karpenter_pool_of(s, node[i]);
		const sl_time until = waits || pool->grace == SL_NEVER ? SL_NEVER : s->k->now + pool->grace;
		elastic_leave(s, node[i], waits ? SL_NEVER : s->k->now, until, reason);
		s->node[node[i]].command = (uint32_t)kp->commands;
	}
}

static void launch_for(struct kube_scaler *s, uint32_t offer, uint32_t *waits)
{
	const uint32_t node = karpenter_launch(s, offer);
	if (node == KUBE_NO)
		return;
	s->node[node].command = (uint32_t)s->karpenter->commands + 1;
	++*waits;
}

void elastic_karpenter_came(struct kube_scaler *s, uint32_t node)
{
	struct elastic_karpenter *kp = s->karpenter;
	const uint32_t command = s->node[node].command;
	s->node[node].command = 0;
	if (!command || --kp->command[command - 1].waits)
		return;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		if (s->node[i].command != command || s->node[i].state != ELASTIC_LEAVING)
			continue;
		const struct karpenter_pool *pool = karpenter_pool_of(s, i);
		s->node[i].at = s->k->now;
		s->node[i].until = pool->grace == SL_NEVER ? SL_NEVER : s->k->now + pool->grace;
	}
}

/* ---- Drift --------------------------------------------------------------------------------------- */

static bool requirements_hold(const struct kube_scaler *s, const struct karpenter_pool *pool, uint32_t node)
{
	static const char *const operators[] = { "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" };
	const struct sl_doc *doc = pool->object->doc;
	SL_DOC_EACH (at, doc, sl_doc_at(doc, pool->object->node, "spec.template.spec.requirements")) {
		const char *value[64], *word = sl_doc_word(doc, sl_doc_member(doc, at, "operator"));
		struct sl_label_expr expr = { .key = sl_doc_word(doc, sl_doc_member(doc, at, "key")),
			.value = value };
		size_t op = 0;
		while (word && op < SL_LEN(operators) && strcmp(operators[op], word) != 0)
			op++;
		expr.op = (enum sl_label_op)op;
		SL_DOC_EACH (one, doc, sl_doc_member(doc, at, "values"))
			if (expr.count < SL_LEN(value) && sl_doc_word(doc, one))
				value[expr.count++] = sl_doc_word(doc, one);
		if (expr.key && !sl_label_expr_holds(&expr, &s->k->node[node].labels))
			return false;
	}
	return true;
}

/* Its labels do not meet the pool's requirements; its hash is another than the pool's; or an image was
 * released since it was made. */
static void look_for_drift(struct kube_scaler *s)
{
	const struct elastic_karpenter *kp = s->karpenter;
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		const struct karpenter_pool *pool = karpenter_pool_of(s, i);
		struct elastic_node *node = &s->node[i];
		if (!pool || node->state != ELASTIC_THERE || node->drifted != SL_NONE)
			continue;
		bool drifted = !node->template &&
			       ((node->hash && pool->hash && strcmp(node->hash, pool->hash) != 0) ||
				       !requirements_hold(s, pool, i));
		for (uint32_t r = 0; r < kp->releases && !drifted; r++)
			drifted = node->made < kp->release[r] && kp->release[r] <= s->k->now;
		if (drifted)
			node->drifted = s->k->now;
	}
}

static uint32_t list_drifted(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	uint32_t count = 0;
	look_for_drift(s);
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		const struct karpenter_pool *pool = karpenter_pool_of(s, i);
		if (pool && s->node[i].drifted != SL_NONE && s->k->node[i].pods &&
			is_disruptable(s, pool, i, true))
			kp->candidate[count++] =
				(struct karpenter_candidate){ i, (double)s->node[i].drifted };
	}
	qsort(kp->candidate, count, sizeof(*kp->candidate), by_cost);
	return count;
}

/* One at a time: as many replacements as its pods need. */
static bool drift(struct kube_scaler *s, bool *constrained)
{
	struct elastic_karpenter *kp = s->karpenter;
	const uint32_t count = list_drifted(s);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t node = kp->candidate[i].node;
		if (karpenter_allowed(s, karpenter_pool_of(s, node), KARPENTER_DRIFTED) < 1) {
			*constrained = true;
			continue;
		}
		const bool moves = karpenter_simulate(s, &node, 1);
		uint32_t waits = 0;
		elastic_undo(s, 0);
		for (uint32_t c = 0; moves && c < kp->claims; c++)
			launch_for(s, karpenter_cheapest(s, &kp->claim[c]), &waits);
		karpenter_claims_clear(s);
		if (moves) {
			execute(s, &node, 1, waits, "drifted");
			return true;
		}
	}
	return false;
}

/* ---- Emptiness and consolidation ----------------------------------------------------------------- */

static void postpone(struct kube_scaler *s, enum karpenter_method method)
{
	s->karpenter->method = method;
	s->karpenter->validate = s->k->now + s->karpenter->ttl;
}

static bool empty(struct kube_scaler *s, bool *constrained)
{
	struct elastic_karpenter *kp = s->karpenter;
	uint32_t count = list(s, true);
	*constrained |= within_budgets(s, KARPENTER_EMPTY, &count);
	for (uint32_t i = 0; i < count; i++)
		kp->chosen[i] = kp->candidate[i].node;
	kp->chosen_count = count;
	if (count)
		postpone(s, KARPENTER_EMPTINESS);
	return count > 0;
}

static bool multi(struct kube_scaler *s, bool *constrained)
{
	uint32_t count = list(s, false);
	*constrained |= within_budgets(s, KARPENTER_UNDERUTILIZED, &count);
	count = count < KARPENTER_BATCH_NODES ? count : KARPENTER_BATCH_NODES;
	if (!karpenter_multi(s, s->karpenter->candidate, count))
		return false;
	postpone(s, KARPENTER_MULTI);
	return true;
}

/* Those of the pools in turn; a node without pods is left to emptiness. */
static bool single(struct kube_scaler *s, bool *constrained)
{
	struct elastic_karpenter *kp = s->karpenter;
	const uint32_t count = list(s, false);
	bool more = true;
	for (uint32_t turn = 0; more; turn++) {
		more = false;
		for (uint32_t p = 0; p < kp->pools; p++) {
			uint32_t seen = 0, at = 0;
			while (at < count && (karpenter_pool_of(s, kp->candidate[at].node) != &kp->pool[p] ||
						     seen++ < turn))
				at++;
			if (at == count)
				continue;
			more = true;
			uint32_t node = kp->candidate[at].node;
			if (karpenter_allowed(s, &kp->pool[p], KARPENTER_UNDERUTILIZED) < 1) {
				*constrained = true;
				continue;
			}
			if (!s->k->node[node].pods || !karpenter_consolidate(s, &node, 1))
				continue;
			postpone(s, KARPENTER_SINGLE);
			return true;
		}
	}
	return false;
}

/* ---- Validation ---------------------------------------------------------------------------------- */

/* Each of those chosen is a candidate still, and its pool's budget allows it. */
static uint32_t still_candidates(struct kube_scaler *s, bool want_empty, uint32_t *node)
{
	struct elastic_karpenter *kp = s->karpenter;
	const enum karpenter_reason reason = want_empty ? KARPENTER_EMPTY : KARPENTER_UNDERUTILIZED;
	uint32_t all = list(s, want_empty), kept = 0, count = 0;
	for (uint32_t i = 0; i < all; i++)
		for (uint32_t j = 0; j < kp->chosen_count; j++)
			if (kp->candidate[i].node == kp->chosen[j]) {
				kp->candidate[count++] = kp->candidate[i];
				break;
			}
	(void)within_budgets(s, reason, &count);
	for (uint32_t i = 0; i < count; i++)
		node[kept++] = kp->candidate[i].node;
	return kept;
}

static void validate(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	const enum karpenter_method method = kp->method;
	const uint32_t wanted = kp->chosen_count, offer = kp->replacement;
	uint32_t *node = malloc(((size_t)s->k->nodes + 1) * sizeof(*node)), waits = 0;
	kp->method = KARPENTER_NOTHING;
	const uint32_t count = node ? still_candidates(s, method == KARPENTER_EMPTINESS, node) : 0;
	if (method == KARPENTER_EMPTINESS && count) {
		execute(s, node, count, 0, "empty");
	} else if (method != KARPENTER_EMPTINESS && count == wanted && count &&
		   karpenter_consolidate(s, node, count) &&
		   (kp->replacement == KUBE_NO || offer != KUBE_NO)) {
		if (kp->replacement != KUBE_NO)
			launch_for(s, kp->replacement, &waits);
		if (waits || kp->replacement == KUBE_NO)
			execute(s, node, count, waits, "underutilized");
	}
	free(node);
}

/* ---- The loop ------------------------------------------------------------------------------------ */

/* Did a pod come to a node, or leave it? */
static void watch_pods(struct kube_scaler *s)
{
	for (uint32_t i = 0; i < s->k->nodes; i++) {
		struct elastic_node *node = &s->node[i];
		const struct kube_node *on = &s->k->node[i];
		if (node->pool == KUBE_NO || node->state != ELASTIC_THERE ||
			(node->first == on->first && node->pods == on->pods))
			continue;
		node->first = on->first;
		node->pods = on->pods;
		node->event = s->k->now;
	}
}

static sl_time tick(const struct kube_scaler *s, sl_time at)
{
	const sl_time poll = s->karpenter->poll;
	return at >= SL_NEVER - poll ? SL_NEVER : (at + poll - 1) / poll * poll;
}

/* When consolidateAfter is over for a node, or the next image is released. */
static sl_time next_time(const struct kube_scaler *s)
{
	const struct elastic_karpenter *kp = s->karpenter;
	sl_time next = SL_NEVER;
	for (uint32_t p = 0; p < kp->pools; p++) {
		const struct elastic_pool *of = &s->pool[kp->pool[p].pool];
		for (uint32_t i = 0; kp->pool[p].consolidate_after != SL_NEVER && i < of->nodes; i++) {
			const struct elastic_node *node = &s->node[of->node[i]];
			const sl_time at = node->event + kp->pool[p].consolidate_after;
			if (node->state == ELASTIC_THERE && at > s->k->now && at < next)
				next = at;
		}
	}
	for (uint32_t i = 0; i < kp->releases; i++)
		if (kp->release[i] > s->k->now && kp->release[i] < next)
			next = kp->release[i];
	return next;
}

static bool has_schedule(const struct kube_scaler *s)
{
	for (uint32_t p = 0; p < s->karpenter->pools; p++)
		for (uint32_t i = 0; i < s->karpenter->pool[p].budgets; i++)
			if (s->karpenter->pool[p].budget[i].scheduled)
				return true;
	return false;
}

static void evaluate(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	bool constrained = false;
	for (int round = 0; round < ROUNDS_MAX && kp->method == KARPENTER_NOTHING && !s->k->err.status;
		round++) {
		constrained = false;
		if (!empty(s, &constrained) && !drift(s, &constrained) && !multi(s, &constrained) &&
			!single(s, &constrained))
			break;
	}
	kp->stamp = elastic_stamp(s);
	kp->evaluated = true;
	kp->due = next_time(s);
	/* A budget that keeps it may be over the next minute. */
	const sl_time minute = 60 * SL_SECOND, next = (s->k->now / minute + 1) * minute;
	if (constrained && has_schedule(s) && next < kp->due)
		kp->due = next;
}

sl_time karpenter_disrupt(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	const sl_time now = s->k->now;
	watch_pods(s);
	if (kp->method != KARPENTER_NOTHING) {
		if (kp->validate > now)
			return kp->validate;
		validate(s);
		evaluate(s);
	} else if (tick(s, now) == now &&
		   (!kp->evaluated || kp->stamp != elastic_stamp(s) || kp->due <= now)) {
		evaluate(s);
	}
	if (kp->method != KARPENTER_NOTHING)
		return kp->validate;
	const bool changed = !kp->evaluated || kp->stamp != elastic_stamp(s);
	const sl_time due = changed || kp->due <= now ? now + 1 : kp->due;
	return tick(s, due);
}
