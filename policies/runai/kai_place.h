/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_place.h - which node, and which GPUs of it: filters, scores, shared GPUs, MIG, gangs that start
 * together, and topologies. (KAI: plugins predicates, nodeplacement, gpupack, gpuspread, gpusharingorder,
 * nodeavailability, resourcetype, nominatednode, topology; actions/common/allocate.)
 */
#ifndef SL_RUNAI_KAI_PLACE_H
#define SL_RUNAI_KAI_PLACE_H

#include "policies/runai/kai.h"

/* A set of nodes in bits (kai.node_words); NULL: all. */
typedef const uint64_t *kai_nodes;

/* A chunk of a job, all or nothing: on success its tasks are allocated, or pipelined, in the books (the
 * caller holds a mark, and undoes it); else nothing is changed and why is said in the job. pipeline_only:
 * nothing starts now (the simulations of the solver). Gates of quota and limit are the caller's for the
 * chunk; those that depend on the node (memory of GPUs) are looked at here. */
struct kai_place_how {
	kai_nodes among;
	bool pipeline_only;
};
bool kai_place_chunk(
	struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, const struct kai_place_how *how);

/* One task: which of the nodes is best; KAI_NO: none. now: it fits on what is idle, and shared GPUs have room
 * now (else it is to be pipelined). shared: rows, request.gpus of them. */
struct kai_spot {
	uint32_t node;
	bool now;
	uint32_t shared[KAI_DEVICES_MAX];
};
bool kai_best_spot(
	struct kai *kai, uint32_t task, kai_nodes among, const double *extra, struct kai_spot *spot);
/* It fits there, on what is idle and releasing; now: on what is idle. */
bool kai_fits(const struct kai *kai, uint32_t task, uint32_t node, bool *now);

/* kai_topo.c: the domains of a topology in which a set of groups may be placed, best first. group: a row of
 * the job's; tasks: those to place below it; without a constraint of its own (or tasks, or the plugin) the
 * one domain is `among`. False: there is none, and why is said in the job. Calls nest: the last made is freed
 * first; `among` has to stand until then. */
struct kai_domains {
	uint32_t count;
	const double *node_score; /* By node: what preference adds, 0..10 (times 100 000 in the sum). NULL:
				     nothing is preferred here; then what a set above prefers holds on. */
	uint32_t depth;           /* Where kai_topo.c keeps the rest. */
};
bool kai_topo_domains(struct kai *kai, uint32_t job, uint32_t group, const uint32_t *task, uint32_t count,
	kai_nodes among, struct kai_domains *domains);
/* The nodes of one, those of `among` alone; lent until the next call for these domains. NULL: all. */
kai_nodes kai_topo_nodes(struct kai *kai, const struct kai_domains *domains, uint32_t which);
void kai_domains_free(struct kai *kai, struct kai_domains *domains);

/* kai_node.c: books of a node, called by kai_books.c alone. */
void kai_node_add(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const uint32_t *shared);
void kai_node_remove(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const int64_t *shared);
/* A row of the node's shared GPUs for a new one (its device comes out of what is idle, or of what is
 * releasing for a task that is pipelined). */
uint32_t kai_shared_row(struct kai *kai, uint32_t node);
void kai_node_clear(struct kai *kai, uint32_t node); /* As if nothing were there. */

#endif
