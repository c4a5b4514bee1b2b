/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_desc.c - job descriptions and settings: cleared, and looked up.
 */
#include <string.h>
#include <strings.h>

#include "sim/base/base.h"

void sl_job_desc_clear(struct sl_job_desc *desc)
{
	memset(desc, 0, sizeof(*desc));
	int64_t *const number[] = { &desc->nodes_min, &desc->nodes_max, &desc->tasks, &desc->tasks_per_node,
		&desc->tasks_per_socket, &desc->tasks_per_core, &desc->tasks_per_gpu, &desc->cpus_per_task,
		&desc->cpus_per_gpu, &desc->cpus_min, &desc->sockets_per_node, &desc->cores_per_socket,
		&desc->threads_per_core, &desc->mem_per_node, &desc->mem_per_cpu, &desc->mem_per_gpu,
		&desc->tmp, &desc->switches, &desc->switches_wait };
	for (size_t i = 0; i < SL_LEN(number); i++)
		*number[i] = SL_NONE;
}

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
