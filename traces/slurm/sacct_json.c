/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_json.c - sacct --json: {"jobs": [...]}, of the data parsers v0.0.38 to v0.0.40.
 *
 * Elements are parsed one by one, so that a month of jobs needs no tree of them all. Numbers are plain, or
 * {"set": true, "infinite": false, "number": 5}; a state is a text, or an array of such.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

struct walk {
	struct sacct s;
	const char *text, *end, *p;
	const char *counted; /* Newlines up to here are counted. */
	uint64_t line;
	struct sacct_cells cells;
	struct sacct_text room; /* Of the element. */
};

/* ---- Values -------------------------------------------------------------------------------- */

static const cJSON *at(const cJSON *value, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(value, key);
}

/* SL_NONE: it is not there, not set, or without bound. */
static int64_t number_of(const cJSON *value)
{
	if (cJSON_IsObject(value)) {
		if (cJSON_IsFalse(at(value, "set")) || cJSON_IsTrue(at(value, "infinite")))
			return SL_NONE;
		value = at(value, "number");
	}
	if (!cJSON_IsNumber(value) || !(fabs(value->valuedouble) < 9e15))
		return SL_NONE;
	return (int64_t)value->valuedouble;
}

static const char *text_of(const cJSON *value)
{
	if (cJSON_IsArray(value)) /* States: the first, others qualify it. */
		value = cJSON_GetArrayItem(value, 0);
	return cJSON_IsString(value) && value->valuestring && value->valuestring[0] ? value->valuestring
										    : NULL;
}

static void put_text(struct walk *w, enum sacct_column column, const char *text)
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
	put_text(w, column, sacct_keep(&w->room, text, strlen(text)));
}

static void put_number(struct walk *w, enum sacct_column column, const cJSON *value, const char *unit)
{
	const int64_t number = number_of(value);
	if (number != SL_NONE)
		put_format(w, column, "%" PRId64 "%s", number, unit);
}

/* ---- A job ------------------------------------------------------------------------------------- */

static void put_tres(struct walk *w, enum sacct_column column, const cJSON *list)
{
	char text[4000];
	size_t len = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		const char *type = text_of(at(item, "type"));
		const char *name = text_of(at(item, "name"));
		const int64_t count = number_of(at(item, "count"));
		if (!type || count == SL_NONE)
			continue;
		const bool mem = strcmp(type, "mem") == 0;
		const int room = (int)(sizeof(text) - len);
		const int put = snprintf(text + len, sizeof(text) - len, "%s%s%s%s=%" PRId64 "%s",
			len ? "," : "", type, name ? "/" : "", name ? name : "", count, mem ? "M" : "");
		if (put < 0 || put >= room)
			break;
		len += (size_t)put;
	}
	if (len)
		put_text(w, column, sacct_keep(&w->room, text, len));
}

static void put_ids(struct walk *w, const cJSON *job)
{
	const int64_t id = number_of(at(job, "job_id"));
	const cJSON *array = at(job, "array");
	const cJSON *het = at(job, "het");
	const int64_t head = number_of(at(array, "job_id"));
	const int64_t task = number_of(at(array, "task_id"));
	const char *tasks = text_of(at(array, "task"));
	const int64_t first = number_of(at(het, "job_id"));
	const int64_t offset = number_of(at(het, "job_offset"));
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

static const char *word_at(const cJSON *job, const char *key) { return text_of(at(job, key)); }

static void put_times(struct walk *w, const cJSON *time)
{
	static const struct {
		const char *key;
		enum sacct_column column;
	} parts[] = { { "submission", SACCT_SUBMIT }, { "eligible", SACCT_ELIGIBLE },
		{ "start", SACCT_START }, { "end", SACCT_END }, { "elapsed", SACCT_ELAPSEDRAW },
		{ "limit", SACCT_TIMELIMITRAW } };
	for (size_t i = 0; i < SL_LEN(parts); i++)
		put_number(w, parts[i].column, at(time, parts[i].key), "");
	const int64_t suspended = number_of(at(time, "suspended"));
	if (suspended > 0)
		put_format(w, SACCT_SUSPENDED, "00:00:%" PRId64, suspended);
}

static void put_asks(struct walk *w, const cJSON *job)
{
	const cJSON *required = at(job, "required");
	const cJSON *tres = at(job, "tres");
	put_number(w, SACCT_REQCPUS, at(required, "CPUs"), "");
	put_number(w, SACCT_NNODES, at(job, "allocation_nodes"), "");
	if (number_of(at(required, "memory_per_cpu")) > 0)
		put_number(w, SACCT_REQMEM, at(required, "memory_per_cpu"), "Mc");
	else if (number_of(at(required, "memory_per_node")) > 0)
		put_number(w, SACCT_REQMEM, at(required, "memory_per_node"), "Mn");
	put_tres(w, SACCT_REQTRES, at(tres, "requested"));
	put_tres(w, SACCT_ALLOCTRES, at(tres, "allocated"));
}

static void put_exit_code(struct walk *w, const cJSON *code)
{
	const int64_t returned = number_of(at(code, "return_code"));
	const cJSON *caught = at(code, "signal");
	const int64_t number =
		number_of(at(caught, "signal_id") ? at(caught, "signal_id") : at(caught, "id"));
	if (returned != SL_NONE)
		put_format(
			w, SACCT_EXITCODE, "%" PRId64 ":%" PRId64, returned, number == SL_NONE ? 0 : number);
}

static void put_job(struct walk *w, const cJSON *job)
{
	static const struct {
		const char *key;
		enum sacct_column column;
	} words[] = { { "user", SACCT_USER }, { "account", SACCT_ACCOUNT }, { "partition", SACCT_PARTITION },
		{ "qos", SACCT_QOS }, { "nodes", SACCT_NODELIST }, { "constraints", SACCT_CONSTRAINTS },
		{ "name", SACCT_JOBNAME }, { "submit_line", SACCT_SUBMITLINE } };
	put_ids(w, job);
	for (size_t i = 0; i < SL_LEN(words); i++)
		put_text(w, words[i].column, word_at(job, words[i].key));
	if (!w->cells.cell[SACCT_USER].p)
		put_text(w, SACCT_USER, word_at(at(job, "association"), "user"));
	put_text(w, SACCT_STATE, word_at(at(job, "state"), "current"));
	put_text(w, SACCT_REASON, word_at(at(job, "state"), "reason"));
	put_text(w, SACCT_RESERVATION, word_at(at(job, "reservation"), "name"));
	put_times(w, at(job, "time"));
	put_asks(w, job);
	put_exit_code(w, at(job, "exit_code"));
}

/* ---- The walk -------------------------------------------------------------------------------------- */

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
	const struct sl_place place = { w->s.file, line_of(w, w->p), 0 };
	return sl_fail_at(w->s.err, &place, "%s", what);
}

static char next(struct walk *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\n' || *w->p == '\t' || *w->p == '\r'))
		w->p++;
	return (char)(w->p < w->end ? *w->p : '\0');
}

/* One value as a tree; NULL: it is none. */
static cJSON *value(struct walk *w)
{
	const char *stop = w->p;
	(void)next(w);
	cJSON *tree = cJSON_ParseWithLengthOpts(w->p, (size_t)(w->end - w->p), &stop, 0);
	w->p = stop > w->p && stop <= w->end ? stop : w->p;
	return tree;
}

static int element(struct walk *w)
{
	w->cells = (struct sacct_cells){ .line = line_of(w, w->p) };
	cJSON *job = value(w);
	int status = SL_OK;
	if (!job || !cJSON_IsObject(job))
		status = fail(w, "a job of 'jobs' is no JSON object");
	sacct_text_clear(&w->room);
	if (!status) {
		put_job(w, job);
		status = w->room.failed ? sl_fail_memory(w->s.err) : sacct_record(&w->s, &w->cells);
	}
	cJSON_Delete(job);
	return status;
}

static int jobs(struct walk *w)
{
	int status = SL_OK;
	if (next(w) != '[')
		return fail(w, "'jobs' is no array");
	w->p++;
	if (next(w) == ']') {
		w->p++;
		return SL_OK;
	}
	while (!status) {
		(void)next(w);
		status = element(w);
		const char c = (char)(status ? '\0' : next(w));
		if (!status && c != ',' && c != ']')
			status = fail(w, "neither ',' nor ']' behind a job: is the file whole?");
		w->p += !status;
		if (c == ']')
			break;
	}
	return status;
}

static int member(struct walk *w, bool *had)
{
	if (next(w) != '"')
		return fail(w, "no key in quotes where one should be");
	cJSON *key = value(w);
	const bool is_jobs = cJSON_IsString(key) && strcmp(key->valuestring, "jobs") == 0;
	const bool whole = key != NULL;
	cJSON_Delete(key);
	if (!whole || next(w) != ':')
		return fail(w, "no ':' behind a key");
	w->p++;
	if (is_jobs) {
		*had = true;
		return jobs(w);
	}
	cJSON *skipped = value(w);
	const bool is_value = skipped != NULL;
	cJSON_Delete(skipped);
	return is_value ? SL_OK : fail(w, "a value is no JSON: is the file whole?");
}

static int object(struct walk *w)
{
	bool had = false;
	if (next(w) != '{')
		return fail(w, "no JSON object");
	w->p++;
	while (next(w) != '}') {
		const int status = member(w, &had);
		if (status)
			return status;
		const char c = next(w);
		if (c != ',' && c != '}')
			return fail(w, "neither ',' nor '}' behind a value: is the file whole?");
		w->p += c == ',';
	}
	return had ? SL_OK : fail(w, "no 'jobs': is it the output of sacct --json?");
}

static int json_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	if (!w)
		return sl_fail_memory(err);
	int status = sl_input_all(in, &w->text, &w->end, err);
	w->p = w->counted = w->text;
	w->line = 1;
	if (!status)
		status = sacct_begin(&w->s, sl_input_name(in), sink, err);
	if (!status)
		status = object(w);
	if (!status)
		status = sacct_end(&w->s);
	sacct_release(&w->s);
	sacct_text_free(&w->room);
	free(w);
	return status;
}

/* An object whose beginning has what only Slurm's has. */
static int json_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "\"job_id\"", "\"submission\"", "\"allocation_nodes\"",
		"\"association\"", "\"data_parser\"", "\"openapi/" };
	size_t i = 0;
	while (i < len && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
		i++;
	if (i == len || text[i] != '{')
		return 0;
	for (size_t k = 0; k < SL_LEN(keys); k++)
		if (memmem(text, len, keys[k], strlen(keys[k])))
			return 90;
	return 0;
}

const struct sl_reader sacct_json_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "sacct-json",
	.summary = "accounting of Slurm: sacct --json (not tried on real files)",
	.sniff = json_sniff,
	.read = json_read,
};
