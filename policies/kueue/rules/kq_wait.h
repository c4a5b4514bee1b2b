/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_wait.h - how a queue keeps what waits: for the files behind kq_queue.h alone.
 *
 * The active lie in lanes, binary heaps with positions: one lane, or, where admission fair sharing orders by
 * the usage of LocalQueues, one of each LocalQueue; so a changed usage moves nothing, and the head is the
 * best of the lanes' heads. The active of one shape are linked, so that they can leave together. Rows that
 * wait remember by what they were filed (struct kq_wait): a workload that changes keeps its place until
 * kq_queue_update.
 */
#ifndef SL_KUEUE_KQ_WAIT_H
#define SL_KUEUE_KQ_WAIT_H

#include "policies/kueue/rules/kq_queue.h"

/* Of a workload, while it is in a queue. */
struct kq_wait {
	uint32_t queue, lane;
	uint32_t next, prev; /* Of the active of its shape; KQ_NO. */
	int64_t priority;
	sl_time time;
	uint64_t shape; /* 0: not known. */
	uint64_t stamp; /* Of what may make it admissible: kq_stamp. */
	bool penalised; /* Its LocalQueue has a penalty of it pending; whether it waits or not. */
};

struct kq_inadmissible_queue {
	uint32_t local; /* KQ_NO: of all. */
	uint32_t *at;   /* A heap. */
	uint32_t count, capacity;
};

/* A shape that waits, or was found not to fit. */
struct kq_shape {
	uint64_t hash;   /* 0: a free place. */
	uint32_t first;  /* Of its active. */
	uint64_t parked; /* The epoch in which it was sent away. */
};

struct kq_queue {
	struct kq_inadmissible_queue *lane;
	uint32_t lane_count, lane_capacity;
	bool by_local; /* Lanes are by LocalQueue. */
	uint32_t active_count;
	uint32_t *parked; /* The inadmissible; a workload's place is its heap_at. */
	uint32_t parked_count, parked_capacity;
	uint32_t in_flight;     /* KQ_NO: none. */
	int64_t pops, woken;    /* How often a head was popped; as often as that when it was last woken. */
	uint32_t preemptor;     /* KQ_NO */
	bool sticky;            /* It goes before all others. */
	struct kq_shape *shape; /* Open addressing. */
	uint32_t shape_used, shape_capacity;
	uint64_t epoch; /* From 1; a new one at each waking. */
};

/* state[KQ_PART_QUEUE] */
struct kq_waits {
	struct kq_wait *of; /* By workload. */
	uint32_t capacity;
	uint64_t active; /* In all queues. */
	uint32_t *noted; /* Roots to be woken, in order. */
	uint32_t noted_count, noted_capacity;
	uint8_t *is_noted; /* By node. */
	uint32_t node_capacity;
	uint32_t *displayed; /* Of kq_waiting. */
	uint32_t displayed_capacity;
};

/* NULL: no memory, and kq->err is set. */
struct kq_waits *kq_waits(struct kq *kq);
struct kq_queue *kq_queue_of(struct kq *kq, uint32_t queue);

/* kq_inadmissible.c: into a queue and out of it. What comes in has its struct kq_wait filled. */
bool kq_afs_orders(const struct kq *kq, uint32_t queue);
void kq_active_add(struct kq *kq, uint32_t workload);
void kq_active_remove(struct kq *kq, uint32_t workload);
void kq_active_moved(struct kq *kq, uint32_t workload); /* Its key has changed. */
uint32_t kq_active_head(struct kq *kq, uint32_t queue);
void kq_parked_add(struct kq *kq, uint32_t workload);
void kq_parked_remove(struct kq *kq, uint32_t workload);

/* kq_shape.c */
uint64_t kq_stamp(const struct kq *kq, uint32_t workload);
struct kq_shape *kq_shape_of(
	struct kq *kq, struct kq_queue *queue, uint64_t hash); /* Made; NULL: no memory. */
struct kq_shape *kq_shape_find(const struct kq_queue *queue, uint64_t hash);
void kq_shape_link(struct kq *kq, struct kq_queue *queue, uint32_t workload);
void kq_shape_unlink(struct kq *kq, struct kq_queue *queue, uint32_t workload);

/* kq_order.c: the order without the usage of LocalQueues. */
int kq_names_compare(const struct kq *kq, uint32_t a, uint32_t b);

#endif
