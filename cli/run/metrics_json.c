/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_json.c - metrics.json: one flat object, a metric a line, numbers plain.
 */
#include "cli/base/cli.h"

void metrics_json(struct sl_out *out, const struct sl_metrics *metrics)
{
	sl_out_text(out, "{");
	for (size_t i = 0; i < metrics->count; i++) {
		sl_out_text(out, i ? ",\n" : "\n");
		sl_out_json(out, metrics->row[i].name);
		sl_out_text(out, ": ");
		sl_out_advance(out, sl_put_micro(sl_out_room(out, 32), metrics->row[i].micro));
	}
	sl_out_text(out, "\n}\n");
}
