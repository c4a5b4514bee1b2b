/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_changes_csv.c - node_changes.csv: when nodes went down, were drained, and came back.
 *
 * In the order of time, as it happened. There is no file if nothing did.
 */
#include "reports/csv/csv.h"

static bool wanted(const struct sl_result *result) { return result->node_change_count > 0; }

static const char *word_of(const struct sl_node_change *change)
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
		char *p = csv_put_micro(sl_out_room(out, CSV_NUMBER + 1), change->at);
		*p++ = ',';
		sl_out_advance(out, p);
		sl_out_csv(out, result->cluster->node_name[change->node]);
		sl_out_printf(out, ",%s\n", word_of(change));
	}
	return SL_OK;
}

const struct sl_report csv_node_changes = { SL_ABI_OF(struct sl_report), "node_changes.csv",
	"when nodes went down, were drained, and came back", write_changes, wanted, false, NULL };
