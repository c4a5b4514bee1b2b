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
#include <stdlib.h>
#include <string.h>

#include "traces/gpu/gpu.h"

enum { KEYS_MAX = 64, HOSTS_CAPACITY = 4000 };

struct walk {
	struct sl_json json;
	const struct sl_sink *sink; /* NULL: the last time is wanted. */
	struct sl_doc doc;          /* The job that is being read. */
	uint64_t row_line;
	uint64_t rows;
	sl_time last;
	char hosts[HOSTS_CAPACITY]; /* Of that job. */
};

static int fail_job(struct walk *w, const char *key, const char *wanted)
{
	const struct sl_place at = { w->json.file, w->row_line, 0 };
	return sl_fail_at(w->json.err, &at, "'%s' of the job that begins here must be %s", key, wanted);
}

/* ---- Values ------------------------------------------------------------------------------------- */

static const struct sl_doc_node *philly_json_at(
	const struct walk *w, const struct sl_doc_node *map, const char *key)
{
	return sl_doc_member(&w->doc, map, key);
}

/* NULL: it is not there, null, empty, or Python's word for that. */
static const char *philly_json_text_of(const struct walk *w, const struct sl_doc_node *value)
{
	const char *text = sl_doc_string(&w->doc, value);
	return text && *text && strcmp(text, "None") != 0 ? text : NULL;
}

static bool is_null(const struct walk *w, const struct sl_doc_node *value)
{
	return sl_doc_is(&w->doc, value, "null");
}

static int philly_json_date_of(
	struct walk *w, const struct sl_doc_node *object, const char *key, sl_time *value)
{
	const struct sl_doc_node *item = philly_json_at(w, object, key);
	const char *text = philly_json_text_of(w, item);
	*value = SL_NONE;
	if (!text)
		return !item || is_null(w, item) || item->quoted
			       ? SL_OK
			       : fail_job(w, key, "a date such as \"2017-10-07 01:12:09\", or null");
	if (!sl_get_date(text, strlen(text), value))
		return fail_job(w, key, "a date such as \"2017-10-07 01:12:09\", or null");
	w->last = *value > w->last ? *value : w->last;
	return SL_OK;
}

/* A key that stands twice leaves open which is meant. */
static int check_keys(struct walk *w, const struct sl_doc_node *object)
{
	if (object->count > KEYS_MAX)
		return fail_job(w, "keys", "64 at most");
	SL_DOC_EACH (item, &w->doc, object)
		if (philly_json_at(w, object, sl_doc_key_of(&w->doc, item)) != item)
			return fail_job(w, sl_doc_key_of(&w->doc, item), "there once");
	return SL_OK;
}

/* ---- Attempts ----------------------------------------------------------------------------------- */

struct attempts {
	int64_t count, gpus; /* gpus: of the first. */
	sl_time start, end;  /* Of the first; of the last. */
};

static int64_t philly_json_gpus_of(const struct walk *w, const struct sl_doc_node *detail)
{
	int64_t gpus = 0;
	SL_DOC_EACH (host, &w->doc, detail) {
		const struct sl_doc_node *of = philly_json_at(w, host, "gpus");
		gpus += of ? of->count : 0;
	}
	return gpus;
}

/* "m47,m412", as far as it fits. */
static void hosts_of(struct walk *w, const struct sl_doc_node *detail)
{
	size_t len = 0;
	w->hosts[0] = '\0';
	SL_DOC_EACH (host, &w->doc, detail) {
		const char *name = philly_json_text_of(w, philly_json_at(w, host, "ip"));
		const size_t width = name ? strlen(name) : 0;
		if (!width || len + width + 2 > HOSTS_CAPACITY)
			continue;
		if (len)
			w->hosts[len++] = ',';
		memcpy(w->hosts + len, name, width + 1);
		len += width;
	}
}

static int attempt_in(struct walk *w, const struct sl_doc_node *attempt, struct attempts *a)
{
	sl_time start;
	if (attempt->kind != SL_DOC_MAP)
		return fail_job(w, "attempts", "an array of objects");
	int status = check_keys(w, attempt);
	if (!status)
		status = philly_json_date_of(w, attempt, "start_time", &start);
	if (!status)
		status = philly_json_date_of(w, attempt, "end_time", &a->end);
	if (status)
		return status;
	if (!a->count++) {
		a->start = start;
		a->gpus = philly_json_gpus_of(w, philly_json_at(w, attempt, "detail"));
	}
	hosts_of(w, philly_json_at(w, attempt, "detail"));
	return SL_OK;
}

static int attempts_in(struct walk *w, const struct sl_doc_node *list, struct attempts *a)
{
	*a = (struct attempts){ .start = SL_NONE, .end = SL_NONE };
	w->hosts[0] = '\0';
	if (list && list->kind != SL_DOC_LIST && !is_null(w, list))
		return fail_job(w, "attempts", "an array");
	SL_DOC_EACH (attempt, &w->doc, list) {
		const int status = attempt_in(w, attempt, a);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- A job -------------------------------------------------------------------------------------- */

static int philly_json_report(
	struct walk *w, const struct sl_doc_node *job, sl_time submit, const struct attempts *a)
{
	struct gpu_row r;
	bool known = true;
	const char *word = philly_json_text_of(w, philly_json_at(w, job, "status"));
	const enum sl_state state = word ? gpu_state_of(word, &known) : SL_PENDING;
	const struct sl_place place = { w->json.file, w->row_line, 0 };
	gpu_row_clear(&r, w->row_line);
	gpu_row_id(&r, philly_json_text_of(w, philly_json_at(w, job, "jobid")), w->rows);
	/* An attempt without a start was not logged right: nobody knows how long it ran. */
	gpu_row_times(&r, submit, a->start, a->start == SL_NONE ? SL_NONE : a->end, w->last);
	r.job.end_recorded = a->end;
	gpu_row_total(&r, SL_NONE, 0, a->gpus, SL_NONE);
	gpu_row_state(&r, state);
	r.more.user = philly_json_text_of(w, philly_json_at(w, job, "user"));
	r.more.partition = philly_json_text_of(w, philly_json_at(w, job, "vc"));
	r.job.nodes_recorded = w->hosts[0] ? w->hosts : NULL;
	r.job.attempts_recorded = a->count;
	const int status =
		known ? SL_OK
		      : w->sink->anomaly(w->sink->self, "unreadable optional field", &place, w->json.err);
	return status ? status : gpu_row_report(&r, w->sink, w->json.err);
}

static int philly_json_job_in(struct walk *w, const struct sl_doc_node *job)
{
	struct attempts a;
	sl_time submit;
	w->rows++;
	int status = check_keys(w, job);
	if (!status)
		status = philly_json_date_of(w, job, "submitted_time", &submit);
	if (!status)
		status = attempts_in(w, philly_json_at(w, job, "attempts"), &a);
	return status || !w->sink ? status : philly_json_report(w, job, submit, &a);
}

/* ---- The walk ------------------------------------------------------------------------------------ */

static int element(struct walk *w)
{
	const char c = sl_json_peek(&w->json);
	w->row_line = sl_json_place(&w->json, w->json.p).line;
	if (c && c != '{')
		return sl_json_fail(&w->json, w->json.p, "a job is no JSON object: is the file whole?");
	const int status = sl_json_tree(&w->json, &w->doc);
	return status ? status : philly_json_job_in(w, w->doc.node);
}

static int jobs(struct walk *w, const char *text, const char *end)
{
	bool first = true;
	struct sl_json *json = &w->json;
	sl_json_begin(json, json->file, text, end, json->err);
	w->rows = 0;
	if (sl_json_peek(json) != '[')
		return sl_json_fail(json, json->p, "no array of jobs");
	sl_json_open(json);
	while (sl_json_element(json, &first)) {
		const int status = element(w);
		if (status)
			return status;
	}
	sl_json_end(json);
	return json->failed ? json->err->status : SL_OK;
}

static int json_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail(err, SL_SYSTEM, "%s: out of memory", sl_input_name(in));
	const char *text;
	const char *end;
	w->json = (struct sl_json){ .file = sl_input_name(in), .err = err };
	w->doc = (struct sl_doc){ .file = w->json.file, .loose = true };
	w->last = SL_NONE;
	int status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = jobs(w, text, end);
	if (!status && !w->rows)
		status = sl_fail(err, SL_INPUT, "%s: has no jobs: give a trace with jobs", w->json.file);
	if (!status && sink->dated)
		status = sink->dated(sink->self, err);
	w->sink = sink;
	if (!status)
		status = jobs(w, text, end);
	sl_doc_release(&w->doc);
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
