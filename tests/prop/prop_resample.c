/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_resample.c - resampled traces: whose jobs, when, in which order, and how many on average.
 *
 * Seeds are fixed. The bound on a mean over 400 resamples is five of its own standard errors, as these 400
 * show it: one seed in two million would fail.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "models/generators/resample.h"
#include "sim/base/base.h"

#define DAY (86400 * SL_SECOND)

enum { WEEKS = 20, USERS = 12, JOBS_MAX = 4000 };

struct world {
	sl_time submit[JOBS_MAX];
	uint32_t user[JOBS_MAX];
	struct resample_trace trace;
};

/* Users 0 to 5 come all the time, the others for one to three weeks; mornings, from the first day's midnight.
 */
static void make(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "test/resample");
	uint32_t n = 0;
	int64_t begins[USERS];
	int64_t ends[USERS];
	for (uint32_t u = 0; u < USERS; u++) {
		begins[u] = u < 6 ? 0 : 1 + (int64_t)sl_rng_below(&rng, WEEKS - 4);
		ends[u] = u < 6 ? WEEKS : begins[u] + 1 + (int64_t)sl_rng_below(&rng, 3);
	}
	for (int64_t hour = 0; hour < (int64_t)WEEKS * 7 * 24; hour++) {
		if (hour > 0 && (hour % 24 < 8 || hour % 24 > 11 || hour / 24 % 7 > 4))
			continue;
		for (uint32_t u = 0; u < USERS; u++) {
			const int64_t week = hour / 168;
			/* The first job of all is at 0, the last in the last week: 20 weeks. */
			const bool set = hour == 0 && u == 0;
			if (week < begins[u] || week >= ends[u] || (!set && sl_rng_below(&rng, 6)))
				continue;
			w->submit[n] = hour * 3600 * SL_SECOND + (set ? 0 : u) * SL_SECOND;
			w->user[n++] = u;
			cr_assert(n < JOBS_MAX);
		}
	}
	w->trace = (struct resample_trace){ n, w->submit, w->user, USERS };
}

/* Of any resample: day and hour of each job are kept, jobs of a drawn user are of one user, in order, with
 * their gaps but where a long-term user begins the trace again, and all lies in the weeks asked for. */
Test(resample, keeps_users_hours_and_gaps)
{
	static struct world w;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		make(&w, seed);
		const struct resample_options options = { .load = 0.5 + (double)(seed % 5) / 2,
			.temporary = 4,
			.weeks = seed % 3 ? 0 : 7 * (int64_t)(seed % 7 + 1),
			.seed = seed };
		struct resample r;
		struct sl_err err = { 0 };
		cr_assert_eq(resample_make(&r, &w.trace, &options, &err), SL_OK, "%s", err.text);
		cr_expect_eq(r.trace_weeks, WEEKS);
		uint32_t *last = calloc(r.instances, sizeof(*last));
		uint32_t *breaks = calloc(r.instances, sizeof(*breaks));
		for (uint32_t i = 0; i < r.count; i++) {
			const struct resample_job *job = &r.job[i];
			cr_assert_eq((job->submit - w.submit[job->row]) % (7 * DAY), 0);
			cr_assert(job->submit >= 0 && job->submit < r.weeks * 7 * DAY);
			cr_assert(i == 0 || job->submit >= r.job[i - 1].submit);
			if (last[job->instance]) {
				const struct resample_job *before = &r.job[last[job->instance] - 1];
				cr_assert_eq(w.user[job->row], w.user[before->row]);
				cr_assert_eq(job->copy, before->copy);
				const sl_time gap = w.submit[job->row] - w.submit[before->row];
				breaks[job->instance] += job->submit - before->submit != gap;
				/* In order: the next of this user, or from the beginning again. */
				if (job->submit - before->submit == gap)
					for (uint32_t k = before->row + 1; k < job->row; k++)
						cr_assert_neq(w.user[k], w.user[job->row],
							"row %u was left out", k);
			}
			last[job->instance] = i + 1;
		}
		for (uint32_t k = 0; k < r.instances; k++) {
			const uint32_t user = w.user[r.job[last[k] - 1].row];
			cr_expect_leq(
				breaks[k], user < 6 ? (r.weeks + WEEKS - 1) / WEEKS : 0, "user %u", user);
		}
		free(last);
		free(breaks);
		resample_release(&r);
	}
}

/* The mean number of jobs over 400 resamples is the trace's times the load; so is that of each weekday. */
Test(resample, has_the_load_on_average)
{
	static struct world w;
	make(&w, 7);
	static const double loads[] = { 1, 0.4, 1.7 };
	double traced[8] = { w.trace.count };
	for (uint32_t i = 0; i < w.trace.count; i++)
		traced[1 + w.submit[i] / DAY % 7]++;
	for (size_t l = 0; l < SL_LEN(loads); l++) {
		double sum[8] = { 0 };
		double square[8] = { 0 };
		enum { TIMES = 400 };
		for (uint64_t seed = 0; seed < TIMES; seed++) {
			const struct resample_options options = {
				.load = loads[l], .temporary = 4, .seed = seed
			};
			struct resample r;
			struct sl_err err = { 0 };
			double jobs[8] = { 0 };
			cr_assert_eq(resample_make(&r, &w.trace, &options, &err), SL_OK);
			jobs[0] = (double)r.count;
			for (size_t i = 0; i < r.count; i++)
				jobs[1 + r.job[i].submit / DAY % 7]++;
			for (size_t k = 0; k < 8; k++) {
				sum[k] += jobs[k] / TIMES;
				square[k] += jobs[k] * jobs[k] / TIMES;
			}
			resample_release(&r);
		}
		for (size_t k = 0; k < 8; k++) {
			const double error = sqrt((square[k] - sum[k] * sum[k]) / TIMES);
			cr_expect_leq(fabs(sum[k] - loads[l] * traced[k]), 5 * error + 1e-9,
				"load %g, %zu: %g, not %g (%g)", loads[l], k, sum[k], loads[l] * traced[k],
				error);
		}
	}
}

/* One user and nothing else: at load 1 a long-term one is all there, at a random week; twice at load 2. */
Test(resample, one_long_term_user_by_hand)
{
	static const sl_time submit[] = { 0, 7 * DAY + 5, 15 * DAY };
	static const uint32_t user[] = { 0, 0, 0 };
	const struct resample_trace trace = { 3, submit, user, 1 };
	bool seen[3] = { false };
	for (uint64_t seed = 0; seed < 20; seed++) {
		const struct resample_options options = { .load = 2, .temporary = 2, .seed = seed };
		struct resample r;
		struct sl_err err = { 0 };
		cr_assert_eq(resample_make(&r, &trace, &options, &err), SL_OK);
		cr_expect_eq(r.lasting, 1);
		cr_expect_eq(r.count, 6);
		cr_expect_eq(r.instances, 2);
		for (size_t i = 0; i < r.count; i++)
			if (r.job[i].row == 0)
				seen[r.job[i].submit / (7 * DAY)] = true;
		resample_release(&r);
	}
	cr_expect(seen[0] && seen[1] && seen[2], "the first job falls into each week");
}
