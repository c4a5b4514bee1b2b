/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_group.c - where the waiting of a user's, an account's, a partition's or everybody's jobs went.
 *
 * By reason, by when, by job; and behind which users: who was allocated cpus while any of them waited, and
 * whose jobs started ahead of one submitted before. Sums are of whole microseconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain.h"

enum { DAYS_MAX = 1 << 17, HOURS_OF_WEEK = 168, SHARE_HOLDERS_REPORTED = 5 };

/* Who held resources, and who started, while the group waited. */
struct share_holder {
	int32_t share_holder;
	uint32_t any;      /* One of its jobs. */
	__int128 held;     /* cpu-parts times us: allocated while any of the group waited. */
	uint64_t ahead;    /* Starts of jobs that came later than one that waited still; */
	int64_t ahead_cpu; /* cpu-seconds of these. */
};

struct interval {
	sl_time from, until;
	sl_time before; /* Of the intervals before it, together. */
};

struct waiting {
	uint32_t job;
	sl_time total;
};

struct group {
	struct explain *explain;
	const struct group_wanted *wanted;
	const char *name; /* "user alice" */
	bool everybody;
	uint32_t jobs, all_jobs;
	__int128 total, all_total;
	__int128 reason[SL_REASON_COUNT], all_reason[SL_REASON_COUNT];
	uint64_t reason_jobs[SL_REASON_COUNT];
	struct waiting *longest; /* The group's jobs, longest wait first. */
	int64_t day_first;
	__int128 *day;
	size_t day_count;
	__int128 hour[HOURS_OF_WEEK]; /* From Monday, 0 h on. */
	struct interval *interval;    /* In which any of it waited: in order, disjoint. */
	size_t interval_count;
	struct share_holder *user, *account;
	size_t user_count, account_count;
	struct charge *charge;
	size_t charge_capacity;
};

/* ---- Who is in it --------------------------------------------------------------------------------- */

static bool explain_group_is_named(int32_t number, const char *const *name, const char *wanted)
{
	char text[32];
	if (!wanted)
		return true;
	if (number < 0)
		return false;
	*sl_put_i64(text, number) = '\0';
	return strcmp(name ? name[number] : text, wanted) == 0;
}

static bool is_in(const struct group *group, uint32_t job)
{
	const struct sl_jobs *jobs = group->explain->view.jobs;
	return explain_group_is_named(jobs->user[job], jobs->user_name, group->wanted->user) &&
	       explain_group_is_named(jobs->account[job], jobs->account_name, group->wanted->account) &&
	       explain_group_is_named(jobs->partition[job], jobs->partition_name, group->wanted->partition);
}

/* The column that groups are made by, and the value that is wanted. */
struct wanted_of {
	const char *what, *wanted;
	const char *const *name;
	uint32_t name_count;
	const int32_t *column;
};

/* Some job has it; else which is similar. */
static int check_name(const struct explain *explain, const struct wanted_of *of, struct sl_err *err)
{
	char similar[128];
	bool any = !of->wanted;
	for (uint32_t job = 0; job < explain->view.jobs->count && !any; job++)
		any = explain_group_is_named(of->column[job], of->name, of->wanted);
	if (any)
		return SL_OK;
	const char **known = sl_alloc(explain->view.arena, (size_t)of->name_count + 1, sizeof(*known));
	if (!known)
		return sl_fail_memory(err);
	for (uint32_t i = 0; of->name && i < of->name_count; i++)
		known[i] = of->name[i];
	return sl_fail(err, SL_USAGE, "no job of this run is of %s '%.60s': %sgive one of jobs.csv", of->what,
		of->wanted, did_you_mean(similar, sl_nearest(of->wanted, known)));
}

static int explain_group_check_names(const struct group *group, struct sl_err *err)
{
	const struct sl_jobs *jobs = group->explain->view.jobs;
	const struct group_wanted *wanted = group->wanted;
	const struct wanted_of of[] = {
		{ "user", wanted->user, jobs->user_name, jobs->user_count, jobs->user },
		{ "account", wanted->account, jobs->account_name, jobs->account_count, jobs->account },
		{ "partition", wanted->partition, jobs->partition_name, jobs->partition_count,
			jobs->partition },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(of) && !status; i++)
		status = check_name(group->explain, &of[i], err);
	return status;
}

static const char *group_name(const struct group *group)
{
	const struct group_wanted *wanted = group->wanted;
	struct cell cell = { 0 };
	if (wanted->user)
		cell_put(&cell, "user %s", wanted->user);
	if (wanted->account)
		cell_put(&cell, "%saccount %s", cell.len ? ", " : "", wanted->account);
	if (wanted->partition)
		cell_put(&cell, "%spartition %s", cell.len ? ", " : "", wanted->partition);
	if (!cell.len)
		cell_put(&cell, "everybody");
	return cell_text(group->explain, &cell);
}

/* ---- When ------------------------------------------------------------------------------------------- */

/* Microseconds since 1970 by the log's own clock; since zero where nobody knows when that was. */
static int64_t clock_of(const struct group *group, sl_time at)
{
	const struct scenario *scenario = group->explain->view.scenario;
	return at + (scenario->epoch ? (scenario->epoch + scenario->utc_offset) * SL_SECOND : 0);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Hour by hour. 1970 began on a Thursday. */
static void note_when(struct group *group, sl_time from, sl_time until)
{
	const int64_t hour = 3600 * SL_SECOND;
	for (sl_time at = from; at < until && group->day;) {
		const int64_t index = floor_div(clock_of(group, at), hour);
		const sl_time next = at + (index + 1) * hour - clock_of(group, at);
		const sl_time part = (next < until ? next : until) - at;
		const int64_t day = floor_div(index, 24) - group->day_first;
		if (day >= 0 && (size_t)day < group->day_count)
			group->day[day] += part;
		group->hour[((index + 72) % HOURS_OF_WEEK + HOURS_OF_WEEK) % HOURS_OF_WEEK] += part;
		at += part;
	}
}

static int days_begin(struct group *group, struct sl_err *err)
{
	const struct sl_result *result = group->explain->view.result;
	const int64_t day = 86400 * SL_SECOND;
	group->day_first = floor_div(clock_of(group, result->first), day);
	const int64_t days = floor_div(clock_of(group, result->last), day) - group->day_first + 1;
	if (days <= 0 || days > DAYS_MAX)
		return SL_OK; /* Of no use to anybody. */
	group->day_count = (size_t)days;
	group->day = sl_alloc(group->explain->view.arena, group->day_count, sizeof(*group->day));
	return group->day ? SL_OK : sl_fail_memory(err);
}

/* ---- What for ------------------------------------------------------------------------------------------ */

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting *x = a;
	const struct waiting *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static int add_job(struct group *group, uint32_t job, struct sl_err *err)
{
	const struct explain *explain = group->explain;
	const bool in = is_in(group, job);
	const size_t count = charges_fill(explain, job, &group->charge, &group->charge_capacity);
	sl_time total = 0;
	bool seen[SL_REASON_COUNT] = { false };
	if (count == SIZE_MAX)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		const struct charge *charge = &group->charge[i];
		group->all_reason[charge->reason] += charge->total;
		total += charge->total;
		if (!in)
			continue;
		group->reason[charge->reason] += charge->total;
		group->reason_jobs[charge->reason] += !seen[charge->reason];
		seen[charge->reason] = true;
		note_when(group, charge->from, charge->until);
		group->interval[group->interval_count++] =
			(struct interval){ charge->from, charge->until, 0 };
	}
	group->all_jobs++;
	group->all_total += total;
	if (in) {
		group->longest[group->jobs++] = (struct waiting){ job, total };
		group->total += total;
	}
	return SL_OK;
}

static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a;
	const struct interval *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/* Put in order, joined, and summed. */
static void join_intervals(struct group *group)
{
	struct interval *interval = group->interval;
	size_t kept = 0;
	if (!interval)
		return;
	qsort(interval, group->interval_count, sizeof(*interval), compare_intervals);
	for (size_t i = 0; i < group->interval_count; i++)
		if (kept && interval[i].from <= interval[kept - 1].until)
			interval[kept - 1].until = interval[i].until > interval[kept - 1].until
							   ? interval[i].until
							   : interval[kept - 1].until;
		else
			interval[kept++] = interval[i];
	group->interval_count = kept;
	for (size_t i = 1; i < kept; i++)
		interval[i].before = interval[i - 1].before + interval[i - 1].until - interval[i - 1].from;
}

static int charges_add(struct group *group, struct sl_err *err)
{
	const struct sl_result *result = group->explain->view.result;
	const uint32_t count = result->jobs->count;
	group->longest = calloc((size_t)count + 1, sizeof(*group->longest));
	group->interval = calloc(
		(size_t)count + result->reason_count + result->attempt_count + 1, sizeof(*group->interval));
	if (!group->longest || !group->interval)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t job = 0; job < count && !status; job++)
		status = add_job(group, job, err);
	qsort(group->longest, group->jobs, sizeof(*group->longest), compare_waiting);
	join_intervals(group);
	return status;
}

/* ---- Behind whom ------------------------------------------------------------------------------------------
 */

/* How long any of it had waited by then. */
static sl_time waited_by(const struct group *group, sl_time at)
{
	const size_t begun =
		times_before(group->interval, group->interval_count, sizeof(*group->interval), at, true);
	if (!begun)
		return 0;
	const struct interval *in = &group->interval[begun - 1];
	return in->before + (at < in->until ? at : in->until) - in->from;
}

static __int128 held_by(const struct group *group, uint32_t job)
{
	const struct sl_result *result = group->explain->view.result;
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, job, &attempt);
	const int64_t cpus = sl_cpus_of(result, job);
	sl_time held = 0;
	for (size_t i = 0; i < count; i++)
		held += waited_by(group, attempt[i].end) - waited_by(group, attempt[i].start);
	if (!count && result->start[job] != SL_NONE)
		held = waited_by(group, result->end[job] != SL_NONE ? result->end[job] : result->last) -
		       waited_by(group, result->start[job]);
	return (__int128)held * cpus;
}

static int compare_share_holder(const void *a, const void *b)
{
	const struct share_holder *x = a;
	const struct share_holder *y = b;
	if (x->share_holder != y->share_holder)
		return x->share_holder < y->share_holder ? -1 : 1;
	return (x->any > y->any) - (x->any < y->any);
}

static int compare_held(const void *a, const void *b)
{
	const struct share_holder *x = a;
	const struct share_holder *y = b;
	if (x->held != y->held)
		return x->held > y->held ? -1 : 1;
	return (x->share_holder > y->share_holder) - (x->share_holder < y->share_holder);
}

/* Rows of one share holder become one; those who held most come first. */
static size_t sum_share_holders(struct share_holder *share_holder, size_t count)
{
	size_t kept = 0;
	qsort(share_holder, count, sizeof(*share_holder), compare_share_holder);
	for (size_t i = 0; i < count; i++) {
		if (!kept || share_holder[kept - 1].share_holder != share_holder[i].share_holder) {
			share_holder[kept++] = share_holder[i];
			continue;
		}
		share_holder[kept - 1].held += share_holder[i].held;
		share_holder[kept - 1].ahead += share_holder[i].ahead;
		share_holder[kept - 1].ahead_cpu += share_holder[i].ahead_cpu;
	}
	qsort(share_holder, kept, sizeof(*share_holder), compare_held);
	return kept;
}

static int behind_whom(struct group *group, struct sl_err *err)
{
	const struct explain *explain = group->explain;
	const struct sl_result *result = explain->view.result;
	const struct sl_jobs *jobs = result->jobs;
	group->user = calloc((size_t)jobs->count + 1, sizeof(*group->user));
	group->account = calloc((size_t)jobs->count + 1, sizeof(*group->account));
	if (!group->user || !group->account)
		return sl_fail_memory(err);
	sl_time waits_until = INT64_MIN; /* The latest first start of the group's jobs above. */
	for (uint32_t job = 0; job < jobs->count; job++) {
		const sl_time start = result->start[job];
		const bool ahead = start != SL_NONE && start < waits_until;
		const struct share_holder share_holder = { jobs->user[job], job, held_by(group, job), ahead,
			ahead ? cpu_seconds_of(explain, job) : 0 };
		if (share_holder.held || ahead) {
			group->user[group->user_count++] = share_holder;
			group->account[group->account_count] = share_holder;
			group->account[group->account_count++].share_holder = jobs->account[job];
		}
		sl_time from;
		sl_time until;
		if (is_in(group, job) && sl_wait_interval(result, job, 0, &from, &until) &&
			until > waits_until)
			waits_until = until;
	}
	group->user_count = sum_share_holders(group->user, group->user_count);
	group->account_count = sum_share_holders(group->account, group->account_count);
	return SL_OK;
}

/* ---- Told
 * ------------------------------------------------------------------------------------------------------ */

static int64_t micro_of(__int128 total) { return total < INT64_MAX ? (int64_t)total : INT64_MAX; }

/* "1,204.5" hours of waiting. */
static const char *wait_hours(const struct group *group, __int128 total)
{
	char number[48];
	return report_text(group->explain, "%s",
		screen_number(
			number, micro_of(total / 3600), group->total < (__int128)36000 * SL_SECOND ? 3 : 1));
}

static sl_time explain_group_mean_of(__int128 total, uint32_t jobs)
{
	return jobs ? (sl_time)(total / jobs) : 0;
}

static int64_t held_cpu_seconds(const struct group *group, __int128 held)
{
	return (int64_t)(held / sl_parts(group->explain->view.cluster->cpu_parts) / SL_SECOND);
}

static const char *share_of_total(const struct group *group, __int128 part, __int128 of)
{
	return share_text(group->explain, of ? (int64_t)(part * 1000000 / of) : 0, 1000000);
}

static void print_reasons(const struct group *group)
{
	struct screen_table *table = screen_table_new(group->explain->view.arena, 5);
	static const char *const heading[] = { "  reason", "hours", "share", "of everybody's", "jobs" };
	for (size_t i = 0; i < SL_LEN(heading); i++)
		screen_cell(table, i > 0, "%s", heading[i]);
	for (int done = 0, reason; done < SL_REASON_COUNT; done++) {
		/* The largest first: each that has fewer before it. */
		reason = -1;
		for (int r = 0; r < SL_REASON_COUNT; r++) {
			int before = 0;
			for (int k = 0; k < SL_REASON_COUNT; k++)
				before += group->reason[k] > group->reason[r] ||
					  (group->reason[k] == group->reason[r] && k < r);
			if (before == done)
				reason = r;
		}
		if (reason < 0 || !group->reason[reason])
			break;
		screen_cell(table, false, "  %s", sl_reason_name((enum sl_reason)reason));
		screen_cell(table, true, "%s", wait_hours(group, group->reason[reason]));
		screen_cell(table, true, "%s", share_of_total(group, group->reason[reason], group->total));
		screen_cell(table, true, "%s",
			share_of_total(group, group->all_reason[reason], group->all_total));
		screen_cell(table, true, "%" PRIu64, group->reason_jobs[reason]);
	}
	printf("\nwhat for\n");
	screen_print(table, stdout);
}

static void print_longest(const struct group *group)
{
	const struct explain *explain = group->explain;
	struct screen_table *table = screen_table_new(explain->view.arena, 5);
	printf("\nwho of it waited longest\n");
	for (uint32_t i = 0; i < group->jobs && i < group->wanted->top && group->longest[i].total; i++) {
		const uint32_t job = group->longest[i].job;
		screen_cell(table, false, "  job %s", plain_text(explain, id_text(explain, job)));
		screen_cell(table, false, "%s", plain_text(explain, user_text(explain, job)));
		screen_cell(table, true, "%s", range_text(explain, group->longest[i].total));
		screen_cell(table, false, "%s", asked_text(explain, job));
		screen_cell(
			table, false, "submitted %s", time_text(explain, explain->view.jobs->submit[job]));
	}
	screen_print(table, stdout);
}

static void print_share_holders(
	const struct group *group, const struct share_holder *share_holder, size_t count, bool users)
{
	const struct explain *explain = group->explain;
	const uint32_t top =
		group->wanted->top < SHARE_HOLDERS_REPORTED ? group->wanted->top : SHARE_HOLDERS_REPORTED;
	__int128 held = 0;
	struct screen_table *table = screen_table_new(explain->view.arena, 5);
	static const char *const heading[] = { "", "held meanwhile", "share", "started before its turn", "" };
	for (size_t i = 0; i < count; i++)
		held += share_holder[i].held;
	for (size_t i = 0; i < SL_LEN(heading); i++)
		screen_cell(table, i > 0, "%s%s", i ? "" : users ? "  user" : "  account", heading[i]);
	for (size_t i = 0; i < count && i < top; i++) {
		const char *name = users ? user_text(explain, share_holder[i].any)
					 : account_text(explain, share_holder[i].any);
		screen_cell(table, false, "  %s", *name ? plain_text(explain, name) : "(nobody)");
		screen_cell(table, true, "%s",
			hours_text(explain, held_cpu_seconds(group, share_holder[i].held)));
		screen_cell(table, true, "%s", share_of_total(group, share_holder[i].held, held));
		screen_cell(table, true, "%s", count_words(explain, share_holder[i].ahead, "job", "jobs"));
		screen_cell(table, true, "%s",
			share_holder[i].ahead ? hours_text(explain, share_holder[i].ahead_cpu) : "");
	}
	screen_print(table, stdout);
}

static void month_text(const struct group *group, size_t day, char text[32])
{
	struct cell cell = { 0 };
	const int64_t at = (group->day_first + (int64_t)day) * 86400 * SL_SECOND - clock_of(group, 0);
	put_date(&cell, &group->explain->view, at);
	(void)snprintf(text, 32, "%.7s", cell.text ? cell.text : "");
	cell_free(&cell);
}

/* "Mon 9-17 h" would be guessing: the six busiest hours of the week, and the months. */
static void print_when(const struct group *group)
{
	static const char days[7][4] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
	const struct explain *explain = group->explain;
	if (!explain->view.scenario->epoch || !group->day || !group->total)
		return;
	printf("\nwhen\n");
	struct screen_table *table = screen_table_new(explain->view.arena, 3);
	__int128 sum = 0;
	char was[32] = "";
	char month[32];
	for (size_t i = 0; i <= group->day_count; i++) {
		month[0] = '\0';
		if (i < group->day_count)
			month_text(group, i, month);
		if (i && strcmp(month, was) != 0 && sum) {
			screen_cell(table, false, "  %s", was);
			screen_cell(table, true, "%s hours", wait_hours(group, sum));
			screen_cell(table, true, "%s", share_of_total(group, sum, group->total));
			sum = 0;
		}
		(void)memcpy(was, month, sizeof(was));
		sum += i < group->day_count ? group->day[i] : 0;
	}
	for (int day = 0; day < 7; day++) {
		__int128 of_day = 0;
		for (int hour = 0; hour < 24; hour++)
			of_day += group->hour[day * 24 + hour];
		screen_cell(table, false, "  %s", days[day]);
		screen_cell(table, true, "%s hours", wait_hours(group, of_day));
		screen_cell(table, true, "%s", share_of_total(group, of_day, group->total));
	}
	screen_print(table, stdout);
}

static void group_print(const struct group *group)
{
	const struct explain *explain = group->explain;
	const sl_time mean = explain_group_mean_of(group->total, group->jobs);
	const sl_time all = explain_group_mean_of(group->all_total, group->all_jobs);
	print_wrapped(0, 0,
		plain_text(explain,
			report_text(explain, "%s: %s waited %s hours in all, %s on average%s", group->name,
				count_words(explain, group->jobs, "job", "jobs"),
				wait_hours(group, group->total), range_text(explain, mean),
				group->everybody
					? ""
					: report_text(explain, "; everybody's jobs (%s) %s",
						  count_words(explain, group->all_jobs, "job", "jobs"),
						  range_text(explain, all)))));
	if (!group->total)
		return;
	print_reasons(group);
	print_longest(group);
	printf("\nbehind whom: what was held while any of it waited, and what started although it came later\n");
	print_share_holders(group, group->user, group->user_count, true);
	if (group->account_count > 1)
		print_share_holders(group, group->account, group->account_count, false);
	print_when(group);
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------- */

static void json_share_holders(struct sl_out *out, const struct group *group,
	const struct share_holder *share_holder, size_t count, bool users)
{
	sl_out_printf(out, ",\n  \"%s\": [", users ? "behind_users" : "behind_accounts");
	for (size_t i = 0; i < count && i < group->wanted->top; i++) {
		sl_out_text(out, i ? ",\n    { " : "\n    { ");
		member_first(out, "name",
			users ? user_text(group->explain, share_holder[i].any)
			      : account_text(group->explain, share_holder[i].any));
		sl_out_printf(out,
			", \"held_cpu_seconds\": %" PRId64 ", \"started_ahead\": %" PRIu64
			", \"started_ahead_cpu_seconds\": %" PRId64 " }",
			held_cpu_seconds(group, share_holder[i].held), share_holder[i].ahead,
			share_holder[i].ahead_cpu);
	}
	sl_out_text(out, "]");
}

static void json_when(struct sl_out *out, const struct group *group)
{
	sl_out_text(out, ",\n  \"days\": [");
	const char *between = "";
	for (size_t i = 0; i < group->day_count; i++) {
		if (!group->day[i])
			continue;
		sl_out_printf(out, "%s{ \"from\": ", between);
		member_micro(out, (group->day_first + (int64_t)i) * 86400 * SL_SECOND - clock_of(group, 0));
		member_number(out, "wait", micro_of(group->day[i]));
		sl_out_text(out, " }");
		between = ",\n    ";
	}
	sl_out_text(out, "],\n  \"hours_of_week\": ");
	if (!group->explain->view.scenario->epoch || !group->day) {
		sl_out_text(out, "null");
		return;
	}
	for (int i = 0; i < HOURS_OF_WEEK; i++) {
		sl_out_text(out, i ? ", " : "[");
		member_micro(out, micro_of(group->hour[i]));
	}
	sl_out_text(out, "]");
}

static int group_json(const struct group *group, struct sl_err *err)
{
	const struct explain *explain = group->explain;
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{\n  \"schema\": \"schedlab.explain/1\",\n  \"group\": { ");
	member_first(out, "user", group->wanted->user);
	member_text(out, "account", group->wanted->account);
	member_text(out, "partition", group->wanted->partition);
	sl_out_printf(out, ", \"jobs\": %" PRIu32, group->jobs);
	member_number(out, "wait_total", micro_of(group->total));
	member_number(out, "wait_mean", micro_of(explain_group_mean_of(group->total, group->jobs)));
	sl_out_printf(out, " },\n  \"everybody\": { \"jobs\": %" PRIu32, group->all_jobs);
	member_number(out, "wait_total", micro_of(group->all_total));
	member_number(out, "wait_mean", micro_of(explain_group_mean_of(group->all_total, group->all_jobs)));
	sl_out_text(out, " },\n  \"reasons\": [");
	const char *between = "\n    { ";
	for (int reason = 0; reason < SL_REASON_COUNT; reason++) {
		if (!group->reason[reason])
			continue;
		sl_out_text(out, between);
		member_first(out, "reason", sl_reason_name((enum sl_reason)reason));
		member_number(out, "wait", micro_of(group->reason[reason]));
		member_number(out, "wait_of_everybody", micro_of(group->all_reason[reason]));
		sl_out_printf(out, ", \"jobs\": %" PRIu64 " }", group->reason_jobs[reason]);
		between = ",\n    { ";
	}
	sl_out_text(out, "],\n  \"longest\": [");
	for (uint32_t i = 0; i < group->jobs && i < group->wanted->top && group->longest[i].total; i++) {
		const uint32_t job = group->longest[i].job;
		sl_out_text(out, i ? ",\n    { " : "\n    { ");
		member_first(out, "job", id_text(explain, job));
		member_text(out, "user", user_text(explain, job));
		member_number(out, "wait", micro_of(group->longest[i].total));
		member_number(out, "submit", micro_of(explain->view.jobs->submit[job]));
		sl_out_text(out, " }");
	}
	sl_out_text(out, "]");
	json_share_holders(out, group, group->user, group->user_count, true);
	json_share_holders(out, group, group->account, group->account_count, false);
	json_when(out, group);
	sl_out_text(out, "\n}\n");
	return sl_out_commit(out, err);
}

int explain_group(struct explain *explain, const struct group_wanted *wanted, struct sl_err *err)
{
	struct group group = { .explain = explain, .wanted = wanted };
	group.everybody = !wanted->user && !wanted->account && !wanted->partition;
	group.name = group_name(&group);
	int status = explain_group_check_names(&group, err);
	if (!status)
		status = days_begin(&group, err);
	if (!status)
		status = charges_add(&group, err);
	if (!status)
		status = behind_whom(&group, err);
	if (!status && wanted->json)
		status = group_json(&group, err);
	else if (!status)
		group_print(&group);
	free(group.longest);
	free(group.interval);
	free(group.user);
	free(group.account);
	free(group.charge);
	return status;
}
