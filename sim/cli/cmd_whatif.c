/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_whatif.c - schedlab whatif: what would have been, with other settings, and the smallest change that is
 * enough.
 */
#include "sim/cli/cli.h"

static int whatif_command(const struct args *args, struct sl_err *err)
{
	(void)args;
	return sl_fail(err, SL_USAGE, "schedlab whatif is not there yet");
}

const struct command cmd_whatif = {
	.name = "whatif",
	.usage = "whatif DIR|TRACE [options]",
	.summary = "what would have been, with other settings, and the smallest change that is enough",
	.detail = "",
	.words_min = 0,
	.words_max = 1000,
	.run = whatif_command,
};
