/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share_holders.h - share holders: users, accounts or partitions, as rows 0 to count - 1 in order of their
 * first submission, and the jobs of each in order of submission. Waiting jobs are read from the engine at
 * the beginning of each pass; nothing here needs to be undone.
 */
#ifndef SL_COMPOSED_SHARE_HOLDERS_H
#define SL_COMPOSED_SHARE_HOLDERS_H

#include "sim/plugin.h"

#define SHARE_HOLDER_NONE UINT32_MAX

struct share_holder_number {
	int32_t number;
	uint32_t share_holder;
};

struct share_holders {
	const struct sl_jobs *jobs;
	const char *noun; /* "user" */
	const char *const *name;
	uint32_t name_count;
	uint32_t count;
	const uint32_t *of;                       /* By job: its share holder. */
	const struct share_holder_number *number; /* Ascending; -1: unknown. */
	const uint32_t *row;   /* Jobs, share holder by share holder, each in order of submission. */
	const uint32_t *begin; /* By share holder, count + 1 of them: its part of row. */
	uint32_t *seen;        /* By share holder: end of the submitted ones in row. */
	uint32_t *front;       /* By share holder: none before it waits. Moves on between passes only. */
	uint32_t *cursor;      /* The same within a pass. */
	bool *listed;
	uint32_t *active; /* Those listed: all that have a waiting job, and maybe others. */
	uint32_t active_count;
};

/* by: 0 user, 1 account, 2 partition. */
int share_holders_init(
	struct share_holders *share_holders, int64_t by, const struct sl_setup *setup, struct sl_err *err);
/* At its submission: its job is now one of those that may wait. */
void share_holders_submitted(struct share_holders *share_holders, sl_job job);
/* It waits again. */
void share_holders_requeued(struct share_holders *share_holders, sl_job job);
/* At the beginning of a pass: those without a waiting job leave the list. */
void share_holders_begin(struct share_holders *share_holders, const struct sl_pass *pass);
/* After an undo of the policy's own. */
void share_holders_rewind(struct share_holders *share_holders);
/* Its first waiting job, or none. */
sl_job share_holders_first(
	struct share_holders *share_holders, const struct sl_pass *pass, uint32_t share_holder);

/* Why a share holder's first job waits, reported once: `reported` is a ledger with a row for each share
 * holder.
 */
void share_holders_report(const struct share_holders *share_holders, struct sl_pass *pass, sl_ledger reported,
	sl_job job, enum sl_reason reason);

/* "alice=2,bob=0.5,*=1", in millionths; * is every other one. The weight of a number that has no job
 * goes into `absent` (may be NULL). */
struct share_holder_amounts {
	const char *key; /* The parameter, for messages. */
	int64_t others;  /* Where the text does not say. */
	int64_t least, most;
};
int share_holders_amounts(const struct share_holders *share_holders, const struct share_holder_amounts *what,
	const char *text, int64_t *amount, int64_t *absent, struct sl_err *err);

/* What a job requests: kind 0 cpus, 1 memory in MiB, 2 GPUs of any type; cpus and GPUs in parts. */
enum { ASKS_KINDS = 3 };
int64_t asks_of(const struct sl_jobs *jobs, sl_job job, unsigned kind);
int64_t capacity_of(const struct sl_cluster *cluster, unsigned kind);
/* In how many parts that kind is counted. */
int64_t parts_of(const struct sl_cluster *cluster, unsigned kind);
/* A job's size where it may be less than a whole: GPUs of one that requests any, else cpus, in thousandths.
 * Where all amounts are whole it is its size, in wholes. */
int64_t fine_size_of(const struct sl_jobs *jobs, const struct sl_cluster *cluster, sl_job job);
bool is_fine(const struct sl_cluster *cluster);

#endif
