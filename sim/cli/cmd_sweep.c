/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_sweep.c - schedlab sweep: replay a grid of traces, clusters, policies, parameters and seeds.
 */
#include "sim/cli/cli.h"

static int sweep_command(const struct args *args, struct sl_err *err)
{
	(void)args;
	return sl_fail(err, SL_USAGE, "schedlab sweep is not there yet");
}

const struct command cmd_sweep = {
	.name = "sweep",
	.usage = "sweep run|report|status|plan SPEC [options]",
	.summary = "replay a grid of traces, clusters, policies, parameters and seeds",
	.detail = "",
	.words_min = 0,
	.words_max = 1000,
	.run = sweep_command,
};
