/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_place.c - where a value stands in a file of Slurm's, by the words that lead to it.
 *
 * Of slurm.conf and its like: "KEY"; "KEY/OPTION" of a list with commas (SchedulerParameters/bf_window); and
 * "KEY/NAME/ATTRIBUTE" of the line that begins with KEY=NAME (PartitionName/gpu/MaxTime). What is not there
 * has a place too, where it would be written: Slurm has a default for it.
 * Of YAML and JSON: tune_place_yaml.c.
 */
#include <string.h>
#include <strings.h>

#include "cli/tune/tune.h"

int words_split(struct words *words, const struct tuned_file *file, const char *text, struct sl_err *err)
{
	*words = (struct words){ .count = 0 };
	for (const char *at = text; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, "/");
		if (words->count == PLACE_WORDS_MAX || !len)
			return sl_fail(err, SL_USAGE,
				"--vary %s:%.200s: give one to eight words with '/' between, such as PartitionName/gpu/MaxTime",
				file->name, text);
		words->word[words->count] = at;
		words->len[words->count++] = len;
		at += len;
	}
	return SL_OK;
}

static bool is_word(const struct words *words, size_t i, const char *text, size_t len)
{
	return words->len[i] == len && strncasecmp(words->word[i], text, len) == 0;
}

/* ---- Slurm --------------------------------------------------------------------------------------------- */

/* Where a line goes on in the next, so that both are one: in the plain text each byte of that. */
enum { JOIN = '\1' };

/* The text as it is read, byte by byte in the same places: blanks for comments, and JOIN for the backslash
 * and the newline of a line that goes on. */
static char *plain_text(const struct tuned_file *file, struct sl_arena *arena)
{
	char *plain = sl_strdup(arena, file->text, file->len);
	for (char *line = plain, *newline; plain && line < plain + file->len; line = newline + 1) {
		char *stop = memchr(line, '\n', (size_t)(plain + file->len - line));
		bool escaped = false;
		newline = stop ? stop : plain + file->len;
		for (char *at = line; at < newline; at++) {
			if (*at == '#' && !escaped)
				memset(at, ' ', (size_t)(newline - at));
			escaped = *at == '\\' && !escaped;
		}
		char *end = newline;
		while (end > line && strchr(" \t\r", end[-1]))
			end--;
		size_t slashes = 0;
		while (end - slashes > line && *(end - 1 - slashes) == '\\')
			slashes++;
		if (slashes % 2 && stop)
			memset(end - 1, JOIN, (size_t)(newline + 1 - (end - 1)));
	}
	return plain;
}

static bool is_blank(char sign) { return sign == ' ' || sign == '\t'; }

/* "Key=value" within a line: where the value begins, and its length; of a key given twice the last; NULL:
 * there is none. Quotes are part of the value. */
static const char *value_in(
	const char *line, const char *end, const struct words *words, size_t i, size_t *len)
{
	const char *found = NULL;
	while (line < end) {
		while (line < end && (is_blank(*line) || *line == JOIN))
			line++;
		const char *token = line;
		const char *equals = NULL;
		for (bool quoted = false; line < end && (quoted || !is_blank(*line)); line++) {
			quoted ^= *line == '"';
			equals = *line == '=' && !equals ? line : equals;
		}
		if (equals && is_word(words, i, token, (size_t)(equals - token))) {
			found = equals + 1;
			*len = (size_t)(line - found);
		}
	}
	for (; found && *len && *found == JOIN; found++)
		--*len;
	while (found && *len && found[*len - 1] == JOIN)
		--*len;
	return found;
}

/* The line without blanks at the end. */
static const char *line_end(const char *line, const char *end)
{
	const char *stop = memchr(line, '\n', (size_t)(end - line));
	stop = stop ? stop : end;
	while (stop > line && (strchr(" \t\r", stop[-1]) || stop[-1] == JOIN))
		stop--;
	return stop;
}

/* An option of a list: "bf_window=60" of "bf_continue,bf_window=60". */
static const char *option_in(const char *list, size_t size, const struct words *words, size_t *len)
{
	for (const char *at = list; at < list + size;) {
		const char *comma = memchr(at, ',', size - (size_t)(at - list));
		const char *end = comma ? comma : list + size;
		while (at < end && *at == JOIN)
			at++;
		const char *equals = memchr(at, '=', (size_t)(end - at));
		if (equals && is_word(words, 1, at, (size_t)(equals - at))) {
			*len = (size_t)(end - equals - 1);
			return equals + 1;
		}
		at = end + 1;
	}
	return NULL;
}

int keep_place(struct file_place *place, const struct tuned_file *file, size_t at, size_t len,
	struct sl_arena *arena, struct sl_err *err)
{
	*place = (struct file_place){ .at = at, .len = len, .before = "", .after = "" };
	place->today = sl_strdup(arena, file->text + at, len);
	return place->today ? SL_OK : sl_fail_memory(err);
}

int new_place(struct file_place *place, size_t at, const char *before, struct sl_err *err)
{
	*place = (struct file_place){ .at = at, .before = before, .after = "" };
	return before ? SL_OK : sl_fail_memory(err);
}

/* The last line of the words: by its first key, and of three words by that key's value. */
static const char *line_of(const char *text, size_t size, const struct words *words, const char **end)
{
	const char *last = text + size;
	const char *found = NULL;
	for (const char *line = text; line < last;) {
		const char *newline = memchr(line, '\n', (size_t)(last - line));
		const char *start = line;
		size_t len = 0;
		while (start < last && (is_blank(*start) || *start == JOIN))
			start++;
		const char *stop = start < last ? line_end(start, last) : last;
		const char *equals = memchr(start, '=', (size_t)(stop > start ? stop - start : 0));
		const bool first = equals && is_word(words, 0, start, (size_t)(equals - start));
		const char *blank = equals;
		while (blank && blank < stop && !is_blank(*blank) && *blank != JOIN)
			blank++;
		len = equals ? (size_t)(blank - equals - 1) : 0;
		if (first && (words->count < 3 || is_word(words, 1, equals + 1, len))) {
			found = start;
			*end = stop;
		}
		line = newline ? newline + 1 : last;
	}
	return found;
}

/* Bytes of the plain text as a place, where they are bytes of the file too. */
static int plain_place(struct file_place *place, const struct tuned_file *file, const char *plain,
	const char *value, size_t len, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	if (memchr(value, JOIN, len))
		return sl_fail(err, SL_USAGE,
			"--vary %s:%.200s: this value goes on in the next line of %s, so that tune cannot change it: write it in one line",
			file->name, text, file->path);
	return keep_place(place, file, (size_t)(value - plain), len, arena, err);
}

/* A line of its own at the end of the file. */
static int new_line(struct file_place *place, const struct tuned_file *file, const struct words *words,
	struct sl_arena *arena, struct sl_err *err)
{
	const bool ends = !file->len || file->text[file->len - 1] == '\n';
	const int status = new_place(place, file->len,
		text_made(arena, words->count == 2 ? "%s%.*s=%.*s=" : "%s%.*s%.*s=", ends ? "" : "\n",
			(int)words->len[0], words->word[0], words->count == 2 ? (int)words->len[1] : 0,
			words->count == 2 ? words->word[1] : ""),
		err);
	place->after = "\n";
	return status;
}

int place_conf(struct file_place *place, const struct tuned_file *file, const char *text,
	struct sl_arena *arena, struct sl_err *err)
{
	struct words words;
	const char *end = NULL;
	size_t len = 0;
	size_t part = 0;
	int status = words_split(&words, file, text, err);
	if (!status && words.count > 3)
		status = sl_fail(err, SL_USAGE,
			"--vary %s:%.200s: a value of Slurm's files has KEY, KEY/OPTION or KEY/NAME/ATTRIBUTE",
			file->name, text);
	if (status)
		return status;
	const char *plain = plain_text(file, arena);
	if (!plain)
		return sl_fail_memory(err);
	const char *line = line_of(plain, file->len, &words, &end);
	if (!line && words.count == 3)
		return sl_fail(err, SL_USAGE, "--vary %s:%.200s: no line of %s begins with %.*s=%.*s",
			file->name, text, file->path, (int)words.len[0], words.word[0], (int)words.len[1],
			words.word[1]);
	if (!line)
		return new_line(place, file, &words, arena, err);
	const char *value = value_in(line, end, &words, words.count == 3 ? 2 : 0, &len);
	if (!value)
		return new_place(place, (size_t)(end - plain),
			text_made(arena, " %.*s=", (int)words.len[2], words.word[2]), err);
	if (words.count != 2)
		return plain_place(place, file, plain, value, len, text, arena, err);
	const char *option = option_in(value, len, &words, &part);
	if (option)
		return plain_place(place, file, plain, option, part, text, arena, err);
	return new_place(place, (size_t)(value + len - plain),
		text_made(arena, "%s%.*s=", len ? "," : "", (int)words.len[1], words.word[1]), err);
}
