/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * squeue_record.c - a job as squeue or scontrol prints it becomes a record of accounting.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/squeue.h"

static const char no_times[] = "ended job without its start and end";
static const char tasks_cut[] = "array whose tasks are not all listed";

int squeue_begin(struct squeue *queue, const char *file, const struct sl_sink *sink, struct sl_err *err)
{
	*queue = (struct squeue){ .moment = SL_NONE };
	return sacct_begin(&queue->s, file, sink, err);
}

void squeue_release(struct squeue *queue)
{
	sacct_release(&queue->s);
	sacct_text_free(&queue->text);
	free(queue->limit);
}

int squeue_say(struct squeue *queue, const char *format, ...)
{
	const struct sl_place at = { queue->s.file, 0, 0 };
	char text[400];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct sl_sink *sink = queue->s.sink;
	return sink->ignored ? sink->ignored(sink->self, text, &at, queue->s.err) : SL_OK;
}

/* ---- Words --------------------------------------------------------------------------------------- */

bool squeue_is_none(const struct sacct_cell *cell)
{
	static const char *const words[] = { "(null)", "N/A", "n/a", "NULL", "(none)", "Unknown", "None" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (sacct_is(cell, words[i]))
			return true;
	return !cell->p || !cell->len;
}

const char *squeue_state(const struct sacct_cell *cell)
{
	static const char *const codes[][2] = { { "PD", "PENDING" }, { "R", "RUNNING" }, { "S", "SUSPENDED" },
		{ "CG", "COMPLETING" }, { "CF", "CONFIGURING" }, { "CD", "COMPLETED" }, { "CA", "CANCELLED" },
		{ "F", "FAILED" }, { "TO", "TIMEOUT" }, { "NF", "NODE_FAIL" }, { "PR", "PREEMPTED" },
		{ "BF", "BOOT_FAIL" }, { "DL", "DEADLINE" }, { "OOM", "OUT_OF_MEMORY" }, { "ST", "STOPPED" },
		{ "SI", "SIGNALING" }, { "SO", "STAGE_OUT" }, { "RS", "RESIZING" }, { "RV", "REVOKED" },
		{ "SE", "SPECIAL_EXIT" }, { "LF", "LAUNCH_FAILED" },
		/* They wait: again, or for what held them. */
		{ "RQ", "PENDING" }, { "RH", "PENDING" }, { "RD", "PENDING" }, { "RF", "PENDING" },
		{ "REQUEUED", "PENDING" }, { "REQUEUE_HOLD", "PENDING" }, { "RESV_DEL_HOLD", "PENDING" },
		{ "REQUEUE_FED", "PENDING" } };
	for (size_t i = 0; i < SL_LEN(codes); i++)
		if (sacct_is(cell, codes[i][0]))
			return codes[i][1];
	const struct sacct_state *state = sacct_state_of(cell);
	return state ? state->name : NULL;
}

static void set_text(struct sacct_cell *cell, const char *text)
{
	*cell = (struct sacct_cell){ text, text ? strlen(text) : 0 };
}

static void set_format(struct squeue *queue, struct sacct_cell *cell, const char *format, ...)
	SL_PRINTF(3, 4);
static void set_format(struct squeue *queue, struct sacct_cell *cell, const char *format, ...)
{
	char text[1200];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	set_text(cell, sacct_keep(&queue->text, text, strlen(text)));
}

/* Seconds as a date or duration is read: "12.5". */
static void set_time(struct squeue *queue, struct sacct_cell *cell, sl_time time)
{
	char text[40];
	*sl_put_micro(text, time) = '\0';
	set_text(cell, sacct_keep(&queue->text, text, strlen(text)));
}

/* "4K" is 4096; of "2-4" the first. */
static void plain_number(struct squeue *queue, struct sacct_cell *cell)
{
	int64_t value;
	size_t digits = 0;
	while (cell->p && digits < cell->len && sl_is_digit(cell->p[digits]))
		digits++;
	if (!digits || digits == cell->len || !sl_get_i64(cell->p, digits, &value))
		return;
	if (cell->p[digits] == 'K' && digits + 1 == cell->len && value < INT32_MAX)
		set_format(queue, cell, "%" PRId64, value * 1024);
	else if (cell->p[digits] == '-')
		cell->len = digits;
}

/* ---- Its number ------------------------------------------------------------------------------------- */

/* squeue cuts "123_[4-9,17,20-30%2]" at the column's width: what is whole of it counts. */
static bool close_tasks(struct squeue *queue, struct sacct_cell *id)
{
	const char *open = id->p ? memchr(id->p, '[', id->len) : NULL;
	if (!open || memchr(open, ']', id->len - (size_t)(open - id->p)))
		return false;
	const char *end = id->p + id->len;
	const char *comma = end;
	while (comma > open && *comma != ',')
		comma--;
	if (comma > open)
		end = comma;
	set_format(queue, id, "%.*s]", (int)(end - id->p < 1000 ? end - id->p : 1000), id->p);
	return true;
}

static void compose_id(struct squeue *queue, struct sacct_cell *cell)
{
	struct sacct_cell *id = &cell[SACCT_JOBID];
	const struct sacct_cell *array = &cell[SQUEUE_ARRAY], *task = &cell[SQUEUE_TASK],
				*het = &cell[SQUEUE_HET], *offset = &cell[SQUEUE_OFFSET];
	const bool plain = id->p && strspn(id->p, "0123456789") >= id->len;
	if (!plain)
		return;
	const struct sacct_cell number = *id;
	bool several = false;
	for (size_t i = 0; task->p && i < task->len; i++)
		several |= !sl_is_digit(task->p[i]);
	cell[SACCT_JOBIDRAW] = number;
	if (task->p && array->p)
		set_format(queue, id, several ? "%.*s_[%.*s]" : "%.*s_%.*s", (int)array->len, array->p,
			(int)(task->len < 1000 ? task->len : 1000), task->p);
	else if (het->p && offset->p && !sacct_is(het, "0"))
		set_format(queue, id, "%.*s+%.*s", (int)het->len, het->p, (int)offset->len, offset->p);
}

/* The number before '_', or of a column of its own; what is behind '%' of its tasks. SL_NONE: there is none.
 */
static struct squeue_limit limit_of(const struct sacct_cell *cell)
{
	const struct sacct_cell *id = &cell[SACCT_JOBID], *array = &cell[SQUEUE_ARRAY];
	const bool composed = id->p && memchr(id->p, '_', id->len);
	const struct sacct_cell *of = composed ? id : array, *tasks = composed ? id : &cell[SQUEUE_TASK];
	struct squeue_limit limit = { SL_NONE, SL_NONE };
	size_t digits = 0;
	while (of->p && digits < of->len && sl_is_digit(of->p[digits]))
		digits++;
	if (!digits || !sl_get_i64(of->p, digits, &limit.array))
		return (struct squeue_limit){ SL_NONE, SL_NONE };
	const char *percent = tasks->p ? memchr(tasks->p, '%', tasks->len) : NULL;
	const char *end = percent ? tasks->p + tasks->len : NULL;
	digits = 0;
	while (percent && percent + 1 + digits < end && sl_is_digit(percent[1 + digits]))
		digits++;
	/* A number at the end of a column may be cut. */
	const bool whole = digits && (!composed || percent + 1 + digits < end);
	if (!whole || !sl_get_i64(percent + 1, digits, &limit.tasks))
		limit.tasks = SL_NONE;
	return limit;
}

int squeue_limit_note(struct squeue *queue, const struct squeue_record *record)
{
	const struct squeue_limit limit = limit_of(record->cell);
	if (limit.array == SL_NONE || limit.tasks == SL_NONE)
		return SL_OK;
	if (queue->limits == queue->limit_capacity) {
		const size_t capacity = queue->limit_capacity ? 2 * queue->limit_capacity : 64;
		struct squeue_limit *more = realloc(queue->limit, capacity * sizeof(*more));
		if (!more)
			return sl_fail_memory(queue->s.err);
		queue->limit = more;
		queue->limit_capacity = capacity;
	}
	queue->limit[queue->limits++] = limit;
	return SL_OK;
}

static int by_array(const void *a, const void *b)
{
	const struct squeue_limit *x = a;
	const struct squeue_limit *y = b;
	if (x->array != y->array)
		return x->array < y->array ? -1 : 1;
	return (x->tasks > y->tasks) - (x->tasks < y->tasks);
}

void squeue_limits_noted(struct squeue *queue)
{
	if (queue->limits)
		qsort(queue->limit, queue->limits, sizeof(*queue->limit), by_array);
}

/* 0: it has none, or none is said. */
static int64_t array_limit(const struct squeue *queue, const struct sacct_cell *cell)
{
	const int64_t said = sacct_number(&cell[SQUEUE_THROTTLE]);
	const struct squeue_limit own = limit_of(cell);
	size_t from = 0;
	size_t to = queue->limits;
	if (said != SL_NONE)
		return said;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (queue->limit[middle].array < own.array)
			from = middle + 1;
		else
			to = middle;
	}
	return from < queue->limits && queue->limit[from].array == own.array ? queue->limit[from].tasks : 0;
}

/* ---- When --------------------------------------------------------------------------------------------- */

static sl_time time_of(struct squeue *queue, const struct sacct_cell *cell)
{
	sl_time time;
	return sacct_date(&queue->s, cell, &time) ? time : SL_NONE;
}

static sl_time span_of(const struct sacct_cell *cell)
{
	sl_time time;
	return sacct_duration(cell, &time) ? time : SL_NONE;
}

/* Who runs began so long before the moment; who waits did so, and who says neither begins to wait then. */
static void settle_times(struct squeue *queue, struct sacct_cell *cell, const struct sacct_state *state)
{
	const bool waits = state->state == SL_PENDING;
	const sl_time moment = queue->moment;
	const sl_time pending = sacct_number(&cell[SQUEUE_PENDING]);
	sl_time elapsed = waits ? SL_NONE : span_of(&cell[SACCT_ELAPSED]);
	if (waits)
		set_text(&cell[SACCT_START], NULL);
	if (waits || state->runs)
		set_text(&cell[SACCT_END], NULL);
	if (waits)
		set_text(&cell[SACCT_ELAPSED], NULL);
	sl_time start = time_of(queue, &cell[SACCT_START]);
	if (state->runs && start == SL_NONE && moment != SL_NONE && elapsed != SL_NONE)
		set_time(queue, &cell[SACCT_START], start = moment - elapsed);
	if (state->runs && start != SL_NONE && moment != SL_NONE && elapsed == SL_NONE && moment >= start) {
		elapsed = moment - start;
		set_time(queue, &cell[SACCT_ELAPSEDRAW], elapsed);
	}
	const sl_time until = waits ? moment : start;
	if (time_of(queue, &cell[SACCT_SUBMIT]) != SL_NONE || until == SL_NONE)
		return;
	const bool known = pending != SL_NONE && pending < INT32_MAX;
	set_time(queue, &cell[SACCT_SUBMIT], known ? until - pending * SL_SECOND : until);
}

static void settle_limit(struct squeue *queue, struct sacct_cell *cell)
{
	const sl_time left = span_of(&cell[SQUEUE_LEFT]);
	const sl_time elapsed = span_of(&cell[SACCT_ELAPSED]);
	if (!squeue_is_none(&cell[SACCT_TIMELIMIT]) || left == SL_NONE)
		return;
	const sl_time limit = (left + (elapsed == SL_NONE ? 0 : elapsed)) / SL_SECOND;
	set_format(queue, &cell[SACCT_TIMELIMIT], "%" PRId64 ":%02d:%02d", limit / 3600,
		(int)(limit / 60 % 60), (int)(limit % 60));
}

/* ---- What it asks ----------------------------------------------------------------------------------------
 */

/* "gres/gpu:a100:2", "gres:gpu:2" or "gres/gpu=2", as sbatch takes it: "gpu:a100:2". */
static void plain_gres(struct squeue *queue, struct sacct_cell *cell)
{
	char text[1000];
	size_t len = 0;
	for (size_t i = 0; cell->p && i < cell->len && len + 1 < sizeof(text); i++) {
		const bool begins = i == 0 || cell->p[i - 1] == ',';
		if (begins && cell->len - i > 5 && memcmp(cell->p + i, "gres", 4) == 0 &&
			(cell->p[i + 4] == '/' || cell->p[i + 4] == ':'))
			i += 5;
		text[len++] = (char)(cell->p[i] == '=' ? ':' : cell->p[i]);
	}
	if (len)
		set_text(cell, sacct_keep(&queue->text, text, len));
}

static void settle_asks(struct squeue *queue, struct sacct_cell *cell, bool waits)
{
	plain_number(queue, &cell[SACCT_NNODES]);
	plain_number(queue, &cell[SACCT_REQCPUS]);
	plain_gres(queue, &cell[SACCT_GRES]);
	struct sacct_cell *tres = &cell[waits ? SACCT_REQTRES : SACCT_ALLOCTRES];
	if (!tres->p)
		*tres = cell[SQUEUE_TRES];
	const struct sacct_cell *per_cpu = &cell[SQUEUE_MEM_CPU];
	const struct sacct_cell *per_node =
		cell[SQUEUE_MEM_NODE].p ? &cell[SQUEUE_MEM_NODE] : &cell[SQUEUE_MEM];
	if (per_cpu->p && !sacct_is(per_cpu, "0"))
		set_format(queue, &cell[SACCT_REQMEM], "%.*sc", (int)(per_cpu->len & 255), per_cpu->p);
	else if (per_node->p && !sacct_is(per_node, "0"))
		set_format(queue, &cell[SACCT_REQMEM], "%.*sn", (int)(per_node->len & 255), per_node->p);
}

/* "(Priority)" is a reason, all else a list of nodes. */
static void settle_nodes(struct sacct_cell *cell)
{
	struct sacct_cell both = cell[SQUEUE_NODES_OR_REASON];
	if (!both.p)
		return;
	if (*both.p != '(') {
		cell[SACCT_NODELIST] = both;
		return;
	}
	both.p++;
	both.len--;
	if (both.len && both.p[both.len - 1] == ')')
		both.len--;
	cell[SACCT_REASON] = both;
}

/* Held: by words of Slurm's that say so, or for ever by a dependency. */
static void settle_reason(struct squeue *queue, struct sacct_cell *cell)
{
	static const char *const held[] = { "launch failed requeued held", "job requeued in held state",
		"JobHoldMaxRequeue", "DependencyNeverSatisfied", "user env retrieval failed requeued held" };
	for (size_t i = 0; i < SL_LEN(held); i++)
		if (sacct_is(&cell[SACCT_REASON], held[i]))
			set_text(&cell[SACCT_REASON], "JobHeldAdmin");
	/* slurmctld prints as its start when it may begin, and later ones that it expects. */
	if (sacct_is(&cell[SACCT_REASON], "BeginTime") && !cell[SACCT_ELIGIBLE].p)
		cell[SACCT_ELIGIBLE] = cell[SACCT_START];
	queue->unsaid_dependency += sacct_is(&cell[SACCT_REASON], "Dependency") && !cell[SACCT_DEPENDENCY].p;
	queue->unsaid_begin += sacct_is(&cell[SACCT_REASON], "BeginTime") && !cell[SACCT_ELIGIBLE].p;
}

int squeue_put(struct squeue *queue, struct squeue_record *record)
{
	struct sacct_cell *cell = record->cell;
	sacct_text_clear(&queue->text);
	for (size_t i = 0; i < SQUEUE_COLUMNS; i++)
		if (i != SACCT_JOBNAME && squeue_is_none(&cell[i]))
			set_text(&cell[i], NULL);
	const char *name = squeue_state(&cell[SACCT_STATE]);
	if (name)
		set_text(&cell[SACCT_STATE], name);
	else if (!cell[SACCT_STATE].p)
		set_text(&cell[SACCT_STATE], "PENDING"); /* A list that does not say it: all wait. */
	if (close_tasks(queue, &cell[SACCT_JOBID]))
		record->repair = tasks_cut;
	compose_id(queue, cell);
	settle_nodes(cell);
	settle_reason(queue, cell);
	const struct sacct_state *state = sacct_state_of(&cell[SACCT_STATE]);
	if (state) {
		settle_times(queue, cell, state);
		settle_limit(queue, cell);
		settle_asks(queue, cell, state->state == SL_PENDING);
		queue->running += state->runs;
		queue->waiting += state->state == SL_PENDING;
		if (state->ended && (!cell[SACCT_START].p || !cell[SACCT_END].p))
			return sacct_drop(&queue->s, no_times, record->line);
	}
	struct sacct_cells cells = {
		.line = record->line, .repair = record->repair, .array_limit = array_limit(queue, cell)
	};
	memcpy(cells.cell, cell, sizeof(cells.cell));
	if (queue->text.failed)
		return sl_fail_memory(queue->s.err);
	return sacct_record(&queue->s, &cells);
}

/* ---- The line of a date -----------------------------------------------------------------------------------
 */

struct words_of_date {
	int64_t day, month, year;
	const char *time;
	bool afternoon, morning;
};

static void date_word(struct words_of_date *date, const char *word, size_t len)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t number;
	for (int i = 0; i < 12 && len == 3; i++)
		if (memcmp(word, months + 3 * (size_t)i, 3) == 0)
			date->month = i + 1;
	if (len == 8 && word[2] == ':' && word[5] == ':')
		date->time = word;
	else if (len <= 2 && sl_get_i64(word, len, &number))
		date->day = number;
	else if (len == 4 && sl_get_i64(word, len, &number))
		date->year = number;
	else if (len == 2 && memcmp(word, "PM", 2) == 0)
		date->afternoon = true;
	else if (len == 2 && memcmp(word, "AM", 2) == 0)
		date->morning = true;
}

bool squeue_date(const char *p, const char *end, sl_time *moment)
{
	struct words_of_date date = { 0 };
	char text[32];
	while (end > p && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (end - p >= 19 && end - p <= 35 && sl_is_digit(*p))
		return sl_get_date(p, 19, moment);
	if (end - p > 64)
		return false;
	while (p < end) {
		const char *stop = p;
		while (stop < end && *stop != ' ')
			stop++;
		if (stop > p)
			date_word(&date, p, (size_t)(stop - p));
		p = stop + (stop < end);
	}
	if (!date.time || date.day < 1 || date.day > 31 || !date.month || date.year < 1970 ||
		date.year > 9999 || !sl_is_digit(date.time[0]) || !sl_is_digit(date.time[1]))
		return false;
	int hour = (date.time[0] - '0') * 10 + (date.time[1] - '0');
	if (date.afternoon && hour < 12)
		hour += 12;
	else if (date.morning && hour == 12)
		hour = 0;
	const int len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d%.6s", (int)date.year,
		(int)date.month, (int)date.day, hour, date.time + 2);
	return sl_get_date(text, (size_t)len, moment);
}
