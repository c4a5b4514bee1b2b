/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told.c - a run is over: each model tells what it has to say, in the order in which they are settled.
 */
#include "sim/models.h"
#include "sim/tally.h"

int models_told(struct sl_pass *pass, struct sl_result *result, struct sl_err *err)
{
	struct sl_tally tally;
	tally_init(&tally, pass->arena);
	int status = models_tell(pass, &tally, err);
	if (!status)
		status = tally_lend(&tally, result, err);
	tally_release(&tally);
	return status;
}
