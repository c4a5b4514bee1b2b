/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_world.c - see kq_tas_world.h.
 */
#include "tests/world/kq_tas_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"

static const char *key_of(const char *level)
{
	return strcmp(level, "host") ? level : "kubernetes.io/hostname";
}

/* Words apart by spaces, interned. */
static uint32_t split(struct tas_instance *instance, const char *text, const char **word, uint32_t most)
{
	uint32_t count = 0;
	while (*text && count < most) {
		char one[128];
		const size_t len = strcspn(text, " ");
		(void)snprintf(one, sizeof(one), "%.*s", (int)len, text);
		word[count++] = kq_text(instance->kq, one);
		text += len + (text[len] == ' ');
	}
	return count;
}

void tas_begin(struct tas_instance *instance, const char *levels)
{
	const char *level[KQ_LEVELS_MAX];
	*instance = (struct tas_instance){ .arena = sl_arena_new() };
	instance->kq = kq_new(instance->arena);
	instance->scratch = kq_scratch_new();
	if (!instance->kq || !instance->scratch)
		abort();
	const uint32_t count = split(instance, levels, level, KQ_LEVELS_MAX);
	instance->topology = kq_topology(instance->kq, "default");
	struct kq_topology *topology = &instance->kq->topology[instance->topology];
	topology->exists = true;
	for (uint32_t i = 0; i < count; i++)
		topology->level[topology->level_count++] = kq_text(instance->kq, key_of(level[i]));
	instance->flavor = tas_flavor(instance, "tas");
	instance->queue = kq_cluster_queue(instance->kq, "queue");
	struct kq_group *group = kq_alloc(instance->kq, 1, sizeof(*group));
	struct kq_group_flavor *flavor = kq_alloc(instance->kq, 1, sizeof(*flavor));
	if (!group || !flavor)
		abort();
	flavor->flavor = instance->flavor;
	*group = (struct kq_group){ .flavor = flavor, .flavor_count = 1 };
	instance->kq->node[instance->queue].exists = true;
	instance->kq->node[instance->queue].group = group;
	instance->kq->node[instance->queue].group_count = 1;
}

void tas_end(struct tas_instance *instance)
{
	kq_scratch_free(instance->scratch);
	kq_free(instance->kq);
	sl_arena_free(instance->arena);
}

uint32_t tas_flavor(struct tas_instance *instance, const char *name)
{
	const uint32_t flavor = kq_flavor(instance->kq, name);
	instance->kq->flavor[flavor].exists = true;
	instance->kq->flavor[flavor].topology = instance->topology;
	return flavor;
}

struct kq_host *tas_host(struct tas_instance *instance, const char *place, int64_t cpus, int64_t pods)
{
	const char *value[KQ_LEVELS_MAX] = { "" };
	const struct kq_topology *topology = &instance->kq->topology[instance->topology];
	const uint32_t count = split(instance, place, value, KQ_LEVELS_MAX);
	struct sl_label *label = kq_alloc(instance->kq, count, sizeof(*label));
	const struct kq_amount amount[] = { { KQ_PODS, pods }, { KQ_CPU, cpus * 1000 } };
	const uint32_t row = kq_host(instance->kq, value[count - 1]);
	if (!label)
		abort();
	for (uint32_t i = 0; i < count; i++)
		label[i] = (struct sl_label){
			i < topology->level_count ? topology->level[i] : "kubernetes.io/hostname", value[i]
		};
	struct kq_host *host = &instance->kq->host[row];
	host->labels = (struct sl_labels){ label, count };
	host->allocatable = kq_amounts(instance->kq, amount, 2);
	return host;
}

void tas_seal(struct tas_instance *instance)
{
	if (kq_seal(instance->kq) != 0)
		abort();
}

struct kq_amounts tas_cpus(struct tas_instance *instance, int64_t thousandths)
{
	const struct kq_amount amount = { KQ_CPU, thousandths };
	return kq_amounts(instance->kq, &amount, 1);
}

uint32_t tas_workload(struct tas_instance *instance, const struct kq_podset *podset, uint32_t count)
{
	const uint32_t workload = kq_workload(instance->kq, "space", "workload");
	struct kq_podset *own = kq_alloc(instance->kq, count, sizeof(*own));
	if (!own)
		abort();
	memcpy(own, podset, count * sizeof(*own));
	for (uint32_t i = 0; i < count; i++)
		own[i].name = own[i].name ? own[i].name : "main";
	instance->kq->workload[workload].podset = own;
	instance->kq->workload[workload].podset_count = count;
	return workload;
}

const char *tas_text(struct tas_instance *instance, const struct kq_placement *placement)
{
	size_t used = strlen(instance->text);
	char *text = instance->text;
	if (!placement)
		used += (size_t)snprintf(text + used, sizeof(instance->text) - used, "-");
	for (uint32_t i = 0; placement && i < placement->count && used < sizeof(instance->text); i++) {
		used += (size_t)snprintf(text + used, sizeof(instance->text) - used, "%s", i ? " " : "");
		for (uint32_t l = 0; l < placement->level_count && used < sizeof(instance->text); l++)
			used += (size_t)snprintf(text + used, sizeof(instance->text) - used, "%s%s",
				l ? "/" : "", placement->domain[i].value[l]);
		if (used < sizeof(instance->text))
			used += (size_t)snprintf(text + used, sizeof(instance->text) - used, ":%" PRId64,
				placement->domain[i].count);
	}
	return text;
}

const char *tas_place(struct tas_instance *instance, uint32_t workload, bool empty)
{
	const struct kq_workload *row = &instance->kq->workload[workload];
	uint32_t failed = 0;
	instance->assignment = (struct kq_assignment){ .workload = workload,
		.queue = instance->queue,
		.podset = instance->podset,
		.podset_count = row->podset_count,
		.mode = KQ_FIT };
	for (uint32_t p = 0; p < row->podset_count; p++) {
		instance->pick[p] =
			(struct kq_pick){ .resource = KQ_CPU, .flavor = instance->flavor, .mode = KQ_FIT };
		instance->podset[p] = (struct kq_podset_assignment){ .podset = p,
			.count = row->podset[p].count,
			.pick = &instance->pick[p],
			.pick_count = 1,
			.mode = KQ_FIT };
	}
	instance->why = NULL;
	(void)kq_tas_place(
		instance->kq, instance->scratch, &instance->assignment, empty, &instance->why, &failed);
	instance->text[0] = '\0';
	for (uint32_t p = 0; p < row->podset_count; p++) {
		const size_t used = strlen(instance->text);
		(void)snprintf(instance->text + used, sizeof(instance->text) - used, "%s", p ? " | " : "");
		(void)tas_text(instance, instance->podset[p].placement);
	}
	return instance->text;
}

void tas_admit(struct tas_instance *instance, uint32_t workload)
{
	struct kq_workload *row = &instance->kq->workload[workload];
	struct kq_admitted_podset podset[TAS_PODSETS];
	struct kq_admitted_flavor flavor = { .resource = KQ_CPU, .flavor = instance->flavor };
	for (uint32_t p = 0; p < row->podset_count; p++)
		podset[p] = (struct kq_admitted_podset){ .name = row->podset[p].name,
			.flavor = &flavor,
			.flavor_count = 1,
			.count = row->podset[p].count,
			.placement = instance->podset[p].placement };
	const struct kq_admission admission = { .queue = instance->queue,
		.queue_name = "queue",
		.podset = podset,
		.podset_count = row->podset_count };
	kq_set_admission(instance->kq, workload, &admission);
	row->holds = true;
	kq_tas_add(instance->kq, workload);
}

void tas_leave(struct tas_instance *instance, uint32_t workload)
{
	kq_tas_remove(instance->kq, workload);
	instance->kq->workload[workload].holds = false;
	kq_set_admission(instance->kq, workload, NULL);
}
