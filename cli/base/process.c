/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process.c - what the program has of the system: its three streams, and signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/cli.h"

_Atomic int cli_stop;
_Atomic unsigned cli_query;
_Atomic int cli_unpublished;

/* ---- Streams ---------------------------------------------------------------------------- */

/* A stream that the caller closed leaves its number to the next file that is opened, and what was meant to be
 * printed would end up there. What is opened in its place refuses reads as stdin, writes as stdout and
 * stderr, so that a result that cannot be printed is an error as on any full disk. */
bool streams_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest free number is this one. */
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	}
	return true;
}

/* As a program ends that knows nothing of pipes: quietly, and who waits for it sees why. */
static void end_by_pipe(void)
{
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE);
}

int streams_close(struct sl_err *err)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return SL_OK;
	const int error = errno;
	struct sigaction pipe;
	if (error == EPIPE && sigaction(SIGPIPE, NULL, &pipe) == 0 && pipe.sa_handler != SIG_IGN)
		end_by_pipe();
	if (!error)
		return sl_fail(err, SL_SYSTEM, "cannot write 'standard output'"); /* The reason is gone. */
	errno = error;
	return sl_fail_sys(err, SL_SYSTEM, "write", "standard output");
}

/* ---- Signals ---------------------------------------------------------------------------- */

/* The first signal asks the runs to stop and write what they have. Some senders send it twice at once
 * (timeout(1), to a process and to its group): only one that comes more than 100 ms later is a second
 * request, and ends the program at once. */
static void on_signal(int number)
{
	static _Atomic int64_t first_ms;
	struct timespec now;
	(void)number;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	const int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (!atomic_exchange(&cli_stop, 1))
		first_ms = now_ms;
	else if (now_ms - first_ms > 100)
		_exit(-SL_INTERRUPTED);
}

/* The progress thread answers while runs go; nobody does while files are read. */
static void on_question(int number)
{
	(void)number;
	(void)atomic_fetch_add(&cli_query, 1);
}

/* Nobody reads stdout any more: no reason to go on, unless a directory of results is still to be published.
 * That nobody reads stderr is no reason at all. */
static void on_pipe(int number)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	const int saved = errno;
	(void)number;
	if (!atomic_load(&cli_unpublished) && poll(&out, 1, 0) == 1 && out.revents & POLLERR) {
		sigset_t set;
		end_by_pipe(); /* It is blocked while it is handled. */
		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGPIPE);
		(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	errno = saved;
}

static void process_hear(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

/* Unless the parent set it to be ignored: nohup. */
static void hear_unless_ignored(int number, void (*handler)(int), int flags)
{
	struct sigaction was;
	if (sigaction(number, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
		process_hear(number, handler, flags);
}

void signals_catch(void)
{
	/* Calls are not restarted: a read at an idle pipe must end. */
	process_hear(SIGINT, on_signal, 0);
	process_hear(SIGTERM, on_signal, 0);
	hear_unless_ignored(SIGHUP, on_signal, 0);
	hear_unless_ignored(SIGPIPE, on_pipe, SA_RESTART);
	process_hear(SIGUSR1, on_question, SA_RESTART);
#ifdef SIGINFO
	process_hear(SIGINFO, on_question, SA_RESTART);
#endif
	/* Beyond a limit on file sizes a write fails, as on a full disk, and is reported (SIGXFSZ would
	 * kill). */
	(void)signal(SIGXFSZ, SIG_IGN);
}

/* ---- Folders and files ------------------------------------------------------------------- */

int scratch_make(char *path, size_t size, struct sl_err *err)
{
	const char *folder = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	const int len = snprintf(path, size, "%s/schedlab-XXXXXX", folder ? folder : "/tmp");
	if (len < 0 || (size_t)len >= size || !mkdtemp(path))
		return sl_fail_sys(err, SL_SYSTEM, "make a folder in", folder ? folder : "/tmp");
	return SL_OK;
}

int folders_make(char *path, size_t from, const char *verb, struct sl_err *err)
{
	for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
		const int status = there ? SL_OK : sl_fail_sys(err, SL_SYSTEM, verb, path);
		*slash = '/';
		if (status)
			return status;
	}
	return SL_OK;
}

const char *text_of_file(const char *path, size_t *len, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	const char *kept = NULL;
	if (sl_input_open(&in, path, err))
		return NULL;
	if (sl_input_all(in, &text, &end, err) == SL_OK) {
		kept = sl_strdup(arena, text, (size_t)(end - text));
		if (!kept)
			(void)sl_fail_memory(err);
		else if (len)
			*len = (size_t)(end - text);
	}
	sl_input_close(in);
	return kept;
}
