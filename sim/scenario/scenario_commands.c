/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_commands.c - replay.commands: an operator's commands, with their times.
 *
 * A line is TIME COMMAND...: the time as in replay.from, then the command in the words of the shell,
 * up to the end of the line. Blank lines and those that begin with '#' say nothing. Lines need not be in
 * order: commands are applied by time, those of one time as they stand. replay.load does not move them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

enum { COMMANDS_MAX = 1000000, COMMAND_MAX = 4096, DISPLAYED = 40 };

struct commands {
	struct scenario *scenario;
	struct sl_command *item;
	size_t count, capacity;
};

static bool scenario_commands_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static int scenario_commands_time_of(const struct scenario *scenario, const char *text, size_t len,
	sl_time *time, const struct sl_place *at, struct sl_err *err)
{
	const int displayed = (int)(len < DISPLAYED ? len : DISPLAYED);
	if (sl_get_date(text, len, time)) {
		if (!scenario->epoch)
			return sl_fail_at(err, at,
				"'%.*s': the trace does not say when it began (UnixStartTime), so it has no dates: "
				"give seconds since its zero, or a duration such as 3d",
				displayed, text);
		*time -= (scenario->utc_offset + scenario->epoch) * SL_SECOND;
		return SL_OK;
	}
	const size_t sign = len > 0 && *text == '+';
	if (sl_get_duration(text + sign, len - sign, time) && *time <= INT64_MAX / 2)
		return SL_OK;
	return sl_fail_at(err, at,
		"'%.*s' is not a time: a line is TIME COMMAND, with seconds since the trace's zero, a duration such "
		"as 3d or 36h, or a date as 2001-12-31T23:59",
		displayed, text);
}

/* Text of one line, and no more of it than anyone types. */
static int scenario_commands_text_of(
	const char *text, size_t len, const struct sl_place *at, struct sl_err *err)
{
	if (!len)
		return sl_fail_at(err, at, "a time without a command: a line is TIME COMMAND");
	if (len > COMMAND_MAX)
		return sl_fail_at(err, at, "the command is longer than %d characters: part it into several",
			COMMAND_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return sl_fail_at(err,
				&(struct sl_place){ at->file, at->line, at->column + (uint32_t)i },
				"a control character in a command: the file is not text");
	return SL_OK;
}

static int command_line(
	struct commands *to, const char *p, const char *end, struct sl_place at, struct sl_err *err)
{
	const char *line = p;
	while (p < end && scenario_commands_is_blank(*p))
		p++;
	while (end > p && scenario_commands_is_blank(end[-1]))
		end--;
	if (p == end || *p == '#')
		return SL_OK;
	const char *word = p;
	while (p < end && !scenario_commands_is_blank(*p))
		p++;
	sl_time time;
	at.column = (uint32_t)(word - line) + 1;
	int status = scenario_commands_time_of(to->scenario, word, (size_t)(p - word), &time, &at, err);
	while (p < end && scenario_commands_is_blank(*p))
		p++;
	at.column = (uint32_t)(p - line) + 1;
	if (!status)
		status = scenario_commands_text_of(p, (size_t)(end - p), &at, err);
	if (!status)
		status = SL_GROW_MOST(to->item, to->capacity, to->count + 1, COMMANDS_MAX, err);
	if (status)
		return status;
	const char *text = sl_strdup(to->scenario->arena, p, (size_t)(end - p));
	if (!text)
		return sl_fail_memory(err);
	to->item[to->count++] = (struct sl_command){ time, text, at };
	return SL_OK;
}

static int command_lines(struct commands *to, struct sl_input *in, struct sl_err *err)
{
	struct sl_place at = { sl_strdup(to->scenario->arena, sl_input_name(in), strlen(sl_input_name(in))),
		0, 1 };
	const char *p, *end;
	int status;
	if (!at.file)
		return sl_fail_memory(err);
	while ((status = sl_input_next(in, &p, &end, err)) > 0) {
		while (p < end) {
			const char *newline = memchr(p, '\n', (size_t)(end - p) + 1);
			at.line++;
			if (to->count == COMMANDS_MAX)
				return sl_fail_at(
					err, &at, "more than %d commands: leave some out", COMMANDS_MAX);
			status = command_line(to, p, newline, at, err);
			if (status)
				return status;
			p = newline + 1;
		}
	}
	return status;
}

/* The place in the file decides between those of one time. */
static int compare_commands(const void *a, const void *b)
{
	const struct sl_command *x = a;
	const struct sl_command *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->where.line > y->where.line) - (x->where.line < y->where.line);
}

static int commands_lend(const struct commands *from, struct sl_err *err)
{
	struct scenario *scenario = from->scenario;
	struct sl_command *command = sl_alloc(scenario->arena, from->count + 1, sizeof(*command));
	if (!command)
		return sl_fail_memory(err);
	if (from->count) {
		memcpy(command, from->item, from->count * sizeof(*command));
		qsort(command, from->count, sizeof(*command), compare_commands);
	}
	scenario->command = command;
	scenario->command_count = from->count;
	return SL_OK;
}

int commands_load(struct loading *loading, struct scenario_input *input, struct sl_err *err)
{
	struct commands commands = { .scenario = loading->scenario };
	const char *path = loading->scenario->replay[REPLAY_COMMANDS].text;
	struct sl_input *in;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = command_lines(&commands, in, err);
	if (!status)
		status = commands_lend(&commands, err);
	if (!status) {
		*input = (struct scenario_input){ .path = path,
			.format = "time command",
			.packing = sl_input_packing(in),
			.bytes = sl_input_bytes(in) };
		memcpy(input->sha256, sl_input_sha256(in), sizeof(input->sha256));
	}
	free(commands.item);
	sl_input_close(in);
	return status;
}

uint32_t sl_words(struct sl_arena *arena, const char *text, const char **word, uint32_t capacity)
{
	uint32_t count = 0;
	while (*(text += strspn(text, " \t"))) {
		const size_t len = strcspn(text, " \t");
		if (count == capacity)
			return 0;
		word[count] = sl_strdup(arena, text, len);
		if (!word[count++])
			return 0;
		text += len;
	}
	return count;
}
