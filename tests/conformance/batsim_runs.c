/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batsim_runs.c - runs of Batsim with batsched: `<policy>.out_jobs.csv`, a job a line, with its start and its
 * very machines; the workload is the .json beside it. Jobs are known by the time of submission: ids are
 * ranks.
 *
 * Batsim counts in doubles and writes six decimals, we count in microseconds: a start may differ by one.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/conformance.h"
#include "tests/conformance/rerun.h"

static const struct recorded {
	const char *name, *policy;
} recorded[] = {
	{ "easy.out_jobs.csv", "easy:compat=batsched" },
	{ "conservative.out_jobs.csv", "conservative:compat=batsched" },
};

struct started {
	sl_time submit, start;
	char machines[512]; /* "0-3 7" */
};

struct runs {
	struct started *job;
	size_t count, capacity;
};

enum { FIELD_SUBMIT = 3, FIELD_START = 7, FIELD_MACHINES = 14, FIELD_COUNT = 15 };

static bool read_row(const char *line, const char *end, struct started *job)
{
	for (int i = 0; i < FIELD_COUNT; i++) {
		const char *comma = i + 1 < FIELD_COUNT ? memchr(line, ',', (size_t)(end - line)) : end;
		if (!comma)
			return false;
		const size_t len = (size_t)(comma - line);
		if ((i == FIELD_SUBMIT && !sl_get_micro(line, len, &job->submit)) ||
			(i == FIELD_START && !sl_get_micro(line, len, &job->start)) ||
			(i == FIELD_MACHINES && len >= sizeof(job->machines)))
			return false;
		if (i == FIELD_MACHINES)
			(void)snprintf(job->machines, sizeof(job->machines), "%.*s", (int)len, line);
		line = comma + 1;
	}
	job->machines[strcspn(job->machines, "\r")] = '\0';
	return true;
}

static int by_submit(const void *a, const void *b)
{
	const struct started *x = a;
	const struct started *y = b;
	return (x->submit > y->submit) - (x->submit < y->submit);
}

static int read_runs(struct runs *runs, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	bool header = true;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	while ((status = sl_input_next(in, &text, &end, err)) > 0) {
		for (const char *stop; text < end; text = stop + 1, header = false) {
			stop = memchr(text, '\n', (size_t)(end - text) + 1);
			if (header)
				continue;
			status = SL_GROW_MOST(
				runs->job, runs->capacity, runs->count + 1, SIZE_MAX / 1024, err);
			if (!status && !read_row(text, stop, &runs->job[runs->count++]))
				status = sl_fail(err, SL_INPUT, "row %zu is not a job's", runs->count);
			if (status)
				break;
		}
		if (status < 0)
			break;
	}
	sl_input_close(in);
	if (!status && runs->count)
		qsort(runs->job, runs->count, sizeof(*runs->job), by_submit);
	return status;
}

/* As Batsim writes sets: runs of neighbours as "0-3", blanks between. */
static void machines_text(const struct sl_result *result, uint32_t job, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	const struct sl_node_tasks *node_alloc = result->place + result->place_first[job];
	for (uint32_t i = 0; i < result->place_count[job] && used < size;) {
		uint32_t last = i;
		while (last + 1 < result->place_count[job] &&
			node_alloc[last + 1].node == node_alloc[last].node + 1)
			last++;
		used += (size_t)snprintf(text + used, size - used, last > i ? "%s%u-%u" : "%s%u",
			used ? " " : "", node_alloc[i].node, node_alloc[last].node);
		i = last + 1;
	}
}

static void compare(const struct runs *runs, const struct sl_result *result, char *text, size_t size)
{
	size_t starts = 0;
	size_t places = 0;
	if (runs->count != result->jobs->count || !result->place_first) {
		(void)snprintf(
			text, size, "%zu jobs recorded, %u in the run", runs->count, result->jobs->count);
		return;
	}
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const struct started *job = &runs->job[i];
		char machines[512];
		machines_text(result, i, machines, sizeof(machines));
		const bool late = llabs(job->start - result->start[i]) > 1;
		const bool elsewhere = strcmp(machines, job->machines) != 0;
		if ((late || elsewhere) && !(starts + places))
			(void)snprintf(text, size,
				"first at job %" PRId64 ": recorded start %" PRId64
				" us on %.60s, ours %" PRId64 " on %.60s",
				result->jobs->id[i], job->start, job->machines, result->start[i], machines);
		starts += late;
		places += elsewhere;
	}
	const size_t used = strlen(text);
	if (starts + places)
		(void)snprintf(text + used, size - used, "; %zu of %zu starts differ, %zu places", starts,
			runs->count, places);
}

/* The one workload in the folder. */
static bool find_workload(const char *path, char *workload, size_t size)
{
	const char *slash = strrchr(path, '/');
	char folder[4096];
	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	DIR *dir = opendir(folder);
	bool found = false;
	for (struct dirent *entry; dir && (entry = readdir(dir));) /* NOLINT(concurrency-mt-unsafe) */
		if (strstr(entry->d_name, ".json") && !strstr(entry->d_name, "sched_input")) {
			(void)snprintf(workload, size, "%.3000s/%s", folder, entry->d_name);
			found = true;
		}
	if (dir)
		(void)closedir(dir);
	return found;
}

bool batsim_file(const char *path, const char *name, struct tally *tally)
{
	const struct recorded *how = NULL;
	char workload[4096];
	char text[1200] = "";
	struct runs runs = { 0 };
	struct sl_err err = { 0 };
	for (size_t i = 0; i < SL_LEN(recorded); i++)
		if (strncmp(name, recorded[i].name, strlen(recorded[i].name)) == 0)
			how = &recorded[i];
	if (!how)
		return strstr(name, ".out_") != NULL; /* Of schedulers that are not modelled, or sums. */
	if (read_runs(&runs, path, &err)) {
		(void)snprintf(text, sizeof(text), "%.1000s", err.text);
	} else if (!find_workload(path, workload, sizeof(workload))) {
		(void)snprintf(text, sizeof(text), "no workload is beside it");
	} else {
		struct rerun run;
		if (rerun(&run, workload, how->policy, NULL, SIM_RECORD_PLACES))
			(void)snprintf(text, sizeof(text), "%.1000s", run.err.text);
		else
			compare(&runs, &run.sim.result, text, sizeof(text));
		rerun_release(&run);
	}
	tally_case(tally, path, *text ? text : NULL);
	free(runs.job);
	return true;
}
