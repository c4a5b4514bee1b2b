/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_forced.c - see slurm_forced.h.
 *
 * A start is right if ours comes within 3 s of the recorded one with what the recorded one got; jobs that
 * start within 3 s of each other may swap. Where ours has not come by then, a copy of the process (fork) goes
 * on without that start and says whether it comes within 3 s. Before the recorded second no start is made:
 * the pass goes on as if the job's nodes were busy.
 */
#include "tests/conformance/slurm_forced.h"
#include "tests/conformance/slurm_alloc.h"
#include "tests/conformance/slurm_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOLERANCE = 3, PREEMPTION_LASTS = 60, RETRIES = 10 };

static const char *const kind_names[SLURM_KINDS] = {
	[SLURM_RIGHT] = "right",
	[SLURM_EARLY] = "starts too early",
	[SLURM_LATE] = "starts too late",
	[SLURM_PLACE] = "gets other resources",
	[SLURM_ENDED] = "ends otherwise",
	[SLURM_FINAL] = "is refused, cancelled or waits, unlike the recorded one",
	[SLURM_PREEMPTED] = "is preempted, and was not",
	[SLURM_NOT_RUN] = "is of a scenario that could not be run",
	[SLURM_STARTED] = "starts, and did not",
};

const char *slurm_kind_name(enum slurm_kind kind) { return kind_names[kind]; }

/* ---- Decisions ----------------------------------------------------------------------------------------- */

/* A run that ended by itself is no decision. */
static bool ended_by_itself(const struct slurm_row *row)
{
	return strcmp(row->state, "COMPLETED") == 0 || strcmp(row->state, "FAILED") == 0 ||
	       strcmp(row->state, "RUNNING") == 0;
}

static const struct slurm_row *same_row(const struct slurm_case *c, const struct slurm_row *row)
{
	for (size_t i = 0; c && i < c->row_count; i++)
		if (strcmp(c->row[i].id, row->id) == 0 && c->row[i].attempt == row->attempt)
			return &c->row[i];
	return NULL;
}

static void add(
	struct slurm_forced *f, const struct slurm_row *row, const struct slurm_case *second, bool ends)
{
	f->decision[f->count++] = (struct slurm_decision){
		.row = row, .second = same_row(second, row), .job = CTL_NO_ROW, .ends = ends
	};
}

void slurm_forced_make(struct slurm_forced *f, const struct slurm_case *c, const struct slurm_case *second)
{
	*f = (struct slurm_forced){ .c = c };
	/* And as many that we would make and nobody did. */
	f->decision = sl_alloc(c->arena, 4 * c->row_count + 1, sizeof(*f->decision));
	SL_CHECK(f->decision);
	for (size_t i = 0; i < c->row_count; i++) {
		const struct slurm_row *row = &c->row[i];
		if (row->job->hetero) /* They go on by themselves: components start together. */
			continue;
		add(f, row, second, false);
		if (row->started != SL_NONE && row->end != SL_NONE && !ended_by_itself(row))
			add(f, row, second, true);
	}
}

static SL_PRINTF(3, 4) void judge(struct slurm_decision *d, enum slurm_kind kind, const char *format, ...)
{
	va_list args;
	if (d->judged)
		return;
	d->judged = true;
	d->kind = kind;
	va_start(args, format);
	(void)vsnprintf(d->text, sizeof(d->text), format, args);
	va_end(args);
}

/* Of what we would do and nobody did: once a job and attempt. */
static void judge_more(struct slurm_forced *f, const struct ctl_job *job, enum slurm_kind kind)
{
	const struct slurm_row *row = NULL;
	for (size_t i = 0; i < f->count; i++) {
		const struct slurm_decision *d = &f->decision[i];
		if (d->job != job->row)
			continue;
		if (d->judged && d->kind == kind)
			return;
		row = d->row;
	}
	if (!row || f->count >= 4 * f->c->row_count)
		return;
	struct slurm_decision *d = &f->decision[f->count++];
	*d = (struct slurm_decision){ .row = row, .job = job->row, .done = true };
	judge(d, kind, "at %lld", (long long)(f->ctl->now - f->zero));
}

static struct slurm_decision *decision_of(struct slurm_forced *f, const struct ctl_job *job, bool ends)
{
	for (size_t i = 0; i < f->count; i++) {
		struct slurm_decision *d = &f->decision[i];
		if (d->job == job->row && d->ends == ends && !d->done && d->row->started != SL_NONE &&
			d->row->attempt == (int64_t)job->restarts)
			return d;
	}
	return NULL;
}

/* ---- What it got --------------------------------------------------------------------------------------- */

struct naming {
	const struct sl_cluster *cluster;
	uint64_t *set;
};

static int name_node(void *self, const char *name, size_t len)
{
	const struct naming *to = self;
	for (uint32_t n = 0; n < to->cluster->node_count; n++)
		if (strlen(to->cluster->node_name[n]) == len &&
			memcmp(to->cluster->node_name[n], name, len) == 0)
			to->set[n / 64] |= UINT64_C(1) << (n % 64);
	return 0;
}

static void nodes_of(const struct slurm_forced *f, const struct slurm_row *row, uint64_t *set)
{
	struct naming to = { f->ctl->cluster, set };
	struct sl_err err = { 0 };
	memset(set, 0, select_node_words(f->ctl->select) * sizeof(*set));
	if (row->nodes[0])
		(void)sl_hosts_each(row->nodes, strlen(row->nodes), NULL, &err, name_node, &to);
}

/* Of what was gone before anybody looked, only the nodes are known. */
static bool same_place(struct slurm_forced *f, const struct slurm_row *row, const struct select_alloc *alloc)
{
	uint64_t *set = sl_alloc(f->machine->arena, select_node_words(f->ctl->select), sizeof(*set));
	SL_CHECK(set);
	if (row->alloc[0]) {
		const uint32_t count = slurm_alloc_read(f->machine, row->alloc);
		return slurm_alloc_same(
			f->machine, f->machine->node_alloc, count, alloc->node_alloc, alloc->node_count);
	}
	nodes_of(f, row, set);
	for (uint32_t i = 0; i < alloc->node_count; i++)
		set[alloc->node_alloc[i].node / 64] ^= UINT64_C(1) << (alloc->node_alloc[i].node % 64);
	for (size_t w = 0; w < select_node_words(f->ctl->select); w++)
		if (set[w])
			return false;
	return true;
}

/* Some job that starts within 3 s of this one gets that. */
static bool swaps(struct slurm_forced *f, int64_t at, const struct select_alloc *alloc)
{
	for (size_t i = 0; i < f->c->row_count; i++) {
		const struct slurm_row *row = &f->c->row[i];
		if (row->start != SL_NONE && llabs(row->start - at) <= TOLERANCE && same_place(f, row, alloc))
			return true;
	}
	return false;
}

static bool within(const struct slurm_row *row, int64_t at)
{
	return row && row->start != SL_NONE && llabs(row->start - at) <= TOLERANCE;
}

static bool is_recorded(struct slurm_forced *f, const struct slurm_decision *d, const struct ctl_job *job,
	int64_t at, const struct select_alloc *alloc)
{
	const struct slurm_row *rows[] = { d->row, d->second };
	for (size_t i = 0; i < SL_LEN(rows); i++)
		if (within(rows[i], at) && strcmp(rows[i]->partition, f->ctl->part[job->part].name) == 0 &&
			(same_place(f, rows[i], alloc) || swaps(f, rows[i]->start, alloc)))
			return true;
	return false;
}

/* ---- As recorded --------------------------------------------------------------------------------------- */

static bool meets(const struct ctl *c, const struct select_alloc *a, const struct select_alloc *b)
{
	for (uint32_t i = 0; i < a->node_count; i++)
		for (uint32_t k = 0; k < b->node_count; k++) {
			const struct select_node_alloc *one = &a->node_alloc[i], *other = &b->node_alloc[k];
			if (one->node != other->node)
				continue;
			const size_t words = (select_core_count(c->select, one->node) + 63) / 64;
			for (size_t w = 0; w < words; w++)
				if (one->cores[w] & other->cores[w])
					return true;
			for (uint32_t g = 0; one->gres && other->gres && g < select_gres_count(c->select);
				g++)
				if (one->gres[g].devices & other->gres[g].devices)
					return true;
		}
	return false;
}

static int64_t mem_on(const struct select_alloc *alloc, uint32_t node)
{
	int64_t mem = 0;
	for (uint32_t i = 0; i < alloc->node_count; i++)
		if (alloc->node_alloc[i].node == node)
			mem += alloc->node_alloc[i].mem;
	return mem;
}

static bool has_memory(const struct ctl *c, const struct select_alloc *alloc)
{
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const uint32_t node = alloc->node_alloc[i].node;
		int64_t left =
			c->cluster->type[c->cluster->node_type[node]].amount[1] - alloc->node_alloc[i].mem;
		for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next)
			if (c->job[row].alloc)
				left -= mem_on(c->job[row].alloc, node);
		if (left < 0)
			return false;
	}
	return true;
}

/* Whether nobody has these cores and devices, nor their memory, as far as nobody may share them. */
static bool is_free(const struct ctl *c, const struct select_alloc *alloc)
{
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next) {
		const struct ctl_job *other = &c->job[row];
		if (other->alloc && other->state != CTL_SUSPENDED && !c->params.gang &&
			c->part[other->part].spec->shares <= 1 && meets(c, alloc, other->alloc))
			return false;
	}
	return has_memory(c, alloc);
}

/* NULL: it cannot have that now. Valid until the node selection is asked again. */
static const struct select_alloc *recorded_alloc(
	struct slurm_forced *f, struct ctl_job *job, const struct slurm_row *row)
{
	const struct ctl *c = f->ctl;
	const uint32_t part = ctl_part_named(c, row->partition, strlen(row->partition));
	if (part != CTL_NO_ROW)
		job->part = job->desc.partition = part;
	if (row->alloc[0]) {
		const uint32_t count = slurm_alloc_read(f->machine, row->alloc);
		return count ? select_make(c->select, &job->desc, f->machine->node_alloc, count) : NULL;
	}
	const struct select_alloc *alloc = NULL;
	uint64_t *set = sl_alloc(f->machine->arena, select_node_words(c->select), sizeof(*set));
	SL_CHECK(set);
	nodes_of(f, row, set);
	return select_place(c->select, &job->desc, set, SELECT_NOW, &alloc) == SELECT_FITS ? alloc : NULL;
}

static void start_as_recorded(struct slurm_forced *f, struct slurm_decision *d)
{
	struct ctl *c = f->ctl;
	struct ctl_job *job = &c->job[d->job];
	if (job->state != CTL_PENDING || (int64_t)job->restarts != d->row->attempt)
		return;
	const struct select_alloc *alloc = recorded_alloc(f, job, d->row);
	if (!alloc || !is_free(c, alloc))
		return;
	ctl_start(c, job, job->part, alloc);
	d->done = true;
}

static bool runs_on(const struct slurm_forced *f, const struct slurm_decision *d)
{
	for (size_t i = 0; i < f->c->row_count; i++)
		if (strcmp(f->c->row[i].id, d->row->id) == 0 && f->c->row[i].attempt > d->row->attempt)
			return true;
	return false;
}

static enum sl_state state_of(const struct slurm_row *row)
{
	for (unsigned state = 0; state < SL_STATE_COUNT; state++)
		if (strcmp(sl_state_name(state), row->state) == 0)
			return state;
	return SL_CANCELLED;
}

static void end_as_recorded(struct slurm_forced *f, struct slurm_decision *d)
{
	struct ctl_job *job = &f->ctl->job[d->job];
	d->done = true;
	if (runs_on(f, d) && ctl_is_active(job))
		ctl_requeue(f->ctl, job, state_of(d->row), false);
	else if (job->state != CTL_ENDED && job->state != CTL_NOT_SUBMITTED)
		ctl_end(f->ctl, job, state_of(d->row), false);
}

/* ---- Looking ahead ------------------------------------------------------------------------------------- */

/* In a copy of this process: it ends with what it finds (answer). Returns in the copy with NULL, here with
 * what the copy found. */
static enum slurm_kind look_ahead(struct slurm_forced *f, struct slurm_decision *d, enum slurm_kind otherwise)
{
	int status = 0;
	(void)fflush(NULL);
	const pid_t copy = fork();
	SL_CHECK(copy >= 0);
	if (!copy) {
		f->probed = d;
		f->looks = true;
		return SLURM_RIGHT;
	}
	if (waitpid(copy, &status, 0) != copy || !WIFEXITED(status) || WEXITSTATUS(status) >= SLURM_KINDS)
		return otherwise;
	return (enum slurm_kind)WEXITSTATUS(status);
}

static void answer(enum slurm_kind kind) { _exit((int)kind); }

static int64_t latest(const struct slurm_decision *d, int64_t first, int64_t second)
{
	return (d->second && second != SL_NONE && second > first ? second : first) + TOLERANCE;
}

static bool is_over(const struct slurm_decision *d, const struct ctl_job *job)
{
	return job->state == CTL_ENDED || (int64_t)job->restarts > d->row->attempt;
}

/* The copy's, in each second. */
static void look(struct slurm_forced *f)
{
	const struct slurm_decision *d = f->probed;
	const struct ctl_job *job = &f->ctl->job[d->job];
	const int64_t now = f->ctl->now - f->zero;
	if (d->ends && is_over(d, job))
		answer(SLURM_RIGHT);
	if (now > (d->ends ? latest(d, d->row->end, d->second ? d->second->end : SL_NONE)
			   : latest(d, d->row->start, d->second ? d->second->start : SL_NONE)))
		answer(d->ends ? SLURM_ENDED : SLURM_LATE);
}

/* ---- What the controller asks -------------------------------------------------------------------------- */

static const struct select_alloc *forced_start(
	void *self, struct ctl *c, struct ctl_job *job, const struct select_alloc *alloc)
{
	struct slurm_forced *f = self;
	const int64_t now = c->now - f->zero;
	struct slurm_decision *d = decision_of(f, job, false);
	if (!d) {
		judge_more(f, job, SLURM_STARTED);
		return NULL;
	}
	char text[1000];
	const bool right = is_recorded(f, d, job, now, alloc);
	if (d == f->probed)
		answer(right ? SLURM_RIGHT : SLURM_PLACE);
	if (right)
		judge(d, SLURM_RIGHT, " ");
	else
		slurm_alloc_put(f->machine, alloc->node_alloc, alloc->node_count, text, sizeof(text));
	if (!right && now < d->row->start - TOLERANCE)
		judge(d, SLURM_EARLY, "at %lld on %.100s, recorded %lld", (long long)now, text,
			(long long)d->row->start);
	else if (!right && now >= d->row->start)
		judge(d, SLURM_PLACE, "at %lld %.100s, recorded %lld %.100s", (long long)now, text,
			(long long)d->row->start, d->row->alloc[0] ? d->row->alloc : d->row->nodes);
	if (now < d->row->start)
		return NULL;
	const uint32_t part = job->part;
	const struct select_alloc *given = recorded_alloc(f, job, d->row);
	if (!given || !is_free(c, given)) {
		job->part = job->desc.partition = part;
		return NULL;
	}
	d->done = true;
	return given;
}

/* Those that it would preempt were, about then. */
static bool forced_preempt(void *self, struct ctl *c, struct ctl_job *job, const struct ctl_victims *victims)
{
	struct slurm_forced *f = self;
	const int64_t now = c->now - f->zero;
	bool as_recorded = true;
	(void)job;
	for (size_t i = 0; i < victims->count; i++) {
		const struct slurm_decision *d = decision_of(f, victims->job[i], true);
		if (d && d->row->end >= now - TOLERANCE && d->row->end <= now + PREEMPTION_LASTS)
			continue;
		as_recorded = false;
		judge_more(f, victims->job[i], SLURM_PREEMPTED);
	}
	return as_recorded;
}

/* A run that was over by now. */
static void look_at_end(struct slurm_forced *f, struct slurm_decision *d, int64_t now)
{
	const struct ctl_job *job = &f->ctl->job[d->job];
	if (d->done || (int64_t)job->restarts < d->row->attempt || job->state == CTL_NOT_SUBMITTED)
		return;
	if (is_over(d, job)) {
		const struct slurm_row *rows[] = { d->row, d->second };
		bool right = false;
		for (size_t i = 0; i < SL_LEN(rows); i++)
			right |= rows[i] && rows[i]->end != SL_NONE && llabs(rows[i]->end - now) <= TOLERANCE;
		judge(d, right ? SLURM_RIGHT : SLURM_ENDED, "at %lld, recorded %s at %lld", (long long)now,
			d->row->state, (long long)d->row->end);
		d->done = true;
		return;
	}
	if (d->row->end > now || !ctl_is_active(job) || d == f->probed)
		return;
	if (!f->looks && !d->judged) {
		const enum slurm_kind kind = look_ahead(f, d, SLURM_ENDED);
		if (f->looks)
			return;
		judge(d, kind, "not by %lld, recorded %s at %lld", (long long)now + TOLERANCE, d->row->state,
			(long long)d->row->end);
	}
	end_as_recorded(f, d);
}

static void look_at_start(struct slurm_forced *f, struct slurm_decision *d, int64_t now)
{
	const struct ctl_job *job = &f->ctl->job[d->job];
	if (d->done || d->row->start > now || d == f->probed)
		return;
	if (job->state != CTL_PENDING || (int64_t)job->restarts != d->row->attempt) {
		if (job->state == CTL_ENDED)
			judge(d, SLURM_FINAL, "ours is %s, recorded start %lld", sl_state_name(job->ended_as),
				(long long)d->row->start);
		return;
	}
	if (!f->looks && !d->judged) {
		const enum slurm_kind kind = look_ahead(f, d, SLURM_LATE);
		if (f->looks)
			return;
		judge(d, kind, "%s by %lld (%s), recorded %lld", kind == SLURM_LATE ? "not" : "with others",
			(long long)now + TOLERANCE, sl_reason_name(job->reason), (long long)d->row->start);
	}
	start_as_recorded(f, d);
}

/* One that never started, once it was refused or cancelled. */
static void look_at_final(struct slurm_forced *f, struct slurm_decision *d, int64_t now)
{
	const struct ctl_job *job = &f->ctl->job[d->job];
	const bool refused = strcmp(d->row->state, "REJECTED") == 0;
	const int64_t at = refused || d->row->end == SL_NONE ? d->row->job->submit : d->row->end;
	if (d->done || strcmp(d->row->state, "PENDING") == 0 || now < at + TOLERANCE)
		return;
	if (job->state == CTL_NOT_SUBMITTED)
		return;
	judge(d, job->state == CTL_ENDED ? SLURM_RIGHT : SLURM_FINAL, "ours waits (%s), recorded %s",
		sl_reason_name(job->reason), d->row->state);
	end_as_recorded(f, d);
}

/* Ends before starts, as slurmctld hears of ends before a pass. */
static void forced_second(void *self, struct ctl *c)
{
	struct slurm_forced *f = self;
	const int64_t now = c->now - f->zero;
	if (f->looks)
		look(f);
	for (size_t i = 0; i < f->count; i++)
		if (f->decision[i].job != CTL_NO_ROW && f->decision[i].ends)
			look_at_end(f, &f->decision[i], now);
	for (size_t i = 0; i < f->count; i++) {
		struct slurm_decision *d = &f->decision[i];
		if (d->job == CTL_NO_ROW || d->ends)
			continue;
		if (d->row->started != SL_NONE)
			look_at_start(f, d, now);
		else
			look_at_final(f, d, now);
	}
}

static ctl_time forced_next(void *self, const struct ctl *c)
{
	const struct slurm_forced *f = self;
	ctl_time next = CTL_NEVER;
	for (size_t i = 0; i < f->count; i++) {
		const struct slurm_decision *d = &f->decision[i];
		const int64_t times[] = { d->ends ? d->row->end : d->row->start, d->row->end,
			d->row->job->submit + TOLERANCE };
		for (size_t k = 0; k < SL_LEN(times) && !d->done; k++) {
			if (times[k] == SL_NONE)
				continue;
			const ctl_time at = times[k] + f->zero;
			if (at > c->now && at < next)
				next = at;
			if (at <= c->now && at + RETRIES > c->now) /* What it got is not free yet. */
				next = c->now + 1;
			if (at + TOLERANCE + 1 > c->now && at + TOLERANCE + 1 < next)
				next = at + TOLERANCE + 1;
		}
	}
	return next;
}

/* ---- Begin and end ------------------------------------------------------------------------------------- */

void slurm_forced_begin(struct slurm_forced *f, const struct slurm_watch *watch, struct ctl *ctl,
	struct slurm_machine *machine, int64_t zero)
{
	char id[80];
	f->ctl = ctl;
	f->machine = machine;
	f->zero = zero;
	for (size_t i = 0; i < f->count; i++) {
		slurm_trace_id(f->c, f->decision[i].row, id, sizeof(id));
		const struct slurm_series *series = slurm_series_of(watch, id);
		f->decision[i].job = series ? (uint32_t)(series - watch->series) : CTL_NO_ROW;
	}
	struct ctl_recorded *recorded = sl_alloc(machine->arena, 1, sizeof(*recorded));
	SL_CHECK(recorded);
	*recorded = (struct ctl_recorded){ .self = f,
		.next = forced_next,
		.second = forced_second,
		.start = forced_start,
		.preempt = forced_preempt };
	ctl->recorded = recorded;
}

void slurm_forced_end(struct slurm_forced *f)
{
	if (f->looks)
		answer(f->probed->ends ? SLURM_ENDED : SLURM_LATE);
	f->right = 0;
	for (size_t i = 0; i < f->count; i++) {
		struct slurm_decision *d = &f->decision[i];
		const struct ctl_job *job = d->job == CTL_NO_ROW ? NULL : &f->ctl->job[d->job];
		const bool waits = job && job->state == CTL_PENDING;
		if (d->row->started == SL_NONE)
			judge(d,
				waits || (job && job->state == CTL_ENDED &&
						 strcmp(d->row->state, "PENDING") != 0)
					? SLURM_RIGHT
					: SLURM_FINAL,
				"ours is %s, recorded %s",
				!job ? "not in the run" : sl_state_name(job->ended_as), d->row->state);
		judge(d, d->ends ? SLURM_ENDED : SLURM_LATE, "never, recorded %lld",
			(long long)(d->ends ? d->row->end : d->row->start));
		f->right += d->kind == SLURM_RIGHT;
	}
}
