/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_params.c - the parameters of policy `runai`, and which setting of KAI's scheduler each one is.
 *
 * kai-scheduler/KAI-Scheduler, commit d5bc503a: the scheduler's command line, SchedulingShard (v1), and the
 * arguments of its plugins.
 */
#include "policies/runai/runai_params.h"

#include <string.h>

#define TIMES_MAX INT64_C(1000000000000) /* Eleven days. */
#define MILLION   INT64_C(1000000)
#define STRATEGY  "binpack|spread"

const struct sl_param runai_params[RUNAI_PARAMS] = {
	[RUNAI_COMPAT] = { "compat", SL_PARAM_CHOICE, "kai", "kai", "whose rules: KAI's of commit d5bc503a",
		0, 0 },
	[RUNAI_PROJECTS] = { "projects", SL_PARAM_DOC, NULL, NULL,
		"a file of departments and projects (schedlab-projects(5)); without it, and without objects of the "
		"cluster that say so, each account (or partition, or user) of the trace is a project with an equal part "
		"of the GPUs",
		0, 0 },
	[RUNAI_CYCLE] = { "cycle", SL_PARAM_TIME, "0", NULL,
		"it decides so far apart; 0: after each instant at which something happens", 0, TIMES_MAX },
	[RUNAI_GRACE] = { "grace", SL_PARAM_TIME, "0", NULL,
		"how long evicted pods take to stop, holding what they have", 0, TIMES_MAX },
	[RUNAI_RESUME] = { "resume", SL_PARAM_CHOICE, "checkpoint", "checkpoint|restart",
		"evicted jobs keep their work, or begin anew", 0, 0 },
	[RUNAI_GPU_PLACEMENT] = { "gpu-placement", SL_PARAM_CHOICE, NULL, STRATEGY,
		"placementStrategy of tasks with GPUs; spread: nothing is consolidated either", 0, 0 },
	[RUNAI_CPU_PLACEMENT] = { "cpu-placement", SL_PARAM_CHOICE, NULL, STRATEGY,
		"placementStrategy of tasks without GPUs; spread: nothing is consolidated either", 0, 0 },
	[RUNAI_GPU_ORDER] = { "gpu-order", SL_PARAM_CHOICE, NULL, STRATEGY,
		"the fullest device of a node that has room for a share is first, or the emptiest; without it as "
		"gpu-placement",
		0, 0 },
	[RUNAI_ACTIONS] = { "actions", SL_PARAM_TEXT, NULL, NULL,
		"allocate, consolidation, reclaim, preempt, stalegangeviction: those that run, in this order, joined by "
		"'+'",
		0, 0 },
	[RUNAI_DEPTH] = { "queue-depth-per-action", SL_PARAM_INT, NULL, NULL,
		"so many jobs of a queue are looked at in an action; 0: all", 0, INT32_MAX },
	[RUNAI_CONSOLIDATION_MAX] = { "max-consolidation-preemptees", SL_PARAM_INT, NULL, NULL,
		"so many jobs, and one, may be moved for one; -1: any number; 0: no consolidation", -1,
		INT32_MAX },
	[RUNAI_CONSOLIDATING_RECLAIM] = { "allow-consolidating-reclaim", SL_PARAM_BOOL, NULL, NULL,
		"victims of reclaim that are moved have lost nothing", 0, 0 },
	[RUNAI_SATURATION] = { "reclaimer-utilization-multiplier", SL_PARAM_REAL, NULL, "1..1000",
		"who reclaims may not be fuller than others, by this factor", MILLION, 1000 * MILLION },
	[RUNAI_PREEMPT_MIN] = { "preempt-min-runtime", SL_PARAM_TIME, NULL, NULL,
		"how long a job that started is left alone by its own project, where no queue says it", 0,
		TIMES_MAX },
	[RUNAI_RECLAIM_MIN] = { "reclaim-min-runtime", SL_PARAM_TIME, NULL, NULL,
		"how long a job that started is left alone by others, where no queue says it", 0, TIMES_MAX },
	[RUNAI_RECLAIM_METHOD] = { "reclaim-resolve-method", SL_PARAM_CHOICE, NULL, "lca|queue",
		"whose reclaim-min-runtime counts: of the ancestor just below what both have in common, or of the "
		"project",
		0, 0 },
	[RUNAI_STALENESS] = { "default-staleness-grace-period", SL_PARAM_TEXT, NULL, NULL,
		"how long a gang with too few pods left stays; never", 0, 0 },
	[RUNAI_SIGNATURES] = { "use-scheduling-signatures", SL_PARAM_BOOL, NULL, NULL,
		"after a job found no victims, others that ask the same are passed over", 0, 0 },
	[RUNAI_ORDER] = { "order", SL_PARAM_CHOICE, NULL, "lazy|fresh",
		"queues are compared as KAI's heaps have them, or anew before each choice", 0, 0 },
	[RUNAI_REMAINDERS] = { "remainders", SL_PARAM_CHOICE, NULL, "last|priority",
		"what rounding kept back of fair shares goes out after all priorities (commit d5bc503a), or after each "
		"(KAI of October 2026)",
		0, 0 },
	[RUNAI_PRIORITY_RECLAIM] = { "queue-priority-in-quota-reclaim", SL_PARAM_BOOL, NULL, NULL,
		"a queue within its quota may take from those of lower priority within theirs (later than commit "
		"d5bc503a)",
		0, 0 },
	[RUNAI_WORKERS_ONLY] = { "restrict-node-scheduling", SL_PARAM_BOOL, NULL, NULL,
		"GPUs of nodes that are GPU workers alone count in totals", 0, 0 },
	[RUNAI_SCENARIOS] = { "scenarios", SL_PARAM_INT, NULL, NULL,
		"so many sets of victims are tried for a job in an action; 0: all", 0, INT32_MAX },
	[RUNAI_PODS] = { "search-pods", SL_PARAM_INT, NULL, NULL,
		"in place of KAI's wall-clock budgets: so many pods are placed in sets of victims that do not do, for a "
		"job in an action (for all jobs a quarter more); 11520: about KAI's four minutes; 0: no bound",
		0, INT64_MAX / 2 },
	[RUNAI_BACKOFF_MIN] = { "min-failed-search-backoff", SL_PARAM_TIME, NULL, NULL,
		"after a search for victims that found none the job is not searched for so long, twice as long each time "
		"(later than commit d5bc503a); 0: at once again",
		0, TIMES_MAX },
	[RUNAI_BACKOFF_MAX] = { "max-failed-search-backoff", SL_PARAM_TIME, NULL, NULL,
		"at most so long; at least min-failed-search-backoff", 0, TIMES_MAX },
	[RUNAI_USAGE] = { "usage", SL_PARAM_CHOICE, NULL, "off|sliding",
		"time-based fair share: what queues had lately counts (usageDBConfig)", 0, 0 },
	[RUNAI_K] = { "k-value", SL_PARAM_REAL, NULL, "0..1000000", "how much past use counts (kValue)", 0,
		MILLION *MILLION },
	[RUNAI_HALF_LIFE] = { "half-life", SL_PARAM_TIME, NULL, NULL,
		"of past use (halfLifePeriod); 0: it counts in full", 0, INT64_MAX / 4 },
	[RUNAI_WINDOW] = { "window-size", SL_PARAM_TIME, NULL, NULL, "past use counts so far back", 1,
		INT64_MAX / 4 },
	[RUNAI_FETCH] = { "fetch-interval", SL_PARAM_TIME, NULL, NULL, "past use is sampled so far apart", 1,
		INT64_MAX / 4 },
};

static int take_actions(struct kai_config *config, const char *text, struct sl_err *err)
{
	static const char *const names[KAI_ACTIONS] = { "allocate", "consolidation", "reclaim", "preempt",
		"stalegangeviction" };
	uint32_t seen = 0;
	config->action_count = 0;
	while (*text) {
		const size_t len = strcspn(text, "+");
		uint32_t at = 0;
		while (at < KAI_ACTIONS && (strlen(names[at]) != len || memcmp(names[at], text, len) != 0))
			at++;
		if (at == KAI_ACTIONS || seen >> at & 1)
			return sl_fail(err, SL_USAGE,
				"actions: '%.*s' is %s: join some of allocate, consolidation, reclaim, "
				"preempt, stalegangeviction by '+'",
				(int)len, text, at == KAI_ACTIONS ? "none" : "there twice");
		seen |= 1U << at;
		config->action[config->action_count++] = (enum kai_action)at;
		text += len + (text[len] == '+');
	}
	return SL_OK;
}

static int take_staleness(struct kai_config *config, const char *text, struct sl_err *err)
{
	if (strcmp(text, "never") == 0)
		config->staleness = -1;
	else if (!sl_get_duration(text, strlen(text), &config->staleness) || config->staleness < 0)
		return sl_fail(err, SL_USAGE,
			"default-staleness-grace-period: '%.40s' is neither a time, as 60 or 5m, nor "
			"'never'",
			text);
	return SL_OK;
}

static enum kai_placement strategy(const struct sl_value *value)
{
	return value->number == 1 ? KAI_SPREAD : KAI_BINPACK;
}

/* As the files' placementStrategy: what is said of actions comes after it. */
static void take_placement(struct kai_config *config, const struct sl_value *values)
{
	if (values[RUNAI_GPU_PLACEMENT].text)
		config->gpu_placement = strategy(&values[RUNAI_GPU_PLACEMENT]);
	if (values[RUNAI_CPU_PLACEMENT].text)
		config->cpu_placement = strategy(&values[RUNAI_CPU_PLACEMENT]);
	if (values[RUNAI_GPU_PLACEMENT].text || values[RUNAI_CPU_PLACEMENT].text)
		runai_follow_strategy(config);
	if (values[RUNAI_GPU_ORDER].text)
		config->gpu_order = strategy(&values[RUNAI_GPU_ORDER]);
}

static void take_plain(struct kai_config *config, const struct sl_value *values)
{
	const struct sl_value *value = values;
	if ((value = &values[RUNAI_DEPTH])->text)
		for (int i = 0; i < KAI_ACTIONS; i++)
			config->depth[i] = (uint32_t)value->number;
	if ((value = &values[RUNAI_CONSOLIDATION_MAX])->text)
		config->consolidation_max = value->number;
	if ((value = &values[RUNAI_CONSOLIDATING_RECLAIM])->text)
		config->consolidating_reclaim = value->number != 0;
	if ((value = &values[RUNAI_SATURATION])->text)
		config->saturation = (double)value->number / 1e6;
	if ((value = &values[RUNAI_PREEMPT_MIN])->text)
		config->preempt_min = value->number;
	if ((value = &values[RUNAI_RECLAIM_MIN])->text)
		config->reclaim_min = value->number;
	if ((value = &values[RUNAI_RECLAIM_METHOD])->text)
		config->reclaim_by_queue = value->number == 1;
	if ((value = &values[RUNAI_SIGNATURES])->text)
		config->signatures = value->number != 0;
	if ((value = &values[RUNAI_ORDER])->text)
		config->fresh_order = value->number == 1;
	if ((value = &values[RUNAI_REMAINDERS])->text)
		config->remainders_by_group = value->number == 1;
	if ((value = &values[RUNAI_PRIORITY_RECLAIM])->text)
		config->priority_reclaim = value->number != 0;
	if ((value = &values[RUNAI_WORKERS_ONLY])->text)
		config->gpu_workers_only = value->number != 0;
	if ((value = &values[RUNAI_SCENARIOS])->text)
		config->scenarios_max = (uint64_t)value->number;
	if ((value = &values[RUNAI_PODS])->text)
		config->pods_max = (uint64_t)value->number;
	for (int i = 0; i < KAI_SEARCHES; i++) {
		if (values[RUNAI_BACKOFF_MIN].text)
			config->backoff_min[i] = values[RUNAI_BACKOFF_MIN].number;
		if (values[RUNAI_BACKOFF_MAX].text)
			config->backoff_max[i] = values[RUNAI_BACKOFF_MAX].number;
	}
	if ((value = &values[RUNAI_K])->text)
		config->k = (double)value->number / 1e6;
}

static int take_usage(struct runai_pool *pool, const struct sl_value *values, struct sl_err *err)
{
	static const enum runai_param of_usage[] = { RUNAI_HALF_LIFE, RUNAI_WINDOW, RUNAI_FETCH };
	struct kai_usage_config *config = &pool->usage_config;
	if (values[RUNAI_USAGE].text)
		pool->usage = values[RUNAI_USAGE].number == 1;
	if (values[RUNAI_USAGE].text && pool->usage)
		config->kind = KAI_SLIDING;
	for (size_t i = 0; !pool->usage && i < SL_LEN(of_usage); i++)
		if (values[of_usage[i]].text)
			return sl_fail(err, SL_USAGE,
				"%s is of time-based fair share, which is off: say usage=sliding, or "
				"usageDBConfig in a file",
				runai_params[of_usage[i]].key);
	if (values[RUNAI_HALF_LIFE].text)
		config->half_life = values[RUNAI_HALF_LIFE].number;
	if (values[RUNAI_WINDOW].text)
		config->window = values[RUNAI_WINDOW].number;
	if (values[RUNAI_FETCH].text)
		config->step = values[RUNAI_FETCH].number;
	return SL_OK;
}

int runai_params_apply(struct runai_config *config, const struct sl_value *values, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; !status && i < config->pool_count; i++) {
		struct kai_config *to = &config->pool[i].config;
		take_placement(to, values);
		take_plain(to, values);
		if (values[RUNAI_ACTIONS].text)
			status = take_actions(to, values[RUNAI_ACTIONS].text, err);
		if (!status && values[RUNAI_STALENESS].text)
			status = take_staleness(to, values[RUNAI_STALENESS].text, err);
		if (!status)
			status = take_usage(&config->pool[i], values, err);
	}
	return status;
}
