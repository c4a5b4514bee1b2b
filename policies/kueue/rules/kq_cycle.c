/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_cycle.c - one scheduling cycle: heads are popped, nominated, ordered, processed one after another, and
 * what was decided is carried out. Follows Kueue's pkg/scheduler, scheduler.go (schedule).
 *
 * Where Kueue takes a Snapshot of its cache, usage is changed here under one mark, which is undone before
 * anything is carried out: so a cycle costs what it pops. Kueue's heads come in the order of a map; here
 * queues come by name.
 */
#include "policies/kueue/rules/kq_entry.h"
#include "policies/kueue/rules/kq_fair_order.h"

#include <stdlib.h>
#include <string.h>

/* ---- State -------------------------------------------------------------------------------------- */

struct kq_cycle_state *kq_cycle_state(struct kq *kq)
{
	struct kq_cycle_state *state = kq->state[KQ_PART_CYCLE];
	if (state)
		return state;
	state = calloc(1, sizeof(*state));
	if (state)
		state->scratch = kq_scratch_new();
	if (!state || !state->scratch) {
		(void)sl_fail_memory(&kq->err);
		free(state);
		return NULL;
	}
	kq->state[KQ_PART_CYCLE] = state;
	return state;
}

static void free_figures(struct kq_cycle_figures *figures)
{
	free(figures->skipped);
	for (size_t i = 0; i < SL_LEN(figures->recomputed); i++)
		free(figures->recomputed[i]);
	*figures = (struct kq_cycle_figures){ 0 };
}

void kq_cycle_free(struct kq *kq)
{
	struct kq_cycle_state *state = kq->state[KQ_PART_CYCLE];
	if (!state)
		return;
	free_figures(&state->figures);
	kq_scratch_free(state->scratch);
	free(state->entry);
	free(state->order);
	free(state->taken);
	free(state->second);
	free(state->touched);
	free(state);
	kq->state[KQ_PART_CYCLE] = NULL;
}

const struct kq_cycle_figures *kq_cycle_figures(const struct kq *kq)
{
	const struct kq_cycle_state *state = kq->state[KQ_PART_CYCLE];
	return state ? &state->figures : NULL;
}

static bool make_figures(struct kq *kq, struct kq_cycle_state *state)
{
	struct kq_cycle_figures *figures = &state->figures;
	free_figures(figures);
	bool ok = (figures->skipped = calloc(kq->node_count + 1, sizeof(uint32_t))) != NULL;
	for (size_t i = 0; i < SL_LEN(figures->recomputed); i++)
		ok = (figures->recomputed[i] = calloc(kq->node_count + 1, sizeof(uint32_t))) != NULL && ok;
	state->figures_count = ok ? kq->node_count : 0;
	state->touched_count = 0;
	if (!ok)
		(void)sl_fail_memory(&kq->err);
	return ok;
}

static bool clear(struct kq *kq, struct kq_cycle_state *state)
{
	struct kq_cycle_figures *figures = &state->figures;
	if ((!figures->skipped || state->figures_count != kq->node_count) && !make_figures(kq, state))
		return false;
	while (state->touched_count > 0) {
		const uint32_t node = state->touched[--state->touched_count];
		figures->skipped[node] = 0;
		for (size_t i = 0; i < SL_LEN(figures->recomputed); i++)
			figures->recomputed[i][node] = 0;
	}
	figures->admitted = figures->preempted = 0;
	kq_scratch_reset(state->scratch);
	state->entry_count = 0;
	state->taken_count = 0;
	state->admitted_one = false;
	return true;
}

/* ---- Heads -------------------------------------------------------------------------------------- */

static void push(struct kq *kq, struct kq_cycle_state *state, uint32_t workload, uint32_t queue)
{
	const uint32_t before = state->entry_capacity;
	if (SL_GROW(state->entry, state->entry_capacity, state->entry_count + 1, &kq->err) ||
		(before != state->entry_capacity && SL_RESIZE(state->order, state->entry_capacity, &kq->err)))
		return;
	state->entry[state->entry_count++] = (struct kq_entry){
		.workload = workload, .queue = queue, .replaces = KQ_NO, .migrates = KQ_NO
	};
}

static void pop_second(struct kq *kq, struct kq_cycle_state *state)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < state->second_count; i++) {
		const struct kq_second_pass_queue one = state->second[i];
		if (one.due > kq->now) {
			state->second[kept++] = one;
			continue;
		}
		if (!kq_needs_second_pass(kq, one.workload))
			continue;
		push(kq, state, one.workload, kq->workload[one.workload].admission->queue);
		if (kq->err.status)
			return;
		state->entry[state->entry_count - 1].second = true;
		state->entry[state->entry_count - 1].attempt = one.attempt;
	}
	state->second_count = kept;
}

static void pop_heads(struct kq *kq, struct kq_cycle_state *state)
{
	for (uint32_t i = 0; i < kq->queue_count && kq_goes_on(kq); i++) {
		const uint32_t queue = kq->queue[i];
		if (!kq->node[queue].active)
			continue;
		const uint32_t head = kq_queue_pop(kq, queue);
		if (head != KQ_NO)
			push(kq, state, head, queue);
	}
	pop_second(kq, state);
}

/* ---- Order -------------------------------------------------------------------------------------- */

static struct kq_entry_key kq_cycle_key_of(const struct kq *kq, const struct kq_entry *entry)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	return (struct kq_entry_key){ .reserved = kq_is(&row->cond[KQ_QUOTA_RESERVED]),
		.preemptor = kq_was_preemptor(kq, entry->workload),
		.borrow = entry->assignment ? entry->assignment->borrow : 0,
		.priority = kq_priority(kq, row),
		.time = kq_queue_time(kq, row),
		.name = kq->node[entry->queue].name };
}

int kq_entry_compare(const struct kq *kq, const struct kq_entry_key *a, const struct kq_entry_key *b)
{
	const bool *gate = kq->config.gate;
	if (a->reserved != b->reserved)
		return a->reserved ? -1 : 1;
	if (gate[KQ_GATE_PrioritizePreemptorWorkloads] && a->preemptor != b->preemptor)
		return a->preemptor ? -1 : 1;
	if (a->borrow != b->borrow)
		return a->borrow < b->borrow ? -1 : 1;
	if (gate[KQ_GATE_PrioritySortingWithinCohort] && a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->name && b->name ? strcmp(a->name, b->name) : 0;
}

/* Merged: equal ones stay as they came, by queue. */
static void merge(const struct kq *kq, const struct kq_entry_key *key, const uint32_t *from, uint32_t middle,
	uint32_t count, uint32_t *to)
{
	uint32_t left = 0, right = middle;
	for (uint32_t i = 0; i < count; i++) {
		const bool take_right =
			left >= middle ||
			(right < count && kq_entry_compare(kq, &key[from[right]], &key[from[left]]) < 0);
		to[i] = take_right ? from[right++] : from[left++];
	}
}

static void kq_cycle_sort(
	const struct kq *kq, const struct kq_entry_key *key, uint32_t *order, uint32_t *spare, uint32_t count)
{
	for (uint32_t width = 1; width < count; width *= 2) {
		for (uint32_t at = 0; at < count; at += 2 * width) {
			const uint32_t rest = count - at;
			merge(kq, key, order + at, rest < width ? rest : width,
				rest < 2 * width ? rest : 2 * width, spare + at);
		}
		memcpy(order, spare, count * sizeof(*order));
	}
}

static void classical(struct kq *kq, struct kq_cycle_state *state)
{
	struct kq_entry_key *key = kq_scratch_alloc(kq, state->scratch, state->entry_count, sizeof(*key));
	uint32_t *spare = kq_scratch_alloc(kq, state->scratch, state->entry_count, sizeof(*spare));
	uint32_t count = 0;
	if (!key || !spare)
		return;
	for (uint32_t i = 0; i < state->entry_count; i++) {
		key[i] = kq_cycle_key_of(kq, &state->entry[i]);
		if (state->entry[i].nominated)
			state->order[count++] = i;
	}
	kq_cycle_sort(kq, key, state->order, spare, count);
	state->order_count = 0;
	for (uint32_t i = 0; i < count && kq_goes_on(kq); i++) {
		state->order_count++;
		kq_process(kq, state, &state->entry[state->order[i]]);
	}
}

static void by_tournament(struct kq *kq, struct kq_cycle_state *state)
{
	struct kq_fair_entry *fair = kq_scratch_alloc(kq, state->scratch, state->entry_count, sizeof(*fair));
	uint32_t *entry = kq_scratch_alloc(kq, state->scratch, state->entry_count, sizeof(*entry));
	uint32_t count = 0;
	if (!fair || !entry)
		return;
	for (uint32_t i = 0; i < state->entry_count; i++) {
		const struct kq_entry *one = &state->entry[i];
		if (!one->nominated)
			continue;
		entry[count] = i;
		fair[count] = (struct kq_fair_entry){ .key = kq_cycle_key_of(kq, one), .queue = one->queue };
		if (!one->second && one->assignment) {
			fair[count].usage = one->assignment->usage;
			fair[count].usage_count = one->assignment->usage_count;
		}
		count++;
	}
	struct kq_fair_order *order = kq_fair_order(kq, state->scratch, fair, count);
	state->order_count = 0;
	for (uint32_t i = 0; order && i < count && kq_goes_on(kq); i++) {
		const uint32_t next = kq_fair_next(kq, order);
		if (next == KQ_NO)
			break;
		state->order[state->order_count++] = entry[next];
		kq_process(kq, state, &state->entry[entry[next]]);
	}
}

/* ---- The cycle ---------------------------------------------------------------------------------- */

static void carry_out(struct kq *kq, struct kq_cycle_state *state)
{
	for (uint32_t i = 0; i < state->taken_count; i++)
		kq->workload[state->taken[i]].taken = false;
	for (uint32_t i = 0; i < state->order_count && !kq->err.status; i++)
		kq_carry_out(kq, state, &state->entry[state->order[i]]);
	for (uint32_t i = 0; i < state->entry_count && !kq->err.status; i++)
		if (!state->entry[i].nominated)
			kq_carry_out(kq, state, &state->entry[i]);
}

bool kq_cycle(struct kq *kq)
{
	struct kq_cycle_state *state = kq_cycle_state(kq);
	if (!state || kq->err.status || !clear(kq, state))
		return false;
	if (state->held_back && kq_unready(kq) > 0)
		pop_second(kq, state);
	else
		pop_heads(kq, state);
	if (kq->err.status || state->entry_count == 0)
		return false;
	if (kq_unready(kq) == 0)
		state->held_back = false;
	kq->cycles++;
	state->order_count = 0;
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < state->entry_count && !kq->err.status; i++)
		kq_nominate(kq, state, &state->entry[i]);
	if (!kq->err.status) {
		if (kq->config.fair_sharing)
			by_tournament(kq, state);
		else
			classical(kq, state);
	}
	kq_undo(kq, mark);
	carry_out(kq, state);
	return !kq->err.status;
}

/* ---- Who is not ready --------------------------------------------------------------------------- */

static bool is_unready(const struct kq_workload *row)
{
	return row->holds && kq_is(&row->cond[KQ_ADMITTED]) && !kq_is(&row->cond[KQ_PODS_READY]) &&
	       !kq_is(&row->cond[KQ_FINISHED]);
}

static void track(struct kq_cycle_state *state, struct kq_workload *row)
{
	const bool now = is_unready(row);
	if (now == row->unready)
		return;
	row->unready = now;
	state->unready += now ? 1 : UINT32_MAX;
}

/* Workloads that were there at the start are looked at once. */
uint32_t kq_unready(struct kq *kq)
{
	struct kq_cycle_state *state = kq_cycle_state(kq);
	if (!state || !kq->config.wait_ready || !kq->config.block_admission)
		return 0;
	for (uint32_t i = 0; !state->tracking && i < kq->workload_count; i++)
		track(state, &kq->workload[i]);
	state->tracking = true;
	return state->unready;
}

void kq_track_ready(struct kq *kq, uint32_t workload)
{
	struct kq_cycle_state *state = kq->state[KQ_PART_CYCLE];
	if (state && state->tracking)
		track(state, &kq->workload[workload]);
}
