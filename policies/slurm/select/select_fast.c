/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_fast.c - consecutive best fit without a look at every node.
 *
 * For each recent request, and for each of the two views that count (all cores; free ones), an index keeps
 * what each node offers: usable cpus, 0 for none. Neighbours of one weight form runs; a tree over the nodes
 * holds the best run (as select_pick.c would find it, where the order of its pass does not matter), another
 * the largest run that does not suffice, a third the node with the fewest cpus that are enough. A change of
 * a node costs logarithmic time in each; the indices follow a log of changed nodes when they are queried.
 *
 * It answers for jobs that a few runs satisfy, or that nothing can: whatever else is requested (lists of
 * nodes, counted features, gres for the job as a whole, topology, shared cores) is left to the pass over all
 * nodes, which gives the same answer where both can.
 */
#include "policies/slurm/select/select_pick.h"

enum {
	INDICES_LEAST = 16,
	INDICES_MOST = 512,
	INDICES_BYTES = 1 << 27,
	NEEDS = 4,
	HIDDEN = 32,
	NOBODY = 0x7fffffff
};

/* Runs and nodes by what is still missing of a job: at first its whole request, then what its chosen runs
 * leave. */
struct need_trees {
	int64_t cpus, nodes; /* What a run has to have. */
	uint32_t *best;      /* First node of the best run below. */
	uint32_t *misfit;    /* Of the largest run that does not suffice. */
	uint32_t *node;      /* The node with the fewest cpus that are enough. */
};

struct sel_index {
	struct sel_request *of;
	uint64_t used, seen; /* When asked last; changes followed. */
	bool free_only;
	uint32_t leaves;
	int32_t *usable;
	uint64_t *weight, *mask;
	bool whole;            /* The mask is that of all candidates. */
	uint32_t *end;         /* By the first node of a run: its last... */
	int64_t *cpus;         /* ...and what all its nodes offer. */
	uint64_t *starts;      /* First nodes of runs... */
	uint64_t *starts_word; /* ...words of those that are not 0... */
	uint64_t *starts_top;  /* ...and so on. */
	int64_t *sum;          /* Fenwick: usable cpus. */
	struct need_trees need[NEEDS];
	uint32_t need_count, need_capacity; /* In use; with memory. */
	int64_t total, count;               /* Of all runs. */
	int32_t *bound;                     /* What the node offers at most, in either try; */
	int64_t bound_total, bound_count;
	int32_t least; /* The fewest cpus that a node with any has offered; INT32_MAX: none did. */
	struct given {
		bool known;
		int32_t usable, bound;
		uint64_t weight;
	} * idle;           /* By shape: what a node of rank 0 without jobs offers. */
	struct given *node; /* By node, in the mask or not. */
	uint64_t *some;     /* Nodes with a bound, in the mask or not. */
	uint64_t *again;    /* Nodes that were seen as they no longer are. */
	bool any_again;
};

/* ---- Sums, and the run that contains a node ------------------------------------------------------ */

static void sum_add(struct sel_index *x, uint32_t at, int64_t amount)
{
	for (uint32_t i = at + 1; i <= x->leaves; i += i & -i)
		x->sum[i] += amount;
}

static int64_t sum_until(const struct sel_index *x, uint32_t at)
{
	int64_t sum = 0;
	for (uint32_t i = at; i > 0; i -= i & -i)
		sum += x->sum[i];
	return sum;
}

static void start_set(struct sel_index *x, uint32_t at)
{
	bit_set(x->starts, at);
	bit_set(x->starts_word, at / 64);
	bit_set(x->starts_top, at / 4096);
}

static void start_clear(struct sel_index *x, uint32_t at)
{
	bit_clear(x->starts, at);
	if (x->starts[at / 64])
		return;
	bit_clear(x->starts_word, at / 64);
	if (!x->starts_word[at / 4096])
		bit_clear(x->starts_top, at / 4096);
}

/* The last set bit at or before a place of a word; -1: none. */
static int last_bit(uint64_t word, uint32_t until)
{
	word &= until == 63 ? ~UINT64_C(0) : (UINT64_C(1) << (until + 1)) - 1;
	return word ? 63 - __builtin_clzll(word) : -1;
}

/* The first node of the run that contains a usable node. */
static uint32_t select_fast_start_of(const struct sel_index *x, uint32_t at)
{
	int bit = last_bit(x->starts[at / 64], at % 64);
	if (bit >= 0)
		return at / 64 * 64 + (uint32_t)bit;
	uint32_t word = at / 64;
	bit = word % 64 ? last_bit(x->starts_word[word / 64], word % 64 - 1) : -1;
	uint32_t top = word / 64;
	while (bit < 0) {
		/* A run contains it, so there is one. */
		uint32_t at_top = top;
		int found = at_top % 64 ? last_bit(x->starts_top[at_top / 64], at_top % 64 - 1) : -1;
		while (found < 0) {
			at_top = at_top / 64 * 64;
			SL_CHECK(at_top > 0);
			at_top--;
			found = last_bit(x->starts_top[at_top / 64], at_top % 64);
		}
		top = at_top / 64 * 64 + (uint32_t)found;
		bit = last_bit(x->starts_word[top], 63);
	}
	word = top * 64 + (uint32_t)bit;
	return word * 64 + (uint32_t)last_bit(x->starts[word], 63);
}

/* ---- Which run is best --------------------------------------------------------------------------- */

struct key {
	uint64_t weight;
	int64_t cpus;
	bool enough;
};

static struct key select_fast_key_of(const struct sel_index *x, const struct need_trees *v, uint32_t start)
{
	struct key k = { .weight = x->weight[start], .cpus = x->cpus[start] };
	k.enough = k.cpus >= v->cpus && (int64_t)(x->end[start] - start) + 1 >= v->nodes;
	return k;
}

static bool better_run(const struct sel_index *x, const struct need_trees *v, uint32_t a, uint32_t b)
{
	const struct key left = select_fast_key_of(x, v, a), right = select_fast_key_of(x, v, b);
	if (left.weight != right.weight)
		return left.weight < right.weight;
	if (left.enough != right.enough)
		return left.enough;
	if (left.cpus != right.cpus)
		return left.enough ? left.cpus < right.cpus : left.cpus > right.cpus;
	return a < b;
}

static bool larger_misfit(const struct sel_index *x, const struct need_trees *v, uint32_t a, uint32_t b)
{
	const int64_t left = select_fast_key_of(x, v, a).cpus, right = select_fast_key_of(x, v, b).cpus;
	return left != right ? left > right : a < b;
}

static bool tighter_node(const struct sel_index *x, const struct need_trees *v, uint32_t a, uint32_t b)
{
	(void)v;
	return x->usable[a] != x->usable[b] ? x->usable[a] < x->usable[b] : a < b;
}

typedef bool better(const struct sel_index *x, const struct need_trees *v, uint32_t a, uint32_t b);

static uint32_t winner(
	const struct sel_index *x, const struct need_trees *v, better *beats, uint32_t a, uint32_t b)
{
	if (a == NOBODY || b == NOBODY)
		return a == NOBODY ? b : a;
	return beats(x, v, a, b) ? a : b;
}

static void play(const struct sel_index *x, const struct need_trees *v, uint32_t *tree, better *beats,
	uint32_t at, uint32_t who)
{
	size_t i = (size_t)at + x->leaves;
	if (tree[i] == NOBODY && who == NOBODY)
		return;
	tree[i] = who;
	for (i /= 2; i; i /= 2)
		tree[i] = winner(x, v, beats, tree[2 * i], tree[2 * i + 1]);
}

static void play_run(const struct sel_index *x, const struct need_trees *v, uint32_t start, bool is)
{
	const bool enough = is && select_fast_key_of(x, v, start).enough;
	play(x, v, v->best, better_run, start, is ? start : NOBODY);
	play(x, v, v->misfit, larger_misfit, start, is && !enough ? start : NOBODY);
}

static void play_node(const struct sel_index *x, const struct need_trees *v, uint32_t n)
{
	play(x, v, v->node, tighter_node, n, x->usable[n] && x->usable[n] >= v->cpus ? n : NOBODY);
}

/* A run begins here, or none does. */
static void enter_run(struct sel_index *x, uint32_t start, bool is)
{
	if (is) {
		start_set(x, start);
		x->cpus[start] = sum_until(x, x->end[start] + 1) - sum_until(x, start);
	} else {
		start_clear(x, start);
	}
	for (uint32_t i = 0; i < x->need_count; i++)
		play_run(x, &x->need[i], start, is);
}

/* ---- A node's offer changes -------------------------------------------------------------------- */

/* The node leaves its run, which falls apart. */
static void leave_run(struct sel_index *x, uint32_t n)
{
	const uint32_t start = select_fast_start_of(x, n), last = x->end[start];
	sum_add(x, n, -x->usable[n]);
	x->total -= x->usable[n];
	x->count--;
	if (start < n)
		x->end[start] = n - 1;
	enter_run(x, start, start < n);
	if (n < last) {
		x->end[n + 1] = last;
		enter_run(x, n + 1, true);
	}
}

/* The node joins the runs beside it. */
static void join_runs(struct sel_index *x, uint32_t n, uint32_t count)
{
	uint32_t start = n, last = n;
	sum_add(x, n, x->usable[n]);
	x->total += x->usable[n];
	x->count++;
	if (n + 1 < count && x->usable[n + 1] && x->weight[n + 1] == x->weight[n]) {
		last = x->end[n + 1];
		enter_run(x, n + 1, false);
	}
	if (n > 0 && x->usable[n - 1] && x->weight[n - 1] == x->weight[n])
		start = select_fast_start_of(x, n - 1);
	x->end[start] = last;
	enter_run(x, start, true);
}

/* What it would offer, in the first of the two tries. */
int32_t sel_gives(struct sel_test *t, uint32_t n, bool free_only)
{
	struct select *s = t->s;
	t->first_pass = true;
	s->avail[n].usable = false;
	if (!sel_node_may(t, n) || !sel_view_cores(t, n, free_only))
		return 0;
	sel_avail_node(t, n);
	return s->avail[n].usable ? (int32_t)sel_cores(t, n) : 0;
}

static int32_t evaluate(struct sel_test *t, const struct sel_index *x, uint32_t n)
{
	t->s->avail[n].usable = false;
	return bit_test(t->q->candidates, n) ? sel_gives(t, n, x->free_only) : 0;
}

/* The second try may use devices far from the cores: at most all cpus that are free. */
static int32_t evaluate_bound(const struct sel_test *t, uint32_t n, int32_t first)
{
	const struct sel_avail *a = &t->s->avail[n];
	return t->q->gres_count && t->s->gres_adjacent && a->usable ? (int32_t)max64(a->cpus, first) : first;
}

/* Nodes without jobs offer what others of their shape do. */
static struct given given_by(struct sel_test *t, const struct sel_index *x, uint32_t n)
{
	const struct sel_node *node = &t->s->node[n];
	const bool kept = !node->jobs && !node->rank && bit_test(t->q->candidates, n);
	struct given *idle = kept ? &x->idle[node->shape] : NULL;
	if (idle && idle->known)
		return *idle;
	struct given is = { .known = true, .usable = evaluate(t, x, n) };
	is.bound = evaluate_bound(t, n, is.usable);
	is.weight = t->s->avail[n].weight;
	if (idle)
		*idle = is;
	return is;
}

static void look_retry(struct sel_test *t, struct sel_index *x, uint32_t n)
{
	x->node[n] = given_by(t, x, n);
	if (x->node[n].bound > 0)
		bit_set(x->some, n);
	else
		bit_clear(x->some, n);
}

static void renew_node(struct sel_test *t, struct sel_index *x, uint32_t n)
{
	const bool masked = !bit_test(x->mask, n);
	const int32_t cpus = masked ? 0 : x->node[n].usable, bound = masked ? 0 : x->node[n].bound;
	const uint64_t weight = x->node[n].weight;
	if (cpus > 0 && cpus < x->least)
		x->least = cpus;
	x->bound_total += bound - x->bound[n];
	x->bound_count += (bound > 0) - (x->bound[n] > 0);
	x->bound[n] = bound;
	if (cpus == x->usable[n] && (!cpus || weight == x->weight[n]))
		return;
	if (x->usable[n])
		leave_run(x, n);
	x->usable[n] = cpus;
	x->weight[n] = weight;
	if (cpus)
		join_runs(x, n, t->s->node_count);
	for (uint32_t i = 0; i < x->need_count; i++)
		play_node(x, &x->need[i], n);
}

/* ---- Indices ------------------------------------------------------------------------------------------ */

static struct sel_index *index_new(struct select *s)
{
	uint32_t leaves = 1;
	while (leaves < s->node_count)
		leaves *= 2;
	struct sel_index *x = sl_alloc(s->arena, 1, sizeof(*x));
	if (!x)
		return NULL;
	const size_t words = (size_t)leaves / 64 + 1;
	x->leaves = leaves;
	x->usable = sl_alloc(s->arena, leaves, sizeof(*x->usable));
	x->bound = sl_alloc(s->arena, leaves, sizeof(*x->bound));
	x->weight = sl_alloc(s->arena, leaves, sizeof(*x->weight));
	x->mask = sl_alloc(s->arena, words, sizeof(*x->mask));
	x->end = sl_alloc(s->arena, leaves, sizeof(*x->end));
	x->cpus = sl_alloc(s->arena, leaves, sizeof(*x->cpus));
	x->starts = sl_alloc(s->arena, words, sizeof(*x->starts));
	x->starts_word = sl_alloc(s->arena, words / 64 + 1, sizeof(*x->starts_word));
	x->starts_top = sl_alloc(s->arena, words / 4096 + 1, sizeof(*x->starts_top));
	x->sum = sl_alloc(s->arena, leaves + 1, sizeof(*x->sum));
	x->idle = sl_alloc(s->arena, s->shape_count, sizeof(*x->idle));
	x->node = sl_alloc(s->arena, leaves, sizeof(*x->node));
	x->some = sl_alloc(s->arena, words, sizeof(*x->some));
	x->again = sl_alloc(s->arena, words, sizeof(*x->again));
	const bool made = x->idle && x->node && x->some && x->again && x->usable && x->bound && x->weight &&
			  x->mask && x->end && x->cpus && x->starts && x->starts_word && x->starts_top &&
			  x->sum;
	return made ? x : NULL;
}

static void index_clear(const struct select *s, struct sel_index *x)
{
	const size_t words = (size_t)x->leaves / 64 + 1;
	memset(x->usable, 0, x->leaves * sizeof(*x->usable));
	memset(x->bound, 0, x->leaves * sizeof(*x->bound));
	memset(x->starts, 0, words * sizeof(*x->starts));
	memset(x->starts_word, 0, (words / 64 + 1) * sizeof(*x->starts_word));
	memset(x->starts_top, 0, (words / 4096 + 1) * sizeof(*x->starts_top));
	memset(x->sum, 0, (x->leaves + 1) * sizeof(*x->sum));
	memset(x->idle, 0, s->shape_count * sizeof(*x->idle));
	x->least = INT32_MAX;
	memset(x->some, 0, words * sizeof(*x->some));
	memset(x->again, 0, words * sizeof(*x->again));
	x->any_again = false;
	x->need_count = 0;
	x->total = x->count = x->bound_total = x->bound_count = 0;
}

/* The trees of what is missing, without the runs that are hidden; NULL: there are too many kinds of that. */
static struct need_trees *need_of(struct select *s, struct sel_index *x, int64_t cpus, int64_t nodes,
	const uint32_t *hidden, uint32_t hidden_count)
{
	cpus = max64(cpus, 0);
	nodes = max64(nodes, 0);
	for (uint32_t i = 0; i < x->need_count; i++)
		if (x->need[i].cpus == cpus && x->need[i].nodes == nodes)
			return &x->need[i];
	if (x->need_count == NEEDS)
		return NULL;
	struct need_trees *v = &x->need[x->need_count];
	const size_t size = 2 * (size_t)x->leaves;
	if (x->need_count == x->need_capacity) {
		v->best = sl_alloc(s->arena, size, sizeof(*v->best));
		v->misfit = sl_alloc(s->arena, size, sizeof(*v->misfit));
		v->node = sl_alloc(s->arena, size, sizeof(*v->node));
		if (!v->best || !v->misfit || !v->node)
			return NULL;
		x->need_capacity++;
	}
	x->need_count++;
	v->cpus = cpus;
	v->nodes = nodes;
	for (size_t i = 0; i < size; i++)
		v->best[i] = v->misfit[i] = v->node[i] = NOBODY;
	for (uint32_t n = 0; n < s->node_count; n++) {
		play_node(x, v, n);
		if (bit_test(x->starts, n))
			play_run(x, v, n, true);
	}
	for (uint32_t i = 0; i < hidden_count; i++)
		play_run(x, v, hidden[i], false);
	return v;
}

/* As many as need some hundred bytes a node in all, each; never few. */
static uint32_t indices_most(const struct select *s)
{
	const int64_t most = INDICES_BYTES / (200 * max64(s->node_count, 1));
	return (uint32_t)min64(max64(most, INDICES_LEAST), INDICES_MOST);
}

/* One of the request, made in place of the one that was not asked for longest. */
static struct sel_index *index_of(struct select *s, struct sel_request *q, bool free_only, bool *fresh)
{
	struct sel_index *x = q->index[free_only];
	*fresh = !x;
	if (x)
		return x;
	if (!s->indices && !(s->indices = sl_alloc(s->arena, INDICES_MOST, sizeof(struct sel_index *))))
		return NULL;
	if (s->index_count < indices_most(s)) {
		x = s->indices[s->index_count] = index_new(s);
		if (!x)
			return NULL;
		s->index_count++;
	} else {
		x = s->indices[0];
		for (uint32_t i = 1; i < s->index_count; i++)
			if (s->indices[i]->used < x->used)
				x = s->indices[i];
		x->of->index[x->free_only] = NULL;
	}
	x->of = q;
	x->free_only = free_only;
	q->index[free_only] = x;
	return x;
}

static uint64_t mask_word(const struct sel_request *q, const uint64_t *available, size_t w)
{
	return q->candidates[w] & (available ? available[w] : ~UINT64_C(0));
}

/* Up to date with the nodes, whichever are available. */
static void index_follow(struct sel_test *t, struct sel_index *x, bool fresh)
{
	struct select *s = t->s;
	if (fresh || !sel_can_follow(s, x->seen)) {
		index_clear(s, x);
		memset(x->mask, 0, s->words * sizeof(*x->mask));
		x->whole = false;
		for (uint32_t n = 0; n < s->node_count; n++)
			look_retry(t, x, n);
		x->seen = s->change;
	}
	for (size_t w = 0; w < s->words && x->any_again; w++)
		for (; x->again[w]; x->again[w] &= x->again[w] - 1) {
			const uint32_t n = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(x->again[w]);
			look_retry(t, x, n);
			renew_node(t, x, n);
		}
	x->any_again = false;
	for (; x->seen < s->change; x->seen++) {
		const uint32_t n = s->change_log[x->seen & (s->change_capacity - 1)];
		if (s->node[n].changed != x->seen)
			continue; /* The request will recur. */
		look_retry(t, x, n);
		renew_node(t, x, n);
	}
}

void sel_fast_undone(struct select *s, uint64_t from)
{
	for (uint32_t i = 0; i < s->index_count; i++) {
		struct sel_index *x = s->indices[i];
		if (x->seen <= from)
			continue;
		for (uint64_t k = from; k < s->change; k++)
			bit_set(x->again, s->change_log[k & (s->change_capacity - 1)]);
		x->any_again = true;
		x->seen = from;
	}
}

static void index_mask(struct sel_test *t, struct sel_index *x, const uint64_t *available)
{
	if (x->whole && !available)
		return;
	x->whole = !available;
	for (size_t w = 0; w < t->s->words; w++) {
		const uint64_t word = mask_word(t->q, available, w);
		uint64_t other = word ^ x->mask[w];
		x->mask[w] = word;
		for (; other; other &= other - 1)
			renew_node(t, x, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(other));
	}
}

/* Fewer nodes offer anything than the job wants. */
static bool too_few(const struct sel_test *t, const struct sel_index *x, const uint64_t *available)
{
	int64_t count = 0;
	for (size_t w = 0; w < t->s->words && count < t->nodes_min; w++)
		if (x->some[w])
			count += bits_of(x->some[w] & mask_word(t->q, available, w));
	return count < t->nodes_min;
}

/* ---- Node selection -------------------------------------------------------------------------- */

/* The node of the run with the fewest cpus that are enough. */
static uint32_t tightest(const struct sel_index *x, const struct need_trees *v, uint32_t from, uint32_t until)
{
	uint32_t best = NOBODY, left = from + x->leaves, right = until + 1 + x->leaves;
	for (; left < right; left /= 2, right /= 2) {
		if (left & 1)
			best = winner(x, v, tighter_node, best, v->node[left++]);
		if (right & 1)
			best = winner(x, v, tighter_node, best, v->node[--right]);
	}
	return best;
}

static bool full(const struct sel_need *need) { return need->nodes_most == 0 || sel_need_met(need); }

static void select_fast_take(struct sel_need *need, const struct sel_index *x, uint32_t n)
{
	const int32_t cpus = evaluate(need->t, x, n);
	SL_CHECK(cpus == x->usable[n]);
	(void)sel_need_take(need, n, cpus);
	bit_set(need->t->nodes, n);
}

/* What a run covers of what is missing. False: which run is best cannot be said from here. */
static bool take_best(struct sel_need *need, struct sel_index *x, const struct need_trees *v, uint32_t best)
{
	const struct key k = select_fast_key_of(x, v, best);
	/* Larger ones that do not suffice come into play by the order of the pass. */
	if (k.enough && v->misfit[1] != NOBODY && select_fast_key_of(x, v, v->misfit[1]).cpus > k.cpus)
		return false;
	const uint32_t one = need->nodes <= 1 ? tightest(x, v, best, x->end[best]) : NOBODY;
	if (one != NOBODY)
		select_fast_take(need, x, one);
	for (uint32_t n = best; one == NOBODY && n <= x->end[best] && !full(need); n++)
		if (need->nodes_most != 1 || x->usable[n] >= need->cpus)
			select_fast_take(need, x, n);
	return true;
}

/* The first node of the least weight that is enough by itself. */
static int pick_one(struct sel_test *t, const struct sel_index *x, struct sel_need *need)
{
	uint32_t best = NOBODY;
	memset(t->nodes, 0, t->s->words * sizeof(*t->nodes));
	for (uint32_t n = 0; n < t->s->node_count; n++)
		if (x->usable[n] > 0 && x->usable[n] >= need->cpus &&
			(best == NOBODY || x->weight[n] < x->weight[best]))
			best = n;
	if (best == NOBODY)
		return -1;
	select_fast_take(need, x, best);
	return sel_need_met(need) ? 1 : -1;
}

/* 1: t->nodes are the job's. 0: there are not enough. -1: not to be said from here. */
static int pick(struct sel_test *t, struct sel_index *x, struct sel_need *need)
{
	uint32_t hidden[HIDDEN], count = 0;
	bool sure = true;
	if (x->bound_total < need->cpus || x->bound_count < t->nodes_min)
		return 0;
	if (sel_wants_one(t))
		return pick_one(t, x, need);
	memset(t->nodes, 0, t->s->words * sizeof(*t->nodes));
	while (sure && need->nodes_most > 0 && !sel_need_met(need)) {
		const int64_t nodes = t->nodes_want > t->nodes_min
					      ? need->nodes + t->nodes_min - t->nodes_want
					      : need->nodes;
		const struct need_trees *v = need_of(t->s, x, need->cpus, nodes, hidden, count);
		const uint32_t best = v ? v->best[1] : NOBODY;
		sure = best != NOBODY && count < HIDDEN && take_best(need, x, v, best);
		/* It has covered what it can. */
		for (uint32_t i = 0; sure && i < x->need_count; i++)
			play_run(x, &x->need[i], best, false);
		if (sure)
			hidden[count++] = best;
	}
	while (count-- > 0)
		for (uint32_t i = 0; i < x->need_count; i++)
			play_run(x, &x->need[i], hidden[count], true);
	return sel_need_met(need) ? 1 : -1;
}

bool sel_is_simple(const struct sel_test *t)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	const struct sel_partition *p = &s->partition[q->partition];
	for (uint32_t i = 0; i < q->feature_count; i++)
		if (q->feature[i].count || q->feature[i].join == SEL_XOR)
			return false;
	return !s->linear && !t->ever && !q->required && !q->spread && !q->contiguous &&
	       !sel_gres_per_job(q) && !(t->mode == SELECT_LATER && s->busy_nodes) && !s->cr_lln &&
	       !p->least_loaded && !(s->pack_serial && t->cpus_min == 1 && t->nodes_want == 1) &&
	       (!sel_topology_of(s, q->partition)->count || (s->topo_optional && q->switches <= 0)) &&
	       p->cpus_per_node_max == SL_NONE && p->cpus_per_socket_max == SL_NONE &&
	       sel_use_of(s, q) == SEL_USE_ONE_ROW && !s->gang && !s->user_holds && !s->topo_holds &&
	       !q->whole_topo && q->whole != SL_EXCLUSIVE_USER;
}

static int place_in(struct sel_test *t, const uint64_t *available, bool free_only)
{
	struct sel_need need;
	bool fresh;
	struct sel_index *x = index_of(t->s, t->q, free_only, &fresh);
	if (!x)
		return -1;
	x->used = ++t->s->index_clock;
	sel_need_begin(&need, t);
	index_follow(t, x, fresh);
	index_mask(t, x, available);
	return pick(t, x, &need);
}

/* With every core free it fits as well, where it fits with the free ones: no node then offers fewer cpus, and
 * if each offers at least its share of the request, any nodes_min of them are enough, in any order
 * (sel_cpus_to_use leaves a core for each node that is still to come). The partition's other nodes are looked
 * at with them: the answer is only the surer for that. */
static bool fits_idle(struct sel_test *t)
{
	bool fresh;
	if (t->nodes_max < t->nodes_min || t->nodes_min < 1)
		return false;
	struct sel_index *x = index_of(t->s, t->q, false, &fresh);
	if (!x || (!fresh && !x->whole && x->least < div_up(t->cpus_min, t->nodes_min)))
		return false;
	x->used = ++t->s->index_clock;
	index_follow(t, x, fresh);
	index_mask(t, x, NULL);
	return x->least >= div_up(t->cpus_min, t->nodes_min);
}

/* The index of the free cores, up to date; NULL: no memory. */
static struct sel_index *index_free(struct sel_test *t)
{
	bool fresh;
	struct sel_index *x = index_of(t->s, t->q, true, &fresh);
	if (!x)
		return NULL;
	x->used = ++t->s->index_clock;
	index_follow(t, x, fresh);
	return x;
}

/* slurmctld tries with every core free first, and then with those that are. A job that does not fit beside
 * running ones does not fit, whatever would come of the first try. */
static int place_in_both(struct sel_test *t, const uint64_t *available)
{
	struct sel_need need;
	struct sel_index *x = index_free(t);
	if (!x)
		return -1;
	if (too_few(t, x, available))
		return 0;
	index_mask(t, x, available);
	if (x->bound_total < t->cpus_min)
		return 0;
	if (sel_tries_idle(t) && !sel_is_even(t) && !fits_idle(t)) {
		const int placed = place_in(t, available, false);
		if (placed != 1)
			return placed;
	}
	sel_need_begin(&need, t);
	return pick(t, x, &need);
}

void sel_bound_nodes(struct sel_test *t)
{
	const struct sel_request *q = t->q;
	if (q->desc.tasks_per_node != SL_NONE && q->tasks_per_node && q->tasks)
		t->nodes_min = max64(t->nodes_min, div_up(q->tasks, q->tasks_per_node));
	sel_bound_by_tasks(t);
}

bool sel_is_by_node(const struct sel_test *t)
{
	return !t->q->overcommit && t->nodes_min >= 1 && t->nodes_max >= t->nodes_min &&
	       !t->s->gres_adjacent && !t->q->tasks_per_socket;
}

bool sel_is_even(const struct sel_test *t)
{
	int64_t least, most;
	if (!sel_is_by_node(t))
		return false;
	sel_task_range(t, 0, &least, &most);
	return div_up(t->cpus_min, t->nodes_min) <= least * t->q->cpus_per_task;
}

int sel_fast(struct sel_test *t, const uint64_t *available)
{
	const struct sel_request *q = t->q;
	const int64_t least = t->nodes_min, most = t->nodes_max;
	if (!sel_is_simple(t))
		return -1;
	sel_bound_nodes(t);
	const int placed = place_in_both(t, available);
	if (placed == 1 && q->gres_count)
		sel_trim_to_cores(t);
	t->nodes_min = least;
	t->nodes_max = most;
	return placed;
}
