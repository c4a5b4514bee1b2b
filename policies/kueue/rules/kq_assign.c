/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign.c - flavors for all podsets of a workload: podset by podset, each seeing the usage of earlier
 * ones.
 *
 * Rules: Kueue's pkg/scheduler/flavorassigner, FlavorAssigner. Podsets of one podSetGroupName are assigned
 * together. A podset is as the worst of its resources, but fits whatever these say if each of its flavors was
 * chosen as fitting: under PreemptionOverBorrowing a flavor that borrows for one resource counts as worse
 * than one that preempts for another, and Kueue reports what was chosen, not what it is made of.
 */
#include "policies/kueue/rules/kq_assign_parts.h"

#include <string.h>

/* ---- Requests ----------------------------------------------------------------------------------- */

static uint32_t kq_assign_group_of(const struct kq_node *queue, uint32_t resource)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t i = 0; i < queue->group[g].resource_count; i++)
			if (queue->group[g].resource[i] == resource)
				return g;
	return KQ_NO;
}

/* The queue counts pods: so many are requested, whatever was said. The array holds one more. */
static void set_pods(const struct kq *kq, struct kq_amounts *requests, int64_t count)
{
	uint32_t i = 0;
	while (i < requests->count && requests->at[i].resource != KQ_PODS)
		i++;
	if (i == requests->count) {
		for (; i > 0 && strcmp(kq->resource[requests->at[i - 1].resource], kq->resource[KQ_PODS]) > 0;
			i--)
			requests->at[i] = requests->at[i - 1];
		requests->count++;
	}
	requests->at[i] = (struct kq_amount){ KQ_PODS, count };
}

static const struct kq_admitted_podset *kq_assign_part_of(
	const struct kq_workload *workload, const char *name)
{
	for (uint32_t i = 0; workload->admission && i < workload->admission->podset_count; i++)
		if (strcmp(workload->admission->podset[i].name, name) == 0)
			return &workload->admission->podset[i];
	return NULL;
}

/* Of what it holds. Pods that have no domains yet may become fewer (partial admission). */
static struct kq_amounts admitted_requests(struct kq_scan *scan, struct kq_podset_assignment *row, uint32_t p)
{
	const struct kq_amounts own = kq_podset_admitted(scan->kq, scan->scratch, scan->workload_row, p);
	const int64_t held = kq_admitted_count(scan->kq, scan->workload_row, p);
	row->count = scan->options->count && held && !row->placement ? scan->options->count[p] : held;
	for (uint32_t i = 0; row->count != held && i < own.count; i++)
		own.at[i].amount = kq_mul(own.at[i].amount / held, row->count);
	return own;
}

static void prepare_podset(struct kq_scan *scan, struct kq_podset_assignment *row, uint32_t p, bool pods)
{
	struct kq *kq = scan->kq;
	const struct kq_podset *podset = &scan->workload->podset[p];
	const struct kq_admitted_podset *part = kq_assign_part_of(scan->workload, podset->name);
	const int64_t waiting = kq_podset_count(kq, podset);
	struct kq_amounts own;
	row->podset = p;
	row->mode = KQ_FIT;
	if (part) {
		row->placement = part->placement;
		row->delayed = part->delayed;
		own = admitted_requests(scan, row, p);
	} else {
		row->count = scan->options->count && waiting ? scan->options->count[p] : waiting;
		own = kq_podset_pending(kq, scan->scratch, scan->workload_row, p, row->count);
	}
	row->requests = own;
	if (!pods)
		return;
	row->requests.at = kq_scratch_alloc(kq, scan->scratch, (size_t)own.count + 1, sizeof(*own.at));
	if (!row->requests.at) {
		row->requests.count = 0;
		return;
	}
	if (own.count)
		memcpy(row->requests.at, own.at, own.count * sizeof(*own.at));
	set_pods(kq, &row->requests, row->count);
}

static bool same_group(const struct kq_podset *a, const struct kq_podset *b)
{
	return a->group && b->group && strcmp(a->group, b->group) == 0;
}

/* Podsets in the order in which they are assigned: groups as their first podset stands. */
static void kq_assign_prepare(struct kq_scan *scan)
{
	const struct kq_workload *workload = scan->workload;
	const bool pods = kq_assign_group_of(scan->queue, KQ_PODS) != KQ_NO;
	uint32_t count = 0;
	for (uint32_t p = 0; p < workload->podset_count; p++) {
		bool placed = false;
		for (uint32_t q = 0; q < p && workload->podset[p].group; q++)
			placed |= same_group(&workload->podset[q], &workload->podset[p]);
		if (placed)
			continue;
		prepare_podset(scan, &scan->made->podset[count++], p, pods);
		for (uint32_t q = p + 1; q < workload->podset_count && workload->podset[p].group; q++)
			if (same_group(&workload->podset[p], &workload->podset[q]))
				prepare_podset(scan, &scan->made->podset[count++], q, pods);
	}
}

/* Sums by resource, in the order of their names. */
static struct kq_amounts kq_assign_sum_of(
	struct kq_scan *scan, const struct kq_podset_assignment *row, uint32_t count)
{
	struct kq *kq = scan->kq;
	if (count == 1)
		return row->requests;
	size_t most = 0;
	for (uint32_t i = 0; i < count; i++)
		most += row[i].requests.count;
	struct kq_amounts sum = { kq_scratch_alloc(kq, scan->scratch, most, sizeof(*sum.at)), 0 };
	for (uint32_t i = 0; sum.at && i < count; i++)
		for (uint32_t r = 0; r < row[i].requests.count; r++) {
			const struct kq_amount *one = &row[i].requests.at[r];
			uint32_t to = 0;
			while (to < sum.count && sum.at[to].resource != one->resource)
				to++;
			if (to < sum.count) {
				sum.at[to].amount = kq_add(sum.at[to].amount, one->amount);
				continue;
			}
			for (; to > 0 && strcmp(kq->resource[sum.at[to - 1].resource],
						 kq->resource[one->resource]) > 0;
				to--)
				sum.at[to] = sum.at[to - 1];
			sum.at[to] = *one;
			sum.count++;
		}
	return sum;
}

/* ---- A group of podsets ------------------------------------------------------------------------- */

/* What an admission says already is as it is. */
static void keep_admitted(struct kq_scan *scan, struct kq_together *together)
{
	for (uint32_t i = 0; scan->workload->admission && i < together->count; i++) {
		const uint32_t podset = scan->made->podset[together->first + i].podset;
		const struct kq_admitted_podset *part =
			kq_assign_part_of(scan->workload, scan->workload->podset[podset].name);
		for (uint32_t f = 0; part && f < part->flavor_count; f++)
			for (uint32_t r = 0; r < together->requests.count; r++)
				if (together->requests.at[r].resource == part->flavor[f].resource)
					together->pick[r] = (struct kq_pick){ part->flavor[f].resource,
						part->flavor[f].flavor, KQ_FIT, -1, 0 };
	}
}

/* A request for what the queue has no quota of: none of it, or it is not to matter. */
static bool is_left_out(const struct kq_scan *scan, const struct kq_together *together, uint32_t request)
{
	return together->group[request] == KQ_NO &&
	       (together->requests.at[request].amount == 0 || scan->queue->ignore_undeclared);
}

static bool start_together(struct kq_scan *scan, struct kq_together *together)
{
	struct kq *kq = scan->kq;
	together->requests = kq_assign_sum_of(scan, &scan->made->podset[together->first], together->count);
	const uint32_t count = together->requests.count;
	together->group = kq_scratch_alloc(kq, scan->scratch, count, sizeof(*together->group));
	together->pick = kq_scratch_alloc(kq, scan->scratch, (size_t)count * 2, sizeof(*together->pick));
	if (!together->group || !together->pick)
		return false;
	together->trial = together->pick + count;
	for (uint32_t r = 0; r < count; r++) {
		together->pick[r].flavor = KQ_NO;
		together->group[r] = kq_assign_group_of(scan->queue, together->requests.at[r].resource);
	}
	keep_admitted(scan, together);
	return true;
}

static void charge(struct kq_scan *scan, uint32_t podset, const struct kq_pick *pick, int64_t amount)
{
	struct kq *kq = scan->kq;
	struct kq_assignment *made = scan->made;
	const uint32_t fr = kq_fr(kq, pick->flavor, pick->resource);
	if (scan->replaces != KQ_NO && podset < kq->workload[scan->replaces].podset_count) {
		const struct kq_amounts held = kq_podset_admitted(kq, scan->scratch, scan->replaces, podset);
		amount = kq_sub(amount, kq_amount_of(&held, pick->resource));
	}
	if (pick->borrow > made->borrow)
		made->borrow = pick->borrow;
	if (fr == KQ_NO)
		return;
	uint32_t i = 0;
	while (i < made->usage_count && made->usage[i].fr != fr)
		i++;
	if (i == made->usage_count)
		made->usage[made->usage_count++] = (struct kq_usage_cell){ fr, 0 };
	made->usage[i].amount = kq_add(made->usage[i].amount, amount);
}

/* The podset's own resources among those of the group. One that requests nothing at all gets the group's
 * flavors with a topology: it needs domains beside the others. */
static void give_picks(
	struct kq_scan *scan, const struct kq_together *together, struct kq_podset_assignment *row)
{
	const bool beside = row->requests.count == 0 && scan->workload->podset[row->podset].group;
	const uint32_t most = beside ? together->requests.count : row->requests.count;
	row->pick = kq_scratch_alloc(scan->kq, scan->scratch, most, sizeof(*row->pick));
	for (uint32_t r = 0; row->pick && r < together->requests.count; r++) {
		const struct kq_pick *pick = &together->pick[r];
		if (pick->flavor == KQ_NO)
			continue;
		uint32_t own = 0;
		while (own < row->requests.count && row->requests.at[own].resource != pick->resource)
			own++;
		if (beside ? scan->kq->flavor[pick->flavor].topology == KQ_NO : own == row->requests.count)
			continue;
		row->pick[row->pick_count++] = *pick;
		charge(scan, row->podset, pick, beside ? 0 : row->requests.at[own].amount);
	}
}

static enum kq_mode mode_of_podset(const struct kq_podset_assignment *row)
{
	enum kq_mode mode = KQ_FIT;
	if (row->failed)
		return KQ_NO_FIT;
	if (!row->why_count)
		return KQ_FIT;
	for (uint32_t i = 0; i < row->pick_count; i++)
		if (row->pick[i].mode < mode)
			mode = row->pick[i].mode;
	return row->pick_count ? mode : KQ_NO_FIT;
}

static void assign_together(struct kq_scan *scan, struct kq_together *together)
{
	if (!start_together(scan, together))
		return;
	/* Kueue stops at the first group without a flavor, in an order of resources that it leaves open: here
	 * all are looked at, and the worst is reported. */
	for (uint32_t r = 0; r < together->requests.count; r++)
		if (together->pick[r].flavor == KQ_NO && !is_left_out(scan, together, r) &&
			!kq_scan_group(scan, together, r))
			together->failed = true;
	for (uint32_t i = 0; i < together->count; i++) {
		struct kq_podset_assignment *row = &scan->made->podset[together->first + i];
		row->failed = together->failed;
		row->why = together->why;
		row->why_count = together->why_count;
		row->attempt = together->attempt;
		row->attempt_count = together->attempt_count;
		if (!together->failed)
			give_picks(scan, together, row);
		row->mode = mode_of_podset(row);
	}
}

/* Pods get domains of one topology: of two there is no way, though each flavor is as good as it was. */
static void refuse_two_topologies(struct kq_scan *scan, uint32_t p)
{
	struct kq_podset_assignment *row = &scan->made->podset[p];
	const struct kq_podset *podset = &scan->workload->podset[row->podset];
	uint32_t first = KQ_NO;
	bool two = false;
	for (uint32_t i = 0; i < row->pick_count; i++) {
		const uint32_t flavor = row->pick[i].flavor;
		if (scan->kq->flavor[flavor].topology == KQ_NO)
			continue;
		two |= first != KQ_NO && flavor != first;
		first = flavor;
	}
	if (!two || row->count == 0 || !(podset->topology.given || kq_tas_only(scan->kq, scan->queue_row)))
		return;
	struct kq_pick *kept = row->pick;
	const uint32_t count = row->pick_count;
	row->pick_count = 0;
	kq_assign_because(scan->kq, scan->scratch, scan->made, p, KQ_NO_FIT,
		"more than one flavor assigned has a topology");
	row->pick = kept;
	row->pick_count = count;
}

/* ---- The workload ------------------------------------------------------------------------------- */

static size_t cells_of(const struct kq_workload *workload)
{
	size_t cells = 0;
	for (uint32_t p = 0; p < workload->podset_count; p++)
		cells += (size_t)workload->podset[p].request.count + 1;
	for (uint32_t p = 0; workload->admission && p < workload->admission->podset_count; p++)
		cells += workload->admission->podset[p].flavor_count;
	return cells;
}

struct kq_assignment *kq_assign(struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t queue,
	const struct kq_assign_options *options)
{
	const struct kq_workload *row = &kq->workload[workload];
	struct kq_assignment *made = kq_scratch_alloc(kq, scratch, 1, sizeof(*made));
	if (!made)
		return NULL;
	*made = (struct kq_assignment){ .workload = workload,
		.queue = queue,
		.cycle = kq->cycles,
		.generation = kq->node[queue].generation };
	made->podset = kq_scratch_alloc(kq, scratch, row->podset_count, sizeof(*made->podset));
	made->usage = kq_scratch_alloc(kq, scratch, cells_of(row), sizeof(*made->usage));
	if (!made->podset || !made->usage)
		return NULL;
	struct kq_scan scan = { kq, scratch, row, workload, queue, &kq->node[queue], options, made,
		!options->forget && kq_progress_holds(kq, row, &kq->node[queue]), KQ_NO };
	if (kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlices])
		scan.replaces = row->replaces;
	kq_assign_prepare(&scan);
	bool failed = false;
	while (made->podset_count < row->podset_count && !failed && !kq->err.status) {
		struct kq_together together = { .first = made->podset_count, .count = 1 };
		const struct kq_podset *first = &row->podset[made->podset[together.first].podset];
		while (together.first + together.count < row->podset_count &&
			same_group(first, &row->podset[made->podset[together.first + together.count].podset]))
			together.count++;
		assign_together(&scan, &together);
		made->podset_count += together.count;
		failed = together.failed;
	}
	for (uint32_t p = 0; p < made->podset_count; p++)
		for (uint32_t i = 0; i < made->podset[p].pick_count; i++)
			made->pending_flavors |= made->podset[p].pick[i].tried != -1;
	kq_assign_resolve(kq, made);
	for (uint32_t p = 0; kq->config.gate[KQ_GATE_TopologyAwareScheduling] && p < made->podset_count; p++)
		refuse_two_topologies(&scan, p);
	return kq->err.status ? NULL : made;
}
