/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_change.c - any bytes at all as replay.drop (the first line) and replay.change (the rest): what comes
 * of them is a scenario as sound as any other, or they are refused in one line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char trace[] = "; MaxProcs: 8\n; UnixStartTime: 1000000000\n"
			    "1 0 -1 100 3 -1 -1 3 100 -1 1 1 1 -1 1 1 -1 -1\n"
			    "2 10 -1 50 4 -1 -1 4 50 -1 1 2 1 -1 1 2 -1 -1\n"
			    "3 20 -1 60 1 -1 -1 1 -1 -1 0 1 2 -1 1 1 2 -1\n"
			    "7 30 -1 100 1 -1 -1 1 2000000000000 -1 5 2 2 -1 1 1 -1 -1\n";

static int file_of(char path[32], const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void look_at(const struct sl_jobs *jobs)
{
	SL_CHECK(jobs->count > 0 && jobs->count <= 4);
	for (uint32_t job = 0; job < jobs->count; job++) {
		SL_CHECK(jobs->run[job] > 0 && jobs->limit[job] > 0 && jobs->size[job] > 0);
		SL_CHECK(jobs->size[job] <= 8 && jobs->submit[job] >= 0);
		SL_CHECK(!job || jobs->id[job - 1] < jobs->id[job]);
	}
}

/* A setting is one line of text. */
static void set(struct settings *settings, const char *key, const uint8_t *data, size_t size)
{
	struct sl_err err = { 0 };
	char *line = NULL;
	if (size && asprintf(&line, "%s=%.*s", key, (int)size, (const char *)data) >= 0)
		(void)settings_add(settings, line, &err);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const int file = file_of(path, trace, strlen(trace));
	struct settings settings = { .arena = sl_arena_new() };
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	const size_t first = end ? (size_t)(end - data) : size;
	SL_CHECK(settings.arena);
	set(&settings, "replay.drop", data, first);
	if (end)
		set(&settings, "replay.change", end + 1, size - first - 1);
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = path, .settings = &settings
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status);
	SL_CHECK(!status || ((status == SL_USAGE || status == SL_INPUT) && *err.text));
	if (!status) {
		look_at(&scenario.jobs);
		scenario_release(&scenario);
	}
	sl_arena_free(settings.arena);
	(void)close(file);
	return 0;
}
