/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_failures.c - whole runs in which nodes and jobs fail: each rule by hand, the same failures under all
 * policies, what is reported.
 *
 * Failures at known times come from a log; those that are drawn are compared with themselves, or with what
 * was published.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/failures_world.h"

#define Z_LIMIT 4.90 /* Two-sided, once in a million. */

/* ---- A node fails -------------------------------------------------------------------- */

/* Job 1 on n1 and n2, job 2 on n3 and n4, of 1000 s each. n1 is down from 400 to 500: job 1 loses 400 s on
 * two nodes (16 GPUs) and begins again at 500, as it needs both. */
Test(failures, a_job_that_loses_a_node_loses_all)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,2,8,8\n2,0,1000,2000,2,8,8\n",
		.log = "node,from,until,cause\nn1,400,500,gpu\n" };
	run(&w);
	EXPECT(ends(&w, 0), 1500);
	EXPECT(ends(&w, 1), 1000);
	EXPECT(metric(&w, "failures.total"), 1);
	EXPECT(metric(&w, "failures.jobs_hit"), 1);
	EXPECT(metric(&w, "failures.count{cause=gpu}"), 1);
	EXPECT(metric(&w, "failures.lost_gpu_hours"), round(400.0 * 16 / 3600 * 1e6) / 1e6);
	EXPECT(metric(&w, "failures.lost_node_hours"), round(800.0 / 3600 * 1e6) / 1e6);
	EXPECT(metric(&w, "failures.restart_node_hours"), round(200.0 / 3600 * 1e6) / 1e6);
	EXPECT(metric(&w, "failures.useful_node_hours"), round(4000.0 / 3600 * 1e6) / 1e6);
	EXPECT(metric(&w, "failures.down_node_hours"), round(100.0 / 3600 * 1e6) / 1e6);
	/* 100 of 4 * 1500 node-seconds. */
	EXPECT(metric(&w, "failures.availability"), round((1 - 100.0 / 6000) * 1e6) / 1e6);
	EXPECT(column(&w, "ettr", 0), round(1000.0 / 1500 * 1e6) / 1e6);
	EXPECT(column(&w, "ettr", 1), 1);
	EXPECT(column(&w, "attempts_failed", 0), 1);
	EXPECT(metric(&w, "ettr.mean"), (0.666667 + 1) / 2);
	cr_assert_eq(w.sim.result.attempt_count, 2);
	cr_expect_eq(w.sim.result.attempts[0].state, SL_NODE_FAIL);
	end(&w);
}

/* Two attempts at most: the second failure ends it. */
Test(failures, attempts_are_limited)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,4,8,8\n",
		.log = "node,from,until\nn1,400,500\nn2,600,700\n",
		.settings = { "failures.attempts=2" } };
	run(&w);
	EXPECT(ends(&w, 0), 600);
	cr_expect_eq(w.sim.result.state[0], SL_NODE_FAIL);
	EXPECT(column(&w, "ettr", 0), 0);
	/* 400 s and 100 s on four nodes. */
	EXPECT(metric(&w, "failures.lost_node_hours"), round(2000.0 / 3600 * 1e6) / 1e6);
	EXPECT(metric(&w, "failures.useful_node_hours"), 0);
	end(&w);
}

/* A drained node lets go on what runs; nothing new starts there: job 2 waits until 1500. */
Test(failures, a_drained_node_lets_go_on)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,4,8,8\n2,100,10,20,4,8,8\n",
		.log = "NodeName|TimeStart|TimeEnd|State|Reason\nn1|400|1500|DRAINING|fans, two of them\n" };
	run(&w);
	EXPECT(ends(&w, 0), 1000);
	EXPECT(ends(&w, 1), 1510);
	EXPECT(metric(&w, "failures.count{cause=fans_ two of them}"), 1);
	EXPECT(metric(&w, "failures.jobs_hit"), 0);
	end(&w);
}

/* Two failures of one node that overlap: it is back when both are over. */
Test(failures, outages_of_a_setting)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,4,8,8\n2,100,10,20,4,8,8\n",
		.settings = { "failures.outages=n[1-2] 400 1500 drain; n3 1200 1300; n4 1510 -" } };
	run(&w);
	EXPECT(ends(&w, 0), 1000);
	/* At 1500, with all four; it ends as n4 goes. */
	EXPECT(ends(&w, 1), 1510);
	EXPECT(metric(&w, "failures.jobs_hit"), 0);
	end(&w);
}

Test(failures, outages_overlap)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,4,8,8\n",
		.log = "node,from,until\nn1,100,300\n\"n[1-2]\",200,500\n" };
	run(&w);
	EXPECT(ends(&w, 0), 1500);
	EXPECT(metric(&w, "failures.total"), 2);
	end(&w);
}

/* Jobs 1 and 2 are a gang on n1 and n2: both lose all as n1 fails at 400, and begin again at 500; by gangs=0
 * job 2 goes on. */
Test(failures, gangs_fail_together)
{
	struct fw w = { .cluster = "nodes:\n  - name: n\n    count: 2\n    cpus: 8\n    gpus: 8\n",
		.jobs = "job_id,submit,run_time,time_limit,nodes,cpus_per_node,gang\n"
			"1,0,1000,2000,1,8,a\n2,0,1000,2000,1,8,a\n",
		.log = "node,from,until\nn1,400,500\n",
		.policy = "gang" };
	run(&w);
	EXPECT(ends(&w, 0), 1500);
	EXPECT(ends(&w, 1), 1500);
	EXPECT(metric(&w, "failures.jobs_hit"), 2);
	end(&w);
	struct fw apart = { .cluster = w.cluster,
		.jobs = w.jobs,
		.log = w.log,
		.policy = "fcfs",
		.settings = { "failures.gangs=0" } };
	run(&apart);
	EXPECT(ends(&apart, 1), 1000);
	EXPECT(metric(&apart, "failures.jobs_hit"), 1);
	end(&apart);
}

/* The nodes of a power domain go down and come up together; those of others not. */
Test(failures, domains_fail_together)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,259200,300000,1,8,8\n",
		.settings = { "failures.rate=0", "failures.domain=2", "failures.domain_rate=1000",
			"failures.domain_time=30m" } };
	run(&w);
	const struct sl_result *result = &w.sim.result;
	cr_assert_gt(result->node_change_count, 10);
	for (size_t i = 0; i + 1 < result->node_change_count; i += 2) {
		const struct sl_node_change *a = &result->node_change[i], *b = a + 1;
		cr_expect(a->at == b->at && a->node + 1 == b->node && a->node % 2 == 0 && a->up == b->up);
	}
	EXPECT(metric(&w, "failures.total"), metric(&w, "failures.count{cause=power_domain}"));
	end(&w);
}

/* Rates of entries of nodes, in the cluster's file. */
Test(failures, entries_have_rates_of_their_own)
{
	struct fw w = { .cluster = "failures:\n  rate: 0\n  nodes:\n    - { name: b, mtbf: 12h }\n"
				   "nodes:\n  - { name: a, count: 2, cpus: 8, gpus: 8 }\n"
				   "  - { name: b, count: 2, cpus: 8, gpus: 8 }\n",
		.jobs = JOBS_HEAD "1,0,864000,900000,1,8,8\n" };
	run(&w);
	cr_assert_gt(w.sim.result.node_change_count, 10);
	for (size_t i = 0; i < w.sim.result.node_change_count; i++)
		cr_expect_geq(w.sim.result.node_change[i].node, 2);
	end(&w);
}

/* Of 400 nodes a twentieth are lemons, which fail ten times as often: all together 1.45 times as often, and
 * of the failures they have 0.5 / 1.45 = 34 %. */
Test(failures, lemons_have_their_share, .timeout = 60)
{
	struct fw w = { .cluster = "nodes:\n  - { name: n, count: 400, cpus: 8, gpus: 8 }\n",
		.jobs = JOBS_HEAD "1,0,10,10,1,8,8\n2,34560000,10,10,1,8,8\n",
		.settings = { "failures.mtbf=100d", "failures.repair=fixed", "failures.repair_time=0",
			"failures.lemons=0.05" },
		.unchecked = true };
	run(&w);
	uint32_t lemons = 0;
	for (uint32_t i = 1; i <= 400; i++) {
		char name[64];
		snprintf(name, sizeof(name), "models/failures/lemon/n%" PRIu32, i);
		struct sl_rng rng = sl_rng_stream(1, name);
		lemons += sl_rng_unit(&rng) < 0.05;
	}
	/* 400 days of nodes that fail once, lemons ten times, in 100 days. */
	const double expected = 4.0 * (400 + 9.0 * lemons);
	cr_expect(lemons > 5 && lemons < 40, "%u lemons of 400", lemons);
	cr_expect_lt(fabs(metric(&w, "failures.total") - expected) / sqrt(expected), Z_LIMIT, "%g, not %g",
		metric(&w, "failures.total"), expected);
	end(&w);
}

/* ---- Jobs fail by themselves ------------------------------------------------------------- */

Test(failures, jobs_fail_at_a_part_of_their_work)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,1,8,8\n",
		.settings = { "failures.rate=0", "failures.job_share=1", "failures.job_at=0.25",
			"failures.retries=2" } };
	run(&w);
	/* Three attempts of 250 s. */
	EXPECT(ends(&w, 0), 750);
	cr_expect_eq(w.sim.result.state[0], SL_FAILED);
	EXPECT(metric(&w, "failures.count{cause=job}"), 3);
	EXPECT(metric(&w, "failures.lost_gpu_hours"), round(750.0 * 8 / 3600 * 1e6) / 1e6);
	end(&w);
}

Test(failures, out_of_memory_and_cancelled)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,1,8,8\n",
		.settings = { "failures.rate=0", "failures.job_share=1", "failures.job_at=0.5",
			"failures.oom_share=1" } };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_OUT_OF_MEMORY);
	EXPECT(ends(&w, 0), 500);
	end(&w);
	struct fw c = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,1000,2000,1,8,8\n",
		.settings = { "failures.rate=0", "failures.cancel_share=1" } };
	run(&c);
	cr_expect_eq(c.sim.result.state[0], SL_CANCELLED);
	cr_expect_lt(ends(&c, 0), 1000);
	EXPECT(metric(&c, "failures.count{cause=cancelled}"), 1);
	EXPECT(metric(&c, "failures.lost_node_hours"), 0);
	end(&c);
}

/* ---- Spares ---------------------------------------------------------------------------------- */

/* Three nodes for jobs and a spare. All nodes fail a thousand times in 1 000 days or so; a job of three nodes
 * goes on as soon as the spare stands in: nothing waits for a repair unless two nodes are away. */
Test(failures, spares_stand_in)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,8640000,9000000,3,8,8\n",
		.settings = { "failures.mtbf=2000d", "failures.repair=fixed", "failures.repair_time=12h",
			"failures.spares=1", "failures.lemon_nodes=n1", "failures.lemon_factor=200",
			"failures.attempts=3" } };
	run(&w);
	/* n1 fails every ten days or so: at each failure the job goes over, at once. */
	EXPECT(metric(&w, "failures.restart_node_hours"), 0);
	EXPECT(metric(&w, "failures.spares.missed"), 0);
	cr_expect_geq(metric(&w, "failures.spares.used"), 2);
	cr_expect_geq(metric(&w, "failures.spares.node_hours"), 12);
	end(&w);
}

Test(failures, spares_are_kept_free)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,100,200,3,8,8\n2,0,100,200,1,8,8\n",
		.settings = { "failures.rate=0", "failures.spares=1" } };
	run(&w);
	EXPECT(ends(&w, 0), 100);
	EXPECT(ends(&w, 1), 200);
	end(&w);
}

/* ---- The same failures under all policies ------------------------------------------------------- */

static const char *many_jobs(void)
{
	static char text[20000];
	size_t len = (size_t)snprintf(text, sizeof(text), JOBS_HEAD);
	for (int i = 1; i <= 200; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%d,%d,%d,%d,%d,8,8\n", i, i * 600,
			1000 + i * 37 % 5000, 9000 + i % 7 * 1000, 1 + i % 4);
	return text;
}

/* Nodes change at the same times, as long as both runs go on. */
static void expect_same(const struct fw *a, const struct fw *b)
{
	const struct sl_result *x = &a->sim.result, *y = &b->sim.result;
	const sl_time until = x->last < y->last ? x->last : y->last;
	size_t same = 0;
	for (size_t i = 0; i < x->node_change_count && i < y->node_change_count; i++) {
		const struct sl_node_change *p = &x->node_change[i], *q = &y->node_change[i];
		if (p->at >= until || q->at >= until)
			break;
		cr_assert(p->at == q->at && p->node == q->node && p->up == q->up && p->drain == q->drain,
			"change %zu: node %u at %" PRId64 " under %s, node %u at %" PRId64 " under %s", i,
			p->node, p->at, a->choice.policy->name, q->node, q->at, b->choice.policy->name);
		same++;
	}
	cr_expect_gt(same, 20);
}

Test(failures, are_the_same_under_all_policies)
{
	static const char *const policies[] = { "fcfs", "easy", "conservative", "sjf" };
	static struct fw w[SL_LEN(policies)];
	for (size_t i = 0; i < SL_LEN(policies); i++) {
		w[i] = (struct fw){ .cluster = four_nodes,
			.jobs = many_jobs(),
			.policy = policies[i],
			.settings = { "failures.mtbf=12h", "failures.shape=0.7", "failures.repair=lognormal",
				"failures.repair_time=10m", "failures.repair_mean=30m",
				"failures.fs_rate=500", "failures.fs_time=20m" },
			.unchecked = i != 0 };
		run(&w[i]);
		if (i)
			expect_same(&w[0], &w[i]);
	}
	for (size_t i = 0; i < SL_LEN(policies); i++)
		end(&w[i]);
}

/* Nodes go down and come up as their streams say, and by nothing else: five numbers a failure, of which the
 * first is when; exponential, mended in an hour. */
Test(failures, are_as_the_streams_say)
{
	enum { MOST = 500 };
	struct fw w = { .cluster = four_nodes,
		.jobs = many_jobs(),
		.settings = { "failures.mtbf=10h", "failures.repair=fixed", "failures.repair_time=1h" },
		.seed = 5 };
	run(&w);
	const struct sl_result *result = &w.sim.result;
	size_t seen[4] = { 0 };
	sl_time at[4][MOST];
	for (int n = 0; n < 4; n++) {
		char name[64];
		snprintf(name, sizeof(name), "models/failures/node/n%d", n + 1);
		struct sl_rng rng = sl_rng_stream(5, name);
		sl_time now = 0;
		for (int i = 0; i < MOST; i += 2) {
			now += (sl_time)floor(36000e6 * -log1p(-sl_rng_unit(&rng)) + 0.5);
			for (int k = 0; k < 4; k++)
				(void)sl_rng_unit(&rng);
			at[n][i] = now;
			at[n][i + 1] = now += 3600 * SL_SECOND;
		}
	}
	for (size_t i = 0; i < result->node_change_count; i++) {
		const struct sl_node_change *change = &result->node_change[i];
		const size_t which = seen[change->node]++;
		cr_assert_lt(which, MOST);
		cr_assert_eq(change->at, at[change->node][which], "change %zu", i);
		cr_assert_eq(change->up, which % 2 == 1);
	}
	cr_expect_gt(result->node_change_count, 20);
	for (int n = 0; n < 4; n++)
		cr_expect(
			seen[n] >= MOST || at[n][seen[n]] >= result->last, "node %d missed a failure", n + 1);
	end(&w);
}

/* ---- Health checks ---------------------------------------------------------------------------------- */

/* All faults are hidden: a job there fails, of itself as it seems, until the next check takes the node away.
 */
Test(failures, hidden_faults_fail_jobs_until_a_check)
{
	struct fw w = { .cluster = "nodes:\n  - name: n\n    count: 1\n    cpus: 8\n    gpus: 8\n",
		.jobs = JOBS_HEAD "1,0,864000,900000,1,8,8\n",
		.settings = { "failures.mtbf=20d", "failures.hidden=1", "failures.hidden_time=1m",
			"failures.check=1d", "failures.repair=fixed", "failures.repair_time=1h",
			"failures.retries=1000000" },
		.seed = 3 };
	run(&w);
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	cr_expect_geq(metric(&w, "failures.total"), 1);
	/* Until the check, the node takes the job in and fails it, every minute or so. */
	cr_expect_gt(metric(&w, "failures.jobs_hit"), 10);
	for (size_t i = 0; i < w.sim.result.attempt_count; i++)
		cr_expect_neq(w.sim.result.attempts[i].state, SL_NODE_FAIL);
	end(&w);
}

/* False alarms drain nodes; nobody's job fails. */
Test(failures, false_alarms_drain)
{
	struct fw w = { .cluster = four_nodes,
		.jobs = JOBS_HEAD "1,0,100000,200000,4,8,8\n2,0,100000,200000,4,8,8\n",
		.settings = { "failures.rate=0", "failures.false_alarms=0.01" } };
	run(&w);
	cr_expect_gt(metric(&w, "failures.count{cause=false_alarm}"), 0);
	EXPECT(metric(&w, "failures.jobs_hit"), 0);
	EXPECT(ends(&w, 0), 100000);
	/* The alarms during job 1 are looked into as it ends: ten minutes. */
	EXPECT(ends(&w, 1), 200600);
	end(&w);
}

/* ---- Bad input -------------------------------------------------------------------------------------- */

static void expect_refused(struct fw w, const char *why)
{
	cr_expect_neq(try_run(&w), SL_OK);
	cr_expect(strstr(w.err.text, why), "'%s' has no '%s'", w.err.text, why);
	end(&w);
}

Test(failures, bad_input)
{
	const char *jobs = JOBS_HEAD "1,0,100,200,1,8,8\n";
	expect_refused((struct fw){ .cluster = four_nodes, .jobs = jobs, .log = "node,from,until\nx1,1,2\n" },
		":2: failures: there is no node 'x1'");
	expect_refused((struct fw){ .cluster = four_nodes, .jobs = jobs, .log = "node,from\nn1,1\n" },
		":1: there is no column 'until'");
	expect_refused((struct fw){ .cluster = four_nodes, .jobs = jobs, .log = "node,from,until\nn1,5,2\n" },
		"over before it begins");
	expect_refused((struct fw){ .cluster = four_nodes, .jobs = jobs, .log = "node,from,until\nn1,x,2\n" },
		"'x' is no time");
	expect_refused(
		(struct fw){
			.cluster = four_nodes, .jobs = jobs, .settings = { "failures.outages=n1 5 6 gone" } },
		"an outage is NODES FROM UNTIL");
	expect_refused(
		(struct fw){ .cluster = four_nodes, .jobs = jobs, .settings = { "failures.outages=n1 5" } },
		"an outage is NODES FROM UNTIL");
	expect_refused(
		(struct fw){
			.cluster = four_nodes, .jobs = jobs, .causes = "cause,share,repair\ngpu,1,glue\n" },
		"there is no repair 'glue'");
	expect_refused((struct fw){ .cluster = four_nodes, .jobs = jobs, .causes = "cause,share\ngpu,0\n" },
		"no cause has a share");
	expect_refused((struct fw){ .cluster = four_nodes,
			       .jobs = jobs,
			       .settings = { "failures.rate=1", "failures.mtbf=1d" } },
		"rate and mtbf say the same thing");
	expect_refused(
		(struct fw){ .cluster = four_nodes, .jobs = jobs, .settings = { "failures.leaf_rate=1" } },
		"leaf_rate without switches");
	expect_refused(
		(struct fw){ .cluster = four_nodes, .jobs = jobs, .settings = { "failures.spares=4" } },
		"4 spares of 4 nodes");
	expect_refused(
		(struct fw){ .cluster = "failures:\n  nodes:\n    - name: m\n      rate: 3\n"
					"nodes:\n  - name: n\n    count: 4\n    cpus: 8\n    gpus: 8\n",
			.jobs = jobs },
		"there is no entry of nodes 'm'");
}

/* ---- A large cluster ----------------------------------------------------------------------------------- */

/* Llama 3: 16 384 GPUs, always busy for 54 days, with 3.79 failures in 1 000 node-days: 419 interruptions,
 * one in 3.09 hours, 50 677 GPU-hours apart, within sampling error. Each hour has a job of all nodes, so that
 * none lives through its interruption. */
Test(failures, llama3_cluster, .timeout = 120)
{
	enum { HOURS = 54 * 24 };
	static char text[HOURS * 40];
	size_t len = (size_t)snprintf(text, sizeof(text), JOBS_HEAD);
	for (int i = 0; i < HOURS; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%d,%d,3600,3600,2048,8,8\n", i + 1, i * 3600);
	struct fw w = { .cluster = "nodes:\n  - name: n\n    count: 2048\n    cpus: 8\n    gpus: 8\n",
		.jobs = text,
		.settings = { "failures.rate=3.7887", "failures.repair=fixed", "failures.repair_time=0",
			"failures.attempts=1" },
		.unchecked = true };
	run(&w);
	const double total = metric(&w, "failures.total"), hit = metric(&w, "failures.jobs_hit"),
		     apart = metric(&w, "failures.mtti_hours");
	cr_expect_lt(fabs(total - 419) / sqrt(419), Z_LIMIT, "%g failures", total);
	cr_expect_lt(fabs(apart - 3.093) / 3.093 * sqrt(hit), Z_LIMIT, "one in %g hours", apart);
	cr_expect_lt(fabs(apart * 16384 - 50677) / 50677 * sqrt(hit), Z_LIMIT);
	end(&w);
}
