/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.c - one line on a terminal, redrawn five times a second, gone at the end.
 *
 * A thread reads what the runs write now and then; nothing of it reaches a
 * result. Elsewhere than on a terminal there is no bar and no thread.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "sim/cli/cli.h"

struct progress_bar {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over; /* Signalled once, with done set. */
	bool done;
	struct run *runs;
	size_t count;
	struct sim_progress *progress; /* One a run. */
	uint64_t jobs_total;
	double since; /* Seconds of the clock. */
};

/* What all runs did so far. */
struct seen {
	uint64_t events, jobs, queued;
	sl_time now;
};

static double clock_seconds(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct seen look(struct progress_bar *bar)
{
	struct seen seen = { 0 };
	for (size_t i = 0; i < bar->count; i++) {
		struct sim_progress *p = &bar->progress[i];
		seen.events += atomic_load_explicit(&p->events, memory_order_relaxed);
		seen.jobs += atomic_load_explicit(&p->jobs_ended, memory_order_relaxed);
		seen.queued += atomic_load_explicit(&p->queued, memory_order_relaxed);
		seen.now = atomic_load_explicit(&p->now, memory_order_relaxed);
	}
	return seen;
}

/* "day 142 (2012-02-11)", of one run; several are at different days. */
static void day_text(char *text, size_t size, const struct progress_bar *bar, sl_time now)
{
	text[0] = '\0';
	if (bar->count != 1 || now < 0)
		return;
	const struct scenario *scenario = bar->runs[0].scenario;
	const int64_t seconds = now / SL_SECOND;
	const int used = snprintf(text, size, "day %" PRId64 "  ", seconds / 86400);
	struct tm date;
	const time_t at = (time_t)(scenario->epoch + scenario->utc_offset + seconds);
	if (scenario->epoch && gmtime_r(&at, &date))
		(void)snprintf(text + used - 2, size - (size_t)used + 2, " (%04d-%02d-%02d)  ",
			date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

static size_t line_text(char *line, size_t size, struct progress_bar *bar)
{
	const struct seen seen = look(bar);
	const double spent = clock_seconds() - bar->since;
	const double share = bar->jobs_total ? (double)seen.jobs / (double)bar->jobs_total : 0;
	char name[48];
	char jobs[48];
	char total[48];
	char queued[48];
	char day[64];
	char left[48] = "";
	if (bar->count == 1)
		(void)snprintf(name, sizeof(name), "%.40s", bar->runs[0].choice.text);
	else
		(void)snprintf(name, sizeof(name), "%zu policies", bar->count);
	day_text(day, sizeof(day), bar, seen.now);
	if (share > 0.001) {
		const unsigned seconds = (unsigned)(spent / share * (1 - share) + 0.5);
		(void)snprintf(left, sizeof(left), "  %u:%02u left", seconds / 60, seconds % 60);
	}
	const int used = snprintf(line, size, "%s  %d %%  %s/%s jobs  %squeue %s  %.0fk events/s%s", name,
		(int)(100 * share), screen_number(jobs, (int64_t)seen.jobs * 1000000, 0),
		screen_number(total, (int64_t)bar->jobs_total * 1000000, 0), day,
		screen_number(queued, (int64_t)seen.queued * 1000000, 0),
		spent > 0 ? (double)seen.events / spent / 1000 : 0, left);
	return (size_t)used < size ? (size_t)used : size - 1;
}

/* To the width of the terminal: a line that wraps could not be taken back. */
static void draw(struct progress_bar *bar)
{
	char line[400];
	struct winsize window;
	size_t len = line_text(line, sizeof(line), bar);
	const size_t width =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : 80;
	if (len >= width)
		len = width - 1;
	(void)fprintf(stderr, "\r%.*s\033[K", (int)len, line);
	(void)fflush(stderr);
}

static void *drawing(void *self)
{
	struct progress_bar *bar = self;
	struct timespec next;
	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	(void)pthread_mutex_lock(&bar->lock);
	while (!bar->done) {
		next.tv_nsec += 200000000;
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		(void)pthread_cond_timedwait(&bar->over, &bar->lock, &next);
		if (!bar->done)
			draw(bar);
	}
	(void)pthread_mutex_unlock(&bar->lock);
	return NULL;
}

static bool on_terminal(void)
{
	const char *kind = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

static void runs_tell(struct run *runs, size_t count, struct sim_progress *progress)
{
	for (size_t i = 0; i < count; i++)
		runs[i].options.progress = progress ? &progress[i] : NULL;
}

/* Without memory or a thread the run goes on without a bar. */
struct progress_bar *progress_start(struct run *runs, size_t count)
{
	if (!on_terminal())
		return NULL;
	struct progress_bar *bar = calloc(1, sizeof(*bar));
	struct sim_progress *progress = calloc(count, sizeof(*progress));
	if (!bar || !progress) {
		free(bar);
		free(progress);
		return NULL;
	}
	*bar = (struct progress_bar){
		.runs = runs, .count = count, .progress = progress, .since = clock_seconds()
	};
	for (size_t i = 0; i < count; i++)
		bar->jobs_total += runs[i].scenario->jobs.count;
	pthread_condattr_t attributes;
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&bar->over, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_mutex_init(&bar->lock, NULL);
	runs_tell(runs, count, progress);
	if (pthread_create(&bar->thread, NULL, drawing, bar) == 0)
		return bar;
	runs_tell(runs, count, NULL);
	free(progress);
	free(bar);
	return NULL;
}

void progress_stop(struct progress_bar *bar)
{
	if (!bar)
		return;
	(void)pthread_mutex_lock(&bar->lock);
	bar->done = true;
	(void)pthread_cond_signal(&bar->over);
	(void)pthread_mutex_unlock(&bar->lock);
	(void)pthread_join(bar->thread, NULL);
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	runs_tell(bar->runs, bar->count, NULL);
	(void)pthread_cond_destroy(&bar->over);
	(void)pthread_mutex_destroy(&bar->lock);
	free(bar->progress);
	free(bar);
}
