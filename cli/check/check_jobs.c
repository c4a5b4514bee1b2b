/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_jobs.c - do the same jobs run, and complete, as before: an item of its own, whatever waits became.
 *
 * Of two runs that are at hand the jobs themselves are compared (check_impact.c); of a baseline the counts
 * that it keeps. Waits of fewer jobs are no better: so jobs that no longer run are reported first, and those
 * that newly run as well.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/check/check_impact.h"

/* ---- Counts -------------------------------------------------------------------------------- */

void check_counts_take(const struct run *run, int64_t count[BASELINE_COUNTS])
{
	const struct sl_result *result = &run->sim.result;
	memset(count, 0, BASELINE_COUNTS * sizeof(*count));
	for (size_t i = 0; i < run->scenario->anomaly_count; i++)
		count[COUNT_LEFT_OUT] +=
			run->scenario->anomaly[i].barred ? (int64_t)run->scenario->anomaly[i].count : 0;
	count[COUNT_TOTAL] = result->jobs->count;
	for (uint32_t row = 0; row < result->jobs->count; row++) {
		const enum sl_state state = (enum sl_state)result->state[row];
		const bool started = result->start[row] != SL_NONE;
		count[COUNT_STARTED] += started;
		count[COUNT_COMPLETED] += state == SL_COMPLETED;
		if (!started)
			count[COUNT_NEVER_STARTED]++;
		else if (result->end[row] == SL_NONE)
			count[COUNT_UNFINISHED]++;
		else if (state != SL_COMPLETED)
			count[state == SL_TIMEOUT ? COUNT_CUT : COUNT_LOST]++;
	}
	const int64_t never = count[COUNT_NEVER_STARTED];
	count[COUNT_REFUSED] = result->refused < never ? result->refused : never;
	count[COUNT_NEVER_STARTED] -= count[COUNT_REFUSED];
}

int64_t check_count(const struct check_case *found, enum baseline_count which)
{
	int64_t sum = 0;
	for (size_t i = 0; i < found->runs; i++)
		sum += found->found[i].count[which];
	return sum;
}

/* Of those that are in the trace. */
static int64_t never_ran(const struct check_case *found)
{
	return check_count(found, COUNT_LEFT_OUT) + check_count(found, COUNT_REFUSED) +
	       check_count(found, COUNT_NEVER_STARTED);
}

static bool counts_differ(const struct check_case *found)
{
	const struct baseline_counts *was = &found->of->counts;
	for (enum baseline_count i = 0; i < BASELINE_COUNTS; i++)
		if (was->range.until && was->count[i] != check_count(found, i))
			return true;
	return false;
}

/* Only one run is at hand. */
static bool is_alone(const struct check *check, size_t which)
{
	return !check->impact || check->base[which].away;
}

bool check_jobs_differ(const struct check *check, const struct baseline_case *of)
{
	const size_t which = (size_t)(of - check->baseline.item);
	const struct check_case *found = &check->item[which];
	if (!is_alone(check, which))
		return impact_others(&check->impact[which].all);
	return of->counts.range.until ? counts_differ(found) : check->impact && never_ran(found);
}

/* ---- In words -------------------------------------------------------------------------------- */

static const char *check_jobs_number(char text[48], int64_t count)
{
	return screen_number(text, count * 1000000, 0);
}

/* How it is let pass, where it may be; else what the matter is. */
static const char *way_out(const struct check *check, const struct check_item *item)
{
	if (check_accepted(check, item->name))
		return "";
	return check->update || check->against ? ": --accept jobs, where that is meant"
					       : ": waits are of other jobs than they were";
}

/* "started 550 -> 484, refused 0 -> 66" */
static void counts_text(char text[600], const struct check_case *found)
{
	const struct baseline_counts *was = &found->of->counts;
	char before[48];
	char after[48];
	size_t used = 0;
	text[0] = '\0';
	for (enum baseline_count i = 0; i < BASELINE_COUNTS && used < 500; i++) {
		const int64_t is = check_count(found, i);
		if (was->count[i] != is)
			used += (size_t)snprintf(text + used, 600 - used, "%s%s %s -> %s", used ? ", " : "",
				baseline_count_name(i), check_jobs_number(before, was->count[i]),
				check_jobs_number(after, is));
	}
}

static const char *as_they_are(struct check *check, const struct check_case *found, const char *how)
{
	char started[48];
	char total[48];
	char completed[48];
	return check_text(check, "%s of %s start, %s complete%s",
		check_jobs_number(started, check_count(found, COUNT_STARTED)),
		check_jobs_number(
			total, check_count(found, COUNT_TOTAL) + check_count(found, COUNT_LEFT_OUT)),
		check_jobs_number(completed, check_count(found, COUNT_COMPLETED)), how);
}

/* ---- Against the baseline's counts -------------------------------------------------------------- */

static void judge_counts(struct check *check, const struct check_case *found, struct check_item *item)
{
	char text[600];
	if (!counts_differ(found)) {
		item->detail = as_they_are(check, found, ", as many as before");
		return;
	}
	const bool meant = check_accepted(check, item->name);
	counts_text(text, found);
	item->detail = check_text(check, "%s%s", text, way_out(check, item));
	item->status = !meant ? CHECK_FAIL : check->update ? CHECK_NEW : CHECK_WARN;
}

/* There is nothing to go by: of the same decisions the same jobs run; of others those that do not may have.
 */
static void judge_first(struct check *check, const struct check_case *found, struct check_item *item)
{
	const struct baseline_digests *was = &found->of->result;
	bool same = !was->count;
	for (size_t i = 0; i < found->runs && i < was->count; i++)
		same = found->found[i].digest == was->digest[i] && (i == 0 || same);
	const bool known = same || !never_ran(found) || check_accepted(check, item->name);
	item->status = known ? CHECK_NEW : CHECK_FAIL;
	item->detail = as_they_are(check, found,
		known ? ": kept from now on"
		      : ", and how many did is not known: --accept jobs, where that is meant");
}

/* Where there is no run of the old configuration, nobody knows whether those that do not run ran before. */
static void judge_unknown(struct check *check, const struct check_case *found, struct check_item *item)
{
	const bool meant = check_accepted(check, item->name);
	char never[48];
	item->detail =
		never_ran(found)
			? check_text(check, "%s do not run, and whether they did before is not known%s",
				  check_jobs_number(never, never_ran(found)),
				  meant ? "" : ": --git REV tells, --accept jobs lets it pass")
			: "all run";
	if (never_ran(found))
		item->status = meant ? CHECK_WARN : CHECK_FAIL;
}

/* ---- Against another run -------------------------------------------------------------------------- */

static void judge_both(struct check *check, const struct impact_row *all, struct check_item *item)
{
	char gone[80] = "";
	char more[80] = "";
	char whole[80] = "";
	if (!impact_others(all)) {
		item->detail = "all that ran before run, no others do, and as many complete";
		return;
	}
	if (all->gone || all->cut)
		(void)snprintf(gone, sizeof(gone),
			", %" PRIu32 " no longer run, and %" PRIu32 " no longer complete", all->gone,
			all->cut);
	if (all->more)
		(void)snprintf(more, sizeof(more), "; %" PRIu32 " newly run", all->more);
	if (all->whole)
		(void)snprintf(whole, sizeof(whole), "; %" PRIu32 " newly complete", all->whole);
	item->detail =
		check_text(check, "of %" PRIu32 " that ran%s%s%s; waits are of the %" PRIu32 " of both%s",
			all->ran, *gone ? gone : ", all run", more, whole, all->both, way_out(check, item));
	item->status = check_accepted(check, item->name) ? CHECK_WARN : CHECK_FAIL;
}

/* A baseline of before has no counts: said once. */
static void report_uncounted(struct check *check, const struct baseline_case *of)
{
	if (of->result.count && !check->reported_uncounted && !check->quiet)
		talk("%s: it has no counts of jobs, as of an earlier version: whether as many run is not judged; "
		     "--update notes them",
			check->baseline.file);
	check->reported_uncounted = check->reported_uncounted || of->result.count;
}

int check_judge_jobs(struct check *check, size_t which, struct sl_err *err)
{
	const struct check_case *found = &check->item[which];
	const bool counted = found->of->counts.range.until;
	if (!check->update && !check->against && !counted) {
		report_uncounted(check, found->of);
		return SL_OK;
	}
	struct check_item *item = check_item_new(check, CHECK_JOBS, found->of, err);
	if (!item)
		return SL_SYSTEM;
	item->name = "jobs";
	item->at = baseline_place(
		&check->baseline, counted ? found->of->counts.range.from : found->of->id_range.key);
	if (!is_alone(check, which))
		judge_both(check, &check->impact[which].all, item);
	else if (counted)
		judge_counts(check, found, item);
	else if (check->update)
		judge_first(check, found, item);
	else
		judge_unknown(check, found, item);
	return item->detail ? SL_OK : sl_fail_memory(err);
}
