/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export.c - bytes, text made safe, numbers as tables show them, and runs remembered until they are written.
 */
#include "reports/export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Bytes ---------------------------------------------------------------------- */

void export_put(struct export_bytes *bytes, const void *data, size_t length)
{
	if (bytes->failed || !length)
		return;
	bytes->failed = SL_GROW(bytes->data, bytes->capacity, bytes->length + length, NULL);
	if (bytes->failed)
		return;
	memcpy(bytes->data + bytes->length, data, length);
	bytes->length += length;
}

void export_send(const struct export_bytes *bytes, struct sl_out *out)
{
	enum { CHUNK = 1 << 15 };
	for (size_t at = 0; at < bytes->length; at += CHUNK) {
		const size_t left = bytes->length - at;
		const size_t length = left < CHUNK ? left : CHUNK;
		char *p = sl_out_reserve(out, CHUNK);
		memcpy(p, bytes->data + at, length);
		sl_out_advance(out, p + length);
	}
}

void export_bytes_free(struct export_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct export_bytes){ 0 };
}

/* ---- Text ------------------------------------------------------------------------- */

/* The length of the character of UTF-8 at p, and which it is; 0: there is none (RFC 3629: no overlong form,
 * no surrogate, nothing beyond U+10FFFF). A zero byte ends the text, so no byte behind it is read. */
static size_t character(const unsigned char *p, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const size_t length = p[0] < 0x80       ? 1
			      : p[0] >> 5 == 6  ? 2
			      : p[0] >> 4 == 14 ? 3
			      : p[0] >> 3 == 30 ? 4
						: 0;
	if (length < 2) {
		*code = p[0];
		return length;
	}
	*code = p[0] & (0x7FU >> length);
	for (size_t i = 1; i < length; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3FU);
	}
	const bool surrogate = *code >= 0xD800 && *code < 0xE000;
	return *code < least[length] || *code > 0x10FFFF || surrogate ? 0 : length;
}

/* Moves the cursor, or turns the direction of writing; or no XML may hold it. */
static bool unwelcome(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} range[] = { { 0, 0x1F }, { 0x7F, 0x9F }, { 0x61C, 0x61C }, { 0x200B, 0x200F }, { 0x2028, 0x202E },
		{ 0x2060, 0x206F }, { 0xFEFF, 0xFEFF }, { 0xFFFE, 0xFFFF } };
	for (size_t i = 0; i < SL_LEN(range); i++)
		if (code >= range[i].first && code <= range[i].last)
			return true;
	return false;
}

char *export_clean(const char *text, size_t most)
{
	struct export_bytes clean = { 0 };
	size_t characters = 0;
	size_t cut = 0; /* Where the ellipsis would go. */
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		uint32_t code;
		const size_t length = character(p, &code);
		const unsigned char *from = p;
		p += length ? length : 1;
		if (length && unwelcome(code))
			continue;
		if (most && characters + 1 == most)
			cut = clean.length;
		if (most && ++characters > most) {
			clean.length = cut;
			export_put(&clean, "\xE2\x80\xA6", 3);
			break;
		}
		export_put(&clean, length ? (const char *)from : "\xEF\xBF\xBD", length ? length : 3);
	}
	export_put(&clean, "", 1);
	if (!clean.failed)
		return clean.data;
	export_bytes_free(&clean);
	return NULL;
}

char *export_id(const struct sl_jobs *jobs, uint32_t job)
{
	char number[32];
	*sl_put_i64(number, jobs->id[job]) = '\0';
	return export_clean(jobs->id_name && jobs->id_name[job] ? jobs->id_name[job] : number, 0);
}

char *export_name(const char *const *names, int32_t number)
{
	char digits[32];
	if (number < 0)
		return NULL;
	*sl_put_i64(digits, number) = '\0';
	return export_clean(names ? names[number] : digits, 0);
}

/* ---- Numbers ---------------------------------------------------------------------- */

const char *export_unit(const char *unit)
{
	return strcmp(unit, "share") == 0      ? "%"
	       : strcmp(unit, "per hour") == 0 ? "jobs/h"
	       : strcmp(unit, "s") == 0        ? "s"
					       : "";
}

void export_number(char *text, int64_t micro, const char *unit, bool plus)
{
	const bool share = strcmp(unit, "share") == 0;
	const int64_t value =
		share && micro < INT64_MAX / 100 && micro > -INT64_MAX / 100 ? micro * 100 : micro;
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	/* So many decimals as make four digits, at most three. Counts are whole, or made of means. */
	const unsigned decimals = size >= 1000000000 ? 0 : size >= 100000000 ? 1 : size >= 10000000 ? 2 : 3;
	static const uint64_t unit_of[] = { 1000000, 100000, 10000, 1000 };
	size = (size + unit_of[decimals] / 2) / unit_of[decimals] * unit_of[decimals];
	char *p = text;
	if (size && value < 0)
		*p++ = '-';
	else if (size && plus)
		*p++ = '+';
	*sl_put_micro(p, size > INT64_MAX ? INT64_MAX : (int64_t)size) = '\0';
}

/* ---- Runs ------------------------------------------------------------------------- */

/* A copy of each text of an array; false: no memory. */
static bool remember_facts(struct export_run *run, const struct sl_document_run *reported)
{
	run->fact = calloc(reported->fact_count + 1, sizeof(*run->fact));
	run->warning = calloc(reported->warning_count + 1, sizeof(*run->warning));
	bool good = run->fact && run->warning;
	for (size_t i = 0; good && i < reported->fact_count; i++) {
		char *key = export_clean(reported->fact[i].key, 0);
		char *value = export_clean(reported->fact[i].value ? reported->fact[i].value : "", 0);
		run->fact[run->fact_count++] = (struct sl_fact){ key, value };
		good = key && value;
	}
	for (size_t i = 0; good && i < reported->warning_count; i++) {
		run->warning[run->warning_count] = export_clean(reported->warning[i], 0);
		good = run->warning[run->warning_count++];
	}
	return good;
}

int export_remember(
	struct export_run **runs, uint32_t *count, const struct sl_document_run *reported, struct sl_err *err)
{
	if (SL_RESIZE(*runs, *count + (size_t)1, err))
		return SL_SYSTEM;
	struct export_run *run = &(*runs)[(*count)++];
	*run = (struct export_run){ .partial = reported->partial };
	run->label = export_clean(reported->label, 0);
	run->metric = calloc(reported->metric_count + 1, sizeof(*run->metric));
	bool good = run->label && run->metric && remember_facts(run, reported);
	for (size_t i = 0; good && i < reported->metric_count; i++) {
		char *name = strdup(reported->metric[i].name);
		run->metric[run->metric_count++] = (struct sl_named){ name, reported->metric[i].micro };
		good = name;
	}
	return good ? SL_OK : sl_fail_memory(err);
}

/* Of a text that is its own, though others may only read it. */
static void let_go(const char *text)
{
	void *own;
	memcpy(&own, &text, sizeof(own));
	free(own);
}

void export_runs_free(struct export_run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].metric_count; j++)
			let_go(runs[i].metric[j].name);
		for (size_t j = 0; j < runs[i].fact_count; j++) {
			let_go(runs[i].fact[j].key);
			let_go(runs[i].fact[j].value);
		}
		for (size_t j = 0; j < runs[i].warning_count; j++)
			free(runs[i].warning[j]);
		free(runs[i].metric);
		free(runs[i].fact);
		free(runs[i].warning);
		free(runs[i].label);
	}
	free(runs);
}

bool export_metric(const struct export_run *run, const char *name, int64_t *micro)
{
	for (size_t i = 0; i < run->metric_count; i++) {
		if (strcmp(run->metric[i].name, name) != 0)
			continue;
		*micro = run->metric[i].micro;
		return true;
	}
	return false;
}

bool export_compared(const struct export_run *runs, const struct sl_compared *compared, uint32_t run,
	const char *name, int64_t *micro)
{
	for (size_t i = 0; i < compared->restated_count; i++)
		if (compared->restated[i].run == run && strcmp(compared->restated[i].metric, name) == 0) {
			*micro = compared->restated[i].micro;
			return true;
		}
	return export_metric(&runs[run], name, micro);
}

const struct sl_difference *export_difference(
	const struct sl_compared *compared, const char *metric, uint32_t run)
{
	for (size_t i = 0; i < compared->difference_count; i++)
		if (compared->difference[i].run == run && strcmp(compared->difference[i].metric, metric) == 0)
			return &compared->difference[i];
	return NULL;
}
