/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_multi.h - MultiKueue: a manager cluster sends its workloads to worker clusters; the first that reserves
 * quota runs it. The check of the workload is what the manager sees of it.
 *
 * Clusters (struct kq) are the caller's: it makes the copies (kq_submit) and runs each cluster's cycles. Here
 * is who has a copy, who won, and when a lost worker is given up.
 */
#ifndef SL_KUEUE_KQ_MULTI_H
#define SL_KUEUE_KQ_MULTI_H

#include "policies/kueue/rules/kq_cycle.h"

struct kq_multi_config {
	enum kq_dispatch dispatch;
	uint32_t step;       /* Incremental: clusters a round; Kueue: 3. */
	sl_time round;       /* Between rounds; Kueue: 300 s. */
	sl_time lost_after;  /* A worker that is not reached for so long is given up; Kueue: 900 s. */
	sl_time transfer;    /* From the decision to the copy in the worker. */
	uint32_t worker_max; /* Workers, in configured order. */
};

enum kq_copy { KQ_COPY_NONE, KQ_COPY_SENT, KQ_COPY_THERE, KQ_COPY_WON, KQ_COPY_GONE };
/* One workload of the manager. */
struct kq_remote {
	uint32_t workload, check; /* The manager's. */
	uint8_t *copy;            /* enum kq_copy by worker; the caller's array. */
	sl_time *at;              /* When a copy that was sent is there. */
	uint32_t sent;            /* Workers so far, in order. */
	uint32_t winner;          /* KQ_NO: none yet. */
	sl_time next_round;       /* SL_NEVER: all have it. */
	sl_time lost_at;          /* Since when the winner is not reached; SL_NONE. */
};

/* The manager reserved quota at kq->now: copies are sent. */
void kq_multi_begin(const struct kq_multi_config *config, const struct kq *manager, struct kq_remote *remote);
/* Copies that arrive by now (KQ_COPY_THERE), rounds that are due, a worker that is lost for too long: then
 * the check becomes Retry. When it wants to be called again; SL_NEVER. */
sl_time kq_multi_advance(const struct kq_multi_config *config, struct kq *manager, struct kq_remote *remote);
/* A worker reserved quota for its copy. True: it is the first, the check is Ready, other copies are
 * KQ_COPY_GONE and to be deleted. False: it was late, its copy too. */
bool kq_multi_reserved(struct kq *manager, struct kq_remote *remote, uint32_t workers, uint32_t worker);
/* The worker is not reached any more, or is again. */
void kq_multi_lost(const struct kq *manager, struct kq_remote *remote, uint32_t worker, bool lost);

#endif
