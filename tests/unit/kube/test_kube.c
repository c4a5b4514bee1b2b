/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube.c - manifests as a cluster and as a trace: objects, labels, what jobs say, coverage of fields.
 *
 * Small clusters worked by hand; the manual's tables against those of the program.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"
#include "traces/kube/kube_fields.h"

static int load(struct scenario *scenario, const char *cluster, const char *trace, struct sl_err *err)
{
	char path[2][32];
	const struct scenario_options options = { .registry = builtin_registry(),
		.cluster = memfile(path[0], cluster, strlen(cluster)),
		.trace = memfile(path[1], trace, strlen(trace)) };
	*err = (struct sl_err){ 0 };
	return scenario_load(scenario, &options, err);
}

static const char nodes[] =
	"apiVersion: v1\n"
	"kind: Node\n"
	"metadata: { name: a.b-1, labels: { zone: z1, nvidia.com/gpu.product: a100 } }\n"
	"status: { allocatable: { cpu: 8, memory: 1025Mi, nvidia.com/gpu: 2 } }\n"
	"---\n"
	"# A comment alone.\n"
	"---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\n"
	"kind: ResourceFlavor\n"
	"metadata: { name: big }\n"
	"spec: { nodeLabels: { pool: a100 } }\n"
	"---\n"
	"apiVersion: v1\n"
	"kind: Node\n"
	"metadata: { name: down }\n"
	"status: { allocatable: { cpu: 4 }, conditions: [ { type: Ready, status: Unknown } ] }\n";

static const char jobs[] =
	"apiVersion: v1\n"
	"kind: PodList\n"
	"items:\n"
	"- apiVersion: v1\n"
	"  kind: Pod\n"
	"  metadata:\n"
	"    name: second\n"
	"    namespace: x\n"
	"    labels: { kueue.x-k8s.io/queue-name: q }\n"
	"    annotations: { schedlab/submit: 1m, schedlab/run-time: '90', schedlab/cancel: '30',\n"
	"      schedlab/user: eve }\n"
	"  spec: { containers: [ { resources: { requests: { cpu: 1500m, memory: 1 } } } ] }\n"
	"- apiVersion: v1\n"
	"  kind: Pod\n"
	"  metadata: { name: first, annotations: { schedlab/submit: 0, schedlab/run-time: 5 } }\n"
	"  spec: { containers: [ { resources: { limits: { cpu: 2, nvidia.com/gpu: 1 } } } ] }\n";

Test(kube, a_cluster_and_a_trace)
{
	struct scenario s;
	struct sl_err err;
	cr_assert_eq(load(&s, nodes, jobs, &err), SL_OK, "%s", err.text);
	cr_assert_eq(s.cluster.node_count, 2);
	cr_expect_eq(s.cluster.mem, 0, "some node names no memory");
	cr_expect_eq(s.cluster.gpus, 2);
	cr_expect_str_eq(s.cluster.kind_name[SL_KIND_GPUS], "a100");
	cr_assert_eq(s.cluster.object_count, 3);
	cr_expect_str_eq(s.cluster.object[1].kind, "ResourceFlavor");
	cr_expect_str_eq(s.cluster.object[1].version, "kueue.x-k8s.io/v1beta2");
	cr_expect_str_eq(sl_label_of(&s.cluster.node_labels[0], "zone"), "z1");
	cr_expect_eq(s.cluster.node_labels[1].count, 0);
	const struct sl_hardware *down = s.cluster.type[s.cluster.node_type[1]].hardware;
	cr_expect_eq(down->state, SL_NODE_DOWN);
	cr_assert_eq(s.jobs.count, 2);
	cr_expect_str_eq(s.jobs.id_name[0], "first");
	cr_expect_str_eq(s.jobs.id_name[1], "x/second");
	cr_expect_eq(s.jobs.submit[1], 60 * SL_SECOND);
	cr_expect_eq(s.jobs.run[1], 90 * SL_SECOND);
	cr_expect_eq(s.jobs.cancel[1], 90 * SL_SECOND);
	cr_expect_str_eq(s.jobs.user_name[s.jobs.user[1]], "eve");
	const struct sl_job_attributes *more = &s.jobs.more[s.jobs.more_of[1]];
	cr_expect_str_eq(more->namespace, "x");
	cr_expect_str_eq(more->queue, "q");
	cr_expect_eq(more->priority, SL_NONE);
	const struct sl_group *group = s.jobs.requests[s.jobs.request[1]].group;
	cr_expect_eq(group->task.cpus * (1000 / sl_parts(s.cluster.cpu_parts)), 1500);
	cr_expect_eq(group->task.mem, 1, "a byte is rounded up");
	scenario_release(&s);
}

Test(kube, pods_of_a_manifest_and_of_groups)
{
	static const char table[] =
		"job_id,submit,run_time,tasks,cpus_per_task,mem_per_task,gpus_per_task,gpu_type\n"
		"1,0,10,2,0.5,1,1,a100\n";
	struct scenario s;
	struct sl_err err;
	struct sl_arena *arena = sl_arena_new();
	cr_assert_eq(load(&s, nodes, jobs, &err), SL_OK, "%s", err.text);
	const struct sl_pods *pods = sl_pods_of(arena, &s.jobs, &s.cluster, 1, &err);
	cr_assert_not_null(pods, "%s", err.text);
	cr_expect_str_eq(pods->kind, "Pod");
	cr_expect_eq(pods->podset[0].request.at[0].amount, 1500);
	cr_expect_eq(pods->podset[0].request.at[1].amount, 1);
	scenario_release(&s);
	cr_assert_eq(load(&s, nodes, table, &err), SL_OK, "%s", err.text);
	pods = sl_pods_of(arena, &s.jobs, &s.cluster, 0, &err);
	cr_assert_not_null(pods, "%s", err.text);
	cr_expect_str_eq(pods->kind, "");
	cr_assert_eq(pods->count, 1);
	cr_expect_eq(pods->podset[0].count, 2);
	cr_assert_eq(pods->podset[0].request.count, 3);
	cr_expect_eq(pods->podset[0].request.at[0].amount, 500);
	cr_expect_eq(pods->podset[0].request.at[1].amount, INT64_C(1) << 20);
	cr_expect_str_eq(pods->podset[0].request.at[2].resource, "nvidia.com/gpu");
	cr_expect_str_eq(sl_label_of(&pods->podset[0].node_selector, "pool"), "a100", "the flavor's label");
	scenario_release(&s);
	sl_arena_free(arena);
}

/* 9 + 3 cpus; memory of one of them alone; more GPUs than there can be. */
Test(kube, one_node_stands_for_all_quotas)
{
	static const char quotas[] =
		"apiVersion: kueue.x-k8s.io/v1beta2\n"
		"kind: ClusterQueue\n"
		"metadata: { name: a }\n"
		"spec: { resourceGroups: [ { flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 9 },\n"
		"  { name: nvidia.com/gpu, nominalQuota: 1Ei } ] } ] } ] }\n"
		"---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\n"
		"kind: Cohort\n"
		"metadata: { name: b }\n"
		"spec: { resourceGroups: [ { flavors: [ { name: f, resources: [ { name: cpu, nominalQuota: 2500m },\n"
		"  { name: memory, nominalQuota: 2Gi } ] } ] } ] }\n";
	struct scenario s;
	struct sl_err err;
	cr_assert_eq(load(&s, quotas, jobs, &err), SL_OK, "%s", err.text);
	cr_assert_eq(s.cluster.node_count, 1);
	cr_expect_str_eq(s.cluster.node_name[0], "quota");
	cr_expect_eq(s.cluster.cpus / sl_parts(s.cluster.cpu_parts), 12);
	cr_expect_eq(s.cluster.mem, 2048);
	cr_expect_eq(s.cluster.gpus / sl_parts(s.cluster.gpu_parts), 100000);
	scenario_release(&s);
}

/* The Workload of a Job of the file is not a job, nor a DaemonSet's pod; groups are. */
Test(kube, who_owns_whom)
{
	static const char trace[] =
		"apiVersion: batch/v1\n"
		"kind: Job\n"
		"metadata: { name: j, namespace: a, creationTimestamp: '2026-01-05T10:00:00Z' }\n"
		"spec: { template: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } } }\n"
		"status: { startTime: '2026-01-05T10:00:20Z',\n"
		"  conditions: [ { type: Failed, status: 'True', lastTransitionTime: '2026-01-05T10:01:00Z' } ] }\n"
		"---\n"
		"apiVersion: kueue.x-k8s.io/v1beta2\n"
		"kind: Workload\n"
		"metadata: { name: w, namespace: a, creationTimestamp: '2026-01-05T10:00:00Z',\n"
		"  ownerReferences: [ { kind: Job, name: j } ] }\n"
		"---\n"
		"apiVersion: v1\n"
		"kind: Pod\n"
		"metadata: { name: p, namespace: a, creationTimestamp: '2026-01-05T10:00:00Z',\n"
		"  ownerReferences: [ { kind: DaemonSet, name: d } ] }\n"
		"---\n"
		"apiVersion: leaderworkerset.x-k8s.io/v1\n"
		"kind: LeaderWorkerSet\n"
		"metadata: { name: l, namespace: a, creationTimestamp: '2026-01-05T09:59:00Z',\n"
		"  annotations: { schedlab/run-time: 1m } }\n"
		"spec: { replicas: 2, leaderWorkerTemplate: { size: 2,\n"
		"  workerTemplate: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } } } }\n";
	struct scenario s;
	struct sl_err err;
	cr_assert_eq(load(&s, nodes, trace, &err), SL_OK, "%s", err.text);
	cr_assert_eq(s.jobs.count, 3);
	cr_expect_str_eq(s.jobs.id_name[0], "a/l-0");
	cr_expect_str_eq(s.jobs.id_name[1], "a/l-1");
	cr_expect_str_eq(s.jobs.id_name[2], "a/j");
	cr_expect_eq(s.jobs.submit[2], 60 * SL_SECOND, "zero is the first date");
	cr_expect_eq(s.jobs.run[2], 40 * SL_SECOND);
	cr_expect_eq(s.jobs.wait_recorded[2], 20 * SL_SECOND);
	cr_expect_eq(s.jobs.more[s.jobs.more_of[2]].start_recorded, 80 * SL_SECOND);
	scenario_release(&s);
}

/* ---- Fields ------------------------------------------------------------------------------------------ */

Test(kube, fields_by_their_paths)
{
	static const struct {
		const char *kind, *path;
		enum sl_coverage coverage;
	} cases[] = {
		{ "ClusterQueue", "spec.cohort", SL_MODELLED },
		{ "ClusterQueue", "metadata.labels.x", SL_MODELLED },
		{ "ClusterQueue", "metadata.managedFields.x", SL_IGNORED },
		{ "Job", "spec.template.spec.containers.resources.requests.cpu", SL_MODELLED },
		{ "Job", "spec.template.spec.containers.command", SL_IGNORED },
		{ "Job", "status.startTime", SL_MODELLED },
		{ "Job", "status.active", SL_IGNORED },
		{ "Pod", "spec.nodeName", SL_MODELLED },
		{ "JobSet", "spec.replicatedJobs.template.spec.template.spec.nodeSelector.a", SL_MODELLED },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct kube_kind *kind = kube_kind_of(cases[i].kind);
		cr_assert_not_null(kind);
		const struct kube_field *field = kube_field_of(kind, cases[i].path);
		cr_assert_not_null(field, "%s", cases[i].path);
		cr_expect_eq(field->coverage, cases[i].coverage, "%s", cases[i].path);
	}
	cr_expect_null(kube_field_of(kube_kind_of("ClusterQueue"), "spec.colour"));
	cr_expect_null(kube_kind_of("Sandwich"));
}

static void put_fields(FILE *out, const struct kube_field *field, size_t count)
{
	static const char *const words[] = { "modelled", "approximated", "ignored" };
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, ".It Ql %s\n%s%s%s\n", field[i].path, words[field[i].coverage],
			field[i].note ? ": " : "", field[i].note ? field[i].note : "");
}

/* Line by line. */
Test(kube, the_manual_has_all_fields)
{
	char *want = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&want, &len);
	cr_assert_not_null(out);
	put_fields(out, kube_pod_fields, kube_pod_count);
	size_t kinds = 0;
	for (const struct kube_kind *kind = kube_kind_at(0); kind; kind = kube_kind_at(++kinds)) {
		(void)fprintf(out, ".Ss %s (%s)\n.Bl -tag -width Ds -compact\n", kind->kind, kind->version);
		put_fields(out, kind->field, kind->count);
		(void)fputs(".El\n", out);
	}
	cr_assert_eq(fclose(out), 0);
	FILE *file = fopen("docs/man/schedlab-kubernetes.5", "rb");
	cr_assert_not_null(file);
	char *page = calloc(1, 1 << 18);
	cr_assert_not_null(page);
	const size_t read = fread(page, 1, (1 << 18) - 1, file);
	(void)fclose(file);
	page[read] = '\0';
	for (char *part = want, *next; part && *part; part = next) {
		next = strchr(part, '\n');
		if (next)
			*next++ = '\0';
		cr_expect_not_null(strstr(page, part), "the page lacks '%s'", part);
	}
	free(page);
	free(want);
}
