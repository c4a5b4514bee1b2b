/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter.h - Karpenter (kubernetes-sigs/karpenter, pkg/controllers/provisioning and disruption, v1): node
 * pools, what may be launched in each, and what it is doing.
 *
 * An offer is an instance type in a zone as one capacity type, launched by one pool: nodes of one offer are
 * alike. A claim is a node to be launched, with the offers that would hold all its pods; in the end the
 * cheapest is launched.
 */
#ifndef KUBE_ELASTIC_KARPENTER_H
#define KUBE_ELASTIC_KARPENTER_H

#include "policies/kube/elastic/elastic.h"

enum { KARPENTER_BUDGETS_MAX = 50, KARPENTER_BATCH_NODES = 100, KARPENTER_SPOT_TYPES = 15 };

struct karpenter_offer {
	uint32_t pool;    /* Of elastic_pool. */
	const char *type; /* Its name; equal ones are one pointer. */
	const char *zone; /* "": none; likewise. */
	bool spot;
	int64_t price;
	int64_t capacity[KUBE_RES_MAX]; /* As limits count it. */
	uint32_t *node;
	uint32_t nodes, node_capacity;
};

enum karpenter_reason { KARPENTER_UNDERUTILIZED, KARPENTER_EMPTY, KARPENTER_DRIFTED, KARPENTER_REASONS };

struct karpenter_budget {
	int64_t nodes;    /* Percents are negative, less one. */
	uint32_t reasons; /* As bits; 0: all. */
	bool scheduled;
	struct sl_cron schedule;
	sl_time duration;
};

struct karpenter_pool {
	uint32_t pool;
	const struct sl_object *object;
	int64_t weight;
	int64_t limit[KUBE_RES_MAX];                    /* -1: none. */
	int64_t nodes_limit;                            /* -1 */
	bool empty_only;                                /* consolidationPolicy WhenEmpty */
	sl_time consolidate_after, expire_after, grace; /* SL_NEVER: Never. */
	const char *hash;
	struct karpenter_budget budget[KARPENTER_BUDGETS_MAX];
	uint32_t budgets;
	uint32_t *offer; /* By price, then type, then zone. */
	uint32_t offers;
};

struct karpenter_claim {
	uint32_t pool; /* Of karpenter_pool. */
	uint8_t *may;  /* By place in the pool's offers. */
	uint32_t slot; /* A node of the cheapest offer, on which its pods are tried; KUBE_NO. */
	uint32_t *pod;
	uint32_t pods, pod_capacity;
	int64_t asked[KUBE_RES_MAX];
};

/* Nodes that go once their replacements are there. */
struct karpenter_command {
	uint32_t waits; /* Replacements that are not there yet. */
};

/* What was computed, and is done if it still holds after 15 s. */
enum karpenter_method { KARPENTER_NOTHING, KARPENTER_EMPTINESS, KARPENTER_MULTI, KARPENTER_SINGLE };

struct karpenter_candidate {
	uint32_t node;
	double cost;
};

struct elastic_karpenter {
	sl_time batch_idle, batch_max, poll, ttl, provisioning;
	int64_t spot_to_spot;
	struct karpenter_pool *pool; /* By weight, then name. */
	uint32_t pools;
	struct karpenter_offer *offer;
	uint32_t offers;
	sl_time *release; /* Of images: older nodes drift from then on. */
	uint32_t releases;

	/* Provisioning: */
	sl_time batch_first, batch_last; /* SL_NONE: no batch is open. */
	uint64_t seen;                   /* Entries that were looked at. */
	uint32_t *pod;                   /* Of one solution. */
	uint32_t *order;                 /* Claims, those with the fewest pods first. */
	struct karpenter_claim *claim;
	uint32_t claims;
	int64_t (*left)[KUBE_RES_MAX]; /* By pool: of its limits, in one solution. */
	int64_t *nodes_left;

	/* Disruption: */
	sl_time due; /* The next evaluation, whatever happens. */
	uint64_t stamp;
	bool evaluated;
	struct karpenter_command *command;
	size_t commands, command_capacity;
	enum karpenter_method method; /* Waits to be validated. */
	sl_time validate;
	uint32_t *chosen;
	uint32_t chosen_count;
	uint32_t replacement; /* Its offer; KUBE_NO: none. */
	struct karpenter_candidate *candidate;
	uint8_t *gone;  /* By node: a candidate of the simulation; */
	uint8_t *shown; /* one that stands for its zone. */
};

/* karpenter_read.c */
struct karpenter_pool *karpenter_pool_of(const struct kube_scaler *s, uint32_t node); /* NULL: nobody's. */

/* karpenter_budget.c */
int karpenter_budgets_read(struct karpenter_pool *pool, struct sl_err *err);
/* How many nodes of the pool may be disrupted for that reason, of so many. */
int64_t karpenter_allowed(
	const struct kube_scaler *s, const struct karpenter_pool *pool, enum karpenter_reason reason);

/* karpenter_solve.c: pods on nodes (existing: those that are there, too), and on claims for the rest. What is
 * placed stays placed until it is undone. Returns how many of those that run now would find no place, or one
 * that is not there yet. */
uint32_t karpenter_solve(struct kube_scaler *s, uint32_t *pod, uint32_t count, bool existing);
/* The offer that is launched, of those that are left: the cheapest, of spot ones if there is any; KUBE_NO. */
uint32_t karpenter_cheapest(const struct kube_scaler *s, const struct karpenter_claim *claim);
void karpenter_claims_clear(struct kube_scaler *s);
uint32_t karpenter_launch(struct kube_scaler *s, uint32_t offer); /* The node; KUBE_NO: there is none. */

/* karpenter_provision.c: both return when it is to run next. */
sl_time karpenter_provision(struct kube_scaler *s);

/* karpenter_disrupt.c */
sl_time karpenter_disrupt(struct kube_scaler *s);
/* karpenter_consolidate.c: fills chosen and replacement of what is worth doing. */
bool karpenter_consolidate(struct kube_scaler *s, uint32_t *node, uint32_t count);
bool karpenter_multi(struct kube_scaler *s, const struct karpenter_candidate *candidate, uint32_t count);
/* All pods of these nodes are placed elsewhere; undone by the caller. */
bool karpenter_simulate(struct kube_scaler *s, const uint32_t *node, uint32_t count);

/* karpenter_drain.c: nodes that expired, and those that are drained. */
sl_time karpenter_drain(struct kube_scaler *s);
bool karpenter_holds(struct kube_scaler *s, uint32_t pod); /* It is not to be disrupted. */

#endif
