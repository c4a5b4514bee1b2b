/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_script.h - a model that follows a test's script, and logs the engine's callbacks.
 */
#ifndef SL_TEST_MODEL_SCRIPT_H
#define SL_TEST_MODEL_SCRIPT_H

#include "sim/scenario/scenario.h"

enum script_what {
	SCRIPT_RATE,   /* Of job `row`: value in 2^-32. */
	SCRIPT_FAIL,   /* NODE_FAIL, for good; */
	SCRIPT_RETRY,  /* to wait again. */
	SCRIPT_CANCEL, /* Job `row`. */
	SCRIPT_DOWN,   /* Node `row`, expected at `value` (us), */
	SCRIPT_UP,
	SCRIPT_DRAIN,
	SCRIPT_RESUME,
	SCRIPT_FINISH, /* Job `row`, which it keeps running after its work is done. */
	SCRIPT_NOTHING /* It only wakes. */
};

struct script_step {
	sl_time at; /* us */
	enum script_what what;
	uint32_t row;
	int64_t value;
};

struct script {
	const struct script_step *step;
	size_t count;
	bool rate_set;       /* Sets `rate_first` at each start, */
	uint64_t rate_first; /* for all but one. */
	bool holds;          /* Jobs keep running when their work is done. */
	bool sizes;          /* See struct sl_model. */
	int64_t kept;        /* Of the work of a failed attempt, in us; negative: all. */
	int64_t every;       /* Wakes after each such time, for nothing; 0: it does not. */

	/* The callbacks: "1s" started, "1e" ended, "1r" requeued, "1c" checkpointed, "1z" suspended, "2d",
	 * "2u": a node; with the time in seconds, "1s@0 1e@10". */
	char reported[1 << 16];
	size_t length;
	uint64_t settled;   /* Times. */
	uint64_t rates[64]; /* sl_speed_of at each job's start. */

	/* Filled in by script_on. */
	struct sl_value value;
	struct sl_model model;
	struct model_choice choice;
};

/* The model, on; the script is lent for the run. */
const struct model_choice *script_on(struct script *script);

#endif
