/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate.h - the ways of `schedlab generate` that begin with a trace: another one like it out of its users
 * (generate_resample.c), and the numbers of a model that is like it (generate_fit.c).
 */
#ifndef SL_CLI_GENERATE_H
#define SL_CLI_GENERATE_H

#include "cli/base/cli.h"

/* A word of the line in place of a model's name, and its options. */
struct generate_way {
	const char *word;
	const struct option_def *options;
	size_t option_count;
	int (*run)(const struct args *args, struct sl_err *err);
};
extern const struct generate_way generate_resample, generate_fit;

/* A factor, from a thousandth to a thousand; 1 where absent. */
int generate_factor(const struct args *args, const char *name, double *value, struct sl_err *err);

/* Users from 0 on, by number, each with a job; all that are unknown are one. *user is the caller's to free,
 * by job. largest: number of a user as the jobs have it. */
int generate_users(
	const struct sl_jobs *jobs, uint32_t **user, uint32_t *users, int64_t *largest, struct sl_err *err);
/* What a model makes of one value for each of its parameters, into a file (NULL: standard output). */
struct generate_order {
	const struct sl_generator *generator;
	const struct sl_value *values;
	uint64_t seed;
	uint64_t jobs; /* Set: how many were drawn. */
};
int generate_write(
	struct generate_order *order, const char *path, const struct args *args, struct sl_err *err);

#endif
