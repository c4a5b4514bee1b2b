/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_open.c - the run that is gone through: made whole, and what happened in it, instant by instant.
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
	static const char *const of_trace[] = { "cluster", "policy", "set", "model", "seed", "from", "to",
		"until", "tz", "jobs", "strict" };
	for (size_t i = 0; i < SL_LEN(of_trace); i++)
		if (arg_flag(args, of_trace[i]))
			return sl_fail(err, SL_USAGE,
				"'%s' is a run, whose settings stand in it: leave out --%s, or give its trace",
				args->word[0], of_trace[i]);
	struct again *again = &stepper->explain.view.again;
	const int status = again_open(again, args->word[0], args->registry, err);
	return status ? status : again_load(again, err);
}

/* As a run's recipe of one stretch. */
static int open_trace(struct stepper *stepper, const struct args *args, struct sl_err *err)
{
	struct again *again = &stepper->explain.view.again;
	const char *policy = arg(args, "policy");
	struct run run = { 0 };
	again->arena = sl_arena_new();
	again->registry = args->registry;
	if (!again->arena)
		return sl_fail_memory(err);
	int status = settings_from_args(&stepper->settings, args, err);
	if (!status)
		status = run_from_args(&run, policy ? policy : "easy", &stepper->settings, args, err);
	stepper->choice = run.choice;
	if (!status)
		status = scenario_from_args(&again->scenario, args, arg(args, "cluster"), &stepper->settings,
			run.choice.implied, err);
	if (!status)
		status = settings_check_used(&stepper->settings, &stepper->choice, 1, err);
	if (!status && again->scenario.window_count)
		status = sl_fail(err, SL_USAGE, "step goes through one run: leave out replay.windows");
	if (status)
		return status;
	if (log_shows(LOG_INFO)) {
		run.scenario = &again->scenario;
		talk_compat(&run);
		talk_read(&again->scenario);
	}
	talk_oddities(&again->scenario);
	stepper->stretch = (struct sim_stretch){ .choice = &stepper->choice, .until = SL_NEVER };
	again->recipe =
		(struct sim_options){ .seed = run.options.seed, .past = &stepper->stretch, .past_count = 1 };
	return SL_OK;
}

/* With a bar on a terminal, while it takes long. */
static int run_whole(struct stepper *stepper, const struct args *args, size_t *before, struct sl_err *err)
{
	struct view *view = &stepper->explain.view;
	struct again *again = &view->again;
	const unsigned record =
		SIM_RECORD_PAST | SIM_RECORD_REASONS | SIM_RECORD_PLACES | SIM_RECORD_DECISIONS;
	struct run shown = { .scenario = &again->scenario, .choice = *again->recipe.past[0].choice };
	struct progress_bar *bar = progress_start(&shown, 1, args);
	again->progress = shown.options.progress;
	int status = again_start(again, &view->sim, record, err);
	if (!status) {
		*before = view->sim.engine->pass.past_count;
		stepper->begin = view->sim.engine->pass.now;
		status = again_advance(again, &view->sim, SL_NEVER, err);
	}
	if (!status)
		status = sim_end(&view->sim, err);
	if (!status)
		status = again_compare(again, &view->sim.result, err);
	progress_stop(bar);
	again->progress = NULL;
	return status;
}

/* ---- What happened -------------------------------------------------------------------------------- */

/* Where one is in the lists of a run. */
struct gathering {
	struct stepper *stepper;
	const struct past_event *past;
	size_t past_count, past_next, past_first;
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
	all->status = SL_GROW(stepper->instant, stepper->instant_room, count + 1, all->err);
	if (all->status)
		return NULL;
	stepper->instant[count] = (struct instant){ .at = at, .first = stepper->happening_count };
	stepper->instant_count++;
	return &stepper->instant[count];
}

/* Under which policy: each stretch of the recipe has so many events. At its very end its successor decides
 * too, and that alone where nothing else happened then. */
static uint8_t stretch_of(const struct gathering *all, sl_time at)
{
	const struct sim_options *recipe = &all->stepper->explain.view.again.recipe;
	const size_t events = all->past_next - all->past_first;
	const sl_time last = all->past_next ? all->past[all->past_next - 1].time : SL_NONE;
	size_t i = 0;
	while (i + 1 < recipe->past_count && i < UINT8_MAX &&
		(events > recipe->past[i].events ||
			(events == recipe->past[i].events && at >= recipe->past[i].until && last < at)))
		i++;
	return (uint8_t)i;
}

static void add(struct gathering *all, sl_time at, const struct happening *happening)
{
	struct stepper *stepper = all->stepper;
	struct instant *instant = all->status ? NULL : instant_at(all, at);
	if (!instant)
		return;
	all->status =
		SL_GROW(stepper->happening, stepper->happening_room, stepper->happening_count + 1, all->err);
	if (all->status)
		return;
	stepper->happening[stepper->happening_count] = *happening;
	stepper->happening[stepper->happening_count++].stretch = stretch_of(all, at);
	instant->count++;
}

static void add_decision(struct gathering *all)
{
	static const uint8_t what[] = { [SL_DID_START] = HAPPENED_START,
		[SL_DID_PREEMPT] = HAPPENED_PREEMPT,
		[SL_DID_RESUME] = HAPPENED_RESUME,
		[SL_DID_RESIZE] = HAPPENED_RESIZE,
		[SL_DID_END] = HAPPENED_STOP,
		[SL_DID_PLAN] = HAPPENED_PLAN };
	const struct sl_decision *did = &all->decision[all->decision_next++];
	add(all, did->at,
		&(struct happening){ .start = did->start,
			.row = did->job,
			.whose = did->whose,
			.what = what[did->did],
			.rule = did->rule,
			.how = did->how });
}

/* Decisions up to a command of that job: plans of passes before it stand in front of it. False: it is no
 * decision, but a model's doing. */
static bool add_command(struct gathering *all, sl_time at, uint32_t job, enum sl_did did)
{
	size_t next = all->decision_next;
	while (next < all->decision_count && all->decision[next].at == at &&
		all->decision[next].did == SL_DID_PLAN)
		next++;
	if (next == all->decision_count || all->decision[next].at != at || all->decision[next].job != job ||
		all->decision[next].did != did)
		return false;
	while (all->decision_next <= next)
		add_decision(all);
	return true;
}

/* What is no command; HAPPENED_PLAN: nothing that is told. */
static enum happened event_of(struct gathering *all, const struct past_event *event)
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
		{ SL_EV_RESERVATION, HAPPENED_WINDOW }, { SL_EV_SUBMIT, HAPPENED_LET_IN },
		{ SL_EV_CANCEL, HAPPENED_CANCEL }, { DIGEST_GATED, HAPPENED_GATED },
		{ DIGEST_DEADLINE, HAPPENED_DEADLINE }, { DIGEST_DRAIN, HAPPENED_DRAIN },
		{ DIGEST_UNDRAIN, HAPPENED_UNDRAIN }, { DIGEST_PUT_OFF, HAPPENED_PUT_OFF },
		{ DIGEST_LET_IN, HAPPENED_LET_IN } };
	if (fresh && event->class == SL_EV_SUBMIT)
		return HAPPENED_SUBMIT;
	for (size_t i = 0; i < SL_LEN(events); i++)
		if (events[i].class == event->class)
			return events[i].what;
	return HAPPENED_PLAN;
}

/* As what a command would be noted; SL_DID_PLAN: it is none. */
static enum sl_did command_of(unsigned class)
{
	if (class == SL_EV_CLASS_COUNT)
		return SL_DID_START;
	if (class >= DIGEST_PREEMPT && class < DIGEST_RESUME)
		return SL_DID_PREEMPT;
	if (class == DIGEST_RESUME)
		return SL_DID_RESUME;
	if (class == DIGEST_RESIZE)
		return SL_DID_RESIZE;
	if (class >= DIGEST_END && class < DIGEST_AGAIN)
		return SL_DID_END;
	return SL_DID_PLAN; /* DIGEST_AGAIN: models alone. */
}

static void add_event(struct gathering *all)
{
	const struct past_event *event = &all->past[all->past_next++];
	struct happening happening = { .start = SL_NONE, .row = event->row, .whose = UINT32_MAX };
	const bool ended = event->class >= DIGEST_END && event->class < DIGEST_DRAIN;
	const enum sl_did did = command_of(event->class);
	const bool command = did != SL_DID_PLAN;
	if (command && add_command(all, event->time, event->row, did))
		return;
	if (command && !ended)
		return; /* At the beginning, by the log: nobody decided. */
	if (ended) {
		const bool again = event->class >= DIGEST_AGAIN;
		happening.what = again ? HAPPENED_AGAIN : HAPPENED_FAILED;
		happening.how = (uint8_t)(event->class - (again ? DIGEST_AGAIN : DIGEST_END));
	} else {
		happening.what = (uint8_t)event_of(all, event);
		if (happening.what == HAPPENED_PLAN)
			return;
	}
	add(all, event->time, &happening);
}

static int gather(struct stepper *stepper, size_t before, struct sl_err *err)
{
	const struct view *view = &stepper->explain.view;
	const struct sl_pass *pass = &view->sim.engine->pass;
	struct gathering all = { .stepper = stepper,
		.past = pass->past,
		.past_count = pass->past_count,
		.past_next = before,
		.past_first = before,
		.decision = view->sim.result.decision,
		.decision_count = view->sim.result.decision_count,
		.seen = calloc((size_t)view->jobs->count + 1, sizeof(bool)),
		.err = err };
	if (!all.seen)
		return sl_fail_memory(err);
	while (!all.status && (all.past_next < all.past_count || all.decision_next < all.decision_count)) {
		const bool events = all.past_next < all.past_count;
		const bool decisions = all.decision_next < all.decision_count;
		if (events &&
			(!decisions || all.past[all.past_next].time <= all.decision[all.decision_next].at))
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
	view->scenario = &view->again.scenario;
	view->jobs = &view->scenario->jobs;
	view->cluster = &view->scenario->cluster;
	status = step_fresh(stepper, err);
	if (!status)
		status = run_whole(stepper, args, &before, err);
	view->result = &view->sim.result;
	if (!status)
		status = gather(stepper, before, err);
	stepper->now = stepper->begin;
	return status ? status : again_start(&view->again, &stepper->sim, 0, err);
}

void step_close(struct stepper *stepper)
{
	struct view *view = &stepper->explain.view;
	sim_release(&stepper->sim);
	sim_release(&view->sim);
	free(stepper->instant);
	free(stepper->happening);
	sl_arena_free(view->arena);
	again_close(&view->again);
}
