/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector.h - a figure of some of a run's jobs: "wait.p95{gpus>=8,user=alice|bob}", and a bound on it.
 *
 *   selector  = metric [ "{" condition { "," condition } "}" ]      all conditions hold
 *   condition = words ("=" | "!=") word { "|" word }
 *             | amount ("=" | "!=") part { "|" part } | amount ("<" | "<=" | ">" | ">=") value
 *             | moment ("<" | "<=" | ">" | ">=") time               seconds since zero, +3d, or a date
 *   part      = value | value "-" value | ("<" | "<=" | ">" | ">=") value
 *   words     = job user account partition qos name state           as jobs.csv has them
 *   amount    = size gpus cpus nodes mem limit run_time wait
 *   moment    = submit start end
 *   threshold = selector bound                                      tolerance.h's ranges and bounds: "< 4h"
 *
 * A '\\' before a sign makes it plain, as in replay.drop. Ranges are those of metrics.json's labels: of
 * counts both ends are in it ("size=8-15"), of times the second is not ("limit=1h-4h").
 *
 * Metrics that are made of jobs (jobs.total, wait.*, turnaround.*, slowdown.*, bounded_slowdown.*,
 * gpu_hours, ...) are computed over the jobs for which the conditions hold, by the rules of
 * schedlab-metrics(7): what metrics.json has of the same jobs is the same number. Quantiles may be any, p1
 * to p99. Any other name of metrics.json, labels and all, is a selector too. Values are millionths.
 */
#ifndef SL_SELECTOR_H
#define SL_SELECTOR_H

#include "cli/base/cli.h"
#include "sim/result/table.h"
#include "sim/result/tolerance.h"
#include "sim/run/sim.h"

/* Each job that ran has one, so the metric of that name hangs on which jobs these are: "wait.p95{user=3}". */
bool metric_is_of_waits(const char *name);

struct selector;

/* SL_USAGE: the text is none, where, and what would be. Made in the arena. */
int selector_parse(
	const struct selector **selector, const char *text, struct sl_arena *arena, struct sl_err *err);
/* As it was written. */
const char *selector_text(const struct selector *selector);
/* It is made of jobs: it may have conditions. */
bool selector_of_jobs(const struct selector *selector);
/* How its values are printed. */
enum summary_unit selector_unit(const struct selector *selector);
/* The sign that is better: -1 of waits; 0: neither. */
int selector_better(const struct selector *selector);
/* SL_USAGE: a condition names a user, account, partition or QOS that no job of the scenario has, and which
 * one is similar. Called once, on the user's own scenario. */
int selector_check(const struct selector *selector, const struct scenario *scenario, struct sl_err *err);
/* Its value in millionths; *known false: none of those jobs has one (a count of none is 0, and known), or the
 * run's metrics have no such name. scenario: for dates, and the metrics of its registry; metrics: of the same
 * run; NULL: those it needs are computed. */
int selector_value(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, const struct sl_metrics *metrics, int64_t *micro, bool *known,
	struct sl_err *err);

/* How many jobs the conditions are about. Of a selector without any, and of a name: all. */
int selector_jobs(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, uint32_t *jobs, struct sl_err *err);
/* selector_interval.c: of one run: a t test at 5 % over batches of its jobs, turned round. *low > *high:
 * there is none, of a figure that is no mean or quantile, of fewer than SELECTOR_INTERVAL_JOBS, or of batches
 * worth fewer than STATS_EFFECTIVE_LEAST even ones. */
enum { SELECTOR_INTERVAL_JOBS = 200 };
int selector_interval(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *low, int64_t *high, struct sl_err *err);

/* selected.c: --metric of a command. */
#define OPTION_METRIC                  \
	"metric", 0, "SELECTOR", true, \
		"a metric of some of the jobs too: 'wait.p95{gpus>=8,user=alice|bob}', see schedlab-metrics(7)"
/* Before anything is simulated: SL_USAGE. */
int selected_check(const struct scenario *scenario, const struct args *args, struct sl_err *err);
/* Each into the metrics of a run, by its text; of nobody there is none. */
int selected_put(struct sl_metrics *metrics, const struct scenario *scenario, const struct sl_result *result,
	const struct args *args, struct sl_err *err);
/* As summary_metrics, with those that were asked for behind. NULL: err says why. */
const struct summary_metric *selected_columns(const struct args *args, struct sl_err *err);
bool selected_is(const struct args *args, const char *name);

struct threshold {
	const char *text;
	const struct selector *selector;
	struct tolerance bound;
};
int threshold_parse(
	struct threshold *threshold, const char *text, struct sl_arena *arena, struct sl_err *err);
bool threshold_met(const struct threshold *threshold, int64_t micro);
/* How far within its bound, in millionths of the value: positive where it is met. False: the bound is more
 * than one number. */
bool threshold_margin(const struct threshold *threshold, int64_t micro, int64_t *margin);

#endif
