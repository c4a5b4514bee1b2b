/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_topo_tree.c - the tree of a topology, from the labels of nodes. A node that lacks one of the levels is
 * not in it (KAI: plugins/topology, initializeTopologyTree).
 */
#include "policies/runai/rules/kai_topo.h"

#include <stdlib.h>
#include <string.h>

/* A node on its way into the order: its values, coarse first. */
struct member {
	const char *value[KAI_LEVELS_MAX];
	uint32_t levels, row, rank;
};

/* How many of the first levels they share. */
static uint32_t shared_levels(const struct member *a, const struct member *b)
{
	uint32_t level = 0;
	while (level < a->levels && strcmp(a->value[level], b->value[level]) == 0)
		level++;
	return level;
}

static int by_values(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	const uint32_t level = shared_levels(a, b);
	if (level < a->levels)
		return strcmp(a->value[level], b->value[level]);
	return a->rank < b->rank ? -1 : 1;
}

/* False: the node has not all labels. */
static bool read_values(
	const struct kai_node *node, const struct kai_topology *topology, struct member *member)
{
	for (uint32_t i = 0; i < topology->level_count; i++) {
		member->value[i] = sl_label_of(&node->labels, topology->level[i]);
		if (!member->value[i])
			return false;
	}
	member->levels = topology->level_count;
	return true;
}

/* Members in order; how many. */
static uint32_t kai_topo_tree_gather(
	const struct kai *kai, const struct kai_topology *topology, struct member *member)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < kai->node_count; i++) {
		if (!read_values(&kai->node[i], topology, &member[count]))
			continue;
		member[count].row = i;
		member[count++].rank = kai->node_rank[i];
	}
	qsort(member, count, sizeof(*member), by_values);
	return count;
}

/* A domain of this depth begins at the position. */
static bool begins(const struct member *member, uint32_t position, uint32_t depth)
{
	return position == 0 || shared_levels(&member[position - 1], &member[position]) < depth;
}

static uint32_t count_domains(const struct member *member, const struct kai_tree *tree)
{
	uint32_t count = 1; /* The root. */
	for (uint32_t depth = 1; depth <= tree->level_count; depth++)
		for (uint32_t i = 0; i < tree->node_count; i++)
			count += begins(member, i, depth);
	return count;
}

/* Domains of a depth, below those that tree->leaf names so far; leaf is theirs then. */
static void add_depth(const struct member *member, struct kai_tree *tree, uint32_t depth)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (begins(member, i, depth)) {
			const uint32_t parent = tree->leaf[i], row = tree->domain_count++;
			if (tree->domain[parent].child_count++ == 0)
				tree->domain[parent].child = row;
			tree->domain[row] =
				(struct kai_domain){ .parent = parent, .depth = depth, .from = i };
		}
		const uint32_t row = tree->domain_count - 1;
		tree->domain[row].to = i + 1;
		tree->leaf[i] = row;
	}
}

int kai_tree_grow(struct kai *kai, const struct kai_topology *topology, struct kai_tree *tree)
{
	*tree = (struct kai_tree){ .level_count = topology->level_count };
	const size_t headroom = (size_t)kai->node_count + 1;
	struct member *member = calloc(headroom, sizeof(*member));
	tree->node = calloc(headroom, sizeof(*tree->node));
	tree->leaf = calloc(headroom, sizeof(*tree->leaf));
	tree->at = malloc(headroom * sizeof(*tree->at));
	if (!member || !tree->node || !tree->leaf || !tree->at) {
		free(member);
		return sl_fail_memory(&kai->err);
	}
	tree->node_count = kai_topo_tree_gather(kai, topology, member);
	tree->domain = calloc(count_domains(member, tree), sizeof(*tree->domain));
	if (!tree->domain) {
		free(member);
		return sl_fail_memory(&kai->err);
	}
	memset(tree->at, 0xff, headroom * sizeof(*tree->at)); /* KAI_NO */
	for (uint32_t i = 0; i < tree->node_count; i++) {
		tree->node[i] = member[i].row;
		tree->at[member[i].row] = i;
	}
	tree->domain[0] = (struct kai_domain){ .parent = KAI_NO, .to = tree->node_count };
	tree->domain_count = 1;
	for (uint32_t depth = 1; depth <= tree->level_count; depth++)
		add_depth(member, tree, depth);
	free(member);
	return 0;
}

void kai_tree_free(struct kai_tree *tree)
{
	free(tree->node);
	free(tree->at);
	free(tree->leaf);
	free(tree->domain);
	*tree = (struct kai_tree){ 0 };
}
