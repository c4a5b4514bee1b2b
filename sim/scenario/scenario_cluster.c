/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_cluster.c - a cluster's files become nodes and node types; their other settings are kept.
 *
 * Entries of the file that are alike share a type. Windows wait until the trace is read
 * (scenario_reservations.c). Nodes are called by their entry and a number, or by names of their own.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "sim/base/hash.h"
#include "sim/scenario/scenario_machine.h"

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	names_release(&machine->kinds);
	names_release(&machine->files);
	names_release(&machine->hosts);
	names_release(&machine->set_names);
	names_release(&machine->mig);
	names_release(&machine->profiles);
	void *const array[] = { machine->host, machine->entry, machine->by_name, machine->type,
		machine->type_parent, machine->type_nodes, machine->moved, machine->window,
		machine->partition, machine->partition_at, machine->sw, machine->sw_at, machine->license,
		machine->setting, machine->read.item, machine->set, machine->set_named, machine->bound,
		machine->mig_model, machine->mig_fit, machine->object };
	for (size_t i = 0; i < machine->set_count; i++)
		free(machine->set[i].bit);
	for (size_t i = 0; i < SL_LEN(array); i++)
		free(array[i]);
	free(machine);
}

/* The scenario's own copy; NULL stays NULL. False: out of memory. */
static bool keep_text(const struct machine *machine, const char **text)
{
	if (!*text)
		return true;
	*text = sl_strdup(machine->scenario->arena, *text, strlen(*text));
	return *text != NULL;
}

static int keep_texts(
	const struct machine *machine, const char **const *text, size_t count, struct sl_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!keep_text(machine, text[i]))
			return sl_fail_memory(err);
	return SL_OK;
}

/* A place outlives the reader's text: each file's name is kept once. */
static int keep_place(
	struct machine *machine, const struct sl_place *at, struct sl_place *kept, struct sl_err *err)
{
	uint32_t file;
	*kept = *at;
	if (!at->file)
		return SL_OK;
	const int status =
		names_add(&machine->files, machine->scenario->arena, at->file, strlen(at->file), &file, err);
	kept->file = status ? NULL : machine->files.text[file];
	return status;
}

/* Capacity for one more of an array; *slot is where. */
static int one_more(
	void **array, size_t *capacity, size_t size, size_t count, void **slot, struct sl_err *err)
{
	const int status = count < *capacity ? SL_OK
					     : sl_array_grow(array, size, capacity, sizeof(*capacity),
						       count + 1, NODES_MAX, err);
	*slot = status ? NULL : (char *)*array + count * size;
	return status;
}
#define ONE_MORE(machine, what, slot, err)                                                         \
	one_more((void **)&(machine)->what, &(machine)->what##_capacity, sizeof(*(machine)->what), \
		(machine)->what##_count, (void **)(slot), err)

/* ---- What the reader says ------------------------------------------------------------------- */

static int on_name(void *self, const char *name, struct sl_err *err)
{
	const struct machine *machine = self;
	machine->scenario->cluster.name = sl_strdup(machine->scenario->arena, name, strlen(name));
	return machine->scenario->cluster.name ? SL_OK : sl_fail_memory(err);
}

static int on_pool(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err)
{
	const struct machine *machine = self;
	if (cpus < 1 || cpus > INT32_MAX)
		return sl_fail_at(err, at, "a pool has from 1 to 2147483647 cpus, not %lld", (long long)cpus);
	machine->scenario->cluster.cpus = cpus;
	return SL_OK;
}

/* So many GPUs of a type, which gets a kind of its own. */
static int add_gpus(struct machine *machine, const char *name, int64_t count, struct sl_node_type *type,
	const struct sl_place *at, struct sl_err *err)
{
	uint32_t kind;
	if (count <= 0)
		return SL_OK;
	const int status =
		names_add(&machine->kinds, machine->scenario->arena, name, strlen(name), &kind, err);
	if (status)
		return status;
	if (kind >= SL_GPU_TYPES_MAX)
		return sl_fail_at(
			err, at, "'%s' is one type of GPU too many: %d are", name, SL_GPU_TYPES_MAX);
	if (count > NODE_AMOUNT_MAX - type->amount[SL_KIND_GPUS + kind] / PARTS)
		return sl_fail_at(err, at, "a node has at most %d GPUs of one type", NODE_AMOUNT_MAX);
	type->amount[SL_KIND_GPUS + kind] += count * PARTS;
	return SL_OK;
}

/* Those of cores that are kept are not for jobs; one core is left at least. In thousandths. */
static int64_t cpus_for_jobs(const struct sl_nodes_spec *spec)
{
	const struct sl_hardware *h = spec->hardware;
	const int64_t cores = h ? (int64_t)h->sockets * h->cores : 0;
	const int64_t cpus = spec->cpus * (PARTS / sl_parts(spec->parts));
	if (!cores || !h->cores_kept || cpus / PARTS < cores)
		return cpus;
	const int64_t kept = h->cores_kept < cores ? h->cores_kept : cores - 1;
	return cpus - kept * (cpus / PARTS / cores) * PARTS;
}

/* The spec's amounts by kind; new types of GPU get theirs. */
static int amounts_of(struct machine *machine, const struct sl_nodes_spec *spec, struct sl_node_type *type,
	const struct sl_place *at, struct sl_err *err)
{
	memset(type, 0, sizeof(*type));
	type->amount[SL_KIND_CPUS] = cpus_for_jobs(spec);
	type->amount[SL_KIND_MEM] = spec->mem == SL_NONE ? SL_MEM_UNBOUNDED : spec->mem;
	int status = SL_OK;
	for (size_t i = 0; i < spec->gpu_count && !status; i++)
		status = add_gpus(machine, spec->gpu[i].type, spec->gpu[i].count, type, at, err);
	const struct sl_hardware *hardware = spec->hardware;
	for (uint32_t i = 0; hardware && i < hardware->gres_count && !status; i++) {
		const struct sl_gres *gres = &hardware->gres[i];
		if (strcasecmp(gres->name, "gpu") == 0)
			status = add_gpus(
				machine, gres->type ? gres->type : "gpu", gres->count, type, at, err);
	}
	return status;
}

/* The type of these amounts and this hardware, which is new if no entry before is alike. */
static int type_of(struct machine *machine, struct sl_node_type *want, uint32_t *index, struct sl_err *err)
{
	for (size_t i = 0; i < machine->type_count; i++) {
		if (memcmp(machine->type[i].amount, want->amount, sizeof(want->amount)) != 0 ||
			!hardware_same(machine->type[i].hardware, want->hardware))
			continue;
		*index = (uint32_t)i;
		return SL_OK;
	}
	if (want->hardware) {
		want->hardware = hardware_copy(machine->scenario->arena, want->hardware);
		if (!want->hardware)
			return sl_fail_memory(err);
	}
	return machine_type(machine, want, UINT32_MAX, index, err);
}

/* The names of an entry's nodes, while they are read. */
struct hosts {
	struct machine *machine;
	struct entry *entry;
	struct sl_err *err;
};

static int fail_host(struct machine *machine, const struct entry *entry, uint32_t node, const char *name,
	struct sl_err *err)
{
	const struct entry *first = entry;
	for (size_t i = 0; i < machine->entry_count && node < entry->first; i++)
		if (node - machine->entry[i].first < machine->entry[i].count)
			first = &machine->entry[i];
	return sl_fail_at(err, &entry->at, "node '%s' stands twice, first on line %llu of %s: name it once",
		name, (unsigned long long)first->at.line, first->at.file ? first->at.file : "the cluster");
}

static int on_host(void *self, const char *name, size_t len)
{
	const struct hosts *hosts = self;
	struct machine *machine = hosts->machine;
	uint32_t number;
	const uint32_t seen = machine->hosts.count;
	if (len > NODE_NAME_MAX)
		return sl_fail_at(hosts->err, &hosts->entry->at,
			"node '%.*s' has a name of more than %d letters", NODE_NAME_MAX, name, NODE_NAME_MAX);
	int status = names_add(&machine->hosts, machine->scenario->arena, name, len, &number, hosts->err);
	if (!status && number < seen)
		return fail_host(machine, hosts->entry, machine->host[number], machine->hosts.text[number],
			hosts->err);
	if (!status)
		status = SL_GROW_MOST(
			machine->host, machine->host_capacity, (size_t)number + 1, NODES_MAX + 1, hosts->err);
	if (status)
		return status;
	machine->host[number] = hosts->entry->first + hosts->entry->count++;
	return SL_OK;
}

/* The nodes of an entry: names of their own, or so many that are called by it. */
static int entry_nodes(
	struct machine *machine, const struct sl_nodes_spec *spec, struct entry *entry, struct sl_err *err)
{
	const int64_t count =
		spec->hosts ? sl_hosts_count(spec->hosts, strlen(spec->hosts), &entry->at, err) : spec->count;
	if (spec->hosts && count < 0)
		return (int)count;
	if (machine->nodes + (uint64_t)count > NODES_MAX)
		return sl_fail_at(err, &entry->at, "more than %d nodes in all", NODES_MAX);
	if (!spec->hosts) {
		SL_CHECK(strlen(spec->name) <= NODE_NAME_MAX);
		entry->count = (uint32_t)count;
		return SL_OK;
	}
	struct hosts hosts = { machine, entry, err };
	entry->listed = true;
	return sl_hosts_each(spec->hosts, strlen(spec->hosts), &entry->at, err, on_host, &hosts);
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	struct sl_node_type type;
	struct entry entry = {
		.name = spec->name, .first = (uint32_t)machine->nodes, .island = spec->island
	};
	SL_CHECK(spec->cpus > 0 && (spec->parts <= 1 || spec->parts == PARTS));
	if (spec->cpus / sl_parts(spec->parts) > NODE_AMOUNT_MAX)
		return sl_fail_at(err, at, "a node has at most %d cpus", NODE_AMOUNT_MAX);
	int status = keep_place(machine, at, &entry.at, err);
	if (!status)
		status = entry_nodes(machine, spec, &entry, err);
	if (!status)
		status = keep_text(machine, &entry.name) ? SL_OK : sl_fail_memory(err);
	if (!status)
		status = amounts_of(machine, spec, &type, at, err);
	type.name = entry.name;
	type.hardware = spec->hardware;
	if (!status)
		status = type_of(machine, &type, &entry.type, err);
	struct entry *kept;
	if (!status)
		status = ONE_MORE(machine, entry, &kept, err);
	if (status)
		return status;
	*kept = entry;
	machine->entry_count++;
	machine->nodes += entry.count;
	machine->type_nodes[entry.type] += entry.count;
	machine->unbounded |= spec->mem == SL_NONE && entry.count;
	return SL_OK;
}

static int on_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	struct window_spec *kept;
	int status = ONE_MORE(machine, window, &kept, err);
	if (status)
		return status;
	machine->window_count++;
	*kept = (struct window_spec){ .spec = *spec, .set = UINT32_MAX };
	status = keep_place(machine, at, &kept->at, err);
	const char **text[] = { &kept->spec.name, &kept->spec.nodes, &kept->spec.from, &kept->spec.until,
		&kept->spec.length, &kept->spec.users, &kept->spec.accounts, &kept->spec.flags };
	return status ? status : keep_texts(machine, text, SL_LEN(text), err);
}

static int on_whole(void *self, const struct sl_cluster_spec *spec, struct sl_err *err)
{
	struct sl_cluster *cluster = &((const struct machine *)self)->scenario->cluster;
	(void)err;
	cluster->select = spec->select;
	cluster->topology = spec->topology;
	cluster->mem_counts = spec->mem_counts;
	return SL_OK;
}

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	const uint32_t before = machine_partition(machine, spec->name, strlen(spec->name));
	if (before != UINT32_MAX)
		return sl_fail_at(err, at, "partition '%s' stands twice, first on line %llu: name it once",
			spec->name, (unsigned long long)machine->partition_at[before].line);
	struct sl_partition *kept;
	int status = ONE_MORE(machine, partition, &kept, err);
	if (!status)
		status = SL_GROW_MOST(machine->partition_at, machine->at_capacity,
			machine->partition_count + 1, NODES_MAX, err);
	if (!status)
		status = keep_place(machine, at, &machine->partition_at[machine->partition_count], err);
	if (status)
		return status;
	*kept = *spec;
	const char **text[] = { &kept->name, &kept->nodes };
	machine->partition_count++;
	return keep_texts(machine, text, SL_LEN(text), err);
}

static int on_switch(void *self, const struct sl_switch *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	struct sl_switch *kept;
	int status = ONE_MORE(machine, sw, &kept, err);
	if (!status)
		status = SL_GROW_MOST(
			machine->sw_at, machine->sw_at_capacity, machine->sw_count + 1, NODES_MAX, err);
	if (!status)
		status = keep_place(machine, at, &machine->sw_at[machine->sw_count], err);
	if (status)
		return status;
	*kept = *spec;
	const char **text[] = { &kept->name, &kept->nodes, &kept->switches };
	machine->sw_count++;
	return keep_texts(machine, text, SL_LEN(text), err);
}

static int on_license(
	void *self, const struct sl_license *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	struct sl_license *kept;
	const int status = ONE_MORE(machine, license, &kept, err);
	(void)at;
	if (status)
		return status;
	*kept = *spec;
	machine->license_count++;
	return keep_text(machine, &kept->name) ? SL_OK : sl_fail_memory(err);
}

static int on_setting(void *self, const struct sl_setting *spec, struct sl_err *err)
{
	struct machine *machine = self;
	struct sl_setting *kept;
	int status = ONE_MORE(machine, setting, &kept, err);
	if (status)
		return status;
	*kept = *spec;
	status = keep_place(machine, &spec->at, &kept->at, err);
	const char **text[] = { &kept->kind, &kept->name, &kept->key, &kept->value, &kept->note, &kept->by };
	machine->setting_count += !status;
	return status ? status : keep_texts(machine, text, SL_LEN(text), err);
}

/* Each file once, however often it is included. */
static int on_file(void *self, struct sl_input *in, struct sl_err *err)
{
	struct machine *machine = self;
	return side_add(
		&machine->read, machine->scenario, machine->scenario->cluster_input.path, "cluster", in, err);
}

/* ---- Names of nodes ---------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b, void *machine)
{
	const struct entry *entry = ((const struct machine *)machine)->entry;
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	const int by_name = strcmp(entry[x].name, entry[y].name);
	return by_name ? by_name : (x > y) - (x < y);
}

static int fail_twice(const struct machine *machine, const struct entry *entry, const char *name,
	uint32_t node, struct sl_err *err)
{
	size_t other = 0;
	while (node - machine->entry[other].first >= machine->entry[other].count)
		other++;
	return sl_fail_at(err, &entry->at, "node '%s' is also one of '%s' on line %llu: give another name",
		name, machine->entry[other].name, (unsigned long long)machine->entry[other].at.line);
}

/* No listed node is called as one of another entry's. The host that was found first is reported. */
static int check_hosts(const struct machine *machine, struct sl_err *err)
{
	struct machine plain = *machine; /* Which knows no listed nodes. */
	bool counted = false;
	plain.hosts = (struct names){ 0 };
	for (size_t i = 0; i < machine->entry_count; i++)
		counted |= !machine->entry[i].listed;
	for (uint32_t i = 0; i < machine->hosts.count && counted; i++) {
		const char *name = machine->hosts.text[i];
		const size_t len = strlen(name);
		const uint32_t node = machine_node(&plain, name, len, NULL);
		size_t own = 0;
		if (node == UINT32_MAX)
			continue;
		while (machine->host[i] - machine->entry[own].first >= machine->entry[own].count)
			own++;
		return fail_twice(machine, &machine->entry[own], name, node, err);
	}
	return SL_OK;
}

/* No two entries have one name, and no two nodes. */
static int scenario_cluster_check_names(struct machine *machine, struct sl_err *err)
{
	machine->by_name = malloc((machine->entry_count + 1) * sizeof(*machine->by_name));
	if (!machine->by_name)
		return sl_fail_memory(err);
	for (size_t i = 0; i < machine->entry_count; i++)
		machine->by_name[i] = (uint32_t)i;
	qsort_r(machine->by_name, machine->entry_count, sizeof(*machine->by_name), compare_entries, machine);
	for (size_t i = 1; i < machine->entry_count; i++) {
		const struct entry *first = &machine->entry[machine->by_name[i - 1]];
		const struct entry *second = &machine->entry[machine->by_name[i]];
		if (strcmp(first->name, second->name) == 0 && !first->listed && !second->listed)
			return sl_fail_at(err, &second->at,
				"nodes '%s' stand twice, first on line %llu: use 'count'", second->name,
				(unsigned long long)first->at.line);
	}
	/* The names of an entry of many all begin with its own and the digit 1 to 9, so the shortest that
	 * could be another's is that. */
	for (size_t i = 0; i < machine->entry_count; i++) {
		const struct entry *entry = &machine->entry[i];
		if (entry->listed)
			continue;
		for (char digit = '1'; digit <= '9' && digit - '0' <= (int64_t)entry->count; digit++) {
			char name[NODE_NAME_MAX + 2];
			const size_t len = strlen(entry->name);
			memcpy(name, entry->name, len + 1);
			if (entry->count > 1) {
				name[len] = digit;
				name[len + 1] = '\0';
			}
			const uint32_t node = machine_node(machine, name, strlen(name), entry);
			if (node != UINT32_MAX)
				return fail_twice(machine, entry, name, node, err);
		}
	}
	return check_hosts(machine, err);
}

static int name_nodes(struct machine *machine, struct sl_err *err)
{
	enum { DIGITS = 8 };
	struct scenario *scenario = machine->scenario;
	size_t bytes = 1;
	for (size_t i = 0; i < machine->entry_count; i++)
		if (!machine->entry[i].listed)
			bytes += (strlen(machine->entry[i].name) + DIGITS + 1) * machine->entry[i].count;
	const char **name = sl_alloc(scenario->arena, machine->nodes, sizeof(*name));
	uint32_t *type = sl_alloc(scenario->arena, machine->nodes, sizeof(*type));
	char *p = sl_alloc(scenario->arena, bytes, 1);
	if (!name || !type || !p)
		return sl_fail_memory(err);
	for (size_t i = 0; i < machine->entry_count; i++) {
		const struct entry *entry = &machine->entry[i];
		const size_t len = strlen(entry->name);
		for (uint32_t k = 0; k < entry->count; k++) {
			type[entry->first + k] = entry->type;
			if (entry->listed)
				continue;
			name[entry->first + k] = p;
			memcpy(p, entry->name, len);
			p += len;
			if (entry->count > 1)
				p = sl_put_i64(p, k + 1);
			*p++ = '\0';
		}
	}
	for (uint32_t i = 0; i < machine->hosts.count; i++)
		name[machine->host[i]] = machine->hosts.text[i];
	machine->node_type = type;
	scenario->cluster.node_name = name;
	scenario->cluster.node_type = type;
	scenario->cluster.node_count = (uint32_t)machine->nodes;
	return SL_OK;
}

static int name_kinds(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	const char **name = sl_alloc(machine->scenario->arena, SL_KINDS_MAX, sizeof(*name));
	if (!name)
		return sl_fail_memory(err);
	name[SL_KIND_CPUS] = "cpus";
	name[SL_KIND_MEM] = "memory";
	for (uint32_t i = 0; i < machine->kinds.count; i++)
		name[SL_KIND_GPUS + i] = machine->kinds.text[i];
	cluster->kind_name = name;
	cluster->kind_count = machine->nodes ? SL_KIND_GPUS + machine->kinds.count : 1;
	return SL_OK;
}

/* False: more than the bound. Neither product nor sum overflows: an amount is below 2^38, nodes are fewer
 * than 2^24. */
static bool add_amounts(int64_t *sum, int64_t amount, uint32_t nodes)
{
	*sum += amount * nodes;
	return *sum <= (int64_t)INT32_MAX * PARTS;
}

/* Sums over all nodes; of memory too, they cannot overflow. */
static int scenario_cluster_add_up(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	bool good = true;
	for (size_t i = 0; i < machine->entry_count && good; i++) {
		const struct entry *entry = &machine->entry[i];
		const int64_t *amount = machine->type[entry->type].amount;
		good = add_amounts(&cluster->cpus, amount[SL_KIND_CPUS], entry->count);
		cluster->mem += machine->unbounded ? 0 : amount[SL_KIND_MEM] * entry->count;
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count && good; kind++)
			good = add_amounts(&cluster->gpus, amount[kind], entry->count);
	}
	if (good)
		return SL_OK;
	return sl_fail(err, SL_INPUT, "%s: has more than %d cpus or GPUs in all",
		machine->scenario->cluster_input.path, INT32_MAX);
}

/* Nodes in a row get a type of their own, of their island. */
static int part_entry(struct machine *machine, const struct entry *entry, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	for (uint32_t from = 0; from < entry->count; from += entry->island) {
		const uint32_t left = entry->count - from;
		const uint32_t nodes = left < entry->island ? left : entry->island;
		struct sl_node_type type = machine->type[entry->type];
		uint32_t number;
		if (cluster->island_count == ISLANDS_MAX)
			return sl_fail_at(err, &entry->at, "more than %d islands of nodes", ISLANDS_MAX);
		type.island = ++cluster->island_count;
		const int status = machine_type(machine, &type, entry->type, &number, err);
		if (status)
			return status;
		machine->type_nodes[entry->type] -= nodes;
		machine->type_nodes[number] = nodes;
		for (uint32_t i = 0; i < nodes; i++)
			machine->node_type[entry->first + from + i] = number;
	}
	return SL_OK;
}

static int part_islands(struct machine *machine, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < machine->entry_count && !status; i++)
		if (machine->entry[i].island)
			status = part_entry(machine, &machine->entry[i], err);
	return status;
}

static int build_nodes(struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	int status = name_kinds(machine, err);
	if (status || cluster->cpus) /* A pool. */
		return status;
	if (!machine->nodes)
		return sl_fail(err, SL_INPUT, "%s: has no nodes: give some entry a count of at least 1",
			machine->scenario->cluster_input.path);
	status = scenario_cluster_add_up(machine, err);
	if (!status)
		status = scenario_cluster_check_names(machine, err);
	if (!status)
		status = name_nodes(machine, err);
	if (!status)
		status = devices_make(machine, err);
	if (!status)
		status = part_islands(machine, err);
	cluster->type = machine->type; /* Until types are parted by windows. */
	cluster->type_count = (uint32_t)machine->type_count;
	return status ? status : sets_begin(machine, err);
}

/* ---- Reading -------------------------------------------------------------------------------------- */

/* Of a folder: a hash over those of its files, in the order in which they were read. */
static int hash_files(const struct machine *machine, char *sha256, struct sl_err *err)
{
	struct evp_md_ctx_st *hash = hash_new();
	for (size_t i = 0; i < machine->read.count; i++) {
		hash_add(hash, machine->read.item[i].sha256, strlen(machine->read.item[i].sha256));
		hash_add(hash, "\n", 1);
	}
	return hash_end(hash, sha256) ? SL_OK : sl_fail_memory(err);
}

static int scenario_cluster_read_file(
	struct machine *machine, const struct loading *loading, struct sl_input *in, struct sl_err *err)
{
	struct scenario_input *input = &machine->scenario->cluster_input;
	const struct sl_cluster_sink sink = { .self = machine,
		.name = on_name,
		.pool = on_pool,
		.nodes = on_nodes,
		.window = on_window,
		.whole = on_whole,
		.partition = on_partition,
		.sw = on_switch,
		.license = on_license,
		.setting = on_setting,
		.file = on_file,
		.objects = objects_add,
		.registry = &loading->scenario->registry->known };
	const struct sl_cluster_reader *reader = NULL;
	int status = cluster_reader_choose(loading->scenario->registry, &reader, input->path, in, err);
	if (!status)
		status = reader->read(input->path, in, loading->cluster_setting,
			loading->cluster_setting_count, &sink, err);
	if (!status)
		status = objects_read(machine, loading, &sink, err);
	if (status)
		return status;
	input->format = reader->name;
	input->packing = in ? sl_input_packing(in) : "none";
	input->bytes = in ? sl_input_bytes(in) : 0;
	for (size_t i = 0; i < machine->read.count && !in; i++)
		input->bytes += machine->read.item[i].bytes;
	if (!in)
		return machine->read.count ? hash_files(machine, input->sha256, err) : SL_OK;
	memcpy(input->sha256, sl_input_sha256(in), sizeof(input->sha256));
	return SL_OK;
}

/* Which outlive the machine, with the scenario. */
static int lend_rest(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_arena *arena = machine->scenario->arena;
	struct sl_setting *setting = sl_alloc(arena, machine->setting_count + 1, sizeof(*setting));
	struct sl_license *license = sl_alloc(arena, machine->license_count + 1, sizeof(*license));
	if (!setting || !license)
		return sl_fail_memory(err);
	if (machine->setting_count)
		memcpy(setting, machine->setting, machine->setting_count * sizeof(*setting));
	if (machine->license_count)
		memcpy(license, machine->license, machine->license_count * sizeof(*license));
	cluster->setting = machine->setting_count ? setting : NULL;
	cluster->setting_count = (uint32_t)machine->setting_count;
	cluster->license = machine->license_count ? license : NULL;
	cluster->license_count = (uint32_t)machine->license_count;
	return SL_OK;
}

int machine_load(struct loading *loading, const char *path, struct sl_err *err)
{
	struct machine *machine = loading->machine = calloc(1, sizeof(*machine));
	struct scenario *scenario = loading->scenario;
	struct sl_input *in = NULL;
	struct stat about;
	if (!machine)
		return sl_fail_memory(err);
	machine->scenario = scenario;
	machine->closed = UINT32_MAX;
	scenario->cluster_input.path = sl_strdup(scenario->arena, path, strlen(path));
	if (!scenario->cluster_input.path)
		return sl_fail_memory(err);
	const bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	int status = folder ? SL_OK : sl_input_open(&in, path, err);
	if (!status)
		status = scenario_cluster_read_file(machine, loading, in, err);
	sl_input_close(in);
	if (!status && loading->options->identify)
		status = machine_identity(machine, scenario->cluster_read, err);
	if (!status)
		status = lend_rest(machine, err);
	if (!status)
		status = build_nodes(machine, err);
	if (!status)
		status = objects_lend(machine, err);
	if (!status) {
		scenario->cpus = scenario->cluster.cpus;
		scenario->cpus_from = scenario->cluster_input.path;
	}
	return status;
}

/* ---- What the trace says ------------------------------------------------------------------------ */

static const struct header_line *header_called(const struct scenario *scenario, const char *key)
{
	for (size_t i = 0; i < scenario->header_count; i++)
		if (strcmp(scenario->header[i].key, key) == 0)
			return &scenario->header[i];
	return NULL;
}

int release_take(struct scenario *scenario, struct sl_err *err)
{
	static const char key[] = "SLURM_VERSION";
	struct sl_cluster *cluster = &scenario->cluster;
	const struct header_line *line = header_called(scenario, key);
	if (!line || sl_setting_of(cluster, "cluster", "", key))
		return SL_OK;
	struct sl_setting *setting = sl_alloc(scenario->arena, cluster->setting_count + 1, sizeof(*setting));
	if (!setting)
		return sl_fail_memory(err);
	if (cluster->setting_count)
		memcpy(setting, cluster->setting, cluster->setting_count * sizeof(*setting));
	setting[cluster->setting_count++] = (struct sl_setting){ .kind = "cluster",
		.name = "",
		.key = key,
		.value = line->value,
		.at.file = scenario->input.path,
		.coverage = SL_MODELLED,
		.by = "slurm, hybrid" };
	cluster->setting = setting;
	return SL_OK;
}
