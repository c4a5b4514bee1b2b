/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * markdown.c - the comparison as tables of Markdown (GitHub's): values, differences, what the runs were made
 * from, how the intervals were computed.
 *
 * Whatever a name holds, it is text: what CommonMark gives a meaning to is escaped by a backslash, and what
 * HTML does becomes a reference.
 */
#include "reports/export/tables.h"

#include <stdlib.h>
#include <string.h>

void tables_put_markdown(struct sl_out *out, const char *text)
{
	char inert[SL_INERT_SIZE] = "";
	for (const char *p = inert; *p || *text; p++) {
		if (!*p) { /* The next character, of which these are the bytes. */
			(void)sl_inert(&text, inert);
			p = inert;
		}
		char *space = sl_out_reserve(out, 8);
		const char *instead = *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : *p == '&' ? "&amp;" : NULL;
		if (instead) {
			sl_out_text(out, instead);
			continue;
		}
		if (strchr("\\`*_{}[]()#+!|~$^@", *p) && *p)
			*space++ = '\\';
		*space++ = *p;
		sl_out_advance(out, space);
	}
}

/* unit: of the values; differences of percentages are in points. */
static void put_heading(struct sl_out *out, const struct sl_metric_info *metric_info, const char *unit)
{
	tables_put_markdown(out, metric_info->heading);
	if (unit[0])
		sl_out_printf(out, " (%s)", unit);
}

static void put_values(const struct tables *tables, const struct sl_compared *compared, struct sl_out *out)
{
	sl_out_text(out, "| run |");
	for (size_t i = 0; i < compared->metric_info_count; i++) {
		sl_out_text(out, " ");
		put_heading(out, &compared->metric_info[i], export_unit(compared->metric_info[i].unit));
		sl_out_text(out, " |");
	}
	sl_out_text(out, "\n|:--|");
	for (size_t i = 0; i < compared->metric_info_count; i++)
		sl_out_text(out, "--:|");
	sl_out_text(out, "\n");
	for (uint32_t run = 0; run < tables->runs; run++) {
		sl_out_text(out, "| ");
		tables_put_markdown(out, tables->run[run].label);
		sl_out_text(out, tables->run[run].partial ? " (partial) |" : " |");
		for (size_t i = 0; i < compared->metric_info_count; i++) {
			char text[48];
			tables_value(text, tables, compared, run, &compared->metric_info[i]);
			sl_out_printf(out, " %s |", text);
		}
		sl_out_text(out, "\n");
	}
}

static void put_difference(struct sl_out *out, const struct tables_difference *cell)
{
	sl_out_printf(out, " %s | ", cell->estimate);
	if (cell->interval)
		sl_out_printf(out, "[%s, %s]", cell->low, cell->high);
	if (cell->covers)
		sl_out_printf(out, ", %u %%", cell->covers);
	sl_out_text(out, cell->interval ? " | " : "none | ");
	sl_out_printf(out, "%s%s | ", cell->percent, cell->percent[0] ? " %" : "");
	if (cell->ratio_covers)
		sl_out_printf(out, "[%s, %s] %%, %u %% | ", cell->percent_low, cell->percent_high,
			cell->ratio_covers);
	else
		sl_out_text(out, "none | ");
	if (cell->word)
		sl_out_printf(out, "**%s**", cell->word);
	sl_out_text(out, " |\n");
}

static void put_differences(
	const struct tables *tables, const struct sl_compared *compared, struct sl_out *out)
{
	sl_out_text(out, "\n## Differences to ");
	tables_put_markdown(out, tables->run[0].label);
	sl_out_text(out,
		"\n\n| run | metric | difference | interval | change | interval | |\n|:--|:--|--:|:--|--:|:--|:--|\n");
	for (uint32_t run = 1; run < tables->runs; run++) {
		for (size_t i = 0; i < compared->metric_info_count; i++) {
			const struct tables_difference cell =
				tables_difference(tables, compared, &compared->metric_info[i], run);
			if (!cell.estimate[0])
				continue;
			sl_out_text(out, "| ");
			tables_put_markdown(out, tables->run[run].label);
			sl_out_text(out, " | ");
			put_heading(out, &compared->metric_info[i],
				tables_difference_unit(&compared->metric_info[i]));
			sl_out_text(out, " |");
			put_difference(out, &cell);
		}
	}
	const char *method;
	if (tables_method(compared, 0, &method))
		sl_out_text(out,
			"\nA difference is marked better or worse where a test at 5 % tells it from none. The percentage behind an interval: in how many of a hundred logs, at least, such ones held what many logs have.\n\n");
	if (compared->apart) {
		sl_out_text(out, "- ");
		tables_put_markdown(out, compared->apart);
		sl_out_text(out, "\n");
	}
	for (size_t i = 0; tables_method(compared, i, &method); i++) {
		sl_out_text(out, "- ");
		tables_put_markdown(out, method);
		sl_out_text(out, "\n");
	}
}

/* One row: what it is, and each value, or the one that all runs have. */
static void put_fact(const struct tables *tables, const char *key, bool same, struct sl_out *out)
{
	sl_out_text(out, "| ");
	tables_put_markdown(out, key);
	sl_out_text(out, " |");
	for (uint32_t run = 0; run < (same ? 1 : tables->runs); run++) {
		const char *value = tables_fact_of(&tables->run[run], key);
		sl_out_text(out, " ");
		tables_put_markdown(out, value ? value : "");
		sl_out_text(out, " |");
	}
	sl_out_text(out, "\n");
}

static void put_facts(const struct tables *tables, bool same, struct sl_out *out)
{
	const char *key;
	bool begun = false;
	for (size_t i = 0; tables_fact(tables, i, &key); i++) {
		if (tables_fact_is_same(tables, key) != same)
			continue;
		if (!begun) {
			sl_out_text(out, "\n| |");
			for (uint32_t run = 0; !same && run < tables->runs; run++) {
				sl_out_text(out, " ");
				tables_put_markdown(out, tables->run[run].label);
				sl_out_text(out, " |");
			}
			sl_out_text(out, same ? " of all |\n|:--|" : "\n|:--|");
			for (uint32_t run = 0; run < (same ? 1 : tables->runs); run++)
				sl_out_text(out, ":--|");
			sl_out_text(out, "\n");
		}
		begun = true;
		put_fact(tables, key, same, out);
	}
}

static void put_warnings(const struct tables *tables, struct sl_out *out)
{
	for (uint32_t run = 0; run < tables->runs; run++) {
		for (size_t i = 0; i < tables->run[run].warning_count; i++) {
			sl_out_text(out, run || i ? "- " : "\n- ");
			tables_put_markdown(out, tables->run[run].label);
			sl_out_text(out, ": ");
			tables_put_markdown(out, tables->run[run].warning[i]);
			sl_out_text(out, "\n");
		}
	}
}

static int write_markdown(
	void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	const struct tables *tables = self;
	char *title = export_clean(compared->title ? compared->title : "Report", 0);
	if (!title)
		return sl_fail_memory(err);
	sl_out_text(out, "<!-- Written by schedlab. -->\n# ");
	tables_put_markdown(out, title);
	free(title);
	sl_out_text(out, "\n\n");
	put_values(tables, compared, out);
	if (tables->runs > 1)
		put_differences(tables, compared, out);
	const char *key;
	if (tables_fact(tables, 0, &key))
		sl_out_text(out, "\n## What the runs were made from\n");
	put_facts(tables, false, out);
	put_facts(tables, true, out);
	put_warnings(tables, out);
	return SL_OK;
}

const struct sl_document export_markdown = { .abi = SL_ABI_OF(struct sl_document),
	.name = "markdown",
	.summary =
		"tables of Markdown: values, differences with intervals and methods, what the runs were made from",
	.file = "report.md",
	.open = tables_open,
	.add = tables_add,
	.write = write_markdown,
	.close = tables_close };
