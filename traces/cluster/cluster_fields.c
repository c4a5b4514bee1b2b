/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_fields.c - the schema of our cluster file as tables: reader, writer and settings go by them.
 */
#include <stdio.h>
#include <string.h>

#include "traces/cluster/cluster_file.h"

/* Memory below what stands for no bound, on each of the most nodes, is a sum that fits in 63 bits. */
static const int64_t memory_max = SL_MEM_UNBOUNDED / 2;

#define TEXT_FIELD(type, word, member)                                          \
	{                                                                       \
		.key = (word), .kind = FIELD_TEXT, .at = offsetof(type, member) \
	}
#define OTHER_FIELD(word)                          \
	{                                          \
		.key = (word), .kind = FIELD_OTHER \
	}
#define BOOL_FIELD(type, word, member)                                          \
	{                                                                       \
		.key = (word), .kind = FIELD_BOOL, .at = offsetof(type, member) \
	}
#define CHOICE_FIELD(type, word, member, words)                                                      \
	{                                                                                            \
		.key = (word), .kind = FIELD_CHOICE, .at = offsetof(type, member), .choice = (words) \
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

static const struct field cluster_fields[] = {
	TEXT_FIELD(struct cluster_head, "name", name),
	CHOICE_FIELD(struct cluster_head, "select", whole.select, select_words),
	CHOICE_FIELD(struct cluster_head, "topology", whole.topology, topology_words),
	{ .key = "memory_counts",
		.kind = FIELD_BOOL,
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
const struct schema schema_cluster = { "clusters have", cluster_fields, SL_LEN(cluster_fields) };

/* ---- Nodes ----------------------------------------------------------------------------------- */

#define NODE(word, of, member, least, most, absent) \
	NUMBER_FIELD(struct node_entry, word, of, member, least, most, absent)

static const struct field node_fields[] = {
	TEXT_FIELD(struct node_entry, "name", spec.name),
	OTHER_FIELD("type"),
	TEXT_FIELD(struct node_entry, "hosts", spec.hosts),
	NODE("count", FIELD_COUNT, spec.count, 0, 10000000, 1),
	NODE("cpus", FIELD_MILLI, cpus, 1, (int64_t)ENTRY_CPUS_MAX *CPU_PARTS, SL_NONE),
	NODE("memory", FIELD_MEMORY, spec.mem, 1, memory_max, SL_NONE),
	OTHER_FIELD("gpus"),
	OTHER_FIELD("gpu_type"),
	NODE("nodes_per_island", FIELD_U32, spec.island, 0, 10000000, 0),
	NODE("boards", FIELD_U32, hardware.boards, 1, SL_CORES_MAX, 1),
	NODE("sockets", FIELD_U32, hardware.sockets, 1, SL_CORES_MAX, 0),
	NODE("cores", FIELD_U32, hardware.cores, 1, SL_CORES_MAX, 0),
	NODE("threads", FIELD_U32, hardware.threads, 1, 64, 0),
	OTHER_FIELD("features"),
	NODE("weight", FIELD_COUNT, hardware.weight, 0, UINT32_MAX, 1),
	OTHER_FIELD("gres"),
	CHOICE_FIELD(struct node_entry, "state", hardware.state, node_state_words),
	TEXT_FIELD(struct node_entry, "reason", hardware.state_reason),
	NODE("tmp_disk", FIELD_MEMORY, hardware.tmp_disk, 0, memory_max, 0),
	NODE("cores_kept", FIELD_U32, hardware.cores_kept, 0, SL_CORES_MAX, 0),
	NODE("memory_kept", FIELD_MEMORY, hardware.mem_kept, 0, memory_max, 0),
};
const struct schema schema_nodes = { "nodes have", node_fields, SL_LEN(node_fields) };

static const struct field gres_fields[] = {
	{ .key = "name", .kind = FIELD_WORD, .at = offsetof(struct sl_gres, name), .needed = true },
	TEXT_FIELD(struct sl_gres, "type", type),
	NUMBER_FIELD(struct sl_gres, "count", FIELD_COUNT, count, 0, INT64_C(1) << 51, 1),
	OTHER_FIELD("cores"),
	TEXT_FIELD(struct sl_gres, "nic", nic),
	NUMBER_FIELD(struct sl_gres, "memory", FIELD_MEMORY, mem, 0, memory_max, 0),
	BOOL_FIELD(struct sl_gres, "no_consume", no_consume),
	TEXT_FIELD(struct sl_gres, "mig", mig),
	NUMBER_FIELD(struct sl_gres, "gpus_per_island", FIELD_U32, island, 0, 1 << 16, 0),
};
const struct schema schema_gres = { "gres have", gres_fields, SL_LEN(gres_fields) };

/* The map's key is their type. */
static const struct field gpus_fields[] = {
	NUMBER_FIELD(struct sl_gres, "count", FIELD_COUNT, count, 0, 1 << 16, 1),
	NUMBER_FIELD(struct sl_gres, "memory", FIELD_MEMORY, mem, 0, memory_max, 0),
	TEXT_FIELD(struct sl_gres, "mig", mig),
	NUMBER_FIELD(struct sl_gres, "gpus_per_island", FIELD_U32, island, 0, 1 << 16, 0),
};
const struct schema schema_gpus = { "GPUs of a type have", gpus_fields, SL_LEN(gpus_fields) };

/* ---- Partitions ------------------------------------------------------------------------------ */

#define PARTITION(word, of, member, least) \
	NUMBER_FIELD(struct sl_partition, word, of, member, least, INT64_MAX, SL_NONE)

static const struct field partition_fields[] = {
	{ .key = "name", .kind = FIELD_TEXT, .at = offsetof(struct sl_partition, name), .needed = true },
	TEXT_FIELD(struct sl_partition, "nodes", nodes),
	PARTITION("max_time", FIELD_TIME, max_time, 0),
	PARTITION("default_time", FIELD_TIME, default_time, 0),
	PARTITION("nodes_min", FIELD_COUNT, nodes_min, 0),
	PARTITION("nodes_max", FIELD_COUNT, nodes_max, 0),
	PARTITION("cpus_per_node_max", FIELD_COUNT, cpus_per_node_max, 0),
	PARTITION("memory_per_node", FIELD_MEMORY, mem_per_node, 0),
	PARTITION("memory_per_cpu", FIELD_MEMORY, mem_per_cpu, 0),
	PARTITION("memory_per_gpu", FIELD_MEMORY, mem_per_gpu, 0),
	PARTITION("cpus_per_gpu", FIELD_COUNT, cpus_per_gpu, 0),
	PARTITION("memory_per_node_max", FIELD_MEMORY, mem_per_node_max, 0),
	PARTITION("memory_per_cpu_max", FIELD_MEMORY, mem_per_cpu_max, 0),
	PARTITION("tier", FIELD_COUNT, tier, 0),
	PARTITION("job_factor", FIELD_COUNT, job_factor, 0),
	CHOICE_FIELD(struct sl_partition, "share", share, share_words),
	PARTITION("shares", FIELD_COUNT, shares, 0),
	CHOICE_FIELD(struct sl_partition, "state", state, partition_state_words),
	BOOL_FIELD(struct sl_partition, "default", is_default),
	BOOL_FIELD(struct sl_partition, "hidden", hidden),
	BOOL_FIELD(struct sl_partition, "root_only", root_only),
	BOOL_FIELD(struct sl_partition, "exclusive_user", exclusive_user),
	BOOL_FIELD(struct sl_partition, "least_loaded", least_loaded),
};
const struct schema schema_partition = { "partitions have", partition_fields, SL_LEN(partition_fields) };

/* ---- Switches, licences, windows, settings ----------------------------------------------------- */

static const struct field switch_fields[] = {
	{ .key = "name", .kind = FIELD_TEXT, .at = offsetof(struct sl_switch, name), .needed = true },
	TEXT_FIELD(struct sl_switch, "nodes", nodes),
	TEXT_FIELD(struct sl_switch, "switches", switches),
	NUMBER_FIELD(struct sl_switch, "speed", FIELD_COUNT, speed, 0, INT64_MAX, 0),
};
const struct schema schema_switch = { "switches have", switch_fields, SL_LEN(switch_fields) };

static const struct field license_fields[] = {
	{ .key = "name", .kind = FIELD_TEXT, .at = offsetof(struct sl_license, name), .needed = true },
	NUMBER_FIELD(struct sl_license, "total", FIELD_COUNT, total, 0, INT64_C(1) << 40, 1),
};
const struct schema schema_license = { "licenses have", license_fields, SL_LEN(license_fields) };

static const struct field window_fields[] = {
	{ .key = "name", .kind = FIELD_TEXT, .at = offsetof(struct sl_window_spec, name), .needed = true },
	TEXT_FIELD(struct sl_window_spec, "nodes", nodes),
	NUMBER_FIELD(struct sl_window_spec, "cpus", FIELD_COUNT, cpus, 1, INT32_MAX, 0),
	TEXT_FIELD(struct sl_window_spec, "start", from),
	TEXT_FIELD(struct sl_window_spec, "end", until),
	TEXT_FIELD(struct sl_window_spec, "duration", length),
	CHOICE_FIELD(struct sl_window_spec, "kind", kind, window_words),
	TEXT_FIELD(struct sl_window_spec, "users", users),
	TEXT_FIELD(struct sl_window_spec, "accounts", accounts),
	TEXT_FIELD(struct sl_window_spec, "flags", flags),
};
const struct schema schema_window = { "reservations have", window_fields, SL_LEN(window_fields) };

static const struct field setting_fields[] = {
	TEXT_FIELD(struct sl_setting, "kind", kind),
	{ .key = "name", .kind = FIELD_ANY, .at = offsetof(struct sl_setting, name) },
	{ .key = "key", .kind = FIELD_TEXT, .at = offsetof(struct sl_setting, key), .needed = true },
	{ .key = "value", .kind = FIELD_ANY, .at = offsetof(struct sl_setting, value), .needed = true },
	CHOICE_FIELD(struct sl_setting, "coverage", coverage, coverage_words),
	TEXT_FIELD(struct sl_setting, "note", note),
	TEXT_FIELD(struct sl_setting, "by", by),
};
const struct schema schema_setting = { "settings have", setting_fields, SL_LEN(setting_fields) };

/* ---- Keys ------------------------------------------------------------------------------------ */

size_t schema_find(const struct schema *schema, const char *key, size_t len)
{
	size_t i = 0;
	while (i < schema->count &&
		(strlen(schema->field[i].key) != len || memcmp(schema->field[i].key, key, len) != 0))
		i++;
	return i;
}

const char *schema_near(const struct schema *schema, const char *key)
{
	const char *known[FIELDS_MAX + 1] = { NULL };
	SL_CHECK(schema->count <= FIELDS_MAX);
	for (size_t i = 0; i < schema->count; i++)
		known[i] = schema->field[i].key;
	return sl_nearest(key, known);
}

/* ---- Values, wherever they stand ---------------------------------------------------------------- */

/* The members of structs are reached as bytes: that is what a table of offsets is. */

static const char *text_at(const struct field *field, const void *base)
{
	const char *text;
	memcpy(&text, (const char *)base + field->at, sizeof(text));
	return text;
}

int64_t field_number(const struct field *field, const void *base)
{
	const char *from = (const char *)base + field->at;
	int64_t wide;
	uint32_t narrow;
	bool flag;
	switch (field->kind) {
	case FIELD_COUNT:
	case FIELD_MILLI:
	case FIELD_MEMORY:
	case FIELD_TIME:
		memcpy(&wide, from, sizeof(wide));
		return wide;
	case FIELD_U32:
	case FIELD_CHOICE:
		memcpy(&narrow, from, sizeof(narrow));
		return narrow;
	case FIELD_BOOL:
		memcpy(&flag, from, sizeof(flag));
		return flag;
	case FIELD_OTHER:
	case FIELD_WORD:
	case FIELD_TEXT:
	case FIELD_ANY:
		break;
	}
	return 0;
}

void field_set_number(const struct field *field, void *base, int64_t number)
{
	char *to = (char *)base + field->at;
	const uint32_t narrow = (uint32_t)number;
	const bool flag = number != 0;
	if (field->kind == FIELD_U32 || field->kind == FIELD_CHOICE)
		memcpy(to, &narrow, sizeof(narrow));
	else if (field->kind == FIELD_BOOL)
		memcpy(to, &flag, sizeof(flag));
	else
		memcpy(to, &number, sizeof(number));
}

static bool is_text(enum field_kind kind)
{
	return kind == FIELD_WORD || kind == FIELD_TEXT || kind == FIELD_ANY;
}

void schema_clear(const struct schema *schema, void *base)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct field *field = &schema->field[i];
		if (is_text(field->kind))
			memset((char *)base + field->at, 0, sizeof(const char *));
		else if (field->kind != FIELD_OTHER)
			field_set_number(field, base, field->unset);
	}
}

bool field_is_set(const struct field *field, const void *base)
{
	if (field->kind == FIELD_OTHER)
		return false;
	return is_text(field->kind) ? text_at(field, base) != NULL
				    : field->needed || field_number(field, base) != field->unset;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool is_word(const char *text)
{
	const size_t len = strspn(text, word_letters);
	return len && len <= FIELD_WORD_MAX && !text[len];
}

static bool is_plain(const char *text)
{
	size_t len = 0;
	while ((unsigned char)text[len] >= ' ' && text[len] != 0x7F)
		len++;
	return len && !text[len];
}

static bool choice_read(const char *const *choice, const char *text, int64_t *number)
{
	size_t i = 0;
	while (choice[i] && strcmp(choice[i], text) != 0)
		i++;
	*number = (int64_t)i;
	return choice[i] != NULL;
}

static bool is_endless(const struct field *field, const char *text)
{
	return field->max == INT64_MAX && strcmp(text, "unlimited") == 0;
}

bool field_fits(const struct field *field, int64_t number)
{
	return number >= field->min && number <= field->max;
}

/* Three decimals, and no more. */
static bool milli_read(const char *text, size_t len, int64_t *number)
{
	int64_t micro;
	if (!sl_get_micro(text, len, &micro) || micro % 1000)
		return false;
	*number = micro / 1000;
	return true;
}

static bool number_read(const struct field *field, const char *text, int64_t *number)
{
	static const char *const yes_no[] = { "false", "true", "no", "yes", NULL };
	const size_t len = strlen(text);
	*number = INT64_MAX;
	switch (field->kind) {
	case FIELD_COUNT:
	case FIELD_U32:
		return is_endless(field, text) ||
		       (sl_get_i64(text, len, number) && field_fits(field, *number));
	case FIELD_MILLI:
		return milli_read(text, len, number) && field_fits(field, *number);
	case FIELD_MEMORY:
		return is_endless(field, text) ||
		       (sl_get_memory(text, len, false, number) && field_fits(field, *number));
	case FIELD_TIME:
		return is_endless(field, text) ||
		       (sl_get_duration(text, len, number) && field_fits(field, *number));
	case FIELD_BOOL:
		if (!choice_read(yes_no, text, number))
			return false;
		*number &= 1;
		return true;
	case FIELD_CHOICE:
		return choice_read(field->choice, text, number);
	case FIELD_OTHER:
	case FIELD_WORD:
	case FIELD_TEXT:
	case FIELD_ANY:
		break;
	}
	return false;
}

bool field_read(const struct field *field, const char *text, void *base)
{
	int64_t number;
	if (!is_text(field->kind)) {
		if (!number_read(field, text, &number))
			return false;
		field_set_number(field, base, number);
		return true;
	}
	if ((field->kind == FIELD_WORD && !is_word(text)) || (field->kind == FIELD_TEXT && !is_plain(text)))
		return false;
	memcpy((char *)base + field->at, &text, sizeof(text));
	return true;
}

const char *field_wanted(const struct field *field, char buffer[FIELD_WANTED_MAX])
{
	const bool endless = field->max == INT64_MAX;
	size_t len = 0;
	switch (field->kind) {
	case FIELD_COUNT:
	case FIELD_U32:
		len = (size_t)snprintf(
			buffer, FIELD_WANTED_MAX, "a whole number from %lld", (long long)field->min);
		if (endless)
			(void)snprintf(buffer + len, FIELD_WANTED_MAX - len, ", or unlimited");
		else
			(void)snprintf(
				buffer + len, FIELD_WANTED_MAX - len, " to %lld", (long long)field->max);
		return buffer;
	case FIELD_MILLI:
		(void)snprintf(buffer, FIELD_WANTED_MAX,
			"a number from 0.001 to %lld, with at most three decimals",
			(long long)(field->max / CPU_PARTS));
		return buffer;
	case FIELD_MEMORY:
		return endless ? "a size such as 4GiB (a bare number is MiB), or unlimited"
			       : "a size such as 192GiB (a bare number is MiB), up to 128 PiB";
	case FIELD_TIME:
		return "a duration such as 90, 36h or 3d, or unlimited";
	case FIELD_BOOL:
		return "true or false";
	case FIELD_CHOICE:
		len = (size_t)snprintf(buffer, FIELD_WANTED_MAX, "one of");
		for (size_t i = 0; field->choice[i]; i++)
			len += (size_t)snprintf(buffer + len, FIELD_WANTED_MAX - len, "%s %s", i ? "," : "",
				field->choice[i]);
		return buffer;
	case FIELD_WORD:
		return "a word of letters, digits, '.', '_' and '-', at most 63";
	case FIELD_OTHER:
	case FIELD_TEXT:
	case FIELD_ANY:
		break;
	}
	return "a text";
}

/* ---- Writing ---------------------------------------------------------------------------------- */

/* In the largest of the units that leaves a whole number. */
static const char *in_units(char buffer[FIELD_TEXT_MAX], int64_t number, const int64_t *unit,
	const char *const *name, size_t count)
{
	size_t i = 0;
	while (i + 1 < count && (number == 0 || number % unit[i] != 0))
		i++;
	(void)snprintf(buffer, FIELD_TEXT_MAX, "%lld%s", (long long)(number / unit[i]), name[i]);
	return buffer;
}

static const char *memory_text(char buffer[FIELD_TEXT_MAX], int64_t mib)
{
	static const int64_t unit[] = { 1 << 20, 1 << 10, 1 };
	static const char *const name[] = { "TiB", "GiB", "MiB" };
	return in_units(buffer, mib, unit, name, SL_LEN(unit));
}

static const char *time_text(char buffer[FIELD_TEXT_MAX], sl_time time)
{
	static const int64_t unit[] = { 86400 * SL_SECOND, 3600 * SL_SECOND, 60 * SL_SECOND, SL_SECOND };
	static const char *const name[] = { "d", "h", "m", "s" };
	if (time % SL_SECOND == 0)
		return in_units(buffer, time, unit, name, SL_LEN(unit));
	*sl_put_micro(buffer, time) = '\0';
	return buffer;
}

const char *field_text(const struct field *field, const void *base, char buffer[FIELD_TEXT_MAX])
{
	return is_text(field->kind) ? text_at(field, base)
				    : field_number_text(field, field_number(field, base), buffer);
}

const char *field_number_text(const struct field *field, int64_t number, char buffer[FIELD_TEXT_MAX])
{
	if (field->kind == FIELD_BOOL)
		return number ? "true" : "false";
	if (field->kind == FIELD_CHOICE)
		return field->choice[number];
	if (field->kind == FIELD_MILLI) {
		*sl_put_micro(buffer, number * 1000) = '\0';
		return buffer;
	}
	if (field->max == INT64_MAX && number == INT64_MAX)
		return "unlimited";
	if (field->kind == FIELD_MEMORY)
		return memory_text(buffer, number);
	if (field->kind == FIELD_TIME)
		return time_text(buffer, number);
	*sl_put_i64(buffer, number) = '\0';
	return buffer;
}

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
