/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_reported.c - what a policy reports of its own state (sl_policy.show): states of nodes, plans,
 * reservations and partitions as commands left them, in place of what a view derives from the engine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/moment/view.h"

/* Seconds of a table as a time; NaN: none. */
static sl_time time_in(const struct view_table *table, size_t row, const char *column, sl_time none)
{
	const double seconds = table_number(table, row, column);
	return isnan(seconds) ? none : (sl_time)seconds * SL_SECOND;
}

static const char *view_reported_text_in(const struct view_table *table, size_t row, const char *column)
{
	const char *text = table_text(table, row, column);
	return *text ? text : NULL;
}

/* Rows of nodes of a list of their names, ascending; their number, or negative. */
static int64_t nodes_in(struct view *view, const char *list, const uint32_t **node, struct sl_err *err)
{
	bool *flags = NULL;
	uint32_t count = 0;
	*node = NULL;
	if (!list || !*list || !view->cluster->node_count)
		return 0;
	const int status = view_hosts(view, list, &flags, err);
	if (status)
		return -1;
	for (uint32_t n = 0; n < view->cluster->node_count; n++)
		count += flags[n];
	uint32_t *row = sl_alloc(view->arena, count + 1U, sizeof(*row));
	if (!row) {
		(void)sl_fail_memory(err);
		return -1;
	}
	count = 0;
	for (uint32_t n = 0; n < view->cluster->node_count; n++)
		if (flags[n])
			row[count++] = n;
	*node = row;
	return count;
}

/* ---- Reservations ----------------------------------------------------------------------------------------
 */

static int reported_reservation(struct view *view, size_t row, struct sl_err *err)
{
	const struct view_table *table = &view->table[VIEW_TABLE_RESERVATIONS];
	struct view_reservation *it = &view->reservation[view->reservation_count];
	*it = (struct view_reservation){
		.name = view_reported_text_in(table, row, "name"),
		.partition = view_reported_text_in(table, row, "partition"),
		.flags = view_reported_text_in(table, row, "flags"),
		.users = view_reported_text_in(table, row, "users"),
		.accounts = view_reported_text_in(table, row, "accounts"),
		.licenses = view_reported_text_in(table, row, "licenses"),
		.features = view_reported_text_in(table, row, "features"),
		.from = time_in(table, row, "start", 0),
		.until = time_in(table, row, "end", SL_NEVER),
	};
	const int64_t count = nodes_in(view, view_reported_text_in(table, row, "nodes"), &it->node, err);
	if (count < 0)
		return err->status;
	it->node_count = (uint32_t)count;
	view->reservation_count++;
	return SL_OK;
}

/* Of the cluster's files: those to come and those that are; what is over is gone, and outages are none. */
static void windows_of(struct view *view)
{
	for (uint32_t i = 0; i < view->cluster->window_count; i++) {
		const struct sl_window *window = &view->cluster->window[i];
		const bool is = window->kind == SL_WINDOW_RESERVED || window->kind == SL_WINDOW_MAINT;
		if (!is || window->until <= view->now)
			continue;
		const char *flags = window->kind == SL_WINDOW_MAINT ? "MAINT,SPEC_NODES" : "SPEC_NODES";
		view->reservation[view->reservation_count++] = (struct view_reservation){
			.name = window->name,
			.flags = window->flags ? window->flags : flags,
			.users = window->users,
			.accounts = window->accounts,
			.from = window->from,
			.until = window->until,
			.node = window->node,
			.node_count = window->node_count,
			.cpus = window->cpus,
		};
	}
}

int view_take_reservations(struct view *view, struct sl_err *err)
{
	const struct view_table *table = &view->table[VIEW_TABLE_RESERVATIONS];
	const size_t count = table->known ? table->row_count : view->cluster->window_count;
	int status = SL_OK;
	view->reservation = sl_alloc(view->arena, count + 1, sizeof(*view->reservation));
	if (!view->reservation)
		return sl_fail_memory(err);
	if (!table->known)
		windows_of(view);
	for (size_t row = 0; row < table->row_count && !status; row++)
		status = reported_reservation(view, row, err);
	return status;
}

/* ---- Jobs
 * -------------------------------------------------------------------------------------------------- */

static int view_reported_place_of(
	struct view *view, const char *list, struct view_place *place, struct sl_err *err)
{
	const uint32_t *node;
	const int64_t count = nodes_in(view, list, &node, err);
	if (count < 0)
		return err->status;
	struct sl_node_tasks *alloc = sl_alloc(view->arena, (size_t)count + 1, sizeof(*alloc));
	if (!alloc)
		return sl_fail_memory(err);
	for (int64_t i = 0; i < count; i++)
		alloc[i].node = node[i];
	*place = (struct view_place){ alloc, (size_t)count };
	return SL_OK;
}

static int reported_job(struct view *view, size_t row, struct sl_err *err)
{
	const struct view_table *table = &view->table[VIEW_TABLE_PLANS];
	const double number = table_number(table, row, "job");
	const char *state = table_text(table, row, "state");
	const char *nodes = view_reported_text_in(table, row, "nodes");
	const double billing = table_number(table, row, "billing");
	if (!(number >= 0 && number < view->jobs->count))
		return SL_OK;
	const uint32_t job = (uint32_t)number;
	const double priority = table_number(table, row, "priority");
	if (strcmp(state, "ENDED") == 0 && priority >= 0 && priority <= UINT32_MAX)
		view->priority[job] = (uint32_t)priority;
	const bool boots = strcmp(state, "CONFIGURING") == 0;
	const sl_time start = time_in(table, row, "start", SL_NONE);
	view->reported[job] = (struct view_reported){
		.known = true,
		.partition = view_reported_text_in(table, row, "partition"),
		.qos = view_reported_text_in(table, row, "qos"),
		.limit = time_in(table, row, "limit", SL_NEVER),
		.boots = boots ? start : SL_NONE,
		.submit = time_in(table, row, "submit", SL_NONE),
		.eligible = time_in(table, row, "eligible", SL_NONE),
		.accrues = time_in(table, row, "accrue", SL_NONE),
		.billing = isnan(billing) ? -1 : (int64_t)billing,
	};
	if (boots)
		return view_reported_place_of(view, nodes, &view->place[job], err);
	if (strcmp(state, "PENDING") != 0)
		return SL_OK;
	view->promise[job] = start;
	return nodes ? view_reported_place_of(view, nodes, &view->planned[job], err) : SL_OK;
}

static int reported_jobs(struct view *view, struct sl_err *err)
{
	const uint32_t count = view->jobs->count;
	int status = SL_OK;
	view->reported = sl_alloc(view->arena, count + 1U, sizeof(*view->reported));
	view->promise = sl_alloc(view->arena, count + 1U, sizeof(*view->promise));
	view->planned = sl_alloc(view->arena, count + 1U, sizeof(*view->planned));
	if (!view->reported || !view->promise || !view->planned)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < count; job++) {
		view->promise[job] = SL_NONE;
		view->reported[job] = (struct view_reported){ .boots = SL_NONE, .billing = -1 };
	}
	for (size_t row = 0; row < view->table[VIEW_TABLE_PLANS].row_count && !status; row++)
		status = reported_job(view, row, err);
	return status;
}

/* ---- Nodes
 * ------------------------------------------------------------------------------------------------- */

/* A state in sinfo's words, with its mark: "drng#". */
uint32_t view_node_state(const char *text)
{
	static const struct {
		const char *word;
		uint32_t state;
	} words[] = {
		{ "idle", VIEW_IDLE },
		{ "mix", VIEW_MIXED },
		{ "alloc", VIEW_ALLOCATED },
		{ "down", VIEW_DOWN },
		{ "futr", VIEW_FUTURE },
		{ "drain", VIEW_IDLE | VIEW_DRAIN },
		{ "drng", VIEW_ALLOCATED | VIEW_DRAIN },
		{ "fail", VIEW_IDLE | VIEW_FAIL },
		{ "failg", VIEW_ALLOCATED | VIEW_FAIL },
		{ "maint", VIEW_IDLE | VIEW_MAINT },
		{ "resv", VIEW_IDLE | VIEW_RESERVED },
	};
	static const struct {
		char mark;
		uint32_t state;
	} marks[] = { { '~', VIEW_POWERED_DOWN }, { '#', VIEW_POWERING_UP }, { '%', VIEW_POWERING_DOWN },
		{ '$', VIEW_MAINT } };
	const size_t len = strcspn(text, "~#%$");
	uint32_t state = VIEW_IDLE;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strlen(words[i].word) == len && memcmp(words[i].word, text, len) == 0)
			state = words[i].state;
	for (size_t i = 0; i < SL_LEN(marks); i++)
		if (text[len] == marks[i].mark)
			state |= marks[i].state;
	return state;
}

static void reported_node(struct view *view, size_t row)
{
	const struct view_table *table = &view->table[VIEW_TABLE_NODES];
	const double number = table_number(table, row, "node");
	const double cpus = table_number(table, row, "cpus");
	if (!(number >= 0 && number < view->cluster->node_count))
		return;
	struct view_node *node = &view->node[(uint32_t)number];
	const uint32_t unresponsive = node->state & VIEW_SILENT;
	node->state = view_node_state(table_text(table, row, "state"));
	if ((node->state & VIEW_BASE) == VIEW_DOWN)
		node->state |= unresponsive;
	node->reason = view_reported_text_in(table, row, "reason");
	/* Of a job whose nodes boot the engine knows nothing yet. */
	const int64_t busy = cpus > 0 ? (int64_t)cpus * sl_parts(view->cluster->cpu_parts) : 0;
	node->cpus_busy = busy > node->cpus_busy ? busy : node->cpus_busy;
	node->busy = node->busy || busy > 0;
	if (node->state & VIEW_DRAIN && node->busy && node->cpus_busy < node->cpus)
		node->state += VIEW_MIXED - VIEW_ALLOCATED;
}

/* Nodes that a plan reserves for a job, unless they are in full use: slurmctld's PLANNED. */
static void planned_nodes(struct view *view)
{
	for (uint32_t job = 0; job < view->submitted; job++)
		for (size_t i = 0; i < view->planned[job].count; i++) {
			struct view_node *node = &view->node[view->planned[job].alloc[i].node];
			if ((node->state & VIEW_BASE) != VIEW_ALLOCATED)
				node->state |= VIEW_PLANNED;
		}
}

/* ---- Partitions
 * ---------------------------------------------------------------------------------------------- */

static enum sl_partition_state partition_state(const char *word)
{
	static const char *const words[] = { [SL_PARTITION_UP] = "UP",
		[SL_PARTITION_DOWN] = "DOWN",
		[SL_PARTITION_DRAIN] = "DRAIN",
		[SL_PARTITION_INACTIVE] = "INACTIVE" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum sl_partition_state)i;
	return SL_PARTITION_UP;
}

static int64_t bound_in(const struct view_table *table, size_t row, const char *column)
{
	const double number = table_number(table, row, column);
	return isnan(number) ? SL_NONE : (int64_t)number;
}

/* What commands may change is reported; the rest stays as the file has it. */
static int reported_partition(struct view *view, size_t row, struct sl_err *err)
{
	const struct view_table *table = &view->table[VIEW_TABLE_PARTITIONS];
	const char *name = table_text(table, row, "name");
	for (uint32_t i = 0; i < view->partition_count; i++) {
		struct view_partition *partition = &view->partition[i];
		if (!partition->spec || strcmp(partition->name, name) != 0)
			continue;
		struct sl_partition *spec = sl_alloc(view->arena, 1, sizeof(*spec));
		if (!spec)
			return sl_fail_memory(err);
		*spec = *partition->spec;
		spec->state = partition_state(table_text(table, row, "state"));
		spec->max_time = time_in(table, row, "max_time", SL_NEVER);
		if (!isnan(table_number(table, row, "default_time")))
			spec->default_time = time_in(table, row, "default_time", SL_NONE);
		spec->nodes_min = bound_in(table, row, "nodes_min");
		spec->nodes_max = bound_in(table, row, "nodes_max");
		spec->tier = bound_in(table, row, "tier");
		spec->job_factor = bound_in(table, row, "job_factor");
		partition->spec = spec;
	}
	return SL_OK;
}

int view_take_reported(struct view *view, struct sl_err *err)
{
	const struct view_table *nodes = &view->table[VIEW_TABLE_NODES];
	const struct view_table *partitions = &view->table[VIEW_TABLE_PARTITIONS];
	int status = SL_OK;
	for (size_t row = 0; row < nodes->row_count; row++)
		reported_node(view, row);
	if (view->table[VIEW_TABLE_PLANS].known)
		status = reported_jobs(view, err);
	if (!status && nodes->known && view->cluster->node_count && view->planned)
		planned_nodes(view);
	for (size_t row = 0; row < partitions->row_count && !status; row++)
		status = reported_partition(view, row, err);
	return status;
}
