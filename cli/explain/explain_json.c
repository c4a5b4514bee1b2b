/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_json.c - why a job waited, for programs: "schedlab.explain/1", times in seconds.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <string.h>

void member_micro(struct sl_out *out, int64_t micro)
{
	if (micro == SL_NONE || micro == SL_NEVER)
		sl_out_text(out, "null");
	else
		sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), micro));
}

void member_number(struct sl_out *out, const char *key, int64_t micro)
{
	sl_out_printf(out, ", \"%s\": ", key);
	member_micro(out, micro);
}

static void explain_json_put_count(struct sl_out *out, const char *name, uint64_t count)
{
	sl_out_printf(out, ", \"%s\": %" PRIu64, name, count);
}

void member_first(struct sl_out *out, const char *key, const char *text)
{
	sl_out_printf(out, "\"%s\": ", key);
	if (text && *text)
		sl_out_json(out, text);
	else
		sl_out_text(out, "null");
}

void member_text(struct sl_out *out, const char *key, const char *text)
{
	sl_out_text(out, ", ");
	member_first(out, key, text);
}

static void put_look(struct sl_out *out, const struct look *look)
{
	sl_out_text(out, ", \"says\": [");
	for (size_t i = 0; i < look->said_count; i++) {
		sl_out_text(out, i ? ", " : "");
		sl_out_json(out, look->said[i]);
	}
	sl_out_text(out, "], \"figures\": {");
	bool any = false;
	for (size_t i = 0; i < look->fact_count; i++) {
		const struct fact *fact = &look->fact[i];
		bool rerun = false; /* Of a key that comes several times the first counts. */
		for (size_t k = 0; k < i && !rerun; k++)
			rerun = strcmp(look->fact[k].key, fact->key) == 0;
		if (rerun)
			continue;
		sl_out_text(out, any ? ", " : "");
		any = true;
		sl_out_json(out, fact->key);
		sl_out_text(out, ": ");
		if (fact->text)
			sl_out_json(out, fact->text);
		else
			member_micro(out, fact->micro);
	}
	sl_out_text(out, "}");
}

static void put_charges(struct sl_out *out, const struct explain *explain)
{
	sl_out_text(out, ",\n  \"waits\": [");
	for (size_t i = 0; i < explain->charge_count; i++) {
		const struct charge *charge = &explain->charge[i];
		sl_out_text(out, i ? ",\n    { " : "\n    { ");
		member_first(out, "reason", sl_reason_name(charge->reason));
		member_text(out, "words", sl_reason_words(charge->reason));
		explain_json_put_count(out, "detail", charge->detail);
		member_number(out, "total", charge->total);
		explain_json_put_count(out, "stretches", charge->count);
		member_number(out, "from", charge->from);
		member_number(out, "to", charge->until);
		if (charge->look)
			put_look(out, charge->look);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "\n  ]");
}

static void put_ahead(struct sl_out *out, const struct explain *explain)
{
	const struct ahead *ahead = &explain->ahead;
	enum { REPORTED = 10 };
	sl_out_printf(out,
		",\n  \"started_meanwhile\": { \"later\": %zu, \"later_cpu_seconds\": %" PRId64
		", \"earlier\": %zu, "
		"\"earlier_cpu_seconds\": %" PRId64
		", \"preempted_for_it\": %zu, \"preempted\": %zu, \"rules\": {",
		ahead->later, ahead->later_cpu_seconds, ahead->earlier, ahead->earlier_cpu_seconds,
		ahead->preempted_for, ahead->preempted);
	const char *between = "";
	for (int rule = 0; rule < SL_RULE_COUNT; rule++)
		if (ahead->cause_rule[rule]) {
			sl_out_printf(out,
				"%s\"%s\": { \"jobs\": %" PRIu64 ", \"cpu_seconds\": %" PRId64 " }", between,
				sl_rule_name((enum sl_rule)rule), ahead->cause_rule[rule],
				ahead->rule_cpu_seconds[rule]);
			between = ", ";
		}
	sl_out_text(out, "}, \"jobs\": [");
	for (size_t i = 0; i < ahead->later && (i < REPORTED || explain->all); i++) {
		const struct started *started = &ahead->job[i];
		sl_out_text(out, i ? ",\n    { " : "\n    { ");
		member_first(out, "job", id_text(explain, started->job));
		member_text(out, "user", user_text(explain, started->job));
		member_number(out, "at", started->at);
		member_text(out, "rule", sl_rule_name(started->rule));
		sl_out_printf(out, ", \"cpu_seconds\": %" PRId64 " }", started->cpu_seconds);
	}
	sl_out_text(out, "] }");
}

static void put_plans(struct sl_out *out, const struct explain *explain)
{
	sl_out_printf(out, ",\n  \"plans_moved\": %zu,\n  \"plans\": [", explain->plan_moves);
	for (size_t i = 0; i < explain->plan_count; i++) {
		const struct plan *plan = &explain->plan[i];
		sl_out_text(out, i ? ",\n    { \"at\": " : "\n    { \"at\": ");
		member_micro(out, plan->at);
		member_number(out, "start", plan->start);
		member_text(out, "then", plan->why);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "]");
}

static void put_evictions(struct sl_out *out, const struct explain *explain)
{
	sl_out_text(out, ",\n  \"evictions\": [");
	for (size_t i = 0; i < explain->eviction_count; i++) {
		const struct evicted *one = &explain->eviction[i];
		sl_out_text(out, i ? ",\n    { \"at\": " : "\n    { \"at\": ");
		member_micro(out, one->at);
		member_text(out, "reason", one->how);
		member_text(out, "cause", one->why);
		member_text(out, "by", one->by);
		member_text(out, "by_queue", one->by_queue);
		member_text(out, "message", one->message);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "]");
}

static void explain_json_put_series(struct sl_out *out, const struct explain *explain)
{
	sl_out_text(out, ",\n  \"course\": [");
	for (size_t i = 0; i < explain->step_count; i++) {
		sl_out_printf(out, "%s\n    { \"at\": %s", i ? "," : "", explain->step[i].at);
		member_text(out, "step", explain->step[i].what);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "]");
}

static void put_others(struct sl_out *out, const struct explain *explain)
{
	static const char *const outcome[] = { "started", "never", "refused", "failed" };
	const sl_time start = explain->view.result->start[explain->job];
	sl_out_text(out, ",\n  \"what_if\": [");
	for (size_t i = 0; i < explain->other_count; i++) {
		const struct what_if *other = &explain->other[i];
		sl_out_text(out, i ? ",\n    { " : "\n    { ");
		member_first(out, "what", other->key);
		member_text(out, "words", other->words);
		member_text(out, "outcome", outcome[other->outcome]);
		member_text(out, "why", other->why);
		const bool started = other->outcome == OUTCOME_STARTED;
		member_number(out, "start", started ? other->start : SL_NONE);
		member_number(
			out, "earlier_by", started && start != SL_NONE ? start - other->start : SL_NONE);
		sl_out_text(out, ", \"settings\": [");
		for (size_t k = 0; k < other->setting_count; k++) {
			sl_out_text(out, k ? ", " : "");
			sl_out_json(out, other->setting[k]);
		}
		sl_out_text(out, "] }");
	}
	sl_out_text(out, "]");
}

int explain_json(const struct explain *explain, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	const uint32_t job = explain->job;
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{\n  \"schema\": \"schedlab.explain/1\",\n  \"job\": { ");
	member_first(out, "id", explain->id);
	member_text(out, "user", user_text(explain, job));
	member_text(out, "account", account_text(explain, job));
	member_text(out, "partition", partition_text(explain, job));
	member_text(out, "asked", asked_text(explain, job));
	member_number(out, "limit",
		explain->view.jobs->limit[job] >= SL_TIME_MOST ? SL_NONE : explain->view.jobs->limit[job]);
	member_number(out, "submit", explain->view.jobs->submit[job]);
	member_number(
		out, "eligible", result->eligible ? result->eligible[job] : explain->view.jobs->submit[job]);
	member_number(out, "start", result->start[job]);
	member_number(out, "end", result->end[job]);
	member_text(out, "state", sl_state_name(sl_state_reported(result, job)));
	if (result->refusal && result->refusal[job])
		member_text(out, "refused", result->refusal[job]);
	if (result->speed_mean)
		member_number(out, "speed", (int64_t)((result->speed_mean[job] >> 12) * 1000000 >> 20));
	const char *between = "";
	for (size_t i = 0; i < result->reported_column_count; i++)
		if (result->reported_column[i].micro[job] != SL_NONE) {
			sl_out_text(out, *between ? between : ", \"models\": { ");
			sl_out_printf(out, "\"%s\": ", result->reported_column[i].name);
			member_micro(out, result->reported_column[i].micro[job]);
			between = ", ";
		}
	sl_out_text(out, *between ? " }" : "");
	member_number(out, "wait_total", explain->waited);
	sl_out_printf(out, ", \"waited_longer_than\": %" PRIu32 ", \"jobs\": %" PRIu32, explain->rank,
		explain->ranked);
	sl_out_printf(out,
		", \"waited_longer_than_in_partition\": %" PRIu32 ", \"jobs_in_partition\": %" PRIu32
		" },\n  ",
		explain->rank_part, explain->ranked_part);
	member_first(out, "policy", result->policy);
	put_charges(out, explain);
	put_ahead(out, explain);
	put_plans(out, explain);
	if (explain->step_count)
		explain_json_put_series(out, explain);
	if (explain->eviction_count)
		put_evictions(out, explain);
	if (explain->waits) {
		sl_out_text(out, ",\n  \"at_the_end\": { \"at\": ");
		member_micro(out, explain->waits->at);
		member_text(out, "reason", sl_reason_name(explain->waits_for));
		member_text(out, "words", sl_reason_words(explain->waits_for));
		put_look(out, explain->waits);
		sl_out_text(out, " }");
	}
	put_others(out, explain);
	sl_out_text(out, "\n}\n");
	return sl_out_commit(out, err);
}
