/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models.c - models and the run: who is told what, how fast jobs are, what is up.
 */
#include "sim/pass.h"

void sl_model_wake(struct sl_pass *world, sl_time at, uint32_t row)
{
	(void)world;
	(void)at;
	(void)row;
}

void sl_model_rate(struct sl_pass *world, sl_job job, uint64_t rate)
{
	(void)world;
	(void)job;
	(void)rate;
}

uint64_t sl_rate_of(const struct sl_pass *world, sl_job job)
{
	(void)world;
	(void)job;
	return SL_RATE_ONE;
}

void sl_model_finish(struct sl_pass *world, sl_job job)
{
	(void)world;
	(void)job;
}

sl_time sl_done_of(const struct sl_pass *world, sl_job job)
{
	(void)world;
	(void)job;
	return 0;
}

sl_time sl_kept_of(const struct sl_pass *world, sl_job job)
{
	(void)world;
	(void)job;
	return 0;
}

void sl_model_node_down(struct sl_pass *world, uint32_t node, sl_time expected)
{
	(void)world;
	(void)node;
	(void)expected;
}

void sl_model_node_up(struct sl_pass *world, uint32_t node)
{
	(void)world;
	(void)node;
}

void sl_model_node_drain(struct sl_pass *world, uint32_t node, bool drain)
{
	(void)world;
	(void)node;
	(void)drain;
}

bool sl_node_is_up(const struct sl_pass *world, uint32_t node)
{
	(void)world;
	(void)node;
	return true;
}

void sl_model_fail(struct sl_pass *world, sl_job job, enum sl_state as, bool again)
{
	(void)world;
	(void)job;
	(void)as;
	(void)again;
}

void sl_model_cancel(struct sl_pass *world, sl_job job)
{
	(void)world;
	(void)job;
}

bool sl_model_transfer(struct sl_pass *world, const struct sl_transfer *transfer)
{
	(void)world;
	(void)transfer;
	return false;
}

void sl_model_transferred(struct sl_pass *world, const struct sl_transfer *transfer)
{
	(void)world;
	(void)transfer;
}

uint64_t sl_predict(struct sl_pass *world, sl_job job, const struct sl_piece *piece, size_t count)
{
	(void)world;
	(void)job;
	(void)piece;
	(void)count;
	return SL_RATE_ONE;
}

void sl_model_show(struct sl_pass *world, const char *name, int64_t value)
{
	(void)world;
	(void)name;
	(void)value;
}

int64_t sl_shown_of(const struct sl_pass *world, const char *name)
{
	(void)world;
	(void)name;
	return SL_NONE;
}
