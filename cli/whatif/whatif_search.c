/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_search.c - schedlab whatif --until --vary: the least change with which the conditions hold.
 *
 * What is searched is a grid of settings over the base; axis_search.c says which of its points are simulated,
 * and what that proves. Under several seeds a condition has to hold for the mean.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/whatif_search.h"

/* ---- The question ---------------------------------------------------------------------------------- */

static int read_untils(struct search *search, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	for (size_t i = 0; !status && (text = arg_at(search->args, "until", i)); i++) {
		if (i == THRESHOLDS_MAX)
			return sl_fail(err, SL_USAGE, "--until: at most %d of them", (int)THRESHOLDS_MAX);
		status = threshold_parse(&search->until[i], text, search->arena, err);
		search->until_count = i + 1;
	}
	return status;
}

static int add_axis(struct search *search, const struct axis *axis, struct sl_err *err)
{
	if (search->axis_count == AXIS_SEARCH_AXES_MAX)
		return sl_fail(err, SL_USAGE, "--vary, --buy: at most %d things are searched over at a time",
			(int)AXIS_SEARCH_AXES_MAX);
	for (size_t i = 0; i < search->axis_count; i++)
		if (strcmp(search->axis[i].key, axis->key) == 0)
			return sl_fail(err, SL_USAGE,
				"'%.200s' is searched over twice: give all of its values at once",
				axis->name);
	size_t at = search->axis_count++;
	const bool proven = axis->proven && bounds_have_order(search->until, search->until_count);
	for (; !proven && at > 0 && search->axis[at - 1].proven; at--)
		search->axis[at] = search->axis[at - 1]; /* Those without an order first: axis_search.h. */
	search->axis[at] = *axis;
	search->axis[at].proven = proven;
	return SL_OK;
}

static int read_axes(struct search *search, struct sl_err *err)
{
	const char *text;
	struct axis axis;
	int status = SL_OK;
	for (size_t i = 0; !status && (text = arg_at(search->args, "vary", i)); i++) {
		status = axis_parse(&axis, "--vary", text, search->arena, err);
		status = status ? status : add_axis(search, &axis, err);
	}
	for (text = arg(search->args, "buy"); text && !status;) {
		/* "h100=0..8,l40s=0,2,4": a comma before NAME= begins the next. */
		size_t len = strcspn(text, ",");
		while (text[len]) {
			const char *next = text + len + 1;
			const size_t word = strcspn(next, ",=");
			if (next[word] == '=')
				break;
			len += 1 + word;
		}
		status = axis_buy(&axis, text, len, search->arena, err);
		status = status ? status : add_axis(search, &axis, err);
		text = text[len] ? text + len + 1 : NULL;
	}
	return status;
}

static int check_options(const struct args *args, struct sl_err *err)
{
	static const char *const not_here[] = { "as", "at", "blocks", "output", "no-report", "force",
		"metric" };
	for (size_t i = 0; i < SL_LEN(not_here); i++)
		if (arg(args, not_here[i]) || arg_flag(args, not_here[i]))
			return sl_fail(err, SL_USAGE,
				"whatif: --%s goes with scenarios, not with a search (--until, --vary): "
				"leave it out",
				not_here[i]);
	if (strcmp(args->word[0], "-") == 0)
		return sl_fail(err, SL_USAGE,
			"whatif: the trace is read again for each point: give a file, not '-'");
	if (arg(args, "head-room"))
		return SL_OK;
	if (!arg(args, "until"))
		return sl_fail(err, SL_USAGE,
			"whatif: what is to hold? give --until 'wait.p95 < 4h', for instance; 'schedlab sweep' tells "
			"of every point");
	if (!arg(args, "vary") && !arg(args, "buy"))
		return sl_fail(err, SL_USAGE,
			"whatif: what may be changed? give --vary 'cluster.nodes[gpu].count+=0..64', for instance");
	return SL_OK;
}

/* ---- What was served as it was asked ---------------------------------------------------------------------
 */

/* Where the first bound is an upper one on waits: the jobs it is about that waited no longer; else all that
 * it is about. */
static int served(struct search *search, bool gpus, struct sl_err *err)
{
	const struct threshold *until = &search->until[0];
	const struct tol_node *bound = &until->bound.node[until->bound.root];
	const char *text = selector_text(until->selector);
	const char *open = strchr(text, '{');
	const bool of_jobs = selector_of_jobs(until->selector);
	const size_t len = open && of_jobs ? strlen(open + 1) - 1 : 0;
	const bool waits =
		of_jobs && strncmp(text, "wait.", 5) == 0 && (bound->kind == TOL_LT || bound->kind == TOL_LE);
	char wait[64] = "";
	if (waits) {
		char *end = sl_put_micro(stpcpy(wait, "wait<="), bound->amount);
		*stpcpy(end, "s") = '\0';
	}
	char *made = text_made(search->arena, "%s%s%.*s%s%s%s", gpus ? "gpu_hours" : "cpu_hours",
		len || *wait ? "{" : "", (int)len, len ? open + 1 : "", len && *wait ? "," : "", wait,
		len || *wait ? "}" : "");
	if (!made)
		return sl_fail_memory(err);
	search->served_unit = gpus ? "GPU-hour" : "cpu-hour";
	return selector_parse(&search->served, made, search->arena, err);
}

/* What can be said once the base's scenario is read. */
static int whatif_search_prepare(struct search *search, struct sl_err *err)
{
	struct replica_run run;
	int status = replica_prepare(search->base, &search->replica, &run, err);
	if (!status) {
		base_talk(search->base);
		const struct sl_cluster *cluster = &run.scenario->cluster;
		for (size_t i = 0; i < search->until_count && !status; i++)
			status = selector_check(search->until[i].selector, run.scenario, err);
		for (size_t i = 0; i < search->axis_count && !status; i++)
			status = axis_pool(&search->axis[i], run.scenario->cpus, search->arena, err);
		if (!status && run.scenario->window_count)
			status = sl_fail(
				err, SL_USAGE, "whatif looks at whole runs: leave out replay.windows");
		if (!status)
			status = prices_read(&search->prices, search->axis, search->axis_count, search->args,
				cluster, err);
		if (!status && search->prices.any && search->until_count)
			status = served(search, cluster->node_count && cluster->gpus, err);
	}
	replica_run_release(search->base, &run);
	return status;
}

/* ---- What came of a point ---------------------------------------------------------------------------------
 */

enum {
	SIMILAR = 250000
}; /* Millionths of a bound: a point that misses it by no more than a quarter fails narrowly. */

/* How far it is from holding, in millionths of the bounds: the worst of those that it misses. */
static int64_t shortfall(const struct search *search, size_t point)
{
	int64_t worst = 0;
	if (search->outcome[point].left_out)
		return INT64_MAX;
	for (size_t i = 0; i < search->until_count; i++) {
		const struct threshold *until = &search->until[i];
		const struct figure *figure = &search->outcome[point].until[i];
		int64_t margin;
		if (!figure->known)
			return INT64_MAX;
		if (threshold_met(until, figure->mean))
			continue;
		if (!threshold_margin(until, figure->mean, &margin))
			margin = -1;
		const int64_t bound = llabs(until->bound.node[until->bound.root].amount);
		const int64_t part = sl_mul_div(-margin, 1000000, bound ? bound : 1);
		worst = part >= worst ? part + 1 : worst;
	}
	return worst;
}

/* ---- The search ---------------------------------------------------------------------------------------- */

int search_fail_unbuilt(const struct search *search, size_t point, struct sl_err *err)
{
	char text[POINT_TEXT];
	return sl_fail(err, search->outcome[point].fault, "%s: %s", point_text(text, search, point),
		search->outcome[point].unbuilt);
}

/* Of no point so far there is a machine, and always for one reason: that is the line's fault, not theirs. */
static bool same_fault(const struct search *search, const size_t *point, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(search->outcome[point[i]].unbuilt, search->outcome[point[0]].unbuilt) != 0)
			return false;
	return true;
}

static int attempt(
	void *self, struct axis_search *axis_search, const size_t *point, size_t count, struct sl_err *err)
{
	struct search *search = self;
	const int status = search_try(search, point, count, err);
	if (status)
		return status;
	for (size_t i = 0; i < count; i++) {
		const struct outcome *outcome = &search->outcome[point[i]];
		axis_search->state[point[i]] = outcome->unbuilt ? AXIS_SEARCH_UNBUILT
					       : outcome->holds ? AXIS_SEARCH_HOLDS
								: AXIS_SEARCH_FAILING;
		axis_search->similar[point[i]] =
			outcome->done && !outcome->holds && shortfall(search, point[i]) <= SIMILAR;
	}
	if (!search->built && !axis_search->tried && same_fault(search, point, count))
		return search_fail_unbuilt(search, point[0], err);
	return search_drew(search, err);
}

int search_drew(const struct search *search, struct sl_err *err)
{
	if (search->reps > 1 && !search->drew)
		return sl_fail(err, SL_USAGE,
			"--reps: nothing in these runs is drawn by chance: all seeds come out the same. What draws: "
			"'ties=random' and 'ties=shuffle', 'place=random', lottery shares, 'replay.fill', models such "
			"as failures. A log is what it is: leave --reps out");
	return SL_OK;
}

/* Beyond the budget. */
static int bar(struct search *search, struct sl_err *err)
{
	struct axis_search *grid = &search->grid;
	size_t left = 0;
	for (size_t i = 0; i < search->axis_count; i++)
		if (search->prices.bounded && search->axis[i].units && search->axis[i].count > 1 &&
			(search->axis[i].unordered || search->axis[i].units[0] > search->axis[i].units[1]))
			return sl_fail(err, SL_USAGE, "--budget: give '%.200s' in ascending order",
				search->axis[i].text);
	for (size_t p = 0; p < grid->points; p++) {
		search->outcome[p].cost = cost_of(&search->prices, search->axis, grid, p);
		if (search->prices.bounded && search->outcome[p].cost > search->prices.budget)
			grid->state[p] = AXIS_SEARCH_BARRED;
		else
			left++;
	}
	return left ? SL_OK
		    : sl_fail(err, SL_USAGE, "--budget: even the least that is searched over costs more");
}

/* A bound on nobody is a mistake, most likely. */
static int check_meant(const struct search *search, struct sl_err *err)
{
	for (size_t i = 0; i < search->until_count; i++)
		if (selector_of_jobs(search->until[i].selector) && !search->now.meant[i])
			return sl_fail(err, SL_USAGE, "--until '%.200s': no job of the trace is like that",
				search->until[i].text);
	return SL_OK;
}

static int make_grid(struct search *search, struct sl_err *err)
{
	struct axis_search *grid = &search->grid;
	*grid = (struct axis_search){ .axes = search->axis_count,
		.exhaustive = arg_flag(search->args, "exhaustive"),
		.attempt = attempt,
		.self = search };
	for (size_t i = 0; i < search->axis_count; i++) {
		grid->count[i] = search->axis[i].count;
		grid->unordered[i] = !search->axis[i].proven;
	}
	int status = axis_search_make(grid, err);
	if (status)
		return status;
	search->outcome = calloc(grid->points, sizeof(*search->outcome));
	return search->outcome ? bar(search, err) : sl_fail_memory(err);
}

/* ---- The answer ------------------------------------------------------------------------------------------
 */

static size_t nearest_point(const struct search *search)
{
	size_t best = SIZE_MAX;
	int64_t least = INT64_MAX;
	for (size_t p = 0; p < search->grid.points; p++) {
		if (!search->outcome[p].done)
			continue;
		const int64_t here = shortfall(search, p);
		if (best == SIZE_MAX || here < least) {
			best = p;
			least = here;
		}
	}
	return best;
}

/* What is compared of two answers: the cost; without prices, how far along the one axis that has an order. */
static int64_t whatif_search_rank(const struct search *search, size_t point)
{
	size_t ordered = 0, axis = 0;
	for (size_t i = 0; i < search->axis_count; i++)
		if (!search->axis[i].unordered) {
			axis = i;
			ordered++;
		}
	if (search->prices.any)
		return search->outcome[point].cost;
	return ordered == 1 ? (int64_t)axis_search_at(&search->grid, point, axis) : 0;
}

/* Those of one rank as they stand in the grid. */
static void whatif_search_sort(const struct search *search, size_t *point, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const size_t moved = point[i];
		size_t at = i;
		for (; at > 0 &&
			whatif_search_rank(search, point[at - 1]) > whatif_search_rank(search, moved);
			at--)
			point[at] = point[at - 1];
		point[at] = moved;
	}
}

static int whatif_search_answer(struct search *search, struct sl_err *err)
{
	struct axis_search *grid = &search->grid;
	if (!search->built)
		for (size_t p = 0; p < grid->points; p++)
			if (search->outcome[p].unbuilt)
				return search_fail_unbuilt(search, p, err);
	whatif_search_sort(search, grid->least, grid->least_count);
	const struct answers answers = { grid->least, grid->least_count, nearest_point(search) };
	const int status = arg_flag(search->args, "json") ? axis_search_json(search, &answers, err)
							  : axis_search_report(search, &answers, err);
	if (status || answers.count)
		return status;
	err->status = SL_CHECK_FAILED; /* Said on stdout. */
	return SL_CHECK_FAILED;
}

static int axis_search_points(struct search *search, struct sl_err *err)
{
	int status = make_grid(search, err);
	if (!status)
		status = axis_search_go(&search->grid, err);
	if (status == SL_INTERRUPTED && !arg_flag(search->args, "json"))
		search_report_partial(search);
	return status ? status : whatif_search_answer(search, err);
}

bool search_asked(const struct args *args)
{
	return arg(args, "until") || arg(args, "vary") || arg(args, "buy") || arg(args, "head-room");
}

int whatif_search(struct base *base, const struct args *args, struct sl_err *err)
{
	struct search *search = sl_alloc(args->arena, 1, sizeof(*search));
	uint64_t threads = 0, reps = 1;
	if (!search)
		return sl_fail_memory(err);
	*search = (struct search){ .args = args, .base = base, .arena = args->arena };
	int status = check_options(args, err);
	if (!status)
		status = arg_u64(args, "threads", 0, 1, 4096, &threads, err);
	if (!status)
		status = arg_u64(args, "reps", 1, 2, REPS_MAX, &reps, err);
	search->threads = (unsigned)threads;
	search->reps = (unsigned)reps;
	if (!status)
		status = read_untils(search, err);
	if (!status)
		status = read_axes(search, err);
	if (!status)
		status = replica_of_line(&search->replica, base, args, err);
	if (!status)
		status = whatif_search_prepare(search, err);
	search->intervals = arg(args, "head-room") != NULL;
	if (!status)
		status = search_try_now(search, err);
	if (!status)
		status = check_meant(search, err);
	if (!status)
		status = search->intervals ? curve_go(search, err) : axis_search_points(search, err);
	axis_search_release(&search->grid);
	free(search->outcome);
	return status;
}
