/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_gpu.c - any bytes at all as each of the CSVs of GPU clusters, traces and node lists.
 *
 * A reader may refuse, with a status and a text; what it tells is within the bounds that the scenario takes.
 * PAI's jobs need a table of tasks beside them: lines of "%%" part the two, and the sensors behind them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/base.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- What is told ------------------------------------------------------------------------------- */

static void check_group(const struct sl_row_group *g)
{
	SL_CHECK(g->tasks >= 0 || g->tasks == SL_NONE);
	SL_CHECK(g->parts <= 1 || g->parts == 1000);
	SL_CHECK(g->cpus >= 0 && g->gpus >= 0 && (g->mem >= 0 || g->mem == SL_NONE));
	SL_CHECK(g->parts == 1000 || g->tasks <= INT32_MAX);
	SL_CHECK(!g->gpu_type || *g->gpu_type);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more;
	(void)self;
	(void)err;
	SL_CHECK(row->line > 0 && more && more->job && (more->id || row->col[SL_COL_ID] != SL_NONE));
	SL_CHECK(row->col[SL_COL_WAIT] >= 0 || row->col[SL_COL_WAIT] == SL_NONE);
	SL_CHECK(row->col[SL_COL_SUBMIT] >= -INT64_MAX / 4 || row->col[SL_COL_SUBMIT] == SL_NONE);
	SL_CHECK(!more->gpu_active || (*more->gpu_active >= 0 && *more->gpu_active <= 1000000));
	for (size_t i = 0; i < more->group_count; i++)
		check_group(&more->group[i]);
	return 0;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(*key && *value && at->line > 0);
	return 0;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(*cause && at->line > 0);
	return 0;
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	SL_CHECK(spec->cpus > 0 && spec->count > 0 && strlen(spec->name) <= 63);
	SL_CHECK(!spec->hosts || sl_hosts_count(spec->hosts, strlen(spec->hosts), at, err) == spec->count);
	return 0;
}

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	SL_CHECK(*spec->name && sl_hosts_count(spec->nodes, strlen(spec->nodes), at, err) > 0);
	return 0;
}

/* ---- The readers ---------------------------------------------------------------------------------- */

static const struct sl_reader *trace_reader(const char *name)
{
	const struct sl_reader *const *reader = builtin_registry()->known.readers;
	while (strcmp((*reader)->name, name) != 0)
		reader++;
	return *reader;
}

static const struct sl_cluster_reader *nodes_reader(const char *name)
{
	const struct sl_cluster_reader *const *reader = builtin_registry()->known.cluster_readers;
	while (strcmp((*reader)->name, name) != 0)
		reader++;
	return *reader;
}

static void read_trace(const struct sl_reader *reader, const char *path)
{
	const struct sl_sink sink = { .job = on_job, .header = on_header, .anomaly = on_anomaly };
	struct sl_err err = { 0 };
	struct sl_input *in;
	if (sl_input_open(&in, path, &err))
		return;
	const int status = reader->read(in, &sink, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	sl_input_close(in);
}

static void read_nodes(const struct sl_cluster_reader *reader, const char *path)
{
	const struct sl_cluster_sink sink = { .nodes = on_nodes, .partition = on_partition };
	struct sl_err err = { 0 };
	struct sl_input *in;
	if (sl_input_open(&in, path, &err))
		return;
	const int status = reader->read(path, in, NULL, 0, &sink, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	sl_input_close(in);
}

/* By those that take it for theirs; what nobody does, by two that need not. */
static void read_all(const uint8_t *data, size_t size)
{
	static const char *const traces[] = { "openb", "philly-list", "helios", "acme", "dlrm", "tiresias",
		"chronus" };
	static const char *const nodes[] = { "openb-nodes", "spot-nodes", "pai-machines", "philly-machines",
		"philly-vcs", "helios-vcs" };
	const char *text = (const char *)data;
	char path[32];
	bool taken = false;
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < SL_LEN(traces); i++) {
		const struct sl_reader *reader = trace_reader(traces[i]);
		if (!reader->sniff(text, size))
			continue;
		read_trace(reader, path);
		taken = true;
	}
	for (size_t i = 0; i < SL_LEN(nodes); i++) {
		const struct sl_cluster_reader *reader = nodes_reader(nodes[i]);
		if (!reader->sniff(path, text, size))
			continue;
		read_nodes(reader, path);
		taken = true;
	}
	if (!taken) {
		read_trace(trace_reader("openb"), path);
		read_nodes(nodes_reader("pai-machines"), path);
	}
	(void)close(fd);
}

/* The part up to the next line "%%"; *data is what is behind it. */
static void write_part(const char *folder, const char *name, const uint8_t **data, const uint8_t *end)
{
	char path[100];
	const uint8_t *stop = memmem(*data, (size_t)(end - *data), "%%\n", 3);
	const size_t len = (size_t)((stop ? stop : end) - *data);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	SL_CHECK(file && fwrite(*data, 1, len, file) == len && fclose(file) == 0);
	*data = stop ? stop + 3 : end;
}

static void read_pai(const uint8_t *data, size_t size)
{
	static const char *const parts[] = { "pai_job_table.csv", "pai_task_table.csv",
		"pai_sensor_table.csv" };
	char folder[] = "/tmp/schedlab-fuzz-XXXXXX";
	char path[100];
	const uint8_t *end = data + size;
	if (!memmem(data, size, "%%\n", 3) || !mkdtemp(folder))
		return;
	for (size_t i = 0; i < SL_LEN(parts); i++)
		write_part(folder, parts[i], &data, end);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, parts[0]);
	read_trace(trace_reader("pai"), path);
	for (size_t i = 0; i < SL_LEN(parts); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder, parts[i]);
		(void)unlink(path);
	}
	(void)rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size);
	read_pai(data, size);
	return 0;
}
