/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "sim/nodes.h"
void nodes_free(struct nodes *n) { (void)n; }
int64_t nodes_idle(const struct nodes *n, uint32_t k)
{
	(void)n;
	(void)k;
	return 0;
}
int64_t nodes_total(const struct nodes *n, uint32_t k)
{
	(void)n;
	(void)k;
	return 0;
}
int nodes_new(struct nodes **nodes, const struct sl_cluster *cluster, const struct sl_request *requests,
	uint32_t request_count, uint32_t job_count, const struct sl_placing *placing, struct sl_err *err)
{
	(void)nodes;
	(void)cluster;
	(void)requests;
	(void)request_count;
	(void)job_count;
	(void)placing;
	return sl_fail(err, SL_USAGE, "no nodes yet");
}
void nodes_set_placing(struct nodes *nodes, const struct sl_placing *placing) { (void)0; }
void nodes_clock(struct nodes *nodes, sl_time now) { (void)0; }
bool nodes_could_hold(struct nodes *nodes, uint32_t request) { return 0; }
bool nodes_fits(struct nodes *nodes, uint32_t request, sl_time length) { return 0; }
bool nodes_start(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end) { return 0; }
bool nodes_start_on(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_piece *piece, size_t count)
{
	return 0;
}
void nodes_end(struct nodes *nodes, uint32_t job) { (void)0; }
void nodes_restore(struct nodes *nodes, uint32_t job, sl_time end) { (void)0; }
void nodes_forget(struct nodes *nodes) { (void)0; }
void nodes_move_end(struct nodes *nodes, uint32_t job, sl_time end) { (void)0; }
void nodes_suspend(struct nodes *nodes, uint32_t job) { (void)0; }
bool nodes_resume(struct nodes *nodes, uint32_t job, sl_time end) { return 0; }
bool nodes_resize(struct nodes *nodes, uint32_t job, uint32_t tasks) { return 0; }
void nodes_resize_undo(struct nodes *nodes, uint32_t job) { (void)0; }
size_t nodes_pieces(const struct nodes *nodes, uint32_t job, const struct sl_piece **piece) { return 0; }
struct nodes_sum nodes_held(const struct nodes *nodes, uint32_t job) { return (struct nodes_sum){ 0 }; }
uint32_t nodes_busy(const struct nodes *nodes) { return 0; }
bool nodes_window_add(struct nodes *nodes, const uint32_t *node, uint32_t count, sl_time from, sl_time until)
{
	return 0;
}
void nodes_window_undo(struct nodes *nodes) { (void)0; }
sl_time nodes_window_next(const struct nodes *nodes) { return 0; }
sl_time nodes_soonest(struct nodes *nodes, uint32_t request, sl_time length) { return 0; }
void nodes_guard(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool named) { (void)0; }
bool nodes_guard_allows(struct nodes *nodes, uint32_t request, sl_time length) { return 0; }
void nodes_guard_end(struct nodes *nodes) { (void)0; }
sl_time nodes_promise_at(struct nodes *nodes, uint32_t request, sl_time length) { return 0; }
bool nodes_promise(struct nodes *nodes, uint32_t job, uint32_t request, sl_time at, sl_time length)
{
	return 0;
}
void nodes_unpromise(struct nodes *nodes, uint32_t job) { (void)0; }
void nodes_promise_restore(struct nodes *nodes, uint32_t job) { (void)0; }
size_t nodes_promised(const struct nodes *nodes, uint32_t job, const struct sl_piece **piece) { return 0; }
bool nodes_start_promised(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end) { return 0; }
void nodes_check(struct nodes *nodes) { (void)0; }
uint64_t nodes_digest(struct nodes *nodes) { return 0; }
