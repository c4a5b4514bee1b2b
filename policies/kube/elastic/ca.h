/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca.h - cluster-autoscaler (kubernetes/autoscaler, cluster-autoscaler/FAQ.md and core/): node groups, its
 * flags, and one loop (static_autoscaler.go, RunOnce).
 *
 * A loop is run at each multiple of scan-interval, from 0 on, at which it might find anything other than at
 * the last one: something has happened, or a time that it waits for has come.
 */
#ifndef KUBE_ELASTIC_CA_H
#define KUBE_ELASTIC_CA_H

#include "policies/kube/elastic/elastic.h"

enum { CA_EXPANDERS_MAX = 8 };
enum ca_expander {
	CA_RANDOM,
	CA_MOST_PODS,
	CA_LEAST_WASTE,
	CA_LEAST_NODES,
	CA_PRICE,
	CA_PRIORITY,
	CA_EXPANDERS
};

struct ca_group {
	uint32_t pool;
	int64_t min, max, size, available, priority,
		price;                          /* size: at the beginning; available: of the cloud. */
	int64_t threshold;                      /* Millionths; -1: the flag's. */
	sl_time unneeded;                       /* SL_NONE: the flag's. */
	sl_time backoff, backoff_until, failed; /* backoff: the last one's length. */
	uint64_t failed_at;                     /* The stamp then. */
	bool rests;                             /* Until the stamp is another one. */
};

struct ca_flags {
	sl_time scan_interval, max_provision, new_pod_delay, recheck, delete_delay;
	sl_time unneeded, unready, after_add, after_delete, after_failure;
	sl_time backoff_initial, backoff_max, backoff_reset;
	int64_t threshold, gpu_threshold; /* Millionths. */
	int64_t enabled, unready_enabled, system_pods, local_storage;
	int64_t parallelism, empty_bulk, drain_parallelism, nodes_total, per_scaleup, cutoff, replicas_min;
	const char *expander;
};

struct elastic_ca {
	struct ca_flags flags;
	struct ca_group *group;
	uint32_t groups;
	enum ca_expander expander[CA_EXPANDERS_MAX];
	uint32_t expanders;
	uint64_t choices;
	sl_time scanned, due;           /* The last loop; the next one if nothing happens. */
	uint64_t stamp;                 /* Then. */
	sl_time added, deleted, failed; /* Scale-up and scale-down last; SL_NONE: never. */
	uint32_t *pod;
	uint32_t *option_pod; /* Of one option. */
	sl_time provisioned;  /* The last loop that looked at a ProvisioningRequest. */
	uint8_t *tries;       /* By job: its requests that found no capacity. */
};

/* What one group could do for pods that wait. */
struct ca_option {
	uint32_t group, pods, nodes;
	int64_t cpu, mem, cpu_added, mem_added; /* Of the pods; of the new nodes. */
	double pod_price;
};

struct ca_up {
	bool added;   /* Nodes were ordered. */
	bool waits;   /* Pods are very new: no scale-down either. */
	sl_time next; /* Something may be different then. */
};

/* ca_groups.c: the group's nodes that there may be more of. */
uint32_t ca_free_slot(const struct kube_scaler *s, const struct ca_group *group, uint32_t from);
const struct ca_group *ca_group_of(const struct kube_scaler *s, uint32_t node); /* NULL: none. */
bool ca_backs_off(const struct kube_scaler *s, const struct ca_group *group);
sl_time ca_asked_again(const struct kube_scaler *s, const struct ca_group *group); /* One that backs off. */
void ca_back_off(struct kube_scaler *s, struct ca_group *group);

/* ca_expander.c: reduces the options to the best one, which is then the first. */
int ca_expanders_read(struct elastic_ca *ca, const char *text, struct sl_err *err);
void ca_choose(struct kube_scaler *s, struct ca_option *option, uint32_t count);
double ca_pod_price(const struct kube_spec *spec);

/* ca_up.c */
struct ca_up ca_scale_up(struct kube_scaler *s);
/* For the first `count` of ca->pod, beside what is tried already; all: for all of them, or nothing. Takes
 * back what was tried. */
void ca_help(struct kube_scaler *s, uint32_t count, bool all, struct ca_up *up);
/* Those of the first `count` of ca->pod that fit no node that is ordered; the others are placed there. */
uint32_t ca_drop_helped(struct kube_scaler *s, uint32_t count);
sl_time ca_tick(const struct kube_scaler *s, sl_time at); /* The first loop then or later. */

/* ca_down.c: both return when something may be different; SL_NEVER. */
sl_time ca_scale_down(struct kube_scaler *s, bool waits);
sl_time ca_drains(struct kube_scaler *s); /* Nodes that leave: those whose time has come. */

#endif
