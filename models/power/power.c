/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * power.c - what nodes draw, and what that costs
 */
#include "sim/plugin.h"

static int power_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_power = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "power",
	.summary = "what nodes draw, and what that costs",
	.init = power_init,
};
