/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_pick.c - which nodes a reservation by NodeCnt gets (slurmctld's _select_nodes() and select's
 * resv_test()).
 *
 * Sets of nodes are tried in order: those that no reservation has in its window; for MAINT and OVERLAP then
 * also reserved ones, for MAINT then also drained and down ones. Of each set nodes that no job runs on when
 * it starts are picked, the first by number; along topology switches, if there are any. With IGNORE_JOBS the
 * nodes of one running job after another are added until there are enough.
 *
 * By CoreCnt cores are picked that no job and no other such reservation has, of the first nodes by number.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl_node.h"
#include "policies/slurm/control/ctl_resv.h"

/* ---- Overlaps -------------------------------------------------------------------------------- */

/* Days, or hours, ahead that are tested for one that repeats. */
static int steps_of(unsigned flags) { return flags & RESV_HOURLY ? 7 * 24 : flags & RESV_DAILY ? 7 : 1; }

static int64_t step_of(unsigned flags) { return flags & RESV_HOURLY ? 60 * 60 : 24 * 60 * 60; }

/* _resv_time_overlap(): now or, of those that come each hour or day, within a week. */
static bool times_overlap(const struct ctl *c, const struct resv_want *want, const struct resv *r)
{
	ctl_time start;
	ctl_time end;
	resv_range(c, r, &start, &end);
	for (int i = 0; i < steps_of(want->flags); i++)
		for (int k = 0; k < steps_of(r->flags); k++) {
			const int64_t mine = i * step_of(want->flags);
			const int64_t its = k * step_of(r->flags);
			if (want->start + mine < end + its && want->end + mine > start + its)
				return true;
		}
	return false;
}

bool resv_overlaps(
	const struct ctl *c, const struct resv_want *want, const uint64_t *nodes, const struct resv *self)
{
	if (want->flags & (RESV_MAINT | RESV_OVERLAP) || !nodes)
		return false;
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r == self || r->deleted || !r->nodes || r->cores ||
			r->flags & (RESV_MAINT | RESV_OVERLAP))
			continue;
		if (nset_meets(r->nodes, nodes, c->resvs->words) && times_overlap(c, want, r))
			return true;
	}
	return false;
}

bool ctl_job_on(const struct ctl_job *job, const uint64_t *nodes)
{
	for (uint32_t i = 0; job->alloc && i < job->alloc->node_count; i++)
		if (nset_has(nodes, job->alloc->node_alloc[i].node))
			return true;
	return false;
}

bool resv_meets_jobs(
	const struct ctl *c, const struct resv_want *want, const uint64_t *nodes, const struct resv *self)
{
	const uint32_t row = self ? (uint32_t)(self - c->resvs->item) : CTL_NO_ROW;
	const ctl_time start = want->start + (want->flags & RESV_TIME_FLOAT ? c->now : 0);
	if (!nodes || want->flags & RESV_IGNORE_JOBS)
		return false;
	for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next) {
		const struct ctl_job *job = &c->job[j];
		if (job->state != CTL_SUSPENDED && job->end_limit > start && ctl_job_on(job, nodes) &&
			(row == CTL_NO_ROW || job->resv != row))
			return true;
	}
	return false;
}

/* ---- Of one set of nodes --------------------------------------------------------------------- */

/* So many of the set, in order of number. */
static bool ctl_resv_pick_first_of(uint64_t *set, size_t words, uint32_t want)
{
	uint32_t have = 0;
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW; n = nset_next(set, words, n + 1))
		if (have == want)
			nset_drop(set, n);
		else
			have++;
	return have == want;
}

static uint32_t switch_count_of(const struct sl_switch *sw, const uint64_t *set)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < sw->node_count; i++)
		count += nset_has(set, sw->node[i]);
	return count;
}

/* The lowest switch that has enough, of those of one level the one with the fewest. */
static const struct sl_switch *lowest_switch(
	const struct sl_cluster *cluster, const uint64_t *set, uint32_t want)
{
	const struct sl_switch *best = NULL;
	uint32_t best_count = 0;
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		const struct sl_switch *sw = &cluster->sw[i];
		const uint32_t count = switch_count_of(sw, set);
		if (count < want || (best && (sw->level > best->level ||
						     (sw->level == best->level && count >= best_count))))
			continue;
		best = sw;
		best_count = count;
	}
	return best;
}

/* The next leaf: the tightest that suffices, or the largest. */
static const struct sl_switch *best_leaf(const struct sl_cluster *cluster, const uint64_t *set, uint32_t want)
{
	const struct sl_switch *best = NULL;
	uint32_t most = 0;
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		const struct sl_switch *sw = &cluster->sw[i];
		const uint32_t count = sw->level ? 0 : switch_count_of(sw, set);
		const bool enough = count >= want;
		const bool enough_now = most >= want;
		if (!count || (best && !(enough ? !enough_now || count < most : !enough_now && count > most)))
			continue;
		best = sw;
		most = count;
	}
	return best;
}

/* Along switches: under the lowest that suffices, leaf by leaf. */
static bool by_switch(const struct sl_cluster *cluster, uint64_t *set, size_t words, uint32_t want)
{
	const struct sl_switch *top = lowest_switch(cluster, set, want);
	uint64_t *left = calloc(words, sizeof(*left));
	if (!top || !left) {
		free(left);
		return false;
	}
	for (uint32_t i = 0; i < top->node_count; i++)
		if (nset_has(set, top->node[i]))
			nset_add(left, top->node[i]);
	memset(set, 0, words * sizeof(*set));
	const struct sl_switch *leaf;
	while (want && (leaf = best_leaf(cluster, left, want)))
		for (uint32_t i = 0; i < leaf->node_count; i++) {
			if (!nset_has(left, leaf->node[i]))
				continue;
			nset_drop(left, leaf->node[i]);
			if (want) {
				nset_add(set, leaf->node[i]);
				want--;
			}
		}
	free(left);
	return !want;
}

static bool some_of(const struct ctl *c, uint64_t *set, uint32_t want)
{
	const size_t words = c->resvs->words;
	if (nset_count(set, words) < want)
		return false;
	return c->cluster->topology == SL_TOPOLOGY_TREE && c->cluster->switch_count && want
		       ? by_switch(c->cluster, set, words, want)
		       : ctl_resv_pick_first_of(set, words, want);
}

/* The job's nodes, where they are candidates, are idle, or not. */
static void job_nodes(const struct ctl_job *job, uint64_t *idle, bool in, const uint64_t *candidates)
{
	for (uint32_t i = 0; job->alloc && i < job->alloc->node_count; i++)
		if (nset_has(candidates, job->alloc->node_alloc[i].node))
			(in ? nset_add : nset_drop)(idle, job->alloc->node_alloc[i].node);
}

/* Of set, which is unchanged on failure. scratch: twice the words. */
static bool beside_jobs(
	const struct ctl *c, const struct resv_want *want, uint32_t count, uint64_t *set, uint64_t *scratch)
{
	const size_t words = c->resvs->words;
	uint64_t *idle = scratch;
	uint64_t *tried = scratch + words;
	memcpy(idle, set, words * sizeof(*set));
	for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next)
		if (c->job[j].end_limit >= want->start)
			job_nodes(&c->job[j], idle, false, set);
	memcpy(tried, idle, words * sizeof(*set));
	if (some_of(c, tried, count)) {
		memcpy(set, tried, words * sizeof(*set));
		return true;
	}
	for (uint32_t j = want->flags & RESV_IGNORE_JOBS ? c->running_first : CTL_NO_ROW; j != CTL_NO_ROW;
		j = c->job[j].next) {
		const struct ctl_job *job = &c->job[j];
		if (job->end_limit < want->start)
			continue;
		job_nodes(job, idle, true, set);
		memcpy(tried, idle, words * sizeof(*set));
		if (some_of(c, tried, count)) {
			memcpy(set, tried, words * sizeof(*set));
			return true;
		}
	}
	return false;
}

/* _pick_node_cnt(): so many of the set, or all that it has if that is fewer. */
static bool pick_of(
	const struct ctl *c, const struct resv_want *want, uint32_t count, uint64_t *set, uint64_t *scratch)
{
	const uint32_t total = nset_count(set, c->resvs->words);
	if (!total)
		return false;
	if (total <= count && want->flags & RESV_IGNORE_JOBS)
		return true;
	return beside_jobs(c, want, total < count ? total : count, set, scratch);
}

/* ---- Features -------------------------------------------------------------------------------- */

static bool has_feature(const struct sl_hardware *hardware, const char *name, size_t len)
{
	for (uint32_t i = 0; hardware && i < hardware->feature_count; i++)
		if (strncmp(hardware->feature[i], name, len) == 0 && !hardware->feature[i][len])
			return true;
	return false;
}

/* "a&b" all, "a|b" any. */
static bool features_fit(const struct sl_hardware *hardware, const char *features)
{
	const bool any = strchr(features, '|') != NULL;
	bool fits = !any;
	for (const char *p = features; *p;) {
		const size_t len = strcspn(p, "&|,");
		const bool has = has_feature(hardware, p, len);
		fits = any ? fits || has : fits && has;
		p += len + (p[len] != '\0');
	}
	return fits;
}

/* ---- All together ---------------------------------------------------------------------------- */

enum { FREE, AVAILABLE, ONLINE, ALL, SETS };

static void sets_make(
	const struct ctl *c, const struct resv_want *want, const uint64_t *from, uint64_t *set[SETS])
{
	const size_t words = c->resvs->words;
	const uint64_t *avail = ctl_nodes_avail(c);
	const uint64_t *up = ctl_nodes_up(c);
	for (size_t w = 0; w < words; w++) {
		set[ALL][w] = from[w];
		set[ONLINE][w] = from[w] & up[w];
		set[FREE][w] = set[AVAILABLE][w] = set[ONLINE][w] & avail[w];
	}
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted || !r->nodes || r->cores || !times_overlap(c, want, r))
			continue;
		for (size_t w = 0; w < words; w++)
			set[FREE][w] &= ~r->nodes[w];
	}
}

bool resv_pick(struct ctl *c, const struct resv_want *want, uint64_t *nodes)
{
	const size_t words = c->resvs->words;
	const int sets = want->flags & RESV_MAINT ? SETS : want->flags & RESV_OVERLAP ? ONLINE : AVAILABLE;
	uint64_t *block = calloc((SETS + 3) * words, sizeof(*block));
	uint64_t *set[SETS];
	uint32_t left = want->nodes;
	if (!block) {
		controller_no_memory(&c->engine);
		return false;
	}
	for (int i = 0; i < SETS; i++)
		set[i] = block + (size_t)i * words;
	uint64_t *taken = block + SETS * words;
	for (uint32_t n = 0; want->features && n < c->cluster->node_count; n++)
		if (!features_fit(c->cluster->type[c->cluster->node_type[n]].hardware, want->features))
			nset_drop(nodes, n);
	sets_make(c, want, nodes, set);
	for (int i = 0; i < sets && left; i++) {
		for (size_t w = 0; w < words; w++)
			set[i][w] &= ~taken[w];
		if (!pick_of(c, want, left, set[i], taken + words))
			continue;
		const uint32_t picked = nset_count(set[i], words);
		left -= picked < left ? picked : left;
		for (size_t w = 0; w < words; w++)
			taken[w] |= set[i][w];
	}
	memcpy(nodes, taken, words * sizeof(*nodes));
	const bool any = nset_count(taken, words) > 0;
	free(block);
	return any;
}

/* ---- By cores -------------------------------------------------------------------------------- */

/* One choice of resv_pick_cores. */
struct cores_pick {
	struct ctl *c;
	const struct resv_want *want;
	const uint64_t *busy; /* Cores that are not to be had, */
	const struct select_kept_gres *kept;
	uint32_t kept_count; /* and so many kinds of devices. */
	uint64_t *nodes;     /* Picked, */
	uint64_t *cores;     /* and of them; both are added to. */
	struct resv_parts *parts;
};

static bool core_free(const struct cores_pick *p, uint32_t node, uint32_t core)
{
	return !nset_has(p->busy + select_core_at(p->c->select, node), core);
}

static uint32_t cores_free(const struct cores_pick *p, uint32_t node, uint32_t below)
{
	const uint32_t all = select_core_count(p->c->select, node);
	uint32_t count = 0;
	for (uint32_t i = 0; i < all && i < below; i++)
		count += core_free(p, node, i);
	return count;
}

/* The first free ones of the node. */
static uint32_t cores_take(struct cores_pick *p, uint32_t node, uint32_t count)
{
	const uint32_t all = select_core_count(p->c->select, node);
	uint32_t taken = 0;
	for (uint32_t i = 0; i < all && taken < count; i++) {
		if (!core_free(p, node, i))
			continue;
		nset_add(p->cores + select_core_at(p->c->select, node), i);
		taken++;
	}
	if (taken)
		nset_add(p->nodes, node);
	return taken;
}

/* FIRST_CORES (_pick_first_cores()): each number on a node whose first so many cores are all free. */
static bool first_cores(struct cores_pick *p, const uint64_t *set)
{
	const size_t words = p->c->resvs->words;
	uint32_t i = 0;
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW && i < p->want->core_counts;
		n = nset_next(set, words, n + 1))
		if (cores_free(p, n, p->want->cores[i]) == p->want->cores[i])
			(void)cores_take(p, n, p->want->cores[i++]);
	return i == p->want->core_counts;
}

/* _sequential_pick() of several numbers: each on the next node that has as many. */
static bool cores_by_list(struct cores_pick *p, const uint64_t *set)
{
	const size_t words = p->c->resvs->words;
	uint32_t i = 0;
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW && i < p->want->core_counts;
		n = nset_next(set, words, n + 1))
		if (cores_free(p, n, UINT32_MAX) >= p->want->cores[i])
			(void)cores_take(p, n, p->want->cores[i++]);
	return i == p->want->core_counts;
}

/* Of one number and so many nodes: as many of each, what is left over of the first that has it. */
static bool cores_by_node(struct cores_pick *p, const uint64_t *set, uint32_t nodes)
{
	const size_t words = p->c->resvs->words;
	const uint32_t all = p->want->cores[0];
	const uint32_t each = all / nodes ? all / nodes : 1;
	uint32_t more = all > each * nodes ? all - each * nodes : 0;
	uint32_t left = nodes;
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW && left;
		n = nset_next(set, words, n + 1)) {
		const uint32_t free = cores_free(p, n, UINT32_MAX);
		if (free < each)
			continue;
		const uint32_t here = each + more < free ? each + more : free;
		more -= here - each;
		(void)cores_take(p, n, here);
		left--;
	}
	return !left;
}

/* Of one number alone: node after node, all that each has. */
static bool cores_anywhere(struct cores_pick *p, const uint64_t *set)
{
	const size_t words = p->c->resvs->words;
	uint32_t left = p->want->cores[0];
	for (uint32_t n = nset_next(set, words, 0); n != CTL_NO_ROW && left; n = nset_next(set, words, n + 1))
		left -= cores_take(p, n, left);
	return !left;
}

static bool in_order(struct cores_pick *p, const uint64_t *set, uint32_t nodes)
{
	if (p->want->flags & RESV_FIRST_CORES)
		return first_cores(p, set);
	if (p->want->core_counts > 1 || nodes == 1)
		return cores_by_list(p, set);
	return nodes ? cores_by_node(p, set, nodes) : cores_anywhere(p, set);
}

/* From 23.11 on a reservation is placed as a job would be, bound to its devices: so many tasks, one on a core
 * (job_mgr_copy_resv_desc_to_job_record()). Without a number of cores: one a node at least. */
static struct sl_job_desc job_of(const struct resv_want *want, uint32_t nodes)
{
	struct sl_job_desc desc;
	const int64_t cores = want->core_counts ? want->cores[0] : SL_NONE;
	sl_job_desc_clear(&desc);
	desc.tasks_per_core = desc.threads_per_core = 1;
	if (nodes)
		desc.nodes_min = desc.nodes_max = nodes;
	desc.tasks = want->per_node && cores != SL_NONE && nodes ? cores * nodes : cores;
	if (want->per_node)
		desc.tasks_per_node = desc.cpus_min = cores != SL_NONE && nodes ? cores : 1;
	desc.gpus = want->gpus;
	desc.gres = want->gres;
	desc.gres_flags = want->gpus || want->gres ? "enforce-binding" : NULL;
	return desc;
}

/* Busy cores, and devices of others. */
static void keep_busy(const struct cores_pick *p)
{
	select_keep_cores(p->c->select, p->busy);
	select_keep_gres(p->c->select, p->kept, p->kept_count);
}

static void take_parts(struct cores_pick *p, const struct select_job *job, const struct select_alloc *out)
{
	const struct select *select = p->c->select;
	for (uint32_t i = 0; i < out->node_count; i++) {
		const struct select_node_alloc *a = &out->node_alloc[i];
		const uint32_t at = select_core_at(select, a->node);
		nset_add(p->nodes, a->node);
		for (uint32_t w = 0; w * 64 < select_core_count(select, a->node); w++)
			p->cores[at + w] |= a->cores[w];
	}
	p->parts->gres_count = select_kept_of(p->c->select, job, out, p->parts->gres, SELECT_GRES_KINDS);
}

static bool as_a_job(struct cores_pick *p, const uint64_t *set, bool listed)
{
	struct ctl *c = p->c;
	const struct sl_job_desc desc =
		job_of(p->want, listed ? nset_count(set, c->resvs->words) : p->want->nodes);
	const struct select_job job = { .desc = &desc, .partition = c->part_default, .user = -1 };
	const struct select_alloc *out = NULL;
	const uint32_t mark = select_mark(c->select);
	keep_busy(p);
	enum select_answer answer = select_place(c->select, &job, set, SELECT_NOW, &out);
	if (answer == SELECT_BUSY) {
		for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next)
			if (c->job[j].alloc)
				select_give(c->select, c->job[j].alloc);
		answer = select_place(c->select, &job, set, SELECT_LATER, &out);
	}
	if (answer == SELECT_FITS)
		take_parts(p, &job, out);
	select_keep_cores(c->select, NULL);
	select_undo(c->select, mark);
	return answer == SELECT_FITS;
}

/* Cores of jobs that run beyond its start, and those that no job gets (_check_job_compatibility()). */
static void busy_of(const struct ctl *c, const struct resv_want *want, uint64_t *busy)
{
	select_add_spec(c->select, busy);
	for (uint32_t j = want->flags & RESV_IGNORE_JOBS ? CTL_NO_ROW : c->running_first; j != CTL_NO_ROW;
		j = c->job[j].next) {
		const struct select_alloc *alloc = c->job[j].end_limit < want->start ? NULL : c->job[j].alloc;
		for (uint32_t i = 0; alloc && i < alloc->node_count; i++) {
			const struct select_node_alloc *a = &alloc->node_alloc[i];
			const uint32_t at = select_core_at(c->select, a->node);
			for (uint32_t w = 0; w * 64 < select_core_count(c->select, a->node); w++)
				busy[at + w] |= a->cores[w];
		}
	}
}

/* And those of other reservations by CoreCnt at that time (_filter_resv()). */
static void busy_reserved(const struct ctl *c, const struct resv_want *want, uint64_t *busy)
{
	const size_t words = select_core_words(c->select);
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		for (size_t w = 0; !r->deleted && r->cores && times_overlap(c, want, r) && w < words; w++)
			busy[w] |= r->cores[w];
	}
}

static bool cores_of_set(struct cores_pick *p, const uint64_t *set, uint32_t nodes, bool listed)
{
	const size_t words = p->c->resvs->words;
	const size_t core_words = select_core_words(p->c->select);
	uint64_t *before = calloc(words + core_words, sizeof(*before));
	if (!before) {
		controller_no_memory(&p->c->engine);
		return false;
	}
	memcpy(before, p->nodes, words * sizeof(*before));
	memcpy(before + words, p->cores, core_words * sizeof(*before));
	const bool done =
		p->c->params.version >= CTL_23_11 ? as_a_job(p, set, listed) : in_order(p, set, nodes);
	if (!done) {
		memcpy(p->nodes, before, words * sizeof(*before));
		memcpy(p->cores, before + words, core_words * sizeof(*before));
	}
	free(before);
	return done;
}

/* Of a number of GRES alone: nodes of jobs that run beyond its start are not to be had; with IGNORE_JOBS they
 * come back job by job (_pick_node_cnt()). */
static bool gres_of_set(struct cores_pick *p, const uint64_t *set, uint32_t nodes, bool listed)
{
	const struct ctl *c = p->c;
	uint64_t *left = calloc(c->resvs->words, sizeof(*left));
	if (!left) {
		controller_no_memory(&p->c->engine);
		return false;
	}
	memcpy(left, set, c->resvs->words * sizeof(*left));
	for (uint32_t j = c->running_first; j != CTL_NO_ROW; j = c->job[j].next)
		if (c->job[j].end_limit >= p->want->start)
			job_nodes(&c->job[j], left, false, set);
	bool done = nset_count(left, c->resvs->words) >= nodes && cores_of_set(p, left, nodes, listed);
	const bool again = !done && p->want->flags & RESV_IGNORE_JOBS;
	for (uint32_t j = again ? c->running_first : CTL_NO_ROW; j != CTL_NO_ROW && !done;
		j = c->job[j].next) {
		if (c->job[j].end_limit < p->want->start)
			continue;
		job_nodes(&c->job[j], left, true, set);
		done = nset_count(left, c->resvs->words) >= nodes && cores_of_set(p, left, nodes, listed);
	}
	free(left);
	return done;
}

/* Devices of other reservations at that time: how many kinds, into the arena. */
static uint32_t gres_reserved(struct ctl *c, const struct resv_want *want, struct select_kept_gres **kept)
{
	uint32_t count = 0, capacity = 0;
	*kept = NULL;
	for (uint32_t i = 0; i < c->resvs->count; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted || !r->gres_count || !times_overlap(c, want, r))
			continue;
		if (SL_GROW_IN(c->arena, *kept, capacity, count + r->gres_count, NULL)) {
			controller_no_memory(&c->engine);
			return 0;
		}
		memcpy(*kept + count, r->gres, r->gres_count * sizeof(**kept));
		count += r->gres_count;
	}
	return count;
}

/* What of the cores and devices of a set of nodes is not to be had. */
struct cores_busy {
	uint64_t *jobs, *beside; /* Cores: of jobs; and of other reservations. */
	struct select_kept_gres *gres;
	uint32_t gres_count;
};

static bool pick_round(struct ctl *c, const struct resv_want *want, bool listed, struct resv_parts *parts,
	const struct cores_busy *busy, uint64_t *const set[SETS], uint64_t *taken, bool first)
{
	const size_t words = c->resvs->words;
	const int sets = want->flags & RESV_MAINT ? SETS : want->flags & RESV_OVERLAP ? ONLINE : AVAILABLE;
	bool picked = false;
	for (int i = 0; i < sets && !picked; i++) {
		struct cores_pick pick = { c, want, i == FREE ? busy->beside : busy->jobs, busy->gres,
			i == FREE ? busy->gres_count : 0, taken, parts->cores, parts };
		for (size_t w = 0; w < words; w++)
			set[i][w] &= ~taken[w];
		const uint32_t have = nset_count(set[i], words);
		const uint32_t count = !first ? 0 : want->nodes < have ? want->nodes : have;
		if (have)
			picked = want->core_counts ? cores_of_set(&pick, set[i], count, listed)
						   : gres_of_set(&pick, set[i], count, listed);
	}
	return picked;
}

/* 22.05 chooses once for each number, and each time for all of them, on nodes not taken yet: a list without
 * Nodes= gets more than it asks for where there are nodes (_pick_nodes_ordered()). */
bool resv_pick_cores(struct ctl *c, const struct resv_want *want, bool listed, struct resv_parts *parts)
{
	const size_t words = c->resvs->words;
	const size_t core_words = select_core_words(c->select);
	uint64_t *block = calloc((SETS + 1) * words + 2 * core_words, sizeof(*block));
	uint64_t *set[SETS];
	bool done = false;
	if (!block) {
		controller_no_memory(&c->engine);
		return false;
	}
	for (int i = 0; i < SETS; i++)
		set[i] = block + (size_t)i * words;
	uint64_t *taken = block + SETS * words;
	struct cores_busy busy = { .jobs = taken + words, .beside = taken + words + core_words };
	for (uint32_t n = 0; want->features && n < c->cluster->node_count; n++)
		if (!features_fit(c->cluster->type[c->cluster->node_type[n]].hardware, want->features))
			nset_drop(parts->nodes, n);
	sets_make(c, want, parts->nodes, set);
	busy.gres_count = gres_reserved(c, want, &busy.gres);
	if (want->core_counts) {
		busy_of(c, want, busy.jobs);
		memcpy(busy.beside, busy.jobs, core_words * sizeof(*busy.jobs));
		busy_reserved(c, want, busy.beside);
	}
	const uint32_t rounds = c->params.version >= CTL_23_11 ? 1 : want->core_counts;
	for (uint32_t round = 0; round < rounds; round++)
		done = pick_round(c, want, listed, parts, &busy, set, taken, !round) || done;
	memcpy(parts->nodes, taken, words * sizeof(*taken));
	free(block);
	return done;
}
