/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_identity.c - the identity of a cluster: a canonical form of its files, whatever their comments,
 * blanks and order.
 *
 * A line for each thing that the readers reported, sorted, and a hash over them: nodes by name with what they
 * have, partitions, switches with their numbers, windows, licences, settings that are modelled, objects
 * with their keys in order. Of settings what is ignored, or typed elsewhere, stands in no line. Of two of one
 * key the last counts, so their order stays. An order that decides anything is in the lines: the switches'.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/base/hash.h"
#include "sim/scenario/scenario_machine.h"

enum { LINES_BYTES_MAX = 1 << 30, HOSTS_SORTED_MAX = 1 << 20 };

struct lines {
	const struct machine *machine;
	char *text;
	size_t len, capacity;
	size_t *line;
	size_t count, line_capacity;
	struct names keys; /* Of settings, */
	uint32_t *times;   /* and how often each stood. */
	size_t times_capacity;
	struct sl_arena *arena; /* Of the keys. */
	struct sl_err *err;
	int status;
};

/* ---- Lines ------------------------------------------------------------------------------- */

static void put_bytes(struct lines *to, const char *text, size_t len)
{
	if (to->status)
		return;
	to->status = SL_GROW_MOST(to->text, to->capacity, to->len + len, (size_t)LINES_BYTES_MAX, to->err);
	if (to->status)
		return;
	memcpy(to->text + to->len, text, len);
	to->len += len;
}

/* What is not said differs from what is empty. */
static void scenario_identity_put_text(struct lines *to, const char *text)
{
	put_bytes(to, text ? "\x1f" : "\x1e", 1);
	if (text)
		put_bytes(to, text, strlen(text));
}

static void put_lower(struct lines *to, const char *text)
{
	const size_t from = to->len + 1;
	scenario_identity_put_text(to, text);
	for (size_t i = from; i < to->len; i++)
		if (to->text[i] >= 'A' && to->text[i] <= 'Z')
			to->text[i] = (char)(to->text[i] + ('a' - 'A'));
}

static void scenario_identity_put_number(struct lines *to, int64_t number)
{
	char text[32];
	*sl_put_i64(text, number) = '\0';
	scenario_identity_put_text(to, text);
}

static void line_begin(struct lines *to, const char *what)
{
	if (!to->status)
		to->status = SL_GROW_MOST(
			to->line, to->line_capacity, to->count + 1, (size_t)LINES_BYTES_MAX, to->err);
	if (to->status)
		return;
	to->line[to->count++] = to->len;
	put_bytes(to, what, strlen(what));
}

static void line_end(struct lines *to) { put_bytes(to, "", 1); }

/* ---- Lists of hosts ------------------------------------------------------------------------ */

struct hosts {
	struct lines *to;
	char **name;
	size_t count, capacity;
};

static int add_host(void *self, const char *name, size_t len)
{
	struct hosts *hosts = self;
	struct sl_err ignored = { 0 };
	if (SL_GROW_MOST(hosts->name, hosts->capacity, hosts->count + 1, HOSTS_SORTED_MAX, &ignored))
		return 1;
	char *copy = strndup(name, len);
	hosts->name[hosts->count] = copy;
	hosts->count += copy != NULL;
	return copy == NULL;
}

static int scenario_identity_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Its names in order, however the list is written; as it stands where it is no list. */
static void put_hosts(struct lines *to, const char *text)
{
	struct hosts hosts = { .to = to };
	struct sl_err none = { 0 };
	const bool listed = text && strpbrk(text, "[,") &&
			    !sl_hosts_each(text, strlen(text), NULL, &none, add_host, &hosts);
	if (!listed)
		scenario_identity_put_text(to, text);
	if (listed && hosts.count > 1)
		qsort(hosts.name, hosts.count, sizeof(*hosts.name), scenario_identity_by_text);
	for (size_t i = 0; i < hosts.count; i++) {
		if (listed)
			scenario_identity_put_text(to, hosts.name[i]);
		free(hosts.name[i]);
	}
	free(hosts.name);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static void put_gres(struct lines *to, const struct sl_gres *gres)
{
	scenario_identity_put_text(to, gres->name);
	scenario_identity_put_text(to, gres->type);
	scenario_identity_put_number(to, gres->count);
	for (uint32_t i = 0; gres->cores && i < SL_CORES_MAX / 64; i++)
		scenario_identity_put_number(to, (int64_t)gres->cores[i]);
	scenario_identity_put_text(to, gres->nic);
	scenario_identity_put_number(to, gres->mem);
	scenario_identity_put_number(to, gres->no_consume);
	scenario_identity_put_number(to, gres->island);
	scenario_identity_put_text(to, gres->mig);
}

static void put_hardware(struct lines *to, const struct sl_hardware *hardware)
{
	const int64_t number[] = { hardware->boards, hardware->sockets, hardware->cores, hardware->threads,
		hardware->cores_kept, hardware->state, hardware->mem_kept, hardware->tmp_disk,
		hardware->weight, hardware->feature_count, hardware->gres_count };
	for (size_t i = 0; i < SL_LEN(number); i++)
		scenario_identity_put_number(to, number[i]);
	for (uint32_t i = 0; i < hardware->feature_count; i++)
		scenario_identity_put_text(to, hardware->feature[i]);
	for (uint32_t i = 0; i < hardware->gres_count; i++)
		put_gres(to, &hardware->gres[i]);
}

static void put_type(struct lines *to, const struct sl_node_type *type)
{
	const struct names *kinds = &to->machine->kinds;
	scenario_identity_put_number(to, type->amount[SL_KIND_CPUS]);
	scenario_identity_put_number(to, type->amount[SL_KIND_MEM]);
	for (uint32_t i = 0; i < kinds->count; i++)
		if (type->amount[SL_KIND_GPUS + i]) {
			scenario_identity_put_text(to, kinds->text[i]);
			scenario_identity_put_number(to, type->amount[SL_KIND_GPUS + i]);
		}
	scenario_identity_put_text(to, type->hardware ? "hardware" : NULL);
	if (type->hardware)
		put_hardware(to, type->hardware);
}

/* Listed nodes have names of their own, and are written one by one. */
static void scenario_identity_put_nodes(struct lines *to)
{
	const struct machine *machine = to->machine;
	for (size_t i = 0; i < machine->entry_count; i++) {
		const struct entry *entry = &machine->entry[i];
		if (entry->listed && !entry->island)
			continue;
		line_begin(to, "nodes");
		scenario_identity_put_text(to, entry->name);
		scenario_identity_put_number(to, entry->count);
		scenario_identity_put_number(to, entry->island);
		put_type(to, &machine->type[entry->type]);
		line_end(to);
	}
	for (uint32_t i = 0, at = 0; i < machine->hosts.count; i++) {
		const uint32_t node = machine->host[i];
		while (at + 1 < machine->entry_count &&
			(node < machine->entry[at].first ||
				node - machine->entry[at].first >= machine->entry[at].count))
			at++;
		SL_CHECK(node - machine->entry[at].first < machine->entry[at].count);
		line_begin(to, "node");
		scenario_identity_put_text(to, machine->hosts.text[i]);
		put_type(to, &machine->type[machine->entry[at].type]);
		line_end(to);
	}
}

/* ---- What is bound to nodes -------------------------------------------------------------------- */

static void put_partition(struct lines *to, const struct sl_partition *is)
{
	const int64_t number[] = { is->max_time, is->default_time, is->nodes_min, is->nodes_max,
		is->cpus_per_node_max, is->mem_per_node, is->mem_per_cpu, is->mem_per_gpu, is->cpus_per_gpu,
		is->mem_per_node_max, is->mem_per_cpu_max, is->tier, is->job_factor, is->shares, is->share,
		is->state, is->is_default, is->hidden, is->root_only, is->exclusive_user, is->least_loaded };
	line_begin(to, "partition");
	scenario_identity_put_text(to, is->name);
	for (size_t i = 0; i < SL_LEN(number); i++)
		scenario_identity_put_number(to, number[i]);
	put_hosts(to, is->nodes);
	line_end(to);
}

static void put_window(struct lines *to, const struct sl_window_spec *is)
{
	line_begin(to, "window");
	scenario_identity_put_text(to, is->name);
	scenario_identity_put_number(to, is->cpus);
	scenario_identity_put_number(to, is->kind);
	scenario_identity_put_text(to, is->from);
	scenario_identity_put_text(to, is->until);
	scenario_identity_put_text(to, is->length);
	scenario_identity_put_text(to, is->users);
	scenario_identity_put_text(to, is->accounts);
	scenario_identity_put_text(to, is->flags);
	put_hosts(to, is->nodes);
	line_end(to);
}

/* Slurm numbers its switches in the order of topology.conf, and of two equal ones chooses the first: so does
 * its allocator here, and their order is a part of what was read. */
static void put_switch(struct lines *to, const struct sl_switch *is, size_t number)
{
	line_begin(to, "switch");
	scenario_identity_put_number(to, (int64_t)number);
	scenario_identity_put_text(to, is->name);
	scenario_identity_put_number(to, is->speed);
	put_hosts(to, is->nodes);
	scenario_identity_put_text(to, "over");
	put_hosts(to, is->switches);
	line_end(to);
}

/* ---- Settings ------------------------------------------------------------------------------------- */

/* What nodes and partitions are made of stands there as it was understood: "60" minutes are an hour. */
static bool is_typed(const struct sl_setting *is)
{
	static const char *const kind[] = { "partition", "down", "nodeset", "gres", "switch", "reservation" };
	static const char *const of_node[] = { "NodeName", "CPUs", "Procs", "Boards", "Sockets",
		"SocketsPerBoard", "CoresPerSocket", "ThreadsPerCore", "CoreSpecCount", "MemSpecLimit",
		"RealMemory", "TmpDisk", "Gres", "Feature", "Features", "Weight", "State", "Reason" };
	for (size_t i = 0; i < SL_LEN(kind); i++)
		if (is->coverage == SL_MODELLED && strcmp(is->kind, kind[i]) == 0)
			return true;
	for (size_t i = 0; i < SL_LEN(of_node); i++)
		if (strcmp(is->kind, "node") == 0 && strcasecmp(is->key, of_node[i]) == 0)
			return true;
	return false;
}

/* How often the key stood before; the line so far, from `from` on, is the key. */
static uint32_t times_before(struct lines *to, size_t from)
{
	uint32_t number = 0;
	if (!to->status)
		to->status =
			names_add(&to->keys, to->arena, to->text + from, to->len - from, &number, to->err);
	if (!to->status && number >= to->times_capacity) {
		const size_t had = to->times_capacity;
		to->status =
			SL_GROW_MOST(to->times, to->times_capacity, (size_t)number + 1, UINT32_MAX, to->err);
		if (!to->status)
			memset(to->times + had, 0, (to->times_capacity - had) * sizeof(*to->times));
	}
	return to->status ? 0 : to->times[number]++;
}

/* Lists of options, each looked for by its name: a set, where of two of one name the first counts. */
static bool is_set(const struct sl_setting *is)
{
	static const char *const key[] = { "SchedulerParameters", "SelectTypeParameters", "PriorityFlags",
		"PreemptMode", "TopologyParam" };
	for (size_t i = 0; i < SL_LEN(key); i++)
		if (strcmp(is->kind, "cluster") == 0 && strcasecmp(is->key, key[i]) == 0)
			return true;
	return false;
}

struct option {
	const char *text;
	size_t len, name; /* Its bytes; those before "=". */
};

/* By name; of one name as they stand. */
static int by_option(const void *a, const void *b)
{
	const struct option *x = a;
	const struct option *y = b;
	const size_t least = x->name < y->name ? x->name : y->name;
	const int name = strncasecmp(x->text, y->text, least);
	if (name || x->name != y->name)
		return name ? name : (x->name > y->name) - (x->name < y->name);
	return (x->text > y->text) - (x->text < y->text);
}

static void put_set(struct lines *to, const char *value)
{
	size_t capacity = 1;
	size_t count = 0;
	for (const char *at = value; *at; at++)
		capacity += *at == ',';
	struct option *option = calloc(capacity, sizeof(*option));
	if (!option) {
		to->status = sl_fail_memory(to->err);
		return;
	}
	for (const char *at = value; *at; at += *at == ',') {
		const size_t len = strcspn(at, ",");
		if (len)
			option[count++] = (struct option){ at, len, strcspn(at, "=,") };
		at += len;
	}
	if (count > 1)
		qsort(option, count, sizeof(*option), by_option);
	for (size_t i = 0; i < count; i++) {
		if (i && option[i].name == option[i - 1].name &&
			strncasecmp(option[i].text, option[i - 1].text, option[i].name) == 0)
			continue;
		put_bytes(to, "\x1f", 1);
		put_bytes(to, option[i].text, option[i].len);
	}
	free(option);
}

static void put_setting(struct lines *to, const struct sl_setting *is)
{
	if (is->coverage == SL_IGNORED || is->coverage == SL_UNKNOWN_KEY || is_typed(is))
		return;
	line_begin(to, "setting");
	const size_t from = to->len;
	put_lower(to, is->kind);
	if (strcmp(is->kind, "node") == 0)
		put_hosts(to, is->name);
	else
		scenario_identity_put_text(to, is->name);
	put_lower(to, is->key);
	scenario_identity_put_number(to, times_before(to, from));
	if (is->value && is_set(is))
		put_set(to, is->value);
	else
		scenario_identity_put_text(to, is->value);
	line_end(to);
}

/* ---- Objects ---------------------------------------------------------------------------------------- */

struct member {
	const char *key;
	const struct sl_doc_node *node;
};

static int by_member(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->key, ((const struct member *)b)->key);
}

static void put_value(struct lines *to, const struct sl_doc *doc, const struct sl_doc_node *node);

/* By their keys, of which none stands twice. */
static void put_map(struct lines *to, const struct sl_doc *doc, const struct sl_doc_node *map)
{
	struct member *all = calloc((size_t)map->count + 1, sizeof(*all));
	size_t count = 0;
	if (!all) {
		to->status = sl_fail_memory(to->err);
		return;
	}
	SL_DOC_EACH (at, doc, map)
		all[count++] = (struct member){ doc->text + at->key, at };
	qsort(all, count, sizeof(*all), by_member);
	for (size_t i = 0; i < count && !to->status; i++) {
		scenario_identity_put_text(to, all[i].key);
		put_value(to, doc, all[i].node);
	}
	free(all);
}

/* Documents are at most SL_DOC_DEPTH_MAX deep. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_value(struct lines *to, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	if (node->kind == SL_DOC_TEXT) {
		scenario_identity_put_text(to, doc->text + node->text);
		return;
	}
	scenario_identity_put_text(to, node->kind == SL_DOC_MAP ? "{" : "[");
	if (node->kind == SL_DOC_MAP)
		put_map(to, doc, node);
	else
		SL_DOC_EACH (at, doc, node)
			put_value(to, doc, at);
	scenario_identity_put_text(to, node->kind == SL_DOC_MAP ? "}" : "]");
}

static void put_object(struct lines *to, const struct sl_object *is)
{
	line_begin(to, "object");
	put_value(to, is->doc, is->node);
	line_end(to);
}

/* ---- Together ------------------------------------------------------------------------------------------ */

static int by_line(const void *a, const void *b, void *text)
{
	return strcmp((const char *)text + *(const size_t *)a, (const char *)text + *(const size_t *)b);
}

static void put_all(struct lines *to)
{
	const struct machine *machine = to->machine;
	const struct sl_cluster *cluster = &machine->scenario->cluster;
	line_begin(to, "cluster");
	scenario_identity_put_text(to, cluster->name);
	scenario_identity_put_number(to, cluster->cpus);
	scenario_identity_put_number(to, cluster->select);
	scenario_identity_put_number(to, cluster->topology);
	scenario_identity_put_number(to, cluster->mem_counts);
	line_end(to);
	scenario_identity_put_nodes(to);
	for (size_t i = 0; i < machine->partition_count; i++)
		put_partition(to, &machine->partition[i]);
	for (size_t i = 0; i < machine->window_count; i++)
		put_window(to, &machine->window[i].spec);
	for (size_t i = 0; i < machine->sw_count; i++)
		put_switch(to, &machine->sw[i], i);
	for (size_t i = 0; i < machine->license_count; i++) {
		line_begin(to, "licence");
		scenario_identity_put_text(to, machine->license[i].name);
		scenario_identity_put_number(to, machine->license[i].total);
		line_end(to);
	}
	for (size_t i = 0; i < machine->setting_count; i++)
		put_setting(to, &machine->setting[i]);
	for (size_t i = 0; i < machine->object_count; i++)
		put_object(to, &machine->object[i]);
}

static int hash_lines(struct lines *to, char hex[65])
{
	struct evp_md_ctx_st *hash = hash_new();
	if (to->count)
		qsort_r(to->line, to->count, sizeof(*to->line), by_line, to->text);
	for (size_t i = 0; i < to->count; i++)
		hash_add(hash, to->text + to->line[i], strlen(to->text + to->line[i]) + 1);
	return hash_end(hash, hex) ? SL_OK : sl_fail_memory(to->err);
}

int machine_identity(const struct machine *machine, char hex[65], struct sl_err *err)
{
	struct lines to = { .machine = machine, .err = err, .arena = sl_arena_new() };
	if (!to.arena)
		return sl_fail_memory(err);
	put_all(&to);
	if (!to.status)
		to.status = hash_lines(&to, hex);
	names_release(&to.keys);
	sl_arena_free(to.arena);
	free(to.times);
	free(to.line);
	free(to.text);
	return to.status;
}
