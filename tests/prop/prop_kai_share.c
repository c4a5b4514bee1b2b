/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_kai_share.c - fair shares of drawn siblings: the quota first, all of the total, nobody far above what
 * it wants, the same in whatever order queues were made; and the same as with fractions, by the rules read
 * slowly. What queues request stays what counting anew finds, whatever becomes of tasks.
 *
 * Where a slice is a whole number, or two rests are equal without being of equal weights, the last bit of a
 * real number decides (KAI's too): such draws are not compared with the fractions.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { DRAWS = 20000, QUEUES = 7, TENTHS = 10, HALVES = 2 };

static uint64_t draw_state;

static uint32_t draw(uint32_t below)
{
	draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(draw_state >> 33) % below;
}

static int64_t pick(uint32_t below) { return draw(below); }

/* Amounts in tenths; usage in tenths of the cluster; k in halves. limit, quota -1: unlimited. */
struct drawn {
	int64_t priority, created, quota, limit, weight, usage, request;
	int64_t want, fair, share;
	int64_t rest, rest_of; /* rest / rest_of tenths */
	char name[2];
};

struct siblings {
	struct drawn queue[QUEUES];
	uint32_t count;
	int64_t total, k;
	bool by_group, boundary;
};

static void draw_siblings(struct siblings *s, uint64_t seed)
{
	draw_state = seed;
	*s = (struct siblings){ 0 };
	s->count = 1 + draw(QUEUES);
	s->total = pick(30) * TENTHS;
	s->total += pick(4) ? 0 : pick(TENTHS);
	s->k = pick(4);
	s->by_group = draw(2);
	const bool used = draw(2);
	for (uint32_t i = 0; i < s->count; i++) {
		struct drawn *q = &s->queue[i];
		q->priority = 1 + pick(2);
		q->created = pick(3);
		q->quota = pick(8) ? pick(5) * TENTHS : pick(2) ? 15 : -1;
		q->limit = pick(4) ? -1 : (1 + pick(8)) * TENTHS;
		q->weight = pick(5);
		q->usage = used ? pick(8) : 0;
		q->request = pick(3) ? pick(12) * TENTHS : pick(120);
		q->want = q->limit < 0 || q->request < q->limit ? q->request : q->limit;
		q->name[0] = (char)('a' + i);
	}
}

/* ---- The rules, slowly ---- */

static bool done(const struct drawn *q)
{
	return q->request <= q->fair || (q->limit >= 0 && q->limit <= q->fair);
}

/* Shares of a round as whole numbers; what they add up to. */
static int64_t weigh_slowly(struct siblings *s, int64_t priority)
{
	int64_t weights = 0, sum = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->queue[i].priority == priority && s->queue[i].want > s->queue[i].fair)
			weights += s->queue[i].weight;
	for (uint32_t i = 0; i < s->count; i++) {
		struct drawn *q = &s->queue[i];
		q->share = 0;
		if (q->priority != priority || !weights || done(q))
			continue;
		/* (w/W + k (w/W - u)) W, times 20. */
		q->share = q->weight * (HALVES + s->k) * TENTHS - s->k * q->usage * weights;
		if (q->share < 0)
			q->share = 0;
		if (q->share == 0 && q->weight && s->k && q->usage)
			s->boundary = true;
		sum += q->share;
	}
	return sum;
}

static int64_t group_slowly(struct siblings *s, int64_t priority, int64_t left)
{
	for (bool retry = true; retry && left > 0;) {
		const int64_t pool = left, sum = weigh_slowly(s, priority);
		retry = false;
		if (!sum)
			break;
		for (uint32_t i = 0; i < s->count; i++) {
			struct drawn *q = &s->queue[i];
			if (q->priority != priority || done(q) || !q->weight)
				continue;
			const int64_t asked = q->want - q->fair, due = pool * q->share; /* due / sum tenths */
			s->boundary |=
				asked * sum == due || (asked * sum > due && due && due % (sum * TENTHS) == 0);
			if (asked * sum <= due) {
				retry |= asked && asked * sum < due;
				q->fair += asked;
				left -= asked;
				q->rest = 0;
				continue;
			}
			const int64_t whole = due / (sum * TENTHS) * TENTHS;
			q->fair += whole;
			left -= whole;
			if (due > whole * sum) {
				q->rest = due - whole * sum;
				q->rest_of = sum;
			}
		}
	}
	return left;
}

/* Is a's rest handed out before b's? */
static bool rest_first(struct siblings *s, const struct drawn *a, const struct drawn *b)
{
	const int64_t left = a->rest * b->rest_of, right = b->rest * a->rest_of;
	if (left != right)
		return left > right;
	s->boundary |= a->weight != b->weight || a->usage != b->usage || a->rest_of != b->rest_of;
	if (a->created != b->created)
		return a->created < b->created;
	return a->name[0] < b->name[0];
}

static int64_t rests_slowly(struct siblings *s, int64_t priority, int64_t left)
{
	for (;;) {
		struct drawn *best = NULL;
		for (uint32_t i = 0; i < s->count; i++) {
			struct drawn *q = &s->queue[i];
			if (q->priority == priority && q->rest && (!best || rest_first(s, q, best)))
				best = q;
		}
		if (!best || left <= 0)
			return left;
		const int64_t unit = left < TENTHS ? left : TENTHS;
		best->fair += unit;
		best->rest = 0;
		left -= unit;
	}
}

static int64_t divide_slowly(struct siblings *s)
{
	int64_t left = s->total;
	for (uint32_t i = 0; i < s->count; i++) {
		struct drawn *q = &s->queue[i];
		const int64_t quota = q->quota < 0 ? s->total : q->quota;
		q->fair = quota < q->want ? quota : q->want;
		left -= q->fair;
	}
	if (left <= 0)
		return 0;
	for (int64_t priority = 2; priority > 0; priority--) {
		left = group_slowly(s, priority, left);
		if (s->by_group)
			left = rests_slowly(s, priority, left);
	}
	for (int64_t priority = 2; priority > 0 && !s->by_group; priority--)
		left = rests_slowly(s, priority, left);
	return left;
}

/* ---- The same, by the core ---- */

static double tenths(int64_t amount) { return amount < 0 ? HUGE_VAL : (double)amount / TENTHS; }

static int compare(const void *a, const void *b) { return kai_compare_claims(a, b); }

static double divide(const struct siblings *s, struct kai_claim *claim)
{
	uint32_t capacity[QUEUES];
	for (uint32_t i = 0; i < s->count; i++) {
		const struct drawn *q = &s->queue[i];
		claim[i] = (struct kai_claim){ .name = q->name,
			.priority = q->priority,
			.created = q->created,
			.quota = tenths(q->quota),
			.limit = tenths(q->limit),
			.weight = (double)q->weight,
			.usage = tenths(q->usage),
			.request = tenths(q->request),
			.row = i };
	}
	qsort(claim, s->count, sizeof(*claim), compare);
	const struct kai_division how = { .k = (double)s->k / HALVES, .remainders_by_group = s->by_group };
	return kai_divide(claim, s->count, tenths(s->total), &how, capacity);
}

static bool similar(double a, double b) { return fabs(a - b) < 1e-9; }

/* NULL, or what is wrong with a share. */
static const char *wrong(const struct siblings *s, const struct kai_claim *claim, double quota)
{
	const struct drawn *q = &s->queue[claim->row];
	if (claim->fair < quota - 1e-9)
		return "less than its quota";
	if (!q->weight && !similar(claim->fair, quota))
		return "a surplus without a weight";
	return claim->fair < tenths(q->want) + 1 ? NULL : "far more than it wants";
}

static void check_bounds(const struct siblings *s, const struct kai_claim *claim, double left, uint32_t seed)
{
	const double total = tenths(s->total);
	double given = 0, promised = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct drawn *q = &s->queue[claim[i].row];
		const double quota = fmin(q->quota < 0 ? total : tenths(q->quota), tenths(q->want));
		const char *what = wrong(s, &claim[i], quota);
		cr_assert(!what, "draw %u: %s has %s: %g", seed, q->name, what, claim[i].fair);
		given += claim[i].fair;
		promised += quota;
	}
	const bool sums =
		promised >= total ? similar(given, promised) && left == 0 : similar(given + left, total);
	cr_assert(sums && left >= 0, "draw %u: %g given, %g left", seed, given, left);
}

Test(kai_share_prop, quotas_first_and_all_of_the_total)
{
	uint32_t compared = 0;
	for (uint32_t seed = 0; seed < DRAWS; seed++) {
		struct siblings s;
		struct kai_claim claim[QUEUES];
		draw_siblings(&s, seed);
		const double left = divide(&s, claim);
		check_bounds(&s, claim, left, seed);
		const int64_t slow = divide_slowly(&s);
		if (s.boundary)
			continue;
		compared++;
		cr_assert(similar(left, tenths(slow)), "draw %u: %g left, not %g", seed, left, tenths(slow));
		for (uint32_t i = 0; i < s.count; i++)
			cr_assert(similar(claim[i].fair, tenths(s.queue[claim[i].row].fair)),
				"draw %u: %s has %g, not %g", seed, claim[i].name, claim[i].fair,
				tenths(s.queue[claim[i].row].fair));
	}
	cr_expect_gt(compared, DRAWS / 2, "%u of %d draws compared", compared, DRAWS);
}

/* ---- The order in which queues were made ---- */

static void make_queues(struct kai_small *w, const struct siblings *s, const uint32_t *order)
{
	(void)kai_small_node(w, "n0", s->total / TENTHS);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct drawn *q = &s->queue[order[i]];
		const uint32_t row =
			kai_small_queue(w, q->name, NULL, q->quota * 10, q->limit * 10, (double)q->weight);
		w->kai->queue[row].priority = q->priority;
		w->kai->queue[row].created = q->created;
	}
	kai_small_seal(w);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct drawn *q = &s->queue[order[i]];
		struct kai_queue *queue = &w->kai->queue[kai_find_queue(w->kai, q->name)];
		queue->request.at[KAI_GPUS] = q->request * (KAI_GPU / TENTHS);
		queue->usage[KAI_GPUS] = tenths(q->usage);
		w->kai->queue[0].request.at[KAI_GPUS] += queue->request.at[KAI_GPUS];
	}
	w->kai->config.k = (double)s->k / HALVES;
	w->kai->config.remainders_by_group = s->by_group;
	kai_open_shares(w->kai);
}

Test(kai_share_prop, whatever_the_order_of_making)
{
	for (uint32_t seed = 0; seed < DRAWS / 20; seed++) {
		struct siblings s;
		uint32_t order[QUEUES];
		draw_siblings(&s, seed);
		for (uint32_t i = 0; i < s.count; i++)
			order[i] = i;
		struct kai_small a = kai_small_open(), b = kai_small_open();
		make_queues(&a, &s, order);
		for (uint32_t i = s.count; i-- > 1;) {
			const uint32_t at = draw(i + 1), swap = order[i];
			order[i] = order[at];
			order[at] = swap;
		}
		make_queues(&b, &s, order);
		for (uint32_t i = 0; i < s.count; i++) {
			const char *name = s.queue[i].name;
			const int64_t one = a.kai->queue[kai_find_queue(a.kai, name)].fair.at[KAI_GPUS];
			const int64_t other = b.kai->queue[kai_find_queue(b.kai, name)].fair.at[KAI_GPUS];
			cr_assert_eq(one, other, "draw %u: %s has %lld or %lld", seed, name, (long long)one,
				(long long)other);
		}
		kai_small_close(&a);
		kai_small_close(&b);
	}
}

/* ---- What queues request ---- */

enum { JOBS = 6, STEPS = 40, NODES = 3 };

static void step(struct kai *kai)
{
	static const enum kai_state states[] = { KAI_PENDING, KAI_GATED, KAI_BINDING, KAI_RUNNING,
		KAI_RELEASING, KAI_SUCCEEDED };
	const struct kai_job *job = &kai->job[draw(kai->job_count)];
	const uint32_t task = job->task + draw(job->task_count), node = draw(kai->node_count);
	const int64_t state = kai->task[task].state;
	switch (draw(4)) {
	case 0:
		if (state == KAI_PENDING)
			kai_allocate_task(kai, task, node, NULL);
		break;
	case 1:
		if (state == KAI_PENDING || state == KAI_RELEASING)
			kai_pipeline_task(kai, task, node, NULL);
		break;
	case 2:
		if (kai_active_allocated((uint32_t)state))
			kai_evict_task(kai, task);
		break;
	default:
		if (kai->marks == 0)
			kai_set_task(kai, task, states[draw(SL_LEN(states))], node, NULL);
		break;
	}
}

static void check_requests(struct kai *kai, uint32_t seed)
{
	struct kai_vec kept[16];
	for (uint32_t i = 0; i < kai->queue_count; i++)
		kept[i] = kai->queue[i].request;
	cr_assert_eq(kai_seal(kai), 0, "%s", kai->err.text);
	for (uint32_t i = 0; i < kai->queue_count; i++)
		for (int res = 0; res < KAI_RES; res++)
			cr_assert_eq(kept[i].at[res], kai->queue[i].request.at[res],
				"draw %u: queue %s, %s: %lld, not %lld", seed, kai->queue[i].name,
				kai_res_name((enum kai_res)res), (long long)kept[i].at[res],
				(long long)kai->queue[i].request.at[res]);
}

Test(kai_share_prop, requests_as_counted_anew)
{
	static const char *const queue[] = { "p", "q", "r" };
	for (uint32_t seed = 0; seed < DRAWS / 100; seed++) {
		struct kai_small w = kai_small_open();
		draw_state = seed;
		for (char name[] = "n0"; name[1] < '0' + NODES; name[1]++)
			(void)kai_small_node(&w, name, 8);
		(void)kai_small_queue(&w, "d", NULL, 0, -1, 1);
		for (size_t i = 0; i < SL_LEN(queue); i++)
			(void)kai_small_queue(&w, queue[i], i ? "d" : NULL, 0, -1, 1);
		kai_small_seal(&w);
		for (char name[] = "j0"; name[1] < '0' + JOBS; name[1]++)
			kai_small_enter(&w, kai_small_job(&w, name, queue[draw(3)], draw(2) ? 50 : 100,
						    1 + draw(3), draw(3), 0));
		for (int round = 0; round < STEPS; round++) {
			const bool undone = draw(2);
			const kai_marked mark = undone ? kai_mark(w.kai) : (kai_marked){ 0 };
			for (int i = 0; i < 5; i++)
				step(w.kai);
			if (undone)
				kai_undo(w.kai, mark);
			check_requests(w.kai, seed);
		}
		kai_small_close(&w);
	}
}
