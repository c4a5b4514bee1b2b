/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes.c - the functions of nodes.h that are about now: what fits, starts, ends.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Requests ----------------------------------------------------------------------------------- */

bool set_lacks(const struct nodes *nodes, uint32_t set, uint32_t type)
{
	return !(nodes->cluster->node_set[set].types[type / 64] >> type % 64 & 1);
}

static bool group_can_be(const struct nodes *nodes, const struct sl_group *group)
{
	const uint64_t most = (uint64_t)group->nodes_max * group_bound(group);
	if (asks_devices(nodes, &group->task) && (!nodes->devices || group->task.gpus <= 0))
		return false;
	if (group->never || !group->tasks || group->nodes_min > group->tasks)
		return false;
	return !group->nodes_max || (group->nodes_min <= group->nodes_max && most >= group->tasks);
}

/* Bounds that change nothing are left out of account, so that few requests are of the general kind. */
static struct shape shape_of(const struct nodes *nodes, const struct sl_request *request)
{
	struct shape shape = {
		.kind = SHAPE_OTHER, .track = NONE, .scores = NONE, .choice = NONE, .witness = NONE
	};
	for (uint32_t i = 0; i < request->group_count; i++)
		if (!group_can_be(nodes, &request->group[i]))
			shape.kind = SHAPE_NEVER;
	if (!request->group_count)
		shape.kind = SHAPE_NEVER;
	shape.exempt = request->group_count ? request->group[0].reservation : 0;
	if (request->group_count != 1 || shape.kind == SHAPE_NEVER)
		return shape;
	const struct sl_group *group = &request->group[0];
	shape.bound = group->nodes_min == group->tasks ? 1 : group_bound(group);
	const uint32_t nodes_least = group->tasks / shape.bound + (group->tasks % shape.bound != 0);
	if (group->nodes_max && (uint64_t)group->nodes_max * shape.bound == group->tasks) {
		shape.unit = shape.bound; /* Each of its nodes is full. */
		shape.need = group->nodes_max;
	} else if (group->nodes_min <= nodes_least &&
		   (!group->nodes_max || group->nodes_max >= group->tasks)) {
		shape.unit = 1;
		shape.need = group->tasks;
	} else {
		return shape;
	}
	shape.kind = shape.need == 1 ? SHAPE_UNIT : SHAPE_SUM;
	return shape;
}

static bool empty_holds(struct nodes *nodes, uint32_t request)
{
	const struct shape *shape = &nodes->shape[request];
	if (shape->kind == SHAPE_OTHER) {
		struct chain chain;
		if (!view_empty(nodes) || !place_on(nodes, request, &nodes->view, &chain))
			return false;
		chain_free(nodes, chain);
		return true;
	}
	uint64_t units = 0;
	for (uint32_t type = 0; type < nodes->cluster->type_count && units < shape->need; type++)
		units += (uint64_t)nodes->type_nodes[type] * units_on(nodes, shape,
								     nodes->requests[request].group, type,
								     empty_of(nodes, type), NODE_IDLE);
	return units >= shape->need;
}

bool nodes_could_hold(struct nodes *nodes, uint32_t request)
{
	struct shape *shape = &nodes->shape[request];
	if (failed(nodes) || shape->kind == SHAPE_NEVER)
		return false;
	if (!shape->could)
		shape->could = empty_holds(nodes, request) ? 2 : 1;
	return shape->could == 2;
}

int64_t units_now(const struct nodes *nodes, uint32_t track, sl_time length)
{
	int64_t units = nodes->set_units[track];
	const uint32_t exempt = exempt_of(nodes, nodes->track[track].request);
	for (uint32_t set = 1; set < nodes->set_count; set++)
		if (open_for(nodes, set, length, exempt))
			units += nodes->set_units[(size_t)set * TRACKS + track];
	return units;
}

static bool units_fit(struct nodes *nodes, uint32_t request, sl_time length)
{
	const uint32_t track = track_find(nodes, request);
	if (track == NONE)
		return units_without(nodes, request, length);
	return units_now(nodes, track, length) >= nodes->shape[request].need;
}

bool nodes_fits(struct nodes *nodes, uint32_t request, sl_time length)
{
	struct shape *shape = &nodes->shape[request];
	if (failed(nodes) || shape->kind == SHAPE_NEVER)
		return false;
	if (shape->kind != SHAPE_OTHER)
		return units_fit(nodes, request, length);
	if (shape->fits_at == nodes->version && (!nodes->windows_live || shape->fits_length == length))
		return shape->fits;
	struct chain chain;
	shape->fits = place_now(nodes, request, length, &chain);
	if (shape->fits)
		place_undo(nodes, chain);
	shape->fits_at = nodes->version;
	shape->fits_length = length;
	return shape->fits;
}

/* ---- Starts ------------------------------------------------------------------------------------------ */

static uint32_t hold_of(const struct nodes *nodes, uint32_t job)
{
	SL_CHECK(nodes->job_hold[job]);
	return nodes->job_hold[job] - 1;
}

/* What was taken becomes the job's. */
bool hold_begins(struct nodes *nodes, uint32_t job, uint32_t request, struct chain chain, sl_time end)
{
	SL_CHECK(!nodes->job_hold[job]);
	hold_new(nodes, request, chain);
	nodes->job_hold[job] = chain.first + 1;
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_link(nodes, i, end);
	return !failed(nodes);
}

sl_time length_until(const struct nodes *nodes, sl_time end)
{
	sl_time length;
	return end == SL_NEVER || __builtin_sub_overflow(end, nodes->now, &length) ? SL_NEVER : length;
}

bool nodes_start(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end)
{
	struct chain chain;
	return place_now_for(nodes, job, request, length_until(nodes, end), &chain) &&
	       hold_begins(nodes, job, request, chain, end);
}

/* The pieces that were taken are the request's: all tasks, and its bounds on nodes. */
static bool pieces_agree(struct nodes *nodes, uint32_t request, struct chain chain)
{
	const struct sl_piece *piece;
	const size_t count = pieces_of(nodes, chain, &piece);
	const struct sl_request *asked = &nodes->requests[request];
	for (uint32_t i = 0; i < asked->group_count; i++) {
		const struct sl_group *group = &asked->group[i];
		uint64_t tasks = 0;
		uint32_t used = 0;
		for (size_t k = 0; k < count; k++) {
			if (piece[k].group != i)
				continue;
			if (piece[k].tasks > group_bound(group))
				return false;
			tasks += piece[k].tasks;
			used++;
		}
		if (tasks != group->tasks || used < group->nodes_min ||
			(group->nodes_max && used > group->nodes_max))
			return false;
	}
	return true;
}

static bool piece_goes(const struct nodes *nodes, const struct sl_request *asked,
	const struct sl_piece *piece, sl_time length)
{
	if (piece->node >= nodes->count || piece->group >= asked->group_count || !piece->tasks)
		return false;
	const struct node *node = &nodes->node[piece->node];
	return open_for(nodes, node->windows, length, asked->group[0].reservation) &&
	       tasks_on(nodes, &asked->group[piece->group], piece->tasks, type_of(nodes, piece->node),
		       free_of(nodes, node->class), status_of(node->holds, node->whole)) == piece->tasks;
}

bool nodes_start_on(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_piece *piece, size_t count)
{
	const struct sl_request *asked = &nodes->requests[request];
	struct chain chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = piece_goes(nodes, asked, &piece[i], length_until(nodes, end)) &&
		       edges_reserve(nodes, load_edges(nodes, &asked->group[piece[i].group], piece[i].tasks));
		if (!good)
			break;
		const struct load load = { &asked->group[piece[i].group], piece[i].node, piece[i].tasks,
			piece[i].group };
		node_spends(nodes, &load, &chain);
	}
	if (good && pieces_agree(nodes, request, chain))
		return hold_begins(nodes, job, request, chain, end);
	if (!failed(nodes))
		place_undo(nodes, chain);
	return false;
}

/* ---- Ends ------------------------------------------------------------------------------------------------
 */

static void hold_gives(struct nodes *nodes, uint32_t hold)
{
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		edge_unlink(nodes, i);
		edge_give(nodes, &nodes->edge[i]);
	}
}

void nodes_start_undo(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	hold_gives(nodes, hold);
	hold_free(nodes, hold);
	nodes->job_hold[job] = 0;
}

void nodes_end(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	hold_gives(nodes, hold);
	nodes->job_hold[job] = 0;
	(void)keep(nodes, KEPT_END, job, hold);
}

void nodes_restore(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	SL_CHECK(!nodes->job_hold[job]);
	const uint32_t hold = kept_take(nodes, KEPT_END, job);
	nodes->job_hold[job] = hold + 1;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		edge_take(nodes, &nodes->edge[i]);
		edge_link(nodes, i, nodes->edge[i].flags & EDGE_SUSPENDED ? SL_NEVER : end);
	}
}

void nodes_forget(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->kept_count; i++)
		hold_free(nodes, nodes->kept[i].hold);
	nodes->kept_count = 0;
}

void nodes_move_end(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	for (uint32_t i = hold_of(nodes, job); i != NONE; i = nodes->edge[i].more) {
		edge_unlink(nodes, i);
		edge_link(nodes, i, end);
	}
}

/* ---- Suspension
 * ---------------------------------------------------------------------------------------------- */

static void edge_shrinks(struct nodes *nodes, uint32_t index)
{
	struct edge *edge = &nodes->edge[index];
	const int64_t mem = nodes->cluster->type[type_of(nodes, edge->node)].amount[SL_KIND_MEM];
	edge_unlink(nodes, index);
	edge_give(nodes, edge);
	if (!(edge->flags & EDGE_GIVEN))
		edge->cpus = edge->gpus = 0;
	if (edge->flags & EDGE_WHOLE)
		edge->mem = mem < UNBOUNDED ? mem : 0;
	edge->flags = EDGE_SUSPENDED | (edge->flags & (EDGE_SLICES | EDGE_GIVEN));
	edge_take(nodes, edge);
	edge_link(nodes, index, SL_NEVER);
}

/* Nobody else runs on its node. */
static bool is_alone(const struct nodes *nodes, const struct edge *edge)
{
	for (uint32_t i = nodes->node[edge->node].first; i != NONE; i = nodes->edge[i].next) {
		const struct edge *other = &nodes->edge[i];
		if (!(other->flags & (EDGE_PROMISE | EDGE_SUSPENDED | EDGE_SHUT)) &&
			other->hold != edge->hold)
			return false;
	}
	return true;
}

/* As it was before it was suspended; false if that is not free. */
static bool edge_grows(struct nodes *nodes, uint32_t index, const struct sl_group *group, sl_time end)
{
	struct edge *edge = &nodes->edge[index];
	const int64_t cpus = nodes->cluster->type[type_of(nodes, edge->node)].amount[SL_KIND_CPUS];
	const struct edge was = *edge;
	edge_give(nodes, edge);
	edge->flags &= (uint8_t)~EDGE_SUSPENDED;
	const bool exclusive = group->exclusive && !(edge->flags & EDGE_GIVEN);
	if (exclusive) {
		edge->flags |= EDGE_WHOLE;
		edge->mem = 0;
	} else if (!(edge->flags & EDGE_GIVEN)) {
		edge->cpus =
			(int32_t)(cpus < UNBOUNDED && group->task.cpus > 0 ? edge->tasks * group->task.cpus
									   : 0);
		edge->gpus = group->task.gpus > 0 ? device_gpus(nodes, &group->task, edge) : 0;
	}
	const bool fits = edge_fits(nodes, edge) && (!exclusive || is_alone(nodes, edge));
	if (!fits)
		*edge = was;
	edge_take(nodes, edge);
	if (fits) {
		edge_unlink(nodes, index);
		edge_link(nodes, index, end);
	}
	return fits;
}

void nodes_suspend(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	SL_CHECK(!(nodes->edge[hold].flags & EDGE_SUSPENDED));
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		edge_shrinks(nodes, i);
}

/* All edges or none. */
static bool hold_grows(struct nodes *nodes, uint32_t hold, sl_time end)
{
	const struct sl_group *group = nodes->requests[nodes->edge[hold].request].group;
	uint32_t i = hold;
	while (i != NONE && edge_grows(nodes, i, &group[nodes->edge[i].group], end))
		i = nodes->edge[i].more;
	for (uint32_t k = hold; i != NONE && k != i; k = nodes->edge[k].more)
		edge_shrinks(nodes, k);
	return i == NONE;
}

bool nodes_resume(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return false;
	const uint32_t hold = hold_of(nodes, job);
	SL_CHECK(nodes->edge[hold].flags & EDGE_SUSPENDED);
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		if (nodes_is_shut(nodes, nodes->edge[i].node) ||
			!open_for(nodes, nodes->node[nodes->edge[i].node].windows, length_until(nodes, end),
				exempt_of(nodes, nodes->edge[hold].request)))
			return false;
	return hold_grows(nodes, hold, end);
}

void nodes_suspend_undo(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (!failed(nodes))
		SL_CHECK(hold_grows(nodes, hold_of(nodes, job), end));
}

/* ---- What is held
 * -------------------------------------------------------------------------------------------- */

size_t nodes_pieces(struct nodes *nodes, uint32_t job, const struct sl_piece **piece)
{
	*piece = NULL;
	if (!nodes->job_hold[job])
		return 0;
	return pieces_of(nodes, chain_of(nodes, hold_of(nodes, job)), piece);
}

/* What is of one edge: what was given out, or the node. Of what a node has without bound nothing is given
 * out: there the tasks say it. */
static void held_adds(const struct nodes *nodes, const struct sl_group *group, const struct edge *edge,
	struct nodes_sum *sum)
{
	const int64_t *amount = nodes->cluster->type[type_of(nodes, edge->node)].amount;
	const bool whole = edge->flags & EDGE_WHOLE;
	const bool cpus_bound = amount[SL_KIND_CPUS] < UNBOUNDED, mem_bound = amount[SL_KIND_MEM] < UNBOUNDED;
	if (whole)
		sum->cpus += amount[SL_KIND_CPUS];
	else
		sum->cpus += cpus_bound ? edge->cpus : edge->tasks * group->task.cpus;
	if (whole && mem_bound)
		sum->mem += amount[SL_KIND_MEM];
	else
		sum->mem += mem_bound ? edge->mem : edge->tasks * group->task.mem;
	sum->gpus += whole ? 0 : edge->gpus;
	for (uint32_t kind = SL_KIND_GPUS; whole && kind < nodes->kinds; kind++)
		sum->gpus += amount[kind];
}

struct nodes_sum nodes_held(struct nodes *nodes, uint32_t job)
{
	struct nodes_sum sum = { 0, 0, 0, 0 };
	const struct sl_piece *piece;
	const size_t count = nodes_pieces(nodes, job, &piece);
	if (!count)
		return sum;
	const uint32_t hold = hold_of(nodes, job);
	const struct sl_group *group = nodes->requests[nodes->edge[hold].request].group;
	for (size_t i = 0; i < count; i++)
		sum.nodes += !i || piece[i].node != piece[i - 1].node;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		held_adds(nodes, &group[nodes->edge[i].group], &nodes->edge[i], &sum);
	if (nodes->edge[hold].flags & EDGE_SUSPENDED)
		sum.cpus = sum.gpus = 0;
	return sum;
}

uint32_t nodes_busy(const struct nodes *nodes) { return nodes->busy; }

int64_t nodes_total(const struct nodes *nodes, uint32_t kind) { return nodes->total[kind]; }

int64_t nodes_idle(const struct nodes *nodes, uint32_t kind) { return nodes->idle[kind]; }

void nodes_set_placing(struct nodes *nodes, const struct placing *placing)
{
	/* Each class's nodes are in the order of the ties. */
	for (uint32_t row = 0; row < nodes->count; row++)
		class_pull(nodes, row);
	nodes->placing = *placing;
	const int status = ties_init(nodes);
	for (uint32_t row = 0; row < nodes->count && !status; row++)
		class_put(nodes, nodes->node[row].class, row);
	nodes->version++;
	tracks_drop(nodes);
	scores_forget(nodes);
	for (uint32_t i = 0; i < nodes->request_count; i++) {
		nodes->shape[i].choice_at = 0;
		if (nodes->shape[i].kind == SHAPE_OTHER)
			nodes->shape[i].could = 0;
	}
}

int nodes_status(const struct nodes *nodes, struct sl_err *err)
{
	return failed(nodes) ? sl_fail(err, nodes->err.status, "%s", nodes->err.text) : SL_OK;
}

/* ---- Begin and end of all
 * ---------------------------------------------------------------------------------------- */

static void levels_init(struct nodes *nodes)
{
	uint32_t count = nodes->count;
	for (;;) {
		nodes->level_first[nodes->levels] = nodes->level_all;
		nodes->level_count[nodes->levels++] = count;
		nodes->level_all += count;
		if (count == 1)
			return;
		count = (count + WAYS - 1) / WAYS;
	}
}

static int columns_init(struct nodes *nodes)
{
	nodes->node = lines_new(nodes->count, sizeof(*nodes->node));
	nodes->type_nodes = calloc(nodes->cluster->type_count, sizeof(*nodes->type_nodes));
	nodes->shape = calloc(nodes->request_count ? nodes->request_count : 1, sizeof(*nodes->shape));
	nodes->job_hold = calloc(nodes->job_count ? nodes->job_count : 1, sizeof(*nodes->job_hold));
	nodes->job_promise = calloc(nodes->job_count ? nodes->job_count : 1, sizeof(*nodes->job_promise));
	nodes->place = malloc(nodes->count * sizeof(*nodes->place));
	nodes->changed = malloc(nodes->count * sizeof(*nodes->changed));
	if (!nodes->node || !nodes->type_nodes || !nodes->shape || !nodes->job_hold || !nodes->job_promise ||
		!nodes->place || !nodes->changed)
		return sl_fail_memory(&nodes->err);
	for (uint32_t i = 0; i < nodes->request_count; i++)
		nodes->shape[i] = shape_of(nodes, &nodes->requests[i]);
	for (uint32_t row = 0; row < nodes->count; row++) {
		const uint32_t type = type_of(nodes, row);
		nodes->node[row].first = nodes->node[row].last = NONE;
		nodes->type_nodes[type]++;
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (nodes->cluster->type[type].amount[kind] < UNBOUNDED)
				nodes->idle[kind] += nodes->cluster->type[type].amount[kind];
	}
	memcpy(nodes->total, nodes->idle, sizeof(nodes->total));
	return SL_OK;
}

static int islands_init(struct nodes *nodes)
{
	const struct sl_cluster *cluster = nodes->cluster;
	nodes->island = calloc((size_t)cluster->island_count + 1, sizeof(*nodes->island));
	if (!nodes->island)
		return sl_fail_memory(&nodes->err);
	for (uint32_t row = nodes->count; row-- > 0;) {
		const uint32_t island = cluster->type[type_of(nodes, row)].island;
		SL_CHECK(island <= cluster->island_count);
		nodes->island[island].first = row;
	}
	return SL_OK;
}

/* NOLINTNEXTLINE(readability-function-size): each is one of its own. */
int nodes_new(struct nodes **result, const struct sl_cluster *cluster, const struct sl_request *requests,
	uint32_t request_count, uint32_t job_count, const struct placing *placing, struct sl_err *err)
{
	SL_CHECK(cluster->node_count && cluster->kind_count >= SL_KIND_GPUS &&
		 cluster->kind_count <= SL_KINDS_MAX);
	struct nodes *nodes = calloc(1, sizeof(*nodes));
	*result = nodes;
	if (!nodes)
		return sl_fail_memory(err);
	nodes->cluster = cluster;
	nodes->requests = requests;
	nodes->request_count = request_count;
	nodes->job_count = job_count;
	nodes->placing = *placing;
	nodes->count = cluster->node_count;
	nodes->kinds = cluster->kind_count;
	nodes->now = INT64_MIN / 4;
	nodes->version = 1;
	nodes->edge_spare = NONE;
	nodes->guard.chosen = CHAIN_NONE;
	nodes->asker = NONE;
	levels_init(nodes);
	int status = devices_init(nodes);
	if (!status)
		status = columns_init(nodes);
	if (!status)
		status = ties_init(nodes);
	if (!status)
		status = islands_init(nodes);
	if (!status)
		status = windows_init(nodes);
	if (!status)
		status = classes_init(nodes);
	if (!status)
		status = windows_of_cluster(nodes);
	if (status) {
		(void)nodes_status(nodes, err);
		nodes_free(nodes);
		*result = NULL;
	}
	return status;
}

void nodes_free(struct nodes *nodes)
{
	if (!nodes)
		return;
	classes_release(nodes);
	gauges_free(nodes);
	nodes_windows_release(nodes);
	free(nodes->rank);
	free(nodes->island);
	free(nodes->node);
	free(nodes->type_nodes);
	free(nodes->type_free);
	free(nodes->shape);
	free(nodes->job_hold);
	free(nodes->job_promise);
	free(nodes->place);
	free(nodes->least);
	free(nodes->changed);
	free(nodes->edge);
	free(nodes->kept);
	free(nodes->piece);
	free(nodes->closed);
	free(nodes->shut);
	free(nodes->cand);
	free(nodes->again);
	free(nodes->pick);
	free(nodes->pick_free);
	free(nodes->view.free);
	free(nodes->view.status);
	free(nodes);
}
