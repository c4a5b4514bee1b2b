/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lublin.h - the inside of the workload generator: sizes, run times and
 * arrivals (draw.c), and what users request (estimates.c).
 *
 * All that is drawn becomes an integer where it is drawn. What stands between
 * a stream and that integer is GSL's gamma (+ - * / sqrt, with a logarithm in
 * one test of acceptance) and sl_exp (+ - * / alone): no result of
 * the C library's exp, log or pow is rounded to anything.
 */
#ifndef LUBLIN_H
#define LUBLIN_H

#include "sim/plugin.h"

/* ---- Jobs ---------------------------------------------------------------- */

/* The numbers of one class of jobs, named as the authors' code names them. */
enum lublin_number {
	LUBLIN_SERIAL_PROB,
	LUBLIN_POW2_PROB,
	LUBLIN_ULOW,
	LUBLIN_UMED,
	LUBLIN_UHI,
	LUBLIN_UPROB,
	LUBLIN_A1,
	LUBLIN_B1,
	LUBLIN_A2,
	LUBLIN_B2,
	LUBLIN_PA,
	LUBLIN_PB,
	LUBLIN_AARR,
	LUBLIN_BARR,
	LUBLIN_ANUM,
	LUBLIN_BNUM,
	LUBLIN_ARAR,
	LUBLIN_NUMBER_COUNT
};

enum { LUBLIN_SLOTS = 48, LUBLIN_LN_RUN_MAX = 12, LUBLIN_RUN_MAX = 162754 /* floor(e^12) */ };

struct lublin_class {
	double number[LUBLIN_NUMBER_COUNT];
	int32_t cpus; /* No job is larger. */
	int queue;    /* SWF: 0 interactive (and where there is one class), 1 batch. */
	struct sl_rng size, runtime, arrival;
	/* The daily cycle: what a half-hour holds, in microseconds of time at the mean rate. */
	int64_t slot_weight[LUBLIN_SLOTS];
	int64_t slot;    /* The half-hour of the last arrival, from 0 = the first midnight. */
	int64_t points;  /* How far into it, of its weight. */
	sl_time arrives; /* The pending arrival. */
};

/* Needs number, cpus and queue; name is the path of its streams. */
int lublin_class_init(struct lublin_class *class, uint64_t seed, const char *name, struct sl_err *err);
/* Moves `arrives` on. */
void lublin_arrive(struct lublin_class *class);
int32_t lublin_size(struct lublin_class *class);
int32_t lublin_run(struct lublin_class *class, int32_t size); /* Seconds, 1 .. LUBLIN_RUN_MAX. */

/* ---- Estimates ------------------------------------------------------------ */

/* Tsafrir, Etsion, Feitelson: estimate[i] >= run[i] for all i < count, in seconds; run[i] <= max. */
int lublin_tsafrir(int32_t *estimate, const int32_t *run, uint32_t count, int32_t max, uint64_t seed,
	struct sl_err *err);
/* Mu'alem, Feitelson: run * (1 + U * (factor - 1)), U uniform in [0, 1), at most max. */
void lublin_f_model(int32_t *estimate, const int32_t *run, uint32_t count, int32_t max, double factor,
	struct sl_rng *rng);

#endif
