/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_tas_books.c - topology-aware scheduling over time: what is used, what is released, which pods are
 * replaced after a host failed, elastic slices; and what it makes of an assignment (clusters by hand).
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kq_tas_world.h"

static struct tas_instance instance;

static void end(void) { tas_end(&instance); }

TestSuite(kq_tas_accounting, .fini = end);

static const char *const hosts = "kubernetes.io/hostname";

static void two_racks(void)
{
	tas_begin(&instance, "rack host");
	tas_host(&instance, "r1 x1", 4, 10);
	tas_host(&instance, "r1 x2", 4, 10);
	tas_host(&instance, "r2 x3", 4, 10);
	tas_host(&instance, "r2 x4", 2, 10);
	tas_seal(&instance);
}

static uint32_t workload(int64_t count, const char *required)
{
	const struct kq_podset podset = { .count = count,
		.request = tas_cpus(&instance, 1000),
		.topology = { .given = true, .required = required } };
	return tas_workload(&instance, &podset, 1);
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void expect(uint32_t row, const char *want, const char *clause)
{
	const char *got = tas_place(&instance, row, false);
	const bool same = strcmp(got, want) == 0;
	const char *why = instance.why ? instance.why : "";
	cr_expect(same, "%s: %s, expected %s (%s)", clause, got, want, why);
}

Test(kq_tas_accounting, held_capacity_is_gone_until_it_comes_back)
{
	two_racks();
	const uint32_t first = workload(6, "rack"), second = workload(6, "rack");
	expect(first, "x3:4 x4:2", "the smaller rack");
	tas_admit(&instance, first);
	expect(second, "x1:4 x2:2", "the other one");
	tas_admit(&instance, second);
	const uint32_t third = workload(3, "rack");
	expect(third, "-", "two cpus are left");
	tas_leave(&instance, first);
	expect(third, "x3:3", "what was left is there again");
}

/* As after kq_seal: what is held on hosts that are up is held, and quota is as it was. */
Test(kq_tas_accounting, a_host_goes_and_comes_back)
{
	two_racks();
	const uint32_t first = workload(6, "rack"), second = workload(4, "rack");
	struct kq_host *host = &instance.kq->host[kq_host(instance.kq, "x1")];
	expect(first, "x3:4 x4:2", "the smaller rack");
	tas_admit(&instance, first);
	kq_tas_remove(instance.kq, first);
	instance.kq->workload[first].holds = false;
	kq_hold(instance.kq, first); /* Among its queue's holders, as one that a cycle admitted. */
	host->ready = false;
	cr_expect_eq(kq_hosts_changed(instance.kq), 0);
	expect(second, "x2:4", "x1 is gone, and what is held stays held");
	host->ready = true;
	cr_expect_eq(kq_hosts_changed(instance.kq), 0);
	expect(workload(8, "rack"), "x1:4 x2:4", "it is back");
	expect(workload(9, NULL), "-", "what is held is held still");
}

Test(kq_tas_accounting, marks_take_back)
{
	two_racks();
	const uint32_t big = workload(8, "rack"), small = workload(1, hosts);
	expect(small, "x4:1", "the tightest");
	expect(big, "x1:4 x2:4", "r1 is empty");
	tas_admit(&instance, big);
	const kq_marked mark = kq_mark(instance.kq);
	kq_tas_remove(instance.kq, big);
	const uint32_t other = workload(8, "rack");
	expect(other, "x1:4 x2:4", "with the first gone");
	const kq_marked inner = kq_mark(instance.kq);
	kq_tas_add_assignment(instance.kq, &instance.assignment);
	expect(other, "-", "and another in its place");
	kq_undo(instance.kq, inner);
	expect(other, "x1:4 x2:4", "not after all");
	kq_undo(instance.kq, mark);
	expect(other, "-", "nothing was done");
	cr_expect_str_eq(tas_place(&instance, other, true), "x1:4 x2:4", "an empty cluster has room");
}

Test(kq_tas_accounting, flavors_over_the_same_hosts_see_each_other)
{
	two_racks();
	const uint32_t shared = tas_flavor(&instance, "tas-b");
	const uint32_t own = instance.flavor;
	tas_seal(&instance);
	const uint32_t first = workload(4, hosts), second = workload(4, hosts);
	instance.flavor = shared;
	expect(first, "x1:4", "the first of four");
	tas_admit(&instance, first);
	instance.flavor = own;
	expect(second, "x2:4", "x1 is used by the other flavor");
	instance.kq->config.gate[KQ_GATE_TASHandleOverlappingFlavors] = false;
	instance.kq->workload[first].cond[KQ_QUOTA_RESERVED].status = KQ_TRUE;
	tas_seal(&instance);
	expect(second, "x1:4", "without the gate nobody knows");
}

Test(kq_tas_accounting, still_fits_looks_at_each_domain_without_pods)
{
	two_racks();
	const struct kq_podset podset[2] = { { .name = "a",
						     .count = 2,
						     .request = tas_cpus(&instance, 2000),
						     .topology = { .given = true, .required = hosts } },
		{ .name = "b",
			.count = 2,
			.request = tas_cpus(&instance, 2000),
			.topology = { .given = true, .required = hosts } } };
	const uint32_t row = tas_workload(&instance, podset, 2);
	expect(row, "x1:2 | x2:2", "a host each");
	cr_expect(kq_tas_still_fits(instance.kq, &instance.assignment), "as placed");
	instance.podset[1].placement = instance.podset[0].placement;
	cr_expect(kq_tas_still_fits(instance.kq, &instance.assignment), "podsets are not added up");
	const uint32_t other = workload(1, hosts);
	instance.kq->workload[other].podset[0].node_selector = (struct sl_labels){ NULL, 0 };
	struct kq_placement *at_x1 = instance.podset[0].placement;
	const struct kq_domain_count domain = at_x1->domain[0];
	(void)tas_place(&instance, other, false);
	instance.podset[0].placement->domain[0] = domain;
	instance.podset[0].placement->domain[0].count = 1;
	tas_admit(&instance, other);
	(void)tas_place(&instance, row, false);
	instance.podset[0].placement->domain[0] = domain;
	cr_expect_not(kq_tas_still_fits(instance.kq, &instance.assignment), "3 cpus are no two pods of 2");
}

Test(kq_tas_accounting, a_podset_without_pods_needs_no_domain)
{
	two_racks();
	const struct kq_podset podset[2] = { { .name = "a",
						     .count = 0,
						     .request = tas_cpus(&instance, 9000),
						     .topology = { .given = true, .required = hosts } },
		{ .name = "b",
			.count = 2,
			.request = tas_cpus(&instance, 2000),
			.topology = { .given = true, .required = hosts } } };
	expect(tas_workload(&instance, podset, 2), "- | x1:2", "none of nine cpus is looked for");
}

/* Admitted on two hosts of a rack; the first fails. */
static uint32_t failed(int64_t count, const char *required)
{
	static const char *const gone[] = { "x1" };
	two_racks();
	const uint32_t row = workload(count, required);
	(void)tas_place(&instance, row, false);
	tas_admit(&instance, row);
	instance.kq->workload[row].unhealthy = gone;
	instance.kq->workload[row].unhealthy_count = 1;
	instance.kq->host[kq_host(instance.kq, "x1")].ready = false;
	instance.kq->workload[row].cond[KQ_QUOTA_RESERVED].status = KQ_TRUE;
	tas_seal(&instance);
	return row;
}

Test(kq_tas_accounting, lost_pods_stay_in_the_required_domain)
{
	const uint32_t row = failed(7, "rack");
	expect(row, "-", "x1:4 x2:3 in r1: one cpu is left there");
	instance.kq->workload[row].podset[0].topology.required = NULL;
	instance.kq->workload[row].podset[0].topology.preferred = "rack";
	expect(row, "x2:3 x3:4", "preferred: anywhere");
}

Test(kq_tas_accounting, a_pod_that_owns_its_workload_stays)
{
	const uint32_t row = failed(4, hosts);
	struct kq_workload *one = &instance.kq->workload[row];
	expect(row, "x2:4", "the next host");
	one->owner_kind = "Pod";
	expect(row, "x1:4", "it cannot move");
	static const struct sl_label group = { "kueue.x-k8s.io/is-group-workload", "true" };
	one->annotations = (struct sl_labels){ &group, 1 };
	expect(row, "x2:4", "a group of one can");
	one->annotations.count = 0;
	instance.kq->config.gate[KQ_GATE_SkipReassignmentForPodOwnedWorkloads] = false;
	expect(row, "x2:4", "without the gate");
}

Test(kq_tas_accounting, other_domains_that_are_gone_end_it)
{
	const uint32_t row = failed(7, "rack");
	instance.kq->host[kq_host(instance.kq, "x2")].ready = false;
	tas_seal(&instance);
	instance.kq->workload[row].podset[0].topology.required = NULL;
	instance.kq->workload[row].podset[0].topology.preferred = "rack";
	expect(row, "-", "x2 is gone too");
}

Test(kq_tas_accounting, elastic_slices_keep_their_pods)
{
	two_racks();
	instance.kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlicesWithTAS] = true;
	struct kq_domain_count at[] = { { { "x2" }, 2 }, { { "x4" }, 2 } };
	const struct kq_placement before = { .level = { hosts }, .level_count = 1, .domain = at, .count = 2 };
	const uint32_t row = workload(6, NULL);
	struct kq_podset *podset = &instance.kq->workload[row].podset[0];
	podset->topology.unconstrained = true;
	podset->before = &before;
	expect(row, "x2:4 x4:2", "two more, where the least is free that holds both");
	podset->count = 3;
	expect(row, "x2:2 x4:1", "the last ones go");
	podset->count = 4;
	expect(row, "x2:2 x4:2", "as it was");
	instance.kq->host[kq_host(instance.kq, "x4")].ready = false;
	tas_seal(&instance);
	expect(row, "x1:4", "a place that is gone: all anew");
}

/* ---- With quota ---- */

static enum kq_mode assigned(uint32_t row)
{
	(void)tas_place(&instance, row, false);
	kq_tas_assign(instance.kq, instance.scratch, &instance.assignment);
	return instance.assignment.mode;
}

Test(kq_tas_accounting, quota_without_a_place)
{
	two_racks();
	const uint32_t runs = workload(8, "rack"), waits = workload(8, "rack"), never = workload(9, "rack");
	cr_expect_eq(assigned(runs), KQ_FIT);
	cr_expect(instance.podset[0].placement != NULL);
	tas_admit(&instance, runs);
	cr_expect_eq(assigned(waits), KQ_PREEMPT, "there is a place once the first is gone");
	cr_expect_eq(instance.pick[0].mode, KQ_PREEMPT);
	cr_expect_eq(assigned(never), KQ_NO_FIT, "no rack has nine cpus");
}

Test(kq_tas_accounting, flavors_and_podsets_agree)
{
	two_racks();
	const uint32_t plain = kq_flavor(instance.kq, "plain"), row = workload(1, "rack");
	struct kq_podset *podset = &instance.kq->workload[row].podset[0];
	cr_expect_null(kq_tas_mismatch(instance.kq, instance.queue, podset, instance.flavor));
	podset->topology.required = "row";
	cr_expect_not_null(kq_tas_mismatch(instance.kq, instance.queue, podset, instance.flavor),
		"it has no such level");
	podset->topology = (struct kq_topology_request){ .given = false };
	cr_expect_null(kq_tas_mismatch(instance.kq, instance.queue, podset, instance.flavor), "implied");
	cr_expect(kq_tas_only(instance.kq, instance.queue));
	static const uint32_t cpu = KQ_CPU;
	struct kq_group_flavor flavor[2] = { { .flavor = instance.flavor }, { .flavor = plain } };
	struct kq_group group = {
		.resource = &cpu, .resource_count = 1, .flavor = flavor, .flavor_count = 2
	};
	instance.kq->node[instance.queue].group = &group;
	cr_expect_not(kq_tas_only(instance.kq, instance.queue));
	cr_expect_not_null(
		kq_tas_mismatch(instance.kq, instance.queue, podset, instance.flavor), "it did not ask");
	cr_expect_null(kq_tas_mismatch(instance.kq, instance.queue, podset, plain));
	podset->topology = (struct kq_topology_request){ .given = true, .unconstrained = true };
	cr_expect_not_null(kq_tas_mismatch(instance.kq, instance.queue, podset, plain),
		"it asks, of a covered resource");
	const struct kq_amount memory = { KQ_MEMORY, 1 };
	podset->pod = kq_amounts(instance.kq, &memory, 1);
	cr_expect_null(kq_tas_mismatch(instance.kq, instance.queue, podset, plain),
		"cpu is what its quota is counted in, not what a pod asks for");
	podset->pod = (struct kq_amounts){ 0 };
	group.resource_count = 0;
	cr_expect_null(
		kq_tas_mismatch(instance.kq, instance.queue, podset, plain), "nothing of it is covered");
}
