/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_yaml.c - topology.yaml(5), of Slurm 25.05: a list of topologies, of which partitions name one.
 *
 *	- topology: fast
 *	  cluster_default: true
 *	  tree: {switches: [{switch: s1, nodes: "n[1-4]"}, {switch: top, children: s1}]}
 *	- topology: blocks
 *	  block: {block_sizes: [4, 8], blocks: [{block: b1, nodes: "n[1-4]"}]}
 *	- topology: plain
 *	  flat: true
 *
 * As in Slurm it stands in the place of topology.conf. The default topology, if it is a tree or blocks, is
 *the cluster's, as topology.conf would have it; all of them are settings of kind "topology", which policy
 *slurm reads: Type, Default, BlockSizes, then Switch, Block or Ring ("NAME nodes=LIST", "NAME
 *children=LIST").
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

enum { TOPOLOGIES_MAX = 1000, ITEMS_MAX = 200000, SIZES_MAX = 32 /* Each is a power of two larger. */ };

struct reading {
	struct conf *conf;
	const struct sl_doc *doc;
	const char *name; /* Of the topology that is read. */
	bool is_default;
};

static const struct kind {
	const char *word, *list, *item, *key; /* Its list, what names one of it, and as a setting. */
	enum conf_kind line;
	const char *line_name; /* In topology.conf; NULL: there is no such line. */
	enum sl_topology topology;
} kinds[] = {
	{ "tree", "switches", "switch", "Switch", CONF_SWITCH, "SwitchName", SL_TOPOLOGY_TREE },
	{ "block", "blocks", "block", "Block", CONF_BLOCK, "BlockName", SL_TOPOLOGY_BLOCK },
	{ "ring", "rings", "ring", "Ring", CONF_OTHER, NULL, SL_TOPOLOGY_NONE },
};

static const char followed[] =
	"followed with place=slurm, from 25.05 on (a ring from 26.05 on); before, and elsewhere, the default holds for all";

static int yaml_fail(const struct reading *r, const struct sl_doc_node *node, const char *what)
{
	const struct sl_place at = sl_doc_place(r->doc, node);
	return sl_fail_at(r->conf->err, &at, "%s", what);
}

/* One setting; they are reported once the cluster is. */
static int keep(struct reading *r, const struct sl_doc_node *node, const char *key, const char *value,
	enum sl_coverage coverage, const char *note)
{
	struct conf *conf = r->conf;
	if (!value)
		return sl_fail_memory(conf->err);
	if (SL_GROW_MOST(conf->yaml, conf->yaml_capacity, conf->yaml_count + 1, ITEMS_MAX, conf->err))
		return conf->err->status;
	conf->yaml[conf->yaml_count++] = (struct sl_setting){ .kind = "topology",
		.name = r->name,
		.key = key,
		.value = value,
		.at = sl_doc_place(r->doc, node),
		.coverage = coverage,
		.note = note,
		.by = coverage == SL_IGNORED ? NULL : CONF_BY_PLACE };
	return SL_OK;
}

static const char *text_of(struct reading *r, const struct sl_doc_node *node)
{
	const char *word = sl_doc_word(r->doc, node);
	return word ? conf_strdup(&r->conf->mem, word, strlen(word)) : NULL;
}

/* ---- As topology.conf has it ------------------------------------------------------------------------ */

static int line_pair(struct reading *r, struct conf_line *line, const struct sl_doc_node *node,
	const char *key, const char *value)
{
	struct conf *conf = r->conf;
	const struct sl_place at = sl_doc_place(r->doc, node);
	const struct conf_pair pair = { .key = key, .value = value, .at = at, .column = at.column };
	if (conf_pair_add(conf, &conf->topology, line, &pair))
		return SL_OK;
	return conf->err->status ? conf->err->status : sl_fail_memory(conf->err);
}

static int line_put(struct reading *r, const struct sl_doc_node *node, const struct kind *kind,
	const char *name, const char *key, const char *list)
{
	if (!r->is_default || !kind->line_name)
		return SL_OK;
	struct conf_line *line = conf_line_new(r->conf, &r->conf->topology, kind->line);
	if (!line)
		return sl_fail_memory(r->conf->err);
	const int status = line_pair(r, line, node, kind->line_name, name);
	return status || !list ? status : line_pair(r, line, node, key, list);
}

/* ---- One topology ------------------------------------------------------------------------------------ */

static int read_item(struct reading *r, const struct sl_doc_node *node, const struct kind *kind)
{
	const struct sl_doc_node *named = sl_doc_member(r->doc, node, kind->item);
	const struct sl_doc_node *nodes = sl_doc_member(r->doc, node, "nodes");
	const struct sl_doc_node *children = sl_doc_member(r->doc, node, "children");
	const char *name = text_of(r, named), *list = text_of(r, nodes ? nodes : children);
	const bool below = !nodes && kind->topology == SL_TOPOLOGY_TREE;
	if (!name || !*name || strpbrk(name, " =") || strlen(name) > CONF_NAME_MAX)
		return yaml_fail(r, named ? named : node,
			"a switch, block or ring needs a name without blanks, of 255 letters at most");
	if (!list || (children && kind->topology != SL_TOPOLOGY_TREE))
		return yaml_fail(r, node, "give nodes as a list of hosts, or of a switch children");
	const int status = keep(r, node, kind->key,
		conf_printf(&r->conf->mem, "%s %s=%s", name, below ? "children" : "nodes", list),
		SL_APPROXIMATED, followed);
	return status ? status : line_put(r, node, kind, name, below ? "Switches" : "Nodes", list);
}

/* [4, 8] as "4,8". */
static int read_sizes(struct reading *r, const struct sl_doc_node *map)
{
	const struct sl_doc_node *sizes = sl_doc_member(r->doc, map, "block_sizes");
	const char *text = NULL;
	if (sizes && sizes->count > SIZES_MAX)
		return yaml_fail(r, sizes, "more than 32 block_sizes: remove those that no block has");
	SL_DOC_EACH (size, r->doc, sizes) {
		double number;
		if (!sl_doc_number(r->doc, size, &number) || number < 1 || number > 1e9)
			return yaml_fail(r, size, "block_sizes are numbers of nodes");
		text = conf_printf(&r->conf->mem, "%s%s%.0f", text ? text : "", text ? "," : "", number);
		if (!text)
			return sl_fail_memory(r->conf->err);
	}
	if (!text)
		return SL_OK;
	int status = keep(r, sizes, "BlockSizes", text, SL_APPROXIMATED, followed);
	if (status || !r->is_default)
		return status;
	struct conf_line *line = conf_line_new(r->conf, &r->conf->topology, CONF_BLOCK);
	return line ? line_pair(r, line, sizes, "BlockSizes", text) : sl_fail_memory(r->conf->err);
}

static int read_kind(struct reading *r, const struct sl_doc_node *map, const struct kind *kind)
{
	const struct sl_doc_node *list = sl_doc_member(r->doc, map, kind->list);
	int status = keep(r, map, "Type", kind->word, SL_APPROXIMATED, followed);
	if (!status && kind->topology == SL_TOPOLOGY_BLOCK)
		status = read_sizes(r, map);
	if (!status && (!list || list->kind != SL_DOC_LIST))
		status = yaml_fail(r, list ? list : map,
			"a tree has switches, a block topology blocks, a ring topology rings: a list");
	SL_DOC_EACH (item, r->doc, list) {
		if (!status)
			status = read_item(r, item, kind);
	}
	if (r->is_default)
		r->conf->yaml_topology = kind->topology;
	return status;
}

/* Exactly one of the kinds. */
static int read_kinds(struct reading *r, const struct sl_doc_node *node)
{
	const struct sl_doc_node *flat = sl_doc_member(r->doc, node, "flat");
	const char *is_flat = sl_doc_word(r->doc, flat);
	const struct sl_doc_node *torus = sl_doc_member(r->doc, node, "torus3d");
	if (flat && (!is_flat || strcasecmp(is_flat, "true") != 0))
		return yaml_fail(
			r, flat, "'flat' is true, or not said: give another kind (tree, block, ring)");
	size_t said = flat ? 1 : 0;
	said += torus ? 1 : 0;
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		said += sl_doc_member(r->doc, node, kinds[i].word) ? 1 : 0;
	if (said != 1)
		return yaml_fail(r, node, "a topology is one of tree, block, flat, ring and torus3d");
	if (flat)
		return keep(r, flat, "Type", "flat", SL_APPROXIMATED, followed);
	if (torus)
		return keep(r, torus, "Type", "torus3d", SL_IGNORED,
			"not followed: nodes of its partitions are chosen without a topology");
	for (size_t i = 0; i < SL_LEN(kinds) && !status; i++) {
		const struct sl_doc_node *map = sl_doc_member(r->doc, node, kinds[i].word);
		if (map)
			status = read_kind(r, map, &kinds[i]);
	}
	return status;
}

static int read_topology(struct reading *r, const struct sl_doc_node *node, bool *has_default)
{
	const struct sl_doc_node *named = sl_doc_member(r->doc, node, "topology");
	const char *word = sl_doc_word(r->doc, sl_doc_member(r->doc, node, "cluster_default"));
	r->name = text_of(r, named);
	r->is_default = word && strcasecmp(word, "true") == 0 && !*has_default; /* Of several the first. */
	if (!r->name || !*r->name)
		return yaml_fail(r, named ? named : node, "a topology has a name: '- topology: NAME'");
	for (size_t i = 0; i < r->conf->yaml_count; i++)
		if (conf_same(r->conf->yaml[i].name, r->name))
			return yaml_fail(r, named, "two topologies have this name");
	int status = read_kinds(r, node);
	if (!status && r->is_default)
		status = keep(r, node, "Default", "true", SL_APPROXIMATED, followed);
	*has_default = *has_default || r->is_default;
	return status;
}

int conf_yaml_read(struct conf *conf, const char *path)
{
	struct sl_input *in;
	struct sl_doc doc = { .file = path };
	const char *text, *end;
	bool has_default = false;
	int status = conf_open(conf, path, &in);
	if (!status)
		status = conf_text_of(conf, in, &text, &end);
	if (!status)
		status = sl_doc_read_yaml(&doc, text, (size_t)(end - text), conf->err);
	struct reading r = { .conf = conf, .doc = &doc };
	if (!status && (doc.node[0].kind != SL_DOC_LIST || doc.node[0].count > TOPOLOGIES_MAX))
		status = yaml_fail(
			&r, &doc.node[0], "a list of at most 1000 topologies is wanted: '- topology: NAME'");
	SL_DOC_EACH (node, &doc, status ? NULL : &doc.node[0]) {
		if (!status)
			status = read_topology(&r, node, &has_default);
	}
	conf->has_yaml = true;
	sl_doc_release(&doc);
	return status ? status : conf_close(conf, in);
}

int conf_yaml_report(struct conf *conf)
{
	int status = conf->has_yaml ? conf_yaml_check(conf) : SL_OK;
	for (size_t i = 0; i < conf->yaml_count && !status; i++)
		status = conf_report_other(conf, &conf->yaml[i]);
	return status;
}
