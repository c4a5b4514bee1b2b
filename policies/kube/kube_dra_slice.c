/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_slice.c - ResourceSlices (resource.k8s.io, v1, v1beta2, v1beta1): pools, devices and counters.
 *
 * Of a pool the slices of the highest generation count. One that has fewer of them than it says is
 * incomplete; one in which two devices have one name, or a device consumes a counter that is not there, is
 * invalid.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/kube/kube_dra.h"

struct slice {
	const struct sl_object *object;
	const char *driver, *pool;
	int64_t generation;
	uint32_t row, first; /* first: the pool's first row. */
};

struct reading {
	struct kube_dra *dra;
	struct sl_err *err;
	struct sl_arena *arena;
	const struct sl_object *object;
	struct slice *slice;
	uint32_t slices;
	const uint32_t *by_rank; /* Nodes by name. */
	int status;
};

static const struct sl_doc_node *get(const struct reading *r, const struct sl_doc_node *map, const char *path)
{
	return kube_get(r->object->doc, map, path);
}

static const struct sl_doc_node *first_of(const struct reading *r, const struct sl_doc_node *of)
{
	return of && of->kind != SL_DOC_TEXT ? sl_doc_child(r->object->doc, of) : NULL;
}

static const struct sl_doc_node *next_of(const struct reading *r, const struct sl_doc_node *of)
{
	return r->status ? NULL : sl_doc_next(r->object->doc, of);
}

static uint32_t count_of(const struct sl_doc_node *of)
{
	return of && of->kind != SL_DOC_TEXT ? of->count : 0;
}

static const char *key_of(const struct reading *r, const struct sl_doc_node *node)
{
	return r->object->doc->text + node->key;
}

static void *room(struct reading *r, size_t count, size_t size)
{
	void *made = r->status ? NULL : sl_alloc(r->arena, count + 1, size);
	if (!made && !r->status)
		r->status = sl_fail_memory(r->err);
	return made;
}

static void refuse(struct reading *r, const struct sl_doc_node *node, const char *what)
{
	if (!r->status)
		r->status = dra_fail(r->object, node, r->err, what);
}

/* ---- Which slices count ---------------------------------------------------------------------------------
 */

static int by_pool(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;
	int order = strcmp(x->driver, y->driver);
	order = order ? order : strcmp(x->pool, y->pool);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_first(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void take_head(struct reading *r, struct slice *slice)
{
	const struct sl_object *object = r->object = slice->object;
	slice->driver = kube_text(object->doc, object->node, "spec.driver");
	slice->pool = kube_text(object->doc, object->node, "spec.pool.name");
	if (!slice->driver || !slice->pool) {
		refuse(r, object->node, "a ResourceSlice has spec.driver and spec.pool.name");
		return;
	}
	if (!r->status)
		r->status = kube_int(
			object->doc, object->node, "spec.pool.generation", &slice->generation, r->err);
}

/* Those of each pool's highest generation, pools in the order of the file. */
static void choose_slices(struct reading *r)
{
	uint32_t kept = 0;
	qsort(r->slice, r->slices, sizeof(*r->slice), by_pool);
	for (uint32_t i = 0, end; i < r->slices; i = end) {
		int64_t highest = r->slice[i].generation;
		for (end = i + 1; end < r->slices && strcmp(r->slice[end].driver, r->slice[i].driver) == 0 &&
				  strcmp(r->slice[end].pool, r->slice[i].pool) == 0;
			end++)
			highest = r->slice[end].generation > highest ? r->slice[end].generation : highest;
		const uint32_t first = r->slice[i].row;
		for (uint32_t at = i; at < end; at++) {
			if (r->slice[at].generation < highest)
				continue;
			r->slice[kept] = r->slice[at];
			r->slice[kept++].first = first;
		}
	}
	r->slices = kept;
	qsort(r->slice, r->slices, sizeof(*r->slice), by_first);
}

/* ---- Counters -------------------------------------------------------------------------------------------
 */

static void take_counters(struct reading *r, struct dra_pool *pool)
{
	const struct sl_doc_node *sets = get(r, r->object->node, "spec.sharedCounters");
	for (const struct sl_doc_node *set = first_of(r, sets); set; set = next_of(r, set)) {
		const char *name = kube_text(r->object->doc, set, "name");
		if (!name)
			refuse(r, set, "a set of counters has a 'name'");
		for (uint32_t i = 0; name && i < pool->counters; i++)
			pool->invalid |= strcmp(r->dra->counter[pool->first_counter + i].set, name) == 0 &&
					 count_of(get(r, set, "counters"));
		for (const struct sl_doc_node *one = first_of(r, get(r, set, "counters")); one;
			one = next_of(r, one)) {
			struct dra_counter *counter = &r->dra->counter[r->dra->counters++];
			*counter = (struct dra_counter){ .set = name ? name : "", .name = key_of(r, one) };
			if (!r->status)
				r->status = dra_quantity(r->object, one, &counter->total, r->err);
			pool->counters++;
		}
	}
}

static void take_needs(
	struct reading *r, struct dra_pool *pool, struct dra_device *device, const struct sl_doc_node *list)
{
	uint32_t count = 0;
	for (const struct sl_doc_node *set = first_of(r, list); set; set = next_of(r, set))
		count += count_of(get(r, set, "counters"));
	struct dra_need *need = room(r, count, sizeof(*need));
	for (const struct sl_doc_node *set = need ? first_of(r, list) : NULL; set; set = next_of(r, set)) {
		const char *name = kube_text(r->object->doc, set, "counterSet");
		for (const struct sl_doc_node *one = first_of(r, get(r, set, "counters")); one;
			one = next_of(r, one)) {
			int64_t amount = 0;
			r->status = dra_quantity(r->object, one, &amount, r->err);
			uint32_t at = 0;
			while (at < pool->counters && name &&
				(strcmp(r->dra->counter[pool->first_counter + at].set, name) != 0 ||
					strcmp(r->dra->counter[pool->first_counter + at].name,
						key_of(r, one)) != 0))
				at++;
			if (!name || at == pool->counters) {
				pool->invalid = true;
				continue;
			}
			need[device->needs++] = (struct dra_need){ pool->first_counter + at, amount };
		}
	}
	device->need = need;
}

/* ---- What a device says ---------------------------------------------------------------------------------
 */

static void take_attribute(struct reading *r, const struct sl_doc_node *node, struct cel_value *value)
{
	const char *text = kube_text(r->object->doc, node, "string");
	*value = (struct cel_value){ .kind = CEL_TEXT, .text = text };
	if (text)
		return;
	if ((text = kube_text(r->object->doc, node, "int"))) {
		value->kind = CEL_INT;
		r->status = kube_int(r->object->doc, node, "int", &value->number, r->err);
	} else if ((text = kube_text(r->object->doc, node, "bool"))) {
		bool is = false;
		r->status = dra_bool(r->object, node, "bool", &is, r->err);
		value->kind = CEL_BOOL;
		value->number = is;
	} else if ((text = kube_text(r->object->doc, node, "version")) && cel_is_version(text)) {
		value->kind = CEL_VERSION;
		value->text = text;
	} else {
		refuse(r, node, "an attribute has one of string, int, bool, or version (like 1.2.3)");
	}
}

static void take_attributes(struct reading *r, struct dra_device *device, const struct sl_doc_node *map)
{
	struct cel_entry *entry = room(r, count_of(map), sizeof(*entry));
	device->seen.attribute = entry;
	for (const struct sl_doc_node *one = entry ? first_of(r, map) : NULL; one; one = next_of(r, one)) {
		struct cel_entry *at = &entry[device->seen.attributes++];
		if (!dra_split(r->dra, key_of(r, one), &at->domain, &at->name))
			refuse(r, one, "an attribute's name is 'name' or 'domain/name'");
		else
			take_attribute(r, one, &at->value);
	}
}

static void optional_quantity(
	struct reading *r, const struct sl_doc_node *map, const char *path, int64_t *value)
{
	const struct sl_doc_node *at = get(r, map, path);
	*value = SL_NONE;
	if (at && !r->status)
		r->status = dra_quantity(r->object, at, value, r->err);
}

static int by_amount(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void take_policy(struct reading *r, struct dra_capacity *capacity, const struct sl_doc_node *policy)
{
	const struct sl_doc_node *valid = get(r, policy, "validValues");
	optional_quantity(r, policy, "default", &capacity->preset);
	optional_quantity(r, policy, "validRange.min", &capacity->least);
	optional_quantity(r, policy, "validRange.max", &capacity->most);
	optional_quantity(r, policy, "validRange.step", &capacity->step);
	capacity->valid = room(r, count_of(valid), sizeof(*capacity->valid));
	for (const struct sl_doc_node *one = capacity->valid ? first_of(r, valid) : NULL; one;
		one = next_of(r, one))
		r->status = dra_quantity(r->object, one, &capacity->valid[capacity->valid_count++], r->err);
	if (capacity->valid_count)
		qsort(capacity->valid, capacity->valid_count, sizeof(*capacity->valid), by_amount);
}

static void take_capacities(struct reading *r, struct dra_device *device, const struct sl_doc_node *map)
{
	struct cel_entry *entry = room(r, count_of(map), sizeof(*entry));
	device->capacity = room(r, count_of(map), sizeof(*device->capacity));
	device->seen.capacity = entry;
	for (const struct sl_doc_node *one = entry && device->capacity ? first_of(r, map) : NULL; one;
		one = next_of(r, one)) {
		struct dra_capacity *capacity = &device->capacity[device->seen.capacities];
		struct cel_entry *at = &entry[device->seen.capacities++];
		if (!dra_split(r->dra, key_of(r, one), &at->domain, &at->name)) {
			refuse(r, one, "a capacity's name is 'name' or 'domain/name'");
			return;
		}
		r->status = dra_quantity(r->object, one, &capacity->total, r->err);
		at->value = (struct cel_value){ .kind = CEL_QUANTITY, .number = capacity->total };
		take_policy(r, capacity, get(r, one, "requestPolicy"));
	}
}

/* ---- Where ----------------------------------------------------------------------------------------------
 */

static uint32_t node_named(const struct reading *r, const char *name)
{
	const struct kube *k = r->dra->k;
	uint32_t low = 0, high = k->nodes;
	while (low < high) {
		const uint32_t half = low + (high - low) / 2;
		if (strcmp(k->node[r->by_rank[half]].name, name) < 0)
			low = half + 1;
		else
			high = half;
	}
	return low < k->nodes && strcmp(k->node[r->by_rank[low]].name, name) == 0 ? r->by_rank[low] : KUBE_NO;
}

/* Of a slice's spec, or of one of its devices. A node that is not in the cluster is reached by nobody. */
static void take_reach(struct reading *r, const struct sl_doc_node *of, struct dra_reach *reach)
{
	const char *name = kube_text(r->object->doc, of, "nodeName");
	const struct sl_doc_node *terms = get(r, of, "nodeSelector.nodeSelectorTerms");
	*reach = (struct dra_reach){ .node = name && *name ? node_named(r, name) : KUBE_NO };
	if (!r->status)
		r->status = dra_bool(r->object, of, "allNodes", &reach->all, r->err);
	struct sl_label_selector *term = room(r, count_of(terms), sizeof(*term));
	reach->term = term;
	for (const struct sl_doc_node *one = term ? first_of(r, terms) : NULL; one; one = next_of(r, one)) {
		if (get(r, one, "matchFields"))
			refuse(r, one, "matchFields is not known here: write matchExpressions");
		else if (count_of(get(r, one, "matchExpressions"))) /* Without any it holds nowhere. */
			r->status =
				sl_doc_selector(r->arena, r->object->doc, one, &term[reach->terms++], r->err);
	}
}

/* ---- All of it ------------------------------------------------------------------------------------------
 */

static void take_device(struct reading *r, struct dra_pool *pool, const struct sl_doc_node *node,
	const struct dra_reach *reach, bool each)
{
	struct dra_device *device = &r->dra->device[r->dra->devices++];
	const struct sl_doc_node *old = get(r, node, "basic"); /* v1beta1 */
	const struct sl_doc_node *of = old ? old : node;
	device->pool = (uint32_t)(pool - r->dra->pool);
	device->name = kube_text(r->object->doc, node, "name");
	device->seen.driver = pool->driver;
	if (!device->name) {
		refuse(r, node, "a device has a 'name'");
		return;
	}
	r->status = dra_bool(r->object, of, "allowMultipleAllocations", &device->seen.shared, r->err);
	take_attributes(r, device, get(r, of, "attributes"));
	take_capacities(r, device, get(r, of, "capacity"));
	take_needs(r, pool, device, get(r, of, "consumesCounters"));
	if (!r->status)
		r->status = dra_read_taints(r->dra, r->object, get(r, of, "taints"), &device->taints, r->err);
	if (each)
		take_reach(r, of, &device->reach);
	else
		device->reach = *reach;
}

static void take_slice(struct reading *r, struct dra_pool *pool, const struct slice *slice)
{
	struct dra_reach reach;
	bool each = false;
	r->object = slice->object;
	const struct sl_doc_node *spec = get(r, r->object->node, "spec");
	take_reach(r, spec, &reach);
	if (!r->status)
		r->status = dra_bool(r->object, spec, "perDeviceNodeSelection", &each, r->err);
	for (const struct sl_doc_node *one = first_of(r, get(r, spec, "devices")); one && !r->status;
		one = next_of(r, one))
		take_device(r, pool, one, &reach, each);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_names(struct reading *r, struct dra_pool *pool, uint32_t from)
{
	const uint32_t count = r->dra->devices - from;
	const char **name = count ? malloc(count * sizeof(*name)) : NULL;
	if (!name || r->status) {
		free(name);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		name[i] = r->dra->device[from + i].name;
	qsort(name, count, sizeof(*name), by_text);
	for (uint32_t i = 1; i < count; i++)
		pool->invalid |= strcmp(name[i - 1], name[i]) == 0;
	free(name);
}

static void take_pool(struct reading *r, const struct slice *slice, uint32_t count)
{
	struct dra_pool *pool = &r->dra->pool[r->dra->pools++];
	const uint32_t from = r->dra->devices;
	*pool = (struct dra_pool){ .driver = slice->driver,
		.name = slice->pool,
		.generation = slice->generation,
		.expected = 1,
		.found = count,
		.first_counter = r->dra->counters };
	for (uint32_t i = 0; i < count && !r->status; i++) {
		r->object = slice[i].object;
		r->status = kube_int(r->object->doc, r->object->node, "spec.pool.resourceSliceCount",
			&pool->expected, r->err);
		take_counters(r, pool);
	}
	for (uint32_t i = 0; i < count && !r->status; i++)
		take_slice(r, pool, &slice[i]);
	pool->incomplete = pool->found != pool->expected;
	check_names(r, pool, from);
}

static void make_room(struct reading *r)
{
	uint64_t devices = 0, counters = 0;
	for (uint32_t i = 0; i < r->slices; i++) {
		r->object = r->slice[i].object;
		devices += count_of(get(r, r->object->node, "spec.devices"));
		const struct sl_doc_node *sets = get(r, r->object->node, "spec.sharedCounters");
		for (const struct sl_doc_node *set = first_of(r, sets); set; set = next_of(r, set))
			counters += count_of(get(r, set, "counters"));
	}
	if (devices > DRA_DEVICES_MAX || counters > DRA_DEVICES_MAX)
		refuse(r, r->object->node,
			"there are more than a million devices, or counters: leave some out");
	r->dra->device = room(r, devices, sizeof(*r->dra->device));
	r->dra->counter = room(r, counters, sizeof(*r->dra->counter));
	r->dra->pool = room(r, r->slices, sizeof(*r->dra->pool));
}

static void gather(struct reading *r)
{
	const struct sl_cluster *cluster = r->dra->k->cluster;
	r->slice = room(r, cluster->object_count, sizeof(*r->slice));
	for (uint32_t i = 0; i < cluster->object_count && !r->status; i++) {
		if (strcmp(cluster->object[i].kind, "ResourceSlice") != 0)
			continue;
		r->slice[r->slices] = (struct slice){ .object = &cluster->object[i], .row = i };
		take_head(r, &r->slice[r->slices++]);
	}
	if (!r->status)
		choose_slices(r);
	make_room(r);
	for (uint32_t i = 0, end; i < r->slices && !r->status; i = end) {
		for (end = i + 1; end < r->slices && r->slice[end].first == r->slice[i].first;)
			end++;
		take_pool(r, &r->slice[i], end - i);
	}
}

/* The nodes that a device reaches: counted (on_node NULL), or written down behind those before. */
static uint64_t visit_nodes(const struct kube_dra *dra, uint32_t device, uint32_t *cursor, uint32_t *on_node)
{
	const struct dra_reach *reach = &dra->device[device].reach;
	const bool one = !reach->all && !reach->terms;
	const uint32_t from = one ? reach->node : 0;
	const uint32_t until = one ? from + 1 : dra->k->nodes;
	uint64_t count = 0;
	for (uint32_t node = from; !(one && from == KUBE_NO) && node < until; node++) {
		if (!one && !dra_reaches(dra->k, reach, node))
			continue;
		count++;
		if (on_node)
			on_node[cursor[node]++] = device;
		else
			cursor[node]++;
	}
	return count;
}

/* By node, the devices that it reaches, in their order. */
static void index_nodes(struct reading *r)
{
	struct kube_dra *dra = r->dra;
	const uint32_t nodes = dra->k->nodes;
	uint32_t *cursor = room(r, nodes, sizeof(*cursor));
	uint64_t all = 0;
	dra->node_first = room(r, (size_t)nodes + 2, sizeof(*dra->node_first));
	for (uint32_t i = 0; i < dra->devices && !r->status; i++) {
		all += visit_nodes(dra, i, cursor, NULL);
		if (all > DRA_REACHED_MAX)
			r->status = sl_fail(r->err, SL_INPUT,
				"nodes reach more than %d devices in all: leave some out", DRA_REACHED_MAX);
	}
	dra->on_node = room(r, all, sizeof(*dra->on_node));
	if (r->status)
		return;
	for (uint32_t node = 0, at = 0; node <= nodes; node++) {
		const uint32_t count = node < nodes ? cursor[node] : 0;
		dra->node_first[node] = at;
		if (node < nodes)
			cursor[node] = at;
		at += count;
	}
	for (uint32_t i = 0; i < dra->devices; i++)
		(void)visit_nodes(dra, i, cursor, dra->on_node);
}

int dra_read_slices(struct kube_dra *dra, struct sl_err *err)
{
	struct reading r = { .dra = dra, .err = err, .arena = dra->k->arena };
	uint32_t *by_rank = room(&r, dra->k->nodes, sizeof(*by_rank));
	for (uint32_t i = 0; by_rank && i < dra->k->nodes; i++)
		by_rank[dra->k->node[i].rank] = i;
	r.by_rank = by_rank;
	if (by_rank)
		gather(&r);
	if (!r.status)
		index_nodes(&r);
	return r.status;
}
