/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rerun.h - a trace under a policy, for suites that compare whole schedules.
 */
#ifndef SL_CONFORMANCE_RERUN_H
#define SL_CONFORMANCE_RERUN_H

#include "sim/lib/runset.h"

struct rerun {
	struct sl_arena *arena;
	struct scenario scenario;
	struct policy_choice choice;
	struct sim_run sim; /* The result. */
	struct sl_err err;
};

/* As `run TRACE -p POLICY --set ...`; settings: ended by NULL, may be NULL. record: enum sim_record. */
int rerun(struct rerun *run, const char *trace, const char *policy, const char *const *settings,
	unsigned record);
/* All but the run itself; cluster: as -c, may be NULL. */
int rerun_begin(struct rerun *run, const char *trace, const char *cluster, const char *policy,
	const char *const *settings);
void rerun_release(struct rerun *run);

/* Bytes as a file with a path, until close(fd). */
int memory_file(char path[32], const char *text, size_t len);

#endif
