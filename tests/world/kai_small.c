/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_small.c - small cluster states for KAI, made by hand.
 */
#include "tests/world/kai_small.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/runai/rules/kai_order_parts.h"
#include "sim/base/base.h"

enum { CPU = 1000, NODE_CPU = 20000000, DEVICE_MIB = 100, HUNDREDTH = KAI_GPU / 100 };
#define MEM      INT64_C(1000000000)
#define NODE_MEM (20 * MEM * 1000)

struct kai_small kai_small_open(void)
{
	struct kai_small w = { .arena = sl_arena_new() };
	w.kai = w.arena ? kai_new(w.arena) : NULL;
	cr_assert(w.kai != NULL, "no memory");
	w.kai->now = 1000 * SL_SECOND;
	w.kai->config.signatures = false;
	w.kai->config.consolidation_max = -1;
	const uint32_t root = kai_queue(w.kai, "default");
	for (int i = 0; i < KAI_RES; i++)
		w.kai->queue[root].quota.at[i] = KAI_UNLIMITED;
	return w;
}

void kai_small_close(struct kai_small *w)
{
	kai_free(w->kai);
	sl_arena_free(w->arena);
}

uint32_t kai_small_node(struct kai_small *w, const char *name, int64_t gpus)
{
	const uint32_t row = kai_node(w->kai, name);
	struct kai_node *node = &w->kai->node[row];
	node->cpu = NODE_CPU;
	node->mem = NODE_MEM;
	node->gpus = gpus;
	node->gpu_mem = DEVICE_MIB;
	return row;
}

uint32_t kai_small_queue(struct kai_small *w, const char *name, const char *parent, int64_t quota_100,
	int64_t limit_100, double weight)
{
	const uint32_t above = kai_queue(w->kai, parent ? parent : "default"), row = kai_queue(w->kai, name);
	struct kai_queue *queue = &w->kai->queue[row];
	queue->parent = above;
	queue->quota = (struct kai_vec){ { KAI_UNLIMITED, KAI_UNLIMITED,
		quota_100 < 0 ? KAI_UNLIMITED : quota_100 * HUNDREDTH } };
	queue->limit.at[KAI_GPUS] = limit_100 < 0 ? KAI_UNLIMITED : limit_100 * HUNDREDTH;
	queue->weight[KAI_GPUS] = weight;
	return row;
}

void kai_small_seal(struct kai_small *w) { cr_assert(kai_seal(w->kai) == 0, "%s", w->kai->err.text); }

static void needs(struct kai_small *w, uint32_t job, struct kai_request request)
{
	request.cpu = CPU;
	request.mem = MEM;
	const uint32_t row = kai_request(w->kai, &request);
	for (uint32_t i = 0; i < w->kai->job[job].task_count; i++)
		w->kai->task[w->kai->job[job].task + i].request = row;
}

uint32_t kai_small_job(struct kai_small *w, const char *name, const char *queue, int64_t priority,
	uint32_t tasks, int64_t gpus, int64_t age_s)
{
	enum { PREEMPTIBLE_BELOW = 100 };
	const uint32_t row = kai_job(w->kai, name, tasks, 0);
	cr_assert(row != KAI_NO, "%s", w->kai->err.text);
	struct kai_job *job = &w->kai->job[row];
	job->queue = kai_queue(w->kai, queue);
	job->priority = priority;
	job->preemptible = priority < PREEMPTIBLE_BELOW;
	job->created = w->kai->now - age_s * SL_SECOND;
	for (uint32_t i = 0; i < tasks; i++) {
		char uid[64];
		(void)snprintf(uid, sizeof(uid), "%s-%u", name, i);
		w->kai->task[job->task + i].uid = kai_text(w->kai, uid);
	}
	needs(w, row, (struct kai_request){ .kind = gpus ? KAI_WHOLE : KAI_NO_GPU, .gpus = gpus });
	return row;
}

void kai_small_fraction(struct kai_small *w, uint32_t job, int64_t hundredths, int64_t devices)
{
	needs(w, job,
		(struct kai_request){
			.kind = KAI_FRACTION, .gpus = devices, .fraction = hundredths * HUNDREDTH });
}

void kai_small_memory(struct kai_small *w, uint32_t job, int64_t mib, int64_t devices)
{
	needs(w, job, (struct kai_request){ .kind = KAI_MEMORY, .gpus = devices, .gpu_mem = mib });
}

void kai_small_min(struct kai_small *w, uint32_t job, uint32_t min) { w->kai->job[job].group[1].min = min; }

void kai_small_enter(struct kai_small *w, uint32_t job)
{
	cr_assert(kai_seal_job(w->kai, job) == 0, "%s", w->kai->err.text);
}

void kai_small_run(struct kai_small *w, uint32_t job, const char *node, uint32_t shared, int64_t started_s)
{
	kai_small_enter(w, job);
	struct kai_job *row = &w->kai->job[job];
	row->started = w->kai->now - started_s * SL_SECOND;
	const uint32_t at = kai_find_node(w->kai, node);
	for (uint32_t i = 0; i < row->task_count; i++)
		kai_set_task(w->kai, row->task + i, KAI_RUNNING, at, shared == KAI_NO ? NULL : &shared);
}

const char *kai_small_reported(struct kai_small *w, uint32_t job)
{
	static const char letter[KAI_STATES + 1] = "pgalbbrxxsf?d";
	const struct kai_job *row = &w->kai->job[job];
	const size_t capacity = (size_t)row->task_count * 64 + 1;
	char *reported = sl_alloc(w->arena, capacity, 1);
	size_t len = 0;
	for (uint32_t i = 0; reported && i < row->task_count; i++) {
		const struct kai_task *task = &w->kai->task[row->task + i];
		len += (size_t)snprintf(reported + len, capacity - len, "%s%c%s%s", i ? " " : "",
			letter[task->state], task->node >= 0 ? "@" : "",
			task->node >= 0 ? w->kai->node[task->node].name : "");
	}
	return reported ? reported : "";
}

bool kai_queue_first(const struct kai *kai, const struct kai_rival *left, const struct kai_rival *right)
{
	const struct kai_standing l = { &kai->queue[left->queue], left->needs, left->victims };
	const struct kai_standing r = { &kai->queue[right->queue], right->needs, right->victims };
	return kai_compare_queues(kai, &l, &r) < 0;
}

int kai_compare_jobs(const struct kai *kai, uint32_t a, uint32_t b)
{
	const struct kai_job *left = &kai->job[a], *right = &kai->job[b];
	if ((kai->config.plugins & KAI_PLUGIN_PRIORITY) && left->priority != right->priority)
		return left->priority > right->priority ? -1 : 1;
	if (kai->config.plugins & KAI_PLUGIN_ELASTIC) {
		const enum kai_growth l = kai_growth(kai, a), r = kai_growth(kai, b);
		if (l != r)
			return l < r ? -1 : 1;
	}
	return kai_compare_ages(kai, a, b);
}
