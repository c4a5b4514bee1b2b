/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_fair_start.c - replay.fair_start=policy against its definition: of generated jobs each one's fair
 * start is its start in a run of those up to it alone. The seed is named in the failure.
 */
#include <criterion/criterion.h>

#include "tests/world/world.h"

enum { WORLDS = 300, JOBS_MOST = 12 };

static const char *const policies[] = { "fcfs", "sjf", "easy", "conservative", "easy:fill=shortest", "greedy",
	"wfp3", "easy:order=sjf" };

static int64_t below(struct sl_rng *rng, uint64_t bound) { return (int64_t)sl_rng_below(rng, bound); }
static bool one_in(struct sl_rng *rng, uint64_t n) { return !sl_rng_below(rng, n); }

static void random_jobs(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/fair_start");
	const bool deferred = one_in(&rng, 3);
	int64_t submit = 0;
	*w = (struct world){ .cpus = 2 + below(&rng, 6), .seed = seed, .as_nodes = one_in(&rng, 3) };
	w->count = 2 + (uint32_t)below(&rng, JOBS_MOST - 1);
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += one_in(&rng, 3) ? 0 : below(&rng, 12);
		*job = (struct world_job){ .submit = submit,
			.run = 1 + below(&rng, 40),
			.size = 1 + (int32_t)below(&rng, (uint64_t)w->cpus),
			.user = (int32_t)below(&rng, 3) };
		job->limit = job->run + (one_in(&rng, 2) ? below(&rng, 40) : 0);
		if (deferred && one_in(&rng, 4))
			job->begin = 1 + below(&rng, 150);
		if (deferred && one_in(&rng, 3)) {
			job->array = 1 + below(&rng, 2);
			job->array_task = below(&rng, 20);
			job->array_limit = job->array;
		}
	}
}

Test(prop_fair_start, is_the_start_where_nobody_comes_later)
{
	uint32_t late = 0;
	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		const char *policy = policies[seed % SL_LEN(policies)];
		struct world whole;
		struct sim_options options;
		random_jobs(&whole, seed);
		cr_assert_eq(world_open(&whole, policy, true, &options), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, whole.err.text);
		whole.scenario.field_metrics = whole.scenario.fair_by_policy = true;
		cr_assert_eq(sim_run(&whole.sim, &options, &whole.err), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, whole.err.text);
		const sl_time *fair = whole.sim.result.fair_start;
		cr_assert_not_null(fair, "seed %llu", (unsigned long long)seed);
		for (uint32_t row = 0; row < whole.count; row++) {
			struct world alone;
			random_jobs(&alone, seed);
			alone.count = row + 1;
			cr_assert_eq(world_run(&alone, policy, true), SL_OK, "seed %llu: %s",
				(unsigned long long)seed, alone.err.text);
			cr_assert_eq(fair[row], alone.sim.result.start[row],
				"seed %llu, %s: job %u would start at %lld, not %lld",
				(unsigned long long)seed, policy, row + 1,
				(long long)alone.sim.result.start[row], (long long)fair[row]);
			late += whole.sim.result.start[row] > fair[row];
			world_release(&alone);
		}
		world_release(&whole);
	}
	cr_assert_gt(late, 100); /* Else it would say nothing. */
}
