/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dlrm.c - Alibaba's instances of recommendation services (cluster-trace-gpu-v2025; Yang et al., NSDI '25):
 * seconds from the window's beginning, memory in GiB.
 *
 * A time that is not there lies outside the window: before it, for creation and scheduling, then the instance
 * is there at its beginning; after it, for the deletion, then it runs to the end, which is the last time that
 * the file knows. Roles go to nodes of different kinds, as partitions.
 */
#include "traces/gpu/gpu.h"

enum { NAME, ROLE, APP, CPUS, GPUS, MEM, CREATED, SCHEDULED, DELETED };

static const struct gpu_column columns[] = {
	{ "instance_sn", NAME, true },
	{ "role", ROLE, true },
	{ "app_name", APP, true },
	{ "cpu_request", CPUS, true },
	{ "gpu_request", GPUS, true },
	{ "memory_request", MEM, true },
	{ "creation_time", CREATED, true },
	{ "scheduled_time", SCHEDULED, true },
	{ "deletion_time", DELETED, true },
	{ "cpu_limit", GPU_DERIVED, false }, /* Limits are the requests. */
	{ "gpu_limit", GPU_DERIVED, false },
	{ "memory_limit", GPU_DERIVED, false },
};
static const struct gpu_format format = { "a list of DLRM instances", columns, SL_LEN(columns), false,
	false };

struct times {
	sl_time created, scheduled, deleted;
};

static int dlrm_times_in(struct gpu_csv *csv, struct times *t)
{
	int status = gpu_time(csv, CREATED, SL_SECOND, &t->created);
	if (!status)
		status = gpu_time(csv, SCHEDULED, SL_SECOND, &t->scheduled);
	return status ? status : gpu_time(csv, DELETED, SL_SECOND, &t->deleted);
}

static int last_in(struct gpu_csv *csv, void *self)
{
	sl_time *last = self;
	struct times t;
	const int status = dlrm_times_in(csv, &t);
	const sl_time time[] = { t.created, t.scheduled, t.deleted };
	for (size_t i = 0; i < SL_LEN(time) && !status; i++)
		*last = time[i] > *last ? time[i] : *last;
	return status;
}

static int asks_in(struct gpu_csv *csv, struct sl_row_group *g)
{
	enum { THOUSAND = 1000, MIB_OF_GIB = 1024 };
	int status = gpu_scaled(csv, CPUS, THOUSAND, &g->cpus);
	if (!status)
		status = gpu_count(csv, GPUS, &g->gpus);
	if (!status)
		status = gpu_scaled(csv, MEM, MIB_OF_GIB, &g->mem);
	g->parts = THOUSAND;
	g->cpus = g->cpus == SL_NONE ? 0 : g->cpus;
	g->gpus = g->gpus == SL_NONE ? 0 : g->gpus * THOUSAND;
	return status;
}

static int dlrm_row_in(struct gpu_csv *csv, void *self)
{
	const sl_time *last = self;
	struct gpu_row r;
	struct times t;
	gpu_row_clear(&r, csv->row_line);
	gpu_row_id(&r, gpu_cell(csv, NAME), csv->row_line);
	int status = dlrm_times_in(csv, &t);
	if (!status)
		status = asks_in(csv, &r.group);
	if (status)
		return status;
	const bool before = t.created == SL_NONE;
	const bool there = before && t.scheduled == SL_NONE; /* Else it waits. */
	gpu_row_times(&r, before ? 0 : t.created, there ? 0 : t.scheduled, t.deleted, *last);
	const bool ran = there || t.scheduled != SL_NONE;
	gpu_row_state(&r, ran && t.deleted != SL_NONE ? SL_COMPLETED : SL_RUNNING);
	r.more.account = gpu_cell(csv, APP);
	r.more.partition = gpu_cell(csv, ROLE);
	return gpu_row_report(&r, csv->sink, csv->err);
}

static int dlrm_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	sl_time last = 0;
	struct gpu_csv csv = {
		.format = &format, .file = sl_input_name(in), .err = err, .self = &last, .row = last_in
	};
	int status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = gpu_csv_text(&csv, text, end);
	csv.sink = sink;
	csv.row = dlrm_row_in;
	return status ? status : gpu_csv_text(&csv, text, end);
}

static int dlrm_sniff(const char *text, size_t len) { return gpu_sniff(&format, text, len); }

const struct sl_reader dlrm_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "dlrm",
	.summary = "instances of recommendation services, Alibaba 2025",
	.sniff = dlrm_sniff,
	.read = dlrm_read,
};
