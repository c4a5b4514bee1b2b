/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_cancel.c - scancel: which jobs its words mean is found in the present state, under any policy; then
 * each is cancelled by its number. Messages and exit statuses are those that scancel of Slurm 22.05.8 was
 * seen to print: of a job that is not there, or is over, nothing is said (but with -v).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/shell.h"

enum {
	DENIED = 210, /* ESLURM_ACCESS_DENIED, as an exit status has it. */
	AT_ONCE = 400 /* Jobs of one input of the session. */
};

/* What a job has to be, to be meant. NULL: anything. */
struct meant {
	const char *user, *name, *partition, *state, *account;
	bool verbose, some; /* some: one of them was given. */
	const char *job[SHELL_WORDS_MAX];
	size_t job_count;
};

/* ---- Words ------------------------------------------------------------------------------------------ */

static bool is_job(const char *text)
{
	const size_t digits = strspn(text, "0123456789");
	return digits && (!text[digits] || text[digits] == '_') &&
	       strspn(text, "0123456789_[],-%*") == strlen(text);
}

static const struct {
	const char *name;
	char letter;
	bool value;
} options[] = {
	{ "account", 'A', true },
	{ "name", 'n', true },
	{ "jobname", 'n', true },
	{ "partition", 'p', true },
	{ "state", 't', true },
	{ "user", 'u', true },
	{ "me", 'm', false },
	{ "verbose", 'v', false },
	{ "quiet", 'Q', false },
	{ "batch", 'b', false },
	{ "full", 'f', false },
};

static bool shell_cancel_take(struct shell *shell, struct meant *meant, char letter, const char *value)
{
	const char **slot = letter == 'A'   ? &meant->account
			    : letter == 'n' ? &meant->name
			    : letter == 'p' ? &meant->partition
			    : letter == 't' ? &meant->state
			    : letter == 'u' ? &meant->user
					    : NULL;
	if (letter == 'm')
		meant->user = shell->user;
	if (letter == 'v')
		meant->verbose = true;
	if (slot)
		*slot = value;
	meant->some |= slot || letter == 'm';
	return true;
}

static bool refuse_option(struct shell *shell, const char *what, const char *word)
{
	(void)shell_says(shell, 1, "scancel: %s '%s'", what, word);
	return shell_says(shell, 1, "Try \"scancel --help\" for more information");
}

/* An option at *at, and its value. */
static bool take_option(struct shell *shell, struct meant *meant, const struct shell_words *words, size_t *at)
{
	const char *word = words->word[*at];
	const bool is_long = word[1] == '-';
	const size_t len = is_long ? strcspn(word + 2, "=") : 1;
	for (size_t i = 0; i < SL_LEN(options); i++) {
		if (is_long ? strlen(options[i].name) != len || memcmp(options[i].name, word + 2, len) != 0
			    : options[i].letter != word[1] || word[1] == 'm')
			continue;
		const char *inside = is_long   ? (word[2 + len] ? word + 3 + len : NULL)
				     : word[2] ? word + 2
					       : NULL;
		if (!options[i].value)
			return inside ? refuse_option(shell, "unrecognized option", word)
				      : shell_cancel_take(shell, meant, options[i].letter, NULL);
		if (!inside && *at + 1 == words->count)
			return refuse_option(shell, "option requires an argument --", options[i].name);
		return shell_cancel_take(
			shell, meant, options[i].letter, inside ? inside : words->word[++*at]);
	}
	return refuse_option(shell, "unrecognized option", word);
}

static bool read_words(struct shell *shell, struct meant *meant, const struct shell_words *words)
{
	for (size_t i = 1; i < words->count; i++) {
		if (words->word[i][0] == '-' && words->word[i][1]) {
			if (!take_option(shell, meant, words, &i))
				return false;
			continue;
		}
		if (!is_job(words->word[i]))
			return shell_says(shell, 1, "scancel: error: Invalid job id %s", words->word[i]);
		meant->job[meant->job_count++] = words->word[i];
	}
	if (!meant->job_count && !meant->some)
		return shell_says(shell, 1, "scancel: error: No job identification provided");
	return true;
}

/* ---- Which jobs ----------------------------------------------------------------------------------- */

static bool cell_in(struct shell *shell, struct cell *cell, const char *text)
{
	struct view_list list;
	struct sl_err ignored = { 0 };
	const bool is =
		!text || (!view_list(&list, text, shell->arena, &ignored) && list_has_cell(&list, cell));
	cell_clear(cell);
	return is;
}

static bool is_meant(struct shell *shell, const struct meant *meant, const struct view *view, uint32_t row,
	struct cell *cell)
{
	struct view_list list;
	struct sl_err ignored = { 0 };
	const struct sl_job_attributes *more = view_more(view, row);
	if (meant->state && (view_list(&list, meant->state, shell->arena, &ignored) ||
				    !list_has_state(&list, view_state(view, row))))
		return false;
	put_user(cell, view, row, "");
	bool is = cell_in(shell, cell, meant->user);
	put_account(cell, view, row, "");
	is &= cell_in(shell, cell, meant->account);
	put_partition(cell, view, row);
	is &= cell_in(shell, cell, meant->partition);
	cell_put(cell, "%s", more->name ? more->name : "");
	return cell_in(shell, cell, meant->name) && is;
}

static bool is_own(const struct shell *shell, const struct view *view, uint32_t row, struct cell *cell)
{
	cell_clear(cell);
	put_user(cell, view, row, "");
	const bool own =
		strcmp(shell->user, "root") == 0 || (cell->text && strcmp(cell->text, shell->user) == 0);
	cell_clear(cell);
	return own;
}

/* One job of those meant, into the resolved line; or why not. */
static void resolve_row(
	struct shell *shell, const struct view *view, uint32_t row, struct cell *text, struct cell *cell)
{
	if (!is_own(shell, view, row, cell)) {
		put_job_id(cell, view, row);
		(void)shell_says(shell, DENIED,
			"scancel: error: Kill job error on job id %s: Access/permission denied",
			cell->text ? cell->text : "");
		cell_clear(cell);
		return;
	}
	cell_put(text, " ");
	put_job_id(text, view, row);
}

/* "scancel 3 5_2": those that are there, not over, meant, and one's own. */
static int resolve(struct shell *shell, const struct meant *meant, struct cell *text, struct sl_err *err)
{
	struct view view;
	struct cell cell = { 0 };
	const int status = now_open(shell, &view, err);
	bool *seen = status ? NULL : calloc(view.submitted + 1, sizeof(*seen));
	const size_t lists = meant->job_count ? meant->job_count : 1;
	for (size_t i = 0; seen && i < lists; i++) {
		struct view_list list = { 0 };
		struct sl_err ignored = { 0 };
		const char *job = meant->job_count ? meant->job[i] : NULL;
		bool found = !job;
		if (job && view_list(&list, job, shell->arena, &ignored))
			continue;
		for (uint32_t row = 0; row < view.submitted; row++) {
			if (seen[row] || view_ended(&view, row) ||
				(job && !list_has_job(&list, &view, row)) ||
				!is_meant(shell, meant, &view, row, &cell))
				continue;
			found = seen[row] = true;
			resolve_row(shell, &view, row, text, &cell);
		}
		if (!found && meant->verbose)
			(void)shell_says(shell, 0,
				"scancel: error: Kill job error on job id %s: Invalid job id specified", job);
	}
	const bool memory = status || seen;
	free(seen);
	cell_free(&cell);
	view_close(&view);
	return memory ? status : sl_fail_memory(err);
}

/* ---- Done ----------------------------------------------------------------------------------------- */

/* A job of ours, "7" or "5_2" (or, of older sessions, all of an array by its number). */
static size_t cancel_ours(struct shell *shell, const char *text)
{
	const char *low = strchr(text, '_');
	int64_t id = SL_NONE, task = 0;
	size_t found = 0;
	if (!sl_get_i64(text, low ? (size_t)(low - text) : strlen(text), &id) ||
		(low && !sl_get_i64(low + 1, strlen(low + 1), &task)))
		return 0;
	for (size_t i = 0; i < shell->job_count; i++) {
		struct shell_job *job = &shell->job[i];
		const bool named =
			low ? job->array == id && job->task == task : job->id == id || job->array == id;
		if (!named || job->cancel != SL_NONE)
			continue;
		job->cancel = shell->now;
		found++;
	}
	return found;
}

/* Where the policy follows no commands. */
static int cancel_rows(struct shell *shell, const char *line, struct sl_err *err)
{
	struct shell_words *words = calloc(1, sizeof(*words));
	size_t found = 0;
	if (!words)
		return sl_fail_memory(err);
	int status = shell_words(shell, line, words, err);
	shell->now++;
	for (size_t i = 1; !status && i < words->count; i++) {
		const size_t one = cancel_ours(shell, words->word[i]);
		found += one;
		if (!one)
			(void)shell_says(shell, 1,
				"scancel: error: job %s is of the background, and policy %s follows no commands: only "
				"jobs submitted here can be cancelled",
				words->word[i], shell->policy);
	}
	free(words);
	if (!found)
		shell->now--;
	else if (!status)
		status = shell_entry_add(shell, line, err);
	return status || !found ? status : shell_check_inside(shell, err);
}

static int cancel(struct shell *shell, const char *line, struct sl_err *err)
{
	return now_follows_orders(shell) ? shell_order(shell, "scancel", line, line, err)
					 : cancel_rows(shell, line, err);
}

/* " 3 5_2 ...", so many at a time. */
static int cancel_all(struct shell *shell, const char *jobs, struct sl_err *err)
{
	int status = SL_OK;
	while (*jobs && !status) {
		size_t len = 0;
		for (size_t i = 0; i < AT_ONCE && jobs[len]; i++)
			len += 1 + strcspn(jobs + len + 1, " ");
		status = cancel(shell, shell_text(shell, "scancel%.*s", (int)len, jobs), err);
		jobs += len;
	}
	return status;
}

SHELL_COMMAND(shell_scancel)
{
	struct meant *meant = calloc(1, sizeof(*meant));
	struct cell text = { 0 };
	int status = meant ? SL_OK : sl_fail_memory(err);
	if (meant && shell->trusted) /* As it was resolved. */
		status = cancel(shell, line + strspn(line, " \t"), err);
	else if (meant && read_words(shell, meant, words))
		status = resolve(shell, meant, &text, err);
	if (!status && text.text)
		status = cancel_all(shell, text.text, err);
	cell_free(&text);
	free(meant);
	return status;
}
