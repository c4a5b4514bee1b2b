/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * document_run.h - a run as documents see it (struct sl_document_run), and which metrics they print.
 */
#ifndef SL_REPORTING_H
#define SL_REPORTING_H

#include "cli/base/cli.h"

/* What a document needs recorded of a run. */
enum { REPORTING_RECORD = SIM_RECORD_USAGE | SIM_RECORD_REASONS | SIM_RECORD_PLACES };

/* All that it lends is the run's, or in the arena. */
int reporting_make(struct sl_document_run *reported, const struct run *run, const struct sl_metrics *metrics,
	const char *label, const char *folder, struct sl_arena *arena, struct sl_err *err);
/* What distinguishes a run from others: its policy, how ties are broken where that is not the node scorer's
 * own rule, and where several clusters are compared its cluster (else NULL). NULL: no memory. */
const char *reporting_label(const struct run *run, const char *cluster, struct sl_arena *arena);
/* Of a document: "lublin-256.swf: fcfs, easy". trace NULL: the labels say of which. NULL: no memory. */
const char *reporting_title(
	const char *trace, const char *const *label, size_t count, struct sl_arena *arena);
/* The metrics of comparisons, in order; their differences are filled in by stats. */
const struct sl_metric_info *reporting_metric_info(size_t *count);
/* How many jobs a document lists one by one, over all of its runs, unless --max-jobs says: 1 000 000 of
 * lublin's make a page of less than 15 MB. */
enum { REPORTING_JOBS = 1000000 };

/* run_resource.c: of a run's metrics, which of "cpus", "gpus" and "memory" its utilization is of; ties by
 * that order. */
const char *resource_scarcest(const struct sl_metrics *metrics);
/* "GPUs" */
const char *resource_word(const char *resource);
/* Utilization and lost capacity become those of that resource, and what there is of the scarcest alone is
 * removed. False: they are of it already. */
bool resource_take(struct sl_metrics *metrics, const char *resource);
/* Removes what there is of the scarcest alone. */
void resource_alone(struct sl_metrics *metrics);

/* differences.c: what may be said of the differences of several runs over one trace: runs are added while
 * their columns are there, in slot order; when all are, every metric of which anything can be said, of every
 * run from the second on, over the jobs that ran in all. Estimates are the difference of the metric as it is
 * printed, and lie within their interval. One partial run: nothing is said. */
struct differences;
struct differences *differences_new(struct sl_arena *arena);
int differences_take(struct differences *all, size_t run, const struct sl_result *result,
	const struct sl_metrics *metrics, struct sl_err *err);
/* The same in two steps, of which the first may be taken on any thread, for several runs at once: what is
 * kept of a run (NULL: no memory), and that it is the next one. The second frees it; differences_drop: so
 * does it. */
struct series;
struct series *differences_prepare(
	const struct sl_result *result, const struct sl_metrics *metrics, struct sl_err *err);
int differences_add(struct differences *all, size_t run, struct series *series, struct sl_err *err);
void differences_drop(struct series *series);
/* How many runs are compared with the first at once; 1 unless it is said. */
void differences_on_threads(struct differences *all, unsigned threads);
/* The same, of the jobs.csv of a run and its metrics; of these alone where nothing is to be said. */
int differences_take_file(
	struct differences *all, const char *path, const struct sl_metrics *metrics, struct sl_err *err);
int differences_finish(struct differences *all, struct sl_err *err);
/* Which jobs are compared, and the metrics over these, without what may be said of them. */
int differences_align(struct differences *all, struct sl_err *err);
/* How many jobs ran in all runs, and in some only. 0: nobody looked. */
uint32_t differences_common(const struct differences *all, uint32_t *apart);
/* Of the run's own rows those that ran in all; the others are left as they are. */
void differences_mark_common(const struct differences *all, size_t run, bool *common);
/* Before the first run: in place of batches, intervals of that length from the first submission on (length),
 * or so many equal ones from the first submission to the last (count). each: what they are called, "weeks".
 */
void differences_cut(struct differences *all, sl_time length, unsigned count, const char *each);
/* Before the first run: the samples are not at hand, so nothing is said but why. Lives as long. */
void differences_untold(struct differences *all, const char *why);
/* Rows that are of several runs each, paired (seeds, windows, traces): their metrics in place of
 * differences_take and differences_finish. */
struct difference_samples {
	size_t runs, each;
	const struct sl_metrics *(*of)(void *self, size_t run, size_t i);
	const struct sl_metrics *(*means)(void *self, size_t run); /* The means over them. */
	void *self;
	const char *what; /* "seeds" */
	bool serial;      /* They follow each other. */
	bool apart;       /* Of some, other jobs ran in some runs: metrics are over those that ran in all. */
};
int differences_samples(
	struct differences *all, const struct difference_samples *samples, struct sl_err *err);
/* What was found; lent until differences_free. Without a title, and what is printed. */
struct sl_compared differences_reported(const struct differences *all);
/* The metrics of documents: counts of jobs that did not run to their end in some run, and
 * reporting_metric_info. NULL: no memory. */
const struct sl_metric_info *differences_metric_info(const struct differences *all, size_t *count);
/* What is said of one metric of a run to the first's where only these two are compared, over the jobs that
 * ran in both; the same samples, when all are finished. *found false: nothing. method lives as the others. */
int differences_pair(const struct differences *all, size_t run, const char *metric,
	struct sl_difference *said, struct sl_certainty *certainty, bool *found, struct sl_err *err);
/* The same of run b to run a; nothing where the runs are not of the same jobs. */
int differences_between(const struct differences *all, size_t a, size_t b, const char *metric,
	struct sl_difference *said, struct sl_certainty *certainty, bool *found, struct sl_err *err);
/* The run's jobs, of those that are compared, held their cpus for longer than another's. */
bool differences_slower(const struct differences *all, size_t run);
/* Counts of jobs that did not run to their end, and of all, by name; closed by NULL. While they differ there
 * is no better. */
extern const char *const compared_counts[];
void differences_free(struct differences *all);

#endif
