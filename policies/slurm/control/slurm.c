/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm.c - the policy `slurm`: slurmctld (ctl.h) between the engine's events and its passes.
 *
 * Each event goes to the controller, which changes at once and issues orders; the pass that follows hands
 * these to the engine, and does nothing else. So a rerun pass does the same: orders are kept by the number
 * of the pass they are for. Where the controller has something to do later, it is woken by an event of the
 * last class of an instant, behind all that else happens then.
 */
#include "policies/slurm/control/ctl.h"
#include "policies/slurm/control/ctl_whole.h"
#include "policies/slurm/select/asks.h"
#include "policies/slurm/select/node_alloc.h"

#include <string.h>

/* ---- Parameters ------------------------------------------------------------------------------------- */

enum {
	PARAM_COMPAT,
	PARAM_VERSION,
	PARAM_START,
	PARAM_SKIP,
	PARAM_BOOT,
	PARAM_COMPLETE,
	PARAM_CALC,
	PARAM_FIRST,
	PARAM_GROUPS,
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
	[PARAM_COMPAT] = { "compat", SL_PARAM_CHOICE, "slurmctld", "slurmctld|22.05",
		"whose rules: slurmctld's, of the release that version says; 22.05 is the same, an older name",
		0, 0 },
	[PARAM_VERSION] = { "version", SL_PARAM_CHOICE, NULL, "22.05|23.11|24.05|24.11|25.05|25.11|26.05",
		"whose decisions: of slurmctld of that release; without it what scontrol, sacct or squeue say that it was "
		"(SLURM_VERSION, JSON's meta), else 24.11",
		0, 0 },
	[PARAM_START] = { "start", SL_PARAM_INT, "0", "0..299",
		"when slurmctld was started, in seconds of five minutes by the log's clock: its look at time limits comes "
		"every 30 s from then on, that at usage every PriorityCalcPeriod",
		0, 299 },
	[PARAM_SKIP] = { "skip", SL_PARAM_BOOL, "1", NULL,
		"leave out backfill passes that find nothing changed (same results, sooner)", 0, 0 },
	[PARAM_BOOT] = { "boot", SL_PARAM_TIME, NULL, NULL,
		"how long a node that was switched off takes to boot; without it half of its ResumeTimeout",
		0, INT64_C(1000000000000) },
	[PARAM_COMPLETE] = { "complete", SL_PARAM_TIME, NULL, NULL,
		"how long a node is COMPLETING after a job's end: until its epilog is done no job starts there; without it "
		"1 s",
		0, INT64_C(1000000000000) },
	[PARAM_CALC] = { "calc", SL_PARAM_INT, "0", "0..86399",
		"how many seconds after slurmctld's start it came to its first look at usage (it waits for the database "
		"before)",
		0, 86399 },
	[PARAM_FIRST] = { "first", SL_PARAM_CHOICE, "main", "main|backfill",
		"which of main pass and backfill comes first where both are due in one second: slurmctld's threads keep no "
		"order",
		0, 0 },
	[PARAM_GROUPS] = { "groups", SL_PARAM_DOC, NULL, NULL,
		"a file that lists the users of each group, for AllowGroups and reservations of groups", 0,
		0 },
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
	{ "slurmctld", NULL, "replay.overrun=kill,replay.impossible=keep" },
	{ "22.05", NULL,
		"replay.overrun=kill,replay.impossible=keep" }, /* Its name before there were releases. */
	{ 0 },
};

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Allocations of the starts, in the engine's amounts. */
struct ctl_amounts {
	struct node_alloc_gpus gpus;
	int64_t cpu_parts, gpu_parts; /* The engine's, of a cpu and a GPU. */
};

/* What the job has by the time of the order: it may have it no longer when the pass comes. */
static void slurm_hold(struct ctl *c, const struct select_alloc *alloc, struct order *order)
{
	const struct ctl_amounts *amounts = c->amounts;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const struct select_node_alloc *node_alloc = &alloc->node_alloc[i];
		struct sl_node_alloc *of_engine = controller_keep(&c->engine, order, node_alloc->node);
		if (!of_engine)
			return;
		uint32_t *gpus = controller_gpus(&c->engine, of_engine);
		node_alloc_count(&amounts->gpus, node_alloc, gpus);
		for (uint32_t k = 0; k < c->engine.types; k++)
			gpus[k] *= (uint32_t)amounts->gpu_parts;
		of_engine->tasks = node_alloc->tasks;
		of_engine->cpus = node_alloc->cpus * amounts->cpu_parts;
		of_engine->mem = node_alloc->mem;
	}
}

static bool is_ended(enum sl_state state)
{
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* Of all components, as far as they run. */
static void slurm_hold_all(struct ctl *c, const struct ctl_job *job, struct order *order)
{
	if (!job->het)
		slurm_hold(c, job->alloc, order);
	for (uint32_t k = 0; job->het && k < job->het->count; k++)
		if (ctl_het_component(c, job->het, k)->alloc)
			slurm_hold(c, ctl_het_component(c, job->het, k)->alloc, order);
}

/* The engine knows rows of the trace. */
static uint32_t beneficiary_of(const struct ctl *c, const struct ctl_job *job, uint32_t beneficiary)
{
	if (beneficiary >= c->job_count || c->job[beneficiary].of == job->of)
		return CTL_NO_ROW;
	return c->job[beneficiary].of;
}

static ctl_time time_of_order(const struct ctl *c, const struct ctl_job *job, enum order_what what)
{
	if (what != ORDER_PLAN)
		return job->eligible;
	return job->het ? ctl_het_planned_at(c, job->het) : job->planned;
}

void ctl_order(struct ctl *c, struct ctl_job *job, enum order_what what, const char *why)
{
	if (job->het && !ctl_het_order(c, job, &what))
		return;
	if (what == ORDER_REASON) {
		controller_reason(&c->engine, job->of, job->het ? ctl_het_reason(c, job->het) : job->reason);
		return;
	}
	if (what == ORDER_START && ctl_is_past(c)) { /* The engine asks for it as the run begins. */
		c->engine.runs[job->of] = true;
		return;
	}
	struct order *order = controller_order(&c->engine, what, job->of);
	const ctl_time at = time_of_order(c, job, what);
	if (!order)
		return;
	order->cause.beneficiary = beneficiary_of(c, job, order->cause.beneficiary);
	order->at = at == CTL_NONE ? SL_NONE : ctl_engine_time(c, at);
	order->why = why;
	if (what != ORDER_REQUEUE || is_ended(job->ended_as))
		order->state = job->ended_as;
	if (what == ORDER_START || what == ORDER_RESIZE)
		slurm_hold_all(c, job, order);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* As the log says that it ended, where it does: jobs may depend on that. */
static enum sl_state state_reported(const struct ctl_job *job)
{
	const enum sl_state recorded = job->more->state_recorded;
	return is_ended(recorded) ? recorded : SL_COMPLETED;
}

enum { QUIET = 2 * 86400, QUIET_MAX = 60 * 86400 }; /* Seconds. */

/* Limits of TRES minutes and of wall time: what is used of them decays. */
static bool decays(enum sl_reason reason)
{
	static const enum sl_reason range[][2] = {
		{ SL_REASON_ASSOC_GRP_CPU_MINS, SL_REASON_ASSOC_GRP_BILLING_RUN_MINS },
		{ SL_REASON_ASSOC_MAX_CPU_MINS_JOB, SL_REASON_ASSOC_MAX_BILLING_MINS_JOB },
		{ SL_REASON_ASSOC_GRP_WALL, SL_REASON_ASSOC_MAX_WALL },
		{ SL_REASON_QOS_GRP_CPU_MINS, SL_REASON_QOS_GRP_BILLING_RUN_MINS },
		{ SL_REASON_QOS_MAX_CPU_MINS_JOB, SL_REASON_QOS_MAX_BILLING_MINS_JOB },
		{ SL_REASON_QOS_GRP_WALL, SL_REASON_QOS_MAX_WALL },
	};
	for (size_t i = 0; i < SL_LEN(range); i++)
		if (reason >= range[i][0] && reason <= range[i][1])
			return true;
	return false;
}

/* Time alone may yet let one of those that wait start: usage decays (by QUIET_MAX it has, by any usual
 * half-life), reservations and outages end. */
static bool may_change(const struct ctl *c)
{
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (decays(c->job[row].reason) || c->job[row].deadline > c->now)
			return true;
	return ctl_resv_next(c) != CTL_NEVER || ctl_node_next(c) != CTL_NEVER;
}

static bool will_begin(const struct ctl *c)
{
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW; row = c->job[row].next)
		if (c->job[row].begin != CTL_NONE && c->job[row].begin > c->now)
			return true;
	return false;
}

/* Nothing runs, no submission is left, and nothing has happened for so long: pending jobs wait for ever. */
static bool slurm_is_over(const struct ctl *c)
{
	if (c->running_count || c->engine.reported < c->jobs->count)
		return false;
	if (!c->pending_count)
		return true;
	const sl_time quiet = c->now_us - c->engine.changed;
	if (quiet <= QUIET * SL_SECOND || ctl_command_next(c) != SL_NEVER || will_begin(c))
		return false;
	return quiet > QUIET_MAX * SL_SECOND || !may_change(c);
}

/* Once for the earliest; an earlier one that came to nothing wakes it in vain. */
static sl_time slurm_next(void *state, bool reported)
{
	struct ctl *c = state;
	(void)reported;
	const sl_time next = slurm_is_over(c) ? SL_NEVER : ctl_next(c);
	return next > c->now_us ? next : c->now_us;
}

static void slurm_hear(void *state, sl_time now)
{
	struct ctl *c = state;
	c->now_us = now;
	c->now = ctl_time_of(c, now);
	ctl_release_say(c);
	ctl_complete_left(c);
}

static void slurm_submit(void *state, uint32_t row)
{
	struct ctl *c = state;
	ctl_submit(c, &c->job[row]);
}

/* As the log says that it ended, unless a model had it fail: then what was ordered for it at this instant is
 * void. */
static void slurm_over(void *state, uint32_t row, bool cancelled)
{
	struct ctl *c = state;
	struct ctl_job *job = &c->job[row];
	const enum sl_state as = sl_state_of(c->engine.pass, (sl_job){ row });
	if (cancelled || job->state == CTL_PENDING) { /* Of before the beginning: it found no place here. */
		if (job->state != CTL_ENDED)
			ctl_end(c, job, SL_CANCELLED, true);
		return;
	}
	if (as != SL_COMPLETED)
		controller_forget(&c->engine, row);
	ctl_end(c, job, as == SL_COMPLETED ? state_reported(job) : as, true);
}

static void lost(void *state, uint32_t row)
{
	struct ctl *c = state;
	controller_forget(&c->engine, row);
	ctl_requeued(c, &c->job[row], sl_state_of(c->engine.pass, (sl_job){ row }));
}

static void slurm_report_node(void *state, uint32_t node, bool up, bool drained)
{
	ctl_node_reported(state, node, !up, drained);
}

static void slurm_run(void *state) { ctl_run(state); }

static const struct controller_calls slurm_calls = { slurm_hear, slurm_submit, NULL, slurm_over, lost,
	slurm_report_node, slurm_run, slurm_next };

/* A run that begins in the middle of a log: starts come at their times, and as it begins the engine asks
 * where each job runs. */
static void slurm_history(
	void *state, struct sl_pass *pass, sl_job of, enum sl_history_command what, enum sl_preempt how)
{
	struct ctl *c = state;
	struct ctl_job *job = &c->job[of.row];
	(void)how;
	slurm_hear(c, sl_now(pass));
	c->engine.now = sl_now(pass);
	if (what == SL_HISTORY_START) {
		ctl_take_up(c, job);
		controller_wake(&c->engine, pass, slurm_next(c, true));
	} else if (what == SL_HISTORY_RUNS && ctl_is_active(job)) {
		ctl_order(c, job, ORDER_START, NULL);
		controller_runs_on(&c->engine, pass);
	}
}

static bool slurm_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	(void)pass;
	const struct ctl *c = state;
	return c->job[job.row].requeue_ok;
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static int make_engine(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	struct ctl_amounts *amounts = sl_alloc(c->arena, 1, sizeof(*amounts));
	c->amounts = amounts;
	if (!amounts)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	c->engine = (struct controller){ .policy = "slurm",
		.calls = &slurm_calls,
		.cause = { .beneficiary = CTL_NO_ROW },
		.timer = CTL_NO_ROW };
	const int status = controller_make(&c->engine, setup, SL_REASON_NONE, err);
	amounts->gpus = node_alloc_gpus_of(c->cluster, c->select);
	amounts->cpu_parts = sl_parts(setup->cluster->cpu_parts);
	amounts->gpu_parts = sl_parts(setup->cluster->gpu_parts);
	c->engine.types = amounts->gpus.types; /* Of a counted pool: none. */
	return status;
}

/* In this order: each may use what those before it made. */
static int make_modules(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	static int (*const make[])(struct ctl *, struct sl_err *) = { ctl_acct_make, ctl_prio_make,
		ctl_job_make, ctl_depend_make, ctl_clock_make, ctl_bf_make, ctl_place_make, ctl_limits_make,
		ctl_preempt_make, ctl_gang_make, ctl_resv_make, ctl_license_make, ctl_node_make,
		ctl_extra_make, ctl_complete_make };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(make) && !status; i++)
		status = make[i](c, err);
	return status ? status : ctl_power_make(c, setup, err);
}

enum { TICK = 30 }; /* Seconds between looks at time limits. */

static void slurm_take_values(struct ctl *c, const struct sl_setup *setup)
{
	const int64_t start = setup->values[PARAM_START].number;
	c->params.tick_phase = start % TICK;
	c->params.calc_phase = start - start % TICK + setup->values[PARAM_CALC].number;
	const struct sl_value *complete = &setup->values[PARAM_COMPLETE];
	c->params.complete = complete->text ? complete->number : SL_SECOND;
	if (!complete->text && setup->sim)
		ctl_complete_warn(c, setup);
	c->params.backfill_first = strcmp(setup->values[PARAM_FIRST].text, "backfill") == 0;
	c->params.skip_unchanged = setup->values[PARAM_SKIP].number != 0;
	c->params.kill = setup->overrun == SL_OVERRUN_KILL;
}

int ctl_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	const bool pool = !setup->cluster->node_count;
	c->arena = setup->arena;
	c->unavailable = setup->unavailable;
	c->cluster = pool ? ctl_pool_cluster(setup) : ctl_whole_cluster(setup);
	c->jobs = pool ? ctl_pool_jobs(setup) : ctl_whole_jobs(setup);
	if (!c->cluster || !c->jobs)
		return sl_fail_memory(err);
	c->job_count = ctl_job_count(c->jobs);
	c->epoch = setup->epoch;
	c->begin = setup->begin;
	c->pending_first = c->pending_last = c->running_first = c->running_last = CTL_NO_ROW;
	c->select = select_new(c->cluster, c->arena, err);
	if (!c->select)
		return err->status;
	if (!ctl_release_make(c, setup, &setup->values[PARAM_VERSION]))
		return sl_fail_memory(err);
	select_set_version(c->select, (int)c->params.version);
	int status = make_engine(c, setup, err);
	if (!status)
		status = ctl_conf_make(c, setup, err);
	slurm_take_values(c, setup);
	if (!status)
		status = make_modules(c, setup, err);
	if (!status)
		status = ctl_power_make(c, setup, err);
	if (!status)
		status = ctl_groups_make(c, setup, err);
	if (!status)
		status = ctl_command_make(c, setup, err);
	if (!status)
		status = ctl_tres_report(c, setup, err);
	return status;
}

/* Commands before the first submission; of history they come with it. */
static void wake_first(struct ctl *c, const struct sl_setup *setup)
{
	const sl_time first = setup->jobs->count ? setup->jobs->submit[0] : SL_NEVER;
	if (!setup->command_count || setup->command[0].at >= first || setup->begin)
		return;
	controller_wake(&c->engine, setup->sim, setup->command[0].at);
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
	/* A job resumed by an operator runs beside those that have its cores by then. */
	if (!status)
		status = sl_overcommit(setup, ctl_overcommit(c) + ctl_command_suspended(c), err);
	if (status)
		return status;
	wake_first(c, setup);
	return status;
}

static void slurm_release(void *state) { controller_release(&((struct ctl *)state)->engine); }

static int slurm_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err)
{
	struct ctl *c = state;
	(void)pass;
	c->now = ctl_time_of(c, at);
	return ctl_show(c, what, table, err);
}

const struct sl_policy slurm_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "slurm",
	.summary =
		"as slurmctld of a release (version) decides: main and backfill passes, priorities, limits, preemption, "
		"reservations",
	.paper = "slurmctld 22.05.8 to 26.05.5",
	.params = slurm_params,
	.param_count = PARAM_COUNT,
	.init = slurm_init,
	.pass = controller_pass,
	.on_event = controller_event,
	.on_history = slurm_history,
	.release = slurm_release,
	.compat = slurm_compats,
	.table = slurm_table,
	.requeues = slurm_requeues,
	.reasons = ctl_reasons,
};
