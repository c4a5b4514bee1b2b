/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_params.h - the parameters of policy `runai`. Those that are settings of KAI's scheduler have its
 * names, and no default of their own: given, they hold over what the files say, in every pool.
 */
#ifndef SL_RUNAI_PARAMS_H
#define SL_RUNAI_PARAMS_H

#include "policies/runai/runai.h"

enum runai_param {
	RUNAI_COMPAT,
	RUNAI_PROJECTS,
	RUNAI_CYCLE,
	RUNAI_GRACE,
	RUNAI_RESUME,
	/* Settings of the scheduler. */
	RUNAI_GPU_PLACEMENT,
	RUNAI_CPU_PLACEMENT,
	RUNAI_GPU_ORDER,
	RUNAI_ACTIONS,
	RUNAI_DEPTH,
	RUNAI_CONSOLIDATION_MAX,
	RUNAI_CONSOLIDATING_RECLAIM,
	RUNAI_SATURATION,
	RUNAI_PREEMPT_MIN,
	RUNAI_RECLAIM_MIN,
	RUNAI_RECLAIM_METHOD,
	RUNAI_STALENESS,
	RUNAI_SIGNATURES,
	RUNAI_ORDER,
	RUNAI_REMAINDERS,
	RUNAI_PRIORITY_RECLAIM,
	RUNAI_WORKERS_ONLY,
	RUNAI_SCENARIOS,
	RUNAI_PODS,
	RUNAI_BACKOFF_MIN,
	RUNAI_BACKOFF_MAX,
	RUNAI_USAGE,
	RUNAI_K,
	RUNAI_HALF_LIFE,
	RUNAI_WINDOW,
	RUNAI_FETCH,
	RUNAI_PARAMS
};
extern const struct sl_param runai_params[RUNAI_PARAMS];

/* The settings among them, over those of the pools. */
int runai_params_apply(struct runai_config *config, const struct sl_value *values, struct sl_err *err);

#endif
