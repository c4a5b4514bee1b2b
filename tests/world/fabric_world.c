/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric_world.c - small fabrics for tests: so many equal nodes, and parameters as text.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"
#include "tests/world/fabric_world.h"

static void put(struct fabric_world *w, const char *key, const char *text)
{
	for (size_t i = 0; i < w->values; i++)
		if (strcmp(w->value[i].key, key) == 0)
			return;
	cr_assert_lt(w->values, FABRIC_VALUES_MAX);
	w->value[w->values++] = (struct sl_value){ .key = key, .text = text };
}

static void take(struct fabric_world *w, const char *parameters)
{
	w->values = 0;
	for (const char *p = parameters; *p;) {
		const size_t len = strcspn(p, " ");
		char *text = w->text[w->values];
		cr_assert_lt(len, sizeof(w->text[0]));
		memcpy(text, p, len);
		text[len] = '\0';
		char *equals = strchr(text, '=');
		cr_assert_not_null(equals, "%s", parameters);
		*equals = '\0';
		put(w, text, equals + 1);
		p += len;
		p += strspn(p, " ");
	}
	put(w, "efficiency", "1");
	put(w, "hop", "0");
}

int fabric_world_over(struct fabric_world *w, const char *parameters)
{
	take(w, parameters);
	w->arena = sl_arena_new();
	cr_assert_not_null(w->arena);
	const struct sl_model_setup setup = {
		.arena = w->arena, .cluster = &w->cluster, .values = w->value, .value_count = w->values
	};
	w->err = (struct sl_err){ 0 };
	w->net = NULL;
	return fabric_net_new(&w->net, &setup, &w->err);
}

int fabric_world_make(struct fabric_world *w, uint32_t nodes, const char *parameters)
{
	cr_assert_leq(nodes, FABRIC_NODES_MAX);
	memset(w, 0, sizeof(*w));
	w->type.name = "n";
	w->cluster = (struct sl_cluster){ .node_count = nodes,
		.type_count = 1,
		.kind_count = 2,
		.node_type = w->node_type,
		.type = &w->type };
	return fabric_world_over(w, parameters);
}

void fabric_world_free(struct fabric_world *w)
{
	fabric_net_free(w->net);
	sl_arena_free(w->arena);
}

struct fabric_path fabric_row(
	struct fabric_world *w, enum sl_pattern pattern, uint32_t first, uint32_t nodes, uint32_t ranks)
{
	struct fabric_spot spot[FABRIC_NODES_MAX];
	struct fabric_path path;
	for (uint32_t i = 0; i < nodes; i++)
		spot[i] = (struct fabric_spot){ first + i, ranks };
	const struct fabric_needs needs = { .pattern = pattern, .dims = 1, .spot = spot, .spots = nodes };
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	return path;
}

const struct fabric_link *fabric_link_named(const struct fabric_world *w, const char *name)
{
	const struct fabric_link *link;
	const uint32_t links = fabric_net_links(w->net, &link);
	for (uint32_t i = 0; i < links; i++)
		if (strcmp(link[i].name, name) == 0)
			return &link[i];
	cr_assert_fail("no link is called %s", name);
	return NULL;
}

int64_t fabric_flows_on(const struct fabric_world *w, const struct fabric_path *path, const char *name)
{
	const struct fabric_link *link;
	fabric_net_links(w->net, &link);
	const uint32_t wanted = (uint32_t)(fabric_link_named(w, name) - link);
	for (uint32_t i = 0; i < path->uses; i++)
		if (path->use[i].link == wanted)
			return path->use[i].flows;
	return 0;
}

double fabric_alone(const struct fabric_world *w, const struct fabric_path *path)
{
	const struct fabric_link *link;
	fabric_net_links(w->net, &link);
	double rate = (double)path->flow_rate;
	for (uint32_t i = 0; i < path->uses; i++) {
		const struct fabric_link *at = &link[path->use[i].link];
		const double share = (double)at->capacity / (double)path->use[i].flows;
		rate = at->capacity < INT64_MAX && share < rate ? share : rate;
	}
	return rate;
}
