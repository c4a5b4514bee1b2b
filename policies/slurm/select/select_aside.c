/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_aside.c - running jobs' allocations, with a journal (allocated, released, suspended) by which every
 * change can be undone, from its end.
 */
#include "policies/slurm/select/select_parts.h"

enum { ACTION_TAKE, ACTION_GIVE, ACTION_STOP, ACTION_GO };

uint8_t sel_use_of(const struct select *s, const struct sel_request *q)
{
	const struct sel_partition *p = &s->partition[q->partition];
	if (p->exclusive)
		return SEL_USE_RESERVED;
	return p->force || (p->shares && q->share == 1) ? SEL_USE_AVAILABLE : SEL_USE_ONE_ROW;
}

/* ---- Blocks of memory, by powers of two ------------------------------------------------ */

static size_t block_of(const struct select *s, uint32_t nodes, size_t words)
{
	return sizeof(struct select_alloc) + nodes * sizeof(struct select_node_alloc) +
	       words * sizeof(uint64_t) + (size_t)nodes * s->gres_name_count * sizeof(struct select_gres);
}

static struct select_alloc *block_new(struct select *s, size_t bytes)
{
	uint32_t size = 8;
	while ((size_t)1 << size < bytes)
		size++;
	struct select_alloc *a = s->free_list[size];
	if (a)
		s->free_list[size] = a->next_free;
	else
		a = sl_alloc(s->arena, 1, (size_t)1 << size);
	if (a) {
		memset(a, 0, (size_t)1 << size);
		a->size = size;
	}
	return a;
}

void sel_drop(struct select *s, struct select_alloc *a)
{
	a->next_free = s->free_list[a->size];
	s->free_list[a->size] = a;
}

struct select_alloc *sel_copy(struct select *s, const struct select_alloc *from)
{
	size_t words = 0;
	for (uint32_t i = 0; i < from->node_count; i++)
		words += shape_of(s, from->node_alloc[i].node)->words;
	struct select_alloc *a = block_new(s, block_of(s, from->node_count, words));
	if (!a)
		return NULL;
	const uint32_t size = a->size;
	*a = *from;
	a->size = size;
	a->cores = 0;
	a->node_alloc = (struct select_node_alloc *)(a + 1);
	struct select_gres *gres = (struct select_gres *)(a->node_alloc + from->node_count);
	uint64_t *core = (uint64_t *)(gres + (size_t)from->node_count * s->gres_name_count);
	for (uint32_t i = 0; i < from->node_count; i++) {
		const uint32_t n = shape_of(s, from->node_alloc[i].node)->words;
		a->node_alloc[i] = from->node_alloc[i];
		memcpy(core, from->node_alloc[i].cores, n * sizeof(*core));
		a->node_alloc[i].cores = core;
		a->cores += bits_count(core, n);
		core += n;
		if (from->node_alloc[i].gres) {
			memcpy(gres, from->node_alloc[i].gres, s->gres_name_count * sizeof(*gres));
			a->node_alloc[i].gres = gres;
		}
		gres += s->gres_name_count;
		a->node_alloc[i].owner = a;
	}
	a->held = false;
	a->end = SL_NEVER;
	return a;
}

/* ---- In force, and not ----------------------------------------------------------------------- */

static void note_change(struct select *s, uint32_t node)
{
	const uint64_t at = s->change & (s->change_capacity - 1);
	s->change_was[at] = s->node[node].changed;
	s->node[node].changed = s->change++;
	s->change_log[at] = node;
}

static void refresh_used(struct select *s, uint32_t node)
{
	const uint32_t words = shape_of(s, node)->words;
	uint64_t *used = s->used + s->node[node].core_at;
	memset(used, 0, words * sizeof(*used));
	for (const struct select_node_alloc *p = s->node[node].first; p; p = p->next)
		for (uint32_t w = 0; w < words && !p->owner->stopped; w++)
			used[w] |= p->cores[w];
	note_change(s, node);
}

static void add_used(struct select *s, const struct select_node_alloc *a)
{
	struct sel_node *n = &s->node[a->node];
	uint64_t *used = s->used + n->core_at;
	for (uint32_t w = 0; w < shape_of(s, a->node)->words && !a->owner->stopped; w++) {
		n->twice |= (used[w] & a->cores[w]) != 0;
		used[w] |= a->cores[w];
	}
	note_change(s, a->node);
}

/* One of so many jobs there goes. */
static void drop_used(struct select *s, const struct select_node_alloc *a, uint32_t jobs)
{
	const struct sel_node *n = &s->node[a->node];
	uint64_t *used = s->used + n->core_at;
	if (n->twice || n->one_row + n->reserved != jobs) { /* Some share cores, or are suspended. */
		refresh_used(s, a->node);
		return;
	}
	for (uint32_t w = 0; w < shape_of(s, a->node)->words; w++)
		used[w] &= ~a->cores[w];
	note_change(s, a->node);
}

/* sign 1: the gres are the job's; -1: no more. */
static void change_gres(struct select *s, const struct select_node_alloc *node_alloc, int64_t sign)
{
	struct sel_node *n = &s->node[node_alloc->node];
	const struct sel_shape *shape = shape_of(s, node_alloc->node);
	for (uint32_t g = 0; node_alloc->gres && g < s->gres_name_count; g++) {
		const struct select_gres *gres = &node_alloc->gres[g];
		if (!gres->count)
			continue;
		n->gres_used[g] += sign * gres->count;
		if (shape->shared[g]) {
			for (uint64_t left = gres->devices; left; left &= left - 1)
				s->share_used[(size_t)node_alloc->node * SEL_DEVICES +
					      (uint32_t)__builtin_ctzll(left)] += sign * gres->count;
			continue;
		}
		uint64_t devices = gres->devices;
		for (uint32_t i = 0; i < shape->group_count; i++)
			if (shape->group[i].name == g && shape->group[i].no_consume)
				devices &= ~shape->group[i].devices;
		if (sign > 0)
			n->devices_used[g] |= devices;
		else
			n->devices_used[g] &= ~devices;
	}
}

/* Which jobs may share its nodes: while it is suspended, any (job_res_rm_job takes its node_req off). */
static void count_use(struct select *s, const struct select_alloc *a, int sign)
{
	for (uint32_t i = 0; i < a->node_count && !a->stopped; i++) {
		struct sel_node *n = &s->node[a->node_alloc[i].node];
		n->reserved += (uint32_t)(sign * (a->use == SEL_USE_RESERVED));
		n->one_row += (uint32_t)(sign * (a->use == SEL_USE_ONE_ROW));
	}
}

static void enforce(struct select *s, struct select_alloc *a)
{
	struct sel_partition *p = &s->partition[a->partition];
	for (uint32_t i = 0; i < a->node_count; i++) {
		struct select_node_alloc *node_alloc = &a->node_alloc[i];
		struct sel_node *n = &s->node[node_alloc->node];
		node_alloc->next = n->first;
		node_alloc->link = &n->first;
		if (n->first)
			n->first->link = &node_alloc->next;
		n->first = node_alloc;
		n->mem_used += node_alloc->mem;
		n->jobs++;
		bit_clear(s->idle, node_alloc->node);
		change_gres(s, node_alloc, 1);
	}
	a->next = p->first;
	a->link = &p->first;
	if (p->first)
		p->first->link = &a->next;
	p->first = a;
	a->held = true;
	s->listed += a->end != SL_NEVER;
	s->whole_holds += a->whole == SL_EXCLUSIVE_NODE;
	s->user_holds += a->whole == SL_EXCLUSIVE_USER;
	s->topo_holds += a->whole_topo;
	s->stopped_holds += a->stopped;
	count_use(s, a, 1);
	for (uint32_t i = 0; i < a->node_count; i++)
		add_used(s, &a->node_alloc[i]);
}

static void select_aside_release(struct select *s, struct select_alloc *a)
{
	for (uint32_t i = 0; i < a->node_count; i++) {
		struct select_node_alloc *node_alloc = &a->node_alloc[i];
		struct sel_node *n = &s->node[node_alloc->node];
		*node_alloc->link = node_alloc->next;
		if (node_alloc->next)
			node_alloc->next->link = node_alloc->link;
		n->mem_used -= node_alloc->mem;
		n->jobs--;
		if (!n->jobs)
			bit_set(s->idle, node_alloc->node);
		change_gres(s, node_alloc, -1);
		drop_used(s, node_alloc, n->jobs + 1);
	}
	*a->link = a->next;
	if (a->next)
		a->next->link = a->link;
	a->held = false;
	s->listed -= a->end != SL_NEVER;
	s->whole_holds -= a->whole == SL_EXCLUSIVE_NODE;
	s->user_holds -= a->whole == SL_EXCLUSIVE_USER;
	s->topo_holds -= a->whole_topo;
	s->stopped_holds -= a->stopped;
	count_use(s, a, -1);
}

/* ---- Ends ------------------------------------------------------------------------------------- */

static void set_end(struct select *s, struct select_alloc *a, sl_time end)
{
	s->listed -= a->end != SL_NEVER;
	s->listed += end != SL_NEVER;
	a->end = end;
	for (uint32_t i = 0; i < a->node_count; i++)
		note_change(s, a->node_alloc[i].node);
	s->change_stays = s->change;
}

void select_tell_end(struct select *s, struct select_alloc *a, sl_time end)
{
	if (a->end != end)
		set_end(s, a, end);
}

/* A running job not among them is there for ever. */
static void drop_ends(struct select *s)
{
	for (uint32_t i = 0; i < s->partition_count; i++)
		for (struct select_alloc *a = s->partition[i].first; a; a = a->next)
			if (a->end != SL_NEVER && a->listing != s->listing)
				set_end(s, a, SL_NEVER);
}

void sel_keep_ends(struct select *s, const struct select_outlook *outlook)
{
	if (outlook->told || (outlook->listing && outlook->listing == s->listing_seen))
		return;
	s->listing_seen = outlook->listing;
	s->listing++;
	uint64_t count = 0;
	for (size_t i = 0; i < outlook->running_count; i++) {
		struct select_alloc *a = outlook->running[i].alloc;
		if (!a->held)
			continue;
		if (a->end != outlook->running[i].end)
			set_end(s, a, outlook->running[i].end);
		count += a->listing != s->listing;
		a->listing = s->listing;
	}
	if (count != s->listed)
		drop_ends(s);
}

/* ---- A node as it will be --------------------------------------------------------------------- */

static void chain(struct select *s, uint32_t node, struct sel_aside *aside, sl_time until)
{
	struct select_node_alloc **link = &s->node[node].first;
	for (uint32_t i = 0; i < aside->count; i++) {
		if (aside->node_alloc[i]->owner->end <= until)
			continue;
		*link = aside->node_alloc[i];
		link = &aside->node_alloc[i]->next;
	}
	*link = NULL;
}

bool sel_keep_aside(struct select *s, uint32_t node, sl_time until, struct sel_aside *aside)
{
	struct sel_node *n = &s->node[node];
	const uint32_t words = shape_of(s, node)->words;
	uint64_t *used = s->used + n->core_at;
	aside->count = 0;
	for (struct select_node_alloc *p = n->first; p; p = p->next) {
		if (aside->count == SL_LEN(aside->node_alloc))
			return false;
		aside->node_alloc[aside->count++] = p;
	}
	aside->at = node;
	aside->until = until;
	aside->node = *n;
	memcpy(aside->used, used, words * sizeof(*used));
	memset(used, 0, words * sizeof(*used));
	for (uint32_t i = 0; i < aside->count; i++) {
		const struct select_node_alloc *p = aside->node_alloc[i];
		const struct select_alloc *a = p->owner;
		if (a->end > until) {
			for (uint32_t w = 0; w < words && !a->stopped; w++)
				used[w] |= p->cores[w];
			continue;
		}
		n->mem_used -= p->mem;
		n->jobs--;
		n->reserved -= !a->stopped && a->use == SEL_USE_RESERVED;
		n->one_row -= !a->stopped && a->use == SEL_USE_ONE_ROW;
		change_gres(s, p, -1);
	}
	chain(s, node, aside, until);
	return true;
}

void sel_keep_back(struct select *s, const struct sel_aside *aside)
{
	struct sel_node *n = &s->node[aside->at];
	for (uint32_t i = 0; i < aside->count; i++) {
		if (aside->node_alloc[i]->owner->end <= aside->until)
			change_gres(s, aside->node_alloc[i], 1);
		aside->node_alloc[i]->next = i + 1 < aside->count ? aside->node_alloc[i + 1] : NULL;
	}
	*n = aside->node;
	memcpy(s->used + n->core_at, aside->used, shape_of(s, aside->at)->words * sizeof(*s->used));
}

const uint64_t *select_idle(const struct select *s) { return s->idle; }
uint32_t select_whole_count(const struct select *s) { return s->whole_holds; }

/* ---- The journal ------------------------------------------------------------------------------- */

static bool note_action(struct select *s, struct select_alloc *a, uint8_t kind)
{
	if (!s->marks)
		return true;
	if (SL_GROW_IN(s->arena, s->action, s->action_capacity, s->action_count + 1, NULL))
		return false;
	s->action[s->action_count++] = (struct sel_action){ .alloc = a,
		.kind = kind,
		.rows_from = s->row_log_count,
		.rows_state = s->partition[a->partition].row_states.at };
	return sel_rows_note(s, a->partition);
}

struct select_alloc *select_take(struct select *s, const struct select_alloc *alloc)
{
	struct select_alloc *a = sel_copy(s, alloc);
	if (!a || !note_action(s, a, ACTION_TAKE))
		return NULL;
	sel_rows_add(s, a);
	enforce(s, a);
	return a;
}

void select_give(struct select *s, struct select_alloc *a)
{
	SL_CHECK(a->held);
	SL_CHECK(note_action(s, a, ACTION_GIVE));
	select_aside_release(s, a);
	SL_CHECK(sel_rows_without(s, a)); /* The arena is the run's: without it nothing goes on. */
	if (!s->marks)
		sel_drop(s, a);
}

static void set_stopped(struct select *s, struct select_alloc *a, bool stopped)
{
	count_use(s, a, -1);
	s->stopped_holds -= a->stopped;
	s->stopped_holds += stopped;
	a->stopped = stopped;
	count_use(s, a, 1);
	for (uint32_t i = 0; i < a->node_count; i++) {
		s->node[a->node_alloc[i].node].twice |= !stopped; /* Others may have had its cores. */
		refresh_used(s, a->node_alloc[i].node);
	}
}

void select_stop(struct select *s, struct select_alloc *a, bool stopped)
{
	if (a->stopped == stopped)
		return;
	SL_CHECK(note_action(s, a, stopped ? ACTION_STOP : ACTION_GO));
	set_stopped(s, a, stopped);
	if (stopped)
		SL_CHECK(sel_rows_without(s, a));
	else
		sel_rows_add(s, a);
}

uint32_t select_mark(struct select *s)
{
	if (!s->marks++)
		s->change_marked = s->change;
	return s->action_count;
}

/* All is as it was at the outermost mark: so are the changes that were counted. */
static void forget_changes(struct select *s)
{
	const uint64_t from = s->change_marked, capacity = s->change_capacity;
	if (s->ones || s->change == from || s->change_stays > from || s->change - from > capacity)
		return;
	sel_fast_undone(s, from);
	sel_later_undone(s, from);
	if (s->change > capacity && s->change - capacity > s->change_least)
		s->change_least = s->change - capacity;
	while (s->change > from) {
		const uint64_t at = --s->change & (capacity - 1);
		s->node[s->change_log[at]].changed = s->change_was[at];
	}
}

void select_undo(struct select *s, uint32_t mark)
{
	SL_CHECK(s->marks > 0);
	while (s->action_count > mark) {
		const struct sel_action action = s->action[--s->action_count];
		if (action.kind == ACTION_TAKE)
			select_aside_release(s, action.alloc);
		else if (action.kind == ACTION_GIVE)
			enforce(s, action.alloc);
		else
			set_stopped(s, action.alloc, action.kind == ACTION_GO);
		sel_rows_back(s, &action);
		if (action.kind == ACTION_TAKE)
			sel_drop(s, action.alloc);
	}
	if (!--s->marks)
		forget_changes(s);
}

void select_keep(struct select *s, uint32_t mark)
{
	SL_CHECK(s->marks > 0);
	if (--s->marks)
		return;
	for (uint32_t i = mark; i < s->action_count; i++) {
		sel_rows_stay(s, s->action[i].alloc->partition);
		if (s->action[i].kind == ACTION_GIVE)
			sel_drop(s, s->action[i].alloc);
	}
	s->action_count = 0;
	s->row_log_count = 0;
}

struct select_alloc *select_make(struct select *s, const struct select_job *job,
	const struct select_node_alloc *node_alloc, uint32_t count)
{
	struct sel_request *q = sel_request_of(s, job);
	if (!q)
		return NULL;
	size_t words = 0;
	for (uint32_t i = 0; i < count; i++)
		words += shape_of(s, node_alloc[i].node)->words;
	struct select_alloc *a = block_new(s, block_of(s, count, words));
	if (!a)
		return NULL;
	if (s->made)
		sel_drop(s, s->made);
	s->made = a;
	a->node_count = count;
	a->partition = q->partition;
	a->user = job->user;
	a->whole = q->whole;
	a->whole_topo = q->whole_topo;
	a->use = sel_use_of(s, q);
	a->node_alloc = (struct select_node_alloc *)(a + 1);
	for (uint32_t i = 0; i < count; i++) {
		a->node_alloc[i] = node_alloc[i];
		a->node_alloc[i].cpus =
			bits_count(node_alloc[i].cores, shape_of(s, node_alloc[i].node)->words) *
			shape_of(s, node_alloc[i].node)->threads;
		a->cpus += a->node_alloc[i].cpus;
	}
	return a;
}

/* Whether a request could ever run is another question then. */
void select_set_nodes_max(struct select *s, uint32_t partition, int64_t nodes_max)
{
	if (s->partition[partition].nodes_max == nodes_max)
		return;
	s->partition[partition].nodes_max = nodes_max;
	s->settings++;
	for (uint32_t i = 0; i < s->request_count; i++)
		if (s->request[i]->partition == partition)
			s->request[i]->ever = -1;
}

void select_set_rank(struct select *s, uint32_t node, uint32_t rank)
{
	if (s->node[node].rank != rank) {
		note_change(s, node);
		s->change_stays = s->change;
		s->settings++;
	}
	s->ranked -= s->node[node].rank != 0;
	s->ranked += rank != 0;
	s->node[node].rank = rank;
}
