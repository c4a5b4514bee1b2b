/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_view.c - views against texts made by hand: widths and cuts, states of nodes, arrays, partitions.
 *
 * A run of a few jobs is opened as a view is; what the reader used does not set (arrays, partitions,
 * hardware) is put into it then.
 */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/moment/view.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

/* ---- Text --------------------------------------------------------------------------------- */

Test(view, ranges_are_as_short_as_the_command_writes_them)
{
	static const struct {
		int64_t seconds;
		const char *brief, *full;
	} cases[] = {
		{ 0, "0:00", "00:00:00" },
		{ 59, "0:59", "00:00:59" },
		{ 60, "1:00", "00:01:00" },
		{ 3599, "59:59", "00:59:59" },
		{ 3600, "1:00:00", "01:00:00" },
		{ 86399, "23:59:59", "23:59:59" },
		{ 86400, "1-00:00:00", "1-00:00:00" },
		{ 90061, "1-01:01:01", "1-01:01:01" },
		{ -5, "0:00", "00:00:00" },
	};
	struct cell cell = { 0 };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cell_clear(&cell);
		put_range(&cell, cases[i].seconds, false);
		cr_expect_str_eq(cell.text, cases[i].brief);
		cell_clear(&cell);
		put_range(&cell, cases[i].seconds, true);
		cr_expect_str_eq(cell.text, cases[i].full);
	}
	cell_free(&cell);
}

/* The largest unit in which memory is whole or a half; seconds go down, before zero too. */
Test(view, amounts)
{
	static const struct {
		int64_t mib;
		const char *text;
	} cases[] = { { 0, "0" }, { 1, "1M" }, { 1000, "1000M" }, { 1024, "1G" }, { 1025, "1025M" },
		{ 1 << 20, "1T" }, { 3 << 20, "3T" }, { 1536, "1.50G" }, { 320000, "312.50G" },
		{ 1280, "1280M" }, { 512, "512M" } };
	struct cell cell = { 0 };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cell_clear(&cell);
		put_mem(&cell, cases[i].mib);
		cr_expect_str_eq(cell.text, cases[i].text);
	}
	cell_free(&cell);
	cr_expect_eq(seconds_of(1999999), 1);
	cr_expect_eq(seconds_of(-1), -1);
	cr_expect_eq(seconds_of(-1000000), -1);
}

/* A drained node says so whatever else it is; reservations and plans show on idle nodes, as marks on others.
 */
Test(view, states_of_nodes)
{
	static const struct {
		uint32_t state;
		const char *brief, *full;
	} cases[] = {
		{ VIEW_IDLE, "idle", "idle" },
		{ VIEW_MIXED, "mix", "mixed" },
		{ VIEW_ALLOCATED, "alloc", "allocated" },
		{ VIEW_DOWN, "down", "down" },
		{ VIEW_DOWN | VIEW_SILENT, "down*", "down*" },
		{ VIEW_DOWN | VIEW_DRAIN, "down", "down" },
		{ VIEW_IDLE | VIEW_DRAIN, "drain", "drained" },
		{ VIEW_MIXED | VIEW_DRAIN, "drng", "draining" },
		{ VIEW_ALLOCATED | VIEW_DRAIN | VIEW_MAINT, "drng", "draining" },
		{ VIEW_IDLE | VIEW_MAINT, "maint", "maint" },
		{ VIEW_ALLOCATED | VIEW_MAINT, "alloc$", "allocated$" },
		{ VIEW_IDLE | VIEW_RESERVED, "resv", "reserved" },
		{ VIEW_MIXED | VIEW_RESERVED, "mix", "mixed" },
		{ VIEW_IDLE | VIEW_PLANNED, "plnd", "planned" },
		{ VIEW_MIXED | VIEW_PLANNED, "mix-", "mixed-" },
		{ VIEW_IDLE | VIEW_POWERED_DOWN, "idle~", "idle~" },
		{ VIEW_FUTURE, "futr", "future" },
	};
	struct cell cell = { 0 };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cell_clear(&cell);
		put_node_state(&cell, cases[i].state, true);
		cr_expect_str_eq(cell.text, cases[i].brief);
		cell_clear(&cell);
		put_node_state(&cell, cases[i].state, false);
		cr_expect_str_eq(cell.text, cases[i].full);
	}
	cell_free(&cell);
}

static void put_word(struct cell *cell, const struct view *view, const void *line)
{
	(void)view;
	cell_put(cell, "%s", (const char *)line);
}

static const struct view_field word_fields[] = {
	{ 'w', "some-Word", "WORD", put_word, 0 },
	{ 'x', "Nothing", "NOTHING", NULL, 0 },
	{ 0, NULL, NULL, NULL, 0 },
};

/* A width cuts and pads, a dot sets to the right, text between and around columns stays, what is not known of
 * a field is blank. */
Test(view, formats)
{
	static const struct {
		const char *text, *heading, *line;
	} cases[] = {
		{ "%w", "WORD\n", "alpha\n" },
		{ "<%7w|%.7w>", "<WORD   |   WORD>\n", "<alpha  |  alpha>\n" },
		{ "%3w|%.3w|%0w", "WOR|WOR|WORD\n", "alp|alp|alpha\n" },
		{ "%2x.%x", "NO.NOTHING\n", "  .\n" },
		{ "no field", "no field\n", "no field\n" },
		{ "", "\n", "\n" },
		{ "%", "\n", "\n" },
	};
	struct sl_err err = { 0 };
	struct view_format format;
	char expected[200] = "";
	cr_redirect_stdout();
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cr_assert_eq(format_short(&format, cases[i].text, word_fields, "tool", &err), SL_OK);
		format_heading(&format);
		format_line(&format, NULL, "alpha");
		const size_t used = strlen(expected);
		(void)snprintf(
			expected + used, sizeof(expected) - used, "%s%s", cases[i].heading, cases[i].line);
	}
	(void)fflush(stdout);
	cr_assert_stdout_eq_str(expected);
}

/* Names in any case, with or without '-' and '_'; 20 wide unless said; text behind the width stays. */
Test(view, formats_by_name)
{
	struct sl_err err = { 0 };
	struct view_format format;
	cr_redirect_stdout();
	cr_assert_eq(
		format_long(&format, "SOMEWORD:.6;,some_word,some-word:4", word_fields, "tool", &err), SL_OK);
	format_heading(&format);
	format_line(&format, NULL, "alpha");
	(void)fflush(stdout);
	cr_assert_stdout_eq_str("  WORD;WORD                WORD\n alpha;alpha               alph\n");
	cr_redirect_stderr();
	cr_assert_eq(format_long(&format, "SomeWor", word_fields, "tool", &err), SL_CHECK_FAILED);
}

/* ---- A run ------------------------------------------------------------------------------------ */

/* Four nodes of two cpus, and nine jobs of a whole node each, all submitted at once, of a minute: at 30 s the
 * first four run, the others wait. */
static const char cluster_text[] = "name: world\nnodes:\n  - name: n\n    count: 4\n    cpus: 2\n";
static const char trace_text[] = "job_id,user,submit,run_time,time_limit,nodes,cpus_per_node\n"
				 "10,ada,2026-01-12T09:00:00,60,120,1,2\n"
				 "11,ada,2026-01-12T09:00:00,60,120,1,2\n"
				 "12,ada,2026-01-12T09:00:00,60,120,1,1\n"
				 "13,bob,2026-01-12T09:00:00,60,120,1,2\n"
				 "14,ada,2026-01-12T09:00:00,60,120,1,2\n"
				 "15,bob,2026-01-12T09:00:00,60,120,1,2\n"
				 "16,ada,2026-01-12T09:00:00,60,120,1,2\n"
				 "17,ada,2026-01-12T09:00:00,60,120,1,2\n"
				 "18,ada,2026-01-12T09:00:00,60,120,1,2\n";

struct world {
	struct registry registry;
	struct sl_arena *arena;
	struct view view;
	char folder[40], path[60];
};

static const char *hash_of(const char *path, char hash[65])
{
	struct sl_err err = { 0 };
	struct sl_input *in;
	const char *text;
	const char *end;
	cr_assert_eq(sl_input_open(&in, path, &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_input_all(in, &text, &end, &err), SL_OK, "%s", err.text);
	(void)snprintf(hash, 65, "%s", sl_input_sha256(in));
	sl_input_close(in);
	return hash;
}

/* A run.json as an interrupted run leaves it: it does not say what digest to expect. */
static void world_open(struct world *world)
{
	char trace[32];
	char cluster[32];
	char hash[2][65];
	struct sl_err err = { 0 };
	(void)memfile(trace, trace_text, sizeof(trace_text) - 1);
	(void)memfile(cluster, cluster_text, sizeof(cluster_text) - 1);
	(void)snprintf(world->folder, sizeof(world->folder), "/tmp/schedlab-view-XXXXXX");
	cr_assert_not_null(mkdtemp(world->folder));
	(void)snprintf(world->path, sizeof(world->path), "%s/run.json", world->folder);
	FILE *file = fopen(world->path, "w");
	cr_assert_not_null(file);
	(void)fprintf(file,
		"{ \"schedlab\": \"test\", \"schema\": \"schedlab.run/1\", \"inputs\": ["
		"{ \"path\": \"%s\", \"sha256\": \"%s\" }, { \"path\": \"%s\", \"sha256\": \"%s\" }],\n"
		"\"cluster\": { \"cpus\": 8, \"from\": \"%s\" }, \"policy\": { \"text\": \"fcfs\", \"values\": {} },\n"
		"\"replay\": { \"load\": 1, \"early\": false, \"from\": null }, \"seed\": 1, \"partial\": true,\n"
		"\"events\": 7, \"digest\": \"0123456789abcdef\", \"digests\": [] }\n",
		trace, hash_of(trace, hash[0]), cluster, hash_of(cluster, hash[1]), cluster);
	cr_assert_eq(fclose(file), 0);
	cr_assert_eq(registry_make(&world->registry, &err), SL_OK);
	world->arena = sl_arena_new();
	const int status = view_open(&world->view, world->folder, "30", false, &world->registry, &err);
	cr_assert_eq(status, SL_OK, "%s", err.text);
	(void)unlink(world->path);
	(void)rmdir(world->folder);
}

/* Runs a command on the scenario, which it frees. */
static void world_show(struct world *world, int (*run)(const struct view_call *call, struct sl_err *err),
	char **argv, int argc)
{
	struct sl_err err = { 0 };
	bool taken = false;
	const struct view_call call = {
		.argc = argc,
		.argv = argv,
		.run = "",
		.registry = &world->registry,
		.arena = world->arena,
		.open = &world->view,
		.taken = &taken,
	};
	optind = 0; /* getopt_long begins anew. */
	cr_redirect_stdout();
	cr_assert_eq(run(&call, &err), SL_OK, "%s", err.text);
	cr_assert(taken, "the command leaves the view open");
	(void)fflush(stdout);
	sl_arena_free(world->arena);
	registry_release(&world->registry);
}

static char tool[] = "tool";
static char flag_h[] = "-h";
static char flag_o[] = "-o";

/* ---- Arrays -------------------------------------------------------------------------------------- */

/* Jobs 11 to 18 are tasks 1, 2, ... 8 of array 11, but 15 is no task of it; at most two at a time. */
static void make_array(struct world *world)
{
	static struct sl_job_attributes more[10];
	static uint32_t more_of[9];
	for (uint32_t job = 0; job < 9; job++) {
		more[job + 1] = (struct sl_job_attributes){ .name = "sweep",
			.qos = "normal",
			.begin = SL_NONE,
			.deadline = SL_NONE,
			.time_min = SL_NONE,
			.nice = 3,
			.array = job && job != 5 ? 11 : SL_NONE,
			.array_task = job && job != 5 ? (int64_t)job : SL_NONE,
			.array_limit = 2,
			.requeue = -1 };
		more_of[job] = job + 1;
	}
	world->view.rerun.scenario.jobs.more = more;
	world->view.rerun.scenario.jobs.more_of = more_of;
	world->view.rerun.scenario.jobs.more_count = 10;
}

/* What runs has a line each; what waits of an array has one in all, where its first task stands. */
Test(view, arrays_are_folded)
{
	static char format[] = "%i|%F|%K|%A|%t|%j|%y|%r";
	static char *argv[] = { tool, flag_h, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_array(&world);
	world_show(&world, view_squeue, argv, 4);
	cr_assert_stdout_eq_str("11_[4,6-8%2]|11|[4,6-8%2]|14|PD|sweep|3|Resources\n"
				"15|15|N/A|15|PD|sweep|3|Priority\n"
				"10|10|N/A|10|R|sweep|3|None\n"
				"11_1|11|1|11|R|sweep|3|None\n"
				"11_2|11|2|12|R|sweep|3|None\n"
				"11_3|11|3|13|R|sweep|3|None\n");
}

Test(view, arrays_are_listed_with_r)
{
	static char format[] = "%i %t";
	static char flag_r[] = "-r";
	static char jobs[] = "-j11_[2-6]";
	static char *argv[] = { tool, flag_h, flag_r, jobs, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_array(&world);
	world_show(&world, view_squeue, argv, 6);
	cr_assert_stdout_eq_str("11_4 PD\n11_6 PD\n11_2 R\n11_3 R\n");
}

/* sacct has a record for each task, and their raw ids. */
Test(view, arrays_in_accounting)
{
	static char flags[] = "-nP";
	static char jobs[] = "-j11";
	static char format[] = "jobid,jobidraw,jobname,qos,state";
	static char *argv[] = { tool, flags, jobs, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_array(&world);
	world_show(&world, view_sacct, argv, 5);
	cr_assert_stdout_eq_str("11_1|11|sweep|normal|RUNNING\n11_2|12|sweep|normal|RUNNING\n"
				"11_3|13|sweep|normal|RUNNING\n11_4|14|sweep|normal|PENDING\n"
				"11_6|16|sweep|normal|PENDING\n11_7|17|sweep|normal|PENDING\n"
				"11_8|18|sweep|normal|PENDING\n");
}

/* ---- Partitions ------------------------------------------------------------------------------------ */

/* clang-format off */
#define UNSAID \
	.default_time = SL_NONE, .nodes_min = SL_NONE, .nodes_max = SL_NONE, .cpus_per_node_max = SL_NONE, \
	.mem_per_node = SL_NONE, .mem_per_cpu = SL_NONE, .mem_per_node_max = SL_NONE, \
	.mem_per_cpu_max = SL_NONE, .tier = SL_NONE, .job_factor = SL_NONE
/* clang-format on */

/* long: all nodes, the default, without limit; short: n3 and n4, half an hour; secret: n1, hidden, down; and
 * empty. */
static void make_partitions(struct world *world)
{
	static const struct sl_partition spec[] = {
		{ UNSAID, .name = "long", .max_time = SL_NEVER, .is_default = true },
		{ .name = "short",
			.max_time = 1800 * SL_SECOND,
			.default_time = 60 * SL_SECOND,
			.nodes_min = 1,
			.nodes_max = 2,
			.cpus_per_node_max = 1,
			.mem_per_node = 512,
			.mem_per_cpu = SL_NONE,
			.mem_per_node_max = SL_NONE,
			.mem_per_cpu_max = SL_NONE,
			.tier = 10,
			.job_factor = 5,
			.share = SL_SHARE_FORCE,
			.shares = 2,
			.root_only = true },
		{ UNSAID, .name = "secret", .max_time = SL_NEVER, .hidden = true,
			.state = SL_PARTITION_DOWN },
		{ UNSAID, .name = "empty", .max_time = SL_NEVER },
	};
	static const uint32_t nodes[] = { 0, 1, 2, 3 };
	static struct view_partition partition[SL_LEN(spec)];
	static const struct {
		uint32_t first, count;
	} has[SL_LEN(spec)] = { { 0, 4 }, { 2, 2 }, { 0, 1 }, { 0, 0 } };
	for (uint32_t i = 0; i < SL_LEN(spec); i++)
		partition[i] = (struct view_partition){ spec[i].name, &spec[i], nodes + has[i].first,
			has[i].count, spec[i].is_default };
	world->view.partition = partition;
	world->view.partition_count = SL_LEN(spec);
	world->view.node[3].state = VIEW_IDLE | VIEW_DRAIN;
}

/* Partitions as they are listed, their nodes by state; n3 has a cpu left, n4 is drained. */
Test(view, partitions)
{
	static char *argv[] = { tool, NULL };
	struct world world;
	world_open(&world);
	make_partitions(&world);
	world_show(&world, view_sinfo, argv, 1);
	cr_assert_stdout_eq_str("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
				"long*        up   infinite      1  drain n4\n"
				"long*        up   infinite      1    mix n3\n"
				"long*        up   infinite      2  alloc n[1-2]\n"
				"short        up      30:00      1  drain n4\n"
				"short        up      30:00      1    mix n3\n"
				"empty        up   infinite      0    n/a \n");
}

/* Hidden ones with -a; a format without partitions groups nodes by state alone, each once. */
Test(view, partitions_hidden_and_left_out)
{
	static char flags[] = "-ah";
	static char format[] = "%R %a %D %s %r %h %p %I %B %L";
	static char *argv[] = { tool, flags, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_partitions(&world);
	world_show(&world, view_sinfo, argv, 4);
	cr_assert_stdout_eq_str("long up 4 1-infinite no NO 1 1 UNLIMITED n/a\n"
				"short up 2 1-2 yes FORCE:2 10 5 1 1:00\n"
				"secret down 1 1-infinite no NO 1 1 UNLIMITED n/a\n"
				"empty up 0 1-infinite no NO 1 1 UNLIMITED n/a\n");
}

Test(view, nodes_of_several_partitions_are_counted_once)
{
	static char format[] = "%t %D %N";
	static char *argv[] = { tool, flag_h, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_partitions(&world);
	world_show(&world, view_sinfo, argv, 4);
	cr_assert_stdout_eq_str("drain 1 n4\nmix 1 n3\nalloc 2 n[1-2]\nn/a 0 \n");
}

Test(view, partition_as_scontrol_shows_it)
{
	static char show[] = "show";
	static char partition[] = "part";
	static char name[] = "short";
	static char *argv[] = { tool, flag_o, show, partition, name, NULL };
	struct world world;
	world_open(&world);
	make_partitions(&world);
	world_show(&world, view_scontrol, argv, 5);
	cr_assert_stdout_eq_str(
		"PartitionName=short AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=NO QoS=N/A "
		"DefaultTime=00:01:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=2 "
		"MaxTime=00:30:00 MinNodes=1 LLN=NO MaxCPUsPerNode=1 Nodes=n[3-4] PriorityJobFactor=5 PriorityTier=10 "
		"RootOnly=YES ReqResv=NO OverSubscribe=FORCE:2 OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=4 "
		"TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=512 MaxMemPerNode=UNLIMITED "
		"TRES=cpu=4,node=2,billing=4\n");
}

/* ---- Hardware ---------------------------------------------------------------------------------------- */

/* Two sockets of one core each of two threads, one core of which is kept; GPUs with a type; drained, with the
 * reason. */
static void make_hardware(struct world *world)
{
	static const char *const feature[] = { "ib", "v100" };
	static const struct sl_gres gres[] = { { .name = "gpu", .type = "v100", .count = 2 },
		{ .name = "mps", .count = 200 } };
	static const struct sl_hardware hardware = { .boards = 1,
		.sockets = 2,
		.cores = 1,
		.threads = 2,
		.cores_kept = 1,
		.state_reason = "disk broken",
		.tmp_disk = 5000,
		.weight = 7,
		.feature = feature,
		.feature_count = 2,
		.gres = gres,
		.gres_count = 2 };
	static struct sl_node_type type;
	type = world->view.cluster->type[0];
	type.hardware = &hardware;
	world->view.rerun.scenario.cluster.type = &type;
	world->view.node[3].state = VIEW_IDLE | VIEW_DRAIN;
	world->view.node[3].reason = hardware.state_reason;
}

Test(view, nodes_line_by_line)
{
	static char flags[] = "-hNn";
	static char hosts[] = "n[3-4]";
	static char format[] = "%N %T %c %z %X %Y %Z %d %w %f %G %E";
	static char *argv[] = { tool, flags, hosts, flag_o, format, NULL };
	struct world world;
	world_open(&world);
	make_hardware(&world);
	world_show(&world, view_sinfo, argv, 5);
	cr_assert_stdout_eq_str("n3 mixed 2 2:1:2 2 1 2 5000 7 ib,v100 gpu:v100:2,mps:200 none\n"
				"n4 drained 2 2:1:2 2 1 2 5000 7 ib,v100 gpu:v100:2,mps:200 disk broken\n");
}

Test(view, node_as_scontrol_shows_it)
{
	static char show[] = "show";
	static char node[] = "node";
	static char name[] = "n4";
	static char *argv[] = { tool, show, node, name, NULL };
	struct world world;
	world_open(&world);
	make_hardware(&world);
	world_show(&world, view_scontrol, argv, 4);
	cr_assert_stdout_eq_str(
		"NodeName=n4 CoresPerSocket=1\n"
		"   CPUAlloc=2 CPUEfctv=2 CPUTot=4 CPULoad=N/A\n"
		"   AvailableFeatures=ib,v100\n"
		"   ActiveFeatures=ib,v100\n"
		"   Gres=gpu:v100:2,mps:200\n"
		"   NodeAddr=n4 NodeHostName=n4\n"
		"   RealMemory=1 AllocMem=0 FreeMem=N/A Sockets=2 Boards=1\n"
		"   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=5000 Weight=7 Owner=N/A MCS_label=N/A\n"
		"   Partitions=world\n"
		"   BootTime=None SlurmdStartTime=None\n"
		"   CfgTRES=cpu=2,billing=2\n"
		"   AllocTRES=cpu=2\n"
		"   Reason=disk broken\n\n");
}
