/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue-log.c - a reader as a plug-in: the log of a batch system that nobody else has.
 *
 * The first line is "queue-log CPUS"; every other one is a job, in words between blanks:
 *
 *	queue-log 8
 *	1 alice 4 2026-03-02T08:00:00 2026-03-02T08:00:00 2026-03-02T08:10:00 15m
 *
 * number, user, cpus, when it was submitted, when it started and ended, and what it had asked for. A '-' is
 * something that nobody knows. docs/add-a-part.md goes through this file.
 */
#include <schedlab/plugin.h>

#include <stdio.h>
#include <string.h>

static const char mark[] = "queue-log ";

/* How sure is it, from the first bytes, that a file is of this format? All readers are asked, and the surest
 * one reads it; so nobody has to say which format a file has. */
static int sniff(const char *text, size_t len)
{
	return len >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0 ? 100 : 0;
}

enum { NUMBER, USER, CPUS, SUBMITTED, STARTED, ENDED, LIMIT, WORDS, WORD_MAX = 63 };

/* A line, taken apart: so many words of it were there. */
struct line {
	char word[WORDS][WORD_MAX + 1];
	int count;
	struct sl_place at; /* For messages: file and line. */
};

static void line_split(struct line *line, const char *text, const char *end)
{
	line->count = 0;
	while (line->count <= WORDS) {
		while (text < end && *text == ' ')
			text++;
		const char *from = text;
		while (text < end && *text != ' ')
			text++;
		if (text == from)
			return;
		if (line->count < WORDS)
			(void)snprintf(line->word[line->count], sizeof(line->word[0]), "%.*s",
				(int)(text - from), from);
		line->count++;
	}
}

/* One word as a number, by whichever function reads such words; '-' leaves *value as it is. A reader says
 * where an error is, what stands there, and what should. */
static int take(const struct line *line, int which, bool (*get)(const char *, size_t, int64_t *),
	const char *what, int64_t *value, struct sl_err *err)
{
	const char *word = line->word[which];
	if (strcmp(word, "-") == 0 || get(word, strlen(word), value))
		return SL_OK;
	return sl_fail_at(err, &line->at, "'%s' is no %s: write one, or '-'", word, what);
}

static int take_job(const struct line *line, const struct sl_sink *sink, struct sl_err *err)
{
	/* What a row says beyond numbers: here the user's name. It is lent for the call, as the row is. */
	const bool named = strcmp(line->word[USER], "-") != 0;
	const struct sl_row_attributes more = { .user = named ? line->word[USER] : NULL };
	struct sl_row row = { .line = line->at.line, .more = &more };
	int64_t submitted = SL_NONE, started = SL_NONE, ended = SL_NONE;
	for (int i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE; /* Nothing is known that this file does not say. */
	int status = take(line, NUMBER, sl_get_i64, "number", &row.col[SL_COL_ID], err);
	if (!status)
		status = take(line, CPUS, sl_get_i64, "number of cpus", &row.col[SL_COL_REQ_CPUS], err);
	if (!status)
		status = take(line, SUBMITTED, sl_get_date, "date", &submitted, err);
	if (!status)
		status = take(line, STARTED, sl_get_date, "date", &started, err);
	if (!status)
		status = take(line, ENDED, sl_get_date, "date", &ended, err);
	if (!status)
		status = take(line, LIMIT, sl_get_duration, "duration", &row.col[SL_COL_LIMIT], err);
	if (status)
		return status;
	row.col[SL_COL_SUBMIT] = submitted;
	if (submitted != SL_NONE && started != SL_NONE)
		row.col[SL_COL_WAIT] = started - submitted;
	if (started != SL_NONE && ended != SL_NONE)
		row.col[SL_COL_RUN] = ended - started;
	row.col[SL_COL_CPUS] = row.col[SL_COL_REQ_CPUS];
	return sink->job(sink->self, &row, err);
}

static int take_line(
	struct line *line, const char *text, const char *end, const struct sl_sink *sink, struct sl_err *err)
{
	line->at.line++;
	line_split(line, text, end);
	if (line->at.line == 1) /* The size of the machine, as an SWF file says it. */
		return sink->header(sink->self, "MaxProcs", line->word[1], &line->at, err);
	if (line->count == WORDS)
		return take_job(line, sink, err);
	/* A line that makes no sense is counted and left out; under --strict this returns an error. */
	return sink->anomaly(sink->self, "not seven words", &line->at, err);
}

static int read_all(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct line line = { .at = { .file = sl_input_name(in) } };
	const char *text;
	const char *end;
	/* Submissions are dates, by the log's own clock: the first becomes second 0. */
	int status = sink->dated ? sink->dated(sink->self, err) : SL_OK;
	if (status)
		return status;
	/* Whole lines come in large pieces, decompressed if need be. */
	while ((status = sl_input_next(in, &text, &end, err)) == 1)
		while (text < end) {
			const char *newline = memchr(text, '\n', (size_t)(end - text));
			const char *stop = newline ? newline : end;
			status = take_line(&line, text, stop, sink, err);
			if (status)
				return status;
			text = stop + (newline != NULL);
		}
	return status;
}

static const struct sl_reader queue_log = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "queue-log",
	.summary = "a log of our own batch system, seven words a job",
	.sniff = sniff,
	.read = read_all,
};

static const struct sl_reader *const readers[] = { &queue_log, NULL };

SL_API extern const struct sl_plugin sl_plugin;
const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "queue-log",
	.readers = readers,
};
