/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_api.c - writes to the API server, which the controller's client lets through at a rate: a token
 * bucket, as client-go's (flowcontrol's token bucket over rate.Limiter): first come, first through. Each kind
 * of object has a bucket of its own: controller-runtime makes a REST client a kind (pkg/client/
 * client_rest_resources.go), and each that is made of a configuration without RateLimiter, as Kueue's, makes
 * its own limiter (kubernetes-sigs/kueue pull request 15310 says so of Kueue's clients of workers).
 *
 * Who writes, by Kueue's source (pkg/scheduler/scheduler.go, pkg/controller/core; the release of the other
 * rules): an admission is one write, made beside the scheduling loop after the workload is assumed; an
 * eviction by the scheduler is one write, and so is a pending workload's new message, which the loop waits
 * for. The controllers of ClusterQueues and of LocalQueues write the status of a queue after what it holds or
 * who waits there has changed, one write at a time each, however often it changed meanwhile. Ends and
 * releases are written by the jobs' own controller: another client, as in Kueue's performance test.
 */
#include "policies/kueue/kueue.h"

sl_time kueue_write(struct kueue *k, enum kueue_kind kind)
{
	if (!k->api)
		return k->now;
	const sl_time every = SL_SECOND / k->qps;
	const sl_time depth = every * (k->burst - 1);
	k->writes++;
	sl_time *tat = &k->tat[kind];
	*tat = *tat > k->now ? *tat : k->now;
	const sl_time through = *tat - depth > k->now ? *tat - depth : k->now;
	*tat += every;
	return through;
}

int kueue_api_make(struct kueue *k, struct sl_err *err)
{
	if (!k->api)
		return SL_OK;
	k->of_queues.queue = sl_alloc(k->arena, (size_t)k->kq->node_count + 1, sizeof(uint32_t));
	k->of_queues.dirty = sl_alloc(k->arena, (size_t)k->kq->node_count + 1, sizeof(bool));
	k->of_locals.queue = sl_alloc(k->arena, (size_t)k->kq->local_count + 1, sizeof(uint32_t));
	k->of_locals.dirty = sl_alloc(k->arena, (size_t)k->kq->local_count + 1, sizeof(bool));
	if (!k->of_queues.queue || !k->of_queues.dirty || !k->of_locals.queue || !k->of_locals.dirty)
		return sl_fail_memory(err);
	return SL_OK;
}

static void kueue_api_begin(
	struct kueue *k, struct kueue_status *status, enum kueue_kind which, uint32_t size)
{
	if (status->busy || !status->count)
		return;
	const uint32_t row = status->queue[status->first];
	status->first = (status->first + 1) % size;
	status->count--;
	status->dirty[row] = false;
	status->busy = true;
	kueue_due(k, kueue_write(k, which), KUEUE_DUE_STATUS, which);
}

static void changed(
	struct kueue *k, struct kueue_status *status, enum kueue_kind which, uint32_t row, uint32_t size)
{
	if (row >= size || status->dirty[row])
		return;
	status->dirty[row] = true;
	status->queue[(status->first + status->count++) % size] = row;
	kueue_api_begin(k, status, which, size);
}

void kueue_status_changed(struct kueue *k, uint32_t workload)
{
	const uint32_t local = k->kq->workload[workload].local;
	if (!k->api || local == KQ_NO)
		return;
	changed(k, &k->of_queues, KUEUE_QUEUES, k->kq->local[local].queue, k->kq->node_count);
	changed(k, &k->of_locals, KUEUE_LOCALS, local, k->kq->local_count);
}

void kueue_status_written(struct kueue *k, uint32_t which)
{
	struct kueue_status *status = which == KUEUE_QUEUES ? &k->of_queues : &k->of_locals;
	status->busy = false;
	kueue_api_begin(k, status, (enum kueue_kind)which,
		which == KUEUE_QUEUES ? k->kq->node_count : k->kq->local_count);
}
