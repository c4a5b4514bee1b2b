/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_requests.c - what a podset requests: of one pod, of all that wait, of those that are admitted.
 *
 * Kueue: resource transformations (KEP-2937), dynamic reclaim (KEP-78). Negative requests count as none;
 * products saturate.
 */
#include "policies/kueue/rules/kq_assign.h"

#include <string.h>

int64_t kq_reclaimable_limited(const struct kq_podset *podset, int64_t reclaimable)
{
	return reclaimable < podset->count ? reclaimable : podset->count;
}

int64_t kq_podset_count(const struct kq *kq, const struct kq_podset *podset)
{
	if (!kq->config.gate[KQ_GATE_ReclaimablePods])
		return podset->count;
	return podset->count - kq_reclaimable_limited(podset, podset->reclaimable);
}

struct kq_amounts kq_podset_pending(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset, int64_t count)
{
	const struct kq_podset *asks = &kq->workload[workload].podset[podset];
	const int64_t pods = count < 0 ? kq_podset_count(kq, asks) : count;
	struct kq_amounts made = { kq_scratch_alloc(kq, scratch, asks->request.count, sizeof(*made.at)), 0 };
	for (uint32_t i = 0; made.at && i < asks->request.count; i++) {
		const struct kq_amount *one = &asks->request.at[i];
		made.at[made.count++] =
			(struct kq_amount){ one->resource, kq_mul(one->amount > 0 ? one->amount : 0, pods) };
	}
	return made;
}

/* The admission's part for a podset; NULL: it has none. Mostly it stands in the same place. */
static const struct kq_admitted_podset *admitted_part(const struct kq_workload *workload, uint32_t podset)
{
	const struct kq_admission *admission = workload->admission;
	const char *name = workload->podset[podset].name;
	if (!admission)
		return NULL;
	if (podset < admission->podset_count && admission->podset[podset].name == name)
		return &admission->podset[podset];
	for (uint32_t i = 0; i < admission->podset_count; i++)
		if (strcmp(admission->podset[i].name, name) == 0)
			return &admission->podset[i];
	return NULL;
}

/* Fewer than recorded, where pods are done; never more: a partial admission stays one. */
static int64_t count_now(const struct kq *kq, const struct kq_podset *podset, int64_t recorded)
{
	const int64_t left = kq_podset_count(kq, podset);
	return left < recorded ? left : recorded;
}

static int64_t amount_now(int64_t amount, int64_t recorded, int64_t now)
{
	return now < recorded ? kq_mul(amount / recorded, now) : amount;
}

int64_t kq_admitted_count(const struct kq *kq, uint32_t workload, uint32_t podset)
{
	const struct kq_workload *row = &kq->workload[workload];
	const struct kq_admitted_podset *part = admitted_part(row, podset);
	return part ? count_now(kq, &row->podset[podset], part->count) : 0;
}

struct kq_amounts kq_podset_admitted(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset)
{
	const struct kq_workload *row = &kq->workload[workload];
	const struct kq_admitted_podset *part = admitted_part(row, podset);
	struct kq_amounts made = { NULL, 0 };
	if (!part)
		return made;
	const int64_t now = count_now(kq, &row->podset[podset], part->count);
	made.at = kq_scratch_alloc(kq, scratch, part->flavor_count, sizeof(*made.at));
	for (uint32_t i = 0; made.at && i < part->flavor_count; i++)
		made.at[made.count++] = (struct kq_amount){ part->flavor[i].resource,
			amount_now(part->flavor[i].amount, part->count, now) };
	return made;
}

static uint32_t add_cell(struct kq_usage_cell *cell, uint32_t count, uint32_t fr, int64_t amount)
{
	for (uint32_t i = 0; i < count; i++)
		if (cell[i].fr == fr) {
			cell[i].amount = kq_add(cell[i].amount, amount);
			return count;
		}
	cell[count] = (struct kq_usage_cell){ fr, amount };
	return count + 1;
}

uint32_t kq_workload_usage(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, struct kq_usage_cell **cell)
{
	const struct kq_workload *row = &kq->workload[workload];
	uint32_t most = 0, count = 0;
	*cell = NULL;
	for (uint32_t p = 0; row->admission && p < row->admission->podset_count; p++)
		most += row->admission->podset[p].flavor_count;
	if (!most || !(*cell = kq_scratch_alloc(kq, scratch, most, sizeof(**cell))))
		return 0;
	for (uint32_t p = 0; p < row->podset_count; p++) {
		const struct kq_admitted_podset *part = admitted_part(row, p);
		const int64_t now = part ? count_now(kq, &row->podset[p], part->count) : 0;
		for (uint32_t i = 0; part && i < part->flavor_count; i++) {
			const struct kq_admitted_flavor *one = &part->flavor[i];
			const uint32_t fr =
				one->flavor == KQ_NO ? KQ_NO : kq_fr(kq, one->flavor, one->resource);
			if (fr != KQ_NO)
				count = add_cell(*cell, count, fr, amount_now(one->amount, part->count, now));
		}
	}
	return count;
}

/* ---- Transformations ---------------------------------------------------------------------------- */

static bool is_excluded(const struct kq_transforms *transforms, const char *resource)
{
	for (uint32_t i = 0; i < transforms->exclude_count; i++)
		if (strncmp(resource, transforms->exclude[i], strlen(transforms->exclude[i])) == 0)
			return true;
	return false;
}

static const struct kq_transform *transform_of(const struct kq_transforms *transforms, uint32_t resource)
{
	for (uint32_t i = 0; i < transforms->count; i++)
		if (transforms->at[i].input == resource)
			return &transforms->at[i];
	return NULL;
}

/* Thousandths of a resource's own unit in one of our amounts: cpu is kept in thousandths, the rest in units.
 */
static int64_t scale(uint32_t resource) { return resource == KQ_CPU ? 1 : 1000; }

/* a * b / by, away from zero; saturating. */
static int64_t kq_requests_product(int64_t a, int64_t b, int64_t cause)
{
	const __int128 all = (__int128)a * b;
	const __int128 rounded = (all > 0 ? all + cause - 1 : all - cause + 1) / cause;
	return rounded > INT64_MAX ? INT64_MAX : rounded < INT64_MIN ? INT64_MIN : (int64_t)rounded;
}

/* What one input makes of one output, in amounts of the output. */
static int64_t output_of(const struct kq_transform *transform, const struct kq_output *output, int64_t amount,
	const struct kq_amounts *pod)
{
	int64_t thousandths = kq_mul(amount, scale(transform->input));
	bool multiplied = false;
	for (uint32_t i = 0; transform->multiply != KQ_NO && i < pod->count; i++)
		multiplied |= pod->at[i].resource == transform->multiply;
	if (multiplied)
		thousandths = kq_requests_product(thousandths,
			kq_mul(kq_amount_of(pod, transform->multiply), scale(transform->multiply)), 1000);
	return kq_requests_product(thousandths, output->factor, 1000 * scale(output->resource));
}

/* Outputs of all inputs are added up, and only then floored: an allowance lowers what others make, not what
 * was requested by name. */
static int64_t generated(
	const struct kq_transforms *transforms, const struct kq_amounts *pod, uint32_t resource, bool *any)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < pod->count; i++) {
		const struct kq_transform *transform = transform_of(transforms, pod->at[i].resource);
		for (uint32_t o = 0; transform && o < transform->count; o++)
			if (transform->output[o].resource == resource) {
				sum = kq_add(sum,
					output_of(transform, &transform->output[o], pod->at[i].amount, pod));
				*any = true;
			}
	}
	return sum > 0 ? sum : 0;
}

struct kq_amounts kq_transformed(
	struct kq *kq, const struct kq_transforms *transforms, const struct kq_amounts *pod)
{
	/* What is excluded is gone before anything is made of it. */
	struct kq_amounts kept = { kq_alloc(kq, pod->count, sizeof(*kept.at)), 0 };
	for (uint32_t i = 0; kept.at && i < pod->count; i++)
		if (!is_excluded(transforms, kq->resource[pod->at[i].resource]))
			kept.at[kept.count++] = pod->at[i];
	if (!transforms->count || !kept.at)
		return kept;
	struct kq_amount *sum = kq_alloc(kq, (size_t)kept.count + kq->resource_count, sizeof(*sum));
	uint32_t count = 0;
	for (uint32_t i = 0; sum && i < kept.count; i++) {
		const struct kq_transform *transform = transform_of(transforms, kept.at[i].resource);
		if (!transform || !transform->replace)
			sum[count++] = kept.at[i];
	}
	for (uint32_t r = 0; sum && r < kq->resource_count; r++) {
		bool any = false;
		const int64_t amount = generated(transforms, &kept, r, &any);
		if (any)
			sum[count++] = (struct kq_amount){ r, amount };
	}
	return kq_amounts(kq, sum, count);
}
