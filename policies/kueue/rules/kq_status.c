/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_status.c - conditions of a workload, and what goes with them. Follows Kueue's workload package
 * (admission checks, eviction, quota reservation).
 */
#include "policies/kueue/rules/kq_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *kq_message(struct kq *kq, const char *format, ...)
{
	char text[1024]; /* Kueue cuts messages of conditions at 32 kB, of events at 1 kB. */
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return kq_text(kq, text);
}

/* ---- Checks ------------------------------------------------------------------------------------- */

bool kq_has_check(const struct kq_workload *row, enum kq_check_state state)
{
	for (uint32_t i = 0; i < row->check_count; i++)
		if (row->check[i].state == state)
			return true;
	return false;
}

/* Those that it has. */
static bool kq_checks_ready(const struct kq_workload *row)
{
	for (uint32_t i = 0; i < row->check_count; i++)
		if (row->check[i].state != KQ_CHECK_READY)
			return false;
	return true;
}

static bool has_flavor(const struct kq_admission *admission, uint32_t flavor)
{
	for (uint32_t p = 0; p < admission->podset_count; p++)
		for (uint32_t f = 0; f < admission->podset[p].flavor_count; f++)
			if (admission->podset[p].flavor[f].flavor == flavor)
				return true;
	return false;
}

/* Without an admission: those for all flavors alone. */
static bool kq_status_asked(const struct kq_queue_check *check, const struct kq_admission *admission)
{
	if (check->all_flavors)
		return true;
	for (uint32_t i = 0; admission && i < check->flavor_count; i++)
		if (has_flavor(admission, check->flavor[i]))
			return true;
	return false;
}

static struct kq_workload_check *find_check(struct kq_workload_check *at, uint32_t count, uint32_t check)
{
	for (uint32_t i = 0; i < count; i++)
		if (at[i].check == check)
			return &at[i];
	return NULL;
}

bool kq_checks_complete(const struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (!row->admission || row->admission->queue == KQ_NO)
		return false;
	const struct kq_node *queue = &kq->node[row->admission->queue];
	for (uint32_t i = 0; i < queue->check_count; i++)
		if (kq_status_asked(&queue->check[i], row->admission) &&
			!find_check(row->check, row->check_count, queue->check[i].check))
			return false;
	return true;
}

bool kq_checks_sync(struct kq *kq, uint32_t workload, uint32_t queue)
{
	struct kq_workload *row = &kq->workload[workload];
	const struct kq_node *node = &kq->node[queue];
	if (!node->check_count && !row->check_count)
		return false;
	struct kq_workload_check *made = NULL;
	uint32_t count = 0, kept = 0;
	for (uint32_t i = 0; i < node->check_count; i++) {
		if (!kq_status_asked(&node->check[i], row->admission))
			continue;
		if (!made)
			made = kq_alloc(kq, node->check_count, sizeof(*made));
		if (!made)
			return false;
		if (find_check(made, count, node->check[i].check))
			continue;
		const struct kq_workload_check *old =
			find_check(row->check, row->check_count, node->check[i].check);
		kept += old != NULL;
		made[count++] =
			old ? *old
			    : (struct kq_workload_check){ .check = node->check[i].check, .at = kq->now };
	}
	if (kept == count && kept == row->check_count)
		return false;
	row->check = made;
	row->check_count = count;
	return true;
}

bool kq_checks_reset(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	bool changed = false;
	for (uint32_t i = 0; i < row->check_count; i++) {
		if (row->check[i].state == KQ_CHECK_PENDING)
			continue;
		row->check[i].state = KQ_CHECK_PENDING;
		row->check[i].at = kq->now;
		row->check[i].retry_after = 0;
		changed = true;
	}
	if (changed)
		kq_decision(kq, KQ_DECISION_CHECKS_RESET, workload, KQ_NO, NULL, NULL);
	return changed;
}

/* ---- Places ------------------------------------------------------------------------------------- */

static bool kq_topology_pending(const struct kq_workload *row)
{
	for (uint32_t i = 0; row->admission && i < row->admission->podset_count; i++)
		if (row->admission->podset[i].delayed && !row->admission->podset[i].placement)
			return true;
	return false;
}

static bool is_unhealthy(const struct kq_workload *row, const char *host)
{
	for (uint32_t i = 0; i < row->unhealthy_count; i++)
		if (strcmp(row->unhealthy[i], host) == 0)
			return true;
	return false;
}

static bool placed_on_unhealthy(const struct kq_workload *row, const struct kq_placement *placement)
{
	for (uint32_t i = 0; placement && placement->level_count && i < placement->count; i++)
		if (is_unhealthy(row, placement->domain[i].value[placement->level_count - 1]))
			return true;
	return false;
}

bool kq_on_unhealthy(const struct kq_workload *row)
{
	if (!kq_is(&row->cond[KQ_ADMITTED])) /* Before that no pod was lost. */
		return false;
	for (uint32_t i = 0; row->unhealthy_count && row->admission && i < row->admission->podset_count; i++)
		if (placed_on_unhealthy(row, row->admission->podset[i].placement))
			return true;
	return false;
}

bool kq_needs_second_pass(const struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (row->gone || row->on_hold || kq_is(&row->cond[KQ_FINISHED]) || kq_is(&row->cond[KQ_EVICTED]) ||
		!kq_is(&row->cond[KQ_QUOTA_RESERVED]) || !row->admission)
		return false;
	if (kq->config.gate[KQ_GATE_TASFailedNodeReplacement] && kq_on_unhealthy(row))
		return true;
	return row->check_count && kq_checks_ready(row) && kq_topology_pending(row) &&
	       !kq_is(&row->cond[KQ_ADMITTED]);
}

/* ---- Conditions --------------------------------------------------------------------------------- */

static void set(struct kq *kq, uint32_t workload, enum kq_cond_type type, enum kq_cond_status status,
	const char *reason, const char *message)
{
	kq_set_cond(kq, workload, type, status, reason, message, kq->now);
}

/* What was true is so no more. */
static void reset(struct kq *kq, uint32_t workload, enum kq_cond_type type)
{
	const struct kq_cond *cond = &kq->workload[workload].cond[type];
	if (kq_is(cond))
		set(kq, workload, type, KQ_FALSE, "QuotaReserved",
			kq_message(kq, "Previously: %s", cond->message ? cond->message : ""));
}

void kq_reserved(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	set(kq, workload, KQ_QUOTA_RESERVED, KQ_TRUE, "QuotaReserved",
		kq_message(kq, "Quota reserved in ClusterQueue %s", row->admission->queue_name));
	reset(kq, workload, KQ_EVICTED);
	reset(kq, workload, KQ_PREEMPTED);
	reset(kq, workload, KQ_BLOCKED_ON_GATES);
	row->pending_reason = row->pending_message = NULL;
}

static const char *why_not_admitted(const struct kq_workload *row, bool reserved, bool ready)
{
	if (kq_is(&row->cond[KQ_FINISHED]))
		return "Finished";
	if (!reserved)
		return ready ? "NoReservation" : "NoReservationUnsatisfiedChecks";
	return ready ? "PendingDelayedTopologyRequests" : "UnsatisfiedAdmissionChecks";
}

/* Time that it was admitted counts for maximumExecutionTimeSeconds over all its admissions. */
static void leave_admitted(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (kq_is(&row->cond[KQ_ADMITTED]) && row->cond[KQ_ADMITTED].at != SL_NONE)
		row->executed += kq->now - row->cond[KQ_ADMITTED].at;
}

bool kq_sync_admitted(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	const bool reserved = kq_is(&row->cond[KQ_QUOTA_RESERVED]), ready = kq_checks_ready(row);
	const bool admitted = reserved && ready && !kq_topology_pending(row);
	if (admitted == kq_is(&row->cond[KQ_ADMITTED])) {
		/* Not admitted and never was: the reason is reported once it holds quota. */
		if (!admitted && reserved)
			set(kq, workload, KQ_ADMITTED, KQ_FALSE, why_not_admitted(row, reserved, ready),
				NULL);
		return false;
	}
	if (!admitted) {
		leave_admitted(kq, workload);
		set(kq, workload, KQ_ADMITTED, KQ_FALSE, why_not_admitted(row, reserved, ready), NULL);
	} else {
		set(kq, workload, KQ_ADMITTED, KQ_TRUE, "Admitted", "The workload is admitted");
		row->cond[KQ_PODS_READY] = (struct kq_cond){ 0 };
		kq_afs_admitted(kq, workload);
		kq_decision(kq, KQ_DECISION_ADMIT, workload, KQ_NO, "Admitted", NULL);
	}
	kq_track_ready(kq, workload);
	return true;
}

void kq_pend(struct kq *kq, uint32_t workload, const char *reason, const char *message)
{
	struct kq_workload *row = &kq->workload[workload];
	if (kq_is(&row->cond[KQ_QUOTA_RESERVED]) && !kq_is(&row->cond[KQ_ADMITTED]))
		kq_afs_dropped(kq, workload);
	kq_release(kq, workload);
	kq_set_admission(kq, workload, NULL);
	set(kq, workload, KQ_QUOTA_RESERVED, KQ_FALSE, reason, message);
	row->pending_reason = row->cond[KQ_QUOTA_RESERVED].reason;
	row->pending_message = message;
	if (kq_is(&row->cond[KQ_ADMITTED]))
		(void)kq_sync_admitted(kq, workload);
}

void kq_evict(struct kq *kq, uint32_t workload, const char *reason, const char *message)
{
	struct kq_workload *row = &kq->workload[workload];
	set(kq, workload, KQ_EVICTED, KQ_TRUE, reason, message);
	row->unhealthy_count = 0;
	(void)kq_checks_reset(kq, workload);
	kq_track_ready(kq, workload);
}
