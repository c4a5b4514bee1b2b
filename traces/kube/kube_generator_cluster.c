/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_generator_cluster.c - the cluster of a generator file: its queues, flavor and nodes as objects.
 *
 * They are written as one List in JSON and read as any other manifest.
 */
#include "traces/kube/kube_generator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KUEUE "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":"

static void SL_PRINTF(2, 3) put(struct manifest_text *text, const char *format, ...)
{
	char line[2048];
	va_list rest;
	va_start(rest, format);
	const int len = vsnprintf(line, sizeof(line), format, rest);
	va_end(rest);
	SL_CHECK(len >= 0 && (size_t)len < sizeof(line)); /* Names and quantities are short. */
	kube_put(text, line, (size_t)len);
}

/* Digits in front of names: of level 1 of "block", "rack": b0-r3. */
static void put_node(struct manifest_text *text, const struct gen *gen, const int64_t *at)
{
	char name[128] = "node";
	size_t len = strlen(name);
	for (uint32_t i = 0; i < gen->level_count; i++)
		len += (size_t)snprintf(
			name + len, sizeof(name) - len, "-%c%lld", gen->level[i].name[0], (long long)at[i]);
	put(text, ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{",
		name);
	put(text, "\"%s\":\"tas\"", gen->flavor_label ? gen->flavor_label : "tas-node-group");
	bool host = false;
	for (uint32_t i = 0; i < gen->level_count; i++) {
		const bool is_host = strcmp(gen->level[i].label, "kubernetes.io/hostname") == 0;
		host |= is_host;
		if (is_host)
			put(text, ",\"%s\":\"%s\"", gen->level[i].label, name);
		else
			put(text, ",\"%s\":\"%s-%lld\"", gen->level[i].label, gen->level[i].name,
				(long long)at[i]);
	}
	if (!host)
		put(text, ",\"kubernetes.io/hostname\":\"%s\"", name);
	put(text,
		"}},\"status\":{\"allocatable\":{\"cpu\":\"%.40s\",\"memory\":\"%.40s\",\"pods\":\"110\"}}}",
		gen->node_cpu, gen->node_memory);
}

static void kube_generator_cluster_put_nodes(struct manifest_text *text, const struct gen *gen)
{
	int64_t at[GEN_LEVELS_MAX] = { 0 };
	put(text, "," KUEUE "\"Topology\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"levels\":[",
		gen->topology);
	for (uint32_t i = 0; i < gen->level_count; i++)
		put(text, "%s{\"nodeLabel\":\"%s\"}", i ? "," : "", gen->level[i].label);
	put(text, "]}}");
	for (;;) {
		put_node(text, gen, at);
		uint32_t level = gen->level_count;
		while (level && ++at[level - 1] == gen->level[level - 1].count)
			at[--level] = 0;
		if (!level)
			return;
	}
}

static void put_flavor(struct manifest_text *text, const struct gen *gen)
{
	put(text, KUEUE "\"ResourceFlavor\",\"metadata\":{\"name\":\"%s\"},\"spec\":{", gen->flavor);
	if (gen->flavor_topology)
		put(text, "\"nodeLabels\":{\"%s\":\"tas\"},\"topologyName\":\"%s\"", gen->flavor_label,
			gen->flavor_topology);
	put(text, "}}");
}

/* Everything may be submitted to any queue: namespaceSelector {}. */
static void put_queue(struct manifest_text *text, const struct gen *gen, const struct gen_cohorts *cohorts,
	int64_t cohort, uint32_t index, int64_t queue)
{
	const struct gen_queues *set = &cohorts->set[index];
	char name[GEN_NAME_CAPACITY];
	gen_queue_name(cohorts, cohort, index, queue, name);
	put(text, "," KUEUE "\"ClusterQueue\",\"metadata\":{\"name\":\"%s\"},\"spec\":{", name);
	put(text,
		"\"cohortName\":\"%s-%lld\",\"namespaceSelector\":{},\"queueingStrategy\":\"BestEffortFIFO\",",
		cohorts->class, (long long)cohort);
	put(text, "\"preemption\":{\"reclaimWithinCohort\":\"%s\",\"withinClusterQueue\":\"%s\"},",
		set->reclaim, set->within);
	put(text, "\"resourceGroups\":[{\"coveredResources\":[\"cpu\"],\"flavors\":[{\"name\":\"%s\",",
		gen->flavor);
	put(text, "\"resources\":[{\"name\":\"cpu\",\"nominalQuota\":\"%.40s\"", set->nominal);
	if (set->borrowing)
		put(text, ",\"borrowingLimit\":\"%.40s\"", set->borrowing);
	put(text, "}]}]}]}},{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}",
		name);
	put(text,
		"," KUEUE
		"\"LocalQueue\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"},\"spec\":{\"clusterQueue\":\"%s\"}}",
		name, name, name);
}

static void put_all(struct manifest_text *text, const struct gen *gen)
{
	put(text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	put_flavor(text, gen);
	if (gen->topology)
		kube_generator_cluster_put_nodes(text, gen);
	for (uint32_t i = 0; i < gen->cohorts_count; i++)
		for (int64_t cohort = 0; cohort < gen->cohorts[i].count; cohort++)
			for (uint32_t k = 0; k < gen->cohorts[i].set_count; k++)
				for (int64_t queue = 0; queue < gen->cohorts[i].set[k].count; queue++)
					put_queue(text, gen, &gen->cohorts[i], cohort, k, queue);
	put(text, "]}");
}

static int kube_generator_cluster_report(struct sl_arena *arena, struct manifest_text *text, const char *path,
	const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct kube_file file = { 0 };
	if (text->failed)
		return sl_fail_memory(err);
	int status = kube_text_read(text->text, text->len, path, &file, err);
	if (!status)
		status = kube_nodes_report(arena, file.object, file.count, path, sink, err);
	if (!status && sink->objects)
		status = sink->objects(sink->self, &file.doc, file.object, file.count, err);
	kube_file_release(&file);
	return status;
}

static int generator_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct sl_doc doc = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct manifest_text text = { 0 };
	struct gen gen;
	int status = arena ? SL_OK : sl_fail_memory(err);
	if (!status && setting_count)
		status = sl_fail(err, SL_USAGE,
			"--set: 'cluster.%.60s' is not of a generator file: change the file", setting[0].key);
	if (!status)
		status = gen_file(in, &doc, err);
	if (!status)
		status = gen_read(arena, &doc, &gen, err);
	if (!status) {
		put_all(&text, &gen);
		status = kube_generator_cluster_report(arena, &text, path, sink, err);
	}
	free(text.text);
	sl_doc_release(&doc);
	sl_arena_free(arena);
	return status;
}

static int generator_sniff(const char *path, const char *text, size_t len)
{
	(void)path;
	return text ? kube_generator_sniff(text, len) : 0;
}

const struct sl_cluster_reader kube_generator_cluster = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "kueue-generator",
	.summary = "queues and nodes of Kueue's performance test; see schedlab-kubernetes(5)",
	.sniff = generator_sniff,
	.read = generator_read,
};
