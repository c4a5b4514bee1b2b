/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outdir.h - what the directory of a run and its record (run.json) share.
 */
#ifndef SL_OUTDIR_H
#define SL_OUTDIR_H

#include "cli/base/cli.h"

#define METRICS_FILE  "metrics.json"
#define SNAPSHOT_FILE "snapshot.json" /* Of runs that were to stop. */
#define WINDOWS_FILE  "windows.csv"

/* A report by its name for --only, with or without its end: "jobs.csv". */
const char *report_asked(const struct sl_report *report);
const char *only_at(size_t i); /* What --only may name, for completion; NULL behind the last. */
/* True if --only names the file: "jobs" is jobs.csv. */
bool outdir_wants(const char *only, const char *file);
/* True if --only names it, and the run has something to write there. */
bool outdir_wants_report(const char *only, const struct sl_report *report, const struct sl_result *result);
/* True if --only names a table that a model reported. */
bool outdir_wants_table(const char *only, const struct sl_report_table *table);
/* True for a file that is there and was written by schedlab: it says so at its beginning. */
bool document_is_ours(const char *path);
/* A value as JSON has it, the same for each spelling ("1h", "3600"); NULL: it is a text. */
const char *plain_value(char buffer[40], const struct sl_param *param, const struct sl_value *value);
/* The SHA-256 of a text, in hex. */
int identity_hash(const char *text, char hex[65], struct sl_err *err);

#endif
