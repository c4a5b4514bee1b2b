/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_topology.c - topology.conf(5): a tree of switches, or blocks of nodes.
 *
 * Nodes are ordered by the topology only where slurmctld does it: with TopologyParam=SwitchAsNodeRank by leaf
 * switch, with topology/block by block, each in the order of the file; else by name.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

enum { SWITCHES_MAX = 100000 };

struct named {
	const struct conf_line *line;
	uint32_t parent; /* + 1 */
};

struct switches {
	struct conf *conf;
	struct named *named; /* By name. */
	size_t count;
	const struct conf_pair *pair; /* Whose list is read. */
	uint32_t parent;
};

static bool is_switch(const struct conf *conf, const struct conf_line *line)
{
	return conf->spec.topology == SL_TOPOLOGY_TREE
		       ? line->kind == CONF_SWITCH
		       : line->kind == CONF_BLOCK && conf_same(line->pair[0].key, "BlockName");
}

/* ---- The order of nodes ------------------------------------------------------------------------------ */

static int rank_one(void *self, struct conf *conf, uint32_t node)
{
	conf->node[node].rank = *(const uint32_t *)self;
	return SL_OK;
}

int conf_topology_rank(struct conf *conf)
{
	const struct conf_pair *param = conf_global(conf, "TopologyParam");
	const bool by_switch = param && strcasestr(param->value, "SwitchAsNodeRank");
	uint32_t rank = 0;
	int status = SL_OK;
	if (conf->spec.topology != SL_TOPOLOGY_BLOCK &&
		!(conf->spec.topology == SL_TOPOLOGY_TREE && by_switch))
		return SL_OK;
	for (size_t i = 0; i < conf->topology.count && !status; i++) {
		const struct conf_line *line = &conf->topology.line[i];
		const struct conf_pair *nodes = conf_pair_own(line, "Nodes");
		if (!is_switch(conf, line) || !nodes || conf_pair_own(line, "Switches"))
			continue;
		rank++;
		status = conf_each_known(conf, nodes, nodes->value, line->kind, line->pair[0].value,
			CONF_PASSED, rank_one, &rank);
	}
	return status;
}

/* ---- Switches ------------------------------------------------------------------------------------------ */

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	return strcmp(x->line->pair[0].value, y->line->pair[0].value);
}

static int fail_unknown(const struct switches *all, const char *name)
{
	const char *said = "";
	const char **known = calloc(all->count + 1, sizeof(*known));
	for (size_t i = 0; known && i < all->count; i++)
		known[i] = all->named[i].line->pair[0].value;
	if (known)
		said = conf_suggest(all->conf, name, known);
	free(known);
	return conf_fail(all->conf, all->pair, "there is no switch '%s'%s%s", name, *said ? ": " : "", said);
}

static int child(void *self, const char *name, size_t len)
{
	const struct switches *all = self;
	const struct conf_pair pair = { .value = name };
	struct conf_pair key_pair = pair;
	const struct conf_line line = { .pair = &key_pair, .count = 1 };
	const struct named key = { &line, 0 };
	struct named *found = bsearch(&key, all->named, all->count, sizeof(key), compare_named);
	(void)len;
	if (!found)
		return fail_unknown(all, name);
	/* As in Slurm, one may hang on several: the last of the file is its parent, and its nodes are below
	 * all of them. */
	const char *first = found->parent ? all->named[found->parent - 1].line->pair[0].value : NULL;
	if (!found->parent || all->named[found->parent - 1].line < all->named[all->parent - 1].line)
		found->parent = all->parent;
	const struct conf_line *mine = all->named[all->parent - 1].line;
	return first ? conf_report_other(all->conf,
			       &(struct sl_setting){ "switch", mine->pair[0].value, all->pair->key,
				       found->line->pair[0].value, conf_at(all->pair), SL_MODELLED,
				       "hangs on several switches: its nodes are below all of them, and the last one "
				       "of the file is its parent, as in Slurm",
				       NULL })
		     : SL_OK;
}

/* Following the parents of each ends on top, and not where it began. */
static int check_loops(const struct switches *all)
{
	enum { LEVELS_MAX = 64 };
	for (size_t i = 0; i < all->count; i++) {
		unsigned levels = 0;
		for (uint32_t at = all->named[i].parent; at; at = all->named[at - 1].parent)
			if (++levels > LEVELS_MAX)
				return conf_fail(all->conf, all->named[i].line->pair,
					"the switch '%.60s' hangs on itself, or more than %d levels deep",
					all->named[i].line->pair[0].value, LEVELS_MAX);
	}
	return SL_OK;
}

static int conf_topology_check(struct switches *all)
{
	struct conf *conf = all->conf;
	int status = SL_OK;
	qsort(all->named, all->count, sizeof(*all->named), compare_named);
	for (size_t i = 1; i < all->count; i++)
		if (!compare_named(&all->named[i], &all->named[i - 1]))
			return conf_fail(conf, all->named[i].line->pair, "two switches are called '%.60s'",
				all->named[i].line->pair[0].value);
	for (size_t i = 0; i < all->count && !status; i++) {
		const struct conf_pair *list = conf_pair_own(all->named[i].line, "Switches");
		if (!list)
			continue;
		const struct sl_place at = conf_at(list);
		all->pair = list;
		all->parent = (uint32_t)i + 1;
		status = sl_hosts_each(list->value, strlen(list->value), &at, conf->err, child, all);
	}
	return status ? status : check_loops(all);
}

static int conf_topology_report_here(struct conf *conf, const struct conf_line *line)
{
	const struct conf_pair *list = conf_pair_own(line, "Switches");
	struct sl_switch spec = { .name = line->pair[0].value, .switches = list ? list->value : NULL };
	if (strlen(spec.name) > CONF_NAME_MAX)
		return conf_fail(conf, line->pair, "a switch's name has at most %d letters", CONF_NAME_MAX);
	/* scontrol lists the nodes of every switch: those of the ones on top follow. */
	int status = list ? SL_OK : conf_hosts_meant(conf, line, &spec.nodes);
	if (!status)
		status = conf_number(conf, conf_pair_own(line, "LinkSpeed"), INT64_MAX, &spec.speed);
	if (spec.speed == SL_NONE)
		spec.speed = 0;
	const struct conf_pair *nodes = conf_pair_own(line, "Nodes");
	if (!spec.nodes && !spec.switches && nodes && !conf_same(nodes->value, "(null)"))
		spec.nodes = ""; /* A setting took them away, or no NodeName has them. */
	if (!status && !spec.nodes && !spec.switches)
		return conf_fail(
			conf, line->pair, "nothing hangs on '%.60s': give Nodes or Switches", spec.name);
	if (!status && conf->sink->sw)
		status = conf->sink->sw(conf->sink->self, &spec, &line->pair[0].at, conf->err);
	return status;
}

/* As in Slurm, the file says nothing where no plugin reads it. */
static int report_unused(struct conf *conf, struct conf_line *line)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < line->count && !status; i++) {
		struct conf_pair *pair = &line->pair[i];
		pair->reported = true;
		status = conf_report_other(conf,
			&(struct sl_setting){ "switch", line->pair[0].value, pair->key, pair->value, pair->at,
				SL_IGNORED,
				"no TopologyPlugin that reads it: as in Slurm, nodes are chosen without a topology",
				NULL });
	}
	return status;
}

int conf_topology_report(struct conf *conf)
{
	struct switches all = { .conf = conf };
	int status = SL_OK;
	all.named = calloc(conf->topology.count + 1, sizeof(*all.named));
	if (!all.named)
		return sl_fail_memory(conf->err);
	for (size_t i = 0; i < conf->topology.count && !status; i++) {
		struct conf_line *line = &conf->topology.line[i];
		if (conf->spec.topology == SL_TOPOLOGY_NONE)
			status = report_unused(conf, line);
		else if (is_switch(conf, line))
			all.named[all.count++].line = line;
	}
	if (!status && all.count > SWITCHES_MAX)
		status = sl_fail(conf->err, SL_INPUT, "more than %d switches", SWITCHES_MAX);
	if (!status)
		status = conf_topology_check(&all);
	free(all.named);
	for (size_t i = 0; i < conf->topology.count && !status; i++)
		if (is_switch(conf, &conf->topology.line[i]) && conf->spec.topology != SL_TOPOLOGY_NONE)
			status = conf_topology_report_here(conf, &conf->topology.line[i]);
	return status;
}
