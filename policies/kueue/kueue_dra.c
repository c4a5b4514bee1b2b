/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_dra.c - quota for devices (KEP-2941, feature gate KueueDRAIntegration): what a pod's
 * ResourceClaimTemplates request, by the deviceClassMappings of the Configuration: so many devices of a class
 * are so many of the resource that stands for it, besides what transformations make of the rest.
 *
 * ResourceClaims by name are not charged. Whatever has no plain count is refused, as are classes that are not
 * mapped: firstAvailable, All, adminAccess, constraints, config. Charges by counters or capacities, and the
 * comparison of selectors with the devices there are, are left out.
 */
#include "policies/kueue/kueue.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 400, PART_MAX = 240 };

struct charge {
	struct kueue *k;
	const char *template, *podset;
	struct kq_amount *amount; /* An array of one of each resource. */
	uint32_t count;
	const char *refused;
};

static void kueue_dra_refuse(struct charge *charge, const char *what)
{
	char text[MESSAGE_MAX];
	if (charge->refused)
		return;
	(void)snprintf(text, sizeof(text), "ResourceClaimTemplate %.100s: %.240s", charge->template, what);
	charge->refused = kq_text(charge->k->kq, text);
}

static uint32_t resource_of(const struct kueue *k, const char *class)
{
	for (uint32_t i = 0; i < k->read.mapping_count; i++)
		for (uint32_t at = 0; at < k->read.mapping[i].count; at++)
			if (strcmp(k->read.mapping[i].class[at], class) == 0)
				return k->read.mapping[i].resource;
	return KQ_NO;
}

static void kueue_dra_add(struct charge *charge, uint32_t resource, int64_t count)
{
	uint32_t at = 0;
	while (at < charge->count && charge->amount[at].resource != resource)
		at++;
	if (at == charge->count)
		charge->amount[charge->count++] = (struct kq_amount){ resource, 0 };
	charge->amount[at].amount = kq_add(charge->amount[at].amount, count);
}

static void charge_request(struct charge *charge, struct sl_at request)
{
	char text[PART_MAX];
	const struct sl_at exactly = sl_at_get(request, "exactly");
	const struct sl_at of = sl_at_is_null(exactly) ? request : exactly; /* v1beta1: in the request. */
	const char *mode = kq_doc_text(sl_at_get(of, "allocationMode"));
	const char *class = kq_doc_text(sl_at_get(of, "deviceClassName"));
	if (!sl_at_is_null(sl_at_get(request, "firstAvailable"))) {
		kueue_dra_refuse(charge, "FirstAvailable device selection is not supported");
		return;
	}
	if (sl_at_bool(sl_at_get(of, "adminAccess"), false)) {
		kueue_dra_refuse(charge, "AdminAccess is not supported");
		return;
	}
	if (mode && strcmp(mode, "ExactCount") != 0) {
		(void)snprintf(text, sizeof(text), "AllocationMode '%.100s' is not supported", mode);
		kueue_dra_refuse(charge, text);
		return;
	}
	if (!class)
		return;
	const uint32_t resource = resource_of(charge->k, class);
	if (resource != KQ_NO) {
		kueue_dra_add(charge, resource, sl_at_int(sl_at_get(of, "count"), 1, 1, INT32_MAX));
		return;
	}
	(void)snprintf(text, sizeof(text),
		"DeviceClass %.80s is not mapped in DRA configuration for podset %.80s", class,
		charge->podset);
	kueue_dra_refuse(charge, text);
}

static void charge_template(struct charge *charge, const struct sl_object *object)
{
	const struct sl_at devices = sl_at_get(kq_doc_of(charge->k->kq, object), "spec.spec.devices");
	if (sl_at_count(sl_at_get(devices, "constraints")))
		kueue_dra_refuse(charge, "device constraints (MatchAttribute) are not supported");
	if (sl_at_count(sl_at_get(devices, "config")))
		kueue_dra_refuse(charge, "device config is not supported");
	const struct sl_at requests = sl_at_get(devices, "requests");
	for (struct sl_at one = sl_at_first(requests); one.node && !charge->refused; one = sl_at_next(one))
		charge_request(charge, one);
}

static const struct sl_object *find_template(const struct kueue *k, const char *namespace, const char *name)
{
	for (uint32_t i = 0; i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		const char *of = *object->namespace ? object->namespace : "default";
		if (strcmp(object->kind, "ResourceClaimTemplate") == 0 && strcmp(object->name, name) == 0 &&
			strcmp(of, namespace) == 0)
			return object;
	}
	return NULL;
}

const char *kueue_charge_claims(
	struct kueue *k, const char *namespace, const struct sl_podset *from, struct kq_podset *to)
{
	struct charge charge = { .k = k, .podset = from->name };
	const size_t capacity = (size_t)to->request.count + k->read.mapping_count;
	if (!from->claim_count || !k->kq->config.gate[KQ_GATE_KueueDRAIntegration])
		return NULL;
	charge.amount = kq_capacity(k->kq, capacity, sizeof(*charge.amount));
	if (!charge.amount)
		return NULL;
	for (uint32_t i = 0; i < to->request.count; i++)
		charge.amount[charge.count++] = to->request.at[i];
	for (uint32_t i = 0; i < from->claim_count && !charge.refused; i++) {
		charge.template = from->claim[i].template;
		if (!charge.template)
			continue;
		const struct sl_object *object = find_template(k, namespace, charge.template);
		if (object)
			charge_template(&charge, object);
		else
			kueue_dra_refuse(&charge, "not found");
	}
	to->request = kq_amounts(k->kq, charge.amount, charge.count);
	return charge.refused;
}
