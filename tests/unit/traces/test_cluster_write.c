/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_cluster_write.c - what a cluster file reports to its sink, and what is written of it: all keys, types
 * of nodes under explicit fields, settings, and that a second time gives the same bytes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"
#include "traces/cluster/cluster_file.h"

/* The bytes of cluster_write_end; the caller frees them. */
static char *finish(struct cluster_writing *w)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	struct sl_err err = { 0 };
	struct sl_out *out;
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	cr_assert_eq(cluster_write_end(w, out, &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;
	cr_assert_not_null(file);
	cr_assert_geq(getdelim(&text, &size, '\0', file), 0);
	(void)fclose(file);
	(void)unlink(path);
	return text;
}

/* A file of ours as it is written, under settings; the caller frees it. */
static char *rewritten(
	const char *text, bool json, const struct sl_cluster_setting *setting, size_t setting_count)
{
	const struct sl_cluster_reader *reader = text[0] == '{' ? &cluster_json : &cluster_yaml;
	const struct sl_cluster_sink *sink;
	struct cluster_writing *w;
	struct sl_err err = { 0 };
	struct sl_input *in;
	char path[32];
	cr_assert_eq(sl_input_open(&in, memfile(path, text, strlen(text)), &err), SL_OK);
	cr_assert_eq(cluster_write_begin(&w, &sink, &builtin_registry()->known, json, &err), SL_OK);
	cr_assert_eq(reader->read(path, in, setting, setting_count, sink, &err), SL_OK, "%s", err.text);
	char *written = finish(w);
	cluster_write_free(w);
	sl_input_close(in);
	return written;
}

static void expect_written(const char *text, const char *want)
{
	char *first = rewritten(text, false, NULL, 0);
	char *second = rewritten(first, false, NULL, 0);
	char *json = rewritten(text, true, NULL, 0);
	char *back = rewritten(json, false, NULL, 0);
	cr_expect_str_eq(first, want, "got:\n%s\nwant:\n%s", first, want);
	cr_expect_str_eq(second, first, "a second time:\n%s", second);
	cr_expect_str_eq(back, first, "by JSON:\n%s", back);
	free(first);
	free(second);
	free(json);
	free(back);
}

Test(cluster_write, pool)
{
	expect_written("cpus: 48\n", "cpus: 48\n");
	expect_written("name: 'a: b'\ncpus: 48\nreservations: [{name: r, cpus: 8, start: 0, end: 10}]\n",
		"name: \"a: b\"\ncpus: 48\nreservations:\n  - name: r\n    cpus: 8\n    start: 0\n    end: 10\n");
}

/* Each key of each list, once; what is a default is left out. */
#define ALL_KEYS                                                                                      \
	"name: lab\n"                                                                                 \
	"select: linear\n"                                                                            \
	"topology: block\n"                                                                           \
	"memory_counts: false\n"                                                                      \
	"nodes:\n"                                                                                    \
	"  - name: gpus\n"                                                                            \
	"    hosts: dgx[0180-0189]\n"                                                                 \
	"    cpus: 30\n"                                                                              \
	"    memory: 1TiB\n"                                                                          \
	"    boards: 2\n"                                                                             \
	"    sockets: 2\n"                                                                            \
	"    cores: 8\n"                                                                              \
	"    threads: 2\n"                                                                            \
	"    features: [a100, \"two words\", \"x,y\"]\n"                                              \
	"    weight: 7\n"                                                                             \
	"    gres:\n"                                                                                 \
	"      - { name: gpu, type: a100, count: 2, cores: \"0-3,8\", nic: mlx5_0, memory: 40GiB }\n" \
	"      - { name: bandwidth, count: 4000, no_consume: true }\n"                                \
	"    state: drain\n"                                                                          \
	"    reason: \"DIMM: bad\"\n"                                                                 \
	"    tmp_disk: 14TiB\n"                                                                       \
	"    cores_kept: 1\n"                                                                         \
	"    memory_kept: 1025MiB\n"                                                                  \
	"  - name: n\n"                                                                               \
	"    count: 3\n"                                                                              \
	"    cpus: 4\n"                                                                               \
	"    gpus: { v100: 1, k80: 2 }\n"                                                             \
	"partitions:\n"                                                                               \
	"  - name: debug\n"                                                                           \
	"    nodes: n[1-2]\n"                                                                         \
	"    max_time: 36h\n"                                                                         \
	"    default_time: 90s\n"                                                                     \
	"    nodes_min: 0\n"                                                                          \
	"    nodes_max: unlimited\n"                                                                  \
	"    cpus_per_node_max: 3\n"                                                                  \
	"    memory_per_node: 0MiB\n"                                                                 \
	"    memory_per_cpu: 2GiB\n"                                                                  \
	"    memory_per_gpu: 1GiB\n"                                                                  \
	"    cpus_per_gpu: 2\n"                                                                       \
	"    memory_per_node_max: unlimited\n"                                                        \
	"    memory_per_cpu_max: 4GiB\n"                                                              \
	"    tier: 10\n"                                                                              \
	"    job_factor: 5\n"                                                                         \
	"    share: force\n"                                                                          \
	"    shares: 4\n"                                                                             \
	"    state: inactive\n"                                                                       \
	"    default: true\n"                                                                         \
	"    hidden: true\n"                                                                          \
	"    root_only: true\n"                                                                       \
	"    exclusive_user: true\n"                                                                  \
	"    least_loaded: true\n"                                                                    \
	"  - name: all\n"                                                                             \
	"    nodes: ALL\n"                                                                            \
	"    max_time: unlimited\n"                                                                   \
	"switches:\n"                                                                                 \
	"  - name: leaf\n"                                                                            \
	"    nodes: n[1-3]\n"                                                                         \
	"  - name: top\n"                                                                             \
	"    switches: leaf\n"                                                                        \
	"    speed: 100\n"                                                                            \
	"licenses:\n"                                                                                 \
	"  - name: matlab@server\n"                                                                   \
	"    total: 10\n"                                                                             \
	"reservations:\n"                                                                             \
	"  - name: m\n"                                                                               \
	"    nodes: n1\n"                                                                             \
	"    start: 1d\n"                                                                             \
	"    duration: 6h\n"                                                                          \
	"    kind: maint\n"                                                                           \
	"    users: alice,bob\n"                                                                      \
	"    accounts: phys\n"                                                                        \
	"    flags: DAILY,IGNORE_JOBS\n"                                                              \
	"  - name: s\n"                                                                               \
	"    nodes: n2\n"                                                                             \
	"    kind: state\n"                                                                           \
	"settings:\n"                                                                                 \
	"  - key: SchedulerParameters\n"                                                              \
	"    value: bf_window=1440,bf_continue\n"                                                     \
	"  - kind: partition\n"                                                                       \
	"    name: debug\n"                                                                           \
	"    key: AllowQos\n"                                                                         \
	"    value: \"\"\n"                                                                           \
	"    coverage: ignored\n"                                                                     \
	"    note: \"nobody is refused \\\"so\\\"\"\n"

Test(cluster_write, all_keys) { expect_written(ALL_KEYS, ALL_KEYS); }

/* What a type says, and what goes over it. cpus follow from cores that are given. */
Test(cluster_write, types)
{
	expect_written("nodes: [{name: a, type: cpu-2s}]\n",
		"nodes:\n  - name: a\n    cpus: 64\n    memory: 256GiB\n    sockets: 2\n    cores: 32\n    threads: 1\n");
	expect_written("nodes: [{name: a, type: cpu-2s, threads: 2, memory: 1TiB, weight: 3}]\n",
		"nodes:\n  - name: a\n    cpus: 128\n    memory: 1TiB\n    sockets: 2\n    cores: 32\n    threads: 2\n"
		"    weight: 3\n");
	expect_written("nodes: [{name: a, type: cpu-2s, cpus: 32}]\n",
		"nodes:\n  - name: a\n    cpus: 32\n    memory: 256GiB\n    sockets: 2\n    cores: 32\n    threads: 1\n");
	expect_written("nodes: [{hosts: 'g[01-04]', type: param-shakti-gpu}]\n",
		"nodes:\n  - hosts: g[01-04]\n    cpus: 40\n    memory: 192GiB\n    sockets: 2\n    cores: 20\n"
		"    threads: 1\n    gres:\n"
		"      - { name: gpu, type: v100, cores: \"0-19\", nic: mlx5_0, memory: 16GiB }\n"
		"      - { name: gpu, type: v100, cores: \"20-39\", nic: mlx5_0, memory: 16GiB }\n");
	/* GPUs of the file are in place of the type's. */
	expect_written("nodes: [{name: a, type: param-shakti-gpu, gpus: {k80: 1}}]\n",
		"nodes:\n  - name: a\n    cpus: 40\n    memory: 192GiB\n    gpus: { k80: 1 }\n    sockets: 2\n"
		"    cores: 20\n    threads: 1\n");
	expect_written("nodes: [{name: a, type: param-shakti-gpu, gres: [{name: mps, count: 200}]}]\n",
		"nodes:\n  - name: a\n    cpus: 40\n    memory: 192GiB\n    sockets: 2\n    cores: 20\n"
		"    threads: 1\n    gres:\n      - { name: mps, count: 200 }\n");
	/* Cores that are not said make up the cpus. */
	expect_written("nodes: [{name: a, cpus: 10, sockets: 2, threads: 2}]\n",
		"nodes:\n  - name: a\n    cpus: 10\n    sockets: 2\n    cores: 3\n    threads: 2\n");
}

/* Any field can be set; cores that are set are other cpus. */
/* Parts of cpus, what is said of single GPUs, islands: as they were, and the same a second time. */
Test(cluster_write, parts_and_devices)
{
	expect_written("nodes:\n"
		       "  - name: n\n"
		       "    count: 4\n"
		       "    cpus: 7.25\n"
		       "    nodes_per_island: 2\n"
		       "    gpus: { t4: 1, a100: { count: 2, memory: 40GiB, gpus_per_island: 2 },\n"
		       "            a30: { mig: a100-40gb } }\n",
		"nodes:\n"
		"  - name: n\n"
		"    count: 4\n"
		"    cpus: 7.25\n"
		"    nodes_per_island: 2\n"
		"    sockets: 1\n"
		"    cores: 8\n"
		"    threads: 1\n"
		"    gres:\n"
		"      - { name: gpu, type: t4 }\n"
		"      - { name: gpu, type: a100, count: 2, memory: 40GiB, gpus_per_island: 2 }\n"
		"      - { name: gpu, type: a30, mig: a100-40gb }\n");
}

Test(cluster_write, settings)
{
	static const char text[] =
		"nodes: [{name: a, type: cpu-2s}]\npartitions: [{name: p, nodes: a, max_time: 1d}]\n";
	bool used[7] = { false };
	const struct sl_cluster_setting setting[] = {
		{ "nodes[a].cores", "16", &used[0] },
		{ "nodes[a].weight+", "4", &used[1] },
		{ "nodes[a].state", "down", &used[2] },
		{ "partition[p].max_time-", "6h", &used[3] },
		{ "partition[p].hidden", "yes", &used[4] },
		{ "partition[p].nodes_max", "unlimited", &used[5] },
		{ "nodes[a].memory", "64G", &used[6] },
	};
	char *written = rewritten(text, false, setting, SL_LEN(setting));
	cr_expect_str_eq(written,
		"nodes:\n  - name: a\n    cpus: 32\n    memory: 64GiB\n    sockets: 2\n    cores: 16\n    threads: 1\n"
		"    weight: 5\n    state: down\n"
		"partitions:\n  - name: p\n    nodes: a\n    max_time: 18h\n    nodes_max: unlimited\n    hidden: true\n",
		"%s", written);
	for (size_t i = 0; i < SL_LEN(used); i++)
		cr_expect(used[i], "setting %zu", i);
	free(written);
}

/* ---- The node types --------------------------------------------------------------------------------- */

/* Each is whole: cpus are its cores' threads, cores of GPUs are its own, and its name is one for a file. */
Test(cluster_write, models_are_whole)
{
	for (size_t i = 0; builtin_registry()->known.node_models[i]; i++) {
		const struct sl_node_model *model = builtin_registry()->known.node_models[i];
		const struct sl_hardware *is = model->node->hardware;
		char text[200];
		cr_assert(sl_is_word(model->name) && model->summary[0] && model->source[0]);
		cr_expect_eq(
			model->node->cpus, (int64_t)is->sockets * is->cores * is->threads, "%s", model->name);
		(void)snprintf(text, sizeof(text), "nodes: [{name: a, type: %s}]\n", model->name);
		free(rewritten(text, false, NULL, 0));
	}
}
