/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_canvas.c - a screen of characters with a style each, as text or as what a terminal understands.
 *
 * Each character takes one column: wider ones, and what is no character, are shown as '?'.
 * Control sequences: ECMA-48, Control Functions for Coded Character Sets (SGR, CUP, EL).
 */
#include <stdlib.h>

#include "cli/step/step.h"

int canvas_init(struct canvas *canvas, int columns, int rows, struct sl_err *err)
{
	const size_t count = (size_t)columns * (size_t)rows;
	*canvas = (struct canvas){ .columns = columns, .rows = rows };
	canvas->glyph = malloc(count * sizeof(*canvas->glyph));
	canvas->style = calloc(count, sizeof(*canvas->style));
	if (!canvas->glyph || !canvas->style) {
		canvas_free(canvas);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		canvas->glyph[i] = ' ';
	return SL_OK;
}

void canvas_free(struct canvas *canvas)
{
	free(canvas->glyph);
	free(canvas->style);
	*canvas = (struct canvas){ 0 };
}

/* The next character of UTF-8; what is none is '?', a byte at a time. */
static uint32_t next_glyph(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	const int more = *p < 0x80                 ? 0
			 : *p >= 0xc2 && *p < 0xe0 ? 1
			 : *p >= 0xe0 && *p < 0xf0 ? 2
			 : *p >= 0xf0 && *p < 0xf5 ? 3
						   : -1;
	uint32_t glyph = more == 0 ? *p : more == 1 ? *p & 0x1fU : more == 2 ? *p & 0xfU : *p & 7U;
	(*text)++;
	if (more < 0)
		return '?';
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return '?';
		glyph = glyph << 6 | (p[i] & 0x3fU);
	}
	*text += more;
	return glyph;
}

/* Those of two columns, and none (combining, joiners), would shift what follows. */
static bool is_narrow(uint32_t glyph)
{
	return glyph >= ' ' && glyph < 0x1100 && glyph != 0x7f && !(glyph >= 0x80 && glyph < 0xa0) &&
	       !(glyph >= 0x300 && glyph < 0x370);
}

void canvas_glyph(struct canvas *canvas, int row, int column, int style, uint32_t glyph)
{
	if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
		return;
	const size_t at = (size_t)row * (size_t)canvas->columns + (size_t)column;
	canvas->glyph[at] = glyph;
	canvas->style[at] = (uint8_t)style;
}

int canvas_put(struct canvas *canvas, int row, int column, int width, int style, const char *text)
{
	while (*text && width-- > 0) {
		const uint32_t glyph = next_glyph(&text);
		canvas_glyph(canvas, row, column++, style, is_narrow(glyph) ? glyph : '?');
	}
	return column;
}

void canvas_row(struct canvas *canvas, int row, int style)
{
	for (int column = 0; column < canvas->columns && row < canvas->rows; column++)
		canvas->style[(size_t)row * (size_t)canvas->columns + (size_t)column] = (uint8_t)style;
}

static void put_glyph(struct cell *text, uint32_t glyph)
{
	if (glyph < 0x80)
		cell_put(text, "%c", (char)glyph);
	else if (glyph < 0x800)
		cell_put(text, "%c%c", (char)(0xc0 | glyph >> 6), (char)(0x80 | (glyph & 0x3f)));
	else
		cell_put(text, "%c%c%c", (char)(0xe0 | glyph >> 12), (char)(0x80 | (glyph >> 6 & 0x3f)),
			(char)(0x80 | (glyph & 0x3f)));
}

/* Columns up to the last one that is not blank; bars count. */
static int used_of(const struct canvas *canvas, int row)
{
	const size_t first = (size_t)row * (size_t)canvas->columns;
	int used = canvas->columns;
	while (used && canvas->glyph[first + (size_t)used - 1] == ' ' &&
		canvas->style[first + (size_t)used - 1] != STYLE_BAR)
		used--;
	return used;
}

void canvas_text(const struct canvas *canvas, struct cell *text)
{
	for (int row = 0; row < canvas->rows; row++) {
		const size_t first = (size_t)row * (size_t)canvas->columns;
		int used = canvas->columns;
		while (used && canvas->glyph[first + (size_t)used - 1] == ' ')
			used--;
		for (int column = 0; column < used; column++)
			put_glyph(text, canvas->glyph[first + (size_t)column]);
		cell_put(text, "\n");
	}
}

void canvas_terminal(const struct canvas *canvas, bool color, struct cell *text)
{
	static const char *const plain[STYLES] = { "", "1", "7", "", "", "", "1" };
	static const char *const colored[STYLES] = { "", "1", "7", "2", "36", "33", "1;31" };
	for (int row = 0; row < canvas->rows; row++) {
		const size_t first = (size_t)row * (size_t)canvas->columns;
		const int used = used_of(canvas, row);
		int style = STYLE_PLAIN;
		cell_put(text, "\033[%d;1H\033[m", row + 1);
		for (int column = 0; column < used; column++) {
			const size_t at = first + (size_t)column;
			if (canvas->style[at] != style) {
				style = canvas->style[at];
				cell_put(text, "\033[0;%sm", (color ? colored : plain)[style]);
			}
			put_glyph(text, canvas->glyph[at]);
		}
		cell_put(text, used < canvas->columns ? "\033[m\033[K" : "\033[m");
	}
}
