/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_cluster_file.c - clusters from files: what is in them, what settings change, and what every mistake
 * says.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

struct loaded {
	struct scenario scenario;
	struct settings settings;
	struct sl_err err;
	char cluster[32], trace[32];
	char seen[4000];
};

/* Settings outlive their test: it may end in a refusal. Each test is a process of its own. */
static struct sl_arena *kept;

/* A job of one cpu at 0, on this cluster; settings are closed by NULL. */
static int load_trace(struct loaded *l, const char *cluster, const char *trace, const char *const *settings)
{
	memset(l, 0, sizeof(*l));
	kept = kept ? kept : sl_arena_new();
	l->settings.arena = kept;
	for (; settings && *settings; settings++)
		cr_assert_eq(settings_add(&l->settings, *settings, &l->err), SL_OK);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(l->trace, trace, strlen(trace)),
		.cluster = memfile(l->cluster, cluster, strlen(cluster)),
		.settings = &l->settings };
	return scenario_load(&l->scenario, &options, &l->err);
}

#define TINY "1 0 -1 100 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1\n"

static int load(struct loaded *l, const char *cluster, const char *const *settings)
{
	return load_trace(l, cluster, TINY, settings);
}

#define SETTINGS(...) \
	(const char *const[]) { __VA_ARGS__, NULL }

static size_t put_window(char *p, size_t capacity, const struct sl_window *w)
{
	size_t len = (size_t)snprintf(p, capacity, "; %s %g-%g %" PRId64 " cpus", w->name,
		(double)w->from / SL_SECOND, (double)w->until / SL_SECOND, w->cpus);
	for (uint32_t i = 0; i < w->node_count; i++)
		len += (size_t)snprintf(p + len, capacity - len, " %u", w->node[i]);
	return len;
}

/* All of the cluster in a line: name, sums, kinds, types with amounts, nodes with types, windows. */
static const char *displayed(struct loaded *l)
{
	const struct sl_cluster *c = &l->scenario.cluster;
	char *p = l->seen;
	size_t len = 0;
	const size_t capacity = sizeof(l->seen);
	len += (size_t)snprintf(p, capacity, "%s %" PRId64 "c %" PRId64 "m %" PRId64 "g",
		c->name ? c->name : "-", c->cpus, c->mem, c->gpus);
	for (uint32_t k = SL_KIND_GPUS; k < c->kind_count; k++)
		len += (size_t)snprintf(p + len, capacity - len, " %s", c->kind_name[k]);
	for (uint32_t t = 0; t < c->type_count; t++) {
		len += (size_t)snprintf(p + len, capacity - len, "; %s", c->type[t].name);
		for (uint32_t k = 0; k < c->kind_count; k++)
			len += (size_t)snprintf(
				p + len, capacity - len, "%c%" PRId64, k ? ',' : ' ', c->type[t].amount[k]);
	}
	len += (size_t)snprintf(p + len, capacity - len, ";");
	for (uint32_t n = 0; n < c->node_count; n++)
		len += (size_t)snprintf(p + len, capacity - len, " %s:%u", c->node_name[n], c->node_type[n]);
	for (uint32_t w = 0; w < c->window_count; w++)
		len += put_window(p + len, capacity - len, &c->window[w]);
	return l->seen;
}

static void expect_cluster(const char *cluster, const char *const *settings, const char *want)
{
	struct loaded l;
	cr_assert_eq(load(&l, cluster, settings), SL_OK, "%s\nof\n%s", l.err.text, cluster);
	cr_expect_str_eq(displayed(&l), want, "got:  %s\nwant: %s\nof\n%s", l.seen, want, cluster);
	cr_expect_eq(l.scenario.cpus, l.scenario.cluster.cpus);
	scenario_release(&l.scenario);
}

/* What is said, but for the file's name; and the status. */
static void expect_error(const char *cluster, const char *const *settings, int want_status, const char *want)
{
	struct loaded l;
	const int status = load(&l, cluster, settings);
	const size_t len = strlen(l.cluster);
	const bool named = status && strncmp(l.err.text, l.cluster, len) == 0;
	const char *said = named ? l.err.text + len : l.err.text;
	cr_expect_eq(status, want_status, "status %d of\n%s", status, cluster);
	cr_expect_str_eq(said, want, "said: %s\nwant: %s\nof\n%s", said, want, cluster);
	if (!status)
		scenario_release(&l.scenario);
}

/* ---- What is in a file ------------------------------------------------------------ */

#define MIXED_YAML                                                                      \
	"# all there is\n"                                                              \
	"name: lab\n"                                                                   \
	"nodes:\n"                                                                      \
	"  - { name: n, count: 3, cpus: 8, memory: 4GiB }\n"                            \
	"  - name: g\n"                                                                 \
	"    cpus: 16\n"                                                                \
	"    memory: 1024\n"                                                            \
	"    gpus: { a100: 4, v100: 2 }\n"                                              \
	"  - { name: h, count: 2, cpus: 16, memory: 2048M, gpus: 8, gpu_type: a100 }\n" \
	"reservations:\n"                                                               \
	"  - { name: late, nodes: 'n[2-3],g', start: 3600, duration: 1h }\n"            \
	"  - { name: early, nodes: h, start: 60, end: 2m }\n"

#define MIXED_JSON                                                                                                         \
	"{ \"name\": \"lab\", \"nodes\": [\n"                                                                              \
	"{ \"name\": \"n\", \"count\": 3, \"cpus\": 8, \"memory\": \"4GiB\" },\n"                                          \
	"{ \"cpus\": 16, \"memory\": 1024, \"gpus\": { \"a100\": 4, \"v100\": 2 }, \"name\": \"\\u0067\" },\n"             \
	"{ \"name\": \"h\", \"count\": 2, \"cpus\": 16, \"memory\": \"2048M\", \"gpus\": 8, \"gpu_type\": \"a100\" } ],\n" \
	"\"reservations\": [ { \"name\": \"late\", \"nodes\": \"n[2-3],g\", \"start\": 3600, \"duration\": \"1h\" },\n"    \
	"{ \"name\": \"early\", \"nodes\": \"h\", \"start\": \"60\", \"end\": \"2m\" } ] }\n"

#define MIXED                                                                                                     \
	"lab 72c 17408m 22g a100 v100; n 8,4096,0,0; n 8,4096,0,0; g 16,1024,4,2; h 16,2048,8,0; n1:0 n2:1 n3:1 " \
	"g:2 h1:3 h2:3; early 60-120 0 cpus 4 5; late 3600-7200 0 cpus 1 2 3"

/* Both languages give the same cluster: names by count, types by amounts and windows, windows by start. */
Test(cluster_file, both_languages)
{
	expect_cluster(MIXED_YAML, NULL, MIXED);
	expect_cluster(MIXED_JSON, NULL, MIXED);
}

Test(cluster_file, pool)
{
	expect_cluster("cpus: 48\n", NULL, "- 48c 0m 0g;");
	expect_cluster("{\"cpus\": 48, \"name\": \"p\"}", NULL, "p 48c 0m 0g;");
	expect_cluster("cpus: 48\nreservations: [{name: r, cpus: 8, start: 0, end: 10}]\n", NULL,
		"- 48c 0m 0g;; r 0-10 8 cpus");
	expect_cluster("cpus: 48\n", SETTINGS("cluster.cpus=64"), "- 64c 0m 0g;");
}

/* Like entries share a type, wherever they stand; memory that one names and another does not is in no sum. */
Test(cluster_file, types)
{
	expect_cluster(
		"nodes: [{name: a, cpus: 2, memory: 8}, {name: b, cpus: 4}, {name: c, cpus: 2, memory: 8}]\n",
		NULL, "- 8c 0m 0g; a 2,8; b 4,274877906944; a:0 b:1 c:0");
	expect_cluster("nodes: [{name: a, cpus: 2, count: 0}, {name: b, cpus: 4}]\n", NULL,
		"- 4c 0m 0g; b 4,274877906944; b:0");
	/* A type of GPU that nobody has is no kind. */
	expect_cluster("nodes: [{name: a, cpus: 2, memory: 1, gpus: {x: 0, y: 1}}]\n", NULL,
		"- 2c 1m 1g y; a 2,1,1; a:0");
}

/* Windows part types only where they differ; the same window over all leaves one. */
Test(cluster_file, windows_part_types)
{
	expect_cluster("nodes: [{name: n, count: 3, cpus: 1, memory: 1}]\n"
		       "reservations: [{name: r, nodes: n, start: 0, end: 1}]\n",
		NULL, "- 3c 3m 0g; n 1,1; n1:0 n2:0 n3:0; r 0-1 0 cpus 0 1 2");
	expect_cluster(
		"nodes: [{name: n, count: 3, cpus: 1, memory: 1}]\n"
		"reservations: [{name: r, nodes: 'n3, n1,n1', start: 0, end: 1}, {name: s, nodes: n1, start: 5, "
		"end: 6}]\n",
		NULL, "- 3c 3m 0g; n 1,1; n 1,1; n 1,1; n1:0 n2:1 n3:2; r 0-1 0 cpus 0 2; s 5-6 0 cpus 0");
}

Test(cluster_file, memory_units)
{
	static const struct {
		const char *text, *mib;
	} unit[] = { { "512", "512" }, { "2048K", "2" }, { "1536KiB", "1" }, { "3MB", "3" }, { "2g", "2048" },
		{ "1.5 GiB", "1536" }, { "1TB", "1048576" }, { "1PiB", "1073741824" } };
	for (size_t i = 0; i < SL_LEN(unit); i++) {
		char cluster[200];
		char want[200];
		(void)snprintf(
			cluster, sizeof(cluster), "nodes: [{name: a, cpus: 2, memory: %s}]\n", unit[i].text);
		(void)snprintf(want, sizeof(want), "- 2c %sm 0g; a 2,%s; a:0", unit[i].mib, unit[i].mib);
		expect_cluster(cluster, NULL, want);
	}
}

/* ---- Settings ---------------------------------------------------------------------- */

#define GPU_NODES \
	"nodes: [{name: n, count: 2, cpus: 4, memory: 8}, {name: gpu, cpus: 8, memory: 16, gpus: 1}]\n"

Test(cluster_file, settings)
{
	expect_cluster(GPU_NODES, SETTINGS("cluster.nodes[gpu].count+=1", "cluster.nodes[n].count-=1"),
		"- 20c 40m 2g gpu; n 4,8,0; gpu 8,16,1; n:0 gpu1:1 gpu2:1");
	expect_cluster(GPU_NODES,
		SETTINGS("cluster.nodes[gpu].gpus=4", "cluster.nodes[gpu].gpus-=1",
			"cluster.nodes[gpu].cpus=9", "cluster.nodes[gpu].memory=1G",
			"cluster.nodes[n].count=0"),
		"- 9c 1024m 3g gpu; gpu 9,1024,3; gpu:0");
	expect_cluster(GPU_NODES, SETTINGS("cluster.nodes[n].gpus=2"),
		"- 16c 32m 5g gpu; n 4,8,2; gpu 8,16,1; n1:0 n2:0 gpu:1");
}

/* Parts of cpus: sums and amounts in thousandths; settings count in cpus. */
Test(cluster_file, cpu_parts)
{
	expect_cluster("nodes: [{name: n, count: 2, cpus: 1.5, memory: 8}]\n", NULL,
		"- 3000c 16m 0g; n 1500,8; n1:0 n2:0");
	expect_cluster("nodes: [{name: n, count: 2, cpus: 1.5, memory: 8}]\n",
		SETTINGS("cluster.nodes[n].cpus+=2.25"), "- 7500c 16m 0g; n 3750,8; n1:0 n2:0");
	expect_cluster("nodes: [{name: n, count: 2, cpus: 1.5, memory: 8}]\n",
		SETTINGS("cluster.nodes[n].cpus+=0.5"), "- 4c 16m 0g; n 2,8; n1:0 n2:0");
	expect_cluster("nodes: [{name: n, count: 2, cpus: 1.50, memory: 8, sockets: 2}]\n", NULL,
		"- 3000c 16m 0g; n 1500,8; n1:0 n2:0");
}

/* Each device of the first node: kind, island, MIG model, memory; and the island of each node. */
static void expect_devices(const char *cluster, const char *const *settings, const char *want)
{
	struct loaded l;
	cr_assert_eq(load(&l, cluster, settings), SL_OK, "%s\nof\n%s", l.err.text, cluster);
	const struct sl_cluster *c = &l.scenario.cluster;
	const struct sl_node_type *type = &c->type[c->node_type[0]];
	size_t len = 0;
	l.seen[0] = '\0';
	for (uint32_t i = 0; i < type->device_count; i++)
		len += (size_t)snprintf(l.seen + len, sizeof(l.seen) - len, "%s/%u/%s/%" PRId64 " ",
			c->kind_name[type->device[i].kind], type->device[i].island,
			type->device[i].mig ? c->mig_model[type->device[i].mig - 1]->name : "-",
			type->device[i].mem);
	for (uint32_t node = 0; node < c->node_count; node++)
		len += (size_t)snprintf(
			l.seen + len, sizeof(l.seen) - len, ";%u", c->type[c->node_type[node]].island);
	cr_expect_str_eq(l.seen, want, "got:  %s\nwant: %s\nof\n%s", l.seen, want, cluster);
	scenario_release(&l.scenario);
}

/* Bare numbers of times are minutes then, words are as Slurm has them. */
Test(cluster_file, slurms_words_in_settings)
{
	static const struct {
		const char *setting;
		sl_time max;
		int64_t nodes, tier;
		enum sl_partition_state state;
	} row[] = {
		{ "cluster.partition[p].MaxTime=60", 3600, 3, 1, SL_PARTITION_UP },
		{ "cluster.partition[p].maxtime=1-00:00:00", 86400, 3, 1, SL_PARTITION_UP },
		{ "cluster.partition[p].MaxTime+=2", 220, 3, 1, SL_PARTITION_UP },
		{ "cluster.partition[p].MaxNodes=2", 100, 2, 1, SL_PARTITION_UP },
		{ "cluster.partition[p].PriorityTier=9", 100, 3, 9, SL_PARTITION_UP },
		{ "cluster.partition[p].State=DOWN", 100, 3, 1, SL_PARTITION_DOWN },
		{ "cluster.partition[p].max_time=60", 60, 3, 1, SL_PARTITION_UP },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct loaded l;
		cr_assert_eq(
			load(&l,
				"nodes: [{name: n, cpus: 2, count: 4}]\n"
				"partitions: [{name: p, nodes: ALL, max_time: 100, nodes_max: 3, tier: 1}]\n",
				SETTINGS(row[i].setting)),
			SL_OK, "%s: %s", row[i].setting, l.err.text);
		const struct sl_partition *is = &l.scenario.cluster.partition[0];
		cr_expect_eq(is->max_time, row[i].max * SL_SECOND, "%s", row[i].setting);
		cr_expect_eq(is->nodes_max, row[i].nodes, "%s", row[i].setting);
		cr_expect_eq(is->tier, row[i].tier, "%s", row[i].setting);
		cr_expect_eq(is->state, row[i].state, "%s", row[i].setting);
		scenario_release(&l.scenario);
	}
}

Test(cluster_file, devices)
{
	expect_devices("nodes: [{name: n, cpus: 2, gpus: 2, count: 3, nodes_per_island: 2}]\n", NULL,
		"gpu/0/-/0 gpu/0/-/0 ;1;1;2");
	expect_devices(
		"nodes: [{name: n, cpus: 2, gpus: {a: 1, b: {count: 4, memory: 16GiB, gpus_per_island: 2}, "
		"c: {mig: a100-40gb}}}]\n",
		NULL, "a/0/-/0 b/1/-/16384 b/1/-/16384 b/2/-/16384 b/2/-/16384 c/0/a100-40gb/40960 ;0");
	expect_devices("nodes: [{name: n, cpus: 2, gpus: {b: {count: 4, memory: 16GiB}}}]\n",
		SETTINGS("cluster.nodes[n].gpus=1"), "b/0/-/16384 ;0");
	expect_devices("nodes: [{name: n, cpus: 2, gpus: {b: {count: 0, memory: 16GiB}}}]\n", NULL, ";0");
	expect_devices(
		"nodes: [{name: n, cpus: 2, gres: [{name: gpu, type: a, mig: h100-94gb, memory: 90GiB}]}]\n",
		NULL, "a/0/h100-94gb/92160 ;0");
	expect_devices("nodes: [{name: n, type: dgx-1v}]\n", NULL,
		"v100/0/-/16384 v100/0/-/16384 v100/0/-/16384 v100/0/-/16384 "
		"v100/1/-/16384 v100/1/-/16384 v100/1/-/16384 v100/1/-/16384 ;0");
	expect_devices("nodes: [{name: n, type: dgx-a100, gpus: {a100: {count: 2, mig: a100-40gb}}}]\n", NULL,
		"a100/0/a100-40gb/40960 a100/0/a100-40gb/40960 ;0");
	expect_devices("nodes: [{name: n, type: gb200-tray, count: 19, gpus: 1}]\n", NULL,
		"gpu/0/-/0 ;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;2");
}

/* A node type that the file has no entry of is an entry once a setting gives it nodes. */
Test(cluster_file, node_types_are_added)
{
	struct loaded l;
	cr_assert_eq(load(&l, "nodes: [{name: n, cpus: 2, count: 3}]\n",
			     SETTINGS("cluster.nodes[dgx-1v].count+=2", "cluster.nodes[dgx-1v].weight=7")),
		SL_OK, "%s", l.err.text);
	const struct sl_cluster *cluster = &l.scenario.cluster;
	cr_expect_eq(cluster->node_count, 5);
	cr_expect_eq(cluster->gpus, 16);
	cr_expect_eq(cluster->cpus, 6 + 160);
	cr_expect_str_eq(cluster->node_name[4], "dgx-1v2");
	cr_expect_eq(cluster->type[cluster->node_type[4]].hardware->weight, 7);
	scenario_release(&l.scenario);
	/* None of it is no nodes; an entry of that name is the file's own. */
	cr_assert_eq(load(&l, "nodes: [{name: n, cpus: 2}]\n", SETTINGS("cluster.nodes[dgx-1v].count=0")),
		SL_OK, "%s", l.err.text);
	cr_expect_eq(l.scenario.cluster.node_count, 1);
	scenario_release(&l.scenario);
	cr_assert_eq(
		load(&l, "nodes: [{name: dgx-1v, cpus: 2}]\n", SETTINGS("cluster.nodes[dgx-1v].count+=1")),
		SL_OK, "%s", l.err.text);
	cr_expect_eq(l.scenario.cluster.cpus, 4);
	scenario_release(&l.scenario);
	expect_error("nodes: [{name: n, cpus: 2}]\n", SETTINGS("cluster.nodes[dgx-9].count=1"), SL_USAGE,
		"--set: 'cluster.nodes[dgx-9].count': no nodes are called 'dgx-9': there are n; or name a node type");
}

Test(cluster_file, prices)
{
	struct loaded l;
	cr_assert_eq(load(&l, "nodes: [{name: n, cpus: 2, price: 30.5}]\n", NULL), SL_OK, "%s", l.err.text);
	cr_expect_str_eq(sl_setting_of(&l.scenario.cluster, "node", "n", "price"), "30.5");
	scenario_release(&l.scenario);
	cr_expect_eq(load(&l, "nodes: [{name: n, cpus: 2, price: 30 EUR}]\n", NULL), SL_INPUT);
	cr_expect(strstr(l.err.text, "'price' must be a number from 0 on, without a currency"), "%s",
		l.err.text);
	cr_expect_eq(load(&l, "nodes: [{name: n, cpus: 2, price: -1}]\n", NULL), SL_INPUT);
}

Test(cluster_file, settings_refused)
{
	expect_error(GPU_NODES, SETTINGS("cluster.cpus=4"), SL_USAGE,
		"--set: 'cluster.cpus' is for a counted pool, and this cluster has nodes: use "
		"cluster.nodes[NAME].count");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpus].count=4"), SL_USAGE,
		"--set: 'cluster.nodes[gpus].count': no nodes are called 'gpus': did you mean 'gpu'?");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].weigth=4"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].weigth': nodes have no 'weigth' to set: did you mean 'weight'?");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].features=4"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].features': nodes have no 'features' to set: see schedlab-cluster(5)");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].state=asleep"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].state' must be one of up, drain, down, maint, powered_down, planned, "
		"future, not 'asleep'");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].state+=up"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].state+': only numbers can be added to: use =");
	expect_error(GPU_NODES, SETTINGS("cluster.partition[p].max_time=1h"), SL_USAGE,
		"--set: 'cluster.partition[p].max_time': no partition is called 'p': the file has none");
	expect_error(GPU_NODES, SETTINGS("cluster.partition[p].max_tim=1h"), SL_USAGE,
		"--set: 'cluster.partition[p].max_tim': partitions have no 'max_tim' to set: did you mean "
		"'max_time'?");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].count-=2"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].count-' 2 leaves 'gpu' with -1, and must leave a whole number from 0 to "
		"10000000");
	expect_error(GPU_NODES, SETTINGS("cluster.nodes[gpu].count=four"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].count' must be a whole number from 0 to 10000000, not 'four'");
	expect_error("cpus: 4\n", SETTINGS("cluster.nodes[gpu].count=4"), SL_USAGE,
		"--set: 'cluster.nodes[gpu].count': this cluster is a counted pool, without nodes: use cluster.cpus");
	expect_error("cpus: 4\n", SETTINGS("cluster.size=4"), SL_USAGE,
		"--set: unknown setting 'cluster.size': there are cluster.cpus, cluster.nodes[NAME].KEY and "
		"cluster.partition[NAME].KEY, with the keys of schedlab-cluster(5)");
	expect_error("nodes: [{name: n, cpus: 4}]\n", SETTINGS("cluster.nodes[n].memory+=4"), SL_USAGE,
		"--set: 'cluster.nodes[n].memory+': 'n' has none to add to: use = instead");
	expect_error(MIXED_YAML, SETTINGS("cluster.nodes[g].gpus=4"), SL_USAGE,
		"--set: 'cluster.nodes[g].gpus': 'g' has GPUs of several types: change them in the file");
}

/* ---- Mistakes ------------------------------------------------------------------------ */

Test(cluster_file, mistakes)
{
	static const struct {
		const char *cluster, *said;
	} wrong[] = {
		{ "name: x\nnodes:\n  - name: n\n    cpu: 4\n",
			":4:5: unknown key 'cpu': did you mean 'cpus'? nodes have name, type, hosts, count, cpus, "
			"memory, gpus, gpu_type, nodes_per_island, boards, sockets, cores, threads, features, weight, gres, state, "
			"reason, tmp_disk, cores_kept, memory_kept" },
		{ "{ \"name\": \"x\",\n  \"node\": [] }",
			":2:3: unknown key 'node': did you mean 'nodes'? clusters have name, select, topology, "
			"memory_counts, cpus, nodes, partitions, switches, licenses, reservations, settings" },
		{ "cpus: 4\nzebra: 5\n",
			":2:1: unknown key 'zebra': clusters have name, select, topology, "
			"memory_counts, cpus, nodes, partitions, switches, licenses, reservations, settings" },
		{ "cpus: 4\ncpus: 5\n", ":2:1: key 'cpus' stands twice, first on line 1: remove one" },
		{ "{\"cpus\": 4,\n\"cpus\": 5}",
			":2:1: key 'cpus' stands twice, first on line 1: remove one" },
		{ "cpus: 4\nnodes: []\n",
			":1:1: a cluster has either 'nodes' or, for a counted pool, 'cpus'" },
		{ "name: x\n", ":1:1: a cluster has either 'nodes' or, for a counted pool, 'cpus'" },
		{ "cpus: none\n", ":1:7: 'cpus' must be a whole number from 1 to 2147483647, not 'none'" },
		{ "cpus: [1]\n", ":1:7: 'cpus' must be a whole number from 1 to 2147483647, not a list" },
		{ "nodes: [{name: n, cpus: 1.0005}]\n",
			":1:25: 'cpus' must be a number from 0.001 to 1048576, with at most three decimals, not "
			"'1.0005'" },
		{ "nodes: [{name: n, cpus: 0}]\n",
			":1:25: 'cpus' must be a number from 0.001 to 1048576, with at most three decimals, not "
			"'0'" },
		{ "nodes: [{name: n, cpus: 2, gpus: {a: {mig: a100-40g}}}]\n",
			":1:44: no model of MIG is called 'a100-40g': did you mean 'a100-40gb'? there are "
			"a100-40gb, a100-80gb, h100-80gb, h100-94gb" },
		{ "nodes: [{name: n, cpus: 2, gres: [{name: gpu, mig: zebra}]}]\n",
			":1:52: no model of MIG is called 'zebra': there are a100-40gb, a100-80gb, h100-80gb, "
			"h100-94gb" },
		{ "nodes: [{name: n, cpus: 2, gpus: {a: {memry: 4}}}]\n",
			":1:39: unknown key 'memry': did you mean 'memory'? GPUs of a type have count, memory, "
			"mig, gpus_per_island" },
		{ "nodes: [{name: n, cpus: 2, gpus: {a: {count: 2.5}}}]\n",
			":1:46: 'count' must be a whole number from 0 to 65536, not '2.5'" },
		{ "nodes: [{name: n, cpus: 2, gres: [{name: mps, gpus_per_island: 2}]}]\n",
			":1:35: 'mig' and 'gpus_per_island' are of GPUs: remove them" },
		{ "nodes: [{name: n, cpus: 2, gpus: {a: {count: 2}}, gres: [{name: gpu}]}]\n",
			":1:58: GPUs stand in 'gpus' and in 'gres': remove them from one of the two" },
		{ "nodes: [{name: n, cpus: 2, nodes_per_iland: 2}]\n",
			":1:28: unknown key 'nodes_per_iland': did you mean 'nodes_per_island'? nodes have name, "
			"type, hosts, count, cpus, memory, gpus, gpu_type, nodes_per_island, boards, sockets, "
			"cores, threads, features, weight, gres, state, reason, tmp_disk, cores_kept, "
			"memory_kept" },
		{ "nodes: [{name: n, cpus: 1, count: 10000001}]\n",
			":1:35: 'count' must be a whole number from 0 to 10000000, not '10000001'" },
		{ "nodes: [{name: n, cpus: 1, memory: 4X}]\n",
			":1:36: 'memory' must be a size such as 192GiB (a bare number is MiB), up to 128 PiB, not "
			"'4X'" },
		{ "nodes: [{name: n, count: 2}]\n", ":1:9: nodes have 'cpus', which is not here: add it" },
		{ "nodes: [{cpus: 2}]\n", ":1:9: nodes have 'name', which is not here: add it" },
		{ "nodes: [{name: 'a b', cpus: 2}]\n",
			":1:16: 'name' must be a word of letters, digits, '.', '_' and '-', at most 63, not 'a b'" },
		{ "nodes: [4]\n", ":1:9: nodes have keys with values, such as 'name': a map is due here" },
		{ "nodes: 4\n", ":1:8: 'nodes' must be a list of entries with name, count, cpus and so on" },
		{ "nodes: [{name: n, cpus: 2, gpu_type: x, gpus: {y: 1}}]\n",
			":1:28: 'gpu_type' beside a map of GPUs: the map names the types, remove it" },
		{ "nodes: [{name: n, cpus: 1}, {name: n, cpus: 2}]\n",
			":1:29: nodes 'n' stand twice, first on line 1: use 'count'" },
		{ "nodes:\n- {name: n, count: 12, cpus: 1}\n- {name: n1, count: 2, cpus: 2}\n",
			":3:3: node 'n11' is also one of 'n' on line 2: give another name" },
		{ "nodes:\n- {name: n7, cpus: 1}\n- {name: n, count: 7, cpus: 2}\n",
			":2:3: node 'n7' is also one of 'n' on line 3: give another name" },
		{ "nodes: [{name: n, count: 0, cpus: 1}]\n",
			": has no nodes: give some entry a count of at least 1" },
		{ "nodes: [{name: n, count: 10000000, cpus: 1000}]\n",
			": has more than 2147483647 cpus or GPUs in all" },
		{ "nodes: [{name: n, cpus: *x}]\n",
			":1:25: aliases (*x) are not read: write out what it stands for" },
		{ "cpus: 4\n---\ncpus: 5\n", ":2:1: a second document begins: give one" },
		{ "nodes: [{name: n, cpus: 1\n",
			":2:1: not YAML: did not find expected ',' or '}' while parsing a flow mapping" },
		{ "cpus: 4\n? [a]\n: b\n", ":2:3: a key must be a word, not a map or list" },
		{ "{\"cpus\": 4,}", ":1:12: not JSON: a key in quotes is due, not '}'" },
		{ "{\"cpus\": 04}", ":1:11: not JSON: ',' or '}' is due, not '4'" },
		{ "{\"cpus\": 4", ":1:11: not JSON: ends where ',' or '}' is due" },
		{ "{\"name\": \"\\ud800x\"}",
			":1:13: not JSON: a character (not a zero, not half of a pair) is due, not 'd'" },
		{ "{\"cpus\": 4} x", ":1:13: not JSON: the end is due, not 'x'" },
		{ "[1]\n",
			": not a cluster file of a known kind: see schedlab-cluster(5), and 'schedlab list clusters'" },
		{ "nodes: [{name: n, hosts: 'a[1-2]', count: 2, cpus: 1}]\n",
			":1:43: 'count' beside 'hosts': the hosts are counted, remove it" },
		{ "nodes: [{name: n, type: dgx-a10}]\n",
			":1:25: no node type is called 'dgx-a10': did you mean 'dgx-a100'? 'schedlab list nodes' "
			"shows all" },
		{ "nodes: [{name: n, cpus: 8, sockets: 2, cores: 2}]\n",
			":1:9: has more cpus than sockets * cores * threads: make them agree" },
		{ "nodes: [{name: n, sockets: 2, cores: 1024}]\n",
			":1:9: more than 1024 cores on one node: that many are not told apart" },
		{ "nodes: [{name: n, cpus: 2, gres: [{name: gpu, cores: 0-2}]}]\n",
			":1:9: gres are nearest to cores that the node does not have ('cores')" },
		{ "nodes: [{name: n, cpus: 2, gres: [{name: gpu, cores: 0-}]}]\n",
			":1:54: 'cores' must be a list of cores below 1024, such as 0-15,32, not '0-'" },
		{ "nodes: [{name: n, cpus: 2, gpus: 1, gres: [{name: gpu}]}]\n",
			":1:44: GPUs stand in 'gpus' and in 'gres': remove them from one of the two" },
		{ "nodes: [{name: n, cpus: 2, gres: [{type: gpu}]}]\n",
			":1:35: gres have 'name', which is not here: add it" },
		{ "nodes: [{name: n, cpus: 2, state: asleep}]\n",
			":1:35: 'state' must be one of up, drain, down, maint, powered_down, planned, future, not "
			"'asleep'" },
		{ "cpus: 4\npartitions:\n- {name: a, max_time: long}\n",
			":3:23: 'max_time' must be a duration such as 90, 36h or 3d, or unlimited, not 'long'" },
		{ "cpus: 4\npartitions:\n- {name: a}\n- {name: b}\n- {name: a}\n",
			":5:3: partition 'a' stands twice, first on line 3: name it once" },
		{ "cpus: 4\npartitions:\n- {name: a, nodes_maxx: 2}\n",
			":3:13: unknown key 'nodes_maxx': did you mean 'nodes_max'? partitions have name, nodes, "
			"max_time, default_time, nodes_min, nodes_max, cpus_per_node_max, memory_per_node, "
			"memory_per_cpu, memory_per_gpu, cpus_per_gpu, memory_per_node_max, memory_per_cpu_max, "
			"tier, job_factor, share, shares, state, default, hidden, root_only, exclusive_user, "
			"least_loaded" },
		{ "cpus: 4\nswitches: [{name: s}]\n",
			":2:12: a switch has either 'nodes' or 'switches' below it" },
		{ "cpus: 4\nlicenses: {matlab: 4}\n",
			":2:11: 'licenses' must be a list of entries with name and total" },
		{ "cpus: 4\nsettings: [{key: x}]\n",
			":2:12: settings have 'value', which is not here: add it" },
		{ "cpus: 4\nselect: core\n",
			":2:9: 'select' must be one of ours, cores, linear, not 'core'" },
		{ "# Slurm\nClusterName=x\nNodeName=n[4-1] CPUs=4\n",
			":3:10: list of hosts 'n[4-1]': a range goes upwards: n[1-4]" },
	};
	for (size_t i = 0; i < SL_LEN(wrong); i++)
		expect_error(wrong[i].cluster, NULL, SL_INPUT, wrong[i].said);
}

#define NODES "nodes: [{name: n, count: 4, cpus: 1}]\nreservations:\n"

Test(cluster_file, reservation_mistakes)
{
	static const struct {
		const char *cluster, *said;
	} wrong[] = {
		{ NODES "- {name: r, nodes: n5, start: 0, end: 1}\n",
			":3:3: reservation 'r': no node or entry is called 'n5': write names as n1, or n[1-4,7]" },
		{ NODES "- {name: r, nodes: 'n[1-5]', start: 0, end: 1}\n",
			":3:3: reservation 'r': no node or entry is called 'n5': write names as n1, or n[1-4,7]" },
		{ NODES "- {name: r, nodes: 'n[1-', start: 0, end: 1}\n",
			":3:3: reservation 'r': no node or entry is called 'n[1-': write names as n1, or n[1-4,7]" },
		{ NODES "- {name: r, nodes: ' , ', start: 0, end: 1}\n",
			":3:3: reservation 'r': no node or entry is called ' , ': write names as n1, or n[1-4,7]" },
		{ NODES "- {name: r, nodes: n, start: 1, end: 1}\n",
			":3:3: reservation 'r' ends before it starts, or as it does" },
		{ NODES "- {name: r, nodes: n, start: noon, end: 1}\n",
			":3:3: reservation 'r': start=noon is not a time: give seconds since the trace's zero, a "
			"duration such as 3d or 36h, or a date as 2001-12-31T23:59" },
		{ NODES "- {name: r, nodes: n, start: 0}\n",
			":3:3: reservations have one of 'end' and 'duration': give just one" },
		{ NODES "- {name: r, nodes: n, end: 0}\n",
			":3:3: reservations have 'start', which is not here: add it" },
		{ NODES "- {name: r, cpus: 4, start: 0, end: 1}\n",
			":3:3: reservations of a cluster with nodes have 'nodes', and no 'cpus'" },
		{ "cpus: 4\nreservations: [{name: r, nodes: n, start: 0, end: 1}]\n",
			":2:16: reservations of a counted pool have 'cpus', and no 'nodes'" },
		{ "cpus: 4\nreservations: [{name: r, cpus: 5, start: 0, end: 1}]\n",
			":2:16: reservation 'r' has more cpus than the pool's 4" },
	};
	for (size_t i = 0; i < SL_LEN(wrong); i++)
		expect_error(wrong[i].cluster, NULL, SL_INPUT, wrong[i].said);
}

/* Dates need a trace that has them. */
Test(cluster_file, reservation_dates)
{
	struct loaded l;
	cr_assert_eq(load_trace(&l, NODES "- {name: r, nodes: n1, start: 1970-01-02T00:00, duration: 60}\n",
			     "; UnixStartTime: 86000\n" TINY, NULL),
		SL_OK, "%s", l.err.text);
	cr_assert_eq(l.scenario.cluster.window_count, 1);
	cr_expect_eq(l.scenario.cluster.window[0].from, 400 * SL_SECOND);
	cr_expect_eq(l.scenario.cluster.window[0].until, 460 * SL_SECOND);
	scenario_release(&l.scenario);
}

/* ---- SWF on nodes ----------------------------------------------------------------------- */

#define SWF(id, cpus, mem) id " 0 -1 100 " cpus " -1 -1 " cpus " 200 " mem " 1 1 1 1 1 1 -1 -1\n"

/* Tasks of one cpu; jobs of equal requests share one; memory counts if a setting says so. */
Test(cluster_file, swf_requests)
{
	static const char cluster[] = "nodes: [{name: n, count: 2, cpus: 4, memory: 8}]\n";
	static const char trace[] = SWF("1", "4", "2048") SWF("2", "8", "2048") SWF("3", "4", "2048")
		SWF("4", "9", "-1") SWF("5", "4", "1025") SWF("6", "8", "2049") SWF("7", "1", "9000");
	struct loaded l;
	cr_assert_eq(load_trace(&l, cluster, trace, NULL), SL_OK, "%s", l.err.text);
	const struct sl_jobs *jobs = &l.scenario.jobs;
	cr_assert_eq(jobs->count, 6); /* The fourth requests 9 of 8 cpus. */
	cr_assert_eq(jobs->request_count, 3);
	cr_expect_eq(jobs->request[0], jobs->request[2]);
	cr_expect_eq(jobs->request[0], jobs->request[3]);
	const struct sl_request *request = &jobs->requests[jobs->request[1]];
	cr_expect(request->group_count == 1 && request->cpus == 8 && request->mem == 0 && request->gpus == 0);
	cr_expect(request->group[0].tasks == 8 && request->group[0].task.cpus == 1);
	cr_expect(request->group[0].tasks_min == 8 && request->group[0].tasks_max == 8);
	cr_expect_eq(jobs->size[1], 8);
	scenario_release(&l.scenario);

	cr_assert_eq(
		load_trace(&l, cluster, trace, SETTINGS("replay.memory=requested")), SL_OK, "%s", l.err.text);
	jobs = &l.scenario.jobs;
	/* 2 MiB a task: four a node, 1025 KB are 2 MiB too; 2049 KB are 3, of which two fit, and 9000 KB
	 * are 9. */
	cr_assert_eq(jobs->count, 4);
	cr_assert_eq(jobs->request_count, 2);
	cr_expect_eq(jobs->requests[jobs->request[0]].mem, 8);
	cr_expect_eq(jobs->request[0], jobs->request[3]);
	cr_expect_eq(l.scenario.anomaly_count, 1);
	cr_expect_eq(l.scenario.anomaly[0].count, 3);
	cr_expect_str_eq(l.scenario.anomaly[0].cause, "larger than the machine");
	scenario_release(&l.scenario);
}
