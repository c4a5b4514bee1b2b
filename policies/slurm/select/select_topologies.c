/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_topologies.c - the topologies of topology.yaml(5), of 25.05: several, each of a kind of its own, of
 * which a partition names one (Topology=).
 *
 * The reader keeps them as settings of kind "topology", by name: Type (tree, block, flat, ring), Default,
 * then BlockSizes and, in their order, Switch, Block or Ring, "NAME nodes=LIST" or "NAME children=LIST". A
 * partition that names none has the first default one; where there is no default, or no such topology, it has
 * none.
 */
#include "policies/slurm/select/select_parts.h"

#include <stdlib.h>
#include <strings.h>

/* The switches of one topology, as they are read. */
struct switches {
	struct select *s;
	struct sl_switch *sw;
	uint32_t **node;
	uint32_t at, capacity, room; /* room: for nodes of the one that is read. */
	uint64_t *set;
};

static bool is_of(const struct sl_setting *said, const char *name, const char *key)
{
	return strcmp(said->kind, "topology") == 0 && (!name || strcmp(said->name, name) == 0) &&
	       (!key || strcasecmp(said->key, key) == 0);
}

static bool is_switch(const struct sl_setting *said, const char *name)
{
	return is_of(said, name, "Switch") || is_of(said, name, "Block") || is_of(said, name, "Ring");
}

/* ---- Nodes of a switch -------------------------------------------------------------------------------- */

static int add_listed(void *self, const char *name, size_t len)
{
	struct switches *all = self;
	struct sl_switch *sw = &all->sw[all->at];
	char one[256];
	bool missing;
	if (len >= sizeof(one))
		return 0;
	memcpy(one, name, len);
	one[len] = 0;
	memset(all->set, 0, all->s->words * sizeof(*all->set));
	(void)sel_node_list(all->s, one, all->set, &missing);
	const uint32_t node = bits_next(all->set, all->s->words, 0);
	if (node == UINT32_MAX || sw->node_count == all->room)
		return 0; /* As in Slurm, names that are no nodes are passed over. */
	all->node[all->at][sw->node_count++] = node;
	return 0;
}

/* The nodes as they are listed: a ring goes by that. */
static int nodes_listed(struct switches *all, const char *list, struct sl_err *err)
{
	struct sl_switch *sw = &all->sw[all->at];
	struct sl_err ignored = { 0 };
	const int64_t listed = sl_hosts_count(list, strlen(list), NULL, &ignored);
	all->room = listed < 0 ? 0 : listed < all->s->node_count ? (uint32_t)listed : all->s->node_count;
	all->node[all->at] = sl_alloc(all->s->arena, (size_t)all->room + 1, sizeof(uint32_t));
	if (!all->node[all->at])
		return sl_fail_memory(err);
	sw->node = all->node[all->at];
	(void)sl_hosts_each(list, strlen(list), NULL, &ignored, add_listed, all);
	return SL_OK;
}

/* ---- Trees -------------------------------------------------------------------------------------------- */

/* Names of switches in order; the first child of each, and the next one of its parent's. */
struct tree {
	struct switches *all;
	const struct sl_switch **by_name;
	uint32_t *first, *next;
	uint32_t up;
};

static int by_name(const void *a, const void *b)
{
	const struct sl_switch *const *x = a, *const *y = b;
	const int order = strcmp((*x)->name, (*y)->name);
	return order ? order : (*x > *y) - (*x < *y);
}

static int adopt(void *self, const char *name, size_t len)
{
	const struct tree *tree = self;
	struct switches *all = tree->all;
	uint32_t low = 0, high = all->capacity;
	(void)len;
	while (low < high) {
		const uint32_t half = low + (high - low) / 2;
		if (strcmp(tree->by_name[half]->name, name) < 0)
			low = half + 1;
		else
			high = half;
	}
	if (low == all->capacity || strcmp(tree->by_name[low]->name, name) != 0)
		return 0;
	const uint32_t child = (uint32_t)(tree->by_name[low] - all->sw);
	if (child != tree->up)
		all->sw[child].parent = tree->up;
	return 0;
}

static int find_parents(struct tree *tree, struct sl_err *err)
{
	struct switches *all = tree->all;
	const size_t room = (size_t)all->capacity + 1;
	tree->by_name = sl_alloc(all->s->arena, room, sizeof(const struct sl_switch *));
	tree->first = sl_alloc(all->s->arena, room, sizeof(*tree->first));
	tree->next = sl_alloc(all->s->arena, room, sizeof(*tree->next));
	if (!tree->by_name || !tree->first || !tree->next)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < all->capacity; i++)
		tree->by_name[i] = &all->sw[i];
	qsort(tree->by_name, all->capacity, sizeof(const struct sl_switch *), by_name);
	for (uint32_t i = 0; i < all->capacity; i++) {
		const char *list = all->sw[i].switches;
		struct sl_err ignored = { 0 };
		tree->up = i;
		tree->first[i] = UINT32_MAX;
		if (list)
			(void)sl_hosts_each(list, strlen(list), NULL, &ignored, adopt, tree);
	}
	for (uint32_t i = all->capacity; i-- > 0;) {
		const uint32_t up = all->sw[i].parent;
		if (up == UINT32_MAX)
			continue;
		tree->next[i] = tree->first[up];
		tree->first[up] = i;
	}
	return SL_OK;
}

/* The one behind it of those below `top`, each before its children; UINT32_MAX: it was the last. */
static uint32_t walk_on(const struct tree *tree, uint32_t top, uint32_t at)
{
	if (tree->first[at] != UINT32_MAX)
		return tree->first[at];
	while (at != top && tree->next[at] == UINT32_MAX)
		at = tree->all->sw[at].parent;
	return at == top ? UINT32_MAX : tree->next[at];
}

/* Nodes of a switch above leaves: those of the leaves below it. */
static int nodes_below(const struct tree *tree, uint32_t top, struct sl_err *err)
{
	struct switches *all = tree->all;
	struct select *s = all->s;
	uint32_t count = 0;
	memset(all->set, 0, s->words * sizeof(*all->set));
	for (uint32_t k = walk_on(tree, top, top); k != UINT32_MAX; k = walk_on(tree, top, k))
		for (uint32_t n = 0; !all->sw[k].switches && n < all->sw[k].node_count; n++)
			bit_set(all->set, all->sw[k].node[n]);
	for (uint32_t i = 0; i < s->words; i++)
		count += select_popcount(all->set[i]);
	uint32_t *node = sl_alloc(s->arena, (size_t)count + 1, sizeof(*node));
	if (!node)
		return sl_fail_memory(err);
	for (uint32_t n = bits_next(all->set, s->words, 0); n != UINT32_MAX;
		n = bits_next(all->set, s->words, n + 1))
		node[all->sw[top].node_count++] = n;
	all->sw[top].node = node;
	return SL_OK;
}

/* Levels, and nodes of what is above leaves. The reader has refused switches that hang on each other, or more
 * than 64 levels deep (conf_yaml_check.c, conf_topology.c). */
static int raise_levels(const struct tree *tree, struct sl_err *err)
{
	const struct switches *all = tree->all;
	int status = SL_OK;
	for (uint32_t i = 0; i < all->capacity; i++) {
		uint32_t level = 0;
		for (uint32_t at = all->sw[i].parent; at != UINT32_MAX; at = all->sw[at].parent) {
			SL_CHECK(++level <= all->capacity);
			all->sw[at].level = level > all->sw[at].level ? level : all->sw[at].level;
		}
	}
	for (uint32_t i = 0; i < all->capacity && !status; i++)
		if (all->sw[i].switches)
			status = nodes_below(tree, i, err);
	return status;
}

/* ---- All of it ---------------------------------------------------------------------------------------- */

/* "NAME nodes=LIST" */
static int read_switch(struct switches *all, const char *text, struct sl_err *err)
{
	struct sl_switch *sw = &all->sw[all->at];
	const size_t len = strcspn(text, " ");
	const char *list = strchr(text + len, '=');
	*sw = (struct sl_switch){ .name = sl_strdup(all->s->arena, text, len), .parent = UINT32_MAX };
	if (!sw->name)
		return sl_fail_memory(err);
	int status = SL_OK;
	if (list && strncmp(text + len, " children", 9) == 0)
		sw->switches = list + 1;
	else
		status = nodes_listed(all, list ? list + 1 : "", err);
	all->at++;
	return status;
}

static int read_switches(struct select *s, struct sel_topology *topo, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	struct switches all = { .s = s };
	for (uint32_t i = 0; i < c->setting_count; i++)
		all.capacity += is_switch(&c->setting[i], topo->name);
	all.sw = sl_alloc(s->arena, (size_t)all.capacity + 1, sizeof(*all.sw));
	all.node = sl_alloc(s->arena, (size_t)all.capacity + 1, sizeof(*all.node));
	all.set = sl_alloc(s->arena, s->words, sizeof(*all.set));
	if (!all.sw || !all.node || !all.set)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->setting_count; i++)
		if (is_switch(&c->setting[i], topo->name) && read_switch(&all, c->setting[i].value, err))
			return err->status;
	topo->sw = all.sw;
	topo->count = all.capacity;
	struct tree tree = { .all = &all };
	const int status = find_parents(&tree, err);
	return status ? status : raise_levels(&tree, err);
}

static int topology_read(struct select *s, struct sel_topology *topo, const char *type, struct sl_err *err)
{
	static const struct {
		const char *name;
		enum sel_topology_kind kind;
	} kinds[] = { { "tree", SEL_TREE }, { "block", SEL_BLOCK }, { "ring", SEL_RING } };
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcasecmp(type, kinds[i].name) == 0)
			topo->kind = kinds[i].kind;
	if (topo->kind == SEL_FLAT)
		return SL_OK;
	if (read_switches(s, topo, err) || sel_topo_finish(s, topo, err))
		return err->status;
	if (topo->kind == SEL_BLOCK)
		sel_block_sizes(topo, sl_setting_of(s->cluster, "topology", topo->name, "BlockSizes"));
	return SL_OK;
}

int sel_topologies_read(struct select *s, struct sl_err *err)
{
	const struct sl_cluster *c = s->cluster;
	uint32_t count = 1;
	for (uint32_t i = 0; i < c->setting_count; i++)
		count += is_of(&c->setting[i], NULL, "Type");
	struct sel_topology *all = sl_alloc(s->arena, count, sizeof(*all));
	if (!all)
		return sl_fail_memory(err);
	all[0] = s->topology[0];
	s->topology = all;
	for (uint32_t i = 0; i < c->setting_count; i++) {
		const struct sl_setting *said = &c->setting[i];
		if (!is_of(said, NULL, "Type"))
			continue;
		struct sel_topology *topo = &all[s->topology_count++];
		topo->name = said->name;
		if (topology_read(s, topo, said->value, err))
			return err->status;
	}
	return SL_OK;
}

uint32_t sel_topologies_find(const struct select *s, const char *name)
{
	for (uint32_t i = 1; i < s->topology_count; i++) {
		const char *own = s->topology[i].name;
		const char *first = sl_setting_of(s->cluster, "topology", own, "Default");
		if (name ? strcmp(own, name) == 0 : first && strcasecmp(first, "true") == 0)
			return i;
	}
	return 0;
}
