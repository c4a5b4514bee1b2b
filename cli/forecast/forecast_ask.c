/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_ask.c - when a job would start and end that nobody has submitted yet, asked so or so.
 *
 * Each request is one more job, submitted now, in futures of its own: the same ones, as what is drawn depends
 * on seed, future and job alone. A request that says a user takes what else it needs (account, partition,
 * QOS) from that user's latest job. With serial=F the work is that of the first request, and how long it
 * takes is by Amdahl's law (models/speedup): speed-up n / (1 + F (n - 1)) on n nodes, or processors.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast_parts.h"
#include "models/speedup/speedup.h"

enum { ASKED_MAX = 100 };

/* One request, as it was written and as a row. */
struct request {
	const char *text;
	int64_t nodes, cpus, gpus, mem; /* SL_NONE: not said. */
	sl_time limit;
	double serial; /* Below 0: not said. */
	const char *user, *account, *partition, *qos;
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_row_group group;
	struct sl_job_attributes job;
	struct forecast_job is;
	struct forecast_range start, end;
	bool known;
	uint32_t cut;
};

/* ---- Reading
 * -------------------------------------------------------------------------------------------------- */

static bool amount_read(const char *text, int64_t *amount)
{
	return sl_get_i64(text, strlen(text), amount) && *amount > 0 && *amount <= INT32_MAX;
}

static bool serial_read(const char *text, double *serial)
{
	int64_t micro;
	if (!sl_get_micro(text, strlen(text), &micro) || micro < 0 || micro > 1000000)
		return false;
	*serial = (double)micro / 1e6;
	return true;
}

static bool item_read(struct request *request, const char *key, const char *value)
{
	const struct {
		const char *key;
		int64_t *amount;
	} amounts[] = { { "nodes", &request->nodes }, { "cpus", &request->cpus },
		{ "gpus", &request->gpus } };
	const struct {
		const char *key;
		const char **text;
	} texts[] = { { "user", &request->user }, { "account", &request->account },
		{ "partition", &request->partition }, { "qos", &request->qos } };
	for (size_t i = 0; i < SL_LEN(amounts); i++)
		if (strcmp(key, amounts[i].key) == 0)
			return amount_read(value, amounts[i].amount);
	for (size_t i = 0; i < SL_LEN(texts); i++)
		if (strcmp(key, texts[i].key) == 0) {
			*texts[i].text = value;
			return *value != '\0';
		}
	if (strcmp(key, "limit") == 0)
		return sl_get_duration(value, strlen(value), &request->limit) && request->limit > 0 &&
		       request->limit < INT64_MAX / 8;
	if (strcmp(key, "mem") == 0)
		return sl_get_memory(value, strlen(value), true, &request->mem);
	return strcmp(key, "serial") == 0 && serial_read(value, &request->serial);
}

/* The key of that length that begins there stands before in the text, too; NULL: it does not. */
static const char *repeated_before(const char *text, ptrdiff_t from, size_t len)
{
	for (const char *at = text; at < text + from; at += strcspn(at, " ,")) {
		at += strspn(at, " ,");
		if (at < text + from && strncmp(at, text + from, len + 1) == 0)
			return at;
	}
	return NULL;
}

static int request_read(struct request *request, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	char *save = NULL;
	char *copy = sl_strdup(arena, text, strlen(text));
	if (!copy)
		return sl_fail_memory(err);
	*request = (struct request){
		.text = text, .nodes = SL_NONE, .cpus = SL_NONE, .gpus = SL_NONE, .mem = SL_NONE, .serial = -1
	};
	for (char *word = strtok_r(copy, " ,", &save); word; word = strtok_r(NULL, " ,", &save)) {
		char *equals = strchr(word, '=');
		const char *again =
			equals ? repeated_before(text, word - copy, (size_t)(equals - word)) : NULL;
		if (again)
			return sl_fail(err, SL_USAGE, "--ask '%.100s': '%.*s' is given twice", text,
				(int)(equals - word), word);
		if (equals)
			*equals = '\0';
		const bool good = equals && item_read(request, word, equals + 1);
		if (equals)
			*equals = '=';
		if (!good)
			return sl_fail(err, SL_USAGE,
				"--ask '%.100s': '%.40s' is no part of a request: give nodes=N, cpus=N (of each node), "
				"gpus=N (of each node), mem=SIZE (of each node), limit=TIME, user=, account=, "
				"partition=, qos=, serial=0..1",
				text, word);
	}
	if (!request->limit ||
		(request->nodes == SL_NONE && request->cpus == SL_NONE && request->gpus == SL_NONE))
		return sl_fail(
			err, SL_USAGE, "--ask '%.100s': give a size (nodes, cpus or gpus) and a limit", text);
	return SL_OK;
}

/* ---- As a row
 * ------------------------------------------------------------------------------------------------------ */

/* The text of a name, or its number in a log without names. */
static bool is_name(const char *name, int64_t number, const char *wanted)
{
	char text[32];
	if (name)
		return strcmp(name, wanted) == 0;
	if (number < 0)
		return false;
	*sl_put_i64(text, number) = '\0';
	return strcmp(text, wanted) == 0;
}

/* The latest job of the user; of any, where none is said. UINT32_MAX: there is none. */
static uint32_t latest_of(const struct forecast_log *log, const struct request *request, sl_time now)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; i < log->count && log->job[i].submit <= now; i++) {
		const struct sl_row *row = &log->row[i];
		if (!request->user ||
			is_name(row->more ? row->more->user : NULL, row->col[SL_COL_USER], request->user))
			found = i;
	}
	return found;
}

/* On a pool of processors nodes are processors. */
static void size_of(struct request *request, bool pool)
{
	const int64_t nodes = request->nodes == SL_NONE ? 1 : request->nodes;
	if (pool) {
		request->row.col[SL_COL_REQ_CPUS] = nodes * (request->cpus == SL_NONE ? 1 : request->cpus);
		request->is.size = (int32_t)request->row.col[SL_COL_REQ_CPUS];
		return;
	}
	const bool whole = request->cpus == SL_NONE && request->gpus == SL_NONE;
	request->group = (struct sl_row_group){ SL_ROW_GROUP_NOTHING, .tasks = nodes,
		.cpus = request->cpus == SL_NONE ? 1 : request->cpus,
		.gpus = request->gpus == SL_NONE ? 0 : request->gpus,
		.mem = request->mem == SL_NONE ? 0 : request->mem, .exclusive = whole };
	request->group.tasks_per_node = 1;
	request->group.nodes_min = request->group.nodes_max = nodes;
	request->more.group = &request->group;
	request->more.group_count = 1;
	const int64_t each = request->group.gpus ? request->group.gpus : request->group.cpus;
	request->is.size = (int32_t)(nodes * each);
}

/* What the machine does not have is never given: that is no matter of when. */
static int size_check(struct request *request, const struct forecast_log *log, bool pool, struct sl_err *err)
{
	const int64_t nodes = request->nodes == SL_NONE ? 1 : request->nodes;
	const int64_t cpus = nodes * (request->cpus == SL_NONE ? 1 : request->cpus);
	if (pool && (request->gpus != SL_NONE || request->mem != SL_NONE))
		return sl_fail(err, SL_USAGE,
			"--ask '%.100s': only processors are known of the machine: ask for no gpus or mem, or give its "
			"nodes with -c CLUSTER",
			request->text);
	if (request->gpus != SL_NONE && !log->gpus)
		return sl_fail(err, SL_USAGE, "--ask '%.100s': the machine has no GPUs", request->text);
	if (log->cpus > 0 && cpus > log->cpus)
		return sl_fail(err, SL_USAGE, "--ask '%.100s': the machine has %lld processors",
			request->text, (long long)log->cpus);
	if (!pool && nodes > log->nodes)
		return sl_fail(
			err, SL_USAGE, "--ask '%.100s': the machine has %u nodes", request->text, log->nodes);
	if (!pool && request->gpus != SL_NONE && nodes * request->gpus > log->gpus)
		return sl_fail(err, SL_USAGE, "--ask '%.100s': the machine has %lld GPUs", request->text,
			(long long)log->gpus);
	size_of(request, pool);
	return SL_OK;
}

static void names_of(struct request *request, const struct sl_row *like)
{
	if (like && like->more) {
		request->more.user = like->more->user;
		request->more.account = like->more->account;
		request->more.partition = like->more->partition;
	}
	if (request->account)
		request->more.account = request->account;
	if (request->partition)
		request->more.partition = request->partition;
}

static int row_of(
	struct request *request, const struct forecast_log *log, sl_time now, bool pool, struct sl_err *err)
{
	static const struct sl_job_attributes nothing = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
	const uint32_t like = latest_of(log, request, now);
	if (request->user && like == UINT32_MAX)
		return sl_fail(err, SL_USAGE,
			"--ask '%.100s': nobody of that name has submitted a job by then", request->text);
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		request->row.col[i] = SL_NONE;
	request->is = (struct forecast_job){ .user = -1, .account = -1, .partition = -1, .name = -1 };
	const struct sl_row *row = like == UINT32_MAX ? NULL : &log->row[like];
	for (int i = SL_COL_USER; row && i <= SL_COL_PARTITION; i++)
		request->row.col[i] = i == SL_COL_APP ? SL_NONE : row->col[i];
	if (row) {
		request->is = log->job[like];
		request->is.user = request->user ? request->is.user : -1;
	}
	request->row.col[SL_COL_ID] = request->is.id = INT64_C(1) << 51;
	request->row.col[SL_COL_LIMIT] = request->is.limit = request->limit;
	request->is.submit = now;
	request->is.start = request->is.end = request->is.cancel = SL_NONE;
	request->is.name = -1;
	if (!pool || (row && row->more)) {
		request->job = nothing;
		if (row && row->more && row->more->job)
			request->job.qos = row->more->job->qos;
		if (request->qos)
			request->job.qos = request->qos;
		request->more.job = &request->job;
		request->row.more = &request->more;
		names_of(request, row);
	}
	return size_check(request, log, pool, err);
}

/* How many times as long it takes as the first request. */
static double factor_of(const struct request *first, const struct request *request)
{
	const double serial = request->serial >= 0 ? request->serial : first->serial;
	const double n = request->nodes == SL_NONE ? request->is.size : (double)request->nodes;
	const double n_first = first->nodes == SL_NONE ? first->is.size : (double)first->nodes;
	return serial < 0 ? 0 : speedup_amdahl(n_first, serial) / speedup_amdahl(n, serial);
}

static int request_go(struct request *request, const struct request *first, struct forecast_question question,
	struct sl_err *err)
{
	struct forecast_answer answer = { 0 };
	const double factor = factor_of(first, request);
	question.asked = &request->row;
	question.asked_job = &request->is;
	question.asked_like = factor > 0 ? &first->is : &request->is;
	question.asked_factor = factor > 0 ? factor : 1;
	question.target = NULL;
	question.targets = 1;
	question.reasons = false;
	int status = forecast_ask(&answer, &question, err);
	if (!status)
		status = forecast_calibrate_answer(question.calibrated, &question, &answer, err);
	if (!status) {
		request->known = forecast_range(&answer, answer.start, 0, &request->start);
		(void)forecast_range(&answer, answer.end, 0, &request->end);
		request->cut = answer.cut;
	}
	forecast_answer_release(&answer);
	return status;
}

/* ---- What is printed
 * ---------------------------------------------------------------------------------------------- */

/* Whose median end is first; the earlier request, where two are the same. */
static size_t first_to_end(const struct request *request, size_t count)
{
	size_t first = 0;
	for (size_t i = 1; i < count; i++)
		if (request[i].end.p50 < request[first].end.p50)
			first = i;
	return first;
}

static void asked_table(const struct request *request, size_t count, const struct forecast_question *question,
	const struct args *args)
{
	static const char *const heading[] = { "request", "starts in: p10", "p50", "p90", "ends in: p10",
		"p50", "p90", "cut by its limit", "" };
	struct screen_table *table = screen_table_new(args->arena, SL_LEN(heading));
	const size_t first = first_to_end(request, count);
	if (!table)
		return;
	for (size_t i = 0; i < SL_LEN(heading); i++)
		screen_cell(table, i > 0 && i + 1 < SL_LEN(heading), "%s", heading[i]);
	for (size_t i = 0; i < count; i++) {
		screen_cell(table, false, "%s", request[i].text);
		forecast_cells(table, request[i].known, &request[i].start, question->state->now);
		forecast_cells(table, request[i].known, &request[i].end, question->state->now);
		screen_cell(table, true, "%.0f %%", 100.0 * request[i].cut / question->futures);
		screen_cell(table, false, "%s", i == first && count > 1 ? "ends first" : "");
	}
	screen_print(table, stdout);
}

static int asked_json(const struct request *request, size_t count, const struct forecast_question *question,
	struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	forecast_head_json(&json, question);
	json_nest(&json, "asked", '[', NULL);
	for (size_t i = 0; i < count; i++) {
		json_nest(&json, NULL, '{', NULL);
		json_put(&json, datum_text("request", request[i].text));
		forecast_range_json(&json, "start", request[i].known, &request[i].start);
		forecast_range_json(&json, "end", request[i].known, &request[i].end);
		json_put(&json, datum_count("cut", request[i].cut));
		json_close(&json);
	}
	json_close(&json);
	json_put(&json, datum_text("ends_first", request[first_to_end(request, count)].text));
	return json_finish(&json, SL_OK, err);
}

int forecast_requests(const struct forecast_question *question, const struct args *args, struct sl_err *err)
{
	struct request *request = sl_alloc(args->arena, ASKED_MAX, sizeof(*request));
	const char *text;
	size_t count = 0;
	int status = request ? SL_OK : sl_fail_memory(err);
	for (; !status && (text = arg_at(args, "ask", count)); count++) {
		if (count == ASKED_MAX)
			return sl_fail(err, SL_USAGE, "--ask: give at most %d requests", ASKED_MAX);
		status = request_read(&request[count], text, args->arena, err);
		if (!status)
			status = row_of(&request[count], question->log, question->state->now,
				!question->log->nodes, err);
	}
	for (size_t i = 0; i < count && !status; i++)
		status = request_go(&request[i], &request[0], *question, err);
	if (status)
		return status;
	if (arg_flag(args, "json"))
		return asked_json(request, count, question, err);
	forecast_head(question);
	asked_table(request, count, question, args);
	return SL_OK;
}
