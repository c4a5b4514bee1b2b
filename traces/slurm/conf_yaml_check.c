/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_yaml_check.c - what topologies of topology.yaml say of nodes, of each other's switches, and which of
 * them partitions name. The default one is checked as topology.conf is (conf_topology.c), but for a ring.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

enum { LEVELS_MAX = 64 };

/* A switch, block or ring: "NAME nodes=LIST" or "NAME children=LIST". */
struct item {
	const struct sl_setting *said;
	const char *list;
	size_t len;      /* Of the name. */
	bool above;      /* The list is of children. */
	uint32_t parent; /* 1 + its row; 0: none. */
};

struct items { /* Of one topology, by name. */
	struct conf *conf;
	struct item *of;
	size_t count;
	size_t up; /* Whose children are looked at. */
};

static struct conf_pair pair_of(const struct sl_setting *said)
{
	return (struct conf_pair){
		.key = said->key, .value = said->value, .at = said->at, .column = said->at.column
	};
}

static bool is_item(const struct sl_setting *said)
{
	return strcmp(said->key, "Switch") == 0 || strcmp(said->key, "Block") == 0 ||
	       strcmp(said->key, "Ring") == 0;
}

static int item_order(const struct item *item, const char *name, size_t len)
{
	const int order = memcmp(item->said->value, name, item->len < len ? item->len : len);
	return order ? order : (item->len > len) - (item->len < len);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	const int order = item_order(x, y->said->value, y->len);
	return order ? order : (x->said > y->said) - (x->said < y->said);
}

static struct item *find_item(const struct items *all, const char *name, size_t len)
{
	size_t low = 0, high = all->count;
	while (low < high) {
		const size_t half = low + (high - low) / 2;
		const int order = item_order(&all->of[half], name, len);
		if (!order)
			return &all->of[half];
		if (order < 0)
			low = half + 1;
		else
			high = half;
	}
	return NULL;
}

static int take_child(void *self, const char *name, size_t len)
{
	const struct items *all = self;
	const struct item *up = &all->of[all->up];
	struct item *child = find_item(all, name, len);
	const struct conf_pair pair = pair_of(up->said);
	if (!child)
		return conf_fail(all->conf, &pair,
			"topology '%.60s' has no switch '%.60s', a child of '%.*s'", up->said->name, name,
			(int)up->len, up->said->value);
	/* The last of the file that names it, as in topology.conf. */
	if (!child->parent || all->of[child->parent - 1].said < up->said)
		child->parent = (uint32_t)all->up + 1;
	return SL_OK;
}

static int check_levels(const struct items *all)
{
	for (size_t i = 0; i < all->count; i++) {
		unsigned levels = 0;
		const struct conf_pair pair = pair_of(all->of[i].said);
		for (uint32_t at = all->of[i].parent; at; at = all->of[at - 1].parent)
			if (++levels > LEVELS_MAX)
				return conf_fail(all->conf, &pair,
					"the switch '%.*s' hangs on itself, or more than %d levels deep",
					(int)(all->of[i].len < 60 ? all->of[i].len : 60),
					all->of[i].said->value, LEVELS_MAX);
	}
	return SL_OK;
}

static int no_more(void *self, struct conf *conf, uint32_t node)
{
	(void)self;
	(void)conf;
	(void)node;
	return SL_OK;
}

static int check_list(struct items *all, size_t row)
{
	const struct item *item = &all->of[row];
	const struct conf_pair pair = pair_of(item->said);
	const bool of_switch = strcmp(item->said->key, "Switch") == 0;
	const char *name = conf_strdup(&all->conf->mem, item->said->value, item->len);
	all->up = row;
	if (!name)
		return sl_fail_memory(all->conf->err);
	if (item->above)
		return sl_hosts_each(
			item->list, strlen(item->list), &item->said->at, all->conf->err, take_child, all);
	return conf_each_known(all->conf, &pair, item->list, of_switch ? CONF_SWITCH : CONF_BLOCK, name,
		CONF_REPORTED, no_more, NULL);
}

/* All settings of one topology stand in a row. */
static int check_topology(struct items *all, const struct sl_setting *said, size_t count)
{
	int status = SL_OK;
	all->count = 0;
	for (size_t i = 0; i < count; i++) {
		const char *value = said[i].value, *list = strchr(value, '=');
		if (!is_item(&said[i]) || !list)
			continue;
		struct item *item = &all->of[all->count++];
		*item = (struct item){ &said[i], list + 1, strcspn(value, " "), false, 0 };
		item->above = strncmp(value + item->len, " children", 9) == 0;
	}
	qsort(all->of, all->count, sizeof(*all->of), compare_items);
	for (size_t i = 1; i < all->count && !status; i++) {
		const struct conf_pair pair = pair_of(all->of[i].said);
		if (item_order(&all->of[i - 1], all->of[i].said->value, all->of[i].len) == 0)
			status = conf_fail(all->conf, &pair, "topology '%.60s' has '%.*s' twice", said->name,
				(int)(all->of[i].len < 60 ? all->of[i].len : 60), all->of[i].said->value);
	}
	for (size_t i = 0; i < all->count && !status; i++)
		status = check_list(all, i);
	return status ? status : check_levels(all);
}

/* Is there such a topology? */
static int check_partitions(struct conf *conf)
{
	for (size_t i = 0; i < conf->lines.count; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		const struct conf_pair *pair =
			line->kind == CONF_PARTITION ? conf_pair_own(line, "Topology") : NULL;
		bool known = !pair || !*pair->value;
		for (size_t k = 0; k < conf->yaml_count && !known; k++)
			known = strcmp(conf->yaml[k].name, pair->value) == 0;
		if (!known)
			return conf_fail(conf, pair, "topology.yaml has no topology '%.60s'", pair->value);
	}
	return SL_OK;
}

int conf_yaml_check(struct conf *conf)
{
	struct items all = { .conf = conf, .of = calloc(conf->yaml_count + 1, sizeof(*all.of)) };
	int status = all.of ? check_partitions(conf) : sl_fail_memory(conf->err);
	for (size_t from = 0, to; from < conf->yaml_count && !status; from = to) {
		bool is_default = false, is_ring = false;
		for (to = from;
			to < conf->yaml_count && conf_same(conf->yaml[to].name, conf->yaml[from].name);
			to++) {
			is_default |= strcmp(conf->yaml[to].key, "Default") == 0;
			is_ring |= strcmp(conf->yaml[to].key, "Ring") == 0;
		}
		if (!is_default || is_ring)
			status = check_topology(&all, &conf->yaml[from], to - from);
	}
	free(all.of);
	return status;
}
