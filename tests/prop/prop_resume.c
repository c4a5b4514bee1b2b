/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_resume.c - stopping leaves no trace, and neither does a policy that went over to another and back
 * before anything happened. Over every preset, on generated workloads; the seed is named in the failure.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/world.h"

enum { STOPS = 4 };

/* How many worlds each property is tried on. */
static uint64_t worlds(void) { return effort_of(40, 150, 600); }
static uint64_t worlds_more(void) { return effort_of(80, 300, 1200); }

static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/resume");
	*w = (struct world){ .cpus = 2 + (int64_t)sl_rng_below(&rng, 10), .seed = seed };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, 30);
	w->overrun = (enum sl_overrun)sl_rng_below(&rng, SL_OVERRUN_COUNT);
	w->as_nodes = seed % 4 == 0;
	const uint64_t gap = 1 + sl_rng_below(&rng, 200);
	const uint64_t run = 1 + sl_rng_below(&rng, 400);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit = 1 + (int64_t)sl_rng_below(&rng, 2 * run);
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)sl_rng_below(&rng, 3);
		job->wait = 1 + (int64_t)sl_rng_below(&rng, 300);
		if (!sl_rng_below(&rng, 8))
			job->cancel = submit + 1 + (int64_t)sl_rng_below(&rng, 2 * run);
	}
}

static bool same(const struct world *a, const struct world *b)
{
	const struct sl_result *x = &a->sim.result;
	const struct sl_result *y = &b->sim.result;
	const size_t times = a->count * sizeof(*x->start);
	return x->digest == y->digest && x->events == y->events && memcmp(x->start, y->start, times) == 0 &&
	       memcmp(x->end, y->end, times) == 0 && memcmp(x->state, y->state, a->count) == 0 &&
	       x->last == y->last && x->idle_fitting == y->idle_fitting && x->idle_wanted == y->idle_wanted &&
	       x->reason_count == y->reason_count && !x->stopped && !y->stopped;
}

/* How far the uninterrupted run went. */
static sl_time last_of(const struct world *w) { return w->sim.result.last / SL_SECOND + 2; }

static int run_in_stops(struct world *w, const char *policy, bool check, uint64_t seed, int64_t until)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/resume/stops");
	struct sim_options options;
	int status = world_open(w, policy, check, &options);
	if (!status)
		status = sim_begin(&w->sim, &options, &w->err);
	for (int i = 0; i < STOPS && !status; i++) { /* Some of them back in time, which does nothing. */
		const sl_time stop = (sl_time)sl_rng_below(&rng, (uint64_t)until) * SL_SECOND;
		status = sim_advance(&w->sim, stop + (i == 3), &w->err);
	}
	if (!status)
		status = sim_advance(&w->sim, SL_NEVER, &w->err);
	return status ? status : sim_end(&w->sim, &w->err);
}

Test(resume, stopping_leaves_no_trace_under_any_preset, .timeout = 600)
{
	for (uint64_t seed = 1, most = worlds(); seed <= most; seed++)
		for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset;
			preset++) {
			struct world whole;
			struct world parts;
			random_world(&whole, seed);
			random_world(&parts, seed);
			const bool check = seed % 5 == 0;
			cr_assert_eq(world_run(&whole, (*preset)->name, check), SL_OK, "%s, seed %llu: %s",
				(*preset)->name, (unsigned long long)seed, whole.err.text);
			cr_assert_eq(
				run_in_stops(&parts, (*preset)->name, check, seed, last_of(&whole)), SL_OK);
			cr_assert(same(&whole, &parts), "%s, seed %llu: stopped and gone on is another run",
				(*preset)->name, (unsigned long long)seed);
			world_release(&whole);
			world_release(&parts);
		}
}

/* As `past` of a run: replayed, verified, gone on under the same. */
Test(resume, a_replayed_history_goes_on_as_if_never_stopped, .timeout = 600)
{
	for (uint64_t seed = 1, most = worlds(); seed <= most; seed++)
		for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset;
			preset++) {
			struct world whole;
			struct world first;
			struct world second;
			struct sim_options options;
			size_t count;
			random_world(&whole, seed);
			random_world(&first, seed);
			random_world(&second, seed);
			cr_assert_eq(world_run(&whole, (*preset)->name, seed % 5 == 0), SL_OK);
			cr_assert_eq(world_open(&first, (*preset)->name, false, &options), SL_OK);
			cr_assert_eq(sim_begin(&first.sim, &options, &first.err), SL_OK);
			const sl_time stop = (sl_time)(seed * 37 % (uint64_t)last_of(&whole)) * SL_SECOND;
			cr_assert_eq(sim_advance(&first.sim, stop, &first.err), SL_OK);
			const struct sim_interval *history = sim_intervals(&first.sim, &count, &first.err);
			cr_assert(history && count == 1);
			cr_assert_eq(world_open(&second, (*preset)->name, seed % 5 == 0, &options), SL_OK);
			options.history = history;
			options.history_count = 1;
			cr_assert_eq(sim_run(&second.sim, &options, &second.err), SL_OK, "%s, seed %llu: %s",
				(*preset)->name, (unsigned long long)seed, second.err.text);
			cr_assert(same(&whole, &second), "%s, seed %llu", (*preset)->name,
				(unsigned long long)seed);
			world_release(&whole);
			world_release(&first);
			world_release(&second);
		}
}

/* What runs and what is planned are those of the state, whoever planned before: over to another policy and
 * back at once, at a time when something happened. Promises are made anew, which is another plan; so are what
 * is overdue, and so is the order of those that only a pass knows. */
static const char *const watchers[] = { "fcfs", "greedy", "easy", "easy++", "easy:fill=shortest", "sjf",
	"saf", "f1", "wfp3", "easy:order=unicep", "easy:estimate=exact", "easy:estimate=tsafrir,order=sjf",
	"fairshare", "fairshare:half_life=100", "drf", "stride" };
static const char *const others[] = { "conservative", "easy++", "greedy", "recorded",
	"conservative:estimate=tsafrir", "wfp3" };

static int over_and_back(struct world *w, const char *policy, const char *other, sl_time stop, bool check,
	struct policy_choice choice[2])
{
	struct sim_options options;
	int status = world_open(w, policy, check, &options);
	options.record |= SIM_RECORD_HISTORY;
	if (!status)
		status = world_choose(w, other, &choice[0]);
	if (!status)
		status = world_choose(w, policy, &choice[1]);
	if (!status)
		status = sim_begin(&w->sim, &options, &w->err);
	if (!status)
		status = sim_advance(&w->sim, stop, &w->err);
	for (int i = 0; i < 2 && !status; i++)
		status = sim_handover(&w->sim, &choice[i], &w->err);
	if (!status)
		status = sim_advance(&w->sim, SL_NEVER, &w->err);
	return status ? status : sim_end(&w->sim, &w->err);
}

Test(resume, over_to_another_policy_and_back_is_no_change, .timeout = 600)
{
	for (uint64_t seed = 1, most = worlds_more(); seed <= most; seed++)
		for (size_t i = 0; i < SL_LEN(watchers); i++) {
			struct world whole;
			struct world parts;
			struct policy_choice choice[2];
			const char *other = others[(seed + i) % SL_LEN(others)];
			if (strcmp(other, watchers[i]) == 0)
				continue;
			random_world(&whole, seed);
			if (whole.overrun == SL_OVERRUN_EXTEND)
				continue;
			parts = whole;
			cr_assert_eq(world_run(&whole, watchers[i], false), SL_OK);
			const sl_time stop = whole.job[seed % whole.count].submit * SL_SECOND;
			cr_assert_eq(over_and_back(&parts, watchers[i], other, stop, seed % 3 == 0, choice),
				SL_OK, "%s, seed %llu: %s", watchers[i], (unsigned long long)seed,
				parts.err.text);
			const size_t times = whole.count * sizeof(sl_time);
			cr_assert(memcmp(whole.sim.result.start, parts.sim.result.start, times) == 0 &&
					  memcmp(whole.sim.result.end, parts.sim.result.end, times) == 0,
				"%s over to %s and back at %lld, seed %llu: another run", watchers[i], other,
				(long long)stop, (unsigned long long)seed);
			world_release(&whole);
			world_release(&parts);
		}
}

/* Before the switch the first policy's starts; the invariants hold after it, whichever they are. */
Test(resume, any_preset_may_follow_any, .timeout = 600)
{
	for (uint64_t seed = 1, most = worlds() / 5; seed <= most; seed++)
		for (const struct sl_preset *const *from = builtin_registry()->known.presets; *from; from++)
			for (const struct sl_preset *const *to = builtin_registry()->known.presets; *to;
				to++) {
				struct world whole;
				struct world parts;
				struct policy_choice choice;
				struct sim_options options;
				random_world(&whole, seed);
				random_world(&parts, seed);
				cr_assert_eq(world_run(&whole, (*from)->name, false), SL_OK);
				const sl_time stop =
					(sl_time)(seed * 101 % (uint64_t)last_of(&whole)) * SL_SECOND + 1;
				cr_assert_eq(world_open(&parts, (*from)->name, true, &options), SL_OK);
				options.record |= SIM_RECORD_HISTORY;
				cr_assert_eq(world_choose(&parts, (*to)->name, &choice), SL_OK);
				cr_assert_eq(sim_begin(&parts.sim, &options, &parts.err), SL_OK);
				cr_assert_eq(sim_advance(&parts.sim, stop, &parts.err), SL_OK);
				cr_assert_eq(sim_handover(&parts.sim, &choice, &parts.err), SL_OK,
					"%s to %s, seed %llu: %s", (*from)->name, (*to)->name,
					(unsigned long long)seed, parts.err.text);
				cr_assert_eq(sim_advance(&parts.sim, SL_NEVER, &parts.err), SL_OK,
					"%s to %s, seed %llu: %s", (*from)->name, (*to)->name,
					(unsigned long long)seed, parts.err.text);
				cr_assert_eq(sim_end(&parts.sim, &parts.err), SL_OK);
				for (uint32_t i = 0; i < whole.count; i++) {
					const sl_time was = whole.sim.result.start[i];
					const sl_time is = parts.sim.result.start[i];
					cr_assert(was == SL_NONE || was > stop
							  ? is == SL_NONE || is > stop - 1
							  : is == was,
						"%s to %s at %lld, seed %llu: job %u started at %lld, not %lld",
						(*from)->name, (*to)->name, (long long)stop,
						(unsigned long long)seed, i + 1, (long long)is,
						(long long)was);
					cr_assert_neq(parts.sim.result.end[i], SL_NONE,
						"%s to %s at %lld, seed %llu: job %u never ended",
						(*from)->name, (*to)->name, (long long)stop,
						(unsigned long long)seed, i + 1);
				}
				world_release(&whole);
				world_release(&parts);
			}
}

/* ---- From the middle ------------------------------------------------------------------------- */

/* The jobs of a run that had not ended at `begin`, as a log that recorded it. */
static uint32_t cut(struct world *rest, const struct world *whole, sl_time begin, sl_time *ran, uint32_t *row)
{
	*rest = *whole;
	rest->count = 0;
	for (uint32_t i = 0; i < whole->count; i++) {
		const sl_time start = whole->sim.result.start[i];
		if (whole->sim.result.end[i] <= begin)
			continue;
		row[rest->count] = i;
		ran[rest->count] = start != SL_NONE && start < begin ? begin - start : SL_NONE;
		rest->job[rest->count++] = whole->job[i];
	}
	return rest->count;
}

/* Policies without a memory go on from the recorded state as they went on themselves. */
Test(resume, from_the_middle_of_its_own_log_a_run_is_the_same, .timeout = 600)
{
	static const char *const forgetful[] = { "fcfs", "greedy", "easy", "easy:fill=shortest", "sjf", "saf",
		"easy:estimate=exact", "wfp3", "easy:order=unicep" };
	/* Orders by wait see that a cancellation comes too late, which makes a pass: none in their worlds. */
	const size_t timeless = SL_LEN(forgetful) - 2;
	for (uint64_t seed = 1, most = worlds_more(); seed <= most; seed++)
		for (size_t i = 0; i < SL_LEN(forgetful); i++) {
			struct world whole;
			struct world rest;
			struct sim_options options;
			sl_time ran[WORLD_JOBS];
			uint32_t row[WORLD_JOBS];
			random_world(&whole, seed);
			for (uint32_t job = 0; i >= timeless && job < whole.count; job++)
				whole.job[job].cancel = 0;
			cr_assert_eq(world_run(&whole, forgetful[i], false), SL_OK);
			const sl_time begin = whole.job[seed % whole.count].submit * SL_SECOND;
			if (!cut(&rest, &whole, begin, ran, row)) {
				world_release(&whole);
				continue;
			}
			cr_assert_eq(world_open(&rest, forgetful[i], seed % 3 == 0, &options), SL_OK);
			rest.scenario.begins = true;
			rest.scenario.begin = begin;
			rest.scenario.jobs.ran = ran;
			cr_assert_eq(sim_run(&rest.sim, &options, &rest.err), SL_OK, "%s", rest.err.text);
			cr_expect_eq(rest.sim.result.unfit, 0);
			for (uint32_t job = 0; job < rest.count; job++)
				cr_assert(rest.sim.result.start[job] == whole.sim.result.start[row[job]] &&
						  rest.sim.result.end[job] == whole.sim.result.end[row[job]],
					"%s from %lld, seed %llu: job %u started at %lld, not %lld",
					forgetful[i], (long long)begin, (unsigned long long)seed,
					row[job] + 1, (long long)rest.sim.result.start[job],
					(long long)whole.sim.result.start[row[job]]);
			world_release(&whole);
			world_release(&rest);
		}
}

/* Back, over to the end again: as if it had never been further. */
Test(resume, back_and_on_is_the_same_run, .timeout = 600)
{
	for (uint64_t seed = 1, most = worlds(); seed <= most; seed++)
		for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset;
			preset++) {
			struct world whole;
			struct world w;
			struct policy_choice choice;
			struct sim_options options;
			random_world(&whole, seed);
			random_world(&w, seed);
			cr_assert_eq(world_run(&whole, (*preset)->name, false), SL_OK);
			const uint64_t last = (uint64_t)last_of(&whole);
			cr_assert_eq(world_open(&w, (*preset)->name, false, &options), SL_OK);
			options.record |= SIM_RECORD_HISTORY;
			cr_assert_eq(world_choose(&w, "easy:order=saf", &choice), SL_OK);
			cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK);
			const sl_time there = (sl_time)(seed * 53 % last) * SL_SECOND + 1;
			cr_assert_eq(sim_advance(&w.sim, there, &w.err), SL_OK);
			cr_assert_eq(sim_handover(&w.sim, &choice, &w.err), SL_OK);
			cr_assert_eq(sim_advance(&w.sim, SL_NEVER, &w.err), SL_OK);
			cr_assert_eq(sim_back(&w.sim, there - 1, &w.err), SL_OK, "%s", w.err.text);
			cr_assert_eq(sim_advance(&w.sim, SL_NEVER, &w.err), SL_OK);
			cr_assert_eq(sim_end(&w.sim, &w.err), SL_OK);
			cr_assert(
				same(&whole, &w), "%s, seed %llu", (*preset)->name, (unsigned long long)seed);
			world_release(&whole);
			world_release(&w);
		}
}
