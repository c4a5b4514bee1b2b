/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm.c - the policy `slurm`: slurmctld (ctl.h) between the engine's events and its passes.
 *
 * Each event goes to the controller, which changes at once and gives orders; the pass that follows hands
 * these to the engine, and does nothing else. So a pass that is run twice does the same twice: orders are
 * kept by the number of the pass they are for. Where the controller has something to do later, it is woken by
 * an event of the last class of an instant, behind all that else happens then.
 */
#include "policies/slurm/control/ctl.h"
#include "policies/slurm/control/ctl_pool.h"
#include "policies/slurm/control/ctl_whole.h"
#include "policies/slurm/select/asks.h"
#include "policies/slurm/select/holding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parameters ------------------------------------------------------------------------------------- */

enum {
	PARAM_COMPAT,
	PARAM_START,
	PARAM_SKIP,
	PARAM_BOOT,
	PARAM_CALC,
	PARAM_BF_WINDOW, /* From here on: SchedulerParameters (ctl_conf.c). */
	PARAM_BF_RESOLUTION,
	PARAM_BF_INTERVAL,
	PARAM_BF_MAX_JOB_TEST,
	PARAM_BF_MAX_JOB_USER,
	PARAM_BF_MAX_JOB_PART,
	PARAM_QUEUE_DEPTH,
	PARAM_SCHED_INTERVAL,
	PARAM_COUNT
};

static const struct sl_param slurm_params[PARAM_COUNT] = {
	[PARAM_COMPAT] = { "compat", SL_PARAM_CHOICE, "22.05", "22.05",
		"whose rules: those of slurmctld of that version", 0, 0 },
	[PARAM_START] = { "start", SL_PARAM_INT, "0", "0..299",
		"when slurmctld was started, in seconds of five minutes by the log's clock: its look at time limits comes "
		"every 30 s from then on, that at usage every PriorityCalcPeriod",
		0, 299 },
	[PARAM_SKIP] = { "skip", SL_PARAM_BOOL, "1", NULL,
		"leave out backfill passes that find nothing changed (same results, sooner)", 0, 0 },
	[PARAM_BOOT] = { "boot", SL_PARAM_TIME, NULL, NULL,
		"how long a node that was switched off takes to boot; without it half of its ResumeTimeout",
		0, INT64_C(1000000000000) },
	[PARAM_CALC] = { "calc", SL_PARAM_INT, "0", "0..86399",
		"how many seconds after slurmctld's start it came to its first look at usage (it waits for the database "
		"before)",
		0, 86399 },
	[PARAM_BF_WINDOW] = { "bf_window", SL_PARAM_INT, NULL, "1..43200",
		"in place of slurm.conf's SchedulerParameters: how many minutes ahead backfill plans", 1,
		43200 },
	[PARAM_BF_RESOLUTION] = { "bf_resolution", SL_PARAM_INT, NULL, "1..3600",
		"likewise: seconds to which its plan is exact", 1, 3600 },
	[PARAM_BF_INTERVAL] = { "bf_interval", SL_PARAM_INT, NULL, "1..10800",
		"likewise: seconds between its passes", 1, 10800 },
	[PARAM_BF_MAX_JOB_TEST] = { "bf_max_job_test", SL_PARAM_INT, NULL, "1..1000000",
		"likewise: how many jobs it looks at", 1, 1000000 },
	[PARAM_BF_MAX_JOB_USER] = { "bf_max_job_user", SL_PARAM_INT, NULL, "0..1000000",
		"likewise: how many of one user; 0: all", 0, 1000000 },
	[PARAM_BF_MAX_JOB_PART] = { "bf_max_job_part", SL_PARAM_INT, NULL, "0..1000000",
		"likewise: how many of one partition; 0: all", 0, 1000000 },
	[PARAM_QUEUE_DEPTH] = { "default_queue_depth", SL_PARAM_INT, NULL, "0..2147483647",
		"likewise: how many jobs a pass at an event looks at", 0, INT32_MAX },
	[PARAM_SCHED_INTERVAL] = { "sched_interval", SL_PARAM_INT, NULL, "1..2147483647",
		"likewise: seconds between passes over the whole queue", 1, INT32_MAX },
};

/* Requests that no node can meet are slurmctld's to refuse, jobs over their limit its to end. */
static const struct sl_compat slurm_compats[] = {
	{ "22.05", NULL, "replay.overrun=kill,replay.impossible=keep" },
	{ 0 },
};

/* ---- Orders ---------------------------------------------------------------------------------------------
 */

struct order {
	enum ctl_order what;
	uint32_t row;
	enum sl_state state;
	enum sl_reason reason;
	sl_time eligible; /* Or, of CTL_PLAN, the planned start. */
	const char *why;
	struct ctl_by by;
	size_t holding; /* The first, of so many. */
	size_t holding_count;
};

struct ctl_orders {
	uint64_t pass; /* That they are for; */
	uint64_t next; /* that comes next. */
	struct order *order;
	size_t count, capacity;
	struct sl_holding *holding; /* Those of all; gpus: set when they are handed over. */
	uint32_t *gpus;             /* By holding and type of GPU. */
	size_t holding_count, holding_capacity;
	struct holding_gpus kinds;
	int64_t cpu_parts, gpu_parts; /* The engine's, of a cpu and a GPU. */
	sl_time woken;   /* The engine wakes the controller then; SL_NEVER: not unless something happens. */
	sl_time changed; /* When there last was an order, or anything happened. */
	uint32_t told;   /* Jobs that were submitted. */
	uint8_t *reason; /* By job: told last. */
};

void ctl_failed(struct ctl *c, int status)
{
	if (!c->status)
		c->status = status;
}

bool ctl_goes_on(const struct ctl *c) { return !c->status && !(c->pass && sl_stopping(c->pass)); }

static bool reserve(struct ctl *c, void **array, size_t *capacity, size_t size, size_t wanted)
{
	if (wanted <= *capacity)
		return true;
	const int status = sl_array_grow(array, size, capacity, sizeof(*capacity), wanted, SIZE_MAX, &c->err);
	if (status)
		ctl_failed(c, status);
	return !status;
}

/* What the job has by the time of the order: it may have it no longer when the pass comes. */
static void copy_holdings(struct ctl *c, const struct select_alloc *alloc, struct order *order)
{
	struct ctl_orders *orders = c->orders;
	const size_t wanted = orders->holding_count + alloc->node_count;
	const size_t before = orders->holding_capacity;
	size_t room = before;
	size_t gpus_room = before * orders->kinds.types;
	if (!reserve(c, (void **)&orders->holding, &room, sizeof(*orders->holding), wanted))
		return;
	if (room > before && !reserve(c, (void **)&orders->gpus, &gpus_room, sizeof(*orders->gpus),
				     room * orders->kinds.types + 1))
		return;
	orders->holding_capacity = room;
	order->holding = orders->holding_count;
	order->holding_count = alloc->node_count;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const struct select_piece *piece = &alloc->piece[i];
		const size_t at = orders->holding_count++;
		uint32_t *gpus = &orders->gpus[at * orders->kinds.types];
		holding_count(&orders->kinds, piece, gpus);
		for (uint32_t k = 0; k < orders->kinds.types; k++)
			gpus[k] *= (uint32_t)orders->gpu_parts;
		orders->holding[at] = (struct sl_holding){ .node = piece->node,
			.tasks = piece->tasks,
			.cpus = piece->cpus * orders->cpu_parts,
			.mem = piece->mem };
	}
}

static bool is_ended(enum sl_state state)
{
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

void ctl_order(struct ctl *c, struct ctl_job *job, enum ctl_order order, const char *why)
{
	struct ctl_orders *orders = c->orders;
	if (orders->pass != orders->next) {
		orders->pass = orders->next;
		orders->count = orders->holding_count = 0;
	}
	if (order == CTL_REASON && orders->reason[job->row] == (uint8_t)job->reason)
		return;
	if (!reserve(
		    c, (void **)&orders->order, &orders->capacity, sizeof(*orders->order), orders->count + 1))
		return;
	const ctl_time at = order == CTL_PLAN ? job->planned : job->eligible;
	struct order made = { .what = order,
		.row = job->row,
		.state = job->ended_as,
		.reason = job->reason,
		.eligible = at == CTL_NONE ? SL_NONE : ctl_engine_time(c, at),
		.why = why,
		.by = c->by };
	if (order == CTL_START)
		copy_holdings(c, job->alloc, &made);
	if (order == CTL_REASON)
		orders->reason[job->row] = (uint8_t)job->reason;
	else if (order != CTL_PLAN)
		orders->changed = c->now_us;
	if (order == CTL_REQUEUE) {
		made.state = is_ended(job->ended_as) ? job->ended_as : SL_PREEMPTED;
		orders->reason[job->row] = SL_REASON_NONE; /* As the engine has it of one that waits anew. */
	}
	orders->order[orders->count++] = made;
}

/* ---- A pass: what was ordered
 * ------------------------------------------------------------------------------ */

static bool carry_out_start(struct ctl_orders *orders, struct sl_pass *pass, const struct order *order)
{
	struct sl_holding *holding = &orders->holding[order->holding];
	for (size_t i = 0; i < order->holding_count; i++)
		holding[i].gpus = &orders->gpus[(order->holding + i) * orders->kinds.types];
	return sl_start_holding(pass, (sl_job){ order->row }, holding, order->holding_count);
}

static bool carry_out(struct ctl_orders *orders, struct sl_pass *pass, const struct order *order)
{
	const sl_job job = { order->row };
	sl_by(pass, order->by.rule, (sl_job){ order->by.whose });
	switch (order->what) {
	case CTL_START:
		return carry_out_start(orders, pass, order);
	case CTL_END:
	case CTL_DROP:
		return sl_end(pass, job, order->state);
	case CTL_REFUSE:
		return sl_refuse(pass, job, order->why);
	case CTL_REQUEUE:
		return sl_requeue(pass, job, order->state);
	case CTL_SUSPEND:
		return sl_preempt(pass, job, SL_PREEMPT_SUSPEND);
	case CTL_RESUME:
		return sl_resume(pass, job);
	case CTL_REASON:
		sl_set_reason(pass, job, order->reason, 0);
		return true;
	case CTL_ELIGIBLE:
		sl_set_eligible(pass, job, order->eligible);
		return true;
	case CTL_PLAN:
		sl_tell_plan(pass, job, order->eligible);
		return true;
	case CTL_ORDERS:
		break;
	}
	return false;
}

/* The controller's books and the engine's are of the same machine: it is a mistake of ours. */
static void fail_order(struct ctl *c, struct sl_pass *pass, const struct order *order)
{
	static const char *const name[] = { [CTL_START] = "start",
		[CTL_END] = "end",
		[CTL_DROP] = "drop",
		[CTL_REFUSE] = "refuse",
		[CTL_REQUEUE] = "requeue",
		[CTL_SUSPEND] = "suspend",
		[CTL_RESUME] = "resume",
		[CTL_REASON] = "reason",
		[CTL_ELIGIBLE] = "eligible",
		[CTL_PLAN] = "plan",
		[CTL_ORDERS] = "?" };
	char at[40];
	*sl_put_micro(at, sl_now(pass)) = '\0';
	(void)sl_fail(&c->err, SL_INTERNAL,
		"policy 'slurm' and the engine disagree at %s s: the order '%s' for job %" PRId64
		", which is %s, cannot be carried out",
		at, name[order->what], c->jobs->id[order->row],
		sl_state_name(sl_state_of(pass, (sl_job){ order->row })));
	sl_fail_run(pass, &c->err);
}

static void slurm_pass(void *state, struct sl_pass *pass)
{
	struct ctl *c = state;
	struct ctl_orders *orders = c->orders;
	if (orders->pass != sl_pass_number(pass))
		return;
	for (size_t i = 0; i < orders->count; i++) {
		if (carry_out(orders, pass, &orders->order[i]))
			continue;
		fail_order(c, pass, &orders->order[i]);
		return;
	}
}

/* ---- Events
 * ---------------------------------------------------------------------------------------------------- */

/* As the log says that it ended, where it does: jobs may depend on that. */
static enum sl_state state_told(const struct ctl_job *job)
{
	const enum sl_state recorded = job->more->state_recorded;
	return is_ended(recorded) ? recorded : SL_COMPLETED;
}

enum { QUIET = 2 * 86400, QUIET_MAX = 60 * 86400 }; /* Seconds. */

/* Time alone may yet let one of those that wait start: usage decays (by QUIET_MAX it has, by any usual
 * half-life), reservations and outages end. */
static bool may_change(const struct ctl *c)
{
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW; row = c->job[row].next) {
		const char *reason = sl_reason_name(c->job[row].reason);
		if (strstr(reason, "Minutes") || strstr(reason, "Wall") || c->job[row].deadline > c->now)
			return true;
	}
	return ctl_resv_next(c) != CTL_NEVER || ctl_node_next(c) != CTL_NEVER;
}

static bool will_begin(const struct ctl *c)
{
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (c->job[row].begin != CTL_NONE && c->job[row].begin > c->now)
			return true;
	return false;
}

/* Nothing runs, nobody comes, and nothing has happened for so long: what waits, waits for ever. */
static bool is_over(const struct ctl *c)
{
	const struct ctl_orders *orders = c->orders;
	if (c->running_count || orders->told < c->jobs->count)
		return false;
	if (!c->pending_count)
		return true;
	const sl_time quiet = c->now_us - orders->changed;
	if (quiet <= QUIET * SL_SECOND || ctl_command_next(c) != SL_NEVER || will_begin(c))
		return false;
	return quiet > QUIET_MAX * SL_SECOND || !may_change(c);
}

/* Once for the earliest; an earlier one that came to nothing wakes it in vain. */
static void wake(struct ctl *c, struct sl_pass *pass)
{
	struct ctl_orders *orders = c->orders;
	if (is_over(c))
		return;
	sl_time next = ctl_next(c);
	if (next == SL_NEVER)
		return;
	next = next > c->now_us ? next : c->now_us;
	if (next >= orders->woken)
		return;
	orders->woken = next;
	sl_wake_event(pass, next, CTL_NO_ROW);
}

/* As the log says that it ended, unless a model had it fail. */
static enum sl_state ended_as(const struct ctl *c, const struct sl_pass *pass, uint32_t job)
{
	const enum sl_state state = sl_state_of(pass, (sl_job){ job });
	return state == SL_COMPLETED ? state_told(&c->job[job]) : state;
}

/* A model has it fail: what was ordered for it at this instant is void. */
static void forget_orders(struct ctl_orders *orders, uint32_t row)
{
	orders->reason[row] = SL_REASON_NONE; /* As the engine has it of one that waits anew. */
	if (orders->pass != orders->next)
		return;
	size_t kept = 0;
	for (size_t i = 0; i < orders->count; i++)
		if (orders->order[i].row != row)
			orders->order[kept++] = orders->order[i];
	orders->count = kept;
}

static bool slurm_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	(void)pass;
	const struct ctl *c = state;
	return c->job[job.row].requeue_ok;
}

static void tell(struct ctl *c, const struct sl_pass *pass, const struct sl_event *event)
{
	struct ctl_orders *orders = c->orders;
	switch (event->class) {
	case SL_EV_SUBMIT:
		orders->told++;
		ctl_submit(c, &c->job[event->row]);
		break;
	case SL_EV_JOB_END:
		if (sl_state_of(pass, (sl_job){ event->row }) != SL_COMPLETED)
			forget_orders(orders, event->row);
		ctl_end(c, &c->job[event->row], ended_as(c, pass, event->row), true);
		break;
	case SL_EV_CANCEL:
		if (c->job[event->row].state != CTL_ENDED)
			ctl_end(c, &c->job[event->row], SL_CANCELLED, true);
		break;
	case SL_EV_TIMER:
		if (orders->woken <= event->time)
			orders->woken = SL_NEVER;
		ctl_run(c);
		return;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
		ctl_node_told(c, event->row, !sl_node_is_up(pass, event->row),
			sl_node_is_drained(pass, event->row));
		break;
	case SL_EV_MODEL:
		forget_orders(orders, event->row);
		ctl_requeued(c, &c->job[event->row], sl_state_of(pass, (sl_job){ event->row }));
		break;
	case SL_EV_TIME_LIMIT:
	case SL_EV_RESERVATION:
	case SL_EV_CLASS_COUNT:
		return; /* Not under SL_USE_CONTROL. */
	}
	orders->changed = event->time;
}

static void slurm_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct ctl *c = state;
	c->pass = pass;
	c->now_us = event->time;
	c->now = ctl_time_of(c, event->time);
	c->orders->next = sl_pass_number(pass) + 1;
	tell(c, pass, event);
	wake(c, pass);
	if (!c->status && !c->err.status)
		return;
	if (!c->err.status)
		(void)sl_fail(&c->err, c->status, "out of memory");
	sl_fail_run(pass, &c->err);
}

/* ---- Begin and end
 * -------------------------------------------------------------------------------------------- */

/* Those that are another policy's count as told. */
static uint32_t count_foreign(const struct sl_setup *setup)
{
	uint32_t count = 0;
	for (uint32_t row = 0; setup->foreign && row < setup->jobs->count; row++)
		count += setup->foreign[row];
	return count;
}

static int make_orders(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	struct ctl_orders *orders = sl_alloc(c->arena, 1, sizeof(*orders));
	c->orders = orders;
	if (!orders)
		return sl_fail_memory(err);
	orders->reason = sl_alloc(c->arena, c->jobs->count + 1, sizeof(*orders->reason));
	if (!orders->reason)
		return sl_fail_memory(err);
	orders->woken = SL_NEVER;
	orders->kinds = holding_gpus_of(c->cluster, c->select);
	orders->cpu_parts = sl_parts(setup->cluster->cpu_parts);
	orders->gpu_parts = sl_parts(setup->cluster->gpu_parts);
	return SL_OK;
}

/* In this order: each may use what those before it made. */
static int make_modules(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	static int (*const make[])(struct ctl *, struct sl_err *) = { ctl_acct_make, ctl_prio_make,
		ctl_job_make, ctl_depend_make, ctl_clock_make, ctl_bf_make, ctl_place_make, ctl_limits_make,
		ctl_preempt_make, ctl_gang_make, ctl_resv_make, ctl_license_make, ctl_node_make };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(make) && !status; i++)
		status = make[i](c, err);
	return status ? status : ctl_power_make(c, setup, err);
}

enum { TICK = 30 }; /* Seconds between looks at time limits. */

static void take_values(struct ctl *c, const struct sl_setup *setup)
{
	const int64_t start = setup->values[PARAM_START].number;
	c->params.tick_phase = start % TICK;
	c->params.calc_phase = start - start % TICK + setup->values[PARAM_CALC].number;
	c->params.skip_unchanged = setup->values[PARAM_SKIP].number != 0;
	c->params.kill = setup->overrun == SL_OVERRUN_KILL;
}

int ctl_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	const bool pool = !setup->cluster->node_count;
	c->arena = setup->arena;
	c->shut = setup->shut;
	c->cluster = pool ? ctl_pool_cluster(setup) : ctl_whole_cluster(setup);
	c->jobs = pool ? ctl_pool_jobs(setup) : ctl_whole_jobs(setup);
	if (!c->cluster || !c->jobs)
		return sl_fail_memory(err);
	c->epoch = setup->epoch;
	c->by.whose = CTL_NO_ROW;
	c->pending_first = c->pending_last = c->running_first = c->running_last = CTL_NO_ROW;
	c->select = select_new(c->cluster, c->arena, err);
	if (!c->select)
		return err->status;
	int status = make_orders(c, setup, err);
	if (!status)
		status = ctl_conf_make(c, setup, err);
	take_values(c, setup);
	if (!status)
		status = make_modules(c, setup, err);
	if (!status)
		status = ctl_power_make(c, setup, err);
	if (!status)
		status = ctl_command_make(c, setup, err);
	if (!status)
		status = ctl_tres_tell(c, setup, err);
	return status;
}

/* What was done before anybody came. */
static void wake_first(struct ctl *c, const struct sl_setup *setup)
{
	const sl_time first = setup->jobs->count ? setup->jobs->submit[0] : SL_NEVER;
	if (!setup->command_count || setup->command[0].at >= first)
		return;
	c->orders->woken = setup->command[0].at;
	sl_wake_event(setup->pass, setup->command[0].at, CTL_NO_ROW);
}

static int slurm_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct ctl *c = sl_alloc(setup->arena, 1, sizeof(*c));
	*state = c;
	if (!c)
		return sl_fail_memory(err);
	const char *why = ctl_not_whole(setup);
	if (why)
		return sl_fail(
			err, SL_USAGE, "policy 'slurm': %s, and Slurm gives out whole cpus and GPUs", why);
	int status = sl_use(setup, SL_USE_CONTROL | SL_USE_NODES, err);
	sl_default_reason(setup, SL_REASON_NONE);
	if (!status)
		status = ctl_make(c, setup, err);
	/* Whom an operator stopped goes on beside whoever has its cores by then. */
	if (!status)
		status = sl_overcommit(setup, ctl_overcommit(c) + ctl_command_suspended(c), err);
	if (status)
		return status;
	c->orders->told = count_foreign(setup);
	wake_first(c, setup);
	return status;
}

static void slurm_release(void *state)
{
	struct ctl *c = state;
	if (!c->orders)
		return;
	free(c->orders->order);
	free(c->orders->holding);
	free(c->orders->gpus);
}

static int slurm_show(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_show *show, struct sl_err *err)
{
	struct ctl *c = state;
	(void)pass;
	c->now = ctl_time_of(c, at);
	return ctl_show(c, what, show, err);
}

const struct sl_policy slurm_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "slurm",
	.summary = "as slurmctld 22.05 decides: main and backfill passes, priorities, limits, preemption, "
		   "reservations",
	.paper = "slurmctld 22.05.8",
	.params = slurm_params,
	.param_count = PARAM_COUNT,
	.init = slurm_init,
	.pass = slurm_pass,
	.on_event = slurm_event,
	.release = slurm_release,
	.compat = slurm_compats,
	.show = slurm_show,
	.requeues = slurm_requeues,
	.reasons = ctl_reasons,
};
