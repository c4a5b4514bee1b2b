/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.c - see world.h. */
#include "tests/world.h"

#include <string.h>

static void fill_columns(struct world *w)
{
	const int64_t unit = w->unit ? w->unit : SL_SECOND;
	bool cancels = false;
	bool estimates = false;
	bool gangs = false;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct world_job *job = &w->job[i];
		w->id[i] = i + 1;
		w->submit[i] = job->submit * unit;
		w->run[i] = job->run * unit;
		w->limit[i] = (job->limit ? job->limit : job->run) * unit;
		if (w->overrun == SL_OVERRUN_RAISE && w->limit[i] < w->run[i])
			w->limit[i] = w->run[i];
		w->size[i] = job->size;
		w->user[i] = job->user;
		w->account[i] = job->account ? job->account : -1;
		w->partition[i] = job->partition ? job->partition : -1;
		w->gang[i] = job->gang ? job->gang - 1 : -1;
		gangs |= job->gang != 0;
		w->cancel[i] = job->cancel ? job->cancel * unit : SL_NONE;
		w->wait[i] = job->wait * unit;
		w->estimate[i] = job->estimate ? job->estimate * unit : SL_NONE;
		cancels |= job->cancel != 0;
		estimates |= job->estimate != 0;
	}
	w->scenario = (struct scenario){
		.cpus = w->cpus,
		.cluster = { .cpus = w->cpus, .kind_count = 1 },
		.overrun = w->overrun,
		.warmup = SL_NONE,
		.jobs = { .count = w->count,
			.id = w->id,
			.submit = w->submit,
			.run = w->run,
			.limit = w->limit,
			.size = w->size,
			.user = w->user,
			.account = w->account,
			.partition = w->partition,
			.gang = gangs ? w->gang : NULL,
			.wait_recorded = w->wait,
			.cancel = cancels ? w->cancel : NULL,
			.estimate = estimates ? w->estimate : NULL },
	};
}

int world_run(struct world *w, const char *policy, bool check)
{
	fill_columns(w);
	w->arena = arena_new();
	SL_CHECK(w->arena);
	struct settings settings = { .arena = w->arena };
	memset(&w->err, 0, sizeof(w->err));
	memset(&w->sim, 0, sizeof(w->sim));
	int status = policy_choose(&w->choice, policy, &settings, w->arena, &w->err);
	if (status)
		return status;
	const struct sim_options options = {
		.scenario = &w->scenario,
		.choice = &w->choice,
		.seed = 1,
		.record = SIM_RECORD_USAGE | SIM_RECORD_REASONS,
		.check = check,
	};
	return sim_run(&w->sim, &options, &w->err);
}

void world_release(struct world *w)
{
	sim_release(&w->sim);
	arena_free(w->arena);
	w->arena = NULL;
}

static int64_t in_units(const struct world *w, sl_time time)
{
	return time == SL_NONE ? -1 : time / (w->unit ? w->unit : SL_SECOND);
}

int64_t world_start(const struct world *w, uint32_t job) { return in_units(w, w->sim.result.start[job]); }

int64_t world_end(const struct world *w, uint32_t job) { return in_units(w, w->sim.result.end[job]); }
