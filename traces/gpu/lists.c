/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lists.c - plain lists of jobs with a length and a number of GPUs: the Philly-derived list by virtual
 * cluster (timestamp,duration,num_gpus,gpu_time,cluster), and the lists of simulators of training jobs
 * (Tiresias, Muri, Chronus). Waits and states they do not have.
 *
 * Any GPUs of the virtual cluster will do: a job is one task for each.
 */
#include <string.h>

#include "traces/gpu/gpu.h"

enum { ID, USER, VC, DATE, SUBMIT, DURATION, GPUS, NAME, QOS };

struct list {
	const struct gpu_format *format;
	sl_time unit; /* Of its times. */
	bool dated;
};

static const struct gpu_column philly_columns[] = {
	{ "timestamp", DATE, true },
	{ "duration", DURATION, true },
	{ "num_gpus", GPUS, true },
	{ "cluster", VC, true },
	{ "gpu_time", GPU_DERIVED, false },
};
static const struct gpu_format philly_format = { "a Philly list by virtual cluster", philly_columns,
	SL_LEN(philly_columns), false, false };

static const struct gpu_column training_columns[] = {
	{ "job_id", ID, true },
	{ "num_gpu", GPUS, true },
	{ "submit_time", SUBMIT, true },
	{ "iterations", GPU_DERIVED, false },
	{ "model_name", NAME, true },
	{ "duration", DURATION, true },
	{ "interval", GPU_DERIVED, true },
};
static const struct gpu_format training_format = { "a list of Tiresias or Muri", training_columns,
	SL_LEN(training_columns), false, false };

static const struct gpu_column chronus_columns[] = {
	{ "job_id", ID, true },
	{ "user", USER, true },
	{ "num_gpu", GPUS, true },
	{ "submit_time", SUBMIT, true },
	{ "iterations", GPU_DERIVED, false },
	{ "model_name", NAME, false },
	{ "duration", DURATION, true },
	{ "interval", GPU_DERIVED, false },
	{ "best_effort", GPU_DERIVED, true },
	{ "job_type", QOS, false },
};
static const struct gpu_format chronus_format = { "a list of Chronus", chronus_columns,
	SL_LEN(chronus_columns), false, false };

/* Chronus lists the virtual clusters of Philly as users: "vc_6214e9" is 6214e9. */
static const char *partition_of(const struct gpu_csv *csv)
{
	static const char prefix[] = "vc_";
	const char *user = gpu_cell(csv, USER);
	if (!user)
		return gpu_cell(csv, VC);
	return strncmp(user, prefix, strlen(prefix)) == 0 && user[strlen(prefix)] ? user + strlen(prefix)
										  : NULL;
}

static int lists_row_in(struct gpu_csv *csv, void *self)
{
	const struct list *list = self;
	struct gpu_row r;
	int64_t gpus;
	sl_time submit;
	gpu_row_clear(&r, csv->row_line);
	gpu_row_id(&r, gpu_cell(csv, ID), csv->row_line - 1);
	int status = list->dated ? gpu_date(csv, DATE, &submit) : gpu_time(csv, SUBMIT, list->unit, &submit);
	if (!status)
		status = gpu_time(csv, DURATION, list->unit, &r.row.col[SL_COL_RUN]);
	if (!status)
		status = gpu_count(csv, GPUS, &gpus);
	if (status)
		return status;
	r.row.col[SL_COL_SUBMIT] = submit;
	gpu_row_total(&r, SL_NONE, 0, gpus, SL_NONE);
	r.more.user = gpu_cell(csv, USER);
	r.more.partition = partition_of(csv);
	r.job.name = gpu_cell(csv, NAME);
	struct sl_profile profile; /* These lists call jobs by what they train: "resnet50". */
	sl_profile_clear(&profile);
	profile.model = r.job.name;
	r.more.profile = profile.model ? &profile : NULL;
	r.job.qos = gpu_cell(csv, QOS);
	return gpu_row_report(&r, csv->sink, csv->err);
}

static int read_list(struct list *list, struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct gpu_csv csv = { .format = list->format,
		.file = sl_input_name(in),
		.sink = sink,
		.err = err,
		.self = list,
		.row = lists_row_in };
	const int status = list->dated && sink->dated ? sink->dated(sink->self, err) : SL_OK;
	return status ? status : gpu_csv_read(&csv, in);
}

static int philly_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct list list = { &philly_format, SL_SECOND, true };
	return read_list(&list, in, sink, err);
}

static int philly_sniff(const char *text, size_t len) { return gpu_sniff(&philly_format, text, len); }

/* Muri's lists are Tiresias' with the times of an iteration on each resource, in milliseconds, as all of
 * their times: iterations x iteration_time is the duration. Tiresias' are in seconds. */
static bool in_milliseconds(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	const size_t len = (size_t)((newline ? newline : end) - text);
	return memmem(text, len, "iteration_time", strlen("iteration_time")) != NULL;
}

static int training_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	enum { MILLISECOND = 1000 };
	const char *text;
	const char *end;
	const int status = sl_input_peek(in, &text, &end, err);
	if (status < 0)
		return status;
	const bool milli = status > 0 && in_milliseconds(text, end);
	struct list list = { &training_format, milli ? MILLISECOND : SL_SECOND, false };
	return read_list(&list, in, sink, err);
}

static int training_sniff(const char *text, size_t len) { return gpu_sniff(&training_format, text, len); }

/* Minutes: nothing says so, but the mean length is that of Philly's jobs only then. */
static int chronus_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct list list = { &chronus_format, 60 * SL_SECOND, false };
	return read_list(&list, in, sink, err);
}

static int chronus_sniff(const char *text, size_t len)
{
	return gpu_sniff(&chronus_format, text, len) ? 98 : 0;
}

const struct sl_reader philly_list_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "philly-list",
	.summary = "jobs of Microsoft's Philly by virtual cluster, as a list",
	.sniff = philly_sniff,
	.read = philly_read,
};

const struct sl_reader training_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "tiresias",
	.summary = "lists of training jobs: Tiresias (seconds), Muri (milliseconds)",
	.sniff = training_sniff,
	.read = training_read,
};

const struct sl_reader chronus_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "chronus",
	.summary = "lists of Chronus, in minutes; deadlines are not used",
	.sniff = chronus_sniff,
	.read = chronus_read,
};
