/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_sets.c - node lists, and sets of node types: of partitions, of constraints, of jobs' node lists.
 *
 * A constraint is as sbatch(1) has it: features with '&' (and) and '|' (or), evaluated from left to right;
 * parentheses; brackets, which require that all nodes have the same one of several, are read as parentheses,
 * and a count behind a feature ("a*2") is ignored: both only widen the choice.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

enum { CONSTRAINT_DEPTH = 16 };

/* ---- Lists of nodes --------------------------------------------------------------------------------- */

void node_list_release(struct node_list *list)
{
	free(list->node);
	list->node = NULL;
	list->count = list->capacity = 0;
}

static int list_put(struct node_list *list, uint32_t first, uint32_t count, struct sl_err *err)
{
	if (list->count + count > WINDOW_NODES_MAX)
		return sl_fail(err, SL_INPUT, "a list of nodes names more than %d", WINDOW_NODES_MAX);
	const int status = SL_GROW_MOST(list->node, list->capacity, list->count + count, SIZE_MAX / 8, err);
	for (uint32_t i = 0; i < count && !status; i++)
		list->node[list->count++] = first + i;
	return status;
}

struct listing {
	struct node_list *list;
	struct unknown *unknown;
	struct sl_err *err;
};

static int on_listed(void *self, const char *name, size_t len)
{
	const struct listing *listing = self;
	const uint32_t node = machine_node(listing->list->machine, name, len, NULL);
	if (node != UINT32_MAX)
		return list_put(listing->list, node, 1, listing->err);
	const size_t displayed = len < NODE_NAME_MAX ? len : NODE_NAME_MAX;
	memcpy(listing->unknown->name, name, displayed);
	listing->unknown->name[displayed] = '\0';
	listing->unknown->text = listing->unknown->name;
	listing->unknown->len = displayed;
	return 1;
}

/* One item: the name of an entry, or names as hosts are listed. */
static int list_item(struct listing *listing, const char *item, size_t len)
{
	const struct machine *machine = listing->list->machine;
	const struct entry *entry = machine_entry(machine, item, len);
	if (entry)
		return list_put(listing->list, entry->first, entry->count, listing->err);
	if (len == 3 && strncasecmp(item, "all", len) == 0)
		return list_put(listing->list, 0, (uint32_t)machine->nodes, listing->err);
	struct sl_err why = { 0 };
	if (sl_hosts_count(item, len, NULL, &why) >= 0)
		return sl_hosts_each(item, len, NULL, listing->err, on_listed, listing);
	listing->unknown->text = item;
	listing->unknown->len = len;
	return 1;
}

static int compare_nodes(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void list_settle(struct node_list *list)
{
	size_t kept = 0;
	bool ascends = true;
	for (size_t i = 1; i < list->count && ascends; i++)
		ascends = list->node[i] > list->node[i - 1];
	if (ascends)
		return;
	qsort(list->node, list->count, sizeof(*list->node), compare_nodes);
	for (size_t i = 0; i < list->count; i++)
		if (!i || list->node[i] != list->node[i - 1])
			list->node[kept++] = list->node[i];
	list->count = kept;
}

int node_list_add(struct node_list *list, const char *text, struct unknown *unknown, struct sl_err *err)
{
	struct listing listing = { list, unknown, err };
	int status = SL_OK;
	for (const char *p = text; !status && *p;) {
		p += strspn(p, " ,");
		size_t len = 0;
		for (bool inside = false; p[len] && (inside || p[len] != ','); len++)
			inside = p[len] == '[' || (inside && p[len] != ']');
		size_t width = len;
		while (width && p[width - 1] == ' ')
			width--;
		if (width)
			status = list_item(&listing, p, width);
		p += len;
	}
	if (!status && !list->count) {
		unknown->text = text;
		unknown->len = strlen(text);
		status = 1;
	}
	if (status)
		return status;
	list_settle(list);
	list->machine->list_nodes += list->count;
	if (list->machine->list_nodes > LIST_NODES_MAX)
		return sl_fail(err, SL_INPUT, "lists name more than %d nodes in all", LIST_NODES_MAX);
	return SL_OK;
}

/* ---- Types, parted ------------------------------------------------------------------------------------ */

/* Nodes of the list get types of their own, but where all nodes of a type are in it. */
int machine_part(struct machine *machine, const uint32_t *node, size_t count, struct sl_err *err)
{
	const size_t before = machine->type_count;
	if (SL_GROW_MOST(machine->moved, machine->moved_capacity, 2 * before + 1, SIZE_MAX / 8, err))
		return SL_SYSTEM;
	uint32_t *moved = machine->moved;
	uint32_t *here = machine->moved + before; /* How many of a type are in the list. */
	for (size_t i = 0; i < before; i++) {
		moved[i] = UINT32_MAX;
		here[i] = 0;
	}
	for (size_t i = 0; i < count; i++)
		here[machine->node_type[node[i]]]++;
	for (size_t i = 0; i < count; i++) {
		const uint32_t type = machine->node_type[node[i]];
		if (here[type] == machine->type_nodes[type])
			continue;
		if (moved[type] == UINT32_MAX) {
			const struct sl_node_type old = machine->type[type];
			const int status = machine_type(machine, &old, type, &moved[type], err);
			if (status)
				return status;
		}
		machine->node_type[node[i]] = moved[type];
	}
	for (size_t i = 0; i < before; i++)
		if (moved[i] != UINT32_MAX) {
			machine->type_nodes[moved[i]] = here[i];
			machine->type_nodes[i] -= here[i];
		}
	return SL_OK;
}

/* ---- Sets ---------------------------------------------------------------------------------------------- */

bool set_has(const struct machine *machine, uint32_t set, uint32_t type)
{
	const struct type_set *s = &machine->set[set];
	while (type >= s->types)
		type = machine->type_parent[type];
	return s->bit[type / 64] >> type % 64 & 1;
}

uint32_t set_nodes(const struct machine *machine, uint32_t set)
{
	uint32_t count = 0;
	for (uint32_t type = 0; type < machine->type_count; type++)
		count += set_has(machine, set, type) ? machine->type_nodes[type] : 0;
	return count;
}

/* An empty one, of the types that there are. */
static int set_new(struct machine *machine, uint32_t *set, struct sl_err *err)
{
	int status =
		SL_GROW_MOST(machine->set, machine->set_capacity, machine->set_count + 1, NODES_MAX, err);
	if (status)
		return status;
	struct type_set *fresh = &machine->set[machine->set_count];
	fresh->types = (uint32_t)machine->type_count;
	fresh->bit = calloc(machine->type_count / 64 + 1, sizeof(*fresh->bit));
	if (!fresh->bit)
		return sl_fail_memory(err);
	*set = (uint32_t)machine->set_count++;
	return SL_OK;
}

static void set_put(const struct machine *machine, uint32_t set, uint32_t type)
{
	machine->set[set].bit[type / 64] |= UINT64_C(1) << type % 64;
}

static int set_of_nodes(
	struct machine *machine, const struct node_list *list, uint32_t *set, struct sl_err *err)
{
	int status = machine_part(machine, list->node, list->count, err);
	if (!status)
		status = set_new(machine, set, err);
	for (size_t i = 0; i < list->count && !status; i++)
		set_put(machine, *set, machine->node_type[list->node[i]]);
	return status;
}

/* Sets of texts are made once. kind: one letter, so that texts of different kinds are distinct. *fresh: the
 * set is to be made, and to be put into *slot. */
static int set_find(struct machine *machine, char kind, const char *text, uint32_t **slot, bool *fresh,
	struct sl_err *err)
{
	const size_t len = strlen(text);
	char here[200]; /* Most fit. */
	char *key = len + 2 <= sizeof(here) ? here : malloc(len + 2);
	uint32_t number;
	if (!key)
		return sl_fail_memory(err);
	key[0] = kind;
	memcpy(key + 1, text, len + 1);
	const uint32_t before = machine->set_names.count;
	int status = names_add(&machine->set_names, machine->scenario->arena, key, len + 1, &number, err);
	if (key != here)
		free(key);
	if (!status)
		status = SL_GROW_MOST(
			machine->set_named, machine->set_named_capacity, (size_t)number + 1, INT32_MAX, err);
	if (status)
		return status;
	*fresh = number == before;
	*slot = &machine->set_named[number];
	if (*fresh)
		**slot = UINT32_MAX;
	return SL_OK;
}

int set_of_list(struct machine *machine, const char *text, uint32_t *set, uint32_t *count, struct sl_err *err)
{
	uint32_t *slot;
	bool fresh;
	int status = set_find(machine, 'L', text, &slot, &fresh, err);
	*set = UINT32_MAX;
	if (!status && fresh && machine->set_count < (size_t)4 * SETS_MAX) {
		struct node_list list = { .machine = machine };
		struct unknown unknown;
		status = node_list_add(&list, text, &unknown, err);
		if (!status)
			status = set_of_nodes(machine, &list, slot, err);
		status = status > 0 ? SL_OK : status;
		node_list_release(&list);
	}
	if (status)
		return status;
	*set = *slot;
	*count = *set == UINT32_MAX ? 0 : set_nodes(machine, *set);
	return SL_OK;
}

int window_list(const struct window_spec *spec, struct node_list *list, struct sl_err *err)
{
	struct unknown unknown;
	const int status = node_list_add(list, spec->spec.nodes, &unknown, err);
	if (status <= 0)
		return status;
	return sl_fail_at(err, &spec->at,
		"%s '%s': no node or entry is called '%.*s': write names as n1, or n[1-4,7]",
		window_word(spec->spec.kind), spec->spec.name,
		(int)(unknown.len < NODE_NAME_MAX ? unknown.len : NODE_NAME_MAX), unknown.text);
}

int set_of_window(struct machine *machine, struct window_spec *window, uint32_t *set, struct sl_err *err)
{
	int status = SL_OK;
	if (window->set == UINT32_MAX) {
		struct node_list list = { .machine = machine };
		status = window_list(window, &list, err);
		if (!status)
			status = set_of_nodes(machine, &list, &window->set, err);
		node_list_release(&list);
	}
	*set = window->set;
	return status;
}

/* ---- Constraints ------------------------------------------------------------------------------------------
 */

struct constraint {
	const struct machine *machine;
	const char *p;
	uint32_t type;
	bool good; /* It is one, and its features are known. */
	int depth;
};

static bool is_known(const struct machine *machine, const char *feature, size_t len)
{
	for (size_t i = 0; i < machine->type_count; i++)
		if (hardware_has(machine->type[i].hardware, feature, len))
			return true;
	return false;
}

static bool holds_all(struct constraint *c);

/* A feature, or something in parentheses or brackets; a count behind it says nothing. */
/* NOLINTNEXTLINE(misc-no-recursion): at most CONSTRAINT_DEPTH deep. */
static bool holds_one(struct constraint *c)
{
	bool holds = false;
	c->p += strspn(c->p, " ");
	if (*c->p == '(' || *c->p == '[') {
		const char close = *c->p == '(' ? ')' : ']';
		if (++c->depth > CONSTRAINT_DEPTH) {
			c->good = false;
			return false;
		}
		c->p++;
		holds = holds_all(c);
		c->good &= *c->p == close;
		c->p += *c->p == close;
		c->depth--;
	} else {
		const size_t len = strcspn(c->p, "&|()[]* ");
		c->good &= len && is_known(c->machine, c->p, len);
		holds = hardware_has(c->machine->type[c->type].hardware, c->p, len);
		c->p += len;
	}
	if (*c->p == '*') {
		const size_t digits = strspn(c->p + 1, "0123456789");
		c->good &= digits > 0;
		c->p += 1 + digits;
	}
	c->p += strspn(c->p, " ");
	return holds;
}

/* NOLINTNEXTLINE(misc-no-recursion): as holds_one. */
static bool holds_all(struct constraint *c)
{
	bool holds = holds_one(c);
	while (c->good && (*c->p == '&' || *c->p == '|')) {
		const bool both = *c->p++ == '&';
		const bool next = holds_one(c);
		holds = both ? holds && next : holds || next;
	}
	return holds;
}

int set_of_constraint(struct machine *machine, const char *text, uint32_t *set, struct sl_err *err)
{
	uint32_t *slot;
	bool fresh;
	uint32_t made = UINT32_MAX;
	int status = set_find(machine, 'C', text, &slot, &fresh, err);
	if (!status && fresh)
		status = set_new(machine, &made, err);
	bool good = true;
	for (uint32_t type = 0; !status && fresh && good && type < machine->type_count; type++) {
		struct constraint c = { .machine = machine, .p = text, .type = type, .good = true };
		if (holds_all(&c))
			set_put(machine, made, type);
		good = c.good && !*c.p;
	}
	if (!status && fresh && good)
		*slot = made;
	*set = status ? UINT32_MAX : *slot;
	return status;
}

/* ---- What groups are bound to
 * --------------------------------------------------------------------------------- */

/* Nodes that a window without end keeps from everyone whom it is not for. */
static bool is_closed(const struct machine *machine, const struct window_spec *own, uint32_t type)
{
	if (machine->closed != UINT32_MAX && set_has(machine, machine->closed, type))
		return true;
	for (size_t i = 0; i < machine->window_count; i++) {
		const struct window_spec *window = &machine->window[i];
		if (window != own && window->set != UINT32_MAX && window_is_for_ever(window) &&
			set_has(machine, window->set, type))
			return true;
	}
	return false;
}

bool binding_has(const struct machine *machine, const struct binding *b, uint32_t type)
{
	const uint32_t in[] = { b->partition, b->constraint, b->list, b->window };
	for (size_t i = 0; i < SL_LEN(in); i++)
		if (in[i] != UINT32_MAX && !set_has(machine, in[i], type))
			return false;
	return b->exclude == UINT32_MAX || !set_has(machine, b->exclude, type);
}

/* The number of that very set among the bound ones, which are a few at most that are the same. */
static uint32_t bound_like(const struct machine *machine, uint32_t set)
{
	uint32_t bound = 0;
	for (; bound < machine->bound_count; bound++) {
		bool same = true;
		for (uint32_t type = 0; type < machine->type_count && same; type++)
			same = !machine->type_nodes[type] ||
			       set_has(machine, set, type) == set_has(machine, machine->bound[bound], type);
		if (same)
			break;
	}
	return bound;
}

static int bind_new(struct machine *machine, uint32_t set, uint32_t *bound, struct sl_err *err)
{
	*bound = bound_like(machine, set);
	if (*bound < machine->bound_count)
		return SL_OK;
	if (machine->bound_count == SETS_MAX) {
		*bound = UINT32_MAX;
		return SL_OK;
	}
	const int status = SL_GROW_MOST(
		machine->bound, machine->bound_capacity, machine->bound_count + 1, (size_t)SETS_MAX * 2, err);
	if (!status)
		machine->bound[machine->bound_count++] = set;
	return status;
}

static bool same_binding(const struct binding *a, const struct binding *b)
{
	return a->partition == b->partition && a->constraint == b->constraint && a->list == b->list &&
	       a->exclude == b->exclude && a->window == b->window && a->own == b->own;
}

static int bind_other(struct machine *machine, const struct binding *b, uint32_t *bound, struct sl_err *err)
{
	char key[128];
	uint32_t *slot;
	bool fresh;
	const long own = b->own ? (long)(b->own - machine->window) : -1L;
	(void)snprintf(key, sizeof(key), "%u %u %u %u %u %ld", b->partition, b->constraint, b->list,
		b->exclude, b->window, own);
	int status = set_find(machine, 'B', key, &slot, &fresh, err);
	if (status || !fresh) {
		*bound = status ? UINT32_MAX : *slot;
		return status;
	}
	uint32_t set = UINT32_MAX;
	const size_t place = (size_t)(slot - machine->set_named);
	status = set_new(machine, &set, err);
	for (uint32_t type = 0; type < machine->type_count && !status; type++)
		if (binding_has(machine, b, type) && !is_closed(machine, b->own, type))
			set_put(machine, set, type);
	if (!status)
		status = bind_new(machine, set, bound, err);
	if (!status)
		machine->set_named[place] = *bound;
	return status;
}

int set_bind(struct machine *machine, const struct binding *b, uint32_t *bound, struct sl_err *err)
{
	if (machine->bound_known && same_binding(&machine->bound_last, b)) {
		*bound = machine->bound_number;
		return SL_OK;
	}
	const int status = bind_other(machine, b, bound, err);
	machine->bound_last = *b;
	machine->bound_number = *bound;
	machine->bound_known = !status;
	return status;
}

/* ---- Beginning and end
 * --------------------------------------------------------------------------------------- */

/* Nodes whose state keeps jobs off. */
static bool is_down(const struct sl_hardware *hardware)
{
	if (!hardware)
		return false;
	return hardware->state == SL_NODE_DOWN || hardware->state == SL_NODE_DRAIN ||
	       hardware->state == SL_NODE_MAINT || hardware->state == SL_NODE_FUTURE;
}

static int close_down(struct machine *machine, struct sl_err *err)
{
	bool any = false;
	for (size_t type = 0; type < machine->type_count; type++)
		any |= machine->type_nodes[type] && is_down(machine->type[type].hardware);
	if (!any)
		return SL_OK;
	const int status = set_new(machine, &machine->closed, err);
	for (uint32_t type = 0; type < machine->type_count && !status; type++)
		if (is_down(machine->type[type].hardware))
			set_put(machine, machine->closed, type);
	return status;
}

static int partition_set(struct machine *machine, size_t index, struct sl_err *err)
{
	struct sl_partition *partition = &machine->partition[index];
	struct node_list list = { .machine = machine };
	struct unknown unknown = { .text = "" };
	uint32_t set;
	int status = SL_OK;
	if (partition->nodes && *partition->nodes)
		status = node_list_add(&list, partition->nodes, &unknown, err);
	if (status > 0)
		status = sl_fail_at(err, &machine->partition_at[index],
			"partition '%s': no node is called '%.*s': name nodes of the cluster, or ALL",
			partition->name, (int)(unknown.len < NODE_NAME_MAX ? unknown.len : NODE_NAME_MAX),
			unknown.text);
	if (!status)
		status = set_of_nodes(machine, &list, &set, err);
	node_list_release(&list);
	uint32_t bound;
	if (!status)
		status = bind_new(machine, set, &bound, err);
	if (!status && bound == UINT32_MAX)
		status = sl_fail_at(err, &machine->partition_at[index],
			"more than %d partitions of different nodes", SETS_MAX);
	if (!status)
		partition->node_set = bound;
	return status;
}

int sets_begin(struct machine *machine, struct sl_err *err)
{
	uint32_t all = UINT32_MAX;
	uint32_t bound;
	int status = set_new(machine, &all, err);
	for (uint32_t type = 0; type < machine->type_count && !status; type++)
		set_put(machine, all, type);
	if (!status)
		status = bind_new(machine, all, &bound, err);
	for (size_t i = 0; i < machine->partition_count && !status; i++)
		status = partition_set(machine, i, err);
	if (!status)
		status = close_down(machine, err);
	/* Reservations without end close nodes too. */
	for (size_t i = 0; i < machine->window_count && !status; i++)
		if (window_is_for_ever(&machine->window[i]) && machine->window[i].spec.nodes)
			status = set_of_window(machine, &machine->window[i], &bound, err);
	const struct binding free = BINDING_NONE;
	return status ? status : set_bind(machine, &free, &machine->closed_bound, err);
}

int sets_lend(const struct machine *machine, const uint32_t *place, uint32_t types, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_arena *arena = machine->scenario->arena;
	const size_t words = types / 64 + 1;
	struct sl_node_set *set = sl_alloc(arena, machine->bound_count, sizeof(*set));
	uint64_t *bit = sl_alloc(arena, machine->bound_count * words, sizeof(*bit));
	struct sl_partition *partition = sl_alloc(arena, machine->partition_count + 1, sizeof(*partition));
	if (!set || !bit || !partition)
		return sl_fail_memory(err);
	for (size_t i = 0; i < machine->bound_count; i++, bit += words) {
		set[i].types = bit;
		for (uint32_t type = 0; type < machine->type_count; type++) {
			if (place[type] == UINT32_MAX || !set_has(machine, machine->bound[i], type))
				continue;
			bit[place[type] / 64] |= UINT64_C(1) << place[type] % 64;
			set[i].node_count += machine->type_nodes[type];
		}
	}
	if (machine->partition_count)
		memcpy(partition, machine->partition, machine->partition_count * sizeof(*partition));
	cluster->node_set = set;
	cluster->node_set_count = (uint32_t)machine->bound_count;
	cluster->partition = machine->partition_count ? partition : NULL;
	cluster->partition_count = (uint32_t)machine->partition_count;
	return SL_OK;
}
