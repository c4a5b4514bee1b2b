/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_tree.c - the domains of each flavor with a topology, from the hosts that it selects.
 *
 * Leaves are of hosts that are ready, schedulable, have the flavor's labels, and a label for every level
 * (KEP-2724, "Node to domain"). Where the lowest level is the host's name, a leaf is one name.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <stdlib.h>
#include <string.h>

static const char *const host_key = "kubernetes.io/hostname";

struct named_host {
	const char *value[KQ_LEVELS_MAX];
	uint32_t host, level_count;
	const char *name;
};

static int by_values(const void *a, const void *b)
{
	const struct named_host *left = a, *right = b;
	for (uint32_t l = 0; l < left->level_count; l++) {
		const int order = strcmp(left->value[l], right->value[l]);
		if (order)
			return order;
	}
	const int order = strcmp(left->name, right->name);
	return order ? order : (left->host > right->host) - (left->host < right->host);
}

static bool has_labels(const struct kq_host *host, const struct sl_labels *want)
{
	for (uint32_t i = 0; i < want->count; i++) {
		const char *value = sl_label_of(&host->labels, want->at[i].key);
		if (!value || strcmp(value, want->at[i].value) != 0)
			return false;
	}
	return true;
}

/* Hosts that count, by their values. */
static uint32_t hosts_of(struct kq *kq, const struct kq_tree *tree, struct named_host *named)
{
	uint32_t count = 0;
	for (uint32_t h = 0; h < kq->host_count; h++) {
		const struct kq_host *host = &kq->host[h];
		struct named_host *to = &named[count];
		if (!host->ready || host->unschedulable ||
			!has_labels(host, &kq->flavor[tree->flavor].labels))
			continue;
		*to = (struct named_host){ .host = h, .level_count = tree->level_count, .name = host->name };
		uint32_t l = 0;
		for (; l < tree->level_count; l++) {
			const char *value = sl_label_of(&host->labels, tree->topology->level[l]);
			if (!value)
				break;
			to->value[l] = kq_text(kq, value);
		}
		count += l == tree->level_count;
	}
	if (count)
		qsort(named, count, sizeof(*named), by_values);
	return count;
}

/* ---- Finding a leaf by its values: these are interned, so addresses will do, and only to find by.  */

static uint64_t kq_tas_tree_hash_of(const char *const *value, uint32_t count)
{
	uint64_t hash = count;
	for (uint32_t i = 0; i < count; i++)
		hash = sl_hash(hash, (uintptr_t)value[i]);
	return hash;
}

static bool leaf_has(const struct kq_tree *tree, uint32_t leaf, const char *const *value, uint32_t count)
{
	uint32_t domain = tree->leaf_first + leaf;
	for (uint32_t i = count; i-- > 0; domain = tree->parent[domain])
		if (tree->value[domain] != value[i])
			return false;
	return true;
}

static uint32_t find_leaf(const struct kq_tree *tree, const char *const *value, uint32_t count)
{
	const uint64_t hash = kq_tas_tree_hash_of(value, count);
	uint32_t leaf;
	SL_MAP_EACH(&tree->leaf_by, hash, leaf)
	if (leaf_has(tree, leaf, value, count))
		return leaf;
	return KQ_NO;
}

uint32_t kq_tree_leaf(
	struct kq *kq, const struct kq_tree *tree, const struct kq_domain_count *domain, uint32_t value_count)
{
	const uint32_t want = tree->by_host ? 1 : tree->level_count;
	const char *value[KQ_LEVELS_MAX] = { NULL };
	if (value_count < want || tree->leaf_count == 0)
		return KQ_NO;
	for (uint32_t i = 0; i < want; i++)
		value[i] = domain->value[value_count - want + i];
	const uint32_t leaf = find_leaf(tree, value, want);
	if (leaf != KQ_NO)
		return leaf;
	for (uint32_t i = 0; i < want; i++) /* Perhaps they are not interned. */
		value[i] = kq_text(kq, value[i]);
	return find_leaf(tree, value, want);
}

uint32_t kq_tree_level(const struct kq_tree *tree, const char *key)
{
	for (uint32_t l = 0; key && l < tree->level_count; l++)
		if (strcmp(tree->topology->level[l], key) == 0)
			return l;
	return KQ_NO;
}

uint32_t kq_tree_above(const struct kq_tree *tree, uint32_t leaf, uint32_t level)
{
	uint32_t domain = tree->leaf_first + leaf;
	for (uint32_t l = tree->level_count - 1; l > level; l--)
		domain = tree->parent[domain];
	return domain;
}

/* ---- Making it ---------------------------------------------------------------------------------- */

static bool same_domain(const struct named_host *a, const struct named_host *b, uint32_t level)
{
	for (uint32_t l = 0; l <= level; l++)
		if (a->value[l] != b->value[l])
			return false;
	return true;
}

struct by_name {
	const char *name;
	uint32_t at;
};

static int kq_tas_tree_by_name(const void *a, const void *b)
{
	const struct by_name *left = a, *right = b;
	const int order = strcmp(left->name, right->name);
	return order ? order : (left->at > right->at) - (left->at < right->at);
}

/* By host: who stands for its leaf. Of several with one host name that is the first, whose labels and place
 * the leaf has; else the first with the same values. */
static bool leaders_of(
	const struct kq_tree *tree, const struct named_host *named, uint32_t count, uint32_t *owner)
{
	const uint32_t last = tree->level_count - 1;
	for (uint32_t i = 0; i < count; i++)
		owner[i] = i > 0 && same_domain(&named[i - 1], &named[i], last) ? owner[i - 1] : i;
	if (!tree->by_host || count == 0)
		return true;
	struct by_name *sorted = calloc(count, sizeof(*sorted));
	if (!sorted)
		return false;
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = (struct by_name){ named[i].value[last], i };
	qsort(sorted, count, sizeof(*sorted), kq_tas_tree_by_name);
	for (uint32_t i = 0; i < count; i++)
		owner[sorted[i].at] = i > 0 && sorted[i].name == sorted[i - 1].name ? owner[sorted[i - 1].at]
										    : sorted[i].at;
	free(sorted);
	return true;
}

/* How many domains each level has: tree->first. */
static void count_domains(
	struct kq_tree *tree, const struct named_host *named, const uint32_t *owner, uint32_t count)
{
	uint32_t of_level[KQ_LEVELS_MAX] = { 0 };
	const struct named_host *before = NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (owner[i] != i)
			continue;
		for (uint32_t l = 0; l < tree->level_count; l++)
			of_level[l] += !before || !same_domain(before, &named[i], l);
		before = &named[i];
	}
	tree->first[0] = 0;
	for (uint32_t l = 0; l < tree->level_count; l++)
		tree->first[l + 1] = tree->first[l] + of_level[l];
	tree->leaf_first = tree->first[tree->level_count - 1];
	tree->leaf_count = of_level[tree->level_count - 1];
}

static bool tree_capacity(struct kq_tree *tree)
{
	const size_t domains = tree->first[tree->level_count], leaves = tree->leaf_count;
	tree->parent = calloc(domains + 1, sizeof(*tree->parent));
	tree->child = calloc(domains + 1, sizeof(*tree->child));
	tree->child_count = calloc(domains + 1, sizeof(*tree->child_count));
	tree->value = calloc(domains + 1, sizeof(*tree->value));
	tree->host = calloc(leaves + 1, sizeof(*tree->host));
	tree->row_of = calloc(leaves + 1, sizeof(*tree->row_of));
	tree->capacity = calloc(leaves * tree->resource_count + 1, sizeof(*tree->capacity));
	return tree->parent && tree->child && tree->child_count && tree->value && tree->host &&
	       tree->row_of && tree->capacity;
}

/* Domains and leaves, from who stands for them. */
static void link_domains(struct kq *kq, struct kq_tree *tree, const struct named_host *named,
	const uint32_t *owner, uint32_t count)
{
	uint32_t now[KQ_LEVELS_MAX], leaf = KQ_NO;
	const struct named_host *before = NULL;
	for (uint32_t l = 0; l < tree->level_count; l++)
		now[l] = tree->first[l] - 1;
	for (uint32_t i = 0; i < count; i++) {
		if (owner[i] != i)
			continue;
		for (uint32_t l = 0; l < tree->level_count; l++) {
			if (before && same_domain(before, &named[i], l))
				continue;
			const uint32_t domain = ++now[l], above = l ? now[l - 1] : KQ_NO;
			tree->value[domain] = named[i].value[l];
			tree->parent[domain] = above;
			if (l && tree->child_count[above]++ == 0)
				tree->child[above] = domain;
		}
		before = &named[i];
		leaf = now[tree->level_count - 1] - tree->leaf_first;
		tree->host[leaf] = named[i].host;
		tree->tainted = tree->tainted || kq->host[named[i].host].taints.count > 0;
		const char *const *value =
			tree->by_host ? &named[i].value[tree->level_count - 1] : named[i].value;
		(void)sl_map_add(&tree->leaf_by,
			kq_tas_tree_hash_of(value, tree->by_host ? 1 : tree->level_count), leaf, &kq->err);
	}
}

static void add_capacity(
	const struct kq *kq, const struct kq_tree *tree, uint32_t leaf, const struct kq_host *host)
{
	int64_t *capacity = &tree->capacity[(size_t)leaf * tree->resource_count];
	for (uint32_t i = 0; i < host->allocatable.count; i++)
		if (host->allocatable.at[i].resource < tree->resource_count)
			capacity[host->allocatable.at[i].resource] = kq_add(
				capacity[host->allocatable.at[i].resource], host->allocatable.at[i].amount);
	for (uint32_t r = 0; host->foreign && r < kq->resource_sealed; r++)
		capacity[r] = kq_sub(capacity[r], host->foreign[r]);
}

static void fill_capacity(struct kq *kq, struct kq_tree *tree, const struct named_host *named,
	const uint32_t *owner, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t want = tree->by_host ? 1 : tree->level_count;
		const uint32_t leaf = find_leaf(tree, &named[owner[i]].value[tree->level_count - want], want);
		add_capacity(kq, tree, leaf, &kq->host[named[i].host]);
	}
	/* Below nothing is as good as nothing, and leaves a margin for subtraction. */
	for (size_t i = 0; i < (size_t)tree->leaf_count * tree->resource_count; i++)
		if (tree->capacity[i] < -1)
			tree->capacity[i] = -1;
}

static void make_tree(struct kq *kq, struct kq_tree *tree, uint32_t flavor)
{
	*tree = (struct kq_tree){ .flavor = flavor,
		.topology = &kq->topology[kq->flavor[flavor].topology],
		.resource_count = kq->resource_sealed };
	tree->level_count = tree->topology->level_count;
	tree->by_host = strcmp(tree->topology->level[tree->level_count - 1], host_key) == 0;
	struct named_host *named = calloc((size_t)kq->host_count + 1, sizeof(*named));
	uint32_t *owner = calloc((size_t)kq->host_count + 1, sizeof(*owner));
	const uint32_t count = named && owner ? hosts_of(kq, tree, named) : 0;
	bool ok = named && owner && leaders_of(tree, named, count, owner);
	if (ok) {
		count_domains(tree, named, owner, count);
		ok = tree_capacity(tree);
	}
	if (ok)
		link_domains(kq, tree, named, owner, count);
	if (ok && !kq->err.status)
		fill_capacity(kq, tree, named, owner, count);
	else
		(void)sl_fail_memory(&kq->err);
	free(named);
	free(owner);
}

/* ---- Usage: one pair for all topologies by hosts (TASHandleOverlappingFlavors), else a pair a flavor.  */

/* Rows of the shared usage: names of hosts, in the order in which trees bring them. */
static bool share_rows(struct kq *kq, struct kq_tas *tas)
{
	struct sl_map map = { 0 };
	size_t leaves = 0;
	uint32_t count = 0;
	for (uint32_t t = 0; t < tas->tree_count; t++)
		leaves += tas->tree[t].by_host ? tas->tree[t].leaf_count : 0;
	const char **known = calloc(leaves + 1, sizeof(*known));
	if (!known)
		return false;
	for (uint32_t t = 0; t < tas->tree_count; t++) {
		const struct kq_tree *tree = &tas->tree[t];
		for (uint32_t leaf = 0; tree->by_host && leaf < tree->leaf_count; leaf++) {
			const char *name = tree->value[tree->leaf_first + leaf];
			const uint64_t hash = kq_tas_tree_hash_of(&name, 1);
			uint32_t row;
			SL_MAP_EACH(&map, hash, row)
			if (known[row] == name)
				break;
			if (row == UINT32_MAX) {
				row = count++;
				known[row] = name;
				(void)sl_map_add(&map, hash, row, &kq->err);
			}
			tree->row_of[leaf] = row;
		}
	}
	free(known);
	sl_map_free(&map);
	kq_accounting_init(kq, &tas->accounting[0], count, kq->resource_sealed);
	kq_accounting_init(kq, &tas->accounting[1], count, kq->resource_sealed);
	tas->accounting_count = 2;
	return true;
}

static bool tree_accounting(struct kq *kq, struct kq_tas *tas, struct kq_tree *tree, bool shared)
{
	if (!shared) {
		for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
			tree->row_of[leaf] = leaf;
		kq_accounting_init(
			kq, &tas->accounting[tas->accounting_count], tree->leaf_count, kq->resource_sealed);
		kq_accounting_init(kq, &tas->accounting[tas->accounting_count + 1], tree->leaf_count,
			kq->resource_sealed);
		tas->accounting_count += 2;
	}
	tree->accounting = shared ? &tas->accounting[0] : &tas->accounting[tas->accounting_count - 2];
	tree->empty = tree->accounting + 1;
	tree->leaf_of = malloc(((size_t)tree->accounting->row_count + 1) * sizeof(*tree->leaf_of));
	if (!tree->leaf_of)
		return false;
	memset(tree->leaf_of, 0xff, ((size_t)tree->accounting->row_count + 1) * sizeof(*tree->leaf_of));
	for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
		tree->leaf_of[tree->row_of[leaf]] = leaf;
	return true;
}

static bool all_accounting(struct kq *kq, struct kq_tas *tas)
{
	const bool share = kq->config.gate[KQ_GATE_TASHandleOverlappingFlavors];
	tas->accounting = calloc(2 * (size_t)tas->tree_count + 2, sizeof(*tas->accounting));
	if (!tas->accounting || (share && !share_rows(kq, tas)))
		return false;
	for (uint32_t t = 0; t < tas->tree_count; t++)
		if (!tree_accounting(kq, tas, &tas->tree[t], share && tas->tree[t].by_host))
			return false;
	return kq->err.status == 0;
}

static bool working_capacity(struct kq_tas *tas)
{
	for (uint32_t t = 0; t < tas->tree_count; t++) {
		const uint32_t domains = tas->tree[t].first[tas->tree[t].level_count];
		if (domains > tas->domains_max)
			tas->domains_max = domains;
	}
	const size_t capacity = (size_t)tas->domains_max + 1;
	tas->work = calloc(capacity, sizeof(*tas->work));
	tas->key = calloc(2 * capacity, sizeof(*tas->key));
	tas->list = calloc(4 * capacity, sizeof(*tas->list));
	tas->dirty = calloc(capacity, sizeof(*tas->dirty));
	return tas->work && tas->key && tas->list && tas->dirty;
}

static bool has_topology(const struct kq *kq, uint32_t flavor)
{
	const struct kq_flavor *row = &kq->flavor[flavor];
	return row->topology != KQ_NO && kq->topology[row->topology].level_count > 0;
}

void kq_tas_seal(struct kq *kq)
{
	kq_tas_free(kq);
	if (!kq->config.gate[KQ_GATE_TopologyAwareScheduling])
		return;
	struct kq_tas *tas = kq->tas = calloc(1, sizeof(*tas));
	bool ok = tas != NULL;
	if (ok) {
		tas->flavor_count = kq->flavor_count;
		tas->tree_of = malloc(((size_t)kq->flavor_count + 1) * sizeof(*tas->tree_of));
		tas->tree = calloc((size_t)kq->flavor_count + 1, sizeof(*tas->tree));
		ok = tas->tree_of && tas->tree;
	}
	for (uint32_t f = 0; ok && f < kq->flavor_count; f++) {
		tas->tree_of[f] = has_topology(kq, f) ? tas->tree_count : KQ_NO;
		if (tas->tree_of[f] != KQ_NO)
			make_tree(kq, &tas->tree[tas->tree_count++], f);
		ok = kq->err.status == 0;
	}
	if (!ok || !all_accounting(kq, tas) || !working_capacity(tas))
		(void)sl_fail_memory(&kq->err);
}

static void tree_release(struct kq_tree *tree)
{
	kq_views_release(tree);
	free(tree->parent);
	free(tree->child);
	free(tree->child_count);
	free(tree->value);
	free(tree->host);
	free(tree->capacity);
	free(tree->row_of);
	free(tree->leaf_of);
	sl_map_free(&tree->leaf_by);
}

void kq_tas_free(struct kq *kq)
{
	struct kq_tas *tas = kq->tas;
	kq->tas = NULL;
	if (!tas)
		return;
	for (uint32_t t = 0; t < tas->tree_count; t++)
		tree_release(&tas->tree[t]);
	for (uint32_t b = 0; b < tas->accounting_count; b++)
		kq_accounting_release(&tas->accounting[b]);
	kq_view_free(tas->once);
	free(tas->tree);
	free(tas->tree_of);
	free(tas->accounting);
	free(tas->work);
	free(tas->key);
	free(tas->list);
	free(tas->dirty);
	free(tas->text);
	free(tas);
}

struct kq_tree *kq_tree_of(const struct kq *kq, uint32_t flavor)
{
	const struct kq_tas *tas = kq->tas;
	if (!tas || flavor >= tas->flavor_count || tas->tree_of[flavor] == KQ_NO)
		return NULL;
	return &tas->tree[tas->tree_of[flavor]];
}
