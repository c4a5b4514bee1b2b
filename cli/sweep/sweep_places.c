/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_places.c - the points of a sweep as curves: what may be a mean, what may be compared.
 *
 * A place is what agrees in all that was chosen: trace, cluster, policy, settings. Its points differ in the
 * seed alone, so a mean over them has an interval, if anything was drawn and they are samples enough: the
 * same statistics as where runs are compared (stats_mean). Nothing else is a sample of anything: other
 * traces, loads and sizes have places of their own. One line is compared with the first pair by pair, of
 * points that agree in everything else (common random numbers: Law 2015, 11.2), where both ran the same
 * number of jobs to their end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep_found.h"
#include "sim/base/stats.h"

/* ---- What is drawn against what ------------------------------------------------------------------------ */

static size_t factor_of(const struct sweep *sweep, const char *name)
{
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		if (strcmp(sweep->spec.factor[f].name, name) == 0)
			return f;
	return SIZE_MAX;
}

static size_t metric_of(const struct found *found, const char *name)
{
	size_t metric = 0;
	while (metric < found->metric_count && strcmp(found->metric[metric], name) != 0)
		metric++;
	return metric;
}

static bool has_numbers(const struct factor *factor)
{
	int64_t micro;
	for (size_t v = 0; v < factor->count; v++)
		if (!sl_get_micro(factor->value[v], strlen(factor->value[v]), &micro))
			return false;
	return factor->count > 1;
}

/* The line's word, the spec's, or what suggests itself. */
static int axes(struct curves *curves, const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	const char *x = arg(sweep->args, "x") ? arg(sweep->args, "x") : spec->x;
	const char *by = arg(sweep->args, "by") ? arg(sweep->args, "by") : spec->by;
	curves->y = arg(sweep->args, "y") ? arg(sweep->args, "y") : spec->y;
	curves->y = curves->y ? curves->y : "bounded_slowdown.mean";
	curves->x = x ? factor_of(sweep, x) : SIZE_MAX;
	curves->by = by ? factor_of(sweep, by) : spec->policy_at;
	if ((x && curves->x == SIZE_MAX) || curves->by == SIZE_MAX)
		return sl_fail(err, SL_USAGE, "no factor of this sweep is called '%.60s'",
			x && curves->x == SIZE_MAX ? x : by);
	for (size_t f = 0; !x && f < spec->factor_count; f++)
		if (f != spec->seed_at && f != curves->by && curves->x == SIZE_MAX &&
			has_numbers(&spec->factor[f]))
			curves->x = f;
	for (size_t f = 0; f < spec->factor_count; f++)
		if (f != spec->seed_at && f != curves->by && f != curves->x && spec->factor[f].count > 1)
			curves->apart[curves->apart_count++] = f;
	curves->metric = metric_of(found, curves->y);
	return !found->count || curves->metric < found->metric_count
		       ? SL_OK
		       : sl_fail(err, SL_USAGE, "no point has a metric '%.60s'", curves->y);
}

/* ---- Places ----------------------------------------------------------------------------------------------
 */

static uint64_t panel_rank(const struct curves *curves, const struct sweep *sweep, const struct point *of)
{
	uint64_t rank = 0;
	for (size_t i = 0; i < curves->apart_count; i++)
		rank = rank * sweep->spec.factor[curves->apart[i]].count + of->value[curves->apart[i]];
	return rank;
}

static int by_rank(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Each combination of what stands apart that the plan has, in the order of the factors. */
static int find_panels(struct curves *curves, const struct sweep *sweep, struct sl_err *err)
{
	curves->panel = sl_alloc(sweep->arena, sweep->count + 1, sizeof(*curves->panel));
	if (!curves->panel)
		return sl_fail_memory(err);
	for (size_t i = 0; i < sweep->count; i++)
		curves->panel[i] = panel_rank(curves, sweep, &sweep->point[i]);
	qsort(curves->panel, sweep->count, sizeof(*curves->panel), by_rank);
	for (size_t i = 0; i < sweep->count; i++)
		if (!i || curves->panel[i] != curves->panel[curves->panels - 1])
			curves->panel[curves->panels++] = curves->panel[i];
	return SL_OK;
}

const char *curves_apart(const struct curves *curves, const struct sweep *sweep, size_t panel, size_t i)
{
	uint64_t rank = curves->panel[panel];
	for (size_t k = curves->apart_count; --k > i;)
		rank /= sweep->spec.factor[curves->apart[k]].count;
	const struct factor *factor = &sweep->spec.factor[curves->apart[i]];
	return factor->value[rank % factor->count];
}

static size_t sweep_places_place_of(
	const struct curves *curves, const struct sweep *sweep, const struct point *of)
{
	const uint64_t rank = panel_rank(curves, sweep, of);
	const uint64_t *panel =
		bsearch(&rank, curves->panel, curves->panels, sizeof(*curves->panel), by_rank);
	SL_CHECK(panel);
	const size_t x = curves->x == SIZE_MAX ? 0 : of->value[curves->x];
	return ((size_t)(panel - curves->panel) * curves->lines + of->value[curves->by]) * curves->xs + x;
}

/* Points found, by place: those of place p are from first[p] to first[p + 1] of `order`. */
struct sorted {
	size_t *first, *order;
	const int64_t **micro; /* By point found; NULL: it has no such metric. */
};

static void sort_points(const struct curves *curves, const struct found *found, struct sorted *sorted)
{
	const size_t places = curves->panels * curves->lines * curves->xs;
	size_t *at = sorted->first + 1;
	for (size_t i = 0; i < found->count; i++) {
		sorted->micro[i] = found_value(&found->point[i], curves->metric);
		at[sweep_places_place_of(
			curves, found->sweep, &found->sweep->point[found->point[i].number])]++;
	}
	for (size_t p = 0; p < places; p++)
		at[p] += sorted->first[p];
	for (size_t i = found->count; i-- > 0;)
		sorted->order[--at[sweep_places_place_of(
			curves, found->sweep, &found->sweep->point[found->point[i].number])]] = i;
	/* Each is where its place begins now, one too far behind. */
	memmove(sorted->first, at, places * sizeof(*at));
	sorted->first[places] = found->count;
}

/* ---- Figures ---------------------------------------------------------------------------------------------
 */

static void place_fill(struct curve_place *place, const double *value, unsigned count, bool drawn)
{
	double sum = 0;
	place->count = count;
	for (unsigned i = 0; i < count; i++)
		sum += value[i];
	place->mean = count ? sum / count : (double)NAN;
	if (drawn && count > 1)
		place->evidence = stats_mean(value, count, 0.95, &place->interval);
	place->has_interval = place->evidence.t > 0 && place->interval.low <= place->interval.high;
}

/* Where a combination stands among all, whether or not it is a point. */
static uint64_t sweep_places_rank_of(
	const struct sweep *sweep, const struct point *of, size_t by, uint32_t line)
{
	uint64_t rank = 0;
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		rank = rank * sweep->spec.factor[f].count + (f == by ? line : of->value[f]);
	return rank;
}

/* The point that differs from this one in being of the first line, by its place among those found; SIZE_MAX:
 * there is none. Points are in the order of their ranks. */
static size_t partner_of(const struct curves *curves, const struct found *found, const struct found_point *b)
{
	const struct sweep *sweep = found->sweep;
	const uint64_t want = sweep_places_rank_of(sweep, &sweep->point[b->number], curves->by, 0);
	size_t low = 0;
	size_t high = found->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct point *of = &sweep->point[found->point[middle].number];
		const uint64_t rank = sweep_places_rank_of(sweep, of, curves->by, of->value[curves->by]);
		if (rank == want)
			return middle;
		if (rank < want)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

/* Waits of fewer jobs are no better waits: both replayed as many, and ran as many to their end. */
static bool are_alike(const struct found *found, const struct found_point *a, const struct found_point *b)
{
	static const char *const names[] = { "jobs.total", "jobs.completed" };
	for (size_t i = 0; i < SL_LEN(names); i++) {
		const size_t metric = metric_of(found, names[i]);
		const int64_t *x = found_value(a, metric);
		const int64_t *y = found_value(b, metric);
		if (x && y && *x != *y)
			return false;
	}
	return true;
}

/* Something was drawn: not all came out the same. */
static bool is_drawn(const struct found *found, const struct sorted *sorted, size_t place)
{
	const char *first = NULL;
	for (size_t i = sorted->first[place]; i < sorted->first[place + 1]; i++) {
		const char *digest = found->point[sorted->order[i]].digest;
		if (first && digest && strcmp(first, digest) != 0)
			return true;
		first = first ? first : digest;
	}
	return false;
}

static void sweep_places_fill(struct curves *curves, const struct found *found, const struct sorted *sorted,
	size_t at, double *value)
{
	struct curve_place *difference = &curves->difference[at];
	const bool drawn = is_drawn(found, sorted, at);
	unsigned count = 0;
	for (size_t i = sorted->first[at]; i < sorted->first[at + 1]; i++)
		if (sorted->micro[sorted->order[i]])
			value[count++] = (double)*sorted->micro[sorted->order[i]] / 1e6;
	place_fill(&curves->place[at], value, count, drawn);
	count = 0;
	for (size_t i = sorted->first[at]; i < sorted->first[at + 1] && at / curves->xs % curves->lines;
		i++) {
		const size_t b = sorted->order[i];
		const size_t a = partner_of(curves, found, &found->point[b]);
		if (a == SIZE_MAX || !sorted->micro[a] || !sorted->micro[b])
			continue;
		if (are_alike(found, &found->point[a], &found->point[b]))
			value[count++] = (double)(*sorted->micro[b] - *sorted->micro[a]) / 1e6;
		else
			curves->unlike++;
	}
	place_fill(difference, value, count, drawn);
}

static int fill_all(struct curves *curves, const struct found *found, struct sl_err *err)
{
	const size_t places = curves->panels * curves->lines * curves->xs;
	double *value = calloc(found->count + 1, sizeof(*value));
	struct sorted sorted = { calloc(places + 2, sizeof(*sorted.first)),
		calloc(found->count + 1, sizeof(*sorted.order)),
		calloc(found->count + 1, sizeof(*sorted.micro)) };
	const bool capacity = value && sorted.first && sorted.order && sorted.micro;
	if (capacity)
		sort_points(curves, found, &sorted);
	for (size_t at = 0; at < places && capacity; at++)
		sweep_places_fill(curves, found, &sorted, at, value);
	free(value);
	free(sorted.first);
	free(sorted.order);
	free(sorted.micro);
	return capacity ? SL_OK : sl_fail_memory(err);
}

int curves_make(struct curves *curves, const struct found *found, struct sl_err *err)
{
	const struct sweep *sweep = found->sweep;
	int status = axes(curves, found, err);
	if (!status)
		status = find_panels(curves, sweep, err);
	if (status)
		return status;
	curves->xs = curves->x == SIZE_MAX ? 1 : sweep->spec.factor[curves->x].count;
	curves->lines = sweep->spec.factor[curves->by].count;
	const size_t places = curves->panels * curves->lines * curves->xs;
	curves->place = sl_alloc(sweep->arena, places + 1, sizeof(*curves->place));
	curves->difference = sl_alloc(sweep->arena, places + 1, sizeof(*curves->difference));
	if (!curves->place || !curves->difference)
		return sl_fail_memory(err);
	for (size_t i = 0; i < sweep->count; i++) {
		const size_t at = sweep_places_place_of(curves, sweep, &sweep->point[i]);
		curves->place[at].planned++;
		curves->difference[at].planned++;
	}
	return fill_all(curves, found, err);
}
