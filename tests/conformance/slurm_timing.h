/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_timing.h - when, in a recording, slurmctld's clockwork struck, as far as the recording tells.
 *
 * Plans go by seconds since 1970 modulo 30 and 60, and priorities are calculated every PriorityCalcPeriod
 * from when slurmctld had reached its database. Of some recordings the one is not known, and of none the
 * other, but that priorities were seen to change between two looks. Nor is it known on which side of passes
 * and of a whole second epilogs were done, nor which of main pass and backfill came first in a second, which
 * mostly stays as it was through a recording. What is left open is tried.
 */
#ifndef SL_SLURM_TIMING_H
#define SL_SLURM_TIMING_H

#include "tests/conformance/slurm_files.h"

enum { SLURM_TIMINGS_MAX = 4000 };

struct slurm_timing {
	int64_t phase;  /* Seconds that time 0 is after a whole minute. */
	int64_t calc;   /* Seconds of PriorityCalcPeriod, by the clock, at which priorities are calculated. */
	int64_t period; /* PriorityCalcPeriod; 0: none are. */
	int64_t tick;   /* Seconds of the half minute at which limits of time are looked at. */
	bool late;      /* Such submissions came too late. */
	bool prompt;   /* Epilogs were done in the second in which a job was to end, not one after its end. */
	bool backfill; /* It came before the main pass of a second. */
	bool behind;   /* They were done behind the passes of their second, not before. */
};

enum { SLURM_LATE_MAX = 2 }; /* Seconds. */

/* Those that agree with what was seen, at least one. to: room for SLURM_TIMINGS_MAX. */
size_t slurm_timings(const struct slurm_case *c, const char *scenario, struct slurm_timing *to);

#endif
