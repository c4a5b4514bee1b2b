/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_provision.c - nodes for pods that are unschedulable, in batches
 * (pkg/controllers/provisioning: batcher.go, provisioner.go).
 *
 * The first such pod opens a batch, which is closed once none came for batch-idle-duration, or it is
 * batch-max-duration old; a pod that the scheduler tried again in vain counts as one that came.
 */
#include "policies/kube/elastic/karpenter.h"

/* Has any pod been found unschedulable since they were looked at last? */
static bool some_came(struct kube_scaler *s)
{
	const struct kube *k = s->k;
	bool some = false;
	for (size_t i = 0; i < k->parked_count && !some; i++) {
		const struct kube_pod *pod = &k->pod[k->parked[i]];
		some = pod->state == KUBE_POD_PARKED && pod->place == i && pod->order > s->karpenter->seen;
	}
	s->karpenter->seen = k->entries;
	return some;
}

static void provision(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	const uint32_t count = elastic_pending(s, INT64_MIN, kp->pod);
	if (!count)
		return;
	(void)karpenter_solve(s, kp->pod, count, false);
	elastic_undo(s, 0);
	for (uint32_t i = 0; i < kp->claims; i++)
		(void)karpenter_launch(s, karpenter_cheapest(s, &kp->claim[i]));
	karpenter_claims_clear(s);
}

sl_time karpenter_provision(struct kube_scaler *s)
{
	struct elastic_karpenter *kp = s->karpenter;
	const sl_time now = s->k->now;
	if (some_came(s)) {
		kp->batch_first = kp->batch_first == SL_NONE ? now : kp->batch_first;
		kp->batch_last = now;
	}
	if (kp->batch_first == SL_NONE)
		return SL_NEVER;
	const sl_time idle = kp->batch_last + kp->batch_idle, most = kp->batch_first + kp->batch_max;
	const sl_time due = idle < most ? idle : most;
	if (due > now)
		return due;
	kp->batch_first = kp->batch_last = SL_NONE;
	provision(s);
	return SL_NEVER;
}
