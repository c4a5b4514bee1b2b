/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_containers.c - what each container of a pod requests by itself: extended resources are given to
 * containers one by one where devices stand for them.
 */
#include <string.h>

#include "sim/kube/pods_parts.h"

static bool has_domain(const struct sl_amounts *amounts)
{
	for (uint32_t i = 0; i < amounts->count; i++)
		if (strchr(amounts->at[i].resource, '/'))
			return true;
	return false;
}

/* Requests, and limits where there is none, by name. */
static struct sl_amounts container_request(struct pods_reading *r, const struct sl_doc_node *container)
{
	const struct sl_doc_node *resources = pods_map(r, container, "resources");
	const struct sl_amounts request = pods_amounts(r, pods_map(r, resources, "requests"));
	const struct sl_amounts limit = pods_amounts(r, pods_map(r, resources, "limits"));
	struct sl_amount *all = pods_alloc(r, request.count + limit.count, sizeof(*all));
	uint32_t count = 0;
	for (uint32_t i = 0, at = 0; all && (i < request.count || at < limit.count);) {
		const int order = i == request.count  ? 1
				  : at == limit.count ? -1
						      : strcmp(request.at[i].resource, limit.at[at].resource);
		all[count++] = order > 0 ? limit.at[at] : request.at[i];
		i += order <= 0;
		at += order >= 0;
	}
	return (struct sl_amounts){ all, count };
}

void pods_containers(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset)
{
	const struct sl_doc_node *list[2] = { pods_list(r, spec, "initContainers"),
		pods_list(r, spec, "containers") };
	if (!has_domain(&podset->request))
		return;
	struct sl_pod_container *container =
		pods_alloc(r, pods_count(list[0]) + pods_count(list[1]), sizeof(*container));
	for (size_t i = 0; container && i < SL_LEN(list); i++)
		for (const struct sl_doc_node *node = pods_first(r, list[i]); node && !r->status;
			node = sl_doc_next(r->doc, node)) {
			struct sl_pod_container *one = &container[podset->containers++];
			one->request = container_request(r, node);
			one->ends = i == 0 && !pods_is_sidecar(r, node);
		}
	podset->container = container;
}
