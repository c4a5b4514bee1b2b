/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_partition.c - PartitionName lines, what the cluster says for all of them, and licences.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

/* ---- The nodes of a list --------------------------------------------------------------------------- */

struct gathering {
	const char **name;
	size_t count, capacity;
	const struct conf_line
		*sw; /* The switch whose hosts these are: those that there are not are passed over. */
};

static int conf_partition_gather(void *self, struct conf *conf, uint32_t node)
{
	struct gathering *all = self;
	if (SL_GROW(all->name, all->capacity, all->count + 1, conf->err))
		return SL_SYSTEM;
	all->name[all->count++] = conf->node[node].name;
	return SL_OK;
}

/* True if the variant's entry has one of the listed features. */
static bool has_feature(const struct conf *conf, uint32_t entry, const char *wanted)
{
	const struct conf_line *line = conf->entry[entry].line;
	const char *value = conf_value_of(line, "Feature");
	if (!value)
		value = conf_value_of(line, "Features");
	for (size_t len; value;) {
		const char *flag = conf_part(&value, ",", &len);
		const char *list = wanted;
		for (size_t other; list;) {
			const char *word = conf_part(&list, ",", &other);
			if (len && len == other && memcmp(word, flag, len) == 0)
				return true;
		}
	}
	return false;
}

static const struct conf_line *node_set_of(const struct conf *conf, const char *name, size_t len)
{
	for (size_t i = 0; i < conf->set_count; i++) {
		const struct conf_line *line = &conf->lines.line[conf->set[i]];
		if (strlen(line->pair[0].value) == len && memcmp(line->pair[0].value, name, len) == 0)
			return line;
	}
	return NULL;
}

static int gather_set(struct conf *conf, const struct conf_line *set, struct gathering *all)
{
	const struct conf_pair *feature = conf_pair_own(set, "Feature");
	const struct conf_pair *nodes = conf_pair_own(set, "Nodes");
	int status = SL_OK;
	for (uint32_t i = 0; feature && i < conf->node_count && !status; i++)
		if (!conf->node[i].gone && has_feature(conf, conf->node[i].entry, feature->value))
			status = conf_partition_gather(all, conf, i);
	if (!status && feature)
		conf->listed += conf->node_count;
	if (conf->listed > CONF_LISTED_MAX)
		return conf_fail(conf, set->pair, "lists name more than %d nodes in all", CONF_LISTED_MAX);
	const bool every = nodes && conf_same(nodes->value, "ALL");
	for (uint32_t i = 0; every && i < conf->node_count && !status; i++)
		if (!conf->node[i].gone)
			status = conf_partition_gather(all, conf, i);
	if (!status && nodes && !every)
		status = conf_each_node(conf, nodes, nodes->value, "NodeSet", conf_partition_gather, all);
	return status;
}

/* The next word of a list, whose commas in brackets part none. */
static const char *conf_partition_word_of(const char **list, size_t *len)
{
	const char *first = *list;
	unsigned depth = 0;
	const char *p = first;
	for (; *p && (depth || *p != ','); p++) {
		depth += *p == '[';
		depth -= *p == ']' && depth;
	}
	*len = (size_t)(p - first);
	*list = *p ? p + 1 : NULL;
	return first;
}

static int gather_list(
	struct conf *conf, const struct conf_pair *pair, const char *list, struct gathering *all)
{
	const char *rest = list;
	int status = SL_OK;
	if (all->sw)
		return conf_each_known(conf, pair, list, all->sw->kind, all->sw->pair[0].value, CONF_REPORTED,
			conf_partition_gather, all);
	for (size_t len; rest && !status;) {
		const char *word = conf_partition_word_of(&rest, &len);
		const struct conf_line *set = node_set_of(conf, word, len);
		char *copy = set ? NULL : conf_strdup(&conf->mem, word, len);
		if (!set && !copy)
			return sl_fail_memory(conf->err);
		status = set ? gather_set(conf, set, all)
			     : conf_each_node(conf, pair, copy, pair->key, conf_partition_gather, all);
	}
	return status;
}

static int list_meant(
	struct conf *conf, const struct conf_pair *pair, const struct conf_line *sw, const char **list)
{
	struct gathering all = { .sw = sw };
	*list = NULL;
	if (!pair || !*pair->value || conf_same(pair->value, "(null)"))
		return SL_OK;
	if (conf_same(pair->value, "ALL")) {
		*list = "ALL";
		return SL_OK;
	}
	char *copy = conf_strdup(&conf->mem, pair->value, strlen(pair->value));
	if (!copy)
		return sl_fail_memory(conf->err);
	for (char *p = copy; *p; p++) /* Blanks part names, too. */
		if (*p == ' ' || *p == '\t')
			*p = ',';
	int status = gather_list(conf, pair, copy, &all);
	const size_t len = status ? 0 : sl_hosts_fold(all.name, all.count, NULL, 0);
	char *folded = conf_alloc(&conf->mem, len + 1, 1);
	if (!status && !folded)
		status = sl_fail_memory(conf->err);
	if (!status) {
		(void)sl_hosts_fold(all.name, all.count, folded, len + 1);
		*list = all.count ? folded : NULL;
	}
	free(all.name);
	return status;
}

int conf_nodes_meant(struct conf *conf, const struct conf_pair *pair, const char **list)
{
	return list_meant(conf, pair, NULL, list);
}

int conf_hosts_meant(struct conf *conf, const struct conf_line *line, const char **list)
{
	return list_meant(conf, conf_pair_own(line, "Nodes"), line, list);
}

/* ---- Partitions --------------------------------------------------------------------------------- */

/* The partition's own, else the cluster's. */
static const struct conf_pair *own_or_all(
	const struct conf *conf, const struct conf_line *line, const char *key)
{
	const struct conf_pair *pair = conf_pair_of(line, key);
	return pair ? pair : conf_global(conf, key);
}

/* DefMemPerCPU and DefMemPerNode exclude each other; so do the two Max. Per node counts, as in Slurm, and
 * what a partition says is whole: the cluster's goes for neither. 0 is none. */
static int memory_pair(const struct conf *conf, const struct conf_line *line, const char *per_node,
	const char *per_cpu, int64_t *node, int64_t *cpu)
{
	const struct conf_pair *by_node = conf_pair_of(line, per_node);
	const struct conf_pair *by_cpu = conf_pair_of(line, per_cpu);
	int status = conf_memory(conf, by_node, node);
	if (!status)
		status = conf_memory(conf, by_cpu, cpu);
	if (!status && (!by_node || *node <= 0) && (!by_cpu || *cpu <= 0)) {
		status = conf_memory(conf, conf_global(conf, per_node), node);
		if (!status)
			status = conf_memory(conf, conf_global(conf, per_cpu), cpu);
	}
	*node = *node > 0 ? *node : SL_NONE;
	*cpu = *cpu > 0 && *node == SL_NONE ? *cpu : SL_NONE;
	return status;
}

/* scontrol's JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=1000. */
static int job_defaults(struct conf *conf, const struct conf_line *line, struct sl_partition *part)
{
	const struct conf_pair *pair = own_or_all(conf, line, "JobDefaults");
	const char *text = pair ? pair->value : NULL;
	for (size_t len; text;) {
		const char *flag = conf_part(&text, ",", &len);
		const char *equals = memchr(flag, '=', len);
		if (!equals)
			continue;
		const size_t digits = len - (size_t)(equals + 1 - flag);
		int64_t value;
		if (!sl_get_i64(equals + 1, digits, &value) || value < 0)
			continue;
		if (conf_begins(flag, "DefCpuPerGPU="))
			part->cpus_per_gpu = value;
		else if (conf_begins(flag, "DefMemPerGPU="))
			part->mem_per_gpu = value;
	}
	int status =
		conf_number(conf, own_or_all(conf, line, "DefCPUPerGPU"), INT32_MAX, &part->cpus_per_gpu);
	if (!status)
		status = conf_memory(conf, own_or_all(conf, line, "DefMemPerGPU"), &part->mem_per_gpu);
	return status;
}

static int sharing(struct conf *conf, const struct conf_line *line, struct sl_partition *part)
{
	static const char *const word[] = { "NO", "YES", "FORCE", "EXCLUSIVE", NULL };
	enum { SHARES_DEFAULT = 4 };
	const struct conf_pair *pair = conf_pair_of(line, "OverSubscribe");
	int which = SL_SHARE_NO;
	if (!pair)
		pair = conf_pair_of(line, "Shared");
	const int status = conf_choice(conf, pair, word, &which);
	part->share = (enum sl_share)which;
	part->shares = which == SL_SHARE_YES || which == SL_SHARE_FORCE ? SHARES_DEFAULT : 1;
	const char *colon = pair ? strchr(pair->value, ':') : NULL;
	if (status || !colon)
		return status;
	const bool number = sl_get_i64(colon + 1, strlen(colon + 1), &part->shares) && part->shares >= 1 &&
			    part->shares <= UINT16_MAX;
	if (which == SL_SHARE_YES && number &&
		part->shares == 1) /* As slurmctld: one alone shares nothing. */
		part->share = SL_SHARE_NO;
	if (number)
		return SL_OK;
	part->share = SL_SHARE_NO;
	part->shares = 1;
	return conf_report_warned(conf, CONF_PARTITION, part->name, pair, pair->value,
		CONF_WARNED "so many jobs to a resource must be from 1 to 65535: taken as NO");
}

static int limits(struct conf *conf, const struct conf_line *line, struct sl_partition *part)
{
	int status = conf_minutes(conf, conf_pair_of(line, "MaxTime"), &part->max_time);
	if (!status)
		status = conf_minutes(conf, conf_pair_of(line, "DefaultTime"), &part->default_time);
	if (!status)
		status = conf_number(conf, conf_pair_of(line, "MinNodes"), UINT32_MAX, &part->nodes_min);
	if (!status)
		status = conf_number(conf, conf_pair_of(line, "MaxNodes"), UINT32_MAX, &part->nodes_max);
	if (!status)
		status = conf_number(
			conf, conf_pair_of(line, "MaxCPUsPerNode"), UINT32_MAX, &part->cpus_per_node_max);
	if (!status)
		status = memory_pair(
			conf, line, "DefMemPerNode", "DefMemPerCPU", &part->mem_per_node, &part->mem_per_cpu);
	if (!status)
		status = memory_pair(conf, line, "MaxMemPerNode", "MaxMemPerCPU", &part->mem_per_node_max,
			&part->mem_per_cpu_max);
	return status ? status : job_defaults(conf, line, part);
}

static int flags(const struct conf *conf, const struct conf_line *line, struct sl_partition *part)
{
	const struct {
		const char *key;
		bool *value;
	} flag[] = {
		{ "Default", &part->is_default },
		{ "Hidden", &part->hidden },
		{ "RootOnly", &part->root_only },
		{ "ExclusiveUser", &part->exclusive_user },
		{ "LLN", &part->least_loaded },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(flag) && !status; i++)
		status = conf_yes(conf, conf_pair_of(line, flag[i].key), flag[i].value);
	if (conf_same(conf_value_of(line, "Exclusive"), "USER"))
		part->exclusive_user = true;
	return status;
}

static int partition_of(struct conf *conf, const struct conf_line *line, struct sl_partition *part)
{
	static const char *const states[] = { "UP", "DOWN", "DRAIN", "INACTIVE", NULL };
	const struct conf_pair *old = conf_pair_of(line, "Priority");
	int state = SL_PARTITION_UP;
	*part = (struct sl_partition){
		.name = line->pair[0].value, SL_PARTITION_UNBOUNDED, .tier = 1, .job_factor = 1
	};
	if (strlen(part->name) > CONF_NAME_MAX)
		return conf_fail(
			conf, line->pair, "a partition's name has at most %d letters", CONF_NAME_MAX);
	int status = conf_number(conf, conf_pair_of(line, "PriorityTier"), UINT16_MAX, &part->tier);
	if (!status)
		status = conf_number(
			conf, conf_pair_of(line, "PriorityJobFactor"), UINT16_MAX, &part->job_factor);
	if (!status)
		status = conf_number(conf, old, UINT16_MAX, &part->tier);
	if (!status && old)
		part->job_factor = part->tier;
	if (!status)
		status = limits(conf, line, part);
	if (!status)
		status = flags(conf, line, part);
	if (!status)
		status = sharing(conf, line, part);
	if (!status)
		status = conf_choice(conf, conf_pair_of(line, "State"), states, &state);
	part->state = (enum sl_partition_state)state;
	return status ? status : conf_nodes_meant(conf, conf_pair_of(line, "Nodes"), &part->nodes);
}

/* What DEFAULT says goes for it, too, where it does not speak itself. */
static int report_inherited(struct conf *conf, const struct conf_line *line)
{
	int status = SL_OK;
	for (const struct conf_line *from = line->fallback; from; from = from->fallback)
		for (uint32_t i = 1; i < from->count && !status; i++) {
			struct conf_pair pair = from->pair[i];
			if (conf_pair_of(line, pair.key) == &from->pair[i])
				status = conf_report(
					conf, CONF_PARTITION, line->pair[0].value, &pair, line->observed);
		}
	return status;
}

enum { PARTITIONS_MAX = 10000 };

static int fail_twice(
	const struct conf *conf, const struct conf_line *line, const uint32_t *before, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct conf_pair *old = conf->lines.line[before[i]].pair;
		if (strcmp(old->value, line->pair[0].value) == 0)
			return conf_fail(conf, line->pair, "there is a partition '%.60s' already (%s:%llu)",
				line->pair[0].value, old->at.file, (unsigned long long)old->at.line);
	}
	return SL_OK;
}

int conf_partitions_report(struct conf *conf)
{
	uint32_t *before = conf_alloc(&conf->mem, PARTITIONS_MAX, sizeof(*before));
	size_t count = 0;
	if (!before)
		return sl_fail_memory(conf->err);
	int status = SL_OK;
	for (size_t i = 0; i < conf->lines.count && !status; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		struct sl_partition part;
		if (line->kind != CONF_PARTITION || conf_is_default(line))
			continue;
		if (count == PARTITIONS_MAX)
			return conf_fail(conf, line->pair, "more than %d partitions", PARTITIONS_MAX);
		status = fail_twice(conf, line, before, count);
		before[count++] = (uint32_t)i;
		if (!status)
			status = report_inherited(conf, line);
		if (!status)
			status = partition_of(conf, line, &part);
		if (!status && conf->sink->partition)
			status = conf->sink->partition(conf->sink->self, &part, &line->pair[0].at, conf->err);
	}
	return status;
}

/* ---- Licences ----------------------------------------------------------------------------------- */

static int license(
	struct conf *conf, const struct conf_pair *pair, const char *name, size_t len, int64_t total)
{
	const struct sl_license spec = { conf_strdup(&conf->mem, name, len), total };
	if (!spec.name)
		return sl_fail_memory(conf->err);
	if (!len || len > CONF_NAME_MAX || total < 0 || total > UINT32_MAX)
		return conf_fail(
			conf, pair, "'%.60s' is no licence: name[:count], as in matlab:20", pair->value);
	return conf->sink->license ? conf->sink->license(conf->sink->self, &spec, &pair->at, conf->err)
				   : SL_OK;
}

/* Licenses=fluent:30,ansys=100; "*" stands for ":" in old files. */
static int licenses_of(struct conf *conf, const struct conf_pair *pair)
{
	enum { LICENSES_MAX = 10000 };
	const char *text = pair->value;
	int status = SL_OK;
	unsigned count = 0;
	for (size_t len; text && !status;) {
		const char *flag = conf_part(&text, ",;", &len);
		size_t name = 0;
		int64_t total = 1;
		if (++count > LICENSES_MAX)
			return conf_fail(conf, pair, "more than %d licences", LICENSES_MAX);
		while (name < len && !strchr(":=*", flag[name]))
			name++;
		if (name < len && !sl_get_i64(flag + name + 1, len - name - 1, &total))
			total = -1;
		status = license(conf, pair, flag, name, total);
	}
	return status;
}

int conf_licenses_report(struct conf *conf)
{
	const struct conf_pair *pair = conf_global(conf, "Licenses");
	bool displayed = false;
	int status = SL_OK;
	for (size_t i = 0; i < conf->lines.count && !status; i++) {
		const struct conf_line *line = &conf->lines.line[i];
		int64_t total = 0;
		if (line->kind != CONF_LICENSE)
			continue;
		displayed = true;
		status = conf_number(conf, conf_pair_own(line, "Total"), UINT32_MAX, &total);
		if (!status)
			status = license(conf, line->pair, line->pair[0].value, strlen(line->pair[0].value),
				total == SL_NONE ? 0 : total);
	}
	if (!status && !displayed && pair && !conf_same(pair->value, "(null)"))
		status = licenses_of(conf, pair);
	return status;
}
