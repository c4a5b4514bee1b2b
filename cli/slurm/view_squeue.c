/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_squeue.c - squeue: who waits, who runs, where and since when.
 *
 * Columns, order and folding of arrays follow squeue(1) of Slurm 22.05. Jobs that have ended are still there
 * for MinJobAge, as in Slurm.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/moment/view.h"

/* A job, or the waiting tasks of an array: rows of `task`, in their order. */
struct line {
	uint32_t job;
	const uint32_t *task;
	uint32_t task_count; /* 0: a job. */
};

/* ---- Fields --------------------------------------------------------------------------------- */

#define FIELD(name) static void name(struct cell *cell, const struct view *view, const void *line)
#define JOB         (((const struct line *)line)->job)
#define TEXT(text)  cell_put(cell, "%s", text)

static enum sl_state state_of(const struct view *view, const void *line) { return view_state(view, JOB); }

static bool waits(const struct view *view, const void *line) { return state_of(view, line) == SL_PENDING; }

/* "[3-6%2]" of an array's waiting tasks, at most 64 characters of it, as Slurm cuts it. */
static void put_tasks(struct cell *cell, const struct view *view, const struct line *line)
{
	enum { SHOWN = 64 };
	struct cell list = { 0 };
	const struct sl_job_more *more = view_more(view, line->job);
	for (uint32_t i = 0; i < line->task_count && list.len < SHOWN;) {
		const int64_t from = view_more(view, line->task[i])->array_task;
		int64_t to = from;
		for (i++; i < line->task_count && view_more(view, line->task[i])->array_task == to + 1; i++)
			to++;
		cell_put(&list, "%s%" PRId64, list.len ? "," : "", from);
		if (to > from)
			cell_put(&list, "-%" PRId64, to);
	}
	cell_put(cell, "[%.*s%s", SHOWN, list.text ? list.text : "", list.len > SHOWN ? "..." : "");
	if (more->array_limit != SL_NONE && more->array_limit > 0)
		cell_put(cell, "%%%" PRId64, more->array_limit);
	cell_put(cell, "]");
	cell_free(&list);
}

FIELD(put_id)
{
	const struct line *of = line;
	if (!of->task_count) {
		put_job_id(cell, view, of->job);
		return;
	}
	cell_put(cell, "%" PRId64 "_", view_array(view, of->job));
	put_tasks(cell, view, of);
}

FIELD(put_raw) { put_job_raw(cell, view, JOB); }

FIELD(put_array_job)
{
	const int64_t array = view_array(view, JOB);
	cell_put(cell, "%" PRId64, array != SL_NONE ? array : view->jobs->id[JOB]);
}

FIELD(put_array_task)
{
	const struct line *of = line;
	if (of->task_count)
		put_tasks(cell, view, of);
	else if (view_array(view, of->job) != SL_NONE)
		cell_put(cell, "%" PRId64, view_more(view, of->job)->array_task);
	else
		TEXT("N/A");
}

FIELD(put_part) { put_partition(cell, view, JOB); }
FIELD(put_owner) { put_user(cell, view, JOB, "unknown"); }
FIELD(put_acct) { put_account(cell, view, JOB, "(null)"); }

FIELD(put_uid)
{
	if (!view->jobs->user_count && view->jobs->user[JOB] >= 0)
		put_user(cell, view, JOB, "");
}

FIELD(put_name)
{
	const struct sl_job_more *more = view_more(view, JOB);
	TEXT(more && more->name ? more->name : "(null)");
}

FIELD(put_short) { TEXT(view_state_word(view, JOB, true)); }
FIELD(put_state) { TEXT(view_state_word(view, JOB, false)); }
FIELD(put_time) { put_span(cell, seconds_of(view_ran(view, JOB)), false); }
FIELD(put_time_limit) { put_limit(cell, view, JOB, false); }

FIELD(put_time_left)
{
	const sl_time end = view_limit_end(view, JOB);
	if (waits(view, line) || end == SL_NONE)
		put_limit(cell, view, JOB, false);
	else
		put_span(cell, seconds_of(view_limit(view, JOB)) - seconds_of(view_ran(view, JOB)), false);
}

FIELD(put_node_count) { cell_put(cell, "%" PRId64, view_job_nodes(view, JOB)); }
FIELD(put_cpus) { cell_put(cell, "%s", view_cpus(view, view_job_cpus(view, JOB)).text); }
FIELD(put_memory) { put_min_mem(cell, view, JOB); }
FIELD(put_gpus) { put_tres_per_node(cell, view, JOB, "N/A"); }
FIELD(put_alloc)
{
	if (!waits(view, line))
		put_tres(cell, view, JOB, false);
	else
		TEXT("N/A");
}

/* What squeue says in place of nodes, or beside them. */
static const char *reason_of(const struct view *view, uint32_t job)
{
	switch (view_state(view, job)) {
	case SL_PENDING:
		return sl_reason_name(view_reason(view, job));
	case SL_FAILED:
		return "NonZeroExitCode";
	case SL_TIMEOUT:
		return "TimeLimit";
	case SL_OUT_OF_MEMORY:
		return "OutOfMemory";
	case SL_NODE_FAIL:
		return "NodeDown";
	case SL_DEADLINE:
		return "DeadLine";
	case SL_RUNNING:
	case SL_SUSPENDED:
	case SL_COMPLETED:
	case SL_CANCELLED:
	case SL_PREEMPTED:
	case SL_BOOT_FAIL:
	case SL_STATE_COUNT:
		break;
	}
	return "None";
}

/* Of several words, which scontrol joins, with blanks. */
FIELD(put_reason)
{
	const size_t from = cell->len;
	TEXT(reason_of(view, JOB));
	for (size_t i = from; i < cell->len; i++)
		if (cell->text[i] == '_')
			cell->text[i] = ' ';
}
FIELD(put_where) { put_place(cell, view, view->place[JOB]); }

FIELD(put_where_or_why)
{
	const enum sl_state state = state_of(view, line);
	if (state == SL_PENDING || state == SL_TIMEOUT || state == SL_OUT_OF_MEMORY || state == SL_FAILED) {
		TEXT("(");
		put_reason(cell, view, line);
		TEXT(")");
	} else {
		put_place(cell, view, view->place[JOB]);
	}
}

FIELD(put_host)
{
	const struct view_place place = view->place[JOB];
	if (place.count && !waits(view, line))
		put_nodes(cell, view, &place.piece[0].node, 1);
	else
		TEXT("n/a");
}

/* A start that is promised counts as one. */
static sl_time start_of(const struct view *view, uint32_t job)
{
	const sl_time start = view_start(view, job);
	return start == SL_NONE && view->promise ? view->promise[job] : start;
}

FIELD(put_start)
{
	const sl_time start = start_of(view, JOB);
	if (start == SL_NONE || start == SL_NEVER)
		TEXT("N/A");
	else
		put_date(cell, view, start);
}

static sl_time end_of(const struct view *view, uint32_t job)
{
	if (view_ended(view, job))
		return view->result->end[job];
	return view_state(view, job) == SL_PENDING ? SL_NONE : view_limit_end(view, job);
}

FIELD(put_end)
{
	const sl_time end = end_of(view, JOB);
	if (end == SL_NONE)
		TEXT(waits(view, line) ? "N/A" : "NONE");
	else
		put_date(cell, view, end);
}

FIELD(put_submit) { put_date(cell, view, view_submit(view, JOB)); }
FIELD(put_eligible) { put_date(cell, view, view_eligible(view, JOB)); }

FIELD(put_pending)
{
	const sl_time start = view_start(view, JOB);
	const sl_time until = start != SL_NONE        ? start
			      : view_ended(view, JOB) ? view->result->end[JOB]
						      : view->now;
	cell_put(cell, "%" PRId64, seconds_of(until) - seconds_of(view->jobs->submit[JOB]));
}

FIELD(put_planned)
{
	if (view->planned && view->planned[JOB].count)
		put_place(cell, view, view->planned[JOB]);
	else
		TEXT("(null)");
}

FIELD(put_priority) { cell_put(cell, "%" PRIu32, view->priority[JOB]); }
FIELD(put_share_of_priority) { cell_put(cell, "%16.14f", (double)view->priority[JOB] / (double)UINT32_MAX); }

FIELD(put_qos)
{
	const struct sl_job_more *more = view_more(view, JOB);
	TEXT(more && more->qos ? more->qos : "(null)");
}

FIELD(put_depends)
{
	const struct sl_job_more *more = view_more(view, JOB);
	TEXT(more && more->dependency && *more->dependency ? more->dependency : "(null)");
}

FIELD(put_nice)
{
	const struct sl_job_more *more = view_more(view, JOB);
	cell_put(cell, "%" PRId64, more && more->nice != SL_NONE ? more->nice : 0);
}

/* What was asked in Slurm's words, a text each. */
#define ASKED(name, member)                                        \
	FIELD(name)                                                \
	{                                                          \
		const struct sl_ask *ask = view_ask(view, JOB);    \
		TEXT(ask && ask->member ? ask->member : "(null)"); \
	}
ASKED(put_constraint, constraint)
ASKED(put_nodelist_asked, nodelist)
ASKED(put_exclude, exclude)
ASKED(put_licenses, licenses)
ASKED(put_reservation, reservation)

FIELD(put_shares)
{
	const struct sl_ask *ask = view_ask(view, JOB);
	const struct sl_request *request = view_request(view, JOB);
	const bool alone = (ask && ask->exclusive == SL_EXCLUSIVE_NODE) ||
			   (request && request->group_count && request->group[0].exclusive);
	TEXT(alone ? "NO" : ask && ask->oversubscribe ? "YES" : "OK");
}

FIELD(put_contiguous)
{
	const struct sl_ask *ask = view_ask(view, JOB);
	TEXT(ask && ask->contiguous ? "1" : "0");
}

FIELD(put_task_count)
{
	const struct sl_request *request = view_request(view, JOB);
	int64_t tasks = request ? 0 : view_job_cpus(view, JOB);
	for (uint32_t i = 0; request && i < request->group_count; i++)
		tasks += request->group[i].tasks;
	cell_put(cell, "%" PRId64, tasks);
}

FIELD(put_cpus_per_task)
{
	const struct sl_request *request = view_request(view, JOB);
	const int64_t one = sl_parts(view->cluster->cpu_parts);
	const int64_t cpus = request && request->group_count ? request->group[0].task.cpus : one;
	cell_put(cell, "%s", view_cpus(view, cpus).text);
}

FIELD(put_command)
{
	const struct sl_job_more *more = view_more(view, JOB);
	TEXT(more && more->submit_line ? more->submit_line : "(null)");
}

/* What is the same for every job of ours. */
#define ALWAYS(name, text)  \
	FIELD(name)         \
	{                   \
		(void)view; \
		(void)line; \
		TEXT(text); \
	}
ALWAYS(put_any, "*")
ALWAYS(put_zero, "0")
ALWAYS(put_null, "(null)")
ALWAYS(put_topology, "*:*:*")
ALWAYS(put_no, "N/A")

static const struct view_field fields[] = {
	{ 'a', "Account", "ACCOUNT", put_acct, 0 },
	{ 'A', "JobID", "JOBID", put_raw, 0 },
	{ 'b', "tres-per-node", "TRES_PER_NODE", put_gpus, 0 },
	{ 'B', "BatchHost", "EXEC_HOST", put_host, 0 },
	{ 'c', "MinCpus", "MIN_CPUS", put_cpus_per_task, 0 },
	{ 'C', "NumCPUs", "CPUS", put_cpus, 0 },
	{ 'd', "MinTmpDisk", "MIN_TMP_DISK", put_zero, 0 },
	{ 'D', "NumNodes", "NODES", put_node_count, 0 },
	{ 'e', "EndTime", "END_TIME", put_end, 0 },
	{ 'E', "Dependency", "DEPENDENCY", put_depends, 0 },
	{ 'f', "Feature", "FEATURES", put_constraint, 0 },
	{ 'F', "ArrayJobID", "ARRAY_JOB_ID", put_array_job, 0 },
	{ 'g', "GroupName", "GROUP", NULL, 0 },
	{ 'G', "GroupID", "GROUP", NULL, 0 },
	{ 'h', "OverSubscribe", "OVER_SUBSCRIBE", put_shares, 0 },
	{ 'H', "SocketsPerNode", "SOCKETS_PER_NODE", put_any, 0 },
	{ 'i', "JobArrayID", "JOBID", put_id, 0 },
	{ 'I', "CoresPerSocket", "CORES_PER_SOCKET", put_any, 0 },
	{ 'j', "Name", "NAME", put_name, 0 },
	{ 'J', "ThreadsPerCore", "THREADS_PER_CORE", put_any, 0 },
	{ 'k', "Comment", "COMMENT", put_null, 0 },
	{ 'K', "ArrayTaskID", "ARRAY_TASK_ID", put_array_task, 0 },
	{ 'l', "TimeLimit", "TIME_LIMIT", put_time_limit, 0 },
	{ 'L', "TimeLeft", "TIME_LEFT", put_time_left, 0 },
	{ 'm', "MinMemory", "MIN_MEMORY", put_memory, 0 },
	{ 'M', "TimeUsed", "TIME", put_time, 0 },
	{ 'n', "ReqNodes", "REQ_NODES", put_nodelist_asked, 0 },
	{ 'N', "NodeList", "NODELIST", put_where, 0 },
	{ 'o', "Command", "COMMAND", put_command, 0 },
	{ 'O', "Contiguous", "CONTIGUOUS", put_contiguous, 0 },
	{ 'p', "Priority", "PRIORITY", put_share_of_priority, 0 },
	{ 'P', "Partition", "PARTITION", put_part, 0 },
	{ 'q', "QOS", "QOS", put_qos, 0 },
	{ 'Q', "PriorityLong", "PRIORITY", put_priority, 0 },
	{ 'r', "Reason", "REASON", put_reason, 0 },
	{ 'R', "ReasonList", "NODELIST(REASON)", put_where_or_why, 0 },
	{ 'S', "StartTime", "START_TIME", put_start, 0 },
	{ 't', "StateCompact", "ST", put_short, 0 },
	{ 'T', "State", "STATE", put_state, 0 },
	{ 'u', "UserName", "USER", put_owner, 0 },
	{ 'U', "UserID", "UID", put_uid, 0 },
	{ 'v', "Reservation", "RESERVATION", put_reservation, 0 },
	{ 'V', "SubmitTime", "SUBMIT_TIME", put_submit, 0 },
	{ 'w', "WCKey", "WCKEY", put_null, 0 },
	{ 'W', "Licenses", "LICENSES", put_licenses, 0 },
	{ 'x', "ExcNodes", "EXC_NODES", put_exclude, 0 },
	{ 'X', "CoreSpec", "CORE_SPEC", put_no, 0 },
	{ 'y', "Nice", "NICE", put_nice, 0 },
	{ 'Y', "SchedNodes", "SCHEDNODES", put_planned, 0 },
	{ 'z', "sct", "S:C:T", put_topology, 0 },
	{ 'Z', "WorkDir", "WORK_DIR", NULL, 0 },
	{ 0, "NumTasks", "TASKS", put_task_count, 0 },
	{ 0, "cpus-per-task", "CPUS_PER_TASK", put_cpus_per_task, 0 },
	{ 0, "tres-alloc", "TRES_ALLOC", put_alloc, 0 },
	{ 0, "EligibleTime", "ELIGIBLE_TIME", put_eligible, 0 },
	{ 0, "PendingTime", "PENDING_TIME", put_pending, 0 },
	{ 0, "Container", "CONTAINER", NULL, 0 },
	{ 0, "HetJobID", "HET_JOB_ID", put_no, 0 },
	{ 0, "exit_code", "EXIT_CODE", put_zero, 0 },
	{ 0, NULL, NULL, NULL, 0 },
};

/* ---- Which ------------------------------------------------------------------------------------ */

struct queue_view {
	const char *format, *format_long, *sort;
	bool heading, long_list, all_tasks, start;
	bool jobs_next; /* -j, and its list behind the options. */
	struct view_list users, partitions, states, jobs, accounts, qos, names, reservations;
	const char *hosts;
	bool *host; /* By node; NULL: any. */
	struct view view;
	struct line *line;
	size_t count;
};

/* How long a job that has ended is still known. */
static sl_time job_age(const struct view *view)
{
	enum { DEFAULT_S = 300 };
	const char *text = sl_setting_of(view->cluster, "cluster", "", "MinJobAge");
	int64_t seconds;
	return text && sl_get_i64(text, strlen(text), &seconds) && seconds >= 0 && seconds < UINT32_MAX
		       ? seconds * SL_SECOND
		       : DEFAULT_S * SL_SECOND;
}

static bool on_hosts(const struct queue_view *queue, uint32_t job)
{
	const struct view_place *place = &queue->view.place[job];
	for (size_t i = 0; i < place->count; i++)
		if (queue->host && queue->host[place->piece[i].node] && !view_ended(&queue->view, job))
			return true;
	return !queue->host;
}

static bool is_shown(const struct queue_view *queue, uint32_t job, sl_time age, struct cell *cell)
{
	const struct view *view = &queue->view;
	const struct line line = { .job = job };
	const enum sl_state state = view_state(view, job);
	if (queue->start && state != SL_PENDING)
		return false;
	if (view_ended(view, job) && (!queue->states.count || view->now - view->result->end[job] > age))
		return false;
	if (!list_has_state(&queue->states, state) || !list_has_job(&queue->jobs, view, job) ||
		!on_hosts(queue, job))
		return false;
	const struct {
		const struct view_list *list;
		void (*put)(struct cell *cell, const struct view *view, const void *line);
	} lists[] = {
		{ &queue->users, put_owner },
		{ &queue->partitions, put_part },
		{ &queue->accounts, put_acct },
		{ &queue->qos, put_qos },
		{ &queue->names, put_name },
		{ &queue->reservations, put_reservation },
	};
	for (size_t i = 0; i < SL_LEN(lists); i++) {
		if (!lists[i].list->count)
			continue;
		lists[i].put(cell, view, &line);
		if (!list_has_cell(lists[i].list, cell))
			return false;
	}
	return true;
}

static int gather(struct queue_view *queue, struct sl_err *err)
{
	struct view *view = &queue->view;
	const sl_time age = job_age(view);
	struct cell cell = { 0 };
	queue->line = sl_alloc(view->arena, view->submitted + 1U, sizeof(*queue->line));
	if (!queue->line)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < view->submitted; job++)
		if (is_shown(queue, job, age, &cell))
			queue->line[queue->count++] = (struct line){ .job = job };
	cell_free(&cell);
	return SL_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------------- */

/* Waiting tasks of an array stand together in `task`, by index. */
struct waiting {
	int64_t array, index;
	uint32_t line;
};

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting *x = a;
	const struct waiting *y = b;
	if (x->array != y->array)
		return (x->array > y->array) - (x->array < y->array);
	if (x->index != y->index)
		return (x->index > y->index) - (x->index < y->index);
	return (x->line > y->line) - (x->line < y->line);
}

/* The line of the first task stands for all; those of the others go. */
static int fold(struct queue_view *queue, struct sl_err *err)
{
	struct view *view = &queue->view;
	struct waiting *waiting = sl_alloc(view->arena, queue->count + 1, sizeof(*waiting));
	uint32_t *task = sl_alloc(view->arena, queue->count + 1, sizeof(*task));
	size_t count = 0;
	if (!waiting || !task)
		return sl_fail_memory(err);
	for (size_t i = 0; i < queue->count; i++) {
		const uint32_t job = queue->line[i].job;
		const int64_t array = view_array(view, job);
		if (array != SL_NONE && view_state(view, job) == SL_PENDING)
			waiting[count++] =
				(struct waiting){ array, view_more(view, job)->array_task, (uint32_t)i };
	}
	qsort(waiting, count, sizeof(*waiting), compare_waiting);
	for (size_t i = 0; i < count; i++)
		task[i] = queue->line[waiting[i].line].job;
	for (size_t i = 0; i < count;) {
		const size_t first = i;
		uint32_t line = waiting[i].line;
		for (; i < count && waiting[i].array == waiting[first].array; i++)
			line = waiting[i].line < line ? waiting[i].line : line;
		for (size_t k = first; k < i; k++)
			queue->line[waiting[k].line].job = UINT32_MAX;
		/* The task with the least index says what the line says. */
		queue->line[line] = (struct line){ task[first], task + first, (uint32_t)(i - first) };
		if (i - first == 1)
			queue->line[line].task_count = 0;
	}
	size_t kept = 0;
	for (size_t i = 0; i < queue->count; i++)
		if (queue->line[i].job != UINT32_MAX)
			queue->line[kept++] = queue->line[i];
	queue->count = kept;
	return SL_OK;
}

/* ---- Order ------------------------------------------------------------------------------------------ */

enum { KEYS_MAX = 16 };

/* A line's keys: numbers, or texts where a key has one. */
struct sorted {
	struct line line;
	int64_t number[KEYS_MAX];
	const char *text[KEYS_MAX];
	const bool *down; /* By key, true: the largest first. */
	size_t keys;
};

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;
	for (size_t i = 0; i < x->keys; i++) {
		const int less = x->text[i] && y->text[i]
					 ? strcmp(x->text[i], y->text[i])
					 : (x->number[i] > y->number[i]) - (x->number[i] < y->number[i]);
		if (less)
			return x->down[i] ? -less : less;
	}
	return (x->line.job > y->line.job) - (x->line.job < y->line.job);
}

/* True: *number is what to sort by; else the field's text is. */
static bool number_of(const struct view *view, uint32_t job, char letter, int64_t *number)
{
	switch (letter) {
	case 'i':
	case 'A':
		*number = view->jobs->id[job];
		return true;
	case 't':
	case 'T':
		*number = view_state_rank(view_state(view, job));
		return true;
	case 'p':
	case 'Q':
		*number = view->priority[job];
		return true;
	case 'D':
		*number = view_job_nodes(view, job);
		return true;
	case 'C':
		*number = view_job_cpus(view, job);
		return true;
	case 'M':
		*number = view_ran(view, job);
		return true;
	case 'l':
	case 'L':
		*number = view_limit(view, job);
		return true;
	case 'S':
		*number = start_of(view, job) == SL_NONE ? SL_NEVER : start_of(view, job);
		return true;
	case 'e':
		*number = end_of(view, job) == SL_NONE ? SL_NEVER : end_of(view, job);
		return true;
	case 'V':
		*number = view->jobs->submit[job];
		return true;
	default:
		return false;
	}
}

static const struct view_field *field_of(char letter)
{
	for (const struct view_field *field = fields; field->letter || field->name; field++)
		if (field->letter == letter)
			return field;
	return NULL;
}

/* Keys of "P,t,-p" into letters and directions. */
static int sort_keys(const char *text, char *letter, bool *down, size_t *count, struct sl_err *err)
{
	*count = 0;
	for (const char *p = text; *p; p++) {
		const bool back = *p == '-';
		p += strspn(p, "+-#");
		if (*p == ',' || *p == ' ')
			continue;
		if (!*p || !field_of(*p) || *count == KEYS_MAX)
			return view_refuse("squeue", err, "error: Invalid sort specification: %.40s", p);
		letter[*count] = *p;
		down[(*count)++] = back;
	}
	return SL_OK;
}

static int sort(struct queue_view *queue, struct sl_err *err)
{
	struct view *view = &queue->view;
	char letter[KEYS_MAX];
	bool down[KEYS_MAX];
	size_t keys;
	struct cell cell = { 0 };
	const char *order = queue->sort ? queue->sort : queue->start ? "S" : "P,t,-p";
	int status = sort_keys(order, letter, down, &keys, err);
	if (status)
		return status;
	struct sorted *sorted = calloc(queue->count + 1, sizeof(*sorted));
	if (!sorted)
		return sl_fail_memory(err);
	for (size_t i = 0; i < queue->count && !status; i++) {
		sorted[i] = (struct sorted){ .line = queue->line[i], .down = down, .keys = keys };
		for (size_t key = 0; key < keys; key++) {
			const struct view_field *field = field_of(letter[key]);
			if (number_of(view, queue->line[i].job, letter[key], &sorted[i].number[key]) ||
				!field->put)
				continue;
			cell_clear(&cell);
			field->put(&cell, view, &queue->line[i]);
			sorted[i].text[key] = sl_strdup(view->arena, cell.text ? cell.text : "", cell.len);
		}
	}
	qsort(sorted, queue->count, sizeof(*sorted), compare_sorted);
	for (size_t i = 0; i < queue->count; i++)
		queue->line[i] = sorted[i].line;
	free(sorted);
	cell_free(&cell);
	return status;
}

/* ---- Options ------------------------------------------------------------------------------------------ */

enum { LONG_START = 256, LONG_ME, LONG_HELP, LONG_USAGE, LONG_NOTHING, LONG_JSON };

static const struct option long_options[] = {
	{ "account", required_argument, NULL, 'A' },
	{ "all", no_argument, NULL, 'a' },
	{ "array", no_argument, NULL, 'r' },
	{ "array-unique", no_argument, NULL, LONG_NOTHING },
	{ "federation", no_argument, NULL, LONG_NOTHING },
	{ "format", required_argument, NULL, 'o' },
	{ "Format", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, LONG_HELP },
	{ "hide", no_argument, NULL, LONG_NOTHING },
	{ "jobs", optional_argument, NULL, 'j' },
	{ "local", no_argument, NULL, LONG_NOTHING },
	{ "long", no_argument, NULL, 'l' },
	{ "me", no_argument, NULL, LONG_ME },
	{ "name", required_argument, NULL, 'n' },
	{ "noconvert", no_argument, NULL, LONG_NOTHING },
	{ "node", required_argument, NULL, 'w' },
	{ "nodes", required_argument, NULL, 'w' },
	{ "nodelist", required_argument, NULL, 'w' },
	{ "noheader", no_argument, NULL, 'h' },
	{ "partition", required_argument, NULL, 'p' },
	{ "priority", no_argument, NULL, 'P' },
	{ "qos", required_argument, NULL, 'q' },
	{ "reservation", required_argument, NULL, 'R' },
	{ "sort", required_argument, NULL, 'S' },
	{ "start", no_argument, NULL, LONG_START },
	{ "states", required_argument, NULL, 't' },
	{ "usage", no_argument, NULL, LONG_USAGE },
	{ "user", required_argument, NULL, 'u' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void help(void)
{
	printf("Usage: squeue [OPTIONS]\n"
	       "  -A, --account=LIST    -j, --jobs=LIST       -n, --name=LIST     -p, --partition=LIST\n"
	       "  -q, --qos=LIST        -R, --reservation=N   -t, --states=LIST   -u, --user=LIST\n"
	       "  -w, --nodelist=HOSTS  -a, --all             -r, --array         -h, --noheader\n"
	       "  -l, --long            -o, --format=FORMAT   -O, --Format=NAMES  -S, --sort=FIELDS\n"
	       "      --start           -P, --priority        -V, --version       --help, --usage\n");
}

static int take_states(struct queue_view *queue, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	const int status = view_list(&queue->states, text, arena, err);
	for (size_t i = 0; i < queue->states.count && !status; i++)
		if (strcasecmp(queue->states.item[i], "all") != 0 && !view_state_known(queue->states.item[i]))
			return view_refuse("squeue", err, "error: Invalid job state specified: %s",
				queue->states.item[i]);
	return status;
}

/* Where the list of an option goes; NULL: it has none. */
static struct view_list *list_of(struct queue_view *queue, int option)
{
	switch (option) {
	case 'A':
		return &queue->accounts;
	case 'j':
		return &queue->jobs;
	case 'n':
		return &queue->names;
	case 'p':
		return &queue->partitions;
	case 'q':
		return &queue->qos;
	case 'R':
		return &queue->reservations;
	case 'u':
		return &queue->users;
	default:
		return NULL;
	}
}

static int take_option(
	struct queue_view *queue, int option, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	struct view_list *list = list_of(queue, option);
	if (list && text)
		return view_list(list, text, arena, err);
	switch (option) {
	case 'j':
		queue->jobs_next = true;
		break;
	case 't':
		return take_states(queue, text, arena, err);
	case 'o':
		queue->format = text;
		break;
	case 'O':
		queue->format_long = text;
		break;
	case 'S':
		queue->sort = text;
		break;
	case 'w':
		queue->hosts = text;
		break;
	case 'h':
		queue->heading = false;
		break;
	case 'l':
		queue->long_list = true;
		break;
	case 'r':
		queue->all_tasks = true;
		break;
	case LONG_START:
		queue->start = true;
		break;
	case LONG_ME:
		return view_refuse("squeue", err, "error: --me: a run has no user of its own: give -u");
	case '?':
		return view_bad_option("squeue", err);
	default:
		break; /* -a, -P and their like: everything is shown anyway. */
	}
	return SL_OK;
}

static int make_format(const struct queue_view *queue, struct view_format *format, struct sl_err *err)
{
	const char *text = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
	if (queue->format_long)
		return format_long(format, queue->format_long, fields, "squeue", err);
	if (queue->long_list)
		text = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
	if (queue->start)
		text = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
	return format_short(format, queue->format ? queue->format : text, fields, "squeue", err);
}

/* slurmctld is asked for one job by its number, and knows it or not; of several it is asked for all. */
static bool is_known(const struct queue_view *queue)
{
	bool known = queue->jobs.count != 1;
	for (uint32_t job = 0; job < queue->view.submitted && !known; job++)
		known = list_has_job(&queue->jobs, &queue->view, job);
	return known;
}

static int show(struct queue_view *queue, const struct view_call *call, struct sl_err *err)
{
	struct view_format format;
	int status = make_format(queue, &format, err);
	if (!status)
		status = call_open(&queue->view, call, false, err);
	if (!status)
		status = view_hosts(&queue->view, queue->hosts, &queue->host, err);
	if (!status && !is_known(queue))
		return view_refuse("slurm_load_jobs error", err, "Invalid job id specified");
	if (!status)
		status = gather(queue, err);
	if (!status && !queue->all_tasks)
		status = fold(queue, err);
	if (!status)
		status = sort(queue, err);
	if (status)
		return status;
	if (queue->long_list)
		print_date(&queue->view);
	if (queue->heading)
		format_heading(&format);
	for (size_t i = 0; i < queue->count; i++)
		format_line(&format, &queue->view, &queue->line[i]);
	return SL_OK;
}

int view_squeue(const struct view_call *call, struct sl_err *err)
{
	struct queue_view queue = { .heading = true };
	int option;
	int status = SL_OK;
	while (!status &&
		(option = view_option(call, "A:ahi:j::ln:M:o:O:p:Pq:rR:S:t:u:vVw:", long_options)) != -1) {
		if (option == LONG_HELP || option == LONG_USAGE) {
			help();
			return SL_OK;
		}
		if (option == 'V') {
			printf("schedlab " SL_VERSION "\n");
			return SL_OK;
		}
		status = take_option(&queue, option, optarg, call->arena, err);
	}
	/* "-j 7": the list is a word of its own. */
	if (!status && queue.jobs_next && optind < call->argc)
		status = view_list(&queue.jobs, call->argv[optind++], call->arena, err);
	if (!status && optind < call->argc)
		status = view_refuse("squeue", err,
			"error: Unrecognized option: %s\nTry \"squeue --help\" for "
			"more information",
			call->argv[optind]);
	if (!status)
		status = show(&queue, call, err);
	view_close(&queue.view);
	return status;
}
