/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * helios.c - cluster_log.csv of SenseTime's Helios (Hu et al., SC '21), and trace_seren.csv and
 * trace_kalos.csv of AcmeTrace (Hu et al., NSDI '24): what Slurm and its like said at the end of each job.
 *
 * The run time is from start to end, as the publishers define `duration`; Kalos' own column of that name
 * counts from submission, so it is used only where a time is missing.
 */
#include <stdio.h>

#include "traces/gpu/gpu.h"

enum { ID, USER, VC, GPUS, CPUS, NODES, STATE, SUBMIT, START, END, DURATION, TYPE, MEM };

static const struct gpu_column helios_columns[] = {
	{ "job_id", ID, true },
	{ "user", USER, true },
	{ "vc", VC, true },
	{ "gpu_num", GPUS, true },
	{ "cpu_num", CPUS, true },
	{ "node_num", NODES, true },
	{ "state", STATE, true },
	{ "submit_time", SUBMIT, true },
	{ "start_time", START, true },
	{ "end_time", END, true },
	{ "duration", DURATION, false },
	{ "queue", GPU_DERIVED, false },
};
static const struct gpu_format helios_format = { "a log of Helios", helios_columns, SL_LEN(helios_columns),
	false, false };

static const struct gpu_column acme_columns[] = {
	{ "job_id", ID, true },
	{ "user", USER, true },
	{ "node_num", NODES, true },
	{ "gpu_num", GPUS, true },
	{ "cpu_num", CPUS, true },
	{ "type", TYPE, true },
	{ "state", STATE, true },
	{ "submit_time", SUBMIT, true },
	{ "start_time", START, true },
	{ "end_time", END, true },
	{ "mem_per_pod_GB", MEM, false },
	{ "duration", DURATION, false },
	{ "queue", GPU_DERIVED, false },
	{ "gpu_time", GPU_DERIVED, false },
	{ "fail_time", GPU_DERIVED, false },
	{ "stop_time", GPU_DERIVED, false },
};
static const struct gpu_format acme_format = { "a trace of Acme", acme_columns, SL_LEN(acme_columns), false,
	false };

static int helios_times_in(struct gpu_csv *csv, struct gpu_row *r)
{
	sl_time submit;
	sl_time start;
	sl_time end;
	sl_time duration;
	int status = gpu_date(csv, SUBMIT, &submit);
	if (!status)
		status = gpu_date(csv, START, &start);
	if (!status)
		status = gpu_date(csv, END, &end);
	if (!status)
		status = gpu_time(csv, DURATION, SL_SECOND, &duration);
	if (status)
		return status;
	gpu_row_times(r, submit, start, end, SL_NONE);
	if (r->row.col[SL_COL_RUN] == SL_NONE && !r->more.cancel && duration >= 0)
		r->row.col[SL_COL_RUN] = duration;
	return SL_OK;
}

static int asks_in(struct gpu_csv *csv, struct gpu_row *r)
{
	enum { MIB_OF_GIB = 1024 };
	int64_t nodes;
	int64_t cpus;
	int64_t gpus;
	int64_t mem;
	int status = gpu_count(csv, NODES, &nodes);
	if (!status)
		status = gpu_count(csv, CPUS, &cpus);
	if (!status)
		status = gpu_count(csv, GPUS, &gpus);
	if (!status)
		status = gpu_scaled(csv, MEM, MIB_OF_GIB, &mem);
	if (!status)
		gpu_row_total(r, nodes, cpus, gpus, mem);
	return status;
}

/* Dates that name their zone: so far is the log's clock from UTC. */
static int report_zone(struct gpu_csv *csv)
{
	char text[32];
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	*sl_put_i64(text, csv->zone) = '\0';
	return csv->sink->header(csv->sink->self, "TimeZone", text, &at, csv->err);
}

static int helios_row_in(struct gpu_csv *csv, void *self)
{
	bool *begun = self;
	struct gpu_row r;
	enum sl_state state;
	gpu_row_clear(&r, csv->row_line);
	gpu_row_id(&r, gpu_cell(csv, ID), csv->row_line - 1);
	int status = helios_times_in(csv, &r);
	if (!status)
		status = asks_in(csv, &r);
	if (!status)
		status = gpu_state(csv, STATE, &state);
	if (!status && !*begun && csv->zone)
		status = report_zone(csv);
	*begun = true;
	if (status)
		return status;
	gpu_row_state(&r, state);
	r.more.user = gpu_cell(csv, USER);
	r.more.partition = gpu_cell(csv, VC);
	r.job.name = gpu_cell(csv, TYPE);
	return gpu_row_report(&r, csv->sink, csv->err);
}

static int read_log(
	const struct gpu_format *format, struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	bool begun = false;
	struct gpu_csv csv = { .format = format,
		.file = sl_input_name(in),
		.sink = sink,
		.err = err,
		.self = &begun,
		.row = helios_row_in };
	const int status = sink->dated ? sink->dated(sink->self, err) : SL_OK;
	return status ? status : gpu_csv_read(&csv, in);
}

static int helios_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	return read_log(&helios_format, in, sink, err);
}

static int helios_sniff(const char *text, size_t len) { return gpu_sniff(&helios_format, text, len); }

static int acme_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	return read_log(&acme_format, in, sink, err);
}

static int acme_sniff(const char *text, size_t len) { return gpu_sniff(&acme_format, text, len); }

const struct sl_reader helios_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "helios",
	.summary = "SenseTime's Helios: cluster_log.csv (not tried on real files)",
	.sniff = helios_sniff,
	.read = helios_read,
};

const struct sl_reader acme_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "acme",
	.summary = "AcmeTrace: trace_seren.csv, trace_kalos.csv (not tried on real files)",
	.sniff = acme_sniff,
	.read = acme_read,
};
