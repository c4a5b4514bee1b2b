/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_view.c - schedlab view: a run at a moment, as squeue, sinfo, sacct, scontrol, sprio and sshare would
 * print it.
 *
 * Called by one of their names (links that --install lays) the program is that command; run and moment then
 * come from SCHEDLAB_RUN and SCHEDLAB_AT.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/moment/view.h"

const struct view_command view_commands[] = {
	{ "squeue", view_squeue },
	{ "sinfo", view_sinfo },
	{ "sacct", view_sacct },
	{ "scontrol", view_scontrol },
	{ "sprio", view_sprio },
	{ "sshare", view_sshare },
	{ NULL, NULL },
};

static const struct option_def options[] = {
	{ "at", 0, "TIME", false,
		"the moment: seconds since the trace's zero, +3d, a date, or end; default: SCHEDLAB_AT" },
	{ OPTION_TRUST },
	{ "install", 0, "BIN", false,
		"lay links named squeue, sinfo, sacct, scontrol, sprio and sshare to this program in that folder" },
};

const struct view_command *view_find(const char *name)
{
	const struct view_command *view = view_commands;
	while (view->name && strcmp(view->name, name) != 0)
		view++;
	return view->name ? view : NULL;
}

/* By the path by which it is called. */
static const struct view_command *find_named(const char *path)
{
	const char *slash = strrchr(path, '/');
	return view_find(slash ? slash + 1 : path);
}

bool view_is_tool(const char *name) { return find_named(name) != NULL; }

const char *env_value(const char *name)
{
	const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): one thread. */
	return value && *value ? value : NULL;
}

/* Takes --at and --trust out of the line, wherever they stand. */
static int take_ours(struct view_call *call, struct sl_err *err)
{
	static const char at[] = "--at";
	const size_t len = sizeof(at) - 1;
	int kept = 1;
	for (int i = 1; i < call->argc; i++) {
		char *word = call->argv[i];
		if (strcmp(word, "--trust") == 0)
			call->registry->trust.all = true;
		else if (strncmp(word, at, len) != 0 || (word[len] && word[len] != '='))
			call->argv[kept++] = word;
		else if (word[len])
			call->at = word + len + 1;
		else if (i + 1 < call->argc)
			call->at = call->argv[++i];
		else
			return sl_fail(err, SL_USAGE, "option '--at' needs a value: --at TIME");
	}
	call->argc = kept;
	call->argv[kept] = NULL;
	return SL_OK;
}

/* argv[0] is the view's name. */
static int call_view(const struct view_command *view, char **argv, int argc, const char *run,
	const struct args *args, struct sl_err *err)
{
	/* One more than the words: getopt_long wants a NULL behind them. */
	char **words = sl_alloc(args->arena, (size_t)argc + 1, sizeof(*words));
	if (!words)
		return sl_fail_memory(err);
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[0] = sl_strdup(args->arena, view->name, strlen(view->name));
	if (!words[0])
		return sl_fail_memory(err);
	struct view_call call = {
		.argc = argc,
		.argv = words,
		.run = run ? run : env_value("SCHEDLAB_RUN"),
		.registry = args->registry,
		.arena = args->arena,
	};
	const int status = take_ours(&call, err);
	if (!call.at)
		call.at = env_value("SCHEDLAB_AT");
	return status ? status : view->run(&call, err);
}

int view_as_tool(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	return call_view(find_named(argv[0]), argv, (int)argc, NULL, args, err);
}

/* ---- --install ------------------------------------------------------------------------------- */

/* True if the path is a link to a program of that name: laid before, perhaps by another build. */
static bool is_ours(const char *path, const char *self)
{
	char target[4096];
	const char *name = strrchr(self, '/');
	const ssize_t len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	const char *slash = strrchr(target, '/');
	return strcmp(slash ? slash : target, name ? name : self) == 0;
}

static int lay_link(const char *folder, const char *name, const char *self, struct sl_err *err)
{
	char path[4300];
	struct stat is;
	const int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return sl_fail(err, SL_USAGE, "the path of the folder is too long");
	if (lstat(path, &is) == 0) {
		if (!S_ISLNK(is.st_mode) || !is_ours(path, self))
			return sl_fail(err, SL_USAGE,
				"'%s' is there, and is no link to schedlab: it is left as it is; name another folder",
				path);
		if (unlink(path) != 0)
			return sl_fail_sys(err, SL_SYSTEM, "replace", path);
	}
	return symlink(self, path) == 0 ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "write", path);
}

int links_lay(const char *folder, const char *const *name, size_t count, struct sl_err *err)
{
	char self[4096];
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len <= 0)
		return sl_fail_sys(err, SL_SYSTEM, "read", "/proc/self/exe");
	self[len] = '\0';
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return sl_fail_sys(err, SL_SYSTEM, "make", folder);
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++)
		status = lay_link(folder, name[i], self, err);
	return status;
}

static int install(const char *folder, const char *run, struct sl_err *err)
{
	char there[4096];
	char of[4096];
	const char *name[SL_LEN(view_commands)];
	size_t count = 0;
	for (; view_commands[count].name; count++)
		name[count] = view_commands[count].name;
	const int status = links_lay(folder, name, count, err);
	if (status)
		return status;
	if (!realpath(folder, there))
		return sl_fail_sys(err, SL_SYSTEM, "find", folder);
	if (run && !realpath(run, of))
		return sl_fail_sys(err, SL_INPUT, "find", run);
	printf("export PATH=\"%s:$PATH\"\n", there);
	if (run)
		printf("export SCHEDLAB_RUN=\"%s\"\n", of);
	return SL_OK;
}

static int install_words(char **argv, size_t argc, struct sl_err *err)
{
	static const char word[] = "--install";
	const size_t len = sizeof(word) - 1;
	const char *folder = argv[0][len] == '=' ? argv[0] + len + 1 : NULL;
	size_t next = 1;
	if (!folder && argc > 1)
		folder = argv[next++];
	if (!folder || !*folder || argc > next + 1)
		return sl_fail(err, SL_USAGE, "give a folder: schedlab view --install BIN [DIR]");
	return install(folder, next < argc ? argv[next] : NULL, err);
}

/* ---- The command ------------------------------------------------------------------------------- */

/* Neither a run nor a moment is needed to expand a list of hosts. */
static bool needs_run(const struct view_command *view, char **argv, size_t argc)
{
	if (strcmp(view->name, "scontrol") != 0 || !argc)
		return true;
	return strcmp(argv[0], "ping") != 0 &&
	       (argc < 2 || strcmp(argv[0], "show") != 0 || strncmp(argv[1], "host", 4) != 0);
}

static const char *view_name_at(const void *list, size_t i)
{
	(void)list;
	return view_commands[i].name;
}

static int run_words(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	char similar[128];
	if (!argc)
		return sl_fail(
			err, SL_USAGE, "view: an operand is missing: schedlab %s", args->command->usage);
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
		args_help(args);
		return SL_OK;
	}
	if (strncmp(argv[0], "--install", strlen("--install")) == 0)
		return install_words(argv, argc, err);
	const struct view_command *view = view_find(argv[0]);
	if (!view)
		return sl_fail(err, SL_USAGE,
			"unknown view '%s': %sthere are squeue, sinfo, sacct, scontrol, sprio and sshare",
			argv[0], did_you_mean(similar, nearest(argv[0], view_name_at, NULL)));
	const bool run = argc > 1 && argv[1][0] != '-' && needs_run(view, argv + 1, argc - 1);
	if (!run)
		return call_view(view, argv, (int)argc, NULL, args, err);
	char *dir = argv[1];
	argv[1] = argv[0];
	return call_view(view, argv + 1, (int)argc - 1, dir, args, err);
}

const struct command cmd_view = {
	.name = "view",
	.usage =
		"view squeue|sinfo|sacct|scontrol|sprio|sshare DIR [--at TIME] [--trust] [options of that command]",
	.summary = "show a run at a moment, as Slurm's commands would",
	.detail =
		"DIR is a run's directory, or a snapshot; the files that it was made from must still be there.\n"
		"Without --at and SCHEDLAB_AT, sacct and scontrol show the run's end.\n"
		"\n"
		"examples:\n"
		"  schedlab view squeue out --at 3d\n"
		"  schedlab view sinfo out --at 2026-01-12T09:00 -N -l\n"
		"  schedlab view sacct out -X -P -o jobid,user,elapsed,state\n"
		"  schedlab view scontrol out --at 3d show job 7\n"
		"  schedlab view sprio out --at 3d -l\n"
		"  schedlab view --install bin out\n",
	.options = options,
	.option_count = SL_LEN(options),
	.raw = run_words,
};
