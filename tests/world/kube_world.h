/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_world.h - small clusters of Kubernetes for tests: nodes n1, n2... of like size, objects from YAML,
 * and pods from manifests in JSON, one job each.
 */
#ifndef SL_TEST_KUBE_INSTANCE_H
#define SL_TEST_KUBE_INSTANCE_H

#include "policies/kube/kube.h"

enum { KUBE_JOBS = 600, KUBE_TEST_NODES = 128 };

struct kube_test {
	int64_t cpus, gib; /* Of a node. */
	uint32_t nodes;
	const char *label[KUBE_TEST_NODES][4]; /* By node: keys and values in turn, NULL. Sorted by key. */
	const char *objects;                   /* YAML documents, or NULL. */
	struct kube_options options;
	/* The rest is filled in. */
	struct sl_arena *arena;
	struct sl_cluster cluster;
	struct sl_node_type type;
	uint32_t type_of[KUBE_TEST_NODES];
	const char *name[KUBE_TEST_NODES];
	struct sl_labels labels[KUBE_TEST_NODES];
	struct sl_label pair[KUBE_TEST_NODES][2];
	struct sl_object object[160];
	struct sl_doc doc;
	struct sl_jobs jobs;
	int64_t id[KUBE_JOBS];
	uint32_t more_of[KUBE_JOBS];
	struct sl_job_attributes more[KUBE_JOBS + 1];
	uint32_t added;
	struct kube k;
	struct sl_err err;
};

/* Options not set are the defaults. */
void kube_test_open(struct kube_test *test);
void kube_test_close(struct kube_test *test);
/* A Pod (its metadata and spec in JSON, without braces outside): its job. */
sl_job kube_test_pod(struct kube_test *test, sl_time now, const char *labels, const char *spec);
/* A Job of so many pods. */
sl_job kube_test_job(struct kube_test *test, sl_time now, int count, const char *labels, const char *spec);
/* A job of that manifest, in JSON, which stays. */
sl_job kube_test_add(struct kube_test *test, sl_time now, const char *manifest);
/* The node's number, from 1, of a job's pod (from 0); 0: none. */
uint32_t kube_test_at(const struct kube_test *test, sl_job job, uint32_t pod);

/* Requests of one container. */
#define KUBE_ASKS(cpu, memory)                                                        \
	"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"" cpu \
	"\",\"memory\":\"" memory "\"}}}]"

#endif
