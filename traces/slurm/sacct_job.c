/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_job.c - the cells of a record as a job: who, when, and what became of it.
 *
 * Times are the log's own clock. Elapsed is believed before End - Start: clocks jump, twice a year, and time
 * that a job stood suspended is not in it.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/sacct.h"

static const char no_id[] = "job number is unknown";
static const char no_state[] = "state is none of Slurm's";
const char sacct_unreadable[] = "unreadable optional field";

int sacct_drop(struct sacct *s, const char *cause, uint64_t line)
{
	const struct sl_place at = { s->file, line, 1 };
	s->begun = true;
	return s->sink->anomaly(s->sink->self, cause, &at, s->err);
}

static void mend(struct sacct_job *job, const char *cause)
{
	if (!job->repair)
		job->repair = cause;
}

static const char *sacct_job_keep(struct sacct_job *job, const struct sacct_cell *cell)
{
	return cell->p ? sacct_keep(&job->text, cell->p, cell->len) : NULL;
}

static sl_time date(struct sacct *s, struct sacct_job *job, const struct sacct_cell *cell)
{
	sl_time value;
	if (!sacct_date(s, cell, &value))
		mend(job, sacct_unreadable);
	return value;
}

static sl_time duration(struct sacct_job *job, const struct sacct_cell *cell)
{
	sl_time value;
	if (!sacct_duration(cell, &value))
		mend(job, sacct_unreadable);
	return value;
}

/* ---- Who ---------------------------------------------------------------------------------- */

static void job_clear(struct sacct_job *job)
{
	sacct_text_clear(&job->text);
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		job->row.col[i] = SL_NONE;
	job->more = (struct sl_row_attributes){ .cancel = SL_NONE };
	job->job = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE };
	job->tasks = NULL;
	job->id = SL_NONE;
	job->component = -1;
	job->repair = NULL;
	job->resizing = job->retry = false;
}

/* has_id: the number is that of JobID, and not of JobIDRaw in its place. */
static void id_in(struct sacct_job *job, const struct sacct_cells *cells, const struct sacct_id *id,
	const struct sacct_id *raw, bool has_id)
{
	struct sl_job_attributes *more = &job->job;
	job->component = id->component;
	job->number[0] = id->component < 0           ? 0
			 : id->component > UINT8_MAX ? UINT8_MAX
						     : (uint8_t)id->component;
	more->array = id->array >= 0 ? id->array : SL_NONE;
	more->array_task = id->task >= 0 ? id->task : SL_NONE;
	if (id->tasks.p)
		job->tasks = sacct_job_keep(job, &id->tasks);
	if (id->component >= 0 || (id->id != SL_NONE && id->array < 0))
		job->id = id->id;
	else if (raw->id != SL_NONE && raw->array < 0 && !id->tasks.p)
		job->id = raw->id;
	job->row.col[SL_COL_ID] = job->id;
	if (job->id == SL_NONE)
		job->more.id = sacct_job_keep(job, &cells->cell[has_id ? SACCT_JOBID : SACCT_JOBIDRAW]);
}

/* False: it is none of a job, or was reported as none. */
static bool ids_in(struct sacct *s, struct sacct_job *job, const struct sacct_cells *cells, int *status)
{
	struct sacct_id id, raw;
	const bool has_id = sacct_id_of(&cells->cell[SACCT_JOBID], &id);
	const bool has_raw = sacct_id_of(&cells->cell[SACCT_JOBIDRAW], &raw);
	*status = SL_OK;
	if (!has_id && !has_raw) {
		*status = sacct_drop(s, no_id, cells->line);
		return false;
	}
	if (!has_id)
		id = raw;
	if ((has_id && id.step) || (has_raw && raw.step)) {
		s->steps++;
		return false;
	}
	id_in(job, cells, &id, &raw, has_id);
	return true;
}

static void names_in(struct sacct_job *job, const struct sacct_cell *cell)
{
	struct sl_row_attributes *more = &job->more;
	more->user = sacct_job_keep(job, &cell[SACCT_USER]);
	if (!more->user)
		job->row.col[SL_COL_USER] = sacct_number(&cell[SACCT_UID]);
	more->account = sacct_job_keep(job, &cell[SACCT_ACCOUNT]);
	struct sacct_cell first = cell[SACCT_PARTITION];
	const char *comma = first.p ? memchr(first.p, ',', first.len) : NULL;
	if (comma)
		first.len = (size_t)(comma - first.p);
	more->partition = sacct_job_keep(job, &first);
	job->job.name = sacct_job_keep(job, &cell[SACCT_JOBNAME]);
	/* Of a list of QOS the one that it ran with is no more than what became of it. */
	const struct sacct_cell *list = &cell[SACCT_QOSREQ];
	const bool listed = list->p && memchr(list->p, ',', list->len);
	job->job.qos = sacct_job_keep(job, listed ? list : &cell[SACCT_QOS]);
	job->job.exit_code = sacct_job_keep(job, &cell[SACCT_EXITCODE]);
}

/* ---- When ------------------------------------------------------------------------------------ */

struct times {
	sl_time submit, eligible, start, end, elapsed, suspended;
};

static bool is_nodes(const struct sacct_cell *cell)
{
	return cell->p && !sacct_is(cell, "None assigned") && !sacct_is(cell, "None") &&
	       !sacct_is(cell, "(null)") && !sacct_is(cell, "Unknown");
}

static int64_t difference(int64_t later, int64_t earlier)
{
	int64_t between;
	if (later == SL_NONE || earlier == SL_NONE || __builtin_sub_overflow(later, earlier, &between))
		return SL_NONE;
	return between;
}

static void sacct_job_times_in(
	struct sacct *s, struct sacct_job *job, const struct sacct_cell *cell, struct times *times)
{
	times->submit = date(s, job, &cell[SACCT_SUBMIT]);
	times->eligible = date(s, job, &cell[SACCT_ELIGIBLE]);
	times->start = date(s, job, &cell[SACCT_START]);
	times->end = date(s, job, &cell[SACCT_END]);
	times->suspended = duration(job, &cell[SACCT_SUSPENDED]);
	if (times->suspended == SL_NONE)
		times->suspended = 0;
	const struct sacct_cell *raw = &cell[SACCT_ELAPSEDRAW];
	if (!raw->p || !sl_get_micro(raw->p, raw->len, &times->elapsed) || times->elapsed < 0)
		times->elapsed = duration(job, &cell[SACCT_ELAPSED]);
}

/* A job that was cancelled while it waited may have a start, which is its end. */
static bool never_ran(
	const struct sacct_cell *cell, const struct times *times, const struct sacct_state *state)
{
	const bool nothing = times->elapsed == 0 || times->elapsed == SL_NONE;
	if ((times->start == SL_NONE && nothing) || (state && state->state == SL_PENDING))
		return true;
	if (is_nodes(&cell[SACCT_NODELIST]) || cell[SACCT_ALLOCTRES].p)
		return false;
	return nothing && state && state->ended && state->state != SL_COMPLETED && times->start == times->end;
}

static sl_time sacct_job_run_of(struct sacct *s, const struct times *times, bool runs)
{
	const sl_time hour = 3600 * SL_SECOND;
	const sl_time between = difference(times->end, times->start);
	sl_time held;
	const bool timed =
		!runs && between != SL_NONE && !__builtin_sub_overflow(between, times->suspended, &held);
	if (times->elapsed == SL_NONE)
		return timed && held >= 0 ? held : SL_NONE;
	const sl_time apart = timed ? difference(held, times->elapsed) : SL_NONE;
	if (apart == hour || apart == -hour)
		s->daylight++;
	return times->elapsed;
}

static void series_in(struct sacct *s, struct sacct_job *job, const struct sacct_cell *cell,
	const struct times *times, const struct sacct_state *state)
{
	struct sl_job_attributes *more = &job->job;
	int64_t *col = job->row.col;
	const bool waits = never_ran(cell, times, state);
	const bool runs = state && state->runs;
	col[SL_COL_SUBMIT] = times->submit;
	more->start_recorded = waits ? SL_NONE : times->start;
	more->end_recorded = runs ? SL_NONE : times->end;
	more->state_recorded = state ? state->state : SL_PENDING;
	more->attempts_recorded = waits ? 0 : 1;
	job->resizing = runs && state->ended == false && strcmp(state->name, "RESIZING") == 0;
	job->retry = state && state->retry && state->ended;
	more->censored = !waits && state && (runs || state->state == SL_TIMEOUT) && !job->resizing;
	if (state && state->status >= 0)
		col[SL_COL_STATUS] = (unsigned char)state->status;
	if (waits) {
		if (state && state->state == SL_CANCELLED)
			job->more.cancel = times->end;
		return;
	}
	const sl_time wait = difference(times->start, times->submit);
	col[SL_COL_WAIT] = wait < 0 ? SL_NONE : wait;
	col[SL_COL_RUN] = sacct_job_run_of(s, times, runs);
}

/* ---- Its limit, and what it waited for --------------------------------------------------------- */

static void limit_in(struct sacct_job *job, const struct sacct_cell *cell)
{
	int64_t minutes = sacct_number(&cell[SACCT_TIMELIMITRAW]);
	if (minutes != SL_NONE && minutes < INT64_C(10000000000))
		job->row.col[SL_COL_LIMIT] = minutes * 60 * SL_SECOND;
	else
		job->row.col[SL_COL_LIMIT] = duration(job, &cell[SACCT_TIMELIMIT]);
}

/* What it waited for before it could be started. A dependency says so itself; a task of an array of which
 * only so many run at a time is eligible when its turn comes, which is for the policy to find. */
static void eligible_in(struct sacct_job *job, const struct sacct_cell *cell, const struct times *times)
{
	struct sl_job_attributes *more = &job->job;
	const bool started = more->start_recorded != SL_NONE;
	const struct sacct_cell *reason = &cell[SACCT_REASON];
	const bool ends_held = sacct_is(reason, "JobHeldUser") || sacct_is(reason, "JobHeldAdmin");
	if (times->eligible != SL_NONE && times->submit != SL_NONE && times->eligible > times->submit)
		(void)__builtin_sub_overflow(times->eligible, times->submit, &more->eligible_after_recorded);
	if (!started && (ends_held || more->held)) {
		more->held = true;
		more->begin = SL_NONE;
		return;
	}
	if (!more->dependency && more->array_limit == SL_NONE && times->eligible != SL_NONE &&
		times->eligible > times->submit && (started || times->eligible != times->end))
		more->begin = times->eligible;
	if (more->held && more->begin == SL_NONE)
		more->begin = more->start_recorded; /* When it was let go nobody says; it was by then. */
}

/* Records of several clusters (sacct -L): one machine is not theirs, and their numbers repeat. */
static void cluster_in(struct sacct *s, const struct sacct_cell *cell)
{
	const size_t len = cell->p && cell->len < sizeof(s->cluster) ? cell->len : 0;
	if (!len)
		return;
	if (!*s->cluster)
		memcpy(s->cluster, cell->p, len); /* The rest is zero from the beginning. */
	else if (strlen(s->cluster) != len || memcmp(s->cluster, cell->p, len) != 0)
		s->elsewhere++;
}

int sacct_job_in(struct sacct *s, const struct sacct_cells *cells, bool *take)
{
	struct sacct_job *job = &s->next;
	const struct sacct_cell *cell = cells->cell;
	struct times times;
	int status;
	job_clear(job);
	job->repair = cells->repair;
	job->row.line = cells->line;
	*take = ids_in(s, job, cells, &status);
	if (!*take)
		return status;
	const struct sacct_state *state = sacct_state_of(&cell[SACCT_STATE]);
	if (cell[SACCT_STATE].p && !state) {
		*take = false;
		return sacct_drop(s, no_state, cells->line);
	}
	cluster_in(s, &cell[SACCT_CLUSTER]);
	names_in(job, cell);
	sacct_job_times_in(s, job, cell, &times);
	series_in(s, job, cell, &times, state);
	limit_in(job, cell);
	if (is_nodes(&cell[SACCT_NODELIST]))
		job->job.nodes_recorded = sacct_job_keep(job, &cell[SACCT_NODELIST]);
	status = sacct_desc_in(s, job, cells);
	if (cells->array_limit > 0 && job->job.array_limit == SL_NONE)
		job->job.array_limit = cells->array_limit;
	eligible_in(job, cell, &times);
	if (!status && job->text.failed)
		status = sl_fail_memory(s->err);
	job->whole = true;
	return status;
}
