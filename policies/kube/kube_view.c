/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_view.c - for pods of a sort, which nodes would take one more, and what these score.
 *
 * A pod to which no other pods matter finds the same nodes as the
 * last of its sort, but for those that changed since. A view keeps them as bits in the order of visiting; all
 * changes of nodes are in a log, from which a view catches up before it is asked. Searching is then a walk
 * over bits, and a pod that fits nowhere fails without one. Views are kept for as many sorts as memory
 * allows; more take turns. What comes of it is what the search over all nodes would have come to.
 */
#include "policies/kube/kube.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sorts ------------------------------------------------------------------------------------- */

static uint64_t hash_labels(uint64_t hash, const struct sl_labels *labels)
{
	for (uint32_t i = 0; i < labels->count; i++)
		hash = sl_hash_text(sl_hash_text(hash, labels->at[i].key), labels->at[i].value);
	return sl_hash(hash, labels->count);
}

static bool same_labels(const struct sl_labels *a, const struct sl_labels *b)
{
	bool same = a->count == b->count;
	for (uint32_t i = 0; same && i < a->count; i++)
		same = strcmp(a->at[i].key, b->at[i].key) == 0 && strcmp(a->at[i].value, b->at[i].value) == 0;
	return same;
}

static bool same_exprs(const struct sl_label_expr *a, const struct sl_label_expr *b, uint32_t count)
{
	bool same = true;
	for (uint32_t i = 0; same && i < count; i++) {
		same = a[i].op == b[i].op && a[i].count == b[i].count && strcmp(a[i].key, b[i].key) == 0;
		for (uint32_t at = 0; same && at < a[i].count; at++)
			same = strcmp(a[i].value[at], b[i].value[at]) == 0;
	}
	return same;
}

static bool same_required(const struct sl_podset *a, const struct sl_podset *b)
{
	bool same = a->required_count == b->required_count;
	for (uint32_t i = 0; same && i < a->required_count; i++) {
		const struct sl_label_term *x = &a->required[i], *y = &b->required[i];
		same = x->count == y->count && x->field_count == y->field_count &&
		       same_exprs(x->expr, y->expr, x->count) &&
		       same_exprs(x->field, y->field, x->field_count);
	}
	return same;
}

static bool same_tolerations(const struct sl_tolerations *a, const struct sl_tolerations *b)
{
	bool same = a->count == b->count;
	for (uint32_t i = 0; same && i < a->count; i++) {
		const struct sl_toleration *x = &a->at[i], *y = &b->at[i];
		same = x->exists == y->exists && x->effect == y->effect && strcmp(x->key, y->key) == 0 &&
		       strcmp(x->value, y->value) == 0;
	}
	return same;
}

static bool same_sort(const struct kube_spec *a, const struct kube_spec *b)
{
	return a->profile == b->profile && a->gpu_types == b->gpu_types && a->plain == b->plain &&
	       memcmp(a->request, b->request, sizeof(a->request)) == 0 &&
	       same_labels(&a->podset->node_selector, &b->podset->node_selector) &&
	       same_labels(&a->assignment, &b->assignment) && same_required(a->podset, b->podset) &&
	       same_tolerations(&a->podset->tolerations, &b->podset->tolerations) &&
	       same_tolerations(&a->assignment_tolerations, &b->assignment_tolerations);
}

uint32_t kube_sort_of(struct kube *k, const struct kube_spec *spec)
{
	const struct sl_podset *podset = spec->podset;
	if (podset->spread_count || podset->pod_affinity_count || podset->port_count || podset->node ||
		spec->claims || spec->named)
		return KUBE_NO;
	uint64_t hash = sl_hash_bytes(spec->gpu_types, spec->request, sizeof(spec->request));
	hash = hash_labels(hash_labels(hash, &podset->node_selector), &spec->assignment);
	uint32_t i;
	SL_MAP_EACH(&k->sort_map, hash, i)
	if (same_sort(&k->spec[k->sort[i].spec], spec))
		return i;
	if (SL_GROW(k->sort, k->sort_capacity, k->sorts + 1, &k->err) ||
		sl_map_add(&k->sort_map, hash, (uint32_t)k->sorts, &k->err))
		return KUBE_NO;
	k->sort[k->sorts] = (struct kube_sort){ .spec = (uint32_t)k->specs };
	return (uint32_t)k->sorts++;
}

/* ---- Views ------------------------------------------------------------------------------------- */

enum { VIEWS_MAX = 4096, VIEWS_MIN = 16, BYTES_MAX = 64 << 20, WORD = 64 };

static size_t words_of(const struct kube *k) { return ((size_t)k->nodes + WORD - 1) / WORD; }

int kube_views_make(struct kube *k, struct sl_err *err)
{
	const size_t each = 2 * words_of(k) * sizeof(uint64_t) + (size_t)k->nodes * sizeof(int32_t) + 1;
	size_t views = BYTES_MAX / each;
	views = views < VIEWS_MIN ? VIEWS_MIN : views > VIEWS_MAX ? VIEWS_MAX : views;
	k->changes_kept = 1;
	while (k->changes_kept < 2 * (uint64_t)k->nodes)
		k->changes_kept *= 2;
	k->changed = sl_alloc(k->arena, k->changes_kept, sizeof(*k->changed));
	k->place = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*k->place));
	k->view = sl_alloc(k->arena, views, sizeof(*k->view));
	if (!k->changed || !k->place || !k->view)
		return sl_fail_memory(err);
	k->views = (uint32_t)views;
	for (uint32_t i = 0; i < k->views; i++)
		k->view[i].sort = KUBE_NO;
	for (uint32_t at = 0; at < k->nodes; at++)
		k->place[k->visit[at]] = at;
	for (uint32_t i = 0; i < k->nodes; i++)
		for (uint32_t at = 0; at < k->node[i].taints.count; at++)
			k->shunned |= k->node[i].taints.at[at].effect == SL_PREFER_NO_SCHEDULE;
	return SL_OK;
}

void kube_views_free(struct kube *k)
{
	for (uint32_t i = 0; i < k->views; i++) {
		free(k->view[i].open);
		free(k->view[i].takes);
		free(k->view[i].score);
	}
}

void kube_node_changed(struct kube *k, uint32_t node)
{
	k->changed[k->changes++ & (k->changes_kept - 1)] = node;
}

/* ---- Keeping up ------------------------------------------------------------------------------- */

static bool has_room(const struct kube *k, const struct kube_spec *spec, const struct kube_node *on)
{
	if (on->pods + 1 > on->pods_max)
		return false;
	for (uint32_t i = 0; i < k->resources; i++)
		if (spec->request[i] > 0 && spec->request[i] > on->alloc[i] - on->used[i])
			return false;
	return true;
}

static void look_again(
	const struct kube *k, struct kube_view *view, const struct kube_spec *spec, uint32_t node)
{
	const uint32_t at = k->place[node];
	const uint64_t bit = UINT64_C(1) << at % WORD;
	uint64_t *word = &view->takes[at / WORD];
	view->score[at] = -1;
	view->count -= (*word & bit) != 0;
	*word &= ~bit;
	if (!(view->open[at / WORD] & bit) || !has_room(k, spec, &k->node[node]))
		return;
	view->count++;
	*word |= bit;
}

static void look_at_each(const struct kube *k, struct kube_view *view)
{
	const struct kube_spec *spec = &k->spec[k->sort[view->sort].spec];
	memset(view->open, 0, words_of(k) * sizeof(*view->open));
	memset(view->takes, 0, words_of(k) * sizeof(*view->takes));
	view->count = view->refusals = 0;
	for (uint32_t i = 0; i < k->nodes; i++) {
		const enum kube_why why = kube_keeps_off(k, spec, KUBE_NO, i);
		const uint32_t at = k->place[i];
		view->refusals |= 1U << (why == KUBE_FITS ? KUBE_FIT : kube_plugin_of(why));
		view->open[at / WORD] |= (uint64_t)(why == KUBE_FITS) << at % WORD;
		look_again(k, view, spec, i);
	}
	view->states = k->states;
	view->changes = k->changes;
}

/* Another sort's turn. */
static struct kube_view *take_view(struct kube *k, uint32_t sort)
{
	struct kube_view *view = &k->view[k->view_next];
	if (!view->takes) {
		view->open = malloc((words_of(k) + 1) * sizeof(*view->open));
		view->takes = malloc((words_of(k) + 1) * sizeof(*view->takes));
		view->score = malloc(((size_t)k->nodes + 1) * sizeof(*view->score));
	}
	if (!view->open || !view->takes || !view->score) {
		(void)sl_fail_memory(&k->err);
		return NULL;
	}
	view->sort = sort;
	k->sort[sort].view = k->view_next;
	k->view_next = k->view_next + 1 == k->views ? 0 : k->view_next + 1;
	look_at_each(k, view);
	return view;
}

static void catch_up(struct kube *k, struct kube_view *view)
{
	const struct kube_spec *spec = &k->spec[k->sort[view->sort].spec];
	if (view->states != k->states || k->changes - view->changes >= k->nodes) {
		look_at_each(k, view);
		return;
	}
	for (uint64_t at = view->changes; at < k->changes; at++)
		look_again(k, view, spec, k->changed[at & (k->changes_kept - 1)]);
	view->changes = k->changes;
}

struct kube_view *kube_view_of(struct kube *k, uint32_t pod)
{
	const struct kube_pod *of = &k->pod[pod];
	const uint32_t sort = k->spec[of->spec].sort;
	if (sort == KUBE_NO || k->options.singly || k->options.afresh || k->scaler || k->watch ||
		k->placement || k->trying || k->pod_affinity_hard_pods || of->nominated != KUBE_NO ||
		of->must != KUBE_NO || !k->spec[of->spec].profile->filters[KUBE_FIT])
		return NULL;
	struct kube_view *view = &k->view[k->sort[sort].view];
	if (view->sort != sort)
		return take_view(k, sort);
	catch_up(k, view);
	return view;
}

/* ---- Asking ----------------------------------------------------------------------------------- */

/* The next one from a place on; k->nodes: none. */
static uint32_t next_of(const struct kube *k, const struct kube_view *view, uint32_t from)
{
	const size_t words = words_of(k);
	size_t at = from / WORD;
	if (from >= k->nodes)
		return k->nodes;
	uint64_t word = view->takes[at] & UINT64_MAX << from % WORD;
	while (!word && ++at < words)
		word = view->takes[at];
	return word ? (uint32_t)(at * WORD + (size_t)__builtin_ctzll(word)) : k->nodes;
}

/* Beside those that are nominated there as well. */
static bool takes_beside(struct kube *k, uint32_t pod, uint32_t node)
{
	const struct kube_cycle cycle = { .pod = pod, .nominees = true };
	return !k->node[node].nominees || kube_filter(k, &cycle, node) == KUBE_FITS;
}

bool kube_view_takes(struct kube *k, const struct kube_view *view, uint32_t pod, uint32_t node)
{
	const uint32_t at = k->place[node];
	return (view->takes[at / WORD] >> at % WORD & 1) && takes_beside(k, pod, node);
}

bool kube_view_any(struct kube *k, const struct kube_view *view, uint32_t pod)
{
	if (!k->nominees || !view->count)
		return view->count > 0;
	for (uint32_t at = next_of(k, view, 0); at < k->nodes; at = next_of(k, view, at + 1))
		if (takes_beside(k, pod, k->visit[at]))
			return true;
	return false;
}

/* Those of the places `from` to `until`, behind `count` that are in the list. Returns the place of the one
 * that is more than wanted; `until`: there is none. */
static uint32_t collect(struct kube *k, const struct kube_view *view, uint32_t pod, uint32_t from,
	uint32_t until, size_t *count, size_t wanted)
{
	for (uint32_t at = from; at < until; at = (at / WORD + 1) * WORD) {
		uint64_t word = view->takes[at / WORD] & UINT64_MAX << at % WORD;
		const uint32_t *node = &k->visit[at / WORD * WORD];
		for (; word; word &= word - 1) {
			const uint32_t bit = (uint32_t)__builtin_ctzll(word), place = at / WORD * WORD + bit;
			if (place >= until)
				return until;
			if (k->nominees && !takes_beside(k, pod, node[bit]))
				continue;
			if (*count == wanted)
				return place;
			k->feasible[(*count)++] = node[bit];
		}
	}
	return until;
}

size_t kube_view_search(struct kube *k, const struct kube_view *view, uint32_t pod, int64_t wanted)
{
	const uint32_t start = k->start;
	size_t count = 0;
	const uint32_t end = collect(k, view, pod, start, k->nodes, &count, (size_t)wanted);
	k->looked_at = end - start;
	k->start = end;
	if (end == k->nodes) {
		k->start = collect(k, view, pod, 0, start, &count, (size_t)wanted);
		k->looked_at += k->start;
	}
	return count;
}

/* On one node. */
static uint64_t room_on(const struct kube *k, const struct kube_spec *spec, const struct kube_node *on)
{
	uint64_t room = (uint64_t)(on->pods_max - on->pods);
	for (uint32_t i = 0; i < k->resources; i++) {
		if (spec->request[i] <= 0)
			continue;
		const uint64_t of = (uint64_t)((on->alloc[i] - on->used[i]) / spec->request[i]);
		room = of < room ? of : room;
	}
	return room;
}

uint64_t kube_view_room(const struct kube *k, const struct kube_view *view, uint64_t most)
{
	const struct kube_spec *spec = &k->spec[k->sort[view->sort].spec];
	uint64_t room = view->count; /* Each of them takes one. */
	for (uint32_t at = next_of(k, view, 0); at < k->nodes && room < most; at = next_of(k, view, at + 1))
		room += room_on(k, spec, &k->node[k->visit[at]]) - 1;
	return room < most ? room : most;
}

void kube_view_scores(struct kube *k, struct kube_view *view, const struct kube_spec *spec,
	const uint32_t *node, size_t count)
{
	if (view->cpu_fit != spec->cpu_fit || view->mem_fit != spec->mem_fit) {
		memset(view->score, -1, k->nodes * sizeof(*view->score));
		view->cpu_fit = spec->cpu_fit;
		view->mem_fit = spec->mem_fit;
	}
	for (size_t i = 0; i < count; i++) {
		int32_t *score = &view->score[k->place[node[i]]];
		if (*score < 0)
			*score = (int32_t)kube_simple_score(k, spec, &k->node[node[i]]);
		k->total[i] = *score;
	}
}
