/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.h - messages on stderr: levels, lines as text or as JSON, and how a command's failure is said.
 *
 * The line (and SCHEDLAB_LOG) sets it before anything is said; nothing changes it while threads run. A line
 * is written by one call, so that those of several runs do not mix.
 */
#ifndef SL_LOG_H
#define SL_LOG_H

#include "sim/plugin.h"

struct args;
struct run;
struct scenario;

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_TRACE };

/* Whose line it is. */
struct log_about {
	const char *run; /* NULL: none. */
	bool named;      /* Its name stands in lines of text too: several runs go on. */
	bool timed;      /* With the time of the simulation: */
	sl_time now;
};

/* SL_USAGE: a level that there is none of. */
int log_from_environment(struct sl_err *err);
/* -q, -v, --log-level, in the order of the line, and --log-json, --json. */
int log_from_args(const struct args *args, struct sl_err *err);
bool log_shows(enum log_level level);
/* A line on a terminal that is redrawn makes sense: lines are text, and few. */
bool log_allows_bar(void);

/* "schedlab: text" */
void log_line(enum log_level level, const char *format, ...) SL_PRINTF(2, 3);
/* "schedlab: [3 d 04:00:00] easy: text" */
void log_run(enum log_level level, const struct log_about *about, const char *format, ...) SL_PRINTF(3, 4);
/* What was requested while the program ran (SIGUSR1): printed at any level. */
void log_answer(const char *format, ...) SL_PRINTF(1, 2);
/* The command failed. */
void log_failure(const struct sl_err *err, int status);

/* log_watch.c: what runs do, from LOG_DEBUG on, and what their policies say (prints: at LOG_INFO). Until
 * log_unwatch, which follows once they are over. NULL: nothing of it is wanted, or no memory. */
struct log_watch;
struct log_watch *log_watch(struct run *runs, size_t count, bool prints);
void log_unwatch(struct log_watch *watch, struct run *runs, size_t count);

#endif
