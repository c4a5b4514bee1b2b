/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_names.c - texts, and rows by name: of flavors, queues, cohorts and what else has a name.
 */
#include "policies/kueue/rules/kq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_TEXT,
	KIND_RESOURCE,
	KIND_FLAVOR,
	KIND_TOPOLOGY,
	KIND_COHORT,
	KIND_QUEUE,
	KIND_LOCAL,
	KIND_CHECK,
	KIND_SPACE,
	KIND_HOST
};

/* A hash table that only finds: nothing goes over it, so its order decides nothing. */
struct kq_names {
	struct entry {
		const char *space, *name; /* Of a text: name alone. NULL: free. */
		uint32_t kind, row;
	} * entry;
	size_t count, capacity;
};

static uint64_t hash_of(uint32_t kind, const char *space, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ kind;
	for (; *space; space++)
		hash = (hash ^ (unsigned char)*space) * UINT64_C(1099511628211);
	hash = (hash ^ 0x1ff) * UINT64_C(1099511628211);
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return hash ^ hash >> 29;
}

static struct entry *place_of(
	const struct kq_names *names, uint32_t kind, const char *space, const char *name)
{
	size_t at = hash_of(kind, space, name) & (names->capacity - 1);
	for (;; at = (at + 1) & (names->capacity - 1)) {
		struct entry *entry = &names->entry[at];
		if (!entry->name || (entry->kind == kind && strcmp(entry->name, name) == 0 &&
					    strcmp(entry->space, space) == 0))
			return entry;
	}
}

static bool grow(struct kq *kq, struct kq_names *names)
{
	const struct kq_names old = *names;
	names->capacity = old.capacity ? old.capacity * 2 : 256;
	names->entry = calloc(names->capacity, sizeof(*names->entry));
	if (!names->entry) {
		*names = old;
		return kq_fail(kq, SL_SYSTEM, "out of memory"), false;
	}
	for (size_t i = 0; i < old.capacity; i++) {
		const struct entry *entry = &old.entry[i];
		if (entry->name)
			*place_of(names, entry->kind, entry->space, entry->name) = *entry;
	}
	free(old.entry);
	return true;
}

/* The entry of that name, made if it is not there: *made. NULL: no memory. */
static struct entry *entry_of(struct kq *kq, enum kind kind, const char *space, const char *name, bool *made)
{
	struct kq_names *names = kq->names;
	*made = false;
	if (names->count * 2 >= names->capacity && !grow(kq, names))
		return NULL;
	struct entry *entry = place_of(names, kind, space, name);
	if (entry->name)
		return entry;
	const char *own_space = kind == KIND_TEXT ? "" : kq_text(kq, space);
	const char *own = kind == KIND_TEXT ? sl_strdup(kq->arena, name, strlen(name)) : kq_text(kq, name);
	if (!own || !own_space)
		return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
	entry = place_of(kq->names, kind, space, name); /* It may have moved. */
	*entry = (struct entry){ own_space, own, kind, KQ_NO };
	names->count++;
	*made = true;
	return entry;
}

int kq_names_make(struct kq *kq)
{
	kq->names = calloc(1, sizeof(*kq->names));
	return kq->names && grow(kq, kq->names) ? 0 : kq_fail(kq, SL_SYSTEM, "out of memory");
}

void kq_names_free(struct kq *kq)
{
	if (kq->names)
		free(kq->names->entry);
	free(kq->names);
}

const char *kq_text(struct kq *kq, const char *text)
{
	bool made;
	const struct entry *entry = entry_of(kq, KIND_TEXT, "", text ? text : "", &made);
	return entry ? entry->name : "";
}

/* A new row of an array that grows; zeroed. */
static void *row_more(struct kq *kq, void **array, uint32_t *count, uint32_t *capacity, size_t size)
{
	if (*count == *capacity) {
		const uint32_t room = *capacity ? *capacity * 2 : 16;
		void *more = *capacity > KQ_ROWS_MAX ? NULL : realloc(*array, room * size);
		if (!more)
			return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
		*array = more;
		*capacity = room;
	}
	return memset((char *)*array + (size_t)(*count)++ * size, 0, size);
}
#define MORE(kq, what) \
	row_more((kq), (void **)&(kq)->what, &(kq)->what##_count, &(kq)->what##_capacity, sizeof(*(kq)->what))

static uint32_t find(const struct kq *kq, enum kind kind, const char *space, const char *name)
{
	const struct entry *entry = place_of(kq->names, kind, space, name);
	return entry->name ? entry->row : KQ_NO;
}

uint32_t kq_find_queue(const struct kq *kq, const char *name) { return find(kq, KIND_QUEUE, "", name); }
uint32_t kq_find_local(const struct kq *kq, const char *space, const char *name)
{
	return find(kq, KIND_LOCAL, space, name);
}

uint32_t kq_resource(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_RESOURCE, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	const char *own = entry->name;
	if (kq->resource_count >= KQ_RESOURCES_MAX)
		return kq_fail(kq, SL_INPUT, "more than %d resources", KQ_RESOURCES_MAX), 0;
	entry->row = kq->resource_count;
	const char **row = MORE(kq, resource);
	if (!row)
		return 0;
	*row = own;
	return kq->resource_count - 1;
}

uint32_t kq_flavor(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_FLAVOR, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	if (kq->flavor_count >= KQ_FLAVORS_MAX)
		return kq_fail(kq, SL_INPUT, "more than %d flavors", KQ_FLAVORS_MAX), 0;
	entry->row = kq->flavor_count;
	struct kq_flavor *row = MORE(kq, flavor);
	if (!row)
		return 0;
	*row = (struct kq_flavor){ .name = entry->name, .topology = KQ_NO };
	return kq->flavor_count - 1;
}

uint32_t kq_topology(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_TOPOLOGY, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	entry->row = kq->topology_count;
	struct kq_topology *row = MORE(kq, topology);
	if (!row)
		return 0;
	row->name = entry->name;
	return kq->topology_count - 1;
}

static uint32_t tree_node(struct kq *kq, enum kind kind, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, kind, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	if (kq->node_count >= KQ_TREE_MAX)
		return kq_fail(kq, SL_INPUT, "more than %d queues and cohorts", KQ_TREE_MAX), 0;
	entry->row = kq->node_count;
	struct kq_node *row = MORE(kq, node);
	if (!row)
		return 0;
	*row = (struct kq_node){ .name = entry->name,
		.is_queue = kind == KIND_QUEUE,
		.exists = kind == KIND_COHORT,
		.parent = KQ_NO,
		.weight = 1,
		.preempt_next = true };
	row->namespaces.nothing = true;
	return kq->node_count - 1;
}

uint32_t kq_cohort(struct kq *kq, const char *name) { return tree_node(kq, KIND_COHORT, name); }
uint32_t kq_cluster_queue(struct kq *kq, const char *name) { return tree_node(kq, KIND_QUEUE, name); }

uint32_t kq_local_queue(struct kq *kq, const char *space, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_LOCAL, space, name, &made);
	if (!made)
		return entry ? entry->row : 0;
	entry->row = kq->local_count;
	struct kq_local_queue *row = MORE(kq, local);
	if (!row)
		return 0;
	*row = (struct kq_local_queue){
		.name = entry->name, .space = entry->space, .queue = KQ_NO, .queue_name = "", .weight = 1
	};
	return kq->local_count - 1;
}

uint32_t kq_check(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_CHECK, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	entry->row = kq->check_count;
	struct kq_check *row = MORE(kq, check);
	if (!row)
		return 0;
	row->name = entry->name;
	return kq->check_count - 1;
}

uint32_t kq_namespace(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_SPACE, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	entry->row = kq->space_count;
	struct kq_namespace *row = MORE(kq, space);
	if (!row)
		return 0;
	row->name = entry->name;
	return kq->space_count - 1;
}

uint32_t kq_find_namespace(const struct kq *kq, const char *name) { return find(kq, KIND_SPACE, "", name); }

uint32_t kq_host(struct kq *kq, const char *name)
{
	bool made;
	struct entry *entry = entry_of(kq, KIND_HOST, "", name, &made);
	if (!made)
		return entry ? entry->row : 0;
	entry->row = kq->host_count;
	struct kq_host *row = MORE(kq, host);
	if (!row)
		return 0;
	*row = (struct kq_host){ .name = entry->name, .ready = true };
	return kq->host_count - 1;
}

uint32_t kq_find_host(const struct kq *kq, const char *name) { return find(kq, KIND_HOST, "", name); }

uint32_t kq_workload(struct kq *kq, const char *space, const char *name)
{
	struct kq_workload *row = MORE(kq, workload);
	if (!row)
		return 0;
	*row = (struct kq_workload){ .name = kq_text(kq, name),
		.space = kq_text(kq, space),
		.uid = kq_text(kq, ""),
		.queue_name = kq_text(kq, ""),
		.local = KQ_NO,
		.created = SL_NONE,
		.active = true,
		.requeue_at = SL_NONE,
		.replaces = KQ_NO,
		.row_outside = KQ_NO };
	return kq->workload_count - 1;
}
