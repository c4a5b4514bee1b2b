/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_desc.c - job descriptions and settings: cleared, and looked up.
 */
#include <string.h>
#include <strings.h>

#include "sim/base/base.h"

/* Nothing is said; what pads it is zero. */
static const struct sl_job_desc nothing = {
	.nodes_min = SL_NONE,
	.nodes_max = SL_NONE,
	.tasks = SL_NONE,
	.tasks_per_node = SL_NONE,
	.tasks_per_socket = SL_NONE,
	.tasks_per_core = SL_NONE,
	.tasks_per_gpu = SL_NONE,
	.cpus_per_task = SL_NONE,
	.cpus_per_gpu = SL_NONE,
	.cpus_min = SL_NONE,
	.sockets_per_node = SL_NONE,
	.cores_per_socket = SL_NONE,
	.threads_per_core = SL_NONE,
	.mem_per_node = SL_NONE,
	.mem_per_cpu = SL_NONE,
	.mem_per_gpu = SL_NONE,
	.tmp = SL_NONE,
	.segment = SL_NONE,
	.switches = SL_NONE,
	.switches_wait = SL_NONE,
	.limit = SL_NONE,
	.time_min = SL_NONE,
};

void sl_job_desc_clear(struct sl_job_desc *desc) { memcpy(desc, &nothing, sizeof(*desc)); }

const char *sl_setting_of(
	const struct sl_cluster *cluster, const char *kind, const char *name, const char *key)
{
	for (uint32_t i = cluster->setting_count; i-- > 0;) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (strcasecmp(setting->key, key) == 0 && strcasecmp(setting->kind, kind) == 0 &&
			strcasecmp(setting->name, name) == 0)
			return setting->value;
	}
	return NULL;
}
