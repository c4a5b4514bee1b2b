/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_state.c - a run at a moment: replayed up to there, and what is then, by job, node and partition.
 *
 * A view is derived from the engine's state alone: which jobs run where, which wait in which order, what is
 * planned, which windows are open.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/moment/view.h"
#include "sim/run/engine.h"

/* The number of the first job under Slurm's priority/basic; each later one has one less. */
#define PRIORITY_FIRST UINT32_C(4294901759)

/* ---- Time -------------------------------------------------------------------------------- */

bool view_time(const struct view *view, const char *text, sl_time *time)
{
	const struct scenario *scenario = view->scenario;
	size_t len = strlen(text);
	if (strcmp(text, "now") == 0) {
		*time = view->now;
		return true;
	}
	if (sl_get_date(text, len, time)) {
		*time -= (scenario->epoch + scenario->utc_offset) * SL_SECOND;
		return true;
	}
	if (len > 1 && *text == '+') {
		text++;
		len--;
	}
	return sl_get_duration(text, len, time);
}

static int moment(struct view *view, const char *at, bool end_will_do, sl_time *until, struct sl_err *err)
{
	const struct scenario *scenario = view->scenario;
	const sl_time end = scenario->bounded ? scenario->until : SL_NEVER;
	view->at_end = !at || strcmp(at, "end") == 0;
	if (!at && !end_will_do)
		return sl_fail(err, SL_USAGE,
			"at what time? give --at TIME, or set SCHEDLAB_AT: seconds since the trace's zero, "
			"a duration such as 3d, a date, or 'end'");
	*until = end;
	if (view->at_end)
		return SL_OK;
	if (!view_time(view, at, until) || strcmp(at, "now") == 0)
		return sl_fail(err, SL_USAGE,
			"--at %s is not a time: give seconds since the trace's zero, a duration such as 3d, a date "
			"as 2001-12-31T23:59, or 'end'",
			at);
	if (*until > end) {
		talk("the run stops before --at %s: what is shown is its end", at);
		*until = end;
	}
	return SL_OK;
}

/* ---- Jobs -------------------------------------------------------------------------------------- */

static int place_keep(struct view *view, struct view_place *place, const struct sl_node_tasks *alloc,
	size_t count, struct sl_err *err)
{
	struct sl_node_tasks *kept = sl_alloc(view->arena, count + 1, sizeof(*kept));
	if (!kept)
		return sl_fail_memory(err);
	if (count)
		memcpy(kept, alloc, count * sizeof(*kept));
	*place = (struct view_place){ kept, count };
	return SL_OK;
}

static int compare_rows(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Numbers as priority/basic gives them, by submission; among the waiting jobs they are reassigned, in the
 * order in which the policy looks at them. */
static int take_queue(struct view *view, const struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t waiting = sl_queue_count(pass);
	uint32_t *sorted = sl_alloc(view->arena, waiting + 1U, sizeof(*sorted));
	view->priority = sl_alloc(view->arena, view->jobs->count + 1U, sizeof(*view->priority));
	if (!sorted || !view->priority)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < view->jobs->count; job++)
		view->priority[job] = PRIORITY_FIRST > job ? PRIORITY_FIRST - job : 1;
	uint32_t count = 0;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job) && count < waiting;
		job = sl_queue_after(pass, job))
		sorted[count++] = job.row;
	qsort(sorted, count, sizeof(*sorted), compare_rows);
	uint32_t rank = 0;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job) && rank < count;
		job = sl_queue_after(pass, job))
		view->priority[job.row] = PRIORITY_FIRST - sorted[rank++];
	return SL_OK;
}

static int take_promises(struct view *view, const struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t count = view->jobs->count;
	int status = SL_OK;
	if (!(pass->uses & SL_USE_PROMISES))
		return SL_OK;
	view->promise = sl_alloc(view->arena, count + 1U, sizeof(*view->promise));
	view->planned = sl_alloc(view->arena, count + 1U, sizeof(*view->planned));
	if (!view->promise || !view->planned)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < count && !status; job++) {
		const struct sl_node_tasks *alloc;
		view->promise[job] = is_waiting(pass, job) ? sl_promise_of(pass, (sl_job){ job }) : SL_NONE;
		if (view->promise[job] == SL_NONE || !pass->nodes || !view->cluster->node_count)
			continue;
		const size_t allocs = nodes_promised(pass->nodes, job, &alloc);
		status = place_keep(view, &view->planned[job], alloc, allocs, err);
	}
	return status;
}

/* Of those that hold nodes now; the others' come from the result. */
static int take_places(struct view *view, const struct sl_pass *pass, struct sl_err *err)
{
	int status = SL_OK;
	view->place = sl_alloc(view->arena, view->jobs->count + 1U, sizeof(*view->place));
	if (!view->place)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < pass->submitted && pass->nodes && view->cluster->node_count && !status;
		job++) {
		const struct sl_node_tasks *alloc;
		if (pass->job_state[job] != SL_RUNNING && pass->job_state[job] != SL_SUSPENDED)
			continue;
		const size_t allocs = nodes_allocs(pass->nodes, job, &alloc);
		status = place_keep(view, &view->place[job], alloc, allocs, err);
	}
	return status;
}

static void ended_places(struct view *view)
{
	const struct sl_result *result = view->result;
	if (!view->cluster->node_count || !result->place_count)
		return;
	for (uint32_t job = 0; job < view->submitted; job++)
		if (view_ended(view, job) && result->place_count[job])
			view->place[job] = (struct view_place){ result->place + result->place_first[job],
				result->place_count[job] };
}

/* ---- Nodes --------------------------------------------------------------------------------------- */

static uint32_t state_set(enum sl_node_state state)
{
	static const uint32_t set[SL_NODE_STATES] = {
		[SL_NODE_UP] = VIEW_IDLE,
		[SL_NODE_DRAIN] = VIEW_IDLE | VIEW_DRAIN,
		[SL_NODE_DOWN] = VIEW_DOWN,
		[SL_NODE_MAINT] = VIEW_IDLE | VIEW_MAINT,
		[SL_NODE_POWERED_DOWN] = VIEW_IDLE | VIEW_POWERED_DOWN,
		[SL_NODE_PLANNED] = VIEW_IDLE | VIEW_PLANNED,
		[SL_NODE_FUTURE] = VIEW_FUTURE,
	};
	return set[state];
}

/* One state over another: flags add up, a base other than idle stays. */
static uint32_t state_over(uint32_t below, uint32_t above)
{
	const uint32_t base =
		(above & VIEW_BASE) == VIEW_IDLE ? below & VIEW_BASE : above & (uint32_t)VIEW_BASE;
	return base | ((below | above) & ~(uint32_t)VIEW_BASE);
}

static uint32_t window_state(const struct view *view, const struct sl_window *window, uint32_t node)
{
	switch (window->kind) {
	case SL_WINDOW_RESERVED:
		return VIEW_IDLE | VIEW_RESERVED;
	case SL_WINDOW_MAINT:
		return VIEW_IDLE | VIEW_MAINT;
	case SL_WINDOW_OUTAGE:
		return VIEW_DOWN | VIEW_SILENT;
	case SL_WINDOW_STATE:
		break;
	}
	const enum sl_node_state state = window->node ? view_hardware(view, node).state : SL_NODE_UP;
	return state != SL_NODE_UP ? state_set(state) : VIEW_IDLE | VIEW_DRAIN;
}

static bool is_open(const struct view *view, const struct sl_window *window)
{
	return window->from <= view->now && view->now < window->until;
}

/* What the operator says: the state of the file, unless windows say when it applies; then what is open now.
 */
static void node_windows(struct view *view, const bool *timed)
{
	const struct sl_cluster *cluster = view->cluster;
	for (uint32_t node = 0; node < view->node_count; node++) {
		const struct sl_hardware hardware = view_hardware(view, node);
		if (!timed[node])
			view->node[node].state = state_set(hardware.state);
		view->node[node].reason = hardware.state_reason;
	}
	for (uint32_t i = 0; i < cluster->window_count; i++) {
		const struct sl_window *window = &cluster->window[i];
		for (uint32_t k = 0; is_open(view, window) && k < window->node_count; k++) {
			struct view_node *node = &view->node[window->node[k]];
			node->state = state_over(node->state, window_state(view, window, window->node[k]));
		}
	}
}

/* What models set on them. */
static void node_failures(struct view *view)
{
	const struct sl_pass *pass = &view->sim.engine->sim;
	for (uint32_t row = 0; row < view->node_count; row++) {
		struct view_node *node = &view->node[row];
		if (!sl_node_is_up(pass, row))
			node->state = state_over(node->state, VIEW_DOWN | VIEW_SILENT);
		if (sl_node_is_drained(pass, row))
			node->state = state_over(node->state, VIEW_IDLE | VIEW_DRAIN);
	}
}

static void node_amounts(struct view *view)
{
	const struct sl_cluster *cluster = view->cluster;
	for (uint32_t row = 0; row < view->node_count; row++) {
		struct view_node *node = &view->node[row];
		const int64_t *amount = cluster->type[cluster->node_type[row]].amount;
		node->cpus = amount[SL_KIND_CPUS];
		node->mem = amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED ? amount[SL_KIND_MEM] : 0;
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
			node->gpus += amount[kind];
	}
}

/* What the engine allocated, whatever requests say that they come to. */
static void node_uses(struct view *view, uint32_t row)
{
	const struct nodes_sum sum = nodes_used(view->sim.engine->sim.nodes, row);
	struct view_node *node = &view->node[row];
	node->busy = sum.nodes;
	node->cpus_busy = sum.cpus;
	node->mem_busy = sum.mem;
	node->gpus_busy = sum.gpus;
}

void view_holds(const struct view *view, uint32_t job, uint32_t node, struct view_node *held)
{
	const struct nodes *nodes = view->sim.engine->sim.nodes;
	struct nodes_sum sum = { 0, 0, 0, 0 };
	if (nodes)
		sum = nodes_held_on(nodes, job, node);
	*held = (struct view_node){ .cpus_busy = sum.cpus, .mem_busy = sum.mem, .gpus_busy = sum.gpus };
}

static void node_base(struct view_node *node)
{
	const bool idle = (node->state & VIEW_BASE) == VIEW_IDLE;
	if (!idle || !node->busy)
		return;
	const uint32_t base = node->cpus_busy >= node->cpus ? VIEW_ALLOCATED : VIEW_MIXED;
	node->state = base | (node->state & ~(uint32_t)VIEW_BASE);
}

/* A plan reserves nodes for a waiting job. */
static void node_planned(struct view *view)
{
	for (uint32_t job = 0; view->planned && job < view->submitted; job++)
		for (size_t i = 0; i < view->planned[job].count; i++)
			view->node[view->planned[job].alloc[i].node].state |= VIEW_PLANNED;
}

/* On a counted pool each cpu is a node: the first ones are in use, the last ones under windows. */
static void pool_nodes(struct view *view)
{
	int64_t busy = 0;
	uint32_t node = 0;
	for (uint32_t job = 0; job < view->submitted; job++)
		busy += view->result->state[job] == SL_RUNNING ? view_job_cpus(view, job) : 0;
	for (; node < view->node_count; node++)
		view->node[node].cpus = 1; /* A pool's are whole. */
	for (node = 0; node < busy && node < view->node_count; node++) {
		view->node[node].state = VIEW_ALLOCATED;
		view->node[node].busy = true;
		view->node[node].cpus_busy = 1;
	}
	uint32_t top = view->node_count;
	for (uint32_t i = 0; i < view->cluster->window_count; i++) {
		const struct sl_window *window = &view->cluster->window[i];
		for (int64_t k = 0; is_open(view, window) && k < window->cpus && top > node; k++) {
			top--;
			view->node[top].state = window_state(view, window, 0);
		}
	}
}

static int take_nodes(struct view *view, struct sl_err *err)
{
	const struct sl_cluster *cluster = view->cluster;
	const bool named = cluster->node_count;
	const int64_t count = named ? cluster->node_count : view->scenario->cpus;
	if (count > SL_HOSTS_MAX)
		return sl_fail(
			err, SL_INPUT, "a cluster of %lld nodes is too large to be shown", (long long)count);
	view->node_count = (uint32_t)count;
	view->node = sl_alloc(view->arena, view->node_count + 1U, sizeof(*view->node));
	bool *timed = sl_alloc(view->arena, view->node_count + 1U, sizeof(*timed));
	if (!view->node || !timed)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < view->node_count; node++)
		view->node[node].state = VIEW_IDLE;
	if (!named) {
		pool_nodes(view);
		return SL_OK;
	}
	for (uint32_t i = 0; i < cluster->window_count; i++)
		for (uint32_t k = 0;
			cluster->window[i].kind == SL_WINDOW_STATE && k < cluster->window[i].node_count; k++)
			timed[cluster->window[i].node[k]] = true;
	node_amounts(view);
	node_windows(view, timed);
	node_failures(view);
	for (uint32_t node = 0; node < view->node_count; node++) {
		node_uses(view, node);
		node_base(&view->node[node]);
	}
	node_planned(view);
	return SL_OK;
}

/* ---- Partitions -------------------------------------------------------------------------------------- */

/* NULL: all nodes. */
static const uint64_t *types_of(const struct view *view, const struct sl_partition *spec)
{
	const struct sl_cluster *cluster = view->cluster;
	return spec && cluster->node_set && spec->node_set && spec->node_set < cluster->node_set_count
		       ? cluster->node_set[spec->node_set].types
		       : NULL;
}

static int partition_make(struct view *view, struct view_partition *partition,
	const struct sl_partition *spec, struct sl_err *err)
{
	const uint64_t *types = types_of(view, spec);
	uint32_t *node = sl_alloc(view->arena, view->node_count + 1U, sizeof(*node));
	if (!node)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < view->node_count; row++) {
		const uint32_t type = types ? view->cluster->node_type[row] : 0;
		if (!types || types[type / 64] >> (type % 64) & 1)
			node[partition->node_count++] = row;
	}
	partition->node = node;
	partition->spec = spec;
	partition->name = spec ? spec->name : view->cluster->name ? view->cluster->name : "cluster";
	partition->is_default = !spec || spec->is_default;
	return SL_OK;
}

static int take_partitions(struct view *view, struct sl_err *err)
{
	const struct sl_cluster *cluster = view->cluster;
	const uint32_t count = cluster->partition_count ? cluster->partition_count : 1;
	int status = SL_OK;
	view->partition = sl_alloc(view->arena, count, sizeof(*view->partition));
	if (!view->partition)
		return sl_fail_memory(err);
	view->partition_count = count;
	for (uint32_t i = 0; i < count && !status; i++)
		status = partition_make(view, &view->partition[i],
			cluster->partition_count ? &cluster->partition[i] : NULL, err);
	return status;
}

/* ---- Open and close ---------------------------------------------------------------------------------------
 */

/* The state's figures before the run is ended, and then its result. */
static int take_state(struct view *view, sl_time until, struct sl_err *err)
{
	const struct sl_pass *pass = sim_state(&view->sim);
	view->submitted = pass->submitted;
	int status = take_queue(view, pass, err);
	if (!status)
		status = take_places(view, pass, err);
	if (!status)
		status = take_promises(view, pass, err);
	if (!status)
		status = view_take_tables(view, until == SL_NEVER ? pass->now : until, err);
	if (!status)
		status = sim_end(&view->sim, err);
	if (status)
		return status;
	view->result = &view->sim.result;
	view->now = until == SL_NEVER ? view->result->last : until;
	status = rerun_compare(&view->rerun, view->result, err);
	if (status)
		return status;
	ended_places(view);
	status = take_nodes(view, err);
	if (!status)
		status = take_partitions(view, err);
	if (!status)
		status = view_take_reservations(view, err);
	return status ? status : view_take_reported(view, err);
}

int view_open(struct view *view, const char *path, const char *at, bool end_will_do,
	struct registry *registry, struct sl_err *err)
{
	sl_time until = SL_NEVER;
	*view = (struct view){ 0 };
	int status = rerun_open(&view->rerun, path, registry, err);
	view->arena = view->rerun.arena;
	if (!status)
		status = rerun_load(&view->rerun, err);
	view->scenario = &view->rerun.scenario;
	view->jobs = &view->scenario->jobs;
	view->cluster = &view->scenario->cluster;
	if (!status)
		status = moment(view, at, end_will_do, &until, err);
	if (status)
		return status;
	if (!view->scenario->epoch)
		talk("the trace does not say when it began: its times are shown from 1970-01-01T00:00:00 on");
	/* At the end: of the run, whenever that is. */
	status = rerun_begin(&view->rerun, &view->sim, SIM_RECORD_REASONS | SIM_RECORD_PLACES,
		view->at_end ? SL_NEVER : until, err);
	return status ? status : take_state(view, until, err);
}

int view_stand(struct view *view, sl_time until, struct sl_err *err)
{
	view->arena = view->rerun.arena;
	view->scenario = &view->rerun.scenario;
	view->jobs = &view->scenario->jobs;
	view->cluster = &view->scenario->cluster;
	const int status =
		rerun_begin(&view->rerun, &view->sim, SIM_RECORD_REASONS | SIM_RECORD_PLACES, until, err);
	return status ? status : take_state(view, until, err);
}

void view_close(struct view *view)
{
	if (!view->rerun.arena)
		return;
	sim_release(&view->sim);
	rerun_close(&view->rerun);
	*view = (struct view){ 0 };
}
