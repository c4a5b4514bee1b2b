/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.h - the engine's state, and the journal through which a pass changes it.
 *
 * What plugin.h calls a pass is this struct: a policy is shown it only between
 * pass_begin and pass_commit. Every command changes the state at once and
 * leaves an action that can take it back; what leaves the pass (events, the
 * digest, reasons) is made from the actions when it commits.
 */
#ifndef SL_PASS_H
#define SL_PASS_H

#include "sim/cluster.h"
#include "sim/evq.h"
#include "sim/profile.h"
#include "sim/queue.h"
#include "sim/sim.h"

enum action_kind {
	ACTION_START,   /* was: the promise it held */
	ACTION_CANCEL,  /* was: the promise it held */
	ACTION_PROMISE, /* was: the one before, SL_NONE */
	ACTION_HEAD,    /* was: the head before */
	ACTION_REASON,  /* now: reason and detail */
	ACTION_WAKE,    /* was: the wake before */
	ACTION_TIMER,   /* now: the time; job: the row */
	ACTION_LEDGER,  /* was: the amount before; job: the ledger, now: the row */
	ACTION_FREED,   /* was: the place of the freed intervals before, in freed_kept; now: promises_broken
			   before */
};

struct action {
	enum action_kind kind;
	uint32_t job;
	int64_t was, now;
};

struct ledger {
	const char *name;
	int64_t *amount;
	uint32_t rows;
};

enum { FREED_MAX = SL_OR_TINY(16, 2) };

/* Where capacity was freed since the promises were last compressed: sorted, disjoint. A superset will do:
 * when there are too many, neighbours are joined. */
struct freed {
	struct freed_interval {
		sl_time from, until;
	} at[FREED_MAX];
	uint32_t count;
	bool early; /* Something was freed before its time: the promises are to be compressed. */
};

struct sl_pass {
	const struct scenario *scenario;
	const struct sl_jobs *jobs;
	struct sl_arena *arena;
	struct sim_options options;
	const struct sl_policy *policy;
	void *state;

	/* The world at `now`. */
	sl_time now;
	uint32_t submitted; /* Rows below are submitted; a submitted PENDING one is in the queue. */
	uint32_t running;
	int64_t cpus_queued;
	struct cluster cluster;
	struct queue queue, fill; /* fill: the candidates' own order; in use if SL_USE_FILL. */
	struct profile profile;   /* Of cpus: ends of what runs, starts and ends of what is promised. */
	struct evq events;

	/* Columns by job. */
	sl_time *start, *end;
	uint8_t *job_state;
	const sl_time *estimate; /* The limits, or: */
	sl_time *estimate_own;   /* SL_USE_ESTIMATES */
	double *key, *fill_key;  /* SL_USE_KEYS, SL_USE_FILL */
	sl_time *promise;        /* SL_USE_PROMISES; SL_NONE: none. */
	enum sl_reason reason_default;
	unsigned uses;

	/* Jobs that run past their estimate: taken to end at the next whole second, anew in each pass. */
	struct evq overruns; /* (estimated end, job) of those that will. */
	sl_time settled;     /* The last pass: an estimated end no later is overdue. */
	sl_time overdue_at;  /* Where the profile has their end now. */
	int64_t overdue_cpus;

	/* Promises. */
	struct evq due;       /* (promise, job); stale if it is not the job's promise any more. */
	uint32_t *unpromised; /* Waiting jobs without one. */
	size_t unpromised_count, unpromised_capacity;
	struct freed freed;
	struct freed *freed_kept; /* For sl_undo. */
	size_t freed_kept_count, freed_kept_capacity;
	bool promises_broken;
	uint32_t *scratch; /* For sorting rows. */
	size_t scratch_capacity;

	/* The journal. */
	struct action *action;
	size_t action_count, action_capacity;
	uint32_t marks; /* Open ones. */
	bool open;      /* A pass is going on. */
	int status;     /* The first failure inside a command. */
	struct sl_err err;

	uint32_t head; /* The job whose reason is Resources, UINT32_MAX. */
	sl_time wake;  /* SL_NEVER: none. */
	struct ledger *ledger;
	size_t ledger_count, ledger_capacity;

	/* What the run leaves. */
	struct sl_reason_change *reason;
	size_t reason_count, reason_capacity;
	struct sl_usage_point *usage;
	size_t usage_count, usage_capacity;
	uint64_t *digests;
	size_t digest_count, digest_capacity;
	uint64_t digest, events_applied, passes, ended;
	unsigned __int128 idle_fitting, idle_wanted;
};

/* The time of an end, without overflow. */
static inline sl_time time_after(sl_time start, sl_time length)
{
	return length > SL_NEVER - start ? SL_NEVER : start + length;
}

static inline bool is_waiting(const struct sl_pass *pass, uint32_t job)
{
	return job < pass->submitted && pass->job_state[job] == SL_PENDING;
}

/* Keeps the first failure; commands go on as if nothing happened, the loop ends the run. */
void pass_failed(struct sl_pass *pass, int status);

void pass_begin(struct sl_pass *pass);
/* Events, digest and reasons of what was done; nonzero if something failed. */
int pass_commit(struct sl_pass *pass);

/* Called by the loop, outside a pass. */
void queue_job(struct sl_pass *pass, uint32_t job);   /* Into the queue. */
void unqueue_job(struct sl_pass *pass, uint32_t job); /* Out of it; its promise goes. */
void end_job(struct sl_pass *pass, uint32_t job, enum sl_state state);
void pass_digest(struct sl_pass *pass, unsigned class, uint32_t row);

/* Takes note of a command, for sl_undo and pass_commit. */
void act(struct sl_pass *pass, struct action action);
void unpromised_put(struct sl_pass *pass, uint32_t job);

/* promises.c */
void promise_put(struct sl_pass *pass, uint32_t job, sl_time at);
void promise_take(struct sl_pass *pass, uint32_t job);
void freed_add(struct freed *freed, sl_time from, sl_time until);
sl_time promise_next(struct sl_pass *pass); /* SL_NEVER: none. */
bool row_before(const struct sl_pass *pass, uint32_t a, uint32_t b);
int sort_rows(struct sl_pass *pass, uint32_t *row, size_t count);

/* check.c: stops the program if the state is not whole. */
void check_state(struct sl_pass *pass);
uint64_t check_digest(struct sl_pass *pass);

#endif
