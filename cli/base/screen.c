/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen.c - tables for people: columns as wide as their widest cell, two blanks between.
 *
 * Widths count characters, not bytes; cells are UTF-8, one column a character.
 */
#include "cli/base/cli.h"

#include <inttypes.h>
#include <string.h>

struct cell {
	char *text;
	size_t width;
	bool right;
};

struct screen_table {
	struct sl_arena *arena;
	size_t columns;
	struct cell *cell; /* Row by row. */
	size_t count, capacity;
};

struct screen_table *screen_table_new(struct sl_arena *arena, size_t columns)
{
	struct screen_table *table = sl_alloc(arena, 1, sizeof(*table));
	if (table) {
		table->arena = arena;
		table->columns = columns;
	}
	return table;
}

/* Bytes that begin a character: all but 10xxxxxx. */
static size_t width_of(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xC0) != 0x80;
	return width;
}

static char *screen_inert(struct sl_arena *arena, const char *text)
{
	char displayed[SL_INERT_SIZE];
	size_t len = 0;
	for (const char *at = text; *at;)
		len += sl_inert(&at, displayed);
	char *made = sl_alloc(arena, len + SL_INERT_SIZE, 1);
	char *p = made;
	for (const char *at = text; made && *at;)
		p += sl_inert(&at, p);
	return made;
}

/* Without memory a table is shorter: what it says is on the way to being an error anyway. */
void screen_cell(struct screen_table *table, bool right, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!table || SL_GROW_IN(table->arena, table->cell, table->capacity, table->count + 1, NULL))
		return;
	char *copy = screen_inert(table->arena, text);
	if (copy)
		table->cell[table->count++] = (struct cell){ copy, width_of(copy), right };
}

static size_t column_width(const struct screen_table *table, size_t column)
{
	size_t width = 0;
	for (size_t i = column; i < table->count; i += table->columns)
		if (table->cell[i].width > width)
			width = table->cell[i].width;
	return width;
}

void screen_print(const struct screen_table *table, FILE *file)
{
	if (!table)
		return;
	size_t *width = sl_alloc(table->arena, table->columns, sizeof(*width));
	if (!width)
		return;
	for (size_t column = 0; column < table->columns; column++)
		width[column] = column_width(table, column);
	for (size_t row = 0; row + table->columns <= table->count; row += table->columns) {
		size_t blanks = 0; /* Put out before the next text only: no line ends in blanks. */
		for (size_t column = 0; column < table->columns; column++) {
			const struct cell *cell = &table->cell[row + column];
			const size_t pad = width[column] - cell->width;
			blanks += cell->right ? pad : 0;
			if (cell->width) {
				(void)fprintf(file, "%*s%s", (int)blanks, "", cell->text);
				blanks = 0;
			}
			blanks += (cell->right ? 0 : pad) + 2;
		}
		(void)fputc('\n', file);
	}
}

const char *screen_duration(char buffer[32], sl_time time)
{
	const char *sign = time < 0 ? "-" : "";
	const uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
	const uint64_t seconds = (size + SL_SECOND / 2) / SL_SECOND;
	const uint64_t minutes = seconds / 60;
	const uint64_t hours = minutes / 60;
	if (seconds < 60)
		(void)snprintf(buffer, 32, "%s%" PRIu64 " s", sign, seconds);
	else if (hours < 48)
		(void)snprintf(buffer, 32, "%s%" PRIu64 ":%02u:%02u", sign, hours, (unsigned)(minutes % 60),
			(unsigned)(seconds % 60));
	else
		(void)snprintf(buffer, 32, "%s%" PRIu64 " d %02u:%02u", sign, hours / 24,
			(unsigned)(hours % 24), (unsigned)(minutes % 60));
	return buffer;
}

const char *screen_number(char buffer[48], int64_t micro, unsigned decimals)
{
	static const uint64_t unit[] = { 1000000, 100000, 10000, 1000, 100, 10, 1 };
	const uint64_t step = unit[decimals];
	const uint64_t size = micro < 0 ? 0 - (uint64_t)micro : (uint64_t)micro;
	const uint64_t steps = (size + step / 2) / step;
	const uint64_t one = 1000000 / step; /* Steps in 1. */
	char digits[24];
	const size_t len = (size_t)(sl_put_i64(digits, (int64_t)(steps / one)) - digits);
	char *p = buffer;
	if (micro < 0 && steps)
		*p++ = '-';
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	if (decimals)
		(void)snprintf(p, 8, ".%0*u", (int)decimals, (unsigned)(steps % one));
	else
		*p = '\0';
	return buffer;
}

const char *screen_signed(char buffer[48], int64_t micro, unsigned decimals)
{
	char number[48];
	(void)snprintf(buffer, 48, "%s%.40s", micro > 0 ? "+" : "", screen_number(number, micro, decimals));
	return buffer;
}

void list_add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;
	if (used)
		used += (size_t)snprintf(text + used, size - used, ", ");
	if (used >= size)
		return;
	va_start(args, format);
	(void)vsnprintf(text + used, size - used, format, args);
	va_end(args);
}
