/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_options.c - lines of sbatch, srun and salloc, and #SBATCH lines of scripts, checked as Slurm 22.05
 * does, and refused in its words. What an option means is the reader's matter (traces/slurm/options.c): here
 * it is only checked whether a value can be read.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/shell.h"
#include "traces/slurm/options.h"
#include "traces/slurm/options_parts.h"

/* ---- Durations and sleeps ------------------------------------------------------------------------- */

bool shell_duration(const char *text, size_t len, sl_time *time)
{
	return sl_get_duration(text, len, time) && *time >= 0 && *time <= SHELL_FOREVER;
}

/* "sleep 5m", "srun sleep 30": the word behind sleep. */
static bool sleep_in(const char *p, size_t len, sl_time *time)
{
	static const char word[] = "sleep";
	size_t at = 0;
	while (at < len && (p[at] == ' ' || p[at] == '\t'))
		at++;
	if (len - at > 5 && memcmp(p + at, "srun ", 5) == 0)
		return sleep_in(p + at + 5, len - at - 5, time);
	if (len - at < sizeof(word) || memcmp(p + at, word, sizeof(word) - 1) != 0 ||
		p[at + sizeof(word) - 1] != ' ')
		return false;
	for (at += sizeof(word); at < len && p[at] == ' ';)
		at++;
	size_t width = 0;
	while (at + width < len && !strchr(" \t\r;&#", p[at + width]))
		width++;
	return shell_duration(p + at, width, time);
}

sl_time shell_sleeps(const char *text)
{
	sl_time sum = SL_NONE;
	while (*text) {
		const size_t len = strcspn(text, "\n;&");
		sl_time one;
		if (sleep_in(text, len, &one))
			sum = (sum == SL_NONE ? 0 : sum) + one;
		if (sum > SHELL_FOREVER)
			return SHELL_FOREVER;
		text += len + strspn(text + len, "\n;&");
	}
	return sum;
}

/* ---- One option ------------------------------------------------------------------------------------- */

/* An option without a value, or with one, as the reader expects it. */
static bool is_read(const char *tool, const struct slurm_option *option, const char *value, sl_time now,
	struct shell_asked *asked)
{
	struct cell line = { 0 };
	struct slurm_said said;
	struct sl_err ignored = { 0 };
	cell_put(&line, "%s --%s", tool, option->name);
	if (value) {
		cell_put(&line, "=");
		put_quoted(&line, value);
	}
	struct sl_job_desc *desc = calloc(SLURM_COMPONENTS_MAX, sizeof(*desc));
	char *space = line.text ? malloc(slurm_options_size(line.len)) : NULL;
	bool read = false;
	if (desc && space) {
		const struct slurm_line text = { line.text, line.len, now, space };
		read = !slurm_options(&text, desc, &said, &ignored) && !said.unread && !said.unknown;
	}
	if (read && option->what == OPTION_TIME)
		asked->limit = said.time_limit;
	if (read && strcmp(option->name, "ntasks") == 0)
		asked->tasks = desc[0].tasks;
	if (read && option->what == OPTION_NODES && value) {
		const char *most = strchr(value, '-');
		int64_t least = 0;
		int64_t count = 0;
		read = !most || !most[1] || strpbrk(value, ",:") ||
		       !sl_get_i64(value, (size_t)(most - value), &least) ||
		       !sl_get_i64(most + 1, strlen(most + 1), &count) || least <= count;
	}
	if (read && option->what == OPTION_COUNT && value && strcmp(value, "0") == 0)
		read = false;
	free(space);
	free(desc);
	cell_free(&line);
	return read;
}

/* Why a value is none, in the words of the command. */
static bool shell_options_refuse(
	struct shell *shell, const char *tool, const struct slurm_option *option, const char *value)
{
	if (option->what == OPTION_COUNT || option->what == OPTION_SWITCHES)
		shell_says(shell, 1, "%s: error: Invalid numeric value \"%s\" for --%s.", tool, value,
			option->name);
	else if (option->what == OPTION_NODES && strspn(value, "0123456789-") == strlen(value) && *value)
		shell_says(shell, 255,
			"%s: error: Maximum node count %s is less than minimum node count %.*s", tool,
			strchr(value, '-') ? strchr(value, '-') + 1 : value, (int)strcspn(value, "-"), value);
	else if (option->what == OPTION_NODES)
		shell_says(shell, 255, "%s: error: \"%s\" is not a valid node count", tool, value);
	else if (option->what == OPTION_ARRAY)
		shell_says(shell, 1,
			"%s: error: Batch job submission failed: Invalid job array specification", tool);
	else {
		if (option->what == OPTION_BEGIN || option->what == OPTION_DEADLINE)
			shell_says(shell, 255, "Invalid time specification (pos=0): %s", value);
		shell_says(shell, 255, "%s: error: Invalid --%s specification", tool, option->name);
	}
	return false;
}

/* What the shell itself looks at. */
static void shell_options_note(
	struct shell_asked *asked, const struct slurm_option *option, const char *value)
{
	const char *name = option->name;
	if (option->what == OPTION_WRAP)
		asked->wrap = value;
	else if (option->what == OPTION_ARRAY)
		asked->array = value;
	else if (option->what == OPTION_HOLD)
		asked->held = true;
	else if (strcmp(name, "dependency") == 0)
		asked->dependency = value;
	else if (strcmp(name, "partition") == 0)
		asked->partition = value;
	else if (strcmp(name, "job-name") == 0)
		asked->name = value;
	else if (strcmp(name, "parsable") == 0)
		asked->parsable = true;
	else if (strcmp(name, "test-only") == 0)
		asked->test_only = true;
	else if (strcmp(name, "pty") == 0)
		asked->pty = true;
	else if (strcmp(name, "wait") == 0)
		asked->wait = true;
}

static bool shell_options_take(
	struct shell *shell, struct shell_asked *asked, const struct slurm_option *option, const char *value)
{
	if (!is_read(asked->tool, option, value, shell->now + shell->epoch * SL_SECOND, asked))
		return shell_options_refuse(shell, asked->tool, option, value ? value : "");
	shell_options_note(asked, option, value);
	if (option->what == OPTION_WRAP || option->what == OPTION_SKIP || option->what == OPTION_DROPPED ||
		strcmp(option->name, "job-name") == 0)
		return true;
	cell_put(&asked->options, " --%s", option->name);
	if (value) {
		cell_put(&asked->options, "=");
		put_quoted(&asked->options, value);
	}
	return true;
}

static bool try_help(struct shell *shell, const char *tool)
{
	return shell_says(shell, 255, "Try \"%s --help\" for more information", tool);
}

/* ---- The words ------------------------------------------------------------------------------------------
 */

static bool long_word(
	struct shell *shell, struct shell_asked *asked, char *const *word, size_t count, size_t *at)
{
	const char *text = word[*at] + 2;
	const size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : NULL;
	if (len == 8 && memcmp(text, "run-time", len) == 0) { /* Ours. */
		sl_time time;
		asked->run_time = value ? value : *at + 1 < count ? word[++*at] : "";
		if (shell_duration(asked->run_time, strlen(asked->run_time), &time))
			return true;
		return shell_says(shell, 255, "%s: error: Invalid --run-time specification", asked->tool);
	}
	const struct slurm_option *option = slurm_option_long(text, len);
	if (!option) {
		shell_says(shell, 255, "%s: unrecognized option '%s'", asked->tool, word[*at]);
		return try_help(shell, asked->tool);
	}
	if (option->value == VALUE_NONE && value) {
		shell_says(
			shell, 255, "%s: option '--%s' doesn't allow an argument", asked->tool, option->name);
		return try_help(shell, asked->tool);
	}
	if (option->value == VALUE_NEEDED && !value) {
		if (*at + 1 == count) {
			shell_says(shell, 255, "%s: option '--%s' requires an argument", asked->tool,
				option->name);
			return try_help(shell, asked->tool);
		}
		value = word[++*at];
	}
	return shell_options_take(shell, asked, option, value);
}

static bool short_word(
	struct shell *shell, struct shell_asked *asked, char *const *word, size_t count, size_t *at)
{
	for (const char *p = word[*at] + 1; *p; p++) {
		const struct slurm_option *option = slurm_option_short(*p);
		const char *value = NULL;
		if (!option) {
			shell_says(shell, 255, "%s: invalid option -- '%c'", asked->tool, *p);
			return try_help(shell, asked->tool);
		}
		const bool takes = option->value != VALUE_NONE;
		if (takes && p[1])
			value = p + 1;
		else if (option->value == VALUE_NEEDED && *at + 1 < count)
			value = word[++*at];
		else if (option->value == VALUE_NEEDED) {
			shell_says(shell, 255, "%s: option requires an argument -- '%c'", asked->tool,
				option->letter);
			return try_help(shell, asked->tool);
		}
		if (!shell_options_take(shell, asked, option, value))
			return false;
		if (takes)
			break;
	}
	return true;
}

bool asked_words(struct shell *shell, struct shell_asked *asked, char *const *word, size_t count, bool script)
{
	size_t at = 0;
	for (; at < count; at++) {
		if (strcmp(word[at], ":") == 0)
			return shell_says(shell, 1,
				"%s: error: heterogeneous jobs are not there in a simulated session",
				asked->tool);
		if (strcmp(word[at], "--") == 0) {
			at++;
			break;
		}
		if (word[at][0] != '-' || !word[at][1])
			break;
		const bool is_long = word[at][1] == '-';
		if (!(is_long ? long_word : short_word)(shell, asked, word, count, &at))
			return false;
	}
	if (!script)
		asked->script = at;
	return true;
}

/* ---- Scripts
 * ------------------------------------------------------------------------------------------------ */

/* The options of one #SBATCH or #SCHEDLAB line; a '#' ends them. */
static bool script_line(struct shell *shell, struct shell_asked *asked, const char *p, size_t len)
{
	struct shell_words *words = malloc(sizeof(*words));
	char *line = strndup(p, len);
	struct sl_err err = { 0 };
	bool read = false;
	if (words && line && !shell_words(shell, line, words, &err))
		read = asked_words(shell, asked, words->word, words->count, true);
	else
		shell_says(shell, 1, "%s: error: %s", asked->tool, err.text);
	free(words);
	free(line);
	return read;
}

/* "#SCHEDLAB run=5m" */
static bool own_line(struct shell *shell, struct shell_asked *asked, const char *p, size_t len)
{
	sl_time time;
	while (len && *p == ' ') {
		p++;
		len--;
	}
	while (len && strchr(" \t\r", p[len - 1]))
		len--;
	if (len > 4 && memcmp(p, "run=", 4) == 0 && shell_duration(p + 4, len - 4, &time)) {
		asked->sleeps = time;
		return true;
	}
	return shell_says(shell, 1, "%s: error: '#SCHEDLAB %.*s' is not understood: #SCHEDLAB run=5m",
		asked->tool, (int)(len < 40 ? len : 40), p);
}

static bool looks_right(struct shell *shell, const char *text)
{
	if (!*text) {
		shell_says(shell, 1, "sbatch: error: Batch script is empty!");
	} else if (strncmp(text, "#!", 2) != 0) {
		shell_says(shell, 1, "sbatch: error: This does not look like a batch script.  The first");
		shell_says(shell, 1,
			"sbatch: error: line must start with #! followed by the path to an interpreter.");
		shell_says(shell, 1, "sbatch: error: For instance: #!/bin/sh");
	} else if (strstr(text, "\r\n")) {
		shell_says(shell, 1, "sbatch: error: Batch script contains DOS line breaks (\\r\\n)");
		shell_says(shell, 1, "sbatch: error: instead of expected UNIX line breaks (\\n).");
	} else {
		return true;
	}
	return false;
}

bool asked_script(struct shell *shell, struct shell_asked *asked, const char *text)
{
	static const char batch[] = "#SBATCH";
	static const char own[] = "#SCHEDLAB";
	bool options = true; /* Behind the first command #SBATCH is a comment. */
	if (!looks_right(shell, text))
		return false;
	asked->sleeps = shell_sleeps(text);
	for (const char *p = text; *p;) {
		const size_t len = strcspn(p, "\n");
		if (options && len > 7 && memcmp(p, batch, 7) == 0 && strchr(" \t", p[7])) {
			if (!script_line(shell, asked, p + 7, len - 7))
				return false;
		} else if (len > 9 && memcmp(p, own, 9) == 0) {
			if (!own_line(shell, asked, p + 9, len - 9))
				return false;
		} else if (*p != '#' && strspn(p, " \t") < len) {
			options = false;
		}
		p += len + (p[len] == '\n');
	}
	return true;
}
