/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_scan.c - which flavor of a resource group podsets get: tried in order, the best kept, until one
 * is good enough for the queue's fungibility.
 *
 * Kueue: FlavorAssigner.findFlavorForPodSets; flavor fungibility (KEP-582), its preference over borrowing and
 * preemption.
 */
#include "policies/kueue/rules/kq_assign_parts.h"

#include <string.h>

/* How a flavor would do for all resources of a group together: the worst of them. */
struct grade {
	enum kq_grain grain;
	uint32_t level; /* Of borrowing. */
};

bool kq_grain_better(
	const struct kq_node *queue, enum kq_grain a, uint32_t a_borrow, enum kq_grain b, uint32_t b_borrow)
{
	if (a == KQ_GRAIN_NO_FIT || b == KQ_GRAIN_NO_FIT)
		return a != KQ_GRAIN_NO_FIT;
	if ((a == KQ_GRAIN_NO_CANDIDATES) != (b == KQ_GRAIN_NO_CANDIDATES))
		return b == KQ_GRAIN_NO_CANDIDATES;
	if (queue->preference == KQ_PREEMPTION_OVER_BORROWING)
		return a_borrow != b_borrow ? a_borrow < b_borrow : a > b;
	return a != b ? a > b : a_borrow < b_borrow;
}

static bool is_better(const struct kq_scan *scan, struct grade a, struct grade b)
{
	return kq_grain_better(scan->queue, a.grain, a.level, b.grain, b.level);
}

static bool tries_next(const struct kq_node *queue, struct grade grade)
{
	switch (grade.grain) {
	case KQ_GRAIN_NO_FIT:
	case KQ_GRAIN_NO_CANDIDATES:
		return true;
	case KQ_GRAIN_PREEMPT:
	case KQ_GRAIN_RECLAIM:
		if (queue->preempt_next)
			return true;
		break;
	case KQ_GRAIN_FIT:
		break;
	}
	return grade.level != 0 && queue->borrow_next;
}

static enum kq_mode mode_of(enum kq_grain grain)
{
	return grain == KQ_GRAIN_NO_FIT ? KQ_NO_FIT : grain == KQ_GRAIN_FIT ? KQ_FIT : KQ_PREEMPT;
}

/* ---- One flavor --------------------------------------------------------------------------------- */

/* What the flavor's resource would do, with so much more of it; *borrow: its level. */
struct asked {
	uint32_t resource, flavor, fr;
	int64_t assumed, amount; /* Of earlier podsets, and of these. */
};

static bool preempts_while_borrowing(const struct kq_scan *scan)
{
	const struct kq_node *queue = scan->queue;
	return queue->borrow_within != KQ_NEVER ||
	       (scan->kq->config.fair_sharing && (queue->reclaim != KQ_NEVER || queue->reclaim_unset));
}

static enum kq_grain needs_oracle(struct kq_scan *scan, uint32_t fr, int64_t amount, uint32_t *borrow)
{
	const struct kq_assign_options *options = scan->options;
	if (!options->oracle)
		return KQ_GRAIN_NO_CANDIDATES;
	return options->oracle(
		options->oracle_self, scan->kq, scan->workload_row, scan->queue_row, fr, amount, borrow);
}

static enum kq_grain quota_fits(struct kq_scan *scan, struct kq_together *together, const struct asked *asked,
	uint32_t *borrow, const char **reason)
{
	struct kq *kq = scan->kq;
	const int64_t all = kq_add(asked->assumed, asked->amount);
	const int64_t most = asked->fr == KQ_NO ? 0 : kq_potential(kq, scan->queue_row, asked->fr);
	*borrow = 0;
	if (all > most) {
		kq_scan_because(scan, together,
			(struct kq_why){ KQ_WHY_MAXIMUM, asked->resource, asked->flavor, asked->assumed,
				asked->amount, most, NULL });
		*reason = kq_worse_reason(*reason, kq_exceeds_max_quota);
		return KQ_GRAIN_NO_FIT;
	}
	if (asked->fr == KQ_NO) /* No cell: nothing is requested. */
		return KQ_GRAIN_FIT;
	bool reclaim = false;
	const int64_t raw = kq_available(kq, scan->queue_row, asked->fr), available = raw > 0 ? raw : 0;
	*borrow = kq_borrow_height(kq, scan->queue_row, asked->fr, all, &reclaim);
	if (all <= available)
		return KQ_GRAIN_FIT;
	kq_scan_because(scan, together,
		(struct kq_why){
			KQ_WHY_UNUSED, asked->resource, asked->flavor, kq_sub(all, available), 0, 0, NULL });
	if (kq->nominal[(size_t)scan->queue_row * kq->fr_count + asked->fr] >= all || reclaim ||
		preempts_while_borrowing(scan))
		return needs_oracle(scan, asked->fr, all, borrow);
	*reason = kq_worse_reason(*reason, kq_waiting_for_quota);
	return KQ_GRAIN_NO_FIT;
}

static int64_t assumed_of(const struct kq_assignment *made, uint32_t fr)
{
	for (uint32_t i = 0; i < made->usage_count; i++)
		if (made->usage[i].fr == fr)
			return made->usage[i].amount;
	return 0;
}

static uint32_t flavor_before(const struct kq_workload *before, uint32_t podset, uint32_t resource)
{
	if (!before->admission || podset >= before->admission->podset_count)
		return KQ_NO;
	const struct kq_admitted_podset *part = &before->admission->podset[podset];
	for (uint32_t i = 0; i < part->flavor_count; i++)
		if (part->flavor[i].resource == resource)
			return part->flavor[i].flavor;
	return KQ_NO;
}

/* Of a slice that replaces another: only the difference is asked, of the same flavors. False: it has another.
 */
static bool of_difference(struct kq_scan *scan, struct kq_together *together, struct asked *asked)
{
	const struct kq_workload *before = &scan->kq->workload[scan->replaces];
	for (uint32_t i = 0; i < together->count; i++) {
		const uint32_t podset = scan->made->podset[together->first + i].podset;
		const uint32_t flavor = flavor_before(before, podset, asked->resource);
		if (flavor != asked->flavor) {
			kq_scan_because(scan, together,
				(struct kq_why){ .kind = KQ_WHY_REPLACED,
					.resource = asked->resource,
					.flavor = asked->flavor,
					.a = flavor == KQ_NO ? -1 : (int64_t)flavor });
			return false;
		}
		const struct kq_amounts held =
			podset < before->podset_count
				? kq_podset_admitted(scan->kq, scan->scratch, scan->replaces, podset)
				: (struct kq_amounts){ NULL, 0 };
		asked->amount = kq_sub(asked->amount, kq_amount_of(&held, asked->resource));
	}
	return true;
}

static struct grade try_flavor(struct kq_scan *scan, struct kq_together *together, uint32_t group,
	uint32_t flavor, struct kq_attempt *attempt)
{
	struct grade worst = { KQ_GRAIN_FIT, 0 };
	*attempt = (struct kq_attempt){ .flavor = flavor, .group = group };
	for (uint32_t i = 0; i < together->requests.count; i++) {
		if (together->group[i] != group)
			continue;
		const struct kq_amount *request = &together->requests.at[i];
		struct asked asked = { request->resource, flavor, kq_fr(scan->kq, flavor, request->resource),
			0, request->amount };
		asked.assumed = asked.fr == KQ_NO ? 0 : assumed_of(scan->made, asked.fr);
		if (scan->replaces != KQ_NO && !of_difference(scan, together, &asked)) {
			worst = (struct grade){ KQ_GRAIN_NO_FIT, UINT32_MAX };
			attempt->reason = kq_worse_reason(attempt->reason, kq_no_matching_flavor);
		}
		struct grade one;
		one.grain = quota_fits(scan, together, &asked, &one.level, &attempt->reason);
		if (one.level > attempt->borrow)
			attempt->borrow = one.level;
		if (is_better(scan, worst, one))
			worst = one;
		together->trial[i] =
			(struct kq_pick){ request->resource, flavor, mode_of(one.grain), -1, one.level };
	}
	attempt->mode = mode_of(worst.grain);
	return worst;
}

/* ---- The group ---------------------------------------------------------------------------------- */

/* Memory for one more in an array of the scratch. */
static void *grown(struct kq_scan *scan, void *at, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return at;
	const uint32_t more = *capacity ? *capacity * 2 : 4;
	char *made = kq_scratch_alloc(scan->kq, scan->scratch, more, size);
	if (!made)
		return NULL;
	if (count)
		memcpy(made, at, count * size);
	*capacity = more;
	return made;
}

void kq_scan_because(struct kq_scan *scan, struct kq_together *together, struct kq_why why)
{
	struct kq_why *at = grown(
		scan, together->why, together->why_count, &together->why_capacity, sizeof(*together->why));
	if (!at)
		return;
	together->why = at;
	at[together->why_count++] = why;
}

static void note_attempt(struct kq_scan *scan, struct kq_together *together, const struct kq_attempt *attempt)
{
	struct kq_attempt *at = grown(scan, together->attempt, together->attempt_count,
		&together->attempt_capacity, sizeof(*together->attempt));
	if (!at)
		return;
	together->attempt = at;
	at[together->attempt_count++] = *attempt;
}

/* Is it among the names of a list with commas? */
static bool is_listed(const char *list, const char *name)
{
	const size_t len = strlen(name);
	while (*list) {
		const char *begin = list + strspn(list, " \t");
		const char *end = begin + strcspn(begin, ",");
		const char *last = end;
		while (last > begin && (last[-1] == ' ' || last[-1] == '\t'))
			last--;
		if ((size_t)(last - begin) == len && memcmp(begin, name, len) == 0)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

/* A variant of concurrent admission is allowed some flavors only. */
static bool is_allowed(const struct kq_scan *scan, uint32_t flavor)
{
	if (!scan->kq->config.gate[KQ_GATE_ConcurrentAdmission])
		return true;
	const char *list =
		sl_label_of(&scan->workload->annotations, "kueue.x-k8s.io/workload-allowed-resource-flavors");
	return !list || is_listed(list, scan->kq->flavor[flavor].name);
}

static bool has_pick(const struct kq_podset_assignment *podset, uint32_t resource, uint32_t flavor)
{
	for (uint32_t i = 0; i < podset->pick_count; i++)
		if (podset->pick[i].resource == resource)
			return podset->pick[i].flavor == flavor;
	return false;
}

/* Of what was chosen earlier in the cycle, if that binds. */
static bool is_pinned_away(
	const struct kq_scan *scan, const struct kq_together *together, uint32_t resource, uint32_t flavor)
{
	const struct kq_assignment *pinned = scan->options->pinned;
	if (!pinned)
		return false;
	for (uint32_t i = 0; i < together->count; i++)
		for (uint32_t p = 0; p < pinned->podset_count; p++)
			if (pinned->podset[p].podset == scan->made->podset[together->first + i].podset &&
				has_pick(&pinned->podset[p], resource, flavor))
				return false;
	return true;
}

static bool is_passed_over(
	struct kq_scan *scan, struct kq_together *together, uint32_t resource, uint32_t flavor)
{
	const bool pinned = is_pinned_away(scan, together, resource, flavor);
	if (!pinned && is_allowed(scan, flavor))
		return false;
	kq_scan_because(scan, together,
		(struct kq_why){ .kind = pinned ? KQ_WHY_PINNED : KQ_WHY_VARIANT,
			.resource = resource,
			.flavor = flavor });
	return true;
}

static void take_trial(struct kq_together *together, uint32_t group)
{
	for (uint32_t i = 0; i < together->requests.count; i++)
		if (together->group[i] == group)
			together->pick[i] = together->trial[i];
}

/* Without the feature gate FlavorFungibility: the first that fits, else the first of the best kind. Kueue's
 * record of what was tried is zero then. */
static bool takes_and_stops(const struct kq_scan *scan, struct grade grade, struct grade *best, bool *stop)
{
	if (!scan->kq->config.gate[KQ_GATE_FlavorFungibility]) {
		*stop = grade.grain == KQ_GRAIN_FIT;
		return grade.grain > best->grain;
	}
	*stop = !tries_next(scan->queue, grade);
	return *stop || is_better(scan, grade, *best);
}

bool kq_scan_group(struct kq_scan *scan, struct kq_together *together, uint32_t request)
{
	const uint32_t resource = together->requests.at[request].resource, g = together->group[request];
	const uint32_t whys = together->why_count;
	if (g == KQ_NO) {
		kq_scan_because(scan, together,
			(struct kq_why){ .kind = KQ_WHY_UNDECLARED, .resource = resource, .flavor = KQ_NO });
		return false;
	}
	const struct kq_group *group = &scan->queue->group[g];
	struct grade best = { KQ_GRAIN_NO_FIT, UINT32_MAX };
	uint32_t last = KQ_NO;
	bool stop = false;
	uint32_t i = scan->resume ? kq_next_flavor(scan->workload, scan->made->podset[together->first].podset,
					    resource)
				  : 0;
	for (; i < group->flavor_count && !stop; i++) {
		const uint32_t flavor = group->flavor[i].flavor;
		struct kq_attempt attempt = { flavor, g, KQ_NO_FIT, 0, kq_no_matching_flavor };
		bool broken = false;
		last = i;
		if (is_passed_over(scan, together, resource, flavor))
			continue;
		if (!kq_flavor_suits(scan, together, flavor, &broken)) {
			note_attempt(scan, together, &attempt);
			if (broken)
				return false;
			continue;
		}
		const struct grade grade = try_flavor(scan, together, g, flavor, &attempt);
		note_attempt(scan, together, &attempt);
		if (takes_and_stops(scan, grade, &best, &stop)) {
			take_trial(together, g);
			best = grade;
		}
	}
	if (best.grain == KQ_GRAIN_NO_FIT)
		return false;
	const int32_t tried = last + 1 == group->flavor_count ? -1 : (int32_t)last;
	for (uint32_t r = 0; r < together->requests.count; r++)
		if (together->group[r] == g)
			together->pick[r].tried =
				scan->kq->config.gate[KQ_GATE_FlavorFungibility] ? tried : 0;
	if (best.grain == KQ_GRAIN_FIT)
		together->why_count = whys;
	return true;
}
