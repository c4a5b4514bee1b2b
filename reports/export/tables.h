/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.h - the comparison as tables of text: what Markdown and LaTeX share.
 */
#ifndef REPORTS_EXPORT_TABLES_H
#define REPORTS_EXPORT_TABLES_H

#include "reports/export/export.h"

struct tables {
	struct export_run *run;
	uint32_t runs;
};

int tables_open(void **self, const struct sl_document_options *options, struct sl_err *err);
int tables_add(void *self, const struct sl_document_run *reported, struct sl_err *err);
void tables_close(void *self);

/* A run's metric as it is compared; "": it has none. text has room for 48 bytes. */
void tables_value(char *text, const struct tables *tables, const struct sl_compared *compared, uint32_t run,
	const struct sl_metric_info *metric_info);

/* The difference to the first run, in parts that a format joins: "" where there is none. */
struct tables_difference {
	char estimate[48], percent[48], low[48], high[48], percent_low[48], percent_high[48];
	bool interval;
	unsigned covers,
		ratio_covers; /* Of a hundred logs, in how many each interval holds; 0: there is none. */
	const char *word;     /* "better", "worse"; NULL: nothing can be said. */
	const char *method;   /* Of the interval, or why there is none; NULL: no difference was made. */
	uint32_t samples;
};
struct tables_difference tables_difference(const struct tables *tables, const struct sl_compared *compared,
	const struct sl_metric_info *metric_info, uint32_t run);

static inline const char *tables_difference_unit(const struct sl_metric_info *metric_info)
{
	const char *unit = export_unit(metric_info->unit);
	return unit[0] == '%' ? "points" : unit;
}

/* Text as their own formats have it: whatever a name holds, it is text there. */
void tables_put_markdown(struct sl_out *out, const char *text);
void tables_put_latex(struct sl_out *out, const char *text);

/* Each method once, in the order of the table: false, when there is no i-th. */
bool tables_method(const struct sl_compared *compared, size_t i, const char **method);
/* The facts of which at least one run has one, each once: false, when there is no i-th. */
bool tables_fact(const struct tables *tables, size_t i, const char **key);
/* NULL: the run says nothing of it. */
const char *tables_fact_of(const struct export_run *run, const char *key);

/* All runs say the same of it. */
bool tables_fact_is_same(const struct tables *tables, const char *key);

#endif
