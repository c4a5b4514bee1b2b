/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_parts.h - what the files of schedlab whatif share.
 */
#ifndef SL_WHATIF_PARTS_H
#define SL_WHATIF_PARTS_H

#include "sim/cli/whatif.h"

/* The worlds of a line, the base first. */
struct world_list {
	const struct args *args;
	struct base *base;
	struct world *world;
	size_t count;
	struct world_run *run; /* By world: its scenario and policy; */
	struct run *runs;      /* and its run, which has its result when there is something to tell. */
};
int worlds_of_line(struct world_list *all, struct base *base, const struct args *args, struct sl_err *err);

/* whatif_base.c */
struct sl_arena *base_arena(const struct base *base);
bool base_is_run(const struct base *base);
const char *base_cluster(const struct base *base); /* NULL: none was given. */
/* The value of that setting of the base's, "replay.load"; NULL: it has none. */
const char *base_setting(const struct base *base, const char *key);
/* cmd_whatif.c: the first of that option before any --as; NULL. */
const char *base_word(const struct args *args, const char *name);

/* whatif_fork.c: --at: the world's run goes on from the base's at that time. */
int fork_world(struct world_list *all, size_t world, struct sl_err *err);

/* whatif_tell.c: what the rows stand for; then, by world, jobs that are not in both, waits by user and
 * partition, jobs that ended otherwise. */
void whatif_heading(const struct world_list *all);
int whatif_more(const struct world_list *all, struct sl_out *json, struct sl_err *err);

#endif
