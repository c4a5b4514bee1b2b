/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_tas.c - recorded cases of topology-aware scheduling: placements, and the order of domains.
 */
#include "tests/conformance/kueue_case.h"

#include <inttypes.h>
#include <string.h>

/* ---- tas_place ---- */

enum { PODSETS_MAX = 16 };

/* Two flavors of one topology, and a queue that has the first. */
static uint32_t make_flavors(struct kueue_case *c, uint32_t flavor[2])
{
	struct kq *kq = c->kq;
	const uint32_t topology = kq_topology(kq, "default");
	const struct sl_doc_node *levels = kc_get(c, c->given, "levels");
	kq->topology[topology].exists = true;
	for (const struct sl_doc_node *one = kc_first(c, levels);
		one && kq->topology[topology].level_count < KQ_LEVELS_MAX; one = kc_next(c, one))
		kq->topology[topology].level[kq->topology[topology].level_count++] =
			kq_text(kq, kc_text(c, one));
	flavor[0] = kq_flavor(kq, "tas");
	flavor[1] = kq_flavor(kq, "tas-other");
	for (int i = 0; i < 2; i++) {
		kq->flavor[flavor[i]].exists = true;
		kq->flavor[flavor[i]].topology = topology;
	}
	kq->flavor[flavor[0]].labels = kc_labels(c, kc_get(c, c->given, "flavor_node_labels"));
	const uint32_t queue = kq_cluster_queue(kq, "cq");
	struct kq_group *group = kq_alloc(kq, 1, sizeof(*group));
	struct kq_group_flavor *flavors = kq_alloc(kq, 1, sizeof(*flavors));
	flavors->flavor = flavor[0];
	*group = (struct kq_group){ .flavor = flavors, .flavor_count = 1 };
	kq->node[queue].exists = true;
	kq->node[queue].group = group;
	kq->node[queue].group_count = 1;
	return queue;
}

/* An admission of the queue: podsets by name, on one flavor. */
static void admit(struct kueue_case *c, uint32_t workload, uint32_t queue, uint32_t flavor)
{
	struct kq_admission *admission = c->kq->workload[workload].admission;
	admission->queue = queue;
	for (uint32_t p = 0; p < admission->podset_count; p++) {
		struct kq_admitted_podset *podset = &admission->podset[p];
		podset->flavor_count = 1; /* There is room for one more than the case says. */
		podset->flavor[0] = (struct kq_admitted_flavor){ .resource = KQ_CPU, .flavor = flavor };
	}
}

/* What already runs, each entry a workload. */
static void run_usage(struct kueue_case *c, const char *key, uint32_t queue, uint32_t flavor)
{
	struct kq *kq = c->kq;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->given, key)); one;
		one = kc_next(c, one)) {
		const uint32_t w = kq_workload(kq, key, kc_str(c, one, "name", "running"));
		struct kq_podset *podset = kq_alloc(kq, 1, sizeof(*podset));
		*podset = (struct kq_podset){ .name = "main",
			.count = kc_int(c, one, "count", 0),
			.request = kc_amounts(c, kc_get(c, one, "requests_per_pod")) };
		kq->workload[w].podset = podset;
		kq->workload[w].podset_count = 1;
		struct kq_domain_count domain = { .count = podset->count };
		struct kq_placement placement = { .domain = &domain, .count = 1 };
		for (const struct sl_doc_node *value = kc_first(c, kc_get(c, one, "values")); value;
			value = kc_next(c, value))
			domain.value[placement.level_count++] = kq_text(kq, kc_text(c, value));
		struct kq_admitted_flavor got = { .resource = KQ_CPU, .flavor = flavor };
		struct kq_admitted_podset admitted = { .name = "main",
			.flavor = &got,
			.flavor_count = 1,
			.count = podset->count,
			.placement = &placement };
		const struct kq_admission admission = {
			.queue = queue, .queue_name = "cq", .podset = &admitted, .podset_count = 1
		};
		kq_set_admission(kq, w, &admission);
		kq_tas_add(kq, w);
	}
}

static const char *same_placement(struct kueue_case *c, const char *name, const struct kq_placement *got,
	const struct sl_doc_node *node)
{
	struct kq_placement *want = node ? kc_placement(c, node) : NULL;
	const char *failure = NULL;
	if (!want != !got)
		return kc_fail(c, "podset %s: %s", name, got ? "has a place, expected none" : "has no place");
	if (!want)
		return NULL;
	if (want->count != got->count || want->level_count != got->level_count)
		failure = kc_fail(c, "podset %s: %u domains, expected %u", name, got->count, want->count);
	for (uint32_t d = 0; !failure && d < want->count; d++) {
		if (want->domain[d].count != got->domain[d].count)
			failure = kc_fail(c, "podset %s, domain %u (%s): %" PRId64 " pods, expected %" PRId64,
				name, d, got->domain[d].value[got->level_count - 1], got->domain[d].count,
				want->domain[d].count);
		for (uint32_t l = 0; !failure && l < want->level_count; l++)
			if (strcmp(want->domain[d].value[l], got->domain[d].value[l]) != 0)
				failure = kc_fail(c, "podset %s, domain %u: %s, expected %s", name, d,
					got->domain[d].value[l], want->domain[d].value[l]);
	}
	kq_placement_free(want);
	return failure;
}

static const char *compare(struct kueue_case *c, const struct kq_assignment *assignment)
{
	const char *failure = NULL;
	uint32_t at = 0;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->expect, "podsets")); one && !failure;
		one = kc_next(c, one), at++) {
		if (at >= assignment->podset_count)
			return kc_fail(c, "%u podsets, expected more", at);
		failure = same_placement(c, kc_str(c, one, "name", "main"), assignment->podset[at].placement,
			kc_get(c, one, "assignment"));
	}
	return failure;
}

const char *op_tas_place(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	uint32_t flavor[2];
	const uint32_t queue = make_flavors(c, flavor);
	const struct sl_doc_node *had = kc_get(c, c->input, "workload");
	const uint32_t w = had ? kc_workload(c, had) : kq_workload(kq, "", "wl");
	kc_podsets(c, w, kc_get(c, c->input, "podsets"));
	if (kq_seal(kq) != 0)
		return kq->err.text;
	run_usage(c, "own_flavor_usage", queue, flavor[0]);
	run_usage(c, "other_flavor_usage_on_same_nodes", queue, flavor[1]);
	if (kq->workload[w].admission) {
		admit(c, w, queue, flavor[0]);
		kq->workload[w].holds = true;
	}
	struct kq_podset_assignment podset[PODSETS_MAX] = { { 0 } };
	struct kq_pick pick = { .resource = KQ_CPU, .flavor = flavor[0], .mode = KQ_FIT };
	struct kq_assignment assignment = { .workload = w, .queue = queue, .podset = podset, .mode = KQ_FIT };
	assignment.podset_count = kq->workload[w].podset_count;
	if (assignment.podset_count > PODSETS_MAX)
		return kc_fail(c, "more than %d podsets", PODSETS_MAX);
	for (uint32_t p = 0; p < assignment.podset_count; p++)
		podset[p] = (struct kq_podset_assignment){ .podset = p,
			.count = kq->workload[w].podset[p].count,
			.pick = &pick,
			.pick_count = 1,
			.mode = KQ_FIT };
	const char *why = NULL;
	uint32_t failed = 0;
	(void)kq_tas_place(kq, c->scratch, &assignment, false, &why, &failed);
	const char *failure = compare(c, &assignment);
	kq->workload[w].holds = false;
	return failure;
}

/* ---- tas_sort_domains ---- */

enum { DOMAINS_MAX = 64 };

const char *op_tas_sort_domains(struct kueue_case *c)
{
	struct kq_tas_domain domain[DOMAINS_MAX] = { { 0 } };
	const char *id[DOMAINS_MAX];
	uint32_t count = 0;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->given, "domains"));
		one && count < DOMAINS_MAX; one = kc_next(c, one)) {
		const char **value = kq_alloc(c->kq, KQ_LEVELS_MAX, sizeof(*value));
		struct kq_tas_domain *to = &domain[count];
		*to = (struct kq_tas_domain){ .value = value,
			.row = count,
			.pods = kc_int(c, one, "pod_count", 0),
			.pods_with_leader = kc_int(c, one, "pod_count_with_leader", 0),
			.slices = kc_int(c, one, "slice_count", 0),
			.slices_with_leader = kc_int(c, one, "slice_count_with_leader", 0),
			.leader = kc_int(c, one, "leader_count", 0),
			.affinity = kc_int(c, one, "affinity_score", 0) };
		for (const struct sl_doc_node *v = kc_first(c, kc_get(c, one, "level_values"));
			v && to->value_count < KQ_LEVELS_MAX; v = kc_next(c, v))
			value[to->value_count++] = kc_text(c, v);
		id[count++] = kc_str(c, one, "id", "");
	}
	kq_tas_sort(domain, count, kc_bool(c, c->input, "unconstrained", false),
		kc_bool(c, c->input, "with_leader", false),
		kc_bool(c, c->input, "respect_preferred_affinity", false),
		c->kq->config.gate[KQ_GATE_TASProfileMixed]);
	uint32_t at = 0;
	for (const struct sl_doc_node *want = kc_first(c, kc_get(c, c->expect, "order")); want;
		want = kc_next(c, want), at++)
		if (at >= count || strcmp(id[domain[at].row], kc_text(c, want)) != 0)
			return kc_fail(c, "place %u: %s, expected %s", at,
				at < count ? id[domain[at].row] : "none", kc_text(c, want));
	return NULL;
}
