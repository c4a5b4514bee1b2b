/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedup.h - how fast a job works by its size and its GPUs: formulas, measured throughputs, factors of GPU
 * types. Private to models/speedup.
 *
 * Only + - * / are used, so that all machines agree; a rate is rounded to units of 2^-32 once, at its end.
 */
#ifndef MODELS_SPEEDUP_H
#define MODELS_SPEEDUP_H

#include "sim/plugin.h"

/* Speed-up over one processor on n > 0; below one processor all are in proportion. */
double speedup_amdahl(double n, double serial);                       /* serial: 0 to 1. */
double speedup_downey(double n, double parallelism, double variance); /* A >= 1, sigma >= 0. */

/* As SL_SPEED_ONE has it, rounded half up, at most 1024 times as fast. 0 for what is not positive. */
uint64_t speedup_rate(double speed);

/* ---- Measured throughputs ------------------------------------------------------------------------- */

enum { SPEEDUP_ROWS_MAX = 1 << 20 };

/* A row of the table. Sorted by (model, type, spread, gpus). */
struct throughput {
	const char *model, *type;
	int64_t spread; /* Nodes; or 0: consolidated, 1: not. */
	int64_t gpus;
	double steps; /* A second. */
};

struct throughputs {
	struct throughput *row;
	size_t count;
	bool by_nodes; /* spread is a number of nodes. */
};

/* Of the columns model, gpu_type, gpus, steps_per_s and, where there is one, nodes or consolidated. */
int throughputs_read(struct throughputs *table, const struct sl_csv_table *csv, struct sl_arena *arena,
	struct sl_err *err);
/* Steps a second, 0: the table has nothing of that model on that type. Of several spreads the largest that is
 * not above what is asked counts, else the least. Between two measured sizes it is a straight line, below the
 * least in proportion, beyond the largest as much as there. Measured points are taken as they are, even where
 * more GPUs are slower. */
double throughput_of(
	const struct throughputs *table, const char *model, const char *type, int64_t spread, double gpus);

/* ---- Factors of GPU types ----------------------------------------------------------------------------- */

/* "v100=1,a100=2.2": in millionths by kind of resource, 0: not named. */
int speedup_factors(
	const char *text, const struct sl_cluster *cluster, int64_t factor[SL_KINDS_MAX], struct sl_err *err);

#endif
