/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_text.c - text that grows, and names as JSON that nothing in a page can take for anything else.
 */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void page_bytes(struct page_text *text, const void *data, size_t length)
{
	if (text->failed)
		return;
	text->failed = SL_GROW(text->data, text->capacity, text->length + length, NULL);
	if (text->failed)
		return;
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
}

void page_put(struct page_text *text, const char *words) { page_bytes(text, words, strlen(words)); }

void page_format(struct page_text *text, const char *format, ...)
{
	char line[400];
	va_list args;
	va_start(args, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): begun above. */
	const int length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	SL_CHECK(length >= 0 && (size_t)length < sizeof(line));
	page_bytes(text, line, (size_t)length);
}

void page_i64(struct page_text *text, int64_t value)
{
	char number[32];
	page_bytes(text, number, (size_t)(sl_put_i64(number, value) - number));
}

void page_micro(struct page_text *text, int64_t micro)
{
	char number[32];
	page_bytes(text, number, (size_t)(sl_put_micro(number, micro) - number));
}

void page_name(struct page_text *json, const char *name)
{
	const bool first = !json->length || json->data[json->length - 1] == '{';
	page_put(json, first ? "" : ",");
	page_json(json, name);
	page_put(json, ":");
}

/* How many bytes the UTF-8 letter at p has; 0: it is none. RFC 3629: no surrogates, nothing overlong, nothing
 * beyond U+10FFFF. */
static size_t letter(const unsigned char *p)
{
	const size_t more = *p < 0x80 ? 0 : *p < 0xc2 ? 4 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : 4;
	for (size_t i = 1; i <= more; i++)
		if (more == 4 || (p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
		(*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return more + 1;
}

/* What whoever shows the page would obey (marks of direction) is shown as an escape. */
static void put_letter(struct page_text *text, const unsigned char *p, size_t length)
{
	char inert[SL_INERT_SIZE];
	const char *at = (const char *)p;
	const size_t width = sl_inert(&at, inert);
	const bool obeyed = width != length || memcmp(inert, p, length) != 0;
	if (obeyed)
		page_put(text, "\\");
	page_bytes(text, inert, width);
}

void page_json(struct page_text *text, const char *words)
{
	if (!words) {
		page_put(text, "null");
		return;
	}
	page_put(text, "\"");
	for (const unsigned char *p = (const unsigned char *)words; *p;) {
		const size_t length = letter(p);
		if (!length)
			page_put(text, "\\ufffd");
		else if (*p == '"' || *p == '\\')
			page_format(text, "\\%c", *p);
		else if (*p < 0x20 || *p == '<' || *p == 0x7f)
			page_format(text, "\\u%04x", *p);
		else if (length == 1)
			page_bytes(text, p, 1);
		else
			put_letter(text, p, length);
		p += length ? length : 1;
	}
	page_put(text, "\"");
}

void page_text_free(struct page_text *text)
{
	free(text->data);
	*text = (struct page_text){ 0 };
}
