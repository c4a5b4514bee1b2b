/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_run_files.c - sacct.txt, batsim_jobs.csv and schedule.json of runs made by hand, byte by byte.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

#define SACCT_HEADER                                                                                 \
	"jobid|jobidraw|cluster|partition|qos|account|group|gid|user|uid|submit|eligible|start|end|" \
	"elapsed|exitcode|state|nnodes|ncpus|reqcpus|reqmem|reqtres|alloctres|timelimit|nodelist|jobname\n"
#define BATSIM_HEADER                                                                                \
	"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time," \
	"success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time," \
	"stretch,allocated_resources,consumed_energy,metadata\n"

static void expect_text(const struct hand *hand, const char *name, const char *want)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	struct sl_err err = { 0 };
	struct sl_out *out;
	const int fd = mkstemp(path);
	bool found = false;
	cr_assert_geq(fd, 0);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	for (size_t i = 0; builtin_registry()->known.reports[i]; i++) {
		if (strcmp(builtin_registry()->known.reports[i]->name, name) != 0)
			continue;
		found = true;
		cr_expect(builtin_registry()->known.reports[i]->on_request);
		cr_assert_eq(builtin_registry()->known.reports[i]->write(&hand->result, out, &err), SL_OK,
			"%s", err.text);
	}
	cr_assert(found);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;
	cr_assert_not_null(file);
	cr_assert_geq(getdelim(&text, &size, '\0', file), 0);
	(void)fclose(file);
	(void)unlink(path);
	cr_expect_str_eq(text, want, "%s:\n%s\ninstead of\n%s", name, text, want);
	free(text);
}

/* Each way that a job can go, on a pool; dates by epoch and offset: 1 000 000 000 is 2001-09-09T01:46:40 UTC.
 */
Test(run_files, sacct_states)
{
	static const struct hand_job job[] = {
		{ 0, 0, 90061, 2, 90061, 1, 0, SL_COMPLETED },
		{ 10, 20, -1, 2, 500, 7, -1, SL_RUNNING },
		{ 40, -1, 60, 1, 40, -1, -1, SL_CANCELLED },
		{ 50, 60, 65, 3, 40, 2, 3, SL_FAILED },
		{ 70, -1, -1, 1, 40, 2, 3, SL_PENDING },
	};
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	hand->result.epoch = 1000000000;
	hand->result.utc_offset = 3600;
	hand->result.last = 100000 * SL_SECOND;
	expect_text(hand, "sacct.txt",
		SACCT_HEADER
		"1|1|cluster|0|normal||||1|1|2001-09-09T02:46:40|2001-09-09T02:46:40|2001-09-09T02:46:40|"
		"2001-09-10T03:47:41|1-01:01:01|0:0|COMPLETED|2|2|2|0M|billing=2,cpu=2,node=2|"
		"billing=2,cpu=2,node=2|1-01:01:01||\n"
		"2|2|cluster||normal||||7|7|2001-09-09T02:46:50|2001-09-09T02:46:50|2001-09-09T02:47:00|Unknown|"
		"1-03:46:20|0:0|RUNNING|2|2|2|0M|billing=2,cpu=2,node=2|billing=2,cpu=2,node=2|00:08:20||\n"
		"3|3|cluster||normal||||||2001-09-09T02:47:20|2001-09-09T02:47:20|Unknown|2001-09-09T02:47:40|"
		"00:00:00|0:0|CANCELLED|1|1|1|0M|billing=1,cpu=1,node=1||00:00:40|None assigned|\n"
		"4|4|cluster|3|normal||||2|2|2001-09-09T02:47:30|2001-09-09T02:47:30|2001-09-09T02:47:40|"
		"2001-09-09T02:47:45|00:00:05|1:0|FAILED|3|3|3|0M|billing=3,cpu=3,node=3|"
		"billing=3,cpu=3,node=3|00:00:40||\n"
		"5|5|cluster|3|normal||||2|2|2001-09-09T02:47:50|2001-09-09T02:47:50|Unknown|Unknown|00:00:00|"
		"0:0|PENDING|1|1|1|0M|billing=1,cpu=1,node=1||00:00:40|None assigned|\n");
	free(hand);
}

/* Two nodes by name with GPUs; names of all kinds, with characters that are none of a field's. */
static void make_nodes(struct hand *hand)
{
	static const char *const node_name[] = { "g01", "g02", "g03", "m" };
	static const struct sl_cluster cluster = { .name = "lab", .node_count = 4, .node_name = node_name };
	static const struct sl_group group[] = {
		{ .task = { 4, 512, 1, 0, 0, 0 }, .tasks = 3, .nodes_min = 2 }
	};
	static const struct sl_request request[] = { { group, 1, 12, 1536, 3, NULL } };
	static const uint32_t asks[] = { 0, 0 };
	static const int32_t nodes_held[] = { 3, 0 };
	static const int64_t cpus_held[] = { 12, 0 };
	static const int64_t gpus_held[] = { 3, 0 };
	static const struct sl_node_tasks alloc[] = { { 3, 0, 1, 0 }, { 1, 0, 1, 0 }, { 2, 0, 1, 0 } };
	static const size_t place_first[] = { 0, 0 };
	static const uint32_t place_count[] = { 3, 0 };
	static const char *const id_name[] = { "77_3", NULL };
	static const char *const user_name[] = { "a|b" };
	static const char *const partition_name[] = { "gpu" };
	static const uint32_t more_of[] = { 1, 0 };
	static const struct sl_job_attributes more[] = { { 0 }, { .name = "train|x\ny",
									.qos = "high",
									.exit_code = "0:9",
									.begin = 30 * SL_SECOND,
									.array = SL_NONE,
									.array_task = SL_NONE,
									.state_recorded = SL_FAILED } };
	hand_add(hand, (struct hand_job){ 10, 40, 100, 3, 60, 0, 0, SL_FAILED });
	hand_add(hand, (struct hand_job){ 20, -1, -1, 3, 60, 0, 0, SL_PENDING });
	hand->jobs.request = asks;
	hand->jobs.requests = request;
	hand->jobs.request_count = 1;
	hand->jobs.id_name = id_name;
	hand->jobs.user_name = user_name;
	hand->jobs.partition_name = partition_name;
	hand->jobs.more_of = more_of;
	hand->jobs.more = more;
	hand->jobs.more_count = 2;
	hand->result.cluster = &cluster;
	hand->result.nodes_held = nodes_held;
	hand->result.cpus_held = cpus_held;
	hand->result.gpus_held = gpus_held;
	hand->result.place = alloc;
	hand->result.place_first = place_first;
	hand->result.place_count = place_count;
}

Test(run_files, sacct_nodes)
{
	struct hand *hand = hand_new(64);
	make_nodes(hand);
	expect_text(hand, "sacct.txt",
		SACCT_HEADER
		"77_3|1|lab|gpu|high||||a_b||1970-01-01T00:00:10|1970-01-01T00:00:30|1970-01-01T00:00:40|"
		"1970-01-01T00:01:40|00:01:00|0:9|FAILED|3|12|12|1536M|"
		"billing=12,cpu=12,gres/gpu=3,mem=1536M,node=2|billing=12,cpu=12,gres/gpu=3,mem=1536M,node=3|"
		"00:01:00|m,g[02-03]|train|x_y\n"
		"2|2|lab|gpu|normal||||a_b||1970-01-01T00:00:20|1970-01-01T00:00:20|Unknown|Unknown|00:00:00|0:0|"
		"PENDING|2|12|12|1536M|billing=12,cpu=12,gres/gpu=3,mem=1536M,node=2||00:01:00|None assigned|\n");
	free(hand);
}

/* A job that was preempted has a line an attempt; the elapsed time is each attempt's own. */
Test(run_files, sacct_attempts)
{
	static const struct sl_attempt attempt[] = {
		{ .state = SL_PREEMPTED, .end = 30 * SL_SECOND, .lost = 30 * SL_SECOND },
		{ .state = SL_COMPLETED,
			.start = 50 * SL_SECOND,
			.end = 110 * SL_SECOND,
			.suspended = 10 * SL_SECOND },
	};
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 110, 4, 50, 1, -1, SL_COMPLETED });
	hand->result.attempts = attempt;
	hand->result.attempt_count = 2;
	expect_text(hand, "sacct.txt",
		SACCT_HEADER
		"1|1|cluster||normal||||1|1|1970-01-01T00:00:00|1970-01-01T00:00:00|1970-01-01T00:00:00|"
		"1970-01-01T00:00:30|00:00:30|0:0|PREEMPTED|4|4|4|0M|billing=4,cpu=4,node=4|"
		"billing=4,cpu=4,node=4|00:00:50||\n"
		"1|1|cluster||normal||||1|1|1970-01-01T00:00:00|1970-01-01T00:00:00|1970-01-01T00:00:50|"
		"1970-01-01T00:01:50|00:00:50|0:0|COMPLETED|4|4|4|0M|billing=4,cpu=4,node=4|"
		"billing=4,cpu=4,node=4|00:00:50||\n");
	free(hand);
}

/* Processors of a pool of 4 are dealt out lowest first, ends before starts of an instant; of what lasts no
 * time too; who runs on has no line, and who never ran is REJECTED. */
Test(run_files, batsim_pool)
{
	static const struct hand_job job[] = {
		{ 0, 0, 10, 1, 20, 1, 0, SL_COMPLETED },      /* 0 */
		{ 0, 0, 30, 2, 20, 1, 0, SL_TIMEOUT },        /* 1-2 */
		{ 5, 10, 10, 2, 20, 1, 0, SL_FAILED },        /* 0 is free again, and 3: for no time */
		{ 5, 10, 20, 2, 20, 1, 0, SL_CANCELLED },     /* 0 and 3 */
		{ 6, -1, 40, 1, 20, 1, 0, SL_CANCELLED },     /* waiting */
		{ 7, 30, -1, 3, 20, 1, 0, SL_RUNNING },       /* 0-2 */
		{ 8, 35, 40, 1, 20, 1, 0, SL_OUT_OF_MEMORY }, /* 3 */
	};
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	expect_text(hand, "batsim_jobs.csv",
		BATSIM_HEADER "1,w0,delay,0,1,20,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0,,\n"
			      "2,w0,delay,0,2,20,0,COMPLETED_WALLTIME_REACHED,0,30,30,0,30,1,1-2,,\n"
			      "3,w0,delay,5,2,20,0,COMPLETED_FAILED,10,0,10,5,5,,0 3,,\n"
			      "4,w0,delay,5,2,20,0,COMPLETED_KILLED,10,10,20,5,15,1.5,0 3,,\n"
			      "5,w0,delay,6,1,20,0,REJECTED,,,40,,34,,,,\n"
			      "7,w0,delay,8,1,20,0,COMPLETED_FAILED,35,5,40,27,32,6.4,3,,\n");
	expect_text(hand, "schedule.json",
		"{\n  \"consumed_joules\": 0,\n  \"makespan\": 40,\n  \"max_slowdown\": 6.4,\n"
		"  \"max_turnaround_time\": 32,\n  \"max_waiting_time\": 27,\n  \"mean_slowdown\": 2.475,\n"
		"  \"mean_turnaround_time\": 18.4,\n  \"mean_waiting_time\": 7.4,\n"
		"  \"nb_computing_machines\": 4,\n  \"nb_grouped_switches\": 0,\n  \"nb_jobs\": 7,\n"
		"  \"nb_jobs_finished\": 5,\n  \"nb_jobs_killed\": 2,\n  \"nb_jobs_rejected\": 1,\n"
		"  \"nb_jobs_success\": 1,\n  \"nb_machine_switches\": 0,\n  \"success_rate\": 0.142857,\n"
		"  \"time_computing\": 95,\n  \"time_idle\": 65,\n  \"time_sleeping\": 0,\n"
		"  \"time_switching_off\": 0,\n  \"time_switching_on\": 0,\n  \"time_unavailable\": 0\n}\n");
	free(hand);
}

/* On nodes, their numbers in order. */
Test(run_files, batsim_nodes)
{
	struct hand *hand = hand_new(64);
	make_nodes(hand);
	expect_text(hand, "batsim_jobs.csv",
		BATSIM_HEADER "77_3,w0,delay,10,12,60,0,COMPLETED_FAILED,40,60,100,30,90,1.5,1-3,,\n");
	free(hand);
}

/* Who does not fit, because another's processors were lent while it stood still, has none. */
Test(run_files, batsim_too_many)
{
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 100, 3, 200, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 10, 50, 2, 200, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 20, 50, 1, 200, 1, 0, SL_COMPLETED });
	expect_text(hand, "batsim_jobs.csv",
		BATSIM_HEADER "1,w0,delay,0,3,200,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,0-2,,\n"
			      "2,w0,delay,0,2,200,1,COMPLETED_SUCCESSFULLY,10,40,50,10,50,1.25,,,\n"
			      "3,w0,delay,0,1,200,1,COMPLETED_SUCCESSFULLY,20,30,50,20,50,1.666667,3,,\n");
	free(hand);
}
