/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - schedlab: finds the command, runs it, says what went wrong, once, and exits with its status.
 *
 * Exit codes are statuses, positive (enum sl_status in plugin.h).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/complete.h"
#include "sim/lib/builtin.h"

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

/* As a word of a shell's line. */
static void put_word(const char *text)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
	if (*text && !text[strspn(text, plain)]) {
		(void)fputs(text, stdout);
		return;
	}
	putchar('\'');
	for (; *text; text++)
		if (*text == '\'')
			(void)fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

/* The program as it can be called from any folder: its path, where it was called by one. */
static void put_command(const char *program, const char *command, const char *path, const char *options)
{
	char self[4096];
	const ssize_t len =
		program && strchr(program, '/') ? readlink("/proc/self/exe", self, sizeof(self) - 1) : -1;
	if (len > 0)
		self[len] = '\0';
	printf("  ");
	put_word(len > 0 ? self : "schedlab");
	printf(" %s ", command);
	put_word(path);
	printf("%s\n", options);
}

/* Without arguments: three lines to paste, that work in any folder. */
static int first_steps(const char *program, const char *data)
{
	static const char demo[] = "demo.swf";
	char found[4200];
	char real[PATH_MAX];
	const bool is_there = bundled_find(found, sizeof(found), data) && realpath(found, real);
	const char *path = is_there ? real : demo;
	printf("schedlab %s replays a job trace on a modelled cluster under any policy. Try:\n\n",
		SL_VERSION);
	if (!is_there)
		put_command(program, "generate lublin --jobs 10000 --cpus 256 --load 0.9 -o", demo, "");
	put_command(program, "compare", path, "");
	put_command(program, "inspect", path, "");
	if (is_there)
		put_command(program, "run", path, " -p easy -o out");
	printf("\n'schedlab help' shows all commands.\n");
	return SL_OK;
}

static int unknown_command(const char *name, struct sl_err *err)
{
	char similar[128];
	return sl_fail(err, SL_USAGE, "unknown command '%s': %s'schedlab help' shows all", name,
		did_you_mean(similar, nearest(name, command_at, NULL)));
}

static int help(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	const bool of_itself = argc && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
	if (!argc || of_itself) {
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
	args->registry->watch.most = budget_of_line(argv, argc);
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

/* How many words stand before the command's name: --data=DIR, and the options of every command but help. */
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
		return first_steps(args->program, args->data);
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
	FILE *displayed = streams_open() ? inert_stdout() : NULL;
	if (!displayed)
		return -SL_SYSTEM;
	stdout = displayed;
	signals_catch();
	int status = registry_make(&registry, &err);
	registry.trust.guarded = true;
	registry.watch.is_over = loading_is_over;
	struct args args = { .arena = status ? NULL : sl_arena_new(),
		.registry = &registry,
		.program = argc > 0 ? argv[0] : NULL };
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
	if (!status)
		status = streams_close(&err);
	if (status && (err.text[0] || status == SL_INTERRUPTED)) /* Else it was said. */
		log_failure(&err, status);
	sl_arena_free(args.arena);
	registry_release(&registry);
	return -status;
}
