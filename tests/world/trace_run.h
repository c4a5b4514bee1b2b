/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace_run.h - a trace as text, settings and a policy: a run.
 */
#ifndef SL_TEST_TRACE_RUN_H
#define SL_TEST_TRACE_RUN_H

#include "sim/run/sim.h"

struct trace_run {
	struct scenario scenario;
	struct settings settings;
	struct policy_choice choice;
	struct sim_run sim;
	struct sl_err err;
	char path[32];
};

/* given: "cluster.cpus=4", "--model search", closed by NULL. Only loads; a status. */
int trace_load(struct trace_run *run, const char *text, const char *const *given);
/* And runs, with all invariants checked. */
int trace_run(struct trace_run *run, const char *text, const char *policy, const char *const *given);
void trace_release(struct trace_run *run);
/* The row of that id, as a name or a number. */
uint32_t trace_row(const struct trace_run *run, const char *id);

#endif
