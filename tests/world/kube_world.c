/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_world.c - small clusters of Kubernetes for tests.
 */
#include "tests/world/kube_world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"

static void read_objects(struct kube_test *test)
{
	test->doc.file = "objects.yaml";
	cr_assert_eq(sl_doc_read_yamls(&test->doc, test->objects, strlen(test->objects), &test->err), 0, "%s",
		test->err.text);
	SL_DOC_EACH (at, &test->doc, &test->doc.node[0]) {
		struct sl_object *object = &test->object[test->cluster.object_count++];
		const char *namespace = kube_text(&test->doc, at, "metadata.namespace");
		object->kind = kube_text(&test->doc, at, "kind");
		object->name = kube_text(&test->doc, at, "metadata.name");
		object->name = object->name ? object->name : "";
		object->namespace = namespace ? namespace : "";
		object->doc = &test->doc;
		object->node = at;
	}
}

/* As their objects say. */
static void label_nodes(struct kube_test *test)
{
	for (uint32_t i = 0; i < test->cluster.object_count; i++) {
		const struct sl_object *object = &test->object[i];
		const struct sl_doc_node *labels = sl_doc_at(object->doc, object->node, "metadata.labels");
		for (uint32_t node = 0; labels && node < test->nodes; node++)
			if (strcmp(object->kind, "Node") == 0 && strcmp(object->name, test->name[node]) == 0)
				cr_assert_eq(sl_doc_labels(test->arena, object->doc, labels,
						     &test->labels[node], &test->err),
					0);
	}
}

void kube_test_open(struct kube_test *test)
{
	struct sl_setup setup = { .jobs = &test->jobs, .cluster = &test->cluster, .seed = 1 };
	struct kube_options *options = &test->options;
	test->arena = sl_arena_new();
	setup.arena = test->arena;
	test->type.amount[SL_KIND_CPUS] = test->cpus;
	test->type.amount[SL_KIND_MEM] = test->gib << 10;
	for (uint32_t i = 0; i < test->nodes; i++) {
		char name[16];
		const int len = snprintf(name, sizeof(name), "n%u", i + 1);
		test->name[i] = sl_strdup(test->arena, name, (size_t)len);
		for (uint32_t at = 0; at < 2 && test->label[i][2 * at]; at++)
			test->pair[i][test->labels[i].count++] =
				(struct sl_label){ test->label[i][2 * at], test->label[i][2 * at + 1] };
		test->labels[i].at = test->pair[i];
	}
	test->cluster.node_count = test->nodes;
	test->cluster.type_count = 1;
	test->cluster.kind_count = SL_KIND_GPUS;
	test->cluster.type = &test->type;
	test->cluster.node_type = test->type_of;
	test->cluster.node_name = test->name;
	test->cluster.node_labels = test->labels;
	test->cluster.object = test->object;
	if (test->objects)
		read_objects(test);
	label_nodes(test);
	test->jobs.count = KUBE_JOBS;
	test->jobs.id = test->id;
	test->jobs.more_of = test->more_of;
	test->jobs.more = test->more;
	test->jobs.more_count = KUBE_JOBS + 1;
	options->permit_timeout = options->permit_timeout ? options->permit_timeout : 300 * SL_SECOND;
	options->tries = options->tries ? options->tries : 3;
	options->flush = options->flush ? options->flush : 300 * SL_SECOND;
	cr_assert_eq(kube_make(&test->k, &setup, options, &test->err), 0, "%s", test->err.text);
}

void kube_test_close(struct kube_test *test)
{
	kube_free(&test->k);
	sl_doc_release(&test->doc);
	sl_arena_free(test->arena);
}

sl_job kube_test_add(struct kube_test *test, sl_time now, const char *manifest)
{
	const uint32_t row = test->added++;
	test->id[row] = row + 1;
	test->more_of[row] = row + 1;
	test->more[row + 1].manifest = manifest;
	const struct sl_pods *pods = sl_pods_of(test->arena, &test->jobs, &test->cluster, row, &test->err);
	cr_assert(pods, "%s", test->err.text);
	kube_add(&test->k, now, (sl_job){ row }, pods, NULL);
	return (sl_job){ row };
}

sl_job kube_test_pod(struct kube_test *test, sl_time now, const char *labels, const char *spec)
{
	char text[2048];
	const int len = snprintf(text, sizeof(text),
		"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{%s}},\"spec\":{%s}}",
		labels, spec);
	return kube_test_add(test, now, sl_strdup(test->arena, text, (size_t)len));
}

sl_job kube_test_job(struct kube_test *test, sl_time now, int count, const char *labels, const char *spec)
{
	char text[2048];
	const int len = snprintf(text, sizeof(text),
		"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":%d,"
		"\"completions\":%d,\"template\":{\"metadata\":{\"labels\":{%s}},\"spec\":{%s}}}}",
		count, count, labels, spec);
	return kube_test_add(test, now, sl_strdup(test->arena, text, (size_t)len));
}

uint32_t kube_test_at(const struct kube_test *test, sl_job job, uint32_t pod)
{
	const uint32_t node = test->k.pod[test->k.job[job.row].first + pod].node;
	return node == KUBE_NO ? 0 : node + 1;
}
