/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai.c - the policy `runai`: its parameters, the engine's events, and its orders to the engine.
 *
 * Run:AI's projects and departments, scheduled as the KAI scheduler does (kai-scheduler/KAI-Scheduler, commit
 * d5bc503a).
 */
#include "policies/runai/runai_params.h"

#include <inttypes.h>
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

/* ---- Orders ---- */

void runai_broke(struct runai *r, int status)
{
	if (!r->status)
		r->status = status;
}

bool runai_reserve(struct runai *r, void **array, size_t *capacity, size_t size, size_t wanted)
{
	if (wanted <= *capacity)
		return true;
	const int status =
		sl_array_grow(array, size, capacity, sizeof(*capacity), wanted, UINT32_MAX / 2, &r->err);
	if (status)
		runai_broke(r, status);
	return !status;
}

struct runai_order *runai_order(struct runai *r, enum runai_what what, uint32_t row)
{
	size_t capacity = r->order_capacity;
	if (r->pass != r->next) {
		r->pass = r->next;
		r->order_count = 0;
		r->holding_count = 0;
	}
	if (!runai_reserve(r, (void **)&r->order, &capacity, sizeof(*r->order), (size_t)r->order_count + 1))
		return NULL;
	r->order_capacity = (uint32_t)capacity;
	struct runai_order *order = &r->order[r->order_count++];
	*order = (struct runai_order){ .what = what, .row = row, .rule = SL_RULE_ADMIT, .whose = UINT32_MAX };
	return order;
}

void runai_reason(struct runai *r, uint32_t row, enum sl_reason reason)
{
	if (r->run[row].reason == reason || r->run[row].in_engine)
		return;
	struct runai_order *order = runai_order(r, RUNAI_REASON, row);
	if (!order)
		return;
	order->reason = reason;
	r->run[row].reason = (uint8_t)reason;
}

static bool carry_out_start(struct runai *r, struct sl_pass *pass, const struct runai_order *order)
{
	const sl_job job = { order->row };
	struct sl_holding *holding = &r->holding[order->holding];
	for (size_t i = 0; i < order->holding_count; i++)
		holding[i].gpus = r->types ? &r->gpus[(order->holding + i) * r->types] : NULL;
	if (order->what == RUNAI_RESIZE)
		return sl_resize_holding(pass, job, holding, order->holding_count, order->tasks);
	if (r->run[order->row].least < r->run[order->row].most)
		return sl_start_sized_holding(pass, job, holding, order->holding_count, order->tasks);
	return sl_start_holding(pass, job, holding, order->holding_count);
}

static bool carry_out(struct runai *r, struct sl_pass *pass, const struct runai_order *order)
{
	const sl_job job = { order->row };
	sl_by(pass, order->rule, (sl_job){ order->whose });
	switch (order->what) {
	case RUNAI_START:
	case RUNAI_RESIZE:
		return carry_out_start(r, pass, order);
	case RUNAI_REQUEUE:
		return sl_requeue(pass, job, order->state);
	case RUNAI_CHECKPOINT:
		return sl_preempt(pass, job, SL_PREEMPT_CHECKPOINT);
	case RUNAI_END:
		return sl_end(pass, job, order->state);
	case RUNAI_REASON:
		if (sl_state_of(pass, job) == SL_PENDING) /* It may have started behind that. */
			sl_set_reason(pass, job, order->reason, 0);
		return true;
	}
	return false;
}

/* The policy's books and the engine's are of the same nodes: it is a mistake of ours. */
static void fail_order(struct runai *r, struct sl_pass *pass, const struct runai_order *order)
{
	static const char *const name[] = { "start", "requeue", "checkpoint", "end", "resize", "reason" };
	char at[40];
	*sl_put_micro(at, sl_now(pass)) = '\0';
	(void)sl_fail(&r->err, SL_INTERNAL,
		"policy 'runai' and the engine disagree at %s s: the order '%s' for job %" PRId64
		", which is %s, cannot be carried out",
		at, name[order->what], r->jobs->id[order->row],
		sl_state_name(sl_state_of(pass, (sl_job){ order->row })));
	sl_fail_run(pass, &r->err);
}

static void runai_pass(void *state, struct sl_pass *pass)
{
	struct runai *r = state;
	if (r->pass != sl_pass_number(pass))
		return;
	for (uint32_t i = 0; i < r->order_count; i++) {
		if (carry_out(r, pass, &r->order[i]))
			continue;
		fail_order(r, pass, &r->order[i]);
		return;
	}
}

/* ---- Events ---- */

static sl_time begins(const struct runai *r, uint32_t row)
{
	const struct sl_jobs *jobs = r->jobs;
	const sl_time begin =
		jobs->more_of && jobs->more_of[row] ? jobs->more[jobs->more_of[row]].begin : SL_NONE;
	return begin == SL_NONE ? r->now : begin;
}

static void submit(struct runai *r, uint32_t row)
{
	if (begins(r, row) <= r->now) {
		runai_submit(r, row);
		return;
	}
	runai_reason(r, row, SL_REASON_BEGIN_TIME);
	runai_due(r, begins(r, row), RUNAI_DUE_BEGIN, row);
}

static void tell(struct runai *r, const struct sl_pass *pass, const struct sl_event *event)
{
	switch (event->class) {
	case SL_EV_SUBMIT:
		submit(r, event->row);
		break;
	case SL_EV_JOB_END:
	case SL_EV_CANCEL:
		runai_over(r, event->row);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
		runai_node(r, event->row,
			sl_node_is_up(pass, event->row) && !sl_node_is_drained(pass, event->row));
		break;
	case SL_EV_MODEL:
		runai_lost(r, event->row);
		break;
	case SL_EV_TIMER:
		if (r->woken <= event->time)
			r->woken = SL_NEVER;
		runai_run_now(r);
		break;
	case SL_EV_TIME_LIMIT:
	case SL_EV_RESERVATION:
	case SL_EV_CLASS_COUNT:
		break; /* Not under SL_USE_CONTROL. */
	}
}

/* Sessions run behind all that happens at an instant, and when something is due. */
static void wake(struct runai *r, struct sl_pass *pass, bool now)
{
	const sl_time next = now ? r->now : runai_due_next(r);
	if (next == SL_NEVER || next >= r->woken)
		return;
	r->woken = next;
	sl_wake_event(pass, next, 0);
}

static bool is_stopping(const void *pass) { return sl_stopping(pass); }

static void listen(struct runai *r, const struct sl_pass *pass)
{
	for (uint32_t i = 0; i < r->world_count; i++) {
		r->world[i].kai->stopping = is_stopping;
		r->world[i].kai->stopping_of = pass;
	}
}

static void runai_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct runai *r = state;
	r->now = event->time;
	listen(r, pass);
	r->next = sl_pass_number(pass) + 1;
	tell(r, pass, event);
	wake(r, pass, event->class != SL_EV_TIMER);
	if (!r->status && !r->err.status)
		return;
	if (!r->err.status)
		(void)sl_fail(&r->err, r->status, "out of memory");
	sl_fail_run(pass, &r->err);
}

static bool runai_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	const struct runai *r = state;
	const struct sl_jobs *jobs = r->jobs;
	(void)pass;
	return !jobs->more_of || !jobs->more_of[job.row] || jobs->more[jobs->more_of[job.row]].requeue != 0;
}

/* ---- Begin and end ---- */

static int read_jobs(struct runai *r, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t row = 0; !status && row < r->jobs->count; row++) {
		struct runai_run *run = &r->run[row];
		run->job = KAI_NO;
		run->evicted_at = SL_NONE;
		run->by = UINT32_MAX;
		run->first = SL_NONE;
		run->reason = SL_REASON_PENDING_EVALUATION;
		const struct sl_pods *pods = sl_pods_of(r->arena, r->jobs, r->cluster, row, err);
		if (!pods)
			return err->status ? err->status : sl_fail_memory(err);
		status =
			runai_job_read(&r->config, r->arena, r->jobs, row, r->cluster, pods, &run->said, err);
		r->mapped[run->said.mapped]++;
		runai_sizes(r, row, pods, &run->least, &run->most);
		runai_remark_job(r, row, pods);
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
	r->woken = r->usage_at = SL_NEVER;
	r->stages[RUNAI_AWAY] = r->jobs->count;
	r->session_at = SL_NONE;
	if (!r->cluster->node_count)
		return sl_fail(err, SL_USAGE,
			"policy 'runai' places pods on nodes: describe the cluster in a file (-c CLUSTER), not as a number "
			"of cpus");
	r->types = r->cluster->kind_count > SL_KIND_GPUS ? r->cluster->kind_count - SL_KIND_GPUS : 0;
	r->run = sl_alloc(r->arena, (size_t)r->jobs->count + 1, sizeof(*r->run));
	if (!r->run)
		return sl_fail_memory(err);
	int status = runai_read(&r->config, r->arena, sl_param_doc(setup, "projects"), r->cluster->object,
		r->cluster->object_count, err);
	if (!status)
		runai_remark_files(r, setup);
	if (!status && r->config.queue_count == 0)
		status = runai_default_projects(r, err);
	if (!status)
		status = runai_params_apply(&r->config, setup->values, err);
	if (!status)
		status = runai_worlds_make(r, setup, err);
	if (!status)
		status = read_jobs(r, err);
	if (!status)
		runai_remark_jobs(r, setup);
	if (!status)
		status = runai_windows_make(r, err);
	if (!status)
		status = sl_use(setup,
			SL_USE_CONTROL | SL_USE_NODES | SL_USE_OWN_DEVICES |
				(r->checkpoint || r->elastic ? SL_USE_PREEMPT : 0U),
			err);
	sl_default_reason(setup, SL_REASON_PENDING_EVALUATION);
	if (!status)
		status = runai_course_make(r, err);
	return status;
}

static void runai_gone(void *state)
{
	struct runai *r = state;
	runai_course_release(r);
	runai_worlds_release(r);
	runai_release(&r->config);
	free(r->shape);
	sl_map_free(&r->shape_map);
	free(r->agenda);
	free(r->order);
	free(r->holding);
	free(r->gpus);
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
	.pass = runai_pass,
	.on_event = runai_event,
	.release = runai_gone,
	.compat = runai_compats,
	.requeues = runai_requeues,
	.reasons = runai_reasons,
	.show = runai_show,
	.tell = runai_tell,
};
