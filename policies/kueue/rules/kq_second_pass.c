/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_second_pass.c - the second pass: workloads that hold their quota already and need topology domains,
 * since a check had to come first (ProvisioningRequest) or since a host failed. Follows Kueue's
 * pkg/scheduler, scheduler.go, and pkg/cache/queue, second_pass_queue.go.
 */
#include "policies/kueue/rules/kq_entry.h"

#include <string.h>

/* ---- Who waits for it --------------------------------------------------------------------------- */

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

/* ---- From the admission that it has ------------------------------------------------------------- */

static bool copy_podset(struct kq *kq, struct kq_scratch *scratch, struct kq_podset_assignment *to,
	uint32_t workload, uint32_t podset)
{
	const struct kq_admitted_podset *from = &kq->workload[workload].admission->podset[podset];
	*to = (struct kq_podset_assignment){ .podset = podset,
		.count = from->count,
		.mode = KQ_FIT,
		.delayed = from->delayed,
		.placement = from->placement };
	to->pick = kq_scratch_capacity(kq, scratch, from->flavor_count, sizeof(*to->pick));
	to->requests.at = kq_scratch_capacity(kq, scratch, from->flavor_count, sizeof(*to->requests.at));
	if (!to->pick || !to->requests.at)
		return false;
	for (uint32_t i = 0; i < from->flavor_count; i++) {
		to->pick[to->pick_count++] = (struct kq_pick){ .resource = from->flavor[i].resource,
			.flavor = from->flavor[i].flavor,
			.mode = KQ_FIT,
			.tried = -1 };
		to->requests.at[to->requests.count++] =
			(struct kq_amount){ from->flavor[i].resource, from->flavor[i].amount };
	}
	return true;
}

static struct kq_assignment *copy_admission(struct kq *kq, struct kq_scratch *scratch, uint32_t workload)
{
	const struct kq_admission *admission = kq->workload[workload].admission;
	struct kq_assignment *made = kq_scratch_capacity(kq, scratch, 1, sizeof(*made));
	if (!made)
		return NULL;
	*made = (struct kq_assignment){ .workload = workload, .queue = admission->queue, .mode = KQ_FIT };
	made->podset = kq_scratch_capacity(kq, scratch, admission->podset_count, sizeof(*made->podset));
	if (!made->podset)
		return NULL;
	for (uint32_t i = 0; i < admission->podset_count; i++)
		if (!copy_podset(kq, scratch, &made->podset[made->podset_count++], workload, i))
			return NULL;
	return made;
}

/* Podsets whose topology assignment was deferred get it now. */
static bool place_delayed(
	struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment, const char **why)
{
	struct kq_assignment some = *assignment;
	uint32_t failed = KQ_NO;
	some.podset = kq_scratch_capacity(kq, scratch, assignment->podset_count, sizeof(*some.podset));
	some.podset_count = 0;
	if (!some.podset)
		return false;
	for (uint32_t i = 0; i < assignment->podset_count; i++)
		if (assignment->podset[i].delayed && !assignment->podset[i].placement) {
			some.podset[some.podset_count] = assignment->podset[i];
			some.podset[some.podset_count++].delayed = false;
		}
	if (!some.podset_count)
		return true;
	if (!kq_tas_place(kq, scratch, &some, false, why, &failed))
		return false;
	for (uint32_t i = 0, s = 0; i < assignment->podset_count; i++)
		if (assignment->podset[i].delayed && !assignment->podset[i].placement)
			assignment->podset[i].placement = some.podset[s++].placement;
	return true;
}

static int64_t count_at(const struct kq_placement *placement, const char *host)
{
	for (uint32_t i = 0; i < placement->count; i++)
		if (strcmp(placement->domain[i].value[placement->level_count - 1], host) == 0)
			return placement->domain[i].count;
	return 0;
}

/* What the new placement takes besides the old one counts for later podsets. */
static void count_replaced(struct kq *kq, struct kq_scratch *scratch, const struct kq_assignment *assignment,
	uint32_t podset, const struct kq_placement *old)
{
	const struct kq_placement *made = assignment->podset[podset].placement;
	struct kq_assignment some = *assignment;
	struct kq_podset_assignment one = assignment->podset[podset];
	struct kq_placement more = *made;
	more.count = 0;
	more.domain = kq_scratch_capacity(kq, scratch, made->count, sizeof(*more.domain));
	if (!more.domain)
		return;
	for (uint32_t i = 0; i < made->count; i++) {
		const int64_t count =
			made->domain[i].count - count_at(old, made->domain[i].value[made->level_count - 1]);
		if (count <= 0)
			continue;
		more.domain[more.count] = made->domain[i];
		more.domain[more.count++].count = count;
	}
	one.placement = &more;
	some.podset = &one;
	some.podset_count = 1;
	kq_tas_add_assignment(kq, &some);
}

static bool has_unhealthy(const struct kq_workload *row, const struct kq_placement *placement)
{
	for (uint32_t i = 0; placement && i < row->unhealthy_count; i++)
		if (count_at(placement, row->unhealthy[i]) > 0)
			return true;
	return false;
}

static bool replace_hosts(
	struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment, const char **why)
{
	const struct kq_workload *row = &kq->workload[assignment->workload];
	const kq_marked mark = kq_mark(kq);
	bool found = true;
	for (uint32_t i = 0; found && i < assignment->podset_count; i++) {
		const struct kq_placement *old = assignment->podset[i].placement;
		if (!has_unhealthy(row, old))
			continue;
		assignment->podset[i].placement = kq_tas_replace(kq, scratch, assignment->workload, i, why);
		found = assignment->podset[i].placement != NULL;
		if (found)
			count_replaced(kq, scratch, assignment, i, old);
	}
	kq_undo(kq, mark);
	return found;
}

struct kq_assignment *kq_second_assign(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, const char **why)
{
	struct kq_assignment *made = copy_admission(kq, scratch, workload);
	if (!made)
		return NULL;
	const char *text = NULL;
	const bool found = kq_on_unhealthy(&kq->workload[workload]) ? replace_hosts(kq, scratch, made, &text)
								    : place_delayed(kq, scratch, made, &text);
	if (!found) {
		made->mode = KQ_NO_FIT;
		made->pending_reason = "TopologyPlacementFailed";
		*why = text ? kq_text(kq, text) : NULL;
	}
	return made;
}
