/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.h - a scheduling policy: its functions, what it is made with, what it asks for in init. */
#ifndef SL_PLUGIN_POLICY_H
#define SL_PLUGIN_POLICY_H

#include "cluster.h"
#include "job.h"
#include "place.h"
#include "reasons.h"
#include "yaml.h"

struct sl_plugin;
struct sl_tally;

struct sl_pass; /* One scheduling pass: what the policy may see and do, at one instant. */

enum sl_event_class { /* In the order of one instant. */
	SL_EV_JOB_END,
	SL_EV_TIME_LIMIT,
	SL_EV_NODE_DOWN,   /* Or it is drained: sl_node_is_up, sl_node_is_drained; */
	SL_EV_NODE_UP,     /* or it is not any more. */
	SL_EV_RESERVATION, /* A window's edge; row UINT32_MAX: a job that was put off is in the queue again.
			    */
	SL_EV_MODEL, /* To policies: the job (row) failed, in the state that it shows, and waits from now on.
		      */
	SL_EV_SUBMIT,
	SL_EV_CANCEL,
	SL_EV_TIMER, /* A policy's: row is what it gave sl_wake_event. */
	SL_EV_CLASS_COUNT
};

struct sl_event {
	sl_time time;
	enum sl_event_class class;
	uint32_t row;
};

/* What a policy is made with; lent for init. */
struct sl_setup {
	struct sl_arena *arena; /* Goes with the run. */
	const struct sl_jobs *jobs;
	int64_t cpus; /* Of the cluster. */
	uint64_t seed;
	const struct sl_value *values;
	size_t value_count;
	enum sl_overrun overrun; /* What the replay does with a job past its limit. */
	struct sim *sim;         /* For sl_use and its like. */
	const struct sl_cluster *cluster;
	int64_t epoch; /* Seconds since 1970 of time 0, by the log's clock; 0: not known. */
	const struct sl_command *command; /* replay.commands, by time, then as in the file. */
	size_t command_count;
	/* By job: it is another policy's, and this one is never told of it. NULL: all are this one's. */
	const uint8_t *foreign;
	/* By node: shown as drained from the beginning (sl_node_mask). NULL: none is. */
	const uint8_t *unavailable;
	const struct sl_plugin *registry; /* All that is known by name: sl_by_name. */
};

/* The file of a parameter of kind SL_PARAM_DOC, lent for the run; NULL: none was given. */
SL_API const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key);

/* What an operator did at a time, in the words of the shell: "scontrol hold 17". */
struct sl_command {
	sl_time at;
	const char *text;
	struct sl_place where;
};
/* The words of such a text, between blanks; 0: there are none, more than room, or no memory. */
SL_API uint32_t sl_words(struct sl_arena *arena, const char *text, const char **word, uint32_t capacity);

/* What a policy needs beyond the queue in submit order; asked for in init, so that memory comes before the
 * run. */
enum sl_use {
	SL_USE_KEYS = 1,      /* sl_set_key */
	SL_USE_FILL = 2,      /* sl_set_fill_key: candidates in an order of their own */
	SL_USE_ESTIMATES = 4, /* sl_set_estimate */
	SL_USE_PROMISES = 8,  /* sl_promises_make and its like */
	SL_USE_EXPIRY = 16,   /* on_event(SL_EV_TIMER, job) when a running job outlives its estimate */
	SL_USE_PREEMPT = 32,  /* sl_preempt, sl_resume, sl_resize, sl_running_first and their like */
	SL_USE_DEVICES = 128, /* Devices of nodes are followed one by one, even if nobody asks for a share. */
	SL_USE_CONTROL = 256, /* The policy has the say in what the engine else sees to: every job enters the
			       * queue as it is submitted (begin times, holds, dependencies, limits of arrays
			       * and deadlines keep nobody), no limit ends a job (sl_end does), partitions,
			       * windows and states of nodes keep no job off nodes. For sl_start_alloc. */
	SL_USE_NODES = 64, /* A counted pool becomes nodes of one cpu, numbered from 0; such nodes keep their
			      names. */
	SL_USE_REASONS = 512,     /* sl_reason_of */
	SL_USE_OWN_DEVICES = 1024 /* The policy follows the GPUs of nodes by itself: the engine counts
				   * amounts. For sl_start_alloc. */
};

/* What a value of the parameter `compat` sets, of the policy ("plan=commit") and of the replay
 * ("replay.passes=event"): weaker than whatever is given, stronger than a preset. */
struct sl_compat {
	const char *value; /* "pyss" */
	const char *when; /* "plan=easy,fill=queue": only if these have these values without it; NULL: always.
			   * The first that holds counts. */
	const char *settings;
};

/* What becomes of a running (or suspended) job that makes room (SL_USE_PREEMPT). */
enum sl_preempt {
	SL_PREEMPT_REQUEUE,    /* Back into the queue at its old place; what it did is lost. */
	SL_PREEMPT_CHECKPOINT, /* Back into the queue; its work, limit and estimate go on from there. To load
				* it takes as long as replay.restart says, which its limit does not count, and
				* its estimate does. */
	SL_PREEMPT_SUSPEND, /* It gives up cpus and GPUs, keeps its nodes and their memory, and stands still.
			     */
	SL_PREEMPT_CANCEL,  /* It ends, PREEMPTED. */
	SL_PREEMPT_COUNT
};

/* A table of a policy's own figures, told row by row, each row's figures in the order of the columns' names.
 * All is lent for the call. */
struct sl_figure {
	const char *text; /* NULL: it is the number. */
	double number;    /* NaN: there is none. */
};
struct sl_table_sink {
	void *self;
	/* A nonzero return ends it, and is passed on. */
	int (*row)(void *self, const char *const *column, const struct sl_figure *figure, size_t count);
};

/* Commands of the past. */
enum sl_history_command { SL_HISTORY_START, SL_HISTORY_PREEMPT, SL_HISTORY_RESUME, SL_HISTORY_RESIZE };

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
	/* Optional. A submission is shown before the job is queued, so that its key and estimate can be set.
	 * A policy that takes over in mid-run is first told all that happened before, each at its time, with
	 * the jobs as they were then; passes it is not shown (but see on_history). */
	void (*on_event)(void *state, struct sl_pass *pass, const struct sl_event *event);
	void (*release)(void *state);   /* Optional: what is not in the arena. */
	const struct sl_compat *compat; /* What its parameter `compat` implies, closed by a NULL value. */
	/* Optional. While it is told the past: what whoever planned then did, and when (sl_now). For a policy
	 * that keeps account of its own starts. how: of SL_HISTORY_PREEMPT. */
	union {
		void (*on_history)(void *state, struct sl_pass *pass, sl_job job,
			enum sl_history_command what, enum sl_preempt how);
		void (*on_past)(void *state, struct sl_pass *pass, sl_job job, enum sl_history_command what,
			enum sl_preempt how); /* Deprecated: its name up to ABI 4. */
	};
	/* Optional. A table of its own figures, for views, by that name: "jobs", "shares"... `at`: now, or
	 * later while nothing happens. Nothing that it decides is another afterwards. SL_USAGE: it has no
	 * such table (err is left as it is). */
	union {
		int (*table)(void *state, struct sl_pass *pass, sl_time at, const char *what,
			const struct sl_table_sink *table, struct sl_err *err);
		int (*show)(void *state, struct sl_pass *pass, sl_time at, const char *what,
			const struct sl_table_sink *table,
			struct sl_err *err); /* Deprecated: its name up to ABI 4. */
	};
	/* Optional. Those that it may give, closed by SL_REASON_COUNT; NULL: any. The engine gives others to
	 * jobs that it keeps from the queue. */
	const enum sl_reason *reasons;
	/* Optional, with SL_USE_CONTROL. A model has it fail now: does it wait again? on_event is told of
	 * SL_EV_MODEL then, else of its end. NULL: it does not. */
	bool (*requeues)(void *state, struct sl_pass *pass, sl_job job);
	/* Optional. The run is over: metrics, columns of jobs, tables, as models tell. */
	union {
		int (*report)(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);
		int (*tell)(void *state, struct sl_pass *pass, struct sl_tally *tally,
			struct sl_err *err); /* Deprecated: its name up to ABI 4. */
	};
	/* Optional. Keys of its parameters, apart by commas, whose values are programs that it runs, and
	 * files that it writes: they are not taken from a file that the user does not trust. */
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

/* For policies made of others, which they find in the registry, hand copies of their own setup, and tell of
 * what concerns these. In init: a policy's parameters from "key=value,..." (NULL: its defaults), one value
 * for each. They go with the run. */
SL_API int sl_child_values(const struct sl_setup *setup, const struct sl_policy *policy, const char *text,
	const struct sl_value **values, size_t *count, struct sl_err *err);
/* From now on nodes are shown as these bytes say, one for each: 1 as drained (sl_node_is_drained), 2 as down
 * too (sl_node_is_up), besides those that are; 0 as they are. NULL: all as they are. Lent until the next
 * call. */
SL_API void sl_node_mask(struct sl_pass *pass, const uint8_t *unavailable);

/* In init: of enum sl_use, or-ed. */
SL_API int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err);
/* In init: why a job waits, from its submission until a pass says otherwise. Default: Priority. */
SL_API void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason);
/* In init: by which rule (SL_RULES) the commands of a pass are until sl_set_cause says otherwise. Default:
 * none. */
SL_API void sl_default_rule(const struct sl_setup *setup, unsigned rule);
/* In init: a sentence that the user is told of, on stderr and in reports; copied. Of more than
 * SL_WARNINGS_MAX the rest is left out. */
enum { SL_WARNINGS_MAX = 20 };
SL_API void sl_warning(const struct sl_setup *setup, const char *text);
/* In init: how nodes are chosen. Default: the lowest that fit. The placing is lent for the run, and its state
 * made and released with the run. */
SL_API int sl_set_node_scorer(const struct sl_setup *setup, const struct sl_node_scorer *scorer,
	enum sl_ties ties, struct sl_err *err);
/* In init: followed over time (SL_USE_NODES' pools have no state worth following). Lent for the run. At most
 * SL_GAUGES_MAX; one that is followed already is not followed twice. */
enum { SL_GAUGES_MAX = 4 };
SL_API int sl_follow(const struct sl_setup *setup, const struct sl_gauge *gauge, struct sl_err *err);

/* In init, with SL_USE_CONTROL: cores and devices of a node are given out up to so many times. */
SL_API int sl_overcommit(const struct sl_setup *setup, uint32_t times, struct sl_err *err);

/* In init, in place of a placing (the registry has those there are). Jobs under it are not suspended
 * or resized, and no nodes are promised. SL_USAGE: there are no nodes, or jobs run already under another. */
SL_API int sl_set_allocator(
	const struct sl_setup *setup, const struct sl_allocator *allocator, struct sl_err *err);

#endif
