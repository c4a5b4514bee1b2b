/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_judge.c - the search over the spans tuned on; then the winner, what it is made of, and the front on
 * the spans that nobody looked at.
 *
 * A difference to today is tested over the judged spans, in their order, by the signs of what each has
 * (stats.h): if neither is better, each might have the other sign. The interval of the change is of all
 * changes that this test does not rule out.
 */
#include <math.h>
#include <string.h>

#include "cli/tune/tune.h"
#include "sim/base/stats.h"

/* ---- The search -------------------------------------------------------------------------------------- */

static void metrics_of(const struct tune *tune, const char **metric)
{
	for (size_t c = 0; c < tune->problem.columns; c++)
		metric[c] = tune->wanted[c].metric;
}

static int simulate(
	void *self, struct tune_search *search, const struct tune_ask *ask, size_t count, struct sl_err *err)
{
	struct tune *tune = self;
	const size_t columns = tune->problem.columns;
	const char *metric[TUNE_COLUMNS_MAX];
	size_t total = 0;
	size_t at = 0;
	struct sl_arena *arena = sl_arena_new();
	if (!arena)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++)
		total += ask[i].until - ask[i].from;
	struct simulated *simulated = sl_alloc(arena, total + 1, sizeof(*simulated));
	double *value = sl_alloc(arena, total * columns + 1, sizeof(*value));
	int status = simulated && value ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < count && !status; i++)
		for (uint32_t s = ask[i].from; s < ask[i].until; s++, at++)
			simulated[at] =
				(struct simulated){ .level = search->candidate[ask[i].candidate].level,
					.span = tune->order[s],
					.value = value + at * columns };
	metrics_of(tune, metric);
	log_line(LOG_INFO, "%zu settings on %u spans", count, ask[0].until);
	if (!status)
		status = simulate_points(tune, simulated, total, metric, columns, err);
	at = 0;
	for (size_t i = 0; i < count && !status; i++) {
		struct tune_candidate *candidate = &search->candidate[ask[i].candidate];
		for (uint32_t s = ask[i].from; s < ask[i].until; s++, at++) {
			candidate->failed |= simulated[at].failed;
			for (size_t c = 0; c < columns; c++)
				candidate->value[c * tune->problem.spans + s] = simulated[at].value[c];
		}
	}
	sl_arena_free(arena);
	return status;
}

/* ---- Groups of jobs ---------------------------------------------------------------------------------------
 */

/* A word of a selector: signs of its language made plain. */
static const char *plain_word(struct sl_arena *arena, const char *text)
{
	char *made = sl_alloc(arena, 2 * strlen(text) + 1, 1);
	char *to = made;
	for (; made && *text; text++) {
		if (strchr("\\{},|=!<>", *text))
			*to++ = '\\';
		*to++ = *text;
	}
	return made;
}

struct counted {
	const char *name;
	uint32_t jobs;
};

/* The names of a kind that have most jobs, at most 12; none, where jobs have none. */
static size_t most_of(const int32_t *of, const char *const *names, const struct sl_jobs *jobs,
	struct counted *most, struct sl_arena *arena)
{
	enum { MOST = GAINERS_MAX / 3, NUMBERS_MAX = 10000000 };
	size_t count = 0;
	int32_t last = -1;
	for (uint32_t i = 0; of && i < jobs->count; i++)
		last = of[i] > last ? of[i] : last;
	/* Numbers of users may be any. */
	uint32_t *jobs_of =
		last >= 0 && last < NUMBERS_MAX ? sl_alloc(arena, (size_t)last + 1, sizeof(*jobs_of)) : NULL;
	for (uint32_t i = 0; jobs_of && i < jobs->count; i++)
		if (of[i] >= 0)
			jobs_of[of[i]]++;
	for (; jobs_of && count < MOST; count++) {
		char number[32];
		int32_t best = 0;
		for (int32_t k = 1; k <= last; k++)
			best = jobs_of[k] > jobs_of[best] ? k : best;
		if (!jobs_of[best])
			break;
		*sl_put_i64(number, best) = '\0';
		const char *name =
			names && names[best] ? names[best] : sl_strdup(arena, number, strlen(number));
		most[count] = (struct counted){ name, jobs_of[best] };
		jobs_of[best] = 0;
	}
	return count;
}

static void groups_read(struct tune *tune)
{
	const struct sl_jobs *jobs = &tune->scenario.jobs;
	const struct {
		const char *kind;
		const int32_t *of;
		const char *const *names;
	} kind[] = { { "user", jobs->user, jobs->user_name },
		{ "account", jobs->account, jobs->account_name },
		{ "partition", jobs->partition, jobs->partition_name } };
	for (size_t k = 0; k < SL_LEN(kind); k++) {
		struct counted most[GAINERS_MAX];
		const size_t count = most_of(kind[k].of, kind[k].names, jobs, most, tune->arena);
		/* One alone is all. */
		for (size_t i = 0; i < count && count > 1 && most[i].name; i++)
			tune->gainer[tune->groups++] =
				(struct gainer){ .kind = kind[k].kind, .name = most[i].name };
	}
}

/* ---- On the other spans -----------------------------------------------------------------------------------
 */

/* Of candidates on the spans judged: values by candidate, by span, by metric. */
struct judging {
	struct tune *tune;
	const uint32_t (*level)[TUNE_AXES_MAX];
	size_t count;
	const char **metric;
	size_t metrics;
	double *value;
	bool *failed;
	struct sl_arena *arena;
};

static size_t judged_spans(const struct tune *tune) { return tune->spans - tune->problem.spans; }

static int judging_run(struct judging *judging, struct sl_err *err)
{
	struct tune *tune = judging->tune;
	const size_t spans = judged_spans(tune);
	const size_t total = judging->count * spans;
	struct simulated *simulated = sl_alloc(judging->arena, total + 1, sizeof(*simulated));
	judging->value = sl_alloc(judging->arena, total * judging->metrics + 1, sizeof(double));
	judging->failed = sl_alloc(judging->arena, judging->count + 1, sizeof(bool));
	if (!simulated || !judging->value || !judging->failed)
		return sl_fail_memory(err);
	for (size_t i = 0; i < total; i++)
		simulated[i] = (struct simulated){ .level = judging->level[i / spans],
			.span = tune->problem.spans + i % spans,
			.value = judging->value + i * judging->metrics };
	const int status = simulate_points(tune, simulated, total, judging->metric, judging->metrics, err);
	for (size_t i = 0; i < total && !status; i++)
		judging->failed[i / spans] |= simulated[i].failed;
	return status;
}

static double judged_value(const struct judging *judging, size_t candidate, size_t span, size_t metric)
{
	return judging->value[(candidate * judged_spans(judging->tune) + span) * judging->metrics + metric];
}

/* One column of a candidate beside another. */
static void judge_column(
	const struct judging *judging, size_t is, size_t was, size_t column, struct judged_column *to)
{
	double difference[TUNE_SPANS_MAX] = { 0 };
	double before[TUNE_SPANS_MAX] = { 0 };
	double sum = 0;
	double sum_before = 0;
	unsigned count = 0;
	for (size_t s = 0; s < judged_spans(judging->tune) && count < TUNE_SPANS_MAX; s++) {
		const double x = judged_value(judging, is, s, column);
		const double y = judged_value(judging, was, s, column);
		if (isnan(x) || isnan(y))
			continue;
		sum += x;
		sum_before += y;
		difference[count] = x - y;
		before[count++] = y;
	}
	*to = (struct judged_column){ .spans = count,
		.today = count ? sum_before / count : (double)NAN,
		.is = count ? sum / count : (double)NAN };
	for (unsigned i = 0; i < count; i++)
		to->differing += difference[i] != 0;
	to->told = stats_signs(difference, count, true) <= 0.05;
	to->bounded = to->differing >= TUNE_DIFFERING_LEAST &&
		      stats_signs_ratio(difference, before, count, true, 0.95, &to->low, &to->high);
}

static void judge(const struct judging *judging, size_t is, size_t was, struct judged *to)
{
	to->failed = judging->failed[is] || judging->failed[was];
	for (size_t c = 0; c < judging->tune->problem.columns; c++)
		judge_column(judging, is, was, c, &to->column[c]);
}

bool judged_holds(const struct tune *tune, const struct judged *judged, size_t column)
{
	const struct tune_column *of = &tune->problem.column[column];
	const struct judged_column *is = &judged->column[column];
	switch (of->kind) {
	case TUNE_AT_MOST:
		return !(is->is > of->bound);
	case TUNE_BELOW:
		return !(is->is >= of->bound);
	case TUNE_AT_LEAST:
		return !(is->is < of->bound);
	case TUNE_ABOVE:
		return !(is->is <= of->bound);
	case TUNE_NO_MORE:
		return !(is->told && is->is > is->today);
	case TUNE_NO_LESS:
		return !(is->told && is->is < is->today);
	case TUNE_LESS:
	case TUNE_MORE:
		break;
	}
	return true;
}

/* Better: some goal is told to be, none to be worse, and all that must hold holds. */
static enum tune_verdict verdict_of(const struct tune *tune, const struct judged *winner)
{
	bool better = false;
	bool worse = winner->failed;
	bool holds = true;
	for (size_t c = 0; c < tune->problem.columns; c++) {
		const struct judged_column *column = &winner->column[c];
		const double change = tune->problem.column[c].kind == TUNE_MORE ? column->today - column->is
										: column->is - column->today;
		holds &= judged_holds(tune, winner, c);
		if (!tune_is_goal(&tune->problem.column[c]) || !column->told)
			continue;
		better |= change < 0;
		worse |= change > 0;
	}
	if (worse)
		return better && holds && !winner->failed ? TUNE_TRADE : TUNE_WORSE;
	return better && holds ? TUNE_BETTER : TUNE_NO_BETTER;
}

/* Sums over spans of jobs, and of what they waited. */
static void gainer_take(const struct judging *judging, size_t group, struct gainer *gainer)
{
	const size_t columns = judging->tune->problem.columns;
	for (size_t s = 0; s < judged_spans(judging->tune); s++) {
		const double jobs = judged_value(judging, 0, s, columns + 2 * group);
		const double was = judged_value(judging, 0, s, columns + 2 * group + 1);
		const double is = judged_value(judging, 1, s, columns + 2 * group + 1);
		if (isnan(jobs) || isnan(was) || isnan(is))
			continue;
		gainer->jobs += jobs;
		gainer->was += jobs * was;
		gainer->is += jobs * is;
	}
	gainer->was /= gainer->jobs > 0 ? gainer->jobs : 1;
	gainer->is /= gainer->jobs > 0 ? gainer->jobs : 1;
}

/* Most moved first, by hours in all. */
static void gainers_sort(struct tune *tune)
{
	for (size_t i = 1; i < tune->gainers; i++)
		for (size_t k = i; k > 0; k--) {
			struct gainer *a = &tune->gainer[k - 1];
			struct gainer *b = &tune->gainer[k];
			if (strcmp(a->kind, b->kind) != 0 ||
				fabs(a->is - a->was) * a->jobs >= fabs(b->is - b->was) * b->jobs)
				break;
			const struct gainer swap = *a;
			*a = *b;
			*b = swap;
		}
}

/* Today and the winner, with all groups' waits. */
static int judge_winner(struct judging *judging, struct sl_err *err)
{
	struct tune *tune = judging->tune;
	const size_t columns = tune->problem.columns;
	uint32_t level[2][TUNE_AXES_MAX];
	groups_read(tune);
	judging->metrics = columns + 2 * tune->groups;
	judging->metric = sl_alloc(judging->arena, judging->metrics + 1, sizeof(*judging->metric));
	if (!judging->metric)
		return sl_fail_memory(err);
	metrics_of(tune, judging->metric);
	for (size_t g = 0; g < tune->groups; g++) {
		const struct gainer *gainer = &tune->gainer[g];
		const char *word = plain_word(judging->arena, gainer->name);
		judging->metric[columns + 2 * g] =
			text_made(judging->arena, "jobs.total{%s=%s}", gainer->kind, word ? word : "");
		judging->metric[columns + 2 * g + 1] =
			text_made(judging->arena, "wait.mean{%s=%s}", gainer->kind, word ? word : "");
		if (!word || !judging->metric[columns + 2 * g] || !judging->metric[columns + 2 * g + 1])
			return sl_fail_memory(err);
	}
	memcpy(level[0], tune->search.candidate[0].level, sizeof(level[0]));
	memcpy(level[1], tune->search.candidate[tune->search.best].level, sizeof(level[1]));
	judging->level = level;
	judging->count = 2;
	const int status = judging_run(judging, err);
	if (status)
		return status;
	judge(judging, 1, 0, &tune->front[0]);
	for (size_t g = 0; g < tune->groups; g++)
		gainer_take(judging, g, &tune->gainer[g]);
	/* Whoever has no job there is left out. */
	for (size_t g = 0; g < tune->groups; g++)
		if (tune->gainer[g].jobs > 0)
			tune->gainer[tune->gainers++] = tune->gainer[g];
	gainers_sort(tune);
	return SL_OK;
}

/* The rest of the front beside today, and the winner with each knob put back alone (with what it is linked
 * with) beside the winner. */
static int judge_others(struct judging *judging, struct sl_err *err)
{
	struct tune *tune = judging->tune;
	const size_t axes = tune->problem.axes;
	const uint32_t *winner = tune->search.candidate[tune->search.best].level;
	uint32_t level[2 + FRONT_MAX + TUNE_AXES_MAX][TUNE_AXES_MAX];
	size_t of[TUNE_AXES_MAX];
	size_t count = 2;
	memcpy(level[0], tune->search.candidate[0].level, sizeof(level[0]));
	memcpy(level[1], winner, sizeof(level[1]));
	for (size_t i = 1; i < tune->front_count; i++)
		memcpy(level[count++], tune->search.candidate[tune->front[i].candidate].level,
			sizeof(level[0]));
	for (size_t a = 0; a < axes; a++) {
		of[a] = count;
		if (winner[a] == tune->problem.axis[a].today)
			continue;
		memcpy(level[count], winner, sizeof(level[0]));
		for (size_t b = 0; b < axes; b++)
			if (tune_together(&tune->problem, a, b))
				level[count][b] = tune->problem.axis[b].today;
		count++;
	}
	judging->metrics = tune->problem.columns;
	judging->level = level;
	judging->count = count;
	const int status = judging_run(judging, err);
	for (size_t i = 1; i < tune->front_count && !status; i++)
		judge(judging, 1 + i, 0, &tune->front[i]);
	for (size_t a = 0; a < axes && !status; a++)
		if (winner[a] != tune->problem.axis[a].today)
			judge(judging, of[a], 1, &tune->back[a]);
	return status;
}

/* The winner first, then the rest of the front. */
static int front_take(struct tune *tune, struct sl_err *err)
{
	size_t front[FRONT_MAX];
	unsigned goals = 0;
	tune->front = sl_alloc(tune->arena, FRONT_MAX + 1, sizeof(*tune->front));
	if (!tune->front)
		return sl_fail_memory(err);
	tune->front[tune->front_count++].candidate = tune->search.best;
	for (size_t c = 0; c < tune->problem.columns; c++)
		goals += tune_is_goal(&tune->problem.column[c]);
	const size_t count = goals > 1 ? tune_front(&tune->search, front, FRONT_MAX) : 0;
	for (size_t i = 0; i < count && tune->front_count < FRONT_MAX; i++)
		if (front[i] != tune->search.best &&
			tune_score(&tune->search, &tune->search.candidate[front[i]], tune->problem.spans)
					.excess <= 0)
			tune->front[tune->front_count++].candidate = front[i];
	return SL_OK;
}

int tune_go(struct tune *tune, struct sl_err *err)
{
	struct judging judging = { .tune = tune };
	int status = knobs_check(tune, err);
	if (status)
		return status;
	status = tune_search_run(&tune->search, &tune->problem, tune->arena, simulate, tune, err);
	if (!status)
		status = front_take(tune, err);
	tune->verdict = TUNE_NOTHING_FOUND;
	if (status || (tune->search.best == 0 && tune->front_count == 1))
		return status;
	judging.arena = sl_arena_new();
	if (!judging.arena)
		return sl_fail_memory(err);
	status = judge_winner(&judging, err);
	if (!status)
		status = judge_others(&judging, err);
	sl_arena_free(judging.arena);
	tune->verdict = tune->search.best ? verdict_of(tune, &tune->front[0]) : TUNE_NOTHING_FOUND;
	return status;
}
