/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_squeue.c - squeue: who waits, who runs, where and since when.
 *
 * Columns, order and folding of arrays follow squeue(1) of Slurm 22.05. Jobs that have ended are still there
 * for MinJobAge, as in Slurm.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

/* A job, or the waiting tasks of an array: rows of `task`, in their order. */
struct line {
	uint32_t job;
	const uint32_t *task;
	uint32_t task_count; /* 0: a job. */
};

/* ---- Fields --------------------------------------------------------------------------------- */

#define JOB        (((const struct line *)line)->job)
#define TEXT(text) cell_put(cell, "%s", text)

static const char *or_null(const char *text) { return text ? text : "(null)"; }

static enum sl_state view_squeue_state_of(const struct view *view, const void *line)
{
	return view_state(view, JOB);
}

static bool waits(const struct view *view, const void *line)
{
	return view_squeue_state_of(view, line) == SL_PENDING;
}

/* "[3-6%2]" of an array's waiting tasks, at most 64 characters of it, as Slurm cuts it. */
static void put_tasks(struct cell *cell, const struct view *view, const struct line *line)
{
	enum { DISPLAYED = 64 };
	struct cell list = { 0 };
	const struct sl_job_attributes *more = view_more(view, line->job);
	for (uint32_t i = 0; i < line->task_count && list.len < DISPLAYED;) {
		const int64_t from = view_more(view, line->task[i])->array_task;
		int64_t to = from;
		for (i++; i < line->task_count && view_more(view, line->task[i])->array_task == to + 1; i++)
			to++;
		cell_put(&list, "%s%" PRId64, list.len ? "," : "", from);
		if (to > from)
			cell_put(&list, "-%" PRId64, to);
	}
	cell_put(cell, "[%.*s%s", DISPLAYED, list.text ? list.text : "", list.len > DISPLAYED ? "..." : "");
	if (more->array_limit != SL_NONE && more->array_limit > 0)
		cell_put(cell, "%%%" PRId64, more->array_limit);
	cell_put(cell, "]");
	cell_free(&list);
}

VIEW_FIELD(put_id)
{
	const struct line *of = line;
	if (!of->task_count) {
		put_job_id(cell, view, of->job);
		return;
	}
	cell_put(cell, "%" PRId64 "_", view_array(view, of->job));
	put_tasks(cell, view, of);
}

VIEW_FIELD(put_raw) { put_job_raw(cell, view, JOB); }

VIEW_FIELD(put_array_job)
{
	const int64_t array = view_array(view, JOB);
	cell_put(cell, "%" PRId64, array != SL_NONE ? array : view->jobs->id[JOB]);
}

VIEW_FIELD(put_array_task)
{
	const struct line *of = line;
	if (of->task_count)
		put_tasks(cell, view, of);
	else if (view_array(view, of->job) != SL_NONE)
		cell_put(cell, "%" PRId64, view_more(view, of->job)->array_task);
	else
		TEXT("N/A");
}

VIEW_FIELD(put_part) { put_partition(cell, view, JOB); }
VIEW_FIELD(put_owner) { put_user(cell, view, JOB, "unknown"); }
VIEW_FIELD(put_acct) { put_account(cell, view, JOB, "(null)"); }

VIEW_FIELD(put_uid)
{
	if (!view->jobs->user_count && view->jobs->user[JOB] >= 0)
		put_user(cell, view, JOB, "");
}

VIEW_FIELD(view_squeue_put_name) { TEXT(or_null(view_more(view, JOB)->name)); }
VIEW_FIELD(put_qos) { TEXT(or_null(view_qos(view, JOB))); }
VIEW_FIELD(put_command) { TEXT(or_null(view_more(view, JOB)->submit_line)); }

VIEW_FIELD(put_short) { TEXT(view_state_word(view, JOB, true)); }
VIEW_FIELD(view_squeue_put_state) { TEXT(view_state_word(view, JOB, false)); }
VIEW_FIELD(put_time) { put_range(cell, seconds_of(view_ran(view, JOB)), false); }
VIEW_FIELD(put_time_limit) { put_limit(cell, view, JOB, false); }

VIEW_FIELD(put_time_left)
{
	const sl_time end = view_limit_end(view, JOB);
	if (waits(view, line) || end == SL_NONE)
		put_limit(cell, view, JOB, false);
	else
		put_range(cell, seconds_of(view_limit(view, JOB)) - seconds_of(view_ran(view, JOB)), false);
}

VIEW_FIELD(put_node_count) { cell_put(cell, "%" PRId64, view_job_nodes(view, JOB)); }
VIEW_FIELD(put_cpus) { cell_put(cell, "%s", view_cpus(view, view_job_cpus(view, JOB)).text); }
VIEW_FIELD(put_memory) { put_min_mem(cell, view, JOB); }
VIEW_FIELD(put_gpus) { put_tres_per_node(cell, view, JOB, "N/A"); }
VIEW_FIELD(put_alloc)
{
	if (!waits(view, line))
		put_tres(cell, view, JOB, false);
	else
		TEXT("N/A");
}

/* What squeue says in place of nodes, or beside them. */
static const char *view_squeue_reason_of(const struct view *view, uint32_t job)
{
	static const char *const why[SL_STATE_COUNT] = { [SL_FAILED] = "NonZeroExitCode",
		[SL_TIMEOUT] = "TimeLimit",
		[SL_OUT_OF_MEMORY] = "OutOfMemory",
		[SL_NODE_FAIL] = "NodeDown",
		[SL_DEADLINE] = "DeadLine" };
	const enum sl_state state = view_state(view, job);
	if (state == SL_PENDING)
		return sl_reason_name(view_reason(view, job));
	return why[state] ? why[state] : "None";
}

/* Of several words, which scontrol joins, with blanks. */
VIEW_FIELD(put_reason)
{
	const size_t from = cell->len;
	TEXT(view_squeue_reason_of(view, JOB));
	for (size_t i = from; i < cell->len; i++)
		if (cell->text[i] == '_')
			cell->text[i] = ' ';
}
VIEW_FIELD(put_where) { put_place(cell, view, view->place[JOB]); }

VIEW_FIELD(put_where_or_why)
{
	const enum sl_state state = view_squeue_state_of(view, line);
	if (state == SL_PENDING || state == SL_TIMEOUT || state == SL_OUT_OF_MEMORY || state == SL_FAILED) {
		TEXT("(");
		put_reason(cell, view, line);
		TEXT(")");
	} else {
		put_place(cell, view, view->place[JOB]);
	}
}

VIEW_FIELD(put_host)
{
	const struct view_place place = view->place[JOB];
	if (place.count && !waits(view, line))
		put_nodes(cell, view, &place.alloc[0].node, 1);
	else
		TEXT("n/a");
}

/* A planned start counts as one. */
static sl_time view_squeue_start_of(const struct view *view, uint32_t job)
{
	const sl_time start = view_start(view, job);
	return start == SL_NONE && view->promise ? view->promise[job] : start;
}

VIEW_FIELD(put_start)
{
	const sl_time start = view_squeue_start_of(view, JOB);
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

VIEW_FIELD(view_squeue_put_end)
{
	const sl_time end = end_of(view, JOB);
	if (end == SL_NONE)
		TEXT(waits(view, line) ? "N/A" : "NONE");
	else
		put_date(cell, view, end);
}

VIEW_FIELD(put_submit) { put_date(cell, view, view_submit(view, JOB)); }
VIEW_FIELD(put_eligible) { put_date(cell, view, view_eligible(view, JOB)); }

VIEW_FIELD(put_pending)
{
	const sl_time start = view_start(view, JOB);
	const sl_time until = start != SL_NONE        ? start
			      : view_ended(view, JOB) ? view->result->end[JOB]
						      : view->now;
	cell_put(cell, "%" PRId64, seconds_of(until) - seconds_of(view->jobs->submit[JOB]));
}

VIEW_FIELD(put_planned)
{
	if (view->planned && view->planned[JOB].count)
		put_place(cell, view, view->planned[JOB]);
	else
		TEXT("(null)");
}

VIEW_FIELD(put_priority) { cell_put(cell, "%" PRIu32, view->priority[JOB]); }
VIEW_FIELD(put_share_of_priority)
{
	cell_put(cell, "%16.14f", (double)view->priority[JOB] / (double)UINT32_MAX);
}

VIEW_FIELD(put_depends)
{
	const char *on = view_more(view, JOB)->dependency;
	TEXT(on && *on ? on : "(null)");
}

VIEW_FIELD(put_nice)
{
	const int64_t nice = view_more(view, JOB)->nice;
	cell_put(cell, "%" PRId64, nice != SL_NONE ? nice : 0);
}

/* What was asked in Slurm's words, a text each. */
#define ASKED(name, member)                                            \
	VIEW_FIELD(name)                                               \
	{                                                              \
		const struct sl_job_desc *desc = view_desc(view, JOB); \
		TEXT(or_null(desc ? desc->member : NULL));             \
	}
ASKED(put_constraint, constraint)
ASKED(put_nodelist_asked, nodelist)
ASKED(put_exclude, exclude)
ASKED(put_licenses, licenses)
ASKED(put_reservation, reservation)

VIEW_FIELD(put_shares)
{
	const struct sl_job_desc *desc = view_desc(view, JOB);
	const struct sl_request *request = view_request(view, JOB);
	const bool alone = (desc && desc->exclusive == SL_EXCLUSIVE_NODE) ||
			   (request && request->group_count && request->group[0].exclusive);
	TEXT(alone ? "NO" : desc && desc->oversubscribe ? "YES" : "OK");
}

VIEW_FIELD(put_contiguous)
{
	const struct sl_job_desc *desc = view_desc(view, JOB);
	TEXT(desc && desc->contiguous ? "1" : "0");
}

VIEW_FIELD(put_task_count)
{
	const struct sl_request *request = view_request(view, JOB);
	int64_t tasks = request ? 0 : view_job_cpus(view, JOB);
	for (uint32_t i = 0; request && i < request->group_count; i++)
		tasks += request->group[i].tasks;
	cell_put(cell, "%" PRId64, tasks);
}

VIEW_FIELD(put_cpus_per_task)
{
	const struct sl_request *request = view_request(view, JOB);
	const int64_t one = sl_parts(view->cluster->cpu_parts);
	const int64_t cpus = request && request->group_count ? request->group[0].task.cpus : one;
	cell_put(cell, "%s", view_cpus(view, cpus).text);
}

/* What is the same for every job of ours. */
#define ALWAYS(name, text) \
	VIEW_FIELD(name) { TEXT(text); }
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
	{ 'e', "EndTime", "END_TIME", view_squeue_put_end, 0 },
	{ 'E', "Dependency", "DEPENDENCY", put_depends, 0 },
	{ 'f', "Feature", "FEATURES", put_constraint, 0 },
	{ 'F', "ArrayJobID", "ARRAY_JOB_ID", put_array_job, 0 },
	{ 'g', "GroupName", "GROUP", NULL, 0 },
	{ 'G', "GroupID", "GROUP", NULL, 0 },
	{ 'h', "OverSubscribe", "OVER_SUBSCRIBE", put_shares, 0 },
	{ 'H', "SocketsPerNode", "SOCKETS_PER_NODE", put_any, 0 },
	{ 'i', "JobArrayID", "JOBID", put_id, 0 },
	{ 'I', "CoresPerSocket", "CORES_PER_SOCKET", put_any, 0 },
	{ 'j', "Name", "NAME", view_squeue_put_name, 0 },
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
	{ 'T', "State", "STATE", view_squeue_put_state, 0 },
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
	struct view view;
	const char *format, *format_long, *sort, *hosts;
	bool bare, long_list, all_tasks, start;
	struct view_list users, partitions, states, jobs, accounts, qos, names, reservations;
	bool *host; /* By node; NULL: any. */
	struct line *line;
	size_t count;
};
static const struct view_tool squeue;

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

static bool view_squeue_is_displayed(
	const struct queue_view *queue, uint32_t job, sl_time age, struct cell *cell)
{
	const struct view *view = &queue->view;
	const struct line line = { .job = job };
	const enum sl_state state = view_state(view, job);
	if (queue->start && state != SL_PENDING)
		return false;
	if (view_ended(view, job) && (!queue->states.count || view->now - view->result->end[job] > age))
		return false;
	if (queue->host && view_ended(view, job))
		return false;
	return list_has_state(&queue->states, state) && list_has_job(&queue->jobs, view, job) &&
	       view_on_hosts(queue->host, view->place[job]) && view_selects(&squeue, queue, &line, cell);
}

static int view_squeue_gather(struct queue_view *queue, struct sl_err *err)
{
	struct view *view = &queue->view;
	const sl_time age = job_age(view);
	struct cell cell = { 0 };
	queue->line = sl_alloc(view->arena, view->submitted + 1U, sizeof(*queue->line));
	if (!queue->line)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < view->submitted; job++)
		if (view_squeue_is_displayed(queue, job, age, &cell))
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

static int64_t view_squeue_id_of(const struct view *view, uint32_t job) { return view->jobs->id[job]; }
static int64_t view_squeue_rank_of(const struct view *view, uint32_t job)
{
	return view_state_rank(view_state(view, job));
}
static int64_t priority_of(const struct view *view, uint32_t job) { return view->priority[job]; }
static int64_t submit_of(const struct view *view, uint32_t job) { return view->jobs->submit[job]; }

static int64_t start_or_never(const struct view *view, uint32_t job)
{
	const sl_time start = view_squeue_start_of(view, job);
	return start == SL_NONE ? SL_NEVER : start;
}

static int64_t end_or_never(const struct view *view, uint32_t job)
{
	const sl_time end = end_of(view, job);
	return end == SL_NONE ? SL_NEVER : end;
}

/* What is sorted by a number, and not by its field's text. */
static bool view_squeue_number_of(
	const struct view *view, const void *line, const struct view_key *key, struct view_value *value)
{
	static const struct {
		const char *letters;
		int64_t (*number)(const struct view *view, uint32_t job);
	} numbers[] = { { "iA", view_squeue_id_of }, { "tT", view_squeue_rank_of }, { "pQ", priority_of },
		{ "D", view_job_nodes }, { "C", view_job_cpus }, { "M", view_ran }, { "lL", view_limit },
		{ "S", start_or_never }, { "e", end_or_never }, { "V", submit_of } };
	size_t i = 0;
	while (i < SL_LEN(numbers) && !strchr(numbers[i].letters, key->letter))
		i++;
	if (i < SL_LEN(numbers))
		value->whole = numbers[i].number(view, JOB);
	return i < SL_LEN(numbers);
}

static int by_job(const struct view *view, const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;
	(void)view;
	return (x->job > y->job) - (x->job < y->job);
}

static int view_squeue_sort(struct queue_view *queue, struct sl_err *err)
{
	struct view_order order = {
		.view = &queue->view, .fields = fields, .number = view_squeue_number_of, .tie = by_job
	};
	const char *keys = queue->sort ? queue->sort : queue->start ? "S" : "P,t,-p";
	const int status = order_take(&order, keys, ", ", "squeue", err);
	return status ? status : order_lines(&order, queue->line, queue->count, sizeof(*queue->line), err);
}

/* ---- Options ------------------------------------------------------------------------------------------ */

static int check_states(void *self, const char *value, struct sl_err *err)
{
	const struct view_list *states = &((struct queue_view *)self)->states;
	(void)value;
	for (size_t i = 0; i < states->count; i++)
		if (strcasecmp(states->item[i], "all") != 0 && !view_state_known(states->item[i]))
			return view_refuse(
				"squeue", err, "error: Invalid job state specified: %s", states->item[i]);
	return SL_OK;
}

static int refuse_me(void *self, const char *value, struct sl_err *err)
{
	(void)self;
	(void)value;
	return view_refuse("squeue", err, "error: --me: a run has no user of its own: give -u");
}

#define VIEW_SELF struct queue_view
/* -a, -P and their like: everything is listed anyway. */
static const struct view_option options[] = {
	{ OPT_LIST("account", 'A', accounts, put_acct, NULL) },
	{ OPT_SKIP("all", 'a') },
	{ OPT_FLAG("array", 'r', all_tasks) },
	{ OPT_SKIP("array-unique", 0) },
	{ OPT_SKIP("federation", 0) },
	{ OPT_TEXT("format", 'o', format) },
	{ OPT_TEXT("Format", 'O', format_long) },
	{ OPT_HELP("help", 0) },
	{ OPT_SKIP("hide", 0) },
	{ OPT_JOBS("jobs", 'j', jobs) },
	{ OPT_SKIP("local", 0) },
	{ OPT_FLAG("long", 'l', long_list) },
	{ OPT_CALL("me", 0, refuse_me) },
	{ OPT_LIST("name", 'n', names, view_squeue_put_name, NULL) },
	{ OPT_SKIP("noconvert", 0) },
	{ OPT_TEXT("node", 'w', hosts) },
	{ OPT_TEXT("nodes", 'w', hosts) },
	{ OPT_TEXT("nodelist", 'w', hosts) },
	{ OPT_FLAG("noheader", 'h', bare) },
	{ OPT_LIST("partition", 'p', partitions, put_part, NULL) },
	{ OPT_SKIP("priority", 'P') },
	{ OPT_LIST("qos", 'q', qos, put_qos, NULL) },
	{ OPT_LIST("reservation", 'R', reservations, put_reservation, NULL) },
	{ OPT_TEXT("sort", 'S', sort) },
	{ OPT_FLAG("start", 0, start) },
	{ OPT_LIST("states", 't', states, NULL, check_states) },
	{ OPT_HELP("usage", 0) },
	{ OPT_LIST("user", 'u', users, put_owner, NULL) },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_SKIP_VALUE(NULL, 'i') },
	{ OPT_SKIP_VALUE(NULL, 'M') },
};

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

static int view_squeue_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct queue_view *queue = self;
	struct view_format format;
	int status = make_format(queue, &format, err);
	if (!status)
		status = call_open(&queue->view, call, false, err);
	if (!status)
		status = view_hosts(&queue->view, queue->hosts, &queue->host, err);
	if (!status && !is_known(queue))
		return view_refuse("slurm_load_jobs error", err, "Invalid job id specified");
	if (!status)
		status = view_squeue_gather(queue, err);
	if (!status && !queue->all_tasks)
		status = fold(queue, err);
	if (!status)
		status = view_squeue_sort(queue, err);
	if (status)
		return status;
	if (queue->long_list)
		print_date(&queue->view);
	if (!queue->bare)
		format_heading(&format);
	for (size_t i = 0; i < queue->count; i++)
		format_line(&format, &queue->view, &queue->line[i]);
	return SL_OK;
}

static const struct view_tool squeue = {
	.name = "squeue",
	.help = "Usage: squeue [OPTIONS]\n"
		"  -A, --account=LIST    -j, --jobs=LIST       -n, --name=LIST     -p, --partition=LIST\n"
		"  -q, --qos=LIST        -R, --reservation=N   -t, --states=LIST   -u, --user=LIST\n"
		"  -w, --nodelist=HOSTS  -a, --all             -r, --array         -h, --noheader\n"
		"  -l, --long            -o, --format=FORMAT   -O, --Format=NAMES  -S, --sort=FIELDS\n"
		"      --start           -P, --priority        -V, --version       --help, --usage\n",
	.stray = "\nTry \"squeue --help\" for more information",
	.option = options,
	.option_count = SL_LEN(options),
	.show = view_squeue_show,
};

int view_squeue(const struct view_call *call, struct sl_err *err)
{
	struct queue_view queue = { 0 };
	return view_run(&squeue, &queue, call, err);
}
