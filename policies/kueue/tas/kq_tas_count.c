/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_count.c - how many pods each domain would hold (KEP-2724, first phase of the algorithm;
 * TASFlavorSnapshot.fillInCounts).
 *
 * Counts are kept, by the shape of the request: a view. A view that is needed again is brought up to date
 * from the rows that changed between the usage that it knows and the present one; the root's path of each is
 * added up anew.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <stdlib.h>
#include <string.h>

enum { VIEWS_MAX = 32 };

struct kq_view {
	uint64_t hash, used_at, epoch;
	uint32_t stamp;
	unsigned char *text; /* The request, in full. */
	size_t text_size;
	bool ready;
	bool *fits; /* By leaf: taints, selectors and affinity let the pods there. */
	struct kq_found *found;
};

void kq_view_free(struct kq_view *view)
{
	if (!view)
		return;
	free(view->text);
	free(view->fits);
	free(view->found);
	free(view);
}

void kq_views_release(struct kq_tree *tree)
{
	for (uint32_t i = 0; i < tree->view_count; i++)
		kq_view_free(tree->view[i]);
	free(tree->view);
}

/* ---- What is requested, as bytes ---------------------------------------------------------------- */

static void kq_tas_count_put(struct kq *kq, const void *bytes, size_t size)
{
	struct kq_tas *tas = kq->tas;
	if (SL_GROW(tas->text, tas->text_capacity, tas->text_size + size, &kq->err))
		return;
	if (size)
		memcpy(tas->text + tas->text_size, bytes, size);
	tas->text_size += size;
}

static void put_int(struct kq *kq, int64_t value) { kq_tas_count_put(kq, &value, sizeof(value)); }

static void kq_tas_count_put_text(struct kq *kq, const char *text)
{
	kq_tas_count_put(kq, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void put_amounts(struct kq *kq, const struct kq_amounts *amounts)
{
	put_int(kq, amounts->count);
	for (uint32_t i = 0; i < amounts->count; i++) {
		put_int(kq, amounts->at[i].resource);
		put_int(kq, amounts->at[i].amount);
	}
}

static void put_expressions(struct kq *kq, const struct sl_label_expr *expr, uint32_t count)
{
	put_int(kq, count);
	for (uint32_t e = 0; e < count; e++) {
		kq_tas_count_put_text(kq, expr[e].key);
		put_int(kq, (int64_t)expr[e].op);
		put_int(kq, expr[e].count);
		for (uint32_t v = 0; v < expr[e].count; v++)
			kq_tas_count_put_text(kq, expr[e].value[v]);
	}
}

static void put_terms(struct kq *kq, const struct sl_label_term *term, uint32_t count)
{
	put_int(kq, count);
	for (uint32_t t = 0; t < count; t++) {
		put_int(kq, term[t].weight);
		put_expressions(kq, term[t].expr, term[t].count);
		put_expressions(kq, term[t].field, term[t].field_count);
	}
}

static void put_tolerations(struct kq *kq, const struct sl_tolerations *tolerations)
{
	put_int(kq, tolerations->count);
	for (uint32_t i = 0; i < tolerations->count; i++) {
		kq_tas_count_put_text(kq, tolerations->at[i].key);
		kq_tas_count_put_text(kq, tolerations->at[i].value);
		put_int(kq, (int64_t)tolerations->at[i].effect * 2 + tolerations->at[i].exists);
	}
}

static void put_needs(struct kq *kq, const struct kq_tree *tree, const struct kq_needs *needs)
{
	const struct kq_amounts worker = kq_pod_request(needs->podset);
	kq->tas->text_size = 0;
	put_int(kq, needs->empty);
	put_amounts(kq, &worker);
	put_int(kq, needs->leaders);
	if (needs->leader) {
		const struct kq_amounts leader = kq_pod_request(needs->leader);
		put_amounts(kq, &leader);
	}
	put_int(kq, needs->size);
	put_int(kq, needs->slice_level);
	put_int(kq, needs->layers);
	kq_tas_count_put(kq, needs->size_at, needs->layers * sizeof(needs->size_at[0]));
	if (!tree->by_host)
		return;
	put_int(kq, needs->podset->node_selector.count);
	for (uint32_t i = 0; i < needs->podset->node_selector.count; i++) {
		kq_tas_count_put_text(kq, needs->podset->node_selector.at[i].key);
		kq_tas_count_put_text(kq, needs->podset->node_selector.at[i].value);
	}
	if (tree->tainted)
		put_tolerations(kq, &needs->podset->tolerations);
	put_terms(kq, needs->podset->required, needs->podset->required_count);
	if (needs->by_affinity)
		put_terms(kq, needs->podset->preferred, needs->podset->preferred_count);
}

static uint64_t kq_tas_count_hash_of(const unsigned char *text, size_t size)
{
	uint64_t hash = UINT64_C(14695981039346656037), word;
	for (; size >= sizeof(word); text += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = (hash ^ word) * UINT64_C(1099511628211);
		hash ^= hash >> 32;
	}
	for (; size > 0; size--)
		hash = (hash ^ *text++) * UINT64_C(1099511628211);
	return hash;
}

/* ---- Which hosts let the pods in ---------------------------------------------------------------- */

static bool tolerated(
	const struct kq_host *host, const struct sl_tolerations *own, const struct sl_tolerations *flavor)
{
	for (uint32_t i = 0; i < host->taints.count; i++) {
		const struct sl_taint *taint = &host->taints.at[i];
		if (taint->effect != SL_PREFER_NO_SCHEDULE && !sl_tolerates(own, taint) &&
			!sl_tolerates(flavor, taint))
			return false;
	}
	return true;
}

static bool lets_in(const struct kq *kq, const struct kq_tree *tree, const struct kq_podset *podset,
	const struct kq_host *host)
{
	if (!tolerated(host, &podset->tolerations, &kq->flavor[tree->flavor].tolerations))
		return false;
	for (uint32_t i = 0; i < podset->node_selector.count; i++) {
		const char *value = sl_label_of(&host->labels, podset->node_selector.at[i].key);
		if (!value || strcmp(value, podset->node_selector.at[i].value) != 0)
			return false;
	}
	bool one = podset->required_count == 0;
	for (uint32_t i = 0; !one && i < podset->required_count; i++)
		one = sl_node_term_holds(&podset->required[i], &host->labels, host->name);
	return one;
}

static int64_t affinity_of(const struct kq_podset *podset, const struct kq_host *host)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < podset->preferred_count; i++)
		if (sl_node_term_holds(&podset->preferred[i], &host->labels, host->name))
			sum += podset->preferred[i].weight;
	return sum;
}

/* At coarser lowest levels nothing of this is looked at. */
static void match(
	const struct kq *kq, const struct kq_tree *tree, const struct kq_needs *needs, struct kq_view *view)
{
	for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
		struct kq_found *found = &view->found[tree->leaf_first + leaf];
		const struct kq_host *host = &kq->host[tree->host[leaf]];
		view->fits[leaf] = !tree->by_host || lets_in(kq, tree, needs->podset, host);
		found->affinity = tree->by_host && needs->by_affinity && view->fits[leaf]
					  ? affinity_of(needs->podset, host)
					  : 0;
	}
}

/* ---- Counting ----------------------------------------------------------------------------------- */

struct kq_amounts kq_pod_request(const struct kq_podset *podset)
{
	return podset->pod.at ? podset->pod : podset->request;
}

/* Beside the requests of `beside`, once; NULL: alone. Each pod counts as one of `pods`. */
static int64_t kq_tas_count_times_in(const int64_t *capacity, const int64_t *used, uint32_t resources,
	const struct kq_amounts *request, const struct kq_amounts *beside)
{
	int64_t most = capacity[KQ_PODS] - used[KQ_PODS] - (beside ? 1 : 0);
	for (uint32_t i = 0; most > 0 && i < request->count; i++) {
		const uint32_t r = request->at[i].resource;
		const int64_t amount = request->at[i].amount;
		if (amount <= 0)
			continue;
		if (r >= resources)
			return 0;
		const int64_t free = capacity[r] - used[r];
		const int64_t left = beside && free > 0 ? kq_sub(free, kq_amount_of(beside, r)) : free;
		if (left < amount)
			return 0;
		if (left / amount < most)
			most = left / amount;
	}
	return most < 0 ? 0 : most > KQ_COUNT_MAX ? KQ_COUNT_MAX : most;
}

static void count_leaf(
	const struct kq_tree *tree, const struct kq_needs *needs, const struct kq_view *view, uint32_t leaf)
{
	const struct kq_accounting *accounting = needs->empty ? tree->empty : tree->accounting;
	const struct kq_amounts request = kq_pod_request(needs->podset);
	const int64_t *capacity = &tree->capacity[(size_t)leaf * tree->resource_count];
	const int64_t *used = &accounting->used[(size_t)tree->row_of[leaf] * accounting->resource_count];
	struct kq_found *found = &view->found[tree->leaf_first + leaf];
	found->pods = found->pods_with = found->leader = 0;
	found->slices = found->slices_with = 0;
	if (!view->fits[leaf])
		return;
	found->pods = found->pods_with =
		kq_tas_count_times_in(capacity, used, tree->resource_count, &request, NULL);
	if (!needs->leader)
		return;
	const struct kq_amounts leader = kq_pod_request(needs->leader);
	if (kq_tas_count_times_in(capacity, used, tree->resource_count, &leader, NULL) > 0) {
		found->leader = 1;
		found->pods_with =
			kq_tas_count_times_in(capacity, used, tree->resource_count, &request, &leader);
	}
}

/* inner: children at a level of inner slices count whole ones alone. */
void kq_count_up(const struct kq_tree *tree, const struct kq_needs *needs, struct kq_found *found,
	uint32_t domain, uint32_t level, bool inner)
{
	struct kq_found *to = &found[domain];
	const int64_t whole = inner && level + 1 < tree->level_count && level + 1 < needs->layers
				      ? needs->size_at[level + 1]
				      : 0;
	if (level + 1 < tree->level_count) {
		int64_t pods_less = INT64_MAX, slices_less = INT64_MAX;
		*to = (struct kq_found){ 0 };
		for (uint32_t i = 0; i < tree->child_count[domain]; i++) {
			const struct kq_found *child = &found[tree->child[domain] + i];
			const int64_t pods = whole ? child->pods / whole * whole : child->pods;
			const int64_t with = whole ? child->pods_with / whole * whole : child->pods_with;
			to->pods += pods;
			to->slices += child->slices;
			to->affinity += child->affinity;
			to->leader = child->leader > to->leader ? child->leader : to->leader;
			if (needs->leaders > 0 && child->leader == 0)
				continue;
			pods_less = pods - with < pods_less ? pods - with : pods_less;
			slices_less = child->slices - child->slices_with < slices_less
					      ? child->slices - child->slices_with
					      : slices_less;
		}
		if (pods_less != INT64_MAX) {
			to->pods_with = to->pods - pods_less;
			to->slices_with = to->slices - slices_less;
		}
	}
	if (level == needs->slice_level) {
		to->slices = to->pods / needs->size;
		to->slices_with = to->pods_with / needs->size;
	}
}

static bool kq_tas_count_within(const struct kq_tree *tree, const struct kq_needs *needs, uint32_t leaf)
{
	return needs->within == KQ_NO || kq_tree_above(tree, leaf, needs->within_level) == needs->within;
}

static void count_all(struct kq *kq, struct kq_tree *tree, const struct kq_needs *needs, struct kq_view *view)
{
	if (!view->ready)
		match(kq, tree, needs, view);
	view->ready = true;
	for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
		if (needs->within != KQ_NO && !kq_tas_count_within(tree, needs, leaf))
			view->fits[leaf] = false;
		count_leaf(tree, needs, view, leaf);
	}
	for (uint32_t level = tree->level_count; level-- > 0;)
		for (uint32_t d = tree->first[level]; d < tree->first[level + 1]; d++)
			kq_count_up(tree, needs, view->found, d, level, true);
}

/* Only what changed between the usage that the view knows and the present one. */
static void count_changed(
	struct kq *kq, struct kq_tree *tree, const struct kq_needs *needs, struct kq_view *view)
{
	const struct kq_accounting *accounting = needs->empty ? tree->empty : tree->accounting;
	bool *dirty = kq->tas->dirty;
	uint32_t *list = kq->tas->list, count = 0;
	uint32_t from = view->stamp, to = (uint32_t)accounting->stamp;
	const uint32_t enough = tree->leaf_count / 4 + 1;
	uint32_t steps = 0;
	while (from != to && steps++ < 4 * enough && count < enough) {
		uint32_t *later = from > to ? &from : &to;
		const uint32_t leaf = tree->leaf_of[accounting->step[*later].row];
		*later = accounting->step[*later].parent;
		if (leaf == KQ_NO || dirty[tree->leaf_first + leaf])
			continue;
		dirty[tree->leaf_first + leaf] = true;
		list[count++] = leaf;
	}
	const bool all = from != to;
	for (uint32_t i = 0; i < count; i++) {
		dirty[tree->leaf_first + list[i]] = false;
		if (!all)
			count_leaf(tree, needs, view, list[i]);
		list[i] += tree->leaf_first;
	}
	if (all) {
		count_all(kq, tree, needs, view);
		return;
	}
	for (uint32_t level = tree->level_count; level-- > 0;) {
		uint32_t above = 0;
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t domain = list[i];
			dirty[domain] = false;
			kq_count_up(tree, needs, view->found, domain, level, true);
			if (level && !dirty[tree->parent[domain]]) {
				dirty[tree->parent[domain]] = true;
				list[above++] = tree->parent[domain];
			}
		}
		count = above;
	}
}

static struct kq_view *view_new(struct kq *kq, const struct kq_tree *tree)
{
	struct kq_view *view = calloc(1, sizeof(*view));
	if (view) {
		view->fits = calloc((size_t)tree->leaf_count + 1, sizeof(*view->fits));
		view->found = calloc((size_t)tree->first[tree->level_count] + 1, sizeof(*view->found));
	}
	if (!view || !view->fits || !view->found) {
		(void)sl_fail_memory(&kq->err);
		kq_view_free(view);
		return NULL;
	}
	return view;
}

/* The view of the request; made in the place of the one used longest ago. */
static struct kq_view *view_of(struct kq *kq, struct kq_tree *tree)
{
	const struct kq_tas *tas = kq->tas;
	const uint64_t hash = kq_tas_count_hash_of(tas->text, tas->text_size);
	uint32_t oldest = 0;
	for (uint32_t i = 0; i < tree->view_count; i++) {
		struct kq_view *view = tree->view[i];
		if (view->hash == hash && view->text_size == tas->text_size &&
			memcmp(view->text, tas->text, tas->text_size) == 0)
			return view;
		if (view->used_at < tree->view[oldest]->used_at)
			oldest = i;
	}
	if (!tree->view)
		tree->view = calloc(VIEWS_MAX, sizeof(struct kq_view *));
	if (!tree->view)
		return sl_fail_memory(&kq->err), NULL;
	if (tree->view_count < VIEWS_MAX) {
		struct kq_view *made = view_new(kq, tree);
		if (!made)
			return NULL;
		oldest = tree->view_count;
		tree->view[tree->view_count++] = made;
	}
	struct kq_view *view = tree->view[oldest];
	if (SL_RESIZE(view->text, tas->text_size + 1, &kq->err))
		return NULL;
	memcpy(view->text, tas->text, tas->text_size);
	view->text_size = tas->text_size;
	view->hash = hash;
	view->ready = false;
	return view;
}

const struct kq_found *kq_count(struct kq *kq, struct kq_tree *tree, const struct kq_needs *needs)
{
	const struct kq_accounting *accounting = needs->empty ? tree->empty : tree->accounting;
	struct kq_view *view;
	if (needs->within != KQ_NO) {
		kq_view_free(kq->tas->once);
		view = kq->tas->once = view_new(kq, tree);
	} else {
		put_needs(kq, tree, needs);
		view = kq->err.status ? NULL : view_of(kq, tree);
	}
	if (!view || kq->err.status)
		return NULL;
	if (!view->ready || view->epoch != accounting->epoch)
		count_all(kq, tree, needs, view);
	else if (view->stamp != (uint32_t)accounting->stamp)
		count_changed(kq, tree, needs, view);
	view->epoch = accounting->epoch;
	view->stamp = (uint32_t)accounting->stamp;
	view->used_at = ++tree->views_used;
	return view->found;
}
