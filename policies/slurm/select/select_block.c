/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_block.c - topology/block: nodes of as few blocks as can be (eval_nodes_block()).
 *
 * Blocks are in the order of topology.conf. BlockSizes says how many nodes a base block counts for, and which
 * of them are joined: 4,16 joins four and four of blocks of 4. Rules, in outline:
 * - A job goes into one block of the least size that would hold it, or, where no size does, into all of them.
 * Of such blocks that have enough it takes the one with the lightest nodes, then the one with the fewest
 * nodes left, then the last.
 * - Within it the job has so many blocks of the next smaller size at most as would hold it if they were
 * empty, and as few base blocks as can be: first a base block whose smaller block is used already; then by
 * smaller blocks: one that has enough, of these the one with the fewest nodes, else the one with the most;
 * then likewise by base blocks, the last of equal ones.
 * - Weights are collected as for trees: the lightest first; all nodes of the weights before the last are the
 * job's.
 * - --segment=N, of 24.05: the job is laid out as parts of N nodes, each as a job of that size would be on
 * what the parts before it have left: each is in one base block. N has to divide the job's nodes and be no
 * more than a base block's; of required nodes there may be one part alone. Each part has its share of nodes
 * and cpus, and in each the gres of the job as a whole have to be enough.
 * - --exclusive=topo and ExclusiveTopo, of 24.05 (_block_by_topology()): base blocks with any job are closed
 * to such a job, and those with such a job to any.
 */
#include "policies/slurm/select/select_pick.h"

enum { LEVELS = 16, ALL_LEVELS = -1 };

struct blocks {
	struct sel_test *t;
	struct select *s;
	const struct sel_topology *topo;
	struct sel_need need;
	int level,
		low_level; /* Of the block that it goes into; and of the next smaller ones (llblock_level). */
	uint32_t each, low_each; /* How many base blocks are in one of them. */
	int64_t low_left;        /* So many more of the smaller ones may be used (max_llblock). */
	bool by_low;             /* They need be counted: nodes_on_llblock. */
	int64_t *count, *low;    /* Nodes by base block, by smaller block. */
	bool *used;              /* Base blocks (bblock_required). */
	uint32_t first, last;    /* Base blocks of the chosen one: [first, last). */
	uint64_t *best;          /* Candidates of the weights in use. */
};

/* ---- BlockSizes ------------------------------------------------------------------------------------------
 */

/* Without BlockSizes: the first block's nodes, joined by twos, fours, eights and sixteens. */
static void sizes_default(struct sel_topology *topo)
{
	topo->block_base = topo->count ? topo->sw[0].node_count : 0;
	topo->block_base = topo->block_base ? topo->block_base : 1;
	topo->block_levels = 0x1f;
}

void sel_block_sizes(struct sel_topology *topo, const char *text)
{
	topo->block_base = 0;
	topo->block_levels = 0;
	for (const char *at = text; at && *at; at += *at == ',') {
		const size_t len = strcspn(at, ",");
		int64_t size;
		int level = 0;
		if (!sl_get_i64(at, len, &size) || size < 1) {
			sizes_default(topo);
			return;
		}
		topo->block_base = topo->block_base ? topo->block_base : size;
		while (level < LEVELS - 1 && topo->block_base << level < size)
			level++;
		if (topo->block_base << level != size) { /* slurmctld would not start. */
			sizes_default(topo);
			return;
		}
		topo->block_levels |= UINT32_C(1) << level;
		at += len;
	}
	if (!topo->block_levels)
		sizes_default(topo);
}

/* The least level that is joined and holds so many base blocks; that before it. */
static void find_levels(struct blocks *e)
{
	const int64_t wanted = div_up(max64(e->need.nodes, 1), e->topo->block_base);
	int least = 0;
	while (least < LEVELS && INT64_C(1) << least < wanted)
		least++;
	e->low_level = 0;
	for (int i = 0; i < least; i++)
		if (e->topo->block_levels >> i & 1)
			e->low_level = i;
	e->level = least;
	while (e->level < LEVELS && !(e->topo->block_levels >> e->level & 1))
		e->level++;
	e->each = e->level < LEVELS ? UINT32_C(1) << e->level : e->topo->count;
	e->level = e->level < LEVELS ? e->level : ALL_LEVELS;
	e->low_each = UINT32_C(1) << e->low_level;
	e->low_left = div_up(max64(e->need.nodes, 1), (int64_t)e->low_each * e->topo->block_base);
	e->by_low = e->each != e->low_each * e->low_left;
}

/* ---- The block
 * --------------------------------------------------------------------------------------------- */

static uint64_t *in_block(const struct blocks *e, uint32_t block)
{
	return e->topo->nodes[block] + e->s->words;
}

static bool meets(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t w = 0; a && w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

static void count_blocks(struct blocks *e, const uint64_t *open)
{
	const struct select *s = e->s;
	memset(e->low, 0, e->topo->count * sizeof(*e->low));
	for (uint32_t i = 0; i < e->topo->count; i++) {
		for (size_t w = 0; w < s->words; w++)
			in_block(e, i)[w] = e->topo->nodes[i][w] & open[w];
		e->count[i] = bits_count(in_block(e, i), s->words);
		e->low[i >> e->low_level] += e->count[i];
	}
}

struct joined {
	int64_t nodes, cpus;
	uint64_t weight; /* The lightest. */
	bool required;
};

static struct joined join(const struct blocks *e, uint32_t first, uint32_t last)
{
	const struct select *s = e->s;
	struct joined sum = { .weight = UINT64_MAX };
	for (uint32_t i = first; i < last; i++) {
		sum.nodes += e->count[i];
		sum.required = sum.required || meets(e->t->required, e->topo->nodes[i], s->words);
		for (uint32_t n = bits_next(in_block(e, i), s->words, 0); n != UINT32_MAX;
			n = bits_next(in_block(e, i), s->words, n + 1)) {
			sum.cpus += s->avail[n].cpus;
			sum.weight = s->avail[n].weight < sum.weight ? s->avail[n].weight : sum.weight;
		}
	}
	return sum;
}

/* How many nodes the fullest of its smaller blocks have that the job may use. */
static int64_t nodes_of_low(const struct blocks *e, uint32_t first, uint32_t last)
{
	int64_t nodes = 0, before = INT64_MAX;
	/* The largest first: so many that are below the one before. */
	for (int64_t left = e->low_left; left > 0;) {
		int64_t largest = -1, alike = 0;
		for (uint32_t i = first >> e->low_level; i <= (last - 1) >> e->low_level; i++) {
			if (e->low[i] >= before)
				continue;
			alike = e->low[i] > largest ? 1 : alike + (e->low[i] == largest);
			largest = max64(largest, e->low[i]);
		}
		if (largest < 0)
			break;
		nodes += largest * min64(alike, left);
		left -= alike;
		before = largest;
	}
	return nodes;
}

static bool choose_block(struct blocks *e)
{
	struct joined best = { 0 };
	e->first = e->last = 0;
	for (uint32_t first = 0; first < e->topo->count; first += e->each) {
		const uint32_t last = first + e->each < e->topo->count ? first + e->each : e->topo->count;
		const struct joined one = join(e, first, last);
		if (one.required) {
			e->first = first;
			e->last = last;
			return true;
		}
		const int64_t nodes = e->by_low ? nodes_of_low(e, first, last) : one.nodes;
		if (e->t->required || !sel_enough_nodes(e->t, nodes, e->need.nodes) ||
			e->need.cpus > one.cpus || !one.nodes)
			continue;
		if (e->last &&
			(one.weight > best.weight || (one.weight == best.weight && one.nodes > best.nodes)))
			continue;
		best = one;
		e->first = first;
		e->last = last;
	}
	return e->last != 0;
}

static bool is_chosen(const struct blocks *e, uint32_t node)
{
	for (uint32_t i = e->first; i < e->last; i++)
		if (bit_test(e->topo->nodes[i], node))
			return true;
	return false;
}

/* ---- Nodes of it
 * ------------------------------------------------------------------------------------------- */

/* Base blocks with these nodes are used. False: they are of more smaller blocks than may be. */
static bool use_blocks(struct blocks *e, const uint64_t *nodes)
{
	uint32_t before = UINT32_MAX; /* The smaller block of the last that is used. */
	for (uint32_t i = e->first; i < e->last; i++) {
		const bool was = e->used[i];
		if (!was && !meets(nodes, e->topo->nodes[i], e->s->words))
			continue;
		e->used[i] = true;
		e->low_left -= !was && before != i >> e->low_level;
		before = i >> e->low_level;
	}
	return e->low_left >= 0;
}

static void add_weight(struct blocks *e, uint64_t weight, const uint64_t *open, struct sel_run *sum)
{
	const struct select *s = e->s;
	for (uint32_t n = bits_next(open, s->words, 0); n != UINT32_MAX;
		n = bits_next(open, s->words, n + 1)) {
		if (s->avail[n].weight != weight || s->usable[n] || !is_chosen(e, n))
			continue;
		const int64_t cpus = sel_cores(e->t, n);
		if (!cpus)
			continue;
		s->usable[n] = cpus;
		bit_set(e->best, n);
		sum->cpus += cpus;
		sum->nodes++;
		if (e->need.per_job)
			sel_gres_count(e->t, n, sum->gres);
	}
}

static bool suffices(const struct blocks *e, const struct sel_run *sum)
{
	return sum->cpus >= e->need.cpus && sel_enough_nodes(e->t, sum->nodes, e->need.nodes) &&
	       (!e->need.per_job || sel_gres_in(e->t, sum->gres));
}

static bool next_weight_of(const struct blocks *e, const uint64_t *open, bool first, uint64_t *weight)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t n = bits_next(open, e->s->words, 0); n != UINT32_MAX;
		n = bits_next(open, e->s->words, n + 1))
		if ((first || e->s->avail[n].weight > *weight) && e->s->avail[n].weight < next)
			next = e->s->avail[n].weight;
	*weight = next;
	return next != UINT64_MAX;
}

/* Those of the weights before the last that is needed go into lighter. */
static bool collect_weights(struct blocks *e, const uint64_t *open, uint64_t *lighter)
{
	struct sel_run sum = { 0 };
	uint64_t weight = 0;
	memset(lighter, 0, e->s->words * sizeof(*lighter));
	memset(e->best, 0, e->s->words * sizeof(*e->best));
	for (bool first = true; next_weight_of(e, open, first, &weight); first = false) {
		memcpy(lighter, e->best, e->s->words * sizeof(*lighter));
		add_weight(e, weight, open, &sum);
		if (suffices(e, &sum))
			return true;
	}
	return false;
}

/* Nodes of the set that are candidates and not yet the job's, in order, until it has enough. */
static bool take_nodes(struct blocks *e, const uint64_t *set)
{
	for (uint32_t n = bits_next(set, e->s->words, 0); n != UINT32_MAX && e->need.nodes_most > 0;
		n = bits_next(set, e->s->words, n + 1)) {
		if (bit_test(e->t->nodes, n) || !e->s->usable[n])
			continue;
		(void)sel_need_take(&e->need, n, e->s->usable[n]);
		bit_set(e->t->nodes, n);
		if (sel_need_met(&e->need))
			return true;
	}
	return false;
}

/* ---- Which base block next
 * ----------------------------------------------------------------------------------- */

struct choice {
	uint32_t block;  /* UINT32_MAX: none yet. */
	bool fits, same; /* It has enough; its smaller block is used already. */
};

static bool low_is_used(const struct blocks *e, uint32_t block)
{
	const uint32_t first = block >> e->low_level << e->low_level;
	for (uint32_t i = first; i < first + e->low_each && i < e->topo->count; i++)
		if (e->used[i])
			return true;
	return false;
}

/* By their smaller blocks: above 0: a is better; below: b. */
static int compare_low(const struct blocks *e, uint32_t a, uint32_t b)
{
	const int64_t of_a = e->low[a >> e->low_level], of_b = e->low[b >> e->low_level];
	const bool fits_a = of_a >= e->need.nodes, fits_b = of_b >= e->need.nodes;
	if (fits_a != fits_b)
		return fits_a ? 1 : -1;
	if (of_a == of_b)
		return 0;
	return (fits_a ? of_a < of_b : of_a > of_b) ? 1 : -1;
}

/* _choose_best_bblock() */
static void look_at_block(const struct blocks *e, uint32_t i, struct choice *best)
{
	const bool fits = e->count[i] >= e->need.nodes;
	const bool other = best->block == UINT32_MAX || best->block >> e->low_level != i >> e->low_level;
	if (e->by_low && other) {
		const bool same = low_is_used(e, i);
		const int better = best->block == UINT32_MAX || (same && !best->same) ? 1
				   : !same && best->same                              ? -1
							 : compare_low(e, i, best->block);
		if (better > 0)
			*best = (struct choice){ i, fits, same };
		if (better)
			return;
	}
	const bool first = best->block == UINT32_MAX;
	if (first || (fits && !best->fits) ||
		(!fits && !best->fits && e->count[i] >= e->count[best->block]) ||
		(fits && e->count[i] <= e->count[best->block])) {
		best->block = i;
		best->fits = fits;
	}
}

static bool take_blocks(struct blocks *e)
{
	for (int64_t before = e->need.nodes + 1; before != e->need.nodes;) {
		struct choice best = { UINT32_MAX, false, true };
		before = e->need.nodes;
		for (uint32_t i = e->first; i < e->last; i++)
			if (!e->used[i])
				look_at_block(e, i, &best);
		if (best.block == UINT32_MAX || (e->low_left <= 0 && !best.same))
			break;
		e->used[best.block] = true;
		if (take_nodes(e, in_block(e, best.block)))
			return true;
		e->low_left -= !best.same;
	}
	return e->need.nodes_least <= 0 && e->need.cpus <= 0 && sel_gres_enough(e->t);
}

/* ---- All of it
 * ------------------------------------------------------------------------------------------------- */

static bool take_required(struct blocks *e)
{
	const struct sel_test *t = e->t;
	for (uint32_t n = t->required ? bits_next(t->required, e->s->words, 0) : UINT32_MAX; n != UINT32_MAX;
		n = bits_next(t->required, e->s->words, n + 1)) {
		if (e->need.nodes_most <= 0)
			return false;
		e->s->usable[n] = sel_need_take(&e->need, n, sel_cores(e->t, n));
		if (!e->s->usable[n])
			return false;
	}
	return true;
}

static bool required_is_in(const struct blocks *e)
{
	const uint64_t *required = e->t->required;
	for (uint32_t n = required ? bits_next(required, e->s->words, 0) : UINT32_MAX; n != UINT32_MAX;
		n = bits_next(required, e->s->words, n + 1))
		if (!is_chosen(e, n))
			return false;
	return true;
}

/* What is left of base blocks that required and lighter nodes are in. 1: that is enough; -1: too many blocks.
 */
static int fill_used(struct blocks *e, const uint64_t *lighter)
{
	const bool light = bits_count(lighter, e->s->words) > 0;
	if (take_nodes(e, lighter))
		return 1;
	if (light && (e->need.nodes_most <= 0 || !use_blocks(e, lighter)))
		return -1;
	for (uint32_t i = e->first; i < e->last && (e->t->required || light); i++)
		if (e->used[i] && take_nodes(e, in_block(e, i)))
			return 1;
	return 0;
}

static bool lay_out(struct blocks *e, const uint64_t *open)
{
	struct sel_test *t = e->t;
	const size_t words = e->s->words;
	uint64_t *lighter = e->s->set[2];
	find_levels(e);
	count_blocks(e, open);
	if (!take_required(e) || !choose_block(e) || !required_is_in(e))
		return false;
	if (t->required)
		memcpy(t->nodes, t->required, words * sizeof(*t->nodes));
	else
		memset(t->nodes, 0, words * sizeof(*t->nodes));
	if (t->required && e->by_low && !use_blocks(e, t->required))
		return false;
	if (t->required && sel_need_met(&e->need))
		return true;
	if (e->need.nodes_most <= 0 || !collect_weights(e, open, lighter))
		return false;
	count_blocks(e, e->best);
	const int filled = fill_used(e, lighter);
	return filled ? filled > 0 : take_blocks(e);
}

/* From 25.11 on one may be larger than a base block: that is not followed, nor refused. */
static bool has_segments(const struct sel_test *t, int64_t base)
{
	const int64_t segment = t->q->desc.segment;
	return t->s->version >= SEL_24_05 && segment != SL_NONE && segment > 0 &&
	       (segment <= base || t->s->version < SEL_25_11);
}

/* One part of so many: its share of what the job needs. Of cpus it has no most: slurmctld divides a number
 * that stands for none. */
static void begin_part(struct blocks *e, int64_t parts)
{
	struct sel_test *t = e->t;
	e->need.nodes = t->q->desc.segment;
	e->need.nodes_least = t->nodes_min / parts;
	e->need.nodes_most = t->nodes_max / parts;
	e->need.cpus = t->cpus_min / parts;
	e->need.cpus_most = SEL_INFINITE;
	t->nodes_left = e->need.nodes_least;
	memset(e->s->usable, 0, e->s->node_count * sizeof(*e->s->usable));
	memset(e->used, 0, e->topo->count);
}

static bool lay_out_parts(struct blocks *e, uint64_t *open)
{
	struct sel_test *t = e->t;
	const size_t words = e->s->words;
	const int64_t segment = t->q->desc.segment, parts = e->need.nodes / segment;
	uint64_t *taken = e->s->set[8];
	if (segment > e->topo->block_base || e->need.nodes % segment || (parts > 1 && t->required))
		return false;
	memset(taken, 0, words * sizeof(*taken));
	for (int64_t i = 0; i < parts; i++) {
		begin_part(e, parts);
		if (!lay_out(e, open))
			return false;
		for (size_t w = 0; w < words; w++) {
			taken[w] |= t->nodes[w];
			open[w] &= ~t->nodes[w];
		}
	}
	memcpy(t->nodes, taken, words * sizeof(*taken));
	return parts > 0;
}

bool sel_eval_block(struct sel_test *t)
{
	struct select *s = t->s;
	struct blocks e = { .t = t, .s = s, .topo = sel_topology_of(s, t->q->partition), .best = s->set[3] };
	uint64_t *open = s->set[0];
	/* By block, behind the usable cpus by node. */
	e.count = s->usable + s->node_count;
	e.low = e.count + e.topo->count;
	e.used = (bool *)(e.low + e.topo->count);
	memset(s->usable, 0, (s->node_count + 2 * e.topo->count) * sizeof(*s->usable));
	memset(e.used, 0, e.topo->count);
	memcpy(open, t->nodes, s->words * sizeof(*open));
	sel_need_begin(&e.need, t);
	e.need.nodes = min64(t->nodes_min, t->nodes_want);
	t->best_switch = true; /* --switches asks for nothing here. */
	return has_segments(t, e.topo->block_base) ? lay_out_parts(&e, open) : lay_out(&e, open);
}

/* ---- Blocks to oneself -----------------------------------------------------------------------------------
 */

/* NULL: the partition's nodes are not in blocks. */
static const struct sel_topology *blocks_of(const struct select *s, uint32_t partition)
{
	const struct sel_topology *topo = sel_topology_of(s, partition);
	return s->version >= SEL_24_05 && topo->kind == SEL_BLOCK ? topo : NULL;
}

/* A job on it keeps others off the block, or is kept off it. */
static bool is_closed(const struct sel_test *t, const uint64_t *block)
{
	const struct select *s = t->s;
	for (uint32_t n = bits_next(block, s->words, 0); n != UINT32_MAX;
		n = bits_next(block, s->words, n + 1))
		for (const struct select_node_alloc *p = s->node[n].first; p; p = p->next)
			if (!p->owner->stopped && (t->q->whole_topo || p->owner->whole_topo))
				return true;
	return false;
}

void sel_leave_blocks(const struct sel_test *t, uint64_t *from)
{
	const struct select *s = t->s;
	const struct sel_topology *topo = blocks_of(s, t->q->partition);
	if ((!t->q->whole_topo && !s->topo_holds) || !topo)
		return;
	for (uint32_t i = 0; i < topo->count; i++)
		if (is_closed(t, topo->nodes[i]))
			for (size_t w = 0; w < s->words; w++)
				from[w] &= ~topo->nodes[i][w];
}

void select_whole_topo(struct select *s, const struct select_job *job, uint64_t *nodes)
{
	const struct sel_request *q = sel_request_of(s, job);
	const struct sel_topology *topo = q && q->whole_topo ? blocks_of(s, q->partition) : NULL;
	if (!topo)
		return;
	for (uint32_t i = 0; i < topo->count; i++)
		if (meets(nodes, topo->nodes[i], s->words))
			for (size_t w = 0; w < s->words; w++)
				nodes[w] |= topo->nodes[i][w];
}
