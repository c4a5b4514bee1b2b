/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inert.c - text from data, made safe to print: names of jobs, users, files and other text from outside.
 *
 * What a terminal would obey is printed as an escape: control bytes (C0, DEL, C1 also as UTF-8), marks that
 * turn the direction of writing or end a line (Unicode 15, UAX 9 and 14), and bytes that are no UTF-8.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/out.h"

uint32_t utf8_point(const unsigned char *p, size_t length)
{
	uint32_t point = length == 1 ? p[0] : p[0] & (0xFFU >> (length + 1));
	for (size_t i = 1; i < length; i++)
		point = point << 6 | (p[i] & 0x3F);
	return point;
}

bool is_obeyed(uint32_t point)
{
	return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E ||
	       point == 0x200F || (point >= 0x2028 && point <= 0x202E) ||
	       (point >= 0x2066 && point <= 0x2069);
}

size_t sl_inert(const char **at, char displayed[SL_INERT_SIZE])
{
	const unsigned char *p = (const unsigned char *)*at;
	const size_t length = utf8_length(p);
	const uint32_t point = length ? utf8_point(p, length) : *p;
	const char *letter = strchr("n\nt\tr\r", (int)(point ? point : 1));
	*at += length ? length : 1;
	if (!length || point < 0x80) {
		if (length && !is_obeyed(point))
			return (size_t)snprintf(displayed, SL_INERT_SIZE, "%c", (char)point);
		return letter && length && point < 0x20
			       ? (size_t)snprintf(displayed, SL_INERT_SIZE, "\\%c", letter[-1])
			       : (size_t)snprintf(displayed, SL_INERT_SIZE, "\\x%02x", (unsigned)*p);
	}
	if (is_obeyed(point))
		return (size_t)snprintf(displayed, SL_INERT_SIZE, "\\u%04x", (unsigned)point);
	memcpy(displayed, p, length);
	displayed[length] = '\0';
	return length;
}

/* ---- CSV ------------------------------------------------------------------------------------------ */

/* A spreadsheet computes what begins so, unless it is a number. */
static bool is_formula(const char *text)
{
	return strchr("=+-@", *text) && *text && text[1 + strspn(text + 1, "0123456789.,:eE%")] != '\0';
}

static bool inert_is_plain(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p >= 0x7F || *p == ',' || *p == '"')
			return false;
	return !is_formula(text);
}

void sl_out_csv(struct sl_out *out, const char *text)
{
	if (inert_is_plain(text)) {
		sl_out_text(out, text);
		return;
	}
	const bool quoted = strpbrk(text, ",\"\n");
	sl_out_text(out, quoted ? "\"" : "");
	if (is_formula(text))
		sl_out_text(out, "'");
	while (*text) {
		char displayed[SL_INERT_SIZE];
		const char was = *text;
		(void)sl_inert(&text, displayed);
		sl_out_text(out, was == '"' ? "\"\"" : was == '\n' ? "\n" : was == '\t' ? "\t" : displayed);
	}
	sl_out_text(out, quoted ? "\"" : "");
}
