/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complete.h - what completion reads of the commands' own tables. Names end in a NULL.
 */
#ifndef SL_COMPLETE_H
#define SL_COMPLETE_H

#include "cli/base/cli.h"

/* What the last word may become, on stdout; never fails. The line: what follows "schedlab". */
int complete(char **argv, size_t argc, struct args *args);

const struct command *command_nth(size_t i); /* command_table.c, in the order of help. */

const char *list_kind_at(size_t i); /* cmd_list.c */
const char *list_kind_about(size_t i);
extern const struct sl_param cluster_params[];
extern const size_t cluster_param_count;

#endif
