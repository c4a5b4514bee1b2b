/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_reported.h - what a reader of clusters reported, between what gathers it and what prints it.
 */
#ifndef SL_INSPECT_REPORTED_H
#define SL_INSPECT_REPORTED_H

#include "cli/base/cli.h"

enum { CPU_PARTS = 1000 }; /* Files may have less than a whole. */

struct reported_nodes {
	const char *name, *hosts;
	int64_t count, cpus, mem, gpus; /* cpus: in parts. */
};

struct reported_partition {
	const char *name, *nodes;
	sl_time max_time;
	bool is_default;
};

struct reported {
	struct sl_arena *arena;
	const char *name, *format;
	struct reported_nodes *nodes;
	struct reported_partition *partition;
	struct sl_setting *setting;
	size_t node_count, node_capacity, partition_count, partition_capacity, setting_count,
		setting_capacity;
	size_t switches, licenses, windows;
	int64_t pool;
	const struct policy_choice *policy; /* NULL: none was named. */
	const struct policy_choice *judged; /* What it comes to is told of this one; NULL: of all. */
	uint64_t count[SL_COVERAGE_COUNT];
	uint64_t by_some; /* Followed by some policies, where none was named. */
};

extern const char *const coverage_texts[SL_COVERAGE_COUNT];

/* Some policies follow it, and none was named. */
bool reported_by_some(const struct reported *reported, const struct sl_setting *setting);
/* Letters of the names of those that follow it, without ", *": all others do in part, as the note says. */
int reported_by_len(const struct sl_setting *setting);

/* inspect_cluster.c: a setting, as a sink takes it; the policy of -p, for how far it is followed; after the
 * last, what stands there twice is taken out, and the rest is counted. */
int reported_setting(struct reported *reported, const struct sl_setting *setting, struct sl_err *err);
int reported_policy(struct reported *reported, const struct args *args, struct sl_err *err);
int reported_count(struct reported *reported, struct sl_err *err);
/* The table of keys; nothing without any. */
int reported_keys(const struct reported *reported, struct sl_err *err);
struct json;
void reported_json(const struct reported *reported, struct json *json); /* Member "keys". */
void reported_release(struct reported *reported);

/* inspect_folded.c: like nodes and like keys in one row each. */
void folded_nodes(const struct reported *reported);
int folded_keys(const struct reported *reported, struct sl_err *err);
/* One screen: what is followed, in part, not at all, and what that changes. */
int folded_outcome(const struct reported *reported, struct sl_err *err);

#endif
