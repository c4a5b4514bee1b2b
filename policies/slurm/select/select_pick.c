/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_pick.c - which nodes a job gets (_eval_nodes()).
 *
 * Rules (public source of 22.05, cons_tres/job_test.c, in outline; the order
 * and the surprises were seen in recordings of a real slurmctld). The first
 * that applies:
 * - --spread-job: nodes in order, one after another, at most as many as tasks.
 * - bf_busy_nodes, in predictions: nodes in use before idle ones.
 * - LLN (SelectTypeParameters=CR_LLN, or of the partition): the node with the
 *   greatest part of its cpus free, one after another.
 * - pack_serial_at_end: jobs of one cpu from the last node down.
 * - From 26.05 on, a job of one node: the first node of the least weight that is enough.
 * - topology/tree (select_topo.c).
 * - Consecutive best fit: usable nodes form runs of neighbours of one weight.
 *   Lower weight goes first; then a run that suffices, of those the one with
 *   the fewest cpus; none suffices: the one with the most. Where one node is
 *   still wanted, the node of the run with the fewest cpus that are enough; else
 *   the run's nodes in order. Then the next run, until the job has enough.
 *   Required nodes are the job's beforehand, and their run goes before others
 *   of its weight that do not fit more tightly; from the first of them upwards,
 *   then down. --contiguous wants one run that suffices, whatever its weights.
 * A job that fails so is tried again with devices far from its cores, leaving
 * out the nodes that have least, then the next, and so on.
 */
#include "policies/slurm/select/select_pick.h"

/* ---- What is missing ------------------------------------------------------------ */

void sel_need_begin(struct sel_need *need, struct sel_test *t)
{
	const struct sel_request *q = t->q;
	*need = (struct sel_need){ .t = t,
		.cpus = t->cpus_min,
		.nodes_least = t->nodes_min,
		.nodes_most = t->nodes_max,
		.per_job = sel_gres_per_job(q) };
	need->nodes = need->per_job ? min64(t->nodes_min, t->nodes_want) : max64(t->nodes_min, t->nodes_want);
	need->cpus_most = max64(t->cpus_min, max64(q->gres_node_cpus * need->nodes, q->gres_job_cpus));
	need->tasks = need->cpus_most;
	if (!q->overcommit && q->cpus_per_task > 1)
		need->tasks = q->tasks_per_node ? q->tasks_per_node * min64(t->nodes_max, SEL_INFINITE)
						: need->cpus_most / q->cpus_per_task;
	t->nodes_left = need->nodes_least;
	memset(t->gres_total, 0, sizeof(t->gres_total));
}

bool sel_need_met(const struct sel_need *need)
{
	return need->nodes <= 0 && need->cpus <= 0 && sel_gres_enough(need->t);
}

/* Devices of the job as a whole, from 24.05 on (eval_nodes_gres): those of the tasks that go to this node, of
 * which other nodes keep one each. False: the node has too few cpus for its tasks. */
static bool take_devices(struct sel_need *need, uint32_t node, int64_t *cpus)
{
	struct sel_test *t = need->t;
	const struct sel_request *q = t->q;
	int64_t tasks = need->tasks - max64(need->nodes_least - 1, 0);
	if (tasks < 0)
		tasks = SEL_INFINITE; /* An unsigned number, there. */
	if (!q->overcommit)
		tasks = min64(tasks, *cpus / q->cpus_per_task);
	const int64_t more = max64(1 - tasks, 0);
	tasks = max64(tasks, 1);
	if (q->plane && !q->overcommit)
		tasks = min64(tasks, q->plane_size);
	sel_gres_trim(t, node, &tasks);
	const int64_t cpus_min =
		max64(q->overcommit ? q->cpus_per_task : q->cpus_per_task * tasks, q->node_cpus_min);
	const bool enough = tasks > 0 && *cpus >= cpus_min;
	if (enough)
		sel_gres_add(t, node, cpus, cpus_min);
	else
		*cpus = 0;
	t->s->avail[node].cpus = *cpus;
	need->tasks += more - (enough ? tasks : 0);
	return enough;
}

int64_t sel_need_take(struct sel_need *need, uint32_t node, int64_t cpus)
{
	cpus = sel_cpus_to_use(need->t, node, cpus, need->cpus_most, need->nodes_least);
	if (need->per_job && need->t->s->version < SEL_24_05)
		sel_gres_add(need->t, node, &cpus, 0);
	else if (need->per_job && !take_devices(need, node, &cpus))
		return 0;
	if (need->t->order)
		need->t->order[need->t->order_count++] = node;
	need->cpus -= cpus;
	need->cpus_most -= cpus;
	need->nodes--;
	need->nodes_least--;
	need->nodes_most--;
	need->t->nodes_left = need->nodes_least;
	return cpus;
}

bool sel_enough_nodes(const struct sel_test *t, int64_t have, int64_t left)
{
	return have >= (t->nodes_want > t->nodes_min ? left + t->nodes_min - t->nodes_want : left);
}

bool sel_gres_in(const struct sel_test *t, const int64_t *gres)
{
	for (uint32_t g = 0; g < t->q->gres_count; g++)
		if (t->q->gres[g].per_job > t->gres_total[g] + gres[g])
			return false;
	return true;
}

void sel_gres_count(const struct sel_test *t, uint32_t node, int64_t *gres)
{
	for (uint32_t g = 0; g < t->q->gres_count; g++)
		if (t->q->gres[g].per_job)
			gres[g] += sock_of(t->s, t->q, node, g)->total;
}

/* ---- Consecutive best fit ---------------------------------------------------------- */

/* Required nodes first. 1: they suffice; 0: more are wanted; -1: impossible. */
static int take_required(struct sel_need *need)
{
	struct sel_test *t = need->t;
	struct select *s = t->s;
	if (!t->required)
		return 0;
	if (bits_count(t->required, s->words) > need->nodes_most)
		return -1;
	for (uint32_t n = bits_next(t->required, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->required, s->words, n + 1)) {
		const int64_t cpus = sel_need_take(need, n, sel_cores(t, n));
		if (!cpus)
			return -1;
		s->usable[n] = cpus;
	}
	if (sel_need_met(need)) {
		memcpy(t->nodes, t->required, s->words * sizeof(*t->nodes));
		return 1;
	}
	return need->nodes_most <= 0 ? -1 : 0;
}

struct runs {
	struct sel_run *run;
	uint32_t count;
	bool open; /* The last one may still grow. */
};

static void close_run(struct runs *runs)
{
	/* A run of required nodes alone: its entry is reused. */
	if (runs->open && runs->run[runs->count].nodes)
		runs->count++;
	runs->open = false;
}

static struct sel_run *open_run(struct runs *runs)
{
	if (!runs->open) {
		memset(&runs->run[runs->count], 0, sizeof(*runs->run));
		runs->run[runs->count].required = UINT32_MAX;
		runs->run[runs->count].weight = UINT64_MAX;
		runs->open = true;
	}
	return &runs->run[runs->count];
}

/* A node of another weight begins a run. In it required nodes count only if one that is not went before:
 * slurmctld has no weight of a run until then, and parts it once more at the first. */
static void part_run(struct runs *runs)
{
	struct sel_run *run = &runs->run[runs->count];
	if (!run->nodes) {
		run->required = UINT32_MAX;
		return;
	}
	runs->count++;
	runs->open = false;
	open_run(runs)->weight = 0;
}

/* Usable nodes, not yet the job's, as runs. The nodes that are left are the required ones. */
static void make_runs(struct sel_need *need, struct runs *runs)
{
	struct sel_test *t = need->t;
	struct select *s = t->s;
	*runs = (struct runs){ .run = s->run };
	for (uint32_t n = 0; n < s->node_count; n++) {
		if (!bit_test(t->nodes, n)) {
			close_run(runs);
			if (n % 64 == 0 && !t->nodes[n / 64])
				n += 63;
			continue;
		}
		const bool required = t->required && bit_test(t->required, n);
		const int64_t cpus = required || t->given ? s->usable[n] : sel_cores(t, n);
		if (!required) {
			bit_clear(t->nodes, n);
			s->usable[n] = cpus;
		}
		if (!cpus) {
			close_run(runs);
			continue;
		}
		const uint64_t weight = s->avail[n].weight;
		if (runs->open && !t->q->contiguous && runs->run[runs->count].weight != UINT64_MAX &&
			runs->run[runs->count].weight != weight)
			part_run(runs);
		struct sel_run *run = open_run(runs);
		if (!run->nodes)
			run->from = n;
		run->to = n;
		if (required) {
			if (run->required == UINT32_MAX)
				run->required = n;
			continue;
		}
		run->cpus += cpus;
		run->nodes++;
		run->weight = weight;
		if (need->per_job)
			sel_gres_count(t, n, run->gres);
	}
	close_run(runs);
}

static bool run_suffices(const struct sel_need *need, const struct sel_run *run)
{
	return run->cpus >= need->cpus && sel_enough_nodes(need->t, run->nodes, need->nodes) &&
	       (!need->per_job || sel_gres_in(need->t, run->gres));
}

/* All runs with required nodes but the first one are of no use to a contiguous job. */
static bool other_required(const struct runs *runs, uint32_t after)
{
	for (uint32_t j = after + 1; j < runs->count; j++)
		if (runs->run[j].required != UINT32_MAX)
			return true;
	return false;
}

/* The best run as slurmctld finds it, in one pass: the order matters. UINT32_MAX: none. */
static uint32_t best_run(const struct sel_need *need, const struct runs *runs, bool *suffices)
{
	const struct sel_request *q = need->t->q;
	uint32_t best = UINT32_MAX;
	*suffices = false;
	for (uint32_t i = 0; i < runs->count; i++) {
		const struct sel_run *run = &runs->run[i];
		if (!run->nodes || (q->contiguous && need->t->required && run->required == UINT32_MAX))
			continue;
		const bool enough = run_suffices(need, run);
		const struct sel_run *old = best == UINT32_MAX ? NULL : &runs->run[best];
		bool better = !old || (old->required == UINT32_MAX && run->required != UINT32_MAX) ||
			      run->weight < old->weight;
		if (!better && run->weight == old->weight)
			better = enough ? !*suffices || run->cpus < old->cpus : run->cpus > old->cpus;
		if (!better && !*suffices && q->contiguous && enough)
			better = true;
		if (better) {
			best = i;
			*suffices = enough;
		}
		if (q->contiguous && need->t->required && other_required(runs, i))
			return UINT32_MAX;
	}
	return best;
}

static bool full(const struct sel_need *need) { return need->nodes_most == 0 || sel_need_met(need); }

static void take_from_run(struct sel_need *need, uint32_t node)
{
	struct sel_test *t = need->t;
	if (bit_test(t->nodes, node) || t->s->usable[node] <= 0)
		return;
	if (sel_need_take(need, node, t->s->usable[node]))
		bit_set(t->nodes, node);
}

/* The one node with the fewest cpus that are enough; the others of its run are not wanted then. */
static void best_node(struct sel_need *need, const struct sel_run *run)
{
	struct select *s = need->t->s;
	uint32_t best = UINT32_MAX;
	for (uint32_t n = run->from; n <= run->to; n++) {
		if (bit_test(need->t->nodes, n) || s->usable[n] <= 0 || s->usable[n] < need->cpus)
			continue;
		int64_t gres[SEL_GRES] = { 0 };
		sel_gres_count(need->t, n, gres);
		if (need->per_job && !sel_gres_in(need->t, gres))
			continue;
		if (best == UINT32_MAX || s->usable[n] < s->usable[best])
			best = n;
		if (s->usable[best] == need->cpus)
			break;
	}
	for (uint32_t n = run->from; best != UINT32_MAX && n <= run->to; n++)
		if (n != best)
			s->usable[n] = 0;
}

static void take_run(struct sel_need *need, const struct sel_run *run)
{
	if (run->required != UINT32_MAX) {
		for (uint32_t n = run->required; n <= run->to && !full(need); n++)
			take_from_run(need, n);
		for (uint32_t n = run->required; n-- > run->from && !full(need);)
			take_from_run(need, n);
		return;
	}
	if (need->nodes <= 1)
		best_node(need, run);
	for (uint32_t n = run->from; n <= run->to && !full(need); n++) {
		/* The last node that it may have has to be enough. */
		if (need->nodes_most == 1 && need->t->s->usable[n] < need->cpus)
			continue;
		take_from_run(need, n);
	}
}

static bool eval_consecutive(struct sel_test *t)
{
	struct sel_need need;
	struct runs runs;
	sel_need_begin(&need, t);
	if (!t->given)
		memset(t->s->usable, 0, t->s->node_count * sizeof(*t->s->usable));
	const int required = take_required(&need);
	if (required)
		return required > 0;
	make_runs(&need, &runs);
	while (runs.count && need.nodes_most > 0) {
		bool suffices;
		const uint32_t best = best_run(&need, &runs, &suffices);
		if (best == UINT32_MAX || (t->q->contiguous && !suffices))
			break;
		take_run(&need, &runs.run[best]);
		if (sel_need_met(&need))
			return true;
		runs.run[best].cpus = runs.run[best].nodes = 0;
	}
	return need.cpus <= 0 && sel_gres_enough(t) && sel_enough_nodes(t, 0, need.nodes);
}

/* ---- The one node ----------------------------------------------------------------------- */

bool sel_wants_one(const struct sel_test *t)
{
	return t->s->version >= SEL_26_05 && t->nodes_max == 1 && !t->q->contiguous && !t->required;
}

/* Whether it is enough by itself. */
static bool suffices_alone(const struct sel_need *need, uint32_t n)
{
	struct select *s = need->t->s;
	int64_t gres[SEL_GRES] = { 0 };
	if (!need->t->given)
		s->usable[n] = sel_cores(need->t, n);
	if (s->usable[n] <= 0 || s->usable[n] < need->cpus)
		return false;
	sel_gres_count(need->t, n, gres);
	return !need->per_job || sel_gres_in(need->t, gres);
}

/* The first of the least weight that is enough. */
static bool eval_one(struct sel_test *t)
{
	struct select *s = t->s;
	struct sel_need need;
	uint32_t best = UINT32_MAX;
	sel_need_begin(&need, t);
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1))
		if ((best == UINT32_MAX || s->avail[n].weight < s->avail[best].weight) &&
			suffices_alone(&need, n))
			best = n;
	memset(t->nodes, 0, s->words * sizeof(*t->nodes));
	if (best == UINT32_MAX)
		return false;
	if (!sel_need_take(&need, best, s->usable[best]))
		return false;
	bit_set(t->nodes, best);
	return sel_need_met(&need);
}

bool sel_choose_given(struct sel_test *t)
{
	t->given = true;
	const bool chosen = sel_wants_one(t) ? eval_one(t) : eval_consecutive(t);
	t->given = false;
	return chosen;
}

/* ---- One after another --------------------------------------------------------------- */

enum order { ORDER_SPREAD, ORDER_BUSY, ORDER_LEAST_LOADED, ORDER_LAST_FIRST };

/* In: nodes in set[0] are candidates; t->nodes are the job's. The next to try; UINT32_MAX: no more of this
 * weight. */
static uint32_t least_loaded(struct sel_need *need, const uint64_t *open, uint64_t weight, int64_t *cpus)
{
	struct sel_test *t = need->t;
	struct select *s = t->s;
	uint32_t best = UINT32_MAX;
	for (uint32_t n = bits_next(open, s->words, 0); n != UINT32_MAX;
		n = bits_next(open, s->words, n + 1)) {
		if (s->avail[n].weight != weight || bit_test(t->nodes, n))
			continue;
		const int64_t here =
			sel_cpus_to_use(t, n, sel_cores(t, n), need->cpus_most, need->nodes_least);
		if (!here)
			continue;
		/* The greatest part of its cpus free, without a division. */
		if (best == UINT32_MAX || s->avail[best].cpus_max * shape_of(s, n)->cpus <
						  s->avail[n].cpus_max * shape_of(s, best)->cpus) {
			best = n;
			*cpus = here;
		}
	}
	return best;
}

static bool one_by_one_weight(struct sel_need *need, enum order order, uint64_t *open, uint64_t weight)
{
	struct sel_test *t = need->t;
	struct select *s = t->s;
	for (int idle = 0; idle < (order == ORDER_BUSY ? 2 : 1); idle++)
		for (uint32_t i = 0; i < s->node_count; i++) {
			uint32_t n = order == ORDER_LAST_FIRST ? s->node_count - 1 - i : i;
			int64_t cpus = 0;
			if (full(need))
				return true;
			if (order == ORDER_LEAST_LOADED) {
				n = least_loaded(need, open, weight, &cpus);
				if (n == UINT32_MAX)
					return false;
			} else if (!bit_test(open, n) || bit_test(t->nodes, n) ||
				   s->avail[n].weight != weight || !s->avail[n].cpus ||
				   (order == ORDER_BUSY && (s->node[n].jobs == 0) != (idle == 1))) {
				continue;
			} else {
				cpus = sel_cores(t, n);
				if (!cpus)
					continue;
			}
			if (sel_need_take(need, n, cpus))
				bit_set(t->nodes, n);
			else
				bit_clear(open, n);
		}
	return full(need);
}

/* The least weight beyond this one. */
static uint64_t next_weight(const struct select *s, const uint64_t *open, uint64_t after, bool first)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t n = bits_next(open, s->words, 0); n != UINT32_MAX; n = bits_next(open, s->words, n + 1))
		if ((first || s->avail[n].weight > after) && s->avail[n].weight < next)
			next = s->avail[n].weight;
	return next;
}

static bool eval_one_by_one(struct sel_test *t, enum order order)
{
	struct select *s = t->s;
	struct sel_need need;
	sel_need_begin(&need, t);
	if (t->q->tasks)
		need.nodes_most = min64(need.nodes_most, t->q->tasks);
	uint64_t *open = s->set[0];
	memcpy(open, t->nodes, s->words * sizeof(*open));
	const int required = take_required(&need);
	if (required)
		return required > 0;
	if (t->required)
		memcpy(t->nodes, t->required, s->words * sizeof(*open));
	else
		memset(t->nodes, 0, s->words * sizeof(*open));
	bool first = true;
	for (uint64_t weight = 0; (weight = next_weight(s, open, weight, first)) != UINT64_MAX; first = false)
		if (one_by_one_weight(&need, order, open, weight))
			break;
	return need.cpus <= 0 && need.nodes_least <= 0 && sel_gres_enough(t);
}

/* ---- Which of them ------------------------------------------------------------------------ */

/* Some candidate is in a block or ring; a tree is looked at in any case (topology_p_eval_nodes()). */
static bool meets_topology(const struct sel_test *t)
{
	const struct select *s = t->s;
	const struct sel_topology *topo = sel_topology_of(s, t->q->partition);
	if (topo->kind == SEL_RING && s->version < SEL_26_05)
		return false;
	for (uint32_t i = 0; i < topo->count && topo->kind != SEL_TREE; i++)
		for (size_t w = 0; w < s->words; w++)
			if (topo->nodes[i][w] & t->nodes[w])
				return true;
	return topo->count && topo->kind == SEL_TREE;
}

static bool eval_topology(struct sel_test *t)
{
	switch (sel_topology_of(t->s, t->q->partition)->kind) {
	case SEL_BLOCK:
		return sel_eval_block(t);
	case SEL_RING:
		return sel_eval_ring(t);
	case SEL_TREE:
	case SEL_FLAT:
		break;
	}
	return sel_eval_tree(t);
}

static bool eval(struct sel_test *t)
{
	const struct select *s = t->s;
	const struct sel_request *q = t->q;
	if (bits_count(t->nodes, s->words) < t->nodes_min)
		return false;
	if (t->required && !bits_within(t->required, t->nodes, s->words))
		return false;
	if (q->spread)
		return eval_one_by_one(t, ORDER_SPREAD);
	if (t->mode == SELECT_LATER && s->busy_nodes && !q->contiguous)
		return eval_one_by_one(t, ORDER_BUSY);
	if (s->cr_lln || s->partition[q->partition].least_loaded)
		return eval_one_by_one(t, ORDER_LEAST_LOADED);
	if (s->pack_serial && t->cpus_min == 1 && t->nodes_want == 1)
		return eval_one_by_one(t, ORDER_LAST_FIRST);
	if (sel_wants_one(t))
		return eval_one(t);
	if (!q->contiguous && (!s->topo_optional || q->switches > 0) && meets_topology(t))
		return eval_topology(t);
	return eval_consecutive(t);
}

/* The nodes that have least no longer count: from 24.11 on one at a time, as what is used of the others is
 * looked at in between. False: none has so little. */
static bool leave_least(struct sel_test *t, uint64_t *all, int64_t *left, int64_t *count)
{
	const struct select *s = t->s;
	bool changed = false;
	for (uint32_t n = bits_next(all, s->words, 0); n != UINT32_MAX && *left > t->nodes_min;
		n = bits_next(all, s->words, n + 1)) {
		if (s->avail[n].resources > *count || (t->required && bit_test(t->required, n)))
			continue;
		if (!changed && s->version >= SEL_24_11)
			(*count)--;
		bit_clear(all, n);
		changed = true;
		(*left)--;
	}
	return changed;
}

/* A request for which only the cores local to its devices were too few, or which could do with fewer nodes.
 */
static bool retry(struct sel_test *t, uint64_t *all, size_t map_bytes)
{
	struct select *s = t->s;
	int64_t left = bits_count(all, s->words), most = 0;
	t->first_pass = false;
	memcpy(t->nodes, all, s->words * sizeof(*all));
	memcpy(s->map, s->map_copy, map_bytes);
	if (left <= t->nodes_min)
		return eval(t);
	for (uint32_t n = bits_next(all, s->words, 0); n != UINT32_MAX; n = bits_next(all, s->words, n + 1))
		most = max64(most, s->avail[n].resources);
	for (int64_t count = 1; count < most; count++) {
		if (!leave_least(t, all, &left, &count) && count != 1)
			continue;
		memcpy(t->nodes, all, s->words * sizeof(*all));
		memcpy(s->map, s->map_copy, map_bytes);
		if (eval(t))
			return true;
		if (left <= t->nodes_min)
			return false;
	}
	return false;
}

/* After gres removed cores: no more cpus than cores are left. */
void sel_trim_to_cores(struct sel_test *t)
{
	struct select *s = t->s;
	for (uint32_t n = bits_next(t->nodes, s->words, 0); n != UINT32_MAX;
		n = bits_next(t->nodes, s->words, n + 1))
		s->avail[n].cpus = min64(s->avail[n].cpus,
			bits_count(map_of(s, n), shape_of(s, n)->words) * shape_of(s, n)->threads);
}

/* No more nodes than tasks; from 24.05 on not if it is said how many tasks a node has. The tries with fewer
 * nodes of 24.05 to 25.11 may have more. */
void sel_bound_by_tasks(struct sel_test *t)
{
	const struct sel_request *q = t->q;
	if (q->tasks && t->nodes_max > q->tasks && !(t->s->version >= SEL_24_05 && q->tasks_per_node))
		t->nodes_max = max64(q->tasks, t->nodes_min);
}

bool sel_choose(struct sel_test *t)
{
	struct select *s = t->s;
	uint64_t *all = s->set[1];
	const size_t map_bytes = s->core_words * sizeof(*s->map);
	const int64_t nodes_max = t->nodes_max;
	sel_bound_by_tasks(t);
	memcpy(all, t->nodes, s->words * sizeof(*all));
	memcpy(s->map_copy, s->map, map_bytes);
	t->first_pass = true;
	bool chosen = eval(t);
	if (!chosen) {
		if (s->version >= SEL_24_05 && s->version < SEL_26_05)
			t->nodes_max = nodes_max;
		chosen = retry(t, all, map_bytes);
	}
	if (!chosen)
		return false;
	if (t->q->gres_count)
		sel_trim_to_cores(t);
	return true;
}
