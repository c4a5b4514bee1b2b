/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_topo.h - a topology as a tree of domains: kai_topo_tree.c makes it when struct kai is sealed,
 * kai_topo_sums.c keeps what they have free, kai_topo.c asks where a set of pods may go. (KAI:
 * plugins/topology.)
 *
 * Nodes that have all labels of a topology stand in the order of their values, coarse first, then by name: a
 * domain is a run of that order. Domains are numbered by depth, then by value, so that a lower row is the
 * smaller id among siblings, and the children of a domain stand together.
 */
#ifndef SL_RUNAI_KAI_TOPO_H
#define SL_RUNAI_KAI_TOPO_H

#include "policies/runai/rules/kai_place.h"

struct kai_domain {
	uint32_t parent; /* KAI_NO: the root, depth 0; level i of the topology is depth i + 1. */
	uint32_t depth;
	uint32_t from, to; /* Positions of its nodes. */
	uint32_t child, child_count;
};

struct kai_tree {
	uint32_t *node; /* Rows of nodes, by position. */
	uint32_t *at;   /* Position of each node; KAI_NO: it is not in this topology. */
	uint32_t *leaf; /* By position: the deepest domain. */
	uint32_t node_count, level_count;
	struct kai_domain *domain; /* 0: the root. */
	uint32_t domain_count;
};

/* What is requested and free, one number a resource: thousandths of a cpu, bytes, KAI_GPU-ths of whole
 * devices, pods, then instances of MIG profiles. */
enum kai_topo_amount { KAI_TOPO_CPU, KAI_TOPO_MEM, KAI_TOPO_GPUS, KAI_TOPO_PODS, KAI_TOPO_MIG };

/* What one caller holds. */
struct kai_topo_lent {
	uint32_t *domain; /* Best first. */
	uint32_t capacity;
	const struct kai_tree *tree; /* NULL: no domain but `among`. */
	kai_nodes among;
	uint64_t *nodes;
	double *score;
};

/* kai_topo_sums.c: of a topology, with all nodes as they were when their versions were these. */
enum { KAI_TOPO_KINDS = 8 };
struct kai_topo_sums {
	int64_t *free; /* [domain * amounts + resource] */
	int64_t *held; /* [position * amounts + resource]: of that, the node's; */
	int64_t *seen; /* [position]: its version. */
	struct kai_topo_pods {
		int64_t *most, slots; /* Request of the greatest; slots: nothing, and they are so many. */
		int64_t *pods;        /* By domain. */
		int64_t *held, *seen; /* By position. */
	} pods[KAI_TOPO_KINDS];
	uint32_t kinds, next;
};

struct kai_topo_state {
	struct kai_tree *tree; /* By topology. */
	struct kai_topo_sums *sums;
	uint32_t tree_count;
	uint32_t amounts; /* Resources: KAI_TOPO_MIG and the profiles there were. */
	size_t node_words;
	/* Memory for one question. By domain (and resource). */
	double *ratio;
	uint32_t *visit; /* Breadth first. */
	bool *holds;     /* A pod of the set runs there. */
	struct kai_topo_rank {
		double ratio;
		uint32_t domain;
	} * rank;
	int64_t *needs, *most, *node_free; /* By resource: of all tasks, of the greatest, of a node. */
	struct kai_topo_lent *lent;
	uint32_t lent_count, lent_capacity;
};

/* kai_topo_sums.c: what domains have free, and how many pods that request state.most they hold. Valid until
 * the next call. False: no memory. */
bool kai_topo_sum(
	struct kai *kai, uint32_t topology, int64_t slots, const int64_t **free_of, const int64_t **pods_in);
void kai_topo_sums_free(struct kai_topo_sums *sums);

/* kai_topo_tree.c: the tree of a topology. Nonzero: no memory. */
int kai_tree_grow(struct kai *kai, const struct kai_topology *topology, struct kai_tree *tree);
void kai_tree_free(struct kai_tree *tree);

#endif
