/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_runai.c - any bytes at all as a projects file, and as manifests of KAI and Run:AI.
 *
 * They are refused with a sentence, or become a tree of queues whose rows are all there.
 */
#include "policies/runai/runai_read.h"
#include "tests/fuzz/objects.h"

static void look_at_share(const struct runai_share *share)
{
	for (int res = 0; res < KAI_RES; res++)
		SL_CHECK(share->quota.at[res] >= 0 && share->limit.at[res] >= 0 && share->weight[res] >= 0);
}

static void look_at_queue(const struct runai_config *config, uint32_t row)
{
	const struct runai_queue *queue = &config->queue[row];
	uint32_t depth = 0;
	SL_CHECK(runai_find_queue(config, queue->name) == row);
	for (uint32_t at = row; at != KAI_NO; at = config->queue[at].parent)
		SL_CHECK(at < config->queue_count && ++depth <= KAI_DEPTH_MAX);
	look_at_share(&queue->share);
	look_at_share(&queue->elsewhere);
	for (uint32_t i = 0; i < queue->pool_count; i++) {
		SL_CHECK(queue->pool[i].pool < config->pool_count);
		look_at_share(&queue->pool[i].share);
	}
	for (uint32_t i = 0; i < queue->order_count; i++)
		SL_CHECK(queue->order[i] < config->pool_count);
	for (int type = 0; type < RUNAI_TYPES; type++)
		SL_CHECK(queue->time_limit[type] == SL_NONE || queue->time_limit[type] >= 0);
}

static void look_at(const struct runai_config *config)
{
	const struct sl_labels none = { NULL, 0 };
	for (uint32_t i = 0; i < config->queue_count; i++)
		look_at_queue(config, i);
	for (uint32_t i = 0; i < config->map_count; i++)
		SL_CHECK(config->map[i].queue < config->queue_count);
	for (uint32_t i = 0; i < config->pool_count; i++)
		SL_CHECK(config->pool[i].config.action_count <= KAI_ACTIONS &&
			 config->pool[i].config.saturation >= 1);
	for (uint32_t i = 0; i < config->note_count; i++)
		SL_CHECK(*config->note[i].text);
	SL_CHECK(config->pool_count && runai_pool_of(config, &none) == 0);
	SL_CHECK(config->fallback == KAI_NO || config->fallback < config->queue_count);
}

/* A job that has no manifest, and says nothing. */
static void desc(const struct runai_config *config, struct sl_arena *arena)
{
	const sl_time limit = 0;
	const struct sl_jobs jobs = { .count = 1, .limit = &limit };
	struct runai_job said;
	struct sl_err err = { 0 };
	SL_CHECK(runai_job_read(config, arena, &jobs, 0, NULL, NULL, &said, &err) == SL_OK);
	SL_CHECK((said.queue == KAI_NO) == (said.mapped == RUNAI_MAPPED_NONE));
	SL_CHECK(said.queue == KAI_NO || !config->queue[said.queue].children);
}

static void take(const struct sl_doc *doc, const struct sl_object *object, uint32_t count)
{
	struct sl_arena *arena = sl_arena_new();
	struct runai_config config;
	struct sl_err err = { 0 };
	SL_CHECK(arena);
	const int status = runai_read(&config, arena, doc, object, count, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status) {
		look_at(&config);
		desc(&config, arena);
	}
	runai_release(&config);
	sl_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_err err = { 0 };
	struct sl_doc doc = { .file = "fuzz" };
	struct sl_object object[FUZZ_OBJECTS_MAX];
	char *text = fuzz_text(data, size);
	const uint32_t count = sl_doc_read_yamls(&doc, text, size, &err) ? 0 : fuzz_objects(&doc, object);
	if (count)
		take(NULL, object, count);
	sl_doc_release(&doc);
	doc = (struct sl_doc){ .file = "fuzz" };
	err = (struct sl_err){ 0 };
	if (sl_doc_read_yaml(&doc, text, size, &err) == SL_OK && doc.count)
		take(&doc, NULL, 0);
	sl_doc_release(&doc);
	free(text);
	return 0;
}
