/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_attributes.c - job attributes beyond size and time, and dependencies.
 *
 * One struct for each row that says anything, in the order of the file; the column COLUMN_MORE leads to it.
 * Dependencies stay text until the rows are final: only then is it known which job is which row. Jobs with
 * the same text share one list of rows, unless it names the job itself (singleton) or its own task
 * (aftercorr).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario/row.h"

/* No list is longer than that, nor all of them together. */
enum { DEPENDS_MAX = 1 << 28 };
#define DELAY_MINUTES_MAX INT64_C(100000000)

/* A job or a task by its number. */
struct known {
	int64_t id, task;
	uint32_t row;
};

struct kept {
	uint64_t line;
	uint32_t text; /* Of the dependency; UINT32_MAX: none. */
};

struct list {
	const struct sl_depend *depend; /* NULL: not made yet. */
	uint32_t count;
};

struct mores {
	struct sl_job_attributes *more; /* The first is of those that say nothing. */
	struct kept *kept;              /* Beside each. */
	size_t count, capacity, kept_capacity;
	struct names text;       /* Names, qos and the like, each once. */
	struct names dependency; /* Texts of dependencies; by number: */
	struct list *list;
	struct known *job, *task; /* By (id, task). */
	size_t job_count, task_count;
	struct sl_depend *depend; /* Of the list that is being made. */
	size_t depend_count, depend_capacity;
	size_t total;
};

/* ---- Rows --------------------------------------------------------------------- */

static int mores_capacity(struct mores *mores, struct sl_err *err)
{
	const size_t wanted = mores->count + 1;
	const int status = SL_GROW_MOST(mores->more, mores->capacity, wanted, UINT32_MAX, err);
	return status ? status : SL_GROW_MOST(mores->kept, mores->kept_capacity, wanted, UINT32_MAX, err);
}

static int mores_make(struct loading *loading, struct sl_err *err)
{
	struct mores *mores = loading->mores = calloc(1, sizeof(*mores));
	if (!mores)
		return sl_fail_memory(err);
	const int status = mores_capacity(mores, err);
	if (status)
		return status;
	mores->more[0] = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
	mores->kept[0] = (struct kept){ 0, UINT32_MAX };
	mores->count = 1;
	return SL_OK;
}

static int text_keep(struct loading *loading, const char **text, struct sl_err *err)
{
	struct mores *mores = loading->mores;
	uint32_t number;
	if (!*text)
		return SL_OK;
	const int status =
		names_add(&mores->text, loading->scenario->arena, *text, strlen(*text), &number, err);
	if (!status)
		*text = mores->text.text[number];
	return status;
}

/* The dependency as its file has it (scenario_with.c marks it); stem: that its ids begin with ("": none do),
 * arrays: what its arrays' numbers are more than they are there. A text of a file or of replay.change that
 * begins like a mark and is none is a dependency that cannot be read, as any other. */
static const char *with_dependency(const char *text, char stem[STEM_MAX + 1], int64_t *arrays)
{
	*arrays = 0;
	stem[0] = '\0';
	if (*text != '\001')
		return text;
	const char *name = text + 1;
	const char *end = strchr(name, '\001');
	const char *last = end ? strchr(end + 1, '\001') : NULL;
	if (!last || end - name > STEM_MAX || !sl_get_i64(end + 1, (size_t)(last - end - 1), arrays) ||
		*arrays < 0 || *arrays > WITH_MAX) {
		*arrays = 0;
		return text;
	}
	memcpy(stem, name, (size_t)(end - name));
	stem[end - name] = '\0';
	*arrays *= WITH_ARRAYS;
	return last + 1;
}

static int texts_keep(
	struct loading *loading, struct sl_job_attributes *more, struct kept *kept, struct sl_err *err)
{
	const char **const text[] = { &more->name, &more->qos, &more->exit_code, &more->nodes_recorded,
		&more->namespace, &more->queue, &more->manifest };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(text) && !status; i++)
		status = text_keep(loading, text[i], err);
	if (!status && more->submit_line) { /* Hardly two are alike. */
		more->submit_line =
			sl_strdup(loading->scenario->arena, more->submit_line, strlen(more->submit_line));
		status = more->submit_line ? SL_OK : sl_fail_memory(err);
	}
	if (status || !more->dependency)
		return status;
	struct names *names = &loading->mores->dependency;
	char stem[STEM_MAX + 1];
	int64_t arrays;
	status = names_add(names, loading->scenario->arena, more->dependency, strlen(more->dependency),
		&kept->text, err);
	if (!status)
		more->dependency = with_dependency(names->text[kept->text], stem, &arrays);
	return status;
}

static sl_time *const *times_of(struct sl_job_attributes *more, sl_time *time[5])
{
	time[0] = &more->begin;
	time[1] = &more->deadline;
	time[2] = &more->start_recorded;
	time[3] = &more->end_recorded;
	time[4] = NULL;
	return time;
}

static void times_move(struct sl_job_attributes *more, sl_time by)
{
	sl_time *time[5];
	for (sl_time *const *at = times_of(more, time); *at; at++)
		if (**at != SL_NONE)
			**at += by;
}

/* So far from zero that sums with them overflow: no date is. */
static int times_check(struct loading *loading, struct sl_job_attributes *more, sl_time cancel, uint64_t line,
	struct sl_err *err)
{
	const sl_time most = INT64_MAX / 4;
	const struct sl_place at = { loading->file, line, 0 };
	sl_time *time[5];
	bool good = cancel == SL_NONE || (cancel >= -most && cancel <= most);
	for (sl_time *const *place = times_of(more, time); *place; place++)
		good &= **place == SL_NONE || (**place >= -most && **place <= most);
	return good ? SL_OK
		    : sl_fail_at(err, &at, "a time is beyond 70 000 years: give it in seconds, or as a date");
}

int more_intern(
	struct loading *loading, const struct sl_row *row, struct row_interned *interned, struct sl_err *err)
{
	static const struct sl_row_attributes none;
	const struct sl_row_attributes *says = row->more ? row->more : &none;
	const sl_time cancel = says->cancel ? says->cancel : SL_NONE;
	const bool wanted = says->job || cancel != SL_NONE;
	int status = !wanted || loading->mores ? SL_OK : mores_make(loading, err);
	if (status || !wanted)
		return status;
	struct mores *mores = loading->mores;
	struct sl_job_attributes more = says->job ? *says->job : mores->more[0];
	struct kept kept = { row->line, UINT32_MAX };
	more.depend = NULL;
	more.depend_count = 0;
	interned->cancel = cancel;
	status = times_check(loading, &more, cancel, row->line, err);
	if (!status && says->job)
		status = texts_keep(loading, &more, &kept, err);
	if (!status && says->job)
		status = mores_capacity(mores, err);
	if (status || !says->job)
		return status;
	interned->more = (int32_t)mores->count;
	mores->kept[mores->count] = kept;
	mores->more[mores->count++] = more;
	return SL_OK;
}

/* ---- Times ---------------------------------------------------------------------- */

void more_shift(const struct loading *loading, sl_time by)
{
	const struct columns *columns = loading->scenario->columns;
	for (size_t i = 1; loading->mores && i < loading->mores->count; i++)
		times_move(&loading->mores->more[i], by);
	for (uint32_t row = 0; columns->at[COLUMN_CANCEL] && row < columns->count; row++)
		if (column_i64(columns, COLUMN_CANCEL)[row] != SL_NONE)
			column_i64(columns, COLUMN_CANCEL)[row] += by;
}

void more_move(const struct loading *loading, uint32_t row, sl_time by)
{
	const struct columns *columns = loading->scenario->columns;
	if (columns->at[COLUMN_CANCEL] && column_i64(columns, COLUMN_CANCEL)[row] != SL_NONE)
		column_i64(columns, COLUMN_CANCEL)[row] += by;
	if (columns->at[COLUMN_MORE] && column_i32(columns, COLUMN_MORE)[row])
		times_move(&loading->mores->more[column_i32(columns, COLUMN_MORE)[row]], by);
}

sl_time more_last(const struct loading *loading, sl_time last)
{
	for (size_t i = 1; loading->mores && i < loading->mores->count; i++)
		if (loading->mores->more[i].begin > last)
			last = loading->mores->more[i].begin;
	return last;
}

/* ---- Who is who ------------------------------------------------------------------ */

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a;
	const struct known *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int index_rows(struct loading *loading, struct sl_err *err)
{
	struct mores *mores = loading->mores;
	const struct columns *columns = loading->scenario->columns;
	const size_t count = (size_t)columns->count + 1;
	mores->job = calloc(count, sizeof(*mores->job));
	mores->task = calloc(count, sizeof(*mores->task));
	mores->list = calloc((size_t)mores->dependency.count + 1, sizeof(*mores->list));
	if (!mores->job || !mores->task || !mores->list)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < columns->count; row++) {
		const struct sl_job_attributes *more = &mores->more[column_i32(columns, COLUMN_MORE)[row]];
		mores->job[mores->job_count++] =
			(struct known){ column_i64(columns, COLUMN_ID)[row], 0, row };
		if (more->array != SL_NONE)
			mores->task[mores->task_count++] =
				(struct known){ more->array, more->array_task, row };
	}
	qsort(mores->job, mores->job_count, sizeof(*mores->job), compare_known);
	qsort(mores->task, mores->task_count, sizeof(*mores->task), compare_known);
	return SL_OK;
}

/* The first that is not below it. */
static size_t scenario_attributes_place_of(const struct known *known, size_t count, int64_t id, int64_t task)
{
	size_t low = 0;
	while (low < count) {
		const size_t middle = low + (count - low) / 2;
		if (known[middle].id < id || (known[middle].id == id && known[middle].task < task))
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static uint32_t row_of_task(const struct mores *mores, int64_t array, int64_t task)
{
	const size_t at = scenario_attributes_place_of(mores->task, mores->task_count, array, task);
	const bool found =
		at < mores->task_count && mores->task[at].id == array && mores->task[at].task == task;
	return found ? mores->task[at].row : UINT32_MAX;
}

static uint32_t row_of_id(const struct mores *mores, int64_t id)
{
	const size_t at = scenario_attributes_place_of(mores->job, mores->job_count, id, INT64_MIN);
	return at < mores->job_count && mores->job[at].id == id ? mores->job[at].row : UINT32_MAX;
}

/* ---- Text ------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum sl_depend_kind kind;
} kinds[] = {
	{ "after", SL_AFTER },
	{ "afterany", SL_AFTER_ANY },
	{ "afterok", SL_AFTER_OK },
	{ "afternotok", SL_AFTER_NOTOK },
	{ "aftercorr", SL_AFTER_CORR },
	{ "afterburstbuffer", SL_AFTER_ANY }, /* Nothing is staged out here. */
	{ "singleton", SL_SINGLETON },
};

/* One text while it becomes rows. */
struct reading {
	struct loading *loading;
	const struct sl_job_attributes *of;
	uint64_t line;
	char stem[STEM_MAX + 1]; /* Of its file, before each id; "": none is. */
	int64_t arrays;          /* Of its file: numbers of arrays are so much more. */
	bool own;                /* The list is of this job alone. */
	bool any;                /* Alternatives are being read. */
	bool odd;                /* Something was not understood, */
	bool unknown;            /* or is not in the trace. */
};

static int depend_add(struct reading *reading, struct sl_depend depend, struct sl_err *err)
{
	struct mores *mores = reading->loading->mores;
	const int status = SL_GROW_MOST(
		mores->depend, mores->depend_capacity, mores->depend_count + 1, DEPENDS_MAX, err);
	if (!status)
		mores->depend[mores->depend_count++] = depend;
	return status;
}

static struct sl_depend *depend_last(const struct reading *reading)
{
	const struct mores *mores = reading->loading->mores;
	return mores->depend_count ? &mores->depend[mores->depend_count - 1] : NULL;
}

/* All tasks of an array; the task of the same number for aftercorr. */
static int array_in(struct reading *reading, struct sl_depend depend, int64_t array, struct sl_err *err)
{
	const struct mores *mores = reading->loading->mores;
	if (depend.kind == SL_AFTER_CORR && reading->of->array_task != SL_NONE) {
		reading->own = true;
		depend.job = row_of_task(mores, array, reading->of->array_task);
		reading->unknown |= depend.job == UINT32_MAX;
		return depend_add(reading, depend, err);
	}
	int status = SL_OK;
	const bool any = depend.or_next;
	for (size_t at = scenario_attributes_place_of(mores->task, mores->task_count, array, INT64_MIN);
		at < mores->task_count && mores->task[at].id == array && !status; at++) {
		const bool last = at + 1 == mores->task_count || mores->task[at + 1].id != array;
		depend.job = mores->task[at].row;
		depend.or_next = any && last;
		depend.with_next = reading->any && !last;
		status = depend_add(reading, depend, err);
	}
	return status;
}

static bool is_array(const struct mores *mores, int64_t id)
{
	const size_t at = scenario_attributes_place_of(mores->task, mores->task_count, id, INT64_MIN);
	return at < mores->task_count && mores->task[at].id == id;
}

/* "12", "12_4", "12_*", or the name of a job. */
static int scenario_attributes_job_in(
	struct reading *reading, struct sl_depend depend, const char *word, size_t len, struct sl_err *err)
{
	const struct loading *loading = reading->loading;
	const struct mores *mores = loading->mores;
	char whole[320];
	const int whole_len = *reading->stem && len < 200 ? snprintf(whole, sizeof(whole), "%s/%.*s",
								    reading->stem, (int)len, word)
							  : 0;
	const uint32_t name = whole_len ? names_find(&loading->names[NAMED_ID], whole, (size_t)whole_len)
					: names_find(&loading->names[NAMED_ID], word, len);
	int64_t id = SL_NONE;
	int64_t task = SL_NONE;
	depend.job = name == UINT32_MAX ? UINT32_MAX : row_of_id(mores, -1 - (int64_t)name);
	if (depend.job != UINT32_MAX)
		return depend_add(reading, depend, err);
	const char *line = memchr(word, '_', len);
	const size_t front = line ? (size_t)(line - word) : len;
	const bool all = line && len == front + 2 && line[1] == '*';
	if (!sl_get_i64(word, front, &id) || id < 0 ||
		(line && !all && !sl_get_i64(line + 1, len - front - 1, &task))) {
		reading->odd |= !loading->names[NAMED_ID].count; /* Names of other jobs are no error. */
		reading->unknown |= loading->names[NAMED_ID].count;
		return depend_add(reading, depend, err);
	}
	if ((!line || all) && is_array(mores, id + reading->arrays))
		return array_in(reading, depend, id + reading->arrays, err);
	const bool by_id = !*reading->stem;
	depend.job = line && !all ? row_of_task(mores, id + reading->arrays, task)
		     : by_id      ? row_of_id(mores, id)
				  : UINT32_MAX;
	reading->unknown |= depend.job == UINT32_MAX;
	return depend_add(reading, depend, err);
}

/* Behind a "+": minutes, as sbatch has them, or with an s behind them seconds. */
static bool delay_in(const char *p, const char *end, sl_time *delay)
{
	int64_t number;
	const bool seconds = end > p && end[-1] == 's';
	const int64_t unit = seconds ? 1 : 60;
	if (!sl_get_i64(p, (size_t)(end - p) - seconds, &number) || number < 0 ||
		number > DELAY_MINUTES_MAX * 60 / unit)
		return false;
	*delay = number * unit * SL_SECOND;
	return true;
}

/* "12:13+5": jobs, each perhaps with a delay. */
static int jobs_in(struct reading *reading, enum sl_depend_kind kind, const char *p, const char *end,
	bool or_next, struct sl_err *err)
{
	int status = SL_OK;
	while (p <= end && !status) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon ? colon : end;
		const char *note = memchr(p, '(', (size_t)(stop - p)); /* "12(unfulfilled)" */
		const char *last = note ? note : stop;
		const char *plus = memchr(p, '+', (size_t)(last - p));
		sl_time delay = 0;
		const bool good = !plus || delay_in(plus + 1, last, &delay);
		const size_t len = (size_t)((plus ? plus : last) - p);
		reading->odd |= !good || !len;
		if (good && len)
			status = scenario_attributes_job_in(reading,
				(struct sl_depend){ .kind = kind,
					.job = UINT32_MAX,
					.delay = delay,
					.or_next = reading->any && (colon || or_next) },
				p, len, err);
		p = stop + 1;
	}
	return status;
}

/* Between two commas or question marks. */
static int part_in(struct reading *reading, const char *p, const char *end, bool or_next, struct sl_err *err)
{
	const char *colon = memchr(p, ':', (size_t)(end - p));
	size_t len = (size_t)((colon ? colon : end) - p);
	const char *note = memchr(p, '(', len); /* "singleton(unfulfilled)" */
	len = note ? (size_t)(note - p) : len;
	size_t i = 0;
	while (i < SL_LEN(kinds) && (strlen(kinds[i].word) != len || strncasecmp(p, kinds[i].word, len) != 0))
		i++;
	if (i == SL_LEN(kinds)) {
		if (*p >= '0' && *p <= '9') /* A bare number: as sbatch reads it. */
			return jobs_in(reading, SL_AFTER_ANY, p, end, or_next, err);
		reading->odd = true;
		return SL_OK;
	}
	if (kinds[i].kind == SL_SINGLETON) {
		reading->own = true;
		return depend_add(reading,
			(struct sl_depend){ .kind = SL_SINGLETON, .job = UINT32_MAX, .or_next = or_next },
			err);
	}
	reading->odd |= !colon;
	return colon ? jobs_in(reading, kinds[i].kind, colon + 1, end, or_next, err) : SL_OK;
}

/* "," joins what must be, "?" what may be instead. */
static int scenario_attributes_text_in(struct reading *reading, const char *text, struct sl_err *err)
{
	int status = SL_OK;
	reading->loading->mores->depend_count = 0;
	for (const char *p = text; !status; p++) {
		const char *end = p + strcspn(p, ",?");
		const bool or_next = *end == '?';
		reading->any |= or_next;
		if (end > p)
			status = part_in(reading, p, end, or_next, err);
		reading->any = or_next;
		p = end;
		if (!or_next && depend_last(reading)) /* What follows a "?" may not have been understood. */
			depend_last(reading)->or_next = false;
		if (!*p)
			break;
	}
	return status;
}

static int anomalies_in(const struct reading *reading, struct sl_err *err)
{
	int status = SL_OK;
	if (reading->odd)
		status = cleaning_repair(reading->loading, CAUSE_DEPENDENCY, reading->line, err);
	if (!status && reading->unknown)
		status = cleaning_repair(reading->loading, CAUSE_UNKNOWN_JOB, reading->line, err);
	return status;
}

static int depend_keep(struct loading *loading, struct list *list, struct sl_err *err)
{
	struct mores *mores = loading->mores;
	const size_t count = mores->depend_count;
	mores->total += count;
	if (mores->total > DEPENDS_MAX)
		return sl_fail(err, SL_INPUT, "%s: dependencies on more than %d jobs in all: split the trace",
			loading->file, (int)DEPENDS_MAX);
	struct sl_depend *copy = sl_alloc(loading->scenario->arena, count + 1, sizeof(*copy));
	if (!copy)
		return sl_fail_memory(err);
	if (count)
		memcpy(copy, mores->depend, count * sizeof(*copy));
	*list = (struct list){ copy, (uint32_t)count };
	return SL_OK;
}

static int row_depends(struct loading *loading, uint32_t index, struct sl_err *err)
{
	struct mores *mores = loading->mores;
	struct sl_job_attributes *more = &mores->more[index];
	struct reading reading = { .loading = loading, .of = more, .line = mores->kept[index].line };
	struct list own = { 0 };
	struct list *list = &mores->list[mores->kept[index].text];
	if (!list->depend) {
		const char *text = mores->dependency.text[mores->kept[index].text];
		int status = scenario_attributes_text_in(
			&reading, with_dependency(text, reading.stem, &reading.arrays), err);
		if (!status)
			status = anomalies_in(&reading, err);
		list = reading.own ? &own : list;
		if (!status)
			status = depend_keep(loading, list, err);
		if (status)
			return status;
	}
	more->depend = list->depend;
	more->depend_count = list->count;
	return SL_OK;
}

int more_lend(struct loading *loading, struct sl_jobs *jobs, struct sl_err *err)
{
	struct mores *mores = loading->mores;
	if (!jobs->more_of || !mores)
		return SL_OK;
	int status = mores->dependency.count ? index_rows(loading, err) : SL_OK;
	for (uint32_t row = 0; row < jobs->count && !status; row++) {
		const uint32_t index = jobs->more_of[row];
		if (mores->kept[index].text != UINT32_MAX)
			status = row_depends(loading, index, err);
	}
	if (status)
		return status;
	jobs->more = loading->scenario->more = mores->more;
	jobs->more_count = (uint32_t)mores->count;
	mores->more = NULL; /* The scenario's from now on. */
	return SL_OK;
}

void more_free(struct mores *mores)
{
	if (!mores)
		return;
	names_release(&mores->text);
	names_release(&mores->dependency);
	free(mores->more);
	free(mores->kept);
	free(mores->list);
	free(mores->job);
	free(mores->task);
	free(mores->depend);
	free(mores);
}
