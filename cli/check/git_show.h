/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git_show.h - files as git has them at a commit, in a folder of their own.
 */
#ifndef SL_GIT_SHOW_H
#define SL_GIT_SHOW_H

#include "cli/base/cli.h"

/* The folder `path`, or the folder of the file `path` (its neighbours are what it includes), as it was at
 * `rev`, below the folder `into`, which is there and empty; with what is included and linked from elsewhere
 * in the repository. Neighbours of at most 4 MiB. *found: what stands for path then, in the arena. SL_USAGE:
 * rev is no commit, or has no such file. */
int git_show(const char *rev, const char *path, const char *into, const char **found, struct sl_arena *arena,
	struct sl_err *err);

#endif
