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

/* ---- Actions ------------------------------------------------------------------------------------ */

static const char *const action_names[] = { "allocate", "consolidation", "reclaim", "preempt",
	"stalegangeviction", NULL };

/* enabled, and priority: higher runs first; 500 down to 100. */
static void read_actions(struct sl_at at, struct kai_config *config)
{
	int64_t priority[KAI_ACTIONS];
	bool on[KAI_ACTIONS] = { false };
	if (sl_at_is_null(at))
		return;
	for (int i = 0; i < KAI_ACTIONS; i++)
		priority[i] = 500 - 100 * i;
	for (uint32_t i = 0; i < config->action_count; i++)
		on[config->action[i]] = true;
	SL_AT_EACH (one, at) {
		int row = 0;
		while (action_names[row] && strcmp(action_names[row], sl_at_key(one)) != 0)
			row++;
		if (!action_names[row]) {
			(void)sl_at_fail(one,
				"'%.60s' is no action: write one of allocate, consolidation, reclaim, preempt, "
				"stalegangeviction",
				sl_at_key(one));
			return;
		}
		on[row] = sl_at_bool(sl_at_get(one, "enabled"), on[row]);
		priority[row] = sl_at_int(sl_at_get(one, "priority"), priority[row], -1000000, 1000000);
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

static void read_depths(struct sl_at at, struct kai_config *config)
{
	SL_AT_EACH (one, at)
		for (int i = 0; action_names[i]; i++)
			if (strcmp(action_names[i], sl_at_key(one)) == 0)
				config->depth[i] = (uint32_t)sl_at_int(one, 0, 0, INT32_MAX);
}

/* Later than commit d5bc503a: by action, or default. Budgets by the clock are not read. */
static void read_backoff(struct sl_at at, sl_time backoff[KAI_SEARCHES])
{
	for (int i = 0; i < KAI_SEARCHES; i++) {
		const struct sl_at own = sl_at_get(at, action_names[KAI_CONSOLIDATION + i]);
		backoff[i] = runai_time(own.node ? own : sl_at_get(at, "default"), backoff[i]);
	}
}

/* ---- Plugins ------------------------------------------------------------------------------------ */

static const char *const strategies[] = { "binpack", "spread", NULL };

static void read_proportion(struct sl_at at, struct kai_config *config)
{
	config->k = runai_real(sl_at_get(at, "kValue"), config->k);
	config->priority_reclaim =
		sl_at_bool(sl_at_get(at, "queuePriorityInQuotaReclaim"), config->priority_reclaim);
	const struct sl_at more = sl_at_get(at, "reclaimerUtilizationMultiplier");
	const double saturation = runai_real(more, config->saturation);
	if (saturation < 1) /* KAI takes less for 1, too. */
		runai_note(more, "reclaimerUtilizationMultiplier is less than 1: KAI takes it for 1");
	config->saturation = saturation < 1 ? 1 : saturation;
}

static void read_minruntime(struct sl_at at, struct kai_config *config)
{
	static const char *const methods[] = { "lca", "queue", NULL };
	config->preempt_min = runai_time(sl_at_get(at, "defaultPreemptMinRuntime"), config->preempt_min);
	config->reclaim_min = runai_time(sl_at_get(at, "defaultReclaimMinRuntime"), config->reclaim_min);
	config->reclaim_by_queue =
		sl_at_word(sl_at_get(at, "reclaimResolveMethod"), methods, config->reclaim_by_queue) == 1;
}

static enum kai_placement strategy_of(struct sl_at at, enum kai_placement fallback)
{
	return sl_at_word(at, strategies, fallback == KAI_SPREAD) == 1 ? KAI_SPREAD
	       : fallback == KAI_PLAIN                                 ? KAI_PLAIN
								       : KAI_BINPACK;
}

static void read_placement(struct sl_at at, struct kai_config *config)
{
	const struct sl_at gpu = sl_at_get(at, "gpu");
	const struct sl_at cpu = sl_at_get(at, "cpu");
	if (!sl_at_is_null(gpu))
		config->gpu_placement = strategy_of(gpu, KAI_BINPACK);
	if (!sl_at_is_null(cpu))
		config->cpu_placement = strategy_of(cpu, KAI_BINPACK);
}

static const struct {
	const char *name;
	uint32_t bit; /* 0: it decides nothing here. */
	void (*arguments)(struct sl_at at, struct kai_config *config);
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
static void read_plugin(struct sl_at at, struct kai_config *config)
{
	const bool on = sl_at_bool(sl_at_get(at, "enabled"), true);
	for (size_t i = 0; i < SL_LEN(plugins); i++) {
		if (strcmp(plugins[i].name, sl_at_key(at)) != 0)
			continue;
		config->plugins = on ? config->plugins | plugins[i].bit : config->plugins & ~plugins[i].bit;
		if (plugins[i].arguments && on)
			plugins[i].arguments(sl_at_get(at, "arguments"), config);
		return;
	}
	if (on && strcmp(sl_at_key(at), "numa") == 0)
		runai_note(at, "the plugin numa is not modelled: NUMA nodes are not told apart");
}

/* ---- Command line ------------------------------------------------------------------------------- */

/* Those of spec.args that decide something. */
static void read_args(struct sl_at at, struct kai_config *config)
{
	config->signatures = sl_at_bool(sl_at_get(at, "use-scheduling-signatures"), config->signatures);
	config->consolidating_reclaim =
		sl_at_bool(sl_at_get(at, "allow-consolidating-reclaim"), config->consolidating_reclaim);
	config->consolidation_max = sl_at_int(
		sl_at_get(at, "max-consolidation-preemptees"), config->consolidation_max, -1, INT32_MAX);
	config->staleness = runai_time(sl_at_get(at, "default-staleness-grace-period"), config->staleness);
	config->gpu_workers_only =
		sl_at_bool(sl_at_get(at, "restrict-node-scheduling"), config->gpu_workers_only);
	const struct sl_at period = sl_at_get(at, "schedule-period");
	if (!sl_at_is_null(period))
		runai_note(period, "how often it decides is the policy's parameter 'cycle'");
	const struct sl_at flat = sl_at_get(at, "full-hierarchy-fairness");
	if (!sl_at_bool(flat, true))
		runai_note(flat,
			"fairness among projects of all departments alone is not modelled: departments count");
}

/* ---- Time-based fair share -------------------------------------------------------------------------------
 */

/* RFC 3339 in UTC, as seconds since the epoch. */
static sl_time runai_read_shard_date_of(struct sl_at at)
{
	const char *text = runai_text(at);
	const size_t len = text ? strlen(text) : 0;
	sl_time time = 0;
	if (len && text[len - 1] == 'Z' && sl_get_date(text, len - 1, &time))
		return time;
	if (text)
		(void)sl_at_fail(at, "'%.40s' is not a time as 2026-01-31T00:00:00Z", text);
	return 0;
}

static void read_cron(struct sl_at at, struct sl_at kind, struct kai_usage_config *config)
{
	const char *text = runai_text(at);
	struct sl_err err = { 0 };
	if (!text)
		(void)sl_at_fail(kind, "a window of cron needs 'cronString', as \"0 0 * * 1\"");
	else if (kai_cron_parse(text, &config->cron, &err))
		(void)sl_at_fail(at, "%s", err.text);
}

static void read_usage(struct sl_at at, struct runai_pool *pool)
{
	static const char *const windows[] = { "sliding", "tumbling", "cron", NULL };
	if (sl_at_is_null(at))
		return;
	const struct sl_at params = sl_at_get(at, "usageParams");
	struct kai_usage_config *config = &pool->usage_config;
	const struct sl_at kind = sl_at_get(params, "windowType");
	pool->usage = true;
	config->half_life = runai_time(sl_at_get(params, "halfLifePeriod"), config->half_life);
	config->window = runai_time(sl_at_get(params, "windowSize"), config->window);
	config->step = runai_time(sl_at_get(params, "fetchInterval"), config->step);
	config->start = runai_read_shard_date_of(sl_at_get(params, "tumblingWindowStartTime"));
	const int word = sl_at_word(kind, windows, 0);
	config->kind = word == 2 ? KAI_CRON : word == 1 ? KAI_TUMBLING : KAI_SLIDING;
	if (word == 2)
		read_cron(sl_at_get(params, "cronString"), kind, config);
	if (config->window <= 0 || config->step <= 0 || config->half_life < 0)
		(void)sl_at_fail(
			at, "windowSize and fetchInterval must be more than 0, halfLifePeriod not less");
}

/* ---- The whole ---------------------------------------------------------------------------------- */

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

void runai_read_scheduler(struct sl_at spec, struct runai_pool *pool)
{
	struct kai_config *config = &pool->config;
	pool->own = true;
	read_placement(sl_at_get(spec, "placementStrategy"), config);
	runai_follow_strategy(config);
	config->k = runai_real(sl_at_get(spec, "kValue"), config->k);
	const struct sl_at least = sl_at_get(spec, "minRuntime");
	config->preempt_min = runai_time(sl_at_get(least, "preemptMinRuntime"), config->preempt_min);
	config->reclaim_min = runai_time(sl_at_get(least, "reclaimMinRuntime"), config->reclaim_min);
	read_depths(sl_at_get(spec, "queueDepthPerAction"), config);
	read_backoff(sl_at_get(spec, "scenarioSearchBudgets.minFailedSearchBackoff"), config->backoff_min);
	read_backoff(sl_at_get(spec, "scenarioSearchBudgets.maxFailedSearchBackoff"), config->backoff_max);
	read_actions(sl_at_get(spec, "actions"), config);
	SL_AT_EACH (one, sl_at_get(spec, "plugins"))
		read_plugin(one, config);
	read_args(sl_at_get(spec, "args"), config);
	read_usage(sl_at_get(spec, "usageDBConfig"), pool);
}

/* Without a value of the label it is of the nodes that have none. */
void runai_read_shard(struct sl_at at, const struct sl_object *object)
{
	struct runai_reading *r = runai_of(at);
	const char *value = runai_text(sl_at_get(at, "spec.partitionLabelValue"));
	uint32_t row = 0;
	if (value) {
		if (runai_find_pool(r->config, object->name) != KAI_NO) {
			(void)sl_at_fail(
				at, "the node pool '%.80s' is there twice: leave one out", object->name);
			return;
		}
		row = runai_new_pool(at, object->name);
		if (row == KAI_NO)
			return;
		r->config->pool[row].key = r->config->pool_label;
		r->config->pool[row].value = value;
	}
	runai_read_scheduler(sl_at_get(at, "spec"), &r->config->pool[row]);
}

void runai_read_kai_config(struct sl_at at, const struct sl_object *object)
{
	(void)object;
	const char *label = runai_text(sl_at_get(at, "spec.global.nodePoolLabelKey"));
	if (label)
		runai_of(at)->config->pool_label = label;
}
