/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.h - results made by hand, for tests of metrics and reports: no run behind them.
 */
#ifndef SL_TEST_RESULT_H
#define SL_TEST_RESULT_H

#include <stdlib.h>
#include <string.h>

#include "sim/plugin.h"

enum { RESULT_JOBS = 20000 };

/* In seconds; -1: never, unknown. */
struct hand_job {
	int64_t submit, start, end;
	int32_t size;
	int64_t limit;
	int32_t user, partition;
	enum sl_state state;
};

struct hand {
	struct sl_jobs jobs;
	struct sl_result result;
	int64_t id[RESULT_JOBS];
	sl_time submit[RESULT_JOBS], run[RESULT_JOBS], limit[RESULT_JOBS], start[RESULT_JOBS],
		end[RESULT_JOBS];
	int32_t size[RESULT_JOBS], user[RESULT_JOBS], account[RESULT_JOBS], partition[RESULT_JOBS];
	uint8_t state[RESULT_JOBS];
};

static inline sl_time hand_time(int64_t seconds) { return seconds < 0 ? SL_NONE : seconds * SL_SECOND; }

/* A result without jobs, on so many cpus. */
static inline struct hand *hand_new(int64_t cpus)
{
	struct hand *hand = calloc(1, sizeof(*hand));
	SL_CHECK(hand);
	hand->jobs = (struct sl_jobs){ .id = hand->id,
		.submit = hand->submit,
		.run = hand->run,
		.limit = hand->limit,
		.size = hand->size,
		.user = hand->user,
		.account = hand->account,
		.partition = hand->partition };
	hand->result = (struct sl_result){ .jobs = &hand->jobs,
		.start = hand->start,
		.end = hand->end,
		.state = hand->state,
		.cpus = cpus,
		.reason_default = SL_REASON_PRIORITY,
		.warmup = SL_NONE };
	return hand;
}

/* One more job, with the next id from 1; first and last of the result follow. */
static inline void hand_add(struct hand *hand, struct hand_job job)
{
	const uint32_t row = hand->jobs.count++;
	SL_CHECK(row < RESULT_JOBS);
	hand->id[row] = row + 1;
	hand->submit[row] = hand_time(job.submit);
	hand->start[row] = hand_time(job.start);
	hand->end[row] = hand_time(job.end);
	hand->limit[row] = hand_time(job.limit);
	hand->run[row] = hand->limit[row];
	hand->size[row] = job.size;
	hand->user[row] = job.user;
	hand->account[row] = -1;
	hand->partition[row] = job.partition;
	hand->state[row] = (uint8_t)job.state;
	if (!row)
		hand->result.first = hand->submit[row];
	if (hand->end[row] > hand->result.last)
		hand->result.last = hand->end[row];
}

#endif
