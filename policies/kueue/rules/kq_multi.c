/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_multi.c - MultiKueue's dispatch of one workload. Follows Kueue's
 * pkg/controller/admissionchecks/multikueue: AllAtOnce or Incremental dispatch (KEP-693), first to reserve
 * wins, workerLostTimeout.
 */
#include "policies/kueue/rules/kq_multi.h"

/* To the next workers in configured order. */
static void send(const struct kq_multi_config *config, sl_time now, struct kq_remote *remote)
{
	const uint32_t left = config->worker_max - remote->sent;
	uint32_t count = config->dispatch == KQ_ALL_AT_ONCE ? left : config->step;
	if (count > left)
		count = left;
	for (uint32_t i = 0; i < count; i++, remote->sent++) {
		remote->copy[remote->sent] = KQ_COPY_SENT;
		remote->at[remote->sent] = now + config->transfer;
	}
	remote->next_round = remote->sent < config->worker_max ? now + config->round : SL_NEVER;
}

void kq_multi_begin(const struct kq_multi_config *config, const struct kq *manager, struct kq_remote *remote)
{
	for (uint32_t i = 0; i < config->worker_max; i++)
		remote->copy[i] = KQ_COPY_NONE;
	remote->sent = 0;
	remote->winner = KQ_NO;
	remote->lost_at = SL_NONE;
	send(config, manager->now, remote);
}

static sl_time advance_copies(
	const struct kq_multi_config *config, sl_time now, const struct kq_remote *remote)
{
	sl_time retry = SL_NEVER;
	for (uint32_t i = 0; i < config->worker_max; i++) {
		if (remote->copy[i] != KQ_COPY_SENT)
			continue;
		if (remote->at[i] <= now)
			remote->copy[i] = KQ_COPY_THERE;
		else if (remote->at[i] < retry)
			retry = remote->at[i];
	}
	return retry;
}

sl_time kq_multi_advance(const struct kq_multi_config *config, struct kq *manager, struct kq_remote *remote)
{
	const sl_time now = manager->now;
	if (remote->winner != KQ_NO) {
		if (remote->lost_at == SL_NONE)
			return SL_NEVER;
		if (remote->lost_at + config->lost_after > now)
			return remote->lost_at + config->lost_after;
		remote->copy[remote->winner] = KQ_COPY_GONE;
		remote->winner = KQ_NO;
		remote->lost_at = SL_NONE;
		remote->next_round = SL_NEVER;
		kq_check_set(manager, remote->workload, remote->check, KQ_CHECK_RETRY, 0);
		return SL_NEVER;
	}
	if (remote->next_round <= now)
		send(config, now, remote);
	const sl_time retry = advance_copies(config, now, remote);
	return retry < remote->next_round ? retry : remote->next_round;
}

bool kq_multi_reserved(struct kq *manager, struct kq_remote *remote, uint32_t workers, uint32_t worker)
{
	if (remote->winner != KQ_NO || remote->copy[worker] != KQ_COPY_THERE) {
		if (remote->winner != worker)
			remote->copy[worker] = KQ_COPY_GONE;
		return false;
	}
	for (uint32_t i = 0; i < workers; i++)
		if (remote->copy[i] == KQ_COPY_SENT || remote->copy[i] == KQ_COPY_THERE)
			remote->copy[i] = KQ_COPY_GONE;
	remote->copy[worker] = KQ_COPY_WON;
	remote->winner = worker;
	remote->next_round = SL_NEVER;
	kq_check_set(manager, remote->workload, remote->check, KQ_CHECK_READY, 0);
	return true;
}

void kq_multi_lost(const struct kq *manager, struct kq_remote *remote, uint32_t worker, bool lost)
{
	if (worker != remote->winner)
		return;
	if (!lost)
		remote->lost_at = SL_NONE;
	else if (remote->lost_at == SL_NONE)
		remote->lost_at = manager->now;
}
