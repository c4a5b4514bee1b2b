/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_place.c - where a real slurmctld put each job of a recorded scenario, and where we do.
 *
 * One case a start (and a refusal at submission): with the recorded allocations of what then runs in force,
 * the placer is asked for the job, and has to name the recorded nodes, cpus, memory and devices. Nodes
 * planned for waiting jobs of higher priority are not available, if the job would run into the plan: plans
 * are derived, as slurmctld's backfill makes them. The recording is then put in force, so one wrong start
 * does not spoil the next.
 */
#include "tests/conformance/conformance.h"
#include "tests/conformance/slurm_alloc.h"
#include "tests/conformance/slurm_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PLANS = 512 };

struct running {
	const struct slurm_row *row;
	struct select_alloc *alloc;
};

struct plan {
	int64_t from, until;
	uint64_t *nodes;
};

struct stage {
	struct slurm_case *c;
	struct slurm_machine m;
	struct select *select; /* m's. */
	size_t words;
	struct running *running;
	size_t running_count;
	struct select_running *by_end;
	struct plan plan[PLANS];
	size_t plan_count;
	uint64_t *available;
	const uint64_t *closing; /* Nodes that are taken to be COMPLETING; NULL: none. */
	bool *started;           /* By row. */
};

static uint32_t partition_named(const struct slurm_case *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->cluster.partition_count; i++)
		if (name ? strlen(c->cluster.partition[i].name) == len &&
					memcmp(c->cluster.partition[i].name, name, len) == 0
			 : c->cluster.partition[i].is_default)
			return i;
	return 0;
}

/* ---- Plans of those that wait ---------------------------------------------------------------- */

static int64_t priority_at(const struct slurm_case *c, const struct slurm_job *job, int64_t now)
{
	int64_t priority = SL_NONE, first = SL_NONE;
	for (size_t i = 0; i < c->priority_count; i++) {
		if (c->priority[i].job != job)
			continue;
		if (first == SL_NONE)
			first = c->priority[i].priority;
		/* Sampled every 2.5 s, or 5: what was seen then was so for a while. */
		if (c->priority[i].at_ms <= now * 1000 + 5300)
			priority = c->priority[i].priority;
	}
	return priority == SL_NONE ? first : priority;
}

static int64_t tier_of(const struct stage *s, uint32_t partition)
{
	const int64_t tier = s->c->cluster.partition[partition].tier;
	return tier == SL_NONE ? 1 : tier;
}

/* A waiting row, with what puts it before others. */
struct waiting {
	const struct slurm_row *row;
	uint32_t partition;
	int64_t tier, priority;
};

/* Of an array, by task. */
static int64_t task_of(const struct slurm_row *row)
{
	const char *mark = strchr(row->id, '_');
	int64_t task;
	return mark && sl_get_i64(mark + 1, strlen(mark + 1), &task) ? task : 0;
}

static int by_priority(const void *a, const void *b)
{
	const struct waiting *left = a, *right = b;
	if (left->tier != right->tier)
		return left->tier > right->tier ? -1 : 1;
	if (left->priority != right->priority)
		return left->priority > right->priority ? -1 : 1;
	if (left->row->job == right->row->job && task_of(left->row) != task_of(right->row))
		return task_of(left->row) < task_of(right->row) ? -1 : 1;
	if (left->row->row_id != right->row->row_id)
		return left->row->row_id < right->row->row_id ? -1 : 1;
	return left->partition < right->partition ? -1 : left->partition > right->partition;
}

struct listing {
	const struct slurm_case *c;
	uint64_t *set;
};

static int list_node(void *self, const char *name, size_t len)
{
	const struct listing *list = self;
	for (uint32_t n = 0; n < list->c->cluster.node_count; n++)
		if (strlen(list->c->cluster.node_name[n]) == len &&
			memcmp(list->c->cluster.node_name[n], name, len) == 0)
			list->set[n / 64] |= UINT64_C(1) << (n % 64);
	return 0;
}

static bool runs_on(const struct slurm_case *c, const struct slurm_row *row, uint32_t node)
{
	uint64_t set[64] = { 0 };
	struct listing list = { c, set };
	struct sl_err err = { 0 };
	if (row->nodes[0])
		(void)sl_hosts_each(row->nodes, strlen(row->nodes), NULL, &err, list_node, &list);
	return set[node / 64] >> (node % 64) & 1;
}

static bool is_idle(const struct slurm_case *c, uint32_t node, int64_t at)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (c->row[i].start != SL_NONE && c->row[i].start <= at &&
			(c->row[i].end == SL_NONE || c->row[i].end > at) && runs_on(c, &c->row[i], node))
			return false;
	return true;
}

static bool just_ended(const struct slurm_case *c, uint32_t node, int64_t from, int64_t until)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (c->row[i].end != SL_NONE && c->row[i].end >= from && c->row[i].end <= until &&
			runs_on(c, &c->row[i], node))
			return true;
	return false;
}

/* Which nodes a window is of. So many of a partition's: idle ones before others, lowest first. */
static void find_nodes(struct stage *s, struct slurm_window *w)
{
	const struct slurm_case *c = s->c;
	const char *name = w->partition;
	const uint64_t *of =
		select_partition_nodes(s->select, partition_named(c, name, name ? strlen(name) : 0));
	w->set = sl_alloc(c->arena, s->words, sizeof(*w->set));
	struct listing list = { c, w->set };
	struct sl_err err = { 0 };
	if (w->nodes && strcasecmp(w->nodes, "ALL") != 0) {
		(void)sl_hosts_each(w->nodes, strlen(w->nodes), NULL, &err, list_node, &list);
		return;
	}
	uint32_t left = w->nodes || !w->node_count ? c->cluster.node_count : w->node_count;
	for (int busy = 0; busy < 2; busy++)
		for (uint32_t n = 0; n < c->cluster.node_count && left; n++)
			if ((w->nodes || of[n / 64] >> (n % 64) & 1) && !(w->set[n / 64] >> (n % 64) & 1) &&
				(busy || is_idle(c, n, w->from))) {
				w->set[n / 64] |= UINT64_C(1) << (n % 64);
				left--;
			}
}

static bool is_own(const struct slurm_job *job, const struct slurm_window *w)
{
	return w->name && job->desc.reservation && strcmp(job->desc.reservation, w->name) == 0;
}

/* Nodes of windows that the job would run into are none of its, but those of its own reservation. The
 * earliest end of one that is in the way. */
static int64_t close_nodes(struct stage *s, const struct slurm_job *job, int64_t from, int64_t until)
{
	int64_t later = SL_NONE;
	for (size_t i = 0; i < s->c->window_count; i++) {
		struct slurm_window *w = &s->c->window[i];
		const bool own = is_own(job, w);
		if (!w->set)
			find_nodes(s, w);
		if (!own && (w->from >= until || w->until <= from))
			continue;
		for (size_t k = 0; k < s->words; k++)
			s->available[k] &= own ? w->set[k] : ~w->set[k];
		if (!own && (later == SL_NONE || w->until < later))
			later = w->until;
	}
	return later;
}

/* Nodes of the partition without a plan over a time. The earliest end of a plan that is in the way. */
static int64_t open_nodes(
	struct stage *s, const struct slurm_job *job, uint32_t partition, int64_t from, int64_t until)
{
	memcpy(s->available, select_partition_nodes(s->select, partition), s->words * sizeof(*s->available));
	int64_t later = close_nodes(s, job, from, until);
	for (size_t w = 0; s->closing && w < s->words; w++)
		s->available[w] &= ~s->closing[w];
	for (size_t i = 0; i < s->plan_count; i++) {
		const struct plan *p = &s->plan[i];
		/* A plan that begins as the job would end is in its way, too. */
		if (p->from > until || p->until <= from)
			continue;
		for (size_t w = 0; w < s->words; w++)
			s->available[w] &= ~p->nodes[w];
		if (later == SL_NONE || p->until < later)
			later = p->until;
	}
	return later;
}

static struct select_job job_of(const struct slurm_job *job, uint32_t partition, int64_t now)
{
	return (struct select_job){ .desc = &job->desc,
		.partition = partition,
		.user = job->user_row,
		.waited = (now - job->submit) * SL_SECOND };
}

static bool collides(const struct stage *s, int64_t from, int64_t until, const uint64_t *nodes)
{
	for (size_t i = 0; i < s->plan_count; i++)
		for (size_t w = 0; w < s->words; w++)
			if (s->plan[i].from < until && s->plan[i].until > from &&
				(s->plan[i].nodes[w] & nodes[w]))
				return true;
	return false;
}

/* The plan of one that waits, beside those made before. One that could start now is kept from it by something
 * else than room, and has none. */
static void make_plan(struct stage *s, const struct waiting *w, int64_t now)
{
	const struct select_job job = job_of(w->row->job, w->partition, now);
	const int64_t limit = w->row->job->limit == SL_NONE ? 365 * 86400 : w->row->job->limit;
	uint64_t *nodes = sl_alloc(s->c->arena, s->words, sizeof(*nodes));
	const struct select_outlook outlook = {
		.running = s->by_end, .running_count = s->running_count, .now = now * SL_SECOND
	};
	int64_t from = now;
	if (s->plan_count == PLANS)
		return;
	for (int tries = 0; tries < 100; tries++) {
		const int64_t later = open_nodes(s, w->row->job, w->partition, from, from + limit);
		const sl_time at = select_will_run(s->select, &job, s->available, &outlook, nodes);
		int64_t start = at == SL_NEVER ? SL_NONE : at / SL_SECOND;
		if (start == now && from == now)
			return;
		if (start != SL_NONE && start < from)
			start = from;
		if (start == SL_NONE || (later != SL_NONE && start > later)) {
			if (later == SL_NONE)
				return;
			from = later;
		} else if (collides(s, start, start + limit, nodes)) {
			from = start;
		} else {
			s->plan[s->plan_count++] = (struct plan){ start, start + limit, nodes };
			return;
		}
	}
}

static bool runs_later(const struct stage *s, const struct slurm_row *row, const struct slurm_row *now)
{
	const size_t i = (size_t)(row - s->c->row);
	return row != now && !s->started[i] && row->alloc[0] && row->eligible != SL_NONE &&
	       row->eligible <= now->start;
}

static void make_plans(struct stage *s, const struct slurm_row *row, uint32_t partition)
{
	struct waiting *list =
		sl_alloc(s->c->arena, s->c->row_count * (s->c->cluster.partition_count + 1), sizeof(*list));
	const struct waiting mine = { .row = row,
		.partition = partition,
		.tier = tier_of(s, partition),
		.priority = priority_at(s->c, row->job, row->start) };
	size_t count = 0;
	s->plan_count = 0;
	for (size_t i = 0; i < s->c->row_count; i++) {
		const struct slurm_row *other = &s->c->row[i];
		if (!runs_later(s, other, row))
			continue;
		const char *text = other->job->partitions ? other->job->partitions : "";
		do {
			const size_t len = strcspn(text, ",");
			struct waiting w = { .row = other,
				.partition = partition_named(s->c, len ? text : NULL, len) };
			w.tier = tier_of(s, w.partition);
			w.priority = priority_at(s->c, other->job, row->start);
			if (by_priority(&w, &mine) < 0)
				list[count++] = w;
			text += len + (text[len] == ',');
		} while (*text);
	}
	if (count)
		qsort(list, count, sizeof(*list), by_priority);
	for (size_t i = 0; i < count; i++)
		make_plan(s, &list[i], row->start);
}

/* ---- Starts, in order ---------------------------------------------------------------------------- */

static int by_limit(const void *a, const void *b)
{
	const struct select_running *left = a, *right = b;
	return left->end < right->end ? -1 : left->end > right->end;
}

static void list_running(struct stage *s)
{
	for (size_t i = 0; i < s->running_count; i++) {
		const struct slurm_row *row = s->running[i].row;
		s->by_end[i] = (struct select_running){ .alloc = s->running[i].alloc,
			.end = (row->start + (row->job->limit == SL_NONE ? 365 * 86400 : row->job->limit)) *
			       SL_SECOND };
	}
	if (s->running_count)
		qsort(s->by_end, s->running_count, sizeof(*s->by_end), by_limit);
}

static void release_ended(struct stage *s, int64_t now)
{
	for (size_t i = 0; i < s->running_count;) {
		if (s->running[i].row->end == SL_NONE || s->running[i].row->end > now) {
			i++;
			continue;
		}
		select_give(s->select, s->running[i].alloc);
		s->running[i] = s->running[--s->running_count];
	}
	list_running(s);
}

/* Those that have ended by then are not there, until select_undo. */
static uint32_t lift_ended(struct stage *s, int64_t now)
{
	const uint32_t mark = select_mark(s->select);
	for (size_t i = 0; i < s->running_count; i++)
		if (s->running[i].row->end != SL_NONE && s->running[i].row->end <= now)
			select_give(s->select, s->running[i].alloc);
	return mark;
}

static bool overlap(const struct stage *s, const struct select_alloc *a, const struct select_alloc *b)
{
	for (uint32_t i = 0; i < a->node_count; i++)
		for (uint32_t j = 0; j < b->node_count; j++) {
			const struct select_node_alloc *x = &a->node_alloc[i], *y = &b->node_alloc[j];
			const uint32_t cores = select_core_count(s->select, x->node);
			if (x->node != y->node)
				continue;
			for (uint32_t w = 0; w < (cores + 63) / 64; w++)
				if (x->cores[w] & y->cores[w])
					return true;
			for (uint32_t g = 0; x->gres && y->gres && g < select_gres_count(s->select); g++)
				if (x->gres[g].devices & y->gres[g].devices)
					return true;
		}
	return false;
}

/* It has what one had that ended in its second: that one was gone by then. */
static void release_for(struct stage *s, const struct select_alloc *alloc, int64_t now)
{
	for (size_t i = 0; i < s->running_count;) {
		const int64_t end = s->running[i].row->end;
		if (end == SL_NONE || end > now || !overlap(s, alloc, s->running[i].alloc)) {
			i++;
			continue;
		}
		select_give(s->select, s->running[i].alloc);
		s->running[i] = s->running[--s->running_count];
	}
	list_running(s);
}

static void verdict(
	struct tally *tally, const struct stage *s, const struct slurm_row *row, const char *failure)
{
	char name[300];
	(void)snprintf(name, sizeof(name), "%s %s@%lld", s->c->name, row->id, (long long)row->start);
	tally_case(tally, name, failure);
}

/* Partitions as they were then; idle nodes that sleep go after all others. Before the scenario all were idle
 * for long. */
static void apply_changes(struct stage *s, int64_t now)
{
	const struct slurm_case *c = s->c;
	for (size_t i = 0; i < c->bound_count && c->bound[i].at <= now; i++)
		select_set_nodes_max(s->select,
			partition_named(c, c->bound[i].partition, strlen(c->bound[i].partition)),
			c->bound[i].nodes_max);
	if (c->suspend_time == SL_NONE || c->suspend_time < 0)
		return;
	for (uint32_t n = 0; n < c->cluster.node_count; n++) {
		bool awake = false;
		for (size_t i = 0; i < c->row_count && !awake; i++) {
			const struct slurm_row *row = &c->row[i];
			awake = row->start != SL_NONE && row->start < now &&
				(row->end == SL_NONE || row->end + c->suspend_time > now) &&
				runs_on(c, row, n);
		}
		select_set_rank(s->select, n, awake ? 0 : 1);
	}
}

/* What the placer says. NULL: nothing. */
static const struct select_alloc *place(
	struct stage *s, const struct slurm_row *row, const struct select_job *job)
{
	const struct select_alloc *out;
	const int64_t limit = row->job->limit == SL_NONE ? 365 * 86400 : row->job->limit;
	apply_changes(s, row->start);
	make_plans(s, row, job->partition);
	(void)open_nodes(s, row->job, job->partition, row->start, row->start + limit);
	return select_place(s->select, job, s->available, SELECT_NOW, &out) == SELECT_FITS ? out : NULL;
}

static bool as_recorded(const struct stage *s, const struct select_alloc *out, uint32_t count)
{
	return out && slurm_alloc_same(&s->m, s->m.node_alloc, count, out->node_alloc, out->node_count);
}

/* A recording has whole seconds: of a job that ended in the second of a start nobody knows whether it was
 * gone by then. Either is right. */
static bool before_ends(
	struct stage *s, const struct slurm_row *row, const struct select_job *job, uint32_t count)
{
	release_ended(s, row->start - 1);
	return as_recorded(s, place(s, row, job), count);
}

/* A node is COMPLETING until its epilog is done, about a second, and takes no job meanwhile. When that was is
 * not recorded: of nodes whose jobs ended so many seconds before, those that it did not get may have been. */
static bool beside_closing(
	struct stage *s, const struct slurm_row *row, const struct select_job *job, uint32_t count)
{
	uint64_t closing[64];
	bool right = false;
	SL_CHECK(s->words <= SL_LEN(closing));
	const uint32_t mark = lift_ended(s, row->start);
	s->closing = closing;
	for (int64_t back = 1; !right && back <= 2; back++) {
		memset(closing, 0, sizeof(closing));
		for (uint32_t n = 0; n < s->c->cluster.node_count; n++)
			if (just_ended(s->c, n, row->start - back, row->start) && !runs_on(s->c, row, n))
				closing[n / 64] |= UINT64_C(1) << (n % 64);
		right = as_recorded(s, place(s, row, job), count);
	}
	s->closing = NULL;
	select_undo(s->select, mark);
	return right;
}

static void begins(struct stage *s, const struct slurm_row *row, const struct select_alloc *alloc)
{
	release_for(s, alloc, row->start);
	struct select_alloc *held = alloc ? select_take(s->select, alloc) : NULL;
	SL_CHECK(held);
	s->running[s->running_count++] = (struct running){ row, held };
	s->started[row - s->c->row] = true;
}

static bool same_nodes(
	const struct slurm_case *c, const struct slurm_row *row, const struct select_alloc *out)
{
	uint32_t count = 0;
	for (uint32_t n = 0; n < c->cluster.node_count; n++)
		count += runs_on(c, row, n);
	for (uint32_t i = 0; i < out->node_count; i++)
		if (!runs_on(c, row, out->node_alloc[i].node))
			return false;
	return out->node_count == count;
}

/* It was gone before anybody looked what it had; only its nodes are known. There we put it. */
static void unseen_start(struct stage *s, const struct slurm_row *row, struct tally *tally)
{
	const struct select_job job =
		job_of(row->job, partition_named(s->c, row->partition, strlen(row->partition)), row->start);
	release_ended(s, row->start);
	const struct select_alloc *out = place(s, row, &job);
	verdict(tally, s, row, out && same_nodes(s->c, row, out) ? NULL : "it got other nodes");
	for (uint32_t n = 0; n < s->c->cluster.node_count; n++)
		if (!runs_on(s->c, row, n))
			s->available[n / 64] &= ~(UINT64_C(1) << (n % 64));
	if (select_place(s->select, &job, s->available, SELECT_NOW, &out) == SELECT_FITS)
		begins(s, row, out);
}

static void one_start(struct stage *s, const struct slurm_row *row, struct tally *tally)
{
	char failure[9000], wanted[4000], got[4000] = "nothing";
	const uint32_t partition = partition_named(s->c, row->partition, strlen(row->partition));
	const struct select_job job = job_of(row->job, partition, row->start);
	const uint32_t count = slurm_alloc_read(&s->m, row->alloc);
	if (!count) {
		verdict(tally, s, row, "the recorded allocation cannot be read");
		return;
	}
	bool right = before_ends(s, row, &job, count) || beside_closing(s, row, &job, count);
	const uint32_t mark = lift_ended(s, row->start);
	const struct select_alloc *out = right ? NULL : place(s, row, &job);
	const bool fits = out != NULL;
	if (right || as_recorded(s, out, count)) {
		verdict(tally, s, row, NULL);
	} else {
		slurm_alloc_put(&s->m, s->m.node_alloc, count, wanted, sizeof(wanted));
		if (fits)
			slurm_alloc_put(&s->m, out->node_alloc, out->node_count, got, sizeof(got));
		(void)snprintf(failure, sizeof(failure), "it got %s; we give %s (%zu plans)", wanted, got,
			s->plan_count);
		verdict(tally, s, row, failure);
	}
	select_undo(s->select, mark);
	begins(s, row, select_make(s->select, &job, s->m.node_alloc, count));
}

/* What sbatch says of requests that no node of the cluster, idle, could hold. */
static bool impossible(const char *reason)
{
	static const char *const text[] = { "node configuration", "Memory", "feature", "gres", "node name",
		"CPU count", "Node count" };
	for (size_t i = 0; i < SL_LEN(text); i++)
		if (strstr(reason, text[i]))
			return true;
	return false;
}

static void one_refusal(struct stage *s, const struct slurm_row *row, struct tally *tally)
{
	const struct select_job job = job_of(row->job,
		partition_named(s->c, row->job->partitions,
			row->job->partitions ? strcspn(row->job->partitions, ",") : 0),
		0);
	const bool never = select_place(s->select, &job, NULL, SELECT_EVER, NULL) == SELECT_NEVER;
	verdict(tally, s, row,
		never ? NULL : "it was refused: its configuration is not available; we could place it");
}

/* Whether it waited for the start of one that began in the same second: then it began in a later pass. */
static bool in_later_pass(const struct stage *s, const struct slurm_row *row)
{
	const char *text = row->job->dependency ? strstr(row->job->dependency, "after:@") : NULL;
	for (size_t i = 0; text && i < s->c->row_count; i++) {
		const struct slurm_row *other = &s->c->row[i];
		const size_t len = strlen(other->id);
		if (other->start == row->start && strncmp(text + 7, other->id, len) == 0 && !text[7 + len])
			return true;
	}
	return false;
}

/* Of one second, by tier and priority: the order in which they were tried. */
static void order_seconds(struct stage *s)
{
	for (size_t i = 1; i < s->c->row_count; i++)
		for (size_t j = i; j > 0 && s->c->row[j].start != SL_NONE &&
				   s->c->row[j - 1].start == s->c->row[j].start;
			j--) {
			struct waiting pair[2];
			for (size_t k = 0; k < 2; k++) {
				const struct slurm_row *row = &s->c->row[j - 1 + k];
				pair[k] = (struct waiting){ .row = row,
					.partition =
						partition_named(s->c, row->partition, strlen(row->partition)),
					.priority = priority_at(s->c, row->job, row->start) };
				pair[k].tier = tier_of(s, pair[k].partition);
			}
			const int passes = in_later_pass(s, pair[0].row) - in_later_pass(s, pair[1].row);
			if (passes < 0 || (passes == 0 && by_priority(&pair[0], &pair[1]) <= 0))
				break;
			const struct slurm_row swap = s->c->row[j];
			s->c->row[j] = s->c->row[j - 1];
			s->c->row[j - 1] = swap;
		}
}

/* "24.11": 2411. */
static int version_number(const char *text)
{
	int64_t year = 22, month = 5;
	const char *point = strchr(text, '.');
	if (point && sl_get_i64(text, (size_t)(point - text), &year))
		(void)sl_get_i64(point + 1, strlen(point + 1), &month);
	return (int)(100 * year + month);
}

static void run_case(struct slurm_case *c, const struct conformance_options *options, struct tally *tally,
	struct sl_err *err)
{
	struct stage s = { .c = c, .select = select_new(&c->cluster, c->arena, err) };
	if (!s.select) {
		tally_case(tally, c->name, err->text);
		return;
	}
	select_set_version(s.select, version_number(options->version ? options->version : c->version));
	s.words = select_node_words(s.select);
	s.running = sl_alloc(c->arena, c->row_count + 1, sizeof(*s.running));
	s.by_end = sl_alloc(c->arena, c->row_count + 1, sizeof(*s.by_end));
	s.available = sl_alloc(c->arena, s.words, sizeof(*s.available));
	s.started = sl_alloc(c->arena, c->row_count + 1, sizeof(*s.started));
	s.m = (struct slurm_machine){ &c->cluster, s.select, c->arena,
		sl_alloc(c->arena, c->cluster.node_count + 1, sizeof(*s.m.node_alloc)) };
	order_seconds(&s);
	for (size_t i = 0; i < c->row_count; i++) {
		const struct slurm_row *row = &c->row[i];
		if (row->alloc[0] && row->start != SL_NONE)
			one_start(&s, row, tally);
		else if (row->start != SL_NONE && row->nodes[0] && row->end != row->start)
			unseen_start(&s, row, tally);
		else if (strcmp(row->state, "REJECTED") == 0 && impossible(row->reasons))
			one_refusal(&s, row, tally);
	}
}

void slurm_place_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	struct sl_err err = { 0 };
	struct slurm_case c;
	struct sl_arena *arena = sl_arena_new();
	if (!arena)
		exit(6);
	if (slurm_case_read(&c, arena, path, &err))
		tally_case(tally, path, err.text);
	else
		run_case(&c, options, tally, &err);
	sl_arena_free(arena);
}
