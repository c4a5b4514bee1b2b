/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.h - what a policy may read and command in a scheduling pass: the queue, free resources, starts,
 * preemptions, promised starts, trials that are undone.
 */
#ifndef SL_PLUGIN_PASS_H
#define SL_PLUGIN_PASS_H

#include "policy.h"

/* Reads. Times are microseconds since the scenario's zero; cpus and GPUs are in parts (sl_cluster.cpu_parts,
 * gpu_parts), memory in MiB. SL_JOB_NONE: there is no further job. */
SL_API sl_time sl_now(const struct sl_pass *pass);
/* The run is being stopped at this instant, and its result is marked as partial: a long search may give up.
 */
SL_API bool sl_stopping(const struct sl_pass *pass);
SL_API const struct sl_jobs *sl_jobs_of(const struct sl_pass *pass);
SL_API enum sl_state sl_state_of(const struct sl_pass *pass, sl_job job);
/* It is in the queue. A PENDING job that is not is not eligible yet (or not even submitted): it has a begin
 * time, depends on other jobs, is held, or is above its array's limit of running tasks.
 * on_event(SL_EV_SUBMIT) comes when it enters the queue, perhaps behind jobs that were submitted later; of a
 * job that never does, none comes. */
SL_API bool sl_waits(const struct sl_pass *pass, sl_job job);
/* SL_USE_REASONS: why it waits, as sl_set_reason last said; the default if nothing was said. */
SL_API enum sl_reason sl_reason_of(const struct sl_pass *pass, sl_job job);
/* The start of its present or last attempt; SL_NONE: never started. */
SL_API sl_time sl_start_of(const struct sl_pass *pass, sl_job job);
/* The run time by which plans count: sl_set_estimate's, else its limit. */
SL_API sl_time sl_estimate_of(const struct sl_pass *pass, sl_job job);
/* The queue in its order. */
SL_API uint32_t sl_queue_count(const struct sl_pass *pass);
SL_API sl_job sl_queue_first(const struct sl_pass *pass);
SL_API sl_job sl_queue_after(const struct sl_pass *pass, sl_job job);
/* Idle now, of one kind (SL_KIND_CPUS for a counted pool). */
SL_API int64_t sl_free(const struct sl_pass *pass, uint32_t kind);
SL_API const struct sl_cluster *sl_cluster_of(const struct sl_pass *pass);
/* SL_USE_PREEMPT: what runs or is suspended, in order of its latest start. */
SL_API sl_job sl_running_first(const struct sl_pass *pass);
SL_API sl_job sl_running_next(const struct sl_pass *pass, sl_job job);
SL_API sl_job sl_running_last(const struct sl_pass *pass);
SL_API sl_job sl_running_before(const struct sl_pass *pass, sl_job job);
/* When a running job is expected to end, by its estimate; SL_NEVER: it does not run. */
SL_API sl_time sl_expected_end(const struct sl_pass *pass, sl_job job);
/* Work done so far that would be kept by a checkpoint now, in microseconds of running at full size. */
SL_API sl_time sl_work_of(const struct sl_pass *pass, sl_job job);
/* What its estimate would be after a checkpoint now: the work left, and the time to load the checkpoint. */
SL_API sl_time sl_estimate_kept(const struct sl_pass *pass, sl_job job);
/* A running job's allocation: tasks by node and group, lent until something starts or ends. Returns how many;
 * 0: it does not run, or the cluster is a counted pool. */
SL_API size_t sl_node_tasks_of(const struct sl_pass *pass, sl_job job, const struct sl_node_tasks **alloc);
/* Tasks allocated now to the first group (its elastic size); 0 if it does not run. */
SL_API uint32_t sl_tasks_of(const struct sl_pass *pass, sl_job job);
/* What a job requests of one kind, over all its tasks (GPUs of any type: SL_KIND_GPUS); on a counted pool its
 * size in cpus. */
SL_API int64_t sl_asks(const struct sl_pass *pass, sl_job job, uint32_t kind);
/* True if the job fits now beside all that runs. */
SL_API bool sl_fits(struct sl_pass *pass, sl_job job);
/* False if no waiting job can fit now: O(1), may be true without need. */
SL_API bool sl_any_fits(struct sl_pass *pass);

/* A waiting job's planned start, and what it leaves over then. */
struct sl_promise {
	sl_job job;
	sl_time at;    /* SL_NEVER: not while what runs now goes on. */
	int64_t spare; /* Cpus free at `at` beside the job; sl_queue_next_fit subtracts from it. On nodes: 1,
			* unless nothing is. */
};
/* How much of what is left over at a shadow others may use. */
enum sl_spare {
	SL_SPARE_COUNT, /* As long as the shadow's job still has a placement then. */
	SL_SPARE_NAMED, /* Not the nodes chosen for the shadow's job; on a counted pool as above. */
	SL_SPARE_NONE,  /* Nothing: a backfilled job must end by the shadow. */
	SL_SPARE_MODES
};
/* The earliest time at which the job fits by the estimates of what runs now (the shadow time of EASY
 * backfill). */
SL_API struct sl_promise sl_shadow(struct sl_pass *pass, sl_job job);
SL_API struct sl_promise sl_shadow_with(struct sl_pass *pass, sl_job job, enum sl_spare spare);
/* The same job's shadow at a time that was found before. If that time is over, no job ends by it: then only
 * what is spare now may be used, and on nodes nothing. */
SL_API struct sl_promise sl_shadow_at(struct sl_pass *pass, sl_job job, sl_time at, enum sl_spare spare);
/* The first job behind `after` in queue order (SL_JOB_NONE: from the front) that fits now and does not delay
 * the shadow: it ends by then, or uses no more than is spare then, which is subtracted from the spare. Meant
 * to be started. With a fill order, candidates come in that order: `after` the shadow's own job means from
 * its front, and that job is skipped. shadow may be NULL. */
SL_API sl_job sl_queue_next_fit(struct sl_pass *pass, sl_job after, struct sl_promise *shadow);

/* Commands. An impossible one returns false and changes nothing. */
/* Starts a waiting job, on the nodes that the node scorer or allocator chooses. False: it does not fit. */
SL_API bool sl_start(struct sl_pass *pass, sl_job job);
/* On these nodes. False unless each group has all its tasks, its per-node bounds hold, and all of it is free.
 */
SL_API bool sl_start_on(struct sl_pass *pass, sl_job job, const struct sl_node_tasks *alloc, size_t count);
/* With these amounts, whatever its request says; each node once. False unless all of it is free. */
SL_API bool sl_start_alloc(
	struct sl_pass *pass, sl_job job, const struct sl_node_alloc *node_alloc, size_t count);
/* A waiting job ends CANCELLED. */
SL_API bool sl_cancel(struct sl_pass *pass, sl_job job);
/* SL_USE_CONTROL. It ends now, running, suspended or waiting, in that state (not PENDING, RUNNING,
 * SUSPENDED). */
SL_API bool sl_end(struct sl_pass *pass, sl_job job, enum sl_state state);
/* SL_USE_CONTROL. As sl_preempt with SL_PREEMPT_REQUEUE, whatever its submitter said of that, and the attempt
 * ends in that state (NODE_FAIL...). */
SL_API bool sl_requeue(struct sl_pass *pass, sl_job job, enum sl_state as);
/* A waiting job is turned down, as at submission: it ends CANCELLED, and is counted among the refused. why is
 * a constant, or the arena's. */
SL_API bool sl_refuse(struct sl_pass *pass, sl_job job, const char *why);
/* Since when it was eligible, as reported in the results; by default since its submission. */
SL_API void sl_set_eligible(struct sl_pass *pass, sl_job job, sl_time at);
/* How many passes there have been, this one counted; the same in each run of a pass. */
SL_API uint64_t sl_pass_number(const struct sl_pass *pass);

/* A failure of the policy's own (no memory, an invariant of its own): the run ends with it. In a pass or in
 * on_event; the first one counts. */
SL_API void sl_fail_run(struct sl_pass *pass, const struct sl_err *err);
/* A line for a watcher of the run (a view, a log), if there is one; it decides nothing. */
SL_API void sl_say(const struct sl_pass *pass, const char *text);
/* In a pass: which of these jobs is to start? The question goes to the program that drives the run
 * (sl_run_decide). number: of the question, from 0, as the policy counts them: in a ledger, so that a pass
 * that is undone and repeated puts the same question. True: answered, SL_JOB_NONE: none of them. False: not
 * yet; the policy returns at once, what it did in the pass stays, and `pass` is called once more when the
 * answer is there. The run fails if no program drives it. */
SL_API bool sl_query(
	struct sl_pass *pass, uint64_t number, const sl_job *offered, size_t count, sl_job *answer);

/* SL_USE_PREEMPT. False: it is neither running nor suspended, ends at this instant, or may not be requeued
 * (--no-requeue); under an allocator also SL_PREEMPT_SUSPEND. */
SL_API bool sl_preempt(struct sl_pass *pass, sl_job job, enum sl_preempt how);
/* A suspended job is resumed on its own nodes. False: its cpus and GPUs there are not free, or reserved. */
SL_API bool sl_resume(struct sl_pass *pass, sl_job job);
/* A running elastic job (one group with tasks_min < tasks_max) gets so many tasks. It then runs tasks /
 * (tasks requested) times as fast. */
SL_API bool sl_resize(struct sl_pass *pass, sl_job job, uint32_t tasks);
/* As sl_start, with so many tasks, within the same bounds: of a waiting job that sl_resize could move. */
SL_API bool sl_start_sized(struct sl_pass *pass, sl_job job, uint32_t tasks);
/* The same with given amounts on given nodes: as sl_start_alloc, with so many tasks; and of a running job,
 * whose allocation these amounts replace. At least one task, whatever its tasks_min; 0 of a running job of
 * several groups, which runs on as fast. Where it tracks devices, the engine chooses them again. */
SL_API bool sl_start_sized_alloc(struct sl_pass *pass, sl_job job, const struct sl_node_alloc *node_alloc,
	size_t count, uint32_t tasks);
SL_API bool sl_resize_alloc(struct sl_pass *pass, sl_job job, const struct sl_node_alloc *node_alloc,
	size_t count, uint32_t tasks);

/* A reservation by the operator: so many cpus of a counted pool, or these nodes, from one time until another.
 * No job is started that by its estimate would run into it. False if a running job would, or if the time is
 * over or empty. */
SL_API bool sl_reserve(struct sl_pass *pass, const struct sl_window *window);
/* This job is the head of the queue: the first that does not fit (reason Resources). Those behind it have the
 * default reason. */
SL_API void sl_head_waits(struct sl_pass *pass, sl_job job);
/* The same where the decision came from outside (sl_query): the job fits, and was left waiting
 * (LeftByPolicy). */
SL_API void sl_head_left(struct sl_pass *pass, sl_job job);
SL_API void sl_set_reason(struct sl_pass *pass, sl_job job, enum sl_reason reason, uint32_t detail);
/* Place in the queue: lower first, ties by row. Default 0. In on_event of its submission, or while it runs,
 * for when it is preempted. */
SL_API void sl_set_key(struct sl_pass *pass, sl_job job, double key);
/* Place among the candidates behind the head, likewise. */
SL_API void sl_set_fill_key(struct sl_pass *pass, sl_job job, double key);
/* Recomputes every waiting job's key: for orders that depend on the wait. Before any command of the pass. */
SL_API void sl_queue_rekey(
	struct sl_pass *pass, double (*key)(void *state, struct sl_pass *pass, sl_job job), void *state);
/* The run time by which plans count, in microseconds from the job's start. Default: its limit. */
SL_API void sl_set_estimate(struct sl_pass *pass, sl_job job, sl_time estimate);
SL_API void sl_wake(struct sl_pass *pass, sl_time at);                     /* A pass at that time. */
SL_API void sl_wake_event(struct sl_pass *pass, sl_time at, uint32_t row); /* on_event(SL_EV_TIMER) too. */

/* Lanes: several queues, so that the head of one blocks no job of another. All waiting jobs are in the queue
 * as before (sl_queue_first and the like), and each in one lane, in the same order. The cost grows with the
 * waiting jobs, not with the number of lanes. In init: so many; without it there is one, lane 0. */
SL_API int sl_lanes(const struct sl_setup *setup, uint32_t count, struct sl_err *err);
/* In on_event of its submission only; default 0. sl_head_waits goes by it: each lane has a head. */
SL_API void sl_set_lane(struct sl_pass *pass, sl_job job, uint32_t lane);
SL_API uint32_t sl_lane_of(const struct sl_pass *pass, sl_job job);
/* The next lane behind that one (UINT32_MAX: the first) in which a job waits; UINT32_MAX: none. */
SL_API uint32_t sl_lane_next(const struct sl_pass *pass, uint32_t after);
SL_API uint32_t sl_lane_count(const struct sl_pass *pass, uint32_t lane);
SL_API sl_job sl_lane_first(const struct sl_pass *pass, uint32_t lane);
SL_API sl_job sl_lane_after(const struct sl_pass *pass, uint32_t lane, sl_job job);
/* As sl_queue_next_fit, of one lane. */
SL_API sl_job sl_lane_next_fit(struct sl_pass *pass, uint32_t lane, sl_job after, struct sl_promise *shadow);
/* Which of two waiting jobs is before the other in the queue's order, whatever their lanes. */
SL_API bool sl_queue_before(const struct sl_pass *pass, sl_job a, sl_job b);

/* Plans in which waiting jobs hold promises (conservative). A pass comes when a promise is due. */
/* The job's promise, SL_NONE without one. */
SL_API sl_time sl_promise_of(const struct sl_pass *pass, sl_job job);
/* Each waiting job without a promise, in queue order, gets one: the earliest start that moves no other. */
SL_API void sl_promises_make(struct sl_pass *pass);
/* In queue order, each promise is released and remade at the earliest start that the others leave. Nothing
 * happens unless something was freed before its time since the last call. */
SL_API void sl_promises_compress(struct sl_pass *pass);
/* A running job outlived its estimate: promises may not hold, and need a new plan. */
SL_API bool sl_promises_broken(const struct sl_pass *pass);
SL_API void sl_promises_drop(struct sl_pass *pass);
/* Starts each job whose promise is now, in queue order. */
SL_API void sl_promises_start(struct sl_pass *pass);
/* One at a time, for plans of another kind. The earliest start beside what runs, all windows and all promises
 * but its own; SL_NEVER: none. */
SL_API sl_time sl_promise_at(struct sl_pass *pass, sl_job job);
/* Promises it that start, in place of the one it had. False: it does not fit then, and keeps the old promise.
 */
SL_API bool sl_promise_set(struct sl_pass *pass, sl_job job, sl_time at);
SL_API void sl_promise_drop(struct sl_pass *pass, sl_job job);

/* Trials: commands after a mark can be undone. Nested, in time proportional to what was changed. */
typedef struct {
	uint32_t depth;
	uint32_t length;
} sl_marked;
SL_API sl_marked sl_mark(struct sl_pass *pass);
SL_API void sl_undo(struct sl_pass *pass, sl_marked mark); /* Back to the mark, which is gone with it. */
SL_API void sl_keep(struct sl_pass *pass, sl_marked mark); /* The mark goes, the commands stay. */

/* Ledgers: counters (usage, quotas) that sl_undo restores with everything else. Made in init, so rows are
 * known. */
typedef struct {
	uint32_t index;
} sl_ledger;
SL_API sl_ledger sl_ledger_new(const struct sl_setup *setup, const char *name, uint32_t rows);
SL_API int64_t sl_ledger_get(const struct sl_pass *pass, sl_ledger ledger, uint32_t row);
SL_API void sl_ledger_add(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount);

#endif
