/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_step.c - schedlab step: go through a replay event by event, in a terminal or by a script.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/step/step.h"

static const struct option_def options[] = {
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY_ONE },
	{ OPTION_SET },
	{ OPTION_ROOT },
	{ OPTION_MODEL },
	{ OPTION_SEED },
	{ OPTION_FROM },
	{ OPTION_TO },
	{ OPTION_TZ },
	{ OPTION_JOBS },
	{ "until", 0, "TIME", false, "the replay stops there" },
	{ OPTION_STRICT },
	{ "script", 0, "FILE", false,
		"commands from a file, '-' is stdin, in place of keys; screens are text" },
	{ "replay", 0, "FILE", false, "play a record again, and compare its predictions" },
	{ "record", 0, "FILE", false, "write what was done and predicted, and the score" },
	{ "quiz", 0, "N", false, "ask N times who starts next, and tell the score" },
	{ "answers", 0, NULL, false, "of a quiz: tell the answer with the question, and hide nothing" },
	{ "size", 0, "COLSxROWS", false, "of a script's screens; default 80x24" },
	{ "utf8", 0, NULL, false, "a script's screens in UTF-8; default: ASCII" },
	{ "json", 0, NULL, false, "JSON lines; without --script: all that happens in the run" },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
};

enum { COLUMNS_MIN = 60, ROWS_MIN = 20, COLUMNS_MAX = 500, ROWS_MAX = 200 };

static int take_size(struct script *script, const struct args *args, struct sl_err *err)
{
	const char *text = arg(args, "size");
	int64_t columns = 80;
	int64_t rows = 24;
	const char *x = text ? strchr(text, 'x') : NULL;
	const bool good = !text || (x && sl_get_i64(text, (size_t)(x - text), &columns) &&
					   sl_get_i64(x + 1, strlen(x + 1), &rows));
	if (!good || columns < COLUMNS_MIN || columns > COLUMNS_MAX || rows < ROWS_MIN || rows > ROWS_MAX)
		return sl_fail(err, SL_USAGE,
			"--size: give columns and rows, from %dx%d to %dx%d, not '%.40s'", COLUMNS_MIN,
			ROWS_MIN, COLUMNS_MAX, ROWS_MAX, text);
	script->columns = (int)columns;
	script->rows = (int)rows;
	return SL_OK;
}

/* By the environment's locale: LC_ALL, LC_CTYPE, LANG, the first that is set. */
static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < SL_LEN(names); i++) {
		const char *value = getenv(names[i]); /* NOLINT(concurrency-mt-unsafe): one thread. */
		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

static bool is_dumb(void)
{
	const char *term = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	return !term || !*term || strcmp(term, "dumb") == 0;
}

static int check_options(const struct args *args, struct sl_err *err)
{
	const bool script = arg(args, "script") || arg(args, "replay");
	if (arg(args, "script") && arg(args, "replay"))
		return sl_fail(
			err, SL_USAGE, "--script and --replay each give the commands: leave one of them out");
	if (arg_flag(args, "answers") && !arg(args, "quiz"))
		return sl_fail(err, SL_USAGE, "--answers is of a quiz: give --quiz N too");
	if (!script && (arg(args, "size") || arg_flag(args, "utf8")))
		return sl_fail(err, SL_USAGE, "--size and --utf8 are of scripts: a terminal says what it is");
	if (script && strcmp(arg(args, "script") ? arg(args, "script") : "", "-") == 0 &&
		strcmp(args->word[0], "-") == 0)
		return sl_fail(err, SL_USAGE, "trace and script cannot both come from stdin");
	if (script || arg_flag(args, "json") || terminal_is_there())
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"step needs a terminal for its keys and its screen: without one give the same commands with --script "
		"FILE ('-' is stdin), or --json for all that happens");
}

static int go(struct stepper *stepper, struct script *script, const struct args *args, struct sl_out *record,
	struct sl_err *err)
{
	const char *path = arg(args, "script") ? arg(args, "script") : arg(args, "replay");
	script->path = path ? path : "-";
	script->json = arg_flag(args, "json");
	script->echo = path != NULL;
	script->replay = arg(args, "replay") != NULL;
	stepper->ascii = path ? !arg_flag(args, "utf8") : !is_utf8();
	if (!path && script->json)
		return script_events(stepper, err);
	return path || is_dumb() ? script_run(stepper, script, record, err)
				 : terminal_run(stepper, record, err);
}

static int step_through(struct stepper *stepper, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "record");
	struct sl_out *record = NULL;
	struct script script = { 0 };
	uint64_t quiz = 0;
	int status = check_options(args, err);
	if (!status)
		status = take_size(&script, args, err);
	if (!status)
		status = arg_u64(args, "quiz", 0, 1, 10000, &quiz, err);
	if (!status)
		status = step_open(stepper, args, err);
	if (!status && path)
		status = sl_out_open(&record, path, err);
	if (status)
		return status;
	stepper->quiz = (uint32_t)quiz;
	stepper->answers = arg_flag(args, "answers");
	stepper->hide = quiz && !stepper->answers;
	if (record)
		record_head(stepper, record);
	status = go(stepper, &script, args, record, err);
	if (!record)
		return status;
	/* What was done so far is kept, however it ended. */
	struct sl_err other = { 0 };
	record_end(stepper, record);
	const int kept = sl_out_commit(record, &other);
	if (kept && !status)
		*err = other;
	return status ? status : kept;
}

static int step_run(const struct args *args, struct sl_err *err)
{
	struct stepper *stepper = calloc(1, sizeof(*stepper));
	if (!stepper)
		return sl_fail_memory(err);
	const int status = step_through(stepper, args, err);
	step_close(stepper);
	free(stepper);
	return status;
}

const struct command cmd_step = {
	.name = "step",
	.usage = "step TRACE [options] | step DIR",
	.summary = "go through a replay event by event, in a terminal",
	.detail =
		"Shows the queue, the nodes, the clock and what the scheduler decided and why, and goes on and back at a key;\n"
		"h shows all keys. DIR is a run's directory, or a snapshot.\n"
		"\n"
		"examples:\n"
		"  schedlab step log.swf -p easy\n"
		"  schedlab step jobs.csv -c cluster.yaml -p fairshare --quiz 10 --record answers.txt\n"
		"  schedlab step log.swf --replay answers.txt\n"
		"  echo s | schedlab step log.swf --script -\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = step_run,
};
