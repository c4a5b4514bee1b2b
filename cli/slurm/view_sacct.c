/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sacct.c - sacct: the accounting records of a run, one line a job (with -D: an attempt).
 *
 * Steps are not modelled, so records are allocations, as with -X. What a run does not know (processor time
 * used, memory used) is empty, or zero where the real command has zero for jobs that report nothing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"
#include "traces/slurm/sacct.h"

/* A record: a job, or one attempt of it. */
struct record {
	uint32_t job;
	enum sl_state state;
	sl_time start, end; /* SL_NONE: not yet. */
	sl_time suspended;
	const struct sl_attempt *attempt; /* Of earlier ones; NULL: as it is now. */
};

#define RECORD       ((const struct record *)line)
#define JOB          (RECORD->job)
#define TEXT(text)   cell_put(cell, "%s", text)
#define NUMBER(n)    cell_put(cell, "%" PRId64, (int64_t)(n))
#define RANGE(spent) put_range(cell, spent, true)

static const char *or_none(const char *text) { return text ? text : ""; }

/* ---- Fields -------------------------------------------------------------------------------- */

VIEW_FIELD(put_id) { put_job_id(cell, view, JOB); }
VIEW_FIELD(put_raw) { put_job_raw(cell, view, JOB); }
VIEW_FIELD(put_owner) { put_user(cell, view, JOB, ""); }
VIEW_FIELD(put_acct) { put_account(cell, view, JOB, ""); }
VIEW_FIELD(put_part) { put_partition(cell, view, JOB); }

VIEW_FIELD(put_uid)
{
	if (!view->jobs->user_count && view->jobs->user[JOB] >= 0)
		put_user(cell, view, JOB, "");
}

VIEW_FIELD(view_sacct_put_cluster) { TEXT(view->cluster->name ? view->cluster->name : "cluster"); }

VIEW_FIELD(view_sacct_put_name) { TEXT(or_none(view_more(view, JOB)->name)); }

VIEW_FIELD(put_qos) { TEXT(or_none(view_qos(view, JOB))); }

VIEW_FIELD(put_submit) { put_date(cell, view, view->jobs->submit[JOB]); }

static sl_time eligible_of(const struct view *view, uint32_t job)
{
	const struct sl_job_attributes *more = view_more(view, job);
	const sl_time submit = view->jobs->submit[job];
	return more->begin != SL_NONE && more->begin > submit ? more->begin : submit;
}

VIEW_FIELD(put_eligible) { put_date(cell, view, eligible_of(view, JOB)); }

VIEW_FIELD(put_start)
{
	if (RECORD->start == SL_NONE && RECORD->end != SL_NONE)
		TEXT("None"); /* Cancelled before. */
	else
		put_date(cell, view, RECORD->start);
}

VIEW_FIELD(view_sacct_put_end) { put_date(cell, view, RECORD->end); }

static int64_t elapsed_of(const struct view *view, const struct record *record)
{
	const sl_time end = record->end == SL_NONE ? view->now : record->end;
	return record->start == SL_NONE
		       ? 0
		       : seconds_of(end) - seconds_of(record->start) - seconds_of(record->suspended);
}

VIEW_FIELD(put_elapsed) { RANGE(elapsed_of(view, RECORD)); }
VIEW_FIELD(put_elapsed_raw) { NUMBER(elapsed_of(view, RECORD)); }
VIEW_FIELD(put_time_limit) { put_limit(cell, view, JOB, true); }

VIEW_FIELD(put_limit_raw)
{
	const sl_time limit = view->jobs->limit[JOB];
	if (limit >= SL_TIME_MOST)
		TEXT("UNLIMITED");
	else
		NUMBER((seconds_of(limit) + 59) / 60);
}

VIEW_FIELD(view_sacct_put_state) { TEXT(sl_state_name(RECORD->state)); }

/* The recorded one, as long as the job ends as it did then. */
VIEW_FIELD(put_exit_code)
{
	const struct sl_job_attributes *more = view_more(view, JOB);
	if (more->exit_code && more->state_recorded == RECORD->state)
		TEXT(more->exit_code);
	else if (RECORD->state == SL_FAILED)
		TEXT("1:0");
	else if (RECORD->state == SL_OUT_OF_MEMORY)
		TEXT("0:125");
	else
		TEXT("0:0");
}

static bool has_nodes(const struct record *record) { return record->start != SL_NONE; }

static struct view_place view_sacct_place_of(const struct view *view, const struct record *record)
{
	if (!record->attempt || !view->cluster->node_count)
		return view->place[record->job];
	const struct sl_allocation placed = sl_allocation_of(view->result, record->job, record->attempt);
	return (struct view_place){ placed.alloc, placed.count };
}

VIEW_FIELD(put_nodes_held) { NUMBER(view_job_nodes(view, JOB)); }
/* AllocCPUS too: of one that waits, what it requests. */
VIEW_FIELD(put_ncpus) { TEXT(view_cpus(view, view_job_cpus(view, JOB)).text); }
VIEW_FIELD(put_req_cpus) { TEXT(view_cpus(view, view_cpus_asked(view, JOB)).text); }

/* "4G" in all, as since Slurm 21.08. */
VIEW_FIELD(put_req_mem) { put_mem(cell, view_mem_asked(view, JOB)); }

VIEW_FIELD(put_tres_asked) { put_tres_wanted(cell, view, JOB); }

VIEW_FIELD(put_tres_held)
{
	if (has_nodes(RECORD))
		put_tres(cell, view, JOB, true);
}

VIEW_FIELD(put_node_list)
{
	if (!has_nodes(RECORD))
		TEXT("None assigned");
	else
		put_place(cell, view, view_sacct_place_of(view, RECORD));
}

VIEW_FIELD(put_reason)
{
	TEXT(RECORD->state == SL_PENDING ? sl_reason_name(view_reason(view, JOB)) : "None");
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

VIEW_FIELD(put_planned) { RANGE(planned_of(view, RECORD)); }
/* Seconds times cpus, whole ones. */
static int64_t times_cpus(const struct view *view, const struct record *record, int64_t seconds)
{
	return seconds * view_job_cpus(view, record->job) / sl_parts(view->cluster->cpu_parts);
}

VIEW_FIELD(put_planned_cpu) { RANGE(times_cpus(view, RECORD, planned_of(view, RECORD))); }
VIEW_FIELD(put_planned_cpu_raw) { NUMBER(times_cpus(view, RECORD, planned_of(view, RECORD))); }

static int64_t cpu_seconds(const struct view *view, const struct record *record)
{
	return times_cpus(view, record, elapsed_of(view, record));
}

VIEW_FIELD(put_cpu_time) { RANGE(cpu_seconds(view, RECORD)); }
VIEW_FIELD(put_cpu_time_raw) { NUMBER(cpu_seconds(view, RECORD)); }

VIEW_FIELD(put_suspended) { RANGE(seconds_of(RECORD->suspended)); }

VIEW_FIELD(put_priority) { NUMBER(view->priority[JOB]); }

VIEW_FIELD(put_submit_line) { TEXT(or_none(view_more(view, JOB)->submit_line)); }

VIEW_FIELD(put_restarts)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(view->result, JOB, &attempt);
	NUMBER(count ? count - 1 : 0);
}

/* What was asked in Slurm's words, a text each. */
#define ASKED(name, member)                                            \
	VIEW_FIELD(name)                                               \
	{                                                              \
		const struct sl_job_desc *desc = view_desc(view, JOB); \
		TEXT(or_none(desc ? desc->member : NULL));             \
	}
ASKED(put_constraint, constraint)
ASKED(put_licenses, licenses)
ASKED(put_reservation, reservation)

/* What a job used of its time is not modelled: as of jobs that report nothing. */
VIEW_FIELD(put_no_time) { TEXT("00:00:00"); }

/* Of the columns that sacct has (sacct_columns.c), those of which something is known here. */
static const struct {
	const char *name;
	view_put *put;
} known[] = { { "Account", put_acct }, { "AllocCPUS", put_ncpus }, { "AllocNodes", put_nodes_held },
	{ "AllocTRES", put_tres_held }, { "Cluster", view_sacct_put_cluster },
	{ "Constraints", put_constraint }, { "CPUTime", put_cpu_time }, { "CPUTimeRAW", put_cpu_time_raw },
	{ "DerivedExitCode", put_exit_code }, { "Elapsed", put_elapsed }, { "ElapsedRaw", put_elapsed_raw },
	{ "Eligible", put_eligible }, { "End", view_sacct_put_end }, { "ExitCode", put_exit_code },
	{ "JobID", put_id }, { "JobIDRaw", put_raw }, { "JobName", view_sacct_put_name },
	{ "Licenses", put_licenses }, { "NCPUS", put_ncpus }, { "NNodes", put_nodes_held },
	{ "NodeList", put_node_list }, { "Partition", put_part }, { "Planned", put_planned },
	{ "PlannedCPU", put_planned_cpu }, { "PlannedCPURAW", put_planned_cpu_raw },
	{ "Priority", put_priority }, { "QOS", put_qos }, { "Reason", put_reason },
	{ "ReqCPUS", put_req_cpus }, { "ReqMem", put_req_mem }, { "ReqNodes", put_nodes_held },
	{ "ReqTRES", put_tres_asked }, { "Reservation", put_reservation }, { "Reserved", put_planned },
	{ "ResvCPU", put_planned_cpu }, { "ResvCPURAW", put_planned_cpu_raw }, { "Restarts", put_restarts },
	{ "Start", put_start }, { "State", view_sacct_put_state }, { "Submit", put_submit },
	{ "SubmitLine", put_submit_line }, { "Suspended", put_suspended }, { "SystemCPU", put_no_time },
	{ "Timelimit", put_time_limit }, { "TimelimitRaw", put_limit_raw }, { "TotalCPU", put_no_time },
	{ "UID", put_uid }, { "User", put_owner }, { "UserCPU", put_no_time } };

static view_put *put_of(const char *name)
{
	size_t i = 0;
	while (i < SL_LEN(known) && strcmp(known[i].name, name) != 0)
		i++;
	return i < SL_LEN(known) ? known[i].put : NULL;
}

enum { FIELDS_MAX = 200 };

/* As sacct lists them. */
static size_t fields_make(struct view_named field[FIELDS_MAX])
{
	size_t count = 0;
	for (const struct sacct_name *of = sacct_names; of->name && count < FIELDS_MAX; of++)
		if (of->width)
			field[count++] = (struct view_named){ of->name, of->width, put_of(of->name), false };
	return count;
}

/* As sacct does: four to a line. */
static void help_format(void)
{
	struct view_named field[FIELDS_MAX];
	const size_t count = fields_make(field);
	printf("Fields available:\n\n");
	for (size_t i = 0; i < count; i++)
		printf("%-19s%s", field[i].name, i % 4 == 3 || i + 1 == count ? "\n" : "");
}

/* ---- Which -------------------------------------------------------------------------------------- */

struct acct_view {
	struct view view;
	const char *format, *from, *to, *hosts;
	bool bare, duplicates, truncate;
	struct view_list users, accounts, partitions, states, jobs, job_names, qos;
	bool *host;
	struct view_named field[FIELDS_MAX];
	struct view_names names;
	sl_time since, until;
};
static const struct view_tool sacct;

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

static bool view_sacct_is_displayed(
	const struct acct_view *acct, const struct record *record, struct cell *cell)
{
	return in_window(acct, record) && list_has_job(&acct->jobs, &acct->view, record->job) &&
	       view_on_hosts(acct->host, view_sacct_place_of(&acct->view, record)) &&
	       view_selects(&sacct, acct, record, cell);
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
		if (view_sacct_is_displayed(acct, &record, cell))
			names_line(&acct->names, view, &record, cell);
	}
}

static void print_all(struct acct_view *acct)
{
	struct cell cell = { 0 };
	for (uint32_t job = 0; job < acct->view.submitted; job++) {
		struct record record = record_of(&acct->view, job);
		if (acct->duplicates)
			print_attempts(acct, job, &cell);
		if (!view_sacct_is_displayed(acct, &record, &cell))
			continue;
		if (acct->truncate && record.start != SL_NONE && record.start < acct->since)
			record.start = acct->since;
		if (acct->truncate && record.end != SL_NONE && record.end > acct->until)
			record.end = acct->until;
		names_line(&acct->names, &acct->view, &record, &cell);
	}
	cell_free(&cell);
}

/* ---- Options ---------------------------------------------------------------------------------------- */

static int check_states(void *self, const char *value, struct sl_err *err)
{
	const struct view_list *states = &((struct acct_view *)self)->states;
	(void)value;
	for (size_t i = 0; i < states->count; i++)
		if (!view_state_known(states->item[i]))
			return view_refuse(
				"sacct", err, "error: Invalid state requested: %s", states->item[i]);
	return SL_OK;
}

static int take_brief(void *self, const char *value, struct sl_err *err)
{
	(void)value;
	(void)err;
	((struct acct_view *)self)->format = "jobid,state,exitcode";
	return SL_OK;
}

static int take_long(void *self, const char *value, struct sl_err *err)
{
	(void)value;
	(void)err;
	((struct acct_view *)self)->format =
		"jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,"
		"maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,"
		"alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,"
		"consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,"
		"maxdiskwritetask,avediskwrite,reqtres,alloctres";
	return SL_OK;
}

#define VIEW_SELF struct acct_view
/* -X: records are allocations; -a: all users' are listed. */
static const struct view_option options[] = {
	{ OPT_LIST("accounts", 'A', accounts, put_acct, NULL) },
	{ OPT_SKIP("allclusters", 0) },
	{ OPT_SKIP("allocations", 'X') },
	{ OPT_SKIP("allusers", 'a') },
	{ OPT_CALL("brief", 'b', take_brief) },
	{ OPT_SKIP_VALUE("clusters", 'M') },
	{ OPT_TEXT("delimiter", 0, names.delimiter) },
	{ OPT_FLAG("duplicates", 'D', duplicates) },
	{ OPT_TEXT("endtime", 'E', to) },
	{ OPT_SKIP("federation", 0) },
	{ OPT_TEXT("format", 'o', format) },
	{ OPT_HELP("help", 0) },
	{ OPT_FIELDS("helpformat", 'e') },
	{ OPT_LIST("jobs", 'j', jobs, NULL, NULL) },
	{ OPT_SKIP("local", 0) },
	{ OPT_CALL("long", 'l', take_long) },
	{ OPT_LIST("name", 0, job_names, view_sacct_put_name, NULL) },
	{ OPT_SKIP("noconvert", 0) },
	{ OPT_TEXT("nodelist", 'N', hosts) },
	{ OPT_FLAG("noheader", 'n', bare) },
	{ OPT_MARK("parsable", 'p', names.parsable) },
	{ OPT_MARK("parsable2", 'P', names.parsable) },
	{ OPT_LIST("partition", 'r', partitions, put_part, NULL) },
	{ OPT_LIST("qos", 'q', qos, put_qos, NULL) },
	{ OPT_TEXT("starttime", 'S', from) },
	{ OPT_LIST("state", 's', states, NULL, check_states) },
	{ OPT_FLAG("truncate", 'T', truncate) },
	{ OPT_SKIP_VALUE("units", 0) },
	{ OPT_HELP("usage", 0) },
	{ OPT_LIST("user", 'u', users, put_owner, NULL) },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_HELP(NULL, 'h') },
	{ OPT_SKIP(NULL, 'L') },
	{ OPT_SKIP(NULL, 't') },
	{ OPT_SKIP_VALUE(NULL, 'C') },
	{ OPT_SKIP_VALUE(NULL, 'g') },
	{ OPT_SKIP_VALUE(NULL, 'i') },
	{ OPT_SKIP_VALUE(NULL, 'I') },
	{ OPT_SKIP_VALUE(NULL, 'k') },
	{ OPT_SKIP_VALUE(NULL, 'K') },
	{ OPT_SKIP_VALUE(NULL, 'R') },
	{ OPT_SKIP_VALUE(NULL, 'W') },
	{ OPT_SKIP_VALUE(NULL, 'x') },
};

/* "now-7days", "2026-01-12", "now": sacct's ways to say a time, as far as a run has use for them. */
static bool view_sacct_time_of(const struct view *view, const char *text, sl_time *time)
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
	if (acct->from && !view_sacct_time_of(&acct->view, acct->from, &acct->since))
		return view_refuse("sacct", err, "error: Invalid time specification: %s", acct->from);
	if (acct->to && !view_sacct_time_of(&acct->view, acct->to, &acct->until))
		return view_refuse("sacct", err, "error: Invalid time specification: %s", acct->to);
	return SL_OK;
}

static int take_format(struct acct_view *acct, struct sl_err *err)
{
	const char *format =
		acct->format ? acct->format : "jobid,jobname,partition,account,alloccpus,state,exitcode";
	struct view_names *names = &acct->names;
	names->tool = "sacct";
	names->field = acct->field;
	names->field_count = fields_make(acct->field);
	if (strcasecmp(format, "ALL") != 0)
		return names_take(names, format, err);
	for (size_t i = 0; i < names->field_count; i++) {
		names->column[i].field = &names->field[i];
		names->column[i].width = names->field[i].width;
	}
	names->count = names->field_count;
	return SL_OK;
}

static int view_sacct_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct acct_view *acct = self;
	int status = take_format(acct, err);
	if (!status)
		status = call_open(&acct->view, call, true, err);
	if (!status)
		status = take_window(acct, err);
	if (!status)
		status = view_hosts(&acct->view, acct->hosts, &acct->host, err);
	if (status)
		return status;
	if (!acct->bare)
		names_heading(&acct->names);
	print_all(acct);
	return SL_OK;
}

static const struct view_tool sacct = {
	.name = "sacct",
	.help = "sacct [OPTIONS]\n"
		"  -A, --accounts=LIST   -j, --jobs=LIST     -N, --nodelist=HOSTS  -r, --partition=LIST\n"
		"  -s, --state=LIST      -u, --user=LIST     -S, --starttime=TIME  -E, --endtime=TIME\n"
		"  -o, --format=FIELDS   -p, --parsable      -P, --parsable2       --delimiter=TEXT\n"
		"  -n, --noheader        -b, --brief         -l, --long            -e, --helpformat\n"
		"  -X, --allocations     -D, --duplicates    -T, --truncate        -V, --version\n",
	.option = options,
	.option_count = SL_LEN(options),
	.help_format = help_format,
	.show = view_sacct_show,
};

int view_sacct(const struct view_call *call, struct sl_err *err)
{
	struct acct_view *acct = sl_alloc(call->arena, 1, sizeof(*acct));
	return acct ? view_run(&sacct, acct, call, err) : sl_fail_memory(err);
}
