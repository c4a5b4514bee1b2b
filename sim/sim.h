/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.h - the loop: events in (time, class, seq) order, one pass per instant.
 *
 * A run is a function of (scenario, policy and its values, seed). It holds no
 * global state: any number of runs may go on in one process.
 */
#ifndef SL_SIM_H
#define SL_SIM_H

#include <stdatomic.h>

#include "sim/scenario.h"

/* Written by the run's thread now and then, read by the one that draws the bar. */
struct sim_progress {
	_Atomic uint64_t events, jobs_ended;
	_Atomic int64_t now;
	_Atomic uint32_t queued;
};

enum sim_record {
	SIM_RECORD_USAGE = 1,   /* result.usage */
	SIM_RECORD_REASONS = 2, /* result.reasons */
	SIM_RECORD_PLACES = 4,  /* result.place */
};

struct sim_options {
	const struct scenario *scenario;
	const struct policy_choice *choice;
	uint64_t seed;
	unsigned record;
	bool check;                    /* Invariants after every event, every pass twice. */
	struct sim_progress *progress; /* May be NULL. */
	const _Atomic int *stop; /* Nonzero: end soon, SL_INTERRUPTED, with a partial result. May be NULL. */
};

struct engine; /* engine.h: the parts */

struct sim {
	struct engine *engine;
	struct sl_result result; /* Lent from the engine. */
};

/* 0; SL_POLICY: the policy broke its contract; SL_INTERRUPTED; SL_SYSTEM: no memory. */
int sim_run(struct sim *sim, const struct sim_options *options, struct sl_err *err);
void sim_release(struct sim *sim);

#endif
