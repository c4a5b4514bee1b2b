/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runset.c - threads get the next slot from a counter, and make of its run what needs no other; the caller's
 * thread handles the results in slot order.
 */
#include "sim/lib/runset.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct runset {
	struct run *run;
	size_t count;
	_Atomic size_t next;
	pthread_mutex_t lock;
	pthread_cond_t finished;
	bool *done; /* By slot; under lock. */
	const struct run_ends *ends;
};

static bool has_result(const struct run *run) { return !run->status || run->status == SL_INTERRUPTED; }

static void phase(const struct run *run, enum sim_phase phase)
{
	if (run->options.progress)
		atomic_store_explicit(&run->options.progress->phase, phase, memory_order_relaxed);
}

static void *work(void *self)
{
	struct runset *set = self;
	size_t slot;
	while ((slot = atomic_fetch_add(&set->next, 1)) < set->count) {
		struct run *run = &set->run[slot];
		run->options.scenario = run->scenario;
		run->options.choice = &run->choice;
		phase(run, SIM_RUNS);
		run->status = sim_run(&run->sim, &run->options, &run->err);
		if (set->ends->over && has_result(run))
			set->ends->over(set->ends->self, run, slot);
		phase(run, SIM_OVER);
		(void)pthread_mutex_lock(&set->lock);
		set->done[slot] = true;
		(void)pthread_cond_broadcast(&set->finished);
		(void)pthread_mutex_unlock(&set->lock);
	}
	return NULL;
}

static void wait_for(struct runset *set, size_t slot)
{
	(void)pthread_mutex_lock(&set->lock);
	while (!set->done[slot])
		(void)pthread_cond_wait(&set->finished, &set->lock);
	(void)pthread_mutex_unlock(&set->lock);
}

unsigned runset_threads(unsigned asked, size_t count)
{
	long threads = asked;
	if (!threads)
		threads = sysconf(_SC_NPROCESSORS_ONLN);
	if (threads < 1)
		threads = 1;
	return (size_t)threads < count ? (unsigned)threads : (unsigned)count;
}

/* It begins with a place in a file ("c.yaml:3:7: ..."). */
static bool is_placed(const char *text)
{
	const char *end = strstr(text, ": ");
	size_t digits = 0;
	while (end && end - digits > text && end[-1 - (ptrdiff_t)digits] >= '0' &&
		end[-1 - (ptrdiff_t)digits] <= '9')
		digits++;
	return digits && end - digits > text && end[-1 - (ptrdiff_t)digits] == ':';
}

/* Where first, then what, then of which policy. */
static int run_failed(const struct run *run, struct sl_err *err)
{
	const char *policy = run->choice.text, *what = run->err.text;
	return is_placed(what) ? sl_fail(err, run->status, "%s (%s)", what, policy)
			       : sl_fail(err, run->status, "%s: %s", policy, what);
}

/* The first failure wins; results that there are are handled all the same. */
static int take_results(struct runset *set, struct sl_err *err)
{
	const struct run_ends *ends = set->ends;
	int status = SL_OK;
	for (size_t slot = 0; slot < set->count; slot++) {
		struct run *run = &set->run[slot];
		wait_for(set, slot);
		if (run->status && !status)
			status = run_failed(run, err);
		if (!ends->done || !has_result(run) || (status && status != SL_INTERRUPTED))
			continue;
		const int failed = ends->done(ends->self, run, slot, err);
		status = status ? status : failed;
	}
	return status;
}

int runset_run(
	struct run *runs, size_t count, unsigned threads, run_done done, void *self, struct sl_err *err)
{
	return runset_run_to(runs, count, threads, &(struct run_ends){ NULL, done, self }, err);
}

int runset_run_to(
	struct run *runs, size_t count, unsigned threads, const struct run_ends *ends, struct sl_err *err)
{
	if (!count)
		return SL_OK;
	struct runset set = { .run = runs, .count = count, .ends = ends };
	const unsigned wanted = runset_threads(threads, count);
	pthread_t *thread = calloc(wanted, sizeof(*thread));
	set.done = calloc(count, sizeof(*set.done));
	if (!thread || !set.done) {
		free(thread);
		free(set.done);
		return sl_fail_memory(err);
	}
	(void)pthread_mutex_init(&set.lock, NULL);
	(void)pthread_cond_init(&set.finished, NULL);
	unsigned started = 0;
	while (started < wanted && pthread_create(&thread[started], NULL, work, &set) == 0)
		started++;
	if (!started) /* No thread could be created: this one does it all. */
		(void)work(&set);
	const int status = take_results(&set, err);
	for (unsigned i = 0; i < started; i++)
		(void)pthread_join(thread[i], NULL);
	(void)pthread_cond_destroy(&set.finished);
	(void)pthread_mutex_destroy(&set.lock);
	free(thread);
	free(set.done);
	return status;
}

void runset_release(struct run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sim_release(&runs[i].sim);
}
