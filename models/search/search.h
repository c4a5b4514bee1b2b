/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.h - searches of hyper-parameters: their trials, their rules, and what they cost. Private to
 * models/search.
 *
 * A search is a family of jobs (sl_profile.family) whose scores are known; less is better. Rungs and steps
 * are of work done, kept work included, never of time. Scores are whole millionths as soon as they are made.
 */
#ifndef MODELS_SEARCH_H
#define MODELS_SEARCH_H

#include "sim/plugin.h"

enum search_kind { SEARCH_NONE, SEARCH_MEDIAN, SEARCH_SHA, SEARCH_ASHA, SEARCH_FIRST, SEARCH_KINDS };

enum { SEARCH_ETA_MAX = 1000, SEARCH_STEPS_MAX = 100000 };

struct search_rule {
	enum search_kind kind;
	int64_t eta;    /* One of so many goes on. */
	sl_time rung;   /* Work up to the first rung; of `median`, between two steps. SL_NONE: not said. */
	int64_t target; /* Millionths; SL_NONE: not said. */
};

/* A trial's score after so much work: score + (score_from - score) * 2^(-work / score_time). */
int64_t search_score(const struct sl_profile *profile, sl_time work);
/* The least work after which it is no more than the target, up to `run`; SL_NEVER: there is none. */
sl_time search_reaches(const struct sl_profile *profile, int64_t target, sl_time run);
/* Work of rung k, from 0: rung * eta^k. SL_NEVER: beyond all times. Of `median`: of step k, (k + 1) * rung.
 */
sl_time search_rung(const struct search_rule *rule, uint32_t k);

/* Results of one rung, by (score, row). */
struct search_result {
	int64_t score;
	uint32_t row;
};
struct search_rung {
	struct search_result *result;
	uint32_t count;
};
/* Puts one in its place, which is returned: 0 is the best. There is a free place. */
uint32_t search_put(struct search_rung *rung, struct search_result result);
/* How many of so many go on: one of eta, and no less than one. */
uint32_t search_keep(uint32_t count, int64_t eta);
/* The median, of an even number the mean of the two in the middle; sorts them. count > 0. */
int64_t search_median(int64_t *value, uint32_t count);

/* "tune rule=asha eta=3 rung=10m": what the text says over what was there. */
int search_rule_of(const char *family, struct search_rule *rule, struct sl_err *err);

struct search_trial {
	uint32_t row, family;
	uint32_t next;  /* Rung or step. */
	sl_time due;    /* Work at which it comes; SL_NEVER: none. */
	sl_time wake;   /* When that is, at `rate`; SL_NEVER: not known. */
	uint64_t rate;  /* As it was looked at last. */
	sl_time since;  /* Holds what it requests. */
	uint32_t place; /* 1 + among those that run; 0: it does not. */
	bool over;      /* It ended, or lost. */
	bool completed; /* By itself. */
	bool out;       /* Of sha: not among the best of a rung, even if it had ended by then. */
	bool lost;      /* A rule ended it. */
	int64_t *sum;   /* Of `median`: scores at its steps, added up; [0] is 0. */
	uint32_t steps; /* That it has done. */
	int64_t best;   /* Of those. */
	int64_t units;  /* GPUs, or cpus of one without. */
	__int128 spent; /* Unit-microseconds. */
	sl_time left;   /* Work that it was spared. */
};

struct search_family {
	const char *text;
	size_t name_len; /* Of its first word. */
	struct search_rule rule;
	uint32_t first, count; /* Trials. */
	struct search_rung *rung;
	uint32_t rungs;
	uint32_t level, pending; /* sha: the rung that is being filled; who has yet to come to it. */
	bool over;
	int64_t best;
	uint32_t best_row;
	uint32_t stopped;
};

/* A line of search.csv. */
struct search_line {
	uint32_t family, row, rung;
	sl_time at, work;
	int64_t score, best;
	const char *event;
};

struct search {
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	struct search_family *family;
	uint32_t family_count;
	struct search_trial *trial; /* By (family, row). */
	uint32_t trial_count;
	uint32_t *trial_of; /* By row: 1 + trial; 0: it is none. */
	uint32_t *running;
	uint32_t running_count;
	int64_t *scratch;
	sl_time checked;
	struct search_line *line;
	size_t line_count, line_capacity;
	bool failed; /* No memory for a line: reported at the end. */
};

extern const struct sl_param search_params[4];
int search_init(void **state, const struct sl_model_setup *setup, struct sl_err *err);
void search_release(void *state);
const struct sl_profile *search_profile(const struct search *search, uint32_t row);

/* judge.c: a running trial has come to its rung (or step, or target): losers are cancelled. */
void search_judge(struct search *search, struct sim *sim, uint32_t trial);
/* A trial has ended, by whatever. */
void search_gone(struct search *search, struct sim *sim, uint32_t trial);

int search_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

#endif
