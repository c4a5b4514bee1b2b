/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_commands.c - any bytes at all as replay.commands: what comes of them is in order of time, of one line
 * each, and text; or it is refused, with a place.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(char path[32], const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void look_at(const struct scenario *scenario)
{
	for (size_t i = 0; i < scenario->command_count; i++) {
		const struct sl_command *command = &scenario->command[i];
		const struct sl_command *before = i ? command - 1 : NULL;
		SL_CHECK(command->where.line > 0 && command->where.column > 1);
		SL_CHECK(!before || before->at < command->at ||
			 (before->at == command->at && before->where.line < command->where.line));
		SL_CHECK(*command->text && *command->text != ' ' && strlen(command->text) <= 4096);
		for (const char *c = command->text; *c; c++)
			SL_CHECK((unsigned char)*c >= ' ' || *c == '\t');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char trace[] = "; MaxProcs: 4\n; UnixStartTime: 1000000000\n"
				    "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n";
	char paths[2][32];
	char line[64];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const int files[] = { file_of(paths[0], trace, strlen(trace)), file_of(paths[1], data, size) };
	struct settings settings = { .arena = sl_arena_new() };
	SL_CHECK(settings.arena);
	(void)snprintf(line, sizeof(line), "replay.commands=%s", paths[1]);
	SL_CHECK(settings_add(&settings, line, &err) == SL_OK);
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = paths[0], .settings = &settings
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (!status) {
		look_at(&scenario);
		scenario_release(&scenario);
	}
	sl_arena_free(settings.arena);
	for (size_t i = 0; i < SL_LEN(files); i++)
		(void)close(files[i]);
	return 0;
}
