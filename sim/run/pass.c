/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass.c - what a policy sees, and sets of its own: the queue, what it uses, reads, keys and estimates,
 * ledgers, questions. What it does to jobs is in commands.c.
 */
#include "sim/run/models.h"

#include <stdlib.h>
#include <string.h>

/* ---- Queue ----------------------------------------------------------------------------------- */

void queue_put(struct sl_pass *pass, uint32_t job)
{
	int status = queue_add(&pass->queue, job, &pass->err);
	if (!status && pass->uses & SL_USE_FILL)
		status = queue_add(&pass->fill, job, &pass->err);
	if (!status && pass->lanes)
		status = lanes_put(pass, job);
	pass_failed(pass, status);
	room_waits(pass, job, 1);
}

void queue_take(struct sl_pass *pass, uint32_t job)
{
	queue_remove(&pass->queue, job);
	if (pass->uses & SL_USE_FILL)
		queue_remove(&pass->fill, job);
	if (pass->lanes)
		lanes_take(pass, job);
	room_waits(pass, job, -1);
}

void queue_job(struct sl_pass *pass, uint32_t job)
{
	queue_put(pass, job);
	if (pass->uses & SL_USE_PROMISES)
		unpromised_put(pass, job);
}

void unqueue_job(struct sl_pass *pass, uint32_t job)
{
	const sl_time was = promise_release(pass, job);
	if (was != SL_NONE) {
		freed_add(&pass->freed, was, time_after(was, pass->estimate[job]));
		pass->freed.early = true;
	}
	queue_take(pass, job);
	struct head *head = lane_head(pass, job);
	if (head->job == job)
		head->job = UINT32_MAX;
}

/* ---- In init --------------------------------------------------------------------------------- */

static void *column(struct sl_pass *pass, size_t element)
{
	return sl_alloc(pass->arena, pass->jobs->count, element);
}

int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err)
{
	struct sl_pass *pass = setup->pass;
	const uint32_t count = pass->jobs->count;
	bool out = false;
	if (what & SL_USE_CONTROL)
		what |= SL_USE_PREEMPT;
	if (what & SL_USE_PREEMPT)
		what |= SL_USE_ESTIMATES; /* What is left after a checkpoint. */
	what &= ~pass->uses;
	if (what & SL_USE_KEYS && !pass->key)
		out |= !(pass->key = column(pass, sizeof(*pass->key)));
	if (what & SL_USE_FILL && !pass->fill_key)
		out |= !(pass->fill_key = column(pass, sizeof(*pass->fill_key)));
	if (what & SL_USE_ESTIMATES && !pass->estimate_own)
		out |= !(pass->estimate_own = column(pass, sizeof(*pass->estimate_own)));
	if (what & SL_USE_PROMISES && !pass->promise)
		out |= !(pass->promise = column(pass, sizeof(*pass->promise)));
	if (what & SL_USE_PREEMPT && !pass->course)
		out |= !(pass->course = column(pass, sizeof(*pass->course)));
	if (what & SL_USE_REASONS && !pass->reason_now)
		out |= !(pass->reason_now = column(pass, sizeof(*pass->reason_now)));
	if (out)
		return sl_fail_memory(err);
	if (what & SL_USE_REASONS)
		memset(pass->reason_now, SL_REASON_COUNT, count);
	if (what & SL_USE_ESTIMATES) {
		memcpy(pass->estimate_own, pass->jobs->limit, count * sizeof(*pass->estimate_own));
		pass->estimate = pass->estimate_own;
	}
	for (uint32_t i = 0; what & SL_USE_PROMISES && i < count; i++)
		pass->promise[i] = SL_NONE;
	for (uint32_t i = 0; what & SL_USE_PREEMPT && i < count; i++)
		pass->course[i] = COURSE_NONE;
	pass->uses |= what;
	return SL_OK;
}

enum sl_reason sl_reason_of(const struct sl_pass *pass, sl_job job)
{
	SL_CHECK(pass->reason_now);
	const uint8_t reason = pass->reason_now[job.row];
	return reason < SL_REASON_COUNT ? (enum sl_reason)reason : pass->reason_default;
}

void sl_remark(const struct sl_setup *setup, const char *text)
{
	struct sl_pass *pass = setup->pass;
	const char *copy = sl_strdup(setup->arena, text, strlen(text));
	for (uint32_t i = 0; copy && i < pass->remark_count; i++)
		if (strcmp(pass->remark[i], copy) == 0)
			return; /* Said by a policy that was there before. */
	if (copy && pass->remark_count < SL_REMARKS_MAX)
		pass->remark[pass->remark_count++] = copy;
}

void sl_default_rule(const struct sl_setup *setup, unsigned rule)
{
	SL_CHECK(rule < SL_RULE_COUNT);
	setup->pass->rule_default = (uint8_t)rule;
}

void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason)
{
	setup->pass->reason_default = reason;
}

int sl_overcommit(const struct sl_setup *setup, uint32_t times, struct sl_err *err)
{
	if (!is_controlled(setup->pass) || !times)
		return sl_fail(err, SL_USAGE,
			"what is given out more than once needs a policy that has the say (SL_USE_CONTROL)");
	setup->pass->overcommit = times;
	return SL_OK;
}

void placing_release(struct placing *placing)
{
	if (placing->rule && placing->rule->release)
		placing->rule->release(placing->state);
	*placing = (struct placing){ 0 };
}

int sl_set_placing(
	const struct sl_setup *setup, const struct sl_placing *rule, enum sl_ties ties, struct sl_err *err)
{
	struct placing *placing = &setup->pass->placing;
	placing_release(placing);
	*placing = (struct placing){ .rule = rule, .ties = ties, .seed = setup->seed };
	return rule->init ? rule->init(&placing->state, setup, err) : SL_OK;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

sl_time sl_now(const struct sl_pass *pass) { return pass->now; }

/* As pass_over, for those who may not count. */
static bool is_over(const struct sl_pass *pass) { return pass->status && pass->open; }

uint64_t sl_pass_number(const struct sl_pass *pass) { return pass->passes; }

const struct sl_jobs *sl_jobs_of(const struct sl_pass *pass) { return pass->jobs; }

enum sl_state sl_state_of(const struct sl_pass *pass, sl_job job)
{
	return (enum sl_state)pass->job_state[job.row];
}

bool sl_waits(const struct sl_pass *pass, sl_job job) { return is_waiting(pass, job.row); }

sl_time sl_start_of(const struct sl_pass *pass, sl_job job)
{
	return pass->course && pass->course[job.row].attempts ? pass->course[job.row].began
							      : pass->start[job.row];
}

const struct sl_cluster *sl_cluster_of(const struct sl_pass *pass) { return pass->info; }

int64_t sl_free(const struct sl_pass *pass, uint32_t kind)
{
	return kind < pass->info->kind_count ? room_idle(pass, kind) : 0;
}

static sl_job run_job(const struct sl_pass *pass, uint32_t row)
{
	return pass->course ? (sl_job){ row } : SL_JOB_NONE;
}

sl_job sl_running_first(const struct sl_pass *pass) { return run_job(pass, pass->run_first); }

sl_job sl_running_last(const struct sl_pass *pass) { return run_job(pass, pass->run_last); }

sl_job sl_running_next(const struct sl_pass *pass, sl_job job)
{
	return pass->course && !is_over(pass) ? (sl_job){ pass->course[job.row].next } : SL_JOB_NONE;
}

sl_job sl_running_before(const struct sl_pass *pass, sl_job job)
{
	return pass->course ? (sl_job){ pass->course[job.row].before } : SL_JOB_NONE;
}

sl_time sl_expected_end(const struct sl_pass *pass, sl_job job)
{
	const enum sl_state state = sl_state_of(pass, job);
	return state == SL_RUNNING ? room_expected(pass, job.row) : SL_NEVER;
}

sl_time sl_work_of(const struct sl_pass *pass, sl_job job)
{
	if (pass->models)
		return sl_kept_of(pass, job) + sl_done_of(pass, job);
	if (pass->course)
		return pass->course[job.row].kept + course_work(pass, job.row);
	return pass->job_state[job.row] == SL_RUNNING ? pass->now - pass->start[job.row] : 0;
}

sl_time sl_estimate_kept(const struct sl_pass *pass, sl_job job)
{
	sl_time load;
	return pass->course ? course_kept_estimate(pass, job.row, &load) : pass->estimate[job.row];
}

size_t sl_pieces_of(const struct sl_pass *pass, sl_job job, const struct sl_piece **piece)
{
	*piece = NULL;
	return pass->nodes && pass->job_state[job.row] == SL_RUNNING
		       ? nodes_pieces(pass->nodes, job.row, piece)
		       : 0;
}

uint32_t sl_tasks_of(const struct sl_pass *pass, sl_job job)
{
	if (pass->job_state[job.row] != SL_RUNNING)
		return 0;
	if (pass->course && pass->course[job.row].tasks)
		return pass->course[job.row].tasks;
	return pass->request ? pass->requests[pass->request[job.row]].group[0].tasks
			     : (uint32_t)pass->jobs->size[job.row];
}

int64_t sl_asks(const struct sl_pass *pass, sl_job job, uint32_t kind)
{
	if (!pass->request)
		return kind == SL_KIND_CPUS ? pass->jobs->size[job.row] : 0;
	const struct sl_request *request = &pass->requests[pass->request[job.row]];
	return kind == SL_KIND_CPUS ? request->cpus : kind == SL_KIND_MEM ? request->mem : request->gpus;
}

sl_time sl_estimate_of(const struct sl_pass *pass, sl_job job) { return pass->estimate[job.row]; }

uint32_t sl_queue_count(const struct sl_pass *pass) { return pass->queue.count; }

sl_job sl_queue_first(const struct sl_pass *pass)
{
	return is_over(pass) ? SL_JOB_NONE : (sl_job){ queue_first(&pass->queue) };
}

sl_job sl_queue_after(const struct sl_pass *pass, sl_job job)
{
	return (sl_job){ queue_after(&pass->queue, job.row) };
}

bool sl_queue_before(const struct sl_pass *pass, sl_job a, sl_job b)
{
	return row_before(pass, a.row, b.row);
}

bool sl_fits(struct sl_pass *pass, sl_job job) { return !pass_over(pass) && room_fits(pass, job.row); }

bool sl_any_fits(struct sl_pass *pass) { return !pass_over(pass) && room_any_fits(pass); }

struct sl_promise sl_shadow_with(struct sl_pass *pass, sl_job job, enum sl_spare spare)
{
	const sl_time length = pass->estimate[job.row];
	const int64_t all = spare != SL_SPARE_NONE;
	if (pass->nodes) {
		const sl_time at = nodes_soonest(pass->nodes, pass->request[job.row], length);
		return sl_shadow_at(pass, job, at, spare);
	}
	const int64_t size = pass->jobs->size[job.row];
	const int64_t cpus_free = pass->cluster.cpus_free;
	if (pass->windows_ahead) {
		const sl_time at =
			profile_earliest(&pass->profile, pass->now, SL_NEVER, size - cpus_free, length);
		return sl_shadow_at(pass, job, at, spare);
	}
	if (size <= cpus_free)
		return (struct sl_promise){ job, pass->now, all * (cpus_free - size) };
	struct profile_point point;
	if (!profile_first_least(&pass->profile, pass->now, SL_NEVER, size - cpus_free, &point))
		return (struct sl_promise){ job, SL_NEVER, 0 };
	return (struct sl_promise){ job, point.at, all * (cpus_free + point.value - size) };
}

struct sl_promise sl_shadow(struct sl_pass *pass, sl_job job)
{
	return sl_shadow_with(pass, job, SL_SPARE_COUNT);
}

struct sl_promise sl_shadow_at(struct sl_pass *pass, sl_job job, sl_time at, enum sl_spare spare)
{
	struct sl_promise shadow = { job, at, 0 };
	if (spare == SL_SPARE_NONE)
		return shadow;
	if (pass->nodes) {
		if (at < pass->now)
			return shadow;
		nodes_for(pass->nodes, job.row);
		nodes_guard(pass->nodes, pass->request[job.row], at, pass->estimate[job.row],
			spare == SL_SPARE_NAMED);
		shadow.spare = 1;
		return shadow;
	}
	if (at == SL_NEVER)
		return shadow;
	const sl_time then = at > pass->now ? at : pass->now;
	const int64_t left =
		pass->cluster.cpus_free + profile_value(&pass->profile, then) - pass->jobs->size[job.row];
	shadow.spare = left > 0 ? left : 0;
	return shadow;
}

static sl_job next_fit(struct sl_pass *pass, struct queue *queue, sl_job after, struct sl_promise *shadow)
{
	const bool fill = pass->uses & SL_USE_FILL;
	if (pass_over(pass))
		return SL_JOB_NONE;
	const uint32_t behind = fill && shadow && after.row == shadow->job.row ? UINT32_MAX : after.row;
	uint32_t found = room_next_fit(pass, queue, behind, shadow);
	if (fill && shadow && found == shadow->job.row && found != UINT32_MAX)
		found = room_next_fit(pass, queue, found, shadow);
	if (shadow && found != UINT32_MAX && !pass->nodes && shadow->at != SL_NEVER &&
		pass->estimate[found] > shadow->at - pass->now)
		shadow->spare -= pass->jobs->size[found];
	return (sl_job){ found };
}

sl_job sl_queue_next_fit(struct sl_pass *pass, sl_job after, struct sl_promise *shadow)
{
	return next_fit(pass, pass->uses & SL_USE_FILL ? &pass->fill : &pass->queue, after, shadow);
}

sl_job sl_lane_next_fit(struct sl_pass *pass, uint32_t lane, sl_job after, struct sl_promise *shadow)
{
	return next_fit(pass, lane_queue(pass, lane, pass->uses & SL_USE_FILL), after, shadow);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* It is first, and does not start: why? */
static void head_becomes(struct sl_pass *pass, struct head *head, uint32_t job, enum sl_reason reason)
{
	if (head->job != job) {
		act(pass, (struct action){
				  .kind = ACTION_HEAD, .job = job, .was = head->job, .now = head->reason });
		*head = (struct head){ job, SL_REASON_RESOURCES };
	}
	if (reason == head->reason)
		return;
	act(pass, (struct action){ .kind = ACTION_REASON,
			  .job = job,
			  .was = (int64_t)head->reason + 1,
			  .now = (int64_t)reason << 24 });
	head->reason = reason;
}

void sl_head_waits(struct sl_pass *pass, sl_job job)
{
	struct head *head = lane_head(pass, job.row);
	if (pass->open && (head->job != job.row || head->reason != SL_REASON_RESOURCES || room_windows(pass)))
		head_becomes(pass, head, job.row,
			room_windows(pass) ? room_keeps(pass, job.row) : SL_REASON_RESOURCES);
}

void sl_head_left(struct sl_pass *pass, sl_job job)
{
	if (!pass->open)
		return;
	if (sl_fits(pass, job))
		head_becomes(pass, lane_head(pass, job.row), job.row, SL_REASON_LEFT);
	else
		sl_head_waits(pass, job);
}

void sl_set_reason(struct sl_pass *pass, sl_job job, enum sl_reason reason, uint32_t detail)
{
	SL_CHECK(reason < SL_REASON_COUNT);
	if (!pass->open || !is_waiting(pass, job.row))
		return;
	const int64_t was = pass->reason_now ? (int64_t)pass->reason_now[job.row] + 1 : 0;
	act(pass, (struct action){ .kind = ACTION_REASON,
			  .job = job.row,
			  .was = was << 16,
			  .now = (int64_t)reason << 24 | (detail & 0xffffff) });
	if (was)
		pass->reason_now[job.row] = (uint8_t)reason;
}

void sl_set_key(struct sl_pass *pass, sl_job job, double key)
{
	SL_CHECK(pass->key && !is_waiting(pass, job.row));
	pass->key[job.row] = key;
}

void sl_set_fill_key(struct sl_pass *pass, sl_job job, double key)
{
	SL_CHECK(pass->fill_key && !is_waiting(pass, job.row));
	pass->fill_key[job.row] = key;
}

void sl_queue_rekey(
	struct sl_pass *pass, double (*key)(void *state, struct sl_pass *pass, sl_job job), void *state)
{
	const uint32_t count = pass->queue.count;
	int status = SL_GROW_MOST(pass->scratch, pass->scratch_capacity, count, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	queue_list(&pass->queue, pass->scratch);
	bool moved = false;
	for (uint32_t i = 0; i < count; i++)
		pass->key[pass->scratch[i]] = key(state, pass, (sl_job){ pass->scratch[i] });
	for (uint32_t i = 1; i < count && !moved; i++)
		moved = row_before(pass, pass->scratch[i], pass->scratch[i - 1]);
	if (!moved)
		return;
	status = sort_rows(pass, pass->scratch, count);
	if (!status)
		status = queue_rebuild(&pass->queue, pass->scratch, &pass->err);
	if (!status && pass->lanes)
		status = lanes_rebuild(pass, pass->scratch, count);
	pass_failed(pass, status);
}

void sl_set_estimate(struct sl_pass *pass, sl_job job, sl_time estimate)
{
	SL_CHECK(pass->estimate_own && estimate > 0 && !is_waiting(pass, job.row));
	const uint32_t row = job.row;
	estimate = estimate < SL_TIME_MOST ? estimate : SL_TIME_MOST;
	if (pass->job_state[row] != SL_RUNNING) {
		pass->estimate_own[row] = estimate;
		return;
	}
	if (pass->expiring) {
		past_estimate(pass, row, estimate);
		return;
	}
	const sl_time before = expected_end(pass, row);
	SL_CHECK(!room_is_overdue(pass, row));
	pass->estimate_own[row] = estimate;
	const sl_time after = expected_end(pass, row);
	SL_CHECK(after > pass->now);
	room_moves(pass, row, before, after);
	pass->promises_broken |= after > before;
	if (after < before) {
		freed_add(&pass->freed, after, before);
		pass->freed.early = true;
	}
	/* Without courses it is noted though its limit cut it first; so it is with those of models. */
	const bool lent = !pass->course || pass->courses_lent;
	if ((lent && estimate < pass->jobs->run[row]) || (pass->course && after < pass->course[row].due))
		pass_failed(pass, note_overrun(pass, row));
}

void sl_wake(struct sl_pass *pass, sl_time at)
{
	if (!pass->open || at >= pass->wake)
		return;
	act(pass, (struct action){ .kind = ACTION_WAKE, .was = pass->wake });
	pass->wake = at > pass->now ? at : pass->now;
}

void sl_wake_event(struct sl_pass *pass, sl_time at, uint32_t row)
{
	/* What an operator did before the first job came is earlier than time 0. */
	const sl_time time = at > pass->now || !pass->passes ? at : pass->now;
	if (pass->open) {
		act(pass, (struct action){ .kind = ACTION_TIMER, .job = row, .now = time });
		return;
	}
	pass_failed(pass, evq_push(&pass->events, time, SL_EV_TIMER, row, &pass->err));
}

/* ---- Ledgers --------------------------------------------------------------------------------- */

sl_ledger sl_ledger_new(const struct sl_setup *setup, const char *name, uint32_t rows)
{
	struct sl_pass *pass = setup->pass;
	int status = SL_GROW_MOST(
		pass->ledger, pass->ledger_capacity, pass->ledger_count + 1, UINT32_MAX, &pass->err);
	int64_t *amount = status ? NULL : sl_alloc(pass->arena, rows, sizeof(*amount));
	if (!amount) {
		pass_failed(pass, SL_SYSTEM);
		return (sl_ledger){ UINT32_MAX };
	}
	pass->ledger[pass->ledger_count] = (struct ledger){ name, amount, rows };
	return (sl_ledger){ (uint32_t)pass->ledger_count++ };
}

int64_t sl_ledger_get(const struct sl_pass *pass, sl_ledger ledger, uint32_t row)
{
	SL_CHECK(ledger.index < pass->ledger_count && row < pass->ledger[ledger.index].rows);
	return pass->ledger[ledger.index].amount[row];
}

void sl_ledger_add(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount)
{
	SL_CHECK(ledger.index < pass->ledger_count && row < pass->ledger[ledger.index].rows);
	int64_t *place = &pass->ledger[ledger.index].amount[row];
	if (pass->open)
		act(pass, (struct action){
				  .kind = ACTION_LEDGER, .job = ledger.index, .was = *place, .now = row });
	*place += amount;
}

/* ---- Questions to whoever drives the run ----------------------------------------------------- */

/* The pass stops at it, open as it is, and goes on when it is answered. Answers are kept, so that a pass that
 * is taken back and made again finds them. */
static bool offer(struct sl_pass *pass, const sl_job *offered, size_t count)
{
	const int status = SL_GROW_MOST(pass->offered, pass->offered_capacity, count, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return false;
	}
	if (count)
		memcpy(pass->offered, offered, count * sizeof(*offered));
	pass->offered_count = count;
	pass->asks = true;
	return true;
}

bool sl_ask(struct sl_pass *pass, uint64_t number, const sl_job *offered, size_t count, sl_job *answer)
{
	if (number < pass->answer_count) {
		*answer = (sl_job){ pass->answer[number] };
		return true;
	}
	if (number > pass->answer_count)
		pass_failed(pass,
			sl_fail(&pass->err, SL_POLICY, "policy '%s' skips a question", pass->policy->name));
	else if (!pass->options.driven)
		pass_failed(pass,
			sl_fail(&pass->err, SL_USAGE,
				"policy '%s' asks whoever drives the run, and nobody does: drive it from a "
				"program (sl_run_decide, schedlab.SchedlabEnv), or give it recorded choices",
				pass->policy->name));
	else
		(void)offer(pass, offered, count);
	return false;
}
