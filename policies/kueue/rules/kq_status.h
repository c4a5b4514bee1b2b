/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_status.h - what a change of a workload's status entails: conditions, usage, checks, effects. Of the
 * cycle and the controllers; nobody else sets conditions of workloads that run.
 */
#ifndef SL_KUEUE_KQ_STATUS_H
#define SL_KUEUE_KQ_STATUS_H

#include "policies/kueue/rules/kq_cycle.h"

/* A text of printf's, kept. */
const char *kq_message(struct kq *kq, const char *format, ...) SL_PRINTF(2, 3);

bool kq_has_check(const struct kq_workload *row, enum kq_check_state state);
/* All checks that its queue requires for the flavors that it got are among those that it has. */
bool kq_checks_complete(const struct kq *kq, uint32_t workload);
/* Its list becomes what its queue requires; new ones are pending. Whether it changed. */
bool kq_checks_sync(struct kq *kq, uint32_t workload, uint32_t queue);
/* All pending again. Whether one was not. */
bool kq_checks_reset(struct kq *kq, uint32_t workload);
/* An admitted placement on a host that it calls unhealthy. */
bool kq_on_unhealthy(const struct kq_workload *row);
bool kq_needs_second_pass(const struct kq *kq, uint32_t workload);

/* Its admission is set: quota is reserved, earlier evictions are over. Counts nothing. */
void kq_reserved(struct kq *kq, uint32_t workload);
/* Admitted, or not, as reservation, checks and topology say. Whether it changed. */
bool kq_sync_admitted(struct kq *kq, uint32_t workload);
/* It waits, and why. A reservation that it has goes, and its admission. */
void kq_pend(struct kq *kq, uint32_t workload, const char *reason, const char *message);
/* It is to stop: it keeps its quota until kq_evicted. */
void kq_evict(struct kq *kq, uint32_t workload, const char *reason, const char *message);
/* How many admitted workloads are not ready (blockAdmission). */
uint32_t kq_unready(struct kq *kq);
/* Whether it counts among these has to be looked at again. */
void kq_track_ready(struct kq *kq, uint32_t workload);

/* The second pass: at kq->now + delay, the delay 1 s doubling to 30 s with attempts. */
void kq_second_pass(struct kq *kq, uint32_t workload, uint32_t attempt);

#endif
