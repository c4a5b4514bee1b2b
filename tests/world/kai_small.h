/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_small.h - small cluster states for KAI, made by hand: nodes, departments, projects, jobs. The one
 * builder of all tests of the core: what they need more, they add here.
 *
 * Every task requests one cpu and 1 GB; nodes have plenty of both. Cpu and memory have no quotas. Times are
 * in seconds. kai_small_open's root queue is "default", without bounds.
 */
#ifndef TESTS_KAI_SMALL_H
#define TESTS_KAI_SMALL_H

#include "policies/runai/rules/kai_order.h"
#include "policies/runai/rules/kai_solve.h"

struct kai_small {
	struct sl_arena *arena;
	struct kai *kai;
};

struct kai_small kai_small_open(void);
void kai_small_close(struct kai_small *w);
/* Names are "n0", "n1"... of memory 100 MiB a device (1 MiB is 1 %). Before kai_small_seal. */
uint32_t kai_small_node(struct kai_small *w, const char *name, int64_t gpus);
/* parent NULL: below "default". Quota in hundredths of a GPU, limit too; below 0: none. weight: over quota.
 */
uint32_t kai_small_queue(struct kai_small *w, const char *name, const char *parent, int64_t quota_100,
	int64_t limit_100, double weight);
void kai_small_seal(struct kai_small *w);

/* Tasks that request so many whole GPUs each. Not yet sealed (kai_small_enter). Minimum: all. Preemptible if
 * its priority is below 100. age_s: since it was made; kai.now is 1 000 s. */
uint32_t kai_small_job(struct kai_small *w, const char *name, const char *queue, int64_t priority,
	uint32_t tasks, int64_t gpus, int64_t age_s);
void kai_small_fraction(struct kai_small *w, uint32_t job, int64_t hundredths, int64_t devices);
void kai_small_memory(struct kai_small *w, uint32_t job, int64_t mib, int64_t devices);
void kai_small_min(struct kai_small *w, uint32_t job, uint32_t min);
/* It is there: pending; */
void kai_small_enter(struct kai_small *w, uint32_t job);
/* or its tasks run on that node (started_s ago). shared: row of the node's shared GPUs; KAI_NO: whole ones.
 */
void kai_small_run(struct kai_small *w, uint32_t job, const char *node, uint32_t shared, int64_t started_s);

/* After a session: the state of its tasks by letter, and where: "b@n0 b@n1", "p" (pending), "b" (binding),
 * "r" (running), "l" (pipelined: later), "x" (releasing). Lent until the next call. */
const char *kai_small_reported(struct kai_small *w, uint32_t job);

/* Plainly, who goes first: of two siblings, the left one? Of two jobs of a leaf: negative: a. */
struct kai_rival {
	uint32_t queue;
	const struct kai_vec *needs;
	const struct kai_vec *victims;
};
bool kai_queue_first(const struct kai *kai, const struct kai_rival *left, const struct kai_rival *right);
int kai_compare_jobs(const struct kai *kai, uint32_t a, uint32_t b); /* Priority, elastic state, age, name. */

#endif
