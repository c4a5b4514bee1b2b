/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.h - the event loop: events in (time, class, seq) order, one pass per instant.
 *
 * A run is a function of (scenario, policy and its values, seed), and of its handovers to other policies. It
 * holds no global state: any number of runs may go on in one process. sim_run makes one as a whole; in steps
 * it is sim_begin, sim_advance as often as wanted, sim_handover and sim_back between, sim_end. Stopping
 * between instants leaves no trace: what is advanced in steps is what is advanced at once.
 */
#ifndef SL_SIM_H
#define SL_SIM_H

#include <stdatomic.h>
#include <string.h>

#include "sim/scenario/scenario.h"

/* Written by the run's thread now and then, read by a watching thread; but `stop`, which that one writes.
 */
struct sim_progress {
	_Atomic uint64_t events, jobs_ended;
	_Atomic int64_t now;
	_Atomic uint32_t queued;
	_Atomic int phase; /* enum sim_phase */
	_Atomic int stop;  /* enum sim_stop: end soon, SL_INTERRUPTED, with a partial result. */
};
enum sim_phase { SIM_WAITS, SIM_RUNS, SIM_OVER };
enum sim_stop { SIM_GO_ON, SIM_OUT_OF_TIME, SIM_OUT_OF_MEMORY };

enum sim_record {
	SIM_RECORD_USAGE = 1,      /* result.usage */
	SIM_RECORD_REASONS = 2,    /* result.reasons */
	SIM_RECORD_PLACES = 4,     /* result.place */
	SIM_RECORD_HISTORY = 8,    /* All that happened, for sim_handover. */
	SIM_RECORD_DECISIONS = 16, /* result.decision */
	SIM_RECORD_WATCHED = 32,   /* Set where watch->happened is. */
	SIM_RECORD_PACKED = 64,    /* result.usage_log in place of result.usage: no plug-in reads it. */
};

/* An interval of a run under one policy: everything at or before `until` has happened, with this digest. */
struct sim_interval {
	const struct policy_choice *choice; /* From the end of the interval before. */
	sl_time until;
	uint64_t digest, events; /* Of the whole run so far. */
};

/* Is file j of interval i's policy also one before it? For lists of each once. */
static inline bool policy_file_reported(const struct sim_interval *interval, size_t i, size_t j)
{
	const char *path = interval[i].choice->file[j].path;
	for (size_t k = 0; k <= i; k++)
		for (size_t m = 0; m < (k < i ? interval[k].choice->file_count : j); m++)
			if (strcmp(interval[k].choice->file[m].path, path) == 0)
				return true;
	return false;
}

/* A watcher, called by the run's thread; it decides nothing. Each function may be NULL. */
struct sim_watch {
	void *self;
	void (*said)(void *self, const struct sim *sim, const char *text); /* By a policy: sl_say. */
	/* class: of enum sl_event_class, or the digest's (pass.h); SL_EV_CLASS_COUNT is a start. */
	void (*happened)(void *self, struct sim *sim, unsigned class, uint32_t row);
	void (*passed)(void *self, const struct sim *sim); /* A pass is over. */
};

/* Points of usage as they come, of a run without a handover: they are not kept then. */
struct sim_usage_sink {
	void *self;
	void (*take)(void *self, const struct sl_cluster *cluster, int64_t cpus,
		const struct sl_usage_point *point);
};

struct sim_options {
	const struct scenario *scenario;
	const struct policy_choice *choice; /* After `history`. */
	uint64_t seed;
	unsigned record;
	bool driven;                   /* sl_query is answered, by sim_answer. */
	bool check;                    /* Invariants after every event, every pass twice. */
	struct sim_progress *progress; /* May be NULL. */
	const _Atomic int *stop; /* Nonzero: end soon, SL_INTERRUPTED, with a partial result. May be NULL. */

	const struct sim_watch *watch;           /* NULL: no watcher. */
	const struct sim_usage_sink *usage_sink; /* With SIM_RECORD_USAGE; NULL: they are kept. */

	/* sim_run: replayed first, and each verified (SL_DIFFERS). With it the digests that the run had after
	 * each 2^16 events, to say where it differs. */
	const struct sim_interval *history;
	size_t history_count;
	const uint64_t *digests;
	size_t digest_count;
};

struct engine; /* engine.h: the parts */

struct sim_run {
	struct engine *engine;
	struct sl_result result; /* Lent from the engine; after sim_end. */
};

/* To scenario->until, or to its end. 0; SL_POLICY: the policy broke its contract; SL_DIFFERS: the history
 * came out otherwise; SL_INTERRUPTED; SL_SYSTEM: no memory. */
int sim_run(struct sim_run *run, const struct sim_options *options, struct sl_err *err);
void sim_release(struct sim_run *run);
/* After its end: usage, reasons and node allocations go out of its result, and what only the loop needs. What
 * is by job, counted or summed stays. Only sim_release may follow. */
void sim_forget(struct sim_run *run);

/* In steps. What options points to is lent for the run's life; history is not read: it begins under `choice`.
 */
int sim_begin(struct sim_run *run, const struct sim_options *options, struct sl_err *err);
/* Everything at or before that time; SL_NEVER: to the end. A time before now does nothing. */
int sim_advance(struct sim_run *run, sl_time until, struct sl_err *err);
/* Its policy has put a question (sl_query): sim_advance stops there, within an instant, until it is answered;
 * UINT32_MAX: none of what was offered. False: no question is open. */
bool sim_asks(const struct sim_run *run);
int sim_answer(struct sim_run *run, uint32_t job, struct sl_err *err);
/* When something happens next; SL_NEVER: never. */
sl_time sim_next(struct sim_run *run);
/* Hands over to another policy, at the time that was advanced to: it gets the history, then a pass. Needs
 * SIM_RECORD_HISTORY. The choice is lent for the run's life. Nothing happens if it is the same one. */
int sim_handover(struct sim_run *run, const struct policy_choice *choice, struct sl_err *err);
/* As it was after everything at or before that time, by a rerun from the beginning with the same handovers;
 * verified. Everything lent from sim is void then. */
int sim_back(struct sim_run *run, sl_time until, struct sl_err *err);
/* Fills result. Only sim_release may follow. */
int sim_end(struct sim_run *run, struct sl_err *err);

/* The intervals of the run: those that ended in a handover, then the present one. NULL
 * when memory is out. Lent until the run goes on. */
const struct sim_interval *sim_intervals(const struct sim_run *run, size_t *count, struct sl_err *err);
/* 0, or SL_DIFFERS: what was found is not what it was. Of both, digests after each 2^16 events. */
int sim_verify(struct sim_run *run, const struct sim_interval *was, const uint64_t *digests,
	size_t digest_count, struct sl_err *err);
/* For the reads of plugin.h: sl_now, sl_state_of, sl_queue_first and their like. */
const struct sim *sim_state(const struct sim_run *run);

#endif
