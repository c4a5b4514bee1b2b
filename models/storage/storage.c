/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage.c - jobs and shared file systems: image, dataset, input, run, output.
 *
 * A job that starts pulls what its nodes lack of its image and its dataset, then reads its input; until then
 * it does no work. While it runs it may stream: it works no faster than it reads. When its work is done it
 * writes its output, and holds its nodes as long. Other models' transfers share the same pools. Clients are
 * the nodes of a job (on a counted pool, where nothing is known of nodes, its cpus). A job that grows lays
 * down what it is about until the nodes that came have pulled what they lack.
 */
#include <string.h>

#include "models/storage/storage.h"

const struct sl_profile *storage_profile(const struct storage *storage, uint32_t job, uint32_t *row)
{
	*row = storage->jobs->profile_of ? storage->jobs->profile_of[job] : 0;
	return *row ? &storage->jobs->profile[*row] : NULL;
}

/* ---- Nodes of a job ------------------------------------------------------------------------ */

/* Calls each once for every node of the job, until it returns false. */
static uint32_t each_node(struct storage *storage, struct sim *sim, sl_job job,
	bool (*each)(struct storage *storage, uint32_t node, void *self), void *self)
{
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(sim, job, &alloc);
	const uint64_t mark = ++storage->marks;
	uint32_t nodes = 0;
	for (size_t i = 0; i < count; i++) {
		if (storage->mark[alloc[i].node] == mark)
			continue;
		storage->mark[alloc[i].node] = mark;
		nodes++;
		if (each && !each(storage, alloc[i].node, self))
			break;
	}
	return nodes;
}

/* Whether it is known on which nodes: not of a counted pool. */
static bool is_placed(const struct storage *storage, const struct sim *sim, sl_job job)
{
	const struct sl_node_tasks *alloc;
	return storage->cluster->node_count && sl_node_tasks_of(sim, job, &alloc) > 0;
}

static uint32_t clients_of(struct storage *storage, struct sim *sim, sl_job job)
{
	const uint32_t nodes = is_placed(storage, sim, job) ? each_node(storage, sim, job, NULL, NULL)
							    : sl_tasks_of(sim, job);
	return nodes ? nodes : 1;
}

/* What is looked for on nodes. */
struct looked {
	uint32_t job, item, nodes; /* Nodes that lack some of it, */
	int64_t bytes, lacks;      /* of so much; all of them lack so much. */
	bool no_memory;
};

static bool storage_look(struct storage *storage, uint32_t node, void *self)
{
	struct looked *looked = self;
	const int64_t lacks = storage_keep_lacks(&storage->keep, node, looked->item, looked->bytes);
	looked->no_memory = !storage_keep_use(&storage->keep, node, looked->item, looked->job);
	looked->lacks += lacks;
	looked->nodes += lacks > 0;
	return !looked->no_memory && looked->lacks <= STORAGE_BYTES_MAX - looked->bytes;
}

static bool storage_put(struct storage *storage, uint32_t node, void *self)
{
	struct looked *looked = self;
	looked->no_memory = !storage_keep_put(&storage->keep, node, looked->item, looked->bytes) ||
			    !storage_keep_use(&storage->keep, node, looked->item, looked->job);
	return !looked->no_memory;
}

/* Whether all of its nodes may use the system. */
static bool allowed(struct storage *storage, struct sim *sim, sl_job job, uint32_t system)
{
	const uint64_t *bits = storage->system[system].nodes;
	const struct sl_node_tasks *alloc;
	const size_t count = bits && is_placed(storage, sim, job) ? sl_node_tasks_of(sim, job, &alloc) : 0;
	for (size_t i = 0; i < count; i++)
		if (!(bits[alloc[i].node / 64] >> alloc[i].node % 64 & 1))
			return false;
	return true;
}

/* And that from which its image comes. False: it has failed. */
static bool may_be_there(struct storage *storage, struct sim *sim, sl_job job)
{
	uint32_t row;
	if (!storage_profile(storage, job.row, &row) ||
		(allowed(storage, sim, job, storage->system_of[row]) &&
			(storage->image_of[row] == UINT32_MAX ||
				allowed(storage, sim, job, storage->image_system))))
		return true;
	storage->no_access++;
	sl_model_fail(sim, job, SL_FAILED, false);
	return false;
}

/* ---- Phases ----------------------------------------------------------------------------------- */

static struct looked item_of(const struct storage *storage, uint32_t job, enum storage_phase phase)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job, &row);
	const bool image = phase == STORAGE_IMAGE;
	SL_CHECK(profile); /* Of a job without there is nothing to look for. */
	return (struct looked){ .job = job,
		.item = image ? storage->image_of[row] : storage->dataset_of[row],
		.bytes = !profile ? 0
			 : image  ? profile->image_bytes
				  : profile->dataset_bytes };
}

static int64_t at_most(__int128 bytes)
{
	return bytes < STORAGE_BYTES_MAX ? (int64_t)bytes : STORAGE_BYTES_MAX;
}

/* What its nodes lack of an image or a dataset. */
static struct looked look_for(struct storage *storage, struct sim *sim, sl_job job, enum storage_phase phase)
{
	struct looked looked = item_of(storage, job.row, phase);
	if (looked.item == UINT32_MAX)
		return looked;
	if (is_placed(storage, sim, job)) {
		(void)each_node(storage, sim, job, storage_look, &looked);
	} else { /* Nobody knows what was where. */
		looked.nodes = storage->job[job.row].clients;
		looked.lacks = at_most((__int128)looked.bytes * looked.nodes);
	}
	if (looked.no_memory)
		storage_no_memory(storage, sim);
	return looked;
}

/* What there is to pull, as the job comes to it. */
static void begin_pull(struct storage *storage, struct sim *sim, sl_job job, enum storage_phase phase)
{
	struct storage_job *of = &storage->job[job.row];
	const struct looked looked = look_for(storage, sim, job, phase);
	of->pullers = looked.nodes;
	of->rest[phase] = looked.lacks;
	if (looked.item == UINT32_MAX)
		return;
	const __int128 asked = (__int128)looked.bytes * of->clients;
	storage->asked += asked;
	storage->found += asked < STORAGE_BYTES_MAX ? asked - looked.lacks : 0;
	storage->cold_starts += phase == STORAGE_IMAGE && looked.lacks;
}

static void pulled(struct storage *storage, struct sim *sim, sl_job job, enum storage_phase phase)
{
	struct looked looked = item_of(storage, job.row, phase);
	if (looked.item == UINT32_MAX || !is_placed(storage, sim, job))
		return;
	(void)each_node(storage, sim, job, storage_put, &looked);
	if (looked.no_memory)
		storage_no_memory(storage, sim);
}

static bool storage_move_here(struct storage *storage, struct sim *sim, struct storage_job *of, bool write,
	int64_t bytes, uint32_t system)
{
	const bool pulls = of->phase == STORAGE_IMAGE || of->phase == STORAGE_DATASET;
	const struct storage_flow want = { .what = STORAGE_STAGE,
		.job = (uint32_t)(of - storage->job),
		.write = write,
		.clients = pulls ? of->pullers : of->clients,
		.bytes = bytes };
	return bytes > 0 && storage_move(storage, sim, want, system);
}

static void stream(struct storage *storage, struct sim *sim, sl_job job, const struct sl_profile *profile,
	uint32_t system)
{
	if (!profile || profile->read_each <= 0)
		return;
	const struct storage_flow want = { .what = STORAGE_STREAM,
		.job = job.row,
		.clients = storage->job[job.row].clients,
		.most = storage_stream_wanted(profile) };
	(void)storage_move(storage, sim, want, system);
}

/* The time since the job came into its phase, to where it belongs. */
static void book(struct storage_job *job, sl_time now)
{
	const sl_time range = now - job->since;
	if (job->suspended)
		return;
	if (job->phase == STORAGE_IMAGE)
		job->cold += range;
	if (job->phase == STORAGE_IMAGE || job->phase == STORAGE_DATASET || job->phase == STORAGE_INPUT)
		job->in += range;
	else if (job->phase == STORAGE_OUTPUT)
		job->out += range;
	job->since = now;
}

static bool staging(const struct storage_job *job)
{
	return job->phase == STORAGE_IMAGE || job->phase == STORAGE_DATASET || job->phase == STORAGE_INPUT;
}

/* What it moves in a stage: found out once in a stay. */
static int64_t rest_of(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	uint32_t row;
	if (!of->looked[of->phase]) {
		of->looked[of->phase] = true;
		if (of->phase == STORAGE_INPUT) {
			const struct sl_profile *profile = storage_profile(storage, job.row, &row);
			SL_CHECK(profile);
			of->rest[of->phase] = profile->read;
		} else
			begin_pull(storage, sim, job, (enum storage_phase)of->phase);
	}
	return of->rest[of->phase];
}

/* Whether the phase takes time; what takes none is done. */
static bool phase_begin(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job.row, &row);
	const uint32_t system = of->phase == STORAGE_IMAGE ? storage->image_system : storage->system_of[row];
	if (of->phase == STORAGE_OUTPUT)
		return storage_move_here(storage, sim, of, true, profile->write, system);
	return !staging(of) || storage_move_here(storage, sim, of, false, rest_of(storage, sim, job), system);
}

static void stage_over(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	if (of->phase != STORAGE_INPUT)
		pulled(storage, sim, job, (enum storage_phase)of->phase);
	of->rest[of->phase] = 0;
	of->phase++;
}

/* From its phase on, until one takes time. */
static void go_on(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	while (staging(of) && !phase_begin(storage, sim, job))
		stage_over(storage, sim, job);
	of->since = sl_now(sim);
}

static void storage_run(struct storage *storage, struct sim *sim, sl_job job)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job.row, &row);
	stream(storage, sim, job, profile, storage->system_of[row]);
}

void storage_staged(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	book(of, sl_now(sim));
	if (of->phase == STORAGE_OUTPUT) {
		of->phase = STORAGE_IDLE;
		sl_model_finish(sim, job);
		return;
	}
	stage_over(storage, sim, job);
	go_on(storage, sim, job);
	if (of->phase == STORAGE_RUN) {
		sl_model_speed(sim, job, SL_SPEED_ONE);
		storage_run(storage, sim, job);
	}
}

/* ---- Callbacks of the engine ------------------------------------------------------------------------ */

static void storage_begin(void *state, struct sim *sim)
{
	struct storage *storage = state;
	storage->began = sl_now(sim);
	for (uint32_t i = 0; i < 2 * storage->system_count; i++)
		storage_load_init(&storage->load[i], storage->began);
}

/* Its flows, with so many clients as it has now. */
static void move_on(struct storage *storage, struct sim *sim, sl_job job, uint32_t clients)
{
	struct storage_job *of = &storage->job[job.row];
	for (uint32_t row = of->flow; row != STORAGE_NO_FLOW; row = storage->flows.flow[row].next) {
		struct storage_flow *flow = &storage->flows.flow[row];
		storage_leave_pool(storage, sim, row);
		if (clients != of->clients) {
			flow->clients = clients;
			flow->most = storage_most_of(storage, flow->pool / 2, flow->write, clients);
		}
		storage_enter_pool(storage, sim, row);
	}
	of->clients = clients;
}

/* What it was about in its stage or its run: taken up again on the nodes that it has now. */
static void lay_down(struct storage *storage, struct sim *sim, struct storage_job *of)
{
	for (uint32_t row = of->flow, next; row != STORAGE_NO_FLOW; row = next) {
		next = storage->flows.flow[row].next;
		if (storage->flows.flow[row].what == STORAGE_ASKED)
			continue;
		storage_leave_pool(storage, sim, row);
		if (staging(of))
			of->rest[of->phase] =
				(storage->flows.flow[row].left + STORAGE_UNIT - 1) / STORAGE_UNIT;
		storage_drop(storage, sim, row);
	}
}

/* It grew: so many more nodes pull what they lack of what the others have, or are pulling. */
static void pull_more(
	struct storage *storage, struct sim *sim, sl_job job, enum storage_phase phase, uint32_t grown)
{
	struct storage_job *of = &storage->job[job.row];
	if (!of->looked[phase])
		return;
	const struct looked looked = look_for(storage, sim, job, phase);
	const uint32_t nodes = looked.nodes < grown ? looked.nodes : grown;
	if (nodes)
		of->rest[phase] = at_most((__int128)looked.lacks * nodes / looked.nodes + of->rest[phase]);
}

/* Another size, and perhaps other nodes. */
static void resized(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	const uint32_t clients = clients_of(storage, sim, job);
	const uint32_t grown = clients > of->clients ? clients - of->clients : 0;
	uint32_t row;
	if (!may_be_there(storage, sim, job))
		return;
	book(of, sl_now(sim));
	storage->keep.stay[job.row] = ++storage->keep.stays;
	const bool retry = of->phase <= STORAGE_RUN && storage_profile(storage, job.row, &row);
	if (retry)
		lay_down(storage, sim, of);
	move_on(storage, sim, job, clients);
	if (!retry)
		return;
	pull_more(storage, sim, job, STORAGE_IMAGE, grown);
	pull_more(storage, sim, job, STORAGE_DATASET, grown);
	of->pullers = clients;
	of->phase = STORAGE_IMAGE;
	go_on(storage, sim, job);
	sl_model_speed(sim, job, of->phase == STORAGE_RUN ? SL_SPEED_ONE : 0);
	if (of->phase == STORAGE_RUN)
		storage_run(storage, sim, job);
}

static void resumed(struct storage *storage, struct sim *sim, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	of->suspended = false;
	of->since = sl_now(sim);
	if (clients_of(storage, sim, job) != of->clients) {
		resized(storage, sim, job);
		return;
	}
	move_on(storage, sim, job, of->clients);
	if (staging(of))
		sl_model_speed(sim, job, 0);
}

static void storage_started(void *state, struct sim *sim, sl_job job)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	if (of->phase != STORAGE_IDLE && of->suspended) {
		resumed(storage, sim, job);
		return;
	}
	if (of->phase != STORAGE_IDLE) {
		resized(storage, sim, job);
		return;
	}
	uint32_t row;
	of->clients = clients_of(storage, sim, job);
	of->since = sl_now(sim);
	memset(of->looked, 0, sizeof(of->looked));
	storage->keep.stay[job.row] = ++storage->keep.stays;
	if (!storage_profile(storage, job.row, &row)) {
		of->phase = STORAGE_RUN;
		return;
	}
	if (!may_be_there(storage, sim, job))
		return;
	of->phase = STORAGE_IMAGE;
	go_on(storage, sim, job);
	if (of->phase == STORAGE_RUN)
		storage_run(storage, sim, job);
	else
		sl_model_speed(sim, job, 0);
}

static void storage_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	book(of, sl_now(sim));
	if (how == SL_LEFT_SUSPEND) {
		for (uint32_t row = of->flow; row != STORAGE_NO_FLOW; row = storage->flows.flow[row].next)
			storage_leave_pool(storage, sim, row);
		of->suspended = true;
		return;
	}
	while (of->flow != STORAGE_NO_FLOW)
		storage_drop(storage, sim, of->flow);
	of->phase = STORAGE_IDLE;
	of->suspended = false;
	storage->keep.stay[job.row] = 0;
}

static void storage_timer(void *state, struct sim *sim, uint32_t row)
{
	struct storage *storage = state;
	if (!storage_note_due(storage, row))
		storage_no_memory(storage, sim);
}

static bool storage_ends(void *state, struct sim *sim, sl_job job)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	uint32_t row;
	if (of->phase != STORAGE_RUN || !storage_profile(storage, job.row, &row))
		return false;
	while (of->flow != STORAGE_NO_FLOW) /* Nobody reads or saves any more. */
		storage_drop(storage, sim, of->flow);
	of->phase = STORAGE_OUTPUT;
	of->since = sl_now(sim);
	if (phase_begin(storage, sim, job)) {
		sl_model_wake(sim, sl_now(sim), of->flow);
		return true;
	}
	of->phase = STORAGE_IDLE;
	return false;
}

static void storage_transfer(void *state, struct sim *sim, const struct sl_transfer *transfer)
{
	struct storage *storage = state;
	const uint32_t job = transfer->job.row;
	uint32_t row;
	(void)storage_profile(storage, job, &row);
	const uint32_t named =
		transfer->fs ? storage_system_of(storage->system, storage->system_count, transfer->fs)
			     : UINT32_MAX;
	const uint32_t system = named != UINT32_MAX ? named : row ? storage->system_of[row] : 0;
	const struct storage_flow want = { .what = STORAGE_ASKED,
		.write = transfer->kind == SL_TRANSFER_WRITE,
		.job = job,
		.token = transfer->token,
		.asker = transfer->asker,
		.fs = transfer->fs,
		.clients = storage->job[job].clients ? storage->job[job].clients : 1,
		.bytes = transfer->bytes };
	if (!storage_move(storage, sim, want, system))
		sl_model_transferred(sim, transfer);
	else if (!storage->settling) /* It may be asked after the pools were solved. */
		sl_model_wake(sim, sl_now(sim), storage->job[job].flow);
}

const struct sl_model model_storage = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "storage",
	.summary = "shared file systems, and what nodes keep of them",
	.paper =
		"Water-filling (max-min fairness), as in D. Bertsekas and R. Gallager, Data Networks, 1992, 6.5",
	.params = storage_params,
	.param_count = SL_LEN(storage_params),
	.init = storage_init,
	.begin = storage_begin,
	.started = storage_started,
	.left = storage_left,
	.timer = storage_timer,
	.settle = storage_settle,
	.ends = storage_ends,
	.transfer = storage_transfer,
	.report = storage_report,
	.nodes_if_any = true,
};
