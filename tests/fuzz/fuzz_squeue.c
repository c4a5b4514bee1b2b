/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_squeue.c - any bytes at all as the text of squeue, and as that of scontrol show job.
 *
 * The reader may refuse, with a status and a text; what it passes on is within bounds.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/plugin.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	size_t jobs;
	bool dated;
};

static void check_desc(const struct sl_job_desc *desc)
{
	SL_CHECK(desc->tasks == SL_NONE || desc->tasks >= 0);
	SL_CHECK(desc->mem_per_node == SL_NONE || desc->mem_per_node >= 0);
	SL_CHECK(desc->exclusive <= SL_EXCLUSIVE_MCS);
	const char *const text[] = { desc->partition, desc->gres, desc->gpus, desc->gpus_per_node,
		desc->constraint, desc->licenses, desc->reservation, desc->nodelist, desc->exclude };
	for (size_t i = 0; i < SL_LEN(text); i++)
		SL_CHECK(!text[i] || strlen(text[i]) < 1U << 21);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct seen *seen = self;
	const struct sl_row_attributes *more = row->more;
	(void)err;
	SL_CHECK(more && more->job && more->desc_count > 0 && more->desc_count <= 128 && row->line > 0);
	SL_CHECK(more->id ? row->col[SL_COL_ID] == SL_NONE : row->col[SL_COL_ID] >= 0);
	SL_CHECK(row->col[SL_COL_WAIT] == SL_NONE || row->col[SL_COL_WAIT] >= 0);
	SL_CHECK(more->job->state_recorded < SL_STATE_COUNT && !more->job->depend);
	for (size_t i = 0; i < more->desc_count; i++)
		check_desc(&more->desc[i]);
	seen->jobs++;
	return seen->jobs > 20000 ? SL_INTERRUPTED : SL_OK; /* Arrays: no more of them is enough. */
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)key;
	(void)value;
	(void)at;
	(void)err;
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	(void)err;
	SL_CHECK(*cause);
	return SL_OK;
}

static int on_dated(void *self, struct sl_err *err)
{
	struct seen *seen = self;
	(void)err;
	SL_CHECK(!seen->dated && !seen->jobs); /* Once, before the first job. */
	seen->dated = true;
	return SL_OK;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	return on_anomaly(self, what, at, err);
}

static void read_as(const char *name, int fd)
{
	struct seen seen = { 0, false };
	struct sl_err err = { 0 };
	struct sl_input *in;
	char path[32];
	const struct sl_sink sink = { &seen, on_job, on_header, on_anomaly, on_dated, on_ignored, NULL,
		NULL };
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sl_input_open(&in, path, &err))
		return;
	for (size_t i = 0; builtin_registry()->known.readers[i]; i++) {
		if (strcmp(builtin_registry()->known.readers[i]->name, name) != 0)
			continue;
		const int status = builtin_registry()->known.readers[i]->read(in, &sink, &err);
		SL_CHECK(status == SL_INTERRUPTED || (status == err.status && (!status || *err.text)));
	}
	sl_input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	read_as("squeue", fd);
	read_as("scontrol-jobs", fd);
	(void)close(fd);
	return 0;
}
