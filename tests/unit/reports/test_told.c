/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_told.c - what reports and metrics say where cpus and GPUs are counted in thousandths, and of GPUs that
 * were allocated and idle.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/result/table.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

enum { USER_ANN, USER_BOB, USER_CYD };
static const char *const users[] = { "ann", "bob", "cyd, \"the third\"" };

/* Four nodes' worth: 8 cpus and 2 GPUs in all, in thousandths. Jobs' allocations are set by hand. */
struct shares {
	struct hand *hand;
	struct sl_cluster cluster;
	int32_t nodes[8], active[8];
	int64_t cpus[8], gpus[8];
};

static void shares_make(struct shares *s)
{
	*s = (struct shares){ .hand = hand_new(8000) };
	s->cluster = (struct sl_cluster){ .cpus = 8000,
		.gpus = 2000,
		.node_count = 4,
		.kind_count = SL_KIND_GPUS + 1,
		.cpu_parts = 1000,
		.gpu_parts = 1000 };
	s->hand->result.cluster = &s->cluster;
	s->hand->result.nodes_held = s->nodes;
	s->hand->result.cpus_held = s->cpus;
	s->hand->result.gpus_held = s->gpus;
	s->hand->jobs.user_name = users;
	s->hand->jobs.user_count = SL_LEN(users);
}

/* So many thousandths, active for so many millionths of the time; -1: not known. */
static void shares_add(struct shares *s, struct hand_job job, int64_t cpus, int64_t gpus, int32_t active)
{
	const uint32_t row = s->hand->jobs.count;
	hand_add(s->hand, job);
	s->nodes[row] = 1;
	s->cpus[row] = cpus;
	s->gpus[row] = gpus;
	s->active[row] = active;
	s->hand->jobs.gpu_active = s->active;
}

static int report(char *text, size_t size, const struct hand *hand, const char *name, struct sl_err *err)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	struct sl_out *out;
	int status = SL_INTERNAL;
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(sl_out_open(&out, path, err), SL_OK, "%s", err->text);
	const struct sl_report *found = sl_by_name(builtin_registry()->known.reports, name);
	if (found)
		status = found->write(&hand->result, out, err);
	cr_assert_eq(sl_out_commit(out, &(struct sl_err){ 0 }), SL_OK);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	cr_assert_not_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	(void)fclose(file);
	(void)unlink(path);
	return status;
}

static void expect_report(const struct hand *hand, const char *name, const char *want)
{
	char text[4096];
	struct sl_err err = { 0 };
	cr_expect_eq(report(text, sizeof(text), hand, name, &err), SL_OK, "%s: %s", name, err.text);
	cr_expect_str_eq(text, want, "%s:\n%s\ninstead of\n%s", name, text, want);
}

static bool is_wanted(const struct hand *hand, const char *name)
{
	const struct sl_report *found = sl_by_name(builtin_registry()->known.reports, name);
	if (found)
		return !found->wanted || found->wanted(&hand->result);
	return false;
}

struct expected {
	const char *name, *value;
};

static void expect_metrics(const struct hand *hand, const struct expected *want, size_t count)
{
	struct sl_metrics metrics;
	struct sl_err err = { 0 };
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

/* A number of parts is a decimal of wholes; of wholes it is bare, also where nothing was set. */
Test(reported, are_written_as_decimals)
{
	static const struct {
		int64_t amount, parts;
		const char *text;
	} want[] = { { 2500, 1000, "2.5" }, { 3000, 1000, "3" }, { 1, 1000, "0.001" },
		{ -250, 1000, "-0.25" }, { 0, 1000, "0" }, { 7, 1, "7" }, { 7, 0, "7" },
		{ INT64_C(9000000000000000), 1000, "9000000000000" } };
	for (size_t i = 0; i < SL_LEN(want); i++) {
		char text[40] = "";
		*sl_put_parts(text, want[i].amount, want[i].parts) = '\0';
		cr_expect_str_eq(text, want[i].text);
	}
}

/* jobs.csv, usage.csv and sacct.txt have wholes: 1.5 cpus and 0.25 GPUs are 1500 and 250 parts. */
Test(reported, in_the_files_of_a_run)
{
	static const struct sl_usage_point usage[] = {
		{ .at = 0,
			.cpus_busy = 1500,
			.cpus_queued = 250,
			.running = 1,
			.queued = 1,
			.gpus_busy = 250,
			.nodes_busy = 1 },
		{ .at = 10 * SL_SECOND, .cpus_busy = 0 },
	};
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 0, 10, 1, 20, 0, -1, SL_COMPLETED }, 1500, 250, -1);
	shares_add(&s, (struct hand_job){ 0, 0, 10, 2, 20, 1, -1, SL_COMPLETED }, 2000, 2000, -1);
	s.hand->result.usage = usage;
	s.hand->result.usage_count = SL_LEN(usage);
	expect_report(s.hand, "jobs.csv",
		"job_id,user,account,partition,submit,eligible,start,end,wait,run_time,time_limit,nodes,cpus,"
		"gpus,state,bounded_slowdown,wait_total,suspended,attempts\n"
		"1,ann,,,0,0,0,10,0,10,20,1,1.5,0.25,COMPLETED,1,0,0,1\n"
		"2,bob,,,0,0,0,10,0,10,20,1,2,2,COMPLETED,1,0,0,1\n");
	expect_report(s.hand, "usage.csv",
		"time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued,gpus_busy,gpus_total,nodes_busy\n"
		"0,1.5,8,1,1,0.25,0.25,2,1\n"
		"10,0,8,0,0,0,0,2,0\n");
	free(s.hand);
}

/* sacct's columns have cpus and GPUs in three places each. */
Test(reported, in_the_columns_of_sacct)
{
	char text[4096];
	struct sl_err err = { 0 };
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 0, 10, 1, 20, 0, -1, SL_COMPLETED }, 1500, 250, -1);
	cr_assert_eq(report(text, sizeof(text), s.hand, "sacct.txt", &err), SL_OK, "%s", err.text);
	cr_expect(strstr(text, "|billing=1.5,cpu=1.5,gres/gpu=0.25,node=1|"), "%s", text);
	cr_expect(strstr(text, "|1|1.5|"), "nodes and cpus: %s", text);
	free(s.hand);
}

/* Batsim knows whole machines only. */
Test(reported, are_refused_to_batsim)
{
	static const char *const name[] = { "batsim_jobs.csv", "schedule.json" };
	for (size_t i = 0; i < SL_LEN(name); i++) {
		char text[4096];
		struct sl_err err = { 0 };
		struct shares s;
		shares_make(&s);
		shares_add(&s, (struct hand_job){ 0, 0, 10, 1, 20, 0, -1, SL_COMPLETED }, 1500, 250, -1);
		cr_expect_eq(report(text, sizeof(text), s.hand, name[i], &err), SL_USAGE);
		cr_expect(strstr(err.text, name[i]) && strstr(err.text, "whole"), "%s", err.text);
		s.cluster.cpu_parts = s.cluster.gpu_parts = 1;
		err = (struct sl_err){ 0 };
		cr_expect_eq(report(text, sizeof(text), s.hand, name[i], &err), SL_OK, "%s", err.text);
		free(s.hand);
	}
}

/* Seconds are of whole cpus and GPUs, ratios what they were. Two jobs, the second waits 100 s for 0.5 cpus
 * with a limit of 300 s: 150 cpu-seconds for half of the 200 s. */
Test(reported, in_metrics)
{
	static const struct expected want[] = {
		{ "utilization.cpus", "0.125" },  /* 1.5 * 100 + 0.5 * 100 of 8 * 200 */
		{ "utilization.gpus", "0.1875" }, /* 0.25 * 100 + 0.5 * 100 of 2 * 200 */
		{ "cpu_seconds{user=ann}", "150" },
		{ "gpu_seconds{user=ann}", "25" },
		{ "cpu_seconds{user=bob}", "50" },
		{ "gpu_seconds{user=bob}", "50" },
		{ "backlog.mean", "75" },
		/* Bounded slowdowns 1 and 2; per cpu max(1, 100 / 150) and, of half a cpu, 2. */
		{ "per_cpu_bounded_slowdown.mean", "1.5" },
		{ "gpu_hours.allocated", "absent" },
	};
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 0, 100, 1, 200, USER_ANN, -1, SL_COMPLETED }, 1500, 250, -1);
	shares_add(&s, (struct hand_job){ 0, 100, 200, 1, 300, USER_BOB, -1, SL_COMPLETED }, 500, 500, -1);
	expect_metrics(s.hand, want, SL_LEN(want));
	free(s.hand);
}

/* Of 1.5 cpus a turnaround of 200 s over a run of 100 s is shared among them: 200 / (1.5 * 100). */
Test(reported, share_a_slowdown_per_cpu)
{
	static const struct expected want[] = { { "per_cpu_bounded_slowdown.mean", "1.333333" } };
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 100, 200, 1, 200, USER_ANN, -1, SL_COMPLETED }, 1500, 0, -1);
	expect_metrics(s.hand, want, SL_LEN(want));
	free(s.hand);
}

/* ---- Active GPUs -----------------------------------------------------------------------------------------
 */

/*
 * Over 10 h, 2 GPUs: ann holds 1 GPU for 10 h, active half of the time; bob 0.5 for 4 h, never active; cyd
 * 0.5 for 4 h, of which nothing is known; ann once more without a GPU.
 */
static void active_make(struct shares *s)
{
	const int64_t hour = 3600;
	shares_make(s);
	shares_add(s, (struct hand_job){ 0, 0, 10 * hour, 1, 10 * hour, USER_ANN, -1, SL_COMPLETED }, 1000,
		1000, 500000);
	shares_add(s, (struct hand_job){ 0, 0, 4 * hour, 1, 4 * hour, USER_BOB, -1, SL_COMPLETED }, 1000, 500,
		0);
	shares_add(s, (struct hand_job){ 0, 2 * hour, 6 * hour, 1, 4 * hour, USER_CYD, -1, SL_COMPLETED },
		1000, 500, -1);
	shares_add(s, (struct hand_job){ 0, 0, hour, 1, hour, USER_ANN, -1, SL_COMPLETED }, 1000, 0, 1000000);
}

Test(active, gpu_hours_are_as_worked_by_hand)
{
	static const struct expected want[] = {
		{ "utilization.gpus", "0.7" },            /* 14 of 20 GPU-hours */
		{ "utilization.gpus_active", "0.25" },    /* 5 of 20 */
		{ "utilization.gpus_known", "0.857143" }, /* 12 of 14 */
		{ "gpu_hours.allocated", "14" },
		{ "gpu_hours.active", "5" },
		{ "gpu_hours.idle", "7" },
	};
	struct shares s;
	active_make(&s);
	expect_metrics(s.hand, want, SL_LEN(want));
	cr_expect(is_wanted(s.hand, "idle_gpus.csv"));
	expect_report(s.hand, "idle_gpus.csv",
		"user,jobs,gpu_hours,gpu_hours_active,gpu_hours_idle,idle_share\n"
		"ann,1,10,5,5,0.5\n"
		"bob,1,2,0,2,1\n");
	free(s.hand);
}

/* Most idle hours first, then by name; a name is quoted where CSV needs it, nobody is an empty field. */
Test(active, users_are_in_order)
{
	struct shares s;
	shares_make(&s);
	const int32_t user[] = { USER_CYD, USER_BOB, -1, USER_ANN, USER_BOB };
	const int32_t active[] = { 0, 500000, 900000, 0, 500000 };
	for (size_t i = 0; i < SL_LEN(user); i++)
		shares_add(&s, (struct hand_job){ 0, 0, 3600, 1, 3600, user[i], -1, SL_COMPLETED }, 1000,
			1000, active[i]);
	expect_report(s.hand, "idle_gpus.csv",
		"user,jobs,gpu_hours,gpu_hours_active,gpu_hours_idle,idle_share\n"
		"ann,1,1,0,1,1\n"
		"bob,2,2,1,1,0.5\n"
		"\"cyd, \"\"the third\"\"\",1,1,0,1,1\n"
		",1,1,0.9,0.1,0.1\n");
	free(s.hand);
}

/* Numbers in place of names go by their value. */
Test(active, users_may_be_numbers)
{
	struct shares s;
	shares_make(&s);
	s.hand->jobs.user_name = NULL;
	for (int32_t user = 10; user >= 9; user--)
		shares_add(
			&s, (struct hand_job){ 0, 0, 3600, 1, 3600, user, -1, SL_COMPLETED }, 1000, 1000, 0);
	expect_report(s.hand, "idle_gpus.csv",
		"user,jobs,gpu_hours,gpu_hours_active,gpu_hours_idle,idle_share\n9,1,1,0,1,1\n10,1,1,0,1,1\n");
	free(s.hand);
}

/* A job holds over its attempts, less what it was suspended: 1 h and 3 h of which it stood still for 1 h. */
Test(active, attempts_count_less_suspensions)
{
	const sl_time hour = 3600 * SL_SECOND;
	const struct sl_attempt attempt[] = {
		{ .job = 0, .state = SL_PREEMPTED, .start = 0, .end = hour },
		{ .job = 0, .state = SL_COMPLETED, .start = 3 * hour, .end = 6 * hour, .suspended = hour },
	};
	static const struct expected want[] = {
		{ "gpu_hours.allocated", "3" },
		{ "gpu_hours.active", "0.75" },
		{ "gpu_hours.idle", "2.25" },
		{ "utilization.gpus_active", "0.0625" }, /* 0.75 of 2 * 6 */
		{ "utilization.gpus_known", "1" },
	};
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 0, 6 * 3600, 1, 6 * 3600, USER_ANN, -1, SL_COMPLETED }, 1000,
		1000, 250000);
	s.hand->result.attempts = attempt;
	s.hand->result.attempt_count = SL_LEN(attempt);
	expect_metrics(s.hand, want, SL_LEN(want));
	expect_report(s.hand, "idle_gpus.csv",
		"user,jobs,gpu_hours,gpu_hours_active,gpu_hours_idle,idle_share\nann,1,3,0.75,2.25,0.75\n");
	free(s.hand);
}

/* Where no job reports activity, there is nothing. */
Test(active, nothing_is_said_where_nothing_is_known)
{
	static const struct expected want[] = { { "utilization.gpus_active", "absent" },
		{ "utilization.gpus_known", "absent" }, { "gpu_hours.idle", "absent" } };
	struct shares s;
	shares_make(&s);
	shares_add(&s, (struct hand_job){ 0, 0, 3600, 1, 3600, USER_ANN, -1, SL_COMPLETED }, 1000, 1000, -1);
	expect_metrics(s.hand, want, SL_LEN(want));
	cr_expect_not(is_wanted(s.hand, "idle_gpus.csv"));
	s.hand->jobs.gpu_active = NULL;
	expect_metrics(s.hand, want, SL_LEN(want));
	cr_expect_not(is_wanted(s.hand, "idle_gpus.csv"));
	free(s.hand);
}
