/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai.h - the policy `runai`: between the engine and KAI's rules (kai.h), with what Run:AI's control plane
 * adds: projects, departments, types of workload, limits of interactive ones.
 *
 * A node pool is a KAI instance (struct kai) of its own: its nodes, every queue with what it is due there,
 * and the jobs that were sent there. A session runs in each after all that happens at an instant, or every
 * `cycle`.
 */
#ifndef SL_RUNAI_RUNAI_H
#define SL_RUNAI_RUNAI_H

#include "policies/controller/controller.h"
#include "policies/runai/rules/kai_solve.h"
#include "policies/runai/runai_read.h"

enum runai_stage {
	RUNAI_AWAY, /* Not submitted yet, or over. */
	RUNAI_WAITS,
	RUNAI_RUNS,
	RUNAI_STOPS /* Evicted; its pods take their time to stop. */
};
struct runai_run {
	struct runai_job said;
	uint32_t instance, job; /* job: of the instance's kai; KAI_NO. */
	uint32_t tried;         /* Of its pools, the one it is in; */
	uint64_t tried_news;    /* all were tried with what was new then. */
	enum runai_stage stage;
	uint32_t stamp;       /* What is due of an earlier attempt does not count. */
	bool drained;         /* Its last eviction is the operator's; */
	bool shrunk;          /* or of pods that it can do without. */
	uint32_t least, most; /* Pods; of one that is not elastic the same. */
	sl_time came;         /* Its pods were made. */
	sl_time started;      /* Of this attempt; */
	sl_time first;        /* of the first: SL_NONE, none yet. */
	sl_time evicted_at;   /* SL_NONE: never. */
	uint32_t starts, evictions;
	uint32_t turns; /* Evictions since something came from outside: */
	uint64_t turns_news;
	enum kai_action action; /* Of its last eviction, */
	uint32_t cause;         /* for that row; UINT32_MAX. */
	uint32_t eviction;      /* Row of it. */
	uint64_t promised;      /* The last session in which it was to start when others have left; 0. */
};

enum runai_due {
	RUNAI_DUE_BEGIN,
	RUNAI_DUE_STOPPED,
	RUNAI_DUE_SHRUNK, /* A pod of the job. */
	RUNAI_DUE_LIMIT,
	RUNAI_DUE_WAKE,
	RUNAI_DUE_SESSION,
	RUNAI_DUE_UNAVAILABLE, /* Of windows: row is its number. */
	RUNAI_DUE_OPEN
};
/* Which rule of reclaim let it; of two queues, those above victim and reclaimer that differ first. */
enum runai_let {
	RUNAI_LET_NOT,        /* No reclaim. */
	RUNAI_LET_FAIR_SHARE, /* The victim's queue had more than it may have. */
	RUNAI_LET_QUOTA,      /* It had more than its quota, and the reclaimer's stays within its own. */
	RUNAI_LET_PRIORITY,   /* The reclaimer's stays within its quota, and is of higher priority. */
	RUNAI_LET_MOVED,      /* It was only moved. */
	RUNAI_LET_REST        /* It went together with others, before whom one of these held. */
};
struct runai_side {
	uint32_t queue; /* KAI_NO. */
	int64_t has, fair;
};
struct runai_eviction {
	sl_time at, ran;     /* ran: of this attempt, when it was evicted. */
	uint32_t row, cause; /* cause: UINT32_MAX: for nobody. */
	uint32_t instance;
	enum kai_action action;
	bool moved;
	bool shrunk; /* Others of its pods ran on. */
	uint32_t tasks;
	int64_t gpus; /* An amount. */
	/* Of a reclaim: before it; amounts of res. needs: what the reclaimer lacked of it. */
	enum runai_let let;
	enum kai_res res;
	struct runai_side victim, taker;
	int64_t needs;
};

/* What of jobs is followed otherwise than is said: how many, and the first. */
enum runai_warning {
	RUNAI_WARNING_PARTS,  /* It would do with fewer pods, in ways the engine has no sizes for. */
	RUNAI_WARNING_SINGLE, /* Each of its pods by itself would be enough. */
	RUNAI_WARNINGS
};
struct runai_some {
	uint32_t count, first;
};

/* What a job went through, for explain. */
struct runai_step {
	sl_time at;
	uint32_t row;
	uint8_t from, to; /* enum runai_stage */
};

struct runai_instance {
	struct kai *kai;
	uint32_t pool;
	struct kai_usage *usage; /* NULL: off. */
	const struct kai_usage_config *usage_config;
	uint64_t changed;  /* runai.news of what last may have freed resources. */
	sl_time search_at; /* The last wake-up requested for a search; 0. */
};

/* Queue and requests of a shape's tasks, in an instance. */
struct runai_shape {
	const struct sl_pods *pods;
	uintptr_t manifest;
	uint32_t request, queue, instance;
	enum runai_type type;
	uint32_t *needs; /* By podset: rows of requests of the instance. */
	uint32_t next;   /* Of the same hash; UINT32_MAX. */
};

struct runai {
	struct controller engine;
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct runai_config config;
	struct runai_instance *instance;
	uint32_t instance_count;
	uint32_t *node_instance, *node_row; /* By node of the engine. */
	uint8_t *node_kind;                 /* Its kind of GPU; 0: none. */
	struct sl_taints *node_taints;
	uint8_t *node_down;         /* It is down, or drained; */
	uint32_t *node_unavailable; /* in so many windows. */
	struct runai_run *run;      /* By job. */
	struct runai_shape *shape;
	size_t shape_count, shape_capacity;
	struct sl_map shape_map;
	/* Parameters. */
	sl_time grace, cycle;
	bool checkpoint, kill;
	bool elastic; /* Some jobs are. */
	/* Time. */
	sl_time now, session_at;
	bool dirty;                       /* Something happened since the last session. */
	sl_time usage_at;                 /* Past usage is looked at anew then; SL_NEVER. */
	uint32_t stages[RUNAI_STOPS + 1]; /* Jobs in each. */
	uint64_t news, sessions;
	bool rests;
	/* For those who look. */
	struct runai_eviction *eviction;
	uint32_t eviction_count, eviction_capacity;
	uint64_t mapped[RUNAI_MAPPEDS];
	struct runai_some remarked[RUNAI_WARNINGS];
	struct runai_step *step;
	size_t step_count, step_capacity;
	struct runai_series *series; /* runai_series.c */
};

/* runai.c */
bool runai_reserve(struct runai *r, void **array, size_t *capacity, size_t size, size_t wanted);
void runai_due(struct runai *r, sl_time at, enum runai_due due, uint32_t row);
void runai_due_task(struct runai *r, sl_time at, enum runai_due due, uint32_t row, uint32_t task);

/* runai_instance.c: nodes and queues. */
int runai_instances_make(struct runai *r, const struct sl_setup *setup, struct sl_err *err);
void runai_instances_release(struct runai *r);
/* Projects for a trace without a file of them: each project has an equal part of the GPUs. */
int runai_default_projects(struct runai *r, struct sl_err *err);

/* runai_jobs.c: a job of the trace comes into its instance. */
int runai_job_enter(struct runai *r, uint32_t row);
void runai_job_leave(struct runai *r, uint32_t row);
uint32_t runai_row_of(const struct runai *r, uint32_t instance, uint32_t job); /* The trace's. */

/* runai_nodes.c: what Kubernetes says of nodes, before the instances are sealed. */
int runai_nodes_read(struct runai *r, struct sl_err *err);
bool runai_node_takes(const struct runai *r, uint32_t node, const struct sl_podset *podset);
int runai_needs_mig(
	struct runai *r, struct kai *kai, const struct sl_podset *podset, struct kai_request *needs);
int64_t runai_mig_parts(const struct runai *r, uint32_t node, const char *profile);

/* runai_warning.c */
void runai_warning_files(const struct runai *r, const struct sl_setup *setup);
void runai_warning_job(struct runai *r, uint32_t row, const struct sl_pods *pods);
void runai_warning_jobs(const struct runai *r, const struct sl_setup *setup);

/* runai_pools.c */
uint32_t runai_pool_first(const struct runai *r, uint32_t row);
/* Those who wait go to other pools of theirs; false: none did. */
bool runai_pools_move(struct runai *r);

/* runai_windows.c */
int runai_windows_make(struct runai *r, struct sl_err *err);
void runai_window(struct runai *r, uint32_t number, bool begins);
/* True: it changed for the scheduler. */
bool runai_node_set(struct runai *r, uint32_t node, bool up);

/* runai_keep.c: an order's amounts, of what the job's pods hold now; and its size in the engine. */
void runai_keep(struct runai *r, struct order *order);
void runai_resize(struct runai *r, uint32_t row);
/* Between so many pods it may run: the engine follows that of jobs of one group; else all of them. */
void runai_sizes(
	const struct runai *r, uint32_t row, const struct sl_pods *pods, uint32_t *least, uint32_t *most);

/* runai_run.c */
void runai_submit(struct runai *r, uint32_t row);
void runai_over(struct runai *r, uint32_t row);
void runai_lost(struct runai *r, uint32_t row);
void runai_node(struct runai *r, uint32_t node, bool up);
/* It runs, and its pods were evicted for a window. */
void runai_drained(struct runai *r, uint32_t row);
void runai_run_now(struct runai *r);

/* runai_series.c: what was, over time. Noted after the sessions of an instant. */
int runai_series_make(struct runai *r, struct sl_err *err);
void runai_series_release(struct runai *r);
void runai_series_note(struct runai *r);
int runai_series_report(struct runai *r, struct sl_tally *tally, struct sl_err *err);
/* The job goes from stage to stage. Before its tasks are released, and after they are allocated. */
void runai_series_stage(struct runai *r, uint32_t row, enum runai_stage to);
/* What queues have, as the session goes on: before it, and with each effect. */
void runai_series_open(struct runai *r, uint32_t instance);
void runai_series_effect(struct runai *r, uint32_t instance, const struct kai_effect *effect);
const struct kai_vec *runai_series_live(const struct runai *r, uint32_t instance); /* By queue. */
/* Sums over time until then, in reported amounts (millionths) times us, over all pools: of GPUs. */
enum runai_sum {
	RUNAI_ENTITLEMENT,
	RUNAI_ALLOCATED,
	RUNAI_OVER,
	RUNAI_LENT,
	RUNAI_WAITING,
	RUNAI_ACTIVE,
	RUNAI_SUMS
};
void runai_series_sums(struct runai *r, sl_time until, uint32_t queue, unsigned __int128 sum[RUNAI_SUMS]);
bool runai_tells_active(const struct runai *r); /* The trace says how active GPUs are. */
/* An amount as it is reported, in millionths: of GPUs, cpus, or MiB. KAI_UNLIMITED stays. */
int64_t runai_reported(enum kai_res res, int64_t amount);
const char *runai_kind_of(const struct runai *r, uint32_t queue); /* "project" or "department" */
/* Of the quotas of siblings what others use: see runai_lent.c. Amounts by queue, all of one resource. */
void runai_lend(const struct kai *kai, const int64_t *quota, const int64_t *used, int64_t *lent);

/* runai_evicted.c: a job is evicted. runai_report.c, runai_table.c: for those who look. */
void runai_evicted(struct runai *r, uint32_t instance, const struct kai_effect *effect);
void runai_evicted_more(struct runai *r, uint32_t instance, const struct kai_effect *effect);
const char *runai_evicted_text(struct runai *r, const struct runai_eviction *one); /* NULL: no memory. */
int runai_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);
int runai_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err);

/* runai_why.c: in sentences. */
const char *runai_action_name(enum kai_action action);
/* "2.5 GPUs", "64 cpus", "512 MiB"; 48 bytes. */
void runai_figure(enum kai_res res, int64_t amount, char *to);
/* Why it waits, with figures; "": nothing is known. */
void runai_why(struct runai *r, uint32_t row, char *text, size_t size);

#endif
