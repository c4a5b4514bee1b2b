/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_dra.c - quota for devices (KEP-2941, feature gate KueueDRAIntegration): what a pod's
 * ResourceClaimTemplates request, by the deviceClassMappings of the Configuration: so many devices of a class
 * are so many of the resource that stands for it, besides what transformations make of the rest.
 *
 * An extended resource that a DeviceClass stands for (KueueDRAIntegrationExtendedResource) counts as the
 * class does, or by its own name where the class is not mapped; transformations do not see it.
 *
 * Whatever has no plain count is refused, as are classes that are not mapped: firstAvailable, All,
 * adminAccess, constraints, config; and ResourceClaims by name. With KueueDRAIntegration off all that asks
 * for claims is refused (KueueDRARejectWorkloadsWhenDRADisabled). The comparison of selectors with the
 * devices there are is left out.
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

/* ---- Extended resources ---------------------------------------------------------------------- */

static void find_classes(struct kueue *k)
{
	const struct sl_cluster *cluster = k->cluster;
	k->device_classes_known = true;
	k->device_class = kq_capacity(k->kq, cluster->object_count, sizeof(struct sl_object *));
	for (uint32_t i = 0; k->device_class && i < cluster->object_count; i++)
		if (strcmp(cluster->object[i].kind, "DeviceClass") == 0 &&
			sl_doc_at(
				cluster->object[i].doc, cluster->object[i].node, "spec.extendedResourceName"))
			k->device_class[k->device_classes++] = &cluster->object[i];
}

static const char *text_in(const struct kueue *k, const struct sl_object *object, const char *path)
{
	const char *text = kq_doc_text(sl_at_get(kq_doc_of(k->kq, object), path));
	return text ? text : "";
}

/* Of several the newest, then the first by name. */
static const struct sl_object *class_for(struct kueue *k, const char *resource)
{
	const struct sl_object *found = NULL;
	const bool *gate = k->kq->config.gate;
	if (!gate[KQ_GATE_KueueDRAIntegration] || !gate[KQ_GATE_KueueDRAIntegrationExtendedResource] ||
		!strchr(resource, '/') || strstr(resource, "kubernetes.io/"))
		return NULL;
	if (!k->device_classes_known)
		find_classes(k);
	for (uint32_t i = 0; i < k->device_classes; i++) {
		const struct sl_object *class = k->device_class[i];
		if (strcmp(text_in(k, class, "spec.extendedResourceName"), resource) != 0)
			continue;
		const int age = found ? strcmp(text_in(k, class, "metadata.creationTimestamp"),
						text_in(k, found, "metadata.creationTimestamp"))
				      : 1;
		if (age > 0 || (age == 0 && strcmp(class->name, found->name) < 0))
			found = class;
	}
	return found;
}

static bool asks_extended(struct kueue *k, const struct sl_podset *podset)
{
	for (uint32_t i = 0; i < podset->request.count; i++)
		if (podset->request.at[i].amount > 0 && class_for(k, podset->request.at[i].resource))
			return true;
	return false;
}

static void drop_extended(struct kueue *k, struct sl_podset *podset)
{
	struct sl_amount *kept = kq_capacity(k->kq, podset->request.count, sizeof(*kept));
	uint32_t count = 0;
	for (uint32_t i = 0; kept && i < podset->request.count; i++)
		if (podset->request.at[i].amount <= 0 || !class_for(k, podset->request.at[i].resource))
			kept[count++] = podset->request.at[i];
	podset->request = (struct sl_amounts){ kept, count };
}

const struct sl_pods *kueue_without_devices(struct kueue *k, const struct sl_pods *pods)
{
	bool any = false;
	for (uint32_t i = 0; i < pods->count; i++)
		any |= asks_extended(k, &pods->podset[i]);
	struct sl_pods *rest = any ? kq_capacity(k->kq, 1, sizeof(*rest)) : NULL;
	struct sl_podset *podset = any ? kq_capacity(k->kq, pods->count, sizeof(*podset)) : NULL;
	if (!rest || !podset)
		return pods;
	memcpy(podset, pods->podset, pods->count * sizeof(*podset));
	for (uint32_t i = 0; i < pods->count; i++)
		drop_extended(k, &podset[i]);
	*rest = *pods;
	rest->podset = podset;
	return rest;
}

static void charge_extended(struct charge *charge, const struct sl_podset *from)
{
	for (uint32_t i = 0; i < from->request.count; i++) {
		const struct sl_amount *asked = &from->request.at[i];
		const struct sl_object *class =
			asked->amount > 0 ? class_for(charge->k, asked->resource) : NULL;
		if (!class)
			continue;
		const uint32_t mapped = resource_of(charge->k, class->name);
		kueue_dra_add(charge, mapped != KQ_NO ? mapped : kq_resource(charge->k->kq, asked->resource),
			asked->amount);
	}
}

/* ---- Claims ---------------------------------------------------------------------------------- */

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

/* Why a podset with claims is never admitted; NULL: it may be. */
static const char *refused_whole(const struct kueue *k, const struct sl_podset *podset)
{
	const bool *gate = k->kq->config.gate;
	if (!podset->claim_count)
		return NULL;
	if (!gate[KQ_GATE_KueueDRAIntegration])
		return gate[KQ_GATE_KueueDRARejectWorkloadsWhenDRADisabled]
			       ? "Workload uses DRA resources but the KueueDRAIntegration feature gate is not "
				 "enabled"
			       : NULL;
	for (uint32_t i = 0; i < podset->claim_count; i++)
		if (podset->claim[i].claim)
			return "KueueDRAIntegration feature does not support use of resource claims";
	return NULL;
}

const char *kueue_charge_claims(
	struct kueue *k, const char *namespace, const struct sl_podset *from, struct kq_podset *to)
{
	struct charge charge = { .k = k, .podset = from->name };
	const size_t capacity = (size_t)to->request.count + k->read.mapping_count + from->request.count;
	const char *refused = refused_whole(k, from);
	if (refused || !k->kq->config.gate[KQ_GATE_KueueDRAIntegration] ||
		(!from->claim_count && !asks_extended(k, from)))
		return refused;
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
	charge_extended(&charge, from);
	to->request = kq_amounts(k->kq, charge.amount, charge.count);
	return charge.refused;
}
