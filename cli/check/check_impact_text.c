/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_impact_text.c - the impact of a configuration as a table: for people, for a pull request, for
 * programs.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/check/check_impact.h"

/* Rows of one kind: of more, those that moved most. Sizes are few. */
enum { ROWS_TEXT = 8, ROWS_MARKDOWN = 20 };

/* Inert in a terminal and a log. */
static void name_put(char text[64], const char *name)
{
	size_t len = 0;
	for (; name[len] && len < 60; len++)
		text[len] = (char)((unsigned char)name[len] < ' ' || name[len] == 0x7f ? '?' : name[len]);
	text[len] = '\0';
}

static const char *configurations(char text[300], const struct check *check)
{
	(void)snprintf(text, 300, "%.140s -> %.140s", check->displayed_was, check->displayed_is);
	return text;
}

/* The result in a sentence, where there is no table; NULL: there is. */
static const char *plainly(const struct check_impact *impact)
{
	if (impact_moves(&impact->all))
		return NULL;
	return impact->same ? "the same is read of both: nobody starts at another time"
			    : "nobody starts at another time";
}

static size_t displayed_of(const struct check_impact *impact, size_t kind, size_t most)
{
	const size_t count = impact->count[kind];
	return kind == IMPACT_SIZE || count <= most ? count : most;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void table_row(struct screen_table *table, const char *kind, const struct impact_row *row)
{
	char cell[IMPACT_CELLS][40];
	char name[64];
	name_put(name, row->name);
	impact_cells(cell, row);
	screen_cell(table, false, "%s%s%s", kind, *kind ? " " : "", name);
	for (size_t i = 0; i < IMPACT_CELLS; i++)
		screen_cell(table, true, "%s", cell[i]);
}

static void table_print(const struct check *check, const struct check_impact *impact, FILE *file)
{
	struct screen_table *table = screen_table_new(check->arena, IMPACT_CELLS + 1);
	screen_cell(table, false, "%s", "");
	for (size_t i = 0; i < IMPACT_CELLS; i++)
		screen_cell(table, true, "%s", impact_heading[i]);
	table_row(table, "", &impact->all);
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
		for (size_t i = 0; i < displayed_of(impact, kind, ROWS_TEXT); i++)
			table_row(table, impact_kind_name(kind), &impact->row[kind][i]);
	screen_print(table, file);
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
		if (displayed_of(impact, kind, ROWS_TEXT) < impact->count[kind])
			(void)fprintf(file, "%zu more by %s: --json has them\n",
				impact->count[kind] - ROWS_TEXT, impact_kind_name(kind));
}

void impact_print(const struct check *check, FILE *file)
{
	char text[300];
	for (size_t i = 0; i < check->baseline.count; i++) {
		const struct check_impact *impact = &check->impact[i];
		if (!impact->of)
			continue;
		(void)fprintf(file, "\n%s: %s\n", impact->of->id, configurations(text, check));
		if (plainly(impact))
			(void)fprintf(file, "%s\n", plainly(impact));
		else
			table_print(check, impact, file);
	}
	(void)fputc('\n', file);
}

static void line_put(
	void *self, void (*put)(void *self, const char *line), const char *kind, const struct impact_row *row)
{
	char cell[IMPACT_CELLS][40];
	char name[64];
	char line[500];
	name_put(name, row->name);
	impact_cells(cell, row);
	(void)snprintf(line, sizeof(line),
		"%s%s%s: %s jobs, wait %s -> %s (%s), %s earlier, %s later, %s no longer run, %s newly run, %s cut",
		kind, *kind ? " " : "", name, cell[0], cell[1], cell[2], cell[3], cell[4], cell[5], cell[6],
		cell[7], cell[8]);
	put(self, line);
}

void impact_lines(const struct check *check, const struct check_impact *impact, void *self,
	void (*put)(void *self, const char *line))
{
	char text[300];
	put(self, configurations(text, check));
	if (plainly(impact)) {
		put(self, plainly(impact));
		return;
	}
	line_put(self, put, "", &impact->all);
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
		for (size_t i = 0; i < displayed_of(impact, kind, ROWS_MARKDOWN); i++)
			line_put(self, put, impact_kind_name(kind), &impact->row[kind][i]);
}

/* ---- Markdown ---------------------------------------------------------------------------------- */

static void markdown_row(struct sl_out *out, const char *kind, const struct impact_row *row)
{
	char cell[IMPACT_CELLS][40];
	char name[64];
	name_put(name, row->name);
	impact_cells(cell, row);
	sl_out_text(out, "|");
	check_put_cell(out, kind);
	check_put_cell(out, name);
	for (size_t i = 0; i < IMPACT_CELLS; i++)
		check_put_cell(out, cell[i]);
	sl_out_text(out, "\n");
}

static void markdown_table(const struct check_impact *impact, struct sl_out *out)
{
	sl_out_text(out, "| | |");
	for (size_t i = 0; i < IMPACT_CELLS; i++)
		sl_out_printf(out, " %s |", impact_heading[i]);
	sl_out_text(out, "\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	markdown_row(out, "", &impact->all);
	for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
		for (size_t i = 0; i < displayed_of(impact, kind, ROWS_MARKDOWN); i++)
			markdown_row(out, impact_kind_name(kind), &impact->row[kind][i]);
}

void impact_markdown(const struct check *check, struct sl_out *out)
{
	for (size_t i = 0; i < check->baseline.count; i++) {
		const struct check_impact *impact = &check->impact[i];
		if (!impact->of)
			continue;
		sl_out_text(out, "\n#### ");
		check_put_inert(out, impact->of->id);
		sl_out_text(out, ": ");
		check_put_inert(out, check->displayed_was);
		sl_out_text(out, " → ");
		check_put_inert(out, check->displayed_is);
		sl_out_text(out, "\n\n");
		if (plainly(impact))
			sl_out_printf(out, "%s\n", plainly(impact));
		else
			markdown_table(impact, out);
	}
	sl_out_text(out,
		"\nWaits are means over the jobs that run in both, and so is what is judged of waits, turnarounds and "
		"slowdowns; *cut*: completed before, and does not now.\n");
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void json_row(
	struct json *json, const struct baseline_case *of, const char *by, const struct impact_row *row)
{
	json_object(json, NULL, datum_text("case", of->id), datum_text("by", by),
		datum_text("name", row->name), datum_count("jobs", row->ran),
		datum_count("jobs_both", row->both), datum_count("earlier", row->earlier),
		datum_count("later", row->later), datum_count("gone", row->gone),
		datum_count("new", row->more), datum_count("cut", row->cut), datum_count("whole", row->whole),
		datum_micro("wait_sum_before", row->was), datum_micro("wait_sum_after", row->is));
}

void impact_json(const struct check *check, struct json *json)
{
	static const struct json_form rows = { "\n    ", ",\n    ", "\n  ", true };
	json_put(json, datum_text("before", check->displayed_was), datum_text("after", check->displayed_is));
	json_nest(json, "impact", '[', &rows);
	for (size_t i = 0; i < check->baseline.count; i++) {
		const struct check_impact *impact = &check->impact[i];
		if (!impact->of)
			continue;
		json_row(json, impact->of, "all", &impact->all);
		for (size_t kind = 0; kind < IMPACT_KINDS; kind++)
			for (size_t k = 0; k < impact->count[kind]; k++)
				json_row(json, impact->of, impact_kind_name(kind), &impact->row[kind][k]);
	}
	json_close(json);
}
