/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_owner.c - an owner does not wait while others hold what is his: on drawn worlds of departments,
 * projects and jobs of one GPU each, sessions follow one another until nothing changes; then no job waits
 * whose project and departments it leaves within their quotas, while a queue beside one of them is over its
 * own and has a job that may be preempted. (Run:AI, "quotas are guaranteed"; KAI, GuaranteeDeservedQuota.)
 *
 * And all along: no node gives out more than it has, nobody goes over a limit, jobs that may not be preempted
 * stay within quotas and run on; nothing is reclaimed from a queue within its quota (deserved), or, of two
 * departments, from one within its own; fair shares add up to what there is, or to the quotas that are asked.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/effort.h"
#include "tests/world/kai_small.h"

enum { PROJECTS = 6, DEPARTMENTS = 3, JOBS = 40, SESSIONS = 60, QUEUES = 2 * (PROJECTS + DEPARTMENTS) };

struct drawn {
	struct kai_small w;
	struct sl_rng rng;
	uint32_t leaf[PROJECTS], leaves, job[JOBS], jobs;
	bool runs_np[JOBS];
	uint64_t seed;
	int64_t live[QUEUES]; /* GPUs of queues as the session began. */
	uint32_t taken;       /* Jobs that were reclaimed. */
	uint32_t waiting;     /* Jobs that waited, but for candidates of other sorts. */
};

static uint32_t below(struct drawn *d, uint64_t n) { return (uint32_t)sl_rng_below(&d->rng, n); }

static void draw_queues(struct drawn *d)
{
	char name[32], above[32];
	const uint32_t departments = 1 + below(d, DEPARTMENTS);
	for (uint32_t i = 0; i < departments; i++) {
		(void)snprintf(name, sizeof(name), "d%u", i);
		(void)kai_small_queue(&d->w, name, NULL, 100 * (int64_t)below(d, 9), -1, below(d, 3));
	}
	d->leaves = 2 + below(d, PROJECTS - 1);
	for (uint32_t i = 0; i < d->leaves; i++) {
		(void)snprintf(name, sizeof(name), "p%u", i);
		(void)snprintf(above, sizeof(above), "d%u", below(d, departments));
		d->leaf[i] = kai_small_queue(&d->w, name, above, 100 * (int64_t)below(d, 6),
			below(d, 4) ? -1 : 100 * (int64_t)below(d, 9), below(d, 3));
		d->w.kai->queue[d->leaf[i]].priority = 100 + below(d, 2);
	}
}

static void draw(struct drawn *d)
{
	char name[32];
	d->rng = sl_rng_stream(d->seed, "tests/kai-owner");
	d->w = kai_small_open();
	for (uint32_t i = 0, nodes = 1 + below(d, 4); i < nodes; i++) {
		(void)snprintf(name, sizeof(name), "n%u", i);
		(void)kai_small_node(&d->w, name, 1 + below(d, 6));
	}
	draw_queues(d);
	kai_small_seal(&d->w);
}

static void submit(struct drawn *d)
{
	static const int64_t priority[] = { 50, 50, 50, 75, 100, 125 };
	char name[32];
	const uint32_t leaf = d->leaf[below(d, d->leaves)];
	(void)snprintf(name, sizeof(name), "j%u", d->jobs);
	const uint32_t job = kai_small_job(
		&d->w, name, d->w.kai->queue[leaf].name, priority[below(d, SL_LEN(priority))], 1, 1, 0);
	kai_small_enter(&d->w, job);
	d->job[d->jobs++] = job;
}

/* What the next session finds, as evicted pods stop at once. Something changed: true. */
/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static bool turn(struct drawn *d)
{
	struct kai *kai = d->w.kai;
	bool any = false;
	SL_CHECK(kai->queue_count <= QUEUES);
	for (uint32_t i = 0; i < kai->queue_count; i++)
		d->live[i] = kai->queue[i].allocated.at[KAI_GPUS];
	cr_assert_eq(kai_session(kai), 0, "seed %llu: %s", (unsigned long long)d->seed, kai->err.text);
	for (uint32_t i = 0; i < d->jobs; i++) {
		const uint32_t task = kai->job[d->job[i]].task;
		const struct kai_task *row = &kai->task[task];
		if (row->state == KAI_BINDING)
			kai_set_task(kai, task, KAI_RUNNING, (uint32_t)row->node, NULL);
		else if (row->state == KAI_RELEASING || row->state == KAI_PIPELINED)
			kai_set_task(kai, task, KAI_PENDING, KAI_NO, NULL);
		else
			continue;
		any = true;
	}
	return any;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_accounting(struct drawn *d)
{
	const struct kai *kai = d->w.kai;
	for (uint32_t i = 0; i < kai->node_count; i++)
		cr_assert(kai->node[i].idle.gpus >= 0 && kai->node[i].idle.gpus <= kai->node[i].gpus,
			"seed %llu: node %u has %lld GPUs idle", (unsigned long long)d->seed, i,
			(long long)kai->node[i].idle.gpus);
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		const struct kai_queue *queue = &kai->queue[i];
		cr_assert_leq(queue->allocated.at[KAI_GPUS], queue->limit.at[KAI_GPUS],
			"seed %llu: %s is over its limit", (unsigned long long)d->seed, queue->name);
		cr_assert_leq(queue->allocated_np.at[KAI_GPUS], queue->quota.at[KAI_GPUS],
			"seed %llu: %s is over its quota with what may not be preempted",
			(unsigned long long)d->seed, queue->name);
	}
	for (uint32_t i = 0; i < d->jobs; i++) {
		const struct kai_job *job = &kai->job[d->job[i]];
		const bool runs = kai->task[job->task].state == KAI_RUNNING;
		cr_assert(runs || !d->runs_np[i], "seed %llu: %s was preempted", (unsigned long long)d->seed,
			job->name);
		d->runs_np[i] = runs && !job->preemptible;
	}
}

static bool within_quota(const struct kai *kai, uint32_t queue)
{
	return kai->queue[queue].allocated.at[KAI_GPUS] + KAI_GPU <= kai->queue[queue].quota.at[KAI_GPUS];
}

/* The first ancestors of two leaves that differ. */
static void pair_of(const struct kai *kai, uint32_t own, uint32_t other, uint32_t *a, uint32_t *b)
{
	uint32_t up[2][KAI_DEPTH_MAX] = { { 0 } }, count[2] = { 0, 0 };
	for (; own != KAI_NO; own = kai->queue[own].parent)
		up[0][count[0]++] = own;
	for (; other != KAI_NO; other = kai->queue[other].parent)
		up[1][count[1]++] = other;
	do {
		*a = up[0][--count[0]];
		*b = up[1][--count[1]];
	} while (*a == *b && count[0] && count[1]);
}

/* What the session took and gave, one after another: jobs have one GPU, so that nobody is brought below. */
/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_taken(struct drawn *d)
{
	const struct kai *kai = d->w.kai;
	for (uint32_t i = 0; i < kai->effect_count; i++) {
		const struct kai_effect *effect = &kai->effect[i];
		const uint32_t leaf = kai->job[kai->task[effect->task].job].queue;
		if (effect->kind == KAI_EVICT && effect->action == KAI_RECLAIM && !effect->moved) {
			uint32_t a, b;
			pair_of(kai, kai->job[effect->cause].queue, leaf, &a, &b);
			const struct kai_queue *lost = &kai->queue[b];
			const int64_t deserved = lost->quota.at[KAI_GPUS] < lost->limit.at[KAI_GPUS]
							 ? lost->quota.at[KAI_GPUS]
							 : lost->limit.at[KAI_GPUS];
			cr_assert_gt(d->live[b], deserved, "seed %llu: %s is within its quota, and loses %s",
				(unsigned long long)d->seed, lost->name,
				kai->job[kai->task[effect->task].job].name);
			d->taken++;
		}
		for (uint32_t at = leaf; at != KAI_NO; at = kai->queue[at].parent)
			d->live[at] += effect->kind == KAI_EVICT ? -KAI_GPU : KAI_GPU;
	}
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Of siblings: at most what is theirs to divide, or what of their quotas they ask. */
/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_sums(const struct drawn *d)
{
	const struct kai *kai = d->w.kai;
	for (uint32_t above = 0; above <= kai->queue_count; above++) {
		const bool roots = above == kai->queue_count;
		int64_t fair = 0, asked = 0;
		for (uint32_t i = 0; i < kai->queue_count; i++) {
			const struct kai_queue *queue = &kai->queue[i];
			if (queue->parent != (roots ? KAI_NO : above))
				continue;
			fair += queue->fair.at[KAI_GPUS];
			asked += least(queue->quota.at[KAI_GPUS],
				least(queue->limit.at[KAI_GPUS], queue->request.at[KAI_GPUS]));
		}
		const int64_t all = roots ? kai->total.at[KAI_GPUS] : kai->queue[above].fair.at[KAI_GPUS];
		cr_assert_leq(fair, all > asked ? all : asked, "seed %llu: below %s %lld of %lld GPUs",
			(unsigned long long)d->seed, roots ? "the root" : kai->queue[above].name,
			(long long)(fair / KAI_GPU), (long long)(all / KAI_GPU));
	}
}

/* Candidates, and whether each is held over its queue's quota while the job's queue is within its own. */
static uint32_t count_prey(const struct drawn *d, const struct kai_job *job, bool *all)
{
	const struct kai *kai = d->w.kai;
	const struct kai_vec needs = kai_charge(kai, job->task);
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->jobs; i++) {
		const struct kai_job *other = &kai->job[d->job[i]];
		uint32_t a, b;
		if (other->queue == job->queue || !other->preemptible ||
			kai->task[other->task].state != KAI_RUNNING ||
			!kai_victim_leaf(kai, job->queue, &needs, other->queue))
			continue;
		pair_of(kai, job->queue, other->queue, &a, &b);
		if (within_quota(kai, a) &&
			kai->queue[b].allocated.at[KAI_GPUS] > kai->queue[b].quota.at[KAI_GPUS])
			count++;
		else
			*all = false;
	}
	return count;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_owner(struct drawn *d, const struct kai_job *job)
{
	const struct kai *kai = d->w.kai;
	bool all = true;
	for (uint32_t at = job->queue; at != KAI_NO; at = kai->queue[at].parent)
		if (!within_quota(kai, at) ||
			kai->queue[at].allocated.at[KAI_GPUS] + KAI_GPU > kai->queue[at].limit.at[KAI_GPUS])
			return;
	const uint32_t prey = count_prey(d, job, &all);
	d->waiting += prey > 0;
	cr_assert(!all || !prey, "seed %llu: %s of %s waits while others are over their quotas",
		(unsigned long long)d->seed, job->name, kai->queue[job->queue].name);
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static uint32_t run(uint64_t seed, uint32_t *taken)
{
	static struct drawn d; /* Large. */
	memset(&d, 0, sizeof(d));
	d.seed = seed;
	draw(&d);
	for (uint32_t batch = 0; batch < 5; batch++) {
		for (uint32_t i = 0, count = below(&d, JOBS / 5); i < count; i++)
			submit(&d);
		d.w.kai->now += 10 * SL_SECOND;
		uint32_t sessions = 0;
		while (turn(&d)) {
			check_accounting(&d);
			check_taken(&d);
			check_sums(&d);
			cr_assert_lt(sessions++, SESSIONS, "seed %llu: it never settles",
				(unsigned long long)seed);
		}
		for (uint32_t i = 0; i < d.jobs; i++)
			if (d.w.kai->task[d.w.kai->job[d.job[i]].task].state == KAI_PENDING)
				check_owner(&d, &d.w.kai->job[d.job[i]]);
	}
	kai_small_close(&d.w);
	*taken += d.taken;
	return d.waiting;
}

Test(kai_owner, waits_for_nothing_that_is_his, .timeout = 300)
{
	const char *only = getenv("SL_PROP_OWNER"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	const uint64_t worlds = effort_of(100, 1000, 5000);
	uint32_t taken = 0;
	int64_t seed;
	if (only && sl_get_i64(only, strlen(only), &seed)) {
		(void)run((uint64_t)seed, &taken);
		return;
	}
	uint32_t waiting = 0;
	for (uint64_t i = 1; i <= worlds; i++)
		waiting += run(i, &taken);
	cr_expect_gt(taken, worlds / 10, "%u jobs reclaimed", taken);
	cr_log_info("%u jobs waited behind other candidates", waiting);
}
