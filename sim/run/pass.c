/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.c - what a policy reads and sets in a pass: the queue, sl_use, reads, keys and estimates, ledgers,
 * questions. Its commands on jobs are in commands.c.
 */
#include "sim/run/models.h"
#include "sim/run/plain.h"

#include <stdlib.h>
#include <string.h>

/* ---- Queue ----------------------------------------------------------------------------------- */

void queue_put(struct sim *sim, uint32_t job) { queue_put_of(sim, job, false); }

void queue_take(struct sim *sim, uint32_t job) { queue_take_of(sim, job, false); }

void queue_job(struct sim *sim, uint32_t job)
{
	queue_put(sim, job);
	if (sim->uses & SL_USE_PROMISES)
		unpromised_put(sim, job);
}

void unqueue_job(struct sim *sim, uint32_t job)
{
	const sl_time was = promise_release(sim, job);
	if (was != SL_NONE) {
		freed_add(&sim->freed, was, time_after(was, sim->estimate[job]));
		sim->freed.early = true;
	}
	queue_take(sim, job);
	struct head *head = lane_head(sim, job);
	if (head->job == job)
		head->job = UINT32_MAX;
}

/* ---- In init --------------------------------------------------------------------------------- */

static void *column(struct sim *sim, size_t element)
{
	return sl_alloc(sim->arena, sim->jobs->count, element);
}

int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err)
{
	struct sim *sim = setup->sim;
	const uint32_t count = sim->jobs->count;
	bool out = false;
	if (what & SL_USE_CONTROL)
		what |= SL_USE_PREEMPT;
	if (what & SL_USE_PREEMPT)
		what |= SL_USE_ESTIMATES; /* What is left after a checkpoint. */
	what &= ~sim->uses;
	if (what & SL_USE_KEYS && !sim->key)
		out |= !(sim->key = column(sim, sizeof(*sim->key)));
	if (what & SL_USE_FILL && !sim->fill_key)
		out |= !(sim->fill_key = column(sim, sizeof(*sim->fill_key)));
	if (what & SL_USE_ESTIMATES && !sim->estimate_own)
		out |= !(sim->estimate_own = column(sim, sizeof(*sim->estimate_own)));
	if (what & SL_USE_PROMISES && !sim->promise)
		out |= !(sim->promise = column(sim, sizeof(*sim->promise)));
	if (what & SL_USE_PREEMPT && !sim->progress)
		out |= !(sim->progress = column(sim, sizeof(*sim->progress)));
	if (what & SL_USE_REASONS && !sim->reason_now)
		out |= !(sim->reason_now = column(sim, sizeof(*sim->reason_now)));
	if (out)
		return sl_fail_memory(err);
	if (what & SL_USE_REASONS)
		memset(sim->reason_now, SL_REASON_COUNT, count);
	if (what & SL_USE_ESTIMATES) {
		memcpy(sim->estimate_own, sim->jobs->limit, count * sizeof(*sim->estimate_own));
		sim->estimate = sim->estimate_own;
	}
	for (uint32_t i = 0; what & SL_USE_PROMISES && i < count; i++)
		sim->promise[i] = SL_NONE;
	for (uint32_t i = 0; what & SL_USE_PREEMPT && i < count; i++)
		sim->progress[i] = PROGRESS_NONE;
	sim->uses |= what;
	return SL_OK;
}

enum sl_reason sl_reason_of(const struct sim *sim, sl_job job)
{
	SL_CHECK(sim->reason_now);
	const uint8_t reason = sim->reason_now[job.row];
	return reason < SL_REASON_COUNT ? (enum sl_reason)reason : sim->reason_default;
}

void sl_warning(const struct sl_setup *setup, const char *text)
{
	struct sim *sim = setup->sim;
	const char *copy = !sim ? NULL : sl_strdup(setup->arena, text, strlen(text));
	for (uint32_t i = 0; copy && i < sim->warning_count; i++)
		if (strcmp(sim->warning[i], copy) == 0)
			return; /* Said by a policy that was there before. */
	if (copy && sim->warning_count < SL_WARNINGS_MAX)
		sim->warning[sim->warning_count++] = copy;
}

void sl_default_rule(const struct sl_setup *setup, unsigned rule)
{
	SL_CHECK(rule < SL_RULE_COUNT);
	setup->sim->rule_default = (uint8_t)rule;
}

void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason)
{
	setup->sim->reason_default = reason;
}

int sl_overcommit(const struct sl_setup *setup, uint32_t times, struct sl_err *err)
{
	if (!is_controlled(setup->sim) || !times)
		return sl_fail(err, SL_USAGE,
			"what is given out more than once needs a policy that has the say (SL_USE_CONTROL)");
	setup->sim->overcommit = times;
	return SL_OK;
}

void scorer_release(struct scorer *scorer)
{
	if (scorer->rule && scorer->rule->release)
		scorer->rule->release(scorer->state);
	*scorer = (struct scorer){ 0 };
}

int sl_set_node_scorer(const struct sl_setup *setup, const struct sl_node_scorer *rule, enum sl_ties ties,
	struct sl_err *err)
{
	struct scorer *scorer = &setup->sim->scorer;
	scorer_release(scorer);
	*scorer = (struct scorer){ .rule = rule, .ties = ties, .seed = setup->seed };
	return rule->init ? rule->init(&scorer->state, setup, err) : SL_OK;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

sl_time sl_now(const struct sim *sim) { return sim->now; }

/* As pass_over, for those who may not count. */
static bool pass_is_over(const struct sim *sim) { return sim->status && sim->open; }

uint64_t sl_pass_number(const struct sim *sim) { return sim->passes; }

const struct sl_jobs *sl_jobs_of(const struct sim *sim) { return sim->jobs; }

enum sl_state sl_state_of(const struct sim *sim, sl_job job)
{
	return (enum sl_state)sim->job_state[job.row];
}

bool sl_waits(const struct sim *sim, sl_job job) { return is_waiting(sim, job.row); }

sl_time sl_start_of(const struct sim *sim, sl_job job)
{
	return sim->progress && sim->progress[job.row].attempts ? sim->progress[job.row].began
								: sim->start[job.row];
}

const struct sl_cluster *sl_cluster_of(const struct sim *sim) { return sim->info; }

int64_t sl_free(const struct sim *sim, uint32_t kind)
{
	return kind < sim->info->kind_count ? allocation_idle(sim, kind) : 0;
}

static sl_job run_job(const struct sim *sim, uint32_t row)
{
	return sim->progress ? (sl_job){ row } : SL_JOB_NONE;
}

sl_job sl_running_first(const struct sim *sim) { return run_job(sim, sim->run_first); }

sl_job sl_running_last(const struct sim *sim) { return run_job(sim, sim->run_last); }

sl_job sl_running_next(const struct sim *sim, sl_job job)
{
	return sim->progress && !pass_is_over(sim) ? (sl_job){ sim->progress[job.row].next } : SL_JOB_NONE;
}

sl_job sl_running_before(const struct sim *sim, sl_job job)
{
	return sim->progress ? (sl_job){ sim->progress[job.row].before } : SL_JOB_NONE;
}

sl_time sl_expected_end(const struct sim *sim, sl_job job)
{
	const enum sl_state state = sl_state_of(sim, job);
	return state == SL_RUNNING ? expected_room(sim, job.row) : SL_NEVER;
}

sl_time sl_work_of(const struct sim *sim, sl_job job)
{
	if (sim->models)
		return sl_kept_of(sim, job) + sl_done_of(sim, job);
	if (sim->progress)
		return sim->progress[job.row].kept + progress_work(sim, job.row);
	return sim->job_state[job.row] == SL_RUNNING ? sim->now - sim->start[job.row] : 0;
}

sl_time sl_estimate_kept(const struct sim *sim, sl_job job)
{
	sl_time load;
	return sim->progress ? progress_kept_estimate(sim, job.row, &load) : sim->estimate[job.row];
}

size_t sl_node_tasks_of(const struct sim *sim, sl_job job, const struct sl_node_tasks **alloc)
{
	*alloc = NULL;
	return sim->nodes && sim->job_state[job.row] == SL_RUNNING ? nodes_allocs(sim->nodes, job.row, alloc)
								   : 0;
}

uint32_t sl_tasks_of(const struct sim *sim, sl_job job)
{
	if (sim->job_state[job.row] != SL_RUNNING)
		return 0;
	if (sim->progress && sim->progress[job.row].tasks)
		return sim->progress[job.row].tasks;
	return sim->request ? sim->requests[sim->request[job.row]].group[0].tasks
			    : (uint32_t)sim->jobs->size[job.row];
}

int64_t sl_asks(const struct sim *sim, sl_job job, uint32_t kind)
{
	if (!sim->request)
		return kind == SL_KIND_CPUS ? sim->jobs->size[job.row] : 0;
	const struct sl_request *request = &sim->requests[sim->request[job.row]];
	return kind == SL_KIND_CPUS ? request->cpus : kind == SL_KIND_MEM ? request->mem : request->gpus;
}

sl_time sl_estimate_of(const struct sim *sim, sl_job job) { return sim->estimate[job.row]; }

uint32_t sl_queue_count(const struct sim *sim) { return sim->queue.count; }

sl_job sl_queue_first(const struct sim *sim)
{
	return pass_is_over(sim) ? SL_JOB_NONE : (sl_job){ queue_first(&sim->queue) };
}

sl_job sl_queue_after(const struct sim *sim, sl_job job)
{
	return (sl_job){ queue_after(&sim->queue, job.row) };
}

bool sl_queue_before(const struct sim *sim, sl_job a, sl_job b) { return row_before(sim, a.row, b.row); }

bool sl_fits(struct sim *sim, sl_job job) { return !pass_over(sim) && allocation_fits(sim, job.row); }

bool sl_any_fits(struct sim *sim)
{
	if (pass_over(sim))
		return false;
	return sim->nodes ? allocation_any_fits(sim)
			  : sim->cluster.cpus_free && queue_holds(&sim->queue, sim->cluster.cpus_free);
}

struct sl_promise sl_shadow_with(struct sim *sim, sl_job job, enum sl_spare spare)
{
	const sl_time length = sim->estimate[job.row];
	const int64_t all = spare != SL_SPARE_NONE;
	if (sim->nodes) {
		const sl_time at = nodes_soonest(sim->nodes, sim->request[job.row], length);
		return sl_shadow_at(sim, job, at, spare);
	}
	const int64_t size = sim->jobs->size[job.row];
	const int64_t cpus_free = sim->cluster.cpus_free;
	if (sim->windows_ahead) {
		const sl_time at =
			profile_earliest(&sim->profile, sim->now, SL_NEVER, size - cpus_free, length);
		return sl_shadow_at(sim, job, at, spare);
	}
	if (size <= cpus_free)
		return (struct sl_promise){ job, sim->now, all * (cpus_free - size) };
	struct profile_point point;
	if (!profile_first_least(&sim->profile, sim->now, SL_NEVER, size - cpus_free, &point))
		return (struct sl_promise){ job, SL_NEVER, 0 };
	return (struct sl_promise){ job, point.at, all * (cpus_free + point.value - size) };
}

struct sl_promise sl_shadow(struct sim *sim, sl_job job) { return sl_shadow_with(sim, job, SL_SPARE_COUNT); }

struct sl_promise sl_shadow_at(struct sim *sim, sl_job job, sl_time at, enum sl_spare spare)
{
	struct sl_promise shadow = { job, at, 0 };
	if (spare == SL_SPARE_NONE)
		return shadow;
	if (sim->nodes) {
		if (at < sim->now)
			return shadow;
		nodes_for(sim->nodes, job.row);
		nodes_backfill_check(sim->nodes, sim->request[job.row], at, sim->estimate[job.row],
			spare == SL_SPARE_NAMED);
		shadow.spare = 1;
		return shadow;
	}
	if (at == SL_NEVER)
		return shadow;
	const sl_time then = at > sim->now ? at : sim->now;
	const int64_t left =
		sim->cluster.cpus_free + profile_value(&sim->profile, then) - sim->jobs->size[job.row];
	shadow.spare = left > 0 ? left : 0;
	return shadow;
}

/* The same for a plain run without windows. */
SL_INLINED sl_job plain_next_fit(struct sim *sim, sl_job after, struct sl_promise *shadow)
{
	if (pass_over(sim))
		return SL_JOB_NONE;
	const bool guarded = shadow && shadow->at != SL_NEVER;
	const sl_time capacity = guarded ? shadow->at - sim->now : SL_NEVER;
	const struct queue_fit fit = { sim->cluster.cpus_free, capacity, shadow ? shadow->spare : 0 };
	const uint32_t found = queue_next_fit(&sim->queue, after.row, &fit);
	if (guarded && found != UINT32_MAX && sim->estimate[found] > capacity)
		shadow->spare -= sim->jobs->size[found];
	return (sl_job){ found };
}

static sl_job next_fit(struct sim *sim, struct queue *queue, sl_job after, struct sl_promise *shadow)
{
	const bool fill = sim->uses & SL_USE_FILL;
	if (pass_over(sim))
		return SL_JOB_NONE;
	const uint32_t behind = fill && shadow && after.row == shadow->job.row ? UINT32_MAX : after.row;
	uint32_t found = allocation_next_fit(sim, queue, behind, shadow);
	if (fill && shadow && found == shadow->job.row && found != UINT32_MAX)
		found = allocation_next_fit(sim, queue, found, shadow);
	if (shadow && found != UINT32_MAX && !sim->nodes && shadow->at != SL_NEVER &&
		sim->estimate[found] > shadow->at - sim->now)
		shadow->spare -= sim->jobs->size[found];
	return (sl_job){ found };
}

sl_job sl_queue_next_fit(struct sim *sim, sl_job after, struct sl_promise *shadow)
{
	if (sim->plain && !sim->windows_ahead)
		return plain_next_fit(sim, after, shadow);
	return next_fit(sim, sim->uses & SL_USE_FILL ? &sim->fill : &sim->queue, after, shadow);
}

sl_job sl_lane_next_fit(struct sim *sim, uint32_t lane, sl_job after, struct sl_promise *shadow)
{
	if (sim->plain && !sim->windows_ahead)
		return plain_next_fit(sim, after, shadow);
	return next_fit(sim, lane_queue(sim, lane, sim->uses & SL_USE_FILL), after, shadow);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* It is first, and does not start: why? */
static void head_becomes(struct sim *sim, struct head *head, uint32_t job, enum sl_reason reason)
{
	if (head->job != job) {
		act(sim, (struct action){
				 .kind = ACTION_HEAD, .job = job, .was = head->job, .now = head->reason });
		*head = (struct head){ job, SL_REASON_RESOURCES };
	}
	if (reason == head->reason)
		return;
	act(sim, (struct action){ .kind = ACTION_REASON,
			 .job = job,
			 .was = (int64_t)head->reason + 1,
			 .now = (int64_t)reason << 24 });
	head->reason = reason;
}

void sl_head_waits(struct sim *sim, sl_job job)
{
	struct head *head = lane_head(sim, job.row);
	if (sim->open &&
		(head->job != job.row || head->reason != SL_REASON_RESOURCES || allocation_windows(sim)))
		head_becomes(sim, head, job.row,
			allocation_windows(sim) ? allocation_keeps(sim, job.row) : SL_REASON_RESOURCES);
}

void sl_head_left(struct sim *sim, sl_job job)
{
	if (!sim->open)
		return;
	if (sl_fits(sim, job))
		head_becomes(sim, lane_head(sim, job.row), job.row, SL_REASON_LEFT);
	else
		sl_head_waits(sim, job);
}

void sl_set_reason(struct sim *sim, sl_job job, enum sl_reason reason, uint32_t detail)
{
	SL_CHECK(reason < SL_REASON_COUNT);
	if (!sim->open || !is_waiting(sim, job.row))
		return;
	const int64_t was = sim->reason_now ? (int64_t)sim->reason_now[job.row] + 1 : 0;
	act(sim, (struct action){ .kind = ACTION_REASON,
			 .job = job.row,
			 .was = was << 16,
			 .now = (int64_t)reason << 24 | (detail & 0xffffff) });
	if (was)
		sim->reason_now[job.row] = (uint8_t)reason;
}

void sl_set_key(struct sim *sim, sl_job job, double key)
{
	SL_CHECK(sim->key && !is_waiting(sim, job.row));
	sim->key[job.row] = key;
}

void sl_set_fill_key(struct sim *sim, sl_job job, double key)
{
	SL_CHECK(sim->fill_key && !is_waiting(sim, job.row));
	sim->fill_key[job.row] = key;
}

void sl_queue_rekey(struct sim *sim, double (*key)(void *state, struct sim *sim, sl_job job), void *state)
{
	const uint32_t count = sim->queue.count;
	int status = SL_GROW_MOST(sim->scratch, sim->scratch_capacity, count, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	queue_list(&sim->queue, sim->scratch);
	bool moved = false;
	for (uint32_t i = 0; i < count; i++)
		sim->key[sim->scratch[i]] = key(state, sim, (sl_job){ sim->scratch[i] });
	for (uint32_t i = 1; i < count && !moved; i++)
		moved = row_before(sim, sim->scratch[i], sim->scratch[i - 1]);
	if (!moved)
		return;
	status = sort_rows(sim, sim->scratch, count);
	if (!status)
		status = queue_rebuild(&sim->queue, sim->scratch, &sim->err);
	if (!status && sim->lanes)
		status = lanes_rebuild(sim, sim->scratch, count);
	pass_failed(sim, status);
}

void sl_set_estimate(struct sim *sim, sl_job job, sl_time estimate)
{
	SL_CHECK(sim->estimate_own && estimate > 0 && !is_waiting(sim, job.row));
	const uint32_t row = job.row;
	estimate = estimate < SL_TIME_MOST ? estimate : SL_TIME_MOST;
	if (sim->job_state[row] != SL_RUNNING) {
		sim->estimate_own[row] = estimate;
		return;
	}
	if (sim->expiring) {
		past_estimate(sim, row, estimate);
		return;
	}
	const sl_time before = expected_end(sim, row);
	SL_CHECK(!allocation_is_overdue(sim, row));
	sim->estimate_own[row] = estimate;
	const sl_time after = expected_end(sim, row);
	SL_CHECK(after > sim->now);
	allocation_moves(sim, row, before, after);
	sim->promises_broken |= after > before;
	if (after < before) {
		freed_add(&sim->freed, after, before);
		sim->freed.early = true;
	}
	/* Without progress entries it is recorded though its limit cut it first; so it is with those of
	 * models. */
	const bool lent = !sim->progress || sim->courses_lent;
	if ((lent && estimate < sim->jobs->run[row]) || (sim->progress && after < sim->progress[row].due))
		pass_failed(sim, note_overrun(sim, row));
}

void sl_wake(struct sim *sim, sl_time at)
{
	if (!sim->open || at >= sim->wake)
		return;
	act(sim, (struct action){ .kind = ACTION_WAKE, .was = sim->wake });
	sim->wake = at > sim->now ? at : sim->now;
}

void sl_wake_event(struct sim *sim, sl_time at, uint32_t row)
{
	/* What an operator did before the first job came is earlier than time 0. */
	const sl_time time = at > sim->now || !sim->passes ? at : sim->now;
	if (sim->open) {
		act(sim, (struct action){ .kind = ACTION_TIMER, .job = row, .now = time });
		return;
	}
	pass_failed(sim, evq_push(&sim->events, time, SL_EV_TIMER, row, &sim->err));
}

/* ---- Ledgers --------------------------------------------------------------------------------- */

sl_ledger sl_ledger_new(const struct sl_setup *setup, const char *name, uint32_t rows)
{
	struct sim *sim = setup->sim;
	int status =
		SL_GROW_MOST(sim->ledger, sim->ledger_capacity, sim->ledger_count + 1, UINT32_MAX, &sim->err);
	int64_t *amount = status ? NULL : sl_alloc(sim->arena, rows, sizeof(*amount));
	if (!amount) {
		pass_failed(sim, SL_SYSTEM);
		return (sl_ledger){ UINT32_MAX };
	}
	sim->ledger[sim->ledger_count] = (struct ledger){ name, amount, rows };
	return (sl_ledger){ (uint32_t)sim->ledger_count++ };
}

int64_t sl_ledger_get(const struct sim *sim, sl_ledger ledger, uint32_t row)
{
	SL_CHECK(ledger.index < sim->ledger_count && row < sim->ledger[ledger.index].rows);
	return sim->ledger[ledger.index].amount[row];
}

void sl_ledger_add(struct sim *sim, sl_ledger ledger, uint32_t row, int64_t amount)
{
	SL_CHECK(ledger.index < sim->ledger_count && row < sim->ledger[ledger.index].rows);
	int64_t *place = &sim->ledger[ledger.index].amount[row];
	if (sim->open)
		act(sim, (struct action){
				 .kind = ACTION_LEDGER, .job = ledger.index, .was = *place, .now = row });
	*place += amount;
}

/* ---- Questions to the program that drives the run ----------------------------------------------------- */

/* The pass stops at it, open as it is, and goes on when it is answered. Answers are kept, so that a pass that
 * is undone and repeated finds them. */
static bool offer(struct sim *sim, const sl_job *offered, size_t count)
{
	const int status = SL_GROW_MOST(sim->offered, sim->offered_capacity, count, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return false;
	}
	if (count)
		memcpy(sim->offered, offered, count * sizeof(*offered));
	sim->offered_count = count;
	sim->asks = true;
	return true;
}

bool sl_query(struct sim *sim, uint64_t number, const sl_job *offered, size_t count, sl_job *answer)
{
	if (number < sim->answer_count) {
		*answer = (sl_job){ sim->answer[number] };
		return true;
	}
	if (number > sim->answer_count)
		pass_failed(sim,
			sl_fail(&sim->err, SL_POLICY, "policy '%s' skips a question", sim->policy->name));
	else if (!sim->options.driven)
		pass_failed(sim,
			sl_fail(&sim->err, SL_USAGE,
				"policy '%s' asks whoever drives the run, and nobody does: drive it from a "
				"program (sl_run_decide, schedlab.SchedlabEnv), or give it recorded choices",
				sim->policy->name));
	else
		(void)offer(sim, offered, count);
	return false;
}
