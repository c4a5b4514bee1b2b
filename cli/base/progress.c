/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.c - progress of runs: a line on a terminal, redrawn five times a second, gone at the end; the
 * state of each run on SIGUSR1; budgets of time and memory.
 *
 * A thread reads what the runs write now and then; nothing of it reaches a result, but that a run over its
 * budget ends early and says so.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"

struct progress_bar {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over; /* Signalled once, with done set. */
	bool done;
	struct run *runs;
	size_t count;
	struct sim_progress *progress; /* One a run. */
	struct watched *watched;       /* The same. */
	struct log_watch *log;         /* What the runs do, for the log; NULL: nobody wants it. */
	uint64_t jobs_total;
	double since; /* Seconds of the clock. */
	bool drawn;
	sl_time time_most;
	int64_t memory_most; /* MiB; of both, 0: no bound. */
};

/* What the one that looks on saw of a run. Seconds of the clock; 0: not yet. */
struct watched {
	double begun, over, moved;
	uint64_t events;
};

/* The progress of all runs so far. */
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

static struct seen progress_look(struct progress_bar *bar)
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
	const struct seen seen = progress_look(bar);
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

/* To the width of the terminal: a line that wraps could not be erased. */
static void progress_draw(struct progress_bar *bar)
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

/* ---- SIGUSR1 ------------------------------------------------------------------------------ */

static int64_t resident_mib(void)
{
	char text[128] = "";
	long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fgets(text, sizeof(text), file)) {
		const char *second = strchr(text, ' ');
		pages = second ? strtoll(second, NULL, 10) : 0;
	}
	if (file)
		(void)fclose(file);
	return (int64_t)pages * (sysconf(_SC_PAGESIZE) / 1024) / 1024;
}

static void report_run(const struct progress_bar *bar, size_t i, double now)
{
	struct sim_progress *p = &bar->progress[i];
	const struct run *run = &bar->runs[i];
	const struct watched *watched = &bar->watched[i];
	const char *name = run->choice.text ? run->choice.text : "run";
	char jobs[48];
	char total[48];
	char queued[48];
	char at[64];
	if (watched->begun <= 0) {
		log_answer("%s: has not begun", name);
		return;
	}
	const uint64_t events = atomic_load_explicit(&p->events, memory_order_relaxed);
	const double spent = (watched->over > 0 ? watched->over : now) - watched->begun;
	log_answer(
		"%s: %s, at %s s of the simulation, %s of %s jobs ended, %s waiting, %.0f events/s, %.1f s so far",
		name,
		watched->over > 0            ? "over"
		: now - watched->moved > 2.0 ? "in a long pass"
					     : "runs",
		screen_number(at, atomic_load_explicit(&p->now, memory_order_relaxed), 0),
		screen_number(jobs,
			(int64_t)atomic_load_explicit(&p->jobs_ended, memory_order_relaxed) * 1000000, 0),
		screen_number(total, (int64_t)run->scenario->jobs.count * 1000000, 0),
		screen_number(
			queued, (int64_t)atomic_load_explicit(&p->queued, memory_order_relaxed) * 1000000, 0),
		spent > 0 ? (double)events / spent : 0, spent);
}

static void progress_answer(struct progress_bar *bar, double now)
{
	if (!atomic_exchange(&cli_query, 0))
		return;
	if (bar->drawn)
		(void)fputs("\r\033[K", stderr);
	for (size_t i = 0; i < bar->count; i++)
		report_run(bar, i, now);
	log_answer("the program holds %lld MB of memory", (long long)resident_mib());
}

/* ---- Budgets -------------------------------------------------------------------------------- */

int budgets_check(const struct args *args, struct sl_err *err)
{
	const char *time = arg(args, "max-time");
	const char *memory = arg(args, "max-memory");
	sl_time length;
	int64_t mib;
	if (time && (!sl_get_duration(time, strlen(time), &length) || length <= 0))
		return sl_fail(err, SL_USAGE,
			"option '--max-time' must be a time, like 10m, 2h or 90; not '%.60s'", time);
	if (memory && (!sl_get_memory(memory, strlen(memory), true, &mib) || mib <= 0))
		return sl_fail(err, SL_USAGE,
			"option '--max-memory' must be a size, like 500M or 2G; not '%.60s'", memory);
	return SL_OK;
}

sl_time budget_of_line(char **argv, size_t argc)
{
	static const char name[] = "--max-time";
	static const size_t len = sizeof(name) - 1;
	sl_time most = 0;
	for (size_t i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = NULL;
		if (strncmp(argv[i], name, len) == 0 && argv[i][len] == '=')
			value = argv[i] + len + 1;
		else if (strcmp(argv[i], name) == 0 && i + 1 < argc)
			value = argv[++i];
		if (value && (!sl_get_duration(value, strlen(value), &most) || most < 0))
			most = 0; /* budgets_check says so. */
	}
	return most;
}

bool loading_is_over(const struct script_watch *watch, int64_t *since)
{
	if (atomic_load_explicit(&cli_stop, memory_order_relaxed))
		return true;
	if (!watch->most)
		return false;
	const int64_t now = (int64_t)(clock_seconds() * SL_SECOND);
	if (!*since)
		*since = now;
	return now - *since >= watch->most;
}

static void budgets_of(struct progress_bar *bar, const struct args *args)
{
	const char *time = arg(args, "max-time");
	const char *memory = arg(args, "max-memory");
	if (time)
		(void)sl_get_duration(time, strlen(time), &bar->time_most);
	if (memory)
		(void)sl_get_memory(memory, strlen(memory), true, &bar->memory_most);
}

static void stop_run(struct sim_progress *progress, enum sim_stop why)
{
	int none = SIM_GO_ON;
	(void)atomic_compare_exchange_strong(&progress->stop, &none, why);
}

/* In one pass all the time, it does not hear: nothing of the program is left to wait for. */
static void give_up(const struct run *run, struct sim_progress *progress)
{
	char at[64];
	*sl_put_micro(at, atomic_load_explicit(&progress->now, memory_order_relaxed)) = '\0';
	log_line(LOG_ERROR,
		"%s: past --max-time twice over, and still in one pass, at %s s of the simulation or soon after: "
		"the policy does not come to its end; nothing is written",
		run->choice.text, at);
	_exit(-SL_INTERRUPTED);
}

static void watch(struct progress_bar *bar, double now)
{
	const bool full = bar->memory_most && resident_mib() >= bar->memory_most;
	for (size_t i = 0; i < bar->count; i++) {
		struct sim_progress *p = &bar->progress[i];
		struct watched *watched = &bar->watched[i];
		const uint64_t events = atomic_load_explicit(&p->events, memory_order_relaxed);
		const int phase = atomic_load_explicit(&p->phase, memory_order_relaxed);
		if (watched->begun <= 0 && (phase != SIM_WAITS || events))
			watched->begun = watched->moved = now;
		if (watched->over <= 0 && phase == SIM_OVER)
			watched->over = now;
		if (events != watched->events)
			watched->moved = now;
		watched->events = events;
		if (watched->begun <= 0 || watched->over > 0)
			continue;
		const double spent = (now - watched->begun) * SL_SECOND;
		if (bar->time_most && spent >= (double)bar->time_most)
			stop_run(p, SIM_OUT_OF_TIME);
		if (bar->time_most && spent >= 2 * (double)bar->time_most + 5 * SL_SECOND)
			give_up(&bar->runs[i], p);
		if (full)
			stop_run(p, SIM_OUT_OF_MEMORY);
	}
}

/* ---- The one that looks on --------------------------------------------------------------------- */

static void *looking(void *self)
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
		if (bar->done)
			break;
		const double now = clock_seconds();
		watch(bar, now);
		progress_answer(bar, now);
		if (bar->drawn)
			progress_draw(bar);
	}
	(void)pthread_mutex_unlock(&bar->lock);
	return NULL;
}

static bool on_terminal(void)
{
	const char *kind = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	return isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

static void runs_report(struct run *runs, size_t count, struct sim_progress *progress)
{
	for (size_t i = 0; i < count; i++)
		runs[i].options.progress = progress ? &progress[i] : NULL;
}

/* Without memory or a thread the runs go on unseen. */
struct progress_bar *progress_start(struct run *runs, size_t count, const struct args *args)
{
	struct progress_bar *bar = calloc(1, sizeof(*bar));
	struct sim_progress *progress = calloc(count, sizeof(*progress));
	struct watched *watched = calloc(count, sizeof(*watched));
	if (!bar || !progress || !watched) {
		free(bar);
		free(progress);
		free(watched);
		return NULL;
	}
	*bar = (struct progress_bar){ .runs = runs,
		.count = count,
		.progress = progress,
		.watched = watched,
		.since = clock_seconds(),
		.drawn = !arg_flag(args, "quiet") && log_allows_bar() && on_terminal() };
	budgets_of(bar, args);
	for (size_t i = 0; i < count; i++)
		bar->jobs_total += runs[i].scenario->jobs.count;
	pthread_condattr_t attributes;
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&bar->over, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_mutex_init(&bar->lock, NULL);
	runs_report(runs, count, progress);
	bar->log = log_watch(runs, count, strcmp(args->command->name, "run") == 0);
	if (pthread_create(&bar->thread, NULL, looking, bar) == 0)
		return bar;
	runs_report(runs, count, NULL);
	log_unwatch(bar->log, runs, count);
	free(watched);
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
	if (bar->drawn) {
		(void)fputs("\r\033[K", stderr);
		(void)fflush(stderr);
	}
	runs_report(bar->runs, bar->count, NULL);
	log_unwatch(bar->log, bar->runs, bar->count);
	(void)pthread_cond_destroy(&bar->over);
	(void)pthread_mutex_destroy(&bar->lock);
	free(bar->watched);
	free(bar->progress);
	free(bar);
}
