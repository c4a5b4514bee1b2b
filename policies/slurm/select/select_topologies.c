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

#include <strings.h>

/* The switches of one topology, as they are read. */
struct switches {
	struct select *s;
	struct sl_switch *sw;
	uint32_t **node;
	uint32_t at, capacity;
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
	if (node == UINT32_MAX || sw->node_count == all->s->node_count)
		return 0; /* As in Slurm, names that are no nodes are passed over. */
	all->node[all->at][sw->node_count++] = node;
	return 0;
}

/* The nodes as they are listed: a ring goes by that. */
static int nodes_listed(struct switches *all, const char *list, struct sl_err *err)
{
	struct sl_switch *sw = &all->sw[all->at];
	all->node[all->at] = sl_alloc(all->s->arena, (size_t)all->s->node_count + 1, sizeof(uint32_t));
	if (!all->node[all->at])
		return sl_fail_memory(err);
	sw->node = all->node[all->at];
	struct sl_err ignored = { 0 };
	(void)sl_hosts_each(list, strlen(list), NULL, &ignored, add_listed, all);
	return SL_OK;
}

/* ---- Trees -------------------------------------------------------------------------------------------- */

struct adoption {
	struct switches *all;
	uint32_t up;
};

static int adopt(void *self, const char *name, size_t len)
{
	const struct adoption *a = self;
	for (uint32_t i = 0; i < a->all->capacity; i++)
		if (strncmp(a->all->sw[i].name, name, len) == 0 && !a->all->sw[i].name[len] && i != a->up)
			a->all->sw[i].parent = a->up;
	return 0;
}

static void find_parents(struct switches *all)
{
	for (uint32_t i = 0; i < all->capacity; i++) {
		const char *list = all->sw[i].switches;
		struct adoption a = { all, i };
		struct sl_err ignored = { 0 };
		if (list)
			(void)sl_hosts_each(list, strlen(list), NULL, &ignored, adopt, &a);
	}
}

/* Levels, and nodes of what is above leaves; switches that hang on each other end it (the reader has refused
 * them). */
static int raise_levels(struct switches *all, struct sl_err *err)
{
	struct select *s = all->s;
	for (uint32_t i = 0; i < all->capacity; i++) {
		uint32_t level = 0;
		for (uint32_t at = all->sw[i].parent; at != UINT32_MAX && ++level <= all->capacity;
			at = all->sw[at].parent)
			all->sw[at].level = level > all->sw[at].level ? level : all->sw[at].level;
	}
	for (uint32_t i = 0; i < all->capacity; i++) {
		if (!all->sw[i].switches)
			continue;
		uint32_t *node = sl_alloc(s->arena, (size_t)s->node_count + 1, sizeof(*node));
		if (!node)
			return sl_fail_memory(err);
		memset(all->set, 0, s->words * sizeof(*all->set));
		for (uint32_t k = 0; k < all->capacity; k++) {
			uint32_t at = all->sw[k].parent, steps = 0;
			while (at != UINT32_MAX && at != i && ++steps <= all->capacity)
				at = all->sw[at].parent;
			for (uint32_t n = 0; at == i && !all->sw[k].switches && n < all->sw[k].node_count;
				n++)
				bit_set(all->set, all->sw[k].node[n]);
		}
		for (uint32_t n = bits_next(all->set, s->words, 0); n != UINT32_MAX;
			n = bits_next(all->set, s->words, n + 1))
			node[all->sw[i].node_count++] = n;
		all->sw[i].node = node;
	}
	return SL_OK;
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
	find_parents(&all);
	return raise_levels(&all, err);
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
