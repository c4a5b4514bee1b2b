/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_shell.c - schedlab shell: Slurm's commands against a paused simulation.
 *
 * At a prompt, from a script, or (links that --install lays) from the user's own shell, one command a
 * process: then the session is a file (SCHEDLAB_SESSION), read and replaced whole under a lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/slurm/shell.h"

static const struct option_def options[] = {
	{ OPTION_CLUSTER_ONE },
	{ "policy", 'p', "POLICY", false,
		"who schedules; default slurm, the only one that follows scontrol" },
	{ OPTION_SET },
	{ "user", 0, "NAME", false, "who types; default user" },
	{ "start", 0, "DATE", false, "what the clock shows at first; default 2026-01-05T09:00" },
	{ "script", 0, "FILE", false, "run the lines of this file, shown with what they say; - is stdin" },
	{ "session", 0, "FILE", false, "go on with this session, if it is there, and keep it up to date" },
	{ "record", 0, "FILE", false, "write the session into this file, whatever was there" },
	{ "install", 0, "BIN", false,
		"lay links named sbatch, srun, squeue ... to this program in that folder, for --session" },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
};

/* What there is a link for. */
static const char *const links[] = { "sbatch", "srun", "salloc", "scancel", "scontrol", "squeue", "sinfo",
	"sacct", "sprio", "sshare", "advance" };

/* ---- The cluster of the lecture ------------------------------------------------------------------- */

static int find_lecture(struct shell *shell, struct sl_err *err)
{
	char path[4300];
	if (!bundled_find(path, sizeof(path) - 100, shell->args->data))
		return shell->cluster
			       ? SL_OK
			       : sl_fail(err, SL_INPUT,
					 "the cluster of the lecture is not where it should be: name one "
					 "with -c, or its folder with schedlab --data=DIR shell");
	char *slash = strrchr(path, '/');
	(void)snprintf(slash, 100, "/dgx/slurm.conf");
	shell->lecture = shell_keep(shell, path);
	return SL_OK;
}

/* A session is reread from elsewhere. */
static const char *absolute(struct shell *shell, const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;
	const char *kept = real ? shell_keep(shell, real) : path;
	free(real);
	return kept;
}

/* Options are words of the session. */
static int setup(struct shell *shell, const struct args *args, struct sl_err *err)
{
	sl_time start;
	const char *date = arg(args, "start");
	shell->cluster = arg(args, "cluster");
	if (arg(args, "policy"))
		shell->policy = arg(args, "policy");
	if (arg(args, "user"))
		shell->user = shell->user_first = arg(args, "user");
	for (const char *set; (set = arg_at(args, "set", shell->set_count));)
		if (shell->set_count == SHELL_SETS_MAX - 1)
			return sl_fail(err, SL_USAGE, "more than %d settings", SHELL_SETS_MAX - 1);
		else
			shell->set[shell->set_count++] = set;
	if (date && (!sl_get_date(date, strlen(date), &start) || start < 0))
		return sl_fail(err, SL_USAGE, "--start %s is no date, as 2026-01-05T09:00", date);
	if (date)
		shell->epoch = start / SL_SECOND;
	if (args->word_count)
		shell->background = args->word[0];
	if (arg(args, "session")) {
		shell->cluster = absolute(shell, shell->cluster);
		shell->background = absolute(shell, shell->background);
	}
	return find_lecture(shell, err);
}

/* The simulation can be made, and numbers go on from the background's. */
static int cmd_shell_check(struct shell *shell, struct sl_err *err)
{
	const size_t entries = shell->entry_count;
	if (entries)
		return SL_OK;
	return now_first_id(shell, err);
}

/* ---- At a prompt, from a script ---------------------------------------------------------------------- */

static int run_lines(struct shell *shell, const char *script, struct sl_err *err)
{
	const bool given = script && strcmp(script, "-") != 0;
	FILE *file = given ? fopen(script, "r") : stdin;
	struct stat is;
	if (!file || (given && stat(script, &is) == 0 && S_ISDIR(is.st_mode))) {
		errno = file ? EISDIR : errno;
		if (file)
			(void)fclose(file);
		return sl_fail_sys(err, SL_INPUT, "open", script);
	}
	shell->script = script != NULL;
	shell->source = (struct shell_source){
		.file = file,
		.name = given ? script : "stdin",
		.terminal = !script && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO),
	};
	if (shell->source.terminal)
		printf("A simulated cluster under policy %s: nothing is run. 'help' shows what there is, 'exit' "
		       "leaves.\n",
			shell->policy);
	const int status = shell_lines(shell, err);
	if (shell->source.terminal && !shell->quit)
		(void)fputc('\n', stdout);
	if (given)
		(void)fclose(file);
	return status;
}

static bool is_there(const char *path)
{
	struct stat is;
	return stat(path, &is) == 0 && (!S_ISREG(is.st_mode) || is.st_size > 0);
}

static int cmd_shell_run(struct shell *shell, const struct args *args, struct sl_err *err)
{
	const char *session = arg(args, "session");
	const char *script = arg(args, "script");
	if (session && arg(args, "record"))
		return sl_fail(err, SL_USAGE, "--session keeps the file up to date: leave out --record");
	int status = setup(shell, args, err);
	if (!status && arg(args, "user") && !shell_is_user(arg(args, "user")))
		status = sl_fail(err, SL_USAGE, "--user: '%.80s' is no name of a user", arg(args, "user"));
	if (!status && session && is_there(session)) {
		if (args->word_count || arg(args, "cluster") || arg(args, "policy") || arg(args, "set") ||
			arg(args, "start"))
			return sl_fail(err, SL_USAGE,
				"'%s' is there, and says what it is of: leave out TRACE, -c, -p, --set and --start, "
				"or remove it",
				session);
		status = shell_load(shell, session, err);
		if (!status && arg(args, "user"))
			shell->user = arg(args, "user");
	}
	shell->file = session ? session : arg(args, "record");
	if (!status)
		status = cmd_shell_check(shell, err);
	if (!status && shell->file)
		status = shell_save(shell, shell->file, err);
	if (!status)
		status = shell_check_inside(shell, err);
	if (!status)
		status = run_lines(shell, script, err);
	if (!status && shell->failed)
		return sl_fail(err, SL_CHECK_FAILED, "%llu of %llu expectations were not met",
			(unsigned long long)shell->failed, (unsigned long long)shell->expectations);
	return status;
}

/* ---- Links --------------------------------------------------------------------------------------------- */

static int install(const struct args *args, struct sl_err *err)
{
	const char *folder = arg(args, "install");
	const char *session = arg(args, "session");
	char there[4096];
	char cwd[4096];
	if (!session)
		return sl_fail(err, SL_USAGE, "--install: of which session? give --session FILE too");
	const int status = links_lay(folder, links, SL_LEN(links), err);
	if (status)
		return status;
	if (!realpath(folder, there))
		return sl_fail_sys(err, SL_SYSTEM, "find", folder);
	if (!getcwd(cwd, sizeof(cwd)))
		return sl_fail_sys(err, SL_SYSTEM, "find", ".");
	printf("export PATH=\"%s:$PATH\"\n", there);
	printf("export SCHEDLAB_SESSION=\"%s%s%s\"\n", session[0] == '/' ? "" : cwd,
		session[0] == '/' ? "" : "/", session);
	return SL_OK;
}

bool shell_is_tool(const char *name)
{
	const char *slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < SL_LEN(links); i++)
		if (strcmp(links[i], name) == 0)
			return env_value("SCHEDLAB_SESSION") || !view_is_tool(name);
	return false;
}

/* Held while a command reads and replaces the session. */
static int lock(const char *session, int *fd, struct sl_err *err)
{
	char path[4200];
	const int len = snprintf(path, sizeof(path), "%s.lock", session);
	if (len < 0 || (size_t)len >= sizeof(path))
		return sl_fail(err, SL_USAGE, "SCHEDLAB_SESSION: the path is too long");
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return sl_fail_sys(err, SL_SYSTEM, "write", path);
	while (flock(*fd, LOCK_EX) != 0)
		if (errno != EINTR || cli_stop)
			return sl_fail_sys(err, SL_SYSTEM, "lock", path);
	return SL_OK;
}

/* One line, on the session as it is now. */
static int one_line(const struct args *args, const char *session, const char *line, size_t *depth, int *said,
	struct sl_err *err)
{
	struct shell shell = { .args = args };
	int fd = -1;
	int status = lock(session, &fd, err);
	if (!status)
		status = shell_begin(&shell, err);
	if (!status)
		status = find_lecture(&shell, err);
	if (!status && is_there(session))
		status = shell_load(&shell, session, err);
	shell.file = session;
	shell.source = (struct shell_source){ .text = line, .name = "command" };
	if (!status)
		status = shell_check_inside(&shell, err);
	if (!status)
		status = shell_lines(&shell, err);
	*depth = shell.depth;
	*said = shell.status;
	shell_end(&shell);
	if (fd >= 0)
		(void)close(fd);
	return status;
}

/* The shell of a job, until it is left. */
static int inside_lines(const struct args *args, const char *session, int *said, struct sl_err *err)
{
	char *line = malloc(SHELL_LINE_MAX);
	size_t depth = 1;
	int status = line ? SL_OK : sl_fail_memory(err);
	(void)fputs("(a simulated shell: hostname, nvidia-smi, squeue ...; 'exit' ends the job)\n", stdout);
	while (!status && depth) {
		if (isatty(STDIN_FILENO))
			(void)fputs("job$ ", stdout);
		(void)fflush(stdout);
		if (!fgets(line, SHELL_LINE_MAX, stdin))
			(void)snprintf(line, SHELL_LINE_MAX, "exit");
		status = one_line(args, session, line, &depth, said, err);
	}
	free(line);
	return status;
}

/* A script on stdin, or the file's, is part of the line. */
static void put_script(struct cell *line, char **argv, size_t argc)
{
	char *text = malloc(SHELL_TEXT_MAX);
	bool named = false; /* A word that may be a script: sbatch reads it itself. */
	for (size_t i = 1; i < argc; i++)
		named |= argv[i][0] != '-' || strncmp(argv[i], "--wrap", 6) == 0;
	if (!text || named || strcmp(argv[0], "sbatch") != 0 || isatty(STDIN_FILENO)) {
		free(text);
		return;
	}
	const size_t len = fread(text, 1, SHELL_TEXT_MAX - 1, stdin);
	text[len] = '\0';
	cell_put(line, " <<END_OF_STDIN\n%s%sEND_OF_STDIN", text, len && text[len - 1] == '\n' ? "" : "\n");
	free(text);
}

int shell_as_tool(char **argv, size_t argc, struct args *args, struct sl_err *err)
{
	const char *session = env_value("SCHEDLAB_SESSION");
	const char *slash = strrchr(argv[0], '/');
	struct cell line = { 0 };
	size_t depth = 0;
	int said = 0;
	if (!session)
		return sl_fail(err, SL_USAGE,
			"of which session? set SCHEDLAB_SESSION to its file: schedlab shell --install BIN --session FILE");
	argv[0] += slash ? slash + 1 - argv[0] : 0;
	const char *user = env_value("SCHEDLAB_USER");
	if (user && !shell_is_user(user))
		return sl_fail(err, SL_USAGE, "SCHEDLAB_USER: '%.80s' is no name of a user", user);
	if (user)
		cell_put(&line, "sudo -u %s ", user);
	if (argc > 1 && strcmp(argv[1], "--trust") == 0) {
		args->registry->trust.all = true;
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	for (size_t i = 0; i < argc; i++) {
		cell_put(&line, "%s", i ? " " : "");
		put_quoted(&line, argv[i]);
	}
	put_script(&line, argv, argc);
	int status = line.text ? one_line(args, session, line.text, &depth, &said, err) : sl_fail_memory(err);
	if (!status && depth && (strcmp(argv[0], "srun") == 0 || strcmp(argv[0], "salloc") == 0))
		status = inside_lines(args, session, &said, err);
	cell_free(&line);
	if (!status && said) { /* The command's own exit status. */
		(void)fflush(stdout);
		exit(said); /* NOLINT(concurrency-mt-unsafe): one thread. */
	}
	return status;
}

/* ---- The command ------------------------------------------------------------------------------------------
 */

static int shell_command_run(const struct args *args, struct sl_err *err)
{
	struct shell shell = { .args = args };
	if (arg(args, "install"))
		return install(args, err);
	int status = shell_begin(&shell, err);
	if (!status)
		status = cmd_shell_run(&shell, args, err);
	shell_end(&shell);
	return status;
}

const struct command cmd_shell = {
	.name = "shell",
	.usage = "shell [TRACE] [options]",
	.summary = "Slurm's commands against a simulation that stands still",
	.detail =
		"sbatch, srun, salloc, scancel, scontrol, squeue, sinfo, sacct, sprio and sshare at a prompt, and\n"
		"'advance 2h', 'advance until 7 starts', 'undo', 'why 7', 'as USER', 'help'. TRACE is other users' load.\n"
		"Without -c the cluster is that of the lecture: ten nodes dgx[0180-0189] with eight V100 each.\n"
		"\n"
		"  schedlab shell\n"
		"  schedlab shell log.swf -c slurm.conf\n"
		"  schedlab shell --script lesson.txt\n"
		"  eval \"$(schedlab shell --install bin --session s.txt)\"; sbatch job.sh; advance 2h; squeue\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 0,
	.words_max = 1,
	.run = shell_command_run,
};
