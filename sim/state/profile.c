/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.c - the B+ tree of profile.h. As in queue.c, walks go down from the root, and nodes are reserved
 * before a change begins.
 */
#include "sim/state/profile.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct profile_leaf {
	uint32_t count;
	uint32_t next; /* In the list of freed ones. */
	sl_time at[PROFILE_LEAF];
	int64_t change[PROFILE_LEAF];
};

/* Partial sums from the child's first change on. */
struct profile_sum {
	int64_t all, least, most;
};

struct profile_inner {
	uint32_t count;
	uint32_t next;
	uint32_t child[PROFILE_WAYS];
	sl_time first[PROFILE_WAYS];
	struct profile_sum sum[PROFILE_WAYS];
};

void profile_init(struct profile *p)
{
	*p = (struct profile){ .leaf_spare = NONE, .inner_spare = NONE, .root = NONE };
}

void profile_release(struct profile *p)
{
	free(p->leaf);
	free(p->inner);
	profile_init(p);
}

void profile_clear(struct profile *p)
{
	p->leaf_used = p->inner_used = 0;
	p->leaf_spare = p->inner_spare = NONE;
	p->root = NONE;
	p->depth = 0;
}

/* ---- Pools ------------------------------------------------------------------------ */

static int profile_reserve(struct profile *p, struct sl_err *err)
{
	int status = SL_GROW_MOST(p->leaf, p->leaf_capacity, (size_t)p->leaf_used + 2, NONE - 1, err);
	if (!status)
		status = SL_GROW_MOST(
			p->inner, p->inner_capacity, (size_t)p->inner_used + p->depth + 2, NONE - 1, err);
	return status;
}

static uint32_t leaf_new(struct profile *p)
{
	uint32_t node = p->leaf_spare;
	if (node != NONE)
		p->leaf_spare = p->leaf[node].next;
	else
		node = p->leaf_used++;
	p->leaf[node].count = 0;
	return node;
}

static uint32_t inner_new(struct profile *p)
{
	uint32_t node = p->inner_spare;
	if (node != NONE)
		p->inner_spare = p->inner[node].next;
	else
		node = p->inner_used++;
	p->inner[node].count = 0;
	return node;
}

static void node_free(struct profile *p, uint32_t node, uint32_t level)
{
	if (level) {
		p->inner[node].next = p->inner_spare;
		p->inner_spare = node;
	} else {
		p->leaf[node].next = p->leaf_spare;
		p->leaf_spare = node;
	}
}

static uint32_t profile_count_of(const struct profile *p, uint32_t node, uint32_t level)
{
	return level ? p->inner[node].count : p->leaf[node].count;
}

static sl_time first_below(const struct profile *p, uint32_t node, uint32_t level)
{
	return level ? p->inner[node].first[0] : p->leaf[node].at[0];
}

static int64_t profile_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static struct profile_sum profile_sum_of(const struct profile *p, uint32_t node, uint32_t level)
{
	struct profile_sum sum = { 0, INT64_MAX, INT64_MIN };
	if (level) {
		const struct profile_inner *inner = &p->inner[node];
		for (uint32_t i = 0; i < inner->count; i++) {
			sum.least = profile_least(sum.least, sum.all + inner->sum[i].least);
			sum.most = most(sum.most, sum.all + inner->sum[i].most);
			sum.all += inner->sum[i].all;
		}
		return sum;
	}
	const struct profile_leaf *leaf = &p->leaf[node];
	for (uint32_t i = 0; i < leaf->count; i++) {
		sum.all += leaf->change[i];
		sum.least = profile_least(sum.least, sum.all);
		sum.most = most(sum.most, sum.all);
	}
	return sum;
}

/* The child whose range holds the time. */
static uint32_t child_for(const struct profile_inner *inner, sl_time at)
{
	uint32_t i = inner->count - 1;
	while (i && at < inner->first[i])
		i--;
	return i;
}

/* How many of the leaf's changes come before `at`. */
static uint32_t leaf_place(const struct profile_leaf *leaf, sl_time at)
{
	uint32_t place = 0;
	for (uint32_t i = 0; i < leaf->count; i++)
		place += leaf->at[i] < at;
	return place;
}

/* ---- Change ------------------------------------------------------------------------- */

static void leaf_open(struct profile_leaf *leaf, uint32_t place, sl_time at, int64_t change)
{
	const size_t tail = leaf->count - place;
	memmove(&leaf->at[place + 1], &leaf->at[place], tail * sizeof(leaf->at[0]));
	memmove(&leaf->change[place + 1], &leaf->change[place], tail * sizeof(leaf->change[0]));
	leaf->at[place] = at;
	leaf->change[place] = change;
	leaf->count++;
}

static void leaf_close(struct profile_leaf *leaf, uint32_t place)
{
	leaf->count--;
	const size_t tail = leaf->count - place;
	memmove(&leaf->at[place], &leaf->at[place + 1], tail * sizeof(leaf->at[0]));
	memmove(&leaf->change[place], &leaf->change[place + 1], tail * sizeof(leaf->change[0]));
}

static void leaf_move(struct profile_leaf *to, struct profile_leaf *from, uint32_t place)
{
	const uint32_t moved = from->count - place;
	memcpy(&to->at[to->count], &from->at[place], moved * sizeof(to->at[0]));
	memcpy(&to->change[to->count], &from->change[place], moved * sizeof(to->change[0]));
	to->count += moved;
	from->count = place;
}

/* Returns the new right neighbour if the leaf was full, else NONE. */
static uint32_t leaf_add(struct profile *p, uint32_t node, sl_time at, int64_t change)
{
	struct profile_leaf *leaf = &p->leaf[node];
	const uint32_t place = leaf_place(leaf, at);
	if (place < leaf->count && leaf->at[place] == at) {
		leaf->change[place] += change;
		if (!leaf->change[place])
			leaf_close(leaf, place);
		return NONE;
	}
	if (leaf->count < PROFILE_LEAF) {
		leaf_open(leaf, place, at, change);
		return NONE;
	}
	const uint32_t right = leaf_new(p);
	const uint32_t half = PROFILE_LEAF / 2;
	leaf_move(&p->leaf[right], leaf, half);
	if (place <= half)
		leaf_open(leaf, place, at, change);
	else
		leaf_open(&p->leaf[right], place - half, at, change);
	return right;
}

static void inner_open(struct profile_inner *inner, uint32_t slot)
{
	const size_t tail = inner->count - slot;
	memmove(&inner->child[slot + 1], &inner->child[slot], tail * sizeof(inner->child[0]));
	memmove(&inner->first[slot + 1], &inner->first[slot], tail * sizeof(inner->first[0]));
	memmove(&inner->sum[slot + 1], &inner->sum[slot], tail * sizeof(inner->sum[0]));
	inner->count++;
}

static void inner_close(struct profile_inner *inner, uint32_t slot)
{
	inner->count--;
	const size_t tail = inner->count - slot;
	memmove(&inner->child[slot], &inner->child[slot + 1], tail * sizeof(inner->child[0]));
	memmove(&inner->first[slot], &inner->first[slot + 1], tail * sizeof(inner->first[0]));
	memmove(&inner->sum[slot], &inner->sum[slot + 1], tail * sizeof(inner->sum[0]));
}

static void inner_move(struct profile_inner *to, struct profile_inner *from, uint32_t slot)
{
	const uint32_t moved = from->count - slot;
	memcpy(&to->child[to->count], &from->child[slot], moved * sizeof(to->child[0]));
	memcpy(&to->first[to->count], &from->first[slot], moved * sizeof(to->first[0]));
	memcpy(&to->sum[to->count], &from->sum[slot], moved * sizeof(to->sum[0]));
	to->count += moved;
	from->count = slot;
}

static void inner_set(
	const struct profile *p, struct profile_inner *inner, uint32_t slot, uint32_t child, uint32_t level)
{
	inner->child[slot] = child;
	inner->first[slot] = first_below(p, child, level);
	inner->sum[slot] = profile_sum_of(p, child, level);
}

/* Joins a thin child with a neighbour. */
static void join_thin(struct profile *p, struct profile_inner *inner, uint32_t slot, uint32_t level)
{
	const uint32_t ways = level ? PROFILE_WAYS : PROFILE_LEAF;
	if (inner->count < 2 || profile_count_of(p, inner->child[slot], level) > ways / 4)
		return;
	if (slot + 1 == inner->count)
		slot--;
	const uint32_t left = inner->child[slot];
	const uint32_t right = inner->child[slot + 1];
	if (profile_count_of(p, left, level) + profile_count_of(p, right, level) > ways * 3 / 4)
		return;
	if (level)
		inner_move(&p->inner[left], &p->inner[right], 0);
	else
		leaf_move(&p->leaf[left], &p->leaf[right], 0);
	inner_close(inner, slot + 1);
	node_free(p, right, level);
	inner_set(p, inner, slot, left, level);
}

static uint32_t inner_add(struct profile *p, uint32_t node, uint32_t slot, uint32_t child, uint32_t level)
{
	struct profile_inner *inner = &p->inner[node];
	uint32_t right = NONE;
	if (inner->count == PROFILE_WAYS) {
		right = inner_new(p);
		inner_move(&p->inner[right], inner, PROFILE_WAYS / 2);
		if (slot > PROFILE_WAYS / 2) {
			inner = &p->inner[right];
			slot -= PROFILE_WAYS / 2;
		}
	}
	inner_open(inner, slot);
	inner_set(p, inner, slot, child, level);
	return right;
}

static uint32_t add_below(struct profile *p, uint32_t node, uint32_t level, sl_time at, int64_t change)
{
	if (!level)
		return leaf_add(p, node, at, change);
	struct profile_inner *inner = &p->inner[node];
	const uint32_t slot = child_for(inner, at);
	const uint32_t child = inner->child[slot];
	const uint32_t extra = add_below(p, child, level - 1, at, change);
	if (!profile_count_of(p, child, level - 1)) {
		node_free(p, child, level - 1);
		inner_close(inner, slot);
		return NONE;
	}
	inner_set(p, inner, slot, child, level - 1);
	if (extra != NONE)
		return inner_add(p, node, slot + 1, extra, level - 1);
	join_thin(p, inner, slot, level - 1);
	return NONE;
}

int profile_add(struct profile *p, sl_time at, int64_t change, struct sl_err *err)
{
	if (!change)
		return SL_OK;
	const int status = profile_reserve(p, err);
	if (status)
		return status;
	if (p->root == NONE) {
		p->root = leaf_new(p);
		p->depth = 0;
	}
	const uint32_t extra = add_below(p, p->root, p->depth, at, change);
	if (extra != NONE) {
		const uint32_t root = inner_new(p);
		struct profile_inner *inner = &p->inner[root];
		inner->count = 2;
		inner_set(p, inner, 0, p->root, p->depth);
		inner_set(p, inner, 1, extra, p->depth);
		p->root = root;
		p->depth++;
	}
	while (p->depth && p->inner[p->root].count == 1) {
		const uint32_t only = p->inner[p->root].child[0];
		node_free(p, p->root, p->depth);
		p->root = only;
		p->depth--;
	}
	return SL_OK;
}

/* ---- Questions ------------------------------------------------------------------------ */

int64_t profile_value(const struct profile *p, sl_time at)
{
	if (p->root == NONE)
		return 0;
	int64_t value = 0;
	uint32_t node = p->root;
	for (uint32_t level = p->depth; level; level--) {
		const struct profile_inner *inner = &p->inner[node];
		const uint32_t slot = child_for(inner, at);
		for (uint32_t i = 0; i < slot; i++)
			value += inner->sum[i].all;
		node = inner->child[slot];
	}
	const struct profile_leaf *leaf = &p->leaf[node];
	for (uint32_t i = 0; i < leaf->count && leaf->at[i] <= at; i++)
		value += leaf->change[i];
	return value;
}

/* For the first change from which the value is at least the level. */
struct search {
	sl_time after, until;
	int64_t level;
	int64_t value; /* Before the node that is looked at; at the find when found. */
	sl_time at;
};

static bool leaf_search(const struct profile_leaf *leaf, struct search *s)
{
	for (uint32_t i = 0; i < leaf->count && leaf->at[i] < s->until; i++) {
		s->value += leaf->change[i];
		if (leaf->at[i] > s->after && s->value >= s->level) {
			s->at = leaf->at[i];
			return true;
		}
	}
	return false;
}

static bool search_below(const struct profile *p, uint32_t node, uint32_t level, struct search *s)
{
	if (!level)
		return leaf_search(&p->leaf[node], s);
	const struct profile_inner *inner = &p->inner[node];
	for (uint32_t i = 0; i < inner->count && inner->first[i] < s->until; i++) {
		const struct profile_sum *sum = &inner->sum[i];
		const bool beyond = i + 1 < inner->count && inner->first[i + 1] <= s->after;
		if (beyond || s->value + sum->most < s->level) {
			s->value += sum->all;
			continue;
		}
		if (search_below(p, inner->child[i], level - 1, s))
			return true;
	}
	return false;
}

bool profile_first_least(
	const struct profile *p, sl_time after, sl_time until, int64_t level, struct profile_point *found)
{
	struct search s = { .after = after, .until = until, .level = level };
	if (p->root == NONE || !search_below(p, p->root, p->depth, &s))
		return false;
	*found = (struct profile_point){ s.at, s.value };
	return true;
}

static int64_t max_below(
	const struct profile *p, uint32_t node, uint32_t level, sl_time after, sl_time until, int64_t value)
{
	int64_t greatest = INT64_MIN;
	if (!level) {
		const struct profile_leaf *leaf = &p->leaf[node];
		for (uint32_t i = 0; i < leaf->count && leaf->at[i] < until; i++) {
			value += leaf->change[i];
			if (leaf->at[i] > after)
				greatest = most(greatest, value);
		}
		return greatest;
	}
	const struct profile_inner *inner = &p->inner[node];
	for (uint32_t i = 0; i < inner->count && inner->first[i] < until; i++) {
		const bool last = i + 1 == inner->count;
		/* Wholly inside: its summary will do. */
		if (inner->first[i] > after && !last && inner->first[i + 1] <= until)
			greatest = most(greatest, value + inner->sum[i].most);
		else if (last || inner->first[i + 1] > after)
			greatest =
				most(greatest, max_below(p, inner->child[i], level - 1, after, until, value));
		value += inner->sum[i].all;
	}
	return greatest;
}

int64_t profile_max(const struct profile *p, sl_time after, sl_time until)
{
	return p->root == NONE ? INT64_MIN : max_below(p, p->root, p->depth, after, until, 0);
}

/* A window that grows from `since` while the value suffices. */
struct window {
	sl_time now, latest, length;
	sl_time since; /* SL_NEVER: the value does not suffice. */
	int64_t level, value;
};

/* The window is complete before a change at that time. */
static bool window_done(const struct window *w, sl_time at)
{
	return at >= w->latest || (w->since != SL_NEVER && at - w->since >= w->length);
}

static bool window_leaf(const struct profile_leaf *leaf, struct window *w)
{
	for (uint32_t i = 0; i < leaf->count; i++) {
		const sl_time at = leaf->at[i];
		if (at > w->now && window_done(w, at))
			return true;
		w->value += leaf->change[i];
		if (w->value < w->level)
			w->since = SL_NEVER;
		else if (w->since == SL_NEVER)
			w->since = at > w->now ? at : w->now;
	}
	return false;
}

static bool window_below(const struct profile *p, uint32_t node, uint32_t level, struct window *w)
{
	if (!level)
		return window_leaf(&p->leaf[node], w);
	const struct profile_inner *inner = &p->inner[node];
	for (uint32_t i = 0; i < inner->count; i++) {
		const struct profile_sum *sum = &inner->sum[i];
		if (inner->first[i] > w->now && window_done(w, inner->first[i]))
			return true;
		/* All of it goes on as it is: a run that is not broken, a shortage that is not ended. */
		if (w->since != SL_NEVER ? w->value + sum->least >= w->level
					 : w->value + sum->most < w->level)
			w->value += sum->all;
		else if (window_below(p, inner->child[i], level - 1, w))
			return true;
	}
	return false;
}

sl_time profile_earliest(const struct profile *p, sl_time now, sl_time latest, int64_t level, sl_time length)
{
	struct window w = { now, latest, length, level <= 0 ? now : SL_NEVER, level, 0 };
	if (p->root != NONE)
		(void)window_below(p, p->root, p->depth, &w);
	return w.since < latest ? w.since : latest;
}

struct runs {
	sl_time from, until;
	sl_time since; /* SL_NEVER: the value does not suffice. */
	int64_t level, value;
	bool begun; /* The value at `from` is known. */
	void (*visit)(void *self, sl_time start, sl_time end);
	void *self;
};

/* Before the first change behind `from`. */
static void runs_begin(struct runs *r, sl_time at)
{
	if (r->begun || at <= r->from)
		return;
	r->begun = true;
	r->since = r->value >= r->level ? r->from : SL_NEVER;
}

/* Returns true when no further run is wanted. */
static bool runs_leaf(const struct profile_leaf *leaf, struct runs *r)
{
	for (uint32_t i = 0; i < leaf->count; i++) {
		const sl_time at = leaf->at[i];
		runs_begin(r, at);
		r->value += leaf->change[i];
		if (!r->begun)
			continue;
		if (r->value >= r->level && r->since == SL_NEVER) {
			if (at >= r->until)
				return true;
			r->since = at;
		} else if (r->value < r->level && r->since != SL_NEVER) {
			r->visit(r->self, r->since, at);
			r->since = SL_NEVER;
			if (at >= r->until)
				return true;
		}
	}
	return false;
}

/* All of the child lies no later than `from`, or changes nothing: a run goes on, or a shortage. */
static bool runs_past(const struct runs *r, const struct profile_inner *inner, uint32_t i)
{
	const struct profile_sum *sum = &inner->sum[i];
	if (!r->begun)
		return i + 1 < inner->count && inner->first[i + 1] <= r->from;
	return r->since != SL_NEVER ? r->value + sum->least >= r->level : r->value + sum->most < r->level;
}

static bool runs_below(const struct profile *p, uint32_t node, uint32_t level, struct runs *r)
{
	if (!level)
		return runs_leaf(&p->leaf[node], r);
	const struct profile_inner *inner = &p->inner[node];
	for (uint32_t i = 0; i < inner->count; i++) {
		runs_begin(r, inner->first[i]);
		if (runs_past(r, inner, i))
			r->value += inner->sum[i].all;
		else if (runs_below(p, inner->child[i], level - 1, r))
			return true;
	}
	return false;
}

void profile_runs(const struct profile *p, sl_time from, sl_time until, int64_t level,
	void (*visit)(void *self, sl_time start, sl_time end), void *self)
{
	struct runs r = { .from = from, .until = until, .level = level, .visit = visit, .self = self };
	if (p->root != NONE && runs_below(p, p->root, p->depth, &r))
		return;
	runs_begin(&r, SL_NEVER);
	if (r.since != SL_NEVER)
		visit(self, r.since, SL_NEVER);
}

/* From the right: the last change no later than `at` from which the value is below the level. `next` is the
 * change behind it. */
struct backward {
	sl_time at, next;
	int64_t level;
};

static bool last_below(
	const struct profile *p, uint32_t node, uint32_t level, int64_t value, struct backward *b)
{
	const uint32_t count = profile_count_of(p, node, level);
	int64_t before[PROFILE_LEAF + 1]; /* The value before each child or change. */
	before[0] = value;
	for (uint32_t i = 0; i < count; i++)
		before[i + 1] = before[i] + (level ? p->inner[node].sum[i].all : p->leaf[node].change[i]);
	for (uint32_t i = count; i-- > 0;) {
		const sl_time first = level ? p->inner[node].first[i] : p->leaf[node].at[i];
		if (first > b->at)
			continue;
		if (!level && before[i + 1] < b->level)
			return true;
		if (level && before[i] + p->inner[node].sum[i].least < b->level &&
			last_below(p, p->inner[node].child[i], level - 1, before[i], b))
			return true;
		b->next = first;
	}
	return false;
}

sl_time profile_run_start(const struct profile *p, sl_time at, sl_time floor, int64_t level)
{
	struct backward b = { at, floor, level };
	if (p->root == NONE || (!last_below(p, p->root, p->depth, 0, &b) && level <= 0))
		return floor;
	return b.next > floor ? b.next : floor;
}

static void each_below(const struct profile *p, uint32_t node, uint32_t level,
	void (*visit)(void *self, sl_time at, int64_t change), void *self)
{
	for (uint32_t i = 0; i < profile_count_of(p, node, level); i++) {
		if (level)
			each_below(p, p->inner[node].child[i], level - 1, visit, self);
		else
			visit(self, p->leaf[node].at[i], p->leaf[node].change[i]);
	}
}

void profile_each(const struct profile *p, void (*visit)(void *self, sl_time at, int64_t change), void *self)
{
	if (p->root != NONE)
		each_below(p, p->root, p->depth, visit, self);
}
