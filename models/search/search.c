/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.c - trials of a search are cancelled when they lose
 */
#include "sim/plugin.h"

static int search_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)state;
	(void)setup;
	(void)err;
	return SL_OK;
}

const struct sl_model model_search = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "search",
	.summary = "trials of a search are cancelled when they lose",
	.init = search_init,
};
