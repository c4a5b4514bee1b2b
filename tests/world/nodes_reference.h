/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_reference.h - nodes.h, slow and obvious: lists of tasks, each looked at on every call.
 *
 * Plain data: a copy is a mark, and to copy back is to undo.
 */
#ifndef TESTS_NODES_REFERENCE_H
#define TESTS_NODES_REFERENCE_H

#include "sim/base/base.h"

enum { REF_NODES = 8, REF_JOBS = 16, REF_TASKS = 24, REF_WINDOWS = 6, REF_KINDS = 5, REF_DEVICES = 8 };

/* One task: where, of which group, with GPUs of which kind (0: none); where devices are tracked on which of
 * them, how much of each, and which slices. */
struct ref_task {
	uint32_t node, group, kind;
	uint32_t devices, slices;
	int32_t each;
};

struct ref_place {
	uint32_t count;
	struct ref_task task[REF_TASKS];
};

struct ref_job {
	bool running, suspended, promised;
	uint32_t request;
	sl_time end;
	sl_time from, until; /* Of the reservation, */
	uint32_t promised_request;
	struct ref_place held, promise;
};

struct ref_window {
	sl_time from, until;
	bool node[REF_NODES];
	uint32_t reservation; /* 0: nobody's. */
};

struct ref {
	const struct sl_cluster *cluster;
	const struct sl_request *requests;
	const struct sl_node_scorer *scorer;
	bool devices; /* They are tracked. */
	enum sl_ties ties;
	uint64_t seed;
	uint32_t asker; /* The job that the placement is for; UINT32_MAX: none in particular. */
	sl_time now;
	uint8_t late[REF_NODES];
	struct ref_job job[REF_JOBS];
	uint32_t windows;
	struct ref_window window[REF_WINDOWS];
	/* The backfill check. */
	bool guarded, named;
	uint32_t guard_request;
	sl_time guard_at, guard_length;
	struct ref_place chosen;
};

bool ref_could_keep(const struct ref *r, uint32_t request);
/* Where it would go, now or in [at, at + length) beside what runs (and what is reserved). */
bool ref_fits(const struct ref *r, uint32_t request, sl_time at, sl_time length, bool promises,
	struct ref_place *place);
/* With ties as they are for that job; where several groups do not fit so, as they are without a job. */
bool ref_fits_for(const struct ref *r, uint32_t job, uint32_t request, sl_time at, sl_time length,
	bool promises, struct ref_place *place);
bool ref_start_on(struct ref *r, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_tasks *alloc, size_t count);
void ref_start(struct ref *r, uint32_t job, uint32_t request, sl_time end, const struct ref_place *place);
bool ref_resume(struct ref *r, uint32_t job, sl_time end);
bool ref_resize(struct ref *r, uint32_t job, uint32_t tasks);
bool ref_window(struct ref *r, const bool *node, sl_time from, sl_time until);
/* By candidate times in order. */
sl_time ref_soonest(const struct ref *r, uint32_t request, sl_time length, bool promises);
void ref_guard(struct ref *r, uint32_t request, sl_time at, sl_time length, bool named);
bool ref_allows(const struct ref *r, uint32_t request, sl_time length);
bool ref_start_promised(struct ref *r, uint32_t job, sl_time end);

/* Node allocations in the order of their nodes, then groups. */
size_t ref_parts(
	const struct ref *r, uint32_t request, const struct ref_place *place, struct sl_node_tasks *alloc);
int64_t ref_idle(const struct ref *r, uint32_t kind);
uint32_t ref_busy(const struct ref *r);

#endif
