/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * power_report.c - what the model reports at the end of the run: energies, peaks, costs, and the draw over
 * time.
 */
#include "models/power/state.h"

static int64_t clipped(__int128 value)
{
	const __int128 most = SL_NEVER;
	return value > most ? SL_NEVER : value < -most ? -SL_NEVER : (int64_t)value;
}

/* In millionths of a joule; PUE in millionths: SL_POWER of the building, 1000000 of nodes and switches. */
static int64_t joules(power_sum sum) { return clipped((__int128)(sum / 1000000)); }

static power_sum with_pue(const struct power *p, power_sum sum) { return sum / 1000000 * (uint64_t)p->pue; }

/* Draw times value times time, of a value a kWh, of the building: in millionths. */
static int64_t worth(const struct power *p, __int128 sum)
{
	const __int128 kwh = (__int128)3600000 * 1000000 * 1000000; /* 10^-12 J in a kWh. */
	return clipped(sum / 1000000 * p->pue / kwh);
}

static power_sum of_jobs(struct power *p, sl_time now)
{
	power_sum sum = 0;
	for (uint32_t i = 0; i < p->jobs->count; i++) {
		if (p->job[i].place != NOBODY)
			job_settle(p, i, now);
		sum += p->job[i].energy;
	}
	return sum;
}

struct reported {
	const char *name;
	int64_t micro;
	bool is;
};

static int report_metrics(struct power *p, power_sum jobs, struct sl_tally *tally, struct sl_err *err)
{
	const struct meter *m = &p->meter;
	const sl_time length = m->at - m->begun;
	const power_sum building = with_pue(p, m->total);
	const power_sum switches = (power_sum)p->switches * (power_sum)length;
	const int64_t mean = length ? clipped((__int128)(m->total / (uint64_t)length)) : 0;
	/* kWh times h. */
	const __int128 edp = (__int128)(building / 3600000 / 1000000) * length / 3600 / SL_SECOND;
	const bool saves = p->idle_time != SL_NONE;
	const struct reported reported[] = {
		{ "energy.joules", joules(building), true },
		{ "energy.kwh", clipped((__int128)(building / 3600000 / 1000000)), true },
		{ "energy.jobs", joules(jobs), true },
		{ "energy.idle", joules(m->total - switches > jobs ? m->total - switches - jobs : 0), true },
		{ "energy.delay_product", clipped(edp), true },
		{ "energy.cost", worth(p, p->cost), p->price.count != 0 },
		{ "energy.carbon", worth(p, p->carbon_sum), p->carbon.count != 0 },
		{ "power.peak", m->peak, true },
		{ "power.mean", mean, true },
		{ "power.throttled", p->throttled, p->cap_mode == CAP_THROTTLE },
		{ "power.boots", p->boots * 1000000, saves },
		{ "power.off", clipped((__int128)p->time_of[NODE_OFF]), saves },
		{ "power.booting", clipped((__int128)p->time_of[NODE_BOOTS]), saves },
		{ "power.shutting", clipped((__int128)p->time_of[NODE_GOES_OFF]), saves },
		{ "energy.on", joules(p->energy_of[NODE_ON]), saves },
		{ "energy.off", joules(p->energy_of[NODE_OFF]), saves },
		{ "energy.booting", joules(p->energy_of[NODE_BOOTS]), saves },
		{ "energy.shutting", joules(p->energy_of[NODE_GOES_OFF]), saves },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(reported) && !status; i++)
		if (reported[i].is)
			status = sl_report_metric(tally, reported[i].name, reported[i].micro, err);
	return status;
}

/* ---- Columns of jobs ---------------------------------------------------------------------------- */

enum job_column { COLUMN_JOULES, COLUMN_COST, COLUMN_CARBON };

static int64_t of_job(const struct power *p, const struct power_job *job, enum job_column column)
{
	switch (column) {
	case COLUMN_JOULES:
		return joules(job->energy);
	case COLUMN_COST:
		return worth(p, job->cost);
	case COLUMN_CARBON:
		return worth(p, job->carbon);
	}
	return SL_NONE;
}

static int report_column(
	struct power *p, const char *name, enum job_column column, struct sl_tally *tally, struct sl_err *err)
{
	int64_t *micro = sl_alloc(p->arena, (size_t)p->jobs->count + 1, sizeof(*micro));
	if (!micro)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < p->jobs->count; i++)
		micro[i] = of_job(p, &p->job[i], column);
	return sl_report_job_column(tally, name, micro, err);
}

/* ---- The draw over time ------------------------------------------------------------------------- */

static int report_table(const struct power *p, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const columns[] = { "time", "watts", "watts_max" };
	const struct meter *m = &p->meter;
	const sl_time length = m->at - m->begun;
	const size_t rows = (size_t)((length + m->width - 1) / m->width);
	struct sl_cell *cell = sl_alloc(p->arena, rows * SL_LEN(columns) + 1, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	for (size_t i = 0; i < rows; i++) {
		const sl_time from = (sl_time)i * m->width;
		const sl_time width = length - from < m->width ? length - from : m->width;
		cell[3 * i].micro = m->begun + from;
		cell[3 * i + 1].micro = clipped((__int128)(m->bin[i].sum / (uint64_t)width));
		cell[3 * i + 2].micro = m->bin[i].peak;
	}
	return sl_report_add_table(tally, "power", columns, SL_LEN(columns), cell, rows, err);
}

int power_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct power *p = state;
	if (p->out_of_memory)
		return sl_fail_memory(err);
	accounting_advance(p, sl_now(sim));
	int status = report_metrics(p, of_jobs(p, p->meter.at), tally, err);
	if (!status)
		status = report_column(p, "joules", COLUMN_JOULES, tally, err);
	if (!status && p->price.count)
		status = report_column(p, "cost", COLUMN_COST, tally, err);
	if (!status && p->carbon.count)
		status = report_column(p, "carbon", COLUMN_CARBON, tally, err);
	return status ? status : report_table(p, tally, err);
}
