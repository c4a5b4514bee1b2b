/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_replications.c - each row several times, with other seeds or over other logs.
 *
 * The k-th run of every row has the same seed: differences are paired. Nothing
 * says of a policy whether it draws, so the first two seeds are run and
 * compared: where all rows come out the same, there is nothing to replicate.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector.h"
#include "cli/compare/compare.h"

struct repeating {
	const struct replications *of;
	const size_t *number;       /* Of each run of the runset: seeds that are known are not among them. */
	struct differences *sample; /* The rows of one seed or log, until the last is over. */
	struct sl_arena *arena;     /* As long. */
};

static struct replication *replication_of(const struct comparison *all, size_t row, size_t k)
{
	return &all->replication[k * all->count + row];
}

static int take_run(const struct repeating *repeating, struct run *run, size_t slot)
{
	struct comparison *all = repeating->of->all;
	const size_t number = repeating->number[slot];
	const size_t row = number % all->count;
	const bool first = number < all->count;
	const bool folder = all->dir && !all->recall;
	struct replication *replication = &all->replication[number];
	char sub[96];
	(void)snprintf(sub, sizeof(sub), "%zu-%s", row + 1, run->choice.slug);
	if (first)
		talk_left(run);
	replication->digest = run->sim.result.digest;
	all->row[row].partial |= run->sim.result.interrupted;
	replication->metrics.plain = !first || !folder;
	int status = metrics_compute(&replication->metrics, &run->sim.result, &all->failure);
	if (!status)
		status = selected_put(
			&replication->metrics, run->scenario, &run->sim.result, all->args, &all->failure);
	if (!status && first && folder)
		status = outdir_run(all->dir, sub, run, &replication->metrics, NULL, &all->failure);
	return status;
}

/* ---- The same jobs ---------------------------------------------------------------------------- */

static void sample_end(struct repeating *repeating)
{
	differences_free(repeating->sample);
	sl_arena_free(repeating->arena);
	repeating->sample = NULL;
	repeating->arena = NULL;
}

static int sample_begin(struct repeating *repeating, struct sl_err *err)
{
	sample_end(repeating);
	repeating->arena = sl_arena_new();
	repeating->sample = repeating->arena ? differences_new(repeating->arena) : NULL;
	return repeating->sample ? SL_OK : sl_fail_memory(err);
}

/* All rows of a seed or log are there: their metrics are over the jobs that ran in all of them. first: the
 * first's run; the others follow. */
static int sample_align(struct repeating *repeating, struct run *first, size_t number, struct sl_err *err)
{
	struct comparison *all = repeating->of->all;
	struct replication *of = &all->replication[number];
	uint32_t apart;
	int status = differences_align(repeating->sample, err);
	const uint32_t common = differences_common(repeating->sample, &apart);
	const struct sl_compared reported = differences_reported(repeating->sample);
	for (size_t row = 0; row < all->count && !status; row++) {
		of[row].compared = common;
		of[row].apart = apart > 0;
		if (apart)
			status = compare_over_common(
				&of[row].metrics, &first[row], repeating->sample, row, all->args, err);
	}
	for (size_t i = 0; i < reported.restated_count && !status; i++)
		compare_restate(&of[reported.restated[i].run].metrics, &reported.restated[i]);
	return status;
}

/* Results of one seed or log are kept until its last row is over. */
static int run_over(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	struct repeating *repeating = self;
	struct comparison *all = repeating->of->all;
	const size_t number = repeating->number[slot];
	const size_t row = number % all->count;
	bool whole = true;
	int status = take_run(repeating, run, slot);
	if (!status && !row)
		status = sample_begin(repeating, &all->failure);
	if (!status)
		status = differences_take(repeating->sample, row, &run->sim.result,
			&all->replication[number].metrics, &all->failure);
	if (!status && row + 1 == all->count)
		status = sample_align(repeating, run - row, number - row, &all->failure);
	for (size_t i = 0; i <= row; i++)
		whole &= row + 1 == all->count && !(run - i)->sim.result.interrupted;
	if (!status && whole && all->keep)
		status = all->keep(
			all->self, number / all->count, &all->replication[number - row], &all->failure);
	for (size_t i = 0; row + 1 == all->count && i <= row; i++)
		sim_release(&(run - i)->sim);
	return status ? sl_fail(err, status, "%s", all->failure.text) : SL_OK;
}

static int run_begin(const struct replications *of, struct run *single, size_t number, struct sl_err *err)
{
	const struct comparison *all = of->all;
	*single = of->row[number % all->count];
	single->options.seed = all->replication[number].seed;
	single->scenario = of->replica(of->self, number % all->count, number / all->count, err);
	return single->scenario ? SL_OK : err->status;
}

/* Is the k-th seed known? Its rows are begun in any case. */
static int seed_begin(const struct replications *of, size_t k, bool *known, struct sl_err *err)
{
	struct comparison *all = of->all;
	for (size_t row = 0; row < all->count; row++) {
		struct replication *replication = &all->replication[k * all->count + row];
		replication->seed = of->row[row].options.seed + (all->log ? 0 : k);
		metrics_init(&replication->metrics, all->args->arena, all->args->registry);
	}
	return all->recall ? all->recall(all->self, k, &all->replication[k * all->count], known, err) : SL_OK;
}

static int runs_of(const struct replications *of, struct run *run, const size_t *number, size_t count,
	struct sl_err *err)
{
	struct repeating repeating = { .of = of, .number = number };
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++)
		status = run_begin(of, &run[i], number[i], err);
	if (status || !count)
		return status;
	struct progress_bar *bar = progress_start(run, count, of->all->args);
	status = runset_run(run, count, of->threads, run_over, &repeating, err);
	progress_stop(bar);
	sample_end(&repeating);
	return status;
}

/* Those seeds. */
static int runs_go(const struct replications *of, size_t from, size_t until, struct sl_err *err)
{
	struct comparison *all = of->all;
	const size_t most = (until - from) * all->count;
	size_t *number = calloc(most + 1, sizeof(*number));
	struct run *run = calloc(most + 1, sizeof(*run));
	size_t count = 0;
	int status = number && run ? SL_OK : sl_fail_memory(err);
	for (size_t k = from; k < until && !status; k++) {
		bool known = false;
		status = seed_begin(of, k, &known, err);
		for (size_t row = 0; row < all->count && !known; row++)
			number[count++] = k * all->count + row;
	}
	if (!status)
		status = runs_of(of, run, number, count, err);
	for (size_t i = from * all->count; i < until * all->count; i++)
		all->samples_apart |= all->replication[i].apart;
	if (run)
		runset_release(run, count); /* Those that failed. */
	free(run);
	free(number);
	return status;
}

/* Nothing was drawn under that row's policy, as far as two seeds can show. */
static bool draws(const struct comparison *all, size_t row)
{
	return replication_of(all, row, 0)->digest != replication_of(all, row, 1)->digest;
}

static int fail_same(struct comparison *all, struct sl_err *err)
{
	all->same = true;
	return sl_fail(err, SL_USAGE,
		"--reps: nothing in these runs is drawn by chance: seeds %" PRIu64 " and %" PRIu64
		" come out the same under each policy. "
		"What draws: 'ties=random' and 'ties=shuffle', 'place=random', lottery shares, 'replay.fill', models "
		"such as failures. A log is what it is: use --blocks, or make several with 'schedlab generate --seed'",
		all->replication[0].seed, all->replication[0].seed + 1);
}

/* A row's metrics: the means over its runs. */
static int row_means(struct comparison *all, size_t row, struct sl_err *err)
{
	const struct sl_metrics *names = &replication_of(all, row, 0)->metrics;
	struct sl_metrics *means = &all->row[row].metrics;
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->row[i].name;
		__int128 sum = 0;
		int64_t count = 0;
		for (size_t k = 0; k < all->each && (!strchr(name, '{') || selected_is(all->args, name));
			k++) {
			const int64_t *value = metrics_get(&replication_of(all, row, k)->metrics, name);
			sum += value ? *value : 0;
			count += value != NULL;
		}
		if (count)
			sl_metric_put(means, name, mean_rounded(sum, count));
	}
	return means->failed ? sl_fail_memory(err) : SL_OK;
}

static const struct sl_metrics *sample_of(void *self, size_t run, size_t i)
{
	return &replication_of(self, run, i)->metrics;
}

static const struct sl_metrics *displayed_of(void *self, size_t run)
{
	const struct comparison *all = self;
	return &all->row[run].metrics;
}

static bool any_has(const struct comparison *all, const char *metric)
{
	for (size_t i = 0; i < all->each * all->count; i++)
		if (metrics_get(&all->replication[i].metrics, metric))
			return true;
	return false;
}

/* A count that some run has all have, so that means are over all. */
static void counts_fill(struct comparison *all)
{
	for (size_t k = 0; compared_counts[k]; k++) {
		const bool any = any_has(all, compared_counts[k]);
		for (size_t i = 0; any && i < all->each * all->count; i++)
			if (!metrics_get(&all->replication[i].metrics, compared_counts[k]))
				sl_metric_put(&all->replication[i].metrics, compared_counts[k], 0);
	}
	for (size_t i = 0; all->samples_apart && i < all->each * all->count; i++)
		compare_restate(&all->replication[i].metrics,
			&(struct sl_restated){ .metric = "jobs.compared",
				.micro = (int64_t)all->replication[i].compared * 1000000 });
}

static int samples_take(struct comparison *all, struct sl_err *err)
{
	int status = SL_OK;
	counts_fill(all);
	compare_samples_resource(all);
	for (size_t row = 0; row < all->count && !status; row++) {
		status = row_means(all, row, err);
		if (!all->log && !draws(all, row) && log_shows(LOG_INFO))
			log_line(LOG_INFO, "%s: draws nothing: the same with each seed", all->row[row].label);
	}
	const struct difference_samples samples = { all->count, all->each, sample_of, displayed_of, all,
		all->log ? "logs" : "seeds", false, all->samples_apart };
	return status ? status : differences_samples(all->differences, &samples, err);
}

int compare_replications(const struct replications *of, struct sl_err *err)
{
	struct comparison *all = of->all;
	const size_t count = all->count;
	bool any = false;
	all->replication = sl_alloc(all->args->arena, all->each * count, sizeof(*all->replication));
	if (!all->replication)
		return sl_fail_memory(err);
	int status = runs_go(of, 0, 2, err);
	for (size_t row = 0; row < count; row++)
		any |= draws(all, row);
	if (!status && !any && !all->log)
		status = fail_same(all, err);
	if (!status && all->each > 2)
		status = runs_go(of, 2, all->each, err);
	return status ? status : samples_take(all, err);
}

/* ---- replications.csv ------------------------------------------------------------------------- */

int replications_csv(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	const int status = outdir_file(all->dir, "replications.csv", &out, err);
	if (status)
		return status;
	const struct sl_metrics *names = &all->row[0].metrics;
	sl_out_text(out, all->log ? "run,log,seed,digest" : "run,seed,digest");
	csv_metric_names(out, names);
	for (size_t number = 0; number < all->each * all->count; number++) {
		const struct replication *one = replication_of(all, number / all->each, number % all->each);
		sl_out_text(out, "\n");
		csv_begin(out, datum_count(NULL, number / all->each + 1));
		if (all->log)
			csv_more(out, datum_text(NULL, all->log[number % all->each]));
		csv_more(out, datum_count(NULL, one->seed), datum_digest(NULL, one->digest));
		csv_metrics(out, names, &one->metrics);
	}
	sl_out_text(out, "\n");
	return sl_out_commit(out, err);
}
