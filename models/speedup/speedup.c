/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedup.c - how fast a job is by its size and its GPUs
 */
#include "sim/plugin.h"

static int speedup_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_speedup = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "speedup",
	.summary = "how fast a job is by its size and its GPUs",
	.init = speedup_init,
};
