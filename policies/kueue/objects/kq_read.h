/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read.h - the cluster's objects into struct kq: flavors, topologies, queues, cohorts, checks, nodes, and
 * the controller's configuration.
 *
 * Fields of v1beta1 and v1beta2 of kueue.x-k8s.io, whichever an object has; defaults are the API's. A failure
 * is kept in kq->err, at file:line:column.
 */
#ifndef SL_KUEUE_KQ_READ_H
#define SL_KUEUE_KQ_READ_H

#include "policies/kueue/objects/kq_doc.h"
#include "policies/kueue/rules/kq_assign.h"

/* A class of priority, by name: of workloads, or of pods. */
struct kq_class {
	const char *name;
	int64_t value;
	bool of_pods, is_default;
};
/* ProvisioningRequestConfig */
struct kq_retry {
	const char *name;
	int64_t limit;
	sl_time base, max;
	const char *class; /* provisioningClassName; NULL. */
	bool once;         /* parameters.noRetry: without capacity it fails. */
};

/* What of a device is charged, instead of one: a counter that it consumes, or a capacity, of those devices of
 * the driver that the expression selects. */
struct kq_source {
	bool capacity;
	const char *name, *driver, *expression;
	struct sl_at place; /* Of the expression. */
};
/* resources.deviceClassMappings: the resource that stands for these classes of devices. */
struct kq_mapping {
	uint32_t resource;
	const char **class;
	uint32_t count;
	struct kq_source *source; /* None: so many devices are so much. */
	uint32_t source_count;
};

struct kq_read {
	struct kq *kq;
	const struct sl_object *object;
	uint32_t object_count;
	struct kq_class *class;
	uint32_t class_count;
	struct kq_transforms transforms;
	struct kq_retry *retry;
	uint32_t retry_count;
	struct kq_mapping *mapping;
	uint32_t mapping_count;
	bool ignore_undeclared;
	uint32_t queues; /* ClusterQueues there are. */
	int64_t *sum;    /* By resource, of the pod that is being read. */
};

/* All of it, but kq_seal. */
int kq_read(struct kq_read *read, struct kq *kq, const struct sl_object *object, uint32_t count);

/* kq_read_queue.c, kq_read_config.c (with kq_read_mapping.c), kq_read_node.c: one object each. */
void kq_read_cluster_queue(struct kq_read *read, const struct sl_object *object);
void kq_read_cohort(struct kq_read *read, const struct sl_object *object);
void kq_read_config(struct kq_read *read, const struct sl_object *object);
void kq_read_mappings(struct kq_read *read, struct sl_at list);
void kq_read_node(struct kq_read *read, const struct sl_object *object);
void kq_read_pod(struct kq_read *read, const struct sl_object *object);

#endif
