/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_checks.h - what must hold of any policy, one line of a table each; on one scenario, seen from
 * outside the engine.
 */
#ifndef SL_POLICY_CHECKS_H
#define SL_POLICY_CHECKS_H

#include "sim/lib/runset.h"

/* A scenario that a policy is tested on. */
struct trial {
	const char *name;    /* "007-burst" */
	const char *trace;   /* Its files. */
	const char *cancels; /* NULL: none. */
	const char *overrun; /* NULL: as the settings say. */
	const char *cluster; /* NULL: a counted pool, as the trace says. */
	uint64_t number;     /* Of the drawn ones, from 1. */
	bool large;          /* Too large for --check, and without a rewritten second version. */
	struct scenario plain, later, renamed; /* As enum random_scenario_twist. */
};

/* A policy under test. */
struct testing {
	const struct policy_choice *choice;
	uint64_t seed;
};

enum { COMPLAINT_SIZE = 1200 };

struct policy_check {
	const char *name, *about;
	bool warns; /* What does not hold is no fault: some good policies are like that. */
	bool small; /* Not for large trials. */
	/* False: it does not hold, and `complaint` says what was seen. */
	bool (*holds)(const struct testing *testing, const struct trial *trial, char *complaint);
};

extern const struct policy_check policy_checks[]; /* Closed by a NULL name. All others need the first. */

#endif
