/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * openb.c - Alibaba's openb pods (cluster-trace-gpu-v2023; Weng et al., Beware of Fragmentation, USENIX ATC
 * 2023): seconds, thousandths of cpus and of GPUs, MiB.
 *
 * A pod is one task. One GPU may be a share of one, several are whole. A pod runs from its scheduling to its
 * deletion; one that was never scheduled was deleted while it waited. Lists without times are samples of the
 * same window: all is there at its beginning, and stays to its end.
 */
#include "traces/gpu/gpu.h"

enum { NAME, CPU, MEM, GPUS, SHARE, SPEC, QOS, PHASE, CREATED, DELETED, SCHEDULED };

static const struct gpu_column columns[] = {
	{ "name", NAME, true },
	{ "cpu_milli", CPU, true },
	{ "memory_mib", MEM, true },
	{ "num_gpu", GPUS, true },
	{ "gpu_milli", SHARE, true },
	{ "gpu_spec", SPEC, false },
	{ "qos", QOS, false },
	{ "pod_phase", PHASE, false },
	{ "creation_time", CREATED, false },
	{ "deletion_time", DELETED, false },
	{ "scheduled_time", SCHEDULED, false },
};
static const struct gpu_format format = { "a list of openb pods", columns, SL_LEN(columns), false, false };

/* The last time that the lists know. */
#define WINDOW (INT64_C(12902960) * SL_SECOND)

static int asks_in(struct gpu_csv *csv, struct sl_row_group *g)
{
	enum { THOUSAND = 1000 };
	int64_t gpus;
	int64_t milli;
	int status = gpu_scaled(csv, CPU, 1, &g->cpus);
	if (!status)
		status = gpu_scaled(csv, MEM, 1, &g->mem);
	if (!status)
		status = gpu_count(csv, GPUS, &gpus);
	if (!status)
		status = gpu_scaled(csv, SHARE, 1, &milli);
	if (status)
		return status;
	g->parts = THOUSAND;
	g->cpus = g->cpus == SL_NONE ? 0 : g->cpus;
	g->gpus = gpus == SL_NONE ? 0 : gpus * THOUSAND;
	if (gpus == 1 && milli > 0 && milli < THOUSAND)
		g->gpus = milli;
	g->gpu_type = gpu_cell(csv, SPEC);
	return SL_OK;
}

static int openb_times_in(struct gpu_csv *csv, struct gpu_row *r)
{
	sl_time submit;
	sl_time start;
	sl_time end;
	enum sl_state state;
	int status = gpu_time(csv, CREATED, SL_SECOND, &submit);
	if (!status)
		status = gpu_time(csv, SCHEDULED, SL_SECOND, &start);
	if (!status)
		status = gpu_time(csv, DELETED, SL_SECOND, &end);
	if (!status)
		status = gpu_state(csv, PHASE, &state);
	if (status)
		return status;
	if (csv->at[CREATED] < 0 && csv->at[DELETED] < 0) {
		gpu_row_times(r, 0, 0, SL_NONE, WINDOW);
		r->row.col[SL_COL_WAIT] = r->job.start_recorded = SL_NONE;
		return SL_OK;
	}
	const bool cut = state == SL_RUNNING && end != SL_NONE && end >= WINDOW;
	gpu_row_times(r, submit, start, cut ? SL_NONE : end, WINDOW);
	/* A pod that runs and is deleted was ended by somebody. */
	const bool deleted = state == SL_RUNNING && !r->job.censored;
	gpu_row_state(r, deleted ? SL_CANCELLED : state);
	return SL_OK;
}

static int openb_row_in(struct gpu_csv *csv, void *self)
{
	struct gpu_row r;
	(void)self;
	gpu_row_clear(&r, csv->row_line);
	gpu_row_id(&r, gpu_cell(csv, NAME), csv->row_line);
	int status = asks_in(csv, &r.group);
	if (!status)
		status = openb_times_in(csv, &r);
	r.job.qos = gpu_cell(csv, QOS);
	return status ? status : gpu_row_report(&r, csv->sink, csv->err);
}

static int openb_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct gpu_csv csv = {
		.format = &format, .file = sl_input_name(in), .sink = sink, .err = err, .row = openb_row_in
	};
	return gpu_csv_read(&csv, in);
}

static int openb_sniff(const char *text, size_t len) { return gpu_sniff(&format, text, len); }

const struct sl_reader openb_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "openb",
	.summary = "pods of Alibaba's GPU trace of 2023, shares of GPUs among them",
	.sniff = openb_sniff,
	.read = openb_read,
};
