/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_parts.h - what the files of schedlab whatif share.
 */
#ifndef SL_WHATIF_PARTS_H
#define SL_WHATIF_PARTS_H

#include "cli/base/render.h"
#include "cli/whatif/whatif.h"

/* The replicas of a line, the base first. */
struct replica_list {
	const struct args *args;
	struct base *base;
	struct replica *replica;
	size_t count;
	struct replica_run *run; /* By replica: its scenario and policy; */
	struct run *runs;        /* and its run, which has its result when there is something to report. */
	const struct differences *differences; /* By replica; finished then. */
};

/* whatif_base.c */
struct sl_arena *base_arena(const struct base *base);
bool base_is_run(const struct base *base);
const char *base_cluster(const struct base *base); /* NULL: none was given. */
/* The value of that setting of the base's, "replay.load"; NULL: it has none. */
const char *base_setting(const struct base *base, const char *key);
/* cmd_whatif.c: the first of that option before any --as; NULL. */
const char *base_word(const struct args *args, const char *name);

/* What stands before the first --as, as one replica; its array has space for three settings more.
 * (cmd_whatif.c) */
int replica_of_line(struct replica *replica, struct base *base, const struct args *args, struct sl_err *err);
/* whatif_base.c: what the base runs on. NULL: as err says. */
const struct scenario *base_scenario(struct base *base, struct sl_err *err);

/* whatif_nodes.c */
struct node_rows {
	bool *in; /* By node of the cluster. */
	uint32_t count;
	const char *hosts; /* "gpu[1-4]" */
};
/* Nodes by name, partition, switch, feature, type of GPU or entry, several between commas; option: who asks.
 */
int node_rows_of(struct node_rows *rows, const struct scenario *scenario, const char *option,
	const char *text, struct sl_arena *arena, struct sl_err *err);
/* One outage more ("n1 100 200 drain") in the replica's settings, in at most three; scenario: of what it is
 * over. */
int outage_put(struct replica *replica, const struct scenario *scenario, const char *outage,
	struct sl_arena *arena, struct sl_err *err);

/* whatif_fork.c: --at: the replica's run goes on from the base's at that time. */
/* Before it is prepared: its settings, from then on only. */
int fork_settings(struct replica_list *all, size_t replica, struct sl_err *err);
/* A point of time as --at takes it. */
int whatif_time(const struct scenario *scenario, const char *option, const char *text, sl_time *at,
	struct sl_err *err);
/* The option's time is after the last end, where nothing can come out otherwise. */
int fail_after_end(const char *option, const char *text, sl_time last, struct sl_err *err);
/* whatif_fork.c: --at: the replica's run goes on from the base's at that time. */
int fork_replica(struct replica_list *all, size_t replica, struct sl_err *err);

/* whatif_table.c: metrics by scenario; whatif.json and whatif.csv. */
struct comparison;
void whatif_table(const struct comparison *all);
int whatif_files(const struct comparison *all, struct sl_err *err);

/* whatif_report.c: what the rows stand for; then, by replica, jobs that are not in both, waits by user and
 * partition, jobs that ended otherwise. */
void whatif_heading(const struct replica_list *all);
/* "-p sjf, replay.load=2": what a replica has over the base; "": the base. In the base's arena; NULL: no
 * memory.
 */
const char *replica_text(const struct replica_list *all, size_t replica);
/* Amount times microseconds as hours, in millionths. */
int64_t hours_of(__int128 amount, int64_t parts);
int whatif_more(const struct replica_list *all, struct json *json, struct sl_err *err);

#endif
