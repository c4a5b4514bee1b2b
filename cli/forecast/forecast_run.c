/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_run.c - all futures of a question, on threads, each until the last of those asked about has
 * started.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast.h"

/* Looks on while a future runs. */
struct waiting_for {
	const struct future *future;
	sl_time *start; /* By target. */
	uint32_t left;
	_Atomic int stop;
	struct sim_watch watch;
};

/* The target of a job; UINT32_MAX: none. */
static uint32_t target_of(const struct future *future, uint32_t row)
{
	const uint32_t *place = future->scenario.jobs.place;
	return future->emitted[place ? place[row] : row];
}

static void happened(void *self, struct sim *sim, unsigned class, uint32_t row)
{
	struct waiting_for *waits = self;
	if (cli_stop)
		atomic_store_explicit(&waits->stop, 1, memory_order_relaxed);
	if (class != SL_EV_CLASS_COUNT && class != SL_EV_CANCEL)
		return;
	const uint32_t target = target_of(waits->future, row);
	if (target == UINT32_MAX || waits->start[target] != SL_NEVER)
		return;
	waits->start[target] = class == SL_EV_CANCEL ? SL_NONE : sl_now(sim);
	if (--waits->left == 0)
		atomic_store_explicit(&waits->stop, 1, memory_order_relaxed);
}

/* ---- Why they waited -------------------------------------------------------------------------------------
 */

/* By target and reason: how long, over all futures. */
static void add_reasons(const struct future *future, const struct sl_result *result, sl_time *held)
{
	const struct forecast_question *question = future->question;
	for (uint32_t row = 0; row < future->scenario.jobs.count; row++) {
		const uint32_t target = target_of(future, row);
		if (target == UINT32_MAX)
			continue;
		sl_time since = question->state->now;
		enum sl_reason reason = result->reason_default;
		const sl_time start = result->start[row] == SL_NONE ? result->last : result->start[row];
		size_t low = 0;
		size_t high = result->reason_count;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;
			if (result->reasons[middle].job < row)
				low = middle + 1;
			else
				high = middle;
		}
		sl_time *of = &held[(size_t)target * SL_REASON_COUNT];
		for (; low < result->reason_count && result->reasons[low].job == row; low++) {
			const sl_time at = result->reasons[low].at;
			of[reason] += at > since ? at - since : 0;
			since = at > since ? at : since;
			reason = (enum sl_reason)result->reasons[low].reason;
		}
		of[reason] += start > since ? start - since : 0;
	}
}

static void settle_reasons(struct forecast_answer *answer, const sl_time *held)
{
	for (uint32_t i = 0; i < answer->targets; i++) {
		const sl_time *of = &held[(size_t)i * SL_REASON_COUNT];
		enum sl_reason most = SL_REASON_NONE;
		for (int k = 0; k < SL_REASON_COUNT; k++)
			if (of[k] > of[most])
				most = (enum sl_reason)k;
		answer->reason[i] = most;
	}
}

/* ---- The runs
 * ------------------------------------------------------------------------------------------------ */

struct asking {
	const struct forecast_question *question;
	struct forecast_answer *answer;
	struct future *future;
	struct waiting_for *waits;
	struct run *run;
	sl_time *held; /* add_reasons; NULL. */
};

static int prepare(struct asking *asking, uint32_t number, struct sl_err *err)
{
	const struct forecast_question *question = asking->question;
	struct future *future = &asking->future[number];
	struct waiting_for *waits = &asking->waits[number];
	struct run *run = &asking->run[number];
	*future = (struct future){ .question = question, .number = number };
	const int status = future_load(future, err);
	*waits = (struct waiting_for){ .future = future,
		.start = malloc((question->targets + 1) * sizeof(sl_time)),
		.left = question->targets };
	if (!waits->start)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < question->targets; i++)
		waits->start[i] = SL_NEVER;
	waits->watch = (struct sim_watch){ .self = waits, .happened = happened };
	*run = (struct run){ .scenario = &future->scenario, .choice = question->base->choice };
	run->options = (struct sim_options){ .seed = question->seed,
		.stop = &waits->stop,
		.watch = &waits->watch,
		.record = question->reasons ? SIM_RECORD_REASONS : 0 };
	return status;
}

static void collect(struct asking *asking, uint32_t number)
{
	const struct forecast_question *question = asking->question;
	struct forecast_answer *answer = asking->answer;
	const struct future *future = &asking->future[number];
	for (uint32_t i = 0; i < question->targets; i++) {
		sl_time start = asking->waits[number].start[i];
		if (start != SL_NONE && start < question->state->now)
			start = question->state->now; /* It came a little before (forecast_future.c). */
		const size_t at = (size_t)i * answer->futures + number;
		answer->start[at] = start;
		answer->end[at] = start == SL_NONE || start == SL_NEVER ? start : start + future->run[i];
	}
	answer->cut += future->cut;
	if (asking->held)
		add_reasons(future, &asking->run[number].sim.result, asking->held);
}

static int finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	struct asking *asking = self;
	(void)err;
	run->status = SL_OK; /* Stopped, as all that is asked about has started. */
	collect(asking, (uint32_t)slot);
	return cli_stop ? SL_INTERRUPTED : SL_OK;
}

/* What is stopped on purpose is no failure. */
static void over(void *self, struct run *run, size_t slot)
{
	const struct asking *asking = self;
	if (run->status == SL_INTERRUPTED && asking->waits[slot].left == 0)
		run->status = SL_OK;
}

static int asking_run(struct asking *asking, struct sl_err *err)
{
	const struct forecast_question *question = asking->question;
	int status = SL_OK;
	uint32_t prepared = 0;
	while (prepared < question->futures && !status)
		status = prepare(asking, prepared++, err);
	const struct run_ends ends = { over, finished, asking };
	if (!status)
		status = runset_run_to(asking->run, question->futures, question->threads, &ends, err);
	if (!status && asking->held)
		settle_reasons(asking->answer, asking->held);
	for (uint32_t i = 0; i < prepared; i++) {
		runset_release(&asking->run[i], 1);
		future_release(&asking->future[i]);
		free(asking->waits[i].start);
	}
	return status;
}

int forecast_ask(struct forecast_answer *answer, const struct forecast_question *question, struct sl_err *err)
{
	const size_t cells = (size_t)question->targets * question->futures + 1;
	struct asking asking = { .question = question, .answer = answer };
	*answer = (struct forecast_answer){ .targets = question->targets, .futures = question->futures };
	answer->start = malloc(cells * sizeof(*answer->start));
	answer->end = malloc(cells * sizeof(*answer->end));
	answer->reason = calloc(question->targets + 1, sizeof(*answer->reason));
	asking.future = calloc(question->futures, sizeof(*asking.future));
	asking.waits = calloc(question->futures, sizeof(*asking.waits));
	asking.run = calloc(question->futures, sizeof(*asking.run));
	if (question->reasons)
		asking.held = calloc((size_t)question->targets * SL_REASON_COUNT + 1, sizeof(*asking.held));
	int status = SL_OK;
	if (!answer->start || !answer->end || !answer->reason || !asking.future || !asking.waits ||
		!asking.run || (question->reasons && !asking.held))
		status = sl_fail_memory(err);
	else if (question->targets)
		status = asking_run(&asking, err);
	free(asking.future);
	free(asking.waits);
	free(asking.run);
	free(asking.held);
	return status;
}

void forecast_answer_release(struct forecast_answer *answer)
{
	free(answer->start);
	free(answer->end);
	free(answer->reason);
	*answer = (struct forecast_answer){ 0 };
}
