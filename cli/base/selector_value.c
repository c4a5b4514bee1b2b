/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector_value.c - what a selector comes to in a run: one walk over its jobs; see selector.h.
 *
 * The rules are those of reports/metrics: sums are of integers, each number is rounded once, quantiles are by
 * nearest rank, and jobs that were submitted before the replay began count where they count there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/selector_parts.h"
#include "reports/metrics/metrics.h"
#include "sim/base/names.h"

enum { MICRO = 1000000 };

static const metrics_wide hour = (metrics_wide)3600 * SL_SECOND;

/* ---- Who is meant -------------------------------------------------------------------------------- */

static const struct sl_job_attributes *selector_value_more_of(const struct sl_jobs *jobs, uint32_t row)
{
	return jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
}

static const char *selector_value_number_text(char buffer[32], int64_t number)
{
	if (number < 0)
		return NULL;
	*sl_put_i64(buffer, number) = '\0';
	return buffer;
}

static const char *selector_value_named(char buffer[32], int32_t number, const char *const *name)
{
	return number >= 0 && name ? name[number] : selector_value_number_text(buffer, number);
}

/* The job's word for it; NULL: it says nothing. */
static const char *selector_value_word_of(
	const struct sl_result *result, enum subject subject, uint32_t row, char buffer[32])
{
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_job_attributes *more = selector_value_more_of(jobs, row);
	switch ((int)subject) {
	case SUBJECT_JOB:
		return jobs->id_name && jobs->id_name[row]
			       ? jobs->id_name[row]
			       : selector_value_number_text(buffer, jobs->id[row]);
	case SUBJECT_USER:
		return selector_value_named(buffer, jobs->user[row], jobs->user_name);
	case SUBJECT_ACCOUNT:
		return selector_value_named(buffer, jobs->account[row], jobs->account_name);
	case SUBJECT_PARTITION:
		return selector_value_named(buffer, jobs->partition[row], jobs->partition_name);
	case SUBJECT_QOS:
		return more ? more->qos : NULL;
	case SUBJECT_NAME:
		return more ? more->name : NULL;
	default:
		return sl_state_name(sl_state_reported(result, row));
	}
}

/* A task by "5_2", and by its array's number. */
static bool is_task(const struct sl_jobs *jobs, uint32_t row, const char *word)
{
	const struct sl_job_attributes *more = selector_value_more_of(jobs, row);
	int64_t array, task;
	if (!more || more->array == SL_NONE || more->array_task == SL_NONE)
		return false;
	const char *under = strchr(word, '_');
	if (!sl_get_i64(word, under ? (size_t)(under - word) : strlen(word), &array) || array != more->array)
		return false;
	return !under || (sl_get_i64(under + 1, strlen(under + 1), &task) && task == more->array_task);
}

static bool word_holds(const struct condition *condition, const struct sl_result *result, uint32_t row)
{
	char buffer[32];
	const char *word = selector_value_word_of(result, condition->subject, row, buffer);
	bool holds = false;
	for (size_t i = 0; i < condition->count && !holds; i++)
		holds = (word && strcmp(word, condition->word[i]) == 0) ||
			(condition->subject == SUBJECT_JOB && is_task(result->jobs, row, condition->word[i]));
	return holds != condition->not ;
}

/* Amounts are in parts; in millionths. */
static int64_t in_micro(int64_t amount, int64_t parts) { return amount_micro(amount, parts); }

/* As jobs.csv has it; SL_NONE: it has none. */
static int64_t selector_value_number_of(const struct sl_result *result, enum subject subject, uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	const bool started = metrics_started(result, row);
	switch ((int)subject) {
	case SUBJECT_SIZE:
		return in_micro(jobs->size[row], 1);
	case SUBJECT_GPUS:
		return in_micro(sl_gpus_of(result, row), metrics_gpu_parts(result));
	case SUBJECT_CPUS:
		return in_micro(sl_cpus_of(result, row), metrics_cpu_parts(result));
	case SUBJECT_NODES:
		if (!result->nodes_held)
			return in_micro(jobs->size[row], 1);
		return started ? in_micro(result->nodes_held[row], 1) : SL_NONE;
	case SUBJECT_MEM:
		return jobs->request ? jobs->requests[jobs->request[row]].mem : 0;
	case SUBJECT_LIMIT:
		return jobs->limit[row];
	case SUBJECT_RUN_TIME:
		return started ? metrics_held(result, row) : SL_NONE;
	case SUBJECT_WAIT:
		return started ? metrics_wait(result, row) : SL_NONE;
	case SUBJECT_SUBMIT:
		return jobs->submit[row];
	case SUBJECT_START:
		return result->start[row];
	default:
		return result->end[row];
	}
}

/* zero: the local date of the scenario's zero. */
static bool number_holds(
	const struct condition *condition, const struct sl_result *result, uint32_t row, sl_time zero)
{
	const int64_t number = selector_value_number_of(result, condition->subject, row);
	bool holds = false;
	for (size_t i = 0; i < condition->count && !holds && number != SL_NONE; i++) {
		const struct range *range = &condition->range[i];
		const int64_t value = range->dated ? number + zero : number;
		holds = value >= range->from && (value < range->to || range->to == INT64_MAX);
	}
	return holds != condition->not ;
}

static bool selector_value_holds(
	const struct selector *selector, const struct sl_result *result, uint32_t row, sl_time zero)
{
	for (size_t i = 0; i < selector->condition_count; i++) {
		const struct condition *condition = &selector->condition[i];
		if (condition->subject < SUBJECT_WORDS ? !word_holds(condition, result, row)
						       : !number_holds(condition, result, row, zero))
			return false;
	}
	return true;
}

/* ---- What a job adds -------------------------------------------------------------------------------- */

struct sums {
	metrics_wide sum;
	struct metrics_gpu_time time;
	size_t count; /* Jobs that have a value. */
	int64_t *value;
};

static metrics_wide used(const struct sl_result *result, uint32_t row, int64_t amount)
{
	return metrics_started(result, row) ? (metrics_wide)metrics_held(result, row) * (metrics_wide)amount
					    : 0;
}

static metrics_wide preempted(const struct sl_result *result, enum figure figure, uint32_t row)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, row, &attempt);
	uint64_t times = !count && result->state[row] == SL_PREEMPTED, lost = 0, overhead = 0;
	for (size_t i = 0; i < count; i++) {
		times += attempt[i].state == SL_PREEMPTED;
		lost += (uint64_t)attempt[i].lost;
		overhead += (uint64_t)attempt[i].overhead;
	}
	if (figure == FIGURE_LOST)
		return lost;
	if (figure == FIGURE_OVERHEAD)
		return overhead;
	return figure == FIGURE_PREEMPTED ? (uint64_t)(times > 0) : times;
}

/* Of the figures that are sums. */
static metrics_wide amount_in(const struct sl_result *result, enum figure figure, uint32_t row)
{
	switch ((int)figure) {
	case FIGURE_JOBS:
		return 1;
	case FIGURE_COMPLETED:
		return result->state[row] == SL_COMPLETED;
	case FIGURE_CPU_SECONDS:
	case FIGURE_CPU_HOURS:
		return used(result, row, metrics_cpus(result, row));
	case FIGURE_GPU_SECONDS:
	case FIGURE_GPU_HOURS:
		return used(result, row, sl_gpus_of(result, row));
	case FIGURE_SUSPENDED:
		return (uint64_t)sl_suspended_of(result, row);
	default:
		return preempted(result, figure, row);
	}
}

/* Of the figures that are spread: microseconds, or billionths of a slowdown. False: it has none. */
static bool selector_value_of(
	const struct sl_result *result, enum figure figure, uint32_t row, int64_t *value)
{
	const bool ran = metrics_ran(result, row);
	if (!metrics_started(result, row) || (!ran && figure != FIGURE_WAIT && figure != FIGURE_WAIT_TOTAL))
		return false;
	switch ((int)figure) {
	case FIGURE_WAIT:
		*value = metrics_wait(result, row);
		return true;
	case FIGURE_WAIT_TOTAL:
		*value = result->attempt_count ? sl_wait_total_of(result, row) : metrics_wait(result, row);
		return true;
	case FIGURE_TURNAROUND:
		*value = result->end[row] - result->jobs->submit[row];
		return true;
	case FIGURE_RUN_TIME:
		*value = metrics_held(result, row);
		return true;
	case FIGURE_SLOWDOWN:
		*value = (int64_t)metrics_slowdown(result, row);
		return metrics_held(result, row) > 0;
	case FIGURE_BOUNDED:
		*value = (int64_t)metrics_bounded_slowdown(result, row);
		return true;
	default:
		*value = (int64_t)metrics_per_cpu_slowdown(result, row);
		return true;
	}
}

static void selector_value_add(
	struct sums *sums, const struct selector *selector, const struct sl_result *result, uint32_t row)
{
	int64_t value;
	if (selector->figure >= FIGURE_SPREAD) {
		if (!selector_value_of(result, selector->figure, row, &value))
			return;
		sums->sum += (uint64_t)value;
		if (sums->value)
			sums->value[sums->count] = value;
		sums->count++;
	} else if (selector->figure >= FIGURE_ALLOCATED) {
		metrics_gpu_time_add(&sums->time, result, row);
	} else {
		sums->sum += amount_in(result, selector->figure, row);
	}
}

/* Jobs of before the replay's beginning count for what they used, and in no other figure: there as here. What
 * is of a machine's GPU time is of all jobs, and the rest of those between warm-up and cool-down. */
static struct metrics_span span_of(const struct selector *selector, const struct sl_result *result)
{
	struct metrics_span span = metrics_span_of(result);
	switch ((int)selector->figure) {
	case FIGURE_ALLOCATED:
	case FIGURE_ACTIVE:
	case FIGURE_IDLE:
		return (struct metrics_span){ .until = result->jobs->count };
	case FIGURE_PREEMPTED:
	case FIGURE_PREEMPTIONS:
	case FIGURE_LOST:
	case FIGURE_OVERHEAD:
	case FIGURE_SUSPENDED:
	case FIGURE_WAIT_TOTAL:
		span.first = span.cut ? span.first : 0;
		return span;
	default:
		return span;
	}
}

/* ---- The figure --------------------------------------------------------------------------------------- */

unsigned selector_per_micro(const struct selector *selector)
{
	return selector->figure >= FIGURE_SLOWDOWN ? METRICS_NANO / METRICS_MICRO : 1;
}

static int64_t selector_value_spread(const struct selector *selector, const struct sums *sums)
{
	const unsigned per_micro = selector_per_micro(selector);
	if (!selector->hundredth)
		return metrics_ratio_micro(sums->sum, (metrics_wide)sums->count * per_micro, 1);
	const int64_t value =
		metrics_select(sums->value, sums->count, metrics_rank(sums->count, selector->hundredth));
	return metrics_ratio_micro((metrics_wide)value, per_micro, 1);
}

static int64_t total(const struct selector *selector, const struct sl_result *result, const struct sums *sums)
{
	const metrics_wide cpu_parts = (metrics_wide)metrics_cpu_parts(result);
	const metrics_wide gpu_parts = (metrics_wide)metrics_gpu_parts(result);
	switch ((int)selector->figure) {
	case FIGURE_JOBS:
	case FIGURE_COMPLETED:
	case FIGURE_PREEMPTED:
	case FIGURE_PREEMPTIONS:
		return metrics_ratio_micro(sums->sum, 1, MICRO);
	case FIGURE_CPU_SECONDS:
		return metrics_ratio_micro(sums->sum, cpu_parts, 1);
	case FIGURE_CPU_HOURS:
		return metrics_ratio_micro(sums->sum, hour * cpu_parts, MICRO);
	case FIGURE_GPU_SECONDS:
		return metrics_ratio_micro(sums->sum, gpu_parts, 1);
	case FIGURE_GPU_HOURS:
		return metrics_ratio_micro(sums->sum, hour * gpu_parts, MICRO);
	case FIGURE_ALLOCATED:
		return metrics_ratio_micro(sums->time.held, hour * gpu_parts, MICRO);
	case FIGURE_ACTIVE:
		return metrics_ratio_micro(sums->time.active, hour * gpu_parts, 1);
	case FIGURE_IDLE:
		return metrics_ratio_micro(metrics_gpu_time_idle(&sums->time), hour * gpu_parts, 1);
	default:
		return metrics_ratio_micro(sums->sum, 1, 1); /* Microseconds. */
	}
}

/* The run has what the figure is made of. */
static bool has(const struct selector *selector, const struct sl_result *result)
{
	if (selector->figure == FIGURE_GPU_SECONDS || selector->figure == FIGURE_GPU_HOURS)
		return result->gpus_held;
	if (selector->figure >= FIGURE_ALLOCATED && selector->figure < FIGURE_SPREAD)
		return metrics_tells_active(result);
	return true;
}

/* The local date of zero, where a condition has a date. */
static int zero_of(
	const struct selector *selector, const struct scenario *scenario, sl_time *zero, struct sl_err *err)
{
	bool dated = false;
	for (size_t i = 0; i < selector->condition_count; i++)
		for (size_t k = 0; k < selector->condition[i].count; k++)
			dated |= selector->condition[i].subject >= SUBJECT_WORDS &&
				 selector->condition[i].range[k].dated;
	*zero = 0;
	if (!dated)
		return SL_OK;
	if (!scenario || !scenario->epoch)
		return sl_fail(err, SL_USAGE,
			"'%.200s': the trace does not say when it began, so it has no dates: give seconds since its "
			"zero, or a duration such as +3d",
			selector->text);
	*zero = (scenario->epoch + scenario->utc_offset) * SL_SECOND;
	return SL_OK;
}

static int of_jobs(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *micro, bool *known, struct sl_err *err)
{
	struct sums sums = { 0 };
	sl_time zero;
	const int status = zero_of(selector, scenario, &zero, err);
	if (status || !has(selector, result))
		return status;
	if (selector->hundredth) {
		sums.value = malloc(((size_t)result->jobs->count + 1) * sizeof(*sums.value));
		if (!sums.value)
			return sl_fail_memory(err);
	}
	const struct metrics_span span = span_of(selector, result);
	for (uint32_t row = span.first; row < span.until; row++)
		if (metrics_sieved(&span, result, row) && selector_value_holds(selector, result, row, zero))
			selector_value_add(&sums, selector, result, row);
	*known = selector->figure < FIGURE_SPREAD || sums.count;
	if (*known)
		*micro = selector->figure < FIGURE_SPREAD ? total(selector, result, &sums)
							  : selector_value_spread(selector, &sums);
	*known &= *micro != INT64_MAX; /* metrics.json leaves it out. */
	free(sums.value);
	return SL_OK;
}

/* NOLINTBEGIN(readability-non-const-parameter): the values are written through it. */
int selector_spread(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *value, size_t *count, struct sl_err *err)
{
	struct sums sums = { .value = value };
	sl_time zero;
	const int status = zero_of(selector, scenario, &zero, err);
	const struct metrics_span span = span_of(selector, result);
	for (uint32_t row = span.first; !status && row < span.until; row++)
		if (metrics_sieved(&span, result, row) && selector_value_holds(selector, result, row, zero))
			selector_value_add(&sums, selector, result, row);
	*count = sums.count;
	return status;
}
/* NOLINTEND(readability-non-const-parameter) */

int selector_jobs(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, uint32_t *jobs, struct sl_err *err)
{
	sl_time zero;
	const int status = zero_of(selector, scenario, &zero, err);
	*jobs = 0;
	for (uint32_t row = 0; !status && row < result->jobs->count; row++)
		*jobs += selector_value_holds(selector, result, row, zero);
	return status;
}

/* With labels, a group may be there in another run. */
static int fail_name(const struct selector *selector, const struct sl_metrics *metrics, struct sl_err *err)
{
	char similar[128];
	const size_t name = strcspn(selector->text, "{");
	const char **list = calloc(metrics->count + 1, sizeof(*list));
	size_t count = 0;
	bool labelled = false;
	if (!list)
		return sl_fail_memory(err);
	for (size_t i = 0; i < metrics->count; i++) {
		const char *other = metrics->row[i].name;
		if (!strchr(other, '{'))
			list[count++] = other;
		else if (selector->text[name])
			labelled |= strcspn(other, "{") == name && strncmp(other, selector->text, name) == 0;
	}
	if (!labelled)
		(void)sl_fail(err, SL_USAGE,
			"'%.200s' is no metric of this run: %ssee schedlab-metrics(7), or metrics.json of a run",
			selector->text, did_you_mean(similar, sl_nearest(selector->text, list)));
	free(list);
	return labelled ? SL_OK : err->status;
}

/* NOLINTNEXTLINE(readability-function-size): as selector_value. */
static int selector_value_by_name(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, const struct sl_metrics *metrics, int64_t *micro, bool *known,
	struct sl_err *err)
{
	struct sl_arena *arena = metrics ? NULL : sl_arena_new();
	struct sl_metrics own;
	int status = SL_OK;
	if (!metrics) {
		if (!arena)
			return sl_fail_memory(err);
		metrics_init(&own, arena, scenario->registry);
		status = metrics_compute(&own, result, err);
		metrics = &own;
	}
	const int64_t *value = status ? NULL : metrics_get(metrics, selector->text);
	*known = value;
	if (value)
		*micro = *value;
	else if (!status)
		status = fail_name(selector, metrics, err);
	if (arena) {
		metrics_release(&own);
		sl_arena_free(arena);
	}
	return status;
}

/* NOLINTNEXTLINE(readability-function-size): a run in its parts, and a value that may not be there. */
int selector_value(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, const struct sl_metrics *metrics, int64_t *micro, bool *known,
	struct sl_err *err)
{
	*known = false;
	*micro = 0;
	return selector->figure == FIGURE_NAME
		       ? selector_value_by_name(selector, scenario, result, metrics, micro, known, err)
		       : of_jobs(selector, scenario, result, micro, known, err);
}

/* ---- Names that nobody has ------------------------------------------------------------------------------
 */

/* All words of that kind in the scenario. */
static int words_seen(struct names *seen, const struct sl_jobs *jobs, enum subject subject,
	struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_result result = { .jobs = jobs };
	const char *last = NULL;
	uint32_t number;
	for (uint32_t row = 0; row < jobs->count; row++) {
		char buffer[32];
		const char *word = selector_value_word_of(&result, subject, row, buffer);
		if (!word || word == last)
			continue;
		if (names_add(seen, arena, word, strlen(word), &number, err))
			return err->status;
		last = word == buffer ? NULL : word;
	}
	return SL_OK;
}

static int selector_value_check(const struct selector *selector, const struct condition *condition,
	const char *subject, const struct sl_jobs *jobs, struct sl_arena *arena, struct sl_err *err)
{
	struct names seen = { 0 };
	int status = words_seen(&seen, jobs, condition->subject, arena, err);
	for (size_t i = 0; i < condition->count && !status; i++) {
		const char *word = condition->word[i];
		char similar[128];
		if (names_find(&seen, word, strlen(word)) != UINT32_MAX)
			continue;
		const char **list = sl_alloc(arena, (size_t)seen.count + 1, sizeof(*list));
		if (!list) {
			status = sl_fail_memory(err);
			break;
		}
		for (uint32_t k = 0; k < seen.count; k++)
			list[k] = seen.text[k];
		list[seen.count] = NULL;
		status = sl_fail(err, SL_USAGE,
			"'%.200s': no job of the trace has %s '%.60s': %sgive one that is there",
			selector->text, subject, word, did_you_mean(similar, sl_nearest(word, list)));
	}
	names_release(&seen);
	return status;
}

int selector_check(const struct selector *selector, const struct scenario *scenario, struct sl_err *err)
{
	static const struct {
		enum subject subject;
		const char *name;
	} checked[] = { { SUBJECT_USER, "user" }, { SUBJECT_ACCOUNT, "account" },
		{ SUBJECT_PARTITION, "partition" }, { SUBJECT_QOS, "qos" } };
	struct sl_arena *arena = sl_arena_new();
	int status = arena ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < selector->condition_count && !status; i++)
		for (size_t k = 0; k < SL_LEN(checked) && !status; k++)
			if (selector->condition[i].subject == checked[k].subject)
				status = selector_value_check(selector, &selector->condition[i],
					checked[k].name, &scenario->jobs, arena, err);
	sl_arena_free(arena);
	return status;
}
