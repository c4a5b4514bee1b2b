/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * power.h - what nodes draw, exactly: microwatts that hold from one event to the next, so that energies are
 * sums of integers, in microwatts times microseconds (10^-12 J). Private to models/power.
 */
#ifndef MODELS_POWER_H
#define MODELS_POWER_H

#include "sim/plugin.h"

typedef unsigned __int128 power_sum; /* 10^-12 J; a megawatt for a thousand years is 2^105. */

#define POWER_UW INT64_C(1000000) /* Microwatts in a watt. */

/* ---- Figures of a type of node ------------------------------------------------------------------- */

struct watt_curve; /* Measured: watts by share of the node that is busy. */

struct figures {
	int64_t idle;                /* uW, on, with nothing running. */
	int64_t gpu, core;           /* uW, of one that is fully driven, on top of idle. */
	int64_t most;                /* uW, of all of them driven, on top of idle. */
	int64_t off, boot, shutdown; /* uW */
	int64_t gpus, cpus;          /* That it has, in the cluster's parts. */
	sl_time boot_time, shutdown_time;
	const struct watt_curve *curve; /* NULL: linear. */
};

struct figures_default {
	const char *gpu;    /* Its name begins like this; "": a node without GPUs, "*": any other GPU. */
	int64_t base;       /* W of the node without its GPUs, idle; */
	int64_t gpu_idle;   /* W of each idle GPU; */
	int64_t most_milli; /* thousandths of W more of each driven GPU, of a node without GPUs: of all cores.
			     */
	const char *source;
};

/* Of one type: the cluster's settings of kind "node" and the type's name (power_idle, power_max, power_gpu,
 * power_core, power_off, power_boot, power_shutdown in watts; boot_time, shutdown_time), else the known
 * type's. Those of switching stay as they are where they are not said (boot, shutdown: -1). */
int figures_of(struct figures *figures, const struct sl_cluster *cluster, uint32_t type, struct sl_err *err);
/* What a node draws with that much driven (uW on top of idle, linear). */
int64_t figures_draw(const struct figures *figures, int64_t driven);

enum { WATT_CURVE_MAX = 1024 };
struct watt_curve {
	const char *type;
	uint32_t count;
	int64_t share[WATT_CURVE_MAX]; /* Millionths, ascending from 0 to 1000000. */
	int64_t draw[WATT_CURVE_MAX];  /* uW */
};
/* A sheet type,utilization,watts: one curve a type, in the order in which they first appear. */
int watt_curves_read(struct watt_curve **curve, uint32_t *count, const struct sl_csv_table *csv,
	struct sl_arena *arena, struct sl_err *err);

/* ---- Prices, carbon: steps over time ----------------------------------------------------------------- */

/* value[i] holds from at[i] on, the first one before, too. With a cycle time goes by the phase. */
struct tariff {
	uint32_t count; /* 0: there is none. */
	const sl_time *at;
	const int64_t *value; /* Millionths. */
	sl_time cycle;        /* 0: none. */
	sl_time shift;        /* Added to a time before its phase is taken. */
};
int tariff_read(struct tariff *tariff, const struct sl_csv_table *csv, sl_time cycle, int64_t epoch,
	struct sl_arena *arena, struct sl_err *err);
int64_t tariff_at(const struct tariff *tariff, sl_time now);
/* When another value comes in force; SL_NEVER. */
sl_time tariff_next(const struct tariff *tariff, sl_time now);
/* The integral of the value over [from, until), in millionths times microseconds. */
__int128 tariff_over(const struct tariff *tariff, sl_time from, sl_time until);

/* ---- The meter ---------------------------------------------------------------------------------- */

enum { METER_BINS = 2048 };

/* A run's draw over time, by bins that double in width when time goes beyond the last. */
struct meter {
	sl_time begun, at; /* It stands at `at`. */
	sl_time width;
	power_sum total;
	int64_t peak; /* uW */
	struct meter_bin {
		power_sum sum;
		int64_t peak;
	} bin[METER_BINS];
};
void meter_begin(struct meter *meter, sl_time at);
/* That much was drawn since it was last reported. */
void meter_advance(struct meter *meter, int64_t draw, sl_time now);

/* ---- A cap -------------------------------------------------------------------------------------- */

enum { THROTTLE_STEPS = 1024 };

/* Of the dynamic draw, how much may be: in units of 2^-32, rounded down to 1/1024, at least the floor. */
uint64_t cap_share(int64_t cap, int64_t fixed, int64_t dynamic, uint64_t least);
/* The clock at which the dynamic draw is that share, where it goes with the cube of the clock; rounded down.
 */
uint64_t cap_clock_cubic(uint64_t share);

#endif
