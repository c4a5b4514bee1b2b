/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ask.c - what jobs ask and what operators set, as written: empty, and looked up.
 */
#include <string.h>
#include <strings.h>

#include "sim/base/base.h"

void sl_ask_clear(struct sl_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	int64_t *const number[] = { &ask->nodes_min, &ask->nodes_max, &ask->tasks, &ask->tasks_per_node,
		&ask->tasks_per_socket, &ask->tasks_per_core, &ask->tasks_per_gpu, &ask->cpus_per_task,
		&ask->cpus_per_gpu, &ask->cpus_min, &ask->sockets_per_node, &ask->cores_per_socket,
		&ask->threads_per_core, &ask->mem_per_node, &ask->mem_per_cpu, &ask->mem_per_gpu, &ask->tmp,
		&ask->switches, &ask->switches_wait };
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
