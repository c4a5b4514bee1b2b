/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage.c - jobs and shared file systems: image, dataset, input, run, output.
 *
 * A job that starts pulls what its nodes lack of its image and its dataset, then reads its input; until then
 * it does no work. While it runs it may stream: it works no faster than it reads. When its work is done it
 * writes its output, and holds its nodes as long. Other models' transfers share the same pools. Clients are
 * the nodes of a job (on a counted pool, where nothing is known of nodes, its cpus).
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
static uint32_t each_node(struct storage *storage, struct sl_pass *world, sl_job job,
	bool (*each)(struct storage *storage, uint32_t node, void *self), void *self)
{
	const struct sl_piece *piece;
	const size_t count = sl_pieces_of(world, job, &piece);
	const uint64_t mark = ++storage->marks;
	uint32_t nodes = 0;
	for (size_t i = 0; i < count; i++) {
		if (storage->mark[piece[i].node] == mark)
			continue;
		storage->mark[piece[i].node] = mark;
		nodes++;
		if (each && !each(storage, piece[i].node, self))
			break;
	}
	return nodes;
}

/* Whether it is known on which nodes: not of a counted pool, nor where nodes of one cpu are counted as one.
 */
static bool is_placed(const struct sl_pass *world, sl_job job)
{
	const struct sl_piece *piece;
	return sl_pieces_of(world, job, &piece) > 0;
}

static uint32_t clients_of(struct storage *storage, struct sl_pass *world, sl_job job)
{
	const uint32_t nodes =
		is_placed(world, job) ? each_node(storage, world, job, NULL, NULL) : sl_tasks_of(world, job);
	return nodes ? nodes : 1;
}

/* What is looked for on nodes. */
struct looked {
	const uint64_t *allowed;
	uint32_t item, nodes; /* Nodes that lack some of it, */
	int64_t bytes, lacks; /* of so much; all of them lack so much. */
	bool no_memory;
};

static bool look(struct storage *storage, uint32_t node, void *self)
{
	struct looked *looked = self;
	const int64_t lacks = storage_keep_lacks(&storage->keep, node, looked->item, looked->bytes);
	looked->lacks += lacks;
	looked->nodes += lacks > 0;
	return looked->lacks <= STORAGE_BYTES_MAX - looked->bytes;
}

static bool put(struct storage *storage, uint32_t node, void *self)
{
	struct looked *looked = self;
	looked->no_memory = !storage_keep_put(&storage->keep, node, looked->item, looked->bytes);
	return !looked->no_memory;
}

static bool may_use(struct storage *storage, uint32_t node, void *self)
{
	(void)storage;
	const struct looked *looked = self;
	return looked->allowed[node / 64] >> node % 64 & 1;
}

/* Whether all of its nodes may use the system. */
static bool allowed(struct storage *storage, struct sl_pass *world, sl_job job, uint32_t system)
{
	const uint64_t *bits = storage->system[system].nodes;
	if (!bits)
		return true;
	struct looked looked = { .allowed = bits };
	const struct sl_piece *piece;
	const size_t count = sl_pieces_of(world, job, &piece);
	for (size_t i = 0; i < count; i++)
		if (!may_use(storage, piece[i].node, &looked))
			return false;
	return true;
}

/* ---- Phases ----------------------------------------------------------------------------------- */

static struct looked item_of(const struct storage *storage, uint32_t job, enum storage_phase phase)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job, &row);
	if (phase == STORAGE_IMAGE)
		return (struct looked){ .item = storage->image_of[row], .bytes = profile->image_bytes };
	return (struct looked){ .item = storage->dataset_of[row], .bytes = profile->dataset_bytes };
}

/* An image or a dataset: what its nodes lack. True: that takes time. */
static bool pull(
	struct storage *storage, struct sl_pass *world, sl_job job, enum storage_phase phase, uint32_t system)
{
	struct looked looked = item_of(storage, job.row, phase);
	if (looked.item == UINT32_MAX)
		return false;
	const uint32_t clients = storage->job[job.row].clients;
	if (is_placed(world, job)) {
		(void)each_node(storage, world, job, look, &looked);
	} else { /* Nobody knows what was where. */
		looked.nodes = clients;
		const __int128 all = (__int128)looked.bytes * clients;
		looked.lacks = all < STORAGE_BYTES_MAX ? (int64_t)all : STORAGE_BYTES_MAX;
	}
	const __int128 asked = (__int128)looked.bytes * clients;
	storage->asked += asked < STORAGE_BYTES_MAX ? (int64_t)asked : STORAGE_BYTES_MAX;
	storage->found += asked < STORAGE_BYTES_MAX ? (int64_t)asked - looked.lacks : 0;
	if (!looked.lacks)
		return false;
	if (phase == STORAGE_IMAGE)
		storage->cold_starts++;
	const struct storage_flow want = {
		.what = STORAGE_STAGE, .job = job.row, .clients = looked.nodes, .bytes = looked.lacks
	};
	return storage_move(storage, world, want, system);
}

static void pulled(struct storage *storage, struct sl_pass *world, sl_job job, enum storage_phase phase)
{
	struct looked looked = item_of(storage, job.row, phase);
	if (looked.item == UINT32_MAX || !is_placed(world, job))
		return;
	(void)each_node(storage, world, job, put, &looked);
	if (looked.no_memory)
		storage_no_memory(storage, world);
}

static bool move(struct storage *storage, struct sl_pass *world, sl_job job, bool write, int64_t bytes,
	uint32_t system)
{
	const struct storage_flow want = { .what = STORAGE_STAGE,
		.job = job.row,
		.write = write,
		.clients = storage->job[job.row].clients,
		.bytes = bytes };
	return bytes > 0 && storage_move(storage, world, want, system);
}

static void stream(struct storage *storage, struct sl_pass *world, sl_job job,
	const struct sl_profile *profile, uint32_t system)
{
	if (!profile || profile->read_each <= 0)
		return;
	const struct storage_flow want = { .what = STORAGE_STREAM,
		.job = job.row,
		.clients = storage->job[job.row].clients,
		.most = storage_stream_demand(profile) };
	(void)storage_move(storage, world, want, system);
}

/* The time since the job came into its phase, to where it belongs. */
static void book(struct storage_job *job, sl_time now)
{
	const sl_time span = now - job->since;
	if (job->suspended)
		return;
	if (job->phase == STORAGE_IMAGE)
		job->cold += span;
	if (job->phase == STORAGE_IMAGE || job->phase == STORAGE_DATASET || job->phase == STORAGE_INPUT)
		job->in += span;
	else if (job->phase == STORAGE_OUTPUT)
		job->out += span;
	job->since = now;
}

static bool staging(const struct storage_job *job)
{
	return job->phase == STORAGE_IMAGE || job->phase == STORAGE_DATASET || job->phase == STORAGE_INPUT;
}

/* Whether the phase takes time; what takes none is done. */
static bool phase_begin(struct storage *storage, struct sl_pass *world, sl_job job)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job.row, &row);
	const uint32_t system = storage->system_of[row];
	switch (storage->job[job.row].phase) {
	case STORAGE_IMAGE:
		return pull(storage, world, job, STORAGE_IMAGE, storage->image_system);
	case STORAGE_DATASET:
		return pull(storage, world, job, STORAGE_DATASET, system);
	case STORAGE_INPUT:
		return move(storage, world, job, false, profile->read, system);
	case STORAGE_OUTPUT:
		return move(storage, world, job, true, profile->write, system);
	default:
		return true;
	}
}

/* From its phase on, until one takes time. */
static void go_on(struct storage *storage, struct sl_pass *world, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	while (staging(of) && !phase_begin(storage, world, job)) {
		if (of->phase != STORAGE_INPUT)
			pulled(storage, world, job, (enum storage_phase)of->phase);
		of->phase++;
	}
	of->since = sl_now(world);
}

static void run(struct storage *storage, struct sl_pass *world, sl_job job)
{
	uint32_t row;
	const struct sl_profile *profile = storage_profile(storage, job.row, &row);
	stream(storage, world, job, profile, storage->system_of[row]);
}

void storage_staged(struct storage *storage, struct sl_pass *world, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	book(of, sl_now(world));
	if (of->phase == STORAGE_OUTPUT) {
		of->phase = STORAGE_IDLE;
		sl_model_finish(world, job);
		return;
	}
	if (of->phase != STORAGE_INPUT)
		pulled(storage, world, job, (enum storage_phase)of->phase);
	of->phase++;
	go_on(storage, world, job);
	if (of->phase == STORAGE_RUN) {
		sl_model_rate(world, job, SL_RATE_ONE);
		run(storage, world, job);
	}
}

/* ---- What the engine tells ------------------------------------------------------------------------ */

static void storage_begin(void *state, struct sl_pass *world)
{
	struct storage *storage = state;
	storage->began = sl_now(world);
	for (uint32_t i = 0; i < 2 * storage->system_count; i++)
		storage_load_init(&storage->load[i], storage->began);
}

/* Again on its nodes, or on others than before. */
static void carry_on(struct storage *storage, struct sl_pass *world, sl_job job)
{
	struct storage_job *of = &storage->job[job.row];
	const uint32_t clients = clients_of(storage, world, job);
	for (uint32_t row = of->flow; row != STORAGE_NO_FLOW; row = storage->flows.flow[row].next) {
		struct storage_flow *flow = &storage->flows.flow[row];
		storage_leave_pool(storage, world, row);
		if (clients != of->clients) {
			flow->clients = clients;
			flow->most = storage_most_of(storage, flow->pool / 2, flow->write, clients);
			if (flow->what == STORAGE_STREAM) {
				uint32_t profile;
				const int64_t demand =
					storage_stream_demand(storage_profile(storage, job.row, &profile));
				flow->most = demand < flow->most ? demand : flow->most;
			}
		}
		storage_enter_pool(storage, world, row);
	}
	of->clients = clients;
	if (of->suspended)
		of->since = sl_now(world);
	of->suspended = false;
	if (staging(of))
		sl_model_rate(world, job, 0);
}

static void storage_started(void *state, struct sl_pass *world, sl_job job)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	if (of->phase != STORAGE_IDLE) {
		carry_on(storage, world, job);
		return;
	}
	uint32_t row;
	of->clients = clients_of(storage, world, job);
	of->since = sl_now(world);
	if (!storage_profile(storage, job.row, &row)) {
		of->phase = STORAGE_RUN;
		return;
	}
	if (!allowed(storage, world, job, storage->system_of[row])) {
		storage->no_access++;
		sl_model_fail(world, job, SL_FAILED, false);
		return;
	}
	of->phase = STORAGE_IMAGE;
	go_on(storage, world, job);
	if (of->phase == STORAGE_RUN)
		run(storage, world, job);
	else
		sl_model_rate(world, job, 0);
}

static void storage_left(void *state, struct sl_pass *world, sl_job job, enum sl_left how)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	book(of, sl_now(world));
	if (how == SL_LEFT_SUSPEND) {
		for (uint32_t row = of->flow; row != STORAGE_NO_FLOW; row = storage->flows.flow[row].next)
			storage_leave_pool(storage, world, row);
		of->suspended = true;
		return;
	}
	while (of->flow != STORAGE_NO_FLOW)
		storage_drop(storage, world, of->flow);
	of->phase = STORAGE_IDLE;
	of->suspended = false;
}

static void storage_timer(void *state, struct sl_pass *world, uint32_t row)
{
	struct storage *storage = state;
	if (!storage_note_due(storage, row))
		storage_no_memory(storage, world);
}

static bool storage_ends(void *state, struct sl_pass *world, sl_job job)
{
	struct storage *storage = state;
	struct storage_job *of = &storage->job[job.row];
	uint32_t row;
	if (of->phase != STORAGE_RUN || !storage_profile(storage, job.row, &row))
		return false;
	while (of->flow != STORAGE_NO_FLOW) /* Nobody reads or saves any more. */
		storage_drop(storage, world, of->flow);
	of->phase = STORAGE_OUTPUT;
	of->since = sl_now(world);
	if (phase_begin(storage, world, job)) {
		sl_model_wake(world, sl_now(world), of->flow);
		return true;
	}
	of->phase = STORAGE_IDLE;
	return false;
}

static void storage_transfer(void *state, struct sl_pass *world, const struct sl_transfer *transfer)
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
	if (!storage_move(storage, world, want, system))
		sl_model_transferred(world, transfer);
	else if (!storage->settling) /* It may be asked after the pools were solved. */
		sl_model_wake(world, sl_now(world), storage->job[job].flow);
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
	.tell = storage_tell,
};
