/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read_mapping.c - resources.deviceClassMappings of the Configuration (KEP-2941): the resource that stands
 * for classes of devices, and its sources: what of a device is charged to it, where that is not their count.
 *
 * What Kueue's validateDeviceClassMappings refuses is refused: sources whose gate is off, counters and
 * capacities in one mapping, and a class in two mappings, unless both have counters, of different names.
 */
#include "policies/kueue/objects/kq_read.h"

#include <string.h>

static const char *expression_of(struct sl_at at)
{
	const struct sl_at selector = sl_at_get(at, "deviceSelector");
	if (kq_doc_text(sl_at_get(selector, "cel.expression")))
		return kq_doc_name(selector, "cel.expression");
	(void)sl_at_fail(
		at, "'deviceSelector.cel.expression' is missing: write one, as device.driver == 'x'");
	return "";
}

static void read_charged(struct kq *kq, struct sl_at at, struct kq_source *source)
{
	const struct sl_at counter = sl_at_get(at, "counter"), capacity = sl_at_get(at, "capacity");
	const bool is_capacity = !sl_at_is_null(capacity);
	const enum kq_gate gate = is_capacity ? KQ_GATE_KueueDRAIntegrationConsumableCapacity
					      : KQ_GATE_KueueDRAIntegrationPartitionableDevices;
	const struct sl_at of = is_capacity ? capacity : counter;
	if (is_capacity != sl_at_is_null(counter)) {
		(void)sl_at_fail(at, "a source is either a counter or a capacity: write one of them");
		return;
	}
	if (!kq->config.gate[gate])
		(void)sl_at_fail(of,
			"%s are not charged with %s off: put it on in featureGates, or leave sources out",
			is_capacity ? "capacities of devices" : "counters of devices",
			is_capacity ? "KueueDRAIntegrationConsumableCapacity"
				    : "KueueDRAIntegrationPartitionableDevices");
	source->capacity = is_capacity;
	source->name = kq_doc_name(of, "name");
	source->driver = kq_doc_name(of, "driver");
	source->expression = expression_of(of);
	source->place = sl_at_get(of, "deviceSelector.cel.expression");
}

static void read_sources(struct kq *kq, struct sl_at list, struct kq_mapping *mapping)
{
	mapping->source = kq_alloc(kq, sl_at_count(list), sizeof(*mapping->source));
	for (struct sl_at one = sl_at_first(list); one.node && mapping->source; one = sl_at_next(one)) {
		struct kq_source *source = &mapping->source[mapping->source_count++];
		read_charged(kq, one, source);
		if (source->capacity != mapping->source[0].capacity)
			(void)sl_at_fail(
				one, "counters and capacities are not of one mapping: make it two mappings");
	}
}

static const char *first_counter(const struct kq_mapping *mapping)
{
	return mapping->source_count && !mapping->source[0].capacity ? mapping->source[0].name : NULL;
}

static void check_class(const struct kq_read *read, const struct kq_mapping *mapping, struct sl_at at)
{
	const char *class = mapping->class[mapping->count - 1], *counter = first_counter(mapping);
	for (const struct kq_mapping *other = read->mapping; other < mapping; other++) {
		const char *of = first_counter(other);
		for (uint32_t i = 0; i < other->count; i++)
			if (strcmp(other->class[i], class) == 0 &&
				(!counter || !of || strcmp(counter, of) == 0))
				(void)sl_at_fail(at,
					"DeviceClass %.80s is of %.80s already: name it in one mapping, or give both "
					"counters of different names",
					class, read->kq->resource[other->resource]);
	}
}

static void read_mapping(struct kq_read *read, struct sl_at one, struct kq_mapping *mapping)
{
	struct kq *kq = read->kq;
	const struct sl_at names = sl_at_get(one, "deviceClassNames");
	mapping->resource = kq_resource(kq, kq_doc_name(one, "name"));
	if (mapping->resource == KQ_PODS && kq->config.gate[KQ_GATE_ReservedResourceNameValidation])
		(void)sl_at_fail(one, "pods is counted by itself: give devices another name");
	read_sources(kq, sl_at_get(one, "sources"), mapping);
	mapping->class = kq_alloc(kq, sl_at_count(names), sizeof(*mapping->class));
	for (struct sl_at name = sl_at_first(names); name.node && mapping->class; name = sl_at_next(name)) {
		const char *text = kq_doc_text(name);
		mapping->class[mapping->count++] = text ? text : "";
		check_class(read, mapping, name);
	}
}

void kq_read_mappings(struct kq_read *read, struct sl_at list)
{
	read->mapping = kq_alloc(read->kq, sl_at_count(list), sizeof(*read->mapping));
	read->mapping_count = 0;
	for (struct sl_at one = sl_at_first(list); one.node && read->mapping; one = sl_at_next(one))
		read_mapping(read, one, &read->mapping[read->mapping_count++]);
}
