/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pdf.c - the same charts as PDF 1.4, one page as large as the picture.
 *
 * A chart is drawn once, as SVG (svg.c), and its lines, rectangles, paths and texts are put into a page here:
 * what differs between the two is the file's form alone. Texts are in Helvetica, one of the fonts that every
 * reader of PDF has, in the encoding of Windows; a character that it lacks is a question mark. No library, no
 * time of day and no compression: the same chart is the same bytes.
 * PDF Reference, third edition (Adobe, 2001): 3.4 file structure, 4 graphics, 5.5.1 the standard fonts.
 */
#include "reports/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- SVG, read back ---------------------------------------------------------------------------------- */

struct pdf_page {
	struct export_bytes svg;  /* The chart. */
	struct export_bytes draw; /* Its content as PDF. */
	double width, height;     /* Pixels, of which four are three points. */
};

static void pdf_take(void *self, const char *bytes, size_t len) { export_put(self, bytes, len); }

static void pdf_text(struct export_bytes *to, const char *text) { export_put(to, text, strlen(text)); }

/* With a blank behind it. */
static void pdf_number(struct export_bytes *to, double value)
{
	char text[40];
	const double bound = 1e9;
	const double kept = value > bound ? bound : value < -bound ? -bound : value;
	const double hundredths = kept * 100;
	char *end =
		sl_put_micro(text, (int64_t)(hundredths < 0 ? hundredths - 0.5 : hundredths + 0.5) * 10000);
	*end++ = ' ';
	export_put(to, text, (size_t)(end - text));
}

/* Plain decimals, as our charts have them. */
static double number_of(const char *text, const char **end)
{
	double value = 0;
	double place = 1;
	const bool minus = *text == '-';
	bool behind = false;
	for (text += minus; (*text >= '0' && *text <= '9') || (*text == '.' && !behind); text++) {
		if (*text == '.') {
			behind = true;
			continue;
		}
		value = value * 10 + (*text - '0');
		place *= behind ? 10 : 1;
	}
	if (end)
		*end = text;
	return (minus ? -value : value) / place;
}

/* An attribute's value within a tag; NULL: it has none. length: without its quotes. */
static const char *attribute(const char *tag, const char *until, const char *name, size_t *length)
{
	const size_t size = strlen(name);
	for (const char *at = tag; at + size + 2 < until; at++) {
		if (*at != ' ' || strncmp(at + 1, name, size) != 0 || strncmp(at + 1 + size, "=\"", 2) != 0)
			continue;
		const char *value = at + size + 3;
		const char *end = memchr(value, '"', (size_t)(until - value));
		*length = end ? (size_t)(end - value) : 0;
		return end ? value : NULL;
	}
	return NULL;
}

static double value_at(const char *tag, const char *until, const char *name, double fallback)
{
	size_t length;
	const char *value = attribute(tag, until, name, &length);
	return value ? number_of(value, NULL) : fallback;
}

/* "#rrggbb" as three numbers of a thousandth, and the operator. False: "none", or there is no colour. */
static bool put_colour(
	struct export_bytes *to, const char *tag, const char *until, const char *name, const char *operator)
{
	size_t length;
	const char *value = attribute(tag, until, name, &length);
	if (!value || length != 7 || *value != '#')
		return false;
	for (size_t i = 0; i < 3; i++) {
		unsigned part = 0;
		for (size_t k = 0; k < 2; k++) {
			const char c = value[1 + 2 * i + k];
			part = part * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
		}
		char text[16];
		(void)snprintf(text, sizeof(text), "0.%03u ", part * 999 / 255);
		pdf_text(to, part == 255 ? "1 " : text);
	}
	pdf_text(to, operator);
	return true;
}

/* Colour, width and dashes of a line. */
static bool put_stroke(struct export_bytes *to, const char *tag, const char *until)
{
	size_t length;
	if (!put_colour(to, tag, until, "stroke", "RG "))
		return false;
	pdf_number(to, value_at(tag, until, "stroke-width", 1));
	pdf_text(to, "w [");
	const char *dash = attribute(tag, until, "stroke-dasharray", &length);
	for (const char *end = dash ? dash + length : NULL; dash && dash < end;
		dash += *dash == ' ' || *dash == ',')
		pdf_number(to, number_of(dash, &dash));
	pdf_text(to, "] 0 d\n");
	return true;
}

static void put_place(struct export_bytes *to, double x, double y, const char *operator)
{
	pdf_number(to, x);
	pdf_number(to, y);
	pdf_text(to, operator);
}

/* M, L, H, V and Z, absolute, as our charts use them. */
static void put_path(struct export_bytes *to, const char *d, size_t length)
{
	const char *const end = d + length;
	double x = 0;
	double y = 0;
	char command = 'M';
	while (d < end) {
		if (*d == ' ' || *d == ',') {
			d++;
			continue;
		}
		if (*d >= 'A' && *d <= 'Z')
			command = *d++;
		if (command == 'Z') {
			pdf_text(to, "h ");
			continue;
		}
		const char *const before = d;
		while (d < end && *d == ' ')
			d++;
		if (command == 'V')
			y = number_of(d, &d);
		else
			x = number_of(d, &d);
		while (d < end && (*d == ' ' || *d == ','))
			d++;
		if (command == 'M' || command == 'L')
			y = number_of(d, &d);
		if (d == before)
			return; /* Nothing of ours. */
		put_place(to, x, y, command == 'M' ? "m\n" : "l\n");
		command = command == 'M' ? 'L' : command;
	}
}

/* ---- Text -----------------------------------------------------------------------------------------------
 */

/* Of ' ' to '~', in thousandths of the size (Adobe's metrics of the standard fonts). */
static const uint16_t width_of[2][95] = {
	{ 278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
		611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
		667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
		222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334,
		584 },
	{ 278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611,
		778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667,
		611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278,
		889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584 },
};

/* The character's byte in the encoding of Windows. */
static unsigned char winansi(uint32_t code)
{
	static const struct {
		uint32_t code;
		unsigned char byte;
	} more[] = { { 0x2013, 0x96 }, { 0x2014, 0x97 }, { 0x2018, 0x91 }, { 0x2019, 0x92 }, { 0x201C, 0x93 },
		{ 0x201D, 0x94 }, { 0x2022, 0x95 }, { 0x2026, 0x85 }, { 0x2212, 0x96 }, { 0x2009, ' ' },
		{ 0x202F, ' ' }, { 0x20AC, 0x80 } };
	if ((code >= ' ' && code <= '~') || (code >= 0xA0 && code <= 0xFF))
		return (unsigned char)code;
	for (size_t i = 0; i < SL_LEN(more); i++)
		if (more[i].code == code)
			return more[i].byte;
	return '?';
}

/* One character of an SVG's text, its references resolved. It is UTF-8: svg_text saw to that. */
static uint32_t next_of(const char **at, const char *end)
{
	static const struct {
		const char *name;
		char is;
	} names[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' },
		{ "&#39;", '\'' } };
	const unsigned char *p = (const unsigned char *)*at;
	for (size_t i = 0; *p == '&' && i < SL_LEN(names); i++) {
		const size_t length = strlen(names[i].name);
		if ((size_t)(end - *at) < length || strncmp(*at, names[i].name, length) != 0)
			continue;
		*at += length;
		return (uint32_t)names[i].is;
	}
	const unsigned length = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
	if ((size_t)(end - *at) < length) {
		*at = end;
		return '?';
	}
	uint32_t code = length == 1 ? p[0] : p[0] & (0x7FU >> length);
	for (unsigned i = 1; i < length; i++)
		code = code << 6 | (p[i] & 0x3FU);
	*at += length;
	return code;
}

static void put_words(
	struct pdf_page *page, const char *tag, const char *until, const char *text, const char *end)
{
	size_t length;
	const char *anchor = attribute(tag, until, "text-anchor", &length);
	const bool bold = attribute(tag, until, "font-weight", &length) != NULL;
	const double size = value_at(tag, until, "font-size", 11);
	struct export_bytes words = { 0 };
	double wide = 0;
	while (text < end) {
		const unsigned char byte = winansi(next_of(&text, end));
		if (byte == '(' || byte == ')' || byte == '\\')
			export_put(&words, "\\", 1);
		export_put(&words, &byte, 1);
		wide += (byte >= ' ' && byte <= '~' ? width_of[bold][byte - ' '] : 556) * size / 1000;
	}
	struct export_bytes *to = &page->draw;
	double x = value_at(tag, until, "x", 0);
	x -= !anchor ? 0 : *anchor == 'm' ? wide / 2 : *anchor == 'e' ? wide : 0;
	pdf_text(to, "BT ");
	if (!put_colour(to, tag, until, "fill", "rg "))
		pdf_text(to, "0 g ");
	pdf_text(to, bold ? "/F2 " : "/F1 ");
	pdf_number(to, size);
	pdf_text(to, "Tf 1 0 0 -1 ");
	put_place(to, x, value_at(tag, until, "y", 0), "Tm (");
	export_put(to, words.data ? words.data : "", words.length);
	pdf_text(to, ") Tj ET\n");
	to->failed = to->failed || words.failed;
	export_bytes_free(&words);
}

/* ---- Elements -------------------------------------------------------------------------------------------
 */

static bool is_tag(const char *tag, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(tag, name, length) == 0 && (tag[length] == ' ' || tag[length] == '>');
}

static void put_element(struct pdf_page *page, const char *tag, const char *until)
{
	struct export_bytes *to = &page->draw;
	size_t length;
	if (is_tag(tag, "line")) {
		if (!put_stroke(to, tag, until))
			return;
		put_place(to, value_at(tag, until, "x1", 0), value_at(tag, until, "y1", 0), "m ");
		put_place(to, value_at(tag, until, "x2", 0), value_at(tag, until, "y2", 0), "l S\n");
		return;
	}
	const bool rect = is_tag(tag, "rect");
	const char *d = attribute(tag, until, "d", &length);
	if (!rect && (!is_tag(tag, "path") || !d))
		return;
	const bool filled = put_colour(to, tag, until, "fill", "rg\n");
	const bool drawn = put_stroke(to, tag, until);
	const char *wide = attribute(tag, until, "width", &length);
	if (rect && wide && memchr(wide, '%', length)) {
		put_place(to, 0, 0, "");
		put_place(to, page->width, page->height, "re ");
	} else if (rect) {
		put_place(to, value_at(tag, until, "x", 0), value_at(tag, until, "y", 0), "");
		put_place(to, value_at(tag, until, "width", 0), value_at(tag, until, "height", 0), "re ");
	} else {
		d = attribute(tag, until, "d", &length);
		put_path(to, d, length);
	}
	pdf_text(to, filled && drawn ? "B\n" : filled ? "f\n" : drawn ? "S\n" : "n\n");
}

/* Behind the end of an element that began at `tag`, titles and all; end: where there is none. */
static const char *behind(const char *tag, const char *end, const char *closing)
{
	const char *at = strstr(tag, closing);
	return at ? at + strlen(closing) : end;
}

/* The SVG ends with a zero byte. */
static void pdf_translate(struct pdf_page *page)
{
	const char *const end = page->svg.data + page->svg.length - 1;
	const char *at = page->svg.data;
	while ((at = strchr(at, '<'))) {
		const char *tag = at + 1;
		const char *until = strchr(tag, '>');
		if (!until)
			return;
		at = until + 1;
		if (is_tag(tag, "title")) {
			at = behind(tag, end, "</title>");
		} else if (is_tag(tag, "desc")) {
			at = behind(tag, end, "</desc>");
		} else if (is_tag(tag, "text")) {
			const char *words = strncmp(at, "<title>", 7) == 0 ? behind(at, end, "</title>") : at;
			const char *last = strstr(words, "</text>");
			last = last ? last : end;
			put_words(page, tag, until, words, last);
			at = last;
		} else {
			put_element(page, tag, until);
		}
	}
}

/* ---- The file -------------------------------------------------------------------------------------------
 */

enum { OBJECTS = 6 };

static void pdf_file(const struct pdf_page *page, struct export_bytes *to)
{
	static const char head[] = "%PDF-1.4\n% Written by schedlab.\n";
	size_t place[OBJECTS + 1] = { 0 };
	char text[400];
	export_put(to, head, sizeof(head) - 1);
	for (unsigned i = 1; i <= OBJECTS; i++) {
		place[i] = to->length;
		(void)snprintf(text, sizeof(text), "%u 0 obj\n", i);
		pdf_text(to, text);
		switch (i) {
		case 1:
			pdf_text(to, "<< /Type /Catalog /Pages 2 0 R >>");
			break;
		case 2:
			pdf_text(to, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
			break;
		case 3:
			pdf_text(to, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ");
			pdf_number(to, page->width * 0.75);
			pdf_number(to, page->height * 0.75);
			pdf_text(to, "] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>");
			break;
		case 4:
			(void)snprintf(text, sizeof(text), "<< /Length %zu >>\nstream\n", page->draw.length);
			pdf_text(to, text);
			export_put(to, page->draw.data, page->draw.length);
			pdf_text(to, "endstream");
			break;
		default:
			(void)snprintf(text, sizeof(text),
				"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s /Encoding /WinAnsiEncoding >>",
				i == 5 ? "" : "-Bold");
			pdf_text(to, text);
			break;
		}
		pdf_text(to, "\nendobj\n");
	}
	const size_t table = to->length;
	(void)snprintf(text, sizeof(text), "xref\n0 %u\n0000000000 65535 f \n", OBJECTS + 1);
	pdf_text(to, text);
	for (unsigned i = 1; i <= OBJECTS; i++) {
		(void)snprintf(text, sizeof(text), "%010zu 00000 n \n", place[i]);
		pdf_text(to, text);
	}
	(void)snprintf(text, sizeof(text), "trailer\n<< /Size %u /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
		OBJECTS + 1, table);
	pdf_text(to, text);
}

static int pdf_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	return export_svg.open(self, options, err);
}

static int pdf_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	return export_svg.add(self, reported, err);
}

static void pdf_close(void *self) { export_svg.close(self); }

static int pdf_write(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	struct pdf_page page = { .width = 0 };
	struct export_bytes file = { 0 };
	struct sl_out *svg;
	int status = sl_out_to(&svg, pdf_take, &page.svg, err);
	if (status)
		return status;
	status = export_svg.write(self, compared, svg, err);
	if (status)
		sl_out_abandon(svg);
	else
		status = sl_out_commit(svg, err);
	export_put(&page.svg, "", 1);
	if (!status && !page.svg.failed) {
		const char *tag = strstr(page.svg.data, "<svg");
		const char *until = tag ? strchr(tag, '>') : NULL;
		page.width = until ? value_at(tag, until, "width", 0) : 0;
		page.height = until ? value_at(tag, until, "height", 0) : 0;
		/* Pixels from the upper left corner, as SVG counts them. */
		pdf_text(&page.draw, "0.75 0 0 -0.75 0 ");
		pdf_number(&page.draw, page.height * 0.75);
		pdf_text(&page.draw, "cm 1 j\n");
		pdf_translate(&page);
		pdf_file(&page, &file);
	}
	if (!status && (page.svg.failed || page.draw.failed || file.failed))
		status = sl_fail_memory(err);
	if (!status)
		export_send(&file, out);
	export_bytes_free(&page.svg);
	export_bytes_free(&page.draw);
	export_bytes_free(&file);
	return status;
}

/* The names of svg.c's charts. */
static const char *const pdf_charts[] = { "utilization", "queue", "wait-cdf", "wait-survival", "slowdown-cdf",
	"gantt", "heat", "shares", "comparison", NULL };

const struct sl_document export_pdf = { .abi = SL_ABI_OF(struct sl_document),
	.name = "pdf",
	.summary = "the charts of svg as PDF, for papers",
	.file = "report.pdf",
	.charts = pdf_charts,
	.binary = true,
	.open = pdf_open,
	.add = pdf_add,
	.write = pdf_write,
	.close = pdf_close };
