/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_reservations.c - reservations of a cluster file: on which nodes, from when until when.
 *
 * Made once the trace is read, since dates need its zero. They part the types of nodes, so that nodes of one
 * type are alike in windows too.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario_machine.h"

/* ---- Windows: nodes ----------------------------------------------------------------------------------- */

/* The nodes of a list, while they are gathered. */
struct node_set {
	struct machine *machine;
	const struct window_spec *window;
	uint32_t *node;
	size_t count, capacity;
};

static int set_add(struct node_set *set, uint32_t first, uint32_t count, struct sl_err *err)
{
	if (set->count + count > WINDOW_NODES_MAX)
		return sl_fail_at(err, &set->window->at, "reservation '%s' names more than %d nodes",
			set->window->spec.name, WINDOW_NODES_MAX);
	void *array = set->node;
	const int status =
		grow(&array, &set->capacity, sizeof(*set->node), set->count + count, SIZE_MAX / 8, err);
	set->node = array;
	for (uint32_t i = 0; i < count && !status; i++)
		set->node[set->count++] = first + i;
	return status;
}

static int fail_node(const struct node_set *set, const char *name, size_t len, struct sl_err *err)
{
	enum { SHOWN = 63 };
	return sl_fail_at(err, &set->window->at,
		"reservation '%s': no node or entry is called '%.*s': write names as n1, or n[1-4,7]",
		set->window->spec.name, (int)(len < SHOWN ? len : SHOWN), name);
}

static int set_add_name(struct node_set *set, const char *name, size_t len, struct sl_err *err)
{
	const struct entry *entry = machine_entry(set->machine, name, len);
	if (entry)
		return set_add(set, entry->first, entry->count, err);
	const uint32_t node = machine_node(set->machine, name, len, NULL);
	return node == UINT32_MAX ? fail_node(set, name, len, err) : set_add(set, node, 1, err);
}

/* "7" or "1-4" behind a name. */
static int set_add_range(struct node_set *set, const char *name, size_t len, const char *range,
	size_t range_len, struct sl_err *err)
{
	char text[NODE_NAME_MAX + 32];
	int64_t from;
	int64_t to;
	const char *dash = memchr(range, '-', range_len);
	const size_t from_len = dash ? (size_t)(dash - range) : range_len;
	const char *last = dash ? dash + 1 : range;
	if (len > NODE_NAME_MAX || !sl_get_i64(range, from_len, &from) ||
		!sl_get_i64(last, (size_t)(range + range_len - last), &to) || from < 0 || to < from)
		return fail_node(set, name, len + 1 + range_len, err);
	memcpy(text, name, len);
	for (; from <= to; from++) {
		const size_t width = (size_t)(sl_put_i64(text + len, from) - text);
		const uint32_t node = machine_node(set->machine, text, width, NULL);
		const int status =
			node == UINT32_MAX ? fail_node(set, text, width, err) : set_add(set, node, 1, err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* One item of the list: a name, or a name with ranges in brackets. */
static int set_add_item(struct node_set *set, const char *item, size_t len, struct sl_err *err)
{
	const char *bracket = memchr(item, '[', len);
	if (!bracket)
		return set_add_name(set, item, len, err);
	const size_t name_len = (size_t)(bracket - item);
	if (item[len - 1] != ']')
		return fail_node(set, item, len, err);
	const char *end = item + len - 1;
	int status = SL_OK;
	for (const char *p = bracket + 1; !status && p <= end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		status = set_add_range(set, item, name_len, p, (size_t)(stop - p), err);
		p = stop + 1;
	}
	return status;
}

static int compare_nodes(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* "n[1-4,7], m7, gpu" */
static int set_add_list(struct node_set *set, const char *list, struct sl_err *err)
{
	int status = SL_OK;
	for (const char *p = list; !status && *p;) {
		p += strspn(p, " ,");
		size_t len = 0;
		for (bool inside = false; p[len] && (inside || p[len] != ','); len++)
			inside = p[len] == '[' || (inside && p[len] != ']');
		size_t width = len;
		while (width && p[width - 1] == ' ')
			width--;
		if (width)
			status = set_add_item(set, p, width, err);
		p += len;
	}
	if (status)
		return status;
	if (!set->count)
		return fail_node(set, list, strlen(list), err);
	qsort(set->node, set->count, sizeof(*set->node), compare_nodes);
	size_t kept = 0;
	for (size_t i = 0; i < set->count; i++)
		if (!i || set->node[i] != set->node[i - 1])
			set->node[kept++] = set->node[i];
	set->count = kept;
	set->machine->window_nodes += kept;
	if (set->machine->window_nodes > WINDOW_NODES_MAX)
		return sl_fail_at(err, &set->window->at, "reservations name more than %d nodes in all",
			WINDOW_NODES_MAX);
	return SL_OK;
}

static int window_nodes(
	struct machine *machine, const struct window_spec *spec, struct sl_window *window, struct sl_err *err)
{
	struct node_set set = { .machine = machine, .window = spec };
	int status = set_add_list(&set, spec->spec.nodes, err);
	if (!status) {
		uint32_t *node = sl_alloc(machine->scenario->arena, set.count, sizeof(*node));
		if (node && set.count)
			memcpy(node, set.node, set.count * sizeof(*node));
		else if (!node)
			status = sl_fail_memory(err);
		window->node = node;
		window->node_count = (uint32_t)set.count;
	}
	free(set.node);
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
	return sl_fail_at(err, &window->at, "reservation '%s': %.600s", window->spec.name,
		why.status ? why.text : "a time is out of range");
}

static int window_times(const struct machine *machine, const struct window_spec *spec,
	struct sl_window *window, struct sl_err *err)
{
	const struct sl_window_spec *given = &spec->spec;
	int status = window_time(machine, spec, "start", given->from, &window->from, err);
	if (!status)
		status = window_time(machine, spec, given->until ? "end" : "duration",
			given->until ? given->until : given->length, &window->until, err);
	if (status)
		return status;
	if (!given->until)
		window->until += window->from;
	if (window->until <= window->from)
		return sl_fail_at(
			err, &spec->at, "reservation '%s' ends before it starts, or as it does", given->name);
	return SL_OK;
}

/* By start; those of one start stay in the file's order. */
static void sort_windows(struct sl_window *window, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct sl_window moved = window[i];
		size_t k = i;
		for (; k && window[k - 1].from > moved.from; k--)
			window[k] = window[k - 1];
		window[k] = moved;
	}
}

/* ---- Types, parted by windows ----------------------------------------------------------------------------
 */

/* Nodes of the window get types of their own. moved[type]: the new one of the old, UINT32_MAX: none yet. */
static int part_types(struct machine *machine, uint32_t *node_type, const struct sl_window *window,
	uint32_t **moved, struct sl_err *err)
{
	const size_t before = machine->type_count;
	uint32_t *larger = realloc(*moved, before * sizeof(*larger));
	if (!larger)
		return sl_fail_memory(err);
	*moved = larger;
	for (size_t i = 0; i < before; i++)
		larger[i] = UINT32_MAX;
	for (uint32_t i = 0; i < window->node_count; i++) {
		const uint32_t node = window->node[i];
		uint32_t *to = &larger[node_type[node]];
		const struct sl_node_type old = machine->type[node_type[node]];
		const int status = *to == UINT32_MAX ? machine_type(machine, &old, to, err) : SL_OK;
		if (status)
			return status;
		node_type[node] = *to;
	}
	return SL_OK;
}

/* Types that have nodes, in the order of their first. */
static int settle_types(const struct machine *machine, uint32_t *node_type, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	uint32_t *place = malloc((machine->type_count + 1) * sizeof(*place));
	struct sl_node_type *type = sl_alloc(machine->scenario->arena, machine->type_count, sizeof(*type));
	uint32_t count = 0;
	if (!place || !type) {
		free(place);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < machine->type_count; i++)
		place[i] = UINT32_MAX;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		uint32_t *to = &place[node_type[node]];
		if (*to == UINT32_MAX) {
			*to = count;
			type[count++] = machine->type[node_type[node]];
		}
		node_type[node] = *to;
	}
	free(place);
	cluster->type = type;
	cluster->type_count = count;
	return SL_OK;
}

int machine_finish(struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_window *window = sl_alloc(machine->scenario->arena, machine->window_count, sizeof(*window));
	uint32_t *node_type = NULL;
	uint32_t *moved = NULL;
	if (machine->window_count && !window)
		return sl_fail_memory(err);
	memcpy(&node_type, &cluster->node_type, sizeof(node_type)); /* Ours, and const for everyone else. */
	int status = SL_OK;
	for (size_t i = 0; i < machine->window_count && !status; i++) {
		const struct window_spec *spec = &machine->window[i];
		window[i] = (struct sl_window){ .name = spec->spec.name, .cpus = spec->spec.cpus };
		if (spec->spec.cpus > cluster->cpus)
			status = sl_fail_at(err, &spec->at,
				"reservation '%s' has more cpus than the pool's %lld", spec->spec.name,
				(long long)cluster->cpus);
		if (!status)
			status = window_times(machine, spec, &window[i], err);
		if (!status && spec->spec.nodes)
			status = window_nodes(machine, spec, &window[i], err);
		if (!status && spec->spec.nodes)
			status = part_types(machine, node_type, &window[i], &moved, err);
	}
	free(moved);
	if (!status && cluster->node_count)
		status = settle_types(machine, node_type, err);
	if (!status)
		sort_windows(window, machine->window_count);
	cluster->window = window;
	cluster->window_count = (uint32_t)machine->window_count;
	return status;
}
