/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stubs.c - weak, empty versions of what is not there yet.
 */
#include "policies/runai/kai_solve.h"

__attribute__((weak)) bool kai_queue_first(
	const struct kai *kai, const struct kai_rival *left, const struct kai_rival *right)
{
	(void)kai;
	(void)left;
	(void)right;
	return 0;
}
__attribute__((weak)) int kai_compare_queues(
	const struct kai *kai, const struct kai_standing *left, const struct kai_standing *right)
{
	(void)kai;
	(void)left;
	(void)right;
	return 0;
}
__attribute__((weak)) int kai_compare_jobs(const struct kai *kai, uint32_t a, uint32_t b)
{
	(void)kai;
	(void)a;
	(void)b;
	return 0;
}
__attribute__((weak)) int kai_compare_tasks(const struct kai *kai, uint32_t a, uint32_t b)
{
	(void)kai;
	(void)a;
	(void)b;
	return 0;
}
__attribute__((weak)) uint32_t kai_next_chunk(struct kai *kai, uint32_t job, uint32_t *task)
{
	(void)kai;
	(void)job;
	(void)task;
	return 0;
}
__attribute__((weak)) uint32_t kai_eviction_chunk(
	struct kai *kai, uint32_t job, const uint8_t *gone, uint32_t *task, bool *more)
{
	(void)kai;
	(void)job;
	(void)gone;
	(void)task;
	(void)more;
	return 0;
}
__attribute__((weak)) struct kai_vec kai_chunk_ask(
	const struct kai *kai, const uint32_t *task, uint32_t count, bool least)
{
	(void)kai;
	(void)task;
	(void)count;
	(void)least;
	return (struct kai_vec){ 0 };
}
__attribute__((weak)) bool kai_gang_satisfied(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) bool kai_gang_possible(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) bool kai_elastic(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) bool kai_stale(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) struct kai_lane *kai_lane_new(
	struct kai *kai, enum kai_lane_order order, uint32_t depth)
{
	(void)kai;
	(void)order;
	(void)depth;
	return NULL;
}
__attribute__((weak)) void kai_lane_free(struct kai_lane *lane) { (void)lane; }
__attribute__((weak)) void kai_lane_clear(struct kai_lane *lane, enum kai_lane_order order, uint32_t depth)
{
	(void)lane;
	(void)order;
	(void)depth;
}
__attribute__((weak)) void kai_lane_push(struct kai *kai, struct kai_lane *lane, uint32_t job)
{
	(void)kai;
	(void)lane;
	(void)job;
}
__attribute__((weak)) uint32_t kai_lane_pop(struct kai *kai, struct kai_lane *lane)
{
	(void)kai;
	(void)lane;
	return KAI_NO;
}
__attribute__((weak)) bool kai_lane_empty(const struct kai_lane *lane)
{
	(void)lane;
	return 0;
}
__attribute__((weak)) void kai_lane_push_rest(
	struct kai *kai, struct kai_lane *lane, uint32_t job, const uint32_t *task, uint32_t count)
{
	(void)kai;
	(void)lane;
	(void)job;
	(void)task;
	(void)count;
}
__attribute__((weak)) bool kai_place_chunk(
	struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, const struct kai_place_how *how)
{
	(void)kai;
	(void)job;
	(void)task;
	(void)count;
	(void)how;
	return 0;
}
__attribute__((weak)) bool kai_best_spot(
	struct kai *kai, uint32_t task, kai_nodes among, const double *extra, struct kai_spot *spot)
{
	(void)kai;
	(void)task;
	(void)among;
	(void)extra;
	(void)spot;
	return 0;
}
__attribute__((weak)) bool kai_fits(const struct kai *kai, uint32_t task, uint32_t node, bool *now)
{
	(void)kai;
	(void)task;
	(void)node;
	(void)now;
	return 0;
}
__attribute__((weak)) bool kai_topo_domains(struct kai *kai, uint32_t job, uint32_t group,
	const uint32_t *task, uint32_t count, kai_nodes among, struct kai_domains *domains)
{
	(void)kai;
	(void)job;
	(void)group;
	(void)task;
	(void)count;
	(void)among;
	(void)domains;
	return 0;
}
__attribute__((weak)) void kai_domains_free(struct kai_domains *domains) { (void)domains; }
__attribute__((weak)) void kai_node_add(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const uint32_t *shared)
{
	(void)kai;
	(void)node;
	(void)task;
	(void)state;
	(void)shared;
}
__attribute__((weak)) void kai_node_remove(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const int64_t *shared)
{
	(void)kai;
	(void)node;
	(void)task;
	(void)state;
	(void)shared;
}
__attribute__((weak)) uint32_t kai_shared_row(struct kai *kai, uint32_t node)
{
	(void)kai;
	(void)node;
	return 0;
}
__attribute__((weak)) void kai_node_clear(struct kai *kai, uint32_t node)
{
	(void)kai;
	(void)node;
}
__attribute__((weak)) void kai_open(struct kai *kai) { (void)kai; }
__attribute__((weak)) int kai_session(struct kai *kai)
{
	(void)kai;
	return 0;
}
__attribute__((weak)) void kai_run(struct kai *kai, enum kai_action action)
{
	(void)kai;
	(void)action;
}
__attribute__((weak)) void kai_act_allocate(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_act_consolidate(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_act_reclaim(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_act_preempt(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_act_stale(struct kai *kai) { (void)kai; }
__attribute__((weak)) bool kai_eligible(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) uint64_t kai_signature(const struct kai *kai, uint32_t job)
{
	(void)kai;
	(void)job;
	return 0;
}
__attribute__((weak)) bool kai_gates(struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count)
{
	(void)kai;
	(void)job;
	(void)task;
	(void)count;
	return 0;
}
__attribute__((weak)) bool kai_solve(struct kai *kai, const struct kai_aim *aim)
{
	(void)kai;
	(void)aim;
	return 0;
}
__attribute__((weak)) void kai_topo_seal(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_place_seal(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_topo_free(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_place_free(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_order_free(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_solve_free(struct kai *kai) { (void)kai; }
