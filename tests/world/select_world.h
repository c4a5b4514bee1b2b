/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_world.h - small clusters for tests of the node selection, in a few words, and allocations as text.
 */
#ifndef SL_TEST_SELECT_WORLD_H
#define SL_TEST_SELECT_WORLD_H

#include "policies/slurm/select/select.h"
#include "sim/base/base.h"

enum { SW_TYPES = 8, SW_SETTINGS = 16, SW_PARTITIONS = 4, SW_SWITCHES = 8, SW_TEXT = 2000 };

struct select_world {
	struct sl_arena *arena;
	struct sl_cluster cluster;
	struct sl_node_type type[SW_TYPES];
	struct sl_hardware hardware[SW_TYPES];
	struct sl_setting setting[SW_SETTINGS];
	struct sl_partition partition[SW_PARTITIONS];
	struct sl_switch sw[SW_SWITCHES];
	struct select *select;
	char text[SW_TEXT]; /* Of the last allocation. */
	struct sl_job_desc desc;
};

/* Empty, with one partition "p" of all nodes. */
void sw_begin(struct select_world *w);
/* So many nodes more, "n1", "n2", ... over all types. The hardware may be changed until sw_ready. */
struct sl_hardware *sw_nodes(struct select_world *w, uint32_t count, uint32_t sockets, uint32_t cores,
	uint32_t threads, int64_t mem);
/* Devices of these cores (first..last); last < first: local to all. */
void sw_gres(struct select_world *w, const char *name, const char *type, int64_t count, int first, int last);
struct sl_partition *sw_partition(struct select_world *w, const char *name, const char *nodes);
void sw_set(struct select_world *w, const char *key, const char *value);
void sw_leaf(struct select_world *w, const char *name, uint32_t first, uint32_t last);
void sw_top(struct select_world *w, const char *name, uint32_t first_leaf, uint32_t last_leaf);
void sw_ready(struct select_world *w);
void sw_end(struct select_world *w);

/* An empty request, with 100 MB of memory, to be filled in. */
struct sl_job_desc *sw_desc(struct select_world *w);
/* Where it would go: "n1:0-3" by node, devices as "n1:0-1/gpu2-3"; "busy", "never". With memory: "n1:0=100".
 */
const char *sw_place(struct select_world *w, uint32_t partition, int32_t user);
/* And it is allocated. NULL: it does not fit. */
struct select_alloc *sw_take(struct select_world *w, uint32_t partition, int32_t user);
const char *sw_show(struct select_world *w, const struct select_alloc *alloc, bool memory);

#endif
