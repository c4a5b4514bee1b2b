/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_cluster.c - a cluster file becomes nodes, types of nodes and windows.
 *
 * Entries of the file that are alike share a type. Windows wait until the trace is read
 * (scenario_reservations.c).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/scenario_machine.h"

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	names_release(&machine->kinds);
	free(machine->entry);
	free(machine->by_name);
	free(machine->type);
	free(machine->window);
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

/* The spec's amounts by kind; new types of GPU get theirs. */
static int amounts_of(struct machine *machine, const struct sl_nodes_spec *spec, struct sl_node_type *type,
	const struct sl_place *at, struct sl_err *err)
{
	memset(type, 0, sizeof(*type));
	type->amount[SL_KIND_CPUS] = spec->cpus;
	type->amount[SL_KIND_MEM] = spec->mem == SL_NONE ? SL_MEM_UNBOUNDED : spec->mem;
	for (size_t i = 0; i < spec->gpu_count; i++) {
		uint32_t kind;
		const char *name = spec->gpu[i].type;
		if (!spec->gpu[i].count)
			continue;
		const int status =
			names_add(&machine->kinds, machine->scenario->arena, name, strlen(name), &kind, err);
		if (status)
			return status;
		if (kind >= SL_GPU_TYPES_MAX)
			return sl_fail_at(
				err, at, "'%s' is one type of GPU too many: %d are", name, SL_GPU_TYPES_MAX);
		type->amount[SL_KIND_GPUS + kind] += spec->gpu[i].count;
	}
	return SL_OK;
}

int machine_type(
	struct machine *machine, const struct sl_node_type *type, uint32_t *index, struct sl_err *err)
{
	void *array = machine->type;
	const int status = grow(&array, &machine->type_capacity, sizeof(*machine->type),
		machine->type_count + 1, NODES_MAX, err);
	machine->type = array;
	if (status)
		return status;
	*index = (uint32_t)machine->type_count++;
	machine->type[*index] = *type;
	return SL_OK;
}

/* The type of these amounts, which is new if no entry before is alike. */
static int type_of(
	struct machine *machine, const struct sl_node_type *want, uint32_t *index, struct sl_err *err)
{
	for (size_t i = 0; i < machine->type_count; i++) {
		if (memcmp(machine->type[i].amount, want->amount, sizeof(want->amount)) != 0)
			continue;
		*index = (uint32_t)i;
		return SL_OK;
	}
	return machine_type(machine, want, index, err);
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	struct sl_node_type type;
	struct entry entry = { spec->name, { at->file, at->line, at->column }, (uint32_t)machine->nodes,
		(uint32_t)spec->count, 0 };
	if (machine->nodes + (uint64_t)spec->count > NODES_MAX)
		return sl_fail_at(err, at, "more than %d nodes in all", NODES_MAX);
	SL_CHECK(spec->cpus > 0 && strlen(spec->name) <= NODE_NAME_MAX);
	int status = keep_text(machine, &entry.name) ? SL_OK : sl_fail_memory(err);
	if (!status)
		status = amounts_of(machine, spec, &type, at, err);
	type.name = entry.name;
	if (!status)
		status = type_of(machine, &type, &entry.type, err);
	void *array = machine->entry;
	if (!status)
		status = grow(&array, &machine->entry_capacity, sizeof(entry), machine->entry_count + 1,
			NODES_MAX, err);
	machine->entry = array;
	if (status)
		return status;
	machine->entry[machine->entry_count++] = entry;
	machine->nodes += (uint64_t)spec->count;
	machine->unbounded |= spec->mem == SL_NONE && spec->count;
	return SL_OK;
}

static int on_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct machine *machine = self;
	void *array = machine->window;
	const int status = grow(&array, &machine->window_capacity, sizeof(*machine->window),
		machine->window_count + 1, NODES_MAX, err);
	machine->window = array;
	if (status)
		return status;
	struct window_spec *kept = &machine->window[machine->window_count++];
	*kept = (struct window_spec){ *spec, *at };
	const char **text[] = { &kept->spec.name, &kept->spec.nodes, &kept->spec.from, &kept->spec.until,
		&kept->spec.length };
	for (size_t i = 0; i < SL_LEN(text); i++)
		if (!keep_text(machine, text[i]))
			return sl_fail_memory(err);
	return SL_OK;
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

const struct entry *machine_entry(const struct machine *machine, const char *name, size_t len)
{
	size_t low = 0;
	size_t high = machine->entry_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct entry *entry = &machine->entry[machine->by_name[middle]];
		const int order = strncmp(entry->name, name, len);
		if (order == 0 && !entry->name[len])
			return entry;
		if (order < 0)
			low = middle + 1;
		else
			high = middle; /* Longer ones with the same beginning come behind. */
	}
	return NULL;
}

/* Where the number of "n17" begins is not known: it may be the 7th of "n1", too. */
uint32_t machine_node(const struct machine *machine, const char *name, size_t len, const struct entry *but)
{
	const struct entry *entry = machine_entry(machine, name, len);
	if (entry && entry != but && entry->count == 1)
		return entry->first;
	for (size_t split = len; split > 1 && name[split - 1] >= '0' && name[split - 1] <= '9'; split--) {
		int64_t number;
		entry = machine_entry(machine, name, split - 1);
		if (entry && entry != but && entry->count > 1 && name[split - 1] != '0' &&
			sl_get_i64(name + split - 1, len - split + 1, &number) && number <= entry->count)
			return entry->first + (uint32_t)number - 1;
	}
	return UINT32_MAX;
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

/* No two entries have one name, and no two nodes. */
static int check_names(struct machine *machine, struct sl_err *err)
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
		if (strcmp(first->name, second->name) == 0)
			return sl_fail_at(err, &second->at,
				"nodes '%s' stand twice, first on line %llu: use 'count'", second->name,
				(unsigned long long)first->at.line);
	}
	/* The names of an entry of many all begin with its own and the digit 1 to 9, so the shortest that
	 * could be another's is that. */
	for (size_t i = 0; i < machine->entry_count; i++) {
		const struct entry *entry = &machine->entry[i];
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
	return SL_OK;
}

static int name_nodes(struct machine *machine, struct sl_err *err)
{
	enum { DIGITS = 8 };
	struct scenario *scenario = machine->scenario;
	size_t bytes = 1;
	for (size_t i = 0; i < machine->entry_count; i++)
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
			name[entry->first + k] = p;
			type[entry->first + k] = entry->type;
			memcpy(p, entry->name, len);
			p += len;
			if (entry->count > 1)
				p = sl_put_i64(p, k + 1);
			*p++ = '\0';
		}
	}
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

/* Sums over all nodes. They cannot overflow: each amount is below 2^38, and there are fewer than 2^24 nodes.
 */
static int add_up(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	for (size_t i = 0; i < machine->entry_count; i++) {
		const struct entry *entry = &machine->entry[i];
		const int64_t *amount = machine->type[entry->type].amount;
		cluster->cpus += amount[SL_KIND_CPUS] * entry->count;
		cluster->mem += machine->unbounded ? 0 : amount[SL_KIND_MEM] * entry->count;
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
			cluster->gpus += amount[kind] * entry->count;
	}
	if (cluster->cpus <= INT32_MAX && cluster->gpus <= INT32_MAX)
		return SL_OK;
	return sl_fail(err, SL_INPUT, "%s: has more than %d cpus or GPUs in all",
		machine->scenario->cluster_input.path, INT32_MAX);
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
	status = add_up(machine, err);
	if (!status)
		status = check_names(machine, err);
	if (!status)
		status = name_nodes(machine, err);
	cluster->type = machine->type; /* Until types are parted by windows. */
	cluster->type_count = (uint32_t)machine->type_count;
	return status;
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static int read_file(
	struct machine *machine, const struct loading *loading, struct sl_input *in, struct sl_err *err)
{
	struct scenario_input *input = &machine->scenario->cluster_input;
	const struct sl_cluster_sink sink = {
		.self = machine, .name = on_name, .pool = on_pool, .nodes = on_nodes, .window = on_window
	};
	const struct sl_cluster_reader *reader = NULL;
	int status = cluster_reader_choose(loading->scenario->registry, &reader, input->path, in, err);
	if (!status)
		status = reader->read(input->path, in, loading->cluster_setting,
			loading->cluster_setting_count, &sink, err);
	if (status || !in)
		return status;
	input->format = reader->name;
	input->packing = sl_input_packing(in);
	input->bytes = sl_input_bytes(in);
	memcpy(input->sha256, sl_input_sha256(in), sizeof(input->sha256));
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
	scenario->cluster_input.path = sl_strdup(scenario->arena, path, strlen(path));
	if (!scenario->cluster_input.path)
		return sl_fail_memory(err);
	const bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	int status = folder ? SL_OK : sl_input_open(&in, path, err);
	if (!status)
		status = read_file(machine, loading, in, err);
	/* Places in messages name the file as it was given. */
	for (size_t i = 0; i < machine->entry_count; i++)
		machine->entry[i].at.file = scenario->cluster_input.path;
	for (size_t i = 0; i < machine->window_count; i++)
		machine->window[i].at.file = scenario->cluster_input.path;
	sl_input_close(in);
	if (!status)
		status = build_nodes(machine, err);
	if (!status) {
		scenario->cpus = scenario->cluster.cpus;
		scenario->cpus_from = scenario->cluster_input.path;
	}
	return status;
}
