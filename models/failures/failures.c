/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures.c - nodes and jobs fail, and are mended: what the engine calls.
 *
 * After A. Kokolis et al., "Revisiting Reliability in Large-Scale Machine Learning Research Clusters", HPCA
 * 2025 (rates by node, lemons, health checks, ETTR), and the Llama team, "The Llama 3 Herd of Models", 2024
 * (causes). A job that loses one node loses all and goes back into the queue, with the work that other models
 * keep for it.
 */
#include "models/failures/failures.h"

void failures_wake(struct sim *sim, sl_time at, enum fail_timer what, uint32_t index)
{
	if (at != SL_NEVER)
		sl_model_wake(sim, at, index * FAIL_TIMERS + (uint32_t)what);
}

static int make_jobs(struct failures *f, struct sl_err *err)
{
	const uint32_t count = f->setup.jobs->count;
	const uint32_t index_max = (UINT32_C(1) << 28) / FAIL_TIMERS;
	if (count >= index_max || f->node_count >= index_max)
		return sl_fail(err, SL_INPUT,
			"failures: more than %u jobs or nodes: take a part of the trace (--jobs)",
			index_max - 1);
	f->job = sl_alloc(f->setup.arena, (size_t)count + 1, sizeof(*f->job));
	f->running = sl_alloc(f->setup.arena, (size_t)count + 1, sizeof(*f->running));
	f->victim = sl_alloc(f->setup.arena, (size_t)count + 1, sizeof(*f->victim));
	if (!f->job || !f->running || !f->victim)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		f->job[i] = (struct fail_job){ .first = SL_NONE,
			.failed = SL_NONE,
			.paused = SL_NONE,
			.due = SL_NEVER,
			.hurt = SL_NEVER,
			.due_work = SL_NEVER,
			.wake = SL_NEVER,
			.productive = SL_NONE,
			.ended = SL_NONE };
	return SL_OK;
}

static int failures_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct failures *f = sl_alloc(setup->arena, 1, sizeof(*f));
	if (!f)
		return sl_fail_memory(err);
	f->setup = *setup;
	*state = f;
	int status = failures_options_read(&f->options, setup, err);
	if (!status)
		status = failures_causes_make(f, setup, err);
	if (!status)
		status = failures_nodes_make(f, setup, err);
	if (!status)
		status = failures_groups_make(f, setup, err);
	if (!status)
		status = make_jobs(f, err);
	const struct fail_options *o = &f->options;
	f->failures_cause = o->job_rate > 0 || o->gpu_rate > 0 || o->job_share > 0 || o->cancel_share > 0;
	return status;
}

static void failures_begin(void *state, struct sim *sim)
{
	struct failures *f = state;
	f->begun = sl_now(sim);
	failures_nodes_begin(f, sim);
	failures_groups_begin(f, sim);
}

static void failures_started(void *state, struct sim *sim, sl_job job)
{
	failures_job_started(state, sim, job.row);
}

static void failures_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	failures_job_left(state, sim, job.row, how);
}

static void failures_timer(void *state, struct sim *sim, uint32_t row)
{
	static void (*const due[])(struct failures *, struct sim *, uint32_t) = {
		[FAIL_T_NODE] = failures_node_due,
		[FAIL_T_SEEN] = failures_node_seen,
		[FAIL_T_ALARM] = failures_node_alarm,
		[FAIL_T_BACK] = failures_node_back,
		[FAIL_T_GROUP] = failures_group_out,
		[FAIL_T_GROUP_BACK] = failures_group_back,
		[FAIL_T_JOB] = failures_job_due,
		[FAIL_T_WORK] = failures_job_work,
		[FAIL_T_HURT] = failures_job_hurt,
	};
	SL_CHECK(row % FAIL_TIMERS < SL_LEN(due));
	due[row % FAIL_TIMERS](state, sim, row / FAIL_TIMERS);
}

static void failures_settle(void *state, struct sim *sim)
{
	struct failures *f = state;
	if (f->draining && f->left_now)
		failures_drained(f, sim);
	f->left_now = false;
}

/* Down by whichever model: the first to take it down counts. */
static void failures_node(void *state, struct sim *sim, uint32_t node, bool up)
{
	struct failures *f = state;
	if (node >= f->node_count)
		return;
	struct fail_node *n = &f->node[node];
	if (up && n->away) {
		f->away += failures_times(1, sl_now(sim) - n->away_since, 1);
		n->away = 0;
	} else if (!up && !n->away) {
		n->away = 1;
		n->away_since = sl_now(sim);
	}
}

const struct sl_model model_failures = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "failures",
	.summary = "nodes and jobs fail, and are mended",
	.paper = "Kokolis et al., HPCA 2025; The Llama 3 Herd of Models, 2024",
	.params = failures_params,
	.param_count = FAIL_PARAMS,
	.init = failures_init,
	.begin = failures_begin,
	.started = failures_started,
	.left = failures_left,
	.timer = failures_timer,
	.settle = failures_settle,
	.node = failures_node,
	.report = failures_report,
};
