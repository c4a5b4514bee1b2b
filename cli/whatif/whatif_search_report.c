/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_search_report.c - a search's points and its answer, as a table with sentences below, and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/whatif/whatif_search.h"

enum { ROWS_MAX = 40, ROWS_AROUND = 12, BREAKS_DISPLAYED = 8 };

/* ---- Words ------------------------------------------------------------------------------------------- */

static const char *value_at(const struct search *search, size_t point, size_t axis)
{
	return search->axis[axis].value[axis_search_at(&search->grid, point, axis)];
}

const char *point_text(char text[POINT_TEXT], const struct search *search, size_t point)
{
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < search->axis_count && used < POINT_TEXT; i++)
		used += (size_t)snprintf(text + used, POINT_TEXT - used, "%s%s=%s", i ? " " : "",
			search->axis[i].name, value_at(search, point, i));
	return text;
}

static bool has_interval(const struct figure *figure) { return figure->low <= figure->high; }

/* "0:09:00 within": how far from the bound; "" where that is not one number. */
static const char *margin_text(char text[64], const struct threshold *until, const struct figure *figure)
{
	char number[48];
	int64_t margin;
	*text = '\0';
	if (!figure->known || !threshold_margin(until, figure->mean, &margin))
		return text;
	const bool met = threshold_met(until, figure->mean);
	(void)snprintf(text, 64, "%.40s %s",
		summary_text(number, selector_unit(until->selector), margin < 0 ? -margin : margin),
		met ? "within" : "beyond");
	return text;
}

/* What a served GPU-hour costs: of prices per node, over the run; else by its duration. */
static bool rate_of(const struct search *search, const struct outcome *outcome, int64_t *micro)
{
	static const int64_t hours[] = { [PRICE_PIECE] = 0, [PRICE_MONTH] = 730, [PRICE_HOUR] = 1 };
	const struct figure *served = &outcome->served;
	const int64_t per = hours[search->prices.per];
	if (!served->known || served->mean <= 0 || !outcome->makespan.known || outcome->cost <= 0)
		return false;
	__int128 top = (__int128)outcome->cost * 1000000;
	if (per)
		top = top / 1000000 * outcome->makespan.mean / ((__int128)3600 * per);
	const __int128 rate = top / served->mean;
	*micro = rate > INT64_MAX ? INT64_MAX : (int64_t)rate;
	return true;
}

/* ---- The table ---------------------------------------------------------------------------------------- */

/* Columns that are there. */
struct columns {
	bool seeds, cost, rate, jobs, never;
	size_t count;
};

static struct columns columns_of(const struct search *search)
{
	struct columns columns = { .seeds = search->reps > 1, .cost = search->prices.any };
	for (size_t p = 0; p < search->grid.points; p++) {
		const struct outcome *outcome = &search->outcome[p];
		int64_t rate;
		if (!outcome->done)
			continue;
		columns.jobs |= outcome->jobs != search->now.jobs;
		columns.never |= outcome->never != search->now.never;
		columns.rate |= columns.cost && rate_of(search, outcome, &rate);
	}
	columns.count = search->axis_count + search->until_count * (columns.seeds ? 2 : 1) + 1 +
			columns.cost + columns.rate + columns.jobs + columns.never + 1;
	return columns;
}

static void table_head(struct screen_table *table, const struct search *search, const struct columns *columns)
{
	for (size_t i = 0; i < search->axis_count; i++)
		screen_cell(table, true, "%.60s", search->axis[i].name);
	for (size_t i = 0; i < search->until_count; i++) {
		screen_cell(table, true, "%.60s", selector_text(search->until[i].selector));
		if (columns->seeds)
			screen_cell(table, true, "seeds");
	}
	screen_cell(table, false, "holds");
	if (columns->cost)
		screen_cell(table, true, "cost");
	if (columns->rate)
		screen_cell(table, true, "a served %s", search->served_unit);
	if (columns->jobs)
		screen_cell(table, true, "jobs");
	if (columns->never)
		screen_cell(table, true, "never started");
	screen_cell(table, false, "%s", "");
}

static void count_cell(struct screen_table *table, const struct outcome *outcome, uint32_t count)
{
	if (outcome->unbuilt)
		screen_cell(table, true, "-");
	else
		screen_cell(table, true, "%" PRIu32, count);
}

static void table_row(struct screen_table *table, const struct search *search, const struct columns *columns,
	const struct outcome *outcome, size_t point, const char *mark)
{
	char number[64];
	for (size_t i = 0; i < search->axis_count; i++)
		screen_cell(table, true, "%.60s", point == SIZE_MAX ? "now" : value_at(search, point, i));
	for (size_t i = 0; i < search->until_count; i++) {
		const struct figure *figure = &outcome->until[i];
		screen_cell(table, true, "%s",
			outcome->unbuilt ? "-" : figure_text(number, search->until[i].selector, figure));
		if (columns->seeds && outcome->unbuilt)
			screen_cell(table, true, "-");
		else if (columns->seeds)
			screen_cell(table, true, "%u of %u", figure->seeds, search->reps);
	}
	screen_cell(table, false, "%s", outcome->unbuilt ? "" : outcome->holds ? "yes" : "no");
	if (columns->cost)
		screen_cell(table, true, "%s",
			point == SIZE_MAX ? "0" : price_text(number, &search->prices, outcome->cost));
	if (columns->rate) {
		int64_t rate;
		const bool known = rate_of(search, outcome, &rate);
		screen_cell(table, true, "%s", known ? screen_number(number, rate, 2) : "");
	}
	if (columns->jobs)
		count_cell(table, outcome, outcome->jobs);
	if (columns->never)
		count_cell(table, outcome, outcome->never);
	screen_cell(table, false, "%s", mark);
}

static bool is_answer(const struct answers *answers, size_t point)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->answer[i] == point)
			return true;
	return false;
}

static const char *mark_of(const struct search *search, const struct answers *answers, size_t point)
{
	if (answers->count && answers->answer[0] == point)
		return "<- the answer";
	if (is_answer(answers, point))
		return "<- will do";
	if (search->outcome[point].unbuilt)
		return "<- cannot be made";
	if (search->outcome[point].left_out)
		return "<- leaves jobs out";
	return axis_search_breaks(&search->grid, point) ? "<- fails, although less will do" : "";
}

/* Of many points on one axis those about the answer, of a grid the answers alone, as long as these are few.
 */
static bool whatif_search_report_is_displayed(
	const struct search *search, const struct answers *answers, size_t point)
{
	const size_t about = answers->count ? answers->answer[0] : answers->best;
	const bool answer = answers->count <= ROWS_MAX && is_answer(answers, point);
	if (search->grid.tried <= ROWS_MAX)
		return true;
	if (search->axis_count > 1)
		return answer || point == about;
	return answer || (point < about ? about - point : point - about) <= ROWS_AROUND;
}

/* Each reason once, with the first point that has it. */
void search_unbuilt(const struct search *search)
{
	const char *last = NULL;
	for (size_t p = 0; p < search->grid.points; p++) {
		const char *why = search->outcome[p].unbuilt;
		char text[POINT_TEXT];
		if (why && (!last || strcmp(why, last) != 0))
			(void)printf("%s cannot be made: %s\n", point_text(text, search, p), why);
		last = why ? why : last;
	}
}

static size_t count_unbuilt(const struct search *search)
{
	size_t count = 0;
	for (size_t p = 0; p < search->grid.points; p++)
		count += search->grid.state[p] == AXIS_SEARCH_UNBUILT;
	return count;
}

static void print_table(const struct search *search, const struct answers *answers)
{
	const struct columns columns = columns_of(search);
	struct screen_table *table = screen_table_new(search->arena, columns.count);
	size_t hidden = 0;
	table_head(table, search, &columns);
	table_row(table, search, &columns, &search->now, SIZE_MAX, "");
	for (size_t p = 0; p < search->grid.points; p++) {
		if (!search->outcome[p].done && !search->outcome[p].unbuilt)
			continue;
		if (whatif_search_report_is_displayed(search, answers, p))
			table_row(
				table, search, &columns, &search->outcome[p], p, mark_of(search, answers, p));
		else
			hidden++;
	}
	screen_print(table, stdout);
	if (hidden)
		(void)printf("and %zu more points that were simulated: --json has all\n", hidden);
	search_unbuilt(search);
}

/* ---- Sentences ---------------------------------------------------------------------------------------- */

static void print_figures(const struct search *search, const struct outcome *outcome)
{
	for (size_t i = 0; i < search->until_count; i++) {
		const struct threshold *until = &search->until[i];
		const struct figure *figure = &outcome->until[i];
		char number[48], margin[64];
		(void)printf("%s%s is %s", i ? "; " : "", selector_text(until->selector),
			figure_text(number, until->selector, figure));
		if (*margin_text(margin, until, figure))
			(void)printf(", %s", margin);
		if (search->reps > 1) {
			char low[48], high[48];
			const enum summary_unit unit = selector_unit(until->selector);
			(void)printf(" (holds for %u of %u seeds", figure->seeds, search->reps);
			if (has_interval(figure))
				(void)printf("; by them the mean is %s to %s",
					summary_text(low, unit, figure->low),
					summary_text(high, unit, figure->high));
			(void)printf(")");
		}
	}
	if (outcome->left_out)
		(void)printf(", but %" PRIu32 " fewer jobs start than now", outcome->left_out);
	(void)printf("\n");
}

static void print_neighbours(const struct search *search, size_t point)
{
	for (size_t axis = 0; axis < search->axis_count; axis++)
		for (int step = -1; step <= 1; step += 2) {
			const size_t other = search->axis[axis].unordered
						     ? SIZE_MAX
						     : axis_search_step(&search->grid, point, axis, step);
			char text[POINT_TEXT];
			if (other == SIZE_MAX || !search->outcome[other].done)
				continue;
			(void)printf("  %s: ", point_text(text, search, other));
			print_figures(search, &search->outcome[other]);
		}
}

static void print_until(const struct search *search)
{
	for (size_t i = 0; i < search->until_count; i++)
		(void)printf("%s%s", i ? " and " : "", search->until[i].text);
}

/* Along which one point speaks for others. */
static size_t proven_axes(const struct search *search)
{
	size_t proven = 0;
	for (size_t i = 0; i < search->axis_count; i++)
		proven += search->axis[i].proven;
	return proven;
}

/* Along which something is more than something else. */
static size_t ordered_axes(const struct search *search)
{
	size_t ordered = 0;
	for (size_t i = 0; i < search->axis_count; i++)
		ordered += !search->axis[i].unordered;
	return ordered;
}

/* "the least", "the most", "the least along cpus+". */
static void print_superlative(const struct search *search)
{
	const size_t ordered = ordered_axes(search);
	size_t axis = 0;
	while (axis + 1 < search->axis_count && search->axis[axis].unordered)
		axis++;
	const char *most = search->axis[axis].falls ? "the most" : "the least";
	if (ordered == 1 && search->axis_count == 1)
		(void)printf("%s", most);
	else if (ordered == 1)
		(void)printf("%s along %s", most, search->axis[axis].name);
	else
		(void)printf("%s", ordered ? "one of the least" : "one");
}

/* Said of what was simulated, and of nothing else. */
static void print_none(const struct search *search)
{
	const size_t simulated = search->grid.tried - count_unbuilt(search);
	if (simulated == search->grid.points)
		(void)printf("none will do, 0 of %zu: ", simulated);
	else
		(void)printf("none of the %zu that were simulated, of %zu, will do: ", simulated,
			search->grid.points);
}

static void print_answer(const struct search *search, const struct answers *answers)
{
	char text[POINT_TEXT];
	const size_t best = answers->count ? answers->answer[0] : answers->best;
	(void)printf("\n");
	if (best == SIZE_MAX)
		return;
	const struct outcome *outcome = &search->outcome[best];
	if (answers->count) {
		char price[64];
		(void)printf("%s is ", point_text(text, search, best));
		if (search->prices.any)
			(void)printf("the cheapest");
		else
			print_superlative(search);
		(void)printf(" with ");
		print_until(search);
		if (search->prices.any)
			(void)printf(", at %s", price_text(price, &search->prices, outcome->cost));
		(void)printf("\n");
	} else {
		print_none(search);
		print_until(search);
		(void)printf("\nnearest is %s\n", point_text(text, search, best));
	}
	(void)printf("  %s: ", point_text(text, search, best));
	print_figures(search, outcome);
	print_neighbours(search, best);
}

/* The least point of the one axis from which on all that were simulated hold; SIZE_MAX: the last one fails.
 */
static size_t from_here_on(const struct search *search)
{
	size_t from = SIZE_MAX;
	for (size_t p = search->grid.points; p-- > 0;) {
		if (!search->outcome[p].done)
			continue;
		if (!search->outcome[p].holds)
			break;
		from = p;
	}
	return from;
}

/* Which of them were gone through, and why. */
static void print_no_order(const struct search *search)
{
	if (search->until_count && !bounds_have_order(search->until, search->until_count))
		(void)printf("each value was simulated: no order is proven for this bound\n");
	else
		for (size_t i = 0; i < search->axis_count; i++)
			if (!search->axis[i].proven && !search->axis[i].unordered &&
				search->axis[i].count > 2)
				(void)printf("each value of %s was simulated: no order is proven for it\n",
					search->axis[i].name);
}

/* How much of it was simulated, and what that proves. */
static void print_proof(const struct search *search, const struct answers *answers)
{
	const struct axis_search *grid = &search->grid;
	size_t barred = 0, broken = 0;
	for (size_t p = 0; p < grid->points; p++) {
		barred += grid->state[p] == AXIS_SEARCH_BARRED;
		broken += axis_search_breaks(grid, p);
	}
	const size_t open = grid->points - barred;
	const size_t unbuilt = count_unbuilt(search);
	(void)printf("\n%zu of %zu points were simulated", grid->tried - unbuilt, open);
	if (barred)
		(void)printf(" (%zu cost more than the budget)", barred);
	if (unbuilt)
		(void)printf(" (%zu cannot be made)", unbuilt);
	if (broken) {
		size_t shown = 0;
		(void)printf("; not monotone: it fails at");
		for (size_t p = 0; p < grid->points && shown < BREAKS_DISPLAYED; p++) {
			char text[POINT_TEXT];
			if (axis_search_breaks(grid, p))
				(void)printf("%s %s", shown++ ? "," : "", point_text(text, search, p));
		}
		(void)printf("%s, although less will do", broken > shown ? " ..." : "");
		const size_t from = search->axis_count == 1 ? from_here_on(search) : SIZE_MAX;
		char text[POINT_TEXT];
		if (from != SIZE_MAX)
			(void)printf("; from %s on it holds at each", point_text(text, search, from));
	} else if (answers->count && proven_axes(search)) {
		(void)printf("; among them it holds from %s on, and nowhere below",
			answers->count > 1 ? "each answer" : "the answer");
	}
	if (grid->tried < open)
		(void)printf(
			". What was not simulated is taken to be like its neighbours: --exhaustive tries all");
	(void)printf("\n");
	print_no_order(search);
}

void search_caveats(const struct search *search)
{
	const struct columns columns = columns_of(search);
	uint32_t least = UINT32_MAX, most = 0;
	for (size_t p = 0; p < search->grid.points; p++) {
		if (!search->outcome[p].done)
			continue;
		const uint32_t outside = search->outcome[p].outside;
		least = outside < least ? outside : least;
		most = outside > most ? outside : most;
	}
	if (columns.jobs || columns.never)
		(void)printf(
			"not every point replays (or starts) the same jobs: what does not fit a machine is no part "
			"of its waits, and where fewer start than now the bound does not hold\n");
	if (most > search->now.outside)
		(void)printf(
			"up to %" PRIu32
			" of the added nodes are in no partition, and jobs of partitions do not use them: name the "
			"entry itself in the partition's 'nodes', not its nodes one by one\n",
			most - search->now.outside);
}

void search_report_partial(const struct search *search)
{
	const struct answers none = { NULL, 0, 0 };
	size_t done = 0;
	for (size_t p = 0; p < search->grid.points; p++)
		done += search->outcome[p].done;
	print_table(search, &none);
	(void)printf("\ninterrupted: partial, %zu points were simulated, and there is no answer yet\n", done);
}

int axis_search_report(const struct search *search, const struct answers *answers, struct sl_err *err)
{
	(void)err;
	print_table(search, answers);
	print_answer(search, answers);
	print_proof(search, answers);
	search_caveats(search);
	return SL_OK;
}

/* ---- JSON -----------------------------------------------------------------------------------------------
 */

static void put_interval(struct json *json, const struct figure *figure)
{
	if (has_interval(figure))
		json_put(json, datum_micro("low", figure->low), datum_micro("high", figure->high));
	json_close(json);
}

static void put_figure(struct json *json, const struct search *search, const struct threshold *until,
	const struct figure *figure)
{
	int64_t margin;
	json_nest(json, until->text, '{', &json_tight);
	json_put(json, datum_micro("value", figure->known ? figure->mean : SL_NONE),
		datum_flag("holds", figure->known && threshold_met(until, figure->mean)));
	if (figure->known && threshold_margin(until, figure->mean, &margin))
		json_put(json, datum_micro("margin", margin));
	if (search->reps > 1)
		json_put(json, datum_count("seeds", search->reps),
			datum_count("seeds_that_hold", figure->seeds));
	put_interval(json, figure);
}

/* Of a metric that has no bound. */
static void put_more(struct json *json, const struct selector *selector, const struct figure *figure)
{
	if (!figure->known) {
		json_put(json, datum_text(selector_text(selector), NULL));
		return;
	}
	json_nest(json, selector_text(selector), '{', &json_tight);
	json_put(json, datum_micro("value", figure->mean));
	put_interval(json, figure);
}

void search_put_point(struct json *json, const char *name, const struct search *search,
	const struct outcome *outcome, size_t point)
{
	int64_t rate;
	json_nest(json, name, '{', &json_tight);
	json_nest(json, "settings", '{', &json_tight);
	for (size_t i = 0; i < search->axis_count && point != SIZE_MAX; i++)
		json_put(json, datum_text(search->axis[i].name, value_at(search, point, i)));
	json_close(json);
	if (outcome->unbuilt) {
		json_put(json, datum_text("holds", NULL), datum_text("cannot_be_made", outcome->unbuilt));
		json_close(json);
		return;
	}
	json_put(json, datum_flag("holds", outcome->holds));
	json_nest(json, "until", '{', &json_tight);
	for (size_t i = 0; i < search->until_count; i++)
		put_figure(json, search, &search->until[i], &outcome->until[i]);
	json_close(json);
	if (search->prices.any && point != SIZE_MAX) {
		json_put(json, datum_micro("cost", outcome->cost),
			datum_if(outcome->served.known, datum_micro("served_hours", outcome->served.mean)));
		if (rate_of(search, outcome, &rate))
			json_put(json, datum_micro("cost_of_a_served_hour", rate));
	}
	for (size_t i = 0; i < CURVE_METRICS && search->more[i]; i++)
		put_more(json, search->more[i], &outcome->more[i]);
	json_put(json, datum_count("jobs", outcome->jobs), datum_count("never_started", outcome->never),
		datum_count("left_out", outcome->left_out));
	json_close(json);
}

static void put_list(
	struct json *json, const char *name, const struct search *search, const size_t *point, size_t count)
{
	json_nest(json, name, '[', &json_lines_4);
	for (size_t i = 0; i < count; i++)
		search_put_point(json, NULL, search, &search->outcome[point[i]], point[i]);
	json_close(json);
}

int axis_search_json(const struct search *search, const struct answers *answers, struct sl_err *err)
{
	static const struct json_form simulated = { "\n    ", ",\n    ", "\n  ", true };
	const struct axis_search *grid = &search->grid;
	struct json json;
	size_t barred = 0, broken = 0;
	const size_t unbuilt = count_unbuilt(search);
	const int status = json_start(&json, &json_lines_2, err);
	if (status)
		return status;
	for (size_t p = 0; p < grid->points; p++) {
		barred += grid->state[p] == AXIS_SEARCH_BARRED;
		broken += axis_search_breaks(grid, p);
	}
	json_put(&json, datum_text("schema", "schedlab.search/1"));
	json_nest(&json, "vary", '[', &json_tight);
	for (size_t i = 0; i < search->axis_count; i++)
		json_put(&json, datum_text(NULL, search->axis[i].text));
	json_close(&json);
	json_put(&json, datum_count("points", grid->points), datum_count("beyond_budget", barred),
		datum_count("simulated", grid->tried - unbuilt), datum_count("cannot_be_made", unbuilt));
	json_nest(&json, "proven_order", '[', &json_tight);
	for (size_t i = 0; i < search->axis_count; i++)
		json_put(&json, datum_flag(NULL, search->axis[i].proven));
	json_close(&json);
	const size_t from = broken && search->axis_count == 1 ? from_here_on(search) : SIZE_MAX;
	json_put(&json, datum_given("holds_from", from != SIZE_MAX ? value_at(search, from, 0) : NULL),
		datum_flag("exhaustive", grid->tried == grid->points - barred),
		datum_flag("monotone", !broken));
	search_put_point(&json, "now", search, &search->now, SIZE_MAX);
	put_list(&json, "answers", search, answers->answer, answers->count);
	put_list(&json, "nearest", search, &answers->best, !answers->count && answers->best != SIZE_MAX);
	json_nest(&json, "simulated_points", '[', &simulated);
	for (size_t p = 0; p < grid->points; p++)
		if (search->outcome[p].done || search->outcome[p].unbuilt)
			search_put_point(&json, NULL, search, &search->outcome[p], p);
	return json_finish(&json, SL_OK, err);
}
