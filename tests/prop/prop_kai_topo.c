/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_topo.c - domains of topologies on generated worlds, against the definition written down as it
 * stands (KAI: plugins/topology): domains are prefixes of the labels of nodes, found anew for every question,
 * and sets of nodes are bits of a word.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { NODES = 10, LEVELS = 3, TASKS = 4, ASKED = 12, PATH = 16 };

struct instance {
	struct kai_small w;
	struct kai *kai;
	struct sl_rng rng;
	uint64_t seed;
	uint32_t levels;
	struct sl_label label[NODES][LEVELS];
	char path[NODES][PATH]; /* Its values, a letter a level; "": it lacks one. */
	/* One question. */
	uint32_t job, required, preferred, tasks;
	uint64_t offered;
};

static uint64_t runs(void) { return effort_of(200, 1500, 20000); }

static uint32_t below(struct instance *x, uint32_t bound) { return (uint32_t)sl_rng_below(&x->rng, bound); }

/* ---- A world ---- */

static void draw_node(struct instance *x, uint32_t i)
{
	static const char *const value[] = { "a", "b", "c" };
	static const char *const key[LEVELS] = { "l0", "l1", "l2" };
	char name[16];
	(void)snprintf(name, sizeof(name), "n%u", i);
	const uint32_t row = kai_small_node(&x->w, name, 8);
	const bool lacks = !below(x, 8);
	struct sl_labels *labels = &x->kai->node[row].labels;
	labels->at = x->label[i];
	for (uint32_t k = 0; k < x->levels; k++) {
		const char *text = value[below(x, 3)];
		x->label[i][k] = (struct sl_label){ key[k], text };
		x->path[i][k] = *text;
	}
	labels->count = x->levels - lacks;
	if (lacks)
		x->path[i][0] = '\0';
}

static void draw_free(struct instance *x)
{
	for (uint32_t i = 0; i < NODES; i++) {
		struct kai_node *node = &x->kai->node[i];
		node->idle = (struct kai_free){ .cpu = (int64_t)below(x, 6) * 1000,
			.mem = INT64_C(1) << 40,
			.pods = 1 + below(x, 4),
			.gpus = below(x, 5) };
		node->releasing = (struct kai_free){ .gpus = below(x, 2) };
		node->ready = below(x, 10) > 0;
		kai_node_changed(x->kai, i);
	}
}

static struct instance open_instance(uint64_t seed)
{
	static const char *const key[LEVELS] = { "l0", "l1", "l2" };
	struct instance x = {
		.w = kai_small_open(), .seed = seed, .rng = sl_rng_stream(seed, "tests/kai_topo")
	};
	x.kai = x.w.kai;
	x.levels = 1 + below(&x, LEVELS);
	const uint32_t net = kai_topology(x.kai, "net");
	for (uint32_t k = 0; k < x.levels; k++)
		x.kai->topology[net].level[k] = key[k];
	x.kai->topology[net].level_count = x.levels;
	return x;
}

/* Tasks of up to 2 GPUs; most jobs alike. */
static void draw_question(struct instance *x, uint32_t number)
{
	char name[16];
	(void)snprintf(name, sizeof(name), "j%u", number);
	const bool alike = below(x, 3) > 0;
	const int64_t gpus = below(x, 3);
	x->tasks = 1 + below(x, TASKS);
	x->job = kai_small_job(&x->w, name, "default", 50, x->tasks, gpus, 10);
	x->required = below(x, 3) ? below(x, x->levels) : KAI_NO;
	x->preferred = below(x, 2) ? below(x, x->levels) : KAI_NO;
	struct kai_group *root = &x->kai->job[x->job].group[0];
	root->topology = 0;
	root->required = x->required;
	root->preferred = x->preferred;
	for (uint32_t i = 0; i < x->tasks && !alike; i++) {
		const int64_t other = below(x, 3);
		const struct kai_request request = { .cpu = (int64_t)below(x, 3) * 1000,
			.mem = 1000,
			.kind = other ? KAI_WHOLE : KAI_NO_GPU,
			.gpus = other };
		x->kai->task[x->kai->job[x->job].task + i].request = kai_request(x->kai, &request);
	}
	x->offered = below(x, 3) ? (UINT64_C(1) << NODES) - 1 : below(x, 1U << NODES);
	if (!below(x, 4)) { /* One runs already. */
		struct kai_task *task = &x->kai->task[x->kai->job[x->job].task];
		task->state = KAI_RUNNING;
		task->node = below(x, NODES);
	}
}

/* ---- The definition ---- */

struct answer {
	uint64_t set[64];
	uint32_t count;
	double score[NODES];
};

static uint64_t within(const struct instance *x, const char *prefix)
{
	uint64_t nodes = 0;
	for (uint32_t i = 0; i < NODES; i++)
		if (x->path[i][0] && strncmp(x->path[i], prefix, strlen(prefix)) == 0)
			nodes |= UINT64_C(1) << i;
	return nodes;
}

static const struct kai_request *request_of(const struct instance *x, uint32_t i)
{
	return &x->kai->request[x->kai->task[x->kai->job[x->job].task + i].request];
}

static double greater(double a, double b) { return a > b ? a : b; }

/* All the set asks over all the domain has, of the scarcest. */
static double ratio_of(const struct instance *x, const char *prefix)
{
	const uint64_t nodes = within(x, prefix);
	double needs[3] = { 0 }, has[3] = { 0 }, ratio = 0;
	for (uint32_t i = 0; i < x->tasks; i++) {
		needs[0] += (double)request_of(x, i)->cpu;
		needs[1] += (double)request_of(x, i)->mem;
		needs[2] += (double)request_of(x, i)->gpus;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		const struct kai_node *node = &x->kai->node[i];
		if (!(nodes >> i & 1) || !node->ready)
			continue;
		has[0] += (double)node->idle.cpu;
		has[1] += (double)node->idle.mem;
		has[2] += (double)(node->idle.gpus + node->releasing.gpus);
	}
	for (int r = 0; r < 3; r++)
		if (needs[r] > 0)
			ratio = greater(ratio, has[r] > 0 ? needs[r] / has[r] : 1000);
	return ratio;
}

/* Pods of the greatest asking, one after another until the node is full. */
static int64_t fit(const struct instance *x, const struct kai_node *node)
{
	int64_t cpu = 0, gpus = 0, pods = 0;
	for (uint32_t i = 0; i < x->tasks; i++) {
		const struct kai_request *request = request_of(x, i);
		cpu = request->cpu > cpu ? request->cpu : cpu;
		gpus = request->gpus > gpus ? request->gpus : gpus;
	}
	while (pods < node->idle.pods && (pods + 1) * cpu <= node->idle.cpu &&
		(pods + 1) * gpus <= node->idle.gpus + node->releasing.gpus)
		pods++;
	return pods;
}

static bool holds(const struct instance *x, const char *prefix)
{
	const uint64_t nodes = within(x, prefix);
	uint32_t with_gpu = 0;
	int64_t pods = 0;
	for (uint32_t i = 0; i < x->tasks; i++)
		with_gpu += request_of(x, i)->gpus > 0;
	if (with_gpu != 0 && with_gpu != x->tasks)
		return ratio_of(x, prefix) <= 1;
	for (uint32_t i = 0; i < NODES; i++)
		if ((nodes >> i & 1) && x->kai->node[i].ready)
			pods += fit(x, &x->kai->node[i]);
	return pods >= x->tasks;
}

/* If a task runs, its domain of the required level is this one's. */
static bool pinned_here(const struct instance *x, const char *prefix)
{
	const struct kai_task *task = &x->kai->task[x->kai->job[x->job].task];
	if (task->state != KAI_RUNNING || x->required == KAI_NO)
		return true;
	const char *at = x->path[task->node];
	return *at && strncmp(at, prefix, x->required + 1) == 0;
}

/* The longest that all offered nodes share, not beyond what is preferred. False: none is offered. */
static bool start_of(const struct instance *x, char *prefix)
{
	const uint64_t offered = x->offered & within(x, "");
	uint32_t most = x->preferred != KAI_NO ? x->preferred + 1 : x->levels;
	uint32_t first = 0;
	while (first < NODES && !(offered >> first & 1))
		first++;
	if (first == NODES)
		return false;
	for (uint32_t i = first; i < NODES; i++)
		for (uint32_t k = 0; k < most; k++)
			if ((offered >> i & 1) && x->path[i][k] != x->path[first][k])
				most = k;
	(void)snprintf(prefix, PATH, "%.*s", (int)most, x->path[first]);
	return true;
}

/* Domains below a prefix, by ratio, then by value. */
static uint32_t children(const struct instance *x, const char *prefix, char child[3][PATH])
{
	uint32_t count = 0;
	for (const char *value = "abc"; *value; value++) {
		char name[PATH + 1];
		(void)snprintf(name, sizeof(name), "%s%c", prefix, *value);
		if (!within(x, name))
			continue;
		uint32_t at = count++;
		while (at > 0 && ratio_of(x, name) > ratio_of(x, child[at - 1])) {
			memcpy(child[at], child[at - 1], PATH);
			at--;
		}
		(void)snprintf(child[at], PATH, "%.*s", PATH - 1, name);
	}
	return count;
}

struct level {
	char name[27][PATH];
	uint32_t count;
};

static void score_all(const struct instance *x, const struct level *level, struct answer *answer)
{
	for (uint32_t i = 0; i < level->count; i++)
		for (uint32_t n = 0; n < NODES; n++)
			if (within(x, level->name[i]) >> n & 1)
				answer->score[n] = (double)(int)((double)(i + 1) / level->count * 10);
}

/* Depth by depth. top, deep: of candidates. */
static void search(const struct instance *x, uint32_t top, uint32_t deep, struct answer *answer)
{
	struct level level[LEVELS + 1] = { 0 };
	char start[PATH];
	if (!start_of(x, start) || !holds(x, start))
		return;
	const uint32_t depth = (uint32_t)strlen(start);
	memcpy(level[depth].name[level[depth].count++], start, PATH);
	for (uint32_t d = depth; d < deep; d++)
		for (uint32_t i = 0; i < level[d].count; i++) {
			char child[3][PATH];
			const uint32_t count = children(x, level[d].name[i], child);
			for (uint32_t k = 0; k < count; k++)
				memcpy(level[d + 1].name[level[d + 1].count++], child[k], PATH);
		}
	if (x->preferred != KAI_NO)
		score_all(x, &level[deep], answer);
	for (uint32_t d = deep + 1; d-- > top;)
		for (uint32_t i = 0; i < level[d].count; i++)
			if (holds(x, level[d].name[i]) && pinned_here(x, level[d].name[i]))
				answer->set[answer->count++] = within(x, level[d].name[i]) & x->offered;
}

static struct answer define(const struct instance *x)
{
	struct answer answer = { .count = 0 };
	if (x->required == KAI_NO && x->preferred == KAI_NO)
		return answer;
	const uint32_t top = x->required != KAI_NO ? x->required + 1 : 0;
	const uint32_t deep = x->preferred != KAI_NO ? x->preferred + 1 : top;
	if (deep >= top)
		search(x, top, deep, &answer);
	return answer;
}

/* ---- They agree ---- */

static bool same_sets(struct instance *x, const struct kai_domains *domains, const struct answer *want)
{
	bool same = domains->count == want->count;
	for (uint32_t i = 0; same && i < domains->count; i++)
		same = kai_topo_nodes(x->kai, domains, i)[0] == want->set[i];
	return same;
}

static bool same_scores(
	const struct instance *x, const struct kai_domains *domains, const struct answer *want)
{
	bool same = (domains->node_score != NULL) == (x->preferred != KAI_NO && domains->count > 0);
	for (uint32_t i = 0; same && domains->node_score && i < NODES; i++)
		same = domains->node_score[i] == want->score[i];
	return same;
}

static void compare(struct instance *x, uint32_t number, const struct answer *want)
{
	const unsigned long long seed = x->seed;
	uint32_t task[TASKS];
	struct kai_domains domains;
	for (uint32_t i = 0; i < x->tasks; i++)
		task[i] = x->kai->job[x->job].task + i;
	const struct kai_set set = { x->job, 0, task, x->tasks, &x->offered, false };
	const bool some = kai_topo_domains(x->kai, &set, &domains);
	const bool sets = some == (want->count > 0) && same_sets(x, &domains, want);
	const bool scores = same_scores(x, &domains, want);
	cr_assert(sets, "seed %llu question %u: %u domains, by definition %u, or others", seed, number,
		domains.count, want->count);
	cr_assert(scores, "seed %llu question %u: scores", seed, number);
	kai_domains_free(x->kai, &domains);
}

Test(prop_kai_topo, domains_are_prefixes)
{
	uint64_t found = 0;
	for (uint64_t seed = 0; seed < runs(); seed++) {
		struct instance x = open_instance(seed);
		for (uint32_t i = 0; i < NODES; i++)
			draw_node(&x, i);
		kai_small_seal(&x.w);
		for (uint32_t i = 0; i < ASKED; i++) {
			draw_free(&x);
			draw_question(&x, i);
			const struct answer want = define(&x);
			found += want.count > 1;
			compare(&x, i, &want);
		}
		kai_small_close(&x.w);
	}
	cr_expect_gt(
		found, runs(), "too few questions have several answers: %llu", (unsigned long long)found);
}
