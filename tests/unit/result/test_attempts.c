/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_attempts.c - results with jobs that were requeued, suspended, and on nodes: files and metrics, worked
 * by hand.
 *
 * Job 1 waits 10, runs 20 that are lost, waits 20, runs 40 of which it stands still for 5. Job 2 runs
 * through, and stands still for 2 of its 10. Job 3 is requeued at 40 and waits to the end of the run, at 100.
 * Job 4 is requeued at once, and cancelled as it waits.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/result/table.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

#define S SL_SECOND

static const struct hand_job jobs[] = {
	{ 0, 10, 90, 2, 50, 1, 0, SL_COMPLETED },
	{ 0, 0, 10, 1, 50, 2, 0, SL_COMPLETED },
	{ 15, 20, -1, 1, 50, 2, 0, SL_PENDING },
	{ 30, 30, 45, 4, 50, 3, 0, SL_CANCELLED },
};

static const struct sl_attempt attempts[] = {
	{ .job = 0, .state = SL_PREEMPTED, .start = 10 * S, .end = 30 * S, .lost = 20 * S },
	{ .job = 0,
		.state = SL_COMPLETED,
		.start = 50 * S,
		.end = 90 * S,
		.suspended = 5 * S,
		.overhead = 4 * S },
	{ .job = 2, .state = SL_PREEMPTED, .start = 20 * S, .end = 40 * S, .lost = 8 * S },
	{ .job = 3, .state = SL_PREEMPTED, .start = 30 * S, .end = 30 * S },
};

static const sl_time suspended[] = { 5 * S, 2 * S, 0, 0 };

static struct hand *preempted(void)
{
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(jobs); i++)
		hand_add(hand, jobs[i]);
	hand->result.last = 100 * S;
	hand->result.attempts = attempts;
	hand->result.attempt_count = SL_LEN(attempts);
	hand->result.suspended = suspended;
	return hand;
}

static void expect_report(const struct hand *hand, const char *name, const char *want)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	struct sl_err err = { 0 };
	struct sl_out *out;
	const int fd = mkstemp(path);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	const struct sl_report *found = sl_by_name(builtin_registry()->known.reports, name);
	if (found)
		cr_assert_eq(found->write(&hand->result, out, &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;
	cr_assert(file && getdelim(&text, &size, '\0', file) > 0);
	(void)fclose(file);
	(void)unlink(path);
	cr_expect_str_eq(text, want, "%s:\n%s\ninstead of\n%s", name, text, want);
	free(text);
}

#define HEADER                                                                                         \
	"job_id,user,account,partition,submit,eligible,start,end,wait,run_time,time_limit,nodes,cpus," \
	"gpus,state,bounded_slowdown,wait_total,suspended,attempts\n"

/* start and wait are of the first attempt, end of the last; run_time, wait_total and suspended of all. */
Test(attempts, jobs_csv)
{
	struct hand *hand = preempted();
	expect_report(hand, "jobs.csv",
		HEADER "1,1,,0,0,0,10,90,10,55,50,2,2,0,COMPLETED,1.636364,30,5,2\n"
		       "2,2,,0,0,0,0,10,0,8,50,1,1,0,COMPLETED,1,0,2,1\n"
		       "3,2,,0,15,15,20,,5,20,50,1,1,0,PENDING,,65,0,1\n"
		       "4,3,,0,30,30,30,45,0,0,50,4,4,0,CANCELLED,1.5,15,0,1\n");
	free(hand);
}

Test(attempts, attempts_csv)
{
	struct hand *hand = preempted();
	expect_report(hand, "attempts.csv",
		"job_id,attempt,start,end,state,suspended,lost,overhead\n1,1,10,30,PREEMPTED,0,20,0\n"
		"1,2,50,90,COMPLETED,5,0,4\n3,1,20,40,PREEMPTED,0,8,0\n4,1,30,30,PREEMPTED,0,0,0\n");
	for (size_t i = 0; builtin_registry()->known.reports[i]; i++)
		if (strcmp(builtin_registry()->known.reports[i]->name, "attempts.csv") == 0) {
			cr_expect(builtin_registry()->known.reports[i]->wanted(&hand->result));
			hand->result.attempt_count = 0;
			cr_expect_not(builtin_registry()->known.reports[i]->wanted(&hand->result));
		}
	free(hand);
}

/* Charges cover each interval of waiting, with the reason that was given when the job was requeued. */
Test(attempts, reasons_csv)
{
	static const struct sl_reason_change change[] = {
		{ .at = 5 * S, .job = 0, .reason = SL_REASON_RESOURCES },
		{ .at = 10 * S, .job = 0, .reason = SL_REASON_NONE }, /* It starts, */
		{ .at = 30 * S, .job = 0, .reason = SL_REASON_PRIORITY },
		{ .at = 30 * S, .job = 0, .detail = 9, .reason = SL_REASON_DEPENDENCY }, /* is requeued, */
		{ .at = 45 * S, .job = 0, .reason = SL_REASON_RESOURCES },
		{ .at = 20 * S, .job = 2, .reason = SL_REASON_NONE },
		{ .at = 40 * S, .job = 2, .reason = SL_REASON_RESOURCES },
		{ .at = 30 * S, .job = 3, .reason = SL_REASON_NONE },
		{ .at = 30 * S, .job = 3, .reason = SL_REASON_RESOURCES },
	};
	struct hand *hand = preempted();
	hand->result.reasons = change;
	hand->result.reason_count = SL_LEN(change);
	expect_report(hand, "reasons.csv",
		"job_id,from,to,reason,detail\n1,0,5,Priority,\n1,5,10,Resources,\n1,30,45,Dependency,9\n"
		"1,45,50,Resources,\n3,15,20,Priority,\n3,40,100,Resources,\n4,30,45,Resources,\n");
	free(hand);
}

/* ---- Metrics -------------------------------------------------------------------------- */

struct expected {
	const char *name, *value;
};

static void expect_metrics(const struct hand *hand, const struct expected *want, size_t count)
{
	struct sl_err err = { 0 };
	struct sl_metrics metrics;
	struct sl_arena *arena = sl_arena_new();
	metrics_init(&metrics, arena, builtin_registry());
	cr_assert_eq(metrics_compute(&metrics, &hand->result, &err), SL_OK, "%s", err.text);
	for (size_t i = 0; i < count; i++) {
		char text[40] = "absent";
		const int64_t *value = metrics_get(&metrics, want[i].name);
		if (value)
			*sl_put_micro(text, *value) = '\0';
		cr_expect_str_eq(text, want[i].value, "%s: %s, not %s", want[i].name, text, want[i].value);
	}
	metrics_release(&metrics);
	sl_arena_free(arena);
}

Test(attempts, metrics)
{
	static const struct expected want[] = {
		{ "wait.mean", "3.75" },                 /* 10 0 5 0 */
		{ "wait_total.mean", "27.5" },           /* 30 0 65 15 */
		{ "turnaround.mean", "38.333333" },      /* 90 10 15 */
		{ "bounded_slowdown.mean", "1.378788" }, /* 90/55, 10/10, 15/10 */
		{ "slowdown.mean", "1.443182" },         /* 90/55, 10/8; the fourth never ran. */
		{ "jobs.preempted", "3" },
		{ "preemptions", "3" },
		{ "work.lost", "28" },
		{ "work.overhead", "4" },
		{ "suspended.total", "7" },
		{ "utilization.cpus", "0.345" }, /* (55*2 + 8 + 20) of 400 */
		{ "queue.mean", "1.1" },         /* 110 s waited in 100. */
		{ "queue.max", "3" },            /* 1, 3 and 4 from 40 to 45. */
		{ "cpu_seconds{user=1}", "110" },
		{ "cpu_seconds{user=2}", "28" },
		{ "utilization.memory", "absent" },
		{ "gpu_seconds{user=1}", "absent" },
	};
	struct hand *hand = preempted();
	expect_metrics(hand, want, SL_LEN(want));
	free(hand);
}

/* Of a run that begins at 5, in the middle of a log: of the wait of job 1 the 5 s before it are not counted.
 */
Test(attempts, waits_before_the_beginning_are_not_of_the_queue)
{
	static const struct expected want[] = { { "queue.mean", "1.105263" } }; /* 105 s waited in 95. */
	struct hand *hand = preempted();
	hand->result.first = 5 * S;
	expect_metrics(hand, want, SL_LEN(want));
	free(hand);
}

/* ---- Nodes and names ----------------------------------------------------------------------- */

static const struct sl_node_type type[] = { { .name = "g", .amount = { 8, 100, 4, 0 } },
	{ .name = "h", .amount = { 8, 100, 0, 4 } } };
static const uint32_t node_type[] = { 0, 1 };
static const char *const node_name[] = { "g", "h" };
static const char *const kind[] = { "cpus", "memory", "a100", "v\"100" };
static const struct sl_cluster cluster = { .cpus = 16,
	.mem = 200,
	.gpus = 8,
	.node_count = 2,
	.type_count = 2,
	.kind_count = 4,
	.node_type = node_type,
	.node_name = node_name,
	.type = type,
	.kind_name = kind };

/* Job 1 holds 2 nodes, 4 cpus, 6 GPUs for 10; job 2 one node and 8 cpus for 20; job 3 never starts. */
static struct hand *on_nodes(void)
{
	static const struct hand_job job[] = {
		{ 0, 0, 10, 6, 50, 0, 1, SL_COMPLETED },
		{ 0, 0, 20, 8, 50, 1, 0, SL_COMPLETED },
		{ 5, -1, -1, 2, 50, 1, -1, SL_PENDING },
	};
	static const uint32_t request[] = { 0, 0, 0 };
	static const struct sl_request requests[] = { { .cpus = 1, .gpus = 2 } };
	static const int32_t nodes[] = { 2, 1, 0 };
	static const int64_t cpus[] = { 4, 8, 0 };
	static const int64_t gpus[] = { 6, 0, 0 };
	static const unsigned __int128 busy[] = { 200 * S, 1500 * S, 40 * S, 20 * S };
	static const char *const id[] = { NULL, "b,2", "c" };
	static const char *const user[] = { "ann", "bob \"b\" b" };
	static const char *const partition[] = { "p0", "p1" };
	struct hand *hand = hand_new(16);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	hand->jobs.request = request;
	hand->jobs.requests = requests;
	hand->jobs.request_count = 1;
	hand->jobs.id_name = id;
	hand->jobs.user_name = user;
	hand->jobs.user_count = 2;
	hand->jobs.partition_name = partition;
	hand->jobs.partition_count = 2;
	hand->result.cluster = &cluster;
	hand->result.nodes_held = nodes;
	hand->result.cpus_held = cpus;
	hand->result.gpus_held = gpus;
	hand->result.busy = busy;
	return hand;
}

/* What was held at most; of a job that never started, its request. Names are quoted where they must be. */
Test(attempts, jobs_on_nodes)
{
	struct hand *hand = on_nodes();
	expect_report(hand, "jobs.csv",
		HEADER "1,ann,,p1,0,0,0,10,0,10,50,2,4,6,COMPLETED,1,0,0,1\n"
		       "\"b,2\",\"bob \"\"b\"\" b\",,p0,0,0,0,20,0,20,50,1,8,0,COMPLETED,1,0,0,1\n"
		       "c,\"bob \"\"b\"\" b\",,,5,5,,,,,50,,1,2,PENDING,,15,0,0\n");
	free(hand);
}

/* A counted pool that a policy made into nodes of one cpu: no job has a request. */
Test(attempts, jobs_on_a_pool_made_of_nodes)
{
	static const int32_t nodes[] = { 2, 1, 1, 4 };
	static const int64_t cpus[] = { 2, 1, 1, 4 };
	static const int64_t gpus[] = { 0, 0, 0, 0 };
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, -1, -1, 3, 50, 1, 0, SL_PENDING });
	hand->result.nodes_held = nodes;
	hand->result.cpus_held = cpus;
	hand->result.gpus_held = gpus;
	expect_report(hand, "jobs.csv",
		HEADER
		"1,1,,0,0,0,0,20,0,20,50,2,2,0,COMPLETED,1,0,0,1\n2,1,,0,0,0,,,,,50,3,3,0,PENDING,,20,0,0\n");
	static const struct expected want[] = { { "backlog.mean", "150" }, { "utilization", "0.5" } };
	expect_metrics(hand, want, SL_LEN(want));
	free(hand);
}

Test(attempts, usage_on_nodes)
{
	static const struct sl_usage_point usage[] = {
		{ .at = 0, .cpus_busy = 12, .running = 2, .gpus_busy = 6, .nodes_busy = 2 },
		{ .at = 10 * S, .cpus_busy = 12, .running = 2, .gpus_busy = 2, .nodes_busy = 2 },
		{ .at = 20 * S, .cpus_busy = 12, .running = 2, .gpus_busy = 2, .nodes_busy = 1 },
		{ .at = 30 * S, .cpus_busy = 12, .running = 2, .gpus_busy = 2, .nodes_busy = 1 },
	};
	struct hand *hand = on_nodes();
	hand->result.usage = usage;
	hand->result.usage_count = SL_LEN(usage);
	expect_report(hand, "usage.csv",
		"time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued,gpus_busy,gpus_total,nodes_busy\n"
		"0,12,16,2,0,0,6,8,2\n10,12,16,2,0,0,2,8,2\n20,12,16,2,0,0,2,8,1\n");
	free(hand);
}

/* Shares come from the engine's integrals, over 20 s; the largest is the cpus', or the memory's. */
Test(attempts, metrics_on_nodes)
{
	static const struct expected want[] = {
		{ "utilization.cpus", "0.625" },   /* 200 of 320 */
		{ "utilization.gpus", "0.375" },   /* 60 of 160 */
		{ "utilization.memory", "0.375" }, /* 1500 of 4000 */
		{ "utilization", "0.625" },
		{ "utilization.gpus{type=a100}", "0.5" }, /* 40 of 80 */
		{ "utilization.gpus{type=v\"100}", "0.25" },
		{ "utilization.steady", "0.75" }, /* (4 + 8) * 5 of 16 * 5 */
		{ "gpu_seconds{user=ann}", "60" },
		{ "cpu_seconds{user=ann}", "40" },
		{ "cpu_seconds{user=bob \"b\" b}", "160" },
		{ "jobs{partition=p1}", "1" },
	};
	struct hand *hand = on_nodes();
	expect_metrics(hand, want, SL_LEN(want));
	static const unsigned __int128 hungry[] = { 200 * S, 3000 * S, 40 * S, 20 * S };
	static const struct expected of_memory[] = { { "utilization", "0.75" },
		{ "utilization.memory", "0.75" } };
	hand->result.busy = hungry;
	expect_metrics(hand, of_memory, SL_LEN(of_memory));
	free(hand);
}
