/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_place.c - generated worlds of KAI: tasks start, are to start, are evicted and put back, under
 * marks that are undone. After each step the books of all nodes are what their tasks make them by definition,
 * and every waiting task's best node is the one of the highest sum of KAI's scores, written down as they
 * stand (plugins nodeplacement, gpusharingorder, nodeavailability, resourcetype), in doubles.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { NODES = 4, JOBS = 9, STEPS = 60, ROWS = 64 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint64_t seed;
	uint32_t task[JOBS];
};

static uint64_t runs(void) { return effort_of(50, 400, 5000); }

static int64_t below(struct instance *f, int64_t bound)
{
	return (int64_t)sl_rng_below(&f->rng, (uint64_t)bound);
}

static struct instance instance_open(uint64_t seed)
{
	static const char *const node[NODES] = { "n2", "n0", "n3", "n1" };
	static const int64_t hundredths[] = { 20, 25, 30, 50, 60, 70, 29 }, mib[] = { 30, 55, 100, 150, 200 };
	struct instance f = { .w = kai_small_open(), .seed = seed };
	f.kai = f.w.kai;
	f.rng = sl_rng_stream(seed, "tests/kai_place");
	(void)kai_small_queue(&f.w, "q", NULL, -1, -1, 1);
	for (int i = 0; i < NODES; i++) {
		const uint32_t made = kai_small_node(&f.w, node[i], below(&f, 5));
		struct kai_node *row = &f.kai->node[made];
		row->gpu_mem = below(&f, 3) ? 100 : 200;
		row->cpu = 2000 + below(&f, 5) * 1000;
		row->pods = 3 + below(&f, 8);
	}
	kai_small_seal(&f.w);
	for (int i = 0; i < JOBS; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "j%d", i);
		const uint32_t job = kai_small_job(&f.w, name, "q", 50, 1, below(&f, 3), 10);
		const int64_t kind = below(&f, 3);
		if (kind == 1)
			kai_small_fraction(&f.w, job, hundredths[below(&f, 7)], 1 + below(&f, 2));
		else if (kind == 2)
			kai_small_memory(&f.w, job, mib[below(&f, 5)], 1);
		kai_small_enter(&f.w, job);
		f.task[i] = f.kai->job[job].task;
	}
	f.kai->config.gpu_placement = below(&f, 2) ? KAI_BINPACK : KAI_SPREAD;
	f.kai->config.cpu_placement = below(&f, 2) ? KAI_BINPACK : KAI_SPREAD;
	f.kai->config.gpu_order = below(&f, 2) ? KAI_BINPACK : KAI_SPREAD;
	return f;
}

/* ---- Books, by definition ---- */

struct device {
	int64_t members, staying, pipelined, held, leaving, coming; /* Tasks, and their memory. */
};
struct count {
	struct kai_free idle, releasing;
	struct device device[ROWS];
};

static const struct kai_request *needs_of(const struct instance *f, uint32_t task)
{
	return &f->kai->request[f->kai->task[task].request];
}

static bool shares(const struct kai_request *needs)
{
	return needs->kind == KAI_FRACTION || needs->kind == KAI_MEMORY;
}

static void count_task(const struct instance *f, struct count *count, uint32_t task, int64_t node,
	enum kai_state state, const int64_t *shared)
{
	const struct kai_request *needs = needs_of(f, task);
	const struct kai_free what = { needs->cpu, needs->mem, 1,
		needs->kind == KAI_WHOLE ? needs->gpus : 0 };
	struct kai_free *from[2] = { state == KAI_PIPELINED ? &count->releasing : &count->idle,
		state == KAI_RELEASING ? &count->releasing : NULL };
	for (int i = 0; i < 2 && from[i]; i++) {
		const int64_t sign = i ? 1 : -1;
		from[i]->cpu += sign * what.cpu;
		from[i]->mem += sign * what.mem;
		from[i]->pods += sign;
		from[i]->gpus += sign * what.gpus;
	}
	for (int64_t i = 0; shares(needs) && i < needs->gpus; i++) {
		struct device *device = &count->device[shared[i]];
		const int64_t mem = kai_share_mem(&f->kai->node[node], needs);
		device->members += state != KAI_PIPELINED;
		device->held += state != KAI_PIPELINED ? mem : 0;
		device->staying += state != KAI_PIPELINED && state != KAI_RELEASING;
		device->leaving += state == KAI_RELEASING ? mem : 0;
		device->pipelined += state == KAI_PIPELINED;
		device->coming += state == KAI_PIPELINED ? mem : 0;
	}
}

static struct count count_node(const struct instance *f, uint32_t node)
{
	const struct kai_node *row = &f->kai->node[node];
	struct count count = { .idle = { row->cpu, row->mem, row->pods, row->gpus } };
	for (int i = 0; i < JOBS; i++) {
		const struct kai_task *task = &f->kai->task[f->task[i]];
		if (task->node == node)
			count_task(f, &count, f->task[i], node, (enum kai_state)task->state, task->shared);
		if (task->from == node)
			count_task(f, &count, f->task[i], node, KAI_RELEASING, task->from_shared);
		if (task->kept == node)
			count_task(f, &count, f->task[i], node, KAI_RELEASING, task->kept_shared);
	}
	for (int i = 0; i < ROWS; i++) {
		const struct device *device = &count.device[i];
		count.idle.gpus -= device->members > 0;
		count.releasing.gpus += device->members > 0 && device->staying == 0;
		count.releasing.gpus -= device->pipelined > 0 && device->staying == 0;
	}
	return count;
}

static void check_accounting(const struct instance *f, int step)
{
	for (uint32_t i = 0; i < NODES; i++) {
		const struct kai_node *node = &f->kai->node[i];
		const struct count want = count_node(f, i);
		cr_assert(memcmp(&node->idle, &want.idle, sizeof(want.idle)) == 0 &&
				  memcmp(&node->releasing, &want.releasing, sizeof(want.releasing)) == 0,
			"seed %llu step %d node %u: %lld idle %lld releasing, by definition %lld and %lld",
			(unsigned long long)f->seed, step, i, (long long)node->idle.gpus,
			(long long)node->releasing.gpus, (long long)want.idle.gpus,
			(long long)want.releasing.gpus);
		for (uint32_t k = 0; k < node->shared_count; k++)
			cr_assert(node->shared[k].allocated == want.device[k].held &&
				  node->shared[k].releasing == want.device[k].leaving &&
				  node->shared[k].pipelined == want.device[k].coming);
	}
}

/* ---- Scores, as KAI writes them ---- */

static int64_t hosts(const struct kai_node *node, int64_t need)
{
	int64_t hosts = 0;
	for (uint32_t i = 0; i < node->shared_count; i++) {
		const struct kai_shared *gpu = &node->shared[i];
		const int64_t net = gpu->releasing - gpu->pipelined;
		hosts += gpu->allocated + gpu->pipelined > 0 &&
			 node->gpu_mem - gpu->allocated + net - need >= 0 && gpu->allocated != net;
	}
	return hosts;
}

static bool covers(const struct instance *f, uint32_t task, const struct kai_node *node, struct kai_free free)
{
	const struct kai_request *needs = needs_of(f, task);
	if (needs->cpu > free.cpu || needs->mem > free.mem || free.pods < 1)
		return false;
	if (needs->kind == KAI_WHOLE)
		return needs->gpus <= free.gpus;
	if (!shares(needs))
		return true;
	if (needs->kind == KAI_MEMORY && needs->gpu_mem > node->gpu_mem)
		return false;
	return free.gpus + hosts(node, kai_share_mem(node, needs)) >= needs->gpus;
}

static struct kai_free all_free(const struct kai_node *node)
{
	return (struct kai_free){ node->idle.cpu + node->releasing.cpu, node->idle.mem + node->releasing.mem,
		node->idle.pods + node->releasing.pods, node->idle.gpus + node->releasing.gpus };
}

static double pack(const struct instance *f, const struct kai_node *at, bool gpu)
{
	double least = HUGE_VAL, most = 0;
	for (uint32_t i = 0; i < NODES; i++) {
		const struct kai_node *node = &f->kai->node[i];
		const struct kai_free free = all_free(node);
		const double have = (double)(gpu ? free.gpus : free.cpu);
		if ((gpu ? node->gpus : node->cpu) == 0)
			continue;
		least = fmin(least, have);
		most = fmax(most, have);
	}
	const struct kai_free free = all_free(at);
	if ((gpu ? at->gpus : at->cpu) == 0 || most == 0)
		return 0;
	return least == most ? 9 : 9 * (1 - ((double)(gpu ? free.gpus : free.cpu) - least) / (most - least));
}

static double spread(const struct kai_node *at, bool gpu)
{
	const struct kai_free free = all_free(at);
	if ((gpu ? at->gpus : at->cpu) == 0)
		return 0;
	if (!gpu)
		return (double)free.cpu / (double)at->cpu;
	double sum = (double)free.gpus;
	for (uint32_t i = 0; i < at->shared_count; i++) {
		const struct kai_shared *one = &at->shared[i];
		const int64_t net = one->releasing - one->pipelined;
		const double device = (double)at->gpu_mem;
		if (one->allocated > 0)
			sum += 1 - ceil((double)one->allocated / device * 100) / 100;
		if (net > 0 && net != one->allocated + one->pipelined)
			sum += ceil((double)net / device * 100) / 100;
	}
	return sum / (double)at->gpus;
}

static double score(const struct instance *f, uint32_t task, const struct kai_node *node)
{
	const struct kai_request *needs = needs_of(f, task);
	const bool gpu = needs->kind != KAI_NO_GPU;
	const struct kai_config *config = &f->kai->config;
	double sum = 0;
	if (needs->kind != KAI_WHOLE && hosts(node, shares(needs) ? kai_share_mem(node, needs) : 0) > 0)
		sum += 10000;
	if (covers(f, task, node, node->idle))
		sum += 1000;
	if (!gpu && node->gpus == 0)
		sum += 10;
	const enum kai_placement placement = gpu ? config->gpu_placement : config->cpu_placement;
	return sum + (placement == KAI_BINPACK ? pack(f, node, gpu) : spread(node, gpu));
}

/* With a slot to spare: what reserves devices is a clause of its own (tests/unit/runai/test_kai_place.c). */
static uint32_t best(const struct instance *f, uint32_t task, bool *tight)
{
	uint32_t found = KAI_NO;
	double most = 0;
	*tight = false;
	for (uint32_t at = 0; at < NODES; at++) {
		const uint32_t row = f->kai->node_by_name[at];
		const struct kai_node *node = &f->kai->node[row];
		*tight |= all_free(node).pods < 2;
		if (!covers(f, task, node, all_free(node)))
			continue;
		const double sum = score(f, task, node);
		if (found == KAI_NO || sum > most + 1e-9) {
			found = row;
			most = sum;
		}
	}
	return found;
}

static void check_spots(struct instance *f, int step)
{
	for (int i = 0; i < JOBS; i++) {
		if (f->kai->task[f->task[i]].state != KAI_PENDING)
			continue;
		struct kai_spot spot;
		bool tight;
		const uint32_t want = best(f, f->task[i], &tight);
		(void)kai_best_spot(f->kai, f->task[i], NULL, NULL, &spot);
		if (tight && shares(needs_of(f, f->task[i])))
			continue;
		cr_assert_eq(spot.node, want, "seed %llu step %d task %d: node %d, by definition %d",
			(unsigned long long)f->seed, step, i, (int)spot.node, (int)want);
	}
}

/* ---- Steps ---- */

static void place(struct instance *f, uint32_t task, bool later)
{
	struct kai_spot spot;
	if (!kai_best_spot(f->kai, task, NULL, NULL, &spot))
		return;
	const uint32_t *shared = shares(needs_of(f, task)) ? spot.shared : NULL;
	if (spot.now && !later)
		kai_allocate_task(f->kai, task, spot.node, shared);
	else
		kai_pipeline_task(f->kai, task, spot.node, shared);
}

/* Runs on, if it comes out where it was. */
static void put_back(struct instance *f, uint32_t task)
{
	struct kai_spot spot;
	const struct kai_task *row = &f->kai->task[task];
	if (!kai_best_spot(f->kai, task, NULL, NULL, &spot) || spot.node != row->node)
		return;
	for (int64_t i = 0; shares(needs_of(f, task)) && i < needs_of(f, task)->gpus; i++)
		if (spot.shared[i] != row->shared[i])
			return;
	kai_unevict_task(f->kai, task);
}

static void move(struct instance *f)
{
	const uint32_t task = f->task[below(f, JOBS)];
	const int64_t dice = below(f, 3);
	switch (f->kai->task[task].state) {
	case KAI_PENDING:
		place(f, task, dice == 0);
		break;
	case KAI_RELEASING:
		if (dice == 0)
			put_back(f, task);
		else if (dice == 1)
			place(f, task, true);
		else
			kai_set_task(f->kai, task, KAI_PENDING, KAI_NO, NULL);
		break;
	default:
		kai_evict_task(f->kai, task);
		break;
	}
}

static void several(struct instance *f)
{
	const kai_marked mark = kai_mark(f->kai);
	for (int64_t i = 1 + below(f, 5); i > 0; i--)
		move(f);
	if (below(f, 2))
		kai_undo(f->kai, mark);
	else
		kai_keep(f->kai, mark);
}

Test(kai_place, accounting_and_scores)
{
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		struct instance f = instance_open(seed);
		for (int step = 0; step < STEPS; step++) {
			if (below(&f, 3))
				move(&f);
			else
				several(&f);
			check_accounting(&f, step);
			check_spots(&f, step);
		}
		const struct kai_vec held = f.kai->queue[1].allocated;
		const struct kai_free was = f.kai->node[0].idle;
		kai_small_seal(&f.w);
		check_accounting(&f, STEPS);
		cr_assert(memcmp(&held, &f.kai->queue[1].allocated, sizeof(held)) == 0);
		cr_assert(memcmp(&was, &f.kai->node[0].idle, sizeof(was)) == 0);
		kai_small_close(&f.w);
	}
}
