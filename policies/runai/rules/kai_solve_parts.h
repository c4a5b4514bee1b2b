/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_solve_parts.h - inside of the solver: victims that are put together, tried and settled. Its files:
 * kai_session.c, kai_solver.c, kai_bounds.c, kai_scenario.c, kai_simulate.c, kai_minimal_job.c,
 * kai_candidates.c, kai_unschedulable.c, kai_leftover.c.
 */
#ifndef SL_RUNAI_KAI_SOLVE_PARTS_H
#define SL_RUNAI_KAI_SOLVE_PARTS_H

#include "policies/runai/rules/kai_solve.h"

/* Rows, in a list that grows. */
struct kai_rows_list {
	uint32_t *row;
	uint32_t count, capacity;
};
bool kai_rows_add(struct kai *kai, struct kai_rows_list *list, uint32_t row);
/* The job's next chunk, in place of what is in the list. False: no memory. */
bool kai_rows_chunk(struct kai *kai, struct kai_rows_list *list, uint32_t job);

/* Victims in batches: what was taken of a job at a time stays together. */
struct kai_batch {
	uint32_t job, first, count; /* Of task. */
};
struct kai_victims {
	struct kai_rows_list task;
	struct kai_batch *batch;
	uint32_t batch_count, batch_capacity;
};
void kai_victims_clear(struct kai_victims *victims);
bool kai_victims_add(
	struct kai *kai, struct kai_victims *victims, uint32_t job, const uint32_t *task, uint32_t count);
void kai_victims_free(struct kai_victims *victims);

enum kai_generator { KAI_NODE_LOCAL, KAI_MULTI_NODE, KAI_GENERATORS };

/* Jobs that failed, by signature: kai_minimal_job.c. */
struct kai_failed {
	struct kai_failure {
		uint64_t signature;
		uint32_t queue, job; /* queue KAI_NO: of any. */
	} * at;
	struct sl_map map; /* Of their places. */
	uint32_t count, capacity;
};

/* A task that a simulation left behind (kai_leftover.c): its state before, and how much was decided by then.
 */
struct kai_leftover {
	uint32_t task;
	int64_t state;
	uint32_t effect;
};

/* So many tasks fit in a domain: `feasible` of it; with a set of victims; with all gathered. */
struct kai_domain_fit {
	int64_t base, with, gathered;
	uint32_t stamp; /* `with` is of this set. */
};

/* Which of the batches gathered are of a job, and which have a task on a node: lists, in order. */
struct kai_link {
	uint32_t batch, next;
};
struct kai_touched {
	uint32_t first, last; /* Rows of link. */
	uint32_t probe;       /* Empty, if it is of another. */
};
struct kai_touches {
	struct kai_link *link;
	uint32_t link_count, link_capacity;
	struct kai_touched *node, *job;
	uint32_t nodes, jobs; /* So many lists there are. */
	uint32_t probe;
};

/* A node with gathered victims: GPUs that are free without them; which came first. */
struct kai_ranked {
	int64_t free;
	uint32_t node, seen;
};

/* Of a rehearsal: the task left the node, or came there (sign -1). */
struct kai_moved {
	uint32_t task, node;
	int64_t sign;
};

struct kai_solve_state {
	struct kai_lane *jobs, *victims; /* Of the action; of a probe. */
	struct kai_replay *replay;       /* Of simulations; */
	bool replay_known;               /* this action's. */
	struct kai_rows_list settled;    /* Tasks that were evicted for good in this session. */
	struct kai_rows_list candidate;  /* Jobs that may be victims. */
	struct kai_victims recorded, gathered, chosen, found;
	struct kai_rows_list chunk;                    /* Of the job that is to start. */
	struct kai_rows_list scratch;                  /* Memory for chunks of others. */
	uint32_t *stamp_task, *stamp_job, *stamp_node; /* Equal to `stamp`: it is in the set at hand. */
	uint32_t stamp, stamp_tasks, stamp_jobs, stamp_nodes;
	uint64_t *base, *feasible, *nodes; /* Sets of nodes. */
	size_t words;
	bool gpus_alone;          /* The job's tasks all want GPUs: nodes without are not in `base`. */
	struct kai_vec base_free; /* Of `feasible`. */
	uint64_t *tried;          /* Hashes of sets that failed. */
	struct sl_map tried_map;
	uint32_t tried_count, tried_capacity;
	uint64_t sets, pods;  /* Of this job's search: simulated; allocated in vain. */
	uint64_t action_pods; /* Of this action, in vain. */
	bool cut;             /* A bound ended the search. */
	struct kai_failed failed;
	struct kai_vec *allocated, *allocated_np; /* By queue, as a job's solution began. */
	uint32_t allocated_count;
	struct kai_unit *unit;
	uint32_t unit_count, unit_capacity;
	const struct kai_request *same_needs; /* Of all tasks of the chunk; NULL (kai_unschedulable.c). */
	struct kai_free *freed_at;            /* By node. */
	uint32_t freed_nodes;
	struct kai_free *gathered_at;        /* By node: freed by what is recorded and gathered. */
	struct kai_rows_list gathered_nodes; /* Where that is anything. */
	uint32_t *domain_of;                 /* By node: one of `domain`; KAI_NO: the job cannot be there. */
	struct kai_domain_fit *domain;       /* Where all tasks of the chunk have to be together. */
	uint32_t domain_count, domain_capacity;
	int64_t base_most, gathered_most; /* The most tasks that fit in one. */
	struct kai_touches touches;
	struct kai_ranked *ranked; /* kai_scenario.c: nodes; */
	int64_t *freed_gpus;       /* by node, those stamped. */
	size_t ranked_nodes;
	struct kai_moved *moved; /* kai_rehearse.c */
	uint32_t moved_count, moved_capacity;
	struct kai_rows_list touched;
	struct kai_headroom *headroom; /* By queue (kai_reclaim.c). */
	uint32_t headroom_count;
	struct kai_leftover *left;
	uint32_t left_count, left_capacity;
};
struct kai_solve_state *kai_solve_state(struct kai *kai); /* Made if it is not there; NULL: no memory. */

/* kai_bounds.c: when a search is given up, and when it is taken up again. */
void kai_bounds_open(struct kai *kai);                  /* Of an action. */
void kai_bounds_job(struct kai *kai);                   /* Of a job in it. */
bool kai_bounds_reached(struct kai *kai);               /* Nothing more is simulated for it. */
void kai_bounds_failed(struct kai *kai, uint64_t pods); /* A set of so many pods was not enough. */
bool kai_backs_off(const struct kai *kai, enum kai_action action, uint32_t job);
/* It was searched for as all was as it is now. */
bool kai_known_to_fail(const struct kai *kai, enum kai_action action, uint32_t job);
void kai_searched(struct kai *kai, enum kai_action action, uint32_t job, bool found);

/* kai_session.c */
/* What was allocated of a job is committed: effects, and states that hold in the next session. */
void kai_commit_placed(struct kai *kai, const uint32_t *task, uint32_t count);

/* kai_unschedulable.c: which sets free too little. For a job; for a probe, of which `feasible` is
 * known. */
bool kai_fit_open(struct kai *kai); /* False: no memory. */
void kai_fit_probe(struct kai *kai);
/* So many tasks may fit without what is recorded and chosen; all, without the candidates. */
bool kai_set_fits(struct kai *kai, uint32_t tasks);
bool kai_all_fit(struct kai *kai);
/* Any set of what is recorded and gathered may do for so many tasks. Gathered is what kai_fit_gather was
 * called with since kai_fit_scenarios. */
void kai_fit_scenarios(struct kai *kai);
void kai_fit_gather(struct kai *kai, const uint32_t *task, uint32_t count);
bool kai_gathered_fit(const struct kai *kai, uint32_t tasks);

/* kai_leftover.c: what was simulated last, of so many tasks of the job, stays for the session. */
void kai_leave_simulated(struct kai *kai, uint32_t tasks);

/* kai_scenario.c: the next set of victims. False: there is none. */
struct kai_scenarios {
	struct kai *kai;
	const struct kai_aim *aim;
	enum kai_generator generator;
	struct kai_vec resources; /* Of the probe's tasks. */
	uint32_t tasks;           /* Of the probe. */
	int64_t least;            /* GPUs of its smallest task. */
	struct kai_vec freed;     /* By what is recorded and gathered. */
	struct kai_vec all;       /* Free on all nodes, without it. */
	bool begun, queued;
	/* Node-local: nodes of the job gathered last, by name. Multi-node: nodes in order, so many taken
	 * next. */
	struct kai_rows_list node;
	uint32_t at, next, step;
	bool active;
};
bool kai_scenarios_open(struct kai *kai, const struct kai_aim *aim, enum kai_generator generator,
	uint32_t tasks, struct kai_scenarios *made);
bool kai_scenarios_next(struct kai_scenarios *scenarios); /* Into state.chosen. */
void kai_scenarios_close(struct kai_scenarios *scenarios);

/* kai_rehearse.c: the simulation of what is recorded and chosen is certain to fail; false: it may not be.
 * state.nodes: those that will do; victims' are added. */
bool kai_rehearsal_fails(struct kai *kai, const struct kai_aim *aim, uint32_t tasks);

/* kai_simulate.c: what is recorded and chosen is evicted, and the job's first tasks, and those evicted, are
 * allocated. True: it works and is accepted; then all is as it came to be, and the mark is the caller's. */
bool kai_simulate(struct kai *kai, const struct kai_aim *aim, uint32_t tasks, kai_marked *mark);
/* The last simulation stands: later ones have to know what became of its jobs. */
void kai_simulated(struct kai *kai, const struct kai_aim *aim);

/* kai_minimal_job.c */
void kai_failed_clear(struct kai_failed *failed);
bool kai_is_easier(const struct kai *kai, const struct kai_failed *failed, uint32_t queue, uint32_t job);
/* The easiest that failed of them; KAI_NO. */
uint32_t kai_failed_most(const struct kai_failed *failed, uint32_t queue, uint64_t signature);
/* A task of this request is easier: fewer GPUs, or as many and fewer cpus ... */
bool kai_requests_less(const struct kai *kai, uint32_t request, uint32_t than);
void kai_failed_add(struct kai *kai, struct kai_failed *failed, uint32_t queue, uint32_t job);

/* kai_candidates.c: which jobs an action looks at, in order, and which may be victims. */
bool kai_lane_of_pending(struct kai *kai, enum kai_action action, bool preemptible_only);
bool kai_delayed(struct kai *kai, uint32_t job);
/* Elastic jobs that are protected lose nothing below their minimum. least: of a victim's leaf. */
bool kai_keeps_minimum(struct kai *kai, const uint32_t *task, uint32_t count, uint32_t job);

/* kai_candidates.c: an action that looks for victims for each job that waits, the best first. */
struct kai_search_for {
	struct kai_aim aim; /* Of no job. */
	bool preemptible_only;
	bool by_queue; /* After one found none, others that request no less are passed over: of its queue, or
			* all.
			*/
	bool (*lets)(struct kai *kai, uint32_t job); /* NULL; false: it is passed over. */
	bool (*may)(struct kai *kai, uint32_t job);  /* False: as if it had found none. */
};
void kai_search_for_all(struct kai *kai, const struct kai_search_for *how);

#endif
