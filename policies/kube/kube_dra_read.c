/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_read.c - DeviceClasses, ResourceClaims and ResourceClaimTemplates (resource.k8s.io, v1, v1beta2
 * and v1beta1: a request's fields stand in `exactly`, or in the older ones in the request itself).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/kube/kube_dra.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static int dra_fail(
	const struct sl_object *object, const struct sl_doc_node *node, struct sl_err *err, const char *what)
{
	const struct sl_place place = sl_doc_place(object->doc, node);
	return sl_fail_at(err, &place, "%s", what);
}

const struct sl_doc_node *dra_get(
	const struct dra_reading *r, const struct sl_doc_node *map, const char *path)
{
	return sl_doc_at(r->object->doc, map, path);
}

static const char *kube_dra_read_text_of(
	const struct dra_reading *r, const struct sl_doc_node *map, const char *path)
{
	return kube_text(r->object->doc, map, path);
}

const struct sl_doc_node *dra_first(const struct dra_reading *r, const struct sl_doc_node *of)
{
	return of && of->kind != SL_DOC_TEXT ? sl_doc_child(r->object->doc, of) : NULL;
}

const struct sl_doc_node *dra_next(const struct dra_reading *r, const struct sl_doc_node *of)
{
	return r->status ? NULL : sl_doc_next(r->object->doc, of);
}

uint32_t dra_count(const struct sl_doc_node *of) { return of && of->kind != SL_DOC_TEXT ? of->count : 0; }

void *dra_capacity(struct dra_reading *r, size_t count, size_t size)
{
	void *made = r->status ? NULL : sl_alloc(r->arena, count + 1, size);
	if (!made && !r->status)
		r->status = sl_fail_memory(r->err);
	return made;
}

void dra_refuse(struct dra_reading *r, const struct sl_doc_node *node, const char *what)
{
	if (!r->status)
		r->status = dra_fail(r->object, node, r->err, what);
}

/* ---- Selectors ------------------------------------------------------------------------------- */

static struct cel *take_selector(struct dra_reading *r, const struct sl_doc_node *node)
{
	struct cel *cel = NULL;
	const struct sl_doc_node *at = dra_get(r, node, "cel.expression");
	const char *text = kube_dra_read_text_of(r, node, "cel.expression");
	if (!text) {
		dra_refuse(r, node, "a selector has cel.expression");
		return NULL;
	}
	const struct sl_place place = sl_doc_place(r->object->doc, at);
	r->status = cel_parse(&cel, r->arena, text, &place, r->err);
	if (cel && !SL_GROW(r->dra->cel, r->dra->cel_capacity, (size_t)r->dra->cels + 1, &r->dra->k->err))
		r->dra->cel[r->dra->cels++] = cel;
	else
		cel_release(cel);
	return cel;
}

static struct cel **take_selectors(struct dra_reading *r, const struct sl_doc_node *list, uint32_t *count)
{
	struct cel **cel = dra_capacity(r, dra_count(list), sizeof(struct cel *));
	for (const struct sl_doc_node *one = cel ? dra_first(r, list) : NULL; one; one = dra_next(r, one))
		cel[(*count)++] = take_selector(r, one);
	return cel;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static const struct dra_class *class_named(const struct kube_dra *dra, const char *name)
{
	for (uint32_t i = 0; i < dra->classes; i++)
		if (strcmp(dra->class[i].name, name) == 0)
			return &dra->class[i];
	return NULL;
}

static void take_wants(struct dra_reading *r, struct dra_needs *needs, const struct sl_doc_node *map)
{
	struct dra_want *want = dra_capacity(r, dra_count(map), sizeof(*want));
	needs->want = want;
	for (const struct sl_doc_node *one = want ? dra_first(r, map) : NULL; one; one = dra_next(r, one)) {
		struct dra_want *at = &want[needs->wants++];
		if (!cel_split(r->arena, r->object->doc->text + one->key, &at->domain, &at->name))
			dra_refuse(r, one, "a capacity's name is 'name' or 'domain/name'");
		else
			r->status = cel_quantity(r->object->doc, one, &at->amount, r->err);
	}
}

static void take_needs(
	struct dra_reading *r, struct dra_needs *needs, const struct sl_doc_node *node, const char *name)
{
	const char *mode = kube_dra_read_text_of(r, node, "allocationMode");
	needs->name = name;
	needs->class_name = kube_dra_read_text_of(r, node, "deviceClassName");
	if (!needs->class_name) {
		dra_refuse(r, node, "a request has deviceClassName");
		return;
	}
	needs->class = class_named(r->dra, needs->class_name);
	needs->all = mode && strcmp(mode, "All") == 0;
	if (mode && !needs->all && strcmp(mode, "ExactCount") != 0)
		dra_refuse(r, dra_get(r, node, "allocationMode"), "allocationMode is ExactCount or All");
	needs->count = 1;
	if (!r->status)
		r->status = kube_int(r->object->doc, node, "count", &needs->count, r->err);
	if (!r->status && (needs->count < 1 || needs->count > INT32_MAX))
		dra_refuse(r, node, "a request's 'count' is 1 or more");
	if (!r->status)
		r->status = cel_bool(r->object->doc, node, "adminAccess", &needs->admin, r->err);
	needs->selector = take_selectors(r, dra_get(r, node, "selectors"), &needs->selectors);
	if (!r->status)
		r->status = sl_doc_tolerations(r->arena, r->object->doc, dra_get(r, node, "tolerations"),
			&needs->tolerations, r->err);
	take_wants(r, needs, dra_get(r, node, "capacity.requests"));
	needs->fits = dra_capacity(r, r->dra->devices, sizeof(*needs->fits));
}

static void take_request(struct dra_reading *r, struct dra_request *request, const struct sl_doc_node *node)
{
	const struct sl_doc_node *list = dra_get(r, node, "firstAvailable"),
				 *one = dra_get(r, node, "exactly");
	request->name = kube_dra_read_text_of(r, node, "name");
	request->resource = KUBE_NO;
	request->alternatives = dra_count(list) > 0;
	if (!request->name || dra_count(list) > DRA_ALTERNATIVES_MAX || (list && one)) {
		dra_refuse(r, node,
			"a request has a 'name', and either 'exactly' or up to 8 in 'firstAvailable'");
		return;
	}
	request->needs = dra_capacity(r, dra_count(list) + 1, sizeof(*request->needs));
	if (!request->alternatives && request->needs)
		take_needs(r, &request->needs[request->asks++], one ? one : node, request->name);
	for (const struct sl_doc_node *at = request->needs ? dra_first(r, list) : NULL; at;
		at = dra_next(r, at)) {
		const char *name = kube_dra_read_text_of(r, at, "name");
		if (!name)
			dra_refuse(r, at, "each of firstAvailable has a 'name'");
		else
			take_needs(r, &request->needs[request->asks++], at, name);
	}
}

static void take_constraint(
	struct dra_reading *r, struct dra_constraint *constraint, const struct sl_doc_node *node)
{
	const char *match = kube_dra_read_text_of(r, node, "matchAttribute"),
		   *distinct = kube_dra_read_text_of(r, node, "distinctAttribute");
	const struct sl_doc_node *list = dra_get(r, node, "requests");
	constraint->distinct = distinct;
	if (!match == !distinct ||
		!cel_split(r->arena, match ? match : distinct, &constraint->domain, &constraint->name)) {
		dra_refuse(r, node,
			"a constraint has either matchAttribute or distinctAttribute, 'domain/name'");
		return;
	}
	const char **name = dra_capacity(r, dra_count(list), sizeof(*name));
	constraint->request = name;
	for (const struct sl_doc_node *one = name ? dra_first(r, list) : NULL; one; one = dra_next(r, one))
		name[constraint->requests++] =
			one->kind == SL_DOC_TEXT ? r->object->doc->text + one->text : "";
}

static void take_claim(struct dra_reading *r, struct dra_claim *claim, const char *path)
{
	const struct sl_doc_node *of = dra_get(r, r->object->node, path);
	const struct sl_doc_node *requests = dra_get(r, of, "requests"),
				 *constraints = dra_get(r, of, "constraints");
	claim->namespace = *r->object->namespace ? r->object->namespace : "default";
	claim->name = r->object->name;
	if (dra_count(requests) > DRA_REQUESTS_MAX || dra_count(constraints) > DRA_REQUESTS_MAX) {
		dra_refuse(r, of, "a claim has up to 32 requests and 32 constraints");
		return;
	}
	claim->request = dra_capacity(r, dra_count(requests), sizeof(*claim->request));
	claim->constraint = dra_capacity(r, dra_count(constraints), sizeof(*claim->constraint));
	for (const struct sl_doc_node *one = claim->request ? dra_first(r, requests) : NULL; one;
		one = dra_next(r, one))
		take_request(r, &claim->request[claim->requests++], one);
	for (const struct sl_doc_node *one = claim->constraint ? dra_first(r, constraints) : NULL; one;
		one = dra_next(r, one))
		take_constraint(r, &claim->constraint[claim->constraints++], one);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static uint32_t objects_of(const struct kube *k, const char *kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		count += strcmp(k->cluster->object[i].kind, kind) == 0;
	return count;
}

static void take_classes(struct dra_reading *r, uint32_t count)
{
	const struct sl_cluster *cluster = r->dra->k->cluster;
	r->dra->class = dra_capacity(r, count, sizeof(*r->dra->class));
	for (uint32_t i = 0; i < cluster->object_count && !r->status; i++) {
		r->object = &cluster->object[i];
		if (strcmp(r->object->kind, "DeviceClass") != 0)
			continue;
		struct dra_class *class = &r->dra->class[r->dra->classes++];
		class->name = r->object->name;
		class->extended = kube_dra_read_text_of(r, r->object->node, "spec.extendedResourceName");
		const char *created = kube_dra_read_text_of(r, r->object->node, "metadata.creationTimestamp");
		class->created = created ? created : "";
		class->selector =
			take_selectors(r, dra_get(r, r->object->node, "spec.selectors"), &class->selectors);
	}
}

static void take_claims(struct dra_reading *r, uint32_t count)
{
	const struct sl_cluster *cluster = r->dra->k->cluster;
	r->dra->claim = dra_capacity(r, count, sizeof(*r->dra->claim));
	for (uint32_t i = 0; i < cluster->object_count && !r->status; i++) {
		r->object = &cluster->object[i];
		const bool template = strcmp(r->object->kind, "ResourceClaimTemplate") == 0;
		if (!template && strcmp(r->object->kind, "ResourceClaim") != 0)
			continue;
		struct dra_claim *claim = &r->dra->claim[r->dra->claims++];
		claim->template = template;
		take_claim(r, claim, template ? "spec.spec.devices" : "spec.devices");
	}
}

int kube_dra_make(struct kube *k, struct sl_err *err)
{
	const uint32_t slices = objects_of(k, "ResourceSlice"), classes = objects_of(k, "DeviceClass");
	const uint32_t claims = objects_of(k, "ResourceClaim") + objects_of(k, "ResourceClaimTemplate");
	if (!slices && !classes && !claims)
		return SL_OK;
	k->dra = sl_alloc(k->arena, 1, sizeof(*k->dra));
	if (!k->dra)
		return sl_fail_memory(err);
	k->dra->k = k;
	struct dra_reading r = { .dra = k->dra, .err = err, .arena = k->arena };
	r.status = dra_read_slices(k->dra, err);
	take_classes(&r, classes);
	take_claims(&r, claims);
	return r.status;
}

void kube_dra_free(struct kube *k)
{
	struct kube_dra *dra = k->dra;
	if (!dra)
		return;
	for (uint32_t i = 0; i < dra->cels; i++)
		cel_release(dra->cel[i]);
	for (size_t i = 0; i < dra->asked_count; i++)
		free(dra->asked[i].missing);
	free(dra->cel);
	free(dra->asked);
}
