/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * squeue_table.c - the text of squeue: a table, in the default format, -l, --start, -o and -O, by the names
 * in its header.
 *
 * With a separator in the header (-o "%i|%P|%j") rows are parted at it; else at blanks. Names and reasons may
 * hold blanks, and cells may be empty: what a column holds says where it is (sacct_repair.c), or else where
 * its header stands. Of several listings (-i) the last is read.
 *
 * When it was printed says a line above the table (as squeue -l has one), or else who runs, by start and
 * time; where nothing does, times count from the start of the job that has run longest.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/squeue.h"

enum { COLUMNS_MAX = 128, ROW_MAX = 1 << 16, SHORTEST_CUT = 5 };

static const char short_row[] = "fewer fields than columns, and no telling which";
static const char wide_row[] = "more fields than columns, and no telling which";
static const char long_row[] = "row of more than 64 KiB";

struct heading {
	const char *name;
	uint8_t column; /* enum sacct_column, enum squeue_column */
	uint8_t kind;   /* enum sacct_kind */
};

/* As src/squeue/print.c of Slurm heads them, for -o and -O; in the order in which a name that was cut is
 * taken for one. */
static const struct heading names[] = {
	{ "JOBID", SACCT_JOBID, SACCT_ID },
	{ "PARTITION", SACCT_PARTITION, SACCT_ANY },
	{ "NAME", SACCT_JOBNAME, SACCT_TEXT },
	{ "USER", SACCT_USER, SACCT_ANY },
	{ "UID", SACCT_UID, SACCT_NUMBER },
	{ "ACCOUNT", SACCT_ACCOUNT, SACCT_ANY },
	{ "QOS", SACCT_QOS, SACCT_ANY },
	{ "ST", SACCT_STATE, SACCT_STATE_WORD },
	{ "STATE", SACCT_STATE, SACCT_STATE_WORD },
	{ "TIME", SACCT_ELAPSED, SACCT_DURATION },
	{ "TIME_LIMIT", SACCT_TIMELIMIT, SACCT_DURATION },
	{ "TIME_LEFT", SQUEUE_LEFT, SACCT_DURATION },
	{ "NODES", SACCT_NNODES, SACCT_NUMBER },
	{ "CPUS", SACCT_REQCPUS, SACCT_NUMBER },
	{ "NODELIST(REASON)", SQUEUE_NODES_OR_REASON, SACCT_TEXT },
	{ "NODELIST", SACCT_NODELIST, SACCT_ANY },
	{ "REASON", SACCT_REASON, SACCT_TEXT },
	{ "SUBMIT_TIME", SACCT_SUBMIT, SACCT_DATE },
	{ "ELIGIBLE_TIME", SACCT_ELIGIBLE, SACCT_DATE },
	{ "START_TIME", SACCT_START, SACCT_DATE },
	{ "END_TIME", SACCT_END, SACCT_DATE },
	{ "PENDING_TIME", SQUEUE_PENDING, SACCT_NUMBER },
	{ "MIN_MEMORY", SQUEUE_MEM, SACCT_ANY },
	{ "TRES_ALLOC", SQUEUE_TRES, SACCT_ANY },
	{ "TRES_PER_NODE", SACCT_GRES, SACCT_ANY },
	{ "GRES", SACCT_GRES, SACCT_ANY },
	{ "FEATURES", SACCT_CONSTRAINTS, SACCT_ANY },
	{ "RESERVATION", SACCT_RESERVATION, SACCT_ANY },
	{ "DEPENDENCY", SACCT_DEPENDENCY, SACCT_ANY },
	{ "ARRAY_JOB_ID", SQUEUE_ARRAY, SACCT_ANY },
	{ "ARRAY_TASK_ID", SQUEUE_TASK, SACCT_ANY },
	{ "HET_JOB_ID", SQUEUE_HET, SACCT_ANY },
	{ "HET_JOB_OFFSET", SQUEUE_OFFSET, SACCT_ANY },
	{ "TASKS", SACCT_TASKS, SACCT_NUMBER },
	{ "CPUS_PER_TASK", SACCT_CPUS_PER_TASK, SACCT_ANY },
	/* They say nothing here. */
	{ "SCHEDNODES", SQUEUE_OTHER, SACCT_ANY },
	{ "PRIORITY", SQUEUE_OTHER, SACCT_ANY },
	{ "GROUP", SQUEUE_OTHER, SACCT_ANY },
	{ "EXEC_HOST", SQUEUE_OTHER, SACCT_ANY },
	{ "BATCH_HOST", SQUEUE_OTHER, SACCT_ANY },
	{ "MIN_CPUS", SQUEUE_OTHER, SACCT_ANY },
	{ "MIN_TMP_DISK", SQUEUE_OTHER, SACCT_ANY },
	{ "REQ_NODES", SQUEUE_OTHER, SACCT_ANY },
	{ "EXC_NODES", SQUEUE_OTHER, SACCT_ANY },
	{ "OVER_SUBSCRIBE", SQUEUE_OTHER, SACCT_ANY },
	{ "S:C:T", SQUEUE_OTHER, SACCT_ANY },
	{ "SOCKETS_PER_NODE", SQUEUE_OTHER, SACCT_ANY },
	{ "CORES_PER_SOCKET", SQUEUE_OTHER, SACCT_ANY },
	{ "THREADS_PER_CORE", SQUEUE_OTHER, SACCT_ANY },
	{ "CONTIGUOUS", SQUEUE_OTHER, SACCT_ANY },
	{ "CORE_SPEC", SQUEUE_OTHER, SACCT_ANY },
	{ "LICENSES", SQUEUE_OTHER, SACCT_ANY },
	{ "WCKEY", SQUEUE_OTHER, SACCT_ANY },
	{ "CLUSTER", SACCT_CLUSTER, SACCT_ANY },
	{ "COMMENT", SQUEUE_OTHER, SACCT_TEXT },
	{ "COMMAND", SQUEUE_OTHER, SACCT_TEXT },
	{ "WORK_DIR", SQUEUE_OTHER, SACCT_TEXT },
	{ NULL, SQUEUE_OTHER, SACCT_ANY },
};

struct table_column {
	size_t from, to; /* Of its header, from the line's beginning. */
	uint8_t column, kind;
	uint64_t full; /* Cells that fill its whole width: they may be cut. */
};

struct queue_table {
	struct squeue queue;
	struct table_column column[COLUMNS_MAX];
	size_t columns;
	char separator; /* ' ': columns of blanks. */
	bool closed;    /* Each line ends with a separator. */
	bool has[SQUEUE_COLUMNS + 1];
	uint8_t kind[COLUMNS_MAX], cost[COLUMNS_MAX];
	char row[ROW_MAX + 64]; /* With one separator between fields. */
	const char *field[COLUMNS_MAX + SACCT_EXCESS_MAX + 2];
	size_t fields;
	uint32_t first[COLUMNS_MAX];
	struct squeue_record record;
};

/* ---- The header ------------------------------------------------------------------------------------- */

static const struct heading *name_of(const char *p, size_t len)
{
	const struct heading *name = names;
	for (; name->name; name++)
		if (strlen(name->name) == len && memcmp(name->name, p, len) == 0)
			return name;
	if (len >= SHORTEST_CUT)
		for (name = names; name->name; name++)
			if (strlen(name->name) > len && memcmp(name->name, p, len) == 0)
				return name;
	return &names[SL_LEN(names) - 1];
}

/* Of words of capitals, with a number of the job's: the separator; 0: the line is no header. */
static char separator_of(const char *p, const char *end)
{
	static const char separators[] = "|;,\t";
	size_t known = 0;
	bool id = false;
	char separator = ' ';
	for (const char *c = p; c < end && separator == ' '; c++)
		if (strchr(separators, *c) && *c)
			separator = *c;
	while (p < end) {
		const char *stop = memchr(p, separator, (size_t)(end - p));
		const char *last = stop ? stop : end;
		const char *next = stop ? stop + 1 : end;
		while (p < last && *p == ' ')
			p++;
		while (last > p && last[-1] == ' ')
			last--;
		if (last > p) {
			const struct heading *name = name_of(p, (size_t)(last - p));
			known += name->name != NULL;
			id |= name->column == SACCT_JOBID || name->column == SQUEUE_ARRAY;
		}
		p = next;
	}
	return (char)(id && known >= 3 ? separator : 0);
}

static int header(struct queue_table *t, const char *p, const char *end, uint64_t line)
{
	const struct sl_place at = { t->queue.s.file, line, 1 };
	const char *begin = p;
	t->separator = separator_of(p, end);
	t->closed = end[-1] == t->separator;
	t->columns = 0;
	memset(t->has, 0, sizeof(t->has));
	while (p < end) {
		const char *stop = memchr(p, t->separator, (size_t)(end - p));
		const char *last = stop ? stop : end;
		const char *next = stop ? stop + 1 : end;
		if (last > p || t->separator != ' ') {
			while (p < last && *p == ' ')
				p++;
			while (last > p && last[-1] == ' ')
				last--;
			if (t->columns == COLUMNS_MAX)
				return sl_fail_at(t->queue.s.err, &at, "more than %d columns", COLUMNS_MAX);
			const struct heading *name = name_of(p, (size_t)(last - p));
			struct table_column *column = &t->column[t->columns];
			*column = (struct table_column){ (size_t)(p - begin), (size_t)(last - begin),
				name->column, name->kind, 0 };
			t->kind[t->columns] = name->kind;
			t->cost[t->columns++] = sacct_cost(name->column);
			t->has[name->column] = true;
		}
		p = next;
	}
	if (t->has[SACCT_JOBID] || t->has[SQUEUE_ARRAY])
		return SL_OK;
	return sl_fail_at(t->queue.s.err, &at, "no column JOBID: ask squeue for it, with -o %%i");
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* The row with one separator between fields, blanks around them gone; a list of tasks that was cut is closed,
 * so that it looks like a job's number. */
static bool part(struct queue_table *t, const char *p, const char *end)
{
	const size_t most = t->columns + SACCT_EXCESS_MAX;
	size_t len = 0;
	t->fields = 0;
	while (p < end || (t->separator != ' ' && !t->fields)) {
		const char *stop = memchr(p, t->separator, (size_t)(end - p));
		const char *last = stop ? stop : end;
		const char *next = stop ? stop + 1 : end;
		if (t->separator == ' ' && last == p) {
			p = next;
			continue;
		}
		while (p < last && *p == ' ')
			p++;
		while (last > p && last[-1] == ' ')
			last--;
		if (t->fields == most)
			return false;
		const size_t of = (size_t)(last - p);
		if (t->fields)
			t->row[len++] = t->separator;
		t->field[t->fields++] = t->row + len;
		memcpy(t->row + len, p, of);
		len += of;
		p = next;
	}
	if (t->separator != ' ' && !t->closed && t->fields < most && end[-1] == t->separator) {
		t->row[len++] = t->separator;
		t->field[t->fields++] = t->row + len; /* The last one is empty. */
	}
	t->field[t->fields] = t->row + len + 1;
	t->row[len] = '\0';
	return true;
}

static size_t length_of(const struct queue_table *t, size_t field)
{
	return (size_t)(t->field[field + 1] - t->field[field]) - 1;
}

static bool fits(uint8_t kind, const char *p, size_t len)
{
	if (kind == SACCT_ID)
		return len && sl_is_digit(*p);
	if (kind == SACCT_NUMBER && len > 1 && p[len - 1] == 'K')
		len--;
	return sacct_fits(kind, p, len);
}

static bool fits_one_by_one(const struct queue_table *t, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fits(t->kind[i], t->field[i], length_of(t, i)))
			return false;
	return true;
}

static void cell_in(struct queue_table *t, size_t column, const char *p, size_t len)
{
	const uint8_t to = t->column[column].column;
	if (to >= SQUEUE_COLUMNS || !len)
		return;
	struct sacct_cell *cell = &t->record.cell[to];
	/* Of two numbers of a job the one that says more. */
	if (to == SACCT_JOBID && cell->p && memchr(cell->p, '_', cell->len))
		return;
	*cell = (struct sacct_cell){ p, len };
}

/* Columns to the left begin where their header does; those to the right end there. */
static bool by_place(struct queue_table *t, const char *p, const char *end, bool left)
{
	const size_t len = (size_t)(end - p);
	for (size_t i = 0; i < t->columns; i++) {
		const size_t last = t->columns - 1;
		size_t from = left ? t->column[i].from : i ? t->column[i - 1].to : 0;
		size_t to = i == last ? len : left ? t->column[i + 1].from : t->column[i].to;
		to = to < len ? to : len;
		from = from < to ? from : to;
		/* A word that goes on beyond the column is of another format. */
		if (!left && from && from < len && p[from] != ' ' && p[from - 1] != ' ' && to > from)
			return false;
		while (from < to && p[from] == ' ')
			from++;
		while (to > from && p[to - 1] == ' ')
			to--;
		if (!fits(t->kind[i], p + from, to - from))
			return false;
		cell_in(t, i, p + from, to - from);
	}
	return true;
}

static void record_clear(struct queue_table *t, uint64_t line)
{
	t->record = (struct squeue_record){ .line = line };
}

/* A cell as wide as its column, which in columns to the right its header's end and that of the one before it
 * show. */
static void count_full(struct queue_table *t)
{
	const bool right = t->separator == ' ' && t->column[0].from > 0;
	for (size_t i = 1; right && i < t->columns; i++) {
		struct table_column *column = &t->column[i];
		const size_t width = column->to - t->column[i - 1].to - 1;
		const struct sacct_cell *cell =
			column->column < SQUEUE_COLUMNS ? &t->record.cell[column->column] : NULL;
		column->full += cell && cell->p && cell->len >= width;
	}
}

static const char *cells_of(struct queue_table *t, const char *p, const char *end, uint64_t line)
{
	if (end - p > ROW_MAX)
		return long_row;
	record_clear(t, line);
	if (!part(t, p, end))
		return wide_row;
	if (t->fields == t->columns && (t->separator != ' ' || fits_one_by_one(t, t->columns))) {
		for (size_t i = 0; i < t->columns; i++)
			cell_in(t, i, t->field[i], length_of(t, i));
		return NULL;
	}
	const struct sacct_fields fields = { t->field, t->fields, 1 };
	if (t->fields > t->columns && sacct_repair(t->kind, t->cost, t->columns, &fields, t->first)) {
		for (size_t i = 0; i < t->columns; i++) {
			const size_t behind = i + 1 < t->columns ? t->first[i + 1] : t->fields;
			cell_in(t, i, t->field[t->first[i]],
				(size_t)(t->field[behind] - t->field[t->first[i]]) - 1);
		}
		return NULL;
	}
	if (t->separator != ' ')
		return t->fields > t->columns ? wide_row : short_row;
	const bool left = t->column[0].from == 0;
	if (by_place(t, p, end, left))
		return NULL;
	record_clear(t, line);
	if (!left && by_place(t, p, end, true))
		return NULL;
	record_clear(t, line);
	if (t->fields > t->columns)
		return wide_row;
	/* The last ones are empty, as lists of nodes of jobs that wait. */
	for (size_t i = t->fields; i < t->columns; i++)
		if (t->kind[i] != SACCT_ANY && t->kind[i] != SACCT_TEXT)
			return short_row;
	if (t->fields == t->columns || !fits_one_by_one(t, t->fields))
		return short_row;
	for (size_t i = 0; i < t->fields; i++)
		cell_in(t, i, t->field[i], length_of(t, i));
	return NULL;
}

/* ---- When it was printed
 * ----------------------------------------------------------------------------------- */

static const char *line_end(const char *p, const char *end, const char **next)
{
	const char *stop = sacct_line_end(p, end);
	*next = stop < end ? stop + 1 : end;
	return stop > p && stop[-1] == '\r' ? stop - 1 : stop;
}

static bool is_blank(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p == end;
}

/* The last header, and the date above it. */
struct listing {
	const char *p;
	uint64_t line;
	sl_time moment;
	uint64_t clusters;
};

static void find_listing(const char *p, const char *end, struct listing *found)
{
	const char *next;
	uint64_t line = 1;
	sl_time moment = SL_NONE;
	*found = (struct listing){ .moment = SL_NONE };
	for (; p < end; p = next, line++) {
		const char *stop = line_end(p, end, &next);
		sl_time date;
		found->clusters += stop - p > 9 && memcmp(p, "CLUSTER: ", 9) == 0;
		/* A row has no word of the header. */
		if (separator_of(p, stop)) {
			found->p = p;
			found->line = line;
			found->moment = moment;
			moment = SL_NONE;
		} else if (squeue_date(p, stop, &date)) {
			moment = date;
		}
	}
}

/* Of who runs: when they started and how long they run; and of undated lists the longest. */
static void look_row(struct queue_table *t, sl_time *moment, sl_time *longest, bool *dated)
{
	const struct sacct_cell *cell = t->record.cell;
	const char *name = squeue_state(&cell[SACCT_STATE]);
	const bool runs = name && strcmp(name, "RUNNING") == 0;
	sl_time start, submit, elapsed;
	if (!sacct_date(&t->queue.s, &cell[SACCT_START], &start))
		start = SL_NONE;
	if (!sacct_date(&t->queue.s, &cell[SACCT_SUBMIT], &submit))
		submit = SL_NONE;
	if (!sacct_duration(&cell[SACCT_ELAPSED], &elapsed))
		elapsed = SL_NONE;
	*dated |= submit != SL_NONE || (runs && start != SL_NONE);
	if (elapsed != SL_NONE && elapsed > *longest)
		*longest = elapsed;
	sl_time known = runs && start != SL_NONE ? start : submit;
	if (runs && known != SL_NONE && elapsed > 0)
		known += elapsed;
	if (known != SL_NONE && known > *moment)
		*moment = known;
}

static int each_row(struct queue_table *t, const struct listing *from, const char *end,
	int (*each)(void *self, struct queue_table *t, const char *gone, uint64_t line), void *self)
{
	const char *next;
	uint64_t line = from->line + 1;
	(void)line_end(from->p, end, &next);
	for (const char *p = next; p < end; p = next, line++) {
		const char *stop = line_end(p, end, &next);
		if (is_blank(p, stop))
			continue;
		const char *gone = cells_of(t, p, stop, line);
		const int status = each(self, t, gone, line);
		if (status)
			return status;
	}
	return SL_OK;
}

struct look {
	sl_time moment, longest;
	bool dated;
};

static int on_look(void *self, struct queue_table *t, const char *gone, uint64_t line)
{
	struct look *look = self;
	(void)line;
	if (gone)
		return SL_OK;
	look_row(t, &look->moment, &look->longest, &look->dated);
	return squeue_limit_note(&t->queue, &t->record);
}

/* ---- The whole --------------------------------------------------------------------------------------------
 */

static int on_row(void *self, struct queue_table *t, const char *gone, uint64_t line)
{
	(void)self;
	if (gone)
		return sacct_drop(&t->queue.s, gone, line);
	count_full(t);
	return squeue_put(&t->queue, &t->record);
}

/* What the table does not say, and what is taken for it. */
static int say_silent(struct queue_table *t)
{
	struct squeue *queue = &t->queue;
	const bool cpus = t->has[SACCT_REQCPUS] || t->has[SQUEUE_TRES] || t->has[SACCT_TASKS];
	int status = SL_OK;
	if (queue->s.relative)
		status = squeue_say(queue,
			"squeue: when it was printed is not said: times count from the start of the job that has run longest (squeue -l says it)");
	if (!status && !t->has[SACCT_SUBMIT] && !t->has[SQUEUE_PENDING] && queue->waiting)
		status = squeue_say(queue,
			"squeue: no SUBMIT_TIME: jobs that wait have waited for no time, in the order of the list (squeue -O SubmitTime says it)");
	if (!status && !t->has[SACCT_TIMELIMIT] && !t->has[SQUEUE_LEFT])
		status = squeue_say(queue,
			"squeue: no TIME_LIMIT: jobs have their partition's default, if any (squeue -l says it)");
	if (!status && !cpus)
		status = squeue_say(queue,
			"squeue: no CPUS: jobs have one task of one cpu a node (squeue -o %%C says it)");
	if (!status && t->has[SQUEUE_MEM] && !t->has[SQUEUE_TRES])
		status = squeue_say(queue,
			"squeue: MIN_MEMORY is taken for that of a node: of jobs with --mem-per-cpu it is a cpu's");
	if (!status && !queue->running && t->has[SACCT_START])
		status = squeue_say(queue,
			"squeue: nobody in it runs: --start lists who waits alone (squeue -l lists all)");
	if (!status && queue->unsaid_dependency)
		status = squeue_say(queue,
			"squeue: %llu job%s for (Dependency), and which is not said: such jobs count as free to start (squeue -o %%E says it)",
			(unsigned long long)queue->unsaid_dependency,
			queue->unsaid_dependency == 1 ? " waits" : "s wait");
	if (!status && queue->unsaid_begin)
		status = squeue_say(queue,
			"squeue: %llu job%s for (BeginTime), and which is not said: such jobs count as free to start (squeue -O EligibleTime says it)",
			(unsigned long long)queue->unsaid_begin,
			queue->unsaid_begin == 1 ? " waits" : "s wait");
	for (size_t i = 0; i < t->columns && !status; i++) {
		const uint8_t to = t->column[i].column;
		if (t->column[i].full && (to == SACCT_USER || to == SACCT_PARTITION || to == SACCT_ACCOUNT))
			status = squeue_say(queue,
				"squeue: %s of %llu job%s as wide as its column: it may be cut (squeue -o %%.30P or the like is wider)",
				to == SACCT_USER        ? "USER"
				: to == SACCT_PARTITION ? "PARTITION"
							: "ACCOUNT",
				(unsigned long long)t->column[i].full,
				t->column[i].full == 1 ? " is" : "s are");
	}
	return status;
}

static int read_table(struct queue_table *t, const char *p, const char *end)
{
	struct listing from;
	struct look look = { SL_NONE, 0, false };
	find_listing(p, end, &from);
	const struct sl_place at = { t->queue.s.file, 1, 1 };
	if (!from.p)
		return sl_fail_at(t->queue.s.err, &at, "no header of squeue: leave out -h (--noheader)");
	if (from.clusters > 1)
		return sl_fail_at(
			t->queue.s.err, &at, "queues of several clusters: ask squeue for one, with -M");
	const char *next;
	const char *stop = line_end(from.p, end, &next);
	int status = header(t, from.p, stop, from.line);
	if (!status)
		status = each_row(t, &from, end, on_look, &look);
	if (status)
		return status;
	squeue_limits_noted(&t->queue);
	t->queue.s.relative = from.moment == SL_NONE && !look.dated;
	t->queue.moment = from.moment != SL_NONE ? from.moment : look.dated ? look.moment : look.longest;
	status = each_row(t, &from, end, on_row, NULL);
	return status ? status : say_silent(t);
}

static int table_read_all(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct queue_table *t = calloc(1, sizeof(*t));
	if (!t)
		return sl_fail_memory(err);
	const char *text = NULL;
	const char *end = NULL;
	int status = squeue_begin(&t->queue, sl_input_name(in), sink, err);
	if (!status)
		status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = read_table(t, text, end);
	if (!status)
		status = sacct_end(&t->queue.s);
	squeue_release(&t->queue);
	free(t);
	return status;
}

/* A header of squeue's names, under a date, a cluster or an empty line at most. */
static int table_sniff(const char *text, size_t len)
{
	const char *end = text + len;
	const char *next;
	for (int i = 0; i < 4 && text < end; i++, text = next) {
		const char *stop = line_end(text, end, &next);
		sl_time date;
		if (separator_of(text, stop))
			return 97;
		if (!is_blank(text, stop) && !squeue_date(text, stop, &date) &&
			!(stop - text > 9 && memcmp(text, "CLUSTER: ", 9) == 0))
			return 0;
	}
	return 0;
}

const struct sl_reader squeue_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "squeue",
	.summary = "Slurm's queue as text: squeue, -l, --start, -o and -O with a header",
	.sniff = table_sniff,
	.read = table_read_all,
};
