/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca_provision.c - ProvisioningRequests (cluster-autoscaler/provisioningrequest: checkcapacity,
 * besteffortatomic; proposals/provisioning-request.md).
 *
 * One request is looked at in a loop. check-capacity: do all its pods fit on nodes that are there, or
 * ordered? best-effort-atomic-scale-up: if not, nodes of one group are ordered, where that takes all that do
 * not; the request is provisioned as they are ordered, before they are there. One that found no capacity is
 * looked at again after a minute, then two, four, at most ten (flags
 * provisioning-request-initial-backoff-time and max-backoff-time, at their defaults). Capacity is not booked
 * for ten minutes: the pods come at once, and hold it.
 */
#include "policies/kube/elastic/ca.h"

#define MINUTE (60 * SL_SECOND)
enum { BACKOFF_MAX = 10, TRIES_MAX = 5 };

/* The job's pods that fit on no node that is there; the others are placed. */
static uint32_t drop_placed(struct kube_scaler *s, sl_job job)
{
	const struct kube *k = s->k;
	const struct kube_job *of = &k->job[job.row];
	uint32_t count = 0;
	for (uint32_t i = of->first; i < of->first + of->count && count < ELASTIC_PODS_MAX; i++) {
		uint32_t node = 0;
		while (node < k->nodes && (!k->node[node].there || !elastic_place(s, i, node)))
			node++;
		if (node == k->nodes)
			s->ca->pod[count++] = i;
	}
	return count;
}

static bool has_capacity(struct kube_scaler *s, sl_job job, bool atomic)
{
	struct ca_up up = { .next = SL_NEVER };
	uint32_t count = elastic_pending(s, s->ca->flags.cutoff, s->ca->pod);
	(void)ca_drop_helped(s, count); /* Nodes are ordered for these. */
	count = drop_placed(s, job);
	count = count ? ca_drop_helped(s, count) : 0;
	if (count && atomic)
		ca_help(s, count, true, &up);
	elastic_undo(s, 0);
	return !count || up.added;
}

static sl_time ask_again(struct kube_scaler *s, sl_job job)
{
	uint8_t *tries = &s->ca->tries[job.row];
	const int64_t minutes = INT64_C(1) << *tries;
	if (*tries < TRIES_MAX)
		(*tries)++;
	return ca_tick(s, s->k->now + (minutes < BACKOFF_MAX ? minutes : BACKOFF_MAX) * MINUTE);
}

sl_time kube_scale_provision(struct kube *k, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment, enum sl_provision how)
{
	struct kube_scaler *s = k->scaler;
	if (!s || !s->ca)
		return SL_NONE;
	k->now = now;
	if (ca_tick(s, now) != now || s->ca->provisioned == now)
		return ca_tick(s, now + 1);
	s->ca->provisioned = now;
	kube_add(k, now, job, pods, assignment); /* For as long as it is tried. */
	const bool good = !k->err.status && has_capacity(s, job, how == SL_PROVISION_ATOMIC);
	kube_remove(k, now, job);
	if (!good)
		return how == SL_PROVISION_ONCE ? SL_NEVER : ask_again(s, job);
	s->ca->tries[job.row] = 0;
	return SL_NONE;
}
