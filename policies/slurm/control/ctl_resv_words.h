/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_words.h - what is written behind "scontrol create reservation", as scontrol reads it.
 */
#ifndef POLICIES_SLURM_CTL_RESV_WORDS_H
#define POLICIES_SLURM_CTL_RESV_WORDS_H

#include "policies/slurm/control/ctl_resv.h"

enum resv_key {
	RESV_KEY_NAME,
	RESV_KEY_START,
	RESV_KEY_END,
	RESV_KEY_DURATION,
	RESV_KEY_NODES,
	RESV_KEY_NODE_COUNT,
	RESV_KEY_CORE_COUNT,
	RESV_KEY_PARTITION,
	RESV_KEY_USERS,
	RESV_KEY_ACCOUNTS,
	RESV_KEY_GROUPS,
	RESV_KEY_LICENSES,
	RESV_KEY_FEATURES,
	RESV_KEY_FLAGS,
	RESV_KEY_TRES,
	RESV_KEY_TRES_PER_NODE,
	RESV_KEY_START_DELAY,
	RESV_KEY_PARTS,
	RESV_KEY_QOS,
	RESV_KEYS
};

struct resv_given {
	const char *text; /* NULL: not set. */
	size_t len;
	char op; /* '=', '+' or '-'. */
};

struct resv_request {
	struct ctl *c;
	struct resv_given key[RESV_KEYS];
	const char *gres; /* Of TRES, as --gres says it: "gpu:a100:2,mps:50"; NULL: none. */
	const char **why;
};

/* Says why, and is false. */
bool resv_refuse(const struct resv_request *q, const char *why);
/* "Key=value Key+=value ...", values in quotes or not; unknown keys are passed over. */
void resv_read(struct resv_request *q, const char *text);
/* "TRES=node=2,cpu=8,license/x=1" is another way to say NodeCnt, CoreCnt and Licenses; gres have no other.
 * False: it is refused. */
bool resv_tres_apart(struct resv_request *q);
bool resv_is_given(const struct resv_request *q, enum resv_key key);
bool resv_is_said(const struct resv_request *q, enum resv_key key); /* And not empty. */
/* Kept for the run. NULL: an empty value, or no memory. */
const char *resv_kept(const struct resv_request *q, enum resv_key key);
bool resv_is_word(const struct resv_given *g, const char *word); /* In any case. */
/* Each false: it is none. Times as parse_time() reads them; durations in seconds, or in minutes. */
bool resv_time_of(const struct ctl *c, const struct resv_given *g, ctl_time *at);
bool resv_seconds_of(const struct resv_given *g, int64_t *seconds);
bool resv_duration_of(const struct resv_given *g, int64_t *minutes);
/* Each of them, until one is 0; at most `capacity`. */
bool resv_counts_of(const struct resv_given *g, uint32_t *number, uint32_t capacity, uint32_t *count);
bool resv_count_of(const struct resv_given *g, uint32_t *sum); /* "3,2" is 5. */

#endif
