/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_many.c - how long it takes to place one task, of many requests that take turns, by a score that costs
 * something: usage: bench-many [NODES [TASKS [REQUESTS [index|name|random]]]].
 *
 * Tasks ask cpus, memory and sometimes GPUs, the first requests most often, and start one after another until
 * the nodes are full: each start makes one class of nodes, and nothing ends. What the scores cost by
 * themselves is measured too, and taken off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/nodes/nodes.h"

enum { SCORE_ROUNDS = 120 };

struct costly {
	uint64_t calls;
	volatile uint64_t sink; /* So that it is computed. */
};

/* So many multiplications, each waiting for the one before, take 100 to 200 ns; what is left over decides. */
static int64_t score(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	struct costly *costly = state;
	uint64_t h = (uint64_t) class->free[SL_KIND_CPUS];
	for (unsigned i = 0; i < SCORE_ROUNDS; i++)
		h = h * UINT64_C(6364136223846793005) + (uint64_t)group->task.cpus;
	costly->calls++;
	costly->sink = h;
	return class->free[SL_KIND_GPUS] * 1024 + class->free[SL_KIND_CPUS] - group->task.cpus * tasks;
}

static const struct sl_node_scorer costly_scorer = {
	.abi = SL_ABI_OF(struct sl_node_scorer), .name = "costly", .score = score
};

static double seconds(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct bench {
	uint32_t nodes, tasks, requests;
	enum sl_ties ties;
	struct sl_cluster cluster;
	struct sl_node_type type[3];
	uint32_t *node_type;
	const char **node_name;
	char (*name)[16];
	struct sl_group *group;
	struct sl_request *request;
	uint32_t *asks; /* By task. */
};

static void *or_die(void *made)
{
	if (!made) {
		(void)fputs("out of memory\n", stderr);
		exit(6); /* NOLINT(concurrency-mt-unsafe): there is one thread. */
	}
	return made;
}

static void make(struct bench *b)
{
	static const int64_t amounts[3][3] = { { 96000, 393216, 0 }, { 96000, 786432, 8000 },
		{ 128000, 786432, 4000 } };
	struct sl_rng rng = sl_rng_stream(1, "bench/many");
	b->node_type = or_die(calloc(b->nodes, sizeof(*b->node_type)));
	b->node_name = or_die(calloc(b->nodes, sizeof(*b->node_name)));
	b->name = or_die(calloc(b->nodes, sizeof(*b->name)));
	b->group = or_die(calloc(b->requests, sizeof(*b->group)));
	b->request = or_die(calloc(b->requests, sizeof(*b->request)));
	b->asks = or_die(calloc(b->tasks, sizeof(*b->asks)));
	for (uint32_t i = 0; i < 3; i++)
		memcpy(b->type[i].amount, amounts[i], sizeof(amounts[i]));
	for (uint32_t i = 0; i < b->nodes; i++) {
		b->node_type[i] = (uint32_t)sl_rng_below(&rng, 3);
		(void)snprintf(b->name[i], sizeof(b->name[i]), "n%u", i);
		b->node_name[i] = b->name[i];
	}
	for (uint32_t i = 0; i < b->requests; i++) {
		struct sl_task_resources task = { .cpus = 500 + 500 * (int64_t)sl_rng_below(&rng, 32),
			.mem = 512 + 512 * (int64_t)sl_rng_below(&rng, 128),
			.gpus = sl_rng_below(&rng, 2) ? 250 * (1 + (int64_t)sl_rng_below(&rng, 8)) : 0 };
		b->group[i] = (struct sl_group){ .task = task, .tasks = 1 };
		b->request[i] = (struct sl_request){ .group = &b->group[i], .group_count = 1 };
	}
	for (uint32_t i = 0; i < b->tasks;
		i++) /* Squared: the first request takes 1 / sqrt(requests) of them. */
	{
		const uint64_t u = sl_rng_below(&rng, b->requests);
		b->asks[i] = (uint32_t)(u * sl_rng_below(&rng, b->requests) / b->requests);
	}
	b->cluster = (struct sl_cluster){ .node_count = b->nodes,
		.type_count = 3,
		.kind_count = 3,
		.node_type = b->node_type,
		.node_name = b->node_name,
		.type = b->type };
}

/* Nanoseconds of one score. */
static double score_costs(const struct bench *b)
{
	enum { TIMES = 1000000 };
	struct costly costly = { 0 };
	const struct sl_node_class class = { .cluster = &b->cluster, .free = b->type[1].amount };
	const double begin = seconds();
	for (uint32_t i = 0; i < TIMES; i++)
		(void)costly_scorer.score(&costly, &class, &b->group[i % b->requests], 1);
	return (seconds() - begin) / TIMES * 1e9;
}

static int run(const struct bench *b)
{
	struct costly costly = { 0 };
	struct sl_err err = { 0 };
	struct nodes *nodes;
	const struct scorer scorer = { .rule = &costly_scorer, .state = &costly, .ties = b->ties, .seed = 1 };
	if (nodes_new(&nodes, &b->cluster, b->request, b->requests, b->tasks, &scorer, &err))
		return 6;
	nodes_clock(nodes, 0);
	uint32_t placed = 0;
	const double begin = seconds();
	for (uint32_t i = 0; i < b->tasks; i++)
		placed += nodes_start(nodes, i, b->asks[i], SL_NEVER);
	const double took = seconds() - begin;
	const double each = score_costs(b);
	const double own = took - (double)costly.calls * each * 1e-9;
	printf("%u of %u tasks of %u requests on %u nodes: %.3f s, %.2f us a placement; %llu scores of %.0f ns; "
	       "beside these %.2f us a placement\n",
		placed, b->tasks, b->requests, b->nodes, took, took / b->tasks * 1e6,
		(unsigned long long)costly.calls, each, own / b->tasks * 1e6);
	nodes_free(nodes);
	return 0;
}

static uint32_t number(int count, char **word, int at, uint32_t fallback)
{
	int64_t value;
	if (at >= count || !sl_get_i64(word[at], strlen(word[at]), &value) || value < 1 || value > INT32_MAX)
		return fallback;
	return (uint32_t)value;
}

int main(int count, char **word)
{
	struct bench b = { .nodes = number(count, word, 1, 1213),
		.tasks = number(count, word, 2, 10600),
		.requests = number(count, word, 3, 300) };
	const char *ties = count > 4 ? word[4] : "index";
	b.ties = strcmp(ties, "name") == 0     ? SL_TIES_NAME
		 : strcmp(ties, "random") == 0 ? SL_TIES_RANDOM
					       : SL_TIES_INDEX;
	make(&b);
	const int status = run(&b);
	free(b.node_type);
	free(b.node_name);
	free(b.name);
	free(b.group);
	free(b.request);
	free(b.asks);
	return status;
}
