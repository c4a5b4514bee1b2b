/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_assign.c - recorded cases of flavor assignment, partial admission, requests, and reservation.
 */
#include "tests/conformance/kueue_case.h"

#include <inttypes.h>
#include <string.h>

/* ---- assign_flavors
 * --------------------------------------------------------------------------------------- */

static enum kq_grain grain_of(const char *text)
{
	static const struct {
		const char *name;
		enum kq_grain grain;
	} names[] = {
		{ "noFit", KQ_GRAIN_NO_FIT },
		{ "noPreemptionCandidates", KQ_GRAIN_NO_CANDIDATES },
		{ "NoCandidates", KQ_GRAIN_NO_CANDIDATES },
		{ "preempt", KQ_GRAIN_PREEMPT },
		{ "Preempt", KQ_GRAIN_PREEMPT },
		{ "reclaim", KQ_GRAIN_RECLAIM },
		{ "Reclaim", KQ_GRAIN_RECLAIM },
		{ "fit", KQ_GRAIN_FIT },
	};
	for (size_t i = 0; i < SL_LEN(names); i++)
		if (strcmp(names[i].name, text) == 0)
			return names[i].grain;
	return KQ_GRAIN_NO_FIT;
}

static const char *mode_text(enum kq_mode mode)
{
	static const char *const text[] = { "NoFit", "Preempt", "DeferredFit", "Fit" };
	return text[mode];
}

/* The victim search is mocked: by flavor and resource, or as the default says. */
/* NOLINTNEXTLINE(readability-function-size): a kq_oracle. */
static enum kq_grain mocked(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow)
{
	struct kueue_case *c = self;
	const struct sl_doc_node *oracle = kc_get(c, c->input, "oracle");
	const struct sl_doc_node *answer = kc_get(c, oracle, "default");
	const struct sl_doc_node *results = kc_get(c, oracle, "results");
	(void)workload;
	(void)queue;
	(void)amount;
	for (const struct sl_doc_node *one = results ? kc_first(c, results) : NULL; one;
		one = kc_next(c, one))
		if (strcmp(kc_str(c, one, "flavor", ""), kq->flavor[kq->fr[fr].flavor].name) == 0 &&
			strcmp(kc_str(c, one, "resource", ""), kq->resource[kq->fr[fr].resource]) == 0)
			answer = one;
	*borrow = (uint32_t)kc_int(c, answer, "borrow_after", 0);
	return grain_of(kc_str(c, answer, "result", ""));
}

static uint32_t podset_named(const struct kq_workload *row, const char *name)
{
	for (uint32_t p = 0; p < row->podset_count; p++)
		if (strcmp(row->podset[p].name, name) == 0)
			return p;
	return KQ_NO;
}

/* The slice that is replaced: its flavors alone are told, not what it uses. */
static uint32_t replaced(struct kueue_case *c, uint32_t queue, const struct sl_doc_node *list)
{
	struct kq *kq = c->kq;
	const uint32_t w = kq_workload(kq, "", "replaced");
	kc_podsets(c, w, kc_get(c, c->input, "podsets"));
	struct kq_admitted_podset podset[8];
	struct kq_admitted_flavor flavor[8][8];
	struct kq_admission made = { .queue = queue, .queue_name = kq->node[queue].name, .podset = podset };
	for (const struct sl_doc_node *one = kc_first(c, list); one && made.podset_count < SL_LEN(podset);
		one = kc_next(c, one)) {
		const uint32_t p = made.podset_count++;
		podset[p] = (struct kq_admitted_podset){
			.name = kq_text(kq, kc_str(c, one, "name", "")), .flavor = flavor[p], .count = 1
		};
		const struct sl_doc_node *flavors = kc_get(c, one, "flavors");
		for (const struct sl_doc_node *f = kc_first(c, flavors); f && podset[p].flavor_count < 8;
			f = kc_next(c, f))
			flavor[p][podset[p].flavor_count++] =
				(struct kq_admitted_flavor){ kq_resource(kq, kc_key(c, f)),
					kq_flavor(kq, kc_text(c, f)), 0 };
	}
	kq_set_admission(kq, w, &made);
	return w;
}

static const char *check_pick(struct kueue_case *c, const char *name,
	const struct kq_podset_assignment *podset, const struct sl_doc_node *want)
{
	const uint32_t resource = kq_resource(c->kq, kc_key(c, want));
	for (uint32_t i = 0; i < podset->pick_count; i++) {
		const struct kq_pick *pick = &podset->pick[i];
		if (pick->resource != resource)
			continue;
		const char *flavor = c->kq->flavor[pick->flavor].name, *mode = mode_text(pick->mode);
		if (strcmp(flavor, kc_str(c, want, "flavor", "")) != 0 ||
			strcmp(mode, kc_str(c, want, "mode", mode)) != 0 ||
			pick->tried != kc_int(c, want, "tried_flavor_idx", pick->tried))
			return kc_fail(c, "%s %s: %s %s %d, not %s %s %" PRId64, name,
				c->kq->resource[resource], flavor, mode, pick->tried,
				kc_str(c, want, "flavor", ""), kc_str(c, want, "mode", "-"),
				kc_int(c, want, "tried_flavor_idx", 99));
		return NULL;
	}
	return kc_fail(c, "%s %s: no flavor, not %s", name, c->kq->resource[resource],
		kc_str(c, want, "flavor", ""));
}

static const char *check_requests(struct kueue_case *c, const char *name,
	const struct kq_podset_assignment *podset, const struct sl_doc_node *want)
{
	for (const struct sl_doc_node *one = kc_first(c, want); one; one = kc_next(c, one)) {
		const int64_t have = kq_amount_of(&podset->requests, kq_resource(c->kq, kc_key(c, one)));
		if (have != kc_amount(c, one))
			return kc_fail(c, "%s asks %" PRId64 " %s, not %" PRId64, name, have, kc_key(c, one),
				kc_amount(c, one));
	}
	return podset->requests.count == want->count ? NULL
						     : kc_fail(c, "%s asks %u resources, not %u", name,
							       podset->requests.count, want->count);
}

/* What is told of flavors that were looked at. Kueue's tests list some that are not reached, and leave others
 * out: those in both are compared. */
static const char *check_attempts(struct kueue_case *c, const char *name,
	const struct kq_podset_assignment *podset, const struct sl_doc_node *want)
{
	for (const struct sl_doc_node *one = want ? kc_first(c, want) : NULL; one; one = kc_next(c, one))
		for (uint32_t i = 0; i < podset->attempt_count; i++) {
			const struct kq_attempt *have = &podset->attempt[i];
			const char *reason = have->mode == KQ_NO_FIT && have->reason ? have->reason : "";
			if (strcmp(c->kq->flavor[have->flavor].name, kc_str(c, one, "flavor", "")) != 0)
				continue;
			if (strcmp(mode_text(have->mode), kc_str(c, one, "mode", "")) != 0 ||
				have->borrow != (uint32_t)kc_int(c, one, "borrow", 0) ||
				strcmp(reason, kc_str(c, one, "no_fit_reason", "")) != 0)
				return kc_fail(c, "%s: flavor %s: %s %u %s, not %s %" PRId64 " %s", name,
					kc_str(c, one, "flavor", ""), mode_text(have->mode), have->borrow,
					reason, kc_str(c, one, "mode", ""), kc_int(c, one, "borrow", 0),
					kc_str(c, one, "no_fit_reason", ""));
		}
	return NULL;
}

static const char *check_podset(
	struct kueue_case *c, const struct kq_assignment *made, const struct sl_doc_node *want)
{
	const char *name = kc_str(c, want, "name", ""), *failure = NULL;
	const uint32_t row = podset_named(&c->kq->workload[made->workload], name);
	uint32_t i = 0;
	while (i < made->podset_count && made->podset[i].podset != row)
		i++;
	if (i == made->podset_count)
		return kc_fail(c, "podset %s is not assigned", name);
	const struct kq_podset_assignment *podset = &made->podset[i];
	const struct sl_doc_node *flavors = kc_get(c, want, "flavors"), *asks = kc_get(c, want, "requests");
	if (podset->count != kc_int(c, want, "count", podset->count))
		return kc_fail(c, "%s: count %" PRId64, name, podset->count);
	if (podset->pick_count != flavors->count)
		failure = kc_fail(c, "%s: %u flavors, not %u", name, podset->pick_count, flavors->count);
	for (const struct sl_doc_node *one = kc_first(c, flavors); one && !failure; one = kc_next(c, one))
		failure = check_pick(c, name, podset, one);
	if (!failure && asks)
		failure = check_requests(c, name, podset, asks);
	return failure ? failure : check_attempts(c, name, podset, kc_get(c, want, "attempts"));
}

static const char *check_usage(struct kueue_case *c, const struct kq_usage_cell *cell, uint32_t count,
	const struct sl_doc_node *want)
{
	struct kq *kq = c->kq;
	int64_t *rest = kq_alloc(kq, kq->fr_count, sizeof(*rest));
	for (uint32_t i = 0; rest && i < count; i++)
		rest[cell[i].fr] = cell[i].amount;
	for (const struct sl_doc_node *f = kc_first(c, want); f && rest; f = kc_next(c, f))
		for (const struct sl_doc_node *r = kc_first(c, f); r; r = kc_next(c, r)) {
			const uint32_t fr =
				kq_fr(kq, kq_flavor(kq, kc_key(c, f)), kq_resource(kq, kc_key(c, r)));
			const int64_t amount = kc_amount(c, r);
			if (fr == KQ_NO ? amount != 0 : rest[fr] != amount)
				return kc_fail(c, "%s %s: %" PRId64 ", not %" PRId64, kc_key(c, f),
					kc_key(c, r), fr == KQ_NO ? 0 : rest[fr], amount);
			if (fr != KQ_NO)
				rest[fr] = 0;
		}
	for (uint32_t i = 0; rest && i < kq->fr_count; i++)
		if (rest[i])
			return kc_fail(c, "%s %s: %" PRId64 ", not none", kq->flavor[kq->fr[i].flavor].name,
				kq->resource[kq->fr[i].resource], rest[i]);
	return NULL;
}

static const char *check_assignment(struct kueue_case *c, const struct kq_assignment *made)
{
	const char *want = kc_str(c, c->expect, "representative_mode", ""), *failure = NULL;
	if (strcmp(mode_text(made->mode), want) != 0)
		return kc_fail(c, "%s, not %s (%s)", mode_text(made->mode), want,
			kq_assign_message(c->kq, c->scratch, made));
	if (made->borrow != (uint32_t)kc_int(c, c->expect, "borrowing", made->borrow))
		return kc_fail(c, "borrows at height %u, not %" PRId64, made->borrow,
			kc_int(c, c->expect, "borrowing", 0));
	const char *reason = made->pending_reason ? made->pending_reason : "";
	const char *wanted = kc_str(c, c->expect, "no_fit_reason", made->mode == KQ_NO_FIT ? reason : "");
	if (strcmp(reason, wanted) != 0)
		return kc_fail(c, "reason %s, not %s", reason, wanted);
	const struct sl_doc_node *podsets = kc_get(c, c->expect, "podsets"),
				 *usage = kc_get(c, c->expect, "usage");
	if (made->podset_count != podsets->count)
		return kc_fail(c, "%u podsets, not %u", made->podset_count, podsets->count);
	for (const struct sl_doc_node *one = kc_first(c, podsets); one && !failure; one = kc_next(c, one))
		failure = check_podset(c, made, one);
	if (!failure && usage && !kc_get(c, c->input, "replaces_slice"))
		failure = check_usage(c, made->usage, made->usage_count, usage);
	return failure;
}

const char *op_assign_flavors(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	const uint32_t queue = kq_find_queue(kq, kc_str(c, c->input, "cluster_queue", ""));
	if (queue == KQ_NO)
		return "no such queue";
	const uint32_t w = kq_workload(kq, "", "wl");
	kc_podsets(c, w, kc_get(c, c->input, "podsets"));
	const struct sl_doc_node *done = kc_get(c, c->input, "reclaimable");
	for (const struct sl_doc_node *one = done ? kc_first(c, done) : NULL; one; one = kc_next(c, one)) {
		const uint32_t p = podset_named(&kq->workload[w], kc_key(c, one));
		if (p != KQ_NO)
			kq->workload[w].podset[p].reclaimable = kc_amount(c, one);
	}
	const struct sl_doc_node *slices = kc_get(c, c->input, "replaces_slice");
	if (slices) {
		const uint32_t before = replaced(c, queue, slices);
		kq->workload[w].replaces = before;
	}
	const struct kq_assign_options options = { .oracle = mocked, .oracle_self = c };
	struct kq_assignment *made = kq_assign(kq, c->scratch, w, queue, &options);
	if (!made)
		return kq->err.text;
	if (kc_get(c, c->given, "topologies"))
		kq_tas_assign(kq, c->scratch, made);
	return check_assignment(c, made);
}

/* ---- The rest
 * ------------------------------------------------------------------------------------------- */

const char *op_compare_flavor_modes(struct kueue_case *c)
{
	const struct sl_doc_node *a = kc_get(c, c->input, "a"), *b = kc_get(c, c->input, "b");
	const char *preference = kc_str(c, kc_get(c, c->input, "fungibility"), "preference", "");
	const struct kq_node queue = { .preference = strcmp(preference, "PreemptionOverBorrowing") == 0
							     ? KQ_PREEMPTION_OVER_BORROWING
							     : KQ_BORROWING_OVER_PREEMPTION };
	const bool better = kq_grain_better(&queue, grain_of(kc_str(c, a, "mode", "")),
		(uint32_t)kc_int(c, a, "borrow", 0), grain_of(kc_str(c, b, "mode", "")),
		(uint32_t)kc_int(c, b, "borrow", 0));
	return better == kc_bool(c, c->expect, "a_preferred", false)
		       ? NULL
		       : kc_fail(c, "a is preferred: %d", better);
}

struct search {
	const struct kq_workload *row;
	int64_t most;
};

static int64_t sum_of(const struct kq_workload *row, const int64_t *count)
{
	int64_t sum = 0;
	for (uint32_t p = 0; p < row->podset_count; p++)
		sum += count[p];
	return sum;
}

static bool sum_fits(void *self, const int64_t *count)
{
	const struct search *search = self;
	return sum_of(search->row, count) <= search->most;
}

const char *op_podset_search(struct kueue_case *c)
{
	const uint32_t w = kq_workload(c->kq, "", "wl");
	kc_podsets(c, w, kc_get(c, c->input, "podsets"));
	const struct kq_workload *row = &c->kq->workload[w];
	int64_t *count = kq_alloc(c->kq, row->podset_count, sizeof(*count));
	if (!count)
		return c->kq->err.text;
	struct search search = { row, kc_int(c, c->input, "fits_if_total_count_at_most", 0) };
	const bool found = kq_partial_search(row->podset, row->podset_count, count, sum_fits, &search);
	const int64_t total = found ? sum_of(row, count) : 0;
	if (found != kc_bool(c, c->expect, "found", false) || total != kc_int(c, c->expect, "total_count", 0))
		return kc_fail(c, "found %d, %" PRId64 " pods", found, total);
	return NULL;
}

const char *op_limit_reclaimable(struct kueue_case *c)
{
	const uint32_t w = kq_workload(c->kq, "", "wl");
	kc_podsets(c, w, kc_get(c, c->given, "podsets"));
	const struct kq_workload *row = &c->kq->workload[w];
	const struct sl_doc_node *want = kc_get(c, c->expect, "reclaimable");
	for (const struct sl_doc_node *one = kc_first(c, want); one; one = kc_next(c, one)) {
		const int64_t said = kc_int(c, kc_get(c, c->input, "reclaimable"), kc_key(c, one), 0);
		const uint32_t p = podset_named(row, kc_key(c, one));
		const int64_t have = p == KQ_NO ? said : kq_reclaimable_limited(&row->podset[p], said);
		if (have != kc_amount(c, one))
			return kc_fail(c, "%s: %" PRId64, kc_key(c, one), have);
	}
	return NULL;
}

static const char *check_total(struct kueue_case *c, uint32_t w, uint32_t p, const struct sl_doc_node *want)
{
	struct kq *kq = c->kq;
	const struct kq_workload *row = &kq->workload[w];
	const bool admitted = row->admission != NULL;
	const int64_t count = admitted ? kq_admitted_count(kq, w, p) : kq_podset_count(kq, &row->podset[p]);
	const struct kq_amounts have = admitted ? kq_podset_admitted(kq, c->scratch, w, p)
						: kq_podset_pending(kq, c->scratch, w, p, -1);
	if (count != kc_int(c, want, "count", 0))
		return kc_fail(c, "%s: count %" PRId64, row->podset[p].name, count);
	const struct sl_doc_node *total = kc_get(c, want, "total_requests");
	for (const struct sl_doc_node *one = kc_first(c, total); one; one = kc_next(c, one)) {
		const int64_t amount = kq_amount_of(&have, kq_resource(kq, kc_key(c, one)));
		if (amount != kc_amount(c, one))
			return kc_fail(c, "%s: %" PRId64 " %s, not %" PRId64, row->podset[p].name, amount,
				kc_key(c, one), kc_amount(c, one));
	}
	return have.count == total->count ? NULL : kc_fail(c, "%u resources", have.count);
}

const char *op_total_requests(struct kueue_case *c)
{
	const struct sl_doc_node *podsets = kc_get(c, c->expect, "podsets");
	const char *failure = NULL;
	for (const struct sl_doc_node *one = kc_first(c, podsets); one && !failure; one = kc_next(c, one)) {
		const uint32_t p = podset_named(&c->kq->workload[0], kc_str(c, one, "name", ""));
		failure = p == KQ_NO ? "no such podset" : check_total(c, 0, p, one);
	}
	return failure;
}

const char *op_reserve(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	const uint32_t queue = kq_find_queue(kq, kc_str(c, c->input, "cluster_queue", ""));
	struct kq_usage_cell *cell = kq_alloc(kq, kq->fr_count, 2 * sizeof(*cell));
	if (queue == KQ_NO || !cell)
		return "no such queue";
	const char *mode = kc_str(c, c->input, "mode", "");
	struct kq_assignment made = { .queue = queue,
		.mode = strcmp(mode, "Preempt") == 0 ? KQ_PREEMPT
			: strcmp(mode, "Fit") == 0   ? KQ_FIT
						     : KQ_NO_FIT,
		.borrow = (uint32_t)kc_int(c, c->input, "borrowing", 0),
		.usage = cell };
	const struct sl_doc_node *usage = kc_get(c, c->input, "assignment_usage");
	for (const struct sl_doc_node *f = kc_first(c, usage); f; f = kc_next(c, f))
		for (const struct sl_doc_node *r = kc_first(c, f); r; r = kc_next(c, r))
			cell[made.usage_count++] = (struct kq_usage_cell){
				kq_fr(kq, kq_flavor(kq, kc_key(c, f)), kq_resource(kq, kc_key(c, r))),
				kc_amount(c, r)
			};
	kq_reserve(kq, &made, cell + kq->fr_count);
	return check_usage(c, cell + kq->fr_count, made.usage_count, kc_get(c, c->expect, "reserved"));
}
