/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_afs.c - admission fair sharing: what each LocalQueue has used, decayed, orders who is admitted next.
 *
 * Rules: Kueue's pkg/util/admissionfairsharing and its LocalQueue controller at the commit that kq.h names.
 * Of a time t that passed and a half-life H the old weighs w = 0.5^(t/H), what is admitted now 1 - w. w comes
 * from exp2 and is rounded to a multiple of 2^-40 before anything is made of it: its last bits are libm's.
 * From there on there is only + - * /, in the order of the resources' names. Amounts are in natural units:
 * cores, bytes, counts.
 */
#include "policies/kueue/rules/kq_quota.h"
#include "policies/kueue/rules/kq_wait.h"

#include <math.h>
#include <string.h>

static bool afs_is_on(const struct kq *kq)
{
	return kq->config.afs && kq->config.gate[KQ_GATE_AdmissionFairSharing];
}

static double natural(uint32_t resource, double amount)
{
	return resource == KQ_CPU ? amount / 1000.0 : amount;
}

/* What is left of the old after so long, in 0..1. The caller handles a half-life of 0. */
static double weight_left(sl_time passed, sl_time half_life)
{
	const double unit = 0x1p40;
	if (passed <= 0)
		return 1.0;
	const double halves = (double)passed / (double)half_life;
	const int64_t quanta = (int64_t)(exp2(-halves) * unit + 0.5);
	return (double)quanta / unit;
}

/* ---- What a LocalQueue counts for ---- */

/* Decimal: digits, and a fraction of at most fifteen. */
static double decimal(const char *text)
{
	double value = 0, scale = 1;
	while (*text >= '0' && *text <= '9')
		value = value * 10 + (*text++ - '0');
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9' && scale < 1e15; text++) {
			value = value * 10 + (*text - '0');
			scale *= 10;
		}
	return value / scale;
}

/* 1 unless it is said. */
static double kq_afs_weight_of(const struct kq *kq, const char *resource)
{
	for (uint32_t i = 0; i < kq->config.afs_weight_count; i++)
		if (strcmp(kq->config.afs_weight[i].key, resource) == 0)
			return decimal(kq->config.afs_weight[i].value);
	return 1;
}

/* The part of a request that counts from its reservation on. */
static double penalty_part(const struct kq *kq)
{
	const struct kq_config *config = &kq->config;
	return config->afs_half_life > 0 ? 1.0 - weight_left(config->afs_interval, config->afs_half_life) : 0;
}

static double held(const struct kq_local_queue *local, uint32_t resource, double part)
{
	const double used = local->used ? local->used[resource] : 0;
	return local->penalty ? used + part * natural(resource, local->penalty[resource]) : used;
}

/* The next resource by name that something is held of; KQ_NO: none. */
static uint32_t next_held(
	const struct kq *kq, const struct kq_local_queue *local, uint32_t after, double part)
{
	uint32_t next = KQ_NO;
	for (uint32_t r = 0; r < kq->resource_sealed; r++) {
		const double amount = held(local, r, part);
		if (!(amount > 0) && !(amount < 0))
			continue;
		if (after != KQ_NO && strcmp(kq->resource[r], kq->resource[after]) <= 0)
			continue;
		if (next == KQ_NO || strcmp(kq->resource[r], kq->resource[next]) < 0)
			next = r;
	}
	return next;
}

double kq_afs_usage(const struct kq *kq, uint32_t local)
{
	double sum = 0;
	if (local == KQ_NO)
		return 0;
	const struct kq_local_queue *row = &kq->local[local];
	if (!(row->weight > 0))
		return (double)INFINITY;
	const double part = penalty_part(kq);
	for (uint32_t r = next_held(kq, row, KQ_NO, part); r != KQ_NO; r = next_held(kq, row, r, part))
		sum += kq_afs_weight_of(kq, kq->resource[r]) * held(row, r, part);
	return sum / row->weight;
}

/* ---- Decay ---- */

static void add_admitted(const struct kq *kq, uint32_t local, int64_t sum[KQ_RESOURCES_MAX])
{
	const struct kq_node *queue = &kq->node[kq->local[local].queue];
	for (uint32_t i = 0; i < queue->holder_count; i++) {
		const struct kq_workload *row = &kq->workload[queue->holder[i]];
		if (row->local != local || !kq_is(&row->cond[KQ_ADMITTED]))
			continue;
		for (uint32_t c = 0; c < row->used_count; c++) {
			int64_t *to = &sum[kq->fr[row->used[c].fr].resource];
			*to = kq_add(*to, row->used[c].amount);
		}
	}
}

/* Consumption comes to now: the old fades, what is admitted comes in. */
static void decay(struct kq *kq, uint32_t local)
{
	struct kq_local_queue *row = &kq->local[local];
	int64_t sum[KQ_RESOURCES_MAX] = { 0 };
	if (!row->used || row->queue == KQ_NO)
		return;
	const sl_time half_life = kq->config.afs_half_life;
	const double left = half_life > 0 ? weight_left(kq->now - row->used_at, half_life) : 0;
	if (half_life > 0)
		add_admitted(kq, local, sum);
	for (uint32_t r = 0; r < kq->resource_sealed; r++)
		row->used[r] = left * row->used[r] + (1.0 - left) * natural(r, (double)sum[r]);
	row->used_at = kq->now;
}

void kq_afs_sample(struct kq *kq)
{
	for (uint32_t l = 0; afs_is_on(kq) && l < kq->local_count; l++)
		if (kq->local[l].queue != KQ_NO && kq_afs_orders(kq, kq->local[l].queue))
			decay(kq, l);
}

/* ---- Penalties: between the reservation and the admission ---- */

/* Its requests are added (1) or removed (-1). Pending are whole amounts, as requested: they leave nothing
 * behind. */
static void move_penalty(struct kq *kq, uint32_t workload, double sign, bool settle)
{
	const struct kq_workload *row = &kq->workload[workload];
	struct kq_local_queue *local = &kq->local[row->local];
	int64_t sum[KQ_RESOURCES_MAX] = { 0 };
	const double part = penalty_part(kq);
	for (uint32_t p = 0; p < row->podset_count; p++)
		for (uint32_t i = 0; i < row->podset[p].request.count; i++) {
			const struct kq_amount *amount = &row->podset[p].request.at[i];
			int64_t *to = &sum[amount->resource];
			*to = kq_add(*to, kq_mul(amount->amount, row->podset[p].count));
		}
	for (uint32_t r = 0; r < kq->resource_sealed; r++) {
		local->penalty[r] += sign * (double)sum[r];
		if (settle)
			local->used[r] += part * natural(r, (double)sum[r]);
	}
}

static struct kq_wait *penalty_of(struct kq *kq, uint32_t workload)
{
	const uint32_t local = kq->workload[workload].local;
	struct kq_waits *waits = afs_is_on(kq) && local != KQ_NO ? kq_waits(kq) : NULL;
	return waits && kq->local[local].used && kq->local[local].penalty ? &waits->of[workload] : NULL;
}

void kq_afs_reserved(struct kq *kq, uint32_t workload)
{
	struct kq_wait *wait = penalty_of(kq, workload);
	if (!wait || wait->penalised)
		return;
	wait->penalised = true;
	move_penalty(kq, workload, 1.0, false);
}

void kq_afs_admitted(struct kq *kq, uint32_t workload)
{
	struct kq_wait *wait = penalty_of(kq, workload);
	if (!wait || !wait->penalised)
		return;
	wait->penalised = false;
	decay(kq, kq->workload[workload].local);
	move_penalty(kq, workload, -1.0, true);
}

void kq_afs_dropped(struct kq *kq, uint32_t workload)
{
	struct kq_wait *wait = penalty_of(kq, workload);
	if (!wait || !wait->penalised)
		return;
	wait->penalised = false;
	move_penalty(kq, workload, -1.0, false);
}
