/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue.h - the policy `kueue`, between the engine's events and Kueue's rules (kq.h).
 *
 * Each event changes the state of Kueue (struct kq) at once; then, as the last event of the instant, the
 * controller runs: what is due (controller_due), then scheduling cycles until nothing changes. What that
 * comes to are orders, which the pass that follows hands to the engine: a pass that is run twice does the
 * same twice.
 *
 * A job is one workload. It is pending in the engine until its pods have nodes; then it holds them.
 */
#ifndef SL_KUEUE_KUEUE_H
#define SL_KUEUE_KUEUE_H

#include "policies/controller/controller.h"
#include "policies/kueue/objects/kq_read.h"
#include "policies/kueue/rules/kq_multi.h"

/* Of a job, as far as its pods go. */
enum kueue_stage {
	KUEUE_AWAY,    /* Not submitted yet, or over. */
	KUEUE_WAITS,   /* Suspended: not admitted. */
	KUEUE_WRITING, /* Admitted; the write that says so is under way (latency=api). */
	KUEUE_PODS,    /* Its pods are there, and wait for nodes; */
	KUEUE_RUNS,    /* have nodes; */
	KUEUE_STOPS    /* are evicted. */
};

struct kueue_job {
	uint32_t workload; /* KQ_NO: it was not submitted. */
	uint32_t shape;    /* Requests of its pods: of kueue.shape. */
	uint8_t stage;     /* enum kueue_stage */
	bool evicted;      /* And its eviction is not completed. */
	bool cancelled;
	uint32_t stamp;    /* Of its latest stage: entries of the agenda of others are void. */
	uint32_t pods_at;  /* Its place among those that wait for nodes. */
	sl_time admitted;  /* The last time; SL_NONE: never. */
	sl_time reconcile; /* When its controller looks at it next; SL_NEVER. */
	sl_time check_at;  /* When its checks have an answer. */
	bool charged;      /* It counts in budgets. */
	uint32_t admissions, evictions, preemptions;
	uint32_t turns;      /* How often it was evicted since */
	uint64_t turns_news; /* the news of this number (kueue_run.c). */
	uint32_t cause;      /* The workload that preempts it; KQ_NO. */
	const char *why;
};

/* Requests of the pods of jobs that wrote the same. */
struct kueue_shape {
	uintptr_t manifest; /* Of jobs that wrote this one, or, 0, */
	uint32_t request;   /* request this, and 1. */
	const struct sl_pods *pods;
	const struct kq_podset *podset;
	uint32_t podset_count;
	int64_t priority;
	sl_time max_execution; /* 0: none. */
	bool active;
	const char *refused; /* Why its devices cannot be charged; NULL. */
};

/* What is to be done at a time. */
enum kueue_due {
	KUEUE_DUE_BEGIN,     /* The job comes only now. */
	KUEUE_DUE_WRITTEN,   /* A write that is about the job is through. */
	KUEUE_DUE_STOPPED,   /* Its pods have stopped. */
	KUEUE_DUE_READY,     /* Its pods are ready. */
	KUEUE_DUE_REVOKE,    /* The capacity that was provisioned for it goes. */
	KUEUE_DUE_LIMIT,     /* Its time is over (replay.overrun=kill). */
	KUEUE_DUE_RECONCILE, /* Its controller looks at it. */
	KUEUE_DUE_CHECK,     /* An admission check has an answer. */
	KUEUE_DUE_QUEUES,    /* Notes of change are followed. */
	KUEUE_DUE_CYCLE,     /* The scheduler comes round. */
	KUEUE_DUE_COMMAND,   /* An operator's command. */
	KUEUE_DUE_SHARES,    /* Admission fair sharing takes a sample. */
	KUEUE_DUE_BINDER,    /* kube-scheduler wants to be run. */
	KUEUE_DUE_STATUS     /* A status of queues was written (latency=api). */
};
enum { KUEUE_POD_MODES = 3 };
enum kueue_pods { KUEUE_PODS_AUTO, KUEUE_PODS_QUOTA, KUEUE_PODS_KUBE };
enum kueue_cause { KUEUE_BY_NONE, KUEUE_BY_PARTITION, KUEUE_BY_ACCOUNT, KUEUE_BY_USER };

/* "account:physics=ns/q1": jobs of that account go there. */
struct kueue_map_rule {
	enum kueue_cause cause;
	const char *value, *namespace, *queue;
};

struct kueue_eviction {
	sl_time at;
	uint32_t job, cause;                                   /* The engine's; UINT32_MAX: nobody. */
	const char *how, *reason, *queue, *by_queue, *message; /* how: "Preempted", "PodsReadyTimeout"... */
};

/* What a job went through, for explain. */
enum kueue_step { KUEUE_QUEUED, KUEUE_RESERVED, KUEUE_ADMITTED, KUEUE_ON_NODES, KUEUE_READY, KUEUE_EVICTED };
struct kueue_note {
	sl_time at;
	uint32_t row;
	enum kueue_step step;
	int64_t pods, of; /* Partial admission: it has fewer than it asks for. */
};

struct kueue_command;
struct kueue_dra;
struct kueue_budget;   /* kueue_checks.c */
struct kueue_instance; /* kueue_multi.c */
struct kueue_multi;
struct kueue_remote;

/* Kinds of objects that are written: each has a bucket. */
enum kueue_kind { KUEUE_WORKLOADS, KUEUE_QUEUES, KUEUE_LOCALS, KUEUE_KINDS };

struct kueue {
	struct controller engine;
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct kq *kq;
	struct kq_read read;
	sl_time now;

	/* Parameters. */
	enum kueue_pods pods;
	enum kueue_cause cause;
	const char *namespace, *queue; /* Of jobs that nothing else assigns one. */
	struct kueue_map_rule *rule;
	uint32_t rule_count;
	sl_time batch, cycle, grace, start_delay, provision;
	bool checkpoint, api, kill, autoscale;
	int64_t qps, burst;

	struct kueue_job *job; /* By row. */
	uint32_t *job_of;      /* By workload. */
	uint32_t job_of_count, job_of_capacity;
	struct kueue_shape *shape;
	uint32_t shape_count;
	uint32_t *shape_of;  /* By row. */
	uint32_t *host_node; /* By host of the core: the engine's node; UINT32_MAX. */

	sl_time queues_at, binder_at, shares_at; /* When these are due; SL_NEVER. */
	sl_time cycle_at, cycle_due;             /* The next cycle not before; that is on the agenda. */
	bool in_cycle;                           /* What is carried out is a cycle's. */
	bool asleep, fruitful;  /* The scheduler is; what was carried out last changed something. */
	uint64_t news;          /* From outside, so far. */
	bool preempted;         /* Somebody was, in this cycle. */
	bool circle, rests;     /* Jobs take turns; the scheduler is at rest until there is news. */
	uint32_t idle;          /* Cycles in a row that came to nothing; */
	uint64_t active_before; /* who was active after the last of them. */
	uint32_t live;          /* Jobs that were submitted and are not over. */
	uint32_t misconfigured;

	/* Nodes: what is free there, and jobs whose pods wait for them. */
	uint32_t kinds;
	int64_t *free; /* [node * kinds + kind] */
	bool *up;
	uint32_t *waiting; /* Jobs, in the order in which they came to wait. */
	uint32_t waiting_count;
	bool allocation_retry; /* Something was freed since they were tried. */
	struct kueue_held {
		struct sl_node_alloc *at;
		uint32_t *gpus;
		size_t count;
	} * held; /* By row. */
	const struct sl_binder *binder;
	void *binder_state;

	struct kueue_command *command;
	uint32_t command_count, command_done;

	/* Writes to the API server (latency=api): kueue_api.c. */
	sl_time tat[KUEUE_KINDS]; /* When that bucket is full again, less its depth. */
	sl_time loop_until;       /* The scheduler's own writes keep it busy. */
	sl_time backoff;          /* Of a loop that finds nothing to do. */
	struct kueue_status {
		uint32_t *queue; /* Whose status has changed, in order; a ring. */
		bool *dirty;
		uint32_t first, count;
		bool busy;
	} of_queues, of_locals;

	/* Checks: kueue_checks.c. */
	uint64_t seed;
	int64_t provision_fails; /* Of 100. */
	sl_time revoke;          /* 0: never. */
	struct kueue_budget *budget;
	uint32_t budget_count;
	uint64_t provision_failed, revoked, budget_rejected;

	/* Worker clusters: kueue_multi.c. */
	struct kq_multi_config dispatch;
	struct kueue_instance *instance;
	uint32_t instance_count;
	struct kueue_multi *multi;    /* By check. */
	struct kueue_remote **remote; /* By job; NULL: never dispatched. */
	uint32_t *node_instance;      /* By node; UINT32_MAX: the manager's. NULL: nodes are of no cluster. */
	uint32_t only;                /* Whose nodes are looked at. */
	uint64_t dispatched, taken_back;

	struct kueue_dra *dra; /* Devices: kueue_dra.h. */

	/* What is reported. */
	uint64_t cycles, admissions, reservations;
	uint64_t writes;
	struct kueue_eviction *eviction;
	size_t eviction_count, eviction_capacity;
	struct kueue_series *series; /* kueue_report.c */
	struct kueue_note *note;     /* In the order of time. */
	size_t note_count, note_capacity;
};

/* kueue.c */
/* False: it failed, or nobody waits for what comes of this any more. */
bool kueue_goes_on(const struct kueue *k);
bool kueue_reserve(struct kueue *k, void **array, size_t *capacity, size_t size, size_t wanted);

void kueue_due(struct kueue *k, sl_time at, enum kueue_due due, uint32_t row);

/* kueue_jobs.c: which queue a job goes to, and what its pods request. */
struct kq_podset *kueue_podsets(
	struct kq *kq, const struct kq_transforms *transforms, const struct sl_pods *pods);
int kueue_jobs_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err);
int kueue_rules_make(struct kueue *k, const char *text, struct sl_err *err);
void kueue_jobs_submit(struct kueue *k, uint32_t row);

/* kueue_run.c: the controller. */
void kueue_run(struct kueue *k);
/* kueue_devices.c: before kueue_jobs_make. */
int kueue_dra_make(struct kueue *k, struct sl_err *err);
void kueue_dra_warn(const struct kueue *k, const struct sl_setup *setup);
void kueue_dra_release(struct kueue *k);
/* kueue_dra.c: the pods less the extended resources that devices stand for; themselves, if there are none. */
const struct sl_pods *kueue_without_devices(struct kueue *k, const struct sl_pods *pods);
/* What its pods' claims and extended resources add to the request; why they are refused, or NULL. */
const char *kueue_charge_claims(
	struct kueue *k, const char *namespace, const struct sl_podset *from, struct kq_podset *to);
void kueue_submit(struct kueue *k, uint32_t row);
void kueue_over(struct kueue *k, uint32_t row, const char *reason, bool deleted);
/* Its pods died, by a model's doing or by kube-scheduler's; it is still admitted. */
void kueue_lost(struct kueue *k, uint32_t row, bool by_model);
void kueue_node(struct kueue *k, uint32_t node, bool up);
void kueue_changed(struct kueue *k); /* Cycles may find something to do. */
void kueue_news(struct kueue *k);    /* Something came from outside. */
void kueue_reconcile(struct kueue *k, uint32_t row);

/* kueue_live.c: true: it is admitted as its status says, and not queued. */
bool kueue_live(struct kueue *k, uint32_t row);

/* kueue_pods.c: nodes for pods. */
int kueue_pods_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err);
void kueue_pods_start(struct kueue *k, uint32_t row);
void kueue_pods_retry(struct kueue *k, uint32_t row);
void kueue_pods_stop(struct kueue *k, uint32_t row); /* Off their nodes, or out of the wait for them. */
/* Some failed. True: those that are left stay where they are. */
bool kueue_pods_failed(struct kueue *k, uint32_t row, bool by_model);
void kueue_pods_run(struct kueue *k); /* Those that wait are tried again. */
void kueue_pods_release(struct kueue *k);
/* They have these nodes: the job starts. */
void kueue_pods_on(struct kueue *k, uint32_t row, const struct sl_node_alloc *node_alloc, size_t count);
bool kueue_by_host(const struct kq_placement *placement); /* Its domains are hosts. */

/* kueue_bind.c: kube-scheduler. */
int kueue_bind_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err);
void kueue_bind_add(struct kueue *k, uint32_t row);
sl_time kueue_bind_provision(struct kueue *k, uint32_t row, enum sl_provision how); /* As sl_binder's. */
void kueue_bind_run(struct kueue *k);

/* kueue_api.c: writes to the API server. When one that is made now is through. */
sl_time kueue_write(struct kueue *k, enum kueue_kind kind);
void kueue_status_changed(struct kueue *k, uint32_t workload);
void kueue_status_written(struct kueue *k, uint32_t which);
int kueue_api_make(struct kueue *k, struct sl_err *err);

/* kueue_command.c */
int kueue_commands_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err);
void kueue_commands_run(struct kueue *k);

/* kueue_checks.c */
int kueue_budgets_make(struct kueue *k, const char *text, struct sl_err *err);
void kueue_budgets_hold(struct kueue *k, uint32_t row, bool holds);
void kueue_checks_begin(struct kueue *k, uint32_t row); /* Quota is reserved. */
void kueue_checks_answer(struct kueue *k, uint32_t row, sl_time due);
void kueue_checks_started(struct kueue *k, uint32_t row);
void kueue_checks_revoke(struct kueue *k, uint32_t row);
int kueue_checks_report(const struct kueue *k, struct sl_tally *tally, struct sl_err *err);

/* kueue_multi.c. cluster NULL: the manager. */
const struct sl_object *kueue_multi_objects(
	struct kueue *k, struct kq *kq, const char *cluster, uint32_t *count);
int kueue_multi_make(struct kueue *k, struct sl_err *err);
void kueue_multi_release(struct kueue *k);
bool kueue_multi_has(const struct kueue *k, uint32_t check);
void kueue_multi_begin(struct kueue *k, uint32_t row, uint32_t check);
void kueue_multi_advance(struct kueue *k, uint32_t row);
void kueue_multi_over(struct kueue *k, uint32_t row); /* Its copies go. */
bool kueue_multi_run(struct kueue *k);
uint32_t kueue_multi_find(struct kueue *k, const char *name); /* KQ_NO */
void kueue_multi_lost(struct kueue *k, uint32_t instance, bool lost);
/* Its admission, and the struct kq that has it. */
const struct kq_admission *kueue_admission(const struct kueue *k, uint32_t row, const struct kq **kq);
uint32_t kueue_multi_instance(const struct kueue *k, uint32_t row); /* UINT32_MAX: the manager's. */
const char *kueue_multi_name(const struct kueue *k, uint32_t row);
int kueue_multi_report(const struct kueue *k, struct sl_tally *tally, struct sl_err *err);

/* kueue.c */
int kueue_room_make(struct kq *kq);

/* kueue_series.c: who used how much of which quota; reported as cohorts.csv and lending.csv. */
int kueue_series_make(struct kueue *k, struct sl_err *err);
void kueue_series_note(struct kueue *k); /* Usage may have changed. */
void kueue_series_release(struct kueue *k);
int kueue_series_report(struct kueue *k, sl_time until, struct sl_tally *tally, struct sl_err *err);
/* kueue_report.c */
void kueue_note_eviction(struct kueue *k, uint32_t row, const char *how, const char *reason, uint32_t cause,
	const char *message);
int kueue_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);

/* kueue_table.c: tables "pending" and "quota", as things are now, and "course". */
void kueue_note(struct kueue *k, uint32_t row, enum kueue_step step);
int kueue_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err);

#endif
