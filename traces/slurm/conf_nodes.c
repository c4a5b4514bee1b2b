/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_nodes.c - NodeName lines become nodes, in the order in which slurmctld keeps them.
 *
 * slurmctld sorts its table of nodes by name, numbers in names by their value (read_config.c of 22.05: by
 * strnatcmp, of M. Pool), or first by the rank that the topology gives them (conf_topology.c). That order is
 * the one in which runs of neighbours are looked for, so it is the order in which the sink gets them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

enum { SIMILAR_MAX = 100000 };

/* ---- The order of names ------------------------------------------------------------------------------ */

/* Two runs of digits: one that begins with a zero is compared from the left, as behind a decimal point.
 * Others are numbers: the longer one is larger. */
static int conf_nodes_digits(const char *a, const char *b)
{
	const bool left = *a == '0' || *b == '0';
	int bias = 0;
	for (; sl_is_digit(*a) && sl_is_digit(*b); a++, b++) {
		if (*a == *b)
			continue;
		if (left)
			return *a < *b ? -1 : 1;
		if (!bias)
			bias = *a < *b ? -1 : 1;
	}
	return sl_is_digit(*a) ? 1 : sl_is_digit(*b) ? -1 : bias;
}

/* As slurmctld sorts names. */
static int natural(const char *a, const char *b)
{
	for (;; a++, b++) {
		const int numbers = sl_is_digit(*a) && sl_is_digit(*b) ? conf_nodes_digits(a, b) : 0;
		if (numbers)
			return numbers;
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		if (!*a)
			return 0;
	}
}

static int conf_nodes_compare_names(const void *a, const void *b)
{
	const struct conf_node *x = a;
	const struct conf_node *y = b;
	const int by_name = natural(x->name, y->name);
	return by_name ? by_name : (x->entry > y->entry) - (x->entry < y->entry);
}

uint32_t conf_node_find(const struct conf *conf, const char *name)
{
	size_t low = 0;
	size_t high = conf->node_count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const int by_name = natural(conf->node[middle].name, name);
		if (!by_name)
			return (uint32_t)middle;
		*(by_name < 0 ? &low : &high) = by_name < 0 ? middle + 1 : middle;
	}
	return UINT32_MAX;
}

/* ---- Variants ------------------------------------------------------------------------------------------ */

static int variant_new(struct conf *conf, const struct conf_variant *like, uint32_t *row)
{
	if (SL_GROW(conf->variant, conf->variant_capacity, conf->variant_count + 1, conf->err))
		return SL_SYSTEM;
	*row = (uint32_t)conf->variant_count++;
	struct conf_variant *variant = &conf->variant[*row];
	*variant = *like;
	memset(variant->by_state, 0, sizeof(variant->by_state));
	variant->step = 0;
	variant->hardware = NULL;
	return SL_OK;
}

/* The node as it was, with this line of gres.conf: the same for all nodes of one step that were alike. */
static int node_gres(struct conf *conf, struct conf_node *node, const struct conf_line *gres)
{
	const uint32_t old = node->variant;
	if (conf->variant[old].step != conf->steps) {
		struct conf_variant like = conf->variant[old];
		uint32_t child = old;
		like.parent = old;
		like.gres = gres;
		const int status = variant_new(conf, &like, &child);
		if (status)
			return status;
		conf->variant[child].step = conf->steps; /* Named twice in one list: no second time. */
		conf->variant[child].child = child;
		conf->variant[old].step = conf->steps;
		conf->variant[old].child = child;
	}
	node->variant = conf->variant[old].child;
	return SL_OK;
}

/* Nodes that differ in why alone are alike: the first reason is reported. */
static int node_state(struct conf *conf, struct conf_node *node, enum sl_node_state state, const char *reason)
{
	const uint32_t old = node->variant;
	if (conf->variant[old].state == state)
		return SL_OK;
	if (!conf->variant[old].by_state[state]) {
		struct conf_variant like = conf->variant[old];
		uint32_t child = old;
		like.parent = old;
		like.gres = NULL;
		like.state = state;
		like.reason = reason;
		const int status = variant_new(conf, &like, &child);
		if (status)
			return status;
		conf->variant[old].by_state[state] = child + 1;
	}
	node->variant = conf->variant[old].by_state[state] - 1;
	return SL_OK;
}

/* ---- Lists of nodes ----------------------------------------------------------------------------- */

struct listing {
	struct conf *conf;
	const struct conf_pair *pair;
	const char *what;
	int (*each)(void *self, struct conf *conf, uint32_t node);
	void *self;
	enum conf_unknown unknown;
	const char **missing; /* Names that no NodeName has, where they are passed over. */
	size_t missing_count, missing_capacity;
};

static const char *node_like(struct conf *conf, const char *name)
{
	const char *said = "";
	const char **known =
		conf->node_count <= SIMILAR_MAX ? calloc(conf->node_count + 1, sizeof(*known)) : NULL;
	for (size_t i = 0; known && i < conf->node_count; i++)
		known[i] = conf->node[i].name;
	if (known)
		said = conf_suggest(conf, name, known);
	free(known);
	return said;
}

static int without_node(struct listing *listing, const char *name, size_t len)
{
	struct conf *conf = listing->conf;
	if (listing->unknown == CONF_REFUSED) {
		const char *said = node_like(conf, name);
		return conf_fail(conf, listing->pair, "%s names the node '%s', which no NodeName does%s%s",
			listing->what, name, *said ? ": " : "", said);
	}
	if (listing->unknown == CONF_PASSED)
		return SL_OK;
	if (SL_GROW(listing->missing, listing->missing_capacity, listing->missing_count + 1, conf->err))
		return SL_SYSTEM;
	const char *copy = conf_strdup(&conf->mem, name, len);
	if (!copy)
		return sl_fail_memory(conf->err);
	listing->missing[listing->missing_count++] = copy;
	return SL_OK;
}

/* Those that a setting put behind this one are wherever it is. */
static int each_added(const struct listing *listing, uint32_t entry)
{
	struct conf *conf = listing->conf;
	int status = SL_OK;
	for (uint32_t i = 0; i < conf->node_count && !status; i++)
		if (conf->node[i].added && conf->node[i].entry == entry)
			status = listing->each(listing->self, conf, i);
	return status;
}

static int each_name(void *self, const char *name, size_t len)
{
	struct listing *listing = self;
	struct conf *conf = listing->conf;
	/* Lists go on as the table does: most often it is the next one. */
	uint32_t row = conf->found + 1;
	if (row >= conf->node_count || strcmp(conf->node[row].name, name) != 0)
		row = conf_node_find(conf, name);
	if (row == UINT32_MAX)
		return without_node(listing, name, len);
	conf->found = row;
	int status = conf->node[row].gone ? SL_OK : listing->each(listing->self, conf, row);
	if (!status && conf->node[row].anchor)
		status = each_added(listing, conf->node[row].entry);
	return status;
}

static int list_walk(struct listing *listing, const char *list)
{
	struct conf *conf = listing->conf;
	const struct sl_place at = conf_at(listing->pair);
	const int64_t count = sl_hosts_count(list, strlen(list), &at, conf->err);
	if (count < 0)
		return (int)count;
	conf->listed += (size_t)count;
	if (conf->listed > CONF_LISTED_MAX)
		return conf_fail(
			conf, listing->pair, "lists name more than %d nodes in all", CONF_LISTED_MAX);
	return sl_hosts_each(list, strlen(list), &at, conf->err, each_name, listing);
}

int conf_each_node(struct conf *conf, const struct conf_pair *pair, const char *list, const char *what,
	int (*each)(void *self, struct conf *conf, uint32_t node), void *self)
{
	struct listing listing = { .conf = conf, .pair = pair, .what = what, .each = each, .self = self };
	return list_walk(&listing, list);
}

int conf_each_known(struct conf *conf, const struct conf_pair *pair, const char *list, enum conf_kind kind,
	const char *name, enum conf_unknown unknown,
	int (*each)(void *self, struct conf *conf, uint32_t node), void *self)
{
	struct listing listing = {
		.conf = conf, .pair = pair, .each = each, .self = self, .unknown = unknown
	};
	int status = list_walk(&listing, list);
	if (!status && listing.missing_count) {
		const size_t len = sl_hosts_fold(listing.missing, listing.missing_count, NULL, 0);
		char *folded = conf_alloc(&conf->mem, len + 1, 1);
		const char *like = node_like(conf, listing.missing[0]);
		const char *note = conf_printf(&conf->mem, CONF_WARNED "no NodeName has it: passed over%s%s",
			*like ? "; " : "", like);
		if (folded)
			(void)sl_hosts_fold(listing.missing, listing.missing_count, folded, len + 1);
		status = folded && note ? conf_report_warned(conf, kind, name, pair, folded, note)
					: sl_fail_memory(conf->err);
	}
	free(listing.missing);
	return status;
}

/* ---- Nodes of a line ---------------------------------------------------------------------------- */

static int node_add(struct conf *conf, const char *name, size_t len, uint32_t entry)
{
	if (SL_GROW(conf->node, conf->node_capacity, conf->node_count + 1, conf->err))
		return SL_SYSTEM;
	const char *copy = conf_strdup(&conf->mem, name, len);
	if (!copy)
		return sl_fail_memory(conf->err);
	conf->node[conf->node_count++] =
		(struct conf_node){ .name = copy, .variant = conf->entry[entry].variant, .entry = entry };
	return SL_OK;
}

struct adding {
	struct conf *conf;
	uint32_t entry;
};

static int add_name(void *self, const char *name, size_t len)
{
	const struct adding *adding = self;
	return node_add(adding->conf, name, len, adding->entry);
}

/* Names behind the last one, whose number goes on. */
static int add_further(struct conf *conf, const struct conf_pair *pair, uint32_t entry, int64_t count)
{
	const char *last = conf->node[conf->node_count - 1].name;
	size_t stem = strlen(last);
	size_t width = 0;
	int64_t number = 0;
	while (stem && width < 9 && sl_is_digit(last[stem - 1])) {
		stem--;
		width++;
	}
	if (!width || !sl_get_i64(last + stem, width, &number))
		return sl_fail(conf->err, SL_USAGE,
			"--set: 'cluster.nodes[%s].count': '%s' ends in no number from which to go on",
			pair->value, last);
	conf->node[conf->node_count - 1].anchor = true;
	int status = SL_OK;
	for (int64_t i = 1; i <= count && !status; i++) {
		char name[SL_HOST_NAME_MAX + 40];
		const int len = snprintf(
			name, sizeof(name), "%.*s%0*lld", (int)stem, last, (int)width, (long long)number + i);
		status = node_add(conf, name, (size_t)len, entry);
		if (!status)
			conf->node[conf->node_count - 1].added = true;
	}
	return status;
}

static int conf_nodes_of(struct conf *conf, const struct conf_line *line, uint32_t entry)
{
	const struct conf_pair *pair = line->pair;
	const struct sl_place at = conf_at(pair);
	const size_t before = conf->node_count;
	const size_t len = strlen(pair->value);
	int64_t count = sl_hosts_count(pair->value, len, &at, conf->err);
	if (count < 0)
		return (int)count;
	const int64_t listed = count;
	int status = conf_settings_count(conf, line, &count);
	if (status)
		return status;
	if (before + (size_t)(count > listed ? count : listed) > SL_HOSTS_MAX)
		return conf_fail(conf, pair, "more than %d nodes in all", SL_HOSTS_MAX);
	struct adding adding = { conf, entry };
	status = sl_hosts_each(pair->value, len, &at, conf->err, add_name, &adding);
	for (int64_t i = count; i < listed && !status; i++)
		conf->node[before + (size_t)i].gone = true;
	if (!status && count > listed)
		status = add_further(conf, pair, entry, count - listed);
	return status;
}

/* ---- Entries ------------------------------------------------------------------------------------ */

static int entry_new(struct conf *conf, const struct conf_line *line, const char *signature, uint32_t *row)
{
	if (SL_GROW(conf->entry, conf->entry_capacity, conf->entry_count + 1, conf->err))
		return SL_SYSTEM;
	*row = (uint32_t)conf->entry_count++;
	struct conf_entry *entry = &conf->entry[*row];
	*entry = (struct conf_entry){
		.line = line, .signature = signature, .hosts = signature ? NULL : line->pair[0].value
	};
	const struct conf_variant like = { .entry = *row, .parent = UINT32_MAX };
	int status = variant_new(conf, &like, &entry->variant);
	if (!status && signature)
		status = sl_map_add(&conf->entry_map, sl_hash_text(0, signature), *row, conf->err);
	return status;
}

/* scontrol shows nodes one by one: those that say the same are of one entry. */
static int entry_like(struct conf *conf, const struct conf_line *line, uint32_t *row)
{
	static const char *const key[] = { "Boards", "CPUs", "Sockets", "CoresPerSocket", "ThreadsPerCore",
		"CoreSpecCount", "CPUSpecList", "MemSpecLimit", "RealMemory", "TmpDisk", "Gres", "Features",
		"Weight" };
	char signature[CONF_LINE_MAX];
	size_t len = 0;
	for (size_t i = 0; i < SL_LEN(key); i++) {
		const char *value = conf_value_of(line, key[i]);
		const size_t more = value ? strlen(value) : 0;
		if (len + more + 2 > sizeof(signature))
			return conf_fail(conf, line->pair, "what is said of this node is longer than 64 KiB");
		if (more)
			memcpy(signature + len, value, more);
		len += more;
		signature[len++] = '\n';
	}
	signature[len] = '\0';
	const uint64_t hash = sl_hash_text(0, signature);
	SL_MAP_EACH(&conf->entry_map, hash, *row)
	if (strcmp(conf->entry[*row].signature, signature) == 0)
		return SL_OK;
	const char *copy = conf_strdup(&conf->mem, signature, len);
	return copy ? entry_new(conf, line, copy, row) : sl_fail_memory(conf->err);
}

static int entries_make(struct conf *conf)
{
	int status = SL_OK;
	for (size_t i = 0; i < conf->lines.count && !status; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		uint32_t entry = 0;
		if (line->kind != CONF_NODE || conf_is_default(line))
			continue;
		if (conf_same(line->pair[0].value, "ALL"))
			return conf_fail(
				conf, line->pair, "'ALL' cannot be a node's name: it means all of them");
		status =
			line->observed ? entry_like(conf, line, &entry) : entry_new(conf, line, NULL, &entry);
		if (!status)
			status = conf_nodes_of(conf, line, entry);
	}
	return status;
}

static int fail_twice(const struct conf *conf, size_t row)
{
	const struct conf_pair *first = conf->entry[conf->node[row - 1].entry].line->pair;
	const struct conf_pair *second = conf->entry[conf->node[row].entry].line->pair;
	if (conf->node[row].added || conf->node[row - 1].added)
		return sl_fail(conf->err, SL_USAGE,
			"--set: 'cluster.nodes[].count': there is a node '%s' already (%s:%llu)",
			conf->node[row].name, first->at.file, (unsigned long long)first->at.line);
	return conf_fail(conf, second, "there is a node '%s' already (%s:%llu)", conf->node[row].name,
		first->at.file, (unsigned long long)first->at.line);
}

/* ---- States ------------------------------------------------------------------------------------- */

struct stating {
	enum sl_node_state state;
	const char *reason;
	bool added; /* Also of nodes that the file does not have: only their entry's own state is theirs. */
};

static int state_one(void *self, struct conf *conf, uint32_t node)
{
	const struct stating *stating = self;
	if (conf->node[node].added && !stating->added)
		return SL_OK;
	return node_state(conf, &conf->node[node], stating->state, stating->reason);
}

int conf_states_apply(struct conf *conf, const struct conf_lines *lines, enum conf_kind kind)
{
	int status = SL_OK;
	for (size_t i = 0; i < lines->count && !status; i++) {
		const struct conf_line *line = &lines->line[i];
		if (line->kind != kind || conf_is_default(line))
			continue;
		const struct conf_pair *pair = conf_pair_of(line, "State");
		const char *word = pair ? pair->value : kind == CONF_DOWN ? "DOWN" : "UNKNOWN";
		struct stating stating = { .reason = conf_value_of(line, "Reason"),
			.added = kind == CONF_NODE && lines == &conf->lines };
		const bool known = conf_state_of(word, &stating.state);
		if (!known && kind == CONF_DOWN) {
			status = conf_report_warned(conf, kind, line->pair[0].value, pair, word,
				CONF_WARNED "no state of a node: the line is passed over");
			continue;
		}
		if (!known)
			return conf_fail(
				conf, pair ? pair : line->pair, "'%.60s' is no state of a node", word);
		/* A node in the cloud is off until somebody wants it; scontrol says of it what it is. */
		if (!line->observed && conf_same(word, "CLOUD"))
			stating.state = SL_NODE_POWERED_DOWN;
		/* Nodes begin up: only a later word changes that. */
		if (kind == CONF_NODE && (!pair || (lines == &conf->lines && stating.state == SL_NODE_UP)))
			continue;
		status = kind == CONF_DOWN ? conf_each_known(conf, line->pair, line->pair[0].value, kind,
						     line->pair[0].value, CONF_REPORTED, state_one, &stating)
					   : conf_each_node(conf, line->pair, line->pair[0].value, "this",
						     state_one, &stating);
	}
	return status;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static int gres_one(void *self, struct conf *conf, uint32_t node)
{
	return node_gres(conf, &conf->node[node], self);
}

/* Lines of gres.conf that name nodes; the others are for all. */
static int gres_apply(struct conf *conf)
{
	int status = SL_OK;
	for (size_t i = 0; i < conf->gres.count && !status; i++) {
		struct conf_line *line = &conf->gres.line[i];
		const struct conf_pair *pair = conf_pair_own(line, "NodeName");
		conf->steps++;
		if (pair && conf_pair_own(line, "Name"))
			status = conf_each_known(conf, pair, pair->value, CONF_GRES, pair->value,
				CONF_REPORTED, gres_one, line);
	}
	return status;
}

static int sets_make(struct conf *conf)
{
	enum { SETS_MAX = 1000 };
	conf->set = conf_alloc(&conf->mem, SETS_MAX, sizeof(*conf->set));
	if (!conf->set)
		return sl_fail_memory(conf->err);
	for (size_t i = 0; i < conf->lines.count; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		if (line->kind != CONF_NODESET)
			continue;
		if (conf->set_count == SETS_MAX)
			return conf_fail(conf, line->pair, "more than %d sets of nodes", SETS_MAX);
		conf->set[conf->set_count++] = (uint32_t)i;
	}
	return SL_OK;
}

int conf_nodes_make(struct conf *conf)
{
	int status = sets_make(conf);
	if (!status)
		status = entries_make(conf);
	if (status)
		return status;
	if (!conf->node_count)
		return sl_fail(conf->err, SL_INPUT, "%s: names no node: a cluster has lines 'NodeName=...'",
			conf->chain[0]);
	size_t sorted = 1;
	while (sorted < conf->node_count &&
		conf_nodes_compare_names(&conf->node[sorted - 1], &conf->node[sorted]) <= 0)
		sorted++;
	if (sorted < conf->node_count)
		qsort(conf->node, conf->node_count, sizeof(*conf->node), conf_nodes_compare_names);
	for (size_t i = 1; i < conf->node_count; i++)
		if (strcmp(conf->node[i].name, conf->node[i - 1].name) == 0)
			return fail_twice(conf, i);
	status = gres_apply(conf);
	if (!status)
		status = conf_states_apply(conf, &conf->lines, CONF_NODE);
	if (!status)
		status = conf_states_apply(conf, &conf->lines, CONF_DOWN);
	return status;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

struct ordered {
	uint32_t rank, row;
};

static int compare_rank(const void *a, const void *b)
{
	const struct ordered *x = a;
	const struct ordered *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* One call for neighbours of one variant. */
static int report_run(struct conf *conf, const struct ordered *order, size_t count, const char **name)
{
	const struct conf_node *first = &conf->node[order[0].row];
	int status = conf_hardware_make(conf, first->variant);
	if (status)
		return status;
	const struct conf_variant *variant = &conf->variant[first->variant];
	for (size_t i = 0; i < count; i++)
		name[i] = conf->node[order[i].row].name;
	const size_t len = sl_hosts_fold(name, count, NULL, 0);
	char *hosts = malloc(len + 1);
	if (!hosts)
		return sl_fail_memory(conf->err);
	(void)sl_hosts_fold(name, count, hosts, len + 1);
	const struct sl_nodes_spec spec = {
		.name = len <= SL_HOST_NAME_MAX ? hosts : name[0],
		.count = (int64_t)count,
		.cpus = variant->cpus,
		.mem = variant->mem,
		.hosts = hosts,
		.hardware = variant->hardware,
	};
	const struct sl_place at = conf->entry[first->entry].line->pair[0].at;
	status = conf->sink->nodes(conf->sink->self, &spec, &at, conf->err);
	free(hosts);
	return status;
}

int conf_nodes_report(struct conf *conf)
{
	struct ordered *order = calloc(conf->node_count, sizeof(*order));
	const char **name = calloc(conf->node_count, sizeof(*name));
	int status = order && name ? SL_OK : sl_fail_memory(conf->err);
	size_t count = 0;
	for (uint32_t i = 0; i < conf->node_count && !status; i++)
		if (!conf->node[i].gone)
			order[count++] = (struct ordered){ conf->node[i].rank, i };
	if (!status && count)
		qsort(order, count, sizeof(*order), compare_rank);
	for (size_t i = 0; i < count && !status;) {
		size_t end = i + 1;
		while (end < count && conf->node[order[end].row].variant == conf->node[order[i].row].variant)
			end++;
		status = report_run(conf, order + i, end - i, name);
		i = end;
	}
	free(order);
	free(name);
	return status;
}
