/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage.c - shared file systems, and what nodes keep of them
 */
#include "sim/plugin.h"

static int storage_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_storage = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "storage",
	.summary = "shared file systems, and what nodes keep of them",
	.init = storage_init,
};
