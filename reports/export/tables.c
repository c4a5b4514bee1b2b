/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables.c - what the cells of a comparison say.
 *
 * A difference counts as better or worse where it is told apart from none, and as neither elsewhere.
 */
#include "reports/export/tables.h"

#include <stdlib.h>
#include <string.h>

int tables_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	(void)options;
	*self = calloc(1, sizeof(struct tables));
	return *self ? SL_OK : sl_fail_memory(err);
}

int tables_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	struct tables *tables = self;
	return export_remember(&tables->run, &tables->runs, reported, err);
}

void tables_close(void *self)
{
	struct tables *tables = self;
	if (!tables)
		return;
	export_runs_free(tables->run, tables->runs);
	free(tables);
}

void tables_value(char *text, const struct tables *tables, const struct sl_compared *compared, uint32_t run,
	const struct sl_metric_info *metric_info)
{
	int64_t micro;
	text[0] = '\0';
	if (export_compared(tables->run, compared, run, metric_info->name, &micro))
		export_number(text, micro, metric_info->unit, false);
}

struct tables_difference tables_difference(const struct tables *tables, const struct sl_compared *compared,
	const struct sl_metric_info *metric_info, uint32_t run)
{
	struct tables_difference cell = { 0 };
	int64_t base;
	int64_t value;
	const struct sl_difference *found = export_difference(compared, metric_info->name, run);
	if (!run || !export_compared(tables->run, compared, 0, metric_info->name, &base) ||
		!export_compared(tables->run, compared, run, metric_info->name, &value))
		return cell;
	const int64_t estimate = found ? found->estimate : value - base;
	export_number(cell.estimate, estimate, metric_info->unit, true);
	if (base > 0)
		export_number(cell.percent, sl_mul_div(estimate, 1000000, base), "share", true);
	if (!found)
		return cell;
	cell.method = found->method;
	cell.samples = found->samples;
	cell.interval = found->low <= found->high;
	if (!cell.interval)
		return cell;
	export_number(cell.low, found->low, metric_info->unit, true);
	export_number(cell.high, found->high, metric_info->unit, true);
	const struct sl_certainty *known =
		compared->certainty ? &compared->certainty[found - compared->difference] : NULL;
	if (!known)
		return cell;
	cell.covers = known->covers;
	cell.ratio_covers = known->ratio_low <= known->ratio_high ? known->ratio_covers : 0;
	export_number(cell.percent_low, known->ratio_low, "share", true);
	export_number(cell.percent_high, known->ratio_high, "share", true);
	if (metric_info->better && known->sure && !compared->apart)
		cell.word = (known->sure > 0) == (metric_info->better > 0) ? "better" : "worse";
	return cell;
}

bool tables_method(const struct sl_compared *compared, size_t i, const char **method)
{
	for (size_t j = 0; j < compared->difference_count; j++) {
		const char *text = compared->difference[j].method;
		bool met = !text;
		for (size_t k = 0; k < j && !met; k++)
			met = compared->difference[k].method &&
			      strcmp(compared->difference[k].method, text) == 0;
		if (met || i--)
			continue;
		*method = text;
		return true;
	}
	return false;
}

const char *tables_fact_of(const struct export_run *run, const char *key)
{
	for (size_t i = 0; i < run->fact_count; i++)
		if (strcmp(run->fact[i].key, key) == 0)
			return run->fact[i].value;
	return NULL;
}

bool tables_fact(const struct tables *tables, size_t i, const char **key)
{
	for (uint32_t r = 0; r < tables->runs; r++) {
		for (size_t j = 0; j < tables->run[r].fact_count; j++) {
			bool met = false;
			for (uint32_t before = 0; before < r && !met; before++)
				met = tables_fact_of(&tables->run[before], tables->run[r].fact[j].key);
			if (met || i--)
				continue;
			*key = tables->run[r].fact[j].key;
			return true;
		}
	}
	return false;
}

bool tables_fact_is_same(const struct tables *tables, const char *key)
{
	const char *first = tables_fact_of(&tables->run[0], key);
	for (uint32_t run = 1; run < tables->runs; run++) {
		const char *other = tables_fact_of(&tables->run[run], key);
		if (!first || !other || strcmp(first, other) != 0)
			return false;
	}
	return first;
}
