/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_fill.c - replay.fill: the trace's jobs as a stream that fills the cluster, for experiments of
 * packing.
 *
 * The workload of Weng et al. (FGD, USENIX ATC 2023), as their simulator makes it:
 * - the jobs, by id, in a random order;
 * - while they request less GPUs than so many times the cluster's, one is drawn uniformly from all of them,
 * and added once more at the end; the first that would exceed that is not added, and ends it. Of that one
 * only one GPU's share is counted, however many it requests: all may request a little more in the end;
 * - if they request more from the start, one after another is drawn and left out until they do not.
 *
 * One comes each second, and runs for as many seconds as there are jobs: none ends before the last has come.
 * Copies are named after their original: NAME-tuned-0, and so on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

struct fill {
	struct loading *loading;
	struct sl_rng rng;
	struct go_rand *go; /* NULL: rng. */
	uint32_t *by_id;    /* Rows, in the order of their ids. */
	uint32_t *order;    /* Rows, as they come. */
	uint32_t count, capacity;
	uint32_t base; /* Jobs of the trace; from `kept` on, what comes are copies. */
	uint32_t kept;
	int64_t asked;
	__int128 most; /* In millionths of a part. */
};

static uint32_t scenario_fill_draw(struct fill *fill, uint32_t bound)
{
	return fill->go ? go_below(fill->go, bound) : (uint32_t)sl_rng_below(&fill->rng, bound);
}

static uint32_t draw_shuffling(struct fill *fill, uint32_t bound)
{
	return fill->go ? go_below_shuffle(fill->go, bound) : scenario_fill_draw(fill, bound);
}

static const struct sl_request *scenario_fill_request_of(const struct fill *fill, uint32_t row)
{
	const struct sl_jobs *jobs = &fill->loading->scenario->jobs;
	return &jobs->requests[jobs->request[row]];
}

/* ---- The order ------------------------------------------------------------------------ */

struct identified {
	const char *name; /* NULL: the number. */
	int64_t id;
	uint32_t row;
};

/* Numbers, then names, byte by byte; ids differ. */
static int compare_ids(const void *a, const void *b)
{
	const struct identified *x = a;
	const struct identified *y = b;
	if (x->name && y->name)
		return strcmp(x->name, y->name);
	if (x->name || y->name)
		return x->name ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int sort_by_id(struct fill *fill, struct sl_err *err)
{
	const struct sl_jobs *jobs = &fill->loading->scenario->jobs;
	struct identified *key = malloc((size_t)fill->base * sizeof(*key));
	if (!key)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < fill->base; row++)
		key[row] =
			(struct identified){ jobs->id_name ? jobs->id_name[row] : NULL, jobs->id[row], row };
	qsort(key, fill->base, sizeof(*key), compare_ids);
	for (uint32_t i = 0; i < fill->base; i++)
		fill->by_id[i] = key[i].row;
	free(key);
	return SL_OK;
}

static void shuffle(struct fill *fill)
{
	memcpy(fill->order, fill->by_id, (size_t)fill->base * sizeof(*fill->order));
	fill->count = fill->base;
	for (uint32_t i = fill->base - 1; i > 0; i--) {
		const uint32_t j = draw_shuffling(fill, i + 1);
		const uint32_t other = fill->order[i];
		fill->order[i] = fill->order[j];
		fill->order[j] = other;
	}
}

static int scenario_fill_reserve(struct fill *fill, struct sl_err *err)
{
	if (fill->count < fill->capacity)
		return SL_OK;
	/* From a trace that hardly requests GPUs jobs would be drawn for ever. */
	enum { COPIES_MAX = 50000000 };
	if (fill->count >= COPIES_MAX)
		return sl_fail(err, SL_INPUT,
			"%s: replay.fill=%s takes more than %d jobs: they ask too few GPUs for this cluster",
			fill->loading->file, fill->loading->scenario->replay[REPLAY_FILL].text, COPIES_MAX);
	return SL_GROW(fill->order, fill->capacity, fill->count + 1, err);
}

/* The share of one GPU that one task of the job requests. */
static int64_t of_one_gpu(const struct fill *fill, const struct sl_request *request)
{
	const int64_t whole = sl_parts(fill->loading->scenario->cluster.gpu_parts);
	int64_t most = 0;
	for (uint32_t i = 0; i < request->group_count; i++)
		if (request->group[i].task.gpus > most)
			most = request->group[i].task.gpus;
	return most < whole ? most : whole;
}

static bool is_beyond(const struct fill *fill, int64_t asked)
{
	return (__int128)asked * 1000000 > fill->most;
}

static int draw_more(struct fill *fill, struct sl_err *err)
{
	for (;;) {
		const uint32_t row = fill->by_id[scenario_fill_draw(fill, fill->base)];
		const struct sl_request *request = scenario_fill_request_of(fill, row);
		if (is_beyond(fill, fill->asked + of_one_gpu(fill, request)))
			return SL_OK;
		const int status = scenario_fill_reserve(fill, err);
		if (status)
			return status;
		fill->order[fill->count++] = row;
		fill->asked += request->gpus;
	}
}

static void leave_out(struct fill *fill)
{
	while (is_beyond(fill, fill->asked)) {
		const uint32_t i = scenario_fill_draw(fill, fill->count);
		fill->asked -= scenario_fill_request_of(fill, fill->order[i])->gpus;
		fill->count--;
		memmove(&fill->order[i], &fill->order[i + 1], (fill->count - i) * sizeof(*fill->order));
	}
}

static int make_order(struct fill *fill, struct sl_err *err)
{
	const struct scenario *scenario = fill->loading->scenario;
	int status = sort_by_id(fill, err);
	if (status)
		return status;
	if (fill->go)
		(void)go_next(fill->go); /* That simulator logs one. */
	shuffle(fill);
	for (uint32_t row = 0; row < fill->base; row++)
		fill->asked += scenario_fill_request_of(fill, row)->gpus;
	if (!fill->asked)
		return sl_fail(err, SL_INPUT,
			"%s: replay.fill counts the GPUs that jobs ask, and no job asks any: leave it out",
			fill->loading->file);
	fill->most = (__int128)scenario->replay[REPLAY_FILL].number * scenario->cluster.gpus;
	fill->kept = fill->base;
	if (is_beyond(fill, fill->asked)) {
		leave_out(fill);
		fill->kept = fill->count;
	} else if ((__int128)fill->asked * 1000000 < fill->most) {
		status = draw_more(fill, err);
	}
	return status;
}

/* ---- The rows ------------------------------------------------------------------------- */

/* Of a copy: its original's name, and how many were drawn before. */
static int copy_id(struct fill *fill, uint32_t from, uint32_t number, int64_t *id, struct sl_err *err)
{
	const struct sl_jobs *jobs = &fill->loading->scenario->jobs;
	struct names *names = &fill->loading->names[NAMED_ID];
	const char *name = jobs->id_name ? jobs->id_name[from] : NULL;
	char text[400];
	int len;
	if (name)
		len = snprintf(text, sizeof(text), "%.300s-tuned-%u", name, number);
	else
		len = snprintf(text, sizeof(text), "%lld-tuned-%u", (long long)jobs->id[from], number);
	const uint32_t before = names->count;
	uint32_t index;
	const int status = names_add(names, fill->loading->scenario->arena, text, (size_t)len, &index, err);
	if (!status && names->count == before)
		return sl_fail(err, SL_INPUT,
			"%s: there is a job '%.300s', which is what replay.fill calls a copy: give it another id",
			fill->loading->file, text);
	*id = -1 - (int64_t)index;
	return status;
}

/* What only means something with the times of the log, or among other jobs. */
static void drop_times(const struct fill *fill)
{
	static const enum column gone[] = { COLUMN_WAIT, COLUMN_CANCEL, COLUMN_GANG, COLUMN_MORE,
		COLUMN_PLACE, COLUMN_ESTIMATE, COLUMN_RAN, COLUMN_ID_NAME };
	struct scenario *scenario = fill->loading->scenario;
	for (size_t i = 0; i < SL_LEN(gone); i++)
		columns_drop(scenario->columns, gone[i]);
	scenario->dated = false;
	scenario->epoch = 0;
}

static int make_rows(struct fill *fill, struct sl_err *err)
{
	struct columns *columns = fill->loading->scenario->columns;
	int64_t *id = malloc((size_t)fill->count * sizeof(*id));
	int status = id ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; i < fill->count && !status; i++) {
		id[i] = column_i64(columns, COLUMN_ID)[fill->order[i]];
		if (i >= fill->kept)
			status = copy_id(fill, fill->order[i], i - fill->kept, &id[i], err);
	}
	if (!status) {
		drop_times(fill);
		status = columns_gather(columns, fill->order, fill->count, err);
	}
	for (uint32_t row = 0; row < fill->count && !status; row++) {
		column_i64(columns, COLUMN_ID)[row] = id[row];
		column_i64(columns, COLUMN_SUBMIT)[row] = row * SL_SECOND;
		column_i64(columns, COLUMN_RUN)[row] = fill->count * SL_SECOND;
		column_i64(columns, COLUMN_LIMIT)[row] = fill->count * SL_SECOND;
	}
	free(id);
	return status;
}

/* How many of the trace's jobs had each request: what is typical is so of them, not of the copies. */
static int count_requests(const struct fill *fill, const uint32_t **counts, struct sl_err *err)
{
	const struct scenario *scenario = fill->loading->scenario;
	uint32_t *count = sl_alloc(scenario->arena, scenario->jobs.request_count, sizeof(*count));
	if (!count)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < fill->base; row++)
		count[scenario->jobs.request[row]]++;
	*counts = count;
	return SL_OK;
}

/* The jobs as they are lent, with what outlives their rows. */
static int lend(const struct fill *fill, const uint32_t *counts, struct sl_err *err)
{
	struct scenario *scenario = fill->loading->scenario;
	const struct sl_jobs was = scenario->jobs;
	columns_lend(scenario->columns, &scenario->jobs);
	scenario->jobs.requests = was.requests;
	scenario->jobs.request_count = was.request_count;
	scenario->jobs.request_drawn_from = counts;
	scenario->filled = true;
	scenario->fill_drawn = fill->count - fill->kept;
	scenario->fill_removed = fill->base - fill->kept;
	scenario->fill_asked = fill->asked;
	return names_lend(fill->loading, &scenario->jobs, err);
}

/* ---- The nodes ------------------------------------------------------------------------ */

struct node_name {
	const char *name;
	uint32_t row;
};

static int scenario_fill_compare_names(const void *a, const void *b)
{
	const struct node_name *x = a;
	const struct node_name *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* That simulator puts drawn numbers in front of its nodes' names, and of equal nodes chooses the first by
 * name.
 */
static int shuffle_nodes(struct fill *fill, struct sl_err *err)
{
	/* So many numbers its Kubernetes client draws before, while it starts: found by comparing one run
	 * with the published one. */
	enum { DRAWN_BETWEEN = 10 };
	struct scenario *scenario = fill->loading->scenario;
	const uint32_t count = scenario->cluster.node_count;
	struct node_name *named = sl_alloc(scenario->arena, count, sizeof(*named));
	uint32_t *drawn = sl_alloc(scenario->arena, count, sizeof(*drawn));
	uint32_t *rank = sl_alloc(scenario->arena, count, sizeof(*rank));
	if (!named || !drawn || !rank)
		return sl_fail_memory(err);
	for (unsigned i = 0; i < DRAWN_BETWEEN; i++)
		(void)go_next(fill->go);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t other = go_below(fill->go, i + 1);
		drawn[i] = drawn[other];
		drawn[other] = i;
		named[i] = (struct node_name){ scenario->cluster.node_name[i], i };
	}
	qsort(named, count, sizeof(*named), scenario_fill_compare_names);
	for (uint32_t i = 0; i < count; i++)
		rank[named[i].row] = drawn[i];
	scenario->cluster.node_shuffled = rank;
	return SL_OK;
}

static int make_all(struct fill *fill, struct sl_err *err)
{
	const uint32_t *counts = NULL;
	int status = make_order(fill, err);
	if (!status && fill->go)
		status = shuffle_nodes(fill, err);
	if (!status)
		status = count_requests(fill, &counts, err);
	if (!status)
		status = make_rows(fill, err);
	return status ? status : lend(fill, counts, err);
}

int fill_make(struct loading *loading, struct sl_err *err)
{
	const struct scenario *scenario = loading->scenario;
	const char *text = scenario->replay[REPLAY_FILL].text;
	if (!scenario->cluster.node_count || !scenario->cluster.gpus)
		return sl_fail(err, SL_USAGE,
			"replay.fill=%s is of the cluster's GPUs, and it has none: give one that has, with -c CLUSTER",
			text);
	struct fill fill = {
		.loading = loading, .base = scenario->jobs.count, .capacity = scenario->jobs.count
	};
	struct go_rand go;
	if (scenario->replay[REPLAY_FILL_NUMBERS].number) {
		go_seed(&go, loading->options->seed);
		fill.go = &go;
	}
	fill.rng = sl_rng_stream(loading->options->seed, "replay/fill");
	fill.by_id = malloc((size_t)fill.base * sizeof(*fill.by_id));
	fill.order = malloc((size_t)fill.base * sizeof(*fill.order));
	const int status = fill.by_id && fill.order ? make_all(&fill, err) : sl_fail_memory(err);
	free(fill.by_id);
	free(fill.order);
	return status;
}
