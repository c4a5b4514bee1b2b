/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_tables.c - a study's table of policies by panels, as CSV, Markdown and LaTeX, and what of its traces
 * was left out.
 *
 * The CSV has every number as it is, a line each. Where people read, numbers have four digits, and bold is
 * said by the test alone: the best that is not told apart from each other policy is not bold.
 */
#include <string.h>

#include "cli/study/study.h"
#include "reports/export/export.h"
#include "reports/export/svg.h"
#include "reports/export/tables.h"

const char study_bold[] =
	"Bold: better than each other policy of its column, by a test at 5 % of the paired differences; where nothing "
	"is bold, no test tells the best from the rest.";

const char *study_heading(const struct study *study, size_t metric)
{
	const struct sl_metric_info *info = &study->metric[metric];
	const char *unit = export_unit(info->unit);
	return text_made(study->arena, "%s%s%s%s", info->heading, *unit ? " (" : "", unit, *unit ? ")" : "");
}

const char *study_value(
	char text[48], const struct study *study, const struct study_cell *cell, size_t metric)
{
	text[0] = '\0';
	if (cell->has)
		export_number(text, cell->micro, study->metric[metric].unit, false);
	return text;
}

/* The policy's row of a panel; NULL: the panel is without it. */
static const struct study_row *row_of(const struct study_panel *panel, const char *label)
{
	for (size_t r = 0; r < panel->rows; r++)
		if (strcmp(panel->row[r].label, label) == 0)
			return &panel->row[r];
	return NULL;
}

/* The i-th policy that any panel has, in the order in which they come; NULL: there are no more. */
static const char *label_at(const struct study *study, size_t i)
{
	size_t seen = 0;
	for (size_t p = 0; p < study->panels; p++)
		for (size_t r = 0; r < study->panel[p].rows; r++) {
			const char *label = study->panel[p].row[r].label;
			bool before = false;
			for (size_t q = 0; q < p && !before; q++)
				before = row_of(&study->panel[q], label) != NULL;
			if (!before && seen++ == i)
				return label;
		}
	return NULL;
}

/* ---- table.csv ------------------------------------------------------------------------------------------
 */

static void csv_cell(struct sl_out *out, const struct study *study, const struct study_panel *panel,
	const struct study_row *row, size_t m)
{
	const struct sweep *sweep = &study->sweep;
	const struct study_cell *cell = &row->cell[m];
	const bool interval = cell->compared && cell->low <= cell->high;
	csv_begin(out, datum_text(NULL, study->metric[m].name), datum_text(NULL, panel->name));
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		if (f != sweep->spec.policy_at && f != sweep->spec.seed_at)
			csv_more(out, datum_text(NULL, point_value(sweep, &panel->point, f)));
	csv_more(out, datum_text(NULL, row->label), datum_micro(NULL, cell->has ? cell->micro : SL_NONE),
		datum_count(NULL, panel->samples),
		datum_micro(NULL, cell->compared ? cell->difference : SL_NONE),
		datum_micro(NULL, interval ? cell->low : SL_NONE),
		datum_micro(NULL, interval ? cell->high : SL_NONE),
		datum_if(cell->compared, datum_whole(NULL, cell->sure)), datum_flag(NULL, cell->best));
	sl_out_text(out, "\n");
}

static int table_csv(const struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	struct sl_out *out;
	const int status = sl_out_open(&out, "table.csv", err);
	if (status)
		return status;
	sl_out_text(out, "metric,panel");
	for (size_t f = 0; f < spec->factor_count; f++)
		if (f != spec->policy_at && f != spec->seed_at)
			csv_more(out, datum_text(NULL, spec->factor[f].name));
	sl_out_text(out, ",policy,value,samples,difference,low,high,told_apart,best\n");
	for (size_t m = 0; m < study->metrics; m++)
		for (size_t p = 0; p < study->panels; p++)
			for (size_t r = 0; r < study->panel[p].rows; r++)
				csv_cell(out, study, &study->panel[p], &study->panel[p].row[r], m);
	return sl_out_commit(out, err);
}

/* ---- exclusions.csv -------------------------------------------------------------------------------------
 */

/* By from, to and jobs. */
static uint64_t not_selected(const struct study_counts *counts)
{
	const uint64_t rest = counts->rows - counts->replayed;
	return counts->rows > counts->replayed && rest > counts->dropped ? rest - counts->dropped : 0;
}

static int exclusions_csv(const struct study *study, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, "exclusions.csv", err);
	if (status)
		return status;
	sl_out_text(out,
		"panel,rows,dropped,repaired,not_selected,replayed,left_out,over_limit,limits_raised,limits_none,estimates,why_dropped,why_repaired\n");
	for (size_t p = 0; p < study->panels; p++) {
		const struct study_counts *counts = &study->panel[p].counts;
		csv_begin(out, datum_text(NULL, study->panel[p].name), datum_count(NULL, counts->rows),
			datum_count(NULL, counts->dropped), datum_count(NULL, counts->repaired),
			datum_count(NULL, not_selected(counts)), datum_count(NULL, counts->replayed),
			datum_count(NULL, counts->left_out), datum_count(NULL, counts->over),
			datum_count(NULL, counts->raised), datum_count(NULL, counts->none),
			datum_count(NULL, counts->estimates), datum_text(NULL, counts->why_dropped),
			datum_text(NULL, counts->why_repaired));
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

/* ---- waits.csv ------------------------------------------------------------------------------------------
 */

static int waits_csv(const struct study *study, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, "waits.csv", err);
	if (status)
		return status;
	sl_out_text(out, "panel,policy,cpus,run_time,jobs,wait_mean\n");
	for (size_t p = 0; p < study->panels; p++)
		for (size_t r = 0; r < study->panel[p].rows; r++) {
			const struct study_row *row = &study->panel[p].row[r];
			for (size_t i = 0; i < row->waits; i++) {
				csv_begin(out, datum_text(NULL, study->panel[p].name),
					datum_text(NULL, row->label), datum_text(NULL, row->wait[i].size),
					datum_text(NULL, row->wait[i].run),
					datum_micro(NULL, row->wait[i].jobs),
					datum_micro(NULL, row->wait[i].wait));
				sl_out_text(out, "\n");
			}
		}
	return sl_out_commit(out, err);
}

/* ---- Policies by panels, of one metric -------------------------------------------------------------------
 */

/* What a format has around each part of the table. */
struct marks {
	void (*text)(struct sl_out *out, const char *text); /* A name, as text. */
	const char *heading[2];
	const char *head, *column[2], *headed; /* Panels; NULL: they stand once, above all metrics. */
	const char *rule, *ruled;              /* For each panel, below them. */
	const char *label[2], *cell[2], *bold[2], *minus, *row, *end;
};

static const struct marks markdown = { .text = tables_put_markdown,
	.heading = { "\n### ", "\n\n" },
	.head = "| policy |",
	.column = { " ", " |" },
	.headed = "\n|:--|",
	.rule = "--:|",
	.ruled = "\n",
	.label = { "| ", " |" },
	.cell = { " ", " |" },
	.bold = { "**", "**" },
	.minus = "-",
	.row = "\n",
	.end = "" };

static const struct marks html = { .text = svg_escape,
	.heading = { "<table>\n<caption>", "</caption>\n" },
	.head = "<tr><th scope=\"col\">policy</th>",
	.column = { "<th scope=\"col\">", "</th>" },
	.headed = "</tr>\n",
	.rule = "",
	.ruled = "",
	.label = { "<tr><th scope=\"row\">", "</th>" },
	.cell = { "<td>", "</td>" },
	.bold = { "<b>", "</b>" },
	.minus = "-",
	.row = "</tr>\n",
	.end = "</table>\n" };

static const struct marks latex = { .text = tables_put_latex,
	.heading = { "", "}} \\\\\n" }, /* Over so many columns. */
	.label = { "", "" },
	.cell = { " & ", "" },
	.bold = { "\\textbf{", "}" },
	.minus = "$-$", /* Not a hyphen. */
	.row = " \\\\\n",
	.end = "" };

static void put_head(struct sl_out *out, const struct study *study, const struct marks *marks)
{
	sl_out_text(out, marks->head);
	for (size_t p = 0; p < study->panels; p++) {
		sl_out_text(out, marks->column[0]);
		marks->text(out, study->panel[p].title);
		sl_out_text(out, marks->column[1]);
	}
	sl_out_text(out, marks->headed);
	for (size_t p = 0; p < study->panels; p++)
		sl_out_text(out, marks->rule);
	sl_out_text(out, marks->ruled);
}

static void put_cell(struct sl_out *out, const struct study *study, size_t m, const struct study_row *row,
	const struct marks *marks)
{
	char text[48] = "";
	const bool bold = row && row->cell[m].best;
	if (row)
		(void)study_value(text, study, &row->cell[m], m);
	const bool minus = *text == '-';
	sl_out_printf(out, "%s%s%s%s%s%s", marks->cell[0], bold ? marks->bold[0] : "",
		minus ? marks->minus : "", text + minus, bold ? marks->bold[1] : "", marks->cell[1]);
}

static void put_metric(struct sl_out *out, const struct study *study, size_t m, const struct marks *marks)
{
	const char *label;
	sl_out_text(out, marks->heading[0]);
	marks->text(out, study_heading(study, m));
	sl_out_text(out, marks->heading[1]);
	if (marks->head)
		put_head(out, study, marks);
	for (size_t i = 0; (label = label_at(study, i)); i++) {
		sl_out_text(out, marks->label[0]);
		marks->text(out, label);
		sl_out_text(out, marks->label[1]);
		for (size_t p = 0; p < study->panels; p++)
			put_cell(out, study, m, row_of(&study->panel[p], label), marks);
		sl_out_text(out, marks->row);
	}
	sl_out_text(out, marks->end);
}

/* ---- table.md -------------------------------------------------------------------------------------------
 */

static void markdown_exclusions(struct sl_out *out, const struct study *study)
{
	sl_out_text(out,
		"\n## What was left out\n\n| trace | rows | dropped | repaired | not selected | replayed | warm-up and cool-down | over their limit | "
		"limits raised | without a limit | limits replaced by estimates |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t p = 0; p < study->panels; p++) {
		const struct study_counts *c = &study->panel[p].counts;
		const uint64_t number[] = { c->rows, c->dropped, c->repaired, not_selected(c), c->replayed,
			c->left_out, c->over, c->raised, c->none, c->estimates };
		sl_out_text(out, "| ");
		tables_put_markdown(out, study->panel[p].title);
		sl_out_text(out, " |");
		for (size_t i = 0; i < SL_LEN(number); i++)
			sl_out_printf(out, " %llu |", (unsigned long long)number[i]);
		sl_out_text(out, "\n");
	}
	for (size_t p = 0; p < study->panels; p++) {
		const char *why[] = { study->panel[p].counts.why_dropped, study->panel[p].counts.why_repaired,
			study->panel[p].apart };
		for (size_t i = 0; i < SL_LEN(why); i++) {
			if (!why[i] || !*why[i])
				continue;
			sl_out_text(out, "\n- ");
			tables_put_markdown(out, study->panel[p].title);
			sl_out_text(out, ": ");
			tables_put_markdown(out, why[i]);
		}
	}
	sl_out_text(out, "\n");
}

static int table_md(const struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	struct sl_out *out;
	const int status = sl_out_open(&out, "table.md", err);
	if (status)
		return status;
	sl_out_text(out, "# ");
	tables_put_markdown(out, spec->name ? spec->name : "Study");
	sl_out_text(out, "\n");
	if (spec->purpose) {
		sl_out_text(out, "\n");
		tables_put_markdown(out, spec->purpose);
		sl_out_text(out, "\n");
	}
	sl_out_text(out, "\n## Results\n");
	for (size_t m = 0; m < study->metrics; m++)
		put_metric(out, study, m, &markdown);
	sl_out_printf(out, "\n%s\n", study_bold);
	markdown_exclusions(out, study);
	return sl_out_commit(out, err);
}

/* ---- table.tex ------------------------------------------------------------------------------------------
 */

static int table_tex(const struct study *study, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, "table.tex", err);
	if (status)
		return status;
	sl_out_printf(out, "%% Needs booktabs. %s\n\\begin{tabular}{@{}l", study_bold);
	for (size_t p = 0; p < study->panels; p++)
		sl_out_text(out, "r");
	sl_out_text(out, "@{}}\n\\toprule\npolicy");
	for (size_t p = 0; p < study->panels; p++) {
		sl_out_text(out, " & ");
		tables_put_latex(out, study->panel[p].title);
	}
	sl_out_text(out, " \\\\\n");
	for (size_t m = 0; m < study->metrics; m++) {
		sl_out_printf(out, "\\midrule\n\\multicolumn{%zu}{@{}l}{\\emph{", study->panels + 1);
		put_metric(out, study, m, &latex);
	}
	sl_out_text(out, "\\bottomrule\n\\end{tabular}\n");
	return sl_out_commit(out, err);
}

int study_write_tables(const struct study *study, struct sl_err *err)
{
	int status = table_csv(study, err);
	if (!status)
		status = exclusions_csv(study, err);
	if (!status)
		status = waits_csv(study, err);
	if (!status)
		status = table_md(study, err);
	return status ? status : table_tex(study, err);
}

/* ---- index.html: all of it, for a browser ----------------------------------------------------------------
 */

static void html_panel(struct sl_out *out, const struct study_panel *panel)
{
	sl_out_text(out, "<h2>");
	svg_escape(out, panel->title);
	sl_out_printf(out, "</h2>\n<p><a href=\"runs/%s/report.html\">The runs' page</a></p>\n", panel->name);
	for (size_t i = 0; study_chart(i); i++)
		sl_out_printf(out,
			"<figure><img src=\"figures/%s-%s.svg\" alt=\"%s\"><figcaption><a "
			"href=\"figures/%s-%s.pdf\">PDF</a></figcaption></figure>\n",
			panel->name, study_chart(i), study_chart(i), panel->name, study_chart(i));
}

int study_write_page(const struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	const char *name = spec->name ? spec->name : "Study";
	struct sl_out *out;
	const int status = sl_out_open(&out, "index.html", err);
	if (status)
		return status;
	sl_out_text(out,
		"<!DOCTYPE html>\n<!-- Written by schedlab. -->\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
	svg_escape(out, name);
	sl_out_text(out,
		"</title>\n<style>body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1a1a1a}"
		"table{border-collapse:collapse;margin:1.5em 0}caption{text-align:left;font-weight:bold}"
		"th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #dcdfe4}th:first-child{text-align:left}"
		"figure{display:inline-block;margin:.5em}</style>\n<h1>");
	svg_escape(out, name);
	sl_out_text(out, "</h1>\n<p>");
	svg_escape(out, spec->purpose ? spec->purpose : "");
	sl_out_text(out, "</p>\n");
	for (size_t m = 0; m < study->metrics; m++)
		put_metric(out, study, m, &html);
	sl_out_printf(out,
		"<p>%s</p>\n<p>Tables: <a href=\"table.csv\">CSV</a>, <a href=\"table.md\">Markdown</a>, <a "
		"href=\"table.tex\">LaTeX</a>. What was left out: <a href=\"exclusions.csv\">exclusions.csv</a>. Waits by size and run time: <a href=\"waits.csv\">waits.csv</a>.</p>\n",
		study_bold);
	for (size_t p = 0; p < study->panels; p++)
		html_panel(out, &study->panel[p]);
	sl_out_text(out, "</html>\n");
	return sl_out_commit(out, err);
}
