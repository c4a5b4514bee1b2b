/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shares.h - orders between parties: whoever has had least for its weight goes
 * first, its own jobs in order of submission. What a start changes is in
 * ledgers, so that undoing a pass undoes it.
 */
#ifndef SL_COMPOSED_SHARES_H
#define SL_COMPOSED_SHARES_H

#include "policies/composed/parties.h"

/* Lower goes first. over 0: after all others. */
struct ratio {
	int64_t of;
	__int128 over;
};
/* As qsort compares. */
int ratio_compare(struct ratio a, struct ratio b);

struct shares;

/* A way of sharing. */
struct sharing {
	const char *name;
	bool drawn; /* By lot: has no order, only a next. */
	int (*init)(struct shares *shares, const struct sl_setup *setup, struct sl_err *err);
	struct ratio (*value)(const struct shares *shares, const struct sl_pass *pass, uint32_t party);
	void (*begin)(struct shares *shares, struct sl_pass *pass); /* Optional: of a pass. */
	/* It gets, or gives back, what the job asks. */
	void (*started)(struct shares *shares, struct sl_pass *pass, sl_job job);
	void (*stopped)(struct shares *shares, struct sl_pass *pass, sl_job job); /* Optional. */
	void (*resumed)(
		struct shares *shares, struct sl_pass *pass, sl_job job); /* Optional: was suspended. */
	void (*joined)(struct shares *shares, struct sl_pass *pass, uint32_t party); /* Optional: may wait. */
	void (*left)(struct shares *shares, struct sl_pass *pass, uint32_t party);   /* Nobody waits. */
};
extern const struct sharing sharing_fair, sharing_drf, sharing_lottery, sharing_stride;

enum { RUNS_NOT, RUNS, RUNS_SUSPENDED };

struct shares_options {
	const struct sharing *sharing;
	int64_t by;
	const char *weights, *initial;
	sl_time half_life;
	bool dominant; /* Usage is of the resource of which a job takes most. */
	bool by_size;  /* Stride: a job costs its size, else size and estimate. */
};

struct shares {
	struct parties parties;
	struct shares_options options;
	const struct sl_cluster *cluster;
	uint64_t seed;
	int64_t *weight;  /* By party, in millionths. */
	sl_ledger runs;   /* By job: RUNS_ */
	sl_ledger amount; /* By party; what the sharing keeps. */
	sl_ledger world;  /* A few counters of all together. */
	sl_time unit;     /* Of usage, in cpu-microseconds. */
	int64_t clock;    /* Of this pass. */
	struct ratio *value;
	double *key;      /* By party: that its jobs have in the queue; -1: none yet. */
	uint32_t *sorted; /* The active ones, by value: kept from pass to pass, as little changes. */
	uint32_t sorted_count;
	uint64_t *barred; /* By party: the last pass in which its turn was over. */
	uint64_t passes;
	bool requeued;
	struct sl_rng rng;
};

int shares_init(struct shares **shares, const struct shares_options *options, const struct sl_setup *setup,
	struct sl_err *err);
/* Returns the job's key. */
double shares_submitted(struct shares *shares, struct sl_pass *pass, sl_job job);
void shares_ended(struct shares *shares, struct sl_pass *pass, sl_job job); /* Or was cancelled. */
/* At the beginning of a pass. rekey: the plan is going to ask for the queue in order. */
void shares_begin(struct shares *shares, struct sl_pass *pass, bool rekey);
/* Whose turn it is: the first waiting job of the party with the least value, of those not barred. */
sl_job shares_first(struct shares *shares, struct sl_pass *pass);
/* Its party's turn is over until the next pass. */
void shares_bar(struct shares *shares, struct sl_pass *pass, sl_job job);
/* After the command. */
void shares_started(struct shares *shares, struct sl_pass *pass, sl_job job);
void shares_stopped(struct shares *shares, struct sl_pass *pass, sl_job job, enum sl_preempt how);
void shares_resumed(struct shares *shares, struct sl_pass *pass, sl_job job);

/* Lottery's counters in `world`: draws made, and the party that has won and not started yet, plus 1. */
enum { WORLD_DRAWS, WORLD_WINNER };
/* It won, and its turn is over. */
void winner_goes(struct shares *shares, struct sl_pass *pass, uint32_t party);

#endif
