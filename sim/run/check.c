/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - invariants after every event (--check). Slow and obvious: everything is counted again from the
 * columns.
 */
#include "sim/run/models.h"

/* Work is conserved, over preemptions and checkpoints too. At other than its full size a job may have been
 * allocated a little more than it needed, never less. */
static void check_work(const struct sim *sim, uint32_t job)
{
	const sl_time length =
		sim->job_state[job] == SL_COMPLETED ? sim->jobs->run[job] : sim->jobs->limit[job];
	if (!sim->progress) {
		SL_CHECK(sim->end[job] - sim->start[job] == length);
		return;
	}
	const struct progress *progress = &sim->progress[job];
	if (sim->models) {
		if (sim->job_state[job] == SL_COMPLETED)
			SL_CHECK(progress->done_kept + progress->done == length && !progress->done_part);
		else
			SL_CHECK(progress->kept + progress->work >= length);
		return;
	}
	SL_CHECK(progress->kept + progress->work >= length &&
		 (progress->tasks || progress->kept + progress->work == length));
}

/* Of a running job: no more is done than there is to do, its rate is the models' unless they are about to be
 * settled, and its end is when its work, or its limit, is over. */
static void check_speed(const struct sim *sim, uint32_t job)
{
	SL_CHECK(sim->progress); /* Where there are models. */
	const struct progress *progress = &sim->progress[job];
	struct progress retry = *progress;
	SL_CHECK(progress->done >= 0 && progress->done_kept >= 0 && progress->done_lost >= 0);
	SL_CHECK(progress->speed <= SL_SPEED_MAX && progress->counted <= sim->now);
	SL_CHECK(progress->done_kept + progress->done <= sim->jobs->run[job]);
	SL_CHECK(sim->models->is_changed[job] || progress->finished ||
		 progress->speed == speeds_product(sim, job));
	speeds_due(sim, job, &retry);
	SL_CHECK(retry.due == progress->due && retry.cut == progress->cut);
}

static void check_job(const struct sim *sim, uint32_t job)
{
	const struct sl_jobs *jobs = sim->jobs;
	const enum sl_state state = (enum sl_state)sim->job_state[job];
	const bool retry = sim->progress && sim->progress[job].attempts;
	SL_CHECK(state < SL_STATE_COUNT);
	if (state == SL_PENDING) {
		SL_CHECK((sim->start[job] == SL_NONE || retry) && sim->end[job] == SL_NONE);
		return;
	}
	SL_CHECK(job < sim->submitted);
	if ((state == SL_CANCELLED || state == SL_DEADLINE || is_controlled(sim)) &&
		sim->start[job] == SL_NONE)
		return;
	if (sim->eligibility)
		SL_CHECK(sim->start[job] >= sim->eligible[job] && sim->eligible[job] != SL_NONE &&
			 eligibility_defer(sim, job));
	SL_CHECK(sim->start[job] >= jobs->submit[job] &&
		 sim->start[job] <= sim->now); /* No start before eligible. */
	if (state == SL_RUNNING || state == SL_SUSPENDED) {
		SL_CHECK(sim->end[job] == SL_NONE);
		if (sim->models && state == SL_RUNNING)
			check_speed(sim, job);
		return;
	}
	SL_CHECK(sim->end[job] <= sim->now);
	if (is_controlled(sim)) /* It may have been ended in any state. */
		return;
	if (state == SL_COMPLETED || state == SL_TIMEOUT)
		check_work(sim, job);
	if (state == SL_TIMEOUT && !sim->models)
		SL_CHECK(jobs->limit[job] < jobs->run[job]);
}

static uint64_t mixed(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* The queue holds each waiting job, once, in order. */
static void check_queue(const struct sim *sim, struct queue *queue, uint32_t waiting)
{
	SL_CHECK(queue->count == waiting);
	uint32_t seen = 0;
	int32_t least = INT32_MAX;
	uint32_t before = UINT32_MAX;
	for (uint32_t job = queue_first(queue); job != UINT32_MAX; job = queue_after(queue, job)) {
		SL_CHECK(is_waiting(sim, job));
		if (before != UINT32_MAX && queue->key)
			SL_CHECK(queue->key[before] < queue->key[job] ||
				 (queue->key[before] == queue->key[job] && before < job));
		else if (before != UINT32_MAX)
			SL_CHECK(before < job);
		least = sim->jobs->size[job] < least ? sim->jobs->size[job] : least;
		before = job;
		seen++;
	}
	SL_CHECK(seen == waiting && !queue_holds(queue, (int64_t)least - 1));
	SL_CHECK(!seen || queue_holds(queue, least));
}

/* Each waiting job is in its lane alone, and the head of a lane waits in it. */
static void check_lanes(const struct sim *sim)
{
	const struct lanes *lanes = sim->lanes;
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < lanes->count; i++) {
		struct lane *lane = &lanes->lane[i];
		SL_CHECK(!lane->queue.count == !(lanes->busy[i / 64] >> i % 64 & 1));
		check_queue(sim, &lane->queue, lane->queue.count);
		if (sim->uses & SL_USE_FILL)
			check_queue(sim, &lane->fill, lane->queue.count);
		for (uint32_t job = queue_first(&lane->queue); job != UINT32_MAX;
			job = queue_after(&lane->queue, job))
			SL_CHECK(lanes->of[job] == i);
		SL_CHECK(lane->head.job == UINT32_MAX ||
			 (is_waiting(sim, lane->head.job) && lanes->of[lane->head.job] == i));
		waiting += lane->queue.count;
	}
	SL_CHECK(waiting == sim->queue.count);
}

/* The heads of all lanes. */
static uint64_t mixed_heads(uint64_t h, const struct sim *sim)
{
	for (uint32_t i = 0; sim->lanes && i < sim->lanes->count; i++)
		h = mixed(mixed(h, sim->lanes->lane[i].head.job), sim->lanes->lane[i].queue.count);
	return h;
}

/* Running jobs release their whole allocation; a promise allocates and releases the same. */
static void add_change(void *self, sl_time at, int64_t change)
{
	(void)at;
	*(int64_t *)self += change;
}

/* What runs, in order of its starts, each once. */
static void check_running(const struct sim *sim, uint32_t running, uint32_t suspended)
{
	if (!sim->progress)
		return;
	uint32_t seen = 0;
	uint32_t before = UINT32_MAX;
	for (uint32_t job = sim->run_first; job != UINT32_MAX; job = sim->progress[job].next) {
		const struct progress *progress = &sim->progress[job];
		SL_CHECK(progress->before == before &&
			 (is_running(sim, job) || sim->job_state[job] == SL_SUSPENDED));
		SL_CHECK(before == UINT32_MAX || sim->progress[before].began <= progress->began);
		SL_CHECK((progress->stopped != SL_NONE) == (sim->job_state[job] == SL_SUSPENDED));
		before = job;
		seen++;
	}
	SL_CHECK(seen == running + suspended && sim->run_last == before && sim->suspended == suspended);
}

/* A job's allocation by the allocator's accounting is the engine's, node by node; of an unbounded resource
 * nothing is allocated. */
static void check_held(struct sim *sim, uint32_t job)
{
	const struct sl_node_alloc *node_alloc;
	const size_t count = sim->allocator->held(sim->allocator_state, (sl_job){ job }, &node_alloc);
	uint32_t nodes = 0;
	SL_CHECK(count > 0);
	for (size_t i = 0; i < count; i++) {
		const uint32_t node = node_alloc[i].node;
		const int64_t *amount = sim->info->type[sim->info->node_type[node]].amount;
		struct nodes_sum sum = { 0, 0, 0, 0 };
		bool before = false;
		for (size_t k = 0; k < count; k++) {
			if (node_alloc[k].node != node)
				continue;
			before = before || k < i;
			sum.cpus += node_alloc[k].cpus;
			sum.mem += node_alloc[k].mem;
			for (uint32_t kind = SL_KIND_GPUS; kind < sim->info->kind_count; kind++)
				sum.gpus += node_alloc[k].gpus ? node_alloc[k].gpus[kind - SL_KIND_GPUS] : 0;
		}
		const struct nodes_sum ours = nodes_held_on(sim->nodes, job, node);
		SL_CHECK(amount[SL_KIND_CPUS] >= SL_MEM_UNBOUNDED || sum.cpus == ours.cpus);
		SL_CHECK(amount[SL_KIND_MEM] >= SL_MEM_UNBOUNDED || sum.mem == ours.mem);
		SL_CHECK(sum.gpus == ours.gpus);
		nodes += !before;
	}
	SL_CHECK(nodes == nodes_held(sim->nodes, job).nodes);
}

static void check_allocation(struct sim *sim, int64_t cpus_busy)
{
	if (sim->nodes) {
		nodes_check(sim->nodes);
		for (uint32_t job = 0; sim->allocator && sim->allocator->held && job < sim->submitted; job++)
			if (sim->job_state[job] == SL_RUNNING)
				check_held(sim, job);
		return;
	}
	const struct cluster *cluster = &sim->cluster;
	SL_CHECK(cpus_busy + cluster->cpus_free + cluster->cpus_closed == cluster->cpus &&
		 cluster->cpus_free >= 0 && cluster->cpus_closed >= 0 && cluster->cpus_owed >= 0);
	int64_t given_back = 0;
	profile_each(&sim->profile, add_change, &given_back);
	SL_CHECK(given_back == cpus_busy + cluster->cpus_closed);
}

void check_state(struct sim *sim)
{
	int64_t cpus_busy = 0;
	int64_t cpus_queued = 0;
	uint32_t running = 0;
	uint32_t waiting = 0;
	uint32_t suspended = 0;
	uint32_t unpromised = 0;
	for (uint32_t job = 0; job < sim->submitted; job++) {
		check_job(sim, job);
		suspended += sim->job_state[job] == SL_SUSPENDED;
		if (sim->job_state[job] == SL_RUNNING) {
			cpus_busy += cpus_of(sim, job);
			running++;
		} else if (is_waiting(sim, job)) {
			cpus_queued += cpus_of(sim, job);
			waiting++;
			unpromised += sim->promise && sim->promise[job] == SL_NONE;
		}
	}
	for (size_t i = sim->ending_next; i < sim->ending_count; i++)
		if (sim->ending[i].freed && is_running(sim, sim->ending[i].ev.row))
			cpus_busy -= cpus_of(sim, sim->ending[i].ev.row);
	check_allocation(sim, cpus_busy);
	SL_CHECK(running == sim->running && cpus_queued == sim->cpus_queued);
	if (sim->promise) {
		unpromised_sift(sim);
		SL_CHECK(unpromised == sim->unpromised_count);
	}
	check_running(sim, running, suspended);
	check_queue(sim, &sim->queue, waiting);
	if (sim->uses & SL_USE_FILL)
		check_queue(sim, &sim->fill, waiting);
	if (sim->lanes)
		check_lanes(sim);
}

static void mix_change(void *self, sl_time at, int64_t change)
{
	uint64_t *h = self;
	*h = mixed(mixed(*h, (uint64_t)at), (uint64_t)change);
}

/* Of all that sl_undo must bring back. The queue as a set: a new order by wait is no command. */
uint64_t check_digest(struct sim *sim)
{
	uint64_t h = mixed(0, (uint64_t)sim->cluster.cpus_free);
	h = mixed(mixed(h, (uint64_t)sim->cluster.cpus_closed), (uint64_t)sim->cluster.cpus_owed);
	h = mixed(mixed(h, sim->window_count), (uint64_t)sim->cpus_queued);
	h = mixed(h, sim->running);
	h = mixed_heads(mixed(h, sim->head.job), sim);
	h = mixed(h, (uint64_t)sim->wake);
	for (uint32_t i = 0; i < sim->freed.count; i++)
		h = mixed(mixed(h, (uint64_t)sim->freed.at[i].from), (uint64_t)sim->freed.at[i].until);
	h = mixed(h, (uint64_t)sim->freed.early << 1 | sim->promises_broken);
	h = mixed(h, sim->queue.count);
	for (uint32_t job = 0; job < sim->submitted; job++) {
		h = mixed(h, (uint64_t)sim->job_state[job] << 32 | job);
		h = mixed(h, (uint64_t)sim->start[job]);
		h = mixed(h, (uint64_t)sim->end[job]);
		h = mixed(h, sim->eligible ? (uint64_t)sim->eligible[job] : 0);
		h = mixed(h, sim->promise ? (uint64_t)sim->promise[job] : 0);
		if (!sim->progress)
			continue;
		const struct progress *progress = &sim->progress[job];
		h = mixed(mixed(mixed(h, (uint64_t)progress->due), (uint64_t)progress->work),
			(uint64_t)progress->kept);
		h = mixed(mixed(h, (uint64_t)progress->since), (uint64_t)sim->estimate[job]);
		h = mixed(mixed(h, (uint64_t)progress->load), (uint64_t)progress->loading);
		h = mixed(mixed(h, progress->speed), (uint64_t)progress->finished << 1 | progress->cut);
		h = mixed(mixed(h, (uint64_t)progress->done), progress->done_part);
		h = mixed(mixed(h, (uint64_t)progress->done_kept), (uint64_t)progress->done_lost);
		h = mixed(mixed(h, (uint64_t)progress->suspended), (uint64_t)progress->suspended_before);
		h = mixed(mixed(h, progress->attempts), (uint64_t)progress->next << 32 | progress->before);
	}
	h = mixed(h, sim->nodes ? nodes_digest(sim->nodes) : sim->suspended);
	profile_each(&sim->profile, mix_change, &h);
	for (size_t i = 0; i < sim->ledger_count; i++)
		for (uint32_t row = 0; row < sim->ledger[i].rows; row++)
			h = mixed(h, (uint64_t)sim->ledger[i].amount[row]);
	return mixed(mixed(h, sim->digest), sim->reason_count);
}

/* ---- Charges --------------------------------------------------------------------------------- */

void check_charges(const struct sl_result *result)
{
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		struct sl_charging charging = sl_charges_of(result, job);
		struct sl_charge charge;
		sl_time until = SL_NONE;
		sl_time total = 0;
		while (sl_charge_next(&charging, &charge)) {
			const bool last = result->left && result->left[job] && charge.from >= result->last;
			SL_CHECK(charge.until > charge.from || (last && charge.until == charge.from));
			SL_CHECK(charge.from >= until);
			until = charge.until;
			total += charge.until - charge.from;
		}
		SL_CHECK(total == sl_wait_total_of(result, job)); /* Each second is charged to a reason. */
	}
}
