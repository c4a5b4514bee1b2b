/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai.c - the policy `runai`: its parameters, the engine's events, and its orders to the engine.
 *
 * Run:AI's projects and departments, scheduled as the KAI scheduler does (kai-scheduler/KAI-Scheduler, commit
 * d5bc503a).
 */
#include "policies/runai/runai_params.h"

#include <stdlib.h>
#include <string.h>

/* Requests beyond every quota wait. */
static const struct sl_compat runai_compats[] = {
	{ "kai", NULL, "replay.impossible=keep" },
	{ 0 },
};

static const enum sl_reason runai_reasons[] = { SL_REASON_OVER_LIMIT, SL_REASON_NP_OVER_QUOTA,
	SL_REASON_PREEMPTION_DELAY, SL_REASON_QUEUE_DOES_NOT_EXIST, SL_REASON_POD_ERRORS, SL_REASON_TOPOLOGY,
	SL_REASON_WAITING_FOR_PREEMPTED, SL_REASON_MISCONFIGURED, SL_REASON_PENDING_EVALUATION,
	SL_REASON_BEGIN_TIME, SL_REASON_COUNT };

bool runai_reserve(struct runai *r, void **array, size_t *capacity, size_t size, size_t wanted)
{
	return controller_reserve(&r->engine, array, capacity, size, wanted);
}

/* ---- Events ---- */

void runai_due_task(struct runai *r, sl_time at, enum runai_due due, uint32_t row, uint32_t task)
{
	const uint32_t stamp = row < r->jobs->count ? r->run[row].stamp : 0;
	controller_due(&r->engine,
		(struct due){ .at = at, .what = (int)due, .row = row, .stamp = stamp, .task = task });
}

void runai_due(struct runai *r, sl_time at, enum runai_due due, uint32_t row)
{
	runai_due_task(r, at, due, row, 0);
}

static void runai_hear(void *state, sl_time now) { ((struct runai *)state)->now = now; }

static void runai_on_submit(void *state, uint32_t row) { runai_submit(state, row); }

static void runai_later(void *state, uint32_t row, sl_time begin)
{
	runai_due(state, begin, RUNAI_DUE_BEGIN, row);
}

static void runai_on_over(void *state, uint32_t row, bool cancelled)
{
	(void)cancelled;
	runai_over(state, row);
}

static void lost(void *state, uint32_t row) { runai_lost(state, row); }

static void runai_report_node(void *state, uint32_t node, bool up, bool drained)
{
	runai_node(state, node, up && !drained);
}

static void runai_on_run(void *state) { runai_run_now(state); }

/* Sessions run behind all that happens at an instant, and when something is due. */
static sl_time runai_next(void *state, bool reported)
{
	const struct runai *r = state;
	return reported ? r->now : controller_due_next(&r->engine);
}

static const struct controller_calls runai_calls = { runai_hear, runai_on_submit, runai_later, runai_on_over,
	lost, runai_report_node, runai_on_run, runai_next };

/* ---- Begin and end ---- */

static int read_jobs(struct runai *r, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t row = 0; !status && row < r->jobs->count; row++) {
		struct runai_run *run = &r->run[row];
		run->job = KAI_NO;
		run->evicted_at = SL_NONE;
		run->cause = UINT32_MAX;
		run->first = SL_NONE;
		const struct sl_pods *pods = sl_pods_of(r->arena, r->jobs, r->cluster, row, err);
		if (!pods)
			return err->status ? err->status : sl_fail_memory(err);
		status =
			runai_job_read(&r->config, r->arena, r->jobs, row, r->cluster, pods, &run->said, err);
		r->mapped[run->said.mapped]++;
		runai_sizes(r, row, pods, &run->least, &run->most);
		runai_warning_job(r, row, pods);
		r->elastic |= run->least < run->most;
	}
	return status;
}

static int runai_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct runai *r = sl_alloc(setup->arena, 1, sizeof(*r));
	*state = r;
	if (!r)
		return sl_fail_memory(err);
	r->arena = setup->arena;
	r->jobs = setup->jobs;
	r->cluster = setup->cluster;
	r->grace = setup->values[RUNAI_GRACE].number;
	r->cycle = setup->values[RUNAI_CYCLE].number;
	r->checkpoint = setup->values[RUNAI_RESUME].number == 0;
	r->kill = setup->overrun == SL_OVERRUN_KILL;
	r->usage_at = SL_NEVER;
	r->stages[RUNAI_AWAY] = r->jobs->count;
	r->session_at = SL_NONE;
	if (!r->cluster->node_count)
		return sl_fail(err, SL_USAGE,
			"policy 'runai' places pods on nodes: describe the cluster in a file (-c CLUSTER), not as a number "
			"of cpus");
	r->run = sl_alloc(r->arena, (size_t)r->jobs->count + 1, sizeof(*r->run));
	if (!r->run)
		return sl_fail_memory(err);
	r->engine = (struct controller){ .policy = "runai",
		.calls = &runai_calls,
		.cause = { SL_RULE_ADMIT, CONTROLLER_NOBODY },
		.dependencies = controller_use_dependencies(setup) != 0,
		.anew = SL_REASON_COUNT };
	int status = controller_make(&r->engine, setup, SL_REASON_PENDING_EVALUATION, err);
	if (!status)
		status = runai_read(&r->config, r->arena, sl_param_doc(setup, "projects"), r->cluster->object,
			r->cluster->object_count, err);
	if (!status)
		runai_warning_files(r, setup);
	if (!status && r->config.queue_count == 0)
		status = runai_default_projects(r, err);
	if (!status)
		status = runai_params_apply(&r->config, setup->values, err);
	if (!status)
		status = runai_instances_make(r, setup, err);
	if (!status)
		status = read_jobs(r, err);
	if (!status)
		runai_warning_jobs(r, setup);
	if (!status)
		status = runai_windows_make(r, err);
	if (!status)
		status = sl_use(setup,
			SL_USE_CONTROL | SL_USE_NODES | SL_USE_OWN_DEVICES |
				controller_use_dependencies(setup) |
				(r->checkpoint || r->elastic ? SL_USE_PREEMPT : 0U),
			err);
	sl_default_reason(setup, SL_REASON_PENDING_EVALUATION);
	if (!status)
		status = runai_series_make(r, err);
	return status;
}

static void runai_gone(void *state)
{
	struct runai *r = state;
	runai_series_release(r);
	runai_instances_release(r);
	runai_release(&r->config);
	free(r->shape);
	sl_map_free(&r->shape_map);
	controller_release(&r->engine);
	free(r->eviction);
	free(r->step);
}

const struct sl_policy runai_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "runai",
	.summary =
		"as Run:AI and its KAI scheduler: projects, departments, over-quota, reclaim, GPU fractions",
	.paper = "kai-scheduler/KAI-Scheduler; Run:AI administrator guide",
	.params = runai_params,
	.param_count = RUNAI_PARAMS,
	.init = runai_init,
	.pass = controller_pass,
	.on_event = controller_event,
	.release = runai_gone,
	.compat = runai_compats,
	.requeues = controller_requeues,
	.reasons = runai_reasons,
	.table = runai_table,
	.report = runai_report,
};
