/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jobs_csv.c - jobs.csv: one line a job, in the order of the trace.
 *
 * The columns are a contract: names and order are frozen, further ones are appended. A field of what never
 * happened is empty.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

static const char header[] =
	"job_id,user,account,partition,submit,eligible,start,end,wait,run_time,time_limit,nodes,cpus,gpus,"
	"state,bounded_slowdown,wait_total,suspended,attempts";
/* Of traces whose jobs say more of themselves. */
static const char header_more[] = ",job_name,qos,array_job,array_task,censored";

enum { LINE = 20 * CSV_NUMBER, LINES = 64 };

/* max(1, turnaround / max(run, 10 s)) in millionths. Feitelson and others 1997. */
static int64_t bounded_slowdown(sl_time turnaround, sl_time run)
{
	const int64_t least = 10 * SL_SECOND;
	const int64_t over = run > least ? run : least;
	if (turnaround <= over)
		return 1000000;
	if (turnaround > INT64_MAX / 1000000)
		return sl_mul_div(turnaround, 1000000, over);
	/* The same in 64 bits, which is most of the time that this file needs. */
	const uint64_t top = (uint64_t)turnaround * 1000000;
	const uint64_t ratio = top / (uint64_t)over;
	return (int64_t)(ratio + ((top - ratio * (uint64_t)over) * 2 >= (uint64_t)over));
}

/* What lines are made with. */
struct writer {
	const struct sl_result *result;
	struct csv_word states[SL_STATE_COUNT];
	struct csv_numbers numbers;
};

static inline char *put_empty(char *p)
{
	*p = ',';
	return p + 1;
}

/* Each of these ends its field with the comma; SL_NONE and unknown numbers leave it empty. */

static inline char *jobs_csv_put_time(char *p, const struct writer *writer, sl_time time)
{
	return time == SL_NONE ? put_empty(p) : csv_field_micro(p, &writer->numbers, time);
}

static inline char *jobs_csv_put_count(char *p, const struct writer *writer, int64_t count)
{
	return count < 0 ? put_empty(p) : csv_field(p, &writer->numbers, count);
}

static inline char *put_amount(char *p, const struct writer *writer, int64_t amount, int64_t parts)
{
	return amount < 0 ? put_empty(p) : csv_field_parts(p, &writer->numbers, amount, parts);
}

/* Who it is and whose, where some of it are names. */
static void put_names(struct sl_out *out, const struct writer *writer, uint32_t row)
{
	const struct sl_jobs *jobs = writer->result->jobs;
	const struct {
		const int32_t *number;
		const char *const *name;
	} column[] = {
		{ jobs->user, jobs->user_name },
		{ jobs->account, jobs->account_name },
		{ jobs->partition, jobs->partition_name },
	};
	csv_id(out, jobs, row);
	sl_out_text(out, ",");
	for (size_t i = 0; i < SL_LEN(column); i++) {
		const int32_t number = column[i].number[row];
		if (!column[i].name)
			sl_out_advance(
				out, jobs_csv_put_count(sl_out_reserve(out, CSV_NUMBER), writer, number));
		else if (number >= 0)
			sl_out_csv(out, column[i].name[number]);
		sl_out_text(out, column[i].name ? "," : "");
	}
}

static inline char *put_numbers(char *p, const struct writer *writer, uint32_t row)
{
	const struct sl_jobs *jobs = writer->result->jobs;
	p = csv_field(p, &writer->numbers, jobs->id[row]);
	p = jobs_csv_put_count(p, writer, jobs->user[row]);
	p = jobs_csv_put_count(p, writer, jobs->account[row]);
	return jobs_csv_put_count(p, writer, jobs->partition[row]);
}

/* What was held: on a counted pool, so many nodes of one cpu. */
static inline char *put_held(char *p, const struct writer *writer, uint32_t row, bool started)
{
	const struct sl_result *result = writer->result;
	if (!result->nodes_held || (!started && !result->jobs->request)) {
		const char *field = p;
		p = jobs_csv_put_count(p, writer, result->jobs->size[row]);
		p = csv_put_again(p, field, (size_t)(p - field));
		*p++ = '0';
		*p++ = ',';
		return p;
	}
	p = jobs_csv_put_count(p, writer, started ? result->nodes_held[row] : -1);
	p = put_amount(p, writer, sl_cpus_of(result, row), csv_cpu_parts(result));
	return put_amount(p, writer, sl_gpus_of(result, row), csv_gpu_parts(result));
}

/* What attempts and suspensions make of a job's progress. */
struct series {
	sl_time run, wait, suspended;
	size_t attempts;
};

static struct series series_of(const struct sl_result *result, uint32_t row, bool started, sl_time until)
{
	const sl_time submit = result->jobs->submit[row];
	const sl_time start = result->start[row];
	const sl_time end = result->end[row] != SL_NONE ? result->end[row] : result->last;
	if (!result->attempt_count && !result->suspended)
		return (struct series){ started ? end - start : 0, until == SL_NONE ? 0 : until - submit, 0,
			started };
	const struct sl_attempt *attempt;
	const size_t several = sl_attempts_of(result, row, &attempt);
	return (struct series){ sl_run_time_of(result, row), sl_wait_total_of(result, row),
		sl_suspended_of(result, row), several ? several : started };
}

/* Its last field has no comma behind it. */
static inline char *jobs_csv_put_series(char *p, const struct writer *writer, uint32_t row)
{
	const struct sl_result *result = writer->result;
	const struct sl_jobs *jobs = result->jobs;
	const sl_time submit = jobs->submit[row];
	const sl_time eligible = result->eligible ? result->eligible[row] : submit;
	const sl_time start = result->start[row];
	const sl_time end = result->end[row];
	const bool started = start != SL_NONE;
	const bool ran = started && end != SL_NONE;
	sl_time from;
	sl_time until = start;
	if (!started && !sl_wait_interval(result, row, 0, &from, &until))
		until = SL_NONE;
	const struct series series = series_of(result, row, started, until);

	const char *field = p;
	p = jobs_csv_put_time(p, writer, submit);
	const size_t width = (size_t)(p - field);
	/* Eligible is submit, unless something kept it from the queue, or the run was stopped before. */
	p = until == SL_NONE || eligible != submit
		    ? jobs_csv_put_time(p, writer, eligible == submit ? SL_NONE : eligible)
		    : csv_put_again(p, field, width);
	p = start == submit ? csv_put_again(p, field, width) : jobs_csv_put_time(p, writer, start);
	p = jobs_csv_put_time(p, writer, end);
	const char *wait = p;
	p = jobs_csv_put_time(p, writer, started ? start - submit : SL_NONE);
	const size_t wait_width = (size_t)(p - wait);
	p = jobs_csv_put_time(p, writer, started ? series.run : SL_NONE);
	p = jobs_csv_put_time(p, writer, jobs->limit[row]);
	p = put_held(p, writer, row, started);
	p = csv_put_word(p, &writer->states[sl_state_reported(result, row)]);
	p = ran ? csv_field_ratio(p, &writer->numbers, bounded_slowdown(end - submit, series.run))
		: put_empty(p);
	p = started && series.wait == start - submit ? csv_put_again(p, wait, wait_width)
						     : jobs_csv_put_time(p, writer, series.wait);
	p = jobs_csv_put_time(p, writer, series.suspended);
	return csv_field(p, &writer->numbers, (int64_t)series.attempts) - 1;
}

/* One of the names between commas. */
static bool has_column(const char *names, const char *name)
{
	const size_t len = strlen(name);
	for (const char *p = names; *p; p += *p == ',') {
		const size_t width = strcspn(p, ",");
		if (width == len && memcmp(p, name, len) == 0)
			return true;
		p += width;
	}
	return false;
}

/* What it says of itself. */
static void put_more(struct sl_out *out, const struct sl_job_attributes *more)
{
	const char *const text[] = { more->name, more->qos };
	const int64_t number[] = { more->array, more->array_task, more->censored };
	for (size_t i = 0; i < SL_LEN(text); i++) {
		sl_out_text(out, ",");
		if (text[i])
			sl_out_csv(out, text[i]);
	}
	for (size_t i = 0; i < SL_LEN(number); i++) {
		char *p = sl_out_reserve(out, CSV_NUMBER);
		*p++ = ',';
		sl_out_advance(out, number[i] == SL_NONE ? p : csv_put_i64(p, number[i]));
	}
}

/* Behind all others: what models reported. */
static int put_reported_header(struct sl_out *out, const struct sl_result *result, struct sl_err *err)
{
	for (size_t i = 0; i < result->reported_column_count; i++) {
		const char *name = result->reported_column[i].name;
		if (has_column(header, name) || has_column(header_more, name))
			return sl_fail(err, SL_USAGE,
				"a model tells a column '%.80s', which jobs.csv has already: rename it",
				name);
		sl_out_printf(out, ",%s", name);
	}
	return SL_OK;
}

static void put_reported(struct sl_out *out, const struct sl_result *result, uint32_t row)
{
	for (size_t i = 0; i < result->reported_column_count; i++) {
		const int64_t micro = result->reported_column[i].micro[row];
		char *p = sl_out_reserve(out, CSV_NUMBER + 1);
		*p++ = ',';
		sl_out_advance(out, micro == SL_NONE ? p : csv_put_micro(p, micro));
	}
}

/* Lines of numbers alone, with room for LINES of them at a time. */
static void put_plain(struct sl_out *out, const struct writer *writer, const uint32_t *order)
{
	const uint32_t count = writer->result->jobs->count;
	for (uint32_t i = 0; i < count;) {
		char *p = sl_out_reserve(out, LINES * LINE);
		const uint32_t until = count - i < LINES ? count : i + LINES;
		for (; i < until; i++) {
			const uint32_t row = order ? order[i] : i;
			p = put_numbers(p, writer, row);
			p = jobs_csv_put_series(p, writer, row);
			*p++ = '\n';
		}
		sl_out_advance(out, p);
	}
}

static void put_named(struct sl_out *out, const struct writer *writer, uint32_t row)
{
	const struct sl_result *result = writer->result;
	const struct sl_jobs *jobs = result->jobs;
	put_names(out, writer, row);
	sl_out_advance(out, jobs_csv_put_series(sl_out_reserve(out, LINE), writer, row));
	if (jobs->more_of)
		put_more(out, &jobs->more[jobs->more_of[row]]);
	put_reported(out, result, row);
	char *p = sl_out_reserve(out, 1);
	*p++ = '\n';
	sl_out_advance(out, p);
}

static bool is_plain(const struct sl_result *result)
{
	const struct sl_jobs *jobs = result->jobs;
	return !jobs->id_name && !jobs->user_name && !jobs->account_name && !jobs->partition_name &&
	       !jobs->more_of && !result->reported_column_count;
}

static int write_jobs(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct writer writer = { .result = result };
	for (unsigned i = 0; i < SL_STATE_COUNT; i++)
		csv_word_set(&writer.states[i], sl_state_name((enum sl_state)i));
	csv_numbers_make(&writer.numbers);
	uint32_t *order;
	int status = csv_order(result->jobs, &order, err);
	if (status)
		return status;
	sl_out_text(out, header);
	sl_out_text(out, result->jobs->more_of ? header_more : "");
	status = put_reported_header(out, result, err);
	if (!status)
		sl_out_text(out, "\n");
	if (!status && is_plain(result))
		put_plain(out, &writer, order);
	else
		for (uint32_t i = 0; !status && i < result->jobs->count; i++)
			put_named(out, &writer, order ? order[i] : i);
	free(order);
	return status;
}

const struct sl_report csv_jobs = { SL_ABI_OF(struct sl_report), "jobs.csv",
	"one line a job: its course, state and bounded slowdown", write_jobs, NULL, false, NULL };
