/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_doc.c - the fields of an object as its manifest has them.
 *
 * Durations: those of Go's time.ParseDuration, as metav1.Duration takes them.
 */
#include "policies/kueue/rules/kq_doc.h"

#include <stdio.h>
#include <string.h>

static struct kq_at nothing_of(struct kq_at at) { return (struct kq_at){ at.kq, at.doc, NULL }; }

struct kq_at kq_doc_of(struct kq *kq, const struct sl_object *object)
{
	return (struct kq_at){ kq, object->doc, object->node };
}

int kq_doc_fail(struct kq_at at, const char *format, ...)
{
	char text[600];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (at.kq->err.status)
		return at.kq->err.status;
	if (!at.node)
		return sl_fail(&at.kq->err, SL_INPUT, "%s: %s", at.doc ? at.doc->file : "?", text);
	const struct sl_place place = sl_doc_place(at.doc, at.node);
	return sl_fail_at(&at.kq->err, &place, "%s", text);
}

static const char *raw(struct kq_at at) { return at.doc->text + at.node->text; }

bool kq_doc_is_null(struct kq_at at)
{
	if (!at.node)
		return true;
	return at.node->kind == SL_DOC_TEXT && (!*raw(at) || strcmp(raw(at), "null") == 0);
}

const char *kq_doc_key(struct kq_at at) { return at.doc->text + at.node->key; }

static struct kq_at member(struct kq_at at, const char *key, size_t len)
{
	if (kq_doc_is_null(at) || at.kq->err.status)
		return nothing_of(at);
	if (at.node->kind != SL_DOC_MAP) {
		(void)kq_doc_fail(at, "fields are wanted here ('%.*s'), as \"key: value\"", (int)len, key);
		return nothing_of(at);
	}
	const struct sl_doc_node *node = sl_doc_child(at.doc, at.node);
	for (; node; node = sl_doc_next(at.doc, node)) {
		const char *name = at.doc->text + node->key;
		if (strlen(name) == len && memcmp(name, key, len) == 0)
			return (struct kq_at){ at.kq, at.doc, node };
	}
	return nothing_of(at);
}

struct kq_at kq_doc_get(struct kq_at at, const char *path)
{
	while (at.node && *path) {
		const size_t len = strcspn(path, ".");
		at = member(at, path, len);
		path += len;
		path += *path == '.';
	}
	return at;
}

struct kq_at kq_doc_first(struct kq_at at)
{
	if (kq_doc_is_null(at) || at.kq->err.status)
		return nothing_of(at);
	if (at.node->kind == SL_DOC_TEXT) {
		(void)kq_doc_fail(at, "a list or fields are wanted here, not '%.80s'", raw(at));
		return nothing_of(at);
	}
	return (struct kq_at){ at.kq, at.doc, sl_doc_child(at.doc, at.node) };
}

struct kq_at kq_doc_next(struct kq_at at)
{
	return (struct kq_at){ at.kq, at.doc, at.kq->err.status ? NULL : sl_doc_next(at.doc, at.node) };
}

uint32_t kq_doc_count(struct kq_at at)
{
	return kq_doc_is_null(at) || at.node->kind == SL_DOC_TEXT ? 0 : at.node->count;
}

const char *kq_doc_text(struct kq_at at)
{
	if (kq_doc_is_null(at) || at.kq->err.status)
		return NULL;
	if (at.node->kind != SL_DOC_TEXT) {
		(void)kq_doc_fail(at, "a text is wanted here");
		return NULL;
	}
	return kq_text(at.kq, raw(at));
}

const char *kq_doc_name(struct kq_at at, const char *path)
{
	const char *text = kq_doc_text(kq_doc_get(at, path));
	if (text && *text)
		return text;
	(void)kq_doc_fail(at, "'%s' is missing: give it a name", path);
	return "";
}

int64_t kq_doc_int(struct kq_at at, int64_t fallback, int64_t min, int64_t max)
{
	const char *text = kq_doc_text(at);
	int64_t value = 0;
	if (!text)
		return fallback;
	if (sl_get_i64(text, strlen(text), &value) && value >= min && value <= max)
		return value;
	(void)kq_doc_fail(
		at, "'%.80s' is not a whole number from %lld to %lld", text, (long long)min, (long long)max);
	return fallback;
}

double kq_doc_weight(struct kq_at at, double fallback)
{
	const char *text = kq_doc_text(at);
	int64_t thousandths = 0;
	if (!text)
		return fallback;
	if (sl_get_quantity(text, strlen(text), &thousandths) && thousandths >= 0)
		return (double)thousandths / 1000;
	(void)kq_doc_fail(
		at, "'%.80s' is not a weight: write a number that is not negative, as 1 or 0.5", text);
	return fallback;
}

bool kq_doc_bool(struct kq_at at, bool fallback)
{
	static const char *const words[] = { "false", "true", NULL };
	return kq_doc_word(at, words, fallback) == 1;
}

int64_t kq_doc_amount(struct kq_at at, const char *resource, int64_t fallback)
{
	const char *text = kq_doc_text(at);
	int64_t amount = 0;
	if (!text)
		return fallback;
	if (sl_get_amount(resource, text, strlen(text), &amount) && amount >= 0)
		return amount;
	(void)kq_doc_fail(
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

sl_time kq_doc_duration(struct kq_at at, sl_time fallback)
{
	const char *text = kq_doc_text(at);
	sl_time value = 0;
	if (!text)
		return fallback;
	if (go_duration(text, &value))
		return value;
	(void)kq_doc_fail(at, "'%.80s' is not a duration: write one as 90s, 5m or 1h30m", text);
	return fallback;
}

int kq_doc_word(struct kq_at at, const char *const *words, int fallback)
{
	char known[300] = "";
	size_t len = 0;
	const char *text = kq_doc_text(at);
	if (!text)
		return fallback;
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "", words[i]);
	}
	(void)kq_doc_fail(at, "'%.80s' is none of %s", text, known);
	return fallback;
}

/* ---- Labels, taints ----------------------------------------------------------------------------------- */

struct sl_labels kq_doc_labels(struct kq_at at)
{
	const uint32_t count = kq_doc_count(at);
	struct sl_label *label = kq_room(at.kq, count + 1, sizeof(*label));
	struct sl_labels labels = { label, 0 };
	for (struct kq_at one = kq_doc_first(at); one.node && label; one = kq_doc_next(one)) {
		const char *key = kq_text(at.kq, kq_doc_key(one));
		const char *value = kq_doc_text(one);
		uint32_t i = labels.count++;
		for (; i && strcmp(label[i - 1].key, key) > 0; i--)
			label[i] = label[i - 1];
		label[i] = (struct sl_label){ key, value ? value : "" };
	}
	return labels;
}

static const char *const effects[] = { "NoSchedule", "NoExecute", "PreferNoSchedule", NULL };

struct sl_taints kq_doc_taints(struct kq_at at)
{
	struct sl_taint *taint = kq_room(at.kq, kq_doc_count(at) + 1, sizeof(*taint));
	struct sl_taints taints = { taint, 0 };
	for (struct kq_at one = kq_doc_first(at); one.node && taint; one = kq_doc_next(one)) {
		const char *value = kq_doc_text(kq_doc_get(one, "value"));
		const char *key = kq_doc_name(one, "key");
		const int effect = kq_doc_word(kq_doc_get(one, "effect"), effects, -1);
		if (effect < 0)
			(void)kq_doc_fail(one,
				"the taint '%.80s' has no effect: write NoSchedule, NoExecute or PreferNoSchedule",
				key);
		taint[taints.count++] = (struct sl_taint){ .key = key,
			.value = value ? value : "",
			.effect = effect < 0 ? SL_NO_SCHEDULE : (enum sl_taint_effect)effect };
	}
	return taints;
}

struct sl_tolerations kq_doc_tolerations(struct kq_at at)
{
	static const char *const operators[] = { "Equal", "Exists", NULL };
	struct sl_toleration *toleration = kq_room(at.kq, kq_doc_count(at) + 1, sizeof(*toleration));
	struct sl_tolerations tolerations = { toleration, 0 };
	for (struct kq_at one = kq_doc_first(at); one.node && toleration; one = kq_doc_next(one)) {
		const char *key = kq_doc_text(kq_doc_get(one, "key"));
		const char *value = kq_doc_text(kq_doc_get(one, "value"));
		toleration[tolerations.count++] = (struct sl_toleration){
			.key = key ? key : "",
			.value = value ? value : "",
			.exists = kq_doc_word(kq_doc_get(one, "operator"), operators, 0) == 1,
			.effect = (enum sl_taint_effect)kq_doc_word(
				kq_doc_get(one, "effect"), effects, SL_ANY_EFFECT),
		};
	}
	return tolerations;
}

static struct sl_label_expr expression(struct kq_at at)
{
	static const char *const operators[] = { "In", "NotIn", "Exists", "DoesNotExist", NULL };
	struct kq_at values = kq_doc_get(at, "values");
	const char **value = kq_room(at.kq, kq_doc_count(values) + 1, sizeof(*value));
	struct sl_label_expr expr = { .key = kq_doc_name(at, "key"), .value = value };
	const int op = kq_doc_word(kq_doc_get(at, "operator"), operators, -1);
	if (op < 0)
		(void)kq_doc_fail(at,
			"the expression on '%.80s' has no operator: write In, NotIn, Exists or DoesNotExist",
			expr.key);
	expr.op = op < 0 ? SL_LABEL_OP_INVALID : (enum sl_label_op)op;
	for (struct kq_at one = kq_doc_first(values); one.node && value; one = kq_doc_next(one)) {
		const char *text = kq_doc_text(one);
		value[expr.count++] = text ? text : "";
	}
	return expr;
}

struct sl_label_selector kq_doc_selector(struct kq_at at)
{
	struct sl_label_selector selector = { .nothing = kq_doc_is_null(at) };
	if (selector.nothing)
		return selector;
	struct kq_at exprs = kq_doc_get(at, "matchExpressions");
	struct sl_label_expr *expr = kq_room(at.kq, kq_doc_count(exprs) + 1, sizeof(*expr));
	selector.labels = kq_doc_labels(kq_doc_get(at, "matchLabels"));
	for (struct kq_at one = kq_doc_first(exprs); one.node && expr; one = kq_doc_next(one))
		expr[selector.term.count++] = expression(one);
	selector.term.expr = expr;
	return selector;
}
