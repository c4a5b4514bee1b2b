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
static uint32_t split(struct tas_world *world, const char *text, const char **word, uint32_t most)
{
	uint32_t count = 0;
	while (*text && count < most) {
		char one[128];
		const size_t len = strcspn(text, " ");
		(void)snprintf(one, sizeof(one), "%.*s", (int)len, text);
		word[count++] = kq_text(world->kq, one);
		text += len + (text[len] == ' ');
	}
	return count;
}

void tas_begin(struct tas_world *world, const char *levels)
{
	const char *level[KQ_LEVELS_MAX];
	*world = (struct tas_world){ .arena = sl_arena_new() };
	world->kq = kq_new(world->arena);
	world->scratch = kq_scratch_new();
	if (!world->kq || !world->scratch)
		abort();
	const uint32_t count = split(world, levels, level, KQ_LEVELS_MAX);
	world->topology = kq_topology(world->kq, "default");
	struct kq_topology *topology = &world->kq->topology[world->topology];
	topology->exists = true;
	for (uint32_t i = 0; i < count; i++)
		topology->level[topology->level_count++] = kq_text(world->kq, key_of(level[i]));
	world->flavor = tas_flavor(world, "tas");
	world->queue = kq_cluster_queue(world->kq, "queue");
	struct kq_group *group = kq_room(world->kq, 1, sizeof(*group));
	struct kq_group_flavor *flavor = kq_room(world->kq, 1, sizeof(*flavor));
	if (!group || !flavor)
		abort();
	flavor->flavor = world->flavor;
	*group = (struct kq_group){ .flavor = flavor, .flavor_count = 1 };
	world->kq->node[world->queue].exists = true;
	world->kq->node[world->queue].group = group;
	world->kq->node[world->queue].group_count = 1;
}

void tas_end(struct tas_world *world)
{
	kq_scratch_free(world->scratch);
	kq_free(world->kq);
	sl_arena_free(world->arena);
}

uint32_t tas_flavor(struct tas_world *world, const char *name)
{
	const uint32_t flavor = kq_flavor(world->kq, name);
	world->kq->flavor[flavor].exists = true;
	world->kq->flavor[flavor].topology = world->topology;
	return flavor;
}

struct kq_host *tas_host(struct tas_world *world, const char *place, int64_t cpus, int64_t pods)
{
	const char *value[KQ_LEVELS_MAX] = { "" };
	const struct kq_topology *topology = &world->kq->topology[world->topology];
	const uint32_t count = split(world, place, value, KQ_LEVELS_MAX);
	struct sl_label *label = kq_room(world->kq, count, sizeof(*label));
	const struct kq_amount amount[] = { { KQ_PODS, pods }, { KQ_CPU, cpus * 1000 } };
	const uint32_t row = kq_host(world->kq, value[count - 1]);
	if (!label)
		abort();
	for (uint32_t i = 0; i < count; i++)
		label[i] = (struct sl_label){
			i < topology->level_count ? topology->level[i] : "kubernetes.io/hostname", value[i]
		};
	struct kq_host *host = &world->kq->host[row];
	host->labels = (struct sl_labels){ label, count };
	host->allocatable = kq_amounts(world->kq, amount, 2);
	return host;
}

void tas_seal(struct tas_world *world)
{
	if (kq_seal(world->kq) != 0)
		abort();
}

struct kq_amounts tas_cpus(struct tas_world *world, int64_t thousandths)
{
	const struct kq_amount amount = { KQ_CPU, thousandths };
	return kq_amounts(world->kq, &amount, 1);
}

uint32_t tas_workload(struct tas_world *world, const struct kq_podset *podset, uint32_t count)
{
	const uint32_t workload = kq_workload(world->kq, "space", "workload");
	struct kq_podset *own = kq_room(world->kq, count, sizeof(*own));
	if (!own)
		abort();
	memcpy(own, podset, count * sizeof(*own));
	for (uint32_t i = 0; i < count; i++)
		own[i].name = own[i].name ? own[i].name : "main";
	world->kq->workload[workload].podset = own;
	world->kq->workload[workload].podset_count = count;
	return workload;
}

const char *tas_text(struct tas_world *world, const struct kq_placement *placement)
{
	size_t used = strlen(world->text);
	char *text = world->text;
	if (!placement)
		used += (size_t)snprintf(text + used, sizeof(world->text) - used, "-");
	for (uint32_t i = 0; placement && i < placement->count && used < sizeof(world->text); i++) {
		used += (size_t)snprintf(text + used, sizeof(world->text) - used, "%s", i ? " " : "");
		for (uint32_t l = 0; l < placement->level_count && used < sizeof(world->text); l++)
			used += (size_t)snprintf(text + used, sizeof(world->text) - used, "%s%s",
				l ? "/" : "", placement->domain[i].value[l]);
		if (used < sizeof(world->text))
			used += (size_t)snprintf(text + used, sizeof(world->text) - used, ":%" PRId64,
				placement->domain[i].count);
	}
	return text;
}

const char *tas_place(struct tas_world *world, uint32_t workload, bool empty)
{
	const struct kq_workload *row = &world->kq->workload[workload];
	uint32_t failed = 0;
	world->assignment = (struct kq_assignment){ .workload = workload,
		.queue = world->queue,
		.podset = world->podset,
		.podset_count = row->podset_count,
		.mode = KQ_FIT };
	for (uint32_t p = 0; p < row->podset_count; p++) {
		world->pick[p] =
			(struct kq_pick){ .resource = KQ_CPU, .flavor = world->flavor, .mode = KQ_FIT };
		world->podset[p] = (struct kq_podset_assignment){ .podset = p,
			.count = row->podset[p].count,
			.pick = &world->pick[p],
			.pick_count = 1,
			.mode = KQ_FIT };
	}
	world->why = NULL;
	(void)kq_tas_place(world->kq, world->scratch, &world->assignment, empty, &world->why, &failed);
	world->text[0] = '\0';
	for (uint32_t p = 0; p < row->podset_count; p++) {
		const size_t used = strlen(world->text);
		(void)snprintf(world->text + used, sizeof(world->text) - used, "%s", p ? " | " : "");
		(void)tas_text(world, world->podset[p].placement);
	}
	return world->text;
}

void tas_admit(struct tas_world *world, uint32_t workload)
{
	struct kq_workload *row = &world->kq->workload[workload];
	struct kq_admitted_podset podset[TAS_PODSETS];
	struct kq_admitted_flavor flavor = { .resource = KQ_CPU, .flavor = world->flavor };
	for (uint32_t p = 0; p < row->podset_count; p++)
		podset[p] = (struct kq_admitted_podset){ .name = row->podset[p].name,
			.flavor = &flavor,
			.flavor_count = 1,
			.count = row->podset[p].count,
			.placement = world->podset[p].placement };
	const struct kq_admission admission = { .queue = world->queue,
		.queue_name = "queue",
		.podset = podset,
		.podset_count = row->podset_count };
	kq_set_admission(world->kq, workload, &admission);
	row->holds = true;
	kq_tas_add(world->kq, workload);
}

void tas_leave(struct tas_world *world, uint32_t workload)
{
	kq_tas_remove(world->kq, workload);
	world->kq->workload[workload].holds = false;
	kq_set_admission(world->kq, workload, NULL);
}
