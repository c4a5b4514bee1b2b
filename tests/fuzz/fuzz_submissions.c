/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_submissions.c - any bytes at all as lines that were typed (traces/slurm/submissions.c): refused with a
 * place and a text, or rows within bounds.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const struct sl_reader submissions_reader;

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more;
	(void)self;
	(void)err;
	SL_CHECK(more && more->job && more->user && *more->user && strlen(more->user) <= 100);
	SL_CHECK(more->desc_count > 0 && more->desc_count <= 128 && row->line > 0);
	SL_CHECK(row->col[SL_COL_ID] >= 0 && row->col[SL_COL_SUBMIT] >= 0 && row->col[SL_COL_RUN] >= 0);
	SL_CHECK(more->job->array == SL_NONE || more->job->array_task >= 0);
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	(void)err;
	SL_CHECK(strlen(key) < 40 && strlen(value) < 200);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)cause;
	(void)at;
	(void)err;
	return SL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sl_sink sink = { .job = on_job, .header = on_header, .anomaly = on_anomaly };
	struct sl_input *in;
	struct sl_err err = { 0 };
	char path[40];
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!sl_input_open(&in, path, &err)) {
		const int status = submissions_reader.read(in, &sink, &err);
		SL_CHECK(status == err.status && (!status || *err.text));
		sl_input_close(in);
	}
	(void)close(fd);
	return 0;
}
