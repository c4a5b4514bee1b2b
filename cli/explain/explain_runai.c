/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_runai.c - what KAI says of a job that waits, and what its project, the departments above and their
 * siblings are entitled to and have: from the tables "pending" and "shares" of the policy `runai`
 * (runai_table.c). Reported evictions are read in explain_kueue.c, by the names of their columns.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/explain/explain.h"
#include "sim/run/engine.h"

enum { SIBLINGS_REPORTED = 6, DEPTH_MAX = 32 };

/* Rows of one queue in one pool, of GPUs. */
static bool is_of(const struct view_table *shares, size_t row, const char *queue, const char *pool)
{
	return strcmp(table_text(shares, row, "queue"), queue) == 0 &&
	       strcmp(table_text(shares, row, "pool"), pool) == 0 &&
	       strcmp(table_text(shares, row, "resource"), "gpu") == 0;
}

static size_t find_queue(const struct view_table *shares, const char *queue, const char *pool)
{
	size_t row = 0;
	while (row < shares->row_count && !is_of(shares, row, queue, pool))
		row++;
	return row;
}

static void say_queue(
	const struct explain *explain, struct look *look, const struct view_table *shares, size_t row)
{
	const bool over = table_number(shares, row, "is_over") > 0;
	const char *more =
		over ? report_text(explain, ", %s of it over the quota", table_text(shares, row, "over"))
		     : "";
	look_says(explain, look, "%s '%s' has %s%s; its quota is %s, its fair share %s; %s wait",
		table_text(shares, row, "kind"), table_text(shares, row, "queue"),
		table_text(shares, row, "allocated"), more, table_text(shares, row, "quota"),
		table_text(shares, row, "entitled"), table_text(shares, row, "waiting"));
}

/* Those below the same queue, in the order in which they are served. */
static void say_order(
	const struct explain *explain, struct look *look, const struct view_table *shares, size_t own)
{
	const char *parent = table_text(shares, own, "parent"), *pool = table_text(shares, own, "pool");
	const char *text = "";
	size_t reported = 0, siblings = 0;
	for (size_t i = 0; i < shares->row_count; i++) {
		if (strcmp(table_text(shares, i, "parent"), parent) != 0 ||
			!is_of(shares, i, table_text(shares, i, "queue"), pool))
			continue;
		siblings++;
		if (reported++ < SIBLINGS_REPORTED)
			text = report_text(explain, "%s%s'%s' (%s of %s)", text, *text ? ", " : "",
				table_text(shares, i, "queue"), table_text(shares, i, "allocated"),
				table_text(shares, i, "entitled"));
	}
	if (siblings > 1)
		look_says(explain, look, "by what they have of their fair share, next is: %s%s", text,
			reported > SIBLINGS_REPORTED
				? report_text(explain, ", and %zu more", reported - SIBLINGS_REPORTED)
				: "");
}

static void say_shares(const struct explain *explain, struct look *look, const struct view_table *shares,
	const char *queue, const char *pool)
{
	for (unsigned depth = 0; *queue && depth < DEPTH_MAX; depth++) {
		const size_t row = find_queue(shares, queue, pool);
		if (row == shares->row_count)
			return;
		say_queue(explain, look, shares, row);
		say_order(explain, look, shares, row);
		queue = table_text(shares, row, "parent");
	}
}

void look_at_runai(const struct explain *explain, struct sl_pass *pass, struct look *look)
{
	struct view_table pending = { 0 }, shares = { 0 };
	struct sl_err err = { 0 };
	struct sl_arena *arena = explain->view.arena;
	if (view_take_table(arena, pass, sl_now(pass), "pending", &pending, &err) ||
		!table_has(&pending, "project"))
		return;
	const size_t row = table_row_of(&pending, explain->job);
	if (row == pending.row_count)
		return;
	const char *message = table_text(&pending, row, "message");
	if (*message) {
		look_says(explain, look, "KAI: %s: %s", table_text(&pending, row, "reason"), message);
		look_word(look, "kai_message", message);
	}
	if (!view_take_table(arena, pass, sl_now(pass), "shares", &shares, &err))
		say_shares(explain, look, &shares, table_text(&pending, row, "project"),
			table_text(&pending, row, "pool"));
}
