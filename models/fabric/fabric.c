/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric.c - jobs share an InfiniBand fabric, and slow each other down
 */
#include "sim/plugin.h"

static int fabric_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_fabric = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "fabric",
	.summary = "jobs share an InfiniBand fabric, and slow each other down",
	.init = fabric_init,
};
