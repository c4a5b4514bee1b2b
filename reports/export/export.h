/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export.h - what the documents for other programs share: bytes that grow, text made safe, the intervals in
 * which jobs ran, and where they ran.
 *
 * Names come from traces and may be anything: whatever goes out passes through export_clean first, and then
 * through the escaping of its format.
 */
#ifndef REPORTS_EXPORT_H
#define REPORTS_EXPORT_H

#include "sim/plugin.h"

/* ---- Bytes ---------------------------------------------------------------------- */

struct export_bytes {
	char *data;
	size_t length, capacity;
	bool failed; /* No memory: what was put since then is not there. */
};
void export_put(struct export_bytes *bytes, const void *data, size_t length);
void export_send(const struct export_bytes *bytes, struct sl_out *out);
void export_bytes_free(struct export_bytes *bytes);

/* The text as UTF-8 without what moves a cursor: bytes that are none become U+FFFD, control characters and
 * marks that turn the direction of writing are left out; at most `most` characters (0: all), the last of them
 * an ellipsis. The caller frees it; NULL: no memory. */
char *export_clean(const char *text, size_t most);
/* A job's id, as a number or a name, cleaned; the caller frees it. */
char *export_id(const struct sl_jobs *jobs, uint32_t job);
/* Who is meant by that number of a column whose names these are; NULL: nobody. As above. */
char *export_name(const char *const *names, int32_t number);

/* ---- Runs, remembered ------------------------------------------------------------- */

struct export_run {
	char *label;
	struct sl_named *metric; /* Names are its own. */
	size_t metric_count;
	struct sl_fact *fact;
	size_t fact_count;
	char **warning;
	size_t warning_count;
	bool partial;
};
/* One more of *runs, of which there are *count. */
int export_remember(struct export_run **runs, uint32_t *count, const struct sl_document_run *reported,
	struct sl_err *err);
void export_runs_free(struct export_run *runs, uint32_t count);
/* False: that run has no such metric. */
bool export_metric(const struct export_run *run, const char *name, int64_t *micro);
/* NULL: there is no interval, no difference. */
/* A run's metric as it is compared: over the jobs that ran in all, where others differ. */
bool export_compared(const struct export_run *runs, const struct sl_compared *compared, uint32_t run,
	const char *name, int64_t *micro);
const struct sl_difference *export_difference(
	const struct sl_compared *compared, const char *metric, uint32_t run);

/* A metric's value as tables show it, four digits or more: of unit "share" in percent; `plus`: with its sign.
 * text has room for 48 bytes. */
void export_number(char *text, int64_t micro, const char *unit, bool plus);
/* What stands behind a heading: "s", "%", "jobs/h"; "": nothing. */
const char *export_unit(const char *unit);

/* ---- Where jobs ran --------------------------------------------------------------- */

/* An interval in which a job held what it requested. */
struct export_interval {
	sl_time from, until; /* Of what had not ended: the end of the run. */
	uint32_t job;
	bool preempted;                   /* That is how it ended. */
	const struct sl_attempt *attempt; /* NULL: the job has no other. */
};
/* All of them by (from, job, attempt); the caller frees *interval. */
int export_intervals(
	const struct sl_result *result, struct export_interval **interval, size_t *count, struct sl_err *err);

/* An interval of a job beside those of others: on a counted pool of cpus so many rows from one on, a row a
 * cpu, lowest free first; on nodes one lane of a node's row, lowest free first. */
struct export_bar {
	struct export_interval of;
	uint32_t row, height, lane;
	uint32_t part, part_count; /* A job holds several. */
	int64_t cpus;              /* Held there, in the cluster's parts. */
};
/* Each bar in order of (from, job, part). Where nodes were not recorded, each gets a lane of the row behind
 * the last node; where they were, what lasted no time and was nowhere has none. */
int export_bars(const struct sl_result *result, void (*each)(void *self, const struct export_bar *bar),
	void *self, struct sl_err *err);

/* So many rows the cluster has: its nodes, or the cpus of a pool. */
static inline uint32_t export_rows(const struct sl_result *result)
{
	return result->cluster && result->cluster->node_count ? result->cluster->node_count
							      : (uint32_t)result->cpus;
}
static inline bool export_on_nodes(const struct sl_result *result)
{
	return result->cluster && result->cluster->node_count;
}

extern const struct sl_document export_perfetto, export_svg, export_pdf, export_markdown, export_latex;

#endif
