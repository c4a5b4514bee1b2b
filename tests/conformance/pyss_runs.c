/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pyss_runs.c - result files of pyss as predictsim ran it (Gaussier, Glesser, Reis & Trystram, SC 2015): a
 * job a line, in the form of SWF, in the order of completion; field 3 is the simulated wait, field 18 the
 * first prediction. The input is the file's own jobs, by (submit, id).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/conformance/conformance.h"
#include "tests/conformance/rerun.h"
#include "tests/world/builtin_registry.h"

static const struct recorded {
	const char *name, *policy;
	bool predicted; /* Estimates are the file's own. */
} recorded[] = {
	{ "easy_reqtime", "easy:compat=pyss,estimate=limit", false },
	{ "easy_clairvoyant", "easy:compat=pyss,estimate=exact", false },
	{ "easysjbf_clairvoyant", "easy:compat=pyss,estimate=exact,fill=shortest", false },
	{ "easyplusplus_tsafrir", "easy:compat=pyss,estimate=tsafrir,fill=shortest", false },
	{ "easysjbf_ml_sgd_reqtimecorr", "easy:compat=pyss,estimate=file,fill=shortest", true },
};

struct line {
	int64_t id, submit, wait, run, size, limit, user, prediction; /* Seconds. */
};

struct lines {
	struct line *line;
	size_t count, capacity;
	int64_t cpus;
};

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct lines *lines = self;
	const int64_t *col = row->col;
	const int status = SL_GROW_MOST(lines->line, lines->capacity, lines->count + 1, SIZE_MAX / 128, err);
	if (!status)
		lines->line[lines->count++] = (struct line){ col[SL_COL_ID], col[SL_COL_SUBMIT] / SL_SECOND,
			col[SL_COL_WAIT] / SL_SECOND, col[SL_COL_RUN] / SL_SECOND, col[SL_COL_REQ_CPUS],
			col[SL_COL_LIMIT] / SL_SECOND, col[SL_COL_USER], col[SL_COL_THINK] / SL_SECOND };
	return status;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	(void)err;
	struct lines *lines = self;
	if (strcmp(key, "MaxProcs") == 0)
		(void)sl_get_i64(value, strlen(value), &lines->cpus);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	return sl_fail_at(err, at, "%s", cause);
}

static int by_submit(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int read_lines(struct lines *lines, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const struct sl_reader *reader;
	const struct sl_sink sink = {
		.self = lines, .job = on_job, .header = on_header, .anomaly = on_anomaly
	};
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = reader_choose(builtin_registry(), &reader, in, err);
	if (!status)
		status = reader->read(in, &sink, err);
	sl_input_close(in);
	if (!status && lines->count)
		qsort(lines->line, lines->count, sizeof(*lines->line), by_submit);
	return status;
}

/* The jobs as a trace of their own, or their predictions. Returns the file's descriptor. */
static int write_lines(const struct lines *lines, bool predictions, char path[32])
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	SL_CHECK(file);
	if (!predictions)
		(void)fprintf(file, "; MaxProcs: %" PRId64 "\n", lines->cpus);
	for (size_t i = 0; i < lines->count; i++) {
		const struct line *l = &lines->line[i];
		if (predictions)
			(void)fprintf(file, "%" PRId64 ",%" PRId64 "\n", l->id, l->prediction);
		else
			(void)fprintf(file,
				"%" PRId64 " %" PRId64 " -1 %" PRId64 " %" PRId64 " -1 -1 %" PRId64
				" %" PRId64 " -1 1 %" PRId64 " -1 -1 -1 -1 -1 -1\n",
				l->id, l->submit, l->run, l->size, l->size, l->limit, l->user);
	}
	SL_CHECK(fclose(file) == 0);
	const int fd = memory_file(path, text, len);
	free(text);
	return fd;
}

/* Rows are in the order of the lines. */
static void compare(const struct lines *lines, const struct sl_result *result, char *text, size_t size)
{
	size_t differing = 0;
	if (lines->count != result->jobs->count) {
		(void)snprintf(
			text, size, "%zu jobs recorded, %u in the run", lines->count, result->jobs->count);
		return;
	}
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const struct line *l = &lines->line[i];
		const int64_t start = (l->submit + l->wait) * SL_SECOND;
		SL_CHECK(l->id == result->jobs->id[i]);
		if (start != result->start[i] && !differing++)
			(void)snprintf(text, size,
				"first at job %" PRId64 ": recorded start %" PRId64 " s, ours %" PRId64 " s",
				l->id, start / SL_SECOND, result->start[i] / SL_SECOND);
	}
	const size_t used = strlen(text);
	if (differing)
		(void)snprintf(
			text + used, size - used, "; %zu of %zu starts differ", differing, lines->count);
}

static void run_recorded(const struct recorded *how, const struct lines *lines, char *text, size_t size)
{
	char trace[32];
	char side[32];
	char estimates[64];
	const int trace_fd = write_lines(lines, false, trace);
	const int side_fd = write_lines(lines, true, side);
	(void)snprintf(estimates, sizeof(estimates), "replay.estimates=%s", side);
	const char *const settings[] = { "overrun=kill", how->predicted ? estimates : NULL, NULL };
	struct rerun run;
	if (rerun(&run, trace, how->policy, settings, 0))
		(void)snprintf(text, size, "%.*s", (int)size - 1, run.err.text);
	else
		compare(lines, &run.sim.result, text, size);
	rerun_release(&run);
	(void)close(trace_fd);
	(void)close(side_fd);
}

bool pyss_file(const char *path, const char *name, struct tally *tally)
{
	const size_t len = strcspn(name, ".");
	const struct recorded *how = NULL;
	for (size_t i = 0; i < SL_LEN(recorded); i++)
		if (strlen(recorded[i].name) == len && strncmp(name, recorded[i].name, len) == 0)
			how = &recorded[i];
	if (!how || !strstr(name, ".swf"))
		return false;
	struct lines lines = { 0 };
	struct sl_err err = { 0 };
	char text[1200] = "";
	if (read_lines(&lines, path, &err))
		(void)snprintf(text, sizeof(text), "%.1000s", err.text);
	else
		run_recorded(how, &lines, text, sizeof(text));
	tally_case(tally, path, *text ? text : NULL);
	free(lines.line);
	return true;
}
