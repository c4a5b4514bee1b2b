/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_machine.h - a cluster while it is loaded: what scenario_cluster.c, _hardware.c, _sets.c,
 * _switches.c, _reservations.c, _request.c, _desc.c and _devices.c share.
 *
 * Nodes of one type stay equal. A list of nodes that something is bound to splits the types, so that each
 * list, and all that is made of such lists, is a set of types. A type that was split off records its origin:
 * a set that is older than the type is looked up by that one.
 */
#ifndef SL_SCENARIO_MACHINE_H
#define SL_SCENARIO_MACHINE_H

#include "sim/base/names.h"
#include "sim/scenario/scenario_parts.h"

enum {
	NODES_MAX = 10000000,
	NODE_AMOUNT_MAX = (1 << 28) - 1, /* Cpus, and GPUs of one type; in parts, too. */
	WINDOW_NODES_MAX = 20000000,
	NODE_NAME_MAX = 63,
	LIST_NODES_MAX = 40000000, /* In all lists together. */
	SETS_MAX = 4096,
	WINDOWS_MAX_ALL = 10000, /* Repeated ones included. */
	ISLANDS_MAX = 1 << 16,   /* Over several nodes. */
};

struct entry {
	const char *name;
	struct sl_place at;
	uint32_t first, count; /* Its nodes. */
	uint32_t type;
	uint32_t island; /* So many of its nodes in a row share one; 0: each has its own. */
	bool listed;     /* Its nodes have names of their own. */
};

struct window_spec {
	struct sl_window_spec spec;
	struct sl_place at;
	uint32_t set;   /* Of its nodes, once it was queried; UINT32_MAX: not yet. */
	uint32_t first; /* Of its windows, among the cluster's; once they are made. */
};

/* Types of nodes, by bits: those that there were when it was made. */
struct type_set {
	uint64_t *bit;
	uint32_t types;
};

/* What a group is bound to: all of these (UINT32_MAX: not given), and none of those. */
struct binding {
	uint32_t partition, constraint, list, exclude, window;
	const struct window_spec *own; /* Its window, which is not closed to it. */
};
#define BINDING_NONE                                                             \
	{                                                                        \
		UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, NULL \
	}

struct machine {
	struct scenario *scenario;
	struct binding bound_last; /* The last that was queried, */
	uint32_t bound_number;     /* and its number. */
	bool bound_known;
	struct names kinds;                    /* Of GPUs. */
	struct names mig;                      /* Models of those that are divided, */
	const struct sl_mig_model **mig_model; /* as many, */
	struct names profiles;                 /* requests of them, */
	struct sl_mig_profile *mig_fit;        /* and how that lies on each: [profile * models + model]. */
	size_t mig_capacity, fit_capacity;
	struct names files; /* That places name. */
	struct names hosts; /* Of listed nodes, */
	uint32_t *host;     /* and which they are. */
	size_t host_capacity;
	struct entry *entry;
	size_t entry_count, entry_capacity;
	uint32_t *by_name; /* Entries by their names. */
	struct sl_node_type *type;
	uint32_t *type_parent; /* UINT32_MAX: none. */
	uint32_t *type_nodes;  /* How many. */
	size_t type_count, type_capacity, parent_capacity, nodes_capacity;
	uint32_t *node_type; /* By node. */
	uint32_t *moved;     /* Scratch: by type. */
	size_t moved_capacity;
	struct window_spec *window;
	size_t window_count, window_capacity;
	struct sl_partition *partition;
	struct sl_place *partition_at;
	size_t partition_count, partition_capacity, at_capacity;
	struct sl_switch *sw;
	struct sl_place *sw_at;
	size_t sw_count, sw_capacity, sw_at_capacity;
	struct sl_license *license;
	size_t license_count, license_capacity;
	struct sl_setting *setting;
	size_t setting_count, setting_capacity;
	struct side_files read;
	struct sl_object *object;
	size_t object_count, object_capacity;
	/* Sets: of lists and partitions, and those that groups are bound to, by what they are made of. */
	struct type_set *set;
	size_t set_count, set_capacity;
	struct names set_names; /* "C:", "L:"..., */
	uint32_t *set_named;    /* and which they are; UINT32_MAX: none of that name can be. */
	size_t set_named_capacity;
	uint32_t *bound; /* Sets that groups are bound to: as the cluster numbers them. */
	size_t bound_count, bound_capacity;
	uint32_t closed;       /* The set of nodes that are down for ever; UINT32_MAX: none is. */
	uint32_t closed_bound; /* All others, as the cluster numbers it; 0: all nodes are up. */
	uint64_t nodes, window_nodes, list_nodes;
	bool unbounded; /* Some node names no memory. */
};

/* ---- scenario_identity.c ------------------------------------------------------------------------ */

/* Once all is read: a hash of what it came to, whatever the order. */
int machine_identity(const struct machine *machine, char hex[65], struct sl_err *err);

/* ---- scenario_devices.c ------------------------------------------------------------------------- */

/* Once all types are known: the devices of each, and the models of those that are divided. */
int devices_make(struct machine *machine, struct sl_err *err);
/* The number of the profile, from 1; 0: no model of the cluster has it. */
int devices_profile(struct machine *machine, const char *name, uint32_t *number, struct sl_err *err);
/* What the task counts as in GPUs: a profile its eighths, memory the least share of a device that will do of
 * the nodes of that set. Why there is no such thing, else CAUSE_COUNT. */
enum cause devices_count(const struct machine *machine, struct sl_task_resources *task, uint32_t set);
/* How many tasks fit on the GPUs of an idle node of the type. */
int64_t devices_tasks(
	const struct machine *machine, const struct sl_node_type *type, const struct sl_task_resources *task);
/* Once the types stand for good. */
int devices_lend(const struct machine *machine, struct sl_err *err);

/* ---- scenario_objects.c ------------------------------------------------------------------------ */

/* Objects that the reader reports (sl_cluster_sink.objects), self is the machine; */
int objects_add(
	void *self, struct sl_doc *doc, const struct sl_object *object, size_t count, struct sl_err *err);
/* and once nodes have names: objects and labels, as of the cluster. */
int objects_lend(const struct machine *machine, struct sl_err *err);
/* Those of cluster.objects=PATH, besides. all: where the cluster's own reader puts what it reads. */
int objects_read(struct machine *machine, const struct loading *loading, const struct sl_cluster_sink *all,
	struct sl_err *err);

/* ---- scenario_hardware.c ------------------------------------------------------------------------ */

/* The scenario's own copy; NULL: out of memory. */
const struct sl_hardware *hardware_copy(struct sl_arena *arena, const struct sl_hardware *from);
/* Either may be NULL. */
bool hardware_same(const struct sl_hardware *a, const struct sl_hardware *b);
bool hardware_has(const struct sl_hardware *hardware, const char *feature, size_t len);

/* The entry of that name, or NULL. */
const struct entry *machine_entry(const struct machine *machine, const char *name, size_t len);
/* The node of that name, "n" of an entry of one, or "n7" of "n", but not of the entry `but`; UINT32_MAX:
 * none. */
uint32_t machine_node(const struct machine *machine, const char *name, size_t len, const struct entry *but);
/* A new type, like that one if it is parted off it (UINT32_MAX: of none). */
int machine_type(struct machine *machine, const struct sl_node_type *type, uint32_t parent, uint32_t *index,
	struct sl_err *err);
/* The partition of that name; UINT32_MAX: none. */
uint32_t machine_partition(const struct machine *machine, const char *name, size_t len);
/* From always, without end. */
bool window_is_for_ever(const struct window_spec *window);
const char *window_word(enum sl_window_kind kind);

/* ---- scenario_sets.c ----------------------------------------------------------------------------- */

/* Nodes by their names, ascending, each once. */
struct node_list {
	struct machine *machine;
	uint32_t *node;
	size_t count, capacity;
};
/* "n[1-4,7], m7, gpu": names, lists and entries. 0; 1: `unknown` is what is not known of it (text lent, as
 * long as the list); negative: out of memory, or too many nodes in all. */
struct unknown {
	const char *text;
	size_t len;
	char name[NODE_NAME_MAX + 1];
};
int node_list_add(struct node_list *list, const char *text, struct unknown *unknown, struct sl_err *err);
void node_list_release(struct node_list *list);
/* The nodes of a window. */
int window_list(const struct window_spec *spec, struct node_list *list, struct sl_err *err);

/* Parts the types by these nodes. */
int machine_part(struct machine *machine, const uint32_t *node, size_t count, struct sl_err *err);
/* Once names and types stand: set 0, partitions, nodes that are down. */
int sets_begin(struct machine *machine, struct sl_err *err);
bool set_has(const struct machine *machine, uint32_t set, uint32_t type);
uint32_t set_nodes(const struct machine *machine, uint32_t set);
/* The set of a list, which is made if there is none; *count: how many nodes it names. UINT32_MAX: it names
 * nodes that there are not. */
int set_of_list(
	struct machine *machine, const char *text, uint32_t *set, uint32_t *count, struct sl_err *err);
/* The set of a constraint. UINT32_MAX: it is none, or names a feature that no node has. */
int set_of_constraint(struct machine *machine, const char *text, uint32_t *set, struct sl_err *err);
/* The set of a reservation's nodes. */
int set_of_window(struct machine *machine, struct window_spec *window, uint32_t *set, struct sl_err *err);
/* Its number among the sets that groups are bound to. UINT32_MAX: they are too many. */
int set_bind(struct machine *machine, const struct binding *binding, uint32_t *bound, struct sl_err *err);
/* The same without what is down. */
bool binding_has(const struct machine *machine, const struct binding *binding, uint32_t type);
/* Once the types stand for good: place[type] is its number then. */
int sets_lend(const struct machine *machine, const uint32_t *place, uint32_t types, struct sl_err *err);

/* ---- scenario_switches.c ------------------------------------------------------------------------- */

int switches_finish(struct machine *machine, struct sl_err *err);

/* ---- scenario_desc.c -------------------------------------------------------------------------------- */

/* What else a job description comes to, besides its group. */
struct asked {
	enum cause cause; /* Why it may not run (CAUSE_COUNT: it may). */
	struct binding binding;
	uint32_t partition; /* UINT32_MAX: none. */
	uint32_t window;    /* Of the machine's; UINT32_MAX: none. */
	sl_time limit;      /* Where the job has none; 0: neither has the partition. */
};
int desc_group(struct machine *machine, const struct sl_job_desc *desc, const struct sl_row *row,
	struct sl_group *group, struct asked *asked, struct sl_err *err);

/* The same of one that may not run: its request, as far as its description says. */
int desc_said(
	struct machine *machine, const struct sl_job_desc *desc, struct sl_group *group, struct sl_err *err);

/* Of a row in groups: the set that its partition's name binds it to (no name: the default partition's),
 * whether it gets its nodes wholly there, and the limit of those that have none (0: nor has the partition).
 */
struct bound_row {
	struct binding binding;
	uint32_t node_set;
	bool exclusive;
	sl_time limit;
};
int desc_bind(struct machine *machine, const char *partition, struct bound_row *bound, enum cause *cause,
	struct sl_err *err);

#endif
