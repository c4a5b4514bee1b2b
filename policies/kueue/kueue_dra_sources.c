/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_dra_sources.c - selectors of claims beside the devices there are, and the counters and capacities
 * that are charged for devices instead of their count (Kueue's pkg/dra: claims.go, counters.go, capacity.go).
 *
 * Nobody knows yet which device kube-scheduler will allocate: of those that match, the greatest amount is
 * charged, for each device that is requested. Quantities are thousandths until they are charged, rounded up.
 */
#include "policies/kueue/kueue_dra.h"

#include <stdlib.h>
#include <string.h>

/* What a device has to satisfy: of the source, of the class, of the request. */
struct wanted {
	struct kueue_selectors source, class, request;
};

bool kueue_dra_sourced(const struct kueue *k, const char *class, bool capacity)
{
	for (uint32_t i = 0; i < k->read.mapping_count; i++) {
		const struct kq_mapping *mapping = &k->read.mapping[i];
		for (uint32_t at = 0; at < mapping->count; at++)
			if (mapping->source_count && mapping->source[0].capacity == capacity &&
				strcmp(mapping->class[at], class) == 0)
				return true;
	}
	return false;
}

/* False: it is refused, for want of the class. */
static bool need_class(struct kueue_charge *charge, const char *name, bool named, struct wanted *wanted)
{
	const struct kueue_device_class *class = *name ? kueue_device_class(charge->k, name) : NULL;
	if (class)
		wanted->class = class->selectors;
	else if (*name)
		kueue_dra_refuse(charge, named, "failed to get DeviceClass %.80s: not found", name);
	return !charge->refused;
}

/* ---- Selectors of requests ------------------------------------------------------------------- */

/* A request that has selectors. */
struct selecting {
	const char *class;
	int64_t count;
	struct kueue_selectors own;
};

static uint32_t find_selecting(struct kueue *k, struct sl_at requests, struct selecting *found)
{
	uint32_t count = 0;
	SL_AT_EACH (one, requests) {
		const struct sl_at of = kueue_dra_exactly(one);
		const struct kueue_selectors own = kueue_selectors_of(k, sl_at_get(of, "selectors"));
		if (own.count)
			found[count++] =
				(struct selecting){ kueue_dra_class_of(of), kueue_dra_count(of), own };
	}
	return count;
}

static bool drives_source(const struct kueue *k, const char *class, const char *driver)
{
	for (uint32_t i = 0; i < k->read.mapping_count; i++) {
		const struct kq_mapping *mapping = &k->read.mapping[i];
		for (uint32_t at = 0; at < mapping->count; at++) {
			if (strcmp(mapping->class[at], class) != 0)
				continue;
			for (uint32_t of = 0; of < mapping->source_count; of++)
				if (strcmp(mapping->source[of].driver, driver) == 0)
					return true;
		}
	}
	return false;
}

/* Where all of them are of classes with sources, devices of other drivers are left out. */
static void leave_other_drivers(
	const struct kueue *k, const struct selecting *request, uint32_t count, bool *taken)
{
	for (uint32_t i = 0; i < count; i++)
		if (!kueue_dra_sourced(k, request[i].class, false) &&
			!kueue_dra_sourced(k, request[i].class, true))
			return;
	for (uint32_t i = 0; i < k->dra->devices; i++) {
		bool drives = false;
		for (uint32_t at = 0; at < count && !drives; at++)
			drives = drives_source(k, request[at].class, k->dra->device[i].seen.driver);
		taken[i] = !drives;
	}
}

/* Takes up to so many devices that match. */
static enum cel_truth take_devices(const struct kueue_dra *dra, const struct wanted *wanted, int64_t count,
	bool *taken, int64_t *found, const char **why)
{
	*found = 0;
	for (uint32_t i = 0; i < dra->devices && *found < count; i++) {
		if (taken[i])
			continue;
		enum cel_truth truth = kueue_selected(&wanted->class, &dra->device[i].seen, why);
		if (truth == CEL_YES)
			truth = kueue_selected(&wanted->request, &dra->device[i].seen, why);
		if (truth == CEL_FAILED)
			return truth;
		taken[i] = truth == CEL_YES;
		*found += taken[i];
	}
	return CEL_YES;
}

static void compare_request(struct kueue_charge *charge, const struct selecting *request, bool *taken)
{
	struct wanted wanted = { .request = request->own };
	const char *why = "";
	int64_t found = 0;
	if (!need_class(charge, request->class, true, &wanted))
		return;
	if (take_devices(charge->k->dra, &wanted, request->count, taken, &found, &why) == CEL_FAILED)
		kueue_dra_refuse(charge, true, "CEL evaluation failed for DeviceClass %.80s: %.200s",
			request->class, why);
	else if (found < request->count)
		kueue_dra_refuse(charge, true,
			"insufficient matching devices for CEL selector in DeviceClass %.80s: %lld device(s) match "
			"in the cluster but %lld requested",
			request->class, (long long)found, (long long)request->count);
}

/* validateCELSelectorsAgainstDevices: each device answers one request. All slices count, of whatever
 * generation. Without any slice in the files nothing is known of devices, and nothing is compared. */
void kueue_dra_compare(struct kueue_charge *charge, struct sl_at requests)
{
	struct kueue *k = charge->k;
	struct selecting *request = kq_alloc(k->kq, sl_at_count(requests), sizeof(*request));
	const uint32_t count = request ? find_selecting(k, requests, request) : 0;
	if (!count || k->kq->err.status)
		return;
	if (!k->dra->slices) {
		k->dra->uncompared = true;
		return;
	}
	bool *taken = calloc((size_t)k->dra->devices + 1, sizeof(*taken));
	if (!taken) {
		(void)sl_fail_memory(&k->kq->err);
		return;
	}
	leave_other_drivers(k, request, count, taken);
	for (uint32_t i = 0; i < count; i++)
		compare_request(charge, &request[i], taken);
	free(taken);
}

/* ---- Counters and capacities ----------------------------------------------------------------- */

/* One source of one request, and what was found of it. */
struct sourcing {
	struct kueue_charge *charge;
	const struct kq_source *source;
	struct sl_at request;
	int64_t count, matched;
	int64_t most; /* In thousandths; SL_NONE: no device has any. */
	bool known;   /* Some device that matches has that capacity. */
};

static int64_t thousandths_at(struct kueue *k, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	int64_t value = 0;
	if (!k->kq->err.status)
		(void)cel_quantity(doc, node, &value, &k->kq->err);
	return value;
}

static int64_t charged_counter(const struct sourcing *s, const struct kueue_device *device)
{
	int64_t most = SL_NONE;
	SL_DOC_EACH (set, device->doc, sl_doc_at(device->doc, device->node, "consumesCounters")) {
		const struct sl_doc_node *counters = sl_doc_member(device->doc, set, "counters");
		const struct sl_doc_node *at = sl_doc_member(device->doc, counters, s->source->name);
		const int64_t value = at ? thousandths_at(s->charge->k, device->doc, at) : SL_NONE;
		if (value != SL_NONE && (most == SL_NONE || value > most))
			most = value;
	}
	return most;
}

static int64_t to_units(int64_t thousandths) { return (thousandths + 999) / 1000; }

/* requestPolicy.validRange, in units, as Kueue has it: the step is from the least, and of no use without. */
static int64_t in_range(
	struct kueue *k, const struct sl_doc *doc, const struct sl_doc_node *range, int64_t base)
{
	const struct sl_doc_node *min = sl_doc_member(doc, range, "min"),
				 *max = sl_doc_member(doc, range, "max"),
				 *step = sl_doc_member(doc, range, "step");
	const int64_t least = min ? to_units(thousandths_at(k, doc, min)) : 0;
	const int64_t by = min && step ? to_units(thousandths_at(k, doc, step)) : 0;
	int64_t value = to_units(base);
	value = value < least ? least : value;
	if (by > 0 && (value - least) % by)
		value = least + ((value - least) / by + 1) * by;
	return max && value > to_units(thousandths_at(k, doc, max)) ? SL_NONE : value * 1000;
}

/* Rounded up as the device's requestPolicy has it; SL_NONE: it allows none so large. */
static int64_t by_policy(
	struct kueue *k, const struct sl_doc *doc, const struct sl_doc_node *policy, int64_t base)
{
	const struct sl_doc_node *valid = sl_doc_member(doc, policy, "validValues"),
				 *range = sl_doc_member(doc, policy, "validRange");
	if (valid && valid->kind == SL_DOC_LIST && valid->count) {
		SL_DOC_EACH (one, doc, valid) {
			const int64_t value = thousandths_at(k, doc, one);
			if (value >= base)
				return value;
		}
		return SL_NONE;
	}
	return range ? in_range(k, doc, range, base) : base;
}

static int64_t charged_capacity(struct sourcing *s, const struct kueue_device *device)
{
	struct kueue *k = s->charge->k;
	const struct sl_doc *doc = device->doc;
	const struct sl_doc_node *has =
		sl_doc_member(doc, sl_doc_at(doc, device->node, "capacity"), s->source->name);
	const struct sl_at of = sl_at_get(s->request, "capacity.requests");
	const struct sl_doc_node *asked = sl_doc_member(of.doc, of.node, s->source->name);
	if (!has)
		return SL_NONE;
	s->known = true;
	const struct sl_doc_node *policy = sl_doc_member(doc, has, "requestPolicy");
	const struct sl_doc_node *preset = sl_doc_member(doc, policy, "default");
	return by_policy(k, doc, policy,
		asked ? thousandths_at(k, of.doc, asked) : thousandths_at(k, doc, preset ? preset : has));
}

/* False: some expression fails. */
static bool charge_device(struct sourcing *s, const struct wanted *wanted, const struct kueue_device *device)
{
	const struct {
		const char *of;
		const struct kueue_selectors *selectors;
	} step[] = { { "deviceSelector", &wanted->source }, { "DeviceClass selector", &wanted->class },
		{ "request selector", &wanted->request } };
	for (size_t i = 0; i < SL_LEN(step); i++) {
		const char *why = "";
		const enum cel_truth truth = kueue_selected(step[i].selectors, &device->seen, &why);
		if (truth == CEL_FAILED) {
			const char *name =
				sl_doc_word(device->doc, sl_doc_at(device->doc, device->node, "name"));
			kueue_dra_refuse(s->charge, false,
				"CEL evaluation error in %s for device %.60s: %.160s", step[i].of,
				name ? name : "", why);
			return false;
		}
		if (truth == CEL_NO)
			return true;
	}
	const int64_t amount = s->source->capacity ? charged_capacity(s, device) : charged_counter(s, device);
	s->matched++;
	if (amount != SL_NONE && (s->most == SL_NONE || amount > s->most))
		s->most = amount;
	return true;
}

static void charge_source(struct sourcing *s, struct wanted *wanted, uint32_t resource)
{
	struct kueue *k = s->charge->k;
	const char *kind = s->source->capacity ? "capacity" : "counter";
	wanted->source = kueue_selector_of(k, s->source);
	for (uint32_t i = 0; i < k->dra->devices; i++) {
		const struct kueue_device *device = &k->dra->device[i];
		if (device->counts && strcmp(device->seen.driver, s->source->driver) == 0 &&
			!charge_device(s, wanted, device))
			return;
	}
	if (s->matched < s->count)
		kueue_dra_refuse(s->charge, false,
			"insufficient matching devices for %s driver: %lld device(s) match but %lld requested",
			kind, (long long)s->matched, (long long)s->count);
	else if (s->most != SL_NONE)
		kueue_dra_add(s->charge, resource, kq_mul(to_units(s->most), s->count));
	else if (!s->source->capacity)
		kueue_dra_refuse(s->charge, false,
			"matched devices have no consumesCounters entry for counter \"%.80s\"",
			s->source->name);
	else if (!s->known)
		kueue_dra_refuse(s->charge, false, "matched devices have no capacity dimension \"%.80s\"",
			s->source->name);
	else
		kueue_dra_refuse(s->charge, false,
			"capacity request cannot be satisfied by any matched device's RequestPolicy for "
			"dimension \"%.80s\"",
			s->source->name);
}

static void charge_request(struct kueue_charge *charge, struct sl_at request, bool capacity)
{
	struct kueue *k = charge->k;
	const struct sl_at of = kueue_dra_exactly(request);
	const char *class = kueue_dra_class_of(of);
	struct wanted wanted = { .source = { .at = NULL } };
	if (!kueue_dra_sourced(k, class, capacity) || !need_class(charge, class, false, &wanted))
		return;
	wanted.request = kueue_selectors_of(k, sl_at_get(of, "selectors"));
	for (uint32_t i = 0; i < k->read.mapping_count; i++) {
		const struct kq_mapping *mapping = &k->read.mapping[i];
		bool names = false;
		for (uint32_t at = 0; at < mapping->count; at++)
			names |= strcmp(mapping->class[at], class) == 0;
		for (uint32_t at = 0; names && at < mapping->source_count && !charge->refused; at++) {
			struct sourcing s = { .charge = charge,
				.source = &mapping->source[at],
				.request = of,
				.count = kueue_dra_count(of),
				.most = SL_NONE };
			charge_source(&s, &wanted, mapping->resource);
		}
	}
}

/* Requests with adminAccess too, which claims.go does not count, as in Kueue v0.20. */
void kueue_dra_charge_sources(struct kueue_charge *charge, struct sl_at requests, bool capacity)
{
	for (struct sl_at one = sl_at_first(requests); one.node && !charge->refused; one = sl_at_next(one))
		if (sl_at_is_null(sl_at_get(one, "firstAvailable")))
			charge_request(charge, one, capacity);
}
