/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_doc.c - the fields of an object as its manifest has them.
 *
 * Durations: those of Go's time.ParseDuration, as metav1.Duration takes them.
 */
#include "policies/kueue/objects/kq_doc.h"

#include <string.h>

struct sl_at kq_doc_of(struct kq *kq, const struct sl_object *object)
{
	return (struct sl_at){ &kq->err, kq, object->doc, object->node };
}

const char *kq_doc_text(struct sl_at at)
{
	const char *text = sl_at_text(at);
	return text ? kq_text(at.self, text) : NULL;
}

const char *kq_doc_name(struct sl_at at, const char *path)
{
	const char *text = kq_doc_text(sl_at_get(at, path));
	if (text && *text)
		return text;
	(void)sl_at_fail(at, "'%s' is missing: give it a name", path);
	return "";
}

double kq_doc_weight(struct sl_at at, double fallback)
{
	const char *text = sl_at_text(at);
	int64_t thousandths = 0;
	if (!text)
		return fallback;
	if (sl_get_quantity(text, strlen(text), &thousandths) && thousandths >= 0)
		return (double)thousandths / 1000;
	(void)sl_at_fail(
		at, "'%.80s' is not a weight: write a number that is not negative, as 1 or 0.5", text);
	return fallback;
}

int64_t kq_doc_amount(struct sl_at at, const char *resource, int64_t fallback)
{
	const char *text = sl_at_text(at);
	int64_t amount = 0;
	if (!text)
		return fallback;
	if (sl_get_amount(resource, text, strlen(text), &amount) && amount >= 0)
		return amount;
	(void)sl_at_fail(
		at, "'%.80s' is not a quantity of '%.80s': write one as 4, 500m or 16Gi", text, resource);
	return fallback;
}

/* In microseconds of its unit; nanoseconds are rounded down. */
static bool unit_of(const char **text, double *unit)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "ns", 0.001 }, { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 6e7 },
		{ "h", 3.6e9 } };
	for (size_t i = 0; i < SL_LEN(units); i++) {
		const size_t len = strlen(units[i].name);
		if (strncmp(*text, units[i].name, len) != 0 ||
			(len == 1 && **text == 'm' && (*text)[1] == 's'))
			continue;
		*text += len;
		*unit = units[i].us;
		return true;
	}
	return false;
}

static bool go_duration(const char *text, sl_time *value)
{
	double sum = 0;
	if (strcmp(text, "0") == 0) {
		*value = 0;
		return true;
	}
	if (!*text)
		return false;
	while (*text) {
		const size_t len = strspn(text, "0123456789.");
		int64_t micro;
		double unit;
		if (!len || !sl_get_micro(text, len, &micro))
			return false;
		text += len;
		if (!unit_of(&text, &unit))
			return false;
		sum += (double)micro / 1e6 * unit;
	}
	if (sum > 9e17)
		return false;
	*value = (sl_time)(sum + 0.5);
	return true;
}

sl_time kq_doc_duration(struct sl_at at, sl_time fallback)
{
	const char *text = sl_at_text(at);
	sl_time value = 0;
	if (!text)
		return fallback;
	if (go_duration(text, &value))
		return value;
	(void)sl_at_fail(at, "'%.80s' is not a duration: write one as 90s, 5m or 1h30m", text);
	return fallback;
}

/* ---- Labels, taints ----------------------------------------------------------------------------------- */

struct sl_labels kq_doc_labels(struct sl_at at)
{
	const uint32_t count = sl_at_count(at);
	struct sl_label *label = kq_alloc(at.self, count + 1, sizeof(*label));
	struct sl_labels labels = { label, 0 };
	for (struct sl_at one = sl_at_first(at); one.node && label; one = sl_at_next(one)) {
		const char *key = kq_text(at.self, sl_at_key(one));
		const char *value = kq_doc_text(one);
		uint32_t i = labels.count++;
		for (; i && strcmp(label[i - 1].key, key) > 0; i--)
			label[i] = label[i - 1];
		label[i] = (struct sl_label){ key, value ? value : "" };
	}
	return labels;
}

static const char *const effects[] = { "NoSchedule", "NoExecute", "PreferNoSchedule", NULL };

struct sl_taints kq_doc_taints(struct sl_at at)
{
	struct sl_taint *taint = kq_alloc(at.self, sl_at_count(at) + 1, sizeof(*taint));
	struct sl_taints taints = { taint, 0 };
	for (struct sl_at one = sl_at_first(at); one.node && taint; one = sl_at_next(one)) {
		const char *value = kq_doc_text(sl_at_get(one, "value"));
		const char *key = kq_doc_name(one, "key");
		const int effect = sl_at_word(sl_at_get(one, "effect"), effects, -1);
		if (effect < 0)
			(void)sl_at_fail(one,
				"the taint '%.80s' has no effect: write NoSchedule, NoExecute or PreferNoSchedule",
				key);
		taint[taints.count++] = (struct sl_taint){ .key = key,
			.value = value ? value : "",
			.effect = effect < 0 ? SL_NO_SCHEDULE : (enum sl_taint_effect)effect };
	}
	return taints;
}

struct sl_tolerations kq_doc_tolerations(struct sl_at at)
{
	static const char *const operators[] = { "Equal", "Exists", NULL };
	struct sl_toleration *toleration = kq_alloc(at.self, sl_at_count(at) + 1, sizeof(*toleration));
	struct sl_tolerations tolerations = { toleration, 0 };
	for (struct sl_at one = sl_at_first(at); one.node && toleration; one = sl_at_next(one)) {
		const char *key = kq_doc_text(sl_at_get(one, "key"));
		const char *value = kq_doc_text(sl_at_get(one, "value"));
		toleration[tolerations.count++] = (struct sl_toleration){
			.key = key ? key : "",
			.value = value ? value : "",
			.exists = sl_at_word(sl_at_get(one, "operator"), operators, 0) == 1,
			.effect = (enum sl_taint_effect)sl_at_word(
				sl_at_get(one, "effect"), effects, SL_ANY_EFFECT),
		};
	}
	return tolerations;
}

static struct sl_label_expr expression(struct sl_at at)
{
	static const char *const operators[] = { "In", "NotIn", "Exists", "DoesNotExist", NULL };
	struct sl_at values = sl_at_get(at, "values");
	const char **value = kq_alloc(at.self, sl_at_count(values) + 1, sizeof(*value));
	struct sl_label_expr expr = { .key = kq_doc_name(at, "key"), .value = value };
	const int op = sl_at_word(sl_at_get(at, "operator"), operators, -1);
	if (op < 0)
		(void)sl_at_fail(at,
			"the expression on '%.80s' has no operator: write In, NotIn, Exists or DoesNotExist",
			expr.key);
	expr.op = op < 0 ? SL_LABEL_OP_INVALID : (enum sl_label_op)op;
	for (struct sl_at one = sl_at_first(values); one.node && value; one = sl_at_next(one)) {
		const char *text = kq_doc_text(one);
		value[expr.count++] = text ? text : "";
	}
	return expr;
}

struct sl_label_selector kq_doc_selector(struct sl_at at)
{
	struct sl_label_selector selector = { .nothing = sl_at_is_null(at) };
	if (selector.nothing)
		return selector;
	struct sl_at exprs = sl_at_get(at, "matchExpressions");
	struct sl_label_expr *expr = kq_alloc(at.self, sl_at_count(exprs) + 1, sizeof(*expr));
	selector.labels = kq_doc_labels(sl_at_get(at, "matchLabels"));
	for (struct sl_at one = sl_at_first(exprs); one.node && expr; one = sl_at_next(one))
		expr[selector.term.count++] = expression(one);
	selector.term.expr = expr;
	return selector;
}
