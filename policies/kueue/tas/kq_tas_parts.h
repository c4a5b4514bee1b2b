/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_parts.h - topology-aware scheduling from within: the tree of a flavor's domains, who uses what of
 * its leaves, how many pods each domain would hold, and which of them are picked.
 *
 * Domains of a level stand in the order of their values, level after level: the children of a domain are
 * neighbours, and a row number is what Kueue's last comparison, by values, comes to.
 *
 * Rules: Kueue's KEP-2724 (keps/2724-topology-aware-scheduling), and its scheduler at commit ff69552e.
 */
#ifndef SL_KUEUE_KQ_TAS_PARTS_H
#define SL_KUEUE_KQ_TAS_PARTS_H

#include "policies/kueue/tas/kq_tas.h"

enum { KQ_COUNT_MAX = INT32_MAX }; /* Pods that a leaf is counted to hold. */

/* ---- Who uses what (kq_tas_accounting.c) -------------------------------------------------------- */

/* Usage by row, one row a leaf; flavors of topologies by hosts share one, a row a host name. `stamp` names a
 * state of it: step `stamp` of the log made it out of its parent's. Taking back returns to an older stamp, so
 * what lies between two states is found by walking up from both. */
struct kq_accounting {
	uint32_t row_count, resource_count;
	int64_t *used;  /* [row * resource_count + resource]; journalled. */
	int64_t stamp;  /* Journalled. */
	uint64_t epoch; /* Stamps of another epoch say nothing. */
	struct kq_step {
		uint32_t parent, row;
	} * step;
	uint32_t step_count, step_capacity;
};

/* ---- The tree of a flavor (kq_tas_tree.c) ------------------------------------------------------- */

struct kq_view;

struct kq_tree {
	uint32_t flavor;
	const struct kq_topology *topology;
	uint32_t level_count;
	bool by_host;                      /* The lowest level is the host's name. */
	uint32_t first[KQ_LEVELS_MAX + 1]; /* By level: its first domain; closed by the count. */
	uint32_t *parent;                  /* KQ_NO: of the top. */
	uint32_t *child, *child_count;     /* The first child, and how many follow. */
	const char **value;                /* Of the domain's own level; interned. */
	uint32_t leaf_count, leaf_first;   /* Leaves: domains of the lowest level. */
	uint32_t *host;                    /* By leaf, of topologies by hosts. */
	int64_t *capacity;                 /* [leaf * resource_count + resource]: capacity, -1 at least. */
	uint32_t resource_count;           /* As of the seal. */
	bool tainted;                      /* Some host has a taint. */
	struct kq_accounting *accounting, *empty; /* Usage; and of a cluster where nothing runs. */
	uint32_t *row_of, *leaf_of;               /* Leaf to row of usage and back; KQ_NO. */
	struct sl_map leaf_by;                    /* Values. */
	struct kq_view **view;                    /* Of shapes of podsets: kq_tas_count.c. */
	uint32_t view_count;
	uint64_t views_used;
};

struct kq_tas {
	struct kq_tree *tree; /* Of flavors with a topology that exists. */
	uint32_t tree_count;
	uint32_t *tree_of; /* By flavor; KQ_NO. */
	uint32_t flavor_count;
	struct kq_accounting *accounting; /* accounting[0], empty[0]: shared by topologies of hosts. */
	uint32_t accounting_count;
	uint32_t domains_max;
	struct kq_found *work; /* Working memory of one placement: kq_tas_pick.c. */
	struct kq_key *key;
	uint32_t *list;
	bool *dirty;
	unsigned char *text; /* Of a shape's key. */
	size_t text_size, text_capacity;
	struct kq_view *once; /* A view of a search that is confined to some domain. */
};

void kq_accounting_init(struct kq *kq, struct kq_accounting *accounting, uint32_t rows, uint32_t resources);
void kq_accounting_release(struct kq_accounting *accounting);
/* So much more, or less, in a row. */
void kq_accounting_add(struct kq *kq, struct kq_accounting *accounting, uint32_t row,
	const struct kq_amounts *request, int64_t count, int sign);

struct kq_tree *kq_tree_of(const struct kq *kq, uint32_t flavor); /* NULL: it has none. */
/* The leaf of values as a placement has them; KQ_NO. */
uint32_t kq_tree_leaf(struct kq *kq, const struct kq_tree *tree, const struct kq_domain_count *domain,
	uint32_t value_count);
uint32_t kq_tree_level(const struct kq_tree *tree, const char *key); /* KQ_NO */
/* The domain of a level in which a leaf lies. */
uint32_t kq_tree_above(const struct kq_tree *tree, uint32_t leaf, uint32_t level);
void kq_views_release(struct kq_tree *tree);
void kq_view_free(struct kq_view *view);

/* ---- How many pods fit (kq_tas_count.c) --------------------------------------------------------- */

/* What a domain would hold; in the descent: what it was given. */
struct kq_found {
	int64_t pods, pods_with;     /* Of workers: without the leader, and beside it. */
	int64_t slices, slices_with; /* Likewise; 0 below the level of slices. */
	int64_t affinity;            /* Sum of the weights of preferred terms that hold. */
	int64_t leader;              /* 1: it would hold the leader. */
};

/* The request, as far as it decides domains. */
struct kq_needs {
	const struct kq_podset *podset; /* The workers. */
	const struct kq_podset *leader; /* NULL: none. */
	int64_t count, leaders;         /* Workers; 1 if there is a leader. */
	int64_t size;                   /* Pods of a slice. */
	uint32_t level, slice_level;
	int64_t size_at[KQ_LEVELS_MAX]; /* Of inner slices, by level; 0: none. */
	uint32_t layers;                /* Levels for which size_at says something. */
	bool required, unconstrained;
	bool least;       /* LeastFreeCapacity; else BestFit. */
	bool by_affinity; /* TASRespectNodeAffinityPreferred */
	bool balanced;    /* TASBalancedPlacement, and it applies. */
	bool empty;       /* As if nothing ran. */
	uint32_t within;  /* This domain alone; KQ_NO: anywhere. */
	uint32_t within_level;
};

struct kq_amounts kq_pod_request(const struct kq_podset *podset);
/* By domain; valid until the next call. NULL: kq->err is set. */
const struct kq_found *kq_count(struct kq *kq, struct kq_tree *tree, const struct kq_needs *needs);
/* A domain from its children, or a leaf's slices. */
void kq_count_up(const struct kq_tree *tree, const struct kq_needs *needs, struct kq_found *found,
	uint32_t domain, uint32_t level, bool inner);

/* ---- Which are picked (kq_tas_pick.c) ----------------------------------------------------------- */

struct kq_key {
	int64_t cause[4];
	uint32_t domain;
};
struct kq_search {
	struct kq *kq;
	struct kq_tree *tree;
	const struct kq_needs *needs;
	const struct kq_found *have; /* Phase 1. */
	struct kq_found *work;       /* What is given in the descent. */
	char *why;                   /* Why there is none: KQ_WHY bytes. */
	bool loaded;                 /* What is below the picked domains is in work already. */
};
enum { KQ_WHY = 256 };
/* Orders of choice, in place: by leaders first, or by slices alone. */
void kq_order(struct kq_search *search, const struct kq_found *found, uint32_t *domain, uint32_t count,
	bool with_leader, bool least);
/* Leaves picked, in `leaf`, in their order; what each got is in search->work. 0: there is no place, and why;
 * KQ_NO: nothing needs a domain. */
uint32_t kq_pick(struct kq_search *search, uint32_t *leaf);
/* kq_tas_balanced.c: domains in `domain`, at *level. 0: not that way. */
uint32_t kq_balance(struct kq_search *search, uint32_t *domain, uint32_t *level);

/* ---- Podsets of a workload (kq_tas.c, kq_tas_replace.c) ----------------------------------------- */

/* A podset group, assigned together, or a podset alone. */
struct kq_team {
	struct kq_tree *tree;
	uint32_t worker, leader;       /* Podsets of the workload; KQ_NO: no leader. */
	uint32_t worker_at, leader_at; /* The same in the assignment. */
	int64_t worker_count;
	bool implied;
	uint32_t within, within_level; /* This domain alone; KQ_NO: anywhere. */
	const struct kq_podset *as;    /* In place of the workers' own request; NULL. */
};
/* Of a podset of an assignment: the flavor with a topology; KQ_NO: none, or several. */
uint32_t kq_tas_flavor(const struct kq *kq, const struct kq_assignment *assignment, uint32_t at);
struct kq_placement_attempt {
	struct kq *kq;
	struct kq_scratch *scratch;
	uint32_t workload;
	bool empty;
	char why[KQ_WHY];
};
/* Placements in the scratch; leader NULL: without it. False: none, and why. */
bool kq_place_team(struct kq_placement_attempt *attempt, const struct kq_team *team,
	struct kq_placement **worker, struct kq_placement **leader);
/* The pods that were on an unhealthy host. `lost` gets the placement of these alone. */
bool kq_place_lost(struct kq_placement_attempt *attempt, const struct kq_team *team,
	const struct kq_placement *old, struct kq_placement **whole, struct kq_placement **lost);
/* Elastic slices. 0: it is none of these, 1: done, -1: no place. */
int kq_place_elastic(struct kq_placement_attempt *attempt, const struct kq_team *team,
	struct kq_placement **worker, struct kq_placement **leader);
/* A placement is added to the usage of its flavor, or removed. */
void kq_placement_add(struct kq *kq, struct kq_tree *tree, const struct kq_podset *podset,
	const struct kq_placement *placement, bool empty, int sign);
const char *kq_placement_attempt_text(struct kq_placement_attempt *attempt);

/* kq_tas.c: the podset requests a topology; why it has no place, and false; where one of that name is. */
bool kq_asks_topology(const struct kq_podset *podset);
bool kq_placement_attempt_refuse(struct kq_placement_attempt *attempt, const char *why);
struct kq_placement *kq_admitted_placement(const struct kq_workload *row, const char *name);

#endif
