/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.h - a scheduling policy: its vtable, its setup, and what it requests of the engine in init. */
#ifndef SL_PLUGIN_POLICY_H
#define SL_PLUGIN_POLICY_H

#include "cluster.h"
#include "job.h"
#include "place.h"
#include "reasons.h"
#include "yaml.h"

struct sl_plugin;
struct sl_tally;

struct sl_pass; /* One scheduling pass: what the policy may read and command, at one instant. */

enum sl_event_class { /* In the order of one instant. */
	SL_EV_JOB_END,
	SL_EV_TIME_LIMIT,
	SL_EV_NODE_DOWN,   /* Or it is drained: sl_node_is_up, sl_node_is_drained; */
	SL_EV_NODE_UP,     /* or it is not any more. */
	SL_EV_RESERVATION, /* A reservation begins or ends; row UINT32_MAX: a deferred job is in the queue
			    * again.
			    */
	SL_EV_MODEL, /* To policies: the job (row) failed, in its present state, was requeued, and waits from
		      * now on.
		      */
	SL_EV_SUBMIT,
	SL_EV_CANCEL,
	SL_EV_TIMER, /* A policy's timer: row is the one passed to sl_wake_event. */
	SL_EV_CLASS_COUNT
};

struct sl_event {
	sl_time time;
	enum sl_event_class class;
	uint32_t row;
};

/* What a policy's init gets; lent for that call. */
struct sl_setup {
	struct sl_arena *arena; /* Goes with the run. */
	const struct sl_jobs *jobs;
	int64_t cpus; /* Of the cluster. */
	uint64_t seed;
	const struct sl_value *values;
	size_t value_count;
	enum sl_overrun overrun; /* What the replay does with a job that outlives its limit. */
	struct sim *sim;         /* For sl_use and the like. */
	const struct sl_cluster *cluster;
	int64_t epoch; /* Seconds since 1970 of time 0, by the log's clock; 0: not known. */
	const struct sl_command *command; /* replay.commands, by time, then as in the file. */
	size_t command_count;
	/* By job: 1: it belongs to another policy, and this one gets no events of it. NULL: all belong to
	 * this one. */
	const uint8_t *foreign;
	/* By node: reported as drained from the beginning (sl_node_mask). NULL: none is. */
	const uint8_t *unavailable;
	const struct sl_plugin *registry; /* All that is known by name: sl_by_name. */
	/* replay.start=recorded: when the run begins; until then all is history (on_history). 0: there is
	 * none. */
	sl_time begin;
};

/* The file of a parameter of kind SL_PARAM_DOC, lent for the run; NULL: none was given. */
SL_API const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key);

/* An operator's command at a time, as in the shell: "scontrol hold 17". */
struct sl_command {
	sl_time at;
	const char *text;
	struct sl_place where;
};
/* The words of such a text, between blanks: how many; 0: none, more than capacity, or no memory. */
SL_API uint32_t sl_words(struct sl_arena *arena, const char *text, const char **word, uint32_t capacity);

/* What a policy needs beyond the queue in submit order; requested in init, so that memory is allocated before
 * the run. */
enum sl_use {
	SL_USE_KEYS = 1,      /* sl_set_key */
	SL_USE_FILL = 2,      /* sl_set_fill_key: candidates in an order of their own */
	SL_USE_ESTIMATES = 4, /* sl_set_estimate */
	SL_USE_PROMISES = 8,  /* sl_promises_make and its like */
	SL_USE_EXPIRY = 16,   /* on_event(SL_EV_TIMER, job) when a running job outlives its estimate */
	SL_USE_PREEMPT = 32,  /* sl_preempt, sl_resume, sl_resize, sl_running_first and their like */
	SL_USE_DEVICES =
		128, /* GPUs of nodes are tracked one by one, even if no job requests a share of one. */
	SL_USE_CONTROL = 256, /* The policy decides what the engine decides otherwise: every job enters the
				 queue as it is submitted (begin times, holds, dependencies, array limits and
				 deadlines defer none), no time limit ends a job (sl_end does), partitions,
				 reservations and node states keep no job off nodes. For sl_start_alloc. */
	SL_USE_NODES = 64, /* A counted pool becomes nodes of one cpu, numbered from 0; such nodes keep their
			      names. */
	SL_USE_REASONS = 512,      /* sl_reason_of */
	SL_USE_OWN_DEVICES = 1024, /* The policy tracks the GPUs of nodes itself: the engine counts amounts
				      alone. For sl_start_alloc. */
	SL_USE_DEPENDENCIES = 2048 /* With SL_USE_CONTROL: dependencies and limits of arrays, and nothing
				      else, defer jobs all the same, and the policy hears of them later: as a
				      workflow's controller makes pods. */
};

/* What a value of the parameter `compat` sets, of the policy ("plan=commit") and of the replay
 * ("replay.passes=event"): overridden by what the user gives, and overriding a preset. */
struct sl_compat {
	const char *value; /* "pyss" */
	const char *when; /* "plan=easy,fill=queue": only if these have these values without it; NULL: always.
			   * The first that holds counts. */
	const char *settings;
};

/* What becomes of a running (or suspended) job that is preempted (SL_USE_PREEMPT). */
enum sl_preempt {
	SL_PREEMPT_REQUEUE,    /* Back into the queue at its old place; its work is lost. */
	SL_PREEMPT_CHECKPOINT, /* Back into the queue; its work, limit and estimate go on from there. Loading
				  the checkpoint lasts replay.restart, which counts in its estimate and not in
				  its limit. */
	SL_PREEMPT_SUSPEND,    /* It releases its cpus and GPUs, keeps its nodes and their memory, and does no
				* work.
				*/
	SL_PREEMPT_CANCEL,     /* It ends, PREEMPTED. */
	SL_PREEMPT_COUNT
};

/* A table of a policy's own figures, reported row by row, each row's figures in the order of the columns'
 * names. All is lent for the call. */
struct sl_figure {
	const char *text; /* NULL: it is the number. */
	double number;    /* NaN: there is none. */
};
struct sl_table_sink {
	void *self;
	/* A nonzero return ends it, and is passed on. */
	int (*row)(void *self, const char *const *column, const struct sl_figure *figure, size_t count);
};

/* Commands before a handover (on_history). SL_HISTORY_RUNS is no command: with SL_USE_CONTROL, when a run
 * begins in the middle of a log, the policy says by sl_start_alloc where a job that had started runs; else it
 * waits.
 */
enum sl_history_command {
	SL_HISTORY_START,
	SL_HISTORY_PREEMPT,
	SL_HISTORY_RESUME,
	SL_HISTORY_RESIZE,
	SL_HISTORY_RUNS
};

struct sl_policy {
	struct sl_abi abi;
	const char *name;
	const char *summary;
	const char *paper; /* Where the rule comes from. */
	const struct sl_param *params;
	size_t param_count;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	/* Once at each instant, after its last event, until nothing more happens at it. */
	void (*pass)(void *state, struct sl_pass *pass);
	/* Optional. A submission is reported before the job is queued, so that its key and estimate can be
	 * set. A policy that takes over in mid-run first gets all events so far, each at its time, with the
	 * jobs as they were then, and no passes (but see on_history). */
	void (*on_event)(void *state, struct sl_pass *pass, const struct sl_event *event);
	void (*release)(void *state);   /* Optional: what is not in the arena. */
	const struct sl_compat *compat; /* What its parameter `compat` implies, closed by a NULL value. */
	/* Optional. While it gets the events before a handover: the commands of the policy of that time
	 * (sl_now). For a policy that does accounting of its own starts. how: of SL_HISTORY_PREEMPT. */
	union {
		void (*on_history)(void *state, struct sl_pass *pass, sl_job job,
			enum sl_history_command what, enum sl_preempt how);
		/* Deprecated: its name up to ABI 4. */
		void (*on_past)(void *state, struct sl_pass *pass, sl_job job, enum sl_history_command what,
			enum sl_preempt how);
	};
	/* Optional. A table of its own figures, for views, by that name: "jobs", "shares"... `at`: now, or
	 * later while nothing happens. It must not change any later decision. SL_USAGE: it has no such table
	 * (err is left as it is). */
	union {
		int (*table)(void *state, struct sl_pass *pass, sl_time at, const char *what,
			const struct sl_table_sink *table, struct sl_err *err);
		/* Deprecated: its name up to ABI 4. */
		int (*show)(void *state, struct sl_pass *pass, sl_time at, const char *what,
			const struct sl_table_sink *table, struct sl_err *err);
	};
	/* Optional. The reasons that it may set, closed by SL_REASON_COUNT; NULL: any. The engine sets others
	 * for jobs that are not eligible. */
	const enum sl_reason *reasons;
	/* Optional, with SL_USE_CONTROL. A model has the job fail now: is it requeued? on_event then gets
	 * SL_EV_MODEL, else the job's end. NULL: it is not. */
	bool (*requeues)(void *state, struct sl_pass *pass, sl_job job);
	/* Optional. The run is over: metrics, columns of jobs, tables, by the sl_report_ functions of
	 * model.h. */
	union {
		int (*report)(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);
		/* Deprecated: its name up to ABI 4. */
		int (*tell)(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);
	};
	/* Optional. Keys of its parameters, apart by commas, whose values are programs that it runs, and
	 * files that it writes: they are refused from a file that the user does not trust. */
	const char *runs, *writes;
};

/* A name for -p that stands for a policy with some parameters set. */
struct sl_preset {
	struct sl_abi abi;
	const char *name;
	const char *summary;
	const char *policy;
	const char *settings; /* "order=sjf,plan=fcfs" */
	const char *paper;
};

/* For policies made of others (hybrid), which they find in the registry, give copies of their own setup, and
 * pass the events of their jobs. In init: a policy's parameters from "key=value,..." (NULL: its defaults),
 * one value for each. They go with the run. */
SL_API int sl_child_values(const struct sl_setup *setup, const struct sl_policy *policy, const char *text,
	const struct sl_value **values, size_t *count, struct sl_err *err);
/* The node mask from now on, a byte for each node: 1 it reads as drained (sl_node_is_drained), 2 as down too
 * (sl_node_is_up), besides those that are; 0 as it is. NULL: no mask. Lent until the next call. */
SL_API void sl_node_mask(struct sl_pass *pass, const uint8_t *unavailable);

/* In init: of enum sl_use, or-ed. */
SL_API int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err);
/* In init: why a job waits, from its submission until a pass says otherwise. Default: Priority. */
SL_API void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason);
/* In init: by which rule (SL_RULES) the commands of a pass are until sl_set_cause says otherwise. Default:
 * none. */
SL_API void sl_default_rule(const struct sl_setup *setup, unsigned rule);
/* In init: a warning to the user, one sentence, on stderr and in reports; copied. After SL_WARNINGS_MAX the
 * rest is left out. */
enum { SL_WARNINGS_MAX = 20 };
SL_API void sl_warning(const struct sl_setup *setup, const char *text);
/* In init: how nodes are chosen. Default: the lowest index that fits. The node scorer is lent for the run,
 * and its state made and released with the run. */
SL_API int sl_set_node_scorer(const struct sl_setup *setup, const struct sl_node_scorer *scorer,
	enum sl_ties ties, struct sl_err *err);
/* In init: records a gauge over time; the same one twice is one. Lent for the run. SL_USAGE: the cluster is a
 * counted pool, or has SL_GAUGES_MAX gauges already. */
enum { SL_GAUGES_MAX = 4 };
SL_API int sl_follow(const struct sl_setup *setup, const struct sl_gauge *gauge, struct sl_err *err);

/* In init, with SL_USE_CONTROL: cores and devices of a node are allocated up to so many times, as under
 * Slurm's OverSubscribe and gang scheduling. */
SL_API int sl_overcommit(const struct sl_setup *setup, uint32_t times, struct sl_err *err);

/* In init, in place of a node scorer (found in the registry). Jobs under it are not suspended or resized, and
 * no nodes are promised. SL_USAGE: there are no nodes, or jobs run already under another. */
SL_API int sl_set_allocator(
	const struct sl_setup *setup, const struct sl_allocator *allocator, struct sl_err *err);

#endif
