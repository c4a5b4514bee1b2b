/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_live.h - why a job of a live cluster waits: its dump as a moment, simulated; explain_live.c and
 * explain_live_if.c share it.
 */
#ifndef SL_EXPLAIN_LIVE_H
#define SL_EXPLAIN_LIVE_H

#include "cli/explain/explain.h"
#include "traces/kube/kube_live.h"

/* One change that was tried. */
struct remedy {
	const char *kind; /* "quota", "borrowing", "lending", "policy", "end", "node" */
	const char *words;
};

enum { REMEDIES_MAX = 32 };
struct live {
	struct kube_live dump;
	const struct args *args;
	struct sl_arena *arena;
	struct look look; /* What the scheduler says, of these objects. */
	bool starts;      /* By these objects alone it would start now. */
	bool preempts;    /* It makes room by preemption. */
	size_t running, waiting;
	struct remedy remedy[REMEDIES_MAX];
	size_t remedy_count, tried;
	/* Of what waits, in all its pods, and what the quotas of its ClusterQueue are, by the first
	 * simulation. */
	struct sl_amounts need, pod; /* pod: of the largest one. */
	struct view_table quota, pending;
	const char *queue; /* NULL: none. */
};

struct trial {
	const struct kube_change *change; /* Closed by a NULL node; NULL: none. */
	const struct sl_object *without;
	const char *more;
};
/* The moment with that changed: does it start? first: the look is taken. */
int live_try(struct live *live, const struct trial *trial, bool first, bool *starts, struct sl_err *err);
int live_remedies(struct live *live, struct sl_err *err);
const char *live_text(const struct live *live, const char *format, ...) SL_PRINTF(2, 3);

#endif
