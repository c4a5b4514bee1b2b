/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batsim.c - workloads of Batsim: one JSON object of jobs, profiles and a number of machines.
 *
 *   {"nb_res": 32, "jobs": [{"id": 1, "subtime": 4.7, "walltime": 399, "res": 2,
 *   "profile": "p"}, ...], "profiles": {"p": {"type": "delay", "delay": 88.5}}}
 *
 * Keys come in any order, profiles often behind the jobs that name them: the
 * text is walked once to find the parts, and once more through the jobs. Only
 * `delay` says how long a job runs without a model of the platform; jobs of
 * other profiles are dropped and counted. Times are real numbers of seconds,
 * rounded to the nearest microsecond.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/plugin.h"

enum { NAME_CAPACITY = 1024 };

static const char other_profile[] = "profile of another type than delay";

struct profile {
	char *name;
	int64_t delay; /* us; SL_NONE: of another type. */
	const char *at;
};

struct workload {
	struct sl_json json;
	const char *jobs, *profiles; /* Where they begin. */
	int64_t machines;            /* nb_res; 0: it has none. */
	struct profile *profile;     /* By name. */
	size_t profile_count, profile_capacity;
	const struct sl_sink *sink;
	struct sl_err *err;
};

/* ---- Values ------------------------------------------------------------------------------ */

/* Where the value begins that comes next. */
static const char *value_at(struct sl_json *json)
{
	(void)sl_json_peek(json);
	return json->p;
}

/* A number of seconds, as microseconds; NAME is what it is called in messages. */
static int64_t seconds(struct sl_json *json, const char *name)
{
	const char *at = value_at(json);
	const struct sl_json_word word = sl_json_take(json);
	int64_t micro = 0;
	if (json->failed)
		return 0;
	if (!word.p || word.string)
		(void)sl_json_fail(json, at, "%s is not a number: give seconds", name);
	else if (!sl_get_micro(word.p, word.len, &micro))
		(void)sl_json_fail(json, word.p, "%s is out of range", name);
	return micro;
}

static int64_t batsim_whole_here(struct sl_json *json, const char *name, int64_t max)
{
	const char *at = value_at(json);
	const struct sl_json_word word = sl_json_take(json);
	int64_t micro = 0;
	if (json->failed)
		return 0;
	if (!word.p || word.string || !sl_get_micro(word.p, word.len, &micro) || micro % SL_SECOND ||
		micro / SL_SECOND > max)
		(void)sl_json_fail(json, word.p ? word.p : at, "%s is not a whole number up to %lld", name,
			(long long)max);
	return micro / SL_SECOND;
}

/* ---- Parts --------------------------------------------------------------------------------- */

static const char *batsim_part(struct sl_json *json, const char *name, char opens, const char *before)
{
	const char *key = json->p;
	const char c = sl_json_peek(json);
	const char *at = json->p;
	if (before)
		(void)sl_json_fail(json, key, "'%s' is there twice", name);
	else if (c && c != opens)
		(void)sl_json_fail(json, at, "'%s' is not %s", name, opens == '[' ? "an array" : "an object");
	sl_json_skip(json);
	return at;
}

static int find_parts(struct workload *load)
{
	struct sl_json *json = &load->json;
	struct sl_json_word key;
	bool first = true;
	if (sl_json_peek(json) != '{')
		return sl_json_fail(
			json, json->p, "a workload of Batsim is one object: { \"jobs\": [...], ... }");
	sl_json_open(json);
	while (sl_json_member(json, &key, &first)) {
		if (sl_json_is(&key, "jobs"))
			load->jobs = batsim_part(json, "jobs", '[', load->jobs);
		else if (sl_json_is(&key, "profiles"))
			load->profiles = batsim_part(json, "profiles", '{', load->profiles);
		else if (sl_json_is(&key, "nb_res") && !load->machines)
			load->machines = batsim_whole_here(json, "nb_res", INT32_MAX);
		else
			sl_json_skip(json);
	}
	sl_json_end(json);
	if (!json->failed && !load->jobs)
		return sl_json_fail(json, json->end, "the workload has no 'jobs'");
	if (!json->failed && !load->profiles)
		return sl_json_fail(json, json->end, "the workload has no 'profiles'");
	if (!json->failed && load->machines < 0)
		return sl_json_fail(json, json->end, "'nb_res' is negative");
	return json->failed ? load->err->status : SL_OK;
}

/* ---- Profiles ------------------------------------------------------------------------------- */

static void read_profile(struct workload *load, struct profile *profile)
{
	struct sl_json *json = &load->json;
	struct sl_json_word key;
	struct sl_json_word type = { 0 };
	int64_t delay = SL_NONE;
	bool first = true;
	if (sl_json_peek(json) != '{')
		(void)sl_json_fail(json, json->p, "profile '%.60s' is not an object", profile->name);
	else
		sl_json_open(json);
	while (sl_json_member(json, &key, &first)) {
		if (sl_json_is(&key, "type") && sl_json_peek(json) == '"')
			type = sl_json_take(json);
		else if (sl_json_is(&key, "delay") && sl_json_peek(json) != '"')
			delay = seconds(json, "the delay of a profile");
		else
			sl_json_skip(json);
	}
	if (json->failed)
		return;
	if (!type.p)
		(void)sl_json_fail(json, profile->at, "profile '%.60s' has no type", profile->name);
	else if (sl_json_is(&type, "delay") && delay == SL_NONE)
		(void)sl_json_fail(json, profile->at, "profile '%.60s' is a delay without a number 'delay'",
			profile->name);
	else
		profile->delay = sl_json_is(&type, "delay") ? delay : SL_NONE;
}

static int batsim_by_name(const void *a, const void *b)
{
	const struct profile *x = a;
	const struct profile *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int read_profiles(struct workload *load)
{
	struct sl_json *json = &load->json;
	struct sl_json_word key;
	char name[NAME_CAPACITY];
	bool first = true;
	json->p = load->profiles;
	sl_json_open(json);
	while (sl_json_member(json, &key, &first)) {
		const int status = SL_GROW_MOST(
			load->profile, load->profile_capacity, load->profile_count + 1, 1U << 28, load->err);
		if (status)
			return status;
		struct profile *profile = &load->profile[load->profile_count];
		if (!sl_json_text(json, &key, name, sizeof(name)))
			break;
		*profile = (struct profile){ strdup(name), SL_NONE, key.p };
		if (!profile->name)
			return sl_fail_memory(load->err);
		load->profile_count++;
		read_profile(load, profile);
	}
	if (json->failed)
		return load->err->status;
	if (load->profile_count)
		qsort(load->profile, load->profile_count, sizeof(*load->profile), batsim_by_name);
	for (size_t i = 1; i < load->profile_count; i++)
		if (strcmp(load->profile[i].name, load->profile[i - 1].name) == 0)
			return sl_json_fail(json, load->profile[i].at, "profile '%.60s' is there twice",
				load->profile[i].name);
	return SL_OK;
}

static const struct profile *batsim_profile_of(const struct workload *load, const char *name)
{
	size_t low = 0;
	size_t high = load->profile_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(name, load->profile[middle].name);
		if (!order)
			return &load->profile[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

enum job_key { KEY_ID, KEY_SUBMIT, KEY_LIMIT, KEY_SIZE, KEY_PROFILE, KEY_RESULT, KEY_COUNT };

/* Both spellings of each, older and newer. */
static const struct {
	const char *text;
	enum job_key key;
} job_keys[] = {
	{ "id", KEY_ID },
	{ "subtime", KEY_SUBMIT },
	{ "walltime", KEY_LIMIT },
	{ "res", KEY_SIZE },
	{ "resources", KEY_SIZE },
	{ "profile", KEY_PROFILE },
	{ "ret", KEY_RESULT },
};

static enum job_key batsim_key_of(const struct sl_json_word *word)
{
	for (size_t i = 0; i < SL_LEN(job_keys); i++)
		if (sl_json_is(word, job_keys[i].text))
			return job_keys[i].key;
	return KEY_COUNT;
}

/* A job while its members are read. */
struct job {
	struct sl_row row;
	char id[NAME_CAPACITY];
	struct sl_row_attributes more;
	const struct profile *profile;
	unsigned seen; /* Bits of enum job_key. */
};

static void read_id(struct workload *load, struct job *job)
{
	struct sl_json *json = &load->json;
	const char *at = value_at(json);
	const struct sl_json_word word = sl_json_take(json);
	if (!word.p) {
		(void)sl_json_fail(json, at, "a job's id is neither a number nor a string");
	} else if (sl_get_i64(word.p, word.len, &job->row.col[SL_COL_ID]) && job->row.col[SL_COL_ID] >= 0) {
		return;
	} else if (!word.string) {
		(void)sl_json_fail(json, word.p, "a job's id is not a whole number: put it in quotes");
	} else if (sl_json_text(json, &word, job->id, sizeof(job->id))) {
		job->row.col[SL_COL_ID] = SL_NONE;
		job->more.id = job->id;
		job->row.more = &job->more;
	}
}

static void read_job_profile(struct workload *load, struct job *job)
{
	struct sl_json *json = &load->json;
	const char *at = value_at(json);
	const struct sl_json_word word = sl_json_take(json);
	if (!word.p || !word.string) {
		(void)sl_json_fail(json, at, "a job's profile is not a name in quotes");
		return;
	}
	char name[NAME_CAPACITY];
	if (!sl_json_text(json, &word, name, sizeof(name)))
		return;
	job->profile = batsim_profile_of(load, name);
	if (!job->profile)
		(void)sl_json_fail(json, word.p, "there is no profile '%.60s' in this file", name);
}

/* Unknown where it is negative. */
static int64_t batsim_known(int64_t value) { return value < 0 ? SL_NONE : value; }

static void read_member(struct workload *load, struct job *job, enum job_key key)
{
	struct sl_json *json = &load->json;
	int64_t *col = job->row.col;
	switch (key) {
	case KEY_ID:
		read_id(load, job);
		break;
	case KEY_SUBMIT:
		col[SL_COL_SUBMIT] = batsim_known(seconds(json, "subtime"));
		break;
	case KEY_LIMIT:
		col[SL_COL_LIMIT] = batsim_known(seconds(json, "walltime"));
		break;
	case KEY_SIZE:
		col[SL_COL_CPUS] = col[SL_COL_REQ_CPUS] =
			batsim_known(batsim_whole_here(json, "res", INT32_MAX));
		break;
	case KEY_PROFILE:
		read_job_profile(load, job);
		break;
	case KEY_RESULT:
		col[SL_COL_STATUS] = batsim_whole_here(json, "ret", INT32_MAX) ? 0 : 1;
		break;
	case KEY_COUNT:
		sl_json_skip(json);
		break;
	}
}

static int check_job(struct workload *load, const struct job *job, const char *at)
{
	static const unsigned needed = 1U << KEY_ID | 1U << KEY_SUBMIT | 1U << KEY_SIZE | 1U << KEY_PROFILE;
	for (size_t i = 0; i < SL_LEN(job_keys); i++)
		if (needed & ~job->seen & 1U << job_keys[i].key)
			return sl_json_fail(&load->json, at, "a job has no '%s'", job_keys[i].text);
	return SL_OK;
}

static int read_job(struct workload *load)
{
	struct sl_json *json = &load->json;
	struct job job;
	job.seen = 0;
	job.row.more = NULL;
	job.more = (struct sl_row_attributes){ 0 };
	struct sl_json_word word;
	bool first = true;
	for (int i = 0; i < SL_COL_COUNT; i++)
		job.row.col[i] = SL_NONE;
	if (sl_json_peek(json) != '{')
		return sl_json_fail(json, json->p, "a job is not an object");
	const char *at = json->p;
	sl_json_open(json);
	while (sl_json_member(json, &word, &first)) {
		const enum job_key key = batsim_key_of(&word);
		if (key < KEY_COUNT && job.seen & 1U << key)
			return sl_json_fail(json, word.p, "a job has '%.*s' twice", (int)word.len, word.p);
		job.seen |= 1U << key;
		read_member(load, &job, key);
	}
	if (json->failed || check_job(load, &job, at))
		return load->err->status;
	const struct sl_place place = sl_json_place(json, at);
	job.row.line = place.line;
	if (job.profile->delay == SL_NONE)
		return load->sink->anomaly(load->sink->self, other_profile, &place, load->err);
	job.row.col[SL_COL_RUN] = job.profile->delay;
	return load->sink->job(load->sink->self, &job.row, load->err);
}

static int read_jobs(struct workload *load)
{
	struct sl_json *json = &load->json;
	char machines[32];
	bool first = true;
	int status = SL_OK;
	*sl_put_i64(machines, load->machines) = '\0';
	const struct sl_place at = sl_json_place(json, load->jobs);
	if (load->machines)
		status = load->sink->header(load->sink->self, "MaxProcs", machines, &at, load->err);
	json->p = load->jobs;
	sl_json_open(json);
	while (!status && sl_json_element(json, &first))
		status = read_job(load);
	if (!status && !json->failed && first)
		return sl_json_fail(json, load->jobs, "'jobs' is empty: there is nothing to run");
	return status || !json->failed ? status : load->err->status;
}

static int batsim_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct workload load = { .sink = sink, .err = err };
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	if (status)
		return status;
	sl_json_begin(&load.json, sl_input_name(in), text, end, err);
	status = find_parts(&load);
	if (!status)
		status = read_profiles(&load);
	if (!status)
		status = read_jobs(&load);
	for (size_t i = 0; i < load.profile_count; i++)
		free(load.profile[i].name);
	free(load.profile);
	return status;
}

/* An object whose beginning has a key of ours. */
/* "jobs": [ ... Other JSON has numbers of jobs. */
static bool has_jobs(const char *p, const char *end)
{
	static const char key[] = "\"jobs\"";
	while ((p = memmem(p, (size_t)(end - p), key, strlen(key)))) {
		p += strlen(key);
		while (p < end && (*p == ':' || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
			p++;
		if (p == end || *p == '[')
			return true;
	}
	return false;
}

static int batsim_sniff(const char *text, size_t len)
{
	static const char *const keys[] = { "\"nb_res\"", "\"profiles\"" };
	const char *p = text;
	while (p < text + len && strchr(" \t\r\n", *p) && *p)
		p++;
	if (p == text + len || *p != '{')
		return 0;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (memmem(p, (size_t)(text + len - p), keys[i], strlen(keys[i])))
			return 80;
	return has_jobs(p, text + len) ? 80 : 0;
}

extern const struct sl_reader batsim_reader;
const struct sl_reader batsim_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "batsim",
	.summary = "workload of Batsim (JSON), jobs with delay profiles",
	.sniff = batsim_sniff,
	.read = batsim_read,
};
