/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_slices.c - gang scheduling by time slices: Ousterhout's matrix.
 *
 * A row is a set of jobs that fit beside each other. Rows run in turn, each for a quantum; jobs of the
 * others are suspended, or have not started yet. A job stays in its row until it ends.
 */
#include "policies/composed/composed.h"
#include "policies/composed/share_holders.h"

/* Counters: the active row, until when (0: none is), whether a job left the matrix since the last pass; in
 * the order of submission, the last job in the matrix and the one that fitted in no row, plus 1. */
enum { WHOLE_ACTIVE, WHOLE_UNTIL, WHOLE_LEFT, WHOLE_LAST, WHOLE_BLOCKED, WHOLE_SIZE };

struct slices {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	sl_ledger row_of; /* By job: its row, plus 1; 0: none. */
	sl_ledger whole;  /* WORLD_ */
	uint32_t rows;
	sl_job *member; /* By row of the table: all jobs in the matrix, and maybe others. */
	uint32_t member_count;
	bool *listed;                 /* By job. */
	uint32_t *held_by;            /* Jobs of each row. */
	int64_t (*asked)[ASKS_KINDS]; /* In sum, of each row. */
	sl_job *running;              /* The outcome of a trial. */
	bool *runs;                   /* By job: is in it. */
};

static int slices_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const size_t jobs = (size_t)setup->jobs->count + 1;
	struct sl_arena *arena = setup->arena;
	struct slices *s = composed->own = sl_alloc(arena, 1, sizeof(*s));
	if (!s)
		return sl_fail_memory(err);
	s->jobs = setup->jobs;
	s->cluster = setup->cluster;
	s->rows = (uint32_t)setup->values[PARAM_ROWS].number;
	s->row_of = sl_ledger_new(setup, "row of", (uint32_t)jobs);
	s->whole = sl_ledger_new(setup, "turn", WHOLE_SIZE);
	s->member = sl_alloc(arena, jobs, sizeof(*s->member));
	s->listed = sl_alloc(arena, jobs, sizeof(*s->listed));
	s->runs = sl_alloc(arena, jobs, sizeof(*s->runs));
	s->running = sl_alloc(arena, jobs, sizeof(*s->running));
	s->held_by = sl_alloc(arena, s->rows, sizeof(*s->held_by));
	s->asked = sl_alloc(arena, s->rows, sizeof(*s->asked));
	if (!s->member || !s->listed || !s->runs || !s->running || !s->held_by || !s->asked)
		return sl_fail_memory(err);
	return SL_OK;
}

static void set_ledger(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount)
{
	const int64_t before = sl_ledger_get(pass, ledger, row);
	if (before != amount)
		sl_ledger_add(pass, ledger, row, amount - before);
}

static int64_t plan_slices_row_of(const struct slices *s, const struct sl_pass *pass, sl_job job)
{
	return sl_ledger_get(pass, s->row_of, job.row) - 1;
}

static void slices_ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct slices *s = composed->own;
	if (sl_ledger_get(pass, s->row_of, job.row))
		set_ledger(pass, s->whole, WHOLE_LEFT, 1);
	set_ledger(pass, s->row_of, job.row, 0);
}

/* ---- The matrix ------------------------------------------------------------------------------ */

static void count_in(struct slices *s, sl_job job, uint32_t row)
{
	s->held_by[row]++;
	for (unsigned kind = 0; kind < ASKS_KINDS; kind++)
		s->asked[row][kind] += asks_of(s->jobs, job, kind);
}

/* Its jobs, by row of the table, and what each row has allocated. */
static void survey(struct slices *s, const struct sl_pass *pass)
{
	for (uint32_t row = 0; row < s->rows; row++) {
		s->held_by[row] = 0;
		for (unsigned kind = 0; kind < ASKS_KINDS; kind++)
			s->asked[row][kind] = 0;
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->member_count; i++) {
		const sl_job job = s->member[i];
		const int64_t row = plan_slices_row_of(s, pass, job);
		s->listed[job.row] = row >= 0;
		if (row < 0)
			continue;
		count_in(s, job, (uint32_t)row);
		uint32_t place = kept++;
		for (; place && s->member[place - 1].row > job.row; place--)
			s->member[place] = s->member[place - 1];
		s->member[place] = job;
	}
	s->member_count = kept;
}

static void put_in(struct slices *s, struct sl_pass *pass, sl_job job, uint32_t row)
{
	set_ledger(pass, s->row_of, job.row, (int64_t)row + 1);
	count_in(s, job, row);
	if (s->listed[job.row])
		return;
	s->listed[job.row] = true;
	s->member[s->member_count++] = job;
}

/* It waits in the queue again, perhaps before those that joined a row since. */
static void slices_retry(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct slices *s = composed->own;
	slices_ended(composed, pass, job);
	set_ledger(pass, s->whole, WHOLE_LAST, 0);
}

/* A node is back, or a job. */
static void slices_opened(struct composed *composed, struct sl_pass *pass)
{
	const struct slices *s = composed->own;
	set_ledger(pass, s->whole, WHOLE_LEFT, 1);
	set_ledger(pass, s->whole, WHOLE_LAST, 0);
}

/* Jobs started under another plan ran beside each other: they are one row. */
static void slices_history(struct composed *composed, struct sl_pass *pass, sl_job job,
	enum sl_history_command what, enum sl_preempt how)
{
	struct slices *s = composed->own;
	if (what == SL_HISTORY_START && plan_slices_row_of(s, pass, job) < 0)
		put_in(s, pass, job, 0);
	else if (what == SL_HISTORY_PREEMPT && how != SL_PREEMPT_SUSPEND)
		slices_retry(composed, pass, job);
}

static bool is_running(const struct sl_pass *pass, sl_job job)
{
	return sl_state_of(pass, job) == SL_RUNNING;
}

/* Goes on, or starts. */
static bool set_going(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	return is_running(pass, job) || composed_resume(composed, pass, job) ||
	       composed_start(composed, pass, job);
}

/* The row has the machine; of others what runs on, when their turn is over, is what cannot be stopped. */
static void give_turn(struct composed *composed, struct sl_pass *pass, uint32_t active)
{
	const struct slices *s = composed->own;
	for (uint32_t i = 0; i < s->member_count; i++)
		if (plan_slices_row_of(s, pass, s->member[i]) != active && is_running(pass, s->member[i]))
			(void)composed_preempt(composed, pass, s->member[i], SL_PREEMPT_SUSPEND);
	for (uint32_t i = 0; i < s->member_count; i++)
		if (plan_slices_row_of(s, pass, s->member[i]) == active)
			(void)set_going(composed, pass, s->member[i]);
}

/* By what is asked; on nodes also by trying it. */
static bool fits_in_row(struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t row)
{
	const struct slices *s = composed->own;
	for (unsigned kind = 0; kind < ASKS_KINDS; kind++)
		if (s->asked[row][kind] + asks_of(s->jobs, job, kind) > capacity_of(s->cluster, kind))
			return false;
	if (!s->cluster->node_count || !s->held_by[row])
		return true;
	const sl_marked mark = sl_mark(pass);
	give_turn(composed, pass, row);
	const bool fits = sl_fits(pass, job);
	composed_undo(composed, pass, mark);
	return fits;
}

/* Where to look for those not yet in: in the order of submission, behind the last that is. If that one could
 * not go in before, and none left since, it cannot now. */
static sl_job first_outside(const struct composed *composed, const struct sl_pass *pass)
{
	const struct slices *s = composed->own;
	const int64_t last = sl_ledger_get(pass, s->whole, WHOLE_LAST) - 1;
	const int64_t blocked = sl_ledger_get(pass, s->whole, WHOLE_BLOCKED) - 1;
	if (!composed->order.by_row || last < 0)
		return sl_queue_first(pass);
	const sl_job job = sl_queue_after(pass, (sl_job){ (uint32_t)last });
	return blocked >= 0 && job.row == blocked && !sl_ledger_get(pass, s->whole, WHOLE_LEFT) ? SL_JOB_NONE
												: job;
}

/* In queue order, each into the first row where it fits, an empty one included; the first that fits in none
 * waits, and all behind it. Counts those that joined a row, and of them those in the active one. */
static uint32_t place_waiting(
	struct composed *composed, struct sl_pass *pass, uint32_t active, uint32_t *placed_active)
{
	struct slices *s = composed->own;
	uint32_t placed = 0;
	for (sl_job job = first_outside(composed, pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		if (plan_slices_row_of(s, pass, job) >= 0)
			continue;
		uint32_t row = 0;
		while (row < s->rows && !fits_in_row(composed, pass, job, row))
			row++;
		if (row == s->rows) {
			sl_head_waits(pass, job);
			set_ledger(pass, s->whole, WHOLE_BLOCKED, (int64_t)job.row + 1);
			break;
		}
		put_in(s, pass, job, row);
		set_ledger(pass, s->whole, WHOLE_LAST, (int64_t)job.row + 1);
		placed++;
		*placed_active += row == active;
	}
	return placed;
}

/* ---- Turns ------------------------------------------------------------------------------------- */

/* The next row with a job, round and round; the same if there is no other. */
static uint32_t row_after(const struct slices *s, uint32_t row)
{
	for (uint32_t step = 1; step < s->rows; step++)
		if (s->held_by[(row + step) % s->rows])
			return (row + step) % s->rows;
	return row;
}

/* True if a turn begins. A row alone keeps its turn until another comes. */
static bool next_turn(struct composed *composed, struct sl_pass *pass)
{
	const struct slices *s = composed->own;
	const uint32_t active = (uint32_t)sl_ledger_get(pass, s->whole, WHOLE_ACTIVE);
	const sl_time until = sl_ledger_get(pass, s->whole, WHOLE_UNTIL);
	const uint32_t other = row_after(s, active);
	if (until && s->held_by[active] && (sl_now(pass) < until || other == active))
		return false;
	set_ledger(pass, s->whole, WHOLE_ACTIVE, until ? other : 0); /* 0: the first turn of all. */
	set_ledger(pass, s->whole, WHOLE_UNTIL, sl_now(pass) + composed->values[PARAM_QUANTUM].number);
	return true;
}

/* Idle resources go to jobs of the active row, then of the rows that are next, in this order.
 */
static void fill_up(struct composed *composed, struct sl_pass *pass, uint32_t active)
{
	const struct slices *s = composed->own;
	uint32_t row = active;
	do {
		for (uint32_t i = 0; i < s->member_count; i++) {
			if (!s->cluster->node_count && !sl_free(pass, SL_KIND_CPUS))
				return;
			if (plan_slices_row_of(s, pass, s->member[i]) != row)
				continue;
			sl_set_cause(pass, row == active ? SL_RULE_SLICE : SL_RULE_FILL, SL_JOB_NONE);
			(void)set_going(composed, pass, s->member[i]);
		}
		row = row_after(s, row);
	} while (row != active && composed->values[PARAM_ALTERNATE].number);
}

static void arrange(struct composed *composed, struct sl_pass *pass, uint32_t active)
{
	sl_set_cause(pass, SL_RULE_SLICE, SL_JOB_NONE);
	give_turn(composed, pass, active);
	fill_up(composed, pass, active);
}

/* Tries it first, so that nothing is stopped that is to run on. */
static void take_turn(struct composed *composed, struct sl_pass *pass, uint32_t active)
{
	struct slices *s = composed->own;
	const sl_marked trial = sl_mark(pass);
	arrange(composed, pass, active);
	for (uint32_t i = 0; i < s->member_count; i++)
		s->runs[s->member[i].row] = is_running(pass, s->member[i]);
	composed_undo(composed, pass, trial);

	const sl_marked mark = sl_mark(pass);
	sl_set_cause(pass, SL_RULE_SLICE, SL_JOB_NONE);
	bool good = true;
	for (uint32_t i = 0; i < s->member_count; i++)
		if (is_running(pass, s->member[i]) && !s->runs[s->member[i].row])
			(void)composed_preempt(composed, pass, s->member[i], SL_PREEMPT_SUSPEND);
	for (int others = 0; others < 2; others++) {
		sl_set_cause(pass, others ? SL_RULE_FILL : SL_RULE_SLICE, SL_JOB_NONE);
		for (uint32_t i = 0; i < s->member_count; i++)
			if (s->runs[s->member[i].row] &&
				(plan_slices_row_of(s, pass, s->member[i]) != active) == others)
				good &= set_going(composed, pass, s->member[i]);
	}
	if (good) {
		sl_keep(pass, mark);
		return;
	}
	composed_undo(composed, pass, mark); /* On nodes, what ran on was in another's place. */
	arrange(composed, pass, active);
}

static bool all_run(const struct slices *s, const struct sl_pass *pass)
{
	for (uint32_t i = 0; i < s->member_count; i++)
		if (!is_running(pass, s->member[i]))
			return false;
	return true;
}

static void slices_pass(struct composed *composed, struct sl_pass *pass)
{
	struct slices *s = composed->own;
	survey(s, pass);
	uint32_t placed_active = 0;
	const uint32_t placed = place_waiting(
		composed, pass, (uint32_t)sl_ledger_get(pass, s->whole, WHOLE_ACTIVE), &placed_active);
	if (!s->member_count) {
		set_ledger(pass, s->whole, WHOLE_UNTIL, 0);
		return;
	}
	const bool turn = next_turn(composed, pass);
	const uint32_t active = (uint32_t)sl_ledger_get(pass, s->whole, WHOLE_ACTIVE);
	if (turn || placed_active)
		take_turn(composed, pass, active);
	else if (placed || sl_ledger_get(pass, s->whole, WHOLE_LEFT) || s->cluster->window_count)
		fill_up(composed, pass, active); /* A window may have closed. */
	set_ledger(pass, s->whole, WHOLE_LEFT, 0);
	if (row_after(s, active) != active && !all_run(s, pass))
		sl_wake(pass, sl_ledger_get(pass, s->whole, WHOLE_UNTIL));
}

const struct plan plan_slices = {
	.name = "slices",
	.summary = "gang scheduling: rows of jobs take turns, each for a quantum; the others are suspended",
	.paper =
		"Ousterhout, Scheduling techniques for concurrent systems, ICDCS 1982; Feitelson & Rudolph, Gang "
		"scheduling performance benefits for fine-grain synchronization, JPDC 16(4), 1992",
	.uses = SL_USE_PREEMPT,
	.stops = true,
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_QUANTUM) | TAKES(PARAM_ROWS) | TAKES(PARAM_ALTERNATE),
	.init = slices_init,
	.pass = slices_pass,
	.ended = slices_ended,
	.beyond = slices_history,
	.opened = slices_opened,
};
