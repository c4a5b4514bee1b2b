/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibration.h - run --calibrate: what it prints.
 */
#ifndef SL_CALIBRATION_H
#define SL_CALIBRATION_H

#include "cli/base/cli.h"

/* Recorded beside simulated waits, of all jobs and of groups, where the model waits longer or shorter, and
 * how far to trust it, on stdout. again: a second log of the same jobs; NULL: none. SL_INPUT: the log has no
 * starts. */
int calibration_print(const struct sl_result *result, const struct sl_jobs *again, struct sl_arena *arena,
	struct sl_err *err);

#endif
