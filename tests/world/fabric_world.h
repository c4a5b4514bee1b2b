/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric_world.h - small fabrics for tests: so many equal nodes, and parameters as text.
 */
#ifndef FABRIC_WORLD_H
#define FABRIC_WORLD_H

#include "models/fabric/net.h"

enum { FABRIC_NODES_MAX = 4200, FABRIC_VALUES_MAX = 16 };

struct fabric_world {
	struct sl_arena *arena;
	struct fabric_net *net;
	struct sl_node_type type;
	struct sl_cluster cluster;
	uint32_t node_type[FABRIC_NODES_MAX];
	struct sl_value value[FABRIC_VALUES_MAX];
	char text[FABRIC_VALUES_MAX][80];
	size_t values;
	struct sl_err err;
};

/* "topology=tree nodes_per_leaf=4": values have no blanks; "efficiency=1" and "hop=0" are there unless said.
 * Returns what fabric_net_new does. */
int fabric_world_make(struct fabric_world *w, uint32_t nodes, const char *parameters);
/* The same over network switches, settings and the like that are in w->cluster already. */
int fabric_world_over(struct fabric_world *w, const char *parameters);
void fabric_world_free(struct fabric_world *w);
/* Of a job on so many nodes in a row, from the first on, each with so many ranks. */
struct fabric_path fabric_row(
	struct fabric_world *w, enum sl_pattern pattern, uint32_t first, uint32_t nodes, uint32_t ranks);
/* Its flows on the link of that name; 0: none. */
int64_t fabric_flows_on(const struct fabric_world *w, const struct fabric_path *path, const char *name);
const struct fabric_link *fabric_link_named(const struct fabric_world *w, const char *name);
/* A job alone: how fast a flow is, at most: bytes a second. */
double fabric_alone(const struct fabric_world *w, const struct fabric_path *path);

#endif
