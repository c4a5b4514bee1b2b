/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_find.h - which run is meant: by its folder, or within a comparison's by its policy.
 */
#ifndef SL_RUN_FIND_H
#define SL_RUN_FIND_H

#include "cli/base/cli.h"

/* *path, if it is a run's folder, or a file: as it is. DIR/easy, where a comparison in DIR has 2-easy: that.
 * SL_USAGE: a comparison's folder, whose runs are named (comparisons: it will do); a folder of neither;
 * several of that policy. */
int run_find(char **path, bool comparisons, struct sl_arena *arena, struct sl_err *err);
/* All operands of a command, in place. */
int run_find_words(const struct args *args, bool comparisons, struct sl_err *err);

#endif
