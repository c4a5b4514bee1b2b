/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_open.c - the stepped run: made whole, and what happened in it, instant by instant.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run/run_find.h"
#include "cli/step/step.h"
#include "sim/run/engine.h"

/* ---- The run ------------------------------------------------------------------------------------- */

/* A directory, or a file of ours that begins as JSON and says that it is one of a run. */
static bool is_run(const char *path)
{
	struct stat is;
	char head[256] = "";
	if (strcmp(path, "-") == 0 || stat(path, &is) != 0)
		return false;
	if (S_ISDIR(is.st_mode))
		return true;
	FILE *file = fopen(path, "rb");
	const size_t len = file ? fread(head, 1, sizeof(head) - 1, file) : 0;
	if (file)
		(void)fclose(file);
	head[len] = '\0';
	return strstr(head, "\"schedlab.run/") || strstr(head, SNAPSHOT_SCHEMA);
}

static int open_directory(struct stepper *stepper, const struct args *args, struct sl_err *err)
{
	static const char *const of_trace[] = { "cluster", "policy", "set", "root", "model", "seed", "from",
		"to", "until", "tz", "jobs", "strict" };
	for (size_t i = 0; i < SL_LEN(of_trace); i++)
		if (arg_flag(args, of_trace[i]))
			return sl_fail(err, SL_USAGE,
				"'%s' is a run, whose settings stand in it: leave out --%s, or give its trace",
				args->word[0], of_trace[i]);
	struct rerun *rerun = &stepper->explain.view.rerun;
	const int status = rerun_open(rerun, args->word[0], args->registry, err);
	return status ? status : rerun_load(rerun, err);
}

/* As a run's recipe of one interval. */
static int open_trace(struct stepper *stepper, const struct args *args, struct sl_err *err)
{
	struct rerun *rerun = &stepper->explain.view.rerun;
	const char *policy = arg(args, "policy");
	struct run run = { 0 };
	rerun->arena = sl_arena_new();
	rerun->registry = args->registry;
	if (!rerun->arena)
		return sl_fail_memory(err);
	int status = settings_from_args(&stepper->settings, args, err);
	if (!status)
		status = run_from_args(&run, policy ? policy : "easy", &stepper->settings, args, err);
	stepper->choice = run.choice;
	if (!status)
		status = scenario_from_args(&rerun->scenario, args, arg(args, "cluster"), &stepper->settings,
			run.choice.implied, err);
	if (!status)
		status = settings_check_used(&stepper->settings, &stepper->choice, 1, err);
	if (!status && rerun->scenario.window_count)
		status = sl_fail(err, SL_USAGE, "step goes through one run: leave out replay.windows");
	if (status)
		return status;
	if (log_shows(LOG_INFO)) {
		run.scenario = &rerun->scenario;
		talk_compat(&run);
		talk_read(&rerun->scenario);
	}
	talk_anomalies(&rerun->scenario);
	stepper->interval = (struct sim_interval){ .choice = &stepper->choice, .until = SL_NEVER };
	rerun->recipe = (struct sim_options){
		.seed = run.options.seed, .history = &stepper->interval, .history_count = 1
	};
	return SL_OK;
}

/* With a bar on a terminal, while it takes long. */
static int run_whole(struct stepper *stepper, const struct args *args, size_t *before, struct sl_err *err)
{
	struct view *view = &stepper->explain.view;
	struct rerun *rerun = &view->rerun;
	const unsigned record =
		SIM_RECORD_HISTORY | SIM_RECORD_REASONS | SIM_RECORD_PLACES | SIM_RECORD_DECISIONS;
	struct run displayed = { .scenario = &rerun->scenario, .choice = *rerun->recipe.history[0].choice };
	struct progress_bar *bar = progress_start(&displayed, 1, args);
	rerun->progress = displayed.options.progress;
	int status = rerun_start(rerun, &view->sim, record, err);
	if (!status) {
		*before = view->sim.engine->sim.history_count;
		stepper->begin = view->sim.engine->sim.now;
		status = rerun_advance(rerun, &view->sim, SL_NEVER, err);
	}
	if (!status)
		status = sim_end(&view->sim, err);
	if (!status)
		status = rerun_compare(rerun, &view->sim.result, err);
	progress_stop(bar);
	rerun->progress = NULL;
	return status;
}

/* ---- What happened -------------------------------------------------------------------------------- */

/* Where one is in the lists of a run. */
struct gathering {
	struct stepper *stepper;
	const struct history_event *history;
	size_t history_count, history_next, history_first;
	const struct sl_decision *decision;
	size_t decision_count, decision_next;
	bool *seen; /* By job: it was submitted. */
	struct sl_err *err;
	int status;
};

/* One more instant, or the last one that there is; NULL: no memory. */
static struct instant *instant_at(struct gathering *all, sl_time at)
{
	struct stepper *stepper = all->stepper;
	const size_t count = stepper->instant_count;
	if (count && stepper->instant[count - 1].at == at)
		return &stepper->instant[count - 1];
	all->status = SL_GROW(stepper->instant, stepper->instant_capacity, count + 1, all->err);
	if (all->status)
		return NULL;
	stepper->instant[count] = (struct instant){ .at = at, .first = stepper->happening_count };
	stepper->instant_count++;
	return &stepper->instant[count];
}

/* Under which policy: each interval of the recipe has so many events. At its very end its successor decides
 * too, and that alone where nothing else happened then. */
static uint8_t interval_of(const struct gathering *all, sl_time at)
{
	const struct sim_options *recipe = &all->stepper->explain.view.rerun.recipe;
	const size_t events = all->history_next - all->history_first;
	const sl_time last = all->history_next ? all->history[all->history_next - 1].time : SL_NONE;
	size_t i = 0;
	while (i + 1 < recipe->history_count && i < UINT8_MAX &&
		(events > recipe->history[i].events ||
			(events == recipe->history[i].events && at >= recipe->history[i].until && last < at)))
		i++;
	return (uint8_t)i;
}

static void step_open_add(struct gathering *all, sl_time at, const struct happening *happening)
{
	struct stepper *stepper = all->stepper;
	struct instant *instant = all->status ? NULL : instant_at(all, at);
	if (!instant)
		return;
	all->status = SL_GROW(
		stepper->happening, stepper->happening_capacity, stepper->happening_count + 1, all->err);
	if (all->status)
		return;
	stepper->happening[stepper->happening_count] = *happening;
	stepper->happening[stepper->happening_count++].interval = interval_of(all, at);
	instant->count++;
}

static void add_decision(struct gathering *all)
{
	static const uint8_t what[] = { [SL_DECISION_START] = HAPPENED_START,
		[SL_DECISION_PREEMPT] = HAPPENED_PREEMPT,
		[SL_DECISION_RESUME] = HAPPENED_RESUME,
		[SL_DECISION_RESIZE] = HAPPENED_RESIZE,
		[SL_DECISION_END] = HAPPENED_STOP,
		[SL_DECISION_PLAN] = HAPPENED_PLAN };
	const struct sl_decision *decision = &all->decision[all->decision_next++];
	step_open_add(all, decision->at,
		&(struct happening){ .start = decision->start,
			.row = decision->job,
			.beneficiary = decision->beneficiary,
			.what = what[decision->decision],
			.rule = decision->rule,
			.how = decision->how });
}

/* Decisions up to a command of that job: plans of passes before it stand in front of it. False: it is no
 * decision, but a model's doing. */
static bool add_command(struct gathering *all, sl_time at, uint32_t job, enum sl_decision_kind decision)
{
	size_t next = all->decision_next;
	while (next < all->decision_count && all->decision[next].at == at &&
		all->decision[next].decision == SL_DECISION_PLAN)
		next++;
	if (next == all->decision_count || all->decision[next].at != at || all->decision[next].job != job ||
		all->decision[next].decision != decision)
		return false;
	while (all->decision_next <= next)
		add_decision(all);
	return true;
}

/* What is no command; HAPPENED_PLAN: nothing that is reported. */
static enum happened event_of(struct gathering *all, const struct history_event *event)
{
	bool *seen =
		event->class == SL_EV_SUBMIT || event->class == DIGEST_GATED ? &all->seen[event->row] : NULL;
	const bool fresh = seen && !*seen;
	if (seen)
		*seen = true;
	static const struct {
		unsigned class;
		enum happened what;
	} events[] = { { SL_EV_JOB_END, HAPPENED_END }, { SL_EV_TIME_LIMIT, HAPPENED_LIMIT },
		{ SL_EV_NODE_DOWN, HAPPENED_NODE_DOWN }, { SL_EV_NODE_UP, HAPPENED_NODE_UP },
		{ SL_EV_RESERVATION, HAPPENED_WINDOW }, { SL_EV_SUBMIT, HAPPENED_RELEASED },
		{ SL_EV_CANCEL, HAPPENED_CANCEL }, { DIGEST_GATED, HAPPENED_GATED },
		{ DIGEST_DEADLINE, HAPPENED_DEADLINE }, { DIGEST_DRAIN, HAPPENED_DRAIN },
		{ DIGEST_UNDRAIN, HAPPENED_UNDRAIN }, { DIGEST_DEFERRED, HAPPENED_DEFERRED },
		{ DIGEST_RELEASED, HAPPENED_RELEASED } };
	if (fresh && event->class == SL_EV_SUBMIT)
		return HAPPENED_SUBMIT;
	for (size_t i = 0; i < SL_LEN(events); i++)
		if (events[i].class == event->class)
			return events[i].what;
	return HAPPENED_PLAN;
}

/* As what a command would be noted; SL_DECISION_PLAN: it is none. */
static enum sl_decision_kind command_of(unsigned class)
{
	if (class == SL_EV_CLASS_COUNT)
		return SL_DECISION_START;
	if (class >= DIGEST_PREEMPT && class < DIGEST_RESUME)
		return SL_DECISION_PREEMPT;
	if (class == DIGEST_RESUME)
		return SL_DECISION_RESUME;
	if (class == DIGEST_RESIZE)
		return SL_DECISION_RESIZE;
	if (class >= DIGEST_END && class < DIGEST_REQUEUED)
		return SL_DECISION_END;
	return SL_DECISION_PLAN; /* DIGEST_REQUEUED: models alone. */
}

static void add_event(struct gathering *all)
{
	const struct history_event *event = &all->history[all->history_next++];
	struct happening happening = { .start = SL_NONE, .row = event->row, .beneficiary = UINT32_MAX };
	const bool ended = event->class >= DIGEST_END && event->class < DIGEST_DRAIN;
	const enum sl_decision_kind decision = command_of(event->class);
	const bool command = decision != SL_DECISION_PLAN;
	if (command && add_command(all, event->time, event->row, decision))
		return;
	if (command && !ended)
		return; /* At the beginning, by the log: nobody decided. */
	if (ended) {
		const bool rerun = event->class >= DIGEST_REQUEUED;
		happening.what = rerun ? HAPPENED_REQUEUED : HAPPENED_FAILED;
		happening.how = (uint8_t)(event->class - (rerun ? DIGEST_REQUEUED : DIGEST_END));
	} else {
		happening.what = (uint8_t)event_of(all, event);
		if (happening.what == HAPPENED_PLAN)
			return;
	}
	step_open_add(all, event->time, &happening);
}

static int step_open_gather(struct stepper *stepper, size_t before, struct sl_err *err)
{
	const struct view *view = &stepper->explain.view;
	const struct sl_pass *pass = &view->sim.engine->sim;
	struct gathering all = { .stepper = stepper,
		.history = pass->history,
		.history_count = pass->history_count,
		.history_next = before,
		.history_first = before,
		.decision = view->sim.result.decision,
		.decision_count = view->sim.result.decision_count,
		.seen = calloc((size_t)view->jobs->count + 1, sizeof(bool)),
		.err = err };
	if (!all.seen)
		return sl_fail_memory(err);
	while (!all.status &&
		(all.history_next < all.history_count || all.decision_next < all.decision_count)) {
		const bool events = all.history_next < all.history_count;
		const bool decisions = all.decision_next < all.decision_count;
		if (events && (!decisions || all.history[all.history_next].time <=
						     all.decision[all.decision_next].at))
			add_event(&all);
		else
			add_decision(&all);
	}
	free(all.seen);
	return all.status;
}

/* ---- Open and close -------------------------------------------------------------------------------- */

int step_fresh(struct stepper *stepper, struct sl_err *err)
{
	struct view *view = &stepper->explain.view;
	sl_arena_free(view->arena);
	view->arena = sl_arena_new();
	return view->arena ? SL_OK : sl_fail_memory(err);
}

int step_open(struct stepper *stepper, const struct args *args, struct sl_err *err)
{
	struct view *view = &stepper->explain.view;
	size_t before = 0;
	int status = run_find_words(args, false, err);
	if (!status)
		status = is_run(args->word[0]) ? open_directory(stepper, args, err)
					       : open_trace(stepper, args, err);
	if (status)
		return status;
	stepper->explain.registry = args->registry;
	stepper->explain.path = args->word[0];
	view->scenario = &view->rerun.scenario;
	view->jobs = &view->scenario->jobs;
	view->cluster = &view->scenario->cluster;
	status = step_fresh(stepper, err);
	if (!status)
		status = run_whole(stepper, args, &before, err);
	view->result = &view->sim.result;
	if (!status)
		status = step_open_gather(stepper, before, err);
	stepper->now = stepper->begin;
	return status ? status : rerun_start(&view->rerun, &stepper->sim, 0, err);
}

void step_close(struct stepper *stepper)
{
	struct view *view = &stepper->explain.view;
	sim_release(&stepper->sim);
	sim_release(&view->sim);
	free(stepper->instant);
	free(stepper->happening);
	sl_arena_free(view->arena);
	rerun_close(&view->rerun);
}
