/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_table.c - traces as CSV: what columns say, the three forms of a request, names and dates, and what
 * mistakes say.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

/* ---- What the reader passes on ---------------------------------------------------- */

struct heard {
	char text[8000];
	size_t len;
	struct sl_err err;
	char path[32];
};

static void put(struct heard *h, const char *format, ...) SL_PRINTF(2, 3);
static void put(struct heard *h, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	h->len += (size_t)vsnprintf(h->text + h->len, sizeof(h->text) - h->len, format, args);
	va_end(args);
	cr_assert(h->len < sizeof(h->text));
}

static void put_number(struct heard *h, const char *before, int64_t value, int64_t unit)
{
	if (value != SL_NONE)
		put(h, "%s%g", before, (double)value / (double)unit);
}

static void put_name(struct heard *h, const char *before, const char *name, int64_t number)
{
	if (name)
		put(h, "%s'%s'", before, name);
	else
		put_number(h, before, number, 1);
}

static void put_group(struct heard *h, const struct sl_row_group *g)
{
	put(h, " [%g", (double)g->tasks);
	put_number(h, " c", g->cpus, sl_parts(g->parts));
	put_number(h, " m", g->mem, 1);
	put_number(h, " g", g->gpus, sl_parts(g->parts));
	if (g->gpu_mem)
		put_number(h, " gm", g->gpu_mem, 1);
	put_name(h, " ", g->mig, SL_NONE);
	put_name(h, " ", g->gpu_type, SL_NONE);
	put_number(h, " min", g->tasks_min, 1);
	put_number(h, " max", g->tasks_max, 1);
	put_number(h, " /n", g->tasks_per_node, 1);
	put_number(h, " n>", g->nodes_min, 1);
	put_number(h, " n<", g->nodes_max, 1);
	put(h, "%s]", g->exclusive ? " x" : "");
}

/* "1: id at submit run limit wait status u a p gang [tasks cpus memory gpus...]" */
static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct heard *h = self;
	const struct sl_row_attributes *more = row->more;
	(void)err;
	put(h, "%s%" PRIu64 ":", h->len ? "\n" : "", row->line);
	put_name(h, " ", more->id, row->col[SL_COL_ID]);
	put_number(h, " @", row->col[SL_COL_SUBMIT], SL_SECOND);
	put_number(h, " run ", row->col[SL_COL_RUN], SL_SECOND);
	put_number(h, " limit ", row->col[SL_COL_LIMIT], SL_SECOND);
	put_number(h, " wait ", row->col[SL_COL_WAIT], SL_SECOND);
	put_number(h, " status ", row->col[SL_COL_STATUS], 1);
	put_name(h, " u", more->user, row->col[SL_COL_USER]);
	put_name(h, " a", more->account, row->col[SL_COL_GROUP]);
	put_name(h, " p", more->partition, row->col[SL_COL_PARTITION]);
	put_name(h, " gang ", more->gang, SL_NONE);
	if (more->gpu_active)
		put_number(h, " active ", *more->gpu_active, SL_SECOND);
	for (size_t i = 0; i < more->group_count; i++)
		put_group(h, &more->group[i]);
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	put(h, "%s%" PRIu64 "#%s=%s", h->len ? "\n" : "", at->line, key, value);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	put(h, "%s%" PRIu64 ":%u! %s", h->len ? "\n" : "", at->line, at->column, cause);
	return SL_OK;
}

static int on_dated(void *self, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	put(h, "%sdated", h->len ? "\n" : "");
	return SL_OK;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	struct heard *h = self;
	(void)err;
	put(h, "%s%" PRIu64 ":%u? %s", h->len ? "\n" : "", at->line, at->column, what);
	return SL_OK;
}

static int hear(struct heard *h, const char *csv)
{
	const struct sl_sink sink = { h, on_job, on_header, on_anomaly, on_dated, on_ignored, NULL, NULL };
	const struct sl_reader *reader = NULL;
	struct sl_input *in;
	memset(h, 0, sizeof(*h));
	int status = sl_input_open(&in, memfile(h->path, csv, strlen(csv)), &h->err);
	cr_assert_eq(status, SL_OK);
	status = reader_choose(builtin_registry(), &reader, in, &h->err);
	if (!status) {
		cr_assert_str_eq(reader->name, "table", "%s is read as %s", csv, reader->name);
		status = reader->read(in, &sink, &h->err);
	}
	sl_input_close(in);
	return status;
}

static void expect(const char *csv, const char *want)
{
	static struct heard h;
	cr_assert_eq(hear(&h, csv), SL_OK, "%s\nof\n%s", h.err.text, csv);
	cr_expect_str_eq(h.text, want, "heard:\n%s\nwant:\n%s\nof\n%s", h.text, want, csv);
}

/* What is said, but for the file's name. */
static void expect_error(const char *csv, const char *want)
{
	static struct heard h;
	cr_expect_eq(hear(&h, csv), SL_INPUT, "of\n%s", csv);
	const char *said = h.err.text + strlen(h.path);
	cr_expect_str_eq(said, want, "said: %s\nwant: %s\nof\n%s", said, want, csv);
}

Test(table, columns_in_any_order_and_case)
{
	expect("Run Time,SUBMIT,job-id,user,account,partition,time_limit,wait,status,gang\n"
	       "100,5.5,7,1,2,3,1-00:00:00,20,COMPLETED,a\n"
	       "1h,6,job b,ann,\"a, b\",-1,UNLIMITED,,cancelled by 0,\n",
		"2: 7 @5.5 run 100 limit 86400 wait 20 status 1 u1 a2 p3 gang 'a' [1 c1]\n"
		"3: 'job b' @6 run 3600 status 5 u'ann' a'a, b' [1 c1]");
}

/* Without numbers of their own jobs are counted; -1 and empty cells are not known. */
Test(table, what_is_not_known)
{
	expect("submit,run_time,user,wait\n0,-1,-1,-1\n,10,,\n", "2: 1 @0 [1 c1]\n3: 2 run 10 [1 c1]");
	/* A number is a name if it is not spelled as numbers are. */
	expect("job_id,submit,run_time,user\n007,0,1,+4\n", "2: '007' @0 run 1 u'+4' [1 c1]");
}

Test(table, comments_blanks_and_unknown_columns)
{
	expect("# MaxProcs: 64\n#hello\n\njob_id,submit,run_time,colour,eligible,\"a \"\"b\"\"\"\n\n1,0,5,red,,\r\n",
		"1#MaxProcs=64\n2#=hello\n4:24? column 'colour'\n4:40? column 'a \"b\"'\n6: 1 @0 run 5 [1 c1]");
}

/* Lines are those of the file, though a field may go over several. */
Test(table, quotes)
{
	expect("job_id,submit,run_time,user\n\"1\",0,5,\"a\nb\"\n2,1,5,\"c\"\"d\"\n",
		"2: 1 @0 run 5 u'a\nb' [1 c1]\n4: 2 @1 run 5 u'c\"d' [1 c1]");
	expect("submit,run_time\n0,5", "2: 1 @0 run 5 [1 c1]"); /* No newline at the end. */
}

Test(table, rows_of_another_length)
{
	expect("job_id,submit,run_time,user\n1,0,5\n2,0,5,x,y\n3,0,5,x\n",
		"2:1! fewer fields than columns\n3:1! more fields than columns\n3: 2 @0 run 5 u'x' [1 c1]\n4: 3 @0 "
		"run 5 u'x' [1 c1]");
}

Test(table, dates)
{
	expect("submit,start,end\n1970-01-01 00:01:00,1970-01-01T00:02,1970-01-02\n1970-01-01 00:01:00.25,,\n",
		"dated\n2: 1 @60 run 86280 wait 60 [1 c1]\n3: 2 @60.25 [1 c1]");
	expect_error("submit,run_time\n1970-01-01,5\n5,5\n",
		":3:1: column 'submit' must be a date such as 2024-12-31T23:59:59, as the first submit is, not '5'; "
		"leave it empty where it is not known");
	expect_error("submit,run_time\n5,5\n1970-01-01,5\n",
		":3:1: column 'submit' must be a number of seconds, as the first submit is, not '1970-01-01'; leave it "
		"empty where it is not known");
	/* An unknown first submit is no date. */
	expect_error("submit,run_time\n,5\n1970-01-01,5\n",
		":3:1: column 'submit' must be a number of seconds, as the first submit is, not '1970-01-01'; leave it "
		"empty where it is not known");
}

/* ---- Asking ------------------------------------------------------------------------------- */

#define DESC "job_id,submit,run_time,"

static void expect_desc(const char *columns, const char *cells, const char *want)
{
	char csv[500];
	char text[500];
	(void)snprintf(csv, sizeof(csv), DESC "%s\n1,0,1,%s\n", columns, cells);
	(void)snprintf(text, sizeof(text), "2: 1 @0 run 1 %s", want);
	expect(csv, text);
}

Test(table, asks_by_task)
{
	expect_desc("tasks,cpus_per_task,mem_per_task,gpus_per_task,gpu_type", "4,2,1.5G,1,a100|h100",
		"[4 c2 m1536 g1 'a100|h100']");
	expect_desc("tasks", "4", "[4 c1]");
	expect_desc(
		"tasks,gpus_per_task", "4,2", "[4 c0 g2]"); /* Cpus that no job requests are not counted. */
	expect_desc("cpus_per_task", "8", "[1 c8]");
	expect_desc(
		"tasks,tasks_per_node,nodes_min,nodes_max,exclusive", "8,4,2,3,yes", "[8 c1 /n4 n>2 n<3 x]");
	expect_desc("tasks,nodes", "8,2", "[8 c1 n>2 n<2]");
	expect_desc("nodes,tasks_per_node", "2,4", "[8 c1 /n4 n>2 n<2]");
	expect_desc("tasks,tasks_min,tasks_max", "4,2,8", "[4 c1 min2 max8]");
	expect_desc("tasks,cpus_per_task", "0,1", "[0 c1]"); /* Makes no sense: the scenario drops it. */
}

Test(table, asks_by_node)
{
	expect_desc(
		"nodes,cpus_per_node,gpus_per_node,mem_per_node", "2,16,8,64GiB", "[2 c16 m65536 g8 /n1]");
	expect_desc("nodes,gpus_per_node", "2,8", "[2 c0 g8 /n1]");
	expect_desc("gpus_per_node", "8", "[1 c0 g8 /n1]");
	expect_desc("nodes", "2", "[2 c1 /n1 x]"); /* Nodes alone are whole nodes. */
}

Test(table, asks_in_total)
{
	expect_desc("cpus", "6", "[6 c1 m0 g0]");
	expect_desc("cpus,memory", "4,1G", "[4 c1 m256 g0]");
	expect_desc("gpus", "3", "[3 c0 m0 g1]");
	expect_desc("gpus,cpus,memory", "2,12,100", "[2 c6 m50 g1]");
	expect_desc("gpus,cpus", "2,3", "[2 c2 m0 g1]"); /* Shares are rounded up. */
	expect_desc("nodes,gpus,cpus", "2,8,32", "[2 c16 m0 g4 /n1]");
	expect_desc("nodes,gpus,cpus", "2,3,12", "[3 c4 m0 g1 n>2 n<2]");
	expect_desc("nodes,cpus,gpus", "4,4,0", "[4 c1 m0 g0 /n1]"); /* Our own jobs.csv of an SWF. */
	expect_desc("cpus", "0", "[0 c0]");
}

/* Cells say which way, columns do not; a total of no GPUs is no way of asking. */
Test(table, one_way)
{
	expect(DESC "tasks,cpus,gpus\n1,0,1,4,,\n2,0,1,,6,\n3,0,1,2,,0\n",
		"2: 1 @0 run 1 [4 c1]\n3: 2 @0 run 1 [6 c1 m0 g0]\n4: 3 @0 run 1 [2 c1]");
	expect_error(DESC "tasks,cpus\n1,0,1,4,8\n",
		":2:9: asks in two ways, by 'tasks' and by 'cpus': leave one of them empty, see schedlab-trace(5)");
	expect_error(DESC "gpus_per_node,gpus_per_task\n1,0,1,4,8\n",
		":2:7: asks in two ways, by 'gpus_per_task' and by 'gpus_per_node': leave one of them empty, see "
		"schedlab-trace(5)");
}

Test(table, counts_that_are_fractions)
{
	expect_desc("tasks,cpus_per_task", "4.0,2", "[4 c2]");
	expect(DESC "tasks\n1,0,1,1.5\n", "2:7! fractional count rounded up\n2: 1 @0 run 1 [2 c1]");
}

/* Thousandths of cpus and GPUs: each of the three ways; what is finer is rounded up. */
Test(table, parts)
{
	expect_desc("tasks,cpus_per_task,gpus_per_task", "2,1.5,0.25", "[2 c1.5 g0.25]");
	expect_desc("nodes,cpus_per_node,gpus_per_node", "2,0.5,2.0", "[2 c0.5 g2 /n1]");
	expect_desc("gpus,cpus,memory", "0.5,3,100", "[1 c3 m100 g0.5]"); /* One task. */
	expect_desc("gpus,cpus,nodes", "0.5,3,1", "[1 c3 m0 g0.5 /n1]");
	expect_desc("gpus,cpus", "2,2.5", "[2 c1.25 m0 g1]");
	expect_desc("cpus", "2.5", "[3 c0.834 m0 g0]"); /* Three tasks, each with its share. */
	expect_desc("cpus", "0.5", "[1 c0.5 m0 g0]");
	expect_desc("cpus,nodes", "2.5,2", "[2 c1.25 m0 g0 /n1]");
	expect_desc("cpus,nodes", "3,2", "[3 c1 m0 g0 n>2 n<2]"); /* Wholes are parted as wholes. */
	expect(DESC "gpus_per_task\n1,0,1,0.9999\n",
		"2:7! fractional count rounded up\n2: 1 @0 run 1 [1 c0 g1]");
	expect(DESC "gpus_per_task\n1,0,1,0.0001\n",
		"2:7! fractional count rounded up\n2: 1 @0 run 1 [1 c0 g0.001]");
	expect_error(DESC "gpus\n1,0,1,1.5\n",
		":2:7: column 'gpus' must be a whole number of GPUs, or less than one: ask 1 or 2 of them, not "
		"'1.5'; leave it empty where it is not known");
	expect_error(DESC "gpus_per_task\n1,0,1,7.001\n",
		":2:7: column 'gpus_per_task' must be a whole number of GPUs, or less than one: ask 7 or 8 of "
		"them, not '7.001'; leave it empty where it is not known");
	expect_error(DESC "cpus\n1,0,1,x\n",
		":2:7: column 'cpus' must be a number up to 2147483647, not 'x'; leave it empty where it is not "
		"known");
}

/* Memory or a profile of one GPU, in place of GPUs: the task requests no cpus then unless it says so. */
Test(table, one_gpu)
{
	expect_desc("tasks,gpu_memory,gpu_type", "2,5000,a|b", "[2 c0 gm5000 'a|b']");
	expect_desc("gpu_memory,gpus_per_task", "20G,0", "[1 c0 g0 gm20480]");
	expect_desc("cpus,gpu_memory", "4,20G", "[1 c4 m0 g0 gm20480]"); /* One task. */
	expect_desc("tasks,cpus_per_task,mig", "2,4,3g.20gb", "[2 c4 '3g.20gb']");
	expect_desc("mig", "3g", "[1 c0 '3g']");
	expect_desc("nodes,mig", "2,3g", "[2 c0 '3g' /n1]");
	expect_desc("gpu_memory,mig", "0,", "[1 c1]"); /* Nothing is asked. */
	expect_error(DESC "gpus_per_task,gpu_memory\n1,0,1,1,5000\n",
		":2:9: asks in two ways, by 'gpus_per_task' and by 'gpu_memory': leave one of them empty, see "
		"schedlab-trace(5)");
	expect_error(DESC "mig,gpus\n1,0,1,3g,0.5\n",
		":2:7: asks in two ways, by 'gpus' and by 'mig': leave one of them empty, see schedlab-trace(5)");
	expect_error(DESC "gpu_memory,mig\n1,0,1,5000,3g\n",
		":2:12: asks in two ways, by 'gpu_memory' and by 'mig': leave one of them empty, see "
		"schedlab-trace(5)");
	expect_error(DESC "gpu_memory\n1,0,1,lots\n",
		":2:7: column 'gpu_memory' must be a size of memory such as 16GiB (a bare number is MiB), not "
		"'lots'; leave it empty where it is not known");
}

/* How active its GPUs were, of the job: on its first line. */
Test(table, gpu_active)
{
	expect("submit,run_time,gpu_active\n0,1,0.25\n0,1,\n0,1,-1\n0,1,1\n",
		"2: 1 @0 run 1 active 0.25 [1 c1]\n3: 2 @0 run 1 [1 c1]\n4: 3 @0 run 1 [1 c1]\n"
		"5: 4 @0 run 1 active 1 [1 c1]");
	expect_error("submit,run_time,gpu_active\n0,1,1.01\n",
		":2:5: column 'gpu_active' must be a number from 0 to 1, not '1.01'; leave it empty where it is "
		"not known");
}

/* Further groups on lines right below, in order; of them only the requests are read. */
Test(table, groups)
{
	expect("job_id,group,submit,run_time,user,tasks,gpus_per_task,gpu_type\n"
	       "a,0,0,10,ann,1,,\na,1,,,,2,1,x\na,2,,,,3,1,y\nb,,1,5,bob,4,,\n",
		"2: 'a' @0 run 10 u'ann' [1 c1] [2 c0 g1 'x'] [3 c0 g1 'y']\n5: 'b' @1 run 5 u'bob' [4 c1]");
	static const char said[] =
		"column 'group' must be 0 on a job's first line, and 1, 2, ... (at most 1000) on those right below "
		"it, not ";
	static const struct {
		const char *lines, *place, *cell;
	} wrong[] = {
		{ "1,1,0,1\n", ":2:3: ", "'1'" },
		{ "1,0,0,1\n1,2,0,1\n", ":3:3: ", "'2'" },
		{ "1,0,0,1\n2,1,0,1\n", ":3:3: ", "'1'" },
		{ "1,0,0,1\n2,0,0,1\n1,1,0,1\n", ":4:3: ", "'1'" },
	};
	for (size_t i = 0; i < SL_LEN(wrong); i++) {
		char csv[200];
		char want[400];
		(void)snprintf(csv, sizeof(csv), "job_id,group,submit,run_time\n%s", wrong[i].lines);
		(void)snprintf(want, sizeof(want), "%s%s%s; leave it empty where it is not known",
			wrong[i].place, said, wrong[i].cell);
		expect_error(csv, want);
	}
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

Test(table, mistakes)
{
	static const struct {
		const char *csv, *said;
	} wrong[] = {
		{ "submit,run_time\n0,soon\n",
			":2:3: column 'run_time' must be seconds, or a duration such as 90m or 1-12:00:00, not "
			"'soon'; leave it empty where it is not known" },
		{ "submit,run_time,tasks\n0,\"1\", 1e99\n",
			":2:8: column 'tasks' must be a whole number up to 2147483647, not '1e99'; leave it empty "
			"where it is not known" },
		{ "submit,run_time,mem_per_task\n0,1,4 apples\n",
			":2:5: column 'mem_per_task' must be a size of memory such as 16GiB (a bare number is MiB), "
			"not '4 apples'; leave it empty where it is not known" },
		{ "submit,run_time,exclusive\n0,1,perhaps\n",
			":2:5: column 'exclusive' must be one of 0, 1, true, false, yes and no, not 'perhaps'; leave "
			"it empty where it is not known" },
		{ "submit,run_time,Submit Time\n0,1,2\n",
			":1:17: column 'Submit Time' stands twice: remove one" },
		{ "submit,user\n0,1\n",
			":1: the header has no column 'run_time', nor both of 'start' and 'end': name "
			"it, see schedlab-trace(5)" },
		{ "run_time,user\n0,1\n",
			":1: the header has no column 'submit': name it, see schedlab-trace(5)" },
		{ "submit,run_time\n", ": has no jobs, only a header: give a trace with jobs" },
		{ "submit,run_time,user\n0,1,a\"b\n",
			":2:6: not CSV: a quote in the middle of a field: put quotes around all of it, and double "
			"those within" },
		{ "submit,run_time,user\n0,1,\"a\"b\n",
			":2:8: not CSV: a quote in the middle of a field: put quotes around all of it, and double "
			"those within" },
		{ "submit,run_time,user\n0,1,\"ab\n1,2,c\n",
			":2: not CSV: a quote in the row that begins here is not closed" },
	};
	for (size_t i = 0; i < SL_LEN(wrong); i++)
		expect_error(wrong[i].csv, wrong[i].said);
}

/* ---- In a scenario --------------------------------------------------------------------------- */

struct loaded {
	struct scenario scenario;
	struct scenario_options options;
	struct sl_err err;
	char trace[32], cluster[32];
};

static int load(struct loaded *l, const char *csv, const char *cluster)
{
	l->options.registry = builtin_registry();
	l->options.trace = memfile(l->trace, csv, strlen(csv));
	if (cluster)
		l->options.cluster = memfile(l->cluster, cluster, strlen(cluster));
	return scenario_load(&l->scenario, &l->options, &l->err);
}

/* Users become names at the first that is none, numbers before and after it too; partitions stay numbers. */
Test(table, names)
{
	struct loaded l = { 0 };
	cr_assert_eq(load(&l,
			     "# MaxProcs: 9\njob_id,submit,run_time,user,partition\n5,0,1,3,7\nx,0,1,ann,7\n"
			     "y,0,1,,7\n6,0,1,3,8\nz,0,1,ann,\nx,0,1,zoe,\n",
			     NULL),
		SL_OK, "%s", l.err.text);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_assert_eq(jobs->count, 5);
	cr_assert_eq(jobs->user_count, 2);
	cr_expect_str_eq(jobs->user_name[0], "3");
	cr_expect_str_eq(jobs->user_name[1], "ann");
	static const int32_t user[] = { 0, 1, -1, 0, 1 };
	static const int32_t partition[] = { 7, 7, 7, 8, -1 };
	static const char *const id[] = { NULL, "x", "y", NULL, "z" };
	for (uint32_t row = 0; row < 5; row++) {
		cr_expect_eq(jobs->user[row], user[row], "user of row %u", row);
		cr_expect_eq(jobs->partition[row], partition[row], "partition of row %u", row);
		cr_expect(!id[row] == !jobs->id_name[row] &&
			  (!id[row] || strcmp(id[row], jobs->id_name[row]) == 0));
	}
	cr_expect_eq(jobs->id[0], 5);
	cr_expect_eq(jobs->id[3], 6);
	cr_expect_null(jobs->partition_name);
	cr_assert_eq(l.scenario.anomaly_count, 1); /* The second x. */
	cr_expect_str_eq(l.scenario.anomaly[0].cause, "repeated id");
	scenario_release(&l.scenario);
}

/* Zero is the first submit, wherever it stands; from and to count from there. */
Test(table, dated_scenario)
{
	static const char csv[] =
		"# MaxProcs: 9\njob_id,submit,run_time\n1,2020-01-01 00:10,9\n2,2020-01-01 00:00,9\n"
		"3,2020-01-01 00:20:00.5,9\n4,2020-01-02,9\n";
	struct loaded all = { .options.tz = "+01:00" };
	cr_assert_eq(load(&all, csv, NULL), SL_OK, "%s", all.err.text);
	cr_expect_eq(all.scenario.epoch, INT64_C(1577836800) - 3600);
	const struct sl_jobs *jobs = &all.scenario.jobs;
	cr_assert_eq(jobs->count, 4);
	cr_expect(jobs->id[0] == 2 && jobs->submit[0] == 0 && jobs->submit[1] == 600 * SL_SECOND);
	cr_expect(
		jobs->submit[2] == 1200 * SL_SECOND + SL_SECOND / 2 && jobs->submit[3] == 86400 * SL_SECOND);
	scenario_release(&all.scenario);

	struct loaded some = { .options = { .from = "600", .to = "2020-01-01T12:00" } };
	cr_assert_eq(load(&some, csv, NULL), SL_OK, "%s", some.err.text);
	jobs = &some.scenario.jobs;
	cr_assert_eq(jobs->count, 2);
	cr_expect(jobs->id[0] == 1 && jobs->id[1] == 3);
	cr_expect(jobs->place[0] == 0 && jobs->place[1] == 1);
	scenario_release(&some.scenario);

	struct loaded none = { .options.from = "2021-01-01" };
	cr_expect_eq(load(&none, csv, NULL), SL_INPUT);
	cr_expect(strstr(none.err.text, "4 not within replay.from and replay.to"), "%s", none.err.text);
}

#define GPUS \
	"nodes: [{name: c, count: 2, cpus: 8, memory: 100}, {name: g, cpus: 8, memory: 100, gpus: {a: 2, b: 2}}]\n"

static void expect_dropped(const char *columns, const char *cells, const char *cluster, const char *cause)
{
	char csv[400];
	struct loaded l = { 0 };
	(void)snprintf(
		csv, sizeof(csv), "# MaxProcs: 9\njob_id,submit,run_time,%s\n1,0,1,%s\n", columns, cells);
	const int status = load(&l, csv, cluster);
	if (!cause) {
		cr_expect_eq(status, SL_OK, "%s of\n%s", l.err.text, csv);
		if (!status)
			scenario_release(&l.scenario);
		return;
	}
	cr_assert_eq(status, SL_INPUT, "%s", csv);
	cr_expect(strstr(l.err.text, cause), "said %s of\n%s", l.err.text, csv);
}

/* What can never fit is dropped; what just fits is not. Each bound has a case on either side. */
Test(table, could_ever_fit)
{
	static const char large[] = "larger than the machine";
	static const char lacks[] = "asks for what the cluster has not";
	static const char bounds[] = "bounds that contradict each other";
	static const struct {
		const char *columns, *cells, *cause;
	} cases[] = {
		{ "cpus", "24", NULL },
		{ "cpus", "25", large },
		{ "tasks,cpus_per_task", "3,5", NULL },
		{ "tasks,cpus_per_task", "4,5", large }, /* One a node. */
		{ "tasks,cpus_per_task", "1,9", large },
		{ "tasks,mem_per_task", "6,50", NULL },
		{ "tasks,mem_per_task", "7,50", large },
		{ "gpus", "4", NULL },
		{ "gpus", "5", large },
		{ "gpus,gpu_type", "2,a", NULL },
		{ "gpus,gpu_type", "3,a", large },
		{ "gpus,gpu_type", "3,a|b", NULL },
		{ "gpus,gpu_type", "1,x|y", lacks },
		{ "gpus,gpu_type", "1,x|b", NULL },
		{ "nodes,cpus_per_node", "3,8", NULL },
		{ "nodes,cpus_per_node", "4,1", large },
		{ "tasks,tasks_per_node", "6,2", NULL },
		{ "tasks,tasks_per_node", "7,2", large },
		{ "tasks,nodes_max", "16,2", NULL },
		{ "tasks,nodes_max", "17,2", large },
		{ "tasks,nodes_min", "4,3", NULL },
		{ "tasks,nodes_min", "4,4", large },
		{ "tasks,nodes_min", "2,3", bounds },
		{ "tasks,nodes_min,nodes_max", "4,3,2", bounds },
		{ "tasks,nodes_max,tasks_per_node", "5,2,2", bounds },
		{ "tasks,tasks_min", "5,6", bounds },
		{ "tasks,tasks_max", "5,4", bounds },
		{ "tasks,tasks_min,tasks_max", "5,1,100", NULL },
		{ "tasks,cpus_per_task", "1,0", "size is not positive" },
		{ "tasks,cpus_per_task", "2147483647,2147483647", large },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		expect_dropped(cases[i].columns, cases[i].cells, GPUS, cases[i].cause);
}

/* A counted pool has no GPUs, and says what to do; memory is not counted there. */
Test(table, on_a_pool)
{
	expect_dropped("gpus", "1", NULL,
		"asks for what the cluster has not (line 3): give a cluster that has it, with -c");
	expect_dropped("cpus", "10", NULL, "larger than the machine");
	expect_dropped("cpus,memory", "9,1T", NULL, NULL);
	expect_dropped("nodes,cpus_per_node", "3,3", NULL, NULL);
}

/* Size is the GPUs of a job that requests any, else its cpus; requests are shared. */
Test(table, requests)
{
	struct loaded l = { 0 };
	cr_assert_eq(
		load(&l,
			"job_id,submit,run_time,tasks,cpus_per_task,gpus_per_task,gpu_type\n1,0,1,2,3,,\n2,0,1,2,3,1,b\n"
			"3,0,1,2,3,0,\n4,0,1,2,3,1,b|zz\n",
			GPUS),
		SL_OK, "%s", l.err.text);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_assert_eq(jobs->count, 4);
	cr_assert_eq(jobs->request_count, 2);
	cr_expect(jobs->request[0] == 0 && jobs->request[1] == 1 && jobs->request[2] == 0 &&
		  jobs->request[3] == 1);
	cr_expect(jobs->size[0] == 6 && jobs->size[1] == 2);
	cr_expect_eq(jobs->requests[1].group[0].task.gpu_types, 2);
	cr_expect(jobs->requests[1].cpus == 6 && jobs->requests[1].gpus == 2);
	scenario_release(&l.scenario);
}

/* Gangs by name. */
Test(table, gangs)
{
	struct loaded l = { 0 };
	cr_assert_eq(load(&l, "# MaxProcs: 9\nsubmit,run_time,gang\n0,1,\n0,1,b\n0,1,a\n0,1,b\n", NULL),
		SL_OK, "%s", l.err.text);
	static const int32_t gang[] = { -1, 0, 1, 0 };
	for (uint32_t row = 0; row < 4; row++)
		cr_expect_eq(l.scenario.jobs.gang[row], gang[row]);
	scenario_release(&l.scenario);
}
