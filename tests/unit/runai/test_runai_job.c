/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_runai_job.c - a job's properties for policy runai: its project, its type and priority, its gang and
 * sub-groups, its shares of GPUs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policies/runai/runai_match.h"
#include "sim/base/base.h"

#define GPUS(n) ((int64_t)((n)*1000) * (KAI_GPU / 1000))

/* One job: a row of a table, and its manifest or none. */
struct one {
	struct sl_arena *arena;
	struct sl_doc projects, manifest;
	struct runai_config config;
	struct sl_job_attributes more[2];
	struct sl_request request;
	int32_t user, account, partition;
	uint32_t number, zero;
	sl_time limit;
	struct sl_jobs jobs;
	struct sl_pods pods;
	struct runai_job said;
	struct sl_err err;
};

static const char *const names[] = { "anna", "physics", "debug" };
static const char *const *const user_names = &names[0];
static const char *const *const account_names = &names[1];
static const char *const *const partition_names = &names[2];

/* NOLINTNEXTLINE(readability-function-size): asserts are long when they are written out. */
static struct one *one_new(const char *projects)
{
	struct one *o = calloc(1, sizeof(*o));
	cr_assert_not_null(o);
	o->arena = sl_arena_new();
	o->projects.file = "p.yaml";
	o->manifest.file = "m.yaml";
	cr_assert_eq(sl_doc_read_yaml(&o->projects, projects, strlen(projects), &o->err), SL_OK, "%s",
		o->err.text);
	cr_assert_eq(
		runai_read(&o->config, o->arena, &o->projects, NULL, 0, &o->err), SL_OK, "%s", o->err.text);
	o->more[1].priority = SL_NONE;
	o->number = 1;
	o->limit = SL_NONE;
	o->request.gpus = 2;
	o->jobs = (struct sl_jobs){ .count = 1,
		.user = &o->user,
		.account = &o->account,
		.partition = &o->partition,
		.user_name = user_names,
		.account_name = account_names,
		.partition_name = partition_names,
		.limit = &o->limit,
		.request = &o->zero,
		.requests = &o->request,
		.request_count = 1,
		.more_of = &o->number,
		.more = o->more,
		.more_count = 2 };
	return o;
}

/* NOLINTNEXTLINE(readability-function-size): as above. */
static int one_read(struct one *o, const char *manifest)
{
	const struct sl_pods *pods = NULL;
	if (manifest) {
		cr_assert_eq(sl_doc_read_yaml(&o->manifest, manifest, strlen(manifest), &o->err), SL_OK, "%s",
			o->err.text);
		cr_assert_eq(sl_pods_read(o->arena, &o->manifest, o->manifest.node, &o->pods, &o->err), SL_OK,
			"%s", o->err.text);
		o->pods.doc = &o->manifest;
		pods = &o->pods;
	}
	return runai_job_read(&o->config, o->arena, &o->jobs, 0, NULL, pods, &o->said, &o->err);
}

static void one_free(struct one *o)
{
	sl_doc_release(&o->projects);
	sl_doc_release(&o->manifest);
	runai_release(&o->config);
	sl_arena_free(o->arena);
	free(o);
}

#define PROJECTS "projects: [{name: a, quota: 1}, {name: b, quota: 1}, {name: physics, quota: 1}]\n"

/* ---- Whose
 * ---------------------------------------------------------------------------------------------------- */

/* Its queue, its namespace, a rule, a list, by, the default, none: the first that is there. */
Test(runai_job, beneficiary)
{
	static const struct {
		const char *file, *queue, *namespace;
		const char *is;
		enum runai_mapped how;
	} cases[] = {
		{ PROJECTS, NULL, NULL, NULL, RUNAI_MAPPED_NONE },
		{ PROJECTS, "b", NULL, "b", RUNAI_MAPPED_OWN },
		{ PROJECTS, NULL, "runai-a", "a", RUNAI_MAPPED_OWN },
		{ PROJECTS, NULL, "a", "a", RUNAI_MAPPED_OWN },
		{ PROJECTS "map: {default: b}\n", "gone", "else", "b", RUNAI_MAPPED_DEFAULT },
		{ PROJECTS "map: {by: account, default: b}\n", NULL, NULL, "physics", RUNAI_MAPPED_BY },
		{ PROJECTS "map: {by: user, default: b}\n", NULL, NULL, "b", RUNAI_MAPPED_DEFAULT },
		{ PROJECTS "map: {by: account, rules: [{match: {user: an*}, project: a}]}\n", NULL, NULL, "a",
			RUNAI_MAPPED_RULE },
		{ PROJECTS "map: {by: account, rules: [{match: {user: an*, partition: x}, project: a}]}\n",
			NULL, NULL, "physics", RUNAI_MAPPED_BY },
		{ "projects: [{name: a, quota: 1, users: [ben, anna]}, {name: b, quota: 1, partitions: debug}]\n",
			NULL, NULL, "a", RUNAI_MAPPED_RULE },
		{ "projects: [{name: a, quota: 1, partitions: [d*]}, {name: b, quota: 1, users: anna}]\n",
			NULL, NULL, "a", RUNAI_MAPPED_RULE },
		{ "projects: [{name: b, quota: 1, users: anna}, {name: a, quota: 1, partitions: [d*]}]\n",
			NULL, NULL, "b", RUNAI_MAPPED_RULE },
		{ "projects: [{name: b, quota: 1, users: debug}, {name: a, quota: 1, users: [anna, anna]}]\n",
			NULL, NULL, "a", RUNAI_MAPPED_RULE },
		{ "projects: [{name: a, quota: 1, accounts: [physics]}]\n", NULL, NULL, "a",
			RUNAI_MAPPED_RULE },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct one *o = one_new(cases[i].file);
		o->more[1].queue = cases[i].queue;
		o->more[1].namespace = cases[i].namespace;
		cr_expect_eq(one_read(o, NULL), SL_OK, "case %zu: %s", i, o->err.text);
		cr_expect_eq(
			o->said.mapped, cases[i].how, "case %zu: %s", i, runai_mapped_name(o->said.mapped));
		const char *is = o->said.queue == KAI_NO ? NULL : o->config.queue[o->said.queue].name;
		cr_expect((!is && !cases[i].is) || (is && cases[i].is && strcmp(is, cases[i].is) == 0),
			"case %zu: %s", i, is ? is : "none");
		one_free(o);
	}
}

/* A department takes no jobs. */
Test(runai_job, no_department)
{
	struct one *o = one_new("departments: [{name: d}]\nprojects: [{name: a, department: d, quota: 1}]\n"
				"map: {rules: [{match: {user: anna}, project: d}], default: a}\n");
	cr_expect_eq(one_read(o, NULL), SL_OK);
	cr_expect_eq(o->said.mapped, RUNAI_MAPPED_DEFAULT);
	one_free(o);
}

/* '*' is any text, also none; '?' one letter. */
Test(runai_job, patterns)
{
	static const struct {
		const char *pattern, *text;
		bool holds;
	} cases[] = { { "a", "a", true }, { "a", "ab", false }, { "a*", "a", true }, { "*b", "aab", true },
		{ "*ab*c", "xaabxc", true }, { "a?c", "abc", true }, { "a?", "a", false }, { "", "", true },
		{ "*", "", true }, { "*a*a*", "aba", true }, { "*a*a*", "ab", false }, { "**", "x", true } };
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(runai_pattern(cases[i].pattern, cases[i].text), cases[i].holds, "%s of %s",
			cases[i].pattern, cases[i].text);
}

/* ---- Of what type
 * ---------------------------------------------------------------------------------------------- */

/* Rules look at GPUs and time limits too; a job without a limit is longer than any. */
Test(runai_job, types)
{
	static const char rules[] =
		PROJECTS "types:\n  default: build\n  rules:\n"
			 "  - {match: {partition: debug, limit: {max: 1h}}, type: build-preemptible}\n"
			 "  - {match: {gpus: {min: 4}}, type: train, priority: 60, preemptible: false}\n"
			 "  - {match: {gpus: 2, qos: high}, type: inference}\n";
	static const struct {
		int64_t gpus;
		sl_time limit;
		const char *qos;
		int64_t priority;
		enum runai_type type;
		bool preemptible;
	} cases[] = {
		{ 2, SL_NONE, NULL, 100, RUNAI_BUILD, false },
		{ 2, 1800 * SL_SECOND, NULL, 75, RUNAI_BUILD_PREEMPTIBLE, true },
		{ 2, 7200 * SL_SECOND, "high", 125, RUNAI_INFERENCE, false },
		{ 8, SL_NONE, "high", 60, RUNAI_TRAIN, false },
		{ 8, SL_NONE, "train", 50, RUNAI_TRAIN, true },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct one *o = one_new(rules);
		o->request.gpus = cases[i].gpus;
		o->limit = cases[i].limit;
		o->more[1].qos = cases[i].qos;
		cr_expect_eq(one_read(o, NULL), SL_OK);
		cr_expect_eq(o->said.type, cases[i].type, "case %zu: %s", i, runai_type_name(o->said.type));
		cr_expect_eq(o->said.priority, cases[i].priority, "case %zu", i);
		cr_expect_eq(o->said.preemptible, cases[i].preemptible, "case %zu", i);
		one_free(o);
	}
}

/* A project says which types it takes. */
Test(runai_job, allowed)
{
	struct one *o = one_new(
		"projects: [{name: a, quota: 1, types: [train]}]\nmap: {default: a}\ntypes: {default: build}\n");
	cr_expect_eq(one_read(o, NULL), SL_OK);
	cr_expect_not(o->said.allowed);
	o->config.type_default = RUNAI_TRAIN;
	cr_expect_eq(one_read(o, NULL), SL_OK);
	cr_expect(o->said.allowed);
	one_free(o);
}

/* ---- Manifests
 * ------------------------------------------------------------------------------------------------- */

#define POD(annotations)                                   \
	"template: {metadata: {annotations: {" annotations \
	"}}, spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}"

/* A Job's pods start one by one; with the annotation so many together; labels say queue, class and more. */
Test(runai_job, manifest_job)
{
	struct one *o = one_new(PROJECTS "priorities: {urgent: 80}\n");
	cr_expect_eq(
		one_read(o,
			"kind: Job\nmetadata:\n  name: j\n  annotations: {kai.scheduler/batch-min-member: \"2\","
			" kai.scheduler/topology: net, kai.scheduler/topology-required-placement: rack,"
			" kai.scheduler/preemption-delay: 5m, kai.scheduler/staleness-grace-period: -1s}\n"
			"  labels: {kai.scheduler/queue: b, priorityClassName: urgent,"
			" kai.scheduler/preemptibility: non-preemptible, user: eve}\n"
			"spec: {parallelism: 6, " POD("") "}\n"),
		SL_OK, "%s", o->err.text);
	cr_expect_str_eq(o->said.queue_name, "b");
	cr_expect_eq(o->said.mapped, RUNAI_MAPPED_OWN);
	cr_expect_eq(o->said.priority, 80);
	cr_expect_eq(o->said.type, RUNAI_BUILD_PREEMPTIBLE, "the type whose priority is next below");
	cr_expect_not(o->said.preemptible);
	cr_expect(o->said.gang && o->said.min == 2);
	cr_expect_str_eq(o->said.topology, "net");
	cr_expect_str_eq(o->said.required, "rack");
	cr_expect_null(o->said.preferred);
	cr_expect_eq(o->said.delay, 300 * SL_SECOND);
	cr_expect_eq(o->said.grace, -SL_SECOND);
	cr_expect_str_eq(o->said.user, "eve");
	one_free(o);
	o = one_new(PROJECTS);
	cr_expect_eq(
		one_read(o, "kind: Job\nmetadata: {name: j}\nspec: {parallelism: 6, " POD("") "}\n"), SL_OK);
	cr_expect(!o->said.gang && o->said.min == 1);
	cr_expect(
		o->said.preemptible && o->said.priority == 50 && o->said.grace == SL_NONE && !o->said.delay);
	one_free(o);
}

/* A queue that is asked for and not there keeps it waiting, whatever the rules say. */
Test(runai_job, no_such_queue)
{
	struct one *o = one_new(PROJECTS "map: {default: a}\n");
	cr_expect_eq(
		one_read(
			o, "kind: Job\nmetadata: {name: j, labels: {kai.scheduler/queue: gone}}\nspec: {" POD(
				   "") "}\n"),
		SL_OK);
	cr_expect_eq(o->said.queue, KAI_NO);
	cr_expect_str_eq(o->said.queue_name, "gone");
	one_free(o);
}

/* A PodGroup: its queue and class hold; sub-groups with their pods by label. */
Test(runai_job, pod_group)
{
	struct one *o = one_new(PROJECTS);
	cr_expect_eq(
		one_read(o,
			"kind: Workload\nmetadata: {name: g, labels: {kai.scheduler/queue: a}}\nspec:\n  podSets:\n"
			"  - {name: r1, count: 1, template: {metadata: {labels: {kai.scheduler/subgroup-name: l}},"
			" spec: {containers: []}}}\n"
			"  - {name: r2, count: 3, template: {metadata: {labels: {kai.scheduler/subgroup-name: w}},"
			" spec: {containers: []}}}\n"
			"  - {name: r3, count: 3, template: {spec: {containers: []}}}\n"
			"schedlab/podGroup:\n  spec:\n    queue: b\n    priorityClassName: inference\n"
			"    preemptibility: preemptible\n"
			"    minSubGroup: 1\n    subGroups:\n"
			"    - {name: top}\n"
			"    - {name: l, parent: top, minMember: 1}\n"
			"    - {name: w, parent: top, minMember: 2, topologyConstraint:"
			" {topology: net, preferredTopologyLevel: rack}}\n"),
		SL_OK, "%s", o->err.text);
	cr_expect_str_eq(o->said.queue_name, "b");
	cr_expect(o->said.priority == 125 && o->said.preemptible);
	cr_assert_eq(o->said.group_count, 3);
	cr_expect_eq(o->said.min, 1);
	const struct runai_group *group = o->said.group;
	cr_expect(!group[0].leaf && group[0].min == KAI_NO && group[0].parent == KAI_NO);
	cr_expect(group[1].leaf && group[1].min == 1 && group[1].parent == 0);
	cr_expect(group[2].leaf && group[2].min == 2);
	cr_expect_str_eq(group[2].topology, "net");
	cr_expect_str_eq(group[2].preferred, "rack");
	cr_expect(o->said.group_of[0] == 1 && o->said.group_of[1] == 2 && o->said.group_of[2] == KAI_NO);
	one_free(o);
}

/* A table's job is a gang of all its tasks, or of the least that it says. */
Test(runai_job, gang)
{
	struct one *o = one_new(PROJECTS);
	struct sl_podset podset = { .name = "main", .count = 4, .priority = SL_NONE };
	const struct sl_pods pods = { .kind = "", .podset = &podset, .count = 1 };
	cr_expect_eq(
		runai_job_read(&o->config, o->arena, &o->jobs, 0, NULL, &pods, &o->said, &o->err), SL_OK);
	cr_expect(o->said.gang && o->said.min == KAI_NO);
	podset.min_count = 3;
	cr_expect_eq(
		runai_job_read(&o->config, o->arena, &o->jobs, 0, NULL, &pods, &o->said, &o->err), SL_OK);
	cr_expect(o->said.gang && o->said.min == 3);
	one_free(o);
}

/* Node pools by label, or by the list of Run:AI's workloads. */
Test(runai_job, pools)
{
	struct one *o = one_new(
		"node-pools: [{name: x}, {name: y, label: {kai.scheduler/node-pool: why}}]\n" PROJECTS);
	cr_expect_eq(
		one_read(o,
			"kind: Job\nmetadata: {name: j, labels: {kai.scheduler/node-pool: why}}\nspec: {" POD(
				"") "}\n"),
		SL_OK);
	cr_assert_eq(o->said.pool_count, 1);
	cr_expect_eq(o->said.pool[0], 2);
	one_free(o);
	o = one_new("node-pools: [{name: x}, {name: y}]\n" PROJECTS);
	cr_expect_eq(one_read(o, "kind: Job\nmetadata: {name: j}\nspec: {" POD(
					 "schedlab/node-pools: \"y, default gone x\"") "}\n"),
		SL_OK);
	cr_assert_eq(o->said.pool_count, 3);
	cr_expect(o->said.pool[0] == 2 && o->said.pool[1] == 0 && o->said.pool[2] == 1);
	one_free(o);
}

Test(runai_job, mistakes)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "kind: Job\nmetadata: {name: j, annotations: {kai.scheduler/batch-min-member: some}}\nspec: {" POD(
			  "") "}\n",
			"kai.scheduler/batch-min-member is 'some'" },
		{ "kind: Job\nmetadata: {name: j, labels: {kai.scheduler/preemptibility: perhaps}}\nspec: {" POD(
			  "") "}\n",
			"kai.scheduler/preemptibility is 'perhaps'" },
		{ "kind: Job\nmetadata: {name: j, annotations: {kai.scheduler/preemption-delay: soon}}\nspec: {" POD(
			  "") "}\n",
			"kai.scheduler/preemption-delay is 'soon'" },
		{ "kind: Workload\nmetadata: {name: g}\nspec: {podSets: []}\n"
		  "schedlab/podGroup: {spec: {subGroups: [{name: a, parent: b}]}}\n",
			"a sub-group's parent is 'b'" },
		{ "kind: Workload\nmetadata: {name: g}\nspec: {podSets: []}\n"
		  "schedlab/podGroup: {spec: {subGroups: [{name: a}, {name: a}]}}\n",
			"it stands twice" },
		{ "kind: Workload\nmetadata: {name: g}\nspec: {podSets: []}\nschedlab/podGroup: {spec: {minMember: 0}}\n",
			"minMember is '0'" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct one *o = one_new(PROJECTS);
		cr_expect_eq(one_read(o, cases[i].text), SL_INPUT, "case %zu", i);
		cr_expect(strstr(o->err.text, cases[i].says), "case %zu: %s", i, o->err.text);
		one_free(o);
	}
}

/* ---- Shares of GPUs
 * ------------------------------------------------------------------------------------------- */

Test(runai_job, gpus)
{
	static const struct {
		const char *fraction, *memory, *devices;
		int64_t whole;
		int status;
		struct runai_gpus is;
	} cases[] = {
		{ NULL, NULL, NULL, 0, SL_OK, { KAI_NO_GPU, 1, 0, 0 } },
		{ NULL, NULL, NULL, 3, SL_OK, { KAI_WHOLE, 3, 0, 0 } },
		{ "0.5", NULL, NULL, 0, SL_OK, { KAI_FRACTION, 1, GPUS(0.5), 0 } },
		{ "0.25", NULL, "2", 0, SL_OK, { KAI_FRACTION, 2, GPUS(0.25), 0 } },
		{ "1", NULL, "2", 0, SL_OK, { KAI_WHOLE, 2, 0, 0 } },
		{ NULL, "2000", NULL, 0, SL_OK, { KAI_MEMORY, 1, 0, 2000 } },
		{ "1.5", NULL, NULL, 0, SL_INPUT, { 0 } },
		{ "0", NULL, NULL, 0, SL_INPUT, { 0 } },
		{ NULL, "2Gi", NULL, 0, SL_INPUT, { 0 } },
		{ "0.5", NULL, "65", 0, SL_INPUT, { 0 } },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_label label[3];
		struct sl_amount amount = { "nvidia.com/gpu", cases[i].whole };
		struct sl_podset podset = { .annotations = { label, 0 }, .request = { &amount, 1 } };
		struct runai_gpus gpus;
		struct sl_err err = { 0 };
		if (cases[i].fraction)
			label[podset.annotations.count++] =
				(struct sl_label){ "gpu-fraction", cases[i].fraction };
		if (cases[i].memory)
			label[podset.annotations.count++] =
				(struct sl_label){ "gpu-memory", cases[i].memory };
		if (cases[i].devices)
			label[podset.annotations.count++] =
				(struct sl_label){ "gpu-fraction-num-devices", cases[i].devices };
		cr_expect_eq(runai_gpus_read(&podset, &gpus, NULL, &err), cases[i].status, "case %zu", i);
		if (cases[i].status)
			continue;
		cr_expect(gpus.kind == cases[i].is.kind && gpus.gpus == cases[i].is.gpus, "case %zu", i);
		cr_expect(gpus.fraction == cases[i].is.fraction && gpus.memory == cases[i].is.memory,
			"case %zu", i);
	}
}
