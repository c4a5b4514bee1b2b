/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gauges_csv.c - lines in the order of time: gauges.csv, what each gauge showed from then on until its next
 * line (at one time, in the order in which the gauges were named), and node_changes.csv, what became of
 * nodes.
 */
#include "reports/csv/csv.h"

enum { LINE = 2 * CSV_NUMBER };

static bool wanted(const struct sl_result *result) { return result->gauge_count > 0; }

/* The gauge with the next point; gauge_count: there is none. */
static uint32_t next_of(const struct sl_result *result, const size_t *written)
{
	uint32_t next = result->gauge_count;
	sl_time at = SL_NEVER;
	for (uint32_t i = 0; i < result->gauge_count; i++) {
		const struct sl_gauge_series *series = &result->gauge[i];
		if (written[i] == series->count || (next < i && series->point[written[i]].at >= at))
			continue;
		next = i;
		at = series->point[written[i]].at;
	}
	return next;
}

static int write_gauges(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	size_t written[SL_GAUGES_MAX] = { 0 };
	sl_out_text(out, "time,gauge,value\n");
	for (uint32_t i; (i = next_of(result, written)) < result->gauge_count;) {
		const struct sl_gauge_series *series = &result->gauge[i];
		const struct sl_gauge_point *point = &series->point[written[i]++];
		char *p = csv_put_micro(sl_out_reserve(out, LINE), point->at);
		*p++ = ',';
		sl_out_advance(out, p);
		sl_out_csv(out, series->gauge->name);
		p = sl_out_reserve(out, LINE);
		*p++ = ',';
		p = csv_put_micro(p, point->value);
		*p++ = '\n';
		sl_out_advance(out, p);
	}
	return SL_OK;
}

const struct sl_report csv_gauges = { SL_ABI_OF(struct sl_report), "gauges.csv",
	"gauges that are followed (replay.gauges), over time", write_gauges, wanted, false, NULL };

/* ---- node_changes.csv: when nodes went down, were drained, and came back.
 *
 * In the order of time, as it happened. There is no file if nothing did.
 */

static bool nodes_changed(const struct sl_result *result) { return result->node_change_count > 0; }

static const char *gauges_csv_word_of(const struct sl_node_change *change)
{
	if (change->drain)
		return change->up ? "undrain" : "drain";
	return change->up ? "up" : "down";
}

static int write_changes(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	sl_out_text(out, "time,node,change\n");
	for (size_t i = 0; i < result->node_change_count; i++) {
		const struct sl_node_change *change = &result->node_change[i];
		char *p = csv_put_micro(sl_out_reserve(out, CSV_NUMBER + 1), change->at);
		*p++ = ',';
		sl_out_advance(out, p);
		sl_out_csv(out, result->cluster->node_name[change->node]);
		sl_out_printf(out, ",%s\n", gauges_csv_word_of(change));
	}
	return SL_OK;
}

const struct sl_report csv_node_changes = { SL_ABI_OF(struct sl_report), "node_changes.csv",
	"when nodes went down, were drained, and came back", write_changes, nodes_changed, false, NULL };
