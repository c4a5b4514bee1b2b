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

#include "sim/cli/compare.h"
#include "sim/cli/selector.h"

struct repeating {
	const struct replications *of;
	size_t done; /* Runs before those of the runset. */
};

static struct replication *replication_of(const struct comparison *all, size_t row, size_t k)
{
	return &all->replication[k * all->count + row];
}

static int run_over(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	const struct repeating *repeating = self;
	struct comparison *all = repeating->of->all;
	const size_t number = repeating->done + slot;
	const size_t row = number % all->count;
	const bool first = number < all->count;
	struct replication *replication = &all->replication[number];
	char sub[96];
	(void)snprintf(sub, sizeof(sub), "%zu-%s", row + 1, run->choice.slug);
	if (first)
		talk_left(run);
	replication->digest = run->sim.result.digest;
	all->row[row].partial |= run->sim.result.interrupted;
	replication->metrics.plain = !first || !all->dir;
	int status = metrics_compute(&replication->metrics, &run->sim.result, &all->failure);
	if (!status)
		status = selected_put(
			&replication->metrics, run->scenario, &run->sim.result, all->args, &all->failure);
	if (!status && first && all->dir)
		status = outdir_run(all->dir, sub, run, &replication->metrics, NULL, &all->failure);
	sim_release(&run->sim);
	return status ? sl_fail(err, status, "%s", all->failure.text) : SL_OK;
}

static int runs_begin(
	const struct replications *of, struct run *run, size_t from, size_t until, struct sl_err *err)
{
	struct comparison *all = of->all;
	for (size_t number = from; number < until; number++) {
		const size_t row = number % all->count;
		const size_t k = number / all->count;
		struct run *single = &run[number - from];
		struct replication *replication = &all->replication[number];
		*single = of->row[row];
		single->options.seed += all->log ? 0 : k;
		single->scenario = of->world(of->self, row, k, err);
		if (!single->scenario)
			return err->status;
		replication->seed = single->options.seed;
		metrics_init(&replication->metrics, all->args->arena);
		replication->metrics.list = all->row[row].metrics.list;
	}
	return SL_OK;
}

static int runs_go(const struct replications *of, size_t from, size_t until, struct sl_err *err)
{
	struct comparison *all = of->all;
	struct repeating repeating = { of, from };
	struct run *run = calloc(until - from + 1, sizeof(*run));
	int status = run ? runs_begin(of, run, from, until, err) : sl_fail_memory(err);
	if (!status) {
		struct progress_bar *bar = progress_start(run, until - from, all->args);
		status = runset_run(run, until - from, of->threads, run_over, &repeating, err);
		progress_stop(bar);
	}
	if (run)
		runset_release(run, until - from); /* Those that failed. */
	free(run);
	return status;
}

/* Nothing was drawn under that row's policy, as far as two seeds tell. */
static bool draws(const struct comparison *all, size_t row)
{
	return replication_of(all, row, 0)->digest != replication_of(all, row, 1)->digest;
}

static int fail_same(const struct comparison *all, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"--reps: nothing in these runs is drawn by chance: seeds %" PRIu64 " and %" PRIu64
		" come out the same under each policy. "
		"What draws: 'ties=random' and 'ties=shuffle', 'place=random', lottery shares, 'replay.fill', models "
		"such as failures. A log is what it is: use --blocks, or make several with 'schedlab generate --seed'",
		all->replication[0].seed, all->replication[0].seed + 1);
}

/* Rounded half up. */
static int64_t mean(__int128 sum, int64_t count)
{
	const __int128 most = (__int128)2 * count;
	const __int128 twice = 2 * sum + count;
	return (int64_t)(twice >= 0 ? twice / most : -((-twice + most - 1) / most));
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
			sl_metric_put(means, name, mean(sum, count));
	}
	return means->failed ? sl_fail_memory(err) : SL_OK;
}

static const struct sl_metrics *sample_of(void *self, size_t run, size_t i)
{
	return &replication_of(self, run, i)->metrics;
}

static const struct sl_metrics *shown_of(void *self, size_t run)
{
	const struct comparison *all = self;
	return &all->row[run].metrics;
}

static int samples_take(struct comparison *all, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t row = 0; row < all->count && !status; row++) {
		status = row_means(all, row, err);
		if (!all->log && !draws(all, row) && log_shows(LOG_INFO))
			log_line(LOG_INFO, "%s: draws nothing: the same with each seed", all->row[row].label);
	}
	const struct difference_samples samples = { all->count, all->each, sample_of, shown_of, all,
		all->log ? "logs" : "seeds", false };
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
	int status = runs_go(of, 0, 2 * count, err);
	for (size_t row = 0; row < count; row++)
		any |= draws(all, row);
	if (!status && !any && !all->log)
		status = fail_same(all, err);
	if (!status && all->each > 2)
		status = runs_go(of, 2 * count, all->each * count, err);
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
	for (size_t i = 0; i < names->count; i++) {
		sl_out_text(out, ",");
		sl_out_csv(out, names->row[i].name);
	}
	for (size_t number = 0; number < all->each * all->count; number++) {
		const struct replication *one = replication_of(all, number / all->each, number % all->each);
		sl_out_printf(out, "\n%zu,", number / all->each + 1);
		if (all->log) {
			sl_out_csv(out, all->log[number % all->each]);
			sl_out_text(out, ",");
		}
		sl_out_printf(out, "%" PRIu64 ",%016" PRIx64, one->seed, one->digest);
		for (size_t i = 0; i < names->count; i++) {
			const int64_t *value = metrics_get(&one->metrics, names->row[i].name);
			char *p = sl_out_room(out, 64);
			*p++ = ',';
			sl_out_advance(out, value ? sl_put_micro(p, *value) : p);
		}
	}
	sl_out_text(out, "\n");
	return sl_out_commit(out, err);
}
