/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_philly.c - any bytes at all as the JSON log of Philly.
 *
 * It may be refused, with a status and a text; what is taken has rows that the engine takes.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/base.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more;
	(void)self;
	(void)err;
	SL_CHECK(row->line > 0 && more && more->job && more->group_count == 1);
	SL_CHECK(more->id || row->col[SL_COL_ID] >= 0);
	SL_CHECK(row->col[SL_COL_WAIT] >= 0 || row->col[SL_COL_WAIT] == SL_NONE);
	SL_CHECK(row->col[SL_COL_RUN] >= 0 || row->col[SL_COL_RUN] == SL_NONE);
	SL_CHECK(more->group->tasks >= 0 && more->group->tasks <= INT32_MAX);
	SL_CHECK(more->job->attempts_recorded >= 0);
	return 0;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(*cause && at->line > 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sl_sink sink = { .job = on_job, .anomaly = on_anomaly };
	const struct sl_reader *const *reader = builtin_registry()->known.readers;
	struct sl_err err = { 0 };
	struct sl_input *in;
	char path[32];
	while (strcmp((*reader)->name, "philly") != 0)
		reader++;
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sl_input_open(&in, path, &err) == SL_OK) {
		const int status = (*reader)->read(in, &sink, &err);
		SL_CHECK(status == err.status && (!status || *err.text));
		sl_input_close(in);
	}
	(void)close(fd);
	return 0;
}
