/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_activity.c - whether a ClusterQueue is active, and if not, why: its Active condition. Follows Kueue's
 * pkg/cache/scheduler, clusterqueue.go (inactiveReason).
 */
#include "policies/kueue/rules/kq_status.h"

#include <stdio.h>
#include <string.h>

struct why {
	const char *reason; /* The first one is reported. */
	char text[1000];
	size_t at;
};

static void kq_activity_append(struct why *why, const char *text)
{
	const int wrote = snprintf(why->text + why->at, sizeof(why->text) - why->at, "%s", text);
	why->at += wrote > 0 ? (size_t)wrote : 0;
	if (why->at >= sizeof(why->text))
		why->at = sizeof(why->text) - 1;
}

static void because(struct why *why, const char *reason, const char *text)
{
	if (!why->reason)
		why->reason = reason;
	else
		kq_activity_append(why, ", ");
	kq_activity_append(why, text);
}

/* One of several names: "text: a,b". */
static void name_it(struct why *why, bool first, const char *reason, const char *text, const char *name)
{
	if (first)
		because(why, reason, text);
	else
		kq_activity_append(why, ",");
	kq_activity_append(why, name);
}

static void flavors(const struct kq *kq, const struct kq_node *queue, struct why *why)
{
	bool first = true;
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->group[g].flavor_count; f++) {
			const struct kq_flavor *flavor = &kq->flavor[queue->group[g].flavor[f].flavor];
			if (flavor->exists)
				continue;
			name_it(why, first, "FlavorNotFound",
				"references missing ResourceFlavor(s): ", flavor->name);
			first = false;
		}
}

static bool has_flavor(const struct kq_node *queue, uint32_t flavor)
{
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->group[g].flavor_count; f++)
			if (queue->group[g].flavor[f].flavor == flavor)
				return true;
	return false;
}

static bool names_flavor(const struct kq_queue_check *check, uint32_t flavor)
{
	for (uint32_t i = 0; i < check->flavor_count; i++)
		if (check->flavor[i] == flavor)
			return true;
	return false;
}

/* Who names all flavors of the queue, and no others, might as well have named none. */
static bool for_all(const struct kq_node *queue, const struct kq_queue_check *check)
{
	bool all = true;
	for (uint32_t g = 0; !check->all_flavors && g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->group[g].flavor_count; f++)
			all = all && names_flavor(check, queue->group[g].flavor[f].flavor);
	for (uint32_t i = 0; !check->all_flavors && i < check->flavor_count; i++)
		all = all && has_flavor(queue, check->flavor[i]);
	return all;
}

enum match { IS_MISSING, IS_INACTIVE, IS_MULTI, IS_MULTI_BY_FLAVOR, IS_PROVISIONING };

static bool matches(
	const struct kq *kq, const struct kq_node *queue, const struct kq_queue_check *of, enum match what)
{
	const struct kq_check *check = &kq->check[of->check];
	switch (what) {
	case IS_MISSING:
		return !check->exists;
	case IS_INACTIVE:
		return check->exists && !check->active;
	case IS_MULTI:
		return check->exists && check->kind == KQ_CHECK_MULTIKUEUE;
	case IS_MULTI_BY_FLAVOR:
		return check->exists && check->kind == KQ_CHECK_MULTIKUEUE && !for_all(queue, of);
	case IS_PROVISIONING:
		break;
	}
	return check->exists && check->kind == KQ_CHECK_PROVISIONING;
}

static uint32_t kq_activity_count_of(const struct kq *kq, const struct kq_node *queue, enum match what)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < queue->check_count; i++)
		count += matches(kq, queue, &queue->check[i], what);
	return count;
}

static void checks(const struct kq *kq, const struct kq_node *queue, enum match what, struct why *why,
	const char *reason, const char *text)
{
	bool first = true;
	for (uint32_t i = 0; i < queue->check_count; i++) {
		if (!matches(kq, queue, &queue->check[i], what))
			continue;
		name_it(why, first, reason, text, kq->check[queue->check[i].check].name);
		first = false;
	}
}

/* The names go on a list that one match has begun. */
static void more(const struct kq *kq, const struct kq_node *queue, enum match what, struct why *why)
{
	const char *between = ", ";
	for (uint32_t i = 0; i < queue->check_count; i++) {
		if (!matches(kq, queue, &queue->check[i], what))
			continue;
		kq_activity_append(why, between);
		kq_activity_append(why, kq->check[queue->check[i].check].name);
		between = ",";
	}
}

static void multikueue(const struct kq *kq, const struct kq_node *queue, struct why *why)
{
	const uint32_t count = kq_activity_count_of(kq, queue, IS_MULTI);
	if (count > 1)
		checks(kq, queue, IS_MULTI, why, "MultipleMultiKueueAdmissionChecks",
			"Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: ");
	checks(kq, queue, IS_MULTI_BY_FLAVOR, why, "MultiKueueAdmissionCheckAppliedPerFlavor",
		"Cannot specify MultiKueue AdmissionCheck per flavor, found: ");
	if (count && kq_activity_count_of(kq, queue, IS_PROVISIONING)) {
		checks(kq, queue, IS_MULTI, why, "MultiKueueWithProvisioningRequest",
			"Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
			"found: ");
		more(kq, queue, IS_PROVISIONING, why);
	}
	if (count && queue->concurrent && kq->config.gate[KQ_GATE_ConcurrentAdmission])
		because(why, "MultiKueueWithConcurrentAdmission",
			"Cannot use ConcurrentAdmission on a ClusterQueue with a MultiKueue AdmissionCheck");
}

/* With MultiKueue the topologies are on the worker clusters: here they may be missing. */
static void topologies(const struct kq *kq, const struct kq_node *queue, struct why *why)
{
	if (!kq->config.gate[KQ_GATE_TopologyAwareScheduling] ||
		(!why->reason && kq_activity_count_of(kq, queue, IS_MULTI)))
		return;
	for (uint32_t g = 0; g < queue->group_count; g++)
		for (uint32_t f = 0; f < queue->group[g].flavor_count; f++) {
			const struct kq_flavor *flavor = &kq->flavor[queue->group[g].flavor[f].flavor];
			const bool missing =
				flavor->topology_missing ||
				(flavor->topology != KQ_NO && !kq->topology[flavor->topology].exists);
			if (!flavor->exists || !missing)
				continue;
			because(why, "TopologyNotFound", "there is no Topology ");
			if (flavor->topology != KQ_NO) {
				kq_activity_append(why, kq->topology[flavor->topology].name);
				kq_activity_append(why, " ");
			}
			kq_activity_append(why, "for TAS flavor ");
			kq_activity_append(why, flavor->name);
		}
}

void kq_queue_status(struct kq *kq, uint32_t queue)
{
	struct kq_node *node = &kq->node[queue];
	struct why why = { .reason = NULL };
	node->active = false;
	if (!node->exists) {
		node->inactive_reason = "NotFound";
		node->inactive_message = "ClusterQueue not found";
		return;
	}
	if (node->terminating) {
		node->inactive_reason = "Terminating";
		node->inactive_message = "Can't admit new workloads; clusterQueue is terminating";
		return;
	}
	if (node->cycle || (node->parent != KQ_NO && kq->node[node->parent].cycle))
		because(&why, "CohortCycleDetected", "there is a cycle among its Cohorts");
	if (node->stop != KQ_STOP_NONE)
		because(&why, "Stopped", "is stopped");
	flavors(kq, node, &why);
	checks(kq, node, IS_MISSING, &why, "AdmissionCheckNotFound",
		"references missing AdmissionCheck(s): ");
	checks(kq, node, IS_INACTIVE, &why, "AdmissionCheckInactive",
		"references inactive AdmissionCheck(s): ");
	multikueue(kq, node, &why);
	topologies(kq, node, &why);
	node->active = !why.reason;
	node->inactive_reason = why.reason ? why.reason : "Ready";
	node->inactive_message = why.reason ? kq_message(kq, "Can't admit new workloads: %s.", why.text)
					    : "Can admit new workloads";
}
