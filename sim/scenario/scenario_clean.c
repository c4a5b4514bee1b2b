/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_clean.c - why rows of a trace are dropped or repaired, how many were, and the warnings about it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

static const struct {
	const char *text;
	bool dropped; /* Else repaired. */
} causes[CAUSE_OWN] = {
	/* Of readers, who name them by their text... */
	[CAUSE_FEW] = { "fewer than 18 fields", true },
	[CAUSE_MANY] = { "more than 18 fields", false },
	[CAUSE_SHORT] = { "fewer fields than columns", true },
	[CAUSE_LONG] = { "more fields than columns", false },
	[CAUSE_FRACTION] = { "fractional count rounded up", false },
	[CAUSE_UNREADABLE] = { "unreadable optional field", false },
	[CAUSE_PROFILE] = { "profile of another type than delay", true },
	[CAUSE_SURPLUS] = { "more fields than columns, and no telling which", true },
	[CAUSE_MENDED] = { "separators or line ends in a name", false },
	[CAUSE_STATE] = { "state is none of Slurm's", true },
	[CAUSE_ARRAY] = { "array with more tasks than can be read", true },
	[CAUSE_ARRAY_CUT] = { "array whose tasks are not all listed", false },
	/* ...and found here. */
	[CAUSE_NO_ID] = { "job number is unknown", true },
	[CAUSE_REPEATED] = { "repeated id", true },
	[CAUSE_PARTIAL] = { "partial execution line", true },
	[CAUSE_NO_SUBMIT] = { "submit time is unknown", true },
	[CAUSE_RUN] = { "run time is not positive", true },
	[CAUSE_SIZE] = { "size is not positive", true },
	[CAUSE_GPU_PARTS] = { "asks parts of several GPUs", true },
	[CAUSE_BOUNDS] = { "bounds that contradict each other", true },
	[CAUSE_LACKS] = { "asks for what the cluster has not", true },
	[CAUSE_LARGE] = { "larger than the machine", true },
	[CAUSE_PARTITION] = { "asks for a partition that there is not", true },
	[CAUSE_PARTITION_DOWN] = { "its partition is down, drained or inactive", true },
	[CAUSE_TIME] = { "asks for more time than its partition allows", true },
	[CAUSE_NODE_COUNT] = { "asks for more or fewer nodes than its partition allows", true },
	[CAUSE_UNKNOWN_NODE] = { "names nodes that there are not", true },
	[CAUSE_FEATURE] = { "asks for a feature that no node has", true },
	[CAUSE_RESERVATION] = { "asks for a reservation that there is not, or is not for it", true },
	[CAUSE_SET] = { "larger than the nodes that it may use", true },
	[CAUSE_DOWN] = { "needs nodes that are down", true },
	[CAUSE_SETS] = { "bound to one set of nodes too many", true },
	[CAUSE_NO_RUN] = { "unknown run time set", false },
	[CAUSE_ORDER] = { "out of order", false },
	/* Of those that stay, when all are known. */
	[CAUSE_DEPENDENCY] = { "unreadable dependency left out", false },
	[CAUSE_UNKNOWN_JOB] = { "dependency on a job that is not in the trace", false },
	[CAUSE_NOT_BEFORE] = { "follows a job that is not in the replay: submitted as recorded", false },
	[CAUSE_LATER] = { "follows itself or a job further down: submitted as recorded", false },
	/* On purpose. */
	[CAUSE_LEFT_OUT] = { "left out by replay.drop", true },
	[CAUSE_CHANGED] = { "changed by replay.change", false },
};

/* ---- What came of it ------------------------------------------------------------------------- */

/* A cause that is not of the table is the reader's own: one of a plug-in. */
int cause_named(struct loading *loading, const char *text, const struct sl_place *at, enum cause *cause,
	struct sl_err *err)
{
	enum cause found = 0;
	while (found < CAUSE_COUNT && cause_text(loading, found) &&
		strcmp(cause_text(loading, found), text) != 0)
		found++;
	if (found == CAUSE_COUNT)
		return sl_fail_at(err, at, "%s: this reader names more than %d causes that are its own", text,
			CAUSES_OWN);
	if (found >= CAUSE_OWN)
		loading->cause_own[found - CAUSE_OWN] = text;
	*cause = found;
	return SL_OK;
}

const char *cause_text(const struct loading *loading, enum cause cause)
{
	return cause < CAUSE_OWN ? causes[cause].text : loading->cause_own[cause - CAUSE_OWN];
}

bool cause_drops(enum cause cause) { return cause >= CAUSE_OWN || causes[cause].dropped; }

int cause_count(struct loading *loading, enum cause cause, const struct sl_place *at, struct sl_err *err)
{
	if (loading->options->strict)
		return sl_fail_at(
			err, at, "%s: mend the line, or run without --strict", cause_text(loading, cause));
	struct tally *tally = &loading->tally[cause];
	if (!tally->count++)
		tally->line = at->line;
	return SL_OK;
}

int cleaning_fail_nothing(const struct loading *loading, struct sl_err *err)
{
	char text[900] = "";
	size_t len = 0;
	if (!loading->scenario->rows)
		return sl_fail(err, SL_INPUT, "%s: has no jobs: give a trace with jobs", loading->file);
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		const struct tally *tally = &loading->tally[cause];
		if (!tally->count || !cause_drops(cause))
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%llu %s (line %llu)",
			len ? ", " : "", (unsigned long long)tally->count, cause_text(loading, cause),
			(unsigned long long)tally->line);
	}
	if (loading->outside)
		(void)snprintf(text + len, sizeof(text) - len, "%s%llu not within replay.from and replay.to",
			len ? ", " : "", (unsigned long long)loading->outside);
	const bool lacks = loading->tally[CAUSE_LACKS].count && !loading->machine;
	const bool unknown = loading->tally[CAUSE_RUN].count == loading->scenario->rows;
	return sl_fail(err, SL_INPUT, "%s: no job is left to run: of %llu, %s%s", loading->file,
		(unsigned long long)loading->scenario->rows, text,
		lacks     ? ": give a cluster that has it, with -c CLUSTER"
		: unknown ? ": where it is not known give --run-times FILE, or --set replay.run_unknown=TIME"
			  : "");
}

/* What came up, in the order of the table. */
static void list_anomalies(struct loading *loading)
{
	struct scenario *scenario = loading->scenario;
	scenario->anomaly_count = 0;
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		const struct tally *tally = &loading->tally[cause];
		if (tally->count)
			scenario->anomaly[scenario->anomaly_count++] = (struct anomaly){ cause_text(loading,
												 cause),
				cause_drops(cause), cause == CAUSE_LEFT_OUT || cause == CAUSE_CHANGED,
				cause >= CAUSE_LACKS && cause <= CAUSE_SETS, tally->count, tally->line };
	}
}

int cleaning_repair(struct loading *loading, enum cause cause, uint64_t line, struct sl_err *err)
{
	const struct sl_place at = { loading->file, line, 0 };
	const int status = cause_count(loading, cause, &at, err);
	if (!status)
		list_anomalies(loading);
	return status;
}

void cleaning_report(struct loading *loading, enum cause cause, uint64_t count, uint64_t line)
{
	loading->tally[cause] = (struct tally){ count, line };
	list_anomalies(loading);
}

/* Manifests say of a job what it needs, and seldom how long it runs. */
static int report_unknown(struct loading *loading, struct sl_err *err)
{
	char text[160];
	const struct sl_sink sink = rows_sink(loading);
	(void)snprintf(text, sizeof(text),
		"%llu jobs: how long they run is not known; give annotations schedlab/run-time, --run-times FILE, "
		"or replay.run_unknown",
		(unsigned long long)loading->run_unknown);
	return loading->run_unknown ? sink.ignored(sink.self, text, NULL, err) : SL_OK;
}

int cleaning_finish(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	if (!scenario->columns->count)
		return cleaning_fail_nothing(loading, err);
	scenario->anomaly = sl_alloc(scenario->arena, CAUSE_COUNT, sizeof(*scenario->anomaly));
	if (!scenario->anomaly)
		return sl_fail_memory(err);
	list_anomalies(loading);
	if (report_unknown(loading, err))
		return err->status;
	/* A log without one positive wait did not record them. */
	if (!loading->waits)
		columns_drop(scenario->columns, COLUMN_WAIT);
	return SL_OK;
}
