/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_life.c - a workload of Kueue between cycles, clause by clause: evictions, backoffs, checks, stopped
 * queues, readiness, time limits.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/kueue/rules/kq_status.h"
#include "tests/world/kq_victims_world.h"

static struct ks_instance w;

static const struct kq_cond *cond(uint32_t workload, enum kq_cond_type type)
{
	return &w.kq->workload[workload].cond[type];
}

static bool is(uint32_t workload, enum kq_cond_type type, enum kq_cond_status status, const char *reason)
{
	const struct kq_cond *found = cond(workload, type);
	return found->status == status && strcmp(found->reason ? found->reason : "", reason) == 0;
}

/* A queue "a" of 4 with its LocalQueue, and a workload that is admitted there with all of it. */
static uint32_t admitted(uint32_t *queue)
{
	ks_begin(&w);
	*queue = ks_queue(&w, "a", NULL, 4);
	const uint32_t local = kq_local_queue(w.kq, "", "l");
	w.kq->local[local].queue = *queue;
	w.kq->local[local].queue_name = w.kq->node[*queue].name;
	w.kq->local[local].exists = true;
	const uint32_t job = ks_holds(&w, "job", *queue, 0, 4);
	w.kq->workload[job].local = local;
	w.kq->workload[job].queue_name = kq_text(w.kq, "l");
	kq_set_cond(w.kq, job, KQ_ADMITTED, KQ_TRUE, "Admitted", NULL, 0);
	ks_seal(&w);
	return job;
}

static int64_t used(uint32_t queue)
{
	return w.kq->usage[(size_t)queue * w.kq->fr_count + ks_cell(&w, "f", "cpu")];
}

Test(kq_life, an_eviction_keeps_its_quota_until_the_pods_are_gone)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	kq_evict(w.kq, job, "Preempted", "make room");
	cr_expect_eq(used(a), 4);
	kq_evicted(w.kq, job);
	cr_expect_eq(used(a), 0);
	cr_expect(is(job, KQ_QUOTA_RESERVED, KQ_FALSE, "PendingEvaluation"));
	cr_expect(is(job, KQ_ADMITTED, KQ_FALSE, "NoReservation"));
	cr_expect(is(job, KQ_REQUEUED, KQ_TRUE, "Preempted"));
	cr_expect_null(w.kq->workload[job].admission);
	cr_expect_eq(w.kq->node[a].generation, 1, "flavors may be tried again");
	cr_expect(kq_queue_notified(w.kq));
	ks_end(&w);
}

Test(kq_life, who_is_not_evicted_gives_nothing_back)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	kq_evicted(w.kq, job);
	cr_expect_eq(used(a), 4);
	ks_end(&w);
}

Test(kq_life, finished_and_deleted_give_quota_back_once)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	kq_finish(w.kq, job, "JobFinished");
	cr_expect_eq(used(a), 0);
	cr_expect(is(job, KQ_FINISHED, KQ_TRUE, "JobFinished"));
	kq_finish(w.kq, job, "JobFinished");
	kq_delete(w.kq, job);
	cr_expect_eq(used(a), 0);
	cr_expect(w.kq->workload[job].gone);
	ks_end(&w);
}

/* ---- waitForPodsReady ---- */

static void wait_for_pods(void)
{
	w.kq->config.wait_ready = true;
	w.kq->config.ready_timeout = 300 * SL_SECOND;
	w.kq->config.recovery_timeout = 100 * SL_SECOND;
}

Test(kq_life, not_ready_in_time)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	wait_for_pods();
	w.kq->now = 200 * SL_SECOND;
	cr_expect_eq(kq_reconcile(w.kq, job), 300 * SL_SECOND);
	w.kq->now = 300 * SL_SECOND;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_TRUE, "PodsReadyTimeout"));
	cr_expect_eq(w.kq->workload[job].requeue_count, 1);
	cr_expect_eq(w.kq->workload[job].requeue_at, 360 * SL_SECOND, "the base is 60 s");
	kq_evicted(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_FALSE, "PodsReadyTimeout"));
	cr_expect_eq(kq_reconcile(w.kq, job), 360 * SL_SECOND);
	w.kq->now = 360 * SL_SECOND;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_TRUE, "BackoffFinished"));
	ks_end(&w);
}

Test(kq_life, backoffs_double_up_to_the_maximum)
{
	static const int64_t wait_s[] = { 60, 120, 240, 300, 300 };
	uint32_t a;
	const uint32_t job = admitted(&a);
	wait_for_pods();
	w.kq->config.backoff_max = 300 * SL_SECOND;
	w.kq->now = 300 * SL_SECOND;
	for (size_t i = 0; i < SL_LEN(wait_s); i++) {
		w.kq->workload[job].cond[KQ_EVICTED] = (struct kq_cond){ 0 };
		w.kq->workload[job].requeue_at = SL_NONE;
		(void)kq_reconcile(w.kq, job);
		cr_expect_eq(w.kq->workload[job].requeue_at, w.kq->now + wait_s[i] * SL_SECOND, "%zu", i);
	}
	ks_end(&w);
}

Test(kq_life, too_many_retries_end_it)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	wait_for_pods();
	w.kq->config.backoff_limit = 2;
	w.kq->workload[job].requeue_count = 2;
	w.kq->now = 300 * SL_SECOND;
	cr_expect_eq(kq_reconcile(w.kq, job), w.kq->now, "it wants another pass");
	cr_expect(is(job, KQ_DEACTIVATION_TARGET, KQ_TRUE, "RequeuingLimitExceeded"));
	cr_expect(is(job, KQ_EVICTED, KQ_ABSENT, ""));
	(void)kq_reconcile(w.kq, job);
	cr_expect_not(w.kq->workload[job].active);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_TRUE, "DeactivatedDueToRequeuingLimitExceeded"));
	cr_expect_eq(w.kq->workload[job].requeue_count, 0);
	ks_end(&w);
}

Test(kq_life, once_ready_it_waits_for_recovery)
{
	sl_time left;
	uint32_t a;
	const uint32_t job = admitted(&a);
	wait_for_pods();
	kq_pods_ready(w.kq, job, true);
	cr_expect_null(kq_ready_check(w.kq, &w.kq->workload[job], &left));
	w.kq->now = 1000 * SL_SECOND;
	kq_pods_ready(w.kq, job, false);
	cr_expect_str_eq(kq_ready_check(w.kq, &w.kq->workload[job], &left), "WaitForRecovery");
	cr_expect_eq(left, 100 * SL_SECOND);
	w.kq->config.recovery_timeout = SL_NONE;
	cr_expect_null(kq_ready_check(w.kq, &w.kq->workload[job], &left), "nobody waits");
	ks_end(&w);
}

Test(kq_life, a_later_requeue_stays)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	cr_expect(kq_set_requeue(w.kq, job, 100, false));
	cr_expect_not(kq_set_requeue(w.kq, job, 50, false));
	cr_expect_eq(w.kq->workload[job].requeue_at, 100);
	cr_expect(kq_set_requeue(w.kq, job, 50, true));
	cr_expect_eq(w.kq->workload[job].requeue_at, 100);
	ks_end(&w);
}

/* ---- Checks ---- */

static void give_check(uint32_t job, enum kq_check_state state)
{
	struct kq_workload_check *check = kq_alloc(w.kq, 1, sizeof(*check));
	SL_CHECK(check);
	*check = (struct kq_workload_check){ .check = kq_check(w.kq, "c"), .state = state };
	w.kq->workload[job].check = check;
	w.kq->workload[job].check_count = 1;
}

/* The queue requires the check as well; not yet admitted. */
static uint32_t reserved(uint32_t *queue, enum kq_check_state state)
{
	const uint32_t job = admitted(queue);
	struct kq_queue_check *asked = kq_alloc(w.kq, 1, sizeof(*asked));
	SL_CHECK(asked);
	*asked = (struct kq_queue_check){ .check = kq_check(w.kq, "c"), .all_flavors = true };
	w.kq->node[*queue].check = asked;
	w.kq->node[*queue].check_count = 1;
	w.kq->workload[job].cond[KQ_ADMITTED] = (struct kq_cond){ 0 };
	give_check(job, state);
	return job;
}

Test(kq_life, admitted_once_all_checks_are_ready)
{
	uint32_t a;
	const uint32_t job = reserved(&a, KQ_CHECK_PENDING);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_ADMITTED, KQ_FALSE, "UnsatisfiedAdmissionChecks"));
	kq_check_set(w.kq, job, kq_check(w.kq, "c"), KQ_CHECK_READY, 0);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_ADMITTED, KQ_TRUE, "Admitted"));
	ks_end(&w);
}

Test(kq_life, a_retry_evicts_and_waits)
{
	uint32_t a;
	const uint32_t job = reserved(&a, KQ_CHECK_PENDING);
	w.kq->now = 10 * SL_SECOND;
	kq_check_set(w.kq, job, kq_check(w.kq, "c"), KQ_CHECK_RETRY, 60 * SL_SECOND);
	w.kq->now = 30 * SL_SECOND;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_TRUE, "AdmissionCheck"));
	cr_expect_eq(w.kq->workload[job].requeue_at, 70 * SL_SECOND, "from when it was said");
	cr_expect_eq(w.kq->workload[job].check[0].state, KQ_CHECK_PENDING);
	ks_end(&w);
}

Test(kq_life, a_rejection_deactivates)
{
	uint32_t a;
	const uint32_t job = reserved(&a, KQ_CHECK_REJECTED);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_DEACTIVATION_TARGET, KQ_TRUE, "AdmissionCheck"));
	ks_end(&w);
}

/* ---- Stopped, deactivated, out of time ---- */

Test(kq_life, keep_lets_admitted_ones_run_and_drains_reservations)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	w.kq->node[a].stop = KQ_HOLD;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_ABSENT, ""));
	w.kq->workload[job].cond[KQ_ADMITTED] = (struct kq_cond){ 0 };
	give_check(job, KQ_CHECK_PENDING);
	struct kq_queue_check asked = { .check = kq_check(w.kq, "c"), .all_flavors = true };
	w.kq->node[a].check = &asked;
	w.kq->node[a].check_count = 1;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_QUOTA_RESERVED, KQ_FALSE, "Suspended"));
	cr_expect_eq(used(a), 0);
	ks_end(&w);
}

Test(kq_life, keep_and_drain_evicts_until_the_queue_is_started)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	w.kq->node[a].stop = KQ_HOLD_AND_DRAIN;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_TRUE, "ClusterQueueStopped"));
	kq_evicted(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_FALSE, "ClusterQueueStopped"));
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_FALSE, "ClusterQueueStopped"));
	w.kq->node[a].stop = KQ_STOP_NONE;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_TRUE, "ClusterQueueRestarted"));
	ks_end(&w);
}

Test(kq_life, deactivated_and_active_retry)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	kq_set_active(w.kq, job, false);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_EVICTED, KQ_TRUE, "Deactivated"));
	kq_evicted(w.kq, job);
	kq_set_active(w.kq, job, true);
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_REQUEUED, KQ_TRUE, "Reactivated"));
	ks_end(&w);
}

Test(kq_life, time_of_earlier_admissions_counts)
{
	uint32_t a;
	const uint32_t job = admitted(&a);
	w.kq->workload[job].max_execution = 100 * SL_SECOND;
	w.kq->workload[job].executed = 60 * SL_SECOND;
	w.kq->now = 39 * SL_SECOND;
	cr_expect_eq(kq_reconcile(w.kq, job), 40 * SL_SECOND);
	w.kq->now = 40 * SL_SECOND;
	(void)kq_reconcile(w.kq, job);
	cr_expect(is(job, KQ_DEACTIVATION_TARGET, KQ_TRUE, "MaximumExecutionTimeExceeded"));
	ks_end(&w);
}

Test(kq_life, a_queue_is_inactive_for_the_first_reason)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	w.kq->flavor[0].exists = false;
	w.kq->node[a].stop = KQ_HOLD;
	ks_seal(&w);
	cr_expect_not(w.kq->node[a].active);
	cr_expect_str_eq(w.kq->node[a].inactive_reason, "Stopped");
	cr_expect_str_eq(w.kq->node[a].inactive_message,
		"Can't admit new workloads: is stopped, references missing ResourceFlavor(s): f.");
	w.kq->node[a].terminating = true;
	kq_queue_status(w.kq, a);
	cr_expect_str_eq(w.kq->node[a].inactive_reason, "Terminating");
	ks_end(&w);
}

/* ---- Queues with MultiKueue ---- */

static struct kq_queue_check checked(const char *name, enum kq_check_kind kind)
{
	const uint32_t row = kq_check(w.kq, name);
	w.kq->check[row].exists = w.kq->check[row].active = true;
	w.kq->check[row].kind = kind;
	return (struct kq_queue_check){ .check = row, .all_flavors = true };
}

static const char *inactive(uint32_t queue)
{
	kq_queue_status(w.kq, queue);
	return w.kq->node[queue].inactive_reason;
}

Test(kq_life, multikueue_goes_with_few_others)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4), other = kq_flavor(w.kq, "other");
	struct kq_queue_check check[] = { checked("m", KQ_CHECK_MULTIKUEUE),
		checked("p", KQ_CHECK_PROVISIONING) };
	const uint32_t own[] = { kq_flavor(w.kq, "f"), other };
	w.kq->node[a].check = check;
	w.kq->node[a].check_count = 2;
	ks_seal(&w);
	cr_expect_str_eq(inactive(a), "MultiKueueWithProvisioningRequest");
	cr_expect_str_eq(w.kq->node[a].inactive_message,
		"Can't admit new workloads: Cannot use both MultiKueue and ProvisioningRequest "
		"AdmissionChecks together, found: m, p.");
	w.kq->node[a].check_count = 1;
	cr_expect_str_eq(inactive(a), "Ready");
	check[0].all_flavors = false;
	check[0].flavor = own;
	check[0].flavor_count = 1;
	cr_expect_str_eq(inactive(a), "Ready", "it names all that there are");
	check[0].flavor_count = 2;
	cr_expect_str_eq(inactive(a), "MultiKueueAdmissionCheckAppliedPerFlavor");
	check[0].all_flavors = true;
	w.kq->node[a].concurrent = true;
	cr_expect_str_eq(inactive(a), "Ready", "without the gate");
	w.kq->config.gate[KQ_GATE_ConcurrentAdmission] = true;
	cr_expect_str_eq(inactive(a), "MultiKueueWithConcurrentAdmission");
	ks_end(&w);
}

Test(kq_life, topologies_are_of_the_worker_clusters)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	struct kq_queue_check check = checked("m", KQ_CHECK_MULTIKUEUE);
	w.kq->flavor[0].topology = kq_topology(w.kq, "t");
	ks_seal(&w);
	cr_expect_str_eq(inactive(a), "TopologyNotFound");
	cr_expect_str_eq(w.kq->node[a].inactive_message,
		"Can't admit new workloads: there is no Topology t for TAS flavor f.");
	w.kq->node[a].check = &check;
	w.kq->node[a].check_count = 1;
	cr_expect_str_eq(inactive(a), "Ready");
	ks_end(&w);
}
