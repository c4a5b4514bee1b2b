/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command.h - shared by ctl_command.c (which commands there are), ctl_command_parse.c (their syntax) and
 * ctl_command_do.c (their effect) alone.
 *
 * Commands are those of an operator at a shell: scontrol, scancel, sacctmgr modify. All are read before the
 * run, so that what is not understood is an error with its line; jobs are found then, too. Names of jobs
 * that are not in the trace (of which a replay may be a part) count as an error that slurmctld returns to
 * the operator: nothing happens.
 */
#ifndef POLICIES_SLURM_CTL_COMMAND_H
#define POLICIES_SLURM_CTL_COMMAND_H

#include "policies/slurm/control/ctl.h"

enum command_kind {
	COMMAND_NOTHING, /* Read-only: show, list. */
	COMMAND_HOLD,
	COMMAND_UHOLD,
	COMMAND_RELEASE,
	COMMAND_REQUEUE,
	COMMAND_REQUEUEHOLD,
	COMMAND_SUSPEND,
	COMMAND_RESUME,
	COMMAND_CANCEL,
	COMMAND_TOP,
	COMMAND_JOB,
	COMMAND_NODE,
	COMMAND_PARTITION,
	COMMAND_RESERVATION,
	COMMAND_ACCOUNTS,
	COMMAND_KINDS
};

/* "key=value", of an update. number: as the key's kind reads it. */
struct command_pair {
	const char *key, *value;
	uint32_t column; /* Of the key in the command, from 0. */
	int64_t number;
	int64_t second; /* Of "min-max". */
	char sign;      /* '+', '-': relative; 0. */
};

enum { COMMAND_PAIRS_MAX = 64, COMMAND_STATES_MAX = 8 };

/* scancel's: NULL: any. */
struct command_filter {
	const char *user, *name, *account, *partition, *qos, *reservation;
	enum ctl_state state[COMMAND_STATES_MAX];
	uint32_t state_count;
	bool any; /* One is set: without job ids it stands for all jobs. */
};

struct command {
	sl_time at;
	enum command_kind kind;
	const struct sl_command *source;
	uint32_t *row; /* Ascending, each once; of scontrol top as they are listed. */
	uint32_t row_count;
	bool named; /* It names jobs, */
	bool all;   /* or none, and filters say which. */
	struct command_pair *pair;
	uint32_t pair_count;
	struct command_filter filter;
	const char *verb, *rest; /* Of a reservation; of sacctmgr all of it. */
};

struct ctl_commands {
	struct command *command; /* By time, then in file order. */
	size_t count, done;
	uint64_t refused; /* That slurmctld would have refused. */
};

/* One word of a command: quotes are gone. */
struct command_word {
	const char *text;
	uint32_t column; /* From 0. */
};

enum { COMMAND_WORDS_MAX = 128 };

struct command_words {
	struct command_word word[COMMAND_WORDS_MAX];
	uint32_t count;
	const struct sl_command *source;
};

/* The words, as a shell parts them. */
int command_words(
	struct ctl *c, const struct sl_command *source, struct command_words *words, struct sl_err *err);
/* What they mean. */
int command_parse(
	struct ctl *c, const struct command_words *words, struct command *command, struct sl_err *err);
/* With its place. */
int command_wrong(const struct command_words *words, uint32_t word, struct sl_err *err, const char *format,
	...) SL_PRINTF(4, 5);
/* The pairs behind the word, checked by what is updated (COMMAND_JOB, _NODE, _PARTITION). */
int command_pairs(struct ctl *c, const struct command_words *words, uint32_t first, struct command *command,
	struct sl_err *err);
const char *command_value(const struct command *command, const char *key);

/* scontrol top (job_set_top()). False: slurmctld would refuse it. */
bool command_top(struct ctl *c, const struct command *command);
void command_do(struct ctl *c, const struct command *command);
/* The parts of it that change what is known of a job, a partition. */
bool command_update_job(struct ctl *c, struct ctl_job *job, const struct command_pair *pair);
bool command_update_partition(struct ctl *c, uint32_t part, const struct command_pair *pair);

#endif
