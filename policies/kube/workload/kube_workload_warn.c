/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_workload_warn.c - groups of pods that are not followed, or whose PodGroup is missing: each said once.
 */
#include "policies/controller/controller.h"
#include "policies/kube/workload/kube_workload.h"

#include <string.h>

static const char *manifest_of(const struct sl_jobs *jobs, uint32_t row)
{
	const uint32_t more = jobs->more_of ? jobs->more_of[row] : 0;
	return more ? jobs->more[more].manifest : NULL;
}

/* Jobs whose manifest has the one word, and not the other (NULL). Like jobs share their text. */
static void warn_of(const struct sl_setup *setup, const char *word, const char *without, const char *what)
{
	const char *last = NULL;
	uint32_t count = 0, first = 0;
	bool has = false;
	for (uint32_t row = 0; row < setup->jobs->count; row++) {
		const char *text = manifest_of(setup->jobs, row);
		if (text != last)
			has = text && strstr(text, word) && !(without && strstr(text, without));
		last = text;
		if (has && !count++)
			first = row;
	}
	controller_warning(setup, count, first, what);
}

static bool has_groups(const struct sl_cluster *cluster)
{
	static const char kind[] = "PodGroup";
	for (uint32_t i = 0; i < cluster->object_count; i++)
		if (strncmp(cluster->object[i].kind, kind, strlen(kind)) == 0)
			return true;
	return false;
}

void kube_workload_warn(const struct kube *k, const struct sl_setup *setup)
{
	static const char joins[] = "\"schedulingGroup\"";
	if (!setup->sim)
		return;
	if (!(k->options.gates & KUBE_GATE_WORKLOAD))
		warn_of(setup, joins, NULL,
			"their PodGroup of scheduling.k8s.io is not followed, as by default in Kubernetes 1.36: "
			"kube:gates=GenericWorkload=true+GangScheduling=true follows it");
	else if ((k->options.gates & KUBE_GATE_GANG) && !has_groups(setup->cluster))
		warn_of(setup, joins, "\"schedlab/podGroups\"",
			"their PodGroup of scheduling.k8s.io is not in the file: they wait for it");
	warn_of(setup, "pod-group.scheduling.sigs.k8s.io", NULL,
		"PodGroups of scheduling.sigs.k8s.io are not followed: give the label "
		"scheduling.x-k8s.io/pod-group");
}
