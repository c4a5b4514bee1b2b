/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.h - the engine's state, and the journal through which a pass changes it.
 *
 * What plugin.h calls a pass is struct sim: a policy may change it only between pass_begin and pass_commit.
 * Every command changes the state at once and leaves an action that can undo it; what leaves the pass
 * (events, the digest, reasons) is made from the actions when it commits.
 */
#ifndef SL_PASS_H
#define SL_PASS_H

#include "sim/nodes/nodes.h"
#include "sim/result/usage_log.h"
#include "sim/run/eligibility.h"
#include "sim/run/feedback.h"
#include "sim/run/sim.h"
#include "sim/state/cluster.h"
#include "sim/state/evq.h"
#include "sim/state/profile.h"
#include "sim/state/queue.h"

enum action_kind {
	ACTION_START,    /* was: its promise before; now: its progress before, in progress_kept, or -1 */
	ACTION_CANCEL,   /* was: its promise before; now: as above */
	ACTION_END,      /* was: its promise before; now: as above; why: of one that is refused */
	ACTION_PREEMPT,  /* was: see preempted_as; now: as above */
	ACTION_RESUME,   /* now: as above */
	ACTION_RESIZE,   /* now: as above */
	ACTION_RESERVE,  /* job: the window */
	ACTION_PROMISE,  /* was: the one before, SL_NONE */
	ACTION_HEAD,     /* was: the head before; now: its reason */
	ACTION_REASON,   /* now: reason and detail; was: of a head that stays: the reason before, and 1; of
			  * others   (SL_USE_REASONS): the same, 16 bits higher */
	ACTION_ELIGIBLE, /* was: since when it was before */
	ACTION_WAKE,     /* was: the wake before */
	ACTION_TIMER,    /* now: the time; job: the row */
	ACTION_LEDGER,   /* was: the amount before; job: the ledger, now: the row */
	ACTION_FREED,    /* was: the place of the freed intervals before, in freed_kept; now: promises_broken
			    before */
	ACTION_CAUSE,    /* SIM_RECORD_DECISIONS: job: the beneficiary; was: rule and beneficiary before; now:
			    the rule */
	ACTION_PLAN,     /* As above: now: the planned start; job UINT32_MAX: all that was reported is void */
};

struct action {
	enum action_kind kind;
	uint32_t job;
	int64_t was, now;
	const char *why;
};

/* Of ACTION_PREEMPT: how, and in which state the attempt ended. */
static inline int64_t preempted_as(enum sl_preempt how, enum sl_state state)
{
	return (int64_t)how | (int64_t)state << 8;
}
static inline enum sl_preempt preempted_how(const struct action *action)
{
	return (enum sl_preempt)(action->was & 0xff);
}

/* SL_USE_PREEMPT: a job's progress over several starts. Work is counted in microseconds at full size. */
struct progress {
	sl_time began;            /* The attempt. */
	sl_time since;            /* Running without a break or a change of size; */
	sl_time work;             /* what the attempt did before that, */
	sl_time kept;             /* and the attempts before it, as far as a checkpoint kept it. */
	sl_time load;             /* Of its time, from the start on, it only loads a checkpoint; */
	sl_time loading;          /* of that, left as of `since`. */
	sl_time due;              /* Its end event; others are stale. SL_NEVER: it does not run. */
	sl_time stopped;          /* Suspended since; SL_NONE: it is not. */
	sl_time suspended;        /* Before, in this attempt, */
	sl_time suspended_before; /* and in those before it. */
	uint32_t tasks;           /* Allocated, if it was resized; 0: as requested. */
	uint32_t before, next;    /* Neighbours in the list of what runs, by start. */
	uint32_t attempts;
	bool overdue; /* It outlived its estimate (allocation.c). */
	/* With models (speeds.c). `work` and `kept` above are then the time that limit and estimate count,
	 * and the work itself is: */
	sl_time done;       /* of this attempt, */
	sl_time done_kept;  /* and kept from those before; */
	sl_time done_lost;  /* what they did and was not kept; */
	sl_time counted;    /* `done` goes up to then. */
	uint64_t speed;     /* Of all models together. */
	uint32_t done_part; /* Of `done`, beyond whole microseconds: in 2^-32. */
	bool cut;           /* Its end event is its limit's. */
	bool finished;      /* Its work is done, and a model has it keep its allocation. */
};
#define PROGRESS_NONE \
	(struct progress) { .due = SL_NEVER, .stopped = SL_NONE, .speed = SL_SPEED_ONE }

/* A job's progress before a command changed it, with what goes along. */
struct progress_kept {
	struct progress progress;
	sl_time estimate, start;
	enum sl_state state;
};

/* The head of the queue, whose reason is Resources, or the window that keeps it. UINT32_MAX: none. */
struct head {
	uint32_t job;
	enum sl_reason reason;
};

/* Several queues (lanes.c), beside that of all that waits. */
struct lanes {
	struct lane {
		struct queue queue, fill;
		struct head head; /* In place of sim.head. */
	} * lane;
	uint32_t count;
	uint64_t *busy; /* Bit i: a job waits in lane i. */
	uint32_t *of;   /* By job. */
	struct queue_pool queue_pool, fill_pool;
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

/* One entry of a run's history: the arguments of digest_fold. */
struct history_event {
	sl_time time;
	uint32_t row;
	uint32_t class; /* enum sl_event_class, or the digest's, below. */
};

/* A gauge that is recorded, and its series so far. */
struct followed {
	const struct sl_gauge *gauge;
	void *state;
	struct sl_gauge_point *point;
	size_t count, capacity;
};

struct ending {
	struct ev ev;
	bool freed; /* Its allocation is free already. */
};

/* Why a round of an instant needs a pass (sim.c: the loop). */
enum needs_pass {
	NEEDS_ROUND = 1,    /* There are no models: each round has one. With models: */
	NEEDS_EVENT = 2,    /* something happened that is reported to policies, */
	NEEDS_MODEL = 4,    /* a model changed what they read, before the round or at a timer of its own, */
	NEEDS_DUE = 8,      /* a policy requested a pass now, or a promise is due, */
	NEEDS_OPENING = 16, /* or a job is released now. */
	NEEDS_CAUSES = 31,
	/* rules.pass_per_event: each event has a pass of its own, and only what is due needs one more; */
	NEEDS_OWN = 32,
	NEEDS_SERVED = 64, /* not even that, where it was the last event that had its own. */
	NEEDS_ASKED = 128  /* Set by models as they change what policies read; stays until a pass begins. */
};

/* Where an instant is that stopped at a question: before it, among its events, behind them. */
struct sim_instant {
	enum instant_at { INSTANT_NEW, INSTANT_EVENTS, INSTANT_PASSED } at;
	int rounds;      /* So far. */
	unsigned needed; /* enum needs_pass: of all its rounds; 0: nothing in it was anything to a policy. */
};

/* What idles, over time: while a waiting job would have fitted, and as much of it as was requested. */
enum resource { OF_CPUS, OF_GPUS, OF_MEM, RESOURCES };
struct idle_sum {
	unsigned __int128 fitting, wanted;
};

struct sim {
	const struct scenario *scenario;
	const struct sl_jobs *jobs;
	struct sl_arena *arena;
	struct sim_options options;
	const struct sl_policy *policy;
	void *state;

	/* Inside the loop: a counted pool, one queue in one order, and nothing that begins, ends or slows
	 * jobs but submission, start and run time (sim.c:is_plain). Most long runs are; see plain.h. */
	bool plain;

	/* The cluster and the queue at `now`. */
	sl_time now;
	sl_time submits_at; /* plain: the submission of row `submitted`; SL_NEVER: there is none. */
	uint32_t submitted; /* Rows below are submitted; a submitted PENDING one is in the queue, or gated. */
	uint32_t running;
	int64_t cpus_queued;
	struct cluster cluster;   /* A counted pool, or, if there are nodes, their cpus in sum. */
	struct queue queue, fill; /* fill: the candidates' own order; in use if SL_USE_FILL. */
	struct lanes *lanes;      /* NULL: one. */
	struct profile profile;   /* Of cpus: ends of what runs, starts and ends of what is promised. */
	struct evq events;
	struct evq expiries;   /* Estimates that run out, where these come first (rules.submits_first). */
	struct ending *ending; /* rules.early: those that end at `now`, in the order of their starts. */
	size_t ending_count, ending_capacity, ending_next;

	/* On nodes; NULL on a counted pool, whose capacity is `cluster` and `profile`. */
	struct nodes *nodes;
	const struct sl_cluster *info;
	struct models *models;    /* NULL: none is on. */
	const uint8_t *node_mask; /* sl_node_mask; NULL: none. */
	bool courses_lent;        /* There are progress entries for the models alone. */
	struct scorer scorer;
	const struct sl_allocator *allocator; /* NULL: the node scorer chooses. */
	void *allocator_state;
	bool allocator_asked;    /* By the policy that is being made. */
	const uint32_t *request; /* By job. */
	const struct sl_request *requests;
	uint32_t request_count;
	uint8_t *request_class; /* By request: its class in the queue's index. */
	uint64_t *
		refused_at; /* By request: the allocator found nothing when the nodes were at that version. */
	uint32_t *request_waiting; /* By request: jobs in the queue. */
	uint32_t *active;          /* Requests with any, in no order; */
	uint32_t *active_place;    /* and where each stands there. */
	uint32_t active_count;
	int64_t gpus_queued, mem_queued;
	int32_t *nodes_held; /* By job, the largest allocation. */
	int64_t *cpus_held, *gpus_held;
	struct sl_node_tasks *place; /* SIM_RECORD_PLACES; by job: */
	size_t place_total, place_capacity, *place_first;
	uint32_t *place_count;
	int64_t *place_cpus, *place_gpus;     /* The largest allocation since. */
	unsigned __int128 busy[SL_KINDS_MAX]; /* Integrated; on a counted pool only if a job may be preempted,
						 now or after a handover. */

	/* Windows of a counted pool: those of the cluster's, then those of sl_reserve. */
	struct pool_window {
		sl_time from, until;
		int64_t cpus;
	} * window;
	size_t window_count, window_capacity;
	size_t windows_ahead; /* Of them, not yet over. */

	/* Columns by job. */
	sl_time *start, *end;
	uint8_t *job_state;
	struct eligibility *eligibility;     /* NULL: no job says anything more. Else, by job: */
	uint8_t *gated;                      /* Submitted, and not eligible yet. */
	struct feedback *feedback;           /* NULL: submissions are as recorded. */
	sl_time *deferred;                   /* By a model, until then; SL_NONE: not. NULL: none was. */
	sl_time *eligible;                   /* When it was first eligible; SL_NONE: not yet. */
	const sl_time *estimate;             /* The limits, or: */
	sl_time *estimate_own;               /* SL_USE_ESTIMATES */
	uint8_t *reason_now;                 /* SL_USE_REASONS: by job; SL_REASON_COUNT: the default. */
	double *key, *fill_key;              /* SL_USE_KEYS, SL_USE_FILL */
	sl_time *promise;                    /* SL_USE_PROMISES; SL_NONE: none. */
	struct progress *progress;           /* SL_USE_PREEMPT */
	uint32_t run_first, run_last;        /* The list of what runs or is suspended. */
	uint32_t suspended;                  /* Jobs. */
	struct progress_kept *progress_kept; /* For sl_undo and pass_commit. */
	size_t progress_kept_count, progress_kept_capacity;
	enum sl_reason reason_default;
	unsigned uses;
	uint32_t overcommit; /* SL_USE_CONTROL: cpus and GPUs are allocated up to so many times; 0: once. */

	/* Jobs that outlive their estimate: expected to end at the next whole second, again in each pass. */
	struct evq overruns; /* (estimated end, job) of those that will. */
	sl_time settled;     /* The last pass: an estimated end no later is overdue. */
	sl_time overdue_at;  /* Where the profile has their end now. */
	int64_t overdue_cpus;
	uint32_t *overdue; /* On nodes: which. */
	size_t overdue_count, overdue_capacity;

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
	uint32_t polls; /* Questions and commands so far: pass_over. */
	struct sl_err err;

	/* Questions of the policy. */
	uint32_t *answer; /* Rows, UINT32_MAX: none. */
	size_t answer_count, answer_capacity;
	sl_job *offered; /* With the question that is open. */
	size_t offered_count, offered_capacity;
	bool asks; /* The pass stopped at it. */
	struct sim_instant instant;
	unsigned needs_pass; /* enum needs_pass: of the round that goes on. */

	struct head head;
	struct decisions *decisions; /* NULL: not recorded. */
	uint8_t rule_default;        /* As a pass begins. */
	uint8_t rule;                /* Of sl_set_cause, as of now; */
	uint32_t beneficiary;
	sl_time wake; /* SL_NEVER: none. */
	struct ledger *ledger;
	size_t ledger_count, ledger_capacity;

	struct history_event *history; /* SIM_RECORD_HISTORY */
	size_t history_count, history_capacity;
	struct evq *expiring; /* While the history is reported: running jobs' estimates as they run out; else
			       * NULL.
			       */

	struct followed followed[SL_GAUGES_MAX]; /* In the order of the nodes'. */
	uint32_t gauge_count;

	/* What the run leaves. */
	enum sl_reason reason_first; /* The default when it began. */
	sl_time accounted;           /* Integrals go up to here. */
	uint64_t reported;           /* Events and passes, to `progress`. */
	uint32_t runs_on;            /* The job that SL_HISTORY_RUNS asks about; UINT32_MAX: none. */
	uint32_t unfit; /* Jobs that ran when the replay began, by the log, but did not fit: they wait. */
	uint32_t refused, refused_first; /* By the allocator, as they were submitted. */
	const char *refused_why;         /* Of the first. */
	uint32_t refused_last; /* The same of the last: read by the code that has just submitted it. */
	const char *refused_last_why;
	const char *warning[SL_WARNINGS_MAX];
	uint32_t warning_count;
	struct sl_reason_change *reason;
	size_t reason_count, reason_capacity;
	const char **refusal; /* By job: why it was refused; with decisions. NULL: none was. */
	struct sl_usage_log usage_log;
	struct sl_usage_point *usage;       /* Made of it at the end, unless SIM_RECORD_PACKED. */
	struct sl_usage_point usage_before; /* Of a controller, if there was one: */
	bool usage_begun;
	struct sl_attempt *attempt;
	size_t attempt_count, attempt_capacity;
	sl_time *suspended_total;
	struct sl_gauge_series progress_of_gauge[SL_GAUGES_MAX];
	uint64_t *digests;
	size_t digest_count, digest_capacity;
	uint64_t digest, events_applied, passes, ended;
	struct idle_sum idle[RESOURCES];
	/* The same since nothing runs: it counts once something does again, for what follows the last end is
	 * no part of the run. */
	struct idle_sum tail[RESOURCES];
	bool tailed; /* Some of it is not 0. */
};

/* The time of an end, without overflow. */
static inline sl_time time_after(sl_time start, sl_time length)
{
	return start > 0 && length > SL_NEVER - start ? SL_NEVER : start + length;
}

/* Submitted (or to follow another), but not eligible yet; also of one that ended so. */
static inline bool is_gated(const struct sim *sim, uint32_t job) { return sim->gated && sim->gated[job]; }

/* It failed, and is not eligible again yet. */
static inline bool is_deferred(const struct sim *sim, uint32_t job)
{
	return sim->deferred && sim->deferred[job] != SL_NONE;
}

/* In the queue. */
static inline bool is_waiting(const struct sim *sim, uint32_t job)
{
	return job < sim->submitted && sim->job_state[job] == SL_PENDING && !is_gated(sim, job) &&
	       !is_deferred(sim, job);
}

/* It has ended: updates the jobs that depend on it. */
static inline void others_hear(struct sim *sim, uint32_t job)
{
	if (sim->eligibility)
		eligibility_ended(sim, job);
	if (sim->feedback)
		feedback_ended(sim, job);
}

static inline bool is_running(const struct sim *sim, uint32_t job)
{
	return sim->job_state[job] == SL_RUNNING;
}

/* The policy decides what the engine decides otherwise. */
static inline bool is_controlled(const struct sim *sim) { return sim->uses & SL_USE_CONTROL; }

static inline int64_t cpus_of(const struct sim *sim, uint32_t job)
{
	return sim->request ? sim->requests[sim->request[job]].cpus : sim->jobs->size[job];
}

/* The digest's classes for what is no event: a start is the first, then those of this enum. */
enum {
	DIGEST_PREEMPT = SL_EV_CLASS_COUNT + 1,
	DIGEST_RESUME = DIGEST_PREEMPT + SL_PREEMPT_COUNT,
	DIGEST_RESIZE,
	DIGEST_GATED,    /* Submitted, but kept out of the queue: it enters with SL_EV_SUBMIT. */
	DIGEST_DEADLINE, /* It cannot make its deadline any more. */
	DIGEST_END,      /* The policy ended it (SL_USE_CONTROL), or a model did; and the state. */
	DIGEST_REQUEUED = DIGEST_END + SL_STATE_COUNT, /* A model did, and it was requeued; and the state. */
	DIGEST_DRAIN = DIGEST_REQUEUED + SL_STATE_COUNT, /* A node is drained, */
	DIGEST_UNDRAIN,                                  /* or no more. */
	DIGEST_DEFERRED,                                 /* One that failed waits outside the queue, */
	DIGEST_RELEASED                                  /* and in it again. */
};

/* The row is a job's. */
static inline bool is_of_job(unsigned class)
{
	return class != SL_EV_RESERVATION && class != SL_EV_NODE_DOWN && class != SL_EV_NODE_UP &&
	       class < DIGEST_DRAIN;
}

/* Where such an event stands among those of its instant. */
static inline unsigned history_class(unsigned class)
{
	return class == DIGEST_GATED ? SL_EV_SUBMIT : class == DIGEST_DEADLINE ? SL_EV_CANCEL : class;
}

/* Keeps the first failure, if it is one; commands go on as if nothing happened, the loop ends the run. */
static inline void pass_failed(struct sim *sim, int status)
{
	if (status && !sim->status)
		sim->status = status;
}

void pass_begin(struct sim *sim);
/* Events, digest and reasons of what was done; nonzero if something failed. */
int pass_commit(struct sim *sim);
/* Its parts, for plain.h: one action; and at last, what was kept on nodes for the pass. */
int commit_action(struct sim *sim, const struct action *action);
void pass_forgets(struct sim *sim);
void models_pass_begins(struct sim *sim);

/* Undoes all commands of the pass so far. */
void pass_take_back(struct sim *sim);

/* Called by the loop, outside a pass. */
void queue_job(struct sim *sim, uint32_t job);   /* Into the queue. */
void unqueue_job(struct sim *sim, uint32_t job); /* Out of it; its promise goes. */
void end_job(struct sim *sim, uint32_t job, enum sl_state state);
void digest_fold(struct sim *sim, unsigned class, uint32_t row);
/* Its parts, for plain.h: where a job starts; what is recorded or watched; each 2^16 events. */
uint64_t digest_nodes(const struct sim *sim, uint32_t job, uint64_t h);
void history_happens(struct sim *sim, unsigned class, uint32_t row);
void digest_keep(struct sim *sim);
/* Records that it was refused, and why, which under SL_USE_CONTROL the policy does not get. */
void note_refused(struct sim *sim, uint32_t job, const char *why);
/* Its run time, and whether its end or its limit ends it (class NULL: not wanted). */
sl_time length_of(const struct sim *sim, uint32_t job, enum sl_event_class *class);
int note_end(struct sim *sim, uint32_t job); /* Its end becomes an event. */
/* unstarted.c: why the jobs that are left wait, as sl_result has it, as the run is over (or not yet: only of
 * those that never could start). Reasons are sorted. */
int reasons_left(struct sim *sim, bool over, struct sl_result *result);
static inline void report_policy(struct sim *sim, const struct sl_event *event)
{
	if (sim->policy->on_event)
		sim->policy->on_event(sim->state, sim, event);
}
void reason_changes(struct sim *sim, sl_time at, uint32_t job, enum sl_reason reason, uint32_t detail);

/* Records a command, for sl_undo and pass_commit. */
bool act_reserve(struct sim *sim);
static inline void act(struct sim *sim, struct action action)
{
	if (sim->action_count < sim->action_capacity || act_reserve(sim))
		sim->action[sim->action_count++] = action;
}
void queue_put(struct sim *sim, uint32_t job);
void queue_take(struct sim *sim, uint32_t job);
void unpromised_put(struct sim *sim, uint32_t job); /* It waits without a promise. */

int note_overrun(struct sim *sim, uint32_t job);

/* lanes.c */
void lanes_ready(struct sim *sim);
void lanes_release(struct sim *sim);
int lanes_put(struct sim *sim, uint32_t job);
void lanes_take(struct sim *sim, uint32_t job);
int lanes_rebuild(struct sim *sim, const uint32_t *row, uint32_t count); /* All that wait, in order. */
static inline struct head *lane_head(struct sim *sim, uint32_t job)      /* Of the job's lane. */
{
	return sim->lanes ? &sim->lanes->lane[sim->lanes->of[job]].head : &sim->head;
}
struct queue *lane_queue(struct sim *sim, uint32_t lane, bool fill);

/* commands.c: undoes the last action. */
void undo_action(struct sim *sim, const struct action *action);
sl_time progress_kept_work(const struct sim *sim, const struct action *action);

/* allocation.c: allocations of running jobs, now and by their expected ends. */
int allocation_init(struct sim *sim, struct sl_err *err);
/* Where a job starts: on these node tasks, with these node allocations, or (both NULL) where the node scorer
 * says. */
struct where {
	const struct sl_node_tasks *alloc;
	const struct sl_node_alloc *node_alloc;
	size_t count;
	uint32_t tasks; /* Of its one group; 0: as requested. */
};
void allocation_allocator_gone(struct sim *sim);
void scorer_release(struct scorer *scorer);
/* Why the allocator would never place it; NULL: it would, or there is none. */
const char *allocation_refuses(struct sim *sim, uint32_t job);
/* Until expected_room. False: it does not fit. */
bool allocation_make(struct sim *sim, uint32_t job, const struct where *where);
/* On the nodes, and the very GPUs, of its promise, which is gone then; false: it keeps the promise. */
bool allocation_take_promised(struct sim *sim, uint32_t job);
void allocation_release(struct sim *sim, uint32_t job); /* Its allocation, wherever its end is expected. */
void allocation_untake(struct sim *sim, uint32_t job);
void allocation_suspend(struct sim *sim, uint32_t job);
bool allocation_resume(struct sim *sim, uint32_t job);
/* Undoes allocation_release (suspended: allocation_suspend). */
void allocation_restore(struct sim *sim, uint32_t job, bool suspended);
void allocation_resized(struct sim *sim, uint32_t job); /* Its expected end, after a resize. */
void allocation_moves(struct sim *sim, uint32_t job, sl_time from, sl_time to); /* Its expected end. */
/* journal.c: the run is to end, why: it has failed then, with SL_INTERRUPTED. */
void pass_poll(struct sim *sim);
/* The pass is over: it failed, or the run is being stopped. Each read and command that a policy may repeat
 * without end checks it, and fails then, so that the policy comes to its end. */
static inline bool pass_over(struct sim *sim)
{
	if (!(++sim->polls % 1024))
		pass_poll(sim);
	return sim->status && sim->open;
}

bool allocation_fits(struct sim *sim, uint32_t job);
bool allocation_any_fits(struct sim *sim);
/* On nodes: of which resources (bits) could a waiting job that requests some of it start now? Looked for:
 * those of the set alone. */
unsigned allocation_fitting(struct sim *sim, unsigned set);
/* Why the head does not start: a window that alone blocks it, or Resources. */
enum sl_reason allocation_keeps(struct sim *sim, uint32_t job);
/* Are there windows that are not over yet? */
static inline bool allocation_windows(const struct sim *sim)
{
	return sim->nodes ? nodes_windows_live(sim->nodes) : sim->windows_ahead > 0;
}
uint32_t allocation_next_fit(
	struct sim *sim, struct queue *queue, uint32_t behind, const struct sl_promise *shadow);
int64_t allocation_idle(const struct sim *sim, uint32_t kind);
void allocation_settle(struct sim *sim);                    /* At the beginning of a pass. */
sl_time expected_room(const struct sim *sim, uint32_t job); /* Its end, overdue or not. */
/* Removes a running job's expected end from the plan; puts it back, as it is expected now. */
sl_time allocation_unplan(struct sim *sim, uint32_t job);
void allocation_replan(struct sim *sim, uint32_t job, sl_time from);
/* allocation_make of one that started before: overdue or not. */
bool allocation_found(struct sim *sim, uint32_t job, const struct where *where);
bool allocation_is_overdue(const struct sim *sim, uint32_t job);
void allocation_places(struct sim *sim, uint32_t job); /* SIM_RECORD_PLACES: records where it starts. */
void allocation_holds(struct sim *sim, uint32_t job);  /* Records the largest allocation. */
void allocation_waits(struct sim *sim, uint32_t job, int change); /* +1: into the queue; -1: out of it. */
bool window_add(struct sim *sim, sl_time from, sl_time until, int64_t cpus);
void window_undo(struct sim *sim);
void window_boundary(struct sim *sim, uint32_t row); /* Of a counted pool, at SL_EV_RESERVATION. */

/* job_progress.c: work and time of jobs that may be preempted. */
sl_time progress_end(const struct sim *sim, uint32_t job);  /* Expected. */
sl_time progress_work(const struct sim *sim, uint32_t job); /* Of this attempt, at `now`. */
/* It works from then on. */
static inline sl_time progress_works_from(const struct progress *progress)
{
	return time_after(progress->since, progress->loading);
}
void progress_settle(struct sim *sim, uint32_t job); /* Work counts from now on. */
void progress_due(struct sim *sim, uint32_t job);    /* Sets its end. */
void progress_begins(struct sim *sim, uint32_t job);
sl_time progress_kept_estimate(const struct sim *sim, uint32_t job, sl_time *load); /* After a checkpoint. */
void progress_checkpoint(struct sim *sim, uint32_t job); /* Its work is kept, and it will have to load. */
void progress_unlink(struct sim *sim, uint32_t job);
void progress_link(
	struct sim *sim, uint32_t job, uint32_t before); /* Behind that one; UINT32_MAX: in front. */
int attempt_add(
	struct sim *sim, uint32_t job, const struct progress *progress, enum sl_state state, sl_time lost);
int progress_results(struct sim *sim, struct sl_err *err);

/* When a running job is expected to end, by its estimate. */
static inline sl_time expected_end(const struct sim *sim, uint32_t job)
{
	return sim->progress ? progress_end(sim, job) : time_after(sim->start[job], sim->estimate[job]);
}

/* promises.c */
void act_freed(struct sim *sim);
void freed_until(struct sim *sim, sl_time until); /* From now on. */
sl_time promise_release(struct sim *sim, uint32_t job);
void promise_undo(struct sim *sim, uint32_t job); /* Undoes its last promise. */
void promise_restore(struct sim *sim, uint32_t job, sl_time was);
void unpromised_sift(struct sim *sim);
void freed_add(struct freed *freed, sl_time from, sl_time until);
sl_time promise_next(struct sim *sim); /* SL_NEVER: none. */
bool row_before(const struct sim *sim, uint32_t a, uint32_t b);
int sort_rows(struct sim *sim, uint32_t *row, size_t count);

/* With models: speeds.c. */
/* Work of this attempt, at `now`, of a progress that runs (or not); part: beyond whole microseconds. */
sl_time progress_done(
	const struct sim *sim, uint32_t job, const struct progress *progress, bool running, uint32_t *part);
void progress_count(struct sim *sim, uint32_t job); /* `done` goes up to now. */
/* The first time at which so much of this attempt's work is done; SL_NEVER: not at this speed. */
sl_time progress_done_at(const struct sim *sim, uint32_t job, const struct progress *progress, sl_time work);
void speeds_due(const struct sim *sim, uint32_t job, struct progress *progress); /* Sets its end. */

/* gauges.c */
/* Records those of replay.gauges too. */
int gauges_named(const struct sl_setup *setup, const struct scenario *scenario, struct sl_err *err);
int gauges_begin(struct sim *sim, struct sl_err *err); /* Once there are nodes: those that are new. */
void gauges_record(struct sim *sim);                   /* At the end of an instant. */
void gauges_result(struct sim *sim, struct sl_result *result);
void gauges_release(struct sim *sim);

/* decisions.c */
int decisions_init(struct sim *sim, struct sl_err *err);
void decisions_release(struct sim *sim);
void decisions_commit(struct sim *sim); /* Records the decisions of the pass. */
void by_undo(struct sim *sim, const struct action *action);
void decisions_drop_plans(struct sim *sim); /* At a handover. */
void decisions_result(const struct sim *sim, struct sl_result *result);

int history_note(struct sim *sim, sl_time at, unsigned class, uint32_t row); /* journal.c: one more line. */
/* speeds.c: while the history is reported, of a job that may outlive its estimate; of one that gets another.
 */
void history_expires(struct sim *sim, uint32_t job);
void past_estimate(struct sim *sim, uint32_t job, sl_time estimate);

/* check.c: stops the program if the state is not whole. */
void check_state(struct sim *sim);
uint64_t check_digest(struct sim *sim);
void check_charges(const struct sl_result *result);

#endif
