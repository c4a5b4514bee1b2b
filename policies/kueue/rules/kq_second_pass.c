/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_second_pass.c - who waits for the second pass: workloads that hold their quota already and need topology
 * domains, since a check had to come first (ProvisioningRequest) or since a host failed. Follows Kueue's
 * pkg/cache/queue, second_pass_queue.go.
 *
 * They are assigned as all others are (kq_assign.c): with the flavors of their admission, and domains for
 * what lacks them; who finds none may preempt for it.
 */
#include "policies/kueue/rules/kq_entry.h"

void kq_second_pass(struct kq *kq, uint32_t workload, uint32_t attempt)
{
	struct kq_cycle_state *state = kq_cycle_state(kq);
	if (!state)
		return;
	const sl_time delay = attempt > 4 ? 30 * SL_SECOND : (SL_SECOND << attempt);
	for (uint32_t i = 0; i < state->second_count; i++)
		if (state->second[i].workload == workload)
			return;
	if (!SL_GROW(state->second, state->second_capacity, state->second_count + 1, &kq->err))
		state->second[state->second_count++] =
			(struct kq_second_pass_queue){ workload, attempt, kq->now + delay };
}
