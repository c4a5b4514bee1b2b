/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_kueue.c - any bytes at all as Kueue's objects.
 *
 * They are refused with a sentence, or become flavors, queues and cohorts whose rows are all there, and a
 * quota tree without a circle.
 */
#include "policies/kueue/objects/kq_read.h"
#include "tests/fuzz/objects.h"

static bool is_limit(int64_t amount) { return amount >= 0 || amount == KQ_NO_LIMIT; }

static void look_at_quota(const struct kq *kq, const struct kq_node *node)
{
	for (uint32_t g = 0; g < node->group_count; g++) {
		const struct kq_group *group = &node->group[g];
		for (uint32_t f = 0; f < group->flavor_count; f++) {
			const struct kq_group_flavor *flavor = &group->flavor[f];
			SL_CHECK(flavor->flavor < kq->flavor_count);
			for (uint32_t q = 0; q < flavor->count; q++)
				SL_CHECK(flavor->quota[q].resource < kq->resource_count &&
					 flavor->quota[q].nominal >= 0 &&
					 is_limit(flavor->quota[q].borrowing) &&
					 is_limit(flavor->quota[q].lending));
		}
	}
}

static void look_at_node(const struct kq *kq, uint32_t row)
{
	const struct kq_node *node = &kq->node[row];
	uint32_t depth = 0;
	for (uint32_t at = row; !node->cycle && at != KQ_NO; at = kq->node[at].parent)
		SL_CHECK(at < kq->node_count && ++depth <= kq->node_count);
	for (uint32_t i = 0; i < node->child_count; i++)
		SL_CHECK(node->child[i] < kq->node_count && kq->node[node->child[i]].parent == row);
	for (uint32_t i = 0; i < node->check_count; i++)
		SL_CHECK(node->check[i].check < kq->check_count);
	look_at_quota(kq, node);
}

static void look_at(const struct kq *kq, const struct kq_read *read)
{
	for (uint32_t i = 0; i < kq->node_count; i++)
		look_at_node(kq, i);
	for (uint32_t i = 0; i < kq->fr_count; i++)
		SL_CHECK(kq->fr[i].flavor < kq->flavor_count && kq->fr[i].resource < kq->resource_count);
	for (size_t i = 0; i < (size_t)kq->node_count * kq->fr_count; i++)
		SL_CHECK(kq->usage[i] >= 0);
	for (uint32_t i = 0; i < kq->queue_count; i++)
		SL_CHECK(kq->queue[i] < kq->node_count && kq->node[kq->queue[i]].is_queue);
	for (uint32_t i = 0; i < read->mapping_count; i++)
		SL_CHECK(read->mapping[i].resource < kq->resource_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_err err = { 0 };
	struct sl_doc doc = { .file = "fuzz" };
	struct sl_object object[FUZZ_OBJECTS_MAX];
	struct sl_arena *arena = sl_arena_new();
	char *text = fuzz_text(data, size);
	SL_CHECK(arena);
	if (sl_doc_read_yamls(&doc, text, size, &err) == SL_OK) {
		struct kq *kq = kq_new(arena);
		struct kq_read read;
		SL_CHECK(kq);
		int status = kq_read(&read, kq, object, fuzz_objects(&doc, object));
		if (!status)
			status = kq_seal(kq);
		SL_CHECK(status == kq->err.status && (!status || *kq->err.text));
		if (!status)
			look_at(kq, &read);
		kq_free(kq);
	}
	sl_doc_release(&doc);
	sl_arena_free(arena);
	free(text);
	return 0;
}
