/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedlab_parts.h - what the files of the C library share.
 */
#ifndef SL_SCHEDLAB_PARTS_H
#define SL_SCHEDLAB_PARTS_H

#include "sim/lib/runset.h"
#include "sim/result/table.h"
#include "sim/schedlab.h"

/* Runs that went together. */
struct batch {
	_Atomic size_t users;
	struct run run[];
};

struct sl_run {
	struct batch *batch;
	struct run *run; /* In the batch. */
	struct sl_arena *arena;
	struct sl_metrics metrics;
	_Atomic int stop;
	bool gone;      /* It was let go, once. */
	bool usable;    /* It has a result. */
	bool answered;  /* The question that it stopped at. */
	bool steps;     /* It is between sl_run_begin and sl_run_end. */
	int64_t **made; /* By column of schedlab_columns.c: what was made of a result, kept. */
};

#endif
