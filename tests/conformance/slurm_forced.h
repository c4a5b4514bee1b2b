/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_forced.h - decision by decision: after each recorded start, end and preemption the model is set to
 * what was recorded, and each next decision is judged by itself.
 */
#ifndef SL_SLURM_FORCED_H
#define SL_SLURM_FORCED_H

#include "policies/slurm/control/ctl.h"
#include "tests/conformance/slurm_case.h"

/* How a decision of ours differs. */
enum slurm_kind {
	SLURM_RIGHT,
	SLURM_EARLY, /* It would start more than 3 s before. */
	SLURM_LATE,  /* It would not have started 3 s after. */
	SLURM_PLACE, /* Then, but with other nodes, cores, devices or in another partition. */
	SLURM_ENDED, /* Its run would end otherwise, or more than 3 s off: limits, preemption, lost nodes. */
	SLURM_FINAL, /* It never started, and what became of it differs: refused, cancelled, waiting. */
	SLURM_PREEMPTED, /* It would be preempted, and was not. */
	SLURM_NOT_RUN,   /* Its scenario could not be run. */
	SLURM_STARTED,   /* It would start, and did not. */
	SLURM_KINDS
};
const char *slurm_kind_name(enum slurm_kind kind);

struct slurm_decision {
	const struct slurm_row *row;    /* As recorded; */
	const struct slurm_row *second; /* in another recording of the same; NULL: there is none. */
	uint32_t job;                   /* Of the trace. CTL_NO_ROW: not in it. */
	bool ends;                      /* How and when a run ended, not that it began. */
	bool judged, done;              /* done: the model is as recorded. */
	enum slurm_kind kind;
	char text[300];
};

struct slurm_forced {
	const struct slurm_case *c;
	struct slurm_decision *decision;
	size_t count, right;
	/* The run's. */
	struct ctl *ctl;
	int64_t zero;
	struct slurm_machine *machine;
	struct slurm_decision *probed; /* In a copy of this process that looks ahead: of this one. */
	bool looks;                    /* It is that copy. */
};

/* The decisions that were recorded; second: another recording of the same scenario, or NULL. The arena is the
 * case's. */
void slurm_forced_make(struct slurm_forced *f, const struct slurm_case *c, const struct slurm_case *second);
/* Behind sim_begin: the controller decides as recorded from now on. zero: seconds since 1970 of time 0. */
struct slurm_watch;
void slurm_forced_begin(struct slurm_forced *f, const struct slurm_watch *watch, struct ctl *ctl,
	struct slurm_machine *machine, int64_t zero);
/* Behind the run: those that are still open, and how many were right. */
void slurm_forced_end(struct slurm_forced *f);

#endif
