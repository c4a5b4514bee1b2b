/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stubs.c - weak, empty versions of what is not there yet.
 */
#include "policies/runai/kai_solve.h"

__attribute__((weak)) double kai_divide(
	struct kai_claim *claim, uint32_t count, double total, double k, enum kai_phase phase)
{
	(void)claim;
	(void)count;
	(void)total;
	(void)k;
	(void)phase;
	return 0;
}
__attribute__((weak)) void kai_open_shares(struct kai *kai) { (void)kai; }
__attribute__((weak)) int64_t kai_allocatable(const struct kai_queue *queue, enum kai_res res)
{
	(void)queue;
	(void)res;
	return 0;
}
__attribute__((weak)) bool kai_over_limit(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *ask, struct kai_blocked *how)
{
	(void)kai;
	(void)leaf;
	(void)ask;
	(void)how;
	return 0;
}
__attribute__((weak)) bool kai_np_over_quota(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *ask, struct kai_blocked *how)
{
	(void)kai;
	(void)leaf;
	(void)ask;
	(void)how;
	return 0;
}
__attribute__((weak)) bool kai_may_reclaim(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *ask, bool preemptible)
{
	(void)kai;
	(void)leaf;
	(void)ask;
	(void)preemptible;
	return 0;
}
__attribute__((weak)) bool kai_victim_leaf(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *ask, uint32_t victim)
{
	(void)kai;
	(void)leaf;
	(void)ask;
	(void)victim;
	return 0;
}
__attribute__((weak)) bool kai_reclaimable(const struct kai *kai, const struct kai_vec *allocated,
	const struct kai_vec *allocated_np, uint32_t leaf, const struct kai_vec *ask, bool preemptible,
	const struct kai_unit *unit, uint32_t count)
{
	(void)kai;
	(void)allocated;
	(void)allocated_np;
	(void)leaf;
	(void)ask;
	(void)preemptible;
	(void)unit;
	(void)count;
	return 0;
}
__attribute__((weak)) bool kai_maintains_fair_share(
	const struct kai_queue *victim, const struct kai_vec *remaining)
{
	(void)victim;
	(void)remaining;
	return 0;
}
__attribute__((weak)) bool kai_guarantees_quota(const struct kai_queue *reclaimer,
	const struct kai_vec *allocated, const struct kai_vec *ask, const struct kai_queue *victim,
	const struct kai_vec *remaining)
{
	(void)reclaimer;
	(void)allocated;
	(void)ask;
	(void)victim;
	(void)remaining;
	return 0;
}
__attribute__((weak)) sl_time kai_preempt_min(const struct kai *kai, uint32_t victim_leaf)
{
	(void)kai;
	(void)victim_leaf;
	return 0;
}
__attribute__((weak)) sl_time kai_reclaim_min(
	const struct kai *kai, uint32_t reclaimer_leaf, uint32_t victim_leaf)
{
	(void)kai;
	(void)reclaimer_leaf;
	(void)victim_leaf;
	return 0;
}
__attribute__((weak)) bool kai_protected(const struct kai *kai, uint32_t job, sl_time least)
{
	(void)kai;
	(void)job;
	(void)least;
	return 0;
}
__attribute__((weak)) struct kai_usage *kai_usage_new(struct kai *kai, const struct kai_usage_config *config)
{
	(void)kai;
	(void)config;
	return NULL;
}
__attribute__((weak)) void kai_usage_free(struct kai_usage *usage) { (void)usage; }
__attribute__((weak)) void kai_usage_note(struct kai *kai, struct kai_usage *usage)
{
	(void)kai;
	(void)usage;
}
__attribute__((weak)) void kai_usage_set(struct kai *kai, struct kai_usage *usage)
{
	(void)kai;
	(void)usage;
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
__attribute__((weak)) void kai_place_seal(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_place_free(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_solve_free(struct kai *kai) { (void)kai; }
