/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_entry.h - an entry of a scheduling cycle, and the cycle's own state. Of kq_cycle.c, kq_nominate.c,
 * kq_process.c, kq_second_pass.c and kq_variant.c alone.
 */
#ifndef SL_KUEUE_KQ_ENTRY_H
#define SL_KUEUE_KQ_ENTRY_H

#include "policies/kueue/rules/kq_status.h"

enum kq_entry_status {
	KQ_NOT_NOMINATED, /* Rejected, without a fit, or waiting for those that it preempts. */
	KQ_SKIPPED,
	KQ_GATED,
	KQ_EVICTED_RETRY, /* A failed node was not replaced in time. */
	KQ_ASSUMED
};

struct kq_entry {
	uint32_t workload, queue; /* queue KQ_NO: it does not exist. */
	uint32_t attempt;         /* Of the second pass; 0: the first pass. */
	bool second, nominated;
	struct kq_assignment *assignment;
	struct kq_victims victims;
	uint32_t replaces; /* Elastic: the slice among its victims; KQ_NO. */
	enum kq_entry_status status;
	bool preempts;     /* Its victims are to be evicted. */
	uint32_t migrates; /* The variant that it evicts; KQ_NO. */
	enum kq_requeue why;
	const char *reason, *message; /* Why it waits. */
	bool unresponsive;            /* Its status is left as it is. */
};

/* What waits for its second pass. */
struct kq_second_pass_queue {
	uint32_t workload, attempt;
	sl_time due;
};

struct kq_cycle_state {
	struct kq_scratch *scratch; /* Of a cycle. */
	struct kq_entry *entry;
	uint32_t entry_count, entry_capacity;
	uint32_t *order; /* Of entries, as they were processed. */
	uint32_t order_count;
	uint32_t *taken; /* Victims so far. */
	uint32_t taken_count, taken_capacity;
	struct kq_second_pass_queue *second;
	uint32_t second_count, second_capacity;
	struct kq_cycle_figures figures;
	uint32_t figures_count; /* Nodes. */
	uint32_t *touched;      /* Nodes whose figures are not 0. */
	uint32_t touched_count, touched_capacity;
	uint32_t unready; /* Admitted, and not ready. */
	bool tracking;
	bool held_back;    /* blockAdmission: somebody waits for all to be ready. */
	bool admitted_one; /* In this cycle. */
};

/* NULL: kq->err is set. */
struct kq_cycle_state *kq_cycle_state(struct kq *kq);

/* kq_nominate.c */
void kq_nominate(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry);
/* Flavors, topology domains and victims, at the present usage. pinned: flavors may be no others; NULL. */
void kq_entry_assign(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry,
	const struct kq_assignment *pinned);
/* kq_process.c */
void kq_process(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry);
/* kq_admit.c: what processing decided is carried out, in the same order. */
void kq_carry_out(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry);
/* kq_variant.c: concurrent admission. An admitted variant of the same parent with a better flavor (or a
 * worse one); KQ_NO. */
uint32_t kq_variant_admitted(const struct kq *kq, uint32_t workload, uint32_t queue, bool better);
bool kq_migration_allowed(const struct kq *kq, uint32_t workload, uint32_t queue);

#endif
