/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options_parts.h - the table of options, for options.c.
 */
#ifndef TRACES_SLURM_OPTIONS_PARTS_H
#define TRACES_SLURM_OPTIONS_PARTS_H

#include "sim/plugin.h"

enum slurm_option_value { VALUE_NONE, VALUE_NEEDED, VALUE_MAY };

enum slurm_option_what {
	OPTION_SKIP,    /* Nothing that a scheduler looks at. */
	OPTION_DROPPED, /* It may move a start, and is not followed: counted. at: which of them. */
	/* Of a member of sl_desc: */
	OPTION_COUNT,
	OPTION_MEMORY,
	OPTION_TEXT,
	OPTION_FLAG,
	OPTION_NODES,
	OPTION_EXCLUSIVE,
	OPTION_SWITCHES,
	OPTION_EXTRA,
	OPTION_HINT,
	OPTION_TRES_PER_TASK,
	/* Of the whole job: */
	OPTION_TIME,
	OPTION_TIME_MIN,
	OPTION_BEGIN,
	OPTION_DEADLINE,
	OPTION_NICE,
	OPTION_ARRAY,
	OPTION_REQUEUE,
	OPTION_NO_REQUEUE,
	OPTION_HOLD,
	OPTION_KILL_INVALID,
	OPTION_WRAP,
	OPTION_MORE, /* A text of sl_job_attributes. */
	OPTION_SAID  /* A text of slurm_said. */
};

struct slurm_option {
	const char *name;
	char letter; /* 0: none. */
	uint8_t value, what;
	uint16_t at; /* Of the member. */
};

/* All of them; those with another name for a member stand behind the first. NULL: there are no more. */
const struct slurm_option *slurm_option_at(size_t i);
/* NULL: nobody knows it. A beginning that only one has is enough. */
const struct slurm_option *slurm_option_long(const char *name, size_t len);
const struct slurm_option *slurm_option_short(char letter);

#endif
