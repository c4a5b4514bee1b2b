/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_units.c - recorded cases of KAI that ask one rule: fair shares, who may reclaim, which queue is
 * first, what a limit or quota forbids, minimum run times.
 */
#include "tests/conformance/runai_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares are sums of real numbers, in the order of a map: the last bits are not KAI's. */
static const double tolerance = 1e-6;

static const struct sl_doc_node *queues_of(const struct runai_case *c)
{
	return ra_first(c, ra_get(c, c->root, "queues"));
}

/* All queues of the case. The books that it says are put in after the seal, which counts them from tasks. */
static bool build(struct runai_case *c)
{
	for (const struct sl_doc_node *one = queues_of(c); one; one = ra_next(c, one))
		(void)ra_queue(c, one);
	if (kai_seal(c->kai) != 0)
		return false;
	for (const struct sl_doc_node *one = queues_of(c); one; one = ra_next(c, one))
		(void)ra_queue(c, one);
	return true;
}

static uint32_t queue_row(const struct runai_case *c, const struct sl_doc_node *map, const char *key)
{
	return kai_find_queue(c->kai, ra_str(c, map, key, ""));
}

static struct kai_vec vec_of(const struct runai_case *c, const struct sl_doc_node *map, const char *key)
{
	return ra_vec(c, ra_get(c, map, key));
}

static const char *verdict(struct runai_case *c, bool result)
{
	const bool wanted = ra_bool(c, c->expect, "result", false);
	return result == wanted
		       ? NULL
		       : ra_fail(c, "%s, not %s", result ? "true" : "false", wanted ? "true" : "false");
}

/* ---- Fair shares ---- */

static double limit_of(const struct runai_case *c, const struct sl_doc_node *of, const char *key)
{
	const double value = ra_real(c, of, key, 0);
	return value < 0 ? HUGE_VAL : value;
}

static int compare(const void *a, const void *b) { return kai_compare_claims(a, b); }

/* One resource among siblings. */
static const char *division(struct runai_case *c)
{
	enum { CLAIMS = 64 };
	struct kai_claim claim[CLAIMS] = { 0 };
	uint32_t count = 0, capacity[CLAIMS];
	const char *resource = ra_str(c, c->root, "resource", "");
	for (const struct sl_doc_node *one = queues_of(c); one && count < CLAIMS; one = ra_next(c, one)) {
		const struct sl_doc_node *of = ra_get(c, one, resource);
		claim[count] = (struct kai_claim){ .name = ra_str(c, one, "name", ""),
			.priority = ra_int(c, one, "priority", 0),
			.created = ra_int(c, one, "created_order", 0),
			.quota = limit_of(c, of, "quota"),
			.limit = limit_of(c, of, "limit"),
			.weight = ra_real(c, of, "over_quota_weight", 0),
			.usage = ra_real(c, of, "usage", 0),
			.request = ra_real(c, of, "request", 0),
			.fair = ra_real(c, of, "fair_share", 0),
			.row = count };
		count++;
	}
	qsort(claim, count, sizeof(*claim), compare);
	const struct kai_division how = { .k = ra_real(c, c->root, "k_value", 1),
		.surplus_only = strcmp(ra_str(c, c->root, "phase", ""), "over_quota_only") == 0 };
	const double left = kai_divide(claim, count, ra_real(c, c->root, "total", 0), &how, capacity);
	const double remains = ra_real(c, c->expect, "remaining", left);
	if (fabs(left - remains) > tolerance)
		return ra_fail(c, "%g remains, not %g", left, remains);
	const struct sl_doc_node *shares = ra_get(c, c->expect, "fair_share");
	for (uint32_t i = 0; i < count; i++) {
		const struct sl_doc_node *of = ra_get(c, shares, claim[i].name);
		const double wanted = ra_real(c, of, resource, claim[i].fair);
		if (fabs(claim[i].fair - wanted) > tolerance)
			return ra_fail(c, "queue %s has %g, not %g", claim[i].name, claim[i].fair, wanted);
	}
	return NULL;
}

/* All resources, from the roots. */
static const char *tree(struct runai_case *c)
{
	if (!build(c))
		return c->kai->err.text;
	c->kai->config.k = ra_real(c, c->root, "k_value", 1);
	c->kai->total = vec_of(c, c->root, "total");
	kai_divide_tree(c->kai);
	const struct sl_doc_node *shares = ra_get(c, c->expect, "fair_share");
	for (const struct sl_doc_node *one = ra_first(c, shares); one; one = ra_next(c, one))
		for (int i = 0; i < KAI_RES; i++) {
			const char *res = ra_res_key((enum kai_res)i);
			const double unit = i == KAI_GPUS ? (double)KAI_GPU : 1;
			const uint32_t row = kai_find_queue(c->kai, ra_key(c, one));
			const double fair = row == KAI_NO ? 0 : (double)c->kai->queue[row].fair.at[i] / unit;
			const double wanted = ra_real(c, one, res, fair);
			if (row == KAI_NO || fabs(fair - wanted) > tolerance)
				return ra_fail(
					c, "queue %s has %s %g, not %g", ra_key(c, one), res, fair, wanted);
		}
	return NULL;
}

/* ---- Reclaim ---- */

static const char *may_reclaim(struct runai_case *c)
{
	const struct sl_doc_node *reclaimer = ra_get(c, c->root, "reclaimer");
	const struct kai_vec needs = vec_of(c, reclaimer, "request");
	if (!build(c))
		return c->kai->err.text;
	return verdict(c, kai_may_reclaim(c->kai, queue_row(c, reclaimer, "queue"), &needs,
				  ra_bool(c, reclaimer, "preemptible", false)));
}

static const char *victim_filter(struct runai_case *c)
{
	const struct sl_doc_node *reclaimer = ra_get(c, c->root, "reclaimer");
	const struct kai_vec needs = vec_of(c, reclaimer, "request");
	if (!build(c))
		return c->kai->err.text;
	return verdict(c, kai_victim_leaf(c->kai, queue_row(c, reclaimer, "queue"), &needs,
				  queue_row(c, c->root, "victim_queue")));
}

static const char *reclaimable(struct runai_case *c)
{
	enum { UNITS = 256 };
	struct kai_unit unit[UNITS];
	uint32_t count = 0;
	if (!build(c))
		return c->kai->err.text;
	const struct sl_doc_node *victim = ra_first(c, ra_get(c, c->root, "victims"));
	for (; victim; victim = ra_next(c, victim)) {
		const struct sl_doc_node *one = ra_first(c, ra_get(c, victim, "units"));
		for (; one && count < UNITS; one = ra_next(c, one))
			unit[count++] = (struct kai_unit){ queue_row(c, victim, "queue"), ra_vec(c, one) };
	}
	const uint32_t queues = c->kai->queue_count;
	struct kai_vec *held = sl_alloc(c->arena, 2 * (size_t)queues + 1, sizeof(*held));
	if (!held)
		return "out of memory";
	for (uint32_t i = 0; i < queues; i++) {
		held[i] = c->kai->queue[i].allocated;
		held[queues + i] = c->kai->queue[i].allocated_np;
	}
	c->kai->config.saturation = ra_real(c, c->root, "saturation_multiplier", 1);
	const struct sl_doc_node *reclaimer = ra_get(c, c->root, "reclaimer");
	const struct kai_vec needs = vec_of(c, reclaimer, "request");
	const struct kai_taker taker = { queue_row(c, reclaimer, "queue"),
		ra_bool(c, reclaimer, "preemptible", false), &needs, held, held + queues };
	return verdict(c, kai_reclaimable(c->kai, &taker, unit, count));
}

static const char *strategy(struct runai_case *c)
{
	const uint32_t ours = ra_queue(c, ra_get(c, c->root, "reclaimer_queue"));
	const uint32_t theirs = ra_queue(c, ra_get(c, c->root, "victim_queue"));
	const struct kai_vec needs = vec_of(c, c->root, "request");
	const struct kai_vec remaining = vec_of(c, c->root, "victim_remaining");
	const char *name = ra_str(c, c->root, "strategy", "");
	if (ours == KAI_NO || theirs == KAI_NO)
		return "a queue is not there";
	const struct kai_queue *reclaimer = &c->kai->queue[ours], *victim = &c->kai->queue[theirs];
	if (strcmp(name, "maintain_fair_share") == 0)
		return verdict(c, kai_maintains_fair_share(victim, &remaining));
	if (strcmp(name, "guarantee_quota") == 0)
		return verdict(c,
			kai_guarantees_quota(reclaimer, &reclaimer->allocated, &needs, victim, &remaining));
	return ra_fail(c, "a strategy '%s'", name);
}

/* ---- Queues ---- */

static const char *queue_order(struct runai_case *c)
{
	const uint32_t left = ra_queue(c, ra_get(c, c->root, "left"));
	const uint32_t right = ra_queue(c, ra_get(c, c->root, "right"));
	const struct kai_vec left_needs = vec_of(c, c->root, "left_job_request");
	const struct kai_vec right_needs = vec_of(c, c->root, "right_job_request");
	if (left == KAI_NO || right == KAI_NO)
		return "a queue is not there";
	c->kai->total = vec_of(c, c->root, "total");
	const struct kai_standing a = { .queue = &c->kai->queue[left], .needs = &left_needs };
	const struct kai_standing b = { .queue = &c->kai->queue[right], .needs = &right_needs };
	const bool is_left = strcmp(ra_str(c, c->expect, "first", ""), "left") == 0;
	const int order = kai_compare_queues(c->kai, &a, &b);
	return (order < 0) == is_left ? NULL : ra_fail(c, "not %s first", is_left ? "left" : "right");
}

static const char *gate(struct runai_case *c)
{
	const uint32_t row = ra_queue(c, ra_get(c, c->root, "queue"));
	const struct kai_vec needs = vec_of(c, c->root, "request");
	struct kai_blocked how = { 0 };
	if (row == KAI_NO)
		return "the queue is not there";
	const bool blocked = strcmp(c->kind, "over_limit") == 0
				     ? kai_over_limit(c->kai, row, &needs, &how)
				     : kai_np_over_quota(c->kai, row, &needs, &how);
	const char *res = blocked ? ra_res_key(how.res) : "none",
		   *wanted = ra_str(c, c->expect, "resource", "none");
	const char *failure = verdict(c, blocked);
	if (!failure && strcmp(res, wanted) != 0)
		failure = ra_fail(c, "blocked by %s, not %s", res, wanted);
	return failure;
}

static const char *min_runtime(struct runai_case *c)
{
	if (!build(c))
		return c->kai->err.text;
	const bool preempt = strcmp(ra_str(c, c->root, "for", ""), "preempt") == 0;
	const uint32_t victim = queue_row(c, c->root, "victim_queue");
	c->kai->config.preempt_min = c->kai->config.reclaim_min = ra_seconds(c, c->root, "default_s", 0);
	c->kai->config.reclaim_by_queue = strcmp(ra_str(c, c->root, "method", "lca"), "queue") == 0;
	const sl_time least =
		preempt ? kai_preempt_min(c->kai, victim)
			: kai_reclaim_min(c->kai, queue_row(c, c->root, "reclaimer_queue"), victim);
	const sl_time wanted = ra_seconds(c, c->expect, "seconds", 0);
	return least == wanted ? NULL
			       : ra_fail(c, "%lld s, not %lld s", (long long)(least / SL_SECOND),
					 (long long)(wanted / SL_SECOND));
}

const char *ra_unit(struct runai_case *c)
{
	static const struct {
		const char *kind;
		const char *(*run)(struct runai_case *c);
	} kinds[] = {
		{ "fair_share_division", division },
		{ "fair_share_division_all", tree },
		{ "fair_share_tree", tree },
		{ "can_reclaim", may_reclaim },
		{ "reclaim_victim_filter", victim_filter },
		{ "reclaimable", reclaimable },
		{ "reclaim_strategy", strategy },
		{ "queue_order", queue_order },
		{ "over_limit", gate },
		{ "non_preemptible_over_quota", gate },
		{ "min_runtime", min_runtime },
	};
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(c->kind, kinds[i].kind) == 0)
			return kinds[i].run(c);
	return ra_fail(c, "cases of kind '%s' are not run", c->kind);
}
