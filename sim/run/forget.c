/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forget.c - what a run that is over needs no longer once it is reported: its series, and what its loop used.
 */
#include <stdlib.h>

#include "sim/run/engine.h"
#include "sim/run/sim.h"

void sim_forget(struct sim_run *run)
{
	struct sl_result *result = &run->result;
	if (!run->engine)
		return;
	struct sim *sim = &run->engine->sim;
	queue_release(&sim->queue);
	profile_release(&sim->profile);
	evq_release(&sim->events);
	usage_log_release(&sim->usage_log);
	free(sim->usage);
	free(sim->reason);
	free(sim->place);
	sim->usage = NULL;
	sim->reason = NULL;
	sim->place = NULL;
	result->reasons = NULL;
	result->usage = NULL;
	result->usage_log = NULL;
	result->place = NULL;
	result->reason_count = result->usage_count = 0;
}
