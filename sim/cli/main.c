/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - schedlab: finds the command, runs it, says what went wrong, once, and exits with its status.
 *
 * Exit codes are statuses, positive (enum sl_status in plugin.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/cli/complete.h"

#ifndef SL_DATADIR
#define SL_DATADIR "/usr/local/share/schedlab"
#endif

static const char *command_at(const void *list, size_t i)
{
	(void)list;
	return command_nth(i) ? command_nth(i)->name : NULL;
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_nth(i); i++)
		if (strcmp(command_nth(i)->name, name) == 0)
			return command_nth(i);
	return NULL;
}

/* The first asks the runs to end and leave what they have. A key held or pressed twice is the same wish: only
 * one that comes two seconds later does not wait. */
static void on_signal(int number)
{
	static _Atomic int64_t first_ms;
	struct timespec now;
	(void)number;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	const int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (!atomic_exchange(&cli_stop, 1))
		first_ms = now_ms;
	else if (now_ms - first_ms > 2000)
		_exit(-SL_INTERRUPTED);
}

/* Whoever looks on while runs go answers; nobody does while files are read. */
static void on_question(int number)
{
	(void)number;
	(void)atomic_fetch_add(&cli_ask, 1);
}

static void catch_signals(void)
{
	/* Calls are not restarted: a read at an idle pipe must end. */
	struct sigaction action = { .sa_handler = on_signal };
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	struct sigaction question = { .sa_handler = on_question, .sa_flags = SA_RESTART };
	(void)sigemptyset(&question.sa_mask);
	(void)sigaction(SIGUSR1, &question, NULL);
#ifdef SIGINFO
	(void)sigaction(SIGINFO, &question, NULL);
#endif
	/* Past a limit on file sizes a write fails, as on a full disk, and is said. */
	(void)signal(SIGXFSZ, SIG_IGN);
}

/* ---- The bundled workload ------------------------------------------------------------ */

static const char bundled[] = "lublin-256.swf";

static bool readable(char *path, size_t size, const char *directory, const char *below)
{
	const int len = snprintf(path, size, "%s/%s/%s", directory, below, bundled);
	return len > 0 && (size_t)len < size && access(path, R_OK) == 0;
}

/* --data, then the environment, then beside the program (installed, or built), then where make install put
 * it. */
bool bundled_find(char *path, size_t size, const char *data)
{
	char self[4096];
	const char *environment =
		getenv("SCHEDLAB_DATA"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	if (data)
		return readable(path, size, data, "traces");
	if (environment && readable(path, size, environment, "traces"))
		return true;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		if (readable(path, size, self, "../share/schedlab/traces") ||
			readable(path, size, self, "../traces/bundled"))
			return true;
	}
	return readable(path, size, SL_DATADIR, "traces");
}

/* ---- Help ------------------------------------------------------------------------------- */

static void overview(FILE *file)
{
	(void)fprintf(file, "usage: schedlab COMMAND [options]\n\n"
			    "Replays a job trace on a modelled cluster under any policy.\n\n");
	for (size_t i = 0; command_nth(i); i++)
		(void)fprintf(file, "  %-11s  %s\n", command_nth(i)->name, command_nth(i)->summary);
	(void)fprintf(file, "  %-11s  %s\n\n'schedlab help COMMAND' shows a command's options.\n", "help",
		"show this, or the options of a command");
}

/* Without arguments: three lines to paste, that work. */
static int first_steps(const char *data)
{
	char path[4200];
	printf("schedlab %s replays a job trace on a modelled cluster under any policy. Try:\n\n",
		SL_VERSION);
	if (bundled_find(path, sizeof(path), data)) {
		printf("  schedlab compare %s\n", path);
		printf("  schedlab inspect %s\n", path);
		printf("  schedlab run %s -p easy -o out\n", path);
	} else {
		printf("  schedlab generate lublin --jobs 10000 --cpus 256 --load 0.9 -o demo.swf\n");
		printf("  schedlab compare demo.swf\n");
		printf("  schedlab inspect demo.swf\n");
	}
	printf("\n'schedlab help' shows all commands.\n");
	return SL_OK;
}

static int unknown_command(const char *name, struct sl_err *err)
{
	char near[128];
	return sl_fail(err, SL_USAGE, "unknown command '%s': %s'schedlab help' shows all", name,
		did_you_mean(near, nearest(name, command_at, NULL)));
}

static int help(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	if (!argc) {
		overview(stdout);
		return SL_OK;
	}
	args->command = command_find(argv[0]);
	if (!args->command)
		return unknown_command(argv[0], err);
	args_help(args);
	return SL_OK;
}

/* ---- The program ---------------------------------------------------------------------------- */

static int command_run(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	if (args->command->raw)
		return args->command->raw(argv, argc, args, err);
	int status = args_parse(args, argv, argc, err);
	const int logged = log_from_args(args, err); /* What is wrong with the line is said as it wants. */
	if (status || logged)
		return status ? status : logged;
	if (arg_flag(args, "help")) {
		args_help(args);
		return SL_OK;
	}
	status = budgets_check(args, err);
	return status ? status : args->command->run(args, err);
}

/* How many words stand before the command's name: --data=DIR, and what every command takes but help. */
static size_t options_before(char **argv, size_t argc, struct args *args)
{
	size_t count = 0;
	for (; count < argc && argv[count][0] == '-'; count++) {
		const char *word = argv[count];
		if (strncmp(word, "--data=", 7) == 0)
			args->data = word + 7;
		else if (strcmp(word, "--log-level") == 0 && count + 1 < argc)
			count++;
		else if (strncmp(word, "--log-", 6) != 0 && strcmp(word, "--quiet") != 0 &&
			 strcmp(word, "--verbose") != 0 &&
			 (word[1] == '-' || word[strspn(word + 1, "qv") + 1]))
			break;
	}
	return count;
}

static int dispatch(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	const size_t before = options_before(argv, argc, args);
	int status = args_before(args, argv, before, err);
	if (status)
		return status;
	argv += before;
	argc -= before;
	if (!argc)
		return first_steps(args->data);
	const char *name = argv[0];
	if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return help(argv + 1, argc - 1, args, err);
	if (strcmp(name, "--version") == 0)
		name = "version";
	if (strcmp(name, "__complete") == 0) {
		const size_t skipped = argc > 2 ? options_before(argv + 1, argc - 2, args) : 0;
		return complete(argv + 1 + skipped, argc - 1 - skipped, args);
	}
	args->command = command_find(name);
	if (!args->command)
		return unknown_command(name, err);
	return command_run(argv + 1, argc - 1, args, err);
}

int main(int argc, char **argv)
{
	struct sl_err err = { 0 };
	struct registry registry;
	catch_signals();
	int status = registry_init(&registry, &err);
	struct args args = { .arena = status ? NULL : arena_new(), .registry = &registry };
	if (!status && !args.arena)
		status = sl_fail_memory(&err);
	if (!status)
		status = log_from_environment(&err);
	if (!status && argc > 0 && shell_is_tool(argv[0]))
		status = shell_as_tool(argv, (size_t)argc, &args, &err);
	else if (!status && argc > 0 && view_is_tool(argv[0]))
		status = view_as_tool(argv, (size_t)argc, &args, &err);
	else if (!status)
		status = dispatch(argv + 1, argc > 0 ? (size_t)argc - 1 : 0, &args, &err);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = sl_fail_sys(&err, SL_SYSTEM, "write", "standard output");
	if (status && (err.text[0] || status == SL_INTERRUPTED)) /* Else it was said. */
		log_failure(&err, status);
	arena_free(args.arena);
	registry_release(&registry);
	return -status;
}
