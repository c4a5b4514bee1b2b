/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods.c - labels, taints, quantities and pod templates of Kubernetes.
 *
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/,
 * https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
 */
#include "sim/plugin.h"

#include <stdlib.h>
#include <string.h>

const char *sl_label_of(const struct sl_labels *labels, const char *key)
{
	for (uint32_t i = 0; i < labels->count; i++)
		if (strcmp(labels->at[i].key, key) == 0)
			return labels->at[i].value;
	return NULL;
}

static bool pods_is_among(const struct sl_label_expr *expr, const char *value)
{
	for (uint32_t i = 0; i < expr->count; i++)
		if (strcmp(expr->value[i], value) == 0)
			return true;
	return false;
}

/* Gt and Lt compare whole numbers; what is none fails. */
static bool compares(const struct sl_label_expr *expr, const char *value)
{
	int64_t have, bound;
	if (expr->count != 1 || !value || !sl_get_i64(value, strlen(value), &have) ||
		!sl_get_i64(expr->value[0], strlen(expr->value[0]), &bound))
		return false;
	return expr->op == SL_LABEL_GT ? have > bound : have < bound;
}

bool sl_label_expr_holds(const struct sl_label_expr *expr, const struct sl_labels *labels)
{
	const char *value = sl_label_of(labels, expr->key);
	switch (expr->op) {
	case SL_LABEL_IN:
		return value && pods_is_among(expr, value);
	case SL_LABEL_NOT_IN:
		return !value || !pods_is_among(expr, value);
	case SL_LABEL_EXISTS:
		return value != NULL;
	case SL_LABEL_NOT_EXISTS:
		return !value;
	case SL_LABEL_GT:
	case SL_LABEL_LT:
		return compares(expr, value);
	case SL_LABEL_OP_INVALID:
		break;
	}
	return false;
}

bool sl_label_term_holds(const struct sl_label_term *term, const struct sl_labels *labels)
{
	for (uint32_t i = 0; i < term->count; i++)
		if (!sl_label_expr_holds(&term->expr[i], labels))
			return false;
	return true;
}

bool sl_node_term_holds(
	const struct sl_label_term *term, const struct sl_labels *labels, const char *node_name)
{
	if (!term->count && !term->field_count)
		return false;
	for (uint32_t i = 0; i < term->field_count; i++) {
		const struct sl_label name = { term->field[i].key, node_name };
		const struct sl_labels fields = { &name, 1 };
		if (!sl_label_expr_holds(&term->field[i], &fields))
			return false;
	}
	return sl_label_term_holds(term, labels);
}

bool sl_label_selects(const struct sl_label_selector *selector, const struct sl_labels *labels)
{
	if (selector->nothing)
		return false;
	for (uint32_t i = 0; i < selector->labels.count; i++) {
		const char *value = sl_label_of(labels, selector->labels.at[i].key);
		if (!value || strcmp(value, selector->labels.at[i].value) != 0)
			return false;
	}
	return sl_label_term_holds(&selector->term, labels);
}

bool sl_tolerates(const struct sl_tolerations *tolerations, const struct sl_taint *taint)
{
	for (uint32_t i = 0; i < tolerations->count; i++) {
		const struct sl_toleration *one = &tolerations->at[i];
		if (one->effect != SL_ANY_EFFECT && one->effect != taint->effect)
			continue;
		if (!*one->key ? !one->exists : strcmp(one->key, taint->key) != 0)
			continue;
		if (one->exists || strcmp(one->value, taint->value) == 0)
			return true;
	}
	return false;
}
