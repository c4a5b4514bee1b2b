/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batsim_jobs.c - batsim_jobs.csv and schedule.json: a run in the columns and keys of Batsim, which evalys
 * reads.
 *
 * Only jobs that have ended are there, as in Batsim. What is measured in joules or in real time is not known
 * here: the one is 0, the other left out.
 */
#include "reports/batsim/batsim_files.h"

#include <stdlib.h>
#include <string.h>

/* Batsim allocates whole machines: there is nothing to say there of a run with less. file: its name. */
static int batsim_whole(const struct sl_result *result, const char *file, struct sl_err *err)
{
	const struct sl_cluster *cluster = result->cluster;
	if (!cluster || (cluster->cpu_parts <= 1 && cluster->gpu_parts <= 1))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"%s: Batsim's resources are whole, and this run has parts of cpus or GPUs: leave batsim out "
		"of --only",
		file);
}

static const char header[] =
	"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
	"final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
	"allocated_resources,consumed_energy,metadata\n";

static const char *const final_states[SL_STATE_COUNT] = {
	[SL_COMPLETED] = "COMPLETED_SUCCESSFULLY",
	[SL_FAILED] = "COMPLETED_FAILED",
	[SL_NODE_FAIL] = "COMPLETED_FAILED",
	[SL_OUT_OF_MEMORY] = "COMPLETED_FAILED",
	[SL_BOOT_FAIL] = "COMPLETED_FAILED",
	[SL_TIMEOUT] = "COMPLETED_WALLTIME_REACHED",
	[SL_DEADLINE] = "COMPLETED_WALLTIME_REACHED",
	[SL_CANCELLED] = "COMPLETED_KILLED",
	[SL_PREEMPTED] = "COMPLETED_KILLED",
};

/* How the job ended, in Batsim's words; NULL: it has not. */
static const char *batsim_jobs_state_of(const struct sl_result *result, uint32_t row)
{
	const char *state = final_states[result->state[row]];
	return state && result->start[row] == SL_NONE ? "REJECTED" : state;
}

/* ---- batsim_jobs.csv ------------------------------------------------------------------------- */

static void batsim_jobs_put_micro(struct sl_out *out, int64_t value)
{
	sl_out_text(out, ",");
	if (value != SL_NONE)
		sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), value));
}

static int64_t batsim_jobs_asked(const struct sl_result *result, uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	return jobs->request ? jobs->requests[jobs->request[row]].cpus : jobs->size[row];
}

static void put_machines(struct sl_out *out, const struct machines *machines, uint32_t row)
{
	sl_out_text(out, ",");
	for (uint32_t i = 0; i < machines->count[row]; i++) {
		const struct machine_run *run = &machines->run[machines->first[row] + i];
		sl_out_printf(out, i ? " %u" : "%u", run->from);
		if (run->to > run->from)
			sl_out_printf(out, "-%u", run->to);
	}
}

static void batsim_jobs_put_series(struct sl_out *out, const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	const sl_time start = result->start[row];
	const sl_time end = result->end[row];
	const bool ran = start != SL_NONE;
	const sl_time run = ran ? sl_run_time_of(result, row) : SL_NONE;
	batsim_jobs_put_micro(out, start);
	batsim_jobs_put_micro(out, run);
	batsim_jobs_put_micro(out, end);
	batsim_jobs_put_micro(out, ran ? start - submit : SL_NONE);
	batsim_jobs_put_micro(out, end - submit);
	batsim_jobs_put_micro(out, ran && run > 0 ? sl_mul_div(end - submit, 1000000, run) : SL_NONE);
}

static void batsim_jobs_put_job(
	struct sl_out *out, const struct sl_result *result, const struct machines *machines, uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	const char *state = batsim_jobs_state_of(result, row);
	if (!state || result->end[row] == SL_NONE)
		return;
	if (jobs->id_name && jobs->id_name[row])
		sl_out_csv(out, jobs->id_name[row]);
	else
		sl_out_advance(out, sl_put_i64(sl_out_reserve(out, 32), jobs->id[row]));
	sl_out_text(out, ",w0,delay");
	batsim_jobs_put_micro(out, jobs->submit[row]);
	sl_out_printf(out, ",%lld", (long long)batsim_jobs_asked(result, row));
	batsim_jobs_put_micro(out, jobs->limit[row]);
	sl_out_printf(out, ",%d,%s", result->state[row] == SL_COMPLETED, state);
	batsim_jobs_put_series(out, result, row);
	put_machines(out, machines, row);
	sl_out_text(out, ",,\n");
}

static int write_jobs(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	struct machines machines = { 0 };
	uint32_t *order = calloc((size_t)jobs->count + 1, sizeof(*order));
	int status = batsim_whole(result, "batsim_jobs.csv", err);
	if (!status)
		status = machines_of(&machines, result, err);
	if (!status && !order)
		status = sl_fail_memory(err);
	if (!status && order) {
		for (uint32_t row = 0; row < jobs->count; row++)
			order[jobs->place ? jobs->place[row] : row] = row;
		sl_out_text(out, header);
		for (uint32_t i = 0; i < jobs->count; i++)
			batsim_jobs_put_job(out, result, &machines, order[i]);
	}
	free(order);
	machines_release(&machines);
	return status;
}

const struct sl_report report_batsim_jobs = { .abi = SL_ABI_OF(struct sl_report),
	.name = "batsim_jobs.csv",
	.summary = "a line a job that ended, in Batsim's columns, for evalys; with --only batsim",
	.write = write_jobs,
	.on_request = true,
	.asked_as = "batsim" };

/* ---- schedule.json -------------------------------------------------------------------------------- */

/* Sums over jobs that ran and ended. */
struct sums {
	unsigned __int128 wait, turnaround, slowdown, computing;
	sl_time wait_max, turnaround_max, makespan;
	int64_t slowdown_max;
	int64_t jobs, finished, success, killed, rejected, slowdowns;
};

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void add_job(struct sums *sums, const struct sl_result *result, uint32_t row)
{
	const char *state = batsim_jobs_state_of(result, row);
	sums->jobs++;
	if (!state || result->end[row] == SL_NONE)
		return;
	if (result->start[row] == SL_NONE) {
		sums->rejected++;
		return;
	}
	const sl_time wait = result->start[row] - result->jobs->submit[row];
	const sl_time turnaround = result->end[row] - result->jobs->submit[row];
	const sl_time run = sl_run_time_of(result, row);
	sums->finished++;
	sums->success += result->state[row] == SL_COMPLETED;
	sums->killed +=
		strcmp(state, "COMPLETED_KILLED") == 0 || strcmp(state, "COMPLETED_WALLTIME_REACHED") == 0;
	sums->wait += (uint64_t)wait;
	sums->turnaround += (uint64_t)turnaround;
	sums->wait_max = larger(sums->wait_max, wait);
	sums->turnaround_max = larger(sums->turnaround_max, turnaround);
	sums->makespan = larger(sums->makespan, result->end[row]);
	if (result->nodes_held)
		sums->computing += (unsigned __int128)run * (uint32_t)result->nodes_held[row];
	else
		sums->computing += (unsigned __int128)run * (uint32_t)result->jobs->size[row];
	if (run <= 0)
		return;
	const int64_t slowdown = sl_mul_div(turnaround, 1000000, run);
	sums->slowdowns++;
	sums->slowdown += (uint64_t)slowdown;
	sums->slowdown_max = larger(sums->slowdown_max, slowdown);
}

static int64_t mean(unsigned __int128 sum, int64_t count)
{
	return count ? (int64_t)((sum + (uint64_t)count / 2) / (uint64_t)count) : 0;
}

static int64_t bounded(unsigned __int128 sum) { return sum > INT64_MAX ? INT64_MAX : (int64_t)sum; }

static int write_schedule(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	const int status = batsim_whole(result, "schedule.json", err);
	if (status)
		return status;
	struct sums s = { 0 };
	for (uint32_t row = 0; row < result->jobs->count; row++)
		add_job(&s, result, row);
	const struct sl_cluster *cluster = result->cluster;
	const int64_t machines =
		result->nodes_held && cluster && cluster->node_count ? cluster->node_count : result->cpus;
	const unsigned __int128 all = (unsigned __int128)machines * (uint64_t)s.makespan;
	const struct {
		const char *key;
		int64_t micro;
	} value[] = {
		{ "consumed_joules", 0 },
		{ "makespan", s.makespan },
		{ "max_slowdown", s.slowdown_max },
		{ "max_turnaround_time", s.turnaround_max },
		{ "max_waiting_time", s.wait_max },
		{ "mean_slowdown", mean(s.slowdown, s.slowdowns) },
		{ "mean_turnaround_time", mean(s.turnaround, s.finished) },
		{ "mean_waiting_time", mean(s.wait, s.finished) },
		{ "nb_computing_machines", machines * 1000000 },
		{ "nb_grouped_switches", 0 },
		{ "nb_jobs", s.jobs * 1000000 },
		{ "nb_jobs_finished", s.finished * 1000000 },
		{ "nb_jobs_killed", s.killed * 1000000 },
		{ "nb_jobs_rejected", s.rejected * 1000000 },
		{ "nb_jobs_success", s.success * 1000000 },
		{ "nb_machine_switches", 0 },
		{ "success_rate", s.jobs ? sl_mul_div(s.success, 1000000, s.jobs) : 0 },
		{ "time_computing", bounded(s.computing) },
		{ "time_idle", bounded(all > s.computing ? all - s.computing : 0) },
		{ "time_sleeping", 0 },
		{ "time_switching_off", 0 },
		{ "time_switching_on", 0 },
		{ "time_unavailable", 0 },
	};
	for (size_t i = 0; i < SL_LEN(value); i++) {
		sl_out_printf(out, "%s  \"%s\": ", i ? ",\n" : "{\n", value[i].key);
		sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), value[i].micro));
	}
	sl_out_text(out, "\n}\n");
	return SL_OK;
}

const struct sl_report report_batsim_schedule = { .abi = SL_ABI_OF(struct sl_report),
	.name = "schedule.json",
	.summary = "the run in a few numbers, under Batsim's keys; with --only batsim",
	.write = write_schedule,
	.on_request = true,
	.asked_as = "batsim" };
