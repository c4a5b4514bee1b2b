/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_folded.c - a cluster of thousands of nodes in short: like nodes and like keys in one row each, and
 * one screen on what is followed, what is not, and what that changes. --json has each key by itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/render.h"
#include "cli/inspect/inspect_reported.h"

enum {
	VALUE_DISPLAYED = 40,
	NAMES_DISPLAYED = 60,
	FEW = 3, /* So many like keys have a row each. */
	EXPANDED_MAX = 200000,
	ROW_WIDTH = 110,
	TEXT_CAPACITY = 512,
};

/* ---- Nodes ---------------------------------------------------------------------------------- */

static bool nodes_like(const struct reported_nodes *a, const struct reported_nodes *b)
{
	return a->cpus == b->cpus && a->mem == b->mem && a->gpus == b->gpus;
}

struct names_list {
	struct sl_arena *arena;
	const char **name;
	size_t count, capacity;
};

static int name_take(void *self, const char *name, size_t len)
{
	struct names_list *list = self;
	const char *copy = sl_strdup(list->arena, name, len);
	if (!copy || list->count == list->capacity)
		return SL_SYSTEM;
	list->name[list->count++] = copy;
	return SL_OK;
}

/* "n[1-9],gpu3" of all that are like the first; its own name where they are too many to fold. */
static const char *names_folded(const struct reported *reported, size_t first, int64_t count)
{
	const struct reported_nodes *own = &reported->nodes[first];
	struct names_list list = { .arena = reported->arena };
	struct sl_err none = { 0 };
	if (count == own->count || count > EXPANDED_MAX)
		return own->name;
	list.capacity = (size_t)count;
	list.name = calloc(list.capacity + 1, sizeof(*list.name));
	int status = list.name ? SL_OK : SL_SYSTEM;
	for (size_t i = first; i < reported->node_count && !status; i++) {
		const struct reported_nodes *n = &reported->nodes[i];
		if (nodes_like(own, n) && *n->hosts)
			status = sl_hosts_each(n->hosts, strlen(n->hosts), NULL, &none, name_take, &list);
	}
	const size_t len = status || !list.count ? 0 : sl_hosts_fold(list.name, list.count, NULL, 0);
	char *text = len ? sl_alloc(reported->arena, len + 1, 1) : NULL;
	if (text)
		(void)sl_hosts_fold(list.name, list.count, text, len + 1);
	free(list.name);
	return text ? text : own->name;
}

/* Empty: it has none. */
static void amount_cell(struct screen_table *table, int64_t amount, const char *unit)
{
	if (amount)
		screen_cell(table, true, "%" PRId64 " %s", amount, unit);
	else
		screen_cell(table, true, "%s", "");
}

void folded_nodes(const struct reported *reported)
{
	struct screen_table *table = screen_table_new(reported->arena, 5);
	for (size_t i = 0; i < reported->node_count; i++) {
		const struct reported_nodes *n = &reported->nodes[i];
		int64_t count = 0;
		size_t before = 0;
		while (before < i && !nodes_like(&reported->nodes[before], n))
			before++;
		if (before < i)
			continue; /* In that row. */
		for (size_t k = i; k < reported->node_count; k++)
			count += nodes_like(n, &reported->nodes[k]) ? reported->nodes[k].count : 0;
		const char *names = names_folded(reported, i, count);
		screen_cell(table, true, "  %" PRId64 " x", count);
		screen_cell(table, false, "%.*s%s", NAMES_DISPLAYED, names,
			strlen(names) > NAMES_DISPLAYED ? "..." : "");
		screen_cell(table, true, "%s cpus", amount_of(n->cpus, CPU_PARTS).text);
		amount_cell(table, n->mem == SL_NONE ? 0 : n->mem, "MiB");
		amount_cell(table, n->gpus, "GPUs");
	}
	screen_print(table, stdout);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* A setting as it is looked at: how far it is followed, and why no further. */
struct seen {
	const struct sl_setting *setting;
	const char *note; /* "": nothing to say. */
	enum sl_coverage coverage;
	size_t row;
	size_t first; /* The first like it, once they are sorted; */
	size_t likes; /* how many they are, in the first's place. */
};

static int text_order(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

/* Whatever two like ones have in common, then as they stand. */
static int seen_order(const void *x, const void *y)
{
	const struct seen *a = x;
	const struct seen *b = y;
	int order = text_order(a->setting->kind, b->setting->kind);
	if (!order)
		order = text_order(a->setting->key, b->setting->key);
	if (!order)
		order = (a->coverage > b->coverage) - (a->coverage < b->coverage);
	if (!order)
		order = text_order(a->note, b->note);
	if (!order)
		order = text_order(a->setting->by, b->setting->by);
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static bool seen_like(const struct seen *a, const struct seen *b)
{
	return a->coverage == b->coverage && !text_order(a->setting->kind, b->setting->kind) &&
	       !text_order(a->setting->key, b->setting->key) && !text_order(a->note, b->note) &&
	       !text_order(a->setting->by, b->setting->by);
}

static int row_order(const void *x, const void *y)
{
	const struct seen *a = x;
	const struct seen *b = y;
	return a->first != b->first ? (a->first > b->first) - (a->first < b->first)
				    : (a->row > b->row) - (a->row < b->row);
}

/* All settings: those that are alike one after another, in the order of the first of each. Freed by the
 * caller.
 */
static struct seen *seen_make(
	const struct reported *reported, const struct policy_choice *judged, struct sl_err *err)
{
	struct seen *seen = calloc(reported->setting_count + 1, sizeof(*seen));
	const size_t count = reported->setting_count;
	if (!seen) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		const struct sl_setting *s = &reported->setting[i];
		const char *note = s->note;
		const enum sl_coverage coverage = judged ? coverage_under(s, judged, &note) : s->coverage;
		seen[i] = (struct seen){ s, note ? note : "", coverage, i, i, 0 };
	}
	qsort(seen, count, sizeof(*seen), seen_order);
	for (size_t i = 1; i < count; i++)
		if (seen_like(&seen[i], &seen[i - 1]))
			seen[i].first = seen[i - 1].first;
		else
			seen[i].first = seen[i].row;
	if (count)
		seen[0].first = seen[0].row;
	qsort(seen, count, sizeof(*seen), row_order);
	for (size_t i = 0, k = 0; i < count; i = k) {
		while (k < count && seen[k].first == seen[i].first)
			k++;
		seen[i].likes = k - i;
	}
	return seen;
}

/* "partition[debug].MaxTime"; of several "partition[...].MaxTime". */
static void full_key(char text[300], const struct sl_setting *setting, bool several)
{
	if (strcmp(setting->kind, "cluster") == 0 && !*setting->name)
		(void)snprintf(text, 300, "%s", setting->key);
	else if (several)
		(void)snprintf(text, 300, "%s[...].%s", setting->kind, setting->key);
	else
		(void)snprintf(text, 300, *setting->name ? "%s[%.100s].%s" : "%s%.0s.%s", setting->kind,
			setting->name, setting->key);
}

/* The values of like keys, each once, as many as there is room for. */
static void values_text(char text[VALUE_DISPLAYED + 8], const struct seen *seen, size_t likes)
{
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < likes; i++) {
		const char *value = seen[i].setting->value;
		const size_t more = strlen(value);
		size_t before = i;
		while (before && strcmp(seen[before - 1].setting->value, value) != 0)
			before--;
		if (before)
			continue;
		if (len + more + 2 > VALUE_DISPLAYED) {
			const size_t room = len ? 0 : VALUE_DISPLAYED;
			(void)snprintf(text + len, VALUE_DISPLAYED + 8 - len, "%s%.*s...", len ? ", " : "",
				(int)room, value);
			return;
		}
		len += (size_t)snprintf(
			text + len, VALUE_DISPLAYED + 8 - len, "%s%s", len ? ", " : "", value);
	}
}

static void coverage_cell(
	struct screen_table *table, const struct reported *reported, const struct seen *seen)
{
	const struct sl_setting *s = seen->setting;
	const char *note = *seen->note ? seen->note : NULL;
	if (reported_by_some(reported, s))
		screen_cell(table, false, "%s by %.*s%s%s%s", coverage_texts[s->coverage], reported_by_len(s),
			s->by,
			!note                ? ""
			: strchr(s->by, '*') ? " (others: "
					     : " (",
			note ? note : "", note ? ")" : "");
	else
		screen_cell(table, false, "%s%s%s%s", coverage_texts[s->coverage], note ? " (" : "",
			note ? note : "", note ? ")" : "");
}

static void key_row(
	struct screen_table *table, const struct reported *reported, const struct seen *seen, size_t likes)
{
	const struct sl_setting *s = seen->setting;
	const char *base = strrchr(s->at.file, '/');
	char text[300];
	full_key(text, s, likes > 1);
	screen_cell(table, false, "  %s", text);
	if (likes > 1)
		values_text(text, seen, likes);
	else
		(void)snprintf(text, sizeof(text), "%.*s%s", VALUE_DISPLAYED, s->value,
			strlen(s->value) > VALUE_DISPLAYED ? "..." : "");
	screen_cell(table, false, "%s", text);
	(void)snprintf(text, sizeof(text), "%.200s", base ? base + 1 : s->at.file);
	const size_t len = strlen(text);
	if (s->at.line)
		(void)snprintf(text + len, sizeof(text) - len, ":%" PRIu64, s->at.line);
	if (likes > 1)
		screen_cell(table, false, "%s and %zu more", text, likes - 1);
	else
		screen_cell(table, false, "%s", text);
	coverage_cell(table, reported, seen);
}

int folded_keys(const struct reported *reported, struct sl_err *err)
{
	struct seen *seen = seen_make(reported, NULL, err);
	struct screen_table *table = screen_table_new(reported->arena, 4);
	if (!seen)
		return err->status;
	/* Rows in the order of the file: those of few stand where they are. */
	size_t *likes = calloc(reported->setting_count + 1, sizeof(*likes));
	const struct seen **at = calloc(reported->setting_count + 1, sizeof(*at));
	if (!likes || !at) {
		free(seen);
		free(likes);
		free(at);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < reported->setting_count; i += seen[i].likes) {
		const bool folded = seen[i].likes > FEW;
		for (size_t k = 0; k < (folded ? 1 : seen[i].likes); k++) {
			at[seen[i + k].row] = &seen[i + k];
			likes[seen[i + k].row] = folded ? seen[i].likes : 1;
		}
	}
	for (size_t i = 0; i < reported->setting_count; i++)
		if (likes[i])
			key_row(table, reported, at[i], likes[i]);
	screen_print(table, stdout);
	free(seen);
	free(likes);
	free(at);
	return SL_OK;
}

/* ---- What it comes to ------------------------------------------------------------------------- */

/* What is said of one part of the keys. */
static const struct part {
	enum sl_coverage coverage;
	const char *title;
	size_t rows; /* At most. */
	bool noted;  /* By note, a row each. */
} parts[] = {
	{ SL_MODELLED, "followed", 4, false },
	{ SL_APPROXIMATED, "followed in part", 6, true },
	{ SL_IGNORED, "not followed, and what that changes", 9, true },
	{ SL_UNKNOWN_KEY, "not known, or only warned of", 5, true },
};

static const char nothing[] = "does not move a start";

/* "SelectType", "node.Weight" */
static void short_key(char text[100], const struct sl_setting *setting)
{
	if (strcmp(setting->kind, "cluster") == 0)
		(void)snprintf(text, 100, "%.60s", setting->key);
	else
		(void)snprintf(text, 100, "%.20s.%.60s", setting->kind, setting->key);
}

struct outcome {
	const struct seen *seen;
	bool *told;
	size_t count;
	size_t rows; /* Left. */
	size_t left; /* Keys that found no room. */
};

/* Keys of one part, of this note; NULL: of any. One of each, however many lines have it. */
static bool is_of(const struct outcome *o, size_t i, const struct part *part, const char *note)
{
	return o->seen[i].likes && !o->told[i] && o->seen[i].coverage == part->coverage &&
	       (!note || strcmp(o->seen[i].note, note) == 0);
}

/* "    Licenses, node.Weight: how", on as many rows as there are left; the rest is counted. */
static void keys_print(struct outcome *o, const struct part *part, const char *note)
{
	char row[TEXT_CAPACITY];
	char key[100];
	size_t len = 0;
	for (size_t i = 0; i < o->count; i++) {
		if (!is_of(o, i, part, part->noted ? note : NULL))
			continue;
		short_key(key, o->seen[i].setting);
		if (len && len + strlen(key) > ROW_WIDTH && o->rows > 1) {
			(void)printf("    %s,\n", row);
			o->rows--;
			len = 0;
		}
		o->told[i] = true;
		if (len + strlen(key) > ROW_WIDTH) {
			o->left++;
			continue;
		}
		len += (size_t)snprintf(row + len, sizeof(row) - len, "%s%s", len ? ", " : "", key);
	}
	if (!len)
		return;
	(void)printf("    %s%s%s\n", row, part->noted && *note ? ": " : "", part->noted ? note : "");
	o->rows -= o->rows > 0;
}

static void part_print(struct outcome *o, const struct part *part)
{
	size_t keys = 0;
	for (size_t i = 0; i < o->count; i++)
		keys += is_of(o, i, part, NULL);
	if (!keys)
		return;
	(void)printf("  %s: %zu key%s\n", part->title, keys, keys == 1 ? "" : "s");
	o->rows = part->rows;
	o->left = 0;
	for (size_t i = 0; i < o->count && !part->noted && o->rows; i++)
		if (is_of(o, i, part, NULL))
			keys_print(o, part, "");
	for (size_t i = 0; i < o->count && part->noted && o->rows > 1; i++)
		if (is_of(o, i, part, NULL) && strcmp(o->seen[i].note, nothing) != 0)
			keys_print(o, part, o->seen[i].note);
	if (o->rows)
		keys_print(o, part, nothing);
	for (size_t i = 0; i < o->count; i++)
		o->left += is_of(o, i, part, NULL);
	if (o->left)
		(void)printf("    and %zu more\n", o->left);
}

int folded_outcome(const struct reported *reported, struct sl_err *err)
{
	/* Of Slurm's files what slurmctld does is asked for, unless -p names another. */
	struct outcome o = { .count = reported->setting_count };
	struct seen *seen = seen_make(reported, reported->judged, err);
	o.told = calloc(reported->setting_count + 1, sizeof(*o.told));
	o.seen = seen;
	if (seen && o.told) {
		if (reported->judged)
			(void)printf("\n  under policy %.60s%s\n", reported->judged->text,
				reported->policy ? "" : " (-p tells of another)");
		else
			(void)printf("\n  in all (-p tells of one policy)\n");
		for (size_t i = 0; i < SL_LEN(parts); i++)
			part_print(&o, &parts[i]);
	}
	const bool failed = !seen || !o.told;
	free(seen);
	free(o.told);
	return failed ? sl_fail_memory(err) : SL_OK;
}
