/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.h - a run's result: starts, ends, attempts, usage, reasons, decisions; metrics computed from it. */
#ifndef SL_PLUGIN_RESULT_H
#define SL_PLUGIN_RESULT_H

#include "cluster.h"
#include "job.h"
#include "model.h"
#include "place.h"
#include "reasons.h"

/* A decision of the policy on a job, or a plan for it; of one pass, in the order of its commands, then those
 * plans that changed. A start ends a plan without an entry. A job that ends by itself, or is cancelled by its
 * user, makes no entry. */
enum sl_decision_kind {
	SL_DECISION_START,
	SL_DECISION_PREEMPT,
	SL_DECISION_RESUME,
	SL_DECISION_RESIZE,
	SL_DECISION_END,
	SL_DECISION_PLAN
};
struct sl_decision {
	sl_time at;
	uint32_t job, beneficiary; /* beneficiary: of sl_set_cause, or UINT32_MAX. */
	uint8_t decision;          /* enum sl_decision_kind */
	uint8_t rule;              /* enum sl_rule */
	uint8_t how;               /* Of a preemption: enum sl_preempt; of an end: enum sl_state. */
	sl_time start;             /* SL_DECISION_PLAN: the planned start, SL_NONE: none any more. */
};

/* One change of a job's reason; those of one job are in time order. */
struct sl_reason_change {
	sl_time at;
	uint32_t job;
	uint32_t detail : 24;
	uint32_t reason : 8; /* enum sl_reason */
};

/* Usage from `at` until the next point. */
struct sl_usage_point {
	sl_time at;
	int64_t cpus_busy;
	int64_t cpus_queued; /* Requested by the waiting jobs. */
	uint32_t running, queued;
	int64_t gpus_busy, gpus_queued, mem_busy; /* On nodes. */
	uint32_t nodes_busy;                      /* With anything running there. */
	uint32_t suspended;                       /* Jobs. */
};

/* A gauge's value from `at` on. */
struct sl_gauge_point {
	sl_time at;
	int64_t value;
};

/* A gauge's time series over a run, from its first event on; at most one point at each time. */
struct sl_gauge_series {
	const struct sl_gauge *gauge;
	const struct sl_gauge_point *point;
	size_t count;
};

/* An attempt of a job that had several: from a start to an end, a preemption, or the end of the run. */
struct sl_attempt {
	uint32_t job;
	uint32_t state; /* enum sl_state: how it ended; PREEMPTED: requeued or checkpointed. */
	sl_time start, end;
	sl_time suspended; /* Of end - start. */
	sl_time lost;      /* Work that was not kept. */
	sl_time overhead;  /* In which it loaded a checkpoint (replay.restart): resources allocated, no work
			      done. */
	/* On nodes, if recorded: its node allocation at the start, `places` entries of result.place from
	 * `place` on, and the most cpus and GPUs allocated. 0: none, as it lasted no time. */
	size_t place;
	uint32_t places;
	int64_t cpus, gpus;
};

/* A metric as documents report it. */
struct sl_named {
	const char *name; /* As in metrics.json. */
	int64_t micro;
};

/* A finished (or interrupted) run, lent to metrics and writers. Sums over the run's time are integrated in
 * the engine; everything else is derived from the columns. */
struct sl_result {
	const struct sl_jobs *jobs;
	const sl_time *start; /* SL_NONE: never. */
	const sl_time *end;
	const uint8_t *state;                   /* enum sl_state */
	int64_t cpus;                           /* Of the cluster. */
	const struct sl_reason_change *reasons; /* Sorted by (job, at); empty unless recorded. */
	size_t reason_count;
	enum sl_reason reason_default; /* From submit to the first change. */
	const struct sl_usage_point *usage;
	size_t usage_count;
	/* Integrals over the run, in cpu-microseconds: idle while some waiting job would have fit in what was
	 * idle (loss of capacity), and min(idle, queued). */
	unsigned __int128 idle_fitting, idle_wanted;
	sl_time first, last; /* First submit (or replay.from, if jobs ran or waited then), last end (or where
			      * it was interrupted or stopped). */
	uint64_t digest;
	const uint64_t *digests; /* After every 2^16 events. */
	size_t digest_count;
	uint64_t events, passes;
	bool interrupted;
	sl_time warmup; /* replay.warmup, or SL_NONE: by MSER-5, and of utilization.steady alone. */
	const char *policy;
	const struct sl_cluster *cluster;
	/* By job, the largest allocation; NULL on a counted pool: size cpus on size nodes. */
	const int32_t *nodes_held;
	const int64_t *cpus_held, *gpus_held;
	/* Sorted by (job, start); jobs of one attempt are not among them. Suspended time of those in
	 * `suspended`, NULL: no job was. */
	const struct sl_attempt *attempts;
	size_t attempt_count;
	const sl_time *suspended;
	/* Busy, integrated over the run by kind: unit-microseconds. NULL on a counted pool: from the columns.
	 */
	const unsigned __int128 *busy;
	/* On nodes, if recorded: each job's node allocation at its last start, place_count[job] entries from
	 * place_first[job] on. */
	const struct sl_node_tasks *place;
	const size_t *place_first;
	const uint32_t *place_count;
	bool stopped;   /* On request, at `last`: jobs may still wait or run. */
	uint32_t unfit; /* Jobs that ran when the replay began, by the log, but did not fit: they waited. */
	const sl_time *eligible; /* Since when it was eligible; SL_NONE: never. NULL: all were from their
				    submission on. */
	int64_t epoch;           /* Seconds since 1970 of time 0; 0: not known. */
	int64_t utc_offset;      /* Seconds that the log's clock is ahead of that. */
	uint32_t refused;        /* Jobs that an allocator refused, cancelled at submission; */
	uint32_t refused_first;  /* the first of them, */
	const char *refused_why; /* and why. */
	const struct sl_gauge_series *gauge; /* Those that were recorded. */
	uint32_t gauge_count;
	bool calibrate;                     /* To be compared with what the log records. */
	const struct sl_decision *decision; /* In order of time; empty unless recorded. */
	size_t decision_count;
	/* Of models. */
	const struct sl_named *reported_metric;
	size_t reported_metric_count;
	const struct sl_report_column *reported_column;
	size_t reported_column_count;
	const struct sl_report_table *reported_table;
	size_t reported_table_count;
	const struct sl_node_change *node_change; /* In order of time. */
	size_t node_change_count;
	const uint64_t *speed_mean; /* By job: work done over time allocated; NULL: no model was on. */
	/* Free on nodes that were down or drained, by kind, integrated from `first` to `last`: what is
	 * available is the whole less this. NULL: no model was on, or on a counted pool. */
	const unsigned __int128 *missing;
	/* jobs->submit is of this run (replay.feedback): rows are not in its order. */
	bool moved;
	const char *const *warning; /* Of its policies, as they began (sl_warning). */
	uint32_t warning_count;
	/* By job, where reasons are recorded: why it waits as the run is over (1 + enum sl_reason), 0: it
	 * does not wait then. NULL: none does, or the run did not come to its end. */
	const uint8_t *left;
	uint32_t never, never_first; /* Jobs that wait for what the cluster, as it is, cannot allocate; the
					first of them. */
	const char *const
		*refusal; /* By job: why it was refused (NULL: it was not), with decisions; else NULL. */
	/* As idle_fitting and idle_wanted, of GPUs, and of memory where all nodes name theirs (in
	 * MiB-microseconds), for waiting jobs that request some. */
	unsigned __int128 gpus_fitting, gpus_wanted, mem_fitting, mem_wanted;
	enum sl_reason never_why; /* Of all of them; SL_REASON_NONE: it differs. */
	/* The points of usage where `usage` is NULL: a run that nothing but what is built in reads keeps them
	 * in a few bytes each. sl_usage_at reads either. */
	const struct sl_usage_log *usage_log;
	sl_time cooldown; /* replay.cooldown: jobs submitted so near the last submission are in no metric of
			     jobs. */
	bool field;       /* replay.metrics=field. */
	/* The name of the zone of the log's clock as it has it ("Europe/Stockholm"), whose daylight saving
	 * utc_offset knows nothing of; NULL: it names none. */
	const char *time_zone;
	/* With replay.metrics=field, by job: its fair start time (replay.fair_start), SL_NONE: not looked at,
	 * or it can never start. NULL: it has no meaning in this run. */
	const sl_time *fair_start;
};

/* Where one is with a result's points of usage; its members but `result` are sl_usage_at's, and begin with 0.
 */
enum { SL_USAGE_BLOCK = 256 };
struct sl_usage_reader {
	const struct sl_result *result;
	size_t first, count; /* Of the points in `block`. */
	struct sl_usage_point block[SL_USAGE_BLOCK];
};
/* The block of points with that number. */
SL_API void sl_usage_load(struct sl_usage_reader *reader, size_t index);
/* The point of that number, below usage_count; lent until the next call. Quick where numbers ascend. */
static inline const struct sl_usage_point *sl_usage_at(struct sl_usage_reader *reader, size_t index)
{
	if (reader->result->usage)
		return &reader->result->usage[index];
	if (index - reader->first >= reader->count)
		sl_usage_load(reader, index);
	return &reader->block[index - reader->first];
}

/* A node went down (or was drained), or came up. */
struct sl_node_change {
	sl_time at;
	uint32_t node;
	bool up, drain;
};

/* A job's attempts, if it had several: returns how many, *attempt: the first. Else 0. */
SL_API size_t sl_attempts_of(const struct sl_result *result, uint32_t job, const struct sl_attempt **attempt);
/* An attempt's node allocation (NULL: of the job's last start), and the most cpus and GPUs allocated; count
 * 0: not recorded, or it lasted no time. */
struct sl_allocation {
	const struct sl_node_tasks *alloc;
	uint32_t count;
	int64_t cpus, gpus;
};
SL_API struct sl_allocation sl_allocation_of(
	const struct sl_result *result, uint32_t job, const struct sl_attempt *attempt);
/* The intervals in which it waited, index from 0 on: from its submission to its first start (its end, or that
 * of the run), and from an attempt's end to the next one's start. False: there are no further ones. */
SL_API bool sl_wait_interval(
	const struct sl_result *result, uint32_t job, size_t index, sl_time *from, sl_time *until);
SL_API sl_time sl_wait_total_of(const struct sl_result *result, uint32_t job);
/* The reasons its waiting is charged to, with SIM_RECORD_REASONS: intervals in order of time, which fill
 * those of sl_wait_interval without gap or overlap, so that they add up to sl_wait_total_of. Adjacent ones
 * have different reasons, unless it ran between them for no time at all. None is empty, but for the last of a
 * job that still waits as the run is over: if it waited for no time, or its reason then is not the one
 * before. */
struct sl_charge {
	sl_time from, until;
	enum sl_reason reason;
	uint32_t detail;
};
/* The last reason it was charged to; of a job that waits as the run is over, its reason then. */
SL_API enum sl_reason sl_reason_last(const struct sl_result *result, uint32_t job);
/* Where one is with a job's charges; its members are sl_charge_next's. */
struct sl_charging {
	const struct sl_result *result;
	uint32_t job;
	bool inside;          /* Within a waiting interval; */
	bool said, over;      /* Some has been returned; all. */
	size_t range, change; /* the next one; the next change of reason. */
	struct sl_charge now;
};
SL_API struct sl_charging sl_charges_of(const struct sl_result *result, uint32_t job);
/* False: there are no more. */
SL_API bool sl_charge_next(struct sl_charging *charging, struct sl_charge *charge);
/* The state to be reported: of a job that ran to its end, as the log says that it ended (FAILED, CANCELLED,
 * TIMEOUT...), where it says. */
SL_API enum sl_state sl_state_reported(const struct sl_result *result, uint32_t job);
/* How long it had its allocation, over all attempts, less the time it was suspended. */
SL_API sl_time sl_run_time_of(const struct sl_result *result, uint32_t job);
SL_API sl_time sl_suspended_of(const struct sl_result *result, uint32_t job);
/* The most cpus and GPUs it had allocated; of one that never started, what it requests. */
SL_API int64_t sl_cpus_of(const struct sl_result *result, uint32_t job);
SL_API int64_t sl_gpus_of(const struct sl_result *result, uint32_t job);

/* Flat, named numbers, in millionths: "wait.mean", "wait.p95{size=1}". */
struct sl_metrics;
SL_API void sl_metric_put(struct sl_metrics *metrics, const char *name, int64_t value_micro);

struct sl_metric {
	struct sl_abi abi;
	const char *name;    /* Of the family: "wait" */
	const char *summary; /* Names, units, formula, in one paragraph, for the man page. */
	const char *paper;
	int (*compute)(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err);
};

#endif
