/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_gpu_traces.c - traces and node lists of GPU clusters: what each clause of a format comes to, in files
 * of a few lines that are worked out by hand.
 *
 * What a reader reports to its sink is logged, a line a call, and compared. A job is "LINE: ID @submit" and
 * what is known beyond that; "[2x c4 g1 m100]" are two tasks of four cpus, a GPU and 100 MiB each, "/1000"
 * says that cpus and GPUs are thousandths.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/registry/plugins.h"
#include "sim/registry/registry.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

struct reported {
	char text[8000];
	size_t len;
	const char *reader;
	struct sl_err err;
};

static void put(struct reported *t, const char *format, ...) SL_PRINTF(2, 3);
static void put(struct reported *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	t->len += (size_t)vsnprintf(t->text + t->len, sizeof(t->text) - t->len, format, args);
	va_end(args);
	cr_assert_lt(t->len, sizeof(t->text));
}

static void put_time(struct reported *t, const char *before, sl_time value)
{
	if (value != SL_NONE)
		put(t, " %s%.10g", before, (double)value / 1e6);
}

static void put_count(struct reported *t, const char *before, int64_t value)
{
	if (value != SL_NONE && value)
		put(t, " %s%" PRId64, before, value);
}

static void put_word(struct reported *t, const char *before, const char *value)
{
	if (value)
		put(t, " %s%s", before, value);
}

static void put_group(struct reported *t, const struct sl_row_group *g)
{
	put(t, " [%" PRId64 "x", g->tasks);
	put_count(t, "c", g->cpus);
	put_count(t, "g", g->gpus);
	put_count(t, "m", g->mem);
	put_word(t, "", g->gpu_type);
	put_count(t, "a node ", g->tasks_per_node);
	put_count(t, "on ", g->nodes_min);
	cr_expect(g->nodes_min == g->nodes_max);
	put(t, g->parts > 1 ? " /%u]" : "]", g->parts);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct reported *t = self;
	const struct sl_row_attributes *more = row->more;
	(void)err;
	put(t, "%" PRIu64 ": ", row->line);
	if (more->id)
		put(t, "%s", more->id);
	else
		put(t, "%" PRId64, row->col[SL_COL_ID]);
	put_time(t, "@", row->col[SL_COL_SUBMIT]);
	put_time(t, "wait ", row->col[SL_COL_WAIT]);
	put_time(t, "run ", row->col[SL_COL_RUN]);
	put_time(t, "cancel ", more->cancel ? more->cancel : SL_NONE);
	put_word(t, "u=", more->user);
	put_word(t, "a=", more->account);
	put_word(t, "p=", more->partition);
	put_word(t, "n=", more->job->name);
	put_word(t, "q=", more->job->qos);
	put_word(t, "on=", more->job->nodes_recorded);
	put_count(t, "attempts ", more->job->attempts_recorded);
	if (more->job->state_recorded != SL_PENDING)
		put(t, " %s", sl_state_name(more->job->state_recorded));
	if (more->job->censored)
		put(t, " cut");
	for (size_t i = 0; i < more->group_count; i++)
		put_group(t, &more->group[i]);
	if (more->gpu_active)
		put(t, " active %" PRId64, *more->gpu_active);
	put(t, "\n");
	return 0;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	(void)err;
	put(self, "%s: %s\n", key, value);
	return 0;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	put(self, "%" PRIu64 "! %s\n", at->line, cause);
	return 0;
}

static int on_dated(void *self, struct sl_err *err)
{
	(void)err;
	put(self, "dated\n");
	return 0;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	(void)err;
	put(self, "? %s\n", what);
	return 0;
}

static int on_file(void *self, struct sl_input *in, struct sl_err *err)
{
	const char *slash = strrchr(sl_input_name(in), '/');
	(void)err;
	put(self, "file %s\n", slash ? slash + 1 : sl_input_name(in));
	return 0;
}

static int read_path(struct reported *t, const char *path)
{
	const struct sl_sink sink = { t, on_job, on_header, on_anomaly, on_dated, on_ignored, on_file, NULL };
	const struct sl_reader *reader = NULL;
	struct sl_input *in;
	int status = sl_input_open(&in, path, &t->err);
	cr_assert_eq(status, SL_OK, "%s", t->err.text);
	status = reader_choose(builtin_registry(), &reader, in, &t->err);
	if (!status)
		status = reader->read(in, &sink, &t->err);
	t->reader = reader ? reader->name : "none";
	sl_input_close(in);
	return status;
}

static void expect(const char *reader, const char *text, const char *want)
{
	char path[32];
	struct reported t = { .len = 0 };
	const int status = read_path(&t, memfile(path, text, strlen(text)));
	cr_assert_eq(status, SL_OK, "%s", t.err.text);
	cr_expect_str_eq(t.reader, reader);
	cr_expect_str_eq(t.text, want, "got:\n%s\nwant:\n%s", t.text, want);
}

/* The message without its file, and the status. */
static void expect_refused(const char *text, const char *message)
{
	char path[32];
	struct reported t = { .len = 0 };
	cr_expect_eq(read_path(&t, memfile(path, text, strlen(text))), SL_INPUT);
	cr_expect_not_null(strstr(t.err.text, message), "got: %s\nwant: %s", t.err.text, message);
}

/* ---- openb -------------------------------------------------------------------------------------- */

#define OPENB                                                                                             \
	"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time," \
	"scheduled_time\n"

/* A share stays thousandths; whole GPUs and cpus are wholes; gpu_milli of several says nothing. */
Test(gpu_traces, openb_asks)
{
	expect("openb",
		OPENB "p0,12000,16384,1,460,V100M16|V100M32,LS,Succeeded,10,60,20\n"
		      "p1,8000,30517,0,0,,BE,Failed,10,60,10\n"
		      "p2,1500,1,2,1000,,Burstable,Succeeded,10,60,10\n"
		      "p3,88000,327680,8,1000,,LS,Succeeded,10,60,10\n",
		"2: p0 @10 wait 10 run 40 q=LS COMPLETED [1x c12000 g460 m16384 V100M16|V100M32 /1000]\n"
		"3: p1 @10 wait 0 run 50 q=BE FAILED [1x c8 m30517]\n"
		"4: p2 @10 wait 0 run 50 q=Burstable COMPLETED [1x c1500 g2000 m1 /1000]\n"
		"5: p3 @10 wait 0 run 50 q=LS COMPLETED [1x c88 g8 m327680]\n");
}

/* Never scheduled: cancelled while it waited. Deleted while it ran: cancelled. At the window's end: cut. */
Test(gpu_traces, openb_ends)
{
	expect("openb",
		OPENB "p0,1000,1,1,1000,,LS,Pending,10,60,\n"
		      "p1,1000,1,1,1000,,LS,Running,10,60,20\n"
		      "p2,1000,1,1,1000,,LS,Running,10,12902960,20\n"
		      "p3,1000,1,1,1000,,LS,Failed,10,12902960,20\n",
		"2: p0 @10 cancel 60 q=LS CANCELLED [1x c1 g1 m1]\n"
		"3: p1 @10 wait 10 run 40 q=LS CANCELLED [1x c1 g1 m1]\n"
		"4: p2 @10 wait 10 run 12902940 q=LS RUNNING cut [1x c1 g1 m1]\n"
		"5: p3 @10 wait 10 run 12902940 q=LS FAILED [1x c1 g1 m1]\n");
}

/* Columns in another order, one that is not known, and a list without times. */
Test(gpu_traces, openb_columns)
{
	expect("openb", "gpu_milli,num_gpu,rack,memory_mib,name,cpu_milli\n500,1,r1,2048,p0,4000\n",
		"? column 'rack'\n2: p0 @0 run 12902960 cut [1x c4000 g500 m2048 /1000]\n");
}

Test(gpu_traces, openb_bad_lines)
{
	expect("openb",
		OPENB "p0,1000,1\np1,1000,1,1,1000,,LS,Gone,10,60,20\n"
		      "p2,1000,1,1,1000,,LS,Failed,10,60,20,9\n\np3,1000,1,1.5,1000,,LS,Failed,10,60,20\n",
		"2! fewer fields than columns\n3! unreadable optional field\n"
		"3: p1 @10 wait 10 run 40 q=LS [1x c1 g1 m1]\n4! more fields than columns\n"
		"4: p2 @10 wait 10 run 40 q=LS FAILED [1x c1 g1 m1]\n6! fractional count rounded up\n"
		"6: p3 @10 wait 10 run 40 q=LS FAILED [1x c1 g2 m1]\n");
	expect_refused(OPENB "p0,many,1,1,1000,,LS,Failed,10,60,20\n",
		":2:4: column 'cpu_milli' must be a number, not 'many'");
	expect_refused(OPENB "p0,1000,1,1,1000,,LS,Failed,1e300,60,20\n", ":2:29: column 'creation_time'");
	expect_refused(OPENB "p0,1000,1,1,1000,\"LS\"x,Failed,10,60,20\n", ":2:");
	expect_refused("name,name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", "column 'name' stands twice");
	expect_refused("name,cpu_milli,memory_mib,num_gpu\n", "not a trace of a known format");
}

/* ---- Lists ---------------------------------------------------------------------------------------- */

/* Dates; the virtual cluster is the partition, a number though it looks like one; a task a GPU. */
Test(gpu_traces, philly_list)
{
	expect("philly-list",
		"timestamp,duration,num_gpus,gpu_time,cluster\n"
		"1970-01-01 00:01:00,10.5,1,10.5,6214e9\n1970-01-01 00:02:00,7.0,16,112.0,103959\n",
		"dated\n2: 1 @60 run 10.5 p=6214e9 [1x g1]\n3: 2 @120 run 7 p=103959 [16x g1]\n");
	expect_refused("timestamp,duration,num_gpus,gpu_time,cluster\nsoon,10,1,10,a\n",
		":2:1: column 'timestamp' must be a date");
}

/* Muri's columns of an iteration say milliseconds; without them it is Tiresias', in seconds. */
Test(gpu_traces, training_units)
{
	expect("tiresias",
		"job_id,num_gpu,submit_time,iterations,model_name,duration,interval,iteration_time\n"
		"0,2,5000,100,vgg16,49000,5000,490\n",
		"? column 'iteration_time'\n2: 0 @5 run 49 n=vgg16 [2x g1]\n");
	expect("tiresias",
		"job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
		"0,2,5000,100,vgg16,49000,5000\n",
		"2: 0 @5000 run 49000 n=vgg16 [2x g1]\n");
}

/* Minutes; a virtual cluster is written as the user. */
Test(gpu_traces, chronus)
{
	expect("chronus",
		"job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,"
		"best_effort,job_type\n4,vc_6214e9,1,20,9,vgg16,3,1,40,0,strict\n5,ann,0,10,9,vgg16,3,1,40,1,best\n",
		"? column 'expect_time_list'\n"
		"2: 4 @1200 run 180 u=vc_6214e9 p=6214e9 n=vgg16 q=strict [1x g1]\n"
		"3: 5 @600 run 180 u=ann n=vgg16 q=best [0x]\n");
}

/* ---- Logs ----------------------------------------------------------------------------------------- */

#define HELIOS \
	"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"

/* As much on each node: a task a node; else a task a GPU, each with its share of the cpus, rounded up. */
Test(gpu_traces, helios_asks)
{
	expect("helios",
		HELIOS
		"7,ua,vcA,16,32,2,COMPLETED,1970-01-01 00:00:10,1970-01-01 00:00:15,1970-01-01 00:00:35,20,5\n"
		"8,ub,vcB,3,4,2,FAILED,1970-01-01 00:00:10,1970-01-01 00:00:15,1970-01-01 00:00:35,20,5\n"
		"9,ub,vcB,0,4,1,TIMEOUT,1970-01-01 00:00:10,1970-01-01 00:00:15,1970-01-01 00:00:35,20,5\n",
		"dated\n2: 7 @10 wait 5 run 20 u=ua p=vcA COMPLETED [2x c16 g8 a node 1]\n"
		"3: 8 @10 wait 5 run 20 u=ub p=vcB FAILED [3x c2 g1 on 2]\n"
		"4: 9 @10 wait 5 run 20 u=ub p=vcB TIMEOUT [1x c4 a node 1]\n");
}

/* Without a start it was cancelled while it waited, unless it completed; without an end its duration counts.
 */
Test(gpu_traces, helios_times)
{
	expect("helios",
		HELIOS
		"7,ua,vcA,1,1,1,CANCELLED,1970-01-01 00:00:10,,1970-01-01 00:00:35,0,25\n"
		"8,ua,vcA,1,1,1,NODE_FAIL,1970-01-01 00:00:10,1970-01-01 00:00:11,,9,1\n"
		"9,ua,vcA,1,1,1,FAILED,1970-01-01 00:00:10,1970-01-01 00:00:20,1970-01-01 00:00:15,0,0\n"
		"10,ua,vcA,1,1,1,COMPLETED,1970-01-01 00:00:10,,1970-01-01 00:00:35,,25\n",
		"dated\n2: 7 @10 cancel 35 u=ua p=vcA CANCELLED [1x c1 g1 a node 1]\n"
		"3: 8 @10 wait 1 run 9 u=ua p=vcA NODE_FAIL [1x c1 g1 a node 1]\n"
		"4: 9 @10 wait 10 run 0 u=ua p=vcA FAILED [1x c1 g1 a node 1]\n"
		"5: 10 @10 u=ua p=vcA COMPLETED [1x c1 g1 a node 1]\n");
}

/* Dates with zones: the first one's is the log's clock. Kalos' duration counts from submission. */
Test(gpu_traces, acme)
{
	expect("acme",
		"job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,"
		"start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
		"dlc1,u1,2,16,64,100,10.0,Pretrain,FAILED,1970-01-02 08:00:00+08:00,1970-01-02 08:00:10+08:00,"
		"1970-01-02 00:00:18+00:00,1970-01-02 08:00:18+08:00,,18,10.0,288.0\n",
		"dated\n? column 'shared_mem_per_pod'\nTimeZone: 28800\n"
		"2: dlc1 @115200 wait 10 run 8 u=u1 n=Pretrain FAILED [2x c32 g8 m102400 a node 1]\n");
}

#define DLRM                                                                                                 \
	"instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,memory_request," \
	"max_instance_per_node,creation_time,scheduled_time,deletion_time\n"

/* Before the window: there at 0. After it: to its end, the last time that the file knows. */
Test(gpu_traces, dlrm)
{
	expect("dlrm",
		DLRM "i0,HN,app_0,12,12,1,1,25,120.0,8,,,\ni1,CN,app_1,1.5,1.5,0,0,1,0.5,-1,30.5,40.5,100\n"
		     "i2,CN,app_1,4,4,0,0,1,1,-1,,20,\ni3,CN,app_1,4,4,0,0,1,1,-1,5,,50\n",
		"? column 'rdma_request'\n? column 'max_instance_per_node'\n"
		"2: i0 @0 wait 0 run 100 a=app_0 p=HN RUNNING cut [1x c12 g1 m122880]\n"
		"3: i1 @30.5 wait 10 run 59.5 a=app_1 p=CN COMPLETED [1x c1500 m512 /1000]\n"
		"4: i2 @0 wait 20 run 80 a=app_1 p=CN RUNNING cut [1x c4 m1024]\n"
		"5: i3 @5 cancel 50 a=app_1 p=CN CANCELLED [1x c4 m1024]\n");
}

/* ---- Philly's JSON ----------------------------------------------------------------------------------- */

#define PHILLY_JOB(id, attempts)                                                               \
	"{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"" id "\", \"attempts\": " attempts \
	", \"submitted_time\": \"1970-01-01 00:00:10\", \"user\": \"u\"}"
#define DETAIL \
	"\"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}, {\"ip\": \"m2\", \"gpus\": [\"gpu3\"]}]"
#define ONE "\"detail\": [{\"ip\": \"m9\", \"gpus\": [\"gpu0\"]}]"

/* The first attempt's GPUs and start, the last one's end and hosts. */
Test(gpu_traces, philly_json_attempts)
{
	expect("philly",
		"[" PHILLY_JOB("a1",
			"[{\"start_time\": \"1970-01-01 00:00:20\", \"end_time\": \"1970-01-01 00:00:30\", " DETAIL
			"}, {\"start_time\": \"1970-01-01 00:00:40\", \"end_time\": \"1970-01-01 00:01:00\", " ONE
			"}]") "]",
		"dated\n1: a1 @10 wait 10 run 40 u=u p=v on=m9 attempts 2 COMPLETED [3x g1]\n");
}

/* No end: it ran until the log was taken. No attempt: it never ran. "None", null and "" are no times. */
Test(gpu_traces, philly_json_unknown)
{
	expect("philly",
		"[\n" PHILLY_JOB("a1", "[{\"start_time\": \"1970-01-01 00:00:20\", \"end_time\": null, " ONE
				       "}]") ",\n" PHILLY_JOB("a2", "[]") ",\n" PHILLY_JOB("a3",
			"[{\"start_time\": \"None\", \"end_time\": \"1970-01-01 00:00:50\", " ONE
			"}]") "\n]\n",
		"dated\n2: a1 @10 wait 10 run 30 u=u p=v on=m9 attempts 1 COMPLETED cut [1x g1]\n"
		"3: a2 @10 u=u p=v COMPLETED [0x]\n"
		"4: a3 @10 u=u p=v on=m9 attempts 1 COMPLETED [1x g1]\n");
}

Test(gpu_traces, philly_json_bad)
{
	expect_refused(
		"[" PHILLY_JOB("a", "[]"), "the text ends where ',' or ']' should be: is the file whole?");
	expect_refused("[\n" PHILLY_JOB("a", "[]") "\n,\n{\"vc\": 1, \"vc\": 2, \"attempts\": []}]",
		":4: 'vc' of the job that begins here must be there once");
	expect_refused(
		"[{\"submitted_time\": \"soon\", \"attempts\": []}]", ":1: 'submitted_time' of the job");
	expect_refused("[{\"submitted_time\": \"2017-01-01\", \"attempts\": 7}]", "must be an array");
	expect_refused("[{\"submitted_time\": 5, \"attempts\": []}]", "'submitted_time'");
	expect_refused("[" PHILLY_JOB("a", "[]") "] x", "where the end of the text should be");
}

/* ---- PAI ------------------------------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[200];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file);
	cr_assert_geq(fputs(text, file), 0);
	cr_assert_eq(fclose(file), 0);
}

static void remove_file(const char *folder, const char *name)
{
	char path[200];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)unlink(path);
}

/* header: NULL: none; one that begins with an s is the table of sensors. tasks: likewise. */
static int read_pai(struct reported *t, const char *jobs, const char *tasks, const char *header)
{
	char folder[] = "/tmp/schedlab-test-XXXXXX";
	char path[200];
	cr_assert_not_null(mkdtemp(folder));
	write_file(folder, "pai_job_table.csv", jobs);
	if (tasks)
		write_file(folder, "pai_task_table.csv", tasks);
	if (header)
		write_file(
			folder, header[0] == 's' ? "pai_sensor_table.csv" : "pai_job_table.header", header);
	(void)snprintf(path, sizeof(path), "%s/pai_job_table.csv", folder);
	const int status = read_path(t, path);
	remove_file(folder, "pai_job_table.csv");
	remove_file(folder, "pai_task_table.csv");
	remove_file(folder, "pai_job_table.header");
	remove_file(folder, "pai_sensor_table.csv");
	(void)rmdir(folder);
	return status;
}

static void expect_pai(const char *jobs, const char *tasks, const char *header, const char *want)
{
	struct reported t = { .len = 0 };
	cr_assert_eq(read_pai(&t, jobs, tasks, header), SL_OK, "%s", t.err.text);
	cr_expect_str_eq(t.reader, "pai");
	cr_expect_str_eq(t.text, want, "got:\n%s\nwant:\n%s", t.text, want);
}

#define PAI_TASKS                                                        \
	"j2,worker,2.0,Terminated,110.0,190.0,600.0,29.296875,50.0,T4\n" \
	"j1,tensorflow,1.0,Terminated,15,40,150,,,CPU\n"                 \
	"j2,ps,1.0,Terminated,105.0,150.0,400.0,10.0,,\n"                \
	"j3,worker,4,Running,60,,100,1,150,V100\n"                       \
	"j4,worker,1,Terminated,60,70,,,,\n"

/* Tasks are groups in the order of the file; percent of cpus and GPUs; the wait is until the first task. */
Test(gpu_traces, pai_tasks)
{
	expect_pai("j1,i1,u1,Terminated,10.0,50.0\nj2,i2,u2,Failed,100.0,200.0\n", PAI_TASKS, NULL,
		"file pai_task_table.csv\n"
		"1: j1 @10 wait 5 run 35 u=u1 COMPLETED [1x c1500 /1000]\n"
		"2: j2 @100 wait 5 run 95 u=u2 FAILED [2x c6000 g500 m30000 T4 /1000] [1x c4 m10240]\n");
}

/* One and a half GPUs are two. Running: cut at the last time of the table. Waiting: never ran. No task
 * requests anything: the job has no request. */
Test(gpu_traces, pai_ends)
{
	expect_pai("j3,i,u,Running,50,\nj5,i,u,Waiting,90,\nj4,i,u,Terminated,55,80\n", PAI_TASKS, NULL,
		"file pai_task_table.csv\n1: j3 @50 wait 10 run 30 u=u RUNNING cut [4x c1 g2 m1024 V100]\n"
		"2: j5 @90 u=u [0x]\n3: j4 @55 wait 5 run 20 u=u COMPLETED [0x]\n");
}

/* Another order of columns by the header beside it, or in the file itself. */
Test(gpu_traces, pai_headers)
{
	static const char want[] =
		"file pai_task_table.csv\n1: j1 @10 wait 5 run 35 u=u1 COMPLETED [1x c1500 /1000]\n";
	expect_pai("j1,u1,i1,Terminated,10,50\n", PAI_TASKS,
		"job_name,user,inst_id,status,start_time,end_time\n", want);
	expect_pai("job_name,user,status,end_time,start_time\nj1,u1,Terminated,50,10\n", PAI_TASKS, NULL,
		"file pai_task_table.csv\n2: j1 @10 wait 5 run 35 u=u1 COMPLETED [1x c1500 /1000]\n");
}

/* Two instances of half a GPU, which used 30 % and 10 % of one: 20 of 50. The third is not known. One that
 * requests half a GPU and uses a whole one is active all the time. */
Test(gpu_traces, pai_active)
{
	static const char sensors[] =
		"s1,w,n,i,m,/dev/nvidia0,1,30,,,,,,,,\ns1,w,n,i,m,/dev/nvidia0,1,10,,,,,,,,\n"
		"s1,w,n,i,m,,1,,,,,,,,,\ns2,w,n,i,m,,1,100,,,,,,,,\ns9,w,n,i,m,,1,7,,,,,,,,\n";
	expect_pai("s1,i,u,Terminated,10,50\ns2,i,u,Terminated,10,50\ns3,i,u,Terminated,10,50\n",
		"s1,w,3,Terminated,10,50,100,1,50,T4\ns1,ps,1,Terminated,10,50,100,1,,\n"
		"s2,w,1,Terminated,10,50,100,1,50,T4\ns3,w,1,Terminated,10,50,100,1,50,T4\n",
		sensors,
		"file pai_task_table.csv\nfile pai_sensor_table.csv\n"
		"1: s1 @10 wait 0 run 40 u=u COMPLETED [3x c1000 g500 m1024 T4 /1000] [1x c1 m1024] active 400000\n"
		"2: s2 @10 wait 0 run 40 u=u COMPLETED [1x c1000 g500 m1024 T4 /1000] active 1000000\n"
		"3: s3 @10 wait 0 run 40 u=u COMPLETED [1x c1000 g500 m1024 T4 /1000]\n");
}

Test(gpu_traces, pai_alone)
{
	struct reported t = { .len = 0 };
	cr_expect_eq(read_pai(&t, "j1,i1,u1,Terminated,10,50\n", NULL, NULL), SL_INPUT);
	cr_expect_not_null(
		strstr(t.err.text, "pai_task_table.csv, which is not beside it"), "%s", t.err.text);
}

/* ---- Clusters ---------------------------------------------------------------------------------------- */

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *t = self;
	(void)at;
	(void)err;
	put(t, "%" PRId64 " x %s c%" PRId64, spec->count, spec->hosts ? spec->hosts : spec->name, spec->cpus);
	put_count(t, "m", spec->mem);
	for (size_t i = 0; i < spec->gpu_count; i++)
		put(t, " %" PRId64 " %s", spec->gpu[i].count, spec->gpu[i].type);
	for (uint32_t i = 0; spec->hardware && i < spec->hardware->gres_count; i++)
		put(t, " %" PRId64 " %s of %" PRId64, spec->hardware->gres[i].count,
			spec->hardware->gres[i].name, spec->hardware->gres[i].mem);
	put(t, spec->parts > 1 ? " /%u\n" : "\n", spec->parts);
	return 0;
}

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	(void)err;
	put(self, "%s: %s\n", spec->name, spec->nodes);
	return 0;
}

static int on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	(void)err;
	put(self, "? %s\n", setting->key);
	return 0;
}

static int read_nodes(
	struct reported *t, const char *path, const struct sl_cluster_setting *setting, size_t count)
{
	const struct sl_cluster_sink sink = {
		.self = t, .nodes = on_nodes, .partition = on_partition, .setting = on_setting
	};
	const struct sl_cluster_reader *reader = NULL;
	struct sl_input *in;
	cr_assert_eq(sl_input_open(&in, path, &t->err), SL_OK, "%s", t->err.text);
	int status = cluster_reader_choose(builtin_registry(), &reader, path, in, &t->err);
	if (!status)
		status = reader->read(path, in, setting, count, &sink, &t->err);
	t->reader = reader ? reader->name : "none";
	sl_input_close(in);
	return status;
}

/* key=value settings. */
static void expect_nodes(const char *reader, const char *text, const char *const (*said)[2], const char *want)
{
	char path[32];
	bool used[4] = { false };
	struct sl_cluster_setting setting[4];
	struct reported t = { .len = 0 };
	size_t count = 0;
	for (; said && said[count][0]; count++)
		setting[count] = (struct sl_cluster_setting){ said[count][0], said[count][1], &used[count] };
	const int status = read_nodes(&t, memfile(path, text, strlen(text)), setting, count);
	cr_assert_eq(status, SL_OK, "%s", t.err.text);
	cr_expect_str_eq(t.reader, reader);
	cr_expect_str_eq(t.text, want, "got:\n%s\nwant:\n%s", t.text, want);
	for (size_t i = 0; i < count; i++)
		cr_expect(used[i], "%s", setting[i].key);
}

static void expect_no_nodes(
	const char *text, const char *key, const char *value, int status, const char *message)
{
	char path[32];
	bool used;
	const struct sl_cluster_setting setting = { key, value, &used };
	struct reported t = { .len = 0 };
	cr_expect_eq(read_nodes(&t, memfile(path, text, strlen(text)), &setting, key ? 1 : 0), status);
	cr_expect_not_null(strstr(t.err.text, message), "got: %s\nwant: %s", t.err.text, message);
}

Test(gpu_traces, openb_nodes)
{
	expect_nodes("openb-nodes",
		"sn,cpu_milli,memory_mib,gpu,model,rack\nn0,64000,262144,2,P100,1\nn1,32500,1024,0,,1\n",
		NULL, "? column 'rack'\n1 x n0 c64 m262144 2 P100\n1 x n1 c32500 m1024 /1000\n");
	expect_no_nodes("sn,cpu_milli,memory_mib,gpu,model\nn0,0,1,0,\n", NULL, NULL, SL_INPUT,
		":2:4: column 'cpu_milli' must be from 1 to 1048576 cpus");
	expect_no_nodes(
		"sn,cpu_milli,memory_mib,gpu,model\nn 0,1,1,0,\n", NULL, NULL, SL_INPUT, ":2:1: column 'sn'");
	expect_no_nodes(
		"sn,cpu_milli,memory_mib,gpu,model\nn0,1,1\n", NULL, NULL, SL_INPUT, ":2: fewer fields");
	expect_no_nodes("sn,cpu_milli,memory_mib,gpu,model\n", NULL, NULL, SL_INPUT, "has no nodes");
	expect_no_nodes("sn,cpu_milli,memory_mib,gpu,model\nn0,-1,1,0,\n", NULL, NULL, SL_INPUT,
		":2:4: column 'cpu_milli' must be a number from 0 on, not '-1'");
	expect_no_nodes("sn,cpu_milli,memory_mib,gpu,model\nn0,1000,1,-2,\n", NULL, NULL, SL_INPUT,
		":2:11: column 'gpu' must be a number from 0 on, not '-2'");
	expect_no_nodes(
		"sn,cpu_milli,memory_mib,gpu,model,sn\n", NULL, NULL, SL_INPUT, "column 'sn' stands twice");
}

Test(gpu_traces, spot_nodes)
{
	static const char *const said[][2] = { { "memory_per_node", "1GiB" }, { NULL, NULL } };
	expect_nodes("spot-nodes",
		"gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,0\nH800,8,192,1\n", said,
		"1 x 0 c128 m1024 1 A10\n1 x 1 c192 m1024 8 H800\n");
}

/* Cpus are not listed; the memory is of each GPU. */
Test(gpu_traces, philly_machines)
{
	static const char *const said[][2] = { { "cpus_per_node", "48" }, { NULL, NULL } };
	static const char text[] =
		"machineId,number of GPUs, single GPU mem\nm31,8, 24GB\nm32,2, 12GB\nm33,0,\n";
	expect_nodes("philly-machines", text, NULL,
		"1 x m31 c64 8 gpu of 24576\n1 x m32 c64 2 gpu of 12288\n1 x m33 c64\n");
	expect_nodes("philly-machines", text, said,
		"1 x m31 c48 8 gpu of 24576\n1 x m32 c48 2 gpu of 12288\n1 x m33 c48\n");
}

/* A partition of so many nodes each; without any there is no partition. */
Test(gpu_traces, virtual_clusters)
{
	static const char *const said[][2] = { { "gpus_per_node", "4" }, { NULL, NULL } };
	static const char text[] = "vc,node num\n6214e9,64\na,0\nb,1\n";
	expect_nodes("philly-vcs", text, NULL,
		"64 x 6214e9-[1-64] c64 8 gpu\n6214e9: 6214e9-[1-64]\n1 x b-[1-1] c64 8 gpu\nb: b-[1-1]\n");
	expect_nodes("philly-vcs", text, said,
		"64 x 6214e9-[1-64] c64 4 gpu\n6214e9: 6214e9-[1-64]\n1 x b-[1-1] c64 4 gpu\nb: b-[1-1]\n");
	expect_no_nodes(text, "nodes[b].count", "2", SL_USAGE, "unknown setting 'cluster.nodes[b].count'");
	expect_no_nodes(text, "gpus_per_node", "0", SL_USAGE, "must be a whole number within 1..1024");
}

/* Sizes of the first date, or of the one that is named; what does not fill a node is one of its own. */
Test(gpu_traces, helios_clusters)
{
	static const char *const said[][2] = { { "date", "2020-04-02" }, { NULL, NULL } };
	static const char text[] = "date,vcA,vcB,total\n2020-04-01,16,0,16\n2020-04-02,12,8,20\n";
	expect_nodes("helios-vcs", text, NULL, "2 x vcA-[1-2] c64 8 gpu\nvcA: vcA-[1-2]\n");
	expect_nodes("helios-vcs", text, said,
		"1 x vcA-[1-1] c64 8 gpu\n1 x vcA-2 c64 4 gpu\nvcA: vcA-[1-2]\n1 x vcB-[1-1] c64 8 gpu\n"
		"vcB: vcB-[1-1]\n");
	expect_no_nodes(text, "date", "2020-05-01", SL_USAGE, "has no line of '2020-05-01'");
	expect_no_nodes("date,vcA,total\n2020-04-01,many,16\n", NULL, NULL, SL_INPUT, "GPUs of 'vcA'");
}

/* Without a header line; the path says what it is. */
Test(gpu_traces, pai_machines)
{
	char folder[] = "/tmp/schedlab-test-XXXXXX";
	char path[200];
	struct reported t = { .len = 0 };
	cr_assert_not_null(mkdtemp(folder));
	write_file(folder, "pai_machine_spec.csv", "82e5,T4,96,512,2\n82e6,CPU,64,256,0\n");
	(void)snprintf(path, sizeof(path), "%s/pai_machine_spec.csv", folder);
	cr_expect_eq(read_nodes(&t, path, NULL, 0), SL_OK, "%s", t.err.text);
	cr_expect_str_eq(t.reader, "pai-machines");
	cr_expect_str_eq(t.text, "1 x 82e5 c96 m524288 2 T4\n1 x 82e6 c64 m262144\n", "got:\n%s", t.text);
	remove_file(folder, "pai_machine_spec.csv");
	(void)rmdir(folder);
}
