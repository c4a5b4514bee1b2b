/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_generator.h - a generator file of Kueue's scheduler performance test, as it is read.
 *
 * https://github.com/kubernetes-sigs/kueue/tree/main/test/performance/scheduler: sets of cohorts, of queues
 * in each, of workloads in each queue; perhaps a topology of nodes.
 */
#ifndef SL_KUBE_GENERATOR_H
#define SL_KUBE_GENERATOR_H

#include "traces/kube/manifests.h"

enum { GEN_LEVELS_MAX = 8, GEN_NODES_MAX = 200000, GEN_QUEUES_MAX = 100000, GEN_JOBS_MAX = 10000000 };

struct gen_workload {
	const char *class, *request, *constraint, *level;
	int64_t run_ms, priority, pods, slice;
};
struct gen_workloads {
	int64_t count, interval_ms;
	struct gen_workload *workload;
	uint32_t workload_count;
};
struct gen_queues {
	const char *class, *nominal, *borrowing, *reclaim, *within;
	int64_t count;
	struct gen_workloads *set;
	uint32_t set_count;
};
struct gen_cohorts {
	const char *class;
	int64_t count;
	struct gen_queues *set;
	uint32_t set_count;
};
struct gen_level {
	const char *name, *label;
	int64_t count;
};
struct gen {
	const char *topology; /* NULL: there is none. */
	struct gen_level level[GEN_LEVELS_MAX];
	uint32_t level_count;
	const char *node_cpu, *node_memory;
	const char *flavor, *flavor_label, *flavor_topology;
	struct gen_cohorts *cohorts;
	uint32_t cohorts_count;
};

/* The document outlives what was read of it. */
int gen_read(struct sl_arena *arena, const struct sl_doc *doc, struct gen *gen, struct sl_err *err);
int gen_file(struct sl_input *in, struct sl_doc *doc, struct sl_err *err);

/* The name of a queue, which is that of its namespace and LocalQueue too. */
enum { GEN_NAME_CAPACITY = 256 };
void gen_queue_name(const struct gen_cohorts *cohorts, int64_t cohort, uint32_t set, int64_t queue,
	char name[GEN_NAME_CAPACITY]);

#endif
