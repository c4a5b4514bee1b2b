/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_options.c - the options of Slurm's commands, by their tables: read by getopt_long's rules, so that
 * refusals read as the real commands' do; and the lines that they select.
 */
#include <getopt.h>
#include <string.h>

#include "cli/moment/view.h"

int view_refuse(const char *tool, struct sl_err *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)fflush(stdout);
	(void)fprintf(stderr, "%s: ", tool);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
	return sl_fail(err, SL_CHECK_FAILED, "%s", "");
}

int call_open(struct view *view, const struct view_call *call, bool end_will_do, struct sl_err *err)
{
	if (call->open) {
		*view = *call->open;
		*call->taken = true;
		return SL_OK;
	}
	if (!call->run)
		return sl_fail(err, SL_USAGE, "of which run? name its directory, or set SCHEDLAB_RUN to it");
	return view_open(view, call->run, call->at, end_will_do, call->registry, err);
}

/* ---- For getopt_long ------------------------------------------------------------------------------- */

enum { OPTIONS_MAX = 64, NO_LETTER = 256 }; /* Above all letters. */

/* What getopt_long returns of an option. Those without a letter that are passed over are one: a beginning
 * that several of them have in common is not ambiguous. */
static int view_options_value_of(const struct view_tool *tool, size_t i)
{
	const struct view_option *option = &tool->option[i];
	const bool skipped = option->takes == VIEW_SKIPS || option->takes == VIEW_SKIPS_VALUE;
	return option->letter ? option->letter : skipped ? NO_LETTER : NO_LETTER + 1 + (int)i;
}

static int argument_of(const struct view_option *option)
{
	switch (option->takes) {
	case VIEW_SKIPS_VALUE:
	case VIEW_TEXT:
	case VIEW_LIST:
		return required_argument;
	case VIEW_JOBS:
		return optional_argument;
	case VIEW_SKIPS:
	case VIEW_HELPS:
	case VIEW_LISTS_FIELDS:
	case VIEW_SAYS_VERSION:
	case VIEW_FLAG:
	case VIEW_MARK:
	case VIEW_CALL:
		break;
	}
	return no_argument;
}

struct tables {
	struct option names[OPTIONS_MAX + 1];
	char letters[3 * OPTIONS_MAX + 1];
};

static void tables_make(const struct view_tool *tool, struct tables *tables)
{
	size_t names = 0;
	char *letter = tables->letters;
	SL_CHECK(tool->option_count <= OPTIONS_MAX);
	for (size_t i = 0; i < tool->option_count; i++) {
		const struct view_option *option = &tool->option[i];
		const int argument = argument_of(option);
		if (option->name)
			tables->names[names++] = (struct option){ option->name, argument, NULL,
				view_options_value_of(tool, i) };
		if (!option->letter)
			continue;
		*letter++ = option->letter;
		for (int colons = argument; colons > 0; colons--)
			*letter++ = ':';
	}
}

/* ---- The words ------------------------------------------------------------------------------------------
 */

static int view_options_take(const struct view_option *option, void *self, const char *value,
	struct sl_arena *arena, struct sl_err *err)
{
	void *at = (char *)self + option->at;
	int status = SL_OK;
	if (option->takes == VIEW_FLAG)
		*(bool *)at = true;
	else if (option->takes == VIEW_MARK)
		*(char *)at = option->letter;
	else if (option->takes == VIEW_TEXT)
		*(const char **)at = value;
	else if (option->takes == VIEW_LIST || (option->takes == VIEW_JOBS && value))
		status = view_list(at, value, arena, err);
	return status || !option->then ? status : option->then(self, value, err);
}

/* True: that was all that was asked for. */
static bool view_options_reported(const struct view_tool *tool, const struct view_option *option)
{
	if (option->takes == VIEW_HELPS)
		(void)fputs(tool->help, stdout);
	else if (option->takes == VIEW_LISTS_FIELDS)
		tool->help_format();
	else if (option->takes == VIEW_SAYS_VERSION)
		printf("schedlab " SL_VERSION "\n");
	else
		return false;
	return true;
}

int view_run(const struct view_tool *tool, void *self, const struct view_call *call, struct sl_err *err)
{
	struct tables tables = { 0 };
	struct view_list *next = NULL; /* The list of -j, which is a word of its own. */
	int status = SL_OK;
	int value;
	tables_make(tool, &tables);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread here. */
	while (!status &&
		(value = getopt_long(call->argc, call->argv, tables.letters, tables.names, NULL)) != -1) {
		size_t i = 0;
		while (i < tool->option_count && view_options_value_of(tool, i) != value)
			i++;
		if (i == tool->option_count) {
			(void)fprintf(stderr, "Try \"%s --help\" for more information\n", tool->name);
			status = sl_fail(err, SL_CHECK_FAILED, "%s", "");
			break;
		}
		if (view_options_reported(tool, &tool->option[i]))
			return SL_OK;
		if (tool->option[i].takes == VIEW_JOBS && !optarg)
			next = (struct view_list *)(void *)((char *)self + tool->option[i].at);
		status = view_options_take(&tool->option[i], self, optarg, call->arena, err);
	}
	if (!status && next && optind < call->argc)
		status = view_list(next, call->argv[optind++], call->arena, err);
	if (!status && tool->stray && optind < call->argc)
		status = view_refuse(
			tool->name, err, "error: Unrecognized option: %s%s", call->argv[optind], tool->stray);
	if (!status)
		status = tool->show(self, call, err);
	view_close(self);
	return status;
}

bool view_selects(const struct view_tool *tool, const void *self, const void *line, struct cell *cell)
{
	for (size_t i = 0; i < tool->option_count; i++) {
		const struct view_option *option = &tool->option[i];
		const struct view_list *list = (const void *)((const char *)self + option->at);
		if (!option->put || !list->count)
			continue;
		cell_clear(cell);
		option->put(cell, self, line);
		if (!list_has_cell(list, cell))
			return false;
	}
	return true;
}
