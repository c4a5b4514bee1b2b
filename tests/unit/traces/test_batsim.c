/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_batsim.c - the reader of Batsim workloads: what a job says, and where a text is wrong. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

extern const struct sl_reader batsim_reader;

/* Logs each call of the reader, one a line. */
struct heard {
	char text[2000];
	size_t len;
};

static void hear(struct heard *heard, const char *format, ...) SL_PRINTF(2, 3);
static void hear(struct heard *heard, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	heard->len +=
		(size_t)vsnprintf(heard->text + heard->len, sizeof(heard->text) - heard->len, format, args);
	va_end(args);
	cr_assert(heard->len < sizeof(heard->text));
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	struct heard *heard = self;
	static const int displayed[] = { SL_COL_ID, SL_COL_SUBMIT, SL_COL_RUN, SL_COL_LIMIT, SL_COL_CPUS,
		SL_COL_STATUS };
	cr_expect_eq(row->col[SL_COL_CPUS], row->col[SL_COL_REQ_CPUS]);
	cr_expect_eq(row->col[SL_COL_USER], SL_NONE);
	for (size_t i = 0; i < SL_LEN(displayed); i++)
		if (row->col[displayed[i]] == SL_NONE)
			hear(heard, i ? " -" : "-");
		else
			hear(heard, i ? " %" PRId64 : "%" PRId64, row->col[displayed[i]]);
	if (row->more)
		hear(heard, " id '%s'", row->more->id);
	hear(heard, "\n");
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	(void)err;
	hear(self, "%s: %s\n", key, value);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	hear(self, "%s at %" PRIu64 ":%u\n", cause, at->line, at->column);
	return SL_OK;
}

static int read_bytes(struct heard *heard, const char *text, size_t len, struct sl_err *err)
{
	char path[32];
	struct sl_input *in;
	const struct sl_sink sink = {
		.self = heard, .job = on_job, .header = on_header, .anomaly = on_anomaly
	};
	*heard = (struct heard){ 0 };
	memset(err, 0, sizeof(*err));
	cr_assert_eq(sl_input_open(&in, memfile(path, text, len), err), SL_OK, "%s", err->text);
	const int status = batsim_reader.read(in, &sink, err);
	sl_input_close(in);
	return status;
}

static int read_text(struct heard *heard, const char *text, struct sl_err *err)
{
	return read_bytes(heard, text, strlen(text), err);
}

/* Profiles may follow the jobs; what is not ours is passed over. Half a microsecond rounds up. */
Test(batsim, a_job_is_read)
{
	struct heard heard;
	struct sl_err err;
	cr_assert_eq(
		read_text(&heard,
			"{ \"version\": [1, {\"x\": null}],\n"
			"\"jobs\": [\n"
			"{\"id\": 7, \"subtime\": 4.7091645, \"walltime\": 399, \"res\": 2, \"profile\": \"p\"},\n"
			"{\"profile\": \"q\", \"res\": 1, \"subtime\": 0, \"id\": \"8\", \"walltime\": -1},\n"
			"{\"profile\": \"q\", \"resources\": 1, \"subtime\": 1e1, \"id\": \"w0!9\", \"ret\": 3}\n"
			"], \"nb_res\": 32, \"profiles\": {\"p\": {\"delay\": 88.51, \"type\": \"delay\"},\n"
			"\"q\": {\"type\": \"delay\", \"delay\": 0.5, \"np\": [2]}}}\n",
			&err),
		SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text, "MaxProcs: 32\n"
				     "7 4709165 88510000 399000000 2 -\n"
				     "8 0 500000 - 1 -\n"
				     "- 10000000 500000 - 1 0 id 'w0!9'\n");
}

Test(batsim, jobs_of_other_profiles_are_odd)
{
	struct heard heard;
	struct sl_err err;
	cr_assert_eq(read_text(&heard,
			     "{\"profiles\": {\"m\": {\"type\": \"parallel_homogeneous\", \"cpu\": 1e9}},\n"
			     " \"jobs\": [{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"m\"}]}",
			     &err),
		SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text, "profile of another type than delay at 2:11\n");
}

Test(batsim, strings_have_escapes)
{
	struct heard heard;
	struct sl_err err;
	cr_assert_eq(
		read_text(&heard,
			"{\"profiles\": {\"a\\u00e9\\\"\": {\"type\": \"delay\", \"delay\": 1}}, \"jobs\": "
			"[{\"id\": \"\\ud83d\\ude00\\n\\ud83d\", \"subtime\": 0, \"res\": 1, \"profile\": "
			"\"a\xc3\xa9\\\"\"}]}",
			&err),
		SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text, "- 0 1000000 - 1 - id '\xf0\x9f\x98\x80\n\xef\xbf\xbd'\n");
}

#define PROFILES     "\"profiles\": {\"p\": {\"type\": \"delay\", \"delay\": 1}}"
#define JOB_OF(text) "{" PROFILES ",\n\"jobs\": [\n{" text "}]}"

Test(batsim, what_is_wrong_is_reported_with_its_place)
{
	static const struct {
		const char *text, *where, *what;
	} cases[] = {
		{ "[1]", ":1:1: ", "is one object" },
		{ "{", ":1:2: ", "the text ends where a key in quotes should be" },
		{ "{\"jobs\": {}}", ":1:10: ", "'jobs' is not an array" },
		{ "{\"profiles\": []}", ":1:14: ", "'profiles' is not an object" },
		{ "{\"jobs\": []}", ":1:13: ", "has no 'profiles'" },
		{ "{" PROFILES "}", ":1:", "has no 'jobs'" },
		{ "{\"jobs\": [], " PROFILES "}", ":1:10: ", "'jobs' is empty" },
		{ "{\"jobs\": [], \"jobs\": []}", ":1:21: ", "'jobs' is there twice" },
		{ "{\"nb_res\": 1.5}", ":1:12: ", "nb_res is not a whole number up to 2147483647" },
		{ "{\"nb_res\": 3000000000}", ":1:12: ", "nb_res is not a whole number" },
		{ "{\"jobs\": [1], " PROFILES "}", ":1:11: ", "a job is not an object" },
		{ "{\"jobs\": [], " PROFILES "} x",
			":1:64: ", "'x' stands where the end of the text should be" },
		{ "{\n  \"a\": [1,]}", ":2:11: ", "']' stands where a value should be" },
		{ "{\n  \"a\": [1 2]}", ":2:11: ", "'2' stands where ',' or ']' should be" },
		{ "{\"a\" 1}", ":1:6: ", "'1' stands where ':' should be" },
		{ "{\"a\": 01}", ":1:8: ", "'1' stands where ',' or '}' should be" },
		{ "{\"a\": 1.}", ":1:9: ", "'}' stands where a digit should be" },
		{ "{\"a\": tru}", ":1:7: ", "'t' stands where a value should be" },
		{ "{\"a\": \"x", ":1:7: ", "a string is not closed" },
		{ "{\"a\": \"\t\"}", ":1:8: ", "a string holds a byte 0x09" },
		{ "{\"a\": \"\\x\"}", ":1:9: ", "no escape that JSON has" },
		{ "{\"a\": \xff}", ":1:7: ", "a byte 0xff stands where a value should be" },
		{ JOB_OF("\"id\": 1"), ":3:1: ", "a job has no 'subtime'" },
		{ JOB_OF("\"id\": 1, \"id\": 2"), ":3:12: ", "a job has 'id' twice" },
		{ JOB_OF("\"id\": true"), ":3:8: ", "neither a number nor a string" },
		{ JOB_OF("\"id\": 1.5"), ":3:8: ", "put it in quotes" },
		{ JOB_OF("\"subtime\": \"1\""), ":3:13: ", "subtime is not a number" },
		{ JOB_OF("\"subtime\": 1e300"), ":3:13: ", "subtime is out of range" },
		{ JOB_OF("\"res\": 99999999999"), ":3:9: ", "res is not a whole number" },
		{ JOB_OF("\"profile\": \"q\""), ":3:14: ", "there is no profile 'q' in this file" },
		{ JOB_OF("\"profile\": 1"), ":3:13: ", "a job's profile is not a name" },
		{ JOB_OF("\"profile\": \"\\u0000\""), ":3:14: ", "a name holds \\u0000" },
		{ "{\"jobs\": [], \"profiles\": {\"p\": {}}}", ":1:", "profile 'p' has no type" },
		{ "{\"jobs\": [], \"profiles\": {\"p\": {\"type\": \"delay\"}}}",
			":1:", "a delay without a number" },
		{ "{\"jobs\": [], \"profiles\": {\"p\": 1}}", ":1:32: ", "profile 'p' is not an object" },
		{ "{\"jobs\": [], \"profiles\": {\"p\": {\"type\": \"x\"}, \"p\": {\"type\": \"x\"}}}",
			":1:", "profile 'p' is there twice" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct heard heard;
		struct sl_err err;
		cr_expect_eq(read_text(&heard, cases[i].text, &err), SL_INPUT, "%s", cases[i].text);
		cr_expect_not_null(strstr(err.text, cases[i].where), "%s: %s", cases[i].text, err.text);
		cr_expect_not_null(strstr(err.text, cases[i].what), "%s: %s", cases[i].text, err.text);
	}
}

Test(batsim, nesting_has_a_bound)
{
	char text[400] = "{\"a\": ";
	struct heard heard;
	struct sl_err err;
	memset(text + strlen(text), '[', 100);
	cr_expect_eq(read_text(&heard, text, &err), SL_INPUT);
	cr_expect_not_null(strstr(err.text, "nested more than 64 deep"), "%s", err.text);
}

Test(batsim, is_known_by_its_keys)
{
	static const char *const yes[] = { "{\"nb_res\": 4", " \n{ \"command\": \"x\", \"jobs\": [" };
	static const char *const no[] = { "{\"nodes\": 4}", "[{\"jobs\"", "; jobs", "" };
	for (size_t i = 0; i < SL_LEN(yes); i++)
		cr_expect_gt(batsim_reader.sniff(yes[i], strlen(yes[i])), 50, "%s", yes[i]);
	for (size_t i = 0; i < SL_LEN(no); i++)
		cr_expect_eq(batsim_reader.sniff(no[i], strlen(no[i])), 0, "%s", no[i]);
}

/* One line of 3 MiB, which no reader of lines would take: chosen by its beginning, read whole. */
Test(batsim, a_text_may_be_one_long_line)
{
	enum { PAD = 3 << 20 };
	static const char begin[] = "{\"nb_res\": 4, \"pad\": \"";
	static const char end[] =
		"\", \"jobs\": [{\"id\": 1, \"subtime\": 2, \"res\": 3, \"profile\": \"p\"}], " PROFILES "}";
	char *text = malloc(sizeof(begin) + PAD + sizeof(end));
	memcpy(text, begin, sizeof(begin) - 1);
	memset(text + sizeof(begin) - 1, 'x', PAD);
	memcpy(text + sizeof(begin) - 1 + PAD, end, sizeof(end));
	const size_t len = strlen(text);
	struct heard heard = { 0 };
	struct sl_err err = { 0 };
	struct sl_input *in;
	const struct sl_reader *reader;
	char path[32];
	const struct sl_sink sink = {
		.self = &heard, .job = on_job, .header = on_header, .anomaly = on_anomaly
	};
	cr_assert_eq(sl_input_open(&in, memfile(path, text, len), &err), SL_OK);
	cr_assert_eq(reader_choose(builtin_registry(), &reader, in, &err), SL_OK, "%s", err.text);
	cr_expect_eq(reader, &batsim_reader);
	cr_assert_eq(reader->read(in, &sink, &err), SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text, "MaxProcs: 4\n1 2000000 1000000 - 3 -\n");
	cr_expect_eq(strlen(sl_input_sha256(in)), 64);
	const char *p;
	const char *stop;
	cr_expect_eq(sl_input_next(in, &p, &stop, &err), 0, "nothing is left");
	sl_input_close(in);
	free(text);
}
