/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_instance.c - the cluster state (struct kq): made, sealed, and which workloads hold quota.
 */
#include "policies/kueue/rules/kq_cycle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kq_fail(struct kq *kq, int status, const char *format, ...)
{
	char text[sizeof(kq->err.text)];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return kq->err.status ? kq->err.status : sl_fail(&kq->err, status, "%s", text);
}

struct kq *kq_new(struct sl_arena *arena)
{
	struct kq *kq = calloc(1, sizeof(*kq));
	if (!kq)
		return NULL;
	kq->arena = arena;
	kq_config_default(&kq->config);
	if (kq_names_make(kq) == 0) {
		(void)kq_resource(kq, "pods");
		(void)kq_resource(kq, "cpu");
		(void)kq_resource(kq, "memory");
	}
	return kq;
}

static void free_arrays(struct kq *kq)
{
	free(kq->fr);
	free(kq->fr_of);
	free(kq->nominal);
	free(kq->borrowing);
	free(kq->lending);
	free(kq->subtree);
	free(kq->usage);
	free(kq->queue);
}

void kq_free(struct kq *kq)
{
	if (!kq)
		return;
	kq_queue_free(kq);
	kq_quota_free(kq);
	kq_tas_free(kq);
	kq_cycle_free(kq);
	for (uint32_t i = 0; i < kq->workload_count; i++) {
		kq_assign_forget(kq, i);
		kq_admission_free(kq->workload[i].admission);
		free(kq->workload[i].used);
	}
	for (uint32_t i = 0; i < kq->node_count; i++)
		free(kq->node[i].holder);
	free_arrays(kq);
	free(kq->resource);
	free(kq->flavor);
	free(kq->topology);
	free(kq->host);
	free(kq->node);
	free(kq->local);
	free(kq->check);
	free(kq->namespace);
	free(kq->workload);
	free(kq->journal);
	free(kq->effect);
	kq_scratch_free(kq->scratch);
	kq_names_free(kq);
	free(kq);
}

void *kq_alloc(struct kq *kq, size_t count, size_t size)
{
	void *space = sl_alloc(kq->arena, count ? count : 1, size);
	if (!space)
		(void)sl_fail_memory(&kq->err);
	return space;
}

/* ---- Amounts ------------------------------------------------------------------------------------ */

int64_t kq_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (a == KQ_UNLIMITED || b == KQ_UNLIMITED)
		return KQ_UNLIMITED;
	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? KQ_UNLIMITED : INT64_MIN;
	return sum;
}

int64_t kq_sub(int64_t a, int64_t b)
{
	int64_t rest;
	if (a == KQ_UNLIMITED)
		return KQ_UNLIMITED;
	if (__builtin_sub_overflow(a, b, &rest))
		return a > 0 ? KQ_UNLIMITED : INT64_MIN;
	return rest;
}

int64_t kq_mul(int64_t a, int64_t b)
{
	int64_t product;
	if (__builtin_mul_overflow(a, b, &product))
		return (a > 0) == (b > 0) ? KQ_UNLIMITED : INT64_MIN;
	return product;
}

static const char *resource_name(const struct kq *kq, uint32_t resource) { return kq->resource[resource]; }

struct kq_amounts kq_amounts(struct kq *kq, const struct kq_amount *at, uint32_t count)
{
	struct kq_amounts made = { kq_alloc(kq, count, sizeof(*at)), 0 };
	for (uint32_t i = 0; made.at && i < count; i++) {
		uint32_t to = 0;
		while (to < made.count && strcmp(resource_name(kq, made.at[to].resource),
						  resource_name(kq, at[i].resource)) < 0)
			to++;
		if (to < made.count && made.at[to].resource == at[i].resource) {
			made.at[to].amount = kq_add(made.at[to].amount, at[i].amount);
			continue;
		}
		memmove(&made.at[to + 1], &made.at[to], (made.count - to) * sizeof(*at));
		made.at[to] = at[i];
		made.count++;
	}
	return made;
}

int64_t kq_amount_of(const struct kq_amounts *amounts, uint32_t resource)
{
	for (uint32_t i = 0; i < amounts->count; i++)
		if (amounts->at[i].resource == resource)
			return amounts->at[i].amount;
	return 0;
}

/* ---- Admissions --------------------------------------------------------------------------------- */

void kq_placement_free(struct kq_placement *placement)
{
	if (placement)
		free(placement->domain);
	free(placement);
}

static struct kq_placement *kq_placement_copy(const struct kq_placement *placement)
{
	struct kq_placement *made = malloc(sizeof(*made));
	if (!made)
		return NULL;
	*made = *placement;
	made->domain = malloc((placement->count + 1) * sizeof(*made->domain));
	if (!made->domain)
		return free(made), NULL;
	if (placement->count)
		memcpy(made->domain, placement->domain, placement->count * sizeof(*made->domain));
	return made;
}

void kq_admission_free(struct kq_admission *admission)
{
	for (uint32_t i = 0; admission && i < admission->podset_count; i++) {
		free(admission->podset[i].flavor);
		kq_placement_free(admission->podset[i].placement);
	}
	if (admission)
		free(admission->podset);
	free(admission);
}

struct kq_admission *kq_admission_copy(const struct kq_admission *admission)
{
	struct kq_admission *made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	*made = *admission;
	made->podset = calloc(admission->podset_count + 1, sizeof(*made->podset));
	bool ok = made->podset != NULL;
	for (uint32_t i = 0; ok && i < admission->podset_count; i++) {
		const struct kq_admitted_podset *from = &admission->podset[i];
		struct kq_admitted_podset *to = &made->podset[i];
		*to = *from;
		to->flavor = malloc((from->flavor_count + 1) * sizeof(*to->flavor));
		to->placement = from->placement ? kq_placement_copy(from->placement) : NULL;
		ok = to->flavor && (to->placement || !from->placement);
		if (ok && from->flavor_count)
			memcpy(to->flavor, from->flavor, from->flavor_count * sizeof(*to->flavor));
	}
	if (!ok) {
		if (!made->podset)
			made->podset_count = 0;
		kq_admission_free(made);
		return NULL;
	}
	return made;
}

void kq_set_admission(struct kq *kq, uint32_t workload, const struct kq_admission *admission)
{
	struct kq_workload *row = &kq->workload[workload];
	struct kq_admission *made = admission ? kq_admission_copy(admission) : NULL;
	if (admission && !made)
		(void)sl_fail_memory(&kq->err);
	kq_admission_free(row->admission);
	row->admission = made;
}

void kq_set_cond(struct kq *kq, uint32_t workload, enum kq_cond_type type, enum kq_cond_status status,
	const char *reason, const char *message, sl_time at)
{
	struct kq_cond *cond = &kq->workload[workload].cond[type];
	if (cond->status != status)
		cond->at = at;
	cond->status = status;
	cond->reason = reason ? kq_text(kq, reason) : NULL;
	cond->message = message;
}

void kq_decision(struct kq *kq, enum kq_effect_kind kind, uint32_t workload, uint32_t cause,
	const char *reason, const char *message)
{
	if (SL_GROW(kq->effect, kq->effect_capacity, kq->effect_count + 1, &kq->err))
		return;
	kq->effect[kq->effect_count++] = (struct kq_effect){ kind, workload, cause, reason, message };
}

/* ---- Marks -------------------------------------------------------------------------------------- */

kq_marked kq_mark(struct kq *kq)
{
	kq->marks++;
	return kq->journal_count;
}

void kq_undo(struct kq *kq, kq_marked mark)
{
	while (kq->journal_count > mark) {
		const struct kq_change *change = &kq->journal[--kq->journal_count];
		*change->cell = change->old;
	}
	kq->marks--;
}

void kq_keep(struct kq *kq, kq_marked mark)
{
	(void)mark;
	if (--kq->marks == 0)
		kq->journal_count = 0;
}

void kq_write(struct kq *kq, int64_t *cell, int64_t value)
{
	if (kq->marks) {
		if (SL_GROW(kq->journal, kq->journal_capacity, kq->journal_count + 1, &kq->err))
			return;
		kq->journal[kq->journal_count++] = (struct kq_change){ cell, *cell };
	}
	*cell = value;
}

/* ---- Who holds quota ---------------------------------------------------------------------------- */

static void measure(struct kq *kq, uint32_t workload)
{
	struct kq_usage_cell *cell = NULL;
	kq_scratch_reset(kq->scratch);
	const uint32_t count = kq_workload_usage(kq, kq->scratch, workload, &cell);
	struct kq_workload *row = &kq->workload[workload];
	row->used_count = 0;
	if (SL_RESIZE(row->used, count + 1, &kq->err))
		return;
	row->used_count = count;
	if (count)
		memcpy(row->used, cell, count * sizeof(*cell));
}

void kq_count_in(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	for (uint32_t i = 0; i < row->used_count; i++)
		kq_usage_add(kq, row->admission->queue, row->used[i].fr, row->used[i].amount);
	kq_tas_add(kq, workload);
}

void kq_count_out(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	for (uint32_t i = 0; i < row->used_count; i++)
		kq_usage_remove(kq, row->admission->queue, row->used[i].fr, row->used[i].amount);
	kq_tas_remove(kq, workload);
}

void kq_hold(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->holds || !row->admission || row->admission->queue == KQ_NO)
		return;
	struct kq_node *queue = &kq->node[row->admission->queue];
	if (SL_GROW(queue->holder, queue->holder_capacity, queue->holder_count + 1, &kq->err))
		return;
	row->holder = queue->holder_count;
	queue->holder[queue->holder_count++] = workload;
	row->holds = true;
	row->order = ++kq->orders;
	measure(kq, workload);
	kq_count_in(kq, workload);
}

/* The last holder takes its place: whoever needs an order sorts. */
void kq_release(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (!row->holds)
		return;
	kq_count_out(kq, workload);
	struct kq_node *queue = &kq->node[row->admission->queue];
	const uint32_t last = queue->holder[--queue->holder_count];
	queue->holder[row->holder] = last;
	kq->workload[last].holder = row->holder;
	row->holds = false;
}

void kq_recount(struct kq *kq, uint32_t workload)
{
	if (!kq->workload[workload].holds)
		return;
	kq_count_out(kq, workload);
	measure(kq, workload);
	kq_count_in(kq, workload);
}
