/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_words.c - what happened and what was decided, in sentences with their figures.
 *
 * "easy starts J5 (2 cpus, 8 s): it ends at 20 s by its limit, before J4's planned start at 22 s"
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

#define TEXT(stepper, ...) report_text(&(stepper)->explain, __VA_ARGS__)

/* ---- Jobs and times -------------------------------------------------------------------------------- */

const char *job_words(const struct stepper *stepper, uint32_t job)
{
	const char *id = id_text(&stepper->explain, job);
	const bool number = *id >= '0' && *id <= '9';
	return number ? TEXT(stepper, "J%s", id) : plain_text(&stepper->explain, id);
}

const char *asks_words(const struct stepper *stepper, uint32_t job)
{
	const sl_time limit = stepper->explain.view.jobs->limit[job];
	return TEXT(stepper, "%s, %s", asked_text(&stepper->explain, job),
		limit >= SL_TIME_MOST ? "no limit" : range_text(&stepper->explain, limit));
}

const char *brief_words(const struct stepper *stepper, uint32_t job)
{
	const struct sl_cluster *cluster = stepper->explain.view.cluster;
	char number[48];
	const int64_t gpus = job_gpus(stepper, job);
	const int64_t cpus = job_cpus(stepper, job);
	const char *of_gpus = gpus ? TEXT(stepper, "%s GPU%s ", parts_text(number, gpus, cluster->gpu_parts),
					     gpus == sl_parts(cluster->gpu_parts) ? "" : "s")
				   : "";
	if (gpus && !cpus)
		return TEXT(stepper, "%.*s", (int)strlen(of_gpus) - 1, of_gpus);
	return TEXT(stepper, "%s%s cpu%s", of_gpus, parts_text(number, cpus, cluster->cpu_parts),
		cpus == sl_parts(cluster->cpu_parts) ? "" : "s");
}

/* "slurm", "easy" of "easy:fill=shortest", "mine" of "./mine.so". */
const char *policy_words(const struct stepper *stepper, size_t interval)
{
	const char *text = stepper->explain.view.rerun.recipe.history[interval].choice->text;
	size_t len = strcspn(text, ":");
	for (size_t k = 0; k < len; k++)
		if (text[k] == '/') {
			text += k + 1;
			len -= k + 1;
			k = 0;
		}
	const size_t file = len > 3 && strncmp(text + len - 3, ".so", 3) == 0 ? 3 : 0;
	return TEXT(stepper, "%.*s", (int)(len - file), text);
}

size_t interval_now(const struct stepper *stepper)
{
	const struct sim_options *recipe = &stepper->explain.view.rerun.recipe;
	size_t i = 0;
	while (i + 1 < recipe->history_count && recipe->history[i].until <= stepper->now)
		i++;
	return i;
}

sl_time limit_end(const struct stepper *stepper, uint32_t job, sl_time start)
{
	const sl_time limit = stepper->explain.view.jobs->limit[job];
	return limit >= SL_TIME_MOST ? SL_NEVER : time_after(start, limit);
}

/* ---- Plans ------------------------------------------------------------------------------------------- */

enum { LOOKED_BACK = 200000 }; /* Happenings; a plan that is older is not found. */

static bool ends_plan(const struct happening *happening)
{
	return happening->what == HAPPENED_START || is_over(happening);
}

/* The last that was said of it before that place. */
static sl_time planned_before(const struct stepper *stepper, size_t place, uint32_t job)
{
	const size_t stop = place > LOOKED_BACK ? place - LOOKED_BACK : 0;
	while (place-- > stop) {
		const struct happening *one = &stepper->happening[place];
		if (one->row != job)
			continue;
		if (one->what == HAPPENED_PLAN)
			return one->start;
		if (ends_plan(one) || one->what == HAPPENED_SUBMIT)
			return SL_NONE;
	}
	return SL_NONE;
}

sl_time planned_start(const struct stepper *stepper, size_t instant, uint32_t job)
{
	const struct instant *at = &stepper->instant[instant];
	return planned_before(stepper, at->first + at->count, job);
}

sl_time planned_now(const struct stepper *stepper, uint32_t job)
{
	const bool over = step_is_at_end(stepper);
	const size_t place =
		over ? stepper->happening_count : stepper->instant[stepper->at].first + stepper->displayed;
	return planned_before(stepper, place, job);
}

sl_time submitted_at(const struct stepper *stepper, uint32_t job)
{
	return stepper->explain.view.result->jobs->submit[job]; /* Of this run: replay.feedback moves it. */
}

/* It may have run before. */
sl_time waits_since(const struct stepper *stepper, uint32_t job)
{
	sl_time from;
	sl_time until;
	for (size_t i = 0; sl_wait_interval(stepper->explain.view.result, job, i, &from, &until); i++)
		if (from <= stepper->now && stepper->now <= until)
			return from;
	return submitted_at(stepper, job);
}

enum sl_reason reason_now(const struct stepper *stepper, uint32_t job)
{
	struct sl_charging charging = sl_charges_of(stepper->explain.view.result, job);
	struct sl_charge charge;
	const sl_time at = stepper->now - (stepper->displayed > 0); /* Not decided yet: as before. */
	while (sl_charge_next(&charging, &charge))
		if (charge.from <= at && at < charge.until)
			return charge.reason;
	return SL_REASON_NONE;
}

/* ---- Events -------------------------------------------------------------------------------------------- */

static const char *node_words(const struct stepper *stepper, uint32_t node)
{
	const struct sl_cluster *cluster = stepper->explain.view.cluster;
	return cluster->node_name && cluster->node_name[node]
		       ? plain_text(&stepper->explain, cluster->node_name[node])
		       : TEXT(stepper, "%" PRIu32, node);
}

static const char *window_words(const struct stepper *stepper, sl_time at)
{
	const struct sl_cluster *cluster = stepper->explain.view.cluster;
	for (uint32_t i = 0; i < cluster->window_count; i++) {
		const struct sl_window *window = &cluster->window[i];
		const char *name = window->name && *window->name ? window->name : "a reservation or outage";
		if (window->from == at || window->until == at)
			return TEXT(stepper, "%s %s", plain_text(&stepper->explain, name),
				window->from == at ? "begins" : "is over");
	}
	return "a reservation or outage begins or is over";
}

/* How a job ended that went its way: as the log says. */
static const char *end_words(const struct stepper *stepper, uint32_t job)
{
	const enum sl_state state = sl_state_reported(stepper->explain.view.result, job);
	const char *how = state == SL_COMPLETED ? "" : TEXT(stepper, " (%s)", sl_state_name(state));
	return TEXT(stepper, "%s ends%s: it held %s", job_words(stepper, job), how,
		asked_text(&stepper->explain, job));
}

static const char *event_words(const struct stepper *stepper, sl_time at, const struct happening *happening)
{
	/* Of a job and of a node, that alone. */
	static const char *const then[] = { [HAPPENED_RELEASED] = "may be considered from now on",
		[HAPPENED_LIMIT] = "is stopped at its time limit",
		[HAPPENED_CANCEL] = "is cancelled by its user",
		[HAPPENED_DEADLINE] = "can make its deadline no more",
		[HAPPENED_DEFERRED] = "may not be considered again yet",
		[HAPPENED_NODE_DOWN] = "goes down",
		[HAPPENED_NODE_UP] = "comes up",
		[HAPPENED_DRAIN] = "is drained",
		[HAPPENED_UNDRAIN] = "is in service again" };
	const uint32_t row = happening->row;
	const char *state =
		sl_state_name((enum sl_state)(happening->how < SL_STATE_COUNT ? happening->how : 0));
	if (happening->what >= HAPPENED_NODE_DOWN && happening->what <= HAPPENED_UNDRAIN)
		return TEXT(stepper, "node %s %s", node_words(stepper, row), then[happening->what]);
	if (happening->what < SL_LEN(then) && then[happening->what])
		return TEXT(stepper, "%s %s", job_words(stepper, row), then[happening->what]);
	if (happening->what == HAPPENED_SUBMIT || happening->what == HAPPENED_GATED)
		return TEXT(stepper, "%s is submitted (%s)%s", job_words(stepper, row),
			asks_words(stepper, row),
			happening->what == HAPPENED_GATED ? ", and may not be considered yet" : "");
	if (happening->what == HAPPENED_FAILED)
		return TEXT(stepper, "%s ends: %s", job_words(stepper, row), state);
	if (happening->what == HAPPENED_REQUEUED)
		return TEXT(stepper, "%s fails (%s), and waits again", job_words(stepper, row), state);
	return happening->what == HAPPENED_END ? end_words(stepper, row) : window_words(stepper, at);
}

/* ---- Decisions -------------------------------------------------------------------------------------------
 */

static const char *for_whom(const struct stepper *stepper, const struct happening *happening)
{
	return happening->beneficiary == UINT32_MAX || happening->beneficiary == happening->row
		       ? ""
		       : TEXT(stepper, " for %s", job_words(stepper, happening->beneficiary));
}

/* Of one that was put before others: why it is in nobody's way. */
static const char *backfill_words(
	const struct stepper *stepper, size_t instant, const struct happening *happening)
{
	const uint32_t head = happening->beneficiary;
	const sl_time plan = planned_start(stepper, instant, head);
	const sl_time end = limit_end(stepper, happening->row, stepper->instant[instant].at);
	const char *start = plan == SL_NONE ? "" : time_text(&stepper->explain, plan);
	if (plan == SL_NONE)
		return sl_rule_words((enum sl_rule)happening->rule);
	if (end <= plan)
		return TEXT(stepper, "it ends at %s by its limit, %s %s's planned start at %s",
			time_text(&stepper->explain, end), end == plan ? "no later than" : "before",
			job_words(stepper, head), start);
	return TEXT(stepper, "%s runs on past %s's planned start at %s, and leaves it what it needs then",
		end == SL_NEVER
			? "without a limit it"
			: TEXT(stepper, "until %s by its limit it", time_text(&stepper->explain, end)),
		job_words(stepper, head), start);
}

static const char *start_words(
	const struct stepper *stepper, size_t instant, const struct happening *happening)
{
	const bool beside = happening->rule == SL_RULE_BACKFILL && happening->beneficiary != UINT32_MAX;
	return TEXT(stepper, "%s starts %s (%s): %s", policy_words(stepper, happening->interval),
		job_words(stepper, happening->row), asks_words(stepper, happening->row),
		beside ? backfill_words(stepper, instant, happening)
		       : sl_rule_words((enum sl_rule)happening->rule));
}

static const char *preempt_words(const struct stepper *stepper, const struct happening *happening)
{
	static const char *const how[] = { [SL_PREEMPT_REQUEUE] = "it waits again, from its beginning",
		[SL_PREEMPT_CHECKPOINT] = "it waits again, its work kept",
		[SL_PREEMPT_SUSPEND] = "it is suspended",
		[SL_PREEMPT_CANCEL] = "it is cancelled" };
	const char *then = happening->how < SL_LEN(how) ? how[happening->how] : "it stops";
	return TEXT(stepper, "%s preempts %s%s: %s; %s", policy_words(stepper, happening->interval),
		job_words(stepper, happening->row), for_whom(stepper, happening),
		sl_rule_words((enum sl_rule)happening->rule), then);
}

static const char *plan_words(const struct stepper *stepper, const struct happening *happening)
{
	const sl_time was = planned_before(stepper, (size_t)(happening - stepper->happening), happening->row);
	const char *policy = policy_words(stepper, happening->interval);
	const char *job = job_words(stepper, happening->row);
	if (happening->start == SL_NONE)
		return TEXT(stepper, "%s plans no start of %s any more", policy, job);
	const char *start = time_text(&stepper->explain, happening->start);
	if (was == SL_NONE)
		return TEXT(stepper, "%s plans %s's start for %s", policy, job, start);
	return TEXT(stepper, "%s moves %s's planned start from %s to %s", policy, job,
		time_text(&stepper->explain, was), start);
}

const char *happening_words(const struct stepper *stepper, size_t instant, uint32_t number)
{
	const struct happening *happening = step_happening(stepper, instant, number);
	const sl_time at = stepper->instant[instant].at;
	if (!is_decision(happening))
		return event_words(stepper, at, happening);
	const char *policy = policy_words(stepper, happening->interval);
	const char *job = job_words(stepper, happening->row);
	const char *rule = sl_rule_words((enum sl_rule)happening->rule);
	if (happening->what == HAPPENED_START)
		return start_words(stepper, instant, happening);
	if (happening->what == HAPPENED_PREEMPT)
		return preempt_words(stepper, happening);
	if (happening->what == HAPPENED_RESUME)
		return TEXT(stepper, "%s resumes %s: %s", policy, job, rule);
	if (happening->what == HAPPENED_RESIZE)
		return TEXT(stepper, "%s changes the size of %s%s: %s", policy, job,
			for_whom(stepper, happening), rule);
	if (happening->what == HAPPENED_STOP)
		return TEXT(stepper, "%s ends %s (%s): %s", policy, job,
			sl_state_name((enum sl_state)happening->how), rule);
	return plan_words(stepper, happening);
}

/* ---- Lines
 * -------------------------------------------------------------------------------------------------- */

void report_line(struct stepper *stepper, struct report_lines *reported, const char *format, ...)
{
	struct sl_err none = { 0 };
	char *text = NULL;
	va_list args;
	va_start(args, format);
	const int len = vasprintf(&text, format, args);
	va_end(args);
	char *kept = len < 0 ? NULL : sl_strdup(stepper->explain.view.arena, text, (size_t)len);
	if (len >= 0)
		free(text);
	if (kept && !SL_GROW(reported->line, reported->capacity, reported->count + 1, &none))
		reported->line[reported->count++] = kept;
}

void reported_free(struct report_lines *reported)
{
	free(reported->line);
	*reported = (struct report_lines){ 0 };
}
