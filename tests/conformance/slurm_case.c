/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_case.c - reads a recorded scenario: scenario.json, expected.csv, trace.csv. What scenario.json leaves
 * out is what the recording rig had: cons_tres with CR_Core_Memory, priority/basic, backfill each second.
 */
#include "tests/conformance/slurm_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct json *get(const struct json *o, const char *key) { return json_member(o, key); }

/* A value as text; NULL: absent or false; "": true. Of a list, what is in it, between commas. */
static const char *text_of(struct slurm_case *c, const struct json *value)
{
	char buffer[4000];
	size_t at = 0;
	const struct json *item;
	if (json_is_list(value)) {
		buffer[0] = '\0';
		JSON_EACH (item, value)
			if (json_is_text(item) && at + strlen(item->text) + 2 < sizeof(buffer))
				at += (size_t)snprintf(
					buffer + at, sizeof(buffer) - at, "%s%s", at ? "," : "", item->text);
		return sl_strdup(c->arena, buffer, at);
	}
	if (json_is_map(value))
		return NULL;
	if (!value || json_is_false(value) || json_is_null(value))
		return NULL;
	if (json_is_text(value))
		return sl_strdup(c->arena, value->text, strlen(value->text));
	if (json_is_true(value))
		return "";
	const int n = snprintf(buffer, sizeof(buffer), "%.0f", value->number);
	return sl_strdup(c->arena, buffer, (size_t)n);
}

static int64_t number_of(const struct json *value, int64_t otherwise)
{
	int64_t number;
	if (json_is_number(value))
		return (int64_t)value->number;
	if (json_is_text(value) && sl_get_i64(value->text, strlen(value->text), &number))
		return number;
	return otherwise;
}

/* ---- The cluster ------------------------------------------------------------------------ */

struct names {
	struct slurm_case *c;
	const char **name;
	uint32_t *type;
	uint32_t count, capacity, of;
};

static int add_name(void *self, const char *name, size_t len)
{
	struct names *names = self;
	if (names->count == names->capacity)
		return -1;
	names->type[names->count] = names->of;
	names->name[names->count++] = sl_strdup(names->c->arena, name, len);
	return 0;
}

/* "0-3,8-11" */
static const uint64_t *cores_of(struct slurm_case *c, const char *text)
{
	uint64_t *bits = sl_alloc(c->arena, SL_CORES_MAX / 64, sizeof(*bits));
	for (const char *at = text; at && *at;) {
		const size_t len = strcspn(at, ","), dash = strcspn(at, "-,");
		int64_t from = 0, until;
		(void)sl_get_i64(at, dash, &from);
		until = from;
		if (at[dash] == '-')
			(void)sl_get_i64(at + dash + 1, len - dash - 1, &until);
		for (int64_t b = from; b >= 0 && b <= until && b < SL_CORES_MAX; b++)
			bits[b / 64] |= UINT64_C(1) << (b % 64);
		at += len + (at[len] == ',');
	}
	return bits;
}

static void read_gres(struct slurm_case *c, struct sl_hardware *h, const struct json *node)
{
	const char *text = text_of(c, get(node, "gres"));
	const struct json *cores = get(node, "gres_cores");
	struct sl_gres *gres = sl_alloc(c->arena, 64, sizeof(*gres));
	uint32_t device = 0;
	h->gres = gres;
	for (const char *at = text; at && *at;) {
		const size_t len = strcspn(at, ",");
		char part[3][64] = { "", "", "" };
		uint32_t parts = 0;
		for (size_t i = 0, from = 0; i <= len && parts < 3; i++)
			if (i == len || at[i] == ':') {
				(void)snprintf(part[parts++], 64, "%.*s", (int)(i - from), at + from);
				from = i + 1;
			}
		struct sl_gres one = { .name = sl_strdup(c->arena, part[0], strlen(part[0])) };
		if (parts == 3)
			one.type = sl_strdup(c->arena, part[1], strlen(part[1]));
		if (!sl_get_i64(part[parts - 1], strcspn(part[parts - 1], "("), &one.count)) {
			one.count = 1; /* "gpu", or "gpu:tesla". */
			if (parts == 2)
				one.type = sl_strdup(c->arena, part[1], strlen(part[1]));
		}
		const int64_t total = one.count;
		for (int64_t i = 0; i < (cores ? total : 1) && h->gres_count < 64; i++, device++) {
			const struct json *range = json_item(cores, (int)device);
			if (range) {
				one.cores = cores_of(c, text_of(c, range));
				one.count = 1;
			}
			gres[h->gres_count++] = one;
		}
		at += len + (at[len] == ',');
	}
}

/* Further keys of a NodeName line. */
static void read_extra(struct sl_hardware *h, const char *text)
{
	for (const char *at = text; at && *at;) {
		at += strspn(at, " ");
		const size_t len = strcspn(at, " "), equals = strcspn(at, "= ");
		int64_t value;
		if (equals < len && sl_get_i64(at + equals + 1, len - equals - 1, &value) && value > 0) {
			if (strncasecmp(at, "CoreSpecCount", equals) == 0)
				h->cores_kept = (uint32_t)value;
			else if (strncasecmp(at, "TmpDisk", equals) == 0)
				h->tmp_disk = value;
		}
		at += len;
	}
}

static void read_type(struct slurm_case *c, struct sl_node_type *type, const struct json *node)
{
	struct sl_hardware *h = sl_alloc(c->arena, 1, sizeof(*h));
	type->name = text_of(c, get(node, "name"));
	type->amount[0] = number_of(get(node, "cpus"), 1);
	type->amount[1] = number_of(get(node, "mem"), 1000);
	h->boards = 1;
	h->sockets = (uint32_t)number_of(get(node, "sockets"), 1);
	h->threads = (uint32_t)number_of(get(node, "threads"), 1);
	h->cores = (uint32_t)number_of(get(node, "cores"), type->amount[0] / h->sockets / h->threads);
	h->weight = number_of(get(node, "weight"), 1);
	const char *features = text_of(c, get(node, "features"));
	const char **feature = sl_alloc(c->arena, 32, sizeof(*feature));
	for (const char *at = features; at && *at && h->feature_count < 32;) {
		const size_t len = strcspn(at, ",");
		feature[h->feature_count++] = sl_strdup(c->arena, at, len);
		at += len + (at[len] == ',');
	}
	h->feature = feature;
	read_extra(h, text_of(c, get(node, "extra")));
	read_gres(c, h, node);
	type->hardware = h;
}

/* Names by their parts: numbers as numbers. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		const size_t left = strspn(a, "0123456789"), right = strspn(b, "0123456789");
		int64_t x, y;
		if (left && right && sl_get_i64(a, left, &x) && sl_get_i64(b, right, &y)) {
			if (x != y)
				return x < y ? -1 : 1;
			a += left;
			b += right;
		} else if (*a != *b) {
			return *a < *b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return (*a != '\0') - (*b != '\0');
}

/* slurmctld numbers nodes by name, in whatever order its file lists them. */
static void sort_names(struct names *names)
{
	for (uint32_t i = 1; i < names->count; i++)
		for (uint32_t j = i; j > 0 && compare_names(names->name[j - 1], names->name[j]) > 0; j--) {
			const char *name = names->name[j];
			const uint32_t type = names->type[j];
			names->name[j] = names->name[j - 1];
			names->type[j] = names->type[j - 1];
			names->name[j - 1] = name;
			names->type[j - 1] = type;
		}
}

static int read_nodes(struct slurm_case *c, const struct json *nodes, struct sl_err *err)
{
	struct sl_cluster *cluster = &c->cluster;
	static const char *const kinds[] = { "cpus", "memory" };
	struct names names = { .c = c, .capacity = 4096 };
	names.name = sl_alloc(c->arena, names.capacity, sizeof(*names.name));
	names.type = sl_alloc(c->arena, names.capacity, sizeof(*names.type));
	struct sl_node_type *type = sl_alloc(c->arena, (size_t)json_count(nodes) + 1, sizeof(*type));
	const struct json *node;
	JSON_EACH (node, nodes) {
		const char *list = text_of(c, get(node, "name"));
		names.of = cluster->type_count;
		read_type(c, &type[cluster->type_count++], node);
		if (sl_hosts_each(list, strlen(list), NULL, err, add_name, &names) != 0)
			return sl_fail(err, SL_INPUT, "nodes '%s' cannot be read", list);
	}
	sort_names(&names);
	cluster->type = type;
	cluster->kind_count = 2;
	cluster->kind_name = kinds;
	cluster->node_count = names.count;
	cluster->node_name = names.name;
	cluster->node_type = names.type;
	return names.count ? SL_OK : sl_fail(err, SL_INPUT, "no nodes");
}

static void add_setting(
	struct slurm_case *c, const char *kind, const char *name, const char *key, const char *value)
{
	struct sl_cluster *cluster = &c->cluster;
	struct sl_setting *setting = sl_alloc(c->arena, cluster->setting_count + 1, sizeof(*setting));
	if (cluster->setting_count)
		memcpy(setting, cluster->setting, cluster->setting_count * sizeof(*setting));
	setting[cluster->setting_count++] =
		(struct sl_setting){ .kind = kind, .name = name, .key = key, .value = value };
	cluster->setting = setting;
}

static void read_settings(struct slurm_case *c, const struct json *cluster)
{
	char line[2000] = "";
	const struct json *item;
	add_setting(c, "cluster", "", "SelectTypeParameters", "CR_Core_Memory");
	add_setting(c, "cluster", "", "KillWait", "5");
	JSON_EACH (item, get(cluster, "conf")) {
		const char *value = text_of(c, item),
			   *key = sl_strdup(c->arena, item->key, strlen(item->key));
		if (!value)
			continue;
		add_setting(c, "cluster", "", key, value);
		if (strcasecmp(key, "SelectType") == 0 && strcasestr(value, "linear"))
			c->cluster.select = SL_SELECT_LINEAR;
		if (strcasecmp(key, "TopologyPlugin") == 0 && strcasestr(value, "tree"))
			c->cluster.topology = SL_TOPOLOGY_TREE;
	}
	size_t at = 0;
	JSON_EACH (item, get(cluster, "sched")) {
		const char *value = text_of(c, item);
		if (value && at + strlen(item->key) + strlen(value) + 3 < sizeof(line))
			at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s%s%s", at ? "," : "",
				item->key, *value ? "=" : "", value);
	}
	add_setting(c, "cluster", "", "SchedulerParameters", sl_strdup(c->arena, line, at));
}

static void share_of(struct sl_partition *p, const char *text)
{
	static const char *const word[] = { "NO", "YES", "FORCE", "EXCLUSIVE" };
	for (size_t i = 0; i < SL_LEN(word); i++)
		if (strncasecmp(text, word[i], strlen(word[i])) == 0)
			p->share = (enum sl_share)i;
	const char *colon = strchr(text, ':');
	if (colon)
		(void)sl_get_i64(colon + 1, strlen(colon + 1), &p->shares);
}

static void partition_key(struct slurm_case *c, struct sl_partition *p, const char *key, const char *value)
{
	const struct {
		const char *key;
		int64_t *to;
	} number[] = { { "MaxNodes", &p->nodes_max }, { "MinNodes", &p->nodes_min },
		{ "MaxCPUsPerNode", &p->cpus_per_node_max }, { "DefMemPerNode", &p->mem_per_node },
		{ "DefMemPerCPU", &p->mem_per_cpu }, { "DefMemPerGPU", &p->mem_per_gpu },
		{ "DefCpuPerGPU", &p->cpus_per_gpu }, { "MaxMemPerNode", &p->mem_per_node_max },
		{ "MaxMemPerCPU", &p->mem_per_cpu_max }, { "PriorityTier", &p->tier } };
	for (size_t i = 0; i < SL_LEN(number); i++)
		if (strcasecmp(key, number[i].key) == 0)
			(void)sl_get_i64(value, strlen(value), number[i].to);
	if (strcasecmp(key, "Nodes") == 0)
		p->nodes = value;
	else if (strcasecmp(key, "Default") == 0)
		p->is_default = strcasecmp(value, "YES") == 0;
	else if (strcasecmp(key, "LLN") == 0)
		p->least_loaded = strcasecmp(value, "YES") == 0;
	else if (strcasecmp(key, "ExclusiveUser") == 0)
		p->exclusive_user = strcasecmp(value, "YES") == 0;
	else if (strcasecmp(key, "OverSubscribe") == 0)
		share_of(p, value);
	else
		add_setting(c, "partition", p->name, sl_strdup(c->arena, key, strlen(key)), value);
}

static void read_partitions(struct slurm_case *c, const struct json *partitions)
{
	struct sl_partition *list = sl_alloc(c->arena, (size_t)json_count(partitions) + 1, sizeof(*list));
	const struct json *one;
	JSON_EACH (one, partitions) {
		struct sl_partition *p = &list[c->cluster.partition_count++];
		*p = (struct sl_partition){ .name = text_of(c, get(one, "name")),
			.max_time = SL_NEVER,
			.nodes_min = SL_NONE,
			.nodes_max = SL_NONE,
			.cpus_per_node_max = SL_NONE,
			.mem_per_node = SL_NONE,
			.mem_per_cpu = SL_NONE,
			.mem_per_gpu = SL_NONE,
			.cpus_per_gpu = SL_NONE,
			.mem_per_node_max = SL_NONE,
			.mem_per_cpu_max = SL_NONE,
			.tier = SL_NONE,
			.shares = SL_NONE };
		const struct json *item;
		JSON_EACH (item, one) {
			const char *value = text_of(c, item);
			if (value && strcmp(item->key, "name") != 0)
				partition_key(c, p, item->key, value);
		}
	}
	c->cluster.partition = list;
}

static uint32_t switch_named(const struct sl_cluster *cluster, const char *name, size_t len)
{
	for (uint32_t i = 0; i < cluster->switch_count; i++)
		if (strlen(cluster->sw[i].name) == len && memcmp(cluster->sw[i].name, name, len) == 0)
			return i;
	return UINT32_MAX;
}

struct joining {
	struct slurm_case *c;
	struct sl_switch *sw;
	uint32_t upper;
	uint32_t *node;
};

static int join_node(void *self, const char *name, size_t len)
{
	struct joining *j = self;
	for (uint32_t n = 0; n < j->c->cluster.node_count; n++)
		if (strlen(j->c->cluster.node_name[n]) == len &&
			memcmp(j->c->cluster.node_name[n], name, len) == 0)
			j->node[j->sw[j->upper].node_count++] = n;
	return 0;
}

static int join_switch(void *self, const char *name, size_t len)
{
	struct joining *j = self;
	const uint32_t lower = switch_named(&j->c->cluster, name, len);
	if (lower == UINT32_MAX)
		return 0;
	struct sl_switch *sw = &j->sw[j->upper];
	j->sw[lower].parent = j->upper;
	sw->level = sw->level > j->sw[lower].level + 1 ? sw->level : j->sw[lower].level + 1;
	for (uint32_t i = 0; i < j->sw[lower].node_count; i++)
		j->node[sw->node_count++] = j->sw[lower].node[i];
	return 0;
}

static const char *value_after(struct slurm_case *c, const char *line, const char *key)
{
	const char *at = strstr(line, key);
	return at ? sl_strdup(c->arena, at + strlen(key), strcspn(at + strlen(key), " ")) : NULL;
}

static void read_topology(struct slurm_case *c, const struct json *lines)
{
	struct sl_switch *sw = sl_alloc(c->arena, (size_t)json_count(lines) + 1, sizeof(*sw));
	struct sl_err err = { 0 };
	const struct json *line;
	c->cluster.sw = sw;
	JSON_EACH (line, lines) {
		struct sl_switch *one = &sw[c->cluster.switch_count];
		struct joining j = { .c = c, .sw = sw, .upper = c->cluster.switch_count };
		*one = (struct sl_switch){ .name = value_after(c, line->text, "SwitchName="),
			.nodes = value_after(c, line->text, " Nodes="),
			.switches = value_after(c, line->text, "Switches="),
			.parent = UINT32_MAX };
		one->node = j.node = sl_alloc(c->arena, c->cluster.node_count, sizeof(*j.node));
		if (one->nodes)
			(void)sl_hosts_each(one->nodes, strlen(one->nodes), NULL, &err, join_node, &j);
		if (one->switches)
			(void)sl_hosts_each(
				one->switches, strlen(one->switches), NULL, &err, join_switch, &j);
		c->cluster.switch_count++;
	}
}

/* ---- Jobs ---------------------------------------------------------------------------------- */

static void nodes_range(struct sl_job_desc *desc, const char *text)
{
	const size_t dash = strcspn(text, "-");
	(void)sl_get_i64(text, dash, &desc->nodes_min);
	desc->nodes_max = desc->nodes_min;
	if (text[dash])
		(void)sl_get_i64(text + dash + 1, strlen(text + dash + 1), &desc->nodes_max);
}

static void exclusive_of(struct sl_job_desc *desc, const char *text)
{
	desc->exclusive = strcasecmp(text, "user") == 0  ? SL_EXCLUSIVE_USER
			  : strcasecmp(text, "mcs") == 0 ? SL_EXCLUSIVE_MCS
							 : SL_EXCLUSIVE_NODE;
}

/* Of "1@5" the rig takes "@5" for a job's label, and writes its number: 0, as there is no such job. */
static void switches_of(struct sl_job_desc *desc, const char *text)
{
	const size_t at = strcspn(text, "@");
	(void)sl_get_i64(text, at, &desc->switches);
	desc->switches_wait = 300 * SL_SECOND; /* max_switch_wait */
	if (text[at] && text[at + 1])
		desc->switches *= 10;
}

/* False: this option is none of a placement's. */
static bool job_option(struct sl_job_desc *desc, const char *key, const char *value)
{
	const struct {
		const char *key;
		int64_t *to;
	} number[] = { { "ntasks", &desc->tasks }, { "ntasks_per_node", &desc->tasks_per_node },
		{ "ntasks_per_socket", &desc->tasks_per_socket },
		{ "ntasks_per_core", &desc->tasks_per_core }, { "ntasks_per_gpu", &desc->tasks_per_gpu },
		{ "cpus_per_task", &desc->cpus_per_task }, { "cpus_per_gpu", &desc->cpus_per_gpu },
		{ "mincpus", &desc->cpus_min }, { "sockets_per_node", &desc->sockets_per_node },
		{ "cores_per_socket", &desc->cores_per_socket },
		{ "threads_per_core", &desc->threads_per_core } };
	const struct {
		const char *key;
		int64_t *to;
	} memory[] = { { "mem", &desc->mem_per_node }, { "mem_per_cpu", &desc->mem_per_cpu },
		{ "mem_per_gpu", &desc->mem_per_gpu }, { "tmp", &desc->tmp } };
	const struct {
		const char *key;
		const char **to;
	} text[] = { { "gres", &desc->gres }, { "gpus", &desc->gpus },
		{ "gpus_per_node", &desc->gpus_per_node }, { "gpus_per_socket", &desc->gpus_per_socket },
		{ "gpus_per_task", &desc->gpus_per_task }, { "gres_flags", &desc->gres_flags },
		{ "constraint", &desc->constraint }, { "nodelist", &desc->nodelist },
		{ "exclude", &desc->exclude }, { "distribution", &desc->distribution },
		{ "licenses", &desc->licenses }, { "reservation", &desc->reservation },
		{ "partition", &desc->partition } };
	const struct {
		const char *key;
		bool *to;
	} flag[] = { { "oversubscribe", &desc->oversubscribe }, { "overcommit", &desc->overcommit },
		{ "contiguous", &desc->contiguous }, { "spread_job", &desc->spread },
		{ "use_min_nodes", &desc->use_min_nodes } };
	for (size_t i = 0; i < SL_LEN(number); i++)
		if (strcmp(key, number[i].key) == 0)
			return sl_get_i64(value, strlen(value), number[i].to);
	for (size_t i = 0; i < SL_LEN(memory); i++)
		if (strcmp(key, memory[i].key) == 0)
			return sl_get_memory(value, strlen(value), true, memory[i].to);
	for (size_t i = 0; i < SL_LEN(text); i++)
		if (strcmp(key, text[i].key) == 0) {
			*text[i].to = value;
			return true;
		}
	for (size_t i = 0; i < SL_LEN(flag); i++)
		if (strcmp(key, flag[i].key) == 0)
			return *flag[i].to = true;
	if (strcmp(key, "nodes") == 0)
		nodes_range(desc, value);
	else if (strcmp(key, "exclusive") == 0)
		exclusive_of(desc, value);
	else if (strcmp(key, "switches") == 0)
		switches_of(desc, value);
	else if (strcmp(key, "hint") == 0)
		desc->no_multithread = strcmp(value, "nomultithread") == 0;
	else
		return false;
	return true;
}

static int64_t seconds_of(const struct json *minutes)
{
	sl_time value;
	if (json_is_number(minutes))
		return (int64_t)(minutes->number * 60);
	if (json_is_text(minutes) && sl_get_i64(minutes->text, strlen(minutes->text), &value))
		return value * 60;
	if (json_is_text(minutes) && sl_get_duration(minutes->text, strlen(minutes->text), &value))
		return value / SL_SECOND;
	return SL_NONE;
}

/* By the first job of the user; none is root. */
static int32_t user_row(const struct slurm_job *list, size_t count, const char *user)
{
	if (!user || strcmp(user, "root") == 0)
		return 0;
	for (size_t i = 0; i + 1 < count; i++)
		if (list[i].user && strcmp(list[i].user, user) == 0)
			return list[i].user_row;
	return (int32_t)count;
}

static void read_jobs(struct slurm_case *c, const struct json *jobs)
{
	struct slurm_job *list = sl_alloc(c->arena, (size_t)json_count(jobs) + 1, sizeof(*list));
	const struct json *one;
	JSON_EACH (one, jobs) {
		struct slurm_job *job = &list[c->job_count++];
		sl_job_desc_clear(&job->desc);
		job->id = text_of(c, get(one, "id"));
		job->user = text_of(c, get(one, "user"));
		job->dependency = text_of(c, get(one, "dependency"));
		job->user_row = user_row(list, c->job_count, job->user);
		job->submit = number_of(get(one, "t"), 0);
		job->limit = seconds_of(get(one, get(one, "time_min") ? "time_min" : "time"));
		job->hetero = get(one, "hetjob") != NULL;
		const struct json *item;
		JSON_EACH (item, one) {
			const char *value = text_of(c, item);
			if (value)
				(void)job_option(&job->desc, item->key, value);
		}
		job->partitions = job->desc.partition;
	}
	c->job = list;
}

/* ---- What happened ---------------------------------------------------------------------------- */

/* The next field of a line of CSV, without its quotes. */
static const char *field(struct slurm_case *c, const char **at)
{
	const char *p = *at;
	if (*p == '"') {
		const size_t len = strcspn(p + 1, "\"");
		*at = p + 1 + len + (p[1 + len] == '"');
		*at += **at == ',';
		return sl_strdup(c->arena, p + 1, len);
	}
	const size_t len = strcspn(p, ",\n\r");
	*at = p + len + (p[len] == ',');
	return sl_strdup(c->arena, p, len);
}

static const struct slurm_job *job_named(const struct slurm_case *c, const char *id)
{
	/* Tasks of arrays are "A_1". */
	const size_t len = strcspn(id, "_");
	for (size_t i = 0; i < c->job_count; i++) {
		if (strcmp(c->job[i].id, id) == 0)
			return &c->job[i];
	}
	for (size_t i = 0; i < c->job_count; i++)
		if (strlen(c->job[i].id) == len && memcmp(c->job[i].id, id, len) == 0)
			return &c->job[i];
	return NULL;
}

static int64_t number_in(const char *text)
{
	int64_t value;
	return sl_get_micro(text, strlen(text), &value) ? value / 1000000 : SL_NONE;
}

static int read_file(
	struct slurm_case *c, const char *folder, const char *name, const char **text, struct sl_err *err)
{
	char path[4096];
	const char *end;
	struct sl_input *in;
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, text, &end, err);
	if (!status)
		*text = sl_strdup(c->arena, *text, (size_t)(end - *text));
	sl_input_close(in);
	return status;
}

static size_t count_lines(const char *text)
{
	size_t count = 1;
	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static int by_start(const void *a, const void *b)
{
	const struct slurm_row *left = a, *right = b;
	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->line < right->line ? -1 : 1;
}

/* job,jobid,attempt,user,partition,submit,eligible,start,end,state,nodelist,nodes,scheduler,reasons_seen,alloc
 */
static int read_expected(struct slurm_case *c, const char *folder, const char *name, struct sl_err *err)
{
	const char *text, *line;
	const int status = read_file(c, folder, name, &text, err);
	if (status)
		return status;
	c->row = sl_alloc(c->arena, count_lines(text), sizeof(*c->row));
	for (line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		const char *at = line + 1, *f[15];
		for (size_t i = 0; i < SL_LEN(f); i++)
			f[i] = field(c, &at);
		struct slurm_row *row = &c->row[c->row_count++];
		*row = (struct slurm_row){ .job = job_named(c, f[0]),
			.nodes = f[10],
			.id = f[0],
			.partition = f[4],
			.state = f[9],
			.reasons = f[13],
			.alloc = f[14],
			.row_id = number_in(f[1]),
			.eligible = number_in(f[6]),
			.start = number_in(f[7]),
			.started = number_in(f[7]),
			.submit = number_in(f[5]),
			.attempt = number_in(f[2]),
			.end = number_in(f[8]),
			.line = (uint32_t)c->row_count };
		if (!row->job)
			c->row_count--; /* Nothing is known of what it asked. */
	}
	if (c->row_count)
		qsort(c->row, c->row_count, sizeof(*c->row), by_start);
	return SL_OK;
}

/* Its nodes booted: it had them since the look before, if not since it could have them. */
static void allocated_before(
	const struct slurm_case *c, const struct slurm_job *job, const char *id, int64_t seen_ms)
{
	enum { LOOK_MS = 2600 };
	for (size_t i = 0; i < c->row_count; i++) {
		struct slurm_row *row = &c->row[i];
		const int64_t least = row->eligible == SL_NONE ? 0 : row->eligible;
		const int64_t at = seen_ms > LOOK_MS ? (seen_ms - LOOK_MS) / 1000 : 0;
		if (row->job == job && strcmp(row->id, id) == 0 && row->start != SL_NONE &&
			row->start * 1000 > seen_ms && least * 1000 <= seen_ms)
			row->start = at > least ? at : least;
	}
}

/* seen_at,job,state,reason,planned_start,priority,planned_nodes: only the priorities. */
static int read_trace(struct slurm_case *c, const char *folder, const char *name, struct sl_err *err)
{
	const char *text, *line;
	const int status = read_file(c, folder, name, &text, err);
	if (status)
		return status;
	c->priority = sl_alloc(c->arena, count_lines(text), sizeof(*c->priority));
	for (line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		const char *at = line + 1, *f[7];
		int64_t seen;
		for (size_t i = 0; i < SL_LEN(f); i++)
			f[i] = field(c, &at);
		struct slurm_priority *p = &c->priority[c->priority_count];
		*p = (struct slurm_priority){ .job = job_named(c, f[1]), .priority = number_in(f[5]) };
		if (!p->job || !sl_get_micro(f[0], strlen(f[0]), &seen))
			continue;
		p->at_ms = seen / 1000;
		if (strcmp(f[2], "CONFIGURING") == 0)
			allocated_before(c, p->job, f[1], p->at_ms);
		c->priority_count += p->priority != SL_NONE;
	}
	if (c->row_count)
		qsort(c->row, c->row_count, sizeof(*c->row), by_start);
	return SL_OK;
}

/* "slurm-wlm 24.11.5" of meta.json: "24.11". */
static const char *version_of(struct slurm_case *c, const char *folder)
{
	enum { DIGITS = 5 };
	struct sl_err none = { 0 };
	const char *text = NULL;
	if (read_file(c, folder, "meta.json", &text, &none))
		return "22.05";
	struct json *json = json_parse(text);
	const struct json *given = json ? get(json, "slurm") : NULL;
	const char *digits = json_is_text(given) ? strpbrk(given->text, "0123456789") : NULL;
	const char *version =
		digits && strlen(digits) >= DIGITS ? sl_strdup(c->arena, digits, DIGITS) : "22.05";
	json_free(json);
	return version;
}

static int read_case(
	struct slurm_case *c, struct sl_arena *arena, const char *scenario, bool second, struct sl_err *err)
{
	const char *slash = strrchr(scenario, '/'), *text;
	*c = (struct slurm_case){ .arena = arena };
	const char *folder = slash ? sl_strdup(arena, scenario, (size_t)(slash - scenario)) : ".";
	c->name = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
	int status = read_file(c, folder, slash ? slash + 1 : scenario, &text, err);
	if (status)
		return status;
	c->version = version_of(c, folder);
	struct json *json = json_parse(text);
	if (!json)
		return sl_fail(err, SL_INPUT, "not JSON");
	const struct json *cluster = get(json, "cluster");
	c->cluster.select = SL_SELECT_CORES;
	c->cluster.mem_counts = true;
	status = read_nodes(c, get(cluster, "nodes"), err);
	if (!status) {
		read_settings(c, cluster);
		read_partitions(c, get(cluster, "partitions"));
		read_topology(c, get(cluster, "topology"));
		read_jobs(c, get(json, "jobs"));
		status = read_expected(c, folder, second ? "expected-2.csv" : "expected.csv", err);
	}
	if (!status)
		status = read_trace(c, folder, second ? "trace-2.csv" : "trace.csv", err);
	struct sl_err none = { 0 };
	text = NULL;
	if (!status) {
		(void)read_file(c, folder, "captures.txt", &text, &none);
		slurm_events_read(c, get(json, "events"), text);
	}
	json_free(json);
	return status;
}

int slurm_case_read(struct slurm_case *c, struct sl_arena *arena, const char *scenario, struct sl_err *err)
{
	return read_case(c, arena, scenario, false, err);
}

int slurm_case_read_second(
	struct slurm_case *c, struct sl_arena *arena, const char *scenario, struct sl_err *err)
{
	return read_case(c, arena, scenario, true, err);
}
