/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_devices.c - the devices of the ResourceSlices, and what selects them.
 *
 * Of a pool the slices of the newest generation count, if they are as many as the first of them says
 * (groupSlicesByPool of Kueue's pkg/dra/counters.go).
 */
#include "policies/kueue/kueue_dra.h"

#include <stdlib.h>
#include <string.h>

struct slice {
	const struct sl_object *object;
	const char *driver, *pool;
	int64_t generation, expected;
	uint32_t row;
};

/* ---- Selectors ------------------------------------------------------------------------------- */

static void add_selector(
	struct kueue *k, struct kueue_selectors *to, const char *text, const struct sl_place *place)
{
	struct kueue_dra *dra = k->dra;
	struct cel *cel = NULL;
	if (k->kq->err.status || cel_parse(&cel, k->arena, text, place, &k->kq->err))
		return;
	if (kueue_reserve(k, (void **)&dra->cel, &dra->cel_capacity, sizeof(*dra->cel), dra->cels + 1))
		dra->cel[dra->cels++] = to->at[to->count++] = cel;
	else
		cel_release(cel);
}

/* One without an expression of CEL selects all, as in Kueue. */
struct kueue_selectors kueue_selectors_of(struct kueue *k, struct sl_at list)
{
	struct kueue_selectors selectors = { .at = kq_alloc(k->kq, sl_at_count(list), sizeof(struct cel *)) };
	for (struct sl_at one = sl_at_first(list); one.node && selectors.at; one = sl_at_next(one)) {
		const struct sl_at at = sl_at_get(one, "cel.expression");
		const char *text = sl_at_text(at);
		if (!text)
			continue;
		const struct sl_place place = sl_doc_place(at.doc, at.node);
		add_selector(k, &selectors, text, &place);
	}
	return selectors;
}

struct kueue_selectors kueue_selector_of(struct kueue *k, const struct kq_source *source)
{
	struct kueue_selectors selectors = { .at = kq_alloc(k->kq, 1, sizeof(struct cel *)) };
	const struct sl_place place = sl_doc_place(source->place.doc, source->place.node);
	if (selectors.at)
		add_selector(k, &selectors, source->expression, &place);
	return selectors;
}

enum cel_truth kueue_selected(
	const struct kueue_selectors *selectors, const struct cel_device *device, const char **why)
{
	for (uint32_t i = 0; i < selectors->count; i++) {
		const enum cel_truth truth = cel_holds(selectors->at[i], device, why);
		if (truth != CEL_YES)
			return truth;
	}
	return CEL_YES;
}

struct kueue_device_class *kueue_device_class(struct kueue *k, const char *name)
{
	struct kueue_dra *dra = k->dra;
	uint32_t i = 0;
	while (i < dra->classes && strcmp(dra->class[i].object->name, name) != 0)
		i++;
	if (i == dra->classes)
		return NULL;
	struct kueue_device_class *class = &dra->class[i];
	if (!class->parsed)
		class->selectors =
			kueue_selectors_of(k, sl_at_get(kq_doc_of(k->kq, class->object), "spec.selectors"));
	class->parsed = true;
	return class;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

static int slice_order(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;
	int order = strcmp(x->driver, y->driver);
	order = order ? order : strcmp(x->pool, y->pool);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void read_slice(struct kueue *k, const struct sl_object *object, struct slice *slice)
{
	const struct sl_at spec = sl_at_get(kq_doc_of(k->kq, object), "spec");
	slice->object = object;
	slice->driver = kq_doc_name(spec, "driver");
	slice->pool = kq_doc_name(spec, "pool.name");
	slice->generation = sl_at_int(sl_at_get(spec, "pool.generation"), 0, 0, INT64_MAX);
	slice->expected = sl_at_int(sl_at_get(spec, "pool.resourceSliceCount"), 1, 0, INT64_MAX);
}

static void read_devices(struct kueue *k, const struct slice *slice, bool counts)
{
	struct kueue_dra *dra = k->dra;
	const struct sl_at devices = sl_at_get(kq_doc_of(k->kq, slice->object), "spec.devices");
	for (struct sl_at one = sl_at_first(devices); one.node && !k->kq->err.status; one = sl_at_next(one)) {
		struct kueue_device *device = &dra->device[dra->devices++];
		device->doc = one.doc;
		device->node = cel_device_fields(one.doc, one.node);
		device->counts = counts;
		device->seen.driver = slice->driver;
		(void)cel_device_read(k->arena, one.doc, one.node, &device->seen, &k->kq->err);
		device->seen.shared =
			false; /* Kueue hands drivers, attributes and capacities on, and not this. */
	}
}

/* Slices of one pool: which of them count. */
static void read_slices_of_pool(struct kueue *k, const struct slice *slice, uint32_t count)
{
	int64_t newest = slice[0].generation, found = 0, expected = 0;
	for (uint32_t i = 1; i < count; i++)
		newest = slice[i].generation > newest ? slice[i].generation : newest;
	for (uint32_t i = 0; i < count; i++) {
		if (slice[i].generation < newest)
			continue;
		expected = found++ ? expected : slice[i].expected;
	}
	for (uint32_t i = 0; i < count; i++)
		read_devices(k, &slice[i], slice[i].generation == newest && found == expected);
}

static bool same_pool(const struct slice *slice, const struct slice *other)
{
	return strcmp(slice->driver, other->driver) == 0 && strcmp(slice->pool, other->pool) == 0;
}

static void read_slices(struct kueue *k)
{
	struct kueue_dra *dra = k->dra;
	uint64_t devices = 0;
	uint32_t count = 0;
	struct slice *slice = kq_alloc(k->kq, dra->slices, sizeof(*slice));
	for (uint32_t i = 0; slice && i < k->read.object_count; i++) {
		const struct sl_object *object = &k->read.object[i];
		if (strcmp(object->kind, "ResourceSlice") != 0)
			continue;
		slice[count].row = i;
		read_slice(k, object, &slice[count++]);
		const struct sl_at list = sl_at_get(kq_doc_of(k->kq, object), "spec.devices");
		devices += sl_at_count(list);
		if (devices > KUEUE_DEVICES_MAX)
			(void)sl_at_fail(list, "there are more than a million devices: leave some out");
	}
	dra->device = kq_alloc(k->kq, k->kq->err.status ? 0 : devices, sizeof(*dra->device));
	if (!slice || !dra->device || k->kq->err.status)
		return;
	qsort(slice, count, sizeof(*slice), slice_order);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && same_pool(&slice[end], &slice[i]);)
			end++;
		read_slices_of_pool(k, &slice[i], end - i);
	}
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void count_objects(struct kueue *k)
{
	for (uint32_t i = 0; i < k->read.object_count; i++) {
		const char *kind = k->read.object[i].kind;
		k->dra->slices += strcmp(kind, "ResourceSlice") == 0;
		k->dra->classes += strcmp(kind, "DeviceClass") == 0;
		k->dra->templates += strcmp(kind, "ResourceClaimTemplate") == 0;
	}
}

static const char *text_in(struct kueue *k, const struct sl_object *object, const char *path)
{
	const char *text = kq_doc_text(sl_at_get(kq_doc_of(k->kq, object), path));
	return text ? text : "";
}

static void list_objects(struct kueue *k)
{
	struct kueue_dra *dra = k->dra;
	uint32_t classes = 0, templates = 0;
	dra->class = kq_alloc(k->kq, dra->classes, sizeof(*dra->class));
	dra->template = kq_alloc(k->kq, dra->templates, sizeof(*dra->template));
	for (uint32_t i = 0; dra->class && dra->template && i < k->read.object_count; i++) {
		const struct sl_object *object = &k->read.object[i];
		if (strcmp(object->kind, "DeviceClass") == 0)
			dra->class[classes++] = (struct kueue_device_class){ .object = object,
				.extended = text_in(k, object, "spec.extendedResourceName"),
				.created = text_in(k, object, "metadata.creationTimestamp") };
		else if (strcmp(object->kind, "ResourceClaimTemplate") == 0)
			dra->template[templates++].object = object;
	}
	dra->classes = classes;
	dra->templates = templates;
}

/* Expressions of the configuration are parsed whether or not a job comes to need them. */
static void check_sources(struct kueue *k)
{
	for (uint32_t i = 0; i < k->read.mapping_count; i++)
		for (uint32_t at = 0; at < k->read.mapping[i].source_count; at++)
			(void)kueue_selector_of(k, &k->read.mapping[i].source[at]);
}

int kueue_dra_make(struct kueue *k, struct sl_err *err)
{
	k->dra = sl_alloc(k->arena, 1, sizeof(*k->dra));
	if (!k->dra)
		return sl_fail_memory(err);
	count_objects(k);
	list_objects(k);
	check_sources(k);
	if (k->dra->templates)
		read_slices(k);
	if (k->kq->err.status)
		*err = k->kq->err;
	return k->kq->err.status;
}

void kueue_dra_warn(const struct kueue *k, const struct sl_setup *setup)
{
	bool sources = false;
	for (uint32_t i = 0; i < k->read.mapping_count; i++)
		sources |= k->read.mapping[i].source_count > 0;
	if (k->dra->uncompared)
		sl_warning(setup,
			"selectors of ResourceClaimTemplates are taken to find their devices, as the files "
			"have no ResourceSlice: Kueue would admit no job that has any");
	if (sources && k->dra->templates && !k->dra->slices)
		sl_warning(setup,
			"deviceClassMappings have sources, and the files have no ResourceSlice that says what "
			"devices consume: no job with claims of such a class is admitted");
}

void kueue_dra_release(struct kueue *k)
{
	if (!k->dra)
		return;
	for (size_t i = 0; i < k->dra->cels; i++)
		cel_release(k->dra->cel[i]);
	free(k->dra->cel);
}
