/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline_write.c - values written into a baseline's text: what stands there is cut out, what is not there
 * is put in, and all else stays to the byte.
 */
#include "sim/result/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void edit(struct baseline_edits *edits, size_t at, size_t len, const char *text)
{
	if (SL_GROW_IN(edits->arena, edits->edit, edits->capacity, edits->count + 1, NULL)) {
		edits->failed = true;
		return;
	}
	edits->edit[edits->count] = (struct baseline_edit){ at, len, text, edits->count };
	edits->count++;
}

static const char *joined(struct baseline_edits *edits, const char *a, const char *b, const char *c)
{
	const size_t capacity = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = sl_alloc(edits->arena, capacity, 1);
	if (text)
		(void)snprintf(text, capacity, "%s%s%s", a, b, c);
	else
		edits->failed = true;
	return text ? text : "";
}

/* A key goes behind the opening bracket: an object without any has no comma to follow. */
static void add_first(struct baseline_edits *edits, const struct baseline_metric *metric, const char *text)
{
	edit(edits, metric->range.from + 1, 0, joined(edits, " ", text, metric->empty ? " " : ","));
}

void baseline_put_value(struct baseline_edits *edits, const struct baseline_metric *metric, const char *value,
	const char *each)
{
	const char *list = each && !metric->each_range.until ? joined(edits, ", \"values\": ", each, "") : "";
	if (metric->value.until) {
		edit(edits, metric->value.from, metric->value.until - metric->value.from, value);
		if (*list)
			edit(edits, metric->value.until, 0, list);
	} else {
		add_first(edits, metric, joined(edits, "\"value\": ", value, list));
	}
	if (each && metric->each_range.until)
		edit(edits, metric->each_range.from, metric->each_range.until - metric->each_range.from,
			each);
}

/* What stands before the first key of the case, on its line: blanks, and a blank for anything else. */
static const char *indent_of(
	struct baseline_edits *edits, const struct baseline *baseline, const struct baseline_case *item)
{
	const size_t key = item->id_range.key;
	const struct sl_place at = baseline_place(baseline, key);
	const size_t len = at.column - 1;
	const char *line = memchr(baseline->text, '\n', baseline->len);
	const char *begins = line && line > baseline->text && line[-1] == '\r' ? ",\r\n" : ",\n";
	char *indent = sl_alloc(edits->arena, strlen(begins) + len + 1, 1);
	if (!indent) {
		edits->failed = true;
		return "";
	}
	char *to = indent + strlen(begins);
	(void)snprintf(indent, strlen(begins) + 1, "%s", begins);
	memcpy(to, baseline->text + key - len, len);
	for (size_t i = 0; i < len; i++)
		if (to[i] != '\t')
			to[i] = ' ';
	to[len] = '\0';
	return indent;
}

void baseline_put_key(struct baseline_edits *edits, const struct baseline *baseline,
	const struct baseline_case *item, const char *key, const struct baseline_range *range,
	const char *json)
{
	if (range->until) {
		edit(edits, range->from, range->until - range->from, json);
		return;
	}
	const char *indent = indent_of(edits, baseline, item);
	edit(edits, item->input_end, 0, joined(edits, joined(edits, indent, "\"", key), "\": ", json));
}

static int by_place(const void *a, const void *b)
{
	const struct baseline_edit *left = a;
	const struct baseline_edit *right = b;
	if (left->at != right->at)
		return left->at < right->at ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

char *baseline_edited(const struct baseline *baseline, struct baseline_edits *edits, size_t *len)
{
	size_t capacity = baseline->len + 1;
	for (size_t i = 0; i < edits->count; i++)
		capacity += strlen(edits->edit[i].text);
	char *text = edits->failed ? NULL : sl_alloc(edits->arena, capacity, 1);
	if (!text)
		return NULL;
	if (edits->count)
		qsort(edits->edit, edits->count, sizeof(*edits->edit), by_place);
	size_t from = 0;
	char *to = text;
	for (size_t i = 0; i < edits->count; i++) {
		const struct baseline_edit *at = &edits->edit[i];
		SL_CHECK(at->at >= from && at->at + at->len <= baseline->len);
		memcpy(to, baseline->text + from, at->at - from);
		to += at->at - from;
		memcpy(to, at->text, strlen(at->text));
		to += strlen(at->text);
		from = at->at + at->len;
	}
	memcpy(to, baseline->text + from, baseline->len - from);
	to += baseline->len - from;
	*to = '\0';
	*len = (size_t)(to - text);
	return text;
}
