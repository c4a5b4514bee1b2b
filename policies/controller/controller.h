/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * controller.h - between the engine and a scheduler with accounting of its own: slurmctld, Kueue, KAI,
 * kube-scheduler.
 *
 * The scheduler gets each event, which changes its state at once, and runs as the last event of an instant
 * and when something is due. Its decisions are orders, which the pass that follows hands to the engine: so a
 * rerun pass does the same.
 *
 * A scheduler's state begins with its struct controller, so that the policy's vtable names controller_pass,
 * controller_event and controller_requeues themselves.
 */
#ifndef POLICIES_CONTROLLER_CONTROLLER_H
#define POLICIES_CONTROLLER_CONTROLLER_H

#include "sim/plugin.h"

#define CONTROLLER_NOBODY UINT32_MAX

enum order_what {
	ORDER_START, /* On its node allocations; tasks, if not 0, of an elastic one. */
	ORDER_RESIZE,
	ORDER_END,
	ORDER_DROP, /* The end of one that waits. */
	ORDER_REFUSE,
	ORDER_REQUEUE,
	ORDER_CHECKPOINT,
	ORDER_SUSPEND,
	ORDER_RESUME,
	ORDER_REASON,
	ORDER_ELIGIBLE,
	ORDER_PLAN
};
struct order_by {
	enum sl_rule rule;
	uint32_t beneficiary; /* The beneficiary; CONTROLLER_NOBODY. */
};
struct order {
	enum order_what what;
	uint32_t row;
	struct order_by cause;
	enum sl_state state; /* That it ends or is requeued in. */
	enum sl_reason reason;
	sl_time at;      /* ELIGIBLE, PLAN. */
	const char *why; /* REFUSE. */
	size_t node_alloc, node_alloc_count;
	uint32_t tasks;
};

/* What the scheduler is to do at a time: `what` is its own word for it. */
struct due {
	sl_time at;
	uint64_t seq; /* Ties: in the order in which they were put down. */
	int what;
	uint32_t row, stamp, task;
};

/* The scheduler's side; state: its own. */
struct controller_calls {
	void (*hear)(void *state, sl_time now); /* Before an event of that time is reported to it. */
	void (*submit)(void *state, uint32_t row);
	/* It is submitted, and is to begin then. NULL: begin times are the scheduler's own affair. */
	void (*later)(void *state, uint32_t row, sl_time begin);
	void (*over)(void *state, uint32_t row, bool cancelled);
	void (*lost)(void *state, uint32_t row); /* A failure by a model: it waits again. */
	void (*node)(void *state, uint32_t node, bool up, bool drained);
	void (*run)(void *state); /* All events of the instant are reported. */
	/* After each: when it is to run next; SL_NEVER. reported: any event but its timer. */
	sl_time (*next)(void *state, bool reported);
};

struct controller {
	const char *policy;
	const struct controller_calls *calls;
	const struct sl_jobs *jobs;
	const struct sl_pass *pass; /* Of the event reported to it; NULL: none yet. */
	int status;                 /* The first failure. */
	struct sl_err err;
	sl_time now, woken;           /* woken: the engine comes by then; SL_NEVER. */
	sl_time changed;              /* The last order that moves a job, or reported event. */
	uint32_t reported;            /* Jobs that were submitted, or are another policy's. */
	bool dependencies;            /* The engine follows them: who waits for others counts as reported. */
	uint32_t timer;               /* The row of its timers. */
	uint32_t types;               /* Kinds of GPU. */
	struct order_by cause;        /* By which orders are. */
	uint64_t for_pass, next_pass; /* Orders are for that pass; the next one. */
	struct order *order;
	struct sl_node_alloc *node_alloc;
	uint32_t *gpus; /* By node allocation and type. */
	size_t order_count, order_capacity, node_alloc_count, node_alloc_capacity, gpus_capacity;
	uint8_t *reason; /* By job: enum sl_reason, as reported last. */
	const struct sl_cluster *cluster;
	uint32_t *lost;    /* By job: times that it failed, and was requeued. */
	int64_t *may_lose; /* By job: one more than it may fail so; 0: it never failed. */
	bool *runs;        /* By job: the engine has it run, or an order to start it. */
	struct due *due;   /* A binary heap. */
	size_t due_count, due_capacity;
	uint64_t due_seq;
	enum sl_reason anew; /* The engine's of one that waits anew; SL_REASON_COUNT: any is reported. */
};

/* Zeros but for policy, calls, by, timer and anew. All jobs begin with the reason `first`, as the engine has
 * it. */
int controller_make(
	struct controller *c, const struct sl_setup *setup, enum sl_reason first, struct sl_err *err);
void controller_release(struct controller *c);

void controller_failed(struct controller *c, int status); /* Keeps the first failure. */
void controller_no_memory(struct controller *c);
void controller_take_err(struct controller *c, const struct sl_err *err); /* If it is one. */
/* False: it failed, or no job waits for its result any more. */
bool controller_goes_on(const struct controller *c);
/* Capacity for so many elements; array: the address of its pointer. False: no memory, and the run has failed.
 */
bool controller_reserve(struct controller *c, void *array, size_t *capacity, size_t size, size_t wanted);
bool controller_stops(const void *c); /* No job waits. For rules with no other events. */

/* An order for the next pass, with the rest to be set; valid until the next one. NULL: no memory. */
struct order *controller_order(struct controller *c, enum order_what what, uint32_t row);
/* Why it waits, unless it runs or that was reported. */
void controller_reason(struct controller *c, uint32_t row, enum sl_reason reason);
/* The latest order, of a start, is carried out at once: of a job that ran before the run began. */
void controller_runs_on(struct controller *c, struct sl_pass *pass);
/* What was ordered for it at this instant is void. */
void controller_forget(struct controller *c, uint32_t row);
/* One more node allocation of the latest order, of nothing yet. NULL: no memory. Its GPUs, by type: */
struct sl_node_alloc *controller_keep(struct controller *c, struct order *order, uint32_t node);
uint32_t *controller_gpus(const struct controller *c, const struct sl_node_alloc *node_alloc);
/* These; lent. */
void controller_keep_all(
	struct controller *c, struct order *order, const struct sl_node_alloc *node_alloc, size_t count);
/* Puts it down (SL_NEVER: not), for now at the earliest. */
void controller_due(struct controller *c, struct due due);
sl_time controller_due_next(const struct controller *c);        /* SL_NEVER: nothing is due. */
bool controller_due_pop(struct controller *c, struct due *due); /* What is due by now. */
/* The engine comes by then, if it does not before. */
void controller_wake(struct controller *c, struct sl_pass *pass, sl_time at);

/* Jobs say when they may start, and no rule reads it: dependencies, holds; begin times. */
/* Dependencies and limits of arrays are followed by the engine where all jobs are this policy's:
 * SL_USE_DEPENDENCIES, or 0. */
unsigned controller_use_dependencies(const struct sl_setup *setup);
void controller_warning_gates(const struct sl_setup *setup, bool begins, const char *what);
/* "7 jobs (a first): what". */
void controller_warning(const struct sl_setup *setup, uint32_t count, uint32_t first, const char *what);

/* Of struct sl_policy. */
void controller_pass(void *state, struct sl_pass *pass);
void controller_event(void *state, struct sl_pass *pass, const struct sl_event *event);
bool controller_requeues(void *state, struct sl_pass *pass, sl_job job);

/* What the job says beyond size and time; NULL: nothing. */
const struct sl_job_attributes *controller_more_of(const struct sl_jobs *jobs, uint32_t row);
/* ---- controller_failures.c: so often a job may fail, and is requeued; INT64_MAX: always. */
int64_t controller_losses(const struct sl_pods *pods);

#endif
