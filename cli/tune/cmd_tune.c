/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_tune.c - schedlab tune: which settings?
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/dry_run.h"
#include "cli/tune/tune.h"

static const struct option_def options[] = {
	{ "output", 'o', "DIR", false,
		"runs that are done, the change and a page go there: the same command goes on from them" },
	{ "vary", 0, "KEY=RANGE", true,
		"what may move: 'policy.order=fcfs,sjf', 'slurm.conf:SchedulerParameters/bf_window=60..2880:60', see schedlab-tune(1)" },
	{ "link", 0, "SUM", true,
		"keys of --vary of which the values add up: 'projects.yaml:a/quota+projects.yaml:b/quota=12'" },
	{ "minimize", 0, "SELECTOR", true,
		"what is wanted: 'wait.p95{gpus>=8}', see schedlab-metrics(7); several: a front" },
	{ "maximize", 0, "SELECTOR", true, "likewise, of what should be more" },
	{ "require", 0, "BOUND", true,
		"what must hold: 'jain.share >= 0.8', 'utilization no less than today'" },
	{ "spec", 0, "FILE", false, "options from a file, see schedlab-tune(5)" },
	{ "span", 0, "TIME", false,
		"the log is cut into spans so long; default: weeks, if there are 24, else 32 spans" },
	{ "spans", 0, "N", false, "or into so many: the first half is tuned on, the others judge" },
	{ "warm-up", 0, "TIME", false,
		"each span begins so much earlier, with jobs that do not count; default: none" },
	{ "runs", 0, "N", false, "simulate no more than N times the spans tuned on; default 64" },
	{ "every", 0, NULL, false, "no search: every combination, on all spans tuned on" },
	{ "search-seed", 0, "N", false, "of the search alone; default 1" },
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY_ONE },
	{ OPTION_SET },
	{ OPTION_MODEL },
	{ OPTION_SEED },
	{ "seeds", 0, "N", false,
		"each span with N seeds, --seed and those after it, where something is drawn: metrics are means over them; default 1" },
	{ OPTION_THREADS },
	OPTIONS_OF_TRACE,
	OPTIONS_OF_RUNS,
};

static int dir_make(struct tune *tune, struct sl_err *err)
{
	tune->dir = arg(tune->args, "output");
	if (!tune->dir)
		return sl_fail(err, SL_USAGE,
			"tune: where? give -o DIR: each run is kept there, so that the same command goes on");
	if (arg_flag(tune->args, "dry-run"))
		return SL_OK;
	const char *points = text_made(tune->arena, "%s/points", tune->dir);
	if (!points)
		return sl_fail_memory(err);
	if (mkdir(tune->dir, 0777) != 0 && errno != EEXIST)
		return sl_fail_sys(err, SL_SYSTEM, "make", tune->dir);
	if (errno == EEXIST && access(points, F_OK) != 0 && !arg_flag(tune->args, "force") &&
		rmdir(tune->dir) != 0)
		return sl_fail(err, SL_USAGE,
			"'%s' holds something that is no tune: name another directory, or --force",
			tune->dir);
	return mkdir(tune->dir, 0777) == 0 || errno == EEXIST
		       ? SL_OK
		       : sl_fail_sys(err, SL_SYSTEM, "make", tune->dir);
}

static int tune_dry(const struct tune *tune, struct sl_err *err)
{
	struct dry_run dry;
	const uint64_t points = tune_settings(&tune->problem);
	dry_begin(&dry, tune->args);
	dry_read(&dry, tune->trace);
	dry_read(&dry, tune->cluster);
	dry_count(&dry, "settings", "settings that there are", points);
	dry_count(&dry, "runs", "runs of one span, at most",
		tune->seeds * (tune->problem.every ? points * tune->problem.spans
						   : tune->problem.budget +
							     tune->problem.axes * tune->problem.spans));
	dry_write(&dry, tune->dir);
	return dry_end(&dry, err);
}

static int tune_command(const struct args *line, struct sl_err *err)
{
	struct args args = *line;
	struct tune tune = { .args = &args, .arena = args.arena };
	int status = arg(&args, "spec") ? tune_spec_take(&args, arg(&args, "spec"), err) : SL_OK;
	if (!status && !args.word_count)
		status = sl_fail(
			err, SL_USAGE, "tune: which log? schedlab tune TRACE, or --spec FILE with 'trace'");
	if (!status)
		status = tune_open(&tune, err);
	if (!status)
		status = dir_make(&tune, err);
	if (!status && arg_flag(&args, "dry-run"))
		status = tune_dry(&tune, err);
	else if (!status)
		status = tune_go(&tune, err);
	if (!status && !arg_flag(&args, "dry-run")) {
		status = tune_files_write(&tune, err);
		if (!status)
			status = arg_flag(&args, "json") ? tune_json(&tune, err) : tune_print(&tune, err);
	}
	tune_close(&tune);
	return status;
}

const struct command cmd_tune = {
	.name = "tune",
	.usage = "tune TRACE --vary KEY=RANGE --minimize METRIC -o DIR [options] | tune --spec FILE -o DIR",
	.summary = "which settings? searched on some weeks of a log, judged on others",
	.detail =
		"What may move is a setting, the policy, or a value of your own slurm.conf, manifests or projects. The search looks at\n"
		"the first half of the log alone; the best that it finds is then held against today's settings on the other half, with\n"
		"an interval. 'No better than today' is an answer. What is better comes as a patch of your files.\n"
		"\n"
		"examples:\n"
		"  schedlab tune log.swf -p easy --vary policy.order=fcfs,sjf,wfp3 --minimize wait.p95 -o tuned\n"
		"  schedlab tune log.swf -p easy --vary policy.order=fcfs,sjf --minimize wait.mean --require 'jain.share >= 0.5' -o tuned\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 0,
	.words_max = 1,
	.run = tune_command,
};
