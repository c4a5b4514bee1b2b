/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector.h - a figure of some of a run's jobs: "wait.p95{gpus>=8,user=alice|bob}", and a bound on it.
 *
 *   selector  = metric [ "{" condition { "," condition } "}" ]      all conditions hold
 *   condition = subject ("=" | "!=") value { "|" value } | subject ("<" | "<=" | ">" | ">=") number or time
 *   subject   = job user account partition qos name state gpus cpus nodes mem limit run_time submit ...
 *   threshold = selector bound                                       tolerance.h's ranges and bounds: "< 4h"
 *
 * Without conditions a selector is any name of metrics.json, labels and all. With conditions the metric is
 * one that is made of jobs (jobs.total, wait.*, turnaround.*, slowdown.*, bounded_slowdown.*, cpu_seconds,
 * ...), computed over the jobs for which they hold, by the same rules (schedlab-metrics(7)). Values are
 * millionths.
 */
#ifndef SL_SELECTOR_H
#define SL_SELECTOR_H

#include "sim/sim.h"
#include "sim/table.h"
#include "sim/tolerance.h"

struct selector;

/* SL_USAGE: the text is none, where, and what would be. Made in the arena. */
int selector_parse(
	const struct selector **selector, const char *text, struct sl_arena *arena, struct sl_err *err);
/* As it was written. */
const char *selector_text(const struct selector *selector);
/* Its value in millionths; *known false: no job is like that, or there is none of them that has a value.
 * metrics: of the same run; NULL: what it takes is computed. */
int selector_value(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, const struct sl_metrics *metrics, int64_t *micro, bool *known,
	struct sl_err *err);

struct threshold {
	const char *text;
	const struct selector *selector;
	struct tolerance bound;
};
int threshold_parse(
	struct threshold *threshold, const char *text, struct sl_arena *arena, struct sl_err *err);

#endif
