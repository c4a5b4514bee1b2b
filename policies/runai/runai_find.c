/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_find.c - what was read, by name, by pool, by node: runai_read.h.
 */
#include <string.h>

#include "policies/runai/runai_read.h"

void runai_release(struct runai_config *config)
{
	if (config->names)
		sl_names_free(config->names);
	if (config->listed)
		sl_names_free(config->listed);
	config->names = config->listed = NULL;
}

uint32_t runai_find_queue(const struct runai_config *config, const char *name)
{
	return config->names ? sl_names_find(config->names, name) : KAI_NO;
}

uint32_t runai_find_pool(const struct runai_config *config, const char *name)
{
	for (uint32_t i = 0; i < config->pool_count; i++)
		if (strcmp(config->pool[i].name, name) == 0)
			return i;
	return KAI_NO;
}

const struct runai_share *runai_share_of(const struct runai_queue *queue, uint32_t pool)
{
	for (uint32_t i = 0; i < queue->pool_count; i++)
		if (queue->pool[i].pool == pool)
			return &queue->pool[i].share;
	return pool == 0 ? &queue->share : &queue->elsewhere;
}

uint32_t runai_pool_of(const struct runai_config *config, const struct sl_labels *labels)
{
	for (uint32_t i = 1; i < config->pool_count; i++) {
		const struct runai_pool *pool = &config->pool[i];
		const char *value = labels && pool->key ? sl_label_of(labels, pool->key) : NULL;
		if (value && strcmp(value, pool->value) == 0)
			return i;
	}
	return 0;
}

struct sl_labels runai_node_labels(const struct runai_config *config, struct sl_arena *arena,
	const struct sl_labels *labels, const char *gpu_type)
{
	const uint32_t count = labels->count;
	if (!gpu_type || sl_label_of(labels, config->group_label))
		return *labels;
	struct sl_label *more = sl_alloc(arena, (size_t)count + 1, sizeof(*more));
	if (!more)
		return *labels;
	uint32_t at = 0;
	while (at < count && strcmp(labels->at[at].key, config->group_label) < 0)
		at++;
	if (count)
		memcpy(more, labels->at, at * sizeof(*more));
	more[at] = (struct sl_label){ config->group_label, gpu_type };
	if (count > at)
		memcpy(more + at + 1, labels->at + at, (count - at) * sizeof(*more));
	return (struct sl_labels){ more, count + 1 };
}

bool runai_group_holds(const struct runai_config *config, const struct runai_queue *queue,
	enum runai_type type, const struct sl_labels *labels)
{
	const char *value = labels ? sl_label_of(labels, config->group_label) : NULL;
	for (uint32_t i = 0; value && i < queue->group_count[type]; i++)
		if (strcmp(queue->group[type][i], value) == 0)
			return true;
	return !queue->group_count[type];
}
