/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures.c - nodes and jobs fail, and are mended
 */
#include "sim/plugin.h"

static int failures_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_failures = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "failures",
	.summary = "nodes and jobs fail, and are mended",
	.init = failures_init,
};
