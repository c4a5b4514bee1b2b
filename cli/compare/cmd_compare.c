/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_compare.c - schedlab compare: one row a policy, from runs made now or from directories of runs.
 *
 * Rows are in the order of the line, whatever the threads did. The best value is found on the exact numbers,
 * not on what the table rounds them to.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"
#include "cli/run/dry_run.h"
#include "cli/run/run_find.h"

static const struct option_def options[] = {
	{ OPTION_CLUSTERS },
	{ OPTION_POLICY },
	{ OPTION_OUTPUT },
	{ OPTION_THREADS },
	{ OPTION_SET },
	{ OPTION_ROOT },
	{ OPTION_MODEL },
	{ OPTION_RUN_TIMES },
	{ OPTION_SEED },
	{ OPTION_REPS },
	{ OPTION_BLOCKS },
	{ OPTION_METRIC },
	OPTIONS_OF_TRACE,
	{ OPTION_STRICT },
	{ "no-report", 0, NULL, false, "with -o: leave out DIR/report.html" },
	{ "check", 0, NULL, false, "check the invariants after every event, and each pass twice (slow)" },
	OPTIONS_OF_RUNS,
};

/* ---- Runs made now -------------------------------------------------------------------- */

/* One window's run of a row is over; with the last, the row is. */
static int window_finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	struct comparison *all = self;
	struct compared_row *row = &all->row[slot / all->each];
	struct windows *windows = &all->windows[slot / all->each];
	char sub[96];
	(void)snprintf(sub, sizeof(sub), "%zu-%s", slot / all->each + 1, run->choice.slug);
	int status = windows_take(windows, run, all->dir, sub, NULL, &all->failure);
	if (!status && windows->count == all->each) {
		row->partial = windows->whole.sim.result.interrupted;
		status = windows_means(windows, &row->metrics, &all->failure);
		if (!status && all->dir)
			status = outdir_windows(all->dir, sub, windows, &row->metrics, NULL, &all->failure);
	}
	return status ? sl_fail(err, status, "%s", all->failure.text) : SL_OK;
}

/* The documents that are written get each run as soon as it is over. */
static int report_open(struct comparison *all, struct run *runs, struct sl_err *err)
{
	const struct sl_document_options wanted = {
		.jobs_max = REPORTING_JOBS, .chart = all->chart, .runs = (uint32_t)all->count
	};
	if (!arg(all->args, "output") || arg_flag(all->args, "no-report") || all->windows) {
		all->document = NULL;
		return SL_OK;
	}
	for (size_t i = 0; i < all->count; i++)
		runs[i].options.record |= REPORTING_RECORD;
	if (!all->document)
		all->document = sl_by_name(all->args->registry->known.documents, "html");
	return all->document ? all->document->open(&all->report, &wanted, err) : SL_OK;
}

static int report_write(const struct comparison *all, struct sl_err *err)
{
	struct sl_compared compared = all->reported;
	struct sl_out *out;
	if (!all->document)
		return SL_OK;
	const char **label = sl_alloc(all->args->arena, all->count, sizeof(*label));
	for (size_t i = 0; label && i < all->count; i++)
		label[i] = all->row[i].label;
	compared.metric_info = differences_metric_info(all->differences, &compared.metric_info_count);
	compared.title = label && compared.metric_info
				 ? reporting_title(all->args->word[0], label, all->count, all->args->arena)
				 : NULL;
	if (!compared.title)
		return sl_fail_memory(err);
	int status = outdir_file(all->dir, all->document->file, &out, err);
	if (status)
		return status;
	status = all->document->write(all->report, &compared, out, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

/* A row whose run is over: what was made of it on the run's own thread, with memory of its own, until its
 * turn comes. */
struct row_over {
	struct sl_arena *arena;
	struct args args; /* The command's, in that arena. */
	char sub[96];     /* Its folder. */
	struct series *series;
	void *part; /* Of the report. */
	struct sl_err err;
};

/* Hooks look at them, or metrics that are computed anew over the jobs that ran in all rows. */
static bool results_stay(const struct comparison *all)
{
	return (all->self && !all->lean) || arg(all->args, "metric") ||
	       (all->document && !all->document->part);
}

static int report_part(
	struct comparison *all, struct row_over *over, const struct run *run, const struct compared_row *row)
{
	struct sl_document_run reported;
	if (!all->document || !all->document->part)
		return SL_OK;
	const int status =
		reporting_make(&reported, run, &row->metrics, row->label, over->sub, over->arena, &over->err);
	return status ? status : all->document->part(all->report, &reported, &over->part, &over->err);
}

/* On the run's thread: its row, its files and its part of the report, while its columns are there. */
static void run_over(void *self, struct run *run, size_t slot)
{
	struct comparison *all = self;
	struct compared_row *row = &all->row[slot];
	struct row_over *over = &all->over[slot];
	struct sl_err *err = &over->err;
	row->digest = run->sim.result.digest;
	row->metrics.arena = over->arena;
	row->metrics.plain = !all->dir && !all->labels && !arg_flag(all->args, "json");
	int status = metrics_compute(&row->metrics, &run->sim.result, err);
	if (!status)
		status = selected_put(&row->metrics, run->scenario, &run->sim.result, &over->args, err);
	if (!status && all->dir)
		status = outdir_run_in(all->dir, over->sub, run, &row->metrics, NULL, err);
	if (!status)
		status = report_part(all, over, run, row);
	if (!status && !results_stay(all))
		sim_forget(&run->sim);
	if (!status && all->count > 1)
		over->series = differences_prepare(&run->sim.result, &row->metrics, err);
}

static int report_join(
	struct comparison *all, struct row_over *over, const struct run *run, const struct compared_row *row)
{
	struct sl_document_run reported;
	struct sl_err *err = &over->err;
	void *part = over->part;
	over->part = NULL;
	if (!all->document)
		return SL_OK;
	if (part)
		return all->document->join(all->report, part, err);
	const int status =
		reporting_make(&reported, run, &row->metrics, row->label, over->sub, over->arena, err);
	return status ? status : all->document->add(all->report, &reported, err);
}

static bool all_started(const struct sl_result *result)
{
	for (uint32_t row = 0; row < result->jobs->count; row++)
		if (result->start[row] == SL_NONE)
			return false;
	return true;
}

/* Then, in the order of the rows. The result of a run in which every job started goes: only where some did
 * not in another is it looked at again, and made again. */
static int run_finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	talk_left(run);
	struct comparison *all = self;
	struct row_over *over = &all->over[slot];
	struct series *series = over->series;
	int status = over->err.status;
	over->series = NULL;
	all->row[slot].partial = run->sim.result.interrupted;
	if (!status && series)
		status = differences_add(all->differences, slot, series, &over->err);
	else
		differences_drop(series);
	if (!status)
		status = report_join(all, over, run, &all->row[slot]);
	const bool stays = all->lean ? arg(all->args, "metric") != NULL : results_stay(all);
	if (!status && !stays && all_started(&run->sim.result))
		sim_release(&run->sim);
	if (!status)
		return SL_OK;
	all->failure = over->err;
	return sl_fail(err, status, "%s", all->failure.text);
}

static int rows_begin(struct comparison *all, const struct run *runs, struct sl_err *err)
{
	all->over = sl_alloc(all->args->arena, all->count, sizeof(*all->over));
	if (!all->over)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++) {
		struct row_over *over = &all->over[i];
		over->arena = sl_arena_new();
		over->args = *all->args;
		over->args.arena = over->arena;
		(void)snprintf(over->sub, sizeof(over->sub), "%zu-%s", i + 1, runs[i].choice.slug);
		if (!over->arena)
			return sl_fail_memory(err);
		const int status = all->dir ? outdir_sub(all->dir, over->sub, err) : SL_OK;
		if (status)
			return status;
	}
	return SL_OK;
}

void compare_end(struct comparison *all)
{
	for (size_t i = 0; all->row && i < all->count; i++)
		metrics_release(&all->row[i].metrics);
	for (size_t i = 0; all->over && i < all->count; i++) {
		struct row_over *over = &all->over[i];
		differences_drop(over->series);
		if (over->part)
			all->document->drop(over->part);
		sl_arena_free(over->arena);
	}
	differences_free(all->differences);
	if (all->report)
		all->document->close(all->report);
}

/* The directory's identity is that of its runs, in order. */
static int claim(struct comparison *all, const struct run *runs, struct sl_err *err)
{
	const char *path = arg(all->args, "output");
	struct sl_arena *arena = all->args->arena;
	const char *reps = arg(all->args, "reps");
	const char *blocks = arg(all->args, "blocks");
	const char *identity = "";
	if (!path)
		return SL_OK;
	for (size_t i = 0; i < all->count && identity; i++) {
		const char *text = run_identity(&runs[i], arena);
		identity = text ? text_made(arena, "%s%s\n", identity, text) : NULL;
	}
	if (identity && reps)
		identity = text_made(arena, "%sreps=%s\n", identity, reps);
	if (identity && blocks)
		identity = text_made(arena, "%sblocks=%s\n", identity, blocks);
	for (size_t i = 1; all->log && i < all->each && identity; i++)
		identity = text_made(arena, "%slog=%s\n", identity, all->log[i]);
	if (!identity)
		return sl_fail_memory(err);
	if (arg_flag(all->args, "dry-run"))
		return outdir_check(path, identity, outdir_ways(all->args), err);
	const int status = outdir_open(&all->dir, path, identity, outdir_ways(all->args), err);
	if (!status)
		samples_record(all->dir, all);
	return status;
}

static int compare_dry(struct comparison *all, const struct run *runs, size_t seeds, struct sl_err *err)
{
	struct dry_run dry;
	const char *path = arg(all->args, "output");
	dry_begin(&dry, all->args);
	for (size_t i = 0; i < all->count; i++)
		dry_add(&dry, &runs[i], all->named ? all->row[i].label : NULL,
			all->named ? all->named(all->self, i) : NULL, seeds);
	dry_write(&dry, path);
	return dry_end(&dry, err);
}

static const struct sl_metrics *sample_of_pair(void *self, size_t run, size_t i)
{
	const struct compared_pair *pair = self;
	const struct comparison *all = pair->all;
	const size_t row = run ? pair->b : pair->a;
	return all->windows ? &all->windows[row].done[i].metrics
			    : &all->replication[i * all->count + row].metrics;
}

static const struct sl_metrics *displayed_of_pair(void *self, size_t run)
{
	const struct compared_pair *pair = self;
	return &pair->all->row[run ? pair->b : pair->a].metrics;
}

int compare_between(struct compared_pair *pair, struct sl_difference *said, struct sl_certainty *certainty,
	bool *found, struct sl_err *err)
{
	const struct comparison *all = pair->all;
	*found = false;
	if (!all->replication && !all->windows)
		return differences_between(
			all->differences, pair->a, pair->b, pair->metric, said, certainty, found, err);
	struct differences *two = differences_new(all->args->arena);
	if (!two)
		return sl_fail_memory(err);
	const struct difference_samples samples = { 2, all->each, sample_of_pair, displayed_of_pair, pair,
		"samples", all->windows != NULL, all->samples_apart };
	const int status = differences_samples(two, &samples, err);
	const struct sl_compared reported = differences_reported(two);
	for (size_t i = 0; i < reported.difference_count && !status && !*found; i++) {
		*found = strcmp(reported.difference[i].metric, pair->metric) == 0;
		if (!*found)
			continue;
		*said = reported.difference[i];
		*certainty = reported.certainty[i];
	}
	differences_free(two);
	return status;
}

static const struct sl_metrics *window_of(void *self, size_t run, size_t i)
{
	const struct comparison *all = self;
	return &all->windows[run].done[i].metrics;
}

static const struct sl_metrics *displayed_of(void *self, size_t run)
{
	const struct comparison *all = self;
	return &all->row[run].metrics;
}

static int differences_report(struct comparison *all, struct sl_err *err)
{
	int status = SL_OK;
	bool partial = false;
	for (size_t i = 0; i < all->count; i++)
		partial |= all->row[i].partial;
	const struct difference_samples samples = { all->count, all->each, window_of, displayed_of, all,
		"windows, each a run from empty", true, false };
	if (all->windows && !partial)
		compare_samples_resource(all);
	if (all->windows && !partial)
		status = differences_samples(all->differences, &samples, err);
	if (!status && !all->windows && !partial)
		status = differences_finish(all->differences, err);
	return status ? status : compare_report(all, err);
}

static int cmd_compare_finish(struct comparison *all, struct sl_err *err)
{
	int status = differences_report(all, err);
	if (!status && all->dir)
		status = compare_files(all, err);
	if (!status && all->dir && all->files)
		status = all->files(all, all->self, err);
	if (!status)
		status = report_write(all, err);
	if (all->dir && !status)
		status = outdir_commit(all->dir, err);
	else if (all->dir)
		outdir_abandon(all->dir);
	if (!status && all->document && log_shows(LOG_INFO))
		log_line(LOG_INFO, "the report: %s/%s", arg(all->args, "output"), all->document->file);
	return status ? status : compare_show(all, err);
}

/* --blocks: week, day, or so many. */
static int blocks_from_args(struct comparison *all, struct sl_err *err)
{
	const char *text = arg(all->args, "blocks");
	if (!text)
		return SL_OK;
	if (all->windows || arg(all->args, "reps"))
		return sl_fail(err, SL_USAGE,
			"--blocks cuts one run into samples: leave out %s, which has several runs be samples",
			all->windows ? "replay.windows" : "--reps");
	return samples_cut(all->differences, text, err);
}

/* One run a row, or one a window of it. */
static int runs_once(struct comparison *all, struct run *runs, unsigned threads, struct sl_err *err)
{
	const size_t count = all->count * all->each;
	struct run *single = all->windows ? sl_alloc(all->args->arena, count, sizeof(*single)) : runs;
	int status = single ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; all->windows && !status && i < all->count; i++)
		status = windows_begin(
			&all->windows[i], &runs[i], single + i * all->each, all->args->arena, err);
	if (!status && !all->windows)
		status = rows_begin(all, runs, err);
	if (!status) {
		const struct run_ends ends = { all->windows ? NULL : run_over,
			all->windows ? window_finished : run_finished, all };
		struct progress_bar *bar = progress_start(single, count, all->args);
		status = runset_run_to(single, count, threads, &ends, err);
		progress_stop(bar);
	}
	if (all->windows && single)
		runset_release(single, count); /* Those that failed. */
	return status;
}

int compare_runs(struct comparison *all, struct run *runs, struct replications *repeated, struct sl_err *err)
{
	uint64_t threads = 1;
	int status = arg_u64(all->args, "threads", 0, 1, 4096, &threads, err);
	differences_on_threads(all->differences, runset_threads((unsigned)threads, all->count));
	all->column = selected_columns(all->args, err);
	if (!status && !all->column)
		status = err->status;
	if (!status)
		status = selected_check(runs[0].scenario, all->args, err);
	if (!status)
		status = blocks_from_args(all, err);
	if (!status && !repeated && !arg_flag(all->args, "dry-run"))
		status = report_open(all, runs, err);
	else
		all->document = NULL;
	if (!status)
		status = claim(all, runs, err);
	if (!status && arg_flag(all->args, "dry-run"))
		return compare_dry(all, runs, repeated ? all->each : 1, err);
	if (status)
		return status;
	if (repeated) {
		repeated->threads = (unsigned)threads;
		status = compare_replications(repeated, err);
	} else {
		all->run = all->windows ? NULL : runs;
		status = runs_once(all, runs, (unsigned)threads, err);
	}
	if (all->failure.status || (status && status != SL_INTERRUPTED)) {
		if (all->dir)
			outdir_abandon(all->dir);
	} else {
		(void)cmd_compare_finish(all, &all->failure);
	}
	if (!all->failure.status)
		return status;
	*err = all->failure;
	return err->status;
}

/* The policies of the line, or the classic three. */
static size_t policies_given(const struct args *args, const char **policy)
{
	static const char *const classic[] = { "fcfs", "easy", "conservative" };
	size_t count = 0;
	while ((policy[count] = arg_at(args, "policy", count)))
		count++;
	if (count)
		return count;
	for (; count < SL_LEN(classic); count++)
		policy[count] = classic[count];
	if (log_shows(LOG_INFO))
		log_line(LOG_INFO, "no -p: comparing fcfs, easy and conservative");
	return count;
}

/* A scenario for each cluster and each different set of settings that policies imply. */
struct replicas {
	struct scenario *scenario;        /* In use: up to count. */
	const char **implied, **cluster;  /* "": none. */
	size_t count, clusters, policies; /* Clusters: at least one, which may be none. */
	const char **policy;
	struct settings settings;
};

/* The i-th row is of this cluster (NULL: as the trace says): all policies on the first, then on the next. */
static const char *cluster_of(const struct replicas *replicas, const struct args *args, size_t row)
{
	return arg_at(args, "cluster", row / replicas->policies);
}

static const struct scenario *replica_for(struct replicas *replicas, const char *cluster, const char *implied,
	const struct args *args, struct sl_err *err)
{
	for (size_t i = 0; i < replicas->count; i++)
		if (strcmp(replicas->implied[i], implied ? implied : "") == 0 &&
			strcmp(replicas->cluster[i], cluster ? cluster : "") == 0)
			return &replicas->scenario[i];
	if (replicas->count && strcmp(args->word[0], "-") == 0) {
		(void)sl_fail(err, SL_USAGE,
			"several clusters, and policies that imply settings of the replay, have the trace read "
			"again: give a file, not '-'");
		return NULL;
	}
	struct scenario *scenario = &replicas->scenario[replicas->count];
	if (scenario_from_args(scenario, args, cluster, &replicas->settings, implied, err))
		return NULL;
	replicas->cluster[replicas->count] = cluster ? cluster : "";
	replicas->implied[replicas->count++] = implied ? implied : "";
	if (log_shows(LOG_INFO))
		talk_read(scenario);
	talk_anomalies(scenario);
	return scenario;
}

/* ---- With several seeds ---------------------------------------------------------------------- */

/* What is read by the seed (replay.fill) is read anew for each. */
struct seeded {
	struct replicas *replicas;
	const struct run *row;
	const struct args *args;
	struct scenario **more; /* By scenario, then by seed; NULL: not read. */
	size_t seeds;
	const struct args *log; /* Of several traces: the command as if each were the only one; or NULL. */
};

static const struct scenario *replica_of_seed(void *self, size_t row, size_t seed, struct sl_err *err)
{
	struct seeded *seeded = self;
	const struct scenario *first = seeded->row[row].scenario;
	if ((!first->filled && !seeded->log) || !seed)
		return first;
	const size_t replica = (size_t)(first - seeded->replicas->scenario);
	struct scenario **more = &seeded->more[replica * seeded->seeds + seed];
	if (*more)
		return *more;
	*more = sl_alloc(seeded->args->arena, 1, sizeof(**more));
	if (!*more) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	struct scenario_options wanted;
	const char *cluster = cluster_of(seeded->replicas, seeded->args, row);
	int status = scenario_options_from_args(&wanted, seeded->log ? &seeded->log[seed] : seeded->args,
		cluster, &seeded->replicas->settings, seeded->row[row].choice.implied, err);
	wanted.seed += seeded->log ? 0 : seed;
	if (!status)
		status = scenario_load(*more, &wanted, err);
	if (!status && seeded->log)
		talk_log(*more);
	return status ? NULL : *more;
}

int compare_repeat(
	struct comparison *all, struct run *runs, struct replications *repeated, struct sl_err *err)
{
	uint64_t reps;
	if (all->windows)
		return sl_fail(err, SL_USAGE,
			"--reps runs a trace with several seeds: leave out replay.windows, whose runs are samples already");
	int status = arg_u64(all->args, "reps", 2, 2, 1000, &reps, err);
	if (status)
		return status;
	all->each = reps;
	status = compare_runs(all, runs, repeated, err);
	for (size_t i = 0; all->replication && i < all->each * all->count; i++)
		metrics_release(&all->replication[i].metrics);
	return status;
}

static int seeds_release(struct seeded *seeded, int status)
{
	for (size_t i = 0; seeded->more && i < seeded->replicas->count * seeded->seeds; i++)
		if (seeded->more[i])
			scenario_release(seeded->more[i]);
	return status;
}

/* Several traces: each row runs over each, and a trace is a sample. */
static int runs_of_logs(
	struct comparison *all, struct run *runs, struct replicas *replicas, struct sl_err *err)
{
	struct seeded seeded = {
		.replicas = replicas, .row = runs, .args = all->args, .seeds = all->args->word_count
	};
	if (all->windows || arg(all->args, "reps") || arg(all->args, "blocks"))
		return sl_fail(err, SL_USAGE,
			"of several traces each is a sample: leave out --reps, --blocks and replay.windows, which "
			"make samples of one");
	struct args *log = sl_alloc(all->args->arena, seeded.seeds, sizeof(*log));
	seeded.more = sl_alloc(all->args->arena, replicas->count * seeded.seeds, sizeof(struct scenario *));
	if (!log || !seeded.more)
		return sl_fail_memory(err);
	for (size_t i = 0; i < seeded.seeds; i++) {
		log[i] = *all->args;
		log[i].word = all->args->word + i;
		log[i].word_count = 1;
	}
	int status = samples_logs(all, err);
	if (status)
		return status;
	seeded.log = log;
	all->log = all->args->word;
	all->each = seeded.seeds;
	struct replications repeated = {
		.all = all, .row = runs, .replica = replica_of_seed, .self = &seeded
	};
	status = compare_runs(all, runs, &repeated, err);
	for (size_t i = 0; all->replication && i < all->each * all->count; i++)
		metrics_release(&all->replication[i].metrics);
	return seeds_release(&seeded, status);
}

static int runs_repeat(
	struct comparison *all, struct run *runs, struct replicas *replicas, struct sl_err *err)
{
	uint64_t reps;
	struct seeded seeded = { .replicas = replicas, .row = runs, .args = all->args };
	if (strcmp(all->args->word[0], "-") == 0 && runs[0].scenario->filled)
		return sl_fail(
			err, SL_USAGE, "--reps has the trace read again for each seed: give a file, not '-'");
	int status = arg_u64(all->args, "reps", 2, 2, 1000, &reps, err);
	if (status)
		return status;
	seeded.seeds = reps;
	seeded.more = sl_alloc(all->args->arena, replicas->count * reps, sizeof(struct scenario *));
	if (!seeded.more)
		return sl_fail_memory(err);
	struct replications repeated = {
		.all = all, .row = runs, .replica = replica_of_seed, .self = &seeded
	};
	return seeds_release(&seeded, compare_repeat(all, runs, &repeated, err));
}

int compare_row_begin(struct compared_row *row, const struct run *run, const char *label, const char *cluster,
	const struct args *args)
{
	const char *cpus = text_made(
		args->arena, "%s", amount_of(run->scenario->cpus, run->scenario->cluster.cpu_parts).text);
	if (!label || !cpus)
		return SL_SYSTEM;
	*row = (struct compared_row){
		.label = label, .policy = run->choice.text, .cluster = cluster ? cluster : cpus
	};
	metrics_init(&row->metrics, args->arena, args->registry);
	return SL_OK;
}

static int runs_prepare(
	struct comparison *all, struct run *runs, struct replicas *replicas, struct sl_err *err)
{
	const struct args *args = all->args;
	struct policy_choice *choices = sl_alloc(args->arena, all->count, sizeof(*choices));
	if (!choices)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++) {
		const char *policy = replicas->policy[i % replicas->policies];
		const int status = run_from_args(&runs[i], policy, &replicas->settings, args, err);
		if (status)
			return status;
		choices[i] = runs[i].choice;
	}
	for (size_t i = 0; i < all->count; i++) {
		const char *cluster = cluster_of(replicas, args, i);
		runs[i].scenario = replica_for(replicas, cluster, runs[i].choice.implied, args, err);
		if (!runs[i].scenario)
			return err->status;
		if (log_shows(LOG_INFO))
			talk_compat(&runs[i]);
		const char *label =
			reporting_label(&runs[i], replicas->clusters > 1 ? cluster : NULL, args->arena);
		if (compare_row_begin(&all->row[i], &runs[i], label, cluster, args))
			return sl_fail_memory(err);
	}
	all->each = 1;
	if (runs[0].scenario->window_count) {
		all->each = runs[0].scenario->window_count;
		all->windows = sl_alloc(args->arena, all->count, sizeof(*all->windows));
		if (!all->windows)
			return sl_fail_memory(err);
	}
	return settings_check_used(&replicas->settings, choices, all->count, err);
}

static int replicas_make(struct replicas *replicas, const struct args *args, struct sl_err *err)
{
	replicas->policy = sl_alloc(args->arena, args->given_count + 4, sizeof(*replicas->policy));
	if (!replicas->policy)
		return sl_fail_memory(err);
	replicas->policies = policies_given(args, replicas->policy);
	while (arg_at(args, "cluster", replicas->clusters))
		replicas->clusters++;
	if (!replicas->clusters)
		replicas->clusters = 1;
	const size_t most = replicas->policies * replicas->clusters;
	replicas->scenario = sl_alloc(args->arena, most, sizeof(*replicas->scenario));
	replicas->implied = sl_alloc(args->arena, most, sizeof(*replicas->implied));
	replicas->cluster = sl_alloc(args->arena, most, sizeof(*replicas->cluster));
	if (!replicas->scenario || !replicas->implied || !replicas->cluster)
		return sl_fail_memory(err);
	return settings_from_args(&replicas->settings, args, err);
}

int compare_traces(struct comparison *all, struct sl_err *err)
{
	const struct args *args = all->args;
	struct replicas replicas = { 0 };
	int status = replicas_make(&replicas, args, err);
	if (status)
		return status;
	all->count = replicas.policies * replicas.clusters;
	all->row = sl_alloc(args->arena, all->count, sizeof(*all->row));
	struct run *runs = sl_alloc(args->arena, all->count, sizeof(*runs));
	if (!all->row || !runs)
		return sl_fail_memory(err);
	all->differences = differences_new(args->arena);
	if (!all->differences)
		return sl_fail_memory(err);
	status = runs_prepare(all, runs, &replicas, err);
	if (!status)
		status = args->word_count > 1 ? runs_of_logs(all, runs, &replicas, err)
			 : arg(args, "reps")  ? runs_repeat(all, runs, &replicas, err)
					      : compare_runs(all, runs, NULL, err);
	if (!all->windows)
		runset_release(runs, all->count);
	for (size_t i = 0; all->windows && i < all->count; i++)
		windows_end(&all->windows[i]);
	for (size_t i = 0; i < replicas.count; i++)
		scenario_release(&replicas.scenario[i]);
	return status;
}

/* A file is a trace, a directory a run or several; what is not there may name one of several by its policy.
 */
static void count_words(const struct args *args, size_t *files, size_t *directories)
{
	struct stat info;
	for (size_t i = 0; i < args->word_count; i++) {
		const bool there = stat(args->word[i], &info) == 0;
		*directories += there && S_ISDIR(info.st_mode);
		*files += there ? !S_ISDIR(info.st_mode) : strcmp(args->word[i], "-") == 0;
	}
}

static int compare_command(const struct args *args, struct sl_err *err)
{
	struct comparison all = { .args = args };
	int status;
	size_t files = 0;
	size_t directories = 0;
	count_words(args, &files, &directories);
	if (!directories && (files || args->word_count == 1))
		status = compare_traces(&all, err);
	else if (files)
		status = sl_fail(err, SL_USAGE, "give traces, or directories of runs, not both");
	else if (arg(args, "policy") || arg(args, "output") || arg(args, "reps") || arg(args, "blocks"))
		status = sl_fail(err, SL_USAGE,
			"'-p', '-o', '--reps' and '--blocks' are about a trace: give one TRACE, or directories of runs without them");
	else if (!(status = run_find_words(args, false, err)))
		status = compare_directories(&all, err);
	compare_end(&all);
	return status;
}

const struct command cmd_compare = {
	.name = "compare",
	.usage = "compare TRACE... [-p POLICY]... [options] | compare DIR DIR...",
	.summary = "replay a trace under several policies, or put earlier runs side by side",
	.detail =
		"Prints a row a policy, the best value of each column marked with '*', and the difference from the\n"
		"first row. Without -p the policies are fcfs, easy and conservative. With -o D each run is written\n"
		"into D/<n>-<policy>/, all metrics into D/compare.csv, and D/report.html is a page for a browser.\n"
		"\n"
		"examples:\n"
		"  schedlab compare log.swf.gz\n"
		"  schedlab compare log.swf -p easy -p easy:fill=shortest -p sjf -o out\n"
		"  schedlab compare out/1-easy out/3-sjf\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1000,
	.run = compare_command,
};
