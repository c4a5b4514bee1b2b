/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * submissions.c - jobs as they were typed at a prompt: who submitted what, when, as sbatch, srun or salloc.
 *
 *   # schedlab submissions 1
 *   # UnixStartTime: 1767603600
 *   17  -     3600.5  300  -     alice  sbatch -N 2 --time=1:00:00 train.sh
 *   18  18_3  3601    60   3700  alice  sbatch --array=3-4%1 --time=5:00 sweep.sh
 *
 * Columns are apart by tabs: the job's number; its place in an array, or "-"; when it was submitted; how long
 * it runs; when its user cancels it, or "-"; the user; the line. Times are seconds from the trace's zero. The
 * line's options are read as those of sacct's SubmitLine are (options.c).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/plugin.h"
#include "traces/slurm/options.h"

enum { COLUMNS = 7, USER_MAX = 100 };
static const char magic[] = "# schedlab submissions 1";

struct submissions {
	const struct sl_sink *sink;
	struct sl_err *err;
	const char *file;
	uint64_t line;
	sl_time epoch; /* Zero, since 1970. */
	struct sl_job_desc *desc;
	char *text; /* Of the line's texts. */
	size_t text_capacity;
	uint64_t dropped[SLURM_DROPPED_MAX]; /* Jobs that say an option that is not followed. */
};

struct field {
	const char *p;
	size_t len;
};

static int submissions_wrong(const struct submissions *s, const char *what, const struct field *field)
{
	const struct sl_place at = { s->file, s->line, 1 };
	return sl_fail_at(s->err, &at, "%s: '%.*s'", what, field->len < 40 ? (int)field->len : 40, field->p);
}

static bool is_none(const struct field *field) { return field->len == 1 && *field->p == '-'; }

static bool time_in(const struct field *field, sl_time *time)
{
	return sl_get_micro(field->p, field->len, time) && *time >= 0 && *time <= INT64_MAX / 4;
}

/* "18_3" */
static bool array_in(const struct field *field, struct sl_job_attributes *more)
{
	const char *low = memchr(field->p, '_', field->len);
	if (is_none(field))
		return true;
	if (!low)
		return false;
	const size_t len = (size_t)(low - field->p);
	return sl_get_i64(field->p, len, &more->array) && more->array >= 0 &&
	       sl_get_i64(low + 1, field->len - len - 1, &more->array_task) && more->array_task >= 0;
}

/* Dates are the line's own; the trace's are from its zero on. */
static void from_zero(const struct submissions *s, sl_time *time)
{
	if (*time != SL_NONE && __builtin_sub_overflow(*time, s->epoch, time))
		*time = SL_NONE;
}

static int submissions_line_in(
	struct submissions *s, const struct field *line, sl_time submit, struct slurm_said *said)
{
	const size_t wanted = slurm_options_size(line->len);
	if (SL_GROW(s->text, s->text_capacity, wanted, s->err))
		return SL_SYSTEM;
	const struct slurm_line options = { line->p, line->len, s->epoch + submit, s->text };
	const int status = slurm_options(&options, s->desc, said, s->err);
	for (uint32_t i = 0; i < SLURM_DROPPED_MAX && !status; i++)
		s->dropped[i] += said->dropped >> i & 1;
	return status;
}

static int submissions_job_in(struct submissions *s, const struct field *field)
{
	struct sl_row row = { .line = s->line };
	struct sl_row_attributes more = { .cancel = SL_NONE };
	struct slurm_said said;
	char user[USER_MAX + 1];
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE;
	if (!sl_get_i64(field[0].p, field[0].len, &row.col[SL_COL_ID]) || row.col[SL_COL_ID] < 0)
		return submissions_wrong(s, "no job's number", &field[0]);
	if (!time_in(&field[2], &row.col[SL_COL_SUBMIT]))
		return submissions_wrong(s, "no time of submission", &field[2]);
	if (!time_in(&field[3], &row.col[SL_COL_RUN]))
		return submissions_wrong(s, "no run time", &field[3]);
	if (!is_none(&field[4]) && !time_in(&field[4], &more.cancel))
		return submissions_wrong(s, "no time of cancellation", &field[4]);
	if (!field[5].len || field[5].len > USER_MAX)
		return submissions_wrong(s, "no user's name", &field[5]);
	const int status = submissions_line_in(s, &field[6], row.col[SL_COL_SUBMIT], &said);
	if (status)
		return status;
	struct sl_job_attributes job = said.more;
	job.start_recorded = job.end_recorded = SL_NONE;
	job.state_recorded = SL_PENDING;
	if (!array_in(&field[1], &job))
		return submissions_wrong(s, "no task of an array", &field[1]);
	from_zero(s, &job.begin);
	from_zero(s, &job.deadline);
	memcpy(user, field[5].p, field[5].len);
	user[field[5].len] = '\0';
	/* Without one the partition's: if that has none, there is none. */
	const bool limited = said.time_limit != SL_NONE && said.time_limit != SL_NEVER;
	row.col[SL_COL_LIMIT] = limited ? said.time_limit : SL_NEVER / 2;
	row.col[SL_COL_REQ_CPUS] = said.desc[0].tasks > 0 ? said.desc[0].tasks : 1;
	more.user = user;
	more.account = said.account;
	more.partition = said.desc[0].partition;
	more.desc = said.desc;
	more.desc_count = said.desc_count;
	more.job = &job;
	row.more = &more;
	return s->sink->job(s->sink->self, &row, s->err);
}

/* "# Key: value" */
static int header_in(struct submissions *s, const char *p, const char *end)
{
	char key[40];
	char value[200];
	const struct sl_place at = { s->file, s->line, 1 };
	for (p++; p < end && *p == ' ';)
		p++;
	const char *colon = memchr(p, ':', (size_t)(end - p));
	if (!colon || (size_t)(colon - p) >= sizeof(key))
		return SL_OK;
	memcpy(key, p, (size_t)(colon - p));
	key[colon - p] = '\0';
	for (p = colon + 1; p < end && *p == ' ';)
		p++;
	if ((size_t)(end - p) >= sizeof(value))
		return SL_OK;
	memcpy(value, p, (size_t)(end - p));
	value[end - p] = '\0';
	int64_t epoch;
	if (strcmp(key, "UnixStartTime") == 0 && sl_get_i64(value, strlen(value), &epoch) && epoch >= 0 &&
		epoch < INT64_C(100000000000))
		s->epoch = epoch * SL_SECOND;
	return s->sink->header ? s->sink->header(s->sink->self, key, value, &at, s->err) : SL_OK;
}

static int submissions_row_in(struct submissions *s, const char *p, const char *end)
{
	struct field field[COLUMNS];
	const struct sl_place at = { s->file, s->line, 1 };
	for (size_t i = 0; i < COLUMNS; i++) {
		const char *tab = i + 1 < COLUMNS ? memchr(p, '\t', (size_t)(end - p)) : end;
		if (!tab)
			return sl_fail_at(s->err, &at, "fewer than %d columns", COLUMNS);
		field[i] = (struct field){ p, (size_t)(tab - p) };
		p = tab + (tab < end);
	}
	return submissions_job_in(s, field);
}

static int read_lines(struct submissions *s, struct sl_input *in)
{
	const char *p;
	const char *end;
	int status;
	while ((status = sl_input_next(in, &p, &end, s->err)) > 0) {
		while (p < end) {
			const char *stop = memchr(p, '\n', (size_t)(end - p) + 1);
			s->line++;
			if (p < stop && *p == '#')
				status = header_in(s, p, stop);
			else
				status = p < stop ? submissions_row_in(s, p, stop) : SL_OK;
			if (status)
				return status;
			p = stop + 1;
		}
	}
	return status;
}

static int submissions_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct submissions s = { .sink = sink, .err = err, .file = sl_input_name(in) };
	s.desc = calloc(SLURM_COMPONENTS_MAX, sizeof(*s.desc));
	int status = s.desc ? read_lines(&s, in) : sl_fail_memory(err);
	if (!status)
		status = slurm_say_dropped(sink, s.file, s.dropped, err);
	free(s.desc);
	free(s.text);
	return status;
}

static int submissions_sniff(const char *text, size_t len)
{
	return len >= sizeof(magic) - 1 && memcmp(text, magic, sizeof(magic) - 1) == 0 ? 100 : 0;
}

const struct sl_reader submissions_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "submissions",
	.summary = "jobs as they were typed: who, when, and a line of sbatch, srun or salloc",
	.sniff = submissions_sniff,
	.read = submissions_read,
};
