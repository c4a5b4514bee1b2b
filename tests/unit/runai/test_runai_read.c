/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_runai_read.c - projects files, KAI's and Run:AI's objects into one struct: each key, what holds where
 * nothing is said, and what is wrong by its words and place.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/runai/runai_read.h"
#include "sim/base/base.h"

enum { OBJECTS_MAX = 8 };

struct files {
	struct sl_arena *arena;
	struct runai_config config;
	struct sl_doc doc[OBJECTS_MAX + 1];
	struct sl_object object[OBJECTS_MAX];
	uint32_t count;
	struct sl_err err;
};

static const char *member(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = map ? sl_doc_member(doc, map, key) : NULL;
	return node && node->kind == SL_DOC_TEXT ? doc->text + node->text : "";
}

/* A projects file (NULL: none), and objects, one a text, closed by NULL. */
/* NOLINTNEXTLINE(readability-function-size): asserts are long when they are written out. */
static struct files *files_read(const char *projects, const char *const *text)
{
	struct sl_arena *arena = sl_arena_new();
	struct files *f = sl_alloc(arena, 1, sizeof(*f));
	struct sl_err err = { 0 };
	f->arena = arena;
	for (; text && text[f->count]; f->count++) {
		struct sl_doc *doc = &f->doc[f->count];
		doc->file = "q.yaml";
		cr_assert_eq(sl_doc_read_yaml(doc, text[f->count], strlen(text[f->count]), &err), SL_OK, "%s",
			err.text);
		f->object[f->count] = (struct sl_object){ .kind = member(doc, doc->node, "kind"),
			.version = member(doc, doc->node, "apiVersion"),
			.namespace = "",
			.name = member(doc, sl_doc_member(doc, doc->node, "metadata"), "name"),
			.doc = doc,
			.node = doc->node };
	}
	struct sl_doc *doc = &f->doc[OBJECTS_MAX];
	doc->file = "p.yaml";
	if (projects)
		cr_assert_eq(sl_doc_read_yaml(doc, projects, strlen(projects), &err), SL_OK, "%s", err.text);
	(void)runai_read(&f->config, arena, projects ? doc : NULL, f->object, f->count, &f->err);
	return f;
}

static void files_free(struct files *f)
{
	struct sl_arena *arena = f->arena;
	for (uint32_t i = 0; i <= OBJECTS_MAX; i++)
		sl_doc_release(&f->doc[i]);
	runai_release(&f->config);
	sl_arena_free(arena);
}

/* NOLINTNEXTLINE(readability-function-size): as above. */
static const struct runai_queue *queue_of(const struct files *f, const char *name)
{
	const uint32_t row = runai_find_queue(&f->config, name);
	cr_assert_neq(row, KAI_NO, "there is no '%s' (%s)", name, f->err.text);
	return &f->config.queue[row];
}

static const char *parent_of(const struct files *f, const char *name)
{
	const uint32_t parent = queue_of(f, name)->parent;
	return parent == KAI_NO ? "" : f->config.queue[parent].name;
}

static bool has_note(const struct files *f, const char *words)
{
	for (uint32_t i = 0; i < f->config.note_count; i++)
		if (strstr(f->config.note[i].text, words))
			return true;
	return false;
}

#define GPUS(n) ((int64_t)((n)*1000) * (KAI_GPU / 1000))

/* ---- The projects file
 * ------------------------------------------------------------------------------------- */

/* Quotas of 3 and 1: what is idle is shared 75 to 25; cpus and memory are nobody's. */
Test(runai_read, defaults)
{
	struct files *f = files_read("projects:\n"
				     "  - {name: a, quota: 3}\n"
				     "  - {name: b, quota: 1}\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_queue *a = queue_of(f, "a");
	cr_expect_eq(a->share.quota.at[KAI_GPUS], GPUS(3));
	cr_expect_eq(a->share.limit.at[KAI_GPUS], KAI_UNLIMITED);
	cr_expect_eq(a->share.weight[KAI_GPUS], 3);
	cr_expect_eq(queue_of(f, "b")->share.weight[KAI_GPUS], 1);
	cr_expect_eq(a->share.quota.at[KAI_CPU], KAI_UNLIMITED);
	cr_expect_eq(a->share.quota.at[KAI_MEM], KAI_UNLIMITED);
	cr_expect(a->priority == 100 && a->preempt_min == SL_NONE && a->time_limit[RUNAI_BUILD] == SL_NONE);
	cr_expect_eq(a->types, 15);
	cr_expect_str_eq(parent_of(f, "a"), "default", "a department for those that name none");
	cr_expect_eq(queue_of(f, "default")->share.quota.at[KAI_GPUS], GPUS(4), "what its projects are due");
	cr_expect(queue_of(f, "default")->implied);
	cr_expect_eq(f->config.type_default, RUNAI_TRAIN);
	cr_expect_eq(f->config.pool_count, 1);
	cr_expect(a->created < queue_of(f, "b")->created, "in the order of the file");
	files_free(f);
}

/* A department that says its quota has it; one that does not, its projects'; one that is only named is made.
 */
Test(runai_read, departments)
{
	struct files *f = files_read("departments:\n"
				     "  - {name: arts, quota: 5, limit: 6}\n"
				     "  - {name: science, over-quota: false}\n"
				     "projects:\n"
				     "  - {name: x, department: arts, quota: 3}\n"
				     "  - {name: y, department: science, quota: 2}\n"
				     "  - {name: z, department: science, quota: 0.5}\n"
				     "  - {name: w, department: law, quota: 1}\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	cr_expect_eq(queue_of(f, "arts")->share.quota.at[KAI_GPUS], GPUS(5));
	cr_expect_eq(queue_of(f, "arts")->share.limit.at[KAI_GPUS], GPUS(6));
	cr_expect_eq(queue_of(f, "science")->share.quota.at[KAI_GPUS], GPUS(2.5));
	cr_expect_eq(queue_of(f, "science")->share.limit.at[KAI_GPUS], GPUS(2.5), "nothing over quota");
	cr_expect_eq(queue_of(f, "science")->share.weight[KAI_GPUS], 0);
	cr_expect_eq(queue_of(f, "science")->children, 2);
	cr_expect_str_eq(parent_of(f, "w"), "law");
	cr_expect(queue_of(f, "law")->implied);
	cr_expect_str_eq(parent_of(f, "law"), "", "departments are on top");
	files_free(f);
}

/* over-quota is true, false or a weight; resources may be said one by one. */
Test(runai_read, shares)
{
	struct files *f = files_read("projects:\n"
				     "  - {name: a, quota: 2, over-quota: false}\n"
				     "  - {name: b, quota: 2, over-quota: 0.25, limit: 4}\n"
				     "  - name: c\n"
				     "    gpu: {quota: 1, limit: 8, weight: 5}\n"
				     "    cpu: {quota: 16, limit: 500m}\n"
				     "    memory: 64Gi\n"
				     "  - {name: d, quota: unlimited}\n"
				     "  - {name: e, quota: -1}\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	cr_expect_eq(queue_of(f, "a")->share.limit.at[KAI_GPUS], GPUS(2));
	cr_expect_eq(queue_of(f, "a")->share.limit.at[KAI_CPU], KAI_UNLIMITED);
	cr_expect_eq(queue_of(f, "b")->share.weight[KAI_GPUS], 0.25);
	cr_expect_eq(queue_of(f, "b")->share.limit.at[KAI_GPUS], GPUS(4));
	const struct runai_share *c = &queue_of(f, "c")->share;
	cr_expect_eq(c->weight[KAI_GPUS], 5);
	cr_expect_eq(c->limit.at[KAI_GPUS], GPUS(8));
	cr_expect_eq(c->quota.at[KAI_CPU], 16000);
	cr_expect_eq(c->limit.at[KAI_CPU], 500);
	cr_expect_eq(c->weight[KAI_CPU], 16, "in proportion to its quota");
	cr_expect_eq(c->quota.at[KAI_MEM], INT64_C(64) << 30);
	cr_expect_eq(c->weight[KAI_MEM], 64);
	cr_expect_eq(queue_of(f, "d")->share.quota.at[KAI_GPUS], KAI_UNLIMITED);
	cr_expect_eq(queue_of(f, "e")->share.quota.at[KAI_GPUS], KAI_UNLIMITED);
	files_free(f);
}

/* Without a quota nothing over quota either: reported, unless a weight is given. */
Test(runai_read, never)
{
	struct files *f = files_read("projects:\n  - {name: a}\n  - {name: b, over-quota: 1}\n"
				     "  - {name: c, over-quota: false}\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	cr_expect(has_note(f, "'a' has no quota of GPUs, and over quota is shared in proportion"));
	cr_expect_not(has_note(f, "'b' has no quota"));
	cr_expect(has_note(f, "'c' has no quota of GPUs, and may have nothing over it"));
	cr_expect_eq(queue_of(f, "b")->share.weight[KAI_GPUS], 1);
	cr_expect_eq(queue_of(f, "default")->share.weight[KAI_GPUS], 1, "so that b gets what is idle");
	files_free(f);
}

/* Limits in time by type of work; a word alone is of interactive work; departments' hold where nothing is
 * said. */
Test(runai_read, times)
{
	struct files *f =
		files_read("departments:\n"
			   "  - {name: d, time-limit: 8h, idle-limit: {train: 1h}, node-types: [v100],"
			   " types: [train, build]}\n"
			   "projects:\n"
			   "  - {name: a, department: d, quota: 1}\n"
			   "  - name: b\n"
			   "    department: d\n"
			   "    quota: 1\n"
			   "    time-limit: {interactive: 4h, train: 1d, inference: 90}\n"
			   "    idle-limit: {build-preemptible: 15m}\n"
			   "    node-types: {build: [k80, a100], train: a100}\n"
			   "    types: train\n"
			   "    min-runtime: {preempt: 10m, reclaim: 1h30m}\n"
			   "    priority: 7\n",
			NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_queue *a = queue_of(f, "a");
	const struct runai_queue *b = queue_of(f, "b");
	cr_expect_eq(a->time_limit[RUNAI_BUILD], 28800 * SL_SECOND);
	cr_expect_eq(a->time_limit[RUNAI_BUILD_PREEMPTIBLE], 28800 * SL_SECOND);
	cr_expect_eq(a->time_limit[RUNAI_TRAIN], SL_NONE);
	cr_expect_eq(a->idle_limit[RUNAI_TRAIN], 3600 * SL_SECOND);
	cr_expect_eq(a->types, 1U << RUNAI_TRAIN | 1U << RUNAI_BUILD);
	cr_assert_eq(a->group_count[RUNAI_INFERENCE], 1);
	cr_expect_eq(b->time_limit[RUNAI_BUILD], 14400 * SL_SECOND);
	cr_expect_eq(b->time_limit[RUNAI_TRAIN], 86400 * SL_SECOND);
	cr_expect_eq(b->time_limit[RUNAI_INFERENCE], 90 * SL_SECOND);
	cr_expect_eq(b->idle_limit[RUNAI_BUILD_PREEMPTIBLE], 900 * SL_SECOND);
	cr_expect_eq(b->idle_limit[RUNAI_TRAIN], 3600 * SL_SECOND, "the department's");
	cr_assert_eq(b->group_count[RUNAI_BUILD], 2);
	cr_expect_str_eq(b->group[RUNAI_BUILD][1], "a100");
	cr_expect_str_eq(b->group[RUNAI_TRAIN][0], "a100");
	cr_expect_str_eq(b->group[RUNAI_INFERENCE][0], "v100");
	cr_expect_eq(b->types, 1U << RUNAI_TRAIN);
	cr_expect_eq(b->preempt_min, 600 * SL_SECOND);
	cr_expect_eq(b->reclaim_min, 5400 * SL_SECOND);
	cr_expect_eq(b->priority, 7);
	struct sl_label label[] = { { "run.ai/type", "k80" } };
	const struct sl_labels k80 = { label, 1 };
	const struct sl_labels none = { label, 0 };
	cr_expect(runai_group_holds(&f->config, b, RUNAI_BUILD, &k80));
	cr_expect_not(runai_group_holds(&f->config, b, RUNAI_TRAIN, &k80));
	cr_expect_not(runai_group_holds(&f->config, b, RUNAI_BUILD, &none));
	/* Where there is no such label it is the type of the node's GPUs. */
	struct sl_label around[] = { { "a", "1" }, { "z", "2" } };
	const struct sl_labels two = { around, 2 };
	const struct sl_labels made = runai_node_labels(&f->config, f->arena, &two, "k80");
	cr_assert_eq(made.count, 3);
	cr_expect_str_eq(made.at[1].key, "run.ai/type");
	cr_expect(runai_group_holds(&f->config, b, RUNAI_BUILD, &made));
	cr_expect_eq(runai_node_labels(&f->config, f->arena, &k80, "v100").count, 1);
	cr_expect_eq(runai_node_labels(&f->config, f->arena, &two, NULL).count, 2);
	files_free(f);
}

/* Pools: by label; each with what is due there; elsewhere nothing but what the weight gives. */
Test(runai_read, pools)
{
	struct files *f = files_read(
		"node-pools:\n"
		"  - {name: big, label: {size: xl}, scheduler: {placementStrategy: {gpu: spread, cpu: binpack}}}\n"
		"  - {name: odd}\n"
		"scheduler: {kValue: 0.5}\n"
		"projects:\n"
		"  - {name: a, quota: 1, pools: {big: {quota: 4, limit: 6}}, pool-order: [big, default]}\n"
		"  - {name: b, quota: 1, over-quota: 2}\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_queue *a = queue_of(f, "a");
	cr_assert_eq(f->config.pool_count, 3);
	cr_expect_eq(runai_share_of(a, 0)->quota.at[KAI_GPUS], GPUS(1));
	cr_expect_eq(runai_share_of(a, 1)->quota.at[KAI_GPUS], GPUS(4));
	cr_expect_eq(runai_share_of(a, 1)->limit.at[KAI_GPUS], GPUS(6));
	cr_expect_eq(runai_share_of(a, 1)->weight[KAI_GPUS], 4);
	cr_expect_eq(runai_share_of(a, 2)->quota.at[KAI_GPUS], 0);
	cr_expect_eq(runai_share_of(a, 2)->weight[KAI_GPUS], 0);
	cr_expect_eq(runai_share_of(queue_of(f, "b"), 1)->weight[KAI_GPUS], 2);
	cr_expect_eq(runai_share_of(queue_of(f, "default"), 1)->quota.at[KAI_GPUS], GPUS(4));
	cr_assert_eq(a->order_count, 2);
	cr_expect(a->order[0] == 1 && a->order[1] == 0);
	struct sl_label label[] = { { "kai.scheduler/node-pool", "odd" }, { "size", "xl" } };
	const struct sl_labels both = { label, 2 };
	const struct sl_labels odd = { label, 1 };
	const struct sl_labels none = { label, 0 };
	cr_expect_eq(runai_pool_of(&f->config, &both), 1, "the first pool that it is of");
	cr_expect_eq(runai_pool_of(&f->config, &odd), 2);
	cr_expect_eq(runai_pool_of(&f->config, &none), 0);
	cr_expect_eq(f->config.pool[1].config.gpu_placement, KAI_SPREAD);
	cr_expect_eq(f->config.pool[1].config.action_count, 4, "no consolidation where GPUs are spread");
	cr_expect_eq(f->config.pool[1].config.k, 0.5);
	cr_expect_eq(f->config.pool[2].config.k, 0.5);
	cr_expect_eq(f->config.pool[2].config.gpu_placement, KAI_BINPACK);
	files_free(f);
}

/* ---- The scheduler's settings
 * ------------------------------------------------------------------------------- */

Test(runai_read, scheduler)
{
	struct files *f = files_read(
		"scheduler:\n"
		"  minRuntime: {preemptMinRuntime: 5m, reclaimMinRuntime: 1h}\n"
		"  queueDepthPerAction: {reclaim: 8}\n"
		"  scenarioSearchBudgets:\n"
		"    minFailedSearchBackoff: {default: 10s, preempt: 0s}\n"
		"    maxFailedSearchBackoff: {reclaim: 1m}\n"
		"  actions: {preempt: {priority: 450}, consolidation: {enabled: false}}\n"
		"  plugins:\n"
		"    elastic: {enabled: false}\n"
		"    proportion: {arguments: {kValue: \"2\", reclaimerUtilizationMultiplier: \"1.2\"}}\n"
		"    minruntime: {arguments: {reclaimResolveMethod: queue}}\n"
		"  args: {default-staleness-grace-period: -1s, max-consolidation-preemptees: \"4\",\n"
		"    use-scheduling-signatures: \"false\"}\n"
		"  usageDBConfig:\n"
		"    clientType: prometheus\n"
		"    usageParams: {halfLifePeriod: 10m, windowSize: 1w2d, windowType: tumbling,\n"
		"      tumblingWindowStartTime: 1970-01-02T00:00:00Z}\n"
		"projects: [{name: a, quota: 1}]\n",
		NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_pool *pool = &f->config.pool[0];
	const struct kai_config *config = &pool->config;
	cr_expect_eq(config->preempt_min, 300 * SL_SECOND);
	cr_expect_eq(config->reclaim_min, 3600 * SL_SECOND);
	cr_expect_eq(config->depth[KAI_RECLAIM], 8);
	static const int64_t least_s[KAI_SEARCHES] = { 10, 10, 0 }, most_s[KAI_SEARCHES] = { 0, 60, 0 };
	for (int i = 0; i < KAI_SEARCHES; i++) {
		cr_expect_eq(config->backoff_min[i], least_s[i] * SL_SECOND, "%d", i);
		cr_expect_eq(config->backoff_max[i], most_s[i] * SL_SECOND, "%d", i);
	}
	cr_assert_eq(config->action_count, 4);
	cr_expect(config->action[0] == KAI_ALLOCATE && config->action[1] == KAI_PREEMPT &&
		  config->action[2] == KAI_RECLAIM && config->action[3] == KAI_STALE);
	cr_expect_not(config->plugins & KAI_PLUGIN_ELASTIC);
	cr_expect(config->plugins & KAI_PLUGIN_PRIORITY);
	cr_expect_eq(config->k, 2);
	cr_expect_eq(config->saturation, 1.2);
	cr_expect(config->reclaim_by_queue);
	cr_expect_eq(config->staleness, -SL_SECOND);
	cr_expect_eq(config->consolidation_max, 4);
	cr_expect_not(config->signatures);
	cr_expect(pool->usage);
	cr_expect_eq(pool->usage_config.half_life, 600 * SL_SECOND);
	cr_expect_eq(pool->usage_config.window, 777600 * SL_SECOND);
	cr_expect_eq(pool->usage_config.kind, KAI_TUMBLING);
	cr_expect_eq(pool->usage_config.start, 86400 * SL_SECOND);
	files_free(f);
}

/* ---- KAI's and Run:AI's objects
 * ------------------------------------------------------------------------------ */

#define QUEUE(name, spec) \
	"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name "}\nspec:\n" spec

/* Thousandths of cpus, 10^6 bytes; what is not said is 0, and reported. */
Test(runai_read, kai_queue)
{
	static const char *const text[] = {
		QUEUE("top", "  resources:\n"
			     "    gpu: {quota: -1, limit: -1, overQuotaWeight: 1}\n"
			     "    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}\n"
			     "    memory: {quota: -1, limit: -1, overQuotaWeight: 1}\n"),
		QUEUE("a",
			"  parentQueue: top\n  displayName: Team A\n  priority: 150\n  preemptMinRuntime: 2m\n"
			"  resources:\n"
			"    gpu: {quota: 2.5, limit: 8, overQuotaWeight: 3}\n"
			"    cpu: {quota: 1500, limit: -1}\n"
			"    memory: {quota: 1000}\n"),
		QUEUE("b", "  parentQueue: gone\n"), NULL
	};
	struct files *f = files_read(NULL, text);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_queue *a = queue_of(f, "a");
	cr_expect_str_eq(parent_of(f, "a"), "top");
	cr_expect_str_eq(a->display, "Team A");
	cr_expect_eq(a->priority, 150);
	cr_expect_eq(a->preempt_min, 120 * SL_SECOND);
	cr_expect_eq(a->reclaim_min, SL_NONE);
	cr_expect_eq(a->share.quota.at[KAI_GPUS], GPUS(2.5));
	cr_expect_eq(a->share.limit.at[KAI_GPUS], GPUS(8));
	cr_expect_eq(a->share.weight[KAI_GPUS], 3);
	cr_expect_eq(a->share.quota.at[KAI_CPU], 1500);
	cr_expect_eq(a->share.limit.at[KAI_CPU], KAI_UNLIMITED);
	cr_expect_eq(a->share.weight[KAI_CPU], 0);
	cr_expect_eq(a->share.quota.at[KAI_MEM], 1000000000);
	cr_expect_eq(a->share.limit.at[KAI_MEM], 0, "KAI takes no limit for 0");
	cr_expect(has_note(f, "'a' has no limit of memory"));
	cr_expect(has_note(f, "'b' has no spec.resources"));
	cr_expect(queue_of(f, "b")->orphan && queue_of(f, "b")->parent == KAI_NO);
	cr_expect(has_note(f, "names the parent 'gone'"));
	cr_expect_eq(queue_of(f, "top")->share.quota.at[KAI_GPUS], KAI_UNLIMITED);
	files_free(f);
}

/* Ages by their dates, if all have one; a queue with a pool's label is of that pool alone. */
Test(runai_read, kai_shards)
{
	static const char *const text[] = {
		"apiVersion: kai.scheduler/v1\nkind: Config\nmetadata: {name: c}\n"
		"spec: {global: {nodePoolLabelKey: pool}}\n",
		"apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {name: gpu}\n"
		"spec: {partitionLabelValue: gpu-nodes, kValue: 3}\n",
		"apiVersion: scheduling.run.ai/v2\nkind: Queue\n"
		"metadata: {name: new, creationTimestamp: 2026-02-01T00:00:00Z, labels: {pool: gpu-nodes}}\n"
		"spec: {resources: {gpu: {quota: 2, limit: 2}, cpu: {limit: -1}, memory: {limit: -1}}}\n",
		"apiVersion: scheduling.run.ai/v2\nkind: Queue\n"
		"metadata: {name: old, creationTimestamp: 2026-01-01T00:00:00Z}\n"
		"spec: {resources: {gpu: {quota: 1, limit: -1}, cpu: {limit: -1}, memory: {limit: -1}}}\n",
		"apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: net}\n"
		"spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}\n",
		"apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: urgent}\nvalue: 90\n",
		NULL
	};
	struct files *f = files_read(NULL, text);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	cr_assert_eq(f->config.pool_count, 2);
	cr_expect_str_eq(f->config.pool[1].key, "pool");
	cr_expect_str_eq(f->config.pool[1].value, "gpu-nodes");
	cr_expect_eq(f->config.pool[1].config.k, 3);
	cr_expect_eq(f->config.pool[0].config.k, 1);
	const struct runai_queue *new = queue_of(f, "new");
	cr_expect_eq(runai_share_of(new, 1)->quota.at[KAI_GPUS], GPUS(2));
	cr_expect_eq(runai_share_of(new, 0)->limit.at[KAI_GPUS], 0);
	cr_expect(new->order_count == 1 && new->order[0] == 1);
	cr_expect(queue_of(f, "old")->created < new->created);
	cr_assert_eq(f->config.topology_count, 1);
	cr_expect_eq(f->config.topology[0].level_count, 2);
	cr_expect_str_eq(f->config.topology[0].level[1], "rack");
	cr_assert_eq(f->config.class_count, 1);
	cr_expect_eq(f->config.class[0].value, 90);
	files_free(f);
}

/* Fields of the definition that Run:AI's command line came with, and those of its API. */
Test(runai_read, run_ai)
{
	static const char *const text[] = {
		"apiVersion: run.ai/v1\nkind: Department\nmetadata: {name: research}\nspec: {deservedGpus: 12}\n",
		"apiVersion: run.ai/v1\nkind: Project\nmetadata: {name: a}\n"
		"spec: {department: research, deservedGpus: 1.5, interactiveJobTimeLimitSecs: 3600,\n"
		"  nodeAffinityInteractive: [k80], nodeAffinityTrain: [v100, a100]}\n",
		"apiVersion: run.ai/v1\nkind: Project\nmetadata: {name: b}\n"
		"spec:\n  resources: {gpu: {deserved: 2, maxAllowed: -1, overQuotaWeight: 4}, memory: {deserved: 1024}}\n"
		"  interactivePreemptibleJobMaxIdleDurationSecs: 60\n"
		"  nodePoolsResources: [{nodePool: {name: big}, gpu: {deserved: 3}}]\n",
		NULL
	};
	struct files *f = files_read(NULL, text);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	const struct runai_queue *a = queue_of(f, "a");
	const struct runai_queue *b = queue_of(f, "b");
	cr_expect_str_eq(parent_of(f, "a"), "research");
	cr_expect_str_eq(parent_of(f, "b"), "default");
	cr_expect_eq(queue_of(f, "research")->share.quota.at[KAI_GPUS], GPUS(12));
	cr_expect_eq(a->share.quota.at[KAI_GPUS], GPUS(1.5));
	cr_expect_eq(a->time_limit[RUNAI_BUILD], 3600 * SL_SECOND);
	cr_expect_eq(a->time_limit[RUNAI_TRAIN], SL_NONE);
	cr_expect_eq(a->group_count[RUNAI_BUILD_PREEMPTIBLE], 1);
	cr_expect_eq(a->group_count[RUNAI_TRAIN], 2);
	cr_expect_eq(a->group_count[RUNAI_INFERENCE], 0);
	cr_expect_eq(b->share.quota.at[KAI_GPUS], GPUS(2));
	cr_expect_eq(b->share.limit.at[KAI_GPUS], KAI_UNLIMITED);
	cr_expect_eq(b->share.weight[KAI_GPUS], 4);
	cr_expect_eq(b->share.quota.at[KAI_MEM], INT64_C(1) << 30, "memory in MiB");
	cr_expect_eq(b->idle_limit[RUNAI_BUILD_PREEMPTIBLE], 60 * SL_SECOND);
	cr_expect_eq(b->idle_limit[RUNAI_BUILD], SL_NONE);
	cr_expect_eq(runai_share_of(b, runai_find_pool(&f->config, "big"))->quota.at[KAI_GPUS], GPUS(3));
	files_free(f);
}

/* ---- The examples -------------------------------------------------------------------------------- */

/* Those of the manual are read, and come to what they say. */
Test(runai_read, examples)
{
	char *text = calloc(1, 1 << 16);
	FILE *file = fopen("docs/examples/runai/university.yaml", "rb");
	cr_assert(text && file);
	cr_assert_gt(fread(text, 1, (1 << 16) - 1, file), 0);
	(void)fclose(file);
	struct files *f = files_read(text, NULL);
	cr_assert_eq(f->err.status, SL_OK, "%s", f->err.text);
	cr_expect_eq(f->config.note_count, 0);
	cr_expect_eq(queue_of(f, "arts")->share.quota.at[KAI_GPUS], GPUS(4));
	cr_expect_eq(queue_of(f, "language")->share.weight[KAI_GPUS], 8);
	cr_expect_eq(queue_of(f, "vision")->time_limit[RUNAI_BUILD], 43200 * SL_SECOND);
	cr_expect_eq(queue_of(f, "course")->share.limit.at[KAI_GPUS], GPUS(1));
	cr_expect_eq(f->config.map_count, 1 + 2 + 1 + 2 + 1 + 1);
	cr_expect_eq(f->config.type_count, 3);
	files_free(f);
	free(text);
}

/* ---- Mistakes
 * ------------------------------------------------------------------------------------------------ */

/* Each names its place, and what to do. */
Test(runai_read, mistakes)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "projects: []\nquotas: 3\n", "p.yaml:2:1: unknown key 'quotas': write one of departments" },
		{ "departments: []\n", "p.yaml:1:1: there are no projects" },
		{ "projects:\n  - {quota: 3}\n", "p.yaml:2:5: 'name' is missing" },
		{ "projects:\n  - {name: a, quota: many}\n", "p.yaml:2:22: 'many' is not an amount of GPUs" },
		{ "projects:\n  - {name: a, quota: -2}\n", "p.yaml:2:22: '-2' is not an amount of GPUs" },
		{ "projects:\n  - {name: a, cpu: 1x}\n",
			"'1x' is not an amount of cpu: write one as 64 or 500m" },
		{ "projects:\n  - {name: a, qouta: 3}\n", "p.yaml:2:15: unknown key 'qouta'" },
		{ "projects:\n  - {name: a}\n  - {name: a}\n",
			"p.yaml:3:5: 'a' stands twice, first in p.yaml line 2" },
		{ "departments: [{name: a}]\nprojects: [{name: a}]\n", "'a' stands twice" },
		{ "projects: [{name: a, department: a}]\n", "'a' is its own parent" },
		{ "departments: [{name: a, parent: b}, {name: b, parent: a}]\nprojects: [{name: p}]\n",
			"is its own parent's parent" },
		{ "projects: [{name: a, pools: {x: {quota: 1}}}]\n", "the node pool 'x' is not there" },
		{ "projects: [{name: a, pool-order: [x]}]\n", "the node pool 'x' is not there" },
		{ "projects: [{name: a, gpu: 1, quota: 1}]\n", "'gpu' stands beside 'quota'" },
		{ "projects: [{name: a, over-quota: some}]\n", "'some' is not a number" },
		{ "projects: [{name: a, time-limit: 0}]\n", "a limit must be more than 0" },
		{ "projects: [{name: a, time-limit: soon}]\n", "'soon' is not a duration" },
		{ "projects: [{name: a, time-limit: {night: 1h}}]\n", "'night' is no type of workload" },
		{ "projects: [{name: a, types: [all]}]\n", "'all' is no type of workload" },
		{ "projects: [{name: a}]\nmap: {default: b}\n",
			"p.yaml:2:16: the default project 'b' is not there" },
		{ "projects: [{name: a}]\nmap: {rules: [{match: {user: x}, project: b}]}\n",
			"the project 'b' is not there" },
		{ "projects: [{name: a}]\nmap: {rules: [{match: {}, project: a}]}\n",
			"a rule without anything to match" },
		{ "projects: [{name: a}]\nmap: {by: colour}\n", "'colour' is none of none, account" },
		{ "projects: [{name: a}]\ntypes: {rules: [{match: {user: x}}]}\n", "'type' is missing" },
		{ "projects: [{name: a}]\nnode-pools: [{name: x}, {name: x}]\n",
			"the node pool 'x' is there twice" },
		{ "projects: [{name: a}]\nnode-pools: [{name: x, label: {a: b, c: d}}]\n",
			"one label of nodes" },
		{ "projects: [{name: a}]\nscheduler: {actions: {dream: {}}}\n", "'dream' is no action" },
		{ "projects: [{name: a}]\nscheduler: {kValue: -1}\n",
			"'-1' is not a number that is not negative" },
		{ "projects: 3\n", "p.yaml:1:11: a list or fields are wanted here, not '3'" },
		{ "- a\n", "fields are wanted here" },
		{ "text\n", "fields are wanted here" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct files *f = files_read(cases[i].text, NULL);
		cr_expect_eq(f->err.status, SL_INPUT, "case %zu: %s", i, cases[i].text);
		cr_expect(strstr(f->err.text, cases[i].says), "case %zu: %s", i, f->err.text);
		files_free(f);
	}
}
