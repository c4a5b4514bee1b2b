/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_models.c - models on generated worlds. One that does nothing leaves no trace under any preset. Of one
 * that sets rates, fails jobs and takes nodes down at random times, each attempt is worked out again, slowly:
 * work is added up in 128 bits from change to change.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/model_script.h"
#include "tests/world/world.h"

enum { STEPS = 60 };

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/models");
	*w = (struct world){ .cpus = 2 + (int64_t)sl_rng_below(&rng, 10), .seed = seed };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, 30);
	w->overrun = (enum sl_overrun)sl_rng_below(&rng, SL_OVERRUN_COUNT);
	w->as_nodes = seed % 2 == 0;
	w->rules.submits_first = seed % 7 == 0;
	w->rules.pass_per_event = seed % 11 == 0;
	const uint64_t gap = 1 + sl_rng_below(&rng, 40);
	const uint64_t run = 1 + sl_rng_below(&rng, 100);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit = 1 + (int64_t)sl_rng_below(&rng, 2 * run);
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)sl_rng_below(&rng, 3);
		job->account = 1 + (int32_t)sl_rng_below(&rng, 3);
	}
}

/* ---- Nothing ----------------------------------------------------------------------------------------- */

struct left {
	struct sl_result result;
	sl_time start[WORLD_JOBS], end[WORLD_JOBS];
	uint8_t state[WORLD_JOBS];
	struct sl_usage_point usage[1024];
	struct sl_attempt attempt[256];
};

static void keep(const struct world *w, struct left *left)
{
	const struct sl_result *result = &w->sim.result;
	left->result = *result;
	memcpy(left->start, result->start, w->count * sizeof(*left->start));
	memcpy(left->end, result->end, w->count * sizeof(*left->end));
	memcpy(left->state, result->state, w->count);
	cr_assert(
		result->usage_count <= SL_LEN(left->usage) && result->attempt_count <= SL_LEN(left->attempt));
	if (result->usage_count)
		memcpy(left->usage, result->usage, result->usage_count * sizeof(*left->usage));
	if (result->attempt_count)
		memcpy(left->attempt, result->attempts, result->attempt_count * sizeof(*left->attempt));
}

static bool same_attempt(const struct sl_attempt *a, const struct sl_attempt *b)
{
	return a->job == b->job && a->state == b->state && a->start == b->start && a->end == b->end &&
	       a->suspended == b->suspended && a->lost == b->lost && a->overhead == b->overhead &&
	       a->place == b->place && a->places == b->places && a->cpus == b->cpus && a->gpus == b->gpus;
}

static const char *difference(const struct world *w, const struct left *left)
{
	const struct sl_result *x = &w->sim.result;
	const struct sl_result *y = &left->result;
	if (x->digest != y->digest || x->events != y->events)
		return "digest";
	if (x->passes != y->passes)
		return "passes";
	if (memcmp(x->start, left->start, w->count * sizeof(*x->start)) != 0 ||
		memcmp(x->end, left->end, w->count * sizeof(*x->end)) != 0 ||
		memcmp(x->state, left->state, w->count) != 0)
		return "schedule";
	if (x->usage_count != y->usage_count ||
		(x->usage_count && memcmp(x->usage, left->usage, x->usage_count * sizeof(*x->usage)) != 0))
		return "usage";
	if (x->attempt_count != y->attempt_count)
		return "attempts";
	for (size_t i = 0; i < x->attempt_count; i++)
		if (!same_attempt(&x->attempts[i], &left->attempt[i]))
			return "attempts";
	if (x->reason_count != y->reason_count || x->idle_fitting != y->idle_fitting ||
		x->idle_wanted != y->idle_wanted || x->last != y->last)
		return "reasons or integrals";
	return NULL;
}

/* It is told of all, sets each rate to what it is, wakes, would keep all, and asks to hold nobody. */
Test(models, nothing_leaves_no_trace_under_any_preset, .timeout = 900)
{
	static struct left left;
	for (uint64_t seed = 1; seed <= worlds(8); seed++)
		for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset;
			preset++) {
			struct script script = { .rate_set = true,
				.rate_first = SL_SPEED_ONE,
				.kept = -1,
				.every = 7 * SL_SECOND };
			struct world w;
			const bool check = seed % 10 == 0;
			random_world(&w, seed);
			if (world_run(&w, (*preset)->name, check)) {
				world_release(&w);
				continue; /* Not on this kind of cluster, or not by these rules. */
			}
			keep(&w, &left);
			world_release(&w);
			w.model = script_on(&script);
			w.model_count = 1;
			cr_assert_eq(world_run(&w, (*preset)->name, check), SL_OK, "%s, seed %llu: %s",
				(*preset)->name, (unsigned long long)seed, w.err.text);
			const char *what = difference(&w, &left);
			cr_assert(
				!what, "%s, seed %llu: %s", (*preset)->name, (unsigned long long)seed, what);
			for (uint32_t job = 0; job < w.count; job++)
				cr_assert(w.sim.result.speed_mean[job] == SL_SPEED_ONE ||
						  w.job[job].size == 0 ||
						  sl_run_time_of(&w.sim.result, job) == 0 ||
						  w.sim.result.attempt_count,
					"%s, seed %llu: job %u", (*preset)->name, (unsigned long long)seed,
					job + 1);
			world_release(&w);
		}
}

/* ---- Anything ------------------------------------------------------------------------------------------ */

static int compare_steps(const void *a, const void *b)
{
	const struct script_step *x = a;
	const struct script_step *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static void random_script(
	const struct world *w, uint64_t seed, struct script *script, struct script_step *step, uint64_t range)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/models/script");
	const size_t count = sl_rng_below(&rng, STEPS);
	const bool fails = sl_rng_below(&rng, 2);
	const bool downs = sl_rng_below(&rng, 2) && w->as_nodes;
	for (size_t i = 0; i < count; i++) {
		const uint64_t kind = sl_rng_below(&rng, 10);
		step[i] = (struct script_step){ .at = (sl_time)sl_rng_below(&rng, range * SL_SECOND),
			.row = (uint32_t)sl_rng_below(&rng, w->count),
			.what = SCRIPT_RATE,
			.value = (int64_t)sl_rng_below(&rng, 2 * SL_SPEED_ONE) };
		if (sl_rng_below(&rng, 2)) /* Where others happen, too. */
			step[i].at -= step[i].at % SL_SECOND;
		if (sl_rng_below(&rng, 6) == 0)
			step[i].value = 0;
		if (fails && kind < 3)
			step[i].what = kind ? SCRIPT_RETRY : SCRIPT_FAIL;
		if (downs && kind >= 3 && kind < 7) {
			step[i].what = kind < 5 ? SCRIPT_DOWN : SCRIPT_UP;
			step[i].row = (uint32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
			step[i].value = kind == 3 ? SL_NEVER
						  : step[i].at + (sl_time)sl_rng_below(&rng, 50 * SL_SECOND);
		}
		if (downs && kind == 7) {
			step[i].what = sl_rng_below(&rng, 2) ? SCRIPT_DRAIN : SCRIPT_RESUME;
			step[i].row = (uint32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		}
	}
	if (count)
		qsort(step, count, sizeof(*step), compare_steps);
	*script = (struct script){ .step = step,
		.count = count,
		.rate_set = sl_rng_below(&rng, 2),
		.rate_first = 1 + sl_rng_below(&rng, 2 * SL_SPEED_ONE),
		.kept = sl_rng_below(&rng, 2) ? -1 : (sl_time)sl_rng_below(&rng, 20 * SL_SECOND) };
}

/* Work that is done, work and time that were kept. */
struct track {
	sl_time kept, kept_time;
};

static bool on_node(const struct sl_allocation *placed, uint32_t node)
{
	for (uint32_t i = 0; i < placed->count; i++)
		if (placed->alloc[i].node == node)
			return true;
	return false;
}

/* Does the step put an end to the attempt? down: how often each node is, before it. */
static bool ends_it(const struct script_step *step, uint32_t job, const struct sl_allocation *placed,
	const uint32_t *down)
{
	if (step->what == SCRIPT_FAIL || step->what == SCRIPT_RETRY)
		return step->row == job;
	return step->what == SCRIPT_DOWN && !down[step->row] && on_node(placed, step->row);
}

static void count_down(const struct script_step *step, uint32_t *down)
{
	if (step->what == SCRIPT_DOWN)
		down[step->row]++;
	else if (step->what == SCRIPT_UP && down[step->row])
		down[step->row]--;
}

/* When an attempt that began then ends, and how. */
static sl_time attempt_ends(const struct world *w, const struct script *script, uint32_t job, sl_time start,
	const struct sl_allocation *placed, struct track *track, enum sl_state *state)
{
	uint32_t down[WORLD_NODES] = { 0 };
	const unsigned __int128 whole = (unsigned __int128)(w->run[job] - track->kept) << 32;
	const sl_time cut =
		w->overrun == SL_OVERRUN_KILL ? start + w->limit[job] - track->kept_time : SL_NEVER;
	unsigned __int128 done = 0;
	uint64_t rate = script->rate_set ? script->rate_first : SL_SPEED_ONE;
	sl_time now = start;
	for (size_t i = 0;; i++) {
		const struct script_step *step = i < script->count ? &script->step[i] : NULL;
		if (step && step->at <= start) {
			count_down(step, down);
			continue;
		}
		sl_time end = SL_NEVER;
		if (whole <= done)
			end = now;
		else if (rate)
			end = now + (sl_time)((whole - done + rate - 1) / rate);
		*state = cut < end ? SL_TIMEOUT : SL_COMPLETED;
		end = cut < end ? cut : end;
		if (!step || end <= step->at)
			return end;
		done += (unsigned __int128)(uint64_t)(step->at - now) * rate;
		now = step->at;
		if (ends_it(step, job, placed, down)) {
			const sl_time work = (sl_time)(done >> 32);
			const sl_time kept = script->kept < 0 || script->kept > work ? work : script->kept;
			*state = SL_NODE_FAIL;
			if (kept)
				track->kept_time += (sl_time)((__int128)(now - start) * kept / work);
			track->kept += kept;
			return now;
		}
		count_down(step, down);
		if (step->what == SCRIPT_RATE && step->row == job)
			rate = (uint64_t)step->value;
	}
}

/* Nobody starts on a node that is down or drained. */
static bool may_be_there(const struct script *script, const struct sl_allocation *placed, sl_time start)
{
	uint32_t down[WORLD_NODES] = { 0 };
	uint32_t drained[WORLD_NODES] = { 0 };
	for (size_t i = 0; i < script->count && script->step[i].at <= start; i++) {
		const struct script_step *step = &script->step[i];
		count_down(step, down);
		if (step->what == SCRIPT_DRAIN)
			drained[step->row]++;
		else if (step->what == SCRIPT_RESUME && drained[step->row])
			drained[step->row]--;
	}
	for (uint32_t i = 0; i < placed->count; i++)
		if (down[placed->alloc[i].node] || drained[placed->alloc[i].node])
			return false;
	return true;
}

static void expect_attempts(
	const struct world *w, const struct script *script, uint32_t job, const char *named)
{
	const struct sl_result *result = &w->sim.result;
	const struct sl_attempt *attempt;
	const size_t several = sl_attempts_of(result, job, &attempt);
	const size_t count = several ? several : result->start[job] != SL_NONE;
	struct track track = { 0 };
	for (size_t i = 0; i < count; i++) {
		const struct sl_allocation placed =
			sl_allocation_of(result, job, several ? &attempt[i] : NULL);
		const sl_time start = several ? attempt[i].start : result->start[job];
		const sl_time end = several ? attempt[i].end : result->end[job];
		const enum sl_state state = (enum sl_state)(several ? attempt[i].state : result->state[job]);
		enum sl_state want_state;
		if (w->rules.pass_per_event && start == end && state == SL_NODE_FAIL)
			continue; /* Started by a pass between the events of that instant. */
		cr_assert(may_be_there(script, &placed, start), "%s: job %u is where nothing starts", named,
			job + 1);
		const sl_time want = attempt_ends(w, script, job, start, &placed, &track, &want_state);
		if (want == SL_NEVER) {
			cr_assert(state == SL_RUNNING, "%s: job %u is held for ever, and %s", named, job + 1,
				sl_state_name(state));
			continue;
		}
		cr_assert(end == want && state == want_state,
			"%s: job %u, attempt %zu ended at %lld %s, not %lld %s", named, job + 1, i + 1,
			(long long)end, sl_state_name(state), (long long)want, sl_state_name(want_state));
	}
}

/* Who is held for ever runs when the run ends: then nobody knows how long. */
static bool all_over(const struct world *w)
{
	for (uint32_t job = 0; job < w->count; job++)
		if (w->sim.result.state[job] == SL_RUNNING || w->sim.result.state[job] == SL_SUSPENDED)
			return false;
	return true;
}

Test(models, attempts_are_as_worked_out_slowly, .timeout = 900)
{
	/* Those of even places run on nodes, where corrected estimates of who is held for ever take seconds.
	 */
	static const char *const policies[] = { "fcfs", "easy", "conservative", "greedy", "fairshare",
		"easy:order=sjf", "composed:plan=depth,depth=3", "conservative:estimate=tsafrir" };
	for (uint64_t seed = 1; seed <= worlds(40); seed++) {
		const char *policy = policies[seed % SL_LEN(policies)];
		struct script_step step[STEPS];
		struct script script;
		struct world w;
		char named[100];
		random_world(&w, seed);
		random_script(&w, seed, &script, step, 400);
		w.model = script_on(&script);
		w.model_count = 1;
		(void)snprintf(named, sizeof(named), "seed %llu, %s", (unsigned long long)seed, policy);
		cr_assert_eq(world_run(&w, policy, seed % 5 == 0), SL_OK, "%s: %s", named, w.err.text);
		for (uint32_t job = 0; job < w.count; job++)
			expect_attempts(&w, &script, job, named);
		if (w.as_nodes && w.sim.result.place && all_over(&w))
			cr_assert(
				world_places_add_up(&w.sim.result, true), "%s: more or less was busy", named);
		world_release(&w);
	}
}

/* Under every preset the state stays whole, and what was busy is what was held. */
Test(models, any_preset_bears_anything, .timeout = 900)
{
	for (uint64_t seed = 1; seed <= worlds(6); seed++)
		for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset;
			preset++) {
			struct script_step step[STEPS];
			struct script script;
			struct world w;
			random_world(&w, seed);
			random_script(&w, seed, &script, step, 400);
			w.model = script_on(&script);
			w.model_count = 1;
			if (world_run(&w, (*preset)->name, true))
				cr_assert(w.err.status == SL_USAGE || w.err.status == SL_INPUT,
					"%s, seed %llu: %s", (*preset)->name, (unsigned long long)seed,
					w.err.text);
			else if (w.as_nodes && w.sim.result.place && all_over(&w))
				cr_assert(world_places_add_up(&w.sim.result, false), "%s, seed %llu",
					(*preset)->name, (unsigned long long)seed);
			world_release(&w);
		}
}
