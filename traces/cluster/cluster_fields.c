/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_fields.c - the schema of our cluster file as tables: reader, writer and settings go by them.
 */
#include <stdio.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

/* Memory below what stands for no bound, on each of the most nodes, is a sum that fits in 63 bits. */
static const int64_t memory_max = SL_MEM_UNBOUNDED / 2;

#define TEXT_FIELD(type, word, member)                                             \
	{                                                                          \
		.key = (word), .kind = SL_FIELD_TEXT, .at = offsetof(type, member) \
	}
#define OTHER_FIELD(word)                             \
	{                                             \
		.key = (word), .kind = SL_FIELD_OTHER \
	}
#define BOOL_FIELD(type, word, member)                                             \
	{                                                                          \
		.key = (word), .kind = SL_FIELD_BOOL, .at = offsetof(type, member) \
	}
#define CHOICE_FIELD(type, word, member, words)                                                         \
	{                                                                                               \
		.key = (word), .kind = SL_FIELD_CHOICE, .at = offsetof(type, member), .choice = (words) \
	}
#define NUMBER_FIELD(type, word, of, member, least, most, absent)                                         \
	{                                                                                                 \
		.key = (word), .kind = (of), .at = offsetof(type, member), .min = (least), .max = (most), \
		.unset = (absent)                                                                         \
	}

/* Enums are read and written as this. */
_Static_assert(sizeof(enum sl_share) == sizeof(unsigned), "an enum is as wide as an unsigned");

/* In the order of the enums. */
static const char *const select_words[] = { "ours", "cores", "linear", NULL };
static const char *const topology_words[] = { "none", "tree", "block", NULL };
static const char *const node_state_words[] = { "up", "drain", "down", "maint", "powered_down", "planned",
	"future", NULL };
static const char *const partition_state_words[] = { "up", "down", "drain", "inactive", NULL };
static const char *const share_words[] = { "no", "yes", "force", "exclusive", NULL };
static const char *const window_words[] = { "reserved", "maint", "outage", "state", NULL };
static const char *const coverage_words[] = { "modelled", "approximated", "ignored", "unknown", NULL };

/* ---- The top --------------------------------------------------------------------------------- */

static const struct sl_field cluster_fields[] = {
	TEXT_FIELD(struct cluster_head, "name", name),
	CHOICE_FIELD(struct cluster_head, "select", whole.select, select_words),
	CHOICE_FIELD(struct cluster_head, "topology", whole.topology, topology_words),
	{ .key = "memory_counts",
		.kind = SL_FIELD_BOOL,
		.at = offsetof(struct cluster_head, whole.mem_counts),
		.unset = true },
	OTHER_FIELD("cpus"),
	OTHER_FIELD("nodes"),
	OTHER_FIELD("partitions"),
	OTHER_FIELD("switches"),
	OTHER_FIELD("licenses"),
	OTHER_FIELD("reservations"),
	OTHER_FIELD("settings"),
};
const struct sl_schema schema_cluster = { "clusters have", cluster_fields, SL_LEN(cluster_fields), NULL };

/* ---- Nodes ----------------------------------------------------------------------------------- */

#define NODE(word, of, member, least, most, absent) \
	NUMBER_FIELD(struct node_entry, word, of, member, least, most, absent)

static const struct sl_field node_fields[] = {
	TEXT_FIELD(struct node_entry, "name", spec.name),
	OTHER_FIELD("type"),
	TEXT_FIELD(struct node_entry, "hosts", spec.hosts),
	NODE("count", SL_FIELD_COUNT, spec.count, 0, 10000000, 1),
	NODE("cpus", SL_FIELD_MILLI, cpus, 1, (int64_t)ENTRY_CPUS_MAX *CPU_PARTS, SL_NONE),
	NODE("memory", SL_FIELD_MEMORY, spec.mem, 1, memory_max, SL_NONE),
	OTHER_FIELD("gpus"),
	OTHER_FIELD("gpu_type"),
	NODE("nodes_per_island", SL_FIELD_U32, spec.island, 0, 10000000, 0),
	NODE("boards", SL_FIELD_U32, hardware.boards, 1, SL_CORES_MAX, 1),
	NODE("sockets", SL_FIELD_U32, hardware.sockets, 1, SL_CORES_MAX, 0),
	NODE("cores", SL_FIELD_U32, hardware.cores, 1, SL_CORES_MAX, 0),
	NODE("threads", SL_FIELD_U32, hardware.threads, 1, 64, 0),
	OTHER_FIELD("features"),
	NODE("weight", SL_FIELD_COUNT, hardware.weight, 0, UINT32_MAX, 1),
	OTHER_FIELD("gres"),
	CHOICE_FIELD(struct node_entry, "state", hardware.state, node_state_words),
	TEXT_FIELD(struct node_entry, "reason", hardware.state_reason),
	NODE("tmp_disk", SL_FIELD_MEMORY, hardware.tmp_disk, 0, memory_max, 0),
	NODE("cores_kept", SL_FIELD_U32, hardware.cores_kept, 0, SL_CORES_MAX, 0),
	NODE("memory_kept", SL_FIELD_MEMORY, hardware.mem_kept, 0, memory_max, 0),
};
const struct sl_schema schema_nodes = { "nodes have", node_fields, SL_LEN(node_fields), NULL };

static const struct sl_field gres_fields[] = {
	{ .key = "name", .kind = SL_FIELD_WORD, .at = offsetof(struct sl_gres, name), .needed = true },
	TEXT_FIELD(struct sl_gres, "type", type),
	NUMBER_FIELD(struct sl_gres, "count", SL_FIELD_COUNT, count, 0, INT64_C(1) << 51, 1),
	OTHER_FIELD("cores"),
	TEXT_FIELD(struct sl_gres, "nic", nic),
	NUMBER_FIELD(struct sl_gres, "memory", SL_FIELD_MEMORY, mem, 0, memory_max, 0),
	BOOL_FIELD(struct sl_gres, "no_consume", no_consume),
	TEXT_FIELD(struct sl_gres, "mig", mig),
	NUMBER_FIELD(struct sl_gres, "gpus_per_island", SL_FIELD_U32, island, 0, 1 << 16, 0),
};
const struct sl_schema schema_gres = { "gres have", gres_fields, SL_LEN(gres_fields), NULL };

/* The map's key is their type. */
static const struct sl_field gpus_fields[] = {
	NUMBER_FIELD(struct sl_gres, "count", SL_FIELD_COUNT, count, 0, 1 << 16, 1),
	NUMBER_FIELD(struct sl_gres, "memory", SL_FIELD_MEMORY, mem, 0, memory_max, 0),
	TEXT_FIELD(struct sl_gres, "mig", mig),
	NUMBER_FIELD(struct sl_gres, "gpus_per_island", SL_FIELD_U32, island, 0, 1 << 16, 0),
};
const struct sl_schema schema_gpus = { "GPUs of a type have", gpus_fields, SL_LEN(gpus_fields), NULL };

/* ---- Partitions ------------------------------------------------------------------------------ */

#define PARTITION(word, of, member, least) \
	NUMBER_FIELD(struct sl_partition, word, of, member, least, INT64_MAX, SL_NONE)

static const struct sl_field partition_fields[] = {
	{ .key = "name", .kind = SL_FIELD_TEXT, .at = offsetof(struct sl_partition, name), .needed = true },
	TEXT_FIELD(struct sl_partition, "nodes", nodes),
	PARTITION("max_time", SL_FIELD_TIME, max_time, 0),
	PARTITION("default_time", SL_FIELD_TIME, default_time, 0),
	PARTITION("nodes_min", SL_FIELD_COUNT, nodes_min, 0),
	PARTITION("nodes_max", SL_FIELD_COUNT, nodes_max, 0),
	PARTITION("cpus_per_node_max", SL_FIELD_COUNT, cpus_per_node_max, 0),
	PARTITION("memory_per_node", SL_FIELD_MEMORY, mem_per_node, 0),
	PARTITION("memory_per_cpu", SL_FIELD_MEMORY, mem_per_cpu, 0),
	PARTITION("memory_per_gpu", SL_FIELD_MEMORY, mem_per_gpu, 0),
	PARTITION("cpus_per_gpu", SL_FIELD_COUNT, cpus_per_gpu, 0),
	PARTITION("memory_per_node_max", SL_FIELD_MEMORY, mem_per_node_max, 0),
	PARTITION("memory_per_cpu_max", SL_FIELD_MEMORY, mem_per_cpu_max, 0),
	PARTITION("tier", SL_FIELD_COUNT, tier, 0),
	PARTITION("job_factor", SL_FIELD_COUNT, job_factor, 0),
	CHOICE_FIELD(struct sl_partition, "share", share, share_words),
	PARTITION("shares", SL_FIELD_COUNT, shares, 0),
	CHOICE_FIELD(struct sl_partition, "state", state, partition_state_words),
	BOOL_FIELD(struct sl_partition, "default", is_default),
	BOOL_FIELD(struct sl_partition, "hidden", hidden),
	BOOL_FIELD(struct sl_partition, "root_only", root_only),
	BOOL_FIELD(struct sl_partition, "exclusive_user", exclusive_user),
	BOOL_FIELD(struct sl_partition, "least_loaded", least_loaded),
};
const struct sl_schema schema_partition = { "partitions have", partition_fields, SL_LEN(partition_fields),
	NULL };

/* ---- Switches, licences, windows, settings ----------------------------------------------------- */

static const struct sl_field switch_fields[] = {
	{ .key = "name", .kind = SL_FIELD_TEXT, .at = offsetof(struct sl_switch, name), .needed = true },
	TEXT_FIELD(struct sl_switch, "nodes", nodes),
	TEXT_FIELD(struct sl_switch, "switches", switches),
	NUMBER_FIELD(struct sl_switch, "speed", SL_FIELD_COUNT, speed, 0, INT64_MAX, 0),
};
const struct sl_schema schema_switch = { "switches have", switch_fields, SL_LEN(switch_fields), NULL };

static const struct sl_field license_fields[] = {
	{ .key = "name", .kind = SL_FIELD_TEXT, .at = offsetof(struct sl_license, name), .needed = true },
	NUMBER_FIELD(struct sl_license, "total", SL_FIELD_COUNT, total, 0, INT64_C(1) << 40, 1),
};
const struct sl_schema schema_license = { "licenses have", license_fields, SL_LEN(license_fields), NULL };

static const struct sl_field window_fields[] = {
	{ .key = "name", .kind = SL_FIELD_TEXT, .at = offsetof(struct sl_window_spec, name), .needed = true },
	TEXT_FIELD(struct sl_window_spec, "nodes", nodes),
	NUMBER_FIELD(struct sl_window_spec, "cpus", SL_FIELD_COUNT, cpus, 1, INT32_MAX, 0),
	TEXT_FIELD(struct sl_window_spec, "start", from),
	TEXT_FIELD(struct sl_window_spec, "end", until),
	TEXT_FIELD(struct sl_window_spec, "duration", length),
	CHOICE_FIELD(struct sl_window_spec, "kind", kind, window_words),
	TEXT_FIELD(struct sl_window_spec, "users", users),
	TEXT_FIELD(struct sl_window_spec, "accounts", accounts),
	TEXT_FIELD(struct sl_window_spec, "flags", flags),
};
const struct sl_schema schema_window = { "reservations have", window_fields, SL_LEN(window_fields), NULL };

static const struct sl_field setting_fields[] = {
	TEXT_FIELD(struct sl_setting, "kind", kind),
	{ .key = "name", .kind = SL_FIELD_ANY, .at = offsetof(struct sl_setting, name) },
	{ .key = "key", .kind = SL_FIELD_TEXT, .at = offsetof(struct sl_setting, key), .needed = true },
	{ .key = "value", .kind = SL_FIELD_ANY, .at = offsetof(struct sl_setting, value), .needed = true },
	CHOICE_FIELD(struct sl_setting, "coverage", coverage, coverage_words),
	TEXT_FIELD(struct sl_setting, "note", note),
	TEXT_FIELD(struct sl_setting, "by", by),
};
const struct sl_schema schema_setting = { "settings have", setting_fields, SL_LEN(setting_fields), NULL };

/* ---- Cores ------------------------------------------------------------------------------------ */

static bool core_read(const char **p, int64_t *core)
{
	const size_t len = strspn(*p, "0123456789");
	if (!len || !sl_get_i64(*p, len, core) || *core >= SL_CORES_MAX)
		return false;
	*p += len;
	return true;
}

bool cores_read(const char *text, uint64_t bits[CORE_WORDS])
{
	memset(bits, 0, CORE_WORDS * sizeof(*bits));
	for (;; text++) {
		int64_t first;
		int64_t last;
		if (!core_read(&text, &first))
			return false;
		last = first;
		if (*text == '-' && (text++, !core_read(&text, &last) || last < first))
			return false;
		for (int64_t core = first; core <= last; core++)
			bits[core / 64] |= UINT64_C(1) << (core % 64);
		if (*text != ',')
			return !*text;
	}
}
