/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_params.c - the table of the settings replay.*, a line each.
 */
#include "sim/registry/replay_params.h"

#include <string.h>

const struct sl_param replay_params[] = {
	[REPLAY_OVERRUN] = { "overrun", SL_PARAM_CHOICE, "extend", "raise|extend|kill",
		"a run time beyond its limit: raise the limit to it, let the job run on, or cut it", 0, 0 },
	[REPLAY_FROM] = { "from", SL_PARAM_TEXT, NULL, NULL,
		"only jobs submitted from then on: seconds since the trace's zero, a duration, or a date", 0,
		0 },
	[REPLAY_TO] = { "to", SL_PARAM_TEXT, NULL, NULL, "only jobs submitted before then", 0, 0 },
	[REPLAY_LOAD] = { "load", SL_PARAM_REAL, "1", "0.001..1000",
		"factor on the arrival rate: times between submissions are divided by it", 1000, 1000000000 },
	[REPLAY_WARMUP] = { "warmup", SL_PARAM_TIME, NULL, NULL,
		"jobs submitted so soon after the first submission are in no metric of jobs, nor the time in "
		".steady; without it all jobs are, and .steady begins by MSER-5",
		0, INT64_MAX },
	[REPLAY_ESTIMATES] = { "estimates", SL_PARAM_TEXT, NULL, NULL,
		"file of predicted run times, a line JOB,SECONDS each; jobs that it lacks keep their limit",
		0, 0 },
	[REPLAY_CANCELS] = { "cancels", SL_PARAM_TEXT, NULL, NULL,
		"file of cancellations, a line JOB,SECONDS each, counted from the job's submission", 0, 0 },
	[REPLAY_MEMORY] = { "memory", SL_PARAM_CHOICE, "ignore", "ignore|requested",
		"on nodes, what a job of SWF asks of memory: nothing, or its field 10", 0, 0 },
	[REPLAY_PASSES] = { "passes", SL_PARAM_CHOICE, "instant", "instant|event",
		"a pass after the last event of each instant, or after each event", 0, 0 },
	[REPLAY_EVENTS] = { "events", SL_PARAM_CHOICE, "finish_first", "finish_first|submit_first",
		"what comes first at one instant: the ends of jobs, or submissions", 0, 0 },
	[REPLAY_EARLY] = { "early", SL_PARAM_BOOL, "false", NULL,
		"at the instant at which a job ends as estimated, what it holds is free for all passes", 0,
		0 },
	[REPLAY_SIZE] = { "size", SL_PARAM_CHOICE, "requested", "requested|allocated|larger",
		"a job's size: SWF field 8, else 5; field 5, else 8; or the larger of both", 0, 0 },
	[REPLAY_RUN_UNKNOWN] = { "run_unknown", SL_PARAM_TIME, NULL, NULL,
		"how long jobs run of which the log says nothing; without it they are dropped", 1,
		INT64_MAX / 4 },
	[REPLAY_RUN_TIMES] = { "run_times", SL_PARAM_TEXT, NULL, NULL,
		"CSV file: how long jobs run of which the trace says nothing, by name; columns job and run_time",
		0, 0 },
	[REPLAY_WINDOWS] = { "windows", SL_PARAM_TEXT, NULL, NULL,
		"N@i,j,...: windows of N jobs from the i-th, j-th ... on (from 0), each run on its own; results are means",
		0, 0 },
	[REPLAY_START] = { "start", SL_PARAM_CHOICE, "empty", "empty|recorded",
		"at replay.from: an empty machine, or the jobs that by the log ran and waited then", 0, 0 },
	[REPLAY_UNTIL] = { "until", SL_PARAM_TEXT, NULL, NULL,
		"stop there, after everything that happens then: a time as of replay.from", 0, 0 },
	[REPLAY_GAUGES] = { "gauges", SL_PARAM_TEXT, NULL, "NAME|NAME...",
		"followed over time, whatever the policy (gauges.csv): sums over all nodes, see schedlab list gauges",
		0, 0 },
	[REPLAY_FILL] = { "fill", SL_PARAM_REAL, NULL, "0.001..1000",
		"jobs in random order, drawn again until they ask this many times the cluster's GPUs, a second apart; none ends before the last has come",
		1000, 1000000000 },
	[REPLAY_FILL_NUMBERS] = { "fill_numbers", SL_PARAM_CHOICE, NULL, "own|go",
		"replay.fill draws by our own streams, or as the simulator of the FGD paper does, by Go's math/rand",
		0, 0 },
	[REPLAY_RESTART] = { "restart", SL_PARAM_TEXT, NULL, NULL,
		"what going on from a checkpoint costs, by GPUs (or cpus) from so many on: 7s,2:30s,9:60s", 0,
		0 },
	[REPLAY_COMMANDS] = { "commands", SL_PARAM_TEXT, NULL, NULL,
		"file of what an operator did, a line TIME COMMAND each, for policies that follow commands (slurm)",
		0, 0 },
	[REPLAY_IMPOSSIBLE] = { "impossible", SL_PARAM_CHOICE, "drop", "drop|keep",
		"on nodes, a row that asks for what it will never be given: no job, or one that the "
		"policy turns down or leaves waiting",
		0, 0 },
	[REPLAY_DROP] = { "drop", SL_PARAM_TEXT, NULL, NULL,
		"jobs left out: user=alice,partition=gpu (both hold); several clauses apart by ';', see schedlab-run(1)",
		0, 0 },
	[REPLAY_CHANGE] = { "change", SL_PARAM_TEXT, NULL, NULL,
		"jobs that ask something else: job=17 limit=8h gpus=16; several clauses apart by ';', see schedlab-run(1)",
		0, 0 },
	[REPLAY_MODELS] = { "models", SL_PARAM_TEXT, NULL, "NAME,NAME...",
		"models that are on, see schedlab list models; each may have settings NAME.KEY=VALUE", 0, 0 },
	[REPLAY_FEEDBACK] = { "feedback", SL_PARAM_CHOICE, NULL, "none|after|think",
		"submissions of jobs that follow another (SWF field 17): as recorded (without it, too), at its end, or a think time (field 18) after it",
		0, 0 },
	[REPLAY_WITH] = { "with", SL_PARAM_TEXT, NULL, "FILE,FILE...",
		"further traces whose jobs join the replay, in any format; dates are aligned, else each begins at 0",
		0, 0 },
	[REPLAY_PROFILE] = { "profile", SL_PARAM_TEXT, NULL, NULL,
		"CSV file of rules: what jobs do while they run, where the trace does not say; see schedlab-models(7)",
		0, 0 },
	[REPLAY_LOAD_AFTER] = { "load_after", SL_PARAM_TEXT, NULL, NULL,
		"F@TIME: a further factor, on the arrival rate of what is submitted later than that", 0, 0 },
	[REPLAY_COOLDOWN] = { "cooldown", SL_PARAM_TIME, NULL, NULL,
		"jobs submitted so near the last submission, or later, are in no metric of jobs: they run while the "
		"machine empties",
		0, INT64_MAX / 4 },
	[REPLAY_METRICS] = { "metrics", SL_PARAM_CHOICE, NULL, "basic|field",
		"field: also those of schedlab list metrics field: area-weighted, backfilled and fair starts, waits by "
		"size and run time",
		0, 0 },
	[REPLAY_BEFORE] = { "before", SL_PARAM_TIME, NULL, NULL,
		"with start=recorded: jobs that ended so shortly before it are told to the policy, for fair shares and "
		"estimates",
		0, INT64_MAX / 4 },
	[REPLAY_FAIR_START] = { "fair_start", SL_PARAM_CHOICE, NULL, "order|policy",
		"with replay.metrics=field, when a job starts fairly: in the order of arrival without backfilling, or "
		"(a run a job, 4 million jobs in all at the most) under the same policy, nobody coming later",
		0, 0 },
};
const size_t replay_param_count = SL_LEN(replay_params);
_Static_assert(SL_LEN(replay_params) == REPLAY_COUNT, "a setting without its line");

/* `fill` alone was the composed policy's before there was replay.fill, and stays so. */
bool replay_is_bare(const char *key)
{
	for (int i = 0; i < REPLAY_COUNT; i++)
		if (i != REPLAY_FILL && strcmp(replay_params[i].key, key) == 0)
			return true;
	return false;
}
