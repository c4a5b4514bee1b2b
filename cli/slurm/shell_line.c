/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_line.c - lines of a session: read from a terminal (GNU readline), a file or a text, and parted into
 * words as a shell does.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "cli/slurm/shell.h"

const char *const shell_names[] = { "advance", "as", "background", "cluster", "echo", "env", "exit", "expect",
	"help", "history", "hostname", "load", "now", "nvidia-smi", "policy", "quit", "sacct", "salloc",
	"save", "sbatch", "scancel", "scontrol", "set", "sinfo", "sleep", "sprio", "squeue", "srun", "sshare",
	"start", "sudo", "undo", "unexpect", "why", NULL };

/* ---- The prompt --------------------------------------------------------------------------------- */

const char *shell_date(const struct shell *shell, sl_time time, char text[40])
{
	const time_t seconds = (time_t)(shell->epoch + time / SL_SECOND);
	struct tm parts;
	if (!gmtime_r(&seconds, &parts) || !strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &parts))
		(void)snprintf(text, 40, "?");
	return text;
}

const char *shell_prompt(const struct shell *shell, char text[200])
{
	char date[40];
	const struct shell_inside *in = shell->depth ? &shell->inside[shell->depth - 1] : NULL;
	(void)shell_date(shell, shell->now, date);
	date[10] = ' ';
	(void)snprintf(text, 200, "%.60s@%.60s [%s]%s ", shell->user, in && in->step ? in->node : "login",
		date, strcmp(shell->user, "root") == 0 ? "#" : "$");
	return text;
}

/* ---- Lines ---------------------------------------------------------------------------------------- */

static char *name_next(const char *text, int state)
{
	static size_t at; /* readline asks for one after another. */
	const size_t len = strlen(text);
	at = state ? at : 0;
	while (shell_names[at])
		if (strncmp(shell_names[at++], text, len) == 0)
			return strdup(shell_names[at - 1]);
	return NULL;
}

/* The first word is a command; others are files. */
static char **complete(const char *text, int start, int end)
{
	(void)end;
	return start == 0 ? rl_completion_matches(text, name_next) : NULL;
}

static int too_long(const struct shell_source *source, struct sl_err *err)
{
	const struct sl_place at = { source->name, source->line, 1 };
	return sl_fail_at(err, &at, "a line is longer than %d characters", SHELL_LINE_MAX - 2);
}

/* Ctrl-C: the line is discarded. */
static int on_signal(void)
{
	if (cli_stop) {
		rl_replace_line("", 0);
		rl_done = 1;
	}
	return 0;
}

static int terminal_line(struct shell *shell, char *line, struct sl_err *err)
{
	char prompt[200];
	rl_attempted_completion_function = complete;
	rl_readline_name = "schedlab";
	/* It moves the cursor: what it says is its own, and names in it are what was typed. */
	rl_outstream = fdopen(dup(STDOUT_FILENO), "w");
	rl_signal_event_hook = on_signal;
	char *text = readline(shell->source.more ? "> " : shell_prompt(shell, prompt));
	shell->source.line++;
	cli_stop = 0;
	if (!text)
		return 0;
	const size_t len = strlen(text);
	if (len + 2 > SHELL_LINE_MAX) {
		free(text);
		return too_long(&shell->source, err);
	}
	memcpy(line, text, len + 1);
	if (*text)
		add_history(text);
	free(text);
	return 1;
}

static int text_line(struct shell_source *source, char *line, struct sl_err *err)
{
	if (!*source->text)
		return 0;
	const size_t len = strcspn(source->text, "\n");
	source->line++;
	if (len + 2 > SHELL_LINE_MAX)
		return too_long(source, err);
	memcpy(line, source->text, len);
	line[len] = '\0';
	source->text += len + (source->text[len] == '\n');
	return 1;
}

int shell_read(struct shell *shell, char *line, struct sl_err *err)
{
	struct shell_source *source = &shell->source;
	if (source->text)
		return text_line(source, line, err);
	if (source->terminal)
		return terminal_line(shell, line, err);
	if (!fgets(line, SHELL_LINE_MAX, source->file))
		return 0;
	source->line++;
	const size_t len = strcspn(line, "\n");
	if (!line[len] && len + 1 == SHELL_LINE_MAX)
		return too_long(source, err);
	line[len] = '\0';
	return 1;
}

/* ---- Words ------------------------------------------------------------------------------------------ */

static bool shell_line_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* One word at *from, without its quotes; NULL: a quote is open. */
static char *shell_line_word_of(struct shell *shell, const char **from)
{
	const char *p = *from;
	char *word = sl_alloc(shell->arena, strlen(p) + 1, 1);
	size_t len = 0;
	char quote = '\0';
	for (; word && *p && (quote || !shell_line_is_blank(*p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = (char)(quote ? '\0' : *p);
		else if (*p == '\\' && quote != '\'' && p[1])
			word[len++] = *++p;
		else
			word[len++] = *p;
	}
	*from = p;
	if (!word || quote)
		return NULL;
	word[len] = '\0';
	return word;
}

/* The lines up to the one that is the mark alone. */
static int here_text(struct shell *shell, const char *mark, const char **text, struct sl_err *err)
{
	const struct sl_place at = { shell->source.name, shell->source.line, 1 };
	char *line = malloc(SHELL_LINE_MAX);
	struct cell cell = { 0 };
	int status = line ? 1 : sl_fail_memory(err);
	shell->source.more = true;
	while (status > 0 && (status = shell_read(shell, line, err)) > 0 && strcmp(line, mark) != 0) {
		cell_put(&cell, "%s\n", line);
		if (shell->script && !shell->trusted)
			printf("> %s\n", line);
		if (cell.len > SHELL_TEXT_MAX)
			status = sl_fail_at(err, &at, "a text of more than 1 MiB behind '<<%s'", mark);
	}
	shell->source.more = false;
	if (status == 0)
		status = sl_fail_at(err, &at, "'<<%s' has no line '%s' behind it", mark, mark);
	if (status > 0)
		*text = shell_keep(shell, cell.text ? cell.text : "");
	cell_free(&cell);
	free(line);
	return status < 0 ? status : SL_OK;
}

/* "<<END", "<< 'END'": the mark; NULL: it is none. */
static const char *here_mark(struct shell *shell, const char **p)
{
	const char *at = *p;
	if (strncmp(at, "<<", 2) != 0)
		return NULL;
	for (at += 2; shell_line_is_blank(*at);)
		at++;
	const char *mark = *at ? shell_line_word_of(shell, &at) : NULL;
	*p = at;
	return mark ? mark : "";
}

int shell_words(struct shell *shell, const char *line, struct shell_words *words, struct sl_err *err)
{
	const struct sl_place at = { shell->source.name, shell->source.line, 1 };
	words->count = 0;
	words->here = NULL;
	const char *mark = NULL;
	for (const char *p = line;;) {
		while (shell_line_is_blank(*p))
			p++;
		if (!*p || *p == '#')
			break;
		const char *found = here_mark(shell, &p);
		if (found) {
			mark = found;
			continue;
		}
		if (words->count == SHELL_WORDS_MAX)
			return sl_fail_at(err, &at, "a line of more than %d words", SHELL_WORDS_MAX);
		words->word[words->count] = shell_line_word_of(shell, &p);
		if (!words->word[words->count++])
			return sl_fail_at(err, &at, "a quote is not closed");
	}
	words->word[words->count] = NULL;
	if (mark && !*mark)
		return sl_fail_at(err, &at, "'<<' names no line that ends the text: <<END");
	return mark ? here_text(shell, mark, &words->here, err) : SL_OK;
}

void put_quoted(struct cell *cell, const char *word)
{
	if (*word && !strpbrk(word, " \t\r\n\"'\\#<|;&$*?()")) {
		cell_put(cell, "%s", word);
		return;
	}
	cell_put(cell, "\"");
	for (const char *p = word; *p; p++)
		cell_put(cell, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p == '\n' ? ' ' : *p);
	cell_put(cell, "\"");
}
