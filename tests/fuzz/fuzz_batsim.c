/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_batsim.c - any bytes at all through the reader of Batsim workloads and the cleaning of a scenario.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct sl_reader batsim_reader;

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	uint64_t *line = self;
	SL_CHECK(row->line >= *line);
	*line = row->line;
	for (int i = 0; i < SL_COL_COUNT; i++)
		SL_CHECK(row->col[i] >= 0 || row->col[i] == SL_NONE || i == SL_COL_RUN);
	SL_CHECK(row->col[SL_COL_REQ_CPUS] <= INT32_MAX && row->col[SL_COL_CPUS] <= INT32_MAX);
	SL_CHECK(row->col[SL_COL_ID] != SL_NONE || row->more->id);
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	const uint64_t *line = self;
	SL_CHECK(*line == 0 && at->line > 0 && strcmp(key, "MaxProcs") == 0 && *value);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	const uint64_t *line = self;
	SL_CHECK(at->line >= *line && *cause);
	return SL_OK;
}

static void read_alone(const char *path)
{
	struct sl_err err = { 0 };
	struct sl_input *in;
	uint64_t line = 0;
	const struct sl_sink sink = {
		.self = &line, .job = on_job, .header = on_header, .anomaly = on_anomaly
	};
	if (sl_input_open(&in, path, &err)) {
		SL_CHECK(err.status == SL_INPUT && *err.text);
		return;
	}
	const int status = batsim_reader.read(in, &sink, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	sl_input_close(in);
}

static void load_scenario(const char *path)
{
	struct sl_err err = { 0 };
	struct scenario scenario;
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = path, .any_machine = true
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (status)
		return;
	const struct sl_jobs *jobs = &scenario.jobs;
	SL_CHECK(jobs->count > 0 && jobs->count <= scenario.rows);
	for (uint32_t row = 0; row < jobs->count; row++)
		SL_CHECK(jobs->run[row] > 0 && jobs->size[row] > 0 && jobs->limit[row] >= jobs->run[row]);
	scenario_release(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_alone(path);
	load_scenario(path);
	(void)close(fd);
	return 0;
}
