/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * latex.c - the comparison as tables of LaTeX, to be \input: values, differences, facts. Needs booktabs.
 */
#include "reports/export/tables.h"

#include <stdlib.h>
#include <string.h>

void tables_put_latex(struct sl_out *out, const char *text)
{
	static const struct {
		char c;
		const char *instead;
	} escape[] = { { '\\', "\\textbackslash{}" }, { '{', "\\{" }, { '}', "\\}" }, { '$', "\\$" },
		{ '&', "\\&" }, { '#', "\\#" }, { '_', "\\_" }, { '%', "\\%" },
		{ '^', "\\textasciicircum{}" }, { '~', "\\textasciitilde{}" }, { '<', "\\textless{}" },
		{ '>', "\\textgreater{}" }, { '|', "\\textbar{}" }, { '"', "\\textquotedbl{}" },
		{ '\'', "\\textquotesingle{}" }, { '`', "\\textasciigrave{}" }, { '-', "{-}" },
		{ '[', "{[}" }, { ']', "{]}" } };
	char inert[SL_INERT_SIZE] = "";
	for (const char *p = inert; *p || *text; p++) {
		if (!*p) { /* The next character, of which these are the bytes. */
			(void)sl_inert(&text, inert);
			p = inert;
		}
		const char *instead = NULL;
		for (size_t i = 0; i < SL_LEN(escape) && !instead; i++)
			instead = escape[i].c == *p ? escape[i].instead : NULL;
		char *space = sl_out_reserve(out, 1);
		*space = *p;
		if (instead)
			sl_out_text(out, instead);
		else
			sl_out_advance(out, space + 1);
	}
}

/* A number with a sign that is a minus, not a hyphen. */
static void put_math(struct sl_out *out, const char *number)
{
	if (number[0])
		sl_out_printf(out, "$%s$", number);
}

/* unit: of the values; differences of percentages are in points. */
static void put_heading(struct sl_out *out, const struct sl_metric_info *metric_info, const char *unit)
{
	tables_put_latex(out, metric_info->heading);
	if (!unit[0])
		return;
	sl_out_text(out, " (");
	tables_put_latex(out, unit);
	sl_out_text(out, ")");
}

static void put_begin(struct sl_out *out, const char *columns, const char *caption, const char *of)
{
	sl_out_text(out, "\\begin{table}\n\\centering\n\\caption{");
	sl_out_text(out, caption);
	tables_put_latex(out, of);
	sl_out_printf(out, "}\n\\begin{tabular}{%s}\n\\toprule\n", columns);
}

static void latex_put_end(struct sl_out *out)
{
	sl_out_text(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

/* Metrics go down, runs across: there are more of the former. */
static void put_values(const struct tables *tables, const struct sl_compared *compared, const char *title,
	struct sl_out *out)
{
	char columns[2] = "l";
	sl_out_text(out, "\\begin{table}\n\\centering\n\\caption{");
	tables_put_latex(out, title);
	sl_out_printf(out, "}\n\\begin{tabular}{%s", columns);
	for (uint32_t run = 0; run < tables->runs; run++)
		sl_out_text(out, "r");
	sl_out_text(out, "}\n\\toprule\n");
	for (uint32_t run = 0; run < tables->runs; run++) {
		sl_out_text(out, " & ");
		tables_put_latex(out, tables->run[run].label);
		sl_out_text(out, tables->run[run].partial ? " (partial)" : "");
	}
	sl_out_text(out, " \\\\\n\\midrule\n");
	for (size_t i = 0; i < compared->metric_info_count; i++) {
		put_heading(out, &compared->metric_info[i], export_unit(compared->metric_info[i].unit));
		for (uint32_t run = 0; run < tables->runs; run++) {
			char text[48];
			tables_value(text, tables, compared, run, &compared->metric_info[i]);
			sl_out_text(out, " & ");
			put_math(out, text);
		}
		sl_out_text(out, " \\\\\n");
	}
	latex_put_end(out);
}

static void put_difference(struct sl_out *out, const struct tables_difference *cell)
{
	sl_out_text(out, " & ");
	put_math(out, cell->estimate);
	sl_out_text(out, " & ");
	if (cell->interval)
		sl_out_printf(out, "$[%s, %s]$", cell->low, cell->high);
	if (cell->covers)
		sl_out_printf(out, ", %u\\,\\%%", cell->covers);
	sl_out_text(out, " & ");
	put_math(out, cell->percent);
	sl_out_text(out, cell->percent[0] ? "\\,\\% & " : " & ");
	if (cell->ratio_covers)
		sl_out_printf(out, "$[%s, %s]$\\,\\%%, %u\\,\\%%", cell->percent_low, cell->percent_high,
			cell->ratio_covers);
	sl_out_printf(out, " & %s \\\\\n", cell->word ? cell->word : "");
}

static void put_differences(
	const struct tables *tables, const struct sl_compared *compared, struct sl_out *out)
{
	sl_out_text(out, "\n");
	put_begin(out, "llrlrll", "Differences to ", tables->run[0].label);
	sl_out_text(out, "run & metric & difference & interval & change & interval & \\\\\n");
	for (uint32_t run = 1; run < tables->runs; run++) {
		sl_out_text(out, "\\midrule\n");
		for (size_t i = 0; i < compared->metric_info_count; i++) {
			const struct tables_difference cell =
				tables_difference(tables, compared, &compared->metric_info[i], run);
			if (!cell.estimate[0])
				continue;
			tables_put_latex(out, tables->run[run].label);
			sl_out_text(out, " & ");
			put_heading(out, &compared->metric_info[i],
				tables_difference_unit(&compared->metric_info[i]));
			put_difference(out, &cell);
		}
	}
	sl_out_text(out, "\\bottomrule\n\\end{tabular}\n");
	const char *method;
	for (size_t i = 0; tables_method(compared, i, &method); i++) {
		sl_out_text(out, i ? "; " : "\n\\smallskip\\footnotesize Intervals: ");
		tables_put_latex(out, method);
	}
	sl_out_text(out,
		tables_method(compared, 0, &method)
			? ". Better or worse is said where a test at 5\\,\\% tells a difference from none; behind an interval stands in how many of a hundred logs, at least, such ones held what many logs have.\n"
			: "");
	if (compared->apart) {
		tables_put_latex(out, compared->apart);
		sl_out_text(out, ".\n");
	}
	sl_out_text(out, "\\end{table}\n");
}

/* Those that differ, by run; then those that all have. */
static void put_facts(const struct tables *tables, bool same, struct sl_out *out)
{
	const char *key;
	bool begun = false;
	const uint32_t columns = same ? 1 : tables->runs;
	for (size_t i = 0; tables_fact(tables, i, &key); i++) {
		if (tables_fact_is_same(tables, key) != same)
			continue;
		if (!begun) {
			sl_out_printf(out, "\n\\begin{table}\n\\centering\n\\caption{%s}\n\\begin{tabular}{l",
				same ? "What is the same in all runs" : "What the runs differ in");
			for (uint32_t run = 0; run < columns; run++)
				sl_out_text(out, "l");
			sl_out_text(out, "}\n\\toprule\n");
			for (uint32_t run = 0; !same && run < columns; run++) {
				sl_out_text(out, " & ");
				tables_put_latex(out, tables->run[run].label);
			}
			sl_out_text(out, same ? "" : " \\\\\n\\midrule\n");
		}
		begun = true;
		tables_put_latex(out, key);
		for (uint32_t run = 0; run < columns; run++) {
			const char *value = tables_fact_of(&tables->run[run], key);
			/* Of digests and long settings the beginning is enough. */
			char *cut = export_clean(value ? value : "", 40);
			sl_out_text(out, " & ");
			tables_put_latex(out, cut ? cut : "");
			free(cut);
		}
		sl_out_text(out, " \\\\\n");
	}
	if (begun)
		latex_put_end(out);
}

static int write_latex(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	const struct tables *tables = self;
	char *title = export_clean(compared->title ? compared->title : "Report", 0);
	if (!title)
		return sl_fail_memory(err);
	sl_out_text(out,
		"% Written by schedlab. Needs \\usepackage{booktabs,textcomp} and \\usepackage[T1]{fontenc}.\n");
	put_values(tables, compared, title, out);
	free(title);
	if (tables->runs > 1)
		put_differences(tables, compared, out);
	put_facts(tables, false, out);
	put_facts(tables, true, out);
	return SL_OK;
}

const struct sl_document export_latex = { .abi = SL_ABI_OF(struct sl_document),
	.name = "latex",
	.summary = "tables of LaTeX (booktabs): values, differences with intervals and methods, facts",
	.file = "report.tex",
	.open = tables_open,
	.add = tables_add,
	.write = write_latex,
	.close = tables_close };
