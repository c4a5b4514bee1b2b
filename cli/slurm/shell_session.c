/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_session.c - a session: its inputs, one by one, undone, saved and loaded.
 *
 * A session's file begins with "# schedlab session 1", then what it is of (cluster, policy, set, start,
 * background), then its inputs as they were typed. What was accepted once is not retried when it is loaded.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/shell.h"

static const char magic[] = "# schedlab session 1";

char *shell_keep(struct shell *shell, const char *text)
{
	static char none[] = "";
	char *kept = sl_strdup(shell->arena, text, strlen(text));
	return kept ? kept : none;
}

char *shell_text(struct shell *shell, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	const int len = vasprintf(&text, format, args);
	va_end(args);
	char *kept = shell_keep(shell, len < 0 ? "" : text);
	if (len >= 0)
		free(text);
	return kept;
}

static int capacity_for(
	void **list, size_t *capacity, size_t size, size_t wanted, size_t most, struct sl_err *err)
{
	if (wanted <= *capacity)
		return SL_OK;
	if (wanted > most)
		return sl_fail(err, SL_INPUT, "a session of more than %zu inputs", most);
	return sl_array_grow(list, size, capacity, sizeof(*capacity), wanted, most, err);
}

/* ---- Inputs ------------------------------------------------------------------------------------- */

int shell_job_add(struct shell *shell, const struct shell_job *job, struct sl_err *err)
{
	const int status = capacity_for((void **)&shell->job, &shell->job_capacity, sizeof(*shell->job),
		shell->job_count + 1, SHELL_JOBS_MAX, err);
	if (!status)
		shell->job[shell->job_count++] = *job;
	return status;
}

int shell_order_add(struct shell *shell, const char *text, struct sl_err *err)
{
	const int status = capacity_for((void **)&shell->order, &shell->order_capacity, sizeof(*shell->order),
		shell->order_count + 1, SHELL_ENTRIES_MAX, err);
	if (!status)
		shell->order[shell->order_count++] =
			(struct shell_order){ shell->now, shell_keep(shell, text) };
	return status;
}

int shell_entry_add(struct shell *shell, const char *text, struct sl_err *err)
{
	int status = SL_OK;
	if (*text == ' ' && shell->entry_count) { /* It belongs to the one before. */
		const char **last = &shell->entry[shell->entry_count - 1];
		*last = shell_text(shell, "%s\n%s", *last, text);
	} else {
		status = capacity_for((void **)&shell->entry, &shell->entry_capacity, sizeof(*shell->entry),
			shell->entry_count + 1, SHELL_ENTRIES_MAX, err);
		if (!status)
			shell->entry[shell->entry_count++] = shell_keep(shell, text);
	}
	if (!status && !shell->trusted && shell->file)
		status = shell_save(shell, shell->file, err);
	return status;
}

/* Nothing has happened. */
static void clear(struct shell *shell)
{
	shell->job_count = shell->order_count = 0;
	shell->now = 0;
	shell->id_next = shell->id_first;
	shell->user = shell->user_first;
	shell->depth = 0;
}

int shell_begin(struct shell *shell, struct sl_err *err)
{
	shell->arena = sl_arena_new();
	if (!shell->arena)
		return sl_fail_memory(err);
	shell->epoch = SHELL_EPOCH;
	shell->policy = "slurm";
	shell->user_first = "user";
	shell->id_first = 1;
	clear(shell);
	return SL_OK;
}

void shell_end(struct shell *shell)
{
	free(shell->job);
	free(shell->order);
	free(shell->entry);
	if (shell->arena)
		sl_arena_free(shell->arena);
}

/* Entries reread, as they were accepted. */
static int replay(struct shell *shell, const char *text, const char *name, struct sl_err *err)
{
	const struct shell_source was = shell->source;
	const bool trusted = shell->trusted;
	shell->source = (struct shell_source){ .text = text, .name = name };
	shell->trusted = true;
	const int status = shell_lines(shell, err);
	shell->source = was;
	shell->trusted = trusted;
	return status;
}

int shell_undo(struct shell *shell, struct sl_err *err)
{
	const size_t count = shell->entry_count - 1;
	int status = SL_OK;
	const char **entry = calloc(count + 1, sizeof(*entry));
	if (!entry)
		return sl_fail_memory(err);
	if (count)
		memcpy(entry, shell->entry, count * sizeof(*entry));
	clear(shell);
	shell->entry_count = 0;
	for (size_t i = 0; i < count && !status; i++)
		status = replay(shell, entry[i], "history", err);
	free(entry);
	if (!status && shell->file)
		status = shell_save(shell, shell->file, err);
	return status;
}

/* ---- Files ---------------------------------------------------------------------------------------- */

static void put_word(struct sl_out *out, const char *key, const char *value)
{
	struct cell cell = { 0 };
	put_quoted(&cell, value);
	sl_out_printf(out, "%s %s\n", key, cell.text ? cell.text : "");
	cell_free(&cell);
}

int shell_save(const struct shell *shell, const char *path, struct sl_err *err)
{
	struct sl_out *out;
	char date[40];
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	sl_out_printf(out, "%s\n", magic);
	if (shell->cluster)
		put_word(out, "cluster", shell->cluster);
	put_word(out, "policy", shell->policy);
	for (size_t i = 0; i < shell->set_count; i++)
		put_word(out, "set", shell->set[i]);
	if (shell->epoch != SHELL_EPOCH)
		sl_out_printf(out, "start %s\n", shell_date(shell, 0, date));
	if (strcmp(shell->user_first, "user") != 0)
		put_word(out, "user", shell->user_first);
	if (shell->background)
		put_word(out, "background", shell->background);
	for (size_t i = 0; i < shell->entry_count; i++)
		sl_out_printf(out, "%s\n", shell->entry[i]);
	return sl_out_commit(out, err);
}

/* A file's text, closed by a zero. */
static int file_text(const char *path, char **text, struct sl_err *err)
{
	struct sl_input *in;
	const char *from;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	*text = NULL;
	status = sl_input_all(in, &from, &end, err);
	if (!status && memchr(from, '\0', (size_t)(end - from)))
		status = sl_fail(err, SL_INPUT, "%s: a zero byte: it is no session", path);
	if (!status)
		*text = strndup(from, (size_t)(end - from));
	if (!status && !*text)
		status = sl_fail_memory(err);
	sl_input_close(in);
	return status;
}

/* What the file holds in place of what there was; nothing changes where it cannot be read. */
int shell_load(struct shell *shell, const char *path, struct sl_err *err)
{
	char *text;
	int status = file_text(path, &text, err);
	if (status)
		return status;
	const size_t len = sizeof(magic) - 1;
	struct shell fresh = *shell;
	fresh.job = NULL;
	fresh.order = NULL;
	fresh.entry = NULL;
	fresh.job_capacity = fresh.order_capacity = fresh.entry_capacity = 0;
	fresh.entry_count = fresh.set_count = 0;
	fresh.cluster = fresh.background = NULL;
	fresh.policy = "slurm";
	fresh.epoch = SHELL_EPOCH;
	fresh.id_first = 1;
	fresh.user_first = "user";
	clear(&fresh);
	if (strncmp(text, magic, len) != 0 || (text[len] != '\n' && text[len] != '\r'))
		status = sl_fail(err, SL_INPUT,
			"%s:1: is no session: its first line is not '%s'; commands in a file are run by --script",
			path, magic);
	if (!status)
		status = replay(&fresh, text, path, err);
	free(text);
	struct shell *gone = status ? &fresh : shell;
	free(gone->job);
	free(gone->order);
	free(gone->entry);
	if (!status)
		*shell = fresh;
	return status;
}
