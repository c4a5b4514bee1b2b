/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_nominate.c - heads are nominated: rejected, or assigned flavors, topology domains and victims, each by
 * itself and all at the same usage. Follows Kueue's pkg/scheduler, scheduler.go (nominate, getAssignments).
 */
#include "policies/kueue/rules/kq_entry.h"

/* Why it cannot be considered; NULL: it can. */
static const char *rejection(struct kq *kq, struct kq_entry *entry)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	const struct kq_node *queue = entry->queue == KQ_NO ? NULL : &kq->node[entry->queue];
	if (kq_has_check(row, KQ_CHECK_RETRY) || kq_has_check(row, KQ_CHECK_REJECTED)) {
		entry->message = "The workload has failed admission checks";
		return "PendingEvaluation";
	}
	if (!queue || !queue->exists) {
		entry->message = kq_message(kq, "ClusterQueue %s not found", queue ? queue->name : "");
		return "Misconfigured";
	}
	if (!queue->active) {
		entry->message = kq_message(kq, "ClusterQueue %s is inactive", queue->name);
		return "Suspended";
	}
	if (!kq_namespace_matches(kq, entry->queue, row->namespace)) {
		entry->message = "Workload namespace doesn't match ClusterQueue selector";
		entry->why = KQ_REQUEUE_NAMESPACE;
		return "Misconfigured";
	}
	for (uint32_t i = 0; i < row->podset_count; i++)
		if (row->podset[i].exceeds_limits) {
			entry->message = kq_message(kq,
				"resources validation failed: podset %s asks for what its limits do not allow",
				row->podset[i].name);
			return "Misconfigured";
		}
	return NULL;
}

/* ---- Flavors and victims ------------------------------------------------------------------------ */

struct search {
	struct kq_cycle_state *state;
	uint32_t workload, queue;
	const struct kq_assignment *pinned;
	struct kq_assignment *assignment;
	struct kq_victims victims;
	struct kq *kq;
};

static bool asks_topology(const struct kq *kq, uint32_t workload, uint32_t queue)
{
	return kq->config.gate[KQ_GATE_TopologyAwareScheduling] &&
	       (kq_tas_requested(kq, workload) || kq_tas_only(kq, queue));
}

/* Of the victim search: its pods have places as well, with the victims gone. */
static bool has_places(void *self, struct kq *kq)
{
	struct search *search = self;
	const char *why = NULL;
	uint32_t failed = KQ_NO;
	return kq_tas_place(kq, search->state->scratch, search->assignment, false, &why, &failed);
}

static void find_victims(struct kq *kq, struct search *search)
{
	const struct kq_preempt_options options = { .fits = has_places, .self = search };
	search->victims = kq_victims_of(kq, search->state->scratch, search->assignment,
		asks_topology(kq, search->workload, search->queue) ? &options : NULL);
}

/* With these counts of pods; NULL: its own. True: it fits, or would with its victims gone. */
static bool try_counts(void *self, const int64_t *count)
{
	struct search *search = self;
	struct kq *kq = search->kq;
	const struct kq_assign_options options = { .oracle = kq_preempt_oracle,
		.oracle_self = search->state->scratch,
		.count = count,
		.pinned = search->pinned,
		.forget = search->pinned != NULL };
	search->victims = (struct kq_victims){ 0 };
	search->assignment = kq_assign(kq, search->state->scratch, search->workload, search->queue, &options);
	if (!search->assignment)
		return false;
	if (kq->config.gate[KQ_GATE_TopologyAwareScheduling])
		kq_tas_assign(kq, search->state->scratch, search->assignment);
	if (search->assignment->mode == KQ_PREEMPT)
		find_victims(kq, search);
	return search->assignment->mode == KQ_FIT || search->victims.count > 0;
}

static bool can_be_partial(const struct kq *kq, const struct kq_workload *row)
{
	if (!kq->config.gate[KQ_GATE_PartialAdmission])
		return false;
	for (uint32_t i = 0; i < row->podset_count; i++)
		if (row->podset[i].min_count > 0 && row->podset[i].min_count < row->podset[i].count)
			return true;
	return false;
}

/* The full counts, or the largest ones below that fit (5.6). If none do, the full ones without victims. */
static void find_counts(struct kq *kq, struct search *search)
{
	const struct kq_workload *row = &kq->workload[search->workload];
	if (try_counts(search, NULL) || !search->assignment || !can_be_partial(kq, row))
		return;
	struct kq_assignment *full = search->assignment;
	int64_t *count = kq_scratch_alloc(kq, search->state->scratch, row->podset_count, sizeof(*count));
	if (!count)
		return;
	if (kq_partial_search(row->podset, row->podset_count, count, try_counts, search) &&
		try_counts(search, count))
		return;
	search->assignment = full;
	search->victims = (struct kq_victims){ 0 };
}

/* Domains for those that wait for capacity: with their victims gone, or, without victims, as if nothing ran,
 * so that these can be reserved for them. */
static void place_waiting(struct kq *kq, struct search *search)
{
	struct kq_assignment *assignment = search->assignment;
	if (assignment->mode != KQ_PREEMPT || !asks_topology(kq, search->workload, search->queue) ||
		kq_on_unhealthy(&kq->workload[search->workload]))
		return;
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < search->victims.count; i++)
		kq_count_out(kq, search->victims.at[i].workload);
	const char *why = NULL;
	uint32_t failed = KQ_NO;
	(void)kq_tas_place(kq, search->state->scratch, assignment, search->victims.count == 0, &why, &failed);
	kq_undo(kq, mark);
}

/* The slice that an elastic one replaces goes as soon as it is admitted. */
static void add_replaced(struct kq *kq, struct search *search, struct kq_entry *entry)
{
	const uint32_t old = kq->workload[entry->workload].replaces;
	entry->replaces = KQ_NO;
	if (!kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlices] || old == KQ_NO ||
		!kq->workload[old].holds)
		return;
	struct kq_victim *at =
		kq_scratch_alloc(kq, search->state->scratch, search->victims.count + 1, sizeof(*at));
	if (!at)
		return;
	at[0] = (struct kq_victim){ old, "WorkloadSliceReplaced" };
	for (uint32_t i = 0; i < search->victims.count; i++)
		at[i + 1] = search->victims.at[i];
	search->victims = (struct kq_victims){ at, search->victims.count + 1 };
	entry->replaces = old;
}

void kq_entry_assign(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry,
	const struct kq_assignment *pinned)
{
	struct search search = {
		.state = state, .workload = entry->workload, .queue = entry->queue, .pinned = pinned, .kq = kq
	};
	find_counts(kq, &search);
	if (!search.assignment)
		return; /* kq->err is set. */
	place_waiting(kq, &search);
	if (search.assignment->mode == KQ_FIT || search.victims.count > 0)
		add_replaced(kq, &search, entry);
	entry->assignment = search.assignment;
	entry->victims = search.victims;
	entry->message = NULL; /* It is made where it is reported. */
}

void kq_nominate(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	entry->reason = rejection(kq, entry);
	if (entry->reason)
		return;
	entry->nominated = true;
	kq_entry_assign(kq, state, entry, NULL);
}
