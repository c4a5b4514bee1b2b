/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_sheet.c - any bytes at all as a model's CSV file, and as the rules of replay.profile: a sheet whose
 * cells and lines are all there, or one line of error.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/csv_table.h"
#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char trace[] = "; MaxProcs: 8\n1 0 -1 100 3 -1 -1 3 100 -1 1 1 1 -1 1 1 -1 -1\n"
			    "2 10 -1 50 4 -1 -1 4 50 -1 1 2 1 -1 1 2 -1 -1\n";

static int file_of(char path[32], const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void look_at(const struct sl_csv_table *csv)
{
	uint64_t before = 0;
	SL_CHECK(csv->columns > 0);
	for (uint32_t i = 0; i < csv->columns; i++)
		SL_CHECK(sl_csv_column(csv, csv->column[i]) == i);
	for (uint32_t row = 0; row < csv->rows; row++) {
		SL_CHECK(csv->line[row] > before);
		before = csv->line[row];
		for (uint32_t i = 0; i < csv->columns; i++)
			SL_CHECK(csv->cell[(size_t)row * csv->columns + i]);
	}
}

static void read_alone(const char *path)
{
	struct sl_err err = { 0 };
	struct sl_input *in;
	const struct sl_csv_table *csv = NULL;
	struct sl_arena *arena = sl_arena_new();
	SL_CHECK(arena);
	int status = sl_input_open(&in, path, &err);
	if (!status) {
		status = csv_read(&csv, in, arena, &err);
		sl_input_close(in);
	}
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (!status)
		look_at(csv);
	sl_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	char rules[32];
	char setting[64];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const int file = file_of(path, trace, strlen(trace));
	const int csv = file_of(rules, data, size);
	struct settings settings = { .arena = sl_arena_new() };
	SL_CHECK(settings.arena);
	read_alone(rules);
	(void)snprintf(setting, sizeof(setting), "replay.profile=%s", rules);
	SL_CHECK(settings_add(&settings, setting, &err) == SL_OK);
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = path, .settings = &settings
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status);
	SL_CHECK(!status || (status == SL_INPUT && *err.text));
	if (!status) {
		const struct sl_jobs *jobs = &scenario.jobs;
		for (uint32_t job = 0; jobs->profile_of && job < jobs->count; job++)
			SL_CHECK(jobs->profile_of[job] < jobs->profile_count);
		scenario_release(&scenario);
	}
	sl_arena_free(settings.arena);
	(void)close(file);
	(void)close(csv);
	return 0;
}
