/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_judge.c - the third stage of a row: is it an anomaly, could its request ever fit on the cluster, and is
 * it one of those that are replayed?
 *
 * In:  struct row_read (the row as replay.change left it, its id, whether that was there before).
 * Out: struct row_judged: the cause for which it is dropped, if any; the anomaly for which it counts as
 * repaired, if any; and as what it is replayed: size, run time, limit.
 *
 * A row has one cause, the first in the order of this file. Whether it could fit on the cluster is decided by
 * scenario_request.c.
 */
#include "sim/scenario/row.h"

/* SL_NONE is not positive either. */
static int64_t row_judge_size_of(const struct loading *loading, const struct sl_row *row)
{
	const int64_t asked = row->col[SL_COL_REQ_CPUS];
	const int64_t got = row->col[SL_COL_CPUS];
	switch (loading->scenario->replay[REPLAY_SIZE].number) {
	case SIZE_ALLOCATED:
		return got > 0 ? got : asked;
	case SIZE_LARGER:
		return got > asked ? got : asked;
	default:
		return asked > 0 ? asked : got;
	}
}

static bool is_cancelled(const struct sl_row *row)
{
	return row->more && row->more->cancel && row->more->cancel != SL_NONE;
}

/* As recorded, or as replay.run_times, or replay.run_unknown, where nothing is. Who was cancelled before it
 * ran would have run up to its limit, for all that is known; without a limit, until it was cancelled,
 * whenever it starts. */
static int64_t row_judge_run_of(const struct loading *loading, const struct sl_row *row)
{
	const int64_t run = row->col[SL_COL_RUN];
	const sl_time submit = row->col[SL_COL_SUBMIT];
	int64_t until;
	if (run == SL_NONE && is_cancelled(row) && row->col[SL_COL_LIMIT] > 0)
		return row->col[SL_COL_LIMIT];
	if (run == SL_NONE && is_cancelled(row) && submit != SL_NONE &&
		!__builtin_sub_overflow(row->more->cancel, submit, &until))
		return until > SL_SECOND ? until : SL_SECOND;
	if (run != SL_NONE)
		return run;
	const sl_time given = run_times_of(loading, row);
	return given != SL_NONE ? given : loading->scenario->replay[REPLAY_RUN_UNKNOWN].number;
}

/* Why the row cannot stay; CAUSE_COUNT: it can, but for its request. */
static enum cause row_judge_cause(const struct row_read *read, int64_t run)
{
	const int64_t *col = read->row->col;
	if (read->id == SL_NONE)
		return CAUSE_NO_ID;
	if (read->repeated) /* Lines with status 2, 3 and 4 are the parts of a job whose summary came before.
			     */
		return col[SL_COL_STATUS] >= 2 && col[SL_COL_STATUS] <= 4 ? CAUSE_PARTIAL : CAUSE_REPEATED;
	if (col[SL_COL_SUBMIT] == SL_NONE)
		return CAUSE_NO_SUBMIT;
	return run <= 0 ? CAUSE_RUN : CAUSE_COUNT;
}

/* The same of its request. */
static int judge_desc(struct loading *loading, const struct sl_row *row, struct desc *desc, enum cause *cause,
	struct sl_err *err)
{
	const struct scenario *scenario = loading->scenario;
	const int64_t size = row_judge_size_of(loading, row);
	if (row->more || scenario->cluster.node_count)
		return desc_judge(loading, row, size, desc, cause, err);
	/* Where no cluster is given (cpus 0) the bound is the column's. */
	const int64_t cpus = scenario->cpus ? scenario->cpus : INT32_MAX;
	*desc = (struct desc){ .size = (int32_t)size };
	if (size <= 0)
		*cause = CAUSE_SIZE;
	else
		*cause = size > cpus ? CAUSE_LARGE : CAUSE_COUNT;
	return SL_OK;
}

/* As the policy sees it. */
static int64_t row_judge_limit_of(const struct loading *loading, const struct row_judged *judged)
{
	const struct sl_row *row = judged->row;
	const int64_t run = judged->run;
	const int64_t asked = row->col[SL_COL_LIMIT] > 0 ? row->col[SL_COL_LIMIT] : run;
	const int64_t limit = asked < SL_TIME_MOST ? asked : SL_TIME_MOST;
	/* Neither known, and a run time is given for such rows: it requested nothing, if that is no reason to
	 * cut it. */
	if (row->col[SL_COL_LIMIT] <= 0 && row->col[SL_COL_RUN] == SL_NONE &&
		loading->scenario->replay[REPLAY_RUN_UNKNOWN].text &&
		loading->scenario->overrun == SL_OVERRUN_EXTEND)
		return 1;
	return loading->scenario->overrun == SL_OVERRUN_RAISE && limit < run ? run : limit;
}

/* The line before came later: counted, unless something else was amiss with this row before that. A row that
 * a reader reports after later lines (a job whose records lie apart) has its place where its line stands. */
static enum cause repair_of(struct loading *loading, const struct sl_row *row, bool rounded)
{
	const sl_time submit = row->col[SL_COL_SUBMIT];
	const bool in_place = row->line >= loading->line_last;
	const bool late = in_place && submit < loading->submit_last && submit != SL_NONE;
	if (in_place && submit != SL_NONE)
		loading->submit_last = submit;
	if (in_place)
		loading->line_last = row->line;
	if (loading->repair_line == row->line)
		return loading->repair;
	if (row->col[SL_COL_RUN] == SL_NONE && !is_cancelled(row) && run_times_of(loading, row) == SL_NONE)
		return CAUSE_NO_RUN; /* Else it was dropped. */
	if (rounded)
		return CAUSE_FRACTION;
	return late ? CAUSE_ORDER : CAUSE_COUNT;
}

static bool is_selected(const struct loading *loading, const struct row_judged *judged)
{
	const int64_t *col = judged->row->col;
	const sl_time submit = col[SL_COL_SUBMIT];
	if (loading->dated || (submit >= loading->from && submit < loading->to))
		return true;
	return loading->scenario->replay[REPLAY_START].number &&
	       begin_reaches(loading, submit, col[SL_COL_WAIT], judged->run, judged->limit);
}

/* As a job without a limit gets its partition's: who looks on sees what the row says. */
static void take_limit(struct loading *loading, struct row_judged *judged)
{
	const struct sl_row *row = judged->row;
	const sl_time limit = row->col[SL_COL_LIMIT];
	if (judged->desc.limit <= 0 || (limit > 0 && limit < SL_NEVER / 2))
		return;
	judged->timed = *row;
	judged->timed.col[SL_COL_LIMIT] = judged->desc.limit;
	judged->row = &judged->timed;
	judged->run = row_judge_run_of(loading, judged->row); /* It may be up to that limit. */
}

int row_judge(
	struct loading *loading, const struct row_read *read, struct row_judged *judged, struct sl_err *err)
{
	judged->row = read->row;
	judged->id = read->id;
	judged->run = row_judge_run_of(loading, read->row);
	judged->dropped = row_judge_cause(read, judged->run);
	loading->run_unknown += judged->dropped == CAUSE_RUN && read->row->col[SL_COL_RUN] == SL_NONE &&
				read->row->more && read->row->more->job && read->row->more->job->manifest;
	judged->desc.rounded = judged->selected = false;
	const int status = judged->dropped < CAUSE_COUNT
				   ? SL_OK
				   : judge_desc(loading, read->row, &judged->desc, &judged->dropped, err);
	if (status)
		return status;
	judged->anomaly = repair_of(loading, read->row, judged->desc.rounded);
	judged->stays = judged->dropped == CAUSE_COUNT;
	if (!judged->stays)
		return SL_OK;
	take_limit(loading, judged);
	judged->limit = row_judge_limit_of(loading, judged);
	judged->selected = is_selected(loading, judged);
	loading->waits_of_any |= read->row->col[SL_COL_WAIT] > 0;
	return SL_OK;
}
