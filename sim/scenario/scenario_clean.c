/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_clean.c - rows of a trace become jobs: what makes no sense is dropped or repaired, and counted.
 *
 * A row is counted under its first cause only, in the order of `judge`; so rows
 * are the jobs that stay, those dropped, and those not selected. Whether an id
 * was seen costs one comparison while ids ascend; at the first that does not, a
 * set of all ids so far is made.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

static const struct {
	const char *text;
	bool dropped; /* Else repaired. */
} causes[CAUSE_COUNT] = {
	/* Of readers, who name them by their text... */
	[CAUSE_FEW] = { "fewer than 18 fields", true },
	[CAUSE_MANY] = { "more than 18 fields", false },
	[CAUSE_SHORT] = { "fewer fields than columns", true },
	[CAUSE_LONG] = { "more fields than columns", false },
	[CAUSE_FRACTION] = { "fractional count rounded up", false },
	[CAUSE_UNREADABLE] = { "unreadable optional field", false },
	[CAUSE_PROFILE] = { "profile of another type than delay", true },
	[CAUSE_SURPLUS] = { "more fields than columns, and no telling which", true },
	[CAUSE_MENDED] = { "separators or line ends in a name", false },
	[CAUSE_STATE] = { "state is none of Slurm's", true },
	[CAUSE_ARRAY] = { "array with more tasks than can be read", true },
	[CAUSE_ARRAY_CUT] = { "array whose tasks are not all listed", false },
	/* ...and found here. */
	[CAUSE_NO_ID] = { "job number is unknown", true },
	[CAUSE_REPEATED] = { "repeated id", true },
	[CAUSE_PARTIAL] = { "partial execution line", true },
	[CAUSE_NO_SUBMIT] = { "submit time is unknown", true },
	[CAUSE_RUN] = { "run time is not positive", true },
	[CAUSE_SIZE] = { "size is not positive", true },
	[CAUSE_GPU_PARTS] = { "asks parts of several GPUs", true },
	[CAUSE_BOUNDS] = { "bounds that contradict each other", true },
	[CAUSE_LACKS] = { "asks for what the cluster has not", true },
	[CAUSE_LARGE] = { "larger than the machine", true },
	[CAUSE_PARTITION] = { "asks for a partition that there is not", true },
	[CAUSE_PARTITION_DOWN] = { "its partition is down, drained or inactive", true },
	[CAUSE_TIME] = { "asks for more time than its partition allows", true },
	[CAUSE_NODE_COUNT] = { "asks for more or fewer nodes than its partition allows", true },
	[CAUSE_UNKNOWN_NODE] = { "names nodes that there are not", true },
	[CAUSE_FEATURE] = { "asks for a feature that no node has", true },
	[CAUSE_RESERVATION] = { "asks for a reservation that there is not, or is not for it", true },
	[CAUSE_SET] = { "larger than the nodes that it may use", true },
	[CAUSE_DOWN] = { "needs nodes that are down", true },
	[CAUSE_SETS] = { "bound to one set of nodes too many", true },
	[CAUSE_NO_RUN] = { "unknown run time set", false },
	[CAUSE_ORDER] = { "out of order", false },
	/* Of those that stay, when all are known. */
	[CAUSE_DEPENDENCY] = { "unreadable dependency left out", false },
	[CAUSE_UNKNOWN_JOB] = { "dependency on a job that is not in the trace", false },
	[CAUSE_NOT_BEFORE] = { "follows a job that is not in the replay: submitted as recorded", false },
	[CAUSE_LATER] = { "follows itself or a job further down: submitted as recorded", false },
	/* On purpose. */
	[CAUSE_LEFT_OUT] = { "left out by replay.drop", true },
	[CAUSE_CHANGED] = { "changed by replay.change", false },
};

static void tally_add(struct loading *loading, enum cause cause, uint64_t line)
{
	struct tally *tally = &loading->tally[cause];
	if (!tally->count++)
		tally->line = line;
}

static int fail_strict(enum cause cause, const struct sl_place *at, struct sl_err *err)
{
	return sl_fail_at(err, at, "%s: mend the line, or run without --strict", causes[cause].text);
}

/* ---- Ids ------------------------------------------------------------------------ */

static int unkept_add(struct loading *loading, int64_t id, struct sl_err *err)
{
	const int status = SL_GROW(loading->unkept, loading->unkept_capacity, loading->unkept_count + 1, err);
	if (!status)
		loading->unkept[loading->unkept_count++] = id;
	return status;
}

static int seen_build(struct loading *loading, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	const int64_t *id = column_i64(columns, COLUMN_ID);
	bool fresh;
	int status = intset_reserve(
		&loading->seen, (size_t)columns->count + loading->unkept_count + columns->count / 4, err);
	for (uint32_t row = 0; row < columns->count && !status; row++)
		status = intset_add(&loading->seen, id[row], &fresh, err);
	for (size_t i = 0; i < loading->unkept_count && !status; i++)
		status = intset_add(&loading->seen, loading->unkept[i], &fresh, err);
	return status;
}

int cleaning_know_ids(struct loading *loading, struct sl_err *err)
{
	return loading->seen.capacity ? SL_OK : seen_build(loading, err);
}

/* An id that does not ascend, or any one after the first such. */
static int id_check(struct loading *loading, int64_t id, bool *repeated, struct sl_err *err)
{
	bool fresh;
	int status = loading->seen.capacity ? SL_OK : seen_build(loading, err);
	if (!status)
		status = intset_add(&loading->seen, id, &fresh, err);
	*repeated = !status && !fresh;
	return status;
}

/* ---- Rows -------------------------------------------------------------------------- */

/* SL_NONE is not positive either. */
static int64_t size_of(const struct loading *loading, const struct sl_row *row)
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

/* As recorded, or replay.run_unknown where nothing is. Who was cancelled before it ran would have run up to
 * its limit, for all that is known; where nobody says a limit, until it was cancelled, whenever it starts. */
static int64_t run_of(const struct loading *loading, const struct sl_row *row)
{
	const int64_t run = row->col[SL_COL_RUN];
	const sl_time submit = row->col[SL_COL_SUBMIT];
	int64_t until;
	if (run == SL_NONE && is_cancelled(row) && row->col[SL_COL_LIMIT] > 0)
		return row->col[SL_COL_LIMIT];
	if (run == SL_NONE && is_cancelled(row) && submit != SL_NONE &&
		!__builtin_sub_overflow(row->more->cancel, submit, &until))
		return until > SL_SECOND ? until : SL_SECOND;
	return run == SL_NONE ? loading->scenario->replay[REPLAY_RUN_UNKNOWN].number : run;
}

/* Why the row cannot stay; CAUSE_COUNT: it can, but for what it asks. */
static enum cause judge(const struct loading *loading, const struct sl_row *row, int64_t id, bool repeated)
{
	const int64_t *col = row->col;
	if (id == SL_NONE)
		return CAUSE_NO_ID;
	if (repeated) /* Lines 2, 3 and 4 are the parts of a job whose summary came before. */
		return col[SL_COL_STATUS] >= 2 && col[SL_COL_STATUS] <= 4 ? CAUSE_PARTIAL : CAUSE_REPEATED;
	if (col[SL_COL_SUBMIT] == SL_NONE)
		return CAUSE_NO_SUBMIT;
	return run_of(loading, row) <= 0 ? CAUSE_RUN : CAUSE_COUNT;
}

/* The same of what it asks. */
static int judge_ask(struct loading *loading, const struct sl_row *row, struct ask *ask, enum cause *cause,
	struct sl_err *err)
{
	const struct scenario *scenario = loading->scenario;
	const int64_t size = size_of(loading, row);
	if (row->more || scenario->cluster.node_count)
		return ask_judge(loading, row, size, ask, cause, err);
	/* Where nobody asks for a machine (cpus 0) the bound is the column's. */
	const int64_t cpus = scenario->cpus ? scenario->cpus : INT32_MAX;
	*ask = (struct ask){ .size = (int32_t)size };
	if (size <= 0)
		*cause = CAUSE_SIZE;
	else
		*cause = size > cpus ? CAUSE_LARGE : CAUSE_COUNT;
	return SL_OK;
}

static int32_t narrow(int64_t value) { return value < 0 || value > INT32_MAX ? -1 : (int32_t)value; }

/* Of SWF, nearly always: bare numbers, and no name before. */
static void keep_numbers(const struct columns *columns, uint32_t at, const int64_t *col)
{
	column_i32(columns, COLUMN_USER)[at] = narrow(col[SL_COL_USER]);
	column_i32(columns, COLUMN_ACCOUNT)[at] = narrow(col[SL_COL_GROUP]);
	column_i32(columns, COLUMN_PARTITION)[at] = narrow(col[SL_COL_PARTITION]);
}

static int keep_names(struct loading *loading, const struct sl_row *row, struct sl_err *err)
{
	static const struct sl_row_more nothing;
	const struct sl_row_more *more = row->more ? row->more : &nothing;
	const int64_t *col = row->col;
	int status = named_keep(loading, NAMED_USER, col[SL_COL_USER], more->user, err);
	if (!status)
		status = named_keep(loading, NAMED_ACCOUNT, col[SL_COL_GROUP], more->account, err);
	if (!status)
		status = named_keep(loading, NAMED_PARTITION, col[SL_COL_PARTITION], more->partition, err);
	if (!status && more->gang)
		status = columns_want(loading->scenario->columns, COLUMN_GANG, err);
	if (!status && loading->scenario->columns->at[COLUMN_GANG])
		status = named_keep(loading, NAMED_GANG, SL_NONE, more->gang, err);
	loading->named |= more->user || more->account || more->partition || more->gang;
	return status;
}

/* How active its GPUs were; a share beyond one is one. */
static int keep_active(const struct loading *loading, const struct sl_row *row, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const int64_t *active = row->more ? row->more->gpu_active : NULL;
	const bool known = active && *active >= 0;
	const int status = known ? columns_want(columns, COLUMN_GPU_ACTIVE, err) : SL_OK;
	if (status || !columns->at[COLUMN_GPU_ACTIVE])
		return status;
	const int64_t most = SL_SECOND; /* A million of millionths. */
	column_i32(columns, COLUMN_GPU_ACTIVE)[columns->count - 1] =
		!known ? -1 : (int32_t)(*active < most ? *active : most);
	return SL_OK;
}

static int keep_request(struct loading *loading, uint32_t at, const struct ask *ask, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	uint32_t request;
	int status = columns_want(loading->scenario->columns, COLUMN_REQUEST, err);
	if (!status)
		status = ask_keep(loading, ask, &request, err);
	if (!status)
		column_i32(columns, COLUMN_REQUEST)[at] = (int32_t)request;
	return status;
}

/* As the policy sees it. */
static int64_t limit_of(const struct loading *loading, const struct sl_row *row)
{
	const int64_t run = run_of(loading, row);
	const int64_t asked = row->col[SL_COL_LIMIT] > 0 ? row->col[SL_COL_LIMIT] : run;
	const int64_t limit = asked < SL_TIME_MOST ? asked : SL_TIME_MOST;
	/* Neither known, and a run time is given for such rows: it asked for nothing, if that is no reason to
	 * cut it. */
	if (row->col[SL_COL_LIMIT] <= 0 && row->col[SL_COL_RUN] == SL_NONE &&
		loading->scenario->replay[REPLAY_RUN_UNKNOWN].text &&
		loading->scenario->overrun == SL_OVERRUN_EXTEND)
		return 1;
	return loading->scenario->overrun == SL_OVERRUN_RAISE && limit < run ? run : limit;
}

/* Who runs over his limit, and who has none, so that plans know his end exactly: counted by limits_count. */
static int keep_limit_kind(const struct loading *loading, const struct sl_row *row, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const int64_t limit = row->col[SL_COL_LIMIT];
	const enum limit_kind kind = limit <= 0                     ? LIMIT_NONE
				     : limit < run_of(loading, row) ? LIMIT_OVER
								    : LIMIT_KEPT;
	const int status = kind == LIMIT_KEPT ? SL_OK : columns_want(columns, COLUMN_LIMIT_KIND, err);
	if (!status && columns->at[COLUMN_LIMIT_KIND])
		column_i32(columns, COLUMN_LIMIT_KIND)[columns->count - 1] = (int32_t)kind;
	return status;
}

/* Once it is settled who is replayed. */
void limits_count(struct scenario *scenario)
{
	struct columns *columns = scenario->columns;
	const int32_t *kind = column_i32(columns, COLUMN_LIMIT_KIND);
	for (uint32_t row = 0; kind && row < columns->count; row++) {
		scenario->limits_over += kind[row] == LIMIT_OVER;
		scenario->limits_none += kind[row] == LIMIT_NONE;
	}
}

bool scenario_exceeds_limit(const struct scenario *scenario, uint32_t row)
{
	const int32_t *kind = column_i32(scenario->columns, COLUMN_LIMIT_KIND);
	return kind && kind[row] == LIMIT_OVER;
}

bool scenario_had_no_limit(const struct scenario *scenario, uint32_t row)
{
	const int32_t *kind = column_i32(scenario->columns, COLUMN_LIMIT_KIND);
	return kind && kind[row] == LIMIT_NONE;
}

static bool is_selected(const struct loading *loading, const struct sl_row *row)
{
	const sl_time submit = row->col[SL_COL_SUBMIT];
	if (loading->dated || (submit >= loading->from && submit < loading->to))
		return true;
	return loading->scenario->replay[REPLAY_START].number && submit != SL_NONE &&
	       begin_reaches(
		       loading, submit, row->col[SL_COL_WAIT], run_of(loading, row), limit_of(loading, row));
}

/* Of replay.feedback: whom it follows, and how long after. */
static int keep_previous(struct loading *loading, uint32_t at, const int64_t *col, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const sl_time most = INT64_MAX / 4;
	int status = columns_want(columns, COLUMN_PREV, err);
	if (!status)
		status = columns_want(columns, COLUMN_THINK, err);
	if (status)
		return status;
	const sl_time think = col[SL_COL_THINK] < most ? col[SL_COL_THINK] : most;
	column_i64(columns, COLUMN_PREV)[at] = col[SL_COL_PREV];
	column_i64(columns, COLUMN_THINK)[at] = think;
	loading->run_total += think > 0 ? think : 0;
	return SL_OK;
}

static int keep(struct loading *loading, const struct sl_row *row, int64_t id, const struct ask *ask,
	struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const int64_t *col = row->col;
	int status = columns_reserve(columns, err);
	if (!status && col[SL_COL_WAIT] != SL_NONE && !columns->at[COLUMN_WAIT])
		status = columns_want(columns, COLUMN_WAIT, err);
	if (status)
		return status;
	const int64_t run = run_of(loading, row);
	const sl_time submit = col[SL_COL_SUBMIT];
	const uint32_t at = columns->count++;
	columns->unsorted |= submit < loading->kept_last;
	loading->kept_last = submit;
	loading->run_total += run;
	column_i64(columns, COLUMN_ID)[at] = id;
	column_i64(columns, COLUMN_SUBMIT)[at] = submit;
	column_i64(columns, COLUMN_RUN)[at] = run;
	column_i64(columns, COLUMN_LIMIT)[at] = limit_of(loading, row);
	if (columns->at[COLUMN_WAIT])
		column_i64(columns, COLUMN_WAIT)[at] = col[SL_COL_WAIT];
	column_i32(columns, COLUMN_SIZE)[at] = ask->size;
	loading->waits |= col[SL_COL_WAIT] > 0;
	if (loading->scenario->replay[REPLAY_FEEDBACK].number)
		status = keep_previous(loading, at, col, err);
	if (!status && loading->scenario->cluster.node_count)
		status = keep_request(loading, at, ask, err);
	if (!status)
		status = keep_limit_kind(loading, row, err);
	if (!status)
		status = keep_active(loading, row, err);
	if (!status && (row->more || loading->mores))
		status = more_keep(loading, row, err);
	if (!status && (row->more || loading->profile_rule || loading->profiles))
		status = profile_keep(loading, row, ask->gpus, err);
	if (status || row->more || loading->named)
		return status ? status : keep_names(loading, row, err);
	keep_numbers(columns, at, col);
	return SL_OK;
}

/* The line before came later: counted, unless something else was amiss with this row before that. A row that
 * a reader tells behind later lines (a job whose records lie apart) has its place where its line stands. */
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
	if (row->col[SL_COL_RUN] == SL_NONE && !is_cancelled(row))
		return CAUSE_NO_RUN; /* Else it was dropped. */
	if (rounded)
		return CAUSE_FRACTION;
	return late ? CAUSE_ORDER : CAUSE_COUNT;
}

static int tell_watch(
	const struct loading *loading, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	const struct scenario_watch *watch = loading->options->watch;
	return watch && watch->row ? watch->row(watch->self, row, gone, err) : SL_OK;
}

/* The row's number; of a name, one of its own below zero. */
static int id_of(struct loading *loading, const struct sl_row *row, int64_t *id, struct sl_err *err)
{
	const char *name = row->more ? row->more->id : NULL;
	uint32_t index;
	*id = row->col[SL_COL_ID];
	if (!name)
		return SL_OK;
	const int status = names_add(
		&loading->names[NAMED_ID], loading->scenario->arena, name, strlen(name), &index, err);
	*id = -1 - (int64_t)index;
	return status;
}

static int check_strict(
	const struct loading *loading, const struct sl_row *row, enum cause cause, struct sl_err *err)
{
	const struct sl_place at = { loading->file, row->line, 0 };
	return loading->options->strict ? fail_strict(cause, &at, err) : SL_OK;
}

/* A row that makes sense or not: into the columns, or counted. */
static int take_row(
	struct loading *loading, const struct sl_row *row, int64_t id, bool repeated, struct sl_err *err)
{
	struct ask ask = { 0 };
	enum cause cause = judge(loading, row, id, repeated);
	int status = cause < CAUSE_COUNT ? SL_OK : judge_ask(loading, row, &ask, &cause, err);
	if (status)
		return status;
	const bool dropped = cause < CAUSE_COUNT;
	const enum cause repair = repair_of(loading, row, ask.rounded);
	if (!dropped)
		cause = repair;
	if (cause < CAUSE_COUNT) {
		status = check_strict(loading, row, cause, err);
		if (status)
			return status;
		tally_add(loading, cause, row->line);
	}
	/* As a job without a limit gets its partition's; who looks on sees what the row says. */
	struct sl_row timed;
	const struct sl_row *kept = row;
	if (!dropped && ask.limit > 0 &&
		(row->col[SL_COL_LIMIT] <= 0 || row->col[SL_COL_LIMIT] >= SL_NEVER / 2)) {
		timed = *row;
		timed.col[SL_COL_LIMIT] = ask.limit;
		kept = &timed;
	}
	const bool selected = is_selected(loading, kept);
	loading->waits_of_any |= !dropped && row->col[SL_COL_WAIT] > 0;
	const char *gone = selected ? NULL : "not selected";
	status = tell_watch(loading, row, dropped ? causes[cause].text : gone, err);
	if (status)
		return status;
	if (!dropped && selected)
		return keep(loading, kept, id, &ask, err);
	loading->outside += !dropped;
	const bool ascends = id != SL_NONE && id == loading->id_last && !loading->seen.capacity;
	return ascends ? unkept_add(loading, id, err) : SL_OK;
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct loading *loading = self;
	int status = loading->settled ? SL_OK : loading_settle(loading, err);
	int64_t id = SL_NONE;
	if (!status)
		status = id_of(loading, row, &id, err);
	if (status)
		return status;
	loading->scenario->rows++;
	const bool ascends = id > loading->id_last && !loading->seen.capacity;
	bool repeated = false;
	if (ascends)
		loading->id_last = id;
	else if (id != SL_NONE)
		status = id_check(loading, id, &repeated, err);
	if (status)
		return status;
	if (loading->options->stop && atomic_load_explicit(loading->options->stop, memory_order_relaxed))
		return sl_fail(err, SL_INTERRUPTED, "%s: interrupted while it was read", loading->file);
	const sl_time submit = row->col[SL_COL_SUBMIT];
	if (loading->dated && submit != SL_NONE && submit < loading->submit_first)
		loading->submit_first = submit;
	if (loading->changing)
		status = changes_apply(loading, &row, id, err);
	return status ? status : take_row(loading, row, id, repeated, err);
}

static int on_oddity(void *self, const char *text, const struct sl_place *at, struct sl_err *err)
{
	struct loading *loading = self;
	enum cause cause = 0;
	while (cause < CAUSE_COUNT && strcmp(causes[cause].text, text) != 0)
		cause++;
	SL_CHECK(cause < CAUSE_COUNT); /* A reader's cause has its line in the table. */
	if (loading->options->strict)
		return fail_strict(cause, at, err);
	if (causes[cause].dropped) {
		loading->scenario->rows++;
		tally_add(loading, cause, at->line);
	} else {
		loading->repair = cause;
		loading->repair_line = at->line;
	}
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	struct loading *loading = self;
	struct scenario *scenario = loading->scenario;
	const struct scenario_watch *watch = loading->options->watch;
	const int status = watch && watch->header ? watch->header(watch->self, key, value, err) : SL_OK;
	if (status || !*key)
		return status;
	if (SL_GROW_IN(scenario->arena, scenario->header, loading->header_capacity,
		    scenario->header_count + 1, err))
		return SL_SYSTEM;
	struct header_line *line = &scenario->header[scenario->header_count];
	line->key = sl_strdup(scenario->arena, key, strlen(key));
	line->value = sl_strdup(scenario->arena, value, strlen(value));
	if (!line->key || !line->value)
		return sl_fail_memory(err);
	scenario->header_count++;
	return SL_OK;
}

static int on_dated(void *self, struct sl_err *err)
{
	struct loading *loading = self;
	(void)err;
	SL_CHECK(!loading->settled);
	loading->dated = true;
	return SL_OK;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	enum { SAID_MAX = 64 };
	(void)at;
	struct scenario *scenario = ((struct loading *)self)->scenario;
	if (!scenario->ignored)
		scenario->ignored = sl_alloc(scenario->arena, SAID_MAX, sizeof(*scenario->ignored));
	const char *copy = sl_strdup(scenario->arena, what, strlen(what));
	if (!scenario->ignored || !copy)
		return sl_fail_memory(err);
	if (scenario->ignored_count < SAID_MAX)
		scenario->ignored[scenario->ignored_count++] = copy;
	return SL_OK;
}

static int on_file(void *self, struct sl_input *in, struct sl_err *err)
{
	struct loading *loading = self;
	return side_add(&loading->files, loading->scenario, loading->scenario->input.path, "trace", in, err);
}

struct sl_sink cleaning_sink(struct loading *loading)
{
	return (struct sl_sink){ loading, on_job, on_header, on_oddity, on_dated, on_ignored, on_file };
}

/* ---- What came of it --------------------------------------------------------------- */

int cleaning_fail_nothing(const struct loading *loading, struct sl_err *err)
{
	char text[900] = "";
	size_t len = 0;
	if (!loading->scenario->rows)
		return sl_fail(err, SL_INPUT, "%s: has no jobs: give a trace with jobs", loading->file);
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		const struct tally *tally = &loading->tally[cause];
		if (!tally->count || !causes[cause].dropped)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%llu %s (line %llu)",
			len ? ", " : "", (unsigned long long)tally->count, causes[cause].text,
			(unsigned long long)tally->line);
	}
	if (loading->outside)
		(void)snprintf(text + len, sizeof(text) - len, "%s%llu not within replay.from and replay.to",
			len ? ", " : "", (unsigned long long)loading->outside);
	const bool lacks = loading->tally[CAUSE_LACKS].count && !loading->machine;
	return sl_fail(err, SL_INPUT, "%s: no job is left to run: of %llu, %s%s", loading->file,
		(unsigned long long)loading->scenario->rows, text,
		lacks ? ": give a cluster that has it, with -c CLUSTER" : "");
}

/* What came up, in the order of the table. */
static void list_oddities(struct loading *loading)
{
	struct scenario *scenario = loading->scenario;
	scenario->oddity_count = 0;
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		const struct tally *tally = &loading->tally[cause];
		if (tally->count)
			scenario->oddity[scenario->oddity_count++] = (struct oddity){ causes[cause].text,
				causes[cause].dropped, cause == CAUSE_LEFT_OUT || cause == CAUSE_CHANGED,
				cause >= CAUSE_LACKS && cause <= CAUSE_SETS, tally->count, tally->line };
	}
}

int cleaning_repair(struct loading *loading, enum cause cause, uint64_t line, struct sl_err *err)
{
	const struct sl_place at = { loading->file, line, 0 };
	if (loading->options->strict)
		return fail_strict(cause, &at, err);
	tally_add(loading, cause, line);
	list_oddities(loading);
	return SL_OK;
}

void cleaning_tell(struct loading *loading, enum cause cause, uint64_t count, uint64_t line)
{
	loading->tally[cause] = (struct tally){ count, line };
	list_oddities(loading);
}

int cleaning_finish(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	if (!scenario->columns->count)
		return cleaning_fail_nothing(loading, err);
	scenario->oddity = sl_alloc(scenario->arena, CAUSE_COUNT, sizeof(*scenario->oddity));
	if (!scenario->oddity)
		return sl_fail_memory(err);
	list_oddities(loading);
	/* A log without one positive wait did not record them. */
	if (!loading->waits)
		columns_drop(scenario->columns, COLUMN_WAIT);
	return SL_OK;
}

void cleaning_release(struct loading *loading)
{
	intset_release(&loading->seen);
	free(loading->unkept);
	free(loading->files.item);
	for (size_t i = 0; i < NAMED_COUNT; i++)
		names_release(&loading->names[i]);
	requests_free(loading->requests);
	more_free(loading->mores);
	changes_free(loading->changing);
	profiles_free(loading->profiles);
	free(loading->sheets.item);
	machine_free(loading->machine);
}
