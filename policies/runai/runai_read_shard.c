/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read_shard.c - settings of the scheduler: KAI's SchedulingShard and Config, and `scheduler:` of the
 * projects file, which has the fields of a shard's spec.
 *
 * kai-scheduler/KAI-Scheduler: deployments/kai-scheduler/crds/kai.scheduler_schedulingshards.yaml (v1), its
 * scheduler's command line for spec.args, and its plugins' documents for their arguments. Plugins and actions
 * that have no decision here (snapshot, ray, kubeflow, ...) may be named and change nothing.
 */
#include <string.h>

#include "policies/runai/runai_reading.h"

/* ---- Actions ---------------------------------------------------------------------------------------------
 */

static const char *const action_names[] = { "allocate", "consolidation", "reclaim", "preempt",
	"stalegangeviction", NULL };

/* enabled, and priority: higher runs first; 500 down to 100. */
static void read_actions(struct runai_at at, struct kai_config *config)
{
	int64_t priority[KAI_ACTIONS];
	bool on[KAI_ACTIONS] = { false };
	if (runai_is_null(at))
		return;
	for (int i = 0; i < KAI_ACTIONS; i++)
		priority[i] = 500 - 100 * i;
	for (uint32_t i = 0; i < config->action_count; i++)
		on[config->action[i]] = true;
	for (struct runai_at one = runai_first(at); one.node; one = runai_next(one)) {
		int row = 0;
		while (action_names[row] && strcmp(action_names[row], runai_key(one)) != 0)
			row++;
		if (!action_names[row]) {
			runai_fail(one,
				"'%.60s' is no action: write one of allocate, consolidation, reclaim, preempt, "
				"stalegangeviction",
				runai_key(one));
			return;
		}
		on[row] = runai_bool(runai_get(one, "enabled"), on[row]);
		priority[row] = runai_int(runai_get(one, "priority"), priority[row], -1000000, 1000000);
	}
	config->action_count = 0;
	for (int i = 0; i < KAI_ACTIONS; i++) {
		uint32_t place = config->action_count;
		if (!on[i])
			continue;
		for (; place && priority[config->action[place - 1]] < priority[i]; place--)
			config->action[place] = config->action[place - 1];
		config->action[place] = (enum kai_action)i;
		config->action_count++;
	}
}

static void read_depths(struct runai_at at, struct kai_config *config)
{
	for (struct runai_at one = runai_first(at); one.node; one = runai_next(one))
		for (int i = 0; action_names[i]; i++)
			if (strcmp(action_names[i], runai_key(one)) == 0)
				config->depth[i] = (uint32_t)runai_int(one, 0, 0, INT32_MAX);
}

/* Later than commit d5bc503a: by action, or default. Budgets by the clock are not read. */
static void read_backoff(struct runai_at at, sl_time backoff[KAI_SEARCHES])
{
	for (int i = 0; i < KAI_SEARCHES; i++) {
		const struct runai_at own = runai_get(at, action_names[KAI_CONSOLIDATION + i]);
		backoff[i] = runai_time(own.node ? own : runai_get(at, "default"), backoff[i]);
	}
}

/* ---- Plugins ---------------------------------------------------------------------------------------------
 */

static const char *const strategies[] = { "binpack", "spread", NULL };

static void read_proportion(struct runai_at at, struct kai_config *config)
{
	config->k = runai_real(runai_get(at, "kValue"), config->k);
	config->priority_reclaim =
		runai_bool(runai_get(at, "queuePriorityInQuotaReclaim"), config->priority_reclaim);
	const struct runai_at more = runai_get(at, "reclaimerUtilizationMultiplier");
	const double saturation = runai_real(more, config->saturation);
	if (saturation < 1) /* KAI takes less for 1, too. */
		runai_note(more, "reclaimerUtilizationMultiplier is less than 1: KAI takes it for 1");
	config->saturation = saturation < 1 ? 1 : saturation;
}

static void read_minruntime(struct runai_at at, struct kai_config *config)
{
	static const char *const methods[] = { "lca", "queue", NULL };
	config->preempt_min = runai_time(runai_get(at, "defaultPreemptMinRuntime"), config->preempt_min);
	config->reclaim_min = runai_time(runai_get(at, "defaultReclaimMinRuntime"), config->reclaim_min);
	config->reclaim_by_queue =
		runai_word(runai_get(at, "reclaimResolveMethod"), methods, config->reclaim_by_queue) == 1;
}

static enum kai_placement strategy_of(struct runai_at at, enum kai_placement fallback)
{
	return runai_word(at, strategies, fallback == KAI_SPREAD) == 1 ? KAI_SPREAD
	       : fallback == KAI_PLAIN                                 ? KAI_PLAIN
								       : KAI_BINPACK;
}

static void read_placement(struct runai_at at, struct kai_config *config)
{
	const struct runai_at gpu = runai_get(at, "gpu");
	const struct runai_at cpu = runai_get(at, "cpu");
	if (!runai_is_null(gpu))
		config->gpu_placement = strategy_of(gpu, KAI_BINPACK);
	if (!runai_is_null(cpu))
		config->cpu_placement = strategy_of(cpu, KAI_BINPACK);
}

static const struct {
	const char *name;
	uint32_t bit; /* 0: it decides nothing here. */
	void (*arguments)(struct runai_at at, struct kai_config *config);
} plugins[] = {
	{ "proportion", KAI_PLUGIN_PROPORTION, read_proportion },
	{ "priority", KAI_PLUGIN_PRIORITY, NULL },
	{ "elastic", KAI_PLUGIN_ELASTIC, NULL },
	{ "nodeplacement", KAI_PLUGIN_NODEPLACEMENT, read_placement },
	{ "gpupack", KAI_PLUGIN_GPUPACK, NULL },
	{ "gpuspread", KAI_PLUGIN_GPUSPREAD, NULL },
	{ "nodeavailability", KAI_PLUGIN_NODEAVAILABILITY, NULL },
	{ "resourcetype", KAI_PLUGIN_RESOURCETYPE, NULL },
	{ "gpusharingorder", KAI_PLUGIN_GPUSHARING, NULL },
	{ "topology", KAI_PLUGIN_TOPOLOGY, NULL },
	{ "minruntime", KAI_PLUGIN_MINRUNTIME, read_minruntime },
	{ "taskorder", KAI_PLUGIN_TASKORDER, NULL },
	{ "subgrouporder", KAI_PLUGIN_SUBGROUPORDER, NULL },
	{ "nominatednode", KAI_PLUGIN_NOMINATED, NULL },
};

/* Without an entry here a plugin stays as it is. */
static void read_plugin(struct runai_at at, struct kai_config *config)
{
	const bool on = runai_bool(runai_get(at, "enabled"), true);
	for (size_t i = 0; i < SL_LEN(plugins); i++) {
		if (strcmp(plugins[i].name, runai_key(at)) != 0)
			continue;
		config->plugins = on ? config->plugins | plugins[i].bit : config->plugins & ~plugins[i].bit;
		if (plugins[i].arguments && on)
			plugins[i].arguments(runai_get(at, "arguments"), config);
		return;
	}
	if (on && strcmp(runai_key(at), "numa") == 0)
		runai_note(at, "the plugin numa is not modelled: NUMA nodes are not told apart");
}

/* ---- Command line ----------------------------------------------------------------------------------------
 */

/* Those of spec.args that decide something. */
static void read_args(struct runai_at at, struct kai_config *config)
{
	config->signatures = runai_bool(runai_get(at, "use-scheduling-signatures"), config->signatures);
	config->consolidating_reclaim =
		runai_bool(runai_get(at, "allow-consolidating-reclaim"), config->consolidating_reclaim);
	config->consolidation_max = runai_int(
		runai_get(at, "max-consolidation-preemptees"), config->consolidation_max, -1, INT32_MAX);
	config->staleness = runai_time(runai_get(at, "default-staleness-grace-period"), config->staleness);
	config->gpu_workers_only =
		runai_bool(runai_get(at, "restrict-node-scheduling"), config->gpu_workers_only);
	const struct runai_at period = runai_get(at, "schedule-period");
	if (!runai_is_null(period))
		runai_note(period, "how often it decides is the policy's parameter 'cycle'");
	const struct runai_at flat = runai_get(at, "full-hierarchy-fairness");
	if (!runai_bool(flat, true))
		runai_note(flat,
			"fairness among projects of all departments alone is not modelled: departments count");
}

/* ---- Time-based fair share -------------------------------------------------------------------------------
 */

/* RFC 3339 in UTC, as seconds since the epoch. */
static sl_time date_of(struct runai_at at)
{
	const char *text = runai_text(at);
	const size_t len = text ? strlen(text) : 0;
	sl_time time = 0;
	if (len && text[len - 1] == 'Z' && sl_get_date(text, len - 1, &time))
		return time;
	if (text)
		runai_fail(at, "'%.40s' is not a time as 2026-01-31T00:00:00Z", text);
	return 0;
}

static void read_cron(struct runai_at at, struct runai_at kind, struct kai_usage_config *config)
{
	const char *text = runai_text(at);
	struct sl_err err = { 0 };
	if (!text)
		runai_fail(kind, "a window of cron needs 'cronString', as \"0 0 * * 1\"");
	else if (kai_cron_parse(text, &config->cron, &err))
		runai_fail(at, "%s", err.text);
}

static void read_usage(struct runai_at at, struct runai_pool *pool)
{
	static const char *const windows[] = { "sliding", "tumbling", "cron", NULL };
	if (runai_is_null(at))
		return;
	const struct runai_at params = runai_get(at, "usageParams");
	struct kai_usage_config *config = &pool->usage_config;
	const struct runai_at kind = runai_get(params, "windowType");
	pool->usage = true;
	config->half_life = runai_time(runai_get(params, "halfLifePeriod"), config->half_life);
	config->window = runai_time(runai_get(params, "windowSize"), config->window);
	config->step = runai_time(runai_get(params, "fetchInterval"), config->step);
	config->start = date_of(runai_get(params, "tumblingWindowStartTime"));
	const int word = runai_word(kind, windows, 0);
	config->kind = word == 2 ? KAI_CRON : word == 1 ? KAI_TUMBLING : KAI_SLIDING;
	if (word == 2)
		read_cron(runai_get(params, "cronString"), kind, config);
	if (config->window <= 0 || config->step <= 0 || config->half_life < 0)
		runai_fail(at, "windowSize and fetchInterval must be more than 0, halfLifePeriod not less");
}

/* ---- The whole -------------------------------------------------------------------------------------------
 */

/* As KAI's operator writes the configuration: consolidation where neither GPUs nor cpus are spread,
 * gpusharingorder where GPUs are packed. What plugins and actions say for themselves comes after it. */
void runai_follow_strategy(struct kai_config *config)
{
	config->gpu_order = config->gpu_placement;
	if (config->gpu_placement == KAI_SPREAD)
		config->plugins &= ~(uint32_t)KAI_PLUGIN_GPUSHARING;
	if (config->gpu_placement != KAI_SPREAD && config->cpu_placement != KAI_SPREAD)
		return;
	uint32_t count = 0;
	for (uint32_t i = 0; i < config->action_count; i++)
		if (config->action[i] != KAI_CONSOLIDATION)
			config->action[count++] = config->action[i];
	config->action_count = count;
}

void runai_read_scheduler(struct runai_at spec, struct runai_pool *pool)
{
	struct kai_config *config = &pool->config;
	pool->own = true;
	read_placement(runai_get(spec, "placementStrategy"), config);
	runai_follow_strategy(config);
	config->k = runai_real(runai_get(spec, "kValue"), config->k);
	const struct runai_at least = runai_get(spec, "minRuntime");
	config->preempt_min = runai_time(runai_get(least, "preemptMinRuntime"), config->preempt_min);
	config->reclaim_min = runai_time(runai_get(least, "reclaimMinRuntime"), config->reclaim_min);
	read_depths(runai_get(spec, "queueDepthPerAction"), config);
	read_backoff(runai_get(spec, "scenarioSearchBudgets.minFailedSearchBackoff"), config->backoff_min);
	read_backoff(runai_get(spec, "scenarioSearchBudgets.maxFailedSearchBackoff"), config->backoff_max);
	read_actions(runai_get(spec, "actions"), config);
	for (struct runai_at one = runai_first(runai_get(spec, "plugins")); one.node; one = runai_next(one))
		read_plugin(one, config);
	read_args(runai_get(spec, "args"), config);
	read_usage(runai_get(spec, "usageDBConfig"), pool);
}

/* Without a value of the label it is of the nodes that have none. */
void runai_read_shard(struct runai_at at, const struct sl_object *object)
{
	struct runai_reading *r = at.r;
	const char *value = runai_text(runai_get(at, "spec.partitionLabelValue"));
	uint32_t row = 0;
	if (value) {
		if (runai_find_pool(r->config, object->name) != KAI_NO) {
			runai_fail(at, "the node pool '%.80s' is there twice: leave one out", object->name);
			return;
		}
		row = runai_new_pool(at, object->name);
		if (row == KAI_NO)
			return;
		r->config->pool[row].key = r->config->pool_label;
		r->config->pool[row].value = value;
	}
	runai_read_scheduler(runai_get(at, "spec"), &r->config->pool[row]);
}

void runai_read_kai_config(struct runai_at at, const struct sl_object *object)
{
	(void)object;
	const char *label = runai_text(runai_get(at, "spec.global.nodePoolLabelKey"));
	if (label)
		at.r->config->pool_label = label;
}
