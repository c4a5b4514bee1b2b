/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_quota.c - recorded cases of the quota tree: what is available, dominant resource shares.
 */
#include "tests/conformance/kueue_case.h"

#include <inttypes.h>
#include <string.h>

/* ---- available ---- */

static int64_t at_least_zero(int64_t amount) { return amount > 0 ? amount : 0; }

/* Everything of given.usage and of the workloads goes: as if nothing had ever run. */
static void clear_usage(struct kq *kq)
{
	for (size_t i = 0; i < (size_t)kq->node_count * kq->fr_count; i++)
		kq->usage[i] = 0;
}

/* want: queue, flavor, resource, amount. Both ways of asking for what is there without usage have to agree.
 */
static const char *compare(struct kueue_case *c, const struct sl_doc_node *want, bool potential)
{
	for (const struct sl_doc_node *q = kc_first(c, want); q; q = kc_next(c, q)) {
		const uint32_t queue = kq_find_queue(c->kq, kc_key(c, q));
		if (queue == KQ_NO)
			return kc_fail(c, "no queue %s", kc_key(c, q));
		for (const struct sl_doc_node *f = kc_first(c, q); f; f = kc_next(c, f))
			for (const struct sl_doc_node *r = kc_first(c, f); r; r = kc_next(c, r)) {
				const uint32_t fr = kq_fr(c->kq, kq_flavor(c->kq, kc_key(c, f)),
					kq_resource(c->kq, kc_key(c, r)));
				if (fr == KQ_NO)
					return kc_fail(c, "no cell %s %s", kc_key(c, f), kc_key(c, r));
				const int64_t got = at_least_zero(kq_available(c->kq, queue, fr));
				if (got != kc_amount(c, r))
					return kc_fail(c,
						"%s %s %s: available %" PRId64 ", not %" PRId64 "%s",
						kc_key(c, q), kc_key(c, f), kc_key(c, r), got,
						kc_amount(c, r), potential ? ", with nothing running" : "");
				if (potential && at_least_zero(kq_potential(c->kq, queue, fr)) != got)
					return kc_fail(c, "%s %s %s: potential %" PRId64, kc_key(c, q),
						kc_key(c, f), kc_key(c, r), kq_potential(c->kq, queue, fr));
			}
	}
	return NULL;
}

const char *op_available(struct kueue_case *c)
{
	const char *failure = compare(c, kc_get(c, c->expect, "available_with_usage_raw"), false);
	if (failure)
		return failure;
	clear_usage(c->kq);
	return compare(c, kc_get(c, c->expect, "potentially_available"), true);
}

/* ---- dominant_resource_share ---- */

enum { EXTRA_MAX = 256 };

static uint32_t read_extra(struct kueue_case *c, struct kq_usage_cell extra[EXTRA_MAX])
{
	uint32_t count = 0;
	const struct sl_doc_node *map = kc_get(c, c->input, "extra_request");
	for (const struct sl_doc_node *f = kc_first(c, map); f; f = kc_next(c, f))
		for (const struct sl_doc_node *r = kc_first(c, f); r && count < EXTRA_MAX;
			r = kc_next(c, r)) {
			const uint32_t fr = kq_fr(
				c->kq, kq_flavor(c->kq, kc_key(c, f)), kq_resource(c->kq, kc_key(c, r)));
			if (fr != KQ_NO)
				extra[count++] = (struct kq_usage_cell){ fr, kc_amount(c, r) };
		}
	return count;
}

static uint32_t node_named(struct kueue_case *c, const struct sl_doc_node *want)
{
	const bool is_queue = strcmp(kc_str(c, want, "kind", ""), "cluster_queue") == 0;
	const char *name = kc_str(c, want, "name", "");
	for (uint32_t n = 0; n < c->kq->node_count; n++)
		if (c->kq->node[n].is_queue == is_queue && strcmp(c->kq->node[n].name, name) == 0)
			return n;
	return KQ_NO;
}

static const char *check_share(struct kueue_case *c, const struct sl_doc_node *want,
	const struct kq_usage_cell *extra, uint32_t count)
{
	const char *name = kc_str(c, want, "name", "");
	const uint32_t node = node_named(c, want);
	if (node == KQ_NO)
		return kc_fail(c, "no node %s", name);
	const struct kq_share share = kq_share_of(c->kq, node, extra, count);
	const int64_t reported = strcmp(kc_str(c, want, "share", ""), "max_int64") == 0
					 ? INT64_MAX
					 : kc_int(c, want, "share", 0);
	const char *resource = share.resource == KQ_NO ? "" : c->kq->resource[share.resource];
	if (kq_share_reported(&share) != reported)
		return kc_fail(
			c, "%s: share %" PRId64 ", not %" PRId64, name, kq_share_reported(&share), reported);
	if (strcmp(resource, kc_str(c, want, "dominant_resource", "")) != 0)
		return kc_fail(c, "%s: dominant resource \"%s\"", name, resource);
	if (share.borrowing != kc_bool(c, want, "borrowing", false))
		return kc_fail(c, "%s: borrowing %d", name, share.borrowing);
	return NULL;
}

const char *op_dominant_resource_share(struct kueue_case *c)
{
	struct kq_usage_cell extra[EXTRA_MAX];
	const uint32_t count = read_extra(c, extra);
	const struct sl_doc_node *nodes = kc_get(c, c->expect, "nodes");
	for (const struct sl_doc_node *one = kc_first(c, nodes); one; one = kc_next(c, one)) {
		const char *failure = check_share(c, one, extra, count);
		if (failure)
			return failure;
	}
	return NULL;
}
