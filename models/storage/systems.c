/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * systems.c - file systems, from the cluster file's section `storage` and from parameters.
 *
 * An entry of the section is a file system; what it does not say is as the parameters say. Without a section
 * there is one, "shared", made of the parameters alone. Names, amounts and lists are checked here, each with
 * its place in the file.
 */
#include <string.h>
#include <strings.h>

#include "models/storage/storage.h"

const struct sl_param storage_params[10] = {
	{ .key = "read",
		.kind = SL_PARAM_TEXT,
		.fallback = "unlimited",
		.choices = "RATE",
		.help = "what a file system reads, bytes a second: 40GB/s, 200Gb/s" },
	{ .key = "write",
		.kind = SL_PARAM_TEXT,
		.fallback = "unlimited",
		.choices = "RATE",
		.help = "what it writes, bytes a second" },
	{ .key = "client_read",
		.kind = SL_PARAM_TEXT,
		.fallback = "unlimited",
		.choices = "RATE",
		.help = "what one node reads at most, bytes a second" },
	{ .key = "client_write",
		.kind = SL_PARAM_TEXT,
		.fallback = "unlimited",
		.choices = "RATE",
		.help = "what one node writes at most, bytes a second" },
	{ .key = "duplex",
		.kind = SL_PARAM_CHOICE,
		.fallback = "full",
		.choices = "full|half",
		.help = "full: reads and writes do not slow each other; half: both share 'read'" },
	{ .key = "slots",
		.kind = SL_PARAM_INT,
		.fallback = "0",
		.choices = "0..1000000",
		.help = "requests under way at once (NFS: sunrpc slots): at most slots * rpc_size / rtt; 0: no bound",
		.min = 0,
		.max = 1000000 },
	{ .key = "rpc_size",
		.kind = SL_PARAM_TEXT,
		.fallback = "1MiB",
		.choices = "SIZE",
		.help = "bytes of one request" },
	{ .key = "rtt",
		.kind = SL_PARAM_TIME,
		.fallback = "0.001",
		.choices = "0.000001..3600",
		.help = "time from a request to its answer, seconds",
		.min = 1,
		.max = INT64_C(3600000000) },
	{ .key = "images",
		.kind = SL_PARAM_TEXT,
		.choices = "NAME",
		.help = "the file system from which images come; not given: the first" },
	{ .key = "cache",
		.kind = SL_PARAM_TEXT,
		.choices = "SIZE",
		.help = "what each node keeps of images and datasets, bytes; not given: its TmpDisk, and without one nothing" },
};

/* ---- Amounts --------------------------------------------------------------------- */

static const struct {
	const char *unit;
	int64_t bits; /* In one. */
} units[] = {
	{ "", 8 },
	{ "B", 8 },
	{ "kB", INT64_C(8000) },
	{ "KB", INT64_C(8000) },
	{ "MB", INT64_C(8000000) },
	{ "GB", INT64_C(8000000000) },
	{ "TB", INT64_C(8000000000000) },
	{ "PB", INT64_C(8000000000000000) },
	{ "KiB", INT64_C(8) << 10 },
	{ "MiB", INT64_C(8) << 20 },
	{ "GiB", INT64_C(8) << 30 },
	{ "TiB", INT64_C(8) << 40 },
	{ "PiB", INT64_C(8) << 50 },
	{ "kb", 1000 },
	{ "Kb", 1000 },
	{ "Mb", 1000000 },
	{ "Gb", INT64_C(1000000000) },
	{ "Tb", INT64_C(1000000000000) },
};

static bool unit_bits(const char *text, size_t len, int64_t *bits)
{
	for (size_t i = 0; i < SL_LEN(units); i++)
		if (strlen(units[i].unit) == len && (len == 0 || memcmp(units[i].unit, text, len) == 0)) {
			*bits = units[i].bits;
			return true;
		}
	return false;
}

bool storage_amount(const char *text, size_t len, bool rate, int64_t *bytes)
{
	if (len == 9 && memcmp(text, "unlimited", 9) == 0) {
		*bytes = STORAGE_UNBOUNDED;
		return true;
	}
	size_t digits = 0;
	while (digits < len && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.'))
		digits++;
	size_t from = digits, until = len;
	while (from < until && text[from] == ' ')
		from++;
	const bool slash = until - from >= 2 && memcmp(&text[until - 2], "/s", 2) == 0;
	const bool bps = until - from == 4 && memcmp(&text[until - 2], "ps", 2) == 0; /* "Gbps" */
	if (rate && (slash || bps))
		until -= 2;
	int64_t micro, bits;
	if (!sl_get_micro(text, digits, &micro) || micro < 0 || !unit_bits(&text[from], until - from, &bits))
		return false;
	const __int128 amount = (__int128)micro * bits / 8 / 1000000;
	const int64_t most = rate ? STORAGE_RATE_MAX : STORAGE_BYTES_MAX;
	if (amount > most)
		return false;
	*bytes = (int64_t)amount;
	return true;
}

/* ---- Entries --------------------------------------------------------------------- */

/* What an entry says, before it is a file system. */
struct entry {
	struct storage_system system;
	int64_t slots, rpc_size;
	sl_time rtt;
	const char *nodes;
	struct sl_place nodes_at;
};

static int fail_value(
	const struct sl_place *at, const char *key, const char *value, const char *how, struct sl_err *err)
{
	if (at)
		return sl_fail_at(err, at, "storage: '%s: %.60s' is no %s", key, value, how);
	return sl_fail(err, SL_USAGE, "storage.%s='%.60s' is no %s", key, value, how);
}

static int set_rate(
	int64_t *to, const struct sl_place *at, const char *key, const char *value, struct sl_err *err)
{
	if (!storage_amount(value, strlen(value), true, to) || *to < 1)
		return fail_value(at, key, value, "rate: write it like 40GB/s, 200Gb/s or unlimited", err);
	return SL_OK;
}

/* One key of an entry, or of the parameters (at NULL). */
static int set(struct entry *entry, const struct sl_place *at, const char *key, const char *value,
	struct sl_err *err)
{
	struct storage_system *system = &entry->system;
	if (strcasecmp(key, "read") == 0)
		return set_rate(&system->capacity[STORAGE_READ], at, key, value, err);
	if (strcasecmp(key, "write") == 0)
		return set_rate(&system->capacity[STORAGE_WRITE], at, key, value, err);
	if (strcasecmp(key, "client_read") == 0 || strcasecmp(key, "per_client.read") == 0)
		return set_rate(&system->client[STORAGE_READ], at, key, value, err);
	if (strcasecmp(key, "client_write") == 0 || strcasecmp(key, "per_client.write") == 0)
		return set_rate(&system->client[STORAGE_WRITE], at, key, value, err);
	if (strcasecmp(key, "per_client") == 0) {
		const int status = set_rate(&system->client[STORAGE_READ], at, key, value, err);
		system->client[STORAGE_WRITE] = system->client[STORAGE_READ];
		return status;
	}
	if (strcasecmp(key, "duplex") == 0) {
		system->half = strcmp(value, "half") == 0;
		return system->half || strcmp(value, "full") == 0
			       ? SL_OK
			       : fail_value(at, key, value, "way to share: write full or half", err);
	}
	if (strcasecmp(key, "slots") == 0)
		return sl_get_i64(value, strlen(value), &entry->slots) && entry->slots >= 0 &&
				       entry->slots <= 1000000
			       ? SL_OK
			       : fail_value(at, key, value, "number of requests: write 0 to 1000000", err);
	if (strcasecmp(key, "rpc_size") == 0)
		return storage_amount(value, strlen(value), false, &entry->rpc_size) &&
				       entry->rpc_size >= 1 && entry->rpc_size != STORAGE_UNBOUNDED
			       ? SL_OK
			       : fail_value(at, key, value, "size: write it like 1MiB", err);
	if (strcasecmp(key, "rtt") == 0)
		return sl_get_duration(value, strlen(value), &entry->rtt) && entry->rtt >= 1 &&
				       entry->rtt <= 3600 * SL_SECOND
			       ? SL_OK
			       : fail_value(at, key, value, "time: write seconds, like 0.001", err);
	if (at && strcasecmp(key, "nodes") == 0) {
		entry->nodes = value;
		entry->nodes_at = *at;
		return SL_OK;
	}
	static const char *const known[] = { "read", "write", "per_client", "client_read", "client_write",
		"duplex", "slots", "rpc_size", "rtt", "nodes", NULL };
	const char *similar = sl_nearest(key, known);
	return sl_fail_at(err, at, "storage: unknown key '%.40s'%s%s%s", key,
		similar ? ": did you mean '" : "", similar ? similar : "",
		similar ? "'?" : ": read, write, per_client, duplex, slots, rpc_size, rtt, nodes");
}

/* ---- Who may use it ---------------------------------------------------------------- */

struct listed {
	const struct sl_cluster *cluster;
	uint64_t *bits;
	const struct sl_place *at;
	struct sl_err *err;
};

static int take_host(void *self, const char *name, size_t len)
{
	struct listed *listed = self;
	for (uint32_t i = 0; i < listed->cluster->node_count; i++) {
		const char *node = listed->cluster->node_name[i];
		if (strlen(node) == len && memcmp(node, name, len) == 0) {
			listed->bits[i / 64] |= UINT64_C(1) << i % 64;
			return SL_OK;
		}
	}
	return sl_fail_at(listed->err, listed->at,
		"storage: 'nodes' names '%.*s', which is no node and no partition",
		(int)(len < 63 ? len : 63), name);
}

static int allow(struct entry *entry, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	const char *text = entry->nodes;
	if (!text || strcasecmp(text, "all") == 0 || !cluster->node_count)
		return SL_OK;
	for (uint32_t i = 0; i < cluster->partition_count; i++)
		if (strcmp(cluster->partition[i].name, text) == 0) {
			text = cluster->partition[i].nodes;
			break;
		}
	if (!text || strcasecmp(text, "all") == 0)
		return SL_OK;
	uint64_t *bits = sl_alloc(setup->arena, cluster->node_count / 64 + 1, sizeof(*bits));
	if (!bits)
		return sl_fail_memory(err);
	entry->system.nodes = bits;
	struct listed listed = { cluster, bits, &entry->nodes_at, err };
	return sl_hosts_each(text, strlen(text), &entry->nodes_at, err, take_host, &listed);
}

/* ---- All of them ------------------------------------------------------------------- */

/* What requests under way bound: throughput is at most slots * size / time to the answer (Little's law). */
static void bound_by_slots(struct entry *entry)
{
	if (!entry->slots)
		return;
	const __int128 exact = (__int128)entry->slots * entry->rpc_size * SL_SECOND / entry->rtt;
	const int64_t bound = exact < 1 ? 1 : exact > STORAGE_RATE_MAX ? STORAGE_RATE_MAX : (int64_t)exact;
	for (int i = 0; i < 2; i++)
		if (entry->system.capacity[i] > bound)
			entry->system.capacity[i] = bound;
}

static int defaults(struct entry *entry, const struct sl_model_setup *setup, struct sl_err *err)
{
	static const char *const keys[] = { "read", "write", "client_read", "client_write", "duplex", "slots",
		"rpc_size", "rtt" };
	*entry = (struct entry){ .system.name = "shared" };
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const struct sl_value *value = sl_value_of(setup->values, setup->value_count, keys[i]);
		const int status = value && value->text ? set(entry, NULL, keys[i], value->text, err) : SL_OK;
		if (status)
			return status;
	}
	return SL_OK;
}

static uint32_t entry_of(struct entry *entry, uint32_t count, const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(entry[i].system.name, name) != 0)
		i++;
	return i;
}

static int read_section(struct entry *entry, uint32_t *count, const struct entry *as_params,
	const struct sl_model_setup *setup, struct sl_err *err)
{
	for (uint32_t i = 0; i < setup->cluster->setting_count; i++) {
		const struct sl_setting *setting = &setup->cluster->setting[i];
		if (strcmp(setting->kind, "storage") != 0)
			continue;
		if (!setting->name || !*setting->name)
			continue; /* Of the whole section: parameters. */
		const uint32_t at = entry_of(entry, *count, setting->name);
		if (at == *count) {
			if (*count == STORAGE_SYSTEMS_MAX)
				return sl_fail_at(err, &setting->at, "storage: more than %d file systems",
					STORAGE_SYSTEMS_MAX);
			entry[at] = *as_params;
			entry[at].system.name = setting->name;
			(*count)++;
		}
		const int status = set(&entry[at], &setting->at, setting->key, setting->value, err);
		if (status)
			return status;
	}
	return SL_OK;
}

int storage_systems(struct storage_system **system, uint32_t *count, const struct sl_model_setup *setup,
	struct sl_err *err)
{
	struct entry *entry = sl_alloc(setup->arena, STORAGE_SYSTEMS_MAX, sizeof(*entry));
	*system = sl_alloc(setup->arena, STORAGE_SYSTEMS_MAX, sizeof(**system));
	if (!entry || !*system)
		return sl_fail_memory(err);
	struct entry as_params;
	int status = defaults(&as_params, setup, err);
	*count = 0;
	if (!status)
		status = read_section(entry, count, &as_params, setup, err);
	if (!status && *count == 0)
		entry[(*count)++] = as_params;
	for (uint32_t i = 0; i < *count && !status; i++) {
		bound_by_slots(&entry[i]);
		status = allow(&entry[i], setup, err);
		(*system)[i] = entry[i].system;
	}
	return status;
}

uint32_t storage_system_of(const struct storage_system *system, uint32_t count, const char *name)
{
	if (!name)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(system[i].name, name) == 0)
			return i;
	return UINT32_MAX;
}
