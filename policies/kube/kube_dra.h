/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra.h - dynamic resource allocation (structured parameters): devices that drivers publish in
 * ResourceSlices, and the claims of pods on them.
 *
 * Devices stand in one array, in the order in which they are tried: pools by driver and name, those that have
 * binding conditions last; slices of a pool by name; devices as they are listed. Quantities are thousandths
 * of their unit. A search counts what it tries beside what is allocated, and leaves all as before, until
 * kube_dra_take allocates its solution.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ and kubernetes,
 * staging/src/k8s.io/dynamic-resource-allocation/structured, v1.36.
 */
#ifndef KUBE_DRA_H
#define KUBE_DRA_H

#include "policies/cel/kube_cel.h"
#include "policies/kube/kube.h"

/* AllocationResultsMaxSize, FirstAvailableDeviceRequestMaxSize, ResourceClaimReservedForMaxSize,
 * DeviceRequestsMaxSize are the API's; the rest is ours. */
enum {
	DRA_RESULTS_MAX = 32,
	DRA_ALTERNATIVES_MAX = 8,
	DRA_USERS_MAX = 256,
	DRA_REQUESTS_MAX = 32,
	DRA_CLAIMS_MAX = 32,       /* Of a pod, */
	DRA_OPEN_MAX,              /* and the one for its extended resources. */
	DRA_DEVICES_MAX = 1 << 20, /* Of a cluster. */
	DRA_REACHED_MAX = 1 << 28, /* By all nodes together. */
	DRA_STEPS_MAX = 1 << 18,   /* Devices tried in one search. */
	DRA_TEXT_MAX = 600,
};

struct dra_pool {
	const char *driver, *name;
	int64_t generation, expected, found; /* Slices of that generation. */
	bool incomplete, invalid;            /* Nothing is allocated from such a pool; */
	uint32_t first_counter, counters;
};

struct dra_counter {
	const char *set, *name;
	int64_t total, used, tried; /* tried: by the search under way. */
};

/* How much of a capacity a request consumes: rounded up to one of the valid values, or to a step from the
 * least; without a request the preset, else all of it. SL_NONE: not set. */
struct dra_capacity {
	int64_t total, used, tried;
	int64_t preset, least, most, step;
	int64_t *valid; /* Ascending. */
	uint32_t valid_count;
};

struct dra_need {
	uint32_t counter;
	int64_t amount;
};

/* On which nodes. */
struct dra_reach {
	bool all;
	uint32_t node; /* KUBE_NO: by terms, any of which has to match. */
	const struct sl_label_selector *term;
	uint32_t terms;
};

struct dra_device {
	const char *name;
	uint32_t pool;
	struct cel_device seen; /* seen.capacity stands beside capacity[]. */
	struct dra_capacity *capacity;
	const struct dra_need *need;
	uint32_t needs;
	struct sl_taints taints;
	struct dra_reach reach;
	bool stays;      /* bindsToNode: allocated for one node, it is on no other. */
	uint32_t users;  /* Claims allocated it, admin access not counted. */
	uint64_t trying; /* Claims of the search under way, as bits; */
	uint32_t shares; /* so often, if it is shared. */
};

struct dra_want { /* Of a capacity. */
	const char *domain, *name;
	int64_t amount;
};

/* What is asked: of a request, or of one of its alternatives. */
struct dra_needs {
	const char *name, *class_name;
	const struct dra_class *class; /* NULL: there is none of that name. */
	struct cel **selector;
	uint32_t selectors;
	bool all, admin;
	int64_t count;
	struct sl_tolerations tolerations;
	const struct dra_want *want;
	uint32_t wants;
	uint8_t *fits;    /* By device: 0, not known yet; else 1 + enum cel_truth. */
	uint32_t on_node; /* Devices that it takes on the node at hand. */
};

struct dra_request {
	const char *name;
	uint32_t resource; /* It is for this one, on nodes that have none themselves; KUBE_NO: for none. */
	bool alternatives; /* firstAvailable */
	struct dra_needs *needs;
	uint32_t asks;
};

struct dra_constraint {
	const char *domain, *name;
	bool distinct;
	const char *const *request; /* "name" or "name/alternative"; none: all. */
	uint32_t requests;
};

/* What the search under way has put under a constraint. */
struct dra_held {
	uint32_t devices;
	const struct cel_value
		*value[DRA_REQUESTS_MAX]; /* matchAttribute: the first; else by request, or NULL. */
};

struct dra_grant {
	struct dra_device *device;
	const struct dra_needs *needs;
};

/* A ResourceClaim, or what a ResourceClaimTemplate makes. */
struct dra_claim {
	const char *namespace, *name;
	bool template;
	struct dra_request *request;
	struct dra_constraint *constraint;
	uint32_t requests, constraints;
	/* Of a claim: by how many pods it is used, and what it has. */
	uint32_t users, grants;
	uint32_t node; /* The only one where a device of it is; KUBE_NO: of any that reaches all. */
	struct dra_grant grant[DRA_RESULTS_MAX];
};

struct dra_class {
	const char *name, *extended; /* extendedResourceName, or NULL. */
	const char *created;         /* "": not said. */
	uint8_t *fits; /* As of dra_needs, of requests that have no selectors; NULL: none yet. */
	struct cel **selector;
	uint32_t selectors;
};

/* Of equal pods. */
struct dra_claims {
	struct dra_claim *at[DRA_OPEN_MAX];
	uint32_t count;
	char *missing; /* Why they cannot be allocated anywhere; NULL. */
};

struct dra_pick {
	struct dra_device *device;
	const struct dra_needs *needs;
	struct dra_claim *of;
	uint32_t claim, request, alternative; /* claim: among those of the search. */
};

struct kube_dra {
	struct kube *k;
	struct dra_device *device;
	struct dra_pool *pool;
	struct dra_counter *counter;
	struct dra_class *class;
	struct dra_claim *claim;
	uint32_t devices, pools, counters, classes, claims;
	struct cel **cel; /* Expressions with patterns to be freed. */
	uint32_t cels;
	size_t cel_capacity;
	uint32_t *on_node, *node_first; /* Devices that a node reaches: from node_first[n] to [n + 1]. */
	struct dra_class
		*serves[KUBE_RES_MAX]; /* By resource, up to `resources`: the class for it, or NULL. */
	uint32_t resources;
	struct dra_claims *asked; /* By spec that has claims: kube_spec.claims is 1 + a row of it. */
	size_t asked_count, asked_capacity;
	/* Of the last search. */
	struct dra_pick pick[DRA_OPEN_MAX * DRA_RESULTS_MAX];
	uint32_t picks, steps;
	struct dra_held held[DRA_OPEN_MAX][DRA_REQUESTS_MAX]; /* By claim and constraint. */
	const char *why;
	bool failed; /* It ended in an error, which no other node can mend. */
	char error[DRA_TEXT_MAX];
};

/* Objects of DRA as they are read; the first failure stays. */
struct dra_reading {
	struct kube_dra *dra;
	struct sl_err *err;
	struct sl_arena *arena;
	const struct sl_object *object;
	struct dra_slice *slice; /* kube_dra_slice.c */
	uint32_t slices;
	const uint32_t *by_rank; /* Nodes by name. */
	int status;
};
const struct sl_doc_node *dra_get(
	const struct dra_reading *r, const struct sl_doc_node *map, const char *path);
/* Of a list or a map; NULL: there is none, or reading failed. */
const struct sl_doc_node *dra_first(const struct dra_reading *r, const struct sl_doc_node *of);
const struct sl_doc_node *dra_next(const struct dra_reading *r, const struct sl_doc_node *of);
uint32_t dra_count(const struct sl_doc_node *of);
void *dra_capacity(struct dra_reading *r, size_t count, size_t size);
void dra_refuse(struct dra_reading *r, const struct sl_doc_node *node, const char *what);

/* kube_dra_read.c, kube_dra_slice.c: from the cluster's objects. k->dra stays NULL where none is of DRA. */
int kube_dra_make(struct kube *k, struct sl_err *err);
int dra_read_slices(struct kube_dra *dra, struct sl_err *err);
void kube_dra_free(struct kube *k);

/* kube_dra_amounts.c: capacities and counters, of what is allocated and what a search tries. */
bool dra_has_capacity(const struct dra_device *device, const struct dra_needs *needs);
bool dra_has_counters(const struct kube_dra *dra, const struct dra_device *device);
void dra_try(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs);
void dra_untry(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs);
void dra_hold(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs);
void dra_release(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs);

/* kube_dra_find.c: the first solution for a pod's claims on a node, into dra->pick; false: there is none. */
bool dra_find(struct kube_dra *dra, const struct dra_claims *claims, uint32_t node);
bool dra_reaches(const struct kube *k, const struct dra_reach *reach, uint32_t node);

/* kube_dra_extended.c: the claim for a pod's extended resources, on all nodes together. */
bool dra_asks_extended(const struct kube *k, const struct kube_spec *spec);
struct dra_claim *dra_extended_claim(struct kube *k, const struct kube_spec *spec);
bool kube_dra_backs(const struct kube *k, uint32_t resource);                 /* Some class stands for it, */
bool kube_dra_serves(const struct kube *k, uint32_t node, uint32_t resource); /* on this node. */

/* kube_dra.c: what kube-scheduler calls of it. */
int kube_dra_needs(struct kube *k, struct kube_spec *spec); /* Its pods' claims. */
enum kube_why kube_dra_filter(struct kube *k, const struct kube_spec *spec, uint32_t node);
const char *kube_dra_why(struct kube *k, const struct kube_spec *spec); /* Of the last that did not suit. */
int64_t kube_dra_score(struct kube *k, const struct kube_spec *spec, uint32_t node);
void kube_dra_take(struct kube *k, uint32_t pod, uint32_t node);
void kube_dra_give(struct kube *k, uint32_t pod);
bool kube_dra_share(
	const struct kube *k, const struct kube_spec *a, const struct kube_spec *b); /* A claim. */

#endif
