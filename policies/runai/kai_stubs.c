/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stubs.c - weak, empty versions of what is not there yet.
 */
#include "policies/runai/kai_solve.h"

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
