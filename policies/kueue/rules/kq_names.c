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
	KIND_NAMESPACE,
	KIND_HOST
};

struct kq_names {
	struct entry {
		const char *namespace, *name; /* Of a text: name alone. */
		uint32_t kind, row;
	} * entry;
	uint32_t count, capacity;
	struct sl_map map; /* Of their places. */
};

static uint64_t kq_names_hash_of(uint32_t kind, const char *namespace, const char *name)
{
	return sl_hash_text(sl_hash_text(kind, namespace), name);
}

static struct entry *find_entry(
	const struct kq_names *names, uint32_t kind, const char *namespace, const char *name)
{
	const uint64_t hash = kq_names_hash_of(kind, namespace, name);
	uint32_t i;
	SL_MAP_EACH(&names->map, hash, i)
	{
		struct entry *entry = &names->entry[i];
		if (entry->kind == kind && strcmp(entry->name, name) == 0 &&
			strcmp(entry->namespace, namespace) == 0)
			return entry;
	}
	return NULL;
}

/* The entry of that name, made if it is not there: *made. NULL: no memory. */
static struct entry *entry_of(
	struct kq *kq, enum kind kind, const char *namespace, const char *name, bool *made)
{
	struct kq_names *names = kq->names;
	struct entry *entry = find_entry(names, kind, namespace, name);
	*made = !entry;
	if (entry)
		return entry;
	const char *own_namespace = kind == KIND_TEXT ? "" : kq_text(kq, namespace);
	const char *own = kind == KIND_TEXT ? sl_strdup(kq->arena, name, strlen(name)) : kq_text(kq, name);
	*made = own && own_namespace && !SL_GROW(names->entry, names->capacity, names->count + 1, &kq->err) &&
		!sl_map_add(&names->map, kq_names_hash_of(kind, namespace, name), names->count, &kq->err);
	if (!*made)
		return sl_fail_memory(&kq->err), NULL;
	names->entry[names->count] = (struct entry){ own_namespace, own, kind, KQ_NO };
	return &names->entry[names->count++];
}

int kq_names_make(struct kq *kq)
{
	kq->names = calloc(1, sizeof(*kq->names));
	return kq->names ? SL_OK : sl_fail_memory(&kq->err);
}

void kq_names_free(struct kq *kq)
{
	if (kq->names) {
		free(kq->names->entry);
		sl_map_free(&kq->names->map);
	}
	free(kq->names);
}

const char *kq_text(struct kq *kq, const char *text)
{
	bool made;
	const struct entry *entry = entry_of(kq, KIND_TEXT, "", text ? text : "", &made);
	return entry ? entry->name : "";
}

/* A new row of an array that grows; zeroed. */
static void *row_attributes(struct kq *kq, void **array, uint32_t *count, uint32_t *capacity, size_t size)
{
	if (*count == *capacity &&
		sl_array_grow(array, size, capacity, sizeof(*capacity), *count + 1, KQ_ROWS_MAX, &kq->err))
		return NULL;
	return memset((char *)*array + (size_t)(*count)++ * size, 0, size);
}
#define MORE(kq, what)                                                                          \
	row_attributes((kq), (void **)&(kq)->what, &(kq)->what##_count, &(kq)->what##_capacity, \
		sizeof(*(kq)->what))

/* The row of that name. A new one has its name alone: *made, else NULL. */
#define ROW_OF(kq, kind, namespace, name, what, made)                                                 \
	kq_names_row_of((kq), (kind), (namespace), (name), (void **)&(kq)->what, &(kq)->what##_count, \
		&(kq)->what##_capacity, sizeof(*(kq)->what), (made))
static uint32_t kq_names_row_of(struct kq *kq, enum kind kind, const char *namespace, const char *name,
	void **array, uint32_t *count, uint32_t *capacity, size_t size, const struct entry **made)
{
	bool is_new;
	struct entry *entry = entry_of(kq, kind, namespace, name, &is_new);
	*made = is_new && row_attributes(kq, array, count, capacity, size) ? entry : NULL;
	if (*made)
		entry->row = *count - 1;
	return entry && entry->row != KQ_NO ? entry->row : 0;
}

static uint32_t kq_names_find(const struct kq *kq, enum kind kind, const char *namespace, const char *name)
{
	const struct entry *entry = find_entry(kq->names, kind, namespace, name);
	return entry ? entry->row : KQ_NO;
}

uint32_t kq_find_queue(const struct kq *kq, const char *name)
{
	return kq_names_find(kq, KIND_QUEUE, "", name);
}
uint32_t kq_find_local(const struct kq *kq, const char *namespace, const char *name)
{
	return kq_names_find(kq, KIND_LOCAL, namespace, name);
}

uint32_t kq_resource(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_RESOURCE, "", name, resource, &made);
	if (made)
		kq->resource[row] = made->name;
	return row < KQ_RESOURCES_MAX
		       ? row
		       : ((void)kq_fail(kq, SL_INPUT, "more than %d resources", KQ_RESOURCES_MAX), 0U);
}

uint32_t kq_flavor(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_FLAVOR, "", name, flavor, &made);
	if (made)
		kq->flavor[row] = (struct kq_flavor){ .name = made->name, .topology = KQ_NO };
	return row < KQ_FLAVORS_MAX
		       ? row
		       : ((void)kq_fail(kq, SL_INPUT, "more than %d flavors", KQ_FLAVORS_MAX), 0U);
}

uint32_t kq_topology(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_TOPOLOGY, "", name, topology, &made);
	if (made)
		kq->topology[row].name = made->name;
	return row;
}

static uint32_t tree_node(struct kq *kq, enum kind kind, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, kind, "", name, node, &made);
	if (made) {
		kq->node[row] = (struct kq_node){ .name = made->name,
			.is_queue = kind == KIND_QUEUE,
			.exists = kind == KIND_COHORT,
			.parent = KQ_NO,
			.weight = 1,
			.preempt_next = true };
		kq->node[row].namespaces.nothing = true;
	}
	return row < KQ_TREE_MAX
		       ? row
		       : ((void)kq_fail(kq, SL_INPUT, "more than %d queues and cohorts", KQ_TREE_MAX), 0U);
}

uint32_t kq_cohort(struct kq *kq, const char *name) { return tree_node(kq, KIND_COHORT, name); }
uint32_t kq_cluster_queue(struct kq *kq, const char *name) { return tree_node(kq, KIND_QUEUE, name); }

uint32_t kq_local_queue(struct kq *kq, const char *namespace, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_LOCAL, namespace, name, local, &made);
	if (made)
		kq->local[row] = (struct kq_local_queue){ .name = made->name,
			.namespace = made->namespace,
			.queue = KQ_NO,
			.queue_name = "",
			.weight = 1 };
	return row;
}

uint32_t kq_check(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_CHECK, "", name, check, &made);
	if (made)
		kq->check[row].name = made->name;
	return row;
}

uint32_t kq_namespace(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_NAMESPACE, "", name, namespace, &made);
	if (made)
		kq->namespace[row].name = made->name;
	return row;
}

uint32_t kq_find_namespace(const struct kq *kq, const char *name)
{
	return kq_names_find(kq, KIND_NAMESPACE, "", name);
}

uint32_t kq_host(struct kq *kq, const char *name)
{
	const struct entry *made;
	const uint32_t row = ROW_OF(kq, KIND_HOST, "", name, host, &made);
	if (made)
		kq->host[row] = (struct kq_host){ .name = made->name, .ready = true };
	return row;
}

uint32_t kq_find_host(const struct kq *kq, const char *name)
{
	return kq_names_find(kq, KIND_HOST, "", name);
}

uint32_t kq_workload(struct kq *kq, const char *namespace, const char *name)
{
	struct kq_workload *row = MORE(kq, workload);
	if (!row)
		return 0;
	*row = (struct kq_workload){ .name = kq_text(kq, name),
		.namespace = kq_text(kq, namespace),
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
