/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_why.c - why a workload is not assigned flavors: Kueue's reasons, and its words.
 *
 * Kueue: reasons of pending workloads (KEP-10852). Of several flavors of a resource group the least severe
 * reason counts, since any of them would do; of groups and podsets the most severe, since all are needed.
 */
#include "policies/kueue/rules/kq_assign_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const kq_no_matching_flavor = "NoMatchingFlavor";
const char *const kq_exceeds_max_quota = "ExceedsMaxQuota";
const char *const kq_waiting_for_quota = "WaitingForQuota";

static int severity(const char *reason)
{
	static const char *const order[] = { "TopologyPlacementFailed", "WaitingForQuota", "ExceedsMaxQuota",
		"NoMatchingFlavor" };
	for (size_t i = 0; reason && i < SL_LEN(order); i++)
		if (reason == order[i] || strcmp(reason, order[i]) == 0)
			return (int)i + 1;
	return 0;
}

const char *kq_worse_reason(const char *a, const char *b) { return severity(a) >= severity(b) ? a : b; }

/* ---- Of the whole ------------------------------------------------------------------------------- */

/* The least severe of a group's flavors that do not fit, from the attempt `from` on; NULL: a flavor before
 * it was of the same group, which then is counted already, or the group is not at fault. Once all groups have
 * flavors, only a topology can be, and then what else a group offers is no way out. */
static const char *reason_of_group(const struct kq_podset_assignment *podset, uint32_t from)
{
	const char *least = NULL;
	for (uint32_t i = 0; i < from; i++)
		if (podset->attempt[i].group == podset->attempt[from].group)
			return NULL;
	for (uint32_t i = from; i < podset->attempt_count; i++) {
		const struct kq_attempt *one = &podset->attempt[i];
		if (one->group != podset->attempt[from].group)
			continue;
		if (one->mode != KQ_NO_FIT && podset->failed)
			return NULL;
		if (one->mode == KQ_NO_FIT && (!least || severity(one->reason) < severity(least)))
			least = one->reason;
	}
	return least;
}

static const char *reason_of_podset(const struct kq_podset_assignment *podset)
{
	const char *worst = NULL;
	if (!podset->attempt_count)
		return kq_no_matching_flavor;
	for (uint32_t i = 0; i < podset->why_count; i++)
		if (podset->why[i].kind == KQ_WHY_UNDECLARED)
			worst = kq_no_matching_flavor;
	for (uint32_t i = 0; i < podset->attempt_count; i++)
		worst = kq_worse_reason(worst, reason_of_group(podset, i));
	return worst;
}

void kq_assign_resolve(struct kq *kq, struct kq_assignment *assignment)
{
	assignment->mode = assignment->podset_count ? KQ_FIT : KQ_NO_FIT;
	assignment->pending_reason = NULL;
	for (uint32_t i = 0; i < assignment->podset_count; i++) {
		const struct kq_podset_assignment *podset = &assignment->podset[i];
		if (podset->mode < assignment->mode)
			assignment->mode = podset->mode;
		if (podset->mode == KQ_NO_FIT && kq->config.gate[KQ_GATE_UnadmittedWorkloadsObservability])
			assignment->pending_reason =
				kq_worse_reason(assignment->pending_reason, reason_of_podset(podset));
	}
}

void kq_assign_because(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment,
	uint32_t podset, enum kq_mode mode, const char *text)
{
	struct kq_podset_assignment *row = &assignment->podset[podset];
	struct kq_why *why = kq_scratch_alloc(kq, scratch, (size_t)row->why_count + 1, sizeof(*why));
	if (!why)
		return;
	if (row->why_count)
		memcpy(why, row->why, row->why_count * sizeof(*why));
	why[row->why_count] = (struct kq_why){ .kind = KQ_WHY_TEXT, .text = text };
	row->why = why;
	row->why_count++;
	if (row->mode > mode)
		row->mode = mode;
	for (uint32_t i = 0; i < row->pick_count; i++)
		if (row->pick[i].mode > mode)
			row->pick[i].mode = mode;
	kq_assign_resolve(kq, assignment);
}

/* ---- Words -------------------------------------------------------------------------------------- */

void kq_quantity(uint32_t resource, int64_t amount, char text[32])
{
	static const char *const decimal[] = { "m", "", "k", "M", "G", "T", "P", "E" };
	static const char *const binary[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	const bool by_1024 = resource == KQ_MEMORY;
	const int64_t base = by_1024 ? 1024 : 1000;
	size_t unit = by_1024 || resource == KQ_CPU ? 0 : 1;
	const size_t last = by_1024 ? SL_LEN(binary) - 1 : SL_LEN(decimal) - 1;
	if (!amount)
		unit = by_1024 ? 0 : 1;
	while (amount && amount % base == 0 && unit < last) {
		amount /= base;
		unit++;
	}
	(void)snprintf(text, 32, "%" PRId64 "%s", amount, by_1024 ? binary[unit] : decimal[unit]);
}

static const char *effect_text(enum sl_taint_effect effect)
{
	return effect == SL_NO_EXECUTE    ? "NoExecute"
	       : effect == SL_NO_SCHEDULE ? "NoSchedule"
					  : "PreferNoSchedule";
}

static void taint_text(const struct sl_taint *taint, const char *flavor, char *text, size_t size)
{
	(void)snprintf(text, size, "untolerated taint {%s %s %s <nil>} in flavor %s", taint->key,
		taint->value, effect_text(taint->effect), flavor);
}

static void quota_text(const struct kq *kq, const struct kq_why *why, char *text, size_t size)
{
	char a[32], b[32], c[32];
	const char *resource = kq->resource[why->resource], *flavor = kq->flavor[why->flavor].name;
	kq_quantity(why->resource, why->a, a);
	kq_quantity(why->resource, why->b, b);
	kq_quantity(why->resource, why->c, c);
	if (why->kind == KQ_WHY_MAXIMUM)
		(void)snprintf(text, size,
			"insufficient quota for %s in flavor %s, previously considered podsets requests (%s) + "
			"current podset request (%s) > maximum capacity (%s)",
			resource, flavor, a, b, c);
	else
		(void)snprintf(text, size, "insufficient unused quota for %s in flavor %s, %s more needed",
			resource, flavor, a);
}

static void why_text(const struct kq *kq, const struct kq_why *why, char *text, size_t size)
{
	const char *flavor = why->flavor < kq->flavor_count ? kq->flavor[why->flavor].name : "";
	const char *resource = why->resource < kq->resource_count ? kq->resource[why->resource] : "";
	switch (why->kind) {
	case KQ_WHY_TEXT:
		(void)snprintf(text, size, "%s", why->text);
		break;
	case KQ_WHY_UNDECLARED:
		(void)snprintf(text, size, "resource %s unavailable in ClusterQueue", resource);
		break;
	case KQ_WHY_NOT_THERE:
		(void)snprintf(text, size, "flavor %s not found", flavor);
		break;
	case KQ_WHY_PINNED:
		(void)snprintf(text, size,
			"skipping flavor %s as it is not found in the nomination mapping for resource %s",
			flavor, resource);
		break;
	case KQ_WHY_VARIANT:
		(void)snprintf(
			text, size, "skipping flavor %s: the workload is allowed other flavors", flavor);
		break;
	case KQ_WHY_TAINT:
		taint_text(&kq->flavor[why->flavor].taints.at[why->a], flavor, text, size);
		break;
	case KQ_WHY_AFFINITY:
		(void)snprintf(text, size, "flavor %s doesn't match node affinity", flavor);
		break;
	case KQ_WHY_EXPRESSION:
		(void)snprintf(text, size, "%s is not a valid node selector operator", why->text);
		break;
	case KQ_WHY_REPLACED:
		(void)snprintf(text, size,
			"could not assign %s flavor since the original workload is assigned: %s", flavor,
			why->a >= 0 && why->a < kq->flavor_count ? kq->flavor[why->a].name : "");
		break;
	case KQ_WHY_MAXIMUM:
	case KQ_WHY_UNUSED:
		quota_text(kq, why, text, size);
		break;
	}
}

enum { MESSAGE_MAX = 4096, REASON_MAX = 512 };

/* Appends as much as fits. */
static size_t kq_assign_why_append(char *message, size_t used, const char *text)
{
	const size_t len = strlen(text), capacity = MESSAGE_MAX - 1 - used;
	memcpy(message + used, text, len < capacity ? len : capacity);
	return used + (len < capacity ? len : capacity);
}

/* The reasons of a podset by text, each as often as it came up. */
static size_t append_podset(struct kq *kq, struct kq_scratch *scratch,
	const struct kq_podset_assignment *podset, char *message, size_t used)
{
	char(*text)[REASON_MAX] = kq_scratch_alloc(kq, scratch, podset->why_count, sizeof(*text));
	uint32_t *order = kq_scratch_alloc(kq, scratch, podset->why_count, sizeof(*order));
	if (!text || !order)
		return used;
	for (uint32_t i = 0; i < podset->why_count; i++) {
		uint32_t to = i;
		why_text(kq, &podset->why[i], text[i], sizeof(text[i]));
		for (; to > 0 && strcmp(text[order[to - 1]], text[i]) > 0; to--)
			order[to] = order[to - 1];
		order[to] = i;
	}
	for (uint32_t i = 0; i < podset->why_count; i++) {
		used = i ? kq_assign_why_append(message, used, ", ") : used;
		used = kq_assign_why_append(message, used, text[order[i]]);
	}
	return used;
}

const char *kq_assign_message(
	struct kq *kq, struct kq_scratch *scratch, const struct kq_assignment *assignment)
{
	char *message = kq_scratch_alloc(kq, scratch, MESSAGE_MAX, 1);
	size_t used = 0;
	for (uint32_t i = 0; message && i < assignment->podset_count; i++) {
		const struct kq_podset_assignment *podset = &assignment->podset[i];
		if (!podset->why_count)
			continue;
		used = used ? kq_assign_why_append(message, used, "; ") : used;
		used = kq_assign_why_append(message, used, "couldn't assign flavors to pod set ");
		used = kq_assign_why_append(
			message, used, kq->workload[assignment->workload].podset[podset->podset].name);
		used = kq_assign_why_append(message, used, ": ");
		used = append_podset(kq, scratch, podset, message, used);
	}
	return message ? message : "";
}
