/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checkpoint.c - jobs keep their work, at a cost
 */
#include "sim/plugin.h"

static int checkpoint_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_checkpoint = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "checkpoint",
	.summary = "jobs keep their work, at a cost",
	.init = checkpoint_init,
};
