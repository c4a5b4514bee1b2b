/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resample.h - another trace like this one, out of its users (resample.c).
 */
#ifndef GENERATORS_RESAMPLE_H
#define GENERATORS_RESAMPLE_H

#include "sim/plugin.h"

#define RESAMPLE_WEEK (INT64_C(7) * 86400 * SL_SECOND)

/* Jobs by submission. */
struct resample_trace {
	uint32_t count;
	const sl_time *submit;
	const uint32_t *user; /* 0 .. users - 1 */
	uint32_t users;
};

struct resample_options {
	double load;       /* A factor on the number of users. */
	int64_t temporary; /* Weeks: users whose jobs all lie within so many are temporary. */
	int64_t weeks;     /* Of what is made; 0: as the trace has. */
	uint64_t seed;
};

/* A job of what is made. */
struct resample_job {
	sl_time submit;
	uint32_t row;      /* Of the trace. */
	uint32_t instance; /* Which drawn user it is of: 0, 1 ... */
	uint32_t copy;     /* How many before it were drawn of the same user. */
};

struct resample {
	struct resample_job *job; /* By submission, then instance, then row. */
	size_t count, capacity;
	uint32_t instances;
	int64_t weeks, trace_weeks;
	uint32_t temporary, lasting; /* Users of the trace. */
};

int resample_make(struct resample *r, const struct resample_trace *trace,
	const struct resample_options *options, struct sl_err *err);
void resample_release(struct resample *r);

#endif
