/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_order.c - lines in the order of -S: each key of each line is looked up once.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/moment/view.h"

static const struct view_field *view_order_field_of(const struct view_field *fields, char letter)
{
	for (; fields->letter || fields->name; fields++)
		if (letter && fields->letter == letter)
			return fields;
	return NULL;
}

int order_take(
	struct view_order *order, const char *text, const char *apart, const char *tool, struct sl_err *err)
{
	for (const char *p = text; *p; p++) {
		const bool down = *p == '-';
		p += strspn(p, "+-#");
		if (*p && strchr(apart, *p))
			continue;
		if (!view_order_field_of(order->fields, *p) || order->count == VIEW_KEYS_MAX)
			return view_refuse(tool, err, "error: Invalid sort specification: %.40s", p);
		order->key[order->count++] = (struct view_key){ *p, down, false };
	}
	return SL_OK;
}

/* A line, and what it has of each key. */
struct sorted {
	const void *line;
	struct view_value value[];
};

static int compare_values(const struct view_value *a, const struct view_value *b)
{
	if (a->none || b->none)
		return 0;
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	if (a->whole != b->whole)
		return a->whole < b->whole ? -1 : 1;
	return (a->real > b->real) - (a->real < b->real);
}

static int compare_sorted(const void *a, const void *b, void *self)
{
	const struct view_order *order = self;
	const struct sorted *x = a;
	const struct sorted *y = b;
	for (size_t i = 0; i < order->count; i++) {
		const int less = compare_values(&x->value[i], &y->value[i]);
		if (less)
			return order->key[i].down ? -less : less;
	}
	return order->tie(order->view, x->line, y->line);
}

static struct view_value view_order_value_of(
	const struct view_order *order, const struct view_key *key, const void *line, struct cell *cell)
{
	struct view_value value = { 0 };
	const struct view_field *field =
		order->fields ? view_order_field_of(order->fields, key->letter) : NULL;
	if (order->number(order->view, line, key, &value) || !field || !field->put)
		return value;
	cell_clear(cell);
	field->put(cell, order->view, line);
	value.text = sl_strdup(order->view->arena, cell->text ? cell->text : "", cell->len);
	return value;
}

int order_lines(const struct view_order *order, void *line, size_t count, size_t size, struct sl_err *err)
{
	const size_t each = sizeof(struct sorted) + order->count * sizeof(struct view_value);
	char *sorted = calloc(count + 1, each);
	char *lines = calloc(count + 1, size);
	struct cell cell = { 0 };
	for (size_t i = 0; sorted && lines && i < count; i++) {
		struct sorted *one = (void *)(sorted + i * each);
		one->line = (const char *)line + i * size;
		for (size_t key = 0; key < order->count; key++)
			one->value[key] = view_order_value_of(order, &order->key[key], one->line, &cell);
	}
	if (sorted && lines && count) {
		qsort_r(sorted, count, each, compare_sorted, (void *)(uintptr_t)order);
		for (size_t i = 0; i < count; i++)
			memcpy(lines + i * size, ((const struct sorted *)(void *)(sorted + i * each))->line,
				size);
		memcpy(line, lines, count * size);
	}
	const bool memory = sorted && lines;
	free(sorted);
	free(lines);
	cell_free(&cell);
	return memory ? SL_OK : sl_fail_memory(err);
}
