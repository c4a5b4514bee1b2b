/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * philly_json.c - cluster_job_log of Microsoft's Philly (Jeon et al., USENIX ATC 2019;
 * https://github.com/msr-fiddle/philly-traces): an array of jobs, each with its attempts.
 *
 * As the analysis that was published with it takes them: a job has the GPUs of its first attempt, waits until
 * that starts, and runs from there to the end of its last one. A job whose last attempt has no end was
 * running when the log was taken, and is cut at the last time that the log knows. Jobs without attempts never
 * ran, and nobody knows what they asked. Elements are parsed one by one. The clock is that of the site, US
 * Pacific with its summer time.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/gpu/gpu.h"

enum { KEYS_MAX = 64, HOSTS_ROOM = 4000 };

struct walk {
	const char *file;
	const struct sl_sink *sink; /* NULL: the last time is wanted. */
	struct sl_err *err;
	const char *text, *end, *p;
	const char *counted; /* Newlines up to here are counted. */
	uint64_t line, row_line;
	uint64_t rows;
	sl_time last;
	char hosts[HOSTS_ROOM]; /* Of the job that is being read. */
};

/* ---- Places ----------------------------------------------------------------------------------- */

static uint64_t line_of(struct walk *w, const char *p)
{
	const char *newline;
	while (w->counted < p && (newline = memchr(w->counted, '\n', (size_t)(p - w->counted)))) {
		w->line++;
		w->counted = newline + 1;
	}
	return w->line;
}

static int fail(struct walk *w, const char *what)
{
	const struct sl_place at = { w->file, line_of(w, w->p), 0 };
	return sl_fail_at(w->err, &at, "%s", what);
}

static int fail_job(struct walk *w, const char *key, const char *wanted)
{
	const struct sl_place at = { w->file, w->row_line, 0 };
	return sl_fail_at(w->err, &at, "'%s' of the job that begins here must be %s", key, wanted);
}

/* ---- Values ------------------------------------------------------------------------------------- */

static const cJSON *at(const cJSON *value, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(value, key);
}

/* NULL: it is not there, null, empty, or Python's word for that. */
static const char *text_of(const cJSON *value)
{
	const char *text = cJSON_IsString(value) ? value->valuestring : NULL;
	return text && *text && strcmp(text, "None") != 0 ? text : NULL;
}

static int date_of(struct walk *w, const cJSON *object, const char *key, sl_time *value)
{
	const cJSON *item = at(object, key);
	const char *text = text_of(item);
	*value = SL_NONE;
	if (!text)
		return !item || cJSON_IsNull(item) || cJSON_IsString(item)
			       ? SL_OK
			       : fail_job(w, key, "a date such as \"2017-10-07 01:12:09\", or null");
	if (!sl_get_date(text, strlen(text), value))
		return fail_job(w, key, "a date such as \"2017-10-07 01:12:09\", or null");
	w->last = *value > w->last ? *value : w->last;
	return SL_OK;
}

/* A key that stands twice leaves open which is meant. */
static int check_keys(struct walk *w, const cJSON *object)
{
	size_t count = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, object)
	{
		if (++count > KEYS_MAX)
			return fail_job(w, "keys", "64 at most");
		if (at(object, item->string) != item)
			return fail_job(w, item->string, "there once");
	}
	return SL_OK;
}

/* ---- Attempts ----------------------------------------------------------------------------------- */

struct attempts {
	int64_t count, gpus; /* gpus: of the first. */
	sl_time start, end;  /* Of the first; of the last. */
};

static int64_t gpus_of(const cJSON *detail)
{
	int64_t gpus = 0;
	const cJSON *host;
	cJSON_ArrayForEach(host, detail) gpus += cJSON_GetArraySize(at(host, "gpus"));
	return gpus;
}

/* "m47,m412", as far as there is room. */
static void hosts_of(struct walk *w, const cJSON *detail)
{
	size_t len = 0;
	const cJSON *host;
	w->hosts[0] = '\0';
	cJSON_ArrayForEach(host, detail)
	{
		const char *name = text_of(at(host, "ip"));
		const size_t width = name ? strlen(name) : 0;
		if (!width || len + width + 2 > HOSTS_ROOM)
			continue;
		if (len)
			w->hosts[len++] = ',';
		memcpy(w->hosts + len, name, width + 1);
		len += width;
	}
}

static int attempt_in(struct walk *w, const cJSON *attempt, struct attempts *a)
{
	sl_time start;
	if (!cJSON_IsObject(attempt))
		return fail_job(w, "attempts", "an array of objects");
	int status = check_keys(w, attempt);
	if (!status)
		status = date_of(w, attempt, "start_time", &start);
	if (!status)
		status = date_of(w, attempt, "end_time", &a->end);
	if (status)
		return status;
	if (!a->count++) {
		a->start = start;
		a->gpus = gpus_of(at(attempt, "detail"));
	}
	hosts_of(w, at(attempt, "detail"));
	return SL_OK;
}

static int attempts_in(struct walk *w, const cJSON *list, struct attempts *a)
{
	const cJSON *attempt;
	int status = SL_OK;
	*a = (struct attempts){ .start = SL_NONE, .end = SL_NONE };
	w->hosts[0] = '\0';
	if (list && !cJSON_IsArray(list) && !cJSON_IsNull(list))
		return fail_job(w, "attempts", "an array");
	cJSON_ArrayForEach(attempt, list)
	{
		status = attempt_in(w, attempt, a);
		if (status)
			break;
	}
	return status;
}

/* ---- A job -------------------------------------------------------------------------------------- */

static int tell(struct walk *w, const cJSON *job, sl_time submit, const struct attempts *a)
{
	struct gpu_row r;
	bool known = true;
	const char *word = text_of(at(job, "status"));
	const enum sl_state state = word ? gpu_state_of(word, &known) : SL_PENDING;
	const struct sl_place place = { w->file, w->row_line, 0 };
	gpu_row_clear(&r, w->row_line);
	gpu_row_id(&r, text_of(at(job, "jobid")), w->rows);
	/* An attempt without a start was not logged right: nobody knows how long it ran. */
	gpu_row_times(&r, submit, a->start, a->start == SL_NONE ? SL_NONE : a->end, w->last);
	r.job.end_recorded = a->end;
	gpu_row_total(&r, SL_NONE, 0, a->gpus, SL_NONE);
	gpu_row_state(&r, state);
	r.more.user = text_of(at(job, "user"));
	r.more.partition = text_of(at(job, "vc"));
	r.job.nodes_recorded = w->hosts[0] ? w->hosts : NULL;
	r.job.attempts_recorded = a->count;
	const int status =
		known ? SL_OK : w->sink->oddity(w->sink->self, "unreadable optional field", &place, w->err);
	return status ? status : gpu_row_tell(&r, w->sink, w->err);
}

static int job_in(struct walk *w, const cJSON *job)
{
	struct attempts a;
	sl_time submit;
	w->rows++;
	int status = check_keys(w, job);
	if (!status)
		status = date_of(w, job, "submitted_time", &submit);
	if (!status)
		status = attempts_in(w, at(job, "attempts"), &a);
	return status || !w->sink ? status : tell(w, job, submit, &a);
}

/* ---- The walk ------------------------------------------------------------------------------------ */

static char next(struct walk *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\n' || *w->p == '\t' || *w->p == '\r'))
		w->p++;
	return (char)(w->p < w->end ? *w->p : '\0');
}

static int element(struct walk *w)
{
	const char *stop = w->p;
	w->row_line = line_of(w, w->p);
	cJSON *job = cJSON_ParseWithLengthOpts(w->p, (size_t)(w->end - w->p), &stop, 0);
	w->p = stop > w->p && stop <= w->end ? stop : w->p;
	int status = SL_OK;
	if (!job || !cJSON_IsObject(job))
		status = fail(w, "a job is no JSON object: is the file whole?");
	if (!status)
		status = job_in(w, job);
	cJSON_Delete(job);
	return status;
}

static int jobs(struct walk *w)
{
	w->p = w->counted = w->text;
	w->line = 1;
	w->rows = 0;
	if (next(w) != '[')
		return fail(w, "no array of jobs");
	w->p++;
	bool more = next(w) != ']';
	while (more) {
		(void)next(w);
		const int status = element(w);
		if (status)
			return status;
		const char c = next(w);
		if (c != ',' && c != ']')
			return fail(w, "neither ',' nor ']' behind a job: is the file whole?");
		more = c == ',';
		w->p += more;
	}
	w->p++;
	return next(w) || w->p < w->end ? fail(w, "text behind the array of jobs") : SL_OK;
}

static int json_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail_memory(err);
	w->file = sl_input_name(in);
	w->err = err;
	w->last = SL_NONE;
	int status = sl_input_all(in, &w->text, &w->end, err);
	if (!status)
		status = jobs(w);
	if (!status && !w->rows)
		status = sl_fail(err, SL_INPUT, "%s: has no jobs: give a trace with jobs", w->file);
	if (!status && sink->dated)
		status = sink->dated(sink->self, err);
	w->sink = sink;
	if (!status)
		status = jobs(w);
	free(w);
	return status;
}

static int json_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "\"attempts\"", "\"submitted_time\"", "\"jobid\"", "\"vc\"" };
	size_t found = 0;
	size_t i = 0;
	while (i < len && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
		i++;
	if (i == len || text[i] != '[')
		return 0;
	for (size_t k = 0; k < SL_LEN(keys); k++)
		found += memmem(text, len, keys[k], strlen(keys[k])) != NULL;
	return found >= 2 ? 90 : 0;
}

const struct sl_reader philly_json_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "philly",
	.summary = "Microsoft's Philly: cluster_job_log, JSON (not tried on real files)",
	.sniff = json_sniff,
	.read = json_read,
};
