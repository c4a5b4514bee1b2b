/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_amounts.c - a pod's resource requests, of all its containers together.
 *
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers and
 * .../sidecar-containers/: containers and sidecars (init containers with restartPolicy Always) add up; an
 * init container runs beside the sidecars that were started before it; the larger counts. Pod-level
 * resources take the place of that sum, the overhead comes on top. A limit without a request is one.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/kube/pods_parts.h"

enum { RESOURCES_MAX = 256 };

static const struct sl_amount unasked[] = { { "cpu", POD_CPU_UNASKED }, { "memory", POD_MEM_UNASKED } };

/* By name. */
struct sums {
	struct sl_amount at[RESOURCES_MAX];
	uint32_t count;
};

static int64_t pods_amounts_add_up(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/* Its place, which is new if there is none; NULL: they are too many. */
static int64_t *pods_amounts_place_of(struct sums *sums, const char *resource)
{
	uint32_t i = 0;
	while (i < sums->count && strcmp(sums->at[i].resource, resource) < 0)
		i++;
	if (i < sums->count && strcmp(sums->at[i].resource, resource) == 0)
		return &sums->at[i].amount;
	if (sums->count == RESOURCES_MAX)
		return NULL;
	memmove(&sums->at[i + 1], &sums->at[i], (sums->count - i) * sizeof(sums->at[0]));
	sums->count++;
	sums->at[i] = (struct sl_amount){ resource, 0 };
	return &sums->at[i].amount;
}

static void sums_add(struct sums *sums, const struct sl_amount *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int64_t *place = pods_amounts_place_of(sums, at[i].resource);
		if (place)
			*place = pods_amounts_add_up(*place, at[i].amount);
	}
}

static void sums_max(struct sums *sums, const struct sl_amount *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int64_t *place = pods_amounts_place_of(sums, at[i].resource);
		if (place && *place < at[i].amount)
			*place = at[i].amount;
	}
}

static const struct sl_amount *pods_amounts_find(const struct sl_amounts *amounts, const char *resource)
{
	for (uint32_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->at[i].resource, resource) == 0)
			return &amounts->at[i];
	return NULL;
}

/* What is asked of a pod's containers: is some request above its limit, what is put in where nothing is said,
 * as bits of `unasked`, and did any container say nothing of it? */
struct asking {
	bool exceeds;
	bool containers; /* What the pod requests as a whole is left out. */
	unsigned put_in, missing;
};

/* Of one container: requests, and limits where it has none. */
static void container_asks(
	struct pods_reading *r, const struct sl_doc_node *node, struct sums *sums, struct asking *asking)
{
	const struct sl_doc_node *resources = pods_map(r, node, "resources");
	const struct sl_amounts request = pods_amounts(r, pods_map(r, resources, "requests"));
	const struct sl_amounts limit = pods_amounts(r, pods_map(r, resources, "limits"));
	sums->count = 0;
	sums_add(sums, request.at, request.count);
	for (uint32_t i = 0; i < limit.count; i++) {
		const struct sl_amount *asked = pods_amounts_find(&request, limit.at[i].resource);
		asking->exceeds |= asked && asked->amount > limit.at[i].amount;
		if (!asked)
			sums_add(sums, &limit.at[i], 1);
	}
	for (unsigned i = 0; i < SL_LEN(unasked); i++) {
		const struct sl_amounts all = { sums->at, sums->count };
		if (pods_amounts_find(&all, unasked[i].resource))
			continue;
		asking->missing |= 1U << i;
		if (asking->put_in >> i & 1)
			sums_add(sums, &unasked[i], 1);
	}
}

/* cpu, memory and huge pages may be given to the pod as a whole. */
static bool is_of_pods(const char *resource)
{
	return strcmp(resource, "cpu") == 0 || strcmp(resource, "memory") == 0 ||
	       strncmp(resource, "hugepages-", strlen("hugepages-")) == 0;
}

static void set_for_pod(struct sums *sums, const struct sl_amount *amount)
{
	int64_t *place = is_of_pods(amount->resource) ? pods_amounts_place_of(sums, amount->resource) : NULL;
	if (place)
		*place = amount->amount;
}

/* A limit of the pod counts as its request where its containers request nothing either. */
static void pod_asks(
	struct pods_reading *r, const struct sl_doc_node *spec, struct sums *sums, struct asking *asking)
{
	const struct sl_doc_node *resources = pods_map(r, spec, "resources");
	const struct sl_amounts request = pods_amounts(r, pods_map(r, resources, "requests"));
	const struct sl_amounts limit = pods_amounts(r, pods_map(r, resources, "limits"));
	for (uint32_t i = 0; i < limit.count; i++) {
		const struct sl_amount *asked = pods_amounts_find(&request, limit.at[i].resource);
		asking->exceeds |= asked && asked->amount > limit.at[i].amount;
		const struct sl_amounts all = { sums->at, sums->count };
		if (!asked && !pods_amounts_find(&all, limit.at[i].resource))
			set_for_pod(sums, &limit.at[i]);
	}
	for (uint32_t i = 0; i < request.count; i++)
		set_for_pod(sums, &request.at[i]);
}

/* Into `total`; the overhead on top. */
static void all_ask(
	struct pods_reading *r, const struct sl_doc_node *spec, struct sums *total, struct asking *asking)
{
	struct sums sums[3]; /* One container's, and: */
	for (size_t i = 0; i < SL_LEN(sums); i++)
		sums[i].count = 0;
	struct sums *one = &sums[0];
	struct sums *side = &sums[1]; /* Of the sidecars so far, */
	struct sums *init = &sums[2]; /* and the most that is requested before the containers run. */
	total->count = 0;
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, spec, "containers"));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		container_asks(r, node, one, asking);
		sums_add(total, one->at, one->count);
	}
	for (const struct sl_doc_node *node = pods_first(r, pods_list(r, spec, "initContainers"));
		node && !r->status; node = sl_doc_next(r->doc, node)) {
		container_asks(r, node, one, asking);
		if (pods_is_sidecar(r, node)) {
			sums_add(total, one->at, one->count);
			sums_add(side, one->at, one->count);
			sums_max(init, side->at, side->count);
		} else {
			sums_add(one, side->at, side->count);
			sums_max(init, one->at, one->count);
		}
	}
	sums_max(total, init->at, init->count);
	if (!asking->containers)
		pod_asks(r, spec, total, asking);
	const struct sl_amounts overhead = pods_amounts(r, pods_map(r, spec, "overhead"));
	sums_add(total, overhead.at, overhead.count);
}

bool pods_is_sidecar(struct pods_reading *r, const struct sl_doc_node *container)
{
	const char *policy = pods_text(r, container, "restartPolicy");
	return policy && strcmp(policy, "Always") == 0;
}

/* Some request of the pod as a whole is one of those that may be. */
static bool asks_as_whole(struct pods_reading *r, const struct sl_doc_node *spec)
{
	static const char *const lists[] = { "requests", "limits" };
	const struct sl_doc_node *resources = pods_map(r, spec, "resources");
	for (size_t i = 0; i < SL_LEN(lists); i++)
		SL_DOC_EACH (node, r->doc, pods_map(r, resources, lists[i]))
			if (is_of_pods(sl_doc_key_of(r->doc, node)))
				return true;
	return false;
}

/* By how much it differs from the requests. */
static void differences(struct pods_reading *r, const struct sl_doc_node *spec, struct asking *asking,
	const struct sl_podset *podset, int64_t *const more[])
{
	struct sums with;
	all_ask(r, spec, &with, asking);
	const struct sl_amounts all = { with.at, with.count };
	for (unsigned i = 0; i < SL_LEN(unasked); i++) {
		const struct sl_amount *has = pods_amounts_find(&podset->request, unasked[i].resource);
		const struct sl_amount *counts = pods_amounts_find(&all, unasked[i].resource);
		*more[i] = (counts ? counts->amount : 0) - (has ? has->amount : 0);
	}
}

/* On nodes a pod that requests something as a whole has only that put in which neither it nor any container
 * names; for NodeResourcesFit's score of the pod itself its containers count alone. */
static void count_unasked(
	struct pods_reading *r, const struct sl_doc_node *spec, unsigned missing, struct sl_podset *podset)
{
	struct asking held = { .put_in = missing }, own = { .put_in = missing, .containers = true };
	const bool as_whole = asks_as_whole(r, spec);
	int64_t *const more[] = { &podset->cpu_unasked, &podset->mem_unasked };
	int64_t *const fit[] = { &podset->cpu_fit, &podset->mem_fit };
	if (!missing && !as_whole)
		return;
	for (unsigned i = 0; as_whole && i < SL_LEN(unasked); i++)
		if (pods_amounts_find(&podset->request, unasked[i].resource))
			held.put_in &= ~(1U << i);
	differences(r, spec, &held, podset, more);
	differences(r, spec, &own, podset, fit);
}

void pods_request(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset)
{
	struct asking asking = { 0 };
	struct sums total;
	all_ask(r, spec, &total, &asking);
	struct sl_amount *asked = pods_alloc(r, total.count, sizeof(*asked));
	if (asked)
		memcpy(asked, total.at, total.count * sizeof(*asked));
	podset->request = (struct sl_amounts){ asked, asked ? total.count : 0 };
	podset->exceeds_limits = asking.exceeds;
	count_unasked(r, spec, asking.missing, podset);
}
