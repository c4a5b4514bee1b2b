/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * karpenter_budget.c - disruption budgets of NodePools (pkg/apis/v1/nodepool.go,
 * GetAllowedDisruptionsByReason; helpers.go, BuildDisruptionBudgetMapping): the least that an active budget
 * of the reason allows, of nodes that are there, less those that are down or leave. Percents are rounded up.
 * Without any: 10 %.
 *
 * A schedule is of cron's five fields, or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually,
 * in UTC; its budget is active for its duration from each hit on. Time 0 is that of the trace; where the
 * trace has no dates, it is 1970-01-01 00:00, a Thursday.
 */
#include "policies/kube/elastic/karpenter.h"

#include <string.h>
#include <strings.h>

#define MINUTE (60 * SL_SECOND)
enum { MINUTES_MAX = 60 * 24 * 366 }; /* Of a duration. */

/* ---- Schedules ----------------------------------------------------------------------------------- */

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
	"nov", "dec", NULL };
static const char *const weekdays[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL };

static bool get_one(const char *text, size_t len, const char *const *names, int64_t base, int64_t *value)
{
	for (int64_t i = 0; names && names[i]; i++)
		if (len == 3 && strncasecmp(text, names[i], 3) == 0) {
			*value = i + base;
			return true;
		}
	return len && sl_get_i64(text, len, value);
}

/* "1-5/2", "*", "mon" */
static bool get_range(
	const char *text, size_t len, int64_t min, int64_t max, const char *const *names, uint64_t *bits)
{
	const char *slash = memchr(text, '/', len);
	const size_t range = slash ? (size_t)(slash - text) : len;
	const char *dash = memchr(text, '-', range);
	int64_t from = min, until = max, step = 1;
	if (slash && (!sl_get_i64(slash + 1, len - range - 1, &step) || step < 1))
		return false;
	if (range != 1 || (*text != '*' && *text != '?')) {
		const size_t first = dash ? (size_t)(dash - text) : range;
		if (!get_one(text, first, names, min == 1 ? 1 : 0, &from) ||
			(dash && !get_one(dash + 1, range - first - 1, names, min == 1 ? 1 : 0, &until)))
			return false;
		until = dash ? until : slash ? max : from;
	}
	if (max == 6 && from == 7)
		from = until = 0; /* Sunday. */
	if (from < min || until > max || from > until)
		return false;
	for (int64_t i = from; i <= until; i += step)
		*bits |= UINT64_C(1) << i;
	return true;
}

static bool get_field(
	const char **text, int64_t min, int64_t max, const char *const *names, uint64_t *bits, bool *any)
{
	*text += strspn(*text, " \t");
	size_t len = strcspn(*text, " \t");
	const char *at = *text;
	*any = len && (*at == '*' || *at == '?');
	*text += len;
	if (!len)
		return false;
	while (len) {
		const char *comma = memchr(at, ',', len);
		const size_t part = comma ? (size_t)(comma - at) : len;
		if (!get_range(at, part, min, max, names, bits))
			return false;
		len -= part + (comma != NULL);
		at += part + (comma != NULL);
	}
	return true;
}

static bool get_schedule(const char *text, struct karpenter_budget *budget)
{
	static const struct {
		const char *word, *fields;
	} macros[] = { { "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
		{ "@weekly", "0 0 * * 0" }, { "@daily", "0 0 * * *" }, { "@midnight", "0 0 * * *" },
		{ "@hourly", "0 * * * *" } };
	bool any;
	for (size_t i = 0; i < SL_LEN(macros); i++)
		if (strcmp(macros[i].word, text) == 0)
			text = macros[i].fields;
	return get_field(&text, 0, 59, NULL, &budget->minute, &any) &&
	       get_field(&text, 0, 23, NULL, &budget->hour, &any) &&
	       get_field(&text, 1, 31, NULL, &budget->day, &budget->any_day) &&
	       get_field(&text, 1, 12, months, &budget->month, &any) &&
	       get_field(&text, 0, 6, weekdays, &budget->weekday, &budget->any_weekday) &&
	       !text[strspn(text, " \t")];
}

/* Days since 1970-01-01 to month and day (proleptic Gregorian calendar). */
static void get_date(int64_t days, int64_t *month, int64_t *day)
{
	const int64_t z = days + 719468;
	const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	const int64_t of_era = z - era * 146097;
	const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	const int64_t part = (5 * of_year + 2) / 153;
	*day = of_year - (153 * part + 2) / 5 + 1;
	*month = part < 10 ? part + 3 : part - 9;
}

/* Does the schedule hit that minute since 1970? Of day and weekday, if both are said, one will do. */
static bool hits(const struct karpenter_budget *budget, int64_t minute)
{
	const int64_t days = minute / 1440, of_day = minute % 1440;
	int64_t month, day;
	if (!(budget->minute >> of_day % 60 & 1) || !(budget->hour >> of_day / 60 & 1))
		return false;
	get_date(days, &month, &day);
	const bool is_day = budget->day >> day & 1;
	const bool is_weekday = budget->weekday >> (days + 4) % 7 & 1;
	const bool either =
		budget->any_day || budget->any_weekday ? is_day && is_weekday : is_day || is_weekday;
	return (budget->month >> month & 1) && either;
}

/* A hit after now - duration, and not after now. */
static bool is_active(const struct kube_scaler *s, const struct karpenter_budget *budget)
{
	if (!budget->scheduled)
		return true;
	const sl_time now = s->epoch * SL_SECOND + s->k->now;
	for (int64_t at = now / MINUTE; at >= 0 && at * MINUTE > now - budget->duration; at--)
		if (hits(budget, at))
			return true;
	return false;
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static int take_reasons(const struct sl_doc *doc, const struct sl_doc_node *at,
	struct karpenter_budget *budget, struct sl_err *err)
{
	static const char *const names[KARPENTER_REASONS] = { "Underutilized", "Empty", "Drifted" };
	SL_DOC_EACH (one, doc, sl_doc_member(doc, at, "reasons")) {
		const char *word = sl_doc_word(doc, one);
		size_t reason = 0;
		while (word && reason < KARPENTER_REASONS && strcmp(names[reason], word) != 0)
			reason++;
		const struct sl_place place = sl_doc_place(doc, one);
		if (!word || reason == KARPENTER_REASONS)
			return sl_fail_at(
				err, &place, "a budget's reasons are Underutilized, Empty and Drifted");
		budget->reasons |= 1U << reason;
	}
	return SL_OK;
}

static int take_budget(const struct sl_doc *doc, const struct sl_doc_node *at,
	struct karpenter_budget *budget, struct sl_err *err)
{
	const char *nodes = sl_doc_word(doc, sl_doc_member(doc, at, "nodes"));
	const char *schedule = sl_doc_word(doc, sl_doc_member(doc, at, "schedule"));
	const char *duration = sl_doc_word(doc, sl_doc_member(doc, at, "duration"));
	const struct sl_place place = sl_doc_place(doc, at);
	nodes = nodes ? nodes : "10%";
	const size_t len = strlen(nodes);
	const bool percent = len && nodes[len - 1] == '%';
	*budget = (struct karpenter_budget){ .scheduled = schedule != NULL };
	if (!sl_get_i64(nodes, len - percent, &budget->nodes) || budget->nodes < 0 ||
		(percent && budget->nodes > 100))
		return sl_fail_at(
			err, &place, "a budget's 'nodes' is a number or percents, not '%.40s'", nodes);
	if (percent)
		budget->nodes = -budget->nodes - 1;
	if ((schedule != NULL) != (duration != NULL))
		return sl_fail_at(err, &place, "a budget has a schedule and a duration, or neither");
	if (schedule && !get_schedule(schedule, budget))
		return sl_fail_at(err, &place,
			"'%.80s' is no schedule: five fields as cron has them, or @daily", schedule);
	const struct sl_object object = { .doc = doc, .node = at };
	int status = elastic_time(&object, "duration", false, &budget->duration, err);
	if (!status && budget->duration / MINUTE > MINUTES_MAX)
		status = sl_fail_at(err, &place, "a budget's duration is at most 366 days");
	return status ? status : take_reasons(doc, at, budget, err);
}

int karpenter_budgets_read(struct karpenter_pool *pool, struct sl_err *err)
{
	const struct sl_doc *doc = pool->object->doc;
	const struct sl_doc_node *list = sl_doc_at(doc, pool->object->node, "spec.disruption.budgets");
	const struct sl_place place = sl_doc_place(doc, pool->object->node);
	if (!list)
		pool->budget[pool->budgets++] = (struct karpenter_budget){ .nodes = -11 };
	SL_DOC_EACH (at, doc, list) {
		if (pool->budgets == KARPENTER_BUDGETS_MAX)
			return sl_fail_at(
				err, &place, "a NodePool has at most %d budgets", KARPENTER_BUDGETS_MAX);
		const int status = take_budget(doc, at, &pool->budget[pool->budgets++], err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- How many ------------------------------------------------------------------------------------ */

int64_t karpenter_allowed(
	const struct kube_scaler *s, const struct karpenter_pool *pool, enum karpenter_reason reason)
{
	const struct elastic_pool *of = &s->pool[pool->pool];
	int64_t nodes = 0, disrupted = 0, allowed = INT32_MAX;
	for (uint32_t i = 0; i < of->nodes; i++) {
		const struct elastic_node *node = &s->node[of->node[i]];
		nodes += node->state >= ELASTIC_THERE;
		disrupted += node->state == ELASTIC_LEAVING ||
			     (node->state == ELASTIC_THERE && !s->k->node[of->node[i]].up);
	}
	for (uint32_t i = 0; i < pool->budgets; i++) {
		const struct karpenter_budget *budget = &pool->budget[i];
		if ((budget->reasons && !(budget->reasons >> reason & 1)) || !is_active(s, budget))
			continue;
		const int64_t most =
			budget->nodes >= 0 ? budget->nodes : ((-budget->nodes - 1) * nodes + 99) / 100;
		allowed = most < allowed ? most : allowed;
	}
	return allowed > disrupted ? allowed - disrupted : 0;
}
