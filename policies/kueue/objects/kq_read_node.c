/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read_node.c - nodes as topology-aware scheduling sees them, and pods that Kueue does not manage, which
 * use resources on them.
 */
#include "policies/kueue/objects/kq_read.h"

#include <string.h>

static struct kq_amounts read_amounts(struct kq *kq, struct sl_at at)
{
	struct kq_amount *amount = kq_alloc(kq, sl_at_count(at), sizeof(*amount));
	uint32_t count = 0;
	for (struct sl_at one = sl_at_first(at); one.node && amount; one = sl_at_next(one)) {
		const char *name = sl_at_key(one);
		amount[count++] = (struct kq_amount){ kq_resource(kq, name), kq_doc_amount(one, name, 0) };
	}
	return kq_amounts(kq, amount, count);
}

/* Without the condition it is ready. */
static bool is_ready(struct sl_at at)
{
	SL_AT_EACH (cond, sl_at_get(at, "status.conditions")) {
		const char *type = kq_doc_text(sl_at_get(cond, "type"));
		const char *status = kq_doc_text(sl_at_get(cond, "status"));
		if (type && status && strcmp(type, "Ready") == 0)
			return strcmp(status, "True") == 0;
	}
	return true;
}

void kq_read_node(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	struct sl_at amounts = sl_at_get(at, "status.allocatable");
	if (sl_at_is_null(amounts))
		amounts = sl_at_get(at, "status.capacity");
	const struct kq_amounts allocatable = read_amounts(kq, amounts);
	const uint32_t row = kq_host(kq, object->name);
	if (kq->err.status)
		return;
	struct kq_host *host = &kq->host[row];
	host->labels = kq_doc_labels(sl_at_get(at, "metadata.labels"));
	host->taints = kq_doc_taints(sl_at_get(at, "spec.taints"));
	host->allocatable = allocatable;
	host->unschedulable = sl_at_bool(sl_at_get(at, "spec.unschedulable"), false);
	host->ready = is_ready(at);
}

static int64_t *foreign_of(struct kq *kq, struct kq_host *host)
{
	if (!host->foreign)
		host->foreign = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(*host->foreign));
	return host->foreign;
}

static void add_requests(struct kq *kq, int64_t *sum, struct sl_at containers, bool largest)
{
	SL_AT_EACH (one, containers) {
		const struct kq_amounts amounts = read_amounts(kq, sl_at_get(one, "resources.requests"));
		for (uint32_t i = 0; i < amounts.count; i++) {
			int64_t *to = &sum[amounts.at[i].resource];
			if (!largest)
				*to = kq_add(*to, amounts.at[i].amount);
			else if (amounts.at[i].amount > *to)
				*to = amounts.at[i].amount;
		}
	}
}

static bool kq_read_node_is_over(struct sl_at at)
{
	const char *phase = kq_doc_text(sl_at_get(at, "status.phase"));
	return phase && (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
}

/* Bound, not over, and not one of Kueue's: the requests of its containers, and one pod. */
void kq_read_pod(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const char *node = kq_doc_text(sl_at_get(at, "spec.nodeName"));
	const struct sl_labels labels = kq_doc_labels(sl_at_get(at, "metadata.labels"));
	if (!node || kq_read_node_is_over(at) || sl_label_of(&labels, "kueue.x-k8s.io/managed") ||
		sl_label_of(&labels, "kueue.x-k8s.io/podset"))
		return;
	const uint32_t row = kq_find_host(kq, node);
	int64_t *foreign = row == KQ_NO ? NULL : foreign_of(kq, &kq->host[row]);
	if (!read->sum)
		read->sum = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(*read->sum));
	int64_t *sum = read->sum;
	if (!foreign || !sum)
		return;
	memset(sum, 0, KQ_RESOURCES_MAX * sizeof(*sum));
	add_requests(kq, sum, sl_at_get(at, "spec.containers"), false);
	add_requests(kq, sum, sl_at_get(at, "spec.initContainers"), true);
	for (uint32_t i = 0; i < kq->resource_count; i++)
		foreign[i] = kq_add(foreign[i], sum[i]);
	foreign[KQ_PODS] = kq_add(foreign[KQ_PODS], 1);
}
