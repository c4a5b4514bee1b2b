/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_tune.c - any bytes at all as the file of tune --spec.
 *
 * What is refused has a status and a text, and leaves the line as it was. What is read are options of the
 * command, with a value where they take one, at most 1 000, before those of the line; and at most one
 * operand.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct command cmd_tune;

static bool is_of_command(const struct option_def *def)
{
	for (size_t i = 0; i < cmd_tune.option_count; i++)
		if (&cmd_tune.options[i] == def)
			return true;
	for (size_t i = 0; option_common(i); i++)
		if (option_common(i) == def)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	struct registry registry = *builtin_registry();
	struct given line = { .def = &cmd_tune.options[0], .value = "dir" };
	struct args args = {
		.command = &cmd_tune, .arena = arena, .registry = &registry, .given = &line, .given_count = 1
	};
	char *text = malloc(size + 1);
	SL_CHECK(arena && text);
	memcpy(text, data, size);
	text[size] = '\0';
	const int status = tune_spec_parse(&args, "fuzz", text, size, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	SL_CHECK(args.given_count >= 1 && args.given_count <= 1001 && args.word_count <= 1);
	SL_CHECK(!status || args.given_count == 1);
	SL_CHECK(args.given[args.given_count - 1].def == line.def);
	for (size_t i = 0; i < args.given_count; i++)
		SL_CHECK(is_of_command(args.given[i].def) &&
			 !args.given[i].def->value == !args.given[i].value);
	free(text);
	sl_arena_free(arena);
	return 0;
}
