/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_doc.c - values of a document: texts, numbers, amounts, durations, with their places for what is
 * wrong.
 *
 * Durations: ours (sl_get_duration), and Go's as Kubernetes writes them, with days, weeks and years as KAI's
 * usage windows have them.
 */
#include "policies/runai/runai_reading.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_HEADROOM = 600 };

struct sl_at runai_doc(struct runai_reading *r, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return (struct sl_at){ r->err, r, doc, node };
}

bool runai_failed(const struct runai_reading *r) { return r->err->status != SL_OK; }

/* ---- Notes -------------------------------------------------------------------------------------- */

void runai_note(struct sl_at at, const char *format, ...)
{
	char text[TEXT_HEADROOM];
	va_list args;
	struct runai_config *config = runai_of(at)->config;
	if (runai_failed(runai_of(at)))
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	struct runai_note *note =
		runai_grow(runai_of(at), runai_of(at)->note, config->note_count, sizeof(*note));
	if (!note)
		return;
	runai_of(at)->note = note;
	config->note = note;
	note[config->note_count++] = (struct runai_note){ .text = runai_copy(runai_of(at), text),
		.at = at.node ? sl_doc_place(at.doc, at.node) : (struct sl_place){ "?", 0, 0 } };
}

/* ---- Memory ------------------------------------------------------------------------------------- */

void *runai_headroom(struct runai_reading *r, size_t count, size_t size)
{
	void *headroom = runai_failed(r) ? NULL : sl_alloc(r->arena, count + 1, size);
	if (!headroom && !runai_failed(r))
		(void)sl_fail_memory(r->err);
	return headroom;
}

/* Twice as large at each power of two from 8. */
void *runai_grow(struct runai_reading *r, void *array, uint32_t count, size_t size)
{
	const bool full = !array || (count >= 8 && (count & (count - 1)) == 0);
	if (!full)
		return array;
	void *larger = runai_headroom(r, count < 8 ? 8 : (size_t)2 * count, size);
	if (larger && array && count)
		memcpy(larger, array, count * size);
	return larger;
}

const char *runai_copy(struct runai_reading *r, const char *text)
{
	const char *copy = sl_strdup(r->arena, text, strlen(text));
	if (!copy && !runai_failed(r))
		(void)sl_fail_memory(r->err);
	return copy ? copy : "";
}

/* ---- Members ------------------------------------------------------------------------------------ */

bool runai_is_text(struct sl_at at) { return !sl_at_is_null(at) && at.node->kind == SL_DOC_TEXT; }
bool runai_is_list(struct sl_at at) { return !sl_at_is_null(at) && at.node->kind == SL_DOC_LIST; }
/* ---- Texts and numbers -------------------------------------------------------------------------- */

const char *runai_text(struct sl_at at)
{
	const char *text = sl_at_text(at);
	return text ? runai_copy(runai_of(at), text) : NULL;
}

const char *runai_name(struct sl_at at, const char *key)
{
	const char *text = runai_text(sl_at_get(at, key));
	if (!text)
		(void)sl_at_fail(at, "'%s' is missing: give it", key);
	return text ? text : "";
}

static bool is_minus_one(const char *text) { return strcmp(text, "-1") == 0 || strcmp(text, "-1.0") == 0; }

/* Millionths; beyond that as a quantity, which knows exponents. */
static bool micro_of(const char *text, int64_t *micro)
{
	int64_t thousandths;
	if (sl_get_micro(text, strlen(text), micro))
		return true;
	if (!sl_get_quantity(text, strlen(text), &thousandths) || thousandths > INT64_MAX / 1000)
		return false;
	*micro = thousandths * 1000;
	return true;
}

double runai_real(struct sl_at at, double fallback)
{
	const char *text = sl_at_text(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (micro_of(text, &micro) && micro >= 0)
		return (double)micro / 1e6;
	(void)sl_at_fail(at, "'%.80s' is not a number that is not negative, as 1 or 0.5", text);
	return fallback;
}

const char *const *runai_texts(struct sl_at at, uint32_t *count, uint32_t max)
{
	*count = 0;
	if (sl_at_is_null(at) || runai_failed(runai_of(at)))
		return NULL;
	const bool one = runai_is_text(at);
	const uint32_t headroom = one ? 1 : sl_at_count(at);
	if (headroom > max) {
		(void)sl_at_fail(at, "more than %u of them", max);
		return NULL;
	}
	const char **list = runai_headroom(runai_of(at), headroom, sizeof(*list));
	if (!list)
		return NULL;
	if (one) {
		list[(*count)++] = runai_text(at);
		return list;
	}
	SL_AT_EACH (each, at) {
		const char *text = runai_text(each);
		if (!text)
			(void)sl_at_fail(each, "a name is wanted here");
		else
			list[(*count)++] = text;
	}
	return list;
}

/* ---- Durations ---------------------------------------------------------------------------------- */

/* Its unit in microseconds; what is less than one is rounded down. */
static bool unit_of(const char **text, int64_t *unit)
{
	static const struct {
		const char *name;
		int64_t us;
	} units[] = { { "ms", 1000 }, { "us", 1 }, { "s", 1000000 }, { "m", 60000000 },
		{ "h", INT64_C(3600000000) }, { "d", INT64_C(86400000000) }, { "w", INT64_C(604800000000) },
		{ "y", INT64_C(31536000000000) } };
	for (size_t i = 0; i < SL_LEN(units); i++) {
		const size_t len = strlen(units[i].name);
		if (strncmp(*text, units[i].name, len) != 0)
			continue;
		*text += len;
		*unit = units[i].us;
		return true;
	}
	return false;
}

/* A sum of numbers with units; at most some 30 000 years. */
static bool runai_doc_sum_of(const char *text, sl_time *value)
{
	sl_time sum = 0;
	const bool minus = *text == '-';
	text += minus;
	if (!*text)
		return false;
	while (*text) {
		const size_t len = strspn(text, "0123456789.");
		int64_t micro;
		int64_t unit = 0;
		if (!len || !sl_get_micro(text, len, &micro) || micro > INT64_C(1000000000000))
			return false;
		text += len;
		if (!unit_of(&text, &unit) || (unit > 3600000000 && micro > INT64_C(1000000000)))
			return false;
		sum += sl_mul_div(micro, unit, 1000000);
		if (sum > INT64_MAX / 16)
			return false;
	}
	*value = minus ? -sum : sum;
	return true;
}

sl_time runai_time(struct sl_at at, sl_time fallback)
{
	const char *text = sl_at_text(at);
	sl_time value = 0;
	if (!text)
		return fallback;
	if (sl_get_duration(text, strlen(text), &value) || runai_doc_sum_of(text, &value))
		return value;
	(void)sl_at_fail(at, "'%.80s' is not a duration: write one as 90s, 5m, 1h30m or 2d", text);
	return fallback;
}

sl_time runai_seconds(struct sl_at at, sl_time fallback)
{
	const char *text = sl_at_text(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (micro_of(text, &micro) && micro >= 0)
		return micro;
	(void)sl_at_fail(at, "'%.80s' is not a number of seconds", text);
	return fallback;
}

/* ---- Amounts ------------------------------------------------------------------------------------ */

static bool runai_doc_gpus_of(const char *text, int64_t *amount)
{
	int64_t micro;
	if (!micro_of(text, &micro) || micro < 0 || micro > INT64_MAX / 1000 / 2)
		return false;
	*amount = micro * (KAI_GPU / 1000000);
	return true;
}

int64_t runai_amount(struct sl_at at, enum kai_res res, int64_t fallback)
{
	static const char *const examples[KAI_RES] = { "64 or 500m", "256Gi", "2 or 0.5" };
	const char *text = sl_at_text(at);
	int64_t amount = 0;
	if (!text)
		return fallback;
	if (strcmp(text, "unlimited") == 0 || is_minus_one(text))
		return KAI_UNLIMITED;
	if (res == KAI_GPUS ? runai_doc_gpus_of(text, &amount)
			    : sl_get_amount(kai_res_name(res), text, strlen(text), &amount) && amount >= 0)
		return amount;
	(void)sl_at_fail(at, "'%.80s' is not an amount of %s: write one as %s, or unlimited", text,
		res == KAI_GPUS ? "GPUs" : kai_res_name(res), examples[res]);
	return fallback;
}

int64_t runai_kai_amount(struct sl_at at, enum kai_res res, int64_t fallback)
{
	static const char *const units[KAI_RES] = { "thousandths of a cpu", "megabytes (10^6)", "GPUs" };
	static const int64_t scale[KAI_RES] = { 1, 1000000, KAI_GPU }; /* Of a whole one. */
	const char *text = sl_at_text(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (is_minus_one(text))
		return KAI_UNLIMITED;
	if (!micro_of(text, &micro) || micro < 0 || micro / 1000000 > INT64_MAX / scale[res] / 4) {
		(void)sl_at_fail(at, "'%.80s' is not a number of %s, or -1 for unlimited", text, units[res]);
		return fallback;
	}
	return sl_mul_div(micro, scale[res], 1000000);
}
