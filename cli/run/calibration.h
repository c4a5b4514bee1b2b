/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibration.h - run --calibrate: what it prints.
 */
#ifndef SL_CALIBRATION_H
#define SL_CALIBRATION_H

#include "cli/base/cli.h"

/* Recorded beside simulated waits, of all jobs and of groups, and how far to trust the model, on stdout.
 * SL_INPUT: the log has no starts. */
int calibration_print(const struct sl_result *result, struct sl_arena *arena, struct sl_err *err);

#endif
