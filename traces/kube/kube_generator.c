/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_generator.c - reading a generator file; see kube_generator.h.
 */
#include "traces/kube/kube_generator.h"

#include <stdio.h>
#include <string.h>

struct reading {
	struct sl_arena *arena;
	const struct sl_doc *doc;
	struct sl_err *err;
	int status;
	int64_t queues, jobs;
};

/* ---- Values: the first failure stays ---------------------------------------------------------------- */

static void kube_generator_fail(
	struct reading *r, const struct sl_doc_node *node, const char *key, const char *what)
{
	const struct sl_place at = sl_doc_place(r->doc, node);
	if (!r->status)
		r->status = sl_fail_at(r->err, &at, "'%s' must be %s", key, what);
}

static const char *kube_generator_text_in(
	struct reading *r, const struct sl_doc_node *map, const char *key, const char *otherwise)
{
	const struct sl_doc_node *node = sl_doc_member(r->doc, map, key);
	if (node && node->kind != SL_DOC_TEXT)
		kube_generator_fail(r, node, key, "a text");
	const char *text = manifest_text(r->doc, node);
	return text ? text : otherwise;
}

static int64_t kube_generator_number_in(struct reading *r, const struct sl_doc_node *map, const char *key,
	int64_t otherwise, int64_t min, int64_t max)
{
	char what[100];
	const char *text = kube_generator_text_in(r, map, key, NULL);
	int64_t number = otherwise;
	if (!text || (sl_get_i64(text, strlen(text), &number) && number >= min && number <= max))
		return number;
	(void)snprintf(
		what, sizeof(what), "a whole number from %lld to %lld", (long long)min, (long long)max);
	kube_generator_fail(r, sl_doc_member(r->doc, map, key), key, what);
	return otherwise;
}

/* A name that is part of others, and stands in JSON as it is. */
static const char *name_in(
	struct reading *r, const struct sl_doc_node *map, const char *key, const char *otherwise)
{
	enum { PART_MAX = 60 };
	const char *name = kube_generator_text_in(r, map, key, otherwise);
	if (!name) {
		kube_generator_fail(r, map, key, "given");
		return "";
	}
	if (strlen(name) > PART_MAX ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/") !=
			strlen(name))
		kube_generator_fail(
			r, map, key, "a name of at most 60 letters, digits, '-', '.', '_' and '/'");
	return name;
}

static const char *quantity_in(
	struct reading *r, const struct sl_doc_node *map, const char *key, const char *otherwise)
{
	const char *text = kube_generator_text_in(r, map, key, otherwise);
	int64_t amount;
	if (text && !sl_get_quantity(text, strlen(text), &amount))
		kube_generator_fail(
			r, sl_doc_member(r->doc, map, key), key, "a quantity, like 20, 500m or 256Gi");
	return text;
}

/* Of a list: how many, and the capacity of its array. */
static const struct sl_doc_node *list_in(struct reading *r, const struct sl_doc_node *map, const char *key,
	size_t size, void **array, uint32_t *count)
{
	enum { LIST_MAX = 10000 };
	const struct sl_doc_node *list = sl_doc_member(r->doc, map, key);
	*array = NULL;
	*count = 0;
	if (r->status)
		return NULL;
	if (!list || list->kind != SL_DOC_LIST || !list->count || list->count > LIST_MAX) {
		kube_generator_fail(r, list ? list : map, key, "a list of 1 to 10000 entries");
		return NULL;
	}
	*array = sl_alloc(r->arena, list->count, size);
	if (!*array)
		r->status = sl_fail_memory(r->err);
	*count = *array ? list->count : 0;
	return *array ? sl_doc_child(r->doc, list) : NULL;
}

/* Keys that would change what runs, and are not followed, are refused. */
static void kube_generator_refuse(struct reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = sl_doc_member(r->doc, map, key);
	if (node)
		kube_generator_fail(r, node, key, "left out: devices of generator files are not read");
}

/* ---- Sets --------------------------------------------------------------------------------------------- */

static void workload_in(struct reading *r, const struct sl_doc_node *node, struct gen_workload *w)
{
	static const char *const words[] = { "required", "preferred", "balanced" };
	w->class = name_in(r, node, "className", NULL);
	w->request = quantity_in(r, node, "request", "0");
	w->run_ms = kube_generator_number_in(r, node, "runtimeMs", 0, 0, INT32_MAX);
	w->priority = kube_generator_number_in(r, node, "priority", 0, INT32_MIN, INT32_MAX);
	w->pods = kube_generator_number_in(r, node, "podCount", 1, 0, 1000000);
	w->pods = w->pods ? w->pods : 1;
	w->slice = kube_generator_number_in(r, node, "sliceSize", 0, 0, 1000000);
	w->level = sl_doc_member(r->doc, node, "tasLevel") ? name_in(r, node, "tasLevel", NULL) : NULL;
	w->constraint = kube_generator_text_in(r, node, "tasConstraint", NULL);
	bool known = !w->constraint;
	for (size_t i = 0; i < SL_LEN(words) && w->constraint; i++)
		known |= strcmp(words[i], w->constraint) == 0;
	if (!known)
		kube_generator_fail(r, sl_doc_member(r->doc, node, "tasConstraint"), "tasConstraint",
			"required, preferred or balanced");
	kube_generator_refuse(r, node, "devices");
}

/* of: so many queues have the set. */
static void workloads_in(
	struct reading *r, const struct sl_doc_node *node, struct gen_workloads *set, int64_t of)
{
	void *array;
	set->count = kube_generator_number_in(r, node, "count", 0, 0, GEN_JOBS_MAX);
	set->interval_ms = kube_generator_number_in(r, node, "creationIntervalMs", 0, 0, INT32_MAX);
	const struct sl_doc_node *child =
		list_in(r, node, "workloads", sizeof(*set->workload), &array, &set->workload_count);
	set->workload = array;
	for (uint32_t i = 0; child && !r->status; child = sl_doc_next(r->doc, child), i++)
		workload_in(r, child, &set->workload[i]);
	r->jobs += set->count * set->workload_count * of;
	if (r->jobs > GEN_JOBS_MAX)
		kube_generator_fail(r, node, "count", "less: there are more than 10000000 workloads");
}

static void queues_in(struct reading *r, const struct sl_doc_node *node, struct gen_queues *set, int64_t of)
{
	void *array;
	set->class = name_in(r, node, "className", NULL);
	set->count = kube_generator_number_in(r, node, "count", 0, 0, GEN_QUEUES_MAX);
	set->nominal = quantity_in(r, node, "nominalQuota", "0");
	set->borrowing = quantity_in(r, node, "borrowingLimit", NULL);
	set->reclaim = name_in(r, node, "reclaimWithinCohort", "Never");
	set->within = name_in(r, node, "withinClusterQueue", "Never");
	kube_generator_refuse(r, node, "deviceNominalQuota");
	r->queues += set->count * of;
	if (r->queues > GEN_QUEUES_MAX) {
		kube_generator_fail(r, node, "count", "less: there are more than 100000 queues");
		return;
	}
	const struct sl_doc_node *child =
		list_in(r, node, "workloadsSets", sizeof(*set->set), &array, &set->set_count);
	set->set = array;
	for (uint32_t i = 0; child && !r->status; child = sl_doc_next(r->doc, child), i++)
		workloads_in(r, child, &set->set[i], set->count * of);
}

static void cohorts_in(struct reading *r, const struct sl_doc_node *node, struct gen_cohorts *cohorts)
{
	void *array;
	cohorts->class = name_in(r, node, "className", NULL);
	cohorts->count = kube_generator_number_in(r, node, "count", 0, 0, GEN_QUEUES_MAX);
	const struct sl_doc_node *child =
		list_in(r, node, "queuesSets", sizeof(*cohorts->set), &array, &cohorts->set_count);
	cohorts->set = array;
	for (uint32_t i = 0; child && !r->status; child = sl_doc_next(r->doc, child), i++)
		queues_in(r, child, &cohorts->set[i], cohorts->count);
}

/* Nodes are of the last level; what one has is said there. */
static void topology_in(struct reading *r, const struct sl_doc_node *node, struct gen *gen)
{
	void *array;
	uint32_t count;
	int64_t nodes = 1;
	gen->topology = name_in(r, node, "name", NULL);
	const struct sl_doc_node *child = list_in(r, node, "levels", 1, &array, &count);
	if (count < 2 || count > GEN_LEVELS_MAX) {
		kube_generator_fail(r, node, "levels", "a list of 2 to 8 entries");
		return;
	}
	for (; child && !r->status; child = sl_doc_next(r->doc, child)) {
		struct gen_level *level = &gen->level[gen->level_count++];
		const struct sl_doc_node *capacity = sl_doc_member(r->doc, child, "capacity");
		level->name = name_in(r, child, "name", NULL);
		level->label = name_in(r, child, "nodeLabel", NULL);
		level->count = kube_generator_number_in(r, child, "count", 1, 1, GEN_NODES_MAX);
		gen->node_cpu = quantity_in(r, capacity, "cpu", "96");
		gen->node_memory = quantity_in(r, capacity, "memory", "256Gi");
		nodes *= level->count;
		if (nodes > GEN_NODES_MAX)
			kube_generator_fail(r, child, "count", "less: there are more than 200000 nodes");
	}
}

int gen_read(struct sl_arena *arena, const struct sl_doc *doc, struct gen *gen, struct sl_err *err)
{
	struct reading r = { .arena = arena, .doc = doc, .err = err };
	const struct sl_doc_node *root = &doc->node[0];
	const struct sl_doc_node *topology = sl_doc_member(doc, root, "topology");
	const struct sl_doc_node *flavor = sl_doc_member(doc, root, "resourceFlavor");
	void *array;
	*gen = (struct gen){ 0 };
	if (topology)
		topology_in(&r, topology, gen);
	gen->flavor = name_in(&r, flavor, "name", "rf");
	gen->flavor_label = flavor ? name_in(&r, flavor, "nodeLabel", "tas-node-group") : NULL;
	gen->flavor_topology = kube_generator_text_in(&r, flavor, "topologyName", NULL);
	if (flavor && gen->flavor_topology)
		gen->flavor_topology = name_in(&r, flavor, "topologyName", NULL);
	kube_generator_refuse(&r, root, "dra");
	const struct sl_doc_node *child =
		list_in(&r, root, "cohorts", sizeof(*gen->cohorts), &array, &gen->cohorts_count);
	gen->cohorts = array;
	for (uint32_t i = 0; child && !r.status; child = sl_doc_next(doc, child), i++)
		cohorts_in(&r, child, &gen->cohorts[i]);
	return r.status;
}

int gen_file(struct sl_input *in, struct sl_doc *doc, struct sl_err *err)
{
	const char *text;
	const char *end;
	*doc = (struct sl_doc){ .file = sl_input_name(in) };
	int status = sl_input_all(in, &text, &end, err);
	if (!status && end - text > SL_DOC_BYTES_MAX)
		status = sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: no generator file is", doc->file);
	if (!status)
		status = sl_doc_read_yaml(doc, text, (size_t)(end - text), err);
	if (!status && (!doc->count || doc->node[0].kind != SL_DOC_MAP))
		status = sl_fail(err, SL_INPUT, "%s: must be a map with cohorts", doc->file);
	return status;
}

void gen_queue_name(const struct gen_cohorts *cohorts, int64_t cohort, uint32_t set, int64_t queue,
	char name[GEN_NAME_CAPACITY])
{
	(void)snprintf(name, GEN_NAME_CAPACITY, "%.60s-%u-%lld-%.60s-%lld", cohorts->set[set].class, set,
		(long long)queue, cohorts->class, (long long)cohort);
}

/* A line that begins with cohorts:, and none with apiVersion. */
int kube_generator_sniff(const char *text, size_t len)
{
	static const char word[] = "cohorts:";
	const char *end = text + len;
	if (kube_sniff(text, len))
		return 0;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		if ((size_t)(end - p) >= strlen(word) && memcmp(p, word, strlen(word)) == 0)
			return 96;
		p = newline ? newline + 1 : end;
	}
	return 0;
}
