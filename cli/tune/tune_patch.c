/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_patch.c - the change as a unified diff of the user's own files, and as lines for a shell.
 *
 * An edit changes values within lines and adds lines, of which the knobs say where: so it is known which line
 * was which, and nothing needs to be searched.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"

enum { CONTEXT = 3 };

struct line {
	const char *text;
	size_t len; /* Without its end. */
	bool ends;
};
struct lines {
	struct line *line;
	size_t count;
	size_t *was; /* Of the changed text: which line it was; SIZE_MAX: none. */
};

static bool lines_of(struct lines *lines, const char *text, size_t len)
{
	size_t most = 1;
	for (size_t i = 0; i < len; i++)
		most += text[i] == '\n';
	*lines = (struct lines){ .line = calloc(most, sizeof(*lines->line)) };
	for (size_t at = 0; lines->line && at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		const size_t width = newline ? (size_t)(newline - text) - at : len - at;
		lines->line[lines->count++] = (struct line){ text + at, width, newline != NULL };
		at += width + 1;
	}
	return lines->line != NULL;
}

static void put_change(FILE *out, char sign, const struct line *line)
{
	(void)fprintf(out, "%c%.*s\n%s", sign, (int)line->len, line->text,
		line->ends ? "" : "\\ No newline at end of file\n");
}

/* How many lines are put in behind that line, which ends at `end`. */
static size_t added_behind(
	const struct tune *tune, size_t file, const uint32_t *level, size_t begin, size_t end)
{
	size_t added = 0;
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		const struct file_place *place = &knob->place;
		added += knob->kind == KNOB_FILE && knob->file == file && level[k] != knob->today &&
			 !place->len && place->at >= begin && place->at <= end && strchr(place->before, '\n');
	}
	return added;
}

/* Which line each was: those behind the last are new, too. */
static bool lines_pair(const struct tune *tune, size_t file, const uint32_t *level, const struct lines *was,
	struct lines *is)
{
	size_t at = 0;
	is->was = calloc(is->count + 1, sizeof(*is->was));
	for (size_t i = 0; is->was && i < is->count; i++)
		is->was[i] = SIZE_MAX;
	for (size_t i = 0; is->was && i < was->count && at < is->count; i++) {
		const size_t begin = (size_t)(was->line[i].text - tune->file[file].text);
		is->was[at++] = i;
		at += added_behind(tune, file, level, begin, begin + was->line[i].len);
	}
	return is->was != NULL;
}

static bool is_same(const struct lines *was, const struct lines *is, size_t i)
{
	const struct line *old = is->was[i] < was->count ? &was->line[is->was[i]] : NULL;
	return old && old->ends == is->line[i].ends && old->len == is->line[i].len &&
	       memcmp(old->text, is->line[i].text, is->line[i].len) == 0;
}

/* Of these lines of the changed text, how many were there. */
static size_t were(const struct lines *is, size_t from, size_t until)
{
	size_t count = 0;
	for (size_t i = from; i < until; i++)
		count += is->was[i] != SIZE_MAX;
	return count;
}

/* From the first line that differs on, with those that are no farther apart than twice the context. */
static size_t put_hunk(FILE *out, const struct lines *was, const struct lines *is, size_t first)
{
	size_t last = first;
	for (size_t i = first; i < is->count && i <= last + (size_t)2 * CONTEXT; i++)
		last = is_same(was, is, i) ? last : i;
	const size_t from = first > CONTEXT ? first - CONTEXT : 0;
	const size_t until = last + 1 + CONTEXT < is->count ? last + 1 + CONTEXT : is->count;
	const size_t before = were(is, 0, from);
	const size_t here = were(is, from, until);
	(void)fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", before + (here > 0), here, from + 1, until - from);
	for (size_t i = from; i < until;) {
		if (is_same(was, is, i)) {
			put_change(out, ' ', &is->line[i++]);
			continue;
		}
		size_t end = i;
		while (end < until && !is_same(was, is, end))
			end++;
		for (size_t k = i; k < end; k++)
			if (is->was[k] != SIZE_MAX)
				put_change(out, '-', &was->line[is->was[k]]);
		for (; i < end; i++)
			put_change(out, '+', &is->line[i]);
	}
	return until;
}

char *tune_patch(const struct tune *tune, const uint32_t *level)
{
	char *patch = NULL;
	size_t len;
	bool good = true;
	FILE *out = open_memstream(&patch, &len);
	if (!out)
		return NULL;
	for (size_t f = 0; f < tune->files && good; f++) {
		const struct tuned_file *file = &tune->file[f];
		struct lines was = { .line = NULL };
		struct lines is = { .line = NULL };
		char *edited = file_moves(tune, f, level) ? file_edited(tune, f, level) : NULL;
		good = !file_moves(tune, f, level) || (edited && lines_of(&was, file->text, file->len) &&
							      lines_of(&is, edited, strlen(edited)) &&
							      lines_pair(tune, f, level, &was, &is));
		if (edited && good)
			(void)fprintf(out, "--- %s\n+++ %s\n", file->path, file->path);
		for (size_t i = 0; edited && good && i < is.count; i++)
			if (!is_same(&was, &is, i))
				i = put_hunk(out, &was, &is, i) - 1;
		free(was.line);
		free(is.line);
		free(is.was);
		free(edited);
	}
	if (fclose(out) == 0 && good)
		return patch;
	free(patch);
	return NULL;
}

/* ---- Lines ----------------------------------------------------------------------------------------------
 */

static void put_quoted(FILE *file, const char *word)
{
	if (*word &&
		strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%") ==
			strlen(word)) {
		(void)fputs(word, file);
		return;
	}
	(void)fputc('\'', file);
	for (; *word; word++)
		(void)fprintf(file, *word == '\'' ? "'\\''" : "%c", *word);
	(void)fputc('\'', file);
}

void tune_put_line(const struct tune *tune, FILE *file)
{
	(void)fputs("schedlab tune ", file);
	put_quoted(file, tune->trace);
	for (size_t i = 0; i < tune->args->given_count; i++) {
		const struct given *given = &tune->args->given[i];
		if (strcmp(given->def->name, "spec") == 0 || strcmp(given->def->name, "json") == 0)
			continue;
		(void)(given->def->letter ? fprintf(file, " -%c", given->def->letter)
					  : fprintf(file, " --%s", given->def->name));
		if (given->value) {
			(void)fputc(' ', file);
			put_quoted(file, given->value);
		}
	}
}

int tune_put_run(const struct tune *tune, const uint32_t *level, FILE *file, struct sl_err *err)
{
	static const char *const passed[] = { "jobs", "from", "to", "tz", "seed" };
	struct candidate_text text;
	const int status = candidate_text(tune, level, &text, tune->arena, err);
	if (status)
		return status;
	(void)fputs("schedlab run ", file);
	put_quoted(file, tune->trace);
	if (text.cluster) {
		(void)fputs(" -c ", file);
		put_quoted(file, text.cluster);
	}
	(void)fputs(" -p ", file);
	put_quoted(file, text.policy);
	for (const char *at = text.settings; *at;) {
		const size_t len = strcspn(at, "\n");
		const char *line = sl_strdup(tune->arena, at, len);
		if (!line)
			return sl_fail_memory(err);
		const bool model = strncmp(line, "model=", 6) == 0;
		(void)fputs(model ? " --model " : " --set ", file);
		put_quoted(file, model ? line + 6 : line);
		at += len + (at[len] == '\n');
	}
	for (size_t i = 0; i < SL_LEN(passed); i++)
		if (arg(tune->args, passed[i])) {
			(void)fprintf(file, " --%s ", passed[i]);
			put_quoted(file, arg(tune->args, passed[i]));
		}
	return SL_OK;
}
