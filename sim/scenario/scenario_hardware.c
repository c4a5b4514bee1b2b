/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_hardware.c - look-ups while a cluster is loaded: node hardware (copied whole, and
 * compared, so that nodes that are built differently are of different types), entries, nodes and partitions
 * by name, types.
 */
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

enum { CORE_WORDS = SL_CORES_MAX / 64 };

static bool text_copy(struct sl_arena *arena, const char **text)
{
	if (!*text)
		return true;
	*text = sl_strdup(arena, *text, strlen(*text));
	return *text != NULL;
}

static bool gres_copy(struct sl_arena *arena, struct sl_gres *gres)
{
	if (!text_copy(arena, &gres->name) || !text_copy(arena, &gres->type) ||
		!text_copy(arena, &gres->nic) || !text_copy(arena, &gres->mig))
		return false;
	if (!gres->cores)
		return true;
	uint64_t *cores = sl_alloc(arena, CORE_WORDS, sizeof(*cores));
	if (cores)
		memcpy(cores, gres->cores, CORE_WORDS * sizeof(*cores));
	gres->cores = cores;
	return cores != NULL;
}

static bool features_copy(struct sl_arena *arena, struct sl_hardware *hardware)
{
	const char **feature = sl_alloc(arena, hardware->feature_count, sizeof(*feature));
	bool good = feature != NULL;
	for (uint32_t i = 0; i < hardware->feature_count && good; i++) {
		feature[i] = hardware->feature[i];
		good = text_copy(arena, &feature[i]);
	}
	hardware->feature = feature;
	return good;
}

static bool all_gres_copy(struct sl_arena *arena, struct sl_hardware *hardware)
{
	struct sl_gres *gres = sl_alloc(arena, hardware->gres_count, sizeof(*gres));
	bool good = gres != NULL;
	for (uint32_t i = 0; i < hardware->gres_count && good; i++) {
		gres[i] = hardware->gres[i];
		good = gres_copy(arena, &gres[i]);
	}
	hardware->gres = gres;
	return good;
}

const struct sl_hardware *hardware_copy(struct sl_arena *arena, const struct sl_hardware *from)
{
	struct sl_hardware *copy = sl_alloc(arena, 1, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *from;
	if (!text_copy(arena, &copy->state_reason))
		return NULL;
	if (copy->feature_count && !features_copy(arena, copy))
		return NULL;
	return copy->gres_count && !all_gres_copy(arena, copy) ? NULL : copy;
}

static bool text_same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool gres_same(const struct sl_gres *a, const struct sl_gres *b)
{
	const bool cores =
		a->cores == b->cores ||
		(a->cores && b->cores && memcmp(a->cores, b->cores, CORE_WORDS * sizeof(uint64_t)) == 0);
	return cores && text_same(a->name, b->name) && text_same(a->type, b->type) &&
	       text_same(a->nic, b->nic) && a->count == b->count && a->mem == b->mem &&
	       a->no_consume == b->no_consume && a->island == b->island && text_same(a->mig, b->mig);
}

static bool numbers_same(const struct sl_hardware *a, const struct sl_hardware *b)
{
	return a->boards == b->boards && a->sockets == b->sockets && a->cores == b->cores &&
	       a->threads == b->threads && a->cores_kept == b->cores_kept && a->state == b->state &&
	       a->mem_kept == b->mem_kept && a->tmp_disk == b->tmp_disk && a->weight == b->weight;
}

bool hardware_same(const struct sl_hardware *a, const struct sl_hardware *b)
{
	if (a == b || !a || !b)
		return a == b;
	if (!numbers_same(a, b) || !text_same(a->state_reason, b->state_reason) ||
		a->feature_count != b->feature_count || a->gres_count != b->gres_count)
		return false;
	for (uint32_t i = 0; i < a->feature_count; i++)
		if (!text_same(a->feature[i], b->feature[i]))
			return false;
	for (uint32_t i = 0; i < a->gres_count; i++)
		if (!gres_same(&a->gres[i], &b->gres[i]))
			return false;
	return true;
}

bool hardware_has(const struct sl_hardware *hardware, const char *feature, size_t len)
{
	for (uint32_t i = 0; hardware && i < hardware->feature_count; i++)
		if (strncmp(hardware->feature[i], feature, len) == 0 && !hardware->feature[i][len])
			return true;
	return false;
}

/* ---- Looked up by name ----------------------------------------------------------------------- */

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
	const uint32_t host = names_find(&machine->hosts, name, len);
	if (host != UINT32_MAX)
		return machine->host[host];
	const struct entry *entry = machine_entry(machine, name, len);
	if (entry && entry != but && entry->count == 1 && !entry->listed)
		return entry->first;
	for (size_t split = len; split > 1 && name[split - 1] >= '0' && name[split - 1] <= '9'; split--) {
		int64_t number;
		entry = machine_entry(machine, name, split - 1);
		if (entry && entry != but && entry->count > 1 && !entry->listed && name[split - 1] != '0' &&
			sl_get_i64(name + split - 1, len - split + 1, &number) && number <= entry->count)
			return entry->first + (uint32_t)number - 1;
	}
	return UINT32_MAX;
}

uint32_t machine_partition(const struct machine *machine, const char *name, size_t len)
{
	for (size_t i = 0; i < machine->partition_count; i++)
		if (strncmp(machine->partition[i].name, name, len) == 0 && !machine->partition[i].name[len])
			return (uint32_t)i;
	return UINT32_MAX;
}

const struct side_files *machine_files(const struct loading *loading)
{
	return loading->machine ? &loading->machine->read : NULL;
}

/* ---- Types ----------------------------------------------------------------------------------- */

int machine_type(struct machine *machine, const struct sl_node_type *type, uint32_t parent, uint32_t *index,
	struct sl_err *err)
{
	const size_t wanted = machine->type_count + 1;
	int status = SL_GROW_MOST(machine->type, machine->type_capacity, wanted, NODES_MAX, err);
	if (!status)
		status = SL_GROW_MOST(machine->type_parent, machine->parent_capacity, wanted, NODES_MAX, err);
	if (!status)
		status = SL_GROW_MOST(machine->type_nodes, machine->nodes_capacity, wanted, NODES_MAX, err);
	if (status)
		return status;
	*index = (uint32_t)machine->type_count++;
	machine->type[*index] = *type;
	machine->type_parent[*index] = parent;
	machine->type_nodes[*index] = 0;
	return SL_OK;
}

const char *window_word(enum sl_window_kind kind)
{
	static const char *const words[] = { "reservation", "maintenance", "outage", "state" };
	return words[kind];
}

bool window_is_for_ever(const struct window_spec *window)
{
	return !window->spec.from && !window->spec.until && !window->spec.length;
}
