/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * state.h - the model's accounting: which node is on, who drives it how hard, what each job has drawn so far.
 * Private to models/power.
 *
 * Invariant, once an instant is settled: draw is the sum of all nodes' draws, and a job's is the sum of its
 * node allocations'. Before anything changes at an instant, the accounting is brought up to it
 * (accounting_advance).
 */
#ifndef MODELS_POWER_STATE_H
#define MODELS_POWER_STATE_H

#include "models/power/power.h"

enum { NOBODY = UINT32_MAX };

enum node_power { NODE_ON, NODE_OFF, NODE_BOOTS, NODE_GOES_OFF, NODE_POWERS };

struct power_node {
	enum node_power is;
	uint32_t jobs;  /* With an allocation there. */
	uint32_t alloc; /* Of them, the first; NOBODY. */
	uint32_t type;
	sl_time since;  /* It is idle; SL_NONE: it is not. */
	sl_time until;  /* It boots, or goes off, until then. */
	int64_t driven; /* uW, linear, of all node allocations. */
	int64_t draw;   /* uW */
};

/* A job on a node. */
struct power_alloc {
	uint32_t job, node;
	uint32_t next, before; /* Of the node. */
	uint32_t more;         /* Of the job; of one that is free, the next free one. */
	int64_t full;          /* uW, linear, at full speed, */
	int64_t driven;        /* now, */
	int64_t draw;          /* and what the node draws more for it. */
	int64_t idle;          /* Its share of what the node draws idle. */
};

struct power_job {
	uint32_t alloc; /* The first; NOBODY. */
	uint32_t place; /* In the list of what runs. */
	sl_time at;     /* Its sums go as far as this. */
	sl_time ready;  /* Its nodes boot until then; SL_NONE. */
	uint64_t own;   /* Rate that the model gave it. */
	uint64_t scale; /* Of its dynamic draw, in 2^-32. */
	int64_t draw;   /* uW, its part of idle nodes included. */
	power_sum energy;
	__int128 cost, carbon; /* Draw times value times time: 10^-12 J times millionths. */
};

enum cap_mode { CAP_NONE, CAP_THROTTLE, CAP_ADMIT };
enum dvfs { DVFS_LINEAR, DVFS_CUBIC };

struct power {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct sl_arena *arena;
	struct figures *figures; /* By type. */
	struct power_node *node;
	struct power_job *job;
	struct power_alloc *alloc;
	uint32_t alloc_count, alloc_capacity, part_free;
	uint32_t *running;
	uint32_t running_count;
	bool out_of_memory;

	int64_t intensity; /* Millionths, of jobs that say nothing. */
	int64_t switches;  /* uW, of all. */
	int64_t pue;       /* Millionths. */
	sl_time idle_time; /* SL_NONE: nodes stay on. */
	int64_t keep_on;   /* At least so many nodes. */
	bool late;         /* Nodes that are on go before those that are not. */
	enum cap_mode cap_mode;
	enum dvfs dvfs;
	int64_t cap, fixed_on; /* uW; fixed_on: switches and all nodes, on and idle (or booting). */
	uint64_t least;        /* Throttled no further. */
	struct tariff price, carbon;

	struct meter meter; /* Nodes and switches. */
	int64_t draw;       /* uW, of all nodes. */
	int64_t full;       /* uW, of all running jobs at full speed. */
	int64_t capacity;   /* uW, left by the cap, as reported last. */
	uint64_t share;     /* Of the dynamic draw under the cap. */
	uint32_t on;        /* Nodes that are on, or boot. */
	uint32_t kept;      /* Idle for so long that they would be off, but for keep_on. */
	int64_t boots, settled;
	sl_time throttled; /* So long. */
	/* By what nodes are: how many, what they draw (uW), and over time. */
	uint32_t nodes_of[NODE_POWERS];
	int64_t draw_of[NODE_POWERS];
	power_sum time_of[NODE_POWERS], energy_of[NODE_POWERS]; /* Node-microseconds; 10^-12 J. */
	__int128 cost, carbon_sum;
	sl_time price_wake;
};

/* power_accounting.c */
void accounting_begin(struct power *p, sl_time now);
void accounting_advance(struct power *p, sl_time now);
void job_settle(struct power *p, uint32_t job, sl_time now);
bool accounting_take(
	struct power *p, sl_job job, const struct sl_node_tasks *alloc, size_t count, sl_time now);
/* It drives nothing any more; then its node allocations are released one by one: the node, NOBODY: there are
 * no more. */
void accounting_leave(struct power *p, sl_job job, sl_time now);
uint32_t accounting_give(struct power *p, sl_job job);
void node_becomes(struct power *p, uint32_t node, enum node_power is, sl_time now);
void job_scale(struct power *p, uint32_t job, uint64_t scale, sl_time now);
int64_t accounting_draw(const struct power *p); /* Nodes and switches. */

/* saving.c */
enum { WAKE_IDLE, WAKE_SWITCHED, WAKE_PRICE }; /* row % 4 of a wake. */
void saving_begin(struct power *p, struct sim *sim);
void saving_idle(struct power *p, struct sim *sim, uint32_t node);
void saving_timer(struct power *p, struct sim *sim, uint32_t node);
sl_time saving_wake(struct power *p, struct sim *sim, uint32_t node); /* When it is up. */
void saving_kept(struct power *p, struct sim *sim);

/* power_report.c */
int power_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

#endif
