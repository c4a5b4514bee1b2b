/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_series.c - who used how much of which quota, over time.
 *
 * A point is noted for a cell (node of the tree, flavor, resource) whose usage or nominal quota is another at
 * the end of an instant. Who lends to whom is a matter of accounting, which Kueue does not do: what a queue
 * uses beyond its nominal quota is charged to the idle quota of others of its tree, those nearest in the tree
 * first (by the height of the common ancestor), among them by name, a cohort's own quota behind its queues';
 * none lends more than its lendingLimit.
 */
#include "policies/kueue/kueue.h"

#include <stdlib.h>
#include <string.h>

struct point {
	sl_time at;
	uint32_t node, fr;
	int64_t used, nominal, subtree;
};

struct kueue_series {
	struct point *point;
	size_t count, capacity;
	int64_t *used, *nominal; /* As noted last, [node * frs + fr]. */
	uint32_t nodes, frs;
};

int kueue_series_make(struct kueue *k, struct sl_err *err)
{
	struct kueue_series *series = sl_alloc(k->arena, 1, sizeof(*series));
	const size_t cells = (size_t)k->kq->node_count * k->kq->fr_count + 1;
	if (!series)
		return sl_fail_memory(err);
	k->series = series;
	series->nodes = k->kq->node_count;
	series->frs = k->kq->fr_count;
	series->used = sl_alloc(k->arena, cells, sizeof(*series->used));
	series->nominal = sl_alloc(k->arena, cells, sizeof(*series->nominal));
	return series->used && series->nominal ? SL_OK : sl_fail_memory(err);
}

void kueue_series_release(struct kueue *k)
{
	if (k->series)
		free(k->series->point);
}

void kueue_series_note(struct kueue *k)
{
	struct kueue_series *series = k->series;
	const struct kq *kq = k->kq;
	const size_t cells = (size_t)series->nodes * series->frs;
	if (kq->node_count != series->nodes || kq->fr_count != series->frs ||
		(memcmp(series->used, kq->usage, cells * sizeof(*kq->usage)) == 0 &&
			memcmp(series->nominal, kq->nominal, cells * sizeof(*kq->nominal)) == 0))
		return;
	for (size_t i = 0; i < cells; i++) {
		if (series->used[i] == kq->usage[i] && series->nominal[i] == kq->nominal[i])
			continue;
		if (!kueue_reserve(k, (void **)&series->point, &series->capacity, sizeof(*series->point),
			    series->count + 1))
			return;
		series->used[i] = kq->usage[i];
		series->nominal[i] = kq->nominal[i];
		series->point[series->count++] = (struct point){ k->now, (uint32_t)(i / series->frs),
			(uint32_t)(i % series->frs), kq->usage[i], kq->nominal[i], kq->subtree[i] };
	}
}

/* Cpu is reported in cpus. */
static int64_t reported_amount(const struct kq *kq, uint32_t fr, int64_t amount)
{
	if (kq->fr[fr].resource == KQ_CPU)
		return amount > INT64_MAX / 1000 ? INT64_MAX : amount * 1000;
	return amount > INT64_MAX / 1000000 ? INT64_MAX : amount * 1000000;
}

static int64_t positive(int64_t amount) { return amount > 0 ? amount : 0; }

/* ---- Lending ------------------------------------------------------------------------------------ */

struct loan {
	uint32_t from, to, fr;
	unsigned __int128 sum; /* Amount times us. */
};
struct loans {
	struct kueue *k;
	struct loan *loan;
	size_t count, capacity;
	struct sl_map map;       /* Of their places. */
	int64_t *used, *nominal; /* As of now, */
	sl_time *since;          /* by (root, fr): since when they are so. */
	int64_t *lent;           /* By node, of the tree and cell that is looked at. */
	int64_t *lent_before;    /* [node * frs + fr]: as noted last. */
	struct lent *change;
	size_t changes, change_capacity;
};

/* From then on the node lends so much. */
struct lent {
	sl_time at;
	uint32_t node, fr;
	int64_t amount;
};

static bool lend(struct loans *loans, uint32_t from, uint32_t to, uint32_t fr, int64_t amount, sl_time length)
{
	if (!length) /* Its amount is all that is requested. */
		return true;
	const unsigned __int128 sum = (unsigned __int128)(uint64_t)amount * (uint64_t)length;
	const uint64_t hash = sl_hash(sl_hash(sl_hash(0, from), to), fr);
	uint32_t i;
	SL_MAP_EACH(&loans->map, hash, i)
	{
		struct loan *loan = &loans->loan[i];
		if (loan->from == from && loan->to == to && loan->fr == fr) {
			loan->sum += sum;
			return true;
		}
	}
	if (SL_GROW(loans->loan, loans->capacity, loans->count + 1, NULL) ||
		sl_map_add(&loans->map, hash, (uint32_t)loans->count, NULL))
		return false;
	loans->loan[loans->count++] = (struct loan){ from, to, fr, sum };
	return true;
}

static int64_t idle_of(const struct loans *loans, uint32_t node, uint32_t fr)
{
	const struct kq *kq = loans->k->kq;
	const size_t at = (size_t)node * kq->fr_count + fr;
	int64_t idle =
		positive(kq->node[node].is_queue ? loans->nominal[at] - loans->used[at] : loans->nominal[at]);
	if (kq->node[node].is_queue && kq->lending[at] != KQ_NO_LIMIT && kq->lending[at] < idle)
		idle = kq->lending[at];
	return positive(idle - loans->lent[node]);
}

static bool borrow_below(
	struct loans *loans, uint32_t top, uint32_t to, uint32_t fr, int64_t *wanted, sl_time length)
{
	const struct kq_node *node = &loans->k->kq->node[top];
	for (uint32_t pass = 0; pass < 2 && *wanted; pass++) /* Queues, then cohorts below. */
		for (uint32_t i = 0; i < node->child_count && *wanted; i++) {
			const uint32_t child = node->child[i];
			if (loans->k->kq->node[child].is_queue != (pass == 0) || child == to)
				continue;
			if (pass && !borrow_below(loans, child, to, fr, wanted, length))
				return false;
			const int64_t idle = idle_of(loans, child, fr);
			const int64_t amount = idle < *wanted ? idle : *wanted;
			if (amount && !lend(loans, child, to, fr, amount, length))
				return false;
			loans->lent[child] += amount;
			*wanted -= amount;
		}
	return true;
}

/* From the nearest ancestor up; what was looked at below has nothing left. */
static bool charge(struct loans *loans, uint32_t to, uint32_t fr, sl_time length)
{
	const struct kq *kq = loans->k->kq;
	const size_t at = (size_t)to * kq->fr_count + fr;
	int64_t wanted = positive(loans->used[at] - loans->nominal[at]);
	for (uint32_t top = kq->node[to].parent; top != KQ_NO && wanted; top = kq->node[top].parent) {
		if (!borrow_below(loans, top, to, fr, &wanted, length))
			return false;
		const int64_t idle = idle_of(loans, top, fr);
		const int64_t amount = idle < wanted ? idle : wanted;
		if (amount && !lend(loans, top, to, fr, amount, length))
			return false;
		loans->lent[top] += amount;
		wanted -= amount;
	}
	return true;
}

static bool charge_below(struct loans *loans, uint32_t top, uint32_t fr, sl_time length, bool clear)
{
	const struct kq_node *node = &loans->k->kq->node[top];
	if (clear)
		loans->lent[top] = 0;
	else if (node->is_queue)
		return charge(loans, top, fr, length);
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!charge_below(loans, node->child[i], fr, length, clear))
			return false;
	return true;
}

/* What is lent now and was not before. */
static bool note_lent(struct loans *loans, uint32_t top, uint32_t fr, sl_time at)
{
	const struct kq_node *node = &loans->k->kq->node[top];
	int64_t *before = &loans->lent_before[(size_t)top * loans->k->kq->fr_count + fr];
	if (*before != loans->lent[top]) {
		if (!kueue_reserve(loans->k, (void **)&loans->change, &loans->change_capacity,
			    sizeof(*loans->change), loans->changes + 1))
			return false;
		*before = loans->lent[top];
		loans->change[loans->changes++] = (struct lent){ at, top, fr, loans->lent[top] };
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!note_lent(loans, node->child[i], fr, at))
			return false;
	return true;
}

/* The tree's cell was as it is since then; last: and stays so, be it for no time. */
static bool kueue_series_settle(struct loans *loans, uint32_t root, uint32_t fr, sl_time now, bool last)
{
	const struct kq *kq = loans->k->kq;
	sl_time *since = &loans->since[(size_t)root * kq->fr_count + fr];
	const sl_time from = *since, length = now - from;
	*since = now;
	if (length < 0 || (!length && !last) || kq->node[root].is_queue || kq->node[root].cycle)
		return true;
	return charge_below(loans, root, fr, length, true) && charge_below(loans, root, fr, length, false) &&
	       note_lent(loans, root, fr, from);
}

static bool kueue_series_follow(struct loans *loans, sl_time until)
{
	const struct kueue_series *series = loans->k->series;
	const struct kq *kq = loans->k->kq;
	for (size_t i = 0; i < series->count; i++) {
		const struct point *point = &series->point[i];
		const size_t at = (size_t)point->node * kq->fr_count + point->fr;
		if (!kueue_series_settle(loans, kq->node[point->node].root, point->fr, point->at, false))
			return false;
		loans->used[at] = point->used;
		loans->nominal[at] = point->nominal;
	}
	for (uint32_t node = 0; node < kq->node_count; node++)
		for (uint32_t fr = 0; fr < kq->fr_count && kq->node[node].root == node; fr++)
			if (!kueue_series_settle(loans, node, fr, until, true))
				return false;
	return true;
}

static int by_names(const void *a, const void *b)
{
	const struct loan *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->fr > y->fr) - (x->fr < y->fr);
}

static int put_loans(struct loans *loans, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "from", "to", "flavor", "resource", "amount_seconds" };
	const struct kq *kq = loans->k->kq;
	const size_t columns = SL_LEN(column);
	struct sl_cell *cell = sl_alloc(loans->k->arena, loans->count * columns + 1, sizeof(*cell));
	const size_t count = loans->count;
	if (!cell)
		return sl_fail_memory(err);
	if (count)
		qsort(loans->loan, count, sizeof(*loans->loan), by_names);
	for (size_t i = 0; i < count; i++) {
		const struct loan *loan = &loans->loan[i];
		const struct kq_fr fr = kq->fr[loan->fr];
		/* Amount times us: millionths of amount times seconds, of cpu a thousandth of that. */
		const unsigned __int128 sum = fr.resource == KQ_CPU ? loan->sum / 1000 : loan->sum;
		cell[i * columns].text = kq->node[loan->from].name;
		cell[i * columns + 1].text = kq->node[loan->to].name;
		cell[i * columns + 2].text = kq->flavor[fr.flavor].name;
		cell[i * columns + 3].text = kq->resource[fr.resource];
		cell[i * columns + 4].micro = sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
	}
	return count ? sl_report_add_table(tally, "lending", column, (uint32_t)columns, cell, count, err)
		     : SL_OK;
}

static bool make_loans(struct loans *loans, sl_time until)
{
	const struct kueue *k = loans->k;
	const size_t cells = (size_t)k->kq->node_count * k->kq->fr_count + 1;
	loans->used = calloc(cells, sizeof(*loans->used));
	loans->nominal = calloc(cells, sizeof(*loans->nominal));
	loans->since = calloc(cells, sizeof(*loans->since));
	loans->lent = calloc((size_t)k->kq->node_count + 1, sizeof(*loans->lent));
	loans->lent_before = calloc(cells, sizeof(*loans->lent_before));
	if (!loans->used || !loans->nominal || !loans->since || !loans->lent || !loans->lent_before)
		return false;
	for (size_t i = 0; i < cells; i++)
		loans->since[i] = k->series->count ? k->series->point[0].at : 0;
	return kueue_series_follow(loans, until);
}

static void free_loans(struct loans *loans)
{
	free(loans->loan);
	sl_map_free(&loans->map);
	free(loans->used);
	free(loans->nominal);
	free(loans->since);
	free(loans->lent);
	free(loans->lent_before);
	free(loans->change);
}

/* ---- cohorts.csv -------------------------------------------------------------------------------- */

/* A change of a cell: of what is used and whose it is, or of what is lent. */
struct change {
	struct point now;
	int64_t lent;
	bool of_lent;
	size_t number;
};

static int kueue_series_by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	if (x->now.at != y->now.at)
		return x->now.at < y->now.at ? -1 : 1;
	if (x->now.node != y->now.node)
		return x->now.node < y->now.node ? -1 : 1;
	if (x->now.fr != y->now.fr)
		return x->now.fr < y->now.fr ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool is_same_cell(const struct change *x, const struct change *y)
{
	return x->now.node == y->now.node && x->now.fr == y->now.fr;
}

static void put_point(const struct kq *kq, const struct change *change, struct sl_cell *cell)
{
	const struct point *point = &change->now;
	const struct kq_node *node = &kq->node[point->node];
	const struct kq_fr fr = kq->fr[point->fr];
	const int64_t own = node->is_queue ? point->nominal : point->subtree;
	cell[0].micro = point->at;
	cell[1].text = node->name;
	cell[2].text = node->is_queue ? "ClusterQueue" : "Cohort";
	cell[3].text = node->parent == KQ_NO ? "" : kq->node[node->parent].name;
	cell[4].text = kq->flavor[fr.flavor].name;
	cell[5].text = kq->resource[fr.resource];
	cell[6].micro = reported_amount(kq, point->fr, point->nominal);
	cell[7].micro = reported_amount(kq, point->fr, point->subtree);
	cell[8].micro = reported_amount(kq, point->fr, positive(point->used - own));
	cell[9].micro = reported_amount(kq, point->fr, point->used);
	cell[10].micro = reported_amount(kq, point->fr, change->lent);
}

/* In order of time and cell; what a change does not say is as before. Of an instant the last counts. */
static size_t complete(const struct kq *kq, struct change *all, size_t count, struct change *before)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		struct change *was = &before[(size_t)all[i].now.node * kq->fr_count + all[i].now.fr];
		const bool of_lent = all[i].of_lent;
		const sl_time at = all[i].now.at;
		if (of_lent)
			all[i].now = (struct point){ at, all[i].now.node, all[i].now.fr, was->now.used,
				was->now.nominal, was->now.subtree };
		else
			all[i].lent = was->lent;
		*was = all[i];
		if (kept && all[kept - 1].now.at == at && is_same_cell(&all[kept - 1], &all[i]))
			kept--;
		all[kept++] = *was;
	}
	return kept;
}

/* The series, and after it what was lent. */
static void kueue_series_gather(const struct loans *loans, struct change *all)
{
	const struct kueue_series *series = loans->k->series;
	for (size_t i = 0; i < series->count; i++)
		all[i] = (struct change){ .now = series->point[i], .number = i };
	for (size_t i = 0; i < loans->changes; i++) {
		const struct lent *lent = &loans->change[i];
		all[series->count + i] =
			(struct change){ .now = { .at = lent->at, .node = lent->node, .fr = lent->fr },
				.lent = lent->amount,
				.of_lent = true,
				.number = series->count + i };
	}
}

static int put_cohorts(struct loans *loans, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "at", "node", "kind", "parent", "flavor", "resource", "nominal",
		"quota", "borrowed", "used", "lent" };
	struct kueue *k = loans->k;
	const struct kueue_series *series = k->series;
	const size_t columns = SL_LEN(column), most = series->count + loans->changes;
	struct sl_cell *cell = sl_alloc(k->arena, most * columns, sizeof(*cell));
	struct change *all = calloc(most, sizeof(*all));
	struct change *before = calloc((size_t)series->nodes * series->frs + 1, sizeof(*before));
	if (!cell || !all || !before) {
		free(before);
		free(all);
		return sl_fail_memory(err);
	}
	kueue_series_gather(loans, all);
	qsort(all, most, sizeof(*all), kueue_series_by_time);
	const size_t rows = complete(k->kq, all, most, before);
	for (size_t i = 0; i < rows; i++)
		put_point(k->kq, &all[i], &cell[i * columns]);
	free(before);
	free(all);
	return sl_report_add_table(tally, "cohorts", column, (uint32_t)columns, cell, rows, err);
}

int kueue_series_report(struct kueue *k, sl_time until, struct sl_tally *tally, struct sl_err *err)
{
	struct loans loans = { .k = k };
	if (!k->series->count)
		return SL_OK;
	if (!make_loans(&loans, until)) {
		free_loans(&loans);
		return sl_fail_memory(err);
	}
	int status = put_cohorts(&loans, tally, err);
	if (!status)
		status = put_loans(&loans, tally, err);
	free_loans(&loans);
	return status;
}
