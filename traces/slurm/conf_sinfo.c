/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_sinfo.c - what sinfo prints, as the machine: a table with a header (sinfo, -N, -l, -o), or --json.
 *
 * A row is nodes in a partition. Each node becomes a line as scontrol show node would have it, by the first
 * row that names it; each partition one, with the nodes of its rows. What a row says of several nodes that
 * differ ("16+") is nobody's size, and is refused: -N says it of each.
 */
#include <stdio.h>
#include <string.h>

#include "traces/slurm/conf.h"
#include "traces/slurm/squeue.h"

enum { COLUMNS_MAX = 100, PARTITIONS_MAX = 10000 };

enum column {
	COLUMN_NODES, /* NODELIST, HOSTNAMES */
	COLUMN_PARTITION,
	COLUMN_AVAIL,
	COLUMN_TIME,
	COLUMN_DEFAULT_TIME,
	COLUMN_JOB_SIZE,
	COLUMN_SHARED,
	COLUMN_STATE,
	COLUMN_CPUS,
	COLUMN_SCT, /* "2:8:2" */
	COLUMN_SOCKETS,
	COLUMN_CORES,
	COLUMN_THREADS,
	COLUMN_MEMORY,
	COLUMN_WEIGHT,
	COLUMN_FEATURES,
	COLUMN_GRES,
	COLUMN_REASON,
	COLUMN_OTHER,
	COLUMN_COUNT
};

/* As src/sinfo/print.c of Slurm heads them; a name that was cut is taken for the first that begins so. */
static const struct {
	const char *name;
	enum column column;
} headings[] = {
	{ "NODELIST", COLUMN_NODES },
	{ "HOSTNAMES", COLUMN_NODES },
	{ "PARTITION", COLUMN_PARTITION },
	{ "AVAIL", COLUMN_AVAIL },
	{ "TIMELIMIT", COLUMN_TIME },
	{ "DEFAULTTIME", COLUMN_DEFAULT_TIME },
	{ "JOB_SIZE", COLUMN_JOB_SIZE },
	{ "OVERSUBSCRIBE", COLUMN_SHARED },
	{ "STATE", COLUMN_STATE },
	{ "CPUS", COLUMN_CPUS },
	{ "S:C:T", COLUMN_SCT },
	{ "SOCKETS", COLUMN_SOCKETS },
	{ "CORES", COLUMN_CORES },
	{ "THREADS", COLUMN_THREADS },
	{ "MEMORY", COLUMN_MEMORY },
	{ "WEIGHT", COLUMN_WEIGHT },
	{ "AVAIL_FEATURES", COLUMN_FEATURES },
	{ "FEATURES", COLUMN_FEATURES },
	{ "GRES", COLUMN_GRES },
	{ "REASON", COLUMN_REASON },
	{ "NODES", COLUMN_OTHER },
	{ "NODES(A/I/O/T)", COLUMN_OTHER },
	{ "CPUS(A/I/O/T)", COLUMN_OTHER },
	{ "TMP_DISK", COLUMN_OTHER },
	{ "ACTIVE_FEATURES", COLUMN_OTHER },
	{ "ROOT", COLUMN_OTHER },
	{ "GROUPS", COLUMN_OTHER },
	{ "RESERVATION", COLUMN_OTHER },
	{ "CPU_LOAD", COLUMN_OTHER },
	{ "FREE_MEM", COLUMN_OTHER },
	{ "PRIO_JOB_FACTOR", COLUMN_OTHER },
	{ "PRIO_TIER", COLUMN_OTHER },
	{ "PREEMPT_MODE", COLUMN_OTHER },
};

struct part {
	const char *name;
	char *nodes; /* As listed so far. */
	size_t nodes_len, nodes_capacity;
	struct sl_place at; /* Of its first row. */
	struct conf_pair pair[6];
	uint32_t count;
};

struct sinfo {
	struct conf *conf;
	struct conf_lines *into;
	const char *file;
	struct sl_names *seen; /* Nodes. */
	uint32_t nodes;
	struct part *part;
	size_t part_count, part_capacity;
	/* Of the table. */
	enum column column[COLUMNS_MAX];
	size_t columns;
	char separator;
	/* Of a row. */
	const char *cell[COLUMN_COUNT];
	struct sl_place at;
};

/* ---- A row becomes lines ---------------------------------------------------------------------------- */

static int sinfo_pair(struct sinfo *t, struct conf_line *line, const char *key, const char *value)
{
	const struct conf_pair pair = { .key = key, .value = value, .at = t->at, .column = t->at.column };
	if (!value || !*value)
		return SL_OK;
	if (conf_pair_add(t->conf, t->into, line, &pair))
		return SL_OK;
	return t->conf->err->status ? t->conf->err->status : sl_fail_memory(t->conf->err);
}

static int check_alike(struct sinfo *t, const char *value, const char *what)
{
	if (!value || !strchr(value, '+'))
		return SL_OK;
	return sl_fail_at(t->conf->err, &t->at,
		"the nodes of this row differ in %s (%.20s): ask sinfo with -N, which has a row for each",
		what, value);
}

static int node_add(void *self, const char *name, size_t len)
{
	static const struct {
		enum column column;
		const char *key;
	} pairs[] = { { COLUMN_CPUS, "CPUs" }, { COLUMN_SOCKETS, "Sockets" },
		{ COLUMN_CORES, "CoresPerSocket" }, { COLUMN_THREADS, "ThreadsPerCore" },
		{ COLUMN_MEMORY, "RealMemory" }, { COLUMN_WEIGHT, "Weight" }, { COLUMN_FEATURES, "Features" },
		{ COLUMN_GRES, "Gres" }, { COLUMN_STATE, "State" }, { COLUMN_REASON, "Reason" } };
	struct sinfo *t = self;
	const char *kept = conf_strdup(&t->conf->mem, name, len);
	if (!kept)
		return sl_fail_memory(t->conf->err);
	const uint32_t number = sl_names_add(t->seen, kept);
	if (number == UINT32_MAX)
		return sl_fail_memory(t->conf->err);
	if (number < t->nodes)
		return SL_OK; /* In another partition. */
	t->nodes = number + 1;
	struct conf_line *line = conf_line_new(t->conf, t->into, CONF_NODE);
	if (!line)
		return sl_fail_memory(t->conf->err);
	line->observed = true;
	int status = sinfo_pair(t, line, "NodeName", kept);
	for (size_t i = 0; i < SL_LEN(pairs) && !status; i++)
		status = sinfo_pair(t, line, pairs[i].key, t->cell[pairs[i].column]);
	return status;
}

static struct part *part_of(struct sinfo *t, const char *name)
{
	for (size_t i = 0; i < t->part_count; i++)
		if (strcmp(t->part[i].name, name) == 0)
			return &t->part[i];
	if (t->part_count == PARTITIONS_MAX) {
		(void)sl_fail_at(t->conf->err, &t->at, "more than %d partitions", PARTITIONS_MAX);
		return NULL;
	}
	if (t->part_count == t->part_capacity) {
		const size_t capacity = t->part_capacity ? 2 * t->part_capacity : 16;
		struct part *part = conf_alloc(&t->conf->mem, capacity, sizeof(*part));
		if (!part) {
			(void)sl_fail_memory(t->conf->err);
			return NULL;
		}
		if (t->part_count)
			memcpy(part, t->part, t->part_count * sizeof(*part));
		t->part = part;
		t->part_capacity = capacity;
	}
	t->part[t->part_count] = (struct part){ .name = name, .at = t->at };
	return &t->part[t->part_count++];
}

static void part_put(struct sinfo *t, struct part *part, const char *key, const char *value)
{
	if (value && *value && part->count < SL_LEN(part->pair))
		part->pair[part->count++] =
			(struct conf_pair){ .key = key, .value = value, .at = t->at, .column = t->at.column };
}

/* "1-infinite", "2-4", "8" */
static void job_size(struct sinfo *t, struct part *part, const char *size)
{
	const char *dash = size ? strchr(size, '-') : NULL;
	if (!size)
		return;
	const size_t len = dash ? (size_t)(dash - size) : strlen(size);
	part_put(t, part, "MinNodes", conf_strdup(&t->conf->mem, size, len));
	part_put(t, part, "MaxNodes", !dash ? size : conf_same(dash + 1, "infinite") ? NULL : dash + 1);
}

static void part_begin(struct sinfo *t, struct part *part, bool is_default)
{
	static const char *const states[][2] = { { "up", "UP" }, { "down", "DOWN" }, { "drain", "DRAIN" },
		{ "inact", "INACTIVE" } };
	const char *avail = t->cell[COLUMN_AVAIL], *time = t->cell[COLUMN_TIME],
		   *usual = t->cell[COLUMN_DEFAULT_TIME];
	if (is_default)
		part_put(t, part, "Default", "YES");
	for (size_t i = 0; avail && i < SL_LEN(states); i++)
		if (conf_begins(avail, states[i][0]))
			part_put(t, part, "State", states[i][1]);
	part_put(t, part, "MaxTime", time && conf_begins(time, "infinite") ? "UNLIMITED" : time);
	if (usual && !conf_same(usual, "n/a") && !conf_same(usual, "infinite"))
		part_put(t, part, "DefaultTime", usual);
	job_size(t, part, t->cell[COLUMN_JOB_SIZE]);
}

/* A row of each of many nodes: what is there is copied as often as it doubles. */
static int part_nodes_add(struct sinfo *t, struct part *part, const char *nodes)
{
	const size_t len = strlen(nodes);
	const size_t wanted = part->nodes_len + len + sizeof(",");
	if (wanted > part->nodes_capacity) {
		char *more = conf_alloc(&t->conf->mem, 2 * wanted, 1);
		if (!more)
			return sl_fail_memory(t->conf->err);
		if (part->nodes_len)
			memcpy(more, part->nodes, part->nodes_len);
		part->nodes = more;
		part->nodes_capacity = 2 * wanted;
	}
	if (part->nodes_len)
		part->nodes[part->nodes_len++] = ',';
	memcpy(part->nodes + part->nodes_len, nodes, len + 1);
	part->nodes_len += len;
	return SL_OK;
}

static int part_take(struct sinfo *t, const char *nodes)
{
	const char *name = t->cell[COLUMN_PARTITION];
	if (!name || conf_same(name, "n/a"))
		return SL_OK; /* A node of no partition. */
	size_t len = strlen(name);
	const bool is_default = name[len - 1] == '*';
	if (is_default && --len)
		name = conf_strdup(&t->conf->mem, name, len);
	struct part *part = name ? part_of(t, name) : NULL;
	if (!part)
		return t->conf->err->status ? t->conf->err->status : sl_fail_memory(t->conf->err);
	if (!part->count)
		part_begin(t, part, is_default);
	return part_nodes_add(t, part, nodes);
}

static int sct_take(struct sinfo *t)
{
	static const enum column to[] = { COLUMN_SOCKETS, COLUMN_CORES, COLUMN_THREADS };
	const char *rest = t->cell[COLUMN_SCT];
	for (size_t i = 0, len; i < SL_LEN(to) && rest; i++) {
		const char *word = conf_part(&rest, ":", &len);
		t->cell[to[i]] = conf_strdup(&t->conf->mem, word, len);
		if (!t->cell[to[i]])
			return sl_fail_memory(t->conf->err);
	}
	return SL_OK;
}

/* A row of cells. */
static int row_take(struct sinfo *t)
{
	static const struct {
		enum column column;
		const char *what;
	} alike[] = { { COLUMN_CPUS, "cpus" }, { COLUMN_SCT, "sockets, cores or threads" },
		{ COLUMN_SOCKETS, "sockets" }, { COLUMN_CORES, "cores" }, { COLUMN_THREADS, "threads" },
		{ COLUMN_MEMORY, "memory" }, { COLUMN_WEIGHT, "weight" } };
	const char *nodes = t->cell[COLUMN_NODES];
	int status = SL_OK;
	if (!nodes)
		return SL_OK; /* A partition without nodes. */
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (t->cell[i] && (conf_same(t->cell[i], "(null)") || conf_same(t->cell[i], "none")))
			t->cell[i] = NULL;
	for (size_t i = 0; i < SL_LEN(alike) && !status; i++)
		status = check_alike(t, t->cell[alike[i].column], alike[i].what);
	if (!status && t->cell[COLUMN_SCT])
		status = sct_take(t);
	if (!status)
		status = part_take(t, nodes);
	if (!status)
		status = sl_hosts_each(nodes, strlen(nodes), &t->at, t->conf->err, node_add, t);
	return status;
}

static int parts_add(struct sinfo *t)
{
	int status = SL_OK;
	for (size_t i = 0; i < t->part_count && !status; i++) {
		const struct part *part = &t->part[i];
		struct conf_line *line = conf_line_new(t->conf, t->into, CONF_PARTITION);
		if (!line)
			return sl_fail_memory(t->conf->err);
		line->observed = true;
		t->at = part->at;
		status = sinfo_pair(t, line, "PartitionName", part->name);
		if (!status)
			status = sinfo_pair(t, line, "Nodes", part->nodes);
		for (uint32_t k = 0; k < part->count && !status; k++)
			status = sinfo_pair(t, line, part->pair[k].key, part->pair[k].value);
	}
	return status;
}

static int sinfo_begin(struct sinfo *t)
{
	if (!t->conf->mem.arena && !conf_alloc(&t->conf->mem, 1, 1))
		return sl_fail_memory(t->conf->err);
	t->seen = sl_names_new(t->conf->mem.arena);
	return t->seen ? SL_OK : sl_fail_memory(t->conf->err);
}

/* ---- The table ------------------------------------------------------------------------------------------
 */

/* -1: it is none of sinfo's. */
static int column_of(const char *p, size_t len)
{
	for (size_t i = 0; i < SL_LEN(headings); i++)
		if (strlen(headings[i].name) == len && memcmp(headings[i].name, p, len) == 0)
			return (int)headings[i].column;
	for (size_t i = 0; len >= 4 && i < SL_LEN(headings); i++)
		if (strlen(headings[i].name) > len && memcmp(headings[i].name, p, len) == 0)
			return (int)headings[i].column;
	return -1;
}

/* The next cell, trimmed of blanks; false: there is none. */
static bool next_cell(char separator, const char **p, const char *end, const char **cell, size_t *len)
{
	while (*p < end && **p == ' ')
		(*p)++;
	if (*p == end)
		return false;
	const char *stop = memchr(*p, separator, (size_t)(end - *p));
	const char *last = stop ? stop : end;
	*cell = *p;
	*p = stop ? stop + 1 : end;
	while (last > *cell && last[-1] == ' ')
		last--;
	*len = (size_t)(last - *cell);
	return true;
}

/* Of a line with nodes and a state, a partition or sizes; 0: it is no header. */
static char header_of(const char *p, const char *end, enum column *column, size_t *count)
{
	const char separator = memchr(p, '|', (size_t)(end - p)) ? '|' : ' ';
	bool nodes = false;
	size_t known = 0;
	const char *cell;
	*count = 0;
	for (size_t len; *count < COLUMNS_MAX && next_cell(separator, &p, end, &cell, &len);) {
		const int is = column_of(cell, len);
		nodes |= is == COLUMN_NODES;
		known += is >= 0 && is != COLUMN_OTHER;
		column[(*count)++] = is < 0 ? COLUMN_OTHER : (enum column)is;
	}
	return (char)(nodes && known >= 2 && known * 2 >= *count ? separator : 0);
}

static const char *sinfo_line(const char *p, const char *end, const char **next)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	const char *stop = newline ? newline : end;
	*next = newline ? newline + 1 : end;
	while (stop > p && (stop[-1] == '\r' || stop[-1] == ' '))
		stop--;
	return stop;
}

/* squeue has nodes and partitions, too, and jobs. */
bool conf_is_sinfo(const char *text, size_t len)
{
	const char *end = text + len;
	const char *next;
	enum column column[COLUMNS_MAX];
	size_t count;
	sl_time date;
	for (int i = 0; i < 3 && text < end; i++, text = next) {
		const char *stop = sinfo_line(text, end, &next);
		if (header_of(text, stop, column, &count))
			return !memmem(text, (size_t)(stop - text), "JOBID", 5);
		if (stop > text && !squeue_date(text, stop, &date))
			return false;
	}
	return false;
}

/* The last column takes what is left: a reason, or a list of features, may hold blanks. */
static int row_read(struct sinfo *t, const char *p, const char *end)
{
	const char *cell;
	size_t len, count = 0;
	memset(t->cell, 0, sizeof(t->cell));
	while (count < t->columns && next_cell(t->separator, &p, end, &cell, &len)) {
		const enum column column = t->column[count++];
		if (count == t->columns && p < end)
			len = (size_t)(end - cell);
		if (column == COLUMN_OTHER || !len)
			continue;
		t->cell[column] = conf_strdup(&t->conf->mem, cell, len);
		if (!t->cell[column])
			return sl_fail_memory(t->conf->err);
	}
	if (count + 1 < t->columns ||
		(count < t->columns && t->column[count] != COLUMN_REASON && t->column[count] != COLUMN_NODES))
		return sl_fail_at(t->conf->err, &t->at,
			"%zu cells under %zu headings: ask sinfo with a separator, as -o '%%N|%%P|%%a|%%l|%%t|%%c|%%z|%%m|%%f|%%G'",
			count, t->columns);
	return row_take(t);
}

static int table_read(struct sinfo *t, const char *p, const char *end)
{
	const char *next;
	int status = SL_OK;
	for (; p < end && !status; p = next, t->at.line++) {
		enum column column[COLUMNS_MAX];
		size_t count;
		sl_time date;
		const char *stop = sinfo_line(p, end, &next);
		const char separator = header_of(p, stop, column, &count);
		if (stop - p > CONF_LINE_MAX)
			return sl_fail_at(t->conf->err, &t->at, "a line is longer than 64 KiB");
		if (separator) {
			bool sized = false;
			for (size_t i = 0; i < count; i++)
				sized |= column[i] == COLUMN_CPUS || column[i] == COLUMN_SCT;
			if (!sized)
				return sl_fail_at(t->conf->err, &t->at,
					"sinfo does not say how large nodes are: ask it with -N -l, or give what scontrol show node prints");
			memcpy(t->column, column, count * sizeof(*column));
			t->columns = count;
			t->separator = separator;
		} else if (stop > p && !squeue_date(p, stop, &date) && t->columns) {
			status = row_read(t, p, stop);
		}
	}
	return status;
}

int conf_read_sinfo(
	struct conf *conf, const char *file, const char *text, const char *end, struct conf_lines *into)
{
	struct sinfo t = { .conf = conf, .into = into, .file = file, .at = { file, 1, 1 } };
	int status = sinfo_begin(&t);
	if (!status)
		status = table_read(&t, text, end);
	if (!status)
		status = parts_add(&t);
	if (t.seen)
		sl_names_free(t.seen);
	return status;
}

/* ---- JSON -------------------------------------------------------------------------------------------------
 */

/* Its texts, with commas between; NULL: it has none. */
static const char *json_list(struct sinfo *t, const struct sl_doc *doc, const struct sl_doc_node *list)
{
	size_t size = 0;
	SL_DOC_EACH (item, doc, list) {
		const char *text = sl_doc_string(doc, item);
		size += text ? strlen(text) + 1 : 0;
	}
	char *all = size ? conf_alloc(&t->conf->mem, size, 1) : NULL;
	char *end = all;
	SL_DOC_EACH (item, doc, list) {
		const char *text = all ? sl_doc_string(doc, item) : NULL;
		if (!text)
			continue;
		if (end > all)
			*end++ = ',';
		end = stpcpy(end, text);
	}
	return all;
}

static const char *json_text(
	struct sinfo *t, const struct sl_doc *doc, const struct sl_doc_node *row, const char *path)
{
	const struct sl_doc_node *node = sl_doc_at(doc, row, path);
	const char *text = sl_doc_string(doc, node);
	double number;
	if (node && node->kind == SL_DOC_LIST)
		return json_list(t, doc, node);
	if (text)
		return *text ? conf_strdup(&t->conf->mem, text, strlen(text)) : NULL;
	if (node && node->kind == SL_DOC_MAP) {
		if (sl_doc_is(doc, sl_doc_member(doc, node, "infinite"), "true"))
			return "infinite";
		if (sl_doc_is(doc, sl_doc_member(doc, node, "set"), "false"))
			return NULL;
		node = sl_doc_member(doc, node, "number");
	}
	return sl_doc_number(doc, node, &number) && number >= 0 && number < 9e15
		       ? conf_printf(&t->conf->mem, "%.0f", number)
		       : NULL;
}

/* The smallest and the largest, where they differ as sinfo's text has it: "16+". */
static const char *json_size(
	struct sinfo *t, const struct sl_doc *doc, const struct sl_doc_node *row, const char *what)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "%s.minimum", what);
	const char *least = json_text(t, doc, row, path);
	(void)snprintf(path, sizeof(path), "%s.maximum", what);
	const char *most = json_text(t, doc, row, path);
	return least && most && strcmp(least, most) != 0 ? conf_printf(&t->conf->mem, "%s+", least) : most;
}

int conf_sinfo_json(struct conf *conf, const char *file, const struct sl_json *where, struct sl_doc *doc,
	struct conf_lines *into)
{
	static const struct {
		const char *path;
		enum column column;
	} texts[] = { { "nodes.nodes", COLUMN_NODES }, { "partition.name", COLUMN_PARTITION },
		{ "partition.maximums.time", COLUMN_TIME },
		{ "partition.defaults.time", COLUMN_DEFAULT_TIME }, { "node.state", COLUMN_STATE },
		{ "features.total", COLUMN_FEATURES }, { "gres.total", COLUMN_GRES },
		{ "reason.description", COLUMN_REASON }, { "partition.partition.state", COLUMN_AVAIL } };
	static const struct {
		const char *what;
		enum column column;
	} sizes[] = { { "cpus", COLUMN_CPUS }, { "sockets", COLUMN_SOCKETS }, { "cores", COLUMN_CORES },
		{ "threads", COLUMN_THREADS }, { "memory", COLUMN_MEMORY }, { "weight", COLUMN_WEIGHT } };
	struct sl_json json = *where;
	struct sinfo t = { .conf = conf, .into = into, .file = file, .at = { file, 0, 0 } };
	bool first = true;
	int status = sinfo_begin(&t);
	if (!status && sl_json_peek(&json) == '[')
		sl_json_open(&json);
	else
		json.failed |= status != SL_OK;
	while (!status && !json.failed && sl_json_element(&json, &first)) {
		t.at = sl_json_place(&json, json.p);
		status = sl_json_tree(&json, doc);
		if (status || doc->node->kind != SL_DOC_MAP)
			continue;
		memset(t.cell, 0, sizeof(t.cell));
		for (size_t i = 0; i < SL_LEN(texts); i++)
			t.cell[texts[i].column] = json_text(&t, doc, doc->node, texts[i].path);
		for (size_t i = 0; i < SL_LEN(sizes); i++)
			t.cell[sizes[i].column] = json_size(&t, doc, doc->node, sizes[i].what);
		status = row_take(&t);
	}
	if (!status && json.failed)
		status = conf->err->status;
	if (!status)
		status = parts_add(&t);
	if (t.seen)
		sl_names_free(t.seen);
	return status;
}
