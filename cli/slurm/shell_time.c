/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_time.c - the clock of a session: it stands still until a command advances it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/slurm/shell.h"

enum { DAY_S = 86400 };

void shell_clock(struct shell *shell, sl_time to)
{
	if (to > shell->now)
		shell->now = to;
	for (size_t i = 0; i < shell->depth; i++)
		if (shell->inside[i].entered == SL_NONE)
			shell->inside[i].entered = shell->now;
}

SHELL_COMMAND(shell_now)
{
	char date[40];
	printf("%s\n", shell_date(shell, shell->now, date));
	return SL_OK;
}

/* "12:00", "12:00:30": the next time that it is so late. */
static bool clock_in(const struct shell *shell, const char *text, sl_time *time)
{
	int64_t part[3] = { 0, 0, 0 };
	size_t count = 0;
	for (const char *p = text; count < 3; p++) {
		const size_t len = strspn(p, "0123456789");
		if (!len || len > 2 || !sl_get_i64(p, len, &part[count++]))
			return false;
		p += len;
		if (!*p)
			break;
		if (*p != ':')
			return false;
	}
	if (count < 2 || part[0] > 23 || part[1] > 59 || part[2] > 59)
		return false;
	const int64_t since = shell->epoch + shell->now / SL_SECOND;
	const int64_t at = since - since % DAY_S + part[0] * 3600 + part[1] * 60 + part[2];
	*time = (at + (at < since ? DAY_S : 0) - shell->epoch) * SL_SECOND;
	return true;
}

/* A date, a time of day, or (as sessions have it) "+7203.000004" since the beginning. */
static bool point_in(const struct shell *shell, const char *text, sl_time *time)
{
	if (*text == '+')
		return sl_get_micro(text + 1, strlen(text) - 1, time) && *time >= 0;
	if (clock_in(shell, text, time))
		return true;
	if (!sl_get_date(text, strlen(text), time))
		return false;
	*time -= shell->epoch * SL_SECOND;
	return true;
}

static int usage(struct shell *shell)
{
	return shell_says(shell, 2,
		"advance: by how long? 'advance 2h', 'advance until 7 starts', 'advance until 7 ends', or 'advance to "
		"12:00'");
}

/* "5", "5_3" */
static bool shell_time_job_in(struct shell *shell, const char *text, int64_t *id)
{
	const char *low = strchr(text, '_');
	int64_t task = 0;
	if (!sl_get_i64(text, low ? (size_t)(low - text) : strlen(text), id) ||
		(low && !sl_get_i64(low + 1, strlen(low + 1), &task)))
		return false;
	for (size_t i = 0; low && i < shell->job_count; i++)
		if (shell->job[i].array == *id && shell->job[i].task == task) {
			*id = shell->job[i].id;
			return true;
		}
	return !low;
}

static int until(struct shell *shell, struct shell_words *words, sl_time *to, struct sl_err *err)
{
	int64_t id;
	struct view view;
	const bool end = strncmp(words->word[3], "end", 3) == 0;
	if (!end && strncmp(words->word[3], "start", 5) != 0)
		return usage(shell);
	bool known = shell_time_job_in(shell, words->word[2], &id);
	int status = now_open(shell, &view, err);
	known = known && !status && now_row(&view, id) < view.submitted;
	view_close(&view);
	if (status)
		return status;
	if (!known)
		return shell_says(shell, 1, "advance: job %s: Invalid job id specified", words->word[2]);
	status = now_until(shell, id, end, to, err);
	if (!status && *to == SL_NEVER) {
		*to = SL_NONE;
		return shell_says(shell, 1, "advance: job %s never %s as things stand: the clock stays",
			words->word[2], end ? "ends" : "starts");
	}
	return status;
}

SHELL_COMMAND(shell_advance)
{
	sl_time to = SL_NONE;
	int status = SL_OK;
	const sl_time before = shell->now;
	if (words->count == 4 && strcmp(words->word[1], "until") == 0)
		status = until(shell, words, &to, err);
	else if (words->count == 3 && strcmp(words->word[1], "to") == 0 &&
		 point_in(shell, words->word[2], &to)) {
		if (to < before)
			return shell_says(shell, 1, "advance: %s is over: 'undo' goes back", words->word[2]);
	} else if (words->count == 2 && shell_duration(words->word[1], strlen(words->word[1]), &to))
		to += before;
	else
		return usage(shell);
	if (status || to == SL_NONE)
		return status;
	if (to > SHELL_FOREVER)
		return shell_says(shell, 1, "advance: that is more than ten years from the beginning");
	shell_clock(shell, to);
	if (shell->trusted)
		return shell_entry_add(shell, shell_text(shell, "%s", line), err);
	if (to <= before)
		return SL_OK;
	char time[40];
	*sl_put_micro(time, shell->now) = '\0';
	status = shell_entry_add(shell, shell_text(shell, "advance to +%s", time), err);
	return status ? status : shell_check_inside(shell, err);
}
