/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runset.h - many runs, results in slot order: the same bytes on one thread as
 * on all cores. Threads share the const scenarios and nothing else.
 */
#ifndef SL_RUNSET_H
#define SL_RUNSET_H

#include <stdatomic.h>

#include "sim/run/sim.h"
#include "sim/scenario/scenario.h"

struct run {
	const struct scenario *scenario;
	struct policy_choice choice;
	struct sim_options options; /* scenario and choice are filled in by runset_run. */
	struct sim_run sim;         /* Holds the result; released by runset_release. */
	int status; /* 0, or why this run ended: err. SL_INTERRUPTED leaves a partial result. */
	struct sl_err err;
};

/* Called from runset_run as each run's thread finishes a slot, in slot order, on the calling thread: writes
 * what the run leaves, so that memory of a finished run may go before the next starts. May be NULL. */
typedef int (*run_done)(void *self, struct run *run, size_t slot, struct sl_err *err);

/* threads 0: as many as there are processors. Returns the first nonzero status in slot order. */
int runset_run(
	struct run *runs, size_t count, unsigned threads, run_done done, void *self, struct sl_err *err);
/* over: called by the run's own thread as soon as it is over and has a result, for several runs at once; then
 * done, as above. Either may be NULL. */
struct run_ends {
	void (*over)(void *self, struct run *run, size_t slot);
	run_done done;
	void *self;
};
int runset_run_to(
	struct run *runs, size_t count, unsigned threads, const struct run_ends *ends, struct sl_err *err);
/* So many threads as that means. */
unsigned runset_threads(unsigned asked, size_t count);
void runset_release(struct run *runs, size_t count);

#endif
