/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.c - lines on stderr by level, as text or as JSON objects, one a line (RFC 8259); failures the same.
 *
 * Where an error is: messages begin with file:line:column, so it is read from there.
 */
#include "cli/base/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "sim/base/out.h"

static const char *const names[] = { "error", "warning", "info", "debug", "trace" };

/* Set before threads are. */
static struct {
	enum log_level level;
	bool json;     /* --log-json */
	bool of_tools; /* --json: whoever reads results reads errors too. */
} logging = { .level = LOG_INFO };

/* ---- Which levels are printed ---------------------------------------------------------------------- */

static int level_named(const char *text, const char *where, struct sl_err *err)
{
	for (size_t i = 0; i < SL_LEN(names); i++)
		if (strcmp(text, names[i]) == 0) {
			logging.level = (enum log_level)i;
			return SL_OK;
		}
	return sl_fail(
		err, SL_USAGE, "%s must be error, warning, info, debug or trace, not '%.60s'", where, text);
}

int log_from_environment(struct sl_err *err)
{
	const char *text = getenv("SCHEDLAB_LOG"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	return text && *text ? level_named(text, "SCHEDLAB_LOG", err) : SL_OK;
}

int log_from_args(const struct args *args, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < args->given_count && !status; i++) {
		const char *name = args->given[i].def->name;
		if (strcmp(name, "quiet") == 0)
			logging.level = LOG_WARNING;
		else if (strcmp(name, "verbose") == 0)
			logging.level = logging.level < LOG_INFO    ? LOG_DEBUG
					: logging.level < LOG_TRACE ? logging.level + 1
								    : LOG_TRACE;
		else if (strcmp(name, "log-level") == 0)
			status = level_named(args->given[i].value, "option '--log-level'", err);
		else if (strcmp(name, "log-json") == 0)
			logging.json = true;
		else if (strcmp(name, "json") == 0)
			logging.of_tools = true;
	}
	return status;
}

bool log_shows(enum log_level level) { return level <= logging.level; }

bool log_allows_bar(void) { return logging.level == LOG_INFO && !logging.json; }

/* ---- Lines ------------------------------------------------------------------------------- */

static void put_json(FILE *to, const char *text)
{
	(void)fputc('"', to);
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		const size_t length = utf8_length(p);
		if (*p == '"' || *p == '\\')
			(void)fprintf(to, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f || !length)
			(void)fprintf(to, "\\u%04x", *p); /* No UTF-8: read as Latin-1. */
		else if (length > 1 && length < 4 && is_obeyed(utf8_point(p, length)))
			(void)fprintf(to, "\\u%04x", (unsigned)utf8_point(p, length));
		else
			(void)fwrite(p, 1, length, to);
		p += length ? length : 1;
	}
	(void)fputc('"', to);
}

/* A message is one line, whatever the names in it. */
static void put_inert(FILE *to, const char *text)
{
	while (*text) {
		char displayed[SL_INERT_SIZE];
		(void)sl_inert(&text, displayed);
		(void)fputs(displayed, to);
	}
}

static void put_seconds(FILE *to, sl_time time)
{
	char text[48];
	*sl_put_micro(text, time) = '\0';
	(void)fputs(text, to);
}

/* "[3 d 04:00:00] " */
static void log_put_time(FILE *to, sl_time time)
{
	const uint64_t size = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
	const uint64_t seconds = size / SL_SECOND;
	(void)fprintf(to, "[%s", time < 0 ? "-" : "");
	if (seconds >= 86400)
		(void)fprintf(to, "%" PRIu64 " d ", seconds / 86400);
	(void)fprintf(to, "%02u:%02u:%02u", (unsigned)(seconds / 3600 % 24), (unsigned)(seconds / 60 % 60),
		(unsigned)(seconds % 60));
	if (size % SL_SECOND)
		(void)fprintf(to, ".%06u", (unsigned)(size % SL_SECOND));
	(void)fputs("] ", to);
}

/* By one call; without memory it goes unsaid. */
static void write_out(FILE *memory, char **text)
{
	const bool good = memory && fclose(memory) == 0;
	if (good)
		(void)fputs(*text, stderr);
	free(*text);
}

static void line(enum log_level level, const struct log_about *about, const char *text)
{
	char *made = NULL;
	size_t size;
	FILE *to = open_memstream(&made, &size);
	if (!to)
		return;
	if (!logging.json) {
		(void)fputs("schedlab: ", to);
		if (about->timed)
			log_put_time(to, about->now);
		if (about->run && about->named) {
			put_inert(to, about->run);
			(void)fputs(": ", to);
		}
		put_inert(to, text);
		(void)fputc('\n', to);
		write_out(to, &made);
		return;
	}
	(void)fprintf(to, "{\"level\":\"%s\"", names[level]);
	if (about->timed) {
		(void)fputs(",\"time\":", to);
		put_seconds(to, about->now);
	}
	if (about->run) {
		(void)fputs(",\"run\":", to);
		put_json(to, about->run);
	}
	(void)fputs(",\"message\":", to);
	put_json(to, text);
	(void)fputs("}\n", to);
	write_out(to, &made);
}

static void SL_PRINTF(3, 0)
	line_of(enum log_level level, const struct log_about *about, const char *format, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, format, args) < 0)
		return;
	line(level, about, text);
	free(text);
}

void log_line(enum log_level level, const char *format, ...)
{
	const struct log_about nobody = { .run = NULL };
	va_list args;
	if (!log_shows(level))
		return;
	va_start(args, format);
	line_of(level, &nobody, format, args);
	va_end(args);
}

void log_run(enum log_level level, const struct log_about *about, const char *format, ...)
{
	va_list args;
	if (!log_shows(level))
		return;
	va_start(args, format);
	line_of(level, about, format, args);
	va_end(args);
}

void log_answer(const char *format, ...)
{
	const struct log_about nobody = { .run = NULL };
	va_list args;
	va_start(args, format);
	line_of(LOG_INFO, &nobody, format, args);
	va_end(args);
}

/* ---- Failures ------------------------------------------------------------------------------ */

/* "easy: a/b.lua:12:3: why": of the file its beginning and length, line and column; column 0: none. */
struct place_found {
	const char *file;
	int length;
	uint64_t line, column;
};

static size_t log_digits(const char *text, uint64_t *value)
{
	const size_t length = strspn(text, "0123456789");
	int64_t number = 0;
	if (!length || length > 18 || !sl_get_i64(text, length, &number))
		return 0;
	*value = (uint64_t)number;
	return length;
}

static bool find_place(const char *text, struct place_found *found)
{
	const char *begin = text;
	for (const char *at = text; (at = strchr(at, ':')); at++) {
		if (at[1] == ' ')
			begin = at + 2; /* A run's name stands before. */
		const size_t length = at > begin ? log_digits(at + 1, &found->line) : 0;
		if (!length)
			continue;
		found->file = begin;
		found->length = (int)(at - begin);
		found->column = 0;
		const char *behind = at + 1 + length;
		const size_t more = *behind == ':' ? log_digits(behind + 1, &found->column) : 0;
		behind += more ? more + 1 : 0;
		if (behind[0] == ':' && behind[1] == ' ')
			return true;
	}
	return false;
}

static void put_place(FILE *to, const char *text)
{
	struct place_found found = { .file = NULL };
	char file[1000];
	if (!find_place(text, &found))
		return;
	(void)snprintf(file, sizeof(file), "%.*s", found.length, found.file);
	(void)fputs(",\"file\":", to);
	put_json(to, file);
	(void)fprintf(to, ",\"line\":%" PRIu64, found.line);
	if (found.column)
		(void)fprintf(to, ",\"column\":%" PRIu64, found.column);
}

void log_failure(const struct sl_err *err, int status)
{
	const char *text = err->text[0] ? err->text : "interrupted: what is there is partial";
	const struct log_about nobody = { .run = NULL };
	if (!logging.json && !logging.of_tools) {
		line(LOG_ERROR, &nobody, text);
		return;
	}
	char *made = NULL;
	size_t size;
	FILE *to = open_memstream(&made, &size);
	if (!to)
		return;
	(void)fputs(logging.json ? "{\"level\":\"error\",\"message\":" : "{\"error\":{\"message\":", to);
	put_json(to, text);
	put_place(to, text);
	(void)fprintf(to, logging.json ? ",\"status\":%d}\n" : ",\"exit\":%d}}\n", -status);
	write_out(to, &made);
}
