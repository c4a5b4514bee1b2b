/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_dra.c - quota for devices (KEP-2941, feature gate KueueDRAIntegration): what a pod's
 * ResourceClaimTemplates request, by the deviceClassMappings of the Configuration: so many devices of a class
 * are so many of the resource that stands for it, or so much of their counters or capacities
 * (kueue_dra_sources.c), besides what transformations make of the rest.
 *
 * An extended resource that a DeviceClass stands for (KueueDRAIntegrationExtendedResource) counts as the
 * class does, or by its own name where the class is not mapped; transformations do not see it.
 *
 * A request with adminAccess costs nothing. What has no plain count is refused, as are classes that are not
 * mapped: AllocationMode All; firstAvailable, unless KueueDRAIntegrationPrioritizedList is on and all
 * alternatives cost the same; and ResourceClaims by name. With KueueDRAIntegration off all that asks for
 * claims is refused (KueueDRARejectWorkloadsWhenDRADisabled).
 */
#include "policies/kueue/kueue_dra.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PART_MAX = 280, MESSAGE_MAX = PART_MAX + 140 };

void kueue_dra_refuse(struct kueue_charge *charge, bool named, const char *format, ...)
{
	char text[MESSAGE_MAX], part[PART_MAX];
	va_list args;
	if (charge->refused)
		return;
	va_start(args, format);
	(void)vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	if (named)
		(void)snprintf(
			text, sizeof(text), "ResourceClaimTemplate %.100s: %s", charge->template, part);
	charge->refused = kq_text(charge->k->kq, named ? text : part);
}

static uint32_t resource_of(const struct kueue *k, const char *class)
{
	for (uint32_t i = 0; i < k->read.mapping_count; i++)
		for (uint32_t at = 0; at < k->read.mapping[i].count; at++)
			if (strcmp(k->read.mapping[i].class[at], class) == 0)
				return k->read.mapping[i].resource;
	return KQ_NO;
}

static void add_amount(struct kueue_charge *charge, uint32_t resource, int64_t amount)
{
	uint32_t at = 0;
	while (at < charge->count && charge->amount[at].resource != resource)
		at++;
	if (at == charge->count)
		charge->amount[charge->count++] = (struct kq_amount){ resource, 0 };
	charge->amount[at].amount = kq_add(charge->amount[at].amount, amount);
}

/* In whole units, where the rules have a resource called cpu in thousandths. */
void kueue_dra_add(struct kueue_charge *charge, uint32_t resource, int64_t amount)
{
	add_amount(charge, resource, resource == KQ_CPU ? kq_mul(amount, 1000) : amount);
}

/* ---- Requests -------------------------------------------------------------------------------- */

struct sl_at kueue_dra_exactly(struct sl_at request)
{
	const struct sl_at exactly = sl_at_get(request, "exactly");
	return sl_at_is_null(exactly) ? request : exactly;
}

const char *kueue_dra_class_of(struct sl_at exactly)
{
	const char *class = kq_doc_text(sl_at_get(exactly, "deviceClassName"));
	return class ? class : "";
}

int64_t kueue_dra_count(struct sl_at exactly)
{
	return sl_at_int(sl_at_get(exactly, "count"), 1, 1, INT32_MAX);
}

static bool is_list(struct sl_at request) { return !sl_at_is_null(sl_at_get(request, "firstAvailable")); }

static bool is_admin(struct sl_at exactly) { return sl_at_bool(sl_at_get(exactly, "adminAccess"), false); }

/* Of one alternative; KQ_NO: it is refused. */
static uint32_t resource_of_alternative(struct kueue_charge *charge, struct sl_at at)
{
	const char *mode = kq_doc_text(sl_at_get(at, "allocationMode")), *class = kueue_dra_class_of(at);
	const uint32_t resource = resource_of(charge->k, class);
	(void)kueue_selectors_of(charge->k, sl_at_get(at, "selectors"));
	if (mode && strcmp(mode, "ExactCount") != 0)
		kueue_dra_refuse(
			charge, true, "Unsupported value: \"%.80s\": supported values: \"ExactCount\"", mode);
	else if (resource == KQ_NO)
		kueue_dra_refuse(charge, true, "DeviceClass %.80s is not mapped in DRA configuration", class);
	else if (kueue_dra_sourced(charge->k, class, false) || kueue_dra_sourced(charge->k, class, true))
		kueue_dra_refuse(charge, true,
			"a counter-backed or capacity-backed DeviceClass is not supported for firstAvailable");
	return charge->refused ? KQ_NO : resource;
}

/* Whichever kube-scheduler allocates costs the same, or it is refused. */
static void charge_first_available(struct kueue_charge *charge, struct sl_at list)
{
	const struct kq *kq = charge->k->kq;
	uint32_t resource = KQ_NO;
	int64_t count = 0;
	if (!kq->config.gate[KQ_GATE_KueueDRAIntegrationPrioritizedList])
		kueue_dra_refuse(charge, true, "FirstAvailable device selection is not supported");
	else if (!sl_at_count(list))
		kueue_dra_refuse(charge, true, "must list at least one alternative");
	for (struct sl_at one = sl_at_first(list); one.node && !charge->refused; one = sl_at_next(one)) {
		const uint32_t of = resource_of_alternative(charge, one);
		const int64_t asked = kueue_dra_count(one);
		if (of == KQ_NO)
			return;
		if (resource == KQ_NO) {
			resource = of;
			count = asked;
		}
		if (of != resource)
			kueue_dra_refuse(charge, true,
				"every alternative must map to \"%.80s\", this one maps to \"%.80s\"",
				kq->resource[resource], kq->resource[of]);
		else if (asked != count)
			kueue_dra_refuse(charge, true,
				"every alternative must have count %lld, this one has %lld", (long long)count,
				(long long)asked);
	}
	if (!charge->refused)
		kueue_dra_add(charge, resource, count);
}

static void check_request(struct kueue_charge *charge, struct sl_at request)
{
	const struct sl_at of = kueue_dra_exactly(request);
	const char *mode = kq_doc_text(sl_at_get(of, "allocationMode"));
	if (is_list(request))
		charge_first_available(charge, sl_at_get(request, "firstAvailable"));
	else if (!is_admin(of) && mode && strcmp(mode, "ExactCount") != 0)
		kueue_dra_refuse(charge, true, "AllocationMode '%.100s' is not supported", mode);
}

static void count_request(struct kueue_charge *charge, struct sl_at request)
{
	const struct sl_at of = kueue_dra_exactly(request);
	const char *class = kueue_dra_class_of(of);
	if (is_list(request) || is_admin(of) || !*class)
		return;
	const uint32_t resource = resource_of(charge->k, class);
	if (resource == KQ_NO)
		kueue_dra_refuse(charge, true, "DeviceClass %.80s is not mapped in DRA configuration", class);
	else if (!kueue_dra_sourced(charge->k, class, false) && !kueue_dra_sourced(charge->k, class, true))
		kueue_dra_add(charge, resource, kueue_dra_count(of));
}

/* ---- Extended resources ---------------------------------------------------------------------- */

/* Of several the newest, then the first by name. */
static const struct kueue_device_class *class_of_extended(const struct kueue *k, const char *resource)
{
	const struct kueue_device_class *found = NULL;
	const bool *gate = k->kq->config.gate;
	if (!gate[KQ_GATE_KueueDRAIntegration] || !gate[KQ_GATE_KueueDRAIntegrationExtendedResource] ||
		!strchr(resource, '/') || strstr(resource, "kubernetes.io/"))
		return NULL;
	for (uint32_t i = 0; i < k->dra->classes; i++) {
		const struct kueue_device_class *class = &k->dra->class[i];
		if (strcmp(class->extended, resource) != 0)
			continue;
		const int age = found ? strcmp(class->created, found->created) : 1;
		if (age > 0 || (age == 0 && strcmp(class->object->name, found->object->name) < 0))
			found = class;
	}
	return found;
}

static bool asks_extended(struct kueue *k, const struct sl_podset *podset)
{
	for (uint32_t i = 0; i < podset->request.count; i++)
		if (podset->request.at[i].amount > 0 && class_of_extended(k, podset->request.at[i].resource))
			return true;
	return false;
}

static void drop_extended(struct kueue *k, struct sl_podset *podset)
{
	struct sl_amount *kept = kq_alloc(k->kq, podset->request.count, sizeof(*kept));
	uint32_t count = 0;
	for (uint32_t i = 0; kept && i < podset->request.count; i++)
		if (podset->request.at[i].amount <= 0 ||
			!class_of_extended(k, podset->request.at[i].resource))
			kept[count++] = podset->request.at[i];
	podset->request = (struct sl_amounts){ kept, count };
}

const struct sl_pods *kueue_without_devices(struct kueue *k, const struct sl_pods *pods)
{
	bool any = false;
	for (uint32_t i = 0; i < pods->count; i++)
		any |= asks_extended(k, &pods->podset[i]);
	struct sl_pods *rest = any ? kq_alloc(k->kq, 1, sizeof(*rest)) : NULL;
	struct sl_podset *podset = any ? kq_alloc(k->kq, pods->count, sizeof(*podset)) : NULL;
	if (!rest || !podset)
		return pods;
	memcpy(podset, pods->podset, pods->count * sizeof(*podset));
	for (uint32_t i = 0; i < pods->count; i++)
		drop_extended(k, &podset[i]);
	*rest = *pods;
	rest->podset = podset;
	return rest;
}

/* The class is charged by its count alone. */
static bool has_plain_count(struct kueue_charge *charge, const char *resource, const char *class)
{
	const bool counters = kueue_dra_sourced(charge->k, class, false);
	if (!counters && !kueue_dra_sourced(charge->k, class, true))
		return true;
	kueue_dra_refuse(charge, false,
		"extended resource %.60s resolves to DeviceClass %.60s with %s configured; use "
		"ResourceClaimTemplates with %s quota",
		resource, class, counters ? "counters" : "capacity sources",
		counters ? "CEL selectors for counter-based" : "capacity.requests for capacity-based");
	return false;
}

static void charge_extended(struct kueue_charge *charge, const struct sl_podset *from)
{
	for (uint32_t i = 0; i < from->request.count; i++) {
		const struct sl_amount *asked = &from->request.at[i];
		const struct kueue_device_class *class =
			asked->amount > 0 ? class_of_extended(charge->k, asked->resource) : NULL;
		if (!class || !has_plain_count(charge, asked->resource, class->object->name))
			continue;
		const uint32_t mapped = resource_of(charge->k, class->object->name);
		kueue_dra_add(charge, mapped != KQ_NO ? mapped : kq_resource(charge->k->kq, asked->resource),
			asked->amount);
	}
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static struct kueue_charge make_charge(struct kueue *k, const char *template, size_t capacity)
{
	return (struct kueue_charge){
		.k = k, .template = template, .amount = kq_alloc(k->kq, capacity, sizeof(struct kq_amount))
	};
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as documents are, which their reader bounds. */
static bool is_same_document(const struct sl_doc *doc, const struct sl_doc_node *node,
	const struct sl_doc *other_doc, const struct sl_doc_node *other)
{
	if (node->kind != other->kind || node->count != other->count || node->quoted != other->quoted)
		return false;
	if (node->kind == SL_DOC_TEXT)
		return strcmp(doc->text + node->text, other_doc->text + other->text) == 0;
	const struct sl_doc_node *of = sl_doc_child(other_doc, other);
	SL_DOC_EACH (one, doc, node) {
		if (!of || !is_same_document(doc, one, other_doc, of))
			return false;
		if (node->kind == SL_DOC_MAP && strcmp(doc->text + one->key, other_doc->text + of->key) != 0)
			return false;
		of = sl_doc_next(other_doc, of);
	}
	return true;
}

/* Many jobs have each a template of its own, and all of them the same requests, which all devices are
 * compared with. One that is refused names itself, and is none of these. */
static const struct kueue_template *find_alike(struct kueue *k, struct sl_at requests)
{
	for (uint32_t i = 0; i < k->dra->kinds && requests.node; i++) {
		const struct sl_at other =
			sl_at_get(kq_doc_of(k->kq, k->dra->kind[i]->object), "spec.spec.devices.requests");
		if (other.node && is_same_document(requests.doc, requests.node, other.doc, other.node))
			return k->dra->kind[i];
	}
	return NULL;
}

static void work_out(struct kueue *k, struct kueue_template *template)
{
	const struct sl_at requests =
		sl_at_get(kq_doc_of(k->kq, template->object), "spec.spec.devices.requests");
	const struct kueue_template *alike = find_alike(k, requests);
	if (alike) {
		*template = (struct kueue_template){ template->object, true, alike->plain, alike->sourced };
		return;
	}
	struct kueue_charge plain = make_charge(k, template->object->name, k->read.mapping_count);
	struct kueue_charge sourced = make_charge(k, template->object->name, k->read.mapping_count);
	if (!plain.amount || !sourced.amount)
		return;
	for (struct sl_at one = sl_at_first(requests); one.node && !plain.refused; one = sl_at_next(one))
		check_request(&plain, one);
	if (!plain.refused)
		kueue_dra_compare(&plain, requests);
	for (struct sl_at one = sl_at_first(requests); one.node && !plain.refused; one = sl_at_next(one))
		count_request(&plain, one);
	if (!plain.refused)
		kueue_dra_charge_sources(&sourced, requests, false);
	if (!plain.refused)
		kueue_dra_charge_sources(&sourced, requests, true);
	*template = (struct kueue_template){ template->object, true, plain, sourced };
	if (!plain.refused && !sourced.refused && k->dra->kinds < KUEUE_ALIKE_MAX)
		k->dra->kind[k->dra->kinds++] = template;
}

static const struct kueue_template *known_template(struct kueue *k, const char *namespace, const char *name)
{
	for (uint32_t i = 0; i < k->dra->templates; i++) {
		struct kueue_template *template = &k->dra->template[i];
		const char *of = *template->object->namespace ? template->object->namespace : "default";
		if (strcmp(template->object->name, name) != 0 || strcmp(of, namespace) != 0)
			continue;
		if (!template->known)
			work_out(k, template);
		return template;
	}
	return NULL;
}

static void add_charge(struct kueue_charge *to, const struct kueue_charge *from)
{
	to->refused = to->refused ? to->refused : from->refused;
	for (uint32_t i = 0; i < from->count; i++)
		add_amount(to, from->amount[i].resource, from->amount[i].amount);
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
	const size_t capacity = (size_t)to->request.count + k->read.mapping_count + from->request.count;
	const char *refused = refused_whole(k, from);
	if (refused || !k->kq->config.gate[KQ_GATE_KueueDRAIntegration] ||
		(!from->claim_count && !asks_extended(k, from)))
		return refused;
	struct kueue_charge charge = make_charge(k, "", capacity), sourced = make_charge(k, "", capacity);
	if (!charge.amount || !sourced.amount)
		return NULL;
	for (uint32_t i = 0; i < to->request.count; i++)
		charge.amount[charge.count++] = to->request.at[i];
	for (uint32_t i = 0; i < from->claim_count && !charge.refused; i++) {
		charge.template = from->claim[i].template;
		if (!charge.template)
			continue;
		const struct kueue_template *template = known_template(k, namespace, charge.template);
		if (!template) {
			kueue_dra_refuse(&charge, true, "not found");
			break;
		}
		add_charge(&charge, &template->plain);
		add_charge(&sourced, &template->sourced);
	}
	charge_extended(&charge, from);
	add_charge(&charge, &sourced);
	to->request = kq_amounts(k->kq, charge.amount, charge.count);
	return charge.refused;
}
