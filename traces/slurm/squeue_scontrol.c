/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * squeue_scontrol.c - the text of scontrol show job: one job or many, over lines or each in one (-o).
 *
 * A job begins with JobId= at a line's beginning. A value goes on until the next key behind a blank; that of
 * a name, a command and their like, which may hold anything, until its line ends, or, of a name in one line,
 * until the key that scontrol prints next.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/squeue.h"

static const struct {
	const char *key;
	uint8_t column; /* enum sacct_column, enum squeue_column */
	const char
		*until; /* What ends the value in one line, and may be anything before it; NULL: a blank. */
} keys[] = {
	{ "JobId", SACCT_JOBID, NULL },
	{ "ArrayJobId", SQUEUE_ARRAY, NULL },
	{ "ArrayTaskId", SQUEUE_TASK, NULL },
	{ "ArrayTaskThrottle", SQUEUE_THROTTLE, NULL },
	{ "HetJobId", SQUEUE_HET, NULL },
	{ "HetJobOffset", SQUEUE_OFFSET, NULL },
	{ "JobName", SACCT_JOBNAME, " UserId=" },
	{ "UserId", SACCT_USER, NULL },
	{ "Account", SACCT_ACCOUNT, NULL },
	{ "QOS", SACCT_QOS, NULL },
	{ "JobState", SACCT_STATE, NULL },
	{ "Reason", SACCT_REASON, " Dependency=" },
	{ "Dependency", SACCT_DEPENDENCY, NULL },
	{ "ExitCode", SACCT_EXITCODE, NULL },
	{ "RunTime", SACCT_ELAPSED, NULL },
	{ "TimeLimit", SACCT_TIMELIMIT, NULL },
	{ "SubmitTime", SACCT_SUBMIT, NULL },
	{ "EligibleTime", SACCT_ELIGIBLE, NULL },
	{ "StartTime", SACCT_START, NULL },
	{ "EndTime", SACCT_END, NULL },
	{ "Partition", SACCT_PARTITION, NULL },
	{ "NodeList", SACCT_NODELIST, NULL },
	{ "NumNodes", SACCT_NNODES, NULL },
	{ "NumCPUs", SACCT_REQCPUS, NULL },
	{ "NumTasks", SACCT_TASKS, NULL },
	{ "CPUs/Task", SACCT_CPUS_PER_TASK, NULL },
	{ "ReqTRES", SACCT_REQTRES, NULL },
	{ "AllocTRES", SACCT_ALLOCTRES, NULL },
	{ "TRES", SQUEUE_TRES, NULL },
	{ "MinMemoryNode", SQUEUE_MEM_NODE, NULL },
	{ "MinMemoryCPU", SQUEUE_MEM_CPU, NULL },
	{ "Features", SACCT_CONSTRAINTS, NULL },
	{ "Reservation", SACCT_RESERVATION, NULL },
	{ "OverSubscribe", SACCT_SHARED, NULL },
	{ "Shared", SACCT_SHARED, NULL },
	{ "TresPerNode", SACCT_GRES, NULL },
	{ "SubmitLine", SACCT_SUBMITLINE, " WorkDir=" },
	/* They may hold anything, and say nothing. */
	{ "Command", SQUEUE_OTHER, " WorkDir=" },
	{ "WorkDir", SQUEUE_OTHER, " StdErr=" },
	{ "Comment", SQUEUE_OTHER, " StdErr=" },
	{ "AdminComment", SQUEUE_OTHER, " StdErr=" },
	{ "SystemComment", SQUEUE_OTHER, " StdErr=" },
};

struct displayed_jobs {
	struct squeue queue;
	struct squeue_record record;
	bool open; /* There is a record. */
};

static bool is_key(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || sl_is_digit(c) || c == '_' || c == ':' ||
	       c == '/';
}

/* Where the next KEY= begins, with the blank before it; the end. */
static const char *next_key(const char *p, const char *end)
{
	for (; p < end; p++) {
		const char *word = p + 1;
		if (*p != ' ' || word == end || *word < 'A' || *word > 'Z')
			continue;
		while (word < end && is_key(*word))
			word++;
		if (word < end && *word == '=')
			return p;
	}
	return end;
}

static void value_in(struct displayed_jobs *t, uint8_t column, const char *p, size_t len)
{
	if (column >= SQUEUE_COLUMNS || !len)
		return;
	struct sacct_cell *cell = &t->record.cell[column];
	const char *brace = column == SACCT_USER ? memchr(p, '(', len) : NULL;
	if (brace) /* "ann(1000)" */
		len = (size_t)(brace - p);
	*cell = (struct sacct_cell){ p, len };
	if (column == SACCT_SHARED) /* "NO" is --exclusive. */
		*cell = sacct_is(cell, "NO") ? (struct sacct_cell){ "0", 1 } : (struct sacct_cell){ NULL, 0 };
}

static void pairs_in(struct displayed_jobs *t, const char *p, const char *end)
{
	while (p < end) {
		while (p < end && *p == ' ')
			p++;
		const char *equals = memchr(p, '=', (size_t)(end - p));
		if (!equals)
			return;
		const size_t len = (size_t)(equals - p);
		const char *value = equals + 1;
		const char *stop = NULL;
		uint8_t column = SQUEUE_OTHER;
		for (size_t i = 0; i < SL_LEN(keys); i++) {
			if (strlen(keys[i].key) != len || memcmp(keys[i].key, p, len) != 0)
				continue;
			column = keys[i].column;
			if (keys[i].until) {
				stop = memmem(
					value, (size_t)(end - value), keys[i].until, strlen(keys[i].until));
				stop = stop ? stop : end;
			}
		}
		if (!stop)
			stop = next_key(value, end);
		value_in(t, column, value, (size_t)(stop - value));
		p = stop;
	}
}

static int record_close(struct displayed_jobs *t)
{
	if (!t->open)
		return SL_OK;
	t->open = false;
	return squeue_put(&t->queue, &t->record);
}

static bool begins_job(const char *p, const char *end)
{
	return end - p > 6 && memcmp(p, "JobId=", 6) == 0 && sl_is_digit(p[6]);
}

static bool is_no_job(const char *p, const char *end)
{
	static const char none[] = "No jobs in the system";
	return (size_t)(end - p) >= sizeof(none) - 1 && memcmp(p, none, sizeof(none) - 1) == 0;
}

static int lines_in(struct displayed_jobs *t, const char *p, const char *end)
{
	uint64_t line = 1;
	int status = SL_OK;
	for (; p < end && !status; line++) {
		const char *stop = sacct_line_end(p, end);
		const char *last = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
		if (begins_job(p, last)) {
			status = record_close(t);
			t->record = (struct squeue_record){ .line = line };
			t->open = true;
			pairs_in(t, p, last);
		} else if (t->open && p < last && *p == ' ') {
			pairs_in(t, p, last);
		} else {
			status = record_close(t);
		}
		p = stop + 1;
	}
	return status ? status : record_close(t);
}

static int jobs_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct displayed_jobs *t = calloc(1, sizeof(*t));
	if (!t)
		return sl_fail_memory(err);
	const char *text = NULL;
	const char *end = NULL;
	int status = squeue_begin(&t->queue, sl_input_name(in), sink, err);
	if (!status)
		status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = lines_in(t, text, end);
	if (!status)
		status = sacct_end(&t->queue.s);
	squeue_release(&t->queue);
	free(t);
	return status;
}

static int jobs_sniff(const char *text, size_t len)
{
	const char *end = text + len;
	while (text < end && (*text == '\n' || *text == '\r' || *text == ' '))
		text++;
	return begins_job(text, end) ? 96 : is_no_job(text, end) ? 90 : 0;
}

const struct sl_reader scontrol_jobs_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "scontrol-jobs",
	.summary = "Slurm's jobs as text: scontrol show job, also -o",
	.sniff = jobs_sniff,
	.read = jobs_read,
};
