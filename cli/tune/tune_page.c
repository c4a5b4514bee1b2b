/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_page.c - DIR/tune.html: the answer as one page.
 */
#include "cli/tune/tune.h"

int tune_page(const struct tune *tune, struct sl_err *err)
{
	(void)tune, (void)err;
	return SL_OK;
}
