/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_replay_commands.c - replay.commands: lines into commands by time, and where a line is wrong.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

#define JOB "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n"

static const char trace_plain[] = "; MaxProcs: 4\n" JOB;
static const char trace_dated[] = "; MaxProcs: 4\n; UnixStartTime: 1000000000\n; TimeZone: 3600\n" JOB;

/* Settings outlive their test, each of which is a process of its own. */
static struct sl_arena *kept[16];
static size_t kept_count;

static int load(
	struct scenario *scenario, const char *trace, const char *commands, size_t len, struct sl_err *err)
{
	static struct settings settings;
	static char paths[2][32];
	char line[64];
	cr_assert_lt(kept_count, SL_LEN(kept));
	settings = (struct settings){ .arena = kept[kept_count++] = sl_arena_new() };
	(void)snprintf(line, sizeof(line), "replay.commands=%s", memfile(paths[1], commands, len));
	cr_assert_eq(settings_add(&settings, line, err), SL_OK);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(paths[0], trace, strlen(trace)),
		.settings = &settings };
	return scenario_load(scenario, &options, err);
}

/* Numbers, durations and Slurm's; comments and blank lines; the order by time, then by line. */
Test(replay_commands, lines_by_time)
{
	static const char text[] = "# what was done\n"
				   "90 scontrol hold 1\r\n"
				   "\n"
				   "  1:30 \t scontrol release 1  \n"
				   "5 scancel -u 'a b' # kept\n"
				   "+2h scontrol update nodename=n1 state=drain\n"
				   "1.5 x";
	static const struct {
		sl_time at;
		const char *text;
		uint64_t line;
	} want[] = { { 1500000, "x", 7 }, { 5 * SL_SECOND, "scancel -u 'a b' # kept", 5 },
		{ 90 * SL_SECOND, "scontrol hold 1", 2 }, { 90 * SL_SECOND, "scontrol release 1", 4 },
		{ 7200 * SL_SECOND, "scontrol update nodename=n1 state=drain", 6 } };
	struct scenario scenario;
	struct sl_err err = { 0 };
	cr_assert_eq(load(&scenario, trace_plain, text, strlen(text), &err), SL_OK, "%s", err.text);
	cr_assert_eq(scenario.command_count, SL_LEN(want));
	for (size_t i = 0; i < SL_LEN(want); i++) {
		const struct sl_command *command = &scenario.command[i];
		cr_expect_eq(command->at, want[i].at, "command %zu", i);
		cr_expect_str_eq(command->text, want[i].text);
		cr_expect_eq(command->where.line, want[i].line);
	}
	cr_expect_eq(scenario.command[3].where.column, 10);
	cr_assert_eq(scenario.side_count, 1); /* It is among what identifies the run. */
	cr_expect_eq(strlen(scenario.side[0].sha256), 64);
	scenario_release(&scenario);
}

/* Dates are of the log's clock: 1000000000 is 2001-09-09T01:46:40 UTC, an hour later there. */
Test(replay_commands, dates)
{
	static const char text[] = "2001-09-09T02:46:50 scontrol hold 1\n";
	struct scenario scenario;
	struct sl_err err = { 0 };
	cr_assert_eq(load(&scenario, trace_dated, text, strlen(text), &err), SL_OK, "%s", err.text);
	cr_assert_eq(scenario.command_count, 1);
	cr_expect_eq(scenario.command[0].at, 10 * SL_SECOND);
	scenario_release(&scenario);
	cr_expect_eq(load(&scenario, trace_plain, text, strlen(text), &err), SL_INPUT);
	cr_expect(strstr(err.text, ":1:1: '2001-09-09T02:46:50': the trace does not say"), "%s", err.text);
}

Test(replay_commands, an_empty_file_says_nothing)
{
	struct scenario scenario;
	struct sl_err err = { 0 };
	cr_assert_eq(load(&scenario, trace_plain, "#\n", 2, &err), SL_OK, "%s", err.text);
	cr_expect_eq(scenario.command_count, 0);
	scenario_release(&scenario);
}

Test(replay_commands, wrong_lines_are_named)
{
	static char longer[5000];
	memset(longer, 'x', sizeof(longer));
	memcpy(longer, "1 ", 2);
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} cases[] = {
		{ "1 a\nsoon scontrol hold 1\n", 0, ":2:1: 'soon' is not a time" },
		{ "  5\n", 0, ":1:4: a time without a command" },
		{ "1 a\0b\n", 6, ":1:4: a control character" },
		{ "1 a\x1b[0m\n", 0, ":1:4: a control character" },
		{ "99999999999999999999 a\n", 0, "is not a time" },
		{ longer, sizeof(longer), ":1:3: the command is longer than 4096" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct scenario scenario;
		struct sl_err err = { 0 };
		const size_t len = cases[i].len ? cases[i].len : strlen(cases[i].text);
		cr_expect_eq(load(&scenario, trace_plain, cases[i].text, len, &err), SL_INPUT, "case %zu", i);
		cr_expect(strstr(err.text, cases[i].want), "case %zu: %s", i, err.text);
	}
}
