/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_merge.c - records that are one job: its components, its attempts. And a record that is many jobs: the
 * waiting tasks of an array.
 *
 * sacct lists the components of one job next to each other, and most often its attempts. So one job waits,
 * until a record of another comes. Attempts lie apart in a list that is ordered by time: a job that was
 * preempted, requeued or lost its nodes is put by (sacct_held.c) until its next record comes, and reported
 * where its last one stands; those that never came back, at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

static const char repeated[] = "repeated id";
static const char too_many[] = "array with more tasks than can be read";
static const char cut[] = "array whose tasks are not all listed";

/* ---- To the sink -------------------------------------------------------------------------- */

static int sacct_merge_report(struct sacct *s, struct sacct_job *job)
{
	int status = SL_OK;
	job->row.more = &job->more;
	if (job->repair) {
		const struct sl_place at = { s->file, job->row.line, 1 };
		status = s->sink->anomaly(s->sink->self, job->repair, &at, s->err);
	}
	s->begun = true;
	return status ? status : s->sink->job(s->sink->self, &job->row, s->err);
}

/* "5-9:2%4", "1,3,7-9": the next range; false at the end, or where it is none. */
static bool interval(const char **p, int64_t *from, int64_t *to, int64_t *step)
{
	size_t len = strspn(*p, "0123456789");
	if (!sl_get_i64(*p, len, from))
		return false;
	*p += len;
	*to = *from;
	*step = 1;
	if (**p == '-') {
		len = strspn(++*p, "0123456789");
		if (!sl_get_i64(*p, len, to))
			return false;
		*p += len;
	}
	if (**p == ':') {
		len = strspn(++*p, "0123456789");
		if (!sl_get_i64(*p, len, step) || *step <= 0)
			return false;
		*p += len;
	}
	*p += **p == ',';
	return *to >= *from && *to <= INT32_MAX;
}

/* How many tasks are listed; 0: none. */
static int64_t tasks_count(const char *p, bool *whole)
{
	int64_t count = 0;
	int64_t from, to, step;
	while (count <= SACCT_TASKS_MAX && *p && *p != '%' && interval(&p, &from, &to, &step))
		count += (to - from) / step + 1;
	*whole = !*p || *p == '%';
	return count;
}

static int report_tasks(struct sacct *s, struct sacct_job *job)
{
	const char *p = job->tasks;
	const char *percent = strchr(p, '%');
	int64_t from, to, step;
	bool whole;
	const int64_t count = tasks_count(p, &whole);
	if (!count || count > SACCT_TASKS_MAX || s->expanded + (uint64_t)count > SACCT_TASKS_OF_FILE_MAX)
		return sacct_drop(s, too_many, job->row.line);
	s->expanded += (uint64_t)count;
	if (!whole && !job->repair) /* "1-99,..." */
		job->repair = cut;
	if (percent)
		(void)sl_get_i64(percent + 1, strspn(percent + 1, "0123456789"), &job->job.array_limit);
	char id[64];
	int status = SL_OK;
	while (!status && *p && *p != '%' && interval(&p, &from, &to, &step)) {
		for (int64_t task = from; task <= to && !status; task += step) {
			(void)snprintf(id, sizeof(id), "%" PRId64 "_%" PRId64, job->job.array, task);
			job->more.id = id;
			job->job.array_task = task;
			status = sacct_merge_report(s, job);
		}
	}
	return status;
}

static int emit(struct sacct *s)
{
	struct sacct_job *job = &s->job;
	if (!job->whole)
		return SL_OK;
	job->whole = false;
	return job->tasks ? report_tasks(s, job) : sacct_merge_report(s, job);
}

/* The job that waits goes to the sink; one that may come back is put by, in place of the one that has been
 * there longest, if the table is full. */
static int dismiss(struct sacct *s)
{
	if (!s->job.whole || !s->job.retry || s->job.id == SL_NONE || s->job.tasks)
		return emit(s);
	int status = sacct_held_put(s);
	if (!status && sacct_held_full(s) && sacct_held_oldest(s))
		status = emit(s);
	return status;
}

/* ---- Components ------------------------------------------------------------------------------- */

static int64_t sum(int64_t a, int64_t b)
{
	int64_t total;
	if (a == SL_NONE || b == SL_NONE)
		return a == SL_NONE ? b : a;
	return __builtin_add_overflow(a, b, &total) ? a : total;
}

static bool differs(const char *own, const char *of_job)
{
	return own && (!of_job || strcmp(own, of_job) != 0);
}

static void swap(struct sacct *s)
{
	const struct sacct_job job = s->job;
	s->job = s->next;
	s->next = job;
	/* Each points into itself. */
	s->job.more.job = &s->job.job;
	s->job.more.desc = s->job.desc;
}

/* What its record has in another way than that of the first component; else what its line said stays. */
static void component_own(const struct sacct_job *job, const struct sacct_job *next, struct sl_job_desc *desc)
{
	const int64_t limit = next->row.col[SL_COL_LIMIT];
	if (differs(next->more.account, job->more.account))
		desc->account = next->more.account;
	if (differs(next->job.qos, job->job.qos))
		desc->qos = next->job.qos;
	if (limit != SL_NONE && limit != job->row.col[SL_COL_LIMIT])
		desc->limit = limit;
}

/* Where the component of that number is, or belongs: they go by number. */
static uint32_t component_at(const struct sacct_job *job, int64_t number)
{
	uint32_t at = 0;
	while (at < job->more.desc_count && job->number[at] < number)
		at++;
	return at;
}

static void component_put(struct sacct_job *job, const struct sl_job_desc *desc, uint8_t number)
{
	const uint32_t at = component_at(job, number);
	const size_t behind = job->more.desc_count++ - at;
	memmove(&job->desc[at + 1], &job->desc[at], behind * sizeof(*job->desc));
	memmove(&job->number[at + 1], &job->number[at], behind);
	job->desc[at] = *desc;
	job->number[at] = number;
}

/* The next record is a component more of the job that waits. The leader (+0) says what there is to say, also
 * where others stand before it. */
static void component_add(struct sacct *s)
{
	if (s->next.component < s->job.component)
		swap(s);
	struct sacct_job *job = &s->job;
	struct sacct_job *next = &s->next;
	int64_t *col = job->row.col;
	const uint64_t line = next->row.line;
	component_own(job, next, &next->desc[0]);
	for (uint32_t i = 0; i < next->more.desc_count; i++)
		component_put(job, &next->desc[i], next->number[i]);
	job->row.line = line < job->row.line ? line : job->row.line;
	sacct_text_join(&job->text, &next->text);
	col[SL_COL_REQ_CPUS] = sum(col[SL_COL_REQ_CPUS], next->row.col[SL_COL_REQ_CPUS]);
	col[SL_COL_CPUS] = sum(col[SL_COL_CPUS], next->row.col[SL_COL_CPUS]);
	if (!job->repair)
		job->repair = next->repair;
}

static bool has_component(const struct sacct_job *job, int64_t number)
{
	const uint32_t at = component_at(job, number);
	return at < job->more.desc_count && job->number[at] == number;
}

/* Of those that lie in another order, or of which some are missing, too. */
static bool is_component(const struct sacct_job *job, const struct sacct_job *next)
{
	return job->component >= 0 && job->id == next->id && next->component >= 0 &&
	       next->component < SLURM_COMPONENTS_MAX && !has_component(job, next->component) &&
	       job->more.desc_count < SLURM_COMPONENTS_MAX;
}

/* A further attempt of a component: its leader's says what there is to say. */
static bool is_component_again(const struct sacct_job *job, const struct sacct_job *next)
{
	return job->component >= 0 && job->id == next->id && next->component > 0 &&
	       has_component(job, next->component);
}

/* ---- Attempts ----------------------------------------------------------------------------------- */

static bool is_attempt(const struct sacct_job *job, const struct sacct_job *next)
{
	return job->id == next->id && job->id != SL_NONE && next->component <= 0 && !job->tasks &&
	       !next->tasks;
}

/* Those that wait come last: their start is to come. */
static int in_time(const struct sacct_job *a, const struct sacct_job *b)
{
	const sl_time from_a = a->job.start_recorded == SL_NONE ? SL_NEVER : a->job.start_recorded;
	const sl_time from_b = b->job.start_recorded == SL_NONE ? SL_NEVER : b->job.start_recorded;
	const sl_time at_a = a->row.col[SL_COL_SUBMIT];
	const sl_time at_b = b->row.col[SL_COL_SUBMIT];
	if (from_a != from_b)
		return from_a < from_b ? -1 : 1;
	return (at_a > at_b) - (at_a < at_b);
}

static sl_time less(sl_time later, sl_time earlier)
{
	sl_time between;
	if (later == SL_NONE || earlier == SL_NONE || __builtin_sub_overflow(later, earlier, &between))
		return 0;
	return between > 0 ? between : 0;
}

static sl_time first_start(const struct sacct_job *job)
{
	const sl_time start = job->job.start_recorded;
	return start == SL_NONE ? SL_NONE : start - job->job.earlier_recorded;
}

/* How the last attempt's times stand to those of the ones before. */
static void attempts_apart(struct sacct_job *last, const struct sacct_job *first)
{
	struct sl_job_attributes *more = &last->job;
	const struct sl_job_attributes *before = &first->job;
	const sl_time began = first_start(first);
	const bool earliest = began != SL_NONE && (first_start(last) == SL_NONE || began < first_start(last));
	sl_time requeued;
	if (first->row.col[SL_COL_SUBMIT] == SL_NONE || last->row.col[SL_COL_SUBMIT] == SL_NONE)
		return;
	if (__builtin_add_overflow(last->row.col[SL_COL_SUBMIT], more->requeued_after_recorded, &requeued))
		return;
	more->held_before_recorded = sum(more->held_before_recorded,
		sum(before->held_before_recorded, less(before->end_recorded, before->start_recorded)));
	if (earliest) {
		more->earlier_recorded = less(more->start_recorded, began);
		more->eligible_after_recorded = before->eligible_after_recorded;
	}
	if (first->row.col[SL_COL_SUBMIT] < last->row.col[SL_COL_SUBMIT])
		last->row.col[SL_COL_SUBMIT] = first->row.col[SL_COL_SUBMIT];
	more->requeued_after_recorded = less(requeued, last->row.col[SL_COL_SUBMIT]);
}

/* Where the last attempt was cut short as well, or is still to come, it would run at least as long as the
 * longest did. */
static void run_longest(struct sacct_job *last, const struct sacct_job *first)
{
	int64_t *run = &last->row.col[SL_COL_RUN];
	const bool shortened = last->retry || last->job.start_recorded == SL_NONE;
	if (!shortened || first->row.col[SL_COL_RUN] == SL_NONE)
		return;
	if (*run == SL_NONE || first->row.col[SL_COL_RUN] > *run)
		*run = first->row.col[SL_COL_RUN];
	last->job.censored = true;
}

/* It runs on, on more or fewer nodes. */
static void resized(struct sacct_job *last, const struct sacct_job *first)
{
	int64_t *col = last->row.col;
	if (first->row.col[SL_COL_RUN] == SL_NONE)
		return;
	col[SL_COL_RUN] = sum(col[SL_COL_RUN], first->row.col[SL_COL_RUN]);
	last->job.start_recorded = first->job.start_recorded;
	last->job.earlier_recorded = first->job.earlier_recorded;
	last->job.held_before_recorded = first->job.held_before_recorded;
	last->job.requeued_after_recorded = first->job.requeued_after_recorded;
	last->job.eligible_after_recorded = first->job.eligible_after_recorded;
}

/* Two records of one job: submitted as the first was, run as the last. A resized job runs on. */
static int attempt_add(struct sacct *s)
{
	const int order = in_time(&s->job, &s->next);
	if (!order)
		return sacct_drop(s, repeated, s->next.row.line);
	const uint64_t line = s->job.row.line;
	if (order < 0)
		swap(s);
	struct sacct_job *last = &s->job;
	const struct sacct_job *first = &s->next;
	int64_t *col = last->row.col;
	last->row.line = line;
	if (first->resizing) {
		resized(last, first);
		col[SL_COL_SUBMIT] = first->row.col[SL_COL_SUBMIT];
	} else {
		last->job.attempts_recorded += first->job.attempts_recorded;
		run_longest(last, first);
		attempts_apart(last, first);
	}
	const sl_time from = last->job.start_recorded;
	col[SL_COL_WAIT] = SL_NONE;
	if (from != SL_NONE && col[SL_COL_SUBMIT] != SL_NONE && from >= col[SL_COL_SUBMIT])
		(void)__builtin_sub_overflow(from, col[SL_COL_SUBMIT], &col[SL_COL_WAIT]);
	last->job.begin = first->job.begin;
	if (!last->repair)
		last->repair = first->repair;
	return SL_OK;
}

/* ---- A file -------------------------------------------------------------------------------------- */

int sacct_begin(struct sacct *s, const char *file, const struct sl_sink *sink, struct sl_err *err)
{
	*s = (struct sacct){ .sink = sink, .err = err, .file = file };
	struct sl_job_desc **const desc[] = { &s->job.desc, &s->next.desc, &s->spare };
	for (size_t i = 0; i < SL_LEN(desc); i++)
		*desc[i] = malloc(SLURM_COMPONENTS_MAX * sizeof(**desc[i]));
	if (!s->job.desc || !s->next.desc || !s->spare || sacct_held_begin(s))
		return sl_fail_memory(err);
	return SL_OK;
}

/* The second and further lines of a number get names of their own. */
static void number_task(struct sacct *s)
{
	struct sacct_job *next = &s->next;
	char id[64];
	size_t at = 0;
	while (at < SL_LEN(s->recent) && !(s->recent[at].count && s->recent[at].id == next->id))
		at++;
	if (at == SL_LEN(s->recent)) {
		at = s->recent_next++ % SL_LEN(s->recent);
		s->recent[at].id = next->id;
		s->recent[at].count = 0;
	}
	const uint32_t before = s->recent[at].count++;
	if (!before || next->id == SL_NONE)
		return;
	const int len = snprintf(id, sizeof(id), "%" PRId64 "_%" PRIu32, next->id, before);
	next->job.array = next->id;
	next->row.col[SL_COL_ID] = next->id = SL_NONE;
	next->more.id = sacct_keep(&next->text, id, (size_t)len);
}

int sacct_record(struct sacct *s, const struct sacct_cells *cells)
{
	bool take = false;
	int status = SL_OK;
	if (!s->dated && !s->relative && s->sink->dated)
		status = s->sink->dated(s->sink->self, s->err);
	s->dated = true;
	if (!status)
		status = sacct_job_in(s, cells, &take);
	if (status || !take)
		return status;
	if (s->tasks_repeat)
		number_task(s);
	if (s->job.whole && is_component(&s->job, &s->next)) {
		component_add(s);
		return SL_OK;
	}
	if (s->job.whole && is_component_again(&s->job, &s->next))
		return SL_OK;
	if (s->job.whole && is_attempt(&s->job, &s->next))
		return attempt_add(s);
	status = dismiss(s);
	if (!status && s->next.id != SL_NONE && !s->next.tasks && sacct_held_take(s, s->next.id))
		return is_attempt(&s->job, &s->next) ? attempt_add(s)
						     : sacct_drop(s, repeated, s->next.row.line);
	swap(s);
	return status;
}

static int sacct_merge_say(struct sacct *s, uint64_t count, const char *format, const char *first)
{
	const struct sl_place at = { s->file, 0, 0 };
	char text[200];
	char number[32];
	if (!count || !s->sink->ignored)
		return SL_OK;
	*sl_put_i64(number, (int64_t)count) = '\0';
	const char *rest = strchr(format, '#') + 1;
	(void)snprintf(text, sizeof(text), "%.*s%s%s%s%s%s", (int)(rest - 1 - format), format, number, rest,
		first ? " (" : "", first ? first : "", first ? ")" : "");
	return s->sink->ignored(s->sink->self, text, &at, s->err);
}

int slurm_say_dropped(const struct sl_sink *sink, const char *file, const uint64_t dropped[SLURM_DROPPED_MAX],
	struct sl_err *err)
{
	const struct sl_place at = { file, 0, 0 };
	const char *name;
	int status = SL_OK;
	for (uint32_t i = 0; sink->ignored && !status && (name = slurm_dropped_name(i)); i++) {
		char text[120];
		if (!dropped[i])
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu64 " job%s --%s: not followed", dropped[i],
			dropped[i] == 1 ? " asks" : "s ask", name);
		status = sink->ignored(sink->self, text, &at, err);
	}
	return status;
}

int sacct_end(struct sacct *s)
{
	int status = dismiss(s);
	while (!status && sacct_held_oldest(s))
		status = emit(s);
	if (!status)
		status = sacct_merge_say(s, s->steps, "# records of job steps", NULL);
	if (!status && s->elsewhere && s->sink->ignored)
		status = sacct_merge_say(s, s->elsewhere,
			"Cluster of # records, which is another than the first one's; all are taken for one "
			"machine's, and numbers that repeat are dropped: ask sacct for one, with -M",
			NULL);
	if (!status)
		status = sacct_merge_say(s, s->daylight,
			"End - Start of # jobs that differ from Elapsed by an hour, as when daylight saving "
			"changes: Elapsed is used",
			NULL);
	if (!status)
		status = sacct_merge_say(
			s, s->unknown, "# options of SubmitLine that are not known", s->unknown_first);
	if (!status)
		status = sacct_merge_say(
			s, s->unread, "# options of SubmitLine that cannot be read", s->unread_first);
	if (!status)
		status = slurm_say_dropped(s->sink, s->file, s->dropped, s->err);
	if (!status && !s->begun)
		status = sl_fail(s->err, SL_INPUT, "%s: has no jobs: give a trace with jobs", s->file);
	return status;
}

void sacct_release(struct sacct *s)
{
	struct sacct_job *const job[] = { &s->job, &s->next };
	for (size_t i = 0; i < SL_LEN(job); i++) {
		sacct_text_free(&job[i]->text);
		free(job[i]->desc);
	}
	free(s->spare);
	sacct_held_release(s);
}
