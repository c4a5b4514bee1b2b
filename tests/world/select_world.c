/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_world.c - small clusters for tests of the node selection, in a few words, and allocations as text.
 */
#include "tests/world/select_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sw_begin(struct select_world *w)
{
	static const char *const kinds[] = { "cpus", "memory" };
	memset(w, 0, sizeof(*w));
	w->arena = sl_arena_new();
	w->cluster = (struct sl_cluster){ .kind_count = 2,
		.kind_name = kinds,
		.select = SL_SELECT_CORES,
		.mem_counts = true,
		.type = w->type,
		.setting = w->setting,
		.partition = w->partition,
		.sw = w->sw };
	(void)sw_partition(w, "p", NULL);
}

struct sl_hardware *sw_nodes(struct select_world *w, uint32_t count, uint32_t sockets, uint32_t cores,
	uint32_t threads, int64_t mem)
{
	const uint32_t type = w->cluster.type_count++;
	struct sl_hardware *h = &w->hardware[type];
	*h = (struct sl_hardware){ .boards = 1,
		.sockets = sockets,
		.cores = cores,
		.threads = threads,
		.weight = 1,
		.gres = sl_alloc(w->arena, 16, sizeof(struct sl_gres)) };
	w->type[type] = (struct sl_node_type){ .name = "t", .hardware = h };
	w->type[type].amount[0] = (int64_t)sockets * cores * threads;
	w->type[type].amount[1] = mem;
	uint32_t *types = sl_alloc(w->arena, w->cluster.node_count + count, sizeof(*types));
	const char **names = sl_alloc(w->arena, w->cluster.node_count + count, sizeof(*names));
	for (uint32_t n = 0; n < w->cluster.node_count + count; n++) {
		char name[20];
		const int len = snprintf(name, sizeof(name), "n%u", n + 1);
		names[n] = sl_strdup(w->arena, name, (size_t)len);
		types[n] = n < w->cluster.node_count ? w->cluster.node_type[n] : type;
	}
	w->cluster.node_count += count;
	w->cluster.node_type = types;
	w->cluster.node_name = names;
	return h;
}

void sw_gres(struct select_world *w, const char *name, const char *type, int64_t count, int first, int last)
{
	struct sl_hardware *h = &w->hardware[w->cluster.type_count - 1];
	uint64_t *cores = first <= last ? sl_alloc(w->arena, SL_CORES_MAX / 64, sizeof(*cores)) : NULL;
	for (int c = first; c <= last; c++)
		cores[c / 64] |= UINT64_C(1) << (c % 64);
	struct sl_gres *gres = sl_alloc(w->arena, h->gres_count + 1, sizeof(*gres));
	if (h->gres_count)
		memcpy(gres, h->gres, h->gres_count * sizeof(*gres));
	gres[h->gres_count++] =
		(struct sl_gres){ .name = name, .type = type, .count = count, .cores = cores };
	h->gres = gres;
}

struct sl_partition *sw_partition(struct select_world *w, const char *name, const char *nodes)
{
	struct sl_partition *p = &w->partition[w->cluster.partition_count++];
	*p = (struct sl_partition){ .name = name,
		.nodes = nodes,
		.max_time = SL_NEVER,
		.nodes_min = SL_NONE,
		.nodes_max = SL_NONE,
		.cpus_per_node_max = SL_NONE,
		.mem_per_node = SL_NONE,
		.mem_per_cpu = SL_NONE,
		.mem_per_gpu = SL_NONE,
		.cpus_per_gpu = SL_NONE,
		.mem_per_node_max = SL_NONE,
		.mem_per_cpu_max = SL_NONE,
		.tier = SL_NONE,
		.shares = SL_NONE };
	return p;
}

void sw_set(struct select_world *w, const char *key, const char *value)
{
	w->setting[w->cluster.setting_count++] =
		(struct sl_setting){ .kind = "cluster", .name = "", .key = key, .value = value };
}

static void join(struct select_world *w, uint32_t sw, uint32_t first, uint32_t last)
{
	uint32_t *node = sl_alloc(w->arena, last - first + 1, sizeof(*node));
	for (uint32_t n = first; n <= last; n++)
		node[n - first] = n - 1;
	w->sw[sw].node = node;
	w->sw[sw].node_count = last - first + 1;
}

void sw_leaf(struct select_world *w, const char *name, uint32_t first, uint32_t last)
{
	const uint32_t sw = w->cluster.switch_count++;
	w->cluster.topology = SL_TOPOLOGY_TREE;
	w->sw[sw] = (struct sl_switch){ .name = name, .parent = UINT32_MAX };
	join(w, sw, first, last);
}

void sw_top(struct select_world *w, const char *name, uint32_t first_leaf, uint32_t last_leaf)
{
	const uint32_t sw = w->cluster.switch_count++;
	w->sw[sw] = (struct sl_switch){ .name = name, .parent = UINT32_MAX, .level = 1 };
	for (uint32_t i = first_leaf; i <= last_leaf; i++)
		w->sw[i].parent = sw;
	join(w, sw, w->sw[first_leaf].node[0] + 1,
		w->sw[last_leaf].node[w->sw[last_leaf].node_count - 1] + 1);
}

void sw_ready(struct select_world *w)
{
	struct sl_err err = { 0 };
	w->select = select_new(&w->cluster, w->arena, &err);
	if (!w->select) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort(); /* NOLINT: a test of ours is wrong. */
	}
}

void sw_end(struct select_world *w) { sl_arena_free(w->arena); }

struct sl_job_desc *sw_desc(struct select_world *w)
{
	sl_job_desc_clear(&w->desc);
	w->desc.mem_per_node = 100;
	return &w->desc;
}

static size_t put_bits(char *text, size_t capacity, const uint64_t *bits, uint32_t count)
{
	size_t at = 0;
	for (uint32_t i = 0, first = 1; i < count; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		uint32_t last = i;
		while (last + 1 < count && (bits[(last + 1) / 64] >> ((last + 1) % 64) & 1))
			last++;
		at += (size_t)snprintf(
			text + at, capacity - at, last > i ? "%s%u-%u" : "%s%u", first ? "" : ",", i, last);
		first = 0;
		i = last;
	}
	return at;
}

const char *sw_show(struct select_world *w, const struct select_alloc *alloc, bool memory)
{
	size_t at = 0;
	for (uint32_t i = 0; i < alloc->node_count && at + 200 < SW_TEXT; i++) {
		const struct select_node_alloc *p = &alloc->node_alloc[i];
		const struct sl_hardware *h = w->type[w->cluster.node_type[p->node]].hardware;
		at += (size_t)snprintf(w->text + at, SW_TEXT - at, "%sn%u:", i ? " " : "", p->node + 1);
		at += put_bits(w->text + at, SW_TEXT - at, p->cores, h->sockets * h->cores);
		for (uint32_t g = 0; p->gres && g < select_gres_count(w->select); g++) {
			if (!p->gres[g].count)
				continue;
			at += (size_t)snprintf(
				w->text + at, SW_TEXT - at, "/%s", select_gres_name(w->select, g));
			at += put_bits(w->text + at, SW_TEXT - at, &p->gres[g].devices, 64);
			if (__builtin_popcountll(p->gres[g].devices) != p->gres[g].count)
				at += (size_t)snprintf(
					w->text + at, SW_TEXT - at, "*%lld", (long long)p->gres[g].count);
		}
		if (memory)
			at += (size_t)snprintf(w->text + at, SW_TEXT - at, "=%lld", (long long)p->mem);
	}
	return w->text;
}

static enum select_answer desc(
	struct select_world *w, uint32_t partition, int32_t user, const struct select_alloc **out)
{
	const struct select_job job = { .desc = &w->desc, .partition = partition, .user = user };
	return select_place(w->select, &job, NULL, SELECT_NOW, out);
}

const char *sw_place(struct select_world *w, uint32_t partition, int32_t user)
{
	const struct select_alloc *out;
	switch (desc(w, partition, user, &out)) {
	case SELECT_FITS:
		return sw_show(w, out, false);
	case SELECT_BUSY:
		return "busy";
	case SELECT_NEVER:
		break;
	}
	return "never";
}

struct select_alloc *sw_take(struct select_world *w, uint32_t partition, int32_t user)
{
	const struct select_alloc *out;
	if (desc(w, partition, user, &out) != SELECT_FITS)
		return NULL;
	(void)sw_show(w, out, false);
	return select_take(w->select, out);
}
