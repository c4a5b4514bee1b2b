/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_shares.c - shares of GPUs by KAI's annotations, and slices of MIG, for policies that know nothing of
 * Kubernetes.
 *
 * kai-scheduler/KAI-Scheduler, docs/gpu-sharing: gpu-fraction (a share of a device), gpu-memory (MiB of one),
 * gpu-fraction-num-devices (of so many). nvidia.com/mig-PROFILE: the device plugin's resources. Annotations
 * that are none are left to the policy, which says so.
 */
#include <string.h>

#include "traces/kube/kube_jobs.h"

/* In thousandths; 0: none. The engine has no shares of several devices: each of them counts as a whole. */
static int64_t fraction_of(const struct sl_podset *podset)
{
	const char *fraction = sl_label_of(&podset->annotations, "gpu-fraction");
	const char *devices = sl_label_of(&podset->annotations, "gpu-fraction-num-devices");
	int64_t micro;
	int64_t count = 1;
	if (!fraction || !sl_get_micro(fraction, strlen(fraction), &micro) || micro <= 0 || micro > 1000000)
		return 0;
	if (devices && (!sl_get_i64(devices, strlen(devices), &count) || count < 1 || count > 64))
		count = 1;
	return count > 1 ? count * 1000 : (micro + 999) / 1000;
}

static int64_t memory_of(const struct sl_podset *podset)
{
	const char *text = sl_label_of(&podset->annotations, "gpu-memory");
	int64_t mib = 0;
	return text && sl_get_i64(text, strlen(text), &mib) && mib > 0 && mib < INT32_MAX ? mib : 0;
}

static const char *mig_of(const struct sl_podset *podset)
{
	static const char prefix[] = "nvidia.com/mig-";
	for (uint32_t i = 0; i < podset->request.count; i++)
		if (strncmp(podset->request.at[i].resource, prefix, strlen(prefix)) == 0 &&
			podset->request.at[i].amount > 0)
			return podset->request.at[i].resource + strlen(prefix);
	return NULL;
}

void kube_shares_of(const struct sl_podset *podset, struct sl_row_group *group)
{
	const int64_t fraction = fraction_of(podset);
	const int64_t memory = memory_of(podset);
	if (group->gpus) /* Whole ones. */
		return;
	if (memory) {
		group->gpu_mem = memory;
	} else if (fraction) {
		if (group->parts != 1000)
			group->cpus *= 1000;
		group->parts = 1000;
		group->gpus = fraction;
	} else {
		group->mig = mig_of(podset);
	}
}
