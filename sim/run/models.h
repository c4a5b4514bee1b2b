/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models.h - models in a run: what is reported to them, jobs' speeds, failures.
 *
 * A model gets starts and ends once they are committed: what a pass does is recorded as it commits, and
 * reported at the end of the instant, in the order in which it happened. Then each model is settled, and then
 * the speeds that changed take effect, once for all of them. What that makes happen at the same instant is
 * followed by another round. sl_undo reaches nothing of this: speeds, failures and nodes change between
 * passes alone.
 *
 * models.c reports; job_progress.c counts work; speeds.c has speeds and end events; job_failures.c ends jobs
 * and sets nodes down.
 */
#ifndef SL_MODELS_H
#define SL_MODELS_H

#include "sim/base/intset.h"
#include "sim/run/engine.h"

enum { MODELS_MAX = 15, MODEL_ROW_BITS = 28, PART_BITS = 32 };
enum { MODEL_NOBODY = 15 }; /* In place of a model's number: the row is a deferred job that is released. */

/* What is to be reported. */
struct reported {
	enum reported_what { REPORTED_STARTED, REPORTED_LEFT, REPORTED_NODE_DOWN, REPORTED_NODE_UP } what;
	enum sl_left how;  /* REPORTED_LEFT */
	uint32_t row;      /* Job, or node. */
	uint32_t attempts; /* REPORTED_STARTED: only if the job still runs in that attempt. */
};

/* A figure that a model publishes (sl_model_set_figure). */
struct displayed {
	const char *name;
	int64_t value;
};

struct models {
	struct instance {
		const struct sl_model *model;
		void *state;
	} of[MODELS_MAX];
	uint32_t count;
	uint32_t current;    /* The model whose function is being called. */
	bool sizes;          /* One of them counts work by size: the engine's own proportion does not. */
	bool may_hold;       /* One of them has `ends`. */
	uint32_t node_alloc; /* The job for which `ends` is being called; UINT32_MAX: none. */

	/* By job. */
	uint64_t *factor;       /* Of each model, `count` a job. */
	uint16_t *knows;        /* Bit i: its start was reported to model i, */
	uint16_t *holds;        /* or has it keep its allocation though its work is done. */
	uint64_t *end_seq;      /* Of its end event. */
	sl_time *noted;         /* The estimated end of which there is a note that it will be overdue. */
	struct intset replaced; /* End events, by seq, that were replaced as speeds changed. */
	uint32_t *changed;      /* Jobs whose factors changed, each once. */
	size_t changed_count, changed_capacity;
	bool *is_changed;

	struct reported *reported; /* From reported_next on. */
	size_t reported_next, reported_count, reported_capacity;
	uint64_t events_seen; /* Events as of the instant before; */
	uint32_t stalled;     /* instants in a row at which there were no more. */
	bool stopped;         /* No job is left. */
	sl_time over;  /* All jobs were, then: what is left to happen is of no job. SL_NONE: some never were.
			*/
	uint32_t idle; /* Instants in a row at which models alone did something and nothing ran. */

	struct displayed *displayed;
	size_t displayed_count, displayed_capacity;

	/* job_failures.c */
	struct sl_node_change *node_change;
	size_t node_change_count, node_change_capacity;
	uint32_t *down, *drained;    /* By node: how many times. */
	uint8_t *ready;              /* By node: enum sl_ready. */
	sl_time *expected;           /* By node that is down; SL_NEVER: not known. */
	uint32_t *unavailable;       /* Nodes that are either, in no order; */
	uint32_t *unavailable_place; /* and where each stands there, + 1. */
	uint32_t nodes_unavailable;
	uint32_t deferred; /* Jobs that wait outside the queue, with a timer each. */
	/* Free on unavailable nodes: since that time, integrated from the first submission until then, and
	 * until a job last ended. */
	sl_time missing_since;
	int64_t missing_now[SL_KINDS_MAX];
	bool missing_counts; /* A job was submitted. */
	unsigned __int128 missing[SL_KINDS_MAX], missing_at_end[SL_KINDS_MAX];
	uint64_t ended_before;
};

/* What models need of the run is requested before memory is allocated; then they are made; then they begin.
 */
int models_query(struct sim *sim, struct sl_err *err);
int models_init(struct sim *sim, struct sl_err *err);
void models_begin(struct sim *sim);
void models_release(struct sim *sim);
/* The reports of the policy, then of each model, in the order in which they are settled. */
int all_reported(struct sim *sim, struct sl_result *result, struct sl_err *err);
int models_results(struct sim *sim, struct sl_result *result, struct sl_err *err);

/* commit.c: nodes that are not back when they were expected are expected at the next second. */
void models_pass_begins(struct sim *sim);

/* commit.c: recorded, to be reported. fresh: it starts at speed one; else its size changed. */
void models_started(struct sim *sim, uint32_t job, bool fresh);
void models_left(struct sim *sim, uint32_t job, enum sl_left how);
void models_note(struct sim *sim, struct reported reported);
void models_timer(struct sim *sim, uint32_t row);
/* Its work is done. True: a model has it keep its allocation. */
bool models_defer(struct sim *sim, uint32_t job);
/* Reports what happened, settles, and applies speeds. True: more happens at this instant. */
bool models_settle(struct sim *sim);
/* Once nothing is left to happen but what models do for themselves: no more events of models. True: no event
 * is to come, and for long none came. */
bool models_over(struct sim *sim);

/* job_failures.c: its time outside the queue may be over. */
void models_released(struct sim *sim, uint32_t job);

/* speeds.c */
void speeds_apply(struct sim *sim);
void speeds_reset(struct sim *sim, uint32_t job);
bool speeds_replaced(const struct sim *sim, const struct ev *ev);
uint64_t speeds_product(const struct sim *sim, uint32_t job);
/* All its work is done, and it keeps its allocation, so that only its limit may end it. */
void speeds_done(struct sim *sim, uint32_t job);
void speeds_pause(struct sim *sim, uint32_t job);

#endif
