/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_minimal_job.c - scheduling signatures: after a job failed in an action, another with the same
 * constraints is looked at only if it is easier: it has fewer pending tasks, or, both sorted by what they
 * request, a smaller one. (KAI: actions/common/minimal_job_comparison.go.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

uint64_t kai_signature(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	uint64_t hash = sl_hash(sl_hash(1, (uint64_t)row->priority), row->preemptible);
	for (uint32_t i = 0; i < row->group_count; i++) {
		const struct kai_group *group = &row->group[i];
		if (group->topology != KAI_NO)
			hash = sl_hash(
				sl_hash(sl_hash(hash, group->topology), group->required), group->preferred);
	}
	uint32_t before = KAI_NO;
	for (uint32_t i = 0; i < row->task_count; i++) {
		const uint32_t request = kai->task[row->task + i].request;
		if (request == before)
			continue;
		before = request;
		const struct kai_request *needs = &kai->request[request];
		hash = sl_hash(hash, (uint64_t)needs->kind);
		for (size_t w = 0; needs->allowed && w < kai->node_words; w++)
			hash = sl_hash(hash, needs->allowed[w]);
	}
	return hash;
}

void kai_failed_clear(struct kai_failed *failed)
{
	sl_map_clear(&failed->map);
	failed->count = 0;
}

/* NULL: no job of it failed. */
static struct kai_failure *failure_of(const struct kai_failed *failed, uint32_t queue, uint64_t signature)
{
	const uint64_t hash = sl_hash(signature, queue);
	uint32_t i;
	SL_MAP_EACH(&failed->map, hash, i)
	if (failed->at[i].queue == queue && failed->at[i].signature == signature)
		return &failed->at[i];
	return NULL;
}

struct needs {
	struct kai_vec vec;
};

static int by_size(const void *a, const void *b)
{
	const struct kai_vec *x = &((const struct needs *)a)->vec, *y = &((const struct needs *)b)->vec;
	static const enum kai_res order[] = { KAI_GPUS, KAI_CPU, KAI_MEM };
	for (int i = 0; i < KAI_RES; i++)
		if (x->at[order[i]] != y->at[order[i]])
			return x->at[order[i]] < y->at[order[i]] ? -1 : 1;
	return 0;
}

static struct needs *asks_of(const struct kai *kai, uint32_t job, uint32_t *count)
{
	const struct kai_job *row = &kai->job[job];
	struct needs *needs = malloc(((size_t)row->task_count + 1) * sizeof(*needs));
	*count = 0;
	for (uint32_t i = 0; needs && i < row->task_count; i++)
		if (kai->task[row->task + i].state == KAI_PENDING)
			needs[(*count)++].vec = kai_charge_request(kai, kai->task[row->task + i].request);
	if (needs)
		qsort(needs, *count, sizeof(*needs), by_size);
	return needs;
}

static bool easier(const struct kai *kai, uint32_t job, uint32_t than)
{
	const int64_t mine = kai->job[job].group[0].count[KAI_PENDING];
	const int64_t others = kai->job[than].group[0].count[KAI_PENDING];
	uint32_t count, other_count;
	if (mine == 0 || others == 0)
		return false;
	if (mine < others)
		return true;
	struct needs *needs = asks_of(kai, job, &count), *other = asks_of(kai, than, &other_count);
	bool is = false;
	for (uint32_t i = 0; needs && other && i < other_count && !is; i++)
		is = by_size(&needs[i], &other[i]) < 0;
	free(needs);
	free(other);
	return is;
}

bool kai_is_easier(const struct kai *kai, const struct kai_failed *failed, uint32_t queue, uint32_t job)
{
	const struct kai_failure *failure = failure_of(failed, queue, kai->job[job].signature);
	return !failure || easier(kai, job, failure->job);
}

void kai_failed_add(struct kai *kai, struct kai_failed *failed, uint32_t queue, uint32_t job)
{
	const uint64_t signature = kai->job[job].signature;
	struct kai_failure *failure = failure_of(failed, queue, signature);
	if (failure) {
		failure->job = easier(kai, job, failure->job) ? job : failure->job;
		return;
	}
	if (!SL_GROW(failed->at, failed->capacity, failed->count + 1, &kai->err) &&
		!sl_map_add(&failed->map, sl_hash(signature, queue), failed->count, &kai->err))
		failed->at[failed->count++] = (struct kai_failure){ signature, queue, job };
}

uint32_t kai_failed_most(const struct kai_failed *failed, uint32_t queue, uint64_t signature)
{
	const struct kai_failure *failure = failure_of(failed, queue, signature);
	return failure ? failure->job : KAI_NO;
}

bool kai_requests_less(const struct kai *kai, uint32_t request, uint32_t than)
{
	const struct needs mine = { kai_charge_request(kai, request) };
	const struct needs others = { kai_charge_request(kai, than) };
	return by_size(&mine, &others) < 0;
}
