/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - invariants after every event (--check). Slow and obvious: everything is counted again from the
 * columns.
 */
#include "sim/run/models.h"

/* Work is conserved, over preemptions and checkpoints too. At other than its full size a job may have been
 * given a little more than it needed, never less. */
static void check_work(const struct sl_pass *pass, uint32_t job)
{
	const sl_time length =
		pass->job_state[job] == SL_COMPLETED ? pass->jobs->run[job] : pass->jobs->limit[job];
	if (!pass->course) {
		SL_CHECK(pass->end[job] - pass->start[job] == length);
		return;
	}
	const struct course *course = &pass->course[job];
	if (pass->models) {
		if (pass->job_state[job] == SL_COMPLETED)
			SL_CHECK(course->done_kept + course->done == length && !course->done_part);
		else
			SL_CHECK(course->kept + course->work >= length);
		return;
	}
	SL_CHECK(course->kept + course->work >= length &&
		 (course->tasks || course->kept + course->work == length));
}

/* Of a running job: no more is done than there is to do, its rate is the models' unless they are about to be
 * settled, and its end is when its work, or its limit, is over. */
static void check_pace(const struct sl_pass *pass, uint32_t job)
{
	SL_CHECK(pass->course); /* Where there are models. */
	const struct course *course = &pass->course[job];
	struct course again = *course;
	SL_CHECK(course->done >= 0 && course->done_kept >= 0 && course->done_lost >= 0);
	SL_CHECK(course->rate <= SL_RATE_MAX && course->counted <= pass->now);
	SL_CHECK(course->done_kept + course->done <= pass->jobs->run[job]);
	SL_CHECK(pass->models->is_changed[job] || course->finished ||
		 course->rate == rates_product(pass, job));
	rates_due(pass, job, &again);
	SL_CHECK(again.due == course->due && again.cut == course->cut);
}

static void check_job(const struct sl_pass *pass, uint32_t job)
{
	const struct sl_jobs *jobs = pass->jobs;
	const enum sl_state state = (enum sl_state)pass->job_state[job];
	const bool again = pass->course && pass->course[job].attempts;
	SL_CHECK(state < SL_STATE_COUNT);
	if (state == SL_PENDING) {
		SL_CHECK((pass->start[job] == SL_NONE || again) && pass->end[job] == SL_NONE);
		return;
	}
	SL_CHECK(job < pass->submitted);
	if ((state == SL_CANCELLED || state == SL_DEADLINE || is_controlled(pass)) &&
		pass->start[job] == SL_NONE)
		return;
	if (pass->gates)
		SL_CHECK(pass->start[job] >= pass->eligible[job] && pass->eligible[job] != SL_NONE &&
			 gates_hold(pass, job));
	SL_CHECK(pass->start[job] >= jobs->submit[job] &&
		 pass->start[job] <= pass->now); /* No start before eligible. */
	if (state == SL_RUNNING || state == SL_SUSPENDED) {
		SL_CHECK(pass->end[job] == SL_NONE);
		if (pass->models && state == SL_RUNNING)
			check_pace(pass, job);
		return;
	}
	SL_CHECK(pass->end[job] <= pass->now);
	if (is_controlled(pass)) /* It may have been ended in any state. */
		return;
	if (state == SL_COMPLETED || state == SL_TIMEOUT)
		check_work(pass, job);
	if (state == SL_TIMEOUT && !pass->models)
		SL_CHECK(jobs->limit[job] < jobs->run[job]);
}

static uint64_t mixed(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* The queue holds each waiting job, once, in order. */
static void check_queue(const struct sl_pass *pass, struct queue *queue, uint32_t waiting)
{
	SL_CHECK(queue->count == waiting);
	uint32_t seen = 0;
	int32_t least = INT32_MAX;
	uint32_t before = UINT32_MAX;
	for (uint32_t job = queue_first(queue); job != UINT32_MAX; job = queue_after(queue, job)) {
		SL_CHECK(is_waiting(pass, job));
		if (before != UINT32_MAX && queue->key)
			SL_CHECK(queue->key[before] < queue->key[job] ||
				 (queue->key[before] == queue->key[job] && before < job));
		else if (before != UINT32_MAX)
			SL_CHECK(before < job);
		least = pass->jobs->size[job] < least ? pass->jobs->size[job] : least;
		before = job;
		seen++;
	}
	SL_CHECK(seen == waiting && queue_size_min(queue) == least);
}

/* Each waiting job is in its lane alone, and the head of a lane waits in it. */
static void check_lanes(const struct sl_pass *pass)
{
	const struct lanes *lanes = pass->lanes;
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < lanes->count; i++) {
		struct lane *lane = &lanes->lane[i];
		SL_CHECK(!lane->queue.count == !(lanes->busy[i / 64] >> i % 64 & 1));
		check_queue(pass, &lane->queue, lane->queue.count);
		if (pass->uses & SL_USE_FILL)
			check_queue(pass, &lane->fill, lane->queue.count);
		for (uint32_t job = queue_first(&lane->queue); job != UINT32_MAX;
			job = queue_after(&lane->queue, job))
			SL_CHECK(lanes->of[job] == i);
		SL_CHECK(lane->head.job == UINT32_MAX ||
			 (is_waiting(pass, lane->head.job) && lanes->of[lane->head.job] == i));
		waiting += lane->queue.count;
	}
	SL_CHECK(waiting == pass->queue.count);
}

/* The heads of all lanes. */
static uint64_t mixed_heads(uint64_t h, const struct sl_pass *pass)
{
	for (uint32_t i = 0; pass->lanes && i < pass->lanes->count; i++)
		h = mixed(mixed(h, pass->lanes->lane[i].head.job), pass->lanes->lane[i].queue.count);
	return h;
}

/* What runs gives back all it holds; a promise takes and gives back the same. */
static void add_change(void *self, sl_time at, int64_t change)
{
	(void)at;
	*(int64_t *)self += change;
}

/* What runs, in order of its starts, each once. */
static void check_running(const struct sl_pass *pass, uint32_t running, uint32_t suspended)
{
	if (!pass->course)
		return;
	uint32_t seen = 0;
	uint32_t before = UINT32_MAX;
	for (uint32_t job = pass->run_first; job != UINT32_MAX; job = pass->course[job].next) {
		const struct course *course = &pass->course[job];
		SL_CHECK(course->before == before &&
			 (is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED));
		SL_CHECK(before == UINT32_MAX || pass->course[before].began <= course->began);
		SL_CHECK((course->stopped != SL_NONE) == (pass->job_state[job] == SL_SUSPENDED));
		before = job;
		seen++;
	}
	SL_CHECK(seen == running + suspended && pass->run_last == before && pass->suspended == suspended);
}

/* What the placer thinks that a job has is what the engine gave it, node by node; of what a node has without
 * bound nothing is given out. */
static void check_held(struct sl_pass *pass, uint32_t job)
{
	const struct sl_holding *holding;
	const size_t count = pass->placer->held(pass->placer_state, (sl_job){ job }, &holding);
	uint32_t nodes = 0;
	SL_CHECK(count > 0);
	for (size_t i = 0; i < count; i++) {
		const uint32_t node = holding[i].node;
		const int64_t *amount = pass->info->type[pass->info->node_type[node]].amount;
		struct nodes_sum sum = { 0, 0, 0, 0 };
		bool before = false;
		for (size_t k = 0; k < count; k++) {
			if (holding[k].node != node)
				continue;
			before = before || k < i;
			sum.cpus += holding[k].cpus;
			sum.mem += holding[k].mem;
			for (uint32_t kind = SL_KIND_GPUS; kind < pass->info->kind_count; kind++)
				sum.gpus += holding[k].gpus ? holding[k].gpus[kind - SL_KIND_GPUS] : 0;
		}
		const struct nodes_sum ours = nodes_held_on(pass->nodes, job, node);
		SL_CHECK(amount[SL_KIND_CPUS] >= SL_MEM_UNBOUNDED || sum.cpus == ours.cpus);
		SL_CHECK(amount[SL_KIND_MEM] >= SL_MEM_UNBOUNDED || sum.mem == ours.mem);
		SL_CHECK(sum.gpus == ours.gpus);
		nodes += !before;
	}
	SL_CHECK(nodes == nodes_held(pass->nodes, job).nodes);
}

static void check_room(struct sl_pass *pass, int64_t cpus_busy)
{
	if (pass->nodes) {
		nodes_check(pass->nodes);
		for (uint32_t job = 0; pass->placer && pass->placer->held && job < pass->submitted; job++)
			if (pass->job_state[job] == SL_RUNNING)
				check_held(pass, job);
		return;
	}
	const struct cluster *cluster = &pass->cluster;
	SL_CHECK(cpus_busy + cluster->cpus_free + cluster->cpus_closed == cluster->cpus &&
		 cluster->cpus_free >= 0 && cluster->cpus_closed >= 0 && cluster->cpus_owed >= 0);
	int64_t given_back = 0;
	profile_each(&pass->profile, add_change, &given_back);
	SL_CHECK(given_back == cpus_busy + cluster->cpus_closed);
}

void check_state(struct sl_pass *pass)
{
	int64_t cpus_busy = 0;
	int64_t cpus_queued = 0;
	uint32_t running = 0;
	uint32_t waiting = 0;
	uint32_t suspended = 0;
	uint32_t unpromised = 0;
	for (uint32_t job = 0; job < pass->submitted; job++) {
		check_job(pass, job);
		suspended += pass->job_state[job] == SL_SUSPENDED;
		if (pass->job_state[job] == SL_RUNNING) {
			cpus_busy += cpus_of(pass, job);
			running++;
		} else if (is_waiting(pass, job)) {
			cpus_queued += cpus_of(pass, job);
			waiting++;
			unpromised += pass->promise && pass->promise[job] == SL_NONE;
		}
	}
	for (size_t i = pass->ending_next; i < pass->ending_count; i++)
		if (pass->ending[i].freed && is_running(pass, pass->ending[i].ev.row))
			cpus_busy -= cpus_of(pass, pass->ending[i].ev.row);
	check_room(pass, cpus_busy);
	SL_CHECK(running == pass->running && cpus_queued == pass->cpus_queued);
	if (pass->promise) {
		unpromised_sift(pass);
		SL_CHECK(unpromised == pass->unpromised_count);
	}
	check_running(pass, running, suspended);
	check_queue(pass, &pass->queue, waiting);
	if (pass->uses & SL_USE_FILL)
		check_queue(pass, &pass->fill, waiting);
	if (pass->lanes)
		check_lanes(pass);
}

static void mix_change(void *self, sl_time at, int64_t change)
{
	uint64_t *h = self;
	*h = mixed(mixed(*h, (uint64_t)at), (uint64_t)change);
}

/* Of all that sl_undo must bring back. The queue as a set: a new order by wait is no command. */
uint64_t check_digest(struct sl_pass *pass)
{
	uint64_t h = mixed(0, (uint64_t)pass->cluster.cpus_free);
	h = mixed(mixed(h, (uint64_t)pass->cluster.cpus_closed), (uint64_t)pass->cluster.cpus_owed);
	h = mixed(mixed(h, pass->window_count), (uint64_t)pass->cpus_queued);
	h = mixed(h, pass->running);
	h = mixed_heads(mixed(h, pass->head.job), pass);
	h = mixed(h, (uint64_t)pass->wake);
	for (uint32_t i = 0; i < pass->freed.count; i++)
		h = mixed(mixed(h, (uint64_t)pass->freed.at[i].from), (uint64_t)pass->freed.at[i].until);
	h = mixed(h, (uint64_t)pass->freed.early << 1 | pass->promises_broken);
	h = mixed(h, pass->queue.count);
	for (uint32_t job = 0; job < pass->submitted; job++) {
		h = mixed(h, (uint64_t)pass->job_state[job] << 32 | job);
		h = mixed(h, (uint64_t)pass->start[job]);
		h = mixed(h, (uint64_t)pass->end[job]);
		h = mixed(h, pass->eligible ? (uint64_t)pass->eligible[job] : 0);
		h = mixed(h, pass->promise ? (uint64_t)pass->promise[job] : 0);
		if (!pass->course)
			continue;
		const struct course *course = &pass->course[job];
		h = mixed(mixed(mixed(h, (uint64_t)course->due), (uint64_t)course->work),
			(uint64_t)course->kept);
		h = mixed(mixed(h, (uint64_t)course->since), (uint64_t)pass->estimate[job]);
		h = mixed(mixed(h, (uint64_t)course->load), (uint64_t)course->loading);
		h = mixed(mixed(h, course->rate), (uint64_t)course->finished << 1 | course->cut);
		h = mixed(mixed(h, (uint64_t)course->done), course->done_part);
		h = mixed(mixed(h, (uint64_t)course->done_kept), (uint64_t)course->done_lost);
		h = mixed(mixed(h, (uint64_t)course->suspended), (uint64_t)course->suspended_before);
		h = mixed(mixed(h, course->attempts), (uint64_t)course->next << 32 | course->before);
	}
	h = mixed(h, pass->nodes ? nodes_digest(pass->nodes) : pass->suspended);
	profile_each(&pass->profile, mix_change, &h);
	for (size_t i = 0; i < pass->ledger_count; i++)
		for (uint32_t row = 0; row < pass->ledger[i].rows; row++)
			h = mixed(h, (uint64_t)pass->ledger[i].amount[row]);
	return mixed(mixed(h, pass->digest), pass->reason_count);
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
		SL_CHECK(total == sl_wait_total_of(result, job)); /* Each second is somebody's. */
	}
}
