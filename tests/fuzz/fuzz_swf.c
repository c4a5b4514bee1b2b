/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_swf.c - any bytes at all through the input, the SWF reader and the cleaning of a scenario.
 *
 * The reader may refuse, with a status and a text; what it passes on is in
 * order of lines, and within the bounds that the job table is made for.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	uint64_t *line = self;
	SL_CHECK(row->line > *line);
	*line = row->line;
	for (int i = 0; i < SL_COL_COUNT; i++)
		SL_CHECK(row->col[i] >= 0 || row->col[i] == SL_NONE);
	SL_CHECK(row->col[SL_COL_REQ_CPUS] <= INT32_MAX && row->col[SL_COL_CPUS] <= INT32_MAX);
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	const uint64_t *line = self;
	SL_CHECK(*line == 0 && at->line > 0); /* No header behind the first job. */
	SL_CHECK(strlen(key) < 4096 && strlen(value) < 4096);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	const uint64_t *line = self;
	SL_CHECK(at->line > *line && at->column > 0 && *cause);
	return SL_OK;
}

static void read_alone(const char *path)
{
	struct sl_err err = { 0 };
	struct sl_input *in;
	uint64_t line = 0;
	const struct sl_sink sink = { &line, on_job, on_header, on_anomaly, NULL, NULL, NULL, NULL };
	if (sl_input_open(&in, path, &err)) {
		SL_CHECK(err.status == SL_INPUT && *err.text);
		return;
	}
	const int status = builtin_registry()->known.readers[0]->read(in, &sink, &err);
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
	for (uint32_t row = 0; row < jobs->count; row++) {
		SL_CHECK(jobs->run[row] > 0 && jobs->size[row] > 0 && jobs->limit[row] >= jobs->run[row]);
		SL_CHECK(!row || jobs->submit[row] >= jobs->submit[row - 1]);
		SL_CHECK(!scenario.cpus || jobs->size[row] <= scenario.cpus);
		SL_CHECK(!jobs->place || jobs->place[row] < jobs->count);
	}
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
