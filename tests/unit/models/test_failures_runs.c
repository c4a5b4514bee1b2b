/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_failures_runs.c - failures under what schedules: slurmctld, plans that suspend, jobs that are
 * deferred, outages of leaves.
 *
 * Failures come at known times, from a log, so that each run is worked out by hand.
 */
#include "tests/world/failures_world.h"

static const char two_nodes[] = "nodes:\n  - name: n\n    count: 2\n    cpus: 8\n    gpus: 8\n";

static double seconds(sl_time time) { return (double)time / 1e6; }

static double starts_last(const struct fw *w, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(&w->sim.result, job, &attempt);
	return (double)(count ? attempt[count - 1].start : w->sim.result.start[job]) / 1e6;
}

static double waits(const struct fw *w, uint32_t job)
{
	return (double)sl_wait_total_of(&w->sim.result, job) / 1e6;
}

/* ---- slurmctld ----------------------------------------------------------------------------------------- */

/* n1 is down from 400 to 410. slurmctld lets a job that was requeued begin after 121 s at the earliest. */
Test(failures, slurm_requeues)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,2,8,8\n",
		.log = "node,from,until\nn1,400,410\n",
		.policy = "slurm" };
	run(&w);
	const struct sl_attempt *attempt;
	cr_assert_eq(sl_attempts_of(&w.sim.result, 0, &attempt), 2);
	cr_expect_eq(attempt[0].state, SL_NODE_FAIL);
	EXPECT(seconds(attempt[0].end), 400);
	EXPECT(seconds(attempt[0].lost), 400);
	cr_expect(attempt[1].start >= 521 * SL_SECOND && attempt[1].start <= 600 * SL_SECOND,
		"starts at %lld", (long long)attempt[1].start);
	EXPECT(ends(&w, 0), seconds(attempt[1].start) + 1000);
	EXPECT(column(&w, "attempts_failed", 0), 1);
	end(&w);
}

/* Its submitter does not want it again. */
Test(failures, slurm_ends_what_may_not_be_requeued)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = "job_id,submit,run_time,time_limit,nodes,cpus_per_node,requeue\n1,0,1000,2000,2,8,0\n",
		.log = "node,from,until\nn1,400,410\n",
		.policy = "slurm" };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_NODE_FAIL);
	EXPECT(ends(&w, 0), 400);
	end(&w);
}

/* Nothing starts on a node that is down (n1, until 3000) or drained (n2, until 2000): job 1 goes on on n2,
 * jobs 2 and 3 begin there once it is resumed. */
Test(failures, slurm_keeps_off_nodes)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,1,8,8\n2,0,300,2000,1,8,8\n3,500,100,2000,1,8,8\n",
		.log = "node,from,until,state\nn2,400,3000,DOWN\nn1,300,2000,DRAIN\n",
		.policy = "slurm" };
	run(&w);
	EXPECT(ends(&w, 0), 1000);
	EXPECT(ends(&w, 1), 300);
	cr_expect(
		starts_last(&w, 2) >= 2000 && starts_last(&w, 2) < 2100, "starts at %g", starts_last(&w, 2));
	end(&w);
}

/* ---- Put off ------------------------------------------------------------------------------------------- */

/* Job 1 fails at 400, with its node back at 500: it may begin at 1060, and waits for that. Job 2 came later,
 * and takes its place meanwhile. */
Test(failures, failed_jobs_back_off)
{
	static const char *const policies[] = { "fcfs", "easy", "conservative", "greedy", "slices" };
	for (size_t i = 0; i < SL_LEN(policies); i++) {
		struct fw w = { .cluster = two_nodes,
			.jobs = JOBS_HEAD "1,0,1000,2000,2,8,8\n2,450,100,200,2,8,8\n",
			.log = "node,from,until\nn1,400,500\n",
			.settings = { "failures.backoff=11m" },
			.policy = policies[i] };
		run(&w);
		EXPECT(starts_last(&w, 0), 1060);
		EXPECT(ends(&w, 0), 2060);
		EXPECT(ends(&w, 1), 600);
		EXPECT(waits(&w, 0), 660);
		struct sl_charging charging = sl_charges_of(&w.sim.result, 0);
		struct sl_charge charge;
		cr_assert(sl_charge_next(&charging, &charge));
		cr_expect_eq(charge.reason, SL_REASON_BEGIN_TIME, "%s", policies[i]);
		EXPECT(seconds(charge.until), 1060);
		EXPECT(metric(&w, "failures.restart_node_hours"), round(1320.0 / 3600 * 1e6) / 1e6);
		end(&w);
	}
}

/* A user's cancellation finds it outside the queue. */
Test(failures, jobs_that_back_off_are_cancelled)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = "job_id,submit,run_time,time_limit,nodes,cpus_per_node,cancel\n1,0,1000,2000,2,8,700\n"
			"2,2000,10,20,1,1,\n",
		.log = "node,from,until\nn1,400,500\n",
		.settings = { "failures.backoff=11m" } };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_CANCELLED);
	EXPECT(ends(&w, 0), 700);
	EXPECT(waits(&w, 0), 300);
	EXPECT(ends(&w, 1), 2010);
	end(&w);
}

/* Its node never comes back: it waits until the end of the run, which is its failure. */
Test(failures, a_job_may_wait_for_ever)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,2,8,8\n",
		.log = "node,from,until\nn1,900,\n" };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_PENDING);
	EXPECT(seconds(w.sim.result.last), 900);
	EXPECT(waits(&w, 0), 0);
	end(&w);
}

/* ---- Suspension ---------------------------------------------------------------------------------------- */

/* Two jobs take turns of 200 s on both nodes; n1 fails at 900: the one that runs and the one that stands
 * still lose their work, 500 and 400 s on two nodes, and both are done once it is back. */
Test(failures, suspended_jobs_fail_too)
{
	struct fw w = { .cluster = two_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,2,8,8\n2,0,1000,2000,2,8,8\n",
		.log = "node,from,until\nn1,900,1000\n",
		.policy = "slices:quantum=200" };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	cr_expect_eq(w.sim.result.state[1], SL_COMPLETED);
	EXPECT(metric(&w, "failures.jobs_hit"), 2);
	EXPECT(metric(&w, "failures.lost_node_hours"), round(1800.0 / 3600 * 1e6) / 1e6);
	EXPECT(column(&w, "attempts_failed", 0), 1);
	EXPECT(column(&w, "attempts_failed", 1), 1);
	EXPECT(seconds(w.sim.result.last), 3000);
	end(&w);
}

/* ---- Leaves -------------------------------------------------------------------------------------------- */

/* Outages of a leaf take its two nodes, and the job there, and no other. */
Test(failures, leaves_fail_with_their_nodes)
{
	struct fw w = {
		.cluster = "nodes:\n  - name: n\n    count: 4\n    cpus: 8\n    gpus: 8\n"
			   "switches:\n  - name: s1\n    nodes: n[1-2]\n  - name: s2\n    nodes: n[3-4]\n"
			   "  - name: top\n    switches: s1,s2\n",
		.jobs = JOBS_HEAD "1,0,100000,200000,2,8,8\n2,0,100000,200000,2,8,8\n",
		.settings = { "failures.rate=0", "failures.leaf_rate=3000", "failures.leaf_time=100" },
		.seed = 7
	};
	run(&w);
	const double outages = metric(&w, "failures.count{cause=leaf_switch}");
	cr_assert(outages > 2, "%g outages", outages);
	EXPECT(metric(&w, "failures.total"), outages);
	EXPECT(metric(&w, "failures.down_node_hours"), round(outages * 200.0 / 3600 * 1e6) / 1e6);
	EXPECT(column(&w, "attempts_failed", 0) + column(&w, "attempts_failed", 1),
		metric(&w, "failures.jobs_hit"));
	cr_expect(metric(&w, "failures.jobs_hit") <= outages);
	/* Each node down for 100 s an outage of its leaf. */
	for (size_t i = 0; i < w.sim.result.node_change_count; i++) {
		const struct sl_node_change *change = &w.sim.result.node_change[i];
		const uint32_t other = change->node ^ 1;
		bool found = false;
		for (size_t k = 0; k < w.sim.result.node_change_count; k++)
			found |= w.sim.result.node_change[k].node == other &&
				 w.sim.result.node_change[k].at == change->at &&
				 w.sim.result.node_change[k].up == change->up;
		cr_expect(found, "node %u changes alone", change->node);
	}
	end(&w);
}
