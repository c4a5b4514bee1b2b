/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traces.h - the formats that this folder has, for its registry.
 */
#ifndef SL_TRACES_H
#define SL_TRACES_H

#include "sim/plugin.h"

extern const struct sl_reader swf_reader;
extern const struct sl_writer swf_writer;

#endif
