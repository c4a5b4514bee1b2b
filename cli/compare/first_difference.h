/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first_difference.h - the first decision in which two runs differ, and what it led to.
 *
 * Both are rerun side by side, instant by instant: what was decided of jobs (starts and where, preemptions,
 * resumptions, changes of size, ends and how) is compared as a set, since the order within an instant is
 * nobody's outcome. Reasons and plans are no decisions. Jobs of the two are matched by their ids, the k-th of
 * an id with the k-th.
 */
#ifndef SL_FIRST_DIFFERENCE_H
#define SL_FIRST_DIFFERENCE_H

#include <stdio.h>

#include "cli/base/render.h"
#include "cli/run/run_rerun.h"

enum { DIFFERENCE_MANY = 10 };

/* A job's progress in the one and in the other. */
struct difference_job {
	const char *id, *user; /* As jobs.csv has them; user: NULL: not known. */
	sl_time start[2];
};

/* Users, by how much longer their jobs waited in the second. */
struct difference_user {
	const char *name;
	uint32_t jobs; /* That started in both. */
	int64_t wait;  /* Sum over them, in microseconds; negative: shorter. */
};

/* The decision of one of the two at that instant, and the job's state after it. */
struct difference_side {
	const char *label;
	uint64_t digest, events; /* Of the whole run; by files: 0. */
	/* Of the job that is named: */
	bool acted;                  /* Something was done to it that was not done in the other: */
	struct sl_decision decision; /* this, by that rule; */
	bool rerun;                  /* if it is an end: of an attempt, and the job is requeued. */
	const char *beneficiary;     /* On behalf of which job; NULL: nobody's. */
	const char *nodes;           /* Where it started: "n[1-3]"; NULL: nodes are not distinguished. */
	bool absent;                 /* Else: it is in the other alone; or */
	bool there;                  /* it was submitted by then, and in this state; */
	enum sl_state state;
	enum sl_reason reason; /* if it waited, why, */
	sl_time planned;       /* and for when its start was planned; SL_NONE: it was not. */
	/* What else was done here and not in the other: */
	struct difference_act {
		const char *job;
		enum sl_decision_kind decision;
		bool rerun;
	} other[DIFFERENCE_MANY];
	uint32_t other_count; /* Of so many in all. */
	/* Afterwards: */
	const char *head; /* First in the queue; NULL: nobody waited. */
	uint32_t queued, running;
	int64_t cpus_free, gpus_free; /* In parts; gpus_free -1: there are none. */
	int64_t cpu_parts, gpu_parts;
};

struct first_difference {
	bool differs;
	bool by_files; /* From their jobs.csv: no rules, reasons, nodes. */
	sl_time at;
	int64_t epoch, utc_offset; /* Of time 0; epoch 0: not known. */
	const char *job;
	struct difference_side side[2];
	const char *inputs;  /* "other traces: ..."; NULL: the same. */
	const char *setting; /* The first that differs: "policy.fill: queue against shortest"; NULL: none. */
	uint32_t settings;   /* How many do. */

	/* What it led to. */
	uint32_t jobs, only[2];  /* Matched; in that one alone. */
	uint32_t moved;          /* Start at another time, or in one only: */
	uint32_t started_one[2]; /* in that one. */
	uint32_t started_both;
	__int128 wait; /* Sum over those of how much longer they waited in the second. */
	/* Over the intervals in which some job runs in one and not in the other: the first begins, the first
	 * ends, the last ends; SL_NONE: there are none, or it does not end. */
	sl_time parted, met, met_for_good;
	struct difference_job most[DIFFERENCE_MANY]; /* That moved most, ties by row. */
	uint32_t most_count;
	struct difference_user hurt[DIFFERENCE_MANY], helped[DIFFERENCE_MANY];
	uint32_t hurt_count, helped_count;
};

/* Of two runs that were opened and loaded; labels are lent, other texts are in the arena. SL_DIFFERS: one of
 * them is not reproduced. */
int first_difference(struct first_difference *found, struct rerun *a, struct rerun *b,
	const char *const label[2], struct sl_arena *arena, struct sl_err *err);
/* Both as their files have it. Texts are in the arena. */
int first_difference_files(struct first_difference *found, const char *const jobs_csv[2],
	const char *const label[2], struct sl_arena *arena, struct sl_err *err);

/* All of it, for people and as one JSON object. */
void first_difference_print(const struct first_difference *found, FILE *file);
void first_difference_json(const struct first_difference *found, const char *name, struct json *json);

#endif
