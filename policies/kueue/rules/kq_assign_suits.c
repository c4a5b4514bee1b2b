/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_suits.c - whether a flavor suits podsets at all: taints, node selector and affinity, topology.
 *
 * A selector or an affinity counts with the label keys alone that the flavor has: the rest is the nodes'
 * business. An affinity one of whose terms has no such key matches any flavor. Kueue: ResourceFlavor.
 */
#include "policies/kueue/rules/kq_assign_parts.h"

#include <string.h>

static bool is_tolerated(
	const struct sl_taint *taint, const struct kq_podset *podset, const struct kq_flavor *flavor)
{
	return taint->effect == SL_PREFER_NO_SCHEDULE || sl_tolerates(&podset->tolerations, taint) ||
	       sl_tolerates(&flavor->tolerations, taint);
}

static bool selector_matches(const struct kq_podset *podset, const struct kq_flavor *flavor)
{
	for (uint32_t i = 0; i < podset->node_selector.count; i++) {
		const char *value = sl_label_of(&flavor->labels, podset->node_selector.at[i].key);
		if (value && strcmp(value, podset->node_selector.at[i].value) != 0)
			return false;
	}
	return true;
}

/* Operators want values, or none, or one whole number. */
static bool is_broken(const struct sl_label_expr *expr)
{
	int64_t bound;
	switch (expr->op) {
	case SL_LABEL_IN:
	case SL_LABEL_NOT_IN:
		return expr->count == 0;
	case SL_LABEL_EXISTS:
	case SL_LABEL_NOT_EXISTS:
		return expr->count != 0;
	case SL_LABEL_GT:
	case SL_LABEL_LT:
		return expr->count != 1 || !sl_get_i64(expr->value[0], strlen(expr->value[0]), &bound);
	case SL_LABEL_OP_INVALID:
		break;
	}
	return true;
}

enum match { MATCH_NO, MATCH_YES, MATCH_BROKEN, MATCH_ANYTHING };

static enum match term_matches(const struct sl_label_term *term, const struct kq_flavor *flavor)
{
	uint32_t known = 0;
	enum match all = MATCH_YES;
	for (uint32_t i = 0; i < term->count; i++) {
		const struct sl_label_expr *expr = &term->expr[i];
		if (!sl_label_of(&flavor->labels, expr->key))
			continue;
		known++;
		if (is_broken(expr))
			all = MATCH_BROKEN;
		else if (all == MATCH_YES && !sl_label_expr_holds(expr, &flavor->labels))
			all = MATCH_NO;
	}
	return known ? all : MATCH_ANYTHING;
}

/* Terms are alternatives: a broken one matters where none of the others matches. */
static enum match affinity_matches(const struct kq_podset *podset, const struct kq_flavor *flavor)
{
	enum match any = podset->required_count ? MATCH_NO : MATCH_YES;
	for (uint32_t i = 0; i < podset->required_count; i++) {
		const enum match one = term_matches(&podset->required[i], flavor);
		if (one == MATCH_ANYTHING)
			return MATCH_YES;
		if (one == MATCH_YES || (one == MATCH_BROKEN && any == MATCH_NO))
			any = one;
	}
	return any;
}

static bool suits_podset(struct kq_scan *scan, struct kq_together *together, const struct kq_podset *podset,
	uint32_t row, bool *broken)
{
	const struct kq_flavor *flavor = &scan->kq->flavor[row];
	const char *mismatch = scan->kq->config.gate[KQ_GATE_TopologyAwareScheduling]
				       ? kq_tas_mismatch(scan->kq, scan->queue_row, podset, row)
				       : NULL;
	if (mismatch) {
		kq_scan_because(scan, together,
			(struct kq_why){ .kind = KQ_WHY_TEXT, .flavor = row, .text = mismatch });
		return false;
	}
	for (uint32_t i = 0; i < flavor->taints.count; i++)
		if (!is_tolerated(&flavor->taints.at[i], podset, flavor)) {
			kq_scan_because(scan, together,
				(struct kq_why){ .kind = KQ_WHY_TAINT, .flavor = row, .a = (int64_t)i });
			return false;
		}
	const enum match match =
		selector_matches(podset, flavor) ? affinity_matches(podset, flavor) : MATCH_NO;
	if (match == MATCH_YES)
		return true;
	*broken = match == MATCH_BROKEN;
	kq_scan_because(scan, together,
		(struct kq_why){ .kind = *broken ? KQ_WHY_EXPRESSION : KQ_WHY_AFFINITY,
			.flavor = row,
			.text = "an expression" });
	return false;
}

bool kq_flavor_suits(struct kq_scan *scan, struct kq_together *together, uint32_t flavor, bool *broken)
{
	if (!scan->kq->flavor[flavor].exists) {
		kq_scan_because(
			scan, together, (struct kq_why){ .kind = KQ_WHY_NOT_THERE, .flavor = flavor });
		return false;
	}
	for (uint32_t i = 0; i < together->count; i++) {
		const uint32_t podset = scan->made->podset[together->first + i].podset;
		if (!suits_podset(scan, together, &scan->workload->podset[podset], flavor, broken))
			return false;
	}
	return true;
}
