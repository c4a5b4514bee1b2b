/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_place.c - what a start costs under Slurm's node selection, on clusters of a thousand and of many
 * thousand nodes of 8 GPUs. Jobs of one task that ask 1, 2, 4 or 8 of them, and of two whole nodes, fill the
 * cluster; then, job by job, one ends and one is tried. For each cluster a line: nodes, us per start while it
 * fills, us per try when it is full. CPU time.
 */
#include "tests/world/select_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KINDS = 5, BUSY_ENOUGH = 50, TRIES = 20000 };

static double cpu_seconds(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Knuth's MMIX generator: the same jobs everywhere. */
static uint32_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(*state >> 33);
}

static void make_asks(struct sl_job_desc *desc)
{
	static const char *const gpus[] = { "gpu:1", "gpu:2", "gpu:4", "gpu:8", "gpu:8" };
	for (int64_t i = 0; i < KINDS; i++) {
		sl_job_desc_clear(&desc[i]);
		desc[i].mem_per_node = 1000;
		desc[i].tasks = i == KINDS - 1 ? 2 : 1;
		desc[i].cpus_per_task = i == KINDS - 1 ? 1 : INT64_C(1) << i;
		desc[i].gres = gpus[i];
	}
	desc[KINDS - 1].nodes_min = desc[KINDS - 1].nodes_max = 2;
}

struct filled {
	struct select_world *world;
	struct sl_job_desc desc[KINDS];
	struct select_alloc **held;
	uint64_t state;
	uint32_t count;
};

static bool try_one(struct filled *f)
{
	const struct select_job job = { .desc = &f->desc[draw(&f->state) % KINDS] };
	const struct select_alloc *out;
	if (select_place(f->world->select, &job, NULL, SELECT_NOW, &out) != SELECT_FITS)
		return false;
	f->held[f->count++] = select_take(f->world->select, out);
	return true;
}

static double fill(struct filled *f)
{
	const double from = cpu_seconds();
	for (uint32_t busy = 0; busy < BUSY_ENOUGH;)
		busy += !try_one(f);
	return (cpu_seconds() - from) * 1e6 / f->count;
}

static double churn(struct filled *f)
{
	const double from = cpu_seconds();
	for (uint32_t i = 0; i < TRIES; i++) {
		const uint32_t victim = draw(&f->state) % f->count;
		select_give(f->world->select, f->held[victim]);
		f->held[victim] = f->held[--f->count];
		(void)try_one(f);
	}
	return (cpu_seconds() - from) * 1e6 / TRIES;
}

static int measure(struct filled *f, uint32_t nodes)
{
	sw_begin(f->world);
	(void)sw_nodes(f->world, nodes, 2, 32, 1, 1000000);
	sw_gres(f->world, "gpu", NULL, 4, 0, 31);
	sw_gres(f->world, "gpu", NULL, 4, 32, 63);
	sw_ready(f->world);
	make_asks(f->desc);
	const double filling = fill(f);
	const double full = churn(f);
	printf("%u %.2f %.2f\n", nodes, filling, full);
	sw_end(f->world);
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc && !status; i++) {
		const uint32_t nodes = (uint32_t)strtoul(argv[i], NULL, 10);
		struct filled f = { .world = calloc(1, sizeof(*f.world)), .state = 12345 };
		f.held = calloc((size_t)nodes * 8 + TRIES, sizeof(struct select_alloc *));
		status = f.world && f.held && nodes ? measure(&f, nodes) : 2;
		free(f.held);
		free(f.world);
	}
	return status;
}
