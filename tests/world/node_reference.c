/* SPDX-License-Identifier: GPL-3.0-or-later */
/* node_reference.c - see node_reference.h. */
#include "tests/world/node_reference.h"

#include <string.h>

#define NOT_YET INT64_C(-1)
#define NO_TIME INT64_MAX

struct ref {
	const struct node_world *world;
	const struct nr_options *options;
	int64_t now;
	int64_t limit[NW_JOBS], promise[NW_JOBS];
	struct nr_placement promised[NW_JOBS];
	struct nr_result *result;
};

/* What a node scorer chooses from: what stays free on each node over some time. */
struct view {
	int64_t free[NW_NODES][NW_KINDS];
	bool taken[NW_NODES];  /* Some job has an allocation there. */
	bool closed[NW_NODES]; /* A window conflicts, or the node is allocated whole (exclusive). */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- Placing ------------------------------------------------------------------------------------ */

static bool type_will_do(const struct sl_group *group, uint32_t kind)
{
	return !group->task.gpu_types || group->task.gpu_types >> (kind - SL_KIND_GPUS) & 1;
}

/* How many tasks of the group go on the node, beside so many that are there. */
static int64_t tasks_on(const struct ref *r, const struct view *view, const struct sl_group *group,
	uint32_t node, int64_t there)
{
	int64_t tasks = group->tasks;
	int64_t of_types = 0;
	if (view->closed[node] || (group->exclusive && view->taken[node]))
		return 0;
	if (group->node_set && !(r->world->set_nodes[group->node_set] >> node & 1))
		return 0;
	if (group->tasks_per_node)
		tasks = least(tasks, group->tasks_per_node - there);
	if (group->task.cpus)
		tasks = least(tasks, view->free[node][SL_KIND_CPUS] / group->task.cpus);
	if (group->task.mem)
		tasks = least(tasks, view->free[node][SL_KIND_MEM] / group->task.mem);
	if (!group->task.gpus)
		return tasks;
	/* All gpus of one task are of one type. */
	for (uint32_t kind = SL_KIND_GPUS; kind < r->world->kinds; kind++)
		of_types += type_will_do(group, kind) ? view->free[node][kind] / group->task.gpus : 0;
	return least(tasks, of_types);
}

/* Of each kind the share of the most that a node has, in units of 2^-20, rounded half up. */
static int64_t shares_free(const struct ref *r, const struct view *view, uint32_t node)
{
	int64_t sum = 0;
	for (uint32_t kind = 0; kind < r->world->kinds; kind++) {
		int64_t most = 0;
		for (uint32_t i = 0; i < r->world->nodes; i++)
			if (r->world->amount[i][kind] < SL_MEM_UNBOUNDED && r->world->amount[i][kind] > most)
				most = r->world->amount[i][kind];
		if (most && r->world->amount[node][kind] < SL_MEM_UNBOUNDED)
			sum += (2 * (view->free[node][kind] << 20) + most) / (2 * most);
	}
	return sum;
}

/* a goes before b? */
static bool better(const struct ref *r, const struct view *view, uint32_t a, int64_t tasks_a, uint32_t b,
	int64_t tasks_b)
{
	const int64_t free_a = shares_free(r, view, a);
	const int64_t free_b = shares_free(r, view, b);
	switch (r->options->place) {
	case NR_PACK:
		if (tasks_a != tasks_b)
			return tasks_a > tasks_b;
		return free_a != free_b ? free_a < free_b : a < b;
	case NR_BEST:
		return free_a != free_b ? free_a < free_b : a < b;
	case NR_WORST:
	case NR_SPREAD:
		return free_a != free_b ? free_a > free_b : a < b;
	case NR_FIRST:
	case NR_PLACES:
		break;
	}
	return a < b;
}

/* Is there any placement of the group at all? On the nodes that fit most of it. */
static bool exists(const struct ref *r, const struct view *view, const struct sl_group *group)
{
	int64_t most[NW_NODES];
	int64_t count = 0;
	int64_t capacity = 0;
	for (uint32_t node = 0; node < r->world->nodes; node++) {
		const int64_t tasks = tasks_on(r, view, group, node, 0);
		int64_t place = count;
		if (tasks < 1)
			continue;
		for (count++; place && most[place - 1] < tasks; place--)
			most[place] = most[place - 1];
		most[place] = tasks;
	}
	if (group->nodes_max)
		count = least(count, group->nodes_max);
	for (int64_t i = 0; i < count; i++)
		capacity += most[i];
	return capacity >= group->tasks && count >= group->nodes_min;
}

static void take(const struct ref *r, struct view *view, struct nr_placement *to,
	const struct sl_group *group, uint32_t index, uint32_t node, int64_t tasks)
{
	struct nr_alloc *alloc = NULL;
	for (uint32_t i = 0; i < to->count; i++)
		if (to->alloc[i].node == node && to->alloc[i].group == index)
			alloc = &to->alloc[i];
	if (!alloc) {
		alloc = &to->alloc[to->count++];
		*alloc = (struct nr_alloc){ .node = node, .group = index, .whole = group->exclusive };
	}
	alloc->tasks += (uint32_t)tasks;
	view->taken[node] = true;
	int64_t left = group->task.gpus ? tasks : 0;
	for (uint32_t kind = 0; kind < r->world->kinds; kind++) {
		int64_t amount = kind == SL_KIND_CPUS ? tasks * group->task.cpus : tasks * group->task.mem;
		if (kind >= SL_KIND_GPUS) { /* Types in their order. */
			const int64_t here = left && type_will_do(group, kind)
						     ? least(left, view->free[node][kind] / group->task.gpus)
						     : 0;
			amount = here * group->task.gpus;
			left -= here;
		}
		alloc->amount[kind] += amount;
		view->free[node][kind] -= amount;
	}
}

/* One group on its way: how many of its tasks each node has. */
struct scorer {
	const struct sl_group *group;
	uint32_t index;
	bool singly, most_first;
	int64_t there[NW_NODES];
	int64_t left, nodes;
};

/* How many would go there next; 0: the node is not used. */
static int64_t next_on(const struct ref *r, const struct view *view, const struct scorer *p, uint32_t node)
{
	const bool is_new = !p->there[node];
	const int64_t owed = (int64_t)p->group->nodes_min - p->nodes - is_new;
	if (is_new ? p->group->nodes_max && p->nodes == p->group->nodes_max : !p->singly)
		return 0;
	/* The others that it must be on get one task each. */
	const int64_t tasks =
		least(tasks_on(r, view, p->group, node, p->there[node]), p->left - (owed > 0 ? owed : 0));
	return p->singly ? least(tasks, 1) : tasks;
}

static bool place_round(const struct ref *r, struct view *view, struct scorer *p, struct nr_placement *to)
{
	while (p->left) {
		uint32_t chosen = UINT32_MAX;
		int64_t chosen_tasks = 0;
		for (uint32_t node = 0; node < r->world->nodes; node++) {
			const int64_t tasks = next_on(r, view, p, node);
			if (tasks < 1)
				continue;
			const bool more = p->most_first && tasks != chosen_tasks;
			if (chosen == UINT32_MAX ||
				(more ? tasks > chosen_tasks
				      : better(r, view, node, tasks, chosen, chosen_tasks))) {
				chosen = node;
				chosen_tasks = tasks;
			}
		}
		if (chosen == UINT32_MAX)
			return false;
		const bool taken = view->taken[chosen];
		take(r, view, to, p->group, p->index, chosen, chosen_tasks);
		view->taken[chosen] = taken; /* By others. */
		p->nodes += !p->there[chosen];
		p->there[chosen] += chosen_tasks;
		p->left -= chosen_tasks;
	}
	for (uint32_t node = 0; node < r->world->nodes; node++) {
		view->taken[node] |= p->there[node] > 0;
		view->closed[node] |= p->there[node] > 0 && p->group->exclusive;
	}
	return true;
}

/* By the node scorer; if that needs more nodes than it may have, those that fit most tasks go first. */
static bool place_group(const struct ref *r, struct view *view, const struct sl_group *group, uint32_t index,
	struct nr_placement *to)
{
	const struct view before = *view;
	const uint32_t count = to->count;
	const bool any = exists(r, view, group);
	struct scorer plain = {
		.group = group, .index = index, .left = group->tasks, .singly = r->options->place == NR_SPREAD
	};
	struct scorer most = { .group = group, .index = index, .left = group->tasks, .most_first = true };
	if (place_round(r, view, &plain, to)) {
		SL_CHECK(any);
		return true;
	}
	*view = before;
	to->count = count;
	if (group->nodes_max && place_round(r, view, &most, to)) {
		SL_CHECK(any);
		return true;
	}
	SL_CHECK(!any); /* What can be placed is placed. */
	return false;
}

/* All groups, one after another, or none. */
static bool place(const struct ref *r, const struct view *view, uint32_t job, struct nr_placement *to)
{
	struct view left = *view;
	to->count = 0;
	for (uint32_t i = 0; i < r->world->job[job].group_count; i++)
		if (!place_group(r, &left, &r->world->job[job].group[i], i, to))
			return false;
	return true;
}

/* ---- Views ---------------------------------------------------------------------------------------- */

static void view_idle(const struct ref *r, struct view *view)
{
	*view = (struct view){ 0 };
	memcpy(view->free, r->world->amount, sizeof(view->free));
}

static void view_take(const struct ref *r, struct view *view, const struct nr_placement *held)
{
	for (uint32_t i = 0; i < held->count; i++) {
		const struct nr_alloc *alloc = &held->alloc[i];
		view->taken[alloc->node] = true;
		view->closed[alloc->node] |= alloc->whole;
		for (uint32_t kind = 0; kind < r->world->kinds; kind++)
			view->free[alloc->node][kind] -= alloc->amount[kind];
	}
}

/* No job starts that by its limit would run into a window. */
static void view_windows(const struct ref *r, struct view *view, int64_t from, int64_t until)
{
	for (uint32_t i = 0; i < r->world->windows; i++)
		for (uint32_t node = 0; node < r->world->nodes; node++)
			if (r->world->window[i].nodes >> node & 1 && r->world->window[i].from < until &&
				from < r->world->window[i].until)
				view->closed[node] = true;
}

/* ---- Jobs ------------------------------------------------------------------------------------------- */

static bool submitted(const struct ref *r, uint32_t i) { return r->world->job[i].submit <= r->now; }
static bool waiting(const struct ref *r, uint32_t i)
{
	return submitted(r, i) && r->result->start[i] == NOT_YET;
}
static bool running(const struct ref *r, uint32_t i)
{
	return r->result->start[i] != NOT_YET && r->result->end[i] > r->now;
}

/* When the scheduler thinks a running job ends: a job beyond its limit, at the next second. */
static int64_t expected_end(const struct ref *r, uint32_t i)
{
	const int64_t end = r->result->start[i] + r->limit[i];
	return end > r->now ? end : r->now + 1;
}

/* If all that ends by then has ended. */
static void view_then(const struct ref *r, int64_t then, int64_t length, struct view *view)
{
	view_idle(r, view);
	for (uint32_t i = 0; i < r->world->count; i++)
		if (running(r, i) && (then == r->now || expected_end(r, i) > then))
			view_take(r, view, &r->result->held[i]);
	view_windows(r, view, then, then + length);
}

static void start_on(struct ref *r, uint32_t i, const struct nr_placement *where)
{
	int64_t length = r->world->job[i].run;
	if (r->world->overrun == SL_OVERRUN_KILL && r->limit[i] < length)
		length = r->limit[i];
	r->result->start[i] = r->now;
	r->result->end[i] = r->now + length;
	r->result->held[i] = *where;
	r->promise[i] = NOT_YET;
}

/* A job without a placement on the idle cluster gets no reservation, though one may be found where others
 * block its first groups. */
static bool fits_idle(const struct ref *r, uint32_t i)
{
	struct view view;
	struct nr_placement scratch;
	view_idle(r, &view);
	return place(r, &view, i, &scratch);
}

static bool fits_now(const struct ref *r, uint32_t i, struct nr_placement *where)
{
	struct view view;
	view_then(r, r->now, r->limit[i], &view);
	return place(r, &view, i, where);
}

static bool start(struct ref *r, uint32_t i)
{
	struct nr_placement where;
	if (!fits_now(r, i, &where))
		return false;
	start_on(r, i, &where);
	return true;
}

/* The waiting jobs in order, ties by place. */
static uint32_t in_order(const struct ref *r, bool by_limit, uint32_t *row)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < r->world->count; i++) {
		if (!waiting(r, i))
			continue;
		uint32_t place = count++;
		for (; by_limit && place && r->limit[row[place - 1]] > r->limit[i]; place--)
			row[place] = row[place - 1];
		row[place] = i;
	}
	return count;
}

/* By then all has ended, and every window is over. */
static int64_t horizon(const struct ref *r)
{
	int64_t last = r->now;
	for (uint32_t i = 0; i < r->world->count; i++) {
		int64_t end = r->now;
		if (running(r, i))
			end = expected_end(r, i);
		else if (waiting(r, i) && r->promise[i] != NOT_YET && r->promise[i] != NO_TIME)
			end = r->promise[i] + r->limit[i];
		last = end > last ? end : last;
	}
	for (uint32_t i = 0; i < r->world->windows; i++)
		if (r->world->window[i].until > last)
			last = r->world->window[i].until;
	return last;
}

/* ---- EASY and its variants ----------------------------------------------------------------------------
 */

/* A start is looked for now, and whenever something is released. (Where several groups are allocated one
 * after another, fewer free resources may do where more do not.) */
static bool comes_free(const struct ref *r, int64_t second, uint32_t but)
{
	if (second == r->now)
		return true;
	for (uint32_t i = 0; i < r->world->windows; i++)
		if (r->world->window[i].until == second)
			return true;
	for (uint32_t i = 0; i < r->world->count; i++) {
		if (running(r, i) && expected_end(r, i) == second)
			return true;
		if (i != but && waiting(r, i) && r->promise[i] != NOT_YET && r->promise[i] != NO_TIME &&
			r->promise[i] + r->limit[i] == second)
			return true;
	}
	return false;
}

/* Second by second, until the head has a placement; it is left in `where`. */
static int64_t find_shadow(const struct ref *r, uint32_t head, struct nr_placement *where)
{
	for (int64_t then = r->now + 1; then <= horizon(r) && fits_idle(r, head); then++) {
		struct view view;
		if (!comes_free(r, then, head))
			continue;
		view_then(r, then, r->limit[head], &view);
		if (place(r, &view, head, where))
			return then;
	}
	return NO_TIME;
}

/* With the candidate in place at the shadow: has the head still a placement, or what was chosen for it? */
static bool leaves_the_head(const struct ref *r, uint32_t head, int64_t shadow,
	const struct nr_placement *chosen, const struct nr_placement *candidate)
{
	struct view view;
	struct nr_placement scratch;
	view_then(r, shadow, r->limit[head], &view);
	view_take(r, &view, candidate);
	if (r->options->spare == SL_SPARE_COUNT)
		return place(r, &view, head, &scratch);
	for (uint32_t i = 0; i < chosen->count; i++) {
		const struct nr_alloc *alloc = &chosen->alloc[i];
		for (uint32_t k = 0; k < candidate->count; k++)
			if (candidate->alloc[k].node == alloc->node &&
				(candidate->alloc[k].whole || alloc->whole))
				return false;
	}
	view_take(r, &view, chosen);
	for (uint32_t node = 0; node < r->world->nodes; node++)
		for (uint32_t kind = 0; kind < r->world->kinds; kind++)
			if (view.free[node][kind] < 0)
				return false;
	return true;
}

static void pass_easy(struct ref *r)
{
	uint32_t row[NW_JOBS];
	uint32_t count = in_order(r, r->options->shortest_first, row);
	uint32_t first = 0;
	while (first < count && start(r, row[first]))
		first++;
	if (first == count || r->options->plan == NR_FCFS)
		return;
	const uint32_t head = row[first];
	struct nr_placement chosen;
	const int64_t shadow = find_shadow(r, head, &chosen);
	count = in_order(r, r->options->fill_shortest || r->options->shortest_first, row);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t job = row[i];
		struct nr_placement where;
		if (job == head || !fits_now(r, job, &where))
			continue;
		if (shadow == NO_TIME || r->now + r->limit[job] <= shadow ||
			(r->options->spare != SL_SPARE_NONE &&
				leaves_the_head(r, head, shadow, &chosen, &where)))
			start_on(r, job, &where);
	}
}

static void pass_greedy(struct ref *r)
{
	uint32_t row[NW_JOBS];
	const uint32_t count = in_order(r, r->options->shortest_first, row);
	for (uint32_t i = 0; i < count; i++)
		(void)start(r, row[i]);
}

/* ---- Conservative -------------------------------------------------------------------------------------- */

/* Of each kind, the least that is free in any second of [from, until) beside all that runs or is reserved.
 */
static void view_over(const struct ref *r, int64_t from, int64_t until, uint32_t but, struct view *view)
{
	view_idle(r, view);
	for (int64_t second = from; second < until; second++) {
		struct view here;
		view_idle(r, &here);
		for (uint32_t i = 0; i < r->world->count; i++) {
			if (running(r, i) && expected_end(r, i) > second)
				view_take(r, &here, &r->result->held[i]);
			else if (i != but && waiting(r, i) && r->promise[i] != NOT_YET &&
				 r->promise[i] <= second && second < r->promise[i] + r->limit[i])
				view_take(r, &here, &r->promised[i]);
		}
		for (uint32_t node = 0; node < r->world->nodes; node++) {
			view->taken[node] |= here.taken[node];
			view->closed[node] |= here.closed[node];
			for (uint32_t kind = 0; kind < r->world->kinds; kind++)
				view->free[node][kind] = least(view->free[node][kind], here.free[node][kind]);
		}
	}
	view_windows(r, view, from, until);
}

static int64_t earliest(const struct ref *r, uint32_t job, struct nr_placement *where)
{
	for (int64_t at = r->now; at <= horizon(r) && fits_idle(r, job); at++) {
		struct view view;
		if (!comes_free(r, at, job))
			continue;
		view_over(r, at, at + r->limit[job], job, &view);
		if (place(r, &view, job, where))
			return at;
	}
	return NO_TIME;
}

static bool ended_early(const struct ref *r)
{
	for (uint32_t i = 0; i < r->world->count; i++)
		if (r->result->start[i] != NOT_YET && r->result->end[i] == r->now &&
			r->result->end[i] < r->result->start[i] + r->limit[i])
			return true;
	return false;
}

static bool overdue(const struct ref *r)
{
	for (uint32_t i = 0; i < r->world->count; i++)
		if (running(r, i) && r->result->start[i] + r->limit[i] <= r->now)
			return true;
	return false;
}

static void compress(struct ref *r, const uint32_t *row, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct nr_placement where;
		if (r->promise[row[i]] == NOT_YET)
			continue;
		const int64_t at = earliest(r, row[i], &where);
		if (at >= r->promise[row[i]])
			continue;
		r->promise[row[i]] = at;
		r->promised[row[i]] = where;
	}
}

static void pass_conservative(struct ref *r)
{
	uint32_t row[NW_JOBS];
	const uint32_t count = in_order(r, r->options->shortest_first, row);
	if (overdue(r))
		for (uint32_t i = 0; i < count; i++)
			r->promise[row[i]] = NOT_YET;
	else if (ended_early(r))
		compress(r, row, count);
	for (uint32_t i = 0; i < count; i++)
		if (r->promise[row[i]] == NOT_YET)
			r->promise[row[i]] = earliest(r, row[i], &r->promised[row[i]]);
	for (uint32_t i = 0; i < count; i++)
		if (r->promise[row[i]] == r->now)
			start_on(r, row[i], &r->promised[row[i]]);
}

/* ---- The clock
 * --------------------------------------------------------------------------------------------- */

static void sooner(const struct ref *r, int64_t at, int64_t *next)
{
	if (at != NO_TIME && at > r->now && at < *next)
		*next = at;
}

/* The next second at which something happens. */
static int64_t next_second(const struct ref *r)
{
	int64_t next = INT64_MAX;
	for (uint32_t i = 0; i < r->world->count; i++) {
		if (!submitted(r, i))
			sooner(r, r->world->job[i].submit, &next);
		else if (running(r, i))
			sooner(r, r->result->end[i], &next);
		else if (waiting(r, i) && r->promise[i] != NOT_YET)
			sooner(r, r->promise[i], &next);
	}
	for (uint32_t i = 0; i < r->world->windows; i++) {
		sooner(r, r->world->window[i].from, &next);
		sooner(r, r->world->window[i].until, &next);
	}
	return next;
}

void node_reference_run(
	const struct node_world *world, const struct nr_options *options, struct nr_result *result)
{
	struct ref r = { .world = world, .options = options, .now = -1, .result = result };
	memset(result, 0, sizeof(*result));
	for (uint32_t i = 0; i < world->count; i++) {
		r.limit[i] = world->job[i].limit;
		if (world->overrun == SL_OVERRUN_RAISE && r.limit[i] < world->job[i].run)
			r.limit[i] = world->job[i].run;
		r.promise[i] = result->start[i] = result->end[i] = NOT_YET;
	}
	while ((r.now = next_second(&r)) != INT64_MAX) {
		switch (options->plan) {
		case NR_FCFS:
		case NR_EASY:
			pass_easy(&r);
			break;
		case NR_GREEDY:
			pass_greedy(&r);
			break;
		case NR_CONSERVATIVE:
			pass_conservative(&r);
			break;
		}
	}
}

bool node_reference_could_keep(const struct node_world *world, const struct sl_group *group)
{
	const struct nr_options options = { .place = NR_FIRST };
	const struct ref r = { .world = world, .options = &options };
	struct view view;
	view_idle(&r, &view);
	return exists(&r, &view, group);
}

bool node_reference_could_run(const struct node_world *world, uint32_t job, enum nr_place place)
{
	const struct nr_options options = { .place = place };
	const struct ref r = { .world = world, .options = &options };
	return fits_idle(&r, job);
}
