/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - what a command line of sbatch, srun or salloc requests.
 *
 * A shell-like line is parted into words and its options are read up to the script or command. Every option
 * that sbatch(1), srun(1) and salloc(1) have is known, with or without a value, so that the next is found;
 * those that no scheduler looks at are passed over. Options that nobody knows, and values that cannot be
 * read, are counted.
 */
#ifndef TRACES_SLURM_OPTIONS_H
#define TRACES_SLURM_OPTIONS_H

#include "sim/plugin.h"

enum { SLURM_COMPONENTS_MAX = 128, SLURM_LINE_MAX = 1 << 20 };

/* What one component says of how its job is run, beside what it requests. */
struct slurm_said {
	struct sl_job_desc *desc; /* By component of a heterogeneous job. */
	size_t desc_count;
	struct sl_job_attributes more; /* Of the first component. */
	const char *array;             /* "0-15%4"; NULL: it is none. */
	const char *account, *script;
	sl_time time_limit; /* SL_NONE: not said; SL_NEVER: none. */
	bool hidden; /* A script may request more in lines of its own (#SBATCH), which are not seen here. */
	uint32_t unknown; /* Options that nobody knows. */
	uint32_t unread;  /* Values that cannot be read. */
	uint32_t position_len;
	const char *first; /* The first such word, not closed by a zero; position_len bytes. */
	uint32_t dropped;  /* Bit i: it says slurm_dropped_name(i), which is not followed. */
};

/* Options that may move a start and are not followed; NULL: there are no more. */
enum { SLURM_DROPPED_MAX = 18 };
const char *slurm_dropped_name(uint32_t i);
/* How many jobs say each of them, to the sink. */
int slurm_say_dropped(const struct sl_sink *sink, const char *file, const uint64_t dropped[SLURM_DROPPED_MAX],
	struct sl_err *err);

/* Bytes that the texts of a line need. */
size_t slurm_options_size(size_t len);
/* text[0..len): "sbatch -N 2 --gres=gpu:1 job.sh". */
struct slurm_line {
	const char *text;
	size_t len;
	sl_time now; /* When it is submitted, for times that are relative ("now+1hour"); SL_NONE: not read. */
	char *space; /* slurm_options_size(len) bytes, which hold the texts. */
};
/* Reads a line. desc: SLURM_COMPONENTS_MAX of them. 0, or why it is no such line. */
int slurm_options(
	const struct slurm_line *line, struct sl_job_desc *desc, struct slurm_said *said, struct sl_err *err);

#endif
