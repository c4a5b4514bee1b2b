/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_shell.c - schedlab shell: Slurm's commands against a simulation that stands still.
 */
#include "sim/cli/cli.h"

static int shell_command(const struct args *args, struct sl_err *err)
{
	(void)args;
	return sl_fail(err, SL_USAGE, "schedlab shell is not there yet");
}

const struct command cmd_shell = {
	.name = "shell",
	.usage = "shell [TRACE] [options]",
	.summary = "Slurm's commands against a simulation that stands still",
	.detail = "",
	.words_min = 0,
	.words_max = 1000,
	.run = shell_command,
};
