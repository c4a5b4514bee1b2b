/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_file.h - our cluster file, in between: a document with the place of each word (sl_doc), from YAML
 * or JSON. What a map may hold is the schema's matter (cluster_file.c), that no key stands twice is the
 * document's.
 */
#ifndef TRACES_CLUSTER_FILE_H
#define TRACES_CLUSTER_FILE_H

#include "sim/plugin.h"

/* ---- The schema: what maps may hold ----------------------------------------------------------- */

/* The top, of struct cluster_head; an entry of `nodes`, of struct node_entry; one of its gres, or of its GPUs
 * of a type, of struct sl_gres; and of struct sl_partition, sl_switch, sl_license, sl_window_spec and
 * sl_setting. */
extern const struct sl_schema schema_cluster, schema_nodes, schema_gres, schema_gpus, schema_partition,
	schema_switch, schema_license, schema_window, schema_setting;

struct cluster_head {
	const char *name;
	struct sl_cluster_spec whole;
};

/* Groups of devices, and features, of one node. */
enum { ENTRY_GRES_MAX = 64, ENTRY_GPUS_MAX = 8, ENTRY_FEATURES_MAX = 256, CORE_WORDS = SL_CORES_MAX / 64 };
enum { CPU_PARTS = 1000, ENTRY_CPUS_MAX = 1 << 20 };

/* An entry of `nodes` with all that it points to. */
struct node_entry {
	struct sl_nodes_spec spec;
	int64_t cpus;    /* In thousandths, in place of the spec's, which follows from it. */
	int64_t written; /* spec.count, before settings. */
	struct sl_hardware hardware;
	struct sl_gres gres[ENTRY_GRES_MAX];
	struct sl_gres gpu[ENTRY_GPUS_MAX]; /* Of which `gpus` says more than how many: further gres. */
	uint32_t gpu_count;
	uint64_t cores[ENTRY_GRES_MAX][CORE_WORDS];
	const char *feature[ENTRY_FEATURES_MAX];
	bool built; /* Something is said of the hardware. */
};

/* "0-15,32" as bits. False: it is none, or of a core beyond SL_CORES_MAX. */
bool cores_read(const char *text, uint64_t bits[CORE_WORDS]);

/* ---- Entries of `nodes` ------------------------------------------------------------------------ */

struct reading;
/* What the map says, settings included. *at: of the entry. */
int entry_read(const struct reading *r, const struct sl_doc_node *map, struct node_entry *entry);
/* An entry that the file lacks, of no nodes of that type, with the settings that name it. */
int entry_of_type(const struct reading *r, const struct sl_node_model *type, struct node_entry *entry);

/* ---- Sections for models (cluster_sections.c) ---------------------------------------------- */

/* A key of the top that is a model's section, or "models". */
bool is_section(const struct reading *r, const char *key);
/* A key of an entry of nodes that is for models: nic, power_idle ... */
bool is_model_node_key(const char *key);
int sections_read(const struct reading *r);
/* Those keys of an entry, as settings of kind "node". */
int node_settings_read(const struct reading *r, const struct sl_doc_node *map, const char *name);

/* ---- Nodes that settings take away (cluster_taken.c) ---------------------------------------- */

/* *list without them. What it is then may be *made, which the caller frees. */
int taken_trim(const struct reading *r, const char **list, char **made);

/* ---- Settings ------------------------------------------------------------------------------ */

struct cluster_settings {
	const struct sl_cluster_setting *item;
	size_t count;
};

/* Those for this entry, in order, over what the file says. */
int settings_for_entry(const struct cluster_settings *settings, struct node_entry *entry, struct sl_err *err);
int settings_for_partition(
	const struct cluster_settings *settings, struct sl_partition *partition, struct sl_err *err);
/* "cpus", for a counted pool. */
int settings_for_pool(const struct cluster_settings *settings, int64_t *cpus, struct sl_err *err);
/* The node type that the i-th setting names, if no entry took it; else NULL. */
const struct sl_node_model *settings_type(const struct reading *r, size_t i);
/* What no entry of these names took, or does not go with nodes at all, is an error. Names end in NULL. */
int settings_all_used(const struct cluster_settings *settings, bool pool, const char *const *nodes,
	const char *const *partitions, struct sl_err *err);

/* ---- Reading, for the parts of the schema ------------------------------------------------------ */

/* Of an entry called by its name (of hosts, 0): as it is written, and with the settings. */
struct counted {
	int64_t written, now;
};

struct reading {
	const struct sl_doc *doc;
	const struct sl_cluster_sink *sink;
	struct cluster_settings settings;
	const struct sl_doc_node *value[SL_FIELDS_MAX]; /* Of the top; NULL: absent. */
	const char **entry;                             /* Names of the nodes' entries. */
	struct counted *counted;                        /* How many each has. */
	size_t entry_count;
	const char **partition;
	size_t partition_count;
	struct node_entry *node; /* The entry that is being read. */
	struct sl_err *err;
};

const char *text_of(const struct reading *r, const struct sl_doc_node *node);
/* By the table, see sl_schema_read. */
int map_read(const struct reading *r, const struct sl_doc_node *map, const struct sl_schema *schema,
	const struct sl_doc_node *into[SL_FIELDS_MAX], void *base);
/* node is not what it should be: "'key' must be wanted, not ..." */
int fail_value(const struct reading *r, const struct sl_doc_node *node, const char *key, const char *wanted);
int fail_node(const struct reading *r, const struct sl_doc_node *node, const char *what);

/* ---- Writing ----------------------------------------------------------------------------------- */

/* What a cluster reader says, as our file. The sink is for one reader, and is borrowed. */
struct cluster_writing;
int cluster_write_begin(struct cluster_writing **w, const struct sl_cluster_sink **sink,
	const struct sl_plugin *registry, bool json, struct sl_err *err);
/* After the reader, if it did not fail. */
int cluster_write_end(struct cluster_writing *w, struct sl_out *out, struct sl_err *err);
void cluster_write_free(struct cluster_writing *w);

extern const struct sl_cluster_reader cluster_yaml, cluster_json;

#endif
