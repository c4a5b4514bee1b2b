/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models_registry.c - the workload models that `generate` knows, by name.
 */
#include "sim/plugin.h"

extern const struct sl_generator model_lublin;

const struct sl_generator *const sl_generators[] = { &model_lublin, NULL };
