/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_share.c - fair shares: a total divided among queues, level by level from the roots.
 *
 * Rules: KAI, pkg/scheduler/plugins/proportion (proportion.go) and its resource_division. Each resource is
 * divided by itself. First every queue gets its quota (deserved), as far as it requests, be it more than
 * there is; then what is left is divided by weight (over-quota), queues of higher priority first, in whole
 * units except to those that are served in full; then what rounding down kept back, one unit each.
 */
#include "policies/runai/rules/kai_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int kai_compare_claims(const struct kai_claim *a, const struct kai_claim *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	const int names = strcmp(a->name, b->name);
	if (names != 0)
		return names;
	return (a->row > b->row) - (a->row < b->row);
}

/* ---- The quota ---- */

/* What is left of total; below 0 where quotas promise more than there is: nobody's is cut. */
static double give_quotas(struct kai_claim *claim, uint32_t count, double total)
{
	double left = total;
	for (uint32_t i = 0; i < count; i++) {
		const double quota = claim[i].quota == HUGE_VAL ? total : claim[i].quota;
		const double amount = quota < claim[i].want ? quota : claim[i].want;
		claim[i].fair += amount;
		left -= amount;
	}
	return left;
}

/* ---- The surplus, among queues of one priority ---- */

static bool satisfied(const struct kai_claim *claim)
{
	return claim->request <= claim->fair || claim->limit <= claim->fair;
}

/* How much of a round each is due, by its weight and its past usage; the sum of it. */
static double weigh(struct kai_claim *claim, uint32_t count, double k)
{
	double weights = 0, sum = 0;
	for (uint32_t i = 0; i < count; i++)
		if (claim[i].want > claim[i].fair)
			weights += claim[i].weight;
	for (uint32_t i = 0; i < count; i++) {
		claim[i].share = 0;
		if (weights <= 0 || satisfied(&claim[i]))
			continue;
		const double weight = claim[i].weight / weights;
		const double share = weight + k * (weight - claim[i].usage);
		claim[i].share = share > 0 ? share : 0;
		sum += claim[i].share;
	}
	return sum;
}

/* Of a slice: all that it requests, or whole units. Returns what was allotted. */
static double kai_share_take(struct kai_claim *claim, double asked, double slice)
{
	if (asked <= slice) {
		claim->rest = 0;
		claim->fair += asked;
		return asked;
	}
	const double whole = slice > 0 ? floor(slice) : 0;
	if (slice - whole > 0)
		claim->rest = slice - whole;
	claim->fair += whole;
	return whole;
}

/* Rounds, as long as one that wants less than its slice leaves something for the others. */
static double divide_group(struct kai_claim *claim, uint32_t count, double left, double k)
{
	for (bool retry = true; retry && left != 0;) {
		const double pool = left, sum = weigh(claim, count, k);
		retry = false;
		if (sum <= 0)
			break;
		for (uint32_t i = 0; i < count && left != 0; i++) {
			if (satisfied(&claim[i]) || claim[i].weight <= 0)
				continue;
			const double slice = pool * (claim[i].share / sum);
			const double asked =
				claim[i].want > claim[i].fair ? claim[i].want - claim[i].fair : 0;
			const double taken = kai_share_take(&claim[i], asked, slice);
			left -= taken;
			retry = retry || (taken > 0 && asked < slice);
		}
	}
	return left;
}

/* ---- What rounding kept back ---- */

/* Largest first, then as they stand. */
static bool rests_first(const struct kai_claim *claim, const uint32_t *a, const uint32_t *b)
{
	if (claim[*a].rest != claim[*b].rest)
		return claim[*a].rest > claim[*b].rest;
	return *a < *b;
}
SL_HEAP(rests, uint32_t, const struct kai_claim *, rests_first, SL_HEAP_UNPLACED)

/* One unit each, or what is left of one; more than it requests if it comes to that. */
static double give_rests(struct kai_claim *claim, uint32_t count, double left, uint32_t *heap)
{
	uint32_t held = 0;
	for (uint32_t i = 0; i < count; i++)
		if (claim[i].rest > 0)
			heap[held++] = i;
	rests_make(claim, heap, held);
	while (left > 0 && held) {
		const double unit = left < 1 ? left : 1;
		claim[heap[0]].fair += unit;
		left -= unit;
		rests_remove(claim, heap, --held, 0);
	}
	return left;
}

/* ---- All of it ---- */

static uint32_t group_end(const struct kai_claim *claim, uint32_t count, uint32_t from)
{
	uint32_t to = from;
	while (to < count && claim[to].priority == claim[from].priority)
		to++;
	return to;
}

static double divide_surplus(struct kai_claim *claim, uint32_t count, double left,
	const struct kai_division *how, uint32_t *headroom)
{
	for (uint32_t from = 0, to = 0; from < count; from = to) {
		to = group_end(claim, count, from);
		left = divide_group(claim + from, to - from, left, how->k);
		if (how->remainders_by_group)
			left = give_rests(claim + from, to - from, left, headroom);
	}
	for (uint32_t from = 0, to = 0; from < count && !how->remainders_by_group; from = to) {
		to = group_end(claim, count, from);
		left = give_rests(claim + from, to - from, left, headroom);
	}
	return left;
}

double kai_divide(struct kai_claim *claim, uint32_t count, double total, const struct kai_division *how,
	uint32_t *headroom)
{
	for (uint32_t i = 0; i < count; i++) {
		claim[i].want = claim[i].limit < claim[i].request ? claim[i].limit : claim[i].request;
		claim[i].rest = 0;
		if (!how->surplus_only)
			claim[i].fair = 0;
	}
	const double left = how->surplus_only ? total : give_quotas(claim, count, total);
	return left > 0 ? divide_surplus(claim, count, left, how, headroom) : 0;
}

/* ---- The tree ---- */

/* In which unit a resource is divided: GPUs in devices, the others as they are. */
static double unit_of(int res) { return res == KAI_GPUS ? (double)KAI_GPU : 1; }

static double real(int64_t amount, int res)
{
	return amount == KAI_UNLIMITED ? HUGE_VAL : (double)amount / unit_of(res);
}

static int64_t kai_share_whole(double amount, int res)
{
	const double most = 9e18, units = floor(amount * unit_of(res) + 0.5);
	return units >= most ? KAI_UNLIMITED : (int64_t)units;
}

static void claim_of(const struct kai_queue *queue, int res, struct kai_claim *claim)
{
	*claim = (struct kai_claim){ .name = queue->name,
		.priority = queue->priority,
		.created = queue->created,
		.quota = real(queue->quota.at[res], res),
		.limit = real(queue->limit.at[res], res),
		.weight = queue->weight[res],
		.usage = queue->usage[res],
		.request = real(queue->request.at[res], res) };
}

static void divide_among(struct kai *kai, const uint32_t *child, uint32_t count, const struct kai_vec *total)
{
	struct kai_share_state *state = kai->share;
	/* KAI takes less than 0 for 0. */
	const struct kai_division how = { .k = kai->config.k > 0 ? kai->config.k : 0,
		.remainders_by_group = kai->config.remainders_by_group };
	const uint32_t *order = state->order + (child - kai->sealed);
	for (int res = 0; res < KAI_RES; res++) {
		for (uint32_t i = 0; i < count; i++) {
			claim_of(&kai->queue[order[i]], res, &state->claim[i]);
			state->claim[i].row = order[i];
		}
		(void)kai_divide(state->claim, count, real(total->at[res], res), &how, state->headroom);
		for (uint32_t i = 0; i < count; i++)
			kai->queue[order[i]].fair.at[res] = kai_share_whole(state->claim[i].fair, res);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_queue *queue = &kai->queue[child[i]];
		if (queue->child_count)
			divide_among(kai, queue->child, queue->child_count, &queue->fair);
	}
}

void kai_divide_tree(struct kai *kai)
{
	if (kai->share && kai->root_count)
		divide_among(kai, kai->root, kai->root_count, &kai->total);
}

struct kai_vec kai_total(const struct kai *kai)
{
	struct kai_vec total = { 0 };
	for (uint32_t i = 0; i < kai->node_count; i++) {
		const struct kai_node *node = &kai->node[i];
		if (!node->ready)
			continue;
		total.at[KAI_CPU] = kai_add(total.at[KAI_CPU], node->cpu);
		total.at[KAI_MEM] = kai_add(total.at[KAI_MEM], node->mem);
		if (kai->config.gpu_workers_only && node->cpu_worker)
			continue;
		int64_t gpus = node->gpus;
		for (uint32_t m = 0; node->mig_count && m < kai->mig_count; m++)
			gpus += node->mig_count[m] * kai_slices(kai->mig[m]);
		total.at[KAI_GPUS] = kai_add(total.at[KAI_GPUS], gpus * KAI_GPU);
	}
	return total;
}

void kai_open_shares(struct kai *kai)
{
	if (!kai->total_known)
		kai->total = kai_total(kai);
	kai->total_known = true;
	kai_divide_tree(kai);
}

int64_t kai_allocatable(const struct kai_queue *queue, enum kai_res res)
{
	const int64_t quota = queue->quota.at[res], limit = queue->limit.at[res], fair = queue->fair.at[res];
	if (quota == KAI_UNLIMITED)
		return limit;
	const int64_t most = quota > fair ? quota : fair;
	return most < limit ? most : limit;
}

/* ---- Memory, made when the tree is ---- */

static int kai_share_compare(const void *a, const void *b) { return kai_compare_claims(a, b); }

static void sort_children(struct kai *kai, const uint32_t *child, uint32_t count)
{
	struct kai_share_state *state = kai->share;
	for (uint32_t i = 0; i < count; i++) {
		claim_of(&kai->queue[child[i]], KAI_CPU, &state->claim[i]);
		state->claim[i].row = child[i];
	}
	if (count > 1)
		qsort(state->claim, count, sizeof(*state->claim), kai_share_compare);
	for (uint32_t i = 0; i < count; i++)
		state->order[(uint32_t)(child - kai->sealed) + i] = state->claim[i].row;
}

void kai_share_free(struct kai *kai)
{
	struct kai_share_state *state = kai->share;
	if (!state)
		return;
	free(state->order);
	free(state->headroom);
	free(state->claim);
	free(state->remaining);
	free(state->involved);
	free(state->touched);
	free(state);
	kai->share = NULL;
}

void kai_share_seal(struct kai *kai)
{
	const size_t queues = (size_t)kai->queue_count + 1;
	kai_share_free(kai);
	struct kai_share_state *state = calloc(1, sizeof(*state));
	kai->share = state;
	if (state) {
		state->order = calloc(queues, sizeof(*state->order));
		state->headroom = calloc(queues, sizeof(*state->headroom));
		state->claim = calloc(queues, sizeof(*state->claim));
		state->remaining = calloc(queues, sizeof(*state->remaining));
		state->involved = calloc(queues, sizeof(*state->involved));
		state->touched = calloc(queues, sizeof(*state->touched));
	}
	if (!state || !state->order || !state->headroom || !state->claim || !state->remaining ||
		!state->involved || !state->touched) {
		(void)sl_fail_memory(&kai->err);
		return;
	}
	sort_children(kai, kai->root, kai->root_count);
	for (uint32_t i = 0; i < kai->queue_count; i++)
		if (kai->queue[i].child_count)
			sort_children(kai, kai->queue[i].child, kai->queue[i].child_count);
}
