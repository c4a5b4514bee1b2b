/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bundle.c - schedlab bundle: a run with all that it takes to make it again, in one file.
 */
#include "sim/cli/cli.h"

static int bundle_command(const struct args *args, struct sl_err *err)
{
	(void)args;
	return sl_fail(err, SL_USAGE, "schedlab bundle is not there yet");
}

const struct command cmd_bundle = {
	.name = "bundle",
	.usage = "bundle DIR -o FILE",
	.summary = "a run with all that it takes to make it again, in one file",
	.detail = "",
	.words_min = 0,
	.words_max = 1000,
	.run = bundle_command,
};
