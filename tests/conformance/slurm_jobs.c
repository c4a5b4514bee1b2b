/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_jobs.c - a recorded scenario's jobs as `sacct -P` would list them, and its events as what an operator
 * did.
 *
 * A job's run time is what it ran when it ended by itself, else what the scenario gave it. Where it ran and
 * when it started is left out: nothing of the answer goes in.
 */
#include <stdio.h>
#include <string.h>

#include "tests/conformance/slurm_timing.h"

static const struct json *get(const struct json *o, const char *key) { return json_member(o, key); }

static const char *text_in(const struct json *o, const char *key)
{
	const struct json *value = get(o, key);
	return json_is_text(value) ? value->text : NULL;
}

struct jobs {
	struct slurm_files *files;
	const struct slurm_case *c;
	const struct json *json;
	const struct slurm_timing *timing;
	FILE *out;
};

/* ---- Numbers of jobs -------------------------------------------------------------------------------------
 */

static const struct slurm_job *case_job(const struct slurm_case *c, const char *id, size_t len)
{
	for (size_t i = 0; i < c->job_count; i++)
		if (strlen(c->job[i].id) == len && memcmp(c->job[i].id, id, len) == 0)
			return &c->job[i];
	return NULL;
}

/* Of an array: the number that sbatch printed, which its last task keeps. */
static int64_t number_of(const struct slurm_case *c, const struct slurm_job *job)
{
	int64_t number = SL_NONE;
	for (size_t i = 0; i < c->row_count; i++)
		if (c->row[i].job == job && c->row[i].row_id != SL_NONE &&
			(number == SL_NONE || c->row[i].row_id < number))
			number = c->row[i].row_id;
	return number == SL_NONE ? 1000000 + (job - c->job) : number;
}

void slurm_trace_id(const struct slurm_case *c, const struct slurm_row *row, char *id, size_t size)
{
	const char *task = row->id + strlen(row->job->id);
	(void)snprintf(id, size, "%lld%s", (long long)number_of(c, row->job), task);
}

static bool was_refused(const struct slurm_case *c, const struct slurm_job *job)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (c->row[i].job == job && strcmp(c->row[i].state, "REJECTED") == 0)
			return true;
	return false;
}

/* "@A" becomes A's number, as it did when the scenario was recorded. */
static void numbered(const struct slurm_case *c, const char *text, char *to, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	size_t at = 0;
	while (*text && at + 24 < size) {
		const size_t len = *text == '@' ? strspn(text + 1, letters) : 0;
		if (!len) {
			to[at++] = *text++;
			continue;
		}
		const struct slurm_job *job = case_job(c, text + 1, len);
		const int64_t number = job && !was_refused(c, job) ? number_of(c, job) : 0;
		at += (size_t)snprintf(to + at, size - at, "%lld", (long long)number);
		text += 1 + len;
	}
	to[at] = '\0';
}

/* ---- Times
 * ------------------------------------------------------------------------------------------------- */

/* Of one day: scenarios last an hour or so. */
static void put_date(FILE *out, int64_t second)
{
	(void)fprintf(out, "2024-01-%02dT%02d:%02d:%02d", (int)(second / 86400) + 1,
		(int)(second / 3600 % 24), (int)(second / 60 % 60), (int)(second % 60));
}

/* A row of the last attempt that ended by itself; NULL: it never did. */
static const struct slurm_row *own_end(const struct slurm_case *c, const char *id)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct slurm_row *row = &c->row[i];
		if (strcmp(row->id, id) == 0 && row->started != SL_NONE && row->end != SL_NONE &&
			(strcmp(row->state, "COMPLETED") == 0 || strcmp(row->state, "FAILED") == 0))
			return row;
	}
	return NULL;
}

/* Seconds for which the operator had stopped it; SL_NONE: slurmctld may have, too. */
static int64_t stopped_of(const struct jobs *j, const char *id)
{
	const struct json *mode = get(get(get(j->json, "cluster"), "conf"), "PreemptMode");
	const struct json *event;
	int64_t stopped = 0;
	if (json_is_text(mode) && (strcasestr(mode->text, "suspend") || strcasestr(mode->text, "gang")))
		return SL_NONE;
	JSON_EACH (event, get(j->json, "events")) {
		const struct json *at = get(event, "t");
		const char *text = text_in(event, "cmd");
		const char *job = text ? strchr(text, '@') : NULL;
		if (!job || strcmp(job + 1, id) != 0 || !json_is_number(at))
			continue;
		if (strstr(text, "scontrol suspend "))
			stopped -= (int64_t)at->number;
		else if (strstr(text, "scontrol resume "))
			stopped += (int64_t)at->number;
	}
	return stopped >= 0 ? stopped : SL_NONE;
}

/* The rig lets a job's script end so that its epilog is done when its run time is over, mostly: the end,
 * which is the script's, is then recorded in the second before. The job is COMPLETING from its end on; where
 * epilogs were prompt, it ended, for the whole seconds of a log, as they were done. */
static int64_t run_of(const struct jobs *j, const struct json *job, const char *id, int64_t task)
{
	char index[24];
	const struct json *run = get(job, "run");
	const struct slurm_row *row = own_end(j->c, id);
	if (json_is_map(run)) {
		(void)snprintf(index, sizeof(index), "%lld", (long long)task);
		run = get(run, index);
	}
	const int64_t given = json_is_number(run) ? (int64_t)run->number : 10;
	const int64_t stopped = json_is_true(get(j->json, "suspendable")) ? stopped_of(j, id) : 0;
	if (!row || stopped == SL_NONE)
		return given;
	const int64_t recorded = row->end - row->started - stopped;
	return recorded + (j->timing->prompt && recorded < given);
}

/* Where a second was lost between the rig's clock and sbatch, the recorded one counts: but of a job that was
 * requeued, that is the time of its requeue. */
static int64_t submit_of(const struct jobs *j, const struct slurm_job *job, const char *id)
{
	const struct slurm_row *only = NULL;
	size_t count = 0;
	for (size_t i = 0; i < j->c->row_count; i++)
		if (strcmp(j->c->row[i].id, id) == 0) {
			only = &j->c->row[i];
			count++;
		}
	const bool reported = count == 1 && only->submit != SL_NONE && only->submit >= job->submit;
	const int64_t submit = reported ? only->submit : job->submit;
	if (!j->timing->late || !reported || only->started <= submit || only->reasons[0])
		return submit;
	if (only->started <= submit + SLURM_LATE_MAX)
		return only->started;
	/* When a job was given nodes that boot is not recorded: its start is when they were up. */
	return j->c->suspend_time != SL_NONE ? submit + 1 : submit;
}

/* ---- Rows
 * -------------------------------------------------------------------------------------------------- */

static void put_options(const struct jobs *j, const struct json *job)
{
	static const char *const not_sbatch[] = { "id", "t", "run", "user", "exit", "comment_", "hetjob" };
	char text[1000];
	char value[1200];
	const struct json *item;
	JSON_EACH (item, job) {
		bool skip = !slurm_value(item, text, sizeof(text));
		for (size_t i = 0; i < SL_LEN(not_sbatch); i++)
			skip |= strcmp(item->key, not_sbatch[i]) == 0;
		if (skip)
			continue;
		(void)fputs(" --", j->out);
		for (const char *p = item->key; *p; p++)
			(void)fputc(*p == '_' ? '-' : *p, j->out);
		numbered(j->c, text, value, sizeof(value));
		if (!json_is_true(item))
			(void)fprintf(j->out, "=%s", value);
	}
}

static void put_line(const struct jobs *j, const struct json *job)
{
	const struct json *component;
	(void)fputs("sbatch --export=NIL", j->out);
	put_options(j, job);
	JSON_EACH (component, get(job, "hetjob")) {
		(void)fputs(" :", j->out);
		put_options(j, component);
	}
	(void)fputs(" --wrap=true\n", j->out);
}

static const struct json *account_user(const struct jobs *j, const struct json *job)
{
	const char *user = text_in(job, "user");
	const char *account = text_in(job, "account");
	const struct json *one;
	JSON_EACH (one, get(get(j->json, "accounting"), "users")) {
		const char *of = text_in(one, "account");
		if (user && strcmp(text_in(one, "name"), user) == 0 &&
			(!account || (of && strcmp(of, account) == 0)))
			return one;
	}
	return NULL;
}

static void put_row(const struct jobs *j, const struct json *job, const struct slurm_job *of, int64_t task,
	int64_t component)
{
	char id[80];
	const struct json *user = account_user(j, job);
	const struct json *exit_code = get(job, "exit");
	const bool fails = json_is_number(exit_code) && exit_code->number != 0;
	const char *qos = text_in(job, "qos");
	const char *account = text_in(job, "account");
	const char *name = text_in(job, "job_name");
	if (!qos)
		qos = text_in(user, "defaultqos");
	if (!qos && user)
		qos = "normal";
	if (!account)
		account = text_in(user, "account");
	if (task >= 0)
		(void)snprintf(id, sizeof(id), "%s_%lld", of->id, (long long)task);
	else
		(void)snprintf(id, sizeof(id), "%s", of->id);
	(void)fprintf(j->out, "%lld", (long long)number_of(j->c, of));
	if (task >= 0)
		(void)fprintf(j->out, "_%lld", (long long)task);
	if (component >= 0)
		(void)fprintf(j->out, "+%lld", (long long)component);
	(void)fprintf(j->out, "|%s|%s|%s||%s|", name ? name : of->id, of->user ? of->user : "root",
		account ? account : "", qos ? qos : "");
	put_date(j->out, j->timing->phase + submit_of(j, of, id));
	(void)fprintf(j->out, "|Unknown|Unknown|%lld|%s|%d:0|", (long long)run_of(j, job, id, task),
		fails ? "FAILED" : "COMPLETED", fails ? (int)exit_code->number : 0);
	put_line(j, job);
}

/* "1-6:2,9%2" */
static void put_tasks(
	const struct jobs *j, const struct json *job, const struct slurm_job *of, const char *list)
{
	while (*list && *list != '%') {
		int64_t from = 0;
		int64_t until;
		int64_t step = 1;
		size_t len = strspn(list, "0123456789");
		(void)sl_get_i64(list, len, &from);
		list += len;
		until = from;
		if (*list == '-') {
			len = strspn(++list, "0123456789");
			(void)sl_get_i64(list, len, &until);
			list += len;
		}
		if (*list == ':') {
			len = strspn(++list, "0123456789");
			(void)sl_get_i64(list, len, &step);
			list += len;
		}
		for (int64_t task = from; task <= until; task += step > 0 ? step : 1)
			put_row(j, job, of, task, -1);
		if (*list && *list != '%')
			list++;
	}
}

static void put_components(const struct jobs *j, const struct json *job, const struct slurm_job *of)
{
	const struct json *component;
	int64_t k = 0;
	put_row(j, job, of, -1, k++);
	JSON_EACH (component, get(job, "hetjob"))
		put_row(j, job, of, -1, k++);
}

static int put_jobs(struct jobs *j)
{
	char text[1000];
	const struct json *job;
	j->out = slurm_file_new(j->files, "sacct.txt");
	if (!j->out)
		return SL_SYSTEM;
	(void)fputs(
		"JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine\n",
		j->out);
	JSON_EACH (job, get(j->json, "jobs")) {
		const char *id = text_in(job, "id");
		const struct slurm_job *of = id ? case_job(j->c, id, strlen(id)) : NULL;
		if (!of)
			continue;
		if (slurm_value(get(job, "array"), text, sizeof(text)))
			put_tasks(j, job, of, text);
		else if (get(job, "hetjob"))
			put_components(j, job, of);
		else
			put_row(j, job, of, -1, -1);
	}
	return fclose(j->out) ? SL_SYSTEM : SL_OK;
}

/* ---- What the operator did
 * ---------------------------------------------------------------------------------- */

/* The rig's users go by names that every system has. */
static void put_command(FILE *out, const char *text)
{
	static const char *const name[] = { "games", "man", "lp", "mail", "news", "uucp", "proxy",
		"www-data" };
	const char *at = text;
	while (*at) {
		size_t i = 0;
		while (i < SL_LEN(name) &&
			!(at > text && strchr("=,", at[-1]) && strncmp(at, name[i], strlen(name[i])) == 0 &&
				strchr(", ", at[strlen(name[i])])))
			i++;
		if (i < SL_LEN(name)) {
			(void)fprintf(out, "u%zu", i + 1);
			at += strlen(name[i]);
		} else {
			(void)fputc(*at++, out);
		}
	}
	(void)fputc('\n', out);
}

static int put_commands(const struct jobs *j)
{
	char text[2000];
	const struct json *event;
	FILE *out = slurm_file_new(j->files, "commands.txt");
	if (!out)
		return SL_SYSTEM;
	JSON_EACH (event, get(j->json, "events")) {
		const struct json *at = get(event, "t");
		if (!json_is_number(at) || !text_in(event, "cmd"))
			continue;
		numbered(j->c, text_in(event, "cmd"), text, sizeof(text));
		put_date(out, j->timing->phase + (int64_t)at->number);
		(void)fputc(' ', out);
		put_command(out, text);
	}
	return fclose(out) ? SL_SYSTEM : SL_OK;
}

int slurm_jobs_write(struct slurm_files *files, const struct slurm_case *c, const struct json *json,
	const struct slurm_timing *timing)
{
	struct jobs j = { .files = files, .c = c, .json = json, .timing = timing };
	const int status = put_jobs(&j);
	files->commands = json_count(get(json, "events")) > 0;
	return status || !files->commands ? status : put_commands(&j);
}
