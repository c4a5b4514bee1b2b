/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_queue.h - what waits: of each ClusterQueue the active, the inadmissible, and the one in flight.
 */
#ifndef SL_KUEUE_KQ_QUEUE_H
#define SL_KUEUE_KQ_QUEUE_H

#include "policies/kueue/rules/kq.h"

enum kq_queued { KQ_NOT_QUEUED, KQ_ACTIVE, KQ_INADMISSIBLE, KQ_IN_FLIGHT };

/* Why a head goes back. */
enum kq_requeue {
	KQ_REQUEUE_GENERIC,
	KQ_REQUEUE_NO_FIT,
	KQ_REQUEUE_NO_CANDIDATES,
	KQ_REQUEUE_GATED,
	KQ_REQUEUE_NAMESPACE,
	KQ_REQUEUE_FAILED_AFTER_NOMINATION,
	KQ_REQUEUE_PENDING_PREEMPTION,
	KQ_REQUEUE_PENDING_MIGRATION,
	KQ_REQUEUE_PREEMPTION_FAILED,
	KQ_REQUEUE_COUNT
};

/* Effective: of its class, and what boosts it. */
int64_t kq_priority(const struct kq *kq, const struct kq_workload *workload);
/* By which it stands in its queue. */
sl_time kq_queue_time(const struct kq *kq, const struct kq_workload *workload);
bool kq_queue_before(struct kq *kq, uint32_t a, uint32_t b);
bool kq_queueable(const struct kq *kq, uint32_t workload);
/* Who holds it back (the annotation kueue.x-k8s.io/admission-gated-by, AdmissionGatedBy); NULL: nobody. */
const char *kq_gated_by(const struct kq *kq, const struct kq_workload *row);
bool kq_backoff_expired(const struct kq *kq, const struct kq_workload *workload);
uint64_t kq_shape_hash(struct kq *kq, uint32_t workload);
bool kq_namespace_matches(const struct kq *kq, uint32_t queue, const char *namespace);

/* It was made, or changed: into its queue, or out of it, or nothing. */
void kq_queue_update(struct kq *kq, uint32_t workload);
void kq_queue_delete(struct kq *kq, uint32_t workload); /* It was admitted, or is gone. */
uint32_t kq_queue_pop(struct kq *kq, uint32_t queue);   /* KQ_NO: nobody is active. Counts no cycle. */
/* Whether it is inadmissible now. */
bool kq_queue_requeue(struct kq *kq, uint32_t workload, enum kq_requeue why);
/* Something changed that may help whoever waits in this queue's tree: noted, until kq_queue_wake. */
void kq_queue_notify(struct kq *kq, uint32_t queue);
bool kq_queue_notified(const struct kq *kq);
/* Notes are followed: how many became active. */
uint32_t kq_queue_wake(struct kq *kq);
bool kq_any_active(const struct kq *kq); /* In an active queue. */
uint32_t kq_waiting(const struct kq *kq, uint32_t queue, enum kq_queued where, const uint32_t **workload);
bool kq_is_sticky(const struct kq *kq, uint32_t workload);
bool kq_was_preemptor(const struct kq *kq, uint32_t workload);
void kq_queue_free(struct kq *kq);

/* Admission fair sharing. */
double kq_afs_usage(const struct kq *kq, uint32_t local);
void kq_afs_sample(struct kq *kq);                      /* At an interval's end. */
void kq_afs_reserved(struct kq *kq, uint32_t workload); /* Its penalty is pending; */
void kq_afs_admitted(struct kq *kq, uint32_t workload); /* comes into the consumption; */
void kq_afs_dropped(struct kq *kq, uint32_t workload);  /* goes. */

#endif
