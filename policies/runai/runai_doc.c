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

enum { TEXT_ROOM = 600 };

struct runai_at runai_doc(struct runai_reading *r, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return (struct runai_at){ r, doc, node };
}

bool runai_failed(const struct runai_reading *r) { return r->err->status != SL_OK; }

static struct runai_at nothing_of(struct runai_at at) { return (struct runai_at){ at.r, at.doc, NULL }; }

static const char *raw(struct runai_at at) { return at.doc->text + at.node->text; }

/* ---- Failures and notes ---------------------------------------------------------------------------------
 */

void runai_fail(struct runai_at at, const char *format, ...)
{
	char text[TEXT_ROOM];
	va_list args;
	if (runai_failed(at.r))
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!at.node) {
		(void)sl_fail(at.r->err, SL_INPUT, "%s: %s", at.doc ? at.doc->file : "?", text);
		return;
	}
	const struct sl_place place = sl_doc_place(at.doc, at.node);
	(void)sl_fail_at(at.r->err, &place, "%s", text);
}

void runai_note(struct runai_at at, const char *format, ...)
{
	char text[TEXT_ROOM];
	va_list args;
	struct runai_config *config = at.r->config;
	if (runai_failed(at.r))
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	struct runai_note *note = runai_grow(at.r, at.r->note, config->note_count, sizeof(*note));
	if (!note)
		return;
	at.r->note = note;
	config->note = note;
	note[config->note_count++] = (struct runai_note){ .text = runai_copy(at.r, text),
		.at = at.node ? sl_doc_place(at.doc, at.node) : (struct sl_place){ "?", 0, 0 } };
}

/* ---- Memory ---------------------------------------------------------------------------------------------
 */

void *runai_room(struct runai_reading *r, size_t count, size_t size)
{
	void *room = runai_failed(r) ? NULL : sl_alloc(r->arena, count + 1, size);
	if (!room && !runai_failed(r))
		(void)sl_fail_memory(r->err);
	return room;
}

/* Twice as large at each power of two from 8. */
void *runai_grow(struct runai_reading *r, void *array, uint32_t count, size_t size)
{
	const bool full = !array || (count >= 8 && (count & (count - 1)) == 0);
	if (!full)
		return array;
	void *larger = runai_room(r, count < 8 ? 8 : (size_t)2 * count, size);
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

/* ---- Members --------------------------------------------------------------------------------------------
 */

bool runai_is_null(struct runai_at at)
{
	if (!at.node)
		return true;
	return at.node->kind == SL_DOC_TEXT &&
	       (!*raw(at) || strcmp(raw(at), "null") == 0 || strcmp(raw(at), "~") == 0);
}

bool runai_is_text(struct runai_at at) { return !runai_is_null(at) && at.node->kind == SL_DOC_TEXT; }
bool runai_is_list(struct runai_at at) { return !runai_is_null(at) && at.node->kind == SL_DOC_LIST; }
const char *runai_key(struct runai_at at) { return at.doc->text + at.node->key; }

static struct runai_at member(struct runai_at at, const char *key, size_t len)
{
	if (runai_is_null(at) || runai_failed(at.r))
		return nothing_of(at);
	if (at.node->kind != SL_DOC_MAP) {
		runai_fail(at, "fields are wanted here ('%.*s'), as \"key: value\"", (int)len, key);
		return nothing_of(at);
	}
	const struct sl_doc_node *node = sl_doc_child(at.doc, at.node);
	for (; node; node = sl_doc_next(at.doc, node)) {
		const char *name = at.doc->text + node->key;
		if (strlen(name) == len && memcmp(name, key, len) == 0)
			return (struct runai_at){ at.r, at.doc, node };
	}
	return nothing_of(at);
}

struct runai_at runai_get(struct runai_at at, const char *path)
{
	while (at.node && *path) {
		const size_t len = strcspn(path, ".");
		at = member(at, path, len);
		path += len;
		path += *path == '.';
	}
	return at;
}

struct runai_at runai_first(struct runai_at at)
{
	if (runai_is_null(at) || runai_failed(at.r))
		return nothing_of(at);
	if (at.node->kind == SL_DOC_TEXT) {
		runai_fail(at, "a list or fields are wanted here, not '%.80s'", raw(at));
		return nothing_of(at);
	}
	return (struct runai_at){ at.r, at.doc, sl_doc_child(at.doc, at.node) };
}

struct runai_at runai_next(struct runai_at at)
{
	return (struct runai_at){ at.r, at.doc, runai_failed(at.r) ? NULL : sl_doc_next(at.doc, at.node) };
}

uint32_t runai_count(struct runai_at at)
{
	return runai_is_null(at) || at.node->kind == SL_DOC_TEXT ? 0 : at.node->count;
}

static bool is_among(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(*words, text) == 0)
			return true;
	return false;
}

static const char *listed(const char *const *words, char *text, size_t room)
{
	size_t len = 0;
	*text = '\0';
	for (size_t i = 0; words[i] && len < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%s", i ? ", " : "", words[i]);
	return text;
}

void runai_keys(struct runai_at at, const char *const *keys)
{
	char known[TEXT_ROOM / 2];
	if (runai_is_null(at) || runai_failed(at.r))
		return;
	if (at.node->kind != SL_DOC_MAP) {
		runai_fail(at, "fields are wanted here: %s", listed(keys, known, sizeof(known)));
		return;
	}
	for (struct runai_at one = runai_first(at); one.node; one = runai_next(one)) {
		if (is_among(runai_key(one), keys))
			continue;
		const struct sl_place place = sl_doc_key_place(at.doc, one.node);
		(void)sl_fail_at(at.r->err, &place, "unknown key '%.60s': write one of %s", runai_key(one),
			listed(keys, known, sizeof(known)));
		return;
	}
}

/* ---- Texts and numbers -----------------------------------------------------------------------------------
 */

static const char *text_of(struct runai_at at)
{
	if (runai_is_null(at) || runai_failed(at.r))
		return NULL;
	if (at.node->kind != SL_DOC_TEXT) {
		runai_fail(at, "a text or number is wanted here");
		return NULL;
	}
	return raw(at);
}

const char *runai_text(struct runai_at at)
{
	const char *text = text_of(at);
	return text ? runai_copy(at.r, text) : NULL;
}

const char *runai_name(struct runai_at at, const char *key)
{
	const char *text = runai_text(runai_get(at, key));
	if (!text)
		runai_fail(at, "'%s' is missing: give it", key);
	return text ? text : "";
}

int64_t runai_int(struct runai_at at, int64_t fallback, int64_t min, int64_t max)
{
	const char *text = text_of(at);
	int64_t value = 0;
	if (!text)
		return fallback;
	if (sl_get_i64(text, strlen(text), &value) && value >= min && value <= max)
		return value;
	runai_fail(
		at, "'%.80s' is not a whole number from %lld to %lld", text, (long long)min, (long long)max);
	return fallback;
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

double runai_real(struct runai_at at, double fallback)
{
	const char *text = text_of(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (micro_of(text, &micro) && micro >= 0)
		return (double)micro / 1e6;
	runai_fail(at, "'%.80s' is not a number that is not negative, as 1 or 0.5", text);
	return fallback;
}

int runai_word(struct runai_at at, const char *const *words, int fallback)
{
	char known[TEXT_ROOM / 2];
	const char *text = text_of(at);
	if (!text)
		return fallback;
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	runai_fail(at, "'%.80s' is none of %s", text, listed(words, known, sizeof(known)));
	return fallback;
}

bool runai_bool(struct runai_at at, bool fallback)
{
	static const char *const words[] = { "false", "true", NULL };
	return runai_word(at, words, fallback) == 1;
}

const char *const *runai_texts(struct runai_at at, uint32_t *count, uint32_t max)
{
	*count = 0;
	if (runai_is_null(at) || runai_failed(at.r))
		return NULL;
	const bool one = runai_is_text(at);
	const uint32_t room = one ? 1 : runai_count(at);
	if (room > max) {
		runai_fail(at, "more than %u of them", max);
		return NULL;
	}
	const char **list = runai_room(at.r, room, sizeof(*list));
	if (!list)
		return NULL;
	if (one) {
		list[(*count)++] = runai_text(at);
		return list;
	}
	for (struct runai_at each = runai_first(at); each.node; each = runai_next(each)) {
		const char *text = runai_text(each);
		if (!text)
			runai_fail(each, "a name is wanted here");
		else
			list[(*count)++] = text;
	}
	return list;
}

/* ---- Durations -------------------------------------------------------------------------------------------
 */

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
static bool sum_of(const char *text, sl_time *value)
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

sl_time runai_time(struct runai_at at, sl_time fallback)
{
	const char *text = text_of(at);
	sl_time value = 0;
	if (!text)
		return fallback;
	if (sl_get_duration(text, strlen(text), &value) || sum_of(text, &value))
		return value;
	runai_fail(at, "'%.80s' is not a duration: write one as 90s, 5m, 1h30m or 2d", text);
	return fallback;
}

sl_time runai_seconds(struct runai_at at, sl_time fallback)
{
	const char *text = text_of(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (micro_of(text, &micro) && micro >= 0)
		return micro;
	runai_fail(at, "'%.80s' is not a number of seconds", text);
	return fallback;
}

/* ---- Amounts ---------------------------------------------------------------------------------------------
 */

static bool gpus_of(const char *text, int64_t *amount)
{
	int64_t micro;
	if (!micro_of(text, &micro) || micro < 0 || micro > INT64_MAX / 1000 / 2)
		return false;
	*amount = micro * (KAI_GPU / 1000000);
	return true;
}

int64_t runai_amount(struct runai_at at, enum kai_res res, int64_t fallback)
{
	static const char *const examples[KAI_RES] = { "64 or 500m", "256Gi", "2 or 0.5" };
	const char *text = text_of(at);
	int64_t amount = 0;
	if (!text)
		return fallback;
	if (strcmp(text, "unlimited") == 0 || is_minus_one(text))
		return KAI_UNLIMITED;
	if (res == KAI_GPUS ? gpus_of(text, &amount)
			    : sl_get_amount(kai_res_name(res), text, strlen(text), &amount) && amount >= 0)
		return amount;
	runai_fail(at, "'%.80s' is not an amount of %s: write one as %s, or unlimited", text,
		res == KAI_GPUS ? "GPUs" : kai_res_name(res), examples[res]);
	return fallback;
}

int64_t runai_kai_amount(struct runai_at at, enum kai_res res, int64_t fallback)
{
	static const char *const units[KAI_RES] = { "thousandths of a cpu", "megabytes (10^6)", "GPUs" };
	static const int64_t scale[KAI_RES] = { 1, 1000000, KAI_GPU }; /* Of a whole one. */
	const char *text = text_of(at);
	int64_t micro;
	if (!text)
		return fallback;
	if (is_minus_one(text))
		return KAI_UNLIMITED;
	if (!micro_of(text, &micro) || micro < 0 || micro / 1000000 > INT64_MAX / scale[res] / 4) {
		runai_fail(at, "'%.80s' is not a number of %s, or -1 for unlimited", text, units[res]);
		return fallback;
	}
	return sl_mul_div(micro, scale[res], 1000000);
}
