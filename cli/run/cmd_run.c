/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_run.c - schedlab run: one trace, one policy, its summary and its files.
 *
 * The directory is claimed before the run, so that a refusal costs nothing, and
 * appears after it, whole.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/base/render.h"
#include "cli/base/selector.h"
#include "cli/run/calibration.h"
#include "cli/run/dry_run.h"
#include "cli/run/outdir.h"
#include "sim/run/engine.h"

static const struct option_def options[] = {
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY_ONE },
	{ OPTION_OUTPUT },
	{ OPTION_SET },
	{ OPTION_ROOT },
	{ OPTION_MODEL },
	{ OPTION_RUN_TIMES },
	{ OPTION_SEED },
	OPTIONS_OF_TRACE,
	{ "until", 0, "TIME", false, "stop there, after all that happens then; with -o: DIR/snapshot.json" },
	{ "snapshot", 0, "FILE", false, "with --until: where the run stopped, to go on from" },
	{ "from-snapshot", 0, "FILE", false, "replay to where that was made, compare, and go on" },
	{ "only", 0, "LIST", false,
		"write only these files: jobs, metrics, usage, reasons, calibration, snapshot, sacct, batsim (and run.json)" },
	{ OPTION_METRIC },
	{ "calibrate", 0, NULL, false,
		"compare starts and waits with those that the log records; with -o: calibration.csv" },
	{ "calibrate-with", 0, "LOG", false,
		"with --calibrate: a second log of the same jobs, to tell the model's errors from chance" },
	{ OPTION_STRICT },
	{ "check", 0, NULL, false, "check the invariants after every event, and each pass twice (slow)" },
	OPTIONS_OF_RUNS,
	{ "timing", 0, NULL, false, NULL },
};

/* CPU seconds of the stages and the peak of resident memory, for the benchmarks (--timing). */
struct timing {
	bool wanted;
	double since;
};

static double cpu_seconds(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void timing_stage(struct timing *timing, const char *stage)
{
	if (!timing->wanted)
		return;
	const double now = cpu_seconds();
	struct rusage usage;
	(void)getrusage(RUSAGE_SELF, &usage);
	talk("timing %s %.6f peak_kb %ld", stage, now - timing->since, usage.ru_maxrss);
	timing->since = now;
}

static int report_work(void *self, const char *const *column, const struct sl_figure *figure, size_t count)
{
	char line[400] = "timing work";
	size_t len = strlen(line);
	(void)self;
	for (size_t i = 0; i < count && len < sizeof(line); i++)
		len += (size_t)snprintf(
			line + len, sizeof(line) - len, " %s %.0f", column[i], figure[i].number);
	talk("%s", line);
	return SL_OK;
}

/* What the policy counted of its own work, if it did. */
static void timing_work(const struct timing *timing, const struct run *run)
{
	const struct sl_table_sink show = { NULL, report_work };
	struct sl_err ignored = { 0 };
	if (!timing->wanted || !run->sim.engine)
		return;
	struct sl_pass *pass = &run->sim.engine->sim;
	if (pass->policy->table)
		(void)pass->policy->table(pass->state, pass, pass->now, "work", &show, &ignored);
}

/* What a plug-in computes has no unit that we know. */
static void own_metrics(struct screen_table *table, const struct sl_metrics *metrics, const struct args *args)
{
	for (size_t i = metrics->own; i < metrics->count; i++) {
		char text[48];
		if (selected_is(args, metrics->row[i].name) || strchr(metrics->row[i].name, '{'))
			continue;
		screen_row(table, "lrl", metrics->row[i].name,
			summary_text(text, UNIT_NUMBER, metrics->row[i].micro), "");
	}
}

/* Of each gauge that was followed, its mean. */
static void gauge_metrics(
	struct screen_table *table, const struct sl_result *result, const struct sl_metrics *metrics)
{
	for (uint32_t i = 0; i < result->gauge_count; i++) {
		char name[200];
		char text[48];
		(void)snprintf(name, sizeof(name), "%.150s.mean", result->gauge[i].gauge->name);
		const int64_t *mean = metrics_get(metrics, name);
		if (mean)
			screen_row(table, "lrl", name, summary_text(text, UNIT_NUMBER, *mean), "");
	}
}

/* ---- --metric ----------------------------------------------------------------------------- */

/* Times in seconds, and as people read them. */
static void value_row(
	struct screen_table *table, const char *name, enum summary_unit unit, const int64_t *value)
{
	char text[48], seconds[48];
	const bool time = unit == UNIT_TIME && value;
	screen_cell(table, false, "%s", name);
	screen_cell(table, true, "%s%s",
		!value ? "none"
		: time ? screen_number(seconds, *value, 2)
		       : summary_text(text, unit, *value),
		time ? " s" : "");
	screen_cell(table, false, "%s", time ? summary_text(text, unit, *value) : "");
}

static int selected_print(struct screen_table *table, const struct sl_metrics *metrics,
	const struct args *args, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	for (size_t i = 0; !status && (text = arg_at(args, "metric", i)); i++) {
		const struct selector *selector;
		status = selector_parse(&selector, text, args->arena, err);
		if (!status)
			value_row(table, selector_text(selector), selector_unit(selector),
				metrics_get(metrics, selector_text(selector)));
	}
	return status;
}

/* What is there on request only: behind what every run has. */
static const struct summary_metric asked_metrics[] = {
	{ "jobs.left_out", NULL, UNIT_COUNT, 0 },
	{ "turnaround.area_weighted", NULL, UNIT_TIME, -1 },
	{ "slowdown.area_weighted", NULL, UNIT_NUMBER, -1 },
	{ "starts.backfilled", NULL, UNIT_SHARE, 0 },
	{ "starts.overtaking", NULL, UNIT_SHARE, 0 },
	{ "fair_start.late", NULL, UNIT_SHARE, -1 },
	{ "fair_start.miss.mean", NULL, UNIT_TIME, -1 },
	{ NULL, NULL, UNIT_COUNT, 0 },
};

static void lines_print(
	struct screen_table *table, const struct sl_metrics *metrics, const struct summary_metric *line)
{
	for (; line->name; line++) {
		const int64_t *value = metrics_get(metrics, line->name);
		if (value)
			value_row(table, line->name, line->unit, value);
	}
}

static int summary_print(
	const struct run *run, const struct sl_metrics *metrics, const struct args *args, struct sl_err *err)
{
	struct screen_table *table = screen_table_new(args->arena, 3);
	screen_row(table, "lrl", "policy", run->choice.text,
		run->sim.result.interrupted ? "interrupted: partial"
		: run->sim.result.stopped   ? "stopped: jobs wait or run"
					    : "");
	if (ties_reported(run))
		screen_row(table, "lrl", "ties", ties_reported(run), "");
	lines_print(table, metrics, summary_metrics);
	lines_print(table, metrics, asked_metrics);
	gauge_metrics(table, &run->sim.result, metrics);
	own_metrics(table, metrics, args);
	const int status = selected_print(table, metrics, args, err);
	screen_print(table, stdout);
	return status;
}

static int json_print(const struct sl_metrics *metrics, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	metrics_json(out, metrics);
	return sl_out_commit(out, err);
}

/* Beside the second log's starts, if one is given: it is read as the first is. */
static int print_calibration(const struct run *run, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "calibrate-with");
	struct scenario_options reading;
	struct scenario again = { 0 };
	struct settings settings;
	int status = path ? settings_from_args(&settings, args, err) : SL_OK;
	if (!status && path)
		status = scenario_options_from_args(
			&reading, args, arg(args, "cluster"), &settings, run->choice.implied, err);
	if (!status && path) {
		reading.trace = path;
		status = scenario_load(&again, &reading, err);
	}
	if (!status)
		status = calibration_print(&run->sim.result, path ? &again.jobs : NULL, args->arena, err);
	if (path)
		scenario_release(&again);
	return status;
}

static int cmd_run_report(
	const struct run *run, struct outdir *dir, const struct args *args, struct sl_err *err)
{
	const char *only = arg(args, "only");
	const bool wanted = only_has(only, "metrics");
	struct sl_metrics metrics;
	metrics_init(&metrics, args->arena, args->registry);
	/* Groups by user and size are for the file and for --json; the summary has none. */
	metrics.plain = !dir && !arg_flag(args, "json");
	int status = dir ? outdir_ahead(dir, run, only, err) : SL_OK;
	if (!status && wanted)
		status = metrics_compute(&metrics, &run->sim.result, err);
	if (!status && wanted)
		status = selected_put(&metrics, run->scenario, &run->sim.result, args, err);
	if (!status && dir)
		status = outdir_run(dir, NULL, run, wanted ? &metrics : NULL, only, err);
	if (!status && dir)
		status = outdir_commit(dir, err);
	else if (dir)
		outdir_abandon(dir);
	if (!status && wanted && arg_flag(args, "json"))
		status = json_print(&metrics, err);
	else if (!status && wanted)
		status = summary_print(run, &metrics, args, err);
	if (!status && run->sim.result.calibrate && !arg_flag(args, "json"))
		status = print_calibration(run, args, err);
	metrics_release(&metrics);
	return status;
}

static int claim(struct outdir **dir, const struct run *run, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "output");
	if (!path)
		return arg(args, "only")
			       ? sl_fail(err, SL_USAGE, "option '--only' is about files: give -o DIR too")
			       : SL_OK;
	const char *identity = run_identity(run, args->arena);
	if (!identity)
		return sl_fail_memory(err);
	if (arg_flag(args, "dry-run"))
		return outdir_check(path, identity, outdir_ways(args), err);
	return outdir_open(dir, path, identity, outdir_ways(args), err);
}

/* --dry-run: all that would be refused is. */
static int run_dry(const struct run *run, const struct args *args, struct sl_err *err)
{
	struct dry_run dry;
	struct outdir *none = NULL;
	int status = claim(&none, run, args, err);
	if (!status)
		status = dry_file_check(arg(args, "snapshot"), err);
	if (status)
		return status;
	dry_begin(&dry, args);
	dry_read(&dry, arg(args, "from-snapshot"));
	dry_add(&dry, run, NULL, NULL, 1);
	dry_write(&dry, arg(args, "output"));
	dry_write(&dry, arg(args, "snapshot"));
	return dry_end(&dry, err);
}

/* ---- replay.windows --------------------------------------------------------------------- */

struct windowed {
	struct windows windows;
	struct outdir *dir;
	const char *only;
};

static int window_finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	(void)slot;
	struct windowed *all = self;
	return windows_take(&all->windows, run, all->dir, NULL, all->only, err);
}

static int report_means(const struct windowed *all, const struct args *args, struct sl_err *err)
{
	struct sl_metrics means;
	metrics_init(&means, args->arena, NULL);
	int status = windows_means(&all->windows, &means, err);
	if (!status && all->dir)
		status = outdir_windows(all->dir, NULL, &all->windows, &means, all->only, err);
	if (!status && arg_flag(args, "json"))
		status = json_print(&means, err);
	else if (!status && only_has(all->only, "metrics"))
		status = summary_print(&all->windows.whole, &means, args, err);
	metrics_release(&means);
	return status;
}

static int run_windows(struct run *whole, const struct args *args, struct timing *timing, struct sl_err *err)
{
	const size_t count = whole->scenario->window_count;
	struct windowed all = { .only = arg(args, "only") };
	struct run *runs = sl_alloc(args->arena, count, sizeof(*runs));
	if (!runs)
		return sl_fail_memory(err);
	int status = claim(&all.dir, whole, args, err);
	if (status)
		return status;
	struct progress_bar *bar = NULL;
	status = windows_begin(&all.windows, whole, runs, args->arena, err);
	if (!status) {
		bar = progress_start(runs, count, args);
		status = runset_run(runs, count, 0, window_finished, &all, err);
		progress_stop(bar);
	}
	timing_stage(timing, "loop");
	if (!status || status == SL_INTERRUPTED) {
		struct sl_err report_err = { 0 };
		int reported = report_means(&all, args, &report_err);
		if (!reported && all.dir)
			reported = outdir_commit(all.dir, &report_err);
		else if (all.dir)
			outdir_abandon(all.dir);
		if (reported)
			*err = report_err;
		status = reported ? reported : status;
	} else if (all.dir) {
		outdir_abandon(all.dir);
	}
	timing_stage(timing, "write");
	windows_end(&all.windows);
	runset_release(runs, count);
	return status;
}

/* ---- One run --------------------------------------------------------------------------- */

/* Jobs that ran when the replay began, as the log says, but did not fit. */
static void talk_unfit(const struct run *run)
{
	const uint32_t unfit = run->sim.result.unfit;
	if (unfit)
		talk("%s: %u job%s ran at the beginning, by the log, and did not fit: %s",
			run->scenario->input.path, unfit, unfit == 1 ? "" : "s",
			unfit == 1 ? "it waited" : "they waited");
}

/* --snapshot's, and a word on how to go on. */
static int leave_snapshot(const struct run *run, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "snapshot");
	const char *dir = arg(args, "output");
	const int status = path ? snapshot_file(run, path, err) : SL_OK;
	if (status || !log_shows(LOG_INFO))
		return status;
	if (!path && dir && only_has(arg(args, "only"), "snapshot")) {
		char *inside = text_made(args->arena, "%s/" SNAPSHOT_FILE, dir);
		if (!inside)
			return sl_fail_memory(err);
		path = inside;
	}
	talk_stopped(run, path);
	return SL_OK;
}

static int run_scenario(struct run *run, const struct args *args, struct timing *timing, struct sl_err *err)
{
	struct outdir *dir = NULL;
	int status = claim(&dir, run, args, err);
	if (arg_flag(args, "calibrate"))
		run->options.record |= SIM_RECORD_PLACES;
	if (!status && dir)
		status = outdir_stream(dir, run, arg(args, "only"), err);
	if (status) {
		if (dir)
			outdir_abandon(dir);
		return status;
	}
	struct progress_bar *bar = progress_start(run, 1, args);
	status = runset_run(run, 1, 1, NULL, NULL, err);
	progress_stop(bar);
	timing_stage(timing, "loop");
	timing_work(timing, run);
	if (status && status != SL_INTERRUPTED) {
		if (dir)
			outdir_abandon(dir);
		return status;
	}
	const struct sl_result *result = &run->sim.result;
	run->sim.result.calibrate = arg_flag(args, "calibrate");
	log_line(LOG_DEBUG, "%llu events, %llu passes, digest %016llx", (unsigned long long)result->events,
		(unsigned long long)result->passes, (unsigned long long)result->digest);
	talk_unfit(run);
	talk_left(run);
	struct sl_err report_err = { 0 };
	int reported = cmd_run_report(run, dir, args, &report_err);
	if (!reported)
		reported = leave_snapshot(run, args, &report_err);
	timing_stage(timing, "write");
	if (!reported)
		return status;
	*err = report_err; /* Worse than an interruption: nothing was left. */
	return reported;
}

/* The run and its scenario, from the line or from a snapshot. */
static int cmd_run_prepare(struct run *run, struct scenario *scenario, struct settings *settings,
	const struct args *args, struct sl_err *err)
{
	const char *policy = arg(args, "policy");
	if (arg(args, "from-snapshot"))
		return resume_from_args(run, scenario, settings, args, err);
	if (!args->word_count)
		return sl_fail(
			err, SL_USAGE, "run: an operand is missing: schedlab %s", args->command->usage);
	int status = settings_from_args(settings, args, err);
	if (!status)
		status = run_from_args(run, policy ? policy : "easy", settings, args, err);
	if (!status)
		status = scenario_from_args(
			scenario, args, arg(args, "cluster"), settings, run->choice.implied, err);
	run->scenario = scenario;
	return status;
}

static int check_snapshot(const struct args *args, const struct scenario *scenario, struct sl_err *err)
{
	const char *only = arg(args, "only");
	const bool wanted = arg(args, "snapshot") || (only && only_has(only, "snapshot"));
	if (wanted && !scenario->bounded)
		return sl_fail(err, SL_USAGE,
			"a snapshot is of where a run stops: give --until TIME too, or leave out %s",
			arg(args, "snapshot") ? "--snapshot" : "'snapshot' in --only");
	return SL_OK;
}

/* Before a long run, not behind it. */
static int check_calibrate(const struct args *args, const struct scenario *scenario, struct sl_err *err)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	if (arg(args, "calibrate-with") && (!arg_flag(args, "calibrate") || arg(args, "from-snapshot")))
		return sl_fail(err, SL_USAGE,
			"--calibrate-with is a second log beside --calibrate's: give that, and a trace");
	if (!arg_flag(args, "calibrate"))
		return SL_OK;
	if (scenario->window_count)
		return sl_fail(err, SL_USAGE, "--calibrate is of one run: leave out replay.windows");
	for (uint32_t row = 0; row < jobs->count; row++)
		if ((jobs->wait_recorded && jobs->wait_recorded[row] != SL_NONE) ||
			(jobs->more_of && jobs->more_of[row] &&
				jobs->more[jobs->more_of[row]].start_recorded != SL_NONE))
			return SL_OK;
	return sl_fail(err, SL_INPUT,
		"%s: the log records no starts, so there is nothing to compare with: leave out --calibrate",
		scenario->input.path);
}

static int run_command(const struct args *args, struct sl_err *err)
{
	struct timing timing = { arg_flag(args, "timing"), cpu_seconds() };
	struct settings settings;
	struct scenario scenario = { 0 };
	struct run run = { 0 };
	int status = cmd_run_prepare(&run, &scenario, &settings, args, err);
	if (!status)
		status = settings_check_used(&settings, &run.choice, 1, err);
	if (!status)
		status = check_snapshot(args, &scenario, err);
	if (!status)
		status = check_calibrate(args, &scenario, err);
	if (!status)
		status = selected_check(&scenario, args, err);
	if (!status) {
		if (log_shows(LOG_INFO)) {
			talk_compat(&run);
			talk_read(&scenario);
		}
		talk_anomalies(&scenario);
		timing_stage(&timing, "read");
		if (arg_flag(args, "dry-run"))
			status = run_dry(&run, args, err);
		else
			status = scenario.window_count ? run_windows(&run, args, &timing, err)
						       : run_scenario(&run, args, &timing, err);
	}
	runset_release(&run, 1);
	scenario_release(&scenario);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.usage = "run TRACE [options]",
	.summary = "replay a trace under one policy",
	.detail = "TRACE is a job log in the standard workload format, plain or compressed; '-' is stdin.\n"
		  "Without -p the policy is easy; without -o nothing is written and the summary is printed.\n"
		  "\n"
		  "examples:\n"
		  "  schedlab run log.swf.gz\n"
		  "  schedlab run log.swf -p easy:fill=shortest -o out\n"
		  "  schedlab run log.swf -p conservative --set replay.load=1.2 --json\n"
		  "  schedlab run sacct.txt -c /etc/slurm -p slurm --calibrate\n"
		  "  schedlab run log.swf --until 3d -o out\n"
		  "  schedlab run --from-snapshot out/snapshot.json -p conservative\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_max = 1, /* None with --from-snapshot. */
	.run = run_command,
};
