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

struct dra_slice {
	const struct sl_object *object;
	const char *driver, *pool;
	int64_t generation;
	uint32_t row;
	bool binds; /* Some device of its pool has binding conditions. */
};

static const char *kube_dra_slice_key_of(const struct dra_reading *r, const struct sl_doc_node *node)
{
	return r->object->doc->text + node->key;
}

/* ---- Which slices count ---------------------------------------------------------------------- */

/* As the allocator of 1.36 sorts them (kubernetes pull request 136641). */
static int by_pool(const void *a, const void *b)
{
	const struct dra_slice *x = a, *y = b;
	if (x->binds != y->binds)
		return x->binds ? 1 : -1;
	int order = strcmp(x->driver, y->driver);
	order = order ? order : strcmp(x->pool, y->pool);
	order = order ? order : strcmp(x->object->name, y->object->name);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool is_of_pool(const struct dra_slice *slice, const struct dra_slice *other)
{
	return strcmp(slice->driver, other->driver) == 0 && strcmp(slice->pool, other->pool) == 0;
}

static void take_head(struct dra_reading *r, struct dra_slice *slice)
{
	const struct sl_object *object = r->object = slice->object;
	slice->driver = kube_text(object->doc, object->node, "spec.driver");
	slice->pool = kube_text(object->doc, object->node, "spec.pool.name");
	if (!slice->driver || !slice->pool) {
		dra_refuse(r, object->node, "a ResourceSlice has spec.driver and spec.pool.name");
		return;
	}
	if (!r->status)
		r->status = kube_int(
			object->doc, object->node, "spec.pool.generation", &slice->generation, r->err);
}

static bool has_conditions(struct dra_reading *r, const struct dra_slice *slice)
{
	r->object = slice->object;
	const struct sl_doc_node *list = dra_get(r, r->object->node, "spec.devices");
	for (const struct sl_doc_node *one = dra_first(r, list); one; one = dra_next(r, one))
		if (dra_count(dra_get(r, one, "bindingConditions")))
			return true;
	return false;
}

/* Those of each pool's highest generation, in the order in which they are tried. */
static void choose_slices(struct dra_reading *r)
{
	uint32_t kept = 0;
	qsort(r->slice, r->slices, sizeof(*r->slice), by_pool);
	for (uint32_t i = 0, end; i < r->slices; i = end) {
		int64_t highest = r->slice[i].generation;
		for (end = i + 1; end < r->slices && is_of_pool(&r->slice[end], &r->slice[i]); end++)
			highest = r->slice[end].generation > highest ? r->slice[end].generation : highest;
		const uint32_t first = kept;
		bool binds = false;
		for (uint32_t at = i; at < end; at++) {
			if (r->slice[at].generation < highest)
				continue;
			binds |= has_conditions(r, &r->slice[at]);
			r->slice[kept++] = r->slice[at];
		}
		for (uint32_t at = first; at < kept; at++)
			r->slice[at].binds = binds;
	}
	r->slices = kept;
	qsort(r->slice, r->slices, sizeof(*r->slice), by_pool);
}

/* ---- Counters -------------------------------------------------------------------------------- */

static void take_counters(struct dra_reading *r, struct dra_pool *pool)
{
	const struct sl_doc_node *sets = dra_get(r, r->object->node, "spec.sharedCounters");
	for (const struct sl_doc_node *set = dra_first(r, sets); set; set = dra_next(r, set)) {
		const char *name = kube_text(r->object->doc, set, "name");
		if (!name)
			dra_refuse(r, set, "a set of counters has a 'name'");
		for (uint32_t i = 0; name && i < pool->counters; i++)
			pool->invalid |= strcmp(r->dra->counter[pool->first_counter + i].set, name) == 0 &&
					 dra_count(dra_get(r, set, "counters"));
		for (const struct sl_doc_node *one = dra_first(r, dra_get(r, set, "counters")); one;
			one = dra_next(r, one)) {
			struct dra_counter *counter = &r->dra->counter[r->dra->counters++];
			*counter = (struct dra_counter){ .set = name ? name : "",
				.name = kube_dra_slice_key_of(r, one) };
			if (!r->status)
				r->status = cel_quantity(r->object->doc, one, &counter->total, r->err);
			pool->counters++;
		}
	}
}

static void take_needs(struct dra_reading *r, struct dra_pool *pool, struct dra_device *device,
	const struct sl_doc_node *list)
{
	uint32_t count = 0;
	for (const struct sl_doc_node *set = dra_first(r, list); set; set = dra_next(r, set))
		count += dra_count(dra_get(r, set, "counters"));
	struct dra_need *need = dra_capacity(r, count, sizeof(*need));
	for (const struct sl_doc_node *set = need ? dra_first(r, list) : NULL; set; set = dra_next(r, set)) {
		const char *name = kube_text(r->object->doc, set, "counterSet");
		for (const struct sl_doc_node *one = dra_first(r, dra_get(r, set, "counters")); one;
			one = dra_next(r, one)) {
			int64_t amount = 0;
			r->status = cel_quantity(r->object->doc, one, &amount, r->err);
			uint32_t at = 0;
			while (at < pool->counters && name &&
				(strcmp(r->dra->counter[pool->first_counter + at].set, name) != 0 ||
					strcmp(r->dra->counter[pool->first_counter + at].name,
						kube_dra_slice_key_of(r, one)) != 0))
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

/* ---- What a device says ---------------------------------------------------------------------- */

static void optional_quantity(
	struct dra_reading *r, const struct sl_doc_node *map, const char *path, int64_t *value)
{
	const struct sl_doc_node *at = dra_get(r, map, path);
	*value = SL_NONE;
	if (at && !r->status)
		r->status = cel_quantity(r->object->doc, at, value, r->err);
}

static int by_amount(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void take_policy(
	struct dra_reading *r, struct dra_capacity *capacity, const struct sl_doc_node *policy)
{
	const struct sl_doc_node *valid = dra_get(r, policy, "validValues");
	optional_quantity(r, policy, "default", &capacity->preset);
	optional_quantity(r, policy, "validRange.min", &capacity->least);
	optional_quantity(r, policy, "validRange.max", &capacity->most);
	optional_quantity(r, policy, "validRange.step", &capacity->step);
	capacity->valid = dra_capacity(r, dra_count(valid), sizeof(*capacity->valid));
	for (const struct sl_doc_node *one = capacity->valid ? dra_first(r, valid) : NULL; one;
		one = dra_next(r, one))
		r->status =
			cel_quantity(r->object->doc, one, &capacity->valid[capacity->valid_count++], r->err);
	if (capacity->valid_count)
		qsort(capacity->valid, capacity->valid_count, sizeof(*capacity->valid), by_amount);
}

/* Behind its entries, which are read: how much, and what may be requested of it. */
static void take_capacities(struct dra_reading *r, struct dra_device *device, const struct sl_doc_node *map)
{
	uint32_t at = 0;
	device->capacity = dra_capacity(r, device->seen.capacities, sizeof(*device->capacity));
	for (const struct sl_doc_node *one = device->capacity ? dra_first(r, map) : NULL; one;
		one = dra_next(r, one)) {
		device->capacity[at].total = device->seen.capacity[at].value.number;
		take_policy(r, &device->capacity[at++], dra_get(r, one, "requestPolicy"));
	}
}

/* ---- Where ----------------------------------------------------------------------------------- */

static uint32_t node_named(const struct dra_reading *r, const char *name)
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

/* Of a slice's spec, or of one of its devices. A node that is not in the cluster is reached by no pod. */
static void take_reach(struct dra_reading *r, const struct sl_doc_node *of, struct dra_reach *reach)
{
	const char *name = kube_text(r->object->doc, of, "nodeName");
	const struct sl_doc_node *terms = dra_get(r, of, "nodeSelector.nodeSelectorTerms");
	*reach = (struct dra_reach){ .node = name && *name ? node_named(r, name) : KUBE_NO };
	if (!r->status)
		r->status = cel_bool(r->object->doc, of, "allNodes", &reach->all, r->err);
	struct sl_label_selector *term = dra_capacity(r, dra_count(terms), sizeof(*term));
	reach->term = term;
	for (const struct sl_doc_node *one = term ? dra_first(r, terms) : NULL; one; one = dra_next(r, one)) {
		if (dra_get(r, one, "matchFields"))
			dra_refuse(r, one, "matchFields is not known here: write matchExpressions");
		else if (dra_count(dra_get(r, one, "matchExpressions"))) /* Without any it matches nowhere. */
			r->status =
				sl_doc_selector(r->arena, r->object->doc, one, &term[reach->terms++], r->err);
	}
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void take_device(struct dra_reading *r, struct dra_pool *pool, const struct sl_doc_node *node,
	const struct dra_reach *reach, bool each)
{
	struct dra_device *device = &r->dra->device[r->dra->devices++];
	const struct sl_doc_node *of = cel_device_fields(r->object->doc, node);
	device->pool = (uint32_t)(pool - r->dra->pool);
	device->name = kube_text(r->object->doc, node, "name");
	device->seen.driver = pool->driver;
	if (!device->name) {
		dra_refuse(r, node, "a device has a 'name'");
		return;
	}
	r->status = cel_device_read(r->arena, r->object->doc, node, &device->seen, r->err);
	if (!r->status)
		r->status = cel_bool(r->object->doc, of, "bindsToNode", &device->stays, r->err);
	take_capacities(r, device, dra_get(r, of, "capacity"));
	take_needs(r, pool, device, dra_get(r, of, "consumesCounters"));
	if (!r->status)
		r->status = sl_doc_taints(
			r->arena, r->object->doc, dra_get(r, of, "taints"), &device->taints, r->err);
	if (each)
		take_reach(r, of, &device->reach);
	else
		device->reach = *reach;
}

static void take_slice(struct dra_reading *r, struct dra_pool *pool, const struct dra_slice *slice)
{
	struct dra_reach reach;
	bool each = false;
	r->object = slice->object;
	const struct sl_doc_node *spec = dra_get(r, r->object->node, "spec");
	take_reach(r, spec, &reach);
	if (!r->status)
		r->status = cel_bool(r->object->doc, spec, "perDeviceNodeSelection", &each, r->err);
	for (const struct sl_doc_node *one = dra_first(r, dra_get(r, spec, "devices")); one && !r->status;
		one = dra_next(r, one))
		take_device(r, pool, one, &reach, each);
}

static int kube_dra_slice_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void kube_dra_slice_check_names(struct dra_reading *r, struct dra_pool *pool, uint32_t from)
{
	const uint32_t count = r->dra->devices - from;
	const char **name = count ? malloc(count * sizeof(*name)) : NULL;
	if (!name || r->status) {
		free(name);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		name[i] = r->dra->device[from + i].name;
	qsort(name, count, sizeof(*name), kube_dra_slice_by_text);
	for (uint32_t i = 1; i < count; i++)
		pool->invalid |= strcmp(name[i - 1], name[i]) == 0;
	free(name);
}

static void take_pool(struct dra_reading *r, const struct dra_slice *slice, uint32_t count)
{
	struct dra_pool *pool = &r->dra->pool[r->dra->pools++];
	const uint32_t from = r->dra->devices;
	*pool = (struct dra_pool){ .driver = slice->driver,
		.name = slice->pool,
		.generation = slice->generation,
		.expected = 1,
		.found = count,
		.first_counter = r->dra->counters };
	r->object = slice->object; /* Of the first, whatever the others say. */
	r->status = kube_int(
		r->object->doc, r->object->node, "spec.pool.resourceSliceCount", &pool->expected, r->err);
	for (uint32_t i = 0; i < count && !r->status; i++) {
		r->object = slice[i].object;
		take_counters(r, pool);
	}
	for (uint32_t i = 0; i < count && !r->status; i++)
		take_slice(r, pool, &slice[i]);
	pool->incomplete = pool->found != pool->expected;
	kube_dra_slice_check_names(r, pool, from);
}

static void kube_dra_slice_make_room(struct dra_reading *r)
{
	uint64_t devices = 0, counters = 0;
	for (uint32_t i = 0; i < r->slices; i++) {
		r->object = r->slice[i].object;
		devices += dra_count(dra_get(r, r->object->node, "spec.devices"));
		const struct sl_doc_node *sets = dra_get(r, r->object->node, "spec.sharedCounters");
		for (const struct sl_doc_node *set = dra_first(r, sets); set; set = dra_next(r, set))
			counters += dra_count(dra_get(r, set, "counters"));
	}
	if (devices > DRA_DEVICES_MAX || counters > DRA_DEVICES_MAX)
		dra_refuse(r, r->object->node,
			"there are more than a million devices, or counters: leave some out");
	r->dra->device = dra_capacity(r, devices, sizeof(*r->dra->device));
	r->dra->counter = dra_capacity(r, counters, sizeof(*r->dra->counter));
	r->dra->pool = dra_capacity(r, r->slices, sizeof(*r->dra->pool));
}

static void kube_dra_slice_gather(struct dra_reading *r)
{
	const struct sl_cluster *cluster = r->dra->k->cluster;
	r->slice = dra_capacity(r, cluster->object_count, sizeof(*r->slice));
	for (uint32_t i = 0; i < cluster->object_count && !r->status; i++) {
		if (strcmp(cluster->object[i].kind, "ResourceSlice") != 0)
			continue;
		r->slice[r->slices] = (struct dra_slice){ .object = &cluster->object[i], .row = i };
		take_head(r, &r->slice[r->slices++]);
	}
	if (!r->status)
		choose_slices(r);
	kube_dra_slice_make_room(r);
	for (uint32_t i = 0, end; i < r->slices && !r->status; i = end) {
		for (end = i + 1; end < r->slices && is_of_pool(&r->slice[end], &r->slice[i]);)
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
static void index_nodes(struct dra_reading *r)
{
	struct kube_dra *dra = r->dra;
	const uint32_t nodes = dra->k->nodes;
	uint32_t *cursor = dra_capacity(r, nodes, sizeof(*cursor));
	uint64_t all = 0;
	dra->node_first = dra_capacity(r, (size_t)nodes + 2, sizeof(*dra->node_first));
	for (uint32_t i = 0; i < dra->devices && !r->status; i++) {
		all += visit_nodes(dra, i, cursor, NULL);
		if (all > DRA_REACHED_MAX)
			r->status = sl_fail(r->err, SL_INPUT,
				"nodes reach more than %d devices in all: leave some out", DRA_REACHED_MAX);
	}
	dra->on_node = dra_capacity(r, all, sizeof(*dra->on_node));
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
	struct dra_reading r = { .dra = dra, .err = err, .arena = dra->k->arena };
	uint32_t *by_rank = dra_capacity(&r, dra->k->nodes, sizeof(*by_rank));
	for (uint32_t i = 0; by_rank && i < dra->k->nodes; i++)
		by_rank[dra->k->node[i].rank] = i;
	r.by_rank = by_rank;
	if (by_rank)
		kube_dra_slice_gather(&r);
	if (!r.status)
		index_nodes(&r);
	return r.status;
}
