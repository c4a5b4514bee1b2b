/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_nodes.c - nodes as an operator names them, and settings that take them down.
 *
 * A word is a partition, a switch (a rack), a feature, a type of GPU, an entry of the cluster's file ("gpu"
 * of gpu1, gpu2, ...) or a list of hosts: the first of these that it is. Several words stand between commas.
 * Nodes go down by the model failures, of which nobody knows before (schedlab-failures(7)).
 */
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/whatif_parts.h"
#include "sim/base/names.h"

/* ---- Which ---------------------------------------------------------------------------------------- */

struct naming {
	const struct scenario *scenario;
	struct node_rows *rows;
	struct names names; /* Number n: the n-th node. */
	bool unknown;
	char missing[SL_HOST_NAME_MAX + 1];
};

static void whatif_nodes_take(struct naming *naming, uint32_t node)
{
	naming->rows->count += !naming->rows->in[node];
	naming->rows->in[node] = true;
}

static int take_host(void *self, const char *name, size_t len)
{
	struct naming *naming = self;
	const uint32_t node = names_find(&naming->names, name, len);
	if (node == UINT32_MAX) {
		naming->unknown = true;
		(void)snprintf(naming->missing, sizeof(naming->missing), "%.*s",
			(int)(len < SL_HOST_NAME_MAX ? len : SL_HOST_NAME_MAX), name);
		return 1;
	}
	whatif_nodes_take(naming, node);
	return 0;
}

static bool whatif_nodes_is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && memcmp(name, word, len) == 0;
}

static bool take_partition(struct naming *naming, const char *word, size_t len)
{
	const struct sl_cluster *cluster = &naming->scenario->cluster;
	for (uint32_t i = 0; i < cluster->partition_count; i++) {
		if (!whatif_nodes_is_word(cluster->partition[i].name, word, len))
			continue;
		const uint32_t which = cluster->partition[i].node_set;
		const uint64_t *types = which ? cluster->node_set[which].types : NULL;
		for (uint32_t node = 0; node < cluster->node_count; node++) {
			const uint32_t type = cluster->node_type[node];
			if (!types || types[type / 64] >> type % 64 & 1)
				whatif_nodes_take(naming, node);
		}
		return true;
	}
	return false;
}

static bool take_switch(struct naming *naming, const char *word, size_t len)
{
	const struct sl_cluster *cluster = &naming->scenario->cluster;
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		if (!whatif_nodes_is_word(cluster->sw[i].name, word, len))
			continue;
		for (uint32_t k = 0; k < cluster->sw[i].node_count; k++)
			whatif_nodes_take(naming, cluster->sw[i].node[k]);
		return true;
	}
	return false;
}

static bool has_feature(const struct sl_node_type *type, const char *word, size_t len)
{
	for (uint32_t i = 0; type->hardware && i < type->hardware->feature_count; i++)
		if (whatif_nodes_is_word(type->hardware->feature[i], word, len))
			return true;
	return false;
}

/* Of GPUs: kinds are cpus, memory, then these. */
static bool has_gpus(
	const struct sl_cluster *cluster, const struct sl_node_type *type, const char *word, size_t len)
{
	for (uint32_t kind = 2; kind < cluster->kind_count; kind++)
		if (type->amount[kind] > 0 && whatif_nodes_is_word(cluster->kind_name[kind], word, len))
			return true;
	return false;
}

static bool take_types(struct naming *naming, const char *word, size_t len, bool features)
{
	const struct sl_cluster *cluster = &naming->scenario->cluster;
	bool found = false;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const struct sl_node_type *type = &cluster->type[cluster->node_type[node]];
		if (!(features ? has_feature(type, word, len) : has_gpus(cluster, type, word, len)))
			continue;
		whatif_nodes_take(naming, node);
		found = true;
	}
	return found;
}

/* Nodes called by that word and a number. */
static bool take_entry(struct naming *naming, const char *word, size_t len)
{
	const struct sl_cluster *cluster = &naming->scenario->cluster;
	bool found = false;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const char *name = cluster->node_name[node];
		if (strncmp(name, word, len) != 0 || !name[len] ||
			name[len + strspn(name + len, "0123456789")])
			continue;
		whatif_nodes_take(naming, node);
		found = true;
	}
	return found;
}

static int fail_unknown(const struct naming *naming, const char *option, struct sl_err *err)
{
	const struct sl_cluster *cluster = &naming->scenario->cluster;
	const char **known = calloc((size_t)cluster->node_count + 1, sizeof(*known)); /* Closed by NULL. */
	if (!known)
		return sl_fail_memory(err);
	memcpy(known, cluster->node_name, cluster->node_count * sizeof(*known));
	const char *similar = sl_nearest(naming->missing, known);
	free(known);
	return sl_fail(err, SL_USAGE,
		"%s: no node is called '%s', nor is that a partition, switch, feature, type of GPU or entry%s%s%s",
		option, naming->missing, similar ? ": did you mean '" : "", similar ? similar : "",
		similar ? "'?" : "");
}

static int take_word(
	struct naming *naming, const char *option, const char *word, size_t len, struct sl_err *err)
{
	if (take_partition(naming, word, len) || take_switch(naming, word, len) ||
		take_types(naming, word, len, true) || take_types(naming, word, len, false))
		return SL_OK;
	if (names_find(&naming->names, word, len) == UINT32_MAX && take_entry(naming, word, len))
		return SL_OK;
	if (sl_hosts_each(word, len, NULL, err, take_host, naming) < 0) {
		err->status = SL_USAGE;
		return SL_USAGE;
	}
	if (!naming->unknown)
		return SL_OK;
	return fail_unknown(naming, option, err);
}

/* The hosts in the order of the cluster, as one list. */
static int fold(
	const struct scenario *scenario, struct node_rows *rows, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	const char **name = malloc((rows->count + 1) * sizeof(*name));
	size_t count = 0;
	if (!name)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < cluster->node_count; node++)
		if (rows->in[node])
			name[count++] = cluster->node_name[node];
	const size_t len = sl_hosts_fold(name, count, NULL, 0);
	char *text = sl_alloc(arena, len + 1, 1);
	if (text)
		(void)sl_hosts_fold(name, count, text, len + 1);
	free(name);
	rows->hosts = text;
	return text ? SL_OK : sl_fail_memory(err);
}

int node_rows_of(struct node_rows *rows, const struct scenario *scenario, const char *option,
	const char *text, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	struct naming naming = { .scenario = scenario, .rows = rows };
	int status = SL_OK;
	*rows = (struct node_rows){ 0 };
	if (!cluster->node_count)
		return sl_fail(err, SL_USAGE,
			"%s %s: this machine is a counted pool, without nodes: give a cluster with -c",
			option, text);
	rows->in = sl_alloc(arena, cluster->node_count, sizeof(*rows->in));
	if (!rows->in)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < cluster->node_count && !status; node++) {
		uint32_t number;
		const char *name = cluster->node_name[node];
		status = names_add(&naming.names, arena, name, strlen(name), &number, err);
	}
	for (const char *p = text; *p && !status;) {
		unsigned depth = 0;
		const char *word = p;
		for (; *p && (depth || *p != ','); p++)
			depth += *p == '[' ? 1 : *p == ']' && depth ? UINT32_MAX : 0;
		if (p > word)
			status = take_word(&naming, option, word, (size_t)(p - word), err);
		p += *p == ',';
	}
	if (!status && !rows->count)
		status = sl_fail(err, SL_USAGE, "%s '%s' is no node: name nodes, a partition or a switch",
			option, text);
	names_release(&naming.names);
	return status ? status : fold(scenario, rows, arena, err);
}

/* ---- Settings --------------------------------------------------------------------------------------- */

static const struct model_choice *failures_of(const struct scenario *scenario)
{
	for (size_t i = 0; i < scenario->model_count; i++)
		if (strcmp(scenario->model[i].model->name, "failures") == 0)
			return &scenario->model[i];
	return NULL;
}

/* Names of those that are on; NULL: none is. */
static const char *models_of(const struct scenario *scenario)
{
	for (size_t i = 0; i < replay_param_count; i++)
		if (strcmp(replay_params[i].key, "models") == 0)
			return scenario->replay[i].text;
	return NULL;
}

static const char *whatif_nodes_value_of(const struct model_choice *model, const char *key)
{
	const struct sl_value *value = model ? sl_value_of(model->values, model->value_count, key) : NULL;
	return value ? value->text : NULL;
}

static bool whatif_nodes_put(struct replica *replica, struct sl_arena *arena, const char *key,
	const char *was, const char *between, const char *more)
{
	char *text = text_made(arena, "%s%s%s%s", key, was ? was : "", was ? between : "", more);
	if (!text)
		return false;
	replica->setting[replica->setting_count++] = text;
	return true;
}

/* The replica's own, else the base's. */
static const char *own_or_base(const struct replica *replica, const char *key, const char *base)
{
	const size_t len = strlen(key);
	for (size_t i = replica->setting_count; i-- > 0;)
		if (strncmp(replica->setting[i], key, len) == 0)
			return replica->setting[i] + len;
	return base;
}

int outage_put(struct replica *replica, const struct scenario *scenario, const char *outage,
	struct sl_arena *arena, struct sl_err *err)
{
	static const char key[] = "failures.outages=";
	const struct model_choice *on = failures_of(scenario);
	/* What fails by itself at the default rate does so still. */
	const bool by_default = on && !whatif_nodes_value_of(on, "rate") &&
				!whatif_nodes_value_of(on, "mtbf") && !whatif_nodes_value_of(on, "log") &&
				!whatif_nodes_value_of(on, "outages");
	if (!whatif_nodes_put(replica, arena, key,
		    own_or_base(replica, key, whatif_nodes_value_of(on, "outages")), "; ", outage) ||
		(!on && !whatif_nodes_put(
				replica, arena, "replay.models=", models_of(scenario), ",", "failures")) ||
		(by_default && !whatif_nodes_put(replica, arena, "failures.rate=", NULL, "", "6.5")))
		return sl_fail_memory(err);
	return SL_OK;
}
