/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sinfo.c - sinfo: partitions and nodes, by state.
 *
 * A line is a set of nodes that agree in every field of the format that is theirs alone (a state, features);
 * fields that are sums or lists are of the whole set. A node is in a line once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

/* How a field is of many nodes. */
enum {
	KIND_PARTITION, /* The partition's: nodes of several partitions get lines of their own. */
	KIND_MATCH,     /* Nodes of a line agree in it. */
	KIND_LEAST,     /* The least, with a '+' where they differ; with -e they agree. */
	KIND_SET        /* Of all of them. */
};

struct nodes_line {
	const struct view_partition *partition;
	const uint32_t *node;
	uint32_t count;
};

#define LINE       ((const struct nodes_line *)line)
#define SPEC       (LINE->partition->spec)
#define TEXT(text) cell_put(cell, "%s", text)

/* ---- Of the partition ------------------------------------------------------------------------ */

VIEW_FIELD(view_sinfo_put_name)
{
	cell_put(cell, "%s%s", LINE->partition->name, LINE->partition->is_default ? "*" : "");
}

VIEW_FIELD(put_bare_name) { TEXT(LINE->partition->name); }

VIEW_FIELD(put_avail)
{
	static const char *const word[] = { "up", "down", "drain", "inact" };
	TEXT(SPEC ? word[SPEC->state] : "up");
}

static void view_sinfo_put_time(struct cell *cell, sl_time time, const char *none)
{
	if (time == SL_NEVER)
		TEXT("infinite");
	else if (time == SL_NONE)
		TEXT(none);
	else
		put_range(cell, seconds_of(time), false);
}

VIEW_FIELD(put_max_time) { view_sinfo_put_time(cell, SPEC ? SPEC->max_time : SL_NEVER, "infinite"); }

VIEW_FIELD(put_default_time) { view_sinfo_put_time(cell, SPEC ? SPEC->default_time : SL_NONE, "n/a"); }

VIEW_FIELD(put_job_size)
{
	const int64_t least = SPEC && SPEC->nodes_min > 0 ? SPEC->nodes_min : 1;
	const int64_t most =
		SPEC && SPEC->nodes_max != SL_NONE && SPEC->nodes_max != SL_NEVER ? SPEC->nodes_max : -1;
	cell_put(cell, "%" PRId64, least);
	if (most < 0)
		TEXT("-infinite");
	else if (most != least)
		cell_put(cell, "-%" PRId64, most);
}

VIEW_FIELD(put_root) { TEXT(SPEC && SPEC->root_only ? "yes" : "no"); }

VIEW_FIELD(put_shares)
{
	const enum sl_share share = SPEC ? SPEC->share : SL_SHARE_NO;
	if (share == SL_SHARE_EXCLUSIVE)
		TEXT("EXCLUSIV");
	else if (share == SL_SHARE_NO)
		TEXT("NO");
	else
		cell_put(cell, "%s:%" PRId64, share == SL_SHARE_FORCE ? "FORCE" : "YES",
			SPEC->shares > 0 ? SPEC->shares : 4);
}

VIEW_FIELD(put_groups)
{
	const char *groups = sl_setting_of(view->cluster, "partition", LINE->partition->name, "AllowGroups");
	TEXT(groups ? groups : "all");
}

VIEW_FIELD(put_tier) { cell_put(cell, "%" PRId64, SPEC && SPEC->tier != SL_NONE ? SPEC->tier : 1); }

VIEW_FIELD(put_factor)
{
	cell_put(cell, "%" PRId64, SPEC && SPEC->job_factor != SL_NONE ? SPEC->job_factor : 1);
}

VIEW_FIELD(put_cpus_max)
{
	if (SPEC && SPEC->cpus_per_node_max != SL_NONE && SPEC->cpus_per_node_max != SL_NEVER)
		cell_put(cell, "%" PRId64, SPEC->cpus_per_node_max);
	else
		TEXT("UNLIMITED");
}

VIEW_FIELD(put_preempt)
{
	const char *mode = sl_setting_of(view->cluster, "partition", LINE->partition->name, "PreemptMode");
	if (!mode)
		mode = sl_setting_of(view->cluster, "cluster", "", "PreemptMode");
	TEXT(mode ? mode : "OFF");
}

VIEW_FIELD(put_alloc_nodes) { TEXT("all"); }

/* ---- In which nodes agree ------------------------------------------------------------------------ */

VIEW_FIELD(view_sinfo_put_state)
{
	if (LINE->count)
		put_node_state(cell, view->node[LINE->node[0]].state, false);
	else
		TEXT("n/a");
}

VIEW_FIELD(put_brief_state)
{
	if (LINE->count)
		put_node_state(cell, view->node[LINE->node[0]].state, true);
	else
		TEXT("n/a");
}

VIEW_FIELD(put_feature_list)
{
	if (LINE->count)
		put_features(cell, view, LINE->node[0]);
}

VIEW_FIELD(put_gres_list)
{
	if (LINE->count)
		put_gres(cell, view, LINE->node[0], false);
}

VIEW_FIELD(put_gres_used)
{
	if (LINE->count)
		put_gres(cell, view, LINE->node[0], true);
}

static const char *why_of(const struct view *view, const struct nodes_line *line)
{
	const struct view_node *node = line->count ? &view->node[line->node[0]] : NULL;
	const uint32_t state = node ? node->state : VIEW_IDLE;
	const bool displayed =
		state & (VIEW_DRAIN | VIEW_FAIL | VIEW_MAINT) || (state & VIEW_BASE) == VIEW_DOWN;
	return displayed ? node->reason : NULL;
}

VIEW_FIELD(put_why)
{
	const char *why = why_of(view, line);
	TEXT(why ? why : "none");
}

VIEW_FIELD(put_why_time) { TEXT("Unknown"); }

/* ---- The least of them ------------------------------------------------------------------------------ */

static int64_t view_sinfo_cpus_of(const struct view *view, uint32_t node) { return view->node[node].cpus; }
static int64_t mem_of(const struct view *view, uint32_t node)
{
	return view->node[node].mem ? view->node[node].mem : 1;
}
static int64_t free_of(const struct view *view, uint32_t node)
{
	return mem_of(view, node) - view->node[node].mem_busy;
}
static int64_t disk_of(const struct view *view, uint32_t node) { return view_hardware(view, node).tmp_disk; }
static int64_t view_sinfo_weight_of(const struct view *view, uint32_t node)
{
	return view_hardware(view, node).weight;
}
static int64_t sockets_of(const struct view *view, uint32_t node)
{
	return view_hardware(view, node).sockets;
}
static int64_t cores_of(const struct view *view, uint32_t node) { return view_cores(view, node); }
static int64_t threads_of(const struct view *view, uint32_t node)
{
	return view_hardware(view, node).threads;
}

/* In parts, 1: of whole things. */
static void put_least(struct cell *cell, const struct view *view, const struct nodes_line *line,
	int64_t (*of)(const struct view *view, uint32_t node), int64_t parts)
{
	int64_t least = line->count ? of(view, line->node[0]) : 0;
	bool differ = false;
	for (uint32_t i = 1; i < line->count; i++) {
		const int64_t value = of(view, line->node[i]);
		differ |= value != least;
		least = value < least ? value : least;
	}
	cell_put(cell, "%s%s", amount_of(least, parts).text, differ ? "+" : "");
}

#define LEAST(name, of) \
	VIEW_FIELD(name) { put_least(cell, view, LINE, of, 1); }
VIEW_FIELD(put_cpus) { put_least(cell, view, LINE, view_sinfo_cpus_of, view->cluster->cpu_parts); }
LEAST(put_mem_size, mem_of)
LEAST(put_free, free_of)
LEAST(put_disk, disk_of)
LEAST(put_weight, view_sinfo_weight_of)
LEAST(put_sockets, sockets_of)
LEAST(put_cores, cores_of)
LEAST(put_threads, threads_of)

VIEW_FIELD(put_layout)
{
	put_least(cell, view, LINE, sockets_of, 1);
	TEXT(":");
	put_least(cell, view, LINE, cores_of, 1);
	TEXT(":");
	put_least(cell, view, LINE, threads_of, 1);
}

/* ---- Of all of them -------------------------------------------------------------------------------------
 */

VIEW_FIELD(view_sinfo_put_count) { cell_put(cell, "%" PRIu32, LINE->count); }

VIEW_FIELD(put_list) { put_nodes(cell, view, LINE->node, LINE->count); }

/* Allocated, idle, other. */
static void nodes_by_use(const struct view *view, const struct nodes_line *line, uint32_t sum[3])
{
	sum[0] = sum[1] = sum[2] = 0;
	for (uint32_t i = 0; i < line->count; i++) {
		const uint32_t state = view->node[line->node[i]].state;
		const uint32_t base = state & VIEW_BASE;
		const bool busy = base == VIEW_ALLOCATED || base == VIEW_MIXED;
		const bool away = base == VIEW_DOWN || base == VIEW_FUTURE || state & VIEW_DRAIN;
		sum[busy ? 0 : away ? 2 : 1]++;
	}
}

VIEW_FIELD(put_nodes_ai)
{
	uint32_t sum[3];
	nodes_by_use(view, line, sum);
	cell_put(cell, "%" PRIu32 "/%" PRIu32, sum[0], sum[1]);
}

VIEW_FIELD(put_nodes_aiot)
{
	uint32_t sum[3];
	nodes_by_use(view, line, sum);
	cell_put(cell, "%" PRIu32 "/%" PRIu32 "/%" PRIu32 "/%" PRIu32, sum[0], sum[1], sum[2], LINE->count);
}

VIEW_FIELD(put_cpus_aiot)
{
	int64_t busy = 0;
	int64_t other = 0;
	int64_t total = 0;
	for (uint32_t i = 0; i < LINE->count; i++) {
		const struct view_node *node = &view->node[LINE->node[i]];
		const bool away = (node->state & VIEW_BASE) == VIEW_DOWN || node->state & VIEW_DRAIN;
		total += node->cpus;
		busy += node->cpus_busy;
		other += away ? node->cpus - node->cpus_busy : 0;
	}
	cell_put(cell, "%s/%s/%s/%s", view_cpus(view, busy).text, view_cpus(view, total - busy - other).text,
		view_cpus(view, other).text, view_cpus(view, total).text);
}

VIEW_FIELD(put_load) { TEXT("N/A"); }

static const struct view_field fields[] = {
	{ 'a', "Available", "AVAIL", put_avail, KIND_PARTITION },
	{ 'A', "NodeAI", "NODES(A/I)", put_nodes_ai, KIND_SET },
	{ 'b', "features_act", "ACTIVE_FEATURES", put_feature_list, KIND_MATCH },
	{ 'B', "MaxCPUsPerNode", "MAX_CPUS_PER_NODE", put_cpus_max, KIND_PARTITION },
	{ 'c', "CPUs", "CPUS", put_cpus, KIND_LEAST },
	{ 'C', "CPUsState", "CPUS(A/I/O/T)", put_cpus_aiot, KIND_SET },
	{ 'd', "Disk", "TMP_DISK", put_disk, KIND_LEAST },
	{ 'D', "Nodes", "NODES", view_sinfo_put_count, KIND_SET },
	{ 'e', "FreeMem", "FREE_MEM", put_free, KIND_LEAST },
	{ 'E', "Reason", "REASON", put_why, KIND_MATCH },
	{ 'f', "Features", "AVAIL_FEATURES", put_feature_list, KIND_MATCH },
	{ 'F', "NodeAIOT", "NODES(A/I/O/T)", put_nodes_aiot, KIND_SET },
	{ 'g', "Groups", "GROUPS", put_groups, KIND_PARTITION },
	{ 'G', "Gres", "GRES", put_gres_list, KIND_MATCH },
	{ 'h', "OverSubscribe", "OVERSUBS", put_shares, KIND_PARTITION },
	{ 'H', "Timestamp", "TIMESTAMP", put_why_time, KIND_MATCH },
	{ 'i', "Reservation", "RESERVATION", NULL, KIND_SET },
	{ 'I', "PriorityJobFactor", "PRIO_JOB_FACTOR", put_factor, KIND_PARTITION },
	{ 'l', "Time", "TIMELIMIT", put_max_time, KIND_PARTITION },
	{ 'L', "DefaultTime", "DEFAULTTIME", put_default_time, KIND_PARTITION },
	{ 'm', "Memory", "MEMORY", put_mem_size, KIND_LEAST },
	{ 'M', "PreemptMode", "PREEMPT_MODE", put_preempt, KIND_PARTITION },
	{ 'n', "NodeHost", "HOSTNAMES", put_list, KIND_SET },
	{ 'N', "NodeList", "NODELIST", put_list, KIND_SET },
	{ 'o', "NodeAddr", "NODE_ADDR", put_list, KIND_SET },
	{ 'O', "CPUsLoad", "CPU_LOAD", put_load, KIND_SET },
	{ 'p', "PriorityTier", "PRIO_TIER", put_tier, KIND_PARTITION },
	{ 'P', "Partition", "PARTITION", view_sinfo_put_name, KIND_PARTITION },
	{ 'r', "Root", "ROOT", put_root, KIND_PARTITION },
	{ 'R', "PartitionName", "PARTITION", put_bare_name, KIND_PARTITION },
	{ 's', "Size", "JOB_SIZE", put_job_size, KIND_PARTITION },
	{ 'S', "AllocNodes", "ALLOCNODES", put_alloc_nodes, KIND_PARTITION },
	{ 't', "StateCompact", "STATE", put_brief_state, KIND_MATCH },
	{ 'T', "StateLong", "STATE", view_sinfo_put_state, KIND_MATCH },
	{ 'u', "User", "USER", put_why_time, KIND_MATCH },
	{ 'U', "UserLong", "USER", put_why_time, KIND_MATCH },
	{ 'v', "Version", "VERSION", NULL, KIND_SET },
	{ 'V', "Cluster", "CLUSTER", NULL, KIND_SET },
	{ 'w', "Weight", "WEIGHT", put_weight, KIND_LEAST },
	{ 'X', "Sockets", "SOCKETS", put_sockets, KIND_LEAST },
	{ 'Y', "Cores", "CORES", put_cores, KIND_LEAST },
	{ 'Z', "Threads", "THREADS", put_threads, KIND_LEAST },
	{ 'z', "SocketCoreThread", "S:C:T", put_layout, KIND_LEAST },
	{ 0, "GresUsed", "GRES_USED", put_gres_used, KIND_MATCH },
	{ 0, "StateComplete", "STATECOMPLETE", view_sinfo_put_state, KIND_MATCH },
	{ 0, "AllocMem", "ALLOCMEM", NULL, KIND_SET },
	{ 0, NULL, NULL, NULL, 0 },
};

/* ---- Lines ------------------------------------------------------------------------------------------- */

struct info_view {
	struct view view;
	const char *format_text, *format_long, *sort, *hosts;
	bool bare, all, long_list, by_node, summary, reasons, exact, responding, reservations;
	struct view_list partitions, states;
	struct view_format format;
	bool *host;
	struct nodes_line *line;
	size_t count;
};

/* A node in a partition, with what it must agree in with others of its line. */
struct member_node {
	const char *key;
	uint32_t partition, node; /* UINT32_MAX: a partition without nodes. */
};

static int compare_items(const void *a, const void *b)
{
	const struct member_node *x = a;
	const struct member_node *y = b;
	const int less = strcmp(x->key, y->key);
	if (less)
		return less;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->partition > y->partition) - (x->partition < y->partition);
}

/* "idle", "mix", "drain", as node states are asked for; "drain" is drained or draining. */
static bool state_is(uint32_t state, const char *word)
{
	static const struct {
		const char *word;
		uint32_t base, flag;
	} words[] = {
		{ "alloc", VIEW_ALLOCATED, 0 },
		{ "allocated", VIEW_ALLOCATED, 0 },
		{ "mix", VIEW_MIXED, 0 },
		{ "mixed", VIEW_MIXED, 0 },
		{ "idle", VIEW_IDLE, 0 },
		{ "down", VIEW_DOWN, 0 },
		{ "future", VIEW_FUTURE, 0 },
		{ "drain", 0, VIEW_DRAIN },
		{ "maint", 0, VIEW_MAINT },
		{ "resv", 0, VIEW_RESERVED },
		{ "reserved", 0, VIEW_RESERVED },
		{ "planned", 0, VIEW_PLANNED },
		{ "plnd", 0, VIEW_PLANNED },
		{ "no_respond", 0, VIEW_SILENT },
		{ "powered_down", 0, VIEW_POWERED_DOWN },
		{ "powering_up", 0, VIEW_POWERING_UP },
		{ "powering_down", 0, VIEW_POWERING_DOWN },
		{ "fail", 0, VIEW_FAIL },
		{ "drained", VIEW_IDLE, VIEW_DRAIN },
		{ "draining", VIEW_MIXED, VIEW_DRAIN },
		{ "draining", VIEW_ALLOCATED, VIEW_DRAIN },
		{ "drng", VIEW_MIXED, VIEW_DRAIN },
		{ "drng", VIEW_ALLOCATED, VIEW_DRAIN },
	};
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(words[i].word, word) == 0 &&
			(!words[i].base || words[i].base == (state & VIEW_BASE)) &&
			(state & words[i].flag) == words[i].flag)
			return true;
	return false;
}

static bool view_sinfo_is_displayed(const struct info_view *info, uint32_t node)
{
	const uint32_t state = info->view.node[node].state;
	if (info->host && !info->host[node])
		return false;
	if (info->responding && state & VIEW_SILENT)
		return false;
	if (info->reasons && !(state & VIEW_DRAIN) && (state & VIEW_BASE) != VIEW_DOWN)
		return false;
	for (size_t i = 0; i < info->states.count; i++)
		if (state_is(state, info->states.item[i]))
			return true;
	return !info->states.count;
}

/* The line of this node alone, to compare lines by. */
static char *view_sinfo_key_of(struct info_view *info, uint32_t partition, uint32_t node, struct cell *cell)
{
	const struct nodes_line line = { &info->view.partition[partition], &node, node != UINT32_MAX };
	cell_clear(cell);
	for (size_t i = 0; i < info->format.count; i++) {
		const struct view_field *field = info->format.column[i].field;
		const bool reported = field->kind == KIND_PARTITION || field->kind == KIND_MATCH ||
				      (field->kind == KIND_LEAST && info->exact);
		if (reported && field->put)
			field->put(cell, &info->view, &line);
		cell_put(cell, "\t");
	}
	/* A state is one even if the format does not print it, as long as it says how many nodes are in
	 * which; and nodes may have lines of their own. */
	if (info->by_node)
		cell_put(cell, "%" PRIu32, node);
	return sl_strdup(info->view.arena, cell->text ? cell->text : "", cell->len);
}

static bool partition_displayed(const struct info_view *info, const struct view_partition *partition)
{
	if (info->partitions.count)
		return list_has(&info->partitions, partition->name);
	return info->all || !partition->spec || !partition->spec->hidden;
}

static int view_sinfo_gather(
	struct info_view *info, struct member_node **items, size_t *count, struct sl_err *err)
{
	struct view *view = &info->view;
	struct cell cell = { 0 };
	const bool filtered = info->host || info->states.count || info->responding || info->reasons;
	size_t capacity = 1;
	for (uint32_t i = 0; i < view->partition_count; i++)
		capacity += view->partition[i].node_count + 1U;
	*items = sl_alloc(view->arena, capacity, sizeof(**items));
	*count = 0;
	if (!*items)
		return sl_fail_memory(err);
	const char *last_key = NULL;
	uint32_t last_state = 0;
	for (uint32_t p = 0; p < view->partition_count; p++) {
		const struct view_partition *partition = &view->partition[p];
		const bool named = view->cluster->node_count;
		if (!partition_displayed(info, partition))
			continue;
		last_key = NULL;
		for (uint32_t i = 0; i < partition->node_count; i++) {
			const uint32_t node = partition->node[i];
			if (!view_sinfo_is_displayed(info, node))
				continue;
			/* Nodes of a counted pool differ in their state alone. */
			if (named || info->by_node || !last_key || view->node[node].state != last_state)
				last_key = view_sinfo_key_of(info, p, node, &cell);
			last_state = view->node[node].state;
			(*items)[(*count)++] = (struct member_node){ last_key, p, node };
			if (!last_key)
				return sl_fail_memory(err);
		}
		if (!partition->node_count && !filtered)
			(*items)[(*count)++] =
				(struct member_node){ view_sinfo_key_of(info, p, UINT32_MAX, &cell), p,
					UINT32_MAX };
	}
	cell_free(&cell);
	return SL_OK;
}

/* Runs of equal keys become lines. */
static int view_sinfo_join(
	struct info_view *info, struct member_node *items, size_t count, struct sl_err *err)
{
	struct view *view = &info->view;
	uint32_t *node = sl_alloc(view->arena, count + 1, sizeof(*node));
	info->line = sl_alloc(view->arena, count + 1, sizeof(*info->line));
	if (!node || !info->line)
		return sl_fail_memory(err);
	qsort(items, count, sizeof(*items), compare_items);
	size_t used = 0;
	for (size_t i = 0; i < count;) {
		const char *key = items[i].key;
		struct nodes_line *line = &info->line[info->count++];
		uint32_t partition = items[i].partition;
		line->node = node + used;
		for (; i < count && strcmp(items[i].key, key) == 0; i++) {
			partition = items[i].partition < partition ? items[i].partition : partition;
			if (items[i].node == UINT32_MAX || (line->count && node[used - 1] == items[i].node))
				continue;
			node[used++] = items[i].node;
			line->count++;
		}
		line->partition = &view->partition[partition];
	}
	return SL_OK;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

static int64_t view_sinfo_first_of(const struct nodes_line *line)
{
	return line->count ? line->node[0] : UINT32_MAX;
}

static int64_t view_sinfo_place_of(const struct view *view, const struct nodes_line *line)
{
	return line->partition - view->partition;
}

static bool view_sinfo_number_of(
	const struct view *view, const void *line, const struct view_key *key, struct view_value *value)
{
	const struct view_node *node = LINE->count ? &view->node[LINE->node[0]] : NULL;
	value->none = !node && strchr("cm", key->letter);
	switch (key->letter) {
	case 'P':
	case 'R':
		value->whole = view_sinfo_place_of(view, LINE);
		value->text = key->listed ? NULL : LINE->partition->name;
		break;
	case 't':
	case 'T':
		value->whole = node ? node->state : 0;
		break;
	case 'D':
		value->whole = LINE->count;
		break;
	case 'c':
		value->whole = node ? node->cpus : 0;
		break;
	case 'm':
		value->whole = node ? node->mem : 0;
		break;
	default:
		value->whole = view_sinfo_first_of(line); /* By node: in the cluster's order. */
	}
	return true;
}

static int by_node(const struct view *view, const void *a, const void *b)
{
	const int64_t x = view_sinfo_first_of(a);
	const int64_t y = view_sinfo_first_of(b);
	if (x != y)
		return x < y ? -1 : 1;
	return (view_sinfo_place_of(view, a) > view_sinfo_place_of(view, b)) -
	       (view_sinfo_place_of(view, a) < view_sinfo_place_of(view, b));
}

static int view_sinfo_sort(struct info_view *info, struct sl_err *err)
{
	struct view_order order = { .view = &info->view, .number = view_sinfo_number_of, .tie = by_node };
	enum { KEYS_MAX = 8 };
	const char *text = info->sort ? info->sort : info->by_node ? "N" : "#P,-t";
	struct view_key key = { 0 };
	for (const char *p = text; *p; p++) {
		if (strchr("-+#", *p)) {
			key.down |= *p == '-';
			key.listed |= *p == '#';
			continue;
		}
		if (*p == ',' || *p == ' ')
			continue;
		if (!strchr("PRtTDNncm", *p) || order.count == KEYS_MAX)
			return view_refuse("sinfo", err, "error: Invalid sort specification: %.40s", p);
		key.letter = *p;
		order.key[order.count++] = key;
		key = (struct view_key){ 0 };
	}
	return order_lines(&order, info->line, info->count, sizeof(*info->line), err);
}

/* ---- Options
 * ----------------------------------------------------------------------------------------------- */

/* The words of state_is, and those that a node of ours is never in. */
static bool state_known(const char *word)
{
	static const char *const other[] = { "all", "comp", "completing", "fail", "err", "error", "unknown",
		"unk", "npc", "perfctrs", "power_down", "power_up", "reboot", "cloud", "futr", "inval" };
	static const uint32_t base[] = { VIEW_DOWN, VIEW_IDLE, VIEW_ALLOCATED, VIEW_MIXED, VIEW_FUTURE };
	for (size_t i = 0; i < SL_LEN(other); i++)
		if (strcasecmp(other[i], word) == 0)
			return true;
	for (size_t i = 0; i < SL_LEN(base); i++)
		if (state_is(base[i] | ~(uint32_t)VIEW_BASE, word))
			return true;
	return false;
}

static int check_states(void *self, const char *value, struct sl_err *err)
{
	struct view_list *states = &((struct info_view *)self)->states;
	bool all = false;
	(void)value;
	for (size_t i = 0; i < states->count; i++) {
		if (!state_known(states->item[i]))
			return view_refuse("sinfo", err, "error: Bad state string: \"%s\"", states->item[i]);
		all |= strcasecmp(states->item[i], "all") == 0;
	}
	if (all)
		states->count = 0;
	return SL_OK;
}

#define VIEW_SELF struct info_view
static const struct view_option options[] = {
	{ OPT_FLAG("all", 'a', all) },
	{ OPT_SKIP("dead", 'd') },
	{ OPT_FLAG("exact", 'e', exact) },
	{ OPT_SKIP("federation", 0) },
	{ OPT_TEXT("format", 'o', format_text) },
	{ OPT_TEXT("Format", 'O', format_long) },
	{ OPT_HELP("help", 0) },
	{ OPT_SKIP("hide", 0) },
	{ OPT_FLAG("list-reasons", 'R', reasons) },
	{ OPT_SKIP("local", 0) },
	{ OPT_FLAG("long", 'l', long_list) },
	{ OPT_SKIP("noconvert", 0) },
	{ OPT_FLAG("noheader", 'h', bare) },
	{ OPT_TEXT("nodes", 'n', hosts) },
	{ OPT_FLAG("Node", 'N', by_node) },
	{ OPT_LIST("partition", 'p', partitions, NULL, NULL) },
	{ OPT_FLAG("reservation", 'T', reservations) },
	{ OPT_FLAG("responding", 'r', responding) },
	{ OPT_TEXT("sort", 'S', sort) },
	{ OPT_LIST("states", 't', states, NULL, check_states) },
	{ OPT_FLAG("summarize", 's', summary) },
	{ OPT_HELP("usage", 0) },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_SKIP_VALUE(NULL, 'i') },
	{ OPT_SKIP_VALUE(NULL, 'M') },
};

/* The name column is as wide as the longest name, and at least its heading. */
static int width_for(const struct info_view *info, bool nodes)
{
	const struct view *view = &info->view;
	size_t width = strlen("PARTITION"); /* Of either, at least. */
	for (uint32_t i = 0; !nodes && i < view->partition_count; i++) {
		const size_t len = strlen(view->partition[i].name) + view->partition[i].is_default;
		width = len > width ? len : width;
	}
	for (uint32_t i = 0; nodes && i < view->cluster->node_count; i++) {
		const size_t len = strlen(view->cluster->node_name[i]);
		width = len > width ? len : width;
	}
	return (int)width;
}

static int make_format(struct info_view *info, struct sl_err *err)
{
	const char *text = "%9P %.5a %.10l %.6D %.6t %N";
	if (info->format_long)
		return format_long(&info->format, info->format_long, fields, "sinfo", err);
	if (info->summary)
		text = "%9P %.5a %.10l %.16F %N";
	else if (info->by_node)
		text = info->long_list ? "%9N %.6D %.9P %.11T %.4c %.8z %.6m %.8d %.6w %.8f %20E"
				       : "%9N %.6D %.9P %6t";
	else if (info->reasons)
		text = info->long_list ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
	else if (info->long_list)
		text = "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N";
	const int status = format_short(
		&info->format, info->format_text ? info->format_text : text, fields, "sinfo", err);
	if (status || info->format_text)
		return status;
	for (size_t i = 0; i < info->format.count; i++) {
		struct view_column *column = &info->format.column[i];
		const bool nodes = column->field->letter == 'N' && column->width;
		if (column->field->letter == 'P' || nodes)
			column->width = width_for(info, nodes);
	}
	return SL_OK;
}

/* sinfo -T: reservations in place of nodes. */
static void print_reservations(const struct view *view)
{
	struct cell cell = { 0 };
	printf("%-12s %-8s %-19s %-19s %-11s %s\n", "RESV_NAME", "STATE", "START_TIME", "END_TIME",
		"DURATION", "NODELIST");
	for (uint32_t i = 0; i < view->reservation_count; i++) {
		const struct view_reservation *it = &view->reservation[i];
		cell_clear(&cell);
		printf("%-12s %-8s ", it->name ? it->name : "",
			it->from <= view->now ? "ACTIVE" : "INACTIVE");
		put_date(&cell, view, it->from);
		printf("%-19s ", cell.text);
		cell_clear(&cell);
		put_date(&cell, view, it->until);
		printf("%-19s ", cell.text);
		cell_clear(&cell);
		put_range(&cell, seconds_of(it->until) - seconds_of(it->from), true);
		printf("%-11s ", cell.text);
		cell_clear(&cell);
		put_nodes(&cell, view, it->node, it->node_count);
		printf("%s\n", cell.len ? cell.text : "");
	}
	cell_free(&cell);
}

static int view_sinfo_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct info_view *info = self;
	struct member_node *items = NULL;
	size_t count = 0;
	int status = call_open(&info->view, call, false, err);
	if (!status && info->reservations) {
		print_reservations(&info->view);
		return SL_OK;
	}
	if (!status)
		status = make_format(info, err);
	if (!status && info->hosts)
		status = view_hosts(&info->view, info->hosts, &info->host, err);
	if (!status)
		status = view_sinfo_gather(info, &items, &count, err);
	if (!status)
		status = view_sinfo_join(info, items, count, err);
	if (!status)
		status = view_sinfo_sort(info, err);
	if (status)
		return status;
	if (info->long_list)
		print_date(&info->view);
	if (!info->bare)
		format_heading(&info->format);
	for (size_t i = 0; i < info->count; i++)
		format_line(&info->format, &info->view, &info->line[i]);
	return SL_OK;
}

int view_sinfo(const struct view_call *call, struct sl_err *err)
{
	static const struct view_tool sinfo = {
		.name = "sinfo",
		.help = "Usage: sinfo [OPTIONS]\n"
			"  -a, --all        -e, --exact       -h, --noheader       -l, --long\n"
			"  -n, --nodes=HOSTS                  -N, --Node           -o, --format=FORMAT\n"
			"  -O, --Format=NAMES                 -p, --partition=LIST -r, --responding\n"
			"  -R, --list-reasons                 -s, --summarize      -S, --sort=FIELDS\n"
			"  -t, --states=LIST                  -T, --reservation    -V, --version\n"
			"      --help, --usage\n",
		.option = options,
		.option_count = SL_LEN(options),
		.show = view_sinfo_show,
	};
	struct info_view info = { 0 };
	return view_run(&sinfo, &info, call, err);
}
