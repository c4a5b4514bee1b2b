/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * convert_merge.c - several traces as one: rows of all files in the order of submission, those of one instant
 * in the order of the files.
 *
 * Where each file knows its dates (they are written there, or its header has UnixStartTime) these decide;
 * else each counts from its own zero, which of a file with dates is its first submission. The header is that
 * of the first file. Users, accounts and partitions of the same name are the same. Jobs are not: where a file
 * before has the same id, the file's number is put behind it, also in what depends on the job.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/convert.h"

enum { ID_CAPACITY = 2048 };

struct source {
	const char *path;
	size_t first, count; /* Of the rows. */
	bool dated;          /* Its submits count from 1970. */
	sl_time epoch;       /* Of its zero, by its header; 0: not known. */
};

struct merging {
	struct conversion *c;
	struct source *source;
	size_t source_count;
	struct source *now; /* Is being read. */
	struct names ids;   /* Of all jobs; */
	uint32_t *owner;    /* by number: 1 + the first source that has it. */
	size_t owner_capacity;
	struct names clashed; /* "3:17": the job 17 of the third file has another id, */
	const char **renamed; /* this one. */
	size_t renamed_capacity;
	uint64_t links; /* To jobs that have another id now: SWF's are numbers. */
};

static uint32_t convert_merge_number_of(const struct merging *m, const struct source *source)
{
	return (uint32_t)(source - m->source) + 1;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static int merge_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct merging *m = self;
	struct conversion *c = m->c;
	if (cli_stop)
		return sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was written");
	const int status = SL_GROW_MOST(c->row, c->row_capacity, c->row_count + 1, UINT32_MAX, err);
	if (status)
		return status;
	struct sl_row *kept = &c->row[c->row_count++];
	*kept = *row;
	m->now->count++;
	c->any_more |= row->more && row->more->job;
	c->looked = true;
	c->gpus |= convert_says_gpus(row);
	c->profiles |= convert_says_profile(row);
	if (row->more)
		kept->more = convert_copy(c->arena, row->more);
	return !row->more || kept->more ? SL_OK : sl_fail_memory(err);
}

/* What counts jobs or says when zero is, is not true of the whole. */
static int merge_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	static const char *const own[] = { "UnixStartTime", "StartTime", "EndTime", "TimeZoneString",
		"MaxJobs", "MaxRecords" };
	struct merging *m = self;
	int64_t seconds;
	(void)at;
	if (strcmp(key, own[0]) == 0 && sl_get_i64(value, strlen(value), &seconds) && seconds > 0 &&
		seconds < INT64_C(100000000000))
		m->now->epoch = seconds * SL_SECOND;
	for (size_t i = 0; i < SL_LEN(own); i++)
		if (strcmp(key, own[i]) == 0)
			return SL_OK;
	return m->now == m->source ? convert_header(m->c, key, value, err) : SL_OK;
}

static int merge_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	return convert_anomaly(((struct merging *)self)->c, cause, at, err);
}

static int merge_dated(void *self, struct sl_err *err)
{
	struct merging *m = self;
	(void)err;
	m->now->dated = true;
	return SL_OK;
}

static int read_source(struct merging *m, struct source *source, struct sl_err *err)
{
	struct conversion *c = m->c;
	const struct sl_sink sink = { m, merge_job, merge_header, merge_anomaly, merge_dated, NULL, NULL,
		NULL };
	const struct sl_reader *reader;
	struct sl_input *in;
	m->now = source;
	source->first = c->row_count;
	c->odd = 0;
	int status = sl_input_open(&in, source->path, err);
	if (status)
		return status;
	status = reader_choose(c->registry, &reader, in, err);
	if (!status)
		status = reader->read(in, &sink, err);
	sl_input_close(in);
	if (!status && c->odd)
		talk("%s: lines dropped or repaired: %llu, the first is line %llu (%s); --strict stops there",
			source->path, (unsigned long long)c->odd, (unsigned long long)c->odd_line,
			c->odd_first);
	return status;
}

/* ---- One zero -------------------------------------------------------------------------------------------
 */

static bool knows_dates(const struct source *source) { return source->dated || source->epoch; }

static bool all_know_dates(const struct merging *m)
{
	bool all = true;
	for (size_t i = 0; i < m->source_count; i++)
		all &= knows_dates(&m->source[i]);
	return all;
}

/* The first submission, to the second. */
static sl_time convert_merge_first_of(const struct merging *m, const struct source *source)
{
	sl_time first = SL_NEVER;
	for (size_t i = source->first; i < source->first + source->count; i++) {
		const sl_time submit = m->c->row[i].col[SL_COL_SUBMIT];
		first = submit != SL_NONE && submit < first ? submit : first;
	}
	const int64_t seconds = first == SL_NEVER ? 0 : first / SL_SECOND;
	return (seconds - (seconds * SL_SECOND > first)) * SL_SECOND;
}

static void shift(sl_time *time, sl_time by)
{
	if (*time != SL_NONE)
		*time += by;
}

static int shift_row(struct conversion *c, struct sl_row *row, sl_time by, struct sl_err *err)
{
	sl_time *submit = &row->col[SL_COL_SUBMIT];
	if (*submit != SL_NONE && __builtin_add_overflow(*submit, by, submit))
		return sl_fail(err, SL_INPUT, "%s:%llu: submit time is out of range", c->path,
			(unsigned long long)row->line);
	if (!row->more)
		return SL_OK;
	struct sl_row_attributes *more = sl_alloc(c->arena, 1, sizeof(*more));
	struct sl_job_attributes *job = sl_alloc(c->arena, 1, sizeof(*job));
	if (!more || !job)
		return sl_fail_memory(err);
	*more = *row->more;
	if (more->cancel)
		shift(&more->cancel, by);
	if (more->job) {
		*job = *more->job;
		shift(&job->begin, by);
		shift(&job->deadline, by);
		shift(&job->start_recorded, by);
		shift(&job->end_recorded, by);
		more->job = job;
	}
	row->more = more;
	return SL_OK;
}

static int set_zero(struct merging *m, struct sl_err *err)
{
	const bool dates = all_know_dates(m);
	int status = SL_OK;
	for (size_t s = 0; s < m->source_count; s++) {
		const struct source *source = &m->source[s];
		const sl_time by = dates ? (source->dated ? 0 : source->epoch)
					 : (source->dated ? -convert_merge_first_of(m, source) : 0);
		m->c->path = source->path;
		for (size_t i = source->first; by && i < source->first + source->count && !status; i++)
			status = shift_row(m->c, &m->c->row[i], by, err);
	}
	m->c->dated = dates;
	return status;
}

/* ---- Ids ------------------------------------------------------------------------------------------------
 */

/* Room for 32 bytes where it is a number. */
static const char *convert_merge_id_of(const struct sl_row *row, char *number)
{
	if (row->more && row->more->id)
		return row->more->id;
	if (row->col[SL_COL_ID] == SL_NONE)
		return NULL;
	*sl_put_i64(number, row->col[SL_COL_ID]) = '\0';
	return number;
}

/* The first source that has the id, by number; or this one, if none does. */
static int own_id(
	struct merging *m, const struct source *source, const char *id, uint32_t *owner, struct sl_err *err)
{
	uint32_t index;
	int status = names_add(&m->ids, m->c->arena, id, strlen(id), &index, err);
	if (status)
		return status;
	status = SL_GROW_ZEROED(m->owner, m->owner_capacity, (size_t)index + 1, err);
	if (status)
		return status;
	SL_CHECK(m->owner); /* Its buffer has space for this one at least. */
	if (!m->owner[index])
		m->owner[index] = convert_merge_number_of(m, source);
	*owner = m->owner[index];
	return SL_OK;
}

static int id_too_long(const struct source *source, const char *id, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT, "%s: the id '%.40s...' is too long", source->path, id);
}

/* The id with the file's number behind it, and again while some job is called so. */
static int rename_id(struct merging *m, const struct source *source, const char *id, struct sl_err *err)
{
	char key[ID_CAPACITY];
	char name[ID_CAPACITY];
	uint32_t index;
	if (strlen(id) > ID_CAPACITY / 2)
		return id_too_long(source, id, err);
	(void)snprintf(key, sizeof(key), "%u:%s", convert_merge_number_of(m, source), id);
	if (names_find(&m->clashed, key, strlen(key)) != UINT32_MAX)
		return SL_OK; /* Another row of the same job. */
	int status = names_add(&m->clashed, m->c->arena, key, strlen(key), &index, err);
	if (!status)
		status = SL_GROW_MOST(m->renamed, m->renamed_capacity, (size_t)index + 1, INT32_MAX, err);
	if (status)
		return status;
	size_t len = (size_t)snprintf(name, sizeof(name), "%s", id);
	do {
		len += (size_t)snprintf(
			name + len, sizeof(name) - len, "-%u", convert_merge_number_of(m, source));
		if (len >= sizeof(name))
			return id_too_long(source, id, err);
	} while (names_find(&m->ids, name, len) != UINT32_MAX);
	m->renamed[index] = sl_strdup(m->c->arena, name, len);
	uint32_t owner;
	status = own_id(m, source, name, &owner, err);
	return status ? status : m->renamed[index] ? SL_OK : sl_fail_memory(err);
}

/* What the job of that file is called now; NULL: as it was. */
static const char *renamed(const struct merging *m, const struct source *source, const char *id, size_t len)
{
	char key[ID_CAPACITY];
	if (len > ID_CAPACITY / 2)
		return NULL;
	const int used =
		snprintf(key, sizeof(key), "%u:%.*s", convert_merge_number_of(m, source), (int)len, id);
	const uint32_t index = names_find(&m->clashed, key, (size_t)used);
	return index == UINT32_MAX ? NULL : m->renamed[index];
}

/* All ids first, so that a new one is nobody's. */
static int find_clashes(struct merging *m, struct sl_err *err)
{
	char number[32];
	int status = SL_OK;
	for (int renaming = 0; renaming < 2; renaming++)
		for (size_t s = 0; s < m->source_count; s++) {
			const struct source *source = &m->source[s];
			for (size_t i = source->first; i < source->first + source->count && !status; i++) {
				const char *id = convert_merge_id_of(&m->c->row[i], number);
				uint32_t owner = 0;
				if (id)
					status = own_id(m, source, id, &owner, err);
				if (id && !status && renaming && owner != convert_merge_number_of(m, source))
					status = rename_id(m, source, id, err);
			}
		}
	return status;
}

/* Arrays are known by number, which cannot carry that of a file. */
static int check_arrays(struct merging *m, struct sl_err *err)
{
	struct merging arrays = { .c = m->c, .source = m->source, .source_count = m->source_count };
	char number[32];
	int status = SL_OK;
	for (size_t s = 0; s < m->source_count; s++) {
		const struct source *source = &m->source[s];
		for (size_t i = source->first; i < source->first + source->count && !status; i++) {
			const struct sl_row_attributes *more = m->c->row[i].more;
			uint32_t owner = 0;
			if (!more || !more->job || more->job->array == SL_NONE)
				continue;
			*sl_put_i64(number, more->job->array) = '\0';
			status = own_id(&arrays, source, number, &owner, err);
			if (!status && owner != convert_merge_number_of(m, source))
				status = sl_fail(err, SL_INPUT,
					"%s:%llu: the array %s is in %s too, and both would be one: number "
					"those of one file anew",
					source->path, (unsigned long long)m->c->row[i].line, number,
					m->source[owner - 1].path);
		}
	}
	names_release(&arrays.ids);
	free(arrays.owner);
	return status;
}

/* "afterok:17:18+5,afternotok:19": what stands between these signs is copied, ids by their new names. to:
 * NULL: only the length is computed. */
static size_t put_depends(const struct merging *m, const struct source *source, const char *text, char *to)
{
	size_t len = 0;
	char before = '\0';
	for (const char *p = text; *p;) {
		const size_t part = strcspn(p, ":,?+");
		const char *name = before == ':' ? renamed(m, source, p, part) : NULL;
		const size_t put = name ? strlen(name) : part;
		for (size_t i = 0; to && i < put; i++)
			to[len + i] = (name ? name : p)[i];
		len += put;
		p += part;
		before = *p;
		if (to && *p)
			to[len] = *p;
		len += *p != '\0';
		p += *p != '\0';
	}
	return len;
}

static const char *depends_now(const struct merging *m, const struct source *source, const char *text)
{
	char *now = sl_alloc(m->c->arena, put_depends(m, source, text, NULL) + 1, 1);
	if (now)
		(void)put_depends(m, source, text, now);
	return now;
}

static int rename_row(struct merging *m, const struct source *source, struct sl_row *row, struct sl_err *err)
{
	static const struct sl_row_attributes none;
	char number[32];
	const char *id = convert_merge_id_of(row, number);
	const char *name = id ? renamed(m, source, id, strlen(id)) : NULL;
	const char *depends = row->more && row->more->job ? row->more->job->dependency : NULL;
	if (row->col[SL_COL_PREV] > 0) {
		char before[32];
		*sl_put_i64(before, row->col[SL_COL_PREV]) = '\0';
		if (renamed(m, source, before, strlen(before))) {
			row->col[SL_COL_PREV] = row->col[SL_COL_THINK] = SL_NONE;
			m->links++;
		}
	}
	if (!name && !depends)
		return SL_OK;
	struct sl_row_attributes *more = sl_alloc(m->c->arena, 1, sizeof(*more));
	struct sl_job_attributes *job = sl_alloc(m->c->arena, 1, sizeof(*job));
	if (!more || !job)
		return sl_fail_memory(err);
	*more = row->more ? *row->more : none;
	more->id = name ? name : more->id;
	if (depends) {
		*job = *more->job;
		job->dependency = depends_now(m, source, depends);
		more->job = job;
	}
	row->more = more;
	return !depends || job->dependency ? SL_OK : sl_fail_memory(err);
}

static int set_ids(struct merging *m, struct sl_err *err)
{
	int status = find_clashes(m, err);
	if (!status)
		status = check_arrays(m, err);
	for (size_t s = 0; s < m->source_count && m->clashed.count; s++) {
		const struct source *source = &m->source[s];
		for (size_t i = source->first; i < source->first + source->count && !status; i++)
			status = rename_row(m, source, &m->c->row[i], err);
	}
	return status;
}

/* ---- Writing --------------------------------------------------------------------------------------------
 */

struct placed {
	sl_time submit; /* SL_NEVER: not known. */
	size_t row;
};

static int by_submit(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int write_sorted(struct merging *m, struct sl_err *err)
{
	struct conversion *c = m->c;
	/* A writer without names numbers them by what the first row has: all have to say. */
	static const struct sl_row_attributes nothing;
	struct placed *placed = malloc((c->row_count + 1) * sizeof(*placed));
	int status = SL_OK;
	if (!placed)
		return sl_fail_memory(err);
	for (size_t i = 0; i < c->row_count; i++) {
		const sl_time submit = c->row[i].col[SL_COL_SUBMIT];
		placed[i] = (struct placed){ submit == SL_NONE ? SL_NEVER : submit, i };
	}
	qsort(placed, c->row_count, sizeof(*placed), by_submit);
	for (size_t i = 0; i < c->row_count && !status; i++) {
		struct sl_row *row = &c->row[placed[i].row];
		row->more = row->more || c->writer->names ? row->more : &nothing;
		status = convert_row(c, row, err);
	}
	free(placed);
	return status;
}

static void talk_merged(const struct merging *m)
{
	talk("%zu traces merged by %s, %zu jobs", m->source_count,
		m->c->dated ? "their dates" : "each one's own zero", m->c->row_count);
	for (size_t i = 0; i < m->source_count; i++)
		talk("%s: %zu jobs", m->source[i].path, m->source[i].count);
	if (m->clashed.count)
		talk("ids that a file before has too: %" PRIu32
		     "; the number of the file was put behind them",
			m->clashed.count);
	if (m->links)
		talk("fields 17 and 18 that named such a job: %llu; they were left out",
			(unsigned long long)m->links);
}

int convert_merge(struct conversion *c, char *const *path, size_t count, struct sl_err *err)
{
	struct merging m = { .c = c, .source_count = count };
	int status = SL_OK;
	m.source = sl_alloc(c->arena, count, sizeof(*m.source));
	if (!m.source)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count && !status; i++) {
		m.source[i].path = path[i];
		status = read_source(&m, &m.source[i], err);
	}
	if (!status && !c->row_count)
		status = sl_fail(err, SL_INPUT, "%s: no line of these files can be written", path[0]);
	if (!status)
		status = set_zero(&m, err);
	if (!status)
		status = set_ids(&m, err);
	if (!status)
		status = write_sorted(&m, err);
	if (!status)
		talk_merged(&m);
	names_release(&m.ids);
	names_release(&m.clashed);
	free(m.owner);
	free((void *)m.renamed);
	return status;
}
