/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_lane.h - inside of a lane: a tree of heaps, queues above, jobs at the leaves. Its files: kai_lane.c,
 * kai_lane_jobs.c; kai_replay.c.
 */
#ifndef SL_RUNAI_KAI_LANE_H
#define SL_RUNAI_KAI_LANE_H

#include "policies/runai/rules/kai_order_parts.h"

/* A job that waits in a leaf. Its keys are copies: they stay while it waits, but for its growth if it has
 * active tasks already (live). */
struct kai_entry {
	int64_t priority, created;
	uint32_t job;
	uint32_t request, take; /* What it requests next; KAI_NO: it has to be looked up. */
	uint8_t growth;         /* enum kai_growth */
	bool live, part;
	bool other; /* kai_replay.c: it is popped and passed over. */
};
struct kai_pile {
	struct kai_entry *entry; /* A heap, laid out as Go's container/heap; */
	bool loose;              /* not yet: the first is before all others. */
	uint32_t count, capacity;
};

/* Jobs that only wait, of all leaves, in order: kai_replay.c. They are popped as others are, but not one by
 * one. */
struct kai_back {
	struct kai_entry *entry;
	struct kai_vec *needs;
	uint8_t *hidden; /* Not there. */
	uint32_t count, capacity;
};

struct kai_seat {                /* Of a queue. */
	struct kai_pile pile;    /* A leaf: its jobs. */
	uint32_t back, back_end; /* And those of kai_back. */
	uint32_t *child;         /* Else: rows of queues below with jobs, a heap. */
	uint32_t child_count, child_capacity;
	bool taken;   /* It is in the heap above. */
	bool flagged; /* It is to be sifted. */
	bool touched;
	bool known;            /* Of a leaf's first job: */
	bool waits;            /* it is of kai_back; */
	struct kai_vec head;   /* what it requests next, or (victims) holds. */
	struct kai_vec popped; /* Victims. */
	uint32_t best;         /* fresh_order: its first child, */
	uint64_t best_at;      /* at this choice. */
};

/* What was taken of a job. */
struct kai_rest {
	uint32_t job;
	uint8_t *gone; /* By task row of the job; capacity of the arrays: */
	uint32_t capacity;
};

struct kai_lane {
	enum kai_lane_order order;
	uint32_t depth;
	bool fresh;
	struct kai_seat *seat; /* By queue; the last: what is above the roots. */
	uint32_t seat_count;
	uint32_t *touched; /* Queues, to be cleared. */
	uint32_t touched_count, touched_capacity;
	uint64_t choice;
	struct kai_vec part; /* What the job pushed as a part requests. */
	struct kai_rest *rest;
	uint32_t rest_count, rest_made;
	uint32_t *rest_of; /* By job: row of rest + 1; 0: nothing is taken. */
	uint32_t rest_of_count;
	const struct kai_back *back; /* NULL: none. */
	uint32_t last;               /* The leaf of the last pop, nothing having changed since; KAI_NO. */
};

/* kai_lane.c: an entry; a leaf whose jobs of kai_back are set. What is popped. */
bool kai_lane_may(struct kai *kai, struct kai_lane *lane, uint32_t job);
struct kai_seat *kai_lane_seat(struct kai_lane *lane, uint32_t queue);
void kai_lane_enter(struct kai *kai, struct kai_lane *lane, const struct kai_entry *entry);
void kai_lane_join(struct kai *kai, struct kai_lane *lane, uint32_t leaf);
bool kai_lane_take(struct kai *kai, struct kai_lane *lane, struct kai_entry *entry);

/* kai_lane_jobs.c: the jobs of a leaf. */
bool kai_pile_push(
	struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile, const struct kai_entry *entry);
/* Those that may not stay go. False: nothing is changed, one changes its place as time goes on. */
bool kai_pile_prune(const struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile,
	enum kai_stay (*stays)(const struct kai *kai, uint32_t job, const void *of), const void *of);
struct kai_entry kai_pile_pop(const struct kai *kai, const struct kai_lane *lane, struct kai_pile *pile);
bool kai_entry_before(const struct kai *kai, const struct kai_lane *lane, const struct kai_entry *a,
	const struct kai_entry *b);
struct kai_entry kai_entry_of(const struct kai *kai, const struct kai_lane *lane, uint32_t job);
struct kai_vec kai_entry_needs(struct kai *kai, const struct kai_lane *lane, const struct kai_entry *entry);
/* What it holds that counts as allocated, without what was taken. */
struct kai_vec kai_held(const struct kai *kai, const struct kai_lane *lane, uint32_t job);
uint32_t kai_active_left(const struct kai *kai, const struct kai_lane *lane, uint32_t job);

#endif
