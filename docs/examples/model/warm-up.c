/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * warm-up.c - a model as a plug-in: after each start a job works slower for a while, as it fills its caches.
 *
 * It tells how long that was: a metric, a column of jobs.csv, and a table by partition. schedlab-models(7)
 * goes through what it uses.
 */
#include <schedlab/plugin.h>

#include <string.h>

struct warm_up {
	const struct sl_jobs *jobs;
	uint64_t rate;
	sl_time *length; /* By partition, the last of those without one. */
	sl_time *until;  /* By job: when it works at full speed; SL_NONE: it does, or does not run. */
	int64_t *slow;   /* By job: how long it did not, all starts together. */
	struct sl_cell *cell;
};

static uint32_t partition_of(const struct warm_up *w, uint32_t job)
{
	const int32_t partition = w->jobs->partition[job];
	return w->jobs->partition_name && partition >= 0 ? (uint32_t)partition : w->jobs->partition_count;
}

/* Rows "partition,time" of the file, over the parameter's time. */
static int take_sheet(struct warm_up *w, const struct sl_csv_table *sheet, struct sl_err *err)
{
	const uint32_t name = sl_csv_column(sheet, "partition");
	const uint32_t time = sl_csv_column(sheet, "time");
	if (name == UINT32_MAX || time == UINT32_MAX)
		return sl_fail(
			err, SL_INPUT, "%s: has no columns 'partition' and 'time': name them", sheet->file);
	for (uint32_t row = 0; row < sheet->rows; row++) {
		const char *const *cell = &sheet->cell[(size_t)row * sheet->columns];
		const struct sl_place at = sl_csv_place(sheet, row, time);
		sl_time length;
		if (!sl_get_duration(cell[time], strlen(cell[time]), &length) || length < 0)
			return sl_fail_at(err, &at, "'%.40s' is no time: give seconds, or 5m", cell[time]);
		for (uint32_t i = 0; i < w->jobs->partition_count; i++)
			if (strcmp(w->jobs->partition_name[i], cell[name]) == 0)
				w->length[i] = length;
	}
	return SL_OK;
}

static int init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_value *time = sl_value_of(setup->values, setup->value_count, "time");
	const struct sl_value *rate = sl_value_of(setup->values, setup->value_count, "rate");
	const struct sl_csv_table *sheet = sl_csv_table_of(setup, "times");
	const uint32_t partitions = setup->jobs->partition_count + 1;
	struct warm_up *w = sl_alloc(setup->arena, 1, sizeof(*w));
	if (!w)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	w->jobs = setup->jobs;
	w->rate = (uint64_t)sl_mul_div(rate->number, INT64_C(1) << 32, 1000000);
	w->length = sl_alloc(setup->arena, partitions, sizeof(*w->length));
	w->until = sl_alloc(setup->arena, setup->jobs->count, sizeof(*w->until));
	w->slow = sl_alloc(setup->arena, setup->jobs->count, sizeof(*w->slow));
	w->cell = sl_alloc(setup->arena, 2 * (size_t)partitions, sizeof(*w->cell));
	if (!w->length || !w->until || !w->slow || !w->cell)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (uint32_t i = 0; i < partitions; i++)
		w->length[i] = time->number;
	for (uint32_t i = 0; i < setup->jobs->count; i++)
		w->until[i] = SL_NONE;
	*state = w;
	return sheet ? take_sheet(w, sheet, err) : SL_OK;
}

static void started(void *state, struct sim *sim, sl_job job)
{
	struct warm_up *w = state;
	const sl_time length = w->length[partition_of(w, job.row)];
	if (!length)
		return;
	w->until[job.row] = sl_now(sim) + length;
	sl_model_speed(sim, job, w->rate);
	sl_model_wake(sim, w->until[job.row], job.row);
}

/* It is warm, unless it left and began anew meanwhile. */
static void timer(void *state, struct sim *sim, uint32_t row)
{
	struct warm_up *w = state;
	if (w->until[row] != sl_now(sim))
		return;
	w->slow[row] += w->length[partition_of(w, row)];
	w->until[row] = SL_NONE;
	sl_model_speed(sim, (sl_job){ row }, SL_SPEED_ONE);
}

static void left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct warm_up *w = state;
	(void)how;
	if (w->until[job.row] == SL_NONE)
		return;
	w->slow[job.row] += w->length[partition_of(w, job.row)] - (w->until[job.row] - sl_now(sim));
	w->until[job.row] = SL_NONE;
}

static int report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "partition", "warm_up" };
	const struct warm_up *w = state;
	const uint32_t partitions = w->jobs->partition_count;
	int64_t total = 0;
	(void)sim;
	for (uint32_t i = 0; i <= partitions; i++)
		w->cell[2 * i] = (struct sl_cell){ i < partitions ? w->jobs->partition_name[i] : "", 0 };
	for (uint32_t job = 0; job < w->jobs->count; job++) {
		total += w->slow[job];
		w->cell[2 * partition_of(w, job) + 1].micro += w->slow[job];
	}
	int status = sl_report_metric(tally, "warm_up.total", total, err);
	if (!status)
		status = sl_report_job_column(tally, "warm_up", w->slow, err);
	return status ? status
		      : sl_report_add_table(tally, "warm_ups", column, 2, w->cell, partitions + 1, err);
}

static const struct sl_param params[] = {
	{ "time", SL_PARAM_TIME, "60", NULL, "how long a job works slower after each start", 0,
		INT64_C(86400000000) },
	{ "rate", SL_PARAM_REAL, "0.5", "0..1", "how fast it works then, of full speed", 0, 1000000 },
	{ "times", SL_PARAM_CSV, NULL, NULL, "times by partition: columns partition and time", 0, 0 },
};

static const struct sl_model warm_up = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "warm-up",
	.summary = "jobs work slower for a while after each start",
	.params = params,
	.param_count = SL_LEN(params),
	.init = init,
	.started = started,
	.left = left,
	.timer = timer,
	.report = report,
};

static const struct sl_model *const models[] = { &warm_up, NULL };

SL_API extern const struct sl_plugin sl_plugin;
const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "warm-up",
	.models = models,
};
