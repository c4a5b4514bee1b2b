/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * composed.h - a policy built from parts chosen by name: an order (which job is first), a plan (which start
 * now, which have a reservation), an estimate (the runtime that the plan assumes), a placement (on which
 * nodes). Each part is one row of its table.
 *
 * An order is of jobs (a score each), or of share holders: users, accounts or partitions (fair_shares.h).
 */
#ifndef SL_COMPOSED_H
#define SL_COMPOSED_H

#include "sim/plugin.h"

/* What a score may depend on. Seconds; limit is the estimate in effect. */
struct facts {
	double submit, wait, size, limit, user;
};

enum {
	PARAM_ORDER,
	PARAM_PLAN,
	PARAM_FILL,
	PARAM_ESTIMATE,
	PARAM_SHADOW,
	PARAM_SPARE,
	PARAM_ARRIVALS,
	PARAM_WAIT,
	PARAM_QUEUES,
	PARAM_COMPAT,
	PARAM_PLACE,
	PARAM_TIES,
	PARAM_BY, /* From here on: of those parts only that say so in `takes`. */
	PARAM_WEIGHTS,
	PARAM_HALF_LIFE,
	PARAM_INITIAL,
	PARAM_CHARGE,
	PARAM_COST,
	PARAM_BLOCKED,
	PARAM_DEPTH,
	PARAM_SLACK,
	PARAM_SLACK_TIME,
	PARAM_TRIES,
	PARAM_QUANTUM,
	PARAM_ROWS,
	PARAM_ALTERNATE,
	PARAM_QUOTAS,
	PARAM_PREEMPT,
	PARAM_MOLDABLE,
	PARAM_GROW,
	PARAM_POWER,
	PARAM_HOLD,
	PARAM_HOLD_ABOVE,
	PARAM_HOLD_WAIT,
	PARAM_ADMIT,
	PARAM_COUNT
};
#define TAKES(param) (UINT64_C(1) << (param))
/* Of plans that start jobs through composed_start alone, one at a time. */
#define TAKES_POWER (TAKES(PARAM_POWER) | TAKES_HOLD)
#define TAKES_HOLD  (TAKES(PARAM_HOLD) | TAKES(PARAM_HOLD_ABOVE) | TAKES(PARAM_HOLD_WAIT) | TAKES(PARAM_ADMIT))
extern const struct sl_param composed_params[PARAM_COUNT];

struct expr; /* expr.c: a user's expression, compiled. */
struct part; /* scripted.c: a script. */

struct order {
	const char *name;
	const char *formula; /* For people: lower first. */
	const char *paper;
	bool waits;  /* Depends on the wait: recomputed once a pass. */
	bool by_row; /* Submit order itself: needs no key. */
	double (*score)(const struct facts *facts);
	const struct fair_share *fair_share; /* In place of a score: an order of share holders. */
	uint64_t takes;
};

/* An order in use: of the table, an expression, or a script's. */
struct ordering {
	const struct order *order; /* NULL: expr, or script. */
	struct expr *expr;
	struct part *part;
	bool waits, by_row;
};

struct composed;

struct plan {
	const char *name;
	const char *summary;
	const char *paper;
	unsigned uses; /* enum sl_use */
	enum sl_reason reason;
	uint64_t takes;
	bool fills;               /* Backfills from behind the head: `fill` means something. */
	bool fills_by_submission; /* fill=queue: in the order of submission, whatever the queue's. */
	bool shadows;             /* `shadow` and `spare` mean something. */
	bool turns;     /* Calls composed_first for the next job, so that an order by lottery will do. */
	bool parts;     /* Never reads the queue in order: goes by share holders. */
	bool own_order; /* Accepts no order but that of submission. */
	bool stops;     /* Suspends jobs, which allocators of cores and devices do not support. */
	bool lanes;     /* It goes by lanes: queues=partition means something. */
	const char *lanes_not; /* Else why not, for the message; NULL: there is nothing particular. */
	bool notes;            /* It reads what happened since the last pass: since_note. */
	int (*init)(
		struct composed *composed, const struct sl_setup *setup, struct sl_err *err); /* Optional. */
	void (*pass)(struct composed *composed, struct sl_pass *pass);
	double (*key)(
		const struct sl_pass *pass, sl_job job); /* Its own queue order; NULL: the chosen one. */
	void (*submitted)(struct composed *composed, struct sl_pass *pass, sl_job job); /* Optional. */
	void (*ended)(
		struct composed *composed, struct sl_pass *pass, sl_job job); /* Or cancelled. Optional. */
	/* Optional: the previous plan's decisions, for plans with accounting of their own starts. */
	void (*beyond)(struct composed *composed, struct sl_pass *pass, sl_job job,
		enum sl_history_command what, enum sl_preempt how);
	/* Optional: a node is up again, or a deferred job is back in the queue. */
	void (*opened)(struct composed *composed, struct sl_pass *pass);
};

struct estimate {
	const char *name;
	const char *summary;
	unsigned uses;
	int (*init)(
		struct composed *composed, const struct sl_setup *setup, struct sl_err *err); /* Optional. */
	void (*submitted)(struct composed *composed, struct sl_pass *pass, sl_job job);       /* Optional. */
	void (*ended)(struct composed *composed, struct sl_pass *pass, sl_job job);           /* Optional. */
	void (*expired)(struct composed *composed, struct sl_pass *pass, sl_job job);         /* Optional. */
};

struct user_history; /* estimate.c */
struct fair_shares;  /* fair_shares.h */

struct composed {
	struct ordering order, fill;
	struct fair_shares *fair_shares; /* NULL: an order of jobs. */
	void *own;                       /* The plan's. */
	const struct sl_value *values;   /* By PARAM_. */
	const struct plan *plan;
	const struct estimate *estimate;
	struct user_history *history;
	size_t history_count;
	enum sl_spare spare;
	bool frozen, fill_none, fitting, wait_published;
	bool hears;          /* Some part reads events. */
	sl_ledger since;     /* since.c: what happened after the last pass. */
	sl_ledger head;      /* What the plan remembers of each lane's head: enum head_row. */
	struct lanes *lanes; /* NULL: one queue. */
	uint32_t lane_count;
	uint8_t *corrections;           /* By job: how often its prediction was corrected. */
	struct part *parts;             /* scripted.c: all scripts of the run; */
	struct part *predicts, *admits; /* those of `estimate` and `admit`. */
	bool gated;                     /* composed_power.c: starts are looked at. */
	sl_ledger admitted;
};

/* composed_power.c: whether a job may start under the power cap and the power price; and that it has started.
 */
void gate_init(struct composed *composed, const struct sl_setup *setup);
bool gate_opens(struct composed *composed, struct sl_pass *pass, sl_job job);
void gate_passed(struct composed *composed, struct sl_pass *pass, sl_job job);

/* scripted.c: parts that are functions of a script. The one of a parameter, which must have the function;
 * NULL: the parameter names none. */
int part_init(struct composed *composed, struct part **part, const struct sl_setup *setup, unsigned which,
	const char *function, struct sl_err *err);
void parts_release(struct composed *composed);
bool part_waits(const struct part *part, const char *function); /* With the start time, too. */
double part_key(const struct part *part, const char *function, struct sl_pass *pass, sl_job job);
/* "submitted", "ended": to all that have it. */
void parts_reported(const struct composed *composed, const char *function, struct sl_pass *pass, sl_job job);
int scripted_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err);
void scripted_submitted(struct composed *composed, struct sl_pass *pass, sl_job job);
void scripted_expired(struct composed *composed, struct sl_pass *pass, sl_job job);
bool admit_opens(const struct composed *composed, struct sl_pass *pass, sl_job job);

/* since.c: submissions and ends since the plan's last pass; its notes are undone with the pass. */
int since_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err);
void since_note(struct composed *composed, struct sl_pass *pass, const struct sl_event *event);
bool since_ended(
	const struct composed *composed, const struct sl_pass *pass); /* Anything but a submission. */
bool since_came(const struct composed *composed, const struct sl_pass *pass);
/* The jobs that came and still wait, in order; before: SL_JOB_NONE for the first. */
sl_job since_next(const struct composed *composed, const struct sl_pass *pass, sl_job before);
void since_forget(struct composed *composed, struct sl_pass *pass);

/* Of composed->head, for each lane. */
enum head_row {
	HEAD_JOB, /* Its row + 1; 0: there is none. */
	HEAD_AT,  /* Its shadow. */
	HEAD_ROWS
};
int head_init(struct composed *composed, const struct sl_setup *setup);
void head_set(const struct composed *composed, struct sl_pass *pass, sl_job job, sl_time at);
/* Its shadow, if the job is the one that is remembered; SL_NONE. */
sl_time head_at(const struct composed *composed, const struct sl_pass *pass, sl_job job);
sl_job head_job(const struct composed *composed, const struct sl_pass *pass, uint32_t lane);

extern const struct sl_policy policy_composed;
extern const struct sl_compat composed_compats[]; /* Closed by a NULL value. */
extern const struct plan plan_fcfs, plan_greedy, plan_easy, plan_conservative, plan_recorded, plan_share,
	plan_depth, plan_slack, plan_gang, plan_slices, plan_quota, plan_commit, plan_easy_named,
	plan_conservative_named, plan_loss, plan_srtf, plan_elastic;
extern const struct estimate estimates[];

/* Commands of plans: the order learns of them. */
/* With so many tasks; 0: as asked. */
bool composed_start_sized(struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t tasks);
static inline bool composed_start(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	return composed->gated || composed->fair_shares ? composed_start_sized(composed, pass, job, 0)
							: sl_start(pass, job);
}
bool composed_preempt(struct composed *composed, struct sl_pass *pass, sl_job job, enum sl_preempt how);
bool composed_resume(struct composed *composed, struct sl_pass *pass, sl_job job);
void composed_undo(struct composed *composed, struct sl_pass *pass, sl_marked mark);
/* The next job. */
sl_job composed_drawn(struct composed *composed, struct sl_pass *pass); /* By share holders. */
static inline sl_job composed_first(struct composed *composed, struct sl_pass *pass)
{
	return composed->fair_shares ? composed_drawn(composed, pass) : sl_queue_first(pass);
}
/* Starts each job with a reservation for now, in queue order. */
void composed_start_due(struct composed *composed, struct sl_pass *pass);

/* "sjf", or "expr:..." */
int ordering_init(struct ordering *ordering, const char *text, struct sl_arena *arena, struct sl_err *err);
double ordering_score(const struct ordering *ordering, const struct facts *facts);
struct facts facts_of(const struct sl_pass *pass, sl_job job);

struct expr *expr_compile(const char *text, struct sl_arena *arena, struct sl_err *err);
double expr_value(const struct expr *expr, const struct facts *facts);
bool expr_waits(const struct expr *expr);

/* Results of libm may differ in their last bits between machines: rounded to 40 significant bits they do not,
 * but for a chance of some 2^-11 a million distinct values. */
double steady(double value);

#endif
