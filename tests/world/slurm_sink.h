/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_sink.h - a sink that logs what a reader of clusters reports, a line a call.
 */
#ifndef SL_TEST_SLURM_SINK_H
#define SL_TEST_SLURM_SINK_H

#include <string.h>

#include "sim/base/base.h"

/* Writes a file of this name beside the configuration that is read next, and returns its path. */
const char *file_beside(const char *name, const char *text);
/* Reads text as slurm.conf (or as scontrol's, where `reader` says so), with --set cluster.* as "KEY=VALUE",
 * closed by NULL. Returns the status. */
int read_conf(const char *text, const char *const *settings);
int read_scontrol(const char *text, const char *const *settings);
/* What was reported: name, whole (unless it is all by default), nodes, part, switch, license and window
 * lines. */
const char *reported(void);
const char *said(void); /* The error, with the configuration's path as '@'. */
/* Of the last setting of that name; "" where there is none. */
const char *setting(const char *kind, const char *name, const char *key);
const char *note(const char *kind, const char *name, const char *key);
int coverage(const char *kind, const char *name, const char *key); /* -1: none. */
size_t files_reported(void);

void expect_reported(const char *text, const char *want);
void expect_reported_set(const char *text, const char *const *settings, const char *want);
/* The error behind the path of the file; "@" in it is that path. */
void expect_error(const char *text, const char *want);
void expect_error_set(const char *text, const char *const *settings, const char *want);
/* It has the one, and ends in the other. */
void expect_error_ends(const char *text, const char *has, const char *ends);

#endif
