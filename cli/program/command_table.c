/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command_table.c - all commands, in the order of help.
 */
#include "cli/program/complete.h"

static const struct command *const commands[] = {
	&cmd_run,
	&cmd_compare,
	&cmd_whatif,
	&cmd_forecast,
	&cmd_tune,
	&cmd_sweep,
	&cmd_study,
	&cmd_inspect,
	&cmd_convert,
	&cmd_anonymize,
	&cmd_generate,
	&cmd_policy_test,
	&cmd_view,
	&cmd_step,
	&cmd_shell,
	&cmd_report,
	&cmd_explain,
	&cmd_check,
	&cmd_bundle,
	&cmd_list,
	&cmd_completion,
	&cmd_version,
};

const struct command *command_nth(size_t i) { return i < SL_LEN(commands) ? commands[i] : NULL; }
