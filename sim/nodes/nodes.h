/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes.h - the node store: free resources of each node now and later, and jobs' allocations.
 *
 * A job's allocation is node tasks: tasks of a group on a node. Equal nodes (type, and free resources) form a
 * class, so that a fit is decided, and a placement found, by class, not by node. The future is queried by
 * request: the earliest time at which it fits, by the expected ends of allocations. Nothing is ever allocated
 * twice, and undo restores the state exactly, in no more time than the command took.
 */
#ifndef SL_NODES_H
#define SL_NODES_H

#include "sim/base/base.h"

struct nodes;

/* How nodes are chosen: a node scorer with its state, and the ties between nodes of the same score. */
struct scorer {
	const struct sl_node_scorer *rule;
	void *state;
	enum sl_ties ties;
	uint64_t seed;
	bool devices; /* GPUs are tracked one by one, even if no job requests a share of one. */
	bool amounts; /* They are not, even then. */
};

/* The cluster, the requests, the node scorer and its state are lent for life; expected ends are by job
 * row < job_count. With the cluster's own windows. */
int nodes_new(struct nodes **nodes, const struct sl_cluster *cluster, const struct sl_request *requests,
	uint32_t request_count, uint32_t job_count, const struct scorer *scorer, struct sl_err *err);
void nodes_free(struct nodes *nodes);
/* 0, or the first failure (of memory), with its text: from then on nothing is done, and queries return false.
 */
int nodes_status(const struct nodes *nodes, struct sl_err *err);
/* Are devices tracked as the node scorer requires? That is settled by nodes_new. */
bool nodes_serve(const struct nodes *nodes, const struct scorer *scorer);
/* From now on by another node scorer, for which nodes_serve holds; cached fits are dropped. */
void nodes_set_scorer(struct nodes *nodes, const struct scorer *scorer);

/* ---- Now ------------------------------------------------------------------------------------- */

/* The clock: windows open and close, and lengths below are counted from here. Times ascend. */
void nodes_clock(struct nodes *nodes, sl_time now);
int64_t nodes_idle(const struct nodes *nodes, uint32_t kind);  /* Of all nodes together. */
int64_t nodes_total(const struct nodes *nodes, uint32_t kind); /* What is unbounded is in neither. */
/* Could it ever run, on an empty cluster without windows? */
bool nodes_could_hold(struct nodes *nodes, uint32_t request);
/* Does it fit now, for that long? Cached by request until something changes. */
bool nodes_fits(struct nodes *nodes, uint32_t request, sl_time length);
/* Chooses by the node scorer and allocates. False: it does not fit for end - now; nothing is changed. */
bool nodes_start(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end);
/* On these nodes. False if it does not fit there, or the node tasks are not the request's. */
bool nodes_start_on(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_tasks *alloc, size_t count);
/* With these amounts on these nodes, each once. False if they are not free there, or a window blocks them.
 */
bool nodes_start_node_alloc(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_alloc *node_alloc, size_t count);
/* Of all state that a fit depends on: each change makes it another one. It begins at 1. */
uint64_t nodes_version(const struct nodes *nodes);
/* The nodes on which a window blocks the request for that length, from now on: a bit for each, lent
 * until the next call; NULL: none. */
const uint64_t *nodes_closed(struct nodes *nodes, uint32_t request, sl_time length);
/* nodes_unavailable.c: nothing starts on the node until it is opened; plans expect that at `until` (SL_NEVER:
 * never). Running jobs run on. Unavailable again, it is until another time. Between passes only. */
void nodes_unavailable(struct nodes *nodes, uint32_t node, sl_time until);
void nodes_open(struct nodes *nodes, uint32_t node);
/* Nodes go by it before the node scorer's score: first those that are not late (0), as all are at first, then
 * by how late (< NODES_LATE). Between passes only. */
enum { NODES_LATE = 4 };
void nodes_late(struct nodes *nodes, uint32_t node, uint8_t late);
int64_t nodes_unavailable_free(
	const struct nodes *nodes, uint32_t kind); /* Free on those that are: not idle. */
/* Undoes a start of any kind: nothing is kept. */
void nodes_start_undo(struct nodes *nodes, uint32_t job);
/* Releases the job's allocation, which is kept until nodes_forget, for nodes_restore. */
void nodes_end(struct nodes *nodes, uint32_t job);
/* Undoes the last nodes_end of the job that is not undone. A suspended one is suspended again. */
void nodes_restore(struct nodes *nodes, uint32_t job, sl_time end);
void nodes_forget(struct nodes *nodes); /* Commit: what ended stays ended. */
/* The job is expected to end at another time. */
void nodes_move_end(struct nodes *nodes, uint32_t job, sl_time end);
/* Suspended: cpus and GPUs are released, memory and the nodes stay allocated, without an expected end.
 * Resumed: false if they are not free, or a window blocks them. nodes_suspend undoes nodes_resume. */
void nodes_suspend(struct nodes *nodes, uint32_t job);
bool nodes_resume(struct nodes *nodes, uint32_t job, sl_time end);
void nodes_suspend_undo(struct nodes *nodes, uint32_t job, sl_time end);
/* The first group of the job gets so many tasks: more by the node scorer (its own nodes first), fewer from
 * the last nodes allocated. False: it does not fit. The allocation before is kept until nodes_forget;
 * nodes_resize_undo undoes the last resize. Bounds on nodes hold: false if they would not. */
bool nodes_resize(struct nodes *nodes, uint32_t job, uint32_t tasks);
/* As nodes_start, with so many tasks in place of those that its one group requests. */
bool nodes_start_sized(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end, uint32_t tasks);
void nodes_resize_undo(struct nodes *nodes, uint32_t job);
/* Replaces the job's allocation by these amounts, as nodes_start_node_alloc; nodes_resize_undo undoes it. */
bool nodes_resize_node_alloc(
	struct nodes *nodes, uint32_t job, const struct sl_node_alloc *node_alloc, size_t count);

/* The job's allocation: its node tasks, in the order of their nodes; lent until the next change. */
size_t nodes_allocs(struct nodes *nodes, uint32_t job, const struct sl_node_tasks **alloc);
/* In sum: nodes, and of each of cpus, memory and all GPUs; suspended: no cpus, no GPUs. An exclusive group
 * has its nodes wholly allocated. */
struct nodes_sum {
	uint32_t nodes;
	int64_t cpus, mem, gpus;
};
struct nodes_sum nodes_held(struct nodes *nodes, uint32_t job);
uint32_t nodes_busy(const struct nodes *nodes); /* Nodes with any allocation. */
/* Allocated of one node, in sum and to one job; `nodes` is 1 if anything is. */
struct nodes_sum nodes_used(const struct nodes *nodes, uint32_t node);
/* How many tasks of the group would go there now, or (empty) if nothing were allocated; without windows. */
uint32_t nodes_tasks(const struct nodes *nodes, uint32_t node, const struct sl_group *group, bool empty);
struct nodes_sum nodes_held_on(const struct nodes *nodes, uint32_t job, uint32_t node);

/* A window on these nodes (ascending). False if an allocation would run into it by its expected end, or it is
 * over. */
bool nodes_window_add(struct nodes *nodes, const uint32_t *node, uint32_t count, sl_time from, sl_time until);
void nodes_window_undo(struct nodes *nodes);          /* The last added. */
sl_time nodes_window_next(const struct nodes *nodes); /* The next boundary after now, SL_NEVER: none. */
bool nodes_windows_live(const struct nodes *nodes);   /* Some window is not over yet. */
/* Do windows alone keep the request from a placement now, for that length? Then the kind of the first that
 * does. One that was added later is SL_WINDOW_RESERVED. */
bool nodes_window_keeps(struct nodes *nodes, uint32_t request, sl_time length, enum sl_window_kind *kind);

/* ---- EASY ------------------------------------------------------------------------------------ */

/* The earliest time at which the request fits, for that long, by the expected ends of allocations: now, or
 * some expected end or window's boundary later; SL_NEVER if not even an empty cluster would do. Promises do
 * not count. */
sl_time nodes_soonest(struct nodes *nodes, uint32_t request, sl_time length);

/* From here on nodes_backfill_check_allows answers for this request and time (nodes_soonest's). named: its
 * nodes are chosen now by the node scorer and kept; else any placement at that time will do. SL_NEVER:
 * everything is allowed. */
void nodes_backfill_check(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool named);
/* Would a job of this request, started now where the node scorer puts it and still there at the time of the
 * backfill check, leave the head's request a placement then? (It must fit now.) Starts and ends in between
 * are counted.
 */
bool nodes_backfill_check_allows(struct nodes *nodes, uint32_t request, sl_time length);
void nodes_backfill_check_end(struct nodes *nodes);

/* The job for which the backfill check is set, or queried: matters where ties go by chance. UINT32_MAX, and
 * at first: no particular one. Starts, promises and resizes have their job as an argument, and a fit does not
 * depend on it. */
void nodes_for(struct nodes *nodes, uint32_t job);

/* ---- Conservative: promises on named nodes --------------------------------------------------- */

/* The earliest time, now or later, from which the request has a placement for that long beside all
 * allocations (by expected ends), all windows and all promises. SL_NEVER: none. */
sl_time nodes_promise_at(struct nodes *nodes, uint32_t request, sl_time length);
/* Promises it: the node scorer chooses nodes for [at, at + length). `at` is nodes_promise_at's, or a time at
 * which it was promised before and is free again. False: it does not fit then. */
bool nodes_promise(struct nodes *nodes, uint32_t job, uint32_t request, sl_time at, sl_time length);
/* Releases the promise; kept until nodes_forget for nodes_promise_restore. */
void nodes_unpromise(struct nodes *nodes, uint32_t job);
/* Undoes nodes_promise: nothing is kept. */
void nodes_promise_undo(struct nodes *nodes, uint32_t job);
void nodes_promise_restore(struct nodes *nodes, uint32_t job);
/* The earliest time from which the job, waiting with a promise for `was` (SL_NEVER: without), could have one
 * if it gave that back; `was`: none before. */
sl_time nodes_promise_sooner(
	struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time was);
/* The job's promise is for the earliest time that there was, by nodes_promise_at or nodes_promise_sooner; or
 * it is not known to be, as after each change of it. */
void nodes_promise_settled(struct nodes *nodes, uint32_t job, bool settled);
/* The promised node tasks, lent until the next change; 0: none. */
size_t nodes_promised(struct nodes *nodes, uint32_t job, const struct sl_node_tasks **alloc);
/* Starts the job on the nodes promised to it, and the promise is gone: nodes_start_undo, then
 * nodes_promise_restore, undo it. False: they are not free. */
bool nodes_start_promised(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end);

/* ---- Gauges ---------------------------------------------------------------------------------- */

/* Keeps the gauge's sum over all nodes, from now on; the gauge and its state are lent for life. At most
 * SL_GAUGES_MAX. False: out of memory. */
bool nodes_follow(struct nodes *nodes, const struct sl_gauge *gauge, void *state);
uint32_t nodes_followed(const struct nodes *nodes);
int64_t nodes_gauge(struct nodes *nodes, uint32_t index); /* In the order of nodes_follow. */

/* ---- For --check: stops the program if the state is not whole; a digest of all that undo must restore.
 * ---- */
void nodes_check(struct nodes *nodes);
uint64_t nodes_digest(struct nodes *nodes);

#endif
