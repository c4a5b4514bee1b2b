/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_version.c - schedlab version: of the program, its plug-in interface, and what it was built with.
 */
#include "sim/cli/cli.h"

static const struct option_def options[] = {
	{ "build", 0, NULL, false, "also how it was built: compiler, interface of plug-ins" },
	{ OPTION_JSON },
};

static int version_command(const struct args *args, struct sl_err *err)
{
	(void)err;
	if (arg_flag(args, "json")) {
		printf("{ \"schedlab\": \"%s\", \"abi\": \"%d.%d\", \"compiler\": \"%s\" }\n", SL_VERSION,
			SL_ABI_MAJOR, SL_ABI_MINOR, __VERSION__);
		return SL_OK;
	}
	printf("schedlab %s\n", SL_VERSION);
	if (arg_flag(args, "build"))
		printf("plug-in interface %d.%d\ncompiler %s\n", SL_ABI_MAJOR, SL_ABI_MINOR, __VERSION__);
	return SL_OK;
}

const struct command cmd_version = {
	.name = "version",
	.usage = "version [--build] [--json]",
	.summary = "show the version",
	.options = options,
	.option_count = SL_LEN(options),
	.run = version_command,
};
