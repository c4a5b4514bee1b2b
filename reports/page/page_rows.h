/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_rows.h - where each job is drawn: rows of a counted pool, lanes of nodes; and how full they were.
 */
#ifndef REPORTS_PAGE_ROWS_H
#define REPORTS_PAGE_ROWS_H

#include "reports/page/page.h"

/* Lanes in a row that an interval has. node: 0 of a pool. */
struct page_lane {
	uint32_t node, lane, height;
	bool reported; /* By the run itself: nothing was taken, several may have it. */
};

struct page_lanes {
	struct page *page;
	struct page_lane *lane;
	size_t count, capacity, begun; /* begun: the first of the interval under way. */
	size_t *first;                 /* By interval, and one more. */
};

/* page_lanes.c: which lanes each interval has, assigned lowest first in order of start; of nodes how many. */
void page_lanes_pool(struct page_run *run, struct page_lanes *lanes, int64_t cpus);
/* used: by node, how many lanes it has in all: its GPUs first. */
void page_lanes_nodes(struct page_run *run, struct page_lanes *lanes, uint32_t *used);

/* page_heat.c */
void page_heat_put(struct page_run *run, const struct page_lanes *lanes);

#endif
