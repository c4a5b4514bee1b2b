/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * convert.h - what the ways of converting traces share (cmd_convert.c), and the merging of several
 * (convert_merge.c).
 */
#ifndef SL_CLI_CONVERT_H
#define SL_CLI_CONVERT_H

#include "cli/base/cli.h"
#include "sim/base/names.h"

enum { CONVERT_FILES_MAX = 1000 };

struct header_pair {
	const char *text[2];
};

/* How a column's names become numbers, for formats without names. If the first of it is a name, all are
 * numbered from 1 on, numbers too; else numbers stay, and names come far behind them. */
struct numbering {
	struct names names;
	bool begun, all;
};

struct conversion {
	const struct sl_writer *writer;
	struct sl_out *out;
	struct sl_arena *arena;
	const struct registry *registry;
	const char *path;
	bool strict, begun;
	struct header_pair *header;
	size_t header_count, header_capacity;
	uint64_t written, odd, odd_line;
	const char *odd_first;
	bool dated;          /* Submits count from 1970, */
	sl_time zero;        /* and shall count from here. */
	sl_time epoch;       /* Zero of one that is not, by its header. */
	bool more;           /* The first row says more of itself, and so all do. */
	bool gpus;           /* Likewise of GPUs: memory, profiles, how active they were. */
	bool profiles;       /* Likewise of what jobs do while they run. */
	uint64_t unprofiled; /* Jobs of which the format cannot say that. */
	bool looked;         /* Whether some row does is known: all are held. */
	bool any_more;       /* Some row does: all shall. */
	struct numbering ids, users, accounts, partitions;
	struct sl_row *row; /* --clean: those that stay, in the file's order; all of several files. */
	size_t row_count, row_capacity;
};

/* A line for what is written to open with. */
int convert_header(struct conversion *c, const char *key, const char *value, struct sl_err *err);
/* The next row of what is written. */
int convert_row(struct conversion *c, const struct sl_row *given, struct sl_err *err);
/* More of GPUs than how many, or which part of one. */
bool convert_says_gpus(const struct sl_row *row);
/* Anything of what it does while it runs. */
bool convert_says_profile(const struct sl_row *row);
/* What a row says beyond its columns is lent for the call: a copy of it all; NULL: out of memory. */
const struct sl_row_attributes *convert_copy(struct sl_arena *arena, const struct sl_row_attributes *from);

/* Keeps a row that stays; of a scenario_watch, whose self is the conversion. */
int convert_keep(void *self, const struct sl_row *row, const char *gone, struct sl_err *err);
/* All that it holds but what it writes to. */
void convert_release(struct conversion *c);

/* Reads all files, and writes their rows in the order of submission. */
int convert_merge(struct conversion *c, char *const *path, size_t count, struct sl_err *err);
/* A line was dropped or repaired. */
int convert_anomaly(struct conversion *c, const char *cause, const struct sl_place *at, struct sl_err *err);

#endif
