/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_json.c - sacct --json: {"jobs": [...]}, of the data parsers v0.0.37 to v0.0.44; and what squeue
 * --json and scontrol show jobs --json print: jobs as slurmctld has them, with keys of their own
 * ("job_state").
 *
 * Elements are parsed one by one, so that a month of jobs needs no tree of them all. Numbers are plain, or
 * {"set": true, "infinite": false, "number": 5}; a state is a text, or an array of such.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/meta.h"
#include "traces/slurm/sacct.h"

struct walk {
	struct sacct s;
	struct sl_json json;
	struct sl_doc doc; /* The element. */
	struct sacct_cells cells;
	struct sacct_text capacity; /* Of the element. */
	int64_t printed;            /* When slurmctld listed its jobs; SL_NONE: it is not said. */
};

/* ---- Values -------------------------------------------------------------------------------- */

static const struct sl_doc_node *sacct_json_at(
	const struct walk *w, const struct sl_doc_node *map, const char *key)
{
	return sl_doc_member(&w->doc, map, key);
}

/* SL_NONE: it is not there, not set, or without bound. */
static int64_t sacct_json_number_of(const struct walk *w, const struct sl_doc_node *value)
{
	double number;
	if (value && value->kind == SL_DOC_MAP) {
		if (sl_doc_is(&w->doc, sacct_json_at(w, value, "set"), "false") ||
			sl_doc_is(&w->doc, sacct_json_at(w, value, "infinite"), "true"))
			return SL_NONE;
		value = sacct_json_at(w, value, "number");
	}
	if (!sl_doc_number(&w->doc, value, &number) || !(fabs(number) < 9e15))
		return SL_NONE;
	return (int64_t)number;
}

static const char *sacct_json_text_of(const struct walk *w, const struct sl_doc_node *value)
{
	if (value && value->kind == SL_DOC_LIST) /* States: the first, others qualify it. */
		value = sl_doc_child(&w->doc, value);
	const char *text = sl_doc_string(&w->doc, value);
	return text && *text ? text : NULL;
}

static void sacct_json_put_text(struct walk *w, enum sacct_column column, const char *text)
{
	if (text)
		w->cells.cell[column] = (struct sacct_cell){ text, strlen(text) };
}

static void put_format(struct walk *w, enum sacct_column column, const char *format, ...) SL_PRINTF(3, 4);
static void put_format(struct walk *w, enum sacct_column column, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sacct_json_put_text(w, column, sacct_keep(&w->capacity, text, strlen(text)));
}

static void sacct_json_put_number(
	struct walk *w, enum sacct_column column, const struct sl_doc_node *value, const char *unit)
{
	const int64_t number = sacct_json_number_of(w, value);
	if (number != SL_NONE)
		put_format(w, column, "%" PRId64 "%s", number, unit);
}

/* ---- A job ------------------------------------------------------------------------------------- */

static void put_tres(struct walk *w, enum sacct_column column, const struct sl_doc_node *list)
{
	char text[4000];
	size_t len = 0;
	SL_DOC_EACH (item, &w->doc, list) {
		const char *type = sacct_json_text_of(w, sacct_json_at(w, item, "type"));
		const char *name = sacct_json_text_of(w, sacct_json_at(w, item, "name"));
		const int64_t count = sacct_json_number_of(w, sacct_json_at(w, item, "count"));
		if (!type || count == SL_NONE)
			continue;
		const bool mem = strcmp(type, "mem") == 0;
		const int capacity = (int)(sizeof(text) - len);
		const int put = snprintf(text + len, sizeof(text) - len, "%s%s%s%s=%" PRId64 "%s",
			len ? "," : "", type, name ? "/" : "", name ? name : "", count, mem ? "M" : "");
		if (put < 0 || put >= capacity)
			break;
		len += (size_t)put;
	}
	if (len)
		sacct_json_put_text(w, column, sacct_keep(&w->capacity, text, len));
}

static void put_ids(struct walk *w, const struct sl_doc_node *job)
{
	const int64_t id = sacct_json_number_of(w, sacct_json_at(w, job, "job_id"));
	const struct sl_doc_node *array = sacct_json_at(w, job, "array");
	const struct sl_doc_node *het = sacct_json_at(w, job, "het");
	const int64_t head = sacct_json_number_of(w, sacct_json_at(w, array, "job_id"));
	const int64_t task = sacct_json_number_of(w, sacct_json_at(w, array, "task_id"));
	const char *tasks = sacct_json_text_of(w, sacct_json_at(w, array, "task"));
	const int64_t first = sacct_json_number_of(w, sacct_json_at(w, het, "job_id"));
	const int64_t offset = sacct_json_number_of(w, sacct_json_at(w, het, "job_offset"));
	if (id == SL_NONE)
		return;
	put_format(w, SACCT_JOBIDRAW, "%" PRId64, id);
	if (head > 0 && tasks)
		put_format(w, SACCT_JOBID, "%" PRId64 "_[%.300s]", head, tasks);
	else if (head > 0 && task >= 0)
		put_format(w, SACCT_JOBID, "%" PRId64 "_%" PRId64, head, task);
	else if (first > 0 && offset >= 0)
		put_format(w, SACCT_JOBID, "%" PRId64 "+%" PRId64, first, offset);
	else
		put_format(w, SACCT_JOBID, "%" PRId64, id);
}

static const char *word_at(const struct walk *w, const struct sl_doc_node *job, const char *key)
{
	return sacct_json_text_of(w, sacct_json_at(w, job, key));
}

static void put_times(struct walk *w, const struct sl_doc_node *time)
{
	static const struct {
		const char *key;
		enum sacct_column column;
	} parts[] = { { "submission", SACCT_SUBMIT }, { "eligible", SACCT_ELIGIBLE },
		{ "start", SACCT_START }, { "end", SACCT_END }, { "elapsed", SACCT_ELAPSEDRAW },
		{ "limit", SACCT_TIMELIMITRAW } };
	for (size_t i = 0; i < SL_LEN(parts); i++)
		sacct_json_put_number(w, parts[i].column, sacct_json_at(w, time, parts[i].key), "");
	const int64_t suspended = sacct_json_number_of(w, sacct_json_at(w, time, "suspended"));
	if (suspended > 0)
		put_format(w, SACCT_SUSPENDED, "00:00:%" PRId64, suspended);
}

static void put_asks(struct walk *w, const struct sl_doc_node *job)
{
	const struct sl_doc_node *required = sacct_json_at(w, job, "required");
	const struct sl_doc_node *tres = sacct_json_at(w, job, "tres");
	sacct_json_put_number(w, SACCT_REQCPUS, sacct_json_at(w, required, "CPUs"), "");
	sacct_json_put_number(w, SACCT_NNODES, sacct_json_at(w, job, "allocation_nodes"), "");
	if (sacct_json_number_of(w, sacct_json_at(w, required, "memory_per_cpu")) > 0)
		sacct_json_put_number(w, SACCT_REQMEM, sacct_json_at(w, required, "memory_per_cpu"), "Mc");
	else if (sacct_json_number_of(w, sacct_json_at(w, required, "memory_per_node")) > 0)
		sacct_json_put_number(w, SACCT_REQMEM, sacct_json_at(w, required, "memory_per_node"), "Mn");
	put_tres(w, SACCT_REQTRES, sacct_json_at(w, tres, "requested"));
	put_tres(w, SACCT_ALLOCTRES, sacct_json_at(w, tres, "allocated"));
}

static void put_exit_code(struct walk *w, const struct sl_doc_node *code)
{
	const int64_t returned = sacct_json_number_of(w, sacct_json_at(w, code, "return_code"));
	const struct sl_doc_node *caught = sacct_json_at(w, code, "signal");
	const int64_t number = sacct_json_number_of(w, sacct_json_at(w, caught, "signal_id")
							       ? sacct_json_at(w, caught, "signal_id")
							       : sacct_json_at(w, caught, "id"));
	if (returned != SL_NONE)
		put_format(
			w, SACCT_EXITCODE, "%" PRId64 ":%" PRId64, returned, number == SL_NONE ? 0 : number);
}

/* Of v0.0.38 and older, and here and there later, a status as of wait(2). */
static void put_code(struct walk *w, const struct sl_doc_node *code)
{
	const int64_t status = code && code->kind != SL_DOC_MAP ? sacct_json_number_of(w, code) : SL_NONE;
	if (code && code->kind == SL_DOC_MAP)
		put_exit_code(w, code);
	else if (status >= 0 && status < 65536)
		put_format(w, SACCT_EXITCODE, "%" PRId64 ":%" PRId64, status / 256, status % 128);
}

static void sacct_json_put_job(struct walk *w, const struct sl_doc_node *job)
{
	static const struct {
		const char *key;
		enum sacct_column column;
	} words[] = { { "user", SACCT_USER }, { "account", SACCT_ACCOUNT }, { "partition", SACCT_PARTITION },
		{ "qos", SACCT_QOS }, { "qosreq", SACCT_QOSREQ }, { "nodes", SACCT_NODELIST },
		{ "constraints", SACCT_CONSTRAINTS }, { "name", SACCT_JOBNAME },
		{ "submit_line", SACCT_SUBMITLINE } };
	put_ids(w, job);
	for (size_t i = 0; i < SL_LEN(words); i++)
		sacct_json_put_text(w, words[i].column, word_at(w, job, words[i].key));
	if (!w->cells.cell[SACCT_USER].p)
		sacct_json_put_text(w, SACCT_USER, word_at(w, sacct_json_at(w, job, "association"), "user"));
	sacct_json_put_text(w, SACCT_STATE, word_at(w, sacct_json_at(w, job, "state"), "current"));
	sacct_json_put_text(w, SACCT_REASON, word_at(w, sacct_json_at(w, job, "state"), "reason"));
	sacct_json_put_text(w, SACCT_RESERVATION, word_at(w, sacct_json_at(w, job, "reservation"), "name"));
	put_times(w, sacct_json_at(w, job, "time"));
	put_asks(w, job);
	put_code(w, sacct_json_at(w, job, "exit_code"));
}

/* ---- A job of squeue ------------------------------------------------------------------------------ */

static const char *keep_word(struct walk *w, const struct sl_doc_node *job, const char *const *keys)
{
	const char *text = NULL;
	for (; *keys && !text; keys++)
		text = word_at(w, job, *keys);
	return text;
}

static void queue_ids(struct walk *w, const struct sl_doc_node *job)
{
	const int64_t id = sacct_json_number_of(w, sacct_json_at(w, job, "job_id"));
	const int64_t head = sacct_json_number_of(w, sacct_json_at(w, job, "array_job_id"));
	const int64_t task = sacct_json_number_of(w, sacct_json_at(w, job, "array_task_id"));
	const int64_t first = sacct_json_number_of(w, sacct_json_at(w, job, "het_job_id"));
	const int64_t offset = sacct_json_number_of(w, sacct_json_at(w, job, "het_job_offset"));
	const int64_t most = sacct_json_number_of(w, sacct_json_at(w, job, "array_max_tasks"));
	const char *tasks = word_at(w, job, "array_task_string");
	if (id == SL_NONE)
		return;
	w->cells.array_limit = head > 0 && most > 0 ? most : 0;
	put_format(w, SACCT_JOBIDRAW, "%" PRId64, id);
	if (head > 0 && tasks)
		put_format(w, SACCT_JOBID, "%" PRId64 "_[%.300s]", head, tasks);
	else if (head > 0 && task >= 0)
		put_format(w, SACCT_JOBID, "%" PRId64 "_%" PRId64, head, task);
	else if (first > 0 && offset >= 0)
		put_format(w, SACCT_JOBID, "%" PRId64 "+%" PRId64, first, offset);
	else
		put_format(w, SACCT_JOBID, "%" PRId64, id);
}

/* Of what waits, the start is a forecast; of what runs, the end. */
static void queue_times(struct walk *w, const struct sl_doc_node *job, const char *state)
{
	static const char *const going[] = { "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "STOPPED",
		"SIGNALING", "STAGE_OUT", "RESIZING" };
	const bool waits = strcmp(state, "PENDING") == 0;
	bool goes = false;
	for (size_t i = 0; i < SL_LEN(going); i++)
		goes = goes || strcmp(state, going[i]) == 0;
	const int64_t start = sacct_json_number_of(w, sacct_json_at(w, job, "start_time"));
	const int64_t end = sacct_json_number_of(w, sacct_json_at(w, job, "end_time"));
	sacct_json_put_number(w, SACCT_SUBMIT, sacct_json_at(w, job, "submit_time"), "");
	sacct_json_put_number(w, SACCT_ELIGIBLE, sacct_json_at(w, job, "eligible_time"), "");
	sacct_json_put_number(w, SACCT_TIMELIMITRAW, sacct_json_at(w, job, "time_limit"), "");
	if (waits || start <= 0)
		return;
	put_format(w, SACCT_START, "%" PRId64, start);
	if (goes && w->printed != SL_NONE && w->printed >= start)
		put_format(w, SACCT_ELAPSEDRAW, "%" PRId64, w->printed - start);
	if (goes || end < start)
		return;
	put_format(w, SACCT_END, "%" PRId64, end);
	put_format(w, SACCT_ELAPSEDRAW, "%" PRId64, end - start);
}

static void queue_asks(struct walk *w, const struct sl_doc_node *job)
{
	sacct_json_put_number(w, SACCT_REQCPUS, sacct_json_at(w, job, "cpus"), "");
	sacct_json_put_number(w, SACCT_NNODES, sacct_json_at(w, job, "node_count"), "");
	if (sacct_json_number_of(w, sacct_json_at(w, job, "memory_per_cpu")) > 0)
		sacct_json_put_number(w, SACCT_REQMEM, sacct_json_at(w, job, "memory_per_cpu"), "Mc");
	else if (sacct_json_number_of(w, sacct_json_at(w, job, "memory_per_node")) > 0)
		sacct_json_put_number(w, SACCT_REQMEM, sacct_json_at(w, job, "memory_per_node"), "Mn");
}

static void queue_put_job(struct walk *w, const struct sl_doc_node *job, const char *state)
{
	static const struct {
		enum sacct_column column;
		const char *key[3];
	} words[] = { { SACCT_USER, { "user_name", "user" } }, { SACCT_ACCOUNT, { "account" } },
		{ SACCT_PARTITION, { "partition" } }, { SACCT_QOS, { "qos" } },
		{ SACCT_NODELIST, { "nodes" } }, { SACCT_CONSTRAINTS, { "features" } },
		{ SACCT_JOBNAME, { "name" } }, { SACCT_REASON, { "state_reason" } },
		{ SACCT_RESERVATION, { "resv_name" } }, { SACCT_DEPENDENCY, { "dependency" } },
		{ SACCT_REQTRES, { "tres_req_str" } }, { SACCT_ALLOCTRES, { "tres_alloc_str" } },
		{ SACCT_SUBMITLINE, { "submit_line" } } };
	queue_ids(w, job);
	for (size_t i = 0; i < SL_LEN(words); i++)
		sacct_json_put_text(w, words[i].column, keep_word(w, job, words[i].key));
	sacct_json_put_text(w, SACCT_STATE, state);
	queue_times(w, job, state);
	queue_asks(w, job);
	put_code(w, sacct_json_at(w, job, "exit_code"));
}

/* ---- The walk -------------------------------------------------------------------------------------- */

static int element(struct walk *w)
{
	const char c = sl_json_peek(&w->json);
	w->cells = (struct sacct_cells){ .line = sl_json_place(&w->json, w->json.p).line };
	if (c && c != '{')
		return sl_json_fail(&w->json, w->json.p, "a job of 'jobs' is no JSON object");
	const int status = sl_json_tree(&w->json, &w->doc);
	if (status)
		return status;
	sacct_text_clear(&w->capacity);
	const char *state = word_at(w, w->doc.node, "job_state"); /* Only slurmctld's have it. */
	if (state)
		queue_put_job(w, w->doc.node, state);
	else
		sacct_json_put_job(w, w->doc.node);
	return w->capacity.failed ? sl_fail(w->s.err, SL_SYSTEM, "%s: out of memory", w->s.file)
				  : sacct_record(&w->s, &w->cells);
}

static int jobs(struct walk *w)
{
	bool first = true;
	if (sl_json_peek(&w->json) != '[')
		return sl_json_fail(&w->json, w->json.p, "'jobs' is no array");
	sl_json_open(&w->json);
	while (sl_json_element(&w->json, &first)) {
		const int status = element(w);
		if (status)
			return status;
	}
	return w->json.failed ? w->s.err->status : SL_OK;
}

/* Which Slurm it was, as a header. */
static int meta(struct walk *w)
{
	const struct sl_sink *sink = w->s.sink;
	const struct sl_place at = sl_json_place(&w->json, w->json.p);
	const int status = sl_json_tree(&w->json, &w->doc);
	const char *release = status ? NULL : slurm_release_of(&w->doc, w->doc.node);
	return release && sink->header ? sink->header(sink->self, SLURM_RELEASE_KEY, release, &at, w->s.err)
				       : status;
}

static int object(struct walk *w)
{
	struct sl_json *json = &w->json;
	struct sl_json_word key;
	bool first = true;
	bool had = false;
	if (sl_json_peek(json) != '{')
		return sl_json_fail(json, json->p, "no JSON object");
	sl_json_open(json);
	while (sl_json_member(json, &key, &first)) {
		const bool is_jobs = sl_json_is(&key, "jobs");
		const int status = is_jobs                    ? jobs(w)
				   : sl_json_is(&key, "meta") ? meta(w)
							      : (sl_json_skip(json), SL_OK);
		if (status)
			return status;
		had |= is_jobs;
	}
	if (!json->failed && !had)
		return sl_json_fail(
			json, json->p, "no 'jobs': is it the output of sacct --json or squeue --json?");
	return json->failed ? w->s.err->status : SL_OK;
}

/* "last_update", which stands behind the jobs: slurmctld's time as it listed them (_pack_init_job_info). */
static int64_t printed_at(struct walk *w, const char *text, const char *end)
{
	enum { FIRST_JOB = 1 << 18 }; /* Accounting, which may be long, is not looked through. */
	static const char state[] = "\"job_state\"";
	const size_t len = (size_t)(end - text);
	struct sl_err none = { 0 };
	struct sl_json json;
	struct sl_json_word key;
	bool first = true;
	int64_t at = SL_NONE;
	if (!memmem(text, len < FIRST_JOB ? len : FIRST_JOB, state, sizeof(state) - 1))
		return SL_NONE;
	sl_json_begin(&json, w->s.file, text, end, &none);
	if (sl_json_peek(&json) != '{')
		return SL_NONE;
	sl_json_open(&json);
	while (sl_json_member(&json, &key, &first))
		if (!sl_json_is(&key, "last_update"))
			sl_json_skip(&json);
		else if (sl_json_tree(&json, &w->doc) == SL_OK)
			at = sacct_json_number_of(w, w->doc.node);
	return at;
}

static int json_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail(err, SL_SYSTEM, "%s: out of memory", sl_input_name(in));
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	sl_json_begin(&w->json, sl_input_name(in), text, end, err);
	w->doc = (struct sl_doc){ .file = w->json.file, .loose = true };
	if (!status)
		status = sacct_begin(&w->s, sl_input_name(in), sink, err);
	w->printed = status ? SL_NONE : printed_at(w, text, end);
	if (!status)
		status = object(w);
	if (!status)
		status = sacct_end(&w->s);
	sacct_release(&w->s);
	sacct_text_free(&w->capacity);
	sl_doc_release(&w->doc);
	free(w);
	return status;
}

/* An object whose beginning has what only Slurm's has. */
static int json_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "\"job_id\"", "\"submission\"", "\"allocation_nodes\"",
		"\"association\"", "\"data_parser\"", "\"openapi/" };
	enum { OF_JOBS = 4 }; /* The others stand in all that Slurm prints. */
	static const char *const others[] = { "\"real_memory\"", "\"partitions\"", "\"reservations\"",
		"\"LicenseName\"", "\"sinfo\"" };
	size_t i = 0;
	while (i < len && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
		i++;
	if (i == len || text[i] != '{')
		return 0;
	for (size_t k = 0; k < OF_JOBS; k++)
		if (memmem(text, len, keys[k], strlen(keys[k])))
			return 90;
	for (size_t k = 0; k < SL_LEN(others); k++)
		if (memmem(text, len, others[k], strlen(others[k])))
			return 0;
	for (size_t k = OF_JOBS; k < SL_LEN(keys); k++)
		if (memmem(text, len, keys[k], strlen(keys[k])))
			return 90;
	return 0;
}

const struct sl_reader sacct_json_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "sacct-json",
	.summary =
		"jobs of Slurm: sacct, squeue, scontrol show jobs --json; data_parser v0.0.37 to v0.0.44 (not tried on real files)",
	.sniff = json_sniff,
	.read = json_read,
};
