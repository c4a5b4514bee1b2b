/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_step.c - schedlab step: go through a replay event by event, in a terminal.
 */
#include "sim/cli/cli.h"

static int step_command(const struct args *args, struct sl_err *err)
{
	(void)args;
	return sl_fail(err, SL_USAGE, "schedlab step is not there yet");
}

const struct command cmd_step = {
	.name = "step",
	.usage = "step TRACE [options]",
	.summary = "go through a replay event by event, in a terminal",
	.detail = "",
	.words_min = 0,
	.words_max = 1000,
	.run = step_command,
};
