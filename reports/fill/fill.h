/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill.h - how full the cluster's GPUs are, and how fragmented, by how much was asked of them so far.
 *
 * As in Weng et al. (FGD, USENIX ATC 2023): each submission is an event. With it comes what the job requests
 * of GPUs, in percent of all there are; events at which the sum, rounded to a whole percent (halves to even),
 * is k, are averaged.
 */
#ifndef REPORTS_FILL_H
#define REPORTS_FILL_H

#include "sim/plugin.h"

/* The events of one percentage, or of several. Sums; of the ratio in millionths, 0 where no GPU is free. */
struct fill_events {
	uint64_t count;
	__int128 allocated;  /* GPUs in the cluster's parts, */
	__int128 fragmented; /* and in millionths of one. */
	__int128 ratio;
};

struct fill_series {
	struct fill_events *at; /* By percentage. Freed by fill_release. */
	size_t count;
	int64_t gpus; /* Of the cluster, in parts. */
	int64_t parts;
	bool gauged; /* The gauge `fragmentation` was followed. */
};

/* A row of the table. Millionths of a percent. */
struct fill_row {
	bool known; /* Some event had that percentage, or one of its neighbours. */
	int64_t allocated, fragmented, ratio;
};

/* SL_INPUT: the run has no GPUs, or jobs request too many times what there is. */
int fill_series(struct fill_series *series, const struct sl_result *result, struct sl_err *err);
struct fill_row fill_row(const struct fill_series *series, size_t percent);
void fill_release(struct fill_series *series);

/* The jobs were drawn by replay.fill. */
static inline bool fill_was_asked(const struct sl_result *result)
{
	return result->jobs->request_drawn_from != NULL;
}

extern const struct sl_report fill_csv;
extern const struct sl_metric metrics_of_fill;

#endif
