/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_machine.h - a cluster while it is loaded: what scenario_cluster.c, _windows.c and _request.c
 * share.
 */
#ifndef SL_SCENARIO_MACHINE_H
#define SL_SCENARIO_MACHINE_H

#include "sim/names.h"
#include "sim/scenario_parts.h"

enum { NODES_MAX = 10000000, WINDOW_NODES_MAX = 20000000, NODE_NAME_MAX = 63 };

struct entry {
	const char *name;
	struct sl_place at;
	uint32_t first, count; /* Its nodes. */
	uint32_t type;
};

struct window_spec {
	struct sl_window_spec spec;
	struct sl_place at;
};

struct machine {
	struct scenario *scenario;
	struct names kinds; /* Of GPUs. */
	struct entry *entry;
	size_t entry_count, entry_capacity;
	uint32_t *by_name; /* Entries by their names. */
	struct sl_node_type *type;
	size_t type_count, type_capacity;
	struct window_spec *window;
	size_t window_count, window_capacity;
	uint64_t nodes, window_nodes;
	bool unbounded; /* Some node names no memory. */
};

/* The entry of that name, or NULL. */
const struct entry *machine_entry(const struct machine *machine, const char *name, size_t len);
/* The node of that name, "n" of an entry of one, or "n7" of "n", but not of the entry `but`; UINT32_MAX:
 * none. */
uint32_t machine_node(const struct machine *machine, const char *name, size_t len, const struct entry *but);
/* A new type. */
int machine_type(
	struct machine *machine, const struct sl_node_type *type, uint32_t *index, struct sl_err *err);

#endif
