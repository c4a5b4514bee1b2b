/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checkpoint.h - how often a checkpoint is written (interval), and what jobs do about it (checkpoint).
 */
#ifndef MODELS_CHECKPOINT_H
#define MODELS_CHECKPOINT_H

#include "sim/plugin.h"

/* Work between two checkpoints, all in microseconds: C what one takes, M the job's mean time between
 * failures, R what a restart takes. At least 1 us; SL_NEVER where M is. */
enum checkpoint_rule { CHECKPOINT_DALY, CHECKPOINT_YOUNG, CHECKPOINT_AVAILABLE, CHECKPOINT_EVERY };
sl_time checkpoint_interval(enum checkpoint_rule rule, sl_time cost, sl_time mtbf, sl_time restart);

enum checkpoint_phase {
	CHECKPOINT_OUT,       /* It does not run. */
	CHECKPOINT_LOADS,     /* It reads its last one back, and restarts; */
	CHECKPOINT_WORKS,     /* works, */
	CHECKPOINT_WRITES,    /* writes one and stands still, */
	CHECKPOINT_MEANWHILE, /* or works on meanwhile; */
	CHECKPOINT_DONE       /* all its work is done, and it holds on for something else. */
};

struct checkpoint_job {
	uint8_t phase; /* enum checkpoint_phase */
	bool takes;    /* Takes any at all. */
	bool transfer; /* What it waits for is a transfer, else a time: `due`. */
	bool suspended;
	bool retry;     /* It started before. */
	uint8_t step;   /* CHECKPOINT_LOADS: 1 writes, 2 reads, 3 restarts. */
	bool owes;      /* A preemption's checkpoint has yet to be paid for. */
	bool failed;    /* So it leaves, and not by preemption. */
	uint32_t token; /* Of the transfer or wake that it waits for: one of before is nothing to it. */
	uint32_t nodes; /* Of this attempt. */
	uint32_t count; /* Checkpoints completed. */
	sl_time due; /* When what it waits for is over, or it is looked at; suspended: how long that takes. */
	sl_time since; /* It is in this phase. */
	sl_time last;  /* Work of this attempt, at the last completed checkpoint, */
	sl_time mark;  /* at the one under way, */
	sl_time next;  /* at the next one. */
	sl_time taken; /* What the one under way has taken, */
	sl_time cost;  /* and what the last one took; SL_NONE: it had none yet. */
	sl_time writing, loading, lost;
};

struct checkpoint {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct sl_arena *arena;
	struct checkpoint_job *job;
	enum checkpoint_rule rule;
	sl_time every;   /* Parameter; SL_NONE: not given. */
	sl_time mtbf;    /* Of a node; SL_NEVER: none is known. */
	sl_time cost;    /* Of jobs that say nothing of theirs; SL_NONE: they take none. */
	sl_time restart; /* Beside what it takes to read one back. */
	int64_t rate; /* Of a node, bytes a second, where nobody carries transfers, and as a first guess. */
	bool async, pays;
	uint64_t *mark; /* By node. */
	uint64_t marks;
	/* Sums over jobs, node-microseconds. */
	__int128 held, writing, loading, lost;
	int64_t bytes;
};

extern const struct sl_param checkpoint_params[8];
/* checkpoint_setup.c */
int checkpoint_init(void **state, const struct sl_model_setup *setup, struct sl_err *err);
/* What it did since it was looked at last goes to where it belongs. */
void checkpoint_book(struct checkpoint *checkpoint, struct sim *sim, struct checkpoint_job *of);
int checkpoint_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

#endif
