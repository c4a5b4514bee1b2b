/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_text.c - why a job waited, for people: within 100 columns, the words first.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, STARTED_REPORTED = 10, PLANS_REPORTED = 12 };

/* Characters, not bytes: all but those that go on one. */
static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;
	for (size_t i = 0; i < bytes; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* Goes on at that column, in lines that are indented so far. */
void print_wrapped(size_t column, size_t indent, const char *text)
{
	size_t at = column;
	while (*text) {
		const size_t bytes = strcspn(text, " ");
		const size_t width = width_of(text, bytes);
		if (at > indent && at + 1 + width > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > column || (at > indent && column != at)) {
			printf(" ");
			at++;
		}
		printf("%.*s", (int)bytes, text);
		at += width;
		text += bytes;
		while (*text == ' ')
			text++;
	}
	printf("\n");
}

/* Control characters of a hostile name are printed as '?', those of UTF-8 (U+0080 to U+009F) too. */
const char *plain_text(const struct explain *explain, const char *text)
{
	char *copy = sl_strdup(explain->view.arena, text, strlen(text));
	for (char *p = copy; p && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
		else if ((unsigned char)p[0] == 0xc2 && (unsigned char)p[1] >= 0x80 &&
			 (unsigned char)p[1] < 0xa0)
			p[0] = p[1] = '?';
	return copy ? copy : "";
}

static void line(const struct explain *explain, const char *label, const char *text)
{
	printf("  %-10s ", label);
	print_wrapped(13, 13, plain_text(explain, text));
}

/* "98.2 %" */
const char *share_text(const struct explain *explain, int64_t part, int64_t of)
{
	char number[48];
	return report_text(
		explain, "%s %%", screen_number(number, of ? sl_mul_div(part, 100000000, of) : 0, 1));
}

static const char *of_user(const struct explain *explain, uint32_t job)
{
	const char *user = user_text(explain, job);
	return *user ? report_text(explain, " of %s", user) : "";
}

/* ---- Head ------------------------------------------------------------------------------------------ */

/* Under models: how fast it was, and what they say of it. */
static void print_models(const struct explain *explain)
{
	const struct sl_result *result = explain->view.result;
	const uint32_t job = explain->job;
	struct cell reported = { 0 };
	if (result->start[job] == SL_NONE)
		return;
	if (result->speed_mean && result->speed_mean[job] != SL_SPEED_ONE)
		line(explain, "worked",
			report_text(explain, "at %s of its traced speed, in the mean",
				share_text(explain, (int64_t)(result->speed_mean[job] >> 12),
					(int64_t)(SL_SPEED_ONE >> 12))));
	for (size_t i = 0; i < result->reported_column_count; i++) {
		const int64_t micro = result->reported_column[i].micro[job];
		char number[48];
		if (micro != SL_NONE)
			cell_put(&reported, "%s%s %s", reported.text ? ", " : "",
				result->reported_column[i].name, screen_number(number, micro, 2));
	}
	if (reported.text)
		line(explain, "models say", reported.text);
	cell_free(&reported);
}

static void print_head(const struct explain *explain)
{
	const struct view *view = &explain->view;
	const struct sl_result *result = view->result;
	const uint32_t job = explain->job;
	const struct sl_job_attributes *more = view_more(view, job);
	const char *account = account_text(explain, job);
	const char *partition = partition_text(explain, job);
	struct cell who = { 0 };
	cell_put(&who, "job %s%s", explain->id, of_user(explain, job));
	const char *between = " (";
	if (*account) {
		cell_put(&who, "%s%s%s", between, view->jobs->account_name ? "account " : "", account);
		between = ", ";
	}
	if (*partition) {
		cell_put(&who, "%s%s%s", between, view->jobs->partition_name ? "partition " : "", partition);
		between = ", ";
	}
	if (more->name) {
		cell_put(&who, "%s\"%s\"", between, more->name);
		between = ", ";
	}
	const bool waits = result->start[job] == SL_NONE;
	const bool over = result->end[job] != SL_NONE;
	cell_put(&who, "%s %s %s", *between == ',' ? ")" : "", waits && !over ? "has waited" : "waited",
		range_text(explain, explain->waited));
	print_wrapped(0, 0, plain_text(explain, who.text ? who.text : ""));
	cell_free(&who);
	const sl_time limit = view->jobs->limit[job];
	line(explain, "asked",
		report_text(explain, "%s; limit %s", asked_text(explain, job),
			limit >= SL_TIME_MOST ? "none" : range_text(explain, limit)));
	line(explain, "submitted", time_text(explain, view->jobs->submit[job]));
	if (result->eligible && result->eligible[job] != SL_NONE &&
		result->eligible[job] != view->jobs->submit[job])
		line(explain, "eligible", time_text(explain, result->eligible[job]));
	line(explain, "started",
		waits ? (over ? "never" : "not yet") : time_text(explain, result->start[job]));
	if (over)
		line(explain, "ended",
			report_text(explain, "%s, %s", time_text(explain, result->end[job]),
				sl_state_name(sl_state_reported(result, job))));
	print_models(explain);
	if (explain->waited && explain->ranked > 1 && explain->rank + 1 == explain->ranked)
		line(explain, "its wait",
			report_text(explain, "the longest of %s",
				count_words(explain, explain->ranked, "job", "jobs")));
	else if (explain->waited && explain->ranked > 1)
		line(explain, "its wait",
			report_text(explain, "longer than that of %s of %s%s",
				share_text(explain, explain->rank, explain->ranked - 1),
				count_words(explain, explain->ranked - 1, "other job", "other jobs"),
				explain->ranked_part > 1 && explain->ranked_part < explain->ranked
					? report_text(explain, "; in its partition of %s of %s",
						  share_text(explain, explain->rank_part,
							  explain->ranked_part - 1),
						  count_words(explain, explain->ranked_part - 1, "other",
							  "others"))
					: ""));
	line(explain, "policy", result->policy);
}

/* ---- Reasons ----------------------------------------------------------------------------------------- */

static void print_look(const struct explain *explain, const struct look *look, size_t indent)
{
	for (size_t i = 0; look && i < look->said_count; i++) {
		printf("%*s- ", (int)indent, "");
		print_wrapped(indent + 2, indent + 2, plain_text(explain, look->said[i]));
	}
}

static void print_charges(const struct explain *explain)
{
	size_t width = 8;
	if (!explain->charge_count) {
		const struct sl_result *result = explain->view.result;
		const char *refusal = result->refusal ? result->refusal[explain->job] : NULL;
		const bool waits = result->state[explain->job] == SL_PENDING;
		printf("\n%s", refusal ? "it was refused at submission: "
			       : waits ? "it has not waited yet\n"
				       : "it did not wait\n");
		if (refusal)
			print_wrapped(30, 2, plain_text(explain, refusal));
		return;
	}
	for (size_t i = 0; i < explain->charge_count; i++) {
		const size_t len = strlen(range_text(explain, explain->charge[i].total));
		width = len > width ? len : width;
	}
	printf("\nwhat it waited for%s\n",
		explain->merged
			? ", by reason; what is told is of the longest stretch of each (--all: of each)"
			: "");
	for (size_t i = 0; i < explain->charge_count; i++) {
		const struct charge *charge = &explain->charge[i];
		const char *interval =
			charge->count > 1 ? report_text(explain, " in %" PRIu32 " stretches, the longest",
						    charge->count)
					  : "";
		printf("  %*s  ", (int)width, range_text(explain, charge->total));
		const size_t indent = width + 4;
		print_wrapped(indent, indent,
			plain_text(explain, report_text(explain, "%s: %s", sl_reason_name(charge->reason),
						    sl_reason_words(charge->reason))));
		printf("%*s", (int)indent, "");
		print_wrapped(indent, indent,
			report_text(explain, "%sfrom %s to %s%s",
				*interval ? report_text(explain, "%s ", interval + 1) : "",
				time_text(explain, charge->from), time_text(explain, charge->until),
				charge->look && charge->look->said_count ? ":" : ""));
		print_look(explain, charge->look, indent);
	}
}

/* ---- Who --------------------------------------------------------------------------------------------------
 */

static void print_started(const struct explain *explain)
{
	const struct ahead *ahead = &explain->ahead;
	const struct view *view = &explain->view;
	struct screen_table *table = screen_table_new(view->arena, 6);
	const size_t reported = ahead->later < STARTED_REPORTED ? ahead->later : STARTED_REPORTED;
	char number[48];
	for (size_t i = 0; i < reported; i++) {
		const struct started *started = &ahead->job[i];
		screen_cell(table, false, "    job %s", plain_text(explain, id_text(explain, started->job)));
		screen_cell(table, false, "%s", plain_text(explain, user_text(explain, started->job)));
		screen_cell(table, false, "at %s", time_text(explain, started->at));
		const int64_t cpus = sl_cpus_of(view->result, started->job);
		screen_cell(table, true, "%s cpu%s", parts_text(number, cpus, view->cluster->cpu_parts),
			cpus == sl_parts(view->cluster->cpu_parts) ? "" : "s");
		screen_cell(table, true, "for %s",
			range_text(explain, sl_run_time_of(view->result, started->job)));
		screen_cell(
			table, false, "%s", started->rule == SL_RULE_NONE ? "" : sl_rule_name(started->rule));
	}
	screen_print(table, stdout);
	if (reported < ahead->later)
		printf("    and %s\n", count_words(explain, ahead->later - reported, "more", "more"));
}

static void print_ahead(const struct explain *explain)
{
	const struct ahead *ahead = &explain->ahead;
	if (!explain->charge_count && !ahead->preempted_for && !ahead->preempted)
		return;
	printf("\nwho started meanwhile\n");
	if (ahead->later) {
		printf("  ");
		print_wrapped(2, 4,
			report_text(explain, "%s that came later, %s%s",
				count_words(explain, ahead->later, "job", "jobs"),
				hours_text(explain, ahead->later_cpu_seconds), ":"));
		for (int rule = 0; rule < SL_RULE_COUNT; rule++)
			if (ahead->cause_rule[rule] &&
				(rule != SL_RULE_NONE || ahead->cause_rule[rule] < ahead->later)) {
				printf("    ");
				print_wrapped(4, 6,
					report_text(explain, "%" PRIu64 " by %s: %s", ahead->cause_rule[rule],
						sl_rule_name((enum sl_rule)rule),
						sl_rule_words((enum sl_rule)rule)));
			}
		print_started(explain);
	} else if (explain->charge_count)
		printf("  no job that came later\n");
	if (ahead->earlier)
		printf("  %s that came before it, %s\n", count_words(explain, ahead->earlier, "job", "jobs"),
			hours_text(explain, ahead->earlier_cpu_seconds));
	if (ahead->preempted_for)
		printf("  %s to make room for it\n",
			ahead->preempted_for == 1
				? "1 job was preempted"
				: report_text(explain, "%zu jobs were preempted", ahead->preempted_for));
	for (size_t i = 0; i < ahead->preempted && i < SL_LEN(ahead->preempted_by); i++)
		if (ahead->preempted_by[i] == UINT32_MAX)
			printf("  it was preempted\n");
		else
			printf("  it was preempted for job %s%s\n",
				plain_text(explain, id_text(explain, ahead->preempted_by[i])),
				plain_text(explain, of_user(explain, ahead->preempted_by[i])));
}

static void print_plans(const struct explain *explain)
{
	if (!explain->plan_count)
		return;
	printf("\nwhen its start was planned for%s\n",
		explain->plan_moves ? report_text(explain, ": moved %s",
					      count_words(explain, explain->plan_moves, "time", "times"))
				    : "");
	struct screen_table *table = screen_table_new(explain->view.arena, 4);
	for (size_t i = 0; i < explain->plan_count; i++) {
		const struct plan *plan = &explain->plan[i];
		const struct plan *was = i ? plan - 1 : NULL;
		if (!explain->all && i >= PLANS_REPORTED / 2 && explain->plan_count > PLANS_REPORTED &&
			i + PLANS_REPORTED / 2 < explain->plan_count) {
			if (i == PLANS_REPORTED / 2) {
				screen_cell(table, false, "  ... %zu more (--all)",
					explain->plan_count - PLANS_REPORTED);
				screen_cell(table, false, "%s", "");
				screen_cell(table, false, "%s", "");
				screen_cell(table, false, "%s", "");
			}
			continue;
		}
		screen_cell(table, false, "  at %s", time_text(explain, plan->at));
		screen_cell(table, false, "%s",
			plan->start == SL_NONE ? "no start planned any more"
					       : time_text(explain, plan->start));
		if (!was || was->start == SL_NONE || plan->start == SL_NONE)
			screen_cell(table, false, "%s", "");
		else
			screen_cell(table, false, "%s %s",
				range_text(explain, plan->start < was->start ? was->start - plan->start
									     : plan->start - was->start),
				plan->start < was->start ? "earlier" : "later");
		screen_cell(table, false, "%s", was ? plain_text(explain, plan->why) : "");
	}
	screen_print(table, stdout);
}

/* ---- What would have been
 * -------------------------------------------------------------------------------------- */

static const char *outcome_text(const struct explain *explain, const struct what_if *other)
{
	const sl_time start = explain->view.result->start[explain->job];
	switch (other->outcome) {
	case OUTCOME_NEVER:
		return report_text(
			explain, "it would not have started%s%s", *other->why ? ": " : "", other->why);
	case OUTCOME_REFUSED:
		return report_text(explain, "there would be no such job: %s", other->why);
	case OUTCOME_FAILED:
		return report_text(explain, "cannot be simulated: %s", other->why);
	case OUTCOME_STARTED:
		break;
	}
	if (start == SL_NONE)
		return report_text(explain, "it would have started at %s", time_text(explain, other->start));
	if (start == other->start)
		return "it would have started at the same time";
	return report_text(explain, "it would have started %s %s, at %s",
		range_text(explain, other->start < start ? start - other->start : other->start - start),
		other->start < start ? "earlier" : "later", time_text(explain, other->start));
}

/* To be pasted into a shell as it stands. */
static void print_quoted(const char *text)
{
	printf("'");
	for (; *text; text++)
		if (*text == '\'')
			printf("'\\''");
		else
			printf("%c", *text);
	printf("'\n");
}

static void print_others(const struct explain *explain)
{
	if (!explain->other_count)
		return;
	printf("\nwhat would have been (each simulated again)\n");
	for (size_t i = 0; i < explain->other_count; i++) {
		const struct what_if *other = &explain->other[i];
		printf("  ");
		print_wrapped(2, 4,
			plain_text(explain,
				report_text(explain, "%s: %s", other->words, outcome_text(explain, other))));
		for (size_t k = 0; k < other->setting_count; k++) {
			printf("      --set ");
			print_quoted(plain_text(explain, other->setting[k]));
		}
	}
}

static void print_series(const struct explain *explain)
{
	if (explain->step_count)
		printf("\nits course, in seconds\n");
	for (size_t i = 0; i < explain->step_count; i++)
		printf("  %10s  %s\n", explain->step[i].at, explain->step[i].what);
}

static void print_evictions(const struct explain *explain)
{
	if (explain->eviction_count)
		printf("\nwhen it was evicted\n");
	for (size_t i = 0; i < explain->eviction_count; i++) {
		const struct evicted *one = &explain->eviction[i];
		const char *by = one->by && *one->by
					 ? report_text(explain, ", for job %s%s%s", one->by,
						   one->by_queue && *one->by_queue ? " of queue " : "",
						   one->by_queue ? one->by_queue : "")
					 : "";
		const char *why = one->why && *one->why ? report_text(explain, ", %s", one->why) : "";
		const bool says = one->message && *one->message;
		printf("  ");
		print_wrapped(2, 4,
			plain_text(
				explain, report_text(explain, "%s: %s%s%s%s%s", time_text(explain, one->at),
						 one->how ? one->how : "evicted", why, by, says ? ": " : "",
						 says ? one->message : "")));
	}
}

void explain_print(const struct explain *explain)
{
	print_head(explain);
	print_charges(explain);
	print_ahead(explain);
	print_plans(explain);
	print_series(explain);
	print_evictions(explain);
	if (explain->waits) {
		printf("\nwhat it waits for at the end\n  ");
		print_wrapped(2, 2,
			report_text(explain, "%s: %s", sl_reason_name(explain->waits_for),
				sl_reason_words(explain->waits_for)));
		print_look(explain, explain->waits, 2);
	}
	print_others(explain);
}
