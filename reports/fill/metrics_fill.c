/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_fill.c - fill.csv's figures at each tenth percentage.
 */
#include "reports/fill/fill.h"

#include <stdio.h>

static void put(struct sl_metrics *metrics, const char *what, size_t percent, int64_t value)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "fill.%s{at=%zu}", what, percent);
	sl_metric_put(metrics, name, value);
}

static int compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	enum { STEP = 10 };
	struct fill_course course;
	if (!fill_was_asked(result))
		return SL_OK;
	const int status = fill_course(&course, result, err);
	for (size_t percent = STEP; !status && percent < course.count; percent += STEP) {
		const struct fill_row row = fill_row(&course, percent);
		if (!row.known)
			continue;
		put(metrics, "allocated", percent, row.allocated);
		if (!course.gauged)
			continue;
		put(metrics, "fragmented", percent, row.fragmented);
		put(metrics, "fragmented_ratio", percent, row.ratio);
	}
	if (!status)
		fill_release(&course);
	return status;
}

const struct sl_metric metrics_of_fill = { SL_ABI_OF(struct sl_metric), "fill",
	"with replay.fill, at each tenth percent: fill.allocated{at=K}: percent of all GPUs that are allocated when "
	"what jobs asked so far, rounded, is K percent of them, in the mean over the submissions of which that is so; "
	"with the gauge fragmentation followed, fill.fragmented{at=K}: percent of all GPUs that are fragmented then, "
	"and fill.fragmented_ratio{at=K}: of the free ones",
	"Weng et al. 2023: Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation gradient "
	"descent (USENIX ATC)",
	compute };
