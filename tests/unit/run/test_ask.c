/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ask.c - job descriptions of Slurm as groups of tasks: each rule by hand, and why a job is refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/machine_world.h"

/* ---- The cluster: cores of two threads, memory allocated ------------------------------------------ */

static const char *const fast[] = { "fast", "ib" };
static const char *const slow[] = { "slow", "ib" };
static const struct sl_gres two_gpus[] = { { .name = "gpu", .type = "a100", .count = 2 } };

static int nodes_of(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_hardware f = { .sockets = 2,
		.cores = 2,
		.threads = 2,
		.weight = 10,
		.feature = fast,
		.feature_count = 2,
		.gres = two_gpus,
		.gres_count = 1 };
	const struct sl_hardware s = {
		.sockets = 1, .cores = 4, .threads = 2, .weight = 1, .feature = slow, .feature_count = 2
	};
	struct sl_hardware down = s;
	down.state = SL_NODE_DOWN;
	int status = mw_nodes(sink, "f[1-4]", 8, 16000, &f, err);
	if (!status)
		status = mw_nodes(sink, "s[1-2]", 8, 8000, &s, err);
	return status ? status : mw_nodes(sink, "d1", 8, 32000, &down, err);
}

static int partitions_of(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct sl_partition part[] = { mw_part("main", "ALL"), mw_part("gpu", "f[1-4]"),
		mw_part("short", "s[1-2]"), mw_part("excl", "s[1-2]"), mw_part("off", "s[1-2]"),
		mw_part("thin", "s[1-2]"), mw_part("wide", "f[1-4]") };
	part[0].is_default = true;
	part[1].mem_per_gpu = 4000;
	part[1].cpus_per_gpu = 2;
	part[1].nodes_max = 3;
	part[2].max_time = 150 * SL_SECOND;
	part[2].default_time = 60 * SL_SECOND;
	part[3].share = SL_SHARE_EXCLUSIVE;
	part[4].state = SL_PARTITION_DOWN;
	part[5].cpus_per_node_max = 4;
	part[6].nodes_min = 2;
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(part) && !status; i++)
		status = mw_partition(sink, &part[i], err);
	return status;
}

static enum sl_select selects = SL_SELECT_CORES;
static const char *default_mem_per_cpu = "1000";
static const struct sl_window_spec *windows;
static size_t window_count;
static bool keep_impossible;

static int cluster(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_cluster_spec whole = { .select = selects, .mem_counts = true };
	const struct sl_setting mem = {
		.kind = "cluster", .name = "", .key = "DefMemPerCPU", .value = default_mem_per_cpu
	};
	int status = sink->whole(sink->self, &whole, err);
	if (!status)
		status = sink->setting(sink->self, &mem, err);
	if (!status)
		status = nodes_of(sink, err);
	if (!status)
		status = partitions_of(sink, err);
	for (size_t i = 0; i < window_count && !status; i++)
		status = sink->window(sink->self, &windows[i], &(struct sl_place){ "r", i + 1, 1 }, err);
	return status;
}

/* ---- Asks from text: "n=5 N=2 gres=gpu:2" ------------------------------------------------------------- */

#define NUMBER(key, member)                                      \
	{                                                        \
		key, offsetof(struct sl_job_desc, member), false \
	}
#define TEXT(key, member)                                       \
	{                                                       \
		key, offsetof(struct sl_job_desc, member), true \
	}

static const struct {
	const char *key;
	size_t offset;
	bool text;
} options[] = { NUMBER("n", tasks), NUMBER("N", nodes_min), NUMBER("Nmax", nodes_max),
	NUMBER("c", cpus_per_task), NUMBER("tpn", tasks_per_node), NUMBER("mem", mem_per_node),
	NUMBER("mpc", mem_per_cpu), NUMBER("mpg", mem_per_gpu), NUMBER("cpg", cpus_per_gpu),
	NUMBER("mincpus", cpus_min), NUMBER("tpg", tasks_per_gpu), NUMBER("tpcore", tasks_per_core),
	NUMBER("threads", threads_per_core), NUMBER("spn", sockets_per_node), TEXT("p", partition),
	TEXT("gres", gres), TEXT("G", gpus), TEXT("gpn", gpus_per_node), TEXT("gps", gpus_per_socket),
	TEXT("gpt", gpus_per_task), TEXT("C", constraint), TEXT("w", nodelist), TEXT("x", exclude),
	TEXT("R", reservation) };

static char words[20][400];

static void desc_from(struct sl_job_desc *desc, const char *text, char *copy)
{
	char *rest = NULL;
	sl_job_desc_clear(desc);
	(void)snprintf(copy, sizeof(words[0]), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');
		if (!value) {
			cr_assert_str_eq(word, "exclusive");
			desc->exclusive = SL_EXCLUSIVE_NODE;
			continue;
		}
		*value++ = '\0';
		size_t i = 0;
		while (i < SL_LEN(options) && strcmp(options[i].key, word) != 0)
			i++;
		cr_assert_lt(i, SL_LEN(options), "%s", word);
		char *at = (char *)desc + options[i].offset;
		int64_t number = 0;
		if (options[i].text)
			memcpy(at, &value, sizeof(value));
		else
			cr_assert(sl_get_i64(value, strlen(value), &number));
		if (!options[i].text)
			memcpy(at, &number, sizeof(number));
	}
}

/* "2x(4 cpus 100 mem 1 gpus) per_node 1 nodes 2-2 exclusive on f1 f2" */
static const char *displayed(const struct machine_world *w, uint32_t job, char *text, size_t size)
{
	const struct sl_group *g = &w->scenario.jobs.requests[w->scenario.jobs.request[job]].group[0];
	char nodes[200];
	size_t len = (size_t)snprintf(text, size, "%ux(%lld cpus %lld mem %lld gpus)", g->tasks,
		(long long)g->task.cpus, (long long)g->task.mem, (long long)g->task.gpus);
	if (g->tasks_per_node)
		len += (size_t)snprintf(text + len, size - len, " per_node %u", g->tasks_per_node);
	if (g->nodes_min || g->nodes_max)
		len += (size_t)snprintf(text + len, size - len, " nodes %u-%u", g->nodes_min, g->nodes_max);
	if (g->exclusive)
		len += (size_t)snprintf(text + len, size - len, " exclusive");
	(void)snprintf(text + len, size - len, " on %s",
		mw_set(&w->scenario.cluster, g->node_set, nodes, sizeof(nodes)));
	return text;
}

/* Behind a job without requests, which stays. */
static void load(struct machine_world *w, const char *text, const char *user, int64_t limit)
{
	static struct sl_row rows[2];
	static struct sl_row_attributes more[2];
	static struct sl_job_desc desc[2];
	desc_from(&desc[0], "", words[0]);
	desc_from(&desc[1], text, words[1]);
	more[1] = (struct sl_row_attributes){ .user = user, .account = "acc" };
	rows[0] = mw_row(1, 0, &more[0], &desc[0]);
	rows[1] = mw_row(2, 0, &more[1], &desc[1]);
	rows[1].col[SL_COL_LIMIT] = limit ? limit * SL_SECOND : SL_NONE;
	*w = (struct machine_world){ .cluster = cluster,
		.row = rows,
		.row_count = 2,
		.implied = keep_impossible ? "impossible=keep" : NULL };
	cr_assert_eq(machine_world_load(w), SL_OK, "%s of %s", w->err.text, text);
}

static void becomes(const char *text, const char *want)
{
	struct machine_world w;
	char got[300];
	load(&w, text, NULL, 100);
	cr_expect_str_eq(w.why[1], "", "%s: %s", text, w.why[1]);
	if (!w.why[1][0])
		cr_expect_str_eq(
			displayed(&w, 1, got, sizeof(got)), want, "%s\n got %s\nwant %s", text, got, want);
	machine_world_release(&w);
}

static void refused(const char *text, const char *why)
{
	struct machine_world w;
	load(&w, text, NULL, 100);
	cr_expect_str_eq(w.why[1], why, "%s: '%s'", text, w.why[1]);
	machine_world_release(&w);
}

#define UP " on f1 f2 f3 f4 s1 s2"
#define F  " on f1 f2 f3 f4"
#define S  " on s1 s2"

/* ---- Tasks and cpus ----------------------------------------------------------------------------------- */

Test(desc, tasks)
{
	becomes("", "1x(2 cpus 1000 mem 0 gpus)" UP); /* A whole core; memory of the cpu that it asked. */
	becomes("n=4 c=2", "4x(2 cpus 2000 mem 0 gpus)" UP); /* As many cores. */
	becomes("n=4 c=2 N=2", "4x(2 cpus 2000 mem 0 gpus) nodes 2-2" UP);
	becomes("n=4 c=2 N=2 Nmax=3", "4x(2 cpus 2000 mem 0 gpus) nodes 2-3" UP);
	becomes("N=3 c=2", "3x(2 cpus 2000 mem 0 gpus) nodes 3-3" UP); /* One a node. */
	becomes("N=2 tpn=3 c=2", "6x(2 cpus 2000 mem 0 gpus) per_node 3 nodes 2-2" UP);
	becomes("n=2 N=3 c=2", "3x(2 cpus 2000 mem 0 gpus) nodes 3-3" UP); /* At least one a node. */
}

Test(desc, whole_cores)
{
	becomes("n=5", "3x(2 cpus 2000 mem 0 gpus)" UP);     /* Two share a core: 5 tasks need 3. */
	becomes("c=3", "1x(4 cpus 3000 mem 0 gpus)" UP);     /* 3 threads are 2 cores. */
	becomes("n=2 c=3", "2x(4 cpus 3000 mem 0 gpus)" UP); /* 3 do not share evenly. */
	becomes("n=6 N=2", "2x(4 cpus 3000 mem 0 gpus) per_node 1 nodes 2-2" UP); /* 3 on each: 2 cores. */
	becomes("n=2 threads=1", "2x(2 cpus 2000 mem 0 gpus)" UP); /* A core each, whose cpus it has. */
	becomes("n=2 c=3 tpcore=1", "2x(4 cpus 4000 mem 0 gpus)" UP);
}

Test(desc, ours_has_no_cores)
{
	selects = SL_SELECT_OURS;
	becomes("n=5", "5x(1 cpus 1000 mem 0 gpus)" UP);
}

Test(desc, linear_gives_whole_nodes)
{
	selects = SL_SELECT_LINEAR;
	becomes("n=5", "5x(1 cpus 1000 mem 0 gpus) exclusive" UP);
}

Test(desc, exclusive)
{
	becomes("n=4 c=2 exclusive", "4x(2 cpus 2000 mem 0 gpus) exclusive" UP);
	becomes("n=4 c=2 p=excl", "4x(2 cpus 2000 mem 0 gpus) exclusive" S);
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

Test(desc, memory)
{
	becomes("c=2 mpc=300", "1x(2 cpus 600 mem 0 gpus)" UP);
	becomes("c=2 mem=5000", "1x(2 cpus 5000 mem 0 gpus) per_node 1 nodes 1-1" UP);
	/* Of each node: by nodes; 4 tasks of 2 cpus fit on one. */
	becomes("n=4 c=2 mem=5000", "1x(8 cpus 5000 mem 0 gpus) per_node 1 nodes 1-1" UP);
	becomes("n=5 c=2 mem=5000", "2x(6 cpus 5000 mem 0 gpus) per_node 1 nodes 2-2" UP);
	becomes("c=2 mem=0 p=gpu", "1x(2 cpus 16000 mem 0 gpus) per_node 1 nodes 1-1" F); /* All of it. */
}

/* Nothing says how much: all of the node's. */
Test(desc, memory_without_defaults)
{
	default_mem_per_cpu = "0";
	becomes("c=2 p=short", "1x(2 cpus 8000 mem 0 gpus) per_node 1 nodes 1-1" S);
	becomes("c=2 p=excl", "1x(2 cpus 0 mem 0 gpus) exclusive" S);
	becomes("c=2 mpc=10 p=short", "1x(2 cpus 20 mem 0 gpus)" S);
}

/* ---- GPUs ------------------------------------------------------------------------------------------------
 */

Test(desc, gpus)
{
	/* The partition's 2 cpus and 4000 MiB a GPU. */
	becomes("p=gpu gres=gpu:1", "1x(2 cpus 4000 mem 1 gpus) per_node 1 nodes 1-1" F);
	becomes("p=gpu gres=gpu:a100:2,mps:50", "1x(4 cpus 8000 mem 2 gpus) per_node 1 nodes 1-1" F);
	becomes("p=gpu gpn=a100:2 N=2", "2x(4 cpus 8000 mem 2 gpus) per_node 1 nodes 2-2" F);
	becomes("p=gpu gps=1", "1x(4 cpus 8000 mem 2 gpus) per_node 1 nodes 1-1" F); /* Of two sockets. */
	becomes("p=gpu gps=1 spn=1", "1x(2 cpus 4000 mem 1 gpus) per_node 1 nodes 1-1" F);
	becomes("p=gpu gpt=1 n=3", "3x(2 cpus 4000 mem 1 gpus)" F);
	becomes("p=gpu G=4 n=4", "4x(2 cpus 4000 mem 1 gpus)" F); /* Shared by the tasks. */
	/* One task cannot have 4: two nodes have 2 each. The cpus, of one task with 4 GPUs, go along. */
	becomes("p=gpu G=4 c=2 mpc=100", "2x(2 cpus 200 mem 2 gpus) per_node 1 nodes 2-2" F);
	/* 4 tasks for 2 GPUs: their node has both. */
	becomes("p=gpu G=2 tpg=2 mpc=10 c=2", "1x(8 cpus 80 mem 2 gpus) per_node 1 nodes 1-1" F);
	becomes("p=gpu gpt=1 c=2 cpg=4 mpg=100", "1x(2 cpus 100 mem 1 gpus)" F);
	becomes("p=gpu gpt=1 cpg=4 mpg=100", "1x(4 cpus 100 mem 1 gpus)" F);
	becomes("p=gpu gres=mps:10 c=2 mpc=10", "1x(2 cpus 20 mem 0 gpus)" F); /* Not followed. */
}

/* 5 tasks on 2 nodes with GPUs a node: 3 on each, rounded up. */
Test(desc, uneven_shares)
{
	becomes("p=gpu n=5 c=2 N=2 gres=gpu:1 mem=100", "2x(6 cpus 100 mem 1 gpus) per_node 1 nodes 2-2" F);
	becomes("p=gpu n=2 c=2 N=2 mincpus=6 mpc=1", "2x(6 cpus 2 mem 0 gpus) per_node 1 nodes 2-2" F);
}

/* ---- Nodes
 * ------------------------------------------------------------------------------------------------- */

Test(desc, partitions)
{
	becomes("p=short c=2", "1x(2 cpus 2000 mem 0 gpus)" S);
	becomes("p=nowhere,short,gpu c=2", "1x(2 cpus 2000 mem 0 gpus)" S);   /* The first that is known. */
	becomes("p=thin n=4 c=2", "4x(2 cpus 2000 mem 0 gpus) per_node 2" S); /* 4 cpus a node. */
	becomes("p=wide n=1 c=2", "2x(2 cpus 2000 mem 0 gpus) nodes 2-0" F);  /* Its least is 2 nodes. */
	refused("p=nowhere", "asks for a partition that there is not");
	refused("p=off", "its partition is down, drained or inactive");
	refused("p=gpu N=4", "asks for more or fewer nodes than its partition allows");
	refused("p=wide N=1", "asks for more or fewer nodes than its partition allows");
	refused("p=thin c=6", "larger than the nodes that it may use");
}

Test(desc, constraints)
{
	becomes("C=fast c=2", "1x(2 cpus 2000 mem 0 gpus)" F);
	becomes("C=ib&slow c=2", "1x(2 cpus 2000 mem 0 gpus)" S);
	becomes("C=fast|slow c=2", "1x(2 cpus 2000 mem 0 gpus)" UP);
	becomes("C=[fast|slow] c=2", "1x(2 cpus 2000 mem 0 gpus)" UP); /* Widened. */
	becomes("C=[slow*2] c=2", "1x(2 cpus 2000 mem 0 gpus)" S);
	becomes("C=ib&(slow|fast)&slow c=2", "1x(2 cpus 2000 mem 0 gpus)" S);
	becomes("C=slow|fast&fast c=2", "1x(2 cpus 2000 mem 0 gpus)" F); /* From left to right. */
	refused("C=nowhere", "asks for a feature that no node has");
	refused("C=fast|nowhere", "asks for a feature that no node has");
	refused("C=(fast", "asks for a feature that no node has");
	refused("C=fast)", "asks for a feature that no node has");
	refused("C=fast& c=2", "asks for a feature that no node has");
	refused("C=((((((((((((((((((fast))))))))))))))))))", "asks for a feature that no node has");
	refused("C=fast&slow", "larger than the nodes that it may use");
}

Test(desc, node_lists)
{
	becomes("w=f[2-3] c=2 n=2", "2x(2 cpus 2000 mem 0 gpus) nodes 2-2 on f2 f3"); /* All of them. */
	becomes("w=f2 c=2", "1x(2 cpus 2000 mem 0 gpus) nodes 1-1 on f2");
	becomes("w=f2 N=3 c=2", "3x(2 cpus 2000 mem 0 gpus) nodes 3-3" UP); /* And others: not followed. */
	becomes("x=f[1-3],s1 c=2", "1x(2 cpus 2000 mem 0 gpus) on f4 s2");
	refused("w=f9", "names nodes that there are not");
	refused("x=f9", "names nodes that there are not");
	refused("w=f[1", "names nodes that there are not");
	refused("w=f1 p=short", "larger than the nodes that it may use");
}

Test(desc, too_large)
{
	refused("c=9 mpc=1", "larger than the machine");
	refused("n=8 c=8 mpc=1", "larger than the machine"); /* 56 cpus, in all. */
	refused("c=8 p=short N=2 mem=9000", "larger than the nodes that it may use");
	refused("c=2 mem=20000", "needs nodes that are down");
	refused("N=7 c=2", "needs nodes that are down");
	refused("p=short gres=gpu:1", "larger than the nodes that it may use");
	refused("gres=gpu:v100:1", "asks for what the cluster has not");
	refused("gres=gpu:x:y", "asks for what the cluster has not");
	refused("N=3 Nmax=2", "bounds that contradict each other");
}

static void keeps(const char *text, const char *want)
{
	struct machine_world w;
	char got[300];
	keep_impossible = true;
	load(&w, text, NULL, 200);
	keep_impossible = false;
	cr_expect_str_eq(w.why[1], "", "%s: %s", text, w.why[1]);
	if (!w.why[1][0])
		cr_expect_str_eq(
			displayed(&w, 1, got, sizeof(got)), want, "%s\n got %s\nwant %s", text, got, want);
	machine_world_release(&w);
}

/* replay.impossible=keep: all these stay, with their requests and why these are impossible, for a policy that
 * handles them. */
static void never(const char *text, const char *want, enum sl_reason why)
{
	struct machine_world w;
	keeps(text, want);
	keep_impossible = true;
	load(&w, text, NULL, 200);
	keep_impossible = false;
	const struct sl_jobs *jobs = &w.scenario.jobs;
	const uint32_t got = jobs->requests[jobs->request[1]].group->never;
	cr_expect_eq(got, (uint32_t)why, "%s: %s", text, sl_reason_name((enum sl_reason)got));
	machine_world_release(&w);
}

#define BAD SL_REASON_BAD_CONSTRAINTS

Test(desc, what_cannot_be_may_stay)
{
	never("n=5 p=off", "3x(2 cpus 2000 mem 0 gpus) on s1 s2", SL_REASON_PARTITION_DOWN);
	never("n=9999 p=off", "5000x(2 cpus 2000 mem 0 gpus) on s1 s2", SL_REASON_PARTITION_DOWN);
	never("p=short c=2", "1x(2 cpus 2000 mem 0 gpus) on s1 s2", SL_REASON_PARTITION_TIME);
	never("p=gpu N=4 c=2", "4x(2 cpus 2000 mem 0 gpus) nodes 4-4 on f1 f2 f3 f4",
		SL_REASON_PARTITION_NODES);
	never("c=2 mem=20000", "1x(2 cpus 20000 mem 0 gpus) per_node 1 nodes 1-1" UP,
		SL_REASON_NODES_NOT_AVAIL);
	never("p=nowhere gres=gpu:2", "1x(2 cpus 1000 mem 2 gpus) per_node 1 nodes 1-1" UP, BAD);
	never("p=gpu gres=gpu:9 c=4", "1x(4 cpus 36000 mem 9 gpus) per_node 1 nodes 1-1 on f1 f2 f3 f4", BAD);
	never("C=nowhere c=2", "1x(2 cpus 2000 mem 0 gpus)" UP, BAD);
	never("w=f9 n=3 c=2", "3x(2 cpus 2000 mem 0 gpus)" UP, BAD);
	never("c=9 mpc=1", "1x(10 cpus 9 mem 0 gpus)" UP, BAD);
	never("gres=gpu:v100:1", "1x(2 cpus 1000 mem 1 gpus) per_node 1 nodes 1-1" UP, BAD);
	never("R=nothing c=2", "1x(2 cpus 2000 mem 0 gpus)" UP, BAD);
	never("N=3 Nmax=2 c=2", "3x(2 cpus 2000 mem 0 gpus) nodes 3-3" UP, BAD);
	keeps("c=2", "1x(2 cpus 2000 mem 0 gpus)" UP); /* What can be is as ever. */
}

/* What is asked is the same, and only one of them may have it: neither is taken for the other. */
Test(desc, who_may_not_is_not_who_may)
{
	struct sl_row rows[3];
	struct sl_row_attributes more[3] = { { 0 } };
	struct sl_job_desc desc[3];
	for (size_t i = 0; i < 3; i++) {
		desc_from(&desc[i], "p=short c=2", words[i]);
		rows[i] = mw_row((int64_t)i + 1, 0, &more[i], &desc[i]);
		rows[i].col[SL_COL_LIMIT] = (i == 1 ? 100 : 200) * SL_SECOND;
	}
	struct machine_world w = {
		.cluster = cluster, .row = rows, .row_count = 3, .implied = "impossible=keep"
	};
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	const struct sl_jobs *jobs = &w.scenario.jobs;
	cr_expect_eq(jobs->request[0], jobs->request[2]);
	cr_expect_neq(jobs->request[0], jobs->request[1]);
	cr_expect_eq(jobs->requests[jobs->request[0]].group->never, SL_REASON_PARTITION_TIME);
	cr_expect_eq(jobs->requests[jobs->request[1]].group->never, 0);
	machine_world_release(&w);
}

/* ---- Time
 * ------------------------------------------------------------------------------------------------------ */

Test(desc, time)
{
	struct machine_world w;
	load(&w, "p=short c=2", NULL, 150);
	cr_expect_str_eq(w.why[1], "");
	machine_world_release(&w);
	load(&w, "p=short c=2", NULL, 151);
	cr_expect_str_eq(w.why[1], "asks for more time than its partition allows");
	machine_world_release(&w);
	/* Without a limit it gets the partition's default, which is less than the 100 s that it ran; */
	load(&w, "p=short c=2", NULL, 0);
	cr_expect_lt(w.scenario.jobs.limit[1], 100 * SL_SECOND);
	cr_expect_eq(w.scenario.limits_over, 1);
	machine_world_release(&w);
	/* where there is none, and no greatest one, its run time. */
	load(&w, "p=main c=2", NULL, 0);
	cr_expect_eq(w.scenario.jobs.limit[1], 100 * SL_SECOND);
	cr_expect_eq(w.scenario.limits_none, 1);
	machine_world_release(&w);
}

/* ---- Reservations
 * ------------------------------------------------------------------------------------------------ */

static const struct sl_window_spec two_windows[] = {
	{ .name = "later", .nodes = "f1", .from = "5000", .until = "6000" },
	{ .name = "ours",
		.nodes = "s[1-2]",
		.from = "0",
		.until = "1000",
		.users = "ann,bob",
		.accounts = "acc" },
	{ .name = "ever", .nodes = "f[3-4]", .users = "-ann" },
};

static void reserved(const char *text, const char *user, const char *want, uint32_t reservation)
{
	struct machine_world w;
	char got[300];
	windows = two_windows;
	window_count = SL_LEN(two_windows);
	load(&w, text, user, 100);
	if (w.why[1][0]) {
		cr_expect_str_eq(w.why[1], want);
	} else {
		const struct sl_group *g = w.scenario.jobs.requests[w.scenario.jobs.request[1]].group;
		cr_expect_str_eq(displayed(&w, 1, got, sizeof(got)), want, "%s", got);
		cr_expect_eq(g->reservation, reservation, "%u", g->reservation);
	}
	machine_world_release(&w);
}

/* Windows by start: the state of d1, "ever", "ours", "later". A window without end keeps its nodes from the
 * others. */
Test(desc, reservations)
{
	static const char refused_text[] = "asks for a reservation that there is not, or is not for it";
	reserved("c=2", "ann", "1x(2 cpus 2000 mem 0 gpus) on f1 f2 s1 s2", 0);
	reserved("R=ours c=2", "ann", "1x(2 cpus 2000 mem 0 gpus) on s1 s2", 3);
	reserved("R=ever c=2", "bob", "1x(2 cpus 2000 mem 0 gpus) on f3 f4", 2);
	reserved("R=ever c=2", "ann", refused_text, 0);
	reserved("R=ours c=2", "eve", refused_text, 0);
	reserved("R=ours c=2", NULL, refused_text, 0);
	reserved("R=none c=2", "ann", refused_text, 0);
}

/* ---- Requests
 * -------------------------------------------------------------------------------------------------------- */

/* Equal job descriptions are one request, whatever memory their texts are in, and their copy is byte for byte
 * the same.
 */
Test(desc, equal_asks_are_one_request)
{
	static const char *const text[] = { "p=gpu gres=gpu:1", "p=gpu gres=gpu:1", "p=gpu gres=gpu:2",
		"p=gpu gres=gpu:1" };
	struct sl_row rows[4];
	struct sl_row_attributes more[4] = { { 0 } };
	struct sl_job_desc desc[4];
	for (size_t i = 0; i < 4; i++) {
		desc_from(&desc[i], text[i], words[i]);
		rows[i] = mw_row((int64_t)i + 1, 0, &more[i], &desc[i]);
	}
	struct machine_world w = { .cluster = cluster, .row = rows, .row_count = 4 };
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	const struct sl_jobs *jobs = &w.scenario.jobs;
	cr_expect_eq(jobs->request_count, 2);
	cr_expect_eq(jobs->request[0], jobs->request[3]);
	cr_expect_neq(jobs->request[0], jobs->request[2]);
	const struct sl_job_desc *first = jobs->requests[0].desc;
	const struct sl_job_desc *second = jobs->requests[1].desc;
	cr_expect_eq(first->partition, second->partition);
	cr_expect_str_eq(second->gres, "gpu:2");
	cr_expect_eq(jobs->size[2], 2); /* GPUs. */
	machine_world_release(&w);
}

/* Components of a heterogeneous job are groups, each with its own nodes. */
Test(desc, components)
{
	struct sl_job_desc desc[2];
	struct sl_row_attributes more = { .desc = desc, .desc_count = 2 };
	desc_from(&desc[0], "p=short n=2 c=2", words[0]);
	desc_from(&desc[1], "p=gpu gres=gpu:2", words[1]);
	struct sl_row row = mw_row(1, 0, &more, NULL);
	row.col[SL_COL_LIMIT] = 150 * SL_SECOND;
	struct machine_world w = { .cluster = cluster, .row = &row, .row_count = 1 };
	char text[100];
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	const struct sl_request *request = &w.scenario.jobs.requests[0];
	cr_assert_eq(request->group_count, 2);
	cr_expect_eq(request->cpus, 8);
	cr_expect_eq(request->gpus, 2);
	cr_expect_eq(request->mem, 12000);
	cr_expect_str_eq(request->desc[1].partition, "gpu");
	cr_expect_str_eq(
		mw_set(&w.scenario.cluster, request->group[0].node_set, text, sizeof(text)), "s1 s2");
	cr_expect_str_eq(
		mw_set(&w.scenario.cluster, request->group[1].node_set, text, sizeof(text)), "f1 f2 f3 f4");
	machine_world_release(&w);
}

/* ---- A run
 * ------------------------------------------------------------------------------------------------------- */

/* Jobs of partition short, of 100 s each: the one that requests the reservation starts in its window, of
 * those that do not the one that would not be over before it opens waits until it closes. A node that is down
 * is no window to anyone. */
Test(desc, a_run_with_windows)
{
	static const struct sl_window_spec ours = {
		.name = "ours", .nodes = "s[1-2]", .from = "50", .until = "1000", .users = "ann"
	};
	static const struct {
		const char *desc;
		int64_t submit, limit, start;
	} job[] = { { "p=short c=8 mpc=1", 0, 50, 0 }, { "p=short c=8 mpc=1", 0, 100, 1000 },
		{ "p=short c=8 mpc=1 R=ours", 60, 100, 60 }, { "C=slow c=8 mpc=1", 0, 10, 0 },
		{ "p=main c=8 mpc=1", 0, 100, 0 } };
	struct sl_row rows[SL_LEN(job)];
	struct sl_row_attributes more[SL_LEN(job)] = { { 0 } };
	struct sl_job_desc desc[SL_LEN(job)];
	windows = &ours;
	window_count = 1;
	for (size_t i = 0; i < SL_LEN(job); i++) {
		desc_from(&desc[i], job[i].desc, words[i]);
		more[i].user = "ann";
		rows[i] = mw_row((int64_t)i + 1, job[i].submit, &more[i], &desc[i]);
		rows[i].col[SL_COL_LIMIT] = job[i].limit * SL_SECOND;
		rows[i].col[SL_COL_RUN] = (job[i].limit < 100 ? job[i].limit : 100) * SL_SECOND;
	}
	struct machine_world w = { .cluster = cluster, .row = rows, .row_count = SL_LEN(job) };
	cr_assert_eq(machine_world_load(&w), SL_OK, "%s", w.err.text);
	int64_t start[SL_LEN(job)];
	cr_assert_eq(machine_world_run(&w, "easy", start), SL_OK, "%s", w.err.text);
	for (size_t i = 0; i < SL_LEN(job); i++) {
		const uint32_t row = (uint32_t)(w.scenario.jobs.id[i] - 1);
		cr_expect_eq(start[i], job[row].start, "job %u at %lld", row + 1, (long long)start[i]);
	}
	machine_world_release(&w);
}
