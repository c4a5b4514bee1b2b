/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector.c - reads a selector, and a threshold; see selector.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector_parts.h"

#define SUBJECT_FORM                                                                                       \
	"job, user, account, partition, qos, name, state, size, gpus, cpus, nodes, mem, limit, run_time, " \
	"wait, submit, start or end"

static const char *const subjects[] = { "job", "user", "account", "partition", "qos", "name", "state", "size",
	"gpus", "cpus", "nodes", "mem", "limit", "run_time", "wait", "submit", "start", "end", NULL };
_Static_assert(SL_LEN(subjects) == SUBJECT_COUNT + 1, "a subject without its word");

static const struct {
	const char *name; /* "wait": with ".mean" or such behind it, where the jobs' values are spread. */
	enum figure figure;
	enum summary_unit unit;
	int better;
} figures[] = {
	{ "jobs.total", FIGURE_JOBS, UNIT_COUNT, 0 },
	{ "jobs", FIGURE_JOBS, UNIT_COUNT, 0 }, /* As labels of metrics.json call it. */
	{ "jobs.completed", FIGURE_COMPLETED, UNIT_COUNT, 0 },
	{ "jobs.preempted", FIGURE_PREEMPTED, UNIT_COUNT, -1 },
	{ "preemptions", FIGURE_PREEMPTIONS, UNIT_COUNT, -1 },
	{ "work.lost", FIGURE_LOST, UNIT_TIME, -1 },
	{ "work.overhead", FIGURE_OVERHEAD, UNIT_TIME, -1 },
	{ "suspended.total", FIGURE_SUSPENDED, UNIT_TIME, -1 },
	{ "cpu_seconds", FIGURE_CPU_SECONDS, UNIT_NUMBER, 0 },
	{ "cpu_hours", FIGURE_CPU_HOURS, UNIT_NUMBER, 0 },
	{ "gpu_seconds", FIGURE_GPU_SECONDS, UNIT_NUMBER, 0 },
	{ "gpu_hours", FIGURE_GPU_HOURS, UNIT_NUMBER, 0 },
	{ "gpu_hours.allocated", FIGURE_ALLOCATED, UNIT_NUMBER, 0 },
	{ "gpu_hours.active", FIGURE_ACTIVE, UNIT_NUMBER, 0 },
	{ "gpu_hours.idle", FIGURE_IDLE, UNIT_NUMBER, -1 },
	{ "wait", FIGURE_WAIT, UNIT_TIME, -1 },
	{ "wait_total", FIGURE_WAIT_TOTAL, UNIT_TIME, -1 },
	{ "turnaround", FIGURE_TURNAROUND, UNIT_TIME, -1 },
	{ "run_time", FIGURE_RUN_TIME, UNIT_TIME, 0 },
	{ "slowdown", FIGURE_SLOWDOWN, UNIT_NUMBER, -1 },
	{ "bounded_slowdown", FIGURE_BOUNDED, UNIT_NUMBER, -1 },
	{ "per_cpu_bounded_slowdown", FIGURE_PER_CPU, UNIT_NUMBER, -1 },
};

/* Where reading is. */
struct text {
	struct sl_lexer lex;
	struct sl_arena *arena;
};

/* "'usr' is not what jobs are chosen by: did you mean 'user'?" */
static void unlike(char what[200], const char *word, const char *wanted, const char *const *known)
{
	char similar[128];
	(void)did_you_mean(similar, sl_nearest(word, known));
	const size_t len = strlen(similar);
	similar[len - (len > 0)] = '\0'; /* The blank behind it. */
	(void)snprintf(what, 200, "'%.60s' is not %.30s%s%.60s", word, wanted, *similar ? ": " : "", similar);
}

/* Where in the text, what is wrong, and what would be right. */
static int fail_here(
	const struct text *in, const char *at, const char *what, const char *form, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "'%.200s', character %zu: %s: give %s", in->lex.text,
		(size_t)(at - in->lex.text) + 1, what, form);
}

/* NULL: no memory, as err says. */
static const char *take_value(struct text *in, const char *until, struct sl_err *err)
{
	const char *value = sl_lex_value(&in->lex, until, in->arena);
	if (!value)
		(void)sl_fail_memory(err);
	return value;
}

/* ---- Numbers ------------------------------------------------------------------------------------- */

static bool is_moment(enum subject subject)
{
	return subject == SUBJECT_SUBMIT || subject == SUBJECT_START || subject == SUBJECT_END;
}

static bool is_time(enum subject subject)
{
	return subject == SUBJECT_LIMIT || subject == SUBJECT_RUN_TIME || subject == SUBJECT_WAIT;
}

static bool selector_value_of_here(
	enum subject subject, const char *text, size_t len, int64_t *value, bool *dated)
{
	*dated = is_moment(subject) && sl_get_date(text, len, value);
	if (*dated)
		return true;
	if (is_moment(subject) && len && *text == '+') {
		text++;
		len--;
	}
	if (subject == SUBJECT_MEM)
		return sl_get_memory(text, len, true, value);
	if (is_moment(subject) || is_time(subject))
		return sl_get_duration(text, len, value) && *value >= 0;
	return sl_get_micro(text, len, value) && *value >= 0;
}

static const char *form_of(enum subject subject)
{
	if (subject == SUBJECT_MEM)
		return "a size such as 16G";
	if (is_time(subject))
		return "a time such as 4h or 1-00:00:00";
	if (is_moment(subject))
		return "seconds since the trace's zero, a duration such as +3d, or a date as 2001-12-31T23:59";
	return "a number";
}

static const char *const signs[] = { "<=", ">=", "<", ">" };

/* The sign that text begins with; NULL: none. */
static const char *sign_at(const char *text)
{
	for (size_t i = 0; i < SL_LEN(signs); i++)
		if (strncmp(text, signs[i], strlen(signs[i])) == 0)
			return signs[i];
	return NULL;
}

static struct range range_of(const char *sign, int64_t value, bool dated)
{
	const int64_t from = sign[0] == '>' ? value + (sign[1] != '=') : INT64_MIN;
	const int64_t to = sign[0] == '<' ? value + (sign[1] == '=') : INT64_MAX;
	return (struct range){ from, to, dated };
}

/* "8-15", "5m-30m", where days may have a dash too. */
static bool between(enum subject subject, const char *text, struct range *range)
{
	bool dated;
	const size_t len = strlen(text);
	for (const char *dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-')) {
		const size_t before = (size_t)(dash - text);
		if (selector_value_of_here(subject, text, before, &range->from, &dated) &&
			selector_value_of_here(subject, dash + 1, len - before - 1, &range->to, &dated)) {
			range->to += !is_time(subject);
			return range->from < range->to;
		}
	}
	return false;
}

/* One of what may stand behind "=". */
static bool selector_part_of(enum subject subject, const char *text, struct range *range)
{
	int64_t value;
	bool dated;
	const char *sign = sign_at(text);
	if (sign) {
		text += strlen(sign);
		if (!selector_value_of_here(subject, text, strlen(text), &value, &dated))
			return false;
		*range = range_of(sign, value, dated);
		return true;
	}
	*range = (struct range){ 0 };
	if (selector_value_of_here(subject, text, strlen(text), &value, &dated)) {
		*range = (struct range){ value, value + 1, false };
		return true;
	}
	return between(subject, text, range);
}

/* ---- Conditions ------------------------------------------------------------------------------------ */

static int take_word(
	struct text *in, struct condition *condition, const char *at, const char *value, struct sl_err *err)
{
	if (condition->subject == SUBJECT_STATE) {
		const char *known[SL_STATE_COUNT + 1] = { NULL };
		char what[200];
		bool found = false;
		for (int i = 0; i < SL_STATE_COUNT; i++) {
			known[i] = sl_state_name((enum sl_state)i);
			found |= strcmp(known[i], value) == 0;
		}
		unlike(what, value, "a job's state", known);
		if (!found)
			return fail_here(in, at, what, "COMPLETED, FAILED, TIMEOUT, CANCELLED, ...", err);
	}
	condition->word[condition->count++] = value;
	return SL_OK;
}

/* Behind "=" or "!=": values apart by '|'. */
static int selector_take_values(struct text *in, struct condition *condition, struct sl_err *err)
{
	const bool words = condition->subject < SUBJECT_WORDS;
	const size_t most = sl_lex_most(&in->lex, '}');
	condition->word = sl_alloc(in->arena, most, sizeof(*condition->word));
	condition->range = sl_alloc(in->arena, most, sizeof(*condition->range));
	if (!condition->word || !condition->range)
		return sl_fail_memory(err);
	for (bool more = true; more; in->lex.p += more) {
		(void)sl_lex_peek(&in->lex);
		const char *at = in->lex.p;
		const char *value = take_value(in, "|,} \t", err);
		if (!value)
			return err->status;
		(void)sl_lex_peek(&in->lex);
		more = *in->lex.p == '|';
		if (!*value || condition->count == most)
			return fail_here(in, at, "a value is missing here",
				words ? "a name, or several apart by '|'" : form_of(condition->subject), err);
		if (words && take_word(in, condition, at, value, err))
			return err->status;
		if (!words &&
			!selector_part_of(condition->subject, value, &condition->range[condition->count++]))
			return fail_here(in, at, "this is not what it is compared with",
				form_of(condition->subject), err);
	}
	return SL_OK;
}

/* Behind "<", "<=", ">" or ">=". */
static int take_bound(struct text *in, struct condition *condition, const char *sign, struct sl_err *err)
{
	int64_t value;
	bool dated;
	(void)sl_lex_peek(&in->lex);
	const char *at = in->lex.p;
	const char *text = take_value(in, ",} \t", err);
	condition->range = sl_alloc(in->arena, 1, sizeof(*condition->range));
	if (!text || !condition->range)
		return sl_fail_memory(err);
	if (!selector_value_of_here(condition->subject, text, strlen(text), &value, &dated))
		return fail_here(
			in, at, "this is not what it is compared with", form_of(condition->subject), err);
	condition->range[condition->count++] = range_of(sign, value, dated);
	return SL_OK;
}

static int take_sign(struct text *in, struct condition *condition, struct sl_err *err)
{
	const char *word = subjects[condition->subject];
	char what[100];
	(void)snprintf(what, sizeof(what), "'%s' is not compared like that", word);
	(void)sl_lex_peek(&in->lex);
	const char *at = in->lex.p;
	const char *sign = sign_at(in->lex.p);
	if (sign) {
		if (condition->subject < SUBJECT_WORDS)
			return fail_here(in, at, what, "= or !=, as in user=alice|bob", err);
		in->lex.p += strlen(sign);
		return take_bound(in, condition, sign, err);
	}
	condition->not = *in->lex.p == '!';
	in->lex.p += condition->not ;
	if (*in->lex.p != '=' || is_moment(condition->subject))
		return fail_here(in, at, what,
			is_moment(condition->subject)        ? "<, <=, > or >="
			: condition->subject < SUBJECT_WORDS ? "= or !=, as in user=alice|bob"
							     : "=, !=, <, <=, > or >=, as in gpus>=8",
			err);
	in->lex.p++;
	return selector_take_values(in, condition, err);
}

static int take_condition(struct text *in, struct selector *selector, struct sl_err *err)
{
	char what[200];
	(void)sl_lex_peek(&in->lex);
	const char *at = in->lex.p;
	const char *word = take_value(in, "=!<>,}|{ \t", err);
	if (!word)
		return err->status;
	if (selector->condition_count == CONDITIONS_MAX)
		return fail_here(in, at, "too many conditions", "16 at most", err);
	struct condition *condition = &selector->condition[selector->condition_count++];
	*condition = (struct condition){ .subject = SUBJECT_JOB };
	while (condition->subject < SUBJECT_COUNT && strcmp(subjects[condition->subject], word) != 0)
		condition->subject++;
	if (condition->subject == SUBJECT_COUNT) {
		unlike(what, word, "what jobs are chosen by", subjects);
		return fail_here(in, at, what, SUBJECT_FORM, err);
	}
	return take_sign(in, condition, err);
}

static int take_conditions(struct text *in, struct selector *selector, struct sl_err *err)
{
	int status = SL_OK;
	do {
		in->lex.p++; /* '{' or ',' */
		status = take_condition(in, selector, err);
		(void)sl_lex_peek(&in->lex);
	} while (!status && *in->lex.p == ',');
	if (status)
		return status;
	if (*in->lex.p != '}')
		return fail_here(in, in->lex.p, "this is too much",
			"a '}' behind the conditions, or a ',' between two of them", err);
	in->lex.p++;
	return SL_OK;
}

/* ---- The metric --------------------------------------------------------------------------------------- */

/* "mean", "p95", "max" */
static bool statistic_of(const char *text, size_t len, unsigned *hundredth)
{
	int64_t number;
	*hundredth = 0;
	if (len == 4 && strncmp(text, "mean", len) == 0)
		return true;
	*hundredth = 100;
	if (len == 3 && strncmp(text, "max", len) == 0)
		return true;
	if (len < 2 || len > 3 || *text != 'p' || text[1] < '1' || text[1] > '9' ||
		!sl_get_i64(text + 1, len - 1, &number))
		return false;
	*hundredth = (unsigned)number;
	return true;
}

/* True: it is made of jobs. */
static bool figure_of(struct selector *selector, const char *name, size_t len)
{
	for (size_t i = 0; i < SL_LEN(figures); i++) {
		const size_t base = strlen(figures[i].name);
		if (len < base || strncmp(name, figures[i].name, base) != 0)
			continue;
		const bool spread = figures[i].figure >= FIGURE_SPREAD;
		const bool whole = len == base && !spread;
		const bool behind = spread && len > base && name[base] == '.' &&
				    statistic_of(name + base + 1, len - base - 1, &selector->hundredth);
		if (!whole && !behind)
			continue;
		selector->figure = figures[i].figure;
		selector->unit = figures[i].unit;
		selector->better = figures[i].better;
		return true;
	}
	return false;
}

/* Of a name that is not made of jobs: as the summary has it. */
static void unit_of_name(struct selector *selector, size_t len)
{
	selector->figure = FIGURE_NAME;
	selector->unit = UNIT_NUMBER;
	for (const struct summary_metric *m = summary_metrics; m->name; m++)
		if (strlen(m->name) == len && strncmp(m->name, selector->text, len) == 0) {
			selector->unit = m->unit;
			selector->better = m->better;
		}
	if (strncmp(selector->text, "utilization", 11) == 0 || strncmp(selector->text, "jain.", 5) == 0) {
		selector->unit = UNIT_SHARE;
		selector->better = 1;
	}
	if (strncmp(selector->text, "loss_of_capacity", 16) == 0) {
		selector->unit = UNIT_SHARE;
		selector->better = -1;
	}
}

/* Where a selector at the beginning of the text ends: behind its '}', or before what is no name. */
static size_t selector_len(const char *text)
{
	size_t len = strcspn(text, "{<>= \t\xe2");
	if (text[len] != '{')
		return len;
	for (; text[len] && text[len] != '}'; len++)
		len += text[len] == '\\' && text[len + 1];
	return len + (text[len] == '}');
}

static bool is_name(const char *text, size_t len)
{
	bool good = len > 0 && text[0] >= 'a' && text[0] <= 'z';
	for (size_t i = 0; i < len; i++)
		good &= (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
			(text[i] >= '0' && text[i] <= '9') || text[i] == '_' || text[i] == '.';
	return good;
}

/* Of so many letters, which are the text. */
static int parse(struct selector *selector, const struct text *whole, size_t len, struct sl_err *err)
{
	struct text in = *whole;
	selector->text = sl_strdup(in.arena, in.lex.p, len);
	if (!selector->text)
		return sl_fail_memory(err);
	const size_t name = strcspn(selector->text, "{");
	if (!is_name(selector->text, name))
		return fail_here(&in, in.lex.p, "this is no metric",
			"a name of metrics.json, as wait.p95, or one of some jobs, as wait.p95{gpus>=8}",
			err);
	if (!figure_of(selector, selector->text, name)) {
		unit_of_name(selector, name);
		return SL_OK;
	}
	in.lex.p += name;
	if (name == len)
		return SL_OK;
	const int status = take_conditions(&in, selector, err);
	if (!status && in.lex.p != whole->lex.p + len)
		return fail_here(&in, in.lex.p, "this is too much", "nothing behind the '}'", err);
	return status;
}

static int selector_begin(struct text *in, struct sl_err *err)
{
	if (strlen(in->lex.text) > SELECTOR_TEXT_MAX)
		return sl_fail(err, SL_USAGE, "'%.60s...' is longer than %d characters: name fewer jobs",
			in->lex.text, (int)SELECTOR_TEXT_MAX);
	(void)sl_lex_peek(&in->lex);
	return SL_OK;
}

static struct selector *selector_new(struct sl_arena *arena, struct sl_err *err)
{
	struct selector *selector = sl_alloc(arena, 1, sizeof(*selector));
	if (!selector) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	*selector = (struct selector){ .figure = FIGURE_NAME };
	return selector;
}

int selector_parse(
	const struct selector **selector, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	struct text in = { { text, text }, arena };
	struct selector *made = selector_new(arena, err);
	if (!made || selector_begin(&in, err))
		return err->status;
	size_t len = strlen(in.lex.p);
	while (len && (in.lex.p[len - 1] == ' ' || in.lex.p[len - 1] == '\t'))
		len--;
	const size_t own = selector_len(in.lex.p);
	if (own < len && in.lex.p[own] && strchr("<>=\xe2", in.lex.p[own]))
		return fail_here(&in, in.lex.p + own, "a metric is asked for, without a bound",
			"the metric alone", err);
	*selector = made;
	return parse(made, &in, len, err);
}

bool metric_is_of_waits(const char *name)
{
	static const char *const families[] = { "wait.", "wait_total.", "turnaround.", "run_time.",
		"slowdown.", "bounded_slowdown.", "per_cpu_bounded_slowdown.", "jain.slowdown" };
	for (size_t i = 0; i < SL_LEN(families); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

const char *selector_text(const struct selector *selector) { return selector->text; }

bool selector_of_jobs(const struct selector *selector) { return selector->figure != FIGURE_NAME; }

enum summary_unit selector_unit(const struct selector *selector) { return selector->unit; }

int selector_better(const struct selector *selector) { return selector->better; }

/* ---- Thresholds ---------------------------------------------------------------------------------------- */

int threshold_parse(struct threshold *threshold, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	struct text in = { { text, text }, arena };
	struct tol_wrong wrong;
	struct selector *selector = selector_new(arena, err);
	if (!selector || selector_begin(&in, err))
		return err->status;
	const size_t len = selector_len(in.lex.p);
	const char *bound = in.lex.p + len + strspn(in.lex.p + len, " \t");
	*threshold = (struct threshold){ .text = sl_strdup(arena, text, strlen(text)), .selector = selector };
	if (!threshold->text)
		return sl_fail_memory(err);
	if (parse(selector, &in, len, err))
		return err->status;
	if (!*bound)
		return fail_here(
			&in, bound, "a bound is missing here", "one, as < 4h, >= 80% or 1h..2h", err);
	if (!tolerance_parse(&threshold->bound, bound, &wrong))
		return sl_fail(err, SL_USAGE, "'%.200s', character %zu: %s", text,
			(size_t)(bound - in.lex.text) + wrong.at + 1, wrong.why);
	if (tolerance_relative(&threshold->bound))
		return fail_here(&in, bound, "this is held against the value before, and there is none here",
			"a bound, as < 4h, >= 80% or 1h..2h", err);
	if (tolerance_timed(&threshold->bound) && selector->figure != FIGURE_NAME &&
		selector->unit != UNIT_TIME)
		return fail_here(
			&in, bound, "this is a time, and the metric is none", "a number, as < 100", err);
	return SL_OK;
}

bool threshold_met(const struct threshold *threshold, int64_t micro)
{
	const struct tol_move move = { .is = micro };
	const enum verdict verdict = tolerance_judge(&threshold->bound, &move);
	return verdict == VERDICT_PASS || verdict == VERDICT_WARN;
}

bool threshold_margin(const struct threshold *threshold, int64_t micro, int64_t *margin)
{
	const struct tol_node *node = &threshold->bound.node[threshold->bound.root];
	const bool below = node->kind == TOL_LE || node->kind == TOL_LT;
	if (!below && node->kind != TOL_GE && node->kind != TOL_GT)
		return false;
	*margin = below ? node->amount - micro : micro - node->amount;
	return true;
}
