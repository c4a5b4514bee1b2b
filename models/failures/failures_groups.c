/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_groups.c - outages of several nodes at once: below a leaf switch, in a power domain, of the file
 * system that all need; and what a log says of nodes.
 *
 * Each has a stream of its own ("models/failures/leaf/NAME"...). Times between outages are exponential, from
 * the end of one on. A node in two outages is down until both are over; its own failures go on as if there
 * were no outages, so that these move none of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/failures/failures.h"

int failures_group_add(struct failures *f, const struct fail_group *group, struct sl_err *err)
{
	if (f->group_count == FAIL_LOG_MAX)
		return sl_fail_memory(err);
	if (SL_GROW_IN(f->setup.arena, f->group, f->group_capacity, f->group_count + 1, err))
		return SL_SYSTEM;
	f->group[f->group_count] = *group;
	f->group[f->group_count++].record = UINT32_MAX;
	return SL_OK;
}

/* ---- Lists of hosts ------------------------------------------------------------- */

struct named {
	const char *name;
	uint32_t node;
};

static int failures_groups_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int failures_groups_by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Nodes by name; made once, as the first list is read. */
static int make_names(struct failures *f, struct sl_err *err)
{
	if (f->named)
		return SL_OK;
	struct named *named = sl_alloc(f->setup.arena, f->node_count, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	const char *const *name = f->setup.cluster->node_name;
	for (uint32_t i = 0; i < f->node_count; i++)
		named[i] = (struct named){ name && name[i] ? name[i] : "", i };
	qsort(named, f->node_count, sizeof(*named), failures_groups_by_name);
	f->named = named;
	return SL_OK;
}

struct hosts {
	const struct failures *f;
	const struct sl_place *at;
	struct sl_err *err;
	uint32_t *node;
	uint32_t count;
};

static int take_host(void *self, const char *name, size_t len)
{
	struct hosts *hosts = self;
	char text[SL_HOST_NAME_MAX + 1];
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	const struct named key = { text, 0 }, *named = hosts->f->named;
	uint32_t low = 0, high = hosts->f->node_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (failures_groups_by_name(&named[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < hosts->f->node_count && strcmp(named[low].name, text) == 0) {
		hosts->node[hosts->count++] = named[low].node;
		return 0;
	}
	if (hosts->at)
		return sl_fail_at(hosts->err, hosts->at,
			"failures: there is no node '%s': name nodes of the cluster", text);
	return sl_fail(
		hosts->err, SL_USAGE, "failures: there is no node '%s': name nodes of the cluster", text);
}

int failures_hosts(struct failures *f, const char *text, const struct sl_place *at, const uint32_t **node,
	uint32_t *count, struct sl_err *err)
{
	const int64_t names = sl_hosts_count(text, strlen(text), at, err);
	if (names < 0 || make_names(f, err))
		return err->status;
	f->listed += (uint64_t)names;
	if (f->listed > FAIL_LISTED_MAX)
		return sl_fail(err, SL_INPUT, "failures: lists of more than %d hosts in all: give fewer",
			FAIL_LISTED_MAX);
	struct hosts hosts = { f, at, err, sl_alloc(f->setup.arena, (size_t)names + 1, sizeof(uint32_t)), 0 };
	if (!hosts.node)
		return sl_fail_memory(err);
	if (sl_hosts_each(text, strlen(text), at, err, take_host, &hosts))
		return err->status;
	qsort(hosts.node, hosts.count, sizeof(*hosts.node), failures_groups_by_number);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < hosts.count; i++)
		if (!kept || hosts.node[kept - 1] != hosts.node[i])
			hosts.node[kept++] = hosts.node[i];
	*node = hosts.node;
	*count = kept;
	return SL_OK;
}

/* ---- Making groups ---------------------------------------------------------------- */

struct kind {
	const char *path; /* Of its streams. */
	uint32_t cause;
	double mean; /* us; 0: never. */
	sl_time time;
};

static struct kind failures_groups_kind_of(
	const struct failures *f, const char *path, const char *rate, const char *time, uint32_t cause)
{
	const struct sl_value *r = sl_value_of(f->setup.values, f->setup.value_count, rate);
	const struct sl_value *t = sl_value_of(f->setup.values, f->setup.value_count, time);
	const double per_1000_days = r ? (double)r->number / 1e6 : 0;
	return (struct kind){ path, cause, per_1000_days > 0 ? 1000.0 * (double)FAIL_DAY / per_1000_days : 0,
		t ? t->number : 0 };
}

static int failures_groups_add(struct failures *f, const struct kind *kind, const char *name,
	const uint32_t *node, uint32_t count, struct sl_err *err)
{
	char path[200];
	snprintf(path, sizeof(path), "models/failures/%s/%.100s", kind->path, name);
	return failures_group_add(f,
		&(struct fail_group){ .rng = sl_rng_stream(f->setup.seed, path),
			.name = name,
			.mean = kind->mean,
			.time = kind->time > 0 ? kind->time : 1,
			.node = node,
			.node_count = count,
			.cause = kind->cause,
			.next = SL_NEVER },
		err);
}

static int leaves(struct failures *f, const struct kind *kind, struct sl_err *err)
{
	const struct sl_cluster *cluster = f->setup.cluster;
	uint32_t found = 0;
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		const struct sl_switch *sw = &cluster->sw[i];
		if (sw->level || !sw->node_count)
			continue;
		found++;
		if (failures_groups_add(f, kind, sw->name, sw->node, sw->node_count, err))
			return err->status;
	}
	if (found)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"failures: leaf_rate without switches: the cluster's file has to name some, with their nodes");
}

/* All nodes, in order of number. */
static const uint32_t *all_nodes(struct failures *f)
{
	uint32_t *node = sl_alloc(f->setup.arena, f->node_count, sizeof(*node));
	for (uint32_t i = 0; node && i < f->node_count; i++)
		node[i] = i;
	return node;
}

static int domains_by_number(struct failures *f, const struct kind *kind, uint32_t size, struct sl_err *err)
{
	const uint32_t *node = all_nodes(f);
	if (!node)
		return sl_fail_memory(err);
	for (uint32_t first = 0; first < f->node_count; first += size) {
		char text[32];
		const int len = snprintf(text, sizeof(text), "domain%" PRIu32, first / size + 1);
		const char *name = sl_strdup(f->setup.arena, text, (size_t)len);
		const uint32_t count = f->node_count - first < size ? f->node_count - first : size;
		if (!name)
			return sl_fail_memory(err);
		if (failures_groups_add(f, kind, name, node + first, count, err))
			return err->status;
	}
	return SL_OK;
}

static int domains_by_name(
	struct failures *f, const struct kind *kind, const struct sl_csv_table *csv, struct sl_err *err)
{
	const uint32_t name = sl_csv_column(csv, "domain"), nodes = sl_csv_column(csv, "nodes");
	if (name == UINT32_MAX || nodes == UINT32_MAX)
		return sl_fail_at(err, &(struct sl_place){ .file = csv->file, .line = 1 },
			"there is no column 'domain' or 'nodes': both are wanted");
	for (uint32_t row = 0; row < csv->rows; row++) {
		const struct sl_place at = sl_csv_place(csv, row, nodes);
		const uint32_t *node = NULL;
		uint32_t count = 0;
		if (failures_hosts(
			    f, csv->cell[(size_t)row * csv->columns + nodes], &at, &node, &count, err) ||
			failures_groups_add(
				f, kind, csv->cell[(size_t)row * csv->columns + name], node, count, err))
			return err->status;
	}
	return SL_OK;
}

static int domains(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct kind kind =
		failures_groups_kind_of(f, "domain", "domain_rate", "domain_time", f->cause_domain);
	const struct sl_value *size = sl_value_of(setup->values, setup->value_count, "domain");
	const struct sl_csv_table *csv = sl_csv_table_of(setup, "domains");
	if (!(kind.mean > 0))
		return SL_OK;
	if (csv)
		return domains_by_name(f, &kind, csv, err);
	if (size && size->number > 0)
		return domains_by_number(f, &kind, (uint32_t)size->number, err);
	return sl_fail(err, SL_USAGE, "failures: domain_rate without domains: give domain=N or domains=FILE");
}

static int file_system(struct failures *f, struct sl_err *err)
{
	const struct kind kind = failures_groups_kind_of(f, "fs", "fs_rate", "fs_time", f->cause_fs);
	if (!(kind.mean > 0))
		return SL_OK;
	const uint32_t *node = all_nodes(f);
	return node ? failures_groups_add(f, &kind, "fs", node, f->node_count, err) : sl_fail_memory(err);
}

int failures_groups_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	if (!f->node_count)
		return SL_OK;
	const struct kind leaf = failures_groups_kind_of(f, "leaf", "leaf_rate", "leaf_time", f->cause_leaf);
	if (leaf.mean > 0 && leaves(f, &leaf, err))
		return err->status;
	if (domains(f, setup, err) || file_system(f, err))
		return err->status;
	const int status = failures_log_read(f, setup, err);
	return status ? status : failures_outages_read(f, setup, err);
}

/* ---- Their progress -------------------------------------------------------------------- */

static void plan(struct failures *f, struct sim *sim, uint32_t row, sl_time from)
{
	struct fail_group *group = &f->group[row];
	group->next = failures_later(from, failures_exponential(group->mean, sl_rng_unit(&group->rng)));
	failures_wake(sim, group->next, FAIL_T_GROUP, row);
}

void failures_groups_begin(struct failures *f, struct sim *sim)
{
	for (uint32_t i = 0; i < f->group_count; i++) {
		struct fail_group *group = &f->group[i];
		if (group->mean > 0)
			plan(f, sim, i, f->begun);
		else if (group->back > f->begun) { /* Of a log; what was over before is no news. */
			if (group->next < f->begun)
				group->next = f->begun;
			failures_wake(sim, group->next, FAIL_T_GROUP, i);
		}
	}
}

void failures_group_out(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_group *group = &f->group[row];
	if (group->out || group->next != sl_now(sim))
		return;
	group->out = true;
	if (group->mean > 0)
		group->back = failures_later(sl_now(sim), group->time);
	group->record = failures_record(f, sl_now(sim), group->name, group->cause);
	f->cause[group->cause].count++;
	if (!group->drain)
		failures_hit_nodes(f, sim, group->node, group->node_count, group->record);
	for (uint32_t i = 0; i < group->node_count; i++)
		if (group->drain)
			sl_model_node_drain(sim, group->node[i], true);
		else
			sl_model_node_down(
				sim, group->node[i], f->options.return_known ? group->back : SL_NEVER);
	failures_wake(sim, group->back, FAIL_T_GROUP_BACK, row);
}

void failures_group_back(struct failures *f, struct sim *sim, uint32_t row)
{
	struct fail_group *group = &f->group[row];
	if (!group->out || group->back != sl_now(sim))
		return;
	group->out = false;
	f->cause[group->cause].down += failures_times(group->node_count, sl_now(sim) - group->next, 1);
	if (group->record != UINT32_MAX)
		f->record[group->record].until = sl_now(sim);
	for (uint32_t i = 0; i < group->node_count; i++)
		if (group->drain)
			sl_model_node_drain(sim, group->node[i], false);
		else
			sl_model_node_up(sim, group->node[i]);
	if (group->mean > 0)
		plan(f, sim, row, sl_now(sim));
}
