/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_services.c - any bytes at all through the reader of services files, and through the text that their
 * replicas carry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct sl_reader services_reader;

enum { ROWS_MAX = 20000 };

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	uint32_t *rows = self;
	SL_CHECK(row->col[SL_COL_SUBMIT] >= 0 && row->col[SL_COL_RUN] > 0);
	SL_CHECK(row->more->cancel > row->col[SL_COL_SUBMIT]);
	SL_CHECK(row->more->cancel <= row->col[SL_COL_SUBMIT] + row->col[SL_COL_RUN]);
	const struct sl_profile *profile = row->more->profile;
	SL_CHECK(profile && profile->family && profile->member >= 0 && profile->since >= 0);
	struct sl_serves serves;
	sl_time until;
	SL_CHECK(!sl_serves_read(&serves, profile->serves));
	SL_CHECK(sl_load_at(&serves, profile->since, &until) >= 0 && until > profile->since);
	sl_serves_release(&serves);
	return ++*rows < ROWS_MAX ? SL_OK : sl_fail(err, SL_INPUT, "enough");
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(*cause && at->line);
	return SL_OK;
}

/* A text of a service that it takes has a load at any time. */
static void read_serves(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct sl_serves serves;
	SL_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (!sl_serves_read(&serves, text)) {
		sl_time at = 0;
		for (int i = 0; i < 1000 && at < serves.until; i++) {
			sl_time until;
			SL_CHECK(sl_load_at(&serves, at, &until) >= 0 && until > at);
			at = until;
		}
	}
	sl_serves_release(&serves);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	struct sl_err err = { 0 };
	struct sl_input *in;
	uint32_t rows = 0;
	const struct sl_sink sink = { .self = &rows, .job = on_job, .anomaly = on_anomaly };
	const int fd = memfd_create("fuzz", 0);
	read_serves(data, size);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!sl_input_open(&in, path, &err)) {
		const int status = services_reader.read(in, &sink, &err);
		SL_CHECK(status == err.status && (!status || *err.text));
		sl_input_close(in);
	}
	(void)close(fd);
	return 0;
}
