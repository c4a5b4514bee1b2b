/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.c - select_p_job_test(): whether, where and when a job fits.
 *
 * Rules (public source of 22.05, cons_common/job_test.c and node_scheduler.c,
 * in outline; slurm.conf(5) OverSubscribe, Preempt*):
 * - Nodes: those of the partition that are built large enough and have the
 *   features; not those that another user has exclusively, or where another
 *   user runs, under --exclusive=user; not those with too little memory left,
 *   or any memory allocated if all is requested; nor those in use under another rule of
 *   sharing. Whole nodes: without a core or a gres in use.
 * - First it must fit with every core free (from 24.11 on only where cores may be shared or jobs be
 *   suspended), then with the cores that are free of all. Only where cores may be shared (OverSubscribe) or
 *   jobs be suspended (GANG) further views follow: all cores but those of higher tiers; without those of the
 *   same tier, and as far as that goes of lower ones; row by row of its partition, the fullest first; an
 *   empty row.
 * - cpus: at least one for each task and node, what cpus-per-gpu and --mincpus make; select_dist.c lays
 *   them out. Memory as requested; whole nodes get all cores and gres, but memory as requested.
 * - Features: [a|b] tries all nodes with a, then with b; a*2&b*3 uses nodes for each, then the rest;
 *   [a*2&b*3] from different nodes.
 * - The start of a job that does not fit now: running jobs are removed in the order of their time
 *   limits, in batches (_will_run_test). The first batch closes 30 s after the first end, rounded up to
 *   30 s; the window then doubles (or grows by bf_window_linear), until the job fits: the start is the
 *   last end removed.
 */
#include "policies/slurm/select/select_parts.h"

static const char config[] = "Requested node configuration is not available";
static const char busy[] = "Resources";

/* ---- A view: which cores are available ---------------------------------------------------- */

/* Jobs with cores that are not available. */
struct view {
	bool all, none;
	bool above, same, below; /* Tiers, as seen from the partition. */
	uint32_t below_rank;     /* Of lower partitions those up to this rank. */
	int64_t row;             /* Of the partition; -1: no row. */
};

static bool in_view(const struct sel_test *t, const struct view *v, const struct select_alloc *a)
{
	const struct select *s = t->s;
	const struct sel_partition *mine = &s->partition[t->q->partition], *its = &s->partition[a->partition];
	if (v->all)
		return true;
	if (v->above && s->preempt_by_partition && (its->tier > mine->tier || its->preempt_off))
		return true;
	if (v->same && its->tier == mine->tier)
		return true;
	if (v->below && its->tier < mine->tier && its->rank <= v->below_rank)
		return true;
	return v->row >= 0 && a->partition == t->q->partition && a->row == v->row;
}

static void busy_cores(const struct sel_test *t, const struct view *v, uint32_t node, uint64_t *cores)
{
	const struct select *s = t->s;
	const uint32_t words = shape_of(s, node)->words;
	if (v->all) {
		memcpy(cores, s->used + s->node[node].core_at, words * sizeof(*cores));
		return;
	}
	memset(cores, 0, words * sizeof(*cores));
	for (const struct select_node_alloc *p = s->node[node].first; p && !v->none; p = p->next)
		if (!p->owner->stopped && in_view(t, v, p->owner))
			for (uint32_t w = 0; w < words; w++)
				cores[w] |= p->cores[w];
}

/* The cores of a node in a view, into its map. False: whole nodes are wanted, and some core is in use. */
static bool view_node(struct sel_test *t, const struct view *v, const struct view *base, uint32_t node)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	uint64_t *map = map_of(t->s, node), used[SEL_WORDS], before[SEL_WORDS] = { 0 };
	busy_cores(t, v, node, used);
	if (base)
		busy_cores(t, base, node, before);
	const uint64_t *kept = t->s->kept && !t->ever ? t->s->kept + t->s->node[node].core_at : NULL;
	for (uint32_t w = 0; kept && w < shape->words; w++)
		used[w] |= kept[w];
	bool blocked = false;
	for (uint32_t w = 0; w < shape->words; w++) {
		const uint64_t cores = (w + 1) * 64 <= shape->core_count
					       ? ~UINT64_C(0)
					       : (UINT64_C(1) << (shape->core_count % 64)) - 1;
		const uint64_t there = cores & ~shape->spec[w];
		blocked = blocked || (there & ~before[w] & used[w]);
		map[w] = there & ~used[w];
	}
	return !blocked || t->q->whole != SL_EXCLUSIVE_NODE;
}

bool sel_view_cores(struct sel_test *t, uint32_t node, bool free_only)
{
	const struct view none = { .none = true, .row = -1 }, all = { .all = true, .row = -1 };
	return view_node(t, free_only ? &all : &none, NULL, node);
}

/* Whatever the nodes offer, it is no more than their cores: a job that needs more cpus than that has no
 * place. */
static bool by_cores(const struct sel_test *t)
{
	const struct sel_request *q = t->q;
	return !q->overcommit && !q->gres_count && q->node_cpus_min <= 1 &&
	       !sel_topology_of(t->s, q->partition)->count;
}

/* The candidates with what of them is usable in this view; then the choice among them. */
static bool select_nodes(
	struct sel_test *t, const struct view *v, const struct view *base, const uint64_t *from)
{
	struct select *s = t->s;
	const struct sel_request *q = t->q;
	memcpy(t->nodes, from, s->words * sizeof(*t->nodes));
	if (bits_count(t->nodes, s->words) < t->nodes_min)
		return false;
	int64_t cpus = 0;
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1)) {
		if (view_node(t, v, base, n))
			cpus += bits_count(map_of(s, n), shape_of(s, n)->words) * shape_of(s, n)->threads;
		else
			bit_clear(t->nodes, n);
	}
	if (by_cores(t) && cpus < t->cpus_min)
		return false;
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1)) {
		sel_avail_node(t, n);
		if (!s->avail[n].usable)
			bit_clear(t->nodes, n);
	}
	const int64_t most = t->nodes_max, least = t->nodes_min;
	if (t->required && !bits_within(t->required, t->nodes, s->words))
		return false;
	if (q->desc.tasks_per_node != SL_NONE && q->tasks_per_node && q->tasks)
		t->nodes_min = max64(t->nodes_min, div_up(q->tasks, q->tasks_per_node));
	const bool chosen = bits_count(t->nodes, s->words) >= least && sel_choose(t);
	t->nodes_max = most;
	t->nodes_min = least;
	return chosen;
}

/* ---- Nodes that are in question ------------------------------------------------------------- */

static bool held_in_shares(const struct sel_test *t, uint32_t node, bool sharing_only)
{
	const struct select *s = t->s;
	const int64_t more = t->job->over_qos; /* The extra row is there for it alone (_is_node_busy). */
	if (sharing_only && !more && !s->any_shares)
		return false;
	for (const struct select_node_alloc *p = s->node[node].first; p; p = p->next) {
		const uint32_t its = p->owner->partition;
		if (p->owner->stopped || p->owner->row >= s->partition[its].rows + more)
			continue;
		if (!sharing_only || (s->partition[its].rows + more > 1 && its != t->q->partition))
			return true;
	}
	return false;
}

static bool user_may(const struct sel_test *t, uint32_t node)
{
	if (t->q->whole != SL_EXCLUSIVE_USER && !t->s->user_holds)
		return true;
	for (const struct select_node_alloc *p = t->s->node[node].first; p; p = p->next)
		if (p->owner->user != t->job->user &&
			(t->q->whole == SL_EXCLUSIVE_USER || p->owner->whole == SL_EXCLUSIVE_USER))
			return false;
	return true;
}

static bool gres_in_use(const struct sel_test *t, uint32_t node)
{
	for (uint32_t g = 0; g < t->s->gres_name_count; g++)
		if (t->s->node[node].gres_used[g])
			return true;
	return false;
}

/* Whether the node has the memory that the job wants of it at least. */
static bool mem_may(const struct sel_test *t, uint32_t node)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	if (!s->cr_mem)
		return true;
	int64_t least = q->mem;
	for (uint32_t g = 0; g < q->gres_count && !q->mem_said; g++)
		if (q->gres[g].mem_per || q->gres[g].mem_default)
			least = max64(q->gres[g].mem_per ? q->gres[g].mem_per : q->gres[g].mem_default, 1);
	if (q->mem_per_cpu)
		least *= max64(max64(q->tasks_per_node, q->node_cpus_min), q->cpus_per_task);
	if (!least)
		return s->node[node].mem_used == 0;
	return shape_of(s, node)->mem - s->node[node].mem_used >= least;
}

bool sel_node_may(const struct sel_test *t, uint32_t node)
{
	const struct sel_node *n = &t->s->node[node];
	const uint8_t use = sel_use_of(t->s, t->q);
	if (!n->jobs)
		return true;
	if (!mem_may(t, node) || !user_may(t, node))
		return false;
	if (t->q->whole == SL_EXCLUSIVE_NODE && gres_in_use(t, node))
		return false;
	if (n->reserved)
		return false;
	if (n->one_row)
		return use == SEL_USE_ONE_ROW && !held_in_shares(t, node, true);
	return use == SEL_USE_RESERVED ? !held_in_shares(t, node, false)
				       : use == SEL_USE_AVAILABLE || !held_in_shares(t, node, true);
}

/* ---- The allocation ---------------------------------------------------------------------------- */

/* Of so many nodes with so many words of cores, cleared. */
static bool capacity_for(struct select *s, uint32_t nodes, size_t words)
{
	const size_t bytes = sizeof(struct select_alloc) + nodes * sizeof(struct select_node_alloc) +
			     words * 8 +
			     (size_t)nodes * (s->gres_name_count * sizeof(struct select_gres) +
						     sizeof(uint64_t *) + 2 * sizeof(int64_t));
	if (bytes > s->out_size) {
		s->out = sl_alloc(s->arena, 1, 2 * bytes);
		s->out_size = s->out ? 2 * bytes : 0;
	}
	if (s->out)
		memset(s->out, 0, bytes);
	return s->out != NULL;
}

struct laid {
	struct select_alloc *alloc;
	struct select_gres *gres;
	uint64_t **cores;
	int64_t *limit, *gres_cpus;
};

static bool begin_alloc(struct sel_test *t, struct laid *to)
{
	struct select *s = t->s;
	const uint32_t count = (uint32_t)bits_count(t->nodes, s->words);
	size_t words = 0;
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1))
		words += shape_of(s, n)->words;
	if (!capacity_for(s, count, words))
		return false;
	struct select_alloc *a = to->alloc = s->out;
	a->node_count = count;
	a->partition = t->q->partition;
	a->user = t->job->user;
	a->whole = t->q->whole;
	a->whole_topo = t->q->whole_topo;
	a->use = sel_use_of(s, t->q);
	a->node_alloc = (struct select_node_alloc *)(a + 1);
	to->gres = (struct select_gres *)(a->node_alloc + count);
	to->cores = (uint64_t **)(to->gres + (size_t)count * s->gres_name_count);
	to->limit = (int64_t *)(to->cores + count);
	to->gres_cpus = to->limit + count;
	uint64_t *word = (uint64_t *)(to->gres_cpus + count);
	uint32_t i = 0;
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1), i++) {
		a->node_alloc[i].node = n;
		to->cores[i] = word;
		a->node_alloc[i].cores = word;
		memcpy(word, map_of(s, n), shape_of(s, n)->words * sizeof(*word));
		word += shape_of(s, n)->words;
		to->limit[i] = sel_tasks_by_gres(s, t->q, n);
		if (s->version >= SEL_24_05 && to->limit[i] >= SEL_INFINITE)
			to->limit[i] = s->avail[n].tasks_most;
		to->gres_cpus[i] = s->avail[n].gres_cores * sel_cpus_per_core(s, t->q, shape_of(s, n));
	}
	return true;
}

/* How many cpus are to be laid out. */
static int64_t cpus_asked(const struct sel_test *t, const struct select_alloc *a)
{
	const struct sel_request *q = t->q;
	const int64_t nodes = a->node_count;
	int64_t cpus = nodes * max64(q->tasks_per_node, 1), job_gres = 0, total = 0;
	for (uint32_t g = 0; g < q->gres_count; g++) {
		const struct sel_gres_request *r = &q->gres[g];
		const int64_t each = r->cpus_per ? r->cpus_per : r->cpus_default;
		const int64_t units = r->per_job      ? r->per_job
				      : r->per_node   ? r->per_node * nodes
				      : r->per_socket ? r->per_socket * nodes * max64(q->sockets_per_node, 1)
						      : r->per_task * q->tasks;
		job_gres = max64(job_gres, each * units);
		cpus = max64(cpus, r->tasks_per * (r->per_job ? r->per_job : r->per_node * nodes));
	}
	cpus = max64(max64(cpus, t->cpus_min), max64(nodes * q->node_cpus_min, job_gres));
	for (uint32_t i = 0; i < a->node_count; i++)
		total += t->s->avail[a->node_alloc[i].node].cpus;
	return q->overcommit && q->tasks ? min64(total, q->tasks) : cpus;
}

/* select/linear allocates no more gres than requested. */
static void take_asked(const struct sel_test *t, uint32_t node, uint32_t name, struct select_gres *gres)
{
	for (uint32_t g = 0; g < t->q->gres_count; g++) {
		const struct sel_gres_request *r = &t->q->gres[g];
		if (r->name == name)
			gres->count += max64(r->per_node, r->per_task * max64(t->q->tasks_per_node, 1));
	}
	const uint32_t devices = shape_of(t->s, node)->device_count[name];
	for (uint32_t d = 0; d < devices && bits_of(gres->devices) < gres->count; d++)
		if (t->ever || !(t->s->node[node].devices_used[name] >> d & 1))
			gres->devices |= UINT64_C(1) << d;
}

/* Whole nodes: all available cores there, whatever was requested. */
static void take_whole(const struct sel_test *t, struct laid *to)
{
	for (uint32_t i = 0; i < to->alloc->node_count; i++) {
		struct select_node_alloc *p = &to->alloc->node_alloc[i];
		const struct sel_shape *shape = shape_of(t->s, p->node);
		int64_t cores = 0;
		for (uint32_t c = 0; c < shape->core_count; c++)
			if (!bit_test(shape->spec, c)) {
				bit_set(to->cores[i], c);
				cores++;
			}
		p->cpus = cores * shape->threads;
		p->tasks = (uint32_t)max64(t->q->tasks_per_node, 1);
		for (uint32_t g = 0; g < t->s->gres_name_count; g++) {
			struct select_gres *gres = &to->gres[(size_t)i * t->s->gres_name_count + g];
			if (!shape->gres_count[g] || shape->shared[g])
				continue;
			if (t->s->linear) {
				take_asked(t, p->node, g, gres);
				continue;
			}
			gres->count = shape->gres_count[g];
			gres->devices = shape->device_count[g] >= 64
						? ~UINT64_C(0)
						: (UINT64_C(1) << shape->device_count[g]) - 1;
		}
	}
}

static int64_t mem_by_gres(const struct sel_test *t, const struct laid *to, uint32_t i)
{
	int64_t mem = 0;
	bool any = false;
	for (uint32_t g = 0; g < t->q->gres_count; g++) {
		const struct sel_gres_request *r = &t->q->gres[g];
		const int64_t each = r->mem_per ? r->mem_per : r->mem_default;
		if (!each)
			continue;
		any = true;
		mem += each * to->gres[(size_t)i * t->s->gres_name_count + r->name].count;
	}
	return any ? mem : -1;
}

static bool give_memory(const struct sel_test *t, struct laid *to)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	for (uint32_t i = 0; s->cr_mem && i < to->alloc->node_count; i++) {
		struct select_node_alloc *p = &to->alloc->node_alloc[i];
		const struct sel_shape *shape = shape_of(s, p->node);
		const int64_t free = shape->mem - (t->ever ? 0 : s->node[p->node].mem_used);
		const int64_t by_gres = q->mem_said ? -1 : mem_by_gres(t, to, i);
		if (by_gres >= 0)
			p->mem = by_gres;
		else if (q->mem_per_cpu)
			p->mem = q->mem * (q->threads_per_core && q->threads_per_core < shape->threads
							  ? p->cpus / shape->threads * q->threads_per_core
							  : p->cpus);
		else
			p->mem = q->mem ? q->mem : shape->mem;
		if (p->mem > free)
			return false;
	}
	return true;
}

bool sel_allocate(struct sel_test *t)
{
	struct select *s = t->s;
	struct laid to;
	if (!begin_alloc(t, &to))
		return false;
	struct select_alloc *a = to.alloc;
	if (t->q->whole == SL_EXCLUSIVE_NODE) {
		take_whole(t, &to);
	} else {
		if (!sel_distribute(t, a, cpus_asked(t, a), to.cores, t->q->gres_count ? to.limit : NULL,
			    to.gres_cpus))
			return false;
		if (t->q->gres_count && !sel_gres_pick(t, a, to.gres))
			return false;
	}
	if (!give_memory(t, &to))
		return false;
	for (uint32_t i = 0; i < a->node_count; i++) {
		a->cpus += a->node_alloc[i].cpus;
		for (uint32_t g = 0; g < s->gres_name_count; g++)
			if (to.gres[(size_t)i * s->gres_name_count + g].count)
				a->node_alloc[i].gres = &to.gres[(size_t)i * s->gres_name_count];
	}
	return true;
}

/* ---- The views in turn ------------------------------------------------------------------------- */

static bool try_view(struct sel_test *t, const struct view *v, const struct view *base, const uint64_t *from)
{
	t->best_switch = true;
	return select_nodes(t, v, base, from);
}

enum { ROWS_TRIED = 64 };

/* So many rows are open to the job: of the extra one under preempt/qos only jobs that preempt by their QOS.
 */
static int64_t rows_open(const struct sel_test *t)
{
	const struct select *s = t->s;
	if (s->preempt_by_qos && sel_use_of(s, t->q) != SEL_USE_AVAILABLE)
		return 1;
	return s->partition[t->q->partition].rows + (s->qos_row && t->job->over_qos);
}

/* Rows by how much of them is in use, most first (under preempt/qos as they are); empty ones are not among
 * them. */
static int64_t order_rows(const struct sel_test *t, uint32_t *order, int64_t cores[ROWS_TRIED])
{
	const struct sel_partition *p = &t->s->partition[t->q->partition];
	int64_t count = 0;
	memset(cores, 0, ROWS_TRIED * sizeof(*cores));
	for (const struct select_alloc *a = p->first; a; a = a->next)
		if (a->row < ROWS_TRIED && !a->stopped)
			cores[a->row] += a->cores;
	for (uint32_t row = 0; row < min64(rows_open(t), ROWS_TRIED); row++) {
		if (!cores[row] && t->s->preempt_by_qos)
			break;
		if (!cores[row])
			continue;
		int64_t at = count++;
		for (; at > 0 && cores[order[at - 1]] < cores[row] && !t->s->preempt_by_qos; at--)
			order[at] = order[at - 1];
		order[at] = row;
	}
	return count;
}

/* A row in which so many cores are in use has too few left for it. */
static bool row_lacks_cores(const struct sel_test *t, int64_t cores)
{
	/* Of nodes that differ, those with the fewest threads may be the ones in use. */
	return by_cores(t) && t->s->cpus - cores * t->s->threads_least < t->cpus_min;
}

/* None of the partition's rows is empty, and none has cores enough left: so has no view with jobs of it. */
static bool rows_lack_cores(const struct sel_test *t)
{
	uint32_t order[ROWS_TRIED];
	int64_t cores[ROWS_TRIED];
	if (t->ever || t->s->preempt_by_qos || rows_open(t) <= 1 || !by_cores(t))
		return false;
	const int64_t count = order_rows(t, order, cores);
	for (int64_t i = 0; i < count; i++)
		if (!row_lacks_cores(t, cores[order[i]]))
			return false;
	return count >= rows_open(t);
}

static bool try_rows(struct sel_test *t, const uint64_t *from)
{
	const struct view base = { .above = true, .row = -1 };
	uint32_t order[ROWS_TRIED];
	int64_t cores[ROWS_TRIED];
	const int64_t count = order_rows(t, order, cores);
	for (int64_t i = 0; i < count; i++) {
		if (row_lacks_cores(t, cores[order[i]]))
			continue;
		const struct view v = { .above = true, .row = order[i] };
		if (try_view(t, &v, &base, from))
			return true;
	}
	return count < rows_open(t) && try_view(t, &base, NULL, from);
}

static bool try_tiers(struct sel_test *t, const uint64_t *from)
{
	const struct select *s = t->s;
	const struct sel_partition *mine = &s->partition[t->q->partition];
	const struct view above = { .above = true, .row = -1 };
	struct view same = { .above = true, .same = true, .row = -1 };
	if (!try_view(t, &above, NULL, from))
		return false;
	if (!try_view(t, &same, &above, from))
		return try_rows(t, from);
	/* As far as it goes, beside jobs of lower tiers. */
	struct view last = same;
	for (uint32_t i = 0; i < s->partition_count; i++) {
		if (s->partition[s->by_tier[i]].tier >= mine->tier)
			continue;
		struct view v = same;
		v.below = true;
		v.below_rank = i;
		if (!try_view(t, &v, &above, from))
			break;
		last = v;
	}
	return try_view(t, &last, &above, from);
}

bool sel_tries_idle(const struct sel_test *t)
{
	return t->ever || t->s->version < SEL_24_11 || t->s->gang ||
	       sel_use_of(t->s, t->q) == SEL_USE_AVAILABLE;
}

static bool try_all(struct sel_test *t, const uint64_t *from)
{
	const struct view none = { .none = true, .row = -1 }, all = { .all = true, .row = -1 };
	t->count_row = false;
	if (rows_lack_cores(t))
		return false;
	if (sel_tries_idle(t) && !try_view(t, &none, NULL, from))
		return false;
	if (t->ever)
		return true;
	if (!t->best_switch)
		return false;
	t->count_row = true;
	if (try_view(t, &all, NULL, from))
		return t->best_switch;
	if (!t->s->gang && sel_use_of(t->s, t->q) == SEL_USE_ONE_ROW)
		return false;
	return try_tiers(t, from) && t->best_switch;
}

static bool any_shared(const struct sel_test *t, const uint64_t *set)
{
	return t->required && !bits_within(t->required, set, t->s->words);
}

/* The nodes in question, then where among them. t->nodes is in and out. */
static bool job_test(struct sel_test *t)
{
	struct select *s = t->s;
	uint64_t *from = s->set[4];
	memcpy(from, t->nodes, s->words * sizeof(*from));
	for (uint32_t n = bits_next(from, s->words, 0); n != UINT32_MAX && !t->ever;
		n = bits_next(from, s->words, n + 1))
		if (!sel_node_may(t, n))
			bit_clear(from, n);
	if (!t->ever)
		sel_leave_blocks(t, from);
	if (any_shared(t, from))
		return false;
	return s->linear ? (memcpy(t->nodes, from, s->words * sizeof(*from)), sel_linear(t))
			 : try_all(t, from);
}

/* ---- Features -------------------------------------------------------------------------------- */

static void nodes_with(
	const struct select *s, const struct sel_feature *f, const uint64_t *from, uint64_t *to)
{
	for (size_t w = 0; w < s->words; w++)
		to[w] = 0;
	for (uint32_t n = bits_next(from, s->words, 0); n != UINT32_MAX; n = bits_next(from, s->words, n + 1))
		if (sel_shape_has(shape_of(s, n), f))
			bit_set(to, n);
}

/* So many nodes of each counted feature become required. */
static bool require_counted(struct sel_test *t, const uint64_t *from, uint64_t *required)
{
	struct select *s = t->s;
	const struct sel_request *q = t->q;
	const struct sel_test kept = *t;
	bool apart = false;
	for (uint32_t i = 0; i < q->feature_count; i++) {
		const struct sel_feature *f = &q->feature[i];
		if (!f->count)
			continue;
		nodes_with(s, f, from, t->nodes);
		for (size_t w = 0; w < s->words && apart; w++)
			t->nodes[w] &= ~required[w];
		t->required = NULL;
		t->nodes_min = t->nodes_want = t->cpus_min = f->count;
		if (!job_test(t))
			return false;
		apart = apart || f->join == SEL_XAND;
		for (size_t w = 0; w < s->words; w++)
			required[w] |= t->nodes[w];
	}
	*t = kept;
	const int64_t count = bits_count(required, s->words);
	for (size_t w = 0; w < s->words && q->required; w++)
		required[w] |= q->required[w];
	t->required = required;
	t->nodes_min = max64(t->nodes_min, count);
	t->cpus_min = max64(t->cpus_min, count);
	t->nodes_want = max64(t->nodes_want, t->nodes_min);
	return true;
}

static bool is_counted(const struct sel_request *q)
{
	for (uint32_t i = 0; i < q->feature_count; i++)
		if (q->feature[i].count)
			return true;
	return false;
}

static uint32_t alternatives_of(const struct sel_request *q)
{
	for (uint32_t i = 0; i < q->feature_count && !is_counted(q); i++)
		if (q->feature[i].join == SEL_XOR)
			return q->feature_count;
	return 0;
}

uint32_t select_alternatives(struct select *s, const struct select_job *job)
{
	const struct sel_request *q = sel_request_of(s, job);
	return q ? alternatives_of(q) : 0;
}

static bool test_features(struct sel_test *t, const uint64_t *from)
{
	struct select *s = t->s;
	const struct sel_request *q = t->q;
	const uint32_t alternatives = alternatives_of(q), only = t->ever ? 0 : t->job->alternative;
	if (is_counted(q)) {
		memset(s->set[6], 0, s->words * sizeof(uint64_t));
		if (!require_counted(t, from, s->set[6]))
			return false;
	} else if (alternatives) {
		for (uint32_t i = only ? only - 1 : 0; i < (only ? only : alternatives); i++) {
			nodes_with(s, &q->feature[i], from, t->nodes);
			if (job_test(t))
				return true;
		}
		return false;
	}
	memcpy(t->nodes, from, s->words * sizeof(*from));
	return job_test(t);
}

/* ---- Node selection ------------------------------------------------------------------------------------ */

static void sel_begin(struct sel_test *t, struct select *s, const struct select_job *job,
	struct sel_request *q, enum select_mode mode)
{
	const struct sel_partition *p = &s->partition[q->partition];
	*t = (struct sel_test){ .s = s, .q = q, .job = job, .mode = mode, .ever = mode == SELECT_EVER };
	t->nodes_min = q->nodes_min;
	t->nodes_max = q->nodes_max ? q->nodes_max : SEL_INFINITE;
	if (p->nodes_max != SL_NONE && p->nodes_max > 0)
		t->nodes_max = min64(t->nodes_max, p->nodes_max);
	t->nodes_want = min64(q->nodes_want, t->nodes_max);
	t->cpus_min = q->cpus_min;
	if (q->overcommit && q->cpus_min == q->nodes_min)
		t->cpus_min *= max64(q->threads_per_core, 1) * max64(q->cores_per_socket, 1) *
			       max64(q->sockets_per_node, 1);
	t->required = q->required;
	t->nodes = s->set[5];
	t->best_switch = true;
}

static bool sock_capacity(struct select *s, const struct sel_request *q)
{
	const size_t capacity = (size_t)s->node_count * q->gres_count;
	if (capacity <= s->sock_capacity)
		return true;
	s->sock = sl_alloc(s->arena, capacity, sizeof(*s->sock));
	s->sock_capacity = s->sock ? capacity : 0;
	return s->sock != NULL;
}

/* Whether it could run on the idle cluster. Asked once for each request. */
static enum select_answer ever(struct select *s, const struct select_job *job, struct sel_request *q)
{
	struct sel_test t;
	if (q->ever >= 0)
		return (enum select_answer)q->ever;
	sel_begin(&t, s, job, q, SELECT_EVER);
	const bool fits = t.nodes_min <= t.nodes_max && test_features(&t, q->candidates);
	q->ever = fits ? SELECT_FITS : SELECT_NEVER;
	q->ever_why = fits ? NULL : config;
	return (enum select_answer)q->ever;
}

static enum select_answer select_answer_here(struct select *s, enum select_answer what, const char *why)
{
	s->why = why;
	return what;
}

/* ---- Unchanged since ----------------------------------------------------------------------------- */

/* Nothing has changed since the last request on these nodes: the indices' answer is still right. */
static bool asked_before(const struct sel_test *t, const uint64_t *available)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	if (s->plain || !q->placed_nodes || q->placed_change != s->change ||
		q->placed_settings != s->settings || t->job->over_qos || !sel_is_simple(t))
		return false;
	const uint64_t *all = available ? available : q->candidates;
	uint64_t other = 0;
	for (size_t w = 0; w < s->words; w++)
		other |= q->placed_nodes[w] ^ (q->candidates[w] & all[w]);
	return !other;
}

static void keep_answer(const struct sel_test *t, const uint64_t *available, bool fits)
{
	struct select *s = t->s;
	struct sel_request *q = t->q;
	/* What is asked while changes may be undone is not asked again. */
	if (t->job->over_qos || s->marks ||
		(!q->placed_nodes && !(q->placed_nodes = sl_alloc(s->arena, s->words, sizeof(uint64_t)))))
		return;
	for (size_t w = 0; w < s->words; w++)
		q->placed_nodes[w] = q->candidates[w] & (available ? available[w] : ~UINT64_C(0));
	if (q->placed_at)
		sel_drop(s, q->placed_at);
	q->placed_at = fits ? sel_copy(s, s->out) : NULL;
	q->placed_change = !fits || q->placed_at ? s->change : UINT64_MAX;
	q->placed_settings = s->settings;
}

static enum select_answer answer_retry(struct sel_test *t, const struct select_alloc **out)
{
	struct select_alloc *at = t->q->placed_at;
	if (!at)
		return select_answer_here(t->s, SELECT_BUSY, busy);
	at->user = t->job->user;
	if (out)
		*out = at;
	return select_answer_here(t->s, SELECT_FITS, NULL);
}

enum select_answer select_place(struct select *s, const struct select_job *job, const uint64_t *available,
	enum select_mode mode, const struct select_alloc **out)
{
	struct sel_request *q = sel_request_of(s, job);
	struct sel_test t;
	if (!q || !sock_capacity(s, q))
		return select_answer_here(s, SELECT_NEVER, "no memory");
	if (q->never)
		return select_answer_here(s, SELECT_NEVER, q->never);
	if (ever(s, job, q) == SELECT_NEVER)
		return select_answer_here(s, SELECT_NEVER, q->ever_why);
	if (mode == SELECT_EVER && !out)
		return select_answer_here(s, SELECT_FITS, NULL);
	sel_rows_look(s);
	sel_begin(&t, s, job, q, mode);
	const int ones = sel_ones(&t, available);
	if (ones < 0 && mode != SELECT_EVER && asked_before(&t, available))
		return answer_retry(&t, out);
	const int fast = s->plain || ones >= 0 ? ones : sel_fast(&t, available);
	if (fast < 0) {
		uint64_t *from = s->set[7];
		for (size_t w = 0; w < s->words; w++)
			from[w] = q->candidates[w] & (available ? available[w] : ~UINT64_C(0));
		if (!test_features(&t, from))
			return select_answer_here(s, SELECT_BUSY, busy);
	}
	const bool fits = fast != 0 && sel_allocate(&t);
	if (fast >= 0 && ones < 0)
		keep_answer(&t, available, fits);
	if (!fits)
		return select_answer_here(s, SELECT_BUSY, busy);
	if (out)
		*out = s->out;
	return select_answer_here(s, SELECT_FITS, NULL);
}

/* The idle cluster stays as it is: the answer is kept for the nodes asked last. */
bool select_could(struct select *s, const struct select_job *job, const uint64_t *available)
{
	struct sel_request *q = sel_request_of(s, job);
	const struct select_alloc *out;
	const bool kept = q && !s->plain && q->switches <= 0;
	if (kept && q->could_nodes && q->could_settings == s->settings &&
		memcmp(q->could_nodes, available, s->words * sizeof(*available)) == 0)
		return q->could;
	const bool could = select_place(s, job, available, SELECT_EVER, &out) == SELECT_FITS;
	if (kept && !q->could_nodes)
		q->could_nodes = sl_alloc(s->arena, s->words, sizeof(*q->could_nodes));
	if (kept && q->could_nodes) {
		memcpy(q->could_nodes, available, s->words * sizeof(*available));
		q->could_settings = s->settings;
		q->could = could;
	}
	return could;
}

/* ---- When --------------------------------------------------------------------------------------- */

bool sel_touches(const struct select_alloc *a, const uint64_t *nodes)
{
	for (uint32_t i = 0; i < a->node_count; i++)
		if (!nodes || bit_test(nodes, a->node_alloc[i].node))
			return true;
	return false;
}

int64_t sel_seconds(const struct select_running *r, int64_t epoch) { return epoch + r->end / SL_SECOND; }

/* Removes a batch. The last job of it; NULL: there is none. */
static const struct select_running *take_batch(
	struct select *s, struct sel_batch *b, const struct select_outlook *outlook, const uint64_t *nodes)
{
	const struct select_running *running = outlook->running;
	const size_t count = outlook->within;
	const int64_t epoch = outlook->epoch;
	const struct select_running *last = NULL;
	while (b->next < count) {
		const struct select_running *r = &running[b->next++];
		if (!sel_touches(r->alloc, nodes) || !r->alloc->held)
			continue;
		const int64_t end = sel_seconds(r, epoch);
		if (!b->closes)
			b->closes = end + b->window - end % b->window;
		last = r;
		select_give(s, r->alloc);
		if (outlook->nearby)
			b->next = sel_next_touching(outlook, b->next, nodes);
		if (b->next == count || sel_seconds(&running[b->next], epoch) > b->closes + b->window)
			break;
	}
	do
		b->window = s->window_linear > 0 ? b->window + s->window_linear : 2 * b->window;
	while (b->next < count && sel_seconds(&running[b->next], epoch) > b->closes + b->window);
	return last;
}

/* The preemptable jobs are removed: ended, or without their cores. True: one of them is suspended. */
static bool take_preempted(struct select *s, const struct select_outlook *outlook, const uint64_t *nodes)
{
	bool stays = false;
	for (size_t i = 0; i < outlook->preempted_count; i++) {
		const struct select_preempted *p = &outlook->preempted[i];
		stays = stays || p->stays;
		if (!p->alloc->held || !sel_touches(p->alloc, nodes))
			continue;
		if (p->stays)
			select_stop(s, p->alloc, true);
		else
			select_give(s, p->alloc);
	}
	return stays;
}

/* A job beyond its limit is assumed to end in a moment. */
static sl_time start_behind(const struct select *s, const struct select_running *last, sl_time now)
{
	if (last->end > now)
		return last->end;
	return last->end + s->kill_wait * SL_SECOND > now ? last->end + s->kill_wait * SL_SECOND
							  : now + SL_SECOND;
}

/* It is asked of a time to come, by which some will have ended: not of now. */
static bool is_ahead(const struct select_outlook *o) { return o->gone && o->from > o->now; }

/* How many of the running end before then, or by then. */
static size_t ended(const struct select_outlook *o, sl_time then, bool by)
{
	size_t low = 0;
	for (size_t high = o->running_count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		const sl_time end = o->running[middle].end;
		if (end < then || (by && end == then))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Batch by batch, each removed. */
static enum select_answer behind_batches(struct select *s, const struct select_job *job,
	const uint64_t *available, const struct select_outlook *outlook, sl_time *at,
	const struct select_alloc **out)
{
	struct sel_batch b = { .window = 30, .next = outlook->gone };
	enum select_answer fits = SELECT_BUSY;
	for (size_t i = 0; i < outlook->gone; i++)
		if (outlook->running[i].alloc->held && sel_touches(outlook->running[i].alloc, available))
			select_give(s, outlook->running[i].alloc);
	if (outlook->gone) {
		fits = select_place(s, job, available, SELECT_NOW, out);
		*at = fits == SELECT_FITS ? outlook->now : SL_NEVER;
	}
	while (fits == SELECT_BUSY && b.next < outlook->within) {
		const struct select_running *last = take_batch(s, &b, outlook, available);
		if (!last)
			break;
		fits = select_place(s, job, available, SELECT_LATER, out);
		if (fits == SELECT_FITS)
			*at = start_behind(s, last, outlook->now);
	}
	return fits;
}

/* The same without removing them, where that can be known. */
static int behind_ends(struct select *s, const struct select_job *job, const uint64_t *available,
	const struct select_outlook *outlook, sl_time *at, const struct select_alloc **out)
{
	struct sel_test t;
	struct sel_request *q = sel_request_of(s, job);
	const struct select_running *last;
	if (s->plain || outlook->preempted_count || outlook->candidate_count || !q)
		return -1;
	sel_begin(&t, s, job, q, SELECT_LATER);
	if (!sel_is_simple(&t))
		return -1;
	const int placed = sel_later(&t, available, outlook, &last);
	if (placed == 1)
		*at = last ? start_behind(s, last, outlook->now) : outlook->now;
	*out = s->out;
	return placed;
}

/* Of nodes of one cpu, where that can be known: *at, and which. */
static bool when_of_ones(struct select *s, const struct select_job *job, const uint64_t *available,
	const struct select_outlook *outlook, sl_time *at, uint64_t *nodes)
{
	struct sel_test t;
	const struct select_running *last;
	struct sel_request *q = s->ones ? sel_request_of(s, job) : NULL;
	if (!q || q->never || ever(s, job, q) == SELECT_NEVER)
		return false;
	sel_begin(&t, s, job, q, SELECT_NOW);
	const int placed = sel_ones_when(&t, available, outlook, &last);
	if (placed < 0)
		return false;
	*at = !placed ? SL_NEVER : last ? start_behind(s, last, outlook->now) : outlook->now;
	for (size_t w = 0; nodes && w < s->words; w++)
		nodes[w] = placed ? t.nodes[w] : 0;
	(void)select_answer_here(s, placed ? SELECT_FITS : SELECT_BUSY, placed ? NULL : busy);
	return true;
}

sl_time select_will_run(struct select *s, const struct select_job *asks, const uint64_t *available,
	const struct select_outlook *asked, uint64_t *nodes)
{
	sl_time of_ones;
	struct select_outlook bounded = *asked;
	const struct select_outlook *outlook = &bounded;
	bounded.gone = asked->windowed ? ended(asked, asked->from, false) : 0;
	bounded.within = asked->windowed && asked->until != SL_NEVER ? ended(asked, asked->until, true)
								     : asked->running_count;
	if (when_of_ones(s, asks, available, outlook, &of_ones, nodes))
		return of_ones;
	struct select_job retry = *asks, *job = &retry;
	const struct select_alloc *out = NULL;
	enum select_answer fits = select_place(s, asks, available,
		is_ahead(outlook) ? SELECT_EVER : SELECT_NOW, is_ahead(outlook) ? NULL : &out);
	if (is_ahead(outlook) && fits == SELECT_FITS)
		fits = SELECT_BUSY;
	const uint32_t mark = select_mark(s);
	if (fits == SELECT_BUSY && outlook->preempted_count) {
		retry.over_qos = take_preempted(s, outlook, available) && s->preempt_by_qos;
		if (!outlook->gone) /* Else they go together. */
			fits = select_place(s, job, available, SELECT_NOW, &out);
	}
	sl_time at = fits == SELECT_FITS ? outlook->now : SL_NEVER;
	if (fits == SELECT_BUSY && outlook->running_count &&
		behind_ends(s, job, available, outlook, &at, &out) < 0)
		(void)behind_batches(s, job, available, outlook, &at, &out);
	if (nodes)
		memset(nodes, 0, s->words * sizeof(*nodes));
	for (uint32_t i = 0; nodes && at != SL_NEVER && i < out->node_count; i++)
		bit_set(nodes, out->node_alloc[i].node);
	select_undo(s, mark);
	return at;
}
