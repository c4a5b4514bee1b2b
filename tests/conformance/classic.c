/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * classic.c - schedules of other simulators, to the second: `<engine>_<policy>_<trace>.csv`, columns
 * id,submit,start,end,procs,req,run. The trace lies beside it and is found by its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/conformance/conformance.h"
#include "tests/conformance/rerun.h"

/* What each recorded engine did, in our words. */
static const struct {
	const char *prefix, *policy;
} engines[] = {
	{ "pyss_fcfs_", "fcfs" },
	{ "oracle_easyinstant_", "easy" },
	{ "pyss_easy_", "easy:compat=pyss" },
	{ "pyss_sjbf_", "easy:compat=pyss,fill=shortest" },
	{ "pyss_cons_", "conservative:compat=pyss" },
	{ "batsim_easyfast_", "easy:compat=frozen" },
};

static const char header[] = "id,submit,start,end,procs,req,run";

struct schedule {
	int64_t (*row)[3]; /* id, start, end; times in microseconds. */
	size_t count, capacity;
	bool is_schedule;
};

static bool read_row(const char *line, const char *end, int64_t row[3])
{
	int64_t field[4];
	for (size_t i = 0; i < 4; i++) {
		const char *comma = memchr(line, ',', (size_t)(end - line));
		if (!comma)
			return false;
		if (!(i ? sl_get_micro(line, (size_t)(comma - line), &field[i])
			: sl_get_i64(line, (size_t)(comma - line), &field[i])))
			return false;
		line = comma + 1;
	}
	row[0] = field[0];
	row[1] = field[2];
	row[2] = field[3];
	return true;
}

static int read_lines(struct schedule *s, const char *text, const char *end, struct sl_err *err)
{
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		if (!s->is_schedule) {
			if ((size_t)(stop - text) < sizeof(header) - 1 ||
				memcmp(text, header, sizeof(header) - 1) != 0)
				return SL_OK;
			s->is_schedule = true;
		} else {
			const int status = SL_GROW(s->row, s->capacity, s->count + 1, err);
			if (status)
				return status;
			if (!read_row(text, stop, s->row[s->count++]))
				return sl_fail(err, SL_INPUT, "row %zu is not a schedule's", s->count);
		}
		text = stop + (newline != NULL);
	}
	return SL_OK;
}

static int read_schedule(struct schedule *s, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	const char *text;
	const char *end;
	while ((status = sl_input_next(in, &text, &end, err)) == 1) {
		status = read_lines(s, text, end, err);
		if (status || !s->is_schedule)
			break;
	}
	sl_input_close(in);
	return status == 1 ? SL_OK : status;
}

/* <folder>/<trace>.swf or .swf.gz */
static bool find_trace(const char *path, const char *name, char *trace, size_t size)
{
	const char *dot = strstr(name, ".csv");
	const int len = dot ? (int)(dot - name) : (int)strlen(name);
	const char *slash = strrchr(path, '/');
	const int folder = slash ? (int)(slash - path) + 1 : 0;
	static const char *const endings[] = { ".swf.gz", ".swf", ".swf.zst", ".swf.xz" };
	for (size_t i = 0; i < SL_LEN(endings); i++) {
		struct stat info;
		(void)snprintf(trace, size, "%.*s%.*s%s", folder, path, len, name, endings[i]);
		if (stat(trace, &info) == 0)
			return true;
	}
	return false;
}

static int by_id(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Starts and ends of all jobs; what differs is counted, the first is told. */
static bool compare(const struct schedule *s, const struct sl_result *result, char *text, size_t size)
{
	size_t differing = 0;
	if (s->count != result->jobs->count) {
		(void)snprintf(text, size, "%zu jobs recorded, %u in the run", s->count, result->jobs->count);
		return false;
	}
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const int64_t id = result->jobs->id[i];
		const int64_t(*row)[3] = bsearch(&id, s->row, s->count, sizeof(*s->row), by_id);
		if (row && (*row)[1] == result->start[i] && (*row)[2] == result->end[i])
			continue;
		if (!differing++)
			(void)snprintf(text, size, "first at job %lld: recorded start %lld s, ours %lld s",
				(long long)id, row ? (long long)((*row)[1] / SL_SECOND) : -1LL,
				(long long)(result->start[i] / SL_SECOND));
	}
	if (differing) {
		const size_t used = strlen(text);
		(void)snprintf(text + used, size - used, "; %zu of %zu starts differ", differing, s->count);
	}
	return !differing;
}

static bool run_schedule(
	const struct schedule *s, const char *trace, const char *policy, char *text, size_t size)
{
	struct rerun run;
	bool same = false;
	if (rerun(&run, trace, policy, NULL, 0))
		(void)snprintf(text, size, "%.*s", (int)size - 1, run.err.text);
	else
		same = compare(s, &run.sim.result, text, size);
	rerun_release(&run);
	return same;
}

void classic_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	(void)options;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	if (pyss_file(path, name, tally) || batsim_file(path, name, tally))
		return;
	if (!strstr(name, ".csv"))
		return; /* A trace, a notice, a README. */
	struct sl_err err = { 0 };
	struct schedule s = { 0 };
	char trace[4096];
	char text[1200] = "";
	if (read_schedule(&s, path, &err)) {
		tally_case(tally, name, err.text);
		free(s.row);
		return;
	}
	if (!s.is_schedule)
		return;
	if (s.count)
		qsort(s.row, s.count, sizeof(*s.row), by_id);
	bool passed = false;
	(void)snprintf(text, sizeof(text), "no engine of ours is known by this name");
	for (size_t i = 0; i < SL_LEN(engines); i++) {
		const size_t len = strlen(engines[i].prefix);
		if (strncmp(name, engines[i].prefix, len) != 0)
			continue;
		if (find_trace(path, name + len, trace, sizeof(trace)))
			passed = run_schedule(&s, trace, engines[i].policy, text, sizeof(text));
		else
			(void)snprintf(text, sizeof(text), "its trace is not beside it");
	}
	tally_case(tally, name, passed ? NULL : text);
	free(s.row);
}
