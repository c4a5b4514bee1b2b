/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_params.h - the settings replay.*: their names, kinds and defaults. What they do is the scenario's
 * (sim/scenario); here they are known by name.
 */
#ifndef SL_REPLAY_PARAMS_H
#define SL_REPLAY_PARAMS_H

#include "sim/plugin.h"

/* Settings replay.*, in the order of replay_params. */
enum {
	REPLAY_OVERRUN,
	REPLAY_FROM,
	REPLAY_TO,
	REPLAY_LOAD,
	REPLAY_WARMUP,
	REPLAY_ESTIMATES,
	REPLAY_CANCELS,
	REPLAY_MEMORY,
	REPLAY_PASSES,
	REPLAY_EVENTS,
	REPLAY_EARLY,
	REPLAY_SIZE,
	REPLAY_RUN_UNKNOWN,
	REPLAY_RUN_TIMES,
	REPLAY_WINDOWS,
	REPLAY_START,
	REPLAY_UNTIL,
	REPLAY_GAUGES,
	REPLAY_FILL,
	REPLAY_FILL_NUMBERS,
	REPLAY_RESTART,
	REPLAY_COMMANDS,
	REPLAY_IMPOSSIBLE,
	REPLAY_DROP,
	REPLAY_CHANGE,
	REPLAY_MODELS,
	REPLAY_PROFILE,
	REPLAY_FEEDBACK,
	REPLAY_WITH,
	REPLAY_LOAD_AFTER,
	REPLAY_COOLDOWN,
	REPLAY_METRICS,
	REPLAY_BEFORE,
	REPLAY_FAIR_START,
	REPLAY_COUNT
};

extern const struct sl_param replay_params[];
extern const size_t replay_param_count;
/* It is one of them, and known without "replay." too. */
bool replay_is_bare(const char *key);

#endif
