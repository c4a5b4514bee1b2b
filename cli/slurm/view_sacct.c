/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sacct.c - sacct: the accounting records of a run, one line a job (with -D: an attempt).
 *
 * Steps are not modelled, so records are allocations, as with -X. What a run does not know (processor time
 * used, memory used) is empty, or zero where the real command has zero for jobs that report nothing.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

/* A record: a job, or one attempt of it. */
struct record {
	uint32_t job;
	enum sl_state state;
	sl_time start, end; /* SL_NONE: not yet. */
	sl_time suspended;
	const struct sl_attempt *attempt; /* Of earlier ones; NULL: as it is now. */
};

#define FIELD(name) static void name(struct cell *cell, const struct view *view, const struct record *record)
#define TEXT(text)  cell_put(cell, "%s", text)
#define NUMBER(n)   cell_put(cell, "%" PRId64, (int64_t)(n))

/* ---- Fields -------------------------------------------------------------------------------- */

FIELD(put_id) { put_job_id(cell, view, record->job); }
FIELD(put_raw) { put_job_raw(cell, view, record->job); }
FIELD(put_owner) { put_user(cell, view, record->job, ""); }
FIELD(put_acct) { put_account(cell, view, record->job, ""); }
FIELD(put_part) { put_partition(cell, view, record->job); }

FIELD(put_uid)
{
	if (!view->jobs->user_count && view->jobs->user[record->job] >= 0)
		put_user(cell, view, record->job, "");
}

FIELD(put_cluster)
{
	(void)record;
	TEXT(view->cluster->name ? view->cluster->name : "cluster");
}

FIELD(put_name)
{
	const struct sl_job_more *more = view_more(view, record->job);
	TEXT(more && more->name ? more->name : "");
}

FIELD(put_qos)
{
	const struct sl_job_more *more = view_more(view, record->job);
	TEXT(more && more->qos ? more->qos : "");
}

FIELD(put_submit) { put_date(cell, view, view->jobs->submit[record->job]); }

static sl_time eligible_of(const struct view *view, uint32_t job)
{
	const struct sl_job_more *more = view_more(view, job);
	const sl_time submit = view->jobs->submit[job];
	return more && more->begin != SL_NONE && more->begin > submit ? more->begin : submit;
}

FIELD(put_eligible) { put_date(cell, view, eligible_of(view, record->job)); }

FIELD(put_start)
{
	if (record->start == SL_NONE && record->end != SL_NONE)
		TEXT("None"); /* Cancelled before. */
	else
		put_date(cell, view, record->start);
}

FIELD(put_end) { put_date(cell, view, record->end); }

static int64_t elapsed_of(const struct view *view, const struct record *record)
{
	const sl_time end = record->end == SL_NONE ? view->now : record->end;
	return record->start == SL_NONE
		       ? 0
		       : seconds_of(end) - seconds_of(record->start) - seconds_of(record->suspended);
}

FIELD(put_elapsed) { put_span(cell, elapsed_of(view, record), true); }
FIELD(put_elapsed_raw) { NUMBER(elapsed_of(view, record)); }
FIELD(put_time_limit) { put_limit(cell, view, record->job, true); }

FIELD(put_limit_raw)
{
	const sl_time limit = view->jobs->limit[record->job];
	if (limit >= SL_TIME_MOST)
		TEXT("UNLIMITED");
	else
		NUMBER((seconds_of(limit) + 59) / 60);
}

FIELD(put_state)
{
	(void)view;
	TEXT(sl_state_name(record->state));
}

/* The recorded one, as long as the job ends as it did then. */
FIELD(put_exit_code)
{
	const struct sl_job_more *more = view_more(view, record->job);
	if (more && more->exit_code && more->state_recorded == record->state)
		TEXT(more->exit_code);
	else if (record->state == SL_FAILED)
		TEXT("1:0");
	else if (record->state == SL_OUT_OF_MEMORY)
		TEXT("0:125");
	else
		TEXT("0:0");
}

static bool has_nodes(const struct record *record) { return record->start != SL_NONE; }

static struct view_place place_of(const struct view *view, const struct record *record)
{
	if (!record->attempt || !view->cluster->node_count)
		return view->place[record->job];
	const struct sl_placed placed = sl_placed_of(view->result, record->job, record->attempt);
	return (struct view_place){ placed.piece, placed.count };
}

FIELD(put_nodes_held) { NUMBER(view_job_nodes(view, record->job)); }
static void put_cpus(struct cell *cell, const struct view *view, int64_t cpus)
{
	cell_put(cell, "%s", view_cpus(view, cpus).text);
}

/* AllocCPUS too: of one that waits, what it asks. */
FIELD(put_ncpus) { put_cpus(cell, view, view_job_cpus(view, record->job)); }

FIELD(put_req_cpus) { put_cpus(cell, view, view_cpus_asked(view, record->job)); }

/* "4G" in all, as since Slurm 21.08. */
FIELD(put_req_mem) { put_mem(cell, view_mem_asked(view, record->job)); }

FIELD(put_tres_asked) { put_tres_wanted(cell, view, record->job); }

FIELD(put_tres_held)
{
	if (has_nodes(record))
		put_tres(cell, view, record->job, true);
}

FIELD(put_node_list)
{
	if (!has_nodes(record))
		TEXT("None assigned");
	else
		put_place(cell, view, place_of(view, record));
}

FIELD(put_reason)
{
	TEXT(record->state == SL_PENDING ? sl_reason_name(view_reason(view, record->job)) : "None");
}

/* From eligible on, until it starts. */
static int64_t planned_of(const struct view *view, const struct record *record)
{
	const sl_time until = record->start != SL_NONE ? record->start
			      : record->end != SL_NONE ? record->end
						       : view->now;
	const int64_t waited = seconds_of(until) - seconds_of(eligible_of(view, record->job));
	return waited > 0 ? waited : 0;
}

FIELD(put_planned) { put_span(cell, planned_of(view, record), true); }
/* Seconds times cpus, whole ones. */
static int64_t times_cpus(const struct view *view, const struct record *record, int64_t seconds)
{
	return seconds * view_job_cpus(view, record->job) / sl_parts(view->cluster->cpu_parts);
}

FIELD(put_planned_cpu) { put_span(cell, times_cpus(view, record, planned_of(view, record)), true); }
FIELD(put_planned_cpu_raw) { NUMBER(times_cpus(view, record, planned_of(view, record))); }

static int64_t cpu_seconds(const struct view *view, const struct record *record)
{
	return times_cpus(view, record, elapsed_of(view, record));
}

FIELD(put_cpu_time) { put_span(cell, cpu_seconds(view, record), true); }
FIELD(put_cpu_time_raw) { NUMBER(cpu_seconds(view, record)); }

FIELD(put_suspended)
{
	(void)view;
	put_span(cell, seconds_of(record->suspended), true);
}

FIELD(put_priority) { NUMBER(view->priority[record->job]); }

FIELD(put_submit_line)
{
	const struct sl_job_more *more = view_more(view, record->job);
	TEXT(more && more->submit_line ? more->submit_line : "");
}

FIELD(put_restarts)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(view->result, record->job, &attempt);
	NUMBER(count ? count - 1 : 0);
}

/* What was asked in Slurm's words, a text each. */
#define ASKED(name, member)                                             \
	FIELD(name)                                                     \
	{                                                               \
		const struct sl_ask *ask = view_ask(view, record->job); \
		TEXT(ask && ask->member ? ask->member : "");            \
	}
ASKED(put_constraint, constraint)
ASKED(put_licenses, licenses)
ASKED(put_reservation, reservation)

/* What a job used of its time is not modelled: as of jobs that report nothing. */
FIELD(put_no_time)
{
	(void)view;
	(void)record;
	TEXT("00:00:00");
}

/* As sacct lists them; a negative width sets to the left. */
static const struct acct_field {
	const char *name;
	int width;
	void (*put)(struct cell *cell, const struct view *view, const struct record *record);
} fields[] = {
	{ "Account", 10, put_acct },
	{ "AdminComment", 15, NULL },
	{ "AllocCPUS", 10, put_ncpus },
	{ "AllocNodes", 10, put_nodes_held },
	{ "AllocTRES", 10, put_tres_held },
	{ "AssocID", 7, NULL },
	{ "AveCPU", 10, NULL },
	{ "AveCPUFreq", 10, NULL },
	{ "AveDiskRead", 14, NULL },
	{ "AveDiskWrite", 14, NULL },
	{ "AvePages", 10, NULL },
	{ "AveRSS", 10, NULL },
	{ "AveVMSize", 10, NULL },
	{ "BlockID", 16, NULL },
	{ "Cluster", 10, put_cluster },
	{ "Comment", 14, NULL },
	{ "Constraints", 19, put_constraint },
	{ "ConsumedEnergy", 14, NULL },
	{ "ConsumedEnergyRaw", 17, NULL },
	{ "Container", 19, NULL },
	{ "CPUTime", 10, put_cpu_time },
	{ "CPUTimeRAW", 10, put_cpu_time_raw },
	{ "DBIndex", -21, NULL },
	{ "DerivedExitCode", 15, put_exit_code },
	{ "Elapsed", 10, put_elapsed },
	{ "ElapsedRaw", 10, put_elapsed_raw },
	{ "Eligible", 19, put_eligible },
	{ "End", 19, put_end },
	{ "ExitCode", 8, put_exit_code },
	{ "FailedNode", 8, NULL },
	{ "Flags", 19, NULL },
	{ "GID", 6, NULL },
	{ "Group", 9, NULL },
	{ "JobID", -12, put_id },
	{ "JobIDRaw", -12, put_raw },
	{ "JobName", 10, put_name },
	{ "Layout", 9, NULL },
	{ "Licenses", 10, put_licenses },
	{ "MaxDiskRead", 12, NULL },
	{ "MaxDiskReadNode", 15, NULL },
	{ "MaxDiskReadTask", 15, NULL },
	{ "MaxDiskWrite", 12, NULL },
	{ "MaxDiskWriteNode", 16, NULL },
	{ "MaxDiskWriteTask", 16, NULL },
	{ "MaxPages", 8, NULL },
	{ "MaxPagesNode", 12, NULL },
	{ "MaxPagesTask", 14, NULL },
	{ "MaxRSS", 10, NULL },
	{ "MaxRSSNode", 10, NULL },
	{ "MaxRSSTask", 10, NULL },
	{ "MaxVMSize", 10, NULL },
	{ "MaxVMSizeNode", 14, NULL },
	{ "MaxVMSizeTask", 14, NULL },
	{ "McsLabel", 12, NULL },
	{ "MinCPU", 10, NULL },
	{ "MinCPUNode", 10, NULL },
	{ "MinCPUTask", 10, NULL },
	{ "NCPUS", 10, put_ncpus },
	{ "NNodes", 8, put_nodes_held },
	{ "NodeList", 15, put_node_list },
	{ "NTasks", 8, NULL },
	{ "Partition", 10, put_part },
	{ "Planned", 10, put_planned },
	{ "PlannedCPU", 10, put_planned_cpu },
	{ "PlannedCPURAW", 13, put_planned_cpu_raw },
	{ "Priority", 10, put_priority },
	{ "QOS", 10, put_qos },
	{ "QOSRAW", 6, NULL },
	{ "Reason", 22, put_reason },
	{ "ReqCPUFreq", 10, NULL },
	{ "ReqCPUFreqGov", 13, NULL },
	{ "ReqCPUFreqMax", 13, NULL },
	{ "ReqCPUFreqMin", 13, NULL },
	{ "ReqCPUS", 8, put_req_cpus },
	{ "ReqMem", 10, put_req_mem },
	{ "ReqNodes", 8, put_nodes_held },
	{ "ReqTRES", 10, put_tres_asked },
	{ "Reservation", 20, put_reservation },
	{ "ReservationId", 8, NULL },
	{ "Reserved", 10, put_planned },
	{ "ResvCPU", 10, put_planned_cpu },
	{ "ResvCPURAW", 10, put_planned_cpu_raw },
	{ "Restarts", 8, put_restarts },
	{ "Start", 19, put_start },
	{ "State", 10, put_state },
	{ "Submit", 19, put_submit },
	{ "SubmitLine", 20, put_submit_line },
	{ "Suspended", 10, put_suspended },
	{ "SystemComment", 15, NULL },
	{ "SystemCPU", 10, put_no_time },
	{ "Timelimit", 10, put_time_limit },
	{ "TimelimitRaw", 10, put_limit_raw },
	{ "TotalCPU", 10, put_no_time },
	{ "TRESUsageInAve", 14, NULL },
	{ "TRESUsageInMax", 14, NULL },
	{ "TRESUsageInMaxNode", 18, NULL },
	{ "TRESUsageInMaxTask", 18, NULL },
	{ "TRESUsageInMin", 14, NULL },
	{ "TRESUsageInMinNode", 18, NULL },
	{ "TRESUsageInMinTask", 18, NULL },
	{ "TRESUsageInTot", 14, NULL },
	{ "TRESUsageOutAve", 15, NULL },
	{ "TRESUsageOutMax", 15, NULL },
	{ "TRESUsageOutMaxNode", 19, NULL },
	{ "TRESUsageOutMaxTask", 19, NULL },
	{ "TRESUsageOutMin", 15, NULL },
	{ "TRESUsageOutMinNode", 19, NULL },
	{ "TRESUsageOutMinTask", 19, NULL },
	{ "TRESUsageOutTot", 15, NULL },
	{ "UID", 6, put_uid },
	{ "User", 9, put_owner },
	{ "UserCPU", 10, put_no_time },
	{ "WCKey", 10, NULL },
	{ "WCKeyID", 10, NULL },
	{ "WorkDir", 20, NULL },
};

/* ---- Formats ---------------------------------------------------------------------------------- */

struct acct_column {
	const struct acct_field *field;
	int width;
};

enum { COLUMNS_MAX = 400 };
enum parsable { PARSE_NOT, PARSE_TRAILING, PARSE_PLAIN };

struct acct_view {
	const char *format, *delimiter, *from, *to;
	enum parsable parsable;
	bool heading, duplicates, truncate;
	struct view_list users, accounts, partitions, states, jobs, names, qos;
	const char *hosts;
	bool *host;
	struct view view;
	struct acct_column column[COLUMNS_MAX];
	size_t column_count;
	sl_time since, until;
};

/* The first whose name begins so, in any case, as sacct finds them. */
static const struct acct_field *field_of(const char *name, size_t len)
{
	for (size_t i = 0; i < SL_LEN(fields); i++)
		if (strncasecmp(fields[i].name, name, len) == 0 && !fields[i].name[len])
			return &fields[i];
	for (size_t i = 0; i < SL_LEN(fields); i++)
		if (strncasecmp(fields[i].name, name, len) == 0)
			return &fields[i];
	return NULL;
}

static int take_column(struct acct_view *acct, const char *text, size_t len, struct sl_err *err)
{
	const char *percent = memchr(text, '%', len);
	const size_t name = percent ? (size_t)(percent - text) : len;
	const struct acct_field *field = name ? field_of(text, name) : NULL;
	int64_t width = field ? field->width : 0;
	if (!field)
		return view_refuse("sacct", err, "error: Invalid field requested: \"%.*s\"", (int)name, text);
	if (percent && (!sl_get_i64(percent + 1, len - name - 1, &width) || width < -10000 || width > 10000))
		return view_refuse("sacct", err, "error: Invalid field width: \"%.*s\"", (int)len, text);
	if (acct->column_count == COLUMNS_MAX)
		return view_refuse("sacct", err, "error: a format has at most %d fields", COLUMNS_MAX);
	acct->column[acct->column_count++] = (struct acct_column){ field, (int)width };
	return SL_OK;
}

static int take_format(struct acct_view *acct, const char *text, struct sl_err *err)
{
	int status = SL_OK;
	if (strcasecmp(text, "ALL") == 0) {
		for (size_t i = 0; i < SL_LEN(fields); i++)
			acct->column[acct->column_count++] =
				(struct acct_column){ &fields[i], fields[i].width };
		return SL_OK;
	}
	while (*text && !status) {
		const size_t len = strcspn(text, ", ");
		status = len ? take_column(acct, text, len, err) : SL_OK;
		text += len + (text[len] != '\0');
	}
	return status;
}

static void print_cell(
	const struct acct_view *acct, const struct acct_column *column, const char *text, bool last)
{
	const int wide = column->width < 0 ? -column->width : column->width;
	const int len = (int)strlen(text);
	if (acct->parsable == PARSE_NOT && len > wide)
		printf("%.*s+ ", wide ? wide - 1 : 0, text);
	else if (acct->parsable == PARSE_NOT)
		printf("%*s ", column->width, text);
	else
		printf("%s%s", text, last && acct->parsable == PARSE_PLAIN ? "" : acct->delimiter);
}

static void print_heading(const struct acct_view *acct)
{
	static const char dashes[] = "------------------------------------------------------------";
	for (size_t i = 0; i < acct->column_count; i++) {
		const struct acct_column *column = &acct->column[i];
		char name[40];
		const int wide = column->width < 0 ? -column->width : column->width;
		/* A heading is cut without a mark. */
		(void)snprintf(name, sizeof(name), "%.*s",
			acct->parsable == PARSE_NOT && wide < 39 ? wide : 39, column->field->name);
		print_cell(acct, column, name, i + 1 == acct->column_count);
	}
	putchar('\n');
	for (size_t i = 0; i < acct->column_count && acct->parsable == PARSE_NOT; i++) {
		const int width = acct->column[i].width;
		for (int left = width < 0 ? -width : width; left > 0; left -= (int)sizeof(dashes) - 1)
			printf("%.*s", left < (int)sizeof(dashes) ? left : (int)sizeof(dashes) - 1, dashes);
		putchar(' ');
	}
	if (acct->parsable == PARSE_NOT)
		putchar('\n');
}

static void print_record(const struct acct_view *acct, const struct record *record, struct cell *cell)
{
	for (size_t i = 0; i < acct->column_count; i++) {
		const struct acct_column *column = &acct->column[i];
		cell_clear(cell);
		if (column->field->put)
			column->field->put(cell, &acct->view, record);
		print_cell(acct, column, cell->len ? cell->text : "", i + 1 == acct->column_count);
	}
	putchar('\n');
}

/* ---- Which -------------------------------------------------------------------------------------- */

/* Without states: what was there between -S and -E. With: who was in one of them then; without -S, who is in
 * one of them now. */
static bool in_window(const struct acct_view *acct, const struct record *record)
{
	const struct view *view = &acct->view;
	const sl_time submit = view->jobs->submit[record->job];
	const sl_time end = record->end == SL_NONE ? SL_NEVER : record->end;
	const sl_time start = record->start == SL_NONE ? end : record->start;
	if (!acct->states.count)
		return submit <= acct->until && end >= acct->since;
	if (!acct->from)
		return list_has_state(&acct->states, record->state) && submit <= acct->until;
	if (list_has_state(&acct->states, SL_PENDING) && submit <= acct->until && start >= acct->since &&
		start > submit)
		return true;
	if (list_has_state(&acct->states, SL_RUNNING) && record->start != SL_NONE && start <= acct->until &&
		end >= acct->since)
		return true;
	return list_has_state(&acct->states, record->state) && submit <= acct->until &&
	       (record->end == SL_NONE || (end >= acct->since && end <= acct->until));
}

static bool on_hosts(const struct acct_view *acct, const struct record *record)
{
	const struct view_place place = place_of(&acct->view, record);
	for (size_t i = 0; acct->host && i < place.count; i++)
		if (acct->host[place.piece[i].node])
			return true;
	return !acct->host;
}

static bool is_shown(const struct acct_view *acct, const struct record *record, struct cell *cell)
{
	const struct view *view = &acct->view;
	if (!in_window(acct, record) || !list_has_job(&acct->jobs, view, record->job) ||
		!on_hosts(acct, record))
		return false;
	const struct {
		const struct view_list *list;
		void (*put)(struct cell *cell, const struct view *view, const struct record *record);
	} lists[] = {
		{ &acct->users, put_owner },
		{ &acct->accounts, put_acct },
		{ &acct->partitions, put_part },
		{ &acct->names, put_name },
		{ &acct->qos, put_qos },
	};
	for (size_t i = 0; i < SL_LEN(lists); i++) {
		if (!lists[i].list->count)
			continue;
		cell_clear(cell);
		lists[i].put(cell, view, record);
		if (!list_has_cell(lists[i].list, cell))
			return false;
	}
	return true;
}

/* The job as it is now: of several attempts the last. */
static struct record record_of(const struct view *view, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(view->result, job, &attempt);
	struct record record = {
		.job = job,
		.state = view_state(view, job),
		.start = view_start(view, job),
		.end = view_ended(view, job) ? view->result->end[job] : SL_NONE,
	};
	if (record.start != SL_NONE)
		record.suspended = count                     ? attempt[count - 1].suspended
				   : view->result->suspended ? view->result->suspended[job]
							     : 0;
	return record;
}

/* -D: the attempts that came to nothing, each with its end. */
static void print_attempts(const struct acct_view *acct, uint32_t job, struct cell *cell)
{
	const struct sl_attempt *attempt;
	const struct view *view = &acct->view;
	const size_t count = sl_attempts_of(view->result, job, &attempt);
	const bool waits = view_state(view, job) == SL_PENDING;
	for (size_t i = 0; i < count && (waits || i + 1 < count); i++) {
		const struct record record = { job, (enum sl_state)attempt[i].state, attempt[i].start,
			attempt[i].end, attempt[i].suspended, &attempt[i] };
		if (is_shown(acct, &record, cell))
			print_record(acct, &record, cell);
	}
}

static void print_all(struct acct_view *acct)
{
	struct cell cell = { 0 };
	for (uint32_t job = 0; job < acct->view.submitted; job++) {
		struct record record = record_of(&acct->view, job);
		if (acct->duplicates)
			print_attempts(acct, job, &cell);
		if (!is_shown(acct, &record, &cell))
			continue;
		if (acct->truncate && record.start != SL_NONE && record.start < acct->since)
			record.start = acct->since;
		if (acct->truncate && record.end != SL_NONE && record.end > acct->until)
			record.end = acct->until;
		print_record(acct, &record, &cell);
	}
	cell_free(&cell);
}

/* ---- Options ---------------------------------------------------------------------------------------- */

enum { LONG_DELIMITER = 256, LONG_HELP, LONG_USAGE, LONG_NAME, LONG_NOTHING };

static const struct option long_options[] = {
	{ "accounts", required_argument, NULL, 'A' },
	{ "allclusters", no_argument, NULL, LONG_NOTHING },
	{ "allocations", no_argument, NULL, 'X' },
	{ "allusers", no_argument, NULL, 'a' },
	{ "brief", no_argument, NULL, 'b' },
	{ "clusters", required_argument, NULL, 'M' },
	{ "delimiter", required_argument, NULL, LONG_DELIMITER },
	{ "duplicates", no_argument, NULL, 'D' },
	{ "endtime", required_argument, NULL, 'E' },
	{ "federation", no_argument, NULL, LONG_NOTHING },
	{ "format", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, LONG_HELP },
	{ "helpformat", no_argument, NULL, 'e' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "local", no_argument, NULL, LONG_NOTHING },
	{ "long", no_argument, NULL, 'l' },
	{ "name", required_argument, NULL, LONG_NAME },
	{ "noconvert", no_argument, NULL, LONG_NOTHING },
	{ "nodelist", required_argument, NULL, 'N' },
	{ "noheader", no_argument, NULL, 'n' },
	{ "parsable", no_argument, NULL, 'p' },
	{ "parsable2", no_argument, NULL, 'P' },
	{ "partition", required_argument, NULL, 'r' },
	{ "qos", required_argument, NULL, 'q' },
	{ "starttime", required_argument, NULL, 'S' },
	{ "state", required_argument, NULL, 's' },
	{ "truncate", no_argument, NULL, 'T' },
	{ "units", required_argument, NULL, LONG_NOTHING },
	{ "usage", no_argument, NULL, LONG_USAGE },
	{ "user", required_argument, NULL, 'u' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void help(void)
{
	printf("sacct [OPTIONS]\n"
	       "  -A, --accounts=LIST   -j, --jobs=LIST     -N, --nodelist=HOSTS  -r, --partition=LIST\n"
	       "  -s, --state=LIST      -u, --user=LIST     -S, --starttime=TIME  -E, --endtime=TIME\n"
	       "  -o, --format=FIELDS   -p, --parsable      -P, --parsable2       --delimiter=TEXT\n"
	       "  -n, --noheader        -b, --brief         -l, --long            -e, --helpformat\n"
	       "  -X, --allocations     -D, --duplicates    -T, --truncate        -V, --version\n");
}

/* As sacct does: four to a line. */
static void help_format(void)
{
	printf("Fields available:\n\n");
	for (size_t i = 0; i < SL_LEN(fields); i++)
		printf("%-19s%s", fields[i].name, i % 4 == 3 || i + 1 == SL_LEN(fields) ? "\n" : "");
}

static int take_states(struct acct_view *acct, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	const int status = view_list(&acct->states, text, arena, err);
	for (size_t i = 0; i < acct->states.count && !status; i++)
		if (!view_state_known(acct->states.item[i]))
			return view_refuse(
				"sacct", err, "error: Invalid state requested: %s", acct->states.item[i]);
	return status;
}

static struct view_list *list_of(struct acct_view *acct, int option)
{
	switch (option) {
	case 'A':
		return &acct->accounts;
	case 'j':
		return &acct->jobs;
	case 'q':
		return &acct->qos;
	case 'r':
		return &acct->partitions;
	case 'u':
		return &acct->users;
	case LONG_NAME:
		return &acct->names;
	default:
		return NULL;
	}
}

static const char brief[] = "jobid,state,exitcode";
static const char everything[] =
	"jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,"
	"maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,"
	"alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,"
	"consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,"
	"maxdiskwritetask,avediskwrite,reqtres,alloctres";

static int take_option(
	struct acct_view *acct, int option, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	struct view_list *list = list_of(acct, option);
	if (list)
		return view_list(list, text, arena, err);
	switch (option) {
	case 's':
		return take_states(acct, text, arena, err);
	case 'b':
		acct->format = brief;
		break;
	case 'l':
		acct->format = everything;
		break;
	case 'o':
		acct->format = text;
		break;
	case 'n':
		acct->heading = false;
		break;
	case 'N':
		acct->hosts = text;
		break;
	case 'p':
		acct->parsable = PARSE_TRAILING;
		break;
	case 'P':
		acct->parsable = PARSE_PLAIN;
		break;
	case LONG_DELIMITER:
		acct->delimiter = text;
		break;
	case 'D':
		acct->duplicates = true;
		break;
	case 'T':
		acct->truncate = true;
		break;
	case 'S':
		acct->from = text;
		break;
	case 'E':
		acct->to = text;
		break;
	case '?':
		return view_bad_option("sacct", err);
	default:
		break; /* -X: records are allocations; -a: everybody's are shown. */
	}
	return SL_OK;
}

/* "now-7days", "2026-01-12", "now": sacct's ways to say a time, as far as a run has use for them. */
static bool time_of(const struct view *view, const char *text, sl_time *time)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = { { "s", 1 }, { "mi", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 604800 }, { "", 1 } };
	const char *sign = strncmp(text, "now", 3) == 0 ? text + 3 : "";
	int64_t count;
	if (*sign != '-' && *sign != '+')
		return view_time(view, text, time);
	const size_t digits = strspn(sign + 1, "0123456789");
	if (!sl_get_i64(sign + 1, digits, &count) || count > INT64_C(10000000000))
		return false;
	for (size_t i = 0; i < SL_LEN(units); i++) {
		if (strncmp(sign + 1 + digits, units[i].unit, strlen(units[i].unit)) != 0)
			continue;
		*time = view->now + (*sign == '-' ? -count : count) * units[i].seconds * SL_SECOND;
		return true;
	}
	return false;
}

/* Without -S: from the run's beginning on. */
static int take_window(struct acct_view *acct, struct sl_err *err)
{
	acct->since = SL_NONE;
	acct->until = acct->view.now;
	if (acct->from && !time_of(&acct->view, acct->from, &acct->since))
		return view_refuse("sacct", err, "error: Invalid time specification: %s", acct->from);
	if (acct->to && !time_of(&acct->view, acct->to, &acct->until))
		return view_refuse("sacct", err, "error: Invalid time specification: %s", acct->to);
	return SL_OK;
}

static int show(struct acct_view *acct, const struct view_call *call, struct sl_err *err)
{
	int status = take_format(acct,
		acct->format ? acct->format : "jobid,jobname,partition,account,alloccpus,state,exitcode",
		err);
	if (!status)
		status = call_open(&acct->view, call, true, err);
	if (!status)
		status = take_window(acct, err);
	if (!status)
		status = view_hosts(&acct->view, acct->hosts, &acct->host, err);
	if (status)
		return status;
	if (acct->heading)
		print_heading(acct);
	print_all(acct);
	return SL_OK;
}

int view_sacct(const struct view_call *call, struct sl_err *err)
{
	struct acct_view *acct = sl_alloc(call->arena, 1, sizeof(*acct));
	int option;
	int status = SL_OK;
	if (!acct)
		return sl_fail_memory(err);
	acct->heading = true;
	acct->delimiter = "|";
	while (!status &&
		(option = view_option(call, "aA:bC:DeE:g:hi:I:j:k:K:lLM:nN:o:pPq:r:R:s:S:Ttu:vVW:x:X",
			 long_options)) != -1) {
		if (option == LONG_HELP || option == LONG_USAGE || option == 'h') {
			help();
			return SL_OK;
		}
		if (option == 'e') {
			help_format();
			return SL_OK;
		}
		if (option == 'V') {
			printf("schedlab " SL_VERSION "\n");
			return SL_OK;
		}
		status = take_option(acct, option, optarg, call->arena, err);
	}
	if (!status)
		status = show(acct, call, err);
	view_close(&acct->view);
	return status;
}
