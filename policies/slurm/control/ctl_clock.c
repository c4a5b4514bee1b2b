/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_clock.c - when slurmctld does anything (CLAUSES.md 1): its background loop, the scheduler's and the
 * backfill's threads.
 *
 * In a second: operators' commands; nodes, power, reservations; priorities; time limits (the tick); time
 * slices; main passes that were requested, or are due; the backfill. A main pass goes before the backfill of
 * the same second, as the one is made at once and the other's thread has to wake. A job whose end frees
 * resources triggers a further main pass in the same second.
 *
 * slurmctld was started at most two minutes before the first submission, on the whole minute and
 * params.tick_phase seconds: so its passes of sched_interval and bf_interval fall.
 *
 * Passes that would find everything as the last one did are not made (params.skip_unchanged): no state, no
 * reason has changed since, and time alone changes nothing before still_until.
 */
#include "policies/slurm/control/ctl_bf.h"
#include "policies/slurm/control/ctl_place.h"

struct ctl_clock {
	/* The scheduler: */
	bool want, want_full; /* A main pass was asked for (schedule()); */
	bool batch;           /* and one for submissions, which waits for batch_sched_delay. */
	ctl_time passed;      /* The background loop last asked for one; */
	ctl_time passed_full; /* of all jobs. */
	sl_time agent;        /* The agent last made one, in the engine's time. */
	bool agent_ran;
	/* The backfill's thread: */
	ctl_time bf_last, bf_wake;
	ctl_time updated; /* Jobs, nodes or partitions last changed. */
	/* As it was when all of the last instant was done. */
	uint64_t changes;
	bool waited; /* A job waited. */
	/* What a full main pass and a backfill pass last saw; and until when time alone changes nothing of
	 * it. */
	uint64_t main_saw, bf_saw;
	ctl_time main_still, bf_still;
};

enum { MINUTE = 60, STARTED_BEFORE = 30 };

static uint64_t changes_of(const struct ctl *c) { return c->job_changes + c->node_changes + c->part_changes; }
static uint64_t all_changes(const struct ctl *c) { return changes_of(c) + c->reason_changes; }

/* The last time until then that is phase, modulo period. */
static ctl_time last_of(ctl_time until, int64_t period, int64_t phase)
{
	const int64_t beyond = (until - phase) % period;
	return until - (beyond < 0 ? beyond + period : beyond);
}

int ctl_clock_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_clock *k = sl_alloc(c->arena, 1, sizeof(*k));
	c->clock = k;
	if (!k)
		return sl_fail_memory(err);
	const ctl_time first = c->jobs->count ? ctl_time_of(c, c->jobs->submit[0]) : c->epoch;
	const ctl_time start = last_of(first - STARTED_BEFORE, MINUTE, c->params.tick_phase);
	k->passed = k->passed_full = k->bf_last = k->updated = start;
	k->bf_wake =
		c->params.bf_interval > 0 && !c->params.builtin ? start + c->params.bf_interval : CTL_NEVER;
	k->main_saw = k->bf_saw = UINT64_MAX;
	return SL_OK;
}

void ctl_want_pass(struct ctl *c) { c->clock->want = true; }
void ctl_want_batch_pass(struct ctl *c) { c->clock->batch = true; }

void ctl_want_end_pass(struct ctl *c)
{
	if (c->params.defer)
		ctl_want_batch_pass(c);
	else
		ctl_want_pass(c);
}

/* The first whole second that is not before now. */
static ctl_time second_from(const struct ctl *c) { return c->now + (ctl_engine_time(c, c->now) < c->now_us); }

/* ---- Until when nothing but a change can matter -------------------------------------------------------- */

/* Limits of minutes: what is used of them changes with time. */
static bool is_of_time(enum sl_reason reason)
{
	return (reason >= SL_REASON_ASSOC_GRP_CPU_MINS && reason <= SL_REASON_ASSOC_GRP_BILLING_RUN_MINS) ||
	       (reason >= SL_REASON_QOS_GRP_CPU_MINS && reason <= SL_REASON_QOS_GRP_BILLING_RUN_MINS) ||
	       reason == SL_REASON_ASSOC_GRP_WALL || reason == SL_REASON_QOS_GRP_WALL ||
	       reason == SL_REASON_QOS_USAGE;
}

static bool preempts_by_time(const struct ctl *c)
{
	if (!c->params.preempt_by_part && !c->params.preempt_by_qos)
		return false;
	for (uint32_t i = 0; i < c->qos_count; i++)
		if (c->qos[i].exempt_time != CTL_NONE && c->qos[i].exempt_time > 0)
			return true;
	return c->params.preempt_exempt_time > 0;
}

static ctl_time sooner(ctl_time a, ctl_time b) { return a < b ? a : b; }

/* Of a job that waits. c->now: at any time. */
static ctl_time still_job(const struct ctl *c, const struct ctl_job *job)
{
	ctl_time at = sooner(ctl_depend_next(c, job), ctl_preempt_retry(c, job));
	if (is_of_time(job->reason) || (job->desc.desc && job->desc.desc->switches != SL_NONE))
		return c->now;
	if (job->begin != CTL_NONE && job->begin > c->now)
		at = sooner(at, job->begin);
	if (job->begin != CTL_NONE && c->params.bf_min_age_reserve &&
		job->begin + c->params.bf_min_age_reserve > c->now)
		at = sooner(at, job->begin + c->params.bf_min_age_reserve);
	if (job->deadline != CTL_NONE) {
		const int64_t minutes = job->time_min != CTL_NONE ? job->time_min : job->time_limit;
		at = sooner(at, job->deadline - (minutes == CTL_NEVER ? 0 : minutes * 60) + 1);
	}
	return at;
}

static ctl_time still_all(const struct ctl *c)
{
	ctl_time at = CTL_NEVER;
	if (!c->params.skip_unchanged || preempts_by_time(c) || ctl_resv_next(c) != CTL_NEVER)
		return c->now;
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW && at > c->now; row = c->job[row].next)
		at = sooner(at, still_job(c, &c->job[row]));
	return at;
}

/* ---- Main passes --------------------------------------------------------------------------------------- */

static bool main_is_still(const struct ctl *c)
{
	const struct ctl_clock *k = c->clock;
	return k->main_saw == all_changes(c) && c->now < k->main_still;
}

static void main_pass(struct ctl *c)
{
	struct ctl_clock *k = c->clock;
	const bool full = k->want_full;
	k->want = k->want_full = false;
	k->agent = c->now_us;
	k->agent_ran = true;
	if (!c->pending_count || c->params.sched_interval < 0 || (full && main_is_still(c)))
		return;
	if (!c->params.reduce_completing_frag && ctl_complete_waits(c, NULL))
		return;
	const uint64_t saw = all_changes(c);
	ctl_main_pass(c, full);
	if (!full)
		return;
	k->main_saw = saw;
	k->main_still = ctl_complete_waits(c, NULL) ? c->now : still_all(c);
}

/* The agent keeps sched_min_interval between its passes; it has it in microseconds. */
static sl_time agent_due(const struct ctl *c)
{
	const struct ctl_clock *k = c->clock;
	const sl_time due = k->agent + c->params.sched_min_interval_us;
	return !k->agent_ran || due <= c->now_us || k->agent == c->now_us ? c->now_us : due;
}

/* Ending jobs may free resources for one job after another: each pass starts or ends some. */
static void run_agent(struct ctl *c)
{
	enum { PASSES_MAX = 1000 };
	int passes = 0;
	for (; passes < PASSES_MAX && c->clock->want && controller_goes_on(&c->engine) &&
		agent_due(c) <= c->now_us;
		passes++)
		main_pass(c);
	if (passes == PASSES_MAX)
		controller_failed(&c->engine,
			sl_fail(&c->engine.err, SL_POLICY,
				"policy 'slurm': %d passes in one second (%lld since 1970): decisions alternate",
				PASSES_MAX, (long long)c->now));
}

/* When the loop makes the next pass of all; CTL_NEVER: it does not. */
static ctl_time full_after(const struct ctl *c, ctl_time at)
{
	const int64_t period = c->params.sched_interval;
	if (period < 0)
		return CTL_NEVER;
	return period ? last_of(at, period, c->clock->passed_full) + period : at + 1;
}

/* The background loop, once a second. */
static void run_loop(struct ctl *c)
{
	struct ctl_clock *k = c->clock;
	if (second_from(c) != c->now)
		return;
	const ctl_time full = full_after(c, c->now - 1); /* At or after now. */
	if (full == c->now && k->passed_full < c->now) {
		k->want = k->want_full = true;
		k->passed_full = k->passed = c->now;
		k->batch = false;
		return;
	}
	if (full != CTL_NEVER && c->params.sched_interval > 0) { /* Those that were left out, too. */
		const ctl_time last = full - c->params.sched_interval;
		k->passed = last > k->passed ? last : k->passed;
	}
	if (k->batch && c->now - k->passed >= c->params.batch_sched_delay) {
		k->batch = false;
		k->want = true;
		k->passed = c->now;
	}
}

/* ---- The backfill's thread ----------------------------------------------------------------------------- */

/* It sleeps bf_interval; then it makes a pass if anything has changed since the last one began, else it looks
 * again every second. A pending job with a reason counts as a change: each pass notes it. */
static void pass_time(struct ctl *c, ctl_time until)
{
	struct ctl_clock *k = c->clock;
	const int64_t interval = c->params.bf_interval;
	while (k->bf_wake <= until) {
		if (k->waited) {
			k->bf_last = k->bf_wake + (until - k->bf_wake) / interval * interval;
		} else if (k->updated >= k->bf_last) {
			k->bf_last = k->bf_wake;
		} else {
			k->bf_wake = until + 1;
			return;
		}
		k->bf_wake = k->bf_last + interval;
	}
}

static void run_backfill(struct ctl *c)
{
	struct ctl_clock *k = c->clock;
	if (k->bf_wake == CTL_NEVER)
		return;
	pass_time(c, c->now - 1);
	if (changes_of(c) != k->changes)
		k->updated = c->now;
	if (second_from(c) != c->now || k->bf_wake > c->now)
		return;
	/* It looks again in a second. */
	if ((!c->pending_count && k->updated < k->bf_last) || ctl_complete_waits(c, NULL)) {
		k->bf_wake = c->now + 1;
		return;
	}
	k->bf_last = c->now;
	k->bf_wake = c->now + c->params.bf_interval;
	if (!c->pending_count || (k->bf_saw == all_changes(c) && c->now < k->bf_still))
		return;
	const uint64_t saw = all_changes(c);
	ctl_bf_pass(c);
	k->bf_saw = saw;
	k->bf_still = sooner(still_all(c), c->bf->still_until);
}

/* ---- A second ------------------------------------------------------------------------------------------ */

/* What goes by the clock and decides about no job. */
static void run_world(struct ctl *c)
{
	if (ctl_node_next(c) <= c->now)
		ctl_node_run(c);
	ctl_complete_run(c);
	if (ctl_command_next(c) <= c->now_us)
		ctl_command_run(c);
	if (!ctl_is_past(c)) /* It has its own beat: what changed in a second is seen in a later one. */
		ctl_power_run(c);
	if (ctl_resv_next(c) <= c->now)
		ctl_resv_run(c);
	if (ctl_prio_next(c) <= c->now)
		ctl_prio_run(c);
}

static void run_others(struct ctl *c)
{
	run_world(c);
	if (ctl_tick_needed(c) <= c->now)
		ctl_tick(c);
	ctl_gang_run(c); /* ctl_gang checks itself whether a time slice begins. */
}

void ctl_run(struct ctl *c)
{
	struct ctl_clock *k = c->clock;
	if (ctl_is_past(c)) {
		run_world(c);
		return;
	}
	run_others(c);
	run_loop(c);
	if (c->params.backfill_first)
		run_backfill(c);
	run_agent(c);
	if (ctl_node_next(c) <=
		c->now) { /* A daemon that answers: behind the pass that its node's loss asked for. */
		ctl_node_run(c);
		run_agent(c);
	}
	run_backfill(c);
	run_agent(c); /* Jobs preempted by the backfill have freed resources. */
	if (c->recorded)
		c->recorded->second(c->recorded->self, c);
	k->changes = changes_of(c);
	k->waited = c->pending_count != 0;
}

/* ---- When next ----------------------------------------------------------------------------------------- */

static ctl_time next_batch(const struct ctl *c)
{
	const struct ctl_clock *k = c->clock;
	const ctl_time now = second_from(c);
	if (!k->batch || !c->pending_count)
		return CTL_NEVER;
	const ctl_time full = full_after(c, now - 1);
	const ctl_time last = full == CTL_NEVER || c->params.sched_interval <= 0 ? k->passed
			      : full - c->params.sched_interval > k->passed ? full - c->params.sched_interval
									    : k->passed;
	const ctl_time due = last + c->params.batch_sched_delay;
	return sooner(due > now ? due : now, full);
}

static ctl_time next_full(const struct ctl *c)
{
	const struct ctl_clock *k = c->clock;
	if (!c->pending_count)
		return CTL_NEVER;
	ctl_time from = second_from(c);
	if (k->passed_full >= from)
		from = k->passed_full + 1;
	if (k->main_saw == all_changes(c) && k->main_still > from)
		from = k->main_still;
	return from == CTL_NEVER ? from : full_after(c, from - 1);
}

static ctl_time next_backfill(const struct ctl *c)
{
	const struct ctl_clock *k = c->clock;
	const int64_t interval = c->params.bf_interval;
	if (!c->pending_count || k->bf_wake == CTL_NEVER)
		return CTL_NEVER;
	const ctl_time now = second_from(c);
	ctl_time wake = k->bf_wake;
	if (wake < now) { /* It has been asleep, or looking, since. */
		wake = k->waited ? wake + (now - wake + interval - 1) / interval * interval : now;
		if (!k->waited && k->updated >= k->bf_last)
			wake = k->bf_wake + interval > now ? k->bf_wake + interval : now;
	}
	if (k->bf_saw == all_changes(c) && k->bf_still > wake) {
		if (k->bf_still == CTL_NEVER)
			return CTL_NEVER;
		wake += (k->bf_still - wake + interval - 1) / interval * interval;
	}
	return wake;
}

/* Of what run_world does. */
static sl_time next_of_world(const struct ctl *c)
{
	const ctl_time at[] = { ctl_node_next(c), ctl_resv_next(c), ctl_prio_next(c) };
	const sl_time commands = ctl_command_next(c);
	const sl_time epilogs = ctl_complete_next(c);
	sl_time next = commands < epilogs ? commands : epilogs;
	for (size_t i = 0; i < SL_LEN(at); i++) {
		const sl_time due = ctl_engine_time(c, at[i]);
		next = due < next ? due : next;
	}
	return next;
}

/* An instant's own changes are seen by what is due at it, so what is due now is said as now. */
sl_time ctl_next(struct ctl *c)
{
	sl_time next = next_of_world(c);
	if (ctl_is_past(c))
		return next < c->begin ? next > c->now_us ? next : c->now_us : c->begin;
	const ctl_time at[] = { ctl_power_next(c), ctl_tick_needed(c), ctl_gang_next(c), next_batch(c),
		next_full(c), next_backfill(c) };
	for (size_t i = 0; i < SL_LEN(at); i++) {
		const sl_time due = ctl_engine_time(c, at[i]);
		next = due < next ? due : next;
	}
	if (c->recorded) {
		const sl_time due = ctl_engine_time(c, c->recorded->next(c->recorded->self, c));
		next = due < next ? due : next;
	}
	if (c->clock->want && c->pending_count) {
		const sl_time due = agent_due(c);
		next = due < next ? due : next;
	}
	if (changes_of(c) != c->clock->changes && next > c->now_us)
		next = c->now_us; /* For the backfill's thread: when it was. */
	return next > c->now_us ? next : c->now_us;
}
