/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_txt.c - sacct.txt: a run as `sacct -P --duplicates --allocations` would show it, in the columns that
 * Open XDMoD reads.
 *
 * Dates are those of the log's own clock: epoch + UTC offset + seconds; without an epoch they count from
 * 1970. Parts of a second are cut off. A job that was preempted has a line for each attempt; the list of
 * nodes is known of the last. No field but the last may hold a '|': such characters, and line ends, become
 * '_'.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/plugin.h"

extern const struct sl_report report_sacct;

static const char header[] =
	"jobid|jobidraw|cluster|partition|qos|account|group|gid|user|uid|submit|eligible|start|end|elapsed|"
	"exitcode|state|nnodes|ncpus|reqcpus|reqmem|reqtres|alloctres|timelimit|nodelist|jobname\n";

/* One line: a job, or one of its attempts. */
struct line {
	const struct sl_result *result;
	struct sl_out *out;
	uint32_t row;
	uint32_t number; /* Of the job in the trace, from 1. */
	const struct sl_job_attributes *more;
	sl_time start, end, run; /* SL_NONE: not yet. */
	enum sl_state state;
	bool last;                   /* Of the job's lines. */
	struct sl_allocation placed; /* count 0: not known. */
};

/* ---- Fields ------------------------------------------------------------------------------- */

static void sacct_txt_put_text(struct sl_out *out, const char *text)
{
	for (; text && *text; text++) {
		char *p = sl_out_reserve(out, 1);
		const bool breaks = *text == '|' || *text == '\n' || *text == '\r';
		*p = *text;
		if (breaks)
			*p = '_';
		sl_out_advance(out, p + 1);
	}
}

static void put_i64(struct sl_out *out, int64_t number)
{
	sl_out_advance(out, sl_put_i64(sl_out_reserve(out, 32), number));
}

static int64_t whole_seconds(sl_time time)
{
	const int64_t seconds = time / SL_SECOND;
	return seconds - (seconds * SL_SECOND > time);
}

static void put_date(const struct line *line, sl_time time)
{
	char text[32];
	struct tm date;
	const time_t at = (time_t)(line->result->epoch + line->result->utc_offset + whole_seconds(time));
	if (time == SL_NONE || !gmtime_r(&at, &date) ||
		!strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &date))
		sl_out_text(line->out, "Unknown");
	else
		sl_out_text(line->out, text);
}

/* [days-]hours:minutes:seconds */
static void put_duration(struct sl_out *out, sl_time time)
{
	const int64_t seconds = time / SL_SECOND;
	if (seconds >= 86400)
		sl_out_printf(out, "%lld-", (long long)(seconds / 86400));
	sl_out_printf(out, "%02d:%02d:%02d", (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60),
		(int)(seconds % 60));
}

/* A name, or the number where there are none; of an unknown one nothing. */
static void sacct_txt_put_name(
	struct sl_out *out, const int32_t *number, const char *const *name, uint32_t row)
{
	if (number[row] >= 0 && name)
		sacct_txt_put_text(out, name[number[row]]);
	else if (number[row] >= 0)
		put_i64(out, number[row]);
}

static const struct sl_request *sacct_txt_request_of(const struct line *line)
{
	const struct sl_jobs *jobs = line->result->jobs;
	return jobs->request ? &jobs->requests[jobs->request[line->row]] : NULL;
}

static int64_t nodes_min_of(const struct sl_request *request)
{
	int64_t nodes = 0;
	for (uint32_t i = 0; i < request->group_count; i++)
		nodes += request->group[i].nodes_min;
	return nodes ? nodes : 1;
}

static int64_t cpus_asked(const struct line *line)
{
	const struct sl_request *request = sacct_txt_request_of(line);
	return request ? request->cpus : line->result->jobs->size[line->row];
}

/* Of a counted pool, nodes of one cpu; of a job that never started, the least that it requests. */
static int64_t sacct_txt_nodes_of(const struct line *line, bool held)
{
	const struct sl_request *request = sacct_txt_request_of(line);
	if (held && line->result->nodes_held)
		return line->result->nodes_held[line->row];
	return request ? nodes_min_of(request) : line->result->jobs->size[line->row];
}

static int64_t cpu_parts(const struct line *line)
{
	return line->result->cluster ? line->result->cluster->cpu_parts : 1;
}

static void put_parts(struct sl_out *out, const char *before, int64_t amount, int64_t parts)
{
	sl_out_text(out, before);
	sl_out_advance(out, sl_put_parts(sl_out_reserve(out, 32), amount, parts));
}

/* "billing=4,cpu=4,gres/gpu=2,mem=100M,node=1"; less than a whole as a decimal. */
static void put_tres(const struct line *line, bool held)
{
	const struct sl_request *request = sacct_txt_request_of(line);
	const int64_t cpus = held ? sl_cpus_of(line->result, line->row) : cpus_asked(line);
	const int64_t gpus = held ? sl_gpus_of(line->result, line->row) : request ? request->gpus : 0;
	put_parts(line->out, "billing=", cpus, cpu_parts(line));
	put_parts(line->out, ",cpu=", cpus, cpu_parts(line));
	if (gpus)
		put_parts(line->out, ",gres/gpu=", gpus, line->result->cluster->gpu_parts);
	if (request && request->mem)
		sl_out_printf(line->out, ",mem=%lldM", (long long)request->mem);
	sl_out_printf(line->out, ",node=%lld", (long long)sacct_txt_nodes_of(line, held));
}

/* The log's own where the job ended as in the log. */
static const char *exit_code(const struct line *line)
{
	if (line->more && line->more->exit_code && line->more->state_recorded == line->state)
		return line->more->exit_code;
	if (line->state == SL_FAILED)
		return "1:0";
	return line->state == SL_OUT_OF_MEMORY ? "0:125" : "0:0";
}

/* ---- Where it ran ----------------------------------------------------------------------------- */

static int put_node_list(const struct line *line, struct sl_err *err)
{
	const struct sl_result *result = line->result;
	if (line->start == SL_NONE) {
		sl_out_text(line->out, "None assigned");
		return SL_OK;
	}
	const struct sl_node_tasks *alloc = line->placed.alloc;
	const uint32_t count = line->placed.count;
	if (!count || !result->cluster || !result->cluster->node_name)
		return SL_OK;
	const char **name = calloc((size_t)count + 1, sizeof(*name));
	size_t names = 0;
	uint32_t before = UINT32_MAX;
	for (uint32_t i = 0; name && i < count; i++) { /* Allocations on one node stand together. */
		if (alloc[i].node != before)
			name[names++] = result->cluster->node_name[alloc[i].node];
		before = alloc[i].node;
	}
	const size_t len = name ? sl_hosts_fold(name, names, NULL, 0) : 0;
	char *text = name ? malloc(len + 1) : NULL;
	if (text) {
		(void)sl_hosts_fold(name, names, text, len + 1);
		sacct_txt_put_text(line->out, text);
	}
	const bool good = text != NULL;
	free(text);
	free(name);
	return good ? SL_OK : sl_fail_memory(err);
}

/* ---- Lines --------------------------------------------------------------------------------------- */

/* The job's id as spelled, or of an array's task; and a number in any case. */
static void put_ids(const struct line *line)
{
	const struct sl_jobs *jobs = line->result->jobs;
	const char *name = jobs->id_name ? jobs->id_name[line->row] : NULL;
	const bool task = line->more && line->more->array > 0 && line->more->array_task >= 0;
	if (task)
		sl_out_printf(line->out, "%lld_%lld", (long long)line->more->array,
			(long long)line->more->array_task);
	else if (name)
		sacct_txt_put_text(line->out, name);
	else
		put_i64(line->out, jobs->id[line->row]);
	sl_out_text(line->out, "|");
	put_i64(line->out, name ? line->number : jobs->id[line->row]);
	sl_out_text(line->out, "|");
}

static void put_owner(const struct line *line)
{
	const struct sl_jobs *jobs = line->result->jobs;
	const struct sl_cluster *cluster = line->result->cluster;
	struct sl_out *out = line->out;
	sacct_txt_put_text(out, cluster && cluster->name ? cluster->name : "cluster");
	sl_out_text(out, "|");
	sacct_txt_put_name(out, jobs->partition, jobs->partition_name, line->row);
	sl_out_text(out, "|");
	sacct_txt_put_text(out, line->more && line->more->qos ? line->more->qos : "normal");
	sl_out_text(out, "|");
	sacct_txt_put_name(out, jobs->account, jobs->account_name, line->row);
	sl_out_text(out, "|||"); /* Nothing is known of groups. */
	sacct_txt_put_name(out, jobs->user, jobs->user_name, line->row);
	sl_out_text(out, "|");
	if (!jobs->user_name)
		sacct_txt_put_name(out, jobs->user, NULL, line->row);
	sl_out_text(out, "|");
}

static void put_times(const struct line *line)
{
	const sl_time submit = line->result->jobs->submit[line->row];
	const sl_time begin = line->more ? line->more->begin : SL_NONE;
	const sl_time at[] = { submit, begin != SL_NONE && begin > submit ? begin : submit, line->start,
		line->end };
	for (size_t i = 0; i < SL_LEN(at); i++) {
		put_date(line, at[i]);
		sl_out_text(line->out, "|");
	}
	put_duration(line->out, line->run);
	sl_out_printf(line->out, "|%s|%s|", exit_code(line), sl_state_name(line->state));
}

static void put_resources(const struct line *line)
{
	const struct sl_request *request = sacct_txt_request_of(line);
	const bool held = line->start != SL_NONE;
	const int64_t cpus = held ? sl_cpus_of(line->result, line->row) : cpus_asked(line);
	sl_out_printf(line->out, "%lld", (long long)sacct_txt_nodes_of(line, held));
	put_parts(line->out, "|", cpus, cpu_parts(line));
	put_parts(line->out, "|", cpus_asked(line), cpu_parts(line));
	sl_out_printf(line->out, "|%lldM|", (long long)(request ? request->mem : 0));
	put_tres(line, false);
	sl_out_text(line->out, "|");
	if (held)
		put_tres(line, true);
	sl_out_text(line->out, "|");
	put_duration(line->out, line->result->jobs->limit[line->row]);
	sl_out_text(line->out, "|");
}

static int sacct_txt_put_line(const struct line *line, struct sl_err *err)
{
	put_ids(line);
	put_owner(line);
	put_times(line);
	put_resources(line);
	const int status = put_node_list(line, err);
	sl_out_text(line->out, "|");
	for (const char *p = line->more ? line->more->name : NULL; p && *p; p++) {
		char *to = sl_out_reserve(line->out, 1);
		*to = *p;
		if (*p == '\n' || *p == '\r')
			*to = '_';
		sl_out_advance(line->out, to + 1);
	}
	sl_out_text(line->out, "\n");
	return status;
}

/* Its attempts, or its only one. */
static int sacct_txt_put_job(struct line *line, struct sl_err *err)
{
	const struct sl_result *result = line->result;
	const struct sl_attempt *attempt;
	const size_t several = sl_attempts_of(result, line->row, &attempt);
	int status = SL_OK;
	for (size_t i = 0; i < several && !status; i++) {
		line->last = i + 1 == several;
		line->placed = sl_allocation_of(result, line->row, line->last ? NULL : &attempt[i]);
		line->start = attempt[i].start;
		line->end = line->last ? result->end[line->row] : attempt[i].end;
		line->run = attempt[i].end - attempt[i].start - attempt[i].suspended;
		line->state =
			line->last ? sl_state_reported(result, line->row) : (enum sl_state)attempt[i].state;
		status = sacct_txt_put_line(line, err);
	}
	if (several)
		return status;
	line->last = true;
	line->placed = sl_allocation_of(result, line->row, NULL);
	line->start = result->start[line->row];
	line->end = result->end[line->row];
	line->run = line->start == SL_NONE ? 0 : sl_run_time_of(result, line->row);
	line->state = sl_state_reported(result, line->row);
	return sacct_txt_put_line(line, err);
}

static int write_sacct(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	uint32_t *order = calloc((size_t)jobs->count + 1, sizeof(*order));
	int status = SL_OK;
	if (!order)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs->count; row++)
		order[jobs->place ? jobs->place[row] : row] = row;
	sl_out_text(out, header);
	for (uint32_t i = 0; i < jobs->count && !status; i++) {
		const uint32_t row = order[i];
		const uint32_t more = jobs->more_of ? jobs->more_of[row] : 0;
		struct line line = { .result = result,
			.out = out,
			.row = row,
			.number = i + 1,
			.more = more ? &jobs->more[more] : NULL };
		status = sacct_txt_put_job(&line, err);
	}
	free(order);
	return status;
}

const struct sl_report report_sacct = { .abi = SL_ABI_OF(struct sl_report),
	.name = "sacct.txt",
	.summary =
		"a line a job as sacct -P has it, in the columns that Open XDMoD asks for; with --only sacct",
	.write = write_sacct,
	.on_request = true };
