/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_reservations.c - reservations of a cluster file: nodes, begin and end.
 *
 * Made once the trace is read, since dates need its zero. They split the node types, so that nodes of one
 * type have equal windows too.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

/* ---- Windows: nodes ----------------------------------------------------------------------------------- */

static int lend_nodes(
	struct machine *machine, const struct node_list *list, struct sl_window *window, struct sl_err *err)
{
	uint32_t *node = sl_alloc(machine->scenario->arena, list->count, sizeof(*node));
	if (!node)
		return sl_fail_memory(err);
	memcpy(node, list->node, list->count * sizeof(*node));
	window->node = node;
	window->node_count = (uint32_t)list->count;
	machine->window_nodes += list->count;
	return SL_OK;
}

static int window_nodes(
	struct machine *machine, const struct window_spec *spec, struct sl_window *window, struct sl_err *err)
{
	struct node_list list = { .machine = machine };
	int status = window_list(spec, &list, err);
	if (!status)
		status = machine_part(machine, list.node, list.count, err);
	if (!status)
		status = lend_nodes(machine, &list, window, err);
	node_list_release(&list);
	if (!status && machine->window_nodes > WINDOW_NODES_MAX)
		return sl_fail_at(
			err, &spec->at, "reservations name more than %d nodes in all", WINDOW_NODES_MAX);
	return status;
}

/* ---- Windows: times ------------------------------------------------------------------------------------ */

static int window_time(const struct machine *machine, const struct window_spec *window, const char *what,
	const char *text, sl_time *time, struct sl_err *err)
{
	struct sl_err why = { 0 };
	if (time_point(machine->scenario, what, text, time, &why) == SL_OK && *time > INT64_MIN / 4 &&
		*time < INT64_MAX / 4)
		return SL_OK;
	return sl_fail_at(err, &window->at, "%s '%s': %.600s", window_word(window->spec.kind),
		window->spec.name, why.status ? why.text : "a time is out of range");
}

/* Sooner than any time that a window may name. */
#define FROM_ALWAYS (INT64_MIN / 4)

static int window_times(const struct machine *machine, const struct window_spec *spec,
	struct sl_window *window, struct sl_err *err)
{
	const struct sl_window_spec *given = &spec->spec;
	int status = SL_OK;
	window->from = FROM_ALWAYS;
	window->until = SL_NEVER;
	if (given->from)
		status = window_time(machine, spec, "start", given->from, &window->from, err);
	if (!status && (given->until || given->length))
		status = window_time(machine, spec, given->until ? "end" : "duration",
			given->until ? given->until : given->length, &window->until, err);
	if (status)
		return status;
	if (!given->until && given->length)
		window->until += window->from;
	if (window->until <= window->from)
		return sl_fail_at(err, &spec->at, "%s '%s' ends before it starts, or as it does",
			window_word(given->kind), given->name);
	return SL_OK;
}

/* ---- Windows that repeat --------------------------------------------------------------------------- */

#define HOUR (3600 * SL_SECOND)
#define DAY  (24 * HOUR)
/* So long after the last submission nothing is awaited any more. */
#define REPEAT_LAST (400 * DAY)

enum { SUNDAY, SATURDAY = 6, WEEK = 7, DAY_OF_1970 = 4 };

/* How a window repeats: its period, and on which days (bit 0: Sunday). */
static const struct repeat {
	const char *flag;
	sl_time step;
	uint8_t days;
} repeats[] = {
	{ "HOURLY", HOUR, 0x7f },
	{ "DAILY", DAY, 0x7f },
	{ "WEEKDAY", DAY, 0x3e },
	{ "WEEKEND", DAY, 0x41 },
	{ "WEEKLY", WEEK *DAY, 0x7f },
};

/* The first flag that says so; NULL: it does not repeat. */
static const struct repeat *repeat_of(const char *flags)
{
	for (const char *p = flags; p && *p;) {
		const size_t len = strcspn(p, ", ");
		for (size_t i = 0; i < SL_LEN(repeats); i++)
			if (strncasecmp(repeats[i].flag, p, len) == 0 && !repeats[i].flag[len])
				return &repeats[i];
		p += len;
		p += strspn(p, ", ");
	}
	return NULL;
}

/* By the scenario's own clock. */
static unsigned day_of(const struct scenario *scenario, sl_time time)
{
	const int64_t seconds =
		time / SL_SECOND - (time % SL_SECOND < 0) + scenario->epoch + scenario->utc_offset;
	const int64_t day = seconds / 86400 - (seconds % 86400 < 0);
	return (unsigned)(((day + DAY_OF_1970) % WEEK + WEEK) % WEEK);
}

static sl_time last_submit(const struct scenario *scenario)
{
	const struct columns *columns = scenario->columns;
	return columns->count ? column_i64(columns, COLUMN_SUBMIT)[columns->count - 1] : 0;
}

/* Windows while they are made. */
struct windows {
	struct sl_window *item;
	uint32_t *spec; /* Of which each is. */
	size_t count, capacity, spec_capacity;
};

static int windows_put(struct windows *all, const struct sl_window *window, uint32_t spec, struct sl_err *err)
{
	int status = SL_GROW_MOST(all->item, all->capacity, all->count + 1, (size_t)NODES_MAX * 2, err);
	if (!status)
		status = SL_GROW_MOST(
			all->spec, all->spec_capacity, all->count + 1, (size_t)NODES_MAX * 2, err);
	if (status)
		return status;
	all->item[all->count] = *window;
	all->spec[all->count++] = spec;
	return SL_OK;
}

/* The window, and each repetition before it matters no more. What is over before the first
 * submission is left out, but for the first. */
static int windows_repeat(const struct scenario *scenario, struct windows *all, const struct sl_window *first,
	uint32_t spec, struct sl_err *err)
{
	const struct repeat *repeat = first->until == SL_NEVER ? NULL : repeat_of(first->flags);
	const sl_time begin = scenario->columns->count ? column_i64(scenario->columns, COLUMN_SUBMIT)[0] : 0;
	struct sl_window window = *first;
	int status = windows_put(all, first, spec, err);
	if (!repeat || status)
		return status;
	const sl_time last = last_submit(scenario) + REPEAT_LAST;
	if (window.until < begin) {
		const sl_time ahead = (begin - window.until) / repeat->step * repeat->step;
		window.from += ahead;
		window.until += ahead;
	}
	while (!status && all->count < WINDOWS_MAX_ALL) {
		window.from += repeat->step;
		window.until += repeat->step;
		if (window.from > last)
			break;
		if (repeat->days >> day_of(scenario, window.from) & 1)
			status = windows_put(all, &window, spec, err);
	}
	return status;
}

/* By start; those of one start stay in the file's order. */
static void sort_windows(const struct windows *all)
{
	for (size_t i = 1; i < all->count; i++) {
		const struct sl_window moved = all->item[i];
		const uint32_t spec = all->spec[i];
		size_t k = i;
		for (; k && all->item[k - 1].from > moved.from; k--) {
			all->item[k] = all->item[k - 1];
			all->spec[k] = all->spec[k - 1];
		}
		all->item[k] = moved;
		all->spec[k] = spec;
	}
}

/* ---- Types, settled ---------------------------------------------------------------------------------- */

/* Types that have nodes, in the order of their first. */
static int settle_types(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	uint32_t *place = malloc((machine->type_count + 1) * sizeof(*place));
	struct sl_node_type *type = sl_alloc(machine->scenario->arena, machine->type_count, sizeof(*type));
	uint32_t count = 0;
	int status = place && type ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < machine->type_count && !status; i++)
		place[i] = UINT32_MAX;
	for (uint32_t node = 0; node < cluster->node_count && !status; node++) {
		uint32_t *to = &place[machine->node_type[node]];
		if (*to == UINT32_MAX) {
			*to = count;
			type[count++] = machine->type[machine->node_type[node]];
		}
	}
	if (!status)
		status = sets_lend(machine, place, count, err);
	for (uint32_t node = 0; node < cluster->node_count && !status; node++)
		machine->node_type[node] = place[machine->node_type[node]];
	free(place);
	cluster->type = type;
	cluster->type_count = count;
	return status;
}

/* ---- All of them -----------------------------------------------------------------------------------------
 */

/* Nodes whose state keeps jobs off, in one window. */
static int window_of_state(const struct machine *machine, struct windows *all, struct sl_err *err)
{
	const uint32_t count = machine->closed == UINT32_MAX ? 0 : set_nodes(machine, machine->closed);
	if (!count)
		return SL_OK;
	uint32_t *node = sl_alloc(machine->scenario->arena, count, sizeof(*node));
	if (!node)
		return sl_fail_memory(err);
	struct sl_window window = {
		.name = "state", .from = FROM_ALWAYS, .until = SL_NEVER, .node = node, .kind = SL_WINDOW_STATE
	};
	for (uint32_t i = 0; i < machine->nodes; i++)
		if (set_has(machine, machine->closed, machine->node_type[i]))
			node[window.node_count++] = i;
	return windows_put(all, &window, UINT32_MAX, err);
}

static int window_make(struct machine *machine, uint32_t index, struct windows *all, struct sl_err *err)
{
	const struct window_spec *spec = &machine->window[index];
	const struct sl_window_spec *given = &spec->spec;
	struct sl_window window = { .name = given->name,
		.cpus = given->cpus,
		.kind = given->kind,
		.users = given->users,
		.accounts = given->accounts,
		.flags = given->flags };
	if (given->cpus > machine->scenario->cluster.cpus)
		return sl_fail_at(err, &spec->at, "reservation '%s' has more cpus than the pool's %lld",
			given->name, (long long)machine->scenario->cluster.cpus);
	int status = window_times(machine, spec, &window, err);
	if (!status && given->nodes)
		status = window_nodes(machine, spec, &window, err);
	return status ? status : windows_repeat(machine->scenario, all, &window, index, err);
}

static int windows_lend(struct machine *machine, const struct windows *all, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_window *window = sl_alloc(machine->scenario->arena, all->count + 1, sizeof(*window));
	if (!window)
		return sl_fail_memory(err);
	for (size_t i = all->count; i-- > 0;) {
		window[i] = all->item[i];
		if (all->spec[i] != UINT32_MAX)
			machine->window[all->spec[i]].first = (uint32_t)i;
	}
	cluster->window = window;
	cluster->window_count = (uint32_t)all->count;
	return SL_OK;
}

int machine_finish(struct machine *machine, struct sl_err *err)
{
	struct windows all = { 0 };
	int status = window_of_state(machine, &all, err);
	for (uint32_t i = 0; i < machine->window_count && !status; i++)
		status = window_make(machine, i, &all, err);
	if (!status && machine->scenario->cluster.node_count)
		status = settle_types(machine, err);
	if (!status)
		sort_windows(&all);
	if (!status)
		status = windows_lend(machine, &all, err);
	free(all.item);
	free(all.spec);
	return status ? status : switches_finish(machine, err);
}
