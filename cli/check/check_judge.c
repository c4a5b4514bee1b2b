/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_judge.c - results compared with the baseline: an item a case's inputs, its decisions, and a metric.
 *
 * A family that is tested fails if two things hold: the interval of its shift (Hodges and Lehmann, at 1 -
 * alpha) lies beyond the tolerance as a whole, and the p of that, adjusted by Holm over all tested metrics of
 * the check, is below alpha. The shift is of pairs, the same seed or the same trace before and now.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/check_impact.h"
#include "sim/base/stats.h"

const char *check_status_name(enum check_status status)
{
	static const char *const name[] = { "ok", "moved", "better", "new", "warn", "FAIL", "CHANGED",
		"UNSTABLE" };
	return name[status];
}

struct check_item *check_item_new(
	struct check *check, enum check_what what, const struct baseline_case *of, struct sl_err *err)
{
	if (SL_GROW_MOST(check->reported, check->reported_capacity, check->reported_count + 1,
		    (size_t)1 << 26, err))
		return NULL;
	struct check_item *item = &check->reported[check->reported_count++];
	*item = (struct check_item){ .what = what, .of = of };
	return item;
}

enum { DETAIL_MAX = 599 };

const char *check_text(struct check *check, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = text_vmade(check->arena, format, args);
	va_end(args);
	if (text)
		text[strnlen(text, DETAIL_MAX)] = '\0';
	return text;
}

/* ---- Inputs and decisions ---------------------------------------------------------------- */

static int judge_inputs(struct check *check, const struct check_case *found, struct sl_err *err)
{
	struct check_item *item = found->changed ? check_item_new(check, CHECK_INPUTS, found->of, err) : NULL;
	if (!found->changed)
		return SL_OK;
	if (!item)
		return SL_SYSTEM;
	item->name = "inputs";
	item->status = CHECK_CHANGED;
	item->at = baseline_place(&check->baseline, found->of->id_range.key);
	item->detail = found->what_changed;
	return SL_OK;
}

static size_t count_differing(const struct check_case *found)
{
	size_t count = 0;
	for (size_t i = 0; i < found->runs && i < found->of->result.count; i++)
		count += found->found[i].digest != found->of->result.digest[i];
	return count;
}

static bool is_unstable(const struct check_case *found)
{
	for (size_t i = 0; i < found->runs; i++)
		if (found->found[i].unstable)
			return true;
	return false;
}

static const char *divergence_text(struct check *check, const struct check_case *found, size_t differing)
{
	const struct baseline_case *of = found->of;
	const char *where = found->divergence ? found->divergence : "not looked for";
	if (found->runs == 1)
		return check_text(check, "first divergence: %s", where);
	if (of->seed_count > 1)
		return check_text(check, "%zu of %zu runs; first divergence, of seed %llu: %s", differing,
			found->runs, (unsigned long long)of->seed[found->diverged], where);
	return check_text(check, "%zu of %zu runs; first divergence, of '%.100s': %s", differing, found->runs,
		of->trace.text[found->diverged], where);
}

/* Whoever runs the check has named it: it may be beyond its tolerance. */
bool check_accepted(const struct check *check, const char *name)
{
	const char *accepted;
	for (size_t i = 0; (accepted = arg_at(check->args, "accept", i)); i++)
		if (strcmp(accepted, name) == 0)
			return true;
	return false;
}

/* Other decisions fail where the case says so, and where there is nothing else to go by. */
static int judge_decisions(struct check *check, const struct check_case *found, struct sl_err *err)
{
	const struct baseline_case *of = found->of;
	const size_t differing = count_differing(found);
	const bool unstable = is_unstable(found);
	if (!of->result.count && !unstable && !check->update && of->metric_count && !of->exact)
		return SL_OK;
	struct check_item *item = check_item_new(check, CHECK_DECISIONS, of, err);
	if (!item)
		return SL_SYSTEM;
	item->name = "decisions";
	item->at = baseline_place(
		&check->baseline, of->result.range.until ? of->result.range.from : of->id_range.key);
	if (unstable) {
		item->status = CHECK_UNSTABLE;
		item->detail = "the same run, made twice, gives two results";
	} else if (!of->result.count) {
		item->status = check->update ? CHECK_NEW : CHECK_FAIL;
		item->detail =
			check->update
				? "kept from now on"
				: "the case says nothing to compare with: 'schedlab check --update' writes it";
	} else if (differing && check->update) {
		size_t first = 0;
		while (found->found[first].digest == of->result.digest[first])
			first++;
		item->status = of->exact && !check_accepted(check, item->name) ? CHECK_FAIL : CHECK_NEW;
		item->detail = check_text(check, "%016llx, was %016llx",
			(unsigned long long)found->found[first].digest,
			(unsigned long long)of->result.digest[first]);
	} else if (differing) {
		/* Of another configuration other decisions are what is asked for. */
		const bool meant = check->against || check_accepted(check, item->name);
		item->status = (of->exact || !of->metric_count) && !meant ? CHECK_FAIL : CHECK_MOVED;
		item->detail = divergence_text(check, found, differing);
	}
	return SL_OK;
}

/* ---- Metrics ---------------------------------------------------------------------------------- */

/* The difference, as far as the buffer goes. */
static int64_t move_of(int64_t was, int64_t is)
{
	const __int128 move = (__int128)is - was;
	if (move > INT64_MAX)
		return INT64_MAX;
	return move < -INT64_MAX ? -INT64_MAX : (int64_t)move;
}

int64_t check_mean(const struct check_case *found, size_t metric)
{
	__int128 sum = 0;
	SL_CHECK(found->runs);
	for (size_t i = 0; i < found->runs; i++) {
		if (found->found[i].value[metric] == CHECK_NONE)
			return CHECK_NONE;
		sum += found->found[i].value[metric];
	}
	return mean_rounded(sum, (int64_t)found->runs);
}

/* By how much the metric moved in each run, in millionths: whole numbers, so that what is equal ties. */
struct shifts {
	double *by;
	double *beyond; /* Room for what is beyond a margin. */
	unsigned count;
	double alpha;
};

/* An exact p is a count over a power of two. Another is rounded to millionths: what libm makes of the last
 * bits decides nothing. */
static double p_beyond(void *self, int64_t margin, bool rise)
{
	const struct shifts *shifts = self;
	struct stats_wilcoxon found = { .p = 1 };
	const double m = (double)margin;
	for (unsigned i = 0; i < shifts->count; i++)
		shifts->beyond[i] = rise ? shifts->by[i] - m : -shifts->by[i] - m;
	if (!stats_wilcoxon(shifts->beyond, shifts->count, false, 1 - shifts->alpha, &found) ||
		!(found.shift.estimate > 0))
		return 1;
	return found.exact ? found.p : floor(found.p * 1e6 + 0.5) / 1e6;
}

static int64_t whole_of(double value)
{
	const double micro = floor(value + 0.5);
	if (micro > 9e18)
		return INT64_MAX;
	return micro < -9e18 ? -INT64_MAX : (int64_t)micro;
}

static void number_put(char buffer[40], int64_t micro) { *sl_put_micro(buffer, micro) = '\0'; }

/* The interval into `move`, and words of it. */
static int test_shift(struct check *check, const struct check_case *found, struct check_item *item,
	struct tol_move *move, struct sl_err *err)
{
	const struct baseline_metric *metric = item->metric;
	const size_t index = (size_t)(metric - found->of->metric);
	struct shifts shifts = { .count = (unsigned)found->runs, .alpha = metric->alpha };
	struct stats_wilcoxon test;
	char number[3][40];
	if (found->runs > STATS_SAMPLES_MAX)
		return sl_fail_at(
			err, &item->at, "a test takes at most %d runs: leave some out", STATS_SAMPLES_MAX);
	shifts.by = sl_alloc(check->arena, found->runs, sizeof(*shifts.by));
	shifts.beyond = sl_alloc(check->arena, found->runs, sizeof(*shifts.beyond));
	if (!shifts.by || !shifts.beyond)
		return sl_fail_memory(err);
	for (size_t i = 0; i < found->runs; i++)
		shifts.by[i] = (double)move_of(metric->each[i], found->found[i].value[index]);
	if (!stats_wilcoxon(shifts.by, shifts.count, false, 1 - metric->alpha, &test))
		return sl_fail_memory(err);
	if (!test.shift.method)
		return sl_fail_at(err, &item->at,
			"%zu runs are too few for a test at alpha %g: take more seeds", found->runs,
			metric->alpha);
	move->low = whole_of(test.shift.low);
	move->high = whole_of(test.shift.high);
	item->tested = true;
	item->p = tolerance_p(&metric->tol, move, p_beyond, &shifts);
	number_put(number[0], whole_of(test.shift.estimate));
	number_put(number[1], move->low);
	number_put(number[2], move->high);
	item->detail = check_text(check, "shift %s, %g %% interval %s to %s, over %zu pairs%s", number[0],
		100 * (1 - metric->alpha), number[1], number[2], found->runs,
		test.exact ? "" : ", normal approximation");
	return item->detail ? SL_OK : sl_fail_memory(err);
}

/* A recorded trace under a policy that draws nothing: so many seeds, one run. */
static int check_alike(const struct check_case *found, const struct check_item *item, struct sl_err *err)
{
	for (size_t i = 1; i < found->runs; i++)
		if (found->found[i].digest != found->found[0].digest)
			return SL_OK;
	return sl_fail_at(err, &item->at,
		"all %zu runs are one and the same, and no sample: nothing in them is drawn by the seed; generate the trace, or leave out 'test'",
		found->runs);
}

/* Better is what moved the better way, however little; of other jobs nothing is. */
static enum check_status passed_as(const struct check *check, const struct check_item *item)
{
	const int64_t move = item->has_was ? move_of(item->was, item->is) : 0;
	const int better = item->metric->better;
	if (!move)
		return CHECK_OK;
	if (check_jobs_differ(check, item->of))
		return CHECK_MOVED;
	return (move > 0 && better > 0) || (move < 0 && better < 0) ? CHECK_IMPROVED : CHECK_MOVED;
}

/* What is written for the first time, and what was accepted, is compared with itself: only bounds can fail.
 */
static bool holds_against_itself(const struct check *check, const struct check_item *item)
{
	return check->update && (!item->has_was || check_accepted(check, item->metric->name));
}

static int move_find(struct check *check, const struct check_case *found, struct check_item *item,
	struct tol_move *move, struct sl_err *err)
{
	const struct baseline_metric *metric = item->metric;
	const bool relative = tolerance_relative(&metric->tol);
	const bool self = holds_against_itself(check, item);
	*move = (struct tol_move){ self ? item->is : item->was, item->is, 0, 0 };
	if (relative && !item->has_was && !self)
		return sl_fail_at(err, &item->at,
			"'%.60s' has no 'value' to be held against: 'schedlab check --update' writes it",
			metric->name);
	move->low = move->high = item->has_was && !self ? move_of(item->was, item->is) : 0;
	if (!metric->wilcoxon || !relative)
		return SL_OK;
	if (check_alike(found, item, err))
		return err->status;
	if (self || (check->update && metric->each_count != found->runs))
		return SL_OK; /* The means are compared. */
	if (metric->each_count != found->runs)
		return sl_fail_at(err, &item->at,
			"'%.60s' has no 'values' to be tested against: 'schedlab check --update' writes them",
			metric->name);
	return test_shift(check, found, item, move, err);
}

/* Two runs are at hand in which other jobs ran, and the metric is one of jobs' waits. */
static bool is_of_others(const struct check *check, const struct check_item *item)
{
	const size_t which = (size_t)(item->of - check->baseline.item);
	return check->impact && !check->base[which].away && check_jobs_differ(check, item->of) &&
	       check_both_is(item->metric);
}

/* What only warns passes a check; but another value is not written over one that it is too far from, unless
 * it is named. */
static bool is_let_pass(const struct check *check, const struct check_item *item, enum verdict verdict)
{
	const bool meant = check_accepted(check, item->metric->name);
	const bool other = item->has_was && item->was != item->is;
	if (verdict == VERDICT_WARN)
		return !check->update || meant || !other;
	return check->against && meant;
}

static int judge_value(
	struct check *check, const struct check_case *found, struct check_item *item, struct sl_err *err)
{
	const struct baseline_metric *metric = item->metric;
	struct tol_move move;
	const int status = move_find(check, found, item, &move, err);
	if (status)
		return status;
	enum verdict verdict = tolerance_judge(&metric->tol, &move);
	/* Over the jobs of both it may be 0 where over all it was not. */
	if (verdict == VERDICT_ZERO && !check->update && !is_of_others(check, item))
		return sl_fail_at(err, &item->at,
			"a percentage of 0 allows nothing, and '%.60s' was 0: give an absolute tolerance, as '+1', or a bound",
			metric->name);
	if (verdict == VERDICT_ZERO)
		verdict = move.was == move.is ? VERDICT_PASS : VERDICT_FAIL;
	if (verdict != VERDICT_PASS) {
		item->status = is_let_pass(check, item, verdict) ? CHECK_WARN : CHECK_FAIL;
		return SL_OK;
	}
	const enum check_status passed = passed_as(check, item);
	item->status = !check->update || passed == CHECK_OK ? passed : CHECK_NEW;
	if (check->update && !item->has_was)
		item->status = CHECK_NEW;
	return SL_OK;
}

/* A user's name may be anything, and is printed. */
static const char *printable(struct check *check, const char *name)
{
	char *text = sl_strdup(check->arena, name, strlen(name));
	for (char *p = text; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return text;
}

/* A bound is of the run, and of all jobs in it: what it was of others is nothing to be compared with. */
static bool is_bound_of_others(const struct check *check, const struct check_item *item)
{
	return is_of_others(check, item) && !tolerance_relative(&item->metric->tol);
}

static uint32_t both_of(const struct check *check, const struct check_item *item)
{
	const bool both = is_of_others(check, item) && tolerance_relative(&item->metric->tol) &&
			  !strchr(item->metric->name, '{');
	return both ? check->impact[item->of - check->baseline.item].all.both : 0;
}

static int judge_one(struct check *check, const struct check_case *found, size_t metric, const char *name,
	int64_t is, struct sl_err *err)
{
	struct check_item *item = check_item_new(check, CHECK_METRIC, found->of, err);
	if (!item)
		return SL_SYSTEM;
	item->metric = &found->of->metric[metric];
	item->name = printable(check, name);
	if (!item->name)
		return sl_fail_memory(err);
	item->at = baseline_place(&check->baseline, item->metric->range.key);
	item->tol = item->metric->tol_text;
	item->both = both_of(check, item);
	item->has_was = item->metric->has_value && !item->metric->many && !is_bound_of_others(check, item);
	item->was = item->metric->value_micro;
	item->has_is = is != CHECK_NONE;
	item->is = is;
	if (!item->has_is) {
		item->status = check_accepted(check, item->metric->name) ? CHECK_WARN : CHECK_FAIL;
		item->detail = is_of_others(check, item) ? "none to be compared: no job of it runs in both"
							 : "there is none any more: no job of it runs";
		return SL_OK;
	}
	return judge_value(check, found, item, err);
}

static int judge_metrics(struct check *check, const struct check_case *found, struct sl_err *err)
{
	const struct baseline_case *of = found->of;
	int status = SL_OK;
	for (size_t i = 0; i < of->metric_count && !status; i++) {
		if (!of->metric[i].many) {
			status = judge_one(check, found, i, of->metric[i].name, check_mean(found, i), err);
			continue;
		}
		const struct check_found *only = &found->found[0];
		for (size_t k = 0; k < only->many_count && !status; k++)
			if (only->many[k].metric == i)
				status = judge_one(
					check, found, i, only->many[k].name, only->many[k].micro, err);
	}
	return status;
}

/* ---- Together ------------------------------------------------------------------------------------ */

/* Too few pairs for so many tests: the least p there can be, times their number, is not below alpha. */
static bool warn_few(const struct check_item *item, unsigned tests)
{
	const size_t runs = baseline_runs(item->of);
	if (ldexp(tests, 1 - (int)(runs < 1000 ? runs : 1000)) <= item->metric->alpha)
		return false;
	talk("%s:%llu:%u: with %u tested metrics, %zu runs are too few for any to be significant at alpha %g: take more seeds",
		item->at.file, (unsigned long long)item->at.line, item->at.column, tests, runs,
		item->metric->alpha);
	return true;
}

static int adjust(struct check *check, struct sl_err *err)
{
	unsigned tests = 0;
	for (size_t i = 0; i < check->reported_count; i++)
		tests += check->reported[i].tested;
	double *p = tests ? sl_alloc(check->arena, tests, sizeof(*p)) : NULL;
	if (!tests)
		return SL_OK;
	if (!p)
		return sl_fail_memory(err);
	unsigned at = 0;
	bool warned = false;
	for (size_t i = 0; i < check->reported_count; i++)
		if (check->reported[i].tested)
			p[at++] = check->reported[i].p;
	if (!stats_holm(p, tests))
		return sl_fail_memory(err);
	at = 0;
	for (size_t i = 0; i < check->reported_count; i++) {
		struct check_item *item = &check->reported[i];
		if (!item->tested)
			continue;
		item->holm = p[at++];
		warned = warned || warn_few(item, tests);
		/* The bounds of one that is tested too need no test. */
		const bool beyond = item->status == CHECK_FAIL || item->status == CHECK_WARN;
		if (beyond && item->p > 0 && item->holm > item->metric->alpha)
			item->status = CHECK_MOVED;
	}
	return SL_OK;
}

int check_judge(struct check *check, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < check->baseline.count && !status; i++) {
		const struct check_case *found = &check->item[i];
		if (!found->done)
			continue;
		status = judge_inputs(check, found, err);
		if (status || found->changed)
			continue;
		status = judge_decisions(check, found, err);
		if (!status)
			status = check_judge_jobs(check, i, err);
		if (!status)
			status = judge_metrics(check, found, err);
	}
	if (!status)
		status = adjust(check, err);
	for (size_t i = 0; i < check->reported_count; i++) {
		if (check->on_improvement && check->reported[i].status == CHECK_IMPROVED)
			check->reported[i].status = CHECK_FAIL;
		const enum check_status is = check->reported[i].status;
		check->passed += is < CHECK_FAIL;
		check->failed += is >= CHECK_FAIL;
		check->warned += is == CHECK_WARN;
		check->better += is == CHECK_IMPROVED;
	}
	return status;
}

/* What cannot be trusted is worse than what moved. */
int check_outcome(const struct check *check)
{
	static const struct {
		enum check_status status;
		int outcome;
	} worst[] = { { CHECK_UNSTABLE, SL_DIFFERS }, { CHECK_CHANGED, SL_BASELINE },
		{ CHECK_FAIL, SL_CHECK_FAILED } };
	for (size_t k = 0; k < SL_LEN(worst); k++)
		for (size_t i = 0; i < check->reported_count; i++)
			if (check->reported[i].status == worst[k].status)
				return worst[k].outcome;
	return SL_OK;
}
