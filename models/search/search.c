/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.c - trials of a search are cancelled when they lose: when trials come to their rungs.
 *
 * A trial's next rung is so much work away, and its rate may change at any instant: once in each, after all
 * models have said theirs, the rates of the trials that run are looked at, and who runs at another than
 * before is waited for anew.
 */
#include "models/search/search.h"

const struct sl_profile *search_profile(const struct search *search, uint32_t row)
{
	return &search->jobs->profile[search->jobs->profile_of[row]];
}

/* ---- Waiting for rungs --------------------------------------------------------------------------- */

/* Work at which the next thing happens. */
static void set_due(const struct search *search, struct search_trial *trial)
{
	const struct search_rule *rule = &search->family[trial->family].rule;
	const sl_time run = search->jobs->run[trial->row];
	trial->due = SL_NEVER;
	if (rule->kind == SEARCH_FIRST)
		trial->due = search_reaches(search_profile(search, trial->row), rule->target, run);
	else if (rule->kind != SEARCH_NONE)
		trial->due = search_rung(rule, trial->next);
	if (trial->due >= run) /* It ends first. */
		trial->due = SL_NEVER;
}

static sl_time missing_of(struct sim *sim, const struct search_trial *trial)
{
	const sl_job job = { trial->row };
	const sl_time done = sl_done_of(sim, job) + sl_kept_of(sim, job);
	return trial->due > done ? trial->due - done : 0;
}

static void watch(struct sim *sim, struct search_trial *trial)
{
	trial->rate = sl_speed_of(sim, (sl_job){ trial->row });
	trial->wake = SL_NEVER;
	if (trial->due == SL_NEVER || !trial->rate)
		return;
	const __int128 parts = (__int128)missing_of(sim, trial) << 32;
	const __int128 range = (parts + trial->rate - 1) / trial->rate;
	if (range >= SL_NEVER - sl_now(sim))
		return;
	trial->wake = sl_now(sim) + (sl_time)range;
	sl_model_wake(sim, trial->wake, trial->row);
}

static void look_retry(struct search *search, struct sim *sim)
{
	for (uint32_t i = 0; i < search->running_count; i++) {
		struct search_trial *trial = &search->trial[search->running[i]];
		if (sl_speed_of(sim, (sl_job){ trial->row }) != trial->rate)
			watch(sim, trial);
	}
}

/* ---- Callbacks of the engine -------------------------------------------------------------------------- */

static void search_begin(void *state, struct sim *sim)
{
	struct search *search = state;
	for (uint32_t i = 0; i < search->trial_count; i++) {
		struct search_trial *trial = &search->trial[i];
		const sl_job job = { trial->row };
		const int64_t gpus = sl_asks(sim, job, SL_KIND_GPUS);
		const int64_t parts = gpus ? sl_cluster_of(sim)->gpu_parts : sl_cluster_of(sim)->cpu_parts;
		trial->units =
			sl_mul_div(gpus ? gpus : sl_asks(sim, job, SL_KIND_CPUS), 1000, sl_parts(parts));
	}
}

static void started(void *state, struct sim *sim, sl_job job)
{
	struct search *search = state;
	if (!search->trial_of[job.row])
		return;
	struct search_trial *trial = &search->trial[search->trial_of[job.row] - 1];
	trial->since = sl_now(sim);
	if (!trial->place) {
		search->running[search->running_count++] = search->trial_of[job.row] - 1;
		trial->place = search->running_count;
	}
	if (search->family[trial->family].over) {
		sl_model_wake(sim, sl_now(sim), job.row);
		return;
	}
	set_due(search, trial);
	watch(sim, trial);
}

static void left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct search *search = state;
	if (!search->trial_of[job.row])
		return;
	const uint32_t index = search->trial_of[job.row] - 1;
	struct search_trial *trial = &search->trial[index];
	if (trial->place) {
		trial->spent += (__int128)(sl_now(sim) - trial->since) * trial->units;
		const uint32_t last = search->running[--search->running_count];
		search->running[trial->place - 1] = last;
		search->trial[last].place = trial->place;
		trial->place = 0;
	}
	if (how == SL_LEFT_END)
		search_gone(search, sim, index);
}

/* Who came when its search was over. */
static void cancel_late(struct search *search, struct sim *sim, struct search_trial *trial)
{
	if (trial->over)
		return;
	trial->over = trial->lost = true;
	trial->left = search->jobs->run[trial->row];
	search->family[trial->family].stopped++;
	sl_model_cancel(sim, (sl_job){ trial->row });
}

static void timer(void *state, struct sim *sim, uint32_t row)
{
	struct search *search = state;
	if (row == search->jobs->count) {
		look_retry(search, sim);
		return;
	}
	const uint32_t index = search->trial_of[row] - 1;
	struct search_trial *trial = &search->trial[index];
	if (search->family[trial->family].over) {
		cancel_late(search, sim, trial);
		return;
	}
	if (!trial->place || sl_now(sim) < trial->wake)
		return; /* It was waited for anew. */
	while (!trial->over && trial->due != SL_NEVER && !missing_of(sim, trial)) {
		search_judge(search, sim, index);
		set_due(search, trial);
	}
	if (!trial->over)
		watch(sim, trial);
}

static void search_settle(void *state, struct sim *sim)
{
	struct search *search = state;
	if (!search->running_count || search->checked == sl_now(sim))
		return;
	search->checked = sl_now(sim);
	sl_model_wake(sim, sl_now(sim), search->jobs->count);
}

const struct sl_model model_search = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "search",
	.summary = "trials of a search are cancelled when they lose",
	.paper = "Jamieson and Talwalkar 2016; Li et al. 2020; Golovin et al. 2017",
	.params = search_params,
	.param_count = SL_LEN(search_params),
	.init = search_init,
	.release = search_release,
	.begin = search_begin,
	.started = started,
	.left = left,
	.timer = timer,
	.settle = search_settle,
	.report = search_report,
};
