/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_extended.c - extended resources that devices stand for (DRAExtendedResource, on by default):
 * example.com/gpu where a DeviceClass has it as its extendedResourceName, and
 * deviceclass.resource.kubernetes.io/NAME for any class.
 *
 * A node that has some of the resource itself, by a device plugin, serves it as ever. On any other the pod
 * has a claim of its own, with a request for each container and resource, by these names: container 0 to n,
 * init containers first, and the place of the resource among all that the container requests. Containers
 * that run to the pod's end have devices of their own; an init container that ends uses those of the ones
 * behind it, and of what these lack, the most that any lacks is requested once.
 *
 * pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go, v1.36.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/kube/kube_dra.h"

static const char prefix[] = "deviceclass.resource.kubernetes.io/";

/* Of several classes with one name for it the newest counts, then the first by name. */
static bool is_before(const struct dra_class *a, const struct dra_class *b)
{
	const int order = strcmp(b->created, a->created);
	return order ? order < 0 : strcmp(a->name, b->name) < 0;
}

static struct dra_class *find_class(struct kube_dra *dra, const char *resource)
{
	const bool named = strncmp(resource, prefix, strlen(prefix)) == 0;
	struct dra_class *found = NULL;
	for (uint32_t i = 0; i < dra->classes; i++) {
		struct dra_class *class = &dra->class[i];
		const char *name = named ? class->name : class->extended;
		if (name && strcmp(name, named ? resource + strlen(prefix) : resource) == 0 &&
			(!found || is_before(class, found)))
			found = class;
	}
	return found;
}

static struct dra_class *class_for(const struct kube *k, uint32_t resource)
{
	struct kube_dra *dra = k->dra;
	for (; dra->resources < k->resources; dra->resources++)
		dra->serves[dra->resources] = find_class(dra, k->resource[dra->resources]);
	return dra->serves[resource];
}

bool kube_dra_backs(const struct kube *k, uint32_t resource) { return k->dra && class_for(k, resource); }

bool kube_dra_serves(const struct kube *k, uint32_t node, uint32_t resource)
{
	return !k->node[node].alloc[resource] && kube_dra_backs(k, resource);
}

bool dra_asks_extended(const struct kube *k, const struct kube_spec *spec)
{
	for (uint32_t i = 0; k->dra && i < k->resources; i++)
		if (spec->request[i] > 0 && kube_dra_backs(k, i))
			return true;
	return false;
}

/* ---- The claim ------------------------------------------------------------------------------- */

/* A pod's containers, and the claim that is made for them. */
struct making {
	struct kube *k;
	const struct sl_pod_container *container;
	uint32_t containers;
	struct dra_claim *claim;
};

static int64_t asked_of(const struct making *m, uint32_t container, const char *resource, uint32_t *place)
{
	const struct sl_amounts *asks = &m->container[container].request;
	for (*place = 0; *place < asks->count; ++*place)
		if (strcmp(asks->at[*place].resource, resource) == 0)
			return asks->at[*place].amount;
	return 0;
}

static void add_request(struct making *m, uint32_t resource, uint32_t container, int64_t count)
{
	struct dra_class *class = class_for(m->k, resource);
	struct dra_request *request = &m->claim->request[m->claim->requests];
	char name[48];
	uint32_t place;
	(void)asked_of(m, container, m->k->resource[resource], &place);
	(void)snprintf(name, sizeof(name), "container-%u-request-%u", container, place);
	if (!class->fits)
		class->fits = sl_alloc(m->k->arena, (size_t)m->k->dra->devices + 1, sizeof(*class->fits));
	struct dra_needs *needs = sl_alloc(m->k->arena, 1, sizeof(*needs));
	request->name = sl_strdup(m->k->arena, name, strlen(name));
	if (!class->fits || !needs || !request->name) {
		(void)sl_fail_memory(&m->k->err);
		return;
	}
	*needs = (struct dra_needs){ .name = request->name,
		.class_name = class->name,
		.class = class,
		.fits = class->fits,
		.count = count < INT32_MAX ? count : INT32_MAX };
	request->resource = resource;
	request->needs = needs;
	request->asks = 1;
	m->claim->requests++;
}

static void add_resource(struct making *m, uint32_t resource)
{
	const char *name = m->k->resource[resource];
	int64_t behind = 0, most = 0; /* Of long-lived containers from here on; lacked by one that ends. */
	uint32_t place, lacks = 0;
	for (uint32_t i = m->containers; i--;) {
		const int64_t asked = asked_of(m, i, name, &place);
		if (!m->container[i].ends)
			behind = asked > INT64_MAX - behind ? INT64_MAX : behind + asked;
		if (!m->container[i].ends && asked > 0)
			add_request(m, resource, i, asked);
		if (m->container[i].ends && asked - behind > 0 && asked - behind >= most) {
			most = asked - behind;
			lacks = i;
		}
	}
	if (most)
		add_request(m, resource, lacks, most);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct dra_request *)a)->name, ((const struct dra_request *)b)->name);
}

struct dra_claim *dra_extended_claim(struct kube *k, const struct kube_spec *spec)
{
	const struct sl_podset *podset = spec->podset;
	const struct sl_pod_container whole = { .request = podset->request }; /* Of no manifest. */
	struct making m = { .k = k,
		.container = podset->containers ? podset->container : &whole,
		.containers = podset->containers ? podset->containers : 1 };
	m.claim = sl_alloc(k->arena, 1, sizeof(*m.claim));
	if (m.claim)
		m.claim->request = sl_alloc(
			k->arena, (size_t)m.containers * k->resources + 1, sizeof(*m.claim->request));
	if (!m.claim || !m.claim->request) {
		(void)sl_fail_memory(&k->err);
		return NULL;
	}
	m.claim->namespace = spec->namespace;
	m.claim->name = "extended-resources";
	m.claim->template = true;
	for (uint32_t i = 0; i < k->resources && !k->err.status; i++)
		if (spec->request[i] > 0 && kube_dra_backs(k, i))
			add_resource(&m, i);
	qsort(m.claim->request, m.claim->requests, sizeof(*m.claim->request), by_name);
	return m.claim;
}
