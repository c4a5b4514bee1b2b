/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_run.c - a session's lines, one after another: who answers to which word.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/slurm/shell.h"

int shell_says(struct shell *shell, int status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	shell->status = status;
	if (!shell->trusted) {
		(void)fflush(stdout);
		(void)vfprintf(stderr, format, args);
		(void)fputc('\n', stderr);
	}
	va_end(args);
	return SL_OK;
}

/* ---- Views ---------------------------------------------------------------------------------------- */

/* squeue --me is the user; sacct lists a user's own jobs, and root everybody's. */
static size_t view_words(struct shell *shell, const struct shell_words *words, char **argv)
{
	size_t count = 0;
	bool own = strcmp(words->word[0], "sacct") == 0 && strcmp(shell->user, "root") != 0;
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->word[i];
		if (strcmp(word, "--me") == 0 && strcmp(words->word[0], "squeue") == 0)
			argv[count++] = shell_text(shell, "--user=%s", shell->user);
		else
			argv[count++] = words->word[i];
		if (strncmp(word, "--user", 6) == 0 || strncmp(word, "-u", 2) == 0 ||
			strcmp(word, "-a") == 0 || strcmp(word, "--allusers") == 0)
			own = false;
	}
	if (own)
		argv[count++] = shell_text(shell, "--user=%s", shell->user);
	argv[count] = NULL;
	return count;
}

static int shell_run_show(struct shell *shell, const struct view_command *which,
	const struct shell_words *words, struct sl_err *err)
{
	struct view view;
	bool taken = false;
	char **argv = calloc(words->count + 4, sizeof(*argv));
	if (!argv)
		return sl_fail_memory(err);
	const size_t count = view_words(shell, words, argv);
	int status = now_open(shell, &view, err);
	if (!status) {
		struct sl_err said = { 0 };
		const struct view_call call = {
			.argc = (int)count,
			.argv = argv,
			.registry = shell->args->registry,
			.arena = shell->arena,
			.open = &view,
			.taken = &taken,
		};
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread. */
		optind = 0; /* getopt begins anew. */
		const int displayed = which->run(&call, &said);
		shell->status = displayed ? 1 : 0;
		if (said.text[0])
			(void)shell_says(shell, 1, "%s: %s", words->word[0], said.text);
	}
	if (!taken)
		view_close(&view);
	free(argv);
	return status;
}

/* scontrol show, ping: nothing changes. */
bool shell_shows(struct shell *shell, struct shell_words *words, int *status, struct sl_err *err)
{
	static const char *const shows[] = { "show", "ping", "version", "--version", "-V", "--help", "-h",
		"help" };
	size_t at = 1;
	while (at < words->count && words->word[at][0] == '-' && strcmp(words->word[at], "--help") != 0 &&
		strcmp(words->word[at], "-h") != 0 && strcmp(words->word[at], "-V") != 0)
		at++;
	for (size_t i = 0; i < SL_LEN(shows) && at < words->count; i++)
		if (strcmp(words->word[at], shows[i]) == 0) {
			*status = shell_run_show(shell, view_find("scontrol"), words, err);
			return true;
		}
	return false;
}

static shell_command dispatch;

/* ---- Words of the session itself --------------------------------------------------------------------- */

static const char help_text[] =
	"Slurm's commands, against a simulation that stands still:\n"
	"  sbatch SCRIPT      srun CMD         salloc          scancel JOB      scontrol show|update|hold|...\n"
	"  squeue             sinfo            sacct           sprio            sshare\n"
	"Time goes on only when it is told to (and while srun and salloc wait):\n"
	"  advance 2h         advance to 12:00                 now\n"
	"  advance until 7 starts|ends\n"
	"The session:\n"
	"  as USER            act as another user; 'as root' may do everything, 'sudo CMD' one thing\n"
	"  why JOB            why it waited, and what would have been\n"
	"  undo               take the last input back          history   all inputs\n"
	"  save FILE          load FILE       background TRACE others' jobs, before anything else\n"
	"  exit               leave a job's shell, or the session\n"
	"How long a job runs: --run-time=5m, '#SCHEDLAB run=5m' in its script, else its lines 'sleep 300', else its\n"
	"time limit. Nothing that a job would do is done. The options are those of Slurm 22.05's own pages.\n"
	"The scheduler is policy '%s'; clusters of Kubernetes are not there: schedlab run -p kueue.\n";

static SHELL_COMMAND(do_help)
{
	printf(help_text, shell->policy);
	return SL_OK;
}

bool shell_is_user(const char *name)
{
	return *name && *name != '-' && strlen(name) <= 60 && !strpbrk(name, " \t\r\n,=@\"'\\#;<");
}

static SHELL_COMMAND(do_as)
{
	if (words->count != 2 || !shell_is_user(words->word[1]))
		return shell_says(shell, 2, "as: who? 'as alice'");
	shell->user = words->word[1];
	return shell_entry_add(shell, line, err);
}

static SHELL_COMMAND(do_undo)
{
	if (!shell->entry_count)
		return shell_says(shell, 1, "undo: nothing has been done");
	const char *last = shell->entry[shell->entry_count - 1];
	printf("undone: %.*s\n", (int)strcspn(last, "\n"), last);
	const int status = shell_undo(shell, err);
	return status ? status : shell_check_inside(shell, err);
}

static SHELL_COMMAND(do_history)
{
	for (size_t i = 0; i < shell->entry_count; i++)
		printf("%5zu  %.*s\n", i + 1, (int)strcspn(shell->entry[i], "\n"), shell->entry[i]);
	return SL_OK;
}

/* A file that cannot be written, or read, ends no session. */
static int shell_run_reported(struct shell *shell, const char *what, int status, struct sl_err *err)
{
	if (status && status != SL_INTERRUPTED) {
		(void)shell_says(shell, 1, "%s: %s", what, err->text);
		*err = (struct sl_err){ 0 };
		return SL_OK;
	}
	return status;
}

/* Who types at a prompt, or into our standard input, is the user; lines of a script or a session may be
 * anybody's. */
static bool is_of_file(const struct shell *shell)
{
	return shell->trusted || (shell->source.file && shell->source.file != stdin);
}

static struct sl_place source_at(const struct shell *shell)
{
	return (struct sl_place){ shell->source.name, shell->source.line, 0 };
}

static SHELL_COMMAND(do_save)
{
	if (words->count != 2)
		return shell_says(shell, 2, "save: into which file?");
	const struct sl_place at = source_at(shell);
	const int status = is_of_file(shell) ? trust_query(&shell->args->registry->trust, TRUST_WRITE, NULL,
						       words->word[1], &at, err)
					     : SL_OK;
	return status ? status
		      : shell_run_reported(shell, "save", shell_save(shell, words->word[1], err), err);
}

static SHELL_COMMAND(do_load)
{
	if (words->count != 2)
		return shell_says(shell, 2, "load: from which file?");
	int status = shell_load(shell, words->word[1], err);
	if (status)
		return shell_run_reported(shell, "load", status, err);
	if (shell->file)
		status = shell_save(shell, shell->file, err);
	return status ? status : shell_check_inside(shell, err);
}

static SHELL_COMMAND(do_why)
{
	if (words->count != 2)
		return shell_says(shell, 2, "why: of which job? 'why 7'");
	return shell_run_reported(shell, "why", now_explain(shell, words->word[1], err), err);
}

static SHELL_COMMAND(do_sudo)
{
	const char *user = shell->user;
	if (words->count < 2)
		return shell_says(shell, 2, "sudo: which command?");
	/* sudo -u NAME COMMAND */
	const bool named = words->count > 3 && strcmp(words->word[1], "-u") == 0;
	const char *who = named ? words->word[2] : "root";
	if (!shell_is_user(who) || (!named && words->word[1][0] == '-'))
		return shell_says(
			shell, 2, "sudo: 'sudo COMMAND' is root's, 'sudo -u alice COMMAND' alice's");
	for (size_t i = 0; i < (named ? 3 : 1); i++) {
		line += strspn(line, " \t");
		line += strcspn(line, " \t");
	}
	const size_t gone = named ? 3 : 1;
	memmove(words->word, words->word + gone, (words->count - gone + 1) * sizeof(*words->word));
	words->count -= gone;
	shell->user = shell_keep(shell, who);
	const size_t entries = shell->entry_count;
	const int status = dispatch(shell, words, line + strspn(line, " \t"), err);
	shell->user = user;
	if (!status && shell->entry_count > entries && !shell->depth) {
		/* As it was typed, by whom. */
		const char **last = &shell->entry[shell->entry_count - 1];
		*last = named ? shell_text(shell, "sudo -u %s %s", shell_keep(shell, who), *last)
			      : shell_text(shell, "sudo %s", *last);
		return shell->file && !shell->trusted ? shell_save(shell, shell->file, err) : SL_OK;
	}
	return status;
}

/* ---- What the session is of ---------------------------------------------------------------------------- */

/* What it names is executed if the user says so, here or on the line. */
static int setup_trusted(const struct shell *shell, const char *key, const char *value, struct sl_err *err)
{
	struct registry *registry = shell->args->registry;
	const struct sl_place at = source_at(shell);
	const bool policy = strcmp(key, "policy") == 0;
	struct settings settings = { .arena = shell->arena };
	struct sl_err none = { 0 };
	if (!policy && strcmp(key, "set") != 0)
		return SL_OK;
	if (!is_of_file(shell))
		return policy ? trust_say_policy(registry, value, err)
			      : trust_say_setting(&registry->trust, value, registry->arena, err);
	/* With all that was set; what is no setting is reported by its parser. */
	for (size_t i = 0; i < shell->set_count; i++)
		(void)settings_add(&settings, shell->set[i], &none);
	if (!policy && settings_add(&settings, value, &none))
		return SL_OK;
	return policy_trusted(registry, policy ? value : shell->policy, &settings, &at, err);
}

static SHELL_COMMAND(do_setup)
{
	const char *key = words->word[0];
	const char *value = words->count == 2 ? words->word[1] : NULL;
	if (!value)
		return shell_says(shell, 2, "%s: one word has to follow", key);
	if (shell->entry_count || shell->job_count)
		return shell_says(shell, 2, "%s: what a session is of is said before its first command", key);
	const int asked = setup_trusted(shell, key, value, err);
	if (asked)
		return asked;
	struct shell was = *shell;
	sl_time start;
	if (strcmp(key, "cluster") == 0)
		shell->cluster = value;
	else if (strcmp(key, "policy") == 0)
		shell->policy = value;
	else if (strcmp(key, "background") == 0)
		shell->background = value;
	else if (strcmp(key, "user") == 0 && shell_is_user(value))
		shell->user = shell->user_first = value;
	else if (strcmp(key, "set") == 0 && shell->set_count < SHELL_SETS_MAX)
		shell->set[shell->set_count++] = value;
	else if (strcmp(key, "start") == 0 && sl_get_date(value, strlen(value), &start) && start >= 0)
		shell->epoch = start / SL_SECOND;
	else
		return strcmp(key, "user") == 0
			       ? shell_says(shell, 2, "user: '%s' is no name of a user", value)
			       : shell_says(shell, 2, "%s: '%s' is no date (2026-01-05T09:00)", key, value);
	/* All of a file's first lines together; what is typed is tried at once. */
	const int status =
		shell->trusted && strcmp(key, "background") != 0 ? SL_OK : now_first_id(shell, err);
	if (status && !shell->trusted) {
		*shell = was;
		return shell_run_reported(shell, key, status, err);
	}
	return status;
}

/* ---- Expectations
 * ------------------------------------------------------------------------------------------ */

/* Runs of blanks count as one. */
static char *squeezed(struct shell *shell, const char *text)
{
	char *out = shell_keep(shell, text);
	size_t len = 0;
	for (const char *p = text; *p; p++)
		if ((*p != ' ' && *p != '\t') || !len || out[len - 1] != ' ')
			out[len++] = (char)(*p == '\t' ? ' ' : *p);
	if (*out)
		out[len] = '\0';
	return out;
}

static SHELL_COMMAND(do_expect)
{
	if (!shell->script)
		return shell_says(shell, 2, "%s: of scripts (--script)", words->word[0]);
	if (words->count != 2)
		return shell_says(shell, 2, "%s: one text has to follow, in quotes", words->word[0]);
	const bool wanted = strcmp(words->word[0], "expect") == 0;
	const char *output = squeezed(shell, shell->output ? shell->output : "");
	shell->expectations++;
	if ((strstr(output, squeezed(shell, words->word[1])) != NULL) == wanted)
		return SL_OK;
	shell->failed++;
	return shell_says(shell, 1, "%s:%" PRIu64 ": %s: '%s'", shell->source.name, shell->source.line,
		wanted ? "what was said has not in it" : "what was said has in it", words->word[1]);
}

/* ---- The table
 * ------------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	shell_command *run;
} table[] = {
	{ "sbatch", shell_sbatch },
	{ "srun", shell_srun },
	{ "salloc", shell_salloc },
	{ "scancel", shell_scancel },
	{ "scontrol", shell_scontrol },
	{ "advance", shell_advance },
	{ "now", shell_now },
	{ "date", shell_now },
	{ "as", do_as },
	{ "undo", do_undo },
	{ "history", do_history },
	{ "save", do_save },
	{ "load", do_load },
	{ "why", do_why },
	{ "help", do_help },
	{ "sudo", do_sudo },
	{ "cluster", do_setup },
	{ "policy", do_setup },
	{ "set", do_setup },
	{ "start", do_setup },
	{ "user", do_setup },
	{ "background", do_setup },
	{ "expect", do_expect },
	{ "unexpect", do_expect },
	{ "exit", shell_leave },
	{ "logout", shell_leave },
	{ "quit", shell_leave },
	{ "leave", shell_leave },
	{ "left", shell_leave },
};

/* sleep, in a job's shell: time goes by. */
static int do_sleep(struct shell *shell, const struct shell_words *words, struct sl_err *err)
{
	struct shell_words advance = { .count = 2 };
	advance.word[0] = shell_keep(shell, "advance");
	advance.word[1] = words->count > 1 ? words->word[1] : advance.word[0];
	return shell_advance(shell, &advance, "", err);
}

/* A session's file is a list of inputs: rereading one writes no files, and none that reads itself. */
static bool is_input(const char *name)
{
	static const char *const others[] = { "undo", "history", "save", "load", "why", "help", "now", "date",
		"exit", "logout", "quit", "expect", "unexpect" };
	for (size_t i = 0; i < SL_LEN(others); i++)
		if (strcmp(others[i], name) == 0)
			return false;
	return true;
}

static SHELL_COMMAND(dispatch)
{
	const struct sl_place at = { shell->source.name, shell->source.line, 1 };
	const char *slash = strrchr(words->word[0], '/');
	const char *name = slash ? slash + 1 : words->word[0];
	if (shell->trusted && !is_input(name))
		return sl_fail_at(err, &at, "'%.40s' is no input of a session: leave the line out", name);
	for (size_t i = 0; i < SL_LEN(table); i++)
		if (strcmp(table[i].name, name) == 0) {
			words->word[0] = shell_keep(shell, name);
			return table[i].run(shell, words, line, err);
		}
	const struct view_command *view = view_find(name);
	if (view)
		return shell->trusted ? SL_OK : shell_run_show(shell, view, words, err);
	if (strcmp(name, "sleep") == 0)
		return do_sleep(shell, words, err);
	if (shell_program(shell, words->word, words->count))
		return SL_OK;
	const char *similar = sl_nearest(name, shell_names);
	return shell_says(shell, 127, "bash: %s: command not found (%s%s%s)", name,
		similar ? "did you mean '" : "", similar ? similar : "'help' shows what there is",
		similar ? "'?" : "");
}

static int shell_line(struct shell *shell, const char *line, struct sl_err *err)
{
	struct shell_words *words = malloc(sizeof(*words));
	if (!words)
		return sl_fail_memory(err);
	int status = shell_words(shell, line, words, err);
	if (!status && words->count) {
		if (strcmp(words->word[0], "expect") != 0 && strcmp(words->word[0], "unexpect") != 0)
			shell->status = 0;
		status = dispatch(shell, words, line, err);
	} else if (status == SL_INPUT && shell->source.terminal) {
		status = shell_run_reported(shell, "schedlab", status, err);
	}
	free(words);
	return status;
}

/* ---- All lines
 * --------------------------------------------------------------------------------------------------- */

/* What a line writes, kept beside being written. */
struct capture {
	int out, err, file;
};

static void capture_begin(struct capture *capture)
{
	(void)fflush(stdout);
	(void)fflush(stderr);
	capture->file = memfd_create("output", 0);
	capture->out = dup(STDOUT_FILENO);
	capture->err = dup(STDERR_FILENO);
	if (capture->file < 0 || capture->out < 0 || capture->err < 0)
		return;
	(void)dup2(capture->file, STDOUT_FILENO);
	(void)dup2(capture->file, STDERR_FILENO);
}

static void capture_end(struct shell *shell, struct capture *capture, bool kept)
{
	(void)fflush(stdout);
	(void)fflush(stderr);
	if (capture->out >= 0)
		(void)dup2(capture->out, STDOUT_FILENO);
	if (capture->err >= 0)
		(void)dup2(capture->err, STDERR_FILENO);
	const off_t size = capture->file < 0 ? 0 : lseek(capture->file, 0, SEEK_END);
	char *text = size > 0 ? sl_alloc(shell->arena, (size_t)size + 1, 1) : NULL;
	if (text && pread(capture->file, text, (size_t)size, 0) == size) {
		text[size] = '\0';
		(void)fputs(text, stdout);
	}
	if (kept)
		shell->output = text ? text : "";
	(void)close(capture->file);
	(void)close(capture->out);
	(void)close(capture->err);
}

static int script_line(struct shell *shell, const char *line, struct sl_err *err)
{
	struct capture capture;
	char prompt[200];
	const char *p = line + strspn(line, " \t");
	const bool expects = strncmp(p, "expect ", 7) == 0 || strncmp(p, "unexpect ", 9) == 0;
	if (expects)
		return shell_line(shell, line, err);
	if (*p && *p != '#')
		printf("%s%s\n", shell_prompt(shell, prompt), line);
	else if (*p)
		printf("%s\n", line);
	else
		return SL_OK;
	capture_begin(&capture);
	const int status = shell_line(shell, line, err);
	capture_end(shell, &capture, *p && *p != '#');
	return status;
}

int shell_lines(struct shell *shell, struct sl_err *err)
{
	char *line = malloc(SHELL_LINE_MAX);
	int status = line ? 1 : sl_fail_memory(err);
	while (status > 0 && !shell->quit && (status = shell_read(shell, line, err)) > 0) {
		const int ran = shell->script && !shell->trusted ? script_line(shell, line, err)
								 : shell_line(shell, line, err);
		if (ran == SL_INTERRUPTED && shell->source.terminal) {
			cli_stop = 0; /* The command ends, not the session. */
			*err = (struct sl_err){ 0 };
			(void)fputs("^C\n", stderr);
		} else if (ran) {
			status = ran;
		}
	}
	free(line);
	return status < 0 ? status : SL_OK;
}
